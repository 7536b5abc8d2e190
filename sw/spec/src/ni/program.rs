//! What a program must keep to before it is loaded.

use thiserror::Error;

use super::instruction::{Action, Instruction, FIRMWARE_WORDS, LOOPS, PROGRAM_WORDS};

/// Instructions that fit the user's part of the program memory.
pub const USER_WORDS: usize = PROGRAM_WORDS - FIRMWARE_WORDS;

/// Why a program must not be loaded. Instructions are counted from 0.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProgramError {
    /// There is no instruction.
    #[error("the program is empty: it must end with a stop")]
    Empty,
    /// It is longer than the memory.
    #[error("the program has {words} instructions: allowed is 1..={USER_WORDS}")]
    TooLong {
        /// Its instructions.
        words: usize,
    },
    /// It would run on past its end.
    #[error("the last instruction does not stop")]
    NoStop {
        /// The last instruction.
        at: usize,
    },
    /// A loop in more loops than there are counters.
    #[error("a loop inside {LOOPS} loops: allowed are {LOOPS} in all")]
    TooDeep {
        /// The loop instruction.
        at: usize,
    },
    /// More loops end than are open.
    #[error("{ends} loops end where {open} are open")]
    Unopened {
        /// The instruction with the ends.
        at: usize,
        /// Loops that should end.
        ends: usize,
        /// Loops that are open.
        open: usize,
    },
    /// A loop begins where a body ends: its own body would not be part of that.
    #[error("a loop instruction cannot be the last of a loop's body")]
    EndsOnLoop {
        /// The loop instruction.
        at: usize,
    },
    /// The program stops while a loop is open, which therefore has no end or no second round.
    #[error("the program stops inside the loop of instruction {begun}")]
    StopInLoop {
        /// The instruction that stops.
        at: usize,
        /// The loop instruction.
        begun: usize,
    },
}

impl ProgramError {
    /// The instruction that is wrong, if there is one.
    pub fn at(&self) -> Option<usize> {
        match *self {
            ProgramError::Empty => None,
            ProgramError::TooLong { .. } => Some(USER_WORDS),
            ProgramError::NoStop { at }
            | ProgramError::TooDeep { at }
            | ProgramError::Unopened { at, .. }
            | ProgramError::EndsOnLoop { at }
            | ProgramError::StopInLoop { at, .. } => Some(at),
        }
    }
}

/// Checks one program, or several in a row that each end with a stop: it fits the user's memory, every loop has an end
/// before the next stop, at most four are open at once, and the last instruction stops.
///
/// # Errors
/// The first thing that is wrong.
pub fn check(program: &[Instruction]) -> Result<(), ProgramError> {
    if program.len() > USER_WORDS {
        return Err(ProgramError::TooLong { words: program.len() });
    }
    let mut open = Vec::new();
    for (at, instruction) in program.iter().enumerate() {
        let ends = usize::from(instruction.ends);
        if ends > open.len() {
            return Err(ProgramError::Unopened {
                at,
                ends,
                open: open.len(),
            });
        }
        if matches!(instruction.action, Action::Loop { .. }) {
            if ends > 0 {
                return Err(ProgramError::EndsOnLoop { at });
            }
            if open.len() == LOOPS {
                return Err(ProgramError::TooDeep { at });
            }
            open.push(at);
        }
        if let (true, Some(&begun)) = (instruction.action.stops(), open.last()) {
            return Err(ProgramError::StopInLoop { at, begun });
        }
        open.truncate(open.len() - ends);
    }
    match program.last() {
        None => Err(ProgramError::Empty),
        Some(last) if !last.action.stops() => Err(ProgramError::NoStop { at: program.len() - 1 }),
        Some(_) => Ok(()),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::ni::instruction::testing::{loops, steps, stops};
    use proptest::prelude::*;

    #[derive(Clone, Debug)]
    enum Tree {
        Step(Action),
        Loop(Action, Vec<Tree>),
    }

    impl Tree {
        fn write(&self, program: &mut Vec<Instruction>) {
            match self {
                Tree::Step(action) => program.push(Instruction {
                    action: *action,
                    ends: 0,
                }),
                Tree::Loop(action, body) => {
                    program.push(Instruction {
                        action: *action,
                        ends: 0,
                    });
                    body.iter().for_each(|tree| tree.write(program));
                    program.last_mut().expect("a body has an instruction").ends += 1;
                }
            }
        }
    }

    /// Programs that may be loaded, with loops up to four deep.
    pub fn programs() -> impl Strategy<Value = Vec<Instruction>> {
        let tree = steps()
            .prop_map(Tree::Step)
            .prop_recursive(LOOPS as u32, 40, 4, |inner| {
                (loops(), prop::collection::vec(inner, 1..4)).prop_map(|(action, body)| Tree::Loop(action, body))
            });
        (prop::collection::vec(tree, 0..4), stops()).prop_map(|(trees, stop)| {
            let mut program = Vec::new();
            trees.iter().for_each(|tree| tree.write(&mut program));
            program.push(Instruction { action: stop, ends: 0 });
            program
        })
    }

    fn refused(program: &[Instruction]) -> String {
        check(program).unwrap_err().to_string()
    }

    const STOP: Instruction = Instruction {
        action: Action::Stop,
        ends: 0,
    };
    const FENCE: Instruction = Instruction {
        action: Action::Fence,
        ends: 0,
    };
    const LOOP: Instruction = Instruction {
        action: Action::Loop {
            rounds: crate::ni::instruction::Operand::Immediate(2),
        },
        ends: 0,
    };

    fn ending(ends: u8) -> Instruction {
        Instruction { ends, ..FENCE }
    }

    #[test]
    fn a_program_ends_with_a_stop() {
        assert_eq!(check(&[STOP]), Ok(()));
        assert_eq!(check(&[FENCE, STOP, FENCE, STOP]), Ok(()));
        assert_eq!(refused(&[]), "the program is empty: it must end with a stop");
        assert_eq!(refused(&[STOP, FENCE]), "the last instruction does not stop");
    }

    #[test]
    fn a_program_fits_the_users_memory() {
        assert_eq!(USER_WORDS, 192);
        assert_eq!(check(&[STOP; USER_WORDS]), Ok(()));
        assert_eq!(
            refused(&[STOP; USER_WORDS + 1]),
            "the program has 193 instructions: allowed is 1..=192"
        );
    }

    #[test]
    fn loops_are_balanced_and_at_most_four_deep() {
        assert_eq!(check(&[LOOP, LOOP, LOOP, LOOP, ending(4), STOP]), Ok(()));
        assert_eq!(
            check(&[LOOP, LOOP, ending(1), ending(1), LOOP, ending(1), STOP]),
            Ok(())
        );
        assert_eq!(
            refused(&[LOOP, LOOP, LOOP, LOOP, LOOP, ending(4), ending(1), STOP]),
            "a loop inside 4 loops: allowed are 4 in all"
        );
        assert_eq!(refused(&[LOOP, ending(2), STOP]), "2 loops end where 1 are open");
        assert_eq!(
            refused(&[LOOP, FENCE, STOP]),
            "the program stops inside the loop of instruction 0"
        );
        assert_eq!(
            refused(&[LOOP, Instruction { ends: 1, ..LOOP }, ending(1), STOP]),
            "a loop instruction cannot be the last of a loop's body"
        );
        assert_eq!(
            refused(&[FENCE, LOOP, Instruction { ends: 1, ..STOP }]),
            "the program stops inside the loop of instruction 1"
        );
        let error = check(&[FENCE, LOOP, ending(2), STOP]).unwrap_err();
        assert_eq!(error.at(), Some(2));
    }

    proptest! {
        #[test]
        fn nested_loops_are_balanced(program in programs()) {
            prop_assert_eq!(check(&program), Ok(()));
        }

        #[test]
        fn one_end_more_or_less_is_caught(program in programs(), at in any::<prop::sample::Index>()) {
            let at = at.index(program.len());
            for change in [-1, 1] {
                let mut wrong = program.clone();
                if let Some(ends) = wrong[at].ends.checked_add_signed(change) {
                    wrong[at].ends = ends;
                    prop_assert!(check(&wrong).is_err(), "{at}: {wrong:?}");
                }
            }
        }
    }
}
