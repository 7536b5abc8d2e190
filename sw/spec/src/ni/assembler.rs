//! Programs for the micro-cores, from text.
//!
//! One instruction a line; `;` and `#` begin a comment; case does not matter. An instruction is its mnemonic, then its
//! operands and flags with commas between them, then `!end` if it is the last of a loop's body (`!end2` to `!end4` if of
//! several).
//!
//! | instruction | operands | flags |
//! | --- | --- | --- |
//! | `stop`, `credit`, `fence` | | |
//! | `set`, `add` | register, value -16,384..=16,383 | |
//! | `loop` | rounds 0..=16,383, 0 for 65,536 | |
//! | `to` | register | |
//! | `shape` | register, stride 0..=16,383 | |
//! | `run` | register, optionally `+` and what to add to it | `close`, `last`, `stop` |
//! | `word` | register | `swap`, `close`, `last`, `stop` |
//! | `close` | | `last`, `stop` |
//! | `notify` | event 0..=63, or `own` | |
//! | `wait` | event 0..=63 | |
//!
//! Registers are `r0` to `r15`, their halves `r3.l` and `r3.h`. Wherever a number may stand, a register or a half may
//! too; after the `+` of `run` only those may.
//!
//! ```
//! use portico_spec::ni::assembler::assemble;
//!
//! let words = assemble("
//!     loop r3.h               ; as many rows as the descriptor says
//!         run r2, +r4.l !end  ; each from the local pointer, which then moves on
//!     close last, stop
//! ")?;
//! assert_eq!(words.len(), 3);
//!
//! let error = assemble("lop r3.h").unwrap_err();
//! assert_eq!(error.to_string(), "line 1, column 1: unknown mnemonic \"lop\": did you mean loop?");
//! # Ok::<(), portico_spec::ni::assembler::AssemblyError>(())
//! ```

use std::ops::RangeInclusive;

pub use self::error::{AssemblyError, Fault};
use self::line::{Line, Token};
use super::{
    instruction::{Action, Closing, Half, Instruction, Op, Operand, Part, Register, REGISTERS},
    program,
};

mod error;
mod line;

/// Assembles a program, or several in a row that each end with a stop, and checks it ([`program::check`]).
///
/// # Errors
/// The first thing that is wrong, with its line and column.
pub fn assemble(text: &str) -> Result<Vec<u32>, AssemblyError> {
    let mut instructions = Vec::new();
    let mut places = Vec::new();
    for (at, text) in text.lines().enumerate() {
        let Some(line) = Line::read(at + 1, text)? else {
            continue;
        };
        places.push((line.mnemonic.line, line.mnemonic.column));
        instructions.push(instruction(line)?);
    }
    program::check(&instructions).map_err(|error| {
        let (line, column) = error.at().map_or((1, 1), |at| places[at]);
        let fault = Fault::Program(error);
        AssemblyError { line, column, fault }
    })?;
    let encoded = instructions.iter().map(Instruction::encode);
    Ok(encoded.map(|word| word.expect("every field was checked")).collect())
}

fn instruction(line: Line) -> Result<Instruction, AssemblyError> {
    let Line { mnemonic, items, ends } = line;
    let op = Op::ALL
        .iter()
        .copied()
        .find(|op| op.name() == mnemonic.text)
        .ok_or_else(|| mnemonic.fault(Fault::unknown_mnemonic(&mnemonic.text)))?;
    let mut items = Items {
        op,
        mnemonic: &mnemonic,
        rest: &items,
    };
    let action = items.action()?;
    items.finish()?;
    Ok(Instruction { action, ends })
}

/// The operands and flags of one instruction that are not yet read.
struct Items<'a> {
    op: Op,
    mnemonic: &'a Token,
    rest: &'a [Token],
}

impl<'a> Items<'a> {
    fn action(&mut self) -> Result<Action, AssemblyError> {
        Ok(match self.op {
            Op::Stop => Action::Stop,
            Op::Set => Action::Set {
                to: self.register("register to set")?,
                value: self.operand("value")?,
            },
            Op::Add => Action::Add {
                to: self.register("register to add to")?,
                value: self.operand("value")?,
            },
            Op::Loop => Action::Loop {
                rounds: self.operand("number of rounds")?,
            },
            Op::To => Action::To {
                offset: self.register("register with the offset")?,
            },
            Op::Shape => Action::Shape {
                row: self.register("register with the row")?,
                stride: self.operand("stride")?,
            },
            Op::Run => {
                let pointer = self.register("register with the local address")?;
                let advance = self.advance()?;
                let [close, last, stop] = self.flags(["close", "last", "stop"])?;
                Action::Run {
                    pointer,
                    advance,
                    closing: self.closing(close, last)?,
                    stop,
                }
            }
            Op::Word => {
                let register = self.register("register to send")?;
                let [swap, close, last, stop] = self.flags(["swap", "close", "last", "stop"])?;
                Action::Word {
                    register,
                    swap,
                    closing: self.closing(close, last)?,
                    stop,
                }
            }
            Op::Close => {
                let [last, stop] = self.flags(["last", "stop"])?;
                Action::Close { last, stop }
            }
            Op::Notify if self.rest.first().is_some_and(|item| item.text == "own") => {
                self.rest = &self.rest[1..];
                Action::NotifyOwn
            }
            Op::Notify => Action::Notify {
                event: self.operand("event, or own")?,
            },
            Op::Wait => Action::Wait {
                event: self.operand("event")?,
            },
            Op::Credit => Action::Credit,
            Op::Fence => Action::Fence,
        })
    }

    fn next(&mut self, what: &'static str) -> Result<&'a Token, AssemblyError> {
        let mnemonic = self.op.name();
        let (item, rest) = self
            .rest
            .split_first()
            .ok_or_else(|| self.mnemonic.fault(Fault::Missing { mnemonic, what }))?;
        self.rest = rest;
        Ok(item)
    }

    fn finish(&self) -> Result<(), AssemblyError> {
        match self.rest.first() {
            None => Ok(()),
            Some(item) => Err(item.fault(Fault::Unexpected {
                text: item.text.clone(),
                mnemonic: self.op.name(),
            })),
        }
    }

    fn register(&mut self, what: &'static str) -> Result<Register, AssemblyError> {
        let item = self.next(what)?;
        match part(item, &item.text)? {
            Some(Part {
                register,
                half: Half::Whole,
            }) => Ok(register),
            _ => Err(item.fault(Fault::NotARegister {
                text: item.text.clone(),
                what,
            })),
        }
    }

    fn operand(&mut self, what: &'static str) -> Result<Operand, AssemblyError> {
        let item = self.next(what)?;
        if let Some(part) = part(item, &item.text)? {
            return Ok(Operand::Part(part));
        }
        number(item, what, self.op.immediates()).map(Operand::Immediate)
    }

    fn advance(&mut self) -> Result<Option<Part>, AssemblyError> {
        let Some((item, rest)) = self.rest.split_first() else {
            return Ok(None);
        };
        let Some(added) = item.text.strip_prefix('+') else {
            return Ok(None);
        };
        self.rest = rest;
        let part = part(item, added)?;
        part.map(Some).ok_or_else(|| {
            item.fault(Fault::NotAPart {
                text: item.text.clone(),
            })
        })
    }

    /// Each flag at most once, in any order.
    fn flags<const N: usize>(&mut self, names: [&'static str; N]) -> Result<[bool; N], AssemblyError> {
        let mut set = [false; N];
        for item in std::mem::take(&mut self.rest) {
            let at = names
                .iter()
                .position(|name| *name == item.text)
                .ok_or_else(|| item.fault(Fault::unknown_flag(&item.text, self.op.name(), &names)))?;
            if std::mem::replace(&mut set[at], true) {
                return Err(item.fault(Fault::Twice { flag: names[at] }));
            }
        }
        Ok(set)
    }

    fn closing(&self, close: bool, last: bool) -> Result<Closing, AssemblyError> {
        match (close, last) {
            (false, false) => Ok(Closing::Open),
            (true, false) => Ok(Closing::Close),
            (true, true) => Ok(Closing::Last),
            (false, true) => Err(self.mnemonic.fault(Fault::LastWithoutClose)),
        }
    }
}

/// A register or a half of one; none if the text does not begin like one.
fn part(item: &Token, text: &str) -> Result<Option<Part>, AssemblyError> {
    let Some(rest) = text.strip_prefix('r') else {
        return Ok(None);
    };
    let (digits, half) = match rest.split_once('.') {
        None => (rest, Some(Half::Whole)),
        Some((digits, "l")) => (digits, Some(Half::Low)),
        Some((digits, "h")) => (digits, Some(Half::High)),
        Some((digits, _)) => (digits, None),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(None);
    }
    let half = half.ok_or_else(|| item.fault(Fault::UnknownHalf { text: text.to_string() }))?;
    let register = digits.parse().ok().and_then(Register::new).ok_or_else(|| {
        item.fault(Fault::OutOfRange {
            what: "register",
            value: digits.to_string(),
            first: 0,
            last: REGISTERS as i16 - 1,
        })
    })?;
    Ok(Some(Part { register, half }))
}

fn number(item: &Token, what: &'static str, allowed: RangeInclusive<i16>) -> Result<i16, AssemblyError> {
    let (sign, digits) = match item.text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, &*item.text),
    };
    let (radix, digits) = match digits.strip_prefix("0x") {
        Some(digits) => (16, digits),
        None => (10, digits),
    };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return Err(item.fault(Fault::NotAnOperand {
            text: item.text.clone(),
            what,
        }));
    }
    // What is beyond every integer is beyond the range too.
    let value = i64::from_str_radix(digits, radix).ok().map(|value| sign * value);
    value
        .and_then(|value| i16::try_from(value).ok())
        .filter(|value| allowed.contains(value))
        .ok_or_else(|| {
            item.fault(Fault::OutOfRange {
                what,
                value: item.text.clone(),
                first: *allowed.start(),
                last: *allowed.end(),
            })
        })
}

#[cfg(test)]
mod tests;
