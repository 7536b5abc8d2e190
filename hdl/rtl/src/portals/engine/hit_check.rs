use super::{EntryRow, MIN_FREE_WIDTH};
use portico_spec::portals::{
    engine::{
        Failure, Operation, ANY_USER, FAILURE_WIDTH, LENGTH_WIDTH, OPERATION_WIDTH, OP_GET, OP_PUT, USER_OFFSET,
        USER_WIDTH,
    },
    list::{MANAGE_LOCAL, OPTIONS_WIDTH, USE_ONCE},
};
use portico_verilog::prelude::*;

/// Width of a difference of two numbers of 32 bits.
const DIFFERENCE_WIDTH: usize = 33;

/// The check of a message against the entry that it met (rules 3 to 5 of Portals 4).
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
        dff_setup!(
            self,
            clk,
            shown_failure,
            shown_used,
            room,
            shown_start,
            shown_delivered,
            shown_offset,
            rest
        );
        // Stage 1: permissions, and the offset that counts.
        self.entry_user.next = self.pointer.val().get_bits::<USER_WIDTH>(USER_OFFSET);
        self.is_allowed.next = self.options.val().get_bit(OP_GET);
        if self.operation.val() == bits::<OPERATION_WIDTH>(Operation::Put as u64) {
            self.is_allowed.next = self.options.val().get_bit(OP_PUT);
        }
        self.shown_failure.d.next = 0.into();
        if (self.entry_user.val() != bits::<USER_WIDTH>(ANY_USER as u64)) & (self.entry_user.val() != self.user.val()) {
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
        self.shown_offset.d.next = self.shown_used.q.val() + bit_cast::<32, LENGTH_WIDTH>(self.shown_delivered.q.val());
        self.rest.d.next = self.room.q.val() - bit_cast::<DIFFERENCE_WIDTH, LENGTH_WIDTH>(self.shown_delivered.q.val());
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock_edge, rng};
    use rand::Rng;

    /// Rules 3 to 5 in plain numbers: failure, offset used, delivered length, new offset, whether the entry leaves.
    fn rules(
        (operation, user, requested, remote): (Operation, u64, u64, u64),
        (options, owner, length, offset, min_free): (u64, u64, u64, u64, u64),
    ) -> (u64, u64, u64, u64, bool) {
        let has = |option: usize| options >> option & 1 == 1;
        let allowed = has(if operation == Operation::Put { OP_PUT } else { OP_GET });
        let failure = match (owner == u64::from(ANY_USER) || owner == user, allowed) {
            (false, _) => Failure::Permission as u64,
            (true, false) => Failure::Operation as u64,
            _ => 0,
        };
        let used = if has(MANAGE_LOCAL) { offset } else { remote };
        let delivered = if used > length { 0 } else { requested.min(length - used) };
        let new = used + delivered;
        let is_low = new > length || length - new < min_free;
        let leaves = has(USE_ONCE) || has(MANAGE_LOCAL) && min_free != 0 && is_low;
        (failure, used, delivered, new & 0xffff_ffff, leaves)
    }

    #[test]
    fn a_message_may_what_the_rules_say() {
        let mut rng = rng(0x417c);
        let mut dut = HitCheck::default();
        dut.connect_all();
        let (mut failed, mut cut, mut left) = (0, 0, 0);
        for round in 0..4_000 {
            let operation = [Operation::Put, Operation::Get][rng.gen_range(0..2)];
            let user = rng.gen_range(0..3u64);
            let owner = [u64::from(ANY_USER), rng.gen_range(0..3)][rng.gen_range(0..2)];
            let length = rng.gen_range(0..400u64);
            let near = |rng: &mut rand::rngs::SmallRng| match rng.gen_range(0..4) {
                0 => u64::from(u32::MAX) - rng.gen_range(0..3),
                1 => length,
                _ => rng.gen_range(0..450),
            };
            let (remote, offset) = (near(&mut rng), near(&mut rng));
            let requested = rng.gen_range(0..300u64);
            let min_free = rng.gen_range(0..3u64) * rng.gen_range(0..100);
            let options = u64::from(rng.gen::<u16>());
            dut.operation.next = (operation as u64).into();
            dut.user.next = user.into();
            dut.requested.next = requested.into();
            dut.remote.next = remote.into();
            dut.options.next = options.into();
            dut.length.next = length.into();
            dut.offset.next = offset.into();
            dut.pointer.next = (0x100 | owner << USER_OFFSET).into();
            let row = EntryRow {
                min_free: min_free.into(),
                ..EntryRow::default()
            };
            dut.row.next = row;
            for _ in 0..4 {
                clock_edge!(dut);
            }
            let (failure, used, delivered, new, leaves) = rules(
                (operation, user, requested, remote),
                (options, owner, length, offset, min_free),
            );
            let found = (dut.failure.val(), dut.used.val(), dut.delivered.val());
            assert_eq!(found, (failure.into(), used.into(), delivered.into()), "round {round}");
            assert_eq!(
                dut.start.val().to_u64(),
                (0x100 + used) % (1 << LENGTH_WIDTH),
                "round {round}"
            );
            let manages = options >> MANAGE_LOCAL & 1 == 1;
            assert_eq!(
                (dut.advances.val(), dut.unlinks.val()),
                (manages, leaves),
                "round {round}"
            );
            assert_eq!(dut.new_offset.val().to_u64(), new, "round {round}");
            failed += u32::from(failure != 0);
            cut += u32::from(delivered < requested);
            left += u32::from(leaves && options >> USE_ONCE & 1 == 0);
        }
        assert!(failed > 1_000 && cut > 1_000 && left > 200, "{failed} {cut} {left}");
    }
}
