//! A soak of the whole fabric: random operations of all tiles at once, and all that they leave behind against the golden
//! model.
//!
//! Tiles are initiators; tiles and memory nodes are targets.
//!
//! Operations of different tiles race, and still the outcome is exact. Every initiator has a zone of its own at each of its
//! targets, so that the order within the pair decides what is in the end there. What all share is a pair of counters at
//! every node: their sums are exact, and the values fetched from them must follow each other without overlap. Messages of a
//! queue come in any order, but those of one sender in the order in which they were sent.
//!
//! A run is a row of rounds. In each of them every tile gets a batch of descriptors, right and wrong ones, over its command
//! stream or, without one, through its registers. Meanwhile the host reads the events of one node after the other, which
//! keeps their register buses busy. Then come fences. When these have completed, every event must have counted as often as
//! descriptors wanted it, with the error and the value that the golden model has, and the memory of a node is compared. All
//! memories are compared at the end, and before a round that a reset cuts off; what that round did is not compared, and
//! everything is set up anew.
//!
//! Where tiles have message-passing engines, groups of them make calls too, beside all else; see the module `calls`.
//! When a round is over, all contexts are idle, with all credits at home.
//!
//! In a round some tiles work by lists, which their own command queue or another tile's list starts; see the module `lists`.
//!
//! Where tiles have streams, an accelerator beside each takes and gives words, some at a time. Where they have ports beside
//! command streams, a master at each writes and reads words of its own.
//!
//! At the end every queue gets as many messages as its senders have credits before one is received, so that all of them must
//! have come back. Transaction slots come back in every round, as a fence on each segment waits until none is busy with it.
//! Credits of gets show by their effect alone: gets to a node end no more once both are lost.
//!
//! Files, the lowest first. Each uses only those above its row:
//!
//! | files | what they have |
//! | --- | --- |
//! | `access`, `device`, `geometry`, `sizes` | registers and shapes, without the soak |
//! | `list_site` | what a tile has for lists |
//! | `workload` | who sends what to whom |
//! | `operation`, `summary` | what an operation must come to, and how many did |
//! | `site` | what the fabric is set up with |
//! | `draw`, `beside` | what is known of tiles and pairs, and what stands beside a tile |
//! | `wrong` | operations that must be refused |
//! | `descriptors`, `collectives` | operations that are drawn, and groups of engines with their calls |
//! | `epoch` | site and model from one reset to the next |
//! | `calls`, `check`, `lists` | calls of a round, what is compared, and lists |
//! | `credits` | credits of queues |
//! | `batch` | how a tile is given its descriptors |
//! | `rounds` | rounds |
//!
//! ```
//! use portico_spec::Config;
//! use portico_testbench::soak::{run, GoldenDevice, Soak, Workload};
//!
//! let config = Config { cols: 2, rows: 2, scratchpad: 8, ..Config::default() }.fabric()?;
//! let soak = Soak { workload: Workload::Neighbours, cycles: 20_000, seed: 1, resets: 0.4 };
//! let summary = run(&mut GoldenDevice::new(&config)?, &soak, &mut |_| {})?;
//! assert!(summary.operations > 100 && summary.resets > 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use self::{check::late, epoch::Epoch, summary::Tally};
pub use self::{
    device::{GoldenDevice, SoakDevice},
    sizes::draw_sizes,
    summary::Summary,
    workload::{Soak, Workload},
};
use crate::device::hardware::with_movement;
use anyhow::Context;
use rand::{rngs::StdRng, SeedableRng};

mod access;
mod batch;
mod beside;
mod calls;
mod check;
mod collectives;
mod credits;
mod descriptors;
mod device;
mod draw;
mod epoch;
mod geometry;
mod list_site;
mod lists;
mod operation;
mod rounds;
mod site;
mod sizes;
mod summary;
mod workload;
mod wrong;

/// Runs a soak. `progress` is told after every round how many of its cycles are done.
///
/// # Errors
/// The fabric did something wrong, which is told with the seed; or it has no host.
pub fn run<D: SoakDevice>(device: &mut D, soak: &Soak, progress: &mut dyn FnMut(u64)) -> anyhow::Result<Summary> {
    let outcome =
        rounds(device, soak, progress).map_err(|error| match late(&error).then(|| device.movement()).flatten() {
            Some(movement) => with_movement(&error, &movement),
            None => error,
        });
    outcome.with_context(|| format!("seed {:#x}", soak.seed))
}

fn rounds<D: SoakDevice>(device: &mut D, soak: &Soak, progress: &mut dyn FnMut(u64)) -> anyhow::Result<Summary> {
    let mut tally = Tally::default();
    let mut random = StdRng::seed_from_u64(soak.seed);
    loop {
        let mut running = Epoch::new(&mut *device, soak.workload, &mut random)
            .with_context(|| format!("setting up after {} cycles", tally.cycles))?;
        if running.run(soak, &mut random, &mut tally, progress)? {
            return Ok(tally.summary());
        }
        device.reset();
        tally.resets += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::beside::BesideTiles;
    use portico::{Transport, TransportError};
    use portico_spec::{
        mpe::{
            call::{CONTEXT_OFFSET, OPERATION_OFFSET},
            reduce::Operation,
        },
        ni::command::{opcode, Opcode},
        Config,
    };

    /// A golden fabric that changes a bit of one word that the host reads, and descriptors of tiles.
    struct Faulty {
        device: GoldenDevice,
        reads: usize,
        fault: usize,
        alter: fn(usize, &mut Vec<u32>),
    }

    impl Faulty {
        fn new(fault: usize) -> Self {
            Faulty {
                device: GoldenDevice::new(&config(32)).unwrap(),
                reads: 0,
                fault,
                alter: |_, _| {},
            }
        }

        /// With message-passing engines, and descriptors that `alter` changes.
        fn altering(alter: fn(usize, &mut Vec<u32>)) -> Self {
            Faulty {
                device: GoldenDevice::new(&with_engines()).unwrap(),
                alter,
                ..Faulty::new(0)
            }
        }
    }

    impl Transport for Faulty {
        portico::forward_transport!(device: config, write, cycles, wait, interrupt);

        fn read(&mut self, address: u32) -> Result<u32, TransportError> {
            self.reads += 1;
            Ok(self.device.read(address)? ^ u32::from(self.reads == self.fault) << 3)
        }
    }

    impl SoakDevice for Faulty {
        fn command(&mut self, tile: usize, descriptor: &[u32]) -> Result<(), TransportError> {
            let mut words = descriptor.to_vec();
            (self.alter)(tile, &mut words);
            self.device.command(tile, &words)
        }

        fn fired(&mut self, tile: usize) -> u64 {
            self.device.fired(tile)
        }

        fn beside(&mut self) -> &mut dyn BesideTiles {
            self.device.beside()
        }

        fn reset(&mut self) {
            self.device.reset();
        }
    }

    fn config(width: usize) -> Config {
        let config = Config {
            cols: 2,
            rows: 2,
            scratchpad: 4,
            memories: 1,
            width,
            ..Config::default()
        };
        config.fabric().unwrap()
    }

    fn with_engines() -> Config {
        Config {
            mpe: 2,
            scratchpad: 16,
            ..config(32)
        }
    }

    const COLLECTIVES: Soak = Soak {
        workload: Workload::Collectives,
        cycles: 40_000,
        seed: 0x5eed,
        resets: 0.0,
    };

    #[test]
    fn calls_of_the_golden_fabric_end_as_they_must() {
        for config in [
            with_engines(),
            Config {
                mpe: 4,
                mpe_neighbours: 2,
                scratchpad: 4,
                ..with_engines()
            },
            Config {
                mpe: 1,
                mpe_neighbours: 1,
                ..with_engines()
            },
        ] {
            let mut device = GoldenDevice::new(&config).unwrap();
            let summary = run(&mut device, &COLLECTIVES, &mut |_| {}).unwrap();
            assert!(summary.collectives > 100 && summary.refused > 50, "{summary:?}");
        }
        // Without engines all are refused, and beside all else there are some.
        let mut device = GoldenDevice::new(&config(32)).unwrap();
        let summary = run(&mut device, &COLLECTIVES, &mut |_| {}).unwrap();
        assert!(summary.collectives == 0 && summary.refused > 50, "{summary:?}");
        let mixed = Soak {
            workload: Workload::Soak,
            ..COLLECTIVES
        };
        let mut device = GoldenDevice::new(&with_engines()).unwrap();
        let summary = run(&mut device, &mixed, &mut |_| {}).unwrap();
        assert!(summary.collectives > 20 && summary.transfers > 20, "{summary:?}");
    }

    /// A soak of the fabric with these descriptors ends with a message that has these words.
    fn is_told(alter: fn(usize, &mut Vec<u32>), words: &str) {
        let error = run(&mut Faulty::altering(alter), &COLLECTIVES, &mut |_| {}).unwrap_err();
        let text = format!("{error:#}");
        assert!(text.starts_with("seed 0x5eed: ") && text.contains(words), "{text}");
    }

    #[test]
    fn calls_that_go_wrong_are_told() {
        fn is(words: &[u32], kind: Opcode) -> bool {
            opcode(words[0]) == kind as u8 && words.len() == if kind == Opcode::Barrier { 2 } else { 5 }
        }
        // All members take `and` for `or`.
        is_told(
            |_, words| {
                let code = words.get(1).map_or(0, |word| word >> OPERATION_OFFSET & 15);
                if is(words, Opcode::Allreduce) && code == Operation::Or as u32 {
                    words[1] ^= (Operation::Or as u32 ^ Operation::And as u32) << OPERATION_OFFSET;
                }
            },
            ", byte ",
        );
        // A member means another number of words.
        is_told(
            |tile, words| {
                if tile == 1 && is(words, Opcode::Reduce) {
                    words[2] ^= 1;
                }
            },
            " of tile ",
        );
        // A member does not come to barriers.
        is_told(
            |tile, words| {
                if tile == 1 && is(words, Opcode::Barrier) {
                    words[0] ^= Opcode::Barrier as u32 ^ Opcode::Fence as u32;
                }
            },
            ": status 0x",
        );
        // A descriptor is refused for another reason.
        is_told(
            |_, words| {
                if is(words, Opcode::Barrier) && words[1] >> CONTEXT_OFFSET & 3 > 1 {
                    words.push(0);
                }
            },
            "error Some(Malformed), expected Some(NotBuilt)",
        );
    }

    #[test]
    fn the_golden_fabric_passes_at_both_widths() {
        for width in [32, 64] {
            let soak = Soak {
                workload: Workload::Neighbours,
                cycles: 20_000,
                seed: 3,
                resets: 0.0,
            };
            let mut device = GoldenDevice::new(&config(width)).unwrap();
            let summary = run(&mut device, &soak, &mut |_| {}).unwrap();
            assert!(
                summary.transfers > 100 && summary.atomics > 20 && summary.words > 1000,
                "{summary:?}"
            );
        }
    }

    /// Streams of all tiles, and masters at their ports.
    fn with_what_stands_beside() -> Config {
        Config {
            tile_ports: true,
            streams: true,
            scratchpad: 8,
            ..config(32)
        }
    }

    const BESIDE: Soak = Soak {
        workload: Workload::Soak,
        cycles: 20_000,
        seed: 0x5eed,
        resets: 0.0,
    };

    #[test]
    fn streams_and_ports_of_the_golden_fabric_do_what_they_must() {
        let mut device = GoldenDevice::new(&with_what_stands_beside()).unwrap();
        let summary = run(&mut device, &BESIDE, &mut |_| {}).unwrap();
        assert!(summary.streams > 20 && summary.refused > 20, "{summary:?}");
    }

    #[test]
    fn a_send_of_other_words_is_told() {
        let mut device = Faulty {
            device: GoldenDevice::new(&with_what_stands_beside()).unwrap(),
            ..Faulty::new(0)
        };
        device.alter = |_, words| {
            if opcode(words[0]) == Opcode::Send as u8 && words.len() == 4 && words[1] > 0x200 {
                words[1] -= 4;
            }
        };
        let error = format!("{:#}", run(&mut device, &BESIDE, &mut |_| {}).unwrap_err());
        assert!(error.contains("the stream out of the tile gave"), "{error}");
    }

    const LISTS: Soak = Soak {
        workload: Workload::Lists,
        cycles: 20_000,
        seed: 0x5eed,
        resets: 0.2,
    };

    #[test]
    fn lists_of_the_golden_fabric_do_what_they_must() {
        let sized = |profile: &str| Config {
            cols: 2,
            ..Config::from_toml(&format!("profile = '{profile}'")).unwrap()
        };
        let all = Config {
            mpe: 2,
            ..with_what_stands_beside()
        };
        for config in [all, config(64), sized("compact"), sized("leaf")] {
            let mut device = GoldenDevice::new(&config.fabric().unwrap()).unwrap();
            let summary = run(&mut device, &LISTS, &mut |_| {}).unwrap();
            assert!(
                summary.lists > 40 && summary.operations > 200 && summary.refused > 10,
                "{summary:?}"
            );
        }
    }

    #[test]
    fn a_list_whose_last_descriptor_does_not_come_is_told() {
        let mut device = Faulty::altering(|_, words| {
            // A put of rows: what starts a list.
            if opcode(words[0]) == Opcode::Put as u8 && words.len() == 5 && words[3] >> 16 > 1 {
                words[3] -= 1 << 16;
            }
        });
        let error = format!("{:#}", run(&mut device, &LISTS, &mut |_| {}).unwrap_err());
        assert!(error.contains("it takes no descriptors"), "{error}");
    }

    #[test]
    fn a_bit_that_is_wrong_is_told_with_the_seed() {
        let soak = Soak {
            workload: Workload::Neighbours,
            cycles: 5_000,
            seed: 0x5eed,
            resets: 0.0,
        };
        let mut good = Faulty::new(0);
        let mut done = vec![];
        run(&mut good, &soak, &mut |cycles| done.push(cycles)).unwrap();
        assert!(done.is_sorted() && done.last() >= Some(&soak.cycles), "{done:?}");
        // The last word that is read is one of the memory node.
        let mut faulty = Faulty::new(good.reads);
        let error = format!("{:#}", run(&mut faulty, &soak, &mut |_| {}).unwrap_err());
        assert!(error.starts_with("seed 0x5eed: node 5, byte "), "{error}");
    }
}
