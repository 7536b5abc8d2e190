//! Settings of the PLL of a board: from the clock of its oscillator to the clock of the fabric.

use crate::{SynthError, Target};

/// Largest difference between the frequency asked for and the one that comes out, of the former.
pub const CLOCK_TOLERANCE: f64 = 0.01;

/// Limits of the PLL of a family, frequencies in MHz.
struct Limits {
    input: (f64, f64),
    /// At the phase detector.
    detector: (f64, f64),
    vco: (f64, f64),
    output: (f64, f64),
}

/// EHXPLLL of the ECP5: FPGA-DS-02012, sysCLOCK PLL timing. `ecppll` of Project Trellis takes a phase detector from 3.125
/// MHz on; the data sheet asks for 10.
const ECP5: Limits = Limits {
    input: (8.0, 400.0),
    detector: (10.0, 400.0),
    vco: (400.0, 800.0),
    output: (3.125, 400.0),
};
/// Largest divider of a clock of an EHXPLLL, at its input and at its outputs.
const ECP5_DIVIDER: u32 = 128;
/// Largest divider in its feedback.
const ECP5_FEEDBACK: u32 = 80;
/// Where `ecppll` puts the oscillator if it may choose, in MHz.
const ECP5_VCO_CENTRE: f64 = 600.0;

/// MMCME2 of an Artix-7 of speed grade -1: DS181, MMCM specification.
const XILINX: Limits = Limits {
    input: (10.0, 800.0),
    detector: (10.0, 450.0),
    vco: (600.0, 1200.0),
    output: (4.69, 800.0),
};
/// Largest divider at the input of an MMCME2.
const XILINX_DIVIDER: u32 = 106;
/// Multiplier of an MMCME2, in eighths.
const XILINX_MULTIPLIER: (u32, u32) = (16, 512);
/// Divider of its output 0, in eighths; between 1 and 2 it has no fraction.
const XILINX_OUTPUT: (u32, u32) = (16, 1024);

/// Where the oscillator of an MMCME2 goes if it may choose, in MHz: fast, for little jitter, and below its limit.
const XILINX_VCO_CENTRE: f64 = 1000.0;

/// A PLL with all its settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pll {
    /// Frequency that it is fed with, in MHz.
    pub input_mhz: f64,
    /// Frequency of its oscillator, in MHz.
    pub vco_mhz: f64,
    /// Exact frequency that comes out, in MHz.
    pub output_mhz: f64,
    /// Dividers and multipliers.
    pub dividers: Dividers,
}

/// Dividers and multipliers of a PLL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dividers {
    /// EHXPLLL of the ECP5, its feedback from output CLKOP.
    Ecp5 {
        /// CLKI_DIV: the input is divided by it.
        input: u32,
        /// CLKFB_DIV: CLKOP has this times the frequency of the phase detector.
        feedback: u32,
        /// CLKOP_DIV: the oscillator divided by it is CLKOP.
        clkop: u32,
        /// CLKOS_DIV, if CLKOS is the clock of the fabric; else CLKOP is.
        clkos: Option<u32>,
    },
    /// MMCME2_BASE of Xilinx 7 series.
    Xilinx {
        /// DIVCLK_DIVIDE: the input is divided by it.
        input: u32,
        /// CLKFBOUT_MULT_F, in eighths.
        multiplier_eighths: u32,
        /// CLKOUT0_DIVIDE_F, in eighths.
        output_eighths: u32,
    },
}

impl Pll {
    /// The settings whose frequency is nearest to `asked_mhz`, from `input_mhz`, both in MHz.
    ///
    /// # Errors
    /// [`SynthError::ClockRange`] if the PLL makes no such frequency, or takes no such input; [`SynthError::ClockNear`] if
    /// what it makes is off by more than [`CLOCK_TOLERANCE`].
    pub fn new(family: Target, input_mhz: f64, asked_mhz: f64) -> Result<Self, SynthError> {
        let limits = limits(family);
        for (what, value, (least, most)) in [("input", input_mhz, limits.input), ("clock", asked_mhz, limits.output)] {
            if !(least..=most).contains(&value) {
                let family = family.to_string();
                return Err(SynthError::ClockRange {
                    what,
                    value,
                    family,
                    least,
                    most,
                });
            }
        }
        let off = |pll: &Pll| (pll.output_mhz - asked_mhz).abs();
        // The first of equals wins: candidates come in the order in which they are preferred.
        let nearest = candidates(family, input_mhz, asked_mhz)
            .into_iter()
            .reduce(|best, next| {
                let is_nearer = off(&next) < off(&best) - 1e-9;
                if is_nearer {
                    next
                } else {
                    best
                }
            });
        match nearest {
            Some(pll) if off(&pll) <= CLOCK_TOLERANCE * asked_mhz => Ok(pll),
            nearest => Err(SynthError::ClockNear {
                asked: asked_mhz,
                input: input_mhz,
                nearest: nearest.map_or(input_mhz, |pll| pll.output_mhz),
            }),
        }
    }
}

fn limits(family: Target) -> &'static Limits {
    match family {
        Target::Ecp5 => &ECP5,
        Target::Xilinx => &XILINX,
    }
}

/// Dividers of the input that leave the phase detector within its limits.
fn inputs(limits: &Limits, input_mhz: f64, most: u32) -> impl Iterator<Item = (u32, f64)> {
    let (low, high) = limits.detector;
    let divided = (1..=most).map(move |divider| (divider, input_mhz / f64::from(divider)));
    divided.filter(move |(_, detector)| (low..=high).contains(detector))
}

/// The divider of `vco_mhz` whose result is nearest to `asked_mhz`.
fn nearest_divider(vco_mhz: f64, asked_mhz: f64, (least, most): (u32, u32)) -> u32 {
    // The limits are small, so that the cast keeps every value.
    ((vco_mhz / asked_mhz).round() as u32).clamp(least, most)
}

/// Every setting that comes near, the preferred ones first, none outside the limits.
fn candidates(family: Target, input_mhz: f64, asked_mhz: f64) -> Vec<Pll> {
    let limits = limits(family);
    let made = match family {
        Target::Ecp5 => ecp5(limits, input_mhz, asked_mhz),
        Target::Xilinx => xilinx(limits, input_mhz, asked_mhz),
    };
    let within = |value: f64, (low, high): (f64, f64)| (low..=high).contains(&value);
    let is_allowed = |pll: &Pll| within(pll.vco_mhz, limits.vco) && within(pll.output_mhz, limits.output);
    made.into_iter().filter(is_allowed).collect()
}

/// First those with the fabric's clock in the feedback, then those with it on an output of its own.
fn ecp5(limits: &Limits, input_mhz: f64, asked_mhz: f64) -> Vec<Pll> {
    let mut made = Vec::new();
    for (input, detector) in inputs(limits, input_mhz, ECP5_DIVIDER) {
        let feedback = ((asked_mhz / detector).round() as u32).clamp(1, ECP5_FEEDBACK);
        let output_mhz = detector * f64::from(feedback);
        let clkop = nearest_divider(ECP5_VCO_CENTRE, output_mhz, (1, ECP5_DIVIDER));
        // The centre may be out of reach for what is slow or fast; the next divider then is not.
        for clkop in [clkop, clkop + 1, clkop.saturating_sub(1).max(1)] {
            let dividers = Dividers::Ecp5 {
                input,
                feedback,
                clkop,
                clkos: None,
            };
            made.push(Pll {
                input_mhz,
                vco_mhz: output_mhz * f64::from(clkop),
                output_mhz,
                dividers,
            });
        }
    }
    for (input, detector) in inputs(limits, input_mhz, ECP5_DIVIDER) {
        for clkop in 1..=ECP5_DIVIDER {
            let vco_mhz = detector * f64::from(clkop);
            let clkos = nearest_divider(vco_mhz, asked_mhz, (1, ECP5_DIVIDER));
            let dividers = Dividers::Ecp5 {
                input,
                feedback: 1,
                clkop,
                clkos: Some(clkos),
            };
            made.push(Pll {
                input_mhz,
                vco_mhz,
                output_mhz: vco_mhz / f64::from(clkos),
                dividers,
            });
        }
    }
    made.retain(|pll| !matches!(pll.dividers, Dividers::Ecp5 { clkop, .. } if clkop > ECP5_DIVIDER));
    made
}

/// Whole multipliers and dividers first: they have less jitter. Of these, the oscillator nearest to the centre.
fn xilinx(limits: &Limits, input_mhz: f64, asked_mhz: f64) -> Vec<Pll> {
    let mut made = Vec::new();
    for step in [8, 1] {
        for (input, detector) in inputs(limits, input_mhz, XILINX_DIVIDER) {
            let (least, most) = XILINX_MULTIPLIER;
            let vco = |eighths: u32| detector * f64::from(eighths) / 8.0;
            let mut multipliers: Vec<u32> = (least..=most).filter(|eighths| eighths % step == 0).collect();
            let off_centre = |&eighths: &u32| (vco(eighths) - XILINX_VCO_CENTRE).abs();
            multipliers.sort_by(|a, b| off_centre(a).total_cmp(&off_centre(b)));
            for multiplier_eighths in multipliers {
                let vco_mhz = vco(multiplier_eighths);
                let (least, most) = XILINX_OUTPUT;
                let units = nearest_divider(vco_mhz, asked_mhz * f64::from(step) / 8.0, (least / step, most / step));
                let output_eighths = units * step;
                let dividers = Dividers::Xilinx {
                    input,
                    multiplier_eighths,
                    output_eighths,
                };
                made.push(Pll {
                    input_mhz,
                    vco_mhz,
                    output_mhz: vco_mhz * 8.0 / f64::from(output_eighths),
                    dividers,
                });
            }
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ecp5_settings_are_those_of_ecppll_where_it_meets_the_frequency() {
        // (input, asked, what comes out, CLKI_DIV, CLKFB_DIV, CLKOP_DIV, CLKOS_DIV)
        for (input, asked, output, settings) in [
            (25.0, 50.0, 50.0, (1, 2, 12, None)),
            (25.0, 25.0, 25.0, (1, 1, 24, None)),
            (25.0, 100.0, 100.0, (1, 4, 6, None)),
            (25.0, 62.5, 62.5, (2, 5, 10, None)),
            (100.0, 50.0, 50.0, (2, 1, 12, None)),
            (100.0, 60.0, 60.0, (5, 3, 10, None)),
            // ecppll without --highres makes 46.875 MHz of it.
            (25.0, 48.0, 48.076923, (1, 1, 25, Some(13))),
        ] {
            let pll = Pll::new(Target::Ecp5, input, asked).unwrap();
            let Dividers::Ecp5 {
                input,
                feedback,
                clkop,
                clkos,
            } = pll.dividers
            else {
                panic!("{pll:?}")
            };
            assert_eq!((input, feedback, clkop, clkos), settings, "{pll:?}");
            assert!((pll.output_mhz - output).abs() < 1e-5, "{pll:?}");
        }
    }

    #[test]
    fn xilinx_settings_are_whole_where_that_is_exact() {
        for (asked, input, multiplier_eighths, output_eighths) in [
            (50.0, 1, 80, 160),
            (100.0, 1, 80, 80),
            (40.0, 1, 80, 200),
            (60.0, 1, 72, 120),
        ] {
            let pll = Pll::new(Target::Xilinx, 100.0, asked).unwrap();
            let expected = Dividers::Xilinx {
                input,
                multiplier_eighths,
                output_eighths,
            };
            assert_eq!((pll.dividers, pll.output_mhz), (expected, asked), "{pll:?}");
        }
    }

    #[test]
    fn a_frequency_out_of_reach_is_refused_with_what_is_possible() {
        for (family, input, asked, message) in [
            (
                Target::Ecp5,
                25.0,
                3.0,
                "clock = 3 MHz, allowed with the PLL of ecp5: 3.125 to 400 MHz",
            ),
            (
                Target::Ecp5,
                25.0,
                401.0,
                "clock = 401 MHz, allowed with the PLL of ecp5: 3.125 to 400 MHz",
            ),
            (
                Target::Ecp5,
                5.0,
                50.0,
                "input = 5 MHz, allowed with the PLL of ecp5: 8 to 400 MHz",
            ),
            (
                Target::Xilinx,
                100.0,
                f64::NAN,
                "clock = NaN MHz, allowed with the PLL of xilinx: 4.69 to 800 MHz",
            ),
            (
                Target::Ecp5,
                19.0,
                384.0,
                "clock = 384 MHz cannot be made of 19 MHz within 1 %: the nearest is 380 MHz",
            ),
        ] {
            let error = Pll::new(family, input, asked).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }

    /// The frequencies computed anew from the dividers.
    fn recomputed(pll: &Pll) -> (f64, f64, f64) {
        match pll.dividers {
            Dividers::Ecp5 {
                input,
                feedback,
                clkop,
                clkos,
            } => {
                assert!(input <= 128 && feedback <= 80 && clkop <= 128 && clkos.unwrap_or(1) <= 128);
                let detector = pll.input_mhz / f64::from(input);
                let vco = detector * f64::from(feedback * clkop);
                (detector, vco, vco / f64::from(clkos.unwrap_or(clkop)))
            }
            Dividers::Xilinx {
                input,
                multiplier_eighths,
                output_eighths,
            } => {
                assert!(input <= 106 && (16..=512).contains(&multiplier_eighths));
                assert!((16..=1024).contains(&output_eighths));
                let detector = pll.input_mhz / f64::from(input);
                let vco = detector * f64::from(multiplier_eighths) / 8.0;
                (detector, vco, vco / (f64::from(output_eighths) / 8.0))
            }
        }
    }

    proptest! {
        /// Whatever is asked of the oscillators of the boards, all within the limits of the data sheet.
        #[test]
        fn every_setting_is_within_the_limits(is_ecp5: bool, input in 10.0..200.0f64, asked in 5.0..400.0f64) {
            let family = if is_ecp5 { Target::Ecp5 } else { Target::Xilinx };
            let least_vco = if is_ecp5 { 400.0 } else { 600.0 };
            match Pll::new(family, input, asked) {
                Ok(pll) => {
                    let (detector, vco, output) = recomputed(&pll);
                    prop_assert!(detector >= 10.0 && (least_vco..=2.0 * least_vco).contains(&vco), "{pll:?}");
                    prop_assert!((output - asked).abs() <= asked / 100.0, "{pll:?}");
                    prop_assert!((output - pll.output_mhz).abs() < 1e-6 && (vco - pll.vco_mhz).abs() < 1e-6, "{pll:?}");
                }
                Err(SynthError::ClockNear { nearest, .. }) => prop_assert!((nearest - asked).abs() > asked / 100.0),
                Err(error) => prop_assert!(false, "{error}"),
            }
        }
    }
}
