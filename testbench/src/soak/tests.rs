//! The soak passes on a golden fabric, and tells what goes wrong there.

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
pub(super) struct Faulty {
    device: GoldenDevice,
    reads: usize,
    fault: usize,
    alter: fn(usize, &mut Vec<u32>),
}

impl Faulty {
    pub fn new(fault: usize) -> Self {
        Faulty {
            device: GoldenDevice::new(&config(32)).unwrap(),
            reads: 0,
            fault,
            alter: |_, _| {},
        }
    }

    /// A fabric whose descriptors `alter` changes.
    pub fn altering(config: &Config, alter: fn(usize, &mut Vec<u32>)) -> Self {
        Faulty {
            device: GoldenDevice::new(config).unwrap(),
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

    fn has_time(&self) -> bool {
        self.device.has_time()
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

/// The model has no time, so that the host ends what stands still there.
#[test]
fn groups_that_disagree_are_recovered_on_the_golden_fabric() {
    for mpe in [1, 2] {
        let config = Config { mpe, ..with_engines() };
        let soak = Soak {
            workload: Workload::Failing,
            ..COLLECTIVES
        };
        let mut device = GoldenDevice::new(&config).unwrap();
        let summary = run(&mut device, &soak, &mut |_| {}).unwrap();
        assert!(summary.recoveries > 20 && summary.transfers > 100, "{summary:?}");
        assert!(mpe == 1 || summary.collectives > 100, "{summary:?}");
    }
}

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
    let error = run(&mut Faulty::altering(&with_engines(), alter), &COLLECTIVES, &mut |_| {}).unwrap_err();
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
    let mut device = Faulty::altering(&with_engines(), |_, words| {
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
