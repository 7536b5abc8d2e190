//! Latency against load: linear axes, one legend above all panels.

use anyhow::Context;
use plotters::prelude::*;
use portico_testbench::{bench::noc::load::Curve, traffic::Pattern};

use super::{colour, Area, Drawn, Points, Sheet};

const SHEET: Sheet = Sheet {
    panel: (360, 270),
    band: 90,
    title: 16,
};

/// The latency axis ends at so many times the least latency in the row of panels: a curve that leaves it is saturated.
const STEEP: f64 = 6.0;

/// Panels of one mesh and packet length, one a pattern.
#[derive(Debug, PartialEq)]
struct PanelRow {
    title: String,
    /// Most load and latency shown.
    size: (f64, f64),
    panels: Vec<Panel>,
}

#[derive(Debug, PartialEq)]
struct Panel {
    pattern: Pattern,
    /// One a FIFO depth: offered load and mean latency.
    lines: Vec<(usize, Points)>,
}

/// Mean latency against offered load: a row of panels for each mesh and packet length, a panel a pattern, a line a FIFO
/// depth.
///
/// # Errors
/// There is nothing to plot, or plotting fails.
pub fn latency(curves: &[Curve]) -> anyhow::Result<String> {
    let rows = panel_rows(curves);
    let columns = rows
        .iter()
        .map(|row| row.panels.len())
        .max()
        .context("no curve to plot")?;
    SHEET.svg(
        "Mean latency against offered load",
        (rows.len(), columns),
        |band, areas| {
            legend(band, &rows)?;
            for (row, areas) in rows.iter().zip(areas.chunks(columns)) {
                for (panel, area) in row.panels.iter().zip(areas) {
                    draw_panel(area, row, panel)?;
                }
            }
            Ok(())
        },
    )
}

fn legend<'a>(band: &Area<'a>, rows: &[PanelRow]) -> Drawn<'a> {
    let depths = rows[0].panels[0].lines.iter().map(|(depth, _)| *depth);
    for (index, depth) in depths.enumerate() {
        let x = 20 + 130 * index as i32;
        let style = colour(index).stroke_width(2);
        band.draw(&PathElement::new([(x, 64), (x + 28, 64)], style))?;
        band.draw(&Circle::new((x + 14, 64), 3, colour(index).filled()))?;
        let font = ("sans-serif", 15).into_font();
        band.draw(&Text::new(format!("FIFO of {depth}"), (x + 36, 57), font))?;
    }
    Ok(())
}

fn draw_panel<'a>(area: &Area<'a>, row: &PanelRow, panel: &Panel) -> Drawn<'a> {
    let (load, latency) = row.size;
    let mut chart = ChartBuilder::on(area)
        .margin(10)
        .caption(format!("{}, {}", panel.pattern, row.title), ("sans-serif", 15))
        .x_label_area_size(36)
        .y_label_area_size(46)
        .build_cartesian_2d(0.0..load, 0.0..latency)?;
    chart
        .configure_mesh()
        .x_desc("offered load, flits/node/cycle")
        .y_desc("latency, cycles")
        .x_labels(6)
        .y_labels(6)
        .x_label_formatter(&|load| format!("{load:.1}"))
        .y_label_formatter(&|latency| format!("{latency:.0}"))
        .light_line_style(WHITE)
        .draw()?;
    for (index, (_, points)) in panel.lines.iter().enumerate() {
        let inside = below(points, latency);
        let marks = points.iter().filter(|(_, y)| *y <= latency);
        let marks = marks.map(|&point| Circle::new(point, 2, colour(index).filled()));
        chart.draw_series(marks)?;
        chart.draw_series(LineSeries::new(inside, colour(index).stroke_width(2)))?;
    }
    Ok(())
}

/// Curves sorted into panels, in the order in which they come.
fn panel_rows(curves: &[Curve]) -> Vec<PanelRow> {
    let mut rows: Vec<PanelRow> = vec![];
    for curve in curves {
        let case = &curve.case;
        let title = format!("{}x{}, packets of {}", case.config.cols, case.config.rows, case.packet);
        let row = place(
            &mut rows,
            |row| row.title == title,
            || PanelRow {
                title: title.clone(),
                size: (0.0, 0.0),
                panels: vec![],
            },
        );
        let panel = place(
            &mut row.panels,
            |panel| panel.pattern == case.pattern,
            || Panel {
                pattern: case.pattern,
                lines: vec![],
            },
        );
        let points = curve.points.iter();
        let points = points.map(|point| (point.report.offered, point.report.latency.mean));
        panel.lines.push((case.config.fifo, points.collect()));
    }
    for row in &mut rows {
        let lines = row.panels.iter().flat_map(|panel| &panel.lines);
        let points: Vec<(f64, f64)> = lines.flat_map(|(_, points)| points.iter().copied()).collect();
        let load = points.iter().map(|(load, _)| *load).fold(0.1, f64::max);
        let least = points.iter().map(|(_, latency)| *latency).fold(f64::INFINITY, f64::min);
        let least = if least.is_finite() { least } else { 1.0 };
        row.size = ((load * 10.0).ceil() / 10.0, STEEP * least);
    }
    rows
}

fn place<T>(items: &mut Vec<T>, is: impl Fn(&T) -> bool, new: impl FnOnce() -> T) -> &mut T {
    let at = items.iter().position(is).unwrap_or_else(|| {
        items.push(new());
        items.len() - 1
    });
    &mut items[at]
}

/// A line up to where it leaves the panel through its top.
fn below(points: &[(f64, f64)], top: f64) -> Points {
    let inside = points.iter().take_while(|(_, y)| *y <= top).count();
    let mut line = points[..inside].to_vec();
    if let (Some(&(x, y)), Some(&(next_x, next_y))) = (line.last(), points.get(inside)) {
        line.push((x + (next_x - x) * (top - y) / (next_y - y), top));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use portico_spec::Config;
    use portico_testbench::{
        bench::noc::load::{Case, Effort},
        model::golden_mesh::GoldenMesh,
    };

    fn curve(pattern: Pattern, fifo: usize, packet: usize) -> Curve {
        let config = Config {
            fifo,
            ..Config::default()
        };
        let effort = Effort {
            warmup: 20,
            measure: 100,
            saturation: 100,
            loads: vec![0.1, 0.3],
            seed: 1,
        };
        let mut mesh = GoldenMesh::new(&config);
        let case = Case {
            config,
            pattern,
            packet,
        };
        case.measure(&effort, &mut mesh).unwrap()
    }

    #[test]
    fn a_panel_a_pattern_and_a_line_a_depth() {
        let mut curves = vec![];
        for fifo in [2, 8] {
            for pattern in [Pattern::Uniform, Pattern::Hotspot] {
                curves.extend([1, 4].map(|packet| curve(pattern, fifo, packet)));
            }
        }
        let rows = panel_rows(&curves);
        let titles: Vec<_> = rows.iter().map(|row| row.title.as_str()).collect();
        assert_eq!(titles, ["4x4, packets of 1", "4x4, packets of 4"]);
        for row in &rows {
            let patterns: Vec<_> = row.panels.iter().map(|panel| panel.pattern).collect();
            assert_eq!(patterns, [Pattern::Uniform, Pattern::Hotspot]);
            for panel in &row.panels {
                let depths: Vec<_> = panel
                    .lines
                    .iter()
                    .map(|(depth, points)| (*depth, points.len()))
                    .collect();
                assert_eq!(depths, [(2, 2), (8, 2)]);
            }
        }
        let svg = latency(&curves).unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        for text in ["FIFO of 2", "FIFO of 8", "hotspot, 4x4, packets of 4", "offered load"] {
            assert!(svg.contains(text), "{text}");
        }
        assert!(latency(&[]).is_err());
    }

    #[test]
    fn a_line_ends_at_the_top_of_its_panel() {
        let points = [(0.0, 10.0), (1.0, 20.0), (2.0, 60.0), (3.0, 50.0)];
        assert_eq!(below(&points, 40.0), [(0.0, 10.0), (1.0, 20.0), (1.5, 40.0)]);
        assert_eq!(below(&points, 100.0), points);
        assert_eq!(below(&points, 5.0), []);
    }
}
