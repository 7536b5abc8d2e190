//! Which way a packet goes: XY dimension order.
//!
//! A router looks at the destination alone: east or west until the column is right, then north or south, then local. So
//! a packet never turns from the y direction back into x; this is what keeps the mesh free of deadlock (Dally and
//! Seitz, "Deadlock-free message routing in multiprocessor interconnection networks", IEEE Trans. Computers C-36(5),
//! 1987; [`deadlock`](crate::deadlock) checks it for every configuration).
//!
//! Edge nodes fit in without a special case. An edge node has the coordinates of one more row, so that whatever is for
//! it goes south at the last router of its column; and what it sends enters that router from the south and is routed
//! X-first there, which are the only packets that turn from south into east or west.
//!
//! A destination that does not exist follows the same rule, and so reaches a side of the mesh: the east side where its
//! column does not exist, otherwise the south side. There it is consumed and counted, as [`Exit`] says.

use std::fmt;

use crate::{Config, Node};

/// A port of a router, seen from the router: a packet that travels east leaves through `East` and enters the next
/// router through `West`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Port {
    /// The tile.
    Local,
    /// Towards y - 1.
    North,
    /// Towards x + 1.
    East,
    /// Towards y + 1; in the last row, to the edge node.
    South,
    /// Towards x - 1.
    West,
}

impl Port {
    /// All ports, in the order of their indices.
    pub const ALL: [Port; 5] = [Port::Local, Port::North, Port::East, Port::South, Port::West];

    /// Number of this port in every array of five.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The port on the other end of a link; the local port is its own.
    pub const fn opposite(self) -> Port {
        match self {
            Port::Local => Port::Local,
            Port::North => Port::South,
            Port::East => Port::West,
            Port::South => Port::North,
            Port::West => Port::East,
        }
    }

    /// The name in lower case, as in names of signals.
    pub const fn name(self) -> &'static str {
        match self {
            Port::Local => "local",
            Port::North => "north",
            Port::East => "east",
            Port::South => "south",
            Port::West => "west",
        }
    }
}

impl fmt::Display for Port {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The place at which a packet that no terminal takes leaves the mesh. The block there consumes the packet from head
/// to tail, one flit a cycle, and counts it. So the packet blocks nothing, and no terminal sees it:
///
/// - at an open side, the sink that ties off the port;
/// - at the south port above an edge node, the filter that keeps packets for further rows from the edge node;
/// - an edge node's packet that would go straight back south, be it to itself or to a row beyond, asks for a turn that
///   the router does not have (see [`legal_turn`]), and is consumed where it entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Exit {
    /// The last router.
    pub router: Node,
    /// The port that the packet asks for there: `East` or `South`.
    pub port: Port,
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} side of router {}", self.port, self.router)
    }
}

/// How the way of a packet ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum End {
    /// The terminal of this index takes it.
    Terminal(usize),
    /// It is consumed and counted.
    Exit(Exit),
}

/// The port through which a packet for `destination` leaves the router at `at`.
pub fn next_port(at: Node, destination: Node) -> Port {
    use std::cmp::Ordering::{Equal, Greater, Less};
    match (destination.x.cmp(&at.x), destination.y.cmp(&at.y)) {
        (Greater, _) => Port::East,
        (Less, _) => Port::West,
        (Equal, Less) => Port::North,
        (Equal, Greater) => Port::South,
        (Equal, Equal) => Port::Local,
    }
}

/// Whether the crossbar of a router has a leg from `input` to `output`: the turns that XY needs, and no other. Those
/// from `South` to `East` and `West` serve edge nodes alone. Only the local port leads back to itself.
pub fn legal_turn(input: Port, output: Port) -> bool {
    match input {
        Port::Local => true,
        Port::East | Port::West | Port::South => output != input,
        Port::North => matches!(output, Port::South | Port::Local),
    }
}

/// The way from a terminal to `to`: each router, and the port through which the packet leaves it. The last port is the
/// one to the destination, or that of the [`Exit`].
///
/// # Panics
/// If there is no terminal `from`.
pub fn path(config: &Config, from: usize, to: Node) -> Vec<(Node, Port)> {
    let (first, _) = config.attachment(from);
    std::iter::successors(Some((first, next_port(first, to))), |&(at, port)| {
        config.neighbour(at, port).map(|next| (next, next_port(next, to)))
    })
    .collect()
}

/// Where a packet from a terminal to `to` comes out, without walking there.
///
/// # Panics
/// If there is no terminal `from`.
pub fn end(config: &Config, from: usize, to: Node) -> End {
    let (first, input) = config.attachment(from);
    let last_x = config.cols as u8 - 1;
    let last_y = config.rows as u8 - 1;
    let turns_back = input == Port::South && next_port(first, to) == Port::South;
    match config.node_id(to) {
        Some(terminal) if !turns_back => End::Terminal(terminal),
        _ if to.x > last_x => End::Exit(Exit {
            router: Node { x: last_x, y: first.y },
            port: Port::East,
        }),
        _ => End::Exit(Exit {
            router: Node { x: to.x, y: last_y },
            port: Port::South,
        }),
    }
}

/// Links between routers on the way from one terminal to another: the routers on the way, less one.
///
/// # Panics
/// If there is no such terminal.
pub fn hops(config: &Config, from: usize, to: usize) -> usize {
    let (first, _) = config.attachment(from);
    let (last, _) = config.attachment(to);
    usize::from(first.x.abs_diff(last.x)) + usize::from(first.y.abs_diff(last.y))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        flit::{X_WIDTH, Y_WIDTH},
        testing::meshes,
    };
    use proptest::{prelude::*, sample::Index};
    use std::collections::HashSet;

    fn anywhere() -> impl Strategy<Value = Node> {
        (0..1u8 << X_WIDTH, 0..1u8 << Y_WIDTH).prop_map(|(x, y)| Node { x, y })
    }

    fn config(cols: usize, rows: usize, edge_nodes: usize) -> Config {
        Config {
            cols,
            rows,
            edge_nodes,
            ..Config::default()
        }
    }

    fn ports(config: &Config, from: usize, to: Node) -> Vec<Port> {
        path(config, from, to).into_iter().map(|(_, port)| port).collect()
    }

    /// The turns on a way, the one out of the source's own port included.
    fn turns(config: &Config, from: usize, to: Node) -> Vec<(Port, Port)> {
        let outputs = ports(config, from, to);
        let inputs = std::iter::once(config.attachment(from).1).chain(outputs.iter().map(|port| port.opposite()));
        inputs.zip(outputs.iter().copied()).collect()
    }

    #[test]
    fn ports_have_the_order_of_their_indices() {
        assert!(Port::ALL.iter().map(|port| port.index()).eq(0..5));
        assert_eq!(Port::ALL.map(Port::name), ["local", "north", "east", "south", "west"]);
        assert_eq!(format!("{:>6}", Port::East), "  east");
        assert!(Port::ALL.iter().all(|port| port.opposite().opposite() == *port));
    }

    #[test]
    fn x_comes_before_y() {
        use Port::{East, Local, North, South, West};
        let mesh = config(4, 3, 2);
        assert_eq!(ports(&mesh, 0, Node { x: 2, y: 2 }), [East, East, South, South, Local]);
        assert_eq!(ports(&mesh, 10, Node { x: 1, y: 0 }), [West, North, North, Local]);
        assert_eq!(ports(&mesh, 5, Node { x: 1, y: 1 }), [Local]);
        assert_eq!(
            ports(&mesh, 3, Node { x: 0, y: 3 }),
            [West, West, West, South, South, South]
        );
        assert_eq!(ports(&mesh, 13, Node { x: 3, y: 1 }), [East, East, North, Local]);
        assert_eq!(ports(&mesh, 12, Node { x: 1, y: 3 }), [East, South]);
        assert_eq!(path(&mesh, 12, Node { x: 1, y: 3 })[1], (Node { x: 1, y: 2 }, South));
    }

    #[test]
    fn what_does_not_exist_leaves_east_or_south() {
        let mesh = config(4, 3, 2);
        let exit = |x, y, port| {
            End::Exit(Exit {
                router: Node { x, y },
                port,
            })
        };
        assert_eq!(end(&mesh, 4, Node { x: 4, y: 0 }), exit(3, 1, Port::East));
        assert_eq!(end(&mesh, 4, Node { x: 9, y: 30 }), exit(3, 1, Port::East));
        assert_eq!(end(&mesh, 4, Node { x: 2, y: 3 }), exit(2, 2, Port::South));
        assert_eq!(end(&mesh, 4, Node { x: 1, y: 4 }), exit(1, 2, Port::South));
        assert_eq!(end(&mesh, 4, Node { x: 1, y: 3 }), End::Terminal(13));
        let east_side = Exit {
            router: Node { x: 3, y: 1 },
            port: Port::East,
        };
        assert_eq!(east_side.to_string(), "east side of router (3, 1)");
    }

    #[test]
    fn an_edge_node_does_not_reach_itself() {
        let mesh = config(4, 3, 2);
        let exit = End::Exit(Exit {
            router: Node { x: 1, y: 2 },
            port: Port::South,
        });
        assert_eq!(end(&mesh, 13, mesh.terminal_node(13)), exit);
        assert_eq!(end(&mesh, 13, Node { x: 1, y: 31 }), exit);
        assert!(!legal_turn(Port::South, Port::South));
        assert_eq!(end(&mesh, 13, mesh.terminal_node(12)), End::Terminal(12));
    }

    #[test]
    fn a_single_tile_reaches_itself() {
        let mesh = config(1, 1, 1);
        assert_eq!(ports(&mesh, 0, Node { x: 0, y: 0 }), [Port::Local]);
        assert_eq!(ports(&mesh, 0, Node { x: 0, y: 1 }), [Port::South]);
        assert_eq!(ports(&mesh, 1, Node { x: 0, y: 0 }), [Port::Local]);
        assert_eq!((hops(&mesh, 0, 0), hops(&mesh, 0, 1)), (0, 0));
    }

    /// A leg too few would hang a packet, a leg too many would waste area.
    #[test]
    fn the_crossbar_has_the_legs_that_ways_need_and_no_other() {
        let taken = |mesh: Config| -> HashSet<(Port, Port)> {
            let mesh = &mesh;
            let to = (0..32).flat_map(|y| (0..16).map(move |x| Node { x, y }));
            to.flat_map(|to| (0..mesh.terminals()).flat_map(move |from| turns(mesh, from, to)))
                .collect()
        };
        let legal = |edge: bool| -> HashSet<(Port, Port)> {
            let all = Port::ALL
                .into_iter()
                .flat_map(|input| Port::ALL.map(|output| (input, output)));
            all.filter(|&(input, output)| {
                legal_turn(input, output)
                    && (edge || !matches!((input, output), (Port::South, Port::East | Port::West)))
            })
            .collect()
        };
        assert_eq!(taken(config(3, 3, 0)), legal(false));
        let mut with_edge = taken(config(3, 3, 3));
        assert!(
            with_edge.remove(&(Port::South, Port::South)),
            "an edge node that sends to itself"
        );
        assert_eq!(with_edge, legal(true));
    }

    proptest! {
        #[test]
        fn a_way_ends_where_it_should(config in meshes(), from in any::<Index>(), to in anywhere()) {
            let from = from.index(config.terminals());
            let way = path(&config, from, to);
            let &(router, port) = way.last().unwrap();
            match end(&config, from, to) {
                End::Terminal(terminal) => {
                    prop_assert_eq!(config.node_id(to), Some(terminal));
                    prop_assert_eq!(config.attachment(terminal), (router, port));
                    prop_assert_eq!(way.len(), hops(&config, from, terminal) + 1);
                }
                End::Exit(exit) => {
                    prop_assert_eq!(exit, Exit { router, port });
                    prop_assert!(!config.contains(to) || config.node_id(to) == Some(from));
                    prop_assert!(matches!(port, Port::East | Port::South));
                    prop_assert_eq!(config.neighbour(router, port), None);
                }
            }
        }

        #[test]
        fn a_way_never_turns_back_from_y_to_x(config in meshes(), from in any::<Index>(), to in anywhere()) {
            let from = from.index(config.terminals());
            let ports = ports(&config, from, to);
            let along_x = |port: &Port| matches!(port, Port::East | Port::West);
            let x_part = ports.iter().take_while(|&port| along_x(port)).count();
            prop_assert!(!ports[x_part..].iter().any(along_x));
            prop_assert!(ports[..x_part].iter().all(|port| *port == ports[0]));
        }

        #[test]
        fn hops_are_the_same_in_both_directions(config in meshes(), from in any::<Index>(), to in any::<Index>()) {
            let (from, to) = (from.index(config.terminals()), to.index(config.terminals()));
            prop_assert_eq!(hops(&config, from, to), hops(&config, to, from));
        }
    }
}
