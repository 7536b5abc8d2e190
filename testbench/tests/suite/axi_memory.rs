//! External memory of a node, in rust-hdl's simulator and as Verilog, before a memory that is as unkind as AXI4 allows.

use crate::promises::external_memory::{Bench, PAGE_WORDS};
use portico_hdl::host;
use portico_sim::{build, Optimise};
use portico_testbench::{
    device::{axi_memory::Timing, hardware::compiled, verilated::Verilated, Device},
    rtl_device,
};
use portico_verilog::{emit, Design, Options};
use rand::{rngs::SmallRng, Rng};
use std::panic::{catch_unwind, AssertUnwindSafe};

/// Bits of a word. An address has as many, so that both widths of it are looked at.
const WIDTHS: [usize; 2] = [32, 64];

fn rtl(width: usize) -> Box<dyn Device> {
    macro_rules! block {
        ($width:literal, $bytes:literal) => {
            Box::new(rtl_device!(
                host::AxiMemory::<$width, $bytes, $width>::new();
                rst, registers.enable, registers.index, registers.data, sweep.active, sweep.place,
                memory_write.valid, memory_write.address, memory_write.data, memory_write.lanes,
                memory_read[0].valid, memory_read[0].address, memory_read[1].valid, memory_read[1].address,
                m_axi.write_.awready, m_axi.write_.wready, m_axi.write_.bid, m_axi.write_.bresp,
                m_axi.write_.bvalid, m_axi.read_.arready, m_axi.read_.rid,
                m_axi.read_.rdata, m_axi.read_.rresp, m_axi.read_.rlast, m_axi.read_.rvalid
            ))
        };
    }
    match width {
        32 => block!(32, 4),
        _ => block!(64, 8),
    }
}

fn design(width: usize) -> Design {
    let options = Options {
        generator: "Test".into(),
        licence: String::new(),
        prefix: "portico".into(),
        block: "axi-memory".into(),
        configuration: vec![("width".into(), width.to_string())],
        keep_apart: vec![],
    };
    let design = match width {
        32 => emit(&host::AxiMemory::<32, 4, 32>::new(), &options),
        _ => emit(&host::AxiMemory::<64, 8, 64>::new(), &options),
    };
    design.expect("the block can be emitted")
}

fn verilog(width: usize) -> Box<dyn Device> {
    Box::new(compiled(&design(width)).expect("its Verilog compiles without a warning"))
}

/// Runs of addresses: mostly the next, else a jump to near one of a few places where blocks and pages end.
fn step(address: &mut u64, rng: &mut SmallRng) -> u64 {
    let here = *address;
    *address = (here + 1) % (8 * PAGE_WORDS);
    if rng.gen_bool(0.06) {
        let block = rng.gen_range(0..3) * 512;
        let page = rng.gen_range(0..8) * PAGE_WORDS;
        *address = (page + block + 8 * PAGE_WORDS - rng.gen_range(0..20)) % (8 * PAGE_WORDS);
    }
    here
}

fn random_traffic(device: Box<dyn Device>, width: usize, seed: u64, cycles: u64) {
    println!("width {width}, seed {seed:#x}");
    let timing = Timing {
        latency: 20,
        stall: 0.3,
    };
    let mut bench = Bench::new(device, width, timing, seed);
    // Of an address of 32 bits the low half counts: page 5 is then the last below 4 GiB.
    bench.move_page(3, 0x1234_5678_9abc_d000);
    bench.move_page(
        5,
        match width {
            32 => 0xffff_ffff_fff0_0fff,
            _ => 0xffff_ffff_0000_0fff,
        },
    );
    let (mut write_at, mut read_at) = (0, [0, 0]);
    let all_lanes = (1 << bench.bytes) - 1;
    for cycle in 0..cycles {
        let mut rng = bench.rng.clone();
        let [write, read] = [[0.95, 0.01], [0.02, 0.9], [0.3, 0.02], [0.9, 0.95]][(cycle / 400 % 4) as usize];
        let lanes = if rng.gen_bool(0.7) {
            all_lanes
        } else {
            rng.gen_range(0..=all_lanes)
        };
        let offer = (bench.writer.offered.is_none() && rng.gen_bool(write)).then(|| step(&mut write_at, &mut rng));
        let mut reads = [None; 2];
        for (k, read_at) in read_at.iter_mut().enumerate() {
            if bench.readers[k].offered.is_none() && rng.gen_bool(read) {
                reads[k] = Some(step(read_at, &mut rng));
            }
        }
        bench.rng = rng;
        let data = bench.word();
        bench.cycle(offer.map(|address| (address, data, lanes)), reads);
    }
    bench.finish();
    let traffic = bench.memory.traffic();
    for bursts in [&traffic.writes, &traffic.reads] {
        assert!(bursts[1..=16].iter().all(|count| *count > 0), "{traffic:?}");
        assert_eq!(bursts[17..].iter().sum::<u64>(), 0, "{traffic:?}");
    }
    assert!(traffic.most_reads >= 4 && traffic.most_writes >= 4, "{traffic:?}");
    assert!(bench.read > cycles / 8 && bench.written > cycles / 8);
}

#[test]
fn every_read_sees_the_writes_before_it() {
    for width in WIDTHS {
        random_traffic(rtl(width), width, 0xa41, 12_000);
        random_traffic(verilog(width), width, 0xa42, 60_000);
    }
}

#[test]
fn streams_run_at_a_word_a_cycle_whatever_the_latency() {
    const WORDS: u64 = 2_000;
    for width in WIDTHS {
        let timing = Timing {
            latency: 60,
            stall: 0.0,
        };
        let mut bench = Bench::new(verilog(width), width, timing, 1);
        let lanes = (1 << bench.bytes) - 1;
        let mut next = 0;
        while bench.written < WORDS {
            let offer = (bench.writer.offered.is_none() && next < WORDS).then(|| (next, next * 7, lanes));
            next += u64::from(offer.is_some());
            bench.cycle(offer, [None; 2]);
        }
        assert!(bench.cycle <= WORDS + 2, "{} cycles for {WORDS} words", bench.cycle);
        bench.finish();
        let start = bench.cycle;
        let mut next = 0;
        while bench.read < WORDS {
            let offer = (bench.readers[1].offered.is_none() && next < WORDS).then_some(next);
            next += u64::from(offer.is_some());
            bench.cycle(None, [None, offer]);
        }
        let cycles = bench.cycle - start;
        assert!(cycles <= WORDS + 60 + 30, "{cycles} cycles for {WORDS} words");
        assert!(bench.memory.traffic().reads[16] >= WORDS / 16 - 1);
    }
}

#[test]
fn a_lone_read_takes_four_cycles_more_than_the_memory() {
    for device in [rtl(32), verilog(32)] {
        let timing = Timing { latency: 9, stall: 0.0 };
        let mut bench = Bench::new(device, 32, timing, 1);
        bench.cycle(None, [Some(5), None]);
        while bench.read == 0 {
            bench.cycle(None, [None; 2]);
        }
        // Three to the address channel, one from the data channel; the cycle of the request counts too.
        assert_eq!(bench.cycle, 1 + 3 + 9 + 1);
    }
}

fn fair(device: Box<dyn Device>) {
    let timing = Timing {
        latency: 30,
        stall: 0.1,
    };
    let mut bench = Bench::new(device, 32, timing, 2);
    for cycle in 0..20_000 {
        let data = bench.word();
        bench.cycle(
            Some((cycle % 1000, data, 15)),
            [Some(cycle % 77), Some(5000 + cycle % 900)],
        );
    }
    // A turn is 64 cycles of writes, the time to answer them and 64 reads.
    assert!(
        bench.read > 4_000 && bench.written > 4_000,
        "{} read, {} written",
        bench.read,
        bench.written
    );
    bench.finish();
}

#[test]
fn neither_reads_nor_writes_wait_for_ever() {
    fair(verilog(32));
}

fn faults_are_pulses(device: Box<dyn Device>, width: usize) {
    let timing = Timing { latency: 3, stall: 0.2 };
    let mut bench = Bench::new(device, width, timing, 3);
    let (all_lanes, page_bytes) = ((1 << bench.bytes) - 1, PAGE_WORDS * bench.bytes);
    // Zeros are all that is ever written or read where the memory fails: page 1 when written, page 2 when read.
    bench.memory.fail(page_bytes..3 * page_bytes);
    for cycle in 0..6_000 {
        let good = cycle % 500;
        let bad = PAGE_WORDS + cycle % 40;
        let write = if cycle / 20 % 3 == 0 { (bad, 0) } else { (good, cycle) };
        bench.cycle(
            Some((write.0, write.1, all_lanes)),
            [Some(2 * PAGE_WORDS + cycle % 99), Some(good)],
        );
    }
    bench.finish();
    assert!(bench.memory.traffic().errors > 500, "{:?}", bench.memory.traffic());
}

#[test]
fn every_error_of_the_memory_is_a_pulse() {
    for width in WIDTHS {
        faults_are_pulses(rtl(width), width);
        faults_are_pulses(verilog(width), width);
    }
}

fn broken_bursts_pass(device: Box<dyn Device>, width: usize) {
    let timing = Timing { latency: 9, stall: 0.2 };
    let mut bench = Bench::new(device, width, timing, 4);
    let all_lanes = (1 << bench.bytes) - 1;
    let (mut write_at, mut read_at) = (0, [0, 0]);
    for cycle in 0..30_000 {
        // Breaks come and go, and so do pauses in which beats that are too many find no burst.
        bench.memory.break_reads(if cycle / 3_000 % 3 == 1 { 0.3 } else { 0.0 });
        let mut rng = bench.rng.clone();
        let asking = [0.9, 0.02, 0.0][cycle / 500 % 3];
        let write = (bench.writer.offered.is_none() && rng.gen_bool(0.1)).then(|| step(&mut write_at, &mut rng));
        let reads = [0, 1].map(|k| {
            let asks = bench.readers[k].offered.is_none() && rng.gen_bool(asking);
            asks.then(|| step(&mut read_at[k], &mut rng))
        });
        bench.rng = rng;
        let data = bench.word();
        bench.cycle(write.map(|address| (address, data, all_lanes)), reads);
    }
    bench.finish();
    assert!(
        bench.memory.traffic().broken > 50 && bench.read > 2_000,
        "{:?}",
        bench.memory.traffic()
    );
}

/// A memory that breaks the protocol is told of, gives each client as many words as it asked for, and is no worse afterwards.
#[test]
fn a_broken_burst_is_a_fault_and_hangs_nothing() {
    for width in WIDTHS {
        broken_bursts_pass(rtl(width), width);
        broken_bursts_pass(verilog(width), width);
    }
}

#[test]
fn what_no_burst_waits_for_is_dropped_and_a_fault() {
    for device in [rtl(32), verilog(32)] {
        let timing = Timing { latency: 4, stall: 0.0 };
        let mut bench = Bench::new(device, 32, timing, 5);
        for round in 0..40 {
            bench.memory.stray();
            (0..8).for_each(|_| bench.cycle(None, [None; 2]));
            assert_eq!(bench.faults, 3 * (round + 1));
            bench.cycle(Some((round, round, 15)), [Some(round), Some(99)]);
            (0..30).for_each(|_| bench.cycle(None, [None; 2]));
        }
        assert_eq!((bench.read, bench.written), (80, 40));
    }
}

/// The tests prove themselves: (what is wrong, text of the block, text in its place).
#[test]
fn planted_faults_are_caught() {
    let faults = [
        (
            "reads do not wait for writes",
            ".enable(writes_is_quiet)",
            ".enable(1'b1)",
        ),
        ("writes are never held", ".hold(turns_hold),", ".hold(1'b0),"),
        ("errors of writes are lost", "m_axi_bresp[1]", "1'b0"),
        (
            "a broken burst is no fault",
            "~bursts_m_axis_tvalid | (m_axi_rlast != is_last)",
            "1'b0",
        ),
    ];
    for (what, from, to) in faults {
        let mut design = design(32);
        let found = design.modules.iter().map(|module| module.text.matches(from).count());
        assert_eq!(found.sum::<usize>(), 1, "{what}: {from} in\n{}", design.text());
        for module in &mut design.modules {
            module.text = module.text.replace(from, to);
        }
        let options = portico_sim::Options {
            optimise: Optimise::Build,
            lint: false,
            ..Default::default()
        };
        let device = || Box::new(Verilated::new(&build(&design, &options).unwrap()).unwrap());
        let checks: [Box<dyn Fn()>; 4] = [
            Box::new(|| random_traffic(device(), 32, 0xa42, 20_000)),
            Box::new(|| fair(device())),
            Box::new(|| faults_are_pulses(device(), 32)),
            Box::new(|| broken_bursts_pass(device(), 32)),
        ];
        let caught = checks
            .iter()
            .filter(|check| catch_unwind(AssertUnwindSafe(check)).is_err());
        assert!(caught.count() > 0, "{what}: not caught");
    }
}
