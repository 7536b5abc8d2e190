//! What a fabric is set up with: the same, in the same order, on the device and on the golden model, so that all numbers
//! that the driver hands out are the same on both.

use super::{
    access::{self, Rows},
    list_site::{self, ListSite},
    portals::{PortalsChoices, PortalsSite},
    workload::{Workload, SEGMENTS_OF_PAIR},
};
use portico::{
    event::Event,
    mailbox::{Delivery, Mailbox},
    onesided::{GlobalId, Segment, Window},
    queue::Queue,
    Error, Fabric, Region, Transport,
};
use portico_spec::{
    ni::{assembler::assemble, instruction::FIRMWARE_WORDS, registers::ShaperRegister},
    Config,
};
use rand::Rng;
use std::collections::BTreeMap;

/// Event of fences at the end of rounds.
pub const FENCES: usize = 0;
/// Events that many descriptors share.
pub const SHARED: std::ops::Range<usize> = 1..8;
/// Most events of a node that are used.
pub const MOST_EVENTS: usize = 27;
/// Arrivals: in zones, in streams, in the queue or a mailbox. Their events are the last that are used.
const ARRIVALS: usize = 3;
const ZONE: usize = 0;
const STREAM: usize = 1;
const QUEUE: usize = 2;

/// Words of a message at most, and messages that a sender may have in a queue.
pub const MESSAGE_WORDS: u32 = 15;
/// Messages of a pair that may be in a queue.
pub const CREDITS: u32 = 2;
/// Words of a zone: two packets and a half.
const MOST_ZONE_WORDS: u32 = 160;
/// A program of the user's: a put of r5 rows of r3.l words from r2 on, r6.l words from one to the next, to r7 on and r4.h words
/// from one to the next. Behind each row it does nothing for r8 rounds, with its packet open as long as that may be.
pub const GATHER: &str = "
    to r7
    loop r5
        run r2, +r6.l
        loop r8
            add r9, 1 !end2
    close last, stop";
/// Bytes of the two shared counters, of 64 and 32 bits.
pub const COUNTERS: u32 = 16;
/// Words of an initiator's own in the window that all initiators of a node share, and words behind its end that they believe
/// in: the window has become smaller. Right and wrong puts of several nodes are under way there at the same time.
pub const LANE_WORDS: u32 = 16;

/// Words of a call at most: four packets.
pub const CALL_WORDS: u32 = 100;
/// Words that receives of a tile write at most, and words of the master at its port.
pub const RECEIVED_WORDS: u32 = 32;
pub const PORT_WORDS: u32 = 8;

/// Events of a node that are used: after those for its own descriptors come those for what arrives.
pub fn events(config: &Config) -> usize {
    config.events.min(MOST_EVENTS)
}

/// The event of what arrives in zones.
pub fn arrivals_in_zones(config: &Config) -> usize {
    events(config) - ARRIVALS + ZONE
}

/// Events of one descriptor in a round: it has a value or an error.
pub fn singles(config: &Config) -> std::ops::Range<usize> {
    SHARED.end..events(config) - ARRIVALS
}

/// Words of a tile for its stream, and for the master at its port; one, as a region has, without them.
fn beside_words(config: &Config) -> [u32; 2] {
    let words = |is_there: bool, words| if is_there { words } else { 1 };
    [
        words(config.streams, RECEIVED_WORDS),
        words(config.tile_ports, PORT_WORDS),
    ]
}

/// Decisions of a set-up: random, but the same on the device and the model.
pub struct Choices {
    targets: Vec<Vec<usize>>,
    /// Most words of a packet and flits in 256 cycles, of each shaper.
    shapers: Vec<[u32; 3]>,
    seed: u32,
    pub portals: PortalsChoices,
}

/// An initiator and one of its targets, with the handles that the initiator has.
pub struct Pair {
    pub initiator: usize,
    pub target: usize,
    /// Of the zone at the target that only this initiator uses.
    pub zone: u8,
    /// Of the data at the target that nobody changes.
    pub fixed: u8,
    /// Of the counters at the target that all change.
    pub counters: u8,
    pub stream: u8,
    /// None where the target has no queues.
    pub queue: Option<u8>,
    /// Of windows that are closed, of another mode.
    pub closed: u8,
    pub mistaken: u8,
    /// Of the window that all initiators of the target share.
    pub shared: u8,
    /// Which lane of it is the initiator's, and how many there are.
    pub lane: u32,
    pub lanes: u32,
    /// The zone, at the target.
    pub zone_region: Region,
    /// Where gets go, at the initiator.
    pub landing: Region,
    pub stream_window: Segment,
    /// None where the target has no mailboxes.
    pub mailbox: Option<Mailbox>,
    pub is_barrier: bool,
}

/// What a tile has as an initiator.
#[derive(Clone, Copy)]
pub struct Initiator {
    /// What is put, streamed and sent.
    pub source: Region,
    /// Where its program begins: see [`GATHER`].
    pub program: u8,
    /// Where the words of its stream go, if it has one.
    pub received: Region,
    /// What the master at its port uses alone, if there is one.
    pub of_port: Region,
}

/// What a node has as a target: a tile or a memory node.
pub struct NodeSite {
    /// What others get.
    pub fixed: Region,
    pub counters: Region,
    pub queue: Option<Queue>,
    /// First byte behind the queue, whose content depends on who came first, and the list, which the model does not have.
    pub shared_end: u32,
    /// First byte behind all that is used.
    pub end: u32,
}

/// A fabric that is set up.
pub struct Site {
    pub staging: Region,
    /// Of each tile.
    pub initiators: Vec<Initiator>,
    /// Of each tile, for each context of its message-passing engine: where the words of calls are.
    pub areas: Vec<Vec<Region>>,
    /// Of each tile.
    pub lists: Vec<ListSite>,
    /// By node: all but the host.
    pub nodes: BTreeMap<usize, NodeSite>,
    pub pairs: Vec<Pair>,
    pub portals: PortalsSite,
    /// Words of a zone.
    pub zone_words: u32,
}

impl Choices {
    pub fn new<T: Transport>(fabric: &Fabric<T>, workload: Workload, random: &mut impl Rng) -> Self {
        let mut shapers = vec![[64, 0, 0]];
        let others = fabric.config().shapers - 1;
        shapers.resize_with(others.max(1), || [random.gen_range(1..=64), 0, 0]);
        // The last one is slow as well.
        if others > 0 {
            shapers.push([
                random.gen_range(1..=64),
                random.gen_range(64..=256),
                random.gen_range(0..=64),
            ]);
        }
        let (config, memory_words) = (fabric.config(), memory_words(fabric.config()));
        Choices {
            targets: workload.targets(config, random),
            shapers,
            seed: random.gen(),
            portals: PortalsChoices::new(config, memory_words, workload.has_portals(config), random),
        }
    }

    /// Tiles that a node is the target of.
    fn initiators(&self, node: usize) -> u32 {
        self.targets.iter().filter(|targets| targets.contains(&node)).count() as u32
    }

    /// Slots of a queue with so many senders.
    fn slots(&self, senders: u32) -> u32 {
        (senders.max(1) * CREDITS).next_power_of_two()
    }

    /// Words of a zone, so that all that a tile has fits its memory.
    fn zone_words(&self, config: &Config, memory_words: u32) -> u32 {
        let tiles = config.tiles();
        let targets = self.targets.iter().map(Vec::len).max().unwrap_or(0) as u32;
        let initiators = (0..tiles).map(|tile| self.initiators(tile)).max().unwrap_or(0);
        // Besides zones: the queue, the list, the shared window, the areas of calls, and some words of other things.
        let areas = config.mpe as u32 * area_words(config, memory_words);
        let beside = beside_words(config).iter().sum::<u32>();
        let list = list_site::words(memory_words);
        let queue = self.slots(initiators) * (MESSAGE_WORDS + 1);
        let portals = self.portals.words(config, memory_words, targets + initiators);
        let other = queue + list + LANE_WORDS * (initiators + 1) + areas + beside + portals + 16;
        // What a tile has of zones: three of its own, one and a half an initiator, one a target.
        let halves = 6 + 3 * initiators + 2 * targets;
        (2 * (memory_words - other) / halves).min(MOST_ZONE_WORDS) / 2 * 2
    }

    /// Words that are unlike each other.
    fn words(&self, node: usize, words: usize) -> Vec<u32> {
        let word = |at: usize| {
            let place = (node as u32) << 20 ^ at as u32 ^ self.seed;
            let mixed = (place ^ place >> 15).wrapping_mul(0x2c1b_3c6d);
            (mixed ^ mixed >> 12).wrapping_mul(0x297a_2d39) ^ mixed >> 15
        };
        (0..words).map(word).collect()
    }
}

impl Site {
    /// Sets up `fabric`, fresh from its reset.
    ///
    /// # Errors
    /// The fabric does not do it.
    pub fn new<T: Transport>(fabric: &mut Fabric<T>, choices: &Choices) -> anyhow::Result<Self> {
        let (tiles, host, word) = (fabric.config().tiles(), fabric.host_node(), fabric.word_bytes());
        let memory_words = memory_words(fabric.config());
        let mut portals = PortalsSite::default();
        let zone_words = choices.zone_words(fabric.config(), memory_words);
        let area = area_words(fabric.config(), memory_words) * word;
        let zone = zone_words * word;
        let [received, of_port] = beside_words(fabric.config());
        let used = self::events(fabric.config());
        let staging = fabric.allocate(host, (used * 5) as u32 * word)?;

        let (mut initiators, mut areas, mut lists, mut nodes) = (vec![], vec![], vec![], BTreeMap::new());
        let (mut fixed, mut counters, mut events) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let mut shared = BTreeMap::new();
        for node in (0..fabric.config().terminals()).filter(|&node| node != host) {
            let mut own: Vec<Event> = (0..used).map(|_| fabric.event(node)).collect::<Result<_, Error>>()?;
            let own = own.split_off(used - ARRIVALS);
            let slots = choices.slots(choices.initiators(node));
            let queue = match fabric.config().build_of(node).queues {
                true => Some(fabric.queue(node, slots, MESSAGE_WORDS * word, Some(&own[QUEUE]))?),
                false => None,
            };
            if node < tiles {
                let region = fabric.allocate(node, list_site::words(memory_words) * word)?;
                let taken = SEGMENTS_OF_PAIR * choices.targets[node].len();
                lists.push(ListSite::new(fabric, staging, region, taken)?);
            }
            portals.add_tile(fabric, &choices.portals, node, memory_words)?;
            let after = fabric.allocate(node, 8)?;
            if node < tiles {
                let program = assemble(GATHER).expect("the program is right");
                initiators.push(Initiator {
                    source: fabric.allocate(node, 2 * zone)?,
                    program: match fabric.config().programs {
                        true => fabric.load(node, &program)?.start() as u8,
                        false => FIRMWARE_WORDS as u8,
                    },
                    received: fabric.allocate(node, received * word)?,
                    of_port: fabric.allocate(node, of_port * word)?,
                });
                let own = (0..fabric.config().mpe).map(|_| fabric.allocate(node, area));
                areas.push(own.collect::<Result<_, Error>>()?);
                let first = Rows::new(fabric, node, ShaperRegister::Maximum, 0, choices.shapers.len(), 3);
                access::poke(fabric, staging, first, &choices.shapers.concat())?;
            }
            let site = NodeSite {
                fixed: fabric.allocate(node, zone)?,
                counters: fabric.allocate(node, COUNTERS)?,
                queue,
                shared_end: after.base,
                end: 0,
            };
            fixed.insert(node, fabric.publish(node, Window::new(site.fixed.base, zone))?);
            counters.insert(node, fabric.publish(node, Window::new(site.counters.base, COUNTERS))?);
            shared.insert(node, self::shared(fabric, node, choices.initiators(node), &own[ZONE])?);
            nodes.insert(node, site);
            events.insert(node, own);
        }

        portals.order(&choices.portals);
        let mut pairs: Vec<Pair> = vec![];
        for (initiator, targets) in choices.targets.iter().enumerate() {
            for &target in targets {
                let zone_region = fabric.allocate(target, zone)?;
                let window = Window::new(zone_region.base, zone).notifying(&events[&target][ZONE]);
                let window = fabric.publish(target, window)?;
                let stream_region = fabric.allocate(target, zone / 2)?;
                let stream = Window::stream(stream_region.base, zone / 2).notifying(&events[&target][STREAM]);
                // Every other initiator's streams are laid down in rows.
                let stream = match initiator % 2 {
                    0 => stream,
                    _ => stream.rows(3 * word, 4 * word),
                };
                let stream_window = fabric.publish(target, stream)?;
                let is_barrier = pairs.len().is_multiple_of(2);
                let delivery = match is_barrier {
                    true => Delivery::Barrier(1 + pairs.len() as u32 % 5),
                    false => Delivery::Message,
                };
                let mailbox = match fabric.config().build_of(target).mailboxes {
                    0 => None,
                    _ => Some(fabric.mailbox(target, delivery, Some(&events[&target][QUEUE]))?),
                };
                let own = nodes.get_mut(&target).expect("targets are tiles and memory nodes");
                let queue = match &mut own.queue {
                    Some(queue) => Some(queue.sender(fabric, initiator, CREDITS)?.handle()),
                    None => None,
                };
                let landing = fabric.allocate(initiator, zone)?;
                portals.add_pair(fabric, initiator, target, memory_words)?;
                let mut clone = |id| -> Result<u8, Error> { Ok(fabric.tile(initiator)?.clone_segment(id)?.handle()) };
                pairs.push(Pair {
                    initiator,
                    target,
                    zone: clone(window.id())?,
                    fixed: clone(fixed[&target].id())?,
                    counters: clone(counters[&target].id())?,
                    stream: clone(stream_window.id())?,
                    queue,
                    closed: 0,
                    mistaken: 0,
                    shared: clone(shared[&target])?,
                    lane: pairs.iter().filter(|pair| pair.target == target).count() as u32,
                    lanes: choices.initiators(target),
                    zone_region,
                    landing,
                    stream_window,
                    mailbox,
                    is_barrier,
                });
            }
        }
        let mut outdated_of = BTreeMap::new();
        for &node in nodes.keys() {
            outdated_of.insert(node, outdated(fabric, node)?);
        }
        for pair in &mut pairs {
            let [mistaken, closed] = outdated_of[&pair.target];
            pair.mistaken = fabric.tile(pair.initiator)?.clone_segment(mistaken)?.handle();
            pair.closed = fabric.tile(pair.initiator)?.clone_segment(closed)?.handle();
        }
        for (&node, site) in &mut nodes {
            site.end = fabric.allocate(node, 8)?.base;
            let words = (site.end - site.shared_end) as usize / 4;
            fabric.write(node, site.shared_end, &choices.words(node, words))?;
        }
        Ok(Site {
            staging,
            initiators,
            areas,
            lists,
            nodes,
            pairs,
            portals,
            zone_words,
        })
    }

    /// The nodes that are targets: all but the host.
    pub fn targets(&self) -> Vec<usize> {
        self.nodes.keys().copied().collect()
    }
}

/// Words of the memory of a tile, of the fabric's width.
fn memory_words(config: &Config) -> u32 {
    ((config.scratchpad << 10) / (config.width / 8)) as u32
}

/// Words of the area of a context in a memory of so many words: room for a source and a result, or less in a small memory.
fn area_words(config: &Config, memory_words: u32) -> u32 {
    let most = 2 * CALL_WORDS + 8;
    most.min(memory_words / 8 / config.mpe.max(1) as u32 * 2)
}

/// Publishes a window of `lanes` lanes that its users believe to have one more.
fn shared<T: Transport>(fabric: &mut Fabric<T>, node: usize, lanes: u32, event: &Event) -> Result<GlobalId, Error> {
    let lane = LANE_WORDS * fabric.word_bytes();
    let region = fabric.allocate(node, (lanes + 1) * lane)?;
    let believed = fabric.publish(node, Window::new(region.base, region.bytes))?;
    let id = believed.id();
    believed.withdraw(fabric)?;
    let real = Window::new(region.base, lanes.max(1) * lane).notifying(event);
    let real = fabric.publish(node, real)?;
    assert_eq!(
        real.id().to_string(),
        id.to_string(),
        "the tag that is free again is taken first"
    );
    Ok(id)
}

/// What others believe of a window that has become one for streams, and of one that is closed; after it none may be opened.
fn outdated<T: Transport>(fabric: &mut Fabric<T>, node: usize) -> Result<[GlobalId; 2], Error> {
    let region = fabric.allocate(node, 8)?;
    let believed = fabric.publish(node, Window::new(region.base, region.bytes))?;
    let mistaken = believed.id();
    believed.withdraw(fabric)?;
    let real = fabric.publish(node, Window::stream(region.base, region.bytes))?;
    assert_eq!(
        real.id().to_string(),
        mistaken.to_string(),
        "the tag that is free again is taken first"
    );
    let closed = fabric.publish(node, Window::new(region.base, region.bytes))?;
    let id = closed.id();
    closed.withdraw(fabric)?;
    Ok([mistaken, id])
}
