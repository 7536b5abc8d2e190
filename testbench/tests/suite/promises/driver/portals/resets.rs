//! Resets while a message comes, and while an append waits for its data. For hardware that tells its steps.

use super::{
    event, kinds, pattern,
    target::{for_all, Target, SOURCES, TO},
    SOON, TILES,
};
use portico::{portals::*, Fabric};
use portico_sim::SimulatedFabric;
use portico_spec::{
    ni::descriptor::{Command as NodeCommand, Descriptor},
    portals::{
        engine::{Append, Command, Step, ANY_USER, OP_PUT},
        list::{List, ANY_SOURCE},
    },
};

/// Bytes of the message that is under way at the reset.
const LONG: usize = 4096;
/// Bytes of memory of each rank.
const BYTES: u32 = LONG as u32 + 0x100;
/// Bytes of a short message.
const SHORT: u64 = 8;

/// After a reset in the middle of a message, and of an append that waits for one, puts, gets and appends raise the events that they
/// raise on a new fabric and no others.
pub fn an_engine_works_after_a_reset(mut hardware: SimulatedFabric) -> Result<(), Error> {
    for appends in [false, true] {
        for cycles in [20, 300] {
            begin(&mut hardware, appends, cycles)?;
            hardware.reset();
            all_works(&mut hardware)?;
            hardware.reset();
        }
    }
    Ok(())
}

/// Lets cycles pass until the engine of the target tells this step.
fn await_step(target: &mut Target<&mut SimulatedFabric>, is_awaited: fn(Step) -> bool) {
    for _ in 0..SOON {
        let mut steps = target.ranks.fabric.transport().portals_steps().into_iter();
        if steps.any(|logged| logged.tile == TILES[TO] && is_awaited(logged.step)) {
            return;
        }
        target.ranks.fabric.transport().run(1);
    }
    panic!("the step does not come, {SOON} cycles waited");
}

/// Sends a put, and with `appends` an append that has taken one header and waits for this one's data; so many cycles of it pass.
fn begin(hardware: &mut SimulatedFabric, appends: bool, cycles: u64) -> Result<(), Error> {
    let mut target = Target::new(Fabric::open(hardware)?, Interface::Matching, 0, 16, BYTES)?;
    let [from, other, _] = SOURCES;
    let list = if appends { PtlList::Overflow } else { PtlList::Priority };
    let me = for_all(target.at(0), LONG as u64, EntryOptions::NONE);
    target.append(list, &me, 1)?;
    target.ranks.write(from, 0, &pattern(0, LONG))?;
    let complete = target.message(other, SHORT, 0);
    assert_eq!(target.put(other, &complete)?.ptl_list, list);
    assert!(
        target.ranks.fabric.transport().log_portals(),
        "key portals_log is not set"
    );
    target.ranks.fabric.transport().portals_steps();
    let put = target.message(from, LONG as u64, 0);
    target.send(from, &put)?;
    await_step(&mut target, |step| matches!(step, Step::Matched { .. }));
    if appends {
        let append = Append {
            list: List::Priority,
            portal: 0,
            counter: None,
            source: 0,
            options: 1 << ANY_SOURCE | 1 << OP_PUT,
            start: target.at(0),
            user: ANY_USER,
            length: 0,
            min_free: 0,
            match_bits: 0,
            ignore_bits: u64::MAX,
            user_pointer: 2,
            handle_address: target.at(LONG as u32),
        };
        let append = Descriptor::new(NodeCommand::Portals(Command::Append(append)));
        let words = append.encode(target.ranks.fabric.config());
        let words = words.expect("fields in their ranges");
        target.ranks.fabric.transport().command(TILES[TO], &words);
        await_step(&mut target, |step| step == Step::Advances);
    }
    target.ranks.fabric.transport().run(cycles);
    let steps = target.ranks.fabric.transport().portals_steps();
    let is_over = |step: Step| matches!(step, Step::Ended { .. } | Step::Finishes);
    let is_late = steps
        .iter()
        .any(|logged| logged.tile == TILES[TO] && is_over(logged.step));
    assert!(!is_late, "over before the reset: {steps:?}");
    Ok(())
}

/// Every rank puts, gets, and leaves a header that an append consumes.
fn all_works(hardware: &mut SimulatedFabric) -> Result<(), Error> {
    let mut target = Target::new(Fabric::open(hardware)?, Interface::Matching, 3, 16, BYTES)?;
    let me = Me {
        start: target.at(0),
        length: LONG as u64,
        ignore_bits: u64::MAX,
        options: EntryOptions::OP_PUT | EntryOptions::OP_GET,
        ..Me::default()
    };
    let entry = target.append(PtlList::Priority, &me, 5)?;
    let of_entry = |kind| Event {
        pt_index: 3,
        user_ptr: 5,
        ..event(kind)
    };
    assert_eq!(target.events()?, [of_entry(EventKind::Link)]);
    for from in SOURCES {
        let bytes = pattern(1 + from, LONG);
        target.ranks.write(from, 0, &bytes)?;
        let put = target.message(from, LONG as u64, 0x77);
        let told = target.put(from, &put)?;
        assert_eq!(
            (told.kind, told.ni_fail_type, told.mlength),
            (EventKind::Ack, NiFail::Ok, LONG as u64)
        );
        let came = Event {
            initiator: from as u32,
            match_bits: 0x77,
            rlength: LONG as u64,
            mlength: LONG as u64,
            start: target.at(0),
            ..of_entry(EventKind::Put)
        };
        assert_eq!(target.events()?, [came]);
        assert_eq!(target.ranks.read(TO, 0, LONG)?, bytes);
        target.ranks.write(from, 0, &[0xee; LONG])?;
        let told = target.get(from, &put)?;
        assert_eq!(
            (told.kind, told.ni_fail_type, told.mlength),
            (EventKind::Reply, NiFail::Ok, LONG as u64)
        );
        let served = Event {
            kind: EventKind::Get,
            ..came
        };
        assert_eq!(target.events()?, [served]);
        assert_eq!(target.ranks.read(from, 0, LONG)?, bytes);
    }
    target.unlink(entry)?;
    let start = target.at(0);
    let below = target.append(PtlList::Overflow, &for_all(start, SHORT, EntryOptions::NONE), 6)?;
    for from in SOURCES {
        let put = target.message(from, SHORT, 0);
        assert_eq!(target.put(from, &put)?.ptl_list, PtlList::Overflow);
        assert_eq!(kinds(&target.events()?), [EventKind::Put]);
        target.append(PtlList::Priority, &for_all(start, SHORT, EntryOptions::USE_ONCE), 7)?;
        let consumed = [EventKind::PutOverflow, EventKind::AutoUnlink];
        assert_eq!(kinds(&target.events()?), consumed);
    }
    target.unlink(below)?;
    assert_eq!(target.ranks.status(TO)?, [0; 3]);
    target.ranks.finish()
}
