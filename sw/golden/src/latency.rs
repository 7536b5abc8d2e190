//! Time on an idle mesh, and throughput of a loaded one.
//!
//! A router takes one cycle at zero load: a flit accepted at an input in one cycle leaves the router in the next. A path
//! of d hops passes d + 1 routers. Flits of a packet follow each other without a gap.

use portico_spec::{routing, Config};

/// Cycles from the handshake that injects a head to the handshake that ejects it, on an idle mesh: hops + 1.
///
/// # Panics
/// If there is no such terminal.
pub fn zero_load_latency(config: &Config, from: usize, to: usize) -> u64 {
    routing::hops(config, from, to) as u64 + 1
}

/// Cycles from the handshake that injects the head to the handshake that ejects the tail of a packet of `flits` flits,
/// on an idle mesh, when source and destination never pause.
///
/// # Panics
/// If there is no such terminal, or the packet has no flit.
pub fn zero_load_tail_latency(config: &Config, from: usize, to: usize, flits: usize) -> u64 {
    assert!(flits > 0, "a packet has at least its head");
    zero_load_latency(config, from, to) + flits as u64 - 1
}

/// Most flits per tile and cycle that a mesh of `cols` x `rows` tiles can accept when every tile sends to all others
/// alike and never to itself. 0 for a single tile, which has nobody to send to.
///
/// Cut the N tiles between two columns, a columns to the west of the cut and b to the east. A packet from the west
/// crosses with probability `b rows / (N - 1)`, so that at a rate of r flits per tile and cycle the cut carries
/// `r (a rows) (b rows) / (N - 1)` flits a cycle to the east, and has `rows` links to do so:
///
/// ```text
/// r <= (N - 1) / (a b rows)
/// ```
///
/// The cut in the middle is the narrowest. Likewise for rows, and a tile cannot inject more than one flit a cycle; the
/// least of the three holds. With k x k tiles, k even, this is the familiar `4 (N - 1) / (k N)`; with k odd the middle
/// is off by half a column, and it is `4 / k`. XY loads all links of a cut alike, so for it the bound is that of its
/// busiest link (Dally and Towles, "Principles and Practices of Interconnection Networks", 2004, section 3.3).
pub fn uniform_saturation_bound(cols: usize, rows: usize) -> f64 {
    let others = (cols * rows).saturating_sub(1);
    if others == 0 {
        return 0.0;
    }
    let bisection = |along: usize, across: usize| match (along / 2) * along.div_ceil(2) * across {
        0 => 1.0,
        pairs => others as f64 / pairs as f64,
    };
    bisection(cols, rows).min(bisection(rows, cols)).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use portico_spec::{Node, Port};
    use std::collections::HashMap;

    fn mesh(cols: usize, rows: usize, edge_nodes: usize) -> Config {
        Config {
            cols,
            rows,
            edge_nodes,
            ..Config::default()
        }
    }

    #[test]
    fn a_head_takes_a_cycle_a_router() {
        let config = mesh(8, 8, 8);
        assert_eq!(zero_load_latency(&config, 0, 0), 1);
        assert_eq!(zero_load_latency(&config, 0, 1), 2);
        assert_eq!(zero_load_latency(&config, 0, 63), 15);
        assert_eq!(zero_load_latency(&config, 63, 0), 15);
        // Edge node 7 hangs on the router of tile 63.
        assert_eq!(zero_load_latency(&config, 0, 71), 15);
        assert_eq!(zero_load_latency(&config, 71, 63), 1);
        assert_eq!(zero_load_latency(&config, 64, 71), 8);
    }

    #[test]
    fn it_is_the_routers_on_the_way() {
        for config in [mesh(1, 1, 1), mesh(1, 7, 1), mesh(6, 1, 2), mesh(5, 4, 5)] {
            for from in 0..config.terminals() {
                for to in 0..config.terminals() {
                    let routers = routing::path(&config, from, config.terminal_node(to)).len() as u64;
                    assert_eq!(
                        zero_load_latency(&config, from, to),
                        routers,
                        "{config:?}: {from} to {to}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_tail_follows_without_a_gap() {
        let config = mesh(4, 4, 0);
        assert_eq!(
            zero_load_tail_latency(&config, 0, 15, 1),
            zero_load_latency(&config, 0, 15)
        );
        assert_eq!(zero_load_tail_latency(&config, 0, 15, 33), 39);
    }

    #[test]
    #[should_panic(expected = "a packet has at least its head")]
    fn a_packet_without_a_flit_has_no_tail() {
        zero_load_tail_latency(&mesh(1, 1, 0), 0, 0, 0);
    }

    /// Flits a cycle on the busiest channel, injection and ejection included, when each tile sends one flit a cycle.
    fn busiest(config: &Config) -> f64 {
        let tiles = config.tiles();
        let mut packets: HashMap<(Node, Port), usize> = HashMap::new();
        for (from, to) in (0..tiles)
            .flat_map(|from| (0..tiles).map(move |to| (from, to)))
            .filter(|(from, to)| from != to)
        {
            for channel in routing::path(config, from, config.tile_node(to)) {
                *packets.entry(channel).or_default() += 1;
            }
        }
        packets
            .into_values()
            .max()
            .map_or(f64::INFINITY, |packets| packets as f64 / (tiles - 1) as f64)
    }

    #[test]
    fn the_bound_is_the_load_of_the_busiest_link() {
        for cols in 1..=9 {
            for rows in 1..=9 {
                let (bound, load) = (uniform_saturation_bound(cols, rows), busiest(&mesh(cols, rows, 0)));
                assert!(
                    (bound - 1.0 / load).abs() < 1e-12,
                    "{cols} x {rows}: {bound} against {}",
                    1.0 / load
                );
            }
        }
    }

    #[test]
    fn square_meshes_have_the_familiar_bound() {
        for k in (4..=16).step_by(2) {
            let n = (k * k) as f64;
            let familiar = 4.0 * (n - 1.0) / (k as f64 * n);
            assert!((uniform_saturation_bound(k, k) - familiar).abs() < 1e-12, "{k}");
        }
        assert_eq!(uniform_saturation_bound(4, 4), 0.9375);
        assert_eq!(uniform_saturation_bound(8, 8), 0.4921875);
        assert_eq!(uniform_saturation_bound(5, 5), 0.8);
    }

    #[test]
    fn small_meshes_are_bound_by_injection_and_a_single_tile_has_no_traffic() {
        assert_eq!(uniform_saturation_bound(2, 2), 1.0);
        assert_eq!(uniform_saturation_bound(1, 2), 1.0);
        assert_eq!(uniform_saturation_bound(1, 1), 0.0);
        assert_eq!(uniform_saturation_bound(16, 1), 15.0 / 64.0);
    }
}
