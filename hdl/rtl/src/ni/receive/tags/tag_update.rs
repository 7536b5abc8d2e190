use crate::{bus::SweepIn, ni::receive::ports::UpdateOut};
use portico_spec::{
    flit::TAG_WIDTH,
    ni::registers::{TagRegister, FIELD_WIDTH, INDEX_WIDTH},
};
use portico_verilog::prelude::*;

/// Writes to the registers of tags, and their initialisation, as one stream of changes for all tables.
///
/// Gives changes of tags to their tables.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle, and as long as others write |
/// | throughput | one change at a time |
/// | state | one change |
///
/// A change is a cycle late so that heads can give way by a flip-flop alone: the write may come from the very packet in
/// front.
#[derive(LogicBlock, Default)]
pub struct TagUpdate {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Clears the tables after reset.
    pub sweep: SweepIn,
    /// A register of a tag is written; not while a change waits.
    pub write: Signal<In, Bit>,
    /// Index of the register: its field in the low bits, its tag above; taken with `write`.
    pub index: Signal<In, Bits<INDEX_WIDTH>>,
    /// Word for the register; taken with `write`.
    pub write_data: Signal<In, Bits<32>>,
    /// Nobody else writes in this cycle.
    pub may_update: Signal<In, Bit>,
    /// The change that waits, for the table of tags.
    pub update: UpdateOut,
    valid: DFF<Bit>,
    clearing: DFF<Bit>,
    tag: DFF<Bits<TAG_WIDTH>>,
    field: DFF<Bits<FIELD_WIDTH>>,
    data: DFF<Bits<32>>,
    writes: Signal<Local, Bit>,
}

#[kernel]
impl Logic for TagUpdate {
    fn update(&mut self) {
        dff_setup!(self, clk, valid, clearing, tag, field, data);
        if self.may_update.val() {
            self.valid.d.next = false;
        }
        if self.write.val() {
            self.valid.d.next = true;
            self.clearing.d.next = false;
            self.tag.d.next = self.index.val().get_bits::<TAG_WIDTH>(FIELD_WIDTH);
            self.field.d.next = self.index.val().get_bits::<FIELD_WIDTH>(0);
            self.data.d.next = self.write_data.val();
        }
        if self.sweep.active.val() {
            self.valid.d.next = true;
            self.clearing.d.next = true;
            self.tag.d.next = self.sweep.place.val().get_bits::<TAG_WIDTH>(0);
            self.data.d.next = 0.into();
        }

        self.update.busy.next = self.valid.q.val();
        self.writes.next = self.valid.q.val() & self.may_update.val();
        self.update.clearing.next = self.clearing.q.val();
        self.update.tag.next = self.tag.q.val();
        self.update.data.next = self.data.q.val();
        self.update.base.next = self.writes.val()
            & (self.clearing.q.val() | (self.field.q.val() == bits::<FIELD_WIDTH>(TagRegister::Base as u64)));
        self.update.size.next = self.writes.val()
            & (self.clearing.q.val() | (self.field.q.val() == bits::<FIELD_WIDTH>(TagRegister::Size as u64)));
        self.update.control.next = self.writes.val()
            & (self.clearing.q.val() | (self.field.q.val() == bits::<FIELD_WIDTH>(TagRegister::Control as u64)));
        self.update.pointer.next = self.writes.val()
            & (self.clearing.q.val() | (self.field.q.val() == bits::<FIELD_WIDTH>(TagRegister::Pointer as u64)));
        self.update.geometry.next = self.writes.val()
            & (self.clearing.q.val() | (self.field.q.val() == bits::<FIELD_WIDTH>(TagRegister::Geometry as u64)));
        self.update.ends.next = self.writes.val()
            & (self.clearing.q.val() | (self.field.q.val() == bits::<FIELD_WIDTH>(TagRegister::Ends as u64)));
        self.update.released.next = self.writes.val()
            & (self.clearing.q.val() | (self.field.q.val() == bits::<FIELD_WIDTH>(TagRegister::Released as u64)));
        if self.rst.val() {
            self.valid.d.next = false;
        }
    }
}
