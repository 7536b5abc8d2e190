//! Instructions as words of the program memory.

use thiserror::Error;

use super::{
    Action, Closing, Half, Instruction, Mode, Op, Operand, Part, Register, A_OFFSET, B_OFFSET, CLOSE_OFFSET,
    ENDS_OFFSET, ENDS_WIDTH, IMMEDIATE_OFFSET, LAST_OFFSET, LOOPS, MODE_OFFSET, MODE_WIDTH, OP_OFFSET, OP_WIDTH,
    REGISTER_WIDTH, STOP_OFFSET, SWAP_OFFSET,
};

/// An instruction that has no encoding, or a word that is no instruction.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum InstructionError {
    /// No operation has this code.
    #[error(
        "{word:#010x} is not an instruction: operation {op} is not allowed: allowed is 0..={max}",
        max = Op::ALL.len() - 1
    )]
    UnknownOp {
        /// The word.
        word: u32,
        /// Its operation.
        op: u32,
    },
    /// An immediate that the operation does not take.
    #[error("immediate {value} of {op} is not allowed: allowed is {first}..={last}")]
    Immediate {
        /// Mnemonic of the operation.
        op: &'static str,
        /// The immediate.
        value: i16,
        /// Smallest allowed.
        first: i16,
        /// Largest allowed.
        last: i16,
    },
    /// More loops than can be open.
    #[error("ends = {ends} is not allowed: allowed is 0..={LOOPS}")]
    Ends {
        /// How many loops should end.
        ends: u8,
    },
    /// The flag for the end of a transfer without the one that closes the packet.
    #[error("{word:#010x} is not an instruction: {op} has last without close")]
    LastWithoutClose {
        /// The word.
        word: u32,
        /// Mnemonic of the operation.
        op: &'static str,
    },
}

/// An immediate of -1: the event of the command.
const OWN_EVENT: i16 = -1;

impl Instruction {
    /// The instruction as a word of the program memory. What it does not use is zero; without an operand b, the mode is
    /// [`Mode::Immediate`].
    ///
    /// # Errors
    /// [`InstructionError::Immediate`], [`InstructionError::Ends`].
    pub fn encode(&self) -> Result<u32, InstructionError> {
        let op = self.action.op();
        if usize::from(self.ends) > LOOPS {
            return Err(InstructionError::Ends { ends: self.ends });
        }
        let none = (Mode::Immediate as u32) << MODE_OFFSET;
        let a = |register: Register| u32::from(register.0) << A_OFFSET;
        let b = |operand: Operand| match operand {
            Operand::Part(part) => Ok(encode_part(part)),
            Operand::Immediate(value) => {
                check_immediate(op, value)?;
                Ok(none | encode_immediate(value))
            }
        };
        let operands = match self.action {
            Action::Stop | Action::Credit | Action::Fence => none,
            Action::Set { to, value } | Action::Add { to, value } => a(to) | b(value)?,
            Action::Loop { rounds } => b(rounds)?,
            Action::To { offset } => a(offset) | none,
            Action::Shape { row, stride } => a(row) | b(stride)?,
            Action::Run {
                pointer,
                advance,
                closing,
                stop,
            } => a(pointer) | advance.map_or(none, encode_part) | encode_flags(closing, stop),
            Action::Word {
                register,
                swap,
                closing,
                stop,
            } => a(register) | none | encode_flags(closing, stop) | u32::from(swap) << SWAP_OFFSET,
            Action::Close { last, stop } => {
                none | encode_flags(if last { Closing::Last } else { Closing::Close }, stop)
            }
            Action::NotifyOwn => none | encode_immediate(OWN_EVENT),
            Action::Notify { event } | Action::Wait { event } => b(event)?,
        };
        Ok((op as u32) << OP_OFFSET | u32::from(self.ends) << ENDS_OFFSET | operands)
    }

    /// What a word of the program memory tells a micro-core; bits that the operation does not use are ignored, as the
    /// hardware does.
    ///
    /// # Errors
    /// Any [`InstructionError`].
    pub fn decode(word: u32) -> Result<Instruction, InstructionError> {
        let field = |offset: usize, width: usize| word >> offset & ((1 << width) - 1);
        let flag = |offset: usize| field(offset, 1) == 1;
        let register = |offset: usize| Register(field(offset, REGISTER_WIDTH) as u8);
        let code = field(OP_OFFSET, OP_WIDTH);
        let op = Op::from_code(code).ok_or(InstructionError::UnknownOp { word, op: code })?;
        let ends = field(ENDS_OFFSET, ENDS_WIDTH) as u8;
        if usize::from(ends) > LOOPS {
            return Err(InstructionError::Ends { ends });
        }

        let a = register(A_OFFSET);
        let mode = field(MODE_OFFSET, MODE_WIDTH);
        let half = [Half::Whole, Half::Low, Half::High].get(mode as usize).copied();
        let part = half.map(|half| Part {
            register: register(B_OFFSET),
            half,
        });
        let immediate = (word as i32 >> IMMEDIATE_OFFSET) as i16;
        let b = || match part {
            Some(part) => Ok(Operand::Part(part)),
            None => check_immediate(op, immediate).map(|()| Operand::Immediate(immediate)),
        };
        let closing = || match (flag(CLOSE_OFFSET), flag(LAST_OFFSET)) {
            (true, true) => Ok(Closing::Last),
            (true, false) => Ok(Closing::Close),
            (false, false) => Ok(Closing::Open),
            (false, true) => Err(InstructionError::LastWithoutClose { word, op: op.name() }),
        };
        let stop = flag(STOP_OFFSET);
        let action = match op {
            Op::Stop => Action::Stop,
            Op::Set => Action::Set { to: a, value: b()? },
            Op::Add => Action::Add { to: a, value: b()? },
            Op::Loop => Action::Loop { rounds: b()? },
            Op::To => Action::To { offset: a },
            Op::Shape => Action::Shape { row: a, stride: b()? },
            Op::Run => Action::Run {
                pointer: a,
                advance: part,
                closing: closing()?,
                stop,
            },
            Op::Word => Action::Word {
                register: a,
                swap: flag(SWAP_OFFSET),
                closing: closing()?,
                stop,
            },
            Op::Close => Action::Close {
                last: flag(LAST_OFFSET),
                stop,
            },
            Op::Notify if part.is_none() && immediate == OWN_EVENT => Action::NotifyOwn,
            Op::Notify => Action::Notify { event: b()? },
            Op::Wait => Action::Wait { event: b()? },
            Op::Credit => Action::Credit,
            Op::Fence => Action::Fence,
        };
        Ok(Instruction { action, ends })
    }
}

fn encode_part(part: Part) -> u32 {
    let mode = match part.half {
        Half::Whole => Mode::Register,
        Half::Low => Mode::Low,
        Half::High => Mode::High,
    };
    u32::from(part.register.0) << B_OFFSET | (mode as u32) << MODE_OFFSET
}

fn encode_immediate(value: i16) -> u32 {
    (value as u32) << IMMEDIATE_OFFSET
}

fn encode_flags(closing: Closing, stop: bool) -> u32 {
    u32::from(closing != Closing::Open) << CLOSE_OFFSET
        | u32::from(closing == Closing::Last) << LAST_OFFSET
        | u32::from(stop) << STOP_OFFSET
}

fn check_immediate(op: Op, value: i16) -> Result<(), InstructionError> {
    let allowed = op.immediates();
    if allowed.contains(&value) {
        return Ok(());
    }
    Err(InstructionError::Immediate {
        op: op.name(),
        value,
        first: *allowed.start(),
        last: *allowed.end(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ni::instruction::testing::instructions;
    use proptest::prelude::*;

    fn of(action: Action) -> Instruction {
        Instruction { action, ends: 0 }
    }

    #[test]
    fn there_are_sixteen_registers() {
        assert_eq!(Register::new(15).map(Register::number), Some(15));
        assert_eq!(Register::new(16), None);
    }

    #[test]
    fn what_has_no_encoding_is_refused() {
        let refused = |instruction: Instruction| instruction.encode().unwrap_err().to_string();
        let value = |value| Action::Set {
            to: Register(1),
            value: Operand::Immediate(value),
        };
        assert!(of(value(-16384)).encode().is_ok() && of(value(16383)).encode().is_ok());
        assert_eq!(
            refused(of(value(16384))),
            "immediate 16384 of set is not allowed: allowed is -16384..=16383"
        );
        let event = Operand::Immediate(64);
        assert_eq!(
            refused(of(Action::Wait { event })),
            "immediate 64 of wait is not allowed: allowed is 0..=63"
        );
        let rounds = Operand::Immediate(-1);
        assert_eq!(
            refused(of(Action::Loop { rounds })),
            "immediate -1 of loop is not allowed: allowed is 0..=16383"
        );
        let ends = Instruction {
            action: Action::Fence,
            ends: 5,
        };
        assert_eq!(refused(ends), "ends = 5 is not allowed: allowed is 0..=4");
    }

    #[test]
    fn words_that_are_no_instruction_are_refused() {
        let refused = |word: u32| Instruction::decode(word).unwrap_err().to_string();
        assert_eq!(
            refused(0xd),
            "0x0000000d is not an instruction: operation 13 is not allowed: allowed is 0..=12"
        );
        assert_eq!(
            refused(7 | 1 << LAST_OFFSET),
            "0x00040007 is not an instruction: word has last without close"
        );
        assert_eq!(refused(5 << ENDS_OFFSET), "ends = 5 is not allowed: allowed is 0..=4");
        assert_eq!(
            refused(Op::Wait as u32 | 3 << MODE_OFFSET | 64 << IMMEDIATE_OFFSET),
            "immediate 64 of wait is not allowed: allowed is 0..=63"
        );
    }

    proptest! {
        #[test]
        fn every_instruction_reads_back(instruction in instructions()) {
            prop_assert_eq!(Instruction::decode(instruction.encode().unwrap()), Ok(instruction));
        }

        /// Whatever a word's unused bits are, the instruction it means has one encoding.
        #[test]
        fn every_word_is_an_instruction_or_refused(word in any::<u32>()) {
            if let Ok(instruction) = Instruction::decode(word) {
                let canonical = instruction.encode().unwrap();
                prop_assert_eq!(Instruction::decode(canonical), Ok(instruction));
                let fields = ((1 << OP_WIDTH) - 1) << OP_OFFSET | ((1 << ENDS_WIDTH) - 1) << ENDS_OFFSET;
                prop_assert_eq!(canonical & fields, word & fields);
            }
        }
    }
}
