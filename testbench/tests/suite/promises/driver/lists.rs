//! Lists: operations that tiles do by themselves, with one start and one end for the host.

use super::{rest, SOON};
use portico::{
    list::Steps,
    mailbox::Delivery,
    onesided::{Geometry, Remote, Segment, Strides, Window},
    probe::{Target, Traffic},
    registers::{CounterRegister, EventRegister},
    Error, Fabric, Region, Transport,
};
use portico_spec::ni::ErrorCode;
use rand::{rngs::StdRng, Rng, SeedableRng};

/// Bytes of the window of a tile. A quarter has what others read, one what they write, one what a tile gets, and one counts.
const BYTES: u32 = 0x2000;
const QUARTER: u32 = BYTES / 4;
/// Bytes of a slot, into which one operation writes.
const SLOT: u32 = 32;

/// A window at every tile, with handles of all of them at every tile, and the words that should be there.
struct Windows {
    regions: Vec<Region>,
    remotes: Vec<Vec<Remote>>,
    words: Vec<Vec<u32>>,
}

impl Windows {
    fn new<T: Transport>(fabric: &mut Fabric<T>) -> Result<Windows, Error> {
        let tiles = 0..fabric.config().tiles();
        let regions: Vec<Region> = tiles
            .clone()
            .map(|tile| fabric.allocate(tile, BYTES))
            .collect::<Result<_, _>>()?;
        let windows = regions.iter().map(|region| Window::new(region.base, BYTES));
        let segments = tiles
            .clone()
            .zip(windows)
            .map(|(tile, window)| fabric.publish(tile, window));
        let segments = segments.collect::<Result<Vec<Segment>, _>>()?;
        let mut remotes = vec![];
        for tile in tiles.clone() {
            let own = segments
                .iter()
                .map(|segment| fabric.tile(tile)?.clone_segment(segment.id()));
            remotes.push(own.collect::<Result<_, _>>()?);
        }
        Ok(Windows {
            words: tiles.map(|_| vec![0; BYTES as usize / 4]).collect(),
            regions,
            remotes,
        })
    }

    fn fill<T: Transport>(&mut self, fabric: &mut Fabric<T>, random: &mut StdRng) -> Result<(), Error> {
        for (region, words) in self.regions.iter().zip(&mut self.words) {
            words.iter_mut().for_each(|word| *word = random.gen());
            fabric.write(region.node, region.base, words)?;
        }
        Ok(())
    }

    fn copy(&mut self, (from, source): (usize, u32), (to, result): (usize, u32), bytes: u32) {
        let [source, result, count] = [source, result, bytes].map(|bytes| bytes as usize / 4);
        let moved = self.words[from][source..source + count].to_vec();
        self.words[to][result..result + count].copy_from_slice(&moved);
    }

    fn compare<T: Transport>(&self, fabric: &mut Fabric<T>, what: &str) -> Result<(), Error> {
        for (region, words) in self.regions.iter().zip(&self.words) {
            let found = fabric.read(region.node, region.base, words.len())?;
            let wrong = (0..words.len()).find(|&at| found[at] != words[at]);
            assert_eq!(wrong, None, "{what}: a word of tile {} differs", region.node);
        }
        Ok(())
    }
}

/// An operation of a list, as the host can do it to the words that it knows. Places are in bytes of the windows.
enum Done {
    Copy((usize, u32), (usize, u32), u32),
    Add(usize, u32, u32),
}

/// Adds a random operation of a tile that meets no other one; what it does.
fn operation<T: Transport>(
    fabric: &mut Fabric<T>,
    windows: &Windows,
    random: &mut StdRng,
    (tile, number): (usize, u32),
    steps: &mut Steps,
) -> Result<Vec<Done>, Error> {
    let word = fabric.word_bytes();
    let tiles = fabric.config().tiles();
    let other = random.gen_range(0..tiles);
    let (remote, base) = (&windows.remotes[tile][other], windows.regions[tile].base);
    let from = word * random.gen_range(0..(QUARTER - SLOT) / word);
    // Slots of the written quarter belong to an initiator each; puts to one of them stay in order.
    let each = QUARTER / SLOT / tiles as u32;
    let slot = (tile as u32 * each + number % each) * SLOT;
    let [put, get, counter] = [QUARTER + slot, 2 * QUARTER + number * SLOT, 3 * QUARTER];
    let bytes = word * random.gen_range(1..=SLOT / word);
    let initiator = fabric.tile(tile)?;
    let copied = |done| Ok(vec![done]);
    match random.gen_range(0..5) {
        0 => {
            initiator
                .put(remote, put, base + from, Geometry::linear(bytes))?
                .add_to(steps);
            copied(Done::Copy((tile, from), (other, put), bytes))
        }
        1 => {
            initiator
                .get(remote, from, base + get, Geometry::linear(bytes))?
                .add_to(steps);
            copied(Done::Copy((other, from), (tile, get), bytes))
        }
        2 => {
            // Planes of rows of one word, 7 words of descriptor.
            let rows = Strides {
                remote: word,
                local: word,
            };
            let planes = Strides {
                remote: 2 * word,
                local: 2 * word,
            };
            let geometry = Geometry::planes(word, (2, rows), (2, planes));
            initiator.get(remote, from, base + get, geometry)?.add_to(steps);
            copied(Done::Copy((other, from), (tile, get), 4 * word))
        }
        3 => {
            initiator.fence(remote)?.add_to(steps);
            Ok(vec![])
        }
        _ => {
            let addend = random.gen_range(1..100);
            initiator.postadd(remote, counter, addend)?.add_to(steps);
            Ok(vec![Done::Add(other, counter, addend)])
        }
    }
}

/// Lists of random operations of all tiles, run twice: when the host has heard, every word is in its place, and it hears once.
pub fn the_host_hears_once_after_the_last_word<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    for width in [32, 64] {
        let mut fabric = open(width);
        let host = fabric.host_node();
        let mut random = StdRng::seed_from_u64(width as u64);
        let mut windows = Windows::new(&mut fabric)?;
        for count in [1, 5, 40] {
            let mut steps = Steps::default();
            let mut done = vec![];
            for tile in 0..fabric.config().tiles() {
                for number in 0..count {
                    done.extend(operation(
                        &mut fabric,
                        &windows,
                        &mut random,
                        (tile, number),
                        &mut steps,
                    )?);
                }
            }
            let mut list = fabric.list(steps)?;
            for _ in 0..2 {
                windows.fill(&mut fabric, &mut random)?;
                let heard = heard(&mut fabric, host)?;
                list.start(&mut fabric)?;
                list.wait(&mut fabric, SOON)?;
                for done in &done {
                    match *done {
                        Done::Copy(from, to, bytes) => windows.copy(from, to, bytes),
                        Done::Add(tile, place, addend) => {
                            let word = &mut windows.words[tile][place as usize / 4];
                            *word = word.wrapping_add(addend);
                        }
                    }
                }
                windows.compare(&mut fabric, &format!("width {width}, {count} operations"))?;
                rest(&mut fabric);
                assert_eq!(self::heard(&mut fabric, host)?, heard + 1);
            }
            list.release(&mut fabric)?;
        }
        for tile in 0..fabric.config().tiles() {
            assert_eq!(fabric.counters(tile)?[CounterRegister::Dropped], 0);
        }
    }
    Ok(())
}

/// Counts of the events of the host but for the last one, which is that of the driver's accesses.
fn heard<T: Transport>(fabric: &mut Fabric<T>, host: usize) -> Result<u32, Error> {
    let events = fabric.config().build_of(host).events;
    (0..events - 1)
        .map(|event| fabric.peek(host, EventRegister::Count, event))
        .sum()
}

/// The third put of tile 4 meets a closed window. The host is told of tile and code; the puts of the other tiles are done, and the
/// next start works.
pub fn a_refused_put_is_told_and_the_next_start_works<T: Transport>(
    open: impl Fn(usize) -> Fabric<T>,
) -> Result<(), Error> {
    for width in [32, 64] {
        let mut fabric = open(width);
        let mut random = StdRng::seed_from_u64(9);
        let mut windows = Windows::new(&mut fabric)?;
        let tiles = fabric.config().tiles();
        let off = fabric.publish(5, Window::new(0x3000, SLOT))?;
        let wrong = fabric.tile(4)?.clone_segment(off.id())?;
        off.withdraw(&mut fabric)?;
        let mut steps = Steps::default();
        for tile in 0..tiles {
            for place in 0..5u32 {
                let (other, base) = ((tile + 1) % tiles, windows.regions[tile].base);
                let closed = tile == 4 && place == 2;
                let (remote, to) = match closed {
                    true => (&wrong, 0),
                    false => (&windows.remotes[tile][other], QUARTER + SLOT * place),
                };
                let line = Geometry::linear(8);
                fabric
                    .tile(tile)?
                    .put(remote, to, base + 8 * place, line)?
                    .add_to(&mut steps);
            }
        }
        let mut list = fabric.list(steps)?;
        for closed in [true, false, true] {
            windows.fill(&mut fabric, &mut random)?;
            if !closed {
                // The same tag is open again, over memory that nobody looks at.
                let again = fabric.publish(5, Window::new(0x3000, SLOT))?;
                assert_eq!(again.id(), wrong.id());
                list.start(&mut fabric)?;
                list.wait(&mut fabric, SOON)?;
                again.withdraw(&mut fabric)?;
            } else {
                list.start(&mut fabric)?;
                let (node, what, code) = (4, "list", ErrorCode::UnknownWindow);
                assert_eq!(list.wait(&mut fabric, SOON), Err(Error::Refused { node, what, code }));
                assert_eq!(list.poll(&mut fabric), Ok(true), "it is over");
            }
            for tile in 0..tiles {
                for place in (0..5).filter(|&place| tile != 4 || place != 2) {
                    windows.copy((tile, 8 * place), ((tile + 1) % tiles, QUARTER + SLOT * place), 8);
                }
            }
            windows.compare(&mut fabric, &format!("width {width}, closed {closed}"))?;
        }
        list.release(&mut fabric)?;
    }
    Ok(())
}

/// Descriptors of engines are in a list like others, and the host waits for their ends.
pub fn engines_have_their_descriptors_from_lists<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    // The fabric of 64 bits has source/sink cores.
    let mut fabric = open(64);
    if !fabric.config().probe {
        let refused = fabric.tile(0)?.traffic(&Traffic::to(Target::Tile(5)));
        assert!(matches!(refused.map(drop), Err(Error::NotBuilt { node: 0, .. })));
        return Ok(());
    }
    let mailbox = fabric.mailbox(3, Delivery::Message, None)?;
    let mut steps = Steps::default();
    for tile in 0..4 {
        let traffic = Traffic {
            words: 4,
            packets: 10,
            ..Traffic::to(Target::Tile(5))
        };
        fabric.tile(tile)?.mail(&mailbox, 1 << tile)?.add_to(&mut steps);
        fabric.tile(tile)?.traffic(&traffic)?.add_to(&mut steps);
    }
    let before = fabric.measured(5)?.received;
    let mut list = fabric.list(steps)?;
    for round in 1..=2 {
        list.start(&mut fabric)?;
        list.wait(&mut fabric, SOON)?;
        rest(&mut fabric);
        assert_eq!(fabric.measured(5)?.received - before, round * 40);
        assert_eq!(mailbox.read(&mut fabric)?.0, 4 * round);
    }
    list.release(&mut fabric)
}
