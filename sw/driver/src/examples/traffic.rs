//! All tiles send at once, from their source/sink cores.

use crate::{
    onesided::Ticket,
    probe::{Measured, Target, Traffic, RATE_CYCLES},
    Fabric, Transport,
};

use super::{Failure, TIMEOUT};

/// Packets of which a sink has a rate, at least.
const FEWEST_PACKETS: u32 = 10;

/// The traffic of all tiles.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// The target of each tile; none for a tile that sends nothing.
    pub targets: Vec<Option<Target>>,
    /// Words of payload of a packet.
    pub words: u32,
    /// Packets of each tile that sends.
    pub packets: u32,
    /// Flits in a cycle that each of them offers, heads included. With 1 or more, each offers as many as possible.
    pub offered: f64,
    /// Decides random targets.
    pub seed: u32,
}

/// The result of the traffic, from the counters of all tiles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Delivered {
    /// Packets sent by all tiles; all of them have arrived.
    pub packets: u64,
    /// Bytes of their payload.
    pub bytes: u64,
    /// Flits in a cycle, heads too, that a tile has taken, on average over the tiles to which ten packets came or more; none
    /// without time or such tiles.
    pub accepted: Option<f64>,
    /// Cycles from the offer of a head to the tail at the sink: the least, the mean and the greatest; none without time.
    pub latency: Option<(u32, f64, u32)>,
}

impl Load {
    /// The rate of a source: packets in [`RATE_CYCLES`] cycles, 0 for as many as can go.
    fn rate(&self) -> u32 {
        let packets = self.offered * f64::from(RATE_CYCLES) / f64::from(self.words + 1);
        match self.offered < 1.0 {
            true => (packets.round() as u32).max(1),
            false => 0,
        }
    }

    /// Cycles after which a source has certainly finished, even if all tiles send to one.
    fn patience(&self, tiles: usize) -> u64 {
        let between = u64::from(self.words + 1) * tiles as u64;
        let paced = u64::from(RATE_CYCLES).checked_div(self.rate().into()).unwrap_or(0);
        TIMEOUT + u64::from(self.packets) * between.max(paced)
    }
}

/// Every tile sends the traffic of `load`, and the sinks check all packets. The driver starts one tile after the other. For figures
/// of all tiles at once, a run must be much longer than this start.
///
/// # Errors
/// The driver's; [`Failure::Lost`] if packets have not come, [`Failure::Corrupt`] if some came wrong.
pub fn traffic<T: Transport>(fabric: &mut Fabric<T>, load: &Load) -> Result<Delivered, Failure> {
    let tiles = fabric.config().tiles();
    for tile in 0..tiles {
        fabric.clear_measured(tile)?;
    }
    let patience = load.patience(tiles);
    let mut tickets: Vec<Ticket<()>> = vec![];
    for (tile, target) in load.targets.iter().enumerate() {
        let Some(target) = *target else { continue };
        let traffic = Traffic {
            target,
            words: load.words,
            packets: load.packets,
            rate: load.rate(),
            seed: load.seed.wrapping_add(0x9e37_79b9u32.wrapping_mul(tile as u32)),
        };
        tickets.push(fabric.tile(tile)?.traffic(&traffic)?.start()?);
    }
    for ticket in &mut tickets {
        ticket.wait(fabric, patience)?;
    }
    let sent = tickets.len() as u64 * u64::from(load.packets);
    let begun = fabric.transport().cycles();
    loop {
        let measured = (0..tiles)
            .map(|tile| fabric.measured(tile))
            .collect::<Result<Vec<_>, _>>()?;
        let received: u64 = measured.iter().map(|tile| u64::from(tile.received)).sum();
        if received >= sent {
            return delivered(fabric.word_bytes(), &measured, sent);
        }
        if fabric.transport().cycles() - begun >= patience {
            return Err(Failure::Lost { sent, received });
        }
    }
}

fn delivered(word_bytes: u32, measured: &[Measured], sent: u64) -> Result<Delivered, Failure> {
    let sum = |of: fn(&Measured) -> u32| measured.iter().map(|tile| u64::from(of(tile))).sum::<u64>();
    let (received, errors) = (sum(|tile| tile.received), sum(|tile| tile.errors));
    if received != sent {
        return Err(Failure::Lost { sent, received });
    }
    if errors > 0 {
        return Err(Failure::Corrupt { errors, received });
    }
    let sinks: Vec<&Measured> = measured.iter().filter(|tile| tile.received > 0).collect();
    // A fabric without time has no latency of 0: the head alone takes a cycle.
    let timed = sinks.iter().all(|tile| tile.latency_greatest > 0) && !sinks.is_empty();
    // A few packets give no rate: with a single packet, the window is the packet itself.
    let rates: Vec<f64> = sinks
        .iter()
        .filter(|tile| tile.received >= FEWEST_PACKETS)
        .map(|tile| (f64::from(tile.words) + f64::from(tile.received)) / f64::from(tile.cycles()))
        .collect();
    let latencies: u64 = sinks.iter().map(|tile| tile.latency_sum).sum();
    Ok(Delivered {
        packets: received,
        bytes: sum(|tile| tile.words) * u64::from(word_bytes),
        accepted: (timed && !rates.is_empty()).then(|| rates.iter().sum::<f64>() / rates.len() as f64),
        latency: timed.then(|| {
            (
                sinks.iter().filter_map(|tile| tile.latency_least).min().unwrap_or(0),
                latencies as f64 / received as f64,
                sinks.iter().map(|tile| tile.latency_greatest).max().unwrap_or(0),
            )
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GoldenTransport;
    use portico_spec::Config;

    #[test]
    fn all_comes_on_every_mesh_again_and_again() {
        for (cols, rows, width) in [(1, 2, 32), (3, 2, 64), (4, 4, 32)] {
            let config = Config {
                cols,
                rows,
                width,
                probe: true,
                edge_nodes: 1,
                ..Config::default()
            };
            let mut fabric = Fabric::open(GoldenTransport::new(&config).unwrap()).unwrap();
            let tiles = config.tiles();
            let mut targets = vec![Some(Target::Uniform); tiles];
            targets[0] = Some(Target::Tile(tiles - 1));
            for words in [2, 64] {
                let load = Load {
                    targets: targets.clone(),
                    words,
                    packets: 30,
                    offered: 0.5,
                    seed: 5,
                };
                let delivered = traffic(&mut fabric, &load).unwrap();
                let packets = 30 * tiles as u64;
                let bytes = packets * u64::from(words) * width as u64 / 8;
                assert_eq!((delivered.packets, delivered.bytes), (packets, bytes));
                assert_eq!(
                    (delivered.accepted, delivered.latency),
                    (None, None),
                    "golden has no time"
                );
            }
        }
    }

    #[test]
    fn slow_and_long_loads_get_their_time() {
        let load = |offered, packets| Load {
            targets: vec![],
            words: 15,
            packets,
            offered,
            seed: 0,
        };
        assert_eq!(load(1.0, 100).patience(4), TIMEOUT + 100 * 16 * 4);
        assert_eq!(load(0.005, 100).patience(4), TIMEOUT + 100 * (65_536 / 20));
    }

    #[test]
    fn a_rate_is_that_of_flits() {
        let load = |offered| Load {
            targets: vec![],
            words: 7,
            packets: 1,
            offered,
            seed: 0,
        };
        assert_eq!(
            [0.0, 0.125, 0.5, 1.0, 2.0].map(|offered| load(offered).rate()),
            [1, 1_024, 4_096, 0, 0]
        );
    }

    #[test]
    fn what_is_lost_or_wrong_is_told() {
        let measured = |received, errors| Measured {
            sent: 0,
            received,
            words: 2 * received,
            errors,
            latency_least: Some(3),
            latency_greatest: 9,
            latency_sum: 12,
            first: 10,
            last: 19,
        };
        let of = |tiles: &[Measured]| delivered(4, tiles, 4);
        let many = |tiles: &[Measured]| delivered(4, tiles, 40).unwrap();
        assert_eq!(
            of(&[measured(1, 0), measured(2, 0)]).unwrap_err().to_string(),
            "4 packets were sent and 3 have come"
        );
        assert_eq!(
            of(&[measured(2, 1), measured(2, 0)]).unwrap_err().to_string(),
            "1 of 4 packets came with a wrong sequence number or content"
        );
        let good = of(&[measured(2, 0), measured(2, 0)]).unwrap();
        assert_eq!(
            (good.accepted, good.latency),
            (None, Some((3, 6.0, 9))),
            "too few for a rate"
        );
        let good = many(&[measured(20, 0), measured(20, 0)]);
        assert_eq!((good.accepted, good.latency), (Some(6.0), Some((3, 0.6, 9))));
    }
}
