//! Figures as tables.

use crate::table::table;
use portico_testbench::bench::{
    noc::load::Curve,
    report::{BenchReport, Row},
};

/// All that is held against something, with what it is held against; then what every mesh accepts at saturation.
pub fn text(report: &BenchReport, curves: &[Curve]) -> String {
    format!(
        "{}\nSaturation, accepted flits per sending node and cycle at an offered load of 1:\n\n{}\n{}",
        held(report.figures().filter(|row| is_held(row))),
        saturation(curves),
        settings(report)
    )
}

/// Rows with what they are held against, and how many of them meet it.
pub fn held<'a>(rows: impl Iterator<Item = &'a Row>) -> String {
    let held: Vec<&Row> = rows.collect();
    let met = held.iter().filter(|row| row.meets_bound() == Some(true)).count();
    let bounds = held.iter().filter(|row| row.bound.is_some()).count();
    let rows = held.iter().map(|row| {
        let verdict = match row.meets_bound() {
            Some(true) => "met",
            Some(false) => "MISSED",
            None => "",
        };
        let other = |figure: Option<f64>| figure.map_or_else(String::new, figure_text);
        vec![
            row.name.clone(),
            row.unit.clone(),
            other(row.paper),
            other(row.limit),
            other(row.bound),
            figure_text(row.value),
            verdict.to_owned(),
        ]
    });
    let header = ["figure", "unit", "paper", "limit", "bound", "Portico", ""];
    format!(
        "{}\n{met} of {bounds} bounds met.\n",
        table(&header, rows, &[2, 3, 4, 5])
    )
}

/// Tools and configuration in a line.
pub fn settings(report: &BenchReport) -> String {
    let tools = report.tools.iter().map(|(name, version)| format!("{name} {version}"));
    let config = report.config.iter().map(|(key, value)| format!("{key} = {value}"));
    format!(
        "{}; {}\n",
        tools.collect::<Vec<_>>().join(", "),
        config.collect::<Vec<_>>().join(", ")
    )
}

/// Points of curves are for the plot; they are held against nothing.
fn is_held(row: &Row) -> bool {
    row.paper.is_some() || row.limit.is_some() || row.bound.is_some()
}

/// Four digits at most, and no more of them than a figure of its size needs.
pub fn figure_text(figure: f64) -> String {
    match figure.abs() {
        size if size >= 100.0 => format!("{figure:.0}"),
        size if size >= 10.0 => format!("{figure:.1}"),
        _ => format!("{figure:.3}"),
    }
}

/// A line a mesh and packet length, a column a pattern.
fn saturation(curves: &[Curve]) -> String {
    let mut patterns = vec![];
    let mut lines: Vec<(String, Vec<String>)> = vec![];
    for curve in curves {
        let case = &curve.case;
        if !patterns.contains(&case.pattern.name()) {
            patterns.push(case.pattern.name());
        }
        let portico_spec::Config { cols, rows, fifo, .. } = case.config;
        let mesh = format!("{cols}x{rows}, FIFO {fifo}, packets of {}", case.packet);
        let value = format!("{:.3}", curve.saturation);
        match lines.iter_mut().find(|(known, _)| *known == mesh) {
            Some((_, values)) => values.push(value),
            None => lines.push((mesh, vec![value])),
        }
    }
    let header: Vec<&str> = std::iter::once("mesh").chain(patterns.iter().copied()).collect();
    let rows = lines
        .into_iter()
        .map(|(mesh, values)| std::iter::once(mesh).chain(values).collect());
    let right: Vec<usize> = (1..header.len()).collect();
    table(&header, rows, &right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use portico_spec::Config;
    use portico_testbench::{
        bench::{noc::load::Case, report::Better},
        traffic::Pattern,
    };

    #[test]
    fn bound_and_figure_stand_side_by_side() {
        let row = |name: &str, bound, value| Row {
            bound,
            ..Row::new("noc", name, "cycles", Better::Less, value)
        };
        let rows = vec![
            row("kept", Some(2.0), 1.5),
            row("broken", Some(2.0), 130.0),
            row("a point", None, 9.0),
        ];
        let report = BenchReport {
            rows,
            ..BenchReport::default()
        };
        let curve = |pattern, packet, saturation| Curve {
            case: Case {
                config: Config::default(),
                pattern,
                packet,
            },
            points: vec![],
            saturation,
        };
        let curves = [
            curve(Pattern::Uniform, 1, 0.6),
            curve(Pattern::Uniform, 4, 0.5),
            curve(Pattern::Hotspot, 1, 0.25),
            curve(Pattern::Hotspot, 4, 0.125),
        ];
        insta::assert_snapshot!(text(&report, &curves));
    }
}
