//! Any instruction.

use proptest::prelude::*;

use super::{Action, Closing, Half, Instruction, Op, Operand, Part, Register, LOOPS, REGISTERS};

pub fn registers() -> impl Strategy<Value = Register> {
    (0..REGISTERS as u8).prop_map(Register)
}

fn parts() -> impl Strategy<Value = Part> {
    let halves = prop_oneof![Just(Half::Whole), Just(Half::Low), Just(Half::High)];
    (registers(), halves).prop_map(|(register, half)| Part { register, half })
}

fn operands(op: Op) -> impl Strategy<Value = Operand> {
    prop_oneof![
        parts().prop_map(Operand::Part),
        op.immediates().prop_map(Operand::Immediate)
    ]
}

fn closings() -> impl Strategy<Value = Closing> {
    prop_oneof![Just(Closing::Open), Just(Closing::Close), Just(Closing::Last)]
}

pub fn loops() -> impl Strategy<Value = Action> {
    operands(Op::Loop).prop_map(|rounds| Action::Loop { rounds })
}

/// All that neither stops nor begins a loop.
pub fn steps() -> impl Strategy<Value = Action> {
    let stop = Just(false);
    prop_oneof![
        (registers(), operands(Op::Set)).prop_map(|(to, value)| Action::Set { to, value }),
        (registers(), operands(Op::Add)).prop_map(|(to, value)| Action::Add { to, value }),
        registers().prop_map(|offset| Action::To { offset }),
        (registers(), operands(Op::Shape)).prop_map(|(row, stride)| Action::Shape { row, stride }),
        (registers(), prop::option::of(parts()), closings(), stop).prop_map(|(pointer, advance, closing, stop)| {
            Action::Run {
                pointer,
                advance,
                closing,
                stop,
            }
        }),
        (registers(), any::<bool>(), closings(), stop).prop_map(|(register, swap, closing, stop)| {
            Action::Word {
                register,
                swap,
                closing,
                stop,
            }
        }),
        (any::<bool>(), stop).prop_map(|(last, stop)| Action::Close { last, stop }),
        Just(Action::NotifyOwn),
        operands(Op::Notify).prop_map(|event| Action::Notify { event }),
        operands(Op::Wait).prop_map(|event| Action::Wait { event }),
        Just(Action::Credit),
        Just(Action::Fence),
    ]
}

pub fn stops() -> impl Strategy<Value = Action> {
    prop_oneof![
        Just(Action::Stop),
        steps().prop_map(|mut step| {
            match &mut step {
                Action::Run { stop, .. } | Action::Word { stop, .. } | Action::Close { stop, .. } => *stop = true,
                _ => step = Action::Stop,
            }
            step
        })
    ]
}

pub fn instructions() -> impl Strategy<Value = Instruction> {
    let actions = prop_oneof![steps(), stops(), loops()];
    (actions, 0..=LOOPS as u8).prop_map(|(action, ends)| Instruction { action, ends })
}
