//! Portals traffic passes on a golden fabric, and is compared.

use super::super::{run, tests::Faulty, GoldenDevice, Soak, Workload};
use portico_spec::{
    ni::command::{opcode, Opcode},
    portals::engine::{Command, Control, Search},
    Config,
};

const SOAK: Soak = Soak {
    workload: Workload::Portals,
    cycles: 20_000,
    seed: 0x5eed,
    resets: 0.1,
};

fn config() -> Config {
    Config {
        cols: 2,
        rows: 2,
        scratchpad: 16,
        memories: 1,
        portals: 4,
        entries: 64,
        buckets: 16,
        ..Config::default()
    }
}

#[test]
fn portals_of_the_golden_fabric_do_what_they_must() {
    let sized = |cols, rows, portals, scratchpad| Config {
        cols,
        rows,
        portals,
        scratchpad,
        memories: usize::from(cols > 1),
        ..config()
    };
    // Some tiles have no rank; some ranks have no tile; few bytes; no stream of commands.
    let leaf = Config {
        commands: false,
        ..sized(2, 1, 4, 16)
    };
    for config in [
        config(),
        sized(3, 2, 4, 16),
        sized(1, 1, 16, 16),
        sized(2, 2, 4, 4),
        leaf,
    ] {
        for workload in [Workload::Portals, Workload::Soak, Workload::Lists] {
            let soak = Soak { workload, ..SOAK };
            let mut device = GoldenDevice::new(&config.fabric().unwrap()).unwrap();
            let summary = run(&mut device, &soak, &mut |_| {}).unwrap();
            assert!(summary.portals > 100 && summary.refused > 10, "{workload}: {summary:?}");
        }
    }
    // Without engines all are refused.
    let without = Config { portals: 0, ..config() };
    let mut device = GoldenDevice::new(&without.fabric().unwrap()).unwrap();
    let summary = run(&mut device, &SOAK, &mut |_| {}).unwrap();
    assert!(summary.portals == 0 && summary.refused > 10, "{summary:?}");
}

/// A soak of the fabric with these descriptors ends with a message that has these words.
fn is_told(alter: fn(usize, &mut Vec<u32>), parts: &[&str]) {
    let mut device = Faulty::altering(&config().fabric().unwrap(), alter);
    let error = format!(
        "{:#}",
        run(&mut device, &Soak { resets: 0.0, ..SOAK }, &mut |_| {}).unwrap_err()
    );
    assert!(error.starts_with("seed 0x5eed: "), "{error}");
    assert!(parts.iter().all(|part| error.contains(part)), "{error}");
}

#[test]
fn portals_that_go_wrong_are_told() {
    fn is(words: &[u32], kind: Opcode, count: usize) -> bool {
        opcode(words[0]) == kind as u8 && words.len() == count
    }
    // Header data with another bit.
    is_told(
        |tile, words| {
            if tile == 1 && is(words, Opcode::Move, 10) {
                words[9] ^= 4;
            }
        },
        &["ring ", "expected"],
    );
    // An increment of 1 more.
    is_told(
        |_, words| {
            if let Some(Command::Control(Control::Increment { .. })) = Command::decode(opcode(words[0]), words) {
                words[2] += 1;
            }
        },
        &["counter ", " of tile ", "expected"],
    );
    // Another user pointer of entries.
    is_told(
        |_, words| {
            if is(words, Opcode::Entry, 12) {
                words[10] ^= 1 << 20;
            }
        },
        &["ring "],
    );
    // A search that deletes leaves the headers.
    is_told(
        |_, words| {
            if let Some(Command::Search(search)) = Command::decode(opcode(words[0]), words) {
                let first = words[0];
                *words = Command::Search(Search {
                    deletes: false,
                    ..search
                })
                .encode();
                words[0] = first;
            }
        },
        &["ring "],
    );
    // Entries stay: an unlink is refused, and counts although it is quiet.
    is_told(
        |_, words| {
            if is(words, Opcode::Entry, 3) && words[2] >> 20 == 0 {
                words[2] |= 1 << 31;
            }
        },
        &["node ", ": counted "],
    );
}
