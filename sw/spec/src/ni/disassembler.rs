//! Instruction words back to text, as [`super::assembler`] reads it.

use std::fmt;

use thiserror::Error;

use super::instruction::{Action, Closing, Half, Instruction, InstructionError, Operand, Part};

/// A word that is no instruction.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("word {at}: {error}")]
pub struct DisassemblyError {
    /// Which word, from 0.
    pub at: usize,
    /// What is wrong with it.
    pub error: InstructionError,
}

/// The text of a program, one instruction a line, the bodies of loops indented.
///
/// # Errors
/// The first word that is no instruction.
pub fn disassemble(words: &[u32]) -> Result<String, DisassemblyError> {
    let mut depth = 0usize;
    let mut text = String::new();
    for (at, &word) in words.iter().enumerate() {
        let instruction = Instruction::decode(word).map_err(|error| DisassemblyError { at, error })?;
        text += &format!("{:indent$}{instruction}\n", "", indent = 4 * depth);
        depth += usize::from(matches!(instruction.action, Action::Loop { .. }));
        depth = depth.saturating_sub(usize::from(instruction.ends));
    }
    Ok(text)
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let half = match self.half {
            Half::Whole => "",
            Half::Low => ".l",
            Half::High => ".h",
        };
        write!(f, "{}{half}", self.register)
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Operand::Part(part) => part.fmt(f),
            Operand::Immediate(value) => value.fmt(f),
        }
    }
}

/// As the assembler reads it.
impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let flag = |set: bool, name: &str| set.then(|| name.to_string());
        let close = |closing: Closing| flag(closing != Closing::Open, "close");
        let last = |closing: Closing| flag(closing == Closing::Last, "last");
        let items: Vec<Option<String>> = match self.action {
            Action::Stop | Action::Credit | Action::Fence => vec![],
            Action::Set { to, value } | Action::Add { to, value } => {
                vec![Some(to.to_string()), Some(value.to_string())]
            }
            Action::Loop { rounds } => vec![Some(rounds.to_string())],
            Action::To { offset } => vec![Some(offset.to_string())],
            Action::Shape { row, stride } => vec![Some(row.to_string()), Some(stride.to_string())],
            Action::Run {
                pointer,
                advance,
                closing,
                stop,
            } => vec![
                Some(pointer.to_string()),
                advance.map(|part| format!("+{part}")),
                close(closing),
                last(closing),
                flag(stop, "stop"),
            ],
            Action::Word {
                register,
                swap,
                closing,
                stop,
            } => vec![
                Some(register.to_string()),
                flag(swap, "swap"),
                close(closing),
                last(closing),
                flag(stop, "stop"),
            ],
            Action::Close { last, stop } => vec![flag(last, "last"), flag(stop, "stop")],
            Action::NotifyOwn => vec![Some("own".to_string())],
            Action::Notify { event } | Action::Wait { event } => vec![Some(event.to_string())],
        };
        let items: Vec<String> = items.into_iter().flatten().collect();
        f.write_str(self.action.op().name())?;
        if !items.is_empty() {
            write!(f, " {}", items.join(", "))?;
        }
        match self.ends {
            0 => Ok(()),
            1 => f.write_str(" !end"),
            ends => write!(f, " !end{ends}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ni::{assembler::assemble, firmware};

    #[test]
    fn the_bodies_of_loops_are_indented() {
        let text = "loop r5.l\n    to r1\n    loop r3.h\n        run r2, +r4.l !end2\nclose last, stop\n";
        assert_eq!(disassemble(&assemble(text).unwrap()).unwrap(), text);
    }

    #[test]
    fn the_built_in_programs_read_back() {
        let words = firmware::firmware().words;
        assert_eq!(assemble(&disassemble(&words).unwrap()), Ok(words));
    }

    #[test]
    fn a_word_that_is_no_instruction_is_named() {
        assert_eq!(
            disassemble(&[0, 0xf]).unwrap_err().to_string(),
            "word 1: 0x0000000f is not an instruction: operation 15 is not allowed: allowed is 0..=12"
        );
    }
}
