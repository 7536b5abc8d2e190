//! What the Portals engines promise, on the golden fabric and on the emitted Verilog.

use super::{are_noticed, four_tiles, MEMORY};
use crate::mutants::fault::{Fault, Faulty};
use crate::promises::driver::portals::{
    acknowledgements, bytes, codes, events, headers, lifetimes, order, places, random, refusals, registers, resets,
    searches, traffic, unexpected,
};
use portico::{portals::Error, Fabric, GoldenTransport};
use portico_generate::design;
use portico_sim::{Library, Optimise, Options, SimulatedFabric};
use portico_testbench::{
    bench::portals::{self, Effort},
    device::hardware::fabric_of,
    soak::{self, Soak, Workload},
};
use std::sync::OnceLock;

/// Kinds of events and failures that the run from the seed below meets.
const EVENTS: [&str; 18] = [
    "PTL_EVENT_PUT",
    "PTL_EVENT_GET",
    "PTL_EVENT_SEND",
    "PTL_EVENT_ACK",
    "PTL_EVENT_REPLY",
    "PTL_EVENT_LINK",
    "PTL_EVENT_AUTO_UNLINK",
    "PTL_EVENT_AUTO_FREE",
    "PTL_EVENT_PUT_OVERFLOW",
    "PTL_EVENT_GET_OVERFLOW",
    "PTL_EVENT_SEARCH",
    "PTL_EQ_DROPPED",
    "PTL_NI_OK",
    "PTL_NI_DROPPED",
    "PTL_NI_PT_DISABLED",
    "PTL_NI_PERM_VIOLATION",
    "PTL_NI_OP_VIOLATION",
    "PTL_NI_NO_MATCH",
];

fn golden() -> Fabric<GoldenTransport> {
    Fabric::open(GoldenTransport::new(&four_tiles()).unwrap()).unwrap()
}

/// The hardware out of reset, compiled once.
fn hardware() -> SimulatedFabric {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    let library = LIBRARY.get_or_init(|| {
        let design = design("fabric", &four_tiles()).expect("the fabric can be emitted");
        portico_sim::build(&design, &Options::default()).expect("its Verilog compiles")
    });
    fabric_of(library, &four_tiles(), MEMORY).expect("the ports of a fabric")
}

fn verilog() -> Fabric<SimulatedFabric> {
    Fabric::open(hardware()).unwrap()
}

/// What `portico bench portals` measures, on two of the four tiles. Beside message-passing engines a get takes a cycle more.
#[test]
fn puts_gets_and_appends_keep_their_bounds() {
    const MOST: [(&str, f64); 3] = [
        ("put of 8 bytes, to the target's counter", 46.0),
        ("get of 8 bytes, to the initiator's counter", 63.0),
        ("puts of 8 bytes, each, persistent entry, counter", 14.0),
    ];
    let (rows, _) = portals::run(hardware(), &Effort::quick(), &mut |_, _, _| {}).expect("a fabric that is measured");
    for (name, most) in MOST {
        let row = rows.iter().find(|row| row.name == name);
        let cycles = row.unwrap_or_else(|| panic!("no row {name}")).value;
        assert!(cycles <= most, "{name}: {cycles} cycles");
    }
    for row in rows.iter().filter(|row| MOST.iter().all(|(name, _)| row.name != *name)) {
        assert_ne!(row.meets_bound(), Some(false), "{row:?}");
    }
}

#[test]
fn random_operations_agree() -> Result<(), Error> {
    let seen = random::random_operations_agree(golden(), verilog(), 0x5eed)?;
    let met = EVENTS.into_iter().filter(|name| seen.contains_key(name));
    assert_eq!(met.collect::<Vec<_>>(), EVENTS);
    Ok(())
}

/// Puts of golden are complete when they are sent; those of the hardware are on their way.
#[test]
fn puts_meet_an_append_or_leave_headers() -> Result<(), Error> {
    let [met, _] = headers::puts_around_an_append(golden, headers::ROWS)?;
    assert_eq!(met, 0);
    let outcomes = headers::puts_around_an_append(verilog, headers::ROWS)?;
    assert!(!outcomes.contains(&0), "{outcomes:?}");
    Ok(())
}

/// Messages of golden come at once, before all unlinks. On hardware unlinks come before messages and behind them.
#[test]
fn an_entry_leaves_once() -> Result<(), Error> {
    assert_eq!(lifetimes::entries_leave_once(golden, 4)?, [0, 4]);
    let races = lifetimes::entries_leave_once(verilog, 4)?;
    assert!(!races.contains(&0), "{races:?}");
    Ok(())
}

/// Data of golden are there when their header is.
#[test]
fn commands_for_all_headers_begin_anew() -> Result<(), Error> {
    assert_eq!(headers::commands_for_all_headers_begin_anew(golden)?, [false; 2]);
    assert_eq!(headers::commands_for_all_headers_begin_anew(verilog)?, [true; 2]);
    Ok(())
}

#[test]
fn an_engine_works_after_a_reset() -> Result<(), Error> {
    resets::an_engine_works_after_a_reset(hardware())
}

/// What races, a thousand times each. `make long` runs these tests, and `make test` the same with fewer rounds.
mod a_thousand_rounds {
    use super::*;

    #[test]
    fn of_puts_around_an_append() -> Result<(), Error> {
        let outcomes = headers::puts_around_an_append(verilog, 25)?;
        assert!(!outcomes.contains(&0), "{outcomes:?}");
        Ok(())
    }

    #[test]
    fn of_entries_that_leave_once() -> Result<(), Error> {
        let races = lifetimes::entries_leave_once(verilog, 1000)?;
        assert!(races.into_iter().all(|rounds| rounds > 100), "{races:?}");
        Ok(())
    }

    #[test]
    fn of_two_ranks_that_get_from_each_other() -> Result<(), Error> {
        traffic::round_trips(verilog, &[1, 2], 1000)
    }

    #[test]
    fn of_three_ranks_that_get_in_a_ring() -> Result<(), Error> {
        traffic::round_trips(verilog, &[0, 3, 1], 1000)
    }
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
    bytes::all_lengths_at_all_offsets;
    bytes::a_rank_reaches_itself;
    codes::every_wrong_field_has_its_code;
    codes::entries_have_places_and_generations;
    codes::quiet_commands_count_when_they_fail;
    registers::a_register_shows_nothing_else;
    lifetimes::an_entry_in_use_stays;
    lifetimes::an_index_ends_behind_its_messages;
    order::put_get_and_put_keep_their_order;
    order::puts_fill_an_entry_in_their_order;
    order::entries_compete_by_the_order_of_appends;
    refusals::refusals_are_told_and_counted;
    refusals::messages_are_cut_or_go_on;
    refusals::forged_ranks_are_refused;
    traffic::two_ranks_get_from_each_other;
    traffic::three_ranks_get_in_a_ring;
    traffic::all_ranks_put_to_one;
    traffic::requests_that_wait_hold_no_reply;
    unexpected::appends_tell_what_came;
    unexpected::options_stop_events_of_appends;
    unexpected::appends_count_headers;
    unexpected::appends_consume_what_they_match;
    searches::searches_tell_what_came;
    searches::options_stop_events_of_searches;
    searches::an_index_without_a_queue_is_searched;
    headers::an_append_waits_for_data;
    headers::entries_of_overflow_leave_once;
    places::an_entry_is_free_after_its_headers;
    places::headers_fill_the_lists;
    places::rings_of_two_lose_events_alone;
    places::headers_keep_entries_and_indices;
}

/// Faults of the engines.
const FAULTS: [Fault; 10] = [
    Fault {
        what: "packets of a rank may come from any node",
        module: "data_door",
        from: "present[named[5:0]] & «(nodes_read_data == head_source)»",
        to: "1'd1",
    },
    Fault {
        what: "an entry lets in messages of any user",
        module: "hit_check",
        from: "(entry_user != user)",
        to: "1'd0",
    },
    Fault {
        what: "an entry that manages its offset stays where it is",
        module: "hit_check",
        from: "shown_used + {12'd0, shown_delivered}",
        to: "shown_used",
    },
    Fault {
        what: "an entry that is used once stays",
        module: "hit_check",
        from: "unlinks = «options[1]»",
        to: "1'd0",
    },
    Fault {
        what: "the phase of events is the same in all laps of a ring",
        module: "event_queues",
        from: "~written_read_data[sizes_read_data]",
        to: "1'd1",
    },
    Fault {
        what: "a failure counts as a success",
        module: "report_rules",
        from: "fails = «failed»;",
        to: "1'd0",
    },
    Fault {
        what: "all bytes of a last word are written",
        module: "payload_writer",
        from: "~(4'hf << rest[1:0])",
        to: "4'hf",
    },
    Fault {
        what: "the slot of an answer stays taken",
        module: "completer",
        from: "frees = «~is_sent»;",
        to: "1'd0",
    },
    Fault {
        what: "a header is taken before its data have come",
        module: "scan_control",
        from: "«takes & ~shown_header[HEADER_ROW_HERE]»",
        to: "1'd0",
    },
    Fault {
        what: "a message overwrites the match bits of an append that waits",
        module: "list_fields",
        from: "match_low_next = «match_low»;",
        to: "search_load ? search_match_bits[31:0] : match_low",
    },
];

/// With these faults in the fabric, a promise is not kept; with no fault chosen, it is.
fn caught(numbers: &[usize], promise: impl Fn(&dyn Fn() -> Fabric<SimulatedFabric>) -> Result<(), Error>) {
    static FAULTY: OnceLock<Faulty> = OnceLock::new();
    let faulty =
        FAULTY.get_or_init(|| Faulty::new(&design("fabric", &four_tiles()).unwrap(), &FAULTS, Optimise::Build));
    are_noticed(faulty, &four_tiles(), numbers, |fabric| {
        promise(&|| Fabric::open(fabric()).unwrap())
    });
}

#[test]
fn a_forged_rank_that_is_taken_is_caught() {
    caught(&[1], |fabric| refusals::forged_ranks_are_refused(fabric));
}

#[test]
fn a_user_that_is_not_compared_is_caught() {
    caught(&[2], |fabric| refusals::refusals_are_told_and_counted(fabric));
}

#[test]
fn entries_that_stay_are_caught() {
    caught(&[3], |fabric| order::puts_fill_an_entry_in_their_order(fabric));
    caught(&[4], |fabric| lifetimes::entries_leave_once(fabric, 3).map(drop));
}

#[test]
fn events_counts_and_slots_that_are_wrong_are_caught() {
    caught(&[5], |fabric| events::rings_go_round_and_tell_what_they_lose(fabric));
    caught(&[6], |fabric| {
        acknowledgements::acknowledgements_raise_what_was_asked(fabric)
    });
    caught(&[8], |fabric| acknowledgements::no_answer_keeps_a_slot(fabric));
}

#[test]
fn headers_that_are_taken_too_soon_are_caught() {
    caught(&[9], |fabric| headers::an_append_waits_for_data(fabric));
}

#[test]
fn appends_that_search_for_something_else_are_caught() {
    caught(&[10], |fabric| headers::an_append_waits_for_data(fabric));
}

/// Messages and commands of all ranks race; the model follows the steps that hardware tells.
#[test]
fn races_with_another_outcome_are_caught() {
    let replay = Soak {
        workload: Workload::Replay,
        cycles: 1,
        seed: 0x5eed,
        resets: 0.0,
    };
    caught(&[4], |fabric| {
        let summary = soak::run(fabric().transport(), &replay, &mut |_| {});
        summary.unwrap_or_else(|error| panic!("{error:#}"));
        Ok(())
    });
}

#[test]
fn bytes_behind_a_message_that_are_written_are_caught() {
    caught(&[7], |fabric| bytes::all_lengths_at_all_offsets(fabric));
}
