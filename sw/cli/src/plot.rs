//! Plots, as SVG: a title above panels side by side.

mod latency;
mod lines;
mod links;

pub use latency::{latency, of_one};
pub use lines::{atomics, collectives, series, transfers};
pub use links::links;

use anyhow::anyhow;
use plotters::{coord::Shift, prelude::*};

/// One a line of a panel; told apart by people who do not see all colours (Okabe and Ito, 2008).
const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
];

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
        let font = ("sans-serif", 24).into_font();
        band.draw(&Text::new(title.to_owned(), (20, self.title), font))?;
        draw(&band, &below.split_evenly(grid))?;
        root.present()?;
        Ok(())
    }
}

/// The colour of a line, by its number in the panel.
fn colour(line: usize) -> &'static RGBColor {
    &COLOURS[line % COLOURS.len()]
}
