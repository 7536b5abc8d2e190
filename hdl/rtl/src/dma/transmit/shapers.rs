use super::ShaperSettings;
use crate::bus::{RegisterWriteIn, SweepIn};
use portico_spec::ni::{
    command::{SHAPERS, SHAPER_WIDTH},
    instruction::COUNT_WIDTH,
    shaper::{RATE_CYCLES, RATE_WIDTH},
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
/// | state | [`ShaperSettings`], by shaper a level of 16 bits; what comes into the bucket whose turn it is |
///
/// A bucket's turn takes four cycles, one behind the other: its rate is read, then its room, what comes in is worked out,
/// and comes in.
///
/// A bucket fills by `rate` flits in 256 cycles up to `burst` with bit 3 set, so at least to 8, one bucket a cycle in turn. A packet may
/// begin while the level is not below zero, and takes all of its flits when it closes; so a rate acts between packets, never
/// inside one.
#[derive(LogicBlock, Default)]
pub struct Shapers {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: buckets are empty, and not limited.
    pub rst: Signal<In, Bit>,
    /// Gives the registers their first values after reset.
    pub sweep: SweepIn,
    /// Writes of registers; those to the block SHAPERS set maximum, rate and burst.
    pub register_write: RegisterWriteIn,
    /// Shapers whose maximum is asked for: that of the sequencer, and that of the job that starts.
    pub selected: [Signal<In, Bits<SHAPER_WIDTH>>; 2],
    /// Most words of payload, 1 to 64, of a packet of each shaper of `selected`, in the same cycle.
    pub maximum: [Signal<Out, Bits<COUNT_WIDTH>>; 2],
    /// A packet of `flits` goes through shaper `taker`.
    pub take: Signal<In, Bit>,
    /// Shaper of the packet, valid with `take`.
    pub taker: Signal<In, Bits<SHAPER_WIDTH>>,
    /// Flits of the packet, from head to tail, valid with `take`.
    pub flits: Signal<In, Bits<COUNT_WIDTH>>,
    /// A packet may begin, by shaper.
    pub may_send: Signal<Out, Bits<SHAPERS>>,
    settings: ShaperSettings,
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
    limited: Signal<Local, Bits<SHAPERS>>,
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
            settings: ShaperSettings::new((1 << shapers) - 1),
            built: Constant::new(bits((1 << shapers) - 1)),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for Shapers {
    fn update(&mut self) {
        wire!(self => settings: clk, rst);
        wire!(self <=> settings: sweep);
        dff_setup!(self, clk, turn, second, rate, burst, third, room);
        dff_setup!(self, clk, third_rate, fourth, gain, has_rate);
        wire!(self <=> settings: register_write);
        for i in 0..2 {
            self.settings.selected[i].next = self.selected[i].val();
            self.maximum[i].next = self.settings.maximum[i].val();
        }
        self.settings.turn.next = self.turn.q.val();
        self.limited.next = self.settings.limited.val();

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

        self.rate.d.next = self.settings.rate.val();
        self.burst.d.next = self.settings.burst.val() | bits::<RATE_WIDTH>(LEAST_BURST);
        self.room.d.next = field::<LEVEL_WIDTH, RATE_WIDTH>(self.burst.q.val(), FRACTION_BITS) - self.looked.val();
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
        self.change.next = bits::<LEVEL_WIDTH>(0) - field::<LEVEL_WIDTH, COUNT_WIDTH>(self.flits.val(), FRACTION_BITS);
        if self.fourth.q.val() == self.taker.val() {
            self.change.next = self.gain.q.val() - field::<LEVEL_WIDTH, COUNT_WIDTH>(self.flits.val(), FRACTION_BITS);
        }
        self.drained.next = self.payer_level.val() + self.change.val();
        self.may_send.next = 0.into();
        for i in 0..SHAPERS {
            self.level[i].clock.next = self.clk.val();
            self.level[i].d.next = self.level[i].q.val();
            if self.fourth_one.val().get_bit(i) {
                self.level[i].d.next = self.filled.val();
            }
            if self.take.val() & self.limited.val().get_bit(i) & self.taker_one.val().get_bit(i) {
                self.level[i].d.next = self.drained.val();
            }
            self.may_send.next = self.may_send.val().replace_bit(
                i,
                !self.limited.val().get_bit(i) | !self.level[i].q.val().get_bit(LEVEL_WIDTH - 1),
            );
        }
        if self.rst.val() {
            self.turn.d.next = 0.into();
            for i in 0..SHAPERS {
                self.level[i].d.next = 0.into();
            }
        }
    }
}
