//! Plots, as SVG.

use anyhow::{anyhow, Context};
use plotters::{coord::Shift, prelude::*};
use portico_testbench::{noc_bench::load::Curve, traffic::Pattern};

/// Size of a panel, and of the band above all of them, in pixels.
const PANEL: (u32, u32) = (360, 270);
const BAND: u32 = 90;

/// One a line of a panel; told apart by people who do not see all colours (Okabe and Ito, 2008).
const COLOURS: [RGBColor; 4] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
];

/// The latency axis ends at so many times the least latency in the row of panels: a curve that leaves it is saturated.
const STEEP: f64 = 6.0;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Points = Vec<(f64, f64)>;

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
    let size = (PANEL.0 * columns as u32, PANEL.1 * rows.len() as u32 + BAND);
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        draw(&root, &rows, columns).map_err(|error| anyhow!("cannot plot: {error}"))?;
    }
    Ok(svg)
}

fn draw<'a>(root: &Area<'a>, rows: &[PanelRow], columns: usize) -> Result<(), Box<dyn std::error::Error + 'a>> {
    root.fill(&WHITE)?;
    let (band, below) = root.split_vertically(BAND);
    legend(&band, rows)?;
    let areas = below.split_evenly((rows.len(), columns));
    for (row, areas) in rows.iter().zip(areas.chunks(columns)) {
        for (panel, area) in row.panels.iter().zip(areas) {
            draw_panel(area, row, panel)?;
        }
    }
    root.present()?;
    Ok(())
}

fn legend<'a>(band: &Area<'a>, rows: &[PanelRow]) -> Result<(), Box<dyn std::error::Error + 'a>> {
    let text = |size: u32| ("sans-serif", size).into_font();
    band.draw(&Text::new("Mean latency against offered load", (20, 16), text(24)))?;
    let depths = rows[0].panels[0].lines.iter().map(|(depth, _)| *depth);
    for (index, depth) in depths.enumerate() {
        let x = 20 + 130 * index as i32;
        let style = colour(index).stroke_width(2);
        band.draw(&PathElement::new([(x, 64), (x + 28, 64)], style))?;
        band.draw(&Circle::new((x + 14, 64), 3, colour(index).filled()))?;
        band.draw(&Text::new(format!("FIFO of {depth}"), (x + 36, 57), text(15)))?;
    }
    Ok(())
}

fn draw_panel<'a>(area: &Area<'a>, row: &PanelRow, panel: &Panel) -> Result<(), Box<dyn std::error::Error + 'a>> {
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

fn colour(index: usize) -> &'static RGBColor {
    &COLOURS[index % COLOURS.len()]
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
        golden_mesh::GoldenMesh,
        noc_bench::load::{Case, Effort},
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
