use crate::{bus::RegisterWriteIn, prim::LutRam};
use portico_spec::{
    flit::{MAX_PAYLOAD_FLITS, NODE_WIDTH},
    ni::{
        command::{SHAPERS, SHAPER_WIDTH},
        instruction::COUNT_WIDTH,
        registers::{Block as RegisterBlock, ShaperRegister, BLOCK_OFFSET, BLOCK_WIDTH, SHORT_FIELD_WIDTH},
        shaper::{RATE_CYCLES, RATE_WIDTH},
    },
};
use portico_verilog::prelude::*;

/// Bits of a level below a flit: what one flit in 256 cycles gives a bucket in its turn.
const FRACTION_BITS: usize = RATE_CYCLES.ilog2() as usize - SHAPER_WIDTH;
/// A level, two's complement: the greatest burst, or one packet below zero.
const LEVEL_WIDTH: usize = RATE_WIDTH + FRACTION_BITS + 2;

/// Flits that any bucket may gather: the sequencer takes some cycles to see that a packet may go, and what comes in
/// meanwhile must not be lost.
const LEAST_BURST: usize = 8;

/// Packet shapers: how long packets may be, and how many flits may go.
///
/// The shapers of a tile.
///
/// | | |
/// | --- | --- |
/// | latency | a packet taken from a bucket is seen by `may_send` in the next cycle |
/// | throughput | one packet a cycle |
/// | state | by shaper: maximum, rate and burst in LUT-RAM, and a level of 16 bits; what comes into the bucket whose turn it is |
///
/// A bucket's turn takes four cycles, one behind the other: its rate is read, then its room, what comes in is worked out,
/// and comes in.
///
/// A bucket fills by `rate` flits in 256 cycles up to `burst`, but at least to 8, one bucket a cycle in turn. A packet may
/// begin while the level is not below zero, and takes all of its flits when it closes; so a rate acts between packets, never
/// inside one.
#[derive(LogicBlock, Default)]
pub struct Shapers {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: buckets are empty, and not limited.
    pub rst: Signal<In, Bit>,
    /// The registers are set to their first values, at the address `sweep`.
    pub initialising: Signal<In, Bit>,
    pub sweep: Signal<In, Bits<NODE_WIDTH>>,
    pub register_write: RegisterWriteIn,
    /// Most words of payload, 1 to 64, of the shapers of the sequencer and of the bypass.
    pub selected: [Signal<In, Bits<SHAPER_WIDTH>>; 2],
    pub maximum: [Signal<Out, Bits<COUNT_WIDTH>>; 2],
    /// A packet of `flits` goes through shaper `taker`.
    pub take: Signal<In, Bit>,
    pub taker: Signal<In, Bits<SHAPER_WIDTH>>,
    pub flits: Signal<In, Bits<COUNT_WIDTH>>,
    /// A packet may begin, by shaper.
    pub may_send: Signal<Out, Bits<SHAPERS>>,
    maxima: [LutRam<COUNT_WIDTH, SHAPER_WIDTH>; 2],
    rates: LutRam<RATE_WIDTH, SHAPER_WIDTH>,
    bursts: LutRam<RATE_WIDTH, SHAPER_WIDTH>,
    limited: DFF<Bits<SHAPERS>>,
    turn: DFF<Bits<SHAPER_WIDTH>>,
    /// The bucket whose rate was read, and what it may have in it.
    second: DFF<Bits<SHAPER_WIDTH>>,
    rate: DFF<Bits<RATE_WIDTH>>,
    burst: DFF<Bits<RATE_WIDTH>>,
    /// The bucket whose room is known.
    third: DFF<Bits<SHAPER_WIDTH>>,
    room: DFF<Bits<LEVEL_WIDTH>>,
    third_rate: DFF<Bits<RATE_WIDTH>>,
    /// The bucket that fills, and by how much; a bucket without a rate becomes empty.
    fourth: DFF<Bits<SHAPER_WIDTH>>,
    gain: DFF<Bits<LEVEL_WIDTH>>,
    has_rate: DFF<Bit>,
    level: [DFF<Bits<LEVEL_WIDTH>>; SHAPERS],
    written: Signal<Local, Bit>,
    place: Signal<Local, Bits<SHAPER_WIDTH>>,
    field: Signal<Local, Bits<SHORT_FIELD_WIDTH>>,
    amount: Signal<Local, Bits<RATE_WIDTH>>,
    most: Signal<Local, Bits<COUNT_WIDTH>>,
    looked: Signal<Local, Bits<LEVEL_WIDTH>>,
    prior: Signal<Local, Bits<LEVEL_WIDTH>>,
    filled: Signal<Local, Bits<LEVEL_WIDTH>>,
    payer_level: Signal<Local, Bits<LEVEL_WIDTH>>,
    change: Signal<Local, Bits<LEVEL_WIDTH>>,
    drained: Signal<Local, Bits<LEVEL_WIDTH>>,
    second_one: Signal<Local, Bits<SHAPERS>>,
    fourth_one: Signal<Local, Bits<SHAPERS>>,
    taker_one: Signal<Local, Bits<SHAPERS>>,
    built: Constant<Bits<SHAPERS>>,
}

impl Shapers {
    /// The first `shapers`.
    pub fn new(shapers: usize) -> Self {
        Self {
            built: Constant::new(bits((1 << shapers) - 1)),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for Shapers {
    fn update(&mut self) {
        wire!(self => rates, bursts: clk);
        dff_setup!(self, clk, limited, turn, second, rate, burst, third, room, third_rate, fourth, gain, has_rate);
        self.written.next = self.register_write.enable.val()
            & (self.register_write.index.val().get_bits::<BLOCK_WIDTH>(BLOCK_OFFSET)
                == bits::<BLOCK_WIDTH>(RegisterBlock::Shapers as u64));
        self.field.next = self.register_write.index.val().get_bits::<SHORT_FIELD_WIDTH>(0);
        self.place.next = self
            .register_write
            .index
            .val()
            .get_bits::<SHAPER_WIDTH>(SHORT_FIELD_WIDTH);
        self.amount.next = self.register_write.data.val().get_bits::<RATE_WIDTH>(0);
        if (self.register_write.data.val() >> bits::<6>(RATE_WIDTH)).any() {
            self.amount.next = !bits::<RATE_WIDTH>(0);
        }

        // A packet without room for a word would never end.
        self.most.next = self.register_write.data.val().get_bits::<COUNT_WIDTH>(0);
        if (self.register_write.data.val() > bits::<32>(MAX_PAYLOAD_FLITS)) | !self.register_write.data.val().any() {
            self.most.next = bits::<COUNT_WIDTH>(MAX_PAYLOAD_FLITS);
        }
        for i in 0..2 {
            self.maxima[i].clk.next = self.clk.val();
            self.maxima[i].write_enable.next = self.initialising.val()
                | (self.written.val()
                    & (self.field.val() == bits::<SHORT_FIELD_WIDTH>(ShaperRegister::Maximum as u64)));
            self.maxima[i].write_address.next = self.place.val();
            self.maxima[i].write_data.next = self.most.val();
            if self.initialising.val() {
                self.maxima[i].write_address.next = self.sweep.val().get_bits::<SHAPER_WIDTH>(0);
                self.maxima[i].write_data.next = bits::<COUNT_WIDTH>(MAX_PAYLOAD_FLITS);
            }
            self.maxima[i].read_address.next = self.selected[i].val();
            self.maximum[i].next = self.maxima[i].read_data.val();
        }
        self.rates.write_enable.next =
            self.written.val() & (self.field.val() == bits::<SHORT_FIELD_WIDTH>(ShaperRegister::Rate as u64));
        self.rates.write_address.next = self.place.val();
        self.rates.write_data.next = self.amount.val();
        self.rates.read_address.next = self.turn.q.val();
        self.bursts.write_enable.next =
            self.written.val() & (self.field.val() == bits::<SHORT_FIELD_WIDTH>(ShaperRegister::Burst as u64));
        self.bursts.write_address.next = self.place.val();
        self.bursts.write_data.next = self.amount.val();
        self.bursts.read_address.next = self.turn.q.val();
        if self.written.val() & (self.field.val() == bits::<SHORT_FIELD_WIDTH>(ShaperRegister::Rate as u64)) {
            self.limited.d.next = self
                .limited
                .q
                .val()
                .replace_bit(self.place.val().index(), self.amount.val().any())
                & self.built.val();
        }
        if self.initialising.val() {
            self.rates.write_enable.next = true;
            self.rates.write_address.next = self.sweep.val().get_bits::<SHAPER_WIDTH>(0);
            self.rates.write_data.next = 0.into();
            self.bursts.write_enable.next = true;
            self.bursts.write_address.next = self.sweep.val().get_bits::<SHAPER_WIDTH>(0);
            self.bursts.write_data.next = 0.into();
        }

        self.turn.d.next = self.turn.q.val() + 1;
        self.second.d.next = self.turn.q.val();
        self.third.d.next = self.second.q.val();
        self.fourth.d.next = self.third.q.val();
        self.second_one.next = (bits::<SHAPERS>(1) << self.second.q.val()) & self.built.val();
        self.fourth_one.next = (bits::<SHAPERS>(1) << self.fourth.q.val()) & self.built.val();
        self.taker_one.next = (bits::<SHAPERS>(1) << self.taker.val()) & self.built.val();
        self.looked.next = 0.into();
        self.prior.next = 0.into();
        self.payer_level.next = 0.into();
        for i in 0..SHAPERS {
            if self.second_one.val().get_bit(i) {
                self.looked.next = self.level[i].q.val();
            }
            if self.fourth_one.val().get_bit(i) {
                self.prior.next = self.level[i].q.val();
            }
            if self.taker_one.val().get_bit(i) {
                self.payer_level.next = self.level[i].q.val();
            }
        }

        self.rate.d.next = self.rates.read_data.val();
        self.burst.d.next = self.bursts.read_data.val() | bits::<RATE_WIDTH>(LEAST_BURST);
        self.room.d.next =
            (bit_cast::<LEVEL_WIDTH, RATE_WIDTH>(self.burst.q.val()) << bits::<6>(FRACTION_BITS)) - self.looked.val();
        self.third_rate.d.next = self.rate.q.val();
        self.gain.d.next = bit_cast::<LEVEL_WIDTH, RATE_WIDTH>(self.third_rate.q.val());
        if self.room.q.val().get_bit(LEVEL_WIDTH - 1)
            | (self.room.q.val() < bit_cast::<LEVEL_WIDTH, RATE_WIDTH>(self.third_rate.q.val()))
        {
            self.gain.d.next = self.room.q.val();
        }
        self.has_rate.d.next = self.third_rate.q.val().any();
        self.filled.next = 0.into();
        if self.has_rate.q.val() {
            self.filled.next = self.prior.val() + self.gain.q.val();
        }
        // Two sums side by side: what comes in and goes out, and that with the level.
        self.change.next = bits::<LEVEL_WIDTH>(0)
            - (bit_cast::<LEVEL_WIDTH, COUNT_WIDTH>(self.flits.val()) << bits::<6>(FRACTION_BITS));
        if self.fourth.q.val() == self.taker.val() {
            self.change.next = self.gain.q.val()
                - (bit_cast::<LEVEL_WIDTH, COUNT_WIDTH>(self.flits.val()) << bits::<6>(FRACTION_BITS));
        }
        self.drained.next = self.payer_level.val() + self.change.val();
        self.may_send.next = 0.into();
        for i in 0..SHAPERS {
            self.level[i].clock.next = self.clk.val();
            self.level[i].d.next = self.level[i].q.val();
            if self.fourth_one.val().get_bit(i) {
                self.level[i].d.next = self.filled.val();
            }
            if self.take.val() & self.limited.q.val().get_bit(i) & self.taker_one.val().get_bit(i) {
                self.level[i].d.next = self.drained.val();
            }
            self.may_send.next = self.may_send.val().replace_bit(
                i,
                !self.limited.q.val().get_bit(i) | !self.level[i].q.val().get_bit(LEVEL_WIDTH - 1),
            );
        }
        if self.rst.val() {
            self.limited.d.next = 0.into();
            self.turn.d.next = 0.into();
            for i in 0..SHAPERS {
                self.level[i].d.next = 0.into();
            }
        }
    }
}
