//! Latency and accepted load against offered load: linear axes, one legend above all panels.

use crate::loads::mesh_name;
use anyhow::Context;
use plotters::{coord::types::RangedCoordf64, prelude::*};
use portico_spec::Config;
use portico_testbench::{
    bench::noc::load::{is_saturated, Case, Curve, Point},
    traffic::{Pattern, SaturationBound},
};

use super::{
    colour, dash, decimals, draw_interval,
    legend::{self, Entry},
    mean, range, Area, Drawn, Sheet, GAP,
};

const SHEET: Sheet = Sheet {
    panel: (360, 270),
    band: 90,
    title: 16,
};

/// Where the first entry of the legend begins.
const FIRST_ENTRY: (i32, i32) = (20, 64);

/// Size of the panels of one mesh and pattern, in pixels.
const LARGE: (u32, u32) = (720, 400);

/// The latency axis ends at so many times the least latency in the row of panels: a curve that leaves it is saturated.
const STEEP: f64 = 6.0;

/// Labels of an axis, at most.
const LABELS: usize = 6;

/// The figure on the vertical axis of a panel.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Figure {
    Latency,
    Accepted,
}

/// Panels with the same axes.
#[derive(Clone, Debug, PartialEq)]
struct PanelRow {
    title: String,
    figure: Figure,
    /// Most load and latency shown.
    size: (f64, f64),
    panels: Vec<Panel>,
}

#[derive(Clone, Debug, PartialEq)]
struct Panel {
    title: String,
    /// Loads above which no mesh keeps up with all tiles: the name of the bound, and the load.
    bounds: Vec<(&'static str, f64)>,
    lines: Vec<Line>,
}

/// One mesh, with what tells it from the others.
#[derive(Clone, Debug, PartialEq)]
struct Line {
    name: String,
    samples: Vec<Sample>,
}

/// The figures of an offered load, one for each seed.
#[derive(Clone, Debug, PartialEq)]
struct Sample {
    load: f64,
    latency: Vec<f64>,
    accepted: Vec<f64>,
    /// Of all seeds.
    is_steady: bool,
}

/// A simulation of a sweep.
#[derive(Clone, Debug)]
pub struct Simulated {
    /// The mesh.
    pub config: Config,
    /// Traffic pattern.
    pub pattern: Pattern,
    /// Flits of every packet.
    pub packet: usize,
    /// Name of its line. Simulations that differ in load and seed alone have one line.
    pub line: String,
    /// Offered load.
    pub load: f64,
    /// Mean latency, in cycles.
    pub latency: f64,
    /// Accepted load.
    pub accepted: f64,
    /// Latencies became steady while they were measured.
    pub is_steady: bool,
}

impl Figure {
    fn values(self, sample: &Sample) -> &[f64] {
        match self {
            Figure::Latency => &sample.latency,
            Figure::Accepted => &sample.accepted,
        }
    }
}

impl Line {
    /// Whether the mesh does not keep up with the load of a sample.
    fn is_over(&self, sample: &Sample) -> bool {
        let lowest = mean(&self.samples[0].latency);
        is_saturated(sample.load, mean(&sample.accepted), mean(&sample.latency), lowest)
    }

    /// Whether a sample does not tell the latency, though the mesh keeps up.
    fn is_unsteady(&self, sample: &Sample) -> bool {
        !sample.is_steady && !self.is_over(sample)
    }

    /// Loads and means.
    fn points(&self, figure: Figure) -> Vec<(f64, f64)> {
        let points = self
            .samples
            .iter()
            .map(|sample| (sample.load, mean(figure.values(sample))));
        points.collect()
    }
}

/// Latency and accepted load against offered load: two rows of panels for each mesh and packet length, a panel a pattern, a line a
/// FIFO depth.
///
/// # Errors
/// There is nothing to plot, or plotting fails.
pub fn latency(curves: &[Curve]) -> anyhow::Result<String> {
    let row = |of: &Simulated| format!("{}, packets of {}", mesh(&of.config), of.packet);
    let rows = panel_rows(&simulated(curves), row, |of| format!("{}, {}", of.pattern, row(of)));
    svg("Latency and accepted load", SHEET, &with_accepted(rows))
}

/// Latency and accepted load of each mesh and pattern by itself, a panel a packet length with axes of its own: its name, such as
/// `4x4-uniform`, and the plot.
///
/// # Errors
/// As [`latency`].
pub fn of_one(curves: &[Curve]) -> anyhow::Result<Vec<(String, String)>> {
    let name = |case: &Case| format!("{}-{}", mesh(&case.config), case.pattern);
    let mut groups: Vec<(String, Vec<Curve>)> = vec![];
    for curve in curves {
        let name = name(&curve.case);
        let own = |group: &(String, Vec<Curve>)| group.0 == name;
        place(&mut groups, own, || (name.clone(), vec![])).1.push(curve.clone());
    }
    let plot = |(name, curves): (String, Vec<Curve>)| {
        let case = &curves[0].case;
        let title = format!("{} traffic on a {} mesh", case.pattern, mesh(&case.config));
        let packets = |of: &Simulated| format!("packets of {}", of.packet);
        let sheet = Sheet { panel: LARGE, ..SHEET };
        let rows = with_accepted(panel_rows(&simulated(&curves), packets, packets));
        Ok((name, svg(&title, sheet, &rows)?))
    };
    groups.into_iter().map(plot).collect()
}

/// Latency and accepted load of a sweep: two rows of panels for each mesh and pattern, a panel a packet length. A point is the mean of
/// all seeds, with a bar from the least to the most of them.
///
/// # Errors
/// As [`latency`].
pub fn sweep(simulated: &[Simulated]) -> anyhow::Result<String> {
    let row = |of: &Simulated| format!("{}, {}", mesh(&of.config), of.pattern);
    let rows = panel_rows(simulated, row, |of| format!("{}, packets of {}", row(of), of.packet));
    let sheet = Sheet {
        panel: (480, 300),
        ..SHEET
    };
    svg(
        "Latency and accepted load against offered load",
        sheet,
        &with_accepted(rows),
    )
}

/// The points of curves.
fn simulated(curves: &[Curve]) -> Vec<Simulated> {
    let of_curve = |curve: &Curve| {
        let Case {
            config,
            pattern,
            packet,
        } = curve.case.clone();
        let of_point = move |point: &Point| Simulated {
            line: format!("FIFO of {}", config.fifo),
            config: config.clone(),
            pattern,
            packet,
            load: point.report.offered,
            latency: point.report.latency.mean,
            accepted: point.report.accepted,
            is_steady: point.report.steady_from.is_some(),
        };
        curve.points.iter().map(of_point).collect::<Vec<_>>()
    };
    curves.iter().flat_map(of_curve).collect()
}

/// Each row of latencies, and below it the same of accepted loads.
fn with_accepted(rows: Vec<PanelRow>) -> Vec<PanelRow> {
    let both = |row: PanelRow| {
        let accepted = PanelRow {
            figure: Figure::Accepted,
            ..row.clone()
        };
        [row, accepted]
    };
    rows.into_iter().flat_map(both).collect()
}

fn mesh(config: &Config) -> String {
    mesh_name((config.cols, config.rows))
}

/// The lines of a panel, and the signs that the plot has.
fn entries(rows: &[PanelRow]) -> Vec<Entry> {
    let lines = || rows.iter().flat_map(|row| &row.panels).flat_map(|panel| &panel.lines);
    let any =
        |is: &dyn Fn(&Line, &Sample) -> bool| lines().any(|line| line.samples.iter().any(|sample| is(line, sample)));
    let names = rows[0].panels[0].lines.iter().enumerate();
    let names = names.map(|(at, line)| Entry::Line(at, line.name.clone()));
    let signs = [
        (any(&Line::is_over), Entry::PastSaturation),
        (any(&Line::is_unsteady), Entry::Unsteady),
        (any(&|_, sample| sample.latency.len() > 1), Entry::Interval),
    ];
    let signs = signs
        .into_iter()
        .filter_map(|(is_there, sign)| is_there.then_some(sign));
    names.chain(signs).collect()
}

fn svg(title: &str, sheet: Sheet, rows: &[PanelRow]) -> anyhow::Result<String> {
    let columns = rows
        .iter()
        .map(|row| row.panels.len())
        .max()
        .context("no curve to plot")?;
    // Entries that find no place beside each other stand in a row of their own; the sheet is as wide as the widest one.
    let entries = entries(rows);
    let width = legend::width(&entries);
    let least = ((FIRST_ENTRY.0 + width) as u32).div_ceil(columns as u32);
    let panel = (sheet.panel.0.max(least), sheet.panel.1);
    let across = (panel.0 as i32 * columns as i32 - FIRST_ENTRY.0) / width;
    let more = (entries.len() as i32 - 1).max(0) / across;
    let sheet = Sheet {
        band: sheet.band + (more * legend::HEIGHT) as u32,
        panel,
        ..sheet
    };
    sheet.svg(title, (rows.len(), columns), |band, areas| {
        for (index, entry) in entries.iter().enumerate() {
            let x = FIRST_ENTRY.0 + width * (index as i32 % across);
            let y = FIRST_ENTRY.1 + legend::HEIGHT * (index as i32 / across);
            entry.draw(band, (x, y))?;
        }
        for (row, areas) in rows.iter().zip(areas.chunks(columns)) {
            for (panel, area) in row.panels.iter().zip(areas) {
                draw_panel(area, row, panel)?;
            }
        }
        Ok(())
    })
}

/// Decimals of the labels of an axis from 0.
fn decimals_up_to(most: f64) -> usize {
    let labels = RangedCoordf64::from(0.0..most).key_points(LABELS);
    labels.get(1).map_or(0, |&second| decimals(second))
}

fn draw_panel<'a>(area: &Area<'a>, row: &PanelRow, panel: &Panel) -> Drawn<'a> {
    let (load, latency) = row.size;
    let (top, label) = match row.figure {
        Figure::Latency => (latency, "latency, cycles"),
        Figure::Accepted => (load, "accepted load"),
    };
    let (x_decimals, y_decimals) = (decimals_up_to(load), decimals_up_to(top));
    let mut chart = ChartBuilder::on(area)
        .margin(10)
        .margin_right(16)
        .caption(&panel.title, ("sans-serif", 15))
        .x_label_area_size(36)
        .y_label_area_size(46)
        .build_cartesian_2d(0.0..load, 0.0..top)?;
    chart
        .configure_mesh()
        .x_desc("offered load, flits/node/cycle")
        .y_desc(label)
        .x_labels(LABELS)
        .y_labels(LABELS)
        .x_label_formatter(&|load| format!("{load:.x_decimals$}"))
        .y_label_formatter(&|value| format!("{value:.y_decimals$}"))
        .light_line_style(WHITE)
        .draw()?;
    if row.figure == Figure::Accepted {
        // The diagonal, on which all that is offered is accepted.
        chart.draw_series(LineSeries::new([(0.0, 0.0), (load, load)], BLACK.mix(0.3)))?;
    }
    for (index, &(name, bound)) in panel.bounds.iter().enumerate() {
        let line = [(bound, 0.0), (bound, top)];
        chart.draw_series(DashedLineSeries::new(line, 6, 4, BLACK.stroke_width(1)))?;
        // Below the least latency, where no curve is, one above the other.
        let height = top * (0.075 + 0.075 * index as f64);
        let style = ("sans-serif", 12).into_font();
        let text = format!("{name} {bound:.2}");
        // On the side of its line that has more room; a letter has about 6 pixels.
        let beside = match bound < load / 2.0 {
            true => 4,
            false => -6 * text.len() as i32 - 4,
        };
        let anchor = EmptyElement::at((bound, height)) + Text::new(text, (beside, 0), style);
        chart.draw_series([anchor])?;
    }
    for (index, line) in panel.lines.iter().enumerate() {
        let colour = colour(index);
        let inside = below(&line.points(row.figure), top);
        chart.draw_series(DashedLineSeries::new(inside, dash(index), GAP, colour.stroke_width(2)))?;
        for sample in &line.samples {
            let values = row.figure.values(sample);
            let ((least, most), middle) = (range(values), mean(values));
            if most > top {
                continue;
            }
            if values.len() > 1 {
                draw_interval(&mut chart, sample.load, (least, most), colour.stroke_width(1))?;
            }
            let inner = if line.is_over(sample) { &WHITE } else { colour };
            chart.draw_series([Circle::new((sample.load, middle), 3, inner.filled())])?;
            chart.draw_series([Circle::new((sample.load, middle), 3, colour.stroke_width(1))])?;
            if line.is_unsteady(sample) {
                chart.draw_series([Cross::new((sample.load, middle), 4, BLACK.stroke_width(1))])?;
            }
        }
    }
    Ok(())
}

/// The bounds of a mesh that a load of 1 can meet: that of the bisection, and that of the terminals where it is the lower one.
fn bounds(config: &Config, pattern: Pattern) -> Vec<(&'static str, f64)> {
    let Ok(destinations) = pattern.on_mesh(config.cols, config.rows, config.edge_nodes) else {
        return vec![];
    };
    let SaturationBound { bisection, terminals } = SaturationBound::of(config, &destinations);
    let all = [
        (bisection <= 1.0).then_some(("bisection", bisection)),
        (terminals < bisection.min(1.0)).then_some(("busiest terminal", terminals)),
    ];
    all.into_iter().flatten().collect()
}

/// Simulations sorted into rows, panels and lines, in the order in which they come; those of a line by their loads.
fn panel_rows(
    simulated: &[Simulated],
    row_title: impl Fn(&Simulated) -> String,
    panel_title: impl Fn(&Simulated) -> String,
) -> Vec<PanelRow> {
    let mut rows: Vec<PanelRow> = vec![];
    for one in simulated {
        let title = row_title(one);
        let new_row = || PanelRow {
            title: title.clone(),
            figure: Figure::Latency,
            size: (0.0, 0.0),
            panels: vec![],
        };
        let row = place(&mut rows, |row| row.title == title, new_row);
        let title = panel_title(one);
        let new_panel = || Panel {
            title: title.clone(),
            bounds: bounds(&one.config, one.pattern),
            lines: vec![],
        };
        let panel = place(&mut row.panels, |panel| panel.title == title, new_panel);
        let new_line = || Line {
            name: one.line.clone(),
            samples: vec![],
        };
        let line = place(&mut panel.lines, |line| line.name == one.line, new_line);
        let new_sample = || Sample {
            load: one.load,
            latency: vec![],
            accepted: vec![],
            is_steady: true,
        };
        let sample = place(&mut line.samples, |sample| sample.load == one.load, new_sample);
        sample.latency.push(one.latency);
        sample.accepted.push(one.accepted);
        sample.is_steady &= one.is_steady;
    }
    for row in &mut rows {
        let panels = row.panels.iter_mut();
        let lines = panels.flat_map(|panel| &mut panel.lines);
        lines.for_each(|line| line.samples.sort_by(|one, other| one.load.total_cmp(&other.load)));
        let lines = row.panels.iter().flat_map(|panel| &panel.lines);
        let points: Vec<(f64, f64)> = lines.flat_map(|line| line.points(Figure::Latency)).collect();
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
fn below(points: &[(f64, f64)], top: f64) -> Vec<(f64, f64)> {
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
        let rows = panel_rows(
            &simulated(&curves),
            |of| of.packet.to_string(),
            |of| of.pattern.to_string(),
        );
        let titles: Vec<_> = rows.iter().map(|row| row.title.as_str()).collect();
        assert_eq!(titles, ["1", "4"]);
        for row in &rows {
            let patterns: Vec<_> = row.panels.iter().map(|panel| panel.title.as_str()).collect();
            assert_eq!(patterns, ["uniform", "hotspot"]);
            for panel in &row.panels {
                let depths: Vec<_> = panel
                    .lines
                    .iter()
                    .map(|line| (line.name.as_str(), line.samples.len()))
                    .collect();
                assert_eq!(depths, [("FIFO of 2", 2), ("FIFO of 8", 2)]);
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

    fn simulation(line: &str, load: f64, latency: f64, accepted: f64) -> Simulated {
        Simulated {
            config: Config::default(),
            pattern: Pattern::Uniform,
            packet: 4,
            line: line.to_owned(),
            load,
            latency,
            accepted,
            is_steady: true,
        }
    }

    #[test]
    fn a_sheet_is_as_wide_as_the_longest_name_of_its_legend() {
        let keys = "buckets 64, cores 8, edge_nodes 1, entries 1024, fifo 4, mpe_neighbours 7, registers_at_tiles true, scratchpad 64";
        let wide = sweep(&[simulation(keys, 0.1, 8.0, 0.1), simulation("fifo 2", 0.1, 8.0, 0.1)]).unwrap();
        labels_are_apart(&wide);
        assert!(wide.contains(keys));
    }

    #[test]
    fn a_sweep_has_accepted_loads_intervals_of_its_seeds_and_signs_past_saturation() {
        let keeps_up = [
            simulation("fifo 2", 0.2, 9.0, 0.25),
            simulation("fifo 2", 0.1, 8.0, 0.1),
            simulation("fifo 4, width 64", 0.1, 7.0, 0.1),
        ];
        let plain = sweep(&keeps_up).unwrap();
        labels_are_apart(&plain);
        for text in [
            "4x4, uniform, packets of 4",
            "accepted load",
            "latency, cycles",
            "fifo 4, width 64",
        ] {
            assert!(plain.contains(text), "{text}");
        }
        assert!(
            !plain.contains("past saturation") && !plain.contains("least to most"),
            "{plain}"
        );
        // A point is the mean of its seeds; loads of a line rise.
        let more = [
            simulation("fifo 2", 0.2, 11.0, 0.1875),
            simulation("fifo 2", 0.9, 40.0, 0.5),
        ];
        let all = [&keeps_up[..], &more].concat();
        let rows = with_accepted(panel_rows(&all, |_| String::new(), |_| String::new()));
        let [latency, accepted] = &rows[..] else {
            panic!("{rows:?}")
        };
        let line = &latency.panels[0].lines[0];
        assert_eq!(line.points(latency.figure), [(0.1, 8.0), (0.2, 10.0), (0.9, 40.0)]);
        assert_eq!(line.points(accepted.figure)[1], (0.2, 0.21875));
        assert_eq!(
            line.samples
                .iter()
                .map(|sample| line.is_over(sample))
                .collect::<Vec<_>>(),
            [false, false, true]
        );
        let svg = sweep(&all).unwrap();
        labels_are_apart(&svg);
        assert!(svg.contains("past saturation") && svg.contains("least to most"));
        assert!(!svg.contains("not steady"));
        let cold = Simulated {
            is_steady: false,
            ..keeps_up[0].clone()
        };
        assert!(sweep(&[&all[..], &[cold]].concat()).unwrap().contains("not steady"));
        assert!(sweep(&[]).is_err());
    }

    #[test]
    fn labels_of_a_short_axis_differ() {
        let simulated = [0.1, 0.2].map(|load| simulation("fifo 2", load, 8.0, load));
        let mut rows = with_accepted(panel_rows(&simulated, |_| "row".to_owned(), |_| "panel".to_owned()));
        for row in &mut rows {
            row.size.0 = 0.2;
            row.panels[0].bounds.clear();
        }
        let svg = svg("Short", SHEET, &rows).unwrap();
        labels_are_apart(&svg);
        // Of both axes of loads, and of accepted loads.
        for (label, axes) in [("0.05", 3), ("0.10", 3), ("0.15", 3), ("0.20", 3), ("40", 1)] {
            assert_eq!(svg.matches(&format!("\n{label}\n")).count(), axes, "{label}");
        }
    }

    #[test]
    fn a_line_ends_at_the_top_of_its_panel() {
        let points = [(0.0, 10.0), (1.0, 20.0), (2.0, 60.0), (3.0, 50.0)];
        assert_eq!(below(&points, 40.0), [(0.0, 10.0), (1.0, 20.0), (1.5, 40.0)]);
        assert_eq!(below(&points, 100.0), points);
        assert_eq!(below(&points, 5.0), []);
    }
}
