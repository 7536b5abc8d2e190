//! `portico bench area`: what nodes, routers and engines take of an FPGA, and what fits a board.

use super::sign;
use crate::{
    design::design,
    failure::not_allowed,
    figure_files::BenchFiles,
    fits::{family, Size},
    output::{self, Output},
    progress,
    table::{grouped, table},
};
use anyhow::Context;
use clap::{builder::PossibleValuesParser, Args};
use portico_spec::{mpe::SITES_BOUND, Config};
use portico_synth::{mapped_area, parts, Area, Board, Mapping, Part, Target, Tool};
use portico_testbench::bench::report::{BenchReport, Better, Row};
use portico_verilog::Design;
use std::{collections::BTreeMap, path::PathBuf};

const EXAMPLES: &str = "\
Examples:
  portico bench area                              all, for ECP5 and Xilinx, with the parts of nodes: half an hour or more
  portico bench area --quick                      without the parts of nodes and of the Portals engine
  portico bench area --only router,memory-node    two of them
  portico bench area --json docs/figures/area.json

Each block is synthesised alone, flat, by Yosys: synth_ecp5 -nowidelut, and synth_xilinx -family xc7. A site of an ECP5 is a \
LUT4; a carry cell takes two, a LUT-RAM six. Of Xilinx a LUT-RAM counts as four LUTs. What fits a board is the sum of its \
tiles, its host node, and two routers a tile, which is more than the fabric takes.

Block portals is a Portals engine of 16 ranks with 256 entries. Its bound is that of its parts without the core of its lists, which \
--quick leaves out.";

/// Measure what nodes, routers and engines take of an FPGA
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct AreaBench {
    /// Blocks to measure [default: all, with the share of each board that they take]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', value_parser = names())]
    only: Vec<String>,
    /// Without the parts of nodes and of the Portals engine
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    files: BenchFiles,
    /// Folder for area.json, area.csv and area-wide.csv, made if need be
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// A block that is measured.
pub(super) struct Subject {
    pub(super) name: &'static str,
    block: &'static str,
    settings: &'static [&'static str],
    /// Sites of an ECP5 that it must not exceed.
    bound: Option<f64>,
    /// Levels of parts that are told, or none.
    depth: usize,
    /// The block without one of its parts, as a row of its own.
    rest: Option<Rest>,
}

/// A block without one of its parts, as its parts are counted: a row of its own.
struct Rest {
    name: &'static str,
    /// Path of the part that is left out.
    without: &'static str,
    /// Sites and block RAMs of an ECP5 that it must not exceed.
    sites: f64,
    block_rams: f64,
}

pub(super) const SUBJECTS: [Subject; 14] = [
    Subject::node("tile-full", "tile", &["profile=full"], Some(11_000.0)),
    Subject::node("tile-compact", "tile", &["profile=compact"], Some(8_500.0)),
    Subject::node("tile-leaf", "tile", &["profile=leaf"], Some(5_500.0)),
    Subject::node(
        "host-full",
        "host-node",
        &["host_profile=full", "host_queues=true"],
        Some(6_500.0),
    ),
    Subject::node("host-compact", "host-node", &["host_profile=compact"], None),
    Subject::node("host-leaf", "host-node", &["host_profile=leaf"], None),
    Subject::node("memory-node", "memory-node", &["memories=1"], Some(5_500.0)),
    Subject::part("router", "router", &[]),
    // The bound was set for five neighbours; the engine here has as many as the default of `mpe_neighbours`, which is more.
    Subject {
        bound: Some(SITES_BOUND as f64),
        ..Subject::part("mpe", "mpe", &["mpe=1"])
    },
    Subject {
        depth: 2,
        rest: Some(Rest {
            name: "portals without lists",
            without: "lists.lists",
            sites: 4_200.0,
            block_rams: 8.0,
        }),
        ..Subject::part("portals", "portals", &["portals=16", "entries=256"])
    },
    Subject::part("probe", "probe", &["probe=true"]),
    Subject {
        bound: Some(450.0),
        ..Subject::part("streams", "streams", &["streams=true"])
    },
    Subject::part("list-manager", "list-manager", &[]),
    Subject::part("buddy", "buddy", &[]),
];

/// Fabrics that a board may hold: name, profile, tiles, and whether each has a message-passing engine of one context.
const FABRICS: [(&str, &str, usize, bool); 9] = [
    ("2x2 full, mpe=1", "full", 4, true),
    ("2x2 full", "full", 4, false),
    ("2x2 compact", "compact", 4, false),
    ("2x1 full", "full", 2, false),
    ("3x3 leaf", "leaf", 9, false),
    ("3x2 leaf", "leaf", 6, false),
    ("2x2 leaf", "leaf", 4, false),
    ("2x1 leaf", "leaf", 2, false),
    ("1x1 leaf", "leaf", 1, false),
];

impl Subject {
    const fn node(
        name: &'static str,
        block: &'static str,
        settings: &'static [&'static str],
        bound: Option<f64>,
    ) -> Self {
        Self {
            name,
            block,
            settings,
            bound,
            depth: 2,
            rest: None,
        }
    }

    const fn part(name: &'static str, block: &'static str, settings: &'static [&'static str]) -> Self {
        Self {
            name,
            block,
            settings,
            bound: None,
            depth: 0,
            rest: None,
        }
    }

    pub(super) fn design(&self) -> anyhow::Result<Design> {
        let mut config = Config::default();
        for setting in self.settings {
            config.set(setting).map_err(not_allowed)?;
        }
        design(self.block, &config)
    }
}

/// Names of blocks, on a command line.
pub(super) fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(SUBJECTS.map(|subject| subject.name))
}

/// Areas of all that was measured, by name and family.
type Areas = BTreeMap<(&'static str, &'static str), Area>;

impl AreaBench {
    pub fn run(self) -> anyhow::Result<()> {
        let is_chosen = |subject: &&Subject| self.only.is_empty() || self.only.iter().any(|name| name == subject.name);
        let chosen: Vec<&Subject> = SUBJECTS.iter().filter(is_chosen).collect();
        let steps: usize = chosen.iter().map(|subject| self.steps(subject)).sum();
        let bar = progress::bar(0);
        let mut step = progress::steps(&bar);
        let (mut rows, mut areas, mut done) = (vec![], Areas::new(), 0);
        for subject in chosen {
            let design = subject.design()?;
            for target in Target::ALL {
                step(done, steps, &format!("{} for {target}", subject.name));
                let mapping = Mapping {
                    flat: true,
                    ..Mapping::of(target)
                };
                let area = mapped_area(&design, mapping)?;
                rows.extend(of_node(subject, target, &area));
                areas.insert((subject.name, family(target)), area);
                done += 1;
            }
            if self.steps(subject) > Target::ALL.len() {
                step(done, steps, &format!("parts of {}", subject.name));
                let block = parts(&design, subject.depth)?.block;
                if let Some(rest) = &subject.rest {
                    rows.extend(of_rest(rest, &block)?);
                }
                of_parts(subject.name, &block, "", &mut rows);
                done += 1;
            }
        }
        bar.finish_and_clear();
        if self.only.is_empty() {
            rows.extend(of_boards(&areas));
        }

        let mut report = BenchReport {
            rows,
            ..BenchReport::default()
        };
        sign(&mut report, 0, [Tool::Yosys])?;
        report.config.clear();
        let mut output = Output::default();
        let text = text(&report);
        self.files.add(&mut output, self.out.as_deref(), "area", &report);
        output.commit()?;
        output::print(&text)
    }

    /// Runs of Yosys.
    fn steps(&self, subject: &Subject) -> usize {
        Target::ALL.len() + usize::from(subject.depth > 0 && !self.quick)
    }
}

/// LUTs that an area takes, those of memories and carry cells among them.
fn taken(target: Target, area: &Area) -> u64 {
    match target {
        Target::Ecp5 => area.sites(),
        Target::Xilinx => area.luts + 4 * area.lut_rams,
    }
}

fn cells(target: Target, area: &Area) -> [(&'static str, u64); 7] {
    [
        ("LUT", area.luts),
        ("carry", area.carry),
        ("LUT-RAM", area.lut_rams),
        ("FF", area.ffs),
        ("block RAM", area.block_rams),
        ("DSP", area.dsps),
        ("sites", taken(target, area)),
    ]
}

fn of_node(subject: &Subject, target: Target, area: &Area) -> Vec<Row> {
    let rows = cells(target, area).map(|(cell, count)| {
        let bound = subject.bound.filter(|_| cell == "sites" && target == Target::Ecp5);
        node_row(subject.name, target, cell, count, bound)
    });
    rows.into()
}

fn node_row(node: &str, target: Target, cell: &str, count: u64, bound: Option<f64>) -> Row {
    let name = format!("{node}, {}, {cell}", family(target));
    Row {
        bound,
        ..Row::new("area", name, "cells", Better::Less, count as f64)
    }
    .with("measure", "node")
    .with("node", node)
    .with("family", family(target))
    .with("cell", cell)
}

/// A row for each kind of cell of a block without one of its parts.
///
/// # Errors
/// The block has no such part.
fn of_rest(rest: &Rest, block: &Part) -> anyhow::Result<Vec<Row>> {
    let part = rest.without.split('.').try_fold(block, |within, name| {
        let mut parts = within.parts.iter();
        let found = parts.find(|part| part.name == name);
        found.with_context(|| format!("{} has no part {}", block.name, rest.without))
    })?;
    let [of_block, of_part] = [block, part].map(|part| cells(Target::Ecp5, &part.area));
    let rows = of_block.into_iter().zip(of_part).map(|((cell, all), (_, out))| {
        let bound = match cell {
            "sites" => Some(rest.sites),
            "block RAM" => Some(rest.block_rams),
            _ => None,
        };
        node_row(rest.name, Target::Ecp5, cell, all - out, bound)
    });
    Ok(rows.collect())
}

/// A row for each kind of cell of each part below the block.
fn of_parts(node: &str, block: &Part, within: &str, rows: &mut Vec<Row>) {
    for part in &block.parts {
        let path = format!("{within}{}", part.name);
        rows.extend(cells(Target::Ecp5, &part.area).map(|(cell, count)| {
            Row::new(
                "area",
                format!("{node}, {path}, {cell}"),
                "cells",
                Better::Less,
                count as f64,
            )
            .with("measure", "part")
            .with("node", node)
            .with("part", path.as_str())
            .with("cell", cell)
        }));
        of_parts(node, part, &format!("{path}."), rows);
    }
}

/// The share of a board's LUTs that each node and fabric takes.
fn of_boards(areas: &Areas) -> Vec<Row> {
    let mut rows = vec![];
    for board in Board::all() {
        let of = |name: &str| taken(board.family, &areas[&(name, family(board.family))]);
        let mut add = |what: &str, kind: &str, luts: u64| {
            let share = 100.0 * luts as f64 / board.capacity.luts as f64;
            let name = format!("{what} on {}", board.name);
            rows.push(
                Row::new("area", name, "% of LUTs", Better::Less, share)
                    .with("measure", kind)
                    .with("what", what)
                    .with("board", board.name),
            );
        };
        for subject in &SUBJECTS {
            add(subject.name, "node on board", of(subject.name));
        }
        for (name, profile, tiles, mpe) in FABRICS {
            let size = Size {
                profile,
                host: Config::default().host_profile,
                tiles,
                mpe,
                probe: false,
                streams: false,
            };
            add(name, "fabric on board", size.luts(of));
        }
    }
    rows
}

/// The nodes with their cells, and what the boards have of them.
fn text(report: &BenchReport) -> String {
    let nodes = report.rows.iter().filter(|row| row.keys["measure"] == "node");
    let mut lines: Vec<(Vec<String>, Vec<String>)> = vec![];
    for row in nodes {
        let first = [&row.keys["node"], &row.keys["family"]].map(|key| key.as_str().unwrap_or_default().to_owned());
        if lines.last().is_none_or(|(line, _)| line[..2] != first) {
            lines.push((first.into(), vec![]));
        }
        let (line, verdicts) = lines.last_mut().expect("one was added");
        line.push(grouped(row.value as u64));
        if let Some(met) = row.meets_bound() {
            let verdict = if met { "met" } else { "MISSED" };
            let bound = grouped(row.bound.unwrap_or_default() as u64);
            verdicts.push(match row.keys["cell"].as_str() {
                Some("block RAM") => format!("{verdict}, {bound} block RAM"),
                _ => format!("{verdict}, {bound}"),
            });
        }
    }
    let lines = lines.into_iter().map(|(mut line, verdicts)| {
        line.push(verdicts.join("; "));
        line
    });
    let header = [
        "block",
        "family",
        "LUT",
        "carry",
        "LUT-RAM",
        "FF",
        "block RAM",
        "DSP",
        "sites",
        "bound",
    ];
    let nodes = table(&header, lines, &[2, 3, 4, 5, 6, 7, 8]);

    let fabrics = report
        .rows
        .iter()
        .filter(|row| row.keys["measure"] == "fabric on board");
    let shares: Vec<Vec<String>> = fabrics
        .map(|row| {
            let key = |key: &str| row.keys[key].as_str().unwrap_or_default().to_owned();
            vec![key("board"), key("what"), format!("{:.0}", row.value)]
        })
        .collect();
    match shares.is_empty() {
        true => nodes,
        false => format!("{nodes}\n{}", table(&["board", "fabric", "% of LUTs"], shares, &[2])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn areas(luts: u64) -> Areas {
        let area = Area {
            luts,
            carry: 1,
            lut_rams: 10,
            ..Area::default()
        };
        let families = Target::ALL.map(family);
        let keys = SUBJECTS
            .iter()
            .flat_map(|subject| families.map(|family| (subject.name, family)));
        keys.map(|key| (key, area.clone())).collect()
    }

    #[test]
    fn a_fabric_is_the_sum_of_its_tiles_host_routers_and_engines() {
        let rows = of_boards(&areas(1000));
        let share = |what: &str, board: &str| {
            let mut found = rows
                .iter()
                .filter(|row| row.keys["what"] == what && row.keys["board"] == board);
            found.next().map(|row| row.value).unwrap()
        };
        // 1,062 sites each on an ECP5, 1,040 LUTs on Xilinx.
        let (ecp5, xilinx) = (1062.0 / 836.40, 1040.0 / 208.0);
        assert!((share("tile-leaf", "ulx3s-85f") - ecp5).abs() < 1e-9);
        assert!((share("2x2 full", "ulx3s-85f") - 13.0 * ecp5).abs() < 1e-9);
        assert!((share("2x2 full, mpe=1", "ulx3s-85f") - 17.0 * ecp5).abs() < 1e-9);
        assert!((share("1x1 leaf", "arty-a7-35t") - 4.0 * xilinx).abs() < 1e-9);
    }

    #[test]
    fn bounds_are_of_sites_on_ecp5() {
        let area = Area {
            luts: 5_501,
            ..Area::default()
        };
        let leaf = SUBJECTS.iter().find(|subject| subject.name == "tile-leaf").unwrap();
        let verdicts = |target| {
            of_node(leaf, target, &area)
                .iter()
                .filter_map(Row::meets_bound)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            (verdicts(Target::Ecp5), verdicts(Target::Xilinx)),
            (vec![false], vec![])
        );
        let report = BenchReport {
            rows: of_node(leaf, Target::Ecp5, &area),
            ..BenchReport::default()
        };
        assert!(text(&report).contains("| MISSED, 5,500"), "{}", text(&report));
    }

    /// An instance with so many LUTs and block RAMs in all.
    fn part(name: &str, luts: u64, block_rams: u64, parts: Vec<Part>) -> Part {
        let area = Area {
            luts,
            block_rams,
            ..Area::default()
        };
        Part {
            name: name.into(),
            module: name.into(),
            sites: area.sites(),
            area,
            parts,
        }
    }

    #[test]
    fn the_engine_is_held_to_its_bounds_without_its_lists() {
        let portals = SUBJECTS.iter().find(|subject| subject.name == "portals").unwrap();
        let rest = portals.rest.as_ref().unwrap();
        let engine = |luts, block_rams| {
            let lists = part("lists", 2_050, 25, vec![part("lists", 2_000, 25, vec![])]);
            part("portals", luts, block_rams, vec![part("door", 100, 1, vec![]), lists])
        };
        let verdicts = |luts, block_rams| {
            let rows = of_rest(rest, &engine(luts, block_rams)).unwrap();
            let cell = |row: &Row| row.keys["cell"].as_str().unwrap().to_owned();
            let told = rows.iter().filter_map(|row| Some((cell(row), row.meets_bound()?)));
            told.collect::<Vec<_>>()
        };
        let told = |block_rams, sites| vec![("block RAM".to_owned(), block_rams), ("sites".to_owned(), sites)];
        assert_eq!(verdicts(6_200, 33), told(true, true));
        assert_eq!(verdicts(6_201, 34), told(false, false));
        let report = BenchReport {
            rows: of_rest(rest, &engine(6_201, 33)).unwrap(),
            ..BenchReport::default()
        };
        let text = text(&report);
        assert!(text.contains("| met, 8 block RAM; MISSED, 4,200"), "{text}");
        let without = of_rest(rest, &part("portals", 1, 0, vec![])).unwrap_err();
        assert_eq!(without.to_string(), "portals has no part lists.lists");
    }
}
