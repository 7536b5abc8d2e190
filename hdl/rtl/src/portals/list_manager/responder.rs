use super::ports::{AnswerIn, CountsIn, LIST_BITS, WORD};
use crate::prim::StreamOut;
use portico_spec::portals::list::CODE_WIDTH;
use portico_spec::portals::list::ENTRY_BEATS;
use portico_spec::portals::list::GENERATION_OFFSET;
use portico_spec::portals::list::GENERATION_WIDTH;
use portico_spec::portals::list::HANDLE_OFFSET;
use portico_spec::portals::list::LIST_OFFSET;
use portico_spec::portals::list::LIST_WIDTH;
use portico_spec::portals::list::MORE_OFFSET;
use portico_spec::portals::list::OCCUPANCY_WIDTH;
use portico_spec::portals::list::UNEXPECTED_HDR_DISABLE;
use portico_verilog::prelude::*;

/// Width of the number of a beat, in bits.
const PLACE_WIDTH: usize = 3;

/// Sends results.
///
/// Results of entries that `A` bits number.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from `answer.result.start` to the first beat |
/// | throughput | one beat a cycle |
/// | timing | `m_axis_tvalid` comes from a flip-flop, `m_axis_tdata` from the table's memory through a choice of five |
/// | state | the first beat's fields, and the number of the beat |
///
/// The fields of an entry pass from the table straight to the stream. Until `answer.idle`, no other entry may be read from the table.
/// While the counters are sent, they must not change.
#[derive(LogicBlock, Default)]
pub struct Responder<const A: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: the rest of a result is dropped.
    pub rst: Signal<In, Bit>,
    /// The result to send, and the entry that it tells of.
    pub answer: AnswerIn<A>,
    /// Counters, for results of them.
    pub counts: CountsIn,
    /// Results, a packet each.
    pub m_axis: StreamOut<WORD>,
    active: DFF<Bit>,
    place: DFF<Bits<PLACE_WIDTH>>,
    status: DFF<Bits<CODE_WIDTH>>,
    told_list: DFF<Bits<LIST_WIDTH>>,
    entry: DFF<Bit>,
    counters: DFF<Bit>,
    with_handle: DFF<Bit>,
    fresh: DFF<Bit>,
    more: DFF<Bit>,
    leaves_header: DFF<Bit>,
    last: Signal<Local, Bit>,
    shown_list: Signal<Local, Bits<LIST_WIDTH>>,
    shown_more: Signal<Local, Bits<1>>,
    shown_generation: Signal<Local, Bits<GENERATION_WIDTH>>,
    handle: Signal<Local, Bits<WORD>>,
    head: Signal<Local, Bits<WORD>>,
    numbers: Signal<Local, Bits<WORD>>,
}

#[kernel]
impl<const A: usize> Logic for Responder<A> {
    fn update(&mut self) {
        dff_setup!(self, clk, active, place, status, told_list, entry, counters);
        dff_setup!(self, clk, with_handle, fresh, more);
        dff_setup!(self, clk, leaves_header);
        self.shown_list.next = self.told_list.q.val();
        if self.entry.q.val() {
            self.shown_list.next = bit_cast::<LIST_WIDTH, LIST_BITS>(self.answer.list.val());
        }
        self.shown_more.next = (self.more.q.val()
            | (self.leaves_header.q.val() & !self.answer.options.val().get_bit(UNEXPECTED_HDR_DISABLE)))
        .into();
        self.shown_generation.next = self.answer.generation.val();
        if self.fresh.q.val() {
            self.shown_generation.next = 0.into();
        }
        self.handle.next = 0.into();
        if self.with_handle.q.val() {
            self.handle.next = bit_cast::<WORD, A>(self.answer.index.val())
                | field::<WORD, GENERATION_WIDTH>(self.shown_generation.val(), GENERATION_OFFSET);
        }
        self.head.next = bit_cast::<WORD, CODE_WIDTH>(self.status.q.val())
            | field::<WORD, LIST_WIDTH>(self.shown_list.val(), LIST_OFFSET)
            | field::<WORD, 1>(self.shown_more.val(), MORE_OFFSET)
            | (self.handle.val() << bits::<6>(HANDLE_OFFSET));
        self.numbers.next = bit_cast::<WORD, OCCUPANCY_WIDTH>(self.counts.priority.val())
            | field::<WORD, OCCUPANCY_WIDTH>(self.counts.overflow.val(), OCCUPANCY_WIDTH)
            | field::<WORD, OCCUPANCY_WIDTH>(self.counts.unexpected.val(), 2 * OCCUPANCY_WIDTH)
            | field::<WORD, OCCUPANCY_WIDTH>(self.counts.free.val(), 3 * OCCUPANCY_WIDTH);

        self.m_axis.tdata.next = self.head.val();
        if self.place.q.val() == bits::<PLACE_WIDTH>(1) {
            self.m_axis.tdata.next = self.answer.record.match_bits.val();
            if self.counters.q.val() {
                self.m_axis.tdata.next = self.numbers.val();
            }
        }
        if self.place.q.val() == bits::<PLACE_WIDTH>(2) {
            self.m_axis.tdata.next = self.answer.record.extent.val();
            if self.counters.q.val() {
                self.m_axis.tdata.next = self.counts.searches.val();
            }
        }
        if self.place.q.val() == bits::<PLACE_WIDTH>(3) {
            self.m_axis.tdata.next = self.answer.record.ignore_bits.val();
            if self.counters.q.val() {
                self.m_axis.tdata.next = self.counts.compared.val();
            }
        }
        if self.place.q.val() == bits::<PLACE_WIDTH>(4) {
            self.m_axis.tdata.next = self.answer.record.detail.val();
            if self.counters.q.val() {
                self.m_axis.tdata.next = self.counts.longest.val();
            }
        }
        self.last.next = !(self.entry.q.val() | self.counters.q.val())
            | (self.place.q.val() == bits::<PLACE_WIDTH>(ENTRY_BEATS as u64 - 1));
        self.m_axis.tvalid.next = self.active.q.val();
        self.m_axis.tlast.next = self.last.val();
        self.answer.idle.next = !self.active.q.val();
        if self.active.q.val() & self.m_axis.tready.val() {
            self.place.d.next = self.place.q.val() + 1;
            self.active.d.next = !self.last.val();
        }
        if self.answer.result.start.val() {
            self.active.d.next = true;
            self.place.d.next = 0.into();
            self.status.d.next = self.answer.result.status.val();
            self.told_list.d.next = self.answer.result.list.val();
            self.entry.d.next = self.answer.result.entry.val();
            self.counters.d.next = self.answer.result.counters.val();
            self.with_handle.d.next = self.answer.result.handle.val();
            self.fresh.d.next = self.answer.result.fresh.val();
            self.more.d.next = self.answer.result.more.val();
            self.leaves_header.d.next = self.answer.result.leaves_header.val();
        }
        if self.rst.val() {
            self.active.d.next = false;
        }
    }
}
