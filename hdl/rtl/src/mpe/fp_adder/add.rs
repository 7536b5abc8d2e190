use super::{
    fate::{Fate, EXPONENT_WIDTH, SHIFT_WIDTH},
    optional_register::OptionalRegister,
};
use portico_spec::fp::Format;
use portico_verilog::prelude::*;

/// Fifth step: one addition or subtraction of significands, and the limit of the shift that follows.
///
/// Adds `W`-bit significands.
///
/// | | |
/// | --- | --- |
/// | latency | 1 enabled cycle if its cut has a register, else 0 |
/// | timing | one carry chain as long as the significand and its three bits below |
/// | state | the register of its cut, if there is one |
///
/// The minuend is never the smaller, so that the difference is never negative. The bit below the sticky bit is zero in
/// both and brings the carry in. Beside the addition there is time to find how long the normalising shift may be, which
/// that shift would otherwise wait for.
#[derive(LogicBlock, Default)]
pub struct Add<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// The cut takes the next values; it keeps them otherwise.
    pub enable: Signal<In, Bit>,
    /// Significand of the addend of greater magnitude.
    pub major: Signal<In, Bits<W>>,
    /// That of the other, aligned.
    pub minor: Signal<In, Bits<W>>,
    /// The sticky bit of `minor`.
    pub lost: Signal<In, Bit>,
    /// Sign, exponent and special cases.
    pub fate: Signal<In, Fate>,
    /// Beyond the cut, sum or difference of the significands and three bits below.
    pub sum: Signal<Out, Bits<W>>,
    /// How long the normalising shift may be: as long as the exponent, no longer than it can be, nothing if special.
    pub limit: Signal<Out, Bits<SHIFT_WIDTH>>,
    /// `fate` beyond the cut.
    pub fate_on: Signal<Out, Fate>,
    sum_cut: OptionalRegister<Bits<W>>,
    limit_cut: OptionalRegister<Bits<SHIFT_WIDTH>>,
    fate_cut: OptionalRegister<Fate>,
    extended: Signal<Local, Bits<W>>,
    addend: Signal<Local, Bits<W>>,
    carry: Signal<Local, Bits<W>>,
    result: Signal<Local, Bits<W>>,
    allowed: Signal<Local, Bits<SHIFT_WIDTH>>,
    sticky: Constant<Bits<W>>,
    inverted: Constant<Bits<W>>,
    carry_in: Constant<Bits<W>>,
    longest: Constant<Bits<SHIFT_WIDTH>>,
    beyond: Constant<Bits<EXPONENT_WIDTH>>,
}

impl<const W: usize> Add<W> {
    /// `longest` is the longest shift that the normalising shifter goes, all ones.
    pub fn new(format: Format, longest: u64, registered: bool) -> Self {
        let carry_at = format.exponent_width - 5;
        Self {
            sum_cut: OptionalRegister::new(registered),
            limit_cut: OptionalRegister::new(registered),
            fate_cut: OptionalRegister::new(registered),
            sticky: Constant::new((2u64 << carry_at).to_bits()),
            inverted: Constant::new(((u64::MAX >> (64 - W)) & (u64::MAX << carry_at)).to_bits()),
            carry_in: Constant::new((1u64 << carry_at).to_bits()),
            longest: Constant::new(longest.into()),
            beyond: Constant::new((format.top_exponent() & !longest).into()),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize> Logic for Add<W> {
    fn update(&mut self) {
        wire!(self => sum_cut, limit_cut, fate_cut: clk);
        self.sum_cut.enable.next = self.enable.val();
        self.limit_cut.enable.next = self.enable.val();
        self.fate_cut.enable.next = self.enable.val();

        self.extended.next = self.minor.val();
        if self.lost.val() {
            self.extended.next = self.minor.val() | self.sticky.val();
        }
        self.addend.next = self.extended.val();
        self.carry.next = 0.into();
        if self.fate.val().subtract {
            self.addend.next = self.extended.val() ^ self.inverted.val();
            self.carry.next = self.carry_in.val();
        }
        // Synthesis cannot know that nothing remains where the carry came in.
        self.result.next = (self.addend.val() + (self.major.val() | self.carry.val())) & !self.carry_in.val();
        self.allowed.next = self.fate.val().exponent.get_bits::<SHIFT_WIDTH>(0) & self.longest.val();
        if (self.fate.val().exponent & self.beyond.val()).any() {
            self.allowed.next = self.longest.val();
        }
        if self.fate.val().special {
            self.allowed.next = 0.into();
        }

        self.sum_cut.d.next = self.result.val();
        self.limit_cut.d.next = self.allowed.val();
        self.fate_cut.d.next = self.fate.val();
        self.sum.next = self.sum_cut.q.val();
        self.limit.next = self.limit_cut.q.val();
        self.fate_on.next = self.fate_cut.q.val();
    }
}
