//! Patterns, offered loads, meshes and trees, as a command line or a file names them.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use portico_testbench::{bench::collectives::form::Form, traffic::Pattern};

/// Most loads of a range.
const MOST: usize = 1_000;
/// Loads are multiples of this fraction: a range of decimals has no tails.
const FINEST: f64 = 1e6;

/// Reads the name of a pattern.
pub fn pattern_parser() -> impl TypedValueParser<Value = Pattern> {
    let names = PossibleValuesParser::new(Pattern::ALL.map(Pattern::name));
    names.try_map(|name| name.parse::<Pattern>())
}

/// Reads the name of a tree of engines.
///
/// # Errors
/// What is allowed.
pub fn tree(text: &str) -> Result<Form, String> {
    Form::named(text).ok_or_else(|| format!("allowed is {}", Form::CURVES.map(Form::name).join(", ")))
}

/// Reads an offered load in flits per sending terminal and cycle.
///
/// # Errors
/// What is allowed.
pub fn load(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| *number > 0.0 && *number <= 1.0);
    number.ok_or_else(|| "allowed is above 0, at most 1".into())
}

/// One load, or those of a range.
#[derive(Clone, Debug, PartialEq)]
pub struct Loads(pub Vec<f64>);

/// Reads a load, or a range `FIRST:LAST:STEP`, whose last load is there if a step meets it.
///
/// # Errors
/// What is allowed.
pub fn loads(text: &str) -> Result<Loads, String> {
    let parts: Vec<&str> = text.split(':').collect();
    let loads = match parts[..] {
        [one] => vec![load(one)?],
        [first, last, step] => {
            let (first, last, step) = (load(first)?, load(last)?, load(step)?);
            if last < first {
                return Err(format!("the range ends at {last}: allowed is {first} to 1"));
            }
            let steps = ((last - first) / step + 1.0 / FINEST).floor() as usize;
            if steps >= MOST {
                return Err(format!("the range has {} loads: allowed is at most {MOST}", steps + 1));
            }
            let rounded = |load: f64| (load * FINEST).round() / FINEST;
            (0..=steps).map(|at| rounded(first + step * at as f64)).collect()
        }
        _ => return Err("allowed is a load, or a range FIRST:LAST:STEP".into()),
    };
    Ok(Loads(loads))
}

/// All loads, rising and each once.
pub fn rising(loads: impl IntoIterator<Item = Loads>) -> Vec<f64> {
    let mut all: Vec<f64> = loads.into_iter().flat_map(|loads| loads.0).collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    all
}

/// Reads the columns and rows of a mesh, such as `8x4`.
///
/// # Errors
/// What is allowed.
pub fn mesh(text: &str) -> Result<(usize, usize), String> {
    let sides = text.split_once('x').and_then(|(cols, rows)| {
        let side = |text: &str| text.parse::<usize>().ok();
        Some((side(cols)?, side(rows)?))
    });
    sides.ok_or_else(|| "allowed is COLSxROWS, such as 8x4".into())
}

/// A mesh as [`mesh`] reads it.
pub fn mesh_name((cols, rows): (usize, usize)) -> String {
    format!("{cols}x{rows}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_its_ends_and_no_tails() {
        let range = |text| loads(text).map(|loads| loads.0);
        assert_eq!(range("0.25").unwrap(), [0.25]);
        assert_eq!(
            range("0.1:0.9:0.1").unwrap(),
            [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
        );
        assert_eq!(range("0.1:0.4:0.2").unwrap(), [0.1, 0.3]);
        assert_eq!(range("0.5:0.5:1").unwrap(), [0.5]);
        for (text, reason) in [
            ("0", "allowed is above 0, at most 1"),
            ("half", "allowed is above 0, at most 1"),
            ("0.1:0.9:0", "allowed is above 0, at most 1"),
            ("0.1:0.9", "allowed is a load, or a range FIRST:LAST:STEP"),
            ("0.9:0.1:0.1", "the range ends at 0.1: allowed is 0.9 to 1"),
            ("0.001:1:0.0001", "the range has 9991 loads: allowed is at most 1000"),
        ] {
            assert_eq!(range(text).unwrap_err(), reason, "{text}");
        }
        assert_eq!(
            rising([loads("0.3").unwrap(), loads("0.1:0.3:0.1").unwrap()]),
            [0.1, 0.2, 0.3]
        );
    }

    #[test]
    fn a_mesh_has_two_sides() {
        assert_eq!(mesh("8x4"), Ok((8, 4)));
        for wrong in ["8", "8x", "8x4x2", "ax4", "-1x4"] {
            assert_eq!(mesh(wrong).unwrap_err(), "allowed is COLSxROWS, such as 8x4", "{wrong}");
        }
    }
}
