use super::ports::{EndsIn, EndsOut, LIST_BITS};
use crate::prim::Ram;
use portico_spec::portals::list::BUCKETS;
use portico_spec::portals::list::SOURCE_WIDTH;
use portico_verilog::prelude::*;

/// Width of the number of a chain: list below, bucket above; [`BUCKETS`] ends at 256.
const CHAIN_WIDTH: usize = LIST_BITS + BUCKET_WIDTH;
const BUCKET_WIDTH: usize = BUCKETS.1.ilog2() as usize;
const ENDS_WIDTH: usize = 32;
/// In a word: the head from bit 0, the tail from here, and whether there are any.
const TAIL_OFFSET: usize = 16;
const NONEMPTY_OFFSET: usize = 31;
/// Bits of head and tail that a word has room for.
const END_WIDTH: usize = NONEMPTY_OFFSET - TAIL_OFFSET;

/// The ends of one chain a list and bucket.
///
/// Chains of entries that `A` bits number.
///
/// | | |
/// | --- | --- |
/// | latency | `ends`: 1 cycle after `look`; a change: 1 cycle, seen by the next look |
/// | throughput | one look and one change a cycle, never of the same chain |
/// | state | 32 bits a chain in block RAM, 4 chains a bucket, and the access in hand |
///
/// The bucket is the low bits of the source. After a reset all chains are made empty, one a cycle: `initialising`.
#[derive(LogicBlock, Default)]
pub struct BucketEnds<const A: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: all chains become empty, which takes 4 cycles a bucket.
    pub rst: Signal<In, Bit>,
    /// Chains are being made empty.
    pub initialising: Signal<Out, Bit>,
    /// Turns to the bucket of `source` in `list`.
    pub look: Signal<In, Bit>,
    /// Below 3.
    pub list: Signal<In, Bits<LIST_BITS>>,
    /// Its low bits number the bucket.
    pub source: Signal<In, Bits<SOURCE_WIDTH>>,
    /// Those of the chain looked at.
    pub ends: EndsOut<A>,
    /// Changes them; they have to be looked at again.
    pub write: Signal<In, Bit>,
    /// What they become.
    pub new_ends: EndsIn<A>,
    words: Ram<Bits<ENDS_WIDTH>, CHAIN_WIDTH>,
    looked_at: DFF<Bits<CHAIN_WIDTH>>,
    clearing: DFF<Bit>,
    place: DFF<Bits<CHAIN_WIDTH>>,
    chain: Signal<Local, Bits<CHAIN_WIDTH>>,
    last_place: Constant<Bits<CHAIN_WIDTH>>,
}

impl<const A: usize> BucketEnds<A> {
    /// For `buckets` buckets, a power of two up to 256.
    pub fn new(buckets: usize) -> Self {
        let chains = buckets << LIST_BITS;
        Self {
            words: Ram::new(chains),
            last_place: Constant::new(bits(chains as u64 - 1)),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const A: usize> Logic for BucketEnds<A> {
    fn update(&mut self) {
        wire!(self => words: clk);
        dff_setup!(self, clk, looked_at, clearing, place);
        self.chain.next = bit_cast::<CHAIN_WIDTH, LIST_BITS>(self.list.val())
            | field::<CHAIN_WIDTH, SOURCE_WIDTH>(self.source.val(), LIST_BITS);
        self.words.read_enable.next = self.look.val();
        self.words.read_address.next = self.chain.val();
        if self.look.val() {
            self.looked_at.d.next = self.chain.val();
        }
        self.ends.nonempty.next = self.words.read_data.val().get_bit(NONEMPTY_OFFSET);
        self.ends.head.next = bit_cast::<A, END_WIDTH>(self.words.read_data.val().get_bits::<END_WIDTH>(0));
        self.ends.tail.next = bit_cast::<A, END_WIDTH>(self.words.read_data.val().get_bits::<END_WIDTH>(TAIL_OFFSET));

        self.words.write_enable.next = false;
        self.words.write_address.next = self.looked_at.q.val();
        self.words.write_data.next = bit_cast::<ENDS_WIDTH, A>(self.new_ends.head.val())
            | field::<ENDS_WIDTH, A>(self.new_ends.tail.val(), TAIL_OFFSET);
        if self.new_ends.nonempty.val() {
            self.words.write_data.next = bit_cast::<ENDS_WIDTH, A>(self.new_ends.head.val())
                | field::<ENDS_WIDTH, A>(self.new_ends.tail.val(), TAIL_OFFSET)
                | (bits::<ENDS_WIDTH>(1) << bits::<6>(NONEMPTY_OFFSET));
        }
        if self.write.val() {
            self.words.write_enable.next = true;
        }
        self.initialising.next = self.clearing.q.val();
        if self.clearing.q.val() {
            self.words.write_enable.next = true;
            self.words.write_address.next = self.place.q.val();
            self.words.write_data.next = 0.into();
            self.place.d.next = self.place.q.val() + 1;
            self.clearing.d.next = self.place.q.val() != self.last_place.val();
        }
        if self.rst.val() {
            self.clearing.d.next = true;
            self.place.d.next = 0.into();
        }
    }
}
