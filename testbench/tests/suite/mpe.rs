//! The message-passing engine as Verilog and as a netlist; and faults in it that its promises find.

use crate::{
    mutants::{
        caught::{all_are_caught, device},
        fault::Fault,
    },
    promises::mpe::{check, CONTEXTS, PLACES},
};
use portico_generate::design;
use portico_spec::Config;
use portico_testbench::device::hardware::{compiled, synthesised};
use portico_verilog::Design;

const SEED: u64 = 0x5eed;
const ROUNDS: usize = 120;

fn mpe() -> Design {
    let config = Config {
        mpe: CONTEXTS,
        mpe_neighbours: PLACES,
        scratchpad: 4,
        ..Config::default()
    };
    design("mpe", &config).expect("it can be emitted")
}

#[test]
fn verilog_moves_folds_and_waits() -> anyhow::Result<()> {
    println!("{:?}", check(&mut compiled(&mpe())?, ROUNDS, SEED)?);
    Ok(())
}

#[test]
fn a_netlist_moves_folds_and_waits() -> anyhow::Result<()> {
    println!("{:?}", check(&mut synthesised(&mpe())?, ROUNDS, SEED)?);
    Ok(())
}

#[test]
fn planted_faults_are_caught() {
    let faults = [
        Fault {
            what: "a barrier that waits for nobody",
            module: "call_scheduler",
            from: "assign own_tokens = «tokens_here[7:0]»;",
            to: "8'hff",
        },
        Fault {
            what: "a fold that begins with the packet of any child",
            module: "call_scheduler",
            from: "(«~(|(children & ~own_packets))» & (root",
            to: "(~(|children) | (|(children & own_packets)))",
        },
        Fault {
            what: "a head that leaves before the packet has come that it sends on",
            module: "call_scheduler",
            from: "assign own_packets = «packets_here[7:0]»;",
            to: "packets_here[7:0] | (way & {8{~first & (|children)}})",
        },
        Fault {
            what: "packets without a credit",
            module: "call_scheduler",
            from: "assign own_credits = «credits_here[7:0]»;",
            to: "8'hff",
        },
        Fault {
            what: "packets of any node are taken",
            module: "word_receiver",
            from: "(rows_read_data[ROW_NODE +: 9] == head_source)",
            to: "1'b1",
        },
        Fault {
            what: "the second packet of an edge comes into the room of the first",
            module: "word_receiver",
            from: "assign head_slot = «next_slot[head_edge]»;",
            to: "1'b0",
        },
        Fault {
            what: "no credit for a packet with a call word alone",
            module: "edge_reader",
            from: "gives <= «ends & fits»",
            to: "ends & fits & ~is_empty",
        },
        Fault {
            what: "heads that name the first context",
            module: "folder",
            from: "<< 2) | «{6'd0, owner}»;",
            to: "8'd0",
        },
        Fault {
            what: "a row is written beside the call that is taken in",
            module: "mpe_registers",
            from: "has_call = «running | waits | takes_in»;",
            to: "running | waits",
        },
        Fault {
            what: "a row is written in the cycle after its context had no call",
            module: "mpe_registers",
            from: "~has_call[owner]",
            to: "1'b1",
        },
        Fault {
            what: "a context that opens keeps the mark that a call has ended",
            module: "call_scheduler",
            from: "over_next = «(over | ended) & ~opened»;",
            to: "over | ended",
        },
    ];
    all_are_caught(&mpe(), &faults, ROUNDS, |library, rounds| {
        check(&mut device(library), rounds, SEED)
    });
}
