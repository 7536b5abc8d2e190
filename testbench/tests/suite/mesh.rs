//! The mesh as Verilated Verilog, against golden: every pattern, every shape, back-pressure and idle, strays, resets.

use portico_golden::zero_load_latency;
use portico_spec::{Config, Flit, Head, Node, Port};
use portico_testbench::{
    bench::noc::{streams, zero_load},
    device::{
        counters,
        hardware::{mesh, VerilatedMesh},
        stream::StreamDevice,
        Device,
    },
    traffic::{
        mesh_run::run,
        plan::{Drain, Plan},
        report::Report,
        Pattern, Workload,
    },
};

fn config(cols: usize, rows: usize, edge_nodes: usize) -> Config {
    Config {
        cols,
        rows,
        edge_nodes,
        ..Config::default()
    }
}

fn traffic(config: &Config, pattern: Pattern, rate: f64, packet: usize, seed: u64) -> Plan {
    let destinations = pattern
        .on_mesh(config.cols, config.rows, config.edge_nodes)
        .expect("the pattern fits");
    Plan::new(
        Workload::random(destinations, rate, packet).expect("the load is possible"),
        0,
        3_000,
        seed,
    )
}

fn checked(device: &mut VerilatedMesh, config: &Config, plan: &Plan) -> Report {
    run(device, config, plan).unwrap_or_else(|error| panic!("{config:?}: {error}"))
}

#[test]
fn every_pattern_arrives_word_for_word() {
    let config = config(4, 4, 2);
    let mut device = mesh(&config).expect("the mesh builds");
    for (number, pattern) in Pattern::ALL.into_iter().enumerate() {
        let seed = 0x5eed + number as u64;
        let mut plan = traffic(&config, pattern, 0.4, 4, seed);
        plan.stall = 0.2;
        plan.idle = 0.1;
        plan.drain = Drain::Network;
        let report = checked(&mut device, &config, &plan);
        assert!(
            report.packets > 100,
            "{pattern:?}, seed {seed:#x}: {} packets",
            report.packets
        );
    }
}

#[test]
fn every_shape_from_one_tile_on_carries_packets_of_every_length() {
    for (cols, rows, edge_nodes) in [(1, 1, 1), (1, 5, 0), (5, 1, 5), (2, 3, 1)] {
        let config = Config {
            monitors: false,
            ..config(cols, rows, edge_nodes)
        };
        let mut device = mesh(&config).expect("the mesh builds");
        for packet in [1, 2, 33, 65] {
            let seed = packet as u64;
            let mut plan = traffic(&config, Pattern::AllToOne, 0.5, packet, seed);
            plan.stall = 0.3;
            plan.drain = Drain::Network;
            assert!(
                checked(&mut device, &config, &plan).packets > 10,
                "{config:?}, {packet} flits"
            );
        }
    }
}

#[test]
fn wide_flits_and_odd_fifos_carry_packets() {
    for (width, fifo) in [(64, 2), (64, 16), (32, 3), (32, 11)] {
        let config = Config {
            width,
            fifo,
            ..config(3, 3, 1)
        };
        let mut device = mesh(&config).expect("the mesh builds");
        let mut plan = traffic(&config, Pattern::Uniform, 0.6, 5, 77);
        plan.stall = 0.25;
        plan.drain = Drain::Network;
        assert!(
            checked(&mut device, &config, &plan).packets > 500,
            "width {width}, fifo {fifo}"
        );
    }
}

#[test]
fn zero_load_latency_is_hops_and_one_for_every_pair() {
    let config = config(8, 8, 0);
    let mut device = mesh(&config).expect("the mesh builds");
    let pairs = zero_load::pairs(&config, &mut device).expect("every packet arrives");
    assert_eq!(pairs.len(), 64 * 64);
    for pair in pairs {
        assert_eq!(pair.cycles, pair.hops as u64 + 1, "{pair:?}");
        assert_eq!(
            pair.cycles,
            zero_load_latency(&config, pair.source, pair.destination),
            "{pair:?}"
        );
    }
}

#[test]
fn every_link_carries_a_flit_a_cycle() {
    let config = config(4, 4, 0);
    let mut device = mesh(&config).expect("the mesh builds");
    let to_neighbours = Port::ALL.map(|port| streams::neighbours(&config, port));
    let one_to_one = vec![(0, config.tiles() - 1)];
    for flows in to_neighbours
        .iter()
        .chain([&streams::all_links(&config), &one_to_one])
        .filter(|flows| !flows.is_empty())
    {
        for packet in [1, 2, 33] {
            let measured = streams::throughput(&config, &mut device, flows, packet).expect("every packet arrives");
            assert_eq!(measured, 1.0, "packets of {packet} flits, {flows:?}");
        }
    }
}

/// A packet of `words` flits from terminal `source` to any node.
fn packet(config: &Config, source: usize, destination: Node, words: usize) -> Vec<Flit> {
    let head = Head {
        destination,
        source: config.terminal_node(source),
        tag: 0,
        kind: 0,
        last: false,
    };
    let head = u64::from(head.encode().expect("fields fit"));
    (0..words)
        .map(|at| Flit {
            data: if at == 0 { head } else { at as u64 },
            last: at + 1 == words,
        })
        .collect()
}

/// Sends `flits` into terminal `source` and then waits until all is quiet; returns what came out, by terminal.
fn send(device: &mut VerilatedMesh, source: usize, flits: &[Flit]) -> Vec<(usize, Flit)> {
    let (mut next, mut out) = (0, Vec::new());
    let ready = vec![true; device.outputs()];
    for _ in 0..400 {
        let mut offered = vec![None; device.inputs()];
        offered[source] = flits.get(next).copied();
        let moved = device.cycle(&offered, &ready);
        next += usize::from(moved.accepted[source]);
        out.extend(
            moved
                .emitted
                .iter()
                .enumerate()
                .filter_map(|(terminal, flit)| Some((terminal, (*flit)?))),
        );
    }
    assert_eq!(next, flits.len(), "the mesh takes every flit");
    out
}

fn output(device: &mut VerilatedMesh, name: &str) -> u64 {
    let port = device.device().require_output(name).expect("the mesh reports");
    device.device().get(port)
}

#[test]
fn strays_are_consumed_counted_and_reported_and_block_nothing() {
    let config = config(3, 2, 1);
    let mut device = mesh(&config).expect("the mesh builds");
    let strays = [
        (0, Node { x: 3, y: 0 }),
        (1, Node { x: 15, y: 31 }),
        (2, Node { x: 2, y: 2 }),
        (4, Node { x: 0, y: 3 }),
        (6, Node { x: 0, y: 2 }),
        (6, Node { x: 0, y: 9 }),
        (6, Node { x: 4, y: 0 }),
    ];
    for (number, (source, destination)) in strays.into_iter().enumerate() {
        let flits = packet(&config, source, destination, 9);
        assert_eq!(send(&mut device, source, &flits), [], "from {source} to {destination}");
        assert_eq!(
            output(&mut device, "dropped_packets"),
            number as u64 + 1,
            "from {source} to {destination}"
        );
    }
    // The chain ends at the east column of the south side: its latest stray is the one shown.
    assert_eq!(
        output(&mut device, "dropped_head"),
        packet(&config, 2, Node { x: 2, y: 2 }, 1)[0].data
    );
    let mut plan = traffic(&config, Pattern::Uniform, 0.5, 3, 5);
    plan.drain = Drain::Network;
    assert!(checked(&mut device, &config, &plan).packets > 500);
}

#[test]
fn monitors_count_flits_and_stalls_of_every_link() {
    let config = config(2, 2, 0);
    let mut device = mesh(&config).expect("the mesh builds");
    let flits = packet(&config, 0, Node { x: 1, y: 1 }, 7);
    assert_eq!(send(&mut device, 0, &flits).len(), 7);
    let mut counter = |tile: u64, link: u64, stalls: u64| {
        for (name, value) in [
            ("monitor_tile", tile),
            ("monitor_link", link),
            ("monitor_stalls", stalls),
        ] {
            let port = device.device().require_input(name).expect("the mesh has monitors");
            device.device().set(port, value);
        }
        for _ in 0..=config.tiles() {
            device.device().tick();
        }
        output(&mut device, "monitor_value")
    };
    // Local input of tile 0, its east output, the south output of tile 1, the local output of tile 3.
    for (tile, link) in [(0, 5), (0, 2), (1, 3), (3, 0)] {
        assert_eq!(counter(tile, link, 0), 7, "tile {tile}, link {link}");
        assert_eq!(counter(tile, link, 1), 0, "tile {tile}, link {link}");
    }
    assert_eq!(counter(0, 3, 0), 0);
}

#[test]
fn monitors_count_on_each_link_the_flits_of_the_packets_that_are_routed_over_it() {
    for (cols, rows, edge_nodes) in [(1, 1, 1), (3, 2, 2), (4, 4, 0)] {
        let config = config(cols, rows, edge_nodes);
        let mut device = mesh(&config).expect("the mesh builds");
        for seed in [1, 2] {
            let mut plan = traffic(&config, Pattern::Uniform, 0.5, 4, seed);
            plan.stall = 0.2;
            plan.drain = Drain::Network;
            let report = checked(&mut device, &config, &plan);
            let counted = counters::link_flits(device.device(), &config).expect("the mesh has monitors");
            counters::compare(&counted, &report.links).unwrap_or_else(|miscount| panic!("{config:?}: {miscount}"));
            let delivered: u64 = report.links.iter().map(|flits| flits.whole).sum();
            assert!(delivered >= 2 * report.flits, "{config:?}: {delivered}");
        }
    }
}

#[test]
fn a_reset_in_mid_flight_leaves_an_empty_mesh() {
    let config = config(3, 3, 0);
    let mut device = mesh(&config).expect("the mesh builds");
    for length in [1, 2, 3, 5, 8, 13, 40] {
        let flits = packet(&config, 0, Node { x: 2, y: 2 }, 65);
        let ready = vec![false; device.outputs()];
        for flit in flits.iter().take(length) {
            let mut offered = vec![None; device.inputs()];
            offered[0] = Some(*flit);
            device.cycle(&offered, &ready);
        }
        device.reset();
        let whole = packet(&config, 0, Node { x: 2, y: 2 }, 4);
        let out = send(&mut device, 0, &whole);
        assert_eq!(
            out,
            whole.iter().map(|flit| (8, *flit)).collect::<Vec<_>>(),
            "reset after {length} flits"
        );
    }
}
