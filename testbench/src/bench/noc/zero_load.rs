//! Latency of an idle mesh: one single-flit packet at a time, for every pair of terminals.

use super::BENCH;
use crate::{
    bench::report::{Better, Row},
    device::stream::StreamDevice,
    traffic::{scoreboard::Scoreboard, PacketRequest},
};
use anyhow::{bail, ensure, Context};
use portico_spec::{
    routing::{self, End},
    Config, Flit,
};

/// One packet's way through an idle mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairLatency {
    /// Terminal that sends.
    pub source: usize,
    /// Terminal that receives.
    pub destination: usize,
    /// Links between routers on the way.
    pub hops: usize,
    /// From the handshake that injects the flit to the one that ejects it.
    pub cycles: u64,
}

/// Measures every pair of terminals, each with itself too, that has a way in the mesh.
///
/// # Errors
/// A packet is refused, lost, changed or delivered to the wrong terminal.
pub fn pairs(config: &Config, device: &mut dyn StreamDevice) -> anyhow::Result<Vec<PairLatency>> {
    let terminals = config.terminals();
    let mut scoreboard = Scoreboard::new(config);
    let mut found = vec![];
    device.reset();
    for source in 0..terminals {
        for destination in 0..terminals {
            let end = routing::end(config, source, config.terminal_node(destination));
            if end != End::Terminal(destination) {
                continue;
            }
            let cycles = one(config, device, &mut scoreboard, source, destination);
            let cycles = cycles.with_context(|| format!("terminal {source} to {destination}"))?;
            found.push(PairLatency {
                source,
                destination,
                hops: routing::hops(config, source, destination),
                cycles,
            });
        }
    }
    scoreboard.finish()?;
    Ok(found)
}

fn one(
    config: &Config,
    device: &mut dyn StreamDevice,
    scoreboard: &mut Scoreboard,
    source: usize,
    destination: usize,
) -> anyhow::Result<u64> {
    let terminals = config.terminals();
    let request = PacketRequest {
        source,
        destination,
        flits: 1,
    };
    let (mut words, mut offered) = (vec![], vec![None; terminals]);
    let ready = vec![true; terminals];
    request.words(config, scoreboard.delivered(), 0, &mut words);
    offered[source] = Some(Flit {
        data: words[0],
        last: true,
    });
    ensure!(
        device.cycle(&offered, &ready).accepted[source],
        "an idle mesh refuses a flit"
    );
    scoreboard.entered(source, &words, 0, 0)?;
    offered[source] = None;
    // Far more than any way has routers: a flit that takes longer is lost.
    for cycle in 1..10 * terminals as u64 + 100 {
        for (terminal, flit) in device.cycle(&offered, &ready).emitted.iter().enumerate() {
            if let Some(flit) = *flit {
                scoreboard.received(terminal, flit)?;
                return Ok(cycle);
            }
        }
    }
    bail!("the flit never came out")
}

/// The row of this benchmark: the worst pair's cycles a router, which is cycles less hops.
///
/// # Errors
/// As [`pairs`].
pub fn row(config: &Config, device: &mut dyn StreamDevice) -> anyhow::Result<Row> {
    let pairs = pairs(config, device)?;
    let name = format!(
        "zero-load latency less hops, worst of {} pairs, {}x{}",
        pairs.len(),
        config.cols,
        config.rows
    );
    let worst = pairs.iter().map(|pair| pair.cycles as f64 - pair.hops as f64);
    let worst = worst.fold(f64::NEG_INFINITY, f64::max);
    Ok(Row {
        limit: Some(1.0),
        bound: Some(1.0),
        ..Row::new(BENCH, name, "cycles", Better::Less, worst)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{altered::Altered, golden_mesh::GoldenMesh, naive_mesh::NaiveMesh};
    use portico_golden::zero_load_latency;

    fn config(cols: usize, rows: usize, edge_nodes: usize) -> Config {
        Config {
            cols,
            rows,
            edge_nodes,
            ..Config::default()
        }
    }

    #[test]
    fn every_pair_of_an_8x8_mesh_takes_hops_and_one_cycles() {
        let config = config(8, 8, 0);
        for device in [
            &mut GoldenMesh::new(&config) as &mut dyn StreamDevice,
            &mut NaiveMesh::new(&config),
        ] {
            let pairs = pairs(&config, device).unwrap();
            assert_eq!(pairs.len(), 64 * 64);
            for pair in &pairs {
                assert_eq!(
                    pair.cycles,
                    zero_load_latency(&config, pair.source, pair.destination),
                    "{pair:?}"
                );
                assert_eq!(pair.cycles, pair.hops as u64 + 1, "{pair:?}");
            }
        }
        let row = row(&config, &mut NaiveMesh::new(&config)).unwrap();
        assert_eq!((row.value, row.meets_bound()), (1.0, Some(true)));
        assert_eq!(row.name, "zero-load latency less hops, worst of 4096 pairs, 8x8");
    }

    #[test]
    fn edge_nodes_are_measured_with_everyone_but_themselves() {
        let config = config(3, 2, 2);
        assert_eq!(pairs(&config, &mut NaiveMesh::new(&config)).unwrap().len(), 8 * 8 - 2);
    }

    #[test]
    fn a_mesh_slow_at_one_terminal_is_found_out() {
        let config = config(4, 4, 0);
        let mut late = None;
        let mut slow = Altered::new(NaiveMesh::new(&config), |flits| {
            std::mem::swap(&mut flits[5], &mut late)
        });
        let row = row(&config, &mut slow).unwrap();
        assert_eq!((row.value, row.meets_bound()), (2.0, Some(false)));
    }
}
