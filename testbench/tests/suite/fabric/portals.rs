//! What the Portals engines promise, on the golden fabric and on the emitted Verilog.

use super::{four_tiles, MEMORY};
use crate::promises::driver::portals::{acknowledgements, events, random};
use portico::{portals::Error, Fabric, GoldenTransport};
use portico_generate::design;
use portico_sim::{Library, Options, SimulatedFabric};
use portico_testbench::device::hardware::fabric_of;
use std::sync::OnceLock;

/// Kinds of events and failures that the run from the seed below meets.
const EVENTS: [&str; 14] = [
    "PTL_EVENT_PUT",
    "PTL_EVENT_GET",
    "PTL_EVENT_SEND",
    "PTL_EVENT_ACK",
    "PTL_EVENT_REPLY",
    "PTL_EVENT_LINK",
    "PTL_EVENT_AUTO_UNLINK",
    "PTL_EVENT_AUTO_FREE",
    "PTL_EQ_DROPPED",
    "PTL_NI_OK",
    "PTL_NI_DROPPED",
    "PTL_NI_PT_DISABLED",
    "PTL_NI_PERM_VIOLATION",
    "PTL_NI_OP_VIOLATION",
];

fn golden() -> Fabric<GoldenTransport> {
    Fabric::open(GoldenTransport::new(&four_tiles()).unwrap()).unwrap()
}

fn verilog() -> Fabric<SimulatedFabric> {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    let library = LIBRARY.get_or_init(|| {
        let design = design("fabric", &four_tiles()).expect("the fabric can be emitted");
        portico_sim::build(&design, &Options::default()).expect("its Verilog compiles")
    });
    Fabric::open(fabric_of(library, &four_tiles(), MEMORY).expect("the ports of a fabric")).unwrap()
}

#[test]
fn random_operations_agree() -> Result<(), Error> {
    let seen = random::random_operations_agree(golden(), verilog(), 0x5eed)?;
    let met = EVENTS.into_iter().filter(|name| seen.contains_key(name));
    assert_eq!(met.collect::<Vec<_>>(), EVENTS);
    Ok(())
}

on_both! {
    on_golden, on_verilog:
    events::a_put_and_a_get_raise_their_events;
    events::entries_that_leave_raise_their_events;
    events::options_stop_their_events;
    events::rings_go_round_and_tell_what_they_lose;
    acknowledgements::acknowledgements_raise_what_was_asked;
    acknowledgements::replies_and_sends_raise_what_was_asked;
    acknowledgements::no_answer_keeps_a_slot;
}
