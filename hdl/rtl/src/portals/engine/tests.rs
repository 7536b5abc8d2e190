//! Two engines side by side, with memories, and planes that stand still.

use super::*;
use crate::{
    bus::ACCESS_CYCLES,
    prim::testing::{clock, clocked, on_a_deep_stack, reset, settle},
};
use portico_spec::{
    ni::registers::{index, PortalsRegister},
    portals::{
        engine::{
            item, Ack, Append, Command, Move, Operation, ANY_USER, CT_COMM, MD_BOUND_OFFSET, MD_COUNTER_OFFSET,
            MD_COUNTS_OFFSET, MD_CT_ACK, MD_CT_REPLY, OP_GET, OP_PUT, PORTAL_ALLOCATED_OFFSET, PORTAL_ENABLED_OFFSET,
            RANK_PRESENT_OFFSET, REPLY_OFFSET, ROOMS,
        },
        list::{List, ANY_SOURCE},
    },
    Node,
};
use portico_verilog::prelude::*;
use std::collections::VecDeque;

clocked!([const W: usize, const B: usize] Portals<W, B>);

/// A flit, and whether it is its packet's last.
type Flit = (u32, bool);

const DATA: usize = 0;
const CONTROL: usize = 1;
/// Counters of an engine: of its answers and replies, and of the messages that have come.
const ANSWERED: u8 = 0;
const MESSAGES: u8 = 1;
/// Puts at once: more than a rank has rooms.
const PUTS: u32 = 6;
const PUT_BYTES: u32 = 8;
/// Bytes of a get, whose reply has two packets.
const GET_BYTES: u32 = 200;
const MEMORY_BYTES: u32 = 4096;
/// Addresses of what a get brings and what puts give, and of the handle of an engine's entry. Their source begins at 0.
const BROUGHT: u32 = 0x400;
const GIVEN: u32 = 0x800;
const HANDLE: u32 = MEMORY_BYTES - 4;
/// Cycles of a plane that stands still, several times those of a get; and in which all that waits comes afterwards.
const HELD: usize = 300;
const REST: usize = 500;

/// An engine with its memory.
struct Station {
    engine: Portals<32, 4>,
    memory: Vec<u32>,
    /// The word that was read in the cycle before.
    read: Option<u32>,
    commands: VecDeque<Flit>,
    /// Of each plane: flits on their way to the engine, and whether the next one is a head.
    ways: [(VecDeque<Flit>, bool); 2],
    /// Planes that take nothing from the engine.
    held: [bool; 2],
    /// The next flit for the data plane is a head.
    begins: bool,
    /// Packets of requests that have left.
    requests: usize,
}

impl Station {
    fn new(at: usize) -> Station {
        let mut engine = Portals::<32, 4>::new(&Config {
            cols: 2,
            rows: 1,
            scratchpad: MEMORY_BYTES as usize >> 10,
            portals: 4,
            entries: 64,
            buckets: 16,
            ..Config::default()
        });
        engine.socket.node.next = u64::from(node(at).number()).into();
        let mut engine = reset(engine);
        engine.socket.sweep.active.next = true;
        for place in 0..512u64 {
            engine.socket.sweep.place.next = place.into();
            clock(&mut engine);
        }
        engine.socket.sweep.active.next = false;
        Station {
            engine,
            memory: (0..MEMORY_BYTES / 4).map(|place| word(at, place)).collect(),
            read: None,
            commands: VecDeque::new(),
            ways: [(VecDeque::new(), true), (VecDeque::new(), true)],
            held: [false; 2],
            begins: true,
            requests: 0,
        }
    }

    /// A cycle; gives what leaves on each plane.
    fn cycle(&mut self) -> [Option<Flit>; 2] {
        let socket = &mut self.engine.socket;
        let ports = [&mut socket.data_in, &mut socket.control_in];
        for (port, (flits, first)) in ports.into_iter().zip(&mut self.ways) {
            let flit = flits.pop_front();
            let (word, last) = flit.unwrap_or_default();
            port.valid.next = flit.is_some();
            port.first.next = *first;
            port.last.next = last;
            port.data.next = u64::from(word).into();
            if flit.is_some() {
                *first = last;
            }
        }
        let command = self.commands.front().copied();
        let (word, last) = command.unwrap_or_default();
        socket.commands.tvalid.next = command.is_some();
        socket.commands.tdata.next = u64::from(word).into();
        socket.commands.tlast.next = last;
        socket.event.ready.next = true;
        socket.memory_read.ready.next = true;
        socket.memory_read.data_valid.next = self.read.is_some();
        socket.memory_read.data.next = u64::from(self.read.unwrap_or_default()).into();
        socket.memory_write.ready.next = true;
        socket.data_out.tready.next = !self.held[DATA];
        socket.control_out.tready.next = !self.held[CONTROL];
        settle(&mut self.engine);

        let socket = &self.engine.socket;
        assert!(!socket.refused.val(), "a packet is refused");
        if socket.event.valid.val() {
            assert_eq!(socket.event.error.val().to_u64(), 0, "a command is refused");
        }
        let sent = [&socket.data_out, &socket.control_out].map(|port| {
            let passes = port.tvalid.val() && port.tready.val();
            passes.then(|| (port.tdata.val().to_u64() as u32, port.tlast.val()))
        });
        if let Some((word, last)) = sent[DATA] {
            self.requests += usize::from(self.begins && word >> REPLY_OFFSET & 1 == 0);
            self.begins = last;
        }
        if command.is_some() && socket.commands.tready.val() {
            self.commands.pop_front();
        }
        let reads = socket.memory_read.valid.val();
        self.read = reads.then(|| self.memory[socket.memory_read.address.val().index()]);
        if socket.memory_write.valid.val() {
            let lanes = socket.memory_write.lanes.val().to_u64();
            let lanes = (0..4u32).filter(|lane| lanes >> lane & 1 == 1);
            let mask = lanes.fold(0, |mask, lane| mask | 0xff_u32 << (8 * lane));
            let data = socket.memory_write.data.val().to_u64() as u32;
            let place = &mut self.memory[socket.memory_write.address.val().index()];
            *place = (*place & !mask) | (data & mask);
        }
        clock(&mut self.engine);
        sent
    }
}

/// Two engines: ranks 0 and 1.
struct Bench {
    stations: Vec<Station>,
}

fn node(at: usize) -> Node {
    Node { x: at as u8, y: 0 }
}

/// A word of an engine's memory at the begin.
fn word(at: usize, place: u32) -> u32 {
    0xa500_0000 | (at as u32) << 16 | place
}

impl Bench {
    fn new() -> Bench {
        let mut bench = Bench {
            stations: (0..2).map(Station::new).collect(),
        };
        for at in 0..2 {
            let options = 1 << MD_CT_ACK | 1 << MD_CT_REPLY | 1 << MD_COUNTS_OFFSET | 1 << MD_BOUND_OFFSET;
            for (register, item, value) in [
                (
                    PortalsRegister::Rank,
                    0,
                    u32::from(node(0).number()) | 1 << RANK_PRESENT_OFFSET,
                ),
                (
                    PortalsRegister::Rank,
                    1,
                    u32::from(node(1).number()) | 1 << RANK_PRESENT_OFFSET,
                ),
                (
                    PortalsRegister::Portal,
                    0,
                    1 << PORTAL_ALLOCATED_OFFSET | 1 << PORTAL_ENABLED_OFFSET,
                ),
                (PortalsRegister::MdStart, 0, 0),
                (PortalsRegister::MdLength, 0, MEMORY_BYTES),
                (
                    PortalsRegister::MdOptions,
                    0,
                    options | u32::from(ANSWERED) << MD_COUNTER_OFFSET,
                ),
                (PortalsRegister::Setting, item::RANK, at as u32),
                (PortalsRegister::Setting, item::ENABLE, 1),
            ] {
                bench.access(at, register, item, Some(value));
            }
            bench.command(
                at,
                Command::Append(Append {
                    list: List::Priority,
                    portal: 0,
                    counter: Some(MESSAGES),
                    source: 0,
                    options: 1 << ANY_SOURCE | 1 << OP_PUT | 1 << OP_GET | 1 << CT_COMM,
                    start: 0,
                    user: ANY_USER,
                    length: MEMORY_BYTES,
                    min_free: 0,
                    match_bits: 0,
                    ignore_bits: u64::MAX,
                    user_pointer: 0,
                    handle_address: HANDLE,
                }),
            );
        }
        bench.run(REST);
        bench
    }

    fn run(&mut self, cycles: usize) {
        for _ in 0..cycles {
            for at in 0..2 {
                let sent = self.stations[at].cycle();
                for (plane, flit) in sent.into_iter().enumerate() {
                    self.stations[1 - at].ways[plane].0.extend(flit);
                }
            }
        }
    }

    /// Writes a register, or reads it without a value.
    fn access(&mut self, at: usize, register: PortalsRegister, item: usize, value: Option<u32>) -> u32 {
        let port = &mut self.stations[at].engine.socket.register;
        port.index.next = u64::from(index(register, item)).into();
        port.data.next = u64::from(value.unwrap_or_default()).into();
        port.write.next = value.is_some();
        port.read.next = value.is_none();
        self.run(1);
        let port = &mut self.stations[at].engine.socket.register;
        port.write.next = false;
        port.read.next = false;
        self.run(ACCESS_CYCLES);
        self.stations[at].engine.socket.register.answer.val().to_u64() as u32
    }

    fn command(&mut self, at: usize, command: Command) {
        let mut words = command.encode();
        words[0] |= command.opcode() as u32;
        let last = words.len() - 1;
        let flits = words.into_iter().enumerate().map(|(at, word)| (word, at == last));
        self.stations[at].commands.extend(flits);
    }

    /// A put or get of the other engine's entry; `local` and `remote` are addresses.
    fn transfer(&mut self, at: usize, operation: Operation, ack: Ack, length: u32, (local, remote): (u32, u32)) {
        let request = Move {
            operation,
            ack,
            portal: 0,
            descriptor: 0,
            rank: 1 - at as u16,
            local,
            length,
            remote,
            match_bits: 0,
            user_pointer: 0,
            header_data: 0,
        };
        self.command(at, Command::Move(request));
    }

    /// Puts of different words.
    fn put(&mut self, at: usize, ack: Ack, count: u32) {
        for offset in (0..count).map(|number| number * PUT_BYTES) {
            self.transfer(at, Operation::Put, ack, PUT_BYTES, (offset, GIVEN + offset));
        }
    }

    fn get(&mut self, at: usize) {
        self.transfer(at, Operation::Get, Ack::None, GET_BYTES, (BROUGHT, 0));
    }

    /// Of each engine: answers and replies, and messages.
    fn counts(&mut self) -> [[u32; 2]; 2] {
        [0, 1].map(|at| {
            [ANSWERED, MESSAGES].map(|counter| self.access(at, PortalsRegister::CtSuccess, counter.into(), None))
        })
    }

    /// These planes of both engines take nothing.
    fn hold(&mut self, held: [[bool; 2]; 2]) {
        for (station, held) in self.stations.iter_mut().zip(held) {
            station.held = held;
        }
    }

    /// Forgets what puts and gets have brought.
    fn clear(&mut self) {
        for station in &mut self.stations {
            station.memory[BROUGHT as usize / 4..HANDLE as usize / 4].fill(0);
        }
    }

    /// A get and so many puts have brought their words to an engine; nothing failed.
    fn check(&mut self, at: usize, puts: u32) {
        let words = |bytes: u32| -> Vec<u32> { (0..bytes / 4).map(|place| word(1 - at, place)).collect() };
        let memory = &self.stations[at].memory;
        assert!(
            memory[BROUGHT as usize / 4..].starts_with(&words(GET_BYTES)),
            "engine {at}"
        );
        assert!(
            memory[GIVEN as usize / 4..].starts_with(&words(puts * PUT_BYTES)),
            "engine {at}"
        );
        for counter in [ANSWERED, MESSAGES] {
            assert_eq!(self.access(at, PortalsRegister::CtFailure, counter.into(), None), 0);
        }
    }

    /// Engine 1 gives no room back. Requests of engine 0 wait for credits; its answers and replies leave.
    fn replies_go_first(&mut self) {
        self.clear();
        let (before, requests) = (self.counts(), self.stations[0].requests);
        self.hold([[false, false], [false, true]]);
        self.put(0, Ack::None, PUTS);
        self.run(HELD);
        assert_eq!(self.stations[0].requests - requests, ROOMS, "a room for each request");
        self.put(1, Ack::Count, 1);
        self.get(1);
        self.run(HELD);
        assert_eq!(self.stations[0].requests - requests, ROOMS, "no room is free");
        let held = self.counts();
        assert_eq!(held[1][0], before[1][0] + 2, "an answer and a reply wait for requests");
        self.hold([[false; 2]; 2]);
        self.run(REST);
        let [[answered, messages], [other_answered, other_messages]] = before;
        let expected = [[answered, messages + 2], [other_answered + 2, other_messages + PUTS]];
        assert_eq!(self.counts(), expected);
        self.check(1, PUTS);
    }

    /// Both engines put and get while planes of both stand still; all comes afterwards.
    fn nothing_is_lost(&mut self, held: [bool; 2]) {
        self.clear();
        let before = self.counts();
        self.hold([held; 2]);
        for at in 0..2 {
            self.put(at, Ack::Count, PUTS);
            self.get(at);
        }
        self.run(HELD);
        let answered = self.counts().map(|[answered, _]| answered);
        assert_eq!(answered, before.map(|[answered, _]| answered), "{held:?}");
        self.hold([[false; 2]; 2]);
        self.run(REST);
        assert_eq!(
            self.counts(),
            before.map(|counts| counts.map(|count| count + PUTS + 1)),
            "{held:?}"
        );
        (0..2).for_each(|at| self.check(at, PUTS));
    }
}

/// The last round finds all credits at home, as the first one does.
#[test]
fn planes_that_stand_still_hold_up_no_reply_and_lose_nothing() {
    on_a_deep_stack(|| {
        let mut bench = Bench::new();
        bench.replies_go_first();
        for held in [[true, false], [false, true], [true, true]] {
            bench.nothing_is_lost(held);
        }
        bench.replies_go_first();
    });
}
