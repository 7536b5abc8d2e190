//! The source/sink core and its command port.

use super::{Gate, SOON};
use portico::{
    onesided::{Geometry, Ticket, Window},
    probe::{Target, Traffic},
    registers::CounterRegister,
    Config, Error, ErrorCode, Fabric, Transport,
};
use portico_spec::ni::command::Opcode;

/// Whether there are source/sink cores; if not, they are refused by name.
fn is_built<T: Transport>(fabric: &mut Fabric<T>) -> Result<bool, Error> {
    if fabric.config().probe {
        return Ok(true);
    }
    let refused = fabric.tile(0)?.traffic(&Traffic::to(Target::Tile(1)));
    super::says(refused, "node 0 is built without a source/sink core: set the key probe");
    super::says(
        fabric.measured(1),
        "node 1 is built without a source/sink core: set the key probe",
    );
    Ok(false)
}

/// Sent, received, words and errors of all tiles, when nothing is on its way any more.
fn counts<T: Transport>(fabric: &mut Fabric<T>) -> Result<Vec<[u32; 4]>, Error> {
    super::rest(fabric);
    let tiles = 0..fabric.config().tiles();
    let of = |tile| {
        let measured = fabric.measured(tile)?;
        Ok([measured.sent, measured.received, measured.words, measured.errors])
    };
    tiles.map(of).collect()
}

/// What every source sends arrives where it was sent, whole and in sequence, and is counted there and nowhere else.
pub fn what_is_sent_comes_and_is_counted<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    for width in [32, 64] {
        let mut fabric = open(width);
        if !is_built(&mut fabric)? {
            continue;
        }
        let tiles = fabric.config().tiles();
        let mut expected = vec![[0; 4]; tiles];
        for (tile, words) in [(0, 2), (1, 3), (tiles - 1, 64), (0, 17)] {
            for target in [0, tiles - 1, 1] {
                let packets = 3 + words % 5;
                let traffic = Traffic {
                    words,
                    packets,
                    ..Traffic::to(Target::Tile(target))
                };
                fabric.tile(tile)?.traffic(&traffic)?.wait(SOON)?;
                expected[tile][0] += packets;
                expected[target][1] += packets;
                expected[target][2] += packets * words;
            }
        }
        assert_eq!(counts(&mut fabric)?, expected, "{width} bits");

        // All at once, to anyone.
        let mut tickets: Vec<Ticket<()>> = vec![];
        for tile in 0..tiles {
            let traffic = Traffic {
                words: 9,
                packets: 40,
                seed: tile as u32 + 7,
                ..Traffic::to(Target::Uniform)
            };
            tickets.push(fabric.tile(tile)?.traffic(&traffic)?.start()?);
        }
        for ticket in &mut tickets {
            ticket.wait(&mut fabric, SOON)?;
        }
        let after = counts(&mut fabric)?;
        let news = |at: usize| {
            after
                .iter()
                .zip(&expected)
                .map(move |(now, before)| now[at] - before[at])
        };
        let packets = 40 * tiles as u32;
        let sums = [0, 1, 2, 3].map(|at| news(at).sum::<u32>());
        assert_eq!(sums, [packets, packets, 9 * packets, 0]);
        assert!(news(1).all(|received| received > 0), "{after:?}");
        for tile in 0..tiles {
            let measured = fabric.measured(tile)?;
            let least = measured.latency_least.expect("a packet has come");
            assert!(least <= measured.latency_greatest && u64::from(least) <= measured.latency_sum);
            fabric.clear_measured(tile)?;
        }
        assert_eq!(counts(&mut fabric)?, vec![[0; 4]; tiles]);
    }
    Ok(())
}

/// A wrong descriptor ends with its code, and the next one is done.
pub fn wrong_traffic_is_refused<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    for width in [32, 64] {
        let mut fabric = open(width);
        if !is_built(&mut fabric)? {
            continue;
        }
        let probe = Opcode::Probe as u32;
        let quiet = 1 << 27;
        for (words, code) in [
            (vec![probe, 0, 1, 1, 0, 0], ErrorCode::Malformed),
            (vec![probe, 0, 65, 1, 0, 0], ErrorCode::Malformed),
            (vec![probe, 0, 2, 1, 0], ErrorCode::Malformed),
            (vec![probe | quiet, 0, 2, 1, 0, 0, 0], ErrorCode::Malformed),
            (vec![probe], ErrorCode::Malformed),
            (vec![probe + 1, 0, 2, 1, 0, 0], ErrorCode::UnknownOpcode),
            (vec![probe + 3, 0, 2, 1, 0, 0], ErrorCode::UnknownOpcode),
        ] {
            let refused = fabric.tile(1)?.descriptor::<()>(&words)?.wait(SOON);
            let (node, what) = (1, "descriptor");
            assert_eq!(refused, Err(Error::Refused { node, what, code }), "{words:x?}");
        }
        let none = [probe, 0, 2, 0, 0, 0];
        fabric.tile(1)?.descriptor::<()>(&none)?.wait(SOON)?;
        assert!(counts(&mut fabric)?.iter().all(|counts| *counts == [0; 4]));
        fabric.tile(1)?.traffic(&Traffic::to(Target::Tile(0)))?.wait(SOON)?;
        assert_eq!(counts(&mut fabric)?[0], [0, 1, 2, 0]);
    }
    Ok(())
}

/// A source at work does not hold up the requester's commands, and a requester that waits does not hold up the source: not even
/// with full queues.
pub fn a_busy_taker_stops_nobody_elses_commands<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    for width in [32, 64] {
        let mut fabric = open(width);
        if !is_built(&mut fabric)? {
            continue;
        }
        let segment = fabric.publish(1, Window::new(0x100, 64))?;
        let remote = fabric.tile(0)?.clone_segment(segment.id())?;

        // Runs that wait behind each other: of two packets, 4096 cycles apart.
        let slow = Traffic {
            packets: 2,
            rate: 16,
            ..Traffic::to(Target::Tile(1))
        };
        let mut runs: Vec<Ticket<()>> = vec![];
        for _ in 0..6 {
            runs.push(fabric.tile(0)?.traffic(&slow)?.start()?);
        }
        for round in 0..20 {
            fabric.write(0, 0, &[round + 1; 4])?;
            fabric.tile(0)?.put(&remote, 0, 0, Geometry::linear(16))?.wait(SOON)?;
            assert_eq!(fabric.read(1, 0x100, 2)?[0], round + 1);
        }
        for run in &mut runs {
            run.wait(&mut fabric, 20 * SOON)?;
        }
        assert_eq!(counts(&mut fabric)?[1][1], 12);

        // Now the requester waits.
        if !fabric.config().programs {
            continue;
        }
        let gate = Gate::new(&mut fabric, 0)?;
        let mut waiting = vec![gate.close(&mut fabric, &remote)?];
        for _ in 0..6 {
            waiting.push(fabric.tile(0)?.put(&remote, 0, 0, Geometry::linear(16))?.start()?);
        }
        fabric.tile(0)?.traffic(&Traffic::to(Target::Tile(1)))?.wait(SOON)?;
        gate.open(&mut fabric)?;
        for ticket in &mut waiting {
            ticket.wait(&mut fabric, 2 * SOON)?;
        }
        if fabric.config().monitors {
            assert_eq!(fabric.counters(0)?[CounterRegister::Dropped], 0);
        }
    }
    Ok(())
}

/// Packets for a node without a sink are refused there, and counted.
pub fn a_node_without_a_sink_refuses_packets<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    for width in [32, 64] {
        let mut fabric = open(width);
        let Config { probe, monitors, .. } = *fabric.config();
        if !probe || !monitors {
            continue;
        }
        let host = fabric.host_node();
        let node = u32::from(fabric.config().terminal_node(host).number());
        let words = [Opcode::Probe as u32, node, 5, 4, 0, 1];
        let before = fabric.counters(host)?[CounterRegister::Refused];
        fabric.tile(2)?.descriptor::<()>(&words)?.wait(SOON)?;
        super::rest(&mut fabric);
        assert_eq!(fabric.counters(host)?[CounterRegister::Refused] - before, 4);
        assert_eq!(fabric.measured(2)?.sent, 4);
    }
    Ok(())
}
