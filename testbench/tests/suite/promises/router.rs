//! What the router promises, on any device.
//!
//! The model holds each input's FIFO and, for each output, the input that has it. It is exact in every cycle but for one
//! freedom, which input a free output chooses: an input has room unless its FIFO is full; an output shows a flit if the
//! input that has it, or while it is free any input, has one for it; an output is an input's from the moment it shows the
//! head until its tail has left. So wrong ways, lost, doubled and mixed flits, bubbles and flits withdrawn are all caught.

use anyhow::{ensure, Context, Result};
use portico_spec::{
    flit::{Head, HEAD_WIDTH},
    topology::{MAX_COLS, MAX_ROWS},
    Flit, Node, Port,
};
use portico_testbench::device::{
    stream::{PortStreams, StreamDevice},
    Device, Input,
};
use rand::{rngs::SmallRng, Rng};
use std::collections::VecDeque;

/// One value for each port of a router.
pub type Ports<T> = [T; Port::ALL.len()];

/// A flit and the output that its packet is for.
pub type Routed = (Port, Flit);

/// What moved in a cycle.
pub struct Moved {
    /// Whether each input took its flit.
    pub taken: Ports<bool>,
    /// The input that each output shows, and the flit.
    pub shown: Ports<Option<(Port, Flit)>>,
}

/// A router, and its model beside it.
pub struct Bench {
    streams: PortStreams<Box<dyn Device>>,
    rst: Input,
    x: Input,
    y: Input,
    /// Where the router thinks it is.
    pub at: Node,
    depth: usize,
    fifos: Ports<VecDeque<Routed>>,
    holders: Ports<Option<Port>>,
    cycle: usize,
}

impl Bench {
    pub fn new(device: Box<dyn Device>, depth: usize) -> Result<Self> {
        let names = |side: &str| Port::ALL.map(|port| format!("{side}_axis_{port}"));
        let mut bench = Self {
            rst: device.require_input("rst")?,
            x: device.require_input("x")?,
            y: device.require_input("y")?,
            at: Node::default(),
            streams: PortStreams::named(device, &names("s"), &names("m"))?,
            depth,
            fifos: Default::default(),
            holders: Default::default(),
            cycle: 0,
        };
        bench.reset(Node { x: 1, y: 1 });
        Ok(bench)
    }

    /// Resets the router and puts it at a place of the mesh.
    pub fn reset(&mut self, at: Node) {
        self.place(at);
        self.streams.reset();
        self.empty();
    }

    fn place(&mut self, at: Node) {
        self.at = at;
        self.streams.device().set(self.x, at.x.into());
        self.streams.device().set(self.y, at.y.into());
    }

    fn empty(&mut self) {
        self.fifos = Default::default();
        self.holders = Default::default();
    }

    /// Flits inside.
    pub fn held(&self) -> usize {
        self.fifos.iter().map(VecDeque::len).sum()
    }

    /// Outputs in the middle of a packet.
    pub fn locked(&self) -> usize {
        self.holders.iter().flatten().count()
    }

    /// One cycle on the device and on the model.
    pub fn step(&mut self, offered: &Ports<Option<Routed>>, ready: &Ports<bool>) -> Result<Moved> {
        let flits = offered.map(|offer| offer.map(|(_, flit)| flit));
        let accepted = self.streams.cycle(&flits, ready).accepted;
        let mut moved = Moved {
            taken: Default::default(),
            shown: Default::default(),
        };
        moved.taken.copy_from_slice(accepted);
        for input in Port::ALL {
            let (held, has_room) = (self.fifos[input.index()].len(), self.streams.has_room(input.index()));
            let room = held < self.depth;
            ensure!(
                has_room == room,
                "cycle {}, {input} input holds {held} of {} flits: tready is {has_room}",
                self.cycle,
                self.depth
            );
        }
        for output in Port::ALL {
            moved.shown[output.index()] = self.check_output(output)?;
        }
        for output in Port::ALL.into_iter().filter(|output| ready[output.index()]) {
            if let Some((input, flit)) = moved.shown[output.index()] {
                self.fifos[input.index()].pop_front();
                self.holders[output.index()] = (!flit.last).then_some(input);
            }
        }
        for input in Port::ALL.into_iter().filter(|input| moved.taken[input.index()]) {
            self.fifos[input.index()].extend(offered[input.index()]);
        }
        self.cycle += 1;
        Ok(moved)
    }

    /// Holds what an output shows to what it may show, and notes who has it from now on.
    fn check_output(&mut self, output: Port) -> Result<Option<(Port, Flit)>> {
        let holder = self.holders[output.index()];
        let oldest = |input: Port| self.fifos[input.index()].front().filter(|(to, _)| *to == output);
        let allowed = Port::ALL
            .into_iter()
            .filter(|&input| holder.is_none_or(|holder| holder == input));
        let allowed: Vec<(Port, Flit)> = allowed.filter_map(|input| Some((input, oldest(input)?.1))).collect();
        let shown = self.streams.shown(output.index());
        let chosen = allowed.iter().copied().find(|(_, flit)| Some(*flit) == shown);
        ensure!(
            chosen.is_some() || shown.is_none() && allowed.is_empty(),
            "cycle {}, {output} output, held by {holder:?}: it shows {shown:x?}; allowed: {allowed:x?}",
            self.cycle
        );
        self.holders[output.index()] = chosen.map(|(input, _)| input).or(holder);
        Ok(chosen)
    }

    /// A cycle in which `rst` is high, flits at the inputs or not: the router is empty afterwards, and moves on to `at`.
    pub fn step_in_reset(&mut self, offered: &Ports<Option<Routed>>, ready: &Ports<bool>, at: Node) -> Result<()> {
        self.streams.device().set(self.rst, 1);
        let done = self.step(offered, ready);
        self.streams.device().set(self.rst, 0);
        self.place(at);
        self.empty();
        done.map(drop)
    }
}

/// Any place that a mesh can have a router at.
pub fn any_place(rng: &mut SmallRng) -> Node {
    Node {
        x: rng.gen_range(0..MAX_COLS as u8),
        y: rng.gen_range(0..MAX_ROWS as u8),
    }
}

/// A destination that a router at `at` sends through `output`, if there is one.
pub fn destination(at: Node, output: Port, rng: &mut SmallRng) -> Option<Node> {
    let (end_x, end_y) = (MAX_COLS as u8, 2 * MAX_ROWS as u8);
    let (columns, rows) = match output {
        Port::Local => (at.x..at.x + 1, at.y..at.y + 1),
        Port::North => (at.x..at.x + 1, 0..at.y),
        Port::South => (at.x..at.x + 1, at.y + 1..end_y),
        Port::East => (at.x + 1..end_x, 0..end_y),
        Port::West => (0..at.x, 0..end_y),
    };
    let exists = !columns.is_empty() && !rows.is_empty();
    exists.then(|| Node {
        x: rng.gen_range(columns),
        y: rng.gen_range(rows),
    })
}

/// A packet of `flits` from `input` to `output`; its source tells apart what different inputs offer.
///
/// # Errors
/// Nothing lies behind `output`.
pub fn packet(
    at: Node,
    turn: (Port, Port),
    flits: usize,
    width: usize,
    rng: &mut SmallRng,
) -> Result<VecDeque<Routed>> {
    let (input, output) = turn;
    let destination = destination(at, output, rng).with_context(|| format!("nothing lies {output} of {at}"))?;
    let source = Node {
        x: input.index() as u8,
        y: rng.gen_range(0..MAX_ROWS as u8),
    };
    let head = Head {
        destination,
        source,
        tag: rng.gen(),
        kind: rng.gen_range(0..8),
        last: rng.gen(),
    };
    let above = |rng: &mut SmallRng| rng.gen::<u64>() >> (64 - width) >> HEAD_WIDTH << HEAD_WIDTH;
    let words: Vec<u64> = (0..flits)
        .map(|at| match at {
            0 => Ok(above(rng) | u64::from(head.encode()?)),
            _ => Ok(rng.gen::<u64>() >> (64 - width)),
        })
        .collect::<Result<_>>()?;
    Ok(Flit::packet(&words).map(|flit| (output, flit)).collect())
}
