use super::{EntryRow, MIN_FREE_WIDTH};
use portico_spec::portals::{
    engine::{Failure, Operation, ANY_USER, FAILURE_WIDTH, LENGTH_WIDTH, OPERATION_WIDTH, OP_GET, OP_PUT, USER_OFFSET, USER_WIDTH},
    list::{MANAGE_LOCAL, OPTIONS_WIDTH, USE_ONCE},
};
use portico_verilog::prelude::*;

/// Width of a difference of two numbers of 32 bits.
const DIFFERENCE_WIDTH: usize = 33;

/// What a message may do with the entry that it met (rules 3 to 5 of Portals 4).
///
/// | | |
/// | --- | --- |
/// | latency | 4 cycles from stable inputs to the results |
/// | throughput | one message at a time |
/// | state | four stages |
#[derive(LogicBlock, Default)]
pub struct HitCheck {
    pub clk: Signal<In, Clock>,
    /// Operation of the message.
    pub operation: Signal<In, Bits<OPERATION_WIDTH>>,
    /// User of the initiator.
    pub user: Signal<In, Bits<USER_WIDTH>>,
    /// Requested length, in bytes.
    pub requested: Signal<In, Bits<LENGTH_WIDTH>>,
    /// Requested offset, in bytes.
    pub remote: Signal<In, Bits<32>>,
    /// Options of the entry.
    pub options: Signal<In, Bits<OPTIONS_WIDTH>>,
    /// Length of the entry, in bytes.
    pub length: Signal<In, Bits<32>>,
    /// Offset of the entry, in bytes.
    pub offset: Signal<In, Bits<32>>,
    /// Start and user of the entry.
    pub pointer: Signal<In, Bits<32>>,
    /// Row of the entry, 2 cycles later than the others.
    pub row: Signal<In, EntryRow>,
    /// How the message fails, 0 if it does not.
    pub failure: Signal<Out, Bits<FAILURE_WIDTH>>,
    /// Offset used, in bytes.
    pub used: Signal<Out, Bits<32>>,
    /// Delivered length, in bytes.
    pub delivered: Signal<Out, Bits<LENGTH_WIDTH>>,
    /// Where the data go, in bytes.
    pub start: Signal<Out, Bits<LENGTH_WIDTH>>,
    /// The entry gets a new offset.
    pub advances: Signal<Out, Bit>,
    /// That offset, in bytes.
    pub new_offset: Signal<Out, Bits<32>>,
    /// The entry leaves its list.
    pub unlinks: Signal<Out, Bit>,
    shown_failure: DFF<Bits<FAILURE_WIDTH>>,
    shown_used: DFF<Bits<32>>,
    room: DFF<Bits<DIFFERENCE_WIDTH>>,
    shown_start: DFF<Bits<LENGTH_WIDTH>>,
    shown_delivered: DFF<Bits<LENGTH_WIDTH>>,
    shown_offset: DFF<Bits<32>>,
    rest: DFF<Bits<DIFFERENCE_WIDTH>>,
    entry_user: Signal<Local, Bits<USER_WIDTH>>,
    is_allowed: Signal<Local, Bit>,
    narrow: Signal<Local, Bit>,
}

#[kernel]
impl Logic for HitCheck {
    fn update(&mut self) {
        dff_setup!(self, clk, shown_failure, shown_used, room, shown_start, shown_delivered, shown_offset, rest);
        // Stage 1: permissions, and the offset that counts.
        self.entry_user.next = self.pointer.val().get_bits::<USER_WIDTH>(USER_OFFSET);
        self.is_allowed.next = self.options.val().get_bit(OP_GET);
        if self.operation.val() == bits::<OPERATION_WIDTH>(Operation::Put as u64) {
            self.is_allowed.next = self.options.val().get_bit(OP_PUT);
        }
        self.shown_failure.d.next = 0.into();
        if (self.entry_user.val() != bits::<USER_WIDTH>(ANY_USER as u64)) & (self.entry_user.val() != self.user.val())
        {
            self.shown_failure.d.next = bits::<FAILURE_WIDTH>(Failure::Permission as u64);
        } else if !self.is_allowed.val() {
            self.shown_failure.d.next = bits::<FAILURE_WIDTH>(Failure::Operation as u64);
        }
        self.shown_used.d.next = self.remote.val();
        if self.options.val().get_bit(MANAGE_LOCAL) {
            self.shown_used.d.next = self.offset.val();
        }
        // Stage 2: the room behind it; its top bit says that there is none.
        self.room.d.next = bit_cast::<DIFFERENCE_WIDTH, 32>(self.length.val())
            - bit_cast::<DIFFERENCE_WIDTH, 32>(self.shown_used.q.val());
        self.shown_start.d.next =
            self.pointer.val().get_bits::<LENGTH_WIDTH>(0) + self.shown_used.q.val().get_bits::<LENGTH_WIDTH>(0);
        // Stage 3: what is delivered.
        self.narrow.next = self.room.q.val() < bit_cast::<DIFFERENCE_WIDTH, LENGTH_WIDTH>(self.requested.val());
        self.shown_delivered.d.next = self.requested.val();
        if self.narrow.val() {
            self.shown_delivered.d.next = self.room.q.val().get_bits::<LENGTH_WIDTH>(0);
        }
        if self.room.q.val().get_bit(DIFFERENCE_WIDTH - 1) {
            self.shown_delivered.d.next = 0.into();
        }
        // Stage 4: what the entry has left.
        self.shown_offset.d.next =
            self.shown_used.q.val() + bit_cast::<32, LENGTH_WIDTH>(self.shown_delivered.q.val());
        self.rest.d.next =
            self.room.q.val() - bit_cast::<DIFFERENCE_WIDTH, LENGTH_WIDTH>(self.shown_delivered.q.val());
        self.failure.next = self.shown_failure.q.val();
        self.used.next = self.shown_used.q.val();
        self.delivered.next = self.shown_delivered.q.val();
        self.start.next = self.shown_start.q.val();
        self.advances.next = self.options.val().get_bit(MANAGE_LOCAL);
        self.new_offset.next = self.shown_offset.q.val();
        self.unlinks.next = self.options.val().get_bit(USE_ONCE)
            | (self.options.val().get_bit(MANAGE_LOCAL)
                & self.row.val().min_free.any()
                & (self.rest.q.val().get_bit(DIFFERENCE_WIDTH - 1)
                    | (self.rest.q.val() < bit_cast::<DIFFERENCE_WIDTH, MIN_FREE_WIDTH>(self.row.val().min_free))));
    }
}
