//! A network interface with two engines in its socket, of which one is the tests' own.

mod stub;

use self::stub::{Stub, BLOCK, CONTROL, DATA, OPCODE, STUB};
use super::*;
use crate::{
    accel::Probe,
    bus::{RegisterFetchIn, RegisterRequestIn},
    ni::memory::Scratchpad,
    prim::{
        testing::{clock, clocked, emitted, on_a_deep_stack, reset, rng, settle},
        StreamIn, StreamOut,
    },
};
use portico_spec::{
    ni::{
        build::Build,
        command::{Opcode, EVENT_OFFSET},
        packet::{ControlKind, DataKind},
        registers::{index, CommandRegister, CounterRegister, EventRegister, ProbeRegister, BLOCK_OFFSET, IDENTITY},
        window::SYSTEM_WINDOW,
    },
    parts::{fault, PARTS, PORTALS, PROBE},
    probe::{Destination, Run},
    Config, Head, Node,
};
use portico_verilog::prelude::*;
use rand::{rngs::SmallRng, Rng};
use std::collections::VecDeque;

const BYTES: usize = 4 << 10;
const HERE: Node = Node { x: 0, y: 0 };

/// The node: a network interface, its memory, and the two engines.
#[derive(LogicBlock, Default)]
struct Bench {
    clk: Signal<In, Clock>,
    rst: Signal<In, Bit>,
    s_axis_data: StreamIn<32>,
    m_axis_data: StreamOut<32>,
    s_axis_control: StreamIn<32>,
    m_axis_control: StreamOut<32>,
    s_axis_command: StreamIn<32>,
    local_write: RegisterRequestIn,
    local_read: RegisterFetchIn,
    initialising: Signal<Out, Bit>,
    ni: NetworkInterface<32, 4>,
    scratchpad: Scratchpad<32, 4>,
    probe: Probe<32, 4>,
    stub: Stub<32, 4>,
}

impl Bench {
    fn new() -> Self {
        let config = Config {
            cols: 2,
            rows: 1,
            edge_nodes: 1,
            probe: true,
            ..Config::default()
        };
        Self {
            ni: NetworkInterface::new(&InterfaceParameters {
                build: Build {
                    cores: 1,
                    // The stub's block of registers is theirs.
                    portals: 4,
                    ..config.build()
                },
                memory_bytes: BYTES as u32,
                memory_words: BYTES as u64 / 4,
                space_words: 1 << 18,
                register_bit: 17,
                config: config.clone(),
                engines: vec![PROBE, STUB],
            }),
            scratchpad: Scratchpad::new(BYTES, 4),
            probe: Probe::new(&config),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for Bench {
    fn update(&mut self) {
        wire!(self => ni, scratchpad, probe, stub: clk, rst);
        self.ni.planes_.node.next = 0.into();
        self.ni.dropped.next = false;
        wire!(self <=> ni.planes_: s_axis_data, m_axis_data, s_axis_control, m_axis_control);
        wire!(self <=> ni: s_axis_command, local_write, local_read);
        self.initialising.next = self.ni.initialising.val();
        wire!(ni.write <=> scratchpad.write[0]);
        wire!(ni.engine_write[0] <=> scratchpad.write[1]);
        wire!(ni.atomic_read <=> scratchpad.read[0]);
        wire!(ni.dma_read <=> scratchpad.read[1]);
        wire!(ni.release_read <=> scratchpad.read[2]);
        self.scratchpad.read[3].valid.next = false;
        self.scratchpad.read[3].address.next = 0.into();
        wire!(ni.seat[0] <=> probe.socket);
        wire!(ni.seat[1] <=> stub.socket);
    }
}

clocked!([] Bench);

/// The node, with a network that brings everything back to it.
struct Looped {
    dut: Bench,
    rng: SmallRng,
    /// Chance that a plane takes a flit.
    ready: [f64; 2],
    data: VecDeque<(u64, bool)>,
    control: VecDeque<(u64, bool)>,
    commands: VecDeque<(u32, bool)>,
    /// Flits that were taken from each plane.
    taken: [usize; 2],
    cycle: u64,
}

impl Looped {
    fn new() -> Self {
        let mut looped = Looped {
            dut: reset(Bench::new()),
            rng: rng(0xba7),
            ready: [1.0; 2],
            data: VecDeque::new(),
            control: VecDeque::new(),
            commands: VecDeque::new(),
            taken: [0; 2],
            cycle: 0,
        };
        while looped.dut.initialising.val() {
            looped.tick();
        }
        looped
    }

    fn tick(&mut self) {
        let dut = &mut self.dut;
        let offer = |port: &mut StreamIn<32>, word: Option<(u64, bool)>| {
            let (data, last) = word.unwrap_or_default();
            port.tvalid.next = word.is_some();
            port.tdata.next = data.into();
            port.tlast.next = last;
        };
        offer(&mut dut.s_axis_data, self.data.front().copied());
        offer(&mut dut.s_axis_control, self.control.front().copied());
        let command = self.commands.front().map(|&(word, last)| (u64::from(word), last));
        offer(&mut dut.s_axis_command, command);
        dut.m_axis_data.tready.next = self.rng.gen_bool(self.ready[0]);
        dut.m_axis_control.tready.next = self.rng.gen_bool(self.ready[1]);
        settle(dut);
        let taken = [&dut.s_axis_data, &dut.s_axis_control, &dut.s_axis_command]
            .map(|port| port.tready.val() && port.tvalid.val());
        let sent = [&dut.m_axis_data, &dut.m_axis_control].map(|port| {
            let passes = port.tvalid.val() && port.tready.val();
            passes.then(|| (port.tdata.val().to_u64(), port.tlast.val()))
        });
        clock(dut);
        if taken[0] {
            self.data.pop_front();
        }
        if taken[1] {
            self.control.pop_front();
        }
        if taken[2] {
            self.commands.pop_front();
        }
        self.taken[0] += usize::from(taken[0]);
        self.taken[1] += usize::from(taken[1]);
        self.data.extend(sent[0]);
        self.control.extend(sent[1]);
        self.cycle += 1;
    }

    fn run(&mut self, cycles: usize) {
        (0..cycles).for_each(|_| self.tick());
    }

    fn command(&mut self, words: &[u32]) {
        let last = words.len() - 1;
        self.commands
            .extend(words.iter().enumerate().map(|(at, &word)| (word, at == last)));
    }

    fn read(&mut self, index: u16) -> u64 {
        self.dut.local_read.valid.next = true;
        self.dut.local_read.index.next = u64::from(index).into();
        let mut asks = true;
        for _ in 0..200 {
            settle(&mut self.dut);
            if self.dut.local_read.data_valid.val() {
                let value = self.dut.local_read.data.val().to_u64();
                self.tick();
                return value;
            }
            let taken = asks && self.dut.local_read.ready.val();
            self.tick();
            if taken {
                asks = false;
                self.dut.local_read.valid.next = false;
            }
        }
        panic!("register {index:#x} does not answer");
    }

    fn write(&mut self, index: u16, data: u32) {
        self.dut.local_write.valid.next = true;
        self.dut.local_write.index.next = u64::from(index).into();
        self.dut.local_write.data.next = u64::from(data).into();
        for _ in 0..200 {
            settle(&mut self.dut);
            let taken = self.dut.local_write.ready.val();
            self.tick();
            if taken {
                self.dut.local_write.valid.next = false;
                return;
            }
        }
        panic!("register {index:#x} is not written");
    }

    fn stub(&mut self, register: u16) -> u64 {
        self.read((BLOCK << BLOCK_OFFSET) as u16 | register)
    }

    fn probe(&mut self, register: ProbeRegister) -> u64 {
        self.read(index(register, 0))
    }

    fn event(&mut self, event: usize) -> u64 {
        self.read(index(EventRegister::Count, event))
    }

    /// Writes a word of memory, as a node's put through the system window would.
    fn put(&mut self, address: u32, word: u32) {
        let head = Head {
            destination: HERE,
            source: HERE,
            tag: SYSTEM_WINDOW as u8,
            kind: DataKind::Put as u8,
            last: false,
        };
        let flits = [head.encode().unwrap(), address, word];
        self.data
            .extend(flits.map(u64::from).into_iter().zip([false, false, true]));
        self.run(30);
    }

    /// A packet of so many flits beside the head, from this node.
    fn packet(&mut self, kind: u8, payload: usize) -> Vec<(u64, bool)> {
        let head = Head {
            destination: HERE,
            source: HERE,
            tag: self.rng.gen(),
            kind,
            last: true,
        };
        let mut words = vec![u64::from(head.encode().unwrap())];
        words.extend((0..payload).map(|_| u64::from(self.rng.gen::<u32>())));
        let last = words.len() - 1;
        words
            .into_iter()
            .enumerate()
            .map(|(at, word)| (word, at == last))
            .collect()
    }
}

fn run_of_probe(event: u32, packets: u32) -> Vec<u32> {
    let run = Run {
        destination: Destination::Node(HERE),
        words: 4,
        packets,
        rate: 0,
        seed: 3,
    };
    [
        &[Opcode::Probe as u32 | event << EVENT_OFFSET][..],
        &run.encode().unwrap(),
    ]
    .concat()
}

#[test]
fn the_rows_of_both_engines_agree_with_the_table() {
    let mut parts: Vec<_> = PARTS.iter().copied().filter(|part| part.name != PORTALS.name).collect();
    parts.push(STUB);
    assert_eq!(fault(&parts), None);
    on_a_deep_stack(|| {
        let mut bench = Bench::new();
        bench.connect_all();
        emitted("two-engines", &bench);
    });
}

#[test]
fn two_engines_work_at_once_beside_the_requester() {
    on_a_deep_stack(two_engines_work);
}

fn two_engines_work() {
    for ready in [1.0, 0.5] {
        let mut node = Looped::new();
        node.ready = [ready; 2];
        assert_eq!(node.read(0), u64::from(IDENTITY));
        // A put through the system window writes the word that the stub copies.
        node.put(0x10, 0xca11_ab1e);
        let rounds = 6;
        for round in 0..rounds {
            node.command(&run_of_probe(2, 20));
            node.command(&[OPCODE as u32 | 3 << EVENT_OFFSET, 0, 0x10, 0x20 + round]);
            node.command(&[Opcode::Mail as u32 | 4 << EVENT_OFFSET, 0, round, 0]);
        }
        // The same by register writes, as the network would.
        let stub = [OPCODE as u32 | 3 << EVENT_OFFSET, 0, 0x10, 0x30];
        for (place, word) in (12..).zip(stub) {
            node.write(index(CommandRegister::Word, place), word);
        }
        node.run(6_000);
        assert!(node.commands.is_empty() && node.data.is_empty() && node.control.is_empty());
        assert_eq!([2, 3, 4].map(|event| node.event(event)), [6, 7, 6]);
        assert_eq!(node.probe(ProbeRegister::Received), 120);
        assert_eq!(node.probe(ProbeRegister::Words), 480);
        assert_eq!(node.probe(ProbeRegister::Errors), 0);
        assert_eq!([node.stub(0), node.stub(1)], [14, 14], "flits of the stub's kinds");
        // Each copy of the word is there: the stub sends it from where it is.
        for copy in (0..rounds).map(|round| 0x20 + round).chain([0x30]) {
            node.put(0x40, 0);
            node.command(&[OPCODE as u32 | 3 << EVENT_OFFSET, 0, 0x40, 0x41]);
            node.run(200);
            assert_eq!([node.stub(2), node.stub(3)], [0, 0]);
            node.command(&[OPCODE as u32 | 3 << EVENT_OFFSET, 0, copy, 0x41]);
            node.run(200);
            assert_eq!([node.stub(2), node.stub(3)], [0xca11_ab1e; 2], "word {copy:#x}");
        }
        assert!(node.read(index(CounterRegister::EnginesRun, 0)) > node.read(index(CounterRegister::EnginesWait, 0)));
        assert!(node.read(index(CounterRegister::EnginesWait, 0)) > 0);
        node.write((BLOCK << BLOCK_OFFSET) as u16, 77);
        assert_eq!(node.stub(0), 77);
        assert_eq!(node.probe(ProbeRegister::Received), 120, "the other engine's register");
    }
}

/// What the table of parts promises: with data injection frozen everything is still taken; with control injection frozen too,
/// all of the control plane is, and of the data plane the engines' kinds, until a packet stands in front of them that owes an
/// answer for which there is no room.
#[test]
fn frozen_planes_hold_up_nothing_that_is_promised() {
    on_a_deep_stack(frozen_planes_hold_up_nothing);
}

fn frozen_planes_hold_up_nothing() {
    let mut node = Looped::new();
    node.ready = [0.0, 1.0];
    // Fill what there is to fill on the way to the data plane.
    node.command(&run_of_probe(2, 1_000));
    node.run(300);
    node.taken = [0; 2];
    let (mut flits, mut stubs) = ([0; 2], [0; 2]);
    for round in 0..90 {
        let kinds = [
            DataKind::Put as u8,
            DataKind::Stream as u8,
            DataKind::Probe as u8,
            DataKind::Collective as u8,
            DATA as u8,
        ];
        for kind in kinds {
            let packet = node.packet(kind, 3 + round % 4);
            flits[0] += packet.len();
            stubs[0] += if kind == DATA as u8 { packet.len() as u64 } else { 0 };
            node.data.extend(packet);
        }
        let control = [
            (ControlKind::Ack as u8, 0),
            (ControlKind::Refuse as u8, 1),
            (ControlKind::Value as u8, 2),
            (ControlKind::Mail as u8, 2),
            (ControlKind::Credit as u8, 0),
            (ControlKind::Get as u8, 3),
            (ControlKind::Collective as u8, 2),
            (CONTROL as u8, round % 5),
        ];
        for (kind, payload) in control {
            let packet = node.packet(kind, payload);
            flits[1] += packet.len();
            stubs[1] += if kind == CONTROL as u8 { packet.len() as u64 } else { 0 };
            node.control.extend(packet);
        }
    }
    // Two cycles for a flit are plenty; answers to puts go to the control plane, and come back on it.
    node.run(2 * flits[0]);
    assert_eq!(
        node.data.len(),
        0,
        "a data plane that is frozen holds up the data that come"
    );
    assert_eq!(node.control.len(), 0);
    assert!(node.taken[0] == flits[0] && node.taken[1] >= flits[1]);
    assert_eq!([node.stub(0), node.stub(1)], stubs, "flits of the stub's kinds");
    assert_eq!(node.probe(ProbeRegister::Received), 90);

    // Control injection too, with an answer waiting for it.
    node.ready = [0.0, 0.0];
    let answered = node.packet(DataKind::Put as u8, 2);
    node.data.extend(answered);
    for _ in 0..40 {
        let packet = node.packet(CONTROL as u8, 1);
        node.control.extend(packet);
        let get = node.packet(ControlKind::Mail as u8, 2);
        node.control.extend(get);
    }
    let engines: usize = (0..60)
        .map(|round| {
            let packet = node.packet([DataKind::Probe as u8, DATA as u8][round % 2], 4);
            let length = packet.len();
            node.data.extend(packet);
            length
        })
        .sum();
    node.run(2 * engines);
    assert_eq!(node.control.len(), 0, "the control plane waits for itself");
    assert_eq!(node.data.len(), 0, "engines hold up the data plane");
}
