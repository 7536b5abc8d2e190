//! The reduce ALU: cycles of each operation, operations a cycle in a random mix, area and clock against stages.

use super::{synthesis::Synthesis, Effort, Line, Measured, Plot, BENCH};
use crate::{
    bench::report::{Better, Row},
    device::{hardware::compiled, Device, Input, Output},
};
use anyhow::{ensure, Context};
use portico_golden::mpe::reduce::reduce;
use portico_spec::{
    fp::{Format, ADDER_STAGES},
    mpe::reduce::Operation,
    Config,
};
use portico_verilog::Design;
use rand::{rngs::SmallRng, seq::SliceRandom, Rng, SeedableRng};

/// Stages of the ALU whose figures are compared.
const STAGES: usize = 4;

/// The Verilog of an ALU for words of `width` bits.
///
/// # Errors
/// The backend refuses the block.
pub fn design(width: usize, stages: usize) -> anyhow::Result<Design> {
    let config = Config {
        width,
        stages,
        ..Config::default()
    };
    Ok(portico_generate::design("reduce-alu", &config)?)
}

/// An ALU between two streams that offer and one that takes, always.
struct Bench<D> {
    device: D,
    format: Format,
    valid: [Input; 2],
    words: [Input; 2],
    operation: Input,
    taken: Output,
    offered: Output,
    result: Output,
    flags: Output,
}

impl<D: Device> Bench<D> {
    fn new(mut device: D, format: Format) -> anyhow::Result<Self> {
        let input = |name| device.require_input(name);
        let output = |name| device.require_output(name);
        let (always, ignored) = (
            input("m_axis_tready")?,
            [input("s_axis_a_tlast")?, input("s_axis_b_tlast")?],
        );
        let (valid, words) = (
            [input("s_axis_a_tvalid")?, input("s_axis_b_tvalid")?],
            [input("s_axis_a_tdata")?, input("s_axis_b_tdata")?],
        );
        let operation = input("s_axis_a_tuser")?;
        let (taken, offered) = (output("s_axis_a_tready")?, output("m_axis_tvalid")?);
        let (result, flags) = (output("m_axis_tdata")?, output("m_axis_tuser")?);
        let idle = valid.into_iter().chain(words).chain(ignored).chain([operation]);
        idle.for_each(|port| device.set(port, 0));
        device.set(always, 1);
        device.reset(2);
        Ok(Self {
            device,
            format,
            valid,
            words,
            operation,
            taken,
            offered,
            result,
            flags,
        })
    }

    /// Runs operations back to back: cycles from the first pair offered to the last result, and from each pair taken to its
    /// result at the longest.
    fn run(&mut self, operations: &[(Operation, [u64; 2])]) -> anyhow::Result<(u64, u64)> {
        let (mut taken_at, mut left, mut longest) = (vec![], 0, 0);
        let most = 100 + 10 * operations.len() as u64;
        for cycle in 0..most {
            let next = operations.get(taken_at.len());
            let offers = next.is_some();
            self.valid.iter().for_each(|port| self.device.set(*port, offers.into()));
            if let Some(&(operation, words)) = next {
                self.device.set(self.operation, operation as u64);
                self.words
                    .iter()
                    .zip(words)
                    .for_each(|(port, word)| self.device.set(*port, word));
            }
            self.device.settle();
            if self.device.get(self.offered) == 1 {
                let &(operation, [a, b]) = operations.get(left).context("a result of nothing")?;
                let (word, flags) = reduce(self.format, operation as u32, a, b);
                let seen = [self.result, self.flags].map(|port| self.device.get(port));
                ensure!(
                    seen == [word, flags.into()],
                    "{operation:?} of {a:#x} and {b:#x} gives {seen:x?} and not {:x?}",
                    [word, flags.into()]
                );
                longest = longest.max(cycle - *taken_at.get(left).context("a result before its operands")?);
                left += 1;
            }
            if next.is_some() && self.device.get(self.taken) == 1 {
                taken_at.push(cycle);
            }
            self.device.tick();
            if left == operations.len() {
                return Ok((cycle, longest));
            }
        }
        anyhow::bail!("{left} of {} results in {most} cycles", operations.len())
    }
}

/// A random mix of all operations on words of any kind, exponents of the two close together in one of two.
fn mix(format: Format, count: usize, rng: &mut SmallRng) -> Vec<(Operation, [u64; 2])> {
    let any = |rng: &mut SmallRng| rng.gen::<u64>() >> (64 - format.width);
    let mut one = || {
        let operation = *Operation::ALL.choose(rng).expect("there are operations");
        let a = any(rng);
        let b = match rng.gen() {
            true => any(rng),
            false => a ^ (any(rng) & (format.fraction_mask() | format.sign_mask())),
        };
        (operation, [a, b])
    };
    (0..count).map(|_| one()).collect()
}

/// Rows of latency and throughput.
fn speed(device: impl Device, width: usize, effort: &Effort) -> anyhow::Result<Vec<Row>> {
    let format = Format::of_width(width).context("a width of 32 or 64")?;
    let mut bench = Bench::new(device, format)?;
    let mut rng = SmallRng::seed_from_u64(effort.seed);
    let mut longest = 0;
    for &operation in Operation::ALL {
        let (cycles, _) = bench.run(&[(operation, mix(format, 1, &mut rng)[0].1)])?;
        longest = longest.max(cycles);
    }
    let operations = mix(format, if effort.quick { 2_000 } else { 100_000 }, &mut rng);
    let (cycles, latency) = bench.run(&operations)?;
    // The pipeline fills once.
    let rate = operations.len() as f64 / (cycles - longest + 1).max(1) as f64;
    let name = |figure: &str| format!("reduce-alu, {width} bits, {STAGES} stages: {figure}");
    let stages = Some(STAGES as f64);
    let (alone, mixed) = (
        name("slowest operation alone"),
        name("slowest operation of a random mix"),
    );
    Ok(vec![
        Row {
            bound: stages,
            ..Row::new(BENCH, alone, "cycles", Better::Less, longest as f64)
        },
        Row {
            bound: stages,
            ..Row::new(BENCH, mixed, "cycles", Better::Less, latency as f64)
        },
        Row {
            limit: Some(1.0),
            bound: Some(1.0),
            ..Row::new(BENCH, name("random mix"), "operations/cycle", Better::More, rate)
        },
    ])
}

/// The benchmark of the ALU.
///
/// # Errors
/// A tool is missing or fails, or a result is wrong.
pub fn rows(effort: &Effort, progress: &mut dyn FnMut(&str)) -> anyhow::Result<Measured> {
    let mut measured = Measured::default();
    for width in [32, 64] {
        progress(&format!("{width} bits: operations"));
        let device = compiled(&design(width, STAGES)?)?;
        measured.rows.extend(speed(device, width, effort)?);
    }
    let mut plot = Plot {
        title: "reduce-alu: LUTs against stages".to_owned(),
        x: "stages".to_owned(),
        y: "LUTs".to_owned(),
        lines: vec![],
    };
    let mut clocks = Plot {
        title: "reduce-alu: clock against stages".to_owned(),
        y: "MHz, ECP5".to_owned(),
        ..plot.clone()
    };
    for width in [32, 64] {
        let [mut ecp5, mut xilinx, mut clock] = [vec![], vec![], vec![]];
        for stages in ADDER_STAGES.filter(|&stages| stages == STAGES || !effort.quick) {
            progress(&format!("{width} bits, {stages} stages: synthesis"));
            let synthesis = Synthesis::of(&design(width, stages)?, effort)?;
            let x = stages as f64;
            ecp5.push((x, synthesis.ecp5.luts as f64));
            xilinx.push((x, synthesis.xilinx.luts as f64));
            clock.extend(synthesis.clock.iter().filter_map(|clock| Some((x, clock.median?))));
            if stages == STAGES {
                let block = format!("reduce-alu, {width} bits, {stages} stages");
                measured.rows.extend(synthesis.rows(&block));
            }
        }
        let line = |name: String, points| Line {
            name,
            points,
            ..Line::default()
        };
        plot.lines.push(line(format!("{width} bits, ECP5"), ecp5));
        plot.lines.push(line(format!("{width} bits, Xilinx 7"), xilinx));
        clocks.lines.push(line(format!("{width} bits"), clock));
    }
    measured.plots.push(plot);
    if effort.place.is_some() {
        measured.plots.push(clocks);
    }
    Ok(measured)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rtl_device;
    use portico_hdl::mpe::ReduceAlu;

    #[test]
    fn four_stages_take_four_cycles_and_one_operation_a_cycle() {
        let alu = rtl_device!(
            ReduceAlu::<32>::new(STAGES);
            rst, s_axis_a.tdata, s_axis_a.tlast, s_axis_a.tvalid, s_axis_a_tuser,
            s_axis_b.tdata, s_axis_b.tlast, s_axis_b.tvalid, m_axis.tready
        );
        let rows = speed(alu, 32, &Effort::quick()).unwrap();
        let values: Vec<_> = rows.iter().map(|row| (row.value, row.meets_bound())).collect();
        assert_eq!(values, [(4.0, Some(true)), (4.0, Some(true)), (1.0, Some(true))]);
    }

    #[test]
    fn quick_rows_hold_their_bounds() {
        let measured = rows(&Effort::quick(), &mut |step| println!("{step}")).unwrap();
        let bounded: Vec<_> = measured.rows.iter().filter(|row| row.bound.is_some()).collect();
        assert_eq!(bounded.len(), 2 * 3, "both widths");
        assert!(bounded.iter().all(|row| row.meets_bound() == Some(true)), "{bounded:?}");
        let cells = measured.rows.iter().filter(|row| row.name.contains("LUT, "));
        assert_eq!(cells.count(), 2 * 2, "both widths, both families");
    }

    #[test]
    fn a_slower_alu_misses_its_bounds() {
        let alu = rtl_device!(
            ReduceAlu::<32>::new(STAGES + 1);
            rst, s_axis_a.tdata, s_axis_a.tlast, s_axis_a.tvalid, s_axis_a_tuser,
            s_axis_b.tdata, s_axis_b.tlast, s_axis_b.tvalid, m_axis.tready
        );
        let rows = speed(alu, 32, &Effort::quick()).unwrap();
        assert_eq!((rows[0].value, rows[0].meets_bound()), (5.0, Some(false)));
    }
}
