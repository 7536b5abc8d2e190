//! Jobs as the dispatcher starts them, in fixed logic: packets are those of the built-in programs.

use super::check;
use crate::dma::transmit::testing::{Bench, Job, Mood, EAGER};
use portico_spec::{
    ni::{
        build::Build,
        command::TRANSFER_WORDS,
        firmware::{firmware, Entries},
        packet::{ControlKind, DataKind},
        registers::{Block as RegisterBlock, ShaperRegister},
        ErrorCode, SERVER_CONTEXT,
    },
    Config,
};
use rand::{rngs::SmallRng, Rng};
use std::collections::HashSet;

const SERVER: u64 = SERVER_CONTEXT as u64;

/// A node of one core without programs, with all shapers and with queues.
fn build() -> Build {
    Build {
        programs: false,
        cores: 1,
        ..Build::FULL
    }
}

fn bench<const W: usize>(seed: u64, mood: Mood) -> Bench<W> {
    Bench::with(&build(), seed, mood)
}

/// Rows as a descriptor describes them.
#[derive(Clone, Copy)]
struct Shape {
    words: usize,
    row: u64,
    rows: u64,
    /// Here, there.
    strides: [u64; 2],
    planes: u64,
    plane_strides: [u64; 2],
}

impl Shape {
    fn row(row: u64) -> Self {
        Self {
            words: TRANSFER_WORDS[0],
            row,
            rows: 1,
            strides: [0; 2],
            planes: 1,
            plane_strides: [0; 2],
        }
    }

    fn random(rng: &mut SmallRng) -> Self {
        let row = match rng.gen_range(0..4) {
            0 => rng.gen_range(1..5),
            1 => 64,
            _ => rng.gen_range(1..150),
        };
        let mut shape = Self::row(if rng.gen_bool(0.1) { 0 } else { row });
        shape.words = TRANSFER_WORDS[rng.gen_range(0..3)];
        if shape.words >= TRANSFER_WORDS[1] {
            shape.rows = rng.gen_range(0..12);
            shape.strides = [rng.gen_range(0..200), row + rng.gen_range(0..2) * rng.gen_range(0..50)];
        }
        if shape.words == TRANSFER_WORDS[2] {
            shape.planes = rng.gen_range(0..4);
            shape.plane_strides = [rng.gen_range(0..500), rng.gen_range(0..3000)];
        }
        shape
    }

    fn is_nothing(&self) -> bool {
        self.row * self.rows * self.planes == 0
    }

    /// Words of the descriptor from word 1 on, as the dispatcher passes them on.
    fn registers(&self, offset: u64, pointer: u64) -> Vec<(u64, u32)> {
        let pair = |high: u64, low: u64| high << 16 | low;
        let words = [
            offset,
            pointer,
            pair(self.rows, self.row),
            pair(self.strides[1], self.strides[0]),
            self.planes,
            pair(self.plane_strides[1], self.plane_strides[0]),
        ];
        (1..)
            .zip(words)
            .take(self.words - 1)
            .map(|(at, word)| (at, word as u32))
            .collect()
    }

    /// The job that moves the rows, by the first program, or by that of rows, of planes, of nothing.
    fn job(&self, context: u64, programs: [u8; 4], offset: u64, pointer: u64) -> Job {
        let is_row = self.words == TRANSFER_WORDS[0] || (context == SERVER && self.rows == 1);
        let program = match () {
            () if self.is_nothing() => 3,
            () if self.words == TRANSFER_WORDS[2] => 2,
            () if is_row => 0,
            () => 1,
        };
        let single = program == 3 || (self.rows == 1 && self.planes == 1 && self.row <= 64);
        let words = if program == 3 { 0 } else { self.row };
        Job {
            pc: programs[program].into(),
            offset,
            row: self.row,
            stride: if self.rows > 1 { self.strides[1] } else { self.row },
            payload: single.then_some([0, words, pointer]),
            registers: self.registers(offset, pointer),
            // Beside the words of the bypass: where a walk begins.
            pointer,
            ..Job::put(context)
        }
    }
}

fn command(rng: &mut SmallRng, entries: &Entries) -> Job {
    let shape = Shape::random(rng);
    let (offset, pointer) = (rng.gen_range(0..3000), rng.gen_range(0..5000));
    let untold = |job: Job| Job {
        bare: true,
        has_slot: false,
        ..job
    };
    let Entries {
        put,
        put2d,
        put3d,
        empty,
        get,
        get2d,
        get3d,
        stream,
        stream2d,
        stream_empty,
        ..
    } = *entries;
    let quiet = rng.gen();
    let job = match rng.gen_range(0..7) {
        0..=1 => shape.job(0, [put, put2d, put3d, empty], offset, pointer),
        2 => {
            let words = shape.words.min(TRANSFER_WORDS[1]);
            let shape = Shape {
                words,
                planes: 1,
                ..shape
            };
            let job = shape.job(0, [stream, stream2d, 0, stream_empty], 0, pointer);
            Job {
                kind: DataKind::Stream as u64,
                stride: job.row,
                ..untold(job)
            }
        }
        3 => {
            let job = shape.job(0, [get, get2d, get3d, 0], offset, pointer);
            let at = TRANSFER_WORDS.iter().position(|&words| words == shape.words).unwrap();
            Job {
                pc: [get, get2d, get3d][at].into(),
                control: true,
                kind: ControlKind::Get as u64,
                payload: (at == 0).then_some([2, 0, 0]),
                ..job
            }
        }
        4 => {
            let operands = rng.gen_range(0..=4);
            Job {
                pc: entries.atomic[operands].into(),
                kind: DataKind::Atomic as u64,
                half: rng.gen(),
                wide: rng.gen(),
                operation: rng.gen_range(0..8),
                offset,
                payload: Some([operands as u64, 0, 0]),
                registers: (2..6).map(|register| (register, rng.gen())).collect(),
                ..Job::put(0)
            }
        }
        5 => Job {
            pc: entries.mail.into(),
            control: true,
            kind: ControlKind::Mail as u64,
            payload: Some([2, 0, 0]),
            registers: vec![(2, rng.gen()), (3, rng.gen())],
            ..untold(Job::put(0))
        },
        _ => {
            let shape = Shape::row(rng.gen_range(0..=60));
            let job = shape.job(0, [entries.enqueue, 0, 0, entries.enqueue_empty], 0, pointer);
            Job {
                kind: DataKind::Message as u64,
                payload: Some([1, shape.row, pointer]),
                registers: [vec![(0, rng.gen())], job.registers.clone()].concat(),
                ..untold(job)
            }
        }
    };
    Job { quiet, ..job }
}

/// A get of another node, which may leave its window.
fn request(rng: &mut SmallRng, entries: &Entries) -> Job {
    let shape = Shape::random(rng);
    let (offset, limit) = (rng.gen_range(0..3000), rng.gen_range(500..6000));
    let pointer = match rng.gen_range(0..8) {
        0 => limit - rng.gen_range(0..100),
        1 => limit + rng.gen_range(0..100),
        _ => rng.gen_range(0..400),
    };
    reply(shape, offset, pointer, limit, rng.gen_range(0..1 << 22), entries)
}

fn reply(shape: Shape, offset: u64, pointer: u64, limit: u64, base: u64, entries: &Entries) -> Job {
    let programs = [entries.put, entries.put2d, entries.put3d, entries.empty];
    let job = shape.job(SERVER, programs, offset, pointer);
    let inside = shape.is_nothing() || pointer + shape.row <= limit;
    Job {
        kind: DataKind::Reply as u64,
        has_slot: false,
        quiet: true,
        slot: 0,
        base,
        limit,
        payload: job
            .payload
            .filter(|_| inside && shape.words < TRANSFER_WORDS[2] || shape.is_nothing()),
        ..job
    }
}

/// Commands and gets side by side, each lane one job after the other.
fn rounds<const W: usize>(seed: u64, mood: Mood) -> HashSet<u64> {
    let entries = firmware().entries;
    let mut bench = bench::<W>(seed, mood);
    let mut rng = crate::prim::testing::rng(seed ^ 0xf1ed);
    let mut errors = HashSet::new();
    let mut packets = 0;
    for round in 0..30 {
        let maximum: Vec<u64> = (0..2)
            .map(|_| if rng.gen() { 64 } else { rng.gen_range(1..=64) })
            .collect();
        for (shaper, &words) in maximum.iter().enumerate() {
            bench.write(RegisterBlock::Shapers, shaper as u64 * 4, words as u32);
            bench.write(RegisterBlock::Shapers, shaper as u64 * 4 + 1, [0, 90][shaper]);
        }
        let told = Job {
            shaper: rng.gen_range(0..2),
            ..command(&mut rng, &entries)
        };
        let asked = request(&mut rng, &entries);
        bench.credits = vec![(told.segment, 1)];
        bench.packets.clear();
        bench.stops.clear();
        bench.notices.clear();
        let mut jobs = [&told, &asked];
        if rng.gen() {
            jobs.reverse();
        }
        for job in jobs {
            bench.start(job);
            (0..rng.gen_range(0..150)).for_each(|_| bench.step());
        }
        bench.finish(2, 200_000);
        let mut notices = vec![];
        for job in jobs {
            let expected = check(&bench, job, &[], maximum[job.shaper as usize]);
            errors.insert(expected.error);
            packets += expected.packets.len();
            notices.extend(expected.notices);
        }
        let seen: Vec<u64> = bench.notices.iter().map(|(_, event)| *event).collect();
        assert_eq!(seen, notices, "round {round}: {told:?}");
    }
    assert!(packets > 100, "{packets} packets");
    errors
}

#[test]
fn jobs_of_both_lanes_send_what_the_programs_would() {
    let mood = |ready, latency, jitter| Mood { ready, latency, jitter };
    let mut errors = rounds::<32>(0x51, EAGER);
    errors.extend(rounds::<32>(0x52, mood(0.7, 1, 3)));
    errors.extend(rounds::<32>(0x53, mood(0.8, 30, 10)));
    errors.extend(rounds::<64>(0x54, mood(0.3, 4, 2)));
    assert_eq!(errors, HashSet::from([0, ErrorCode::OutOfWindow as u64]));
}

/// The pointer of a request may have all of its bits.
#[test]
fn a_get_far_beyond_its_window_breaks_off_at_once() {
    let entries = firmware().entries;
    for pointer in [1 << 22, 1 << 23, 1 << 31, u64::from(u32::MAX)] {
        let job = reply(Shape::row(3), 7, pointer, 1000, 0, &entries);
        let job = Job {
            pointer: pointer % (1 << 22),
            ..job
        };
        let mut bench = bench::<32>(1, EAGER);
        bench.start(&job);
        bench.finish(1, 500);
        let expected = check(&bench, &job, &[], 64);
        assert_eq!(
            (expected.error, expected.packets.len()),
            (ErrorCode::OutOfWindow as u64, 1)
        );
    }
}

#[test]
fn one_packet_is_as_soon_as_past_micro_cores() {
    let entries = firmware().entries;
    let programs = [entries.put, entries.put2d, entries.put3d, entries.empty];
    let put = Shape::row(2).job(0, programs, 0x100, 0x40);
    let mut bench = bench::<32>(0, EAGER);
    let started = bench.start(&put);
    bench.finish(1, 100);
    check(&bench, &put, &[], 64);
    let packet = &bench.packets[0];
    assert_eq!((packet.offered, packet.gone), (started + 2, started + 5));
    assert_eq!(bench.stops[0].cycle, started + 2, "the context is free");
}

#[test]
fn a_long_put_and_rows_with_gaps_fill_the_link() {
    let entries = firmware().entries;
    let programs = [entries.put, entries.put2d, entries.put3d, entries.empty];
    let rows = Shape {
        words: TRANSFER_WORDS[1],
        rows: 80,
        strides: [40, 11],
        ..Shape::row(8)
    };
    for (shape, flits) in [(Shape::row(640), 66), (rows, 67)] {
        let job = shape.job(0, programs, 0, 0);
        let mut bench = bench::<32>(0, EAGER);
        bench.start(&job);
        bench.finish(1, 2000);
        check(&bench, &job, &[], 64);
        assert_eq!(bench.packets.len(), 10);
        for pair in bench.packets.windows(2).skip(1) {
            assert_eq!(pair[1].gone - pair[0].gone, flits);
        }
    }
}

/// A get goes between the packets of a put, and packet by packet.
#[test]
fn lanes_take_turns_by_packets() {
    let entries = firmware().entries;
    let programs = [entries.put, entries.put2d, entries.put3d, entries.empty];
    let put = Shape::row(64 * 20).job(0, programs, 0, 0);
    let get = reply(Shape::row(64 * 5), 0, 0, 1000, 0, &entries);
    let mut bench = bench::<32>(0, EAGER);
    bench.start(&put);
    (0..100).for_each(|_| bench.step());
    bench.start(&get);
    bench.finish(2, 4000);
    for job in [&put, &get] {
        check(&bench, job, &[], 64);
    }
    let order: Vec<bool> = bench
        .packets
        .iter()
        .map(|sent| sent.destination() == get.destination)
        .collect();
    let first = order.iter().position(|&of_get| of_get).unwrap();
    // Those before it have gone, or have their headers in the queue.
    assert!(first < 8, "{order:?}");
    for (at, &of_get) in order[first..first + 9].iter().enumerate() {
        assert_eq!(of_get, at % 2 == 0, "{order:?}");
    }
}

fn fence(entries: &Entries) -> Job {
    Job {
        pc: entries.fence.into(),
        bare: true,
        has_slot: false,
        ..Job::put(0)
    }
}

fn message(entries: &Entries) -> Job {
    Job {
        pc: entries.enqueue_empty.into(),
        kind: DataKind::Message as u64,
        payload: Some([1, 0, 0]),
        registers: vec![(0, 77)],
        shaper: 3,
        ..fence(entries)
    }
}

/// A command that waits for its fence or its shaper lets gets by, and goes on when its time has come.
#[test]
fn a_command_that_waits_lets_gets_by() {
    let entries = firmware().entries;
    let fence = fence(&entries);
    let programs = [entries.put, entries.put2d, entries.put3d, entries.empty];
    let held = Job {
        shaper: 3,
        ..Shape::row(640).job(0, programs, 0, 0)
    };
    for waits in [&fence, &held] {
        let mut bench = bench::<32>(5, EAGER);
        bench.write(RegisterBlock::Shapers, 3 * 4 + ShaperRegister::Rate as u64, 1);
        bench.busy = vec![(fence.segment, 3)];
        bench.start(waits);
        (0..300).for_each(|_| bench.step());
        assert!(bench.dut.running.val() && bench.dut.waiting.val(), "{waits:?}");
        let before = bench.packets.len();
        for _ in 0..2 {
            let get = reply(Shape::row(200), 0, 0, 1000, 0, &entries);
            bench.stops.clear();
            bench.start(&get);
            (0..400).for_each(|_| bench.step());
            check(&bench, &get, &[], 64);
            bench.packets.retain(|sent| sent.destination() != get.destination);
        }
        assert_eq!(bench.packets.len(), before);
        assert!(bench.notices.is_empty());
        bench.write(RegisterBlock::Shapers, 3 * 4 + ShaperRegister::Rate as u64, 0);
        bench.busy.clear();
        bench.stops.clear();
        bench.finish(1, 3000);
        let expected = check(&bench, waits, &[], 64);
        assert_eq!(bench.notices.len(), expected.notices.len());
    }
}

/// A message takes its credit before its shaper lets it go; without one it is refused, and what follows is not.
#[test]
fn a_message_without_a_credit_is_refused() {
    let entries = firmware().entries;
    let message = message(&entries);
    let mut bench = bench::<32>(6, EAGER);
    bench.write(RegisterBlock::Shapers, 3 * 4 + ShaperRegister::Rate as u64, 1);
    bench.credits.push((message.segment, 2));
    for _ in 0..2 {
        bench.start(&message);
        (0..100).for_each(|_| bench.step());
    }
    assert_eq!((bench.stops.len(), bench.packets.len(), bench.credits[0].1), (1, 1, 0));
    assert!(bench.dut.waiting.val());
    bench.write(RegisterBlock::Shapers, 3 * 4 + ShaperRegister::Rate as u64, 0);
    bench.finish(2, 100);
    assert_eq!((bench.packets.len(), bench.notices.len()), (2, 2));

    bench.stops.clear();
    for has_slot in [false, true] {
        bench.start(&Job {
            has_slot,
            ..message.clone()
        });
        (0..100).for_each(|_| bench.step());
    }
    let programs = [entries.put, entries.put2d, entries.put3d, entries.empty];
    bench.start(&Shape::row(2).job(0, programs, 0, 0));
    bench.finish(3, 200);
    let told: Vec<_> = bench.stops.iter().map(|stop| (stop.owns_slot, stop.error)).collect();
    let code = ErrorCode::NoCredit as u64;
    assert_eq!(told, [(false, code), (true, code), (false, 0)]);
    assert_eq!((bench.packets.len(), bench.notices.len()), (3, 2));
}

/// The error of a get does not appear in the event of the fence that follows.
#[test]
fn a_fence_after_a_get_that_broke_off_is_well() {
    let entries = firmware().entries;
    let mut bench = bench::<32>(7, EAGER);
    bench.start(&reply(Shape::row(200), 0, 900, 1000, 0, &entries));
    bench.finish(1, 500);
    assert_eq!(bench.stops[0].error, ErrorCode::OutOfWindow as u64);
    bench.stops.clear();
    bench.start(&fence(&entries));
    bench.finish(1, 100);
    assert_eq!((bench.stops[0].error, bench.notices.len()), (0, 1));
}

/// The profile of the smallest node has it.
#[test]
fn a_leaf_is_such_a_node() {
    let leaf = Config::from_toml("profile = 'leaf'").unwrap().build();
    assert_eq!((leaf.cores, leaf.programs), (1, false));
}
