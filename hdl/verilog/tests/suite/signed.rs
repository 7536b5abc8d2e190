//! Signed arithmetic: rust-hdl's simulation against the Verilated text, on random numbers and on the corners.

use crate::blocks::emitted;
use portico_sim::{build, Optimise, Source};
use rand::{rngs::SmallRng, seq::SliceRandom, Rng, SeedableRng};
use rust_hdl::prelude::*;

type Filter = MultiplyAccumulateSymmetricFiniteImpulseResponseFilter<3>;

/// Everything that rust-hdl does with a `Signed`, and its own filter.
#[derive(LogicBlock)]
pub struct Arithmetic {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub a: Signal<In, Signed<16>>,
    pub b: Signal<In, Signed<16>>,
    pub w: Signal<In, Signed<40>>,
    pub n: Signal<In, Signed<5>>,
    pub u: Signal<In, Bits<16>>,
    pub at: Signal<In, Bits<4>>,
    pub strobe: Signal<In, Bit>,
    pub sum: Signal<Out, Signed<16>>,
    pub difference: Signal<Out, Signed<40>>,
    pub negated: Signal<Out, Signed<16>>,
    pub product: Signal<Out, Signed<32>>,
    pub unsigned_product: Signal<Out, Bits<32>>,
    pub tripled: Signal<Out, Signed<32>>,
    pub chained: Signal<Out, Signed<40>>,
    pub wide: Signal<Out, Signed<40>>,
    pub wide_sum: Signal<Out, Signed<40>>,
    pub narrow: Signal<Out, Signed<5>>,
    pub one_more: Signal<Out, Signed<6>>,
    pub middle: Signal<Out, Signed<8>>,
    pub as_bits: Signal<Out, Bits<16>>,
    pub as_number: Signal<Out, Signed<16>>,
    pub number: Signal<Out, Signed<16>>,
    pub sign: Signal<Out, Bit>,
    pub picked: Signal<Out, Bit>,
    pub below: Signal<Out, Bit>,
    pub at_most: Signal<Out, Bit>,
    pub above: Signal<Out, Bit>,
    pub at_least: Signal<Out, Bit>,
    pub equal: Signal<Out, Bit>,
    pub negative: Signal<Out, Bit>,
    pub cast_order: Signal<Out, Bit>,
    pub limited: Signal<Out, Signed<40>>,
    pub total: Signal<Out, Signed<40>>,
    pub filtered: Signal<Out, Signed<48>>,
    pub ready: Signal<Out, Bit>,
    pub busy: Signal<Out, Bit>,
    filter: Filter,
    three: Constant<Signed<16>>,
    limit: Constant<Signed<40>>,
    accumulator: DFF<Signed<40>>,
}

impl Default for Arithmetic {
    fn default() -> Self {
        Arithmetic {
            clk: Default::default(),
            rst: Default::default(),
            a: Default::default(),
            b: Default::default(),
            w: Default::default(),
            n: Default::default(),
            u: Default::default(),
            at: Default::default(),
            strobe: Default::default(),
            sum: Default::default(),
            difference: Default::default(),
            negated: Default::default(),
            product: Default::default(),
            unsigned_product: Default::default(),
            tripled: Default::default(),
            chained: Default::default(),
            wide: Default::default(),
            wide_sum: Default::default(),
            narrow: Default::default(),
            one_more: Default::default(),
            middle: Default::default(),
            as_bits: Default::default(),
            as_number: Default::default(),
            number: Default::default(),
            sign: Default::default(),
            picked: Default::default(),
            below: Default::default(),
            at_most: Default::default(),
            above: Default::default(),
            at_least: Default::default(),
            equal: Default::default(),
            negative: Default::default(),
            cast_order: Default::default(),
            limited: Default::default(),
            total: Default::default(),
            filtered: Default::default(),
            ready: Default::default(),
            busy: Default::default(),
            filter: Filter::new(&[1, -2, 3, -2, 1]),
            three: Constant::new(signed(-3)),
            limit: Constant::new(signed(-1_000_000)),
            accumulator: Default::default(),
        }
    }
}

impl Logic for Arithmetic {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, accumulator);
        self.filter.clock.next = self.clk.val();
        self.filter.data_in.next = self.a.val();
        self.filter.strobe_in.next = self.strobe.val();
        self.filtered.next = self.filter.data_out.val();
        self.ready.next = self.filter.strobe_out.val();
        self.busy.next = self.filter.busy.val();
        self.sum.next = self.a.val() + self.b.val();
        self.difference.next = self.w.val() - signed_bit_cast::<40, 16>(self.a.val());
        self.negated.next = -self.a.val();
        self.product.next = self.a.val() * self.b.val();
        self.unsigned_product.next = self.u.val() * self.u.val();
        self.tripled.next = self.three.val() * (self.a.val() - self.b.val());
        self.chained.next = signed_bit_cast::<40, 32>((self.a.val() + self.b.val()) * self.b.val()) + self.w.val();
        self.wide.next = signed_bit_cast::<40, 5>(self.n.val());
        self.wide_sum.next = signed_bit_cast::<40, 16>(self.a.val()) + signed_bit_cast::<40, 5>(self.n.val());
        self.narrow.next = signed_bit_cast::<5, 16>(self.a.val());
        self.one_more.next = signed_bit_cast::<6, 5>(self.n.val());
        self.middle.next = self.a.val().get_bits::<8>(4);
        self.as_bits.next = unsigned_cast(self.a.val()) ^ self.u.val();
        self.as_number.next = signed_cast(self.u.val()) + self.a.val();
        self.number.next = (-5).into();
        self.sign.next = self.a.val().get_bit(15);
        self.picked.next = self.a.val().get_bit(self.at.val().index());
        self.below.next = self.a.val() < self.b.val();
        self.at_most.next = (self.a.val() <= self.b.val()) & self.u.val().any();
        self.above.next = self.w.val() > self.limit.val();
        self.at_least.next = signed_bit_cast::<40, 16>(self.a.val()) >= self.w.val();
        self.equal.next = self.a.val() == self.b.val();
        self.negative.next = self.n.val() < 0.into();
        self.cast_order.next = signed_cast(self.u.val()) < signed_cast(unsigned_cast(self.b.val()));
        self.limited.next = self.w.val();
        if self.w.val() < self.limit.val() {
            self.limited.next = self.limit.val();
        }
        if self.a.val() >= self.three.val() {
            self.accumulator.d.next = self.accumulator.q.val() + signed_bit_cast::<40, 32>(self.a.val() * self.b.val());
        }
        self.total.next = self.accumulator.q.val();
        if self.rst.val() {
            self.accumulator.d.next = 0.into();
        }
    }
}

const CYCLES: usize = 2000;

/// Steps in which rust-hdl's simulation settles.
const STEPS: usize = 50;

/// A number of `width` bits; corners are likelier than chance would have them. Never the lowest: rust-hdl's
/// `signed_bit_cast` of it does not end.
fn number(rng: &mut SmallRng, width: u32) -> i64 {
    let lowest = -(1i64 << (width - 1));
    let corners = [lowest + 1, -2, -1, 0, 1, -1 - lowest];
    match rng.gen_bool(0.3) {
        true => *corners.choose(rng).expect("there are corners"),
        false => rng.gen_range(lowest + 1..-lowest),
    }
}

fn bits_of<const N: usize>(value: Signed<N>) -> u64 {
    unsigned_cast(value).to_u64()
}

#[test]
fn signed_arithmetic_behaves_alike() {
    const SEED: u64 = 0x51_6e_ed;
    println!("seed {SEED:#x}");
    let mut rng = SmallRng::seed_from_u64(SEED);
    let mut block = Arithmetic::default();
    let design = emitted(&block, "arithmetic").unwrap();
    let options = portico_sim::Options {
        optimise: Optimise::Build,
        ..Default::default()
    };
    let mut model = build(Source::from(&design), &options).unwrap().model();
    let inputs = ["rst", "a", "b", "w", "n", "u", "at", "strobe"].map(|name| model.input(name).unwrap());
    for cycle in 0..CYCLES {
        let [a, b, w, n] = [16, 16, 40, 5].map(|width| number(&mut rng, width));
        let (rst, u, at) = (
            cycle < 2 || rng.gen_bool(0.01),
            rng.gen::<u16>(),
            rng.gen_range(0..16u64),
        );
        let strobe = rng.gen_bool(0.2);
        (block.rst.next, block.strobe.next) = (rst, strobe);
        (block.a.next, block.b.next, block.w.next, block.n.next) = (a.into(), b.into(), w.into(), n.into());
        (block.u.next, block.at.next) = (bits(u.into()), bits(at));
        let given = [
            rst.into(),
            bits_of(block.a.next),
            bits_of(block.b.next),
            bits_of(block.w.next),
            bits_of(block.n.next),
            u.into(),
            at,
            strobe.into(),
        ];
        inputs
            .iter()
            .zip(given)
            .for_each(|(input, value)| model.set(*input, value));
        assert!(simulate(&mut block, STEPS));
        model.settle();
        let compare = |name: &str, expected: u64| {
            let got = model.get(model.output(name).unwrap());
            assert_eq!(
                got,
                expected,
                "cycle {cycle}: {name} of a = {a}, b = {b}, w = {w}, n = {n}, u = {u}\n{}",
                design.text()
            );
        };
        macro_rules! compare_all {
            ($($output:ident as $bits:expr),* $(,)?) => {
                $(compare(stringify!($output), ($bits)(block.$output.val()));)*
            };
        }
        compare_all!(
            sum as bits_of,
            difference as bits_of,
            negated as bits_of,
            product as bits_of,
            unsigned_product as |value: Bits<32>| value.to_u64(),
            tripled as bits_of,
            chained as bits_of,
            wide as bits_of,
            wide_sum as bits_of,
            narrow as bits_of,
            one_more as bits_of,
            middle as bits_of,
            as_bits as |value: Bits<16>| value.to_u64(),
            as_number as bits_of,
            number as bits_of,
            sign as u64::from,
            picked as u64::from,
            below as u64::from,
            at_most as u64::from,
            above as u64::from,
            at_least as u64::from,
            equal as u64::from,
            negative as u64::from,
            cast_order as u64::from,
            limited as bits_of,
            total as bits_of,
            filtered as bits_of,
            ready as u64::from,
            busy as u64::from,
        );
        for level in [true, false] {
            block.clk.next = level.into();
            assert!(simulate(&mut block, STEPS));
        }
        model.tick();
    }
}

#[test]
fn signed_arithmetic_reads_well() {
    let design = emitted(&Arithmetic::default(), "arithmetic").unwrap();
    insta::assert_snapshot!(design.modules.last().unwrap().text);
}
