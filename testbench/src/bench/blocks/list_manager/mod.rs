//! The list manager's benchmark: cycles of every kind of command against their bounds, the paper's worst case (Portals
//! Accelerator, Figures 11 and 12) beside portable Rust, memory beside the paper's Table II, and area.

mod software;
mod unit;

use super::{memory::memory_bits, synthesis::Synthesis, Effort, Line, Measured, Plot, BENCH};
use crate::bench::report::{Better, Row};
use crate::device::{hardware, verilated::Verilated};
use anyhow::Result;
use portico_spec::portals::list::{command, handle_command, Entry, List, Opcode, ANY_SOURCE, USE_ONCE};
use portico_spec::Config;
use portico_verilog::Design;
use rand::{rngs::SmallRng, Rng, SeedableRng};
use software::SoftwareList;
use unit::Unit;

/// Clocks at which cycles are told as time, in MHz.
const CLOCKS: [f64; 3] = [100.0, 250.0, 500.0];
/// Senders of the paper's platform.
const NODES: u64 = 128;
/// Buckets of the hashed variant.
const BUCKETS: usize = 64;
/// Bits of the paper's memory of lists: 512 words of 256 bits.
const PAPER_ENTRIES: usize = 512;
const PAPER_BITS: f64 = 512.0 * 256.0;

fn design(entries: usize, buckets: usize) -> Result<Design> {
    let config = Config {
        entries,
        buckets,
        ..Config::default()
    };
    Ok(portico_generate::design("list-manager", &config)?)
}

fn unit(entries: usize, buckets: usize) -> Result<Unit<Verilated>> {
    Unit::new(hardware::compiled(&design(entries, buckets)?)?, entries)
}

/// Message number `number` of the paper's worst case: from one node after the other, with tags that differ.
fn message(number: u64) -> Entry {
    Entry {
        source: (number % NODES) as u16,
        match_bits: number,
        length: 64,
        ..Entry::default()
    }
}

/// The receive that the message last in the queue matches.
fn receive(number: u64) -> Entry {
    Entry {
        options: 1 << USE_ONCE,
        ..message(number)
    }
}

/// Cycles to find the last of n messages in Unexpected, for each of the lengths, which rise.
fn worst_case(unit: &mut Unit<Verilated>, lengths: &[u64]) -> Result<Vec<(u64, u64)>> {
    let (mut sent, mut found) = (0, vec![]);
    for &length in lengths {
        while sent < length {
            unit.serve(&command(Opcode::Append, List::Unexpected, &message(sent)))?;
            sent += 1;
        }
        let served = unit.serve(&command(Opcode::Probe, List::Unexpected, &receive(length - 1)))?;
        found.push((length, served.cycles));
    }
    Ok(found)
}

/// The same in software, in nanoseconds.
fn software(chains: usize, lengths: &[u64]) -> Vec<(f64, f64)> {
    let (mut list, mut sent) = (SoftwareList::new(chains), 0);
    let times = lengths.iter().map(|&length| {
        (sent..length).for_each(|number| list.append(message(number)));
        sent = length;
        (length as f64, list.nanoseconds(&receive(length - 1)))
    });
    times.collect()
}

/// Least squares: slope and constant.
fn regression(points: &[(u64, u64)]) -> (f64, f64) {
    let count = points.len() as f64;
    let mean = |of: fn(&(u64, u64)) -> u64| points.iter().map(|point| of(point) as f64).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let product = |point: &(u64, u64)| (point.0 as f64 - x) * (point.1 as f64 - y);
    let square = |point: &(u64, u64)| (point.0 as f64 - x).powi(2);
    let slope = points.iter().map(product).sum::<f64>() / points.iter().map(square).sum::<f64>();
    (slope, y - slope * x)
}

/// A plot of the worst case as time: the cycles at each clock, and software.
fn times(title: &str, cycles: &[(u64, u64)], software: Vec<(f64, f64)>) -> Plot {
    let at_clock = |&clock: &f64| Line {
        name: format!("Portico at {clock} MHz"),
        points: (cycles.iter())
            .map(|&(length, cycles)| (length as f64, cycles as f64 * 1e3 / clock))
            .collect(),
        ..Line::default()
    };
    let mut lines: Vec<_> = CLOCKS.iter().map(at_clock).collect();
    lines.push(Line {
        name: "Rust on this machine".into(),
        points: software,
        ..Line::default()
    });
    Plot {
        title: title.into(),
        x: "messages in the queue".into(),
        y: "nanoseconds to match the last".into(),
        lines,
    }
}

fn line(name: &str, points: &[(u64, u64)]) -> Line {
    Line {
        name: name.into(),
        points: points.iter().map(|&(x, y)| (x as f64, y as f64)).collect(),
        ..Line::default()
    }
}

/// Most cycles of a hashed search beyond 2 an entry of bucket and wildcards, over every mixture of few of both, with what is
/// found in either or nowhere, in one list or in both.
fn hashed_excess(seed: u64) -> Result<f64> {
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut most = i64::MIN;
    for both in [false, true] {
        for bucket in 0..6 {
            for wild in 0..6 {
                let mut unit = unit(64, 16)?;
                let lists = if both {
                    vec![List::Priority, List::Overflow]
                } else {
                    vec![List::Priority]
                };
                for &list in &lists {
                    let mut kinds: Vec<bool> = [vec![false; bucket], vec![true; wild]].concat();
                    for left in (1..=kinds.len()).rev() {
                        let any = kinds.swap_remove(rng.gen_range(0..left));
                        let entry = Entry {
                            source: 3,
                            options: u16::from(any) << ANY_SOURCE,
                            match_bits: left as u64,
                            ..Entry::default()
                        };
                        unit.serve(&command(Opcode::Append, list, &entry))?;
                        let elsewhere = Entry {
                            source: 4,
                            options: 0,
                            ..entry
                        };
                        unit.serve(&command(Opcode::Append, list, &elsewhere))?;
                    }
                }
                let list = if both { List::All } else { List::Priority };
                let entries = (lists.len() * (bucket + wild)) as i64;
                for match_bits in 0..=(bucket + wild) as u64 {
                    let header = Entry {
                        source: 3,
                        match_bits,
                        ..Entry::default()
                    };
                    let served = unit.serve(&command(Opcode::Search, list, &header))?;
                    most = most.max(served.cycles as i64 - 2 * entries);
                }
            }
        }
    }
    Ok(most as f64)
}

/// Most cycles of an append and of a delete by handle, over lists that fill and empty in any order.
fn changes(buckets: usize, seed: u64) -> Result<(u64, u64)> {
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut unit = unit(64, buckets)?;
    let (mut handles, mut append, mut delete) = (vec![], 0, 0);
    for _ in 0..500 {
        if handles.len() < 64 && rng.gen_bool(0.5) {
            let entry = Entry {
                source: rng.gen_range(0..4),
                options: rng.gen_range(0..2) << ANY_SOURCE,
                ..Entry::default()
            };
            let list = [List::Priority, List::Overflow, List::Unexpected][rng.gen_range(0..3)];
            let served = unit.serve(&command(Opcode::Append, list, &entry))?;
            append = append.max(served.cycles);
            handles.push((served.handle, served.golden_handle));
        } else if !handles.is_empty() {
            let (handle, golden_handle) = handles.swap_remove(rng.gen_range(0..handles.len()));
            let delete_of = |handle| handle_command(Opcode::Delete, List::All, handle, 0);
            let served = unit.serve_named(&delete_of(handle), &delete_of(golden_handle))?;
            delete = delete.max(served.cycles);
        }
    }
    Ok((append, delete))
}

fn cycles(name: impl Into<String>, value: f64, bound: f64) -> Row {
    Row {
        bound: Some(bound),
        ..Row::new(BENCH, name, "cycles", Better::Less, value)
    }
}

/// Measures the list manager; `progress` is told what comes next.
///
/// # Errors
/// A tool is missing or fails, or a result differs from the golden one.
pub fn rows(effort: &Effort, progress: &mut dyn FnMut(&str)) -> Result<Measured> {
    let mut measured = Measured::default();
    let entries: usize = if effort.quick { 1024 } else { 16_384 };
    let lengths: Vec<u64> = (0..=entries.ilog2()).map(|power| 1 << power).collect();
    let mut curves = vec![];
    for (name, buckets) in [("unhashed", 0), ("hashed", BUCKETS)] {
        progress(&format!("list manager: {entries} entries, {name}"));
        let mut unit = unit(entries, buckets)?;
        curves.push(worst_case(&mut unit, &lengths)?);
    }
    let [unhashed, hashed] = &curves[..] else {
        unreachable!("two variants")
    };

    let (slope, constant) = regression(unhashed);
    let rows = &mut measured.rows;
    rows.push(Row {
        limit: Some(1.0),
        ..cycles("list-manager: unhashed search, cycles an entry", slope, 2.0)
    });
    rows.push(Row::new(
        BENCH,
        "list-manager: unhashed search, cycles beside those",
        "cycles",
        Better::Less,
        constant,
    ));
    progress("list manager: hashed searches");
    let excess = hashed_excess(effort.seed)?;
    let name = "list-manager: hashed search, most cycles beside 2 x (bucket + wildcards)";
    rows.push(cycles(name, excess, 6.0));
    for (name, buckets) in [("unhashed", 0), ("hashed", 16)] {
        progress(&format!("list manager: appends and deletes, {name}"));
        let (append, delete) = changes(buckets, effort.seed)?;
        rows.push(cycles(format!("list-manager: append, {name}"), append as f64, 8.0));
        rows.push(cycles(
            format!("list-manager: delete by handle, {name}"),
            delete as f64,
            8.0,
        ));
    }
    for (name, buckets) in [("unhashed", 0), ("hashed", BUCKETS)] {
        let bits = memory_bits(&design(PAPER_ENTRIES, buckets)?) as f64;
        rows.push(Row {
            paper: Some(PAPER_BITS),
            ..Row::new(
                BENCH,
                format!("list-manager: memory of {PAPER_ENTRIES} entries, {name}"),
                "bits",
                Better::Less,
                bits,
            )
        });
    }
    for (name, buckets) in [("unhashed", 0), ("hashed", BUCKETS)] {
        progress(&format!("list manager: synthesis, {name}"));
        let synthesis = Synthesis::of(&design(1024, buckets)?, effort)?;
        rows.extend(synthesis.rows(&format!("list-manager {name}, 1024 entries")));
    }

    progress("list manager: the same in Rust");
    let short: Vec<(u64, u64)> = unhashed.iter().copied().filter(|point| point.0 <= 16).collect();
    measured.plots = vec![
        Plot {
            title: "Worst case: cycles to match the last message (paper, Figure 11)".into(),
            x: "messages in the queue".into(),
            y: "cycles".into(),
            lines: vec![line("unhashed", unhashed), line("hashed, 64 buckets", hashed)],
        },
        times(
            "Worst case, unhashed (paper, Figure 11)",
            unhashed,
            software(1, &lengths),
        ),
        times(
            "Worst case, hashed (paper, Figure 11)",
            hashed,
            software(BUCKETS, &lengths),
        ),
        times(
            "Short queues, unhashed (paper, Figure 12)",
            &short,
            software(1, &lengths[..5]),
        ),
    ];
    Ok(measured)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_benchmark_meets_its_bounds() {
        let measured = rows(&Effort::quick(), &mut |_| ()).unwrap();
        for row in &measured.rows {
            println!(
                "{}: {} {} (bound {:?}, paper {:?})",
                row.name, row.value, row.unit, row.bound, row.paper
            );
            assert_ne!(row.meets_bound(), Some(false), "{row:?}");
        }
        for plot in &measured.plots {
            println!("{}", plot.title);
            for line in &plot.lines {
                println!("  {}: {:.0?}", line.name, line.points);
            }
            assert!(plot.lines.iter().all(|line| line.points.len() >= 5));
        }
    }

    #[test]
    fn a_straight_line_is_its_own_regression() {
        assert_eq!(regression(&[(1, 5), (2, 7), (4, 11)]), (2.0, 3.0));
    }
}
