//! What commands do, and how they end.

use portico_spec::{
    ni::{registers::PortalsRegister, ErrorCode},
    portals::engine::{Command, Control},
};

use super::bench::{Bench, CHANGES, COUNTER, PORTAL};

#[test]
fn both_counts_change_in_one_step_which_counts_once() {
    let mut bench = Bench::new(1);
    let change = |success, failure| (COUNTER, success, failure);
    let set = |(counter, success, failure)| Control::Set {
        counter,
        success,
        failure,
    };
    let increment = |(counter, success, failure)| Control::Increment {
        counter,
        success,
        failure,
    };
    bench.control(0, set(change(7, u32::MAX)));
    assert_eq!((bench.counter(0), bench.event(0, CHANGES)), ((7, u32::MAX), (1, None)));
    bench.control(0, increment(change(3, 2)));
    assert_eq!((bench.counter(0), bench.event(0, CHANGES)), ((10, 1), (2, None)));
    bench.set(0, PortalsRegister::CtSuccess, COUNTER.into(), 4);
    bench.set(0, PortalsRegister::CtFailure, COUNTER.into(), 5);
    assert_eq!((bench.counter(0), bench.event(0, CHANGES)), ((4, 5), (2, None)));
    assert_eq!(bench.ended(0), (2, None));
}

#[test]
fn a_quiet_command_tells_only_its_failure() {
    let mut bench = Bench::new(1);
    bench.quietly(0, Command::Control(Control::Disable(PORTAL)));
    assert_eq!(bench.ended(0), (0, None));
    bench.quietly(0, Command::Control(Control::Disable(PORTAL + 1)));
    assert_eq!(bench.ended(0), (1, Some(ErrorCode::UnknownIndex)));
}
