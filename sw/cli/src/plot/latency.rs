//! Latency against load: linear axes, one legend above all panels.

use anyhow::Context;
use plotters::prelude::*;
use portico_testbench::{
    bench::noc::load::{Case, Curve},
    traffic::SaturationBound,
};

use super::{colour, Area, Drawn, Points, Sheet};

const SHEET: Sheet = Sheet {
    panel: (360, 270),
    band: 90,
    title: 16,
};

/// Width and height of an entry of the legend, in pixels.
const ENTRY: (i32, i32) = (112, 20);
/// Where the first one begins.
const FIRST_ENTRY: (i32, i32) = (20, 64);

/// Size of the panels of one mesh and pattern, in pixels.
const LARGE: (u32, u32) = (720, 400);

/// The latency axis ends at so many times the least latency in the row of panels: a curve that leaves it is saturated.
const STEEP: f64 = 6.0;

/// Panels with the same axes.
#[derive(Debug, PartialEq)]
struct PanelRow {
    title: String,
    /// Most load and latency shown.
    size: (f64, f64),
    panels: Vec<Panel>,
}

#[derive(Debug, PartialEq)]
struct Panel {
    title: String,
    /// Loads above which no mesh keeps up with all tiles: the name of the bound, and the load.
    bounds: Vec<(&'static str, f64)>,
    /// One a FIFO depth: offered load and mean latency.
    lines: Vec<(usize, Points)>,
}

/// Mean latency against offered load: a row of panels for each mesh and packet length, a panel a pattern, a line a FIFO
/// depth.
///
/// # Errors
/// There is nothing to plot, or plotting fails.
pub fn latency(curves: &[Curve]) -> anyhow::Result<String> {
    let row = |case: &Case| format!("{}, packets of {}", mesh(case), case.packet);
    let rows = panel_rows(curves, row, |case| format!("{}, {}", case.pattern, row(case)));
    svg("Mean latency against offered load", SHEET, &rows)
}

/// The same for each mesh and pattern by itself, a panel a packet length with axes of its own: its name, such as
/// `4x4-uniform`, and the plot.
///
/// # Errors
/// As [`latency`].
pub fn of_one(curves: &[Curve]) -> anyhow::Result<Vec<(String, String)>> {
    let name = |case: &Case| format!("{}-{}", mesh(case), case.pattern);
    let mut groups: Vec<(String, Vec<Curve>)> = vec![];
    for curve in curves {
        let name = name(&curve.case);
        let own = |group: &(String, Vec<Curve>)| group.0 == name;
        place(&mut groups, own, || (name.clone(), vec![])).1.push(curve.clone());
    }
    let plot = |(name, curves): (String, Vec<Curve>)| {
        let case = &curves[0].case;
        let title = format!("Mean latency, {} traffic on a {} mesh", case.pattern, mesh(case));
        let packets = |case: &Case| format!("packets of {}", case.packet);
        let sheet = Sheet { panel: LARGE, ..SHEET };
        Ok((name, svg(&title, sheet, &panel_rows(&curves, packets, packets))?))
    };
    groups.into_iter().map(plot).collect()
}

fn mesh(case: &Case) -> String {
    format!("{}x{}", case.config.cols, case.config.rows)
}

fn svg(title: &str, sheet: Sheet, rows: &[PanelRow]) -> anyhow::Result<String> {
    let columns = rows
        .iter()
        .map(|row| row.panels.len())
        .max()
        .context("no curve to plot")?;
    // Entries that find no place beside each other stand in a row of their own.
    let across = (sheet.panel.0 as i32 * columns as i32 - FIRST_ENTRY.0) / ENTRY.0;
    let more = (rows[0].panels[0].lines.len() as i32 - 1).max(0) / across;
    let sheet = Sheet {
        band: sheet.band + (more * ENTRY.1) as u32,
        ..sheet
    };
    sheet.svg(title, (rows.len(), columns), |band, areas| {
        legend(band, rows, across)?;
        for (row, areas) in rows.iter().zip(areas.chunks(columns)) {
            for (panel, area) in row.panels.iter().zip(areas) {
                draw_panel(area, row, panel)?;
            }
        }
        Ok(())
    })
}

/// A legend of so many entries beside each other.
fn legend<'a>(band: &Area<'a>, rows: &[PanelRow], across: i32) -> Drawn<'a> {
    let depths = rows[0].panels[0].lines.iter().map(|(depth, _)| *depth);
    for (index, depth) in depths.enumerate() {
        let x = FIRST_ENTRY.0 + ENTRY.0 * (index as i32 % across);
        let y = FIRST_ENTRY.1 + ENTRY.1 * (index as i32 / across);
        let style = colour(index).stroke_width(2);
        band.draw(&PathElement::new([(x, y), (x + 24, y)], style))?;
        band.draw(&Circle::new((x + 12, y), 3, colour(index).filled()))?;
        let font = ("sans-serif", 15).into_font();
        band.draw(&Text::new(format!("FIFO of {depth}"), (x + 30, y - 7), font))?;
    }
    Ok(())
}

fn draw_panel<'a>(area: &Area<'a>, row: &PanelRow, panel: &Panel) -> Drawn<'a> {
    let (load, latency) = row.size;
    let mut chart = ChartBuilder::on(area)
        .margin(10)
        .caption(&panel.title, ("sans-serif", 15))
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
    for (index, &(name, bound)) in panel.bounds.iter().enumerate() {
        let line = [(bound, 0.0), (bound, latency)];
        chart.draw_series(DashedLineSeries::new(line, 6, 4, BLACK.stroke_width(1)))?;
        // Below the least latency, where no curve is, one above the other.
        let height = latency * (0.075 + 0.075 * index as f64);
        let style = ("sans-serif", 12).into_font();
        let text = format!("{name} {bound:.2}");
        // To the left of its line, in letters of about 6 pixels.
        let anchor =
            EmptyElement::at((bound, height)) + Text::new(text.clone(), (-6 * text.len() as i32 - 4, 0), style);
        chart.draw_series([anchor])?;
    }
    for (index, (_, points)) in panel.lines.iter().enumerate() {
        let inside = below(points, latency);
        let marks = points.iter().filter(|(_, y)| *y <= latency);
        let marks = marks.map(|&point| Circle::new(point, 2, colour(index).filled()));
        chart.draw_series(marks)?;
        chart.draw_series(LineSeries::new(inside, colour(index).stroke_width(2)))?;
    }
    Ok(())
}

/// The bounds of a case that a load of 1 can meet: that of the bisection, and that of the terminals where it is the lower one.
fn bounds(case: &Case) -> Vec<(&'static str, f64)> {
    let config = &case.config;
    let Ok(destinations) = case.pattern.on_mesh(config.cols, config.rows, config.edge_nodes) else {
        return vec![];
    };
    let SaturationBound { bisection, terminals } = SaturationBound::of(config, &destinations);
    let all = [
        (bisection <= 1.0).then_some(("bisection", bisection)),
        (terminals < bisection.min(1.0)).then_some(("busiest terminal", terminals)),
    ];
    all.into_iter().flatten().collect()
}

/// Curves sorted into rows and panels by the titles of their cases, in the order in which they come.
fn panel_rows(
    curves: &[Curve],
    row_title: impl Fn(&Case) -> String,
    panel_title: impl Fn(&Case) -> String,
) -> Vec<PanelRow> {
    let mut rows: Vec<PanelRow> = vec![];
    for curve in curves {
        let case = &curve.case;
        let title = row_title(case);
        let row = place(
            &mut rows,
            |row| row.title == title,
            || PanelRow {
                title: title.clone(),
                size: (0.0, 0.0),
                panels: vec![],
            },
        );
        let title = panel_title(case);
        let panel = place(
            &mut row.panels,
            |panel| panel.title == title,
            || Panel {
                title: title.clone(),
                bounds: bounds(case),
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
        let bounds = row.panels.iter().flat_map(|panel| &panel.bounds).map(|(_, load)| *load);
        let load = points.iter().map(|(load, _)| *load).chain(bounds).fold(0.1, f64::max);
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
    use super::{super::tests::labels_are_apart, *};
    use portico_spec::Config;
    use portico_testbench::{bench::noc::load::Effort, model::golden_mesh::GoldenMesh, traffic::Pattern};

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
        let rows = panel_rows(&curves, |case| case.packet.to_string(), |case| case.pattern.to_string());
        let titles: Vec<_> = rows.iter().map(|row| row.title.as_str()).collect();
        assert_eq!(titles, ["1", "4"]);
        for row in &rows {
            let patterns: Vec<_> = row.panels.iter().map(|panel| panel.title.as_str()).collect();
            assert_eq!(patterns, ["uniform", "hotspot"]);
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

        let each = of_one(&curves).unwrap();
        let names: Vec<_> = each.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["4x4-uniform", "4x4-hotspot"]);
        for (plot, texts) in each.iter().map(|(_, plot)| plot).zip([
            ["uniform traffic on a 4x4 mesh", "packets of 1", "bisection 0.94"],
            ["hotspot traffic on a 4x4 mesh", "packets of 4", "busiest terminal 0.42"],
        ]) {
            for text in texts {
                assert!(plot.contains(text), "{text}");
            }
        }
        assert!(!each[0].1.contains("busiest terminal"));
        assert_eq!(of_one(&[]).unwrap(), []);
    }

    #[test]
    fn a_legend_of_many_depths_is_whole_above_one_panel() {
        let curves = [2, 4, 8, 16, 32].map(|fifo| curve(Pattern::Uniform, fifo, 4));
        let svg = latency(&curves).unwrap();
        labels_are_apart(&svg);
        assert!(svg.contains("FIFO of 32"));
    }

    #[test]
    fn a_line_ends_at_the_top_of_its_panel() {
        let points = [(0.0, 10.0), (1.0, 20.0), (2.0, 60.0), (3.0, 50.0)];
        assert_eq!(below(&points, 40.0), [(0.0, 10.0), (1.0, 20.0), (1.5, 40.0)]);
        assert_eq!(below(&points, 100.0), points);
        assert_eq!(below(&points, 5.0), []);
    }
}
