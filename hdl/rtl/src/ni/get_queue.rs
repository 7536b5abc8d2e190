//! Queue of get requests that wait for service, in the order of arrival.
//!
//! | | |
//! | --- | --- |
//! | latency | 2 cycles from the tail taken to the head offered |
//! | throughput | one flit a cycle in and out, no bubble between packets |
//! | capacity | `entries` requests; `s_axis_tready` is always high |
//! | state | 8 words of block RAM and a bit of LUT-RAM an entry, 40 flip-flops |
//!
//! A node may have so many requests at another at a time, so a queue with as many entries for each node never overflows.
//! It is a ring: what comes when all entries are taken is from a node that does not keep to its credits, and is dropped.
//! So is a packet that has not the length of a request.

use crate::prim::{LutRam, Ram, StreamIn, StreamOut};
use rust_hdl::prelude::*;

/// Address bits of a word in its entry.
const PLACE_WIDTH: usize = 3;
/// Address bits of an entry.
const ENTRY_WIDTH: usize = 10;
const ADDRESS_WIDTH: usize = ENTRY_WIDTH + PLACE_WIDTH;
/// Bits that count entries.
const COUNT_WIDTH: usize = ENTRY_WIDTH + 1;
/// Flits of a request without planes: head, ADDRESS, local address, r3, r4.
pub const SHORT_REQUEST_FLITS: usize = 5;
/// Flits of a request with planes: r5 and r6 besides.
pub const LONG_REQUEST_FLITS: usize = 7;

// The place after the last of a long request stands for all that are too long.
const _: () = assert!(LONG_REQUEST_FLITS < 1 << PLACE_WIDTH);

/// Keeps up to `entries` requests.
#[derive(LogicBlock)]
pub struct GetQueue {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: the queue is empty afterwards.
    pub rst: Signal<In, Bit>,
    pub s_axis: StreamIn<32>,
    pub m_axis: StreamOut<32>,
    /// High for one cycle, the one after the head of a packet that finds no entry free.
    pub overflow: Signal<Out, Bit>,
    /// High for one cycle, the one after the tail of a packet that was no request.
    pub malformed: Signal<Out, Bit>,
    words: Ram<32, ADDRESS_WIDTH, 4>,
    lengths: LutRam<1, ENTRY_WIDTH>,
    in_packet: DFF<Bit>,
    refused: DFF<Bit>,
    write_entry: DFF<Bits<ENTRY_WIDTH>>,
    write_place: DFF<Bits<PLACE_WIDTH>>,
    stored: DFF<Bits<COUNT_WIDTH>>,
    read_entry: DFF<Bits<ENTRY_WIDTH>>,
    read_place: DFF<Bits<PLACE_WIDTH>>,
    offered: DFF<Bit>,
    offered_last: DFF<Bit>,
    overflowed: DFF<Bit>,
    wrong: DFF<Bit>,
    full: Signal<Local, Bit>,
    refusing: Signal<Local, Bit>,
    tail: Signal<Local, Bit>,
    is_short: Signal<Local, Bit>,
    is_long: Signal<Local, Bit>,
    commit: Signal<Local, Bit>,
    advance: Signal<Local, Bit>,
    fetch: Signal<Local, Bit>,
    fetch_last: Signal<Local, Bit>,
    entries: Constant<Bits<COUNT_WIDTH>>,
    last_entry: Constant<Bits<ENTRY_WIDTH>>,
    short_last: Constant<Bits<PLACE_WIDTH>>,
    long_last: Constant<Bits<PLACE_WIDTH>>,
    entry_at: Constant<Bits<4>>,
    all_lanes: Constant<Bits<4>>,
}

impl GetQueue {
    /// A queue of `entries` requests, 1 to 2^10; panics outside that.
    pub fn new(entries: usize) -> Self {
        let most = 1usize << ENTRY_WIDTH;
        assert!(
            (1..=most).contains(&entries),
            "get queue: entries = {entries}, allowed: 1 to {most}"
        );
        Self {
            clk: Default::default(),
            rst: Default::default(),
            s_axis: Default::default(),
            m_axis: Default::default(),
            overflow: Default::default(),
            malformed: Default::default(),
            words: Ram::new(entries << PLACE_WIDTH),
            lengths: LutRam::new(entries),
            in_packet: Default::default(),
            refused: Default::default(),
            write_entry: Default::default(),
            write_place: Default::default(),
            stored: Default::default(),
            read_entry: Default::default(),
            read_place: Default::default(),
            offered: Default::default(),
            offered_last: Default::default(),
            overflowed: Default::default(),
            wrong: Default::default(),
            full: Default::default(),
            refusing: Default::default(),
            tail: Default::default(),
            is_short: Default::default(),
            is_long: Default::default(),
            commit: Default::default(),
            advance: Default::default(),
            fetch: Default::default(),
            fetch_last: Default::default(),
            entries: Constant::new(bits(entries as u64)),
            last_entry: Constant::new(bits(entries as u64 - 1)),
            short_last: Constant::new(bits(SHORT_REQUEST_FLITS as u64 - 1)),
            long_last: Constant::new(bits(LONG_REQUEST_FLITS as u64 - 1)),
            entry_at: Constant::new(bits(PLACE_WIDTH as u64)),
            all_lanes: Constant::new(Bits::mask()),
        }
    }
}

impl Logic for GetQueue {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, in_packet, refused, write_entry, write_place, stored);
        dff_setup!(
            self,
            clk,
            read_entry,
            read_place,
            offered,
            offered_last,
            overflowed,
            wrong
        );
        self.words.clk.next = self.clk.val();
        self.lengths.clk.next = self.clk.val();

        self.s_axis.tready.next = true;
        self.full.next = self.stored.q.val() == self.entries.val();
        self.refusing.next = self.full.val();
        if self.in_packet.q.val() {
            self.refusing.next = self.refused.q.val();
        }
        self.words.write_lanes.next = 0.into();
        if self.s_axis.tvalid.val() & !self.refusing.val() {
            self.words.write_lanes.next = self.all_lanes.val();
        }
        self.words.write_address.next = (bit_cast::<ADDRESS_WIDTH, ENTRY_WIDTH>(self.write_entry.q.val())
            << self.entry_at.val())
            | bit_cast::<ADDRESS_WIDTH, PLACE_WIDTH>(self.write_place.q.val());
        self.words.write_data.next = self.s_axis.tdata.val();
        if self.s_axis.tvalid.val() {
            self.in_packet.d.next = !self.s_axis.tlast.val();
            self.refused.d.next = self.refusing.val();
            if !self.write_place.q.val().all() {
                self.write_place.d.next = self.write_place.q.val() + 1;
            }
            if self.s_axis.tlast.val() {
                self.write_place.d.next = 0.into();
            }
        }
        self.tail.next = self.s_axis.tvalid.val() & self.s_axis.tlast.val();
        self.is_short.next = self.write_place.q.val() == self.short_last.val();
        self.is_long.next = self.write_place.q.val() == self.long_last.val();
        self.commit.next = self.tail.val() & !self.refusing.val() & (self.is_short.val() | self.is_long.val());
        self.lengths.write_enable.next = self.commit.val();
        self.lengths.write_address.next = self.write_entry.q.val();
        self.lengths.write_data.next = self.is_long.val().into();
        if self.commit.val() {
            self.write_entry.d.next = self.write_entry.q.val() + 1;
            if self.write_entry.q.val() == self.last_entry.val() {
                self.write_entry.d.next = 0.into();
            }
        }
        self.overflowed.d.next = self.s_axis.tvalid.val() & !self.in_packet.q.val() & self.full.val();
        self.overflow.next = self.overflowed.q.val();
        self.wrong.d.next = self.tail.val() & !self.refusing.val() & !self.commit.val();
        self.malformed.next = self.wrong.q.val();

        // The word offered is the RAM's own output register.
        self.advance.next = self.m_axis.tready.val() | !self.offered.q.val();
        self.fetch.next = self.advance.val() & self.stored.q.val().any();
        self.words.read_enable.next = self.fetch.val();
        self.words.read_address.next = (bit_cast::<ADDRESS_WIDTH, ENTRY_WIDTH>(self.read_entry.q.val())
            << self.entry_at.val())
            | bit_cast::<ADDRESS_WIDTH, PLACE_WIDTH>(self.read_place.q.val());
        self.lengths.read_address.next = self.read_entry.q.val();
        self.fetch_last.next = self.read_place.q.val() == self.short_last.val();
        if self.lengths.read_data.val().any() {
            self.fetch_last.next = self.read_place.q.val() == self.long_last.val();
        }
        if self.advance.val() {
            self.offered.d.next = self.fetch.val();
            self.offered_last.d.next = self.fetch_last.val();
        }
        if self.fetch.val() {
            self.read_place.d.next = self.read_place.q.val() + 1;
            if self.fetch_last.val() {
                self.read_place.d.next = 0.into();
                self.read_entry.d.next = self.read_entry.q.val() + 1;
                if self.read_entry.q.val() == self.last_entry.val() {
                    self.read_entry.d.next = 0.into();
                }
            }
        }
        if self.commit.val() & !(self.fetch.val() & self.fetch_last.val()) {
            self.stored.d.next = self.stored.q.val() + 1;
        }
        if !self.commit.val() & self.fetch.val() & self.fetch_last.val() {
            self.stored.d.next = self.stored.q.val() - 1;
        }
        self.m_axis.tvalid.next = self.offered.q.val();
        self.m_axis.tdata.next = self.words.read_data.val();
        self.m_axis.tlast.next = self.offered_last.q.val();
        if self.rst.val() {
            self.in_packet.d.next = false;
            self.write_entry.d.next = 0.into();
            self.write_place.d.next = 0.into();
            self.stored.d.next = 0.into();
            self.read_entry.d.next = 0.into();
            self.read_place.d.next = 0.into();
            self.offered.d.next = false;
            self.overflowed.d.next = false;
            self.wrong.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ni::testing::emitted,
        prim::testing::{clock, clocked, reset, rng, settle},
    };
    use rand::Rng;
    use std::collections::VecDeque;

    clocked!([] GetQueue);

    /// Requests of both lengths and packets that are none, at any speed, against a queue of whole packets.
    fn queues_requests(entries: usize) {
        let mut rng = rng(0x6e7 + entries as u64);
        let mut dut = reset(GetQueue::new(entries));
        let mut model: VecDeque<Vec<u64>> = VecDeque::new();
        // What is on its way in, whether it is refused; how far the oldest has come out.
        let (mut coming, mut refused): (Vec<u64>, _) = (vec![], false);
        let mut length = 0;
        let mut sent = 0;
        let (mut overflows, mut wrongs, mut passed) = (0, 0, 0);
        // Entries taken: a request gives its own back when its last word is fetched, at most one cycle before it is seen.
        for cycle in 0..12_000 {
            let eager = (cycle / (40 * entries + 100)).is_multiple_of(2);
            if length == 0 && rng.gen_bool(if eager { 0.9 } else { 0.1 }) {
                length = if rng.gen_bool(0.8) {
                    5 + 2 * rng.gen_range(0..2)
                } else {
                    rng.gen_range(1..=12)
                };
            }
            let offers = length > 0 && rng.gen_bool(0.9);
            let word = u64::from(rng.gen::<u32>());
            let tail = offers && coming.len() + 1 == length;
            let tready = rng.gen_bool(if eager { 0.1 } else { 0.95 });
            dut.s_axis.tvalid.next = offers;
            dut.s_axis.tdata.next = word.into();
            dut.s_axis.tlast.next = tail;
            dut.m_axis.tready.next = tready;
            settle(&mut dut);
            assert!(dut.s_axis.tready.val());
            let head = offers && coming.is_empty();
            let taken = dut.m_axis.tvalid.val() && tready;
            if dut.m_axis.tvalid.val() {
                let oldest = model.front().expect("something comes out that was not there");
                let seen = (dut.m_axis.tdata.val().to_u64(), dut.m_axis.tlast.val());
                assert_eq!(seen, (oldest[sent], sent + 1 == oldest.len()), "cycle {cycle}");
            }
            clock(&mut dut);
            let overflow = dut.overflow.val();
            if head {
                // The oldest may have been fetched to its last word, with that word still on offer.
                let free = entries - model.len().min(entries);
                let fetched = model.front().is_some_and(|oldest| sent + 1 == oldest.len());
                assert!(
                    !overflow || free == 0,
                    "cycle {cycle}: dropped with {free} entries free"
                );
                assert!(overflow || free > 0 || fetched, "cycle {cycle}: taken without an entry");
                refused = overflow;
                overflows += u32::from(overflow);
            } else {
                assert!(!overflow, "cycle {cycle}");
            }
            if offers {
                coming.push(word);
            }
            let is_request = coming.len() == 5 || coming.len() == 7;
            assert_eq!(dut.malformed.val(), tail && !refused && !is_request, "cycle {cycle}");
            if taken {
                sent += 1;
                if sent == model[0].len() {
                    model.pop_front();
                    (sent, passed) = (0, passed + 1);
                }
            }
            if tail {
                let packet = std::mem::take(&mut coming);
                wrongs += u32::from(!is_request);
                if is_request && !refused {
                    model.push_back(packet);
                }
                length = 0;
            }
        }
        assert!(
            overflows > 20 && wrongs > 20 && passed > 200,
            "{overflows}, {wrongs}, {passed}"
        );
    }

    #[test]
    fn requests_pass_in_order_and_what_does_not_fit_is_dropped_whole() {
        [1, 2, 3, 8, 34].into_iter().for_each(queues_requests);
    }

    /// Puts whole requests in, a word a cycle.
    fn put(dut: &mut GetQueue, requests: usize, flits: usize) {
        for _ in 0..requests {
            for i in 0..flits {
                dut.s_axis.tvalid.next = true;
                dut.s_axis.tdata.next = (i as u64).into();
                dut.s_axis.tlast.next = i + 1 == flits;
                clock(dut);
            }
        }
        dut.s_axis.tvalid.next = false;
    }

    #[test]
    fn the_head_is_offered_two_cycles_after_the_tail_and_words_follow_every_cycle() {
        let mut dut = reset(GetQueue::new(4));
        put(&mut dut, 1, SHORT_REQUEST_FLITS);
        settle(&mut dut);
        assert!(!dut.m_axis.tvalid.val(), "one cycle after the tail");
        clock(&mut dut);
        assert!(dut.m_axis.tvalid.val());
        put(&mut dut, 3, LONG_REQUEST_FLITS);
        dut.m_axis.tready.next = true;
        for beat in 0..SHORT_REQUEST_FLITS + 3 * LONG_REQUEST_FLITS {
            settle(&mut dut);
            assert!(dut.m_axis.tvalid.val(), "beat {beat}");
            clock(&mut dut);
        }
        assert!(!dut.m_axis.tvalid.val());
    }

    #[test]
    fn reset_empties_the_queue_and_ends_a_packet() {
        let mut dut = reset(GetQueue::new(4));
        put(&mut dut, 2, LONG_REQUEST_FLITS);
        dut.s_axis.tvalid.next = true;
        dut.s_axis.tlast.next = false;
        (0..3).for_each(|_| clock(&mut dut));
        let mut dut = reset(dut);
        dut.s_axis.tvalid.next = false;
        for _ in 0..5 {
            assert!(!dut.m_axis.tvalid.val());
            clock(&mut dut);
        }
        put(&mut dut, 4, SHORT_REQUEST_FLITS);
        assert!(!dut.overflow.val() && !dut.malformed.val());
        clock(&mut dut);
        assert!(dut.m_axis.tvalid.val());
    }

    #[test]
    fn emits() {
        for entries in [1, 34, 1024] {
            emitted("get-queue", &GetQueue::new(entries));
        }
    }

    #[test]
    #[should_panic(expected = "get queue: entries = 1025, allowed: 1 to 1024")]
    fn more_entries_than_addresses_are_refused() {
        GetQueue::new(1025);
    }
}
