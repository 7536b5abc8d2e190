use portico_spec::flit::TAG_WIDTH;
use portico_verilog::prelude::*;

/// Who reads and who writes a row in a cycle.
///
/// Shares the two ports of the table of tags.
///
/// | | |
/// | --- | --- |
/// | latency | grants are combinational |
/// | throughput | one read and one write a cycle |
/// | priority | writes: packets, updates; reads: registers, heads; the release waits a cycle for heads, and then goes first |
/// | state | what waits, and what is known of the row that was read last |
///
/// A row that is read in a cycle with a write is read again: by a head that comes in, and by the release. So the release need
/// know neither whether a head does come nor whether a packet writes, which are known late, but only whether a head could
/// come. Packets write at most every other cycle, and a release whose row was torn goes first: its next read is good.
/// A register is read within three cycles: heads wait for it, and the two packets that may still write are done by then. A
/// head goes on only with a row that was read for it after the last update.
#[derive(LogicBlock, Default)]
pub struct TagReads {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// An update of software waits, or is written.
    pub updating: Signal<In, Bit>,
    /// An update may be written in this cycle: no packet writes.
    pub may_update: Signal<Out, Bit>,
    /// A packet writes to its row in this cycle.
    pub packet_writes: Signal<In, Bit>,
    /// Nobody keeps what the packet in front writes: the head in hand waits for that, and its row is read again.
    pub unkept: Signal<In, Bit>,
    /// The packet in front may write to its row, now or later. From flip-flops, so that a head waits for that and not
    /// for the write.
    pub may_write: Signal<In, Bit>,
    /// A head may come in.
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
    /// The release asks for the row of `release_tag`; it stays until `release_reads`.
    pub release_read: Signal<In, Bit>,
    /// Tag of the queue whose row the release reads.
    pub release_tag: Signal<In, Bits<TAG_WIDTH>>,
    /// The row of `release_tag` is read in this cycle, and is there in the next one.
    pub release_reads: Signal<Out, Bit>,
    /// A packet wrote in the cycle before: what the release has read then is to be read again.
    pub release_torn: Signal<Out, Bit>,
    /// The release asks to write the row of its queue; it stays until `release_writes`.
    pub release_write: Signal<In, Bit>,
    /// The release writes in this cycle.
    pub release_writes: Signal<Out, Bit>,
    /// A register of `register_tag` is to be read; high for one cycle.
    pub register_read: Signal<In, Bit>,
    /// Tag of the register to read; it stays.
    pub register_tag: Signal<In, Bits<TAG_WIDTH>>,
    /// The row of `register_tag` is read in this cycle; it is there from the cycle after that on.
    pub register_reads: Signal<Out, Bit>,
    /// A row is read in this cycle.
    pub read: Signal<Out, Bit>,
    /// Row to read; valid with `read`.
    pub read_tag: Signal<Out, Bits<TAG_WIDTH>>,
    register_waits: DFF<Bit>,
    release_waits: DFF<Bit>,
    torn: DFF<Bit>,
    /// The row that was read last is that of the head in hand, and as new as can be.
    fresh: DFF<Bit>,
    register_wants: Signal<Local, Bit>,
    rereads: Signal<Local, Bit>,
    release_may: Signal<Local, Bit>,
}

#[kernel]
impl Logic for TagReads {
    fn update(&mut self) {
        dff_setup!(self, clk, register_waits, release_waits, torn, fresh);
        self.register_wants.next = self.register_read.val() | self.register_waits.q.val();
        self.may_update.next = !self.packet_writes.val();

        self.register_reads.next = self.register_wants.val() & !self.updating.val() & !self.packet_writes.val();
        self.register_waits.d.next = self.register_wants.val() & !self.register_reads.val();
        self.may_start.next = !self.register_wants.val() & !self.updating.val();
        self.rereads.next = self.may_start.val() & self.has_head.val() & !self.fresh.q.val() & !self.may_write.val();
        self.release_may.next = !self.register_wants.val()
            & !self.updating.val()
            & !self.rereads.val()
            & (self.release_waits.q.val() | !(self.offers_head.val() | self.has_head.val()));
        self.release_reads.next = self.release_read.val() & self.release_may.val();
        self.release_writes.next = self.release_write.val() & self.release_may.val();
        self.torn.d.next = self.packet_writes.val();
        self.release_torn.next = self.torn.q.val();
        self.release_waits.d.next = (self.release_read.val() & (self.packet_writes.val() | !self.release_reads.val()))
            | (self.release_write.val() & !self.release_writes.val());
        self.may_go.next = self.fresh.q.val()
            & !self.updating.val()
            & !self.device.val()
            & !(self.may_write.val() & self.unkept.val());

        if self.starts.val() | self.rereads.val() {
            self.fresh.d.next = true;
        }
        if self.register_reads.val() | self.release_reads.val() | (self.release_writes.val() & self.starts.val()) {
            self.fresh.d.next = false;
        }
        if self.updating.val()
            | self.device.val()
            | (self.packet_writes.val() & (self.unkept.val() | self.starts.val()))
        {
            self.fresh.d.next = false;
        }

        self.read_tag.next = self.start_tag.val();
        if self.rereads.val() {
            self.read_tag.next = self.head_tag.val();
        }
        if self.release_reads.val() {
            self.read_tag.next = self.release_tag.val();
        }
        if self.register_wants.val() {
            self.read_tag.next = self.register_tag.val();
        }
        self.read.next = self.starts.val() | self.rereads.val() | self.release_reads.val() | self.register_reads.val();
        if self.rst.val() {
            self.register_waits.d.next = false;
            self.release_waits.d.next = false;
            self.fresh.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock_edge, settle};
    use rand::{rngs::SmallRng, Rng, SeedableRng};

    /// A flit in hand, of packets of a head and a tail.
    #[derive(Clone, Copy, PartialEq)]
    enum Flit {
        Head,
        Tail,
    }

    /// Most cycles from a request to a row that is good: one for heads, one for a head that is read again, and two for a row
    /// that is torn in each.
    const PATIENCE: u32 = 4;

    #[test]
    fn a_row_that_is_torn_by_a_packet_is_told_and_a_good_one_comes_soon() {
        let seed = 73;
        println!("seed {seed}");
        let mut rng = SmallRng::seed_from_u64(seed);
        let mut dut = TagReads::default();
        dut.connect_all();
        dut.rst.next = true;
        clock_edge!(dut);
        dut.rst.next = false;
        let (mut in_hand, mut next, mut in_delivery) = (None, Flit::Head, false);
        let (mut wrote, mut asks, mut waited) = (false, false, 0);
        let (mut torn, mut good) = (0, 0);
        for cycle in 0..20_000 {
            let busy = if cycle % 200 < 100 { 1.0 } else { 0.6 };
            let writes = in_delivery && rng.gen_bool(busy);
            let arrives = rng.gen_bool(busy);
            asks = asks || rng.gen_bool(0.3);
            dut.packet_writes.next = writes;
            dut.may_write.next = in_delivery;
            dut.has_head.next = in_hand == Some(Flit::Head);
            dut.offers_head.next = arrives && next == Flit::Head;
            dut.starts.next = false;
            dut.release_read.next = asks;
            settle(&mut dut);
            let goes =
                in_hand.is_some() && (!in_delivery || writes) && (in_hand == Some(Flit::Tail) || dut.may_go.val());
            let takes = arrives && (in_hand.is_none() || goes);
            dut.starts.next = takes && next == Flit::Head;
            settle(&mut dut);

            assert_eq!(dut.release_torn.val(), wrote, "a write of the cycle before is told");
            let reads = dut.release_reads.val();
            waited += u32::from(asks);
            assert!(
                waited <= PATIENCE,
                "cycle {cycle}: the release waits for {waited} cycles"
            );
            torn += u32::from(reads && writes);
            if reads && !writes {
                good += 1;
                (asks, waited) = (false, 0);
            }
            wrote = writes;
            in_delivery = (in_delivery && !writes) || (goes && in_hand == Some(Flit::Tail));
            if goes {
                in_hand = None;
            }
            if takes {
                in_hand = Some(next);
                next = if next == Flit::Head { Flit::Tail } else { Flit::Head };
            }
            clock_edge!(dut);
        }
        assert!(torn > 100 && good > 1_000, "{torn} torn and {good} good rows");
    }
}
