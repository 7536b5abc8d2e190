use super::{TagReader, TagReads, TagTable, TagUpdate};
use crate::{
    bus::{AddressMatch, RegisterAccessIn, SweepIn},
    ni::receive::{
        ports::{ReleasePortIn, RowWriteIn, StateOut, WindowOut},
        PLACE_WIDTH,
    },
};
use portico_spec::{
    flit::TAG_WIDTH,
    ni::{
        build::Build,
        registers::{Block as Registers, FIELD_WIDTH},
        window::MESSAGES_WIDTH,
    },
};
use portico_verilog::prelude::*;

/// Everything known of the tags.
///
/// The table of all tags, with those who read and write it: packets, registers, the release.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from `starts` to `window` and `state`; a register is written within 4 cycles, read in time for the bus |
/// | throughput | a head every other cycle, and in between whoever else asks |
/// | state | [`TagTable`], one update, the answer of a register |
#[derive(LogicBlock, Default)]
pub struct TagTables {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Clears the tables after reset.
    pub sweep: SweepIn,
    /// Accesses to registers; those to the block TAGS count.
    pub register: RegisterAccessIn,
    /// A head may come in. As in [`TagReads`].
    pub may_start: Signal<Out, Bit>,
    /// The next flit is a head, and is there: it would come in.
    pub offers_head: Signal<In, Bit>,
    /// A head comes in, with the tag `start_tag`.
    pub starts: Signal<In, Bit>,
    /// The row of the tag of the flit that comes in, if it is a head.
    pub start_tag: Signal<In, Bits<TAG_WIDTH>>,
    /// A head is in hand.
    pub has_head: Signal<In, Bit>,
    /// The row of the tag of the head in hand.
    pub head_tag: Signal<In, Bits<TAG_WIDTH>>,
    /// The head in hand may go on: the row that was read last is its own, and new enough.
    pub may_go: Signal<Out, Bit>,
    /// The packet in front writes a register, which may be one of this row.
    pub device: Signal<In, Bit>,
    /// Nobody keeps what the packet in front writes: the head in hand waits for that, and its row is read again.
    pub unkept: Signal<In, Bit>,
    /// The packet in front may write to its row, now or later. From flip-flops.
    pub may_write: Signal<In, Bit>,
    /// What software has set up for the tag, from the row that was read last.
    pub window: WindowOut,
    /// How far the tag has come, from the row that was read last.
    pub state: StateOut,
    /// Software changes a row.
    pub touched: Signal<Out, Bit>,
    /// Writes of packets to their rows.
    pub packet: RowWriteIn,
    /// Reads and writes of rows for the release of messages.
    pub release_port: ReleasePortIn,
    own: AddressMatch<{ Registers::Tags as usize }, { TAG_WIDTH + FIELD_WIDTH }>,
    updates: TagUpdate,
    reads: TagReads,
    rows: TagTable,
    reader: TagReader,
}

impl TagTables {
    /// For the windows of `build`, of which the system window has `space_words` words.
    pub fn new(build: &Build, space_words: u64) -> Self {
        Self {
            rows: TagTable::new(build, space_words),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for TagTables {
    fn update(&mut self) {
        wire!(self => updates, reads: clk, rst);
        wire!(self => rows, reader: clk);
        self.own.index.next = self.register.index.val();

        wire!(self <=> updates: sweep);
        self.updates.write.next = self.register.write.val() & self.own.hit.val();
        self.updates.index.next = self.register.index.val();
        self.updates.write_data.next = self.register.data.val();
        self.updates.may_update.next = self.reads.may_update.val();
        self.reads.updating.next = self.updates.update.busy.val();
        self.touched.next = self.updates.update.busy.val();
        wire!(updates <=> rows: update);

        wire!(self => reads: offers_head, starts, start_tag, has_head, head_tag, device, unkept, may_write);
        wire!(reads => self: may_start, may_go);
        self.reads.packet_writes.next = self.packet.write_pointer.val() | self.packet.write_ends.val();
        self.reads.release_read.next = self.release_port.read.val();
        self.reads.release_write.next = self.release_port.write.val();
        self.reads.release_tag.next = self.release_port.tag.val();
        self.reads.register_read.next = self.register.read.val() & self.own.hit.val();
        self.reads.register_tag.next = self.register.index.val().get_bits::<TAG_WIDTH>(FIELD_WIDTH);
        wire!(reads => rows: read, read_tag);

        self.rows.packet_tag.next = self.packet.tag.val();
        wire!(packet => rows: write_pointer, next_position, next_done, write_ends, next_ends, next_fault);
        self.rows.write_released.next = self.reads.release_writes.val();
        self.rows.released_tag.next = self.release_port.tag.val();
        self.rows.next_released.next = self.release_port.next_released.val();
        wire!(self <=> rows: window, state);

        self.release_port.reads.next = self.reads.release_reads.val();
        self.release_port.torn.next = self.reads.release_torn.val();
        self.release_port.writes.next = self.reads.release_writes.val();
        wire!(rows.window => release_port: base, mode, slot_words, slots);
        self.release_port.written.next = bit_cast::<MESSAGES_WIDTH, PLACE_WIDTH>(self.rows.state.position.val());
        self.release_port.released.next = self.rows.state.released.val();

        self.reader.clear.next = self.register.read.val();
        self.reader.show.next = self.reads.register_reads.val();
        self.reader.field.next = self.register.index.val().get_bits::<FIELD_WIDTH>(0);
        wire!(rows.state => reader: position, ends, released);
        self.register.answer.next = self.reader.answer.val();
    }
}
