//! Descriptors of the engine.

use super::{
    take, Ack, Operation, Request, ACK_WIDTH, LENGTH_OFFSET, LENGTH_WIDTH, NUMBER_WIDTH, OPERATION_WIDTH,
    PORTAL_OFFSET, PORTAL_WIDTH, RANK_WIDTH, SOURCE_RANK_WIDTH, USER_OFFSET, USER_WIDTH,
};
use crate::{
    ni::{codes::codes, command::Opcode},
    portals::list::List,
};

/// Words of the descriptor of a put.
pub const PUT_WORDS: usize = 10;
/// Words of the descriptor of a get: it has no header data.
pub const GET_WORDS: usize = 8;
/// Words of the descriptor that appends an entry.
pub const ENTRY_WORDS: usize = 12;
/// The word that an append writes in place of a handle if its entry has consumed a header, and so never came to its list.
pub const NO_ENTRY: u32 = u32::MAX;
/// Words of the descriptor that searches headers: that of an append without the address of the handle.
pub const SEARCH_WORDS: usize = 11;
/// Words of the descriptor that unlinks an entry.
pub const UNLINK_WORDS: usize = 3;
/// Words of the descriptor that sets or increments a counter.
pub const VALUE_CONTROL_WORDS: usize = 4;
/// Words of the descriptor that enables, disables or frees a portal index.
pub const INDEX_CONTROL_WORDS: usize = 2;

/// Memory descriptor: lowest bit in word 1 of a move, above operation, acknowledgement and portal index as in REQUEST.
pub const DESCRIPTOR_OFFSET: usize = PORTAL_OFFSET + PORTAL_WIDTH;
/// Rank of the target: lowest bit in word 1 of a move.
pub const RANK_OFFSET: usize = DESCRIPTOR_OFFSET + NUMBER_WIDTH;

codes! {
    /// What is done with an entry.
    EntryCommand {
        /// It comes to its list.
        Append = 0, "append";
        /// It leaves its list.
        Unlink = 1, "unlink";
        /// The headers of Unexpected that it matches are told.
        Search = 2, "search";
        /// The same, and they leave.
        SearchDelete = 3, "search_delete";
    }
}

codes! {
    /// What is done with a counter or a portal index.
    ControlCommand {
        /// Both counts get new values.
        Set = 0, "set";
        /// Both counts are incremented.
        Increment = 1, "increment";
        /// The portal index takes messages.
        Enable = 2, "enable";
        /// The portal index takes no messages any more; done when those in progress are complete.
        Disable = 3, "disable";
        /// The portal index is not allocated any more.
        Free = 4, "free";
    }
}

/// What is done: lowest bit in word 1 of an entry's or a control descriptor.
pub const COMMAND_OFFSET: usize = 0;
/// Width of what is done, in bits.
pub const COMMAND_WIDTH: usize = 3;
/// In word 1 of an entry's descriptor: the list is Overflow, not Priority.
pub const LIST_OFFSET: usize = 3;
/// Portal index or counter: lowest bit in word 1 of an entry's or a control descriptor, as in REQUEST.
pub const INDEX_OFFSET: usize = PORTAL_OFFSET;
/// Counter: lowest bit in word 1 of an entry's descriptor.
pub const COUNTER_OFFSET: usize = INDEX_OFFSET + PORTAL_WIDTH;
/// In word 1 of an entry's descriptor: there is a counter.
pub const COUNTS_OFFSET: usize = COUNTER_OFFSET + NUMBER_WIDTH;
/// Rank of the source: lowest bit in word 2 of an entry's descriptor.
pub const SOURCE_OFFSET: usize = 0;
/// Options: lowest bit in word 2 of an entry's descriptor.
pub const OPTIONS_OFFSET: usize = 16;

/// A put or a get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// Which of them.
    pub operation: Operation,
    /// Which acknowledgement; without meaning for a get.
    pub ack: Ack,
    /// Portal index at the target, and in bit 6 whether it is of the non-matching interface.
    pub portal: u8,
    /// Memory descriptor, 0..=63.
    pub descriptor: u8,
    /// Rank of the target.
    pub rank: u16,
    /// Offset in the memory descriptor, in bytes.
    pub local: u32,
    /// Length in bytes.
    pub length: u32,
    /// Offset in the entry, in bytes.
    pub remote: u32,
    /// Match bits.
    pub match_bits: u64,
    /// For SEND, ACK and REPLY.
    pub user_pointer: u32,
    /// For the event at the target; of a get 0.
    pub header_data: u64,
}

/// An entry for a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Append {
    /// Priority or Overflow.
    pub list: List,
    /// Portal index, and in bit 6 whether it is of the non-matching interface.
    pub portal: u8,
    /// Its counter, if it has one.
    pub counter: Option<u8>,
    /// Rank of the source, of no meaning with ANY.
    pub source: u16,
    /// Option bits.
    pub options: u16,
    /// Address of its memory, in bytes.
    pub start: u32,
    /// User from whom it takes messages.
    pub user: u16,
    /// Length of its memory, in bytes.
    pub length: u32,
    /// With MANAGE_LOCAL: it leaves its list when fewer bytes than this are left; 0 for never.
    pub min_free: u32,
    /// Match bits.
    pub match_bits: u64,
    /// Match bits that do not count.
    pub ignore_bits: u64,
    /// For its events.
    pub user_pointer: u32,
    /// Address of the word of memory to which its handle is written, in bytes.
    pub handle_address: u32,
}

/// A search in Unexpected. With USE_ONCE it finds the oldest header that it matches, else all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Search {
    /// The headers leave; else nothing changes.
    pub deletes: bool,
    /// Portal index, and in bit 6 whether it is of the non-matching interface.
    pub portal: u8,
    /// Rank of the source, of no meaning with ANY.
    pub source: u16,
    /// Option bits.
    pub options: u16,
    /// Length of the memory that the search stands for, in bytes: it counts with NO_TRUNCATE.
    pub length: u32,
    /// Match bits.
    pub match_bits: u64,
    /// Match bits that do not count.
    pub ignore_bits: u64,
    /// For its events.
    pub user_pointer: u32,
}

/// What is done with a counter or a portal index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Sets both counts of a counter.
    Set {
        /// Which counter.
        counter: u8,
        /// Successes.
        success: u32,
        /// Failures.
        failure: u32,
    },
    /// Increments both counts of a counter.
    Increment {
        /// Which counter.
        counter: u8,
        /// Added to the successes.
        success: u32,
        /// Added to the failures.
        failure: u32,
    },
    /// The portal index takes messages.
    Enable(u8),
    /// The portal index takes no messages any more.
    Disable(u8),
    /// The portal index is not allocated any more.
    Free(u8),
}

/// A descriptor of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// A put or a get.
    Move(Move),
    /// Appends an entry.
    Append(Append),
    /// Unlinks the entry of this handle.
    Unlink(u32),
    /// Searches headers.
    Search(Search),
    /// Something with a counter or a portal index.
    Control(Control),
}

impl Command {
    /// The opcode.
    pub fn opcode(&self) -> Opcode {
        match self {
            Command::Move(_) => Opcode::Move,
            Command::Append(_) | Command::Unlink(_) | Command::Search(_) => Opcode::Entry,
            Command::Control(_) => Opcode::Control,
        }
    }

    /// The words of the descriptor, with an empty word 0. Values are cut to their fields.
    pub fn encode(&self) -> Vec<u32> {
        let cut = |value: u32, width: usize| value & (u32::MAX >> (32 - width));
        let low = |wide: u64| wide as u32;
        let high = |wide: u64| (wide >> 32) as u32;
        let index = |command: ControlCommand, index: u8| {
            (command as u32) << COMMAND_OFFSET | cut(index.into(), PORTAL_WIDTH) << INDEX_OFFSET
        };
        match *self {
            Command::Move(request) => {
                let word = Request {
                    operation: request.operation,
                    ack: request.ack,
                    portal: request.portal & ((1 << PORTAL_WIDTH) - 1),
                    slot: 0,
                };
                let mut words = vec![
                    0,
                    word.encode()
                        | cut(request.descriptor.into(), NUMBER_WIDTH) << DESCRIPTOR_OFFSET
                        | cut(request.rank.into(), SOURCE_RANK_WIDTH) << RANK_OFFSET,
                    request.local,
                    request.length,
                    request.remote,
                    low(request.match_bits),
                    high(request.match_bits),
                    request.user_pointer,
                ];
                if request.operation == Operation::Put {
                    words.extend([low(request.header_data), high(request.header_data)]);
                }
                words
            }
            Command::Append(entry) => vec![
                0,
                (EntryCommand::Append as u32) << COMMAND_OFFSET
                    | u32::from(entry.list == List::Overflow) << LIST_OFFSET
                    | cut(entry.portal.into(), PORTAL_WIDTH) << INDEX_OFFSET
                    | cut(entry.counter.unwrap_or_default().into(), NUMBER_WIDTH) << COUNTER_OFFSET
                    | u32::from(entry.counter.is_some()) << COUNTS_OFFSET,
                cut(entry.source.into(), SOURCE_RANK_WIDTH) << SOURCE_OFFSET
                    | u32::from(entry.options) << OPTIONS_OFFSET,
                cut(entry.start, LENGTH_WIDTH) << LENGTH_OFFSET | cut(entry.user.into(), USER_WIDTH) << USER_OFFSET,
                entry.length,
                entry.min_free,
                low(entry.match_bits),
                high(entry.match_bits),
                low(entry.ignore_bits),
                high(entry.ignore_bits),
                entry.user_pointer,
                entry.handle_address,
            ],
            Command::Unlink(handle) => vec![0, (EntryCommand::Unlink as u32) << COMMAND_OFFSET, handle],
            Command::Search(search) => {
                let command = match search.deletes {
                    false => EntryCommand::Search,
                    true => EntryCommand::SearchDelete,
                };
                vec![
                    0,
                    (command as u32) << COMMAND_OFFSET | cut(search.portal.into(), PORTAL_WIDTH) << INDEX_OFFSET,
                    cut(search.source.into(), SOURCE_RANK_WIDTH) << SOURCE_OFFSET
                        | u32::from(search.options) << OPTIONS_OFFSET,
                    0,
                    search.length,
                    0,
                    low(search.match_bits),
                    high(search.match_bits),
                    low(search.ignore_bits),
                    high(search.ignore_bits),
                    search.user_pointer,
                ]
            }
            Command::Control(Control::Set {
                counter,
                success,
                failure,
            }) => vec![0, index(ControlCommand::Set, counter), success, failure],
            Command::Control(Control::Increment {
                counter,
                success,
                failure,
            }) => vec![0, index(ControlCommand::Increment, counter), success, failure],
            Command::Control(Control::Enable(portal)) => vec![0, index(ControlCommand::Enable, portal)],
            Command::Control(Control::Disable(portal)) => vec![0, index(ControlCommand::Disable, portal)],
            Command::Control(Control::Free(portal)) => vec![0, index(ControlCommand::Free, portal)],
        }
    }

    /// From a descriptor with this opcode; none if its number of words or what it asks has no meaning. Ranges are not checked.
    pub fn decode(opcode: u8, words: &[u32]) -> Option<Command> {
        let word = *words.get(1)?;
        let wide = |at: usize| u64::from(words[at]) | u64::from(words[at + 1]) << 32;
        match Opcode::from_code(opcode.into())? {
            Opcode::Move => {
                let operation = Operation::from_code(take(word, 0, OPERATION_WIDTH))?;
                let is_put = operation == Operation::Put;
                if words.len() != if is_put { PUT_WORDS } else { GET_WORDS } {
                    return None;
                }
                Some(Command::Move(Move {
                    operation,
                    ack: Ack::from_code(take(word, super::ACK_OFFSET, ACK_WIDTH))?,
                    portal: take(word, PORTAL_OFFSET, PORTAL_WIDTH) as u8,
                    descriptor: take(word, DESCRIPTOR_OFFSET, NUMBER_WIDTH) as u8,
                    rank: take(word, RANK_OFFSET, SOURCE_RANK_WIDTH) as u16,
                    local: words[2],
                    length: words[3],
                    remote: words[4],
                    match_bits: wide(5),
                    user_pointer: words[7],
                    header_data: if is_put { wide(8) } else { 0 },
                }))
            }
            Opcode::Entry => match EntryCommand::from_code(take(word, COMMAND_OFFSET, COMMAND_WIDTH))? {
                EntryCommand::Append if words.len() == ENTRY_WORDS => Some(Command::Append(Append {
                    list: match take(word, LIST_OFFSET, 1) {
                        0 => List::Priority,
                        _ => List::Overflow,
                    },
                    portal: take(word, INDEX_OFFSET, PORTAL_WIDTH) as u8,
                    counter: (take(word, COUNTS_OFFSET, 1) == 1)
                        .then_some(take(word, COUNTER_OFFSET, NUMBER_WIDTH) as u8),
                    source: take(words[2], SOURCE_OFFSET, SOURCE_RANK_WIDTH) as u16,
                    options: (words[2] >> OPTIONS_OFFSET) as u16,
                    start: take(words[3], LENGTH_OFFSET, LENGTH_WIDTH),
                    user: take(words[3], USER_OFFSET, USER_WIDTH) as u16,
                    length: words[4],
                    min_free: words[5],
                    match_bits: wide(6),
                    ignore_bits: wide(8),
                    user_pointer: words[10],
                    handle_address: words[11],
                })),
                EntryCommand::Unlink if words.len() == UNLINK_WORDS => Some(Command::Unlink(words[2])),
                command @ (EntryCommand::Search | EntryCommand::SearchDelete) if words.len() == SEARCH_WORDS => {
                    Some(Command::Search(Search {
                        deletes: command == EntryCommand::SearchDelete,
                        portal: take(word, INDEX_OFFSET, PORTAL_WIDTH) as u8,
                        source: take(words[2], SOURCE_OFFSET, SOURCE_RANK_WIDTH) as u16,
                        options: (words[2] >> OPTIONS_OFFSET) as u16,
                        length: words[4],
                        match_bits: wide(6),
                        ignore_bits: wide(8),
                        user_pointer: words[10],
                    }))
                }
                _ => None,
            },
            Opcode::Control => {
                let command = ControlCommand::from_code(take(word, COMMAND_OFFSET, COMMAND_WIDTH))?;
                let index = take(word, INDEX_OFFSET, PORTAL_WIDTH) as u8;
                let is_value = matches!(command, ControlCommand::Set | ControlCommand::Increment);
                if words.len()
                    != if is_value {
                        VALUE_CONTROL_WORDS
                    } else {
                        INDEX_CONTROL_WORDS
                    }
                {
                    return None;
                }
                Some(Command::Control(match command {
                    ControlCommand::Set => Control::Set {
                        counter: index,
                        success: words[2],
                        failure: words[3],
                    },
                    ControlCommand::Increment => Control::Increment {
                        counter: index,
                        success: words[2],
                        failure: words[3],
                    },
                    ControlCommand::Enable => Control::Enable(index),
                    ControlCommand::Disable => Control::Disable(index),
                    ControlCommand::Free => Control::Free(index),
                }))
            }
            _ => None,
        }
    }
}

const _: () = assert!(RANK_OFFSET + SOURCE_RANK_WIDTH <= 32 && RANK_WIDTH <= SOURCE_RANK_WIDTH);

#[cfg(test)]
mod tests {
    use super::*;

    fn reads_back(command: Command, words: usize) {
        let encoded = command.encode();
        assert_eq!(encoded.len(), words, "{command:?}");
        let opcode = command.opcode() as u8;
        assert_eq!(Command::decode(opcode, &encoded), Some(command));
        for wrong in [words - 1, words + 1] {
            let mut encoded = encoded.clone();
            encoded.resize(wrong, 0);
            assert_eq!(Command::decode(opcode, &encoded), None, "{command:?}, {wrong} words");
        }
    }

    #[test]
    fn descriptors_read_back_and_their_lengths_count() {
        let put = Move {
            operation: Operation::Put,
            ack: Ack::Count,
            portal: 0x41,
            descriptor: 63,
            rank: 0x1ff,
            local: 1,
            length: 2,
            remote: 3,
            match_bits: 4 << 32 | 5,
            user_pointer: 6,
            header_data: 7 << 32 | 8,
        };
        reads_back(Command::Move(put), PUT_WORDS);
        let (operation, header_data) = (Operation::Get, 0);
        reads_back(
            Command::Move(Move {
                operation,
                header_data,
                ..put
            }),
            GET_WORDS,
        );
        for (list, counter) in [(List::Priority, None), (List::Overflow, Some(63))] {
            let entry = Append {
                list,
                portal: 0x7f,
                counter,
                source: 0x1ff,
                options: 0xbeef,
                start: 0xf_ffff,
                user: 0xfff,
                length: 1,
                min_free: 2,
                match_bits: 3 << 32 | 4,
                ignore_bits: 5 << 32 | 6,
                user_pointer: 7,
                handle_address: 8,
            };
            reads_back(Command::Append(entry), ENTRY_WORDS);
        }
        reads_back(Command::Unlink(0xdead_beef), UNLINK_WORDS);
        for deletes in [false, true] {
            let search = Search {
                deletes,
                portal: 0x7f,
                source: 0x1ff,
                options: 0xbeef,
                length: 1,
                match_bits: 3 << 32 | 4,
                ignore_bits: 5 << 32 | 6,
                user_pointer: 7,
            };
            reads_back(Command::Search(search), SEARCH_WORDS);
        }
        for control in [Control::Enable(0x7f), Control::Disable(3), Control::Free(0x40)] {
            reads_back(Command::Control(control), INDEX_CONTROL_WORDS);
        }
        let (counter, success, failure) = (63, 1, 2);
        for control in [
            Control::Set {
                counter,
                success,
                failure,
            },
            Control::Increment {
                counter,
                success,
                failure,
            },
        ] {
            reads_back(Command::Control(control), VALUE_CONTROL_WORDS);
        }
        assert_eq!(Command::decode(Opcode::Move as u8, &[0, 2, 0, 0, 0, 0, 0, 0]), None);
        assert_eq!(Command::decode(Opcode::Control as u8, &[0, 7]), None);
        assert_eq!(Command::decode(Opcode::Put as u8, &[0; 4]), None);
    }
}
