//! The links of a mesh, and the flits that cross each.

use portico_spec::{routing, Config, Node, Port};
use std::{collections::BTreeMap, fmt};

/// A link of a mesh, in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Link {
    /// From the terminal of this index into its router.
    Injection(usize),
    /// Out of the router at a node, through one of its ports: to the next router or to a terminal.
    Output(Node, Port),
}

/// What a link begins or ends at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkEnd {
    /// The router at a node.
    Router(Node),
    /// The terminal of this index.
    Terminal(usize),
}

/// Flits that crossed a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkFlits {
    /// The link.
    pub link: Link,
    /// Flits of the packets that were delivered in the window of measurement.
    pub measured: u64,
    /// Flits of the packets that were delivered in the whole run.
    pub whole: u64,
}

impl Link {
    /// All links of the mesh of `config`: the injection links by terminal, then the outputs of the routers.
    pub fn all(config: &Config) -> Vec<Self> {
        let routers = (0..config.tiles()).map(|tile| config.tile_node(tile));
        let outputs = routers.flat_map(|router| Port::ALL.map(|port| (router, port)));
        let outputs = outputs.filter(|&(router, port)| {
            config.neighbour(router, port).is_some() || config.attached(router, port).is_some()
        });
        let outputs = outputs.map(|(router, port)| Link::Output(router, port));
        (0..config.terminals()).map(Link::Injection).chain(outputs).collect()
    }

    /// The links on the way of a packet from a terminal to another, in order.
    ///
    /// # Panics
    /// If there is no such terminal.
    pub fn path(config: &Config, source: usize, destination: usize) -> impl Iterator<Item = Self> {
        let outputs = routing::path(config, source, config.terminal_node(destination));
        let outputs = outputs.into_iter().map(|(router, port)| Link::Output(router, port));
        std::iter::once(Link::Injection(source)).chain(outputs)
    }

    /// Where the link begins and ends.
    ///
    /// # Panics
    /// If the mesh of `config` has no such link.
    pub fn ends(self, config: &Config) -> [LinkEnd; 2] {
        match self {
            Link::Injection(terminal) => {
                let (router, _) = config.attachment(terminal);
                [LinkEnd::Terminal(terminal), LinkEnd::Router(router)]
            }
            Link::Output(router, port) => {
                let terminal = || config.attached(router, port).map(LinkEnd::Terminal);
                let next = config.neighbour(router, port).map(LinkEnd::Router).or_else(terminal);
                [
                    LinkEnd::Router(router),
                    next.expect("an output that leads to a router or a terminal"),
                ]
            }
        }
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Link::Injection(terminal) => write!(f, "injection of terminal {terminal}"),
            Link::Output(router, port) => write!(f, "output {port} of router {router}"),
        }
    }
}

impl LinkEnd {
    /// The name of this end in the mesh of `config`: `router (1, 0)`, `tile 3` or `edge node 0`.
    pub fn name(self, config: &Config) -> String {
        match self {
            LinkEnd::Router(node) => format!("router {node}"),
            LinkEnd::Terminal(index) => config.terminal(index).to_string(),
        }
    }
}

/// Flits delivered from each source to each destination, from which those of every link follow: the way of a packet is
/// decided by its ends.
#[derive(Clone, Debug, Default)]
pub struct Deliveries(BTreeMap<(usize, usize), Counts>);

/// Flits in the window, and in the whole run.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    measured: u64,
    whole: u64,
}

impl Deliveries {
    /// A packet of `flits` flits came out; `measured` tells whether it did so in the window of measurement.
    pub fn add(&mut self, source: usize, destination: usize, flits: usize, measured: bool) {
        let counts = self.0.entry((source, destination)).or_default();
        counts.whole += flits as u64;
        if measured {
            counts.measured += flits as u64;
        }
    }

    /// The flits of every link of the mesh of `config`, in the order of [`Link::all`].
    pub fn links(&self, config: &Config) -> Vec<LinkFlits> {
        let mut crossed: BTreeMap<Link, Counts> = BTreeMap::new();
        for (&(source, destination), counts) in &self.0 {
            for link in Link::path(config, source, destination) {
                let sum = crossed.entry(link).or_default();
                sum.measured += counts.measured;
                sum.whole += counts.whole;
            }
        }
        let flits = |link| {
            let Counts { measured, whole } = crossed.get(&link).copied().unwrap_or_default();
            LinkFlits { link, measured, whole }
        };
        Link::all(config).into_iter().map(flits).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(cols: usize, rows: usize, edge_nodes: usize) -> Config {
        Config {
            cols,
            rows,
            edge_nodes,
            ..Config::default()
        }
    }

    #[test]
    fn every_link_has_two_ends_and_is_listed_once() {
        for (cols, rows, edge_nodes) in [(1, 1, 0), (4, 4, 0), (3, 2, 2), (1, 5, 1)] {
            let config = config(cols, rows, edge_nodes);
            let links = Link::all(&config);
            let between = 2 * (rows * (cols - 1) + cols * (rows - 1));
            assert_eq!(links.len(), between + 2 * config.terminals(), "{config:?}");
            let mut ends: Vec<_> = links
                .iter()
                .map(|link| link.ends(&config).map(|end| end.name(&config)))
                .collect();
            ends.sort();
            ends.dedup();
            assert_eq!(ends.len(), links.len(), "{config:?}");
            for source in 0..config.terminals() {
                for destination in 0..config.tiles() {
                    let path: Vec<_> = Link::path(&config, source, destination).collect();
                    assert!(
                        path.iter().all(|link| links.contains(link)),
                        "{source} to {destination}"
                    );
                    for pair in path.windows(2) {
                        assert_eq!(pair[0].ends(&config)[1], pair[1].ends(&config)[0]);
                    }
                }
            }
        }
    }

    #[test]
    fn flits_are_counted_on_each_link_of_the_way() {
        let config = config(3, 1, 1);
        let mut deliveries = Deliveries::default();
        deliveries.add(0, 2, 4, true);
        deliveries.add(0, 3, 5, false);
        let links = deliveries.links(&config);
        let of = |link| {
            let found = links.iter().find(|flits| flits.link == link).unwrap();
            (found.measured, found.whole)
        };
        let router = |x| Node { x, y: 0 };
        assert_eq!(of(Link::Injection(0)), (4, 9));
        assert_eq!(of(Link::Output(router(0), Port::East)), (4, 4));
        assert_eq!(of(Link::Output(router(1), Port::East)), (4, 4));
        assert_eq!(of(Link::Output(router(2), Port::Local)), (4, 4));
        assert_eq!(of(Link::Output(router(0), Port::South)), (0, 5));
        assert_eq!(of(Link::Output(router(2), Port::West)), (0, 0));
        let [from, to] = Link::Output(router(0), Port::South).ends(&config);
        assert_eq!([from.name(&config), to.name(&config)], ["router (0, 0)", "edge node 0"]);
    }
}
