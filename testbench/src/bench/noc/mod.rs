//! The benchmark of the network: how long, how much, how close to what is possible.
//!
//! | module | measures |
//! | --- | --- |
//! | [`zero_load`] | cycles of a lone single-flit packet, for every pair of terminals |
//! | [`streams`] | use of links and ports under full streams that do not meet |
//! | [`load`] | latency against offered load, and throughput at saturation |
//!
//! Each works on any mesh that a [`MakeDevice`] makes: Verilated, simulated by rust-hdl, or golden. All traffic is checked
//! by the scoreboard while it is measured.

pub mod load;
pub mod streams;
pub mod zero_load;

use crate::{bench::report::Row, device::stream::StreamDevice};
use load::{Case, Curve, Effort, Selection};
use portico_spec::Config;

/// Makes the mesh of a configuration.
pub type MakeDevice<'a> = dyn FnMut(&Config) -> anyhow::Result<Box<dyn StreamDevice>> + 'a;

/// Name of the benchmark in its rows.
const BENCH: &str = "noc";

/// Steps before the curves: zero load, full streams.
const FIRST_STEPS: usize = 2;

/// Everything that the benchmark measured.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// One row a figure, in the order of the module's table.
    pub rows: Vec<Row>,
    /// What the rows of [`load`] come from, for plots.
    pub curves: Vec<Curve>,
}

/// Runs the whole benchmark. `base` gives what no part varies: width and monitors. `progress` is told of each step: how
/// many of how many are done, and what comes next.
///
/// # Errors
/// A mesh cannot be made, or did something wrong.
pub fn run(
    base: &Config,
    effort: &Effort,
    make: &mut MakeDevice,
    progress: &mut dyn FnMut(usize, usize, &str),
) -> anyhow::Result<Figures> {
    let cases = Selection::default().cases(base)?;
    let steps = cases.len() + FIRST_STEPS;
    let mut figures = Figures::default();

    progress(0, steps, "zero load");
    let config = mesh(base, (8, 8));
    let idle = zero_load::row(&config, &mut *make(&config)?)?;
    figures.rows.push(idle.on_mesh((config.cols, config.rows)));

    progress(1, steps, "full streams");
    let config = mesh(base, (4, 4));
    let full = streams::rows(&config, &mut *make(&config)?)?.into_iter();
    figures
        .rows
        .extend(full.map(|row| row.on_mesh((config.cols, config.rows))));

    let measured = curves(cases, effort, make, &mut |done, of, next| {
        progress(done + FIRST_STEPS, of + FIRST_STEPS, next);
    })?;
    figures.rows.extend(measured.rows);
    figures.curves = measured.curves;
    Ok(figures)
}

/// Measures [`load`] alone, of these cases; `progress` as for [`run`].
///
/// # Errors
/// As [`run`].
pub fn curves(
    cases: Vec<Case>,
    effort: &Effort,
    make: &mut MakeDevice,
    progress: &mut dyn FnMut(usize, usize, &str),
) -> anyhow::Result<Figures> {
    let steps = cases.len();
    let mut figures = Figures::default();
    let mut device = None;
    for (step, case) in cases.into_iter().enumerate() {
        progress(step, steps, &case.to_string());
        let made = match device.take() {
            Some((config, made)) if config == case.config => made,
            _ => make(&case.config)?,
        };
        let (_, made) = device.insert((case.config.clone(), made));
        let curve = case.measure(effort, &mut **made)?;
        figures.rows.extend(curve.rows());
        figures.curves.push(curve);
    }
    progress(steps, steps, "done");
    Ok(figures)
}

/// `base` with these columns and rows of tiles, and no edge nodes.
fn mesh(base: &Config, (cols, rows): (usize, usize)) -> Config {
    Config {
        cols,
        rows,
        edge_nodes: 0,
        ..base.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::golden_mesh::GoldenMesh;

    #[test]
    fn the_whole_benchmark_runs_and_each_configuration_is_made_once_at_a_time() {
        let (mut made, mut steps) = (vec![], vec![]);
        let effort = Effort {
            warmup: 10,
            measure: 50,
            saturation: 50,
            loads: vec![0.1],
            ..Effort::default()
        };
        let figures = run(
            &Config::default(),
            &effort,
            &mut |config| {
                made.push((config.cols, config.fifo));
                Ok(Box::new(GoldenMesh::new(config)))
            },
            &mut |done, of, _| steps.push((done, of)),
        )
        .unwrap();
        assert_eq!(made, [(8, 4), (4, 4), (4, 2), (4, 4), (4, 8), (8, 2), (8, 4), (8, 8)]);
        assert_eq!(figures.curves.len(), 2 * 3 * 4 * 3);
        assert_eq!(steps.len(), figures.curves.len() + 3);
        assert!(steps
            .iter()
            .enumerate()
            .all(|(at, &(done, of))| at == done && of == steps.len() - 1));
        for row in &figures.rows {
            let mesh = format!("{}x{}", row.keys["cols"], row.keys["rows"]);
            assert!(row.name.contains(&mesh), "{}: {mesh}", row.name);
        }
        let mut names: Vec<_> = figures.rows.iter().map(|row| &row.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), figures.rows.len(), "two rows share a name");
    }
}
