//! The master of an AXI4-Lite slave, its targets, and what must happen between them.

use portico_spec::ni::registers::{Block, BASE_BYTES, BLOCK_OFFSET};
use portico_testbench::device::{Device, Input, Output};
use rand::{rngs::SmallRng, Rng, SeedableRng};
use std::collections::{HashMap, VecDeque};

/// Memory of the node that the slave is of.
pub const MEMORY_BYTES: usize = 0x1_0000;
const SLAVE_ERROR: u64 = 2;

/// What a write does, or why nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    Memory { word: u64, data: u64, lanes: u64 },
    Register { index: u64, data: u64 },
    Command { data: u64, last: bool },
    Nothing,
    Error,
}

/// The bits that byte lanes stand for.
fn mask(lanes: u64) -> u64 {
    let set = (0..8).filter(|lane| lanes >> lane & 1 == 1);
    set.fold(0, |mask, lane| mask | 0xff << (8 * lane))
}

/// Where an address leads: (memory word, register index), and whether it is an upper half.
fn target(address: u64, bytes: u64) -> (Option<u64>, Option<u64>, bool) {
    let memory = (address < MEMORY_BYTES as u64).then_some(address / bytes);
    let index = address.checked_sub(BASE_BYTES as u64).map(|byte| byte / bytes);
    (
        memory,
        index.filter(|index| *index < 1 << 16),
        bytes == 8 && address & 4 != 0,
    )
}

fn effect(address: u64, data: u64, strobes: u64, bytes: u64) -> Effect {
    let half = if bytes == 8 && address & 4 != 0 { 4 } else { 0 };
    match target(address, bytes) {
        (Some(word), ..) => Effect::Memory {
            word,
            data: data << (8 * half) & mask(strobes << half),
            lanes: strobes << half,
        },
        (_, None, _) => Effect::Error,
        (..) if !matches!(strobes, 0 | 15) => Effect::Error,
        (_, Some(index), false) if strobes == 15 => match index >> BLOCK_OFFSET == Block::Command as u64 {
            true => Effect::Command {
                data,
                last: index % 16 == 15,
            },
            false => Effect::Register { index, data },
        },
        (..) => Effect::Nothing,
    }
}

/// Ports by name.
pub struct Ports {
    pub device: Box<dyn Device>,
    inputs: HashMap<&'static str, Input>,
    outputs: HashMap<&'static str, Output>,
}

const INPUTS: [&str; 21] = [
    "s_axil_awaddr",
    "s_axil_awprot",
    "s_axil_awvalid",
    "s_axil_wdata",
    "s_axil_wstrb",
    "s_axil_wvalid",
    "s_axil_bready",
    "s_axil_araddr",
    "s_axil_arprot",
    "s_axil_arvalid",
    "s_axil_rready",
    "memory_write_ready",
    "memory_read_ready",
    "memory_read_data",
    "memory_read_data_valid",
    "register_write_ready",
    "register_read_ready",
    "register_read_data",
    "register_read_data_valid",
    "m_axis_command_tready",
    "command_refused",
];
const OUTPUTS: [&str; 22] = [
    "s_axil_awready",
    "s_axil_wready",
    "s_axil_bresp",
    "s_axil_bvalid",
    "s_axil_arready",
    "s_axil_rdata",
    "s_axil_rresp",
    "s_axil_rvalid",
    "memory_write_valid",
    "memory_write_address",
    "memory_write_data",
    "memory_write_lanes",
    "memory_read_valid",
    "memory_read_address",
    "register_write_valid",
    "register_write_index",
    "register_write_data",
    "register_read_valid",
    "register_read_index",
    "m_axis_command_tvalid",
    "m_axis_command_tdata",
    "m_axis_command_tlast",
];
/// Offers of the block: valid, ready, what must stay while it waits.
const OFFERS: [(&str, &str, &[&str]); 7] = [
    ("s_axil_bvalid", "s_axil_bready", &["s_axil_bresp"]),
    ("s_axil_rvalid", "s_axil_rready", &["s_axil_rresp", "s_axil_rdata"]),
    (
        "memory_write_valid",
        "memory_write_ready",
        &["memory_write_address", "memory_write_data", "memory_write_lanes"],
    ),
    ("memory_read_valid", "memory_read_ready", &["memory_read_address"]),
    (
        "register_write_valid",
        "register_write_ready",
        &["register_write_index", "register_write_data"],
    ),
    ("register_read_valid", "register_read_ready", &["register_read_index"]),
    (
        "m_axis_command_tvalid",
        "m_axis_command_tready",
        &["m_axis_command_tdata", "m_axis_command_tlast"],
    ),
];

impl Ports {
    pub fn new(mut device: Box<dyn Device>) -> Self {
        let inputs = INPUTS.map(|name| (name, device.require_input(name).unwrap()));
        let outputs = OUTPUTS.map(|name| (name, device.require_output(name).unwrap()));
        inputs.iter().for_each(|(_, port)| device.set(*port, 0));
        device.reset(2);
        Self {
            device,
            inputs: inputs.into(),
            outputs: outputs.into(),
        }
    }

    pub fn set(&mut self, name: &str, value: u64) {
        self.device.set(self.inputs[name], value);
    }

    pub fn get(&self, name: &str) -> u64 {
        self.device.get(self.outputs[name])
    }
}

/// The master, the targets, and what must happen next.
pub struct Bench {
    ports: Ports,
    pub bytes: u64,
    pub rng: SmallRng,
    /// Chance that anybody moves in a cycle.
    pub pace: f64,
    pub addresses: VecDeque<u64>,
    pub data: VecDeque<(u64, u64)>,
    effects: VecDeque<Effect>,
    responses: VecDeque<u64>,
    pub reads: VecDeque<u64>,
    answers: VecDeque<(u64, u64)>,
    memory: HashMap<u64, u64>,
    registers: HashMap<u64, u64>,
    waiting: [Option<Vec<u64>>; 7],
    offered: [bool; 3],
    fetched: Option<u64>,
    granted: Option<u64>,
    pub done: [u64; 2],
    pub seen: HashMap<&'static str, u64>,
    pub cycle: u64,
}

impl Bench {
    pub fn new(device: Box<dyn Device>, width: usize, pace: f64, seed: u64) -> Self {
        Self {
            ports: Ports::new(device),
            bytes: width as u64 / 8,
            rng: SmallRng::seed_from_u64(seed),
            pace,
            addresses: VecDeque::new(),
            data: VecDeque::new(),
            effects: VecDeque::new(),
            responses: VecDeque::new(),
            reads: VecDeque::new(),
            answers: VecDeque::new(),
            memory: HashMap::new(),
            registers: HashMap::new(),
            waiting: Default::default(),
            offered: [false; 3],
            fetched: None,
            granted: None,
            done: [0; 2],
            seen: HashMap::new(),
            cycle: 0,
        }
    }

    fn moves(&mut self) -> bool {
        self.rng.gen_bool(self.pace)
    }

    pub fn write(&mut self, address: u64, data: u64, strobes: u64) {
        self.addresses.push_back(address);
        self.data.push_back((data, strobes));
        self.effects.push_back(effect(address, data, strobes, self.bytes));
    }

    fn count(&mut self, what: &'static str) {
        *self.seen.entry(what).or_default() += 1;
    }

    fn drive(&mut self) {
        let starts = [self.moves(), self.moves(), self.moves()];
        let filled = [
            !self.addresses.is_empty(),
            !self.data.is_empty(),
            !self.reads.is_empty(),
        ];
        for k in 0..3 {
            self.offered[k] = filled[k] && (self.offered[k] || starts[k]);
        }
        let names = ["s_axil_awvalid", "s_axil_wvalid", "s_axil_arvalid"];
        for (name, offered) in names.into_iter().zip(self.offered) {
            self.ports.set(name, u64::from(offered));
        }
        let (data, strobes) = self.data.front().copied().unwrap_or_default();
        self.ports
            .set("s_axil_awaddr", self.addresses.front().copied().unwrap_or_default());
        self.ports.set("s_axil_wdata", data);
        self.ports.set("s_axil_wstrb", strobes);
        self.ports
            .set("s_axil_araddr", self.reads.front().copied().unwrap_or_default());
        for (_, ready, _) in OFFERS {
            let ready_now = u64::from(self.moves());
            self.ports.set(ready, ready_now);
            self.seen.insert(ready, ready_now);
        }
        let refuses = u64::from(self.rng.gen_bool(0.3));
        self.ports.set("command_refused", refuses);
        self.seen.insert("command_refused", refuses);
        // Data are there when they are valid, and rubbish otherwise.
        let fetched = self.fetched.filter(|_| self.rng.gen_bool(self.pace));
        let rubbish = self.rng.gen::<u64>() >> (64 - 8 * self.bytes);
        self.ports.set("memory_read_data", fetched.unwrap_or(rubbish));
        self.ports.set("memory_read_data_valid", u64::from(fetched.is_some()));
        if fetched.is_some() {
            self.fetched = None;
        }
        let granted = self.granted.filter(|_| self.rng.gen_bool(self.pace));
        self.ports
            .set("register_read_data", granted.unwrap_or(rubbish & 0xffff_ffff));
        self.ports.set("register_read_data_valid", u64::from(granted.is_some()));
        if granted.is_some() {
            self.granted = None;
        }
    }

    /// The offers that pass in this cycle; those that wait must stay as they are.
    fn passing(&mut self) -> [bool; 7] {
        let mut passing = [false; 7];
        for (k, (valid, ready, payload)) in OFFERS.into_iter().enumerate() {
            let is_valid = self.ports.get(valid) == 1;
            let is_ready = self.seen[ready] == 1;
            let payload: Vec<u64> = payload.iter().map(|name| self.ports.get(name)).collect();
            if let Some(waiting) = &self.waiting[k] {
                assert!(
                    is_valid && *waiting == payload,
                    "cycle {}: {valid} did not stay",
                    self.cycle
                );
            }
            self.waiting[k] = (is_valid && !is_ready).then_some(payload);
            passing[k] = is_valid && is_ready;
        }
        passing
    }

    /// The oldest write has this effect and this response: writes without any effect are answered before it.
    fn happens(&mut self, seen: Effect, response: u64) {
        assert_eq!(self.effects.pop_front(), Some(seen), "cycle {}", self.cycle);
        self.responses.push_back(response);
    }

    fn observe(&mut self) {
        let [b, r, memory_write, memory_read, register_write, register_read, command] = self.passing();
        if memory_write {
            let [word, data, lanes] =
                ["address", "data", "lanes"].map(|of| self.ports.get(&format!("memory_write_{of}")));
            let mask = mask(lanes);
            self.happens(
                Effect::Memory {
                    word,
                    data: data & mask,
                    lanes,
                },
                0,
            );
            let old = self.memory.entry(word).or_default();
            *old = *old & !mask | data & mask;
            self.count("memory write");
        }
        if register_write {
            let [index, data] = ["index", "data"].map(|of| self.ports.get(&format!("register_write_{of}")));
            self.happens(Effect::Register { index, data }, 0);
            self.registers.insert(index, data);
            self.count("register write");
        }
        if command {
            let [data, last] = ["tdata", "tlast"].map(|of| self.ports.get(&format!("m_axis_command_{of}")));
            let is_refused = self.seen["command_refused"] == 1;
            let response = if is_refused { SLAVE_ERROR } else { 0 };
            self.happens(Effect::Command { data, last: last == 1 }, response);
            self.count(if is_refused { "command refused" } else { "command" });
        }
        if b {
            if self.responses.is_empty() {
                let effect = self.effects.pop_front();
                assert!(
                    matches!(effect, Some(Effect::Nothing | Effect::Error)),
                    "cycle {}: a response before {effect:?}",
                    self.cycle
                );
                self.responses
                    .push_back(if effect == Some(Effect::Error) { SLAVE_ERROR } else { 0 });
            }
            let response = self.responses.pop_front().expect("filled above");
            assert_eq!(self.ports.get("s_axil_bresp"), response, "cycle {}", self.cycle);
            self.count(if response == 0 { "written" } else { "write error" });
            self.done[0] += 1;
        }
        self.observe_read(r, memory_read, register_read);
        for (k, ready) in ["s_axil_awready", "s_axil_wready", "s_axil_arready"]
            .into_iter()
            .enumerate()
        {
            if self.offered[k] && self.ports.get(ready) == 1 {
                self.offered[k] = false;
                match k {
                    0 => drop(self.addresses.pop_front()),
                    1 => drop(self.data.pop_front()),
                    _ => {
                        let address = self.reads.pop_front().expect("offered");
                        let (memory, index, upper) = target(address, self.bytes);
                        match (memory, index) {
                            (None, None) => self.answers.push_back((0, SLAVE_ERROR)),
                            (None, Some(_)) if upper => self.answers.push_back((0, 0)),
                            // The value is known when the target is asked.
                            _ => self.answers.push_back((address, 1)),
                        }
                    }
                }
            }
        }
    }

    fn observe_read(&mut self, r: bool, memory_read: bool, register_read: bool) {
        if memory_read || register_read {
            let (address, kind) = self.answers.pop_back().expect("a read is under way");
            assert_eq!(kind, 1, "cycle {}: a target is asked needlessly", self.cycle);
            let (memory, index, upper) = target(address, self.bytes);
            assert_eq!((memory_read, register_read), (memory.is_some(), memory.is_none()));
            let value = if memory_read {
                let word = self.ports.get("memory_read_address");
                assert_eq!(Some(word), memory);
                self.fetched = Some(self.memory.get(&word).copied().unwrap_or_default());
                self.count("memory read");
                self.fetched
                    .map(|word| if upper { word >> 32 } else { word & 0xffff_ffff })
            } else {
                let at = self.ports.get("register_read_index");
                assert_eq!(Some(at), index);
                self.granted = Some(self.registers.get(&at).copied().unwrap_or_default());
                self.count("register read");
                self.granted
            };
            self.answers.push_back((value.expect("set above"), 0));
        }
        if r {
            let seen = (self.ports.get("s_axil_rdata"), self.ports.get("s_axil_rresp"));
            assert_eq!(Some(seen), self.answers.pop_front(), "cycle {}", self.cycle);
            self.count(if seen.1 == 0 { "read" } else { "read error" });
            self.done[1] += 1;
        }
    }

    /// Every write had its effect and its response, and every read its answer.
    pub fn is_done(&self) -> bool {
        self.effects.is_empty() && self.responses.is_empty() && self.reads.is_empty() && self.answers.is_empty()
    }

    pub fn cycle(&mut self) {
        self.drive();
        self.ports.device.settle();
        self.observe();
        self.ports.device.tick();
        self.cycle += 1;
    }
}
