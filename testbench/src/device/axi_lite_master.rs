//! Masters of the AXI4-Lite ports of a fabric: accesses at a pace of their own, and a watch over the protocol.
//!
//! A master offers and takes at random, keeps what it has offered, and waits for no answer before it offers the next access. It
//! checks that what the port offers stays, that each access has one answer, and that the answer comes in time.

use super::{
    channel::Channel,
    verilated::{Ports, Verilated},
    Device, Input, Output, PortError,
};
use anyhow::Context;
use portico_sim::{Library, Model, Peripheral};
use rand::{rngs::SmallRng, Rng, SeedableRng};
use std::{
    cell::{RefCell, RefMut},
    collections::VecDeque,
    rc::Rc,
    sync::Arc,
};

/// Cycles in which a port answers an access, whatever the network does.
const ANSWER_CYCLES: u64 = 10_000;

/// A write: byte address, word, byte lanes.
pub type Write = (u64, u64, u64);

/// A channel that the master drives: it keeps what it has offered until it is taken.
struct Offer {
    valid: Input,
    ready: Output,
    payload: Vec<Input>,
    is_valid: bool,
}

impl Offer {
    fn new(device: &impl Device, prefix: &str, name: &str, payload: &[&str]) -> Result<Self, PortError> {
        let port = |field: &str| format!("{prefix}_{name}{field}");
        let payload = payload.iter().map(|field| device.require_input(&port(field)));
        Ok(Self {
            valid: device.require_input(&port("valid"))?,
            ready: device.require_output(&port("ready"))?,
            payload: payload.collect::<Result<_, _>>()?,
            is_valid: false,
        })
    }

    /// Offers these values, if there are any and the master moves or has offered them before.
    fn drive(&mut self, device: &mut impl Device, values: Option<&[u64]>, moves: bool) {
        self.is_valid = values.is_some() && (self.is_valid || moves);
        device.set(self.valid, u64::from(self.is_valid));
        for (port, value) in self.payload.iter().zip(values.unwrap_or_default()) {
            device.set(*port, *value);
        }
    }

    /// Whether what was offered is taken in this cycle.
    fn is_taken(&mut self, device: &impl Device) -> bool {
        let is_taken = self.is_valid && device.get(self.ready) == 1;
        self.is_valid &= !is_taken;
        is_taken
    }
}

/// A master, and what it is to do.
pub struct AxiLiteMaster {
    aw: Offer,
    w: Offer,
    ar: Offer,
    b: Channel,
    r: Channel,
    rng: SmallRng,
    /// Chance that a channel moves in a cycle.
    pub pace: f64,
    /// Writes without a response, and of how many the address and the data are taken.
    writes: VecDeque<Write>,
    taken: [usize; 2],
    /// Reads without an answer, and of how many the address is taken.
    reads: VecDeque<u64>,
    asked: usize,
    /// Writes with their responses, in order.
    pub written: Vec<(Write, u64)>,
    /// Reads with their words and responses, in order.
    pub answered: Vec<(u64, u64, u64)>,
    /// Cycles since the last answer or since there is an access without one: of writes, of reads.
    waited: [u64; 2],
}

impl AxiLiteMaster {
    fn new(device: &impl Device, prefix: &str, seed: u64) -> Result<Self, PortError> {
        Ok(Self {
            aw: Offer::new(device, prefix, "aw", &["addr"])?,
            w: Offer::new(device, prefix, "w", &["data", "strb"])?,
            ar: Offer::new(device, prefix, "ar", &["addr"])?,
            b: Channel::new(device, prefix, "b", &["resp"])?,
            r: Channel::new(device, prefix, "r", &["data", "resp"])?,
            rng: SmallRng::seed_from_u64(seed),
            pace: 1.0,
            writes: VecDeque::new(),
            taken: [0; 2],
            reads: VecDeque::new(),
            asked: 0,
            written: vec![],
            answered: vec![],
            waited: [0; 2],
        })
    }

    /// Puts a write behind those to do.
    pub fn write(&mut self, write: Write) {
        self.writes.push_back(write);
    }

    /// Puts a read of a byte address behind those to do.
    pub fn read(&mut self, address: u64) {
        self.reads.push_back(address);
    }

    /// Writes and reads without an answer.
    pub fn to_do(&self) -> [usize; 2] {
        [self.writes.len(), self.reads.len()]
    }

    fn drive(&mut self, device: &mut impl Device) {
        let moves: [bool; 5] = std::array::from_fn(|_| self.rng.gen_bool(self.pace));
        let address = self.writes.get(self.taken[0]).map(|&(address, ..)| [address]);
        let data = self.writes.get(self.taken[1]).map(|&(_, data, lanes)| [data, lanes]);
        let read = self.reads.get(self.asked).map(|&address| [address]);
        self.aw
            .drive(device, address.as_ref().map(|address| &address[..]), moves[0]);
        self.w.drive(device, data.as_ref().map(|data| &data[..]), moves[1]);
        self.ar
            .drive(device, read.as_ref().map(|address| &address[..]), moves[2]);
        self.b.drive(device, moves[3]);
        self.r.drive(device, moves[4]);
    }

    fn observe(&mut self, device: &impl Device) {
        let is_open = [!self.taken.contains(&0), self.asked > 0];
        let mut waits = is_open.map(|is_open| is_open && self.pace > 0.0);
        if let Some(response) = self.b.observe(device) {
            assert!(is_open[0], "a response without a write");
            let write = self.writes.pop_front().expect("its address is taken");
            self.written.push((write, response[0]));
            self.taken = self.taken.map(|taken| taken - 1);
            waits[0] = false;
        }
        if let Some(answer) = self.r.observe(device) {
            assert!(is_open[1], "an answer without a read");
            let address = self.reads.pop_front().expect("its address is taken");
            self.answered.push((address, answer[0], answer[1]));
            self.asked -= 1;
            waits[1] = false;
        }
        for (waited, waits) in self.waited.iter_mut().zip(waits) {
            *waited = if waits { *waited + 1 } else { 0 };
            assert!(*waited < ANSWER_CYCLES, "no answer in {ANSWER_CYCLES} cycles");
        }
        self.taken[0] += usize::from(self.aw.is_taken(device));
        self.taken[1] += usize::from(self.w.is_taken(device));
        self.asked += usize::from(self.ar.is_taken(device));
    }

    fn reset(&mut self) {
        self.writes.clear();
        self.reads.clear();
        self.taken = [0; 2];
        self.asked = 0;
        self.waited = [0; 2];
        for offer in [&mut self.aw, &mut self.w, &mut self.ar] {
            offer.is_valid = false;
        }
        for channel in [&mut self.b, &mut self.r] {
            channel.reset();
        }
    }
}

/// A master at a port of a simulated fabric, for the fabric and for who tells it what to do.
#[derive(Clone)]
pub struct AttachedMaster {
    master: Rc<RefCell<AxiLiteMaster>>,
    ports: Arc<Ports>,
}

impl AttachedMaster {
    /// One for each of these ports of the fabric in `library`, of which `model` is one; a port is named by how its pins begin.
    ///
    /// # Errors
    /// The library has not these ports.
    pub fn all(library: &Library, model: &mut Model, prefixes: &[String]) -> anyhow::Result<Vec<Self>> {
        let ports = Arc::new(Ports::new(library, model)?);
        let device = Verilated::borrowed(model, &ports);
        let masters = prefixes.iter().zip(0..).map(|(prefix, seed)| {
            let master = AxiLiteMaster::new(&device, prefix, seed);
            let master = master.with_context(|| format!("no master can be attached at {prefix}"))?;
            Ok(Self {
                master: Rc::new(RefCell::new(master)),
                ports: ports.clone(),
            })
        });
        masters.collect()
    }

    /// The master itself.
    pub fn get(&self) -> RefMut<'_, AxiLiteMaster> {
        self.master.borrow_mut()
    }
}

impl Peripheral for AttachedMaster {
    fn drive(&mut self, model: &mut Model) {
        self.get().drive(&mut Verilated::borrowed(model, &self.ports));
    }

    fn observe(&mut self, model: &mut Model) {
        self.get().observe(&Verilated::borrowed(model, &self.ports));
    }

    fn reset(&mut self) {
        self.get().reset();
    }
}
