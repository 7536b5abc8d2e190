use portico_spec::ni::{
    segment::{self, SegmentKind},
    ErrorCode,
};

use super::*;
use crate::{
    event::Event,
    mailbox::Delivery,
    onesided::{Geometry, Initiator, Remote, Segment, Strides, Window},
    registers::SegmentRegister,
    testing::Failing,
    Config, Error, Fabric, GoldenTransport, Region,
};

const LIMIT: u64 = 100_000;
/// Bytes of a tile's window.
const BYTES: u32 = 0x400;

fn fabric(text: &str) -> Fabric<GoldenTransport> {
    let config = Config::from_toml(&format!("edge_nodes = 1\n{text}")).unwrap();
    Fabric::open(GoldenTransport::new(&config).unwrap()).unwrap()
}

/// A window of every tile, and a handle of it at the tile before.
struct Ring {
    regions: Vec<Region>,
    segments: Vec<Segment>,
    remotes: Vec<Remote>,
}

impl Ring {
    fn new(fabric: &mut Fabric<GoldenTransport>) -> Ring {
        let tiles = fabric.config().tiles();
        let regions: Vec<Region> = (0..tiles).map(|tile| fabric.allocate(tile, BYTES).unwrap()).collect();
        let windows = regions.iter().map(|region| Window::new(region.base, BYTES));
        let segments = windows
            .enumerate()
            .map(|(tile, window)| fabric.publish(tile, window).unwrap());
        let segments: Vec<Segment> = segments.collect();
        let remotes = (0..tiles).map(|tile| {
            let next = segments[(tile + 1) % tiles].id();
            fabric.tile(tile).unwrap().clone_segment(next).unwrap()
        });
        Ring {
            remotes: remotes.collect(),
            regions,
            segments,
        }
    }

    /// Writes words that no other tile and round has.
    fn fill(&self, fabric: &mut Fabric<GoldenTransport>, round: u32) {
        for (tile, region) in (0..).zip(&self.regions) {
            let words: Vec<u32> = (0..BYTES / 4).map(|at| round << 24 | tile << 16 | at).collect();
            fabric.write(region.node, region.base, &words).unwrap();
        }
    }

    fn release(self, fabric: &mut Fabric<GoldenTransport>) {
        self.remotes
            .into_iter()
            .for_each(|remote| remote.release(fabric).unwrap());
        self.segments
            .into_iter()
            .for_each(|segment| segment.withdraw(fabric).unwrap());
        self.regions.into_iter().for_each(|region| fabric.free(region).unwrap());
    }
}

/// All events, segments and memory of all tiles are free, and no node has dropped anything.
fn nothing_is_left(fabric: &mut Fabric<GoldenTransport>) {
    for tile in 0..fabric.config().tiles() {
        let bytes = fabric.memory_bytes(tile).unwrap();
        let all = fabric.allocate(tile, bytes).unwrap();
        fabric.free(all).unwrap();
        let events = fabric.nodes[tile].build.events;
        let events: Vec<Event> = (0..events).map(|_| fabric.event(tile).unwrap()).collect();
        events.into_iter().for_each(|event| event.release(fabric).unwrap());
        let segments = fabric.nodes[tile].build.segments;
        let remotes: Vec<Remote> = (0..segments).map(|_| fabric.clone_space(tile, 0).unwrap()).collect();
        remotes.into_iter().for_each(|remote| remote.release(fabric).unwrap());
        assert_eq!(
            fabric.counters(tile).unwrap()[crate::registers::CounterRegister::Dropped],
            0
        );
    }
}

fn of(fabric: &mut Fabric<GoldenTransport>, tile: usize) -> Initiator<'_, GoldenTransport> {
    fabric.tile(tile).unwrap()
}

fn run(fabric: &mut Fabric<GoldenTransport>, list: &mut List) -> Result<(), Error> {
    list.start(fabric)?;
    list.wait(fabric, LIMIT)
}

/// Descriptors of one to seven words, more than a queue holds, in lists that run twice.
#[test]
fn a_list_does_all_operations_of_all_tiles_each_time() {
    for (text, rounds) in [
        ("cols = 3\nrows = 2", 9),
        ("cols = 1\nrows = 1\nwidth = 64", 1),
        ("profile = 'leaf'", 3),
    ] {
        let mut fabric = fabric(text);
        let tiles = fabric.config().tiles();
        let word = fabric.word_bytes();
        let ring = Ring::new(&mut fabric);
        let mailbox = fabric.mailbox(0, Delivery::Barrier(200), None).unwrap();
        let mut steps = Steps::default();
        for (tile, remote) in ring.remotes.iter().enumerate() {
            let base = ring.regions[tile].base;
            for round in 0..rounds {
                // From the lower half of this tile to the upper half of the next one, and back to a third place.
                let [from, to, back] = [0, BYTES / 2, BYTES / 4].map(|half| half + 16 * word * round % (BYTES / 4));
                let strides = Strides {
                    remote: word,
                    local: 2 * word,
                };
                let planes = Geometry::planes(
                    word,
                    (2, strides),
                    (
                        2,
                        Strides {
                            remote: 2 * word,
                            local: 4 * word,
                        },
                    ),
                );
                let put = of(&mut fabric, tile).put(remote, to, base + from, planes).unwrap();
                put.add_to(&mut steps);
                of(&mut fabric, tile).fence(remote).unwrap().add_to(&mut steps);
                let line = Geometry::linear(4 * word);
                of(&mut fabric, tile)
                    .get(remote, to, base + back, line)
                    .unwrap()
                    .add_to(&mut steps);
                let mail = of(&mut fabric, tile).mail(&mailbox, 1 << tile).unwrap();
                mail.drained().add_to(&mut steps);
            }
            let add = fabric.tile(tile).unwrap().postadd(remote, BYTES - 8, 3u32).unwrap();
            add.add_to(&mut steps);
        }
        let mut list = fabric.list(steps).unwrap();
        for time in 1..3 {
            ring.fill(&mut fabric, time);
            run(&mut fabric, &mut list).unwrap();
            let word_of = |tile: usize, at: u32| time << 24 | (tile as u32) << 16 | at;
            for (tile, region) in ring.regions.iter().enumerate() {
                let found = fabric.read(tile, region.base, BYTES as usize / 4).unwrap();
                let before = (tile + tiles - 1) % tiles;
                let lanes = word / 4;
                for place in 0..4 * lanes {
                    let sent = word_of(before, place / lanes * 2 * lanes + place % lanes);
                    assert_eq!(
                        found[(BYTES / 8 + place) as usize],
                        sent,
                        "{text}: tile {tile}, {place}"
                    );
                    let own = word_of(tile, place / lanes * 2 * lanes + place % lanes);
                    assert_eq!(
                        found[(BYTES / 16 + place) as usize],
                        own,
                        "{text}: tile {tile}, {place}"
                    );
                }
                assert_eq!(found[BYTES as usize / 4 - 2], word_of(tile, BYTES / 4 - 2) + 3);
            }
            let mails = time * rounds * tiles as u32;
            assert_eq!(mailbox.read(&mut fabric).unwrap(), (mails, (1 << tiles) - 1), "{text}");
        }
        list.release(&mut fabric).unwrap();
        assert_eq!(list.start(&mut fabric), Err(Error::Released { what: "list" }));
        mailbox.release(&mut fabric).unwrap();
        ring.release(&mut fabric);
        nothing_is_left(&mut fabric);
    }
}

#[test]
fn a_refused_operation_is_told_with_its_tile_and_the_next_start_works() {
    let mut fabric = fabric("cols = 3\nrows = 2");
    let ring = Ring::new(&mut fabric);
    let mut steps = Steps::default();
    for (tile, remote) in ring.remotes.iter().enumerate() {
        for place in 0..5 {
            let (to, from) = (0x200 + 4 * place, ring.regions[tile].base + 4 * place);
            let put = fabric
                .tile(tile)
                .unwrap()
                .put(remote, to, from, Geometry::linear(4))
                .unwrap();
            put.add_to(&mut steps);
        }
    }
    let mut list = fabric.list(steps).unwrap();
    // The window of tile 5 has another tag than the handle of tile 4 says.
    let handle = ring.remotes[4].handle();
    let lead = |fabric: &mut Fabric<GoldenTransport>, tag: u8| {
        let target = segment::target(fabric.config(), 5, tag, SegmentKind::Window);
        fabric
            .poke(4, SegmentRegister::Target, handle.into(), &[target])
            .unwrap();
    };
    for round in 0..3 {
        ring.fill(&mut fabric, round);
        lead(&mut fabric, 77);
        list.start(&mut fabric).unwrap();
        assert_eq!(
            list.poll(&mut fabric),
            Ok(false),
            "the host waits for the mail of tile 4"
        );
        let (node, what, code) = (4, "list", ErrorCode::UnknownWindow);
        assert_eq!(list.wait(&mut fabric, 1000), Err(Error::Refused { node, what, code }));
        assert_eq!(list.wait(&mut fabric, 1000), Ok(()));
        lead(&mut fabric, ring.segments[5].id().tag);
        run(&mut fabric, &mut list).unwrap();
        for tile in 0..6 {
            let found = fabric.read(tile, ring.regions[tile].base + 0x200, 5).unwrap();
            let before = (tile as u32 + 5) % 6;
            assert_eq!(found, [0, 1, 2, 3, 4].map(|at| round << 24 | before << 16 | at));
        }
    }
    list.release(&mut fabric).unwrap();
    ring.release(&mut fabric);
    nothing_is_left(&mut fabric);
}

/// More lists than a small host has mailboxes, all prepared at once and started in any order.
#[test]
fn lists_share_the_mailboxes_of_the_host() {
    let mut fabric = fabric("cols = 2\nrows = 2\nmailboxes = 4\nevents = 16");
    let ring = Ring::new(&mut fabric);
    let mut lists = vec![];
    for number in 0..5 {
        let mut steps = Steps::default();
        // Of one tile, of two, and so on.
        for (tile, remote) in ring.remotes.iter().enumerate().take(number % 4 + 1) {
            let base = ring.regions[tile].base;
            let put = fabric
                .tile(tile)
                .unwrap()
                .put(remote, 0x200, base + 4 * number as u32, Geometry::linear(4));
            put.unwrap().add_to(&mut steps);
        }
        lists.push(fabric.list(steps).unwrap());
    }
    assert!(fabric.notices.len() < lists.len());
    ring.fill(&mut fabric, 0);
    for number in [0, 1, 2, 3, 4, 2, 0, 4] {
        lists[number].start(&mut fabric).unwrap();
        // The one before ends on the way.
        let other = (number + 3) % 5;
        lists[other].start(&mut fabric).unwrap();
        lists[number].wait(&mut fabric, LIMIT).unwrap();
        lists[other].wait(&mut fabric, LIMIT).unwrap();
        assert_eq!(fabric.read(1, ring.regions[1].base + 0x200, 1).unwrap(), [other as u32]);
    }
    lists.iter_mut().for_each(|list| list.release(&mut fabric).unwrap());
    ring.release(&mut fabric);
    nothing_is_left(&mut fabric);
}

/// A barrier has up to 255 mails: 256 are two barriers of 128.
#[test]
fn more_tiles_than_a_barrier_has_mails_are_waited_for() {
    let mut fabric = fabric("cols = 16\nrows = 16\nscratchpad = 4\nprofile = 'leaf'");
    let ring = Ring::new(&mut fabric);
    for tiles in [251, 256] {
        ring.fill(&mut fabric, 1);
        let mut steps = Steps::default();
        for (tile, remote) in ring.remotes.iter().enumerate().take(tiles) {
            let base = ring.regions[tile].base;
            let put = fabric
                .tile(tile)
                .unwrap()
                .put(remote, 0x200, base, Geometry::linear(4))
                .unwrap();
            put.add_to(&mut steps);
        }
        let mut list = fabric.list(steps).unwrap();
        for _ in 0..2 {
            run(&mut fabric, &mut list).unwrap();
        }
        for tile in 1..tiles {
            let found = fabric.read(tile, ring.regions[tile].base + 0x200, 1).unwrap();
            assert_eq!(found, [1 << 24 | (tile as u32 - 1) << 16], "tile {tile}");
        }
        list.release(&mut fabric).unwrap();
    }
    ring.release(&mut fabric);
    nothing_is_left(&mut fabric);
}

#[test]
fn a_list_that_does_not_fit_leaves_nothing_taken_and_one_of_nothing_ends_at_once() {
    let mut fabric = fabric("cols = 2\nrows = 2");
    let mut empty = fabric.list(Steps::default()).unwrap();
    run(&mut fabric, &mut empty).unwrap();
    empty.release(&mut fabric).unwrap();
    let ring = Ring::new(&mut fabric);
    let steps = |fabric: &mut Fabric<GoldenTransport>| {
        let mut steps = Steps::default();
        for (tile, remote) in ring.remotes.iter().enumerate() {
            fabric.tile(tile).unwrap().fence(remote).unwrap().add_to(&mut steps);
        }
        steps
    };
    let bytes = fabric.memory_bytes(2).unwrap() - BYTES;
    let rest = fabric.allocate(2, bytes).unwrap();
    let wanted = steps(&mut fabric);
    let refused = fabric.list(wanted).unwrap_err();
    assert!(matches!(refused, Error::Exhausted { node: 2, .. }), "{refused}");
    fabric.free(rest).unwrap();
    let wanted = steps(&mut fabric);
    let mut list = fabric.list(wanted).unwrap();
    run(&mut fabric, &mut list).unwrap();
    list.release(&mut fabric).unwrap();
    ring.release(&mut fabric);
    nothing_is_left(&mut fabric);
}

#[test]
fn a_list_is_for_tiles_and_holds_one_queue_of_an_engine() {
    let mut fabric = fabric("cols = 2\nrows = 2\nprobe = true");
    let ring = Ring::new(&mut fabric);
    let mut steps = Steps::default();
    let remote = fabric.host().clone_segment(ring.segments[1].id()).unwrap();
    fabric.host().fence(&remote).unwrap().add_to(&mut steps);
    let (node, last) = (fabric.host_node(), 3);
    assert_eq!(fabric.list(steps).map(drop), Err(Error::NoSuchNode { node, last }));

    let traffic = crate::probe::Traffic::to(crate::probe::Target::Tile(1));
    let runs = |fabric: &mut Fabric<GoldenTransport>, count: usize| {
        let mut steps = Steps::default();
        for _ in 0..count {
            of(fabric, 2).traffic(&traffic).unwrap().add_to(&mut steps);
            of(fabric, 2).fence(&ring.remotes[2]).unwrap().add_to(&mut steps);
        }
        steps
    };
    // A run has 6 words.
    let wanted = runs(&mut fabric, 11);
    let told = fabric.list(wanted).unwrap_err().to_string();
    assert_eq!(
        told,
        "words of descriptors for one engine in a list = 66 is not allowed: allowed is 0..=64"
    );
    let wanted = runs(&mut fabric, 10);
    let mut list = fabric.list(wanted).unwrap();
    for round in 1..3 {
        run(&mut fabric, &mut list).unwrap();
        assert_eq!(fabric.measured(1).unwrap().received, 10 * round);
    }
    list.release(&mut fabric).unwrap();
}

/// An error of an access leaves nothing that a later start or release does not mend.
#[test]
fn an_access_that_fails_holds_up_no_later_start() {
    let config = Config::from_toml("edge_nodes = 1\ncols = 2\nrows = 2").unwrap();
    let mut failed = 0;
    for left in 0..120 {
        let mut fabric = Fabric::open(Failing::new(&config)).unwrap();
        let regions: Vec<Region> = (0..4).map(|tile| fabric.allocate(tile, 64).unwrap()).collect();
        let mut steps = Steps::default();
        for (tile, own) in regions.iter().enumerate() {
            let next = regions[(tile + 1) % 4];
            let segment = fabric.publish(next.node, Window::new(next.base, 64)).unwrap();
            let remote = fabric.tile(tile).unwrap().clone_segment(segment.id()).unwrap();
            fabric.write(tile, own.base, &[tile as u32; 2]).unwrap();
            let put = fabric
                .tile(tile)
                .unwrap()
                .put(&remote, 32, own.base, Geometry::linear(8));
            put.unwrap().add_to(&mut steps);
        }
        let mut list = fabric.list(steps).unwrap();
        fabric.transport().left = Some(left);
        let ended = list.start(&mut fabric).and_then(|()| list.wait(&mut fabric, LIMIT));
        failed += usize::from(ended.is_err());
        fabric.transport().left = None;
        while list.wait(&mut fabric, LIMIT).is_err() {}
        list.start(&mut fabric).unwrap();
        list.wait(&mut fabric, LIMIT).unwrap();
        for (tile, own) in regions.iter().enumerate() {
            let before = (tile as u32 + 3) % 4;
            assert_eq!(fabric.read(tile, own.base + 32, 2).unwrap(), [before; 2], "{left}");
        }
        list.release(&mut fabric).unwrap();
    }
    assert!(failed > 5, "{failed}");
}
