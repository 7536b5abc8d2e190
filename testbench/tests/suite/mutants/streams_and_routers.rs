//! The suites of streams and routers prove themselves: hardware with a planted fault does not pass them.

use super::fault::Fault;
use crate::promises::{queue, routing};
use portico_generate::design;
use portico_sim::{build, Optimise, Options};
use portico_spec::Config;
use portico_testbench::device::verilated::Verilated;

const SEED: u64 = 0x5eed;
const DEPTH: usize = 4;
const WIDTH: usize = 32;
const CYCLES: usize = 20_000;

/// The block with the fault in it.
fn faulty(block: &str, fault: &Fault) -> anyhow::Result<Verilated> {
    let mut design = design(
        block,
        &Config {
            width: WIDTH,
            fifo: DEPTH,
            ..Config::default()
        },
    )?;
    fault.plant(&mut design);
    let options = Options {
        optimise: Optimise::Build,
        lint: false,
        ..Options::default()
    };
    Ok(Verilated::new(&build(&design, &options)?)?)
}

/// Every fault is caught by `check`, for a reason that has to do with what the block shows.
fn caught(block: &str, faults: &[Fault], check: impl Fn(Verilated) -> anyhow::Result<()>) {
    for fault in faults {
        let device = faulty(block, fault).unwrap_or_else(|error| panic!("{}: {error:#}", fault.what));
        let error = check(device)
            .err()
            .unwrap_or_else(|| panic!("{}: nobody noticed", fault.what));
        assert!(error.to_string().contains("seed 0x5eed"), "{}: {error:#}", fault.what);
        println!("{}: {error:#}", fault.what);
    }
}

#[test]
fn faults_of_queues_are_caught() {
    let faults = [
        Fault {
            what: "full a beat too early",
            module: "fifo_control",
            from: "last_room = writer_after == read_address",
            to: "last_room = {writer_after[0], ^writer_after ^ ~writer_after[0]} == read_address",
        },
        Fault {
            what: "full a beat too late",
            module: "fifo_control",
            from: "last_room = writer_after == read_address",
            to: "last_room = write_address == read_address & has_word",
        },
        Fault {
            what: "the last beat goes unread",
            module: "fifo_control",
            from: "(read & last_word)",
            to: "last_word",
        },
        Fault {
            what: "last is not stored",
            module: "lut_ram_d1",
            from: "<= write_data",
            to: "<= 1'b0",
        },
        Fault {
            what: "reset leaves the writer where it is",
            module: "address_ring_has_enable1",
            from: "place <= 2'd0;",
            to: "place <= place;",
        },
    ];
    caught("fifo", &faults, |device| queue::check(device, DEPTH, WIDTH, SEED));
    let faults = [Fault {
        what: "what skids is overwritten",
        module: "",
        from: "spare_data_next = spare_data;",
        to: "spare_data_next = s_axis_tdata;",
    }];
    caught("skid-buffer", &faults, |device| queue::check(device, 2, WIDTH, SEED));
}

#[test]
fn faults_of_routers_are_caught() {
    let faults = [
        Fault {
            what: "an output without a lock",
            module: "output_to1",
            from: "from_3_wants[1] & may[3]",
            to: "from_3_wants[1]",
        },
        Fault {
            what: "two swapped route codes",
            module: "route_from2",
            from: "{1'b0, in_column & ~row_less, in_column & (row_less | row_equal)}",
            to: "{1'b0, in_column & (row_less | row_equal), in_column & ~row_less}",
        },
        Fault {
            what: "payload that is routed by its own bits",
            module: "input_unit_from0",
            from: "flit_code = packet_code;",
            to: "flit_code = route_code;",
        },
        Fault {
            what: "an overflowing FIFO",
            module: "input_fifo",
            from: "last_room = writer_after == reader_address",
            to: "last_room = writer_address == reader_address & flit",
        },
        Fault {
            what: "a reset that keeps a lock",
            module: "output_to2",
            from: "may <= 5'h1f;",
            to: "may <= may;",
        },
        Fault {
            what: "a token that stands still",
            module: "priority",
            from: "turn + 4'd1",
            to: "turn",
        },
    ];
    caught("router", &faults, |device| {
        routing::check(device, DEPTH, WIDTH, CYCLES, SEED)
    });
}
