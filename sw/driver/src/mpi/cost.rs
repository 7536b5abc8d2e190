//! Cost model of collective operations, in cycles: [`Comm`](super::Comm) chooses between the ways of a call by it.
//!
//! The model has the parts that decide: descriptors that a command list brings one after the other, the words of packets,
//! links and receivers that carry one packet at a time, and the depth of trees. It is not exact. `portico bench mpi` prints it
//! beside what it measures on the Verilog, and its constants come from there.
//!
//! ```
//! use portico::{mpi::cost::{self, MemberCommand}, Config};
//!
//! let config = Config { cols: 4, rows: 1, ..Config::default() };
//! let send = |to, bytes| vec![MemberCommand::Send { to, bytes }];
//! let cost = |bytes| cost::exchange(&config, &[0, 1, 2, 3], &[0], &[send(1, bytes), vec![], vec![], vec![]]);
//! assert_eq!(cost(400) - cost(4), 99 + 2);    // 99 words more, and the head and the address of a second packet
//! ```

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap},
};

use portico_spec::{
    flit::MAX_PAYLOAD_FLITS,
    mpe::{
        call::{Kind, PACKET_WORDS},
        tree::Tree,
    },
    ni::{
        command::TRANSFER_WORDS,
        command_list::{self, Piece, FETCH_WORDS},
    },
    routing, Config, Node, Port,
};

/// One command of a member of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberCommand {
    /// Starts the list of this rank.
    Start(usize),
    /// Sends a block.
    Send {
        /// Rank of the receiver.
        to: usize,
        /// Its length.
        bytes: u32,
    },
    /// Tells the host that all puts before it are acknowledged.
    Notice,
}

impl MemberCommand {
    /// Words of its descriptor: a put of one row, or a mail of as many words.
    const WORDS: usize = TRANSFER_WORDS[0];
}

/// From the descriptor that starts a list to the moment when its first descriptor begins to come.
const FETCH: u64 = 52;
/// From the last acknowledgement of a member to its mail on the first link.
const NOTICE: u64 = 12;
/// A word that a list writes to the command queue.
const WORD: u64 = 3;
/// From the last word of a put's descriptor to its head on the first link.
const PUT: u64 = 12;
/// From the last word of a block in its memory to the acknowledgement on its first link.
const ACKNOWLEDGE: u64 = 6;
/// Cycles of a link between two routers.
const HOP: u64 = 1;
/// Cycles from the arrival of an acknowledgement at its node to the count of the event.
const COUNT: u64 = 6;
/// From the last word of a list's start in the registers of a member to the moment when a command stream would have brought it.
const START: u64 = 100;
/// Head and address of a packet.
const FRONT: usize = 2;

/// Cycles of an exchange, from the descriptors that start the ranks `started` to the last acknowledgement or notice: `steps` are the
/// commands of each member, by rank, in the order in which it does them, and `tiles` the members. Every other member that has steps is
/// started by one of them.
///
/// Each put goes as soon as its descriptor is there, the one before it has left, and all links of its way are free. A link is
/// taken for all flits of a put; the link into a member is taken, too, while the list of that member comes.
///
/// # Panics
/// If a step names a rank that the group does not have.
pub fn exchange(config: &Config, tiles: &[usize], started: &[usize], steps: &[Vec<MemberCommand>]) -> u64 {
    let mut timeline = Timeline {
        config,
        tiles,
        steps,
        members: tiles.iter().map(|_| Member::default()).collect(),
        free: BTreeMap::new(),
        next: BinaryHeap::new(),
        end: 0,
    };
    started.iter().for_each(|&rank| timeline.start(rank, 0));
    while let Some(Reverse((_, rank))) = timeline.next.pop() {
        timeline.put(rank);
    }
    timeline.end
}

/// A member of an exchange.
#[derive(Default)]
struct Member {
    /// When the descriptor of each put that is in the queue, or comes, is whole; the next one last.
    ready: Vec<u64>,
    /// The pieces that have not come, the next one last.
    pieces: Vec<Piece>,
    /// Puts that are done.
    done: usize,
    /// When the last put has left, and when all are acknowledged.
    left: u64,
    acknowledged: u64,
}

struct Timeline<'a> {
    config: &'a Config,
    tiles: &'a [usize],
    steps: &'a [Vec<MemberCommand>],
    members: Vec<Member>,
    /// When each link is free again.
    free: BTreeMap<(Node, Port), u64>,
    /// Members by the time of their next put.
    next: BinaryHeap<Reverse<(u64, usize)>>,
    end: u64,
}

impl Timeline<'_> {
    /// The descriptor that starts a member's puts is in its queue.
    fn start(&mut self, rank: usize, time: u64) {
        let puts = self.steps[rank].len();
        if puts == 0 {
            self.end = self.end.max(time);
            return;
        }
        let mut pieces = command_list::pieces(&vec![MemberCommand::WORDS; puts]);
        pieces.reverse();
        self.members[rank].pieces = pieces;
        self.fetch(rank, time);
    }

    /// A member puts the next piece of its list to its own queue.
    fn fetch(&mut self, rank: usize, time: u64) {
        let member = &mut self.members[rank];
        let piece = member.pieces.pop().expect("a piece is left");
        let node = self.config.terminal_node(self.tiles[rank]);
        let free = self.free.entry((node, Port::Local)).or_default();
        let begun = (time + FETCH).max(*free);
        let row = piece.words as u64 * WORD;
        *free = begun + piece.rows() as u64 * row;
        member.ready = (1..=piece.count as u64).rev().map(|at| begun + at * row).collect();
        let first = *member.ready.last().expect("a piece has puts");
        self.next.push(Reverse((first.max(member.left), rank)));
    }

    /// A member does its next step, or fetches the next piece of its list.
    fn put(&mut self, rank: usize) {
        let member = &mut self.members[rank];
        let Some(ready) = member.ready.pop() else {
            let time = member.left;
            return self.fetch(rank, time);
        };
        let step = self.steps[rank][member.done];
        member.done += 1;
        let (to, words) = match step {
            MemberCommand::Start(to) => (to, FETCH_WORDS),
            MemberCommand::Send { to, bytes } => (to, bytes as usize * 8 / self.config.width),
            MemberCommand::Notice => {
                let host = self.config.terminal_node(self.config.tiles());
                let way = routing::path(self.config, self.tiles[rank], host).len() as u64;
                let told = member.acknowledged.max(ready) + NOTICE + way * HOP + COUNT;
                self.end = self.end.max(told);
                return;
            }
        };
        let flits = (words + FRONT * words.div_ceil(MAX_PAYLOAD_FLITS).max(1)) as u64;
        let way = routing::path(self.config, self.tiles[rank], self.config.terminal_node(self.tiles[to]));
        let wanted = member.left.max(ready + PUT);
        // A router holds a short packet whole while the last link is not free. A long one keeps all links of its way.
        let (last, links) = way.split_last().expect("a way ends at a port");
        let is_short = flits <= self.config.fifo as u64;
        let held = if is_short { links } else { &way[..] };
        let mut begun = wanted;
        for (hops, link) in held.iter().enumerate() {
            let free = self.free.get(link).copied().unwrap_or(0);
            begun = begun.max(free.saturating_sub(hops as u64 * HOP));
        }
        for (hops, &link) in links.iter().enumerate() {
            self.free.insert(link, begun + hops as u64 * HOP + flits);
        }
        let free = self.free.entry(*last).or_default();
        let arrived = (begun + links.len() as u64 * HOP).max(*free) + flits;
        *free = arrived;
        let member = &mut self.members[rank];
        member.left = begun + flits;
        let is_start = matches!(step, MemberCommand::Start(_));
        let written = if is_start {
            arrived + words as u64 * WORD + START
        } else {
            arrived
        };
        let acknowledged = written + ACKNOWLEDGE + way.len() as u64 * HOP + COUNT;
        member.acknowledged = member.acknowledged.max(acknowledged);
        self.end = self.end.max(acknowledged);
        if let Some(&next) = member.ready.last() {
            self.next.push(Reverse((next.max(member.left), rank)));
        } else if !member.pieces.is_empty() {
            self.next.push(Reverse((member.left, rank)));
        }
        if is_start {
            self.start(to, written);
        }
    }
}

/// Cycles of a call, from its last descriptor to its last event: of engines that are joined by `tree`, with `root` as root.
///
/// A member sends a packet to its children one after the other, and folds one child's packet after the other, in the order of its
/// list. So the member with most children sets the pace of a long call. The last packet then takes the slowest way through the tree.
///
/// # Panics
/// If there is no such rank.
pub fn call(config: &Config, tree: &Tree, root: usize, kind: Kind, words: usize) -> u64 {
    let ranks = 0..tree.tiles().len();
    let children = ranks.map(|rank| tree.neighbours(rank).len() - usize::from(rank != root));
    let children = children.max().unwrap_or(0) as u64;
    let packets = Packets::of(words);
    let sending = || sending(config, tree, root, packets, children);
    let folding = || folding(config, tree, root, packets, children);
    match kind {
        Kind::Barrier => TOKENS + all_tokens(config, tree, root, None) + release(config, tree, root, None),
        Kind::Broadcast => CALL + sending(),
        Kind::Reduce => CALL + folding(),
        Kind::Allreduce => CALL + folding() + sending(),
    }
}

/// Packets of a call on one edge.
#[derive(Clone, Copy)]
struct Packets {
    /// Those before the last one, and their flits.
    before: u64,
    flits: u64,
    /// Flits of the last one.
    last: u64,
}

impl Packets {
    fn of(words: usize) -> Packets {
        let with_call_word = words + 1;
        let before = (with_call_word - 1) / PACKET_WORDS;
        Packets {
            before: before as u64,
            flits: (before * (PACKET_WORDS + 1)) as u64,
            last: (with_call_word - before * PACKET_WORDS + 1) as u64,
        }
    }
}

/// Cycles in which the words of the root reach all members, of whom none has more than `children` children.
fn sending(config: &Config, tree: &Tree, root: usize, packets: Packets, children: u64) -> u64 {
    let last = packets.last;
    let way = slowest(config, tree, root, None, &|edge| {
        FORWARD + edge.links * HOP + edge.place * last
    });
    packets.flits * children + last + way
}

/// Cycles in which the words of all members are folded at the root. A member begins when the packets of all its children are there. A
/// word comes out of the adder before the next child's is added to it.
fn folding(config: &Config, tree: &Tree, root: usize, packets: Packets, children: u64) -> u64 {
    let fold = 1 + config.stages as u64;
    let way = slowest(config, tree, root, None, &|edge| {
        FORWARD + edge.links * HOP + fold + (edge.children - 1) * (packets.last + fold)
    });
    packets.flits * children + packets.before * children.saturating_sub(1) * fold + packets.last + way
}

/// Cycles until a member has the tokens of all its children, of which it takes one a cycle.
fn all_tokens(config: &Config, tree: &Tree, rank: usize, from: Option<usize>) -> u64 {
    let children = children(tree, rank, from);
    let mut tokens: Vec<u64> = children
        .map(|child| all_tokens(config, tree, child, Some(rank)) + TOKEN + links(config, tree, rank, child) * HOP)
        .collect();
    tokens.sort_unstable();
    tokens.into_iter().fold(0, |taken, token| token.max(taken + 1))
}

/// Cycles until all members below one that is released are released. It releases its children one a cycle.
fn release(config: &Config, tree: &Tree, rank: usize, from: Option<usize>) -> u64 {
    let ways = children(tree, rank, from).zip(0..).map(|(child, place)| {
        place + TOKEN + links(config, tree, rank, child) * HOP + release(config, tree, child, Some(rank))
    });
    ways.max().unwrap_or(0)
}

/// The neighbours of a member but that one from which it is reached.
fn children(tree: &Tree, rank: usize, from: Option<usize>) -> impl Iterator<Item = usize> + Clone + '_ {
    tree.neighbours(rank)
        .iter()
        .copied()
        .filter(move |&next| Some(next) != from)
}

/// Links of the mesh between two members.
fn links(config: &Config, tree: &Tree, one: usize, other: usize) -> u64 {
    routing::hops(config, tree.tiles()[one], tree.tiles()[other]) as u64
}

/// An edge of a tree, from a member to one of its children.
struct Edge {
    /// Place of the child among the children.
    place: u64,
    /// Children of the member.
    children: u64,
    /// Links of the mesh between the two.
    links: u64,
}

/// The slowest way from the members below `rank` to it, or back: `cost` gives the cycles of an edge.
fn slowest(config: &Config, tree: &Tree, rank: usize, from: Option<usize>, cost: &dyn Fn(Edge) -> u64) -> u64 {
    let others = children(tree, rank, from);
    let number = others.clone().count() as u64;
    let ways = others.zip(0..).map(|(child, place)| {
        let edge = Edge {
            place,
            children: number,
            links: links(config, tree, rank, child),
        };
        cost(edge) + slowest(config, tree, child, Some(rank), cost)
    });
    ways.max().unwrap_or(0)
}

/// Cycles of a barrier before its first token is sent and after its last one has come.
const TOKENS: u64 = 7;
/// Cycles of a token at the two ends of an edge, without the links between them.
const TOKEN: u64 = 4;
/// Cycles of a call before its first word is sent and after its last one has come.
const CALL: u64 = 12;
/// Cycles of a word at the two ends of an edge, without the links between them.
const FORWARD: u64 = 6;

/// Cycles in which a host at the AXI4-Lite port makes `accesses` accesses to registers of tiles, in `rounds` rounds. The accesses of
/// a round travel together, and the host waits once for all of them.
pub fn host(rounds: usize, accesses: usize) -> u64 {
    ROUND * rounds as u64 + TOGETHER * accesses as u64
}

/// Cycles in which a host at the AXI4-Lite port reads or writes `pieces` pieces of the tiles' memories, each of `words` words.
pub fn words(pieces: usize, words: usize) -> u64 {
    pieces as u64 * (PIECE + WORD_OF_HOST * words as u64)
}

/// A wait of the host for accesses, and each of them.
const ROUND: u64 = 112;
const TOGETHER: u64 = 33;
/// A put or get of the host without its words, and a word that it writes to its own memory or reads there.
const PIECE: u64 = 100;
const WORD_OF_HOST: u64 = 5;

#[cfg(test)]
mod tests {
    use super::*;
    use portico_spec::mpe::tree::Shape;

    fn mesh(cols: usize, rows: usize) -> (Config, Vec<usize>) {
        let config = Config {
            cols,
            rows,
            ..Config::default()
        };
        let tiles = (0..config.tiles()).collect();
        (config, tiles)
    }

    /// Apart from each other, and one behind the other through one receiver.
    #[test]
    fn a_link_carries_one_packet_at_a_time() {
        let (config, tiles) = mesh(4, 1);
        let send = |to, words: u32| vec![MemberCommand::Send { to, bytes: 4 * words }];
        let cost = |steps: [Vec<MemberCommand>; 4]| exchange(&config, &tiles, &[0, 1, 2, 3], &steps);
        let single = cost([send(1, 50), vec![], vec![], vec![]]);
        assert_eq!(cost([send(1, 50), vec![], vec![], send(2, 50)]), single);
        assert_eq!(cost([send(1, 50), vec![], send(1, 50), vec![]]), single + 52);
        // The way of rank 0 to rank 3 has the links of ranks 1 and 2.
        let behind = cost([send(3, 50), send(2, 50), vec![], vec![]]);
        assert!(behind > single + 52, "{behind}");
    }

    #[test]
    fn members_are_started_one_after_the_other() {
        let (config, tiles) = mesh(4, 1);
        let chain: Vec<Vec<MemberCommand>> = vec![
            vec![MemberCommand::Start(1)],
            vec![MemberCommand::Start(2)],
            vec![MemberCommand::Send { to: 3, bytes: 4 }],
            vec![],
        ];
        let first = exchange(&config, &tiles, &[2], &chain);
        let all = exchange(&config, &tiles, &[0], &chain);
        assert!(all > first + 2 * FETCH, "{all} behind {first}");
        assert_eq!(exchange(&config, &tiles, &[3], &chain), 0);
    }

    #[test]
    fn a_call_costs_its_words_once_a_child_and_its_hops_once_a_level() {
        let (config, tiles) = mesh(4, 1);
        let cost = |shape, kind, words| {
            let tree = Tree::new(&config, &tiles, &shape).unwrap();
            call(&config, &tree, 0, kind, words)
        };
        // 128 packets of 33 flits, and one with the last word.
        let (flits, last) = (128 * 33, 2);
        assert_eq!(
            cost(Shape::Linear, Kind::Broadcast, 4096),
            CALL + 3 * (FORWARD + HOP) + flits + last
        );
        // The nearest child of the star comes last.
        assert_eq!(
            cost(Shape::Star, Kind::Broadcast, 4096),
            CALL + FORWARD + HOP + 3 * flits + 3 * last
        );
        assert_eq!(cost(Shape::Linear, Kind::Barrier, 0), TOKENS + 3 * 2 * (TOKEN + HOP));
        let alone = Tree::new(&config, &[2], &Shape::Linear).unwrap();
        assert_eq!(call(&config, &alone, 0, Kind::Allreduce, 30), CALL + 2 * 32);
    }

    /// Cycles that `portico bench collectives` has measured on 4 and 16 tiles, within a tenth.
    #[test]
    fn calls_of_the_figures_cost_what_was_measured() {
        let config = |cols, rows| Config {
            mpe_neighbours: 7,
            ..mesh(cols, rows).0
        };
        let of = |size: usize, shape: &Shape, root, kind, words| {
            let config = if size == 4 { config(2, 2) } else { config(4, 4) };
            let tiles: Vec<usize> = (0..size).collect();
            call(&config, &Tree::new(&config, &tiles, shape).unwrap(), root, kind, words)
        };
        use Kind::{Allreduce, Barrier, Broadcast, Reduce};
        use Shape::{Centre, Linear, Quad};
        let measured = [
            (4, Quad, 0, Barrier, 0, 21),
            (16, Linear, 4, Barrier, 0, 87),
            (16, Centre, 5, Barrier, 0, 47),
            (16, Quad, 5, Barrier, 0, 35),
            (4, Linear, 0, Broadcast, 1, 36),
            (4, Linear, 0, Broadcast, 256, 302),
            (4, Quad, 0, Broadcast, 256, 818),
            (16, Linear, 0, Broadcast, 1, 120),
            (16, Linear, 0, Broadcast, 256, 398),
            (16, Centre, 5, Broadcast, 1, 43),
            (16, Centre, 5, Broadcast, 256, 1102),
            (16, Quad, 5, Broadcast, 1, 41),
            (16, Quad, 5, Broadcast, 256, 1622),
            (16, Linear, 0, Reduce, 1, 196),
            (16, Linear, 0, Reduce, 256, 474),
            (16, Centre, 5, Reduce, 1, 104),
            (16, Quad, 5, Reduce, 1, 98),
            (16, Centre, 5, Reduce, 256, 1286),
            (16, Quad, 5, Reduce, 256, 1854),
            (16, Linear, 4, Allreduce, 1, 183),
            (16, Linear, 4, Allreduce, 256, 1263),
            (16, Centre, 5, Allreduce, 1, 140),
            (16, Quad, 5, Allreduce, 1, 132),
            (16, Centre, 5, Allreduce, 256, 2381),
            (16, Quad, 5, Allreduce, 256, 3469),
        ];
        for (size, shape, root, kind, words, cycles) in measured {
            let cost = of(size, &shape, root, kind, words);
            assert!(
                10 * cost.abs_diff(cycles) <= cycles,
                "{kind:?} of {words} words along {shape:?} of {size} tiles: {cost} and not {cycles}"
            );
        }
    }
}
