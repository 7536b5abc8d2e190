//! Raw descriptors: every wrong field gives its code, and changes nothing.

use super::{super::SOON, kinds, Ranks, BYTES, TILES};
use portico::{portals::*, registers::PortalsRegister, Error as DriverError, Fabric, Transport};
use portico_spec::{
    ni::{
        command::{Opcode, QUIET_OFFSET},
        ErrorCode::{
            self, InUse, Malformed, NoPlace, OutOfMemory, UnknownEntry, UnknownIndex, UnknownOpcode, UnknownRank,
        },
    },
    portals::{
        engine::{
            Ack, Append, Command, Control, ControlCommand, Move, Operation, Search, ANY_USER, COMMAND_OFFSET, COUNTERS,
            INDEX_OFFSET, MD_BOUND_OFFSET, NON_MATCHING_OFFSET, OPERATION_OFFSET, OP_PUT, PORTALS,
        },
        list::{List, ANY_SOURCE},
    },
};

/// The rank whose engine gets the descriptors.
const RANK: usize = 1;
/// The opcode of the engine that has no meaning.
const SPARE: u32 = Opcode::Control as u32 + 1;
/// A memory descriptor that reaches beyond the memory, as the driver makes none: 8 bytes of 100 are there.
const BEYOND: u8 = 7;
/// Offset in the rank's memory of the handle of an entry.
const HANDLE: u32 = 64;

/// Descriptors that are wrong, with their codes.
type Cases = Vec<(Vec<u32>, ErrorCode)>;

/// The words of a command, with its opcode.
fn words(command: Command) -> Vec<u32> {
    let mut words = command.encode();
    words[0] = command.opcode() as u32;
    words
}

/// A put of nothing of a memory descriptor to the own rank.
fn nothing(portal: u8, descriptor: u8) -> Move {
    Move {
        operation: Operation::Put,
        ack: Ack::None,
        portal,
        descriptor,
        rank: RANK as u16,
        local: 0,
        length: 0,
        remote: 0,
        match_bits: 0,
        user_pointer: 0,
        header_data: 0,
    }
}

/// An entry at the begin of the memory of the suite.
fn entry(portal: u8, base: u32) -> Append {
    Append {
        list: List::Priority,
        portal,
        counter: None,
        source: 0,
        options: 1 << OP_PUT | 1 << ANY_SOURCE,
        start: base,
        user: ANY_USER,
        length: 8,
        min_free: 0,
        match_bits: 0,
        ignore_bits: 0,
        user_pointer: 0,
        handle_address: base + HANDLE,
    }
}

/// A search of an index that finds nothing.
fn search(portal: u8, deletes: bool) -> Search {
    Search {
        deletes,
        portal,
        source: 0,
        options: 1 << ANY_SOURCE,
        length: 8,
        match_bits: 0,
        ignore_bits: 0,
        user_pointer: 0,
    }
}

/// A control command with any index.
fn control(command: ControlCommand, index: u32, values: &[u32]) -> Vec<u32> {
    let first = (command as u32) << COMMAND_OFFSET | index << INDEX_OFFSET;
    [&[Opcode::Control as u32, first], values].concat()
}

/// Sends a descriptor, and waits until it ends.
fn outcome<T: Transport>(ranks: &mut Ranks<T>, words: &[u32]) -> Result<Option<ErrorCode>, Error> {
    match ranks.fabric.tile(TILES[RANK])?.descriptor::<()>(words)?.wait(SOON) {
        Ok(()) => Ok(None),
        Err(DriverError::Refused { code, .. }) => Ok(Some(code)),
        Err(error) => Err(error.into()),
    }
}

/// Each right command with other numbers of words, and with a kind that has no meaning.
fn malformed(cases: &mut Cases, portal: u8, descriptor: u8, base: u32) {
    let put = nothing(portal, descriptor);
    let operation = Operation::Get;
    let index = portal.into();
    let kinds = [
        (words(Command::Move(put)), 2, OPERATION_OFFSET),
        (words(Command::Move(Move { operation, ..put })), 2, OPERATION_OFFSET),
        (words(Command::Append(entry(portal, base))), 4, COMMAND_OFFSET),
        (words(Command::Unlink(0)), 4, COMMAND_OFFSET),
        (words(Command::Search(search(portal, false))), 4, COMMAND_OFFSET),
        (words(Command::Search(search(portal, true))), 4, COMMAND_OFFSET),
        (control(ControlCommand::Set, 0, &[0, 0]), 5, COMMAND_OFFSET),
        (control(ControlCommand::Increment, 0, &[0, 0]), 5, COMMAND_OFFSET),
        (control(ControlCommand::Enable, index, &[]), 5, COMMAND_OFFSET),
        (control(ControlCommand::Disable, index, &[]), 5, COMMAND_OFFSET),
        (control(ControlCommand::Free, index, &[]), 5, COMMAND_OFFSET),
    ];
    for (right, first_without, offset) in kinds {
        for count in (1..=right.len() + 2).filter(|&count| count != right.len()) {
            let mut wrong = right.clone();
            wrong.resize(count, 0);
            cases.push((wrong, Malformed));
        }
        for kind in first_without..8 {
            let mut wrong = right.clone();
            wrong[1] = wrong[1] & !(7 << offset) | kind << offset;
            cases.push((wrong, Malformed));
        }
    }
    cases.push((vec![SPARE, 0], UnknownOpcode));
    cases.push((vec![SPARE, 0, 0, 0], UnknownOpcode));
}

/// Puts and gets.
fn moves(cases: &mut Cases, portal: u8, descriptor: u8) {
    for operation in [Operation::Put, Operation::Get] {
        let mut with = |change: fn(&mut Move), code| {
            let mut wrong = nothing(portal, descriptor);
            wrong.operation = operation;
            change(&mut wrong);
            cases.push((words(Command::Move(wrong)), code));
        };
        with(|wrong| wrong.descriptor = 63, UnknownIndex);
        with(|wrong| (wrong.descriptor, wrong.rank) = (63, 100), UnknownIndex);
        with(|wrong| wrong.rank = 4, UnknownRank);
        with(|wrong| wrong.rank = 64, UnknownRank);
        with(|wrong| (wrong.rank, wrong.length) = (511, BYTES + 1), UnknownRank);
        with(|wrong| wrong.length = BYTES + 1, OutOfMemory);
        with(|wrong| wrong.length = 1 << 20, OutOfMemory);
        with(|wrong| wrong.local = BYTES + 1, OutOfMemory);
        with(|wrong| (wrong.local, wrong.length) = (BYTES - 3, 4), OutOfMemory);
        with(|wrong| (wrong.local, wrong.length) = (u32::MAX, 2), OutOfMemory);
        with(|wrong| (wrong.local, wrong.length) = (2, u32::MAX), OutOfMemory);
        with(|wrong| (wrong.descriptor, wrong.length) = (BEYOND, 9), OutOfMemory);
        with(|wrong| (wrong.descriptor, wrong.local) = (BEYOND, 9), OutOfMemory);
    }
}

/// Entries and searches. The first check that fails gives the code.
fn entries(cases: &mut Cases, portal: u8, base: u32, memory: u32) {
    let mut with = |change: &dyn Fn(&mut Append), code| {
        let mut wrong = entry(portal, base);
        change(&mut wrong);
        cases.push((words(Command::Append(wrong)), code));
    };
    let (address, beyond) = (base + HANDLE, memory + 1);
    with(&|wrong| wrong.portal += 1, UnknownIndex);
    with(&|wrong| wrong.portal |= 1 << NON_MATCHING_OFFSET, UnknownIndex);
    with(&|wrong| (wrong.portal, wrong.handle_address) = (100, 1), UnknownIndex);
    with(&|wrong| wrong.handle_address = address + 1, Malformed);
    with(
        &|wrong| (wrong.handle_address, wrong.length) = (address + 2, beyond),
        Malformed,
    );
    with(&|wrong| wrong.handle_address = memory, OutOfMemory);
    with(&|wrong| wrong.handle_address = u32::MAX - 3, OutOfMemory);
    with(&|wrong| wrong.length = beyond - base, OutOfMemory);
    with(&|wrong| (wrong.start, wrong.length) = (beyond, 0), OutOfMemory);
    with(&|wrong| (wrong.start, wrong.length) = (1, u32::MAX), OutOfMemory);
    cases.push((words(Command::Unlink(0)), UnknownEntry));
    cases.push((words(Command::Unlink(u32::MAX)), UnknownEntry));
    for deletes in [false, true] {
        for portal in [portal + 1, portal | 1 << NON_MATCHING_OFFSET, 100] {
            cases.push((words(Command::Search(search(portal, deletes))), UnknownIndex));
        }
    }
}

/// Counters and portal indices.
fn controls(cases: &mut Cases, portal: u8) {
    for command in [ControlCommand::Set, ControlCommand::Increment] {
        for counter in [COUNTERS as u32, 2 * COUNTERS as u32 - 1] {
            cases.push((control(command, counter, &[1, 1]), UnknownIndex));
        }
    }
    let portal = u32::from(portal);
    for command in [ControlCommand::Enable, ControlCommand::Disable, ControlCommand::Free] {
        for unknown in [portal + 1, portal | 1 << NON_MATCHING_OFFSET, PORTALS as u32 - 1] {
            cases.push((control(command, unknown, &[]), UnknownIndex));
        }
    }
}

/// Every wrong field of every command.
pub fn every_wrong_field_has_its_code<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<(), Error> {
    let mut ranks = Ranks::new(open(), BYTES)?;
    let (tile, base) = (TILES[RANK], ranks.base());
    let memory = ranks.fabric.memory_bytes(tile)?;
    let eq = ranks.eq(RANK, 4)?;
    let portal = ranks.index(RANK, Some(eq))? as u8;
    let descriptor = ranks.md(RANK, MdOptions::NONE, None, None)?.number() as u8;
    for (register, value) in [
        (PortalsRegister::MdStart, memory - 8),
        (PortalsRegister::MdLength, 100),
        (PortalsRegister::MdOptions, 1 << MD_BOUND_OFFSET),
    ] {
        ranks.fabric.poke(tile, register, BEYOND.into(), &[value])?;
    }
    let mut cases = vec![];
    malformed(&mut cases, portal, descriptor, base);
    moves(&mut cases, portal, descriptor);
    entries(&mut cases, portal, base, memory);
    controls(&mut cases, portal);
    ranks.write(RANK, HANDLE, &[0xee; 4])?;
    for (words, code) in &cases {
        assert_eq!(outcome(&mut ranks, words)?, Some(*code), "{words:x?}");
    }
    // Nothing has changed: no handle and no entry was written, no event raised, and what is right goes on.
    assert_eq!(ranks.read(RANK, HANDLE, 4)?, [0xee; 4]);
    assert_eq!(ranks.events(RANK, eq)?, []);
    let from_end = Move {
        descriptor: BEYOND,
        local: 7,
        length: 1,
        ..nothing(portal, descriptor)
    };
    assert_eq!(outcome(&mut ranks, &words(Command::Move(from_end)))?, None);
    ranks.rest();
    assert_eq!(ranks.status(RANK)?, [1, 0, 0], "it meets no entry");
    // Of a search nothing but its index is checked.
    for deletes in [false, true] {
        let any = Search {
            source: 511,
            length: u32::MAX,
            ..search(portal, deletes)
        };
        assert_eq!(outcome(&mut ranks, &words(Command::Search(any)))?, None);
        assert_eq!(kinds(&ranks.events(RANK, eq)?), [EventKind::Search]);
    }
    ranks.finish()
}

/// The last address for an entry and for its handle, the last place; handles that are old.
pub fn entries_have_places_and_generations<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<(), Error> {
    let mut ranks = Ranks::new(open(), BYTES)?;
    let (tile, base) = (TILES[RANK], ranks.base());
    let memory = ranks.fabric.memory_bytes(tile)?;
    let portal = ranks.index(RANK, None)? as u8;
    let append = entry(portal, base);
    let last = Append {
        start: memory,
        length: 0,
        handle_address: memory - 4,
        ..append
    };
    assert_eq!(outcome(&mut ranks, &words(Command::Append(last)))?, None);
    let handle = ranks.fabric.read(tile, memory - 4, 1)?[0];
    let unlink = words(Command::Unlink(handle));
    let append_to = |list| words(Command::Append(Append { list, ..append }));
    let (priority, overflow) = (append_to(List::Priority), append_to(List::Overflow));
    let free = control(ControlCommand::Free, portal.into(), &[]);
    assert_eq!(outcome(&mut ranks, &free)?, Some(InUse));
    let mut handles = vec![];
    for _ in 1..ranks.fabric.config().entries {
        assert_eq!(outcome(&mut ranks, &priority)?, None);
        handles.extend(ranks.fabric.read(tile, base + HANDLE, 1)?);
    }
    for full in [&priority, &overflow] {
        assert_eq!(outcome(&mut ranks, full)?, Some(NoPlace));
    }
    assert_eq!(outcome(&mut ranks, &unlink)?, None);
    assert_eq!(outcome(&mut ranks, &unlink)?, Some(UnknownEntry));
    assert_eq!(outcome(&mut ranks, &overflow)?, None);
    assert_eq!(
        outcome(&mut ranks, &unlink)?,
        Some(UnknownEntry),
        "another entry has the place"
    );
    handles.extend(ranks.fabric.read(tile, base + HANDLE, 1)?);
    for handle in handles {
        assert_eq!(outcome(&mut ranks, &words(Command::Unlink(handle)))?, None);
    }
    ranks.finish()
}

/// A quiet command counts only if it fails; one that is not counts also if it succeeds.
pub fn quiet_commands_count_when_they_fail<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<(), Error> {
    let mut ranks = Ranks::new(open(), BYTES)?;
    let tile = TILES[RANK];
    let portal = ranks.index(RANK, None)? as u8;
    let descriptor = ranks.md(RANK, MdOptions::NONE, None, None)?.number() as u8;
    let counted = ranks.fabric.event(tile)?;
    let put = nothing(portal, descriptor);
    let enable = |portal| words(Command::Control(Control::Enable(portal)));
    let increment = |counter| control(ControlCommand::Increment, counter, &[1, 0]);
    let pairs = [
        (words(Command::Move(put)), words(Command::Move(Move { rank: 9, ..put }))),
        (enable(portal), enable(50)),
        (increment(9), increment(99)),
    ];
    let mut expected = 0;
    for (good, bad) in &pairs {
        for (words, quiet, counts) in [(good, false, 1), (good, true, 0), (bad, true, 1), (bad, false, 1)] {
            let mut words = words.clone();
            words[0] |= u32::from(quiet) << QUIET_OFFSET;
            ranks.fabric.tile(tile)?.descriptor::<()>(&words)?.count_in(&counted)?;
            ranks.rest();
            expected += counts;
            let count = counted.state(&mut ranks.fabric)?.count;
            assert_eq!(count, expected, "{words:x?}, quiet {quiet}");
        }
    }
    counted.release(&mut ranks.fabric)?;
    ranks.finish()
}
