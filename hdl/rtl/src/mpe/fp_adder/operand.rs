use super::fate::EXPONENT_WIDTH;
use portico_spec::fp::Format;
use portico_verilog::prelude::*;

/// The class of an addend.
///
/// Classifies a number of `W` bits.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | state | none |
#[derive(LogicBlock, Default)]
pub struct Operand<const W: usize> {
    /// The number.
    pub word: Signal<In, Bits<W>>,
    /// The exponent field, 1 for subnormals and zeros.
    pub exponent: Signal<Out, Bits<EXPONENT_WIDTH>>,
    /// It has the leading bit that the exponent implies; subnormals and zeros have not.
    pub normal: Signal<Out, Bit>,
    /// Infinity or NaN.
    pub special: Signal<Out, Bit>,
    /// NaN of either kind.
    pub nan: Signal<Out, Bit>,
    /// Signalling NaN.
    pub signalling: Signal<Out, Bit>,
    field: Signal<Local, Bits<W>>,
    subnormal: Signal<Local, Bits<1>>,
    payload: Signal<Local, Bit>,
    quiet: Signal<Local, Bit>,
    exponent_mask: Constant<Bits<W>>,
    exponent_at: Constant<Bits<6>>,
    payload_mask: Constant<Bits<W>>,
    quiet_mask: Constant<Bits<W>>,
}

impl<const W: usize> Operand<W> {
    /// For numbers of `format`, which has `W` bits.
    pub fn new(format: Format) -> Self {
        Self {
            exponent_mask: Constant::new(format.infinity().to_bits()),
            exponent_at: Constant::new((format.fraction_width as u64).into()),
            payload_mask: Constant::new((format.fraction_mask() & !format.quiet_mask()).to_bits()),
            quiet_mask: Constant::new(format.quiet_mask().to_bits()),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize> Logic for Operand<W> {
    fn update(&mut self) {
        self.field.next = self.word.val() & self.exponent_mask.val();
        self.payload.next = (self.word.val() & self.payload_mask.val()).any();
        self.quiet.next = (self.word.val() & self.quiet_mask.val()).any();
        self.subnormal.next = (!self.field.val().any()).into();
        self.exponent.next = bit_cast::<EXPONENT_WIDTH, W>(self.field.val() >> self.exponent_at.val())
            | bit_cast::<EXPONENT_WIDTH, 1>(self.subnormal.val());
        self.normal.next = self.field.val().any();
        self.special.next = self.field.val() == self.exponent_mask.val();
        self.nan.next = self.special.val() & (self.quiet.val() | self.payload.val());
        self.signalling.next = self.special.val() & !self.quiet.val() & self.payload.val();
    }
}
