use super::Report;
use crate::prim::{StreamIn, StreamOut};
use portico_spec::portals::engine::{
    GET_HEADER_WORDS, LENGTH_WIDTH, MD_COUNTER_OFFSET, MD_COUNTS_OFFSET, MD_OPTIONS_WIDTH, MD_QUEUES_OFFSET,
    MD_QUEUE_OFFSET, NUMBER_WIDTH, PORTAL_OFFSET, PORTAL_WIDTH, PUT_HEADER_WORDS, QUEUE_WIDTH, SLOT_OFFSET, SLOT_WIDTH,
    USER_OFFSET, USER_WIDTH,
};
use portico_verilog::prelude::*;

/// Bits of word 1 of a descriptor that go into REQUEST as they are.
pub const REQUEST_WIDTH: usize = PORTAL_OFFSET + PORTAL_WIDTH;
/// Width of the place of a header word.
const PLACE_WIDTH: usize = 3;

/// Turns the words of a move behind its length into the header words of its request.
///
/// Combinational from words to words. In place of the options of the memory descriptor comes the word REQUEST, in place of the
/// user's pointer EXTENT. The words that a get does not have are read away.
///
/// | | |
/// | --- | --- |
/// | latency | `report` and `pointer` show 1 cycle after `known` |
/// | throughput | one word a cycle |
/// | state | the place of the next word, `report` and `pointer` |
#[derive(LogicBlock, Default)]
pub struct RequestHeader {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// The first packet of a move is taken; stays until `over`.
    pub goes: Signal<In, Bit>,
    /// The move is a put.
    pub put: Signal<In, Bit>,
    /// Operation, acknowledgement and portal index, as in its descriptor.
    pub request: Signal<In, Bits<REQUEST_WIDTH>>,
    /// Its slot.
    pub slot: Signal<In, Bits<SLOT_WIDTH>>,
    /// Its length, in bytes.
    pub length: Signal<In, Bits<LENGTH_WIDTH>>,
    /// The tile's user.
    pub user: Signal<In, Bits<USER_WIDTH>>,
    /// Words of the move behind its length; 7, whatever the operation.
    pub s_axis: StreamIn<32>,
    /// Header words; `tlast` with the last one.
    pub m_axis: StreamOut<32>,
    /// Options, counter and event queue of the memory descriptor.
    pub report: Signal<Out, Report>,
    /// The user's pointer.
    pub pointer: Signal<Out, Bits<32>>,
    /// High for a cycle: the words of `report` and `pointer` have come.
    pub known: Signal<Out, Bit>,
    /// High for a cycle: the last word of the move is taken.
    pub over: Signal<Out, Bit>,
    place: DFF<Bits<PLACE_WIDTH>>,
    shown_report: DFF<Report>,
    shown_pointer: DFF<Bits<32>>,
    skips: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
}

#[kernel]
impl Logic for RequestHeader {
    fn update(&mut self) {
        dff_setup!(self, clk, place, shown_report, shown_pointer);
        self.skips.next = !self.put.val() & (self.place.q.val() >= bits::<PLACE_WIDTH>(GET_HEADER_WORDS as u64));
        self.s_axis.tready.next = self.goes.val() & (self.skips.val() | self.m_axis.tready.val());
        self.takes.next = self.s_axis.tvalid.val() & self.s_axis.tready.val();
        self.m_axis.tvalid.next = self.goes.val() & self.s_axis.tvalid.val() & !self.skips.val();
        self.m_axis.tlast.next = (self.put.val()
            & (self.place.q.val() == bits::<PLACE_WIDTH>(PUT_HEADER_WORDS as u64 - 1)))
            | (!self.put.val() & (self.place.q.val() == bits::<PLACE_WIDTH>(GET_HEADER_WORDS as u64 - 1)));
        self.m_axis.tdata.next = self.s_axis.tdata.val();
        self.known.next = false;
        if self.place.q.val() == 0 {
            self.m_axis.tdata.next = bit_cast::<32, REQUEST_WIDTH>(self.request.val())
                | field::<32, SLOT_WIDTH>(self.slot.val(), SLOT_OFFSET);
            if self.takes.val() {
                self.shown_report.d.next.options = self.s_axis.tdata.val().get_bits::<MD_OPTIONS_WIDTH>(0);
                self.shown_report.d.next.counter = self.s_axis.tdata.val().get_bits::<NUMBER_WIDTH>(MD_COUNTER_OFFSET);
                self.shown_report.d.next.counts = self.s_axis.tdata.val().get_bit(MD_COUNTS_OFFSET);
                self.shown_report.d.next.queue = self.s_axis.tdata.val().get_bits::<QUEUE_WIDTH>(MD_QUEUE_OFFSET);
                self.shown_report.d.next.queues = self.s_axis.tdata.val().get_bit(MD_QUEUES_OFFSET);
            }
        } else if self.place.q.val() == 1 {
            self.m_axis.tdata.next =
                bit_cast::<32, LENGTH_WIDTH>(self.length.val()) | field::<32, USER_WIDTH>(self.user.val(), USER_OFFSET);
            if self.takes.val() {
                self.shown_pointer.d.next = self.s_axis.tdata.val();
                self.known.next = true;
            }
        }
        self.report.next = self.shown_report.q.val();
        self.pointer.next = self.shown_pointer.q.val();
        self.over.next = self.takes.val() & (self.place.q.val() == bits::<PLACE_WIDTH>(PUT_HEADER_WORDS as u64 - 1));
        if self.takes.val() {
            self.place.d.next = self.place.q.val() + 1;
        }
        if self.over.val() | self.rst.val() {
            self.place.d.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle};
    use portico_spec::portals::engine::{Ack, Operation, Request};
    use rand::Rng;

    clocked!([] RequestHeader);

    #[test]
    fn a_request_has_the_header_of_its_move() {
        let mut rng = rng(0x4ead);
        let mut dut = reset(RequestHeader::default());
        for round in 0..400 {
            let put = rng.gen::<bool>();
            let request = Request {
                operation: if put { Operation::Put } else { Operation::Get },
                ack: [Ack::None, Ack::Full][rng.gen_range(0..2)],
                portal: rng.gen_range(0..1 << PORTAL_WIDTH),
                slot: rng.gen_range(0..1 << SLOT_WIDTH),
            };
            let (length, user) = (
                rng.gen_range(0..1u64 << LENGTH_WIDTH),
                rng.gen_range(0..1u64 << USER_WIDTH),
            );
            let (options, counter) = (
                rng.gen_range(0..1u64 << MD_OPTIONS_WIDTH),
                rng.gen_range(0..1u64 << NUMBER_WIDTH),
            );
            let (queue, counts, queues) = (
                rng.gen_range(0..1u64 << QUEUE_WIDTH),
                rng.gen::<bool>(),
                rng.gen::<bool>(),
            );
            let mut words: [u64; PUT_HEADER_WORDS] = std::array::from_fn(|_| rng.gen::<u32>().into());
            words[0] = options
                | counter << MD_COUNTER_OFFSET
                | u64::from(counts) << MD_COUNTS_OFFSET
                | queue << MD_QUEUE_OFFSET
                | u64::from(queues) << MD_QUEUES_OFFSET;
            dut.put.next = put;
            dut.request.next = (u64::from(request.encode()) & ((1 << REQUEST_WIDTH) - 1)).into();
            dut.slot.next = u64::from(request.slot).into();
            dut.length.next = length.into();
            dut.user.next = user.into();
            dut.goes.next = true;
            let (mut taken, mut given) = (0, Vec::new());
            while taken < words.len() {
                let (offers, tready) = (rng.gen(), rng.gen());
                dut.s_axis.tvalid.next = offers;
                dut.s_axis.tdata.next = words[taken].into();
                dut.m_axis.tready.next = tready;
                settle(&mut dut);
                if tready && dut.m_axis.tvalid.val() {
                    given.push((dut.m_axis.tdata.val().to_u64(), dut.m_axis.tlast.val()));
                }
                let takes = offers && dut.s_axis.tready.val();
                assert_eq!(dut.known.val(), takes && taken == 1, "round {round}, word {taken}");
                assert_eq!(
                    dut.over.val(),
                    takes && taken + 1 == words.len(),
                    "round {round}, word {taken}"
                );
                clock(&mut dut);
                taken += usize::from(takes);
            }
            dut.goes.next = false;
            settle(&mut dut);
            assert!(!dut.s_axis.tready.val() && !dut.m_axis.tvalid.val(), "round {round}");

            let report = Report {
                options: options.into(),
                counter: counter.into(),
                counts,
                queue: queue.into(),
                queues,
            };
            assert_eq!((dut.report.val(), dut.pointer.val().to_u64()), (report, words[1]));
            let count = if put { PUT_HEADER_WORDS } else { GET_HEADER_WORDS };
            words[0] = request.encode().into();
            words[1] = length | user << USER_OFFSET;
            let header = (0..count).map(|place| (words[place], place + 1 == count));
            assert_eq!(given, header.collect::<Vec<_>>(), "round {round}");
        }
    }
}
