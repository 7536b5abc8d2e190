use super::{ContentSeed, Xorshift};
use crate::{
    bus::{FlitsIn, HeadDecoder, SweepIn},
    prim::Ram,
};
use portico_spec::flit::{NODE_WIDTH, TAG_WIDTH};
use portico_verilog::prelude::*;

/// The part of a packet that a flit is.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Place {
    Head,
    Sequence,
    Stamp,
    Content,
}

/// Takes the packets of all sources: checks, counts and times them.
///
/// Packets of `W`-bit flits.
///
/// | | |
/// | --- | --- |
/// | latency | a packet is counted 3 cycles after its tail, its latency 2 later |
/// | throughput | one flit a cycle, from any source |
/// | state | 512 sequence numbers in block RAM; the packet in hand, and the sums |
///
/// The sink always takes a flit. A packet is wrong if its sequence number does not follow that of the previous packet from the
/// same source, if a word of its content differs from the specification, or if it has no time stamp. A wrong packet counts once,
/// also with several faults. A packet that is on its way when the counts are cleared is checked and not counted. After a packet
/// without a time stamp, the next packet may count as wrong as well.
#[derive(LogicBlock, Default)]
pub struct ProbeSink<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high; the initialisation has to follow.
    pub rst: Signal<In, Bit>,
    /// Clears the tables after reset.
    pub sweep: SweepIn,
    /// Cycles since reset, the same at all nodes.
    pub now: Signal<In, Bits<32>>,
    /// Flits of the packets of all sources.
    pub flits: FlitsIn<W>,
    /// All counts begin again.
    pub clear: Signal<In, Bit>,
    /// Packets that have come and count.
    pub received: Signal<Out, Bits<32>>,
    /// Words of payload that have come and count.
    pub words: Signal<Out, Bits<32>>,
    /// Packets that have come and were wrong.
    pub errors: Signal<Out, Bits<32>>,
    /// Least cycles from the offer of a packet's head to its tail here, all ones if none has come.
    pub least: Signal<Out, Bits<32>>,
    /// Most cycles from the offer of a packet's head to its tail here, 0 if none has come.
    pub greatest: Signal<Out, Bits<32>>,
    /// Cycles from the offers of packets' heads to their tails here, all packets together.
    pub sum: Signal<Out, Bits<64>>,
    /// Cycle since reset in which the first head came.
    pub first: Signal<Out, Bits<32>>,
    /// Cycle since reset in which the last tail came.
    pub last: Signal<Out, Bits<32>>,
    head: HeadDecoder,
    first_content: ContentSeed,
    random: Xorshift,
    due_of: Ram<Bits<32>, NODE_WIDTH>,
    // The packet.
    source: DFF<Bits<NODE_WIDTH>>,
    tag: DFF<Bits<TAG_WIDTH>>,
    due: DFF<Bits<32>>,
    looked: DFF<Bit>,
    serial: DFF<Bits<32>>,
    stamp: DFF<Bits<32>>,
    content: DFF<Bits<32>>,
    wrong: DFF<Bit>,
    // Its flit, one cycle after the door.
    place: DFF<Place>,
    next_place: DFF<Place>,
    valid: DFF<Bit>,
    is_tail: DFF<Bit>,
    word: DFF<Bits<32>>,
    /// The upper half is not the complement of the lower.
    torn: DFF<Bit>,
    came: DFF<Bits<32>>,
    // Two cycles after it.
    checks: DFF<Bit>,
    bad: DFF<Bit>,
    /// It was a tail; its packet counts.
    over: DFF<Bit>,
    ends: DFF<Bit>,
    checked: DFF<Bits<32>>,
    came_before: DFF<Bits<32>>,
    // The packet is over.
    times: DFF<Bit>,
    latency: DFF<Bits<32>>,
    carries: DFF<Bit>,
    /// The packet began after the counts did.
    counts: DFF<Bit>,
    has_first: DFF<Bit>,
    received_count: DFF<Bits<32>>,
    words_count: DFF<Bits<32>>,
    error_count: DFF<Bits<32>>,
    least_latency: DFF<Bits<32>>,
    greatest_latency: DFF<Bits<32>>,
    sum_low: DFF<Bits<32>>,
    sum_high: DFF<Bits<32>>,
    first_time: DFF<Bits<32>>,
    last_time: DFF<Bits<32>>,
    is_place: Signal<Local, Place>,
    upper: Signal<Local, Bits<32>>,
    is_wrong: Signal<Local, Bit>,
    total: Signal<Local, Bits<33>>,
}

#[kernel]
impl<const W: usize> Logic for ProbeSink<W> {
    fn update(&mut self) {
        wire!(self => due_of: clk);
        dff_setup!(self, clk, source, tag, due, looked, serial, stamp, content, wrong, place, next_place, valid);
        dff_setup!(
            self,
            clk,
            is_tail,
            word,
            torn,
            came,
            checks,
            bad,
            over,
            ends,
            checked,
            came_before
        );
        dff_setup!(
            self,
            clk,
            times,
            latency,
            carries,
            counts,
            has_first,
            received_count,
            words_count
        );
        dff_setup!(
            self,
            clk,
            error_count,
            least_latency,
            greatest_latency,
            sum_low,
            sum_high
        );
        dff_setup!(self, clk, first_time, last_time);

        // At the door: the place of the flit; of a head, the number that is due is looked up.
        self.head.word.next = bit_cast::<32, W>(self.flits.data.val());
        self.is_place.next = self.next_place.q.val();
        if self.flits.first.val() {
            self.is_place.next = Place::Head;
        }
        self.valid.d.next = self.flits.valid.val();
        self.is_tail.d.next = self.flits.last.val();
        self.place.d.next = self.is_place.val();
        self.word.d.next = bit_cast::<32, W>(self.flits.data.val());
        self.upper.next = bit_cast::<32, 64>(bit_cast::<64, W>(self.flits.data.val()) >> bits::<6>(32));
        self.torn.d.next = (W == 64) & (self.upper.val() != !bit_cast::<32, W>(self.flits.data.val()));
        self.came.d.next = self.now.val();
        self.due_of.read_enable.next = true;
        self.due_of.read_address.next = self.head.source.val();
        self.looked.d.next = self.flits.valid.val() & self.flits.first.val();
        if self.flits.valid.val() {
            match self.is_place.val() {
                Place::Head => {
                    self.next_place.d.next = Place::Sequence;
                    self.source.d.next = self.head.source.val();
                    self.tag.d.next = self.head.tag.val();
                }
                Place::Sequence => {
                    self.next_place.d.next = Place::Stamp;
                }
                Place::Stamp => {
                    self.next_place.d.next = Place::Content;
                }
                Place::Content => {}
            }
        }
        if self.looked.q.val() {
            self.due.d.next = self.due_of.read_data.val();
        }

        // One cycle after it: the words in front, and the content that is to come.
        self.first_content.tag.next = self.tag.q.val();
        self.first_content.serial.next = self.serial.q.val();
        self.first_content.stamp.next = self.word.q.val();
        self.random.state.next = self.content.q.val();
        self.checks.d.next = false;
        self.bad.d.next = false;
        self.due_of.write_enable.next = false;
        if self.valid.q.val() {
            match self.place.q.val() {
                Place::Head => {
                    self.bad.d.next = self.is_tail.q.val();
                    self.counts.d.next = true;
                }
                Place::Sequence => {
                    self.serial.d.next = self.word.q.val();
                    self.due_of.write_enable.next = true;
                    self.bad.d.next =
                        self.is_tail.q.val() | self.torn.q.val() | (self.word.q.val() != self.due.q.val());
                }
                Place::Stamp => {
                    self.stamp.d.next = self.word.q.val();
                    self.content.d.next = self.first_content.seed.val();
                    self.bad.d.next = self.torn.q.val();
                }
                Place::Content => {
                    self.content.d.next = self.random.following.val();
                    self.checks.d.next = true;
                    self.bad.d.next = self.torn.q.val();
                }
            }
        }
        self.due_of.write_address.next = self.source.q.val();
        self.due_of.write_data.next = self.word.q.val() + 1;
        if self.sweep.active.val() {
            self.due_of.write_enable.next = true;
            self.due_of.write_address.next = self.sweep.place.val();
            self.due_of.write_data.next = 0.into();
        }
        self.checked.d.next = self.word.q.val();
        self.over.d.next = self.valid.q.val() & self.is_tail.q.val();
        self.ends.d.next =
            self.valid.q.val() & self.is_tail.q.val() & (self.counts.q.val() | (self.place.q.val() == Place::Head));
        self.came_before.d.next = self.came.q.val();

        // Two cycles after it: a fault in any flit marks the packet as wrong, until its tail.
        self.is_wrong.next = self.wrong.q.val()
            | self.bad.q.val()
            | (self.checks.q.val() & (self.checked.q.val() != self.content.q.val()));
        self.wrong.d.next = self.is_wrong.val() & !self.over.q.val();

        // Counts.
        if self.valid.q.val() & self.counts.q.val() & (self.place.q.val() != Place::Head) {
            self.words_count.d.next = self.words_count.q.val() + 1;
        }
        if self.valid.q.val() & (self.place.q.val() == Place::Head) & !self.has_first.q.val() {
            self.has_first.d.next = true;
            self.first_time.d.next = self.came.q.val();
        }
        if self.ends.q.val() {
            self.received_count.d.next = self.received_count.q.val() + 1;
            self.last_time.d.next = self.came_before.q.val();
            if self.is_wrong.val() {
                self.error_count.d.next = self.error_count.q.val() + 1;
            }
        }
        self.times.d.next = self.ends.q.val();
        self.latency.d.next = self.came_before.q.val() - self.stamp.q.val();
        self.total.next = bit_cast::<33, 32>(self.sum_low.q.val()) + bit_cast::<33, 32>(self.latency.q.val());
        self.carries.d.next = false;
        if self.times.q.val() {
            if self.latency.q.val() < self.least_latency.q.val() {
                self.least_latency.d.next = self.latency.q.val();
            }
            if self.latency.q.val() > self.greatest_latency.q.val() {
                self.greatest_latency.d.next = self.latency.q.val();
            }
            self.sum_low.d.next = self.total.val().get_bits::<32>(0);
            self.carries.d.next = self.total.val().get_bit(32);
        }
        if self.carries.q.val() {
            self.sum_high.d.next = self.sum_high.q.val() + 1;
        }
        if self.clear.val() | self.rst.val() {
            self.received_count.d.next = 0.into();
            self.words_count.d.next = 0.into();
            self.error_count.d.next = 0.into();
            self.least_latency.d.next = !bits::<32>(0);
            self.greatest_latency.d.next = 0.into();
            self.sum_low.d.next = 0.into();
            self.sum_high.d.next = 0.into();
            self.carries.d.next = false;
            self.ends.d.next = false;
            self.times.d.next = false;
            self.counts.d.next = false;
            self.has_first.d.next = false;
            self.first_time.d.next = 0.into();
            self.last_time.d.next = 0.into();
        }
        self.received.next = self.received_count.q.val();
        self.words.next = self.words_count.q.val();
        self.errors.next = self.error_count.q.val();
        self.least.next = self.least_latency.q.val();
        self.greatest.next = self.greatest_latency.q.val();
        self.sum.next = bit_cast::<64, 32>(self.sum_low.q.val()) | field::<64, 32>(self.sum_high.q.val(), 32);
        self.first.next = self.first_time.q.val();
        self.last.next = self.last_time.q.val();
        if self.rst.val() {
            self.valid.d.next = false;
            self.looked.d.next = false;
            self.checks.d.next = false;
            self.bad.d.next = false;
            self.over.d.next = false;
            self.wrong.d.next = false;
        }
    }
}
