//! Figures of the one-sided operations as tables.

use super::tables::{figure_text, held, settings};
use crate::table::{grouped, table};
use portico_testbench::bench::{
    onesided::{
        atomics,
        bounds::size,
        neighbours, offload,
        sizes::{self, Target},
        Figures,
    },
    report::BenchReport,
};

/// All that is held against a bound, then the paper's tables and figures.
pub fn text(report: &BenchReport, figures: &Figures) -> String {
    let mut text = held(figures.single.iter());
    let mut add = |title: &str, table: String| {
        text.push_str(&format!("\n{title}:\n\n{table}"));
    };
    let piece = figures.neighbours.iter().map(|point| point.piece).max().unwrap_or(0);
    add(
        &format!(
            "Puts to neighbours in transfers of {} at most, bytes a cycle in and out, share of peak in % (the paper's)",
            size(piece)
        ),
        neighbour_table(&figures.neighbours),
    );
    for target in targets(&figures.sizes) {
        let curves: Vec<&sizes::Curve> = figures.sizes.iter().filter(|curve| curve.target == target).collect();
        let name = target.name();
        add(
            &format!("Throughput in bytes a cycle, {name}, of so many tiles"),
            size_table(&curves, |point| point.rate),
        );
        add(
            &format!("Latency in cycles, {name}, of so many tiles"),
            size_table(&curves, |point| point.latency),
        );
    }
    add("Atomics, cycles of a request", atomic_table(&figures.atomics));
    add(
        "Round trips through queues, cycles each (the paper's, of its clock)",
        offload_table(&figures.offload),
    );
    text.push_str(&format!(
        "\n{} cycles simulated. {}",
        grouped(figures.cycles),
        settings(report)
    ));
    text
}

fn targets(curves: &[sizes::Curve]) -> Vec<Target> {
    let mut targets: Vec<Target> = curves.iter().map(|curve| curve.target).collect();
    targets.dedup();
    targets
}

/// A line for each of `lines`, a column for each of `columns`, in the order in which they come.
fn grid(
    first: &str,
    lines: impl Iterator<Item = usize>,
    columns: impl Iterator<Item = (usize, String)>,
    line_name: impl Fn(usize) -> String,
    cell: impl Fn(usize, usize) -> String,
) -> String {
    let unique = |mut keys: Vec<usize>| {
        keys.sort_unstable();
        keys.dedup();
        keys
    };
    let lines = unique(lines.collect());
    let mut columns: Vec<(usize, String)> = columns.collect();
    columns.sort();
    columns.dedup();
    let header: Vec<&str> = std::iter::once(first)
        .chain(columns.iter().map(|(_, name)| name.as_str()))
        .collect();
    let rows = lines.into_iter().map(|line| {
        let cells = columns.iter().map(|&(column, _)| cell(line, column));
        std::iter::once(line_name(line)).chain(cells).collect()
    });
    let right: Vec<usize> = (0..header.len()).collect();
    table(&header, rows, &right)
}

fn neighbour_table(points: &[neighbours::Point]) -> String {
    let cell = |tiles, bytes| {
        let point = points.iter().find(|point| (point.tiles, point.bytes) == (tiles, bytes));
        point.map_or_else(String::new, |point| {
            let paper = point.paper.map_or_else(String::new, |paper| format!(" ({paper:.0})"));
            format!("{}, {:.1}{paper}", figure_text(point.rate), point.share)
        })
    };
    grid(
        "tiles",
        points.iter().map(|point| point.tiles),
        points.iter().map(|point| (point.bytes, size(point.bytes))),
        |tiles| tiles.to_string(),
        cell,
    )
}

fn size_table(curves: &[&sizes::Curve], figure: impl Fn(&sizes::Point) -> f64) -> String {
    let columns = curves.iter().enumerate();
    let columns = columns.map(|(at, curve)| (at, format!("{}, {}", curve.way.name(), curve.initiators)));
    grid(
        "size",
        curves
            .iter()
            .flat_map(|curve| curve.points.iter().map(|point| point.bytes)),
        columns,
        size,
        |bytes, at| {
            let point = curves[at].points.iter().find(|point| point.bytes == bytes);
            point.map_or_else(String::new, |point| figure_text(figure(point)))
        },
    )
}

fn atomic_table(curves: &[atomics::Curve]) -> String {
    let columns = curves.iter().enumerate();
    grid(
        "tiles",
        curves
            .iter()
            .flat_map(|curve| curve.points.iter().map(|&(initiators, _)| initiators)),
        columns.map(|(at, curve)| (at, curve.kind.name().to_owned())),
        |initiators| initiators.to_string(),
        |initiators, at| {
            let point = curves[at].points.iter().find(|&&(known, _)| known == initiators);
            point.map_or_else(String::new, |&(_, cycles)| figure_text(cycles))
        },
    )
}

fn offload_table(points: &[offload::Point]) -> String {
    let cell = |workers, bytes| {
        let point = points
            .iter()
            .find(|point| (point.workers, point.bytes) == (workers, bytes));
        point.map_or_else(String::new, |point| {
            let paper = point.paper().map_or_else(String::new, |paper| format!(" ({paper:.0})"));
            format!("{}{paper}", figure_text(point.cycles))
        })
    };
    grid(
        "workers",
        points.iter().map(|point| point.workers),
        points.iter().map(|point| (point.bytes, size(point.bytes))),
        |workers| workers.to_string(),
        cell,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use portico_testbench::bench::{
        onesided::{atomics::Kind, bounds::Way},
        report::{Better, Row},
    };

    #[test]
    fn every_figure_has_its_place() {
        let row = Row {
            bound: Some(20.0),
            ..Row::new("onesided", "put of 8 bytes", "cycles", Better::Less, 18.0)
        };
        let neighbour = |tiles, bytes, rate| neighbours::Point {
            tiles,
            bytes,
            piece: bytes,
            rate,
            share: 91.25,
            paper: (tiles == 4).then_some(17.8),
        };
        let curve = |way, initiators, sizes: &[usize]| sizes::Curve {
            target: Target::Scratchpad(3),
            way,
            initiators,
            points: (sizes.iter())
                .map(|&bytes| sizes::Point {
                    bytes,
                    rate: 3.5,
                    latency: (20 + bytes) as f64,
                })
                .collect(),
        };
        let figures = Figures {
            single: vec![row],
            neighbours: vec![
                neighbour(1, 1024, 7.0),
                neighbour(4, 1024, 28.5),
                neighbour(4, 4096, 30.0),
            ],
            sizes: vec![curve(Way::Put, 16, &[8, 64]), curve(Way::Get, 1, &[8, 64, 4096])],
            atomics: vec![
                atomics::Curve {
                    kind: Kind::ALL[0],
                    points: vec![(1, 3.0), (16, 4.5)],
                },
                atomics::Curve {
                    kind: Kind::ALL[3],
                    points: vec![(1, 18.0), (16, 120.25)],
                },
            ],
            offload: vec![offload::Point {
                workers: 2,
                bytes: 16,
                cycles: 40.0,
            }],
            cycles: 123_456,
        };
        insta::assert_snapshot!(text(&BenchReport::default(), &figures));
    }
}
