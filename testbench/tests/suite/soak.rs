//! The soak on the Verilated fabric; and that it notices hardware with a planted fault.

use crate::{
    fabric::four_tiles,
    mutants::fault::{Fault, Faulty},
    promises::driver::absent,
};
use portico::{Fabric, GoldenTransport};
use portico_generate::design;
use portico_sim::Optimise;
use portico_spec::Config;
use portico_synth::Memories;
use portico_testbench::{
    device::{
        axi_memory::Timing,
        hardware::{compiled_netlist, fabric_of, fabric_with, netlist},
    },
    soak::{draw_sizes, run, GoldenDevice, Soak, Summary, Workload},
};
use std::sync::OnceLock;

const SEED: u64 = 0x5eed;
/// Share of rounds that a reset cuts off, where there are resets.
const RESETS: f64 = 0.5;
/// An external memory at its worst: slow, with every channel standing still in three cycles of ten.
const SLOW: Timing = Timing {
    latency: 33,
    stall: 0.3,
};

/// Four tiles have ports and all engines; fewer have none.
fn config(cols: usize, rows: usize) -> Config {
    let has_engines = cols * rows == 4;
    Config {
        cols,
        rows,
        scratchpad: 16,
        memories: usize::from(cols > 1),
        probe: has_engines,
        tile_ports: has_engines,
        streams: has_engines,
        mpe: if has_engines { 2 } else { 0 },
        ..Config::default()
    }
}

/// Soaks of four tiles run long enough to pay for the optimisation of their models.
fn optimise(config: &Config) -> Optimise {
    match config.tiles() {
        4 => Optimise::Speed,
        _ => Optimise::Build,
    }
}

fn soak(config: &Config, workload: Workload, cycles: u64, resets: f64) -> Summary {
    let soak = Soak {
        workload,
        cycles,
        seed: SEED,
        resets,
    };
    println!("{soak:?}");
    let mut fabric = fabric_with(config, SLOW, optimise(config)).unwrap();
    let summary = run(&mut fabric, &soak, &mut |_| {}).unwrap_or_else(|error| panic!("{error:#}"));
    println!("{summary:?}");
    assert!(summary.cycles >= cycles);
    summary
}

#[test]
fn all_operations_of_all_tiles_at_once() {
    let summary = soak(&config(2, 2), Workload::Soak, 60_000, 0.0);
    assert!(
        summary.transfers > 100 && summary.atomics > 50 && summary.programs > 10,
        "{summary:?}"
    );
    assert!(summary.streams > 10, "{summary:?}");
    assert!(
        summary.messages > 5 && summary.refused > 10 && summary.words > 4_000,
        "{summary:?}"
    );
}

#[test]
fn resets_in_mid_flight() {
    let summary = soak(&config(2, 2), Workload::Soak, 100_000, RESETS);
    assert!(summary.resets > 0 && summary.operations > 100, "{summary:?}");
}

#[test]
fn neighbours_and_queues() {
    let summary = soak(&config(2, 2), Workload::Neighbours, 10_000, 0.0);
    assert!(summary.transfers > 100 && summary.messages == 0, "{summary:?}");
    let summary = soak(&config(2, 2), Workload::Queues, 10_000, 0.0);
    assert!(summary.messages > 30, "{summary:?}");
}

#[test]
fn a_lone_tile_of_64_bits() {
    let config = Config {
        width: 64,
        scratchpad: 4,
        cores: 2,
        ..config(1, 1)
    };
    let summary = soak(&config, Workload::Soak, 40_000, RESETS);
    assert!(summary.operations > 50, "{summary:?}");
}

/// Without command streams: masters at the ports of the tiles write the descriptors.
#[test]
fn leaves_with_masters_at_their_ports() {
    let config = Config {
        cols: 2,
        rows: 1,
        tile_ports: true,
        ..Config::from_toml("profile = 'leaf'").expect("a profile")
    };
    let summary = soak(&config, Workload::Soak, 40_000, RESETS);
    assert!(summary.operations > 50 && summary.resets > 0, "{summary:?}");
    let summary = soak(&config, Workload::Lists, 40_000, 0.0);
    assert!(summary.lists > 10, "{summary:?}");
}

#[test]
fn mails_back_to_back() {
    let summary = soak(&config(2, 2), Workload::Mails, 20_000, 0.0);
    assert!(summary.operations > 200 && summary.refused > 40, "{summary:?}");
}

#[test]
fn source_sink_cores_beside_all_the_rest() {
    let summary = soak(&config(2, 2), Workload::Probes, 30_000, RESETS);
    assert!(
        summary.probes > 50 && summary.transfers > 50 && summary.resets > 0,
        "{summary:?}"
    );
}

#[test]
fn calls_of_engines_beside_all_the_rest() {
    let summary = soak(&config(2, 2), Workload::Collectives, 40_000, RESETS);
    assert!(
        summary.collectives > 50 && summary.transfers > 50 && summary.refused > 10,
        "{summary:?}"
    );
    assert!(summary.resets > 0, "{summary:?}");
}

#[test]
fn members_that_disagree_beside_all_the_rest() {
    let summary = soak(&config(2, 2), Workload::Failing, 80_000, RESETS);
    assert!(
        summary.recoveries > 5 && summary.collectives > 20 && summary.transfers > 20,
        "{summary:?}"
    );
}

#[test]
fn tiles_that_work_by_lists() {
    let summary = soak(&config(2, 2), Workload::Lists, 40_000, RESETS);
    assert!(
        summary.lists > 30 && summary.transfers > 50 && summary.collectives > 20 && summary.refused > 10,
        "{summary:?}"
    );
    assert!(summary.resets > 0, "{summary:?}");
}

/// What a soak of the fabric of the suites of Portals did: the golden fabric runs long, the Verilog with the same seed.
fn soak_of_portals(workload: Workload, cycles: u64, resets: f64) -> Summary {
    let soak = Soak {
        workload,
        cycles: 5 * cycles,
        seed: SEED,
        resets,
    };
    let mut golden = GoldenDevice::new(&four_tiles().fabric().unwrap()).unwrap();
    run(&mut golden, &soak, &mut |_| {}).unwrap_or_else(|error| panic!("golden: {error:#}"));
    self::soak(&four_tiles(), workload, cycles, resets)
}

#[test]
fn portals_alone() {
    let summary = soak_of_portals(Workload::Portals, 60_000, 0.0);
    assert!(summary.portals > 1_000 && summary.refused > 50, "{summary:?}");
}

/// Four tiles in a row, with rooms for as many ranks as there may be. `make long` runs it.
#[test]
fn portals_alone_on_tiles_in_a_row() {
    let row = Config {
        cols: 4,
        rows: 1,
        portals: 64,
        ..four_tiles()
    };
    let summary = soak(&row, Workload::Portals, 20_000, 0.0);
    assert!(summary.portals > 200 && summary.refused > 10, "{summary:?}");
    let summary = soak(&row, Workload::Replay, 8_000, 0.0);
    assert!(summary.portals > 60 && summary.steps > 100, "{summary:?}");
}

#[test]
fn portals_that_race_are_replayed() {
    let summary = soak(&four_tiles(), Workload::Replay, 24_000, 0.0);
    assert!(
        summary.rounds > 2 && summary.portals > 400 && summary.steps > 1_000,
        "{summary:?}"
    );
}

#[test]
fn portals_beside_all_the_rest() {
    let summary = soak_of_portals(Workload::Soak, 80_000, RESETS);
    assert!(
        summary.portals > 100 && summary.transfers > 50 && summary.collectives > 5 && summary.lists > 5,
        "{summary:?}"
    );
    assert!(summary.resets > 0, "{summary:?}");
}

/// One tile after synthesis, with its block RAMs: a netlist has the events, counters and memory of the Verilog.
#[test]
fn the_netlist_of_a_tile_with_portals() -> anyhow::Result<()> {
    let tile = "profile = 'leaf'\ncols = 1\nrows = 1\nfifo = 2\ncommands = true\nscratchpad = 64\n\
                portals = 4\nportals_log = true\nentries = 64";
    let config = Config::from_toml(tile)?.fabric()?;
    let netlist = netlist(&design("fabric", &config)?, Memories::BlockRams)?;
    assert!(netlist.verilog.contains("DP16KD #"), "no block RAM");
    let mut fabric = fabric_of(&compiled_netlist(&netlist)?, &config, SLOW)?;
    for (workload, least) in [(Workload::Portals, 100), (Workload::Replay, 60)] {
        let soak = Soak {
            workload,
            cycles: 8_000,
            seed: SEED,
            resets: 0.0,
        };
        let summary = run(&mut fabric, &soak, &mut |_| {})?;
        println!("{workload}: {summary:?}");
        assert!(summary.portals > least && summary.words > 1_000, "{summary:?}");
    }
    Ok(())
}

fn of_random_sizes(seed: u64, workload: Workload) {
    let config = draw_sizes(&config(2, 1), &[], seed);
    println!("seed {seed:#x}: {config:?}");
    let summary = soak(&config, workload, 20_000, 0.0);
    assert!(summary.operations > 50, "{summary:?}");
}

#[test]
fn nodes_of_random_sizes() {
    of_random_sizes(SEED, Workload::Soak);
}

#[test]
fn nodes_of_more_random_sizes() {
    of_random_sizes(SEED + 1, Workload::Mails);
    of_random_sizes(SEED + 2, Workload::Soak);
}

const FAULTS: [Fault; 4] = [
    Fault {
        what: "a receiver takes nothing of the data plane",
        module: "intake",
        from: "s_axis_tready = «~spare_taken & ~sweep_active»",
        to: "1'b0",
    },
    Fault {
        what: "a row of more than one packet begins anew with each",
        module: "cursor",
        from: "positions_write_data = «position + {9'd0, words}»",
        to: "position",
    },
    Fault {
        what: "an addition at the limit",
        module: "atomic_alu",
        from: "changes = «old < first»;",
        to: "old <= first",
    },
    Fault {
        what: "planes that do not begin where the requester wants them",
        module: "request_load",
        from: "(|place) & (place < 4'd7)",
        to: "(place > 4'd1) & (place < 4'd7)",
    },
];

/// A soak of the hardware with the fault of this number, or none for 0.
fn soak_with(number: usize, cycles: u64) -> anyhow::Result<Summary> {
    static FAULTY: OnceLock<Faulty> = OnceLock::new();
    let config = config(2, 1);
    let faulty = FAULTY.get_or_init(|| Faulty::new(&design("fabric", &config).unwrap(), &FAULTS, Optimise::Speed));
    let mut device = fabric_of(&faulty.with(number), &config, SLOW).unwrap();
    let soak = Soak {
        workload: Workload::Soak,
        cycles,
        seed: SEED,
        resets: 0.0,
    };
    run(&mut device, &soak, &mut |_| {})
}

/// With the fault of this number, a soak ends with a message of which these are parts.
fn is_told(number: usize, parts: &[&str]) {
    let what = FAULTS[number - 1].what;
    let text = format!("{:#}", soak_with(number, 400_000).expect_err(what));
    println!("{what}: {text}");
    assert!(text.starts_with("seed 0x5eed: "), "{what}: {text}");
    for part in parts {
        assert!(text.contains(part), "{what}: {text}");
    }
}

#[test]
fn hardware_in_which_no_fault_is_chosen_is_right() {
    soak_with(0, 20_000).expect("no fault is chosen");
}

#[test]
fn a_deadlock_is_told_with_the_links_that_wait() {
    let waits = "data plane, from tile 0 to edge node 0 waits, 2";
    is_told(1, &["not done within", "\ndeadlock: no flit moved in 2", waits]);
}

#[test]
fn a_livelock_is_told_with_the_links_that_move() {
    let moves = "data plane, from tile 0 into its router moves, 2";
    is_told(2, &["\nlivelock: ", " flits moved in 2", moves]);
}

#[test]
fn planted_faults_are_noticed() {
    is_told(3, &[]);
    is_told(4, &[]);
}

/// The fabric of the soak has a host of the least size.
#[test]
fn a_small_host_refuses_what_it_lacks() {
    let golden = GoldenTransport::new(&config(2, 2).fabric().unwrap()).unwrap();
    absent::a_small_host_refuses_what_it_lacks(Fabric::open(golden).unwrap()).unwrap();
    let verilog = fabric_with(&config(2, 2), SLOW, Optimise::Speed).unwrap();
    absent::a_small_host_refuses_what_it_lacks(Fabric::open(verilog).unwrap()).unwrap();
}
