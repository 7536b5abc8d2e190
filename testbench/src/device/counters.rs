//! The counters of a mesh's monitors: flits of every link, as the hardware counts them.

use super::{Device, PortError};
use crate::traffic::{Link, LinkFlits};
use portico_spec::{Config, Port};
use thiserror::Error;

/// Links of a router that its monitor counts: its outputs, then the local input.
const LINKS: usize = Port::ALL.len() + 1;

/// Flits since reset on every link that a monitor counts, modulo 2^32; nothing where the mesh of `config` has no monitors. The
/// links into which edge nodes inject have no counter. The mesh stands still meanwhile as far as its inputs do.
///
/// # Errors
/// The device is no mesh with monitors.
pub fn link_flits(device: &mut impl Device, config: &Config) -> Result<Vec<(Link, u32)>, PortError> {
    if !config.monitors {
        return Ok(vec![]);
    }
    let tile_select = device.require_input("monitor_tile")?;
    let link_select = device.require_input("monitor_link")?;
    let stalls_select = device.require_input("monitor_stalls")?;
    let value = device.require_output("monitor_value")?;
    device.set(stalls_select, 0);
    let tiles = config.tiles();
    let places = tiles * LINKS;
    let mut counted = vec![0; places];
    // A value passes a monitor a cycle on its way to the last. From the last tile to the first, one selected after the other
    // never meets the one before it. The value of place p is selected in cycle p, and shows at the output when it has passed
    // its own monitor and all behind it.
    let shows_in = |place: usize| place + place / LINKS + 1;
    let mut next = 0;
    for cycle in 0..=shows_in(places - 1) {
        if cycle < places {
            device.set(tile_select, (tiles - 1 - cycle / LINKS) as u64);
            device.set(link_select, (cycle % LINKS) as u64);
        }
        device.settle();
        if next < places && cycle == shows_in(next) {
            counted[next] = device.get(value) as u32;
            next += 1;
        }
        device.tick();
    }
    let links = counted.into_iter().enumerate();
    let links = links.map(|(place, flits)| {
        let tile = tiles - 1 - place / LINKS;
        let link = match Port::ALL.get(place % LINKS) {
            Some(&port) => Link::Output(config.tile_node(tile), port),
            None => Link::Injection(tile),
        };
        (link, flits)
    });
    Ok(links.collect())
}

/// A link on which the monitors counted other flits than the packets have that went over it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{link}: its monitor counted {counted} flits, where the packets delivered over it have {delivered}")]
pub struct Miscount {
    /// The link.
    pub link: Link,
    /// Flits that the hardware counted.
    pub counted: u32,
    /// Flits of the packets, modulo 2^32.
    pub delivered: u32,
}

/// Compares what the monitors counted in a run with the flits of all packets that were delivered in it. A link that leads to
/// no router and no terminal has none.
///
/// # Errors
/// The first link that differs.
pub fn compare(counted: &[(Link, u32)], delivered: &[LinkFlits]) -> Result<(), Miscount> {
    for &(link, counted) in counted {
        let flits = delivered.iter().find(|flits| flits.link == link);
        // The counters are as wide.
        let delivered = flits.map_or(0, |flits| flits.whole as u32);
        if counted != delivered {
            return Err(Miscount {
                link,
                counted,
                delivered,
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use portico_spec::Node;

    #[test]
    fn a_flit_too_many_on_a_link_is_found() {
        let link = Link::Output(Node { x: 1, y: 0 }, Port::East);
        let delivered = [LinkFlits {
            link,
            measured: 3,
            whole: 7,
        }];
        assert_eq!(compare(&[(link, 7), (Link::Injection(0), 0)], &delivered), Ok(()));
        assert_eq!(
            compare(&[(link, 8)], &delivered).unwrap_err().to_string(),
            "output east of router (1, 0): its monitor counted 8 flits, where the packets delivered over it have 7"
        );
        compare(&[(Link::Injection(0), 1)], &delivered).unwrap_err();
    }
}
