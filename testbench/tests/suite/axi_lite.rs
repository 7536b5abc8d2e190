//! A host's way into a node, in rust-hdl's simulator and as Verilog, before a master and targets that stall at random.

use crate::promises::axi_lite::{Bench, Ports, MEMORY_BYTES};
use portico_hdl::host::AxiLiteSlave;
use portico_spec::ni::registers::{Block, BASE_BYTES, BLOCK_OFFSET, SPACE_BYTES};
use portico_testbench::{
    device::{hardware::compiled, Device},
    rtl_device,
};
use portico_verilog::{emit, Options};
use rand::{rngs::SmallRng, Rng};

fn rtl(width: usize) -> Box<dyn Device> {
    macro_rules! block {
        ($width:literal, $bytes:literal) => {
            Box::new(rtl_device!(
                AxiLiteSlave::<$width, $bytes>::new(MEMORY_BYTES);
                rst, s_axil.write_.awaddr, s_axil.write_.awprot, s_axil.write_.awvalid, s_axil.write_.wdata,
                s_axil.write_.wstrb, s_axil.write_.wvalid, s_axil.write_.bready, s_axil.read_.araddr,
                s_axil.read_.arprot, s_axil.read_.arvalid, s_axil.read_.rready,
                memory_write.ready, memory_read.ready, memory_read.data, memory_read.data_valid,
                register_write.ready, register_read.ready, register_read.data, register_read.data_valid,
                m_axis_command.tready, command_refused
            ))
        };
    }
    match width {
        32 => block!(32, 4),
        _ => block!(64, 8),
    }
}

fn verilog(width: usize) -> Box<dyn Device> {
    let options = Options {
        generator: "Test".into(),
        licence: String::new(),
        prefix: "portico".into(),
        block: "axi-lite-slave".into(),
        configuration: vec![("width".into(), width.to_string())],
        keep_apart: vec![],
    };
    let design = match width {
        32 => emit(&AxiLiteSlave::<32, 4>::new(MEMORY_BYTES), &options),
        _ => emit(&AxiLiteSlave::<64, 8>::new(MEMORY_BYTES), &options),
    };
    Box::new(compiled(&design.expect("the block can be emitted")).expect("its Verilog compiles without a warning"))
}

/// Mostly near the places where one thing ends and the next begins.
fn address(rng: &mut SmallRng, bytes: u64) -> u64 {
    let command = BASE_BYTES as u64 + ((Block::Command as u64) << BLOCK_OFFSET) * bytes;
    let beyond = BASE_BYTES as u64 + (bytes << 16);
    let near = [
        0,
        MEMORY_BYTES as u64,
        BASE_BYTES as u64,
        command,
        command + 16 * bytes,
        beyond,
        SPACE_BYTES as u64,
    ];
    let byte = near[rng.gen_range(0..near.len())] + rng.gen_range(0..64);
    let any = rng.gen_range(0..SPACE_BYTES as u64);
    let byte = [byte, byte, byte.wrapping_sub(64), any][rng.gen_range(0..4)];
    byte % SPACE_BYTES as u64
}

fn random(device: Box<dyn Device>, width: usize, pace: f64, seed: u64, cycles: u64) {
    println!("width {width}, pace {pace}, seed {seed:#x}");
    let mut bench = Bench::new(device, width, pace, seed);
    let bytes = bench.bytes;
    for _ in 0..cycles {
        if bench.addresses.len() < 3 && bench.data.len() < 3 && bench.rng.gen_bool(0.6) {
            let address = address(&mut bench.rng, bytes);
            let any = bench.rng.gen_range(0..16);
            let strobes = [0, 15, 15, any][bench.rng.gen_range(0..4)];
            let data = bench.rng.gen::<u32>().into();
            bench.write(address, data, strobes);
        }
        if bench.reads.len() < 3 && bench.rng.gen_bool(0.6) {
            let address = address(&mut bench.rng, bytes);
            bench.reads.push_back(address);
        }
        bench.cycle();
    }
    bench.pace = 1.0;
    (0..40).for_each(|_| bench.cycle());
    assert!(bench.is_done(), "something never came to its end");
    for what in [
        "memory write",
        "register write",
        "command",
        "command refused",
        "written",
        "write error",
        "memory read",
        "register read",
        "read",
        "read error",
    ] {
        assert!(
            bench.seen.get(what).is_some_and(|seen| *seen > 20),
            "{what}: {:?}",
            bench.seen
        );
    }
}

#[test]
fn every_access_goes_where_its_address_leads() {
    for width in [32, 64] {
        random(rtl(width), width, 0.5, 0xa1, 8_000);
        random(verilog(width), width, 0.5, 0xa2, 40_000);
        random(verilog(width), width, 0.95, 0xa3, 40_000);
    }
}

#[test]
fn writes_take_two_cycles_and_reads_four() {
    for device in [rtl(32), verilog(32)] {
        let mut bench = Bench::new(device, 32, 1.0, 1);
        for word in 0..100 {
            bench.write(4 * word, word, 15);
            bench.reads.push_back(4 * word);
        }
        while bench.done[0] < 100 {
            bench.cycle();
        }
        assert_eq!(bench.cycle, 2 * 100 + 1);
        while bench.done[1] < 100 {
            bench.cycle();
        }
        assert_eq!(bench.cycle, 4 * 100);
    }
}

#[test]
fn a_full_command_queue_holds_writes_alone() {
    for device in [rtl(64), verilog(64)] {
        let mut ports = Ports::new(device);
        let command = BASE_BYTES as u64 + (((Block::Command as u64) << BLOCK_OFFSET) + 15) * 8;
        let set = [
            ("s_axil_awaddr", command),
            ("s_axil_awvalid", 1),
            ("s_axil_wvalid", 1),
            ("s_axil_wstrb", 15),
        ];
        set.into_iter().for_each(|(name, value)| ports.set(name, value));
        for name in [
            "s_axil_bready",
            "s_axil_arvalid",
            "s_axil_rready",
            "memory_read_ready",
            "memory_read_data_valid",
        ] {
            ports.set(name, 1);
        }
        let (mut responses, mut reads) = (0, 0);
        for _ in 0..100 {
            ports.device.settle();
            responses += ports.get("s_axil_bvalid");
            reads += ports.get("s_axil_rvalid");
            ports.device.tick();
        }
        assert_eq!((responses, reads), (0, 25));
        ports.set("m_axis_command_tready", 1);
        ports.device.settle();
        assert_eq!(
            (ports.get("m_axis_command_tvalid"), ports.get("m_axis_command_tlast")),
            (1, 1)
        );
        ports.device.tick();
        ports.device.settle();
        assert_eq!(ports.get("s_axil_bvalid"), 1);
    }
}
