use super::{
    atomic::AtomicUnit,
    ports::{DeliveredOut, OperationIn, PlacedIn},
};
use crate::bus::{MemoryReadOut, MemoryWriteOut, RegisterRequestOut};
use portico_spec::ni::{packet::OFFSET_WIDTH, registers::INDEX_WIDTH};
use portico_verilog::prelude::*;

/// The fourth stage: brings a flit to its place in the memory or to a register, or drops it.
///
/// Words of `W` bits, `B` bytes.
///
/// | | |
/// | --- | --- |
/// | latency | combinational from the flit with its place; that of [`AtomicUnit`] for atomics |
/// | throughput | one flit a cycle |
/// | state | that of [`AtomicUnit`] |
///
/// A flit waits for the memory or the register bus, and at the end of a packet for room for what that brings about.
/// While an atomic works, it has the memory, the registers and the answers for itself.
#[derive(LogicBlock, Default)]
pub struct Delivery<const W: usize, const B: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// The flit, with its place.
    pub placed: PlacedIn<W>,
    /// What an atomic asks for.
    pub operation: OperationIn,
    /// Writes of payload, of the words in front of messages, and of atomics.
    pub memory_write: MemoryWriteOut<W, B>,
    /// For atomics.
    pub memory_read: MemoryReadOut<W>,
    /// Writes of registers from the network; taken whether the word is kept or not.
    pub register_write: RegisterRequestOut,
    /// With `ready` of `register_write`: the word is one of a descriptor without room.
    pub register_refused: Signal<In, Bit>,
    /// What becomes of the flit.
    pub delivered: DeliveredOut,
    atomic: AtomicUnit<W, B>,
    accepted: Signal<Local, Bit>,
    /// The word of payload, or that in front of a message, waits for nothing but its place.
    offered: Signal<Local, Bit>,
    front_offered: Signal<Local, Bit>,
    goes: Signal<Local, Bit>,
}

impl<const W: usize, const B: usize> Delivery<W, B> {
    /// `far_memory`: data may come later than a cycle after their request.
    pub fn new(far_memory: bool) -> Self {
        Self {
            atomic: AtomicUnit::new(far_memory),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const B: usize> Logic for Delivery<W, B> {
    fn update(&mut self) {
        wire!(self => atomic: clk, rst);

        // When the flit goes.
        self.accepted.next = self.memory_write.ready.val();
        // What is refused waits for room as well: the memory has some soon, and to know sooner takes longer.
        if self.placed.is_device.val() {
            self.accepted.next = self.register_write.ready.val() | self.placed.no_register.val();
        }
        self.goes.next = !self.atomic.busy.val()
            & (self.accepted.val() | !self.placed.payload.val())
            & (self.delivered.may_end.val() | !self.placed.closes.val())
            & ((self.delivered.may_end.val() & self.memory_write.ready.val()) | !self.placed.front.val());
        wire!(self => placed: goes);

        // An atomic, which may work on when it has left.
        wire!(self.operation <=> atomic.request);
        self.atomic.start.next = self.placed.atomic.val();
        wire!(placed => atomic: lower, mode, address, in_memory, is_device);
        self.atomic.memory_write.ready.next = self.memory_write.ready.val();
        wire!(self <=> atomic: memory_read);
        wire!(register_write => atomic.register_write: ready);
        wire!(self => atomic: register_refused);
        self.placed.atomic_leaves.next = self.atomic.leaves.val();
        if self.placed.lower.val() {
            self.placed.atomic_leaves.next = self.atomic.lower_leaves.val();
        }

        // Where it goes.
        self.offered.next = self.placed.payload.val()
            & !self.atomic.busy.val()
            & (self.delivered.may_end.val() | !self.placed.closes.val());
        self.front_offered.next = self.placed.front.val() & !self.atomic.busy.val() & self.delivered.may_end.val();
        self.memory_write.valid.next = (self.offered.val() & self.placed.allowed.val() & !self.placed.is_device.val())
            | (self.front_offered.val() & self.placed.front_allowed.val());
        self.memory_write.address.next = self.placed.address.val();
        self.memory_write.data.next = self.placed.word.val();
        if self.placed.front.val() {
            self.memory_write.data.next = bit_cast::<W, 32>(self.placed.front_word.val());
        }
        self.memory_write.lanes.next = !bits::<B>(0);
        self.register_write.valid.next = self.offered.val() & self.placed.allowed.val() & self.placed.is_device.val();
        self.register_write.index.next = bit_cast::<INDEX_WIDTH, OFFSET_WIDTH>(self.placed.address.val());
        self.register_write.data.next = bit_cast::<32, W>(self.placed.word.val());
        if self.atomic.busy.val() {
            wire!(atomic.memory_write => memory_write: valid, address, data, lanes);
            wire!(atomic.register_write => register_write: valid, index, data);
        }

        // What becomes of it.
        self.delivered.payload.next = self.placed.payload.val() & self.goes.val();
        self.delivered.is_full.next = self.placed.payload.val()
            & self.placed.allowed.val()
            & self.placed.is_device.val()
            & self.register_refused.val();
        self.delivered.refuses.next =
            (self.placed.payload.val() & !self.placed.allowed.val()) | self.delivered.is_full.val();
        self.delivered.closes.next = self.placed.closes.val() & self.goes.val();
        self.delivered.message_closes.next = self.placed.front.val() & self.goes.val();
        self.delivered.message_refused.next = self.delivered.message_closes.val() & !self.placed.front_allowed.val();
        self.delivered.malformed.next = self.placed.malformed.val() & self.goes.val();
        self.delivered.atomic.next = self.atomic.busy.val() | self.placed.atomic.val();
        wire!(self.delivered <=> atomic: answer);
    }
}
