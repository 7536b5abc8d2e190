//! Figures of the message-passing engines as tables.

use super::tables::{figure_text, held, settings};
use crate::{
    loads::mesh_name,
    table::{grouped, table},
};
use portico_spec::mpe::call::Kind;
use portico_testbench::bench::{
    collectives::{bounds::kind_name, curves::Point, Figures},
    report::BenchReport,
};

/// All that is held against a bound, bandwidths, then a table a call, and the trees that were left out.
pub fn text(report: &BenchReport, figures: &Figures) -> String {
    let mut text = held(figures.bounded.iter().chain(&figures.bandwidths));
    for kind in Kind::ALL {
        let name = kind_name(kind);
        let points = figures.points.iter().filter(|point| point.kind == kind);
        let table = match kind {
            Kind::Barrier => barrier_table(points),
            _ => word_table(points),
        };
        text.push_str(&format!("\n{name}, cycles; of engines those of all tiles:\n\n{table}"));
    }
    if !figures.skipped.is_empty() {
        text.push_str("\nLeft out:\n");
    }
    for skipped in &figures.skipped {
        let (form, tiles) = (skipped.form.name(), skipped.tiles);
        text.push_str(&format!("  {form} tree, {tiles} tiles: {}\n", skipped.why));
    }
    text.push_str(&format!(
        "\n{} cycles simulated. {}",
        grouped(figures.cycles),
        settings(report)
    ));
    text
}

/// Cycles of the engines of all tiles.
fn engines(point: &Point) -> [String; 3] {
    [point.running, point.waiting, point.idle].map(grouped)
}

fn barrier_table<'a>(points: impl Iterator<Item = &'a Point>) -> String {
    let rows = points.map(|point| {
        let fields = [
            mesh_name(point.mesh),
            point.form.name(),
            point.depth.to_string(),
            grouped(point.cycles),
        ];
        fields.into_iter().chain(engines(point)).collect()
    });
    let header = ["mesh", "tree", "depth", "cycles", "running", "waiting", "idle"];
    table(&header, rows, &[0, 2, 3, 4, 5, 6])
}

fn word_table<'a>(points: impl Iterator<Item = &'a Point>) -> String {
    let rows = points.map(|point| {
        let other = |figure: Option<f64>| figure.map_or_else(String::new, figure_text);
        let paper = point.paper();
        let fields = [
            mesh_name(point.mesh),
            point.form.name(),
            point.depth.to_string(),
            grouped(point.words as u64),
            paper.map_or_else(String::new, |paper| grouped(paper.round() as u64)),
            grouped(point.cycles),
            other(point.rate()),
            other(point.share()),
        ];
        fields.into_iter().chain(engines(point)).collect()
    });
    let header = [
        "mesh",
        "tree",
        "depth",
        "words",
        "paper",
        "cycles",
        "words/cycle",
        "% of limit",
        "running",
        "waiting",
        "idle",
    ];
    table(&header, rows, &[0, 2, 3, 4, 5, 6, 7, 8, 9, 10])
}

#[cfg(test)]
mod tests {
    use super::*;
    use portico_testbench::bench::{
        collectives::{curves::Skipped, form::Form},
        report::{Better, Row},
    };

    #[test]
    fn every_figure_has_its_place() {
        let row = Row {
            paper: Some(454.0),
            limit: Some(6.0),
            bound: Some(24.0),
            ..Row::new("collectives", "barrier, 4 tiles", "cycles", Better::Less, 20.0)
        };
        let bandwidth = Row {
            paper: Some(31.5625),
            limit: Some(96.9),
            ..Row::new(
                "collectives",
                "broadcast, back to back",
                "% of a link",
                Better::More,
                95.5,
            )
        };
        let point = |kind, form, words, cycles| Point {
            kind,
            mesh: (2, 2),
            form,
            depth: 2,
            words,
            cycles,
            running: 4 * cycles - 30,
            waiting: 20,
            idle: 10,
        };
        let figures = Figures {
            bounded: vec![row],
            bandwidths: vec![bandwidth],
            points: vec![
                point(Kind::Barrier, Form::Mapped, 0, 20),
                point(Kind::Broadcast, Form::Linear, 4096, 4250),
                point(Kind::Broadcast, Form::Binomial, 1, 40),
                point(Kind::Reduce, Form::Star, 256, 300),
                point(Kind::Allreduce, Form::Mapped, 256, 600),
            ],
            skipped: vec![Skipped {
                tiles: 16,
                form: Form::Star,
                why: "tile 0 needs 15 neighbours".to_owned(),
            }],
            cycles: 123_456,
        };
        insta::assert_snapshot!(text(&BenchReport::default(), &figures));
    }
}
