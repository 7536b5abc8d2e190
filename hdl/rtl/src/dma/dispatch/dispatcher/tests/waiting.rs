//! Commands that wait: for a core, a slot, another of the same segment, the sequencer.

use super::bench::{Bench, Source};
use super::expect::word0;

fn bench(cores: usize) -> Bench<32> {
    let mut bench = Bench::new(cores);
    for handle in 1..=9 {
        bench.segment(handle, [0x41, 0x9a, 1, 100]);
    }
    bench
}

fn put(segment: u32) -> [u32; 4] {
    [word0(1, segment, segment), 0x20, 0x108, 1 << 16 | 7]
}

fn segments(bench: &Bench<32>) -> Vec<u64> {
    bench.starts.iter().map(|(_, start)| start.segment).collect()
}

#[test]
fn a_command_waits_for_another_of_its_segment_and_all_behind_it_too() {
    for second in [put(1).to_vec(), vec![word0(5, 1, 1), 0, 1], vec![word0(7, 1, 1)]] {
        let mut bench = bench(8);
        bench.send(Source::Command, &put(1));
        bench.send(Source::Command, &second);
        bench.send(Source::Command, &put(2));
        bench.run(40);
        assert_eq!(segments(&bench), [1]);
        assert_eq!(bench.claims.len(), 1, "no slot before its turn");
        bench.stops.push_back((0, false, 0));
        bench.run(40);
        assert_eq!(segments(&bench), [1, 1, 2]);
        assert_eq!(bench.active(), 0b110);
    }
}

/// Of one segment in order, each behind all before it; others pass.
#[test]
fn commands_start_behind_those_that_are_parked() {
    let mut bench = bench(3);
    let held = |bench: &Bench<32>| bench.dut.park.held.val().to_u64();
    assert!(bench.dut.park.has_room.val());
    bench.send(Source::Command, &put(1));
    bench.send(Source::Command, &put(1));
    bench.run(20);
    assert_eq!(
        (segments(&bench), held(&bench)),
        (vec![1], 0),
        "the first may not wait at all"
    );
    bench.park(0);
    bench.run(20);
    assert_eq!((segments(&bench), held(&bench)), (vec![1, 1], 0b010));
    assert_eq!([0, 1].map(|at| bench.starts[at].1.behind), [false, true]);
    assert!(bench.dut.park.has_room.val());
    bench.send(Source::Command, &put(2));
    bench.run(20);
    assert_eq!((segments(&bench), held(&bench)), (vec![1, 1, 2], 0b010));
    assert!(!bench.starts[2].1.behind);
    bench.park(1);
    bench.run(1);
    assert!(
        !bench.dut.park.has_room.val(),
        "one core of three stays without a parked command"
    );
    bench.stops.push_back((2, false, 0));
    bench.run(5);
    bench.send(Source::Command, &put(1));
    bench.run(20);
    assert_eq!((bench.starts[3].1.context, held(&bench)), (2, 0b110));
    for (context, left) in [(0, 0b100), (1, 0)] {
        bench.stops.push_back((context, false, 0));
        bench.run(5);
        assert_eq!(held(&bench), left);
    }
    assert!(bench.dut.park.has_room.val());
}

/// A node of one core parks nothing.
#[test]
fn one_core_has_no_room_for_a_parked_command() {
    assert!(!bench(1).dut.park.has_room.val());
}

/// The answer to the look of a drained command, whose event is `event`.
fn tell(bench: &mut Bench<32>, event: u64, error: u64) {
    bench.dut.look.ready.next = true;
    bench.run(1);
    assert_eq!(bench.dut.look.event.val(), event);
    bench.dut.look.ready.next = false;
    bench.run(3);
    bench.dut.look.told.next = true;
    bench.dut.look.error.next = error.into();
    bench.run(1);
    bench.dut.look.told.next = false;
    bench.run(10);
}

#[test]
fn a_drained_command_waits_for_cores_and_slots_then_for_its_event() {
    let drained = 1 << 28;
    let rows = |segment: u32| [word0(1, segment, segment) | drained, 0, 0, 2 << 16 | 4, 4 << 16 | 4];
    for error in [0, 5] {
        let mut bench = bench(3);
        bench.send(Source::Command, &put(1));
        bench.send(Source::Queued, &rows(2));
        bench.send(Source::Queued, &put(3));
        bench.run(40);
        assert_eq!(segments(&bench), [1]);
        assert!(!bench.dut.look.valid.val(), "a core runs");
        bench.dut.any_open.next = true;
        bench.stops.push_back((0, false, 0));
        bench.run(40);
        assert!(!bench.dut.look.valid.val(), "a slot is open");
        bench.dut.any_open.next = false;
        bench.run(10);
        assert!(bench.dut.look.valid.val());
        assert_eq!((bench.starts.len(), bench.claims.len()), (1, 1), "it holds nothing");
        tell(&mut bench, 2, error);
        let (started, events) = match error {
            0 => (vec![1, 2, 3], vec![]),
            _ => (vec![1, 3], vec![(2, error)]),
        };
        assert_eq!((segments(&bench), &bench.events), (started, &events));
    }
}

/// A parked command is not waited for; a wrong one is told at once.
#[test]
fn a_drained_command_passes_those_that_are_parked() {
    let drained = 1 << 28;
    let mut bench = bench(3);
    bench.send(Source::Command, &put(1));
    bench.run(20);
    bench.park(0);
    bench.send(Source::Command, &[word0(6, 4, 4) | drained, 0, 0, 0]);
    bench.run(20);
    tell(&mut bench, 4, 0);
    assert_eq!(bench.starts.len(), 2);
    bench.send(Source::Command, &[word0(1, 6, 20) | drained, 0, 0, 1 << 16 | 1]);
    bench.run(20);
    assert_eq!(bench.events, [(6, 3)]);
}

#[test]
fn mails_wait_for_nobody() {
    let mut bench = bench(8);
    bench.send(Source::Command, &put(1));
    (0..3).for_each(|_| bench.send(Source::Command, &[word0(6, 1, 1), 0, 0, 0]));
    bench.run(40);
    assert_eq!(bench.starts.len(), 4);
    bench.stops.push_back((0, false, 0));
    bench.run(2);
    bench.send(Source::Command, &put(1));
    bench.run(20);
    assert_eq!(bench.starts.len(), 5, "a mail has no segment to wait for");
}

#[test]
fn words_are_taken_only_for_a_free_core_and_the_lowest_serves() {
    for cores in [1, 3, 8] {
        let mut bench = bench(cores);
        (1..=9).for_each(|segment| bench.send(Source::Command, &put(segment)));
        bench.run(120);
        let contexts: Vec<_> = bench.starts.iter().map(|(_, start)| start.context).collect();
        assert_eq!(contexts, (0..cores as u64).collect::<Vec<_>>());
        let in_the_skid_buffer = 2;
        assert_eq!(bench.words[0].len(), 4 * (9 - cores) - in_the_skid_buffer);
        bench.stops.push_back((cores as u64 / 2, false, 0));
        bench.run(20);
        assert_eq!(bench.starts[cores].1.context, cores as u64 / 2);
    }
}

#[test]
fn a_claim_is_kept_until_the_start_has_passed() {
    let mut bench = bench(2);
    bench.next_slot = 7;
    bench.claim_ready = false;
    bench.send(Source::Command, &put(1));
    bench.run(20);
    assert!(bench.starts.is_empty() && bench.claims.is_empty());
    (bench.claim_ready, bench.start_ready) = (true, false);
    bench.run(20);
    assert_eq!((bench.starts.len(), bench.claims.len()), (0, 1));
    bench.claim_ready = false;
    bench.start_ready = true;
    bench.run(2);
    assert_eq!(bench.starts[0].1.slot, Some(7));
    bench.claim_ready = true;
    bench.send(Source::Command, &put(2));
    bench.run(20);
    assert_eq!((bench.starts[1].1.slot, bench.claims.len()), (Some(8), 2));
}

#[test]
fn the_sources_take_turns() {
    let mut bench = bench(8);
    for segment in [1, 2, 3] {
        bench.send(Source::Command, &put(segment));
        bench.send(Source::Queued, &put(segment + 4));
    }
    bench.run(80);
    assert_eq!(segments(&bench), [1, 5, 2, 6, 3, 7]);
}

#[test]
fn a_put_takes_as_many_cycles_as_words_and_one() {
    let mut bench = bench(8);
    (1..=4).for_each(|segment| bench.send(Source::Command, &put(segment)));
    bench.run(40);
    let cycles: Vec<_> = bench.starts.iter().map(|(cycle, _)| cycle).collect();
    assert!(cycles.windows(2).all(|pair| pair[1] - pair[0] == 5), "{cycles:?}");
}

/// Neither a lookup of what is being written, nor a word further than the skid buffer before all is cleared.
#[test]
fn nothing_is_taken_while_tables_are_written() {
    let mut bench = bench(2);
    bench.dut.sweep.active.next = true;
    bench.send(Source::Command, &put(1));
    bench.send(Source::Request, &[0; 5]);
    bench.run(10);
    assert_eq!((bench.words[0].len(), bench.words[2].len()), (2, 5));
    // Sweeping place 0 over and over has cleared nothing that is used here.
    bench.dut.sweep.active.next = false;
    bench.run(12);
    assert_eq!((bench.starts.len(), bench.words[2].len()), (1, 0));
}

/// The bench sees to it that the words of the command that started last stay.
#[test]
fn commands_that_are_refused_leave_the_words_of_others_alone() {
    let mut bench = bench(8);
    bench.send(Source::Command, &put(1));
    bench.run(20);
    assert_eq!(bench.starts.len(), 1);
    bench.start_ready = false;
    bench.send(Source::Command, &put(2));
    // Of no known operation.
    (0..9).for_each(|_| bench.send(Source::Command, &[word0(15, 3, 3), 1, 2, 3]));
    bench.run(120);
    assert_eq!(bench.events.len(), 9);
    bench.start_ready = true;
    bench.run(20);
    assert_eq!(bench.starts.len(), 2);
}
