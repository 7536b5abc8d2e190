//! What the micro-cores should send, told without hardware, for unit tests.

use super::testing::{memory_word, Job, NODE, UNBOUNDED};
use portico_spec::ni::{
    instruction::{FIRMWARE_WORDS, LOOPS, PROGRAM_WORDS},
    ErrorCode, SERVER_CONTEXT,
};

/// What comes of a job.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Outcome {
    /// Flits of each packet.
    pub packets: Vec<Vec<u64>>,
    pub notices: Vec<u64>,
    pub error: u64,
    pub owns_slot: bool,
    pub credits: usize,
}

/// A packet that is being filled.
struct Open {
    offset: u64,
    words: Vec<u64>,
    /// Rows with gaps that lie in it.
    rows: usize,
    /// It takes nothing that is not a row with gaps.
    sealed: bool,
}

/// Runs one job.
pub(super) struct Model<'a> {
    job: &'a Job,
    width: usize,
    /// Most payload of a packet that may be split.
    maximum: u64,
    registers: [u32; 16],
    offset: u64,
    row: u64,
    stride: u64,
    open: Option<Open>,
    ended: bool,
    /// The slot in the ADDRESS word, or the code of the error that breaks a get off.
    slot: u64,
    outcome: Outcome,
}

/// The field of an instruction from bit `at` on, `width` bits of it.
fn field(word: u32, at: u32, width: u32) -> u32 {
    (word >> at) & ((1 << width) - 1)
}

impl<'a> Model<'a> {
    /// What comes of `job` with this program behind the firmware.
    pub(super) fn outcome(job: &'a Job, program: &[u32], width: usize, maximum: u64) -> Outcome {
        let mut model = Model {
            job,
            width,
            maximum: if job.kind <= 2 { maximum } else { 64 },
            registers: [0; 16],
            offset: job.offset,
            row: job.row,
            stride: job.stride,
            open: None,
            ended: false,
            slot: job.slot,
            outcome: Outcome::default(),
        };
        for &(register, data) in &job.registers {
            model.registers[register as usize] = data;
        }
        let result = model.execute(program);
        model.close(false);
        model.outcome.error = result.err().map_or(0, |error| error as u64);
        if model.outcome.error > 0 && job.context == SERVER_CONTEXT as u64 {
            model.slot = model.outcome.error;
            model.open_at(model.offset);
            model.close(true);
        }
        model.outcome.owns_slot = job.has_slot && !model.ended;
        model.outcome
    }

    fn is_placed(&self) -> bool {
        !self.job.control && self.job.kind <= 1
    }

    fn execute(&mut self, program: &[u32]) -> Result<(), ErrorCode> {
        let mut loops: Vec<(usize, u32)> = vec![];
        let mut pc = self.job.pc as usize;
        loop {
            if pc >= PROGRAM_WORDS {
                return Err(ErrorCode::UnknownInstruction);
            }
            let word = *program.get(pc - FIRMWARE_WORDS).unwrap_or(&0);
            let operation = field(word, 0, 4);
            let a = field(word, 4, 4) as usize;
            let b = self.registers[field(word, 8, 4) as usize];
            let with_flags = (6..=8).contains(&operation);
            let immediate = (word as i32) >> 17;
            let operand = match field(word, 12, 2) {
                0 => b,
                1 => b & 0xffff,
                2 => b >> 16,
                _ if with_flags => 0,
                _ => immediate as u32,
            };
            let is_own = field(word, 12, 2) == 3 && immediate == -1;
            let ends = field(word, 14, 3) as usize;
            let [close, last, stop, swap] = [17, 18, 19, 20].map(|bit| with_flags && field(word, bit, 1) == 1);
            let is_loop = operation == 3;
            if operation > 12 || ends > loops.len() || is_loop && (ends > 0 || loops.len() == LOOPS) {
                return Err(ErrorCode::UnknownInstruction);
            }
            let ends_transfer = last && (close || operation == 8);
            let is_payload = operation == 7 || operation == 6 && self.row > 0;
            if self.ended && ends_transfer && !is_payload {
                return Err(ErrorCode::Ended);
            }
            match operation {
                0 => return Ok(()),
                1 => self.registers[a] = operand,
                2 => self.registers[a] = self.registers[a].wrapping_add(operand),
                3 => loops.push((
                    pc + 1,
                    if operand & 0xffff == 0 {
                        65_536
                    } else {
                        operand & 0xffff
                    },
                )),
                4 => {
                    self.close(false);
                    self.offset = u64::from(self.registers[a]).min(1 << 22);
                }
                5 => {
                    if self.open.as_ref().is_some_and(|open| open.sealed) {
                        self.close(false);
                    }
                    self.row = u64::from(self.registers[a] & 0xffff);
                    self.stride = u64::from(operand & 0xffff);
                }
                6 if self.row > 0 => {
                    self.run(u64::from(self.registers[a]))?;
                    self.registers[a] = self.registers[a].wrapping_add(operand);
                }
                7 => {
                    let data = self.registers[a];
                    self.literal(if swap { data.rotate_left(16) } else { data })?;
                }
                9 if !(is_own && self.job.quiet) => {
                    let event = if is_own {
                        self.job.event
                    } else {
                        u64::from(operand & 0x3f)
                    };
                    self.outcome.notices.push(event);
                }
                10..=12 => {
                    self.close(false);
                    self.outcome.credits += usize::from(operation == 11);
                }
                _ => {}
            }
            if close || operation == 8 {
                if self.open.is_none() && ends_transfer {
                    self.open_at(self.offset);
                }
                self.close(ends_transfer);
            }
            if stop {
                return Ok(());
            }
            pc += 1;
            for _ in 0..ends {
                let (first, left) = loops.last_mut().unwrap();
                *left -= 1;
                if *left > 0 {
                    pc = *first;
                    break;
                }
                loops.pop();
            }
        }
    }

    fn open_at(&mut self, offset: u64) {
        self.open = Some(Open {
            offset,
            words: vec![],
            rows: 0,
            sealed: false,
        });
    }

    fn room(&self) -> u64 {
        self.maximum - self.open.as_ref().map_or(0, |open| open.words.len() as u64)
    }

    fn check_sending(&self, offset: u64, words: u64) -> Result<(), ErrorCode> {
        let bound = if self.job.size == UNBOUNDED {
            1 << 22
        } else {
            self.job.size
        };
        if self.is_placed() && offset + words > bound {
            return Err(ErrorCode::OutOfSegment);
        }
        if self.ended {
            return Err(ErrorCode::Ended);
        }
        Ok(())
    }

    fn check_piece(&self, local: u64, remote: u64, words: u64) -> Result<(), ErrorCode> {
        if local + words > self.job.limit {
            let is_server = self.job.context == SERVER_CONTEXT as u64;
            return Err(if is_server {
                ErrorCode::OutOfWindow
            } else {
                ErrorCode::OutOfMemory
            });
        }
        self.check_sending(remote, words)
    }

    fn literal(&mut self, data: u32) -> Result<(), ErrorCode> {
        if self.room() == 0 || self.open.as_ref().is_some_and(|open| open.sealed) {
            self.close(false);
        }
        self.check_sending(self.offset, 1)?;
        if self.open.is_none() {
            self.open_at(self.offset);
        }
        self.open.as_mut().unwrap().words.push(data.into());
        self.offset += u64::from(self.is_placed());
        Ok(())
    }

    fn run(&mut self, pointer: u64) -> Result<(), ErrorCode> {
        let has_gaps = self.is_placed() && self.row != self.stride;
        let goes_whole = has_gaps && self.row <= self.maximum;
        let mut position = 0;
        while position < self.row {
            let room = self.room();
            let joins = self.open.as_ref().is_none_or(|open| match (has_gaps, goes_whole) {
                (false, _) => !open.sealed && room > 0,
                (true, true) => open.rows > 0 && self.row <= room,
                (true, false) => position > 0 && room > 0,
            });
            if !joins {
                self.close(false);
            }
            let chunk = self.room().min(self.row - position);
            let (local, remote) = (pointer + position, self.offset + position);
            if let Err(error) = self.check_piece(local, remote, chunk) {
                self.offset = remote;
                return Err(error);
            }
            if self.open.is_none() {
                self.open_at(remote);
            }
            let (width, base) = (self.width, self.job.base);
            let mask = if self.job.control { u32::MAX.into() } else { u64::MAX };
            let open = self.open.as_mut().unwrap();
            let words = (local..local + chunk).map(|address| memory_word(width, (base + address) % (1 << 22)) & mask);
            open.words.extend(words);
            open.rows += usize::from(goes_whole);
            position += chunk;
            open.sealed = has_gaps && position == self.row;
        }
        self.offset += if self.is_placed() { self.stride } else { 0 };
        Ok(())
    }

    fn close(&mut self, last: bool) {
        let Some(open) = self.open.take() else { return };
        let job = self.job;
        let mut flits = vec![job.destination | NODE << 9 | job.tag << 18 | job.kind << 26 | u64::from(last) << 29];
        let strided = open.rows > 1;
        if !job.bare {
            let flag = if job.kind == 3 { job.half } else { strided };
            flits.push(
                (open.offset % (1 << 22))
                    | (self.slot << 22)
                    | (u64::from(flag) << 27)
                    | (job.operation << 28)
                    | (u64::from(job.wide) << 31),
            );
        }
        if strided {
            flits.push(self.row | self.stride << 16);
        }
        flits.extend(open.words);
        self.outcome.packets.push(flits);
        self.ended |= last || job.control;
    }
}
