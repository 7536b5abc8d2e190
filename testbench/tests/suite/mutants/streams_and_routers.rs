//! The suites of streams and routers prove themselves: hardware with a planted fault does not pass them.

use super::{
    caught::{device, each_is_caught},
    fault::{Fault, Faulty},
};
use crate::promises::{queue, routing};
use portico_generate::design;
use portico_sim::Optimise;
use portico_spec::Config;

const SEED: u64 = 0x5eed;
const DEPTH: usize = 4;
const WIDTH: usize = 32;
const CYCLES: usize = 20_000;

/// The block with the choice of these faults.
fn faulty(block: &str, faults: &[Fault]) -> Faulty {
    let config = Config {
        width: WIDTH,
        fifo: DEPTH,
        ..Config::default()
    };
    let right = design(block, &config).expect("it can be emitted");
    Faulty::new(&right, faults, Optimise::Build)
}

#[test]
fn faults_of_queues_are_caught() {
    let faults = [
        Fault {
            what: "full a beat too early",
            module: "fifo_control",
            from: "last_room = «writer_after == read_address»",
            to: "{writer_after[0], ^writer_after ^ ~writer_after[0]} == read_address",
        },
        Fault {
            what: "full a beat too late",
            module: "fifo_control",
            from: "last_room = «writer_after == read_address»",
            to: "write_address == read_address & has_word",
        },
        Fault {
            what: "the last beat goes unread",
            module: "fifo_control",
            from: "(read & last_word)",
            to: "last_word",
        },
        Fault {
            what: "last is not stored",
            module: "beat_ram",
            from: "<= {«write_last», write_data}",
            to: "1'b0",
        },
        Fault {
            what: "reset leaves the writer where it is",
            module: "address_ring_has_enable1",
            from: "place <= «2'd0»;",
            to: "place",
        },
    ];
    each_is_caught(&faulty("fifo", &faults), |library| {
        queue::check(device(library), DEPTH, WIDTH, SEED)
    });
    let faults = [Fault {
        what: "what skids is overwritten",
        module: "",
        from: "spare_data_next = «spare_data»;",
        to: "s_axis_tdata",
    }];
    each_is_caught(&faulty("skid-buffer", &faults), |library| {
        queue::check(device(library), 2, WIDTH, SEED)
    });
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
            from: "flit_code = «packet_code»;",
            to: "route_code",
        },
        Fault {
            what: "an overflowing FIFO",
            module: "input_fifo",
            from: "last_room = «writer_after == reader_address»",
            to: "writer_address == reader_address & flit",
        },
        Fault {
            what: "a reset that keeps a lock",
            module: "output_to2",
            from: "may <= «5'h1f»;",
            to: "may",
        },
        Fault {
            what: "a token that stands still",
            module: "priority",
            from: "turn + 4'd1",
            to: "turn",
        },
    ];
    each_is_caught(&faulty("router", &faults), |library| {
        routing::check(device(library), DEPTH, WIDTH, CYCLES, SEED)
    });
}
