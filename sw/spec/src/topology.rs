//! The nodes of a fabric: where they are, and how they are numbered.
//!
//! A node has coordinates: x grows to the east, y to the south. Tiles fill the rectangle `cols` x `rows`, one router
//! each, numbered row by row: `id = y * cols + x`. Below the last row hang the edge nodes (host, memories), edge node
//! `c` under column `c` at `y = rows`; it has no router of its own but shares the south port of the router above it.
//!
//! ```text
//!   tile 0 - tile 1 - tile 2         cols = 3, rows = 2, edge_nodes = 1
//!     |        |        |
//!   tile 3 - tile 4 - tile 5         terminals 0..=5: the tiles
//!     |
//!   edge 0                           terminal  6:     edge node 0, at (0, 2)
//! ```
//!
//! Whatever sends and receives packets is a *terminal*: all tiles first, then the edge nodes.

use std::fmt;

use crate::{flit::X_WIDTH, Config, Port};

/// Most columns of a mesh: as many as the x field of a head can name.
pub const MAX_COLS: usize = 1 << X_WIDTH;

/// Most rows of a mesh. The y field of a head can name twice as many, which leaves room for the row of edge nodes.
pub const MAX_ROWS: usize = 16;

/// A place in the coordinate system of the mesh: a tile, an edge node, or nothing at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node {
    /// Column, 0 at the west side; 0..=15 fits a head.
    pub x: u8,
    /// Row, 0 at the north side; 0..=31 fits a head.
    pub y: u8,
}

impl Node {
    /// The node as heads and registers name it: x in the low bits, y above.
    pub const fn number(self) -> u16 {
        self.x as u16 | (self.y as u16) << X_WIDTH
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "({}, {})", self.x, self.y)
    }
}

/// What sends and receives packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Terminal {
    /// The tile of this number, on the local port of its router.
    Tile(usize),
    /// The edge node below this column, on the south port of the last router of the column.
    Edge(usize),
}

impl fmt::Display for Terminal {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Terminal::Tile(id) => write!(f, "tile {id}"),
            Terminal::Edge(column) => write!(f, "edge node {column}"),
        }
    }
}

impl Config {
    /// Number of tiles, and so of routers.
    pub fn tiles(&self) -> usize {
        self.cols * self.rows
    }

    /// Number of terminals: tiles and edge nodes.
    pub fn terminals(&self) -> usize {
        self.tiles() + self.edge_nodes
    }

    /// All node numbers are below this.
    pub fn node_numbers(&self) -> usize {
        (self.rows + usize::from(self.edge_nodes > 0)) << X_WIDTH
    }

    /// Where tile `id` is.
    ///
    /// # Panics
    /// If there is no such tile.
    pub fn tile_node(&self, id: usize) -> Node {
        assert!(id < self.tiles(), "tile {id} of a mesh of {} tiles", self.tiles());
        self.node(id % self.cols, id / self.cols)
    }

    /// Which terminal the index names.
    ///
    /// # Panics
    /// If there is no such terminal.
    pub fn terminal(&self, index: usize) -> Terminal {
        assert!(
            index < self.terminals(),
            "terminal {index} of a fabric of {} terminals",
            self.terminals()
        );
        match index.checked_sub(self.tiles()) {
            None => Terminal::Tile(index),
            Some(column) => Terminal::Edge(column),
        }
    }

    /// Where the terminal of this index is: the inverse of [`Config::node_id`].
    ///
    /// # Panics
    /// If there is no such terminal.
    pub fn terminal_node(&self, index: usize) -> Node {
        match self.terminal(index) {
            Terminal::Tile(id) => self.tile_node(id),
            Terminal::Edge(column) => self.node(column, self.rows),
        }
    }

    /// The index of the terminal at `node`; `None` where there is neither a tile nor an edge node.
    pub fn node_id(&self, node: Node) -> Option<usize> {
        let (x, y) = (usize::from(node.x), usize::from(node.y));
        if x < self.cols && y < self.rows {
            Some(y * self.cols + x)
        } else if x < self.edge_nodes && y == self.rows {
            Some(self.tiles() + x)
        } else {
            None
        }
    }

    /// Whether a tile or an edge node is at `node`.
    pub fn contains(&self, node: Node) -> bool {
        self.node_id(node).is_some()
    }

    /// Whether packets of terminal `from` come to `node`. A tile reaches itself; an edge node does not, because the mesh has
    /// no turn back.
    pub fn reaches(&self, from: usize, node: Node) -> bool {
        self.node_id(node).is_some_and(|to| to != from || to < self.tiles())
    }

    /// Where the host of a fabric is: edge node 0.
    pub fn host_node(&self) -> Node {
        self.node(0, self.rows)
    }

    /// Where memory node `memory` of a fabric is: the edge node after the host's and those of the memories before.
    ///
    /// # Panics
    /// If there is no such memory node.
    pub fn memory_node(&self, memory: usize) -> Node {
        assert!(
            memory < self.memories,
            "memory node {memory} of a fabric of {} memory nodes",
            self.memories
        );
        self.node(1 + memory, self.rows)
    }

    /// Words of a tile's memory.
    pub fn scratchpad_words(&self) -> usize {
        self.scratchpad * 1024 * 8 / self.width
    }

    /// The router and its port on which a terminal hangs.
    ///
    /// # Panics
    /// If there is no such terminal.
    pub fn attachment(&self, terminal: usize) -> (Node, Port) {
        match self.terminal(terminal) {
            Terminal::Tile(id) => (self.tile_node(id), Port::Local),
            Terminal::Edge(column) => (self.node(column, self.rows - 1), Port::South),
        }
    }

    /// The terminal that hangs on this port of the router at `router`, if one does: the inverse of
    /// [`Config::attachment`].
    pub fn attached(&self, router: Node, port: Port) -> Option<usize> {
        match port {
            Port::Local => self.node_id(router).filter(|&id| id < self.tiles()),
            Port::South => self
                .node_id(Node {
                    y: router.y + 1,
                    ..router
                })
                .filter(|&id| id >= self.tiles()),
            _ => None,
        }
    }

    /// The router on the other end of the link that leaves the router at `router` through `port`; `None` at the sides
    /// of the mesh and for the local port.
    pub fn neighbour(&self, router: Node, port: Port) -> Option<Node> {
        let Node { x, y } = router;
        let next = match port {
            Port::Local => return None,
            Port::North => Node {
                x,
                y: y.checked_sub(1)?,
            },
            Port::East => Node { x: x + 1, y },
            Port::South => Node { x, y: y + 1 },
            Port::West => Node {
                x: x.checked_sub(1)?,
                y,
            },
        };
        self.node_id(next).filter(|&id| id < self.tiles()).map(|_| next)
    }

    /// Coordinates of a valid configuration fit a byte each.
    fn node(&self, x: usize, y: usize) -> Node {
        Node { x: x as u8, y: y as u8 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::meshes;
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn small() -> Config {
        Config {
            cols: 3,
            rows: 2,
            edge_nodes: 1,
            ..Config::default()
        }
    }

    #[test]
    fn terminals_are_tiles_row_by_row_and_then_edge_nodes() {
        let config = small();
        let nodes: Vec<(u8, u8)> = (0..7)
            .map(|index| config.terminal_node(index))
            .map(|node| (node.x, node.y))
            .collect();
        assert_eq!(nodes, [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1), (0, 2)]);
        assert_eq!((config.tiles(), config.terminals()), (6, 7));
        assert_eq!((config.node_numbers(), config.terminal_node(6).number()), (48, 32));
        assert_eq!(config.terminal(5).to_string(), "tile 5");
        assert_eq!(config.terminal(6).to_string(), "edge node 0");
        assert_eq!(config.terminal_node(6).to_string(), "(0, 2)");
    }

    #[test]
    fn nodes_reach_all_that_exist_and_edge_nodes_not_themselves() {
        let config = small();
        let host = config.host_node();
        assert!(config.reaches(5, host) && config.reaches(5, config.tile_node(5)));
        assert!(config.reaches(6, config.tile_node(0)) && !config.reaches(6, host));
        assert!(![(3, 0), (1, 2), (0, 3)]
            .into_iter()
            .any(|(x, y)| config.reaches(0, Node { x, y })));
    }

    #[test]
    fn an_edge_node_shares_the_south_port_of_the_last_router() {
        let config = small();
        let router = Node { x: 0, y: 1 };
        assert_eq!(config.attachment(6), (router, Port::South));
        assert_eq!(config.attached(router, Port::South), Some(6));
        assert_eq!(config.attached(Node { x: 1, y: 1 }, Port::South), None);
        assert_eq!(config.attached(Node { x: 0, y: 0 }, Port::South), None);
    }

    #[test]
    fn a_fabric_has_its_host_first_and_then_its_memories() {
        let config = Config { memories: 2, ..small() };
        let fabric = config.fabric().unwrap();
        let terminals: Vec<Node> = (6..9).map(|terminal| fabric.terminal_node(terminal)).collect();
        assert_eq!(
            terminals,
            [config.host_node(), config.memory_node(0), config.memory_node(1)]
        );
        assert_eq!((fabric.terminals(), fabric.host_node()), (9, Node { x: 0, y: 2 }));
    }

    #[test]
    #[should_panic(expected = "memory node 2 of a fabric of 2 memory nodes")]
    fn a_memory_node_beyond_the_last_is_none() {
        let config = Config { memories: 2, ..small() };
        config.memory_node(2);
    }

    #[test]
    fn the_scratchpad_is_counted_in_words_of_the_fabric() {
        let words = |width, scratchpad| {
            let config = Config {
                width,
                scratchpad,
                ..small()
            };
            config.scratchpad_words()
        };
        assert_eq!((words(32, 4), words(64, 4), words(32, 256)), (1024, 512, 65536));
    }

    #[test]
    #[should_panic(expected = "terminal 7 of a fabric of 7 terminals")]
    fn a_terminal_beyond_the_last_is_no_terminal() {
        small().terminal_node(7);
    }

    proptest! {
        #[test]
        fn numbers_and_nodes_are_inverse(config in meshes()) {
            let places = (0..=u8::MAX).flat_map(|y| (0..=u8::MAX).map(move |x| Node { x, y }));
            let ids: Vec<usize> = places.filter_map(|node| {
                assert_eq!(config.contains(node), config.node_id(node).is_some());
                config.node_id(node).inspect(|&id| assert_eq!(config.terminal_node(id), node))
            }).collect();
            prop_assert!(ids.into_iter().eq(0..config.terminals()));
        }

        #[test]
        fn links_join_neighbours_both_ways(config in meshes()) {
            let mut links = 0;
            for at in (0..config.tiles()).map(|id| config.tile_node(id)) {
                for port in Port::ALL {
                    if let Some(next) = config.neighbour(at, port) {
                        links += 1;
                        prop_assert_eq!(at.x.abs_diff(next.x) + at.y.abs_diff(next.y), 1);
                        prop_assert_eq!(config.neighbour(next, port.opposite()), Some(at));
                        prop_assert_eq!(config.attached(at, port), None);
                    }
                }
            }
            let Config { cols, rows, .. } = config;
            prop_assert_eq!(links, 2 * ((cols - 1) * rows + cols * (rows - 1)));
        }

        #[test]
        fn every_terminal_has_a_port_of_its_own(config in meshes()) {
            let places: HashSet<_> = (0..config.terminals()).map(|terminal| config.attachment(terminal)).collect();
            prop_assert_eq!(places.len(), config.terminals());
            for terminal in 0..config.terminals() {
                let (router, port) = config.attachment(terminal);
                prop_assert_eq!(config.attached(router, port), Some(terminal));
            }
        }
    }
}
