use crate::{
    bus::{AddressMatch, RegisterWriteIn},
    ni::receive::ports::UpdateOut,
};
use portico_spec::{
    flit::{NODE_WIDTH, TAG_WIDTH},
    ni::registers::{Block as Registers, TagRegister, FIELD_WIDTH},
};
use portico_verilog::prelude::*;

/// Writes to the registers of tags, and their initialisation, as one stream of changes for all tables.
///
/// Gives changes of tags to their tables.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle |
/// | throughput | one change a cycle |
/// | state | one change |
///
/// A change is a cycle late so that whoever shares a table's port with it can give way by a flip-flop alone: the write may
/// come from the very flit that would have to give way.
#[derive(LogicBlock, Default)]
pub struct TagUpdate {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Tags are cleared, that of each cycle being in the low bits of `sweep`.
    pub initialising: Signal<In, Bit>,
    pub sweep: Signal<In, Bits<NODE_WIDTH>>,
    pub register_write: RegisterWriteIn,
    pub update: UpdateOut,
    write_match: AddressMatch<{ Registers::Tags as usize }, { TAG_WIDTH + FIELD_WIDTH }>,
    valid: DFF<Bit>,
    clearing: DFF<Bit>,
    tag: DFF<Bits<TAG_WIDTH>>,
    field: DFF<Bits<FIELD_WIDTH>>,
    data: DFF<Bits<32>>,
}

#[kernel]
impl Logic for TagUpdate {
    fn update(&mut self) {
        dff_setup!(self, clk, valid, clearing, tag, field, data);
        self.write_match.index.next = self.register_write.index.val();
        self.valid.d.next = self.initialising.val() | (self.register_write.enable.val() & self.write_match.hit.val());
        self.clearing.d.next = self.initialising.val();
        self.tag.d.next = self.register_write.index.val().get_bits::<TAG_WIDTH>(FIELD_WIDTH);
        self.field.d.next = self.register_write.index.val().get_bits::<FIELD_WIDTH>(0);
        self.data.d.next = self.register_write.data.val();
        if self.initialising.val() {
            self.tag.d.next = self.sweep.val().get_bits::<TAG_WIDTH>(0);
            self.data.d.next = 0.into();
        }

        self.update.busy.next = self.valid.q.val();
        self.update.clearing.next = self.clearing.q.val();
        self.update.tag.next = self.tag.q.val();
        self.update.data.next = self.data.q.val();
        self.update.base.next = self.valid.q.val()
            & (self.clearing.q.val() | (self.field.q.val() == bits::<FIELD_WIDTH>(TagRegister::Base as u64)));
        self.update.size.next = self.valid.q.val()
            & (self.clearing.q.val() | (self.field.q.val() == bits::<FIELD_WIDTH>(TagRegister::Size as u64)));
        self.update.control.next = self.valid.q.val()
            & (self.clearing.q.val() | (self.field.q.val() == bits::<FIELD_WIDTH>(TagRegister::Control as u64)));
        self.update.pointer.next = self.valid.q.val()
            & (self.clearing.q.val() | (self.field.q.val() == bits::<FIELD_WIDTH>(TagRegister::Pointer as u64)));
        self.update.geometry.next = self.valid.q.val()
            & (self.clearing.q.val() | (self.field.q.val() == bits::<FIELD_WIDTH>(TagRegister::Geometry as u64)));
        self.update.ends.next = self.valid.q.val()
            & (self.clearing.q.val() | (self.field.q.val() == bits::<FIELD_WIDTH>(TagRegister::Ends as u64)));
        self.update.released.next = self.valid.q.val()
            & (self.clearing.q.val() | (self.field.q.val() == bits::<FIELD_WIDTH>(TagRegister::Released as u64)));
        if self.rst.val() {
            self.valid.d.next = false;
        }
    }
}
