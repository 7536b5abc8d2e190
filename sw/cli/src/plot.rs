//! Plots, as SVG: a title above panels side by side.

mod latency;
mod legend;
mod lines;
mod links;

pub use latency::{latency, of_one, sweep, Simulated};
pub use lines::{atomics, collectives, measured, series, transfers, Measured};
pub use links::links;

use anyhow::anyhow;
use plotters::{coord::Shift, prelude::*};

/// One a line of a panel, again with dashes after the last; told apart by people who do not see all colours (Okabe and Ito, 2008).
const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
];

/// Tolerance for rounding, relative to the step between two labels of an axis.
const ROUNDING: f64 = 1e-9;

/// Half the width of the end of an interval, in pixels.
const CAP: i32 = 3;

/// Pixels between two dashes.
const GAP: i32 = 4;
/// More pixels than the length of any line.
const UNBROKEN: i32 = 1 << 20;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn<'a> = Result<(), Box<dyn std::error::Error + 'a>>;
type Points = Vec<(f64, f64)>;

/// Lengths of a plot, in pixels.
struct Sheet {
    /// Size of a panel.
    panel: (u32, u32),
    /// Height of the band above all panels, and of the title in it.
    band: u32,
    title: i32,
}

impl Sheet {
    /// A plot of `grid.0` rows and `grid.1` columns of panels. `draw` gets the band and the panels, row by row.
    fn svg(
        &self,
        title: &str,
        grid: (usize, usize),
        draw: impl for<'a> FnOnce(&Area<'a>, &[Area<'a>]) -> Drawn<'a>,
    ) -> anyhow::Result<String> {
        let (rows, columns) = (grid.0 as u32, grid.1 as u32);
        let size = (self.panel.0 * columns, self.panel.1 * rows + self.band);
        let mut svg = String::new();
        {
            let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
            self.fill(&root, title, grid, draw)
                .map_err(|error| anyhow!("cannot plot: {error}"))?;
        }
        Ok(svg)
    }

    fn fill<'a>(
        &self,
        root: &Area<'a>,
        title: &str,
        grid: (usize, usize),
        draw: impl FnOnce(&Area<'a>, &[Area<'a>]) -> Drawn<'a>,
    ) -> Drawn<'a> {
        root.fill(&WHITE)?;
        let (band, below) = root.split_vertically(self.band);
        let font = ("sans-serif", 22).into_font();
        band.draw(&Text::new(title.to_owned(), (20, self.title), font))?;
        draw(&band, &below.split_evenly(grid))?;
        root.present()?;
        Ok(())
    }
}

/// The least of the round steps, 1, 2 or 5 times a power of ten, with `count` multiples in a range or fewer.
fn step((least, most): (f64, f64), count: usize) -> f64 {
    let power = 10f64.powf((most - least).log10().floor());
    let mut steps = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0].into_iter().map(|digit| digit * power);
    steps
        .find(|&step| multiples((least, most), step).len() <= count)
        .unwrap_or(10.0 * power)
}

/// The multiples of a round step in a range, rounded to the decimals of the step.
fn multiples((least, most): (f64, f64), step: f64) -> Vec<f64> {
    let scale = 10f64.powi(decimals(step) as i32);
    let (first, last) = ((least / step - ROUNDING).ceil(), (most / step + ROUNDING).floor());
    let multiples = first as i64..=last as i64;
    multiples
        .map(|multiple| (multiple as f64 * step * scale).round() / scale)
        .collect()
}

/// Decimals of a round step.
fn decimals(step: f64) -> usize {
    (-(step.log10() + ROUNDING).floor()).max(0.0) as usize
}

/// The colour of a line, by its number in the panel.
fn colour(line: usize) -> &'static RGBColor {
    &COLOURS[line % COLOURS.len()]
}

/// Length of the dashes of a line in pixels, by its number in the panel: each line of a colour has another. The first has no gaps.
fn dash(line: usize) -> i32 {
    match line / COLOURS.len() {
        0 => UNBROKEN,
        round => 4 * round as i32 - 2,
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Least and most of some values.
fn range(values: &[f64]) -> (f64, f64) {
    let of = |(least, most): (f64, f64), &value: &f64| (least.min(value), most.max(value));
    values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), of)
}

/// Draws the bar of an interval at `x`, and its two ends.
fn draw_interval<'a, X, Y>(
    chart: &mut ChartContext<'_, SVGBackend<'a>, Cartesian2d<X, Y>>,
    x: f64,
    (least, most): (f64, f64),
    style: ShapeStyle,
) -> Drawn<'a>
where
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    chart.draw_series([PathElement::new([(x, least), (x, most)], style)])?;
    let ends = [least, most].map(|end| EmptyElement::at((x, end)) + PathElement::new([(-CAP, 0), (CAP, 0)], style));
    chart.draw_series(ends)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pixels of a letter and of a line, to the size of its font.
    const LETTER: (f64, f64) = (0.55, 0.9);

    /// A label and its box: left, top, right, bottom.
    type Label = (String, [f64; 4]);

    /// The number of an attribute.
    fn number(element: &str, attribute: &str) -> f64 {
        let (_, rest) = element.split_once(&format!(" {attribute}=\"")).expect("an attribute");
        rest.split('"').next().unwrap().parse().expect("a number")
    }

    /// The labels of a plot, upright ones and those that are turned to the left.
    fn labels(svg: &str) -> Vec<Label> {
        let elements = svg.split("<text").skip(1).filter_map(|rest| rest.split_once('>'));
        let label = |(attributes, rest): (&str, &str)| {
            let text = rest.split_once("</text>").expect("an end").0.trim().to_owned();
            let [x, y, size] = ["x", "y", "font-size"].map(|name| number(attributes, name));
            let (width, height) = (LETTER.0 * size * text.chars().count() as f64, LETTER.1 * size);
            let left = match attributes {
                _ if attributes.contains("text-anchor=\"middle\"") => -width / 2.0,
                _ if attributes.contains("text-anchor=\"end\"") => -width,
                _ => 0.0,
            };
            // `dy` moves the base line: of what hangs, is centred or stands.
            let middle = match attributes {
                _ if attributes.contains("dy=\"0.76em\"") => size / 2.0,
                _ if attributes.contains("dy=\"-0.5ex\"") => -size / 2.0,
                _ => 0.0,
            };
            let upright = [left, middle - height / 2.0, left + width, middle + height / 2.0];
            let [left, top, right, bottom] = match attributes {
                _ if !attributes.contains("transform") => upright,
                _ if attributes.contains("rotate(270,") => [upright[1], -upright[2], upright[3], -upright[0]],
                _ => panic!("{text} is turned to the right: {attributes}"),
            };
            (text, [x + left, y + top, x + right, y + bottom])
        };
        elements.map(label).collect()
    }

    /// Each label of a plot that leaves the sheet or lies on another one.
    fn faults(svg: &str) -> Vec<String> {
        let [width, height] = ["width", "height"].map(|name| number(svg, name));
        let labels = labels(svg);
        assert!(labels.len() > 3, "labels are found");
        let mut faults = vec![];
        for (at, (text, own)) in labels.iter().enumerate() {
            if own[0] < 0.0 || own[1] < 0.0 || own[2] > width || own[3] > height {
                faults.push(format!("{text} leaves the sheet: {own:?}"));
            }
            for (other, its) in &labels[..at] {
                if own[0] < its[2] && its[0] < own[2] && own[1] < its[3] && its[1] < own[3] {
                    faults.push(format!("{text} and {other} overlap: {own:?} and {its:?}"));
                }
            }
        }
        faults
    }

    /// All labels lie on the sheet, and none lies on another.
    pub fn labels_are_apart(svg: &str) {
        assert_eq!(faults(svg), Vec::<String>::new());
    }

    #[test]
    fn steps_are_round_and_their_multiples_have_no_more_decimals() {
        assert_eq!((step((0.0, 0.2), 6), decimals(0.05)), (0.05, 2));
        assert_eq!(multiples((0.0, 0.2), 0.05), [0.0, 0.05, 0.1, 0.15, 0.2]);
        // 6 times 0.05 is not 0.3, and 0.3 / 0.1 is less than 3.
        assert_eq!(multiples((0.28, 0.32), 0.05), [0.3]);
        assert_eq!(multiples((0.0, 0.3), 0.1), [0.0, 0.1, 0.2, 0.3]);
        assert_eq!((step((0.0, 50.0), 6), decimals(10.0)), (10.0, 0));
        for span in (1..200).map(|length| f64::from(length) * 0.7) {
            for count in 2..12 {
                let labels = multiples((80.0, 80.0 + span), step((80.0, 80.0 + span), count));
                assert!((1..=count).contains(&labels.len()), "{span}, {count}: {labels:?}");
            }
        }
    }

    #[test]
    fn labels_that_overlap_or_leave_the_sheet_are_told() {
        let svg = |x: i32, y: i32| {
            let labels = [("one", 5), ("another", x), ("third", 100), ("fourth", 150)];
            let labels = labels.map(|(text, x)| format!("<text x=\"{x}\" y=\"20\" font-size=\"10\">\n{text}\n</text>"));
            let turned = "dy=\"0.76em\" text-anchor=\"middle\" font-size=\"10\"";
            let turned =
                format!("<text x=\"0\" y=\"{y}\" {turned} transform=\"rotate(270, 0, {y})\">\nturned\n</text>");
            format!("<svg width=\"200\" height=\"200\">{}{turned}</svg>", labels.concat())
        };
        assert_eq!(faults(&svg(40, 100)), Vec::<String>::new());
        for (x, y, fault) in [
            (20, 100, "another and one overlap"),
            (180, 100, "another leaves the sheet"),
            (40, 30, "turned and one overlap"),
            (40, 10, "turned leaves the sheet"),
        ] {
            assert!(faults(&svg(x, y))[0].starts_with(fault), "{fault}");
        }
    }
}
