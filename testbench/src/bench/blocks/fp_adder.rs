//! The floating-point adder: cycles of every number of stages, area and clock against stages beside published ones.

use super::{synthesis::Synthesis, Effort, Line, Measured, Plot, BENCH};
use crate::{
    bench::report::{Better, Row},
    device::{hardware::compiled, Device},
};
use anyhow::{ensure, Context};
use portico_golden::fp::add;
use portico_spec::{
    fp::{Format, ADDER_STAGES},
    Config,
};
use portico_verilog::Design;
use rand::{rngs::SmallRng, Rng, SeedableRng};

/// Stages of the adder whose area and clock are held to bounds, in binary32.
const STAGES: usize = 4;
/// Its most LUTs of Xilinx 7, those used as shift registers among them, and its least MHz on ECP5. It takes no DSP.
const MOST_LUTS: f64 = 480.0;
const LEAST_MHZ: f64 = 100.0;

/// Published single-precision adders for Xilinx: stages, what they take beside LUTs, the figure.
const PUBLISHED_LUTS: [(usize, &str, f64); 2] = [(7, "no DSP", 376.0), (10, "2 DSP", 236.0)];
/// The same: stages, where, MHz.
const PUBLISHED_MHZ: (usize, &str, f64) = (3, "Kintex 7", 200.0);

/// The Verilog of an adder.
///
/// # Errors
/// The backend refuses it.
pub fn design(width: usize, stages: usize) -> anyhow::Result<Design> {
    let config = Config {
        width,
        stages,
        ..Config::default()
    };
    Ok(portico_generate::design("fp-add", &config)?)
}

fn name(width: usize, stages: usize) -> String {
    format!("fp-add, binary{width}, {stages} stages")
}

/// Adds pairs back to back: cycles from the first pair to the first sum, and to the last.
fn run(mut device: impl Device, format: Format, pairs: &[[u64; 2]]) -> anyhow::Result<[usize; 2]> {
    let input = |name: &str| device.require_input(name);
    let (valid, words) = (
        [input("s_axis_a_tvalid")?, input("s_axis_b_tvalid")?],
        [input("s_axis_a_tdata")?, input("s_axis_b_tdata")?],
    );
    let ready = input("m_axis_tready")?;
    let [taken, offered] = [
        device.require_output("s_axis_a_tready")?,
        device.require_output("m_axis_tvalid")?,
    ];
    let seen = [
        device.require_output("m_axis_tdata")?,
        device.require_output("m_axis_tuser")?,
    ];
    device.reset(2);
    device.set(ready, 1);
    let (mut given, mut sums) = (0, vec![]);
    for cycle in 0..10 * pairs.len() + 100 {
        let next = pairs.get(given);
        valid.iter().for_each(|&port| device.set(port, next.is_some().into()));
        for (&port, &word) in words.iter().zip(next.unwrap_or(&[0; 2])) {
            device.set(port, word);
        }
        device.settle();
        if device.get(offered) == 1 {
            let [a, b] = *pairs.get(sums.len()).context("a sum of nothing")?;
            let (sum, flags) = add(format, a, b);
            let found = seen.map(|port| device.get(port));
            ensure!(
                found == [sum, flags.into()],
                "{a:#x} + {b:#x} gives {found:x?} and not {sum:#x} with flags {flags:#x}"
            );
            sums.push(cycle);
        }
        given += usize::from(next.is_some() && device.get(taken) == 1);
        device.tick();
        if sums.len() == pairs.len() {
            return Ok([sums[0], cycle]);
        }
    }
    anyhow::bail!("{} sums of {} pairs", sums.len(), pairs.len())
}

/// Pairs whose exponents are close together.
fn pairs(format: Format, count: usize, rng: &mut SmallRng) -> Vec<[u64; 2]> {
    let mut pair = || {
        let a = rng.gen::<u64>() >> (64 - format.width);
        let near = rng.gen::<u64>() & (format.sign_mask() | format.fraction_mask() | 1 << format.fraction_width);
        [a, a ^ near]
    };
    (0..count).map(|_| pair()).collect()
}

/// Rows of latency and throughput.
fn speed(device: impl Device, width: usize, stages: usize, effort: &Effort) -> anyhow::Result<[Row; 2]> {
    let format = Format::of_width(width).context("a width of 32 or 64")?;
    let count = if effort.quick { 2_000 } else { 100_000 };
    let pairs = pairs(format, count, &mut SmallRng::seed_from_u64(effort.seed));
    let [first, last] = run(device, format, &pairs)?;
    let name = |what: &str| format!("{}: {what}", name(width, stages));
    let (bound, rate) = (Some(stages as f64), (pairs.len() - 1) as f64 / (last - first) as f64);
    Ok([
        Row {
            bound,
            ..Row::new(BENCH, name("latency"), "cycles", Better::Less, first as f64)
        },
        Row {
            limit: Some(1.0),
            bound: Some(1.0),
            ..Row::new(BENCH, name("throughput"), "sums/cycle", Better::More, rate)
        },
    ])
}

/// Published figures, each beside ours of the number of stages that is nearest; `figures` are (stages, ours) of binary32.
fn beside(published: (usize, &str, f64), unit: &str, better: Better, figures: &[(usize, f64)]) -> Option<Row> {
    let (stages, about, figure) = published;
    let &(own, value) = figures.iter().min_by_key(|(own, _)| own.abs_diff(stages))?;
    let name = format!("{}: beside published {stages} stages, {about}", name(32, own));
    Some(Row {
        paper: Some(figure),
        ..Row::new(BENCH, name, unit, better, value)
    })
}

/// The benchmark of the adder.
///
/// # Errors
/// A tool is missing or fails, or a sum is wrong.
pub fn rows(effort: &Effort, progress: &mut dyn FnMut(&str)) -> anyhow::Result<Measured> {
    let mut measured = Measured::default();
    let measures = |stages: &usize| *stages == STAGES || !effort.quick;
    let [mut cells, mut clocks] = [vec![], vec![]];
    let [mut luts, mut frequencies] = [vec![], vec![]];
    for width in [32, 64] {
        let [mut ecp5, mut xilinx, mut clock] = [vec![], vec![], vec![]];
        for stages in ADDER_STAGES.filter(measures) {
            let design = design(width, stages)?;
            progress(&format!("binary{width}, {stages} stages: sums"));
            measured.rows.extend(speed(compiled(&design)?, width, stages, effort)?);
            progress(&format!("binary{width}, {stages} stages: synthesis"));
            let synthesis = Synthesis::of(&design, effort)?;
            for area in [&synthesis.ecp5, &synthesis.xilinx] {
                ensure!(area.dsps == 0, "{} takes {} DSPs", name(width, stages), area.dsps);
            }
            // A shift register is a LUT too.
            let xilinx_luts = (synthesis.xilinx.luts + synthesis.xilinx.lut_rams) as f64;
            ecp5.push((stages as f64, synthesis.ecp5.luts as f64));
            xilinx.push((stages as f64, xilinx_luts));
            let frequency = synthesis.clock.as_ref().and_then(|clock| clock.median);
            clock.extend(frequency.map(|frequency| (stages as f64, frequency)));
            if width == 32 {
                luts.push((stages, xilinx_luts));
                frequencies.extend(frequency.map(|frequency| (stages, frequency)));
            }
            let mut rows = synthesis.rows(&name(width, stages));
            if (width, stages) == (32, STAGES) {
                let what = format!("{}: LUT and shift register, Xilinx 7", name(width, stages));
                rows.push(Row {
                    bound: Some(MOST_LUTS),
                    ..Row::new(BENCH, what, "cells", Better::Less, xilinx_luts)
                });
                let clock = rows.iter_mut().find(|row| row.unit == "MHz");
                clock.into_iter().for_each(|row| row.bound = Some(LEAST_MHZ));
            }
            measured.rows.extend(rows);
        }
        let line = |name: String, points| Line {
            name,
            points,
            ..Line::default()
        };
        cells.push(line(format!("binary{width}, ECP5"), ecp5));
        let published = PUBLISHED_LUTS.iter().filter(|_| width == 32);
        cells.push(Line {
            paper: published.map(|&(stages, _, luts)| (stages as f64, luts)).collect(),
            ..line(format!("binary{width}, Xilinx 7"), xilinx)
        });
        clocks.push(line(format!("binary{width}"), clock));
    }
    let published = PUBLISHED_LUTS.map(|published| beside(published, "LUT", Better::Less, &luts));
    measured.rows.extend(published.into_iter().flatten());
    measured
        .rows
        .extend(beside(PUBLISHED_MHZ, "MHz", Better::More, &frequencies));
    let plot = |title: &str, y: &str, lines| Plot {
        title: format!("fp-add: {title} against stages"),
        x: "stages".to_owned(),
        y: y.to_owned(),
        lines,
    };
    measured.plots.push(plot("LUTs", "LUTs", cells));
    if effort.place.is_some() {
        measured.plots.push(plot("clock", "MHz, ECP5", clocks));
    }
    Ok(measured)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rtl_device;
    use portico_hdl::mpe::FpAdder;

    fn rows_of(stages: usize, said: usize) -> [Row; 2] {
        let adder = rtl_device!(
            FpAdder::<32>::new(stages);
            rst, s_axis_a.tdata, s_axis_a.tlast, s_axis_a.tvalid,
            s_axis_b.tdata, s_axis_b.tlast, s_axis_b.tvalid, m_axis.tready
        );
        speed(adder, 32, said, &Effort::quick()).unwrap()
    }

    #[test]
    fn as_many_cycles_as_stages_and_one_sum_a_cycle() {
        let values = rows_of(3, 3).map(|row| (row.value, row.meets_bound()));
        assert_eq!(values, [(3.0, Some(true)), (1.0, Some(true))]);
    }

    #[test]
    fn a_slower_adder_misses_its_bound() {
        let values = rows_of(5, 4).map(|row| (row.value, row.meets_bound()));
        assert_eq!(values, [(5.0, Some(false)), (1.0, Some(true))]);
    }

    #[test]
    fn quick_rows_hold_their_bounds() {
        let measured = rows(&Effort::quick(), &mut |step| println!("{step}")).unwrap();
        // Latency and throughput of both widths, the LUTs of one.
        let bounded: Vec<_> = measured.rows.iter().filter(|row| row.bound.is_some()).collect();
        assert_eq!(bounded.len(), 2 * 2 + 1);
        assert!(bounded.iter().all(|row| row.meets_bound() == Some(true)), "{bounded:?}");
        let published = measured.rows.iter().filter(|row| row.paper.is_some()).count();
        assert_eq!(published, PUBLISHED_LUTS.len(), "a clock has none without placement");
    }

    #[test]
    fn published_figures_stand_beside_the_nearest() {
        let figures = [(2, 5.0), (4, 6.0), (6, 7.0)];
        let row = beside((7, "no DSP", 376.0), "LUT", Better::Less, &figures).unwrap();
        assert_eq!((row.paper, row.value), (Some(376.0), 7.0));
        assert_eq!(
            row.name,
            "fp-add, binary32, 6 stages: beside published 7 stages, no DSP"
        );
        assert!(beside((7, "", 1.0), "LUT", Better::Less, &[]).is_none());
    }
}
