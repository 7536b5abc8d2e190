//! Who sends what to whom.

use super::list_site::SPARE_SEGMENTS;
use portico_spec::{Config, Port};
use rand::{seq::SliceRandom, Rng};
use std::{fmt, str::FromStr};

/// Most tiles that are targets of a tile: what each of them costs is room and set-up.
const MAX_TARGETS: usize = 4;
/// Most tiles with the same memory node as a target.
const MAX_INITIATORS: usize = 16;
/// Most operations of a tile in a round; of one in which calls come first, so that they are many.
const MOST_OPERATIONS: usize = 150;
const MOST_BESIDE_CALLS: usize = 80;
/// The same of a tile that works by lists, which the host writes; and waves of calls.
const MOST_OF_LISTS: usize = 60;
const MOST_WAVES_OF_LISTS: usize = 2;
/// Descriptors that a stream is given at once, at most; of Portals commands so many that the engines have always some.
const MOST_AT_ONCE: usize = 12;
const MOST_OF_PORTALS_AT_ONCE: usize = 80;
/// Waves of calls in a round, at most; see the module `calls`.
const MOST_WAVES: usize = 8;
/// Windows of a node for all its initiators, and for each of them; segments of an initiator for each of its targets. See
/// [`super::site::Site::new`].
const WINDOWS: usize = 6;
const WINDOWS_OF_PAIR: usize = 2;
pub const SEGMENTS_OF_PAIR: usize = 8;

/// What a soak does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Soak {
    /// Who sends what to whom.
    pub workload: Workload,
    /// Cycles in which operations are under way, at least; setting up and comparing memories takes others.
    pub cycles: u64,
    /// Decides all that is random.
    pub seed: u64,
    /// Share of rounds that a reset cuts off at a random moment, 0 to 1.
    pub resets: f64,
}

/// A mix of operations and partners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workload {
    /// All operations, between any tiles.
    Soak,
    /// Transfers and atomics between tiles side by side, and no messages.
    Neighbours,
    /// Mostly messages, many senders to each queue.
    Queues,
    /// Mostly mail back to back, and commands that are refused.
    Mails,
    /// Packets of source/sink cores as fast as they go, beside all the rest.
    Probes,
    /// Calls of message-passing engines, beside all the rest.
    Collectives,
    /// The same, with members that disagree in every round.
    Failing,
    /// All operations, of tiles that work by lists.
    Lists,
    /// Commands of Portals engines alone.
    Portals,
    /// The same with races, whose outcome the model takes from the log of hardware.
    Replay,
}

/// What a tile may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Put,
    Get,
    Stream,
    Program,
    Atomic,
    Shared,
    Enqueue,
    Mail,
    Fence,
    Probe,
    Collective,
    Portals,
    /// Of the streams of the tile.
    Send,
    Receive,
    Wrong,
}

impl Workload {
    /// All of them.
    pub const ALL: [Workload; 10] = [
        Workload::Soak,
        Workload::Neighbours,
        Workload::Queues,
        Workload::Mails,
        Workload::Probes,
        Workload::Collectives,
        Workload::Failing,
        Workload::Lists,
        Workload::Portals,
        Workload::Replay,
    ];

    /// As on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Workload::Soak => "soak",
            Workload::Neighbours => "neighbours",
            Workload::Queues => "queues",
            Workload::Mails => "mails",
            Workload::Probes => "probes",
            Workload::Collectives => "collectives",
            Workload::Failing => "failing",
            Workload::Lists => "lists",
            Workload::Portals => "portals",
            Workload::Replay => "replay",
        }
    }

    /// The targets of each tile: tiles, itself perhaps, and memory nodes.
    pub(super) fn targets(self, config: &Config, random: &mut impl Rng) -> Vec<Vec<usize>> {
        let tiles = config.tiles();
        let most = most_targets(config);
        let mut targets: Vec<Vec<usize>> = match self {
            Workload::Neighbours => (0..tiles).map(|tile| beside(config, tile, most)).collect(),
            _ => {
                let mut distances: Vec<usize> = (0..tiles).collect();
                distances.shuffle(random);
                distances.truncate(most);
                let of = |tile| distances.iter().map(move |distance| (tile + distance) % tiles);
                (0..tiles).map(|tile| of(tile).collect()).collect()
            }
        };
        let memories: Vec<usize> = (tiles + 1..config.terminals()).collect();
        let mut takers: Vec<usize> = (0..tiles).collect();
        takers.shuffle(random);
        takers.truncate(MAX_INITIATORS.min(most_initiators(config)) * memories.len());
        for (tile, &memory) in takers.into_iter().zip(memories.iter().cycle()) {
            targets[tile].push(memory);
        }
        targets
    }

    /// Most operations of a tile in a round, beside calls that are still to be posted then.
    pub(super) fn most_operations(self) -> usize {
        match self {
            Workload::Collectives | Workload::Failing => MOST_BESIDE_CALLS,
            Workload::Lists => MOST_OF_LISTS,
            _ => MOST_OPERATIONS,
        }
    }

    /// Whether groups of tiles make calls.
    pub(super) fn makes_calls(self, config: &Config) -> bool {
        let makes_some = [
            Workload::Soak,
            Workload::Collectives,
            Workload::Failing,
            Workload::Lists,
        ];
        config.mpe > 0 && makes_some.contains(&self)
    }

    /// Chance that the members of a context disagree in a round, where calls are made.
    pub(super) fn failing(self) -> f64 {
        match self {
            Workload::Failing => 1.0,
            Workload::Soak => 0.25,
            _ => 0.0,
        }
    }

    /// Whether tiles put and get by Portals.
    pub(super) fn has_portals(self, config: &Config) -> bool {
        config.portals > 0 && matches!(self, Workload::Soak | Workload::Lists | Workload::Portals)
    }

    /// Most waves of calls in a round.
    pub(super) fn most_waves(self) -> usize {
        match self {
            Workload::Lists => MOST_WAVES_OF_LISTS,
            _ => MOST_WAVES,
        }
    }

    /// Most descriptors that a stream is given at once.
    pub(super) fn most_at_once(self) -> usize {
        match self {
            Workload::Portals => MOST_OF_PORTALS_AT_ONCE,
            _ => MOST_AT_ONCE,
        }
    }

    /// Chance that a tile works by lists in a round.
    pub(super) fn lists(self) -> f64 {
        match self {
            Workload::Lists => 1.0,
            Workload::Soak => 0.25,
            _ => 0.0,
        }
    }

    /// What a tile does next.
    pub(super) fn choose(self, config: &Config, random: &mut impl Rng) -> Kind {
        use Kind::*;
        let weights: &[(Kind, u32)] = match self {
            Workload::Soak | Workload::Lists => &[
                (Put, 22),
                (Get, 20),
                (Stream, 8),
                (Program, 6),
                (Atomic, 14),
                (Shared, 10),
                (Enqueue, 4),
                (Mail, 6),
                (Fence, 3),
                (Probe, 4),
                (Wrong, 7),
                // Without engines there is nothing to choose.
                (Collective, if config.mpe > 0 { 10 } else { 0 }),
                (Portals, if config.portals > 0 { 40 } else { 0 }),
                (Send, if config.streams { 5 } else { 0 }),
                (Receive, if config.streams { 5 } else { 0 }),
            ],
            Workload::Collectives | Workload::Failing => &[
                (Collective, 40),
                (Put, 14),
                (Get, 12),
                (Stream, 4),
                (Program, 4),
                (Atomic, 8),
                (Shared, 4),
                (Mail, 4),
                (Probe, 6),
                (Wrong, 4),
            ],
            Workload::Probes => &[
                (Probe, 40),
                (Put, 16),
                (Get, 14),
                (Program, 4),
                (Atomic, 10),
                (Shared, 6),
                (Mail, 6),
                (Wrong, 4),
            ],
            Workload::Mails => &[(Mail, 60), (Wrong, 20), (Put, 10), (Program, 6), (Shared, 4)],
            Workload::Neighbours => &[
                (Put, 36),
                (Get, 34),
                (Stream, 5),
                (Program, 5),
                (Atomic, 10),
                (Shared, 6),
                (Fence, 4),
            ],
            Workload::Portals | Workload::Replay => &[(Portals, 1)],
            Workload::Queues => &[(Enqueue, 60), (Put, 15), (Get, 10), (Shared, 10), (Wrong, 5)],
        };
        weights
            .choose_weighted(random, |&(_, weight)| weight)
            .expect("weights that are not all 0")
            .0
    }
}

/// Tiles that may have a node as their target, by the windows and mailboxes that it has for each.
fn most_initiators(config: &Config) -> usize {
    let windows = (config.build().free_windows() - WINDOWS) / WINDOWS_OF_PAIR;
    windows.min(config.mailboxes)
}

/// Tiles that are targets of a tile, beside a memory node: by its segments, and by what others have room for. With the least
/// segments, one that has a memory node as a target has none left for lists.
fn most_targets(config: &Config) -> usize {
    let memory = usize::from(config.memories > 0);
    let segments = (config.segments - SPARE_SEGMENTS) / SEGMENTS_OF_PAIR;
    MAX_TARGETS
        .min(segments.saturating_sub(memory).max(1))
        .min(most_initiators(config))
}

/// Segments that a tile has for its targets, at most: the low ones.
pub fn segments_of_pairs(config: &Config) -> usize {
    SEGMENTS_OF_PAIR * (most_targets(config) + usize::from(config.memories > 0))
}

/// The tiles on so many sides of a tile; the tile itself if there are none.
fn beside(config: &Config, tile: usize, most: usize) -> Vec<usize> {
    let at = config.tile_node(tile);
    let sides = [Port::North, Port::East, Port::South, Port::West];
    let beside = sides[..most]
        .iter()
        .filter_map(|&side| config.node_id(config.neighbour(at, side)?));
    let tiles: Vec<usize> = beside.filter(|&node| node < config.tiles()).collect();
    match tiles.is_empty() {
        true => vec![tile],
        false => tiles,
    }
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Workload {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Workload::ALL.into_iter().find(|workload| workload.name() == text);
        found.ok_or_else(|| {
            let allowed = "soak, neighbours, queues, mails, probes, collectives, failing, lists, portals or replay";
            format!("workload {text:?}: allowed is {allowed}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{rngs::StdRng, SeedableRng};

    #[test]
    fn every_tile_has_as_many_initiators_as_targets() {
        let mut random = StdRng::seed_from_u64(1);
        for (cols, rows) in [(1, 1), (2, 1), (3, 2), (4, 4)] {
            let config = Config {
                cols,
                rows,
                ..Config::default()
            }
            .fabric()
            .unwrap();
            for workload in Workload::ALL {
                assert_eq!(workload.name().parse(), Ok(workload));
                let targets = workload.targets(&config, &mut random);
                assert_eq!(targets.len(), config.tiles());
                for (tile, of_tile) in targets.iter().enumerate() {
                    let from = targets.iter().filter(|targets| targets.contains(&tile)).count();
                    assert_eq!(
                        (from, (1..=MAX_TARGETS).contains(&from)),
                        (of_tile.len(), true),
                        "{workload}"
                    );
                }
            }
        }
        assert!("nobody".parse::<Workload>().is_err());
    }

    #[test]
    fn memory_nodes_are_targets_of_some_tiles_each() {
        let mut random = StdRng::seed_from_u64(2);
        for (cols, rows, memories, most) in [(2, 1, 1, 2), (4, 4, 2, 8), (8, 8, 1, MAX_INITIATORS)] {
            let config = Config {
                cols,
                rows,
                memories,
                ..Config::default()
            }
            .fabric()
            .unwrap();
            let targets = Workload::Soak.targets(&config, &mut random);
            for memory in config.tiles() + 1..config.terminals() {
                let initiators = targets.iter().filter(|targets| targets.contains(&memory)).count();
                assert_eq!(initiators, most, "{cols}x{rows}, {memories} memories");
            }
            let host = config.tiles();
            assert!(!targets.iter().any(|targets| targets.contains(&host)));
        }
    }
}
