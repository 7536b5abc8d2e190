//! Everything that the driver promises, on the golden fabric and on the emitted Verilog before memories that are slow and
//! stall.

use crate::{
    mutants::fault::{Fault, Faulty},
    promises::{
        self,
        driver::{
            absent, codes, collective, config, errors, exchange, flow, geometry, limits, lists, messages, mpi,
            operations, order, ports, probe, refusals, registers, rest, streams, tables, waits,
        },
    },
    tile_ports,
};
use portico::{examples, registers::CommandRegister, Config, Error, Fabric, GoldenTransport, Transport};
use portico_generate::design;
use portico_sim::{Library, Optimise, Options, SimulatedFabric};
use portico_spec::{
    mpe::{
        call::{Begin, Call, Kind, Row, Transfer},
        tree::{Shape, Tree},
    },
    ni::{
        command::{Opcode, EVENT_OFFSET, MAX_DESCRIPTOR_WORDS},
        descriptor::Command,
        registers::{MpeRegister, MPE_RUNNING_OFFSET},
        ErrorCode,
    },
};
use portico_testbench::{
    bench::{
        collectives::{self, form::Form, group::Group},
        onesided::{
            bench::Bench,
            bounds::{self, Way},
            transfers::EVENT,
            words, Effort,
        },
    },
    device::{
        axi_memory::{AttachedMemory, Timing},
        hardware::{fabric_of, fabric_with},
    },
    soak::{self, draw_sizes, Soak, Workload},
};
use std::{
    fmt::Display,
    panic::{catch_unwind, AssertUnwindSafe},
    sync::OnceLock,
};

const MEMORY: Timing = Timing {
    latency: 12,
    stall: 0.1,
};

fn golden(width: usize) -> Fabric<GoldenTransport> {
    Fabric::open(GoldenTransport::new(&config(width)).unwrap()).unwrap()
}

/// The hardware of this width, compiled once.
fn library(width: usize) -> &'static Library {
    static LIBRARIES: [OnceLock<Library>; 2] = [const { OnceLock::new() }; 2];
    LIBRARIES[width / 64].get_or_init(|| {
        let design = design("fabric", &config(width)).expect("the fabric can be emitted");
        portico_sim::build(&design, &Options::default()).expect("its Verilog compiles")
    })
}

/// A fabric of it, out of reset.
fn hardware(width: usize) -> SimulatedFabric {
    fabric_of(library(width), &config(width), MEMORY).expect("the ports of a fabric")
}

fn verilog(width: usize) -> Fabric<SimulatedFabric> {
    Fabric::open(hardware(width)).unwrap()
}

/// Gives a macro the suites that hold of fabrics of any size, behind what else it is to have.
macro_rules! of_any_size {
    ($to:ident: $($with:tt)*) => {
        $to! {
            $($with)*
            absent::commands_to_absent_nodes_are_refused_and_cost_nothing;
            codes::every_error_has_its_code;
            codes::programs_that_go_wrong_end;
            codes::pads_are_forgotten_whoever_writes_them;
            codes::quiet_commands_count_only_when_they_fail;
            order::a_drained_command_goes_behind_all_before_it;
            collective::barrier_holds_all;
            collective::words_reach_every_member_and_nobody_else;
            collective::sums_are_those_made_by_hand;
            collective::roots_move_from_call_to_call;
            collective::orders_of_posting_do_not_matter;
            collective::a_member_may_be_late;
            collective::a_neighbour_may_be_two_calls_ahead;
            collective::members_that_disagree_are_found_and_wait_says_mismatch;
            collective::a_context_closes_alone;
            collective::a_communicator_works_after_recover_and_its_sums_are_right;
            collective::one_launch_runs_every_member_and_its_sums_are_right;
            collective::blocks_are_folded_and_gathered;
            errors::a_fabric_that_is_not_the_configured_one_is_not_opened;
            errors::what_the_hardware_refuses_is_named;
            errors::a_time_out_says_how_long_and_may_be_waited_out;
            errors::programs_are_checked_before_they_are_loaded;
            exchange::every_block_reaches_its_member;
            exchange::lists_at_the_borders_run;
            exchange::roots_scatter_and_gather;
            flow::a_descriptor_finds_the_credits_written_before_it;
            flow::a_full_queue_loses_nothing;
            flow::every_operation_at_itself;
            flow::every_operation_from_the_host;
            flow::every_operation_at_the_host;
            flow::every_operation_at_the_memory_node;
            lists::the_host_hears_once_after_the_last_word;
            lists::a_refused_put_is_told_and_the_next_start_works;
            lists::engines_have_their_descriptors_from_lists;
            limits::a_full_command_queue_drops_whole_descriptors;
            limits::more_operations_than_slots;
            limits::commands_without_a_credit_are_parked;
            limits::the_host_parks_no_command;
            messages::streams_fill_a_window_one_after_the_other;
            messages::events_count_fire_and_interrupt;
            messages::mailboxes_replace_and_gather;
            messages::senders_wait_for_credit_and_nothing_is_lost;
            messages::a_message_that_does_not_fit_is_told_to_its_target;
            mpi::every_way_leaves_what_mpi_says;
            operations::puts_and_gets_come_back;
            operations::pages_show_what_they_are_moved_to;
            operations::nothing_moves_and_completes_all_the_same;
            operations::atomics_of_both_sizes;
            operations::sums_of_64_bits_carry_and_wrap;
            operations::many_operations_share_an_event;
            operations::programs_loop_wait_and_notify;
            order::data_are_there_when_the_count_is;
            order::puts_of_one_initiator_in_order;
            order::a_fence_comes_after_all_before_it;
            order::a_program_waits_for_all_but_itself;
            order::a_get_that_breaks_off_is_over_when_it_says_so;
            order::a_closed_window_takes_nothing;
            ports::a_master_reaches_its_own_tile;
            ports::a_word_goes_from_master_to_master;
            ports::a_port_answers_while_its_commands_wait;
            probe::what_is_sent_comes_and_is_counted;
            probe::wrong_traffic_is_refused;
            probe::a_busy_taker_stops_nobody_elses_commands;
            probe::a_node_without_a_sink_refuses_packets;
            refusals::a_program_is_told_of_its_first_piece;
            refusals::an_error_of_a_put_goes_to_its_own_initiator;
            registers::refused_words_are_counted;
            streams::rows_leave_in_order;
            streams::words_come_until_tlast_or_the_length;
            streams::one_runs_two_wait_and_a_third_is_refused;
            streams::wrong_streams_are_refused;
            tables::every_node_tells_what_it_is_built_with;
            waits::the_host_sends_within_its_credits;
            waits::a_retired_sender_gives_its_credits_back;
        }
    };
}

/// Each suite on both transports, as tests of its own name.
macro_rules! on_both {
    ($golden:ident, $verilog:ident: $($suite:ident::$check:ident;)*) => {
        mod $golden {
            use super::*;
            $(#[test]
            fn $check() -> Result<(), Error> {
                $suite::$check(golden)
            })*
        }
        mod $verilog {
            use super::*;
            $(#[test]
            fn $check() -> Result<(), Error> {
                $suite::$check(verilog)
            })*
        }
    };
}

of_any_size!(on_both: on_golden, on_verilog:);

mod portals;

/// Suites in which something waits longer than golden, which knows no time, lets it.
macro_rules! on_hardware {
    ($($suite:ident::$check:ident;)*) => {
        mod on_hardware {
            use super::*;
            $(#[test]
            fn $check() -> Result<(), Error> {
                $suite::$check(verilog)
            })*
        }
    };
}

on_hardware! {
    collective::a_call_that_stands_still_times_out;
    collective::the_least_timeout_ends_no_call;
    limits::the_hosts_port_answers_while_its_commands_wait;
    ports::a_port_refuses_what_is_not_there;
    waits::an_access_out_of_time_is_done_once;
    waits::what_is_given_back_out_of_time_is_free;
}

// Suites that name what a full or a compact node has.
on_both! {
    of_this_size_on_golden, of_this_size_on_verilog:
    errors::nodes_and_addresses;
    errors::transfers;
    errors::a_full_command_queue_is_waited_for_and_drops_nothing;
    errors::queues_mailboxes_and_programs;
    errors::resources_run_out_and_come_back;
    operations::as_many_operations_under_way_as_there_are_events;
    operations::another_shaper_and_raw_descriptors;
    registers::registers_of_every_node_by_name;
    registers::shapers_of_all_sizes;
    tables::registers_behind_a_table_are_nothing;
    tables::windows_behind_the_table_are_closed;
    tables::commands_name_what_is_built;
    waits::a_ticket_that_is_dropped_keeps_no_event;
    waits::an_operation_out_of_time_keeps_no_event;
}

/// The suites one after the other, on the fabrics that `open` opens.
macro_rules! one_by_one {
    ($open:ident: $($suite:ident::$check:ident;)*) => {
        $(
            println!("{}", stringify!($check));
            $suite::$check($open)?;
        )*
    };
}

/// Nodes with all features, of sizes that this seed decides; the suites want two micro-cores and 16 KiB.
fn of_random_sizes(width: usize) -> Config {
    const SEED: u64 = 11;
    let kept = ["width", "queues", "programs", "wide_atomics", "commands", "monitors"];
    let features = Config { width, ..config(32) };
    let drawn = draw_sizes(&features, &kept, SEED);
    Config {
        cores: drawn.cores.max(2),
        scratchpad: drawn.scratchpad.max(16),
        // Their suites run on tables of any size in the soaks; here they would double the time of every suite.
        portals: 0,
        ..drawn
    }
}

#[test]
fn suites_hold_at_random_sizes() -> Result<(), Error> {
    for width in [32, 64] {
        println!("{:?}", of_random_sizes(width));
    }
    let golden = |width| Fabric::open(GoldenTransport::new(&of_random_sizes(width)).unwrap()).unwrap();
    of_any_size!(one_by_one: golden:);
    let libraries = [32, 64].map(|width| {
        let design = design("fabric", &of_random_sizes(width)).expect("the fabric can be emitted");
        portico_sim::build(&design, &Options::default()).expect("its Verilog compiles")
    });
    let verilog = |width: usize| {
        let fabric = fabric_of(&libraries[width / 64], &of_random_sizes(width), MEMORY);
        Fabric::open(fabric.expect("the ports of a fabric")).unwrap()
    };
    of_any_size!(one_by_one: verilog:);
    Ok(())
}

/// The least fabric: two leaves and the host.
fn leaves() -> Config {
    Config {
        cols: 2,
        rows: 1,
        edge_nodes: 1,
        scratchpad: 16,
        ..Config::from_toml("profile = 'leaf'").expect("a profile")
    }
}

fn verilated_leaves() -> SimulatedFabric {
    fabric_with(&leaves(), MEMORY, Optimise::Speed).expect("the fabric compiles")
}

#[test]
fn a_leaf_has_what_it_says_and_no_more() -> Result<(), Error> {
    let golden = |_| Fabric::open(GoldenTransport::new(&leaves()).unwrap()).unwrap();
    check_tables(golden)?;
    let verilog = |_| Fabric::open(verilated_leaves()).unwrap();
    check_tables(verilog)?;
    // Its fixed logic runs command lists.
    exchange::every_block_reaches_its_member(verilog)?;
    exchange::lists_at_the_borders_run(verilog)?;
    // Without engines, puts and the host make the calls of MPI.
    mpi::every_way_leaves_what_mpi_says(verilog)
}

#[test]
fn lists_of_every_length_run_on_golden() -> Result<(), Error> {
    exchange::lists_of_every_length_run(golden)
}

#[test]
fn lists_of_every_length_run_on_verilog() -> Result<(), Error> {
    exchange::lists_of_every_length_run(verilog)?;
    exchange::lists_of_every_length_run(|_| Fabric::open(verilated_leaves()).unwrap())
}

fn check_tables<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    tables::every_node_tells_what_it_is_built_with(&open)?;
    tables::registers_behind_a_table_are_nothing(&open)?;
    tables::windows_behind_the_table_are_closed(&open)?;
    tables::commands_name_what_is_built(&open)?;
    tables::what_is_off_is_refused(&open)
}

#[test]
fn transfers_are_copies_on_golden() -> Result<(), Error> {
    geometry::transfers_are_copies(golden, 300)
}

#[test]
fn transfers_are_copies_on_verilog() -> Result<(), Error> {
    geometry::transfers_are_copies(verilog, 24)
}

#[test]
fn the_largest_row_and_counts_on_golden() -> Result<(), Error> {
    let config = portico_spec::Config {
        scratchpad: 256,
        ..config(32)
    };
    geometry::the_largest_row_and_counts(Fabric::open(GoldenTransport::new(&config)?)?)
}

#[test]
fn the_largest_row_and_counts_on_verilog() -> Result<(), Error> {
    // It takes 65,535 rows of a word: two tiles are enough, and run faster than more.
    let pair = Config {
        cols: 2,
        rows: 1,
        edge_nodes: 1,
        memories: 0,
        ..config(32)
    };
    geometry::the_largest_row_and_counts(Fabric::open(
        portico_testbench::device::hardware::fabric(&pair).expect("the fabric compiles"),
    )?)
}

#[test]
fn a_reset_in_mid_flight_loses_no_credit() -> Result<(), Error> {
    promises::fabric::a_reset_in_mid_flight_loses_no_credit(hardware)
}

#[test]
fn every_mail_counts_in_its_event() -> Result<(), Error> {
    promises::fabric::every_mail_counts_in_its_event(verilog(32))
}

#[test]
fn programs_that_send_nothing_starve_nobody() -> Result<(), Error> {
    promises::fabric::programs_that_send_nothing_starve_nobody(verilog(32))
}

#[test]
fn programs_that_close_no_packet_starve_nobody() -> Result<(), Error> {
    promises::fabric::programs_that_close_no_packet_starve_nobody(verilog(32))
}

#[test]
fn programs_that_send_for_ever_starve_nobody() -> Result<(), Error> {
    promises::fabric::programs_that_send_for_ever_starve_nobody(verilog(32))
}

#[test]
fn shapers_cut_and_slow_down() -> Result<(), Error> {
    promises::fabric::shapers_cut_and_slow_down(verilog(32))
}

#[test]
fn as_many_transactions_under_way_as_there_are_slots() -> Result<(), Error> {
    // More nodes than half as many as there are slots.
    let config = portico_spec::Config {
        cols: 2,
        rows: 2,
        edge_nodes: 1,
        memories: 0,
        slots: 8,
        ..config(32)
    };
    let hardware = fabric_with(&config, MEMORY, Optimise::Build);
    let hardware = hardware.expect("the fabric compiles");
    promises::fabric::as_many_transactions_under_way_as_there_are_slots(hardware)
}

#[test]
fn nodes_count_every_flit() -> Result<(), Error> {
    [32, 64]
        .into_iter()
        .try_for_each(|width| promises::counters::nodes_count_every_flit(hardware(width)))
}

#[test]
fn nodes_count_the_flits_that_wait() -> Result<(), Error> {
    promises::counters::nodes_count_the_flits_that_wait(hardware(32))
}

#[test]
fn nodes_count_how_their_engine_spends_its_time() -> Result<(), Error> {
    promises::counters::nodes_count_how_their_engine_spends_its_time(hardware(32))
}

#[test]
fn engines_count_the_cycles_of_a_call() -> Result<(), Error> {
    promises::counters::engines_count_the_cycles_of_a_call(hardware(32))
}

#[test]
fn errors_of_external_memory_are_counted() -> Result<(), Error> {
    for width in [32, 64] {
        let config = config(width);
        let library = library(width);
        let mut fabric = SimulatedFabric::new(library, &config).expect("the ports of a fabric");
        let memories = AttachedMemory::all(library, fabric.model(), &config, MEMORY).expect("the ports of memories");
        for mut memory in memories {
            memory.fail(promises::counters::FAILING);
            fabric.attach(Box::new(memory));
        }
        promises::counters::errors_of_external_memory_are_counted(Fabric::open(fabric)?, true)?;
        promises::counters::errors_of_external_memory_are_counted(verilog(width), false)?;
        promises::counters::errors_of_external_memory_are_counted(golden(width), false)?;
    }
    Ok(())
}

#[test]
fn applications_run_on_verilog() -> Result<(), examples::Failure> {
    for width in [32, 64] {
        let mut fabric = verilog(width);
        for example in [
            examples::halo_exchange,
            examples::transpose,
            examples::tile_in_buffer,
            examples::many_to_one,
        ] {
            example(&mut fabric)?;
        }
    }
    Ok(())
}

/// What `portico bench onesided` measures holds of every fabric that is tested.
#[test]
fn one_sided_operations_keep_their_bounds() {
    let effort = Effort::quick();
    let mut bench = Bench::new(Box::new(hardware(32)), 4096, effort.seed).expect("a fabric that starts");
    let rows = bounds::rows(&mut bench, &effort).expect("operations that succeed");
    let cycles = |name: &str| {
        let row = rows.iter().find(|row| row.name == name);
        row.unwrap_or_else(|| panic!("no row {name}")).value
    };
    assert_eq!(cycles("put of 8 bytes, completion, 1 hop"), 20.0);
    assert_eq!(cycles("get of 8 bytes, completion, 1 hop"), 29.0);
    assert_eq!(cycles("fetch-and-add, round trip, 1 hop"), 23.0);
    assert_eq!(cycles("posted add, initiator busy"), 3.0);
    assert_eq!(cycles("posted adds back to back, each"), 4.0);
    for row in rows {
        assert_ne!(row.meets_bound(), Some(false), "{row:?}");
    }
}

/// Joins tiles to a chain in the first context of their engines. The descriptors of a barrier, by rank; the first tile is its root.
fn chain(bench: &mut Bench, tiles: &[usize]) -> Vec<Vec<u32>> {
    let config = bench.config().clone();
    let tree = Tree::new(&config, tiles, &Shape::Linear).expect("a chain");
    let register = bench.register(MpeRegister::Neighbour0, 0);
    for (rank, &tile) in tiles.iter().enumerate() {
        let neighbours = tree.neighbours(rank).iter().enumerate();
        let rows = neighbours.map(|(place, &other)| {
            let row = Row {
                node: config.terminal_node(tiles[other]),
                place: tree.place_at(rank, place) as u8,
            };
            Row::encode(Some(row)).expect("a row")
        });
        let mut rows: Vec<u32> = rows.collect();
        rows.resize(config.mpe_neighbours, 0);
        bench
            .write_registers(&[tile], register, &rows)
            .expect("a list that is written");
    }
    let towards = tree.towards(0).into_iter();
    let calls = towards.map(|towards| Call {
        kind: Kind::Barrier,
        begin: Begin::Next,
        number: 0,
        context: 0,
        towards: towards.map(|place| place as u8),
        transfer: Transfer::NONE,
    });
    calls
        .map(|call| words::descriptor(&config, EVENT, 0, Command::Call(call)))
        .collect()
}

/// The engine of a member that waits in a barrier has sent the last packet of its tile on the control plane: before a put of this
/// tile, or before the acknowledgement of a put to it.
#[test]
fn a_put_beside_a_barrier_that_waits_takes_as_long_as_without() {
    for (root, member) in [(1, 0), (0, 1)] {
        let mut bench = Bench::new(Box::new(hardware(32)), 4096, Effort::quick().seed).expect("a fabric that starts");
        let barrier = chain(&mut bench, &[root, member]);
        bench.device().command(member, &barrier[1]);
        (0..100).for_each(|_| bench.device().cycle());
        let handle = bench.memory_handle(1);
        for _ in 0..3 {
            let timing = bench.batch(&[0], 1, |bench, _, _| Way::Put.descriptor(bench, handle, 8));
            let cycles: Vec<u64> = timing.expect("a put that ends").latencies().collect();
            assert_eq!(cycles, [20], "tile {member} waits");
            bench.succeeded(0).expect("a put that succeeds");
        }
        let status = bench.read_register(member, MpeRegister::Status, 0);
        let status = status.expect("a register that is read");
        assert_eq!(
            status >> MPE_RUNNING_OFFSET & 1,
            1,
            "the barrier of tile {member} waits"
        );
    }
}

/// Calls on which members disagree, for so long, with this seed.
fn soak_of_failures(mut device: SimulatedFabric) -> Result<(), Error> {
    let soak = Soak {
        workload: Workload::Failing,
        cycles: 60_000,
        seed: 0x5eed,
        resets: 0.0,
    };
    let summary = soak::run(&mut device, &soak, &mut |_| {}).unwrap_or_else(|error| panic!("{error:#}"));
    assert!(summary.recoveries > 5, "{summary:?}");
    Ok(())
}

#[test]
fn a_soak_of_members_that_disagree_notices_a_context_that_does_not_drain() {
    caught(&[9], |fabric| soak_of_failures(fabric(32)));
}

/// A put and its acknowledgement enter a tile each, and so do a get and its reply, an atomic and its value.
#[test]
fn registers_before_tiles_cost_two_cycles_of_a_round_trip() {
    let config = Config {
        cols: 2,
        rows: 1,
        edge_nodes: 1,
        registers_at_tiles: true,
        ..Config::default()
    };
    let effort = Effort::quick();
    let fabric = fabric_with(&config, MEMORY, Optimise::Build).expect("the fabric compiles");
    let mut bench = Bench::new(Box::new(fabric), 4096, effort.seed).expect("a fabric that starts");
    let rows = bounds::rows(&mut bench, &effort).expect("operations that succeed");
    for (name, cycles) in [
        ("put of 8 bytes, completion, 1 hop", 22.0),
        ("get of 8 bytes, completion, 1 hop", 31.0),
        ("fetch-and-add, round trip, 1 hop", 25.0),
    ] {
        let row = rows.iter().find(|row| row.name == name).expect("a row of this name");
        assert_eq!(row.value, cycles, "{name}");
    }
}

/// Two columns of tiles with a message-passing engine.
fn two_columns(rows: usize) -> Config {
    Config {
        cols: 2,
        rows,
        edge_nodes: 1,
        mpe: 1,
        mpe_neighbours: 8,
        ..Config::default()
    }
}

/// Four tiles with a message-passing engine and a Portals engine each, which tells its steps.
pub fn four_tiles() -> Config {
    Config {
        portals: 4,
        portals_log: true,
        entries: 64,
        buckets: 16,
        ..two_columns(2)
    }
}

/// The fabric of the commands that the tests of `portico` run, which has two tiles.
const COMMANDS: &str = include_str!("../../../sw/cli/tests/fabric.toml");

/// The benchmark of collectives on a Verilated fabric.
fn collectives_bench(config: &Config, effort: &collectives::Effort) -> Bench {
    let fabric = fabric_with(config, MEMORY, Optimise::Speed);
    let fabric = fabric.expect("the fabric compiles");
    collectives::set_up(Box::new(fabric), effort.largest(), effort.seed).expect("a fabric that starts")
}

/// What `portico bench collectives` measures on four tiles.
#[test]
fn collectives_keep_their_bounds() {
    let effort = collectives::Effort::quick();
    let mut bench = collectives_bench(&four_tiles(), &effort);
    let rows = collectives::bounds::rows(&mut bench, &effort).expect("calls that succeed");
    for (_, row) in &rows {
        assert_eq!(row.meets_bound(), Some(true), "{row:?}");
    }
    let mut group = Group::new(&mut bench, Form::Mapped).expect("a tree that fits");
    for (kind, words) in [(Kind::Barrier, 0), (Kind::Broadcast, 256), (Kind::Reduce, 256)] {
        let mut cycles = || {
            let cost = group.measure(&mut bench, kind, words, effort.check);
            cost.expect("a call that succeeds").cycles
        };
        assert!(cycles().abs_diff(cycles()) <= 4, "{kind:?} is not steady");
    }
}

/// A barrier along a chain takes 7 cycles, and 5 for each hop of one link on the way up and on the way down. The root is in the
/// middle, or at the end of a chain of two to six tiles.
#[test]
fn a_hop_of_a_token_takes_five_cycles() {
    let two_tiles = Config::from_toml(COMMANDS).unwrap().fabric().unwrap();
    for (config, hops) in [(two_tiles, 1), (four_tiles(), 2)] {
        let mut bench = collectives_bench(&config, &collectives::Effort::quick());
        let costs = collectives::calls(&mut bench, Form::Linear, Kind::Barrier, 0, 3).expect("calls that succeed");
        for cost in costs {
            assert_eq!(cost.cycles, 7 + 2 * 5 * hops, "{hops} hops");
        }
    }
    let mut bench = Bench::new(Box::new(hardware(32)), 4096, Effort::quick().seed).expect("a fabric that starts");
    // Three columns in two rows.
    let snake = [0, 1, 2, 5, 4, 3];
    for length in 2..=snake.len() {
        tokens_take_five_cycles_a_hop(&mut bench, &snake[..length]);
    }
}

/// The same of chains that need more tiles.
#[test]
fn tokens_keep_their_pace_along_seven_and_eight_tiles() {
    let four_columns = Config {
        cols: 4,
        ..two_columns(2)
    };
    let fabric = fabric_with(&four_columns, MEMORY, Optimise::Speed).expect("the fabric compiles");
    let mut bench = Bench::new(Box::new(fabric), 4096, Effort::quick().seed).expect("a fabric that starts");
    let snake = [0, 1, 2, 3, 7, 6, 5, 4];
    for length in [7, 8] {
        tokens_take_five_cycles_a_hop(&mut bench, &snake[..length]);
    }
}

/// Each tile is a neighbour of the one before it in the mesh; the first one is the root.
fn tokens_take_five_cycles_a_hop(bench: &mut Bench, tiles: &[usize]) {
    let barrier = chain(bench, tiles);
    for _ in 0..3 {
        let of = |tile: usize| tiles.iter().position(|&member| member == tile).expect("a member");
        let timing = bench.batch(tiles, 1, |_, tile, _| barrier[of(tile)].clone());
        let timing = timing.expect("a barrier that ends");
        let cycles = timing.fired.iter().max().expect("a tile") - timing.accepted.iter().max().expect("a tile");
        assert_eq!(cycles, 7 + 2 * 5 * (tiles.len() as u64 - 1), "{tiles:?}");
    }
}

/// Numbers of calls wrap 39 times, and nothing is left behind that a later call could wait for.
#[test]
fn the_same_call_ten_thousand_times_takes_as_long_as_once() {
    const CALLS: usize = 10_000;
    let mut bench = collectives_bench(&two_columns(1), &collectives::Effort::quick());
    let mut group = Group::new(&mut bench, Form::Mapped).expect("a tree that fits");
    for kind in [Kind::Barrier, Kind::Allreduce] {
        let cycles = group.repeat(&mut bench, kind, CALLS).expect("calls that succeed");
        let (least, most) = (cycles.iter().min().unwrap(), cycles.iter().max().unwrap());
        println!("{kind:?}: {least} to {most} cycles");
        assert!(
            cycles.len() == CALLS && most - least <= 4,
            "{kind:?}: {least} to {most} cycles"
        );
    }
}

/// The host posts a call at 16 members: as many as the least time-out of the suites' fabric does not tell.
#[test]
fn the_least_timeout_of_sixteen_members_ends_no_call() -> Result<(), Error> {
    let sixteen = Config {
        cols: 4,
        rows: 4,
        mpe: 2,
        ..leaves()
    };
    collective::the_least_timeout_ends_no_call(|_| {
        Fabric::open(fabric_with(&sixteen, MEMORY, Optimise::Build).expect("the fabric compiles")).unwrap()
    })
}

/// Faults of the fabric of 32 bits.
const FAULTS: [Fault; 14] = [
    Fault {
        what: "a window takes words behind its end",
        module: "target",
        from: "(absolute | (position < size))",
        to: "(absolute | (position <= size))",
    },
    Fault {
        what: "a command does not wait for the one before it on its segment",
        module: "core",
        from: "(subject == asked_segment)",
        to: "(subject != asked_segment)",
    },
    Fault {
        what: "a fence does not look at open transactions",
        module: "open_slots",
        from: "known_count_next = «counters_was»;",
        to: "6'd0",
    },
    Fault {
        what: "a reset leaves transactions open",
        module: "open_slots",
        from: "counters_change = «CHANGE_SET»;",
        to: "CHANGE_LOOK",
    },
    Fault {
        what: "of two gets to a node only one gives its credit back",
        module: "get_credits",
        from: "credits_read_data + 2'd1",
        to: "credits_read_data | 2'd1",
    },
    Fault {
        what: "a port writes the lowest byte of a word always",
        module: "axi_lite_writer",
        from: "strobes_next = «s_axil_wstrb»;",
        to: "s_axil_wstrb | 4'd1",
    },
    Fault {
        what: "a drained command waits for nothing",
        module: "drain",
        from: "~wanted | «busy» | rst",
        to: "1'd0",
    },
    Fault {
        what: "a pad is the first word of a descriptor",
        module: "pad_match",
        from: "(word[4:0] == PAD)",
        to: "1'd0",
    },
    Fault {
        what: "a closed context keeps what lies in its buffer",
        module: "edge_drain",
        from: "frees = «drops & ~busy»;",
        to: "1'd0",
    },
    Fault {
        what: "a token of before counts after a context has opened",
        module: "mpe",
        from: ".take(scheduler_take_token),\n        .clear(«registers_open»)",
        to: "32'd0",
    },
    Fault {
        what: "a launch is not handed on",
        module: "launches",
        from: "sends = «(|owes) & (~leaves | go_ready)»;",
        to: "1'd0",
    },
    Fault {
        what: "an armed call begins beside the one before it",
        module: "launches",
        from: "launched[1] & «~running[1]»",
        to: "1'd1",
    },
    Fault {
        what: "the number of a token is compared with one bit",
        module: "edge_tokens",
        from: "ahead = «number - current»;",
        to: "(number - current) & 2'd1",
    },
    Fault {
        what: "a packet of another call is overlooked",
        module: "packet_watch",
        from: "fails_next = «4'd1 << owner»;",
        to: "4'd0",
    },
];

/// With these faults of the fabric of 32 bits, `check` fails, and for what that fabric does; with no fault chosen, it does not.
fn caught(numbers: &[usize], check: impl Fn(&dyn Fn(usize) -> SimulatedFabric) -> Result<(), Error>) {
    static FAULTY: OnceLock<Faulty> = OnceLock::new();
    let faulty = FAULTY.get_or_init(|| Faulty::new(&design("fabric", &config(32)).unwrap(), &FAULTS, Optimise::Speed));
    are_noticed(faulty, &config(32), numbers, |fabric| {
        check(&|width| {
            assert_eq!(width, 32, "{NOBODY}");
            fabric()
        })
    });
}

/// What a check ends with that has not met a fault.
const NOBODY: &str = "nobody noticed";

/// With these faults in the hardware of this configuration, `check` fails; with no fault chosen, it does not.
fn are_noticed<E: Display>(
    faulty: &Faulty,
    config: &Config,
    numbers: &[usize],
    check: impl Fn(&dyn Fn() -> SimulatedFabric) -> Result<(), E>,
) {
    let outcome = |number| {
        let library = faulty.with(number);
        let fabric = || fabric_of(&library, config, MEMORY).expect("the ports of a fabric");
        match catch_unwind(AssertUnwindSafe(|| check(&fabric))) {
            Ok(Ok(())) => NOBODY.into(),
            Ok(Err(error)) => error.to_string(),
            Err(panic) => *panic.downcast::<String>().expect("a message"),
        }
    };
    let right = outcome(0);
    assert!(right.contains(NOBODY), "no fault is chosen: {right}");
    for &number in numbers {
        let (what, why) = (faulty.names().nth(number - 1).expect("a fault"), outcome(number));
        assert!(!why.contains(NOBODY), "{what}: {why}");
        println!("{what}: {why}");
    }
}

#[test]
fn a_window_without_a_check_is_caught() {
    caught(&[1], |fabric| {
        codes::every_error_has_its_code(|width| Fabric::open(fabric(width)).unwrap())
    });
}

#[test]
fn an_operation_that_overtakes_is_caught() {
    caught(&[2], |fabric| {
        order::puts_of_one_initiator_in_order(|width| Fabric::open(fabric(width)).unwrap())
    });
}

#[test]
fn a_fence_that_does_not_wait_is_caught() {
    caught(&[3], |fabric| {
        order::a_fence_comes_after_all_before_it(|width| Fabric::open(fabric(width)).unwrap())
    });
}

#[test]
fn a_reset_that_leaves_transactions_open_and_a_credit_that_does_not_come_back_are_caught() {
    caught(&[4, 5], |fabric| {
        promises::fabric::a_reset_in_mid_flight_loses_no_credit(fabric)
    });
}

#[test]
fn a_port_that_does_not_heed_its_strobes_is_caught() {
    caught(&[6], |fabric| {
        tile_ports::strobes_choose_bytes(fabric(32));
        Ok(())
    });
}

#[test]
fn a_drained_command_that_does_not_wait_is_caught() {
    caught(&[7], |fabric| {
        order::a_drained_command_goes_behind_all_before_it(|width| Fabric::open(fabric(width)).unwrap())
    });
}

#[test]
fn pads_that_are_words_are_caught() {
    caught(&[8], |fabric| {
        let mut fabric = Fabric::open(fabric(32)).unwrap();
        let event = fabric.event(1)?;
        // A pad, then a receive of two words. Its engine refuses it; the requester would call it not built.
        let receive = Opcode::Receive as u32 | u32::from(event.number()) << EVENT_OFFSET;
        fabric.poke(1, CommandRegister::Word, MAX_DESCRIPTOR_WORDS - 3, &[0, receive, 0])?;
        rest(&mut fabric);
        assert_eq!(event.state(&mut fabric)?.error, Some(ErrorCode::Malformed));
        Ok(())
    });
}

#[test]
fn a_context_that_keeps_a_packet_is_caught() {
    caught(&[9], |fabric| {
        collective::a_communicator_works_after_recover_and_its_sums_are_right(|width| {
            Fabric::open(fabric(width)).unwrap()
        })
    });
}

#[test]
fn a_launch_that_is_kept_or_too_early_is_caught() {
    caught(&[11, 12], |fabric| {
        collective::one_launch_runs_every_member_and_its_sums_are_right(|width| Fabric::open(fabric(width)).unwrap())
    });
}

#[test]
fn a_token_that_is_kept_and_a_number_that_is_compared_in_part_are_caught() {
    caught(&[10, 13], |fabric| {
        collective::a_neighbour_may_be_two_calls_ahead(|width| Fabric::open(fabric(width)).unwrap())
    });
}

#[test]
fn a_packet_of_another_call_that_is_overlooked_is_caught() {
    caught(&[14], |fabric| {
        collective::members_that_disagree_are_found_and_wait_says_mismatch(|width| Fabric::open(fabric(width)).unwrap())
    });
}

#[test]
fn registers_behind_a_table_are_caught() {
    let fault = [Fault {
        what: "a register behind the last event is one of an event before",
        module: "register_range",
        from: "(index >= 16'h2080)",
        to: "(index >= 16'h2100)",
    }];
    let faulty = Faulty::new(&design("fabric", &leaves()).unwrap(), &fault, Optimise::Build);
    are_noticed(&faulty, &leaves(), &[1], |fabric| {
        tables::registers_behind_a_table_are_nothing(|_| Fabric::open(fabric()).unwrap())
    });
}
