//! Lines over logarithmic axes: panels in rows of two, with a legend beside each.

use crate::loads::mesh_name;
use anyhow::ensure;
use plotters::prelude::*;
use portico_spec::mpe::call::Kind;
use portico_testbench::{
    bench::blocks::Plot,
    bench::collectives::{bounds::kind_name, curves::Point, form::Form},
    bench::onesided::{
        atomics,
        bounds::Way,
        sizes::{self, Target},
    },
};
use std::collections::BTreeMap;

use super::{
    colour, dash, draw_interval,
    legend::{self, Entry},
    mean, multiples, range, step, Area, Drawn, Points, Sheet, GAP,
};

/// Least width of the axes of a panel with their labels, and least height of a panel, in pixels.
const AXES: (i32, i32) = (510, 360);
/// Around axes, in pixels.
const MARGIN: i32 = 10;
/// Width of a letter of a title, at most, in pixels.
const LETTER: i32 = 8;
/// Middle of the first entry of a legend.
const FIRST_ENTRY: i32 = 48;
/// Labels of an axis, at most.
const LABELS: usize = 9;

/// One pair of axes.
#[derive(Debug, PartialEq)]
struct Panel {
    title: String,
    x: String,
    y: String,
    lines: Vec<Line>,
}

/// One line of a panel; all coordinates are above zero.
#[derive(Debug, Default, PartialEq)]
struct Line {
    name: String,
    points: Points,
    /// Least and most of several figures at `x`, whose mean is a point.
    intervals: Vec<(f64, (f64, f64))>,
    /// Figures of the paper.
    paper: Points,
}

impl Line {
    fn new(name: String, points: Points) -> Self {
        Self {
            name,
            points,
            ..Self::default()
        }
    }

    /// All that is drawn of it.
    fn drawn(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let ends = |&(x, (least, most)): &(f64, (f64, f64))| [(x, least), (x, most)];
        let points = self.points.iter().chain(&self.paper).copied();
        points.chain(self.intervals.iter().flat_map(ends))
    }
}

impl Panel {
    /// Its lines, and the signs that it has.
    fn legend(&self) -> Vec<Entry> {
        let lines = self.lines.iter().enumerate();
        let lines = lines.map(|(number, line)| Entry::Line(number, line.name.clone()));
        let has_intervals = self.lines.iter().any(|line| !line.intervals.is_empty());
        let has_paper = self.lines.iter().any(|line| !line.paper.is_empty());
        let signs = [
            has_intervals.then_some(Entry::Interval),
            has_paper.then_some(Entry::Paper),
        ];
        lines.chain(signs.into_iter().flatten()).collect()
    }
}

/// Throughput and latency against size: a row of panels for each direction and memory, a line for each number of tiles.
///
/// # Errors
/// There is nothing to plot, or plotting fails.
pub fn transfers(curves: &[sizes::Curve]) -> anyhow::Result<String> {
    let mut kinds: Vec<(Target, Way)> = curves.iter().map(|curve| (curve.target, curve.way)).collect();
    kinds.dedup();
    let mut panels = vec![];
    for (target, way) in kinds {
        let of_kind = || curves.iter().filter(|curve| (curve.target, curve.way) == (target, way));
        let lines = |figure: fn(&sizes::Point) -> f64, paper: fn(&sizes::Curve, usize) -> Option<f64>| {
            let line = |curve: &sizes::Curve| {
                let points = curve.points.iter().map(|point| (point.bytes as f64, figure(point)));
                let paper = |point: &sizes::Point| Some((point.bytes as f64, paper(curve, point.bytes)?));
                Line {
                    paper: curve.points.iter().filter_map(paper).collect(),
                    ..Line::new(tiles(curve.initiators), points.collect())
                }
            };
            of_kind().map(line).collect()
        };
        let name = format!("{}, {}", way.name(), target.name());
        panels.push(Panel {
            title: format!("{name}: throughput"),
            x: "size, bytes".to_owned(),
            y: "bytes/cycle".to_owned(),
            lines: lines(|point| point.rate, |_, _| None),
        });
        panels.push(Panel {
            title: format!("{name}: latency"),
            x: "size, bytes".to_owned(),
            y: "cycles".to_owned(),
            lines: lines(|point| point.latency, sizes::Curve::paper),
        });
    }
    svg("Transfers against size", &panels)
}

/// Cycles of a request against initiators, a line a kind.
///
/// # Errors
/// There is nothing to plot, or plotting fails.
pub fn atomics(curves: &[atomics::Curve]) -> anyhow::Result<String> {
    let line = |curve: &atomics::Curve| {
        let points = curve
            .points
            .iter()
            .map(|&(initiators, cycles)| (initiators as f64, cycles));
        let paper = |&(initiators, _): &(usize, f64)| Some((initiators as f64, curve.paper(initiators)?));
        Line {
            paper: curve.points.iter().filter_map(paper).collect(),
            ..Line::new(curve.kind.name().to_owned(), points.collect())
        }
    };
    let panel = Panel {
        title: "postadd (posted) and fetch-and-add (blocking)".to_owned(),
        x: "initiators".to_owned(),
        y: "cycles a request".to_owned(),
        lines: curves.iter().map(line).collect(),
    };
    svg("Atomics against initiators", &[panel])
}

/// Series of figures: a panel each, under a title.
///
/// # Errors
/// There is nothing to plot, or plotting fails.
pub fn series(title: &str, plots: &[Plot]) -> anyhow::Result<String> {
    let panel = |plot: &Plot| {
        let lines = plot.lines.iter().map(|line| Line {
            paper: line.paper.clone(),
            ..Line::new(line.name.clone(), line.points.clone())
        });
        Panel {
            title: plot.title.clone(),
            x: plot.x.clone(),
            y: plot.y.clone(),
            lines: lines.collect(),
        }
    };
    let panels: Vec<Panel> = plots.iter().map(panel).collect();
    svg(title, &panels)
}

/// Cycles of barriers against tiles, then those of each other call against words, a panel a mesh; a line a tree.
///
/// # Errors
/// There is nothing to plot, or plotting fails.
pub fn collectives(points: &[Point]) -> anyhow::Result<String> {
    let lines = |is_shown: &dyn Fn(&Point) -> bool, x: fn(&Point) -> usize| {
        let line = |form: Form| {
            let of_form = || points.iter().filter(|point| point.form == form && is_shown(point));
            let line: Points = of_form().map(|point| (x(point) as f64, point.cycles as f64)).collect();
            let paper = |point: &Point| Some((x(point) as f64, point.paper()?));
            (!line.is_empty()).then(|| Line {
                paper: of_form().filter_map(paper).collect(),
                ..Line::new(form.name(), line)
            })
        };
        Form::CURVES.into_iter().filter_map(line).collect()
    };
    let mut panels = vec![Panel {
        title: kind_name(Kind::Barrier).to_owned(),
        x: "tiles".to_owned(),
        y: "cycles".to_owned(),
        lines: lines(&|point| point.kind == Kind::Barrier, Point::tiles),
    }];
    let mut cases: Vec<(Kind, (usize, usize))> = points.iter().map(|point| (point.kind, point.mesh)).collect();
    cases.retain(|&(kind, _)| kind != Kind::Barrier);
    cases.dedup();
    panels.extend(cases.into_iter().map(|case| Panel {
        title: format!("{}, {}", kind_name(case.0), mesh_name(case.1)),
        x: "words".to_owned(),
        y: "cycles".to_owned(),
        lines: lines(&|point| (point.kind, point.mesh) == case, |point| point.words),
    }));
    svg("Collective calls", &panels)
}

/// A figure of a sweep.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Title of its panel.
    pub panel: String,
    /// Name of its line.
    pub line: String,
    /// Quantity of the horizontal axis, and its value.
    pub x: (&'static str, usize),
    /// Cycles.
    pub cycles: f64,
}

/// Cycles of the jobs of a sweep. Of figures at one place of one line, such as those of several seeds, the mean is drawn, with a bar from
/// the least to the most.
///
/// # Errors
/// There is nothing to plot, or plotting fails.
pub fn measured(figures: &[Measured]) -> anyhow::Result<String> {
    let mut panels: Vec<Panel> = vec![];
    for Measured { panel, line, x, .. } in figures {
        let at = panels
            .iter()
            .position(|other| other.title == *panel)
            .unwrap_or_else(|| {
                panels.push(Panel {
                    title: panel.clone(),
                    x: x.0.to_owned(),
                    y: "cycles".to_owned(),
                    lines: vec![],
                });
                panels.len() - 1
            });
        if panels[at].lines.iter().any(|known| known.name == *line) {
            continue;
        }
        let mut points: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        for other in figures
            .iter()
            .filter(|other| (&other.panel, &other.line) == (panel, line))
        {
            points.entry(other.x.1).or_default().push(other.cycles);
        }
        let several = points.iter().filter(|(_, all)| all.len() > 1);
        panels[at].lines.push(Line {
            name: line.clone(),
            points: points.iter().map(|(&x, all)| (x as f64, mean(all))).collect(),
            intervals: several.map(|(&x, all)| (x as f64, range(all))).collect(),
            paper: vec![],
        });
    }
    svg("Cycles of all jobs", &panels)
}

fn tiles(count: usize) -> String {
    match count {
        1 => "1 tile".to_owned(),
        _ => format!("{count} tiles"),
    }
}

/// Panels in rows of two.
fn svg(title: &str, panels: &[Panel]) -> anyhow::Result<String> {
    let mut lines = panels.iter().flat_map(|panel| &panel.lines);
    ensure!(lines.any(|line| !line.points.is_empty()), "no point to plot");
    let columns = panels.len().min(2);
    let rows = panels.len().div_ceil(columns);
    let (axes, panel) = sizes_of(panels);
    let sheet = Sheet {
        panel,
        band: 48,
        title: 14,
    };
    sheet.svg(title, (rows, columns), |_, areas| {
        panels
            .iter()
            .zip(areas)
            .try_for_each(|(panel, area)| draw_panel(area, axes, panel))
    })
}

/// Width of the axes of each panel, and size of the panel with its legend: no title and no entry of a legend is cut.
fn sizes_of(panels: &[Panel]) -> (i32, (u32, u32)) {
    let letters = panels.iter().map(|panel| panel.title.chars().count());
    let axes = AXES.0.max(LETTER * letters.max().unwrap_or(0) as i32 + 2 * MARGIN);
    let legends: Vec<Vec<Entry>> = panels.iter().map(Panel::legend).collect();
    let entries = legends.iter().map(Vec::len).max().unwrap_or(0);
    let height = AXES.1.max(FIRST_ENTRY + legend::HEIGHT * entries as i32);
    let width = axes + legend::width(legends.iter().flatten());
    (axes, (width as u32, height as u32))
}

fn draw_panel<'a>(area: &Area<'a>, axes: i32, panel: &Panel) -> Drawn<'a> {
    let points = || panel.lines.iter().flat_map(Line::drawn);
    let (x, y) = (span(points().map(|point| point.0)), span(points().map(|point| point.1)));
    let (axes, beside) = area.split_horizontally(axes);
    let mut chart = ChartBuilder::on(&axes)
        .margin(MARGIN)
        .caption(&panel.title, ("sans-serif", 16))
        .x_label_area_size(36)
        .y_label_area_size(56)
        .build_cartesian_2d(
            (x.0..x.1).log_scale().base(2.0).with_key_points(ticks(x, &[1.0], 2.0)),
            (y.0..y.1).log_scale().with_key_points(ticks(y, &[1.0, 2.0, 5.0], 10.0)),
        )?;
    chart
        .configure_mesh()
        .x_desc(&panel.x)
        .y_desc(&panel.y)
        .x_labels(LABELS)
        .y_labels(LABELS)
        .x_label_formatter(&|x| format!("{x}"))
        .y_label_formatter(&|y| format!("{y}"))
        .light_line_style(WHITE)
        .draw()?;
    for (index, line) in panel.lines.iter().enumerate() {
        let (colour, points) = (colour(index), &line.points);
        chart.draw_series(DashedLineSeries::new(
            points.clone(),
            dash(index),
            GAP,
            colour.stroke_width(2),
        ))?;
        chart.draw_series(points.iter().map(|&point| Circle::new(point, 3, colour.filled())))?;
        for &(x, range) in &line.intervals {
            draw_interval(&mut chart, x, range, colour.stroke_width(1))?;
        }
        chart.draw_series(line.paper.iter().map(|&point| legend::paper(point, *colour)))?;
    }
    for (index, entry) in panel.legend().iter().enumerate() {
        entry.draw(&beside, (0, FIRST_ENTRY + legend::HEIGHT * index as i32))?;
    }
    Ok(())
}

/// Labels of a logarithmic axis, all within its range and no more than [`LABELS`]: `digits` times powers of `base`, and of more than a
/// few every second power, every fourth, and so on. An axis with less than two of them has multiples of a round step.
fn ticks((least, most): (f64, f64), digits: &[f64], base: f64) -> Vec<f64> {
    let within = |label: &f64| (least..=most).contains(label);
    for (digits, every) in [(digits, 1), (&[1.0], 1), (&[1.0], 2), (&[1.0], 4), (&[1.0], 8)] {
        let powers = (-24..=48).step_by(every).map(|power| base.powi(power));
        let labels = powers.flat_map(|power| digits.iter().map(move |digit| digit * power));
        let labels: Vec<f64> = labels.filter(within).collect();
        if (2..=LABELS).contains(&labels.len()) {
            return labels;
        }
    }
    multiples((least, most), step((least, most), LABELS))
}

/// From the least value to the largest, with room around both; never empty.
fn span(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (least, most) = values.fold((f64::INFINITY, 0.0_f64), |(least, most), value| {
        (least.min(value), most.max(value))
    });
    match least <= most {
        true => (least / 1.5, most * 1.5),
        false => (1.0, 2.0),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::tests::labels_are_apart, *};
    use std::collections::BTreeSet;

    /// The radius of a figure of the paper.
    const PAPER: &str = " r=\"5\"";

    #[test]
    fn figures_of_several_seeds_are_one_point_and_labels_are_apart() {
        let figure = |panel: &str, line: &str, x: usize, cycles: f64| Measured {
            panel: panel.to_owned(),
            line: line.to_owned(),
            x: ("words", x),
            cycles,
        };
        let mut figures = vec![];
        for panel in ["broadcast, 4x4", "reduce, 4x4"] {
            for line in ["tree linear, stages 2", "tree quad, stages 2"] {
                figures.extend([(1, 20.0), (1, 40.0), (256, 900.0)].map(|(x, cycles)| figure(panel, line, x, cycles)));
            }
        }
        let svg = measured(&figures).unwrap();
        labels_are_apart(&svg);
        // A circle a point and one an entry: the two seeds are one, with a bar.
        assert_eq!(svg.matches("<circle").count(), 2 * 2 * (2 + 1));
        assert_eq!(svg.matches("\nleast to most\n").count(), 2);
        let one_seed = measured(&figures[1..3]).unwrap();
        assert!(!one_seed.contains("least to most"));
        // A bar and its two ends in the colour of the first line, in both panels.
        let bar = "stroke=\"#0072B2\" stroke-width=\"1\"";
        assert_eq!((svg.matches(bar).count(), one_seed.matches(bar).count()), (3 * 2, 0));
        assert!(svg.contains("reduce, 4x4") && svg.contains("tree quad, stages 2") && svg.contains("words"));
        assert!(measured(&[]).is_err());
    }

    #[test]
    fn a_legend_has_all_entries_and_no_two_lines_look_alike() {
        let name = |number: usize| format!("tree binomial, stages 2, calls 10, link {number:02}");
        let panel = |title: &str, lines: usize| Panel {
            title: title.to_owned(),
            x: "words".to_owned(),
            y: "cycles".to_owned(),
            lines: (0..lines)
                .map(|line| Line::new(name(line), vec![(1.0, 20.0), (256.0, 900.0 + 10.0 * line as f64)]))
                .collect(),
        };
        let long = "a title of a panel that is longer than its axes are wide, were these not made wider";
        for lines in [12, 24] {
            let svg = svg("Long legend", &[panel(long, lines), panel("short", 1)]).unwrap();
            labels_are_apart(&svg);
            assert!(svg.contains(long));
            for line in 0..lines {
                assert_eq!(svg.matches(&name(line)).count(), 1 + usize::from(line == 0), "{line}");
            }
        }
        let style = |line: usize| (colour(line).0, colour(line).1, colour(line).2, dash(line));
        assert_eq!((0..24).map(style).collect::<BTreeSet<_>>().len(), 24);
        assert!((0..6).all(|line| dash(line) > 1000) && dash(6) == 2 && dash(12) == 6);
    }

    #[test]
    fn labels_of_an_axis_are_round_and_within_its_range() {
        let [tens, twos] = [(&[1.0, 2.0, 5.0][..], 10.0), (&[1.0][..], 2.0)];
        let labels = |range, (digits, base)| ticks(range, digits, base);
        assert_eq!(labels((1.3, 120.0), tens), [2.0, 5.0, 10.0, 20.0, 50.0, 100.0]);
        assert_eq!(labels((0.3, 1e5), tens), [1.0, 10.0, 100.0, 1e3, 1e4, 1e5]);
        assert_eq!(labels((6.0, 700.0), twos), [8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0]);
        assert_eq!(
            labels((0.7, 20_000.0), twos),
            [1.0, 4.0, 16.0, 64.0, 256.0, 1024.0, 4096.0, 16384.0]
        );
        // Too narrow for two powers of two.
        assert_eq!(labels((17.0, 30.0), twos), [18.0, 20.0, 22.0, 24.0, 26.0, 28.0, 30.0]);
        assert_eq!(labels((0.52, 0.78), tens), [0.55, 0.6, 0.65, 0.7, 0.75]);
        assert_eq!(labels((80.0, 170.0), tens), [80.0, 100.0, 120.0, 140.0, 160.0]);
        assert_eq!(labels((0.21, 0.46), tens), [0.25, 0.3, 0.35, 0.4, 0.45]);
    }

    fn curve(way: Way, initiators: usize) -> sizes::Curve {
        let point = |bytes| sizes::Point {
            bytes,
            rate: bytes as f64 / 20.0,
            latency: 20.0 + bytes as f64 / 4.0,
        };
        sizes::Curve {
            target: Target::Scratchpad(3),
            way,
            initiators,
            points: [8, 64, 512].map(point).to_vec(),
        }
    }

    #[test]
    fn a_panel_a_figure_and_a_line_a_number_of_tiles() {
        let curves = [
            curve(Way::Put, 1),
            curve(Way::Put, 16),
            curve(Way::Get, 1),
            curve(Way::Get, 16),
        ];
        let svg = transfers(&curves).unwrap();
        labels_are_apart(&svg);
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        // The paper's latencies of one tile, in the panels of latency alone: three sizes and an entry of the legend.
        assert_eq!(
            (svg.matches(PAPER).count(), svg.matches("\npaper\n").count()),
            (2 * (3 + 1), 2)
        );
        for text in [
            "Transfers against size",
            "put, scratchpad: throughput",
            "get, scratchpad: latency",
            "1 tile",
            "16 tiles",
            "size, bytes",
        ] {
            assert!(svg.contains(text), "{text}");
        }
        assert!(transfers(&[]).is_err());
    }

    #[test]
    fn series_have_a_panel_a_plot() {
        let plot = |title: &str| Plot {
            title: title.to_owned(),
            x: "entries".to_owned(),
            y: "ns".to_owned(),
            lines: vec![portico_testbench::bench::blocks::Line {
                name: "at 250 MHz".to_owned(),
                points: vec![(1.0, 4.0), (16_384.0, 65_536.0)],
                paper: vec![(1024.0, 5_000.0)],
            }],
        };
        let svg = series("Blocks alone", &[plot("search"), plot("insert"), plot("delete")]).unwrap();
        labels_are_apart(&svg);
        for text in [
            "Blocks alone",
            "search",
            "insert",
            "delete",
            "at 250 MHz",
            "entries",
            "ns",
            "\npaper\n",
        ] {
            assert!(svg.contains(text), "{text}");
        }
        assert!(series("Nothing", &[]).is_err());
    }

    #[test]
    fn calls_have_a_panel_a_mesh() {
        let point = |kind, mesh, form, words| Point {
            kind,
            mesh,
            form,
            depth: 2,
            words,
            cycles: 20 + words as u64,
            running: 0,
            waiting: 0,
            idle: 0,
        };
        let points = [
            point(Kind::Barrier, (2, 2), Form::Mapped, 0),
            point(Kind::Broadcast, (2, 2), Form::Mapped, 8),
            point(Kind::Broadcast, (2, 2), Form::Linear, 8),
            point(Kind::Broadcast, (8, 4), Form::Linear, 8),
        ];
        let svg = collectives(&points).unwrap();
        labels_are_apart(&svg);
        for text in [
            "Collective calls",
            "barrier",
            "broadcast, 2x2",
            "broadcast, 8x4",
            "mapped",
            "words",
        ] {
            assert!(svg.contains(text), "{text}");
        }
        assert!(!svg.contains("binomial"));
        // The paper has linear trees of 4 and of 32 tiles: a point and an entry of the legend.
        assert_eq!(
            (svg.matches(PAPER).count(), svg.matches("\npaper\n").count()),
            (2 * (1 + 1), 2)
        );
        assert!(collectives(&[]).is_err());
    }

    #[test]
    fn atomics_have_one_panel() {
        let curves = atomics::Kind::ALL.map(|kind| atomics::Curve {
            kind,
            points: vec![(1, 3.0), (4, 5.0), (16, 80.0)],
        });
        let svg = super::atomics(&curves).unwrap();
        labels_are_apart(&svg);
        // One initiator of each kind, and an entry of the legend.
        assert_eq!(
            (svg.matches(PAPER).count(), svg.matches("\npaper\n").count()),
            (4 + 1, 1)
        );
        for kind in atomics::Kind::ALL {
            assert!(svg.contains(kind.name()), "{}", kind.name());
        }
        assert_eq!(span([2.0, 8.0].into_iter()), (2.0 / 1.5, 12.0));
        assert_eq!(span([].into_iter()), (1.0, 2.0));
    }
}
