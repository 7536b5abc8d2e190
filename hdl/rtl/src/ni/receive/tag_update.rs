//! Writes to the registers of tags, and their initialisation, as one stream of changes for all tables.
//!
//! | | |
//! | --- | --- |
//! | latency | 1 cycle |
//! | throughput | one change a cycle |
//! | state | one change |
//!
//! A change is a cycle late so that whoever shares a table's port with it can give way by a flip-flop alone: the write may
//! come from the very flit that would have to give way.

use super::{ports::UpdateOut, tag_index::TagIndex};
use crate::ni::ports::RegisterWriteIn;
use portico_spec::{
    flit::{NODE_WIDTH, TAG_WIDTH},
    ni::registers::{TagRegister, FIELD_WIDTH},
};
use rust_hdl::prelude::*;

/// Gives changes of tags to their tables.
#[derive(LogicBlock)]
pub struct TagUpdate {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Tags are cleared, that of each cycle being in the low bits of `sweep`.
    pub initialising: Signal<In, Bit>,
    pub sweep: Signal<In, Bits<NODE_WIDTH>>,
    pub register_write: RegisterWriteIn,
    pub update: UpdateOut,
    decoder: TagIndex,
    valid: DFF<Bit>,
    clearing: DFF<Bit>,
    tag: DFF<Bits<TAG_WIDTH>>,
    field: DFF<Bits<FIELD_WIDTH>>,
    data: DFF<Bits<32>>,
    base_field: Constant<Bits<FIELD_WIDTH>>,
    size_field: Constant<Bits<FIELD_WIDTH>>,
    control_field: Constant<Bits<FIELD_WIDTH>>,
    pointer_field: Constant<Bits<FIELD_WIDTH>>,
    geometry_field: Constant<Bits<FIELD_WIDTH>>,
    ends_field: Constant<Bits<FIELD_WIDTH>>,
    released_field: Constant<Bits<FIELD_WIDTH>>,
}

impl Default for TagUpdate {
    fn default() -> Self {
        let number = |field: TagRegister| Constant::new(bits(field as u64));
        Self {
            clk: Default::default(),
            rst: Default::default(),
            initialising: Default::default(),
            sweep: Default::default(),
            register_write: Default::default(),
            update: Default::default(),
            decoder: Default::default(),
            valid: Default::default(),
            clearing: Default::default(),
            tag: Default::default(),
            field: Default::default(),
            data: Default::default(),
            base_field: number(TagRegister::Base),
            size_field: number(TagRegister::Size),
            control_field: number(TagRegister::Control),
            pointer_field: number(TagRegister::Pointer),
            geometry_field: number(TagRegister::Geometry),
            ends_field: number(TagRegister::Ends),
            released_field: number(TagRegister::Released),
        }
    }
}

impl Logic for TagUpdate {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, valid, clearing, tag, field, data);
        self.decoder.index.next = self.register_write.index.val();
        self.valid.d.next = self.initialising.val() | (self.register_write.enable.val() & self.decoder.selected.val());
        self.clearing.d.next = self.initialising.val();
        self.tag.d.next = self.decoder.tag.val();
        self.field.d.next = self.decoder.field.val();
        self.data.d.next = self.register_write.data.val();
        if self.initialising.val() {
            self.tag.d.next = self.sweep.val().get_bits::<TAG_WIDTH>(0);
            self.data.d.next = 0.into();
        }

        self.update.busy.next = self.valid.q.val();
        self.update.clearing.next = self.clearing.q.val();
        self.update.tag.next = self.tag.q.val();
        self.update.data.next = self.data.q.val();
        self.update.base.next =
            self.valid.q.val() & (self.clearing.q.val() | (self.field.q.val() == self.base_field.val()));
        self.update.size.next =
            self.valid.q.val() & (self.clearing.q.val() | (self.field.q.val() == self.size_field.val()));
        self.update.control.next =
            self.valid.q.val() & (self.clearing.q.val() | (self.field.q.val() == self.control_field.val()));
        self.update.pointer.next =
            self.valid.q.val() & (self.clearing.q.val() | (self.field.q.val() == self.pointer_field.val()));
        self.update.geometry.next =
            self.valid.q.val() & (self.clearing.q.val() | (self.field.q.val() == self.geometry_field.val()));
        self.update.ends.next =
            self.valid.q.val() & (self.clearing.q.val() | (self.field.q.val() == self.ends_field.val()));
        self.update.released.next =
            self.valid.q.val() & (self.clearing.q.val() | (self.field.q.val() == self.released_field.val()));
        if self.rst.val() {
            self.valid.d.next = false;
        }
    }
}
