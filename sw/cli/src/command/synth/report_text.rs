//! Reports of synthesis as text.

use crate::table::table;
use portico_synth::{ModeArea, Part, PartsReport, SynthReport, Timing};
use std::collections::BTreeMap;

/// Area, clock by seed, and the slowest path.
pub fn synth(report: &SynthReport) -> String {
    let head = format!("{} on {}, by {}\n", report.top, report.target, listed(&report.tools));
    let area = area_table(&report.area);
    let timing = report.timing.as_ref().map_or_else(String::new, clock);
    format!("{head}\n{area}{timing}")
}

/// Area by part: a row holds the rows of its parts.
pub fn parts(report: &PartsReport) -> String {
    let tools = listed(&report.tools);
    format!(
        "{} on ecp5 by parts, by {tools}, `{}`\n\n{}\nA row holds the rows of its parts. Nothing is optimised across parts: the \
         sum is larger than the flat area.\n",
        report.top,
        report.command,
        parts_table(&report.block)
    )
}

/// Tools with their versions, in a line.
fn listed(tools: &BTreeMap<String, String>) -> String {
    let tools = tools.iter().map(|(tool, version)| format!("{tool} ({version})"));
    tools.collect::<Vec<_>>().join(" and ")
}

fn area_table(ModeArea { command, area }: &ModeArea) -> String {
    let others = area.others.iter().map(|(cell, count)| format!("{count} {cell}"));
    let others: Vec<String> = others.collect();
    let counts = [
        area.luts,
        area.carry,
        area.ffs,
        area.lut_rams,
        area.block_rams,
        area.dsps,
        area.muxes,
    ];
    let header = [
        "mode",
        "LUT",
        "carry",
        "FF",
        "LUT RAM",
        "block RAM",
        "DSP",
        "mux",
        "other cells",
    ];
    let counts = counts.iter().map(u64::to_string);
    let row = [command.clone()].into_iter().chain(counts).chain([others.join(", ")]);
    table(&header, [row.collect()], &[1, 2, 3, 4, 5, 6, 7])
}

fn clock(timing: &Timing) -> String {
    let path = match timing.median {
        Some(_) => format!("\nSlowest path at the median, in ns:\n\n{}", timing.critical_path),
        None => String::new(),
    };
    format!(
        "\nClock on {}, aimed at {} MHz, after `{}`, every input and output registered:\n\n{}{path}",
        timing.device,
        timing.target_mhz,
        timing.command,
        seeds_table(timing)
    )
}

fn seeds_table(timing: &Timing) -> String {
    let shown = |mhz: Option<f64>| mhz.map_or_else(|| "not finished".to_owned(), |mhz| format!("{mhz:.1}"));
    let seeds = timing.seeds.iter().zip(&timing.per_seed);
    let rows = seeds.map(|(seed, &mhz)| vec![seed.to_string(), shown(mhz)]);
    let median = vec!["median".to_owned(), shown(timing.median)];
    table(&["seed", "fmax (MHz)"], rows.chain([median]), &[1])
}

fn parts_table(block: &Part) -> String {
    let mut rows = vec![];
    add(block, "", &mut rows);
    let header = ["part", "LUT4", "carry", "LUT RAM", "FF", "block RAM", "DSP", "sites"];
    table(&header, rows, &[1, 2, 3, 4, 5, 6, 7])
}

/// Adds the rows of a part; its name has those of the parts that hold it before it.
fn add(part: &Part, within: &str, rows: &mut Vec<Vec<String>>) {
    let (name, area) = (format!("{within}{}", part.name), &part.area);
    let counts = [
        area.luts,
        area.carry,
        area.lut_rams,
        area.ffs,
        area.block_rams,
        area.dsps,
        part.sites,
    ];
    rows.push(
        [name.clone()]
            .into_iter()
            .chain(counts.iter().map(u64::to_string))
            .collect(),
    );
    // The block itself is in no name.
    let within = match within.is_empty() && part.name == part.module {
        true => String::new(),
        false => format!("{name}."),
    };
    for part in &part.parts {
        add(part, &within, rows);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portico_synth::{Area, Target};

    fn timing(per_seed: Vec<Option<f64>>, median: Option<f64>) -> Timing {
        Timing {
            device: "LFE5U-85F".into(),
            command: "synth_ecp5".into(),
            target_mhz: 200.0,
            seeds: vec![1, 2],
            per_seed,
            median,
            critical_path: "setup 3.1\n".into(),
            slowest_ends: vec![],
        }
    }

    #[test]
    fn a_report_has_the_area_the_clock_and_the_versions() {
        let area = Area {
            luts: 10,
            others: [("EHXPLLL".into(), 1)].into(),
            ..Area::default()
        };
        let report = SynthReport {
            top: "portico_fifo".into(),
            target: Target::Ecp5,
            tools: [("Yosys".into(), "0.70".into())].into(),
            area: ModeArea {
                command: "synth_ecp5 -nowidelut".into(),
                area,
            },
            timing: Some(timing(vec![None, Some(100.0)], Some(100.0))),
        };
        insta::assert_snapshot!(synth(&report));
    }

    #[test]
    fn a_clock_that_no_seed_reached_has_no_path() {
        let text = clock(&timing(vec![None; 2], None));
        assert_eq!(text.matches("not finished").count(), 3, "{text}");
        assert!(!text.contains("setup"), "{text}");
    }

    #[test]
    fn a_part_below_another_has_both_names() {
        let part = |name: &str, parts| Part {
            name: name.into(),
            module: format!("portico_{name}"),
            area: Area::default(),
            sites: 0,
            parts,
        };
        let block = Part {
            module: "tile".into(),
            ..part("tile", vec![part("ni", vec![part("receiver", vec![])])])
        };
        let report = PartsReport {
            top: "portico_tile".into(),
            tools: [("Yosys".into(), "0.70".into())].into(),
            command: "synth_ecp5".into(),
            depth: 2,
            block,
        };
        let text = parts(&report);
        assert!(text.contains("\n ni.receiver |"), "{text}");
        assert!(
            text.starts_with("portico_tile on ecp5 by parts, by Yosys (0.70), `synth_ecp5`\n\n part "),
            "{text}"
        );
    }
}
