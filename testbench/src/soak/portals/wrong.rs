//! Commands of Portals that must be refused, each for one reason.

use super::{
    super::{device::SoakDevice, epoch::Epoch, operation::Operation, wrong::refused},
    entries::REFUSED,
    ABSENT, MAIN, SHORT_DESCRIPTOR, SHORT_LENGTH, SWITCHED, UNBOUND_DESCRIPTOR,
};
use portico_spec::{
    ni::{
        command::{Opcode, MAX_DESCRIPTOR_WORDS, QUIET_OFFSET},
        ErrorCode,
    },
    portals::{
        engine::{
            Ack, Append, Command, Control, Move, Operation as Transfer, Search, ANY_USER, COUNTERS, PORTALS,
            SOURCE_RANK_WIDTH,
        },
        list::List,
    },
};
use rand::{rngs::StdRng, seq::SliceRandom, Rng};

/// The reasons, but for places and handles: see the module `entries`.
const REASONS: [ErrorCode; 7] = [
    ErrorCode::UnknownOpcode,
    ErrorCode::Malformed,
    ErrorCode::UnknownIndex,
    ErrorCode::UnknownRank,
    ErrorCode::OutOfMemory,
    ErrorCode::UnknownEntry,
    ErrorCode::InUse,
];
/// Codes without a meaning begin here: of operations of moves, commands of entries, and control commands.
const FIRST_WITHOUT: [u32; 3] = [2, 4, 5];

impl<D: SoakDevice> Epoch<D> {
    /// A descriptor that the engine refuses; none if the round has no event left for it. The model does it.
    ///
    /// # Errors
    /// The model's.
    pub fn wrong_portals(&mut self, tile: usize, random: &mut StdRng) -> anyhow::Result<Option<Operation>> {
        let Some(event) = self.tiles[tile].single_event(&self.config) else {
            return Ok(None);
        };
        let (words, error) = match self.config.portals {
            0 => (self.any_words(random), ErrorCode::NotBuilt),
            _ => self.wrong_words(tile, random),
        };
        let operation = refused(words, event, error);
        self.model_portals(tile, &operation, None)?;
        Ok(Some(operation))
    }

    /// Any words with an opcode of the engine.
    fn any_words(&self, random: &mut StdRng) -> Vec<u32> {
        let mut words: Vec<u32> = (0..random.gen_range(1..=MAX_DESCRIPTOR_WORDS))
            .map(|_| random.gen())
            .collect();
        words[0] = random.gen_range(Opcode::Move as u32..=Opcode::Control as u32);
        words
    }

    fn wrong_words(&self, tile: usize, random: &mut StdRng) -> (Vec<u32>, ErrorCode) {
        let error = *REASONS.choose(random).expect("there are reasons");
        let memory = (self.config.scratchpad << 10) as u32;
        let handles = self.site.portals.tiles[self.rank(tile)].handles;
        let unwritten = handles.base + 4 * REFUSED as u32;
        let request = Move {
            operation: *Transfer::ALL.choose(random).expect("there are some"),
            ack: *Ack::ALL.choose(random).expect("there are some"),
            portal: MAIN,
            descriptor: SHORT_DESCRIPTOR,
            rank: 0,
            local: 0,
            length: 0,
            remote: random.gen(),
            match_bits: random.gen(),
            user_pointer: random.gen(),
            header_data: random.gen(),
        };
        let entry = Append {
            list: List::Priority,
            portal: MAIN,
            counter: None,
            source: 0,
            options: random.gen(),
            start: 0,
            user: ANY_USER,
            length: 4,
            min_free: random.gen(),
            match_bits: random.gen(),
            ignore_bits: random.gen(),
            user_pointer: random.gen(),
            handle_address: unwritten,
        };
        let command = match error {
            ErrorCode::UnknownOpcode => {
                let mut words = self.any_words(random);
                words[0] = Opcode::Control as u32 + 1;
                return (words, error);
            }
            ErrorCode::Malformed => return (self.malformed(request, entry, random), error),
            ErrorCode::UnknownIndex => match random.gen_range(0..5) {
                0 => Command::Move(Move {
                    descriptor: UNBOUND_DESCRIPTOR,
                    ..request
                }),
                1 => Command::Append(Append {
                    portal: ABSENT,
                    ..entry
                }),
                2 => Command::Search(Search {
                    portal: ABSENT,
                    ..search(random)
                }),
                3 => Command::Control(Control::Increment {
                    counter: random.gen_range(COUNTERS..PORTALS) as u8,
                    success: 1,
                    failure: 1,
                }),
                _ => Command::Control(
                    *[Control::Enable(ABSENT), Control::Disable(ABSENT), Control::Free(ABSENT)]
                        .choose(random)
                        .expect("there are some"),
                ),
            },
            ErrorCode::UnknownRank => {
                let ranks = self.site.portals.ranks.len() as u16;
                Command::Move(Move {
                    rank: random.gen_range(ranks..1 << SOURCE_RANK_WIDTH),
                    ..request
                })
            }
            ErrorCode::OutOfMemory => match random.gen_range(0..5) {
                0 => Command::Move(Move {
                    length: random.gen_range(SHORT_LENGTH + 1..=101),
                    ..request
                }),
                1 => Command::Move(Move {
                    local: random.gen_range(SHORT_LENGTH + 1..=u32::MAX),
                    ..request
                }),
                2 => Command::Move(Move {
                    length: u32::MAX - random.gen_range(0..4),
                    local: random.gen_range(0..8),
                    ..request
                }),
                3 => Command::Append(Append {
                    length: memory + 1,
                    ..entry
                }),
                _ => Command::Append(Append {
                    handle_address: memory + 4 * random.gen_range(0..1 << 20),
                    ..entry
                }),
            },
            ErrorCode::UnknownEntry => Command::Unlink(u32::MAX - random.gen_range(0..4)),
            // Its lasting entry is there.
            _ => Command::Control(Control::Free(SWITCHED)),
        };
        (words(command, random), error)
    }

    /// A command with a wrong number of words, a code without a meaning, or a handle between two words.
    fn malformed(&self, request: Move, entry: Append, random: &mut StdRng) -> Vec<u32> {
        let indices = [Control::Enable(MAIN), Control::Disable(MAIN), Control::Free(MAIN)];
        let commands = [
            Command::Move(request),
            Command::Append(entry),
            Command::Unlink(0),
            Command::Search(search(random)),
            Command::Control(*indices.choose(random).expect("there are some")),
            Command::Control(Control::Set {
                counter: 0,
                success: 0,
                failure: 0,
            }),
        ];
        let command = *commands.choose(random).expect("there are some");
        let mut words = words(command, random);
        match random.gen_range(0..3) {
            0 => {
                let others = (1..=MAX_DESCRIPTOR_WORDS).filter(|&count| count != words.len());
                let others: Vec<usize> = others.collect();
                words.resize_with(*others.choose(random).expect("there are some"), || random.gen());
            }
            1 => {
                let first = FIRST_WITHOUT[command.opcode() as usize - Opcode::Move as usize];
                words[1] = words[1] & !7 | random.gen_range(first..8);
            }
            _ => {
                let handle_address = entry.handle_address - random.gen_range(1..4);
                words = self::words(
                    Command::Append(Append {
                        handle_address,
                        ..entry
                    }),
                    random,
                );
            }
        }
        words
    }
}

/// A search of the index of pairs, where no header is.
fn search(random: &mut StdRng) -> Search {
    Search {
        deletes: random.gen(),
        portal: MAIN,
        source: random.gen_range(0..1 << SOURCE_RANK_WIDTH),
        options: random.gen(),
        length: random.gen(),
        match_bits: random.gen(),
        ignore_bits: random.gen(),
        user_pointer: random.gen(),
    }
}

/// The words of a command; quiet or not, errors always count.
fn words(command: Command, random: &mut StdRng) -> Vec<u32> {
    let mut words = command.encode();
    words[0] = command.opcode() as u32 | random.gen_range(0..2) << QUIET_OFFSET;
    words
}
