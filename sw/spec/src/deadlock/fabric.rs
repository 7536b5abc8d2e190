//! The proof for both planes of a fabric, endpoints included.
//!
//! Each plane is a mesh of its own; they meet in the nodes. What a node may wait for stands in the table of its
//! [`parts`](crate::parts). There is one wait: before the receiver takes the end of a packet from the data plane it may wait
//! until an acknowledgement, a refusal or the value of an atomic is on its way, so data ejection waits for control injection.
//!
//! | held | awaited | |
//! | --- | --- | --- |
//! | data ejection | control injection | acknowledgements |
//! | data ejection | data injection | never: whatever answers with data was asked for on the control plane |
//! | control ejection | anything | never: what arrives has a place that was reserved when it was asked for |
//!
//! ```
//! use portico_spec::{deadlock::fabric::prove_fabric, Config};
//!
//! let fabric = Config::default().fabric()?;
//! assert!(prove_fabric(&fabric).is_ok());
//! # Ok::<(), portico_spec::ConfigError>(())
//! ```

use std::fmt;

use super::{mesh_dependencies, Channel, ChannelGraph, Cycle, Proof};
use crate::{
    parts::{Hold, Part, PARTS},
    routing::next_port,
    Config,
};

/// A wormhole plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Plane {
    /// Payloads: puts, get replies, atomics, messages.
    Data,
    /// Acknowledgements, get requests, mail, credits.
    Control,
}

/// A channel of a plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlaneChannel {
    /// The plane.
    pub plane: Plane,
    /// The channel.
    pub channel: Channel,
}

impl fmt::Display for PlaneChannel {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let plane = match self.plane {
            Plane::Data => "data",
            Plane::Control => "control",
        };
        write!(f, "{plane} plane {}", self.channel)
    }
}

impl Plane {
    /// The channel of this plane.
    pub fn channel(self, channel: Channel) -> PlaneChannel {
        PlaneChannel { plane: self, channel }
    }
}

/// Proves both planes of a fabric, of as many edge nodes as the configuration has: see [`Config::fabric`].
///
/// # Errors
/// A shortest cycle.
pub fn prove_fabric(config: &Config) -> Result<Proof, Cycle> {
    prove_fabric_with(config, [])
}

/// Proves both planes with waits beside those of the network interfaces, each as (held, awaited).
///
/// # Errors
/// A shortest cycle.
pub fn prove_fabric_with(
    config: &Config,
    others: impl IntoIterator<Item = (PlaneChannel, PlaneChannel)>,
) -> Result<Proof, Cycle> {
    let mesh = mesh_dependencies(config, |at, _, to| next_port(at, to));
    let planes = [Plane::Data, Plane::Control].into_iter().flat_map(|plane| {
        let mesh = mesh.iter();
        mesh.map(move |&(held, awaited)| (plane.channel(held), plane.channel(awaited)))
    });
    let mut graph = ChannelGraph::new();
    for (held, awaited) in planes.chain(endpoint_waits(config)).chain(others) {
        graph.add_dependency(held, awaited);
    }
    graph.prove_acyclic()
}

/// The waits of all nodes, each as (held, awaited): those of the parts that they have.
pub fn endpoint_waits(config: &Config) -> Vec<(PlaneChannel, PlaneChannel)> {
    waits_of(config, PARTS)
}

/// The waits of nodes that are made of these parts.
fn waits_of(config: &Config, parts: &[Part]) -> Vec<(PlaneChannel, PlaneChannel)> {
    let mut waits = vec![];
    for index in 0..config.terminals() {
        let channel = |hold: Hold| {
            let terminal = config.terminal(index);
            match hold {
                Hold::DataEject => Plane::Data.channel(Channel::Eject(terminal)),
                Hold::DataInject => Plane::Data.channel(Channel::Inject(terminal)),
                Hold::ControlEject => Plane::Control.channel(Channel::Eject(terminal)),
                Hold::ControlInject => Plane::Control.channel(Channel::Inject(terminal)),
            }
        };
        let parts = parts.iter().filter(|part| part.is_at(config, index));
        let own = parts.flat_map(|part| part.waits);
        waits.extend(own.map(|wait| (channel(wait.held), channel(wait.awaited))));
    }
    waits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{deadlock::prove, parts::Wait, testing::meshes, Terminal};
    use proptest::prelude::*;

    fn fabric(cols: usize, rows: usize, memories: usize) -> Config {
        let config = Config {
            cols,
            rows,
            memories,
            ..Config::default()
        };
        config.fabric().unwrap()
    }

    fn eject(plane: Plane, terminal: Terminal) -> PlaneChannel {
        plane.channel(Channel::Eject(terminal))
    }

    fn inject(plane: Plane, terminal: Terminal) -> PlaneChannel {
        plane.channel(Channel::Inject(terminal))
    }

    fn cycle(config: &Config, held: PlaneChannel, awaited: PlaneChannel) -> String {
        prove_fabric_with(config, [(held, awaited)]).unwrap_err().to_string()
    }

    #[test]
    fn control_that_waits_for_data_is_caught_and_printed() {
        let tile = Terminal::Tile(3);
        assert_eq!(
            cycle(&fabric(2, 2, 1), eject(Plane::Control, tile), inject(Plane::Data, tile)),
            "the channel-dependency graph has a cycle: data plane tile 3 injection -> data plane tile 3 ejection \
             -> control plane tile 3 injection -> control plane tile 3 ejection -> data plane tile 3 injection"
        );
    }

    #[test]
    fn data_that_waits_for_data_is_caught_and_printed() {
        let tile = Terminal::Tile(0);
        assert_eq!(
            cycle(&fabric(2, 1, 0), eject(Plane::Data, tile), inject(Plane::Data, tile)),
            "the channel-dependency graph has a cycle: data plane tile 0 injection -> data plane tile 0 ejection \
             -> data plane tile 0 injection"
        );
    }

    #[test]
    fn host_and_memory_nodes_are_endpoints_too() {
        let config = fabric(2, 2, 1);
        for edge in [Terminal::Edge(0), Terminal::Edge(1)] {
            for plane in [Plane::Data, Plane::Control] {
                let cycle = cycle(&config, eject(plane, edge), inject(Plane::Data, edge));
                assert!(
                    cycle.contains(&format!("{} -> {}", eject(plane, edge), inject(Plane::Data, edge))),
                    "{cycle}"
                );
            }
        }
    }

    #[test]
    fn a_part_that_waits_for_data_while_it_holds_data_is_caught() {
        let config = fabric(2, 1, 0);
        const STUCK: Wait = Wait {
            held: Hold::DataEject,
            awaited: Hold::DataInject,
            why: "planted",
        };
        let mut parts = PARTS.to_vec();
        let others = waits_of(&config, &parts);
        assert_eq!(others, endpoint_waits(&config));
        parts[0].waits = &[STUCK];
        let planted = waits_of(&config, &parts);
        assert_eq!(planted.len(), config.terminals());
        assert!(prove_fabric_with(&config, planted).is_err());
    }

    #[test]
    fn a_wait_that_closes_no_cycle_is_taken() {
        let tile = Terminal::Tile(0);
        let config = fabric(1, 1, 0);
        let onward = (inject(Plane::Data, tile), inject(Plane::Control, tile));
        let more = prove_fabric_with(&config, [onward]).unwrap();
        assert_eq!(more.dependencies, prove_fabric(&config).unwrap().dependencies + 1);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn every_fabric_is_proven(config in meshes()) {
            let (plane, fabric) = (prove(&config).unwrap(), prove_fabric(&config).unwrap());
            prop_assert_eq!(fabric.channels, 2 * plane.channels);
            prop_assert_eq!(fabric.dependencies, 2 * plane.dependencies + config.terminals());
        }

        #[test]
        fn one_planted_wait_anywhere_is_caught(config in meshes(), at in any::<prop::sample::Index>(), control in any::<bool>()) {
            let terminal = config.terminal(at.index(config.terminals()));
            let held = eject(if control { Plane::Control } else { Plane::Data }, terminal);
            prop_assert!(prove_fabric_with(&config, [(held, inject(Plane::Data, terminal))]).is_err());
        }
    }
}
