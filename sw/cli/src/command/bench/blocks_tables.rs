//! Figures of the blocks as tables.

use super::tables::{figure_text, held, settings};
use crate::table::table;
use portico_testbench::bench::{blocks::Plot, report::BenchReport};

/// All figures with what they are held against, then the series of figures.
pub fn text(report: &BenchReport, plots: &[Plot]) -> String {
    let series = plots
        .iter()
        .map(|plot| format!("\n{} ({}):\n\n{}", plot.title, plot.y, series(plot)));
    let series: String = series.collect();
    format!("{}{series}\n{}", held(report.rows.iter()), settings(report))
}

/// A line for each x of any case, a column for each case.
fn series(plot: &Plot) -> String {
    let points = plot.lines.iter().flat_map(|line| &line.points);
    let mut places: Vec<f64> = points.map(|&(x, _)| x).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    let header: Vec<&str> = std::iter::once(plot.x.as_str())
        .chain(plot.lines.iter().map(|line| line.name.as_str()))
        .collect();
    let rows = places.into_iter().map(|place| {
        let figures = plot.lines.iter().map(|line| {
            let point = line.points.iter().find(|&&(x, _)| x == place);
            point.map_or_else(String::new, |&(_, y)| figure_text(y))
        });
        std::iter::once(place.to_string()).chain(figures).collect()
    });
    let right: Vec<usize> = (0..header.len()).collect();
    table(&header, rows, &right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use portico_testbench::bench::{
        blocks::Line,
        report::{Better, Row},
    };

    #[test]
    fn every_figure_has_its_place() {
        let row = |name: &str, value| Row {
            paper: Some(7.0),
            bound: Some(4.0),
            ..Row::new("blocks", name, "cycles", Better::Less, value)
        };
        let report = BenchReport {
            rows: vec![row("adder: latency", 4.0), row("list: cycles an entry", 4.5)],
            ..BenchReport::default()
        };
        let line = |name: &str, points: &[(f64, f64)]| Line {
            name: name.into(),
            points: points.to_vec(),
            ..Line::default()
        };
        let plot = Plot {
            title: "list: search".into(),
            x: "entries".into(),
            y: "cycles".into(),
            lines: vec![
                line("plain", &[(1.0, 3.0), (16.0, 33.5), (4096.0, 8200.0)]),
                line("hashed", &[(16.0, 8.0)]),
            ],
        };
        insta::assert_snapshot!(text(&report, &[plot]));
    }
}
