use super::{EntryRow, HeaderRow, PortalCounts, PortalRow, ShownOut, TableAccessIn, TablesIn, PLACE_WIDTH};
use crate::{bus::SweepIn, prim::Ram};
use portico_spec::{
    ni::registers::{PortalsRegister, PORTALS_FIELD_WIDTH},
    portals::engine::{
        PORTAL_ALLOCATED_OFFSET, PORTAL_ENABLED_OFFSET, PORTAL_QUEUES_OFFSET, PORTAL_QUEUE_OFFSET, PORTAL_WIDTH,
        QUEUE_WIDTH,
    },
};
use portico_verilog::prelude::*;

/// Portal indices, entries and headers: the fields that the lists do not keep.
///
/// | | |
/// | --- | --- |
/// | latency | 2 cycles from a read to the row; a register's answer 3 cycles after its read |
/// | throughput | one read and one write of each table a cycle |
/// | state | 128 portal indices, and two rows for each place of the lists, of an entry and of a header, in block RAM |
///
/// A write of software to the row of a portal index passes by its counts.
#[derive(LogicBlock, Default)]
pub struct TargetTables {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high; the sweep has to follow.
    pub rst: Signal<In, Bit>,
    /// Clears the portal indices after reset.
    pub sweep: SweepIn,
    /// Accesses of software; those to rows of portal indices take effect here.
    pub access: TableAccessIn,
    /// Row of the portal index that software has read, 0 for other registers.
    pub answer: Signal<Out, Bits<32>>,
    /// The user of commands has its turn, not that of messages.
    pub turn: Signal<In, Bit>,
    /// Accesses for messages.
    pub message: TablesIn,
    /// Accesses for commands.
    pub command: TablesIn,
    /// Rows that the tables show.
    pub shown: ShownOut,
    rows: Ram<PortalRow, PORTAL_WIDTH>,
    counts: Ram<PortalCounts, PORTAL_WIDTH>,
    entries: Ram<EntryRow, PLACE_WIDTH>,
    headers: Ram<HeaderRow, PLACE_WIDTH>,
    /// Software wants to read a row.
    wants: DFF<Bit>,
    /// The memory shows a row of software, or of a user.
    told: DFF<Bit>,
    reads: DFF<Bit>,
    row: DFF<PortalRow>,
    count: DFF<PortalCounts>,
    entry: DFF<EntryRow>,
    entry_reads: DFF<Bit>,
    header: DFF<HeaderRow>,
    header_reads: DFF<Bit>,
    value: DFF<Bits<32>>,
    is_own: Signal<Local, Bit>,
    writes: Signal<Local, Bit>,
    portal_read: Signal<Local, Bit>,
    portal: Signal<Local, Bits<PORTAL_WIDTH>>,
    entry_read: Signal<Local, Bit>,
    header_read: Signal<Local, Bit>,
    place: Signal<Local, Bits<PLACE_WIDTH>>,
    asks: Signal<Local, Bit>,
    allocated_bit: Signal<Local, Bits<1>>,
    enabled_bit: Signal<Local, Bits<1>>,
    queues_bit: Signal<Local, Bits<1>>,
}

impl TargetTables {
    /// For lists of `entries` entries.
    pub fn new(entries: usize) -> Self {
        Self {
            entries: Ram::new(entries),
            headers: Ram::new(entries),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for TargetTables {
    fn update(&mut self) {
        wire!(self => rows, counts, entries, headers: clk);
        dff_setup!(self, clk, wants, told, reads, row, count, entry, entry_reads, value);
        dff_setup!(self, clk, header, header_reads);

        // The user that has its turn.
        self.portal_read.next = self.message.portal_read.val();
        self.portal.next = self.message.portal.val();
        self.entry_read.next = self.message.entry_read.val();
        self.header_read.next = self.message.header_read.val();
        self.place.next = self.message.place.val();
        self.rows.write_enable.next = self.message.row_write.val();
        self.rows.write_data.next = self.message.row.val();
        self.counts.write_enable.next = self.message.counts_write.val();
        self.counts.write_data.next = self.message.counts.val();
        self.entries.write_enable.next = self.message.entry_write.val();
        self.entries.write_data.next = self.message.entry.val();
        self.headers.write_enable.next = self.message.header_write.val();
        self.headers.write_data.next = self.message.header.val();
        if self.turn.val() {
            self.portal_read.next = self.command.portal_read.val();
            self.portal.next = self.command.portal.val();
            self.entry_read.next = self.command.entry_read.val();
            self.header_read.next = self.command.header_read.val();
            self.place.next = self.command.place.val();
            self.rows.write_enable.next = self.command.row_write.val();
            self.rows.write_data.next = self.command.row.val();
            self.counts.write_enable.next = self.command.counts_write.val();
            self.counts.write_data.next = self.command.counts.val();
            self.entries.write_enable.next = self.command.entry_write.val();
            self.entries.write_data.next = self.command.entry.val();
            self.headers.write_enable.next = self.command.header_write.val();
            self.headers.write_data.next = self.command.header.val();
        }
        self.rows.write_address.next = self.portal.val();
        self.counts.write_address.next = self.portal.val();
        self.entries.write_address.next = self.place.val();
        self.headers.write_address.next = self.place.val();

        // Software. Its read waits for a cycle in which no user reads; its write comes before all others.
        self.is_own.next = (self.access.number.val() == bits::<PORTALS_FIELD_WIDTH>(PortalsRegister::Portal as u64))
            & !self.access.item.val().get_bit(PORTAL_WIDTH);
        self.writes.next = self.access.write.val() & self.is_own.val();
        if self.writes.val() {
            self.rows.write_enable.next = true;
            self.rows.write_address.next = self.access.item.val().get_bits::<PORTAL_WIDTH>(0);
            self.rows.write_data.next.allocated = self.access.data.val().get_bit(PORTAL_ALLOCATED_OFFSET);
            self.rows.write_data.next.enabled = self.access.data.val().get_bit(PORTAL_ENABLED_OFFSET);
            self.rows.write_data.next.queue = self.access.data.val().get_bits::<QUEUE_WIDTH>(PORTAL_QUEUE_OFFSET);
            self.rows.write_data.next.queues = self.access.data.val().get_bit(PORTAL_QUEUES_OFFSET);
        }
        if self.sweep.active.val() {
            self.rows.write_enable.next = true;
            self.rows.write_address.next = self.sweep.place.val().get_bits::<PORTAL_WIDTH>(0);
            self.rows.write_data.next.allocated = false;
            self.rows.write_data.next.enabled = false;
            self.rows.write_data.next.queue = 0.into();
            self.rows.write_data.next.queues = false;
            self.counts.write_enable.next = true;
            self.counts.write_address.next = self.sweep.place.val().get_bits::<PORTAL_WIDTH>(0);
            self.counts.write_data.next.entries = 0.into();
            self.counts.write_data.next.messages = 0.into();
        }
        self.asks.next = (self.access.read.val() & self.is_own.val()) | self.wants.q.val();
        self.wants.d.next = self.asks.val() & self.portal_read.val();
        self.told.d.next = self.asks.val() & !self.portal_read.val();

        // Reads.
        self.rows.read_enable.next = self.portal_read.val() | self.asks.val();
        self.rows.read_address.next = self.access.item.val().get_bits::<PORTAL_WIDTH>(0);
        if self.portal_read.val() {
            self.rows.read_address.next = self.portal.val();
        }
        self.counts.read_enable.next = self.portal_read.val();
        self.counts.read_address.next = self.portal.val();
        self.entries.read_enable.next = self.entry_read.val();
        self.entries.read_address.next = self.place.val();
        self.headers.read_enable.next = self.header_read.val();
        self.headers.read_address.next = self.place.val();
        self.reads.d.next = self.portal_read.val();
        self.entry_reads.d.next = self.entry_read.val();
        self.header_reads.d.next = self.header_read.val();
        if self.reads.q.val() {
            self.row.d.next = self.rows.read_data.val();
            self.count.d.next = self.counts.read_data.val();
        }
        if self.entry_reads.q.val() {
            self.entry.d.next = self.entries.read_data.val();
        }
        if self.header_reads.q.val() {
            self.header.d.next = self.headers.read_data.val();
        }
        self.shown.row.next = self.row.q.val();
        self.shown.counts.next = self.count.q.val();
        self.shown.entry.next = self.entry.q.val();
        self.shown.header.next = self.header.q.val();
        self.allocated_bit.next = self.rows.read_data.val().allocated.into();
        self.enabled_bit.next = self.rows.read_data.val().enabled.into();
        self.queues_bit.next = self.rows.read_data.val().queues.into();
        if self.access.read.val() | self.access.write.val() {
            self.value.d.next = 0.into();
        }
        if self.told.q.val() {
            self.value.d.next = field::<32, 1>(self.allocated_bit.val(), PORTAL_ALLOCATED_OFFSET)
                | field::<32, 1>(self.enabled_bit.val(), PORTAL_ENABLED_OFFSET)
                | field::<32, QUEUE_WIDTH>(self.rows.read_data.val().queue, PORTAL_QUEUE_OFFSET)
                | field::<32, 1>(self.queues_bit.val(), PORTAL_QUEUES_OFFSET);
        }
        self.answer.next = self.value.q.val();
        if self.rst.val() {
            self.wants.d.next = false;
            self.told.d.next = false;
            self.reads.d.next = false;
            self.entry_reads.d.next = false;
            self.header_reads.d.next = false;
            self.value.d.next = 0.into();
        }
    }
}
