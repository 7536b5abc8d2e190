//! Which links of a fabric move and which wait, when an answer does not come.

use crate::{fabric::SimulatedFabric, monitors::PLANES};
use portico_spec::{Config, Node, Port};
use std::fmt;

/// Cycles that are watched.
const WATCHED: u64 = 2_000;
/// Links that are named at most.
const NAMED: usize = 8;
/// Links of a router that are counted: its outputs, then its local input.
const LINKS: usize = Port::ALL.len() + 1;

/// Flits and stalls of every link in some cycles, in which nothing is asked of the fabric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Movement {
    begun: u64,
    cycles: u64,
    links: Option<Vec<Link>>,
    /// Words that wait at the command streams, by tile.
    commands: Vec<(usize, usize)>,
}

/// Flits and stalls of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Link {
    name: String,
    flits: u32,
    stalls: u32,
}

impl SimulatedFabric {
    /// Lets the fabric run for some thousand cycles more, and sees what moves: for the message when something has not come
    /// in its time. In a deadlock no flit moves and the links that wait are named; in a livelock flits do move.
    pub fn movement(&mut self) -> Movement {
        let begun = self.cycles();
        let before = self.counters();
        self.run(WATCHED);
        let after = self.counters();
        let links = before.zip(after).map(|(before, after)| {
            let config = self.config().fabric().expect("the configuration of a fabric");
            let change = before.into_iter().zip(after).enumerate();
            change
                .map(|(at, (before, after))| Link {
                    name: link_name(&config, at),
                    flits: after[0].wrapping_sub(before[0]),
                    stalls: after[1].wrapping_sub(before[1]),
                })
                .collect()
        });
        Movement {
            begun,
            cycles: self.cycles() - begun,
            links,
            commands: self.waiting_words(),
        }
    }

    /// Flits and stalls of each link of both planes; `None` without monitors.
    fn counters(&mut self) -> Option<Vec<[u32; 2]>> {
        let monitors = self.monitors?;
        let tiles = self.config().tiles();
        let mut counters = vec![];
        for at in 0..tiles * LINKS {
            let mut of_link = [[0; 2]; PLANES.len()];
            for stalls in 0..2 {
                let model = self.model();
                model.set(monitors.tile, (at / LINKS) as u64);
                model.set(monitors.link, (at % LINKS) as u64);
                model.set(monitors.stalls, stalls);
                // A value takes a cycle for each router of the chain.
                self.run(tiles as u64 + 1);
                for (plane, value) in monitors.values.into_iter().enumerate() {
                    of_link[plane][stalls as usize] = self.model().get(value) as u32;
                }
            }
            counters.extend(of_link);
        }
        Some(counters)
    }
}

/// The link of this number, with its plane.
fn link_name(config: &Config, at: usize) -> String {
    let (plane, at) = (PLANES[at % PLANES.len()], at / PLANES.len());
    let (tile, link) = (at / LINKS, at % LINKS);
    let node = config.tile_node(tile);
    let way = match Port::ALL.get(link) {
        None => format!("from tile {tile} into its router"),
        Some(Port::Local) => format!("from the router of tile {tile} to the tile"),
        Some(&side) => {
            // Below the last row there are the edge nodes.
            let edge = Node { y: node.y + 1, ..node };
            let next = config.neighbour(node, side).or((side == Port::South).then_some(edge));
            match next.and_then(|next| config.node_id(next)) {
                Some(next) => format!("from tile {tile} to {}", config.terminal(next)),
                None => format!("from tile {tile} beyond its {side} side"),
            }
        }
    };
    format!("{plane} plane, {way}")
}

impl fmt::Display for Movement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Movement { begun, cycles, .. } = self;
        match &self.links {
            None => write!(f, "built without monitors, so that nothing is known of the links")?,
            Some(links) => {
                let flits: u64 = links.iter().map(|link| u64::from(link.flits)).sum();
                if flits == 0 {
                    write!(f, "deadlock: no flit moved in {cycles} cycles from cycle {begun} on")?;
                } else {
                    write!(
                        f,
                        "livelock: {flits} flits moved in {cycles} cycles from cycle {begun} on"
                    )?;
                }
                let mut waiting: Vec<&Link> = links.iter().filter(|link| link.stalls > 0).collect();
                waiting.sort_by_key(|link| std::cmp::Reverse(link.stalls));
                for link in waiting.iter().take(NAMED) {
                    write!(f, "; {} waits, {} cycles", link.name, link.stalls)?;
                }
                if waiting.is_empty() && flits == 0 {
                    write!(f, "; no link waits: what waits is inside a node")?;
                }
                let mut busiest: Vec<&Link> = links.iter().filter(|link| link.flits > 0).collect();
                busiest.sort_by_key(|link| std::cmp::Reverse(link.flits));
                for link in busiest.iter().take(NAMED) {
                    write!(f, "; {} moves, {} flits", link.name, link.flits)?;
                }
            }
        }
        for (tile, words) in &self.commands {
            write!(f, "; {words} words wait at the command stream of tile {tile}")?;
        }
        Ok(())
    }
}
