//! The sink: what it counts, and when.

use super::*;

clocked!([const W: usize] ProbeSink<W>);

/// The counts that the specification wants of a sink.
#[derive(Debug, Default, PartialEq)]
struct Counts {
    received: u64,
    words: u64,
    errors: u64,
    least: u64,
    greatest: u64,
    sum: u64,
    first: u64,
    last: u64,
}

fn counts<const W: usize>(dut: &ProbeSink<W>) -> Counts {
    Counts {
        received: dut.received.val().to_u64(),
        words: dut.words.val().to_u64(),
        errors: dut.errors.val().to_u64(),
        least: dut.least.val().to_u64(),
        greatest: dut.greatest.val().to_u64(),
        sum: dut.sum.val().to_u64(),
        first: dut.first.val().to_u64(),
        last: dut.last.val().to_u64(),
    }
}

fn a_sink_counts<const W: usize>() {
    let mut rng = rng(0x51a + W as u64);
    let mut dut = reset(ProbeSink::<W>::default());
    dut.sweep.active.next = true;
    for place in 0..1u64 << NODE_WIDTH {
        dut.sweep.place.next = place.into();
        clock(&mut dut);
    }
    dut.sweep.active.next = false;
    // Near the end of time, which wraps.
    let mut now: u32 = u32::MAX - 5_000;
    let none = Counts {
        least: u32::MAX.into(),
        ..Counts::default()
    };
    let mut expected = Counts {
        least: u32::MAX.into(),
        ..Counts::default()
    };
    let mut due: BTreeMap<u16, u32> = BTreeMap::new();
    let mut wrongs = 0;
    for packet in 0..3_000 {
        let source = Node {
            x: rng.gen_range(0..4),
            y: rng.gen_range(0..3),
        };
        let (tag, length): (u8, usize) = (rng.gen(), [2, 3, 5, 33][rng.gen_range(0..4)]);
        let number = due.entry(source.number()).or_default();
        let stamp = now.wrapping_sub(rng.gen_range(0..300));
        let fault = if rng.gen_bool(0.2) { rng.gen_range(1..6) } else { 0 };
        let sequence = number.wrapping_add(u32::from(fault == 1));
        let mut words: Vec<u64> = content(tag, sequence, stamp, length)
            .into_iter()
            .map(|word| widened(W, word))
            .collect();
        let mut wrong = fault == 1;
        if fault == 2 && length > 2 {
            let at = rng.gen_range(2..length);
            words[at] ^= 1 << rng.gen_range(0..W);
            wrong = true;
        }
        if fault == 3 && W == 64 {
            let at = rng.gen_range(0..length);
            words[at] ^= 1 << rng.gen_range(32..W);
            wrong = true;
        }
        if fault == 4 && packet % 4 == 0 {
            words.truncate(rng.gen_range(0..2));
            wrong = true;
        }
        wrongs += u64::from(wrong);
        *number = sequence.wrapping_add(u32::from(!words.is_empty()));
        if words.is_empty() {
            *number = sequence;
        }
        let head = Head {
            destination: HERE,
            source,
            tag,
            kind: DataKind::Probe as u8,
            last: rng.gen(),
        };
        let flits = [&[u64::from(head.encode().unwrap())][..], &words].concat();
        for (at, &flit) in flits.iter().enumerate() {
            while rng.gen_bool(if packet < 1_500 { 0.0 } else { 0.3 }) {
                dut.flits.valid.next = false;
                dut.now.next = u64::from(now).into();
                clock(&mut dut);
                now = now.wrapping_add(1);
            }
            let last = at + 1 == flits.len();
            dut.flits.valid.next = true;
            dut.flits.first.next = at == 0;
            dut.flits.last.next = last;
            dut.flits.data.next = flit.into();
            dut.now.next = u64::from(now).into();
            clock(&mut dut);
            if at == 0 && expected.received == 0 {
                expected.first = now.into();
            }
            if last {
                expected.received += 1;
                expected.words += words.len() as u64;
                expected.errors += u64::from(wrong);
                expected.last = now.into();
                if words.len() >= 2 {
                    let latency = u64::from(now.wrapping_sub(stamp));
                    expected.least = expected.least.min(latency);
                    expected.greatest = expected.greatest.max(latency);
                    expected.sum += latency;
                }
            }
            now = now.wrapping_add(1);
        }
        dut.flits.valid.next = false;
        let is_short = words.len() < 2;
        if is_short || packet % 500 == 499 {
            for _ in 0..8 {
                dut.now.next = u64::from(now).into();
                clock(&mut dut);
                now = now.wrapping_add(1);
            }
            let mut seen = counts(&dut);
            if is_short {
                // A packet without a time stamp has no latency worth having.
                (seen.least, seen.greatest, seen.sum) = (expected.least, expected.greatest, expected.sum);
            }
            assert_eq!(seen, expected, "packet {packet}");
        }
        if is_short || packet % 1_500 == 1_499 {
            dut.clear.next = true;
            clock(&mut dut);
            now = now.wrapping_add(1);
            dut.clear.next = false;
            assert_eq!(counts(&dut), none);
            expected = Counts {
                least: u32::MAX.into(),
                ..Counts::default()
            };
        }
    }
    assert!(wrongs > 150, "{wrongs}");
}

#[test]
fn a_sink_counts_packets_words_errors_and_latencies() {
    a_sink_counts::<32>();
    a_sink_counts::<64>();
}

/// Counts that are cleared at any moment of a packet never have it in part.
#[test]
fn a_packet_in_flight_when_counts_are_cleared_is_not_counted() {
    let mut dut = reset(ProbeSink::<32>::default());
    dut.sweep.active.next = true;
    for place in 0..1u64 << NODE_WIDTH {
        dut.sweep.place.next = place.into();
        clock(&mut dut);
    }
    dut.sweep.active.next = false;
    let (mut now, mut counted) = (1_000u32, 0);
    for number in 0..24u32 {
        let head = Head {
            destination: HERE,
            source: HERE,
            tag: 5,
            kind: DataKind::Probe as u8,
            last: true,
        };
        let words = content(5, number, now - 9, 6);
        let flits = [&[head.encode().unwrap()][..], &words].concat();
        for at in 0..16 {
            let flit = flits.get(at);
            dut.flits.valid.next = flit.is_some();
            dut.flits.first.next = at == 0;
            dut.flits.last.next = at + 1 == flits.len();
            dut.flits.data.next = u64::from(flit.copied().unwrap_or_default()).into();
            dut.now.next = u64::from(now).into();
            dut.clear.next = at == number as usize % 12;
            clock(&mut dut);
            now += 1;
        }
        let seen = counts(&dut);
        assert_eq!(seen.errors, 0);
        if seen.received == 0 {
            assert_eq!(
                seen,
                Counts {
                    least: u32::MAX.into(),
                    ..Counts::default()
                },
                "packet {number}"
            );
        } else {
            counted += 1;
            assert_eq!(
                (seen.received, seen.words, seen.least, seen.sum),
                (1, 6, 15, 15),
                "packet {number}"
            );
            assert_eq!(seen.last - seen.first, 6);
        }
    }
    assert!((2..20).contains(&counted), "{counted}");
}
