use super::{
    data_door::{PacketKind, COUNT_WIDTH},
    ArrivalIn, Packet, PacketsOut, INDEX_WIDTH, OWNER_WIDTH, ROOM_WIDTH, WORDS_WIDTH,
};
use crate::{
    bus::SweepIn,
    prim::{Fifo, LutRam, Queue, Ram},
};
use portico_spec::portals::engine::{GET_SLOTS, RANK_WIDTH, ROOMS, ROOM_WORDS};
use portico_verilog::prelude::*;

/// Width of an address in the rooms.
const ADDRESS_WIDTH: usize = ROOM_WIDTH + INDEX_WIDTH;
/// Width of the address of the queue of words, which holds 16.
const QUEUE_WIDTH: usize = 4;

/// State of an owner at the reader.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct ReaderRow {
    /// Packets that were read, modulo four.
    pub taken: Bits<COUNT_WIDTH>,
    /// Packets that have come while a get of the owner is being served.
    pub aside: Bits<COUNT_WIDTH>,
    /// A get of the owner is being served.
    pub busy: Bit,
}

/// State of the reader.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum ReaderStep {
    /// Looks at the next owner with a packet.
    Pick,
    /// Reads the words of a packet.
    Read,
    /// Puts the owner back in the queue, for each packet that was set aside.
    Return,
}

/// Reads packets from their rooms: those of an owner in their order, and words as they come.
///
/// Two rooms of 32 words for each rank and for each slot of gets.
///
/// | | |
/// | --- | --- |
/// | latency | 4 cycles from the word in its room to the word at `packets` |
/// | throughput | one word a cycle, one idle cycle between two packets |
/// | state | rooms in block RAM; 16 words, 4 packets, the owners with packets and a row for each owner in LUT-RAM |
///
/// The queue has an owner once for each of its packets, and a look at an owner takes its oldest packet. So owners of packets that
/// were set aside may return to the queue at its end: their packets keep their order. After a get, packets of its rank wait in their rooms until
/// `ends` names the rank. So the reader never waits for the sender of replies.
#[derive(LogicBlock, Default)]
pub struct RoomReader {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high; the sweep has to follow.
    pub rst: Signal<In, Bit>,
    /// Clears the rows after reset.
    pub sweep: SweepIn,
    /// Writes a word to its room.
    pub write: Signal<In, Bit>,
    /// Where the word goes: room above place.
    pub write_address: Signal<In, Bits<ADDRESS_WIDTH>>,
    /// The word.
    pub write_data: Signal<In, Bits<32>>,
    /// High for a cycle: `arrived` has one packet more.
    pub arrives: Signal<In, Bit>,
    /// Owner of the packet.
    pub arrived: Signal<In, Bits<OWNER_WIDTH>>,
    /// The packet that is coming in.
    pub arrival: ArrivalIn,
    /// Room of the packet whose kind is asked for.
    pub asked: Signal<Out, Bits<ROOM_WIDTH>>,
    /// Kind of that packet, in the same cycle.
    pub kind: Signal<In, PacketKind>,
    /// Room of the packet that is being read. Apart from `asked`, which waits for the choice of the next owner.
    pub length_room: Signal<Out, Bits<ROOM_WIDTH>>,
    /// Words of that packet, in the same cycle.
    pub length: Signal<In, Bits<WORDS_WIDTH>>,
    /// High for a cycle: a room of an owner is free.
    pub frees: Signal<Out, Bit>,
    /// The owner; valid with `frees`.
    pub freed: Signal<Out, Bits<OWNER_WIDTH>>,
    /// Packets of this owner that were read, modulo four; valid with `frees`.
    pub freed_count: Signal<Out, Bits<COUNT_WIDTH>>,
    /// The freed room is of a rank, not of a slot; valid with `frees`.
    pub freed_rank: Signal<Out, Bit>,
    /// High for a cycle: the get of a rank is served.
    pub ends: Signal<In, Bit>,
    /// The rank; valid with `ends`.
    pub ended: Signal<In, Bits<RANK_WIDTH>>,
    /// Packets, one after the other.
    pub packets: PacketsOut,
    /// No packet waits, or is being read.
    pub idle: Signal<Out, Bit>,
    rooms: Ram<Bits<32>, ADDRESS_WIDTH>,
    owners: Queue<Bits<OWNER_WIDTH>, ROOM_WIDTH>,
    served: Queue<Bits<RANK_WIDTH>, RANK_WIDTH>,
    rows: LutRam<ReaderRow, OWNER_WIDTH>,
    waiting: Queue<Packet, 2>,
    words: Fifo<32, QUEUE_WIDTH>,
    step: DFF<ReaderStep>,
    owner: DFF<Bits<OWNER_WIDTH>>,
    room: DFF<Bits<ROOM_WIDTH>>,
    count: DFF<Bits<COUNT_WIDTH>>,
    index: DFF<Bits<WORDS_WIDTH>>,
    /// Packets that are yet to return to the queue.
    returning: DFF<Bits<COUNT_WIDTH>>,
    /// A word comes from the memory in this cycle, and is the last of its packet.
    comes: DFF<Bit>,
    closes: DFF<Bit>,
    /// Words that are asked for and not yet taken.
    reserved: DFF<Bits<{ QUEUE_WIDTH + 1 }>>,
    looked: Signal<Local, Bits<OWNER_WIDTH>>,
    has_ended: Signal<Local, Bit>,
    which: Signal<Local, Bits<1>>,
    starts: Signal<Local, Bit>,
    is_arriving: Signal<Local, Bit>,
    is_last: Signal<Local, Bit>,
    goes: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
    ranks: Constant<Bits<OWNER_WIDTH>>,
}

impl RoomReader {
    /// For `ranks` ranks.
    pub fn new(ranks: usize) -> Self {
        let owners = ranks + GET_SLOTS;
        Self {
            rooms: Ram::new(ROOMS * owners * ROOM_WORDS),
            owners: Queue::new(ROOMS * owners),
            served: Queue::new(ranks),
            rows: LutRam::new(owners),
            ranks: Constant::new(bits(ranks as u64)),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for RoomReader {
    fn update(&mut self) {
        wire!(self => owners, served, waiting, words: clk, rst);
        wire!(self => rooms, rows: clk);
        dff_setup!(self, clk, step, owner, room, count, index, returning, comes, closes, reserved);
        self.rooms.write_enable.next = self.write.val();
        wire!(self => rooms: write_address, write_data);

        // Owners with packets. The door comes first, because it does not wait.
        self.owners.write.next = self.arrives.val();
        self.owners.write_data.next = self.arrived.val();
        if !self.arrives.val() {
            self.owners.write.next = self.step.q.val() == ReaderStep::Return;
            self.owners.write_data.next = self.owner.q.val();
        }
        self.served.write.next = self.ends.val();
        self.served.write_data.next = self.ended.val();
        self.has_ended.next = !self.served.empty.val();
        self.looked.next = self.owners.read_data.val();
        if self.has_ended.val() {
            self.looked.next = bit_cast::<OWNER_WIDTH, RANK_WIDTH>(self.served.read_data.val());
        }

        // The owner in hand, and its oldest packet.
        self.rows.read_address.next = self.looked.val();
        self.rows.write_enable.next = self.sweep.active.val();
        self.rows.write_address.next = self.looked.val();
        self.rows.write_data.next = self.rows.read_data.val();
        self.which.next = self.rows.read_data.val().taken.get_bits::<1>(0);
        self.asked.next =
            field::<ROOM_WIDTH, OWNER_WIDTH>(self.looked.val(), 1) | bit_cast::<ROOM_WIDTH, 1>(self.which.val());
        self.length_room.next = self.room.q.val();
        self.served.read.next = false;
        self.owners.read.next = false;
        self.starts.next = false;
        if self.step.q.val() == ReaderStep::Pick {
            self.owner.d.next = self.looked.val();
            self.room.d.next = self.asked.val();
            self.count.d.next = self.rows.read_data.val().taken + 1;
            self.returning.d.next = self.rows.read_data.val().aside;
            self.index.d.next = 0.into();
            if self.has_ended.val() {
                self.served.read.next = true;
                self.rows.write_enable.next = true;
                self.rows.write_data.next.busy = false;
                self.rows.write_data.next.aside = 0.into();
                if self.rows.read_data.val().aside.any() {
                    self.step.d.next = ReaderStep::Return;
                }
            } else if !self.owners.empty.val() & self.rows.read_data.val().busy {
                self.owners.read.next = true;
                self.rows.write_enable.next = true;
                self.rows.write_data.next.aside = self.rows.read_data.val().aside + 1;
            } else if !self.owners.empty.val() & !self.waiting.full.val() {
                self.owners.read.next = true;
                self.starts.next = true;
                self.rows.write_enable.next = true;
                self.rows.write_data.next.taken = self.rows.read_data.val().taken + 1;
                self.rows.write_data.next.busy = self.kind.val().get;
                self.step.d.next = ReaderStep::Read;
            }
        }
        if self.sweep.active.val() {
            self.rows.write_address.next = self.sweep.place.val().get_bits::<OWNER_WIDTH>(0);
            self.rows.write_data.next.taken = 0.into();
            self.rows.write_data.next.aside = 0.into();
            self.rows.write_data.next.busy = false;
        }
        self.waiting.write.next = self.starts.val();
        self.waiting.write_data.next.owner = self.looked.val();
        self.waiting.write_data.next.first = self.kind.val().first;
        self.waiting.write_data.next.last = self.kind.val().last;
        self.waiting.write_data.next.reply = self.looked.val() >= self.ranks.val();
        if (self.step.q.val() == ReaderStep::Return) & !self.arrives.val() {
            self.returning.d.next = self.returning.q.val() - 1;
            if self.returning.q.val() == 1 {
                self.step.d.next = ReaderStep::Pick;
            }
        }

        // Its words. Of a packet that is coming in, the newest word waits until it is known whether it is the last.
        self.is_arriving.next = self.arrival.valid.val() & (self.arrival.room.val() == self.room.q.val());
        self.is_last.next = !self.is_arriving.val() & (self.index.q.val() + 1 == self.length.val());
        self.goes.next = (self.step.q.val() == ReaderStep::Read)
            & !self.reserved.q.val().get_bit(QUEUE_WIDTH)
            & (!self.is_arriving.val() | (self.index.q.val() + 1 < self.arrival.words.val()));
        self.rooms.read_enable.next = self.goes.val();
        self.rooms.read_address.next = field::<ADDRESS_WIDTH, ROOM_WIDTH>(self.room.q.val(), INDEX_WIDTH)
            | bit_cast::<ADDRESS_WIDTH, INDEX_WIDTH>(self.index.q.val().get_bits::<INDEX_WIDTH>(0));
        self.comes.d.next = self.goes.val();
        self.closes.d.next = self.is_last.val();
        self.frees.next = self.goes.val() & self.is_last.val();
        self.freed.next = self.owner.q.val();
        self.freed_count.next = self.count.q.val();
        self.freed_rank.next = self.owner.q.val() < self.ranks.val();
        if self.goes.val() {
            self.index.d.next = self.index.q.val() + 1;
            if self.is_last.val() {
                self.step.d.next = ReaderStep::Pick;
            }
        }
        self.words.s_axis.tvalid.next = self.comes.q.val();
        self.words.s_axis.tdata.next = self.rooms.read_data.val();
        self.words.s_axis.tlast.next = self.closes.q.val();
        self.taken.next = self.packets.words.tready.val() & self.words.m_axis.tvalid.val();
        if self.goes.val() & !self.taken.val() {
            self.reserved.d.next = self.reserved.q.val() + 1;
        }
        if self.taken.val() & !self.goes.val() {
            self.reserved.d.next = self.reserved.q.val() - 1;
        }
        wire!(self.packets.words <=> words.m_axis);
        self.packets.valid.next = !self.waiting.empty.val();
        self.packets.packet.next = self.waiting.read_data.val();
        self.waiting.read.next = self.packets.take.val();
        self.idle.next = self.owners.empty.val() & self.waiting.empty.val() & (self.step.q.val() == ReaderStep::Pick);
        if self.rst.val() {
            self.step.d.next = ReaderStep::Pick;
            self.comes.d.next = false;
            self.reserved.d.next = 0.into();
        }
    }
}
