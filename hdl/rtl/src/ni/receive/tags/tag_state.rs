use crate::{
    bus::{AddressMatch, RegisterReadIn},
    ni::receive::{
        ports::{StateOut, UpdateIn},
        PLACE_BYTES, PLACE_WIDTH,
    },
    prim::Ram,
};
use portico_spec::{
    flit::TAG_WIDTH,
    ni::{
        packet::{ERROR_WIDTH, ROW_WIDTH},
        registers::{Block as Registers, TagRegister, FIELD_WIDTH},
        window::{ENDS_WIDTH, MESSAGES_WIDTH},
    },
};
use portico_verilog::prelude::*;

/// Position and words done in one entry.
const POINTER_WIDTH: usize = PLACE_WIDTH + ROW_WIDTH;
const POINTER_BYTES: usize = POINTER_WIDTH / 8;
/// Ends of transfers and fault in one entry, in whole bytes.
const OUTCOME_WIDTH: usize = (ENDS_WIDTH + ERROR_WIDTH).next_multiple_of(8);
const OUTCOME_BYTES: usize = OUTCOME_WIDTH / 8;
const MESSAGES_BYTES: usize = MESSAGES_WIDTH / 8;

/// How far each tag has come, and the registers that tell.
///
/// Pointer, ends of transfers and released messages of every tag.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from `read` to `state`, which then stays; 1 cycle from the index of a register to its value |
/// | throughput | a read for packets, one for the release, one of a register, and one write of each table a cycle |
/// | state | 256 tags of 40 + 24 + 16 bits in block RAM, copied for the registers and the release |
///
/// The pointer of a tag is two numbers: `position` is where the next word goes, counted from the base, and `done` how many
/// words of its row are in front of it. So a packet may end anywhere in a row. Register 3 shows the position, and a write
/// to it begins a row there. For a queue, the position is the number of messages ever written.
///
/// Packets write only where `update.busy` is low. Their reads never meet a write of the same tag but for `released`.
#[derive(LogicBlock, Default)]
pub struct TagState {
    pub clk: Signal<In, Clock>,
    pub update: UpdateIn,
    /// Reads `tag` for a packet.
    pub read: Signal<In, Bit>,
    pub tag: Signal<In, Bits<TAG_WIDTH>>,
    pub state: StateOut,
    /// The tag that the packet in hand writes to.
    pub packet_tag: Signal<In, Bits<TAG_WIDTH>>,
    pub write_pointer: Signal<In, Bit>,
    pub next_position: Signal<In, Bits<PLACE_WIDTH>>,
    pub next_done: Signal<In, Bits<ROW_WIDTH>>,
    pub write_ends: Signal<In, Bit>,
    pub next_ends: Signal<In, Bits<ENDS_WIDTH>>,
    pub next_fault: Signal<In, Bits<ERROR_WIDTH>>,
    pub release_read: Signal<In, Bit>,
    pub release_tag: Signal<In, Bits<TAG_WIDTH>>,
    pub release_written: Signal<Out, Bits<MESSAGES_WIDTH>>,
    pub release_released: Signal<Out, Bits<MESSAGES_WIDTH>>,
    pub write_released: Signal<In, Bit>,
    pub write_released_tag: Signal<In, Bits<TAG_WIDTH>>,
    pub next_released: Signal<In, Bits<MESSAGES_WIDTH>>,
    pub register_read: RegisterReadIn,
    pointer: Ram<POINTER_WIDTH, TAG_WIDTH, POINTER_BYTES>,
    outcome: Ram<OUTCOME_WIDTH, TAG_WIDTH, OUTCOME_BYTES>,
    released: ForwardingTable<MESSAGES_WIDTH, MESSAGES_BYTES>,
    written_at_release: ForwardingTable<MESSAGES_WIDTH, MESSAGES_BYTES>,
    released_at_release: ForwardingTable<MESSAGES_WIDTH, MESSAGES_BYTES>,
    position_register: ForwardingTable<PLACE_WIDTH, PLACE_BYTES>,
    ends_register: ForwardingTable<MESSAGES_WIDTH, MESSAGES_BYTES>,
    released_register: ForwardingTable<MESSAGES_WIDTH, MESSAGES_BYTES>,
    read_match: AddressMatch<{ Registers::Tags as usize }, { TAG_WIDTH + FIELD_WIDTH }>,
    read_tag: Signal<Local, Bits<TAG_WIDTH>>,
    asked: DFF<Bit>,
    asked_field: DFF<Bits<FIELD_WIDTH>>,
    pointer_writes: Signal<Local, Bit>,
    pointer_tag: Signal<Local, Bits<TAG_WIDTH>>,
    position: Signal<Local, Bits<PLACE_WIDTH>>,
    done: Signal<Local, Bits<ROW_WIDTH>>,
    ends_writes: Signal<Local, Bit>,
    ends_tag: Signal<Local, Bits<TAG_WIDTH>>,
    ends: Signal<Local, Bits<ENDS_WIDTH>>,
    fault: Signal<Local, Bits<ERROR_WIDTH>>,
    released_writes: Signal<Local, Bit>,
    released_tag: Signal<Local, Bits<TAG_WIDTH>>,
    released_count: Signal<Local, Bits<MESSAGES_WIDTH>>,
}

#[kernel]
impl Logic for TagState {
    fn update(&mut self) {
        wire!(
            self => pointer, outcome, released, written_at_release, released_at_release, position_register,
                ends_register, released_register: clk
        );
        dff_setup!(self, clk, asked, asked_field);
        // What is written, by packets or the release, or by an update in their place.
        self.pointer_writes.next = self.write_pointer.val() | self.update.pointer.val();
        self.ends_writes.next = self.write_ends.val() | self.update.ends.val();
        self.released_writes.next = self.write_released.val() | self.update.released.val();
        self.pointer_tag.next = self.packet_tag.val();
        self.position.next = self.next_position.val();
        self.done.next = self.next_done.val();
        self.ends_tag.next = self.packet_tag.val();
        self.ends.next = self.next_ends.val();
        self.fault.next = self.next_fault.val();
        self.released_tag.next = self.write_released_tag.val();
        self.released_count.next = self.next_released.val();
        if self.update.busy.val() {
            self.pointer_tag.next = self.update.tag.val();
            self.position.next = bit_cast::<PLACE_WIDTH, 32>(self.update.data.val());
            self.done.next = 0.into();
            self.ends_tag.next = self.update.tag.val();
            self.ends.next = 0.into();
            self.fault.next = 0.into();
            self.released_tag.next = self.update.tag.val();
            self.released_count.next = bit_cast::<MESSAGES_WIDTH, 32>(self.update.data.val());
        }

        // Packets.
        self.pointer.write_lanes.next = 0.into();
        if self.pointer_writes.val() {
            self.pointer.write_lanes.next = !bits::<POINTER_BYTES>(0);
        }
        self.pointer.write_address.next = self.pointer_tag.val();
        self.pointer.write_data.next = bit_cast::<POINTER_WIDTH, PLACE_WIDTH>(self.position.val())
            | (bit_cast::<POINTER_WIDTH, ROW_WIDTH>(self.done.val()) << bits::<6>(PLACE_WIDTH));
        self.pointer.read_enable.next = self.read.val();
        self.pointer.read_address.next = self.tag.val();
        self.state.position.next = self.pointer.read_data.val().get_bits::<PLACE_WIDTH>(0);
        self.state.done.next = self.pointer.read_data.val().get_bits::<ROW_WIDTH>(PLACE_WIDTH);
        self.outcome.write_lanes.next = 0.into();
        if self.ends_writes.val() {
            self.outcome.write_lanes.next = !bits::<OUTCOME_BYTES>(0);
        }
        self.outcome.write_address.next = self.ends_tag.val();
        self.outcome.write_data.next = bit_cast::<OUTCOME_WIDTH, ENDS_WIDTH>(self.ends.val())
            | (bit_cast::<OUTCOME_WIDTH, ERROR_WIDTH>(self.fault.val()) << bits::<6>(ENDS_WIDTH));
        self.outcome.read_enable.next = self.read.val();
        self.outcome.read_address.next = self.tag.val();
        self.state.ends.next = self.outcome.read_data.val().get_bits::<ENDS_WIDTH>(0);
        self.state.fault.next = self.outcome.read_data.val().get_bits::<ERROR_WIDTH>(ENDS_WIDTH);
        self.released.write.next = self.released_writes.val();
        self.released.write_tag.next = self.released_tag.val();
        self.released.write_data.next = self.released_count.val();
        self.released.read.next = self.read.val();
        self.released.read_tag.next = self.tag.val();
        self.state.released.next = self.released.data.val();

        // The release.
        self.written_at_release.write.next = self.pointer_writes.val();
        self.written_at_release.write_tag.next = self.pointer_tag.val();
        self.written_at_release.write_data.next = bit_cast::<MESSAGES_WIDTH, PLACE_WIDTH>(self.position.val());
        self.written_at_release.read.next = self.release_read.val();
        self.written_at_release.read_tag.next = self.release_tag.val();
        self.release_written.next = self.written_at_release.data.val();
        self.released_at_release.write.next = self.released_writes.val();
        self.released_at_release.write_tag.next = self.released_tag.val();
        self.released_at_release.write_data.next = self.released_count.val();
        self.released_at_release.read.next = self.release_read.val();
        self.released_at_release.read_tag.next = self.release_tag.val();
        self.release_released.next = self.released_at_release.data.val();

        // Registers.
        self.read_match.index.next = self.register_read.index.val();
        self.read_tag.next = self.register_read.index.val().get_bits::<TAG_WIDTH>(FIELD_WIDTH);
        self.asked.d.next = self.read_match.hit.val();
        self.asked_field.d.next = self.register_read.index.val().get_bits::<FIELD_WIDTH>(0);
        self.position_register.write.next = self.pointer_writes.val();
        self.position_register.write_tag.next = self.pointer_tag.val();
        self.position_register.write_data.next = self.position.val();
        self.position_register.read.next = true;
        self.position_register.read_tag.next = self.read_tag.val();
        self.ends_register.write.next = self.ends_writes.val();
        self.ends_register.write_tag.next = self.ends_tag.val();
        self.ends_register.write_data.next = self.ends.val();
        self.ends_register.read.next = true;
        self.ends_register.read_tag.next = self.read_tag.val();
        self.released_register.write.next = self.released_writes.val();
        self.released_register.write_tag.next = self.released_tag.val();
        self.released_register.write_data.next = self.released_count.val();
        self.released_register.read.next = true;
        self.released_register.read_tag.next = self.read_tag.val();
        self.register_read.data.next = 0.into();
        if self.asked.q.val() {
            if self.asked_field.q.val() == bits::<FIELD_WIDTH>(TagRegister::Pointer as u64) {
                self.register_read.data.next = bit_cast::<32, PLACE_WIDTH>(self.position_register.data.val());
            }
            if self.asked_field.q.val() == bits::<FIELD_WIDTH>(TagRegister::Ends as u64) {
                self.register_read.data.next = bit_cast::<32, ENDS_WIDTH>(self.ends_register.data.val());
            }
            if self.asked_field.q.val() == bits::<FIELD_WIDTH>(TagRegister::Released as u64) {
                self.register_read.data.next = bit_cast::<32, MESSAGES_WIDTH>(self.released_register.data.val());
            }
        }
    }
}

/// A table with an entry a tag, for a reader who may meet the writer.
///
/// Entries of `D` bits, `B` bytes.
///
/// | | |
/// | --- | --- |
/// | latency | read: 1 cycle; a read of the entry that is being written gives the new one |
/// | throughput | one write and one read a cycle |
/// | state | 256 entries of `D` bits in block RAM, undefined until written, untouched by reset; `D` + 1 flip-flops |
#[derive(LogicBlock, Default)]
pub struct ForwardingTable<const D: usize, const B: usize> {
    pub clk: Signal<In, Clock>,
    pub write: Signal<In, Bit>,
    pub write_tag: Signal<In, Bits<TAG_WIDTH>>,
    pub write_data: Signal<In, Bits<D>>,
    /// Reads; `data` stays as it is otherwise.
    pub read: Signal<In, Bit>,
    pub read_tag: Signal<In, Bits<TAG_WIDTH>>,
    pub data: Signal<Out, Bits<D>>,
    entries: Ram<D, TAG_WIDTH, B>,
    met: DFF<Bit>,
    new_data: DFF<Bits<D>>,
}

#[kernel]
impl<const D: usize, const B: usize> Logic for ForwardingTable<D, B> {
    fn update(&mut self) {
        wire!(self => entries: clk);
        dff_setup!(self, clk, met, new_data);
        self.entries.write_lanes.next = 0.into();
        if self.write.val() {
            self.entries.write_lanes.next = !bits::<B>(0);
        }
        self.entries.write_address.next = self.write_tag.val();
        self.entries.write_data.next = self.write_data.val();
        self.entries.read_enable.next = self.read.val();
        self.entries.read_address.next = self.read_tag.val();
        if self.read.val() {
            self.met.d.next = self.write.val() & (self.write_tag.val() == self.read_tag.val());
            self.new_data.d.next = self.write_data.val();
        }
        self.data.next = self.entries.read_data.val();
        if self.met.q.val() {
            self.data.next = self.new_data.q.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock_edge, rng};
    use rand::Rng;

    #[test]
    fn reads_what_was_written_last_even_in_that_cycle() {
        let mut rng = rng(0x7ab1e);
        let mut dut = ForwardingTable::<16, 2>::default();
        dut.connect_all();
        let (mut model, mut expected, mut met) = ([0u64; 4], 0, 0);
        for cycle in 0..4000 {
            let (write, tag, data) = (rng.gen(), rng.gen_range(0..4usize), rng.gen_range(0..1u64 << 16));
            let (read, read_tag) = (rng.gen(), rng.gen_range(0..4usize));
            dut.write.next = write;
            dut.write_tag.next = (tag as u64).into();
            dut.write_data.next = data.into();
            dut.read.next = read;
            dut.read_tag.next = (read_tag as u64).into();
            clock_edge!(dut);
            met += usize::from(write && read && tag == read_tag);
            if write {
                model[tag] = data;
            }
            if read {
                expected = model[read_tag];
            }
            assert_eq!(dut.data.val().to_u64(), expected, "cycle {cycle}");
        }
        assert!(met > 100);
    }
}
