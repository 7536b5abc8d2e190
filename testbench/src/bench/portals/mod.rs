//! The benchmark of the Portals engine: puts and gets of tile 0 that a tile one hop away matches.
//!
//! The driver sets up both tiles. Descriptors come by the command stream of tile 0, but for those of the host. A latency counts
//! from the cycle in which the last word of a descriptor is accepted to that in which an event of a tile shows, which counts with
//! the counter or event queue. All entries are for the rank of tile 0, and one portal index at a time has any. So a search compares
//! one entry: the first, also where entries with USE_ONCE wait behind it. All that was moved is compared with what was sent, and
//! every Portals event with what is due.
//!
//! | module | |
//! | --- | --- |
//! | [`mod@bench`] | both tiles, and one measure of them |
//! | [`unexpected`] | messages that come before their receives |

pub mod bench;
pub mod unexpected;

use super::{
    onesided::{
        bounds::{neighbour, size, Way},
        device::FabricDevice,
    },
    report::{Better, Row},
};
use anyhow::{bail, ensure, Context};
use bench::{Bench, Station, INITIATOR_RANK};
use portico::{
    portals::{EntryOptions, Error, EventKind, Me},
    Transport,
};
use portico_spec::portals::engine::{EVENT_WORDS, PUT_HEADER_WORDS, PUT_WORDS, REPLY_HEADER_WORDS, ROOM_WORDS};

/// Name of the benchmark in its rows.
const BENCH: &str = "portals";
/// Times that each latency is measured; the longest counts.
const REPEATS: usize = 4;
/// Bytes of a short put or get, and words that it writes.
const SMALL: usize = 8;
const SMALL_WORDS: usize = SMALL / 4;
/// Cycles in which the list manager searches a bucket of one entry, beyond which the bounds of latencies are set.
const SEARCH: u64 = 6;
/// Bytes of the puts and gets whose rate is held against a bound.
const BULK: usize = 64 << 10;
/// Offsets in bytes of both ends of a bulk transfer that is not aligned: in the source, then in the destination.
const ODD_OFFSETS: [(usize, usize); 3] = [(1, 3), (3, 1), (3, 2)];
/// Longest time of a wait of the host, in cycles.
const HOST_CYCLES: u64 = 100_000;

/// How much to measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Effort {
    /// Short puts that are timed, after as many.
    pub puts: usize,
    /// Bytes of a bulk transfer, a multiple of 4.
    pub bulk: usize,
    /// Most messages that wait for their receive.
    pub headers: usize,
    /// Of the data.
    pub seed: u64,
}

impl Default for Effort {
    fn default() -> Self {
        Self {
            puts: 64,
            bulk: BULK,
            headers: unexpected::MOST,
            seed: 1,
        }
    }
}

impl Effort {
    /// Short runs, for any size of lists and memories.
    pub fn quick() -> Self {
        Self {
            puts: 16,
            bulk: 4 << 10,
            headers: 8,
            ..Self::default()
        }
    }
}

/// What takes the puts of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Receiver {
    /// An entry that stays, with a counter.
    Counter,
    /// An entry that stays; each put raises an event.
    Event,
    /// An entry for each put, which raises an event.
    Once,
    /// The same, and it raises AUTO_UNLINK too.
    OnceUnlink,
}

impl Receiver {
    const ALL: [Receiver; 4] = [Receiver::Counter, Receiver::Event, Receiver::Once, Receiver::OnceUnlink];

    fn name(self) -> &'static str {
        match self {
            Receiver::Counter => "persistent entry, counter",
            Receiver::Event => "persistent entry, event",
            Receiver::Once => "USE_ONCE, event",
            Receiver::OnceUnlink => "USE_ONCE, event and AUTO_UNLINK",
        }
    }

    fn is_persistent(self) -> bool {
        matches!(self, Receiver::Counter | Receiver::Event)
    }

    /// Portals events that a put raises, in their order.
    fn events(self) -> &'static [EventKind] {
        match self {
            Receiver::Counter => &[],
            Receiver::Event | Receiver::Once => &[EventKind::Put],
            Receiver::OnceUnlink => &[EventKind::Put, EventKind::AutoUnlink],
        }
    }

    fn options(self) -> EntryOptions {
        let options = EntryOptions::OP_PUT | EntryOptions::EVENT_LINK_DISABLE;
        match self {
            Receiver::Counter => options | EntryOptions::EVENT_CT_COMM,
            Receiver::Event => options,
            Receiver::Once => options | EntryOptions::USE_ONCE | EntryOptions::EVENT_UNLINK_DISABLE,
            Receiver::OnceUnlink => options | EntryOptions::USE_ONCE,
        }
    }

    /// Cycles below which no put can be: the words of its descriptor, or what is written, a word a cycle.
    fn limit(self) -> usize {
        PUT_WORDS.max(SMALL_WORDS + self.events().len() * EVENT_WORDS)
    }

    /// Most cycles of a put.
    fn bound(self) -> f64 {
        match self {
            Receiver::Counter => 12.0,
            Receiver::Event | Receiver::Once => 16.0,
            Receiver::OnceUnlink => 28.0,
        }
    }
}

/// Runs the benchmark on a fabric out of reset. `progress` is told of each step: how many of how many are done, and what comes next.
/// Gives the rows, and the cycles of all of it.
///
/// # Errors
/// The fabric cannot be measured, or did something wrong.
pub fn run<D: FabricDevice + Transport>(
    device: D,
    effort: &Effort,
    progress: &mut dyn FnMut(usize, usize, &str),
) -> anyhow::Result<(Vec<Row>, u64)> {
    let config = Transport::config(&device);
    ensure!(
        config.tiles() > 1,
        "a fabric of one tile cannot be measured: it has no neighbour"
    );
    let next = neighbour(config);
    // Beside the headers, the lists have entries.
    let lengths = unexpected::lengths(effort.headers.min(config.entries / 2));
    let steps = 4 + Receiver::ALL.len() + lengths.len() + 2 * Way::ALL.len();
    let mut step = 0;
    let mut next_step = |name: &str| {
        progress(step, steps, name);
        step += 1;
    };

    next_step("setting up");
    let most = effort.bulk.max(2 * effort.puts * SMALL);
    let events = 2 * effort.puts * 2;
    let mut bench = Bench::new(device, next, most, events, effort.seed).context("cannot set up the fabric")?;
    next_step("single puts and gets");
    let mut rows = vec![];
    for way in Way::ALL {
        rows.extend(latency(&mut bench, way)?);
    }
    for receiver in Receiver::ALL {
        let name = format!("puts of {SMALL} bytes, each, {}", receiver.name());
        next_step(&name);
        let cycles = stream(&mut bench, receiver, effort.puts).with_context(|| name.clone())?;
        rows.push(Row {
            limit: Some(receiver.limit() as f64),
            bound: Some(receiver.bound()),
            ..row(name, "cycles", Better::Less, cycles)
        });
    }
    next_step("unexpected puts");
    for receiver in [Receiver::Counter, Receiver::Event] {
        rows.push(unexpected::stream(&mut bench, receiver, effort.puts).context("unexpected puts")?);
    }
    for length in lengths {
        next_step(&format!("{length} headers"));
        rows.extend(unexpected::append(&mut bench, length).with_context(|| format!("{length} headers"))?);
    }
    for way in Way::ALL {
        for (what, offsets) in [("aligned", &[(0, 0)][..]), ("odd offsets at both ends", &ODD_OFFSETS)] {
            let name = format!("{} of {}, {what}", way.name(), size(effort.bulk));
            next_step(&name);
            let cycles = bulk(&mut bench, way, effort.bulk, offsets).with_context(|| name.clone())?;
            let bound = if what == "aligned" { 3.5 } else { 3.3 };
            rows.push(Row {
                limit: Some(effort.bulk as f64 / flits(way, effort.bulk / 4) as f64),
                bound: (effort.bulk == BULK).then_some(bound),
                ..row(name, "bytes/cycle", Better::More, effort.bulk as f64 / cycles as f64)
            });
        }
    }
    next_step("the host");
    rows.push(row(
        format!("put of {SMALL} bytes, from the driver's call to the return of ct_wait"),
        "cycles",
        Better::Less,
        host(&mut bench)? as f64,
    ));
    progress(steps, steps, "done");
    Ok((rows, Transport::cycles(bench.fabric.transport())))
}

fn row(name: String, unit: &str, better: Better, value: f64) -> Row {
    Row::new(BENCH, name, unit, better, value).with("measure", "move")
}

/// Flits of a message of so many words, one or more.
fn flits(way: Way, words: usize) -> usize {
    let header = match way {
        Way::Put => PUT_HEADER_WORDS,
        Way::Get => REPLY_HEADER_WORDS,
    };
    header + words + (header + words).div_ceil(ROOM_WORDS)
}

/// The tile whose room has the data of a move then.
fn end(way: Way) -> Station {
    match way {
        Way::Put => Station::Target,
        Way::Get => Station::Initiator,
    }
}

/// The entry for moves of a direction: the room of the target with its counter, or its source.
fn entry<D>(bench: &Bench<D>, way: Way) -> Me {
    let (memory, ct, options) = match way {
        Way::Put => (bench.target.room, Some(bench.target.ct), Receiver::Counter.options()),
        Way::Get => (bench.target.source, None, EntryOptions::OP_GET),
    };
    Me {
        start: memory.base,
        length: memory.bytes.into(),
        ct,
        options,
        ..Me::default()
    }
}

/// The descriptor of a move from byte `from` of a source to byte `to` of a room.
fn descriptor<D: FabricDevice + Transport>(
    bench: &Bench<D>,
    way: Way,
    pt_index: u32,
    length: usize,
    (from, to): (usize, usize),
) -> Vec<u32> {
    match way {
        Way::Put => bench.put_descriptor(&bench.put(pt_index, length, from, to), 0),
        Way::Get => bench.get_descriptor(pt_index, length, from, to),
    }
}

/// The longest of several short moves, from the last and from the first descriptor word.
fn latency<D: FabricDevice + Transport>(bench: &mut Bench<D>, way: Way) -> anyhow::Result<[Row; 2]> {
    let index = bench.open(None, &[entry(bench, way)])?;
    let (mut last, mut first) = (0, 0);
    for _ in 0..REPEATS {
        let from = bench.shift();
        let descriptor = descriptor(bench, way, index.pt_index, SMALL, (from, 0));
        let timing = bench.timed(end(way), 1, &[descriptor], SMALL)?;
        bench.verify(end(way), from, 0, SMALL)?;
        last = last.max(timing.latency());
        first = first.max(timing.whole());
    }
    bench.close(index)?;
    let (counter, limit, bound) = match way {
        Way::Put => ("the target's counter", 24.0, 50 + SEARCH),
        Way::Get => ("the initiator's counter", 30.0, 56 + SEARCH),
    };
    let name = format!("{} of {SMALL} bytes, to {counter}", way.name());
    let from_first = format!("{name}, from the first descriptor word");
    Ok([
        Row {
            limit: Some(limit),
            bound: Some(bound as f64),
            ..row(name, "cycles", Better::Less, last as f64)
        },
        row(from_first, "cycles", Better::Less, first as f64),
    ])
}

/// Cycles of each of many short puts in a row, once as many are under way.
fn stream<D: FabricDevice + Transport>(bench: &mut Bench<D>, receiver: Receiver, count: usize) -> anyhow::Result<f64> {
    let once = puts(bench, receiver, count)?;
    let twice = puts(bench, receiver, 2 * count)?;
    ensure!(twice > once, "twice as many take {twice} cycles, and once takes {once}");
    Ok((twice - once) as f64 / count as f64)
}

/// Cycles from the first descriptor word of so many puts to what the last of them raises.
fn puts<D: FabricDevice + Transport>(bench: &mut Bench<D>, receiver: Receiver, count: usize) -> anyhow::Result<u64> {
    let (room, raised) = (bench.target.room, receiver.events());
    let eq = (!raised.is_empty()).then_some(bench.target.eq);
    let entry = |place: usize, bytes: usize| Me {
        start: room.base + (place * SMALL) as u32,
        length: bytes as u64,
        ct: raised.is_empty().then_some(bench.target.ct),
        options: receiver.options(),
        ..Me::default()
    };
    let entries: Vec<Me> = match receiver.is_persistent() {
        true => vec![entry(0, count * SMALL)],
        false => (0..count).map(|place| entry(place, SMALL)).collect(),
    };
    let index = bench.open(eq, &entries)?;
    let from = bench.shift();
    let descriptors: Vec<Vec<u32>> = (0..count)
        .map(|place| {
            let to = if receiver.is_persistent() { place * SMALL } else { 0 };
            let put = bench.put(index.pt_index, SMALL, from + place * SMALL, to);
            bench.put_descriptor(&put, place as u64)
        })
        .collect();
    let changes = count * raised.len().max(1);
    let timing = bench.timed(Station::Target, changes, &descriptors, count * SMALL)?;
    bench.verify(Station::Target, from, 0, count * SMALL)?;
    events(bench, receiver, count)?;
    bench.close(index)?;
    Ok(timing.whole())
}

/// Takes the events of so many puts, and no more of them are there.
fn events<D: FabricDevice + Transport>(bench: &mut Bench<D>, receiver: Receiver, count: usize) -> anyhow::Result<()> {
    let (ni, eq) = (bench.target.ni, bench.target.eq);
    for place in 0..count {
        for &kind in receiver.events() {
            let event = ni.eq_get(&mut bench.fabric, eq)?;
            let entry = if receiver.is_persistent() { 0 } else { place as u32 };
            let is_right = match kind {
                EventKind::Put => {
                    (event.initiator, event.mlength, event.hdr_data) == (INITIATOR_RANK, SMALL as u64, place as u64)
                }
                _ => true,
            };
            ensure!(
                is_right && (event.kind, event.user_ptr) == (kind, entry),
                "event of put {place}: {event}, where {kind} of entry {entry} is due"
            );
        }
    }
    match ni.eq_get(&mut bench.fabric, eq) {
        Err(Error::EqEmpty) => Ok(()),
        Err(error) => Err(error.into()),
        Ok(event) => bail!("an event too many: {event}"),
    }
}

/// Cycles of a long move from the last descriptor word to its counter: the longest at several offsets of both ends.
fn bulk<D: FabricDevice + Transport>(
    bench: &mut Bench<D>,
    way: Way,
    length: usize,
    offsets: &[(usize, usize)],
) -> anyhow::Result<u64> {
    let index = bench.open(None, &[entry(bench, way)])?;
    let mut worst = 0;
    for &(from, to) in offsets {
        let from = bench.shift() + from;
        let descriptor = descriptor(bench, way, index.pt_index, length, (from, to));
        let timing = bench.timed(end(way), 1, &[descriptor], length)?;
        bench.verify(end(way), from, to, length)?;
        worst = worst.max(timing.latency());
    }
    bench.close(index)?;
    Ok(worst)
}

/// Cycles of a short put that the host gives and waits for at the target's counter.
fn host<D: FabricDevice + Transport>(bench: &mut Bench<D>) -> anyhow::Result<u64> {
    let (ni, initiator) = (bench.target.ni, bench.initiator.ni);
    // The driver waits by an event of its own.
    let ct = ni.ct_alloc(&mut bench.fabric)?;
    let entry = Me {
        ct: Some(ct),
        ..entry(bench, Way::Put)
    };
    let index = bench.open(None, &[entry])?;
    let from = bench.shift();
    let put = bench.put(index.pt_index, SMALL, from, 0);
    let begun = Transport::cycles(bench.fabric.transport());
    initiator.put(&mut bench.fabric, &put)?;
    let counts = ni.ct_wait(&mut bench.fabric, ct, 1, HOST_CYCLES)?;
    let ended = Transport::cycles(bench.fabric.transport());
    ensure!(
        (counts.success, counts.failure) == (1, 0),
        "a put of the host counts as {counts:?}"
    );
    bench.verify(Station::Target, from, 0, SMALL)?;
    bench.close(index)?;
    Ok(ended - begun)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::onesided::golden_device::{GoldenDevice, FRONT, WAY};
    use portico_spec::Config;

    fn config() -> Config {
        Config {
            cols: 2,
            rows: 1,
            edge_nodes: 1,
            portals: 4,
            entries: 64,
            buckets: 16,
            ..Config::default()
        }
    }

    fn golden(config: &Config) -> anyhow::Result<(Vec<Row>, u64)> {
        run(GoldenDevice::new(config), &Effort::quick(), &mut |_, _, _| {})
    }

    #[test]
    fn a_right_fabric_scores_what_its_times_say() {
        let mut steps = vec![];
        let device = GoldenDevice::new(&config());
        let (rows, cycles) = run(device, &Effort::quick(), &mut |done, of, _| steps.push((done, of))).unwrap();
        let last = steps.len() - 1;
        assert!(
            (0..=last).map(|done| (done, last)).eq(steps.iter().copied()),
            "{steps:?}"
        );
        assert!(cycles > 0);
        let value = |name: &str| {
            let row = rows.iter().find(|row| row.name == name);
            row.unwrap_or_else(|| panic!("no row {name}")).value
        };
        let (front, way) = (FRONT as f64, WAY as f64);
        assert_eq!(value("put of 8 bytes, to the target's counter"), front + way);
        assert_eq!(value("get of 8 bytes, to the initiator's counter"), front + way);
        let words = PUT_WORDS as f64;
        let from_first = value("put of 8 bytes, to the target's counter, from the first descriptor word");
        assert_eq!(from_first, words - 1.0 + front + way);
        for receiver in Receiver::ALL {
            // The words of a descriptor are all that it waits for.
            assert_eq!(value(&format!("puts of 8 bytes, each, {}", receiver.name())), words);
        }
        for name in ["put of 4 KiB, aligned", "get of 4 KiB, odd offsets at both ends"] {
            assert_eq!(value(name), 4096.0 / (front + way));
        }
        assert!(value("put of 8 bytes, from the driver's call to the return of ct_wait") > way);
        let unexpected = "unexpected puts of 8 bytes, each, MANAGE_LOCAL entry of Overflow";
        assert_eq!(value(unexpected), words);
        assert_eq!(value(&format!("{unexpected}, event")), words);
        let plot = unexpected::plot(&rows);
        assert_eq!(plot.lines.len(), 2);
        for line in &plot.lines {
            let headers: Vec<f64> = line.points.iter().map(|&(headers, _)| headers).collect();
            assert_eq!(headers, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
            assert!(line.points.iter().all(|&(_, cycles)| cycles == front + way));
        }
    }

    #[test]
    fn headers_are_those_of_both_figures() {
        let short: Vec<usize> = (1..=16).collect();
        assert_eq!(
            unexpected::lengths(unexpected::MOST),
            [&short[..], &[32, 64, 128, 256, 512]].concat()
        );
        assert_eq!(unexpected::lengths(100), [&short[..], &[32, 64]].concat());
        assert_eq!(unexpected::lengths(3), [1, 2, 3]);
    }

    #[test]
    fn limits_are_the_words_of_what_moves() {
        let limits = Receiver::ALL.map(Receiver::limit);
        assert_eq!(limits, [10, 12, 12, 22]);
        // A put: one packet of head, 7 and 25 words, then of head and 32; a reply: head, 2 and 30 words first.
        assert_eq!(
            [1, 25, 26, 57, 58].map(|words| flits(Way::Put, words)),
            [9, 33, 35, 66, 68]
        );
        assert_eq!([1, 30, 31].map(|words| flits(Way::Get, words)), [4, 33, 35]);
        let rate = (BULK as f64) / flits(Way::Put, BULK / 4) as f64;
        assert!((3.87..3.88).contains(&rate), "{rate}");
    }

    #[test]
    fn bounds_are_for_the_sizes_of_the_full_run() {
        let (rows, _) = golden(&config()).unwrap();
        let bulk = |row: &&Row| row.unit == "bytes/cycle";
        assert_eq!(rows.iter().filter(bulk).count(), 4);
        assert!(rows
            .iter()
            .filter(bulk)
            .all(|row| row.bound.is_none() && row.limit.is_some()));
        // Six of single and repeated puts and gets, two of unexpected puts, two for each number of headers.
        assert_eq!(rows.iter().filter(|row| row.bound.is_some()).count(), 6 + 2 + 2 * 8);
    }

    #[test]
    fn a_fabric_that_moves_wrong_data_cannot_score() {
        let mut device = GoldenDevice::new(&config());
        // A bit of the eleventh word that the host reads at once, from the last quarter of its memory: a Portals event has ten.
        device.spoil = |address, word| match address {
            0x3028 => word ^ 0x100,
            _ => word,
        };
        let error = run(device, &Effort::quick(), &mut |_, _, _| {}).unwrap_err();
        assert!(format!("{error:#}").contains("not that which was sent"), "{error:#}");
    }

    #[test]
    fn fabrics_that_cannot_be_measured_are_told_why() {
        for (config, reason) in [
            (Config { cols: 1, ..config() }, "it has no neighbour"),
            (Config { portals: 0, ..config() }, "a Portals engine"),
            (
                Config {
                    edge_nodes: 0,
                    ..config()
                },
                "host",
            ),
        ] {
            let error = golden(&config).unwrap_err();
            assert!(format!("{error:#}").contains(reason), "{error:#}");
        }
    }
}
