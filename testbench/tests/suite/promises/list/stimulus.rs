//! Commands for list managers: right ones that hit and miss, full and empty lists, and wrong ones of every sort.

use portico_golden::portals::list::GoldenLists;
use portico_spec::portals::list::{
    command, handle_command, Entry, List, Opcode, Resolution, ANY_SOURCE, HANDLE_OFFSET, LIST_OFFSET, MANAGE_LOCAL,
    NO_TRUNCATE, OPAQUE_OPTIONS, PORTAL_OFFSET, PORTAL_WIDTH, UNEXPECTED_HDR_DISABLE, USE_ONCE,
};
use rand::{rngs::SmallRng, seq::SliceRandom, Rng};

/// What prevails for a while.
#[derive(Clone, Copy, Debug)]
pub struct Phase {
    /// Sources that entries and headers come from.
    sources: u16,
    /// How many entries have ANY.
    any: f64,
    /// How many commands insert, of those that insert or delete.
    inserts: f64,
}

/// Lists fill and empty with one, two, some and many sources, and with no, some and only ANY.
pub const PHASES: [Phase; 10] = [
    Phase {
        sources: 1,
        any: 0.0,
        inserts: 0.9,
    },
    Phase {
        sources: 1,
        any: 0.3,
        inserts: 0.2,
    },
    Phase {
        sources: 2,
        any: 0.3,
        inserts: 0.8,
    },
    Phase {
        sources: 2,
        any: 0.5,
        inserts: 0.5,
    },
    Phase {
        sources: 40,
        any: 0.0,
        inserts: 0.6,
    },
    Phase {
        sources: 40,
        any: 0.2,
        inserts: 0.9,
    },
    Phase {
        sources: 3,
        any: 1.0,
        inserts: 0.5,
    },
    Phase {
        sources: 1000,
        any: 0.1,
        inserts: 0.5,
    },
    Phase {
        sources: 5,
        any: 0.4,
        inserts: 0.97,
    },
    Phase {
        sources: 5,
        any: 0.4,
        inserts: 0.05,
    },
];

/// The places of a command's handle that a test exchanges for those of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// No handle.
    Nothing,
    /// The golden handle of an entry that was there when the command was made.
    Known(u32),
    /// A handle that was an entry's once.
    Stale,
    /// A handle of which one bit is not that of a known entry.
    Near(u32),
    /// Any number.
    Foreign,
}

/// The lists that have entries.
pub const LISTS: [List; 3] = [List::Priority, List::Overflow, List::Unexpected];

/// Draws a command, in beats with golden handles, and says which handle it has.
pub fn draw(phase: Phase, golden: &GoldenLists, known: &[u32], rng: &mut SmallRng) -> (Vec<u64>, Named) {
    let (beats, named) = right(phase, golden, known, rng);
    if rng.gen_bool(0.95) {
        return (beats, named);
    }
    spoilt(beats, named, rng)
}

fn right(phase: Phase, golden: &GoldenLists, known: &[u32], rng: &mut SmallRng) -> (Vec<u64>, Named) {
    let plain = |beats| (beats, Named::Nothing);
    if rng.gen_bool(if golden.holds() { 0.9 } else { 0.01 }) {
        return plain(resolution(phase, golden, rng).encode());
    }
    let detached: Vec<u32> = known
        .iter()
        .copied()
        .filter(|handle| golden.detached().contains(handle))
        .collect();
    if rng.gen_bool(if detached.is_empty() { 0.01 } else { 0.2 }) {
        return by_handle(Opcode::Release, if rng.gen_bool(0.8) { &detached } else { known }, rng);
    }
    if rng.gen_bool(0.1) {
        let beats = match rng.gen_range(0..3) {
            0 => command(Opcode::SearchHold, List::All, &header(phase, golden, rng)),
            1 => command(
                Opcode::AppendHold,
                List::Priority,
                &aimed(&entry(phase, rng), golden, List::Unexpected, rng),
            ),
            _ => command(
                Opcode::ConsumeHold,
                List::Unexpected,
                &aimed(&entry(phase, rng), golden, List::Unexpected, rng),
            ),
        };
        return plain(beats);
    }
    match rng.gen_range(0..100) {
        0..=49 if rng.gen_bool(phase.inserts) => {
            let entry = entry(phase, rng);
            match rng.gen_range(0..12) {
                0..=4 => plain(command(Opcode::Append, *LISTS.choose(rng).expect("three"), &entry)),
                5 => plain(command(Opcode::Append, List::Unexpected, &entry)),
                6 => plain(command(Opcode::Append, List::Overflow, &entry)),
                _ => plain(command(
                    Opcode::AppendSearch,
                    List::Priority,
                    &aimed(&entry, golden, List::Unexpected, rng),
                )),
            }
        }
        0..=24 => by_handle(Opcode::Delete, known, rng),
        25..=39 => {
            let list = *[List::Priority, List::Overflow, List::All].choose(rng).expect("three");
            plain(command(Opcode::SearchDelete, list, &header(phase, golden, rng)))
        }
        40..=49 => plain(command(
            Opcode::Consume,
            List::Unexpected,
            &aimed(&entry(phase, rng), golden, List::Unexpected, rng),
        )),
        50..=64 => {
            let list = *[List::Priority, List::Overflow, List::All].choose(rng).expect("three");
            plain(command(Opcode::Search, list, &header(phase, golden, rng)))
        }
        65..=77 => plain(command(Opcode::Deliver, List::All, &header(phase, golden, rng))),
        78..=83 => plain(command(
            Opcode::Probe,
            List::Unexpected,
            &aimed(&entry(phase, rng), golden, List::Unexpected, rng),
        )),
        84..=89 => by_handle(Opcode::Read, known, rng),
        90..=95 => by_handle(Opcode::SetOffset, known, rng),
        _ => plain(command(Opcode::Status, List::All, &Entry::default())),
    }
}

fn by_handle(opcode: Opcode, known: &[u32], rng: &mut SmallRng) -> (Vec<u64>, Named) {
    let list = match opcode == Opcode::Release || rng.gen_bool(0.6) {
        true => List::All,
        false => *LISTS.choose(rng).expect("three"),
    };
    let named = match (known.choose(rng), rng.gen_range(0..10)) {
        (Some(&handle), 0..=6) => Named::Known(handle),
        (Some(&handle), 7) => Named::Near(handle),
        (_, 8) => Named::Foreign,
        _ => Named::Stale,
    };
    let handle = match named {
        Named::Known(handle) => handle,
        _ => u32::MAX,
    };
    (handle_command(opcode, list, handle, edge(rng)), named)
}

/// Any mixture of what may become of a hit.
fn resolution(phase: Phase, golden: &GoldenLists, rng: &mut SmallRng) -> Resolution {
    Resolution {
        offset: rng.gen_bool(0.4).then(|| edge(rng)),
        detaches: rng.gen_bool(0.3),
        removes: rng.gen_bool(0.3),
        header: rng.gen_bool(0.4).then(|| header(phase, golden, rng)),
    }
}

/// A length or offset: small, or near the end of 32 bits.
fn edge(rng: &mut SmallRng) -> u32 {
    match rng.gen_range(0..4) {
        0 => 0,
        1 => rng.gen_range(0..100),
        2 => u32::MAX - rng.gen_range(0..3),
        _ => rng.gen(),
    }
}

/// A portal index: mostly one, so that enough entries match.
fn portal(rng: &mut SmallRng) -> u16 {
    match rng.gen_bool(0.03) {
        true => 1 << rng.gen_range(0..PORTAL_WIDTH),
        false => 0,
    }
}

fn entry(phase: Phase, rng: &mut SmallRng) -> Entry {
    let mut options = rng.gen::<u16>() & (u16::MAX << OPAQUE_OPTIONS);
    let mut set = |option: usize, often: f64| options |= u16::from(rng.gen_bool(often)) << option;
    set(ANY_SOURCE, phase.any);
    set(USE_ONCE, 0.6);
    set(NO_TRUNCATE, 0.4);
    set(MANAGE_LOCAL, 0.4);
    set(UNEXPECTED_HDR_DISABLE, 0.3);
    Entry {
        source: (rng.gen_range(0..phase.sources) * 7 % (1 << PORTAL_OFFSET)) | (portal(rng) << PORTAL_OFFSET),
        options,
        match_bits: 0xa5a5 << 40 | rng.gen_range(0..6),
        ignore_bits: [0, 0, 1, 3 << 62, u64::MAX][rng.gen_range(0..5)],
        length: edge(rng),
        offset: edge(rng),
        pointer: rng.gen(),
    }
}

/// A header that more often than not is meant for an entry of Priority or Overflow.
fn header(phase: Phase, golden: &GoldenLists, rng: &mut SmallRng) -> Entry {
    let list = if rng.gen_bool(0.7) {
        List::Priority
    } else {
        List::Overflow
    };
    aimed(&entry(phase, rng), golden, list, rng)
}

/// Such an entry or header, with the fields of one in the list more often than not, or with all but a bit of them.
fn aimed(like: &Entry, golden: &GoldenLists, list: List, rng: &mut SmallRng) -> Entry {
    let entries = golden.entries(list);
    let (Some(other), true) = (entries.choose(rng), rng.gen_bool(0.75)) else {
        return *like;
    };
    let mut aimed = Entry {
        match_bits: other.match_bits,
        ..*like
    };
    aimed.source = match other.has(ANY_SOURCE) && list != List::Unexpected {
        true => other.portal() << PORTAL_OFFSET | aimed.source & ((1 << PORTAL_OFFSET) - 1),
        false => other.source,
    };
    match rng.gen_range(0..8) {
        0 => aimed.match_bits ^= 1 << rng.gen_range(0..64),
        1 => aimed.source ^= 1 << rng.gen_range(0..16),
        2 => (aimed.length, aimed.offset) = (other.length, 0),
        3 => (aimed.length, aimed.offset) = (other.length.wrapping_add(1), other.offset),
        4 => (aimed.length, aimed.offset) = (other.length.wrapping_sub(other.offset), other.offset),
        5 => (aimed.length, aimed.offset) = (other.length.wrapping_sub(other.offset).wrapping_add(1), other.offset),
        _ => (),
    }
    aimed
}

/// A wrong opcode, list or length, or beats of noise.
fn spoilt(mut beats: Vec<u64>, named: Named, rng: &mut SmallRng) -> (Vec<u64>, Named) {
    match rng.gen_range(0..5) {
        0 => beats[0] = beats[0] & !0xff | rng.gen_range(0..256),
        1 => beats[0] = beats[0] & !(0xff << LIST_OFFSET) | rng.gen_range(0..256) << LIST_OFFSET,
        2 => beats[0] = beats[0] & !(0xff << LIST_OFFSET) | rng.gen_range(0..4) << LIST_OFFSET,
        3 => beats.truncate(rng.gen_range(1..=beats.len())),
        _ => beats.extend((0..rng.gen_range(1..12)).map(|_| rng.gen::<u64>())),
    }
    if !Opcode::from_code(beats[0] as u32 & 0xff).is_some_and(Opcode::takes_handle) {
        return (beats, Named::Nothing);
    }
    if named == Named::Nothing {
        // Noise that reads as a handle must not be one by chance.
        beats[0] |= u64::from(u32::MAX) << HANDLE_OFFSET;
    }
    (beats, named)
}
