//! Corners that random packets reach too seldom.

use super::{
    bench::{register_bit, release_register, tag_register, Bench, MEMORY_WORDS},
    model::Model,
    packets::{atomic, control, message, opening, put, queue_control, stream},
};
use crate::bus::ANSWER_CYCLES;
use portico_spec::{
    ni::{
        packet::{Operation, ROW_OFFSET},
        registers::TagRegister,
        window::Mode,
        ErrorCode,
    },
    Head,
};
use rand::Rng;
use std::collections::VecDeque;

fn configure<const W: usize, const B: usize>(bench: &mut Bench<W, B>, model: &mut Model, writes: &[(u64, u64)]) {
    for &(index, data) in writes {
        bench.write_register(index, data);
        model.register(index, data);
    }
}

fn sends_alike<const W: usize, const B: usize>(bench: &mut Bench<W, B>, model: &mut Model, packets: &[Vec<u64>]) {
    for packet in packets {
        model.packet(packet);
        bench.send(packet);
    }
    bench.drain();
    assert_eq!(bench.log, model.log);
}

#[test]
fn packets_of_one_tag_back_to_back_all_count() {
    let (mut bench, mut model) = (Bench::<32, 4>::new(1, 1.0), Model::new(32));
    configure(
        &mut bench,
        &mut model,
        &opening(9, 10, 500, control(Mode::Pointer, None), 7 << 16 | 3),
    );
    configure(
        &mut bench,
        &mut model,
        &opening(10, 600, 100, control(Mode::Window, None), 0),
    );
    let mut packets: Vec<_> = (0..40)
        .map(|at| stream(9, at % 2 == 0, &[at; 2][..1 + at as usize % 2]))
        .collect();
    packets.extend((0..40).map(|at| put(10, true, at, at % 32, &[at])));
    packets.extend((0..5).map(|_| stream(9, true, &[])));
    sends_alike(&mut bench, &mut model, &packets);
    assert_eq!(bench.read_register(tag_register(9, TagRegister::Ends)), 25);
    assert_eq!(bench.read_register(tag_register(10, TagRegister::Ends)), 40);
}

/// Of two puts whose packets take turns on one tag, each is told its own refusals.
#[test]
fn a_refusal_is_told_at_once_and_to_its_own_slot() {
    let (mut bench, mut model) = (Bench::<32, 4>::new(2, 1.0), Model::new(32));
    configure(
        &mut bench,
        &mut model,
        &opening(9, 0, 8, control(Mode::Window, Some(3)), 0),
    );
    let packets = [
        put(9, false, 7, 1, &[1, 2]),
        put(9, false, 0, 2, &[3]),
        put(9, false, 9, 1, &[4]),
        put(9, true, 1, 2, &[5]),
        put(9, false, 8, 1, &[]),
        put(9, true, 2, 1, &[6]),
        put(9, true, 8, 3, &[7]),
    ];
    sends_alike(&mut bench, &mut model, &packets);
    let outside = Some(ErrorCode::OutOfWindow as u64);
    let answers = bench.log.answers.iter().map(|answer| {
        let Head { tag, last, .. } = Head::decode(answer[0] as u32);
        (tag, answer.get(1).copied(), last)
    });
    assert_eq!(
        answers.collect::<Vec<_>>(),
        [
            (1, outside, false),
            (1, outside, false),
            (2, None, true),
            (1, None, true),
            (3, outside, true)
        ]
    );
    assert_eq!((bench.log.refused, bench.log.events.len()), (3, 2));
    assert_eq!(bench.read_register(tag_register(9, TagRegister::Ends)), 2);
}

/// Refusals of packets wait for room on the control plane, and none is lost.
#[test]
fn refusals_wait_for_room_on_the_control_plane() {
    let (mut bench, mut model) = (Bench::<32, 4>::new(12, 0.1), Model::new(32));
    configure(
        &mut bench,
        &mut model,
        &opening(9, 0, 8, control(Mode::Window, None), 0),
    );
    let packets: Vec<_> = (0..60).map(|at| put(9, at % 7 == 6, at % 12, at % 5, &[at])).collect();
    sends_alike(&mut bench, &mut model, &packets);
    assert!(bench.log.answers.len() > 20);
}

/// A put that comes to the window of a stream is refused, and leaves the stream's fault as it was.
#[test]
fn a_wrong_put_leaves_the_fault_of_a_stream_alone() {
    let (mut bench, mut model) = (Bench::<32, 4>::new(13, 1.0), Model::new(32));
    configure(
        &mut bench,
        &mut model,
        &opening(9, 0, 2, control(Mode::Pointer, Some(3)), 0),
    );
    let packets = [
        stream(9, false, &[1, 2, 3]),
        put(9, false, 0, 1, &[]),
        put(9, true, 0, 1, &[4]),
        stream(9, true, &[]),
        stream(9, true, &[]),
    ];
    sends_alike(&mut bench, &mut model, &packets);
    assert_eq!(bench.log.events, [(3, ErrorCode::OutOfWindow as u64), (3, 0)]);
    assert_eq!(bench.read_register(tag_register(9, TagRegister::Ends)), 1);
}

#[test]
fn counters_of_messages_wrap() {
    let (mut bench, mut model) = (Bench::<32, 4>::new(3, 1.0), Model::new(32));
    let mut writes = opening(9, 16, 16, queue_control(Some(5), 2, 2), 0);
    writes.extend([
        (tag_register(9, TagRegister::Pointer), 0xfffd),
        (tag_register(9, TagRegister::Released), 0xfffd),
    ]);
    configure(&mut bench, &mut model, &writes);
    // The fifth finds the queue full.
    let packets: Vec<_> = (0..5).map(|at| message(9, at, &[at; 3][..at as usize % 4])).collect();
    sends_alike(&mut bench, &mut model, &packets);
    assert_eq!(
        (
            bench.log.refused,
            bench.read_register(tag_register(9, TagRegister::Pointer))
        ),
        (1, 1)
    );
    bench.write_register(release_register(9), 100);
    model.release(9, 100);
    bench.drain();
    assert_eq!(bench.log, model.log);
    assert_eq!(
        (
            bench.log.credits.len(),
            bench.read_register(tag_register(9, TagRegister::Released))
        ),
        (4, 1)
    );
}

#[test]
fn a_message_that_is_refused_is_told_once_and_not_there() {
    let (mut bench, mut model) = (Bench::<32, 4>::new(3, 1.0), Model::new(32));
    // Two slots of eight words, the second cut off after four.
    configure(
        &mut bench,
        &mut model,
        &opening(9, 100, 12, queue_control(Some(5), 3, 1), 0),
    );
    configure(
        &mut bench,
        &mut model,
        &opening(10, 200, 7, queue_control(Some(6), 3, 1), 0),
    );
    let packets = [
        message(9, 1, &[1; 8]),
        message(9, 1, &[2; 7]),
        message(9, 1, &[3; 8]),
        message(9, 1, &[4; 4]),
        message(9, 1, &[5; 3]),
        message(9, 1, &[6; 8]),
        message(10, 1, &[7; 7]),
        message(10, 1, &[8; 6]),
        message(10, 1, &[]),
    ];
    sends_alike(&mut bench, &mut model, &packets);
    let [full, long, outside] =
        [ErrorCode::QueueFull, ErrorCode::TooLong, ErrorCode::OutOfWindow].map(|code| code as u64);
    let first = [long, 0, long, outside, 0, full].map(|error| (5, error));
    let second = [outside, 0, outside].map(|error| (6, error));
    assert_eq!(bench.log.events, [&first[..], &second].concat());
    assert_eq!(bench.log.refused, 6);
    assert_eq!(bench.memory[112..200], [0; 88], "a word behind the window");
    assert_eq!(bench.read_register(tag_register(9, TagRegister::Pointer)), 2);
}

#[test]
fn messages_come_and_go_at_once() {
    let (mut bench, mut model) = (Bench::<32, 4>::new(4, 0.7), Model::new(32));
    configure(&mut bench, &mut model, &opening(9, 0, 32, queue_control(None, 3, 2), 0));
    let (mut sent, mut released) = (0, 0);
    // Credits that have arrived at the sender: the way there and back takes longer than this.
    const FLIGHT: usize = 6;
    let mut credits = VecDeque::from([0; FLIGHT]);
    while sent < 200 {
        credits.push_back(bench.log.credits.len());
        if sent - credits.pop_front().expect("a flight") < 4 {
            let words = bench.rng.gen_range(0..8);
            bench.send(&message(9, sent as u64 % 256, &vec![sent as u64; words]));
            sent += 1;
        } else {
            bench.step(None, None);
        }
        if bench.dut.release_ready.val() && released < sent && bench.rng.gen() {
            let messages = bench.rng.gen_range(1..=sent - released);
            // One request may ask for what is not yet counted: the rest is asked for again at the end.
            bench.write_register(release_register(9), messages as u64);
            released = bench.log.credits.len().max(released + messages).min(sent);
        }
        if released == sent && bench.log.credits.len() + 4 == sent {
            bench.write_register(release_register(9), 4);
        }
    }
    bench.drain();
    bench.write_register(release_register(9), 4);
    bench.drain();
    assert_eq!(bench.log.refused, 0, "a sender with a credit found the queue full");
    let handles: Vec<_> = bench.log.credits.iter().map(|credit| credit >> 18 & 255).collect();
    assert_eq!(handles, (0..200).map(|at| at % 256).collect::<Vec<u64>>());
}

#[test]
fn the_network_sets_up_windows() {
    for readiness in [1.0, 0.5] {
        let (mut bench, mut model) = (Bench::<64, 8>::new(5, readiness), Model::new(64));
        let space = 1 << register_bit(64);
        let fields: Vec<u64> = opening(9, 50, 60, control(Mode::Window, None), 0)
            .iter()
            .map(|write| write.1)
            .collect();
        // Registers of one tag: base, size, control last; the tail itself is a write to a tag.
        let mut packets = vec![
            put(255, false, space | tag_register(9, TagRegister::Base), 1, &fields[..2]),
            put(
                255,
                true,
                space | tag_register(9, TagRegister::Control),
                1,
                &[fields[6]],
            ),
            put(9, true, 59, 2, &[1, 2]),
            atomic(
                255,
                space | tag_register(9, TagRegister::Size),
                3,
                Operation::Poke,
                false,
                false,
                &[61],
            ),
            put(9, true, 60, 4, &[3]),
        ];
        packets.extend((0..20).map(|at| put(255, true, space | tag_register(9, TagRegister::Ends), at, &[0, 0])));
        sends_alike(&mut bench, &mut model, &packets);
        assert_eq!(bench.read_register(tag_register(255, TagRegister::Ends)), 21);
    }
}

#[test]
fn reset_in_mid_packet_leaves_nothing_behind() {
    let mut bench = Bench::<32, 4>::new(6, 0.5);
    for round in 0..12 {
        bench.restart();
        let mut model = Model::new(32);
        configure(
            &mut bench,
            &mut model,
            &opening(9, 0, 100, control(Mode::Window, Some(9)), 0),
        );
        configure(
            &mut bench,
            &mut model,
            &opening(10, 200, 32, queue_control(None, 3, 2), 0),
        );
        model.memory.clone_from(&bench.memory);
        let packets = [
            put(9, true, 0, 1, &[1, 2, 3]),
            message(10, 4, &[5]),
            atomic(9, 2, 5, Operation::FetchAdd, true, false, &[6, 7]),
            put(9, true, 99, 1, &[1, 2, 3]),
        ];
        sends_alike(&mut bench, &mut model, &packets);
        // Breaks off wherever it is, with an answer, a report and a release on their way.
        bench.write_register(release_register(10), 1);
        bench.send(&packets[if round < 6 { 0 } else { 2 }]);
        let packet = &packets[round % 4];
        for &flit in &packet[..1 + round % (packet.len() - 1)] {
            while !bench.step(Some((flit, false)), None) {}
        }
    }
}

/// Heads that end a transfer each, as close as they may come, leave the fewest cycles for others.
#[test]
fn a_register_of_a_tag_is_read_in_time_whatever_comes() {
    const LEAD: usize = 8;
    let (mut bench, mut model) = (Bench::<32, 4>::new(9, 1.0), Model::new(32));
    // A row of one word and no stride: all words go to one place.
    let writes = opening(9, 0, 500, control(Mode::Pointer, None), 1 << ROW_OFFSET);
    configure(&mut bench, &mut model, &writes);
    configure(
        &mut bench,
        &mut model,
        &opening(10, 500, 12, queue_control(None, 3, 1), 0),
    );
    let index = tag_register(9, TagRegister::Ends);
    let [lone, word] = [stream(9, true, &[]), stream(9, true, &[5])];
    let mut flits = [&lone, &word, &lone, &lone, &word].into_iter().cycle();
    let (mut packet, mut at) = (flits.next().expect("a packet"), 0);
    let (mut ended, mut reads) = (vec![0; LEAD], 0);
    let mut asked: Option<usize> = None;
    for cycle in 0..6_000 {
        if asked.is_none() && bench.rng.gen_bool(0.3) {
            bench.ask(index);
            asked = Some(cycle);
        }
        let release = (asked.is_none() && bench.rng.gen_bool(0.05)).then(|| (release_register(10), 1));
        let tail = at + 1 == packet.len();
        let taken = bench.step(Some((packet[at], tail)), release);
        let total = ended.last().expect("a count") + u64::from(taken && tail);
        ended.push(total);
        if taken {
            at += 1;
        }
        if at == packet.len() {
            (packet, at) = (flits.next().expect("a packet"), 0);
        }
        if let Some(since) = asked.filter(|since| cycle + 1 == since + ANSWER_CYCLES) {
            // What was taken so long before the read has been written by then.
            let (least, most) = (ended[since], ended[since + LEAD - 1 + ANSWER_CYCLES]);
            let answer = bench.answer();
            assert!(
                (least..=most).contains(&answer),
                "cycle {cycle}: {answer} of {least} to {most}"
            );
            asked = None;
            reads += 1;
        }
    }
    assert!(reads > 500 && ended.last().expect("a count") > &2_000, "{reads}");
}

/// Software moves the pointer of a stream between two of its packets.
#[test]
fn what_software_writes_between_two_packets_holds_for_the_second() {
    for pause in 3..12 {
        let (mut bench, mut model) = (Bench::<32, 4>::new(10, 1.0), Model::new(32));
        configure(
            &mut bench,
            &mut model,
            &opening(9, 0, 500, control(Mode::Pointer, None), 0),
        );
        for round in 1..6 {
            bench.send(&stream(9, true, &[round, round]));
            (0..pause).for_each(|_| {
                bench.step(None, None);
            });
            bench.write_register(tag_register(9, TagRegister::Pointer), 50 * round);
            bench.send(&stream(9, true, &[7 + round]));
            (0..pause).for_each(|_| {
                bench.step(None, None);
            });
            assert_eq!(
                bench.memory[50 * round as usize],
                7 + round,
                "pause {pause}, round {round}"
            );
            assert_eq!(
                bench.read_register(tag_register(9, TagRegister::Pointer)),
                50 * round + 1,
                "pause {pause}, round {round}"
            );
        }
        assert_eq!(bench.read_register(tag_register(9, TagRegister::Ends)), 10);
    }
}

fn operates_alike<const W: usize, const B: usize>() {
    let (mut bench, mut model) = (Bench::<W, B>::new(8, 1.0), Model::new(W));
    configure(
        &mut bench,
        &mut model,
        &opening(9, 5, 8, control(Mode::Window, None), 0),
    );
    let operations = [
        Operation::PostAdd,
        Operation::Poke,
        Operation::FetchAdd,
        Operation::FetchClear,
        Operation::CompareAndSwap,
        Operation::Peek,
        Operation::AddIf,
    ];
    let mut packets = vec![];
    for round in 0..300 {
        let operation = operations[round % 7];
        let (wide, half, offset) = (bench.rng.gen(), bench.rng.gen(), bench.rng.gen_range(0..9));
        // Values meet and carry: small ones, and those next to the greatest.
        let count = if bench.rng.gen_bool(0.8) {
            4
        } else {
            bench.rng.gen_range(0..6)
        };
        let operands: Vec<u64> = (0..count)
            .map(|_| (bench.rng.gen_range(0..4u32).wrapping_sub(2)).into())
            .collect();
        let aligned = if wide && bench.rng.gen_bool(0.8) {
            offset & !1
        } else {
            offset
        };
        packets.push(atomic(9, aligned, round as u64 % 32, operation, wide, half, &operands));
    }
    sends_alike(&mut bench, &mut model, &packets);
    assert_eq!(bench.memory, model.memory);
    for flits in 1..=3 {
        let times = model.log.answers.iter().filter(|answer| answer.len() == flits).count();
        assert!(times > 30, "W {W}: {times} answers of {flits} flits");
    }
}

#[test]
fn atomic_operations_of_every_kind_do_as_the_model() {
    operates_alike::<32, 4>();
    operates_alike::<64, 8>();
}

#[test]
fn words_beyond_the_memory_are_refused_to_the_last() {
    let (mut bench, mut model) = (Bench::<32, 4>::new(7, 1.0), Model::new(32));
    configure(
        &mut bench,
        &mut model,
        &opening(9, 0x3f_ffff, 0x80_0000, control(Mode::Window, None), 0),
    );
    configure(
        &mut bench,
        &mut model,
        &opening(10, 0, 0xff_ffff, control(Mode::Pointer, None), 0xffff << 16 | 1),
    );
    let packets = [
        put(9, true, 0x3f_ffff, 1, &[1; 64]),
        put(255, true, MEMORY_WORDS - 1, 2, &[1, 2]),
        stream(10, true, &[3; 64]),
        stream(10, true, &[4; 64]),
        stream(10, true, &[5; 64]),
    ];
    sends_alike(&mut bench, &mut model, &packets);
    assert_eq!(bench.log.writes.len(), 2);
}
