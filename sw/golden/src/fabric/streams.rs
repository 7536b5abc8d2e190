//! The streams of a tile, without time: a send runs until its words are taken, a receive until its words are given.

use std::collections::VecDeque;

use portico_spec::{
    ni::{
        command::{opcode, Opcode},
        packet::{ROW_WIDTH, STRIDE_OFFSET, STRIDE_WIDTH},
        registers::StreamRegister,
        ErrorCode,
    },
    streams::{Beat, EACH_ROW_OFFSET, RECEIVE_WORDS, RUNNING_OFFSET, SEND_WORDS, WAITING, WAITING_OFFSET},
};

use super::{
    bits::{bit, field},
    command_queue::CommandQueue,
    descriptor::Common,
    memory::Memory,
};

/// What the engine has done.
#[derive(Debug)]
pub(super) enum StreamsStep {
    /// A descriptor or a word has moved.
    Moves,
    /// A descriptor is over, or refused.
    Ends(Common, Option<ErrorCode>),
}

/// Rows of words, in words of the fabric; a receive is one row.
#[derive(Clone, Copy, Debug)]
struct Rows {
    address: u32,
    row: u32,
    rows: u32,
    stride: u32,
    each_row: bool,
}

impl Rows {
    /// Behind the last word.
    fn end(&self) -> u64 {
        u64::from(self.address) + u64::from(self.rows - 1) * u64::from(self.stride) + u64::from(self.row)
    }

    fn words(&self) -> u64 {
        u64::from(self.row) * u64::from(self.rows)
    }

    /// Address of the word of this number.
    fn place(&self, number: u64) -> u32 {
        let (row, column) = (number / u64::from(self.row), number % u64::from(self.row));
        self.address + row as u32 * self.stride + column as u32
    }

    /// Whether the word of this number has `tlast`.
    fn is_last(&self, number: u64) -> bool {
        number + 1 == self.words() || self.each_row && (number + 1).is_multiple_of(u64::from(self.row))
    }
}

/// A descriptor that runs or waits.
#[derive(Clone, Copy, Debug)]
struct Move {
    common: Common,
    rows: Rows,
    moved: u64,
}

/// The descriptors of a direction, the one that runs first.
#[derive(Clone, Debug, Default)]
struct Direction {
    moves: VecDeque<Move>,
    /// Words of the last that ended.
    words: u32,
}

impl Direction {
    fn status(&self) -> u32 {
        let waiting = self.moves.len().saturating_sub(1) as u32;
        u32::from(!self.moves.is_empty()) << RUNNING_OFFSET | waiting << WAITING_OFFSET
    }

    /// The one that runs is over; gives its event.
    fn end(&mut self) -> Common {
        let Move { common, moved, .. } = self.moves.pop_front().expect("one runs");
        self.words = moved as u32;
        common
    }
}

/// Both directions, and what the accelerator beside the tile has given.
#[derive(Clone, Debug)]
pub(super) struct Streams {
    word_bytes: u32,
    commands: CommandQueue,
    sends: Direction,
    receives: Direction,
    coming: VecDeque<Beat>,
}

impl Streams {
    /// An engine after reset, in a fabric with words of so many bytes.
    pub fn new(word_bytes: u32) -> Streams {
        Streams {
            word_bytes,
            commands: CommandQueue::default(),
            sends: Direction::default(),
            receives: Direction::default(),
            coming: VecDeque::new(),
        }
    }

    /// The queue of its descriptors.
    pub fn commands(&mut self) -> &mut CommandQueue {
        &mut self.commands
    }

    /// Whether no descriptor runs or waits.
    pub fn is_idle(&self) -> bool {
        self.commands.is_empty() && self.sends.moves.is_empty() && self.receives.moves.is_empty()
    }

    /// Does one thing; nothing if it waits for the accelerator.
    pub fn step(&mut self, memory: &mut Memory) -> Option<StreamsStep> {
        if let Some(words) = self.commands.pop() {
            return Some(match self.post(&words, memory.words()) {
                Ok(()) => StreamsStep::Moves,
                Err(error) => StreamsStep::Ends(Common::of(words[0]), Some(error)),
            });
        }
        let receive = self.receives.moves.front_mut()?;
        let (word, last) = self.coming.pop_front()?;
        memory.write(receive.rows.place(receive.moved), word);
        receive.moved += 1;
        if last || receive.moved == receive.rows.words() {
            return Some(StreamsStep::Ends(self.receives.end(), None));
        }
        Some(StreamsStep::Moves)
    }

    /// Words of the accelerator: they wait for receives.
    pub fn give(&mut self, beats: &[Beat]) {
        self.coming.extend(beats);
    }

    /// The next word for the accelerator, and the event of its send if it is the last; none if no send runs. A word is read as it
    /// leaves.
    pub fn take(&mut self, memory: &Memory) -> Option<(Beat, Option<Common>)> {
        let send = self.sends.moves.front_mut()?;
        let (place, last) = (send.rows.place(send.moved), send.rows.is_last(send.moved));
        send.moved += 1;
        let is_over = send.moved == send.rows.words();
        let ended = is_over.then(|| self.sends.end());
        Some(((memory.read(place), last), ended))
    }

    /// Lets a descriptor run or wait.
    ///
    /// # Errors
    /// Why it is refused.
    fn post(&mut self, words: &[u32], memory_words: u64) -> Result<(), ErrorCode> {
        let (direction, rows) = match (Opcode::from_code(opcode(words[0]).into()), words.len()) {
            (Some(Opcode::Send), SEND_WORDS) => {
                let rows = Rows {
                    address: words[1] / self.word_bytes,
                    row: field(words[2], 0, ROW_WIDTH),
                    rows: field(words[2], STRIDE_OFFSET, ROW_WIDTH),
                    stride: field(words[3], 0, STRIDE_WIDTH),
                    each_row: bit(words[3], EACH_ROW_OFFSET),
                };
                (&mut self.sends, rows)
            }
            (Some(Opcode::Receive), RECEIVE_WORDS) => {
                let rows = Rows {
                    address: words[1] / self.word_bytes,
                    row: words[2],
                    rows: 1,
                    stride: 0,
                    each_row: false,
                };
                (&mut self.receives, rows)
            }
            (Some(Opcode::Send | Opcode::Receive), _) => return Err(ErrorCode::Malformed),
            _ => return Err(ErrorCode::UnknownOpcode),
        };
        if !words[1].is_multiple_of(self.word_bytes) || rows.words() == 0 {
            return Err(ErrorCode::Malformed);
        }
        if rows.end() > memory_words {
            return Err(ErrorCode::OutOfMemory);
        }
        if direction.moves.len() > WAITING {
            return Err(ErrorCode::CommandFull);
        }
        direction.moves.push_back(Move {
            common: Common::of(words[0]),
            rows,
            moved: 0,
        });
        Ok(())
    }

    /// A register of the block.
    pub fn read(&self, register: StreamRegister) -> u32 {
        match register {
            StreamRegister::SendStatus => self.sends.status(),
            StreamRegister::SendWords => self.sends.words,
            StreamRegister::ReceiveStatus => self.receives.status(),
            StreamRegister::ReceiveWords => self.receives.words,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEND: u32 = Opcode::Send as u32;
    const RECEIVE: u32 = Opcode::Receive as u32;

    fn memory() -> Memory {
        Memory::Scratchpad((0..64).collect())
    }

    /// Posts a descriptor; the error with which it ends at once.
    fn post(streams: &mut Streams, memory: &mut Memory, words: &[u32]) -> Option<ErrorCode> {
        streams.commands().push(words.to_vec());
        match streams.step(memory) {
            Some(StreamsStep::Ends(_, error)) => error,
            _ => None,
        }
    }

    fn taken(streams: &mut Streams, memory: &Memory) -> Vec<Beat> {
        std::iter::from_fn(|| streams.take(memory).map(|(beat, _)| beat)).collect()
    }

    #[test]
    fn rows_leave_with_tlast_at_the_end_or_at_each() {
        let (mut streams, mut memory) = (Streams::new(4), memory());
        for (flag, lasts) in [(0, [false, false, false, true]), (1 << 16, [false, true, false, true])] {
            assert_eq!(post(&mut streams, &mut memory, &[SEND, 8, 2 << 16 | 2, flag | 5]), None);
            assert_eq!(streams.read(StreamRegister::SendStatus), 1);
            let expected: Vec<Beat> = [2, 3, 7, 8].into_iter().zip(lasts).collect();
            assert_eq!(taken(&mut streams, &memory), expected);
        }
        assert_eq!(streams.read(StreamRegister::SendWords), 4);
        assert!(streams.is_idle());
    }

    #[test]
    fn words_go_where_receives_say_and_the_rest_waits() {
        let (mut streams, mut memory) = (Streams::new(8), memory());
        streams.give(&[(70, false), (71, true), (72, false), (73, false)]);
        assert!(streams.step(&mut memory).is_none());
        post(&mut streams, &mut memory, &[RECEIVE, 80, 3]);
        while streams.step(&mut memory).is_some() {}
        assert_eq!(streams.read(StreamRegister::ReceiveWords), 2);
        post(&mut streams, &mut memory, &[RECEIVE, 160, 1]);
        while streams.step(&mut memory).is_some() {}
        assert_eq!([10, 11, 12, 20, 21].map(|at| memory.read(at)), [70, 71, 12, 72, 21]);
        assert_eq!(streams.coming.len(), 1);
    }

    #[test]
    fn what_is_wrong_or_one_too_many_is_refused() {
        let (mut streams, mut memory) = (Streams::new(4), memory());
        for (words, error) in [
            (vec![30, 0, 1], ErrorCode::UnknownOpcode),
            (vec![SEND, 0, 1 << 16 | 1], ErrorCode::Malformed),
            (vec![SEND, 2, 1 << 16 | 1, 0], ErrorCode::Malformed),
            (vec![SEND, 0, 1 << 16, 0], ErrorCode::Malformed),
            (vec![SEND, 0, 1, 0], ErrorCode::Malformed),
            (vec![RECEIVE, 0, 0], ErrorCode::Malformed),
            (vec![SEND, 0, 2 << 16 | 1, 64], ErrorCode::OutOfMemory),
            (vec![SEND, 0, 0xffff << 16 | 0xffff, 0xffff], ErrorCode::OutOfMemory),
            (vec![RECEIVE, 252, 2], ErrorCode::OutOfMemory),
        ] {
            assert_eq!(post(&mut streams, &mut memory, &words), Some(error), "{words:x?}");
        }
        for words in [[SEND, 0, 1 << 16 | 1, 0].to_vec(), [RECEIVE, 0, 1].to_vec()] {
            for _ in 0..3 {
                assert_eq!(post(&mut streams, &mut memory, &words), None);
            }
            assert_eq!(post(&mut streams, &mut memory, &words), Some(ErrorCode::CommandFull));
        }
        assert_eq!(streams.read(StreamRegister::SendStatus), 0b101);
        assert_eq!(streams.read(StreamRegister::ReceiveStatus), 0b101);
    }
}
