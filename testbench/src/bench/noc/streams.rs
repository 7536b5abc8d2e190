//! Full streams that share no link: a mesh without bubbles moves a flit a cycle on each.
//!
//! A tile injects one flit a cycle and has up to four links, so neighbour streams fill the links one direction at a time:
//! four runs, after which each link of the mesh has carried one. [`all_links`] fills them all at once, with longer ways.

use super::BENCH;
use crate::{
    bench::report::{Better, Row},
    device::stream::StreamDevice,
    traffic::{
        mesh_run::run,
        plan::{Drain, Plan},
        Workload,
    },
};
use portico_spec::{flit::DEFAULT_PAYLOAD_FLITS, Config, Port};

/// Packets of each stream that fill the way before it is measured.
const WARMUP_PACKETS: u64 = 10;

/// Packets of each stream under measurement.
const MEASURED_PACKETS: u64 = 100;

/// A flow from terminal to terminal.
pub type Flow = (usize, usize);

/// Every tile that has a neighbour behind `port`, sending to it.
pub fn neighbours(config: &Config, port: Port) -> Vec<Flow> {
    let neighbour = |id| config.neighbour(config.tile_node(id), port);
    (0..config.tiles())
        .filter_map(|id| Some((id, config.node_id(neighbour(id)?)?)))
        .collect()
}

/// Flows that use each link between routers exactly once: opposite tiles of the rim send to each other, along the row or
/// column that they have in common, and the corners to the opposite corners along the rim.
///
/// None for a mesh of one row or column, whose ends would have to send both ways at once: there, neighbours do.
pub fn all_links(config: &Config) -> Vec<Flow> {
    let (cols, rows) = (config.cols, config.rows);
    if cols < 2 || rows < 2 {
        return vec![];
    }
    let at = |x: usize, y: usize| y * cols + x;
    let (east, south) = (cols - 1, rows - 1);
    let along_rows = (1..south).map(|y| (at(0, y), at(east, y)));
    let along_cols = (1..east).map(|x| (at(x, 0), at(x, south)));
    let corners = [(at(0, 0), at(east, south)), (at(east, 0), at(0, south))];
    let there = along_rows.chain(along_cols).chain(corners);
    there.flat_map(|(from, to)| [(from, to), (to, from)]).collect()
}

/// Flits a cycle of the slowest of `flows`, all at once, with packets of `packet` flits; exact, as streams are periodic.
///
/// # Errors
/// The device did something wrong, or `packet` is out of range.
pub fn throughput(
    config: &Config,
    device: &mut dyn StreamDevice,
    flows: &[Flow],
    packet: usize,
) -> anyhow::Result<f64> {
    let cycles = |packets: u64| packets * packet as u64;
    let workload = Workload::stream(config, flows, packet)?;
    let plan = Plan {
        drain: Drain::Network,
        ..Plan::new(workload, cycles(WARMUP_PACKETS), cycles(MEASURED_PACKETS), 0)
    };
    Ok(run(device, config, &plan)?.accepted_min)
}

/// The rows of this benchmark.
///
/// # Errors
/// The device did something wrong.
pub fn rows(config: &Config, device: &mut dyn StreamDevice) -> anyhow::Result<Vec<Row>> {
    let mesh = format!("{}x{}", config.cols, config.rows);
    let packet = 1 + DEFAULT_PAYLOAD_FLITS;
    let payload = DEFAULT_PAYLOAD_FLITS as f64 / packet as f64;
    let mut slowest = f64::INFINITY;
    for port in [Port::North, Port::East, Port::South, Port::West] {
        let flows = neighbours(config, port);
        for flits in [1, packet] {
            slowest = slowest.min(throughput(config, device, &flows, flits)?);
        }
    }
    let at_once = throughput(config, device, &all_links(config), packet)?;
    let one_to_one = throughput(config, device, &[(0, config.tiles() - 1)], 1)?;
    let percent = |name: String, value: f64| Row {
        limit: Some(100.0),
        bound: Some(100.0),
        ..Row::new(BENCH, name, "%", Better::More, 100.0 * value)
    };
    Ok(vec![
        percent(format!("link use, neighbour streams, slowest link, {mesh}"), slowest),
        percent(format!("link use, all links at once, {mesh}"), at_once),
        Row {
            // MPPA NoC, packets of 34 flits with 32 of payload.
            paper: Some(100.0 * 32.0 / 34.0),
            bound: Some(100.0 * payload),
            ..percent(
                format!("payload share of links, neighbour streams, packets of {packet}, {mesh}"),
                slowest * payload,
            )
        },
        Row {
            limit: Some(1.0),
            bound: Some(1.0),
            ..Row::new(
                BENCH,
                format!("one input to one output, {mesh}"),
                "flits/cycle",
                Better::More,
                one_to_one,
            )
        },
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{golden_mesh::GoldenMesh, naive_mesh::NaiveMesh};
    use portico_spec::{routing, Node};
    use std::collections::BTreeMap;

    fn config(cols: usize, rows: usize) -> Config {
        Config {
            cols,
            rows,
            ..Config::default()
        }
    }

    /// How many flows use each link between routers.
    fn uses(config: &Config, flows: &[Flow]) -> BTreeMap<(Node, Port), usize> {
        let mut uses = BTreeMap::new();
        for &(from, to) in flows {
            let path = routing::path(config, from, config.terminal_node(to));
            for (at, port) in path
                .into_iter()
                .filter(|&(at, port)| config.neighbour(at, port).is_some())
            {
                *uses.entry((at, port)).or_default() += 1;
            }
        }
        uses
    }

    fn links(config: &Config) -> usize {
        2 * (config.rows * (config.cols - 1) + config.cols * (config.rows - 1))
    }

    #[test]
    fn flows_use_every_link_once() {
        for (cols, rows) in [(4, 4), (2, 2), (3, 5), (8, 8), (2, 7)] {
            let config = config(cols, rows);
            let of_neighbours = Port::ALL.map(|port| neighbours(&config, port)).concat();
            for flows in [of_neighbours, all_links(&config)] {
                let uses = uses(&config, &flows);
                assert_eq!(uses.len(), links(&config), "{cols}x{rows}");
                assert!(uses.values().all(|&flows| flows == 1), "{cols}x{rows}: {uses:?}");
            }
        }
    }

    #[test]
    fn no_two_flows_of_a_run_share_an_end() {
        let config = config(4, 4);
        let mut runs = Port::ALL.map(|port| neighbours(&config, port)).to_vec();
        runs.push(all_links(&config));
        for flows in runs {
            let distinct = |ends: Vec<usize>| BTreeMap::from_iter(ends.iter().map(|&end| (end, ()))).len();
            assert_eq!(distinct(flows.iter().map(|flow| flow.0).collect()), flows.len());
            assert_eq!(distinct(flows.iter().map(|flow| flow.1).collect()), flows.len());
        }
    }

    #[test]
    fn meshes_without_bubbles_reach_every_bound() {
        let config = config(4, 4);
        for device in [
            &mut GoldenMesh::new(&config) as &mut dyn StreamDevice,
            &mut NaiveMesh::new(&config),
        ] {
            let rows = rows(&config, device).unwrap();
            assert_eq!(rows.len(), 4);
            for row in rows {
                assert_eq!(row.meets_bound(), Some(true), "{row:?}");
                assert!(Some(row.value) <= row.limit, "{row:?}");
            }
        }
    }

    #[test]
    fn streams_that_share_a_link_share_its_flits() {
        let config = config(4, 1);
        let shared = [(0, 3), (1, 2)];
        let throughput = throughput(&config, &mut NaiveMesh::new(&config), &shared, 1).unwrap();
        assert!((0.49..=0.51).contains(&throughput), "{throughput}");
    }
}
