use crate::prim::{Ram, StreamIn, StreamOut};
use portico_spec::ni::GET_FLITS;
use portico_verilog::prelude::*;

/// Address bits of a word in its request.
const PLACE_WIDTH: usize = GET_FLITS.ilog2() as usize;
/// Address bits of a request.
const ENTRY_WIDTH: usize = 10;
const ADDRESS_WIDTH: usize = ENTRY_WIDTH + PLACE_WIDTH;
/// Bits that count words.
const COUNT_WIDTH: usize = ADDRESS_WIDTH + 1;

/// A flit of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Flit {
    pub data: Bits<32>,
    /// The request ends with it.
    pub last: Bit,
}

/// Queue of get requests that wait for service, in the order of arrival.
///
/// Keeps up to `entries` requests.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from a flit taken to the same flit offered, 3 with others waiting |
/// | throughput | one flit a cycle in and out, no bubble between packets |
/// | capacity | `entries` requests of 8 flits; `s_axis_tready` is always high |
/// | state | 8 words of block RAM an entry, and both ends of the queue |
///
/// A node may have so many requests at another at a time, so a queue with as many entries for each node never overflows.
/// What comes without 8 words free is from a node that does not keep to its credits, and is dropped whole. A packet too
/// long for a request is cut off at 8 flits, which is as wrong to whoever serves it.
///
/// Flits are offered as they come, before the tail is there, and past the memory while that is empty: a short get would
/// wait as long as it takes on its way.
#[derive(LogicBlock, Default)]
pub struct GetQueue {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: the queue is empty afterwards.
    pub rst: Signal<In, Bit>,
    /// Get requests of other nodes, as they arrive; always ready.
    pub s_axis: StreamIn<32>,
    /// Get requests in the order of arrival, of 8 flits at most.
    pub m_axis: StreamOut<32>,
    /// High for one cycle, the one after the head of a packet that finds no room.
    pub overflow: Signal<Out, Bit>,
    words: Ram<Flit, ADDRESS_WIDTH>,
    in_packet: DFF<Bit>,
    refused: DFF<Bit>,
    place: DFF<Bits<PLACE_WIDTH>>,
    full_length: DFF<Bit>,
    write_at: DFF<Bits<ADDRESS_WIDTH>>,
    read_at: DFF<Bits<ADDRESS_WIDTH>>,
    stored: DFF<Bits<COUNT_WIDTH>>,
    /// The output of the memory is a word that waits.
    fetched: DFF<Bit>,
    offered: DFF<Bit>,
    shown: DFF<Flit>,
    overflowed: DFF<Bit>,
    crowded: Signal<Local, Bit>,
    refusing: Signal<Local, Bit>,
    write: Signal<Local, Bit>,
    word: Signal<Local, Flit>,
    moves: Signal<Local, Bit>,
    passes: Signal<Local, Bit>,
    stores: Signal<Local, Bit>,
    fetch: Signal<Local, Bit>,
    most: Constant<Bits<COUNT_WIDTH>>,
    last_word: Constant<Bits<ADDRESS_WIDTH>>,
}

impl GetQueue {
    /// A queue of `entries` requests, 1 to 2^10; panics outside that.
    pub fn new(entries: usize) -> Self {
        let most = 1usize << ENTRY_WIDTH;
        assert!(
            (1..=most).contains(&entries),
            "get queue: entries = {entries}, allowed: 1 to {most}"
        );
        let words = entries << PLACE_WIDTH;
        Self {
            words: Ram::new(words),
            most: Constant::new(bits((words - (1 << PLACE_WIDTH)) as u64)),
            last_word: Constant::new(bits(words as u64 - 1)),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for GetQueue {
    fn update(&mut self) {
        wire!(self => words: clk);
        dff_setup!(self, clk, in_packet, refused, place, full_length, write_at);
        dff_setup!(self, clk, read_at, stored, fetched, offered, shown, overflowed);

        self.s_axis.tready.next = true;
        self.crowded.next = self.stored.q.val() > self.most.val();
        self.refusing.next = self.crowded.val();
        if self.in_packet.q.val() {
            self.refusing.next = self.refused.q.val() | self.full_length.q.val();
        }
        self.write.next = self.s_axis.tvalid.val() & !self.refusing.val();
        self.word.next.data = self.s_axis.tdata.val();
        self.word.next.last = self.s_axis.tlast.val() | self.place.q.val().all();
        self.moves.next = self.m_axis.tready.val() | !self.offered.q.val();
        self.passes.next = self.write.val() & self.moves.val() & !self.stored.q.val().any() & !self.fetched.q.val();
        self.stores.next = self.write.val() & !self.passes.val();
        self.words.write_enable.next = self.stores.val();
        if self.stores.val() {
            self.write_at.d.next = self.write_at.q.val() + 1;
            if self.write_at.q.val() == self.last_word.val() {
                self.write_at.d.next = 0.into();
            }
        }
        self.words.write_address.next = self.write_at.q.val();
        self.words.write_data.next = self.word.val();
        if self.s_axis.tvalid.val() {
            self.in_packet.d.next = !self.s_axis.tlast.val();
            self.place.d.next = self.place.q.val() + 1;
            self.full_length.d.next = self.full_length.q.val() | self.place.q.val().all();
            if !self.in_packet.q.val() {
                self.refused.d.next = self.crowded.val();
            }
            if self.s_axis.tlast.val() {
                self.place.d.next = 0.into();
                self.full_length.d.next = false;
            }
        }
        self.overflowed.d.next = self.s_axis.tvalid.val() & !self.in_packet.q.val() & self.crowded.val();
        self.overflow.next = self.overflowed.q.val();

        self.fetch.next = self.stored.q.val().any() & (self.moves.val() | !self.fetched.q.val());
        self.fetched.d.next = self.fetch.val() | (self.fetched.q.val() & !self.moves.val());
        self.words.read_enable.next = self.fetch.val();
        self.words.read_address.next = self.read_at.q.val();
        if self.moves.val() {
            self.offered.d.next = self.fetched.q.val() | self.passes.val();
            self.shown.d.next = self.word.val();
            if self.fetched.q.val() {
                self.shown.d.next = self.words.read_data.val();
            }
        }
        if self.fetch.val() {
            self.read_at.d.next = self.read_at.q.val() + 1;
            if self.read_at.q.val() == self.last_word.val() {
                self.read_at.d.next = 0.into();
            }
        }
        if self.stores.val() & !self.fetch.val() {
            self.stored.d.next = self.stored.q.val() + 1;
        }
        if !self.stores.val() & self.fetch.val() {
            self.stored.d.next = self.stored.q.val() - 1;
        }
        self.m_axis.tvalid.next = self.offered.q.val();
        self.m_axis.tdata.next = self.shown.q.val().data;
        self.m_axis.tlast.next = self.shown.q.val().last;
        if self.rst.val() {
            self.in_packet.d.next = false;
            self.place.d.next = 0.into();
            self.full_length.d.next = false;
            self.write_at.d.next = 0.into();
            self.read_at.d.next = 0.into();
            self.stored.d.next = 0.into();
            self.fetched.d.next = false;
            self.offered.d.next = false;
            self.overflowed.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle};
    use rand::Rng;
    use std::collections::VecDeque;

    clocked!([] GetQueue);

    const LONGEST: usize = 8;

    /// Requests of all lengths and packets that are too long, at any speed, against a queue of words.
    fn queues_requests(entries: usize) {
        let mut rng = rng(0x6e7 + entries as u64);
        let mut dut = reset(GetQueue::new(entries));
        let mut model: VecDeque<(u64, bool)> = VecDeque::new();
        let (mut length, mut sent, mut refused) = (0, 0, false);
        let (mut overflows, mut cut, mut passed) = (0, 0, 0);
        for cycle in 0..12_000 {
            let eager = (cycle / (40 * entries + 100)).is_multiple_of(2);
            if length == 0 && rng.gen_bool(if eager { 0.9 } else { 0.1 }) {
                length = rng.gen_range(1..=12);
                sent = 0;
            }
            let offers = length > 0 && rng.gen_bool(0.9);
            let word = u64::from(rng.gen::<u32>());
            let tail = offers && sent + 1 == length;
            let tready = rng.gen_bool(if eager { 0.1 } else { 0.95 });
            dut.s_axis.tvalid.next = offers;
            dut.s_axis.tdata.next = word.into();
            dut.s_axis.tlast.next = tail;
            dut.m_axis.tready.next = tready;
            settle(&mut dut);
            assert!(dut.s_axis.tready.val());
            let shown = dut.m_axis.tvalid.val();
            if shown {
                let seen = (dut.m_axis.tdata.val().to_u64(), dut.m_axis.tlast.val());
                assert_eq!(Some(&seen), model.front(), "cycle {cycle}");
            }
            if offers && sent == 0 {
                // The word on offer has left the memory, and the next may have.
                let left = usize::from(shown) + usize::from(dut.fetched.q.val());
                refused = model.len() - left > LONGEST * (entries - 1);
            }
            let head = offers && sent == 0;
            if shown && tready {
                model.pop_front();
                passed += 1;
            }
            if offers {
                if !refused && sent < LONGEST {
                    model.push_back((word, tail || sent + 1 == LONGEST));
                }
                cut += u32::from(sent == LONGEST);
                sent += 1;
            }
            clock(&mut dut);
            assert_eq!(dut.overflow.val(), head && refused, "cycle {cycle}");
            overflows += u32::from(head && refused);
            if tail {
                length = 0;
            }
        }
        assert!(
            overflows > 20 && cut > 20 && passed > 1_000,
            "{overflows}, {cut}, {passed}"
        );
    }

    #[test]
    fn requests_pass_in_order_and_what_does_not_fit_is_dropped_whole() {
        [1, 2, 3, 8, 34].into_iter().for_each(queues_requests);
    }

    #[test]
    fn a_flit_is_offered_in_the_cycle_after_it_came() {
        let mut dut = reset(GetQueue::new(4));
        dut.m_axis.tready.next = true;
        for cycle in 0..8u64 {
            dut.s_axis.tvalid.next = cycle < 7;
            dut.s_axis.tdata.next = cycle.into();
            dut.s_axis.tlast.next = cycle == 6;
            settle(&mut dut);
            assert_eq!(dut.m_axis.tvalid.val(), cycle >= 1, "cycle {cycle}");
            if cycle >= 1 {
                assert_eq!(dut.m_axis.tdata.val().to_u64(), cycle - 1);
                assert_eq!(dut.m_axis.tlast.val(), cycle == 7);
            }
            clock(&mut dut);
        }
        assert!(!dut.m_axis.tvalid.val());
    }

    #[test]
    fn reset_empties_the_queue_and_ends_a_packet() {
        let mut dut = reset(GetQueue::new(4));
        dut.s_axis.tvalid.next = true;
        dut.s_axis.tlast.next = false;
        (0..13).for_each(|_| clock(&mut dut));
        let mut dut = reset(dut);
        dut.s_axis.tvalid.next = false;
        for _ in 0..5 {
            assert!(!dut.m_axis.tvalid.val());
            clock(&mut dut);
        }
        dut.s_axis.tvalid.next = true;
        dut.s_axis.tlast.next = true;
        (0..25).for_each(|_| clock(&mut dut));
        assert!(!dut.overflow.val());
        assert!(dut.m_axis.tvalid.val() && dut.m_axis.tlast.val());
    }

    #[test]
    #[should_panic(expected = "get queue: entries = 1025, allowed: 1 to 1024")]
    fn more_entries_than_addresses_are_refused() {
        GetQueue::new(1025);
    }
}
