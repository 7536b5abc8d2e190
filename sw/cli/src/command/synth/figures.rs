//! Figures of synthesis in the form of all figures, with the bounds of the router.

use crate::{design, table::table};
use portico_generate::Top;
use portico_spec::Config;
use portico_synth::{ModeArea, SynthReport, Target};
use portico_testbench::bench::report::{settings, BenchReport, Better, Row};

/// LUT4 of a 32-bit router on ECP5 with `-nowidelut`, by FIFO depth, that Portico must not exceed; the best open wormhole
/// router takes 663.
const ROUTER_LUTS: [(usize, f64); 2] = [(2, 640.0), (4, 680.0)];

/// Clock in MHz that it must reach on an LFE5U-85F of speed grade 6; the best open ones reach 108 with single-flit
/// packets and 91 as a wormhole router.
const ROUTER_MHZ: f64 = 115.0;

/// The figures of a block.
pub fn bench_report(block: &Top, config: &Config, report: &SynthReport) -> BenchReport {
    let is_compared = report.area.command == Target::Ecp5.mode().command();
    let depth = (block.name == "router" && config.width == 32 && is_compared).then_some(config.fifo);
    let luts_bound = ROUTER_LUTS
        .iter()
        .find(|(fifo, _)| Some(*fifo) == depth)
        .map(|(_, luts)| *luts);
    let row = |name: String, unit: &str, better, value| Row::new("synth", name, unit, better, value);
    let mut rows = vec![];
    let ModeArea { command, area } = &report.area;
    let counts = [
        ("LUT", area.luts),
        ("carry", area.carry),
        ("FF", area.ffs),
        ("LUT RAM", area.lut_rams),
        ("block RAM", area.block_rams),
        ("DSP", area.dsps),
        ("mux", area.muxes),
    ];
    rows.extend(counts.map(|(cell, count)| Row {
        bound: luts_bound.filter(|_| cell == "LUT"),
        ..row(
            format!("{}, {command}, {cell}", block.name),
            "cells",
            Better::Less,
            count as f64,
        )
    }));
    rows.extend(report.timing.iter().filter_map(|timing| {
        let name = format!(
            "{}, clock on {}, median of {} seeds",
            block.name,
            timing.device,
            timing.per_seed.iter().flatten().count()
        );
        Some(Row {
            bound: luts_bound.map(|_| ROUTER_MHZ),
            ..row(name, "MHz", Better::More, timing.median?)
        })
    }));
    let mut tools = report.tools.clone();
    tools.insert("portico".into(), design::VERSION.into());
    BenchReport {
        tools,
        config: settings(block.configuration(config)),
        rows,
        ..BenchReport::default()
    }
}

/// The figures that have a bound, beside it; nothing if none has.
pub fn bounds(figures: &BenchReport) -> String {
    let rows = figures.rows.iter().filter_map(|row| {
        let (bound, met) = (row.bound?, row.meets_bound()?);
        let verdict = if met { "met" } else { "MISSED" };
        Some(vec![
            row.name.clone(),
            row.unit.clone(),
            bound.to_string(),
            format!("{:.1}", row.value),
            verdict.to_owned(),
        ])
    });
    let rows: Vec<Vec<String>> = rows.collect();
    match rows.is_empty() {
        true => String::new(),
        false => format!(
            "\n{}",
            table(&["figure", "unit", "bound", "Portico", ""], rows, &[2, 3])
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portico_synth::{Area, Timing};

    fn report(luts: u64, median: f64) -> SynthReport {
        SynthReport {
            top: "portico_router".into(),
            target: Target::Ecp5,
            tools: [("Yosys".into(), "0.70".into())].into(),
            area: ModeArea {
                command: "synth_ecp5 -nowidelut".into(),
                area: Area {
                    luts,
                    ..Area::default()
                },
            },
            timing: Some(Timing {
                device: "LFE5U-85F".into(),
                command: "synth_ecp5 -nowidelut".into(),
                target_mhz: 200.0,
                seeds: vec![1, 2, 3],
                per_seed: vec![Some(median); 3],
                median: Some(median),
                critical_path: String::new(),
                slowest_ends: vec![],
            }),
        }
    }

    fn verdicts(block: &str, config: &Config, report: &SynthReport) -> Vec<bool> {
        let figures = bench_report(design::block(block), config, report);
        figures.rows.iter().filter_map(Row::meets_bound).collect()
    }

    #[test]
    fn the_router_is_held_to_its_bounds_in_the_mode_that_is_compared() {
        let with = |fifo| Config {
            fifo,
            ..Config::default()
        };
        assert_eq!(verdicts("router", &with(2), &report(640, 115.0)), [true, true]);
        assert_eq!(verdicts("router", &with(2), &report(641, 114.9)), [false, false]);
        assert_eq!(verdicts("router", &with(4), &report(680, 120.0)), [true, true]);
        assert_eq!(verdicts("router", &with(3), &report(100, 120.0)), [false; 0]);
        let mut wide = report(900, 120.0);
        wide.area.command = "synth_ecp5".into();
        assert_eq!(verdicts("router", &with(2), &wide), [false; 0]);
        assert_eq!(verdicts("fifo", &with(2), &report(100, 120.0)), [false; 0]);
    }

    #[test]
    fn bounds_stand_beside_the_figures() {
        let figures = bench_report(design::block("router"), &Config::default(), &report(700, 120.0));
        let text = bounds(&figures);
        let line = text.lines().find(|line| line.contains("-nowidelut, LUT")).unwrap();
        assert!(line.contains("680 |   700.0 | MISSED"), "{text}");
        assert_eq!(bounds(&BenchReport::default()), "");
    }
}
