//! Proof that no packet ever waits for itself.
//!
//! A wormhole packet holds the channels behind its head while it waits for the next one. Draw an arrow from every
//! channel to each channel that a packet holding it may wait for: if this channel-dependency graph has no cycle, the
//! packet that holds the last channel of a chain can always move, and so in the end can all (Dally and Seitz, 1987).
//! The graph is built from the routing function itself, for every pair of terminals and every destination that does not
//! exist, so that a wrong turn is found when a fabric is elaborated, not when it hangs.
//!
//! Cycles may also close through the endpoints: a tile that takes a request in order to inject a reply makes its
//! injection channel one that its ejection channel waits for. Pass the edges of such an endpoint to [`prove_with`];
//! [`fabric`] does so for the network interfaces and both planes of a fabric.
//!
//! ```
//! use portico_spec::{deadlock::{prove, prove_with, Channel}, routing::next_port, Config, Terminal};
//!
//! let config = Config::default();
//! assert!(prove(&config).is_ok());
//!
//! let echo = |tile| (Channel::Eject(Terminal::Tile(tile)), Channel::Inject(Terminal::Tile(tile)));
//! let cycle = prove_with(&config, |at, _, to| next_port(at, to), [echo(0)]).unwrap_err();
//! assert_eq!(cycle.channels, ["tile 0 injection", "tile 0 ejection"]);
//! ```

use std::fmt;

pub use self::graph::{ChannelGraph, Cycle, Proof};
use crate::{
    flit::{X_WIDTH, Y_WIDTH},
    Config, Node, Port, Terminal,
};

pub mod fabric;
mod graph;

/// What a packet can hold, and another wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Channel {
    /// From a terminal into its router.
    Inject(Terminal),
    /// Out of a tile's router through a port: to the next router, or out of the mesh.
    Link(usize, Port),
    /// From a router into its terminal.
    Eject(Terminal),
}

impl fmt::Display for Channel {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Channel::Inject(terminal) => write!(f, "{terminal} injection"),
            Channel::Link(tile, port) => write!(f, "tile {tile} {port}"),
            Channel::Eject(terminal) => write!(f, "{terminal} ejection"),
        }
    }
}

/// Proves a configuration with the routing of the hardware, and endpoints that always take what arrives.
///
/// # Errors
/// A shortest cycle.
pub fn prove(config: &Config) -> Result<Proof, Cycle> {
    prove_with(
        config,
        |at, _, destination| crate::routing::next_port(at, destination),
        [],
    )
}

/// Proves a configuration with any routing function, given the router, the port through which the packet entered it and
/// the destination; and with the waits that the endpoints add, each as (held, awaited).
///
/// # Errors
/// A shortest cycle.
pub fn prove_with(
    config: &Config,
    route: impl Fn(Node, Port, Node) -> Port,
    endpoints: impl IntoIterator<Item = (Channel, Channel)>,
) -> Result<Proof, Cycle> {
    let mut graph = ChannelGraph::new();
    for (held, awaited) in mesh_dependencies(config, route).into_iter().chain(endpoints) {
        graph.add_dependency(held, awaited);
    }
    graph.prove_acyclic()
}

/// All (held, awaited) that a routing function makes in the mesh. An edge node's packet that would go straight back is
/// counted as one that the edge node takes, which is no weaker than consuming it.
///
/// For one destination the way from a router depends on the port of entry alone, so that ways that have met are walked
/// once: the work is destinations times routers times ports, where walking each way of each pair would take another
/// factor of the mesh's diameter.
pub fn mesh_dependencies(config: &Config, route: impl Fn(Node, Port, Node) -> Port) -> Vec<(Channel, Channel)> {
    let ports = Port::ALL.len();
    let mut turns = vec![false; config.tiles() * ports * ports];
    for destination in destinations() {
        let mut entered = vec![false; config.tiles() * ports];
        let mut heads: Vec<(Node, Port)> = (0..config.terminals())
            .map(|terminal| config.attachment(terminal))
            .collect();
        while let Some((at, input)) = heads.pop() {
            let entry = tile(config, at) * ports + input.index();
            if std::mem::replace(&mut entered[entry], true) {
                continue;
            }
            let output = route(at, input, destination);
            turns[entry * ports + output.index()] = true;
            heads.extend(config.neighbour(at, output).map(|next| (next, output.opposite())));
        }
    }
    let taken = turns.iter().enumerate().filter(|(_, &taken)| taken);
    taken
        .map(|(turn, _)| {
            let at = config.tile_node(turn / ports / ports);
            let (input, output) = (Port::ALL[turn / ports % ports], Port::ALL[turn % ports]);
            (held(config, at, input), awaited(config, at, output))
        })
        .collect()
}

/// Every destination that a head can name, whether it exists or not.
fn destinations() -> impl Iterator<Item = Node> {
    (0..1u8 << Y_WIDTH).flat_map(|y| (0..1u8 << X_WIDTH).map(move |x| Node { x, y }))
}

fn tile(config: &Config, router: Node) -> usize {
    config.node_id(router).expect("every router is that of a tile")
}

fn held(config: &Config, at: Node, input: Port) -> Channel {
    match config.attached(at, input) {
        Some(terminal) => Channel::Inject(config.terminal(terminal)),
        None => {
            let before = config
                .neighbour(at, input)
                .expect("a packet enters from a terminal or a router");
            Channel::Link(tile(config, before), input.opposite())
        }
    }
}

fn awaited(config: &Config, at: Node, output: Port) -> Channel {
    match config.attached(at, output) {
        Some(terminal) => Channel::Eject(config.terminal(terminal)),
        None => Channel::Link(tile(config, at), output),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{routing, testing::meshes};
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn mesh(cols: usize, rows: usize, edge_nodes: usize) -> Config {
        Config {
            cols,
            rows,
            edge_nodes,
            ..Config::default()
        }
    }

    fn xy(at: Node, _: Port, to: Node) -> Port {
        routing::next_port(at, to)
    }

    fn yx(at: Node, _: Port, to: Node) -> Port {
        let across = |node: Node| Node { x: node.y, y: node.x };
        match routing::next_port(across(at), across(to)) {
            Port::East => Port::South,
            Port::South => Port::East,
            Port::West => Port::North,
            Port::North => Port::West,
            Port::Local => Port::Local,
        }
    }

    /// Each order alone is free of deadlock; a destination's parity chooses between them.
    fn mixed(at: Node, input: Port, to: Node) -> Port {
        if (to.x + to.y).is_multiple_of(2) {
            xy(at, input, to)
        } else {
            yx(at, input, to)
        }
    }

    /// West first; the ways to the east change between y and x at every router (Glass and Ni, "The turn model for
    /// adaptive routing", ISCA 1992).
    fn west_first(at: Node, _: Port, to: Node) -> Port {
        let x_next = (at.x + at.y).is_multiple_of(2);
        match routing::next_port(at, to) {
            Port::East if to.y != at.y && !x_next => routing::next_port(Node { x: to.x, ..at }, to),
            port => port,
        }
    }

    fn cycle(result: Result<Proof, Cycle>) -> String {
        result.unwrap_err().to_string()
    }

    #[test]
    fn the_smallest_mesh_in_full() {
        let Proof { channels, dependencies } = prove(&mesh(1, 1, 0)).unwrap();
        // One injection, which may wait for ejection and for the sinks at the east and the south side.
        assert_eq!((channels, dependencies), (4, 3));
        // The edge node takes the place of the south side; its injection may wait for the same three.
        let Proof { channels, dependencies } = prove(&mesh(1, 1, 1)).unwrap();
        assert_eq!((channels, dependencies), (5, 6));
    }

    #[test]
    fn the_largest_mesh_uses_every_channel() {
        let config = mesh(16, 16, 16);
        let links = 2 * 2 * 15 * 16;
        assert_eq!(prove(&config).unwrap().channels, links + 2 * config.terminals());
    }

    #[test]
    fn other_orders_are_proven_too() {
        assert!(prove_with(&mesh(5, 4, 2), yx, []).is_ok());
        assert!(prove_with(&mesh(5, 4, 0), west_first, []).is_ok());
    }

    #[test]
    fn a_planted_mixture_of_orders_is_caught_and_printed() {
        assert_eq!(
            cycle(prove_with(&mesh(2, 2, 0), mixed, [])),
            "the channel-dependency graph has a cycle: \
             tile 0 east -> tile 1 south -> tile 3 west -> tile 2 north -> tile 0 east"
        );
    }

    #[test]
    fn a_planted_turn_against_west_first_is_caught_and_printed() {
        let config = mesh(4, 4, 0);
        let planted = Node { x: 2, y: 2 };
        let route = |at: Node, input: Port, to: Node| match (input, west_first(at, input, to)) {
            (Port::Local, Port::West) if at == planted && to.y < at.y => Port::North,
            (_, port) => port,
        };
        let cycle = cycle(prove_with(&config, route, []));
        assert!(cycle.contains("tile 10 north -> tile 6 west -> "), "{cycle}");
    }

    #[test]
    fn a_planted_turn_back_is_caught_and_printed() {
        let bounce = |at: Node, input: Port, to: Node| match input {
            Port::East | Port::West if at.x != to.x => input,
            _ => xy(at, input, to),
        };
        assert_eq!(
            cycle(prove_with(&mesh(3, 1, 0), bounce, [])),
            "the channel-dependency graph has a cycle: tile 0 east -> tile 1 west -> tile 0 east"
        );
    }

    #[test]
    fn a_cycle_through_endpoints_is_caught_and_printed() {
        let config = mesh(2, 1, 0);
        let (tile_0, tile_1) = (Terminal::Tile(0), Terminal::Tile(1));
        let alone = prove(&config).unwrap();
        let onward = prove_with(&config, xy, [(Channel::Inject(tile_0), Channel::Eject(tile_1))]).unwrap();
        assert_eq!(onward.dependencies, alone.dependencies + 1);
        assert_eq!(
            cycle(prove_with(
                &config,
                xy,
                [(Channel::Eject(tile_0), Channel::Inject(tile_1))]
            )),
            "the channel-dependency graph has a cycle: \
             tile 0 ejection -> tile 1 injection -> tile 1 west -> tile 0 ejection"
        );
    }

    /// The dependencies found by walking every way of every pair.
    fn walked(config: &Config) -> HashSet<(Channel, Channel)> {
        let mut dependencies = HashSet::new();
        for (from, to) in (0..config.terminals()).flat_map(|from| destinations().map(move |to| (from, to))) {
            let mut holding = Channel::Inject(config.terminal(from));
            for (router, port) in routing::path(config, from, to) {
                let next = match config.attached(router, port) {
                    Some(terminal) => Channel::Eject(config.terminal(terminal)),
                    None => Channel::Link(config.node_id(router).unwrap(), port),
                };
                dependencies.insert((holding, next));
                holding = next;
            }
        }
        dependencies
    }

    #[test]
    fn the_short_walk_finds_what_the_long_walk_finds() {
        for (cols, rows, edge_nodes) in [(1, 1, 0), (1, 4, 1), (5, 1, 3), (3, 4, 2)] {
            let config = mesh(cols, rows, edge_nodes);
            let found = mesh_dependencies(&config, xy);
            assert_eq!(found.iter().copied().collect::<HashSet<_>>(), walked(&config));
            assert_eq!(found.len(), walked(&config).len());
        }
    }

    proptest! {
        #[test]
        fn every_mesh_is_proven(config in meshes()) {
            let dependencies = mesh_dependencies(&config, xy).len();
            prop_assert_eq!(prove(&config).unwrap().dependencies, dependencies);
        }

        #[test]
        fn a_mixture_of_orders_is_caught_in_every_mesh_with_a_square(config in meshes()) {
            prop_assume!(config.cols > 1 && config.rows > 1);
            let cycle = prove_with(&config, mixed, []).unwrap_err().channels;
            let dependencies: HashSet<(String, String)> =
                mesh_dependencies(&config, mixed).iter().map(|(from, to)| (from.to_string(), to.to_string())).collect();
            for (at, held) in cycle.iter().enumerate() {
                let awaited = &cycle[(at + 1) % cycle.len()];
                prop_assert!(dependencies.contains(&(held.clone(), awaited.clone())), "{} -> {}", held, awaited);
            }
            prop_assert_eq!(cycle.len(), 4, "a square is the shortest cycle");
        }
    }
}
