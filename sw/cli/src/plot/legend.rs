//! Entries of a legend: a sign, and what it stands for.

use super::{colour, dash, Area, Drawn, CAP, GAP};
use plotters::{element::DashedPathElement, prelude::*};

/// Height of an entry, in pixels.
pub const HEIGHT: i32 = 20;
/// Width of a sign, in pixels: the circle in its middle hides no more than one gap of a dashed line.
const SIGN: i32 = 48;
/// Width of the place of a sign, in pixels.
const PLACE: i32 = SIGN + 6;
/// Width of a letter at most, in pixels.
const LETTER: i32 = 7;
/// Width of the gap behind an entry, in pixels.
const BEHIND: i32 = 10;

/// What a sign of a plot stands for.
pub enum Entry {
    /// A line: its number in the panel, and its name.
    Line(usize, String),
    /// A point at which the mesh does not keep up with the load.
    PastSaturation,
    /// A point whose latencies did not become steady.
    Unsteady,
    /// A bar of several figures, whose mean is drawn.
    Interval,
    /// A figure of the paper, in the colour of the line that it belongs to.
    Paper,
}

impl Entry {
    fn name(&self) -> &str {
        match self {
            Entry::Line(_, name) => name,
            Entry::PastSaturation => "past saturation",
            Entry::Unsteady => "not steady",
            Entry::Interval => "least to most",
            Entry::Paper => "paper",
        }
    }

    /// Draws the entry; `(x, y)` is the middle of its left side.
    ///
    /// # Errors
    /// Drawing fails.
    pub fn draw<'a>(&self, area: &Area<'a>, (x, y): (i32, i32)) -> Drawn<'a> {
        let middle = (x + SIGN / 2, y);
        match self {
            Entry::Line(line, _) => {
                let (sign, style) = ([(x, y), (x + SIGN, y)], colour(*line).stroke_width(2));
                area.draw(&DashedPathElement::new(sign, dash(*line), GAP, style))?;
                area.draw(&Circle::new(middle, 3, colour(*line).filled()))?;
            }
            Entry::PastSaturation => {
                area.draw(&Circle::new(middle, 3, WHITE.filled()))?;
                area.draw(&Circle::new(middle, 3, BLACK.stroke_width(1)))?;
            }
            Entry::Unsteady => area.draw(&Cross::new(middle, 4, BLACK.stroke_width(1)))?,
            Entry::Interval => {
                let [top, bottom] = [y - 6, y + 6];
                let ends = [top, bottom].map(|y| [(middle.0 - CAP, y), (middle.0 + CAP, y)]);
                for bar in [[(middle.0, top), (middle.0, bottom)], ends[0], ends[1]] {
                    area.draw(&PathElement::new(bar, BLACK.stroke_width(1)))?;
                }
            }
            Entry::Paper => area.draw(&paper(middle, BLACK))?,
        }
        let font = ("sans-serif", 13).into_font();
        area.draw(&Text::new(self.name().to_owned(), (x + PLACE, y - 6), font))?;
        Ok(())
    }
}

/// The sign of a figure of the paper: a hollow circle, seen around a point of the same place.
pub fn paper<Place>(place: Place, colour: RGBColor) -> Circle<Place, i32> {
    Circle::new(place, 5, colour.stroke_width(1))
}

/// Width of the widest of some entries with the gap behind it, in pixels.
pub fn width<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> i32 {
    let letters = entries.into_iter().map(|entry| entry.name().chars().count());
    PLACE + LETTER * letters.max().unwrap_or(0) as i32 + BEHIND
}
