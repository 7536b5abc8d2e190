//! The benchmark of lists: the applications that tiles do by themselves, as the host sees them.
//!
//! An application takes from the start of its list in the driver until the host knows that it has ended. Its parts are seen at the
//! link that carries most of its flits. Every word of the result is checked.

use super::{
    mpi::MakeTransport,
    report::{Better, Row},
};
use anyhow::Context;
use portico::{
    examples::{self, Failure, Figures, Parts},
    Fabric, Transport,
};
use portico_spec::Config;

/// Name of the benchmark in its rows.
const BENCH: &str = "lists";
/// Tiles of the fabric for which the bounds of cycles are.
const BOUND_TILES: usize = 16;

/// An application with a list.
struct Application {
    kind: Kind,
    /// Most cycles on a fabric of [`BOUND_TILES`].
    cycles: Option<f64>,
    /// Least part of the cycles of the transfer in which the link carries a flit, in %.
    share: Option<f64>,
}

/// As on the command line of `portico run`.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Halo,
    Transpose,
    Buffer,
    Queue,
}

const APPLICATIONS: [Application; 4] = [
    Application {
        kind: Kind::Halo,
        cycles: Some(1_200.0),
        share: None,
    },
    Application {
        kind: Kind::Transpose,
        cycles: Some(2_800.0),
        share: None,
    },
    Application {
        kind: Kind::Buffer,
        cycles: None,
        share: Some(80.0),
    },
    Application {
        kind: Kind::Queue,
        cycles: None,
        share: Some(80.0),
    },
];

/// Runs the benchmark on fabrics of these columns and rows. `base` gives all but their size; each fabric is made after the other.
/// `progress` is told of each step: how many of how many are done, and what comes next. Gives the rows, and the cycles of all fabrics.
///
/// # Errors
/// A fabric cannot be made, counts no links, or did something wrong.
pub fn run(
    base: &Config,
    meshes: &[(usize, usize)],
    make: &mut MakeTransport,
    progress: &mut dyn FnMut(usize, usize, &str),
) -> anyhow::Result<(Vec<Row>, u64)> {
    let each = 1 + APPLICATIONS.len();
    let steps = meshes.len() * each;
    let (mut rows, mut cycles) = (vec![], 0);
    for (place, &(cols, mesh_rows)) in meshes.iter().enumerate() {
        let config = Config {
            cols,
            rows: mesh_rows,
            ..base.clone()
        };
        progress(place * each, steps, &format!("making {cols}x{mesh_rows}"));
        let mut transport = make(&config.fabric()?)?;
        let mut fabric = Fabric::open(&mut *transport).context("cannot set up the fabric")?;
        for (at, application) in APPLICATIONS.iter().enumerate() {
            let name = application.kind.name();
            progress(place * each + 1 + at, steps, &format!("{cols}x{mesh_rows}, {name}"));
            let figures = application
                .kind
                .run(&mut fabric)
                .with_context(|| format!("{name} on {cols}x{mesh_rows}"))?;
            let parts = figures
                .parts
                .context("a fabric without monitors cannot be measured: set monitors")?;
            let figures = application.rows(config.tiles(), figures.cycles, parts).into_iter();
            rows.extend(figures.map(|row| row.on_mesh((cols, mesh_rows))));
        }
        cycles += fabric.transport().cycles();
    }
    progress(steps, steps, "done");
    Ok((rows, cycles))
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Halo => "halo",
            Kind::Transpose => "transpose",
            Kind::Buffer => "buffer",
            Kind::Queue => "queue",
        }
    }

    fn run<T: Transport>(self, fabric: &mut Fabric<T>) -> Result<Figures, Failure> {
        match self {
            Kind::Halo => examples::halo_exchange(fabric),
            Kind::Transpose => examples::transpose(fabric),
            Kind::Buffer => examples::tile_in_buffer(fabric),
            Kind::Queue => examples::many_to_one(fabric),
        }
    }
}

impl Application {
    fn rows(&self, tiles: usize, cycles: u64, parts: Parts) -> Vec<Row> {
        let row = |measure: &str, unit: &'static str, better: Better, value: f64| {
            let application = self.kind.name();
            let name = format!("{application}, {tiles} tiles, {measure}");
            Row::new(BENCH, name, unit, better, value)
                .with("measure", measure)
                .with("application", application)
                .with("tiles", tiles)
        };
        let part = |measure, cycles: u64| row(measure, "cycles", Better::Less, cycles as f64);
        let all = Row {
            limit: Some(parts.flits as f64),
            bound: self.cycles.filter(|_| tiles == BOUND_TILES),
            ..part("cycles", cycles)
        };
        let share = Row {
            limit: Some(100.0),
            bound: self.share.filter(|_| tiles == BOUND_TILES),
            ..row("share", "%", Better::More, 100.0 * parts.share())
        };
        vec![
            all,
            part("start", parts.start),
            part("transfer", parts.transfer),
            part("notice", parts.notice),
            share,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portico::{GoldenTransport, Watched};
    use portico_spec::Port;

    /// A golden fabric that claims to have counted a link.
    struct Counting(GoldenTransport);

    impl Transport for Counting {
        portico::forward_transport!(0: config, read, write, cycles, wait, interrupt);

        fn watch(&mut self, tile: usize, port: Port) {
            assert!(tile < self.0.config().tiles() && port.index() < Port::ALL.len());
        }

        fn watched(&mut self) -> Option<Watched> {
            let last = self.0.cycles();
            let (first, flits) = (last - 1, 1);
            Some(Watched { first, last, flits })
        }
    }

    #[test]
    fn every_application_has_its_rows_and_every_step_is_told() {
        let mut steps = vec![];
        let make = &mut |config: &Config| -> anyhow::Result<Box<dyn Transport>> {
            Ok(Box::new(Counting(GoldenTransport::new(config)?)))
        };
        let meshes = [(2, 1), (4, 4)];
        let (rows, cycles) = run(&Config::default(), &meshes, make, &mut |done, of, _| {
            steps.push((done, of))
        })
        .unwrap();
        assert_eq!(steps, (0..11).map(|step| (step, 10)).collect::<Vec<_>>());
        assert_eq!(rows.len(), 2 * APPLICATIONS.len() * 5);
        for (place, (cols, mesh_rows)) in meshes.into_iter().enumerate() {
            let mut of_mesh = rows.chunks(APPLICATIONS.len() * 5).nth(place).unwrap().iter();
            assert!(of_mesh.all(|row| row.keys["cols"] == cols && row.keys["rows"] == mesh_rows));
        }
        assert!(cycles > 1000, "{cycles}");
        // One flit in two cycles; the bounds are for 16 tiles.
        for row in &rows {
            match row.keys["measure"].as_str().unwrap() {
                "share" => assert_eq!(row.value, 50.0, "{}", row.name),
                "transfer" => assert_eq!(row.value, 2.0, "{}", row.name),
                _ => {}
            }
            let is_large = row.keys["tiles"] == 16;
            assert!(is_large || row.bound.is_none(), "{}", row.name);
        }
        assert_eq!(rows.iter().filter(|row| row.bound.is_some()).count(), 4);
    }

    #[test]
    fn a_fabric_that_counts_no_links_is_refused() {
        let make = &mut |config: &Config| -> anyhow::Result<Box<dyn Transport>> {
            Ok(Box::new(GoldenTransport::new(config)?))
        };
        let refused = run(&Config::default(), &[(2, 1)], make, &mut |_, _, _| {}).unwrap_err();
        assert!(refused.to_string().contains("set monitors"), "{refused}");
    }
}
