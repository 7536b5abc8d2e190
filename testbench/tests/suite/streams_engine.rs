//! The streams of a tile: as Verilog and as a netlist, with faults that their promises find; and in a fabric, beside all else.

use crate::{
    mutants::{
        caught::{all_are_caught, device},
        fault::Fault,
    },
    promises::{driver::config, streams::check},
};
use portico::{
    onesided::{Geometry, Window},
    streams::{Receive, Send},
    Error, Fabric,
};
use portico_generate::design;
use portico_sim::{Options, SimulatedFabric};
use portico_spec::Config;
use portico_testbench::device::{
    axi_memory::Timing,
    hardware::{compiled, fabric_of, synthesised},
};
use portico_verilog::Design;

const SEED: u64 = 0x57ea;
const ROUNDS: usize = 120;

fn streams(width: usize) -> Design {
    let config = Config {
        width,
        scratchpad: 4,
        streams: true,
        ..Config::default()
    };
    design("streams", &config).expect("it can be emitted")
}

#[test]
fn verilog_moves_every_word_once() -> anyhow::Result<()> {
    for width in [32, 64] {
        println!("{:?}", check(&mut compiled(&streams(width))?, width, ROUNDS, SEED)?);
    }
    Ok(())
}

#[test]
fn a_netlist_moves_every_word_once() -> anyhow::Result<()> {
    println!("{:?}", check(&mut synthesised(&streams(32))?, 32, ROUNDS, SEED)?);
    Ok(())
}

#[test]
fn planted_faults_are_caught() {
    let faults = [
        Fault {
            what: "a receive that does not look at tlast",
            module: "stream_receiver",
            from: "ends = «buffer_m_axis_tlast» |",
            to: "1'b0",
        },
        Fault {
            what: "an event that counts before the last write",
            module: "stream_receiver",
            from: "course_next = «RECEIVING_WRITE»;",
            to: "RECEIVING_REPORT",
        },
        Fault {
            what: "a send whose rows have no tlast of their own",
            module: "stream_sender",
            from: "«ends_row & each_row»",
            to: "1'b0",
        },
        Fault {
            what: "a send that asks for words without a place",
            module: "stream_sender",
            from: "is_free & «marks_s_axis_tready»",
            to: "1'b1",
        },
    ];
    all_are_caught(&streams(32), &faults, ROUNDS, |library, rounds| {
        check(&mut device(library), 32, rounds, SEED)
    });
}

fn hardware(width: usize) -> SimulatedFabric {
    const MEMORY: Timing = Timing {
        latency: 12,
        stall: 0.1,
    };
    // The model that the suite `fabric` has too.
    let design = design("fabric", &config(width)).expect("the fabric can be emitted");
    let library = portico_sim::build(&design, &Options::default()).expect("its Verilog compiles");
    fabric_of(&library, &config(width), MEMORY).expect("the ports of a fabric")
}

/// A send that nobody takes and a receive to which nobody gives hold up neither puts of their tile nor the other tiles' streams.
#[test]
fn a_stalled_stream_holds_up_nobody() -> Result<(), Error> {
    for width in [32, 64] {
        let mut fabric = Fabric::open(hardware(width))?;
        let (tiles, word) = (fabric.config().tiles(), fabric.word_bytes());
        let send = Send {
            address: 0x800,
            row: 64 * word,
            rows: 1,
            stride: 0,
            each_row: false,
        };
        let receive = Receive {
            address: 0x1800,
            length: 64 * word,
        };
        let mut stalled = vec![
            fabric.tile(0)?.send(&send)?.start()?,
            fabric.tile(0)?.receive(&receive)?.start()?,
        ];
        for tile in 0..tiles {
            let data: Vec<u32> = (0..64).map(|at| (tile as u32) << 16 | at).collect();
            fabric.write(tile, 0x1000, &data)?;
            let window = fabric.publish((tile + 1) % tiles, Window::new(0x1200, 256))?;
            let remote = fabric.tile(tile)?.clone_segment(window.id())?;
            fabric
                .tile(tile)?
                .put(&remote, 0, 0x1000, Geometry::linear(256))?
                .wait(10_000)?;
            assert_eq!(fabric.read((tile + 1) % tiles, 0x1200, 64)?, data);
        }
        for tile in 1..tiles {
            let mut sent = fabric.tile(tile)?.send(&send)?.start()?;
            assert_eq!(fabric.transport().take(tile, 64)?.len(), 64);
            sent.wait(&mut fabric, 10_000)?;
        }
        assert_eq!(fabric.streams(0)?.sends, [1, 0]);
        let words: Vec<(u64, bool)> = (0..64).map(|at| (at, at == 63)).collect();
        fabric.transport().give(0, &words)?;
        assert_eq!(fabric.transport().take(0, 64)?.len(), 64);
        for ticket in &mut stalled {
            ticket.wait(&mut fabric, 10_000)?;
        }
        let lanes = width / 32;
        let expected: Vec<u32> = (0..64).flat_map(|at| [at, 0].into_iter().take(lanes)).collect();
        assert_eq!(fabric.read(0, 0x1800, 64 * lanes)?, expected);
    }
    Ok(())
}

/// From the first word of a descriptor to its event, 1,024 words take few cycles more than 1,024.
#[test]
fn long_streams_keep_their_bounds() -> Result<(), Error> {
    const BOUND: u64 = 1_040;
    let mut fabric = Fabric::open(hardware(32))?;
    let event = fabric.event(0)?;
    let number = usize::from(event.number());
    event.configure(&mut fabric, 1, portico::event::Compare::AtLeast, false)?;
    let config = fabric.config().clone();
    let row = Send {
        address: 0,
        row: 4096,
        rows: 1,
        stride: 0,
        each_row: false,
    };
    let receive = Receive {
        address: 0x2000,
        length: 4096,
    };
    let send_words = row.encode(&config).expect("a right descriptor").to_vec();
    let receive_words = receive.encode(&config).expect("a right descriptor").to_vec();
    for (opcode, words) in [(28, send_words), (29, receive_words)] {
        event.reset(&mut fabric, 0)?;
        let transport = fabric.transport();
        transport.run(100);
        transport.want(0, 1024)?;
        let beats: Vec<(u64, bool)> = (0..1024).map(|at| (at, false)).collect();
        if opcode == 29 {
            transport.give(0, &beats)?;
            transport.run(10);
        }
        let begun = transport.cycles();
        let first = opcode | (number as u32) << 8;
        transport.command(0, &[&[first][..], &words].concat());
        let ended = transport.wait_event(0, number, 2_000).expect("the descriptor ends");
        println!("opcode {opcode}: {} cycles", ended - begun);
        assert!(ended - begun <= BOUND, "opcode {opcode}: {} cycles", ended - begun);
    }
    Ok(())
}
