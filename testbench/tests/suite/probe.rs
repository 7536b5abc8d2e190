//! The source/sink core as Verilog and as a netlist; and faults in it that its promises find.

use crate::{
    mutants::{
        caught::{all_are_caught, device},
        fault::Fault,
    },
    promises::probe::check,
};
use portico_generate::design;
use portico_spec::Config;
use portico_testbench::device::hardware::{compiled, synthesised};
use portico_verilog::Design;

const SEED: u64 = 0x5eed;
const ROUNDS: usize = 40;
/// Share of packets with a bit changed on their way.
const FAULTS: f64 = 0.1;

fn probe(width: usize) -> Design {
    let config = Config {
        width,
        probe: true,
        ..Config::default()
    };
    design("probe", &config).expect("it can be emitted")
}

#[test]
fn verilog_sends_checks_counts_and_times() -> anyhow::Result<()> {
    for width in [32, 64] {
        println!(
            "{:?}",
            check(&mut compiled(&probe(width))?, width, ROUNDS, FAULTS, SEED)?
        );
    }
    Ok(())
}

#[test]
fn a_netlist_sends_checks_counts_and_times() -> anyhow::Result<()> {
    println!("{:?}", check(&mut synthesised(&probe(32))?, 32, ROUNDS, FAULTS, SEED)?);
    Ok(())
}

#[test]
fn planted_faults_are_caught() {
    let faults = [
        Fault {
            what: "a sink that does not look at the content",
            module: "probe_sink",
            from: "checks & (checked != content)",
            to: "1'b0",
        },
        Fault {
            what: "a source that forgets how many packets it has sent",
            module: "probe_source",
            from: "sent_to_write_data = «next_serial + 32'd1»",
            to: "next_serial",
        },
        Fault {
            what: "latencies that are a cycle too long",
            module: "probe_sink",
            from: "came <= «now»",
            to: "now + 32'd1",
        },
        Fault {
            what: "a source that sends a packet too many",
            module: "probe_source",
            from: "left_next = «left - 32'd1»",
            to: "left - {31'd0, |left[31:1]}",
        },
    ];
    all_are_caught(&probe(32), &faults, ROUNDS, |library, rounds| {
        check(&mut device(library), 32, rounds, FAULTS, SEED)
    });
}
