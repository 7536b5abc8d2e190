//! Engines side by side, with memories, and a network that takes its time.

use super::*;
use crate::prim::testing::{clock, clocked, reset, rng, settle};
use portico_spec::{
    mpe::{
        call::{Begin, Call, Kind, Marks, Row, Tag, Transfer},
        reduce::Operation,
        tree::{Shape, Tree},
    },
    ni::{
        command::{Opcode, EVENT_OFFSET},
        registers::{
            index, MpeRegister, Place, MPE_CLOSED_OFFSET, MPE_CLOSE_OFFSET, MPE_DRAINED_OFFSET, MPE_NEXT_OFFSET,
            MPE_OPEN_OFFSET,
        },
        ErrorCode,
    },
    Head, Node,
};
use portico_verilog::prelude::*;
use rand::{rngs::SmallRng, seq::SliceRandom, Rng};
use std::collections::VecDeque;

mod launches;

clocked!([const W: usize, const B: usize] Mpe<W, B>);

/// A flit, and whether it is its packet's last.
type Flit = (u32, bool);

/// One way into an engine: flits that are on their way, and the packet that others wait for.
#[derive(Default)]
struct Way {
    flits: VecDeque<Flit>,
    /// Whose packet is under way.
    open: Option<usize>,
    first: bool,
}

/// Holds an engine to what freedom from deadlock rests on (`docs/collectives.md`): a pass over the packet of an edge is given out
/// only when the head of this packet was ejected before, a fold only when the heads of all its packets were, and a head leaves
/// only behind its pass.
#[derive(Clone, Default)]
struct Heads {
    /// The edge that the last head names.
    last: usize,
    /// Packets of each edge whose head was ejected and that no pass has taken for the last time; the same when the fold that is
    /// given out began.
    here: Vec<u32>,
    began_with: Vec<u32>,
    /// Passes to the network whose head has not left.
    given: u32,
}

impl Heads {
    fn new() -> Self {
        Heads {
            here: vec![0; EDGES],
            began_with: vec![0; EDGES],
            ..Heads::default()
        }
    }

    /// Looks at a cycle that has settled; `leaves` if a head is taken.
    fn watch(&mut self, engine: &Mpe<32, 4>, leaves: bool) {
        if leaves {
            assert!(self.given > 0, "a head without a pass");
            self.given -= 1;
        }
        let job = &engine.scheduler.job;
        let neighbour = job.neighbour.val().index();
        if job.valid.val() && engine.accepted.val() {
            if job.from_memory.val() {
                self.began_with.clone_from(&self.here);
            }
            self.given += u32::from(job.to_network.val());
            if job.from_edge.val() {
                assert!(
                    self.here[neighbour] > 0,
                    "a pass before the head of edge {neighbour} has come"
                );
                assert!(
                    !job.folds.val() || self.began_with[neighbour] > 0,
                    "a fold that has begun before the head of edge {neighbour} has come"
                );
                self.here[neighbour] -= u32::from(job.frees.val());
            }
        }
        if engine.words.arrives.val() {
            let edge = engine.words.arrived_edge.val().index();
            assert_eq!(self.last, edge, "a packet of another edge than its head names");
            self.here[edge] += 1;
        }
        let flits = &engine.socket.data_in;
        if flits.valid.val() && flits.first.val() {
            let tag = Tag::decode(Head::decode(flits.data.val().to_u64() as u32).tag).expect("words have no sign");
            self.last = usize::from(tag.context) << PLACE_WIDTH | usize::from(tag.place);
        }
    }
}

struct Bench {
    engines: Vec<Mpe<32, 4>>,
    heads: Vec<Heads>,
    memories: Vec<Vec<u32>>,
    commands: Vec<VecDeque<Flit>>,
    data: Vec<Way>,
    control: Vec<Way>,
    /// Where the packet goes that an engine is sending, on each plane.
    target: Vec<[Option<usize>; 2]>,
    read: Vec<Option<u32>>,
    events: Vec<Vec<(u32, u32)>>,
    refused: Vec<u32>,
    cycle: u64,
    rng: SmallRng,
    /// How often something waits.
    idle: f64,
}

fn node(engine: usize) -> Node {
    Node { x: engine as u8, y: 0 }
}

fn config() -> Config {
    Config {
        cols: 8,
        rows: 1,
        mpe: 2,
        mpe_neighbours: 4,
        scratchpad: 4,
        ..Config::default()
    }
}

impl Bench {
    fn new(engines: usize, seed: u64, idle: f64) -> Bench {
        let engine = |at: usize| {
            let mut engine = Mpe::<32, 4>::new(&config());
            engine.socket.node.next = u64::from(node(at).number()).into();
            let mut engine = reset(engine);
            engine.socket.sweep.active.next = true;
            (0..8).for_each(|_| clock(&mut engine));
            engine.socket.sweep.active.next = false;
            engine
        };
        let ways = || {
            (0..engines)
                .map(|_| Way {
                    first: true,
                    ..Way::default()
                })
                .collect()
        };
        Bench {
            engines: (0..engines).map(engine).collect(),
            heads: vec![Heads::new(); engines],
            memories: vec![vec![0; 1024]; engines],
            commands: vec![VecDeque::new(); engines],
            data: ways(),
            control: ways(),
            target: vec![[None; 2]; engines],
            read: vec![None; engines],
            events: vec![vec![]; engines],
            refused: vec![0; engines],
            cycle: 0,
            rng: rng(seed),
            idle,
        }
    }

    fn may(&mut self) -> bool {
        self.idle == 0.0 || !self.rng.gen_bool(self.idle)
    }

    fn cycle(&mut self) {
        for at in 0..self.engines.len() {
            let (data, control) = (self.may(), self.may());
            let (free, control_free, command, read_ready, write_ready, event) =
                (self.may(), self.may(), self.may(), self.may(), self.may(), self.may());
            let show = |way: &mut Way, goes: bool| {
                let flit = way.flits.front().copied().filter(|_| goes);
                if let Some((_, last)) = flit {
                    way.flits.pop_front();
                    let first = std::mem::replace(&mut way.first, last);
                    return (true, first, last, flit.unwrap().0);
                }
                (false, false, false, 0)
            };
            let came = [show(&mut self.data[at], data), show(&mut self.control[at], control)];
            let engine = &mut self.engines[at];
            let socket = &mut engine.socket;
            socket.data_in.valid.next = came[0].0;
            socket.data_in.first.next = came[0].1;
            socket.data_in.last.next = came[0].2;
            socket.data_in.data.next = u64::from(came[0].3).into();
            socket.control_in.valid.next = came[1].0;
            socket.control_in.first.next = came[1].1;
            socket.control_in.last.next = came[1].2;
            socket.control_in.data.next = u64::from(came[1].3).into();
            let offered = self.commands[at].front().copied().filter(|_| command);
            socket.commands.tvalid.next = offered.is_some();
            socket.commands.tdata.next = u64::from(offered.unwrap_or_default().0).into();
            socket.commands.tlast.next = offered.unwrap_or_default().1;
            socket.event.ready.next = event;
            socket.memory_read.ready.next = read_ready;
            socket.memory_read.data_valid.next = self.read[at].is_some();
            socket.memory_read.data.next = u64::from(self.read[at].unwrap_or_default()).into();
            socket.memory_write.ready.next = write_ready;
            // A plane takes a head only when no other packet is on its way to the same engine.
            settle(engine);
            let heads = [&engine.socket.data_out, &engine.socket.control_out]
                .map(|out| (out.tvalid.val(), out.tdata.val().to_u64() as u32, out.tlast.val()));
            let mut leaves = false;
            for (plane, (valid, word, last)) in heads.into_iter().enumerate() {
                let goal =
                    self.target[at][plane].or_else(|| valid.then(|| usize::from(Head::decode(word).destination.x)));
                let ways = if plane == 0 { &mut self.data } else { &mut self.control };
                let open = goal.is_some_and(|goal| ways[goal].open.is_none_or(|by| by == at));
                let ready = open && if plane == 0 { free } else { control_free };
                let out = if plane == 0 {
                    &mut self.engines[at].socket.data_out.tready
                } else {
                    &mut self.engines[at].socket.control_out.tready
                };
                out.next = ready;
                if valid && ready {
                    leaves |= plane == 0 && self.target[at][0].is_none();
                    let goal = goal.unwrap();
                    ways[goal].flits.push_back((word, last));
                    ways[goal].open = (!last).then_some(at);
                    self.target[at][plane] = (!last).then_some(goal);
                }
            }
            let engine = &mut self.engines[at];
            settle(engine);
            self.heads[at].watch(engine, leaves);
            let socket = &engine.socket;
            if offered.is_some() && socket.commands.tready.val() {
                self.commands[at].pop_front();
            }
            if socket.event.valid.val() && event {
                self.events[at].push((
                    socket.event.event.val().to_u64() as u32,
                    socket.event.error.val().to_u64() as u32,
                ));
            }
            self.read[at] = (socket.memory_read.valid.val() && read_ready)
                .then(|| self.memories[at][socket.memory_read.address.val().index()]);
            if socket.memory_write.valid.val() && write_ready {
                assert_eq!(socket.memory_write.lanes.val(), 15);
                let address = socket.memory_write.address.val().index();
                self.memories[at][address] = socket.memory_write.data.val().to_u64() as u32;
            }
            self.refused[at] += u32::from(socket.refused.val());
            clock(engine);
        }
        self.cycle += 1;
    }

    fn run(&mut self, cycles: usize) {
        (0..cycles).for_each(|_| self.cycle());
    }

    /// Runs until all have so many events.
    fn until(&mut self, events: usize, limit: usize) {
        for _ in 0..limit {
            if self.events.iter().all(|list| list.len() >= events) {
                return;
            }
            self.cycle();
        }
        panic!("events after {limit} cycles: {:?}", self.events);
    }

    fn access(&mut self, at: usize, context: usize, register: MpeRegister, write: Option<u32>) -> u32 {
        let port = &mut self.engines[at].socket.register;
        port.index.next = u64::from(index(register, context)).into();
        port.data.next = u64::from(write.unwrap_or_default()).into();
        port.write.next = write.is_some();
        port.read.next = write.is_none();
        self.cycle();
        let port = &mut self.engines[at].socket.register;
        port.write.next = false;
        port.read.next = false;
        self.run(4);
        self.engines[at].socket.register.answer.val().to_u64() as u32
    }

    fn status(&mut self, at: usize, context: usize) -> u32 {
        self.access(at, context, MpeRegister::Status, None)
    }

    /// Gives all members their lists.
    fn join(&mut self, context: usize, tree: &Tree) {
        for (rank, &at) in tree.tiles().to_vec().iter().enumerate() {
            for place in 0..config().mpe_neighbours {
                let row = tree.neighbours(rank).get(place).map(|&other| Row {
                    node: node(tree.tiles()[other]),
                    place: tree.place_at(rank, place) as u8,
                });
                let register = MpeRegister::from_number(MpeRegister::Neighbour0.number() + place).unwrap();
                self.access(at, context, register, Some(Row::encode(row).unwrap()));
            }
        }
    }

    fn post(&mut self, at: usize, event: u32, call: Call) {
        let opcode = Opcode::Barrier as u32 + call.kind as u32;
        let words = [&[event << EVENT_OFFSET | opcode][..], &call.encode().unwrap()].concat();
        let last = words.len() - 1;
        self.commands[at].extend(words.into_iter().enumerate().map(|(at, word)| (word, at == last)));
    }

    /// Posts a call at all members, in any order.
    fn call(&mut self, context: usize, tree: &Tree, root: usize, number: u8, kind: Kind, transfer: Transfer) {
        let mut ranks: Vec<usize> = (0..tree.tiles().len()).collect();
        ranks.shuffle(&mut self.rng);
        for rank in ranks {
            let towards = tree.towards(root)[rank].map(|place| place as u8);
            let call = Call {
                kind,
                begin: Begin::InTurn,
                number,
                context: context as u8,
                towards,
                transfer,
            };
            self.post(tree.tiles()[rank], number.into(), call);
        }
    }

    fn assert_idle(&mut self, context: usize) {
        self.run(20);
        for at in 0..self.engines.len() {
            assert_eq!(self.status(at, context) & 0x3f, 1, "engine {at}, context {context}");
        }
        assert!(self.data.iter().chain(&self.control).all(|way| way.flits.is_empty()));
    }
}

fn tree(engines: usize, shape: &Shape) -> Tree {
    Tree::new(&config(), &(0..engines).collect::<Vec<_>>(), shape).unwrap()
}

fn barrier(number: u8, towards: Option<u8>) -> Call {
    Call {
        kind: Kind::Barrier,
        begin: Begin::InTurn,
        number,
        context: 0,
        towards,
        transfer: Transfer::NONE,
    }
}

fn words(length: u32) -> Transfer {
    Transfer {
        length,
        source: 0,
        result: 0x800,
        operation: Operation::IntegerSum,
    }
}

#[test]
fn nobody_leaves_a_barrier_before_the_last_has_come() {
    for idle in [0.0, 0.4] {
        let tree = tree(4, &Shape::Star);
        let mut bench = Bench::new(4, 0xba, idle);
        bench.join(0, &tree);
        for (number, late) in (0..4u8).zip([3, 0, 2, 1]) {
            for rank in (0..4).filter(|&rank| rank != late) {
                let towards = tree.towards(usize::from(number))[rank].map(|place| place as u8);
                bench.post(rank, 5, barrier(number, towards));
            }
            bench.run(200);
            assert!(
                bench.events.iter().all(|list| list.len() == usize::from(number)),
                "{:?}",
                bench.events
            );
            let towards = tree.towards(usize::from(number))[late].map(|place| place as u8);
            bench.post(late, 5, barrier(number, towards));
            bench.until(usize::from(number) + 1, 500);
        }
        assert!(bench.events.iter().flatten().all(|&event| event == (5, 0)));
        bench.assert_idle(0);
    }
}

#[test]
fn words_are_moved_and_folded_as_by_hand() {
    for (seed, shape, idle) in [
        (1, Shape::Linear, 0.3),
        (2, Shape::Star, 0.0),
        (3, Shape::Binomial, 0.3),
    ] {
        let tree = tree(4, &shape);
        let mut bench = Bench::new(4, seed, idle);
        bench.join(1, &tree);
        let mut number = 0;
        for length in [0, 1, 2, 31, 32, 63, 64, 100] {
            for (at, memory) in bench.memories.iter_mut().enumerate() {
                for word in 0..512 {
                    memory[word] = (1000 * (at as u32 + 1)).wrapping_mul(word as u32 + 1) + u32::from(number);
                    memory[512 + word] = 0xdead_0000 + at as u32;
                }
            }
            let root = usize::from(number) % 4;
            let began = number;
            let sum = |word: u32| 10_000 * (word + 1) + 4 * u32::from(began);
            let own = |at: usize, word: u32, number: u8| 1000 * (at as u32 + 1) * (word + 1) + u32::from(number);
            bench.call(1, &tree, root, number, Kind::Allreduce, words(length));
            number += 1;
            bench.until(usize::from(number), 4_000);
            for at in 0..4 {
                let memory = &bench.memories[at][512..];
                for word in 0..512 {
                    let wanted = if word < length {
                        sum(word)
                    } else {
                        0xdead_0000 + at as u32
                    };
                    assert_eq!(
                        memory[word as usize], wanted,
                        "allreduce {length}, {shape:?}, {at}: {word}"
                    );
                }
            }
            bench.call(
                1,
                &tree,
                root,
                number,
                Kind::Reduce,
                Transfer {
                    result: 0xc00,
                    ..words(length)
                },
            );
            number += 1;
            bench.until(usize::from(number), 4_000);
            for at in 0..4 {
                for word in 0..length.min(256) {
                    let wanted = if at == root { sum(word) } else { 0xdead_0000 + at as u32 };
                    assert_eq!(
                        bench.memories[at][768 + word as usize],
                        wanted,
                        "reduce {length}, {at}: {word}"
                    );
                }
            }
            bench.call(
                1,
                &tree,
                root,
                number,
                Kind::Broadcast,
                Transfer {
                    result: 0x400,
                    ..words(length)
                },
            );
            number += 1;
            bench.until(usize::from(number), 4_000);
            for at in (0..4).filter(|&at| at != root) {
                for word in 0..length {
                    let wanted = own(root, word, began);
                    assert_eq!(
                        bench.memories[at][256 + word as usize],
                        wanted,
                        "broadcast {length}, {at}: {word}"
                    );
                }
            }
        }
        assert!(bench.events.iter().flatten().all(|&(_, error)| error == 0));
        bench.assert_idle(1);
        assert_eq!(bench.refused, [0; 4]);
    }
}

#[test]
fn contexts_do_not_wait_for_each_other() {
    let (one, two) = (
        tree(3, &Shape::Linear),
        Tree::new(&config(), &[2, 0, 1], &Shape::Star).unwrap(),
    );
    let mut bench = Bench::new(3, 9, 0.2);
    bench.join(0, &one);
    bench.join(1, &two);
    for at in 0..3 {
        bench.memories[at] = (0..1024).map(|word| word * (at as u32 + 1)).collect();
    }
    // Members post in opposite orders.
    let call = |tree: &Tree, context, at: usize| {
        let rank = tree.tiles().iter().position(|&tile| tile == at).unwrap();
        let towards = tree.towards(1)[rank].map(|place| place as u8);
        let result = 0x800 + 0x200 * u32::from(context);
        let transfer = Transfer { result, ..words(96) };
        Call {
            kind: Kind::Allreduce,
            begin: Begin::InTurn,
            number: 0,
            context,
            towards,
            transfer,
        }
    };
    for at in 0..3 {
        let mut calls = [call(&one, 0, at), call(&two, 1, at)];
        if at == 1 {
            calls.reverse();
        }
        calls.into_iter().for_each(|call| bench.post(at, 1, call));
        bench.run(300);
    }
    bench.until(2, 3_000);
    for memory in &bench.memories {
        for word in 0..96 {
            assert_eq!(
                (memory[512 + word], memory[640 + word]),
                (6 * word as u32, 6 * word as u32)
            );
        }
    }
    bench.assert_idle(0);
    bench.assert_idle(1);
}

#[test]
fn refusals_come_in_their_order() {
    let mut bench = Bench::new(2, 4, 0.0);
    let tree = tree(2, &Shape::Linear);
    bench.join(0, &tree);
    let good = Call {
        kind: Kind::Reduce,
        begin: Begin::InTurn,
        number: 0,
        context: 0,
        towards: None,
        transfer: words(8),
    };
    let mut sent = 0;
    let mut refused = |bench: &mut Bench, words: &[u32], wanted: ErrorCode| {
        let last = words.len() - 1;
        bench.commands[0].extend(words.iter().enumerate().map(|(at, &word)| (word, at == last)));
        bench.run(40);
        sent += 1;
        assert_eq!(
            (bench.events[0].len(), bench.events[0][sent - 1].1),
            (sent, wanted as u32),
            "{words:x?}"
        );
    };
    let opcode = Opcode::Reduce as u32;
    let encoded = |call: Call| [&[opcode][..], &call.encode().unwrap()].concat();
    let short = encoded(Call {
        number: 9,
        context: 3,
        ..good
    });
    refused(&mut bench, &short[..4], ErrorCode::Malformed);
    refused(&mut bench, &short, ErrorCode::NotBuilt);
    refused(
        &mut bench,
        &encoded(Call {
            number: 9,
            towards: Some(3),
            ..good
        }),
        ErrorCode::OutOfTurn,
    );
    refused(
        &mut bench,
        &encoded(Call {
            towards: Some(3),
            ..good
        }),
        ErrorCode::Malformed,
    );
    let mut words_of = encoded(good);
    words_of[3] = 0x802;
    refused(&mut bench, &words_of, ErrorCode::Malformed);
    words_of[3] = 0xffff_fff0;
    refused(&mut bench, &words_of, ErrorCode::OutOfMemory);
    words_of[3] = 0xfe4;
    refused(&mut bench, &words_of, ErrorCode::OutOfMemory);
    words_of[3] = 0x804;
    refused(&mut bench, &words_of, ErrorCode::Malformed);
    words_of = encoded(good);
    words_of[1] |= 1 << 14;
    refused(&mut bench, &words_of, ErrorCode::Malformed);
    // One runs, four wait.
    (0..5).for_each(|number| bench.post(0, 0, Call { number, ..good }));
    bench.run(100);
    refused(
        &mut bench,
        &encoded(Call { number: 5, ..good }),
        ErrorCode::TooManyCalls,
    );
    assert_eq!(bench.status(0, 0), 5 << 6 | 4 << 3 | 2);
    // Calls that wait run in their order.
    for number in 0..5 {
        bench.post(
            1,
            0,
            Call {
                number,
                towards: Some(0),
                ..good
            },
        );
    }
    let before = bench.events[0].len();
    for _ in 0..2_000 {
        bench.cycle();
    }
    assert_eq!((bench.events[0].len() - before, bench.events[1].len()), (5, 5));
    bench.assert_idle(0);
}

#[test]
fn a_call_that_differs_or_comes_too_late_closes_its_context_alone() {
    let mut bench = Bench::new(2, 5, 0.1);
    let tree = tree(2, &Shape::Linear);
    (0..2).for_each(|context| bench.join(context, &tree));
    let call = |number, context, towards, length| Call {
        kind: Kind::Reduce,
        begin: Begin::InTurn,
        number,
        context,
        towards,
        transfer: words(length),
    };
    // The root means 8 words, the other 9; two more wait.
    bench.post(0, 1, call(0, 0, None, 8));
    bench.post(0, 2, call(1, 0, None, 8));
    bench.post(0, 3, call(2, 0, None, 8));
    bench.run(100);
    bench.post(1, 1, call(0, 0, Some(0), 9));
    bench.run(400);
    let mismatch = ErrorCode::Mismatch as u32;
    assert_eq!(bench.events[0], [(1, mismatch), (2, mismatch), (3, mismatch)]);
    bench.post(0, 4, call(3, 0, None, 8));
    bench.run(100);
    assert_eq!(bench.events[0][3], (4, ErrorCode::Closed as u32));
    // In the other context nobody comes in time, and before that a call is as long as it likes.
    bench.access(0, 1, MpeRegister::Timeout, Some(600));
    bench.post(0, 5, call(0, 1, None, 8));
    bench.run(500);
    bench.post(1, 5, call(0, 1, Some(0), 8));
    bench.run(100);
    assert_eq!(bench.events[0][4], (5, 0));
    bench.post(0, 6, call(1, 1, None, 8));
    bench.run(800);
    assert_eq!(bench.events[0][5], (6, ErrorCode::TimedOut as u32));
    assert_eq!(bench.status(0, 1) & 7, 4);
}

#[test]
fn packets_of_strangers_are_refused() {
    let mut bench = Bench::new(2, 6, 0.0);
    bench.join(0, &tree(2, &Shape::Linear));
    let head = |source, kind, tag| {
        Head {
            destination: node(0),
            source,
            tag,
            kind,
            last: true,
        }
        .encode()
        .unwrap()
    };
    let stranger = node(5);
    bench.data[0]
        .flits
        .extend([(head(stranger, 5, 0), false), (7, false), (8, true)]);
    bench.data[0].flits.extend([(head(node(1), 5, 0), true)]);
    bench.data[0]
        .flits
        .extend([(head(node(1), 5, 1 << 2), false), (1, true)]);
    bench.data[0].flits.extend([(head(node(1), 5, 3), false), (1, true)]);
    bench.control[0]
        .flits
        .extend([(head(stranger, 6, 0x80), true), (head(node(1), 6, 0), true)]);
    bench.control[0]
        .flits
        .extend([(head(node(1), 6, 0x80), false), (9, true)]);
    bench.run(60);
    assert_eq!(bench.refused[0], 7);
    assert_eq!(bench.status(0, 0) & 1, 1);
    // A row is written only while its context is idle.
    bench.post(0, 0, barrier(0, Some(0)));
    bench.run(30);
    bench.access(0, 0, MpeRegister::Neighbour1, Some(0x1000));
    assert_eq!(bench.refused[0], 8);
    bench.run(30);
}

/// In the register `status`: closed, and drained.
const SHUT: u32 = 1 << MPE_CLOSED_OFFSET | 1 << MPE_DRAINED_OFFSET;

/// Closes a context everywhere, an engine after the other, and waits until all are drained and nothing is on its way.
fn close_and_drain(bench: &mut Bench, context: usize) {
    for at in 0..bench.engines.len() {
        bench.access(at, context, MpeRegister::Control, Some(1 << MPE_CLOSE_OFFSET));
        let wait = bench.rng.gen_range(0..40);
        bench.run(wait);
    }
    for at in 0..bench.engines.len() {
        let mut looks = 0;
        while bench.status(at, context) & SHUT != SHUT {
            looks += 1;
            assert!(
                looks < 400,
                "engine {at} is not drained: {:#x}",
                bench.status(at, context)
            );
        }
    }
    while bench.control.iter().any(|way| !way.flits.is_empty()) {
        bench.cycle();
    }
    bench.run(4);
}

fn open(bench: &mut Bench, context: usize) {
    for at in 0..bench.engines.len() {
        bench.access(at, context, MpeRegister::Control, Some(1 << MPE_OPEN_OFFSET));
        assert_eq!(bench.status(at, context), 1, "engine {at}");
    }
}

#[test]
fn a_closed_context_gives_back_every_credit() {
    let kinds = [Kind::Barrier, Kind::Broadcast, Kind::Reduce, Kind::Allreduce];
    for (seed, idle) in [(11, 0.0), (12, 0.3)] {
        let tree = tree(3, &Shape::Linear);
        let mut bench = Bench::new(3, seed, idle);
        (0..2).for_each(|context| bench.join(context, &tree));
        let mut other = 0;
        for round in 0..6usize {
            // Calls that go wrong: of other kinds, lengths or roots, or missing at one member. Context 1 runs calls that are right.
            let before: Vec<usize> = bench.events.iter().map(Vec::len).collect();
            for at in 0..3 {
                for number in 0..bench.rng.gen_range(0..4) {
                    let kind = kinds[bench.rng.gen_range(0..4)];
                    let root = bench.rng.gen_range(0..3);
                    let transfer = match kind {
                        Kind::Barrier => Transfer::NONE,
                        _ => words([1, 31, 40, 100][bench.rng.gen_range(0..4)]),
                    };
                    let towards = tree.towards(root)[at].map(|place| place as u8);
                    bench.post(
                        at,
                        1,
                        Call {
                            kind,
                            begin: Begin::InTurn,
                            number,
                            context: 0,
                            towards,
                            transfer,
                        },
                    );
                }
            }
            for at in 0..3 {
                bench.memories[at] = vec![round as u32 + at as u32; 1024];
            }
            let own = Transfer {
                source: 0xc00,
                result: 0xe00,
                ..words(70)
            };
            bench.call(1, &tree, round % 3, other, Kind::Allreduce, own);
            other = other.wrapping_add(1);
            let wait = bench.rng.gen_range(0..250);
            bench.run(wait);
            close_and_drain(&mut bench, 0);
            let right = (u32::from(other - 1), 0);
            for _ in 0..2_000 {
                let mut ended = bench.events.iter().zip(&before);
                if ended.all(|(events, &before)| events[before..].contains(&right)) {
                    break;
                }
                bench.cycle();
            }
            let codes = [ErrorCode::Mismatch as u32, ErrorCode::Closed as u32];
            for (at, &before) in before.iter().enumerate() {
                let mut events = bench.events[at][before..].to_vec();
                let at_right = events.iter().position(|&event| event == right);
                events.remove(at_right.unwrap_or_else(|| panic!("engine {at}, round {round}: {events:?}")));
                let failed = events.iter().position(|&(_, error)| error != 0).unwrap_or(events.len());
                assert!(
                    events[failed..].iter().all(|(_, error)| codes.contains(error)),
                    "engine {at}, round {round}: {events:?}"
                );
            }
            open(&mut bench, 0);
            // Calls of the opened contexts give the results of contexts after reset.
            for at in 0..3 {
                for word in 0..100 {
                    bench.memories[at][word] = 10 * at as u32 + word as u32;
                }
            }
            let seen: Vec<usize> = bench.events.iter().map(Vec::len).collect();
            bench.call(0, &tree, 1, 0, Kind::Allreduce, words(100));
            bench.call(0, &tree, 2, 1, Kind::Barrier, Transfer::NONE);
            for _ in 0..4_000 {
                bench.cycle();
                if bench
                    .events
                    .iter()
                    .zip(&seen)
                    .all(|(events, &seen)| events.len() == seen + 2)
                {
                    break;
                }
            }
            for (at, &seen) in seen.iter().enumerate() {
                assert_eq!(bench.events[at][seen..], [(0, 0), (1, 0)], "engine {at}, round {round}");
                for word in 0..100 {
                    assert_eq!(bench.memories[at][512 + word], 30 + 3 * word as u32);
                }
                for word in 0..70 {
                    assert_eq!(bench.memories[at][0xe00 / 4 + word], 3 * round as u32 + 3);
                }
            }
            bench.assert_idle(1);
            for at in 0..3 {
                assert_eq!(bench.status(at, 0), 1 | 2 << MPE_NEXT_OFFSET);
            }
            // The next round numbers from 0 again.
            close_and_drain(&mut bench, 0);
            open(&mut bench, 0);
        }
        assert_eq!(bench.refused, [0; 3]);
    }
}

/// Engine 0 drains context 0, in which its neighbours have left so many packets, while it releases a barrier of context 1.
#[test]
fn the_neighbour_of_a_recovering_context_loses_a_cycle_for_each_credit_at_most() {
    let tree = tree(4, &Shape::Star);
    let mut bench = Bench::new(4, 13, 0.0);
    (0..2).for_each(|context| bench.join(context, &tree));
    // Cycles until the barrier ends at each engine, without a drain.
    let mut alone = [0u64; 4];
    let mut most = 0;
    for round in 0..56u8 {
        let credits = usize::from(round) % 7;
        for at in 1..4 {
            // Reduces of one or two packets, to which the root does not come.
            let packets = credits.saturating_sub(2 * (at - 1)).min(2);
            if packets > 0 {
                let reduce = Call {
                    kind: Kind::Reduce,
                    transfer: words([3, 40][packets - 1]),
                    ..barrier(0, Some(0))
                };
                bench.post(at, 1, reduce);
            }
            let awaits = Call {
                context: 1,
                ..barrier(round, Some(0))
            };
            bench.post(at, 2, awaits);
        }
        bench.run(200);
        for at in 1..4 {
            let is_home = credits <= 2 * (at - 1);
            assert_eq!(bench.status(at, 0) & 1 == 1, is_home, "engine {at}, {credits} credits");
        }
        if round > 0 {
            bench.access(0, 0, MpeRegister::Control, Some(1 << MPE_CLOSE_OFFSET));
        }
        bench.run(usize::from(round) % 16);
        let before: Vec<usize> = bench.events.iter().map(Vec::len).collect();
        let releases = Call {
            context: 1,
            ..barrier(round, None)
        };
        bench.post(0, 2, releases);
        let begun = bench.cycle;
        let mut ends = [0u64; 4];
        while ends.contains(&0) {
            bench.cycle();
            assert!(bench.cycle - begun < 500, "round {round}: {:?}", bench.events);
            for (at, end) in ends.iter_mut().enumerate() {
                if *end == 0 && bench.events[at].len() > before[at] {
                    *end = bench.cycle - begun;
                }
            }
        }
        if round == 0 {
            alone = ends;
        }
        for (at, (end, alone)) in ends.iter().zip(&alone).enumerate() {
            let late = end.saturating_sub(*alone);
            assert!(late <= credits as u64, "engine {at}, {credits} credits: {late} cycles");
            most = most.max(late);
        }
        close_and_drain(&mut bench, 0);
        open(&mut bench, 0);
    }
    assert!(most > 0, "no release has met a credit");
    assert_eq!(bench.refused, [0; 4]);
}

#[test]
fn only_a_drained_context_opens_and_its_list_stays() {
    let mut bench = Bench::new(2, 7, 0.0);
    bench.join(0, &tree(2, &Shape::Linear));
    let row = Row {
        node: node(1),
        place: 0,
    };
    let list = [Row::encode(Some(row)).unwrap(), 0, 0, 0, 0, 0, 0, 0];
    let read = |bench: &mut Bench| {
        [0, 1, 2, 3, 4, 5, 6, 7].map(|place| bench.access(0, 0, MpeRegister::from_number(place).unwrap(), None))
    };
    assert_eq!(read(&mut bench), list);
    let control = |bench: &mut Bench, value| {
        bench.access(0, 0, MpeRegister::Control, Some(value));
        (bench.status(0, 0), bench.refused[0])
    };
    let (close, opens) = (1 << MPE_CLOSE_OFFSET, 1 << MPE_OPEN_OFFSET);
    // It is not closed, so it does not open; both bits close it.
    assert_eq!(control(&mut bench, opens), (1, 1));
    assert_eq!(control(&mut bench, close | opens), (SHUT, 2));
    assert_eq!(control(&mut bench, close), (SHUT, 2));
    assert_eq!(control(&mut bench, 0), (SHUT, 2));
    // A row is not written while it is closed.
    bench.access(0, 0, MpeRegister::Neighbour1, Some(0x1000));
    assert_eq!(bench.refused[0], 3);
    assert_eq!(control(&mut bench, close | opens), (1, 3));
    assert_eq!(read(&mut bench), list);
    // A context whose credit is away is closed, and not drained.
    let call = Call {
        kind: Kind::Reduce,
        begin: Begin::InTurn,
        number: 0,
        context: 0,
        towards: Some(0),
        transfer: words(4),
    };
    bench.post(0, 2, call);
    bench.run(60);
    assert_eq!(
        control(&mut bench, close),
        (1 << MPE_CLOSED_OFFSET | 1 << MPE_NEXT_OFFSET, 3)
    );
    assert_eq!(
        control(&mut bench, opens),
        (1 << MPE_CLOSED_OFFSET | 1 << MPE_NEXT_OFFSET, 4)
    );
    bench.access(1, 0, MpeRegister::Control, Some(close));
    bench.run(30);
    assert_eq!(control(&mut bench, opens), (1, 4));
    // Events of both: the reduce was sent, and that is all of it here.
    assert_eq!(bench.events, [vec![(2, 0)], vec![]]);
}

#[test]
fn no_word_of_another_call_reaches_a_result() {
    let mut bench = Bench::new(2, 8, 0.0);
    let tree = tree(2, &Shape::Linear);
    bench.join(0, &tree);
    // Rooms of the edge are full of the words of a call that was right.
    bench.memories[0] = vec![0xbad0_bad0; 1024];
    let call = |number, length| Call {
        kind: Kind::Broadcast,
        begin: Begin::InTurn,
        number,
        context: 0,
        towards: Some(0),
        transfer: words(length),
    };
    bench.call(0, &tree, 0, 0, Kind::Broadcast, words(100));
    bench.until(1, 2_000);
    bench.memories[1] = vec![7; 1024];
    // A packet with the right call word and three of eight words.
    bench.post(1, 3, call(1, 8));
    let head = Head {
        destination: node(1),
        source: node(0),
        tag: 0,
        kind: 5,
        last: false,
    };
    let word = call(1, 8).call_word().encode().unwrap();
    let marks = Marks {
        is_down: true,
        opens: true,
    };
    let flits = [head.encode().unwrap() | marks.encode(), word, 1, 2, 3];
    bench.data[1]
        .flits
        .extend(flits.into_iter().enumerate().map(|(at, word)| (word, at == 4)));
    bench.run(100);
    assert_eq!(bench.events[1][1], (3, ErrorCode::Mismatch as u32));
    assert_eq!(bench.memories[1][512..522], [1, 2, 3, 0, 0, 0, 0, 0, 7, 7]);
}

/// The first events of three engines in a line whose calls these are, and whether their contexts are closed.
fn meet(seed: u64, calls: [(Kind, usize, Transfer); 3]) -> ([Option<u32>; 3], [bool; 3]) {
    let tree = tree(3, &Shape::Own(vec![(1, 0), (1, 2)]));
    let mut bench = Bench::new(3, seed, 0.2);
    bench.join(0, &tree);
    for (at, (kind, root, transfer)) in calls.into_iter().enumerate() {
        let towards = tree.towards(root)[at].map(|place| place as u8);
        let call = Call {
            kind,
            transfer,
            ..barrier(0, towards)
        };
        bench.post(at, 1, call);
        let late = bench.rng.gen_range(0..60);
        bench.run(late);
    }
    bench.run(2_000);
    assert_eq!(bench.refused, [0; 3]);
    let ends = [0, 1, 2].map(|at| bench.events[at].first().map(|&(_, error)| error));
    (
        ends,
        [0, 1, 2].map(|at| bench.status(at, 0) >> MPE_CLOSED_OFFSET & 1 == 1),
    )
}

#[test]
fn members_that_mean_different_calls_are_found_where_they_meet() {
    let mismatch = Some(ErrorCode::Mismatch as u32);
    let awaited = (Kind::Barrier, 1, Transfer::NONE);
    let reduce = (Kind::Reduce, 1, words(3));
    let seed = 31;
    for calls in [[reduce, awaited, awaited], [awaited, reduce, reduce]] {
        let (ends, closed) = meet(seed, calls);
        assert_eq!((ends[1], closed[1]), (mismatch, true), "seed {seed}");
    }
    // The first engine that gets a packet finds the mismatch, perhaps before it has sent one to the other. A short call may have ended
    // by then.
    for length in [3, 200] {
        let broadcast = |root| (Kind::Broadcast, root, words(length));
        for first in [broadcast(0), (Kind::Reduce, 1, words(length))] {
            let (ends, closed) = meet(seed, [first, broadcast(1), broadcast(1)]);
            assert!(closed[0] || closed[1], "seed {seed}, {length} words");
            assert!(ends[0].is_some() && ends[1].is_some(), "seed {seed}: nobody waits");
            assert!(
                length == 3 || [ends[0], ends[1]].contains(&mismatch),
                "seed {seed}: {ends:?}"
            );
        }
    }
}

#[test]
fn a_neighbour_may_be_two_calls_ahead() {
    let tree = tree(2, &Shape::Linear);
    let mut bench = Bench::new(2, 35, 0.1);
    bench.join(1, &tree);
    // The numbers wrap around.
    for round in 0..4u8 {
        let calls = [
            (Kind::Broadcast, words(5)),
            (Kind::Reduce, words(5)),
            (Kind::Barrier, Transfer::NONE),
        ];
        for at in 0..2 {
            for (number, (kind, transfer)) in (3 * round..).zip(calls) {
                // Engine 1 is the root of the broadcast, and engine 0 that of the others.
                let root = usize::from(kind == Kind::Broadcast);
                let call = Call {
                    kind,
                    context: 1,
                    transfer,
                    ..barrier(number, tree.towards(root)[1 - at].map(|place| place as u8))
                };
                bench.post(1 - at, 2, call);
            }
            bench.run(200);
            let ended = 3 * usize::from(round);
            assert_eq!(
                bench.events[1].len(),
                ended + if at == 0 { 2 } else { 3 },
                "round {round}"
            );
            assert_eq!(bench.events[0].len(), ended + if at == 0 { 0 } else { 3 });
        }
    }
    assert!(bench.events.iter().flatten().all(|&event| event == (2, 0)));
    bench.assert_idle(1);
}
