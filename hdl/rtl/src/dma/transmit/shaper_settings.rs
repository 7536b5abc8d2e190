use crate::bus::SweepIn;
use crate::{bus::RegisterWriteIn, prim::LutRam};
use portico_spec::{
    flit::MAX_PAYLOAD_FLITS,
    ni::{
        command::{SHAPERS, SHAPER_WIDTH},
        instruction::COUNT_WIDTH,
        registers::{Block as RegisterBlock, ShaperRegister, BLOCK_OFFSET, BLOCK_WIDTH, SHORT_FIELD_WIDTH},
        shaper::RATE_WIDTH,
    },
};
use portico_verilog::prelude::*;

/// What software has set the packet shapers to.
///
/// The registers of all shapers.
///
/// | | |
/// | --- | --- |
/// | latency | a register write: 1 cycle; reads are combinational |
/// | throughput | one write a cycle; two maxima, a rate and a burst at once |
/// | state | by shaper: maximum, rate and burst in LUT-RAM, a flip-flop |
///
/// Values beyond their range stand for its end. A maximum of 0 would let no packet end: it stands for the longest.
#[derive(LogicBlock, Default)]
pub struct ShaperSettings {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: no shaper is limited.
    pub rst: Signal<In, Bit>,
    /// Gives the registers their first values after reset.
    pub sweep: SweepIn,
    /// Writes of registers; those to the block SHAPERS set maximum, rate and burst.
    pub register_write: RegisterWriteIn,
    /// Two shapers whose maximum is asked for.
    pub selected: [Signal<In, Bits<SHAPER_WIDTH>>; 2],
    /// Most words of payload, 1 to 64, of a packet of each shaper of `selected`, in the same cycle.
    pub maximum: [Signal<Out, Bits<COUNT_WIDTH>>; 2],
    /// Shaper whose rate and burst are asked for.
    pub turn: Signal<In, Bits<SHAPER_WIDTH>>,
    /// Rate of the shaper `turn`: flits that may go in 256 cycles, 0 for any number.
    pub rate: Signal<Out, Bits<RATE_WIDTH>>,
    /// Burst of the shaper `turn`: flits that may go at once after a pause.
    pub burst: Signal<Out, Bits<RATE_WIDTH>>,
    /// By shaper: it has a rate.
    pub limited: Signal<Out, Bits<SHAPERS>>,
    maxima: [LutRam<Bits<COUNT_WIDTH>, SHAPER_WIDTH>; 2],
    rates: LutRam<Bits<RATE_WIDTH>, SHAPER_WIDTH>,
    bursts: LutRam<Bits<RATE_WIDTH>, SHAPER_WIDTH>,
    has_rate: DFF<Bits<SHAPERS>>,
    writes_maximum: Signal<Local, Bit>,
    writes_rate: Signal<Local, Bit>,
    writes_burst: Signal<Local, Bit>,
    written: Signal<Local, Bit>,
    field: Signal<Local, Bits<SHORT_FIELD_WIDTH>>,
    place: Signal<Local, Bits<SHAPER_WIDTH>>,
    most: Signal<Local, Bits<COUNT_WIDTH>>,
    amount: Signal<Local, Bits<RATE_WIDTH>>,
    built: Constant<Bits<SHAPERS>>,
}

impl ShaperSettings {
    /// Of the shapers whose bits are set in `built`.
    pub fn new(built: u64) -> Self {
        Self {
            built: Constant::new(bits(built)),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for ShaperSettings {
    fn update(&mut self) {
        wire!(self => rates, bursts: clk);
        dff_setup!(self, clk, has_rate);
        self.written.next = self.register_write.enable.val()
            & (self.register_write.index.val().get_bits::<BLOCK_WIDTH>(BLOCK_OFFSET)
                == bits::<BLOCK_WIDTH>(RegisterBlock::Shapers as u64));
        self.field.next = self.register_write.index.val().get_bits::<SHORT_FIELD_WIDTH>(0);
        self.writes_maximum.next =
            self.written.val() & (self.field.val() == bits::<SHORT_FIELD_WIDTH>(ShaperRegister::Maximum as u64));
        self.writes_rate.next =
            self.written.val() & (self.field.val() == bits::<SHORT_FIELD_WIDTH>(ShaperRegister::Rate as u64));
        self.writes_burst.next =
            self.written.val() & (self.field.val() == bits::<SHORT_FIELD_WIDTH>(ShaperRegister::Burst as u64));
        self.place.next = self
            .register_write
            .index
            .val()
            .get_bits::<SHAPER_WIDTH>(SHORT_FIELD_WIDTH);
        self.amount.next = self.register_write.data.val().get_bits::<RATE_WIDTH>(0);
        if (self.register_write.data.val() >> bits::<6>(RATE_WIDTH)).any() {
            self.amount.next = !bits::<RATE_WIDTH>(0);
        }
        self.most.next = self.register_write.data.val().get_bits::<COUNT_WIDTH>(0);
        if (self.register_write.data.val() > bits::<32>(MAX_PAYLOAD_FLITS)) | !self.register_write.data.val().any() {
            self.most.next = bits::<COUNT_WIDTH>(MAX_PAYLOAD_FLITS);
        }
        if self.writes_rate.val() {
            self.has_rate.d.next = self
                .has_rate
                .q
                .val()
                .replace_bit(self.place.val().index(), self.amount.val().any())
                & self.built.val();
        }
        if self.sweep.active.val() {
            self.writes_maximum.next = true;
            self.writes_rate.next = true;
            self.writes_burst.next = true;
            self.place.next = self.sweep.place.val().get_bits::<SHAPER_WIDTH>(0);
            self.amount.next = 0.into();
            self.most.next = bits::<COUNT_WIDTH>(MAX_PAYLOAD_FLITS);
        }

        for i in 0..2 {
            self.maxima[i].clk.next = self.clk.val();
            self.maxima[i].write_enable.next = self.writes_maximum.val();
            self.maxima[i].write_address.next = self.place.val();
            self.maxima[i].write_data.next = self.most.val();
            self.maxima[i].read_address.next = self.selected[i].val();
            self.maximum[i].next = self.maxima[i].read_data.val();
        }
        self.rates.write_enable.next = self.writes_rate.val();
        self.rates.write_address.next = self.place.val();
        self.rates.write_data.next = self.amount.val();
        self.rates.read_address.next = self.turn.val();
        self.rate.next = self.rates.read_data.val();
        self.bursts.write_enable.next = self.writes_burst.val();
        self.bursts.write_address.next = self.place.val();
        self.bursts.write_data.next = self.amount.val();
        self.bursts.read_address.next = self.turn.val();
        self.burst.next = self.bursts.read_data.val();
        self.limited.next = self.has_rate.q.val();
        if self.rst.val() {
            self.has_rate.d.next = 0.into();
        }
    }
}
