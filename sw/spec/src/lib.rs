//! The specification that hardware, reference model and driver share.
//!
//! A [`Config`] describes a fabric: number of columns and rows of tiles, flit width, FIFO depth, and the sizes of a node.
//! This crate derives from it every number and format on which two parts of Portico must agree. Each of them is defined
//! here once.
//!
//! | module | what it defines |
//! | --- | --- |
//! | [`config`] | the keys, their allowed values, how a configuration is read and written |
//! | [`topology`] | which nodes exist, where they are, how they are numbered |
//! | [`flit`] | the fields of a head flit |
//! | [`fp`] | the formats of floating-point numbers, and exceptions |
//! | [`exchange`] | the order in which the members of a group send to each other |
//! | [`mpe`] | the operations of the message-passing engine |
//! | [`portals`] | commands and results of the Portals accelerator's blocks |
//! | [`parts`] | which part of a node owns which packets, descriptors and registers, and what it may wait for |
//! | [`probe`] | the source/sink core: its descriptors, packets and random numbers |
//! | [`ni`] | what the network interface understands: packets, descriptors, registers, instructions, errors |
//! | [`streams`] | the streams of a tile: descriptors of the engine that moves them |
//! | [`routing`] | the path of a packet, and where a packet for a node that does not exist leaves the mesh |
//! | [`deadlock`] | the proof of freedom from deadlock |
//! | [`uart`] | frames on the serial line between a host and a board |
//!
//! Example: a 4 x 3 mesh with a host below its first column, and a packet from tile 6 to the host.
//!
//! ```
//! use portico_spec::{routing, Config, Head, Node, Port};
//!
//! let config = Config::from_toml("cols = 4\nrows = 3\nedge_nodes = 1")?;
//! let (tile, host) = (config.terminal_node(6), config.terminal_node(config.tiles()));
//! assert_eq!((tile, host), (Node { x: 2, y: 1 }, Node { x: 0, y: 3 }));
//!
//! let head = Head { destination: host, source: tile, tag: 0, kind: 0, last: true };
//! assert_eq!(Head::decode(head.encode()?), head);
//!
//! let ports: Vec<Port> = routing::path(&config, 6, host).into_iter().map(|(_, port)| port).collect();
//! assert_eq!(ports, [Port::West, Port::West, Port::South, Port::South]);
//!
//! let proof = portico_spec::deadlock::prove(&config)?;
//! assert!(proof.dependencies > proof.channels);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![warn(missing_docs)]

pub mod config;
pub mod deadlock;
pub mod exchange;
pub mod flit;
pub mod fp;
pub mod mpe;
pub mod ni;
pub mod parts;
pub mod portals;
pub mod probe;
pub mod routing;
pub mod streams;
pub mod topology;
pub mod uart;

pub use config::{Allowed, Config, ConfigError, Field};
pub use flit::{Flit, Head, HeadError};
pub use routing::{End, Exit, Port};
pub use topology::{Node, Terminal};

#[cfg(test)]
mod testing {
    use crate::Config;
    use proptest::prelude::*;

    /// Any mesh that the hardware can have, from 1 x 1 to 16 x 16, with any number of edge nodes.
    pub fn meshes() -> impl Strategy<Value = Config> {
        (1..=16usize, 1..=16usize, any::<prop::sample::Index>()).prop_map(|(cols, rows, edge)| Config {
            cols,
            rows,
            edge_nodes: edge.index(cols + 1),
            ..Config::default()
        })
    }

    /// Both widths.
    pub fn widths() -> impl Strategy<Value = Config> {
        prop::sample::select(vec![32, 64]).prop_map(|width| Config {
            width,
            ..Config::default()
        })
    }
}
