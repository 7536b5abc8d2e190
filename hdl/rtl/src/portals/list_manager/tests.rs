//! The whole block: cycles of each kind of command, exactly.

use super::*;
use crate::{prim::testing::clock, prim::testing::clocked, prim::testing::reset, prim::testing::settle};
use portico_spec::portals::list::command;
use portico_spec::portals::list::handle_command;
use portico_spec::portals::list::Answer;
use portico_spec::portals::list::Entry;
use portico_spec::portals::list::List;
use portico_spec::portals::list::Opcode;
use portico_spec::portals::list::Status;
use portico_spec::portals::list::ANY_SOURCE;
use portico_spec::portals::list::NO_TRUNCATE;

clocked!([const A: usize] ListManager<A>);

/// Carries out a command: cycles to its first result, and all first beats.
fn serve(dut: &mut ListManager<4>, beats: &[u64]) -> (usize, Vec<Answer>) {
    dut.m_axis.tready.next = false;
    for (place, &beat) in beats.iter().enumerate() {
        dut.s_axis.tdata.next = beat.into();
        dut.s_axis.tlast.next = place + 1 == beats.len();
        dut.s_axis.tvalid.next = true;
        settle(dut);
        for _ in 0..200 {
            if dut.s_axis.tready.val() {
                break;
            }
            clock(dut);
        }
        clock(dut);
    }
    dut.s_axis.tvalid.next = false;
    settle(dut);
    let mut cycles = 1;
    while !dut.m_axis.tvalid.val() {
        clock(dut);
        cycles += 1;
        assert!(cycles < 200, "no result");
    }
    dut.m_axis.tready.next = true;
    let (mut answers, mut first) = (vec![], true);
    loop {
        settle(dut);
        while !dut.m_axis.tvalid.val() {
            clock(dut);
        }
        if first {
            answers.push(Answer::decode(dut.m_axis.tdata.val().to_u64()).unwrap());
        }
        first = dut.m_axis.tlast.val();
        clock(dut);
        if first && !answers.last().unwrap().more {
            return (cycles, answers);
        }
    }
}

fn entry(source: u16, match_bits: u64, options: u16) -> Entry {
    Entry {
        source,
        match_bits,
        options,
        ..Entry::default()
    }
}

fn append(dut: &mut ListManager<4>, list: List, entry: &Entry) -> (usize, u32) {
    let (cycles, answers) = serve(dut, &command(Opcode::Append, list, entry));
    assert_eq!(answers[0].status, Status::Done);
    (cycles, answers[0].handle)
}

#[test]
fn an_unhashed_search_takes_a_cycle_an_entry_and_4() {
    let mut dut = reset(ListManager::<4>::new(&ListParameters::new(16, 0)));
    for number in 0..16 {
        let search = |match_bits| command(Opcode::Search, List::Priority, &entry(3, match_bits, 0));
        let (cycles, answers) = serve(&mut dut, &search(99));
        assert_eq!(
            (cycles, answers[0].status),
            (number + 4 - usize::from(number == 0), Status::NoMatch)
        );
        assert_eq!(append(&mut dut, List::Priority, &entry(3, number as u64, 0)).0, 3);
        let (cycles, answers) = serve(&mut dut, &search(number as u64));
        assert_eq!((cycles, answers[0].status), (number + 1 + 4, Status::Found));
    }
    let full = command(Opcode::Append, List::Overflow, &Entry::default());
    assert_eq!(serve(&mut dut, &full).1[0].status, Status::Full);
    assert_eq!(dut.longest.val(), 16u64);
    assert_eq!(dut.searches.val(), 32u64);
}

#[test]
fn commands_by_handle_take_4_cycles_and_refusals_2() {
    for buckets in [0, 4] {
        let mut dut = reset(ListManager::<4>::new(&ListParameters::new(16, buckets)));
        let (_, handle) = append(&mut dut, List::Overflow, &entry(3, 7, 1 << NO_TRUNCATE));
        for (opcode, status) in [
            (Opcode::Read, Status::Found),
            (Opcode::SetOffset, Status::Done),
            (Opcode::Delete, Status::Done),
        ] {
            let wrong = serve(&mut dut, &handle_command(opcode, List::Priority, handle, 0));
            assert_eq!((wrong.0, wrong.1[0].status), (4, Status::BadHandle));
            let right = serve(&mut dut, &handle_command(opcode, List::Overflow, handle, 12));
            assert_eq!((right.0, right.1[0].status), (4, status));
        }
        let stale = serve(&mut dut, &handle_command(Opcode::Read, List::All, handle, 0));
        assert_eq!(stale.1[0].status, Status::BadHandle);
        let (cycles, answers) = serve(&mut dut, &[0xff]);
        assert_eq!((cycles, answers[0].status), (2, Status::BadOpcode));
    }
}

#[test]
fn bucket_and_wildcards_compete_by_append_order() {
    const ANY: u16 = 1 << ANY_SOURCE;
    let mut dut = reset(ListManager::<4>::new(&ListParameters::new(16, 4)));
    let order = [(3, 0), (0, ANY), (3, 0), (4, 0), (0, ANY), (3, 0)];
    let handles: Vec<u32> = order
        .map(|(source, any)| append(&mut dut, List::Priority, &entry(source, 7, any)).1)
        .into();
    let mut next = |source| {
        let search = command(Opcode::SearchDelete, List::Priority, &entry(source, 7, 0));
        serve(&mut dut, &search).1[0].handle
    };
    assert_eq!(
        [next(3), next(3), next(3), next(3)],
        [handles[0], handles[1], handles[2], handles[4]]
    );
    assert_eq!([next(4), next(4), next(3)], [handles[3], 0, handles[5]]);
}
