//! What commands do, and how they end.

use portico_spec::{
    ni::{registers::PortalsRegister, ErrorCode},
    portals::{
        engine::{Command, Control},
        list::List,
    },
};

use super::bench::{entry, Bench, CHANGES, COUNTER, PORTAL, QUEUE};

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

#[test]
fn a_portal_index_reads_back_as_commands_have_changed_it() {
    let mut bench = Bench::new(1);
    let (allocated, enabled, queue) = (1, 2, (QUEUE as u32) << 4 | 1 << 8);
    let read = |bench: &mut Bench| bench.get(0, PortalsRegister::Portal, PORTAL.into());
    assert_eq!(read(&mut bench), allocated | enabled | queue);
    let handle = bench.append(0, entry(List::Overflow, 1, &[]));
    for (control, error, expected) in [
        (Control::Disable(PORTAL), None, allocated | queue),
        (Control::Disable(PORTAL), None, allocated | queue),
        (Control::Enable(PORTAL), None, allocated | enabled | queue),
        (
            Control::Free(PORTAL),
            Some(ErrorCode::InUse),
            allocated | enabled | queue,
        ),
    ] {
        bench.ended(0);
        bench.control(0, control);
        assert_eq!(
            (bench.ended(0), read(&mut bench)),
            ((1, error), expected),
            "{control:?}"
        );
    }
    // A write through the register does not forget the entry.
    bench.set(0, PortalsRegister::Portal, PORTAL.into(), u32::MAX);
    assert_eq!(read(&mut bench), allocated | enabled | 0xf << 4 | 1 << 8);
    bench.control(0, Control::Free(PORTAL));
    assert_eq!(bench.ended(0), (1, Some(ErrorCode::InUse)));
    bench.command(0, Command::Unlink(handle));
    bench.control(0, Control::Free(PORTAL));
    assert_eq!((bench.ended(0), read(&mut bench)), ((2, None), 0xf << 4 | 1 << 8));
    bench.command(0, Command::Append(entry(List::Overflow, 1, &[])));
    assert_eq!(bench.ended(0), (1, Some(ErrorCode::UnknownIndex)));
}

#[test]
fn rows_that_do_not_exist_are_ignored_and_read_0() {
    let mut bench = Bench::new(1);
    for (register, row) in [
        (PortalsRegister::Rank, 4),
        (PortalsRegister::Portal, 128),
        (PortalsRegister::MdOptions, 64),
        (PortalsRegister::CtSuccess, 64),
        (PortalsRegister::CtFailure, 255),
        (PortalsRegister::EqSize, 16),
        (PortalsRegister::EqDropped, QUEUE),
        (PortalsRegister::Setting, 3),
        (PortalsRegister::Status, 3),
    ] {
        bench.set(0, register, row, u32::MAX);
        assert_eq!(bench.get(0, register, row), 0, "{register:?} {row}");
    }
    for (register, row) in [
        (PortalsRegister::Rank, 0),
        (PortalsRegister::MdStart, 9),
        (PortalsRegister::CtEvent, COUNTER.into()),
        (PortalsRegister::EqBase, QUEUE),
        (PortalsRegister::Setting, 0),
    ] {
        assert_eq!(bench.get(0, register, row), 0, "only written: {register:?}");
    }
}
