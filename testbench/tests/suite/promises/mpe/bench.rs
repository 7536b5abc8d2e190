//! The socket of one engine: neighbours that keep to their credits, a scratchpad, and back-pressure at random.

use super::plan::Plan;
use anyhow::{ensure, Context};
use portico_spec::{
    mpe::call::{Kind, Marks, Row, Sign, Tag, HEAD_NUMBER_OFFSET, HEAD_NUMBER_WIDTH, PACKETS},
    ni::{
        packet::{ControlKind, DataKind},
        registers::{index, MpeRegister, Place},
        ErrorCode,
    },
    Head, Node,
};
use portico_testbench::device::Device;
use rand::{rngs::StdRng, Rng};
use std::collections::VecDeque;

/// The engine's node.
pub const HERE: Node = Node { x: 1, y: 1 };
/// Words of the scratchpad.
pub const MEMORY_WORDS: usize = 1024;
/// Cycles for which a neighbour keeps a credit at most.
const LONGEST_HOLD: u64 = 60;

/// A neighbour of a context, and what has passed between it and the engine in this round.
pub struct Edge {
    pub context: usize,
    pub place: usize,
    /// Its node, and the place of the engine in its list.
    pub row: Row,
    /// Packets that it has to send, and its credits.
    packets: VecDeque<Vec<u32>>,
    credits: usize,
    /// Packets of it whose heads have come, and credits given back.
    heads: usize,
    returned: usize,
    tokens: usize,
    /// Packets that the engine has begun, those that are whole, and those whose credit the neighbour keeps.
    begun: usize,
    whole: Vec<Vec<u32>>,
    kept: usize,
    released: usize,
    /// Packets and tokens that the engine owes it in this round.
    owed: Vec<Vec<u32>>,
    owed_tokens: usize,
}

impl Edge {
    fn new(context: usize, place: usize, row: Row) -> Self {
        Self {
            context,
            place,
            row,
            packets: VecDeque::new(),
            credits: PACKETS,
            heads: 0,
            returned: 0,
            tokens: 0,
            begun: 0,
            whole: vec![],
            kept: 0,
            released: 0,
            owed: vec![],
            owed_tokens: 0,
        }
    }

    /// The head of a token or a credit; a token has a number.
    fn control_head(&self, sign: Sign, number: u8) -> u32 {
        let kind = ControlKind::Collective as u8;
        head(self.row.node, kind, self.context, self.place, sign) | low_bits(number) << HEAD_NUMBER_OFFSET
    }

    fn data_head(&self, marks: Marks) -> u32 {
        let kind = DataKind::Collective as u8;
        head(self.row.node, kind, self.context, self.place, Sign::Credit) | marks.encode()
    }
}

/// Those of a number that are in the head of a token.
fn low_bits(number: u8) -> u32 {
    u32::from(number) & ((1 << HEAD_NUMBER_WIDTH) - 1)
}

/// The head of a packet to the engine; the bits above those of every head are 0.
pub fn head(source: Node, kind: u8, context: usize, place: usize, sign: Sign) -> u32 {
    let tag = Tag {
        context: context as u8,
        place: place as u8,
        sign,
    };
    let head = Head {
        destination: HERE,
        source,
        tag: tag.encode(),
        kind,
        last: true,
    };
    head.encode().expect("a head")
}

/// What happens at a cycle.
pub enum Act {
    /// The call of a context is posted.
    Post(usize),
    /// A neighbour has packets to send.
    Sends(usize, Vec<Vec<u32>>),
    /// A control packet: of an edge's token or credit, or refused.
    Control(u32, Option<(usize, bool)>),
    /// A data packet that is refused.
    Strange(Vec<u32>),
}

/// A stream's beat: word and last.
type Beat = (u64, bool);

pub struct Bench<'a, D> {
    device: &'a mut D,
    pub random: StdRng,
    pub now: u64,
    /// Chance that something waits.
    pub idle: f64,
    pub memory: Vec<u32>,
    pub edges: Vec<Edge>,
    pub plans: Vec<Option<Plan>>,
    pub acts: Vec<(u64, Act)>,
    /// A packet beyond the credits of this edge comes, once it has none.
    pub overrun: Option<usize>,
    commands: VecDeque<Beat>,
    /// The packet that is ejecting, and whose it is.
    ejecting: VecDeque<(u32, Option<usize>, bool)>,
    ejects_first: bool,
    strange: VecDeque<Vec<u32>>,
    control: VecDeque<(u32, Option<(usize, bool)>)>,
    read: Option<u32>,
    /// Flits of the packet that leaves on the data plane, and to whom it goes.
    leaving: Vec<u32>,
    target: usize,
    offers: [Option<Beat>; 2],
    pub posted: Vec<bool>,
    pub events: Vec<bool>,
    /// A context that is being closed: its call may end with CLOSED, and what it leaves is then not looked at.
    pub closes: Option<usize>,
    /// Calls that have ended so.
    pub closed: usize,
    pub refused: u64,
    pub expected_refused: u64,
    pub overruns: u64,
}

impl<'a, D: Device> Bench<'a, D> {
    /// Of an engine in reset.
    pub fn new(device: &'a mut D, random: StdRng) -> Self {
        Self {
            device,
            random,
            now: 0,
            idle: 0.0,
            memory: vec![0; MEMORY_WORDS],
            edges: vec![],
            plans: vec![],
            acts: vec![],
            overrun: None,
            commands: VecDeque::new(),
            ejecting: VecDeque::new(),
            ejects_first: true,
            strange: VecDeque::new(),
            control: VecDeque::new(),
            read: None,
            leaving: vec![],
            target: 0,
            offers: [None; 2],
            posted: vec![],
            events: vec![],
            closes: None,
            closed: 0,
            refused: 0,
            expected_refused: 0,
            overruns: 0,
        }
    }

    pub fn set(&mut self, name: &str, value: u64) {
        let port = self.device.input(&format!("socket_{name}"));
        self.device
            .set(port.unwrap_or_else(|| panic!("no input {name}")), value);
    }

    fn get(&self, name: &str) -> u64 {
        let port = self.device.output(&format!("socket_{name}"));
        self.device.get(port.unwrap_or_else(|| panic!("no output {name}")))
    }

    fn may(&mut self) -> bool {
        !self.random.gen_bool(self.idle)
    }

    /// The edge of a context at a place.
    pub fn edge(&self, context: usize, place: usize) -> usize {
        let is_it = |edge: &Edge| (edge.context, edge.place) == (context, place);
        self.edges.iter().position(is_it).expect("an edge")
    }

    /// Gives a context its list.
    pub fn write_list(&mut self, context: usize, places: usize, rows: &[(usize, Row)]) -> anyhow::Result<()> {
        self.edges.retain(|edge| edge.context != context);
        for place in 0..places {
            let row = rows.iter().find(|row| row.0 == place).map(|row| row.1);
            self.write_row(context, place, row, true)?;
            self.tick()?;
            self.set("register_write", 0);
            (0..4).try_for_each(|_| self.tick())?;
        }
        let edges = rows.iter().map(|&(place, row)| Edge::new(context, place, row));
        self.edges.extend(edges);
        Ok(())
    }

    /// Writes a row, or none, in the cycle that follows.
    pub fn write_row(
        &mut self,
        context: usize,
        place: usize,
        row: impl Into<Option<Row>>,
        writes: bool,
    ) -> anyhow::Result<()> {
        let register = MpeRegister::from_number(MpeRegister::Neighbour0.number() + place);
        let register = register.context("a row of the list")?;
        self.set("register_index", index(register, context).into());
        self.set("register_data", Row::encode(row.into())?.into());
        self.set("register_write", writes.into());
        Ok(())
    }

    /// Writes the register `control` of a context.
    pub fn control(&mut self, context: usize, bits: u64) -> anyhow::Result<()> {
        self.set("register_index", index(MpeRegister::Control, context).into());
        self.set("register_data", bits);
        self.set("register_write", 1);
        self.tick()?;
        self.set("register_write", 0);
        (0..4).try_for_each(|_| self.tick())
    }

    pub fn status(&mut self, context: usize) -> anyhow::Result<u64> {
        self.set("register_index", index(MpeRegister::Status, context).into());
        self.set("register_read", 1);
        self.tick()?;
        self.set("register_read", 0);
        (0..3).try_for_each(|_| self.tick())?;
        self.device.settle();
        Ok(self.get("register_answer"))
    }

    /// Begins a round with these calls, one for each context.
    pub fn begin(&mut self, plans: Vec<Option<Plan>>) {
        self.posted = vec![false; plans.len()];
        self.events = vec![false; plans.len()];
        self.plans = plans;
        for edge in &mut self.edges {
            *edge = Edge::new(edge.context, edge.place, edge.row);
            if let Some(plan) = &self.plans[edge.context] {
                edge.owed = plan.goes(edge.place);
                edge.owed_tokens = usize::from(plan.call.kind == Kind::Barrier);
            }
        }
    }

    /// Whether all has ended that this round began.
    pub fn is_over(&self) -> bool {
        let ended = self.plans.iter().zip(&self.events);
        let mut edges = self.edges.iter();
        ended.into_iter().all(|(plan, &event)| plan.is_none() || event)
            && self.acts.is_empty()
            && self.ejecting.is_empty()
            && self.strange.is_empty()
            && self.control.is_empty()
            && self.leaving.is_empty()
            && edges.all(|edge| {
                edge.packets.is_empty()
                    && edge.credits == PACKETS
                    && edge.kept == 0
                    && edge.whole.len() >= edge.owed.len()
                    && edge.released >= edge.owed_tokens
            })
    }

    /// What has passed on each edge in this round is what the calls say.
    pub fn verify(&self) -> anyhow::Result<()> {
        for edge in &self.edges {
            let Edge {
                context,
                place,
                owed,
                whole,
                ..
            } = edge;
            let at = format!("context {context}, place {place}");
            ensure!(whole == owed, "{at}: packets {whole:x?}, expected {owed:x?}");
            let counts = (edge.returned, edge.released);
            let expected = (edge.heads, edge.owed_tokens);
            ensure!(
                counts == expected,
                "{at}: {counts:?} credits and tokens, expected {expected:?}"
            );
        }
        Ok(())
    }

    /// One cycle.
    pub fn tick(&mut self) -> anyhow::Result<()> {
        let now = self.now;
        self.cycle().with_context(|| format!("cycle {now}"))
    }

    fn cycle(&mut self) -> anyhow::Result<()> {
        self.act();
        let ready: [bool; 5] = std::array::from_fn(|_| self.may());
        let names = [
            "data_out_tready",
            "control_out_tready",
            "memory_read_ready",
            "memory_write_ready",
            "event_ready",
        ];
        for (name, ready) in names.iter().zip(ready) {
            self.set(name, ready.into());
        }
        self.show_data();
        self.show_control();
        let command = self.commands.front().copied();
        self.set("commands_tvalid", command.is_some().into());
        let (word, last) = command.unwrap_or_default();
        self.set("commands_tdata", word);
        self.set("commands_tlast", last.into());
        self.set("memory_read_data_valid", self.read.is_some().into());
        self.set("memory_read_data", self.read.unwrap_or_default().into());
        self.device.settle();

        if command.is_some() && self.get("commands_tready") == 1 {
            self.commands.pop_front();
        }
        let reads = self.get("memory_read_valid") == 1 && ready[2];
        self.read = reads.then(|| self.memory[self.get("memory_read_address") as usize]);
        if self.get("memory_write_valid") == 1 && ready[3] {
            ensure!(self.get("memory_write_lanes") == 15, "a write of a part of a word");
            let address = self.get("memory_write_address") as usize;
            self.memory[address] = self.get("memory_write_data") as u32;
        }
        if self.get("event_valid") == 1 && ready[4] {
            self.ends(self.get("event_event"), self.get("event_error"))?;
        }
        self.refused += self.get("refused");
        for (plane, name) in ["data_out", "control_out"].into_iter().enumerate() {
            let beat = (
                self.get(&format!("{name}_tdata")),
                self.get(&format!("{name}_tlast")) == 1,
            );
            let offer = (self.get(&format!("{name}_tvalid")) == 1).then_some(beat);
            let before = self.offers[plane];
            ensure!(before.is_none() || before == offer, "an offer on {name} changes");
            self.offers[plane] = offer.filter(|_| !ready[plane]);
            if let (Some((word, last)), true) = (offer, ready[plane]) {
                match plane {
                    0 => self.leaves(word as u32, last)?,
                    _ => self.leaves_on_control(word as u32, last)?,
                }
            }
        }
        self.device.tick();
        self.now += 1;
        Ok(())
    }

    /// What is due happens.
    fn act(&mut self) {
        let now = self.now;
        let (due, later) = std::mem::take(&mut self.acts)
            .into_iter()
            .partition(|act: &(u64, Act)| act.0 <= now);
        self.acts = later;
        for (_, act) in due {
            match act {
                Act::Post(context) => {
                    let plan = self.plans[context].as_ref().expect("a call");
                    self.commands.extend(super::descriptor(plan));
                    self.posted[context] = true;
                }
                Act::Sends(edge, packets) => self.edges[edge].packets.extend(packets),
                Act::Control(word, of) => self.control.push_back((word, of)),
                Act::Strange(packet) => self.strange.push_back(packet),
            }
        }
    }

    /// Shows the next flit of the data plane, if any is to come.
    fn show_data(&mut self) {
        let may = self.may();
        let mut shows = may;
        if self.ejecting.is_empty() {
            self.eject(&mut shows);
        }
        let flit = if shows { self.ejecting.pop_front() } else { None };
        let (word, of, last) = flit.unwrap_or_default();
        self.set("data_in_valid", flit.is_some().into());
        self.set("data_in_first", self.ejects_first.into());
        self.set("data_in_last", last.into());
        self.set("data_in_data", word.into());
        if flit.is_some() {
            if let (Some(edge), true) = (of, self.ejects_first) {
                self.edges[edge].heads += 1;
            }
            self.ejects_first = last;
        }
    }

    /// The next packet comes: one beyond a credit, one that is refused, or one of a neighbour.
    fn eject(&mut self, shows: &mut bool) {
        let (packet, of) = if let Some(edge) = self
            .overrun
            .filter(|&edge| self.edges[edge].credits == 0 && !self.posted[self.edges[edge].context])
        {
            // It comes before the call can free a room.
            *shows = true;
            self.overrun = None;
            self.overruns += 1;
            self.expected_refused += 1;
            (
                vec![self.edges[edge].data_head(Marks::default()), 0x0bad_0bad, 0x0bad_0bad],
                None,
            )
        } else if let Some(packet) = self.strange.pop_front() {
            self.expected_refused += 1;
            (packet, None)
        } else {
            let sends = |edge: &usize| !self.edges[*edge].packets.is_empty() && self.edges[*edge].credits > 0;
            let senders: Vec<usize> = (0..self.edges.len()).filter(sends).collect();
            if senders.is_empty() {
                return;
            }
            let at = senders[self.random.gen_range(0..senders.len())];
            let edge = &mut self.edges[at];
            edge.credits -= 1;
            let words = edge.packets.pop_front().expect("a packet");
            let plan = self.plans[edge.context].as_ref().expect("a call");
            let marks = Marks {
                is_down: plan.way == Some(edge.place),
                opens: edge.heads == 0,
            };
            ([vec![edge.data_head(marks)], words].concat(), Some(at))
        };
        let length = packet.len();
        let flits = packet.into_iter().enumerate();
        self.ejecting
            .extend(flits.map(|(at, word)| (word, of, at + 1 == length)));
    }

    fn show_control(&mut self) {
        let may = self.may();
        let flit = if may { self.control.pop_front() } else { None };
        let (word, of) = flit.unwrap_or_default();
        self.set("control_in_valid", flit.is_some().into());
        self.set("control_in_first", 1);
        self.set("control_in_last", 1);
        self.set("control_in_data", word.into());
        match of {
            Some((edge, true)) => self.edges[edge].tokens += 1,
            Some((edge, false)) => self.edges[edge].kept -= 1,
            None => self.expected_refused += u64::from(flit.is_some()),
        }
    }

    /// To which neighbour a head goes.
    fn receiver(&self, word: u32, kind: u8) -> anyhow::Result<usize> {
        let Head {
            destination,
            source,
            tag,
            kind: found,
            ..
        } = Head::decode(word);
        let tag = Tag::decode(tag).with_context(|| format!("head {word:#x} of token and go"))?;
        ensure!(
            (source, found) == (HERE, kind),
            "head {word:#x} of {source}, kind {found}"
        );
        let is_it = |edge: &Edge| {
            (edge.row, edge.context)
                == (
                    Row {
                        node: destination,
                        place: tag.place,
                    },
                    tag.context.into(),
                )
        };
        let edge = self.edges.iter().position(is_it);
        edge.with_context(|| format!("head {word:#x} to {destination}, {tag:?}: no neighbour"))
    }

    /// A flit leaves on the data plane.
    fn leaves(&mut self, word: u32, last: bool) -> anyhow::Result<()> {
        if self.leaving.is_empty() {
            self.target = self.receiver(word, DataKind::Collective as u8)?;
            let Edge {
                context,
                place,
                begun,
                kept,
                ..
            } = self.edges[self.target];
            ensure!(
                kept < PACKETS,
                "context {context}, place {place}: a packet beyond the credits"
            );
            let plan = self.plans[context].as_ref().filter(|_| self.posted[context]);
            let plan = plan.context("a packet of no call")?;
            for (awaited, count) in plan.awaited(place, begun) {
                let came = self.edges[self.edge(context, awaited)].heads;
                ensure!(
                    came >= count,
                    "the head of packet {begun} to place {place}, before head {count} of place {awaited} has come"
                );
            }
            let marks = Marks {
                is_down: plan.way != Some(place),
                opens: begun == 0,
            };
            ensure!(
                Marks::decode(word) == marks,
                "head {word:#x} of packet {begun} to place {place}, expected {marks:?}"
            );
            let edge = &mut self.edges[self.target];
            edge.begun += 1;
            edge.kept += 1;
        }
        self.leaving.push(word);
        if !last {
            return Ok(());
        }
        let packet = std::mem::take(&mut self.leaving);
        let edge = &mut self.edges[self.target];
        edge.whole.push(packet[1..].to_vec());
        let (context, place, whole) = (edge.context, edge.place, edge.whole.len());
        let credit = edge.control_head(Sign::Credit, 0);
        let due = self.now + self.random.gen_range(1..LONGEST_HOLD);
        self.acts.push((due, Act::Control(credit, Some((self.target, false)))));
        let plan = self.plans[context].as_ref().expect("a call");
        if plan.way == Some(place) && whole == edge.owed.len() {
            let down = plan.comes_down();
            self.edges[self.target].packets.extend(down);
        }
        Ok(())
    }

    /// A token or a credit leaves.
    fn leaves_on_control(&mut self, word: u32, last: bool) -> anyhow::Result<()> {
        ensure!(last, "a token or credit with words");
        let at = self.receiver(word, ControlKind::Collective as u8)?;
        let Edge { context, place, .. } = self.edges[at];
        if Tag::decode(Head::decode(word).tag).is_some_and(|tag| tag.sign == Sign::Token) {
            let plan = self.plans[context].as_ref().filter(|_| self.posted[context]);
            let plan = plan.context("a token of no call")?;
            let number = plan.call.number;
            ensure!(
                word >> HEAD_NUMBER_OFFSET == low_bits(number),
                "token {word:#x} of call {number}"
            );
            for awaited in plan.tokens_awaited(Some(place)) {
                let came = self.edges[self.edge(context, awaited)].tokens;
                ensure!(
                    came > 0,
                    "a token to place {place}, before the one of place {awaited} has come"
                );
            }
            let edge = &mut self.edges[at];
            edge.released += 1;
            ensure!(edge.released == 1, "a second token to place {place}");
            // The root's side releases this member some time after it has come.
            if plan.way == Some(place) {
                let release = edge.control_head(Sign::Token, number);
                let due = self.now + self.random.gen_range(1..LONGEST_HOLD);
                self.acts.push((due, Act::Control(release, Some((at, true)))));
            }
        } else {
            let edge = &mut self.edges[at];
            edge.credits += 1;
            edge.returned += 1;
            ensure!(
                edge.credits <= PACKETS && edge.returned <= edge.heads,
                "context {context}, place {place}: a credit for no packet"
            );
        }
        Ok(())
    }

    /// A call ends: what its event promises has been done.
    fn ends(&mut self, event: u64, error: u64) -> anyhow::Result<()> {
        let plan = |plan: &Option<Plan>| plan.as_ref().is_some_and(|plan| plan.event == event);
        let context = self.plans.iter().position(plan);
        let context = context.with_context(|| format!("event {event} of no call"))?;
        let plan = self.plans[context].as_ref().expect("a call");
        ensure!(!self.events[context], "event {event} a second time");
        if self.closes == Some(context) && error == ErrorCode::Closed as u64 {
            self.closed += 1;
            self.events[context] = true;
            return Ok(());
        }
        ensure!(error == 0, "event {event} with error {error}");
        for awaited in plan.tokens_awaited(None) {
            let came = self.edges[self.edge(context, awaited)].tokens;
            ensure!(came > 0, "a barrier ends before the token of place {awaited} has come");
        }
        if let Some(result) = plan.result() {
            let at = plan.call.transfer.result as usize / 4;
            let found = &self.memory[at..at + result.len()];
            ensure!(
                found == result,
                "context {context}, {:?}: result {found:x?} at the event, expected {result:x?}",
                plan.call.kind
            );
        }
        self.events[context] = true;
        Ok(())
    }

    /// An edge's head on the control plane.
    pub fn token(&self, edge: usize) -> Act {
        let plan = self.plans[self.edges[edge].context].as_ref();
        let number = plan.map_or(0, |plan| plan.call.number);
        let word = self.edges[edge].control_head(Sign::Token, number);
        Act::Control(word, Some((edge, true)))
    }

    /// What runs on the device itself.
    pub fn clear(&mut self, cycles: usize) -> anyhow::Result<()> {
        self.set("node", HERE.number().into());
        self.set("sweep_active", 1);
        for place in 0..cycles as u64 {
            self.set("sweep_place", place);
            self.tick()?;
        }
        self.set("sweep_active", 0);
        Ok(())
    }
}
