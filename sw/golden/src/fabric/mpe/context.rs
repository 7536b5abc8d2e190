//! A context: a list of neighbours, and the calls of one member in their order.

use std::collections::VecDeque;

use portico_spec::{
    mpe::call::{
        Begin, Call, CallError, CallWord, Kind, Row, AHEAD, ARMED, ARMED_OFFSET, HEAD_NUMBER_WIDTH, NEXT_OFFSET,
        NUMBER_WIDTH, WAITING,
    },
    ni::{
        registers::{
            MPE_ARMED_OFFSET, MPE_CLOSED_OFFSET, MPE_CLOSE_OFFSET, MPE_DRAINED_OFFSET, MPE_IDLE_OFFSET,
            MPE_NEXT_OFFSET, MPE_OPEN_OFFSET, MPE_RUNNING_OFFSET, MPE_WAITING_OFFSET,
        },
        ErrorCode,
    },
    Node,
};

use super::{
    super::{
        bits::{bit, field},
        memory::Memory,
    },
    call::{Phase, Posted},
    edge::Edge,
    MpeStep,
};

/// One context of an engine.
#[derive(Clone, Debug)]
pub(super) struct Context {
    number: u8,
    edges: Vec<Edge>,
    /// Number of the next call.
    next: u8,
    /// Number of the call that runs, or if none does of the one that will.
    current: u8,
    /// The first runs.
    calls: VecDeque<Posted>,
    /// Calls that begin when the context is launched, with the first two words of their descriptors.
    armed: Vec<(Call, [u32; 2])>,
    /// A launch whose calls have not all begun.
    launch: Option<Launched>,
    /// The context is closed; its calls end with this code.
    closed: Option<ErrorCode>,
}

/// A launch that is under way.
#[derive(Clone, Copy, Debug)]
struct Launched {
    /// The low bits of the number of its first call.
    number: u8,
    /// Armed calls that have begun.
    begun: usize,
}

/// How a descriptor is accepted.
pub(super) enum Accepted {
    /// Its call runs, or waits for those before it.
    Waits,
    /// Its call is armed.
    Armed,
    /// The armed calls begin.
    Launched,
}

/// A packet is none of the running call.
struct Mismatch;

/// The low bits of a number, as they are in a head.
fn low_bits(number: u8) -> u8 {
    number & ((1 << HEAD_NUMBER_WIDTH) - 1)
}

impl Context {
    /// A context with room for so many neighbours.
    pub fn new(number: u8, neighbours: usize) -> Context {
        Context {
            number,
            edges: vec![Edge::new(); neighbours],
            next: 0,
            current: 0,
            calls: VecDeque::new(),
            armed: vec![],
            launch: None,
            closed: None,
        }
    }

    /// Accepts a call, which begins at once, when those before it have ended, or when the context is launched.
    ///
    /// # Errors
    /// Why it is refused; then it has not happened.
    pub fn post(&mut self, kind: Kind, words: &[u32], memory_words: u64) -> Result<Accepted, ErrorCode> {
        if self.closed.is_some() {
            return Err(ErrorCode::Closed);
        }
        let is_armed = bit(words[1], ARMED_OFFSET);
        let is_numbered = !is_armed && !bit(words[1], NEXT_OFFSET);
        if is_numbered && field(words[1], 0, NUMBER_WIDTH) != u32::from(self.next) {
            return Err(ErrorCode::OutOfTurn);
        }
        if if is_armed {
            self.armed.len() == ARMED
        } else {
            self.waiting() == WAITING
        } {
            return Err(ErrorCode::TooManyCalls);
        }
        // That source and result overlap is found last.
        let (call, overlaps) = match Call::decode(kind, &words[1..]) {
            Ok(call) => (call, false),
            Err(CallError::Overlap { call }) => (call, true),
            Err(_) => return Err(ErrorCode::Malformed),
        };
        let towards = call.towards.map(|place| self.edges.get(usize::from(place)));
        if towards.is_some_and(|edge| edge.is_none_or(|edge| edge.row.is_none())) {
            return Err(ErrorCode::Malformed);
        }
        let end = |address: u32| u64::from(address / 4) + u64::from(call.transfer.length);
        if end(call.transfer.source).max(end(call.transfer.result)) > memory_words {
            return Err(ErrorCode::OutOfMemory);
        }
        if overlaps {
            return Err(ErrorCode::Malformed);
        }
        let front = [words[0], words[1]];
        if call.begin == Begin::Launched {
            self.armed.push((call, front));
            return Ok(Accepted::Armed);
        }
        self.begin(call, front);
        Ok(Accepted::Waits)
    }

    /// Gives a call the next number, and runs it when those before it have ended.
    fn begin(&mut self, call: Call, front: [u32; 2]) {
        let number = self.next;
        self.next = self.next.wrapping_add(1);
        self.calls.push_back(Posted::new(Call { number, ..call }, front));
    }

    /// Launches the armed calls at all members.
    ///
    /// # Errors
    /// Why it is refused; then it has not happened.
    pub fn launch(&mut self) -> Result<Accepted, ErrorCode> {
        if self.closed.is_some() {
            return Err(ErrorCode::Closed);
        }
        if self.armed.is_empty() || self.has_calls() {
            return Err(ErrorCode::OutOfTurn);
        }
        self.go(None, low_bits(self.next));
        Ok(Accepted::Launched)
    }

    /// How many calls a number with these low bits is ahead of the current one; none if its call has ended.
    fn ahead(&self, number: u8) -> Option<usize> {
        let ahead = usize::from(low_bits(number.wrapping_sub(self.current)));
        (ahead <= AHEAD).then_some(ahead)
    }

    /// Takes a token of the neighbour in this place, with the low bits of the number of its call; false if it is refused. One of a
    /// call that has ended closes the context.
    pub fn take_token(&mut self, place: u8, number: u8) -> bool {
        let Some(ahead) = self.ahead(number) else {
            self.mismatch();
            return true;
        };
        self.edge(place).take_token(ahead)
    }

    /// Members mean different calls.
    fn mismatch(&mut self) {
        self.closed = self.closed.or(Some(ErrorCode::Mismatch));
    }

    /// Whether a neighbour means another call than this member: see [`portico_spec::mpe::call`].
    fn disagrees(&self) -> bool {
        let running = self.calls.front();
        self.edges.iter().enumerate().any(|(place, edge)| {
            let is_stray = running.is_some_and(|running| edge.tokens[0] && running.call.kind != Kind::Barrier);
            let opening = edge.packets.front().filter(|packet| packet.marks.opens);
            is_stray
                || opening.is_some_and(|packet| {
                    let number = CallWord::decode(packet.words[0] as u32).number;
                    match (self.ahead(number), running) {
                        (None, _) => true,
                        (Some(0), Some(running)) => !running.awaits(place, packet.marks.is_down),
                        _ => false,
                    }
                })
        })
    }

    /// The running call has ended well.
    fn end_call(&mut self) {
        self.current = self.current.wrapping_add(1);
        let mut is_left = false;
        for edge in &mut self.edges {
            is_left |= edge.end_call();
        }
        if is_left {
            self.mismatch();
        }
    }

    /// Takes a go of the neighbour in this place. One that comes before the calls of the last have begun closes the context.
    pub fn take_go(&mut self, place: usize, number: u8) {
        if self.launch.is_some() {
            self.mismatch();
        }
        if self.closed.is_none() {
            self.go(Some(place), number);
        }
    }

    /// Keeps a launch, and owes it to all neighbours but the one that told of it.
    fn go(&mut self, from: Option<usize>, number: u8) {
        self.launch = Some(Launched { number, begun: 0 });
        for (place, edge) in self.edges.iter_mut().enumerate() {
            if Some(place) != from && edge.row.is_some() {
                edge.owed_go = Some(number);
            }
        }
    }

    /// Begins the next armed call of a launch, if nothing runs.
    fn begin_armed(&mut self) -> Option<MpeStep> {
        let launch = self.launch.as_mut().filter(|_| self.calls.is_empty())?;
        let is_turn = launch.begun > 0 || low_bits(self.next) == launch.number;
        let (call, front) = *self.armed.get(launch.begun).filter(|_| is_turn)?;
        launch.begun += 1;
        if launch.begun == self.armed.len() {
            self.launch = None;
        }
        self.begin(call, front);
        Some(MpeStep::Moves)
    }

    /// Calls behind the one that runs.
    fn waiting(&self) -> usize {
        self.calls.len().saturating_sub(1)
    }

    /// Whether a call is here that runs, waits or is launched.
    pub fn has_calls(&self) -> bool {
        !self.calls.is_empty() || self.launch.is_some()
    }

    /// Whether no call is here, and nothing of one, nor of this member at a neighbour.
    fn is_at_rest(&self) -> bool {
        !self.has_calls() && self.edges.iter().all(Edge::is_at_rest)
    }

    /// Whether its neighbours may change.
    fn is_idle(&self) -> bool {
        self.closed.is_none() && self.is_at_rest()
    }

    /// Whether it may be opened.
    fn is_drained(&self) -> bool {
        self.closed.is_some() && self.is_at_rest()
    }

    pub fn status(&self) -> u32 {
        u32::from(self.is_idle()) << MPE_IDLE_OFFSET
            | u32::from(!self.calls.is_empty()) << MPE_RUNNING_OFFSET
            | u32::from(self.closed.is_some()) << MPE_CLOSED_OFFSET
            | (self.waiting() as u32) << MPE_WAITING_OFFSET
            | u32::from(self.next) << MPE_NEXT_OFFSET
            | u32::from(self.is_drained()) << MPE_DRAINED_OFFSET
            | (self.armed.len() as u32) << MPE_ARMED_OFFSET
    }

    /// Closes the context, or opens one that is drained; false if it is to be opened and is not drained.
    pub fn control(&mut self, data: u32) -> bool {
        let opens = data >> MPE_OPEN_OFFSET & 1 == 1;
        let may_open = self.is_drained();
        if data >> MPE_CLOSE_OFFSET & 1 == 1 {
            self.closed = self.closed.or(Some(ErrorCode::Closed));
        }
        if opens && may_open {
            self.edges.iter_mut().for_each(|edge| edge.tokens = [false; AHEAD + 1]);
            (self.next, self.current, self.closed) = (0, 0, None);
        }
        self.drop_launches();
        !opens || may_open
    }

    /// A row of the list; 0 without a neighbour.
    pub fn read_row(&self, place: usize) -> u32 {
        let row = self.edges.get(place).and_then(|edge| edge.row);
        Row::encode(row).expect("what was decoded can be encoded")
    }

    /// Writes a row of the list, after which calls are numbered from 0 on; false if there is no such row, or the context is not idle.
    pub fn write_row(&mut self, place: usize, data: u32) -> bool {
        let is_written = self.is_idle() && place < self.edges.len();
        if is_written {
            self.edges[place].row = Row::decode(data);
            (self.next, self.current) = (0, 0);
            self.armed.clear();
        }
        is_written
    }

    /// Whether `source` is the neighbour in this place.
    pub fn is_neighbour(&self, source: Node, place: u8) -> bool {
        let row = self.edges.get(usize::from(place)).and_then(|edge| edge.row);
        row.is_some_and(|row| row.node == source)
    }

    /// The edge of a neighbour.
    ///
    /// # Panics
    /// If there is no such place.
    pub fn edge(&mut self, place: u8) -> &mut Edge {
        &mut self.edges[usize::from(place)]
    }

    /// A closed context keeps no armed calls, and no launch.
    fn drop_launches(&mut self) {
        if self.closed.is_some() {
            self.armed.clear();
            self.launch = None;
            self.edges.iter_mut().for_each(|edge| edge.owed_go = None);
        }
    }

    /// Does one thing, if there is one that can be done.
    pub fn step(&mut self, memory: &mut Memory) -> Option<MpeStep> {
        if self.closed.is_none() && self.disagrees() {
            self.mismatch();
        }
        self.drop_launches();
        // What is owed goes first: a call is over when the last that it sends is on its way.
        let number = self.number;
        if let Some(step) = self.edges.iter_mut().find_map(|edge| edge.pay(number)) {
            return Some(step);
        }
        if let Some(code) = self.closed {
            if let Some(Posted { common, .. }) = self.calls.pop_front() {
                return Some(MpeStep::Ends(common, Some(code)));
            }
            // Packets of calls that have failed are dropped, and the neighbours get their credits.
            let edge = self.edges.iter_mut().find(|edge| !edge.packets.is_empty())?;
            edge.free();
            return Some(MpeStep::Moves);
        }
        if let Some(step) = self.begin_armed() {
            return Some(step);
        }
        let running = self.calls.front()?;
        let result = match running.phase {
            Phase::Comes => Ok(self.come()),
            Phase::Waits => Ok(self.wait()),
            Phase::Up => self.fold(memory),
            Phase::Down => self.hand_on(memory),
            Phase::Over => {
                let Posted { common, .. } = self.calls.pop_front()?;
                self.end_call();
                Ok(Some(MpeStep::Ends(common, None)))
            }
        };
        result.unwrap_or_else(|Mismatch| {
            self.mismatch();
            Some(MpeStep::Moves)
        })
    }

    /// Places of all neighbours that are farther from the root of the running call.
    fn children(&self, running: &Posted) -> Vec<usize> {
        let towards = running.towards();
        let places = (0..self.edges.len()).filter(|&place| Some(place) != towards);
        places.filter(|&place| self.edges[place].row.is_some()).collect()
    }

    /// All children have come to the barrier: tells it towards the root. At the root all have come.
    fn come(&mut self) -> Option<MpeStep> {
        let running = self.calls.front()?;
        let children = self.children(running);
        if children.iter().any(|&child| !self.edges[child].tokens[0]) {
            return None;
        }
        let (towards, number) = (running.towards(), low_bits(self.current));
        for &child in &children {
            self.edges[child].use_token();
        }
        match towards {
            Some(towards) => {
                self.edges[towards].owed_tokens.push_back(number);
                self.calls[0].phase = Phase::Waits;
            }
            None => self.release(),
        }
        Some(MpeStep::Moves)
    }

    /// The neighbour towards the root has released this member.
    fn wait(&mut self) -> Option<MpeStep> {
        let towards = self.calls.front()?.towards().expect("the root has nobody to wait for");
        self.edges[towards].use_token().then(|| {
            self.release();
            MpeStep::Moves
        })
    }

    /// Lets the children go on.
    fn release(&mut self) {
        for child in self.children(&self.calls[0]) {
            self.edges[child].owed_tokens.push_back(low_bits(self.current));
        }
        self.calls[0].phase = Phase::Over;
    }

    /// Folds one packet of each child into the own words; the result goes towards the root, or into its memory.
    fn fold(&mut self, memory: &mut Memory) -> Result<Option<MpeStep>, Mismatch> {
        let children = self.children(&self.calls[0]);
        let running = &mut self.calls[0];
        // Child by child: the packet of one is looked at when those before it are there.
        for &child in &children {
            match self.edges[child].packets.front() {
                None => return Ok(None),
                Some(packet) if !running.expects(packet) => return Err(Mismatch),
                Some(_) => {}
            }
        }
        let towards = running.towards();
        if towards.is_some_and(|towards| self.edges[towards].credits == 0) {
            return Ok(None);
        }
        let mut words = running.load(memory, running.call.transfer.source);
        for child in children {
            let packet = self.edges[child].free();
            running.fold(&mut words, running.payload(&packet.words));
        }
        let step = match towards {
            Some(towards) => self.edges[towards].send(self.number, running.packet_with(&words)),
            None => {
                running.store(memory, &words);
                Some(MpeStep::Moves)
            }
        };
        running.advance();
        Ok(step)
    }

    /// Gives one packet of the root to one child, or to the memory.
    fn hand_on(&mut self, memory: &mut Memory) -> Result<Option<MpeStep>, Mismatch> {
        let children = self.children(&self.calls[0]);
        let running = &mut self.calls[0];
        let towards = running.towards();
        let packet = match towards {
            Some(towards) => match self.edges[towards].packets.front() {
                None => return Ok(None),
                Some(packet) if !running.expects(packet) => return Err(Mismatch),
                Some(packet) => packet.clone(),
            },
            None => {
                let transfer = running.call.transfer;
                let from = match running.call.kind {
                    Kind::Allreduce => transfer.result,
                    _ => transfer.source,
                };
                running.packet_with(&running.load(memory, from))
            }
        };
        // The root has its words already.
        if towards.is_some() && !running.is_stored {
            running.store(memory, running.payload(&packet.words));
            running.is_stored = true;
            return Ok(Some(MpeStep::Moves));
        }
        if let Some(&child) = children.get(running.sent) {
            let step = self.edges[child].send(self.number, packet);
            running.sent += usize::from(step.is_some());
            return Ok(step);
        }
        if let Some(towards) = towards {
            self.edges[towards].free();
        }
        running.advance();
        Ok(Some(MpeStep::Moves))
    }
}
