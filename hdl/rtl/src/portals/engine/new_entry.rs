use super::{EntryRow, TableCommand, MIN_FREE_WIDTH};
use portico_spec::portals::{
    engine::{ACK_DISABLE, COMM_DISABLE, CT_BYTES, CT_COMM, SUCCESS_DISABLE, UNLINK_DISABLE},
    list::GENERATION_WIDTH,
};
use portico_verilog::prelude::*;

/// Width of the part of a length that no entry has.
const BEYOND_WIDTH: usize = 32 - MIN_FREE_WIDTH;

/// The row of an entry that a command appends.
///
/// Combinational, no state.
#[derive(LogicBlock, Default)]
pub struct NewEntry {
    /// The command.
    pub command: Signal<In, TableCommand>,
    /// Generation of the place of the entry.
    pub generation: Signal<In, Bits<GENERATION_WIDTH>>,
    /// The row.
    pub row: Signal<Out, EntryRow>,
}

#[kernel]
impl Logic for NewEntry {
    fn update(&mut self) {
        self.row.next.pointer = self.command.val().pointer;
        self.row.next.counter = self.command.val().counter;
        self.row.next.counts = self.command.val().counts;
        self.row.next.min_free = self.command.val().value.get_bits::<MIN_FREE_WIDTH>(0);
        // More than an entry can have stands for all that it can have.
        if self.command.val().value.get_bits::<BEYOND_WIDTH>(MIN_FREE_WIDTH).any() {
            self.row.next.min_free = !bits::<MIN_FREE_WIDTH>(0);
        }
        self.row.next.messages = 0.into();
        self.row.next.headers = 0.into();
        self.row.next.generation = self.generation.val();
        self.row.next.detached = false;
        self.row.next.ack_disable = self.command.val().options.get_bit(ACK_DISABLE);
        self.row.next.unlink_disable = self.command.val().options.get_bit(UNLINK_DISABLE);
        self.row.next.comm_disable = self.command.val().options.get_bit(COMM_DISABLE);
        self.row.next.success_disable = self.command.val().options.get_bit(SUCCESS_DISABLE);
        self.row.next.ct_comm = self.command.val().options.get_bit(CT_COMM);
        self.row.next.ct_bytes = self.command.val().options.get_bit(CT_BYTES);
    }
}
