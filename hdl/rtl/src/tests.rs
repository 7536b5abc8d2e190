//! The blocks that stand below the tops are emitted by themselves: the backend takes each of them.

use crate::{
    accel::{Probe, Streams},
    bus::{
        AddressMatch, CommandDoor, CommandQueue, CompletionArbiter, EventArbiter, PacketArbiter, PlaneOut, ReadShare,
        WriteShare,
    },
    dma::{
        dispatch::{Contexts, Dispatcher, Extent, LocalWindows, SegmentTable},
        serve::GetServer,
        transmit::Transmitter,
    },
    host::{AxiLiteSlave, AxiMemory},
    mpe::Mpe,
    ni::{
        control::{ControlReceiver, GetQueue},
        events::{EventFlags, EventReader, EventStep, Events},
        inbox::{Inbox, InboxReader, MailMerge},
        memory::{LaneMerge, Scratchpad, ScratchpadBank},
        receive::DataReceiver,
        registers::{ControlRegisters, NodeCounters, NodeMonitor, RegisterBus},
        slots::{CompletionQueue, GetCredits, OpenSlots, Slots},
        Initialiser,
    },
    portals::engine::Portals,
    prim::testing::emitted,
};
use portico_spec::{
    ni::{build::Build, firmware::firmware, registers::Block as Registers},
    parts::PROBE,
    Config,
};
use portico_verilog::prelude::*;

/// Words of the memory and of the address space of a node.
const MEMORY: u64 = 0x1000;
const SPACE: u64 = 0x4_0000;

/// Blocks by name, in several shapes where the shape makes a difference.
fn blocks() -> Vec<(&'static str, Box<dyn Block>)> {
    let programs = firmware();
    let entries = &programs.entries;
    let small = Config::from_toml("profile = 'leaf'").unwrap().build();
    vec![
        (
            "address-match",
            Box::new(AddressMatch::<{ Registers::Events as usize }, 9>::default()),
        ),
        ("event-arbiter", Box::new(EventArbiter::new(5))),
        ("completion-arbiter", Box::new(CompletionArbiter::new(3))),
        ("packet-arbiter", Box::new(PacketArbiter::<32, 3>::default())),
        ("packet-arbiter-64", Box::new(PacketArbiter::<64, 2>::default())),
        ("initialiser", Box::new(Initialiser::default())),
        ("control-receiver", Box::new(ControlReceiver::default())),
        ("get-queue-1", Box::new(GetQueue::new(1))),
        ("get-queue-34", Box::new(GetQueue::new(34))),
        ("get-queue-1024", Box::new(GetQueue::new(1024))),
        ("events", Box::new(Events::new(64))),
        ("event-step", Box::new(EventStep::default())),
        ("event-flags", Box::new(EventFlags::new(64))),
        ("event-reader", Box::new(EventReader::default())),
        ("inbox", Box::new(Inbox::new(&Build::FULL))),
        ("inbox-reader", Box::new(InboxReader::default())),
        ("mail-merge", Box::new(MailMerge::default())),
        ("lane-merge", Box::new(LaneMerge::<32, 4>::default())),
        ("scratchpad", Box::new(Scratchpad::<32, 4>::new(4 << 10, 1))),
        ("scratchpad-64", Box::new(Scratchpad::<64, 8>::new(256 << 10, 4))),
        ("scratchpad-bank", Box::new(ScratchpadBank::<64, 8>::new(128))),
        (
            "data-receiver",
            Box::new(DataReceiver::<32, 4>::new(
                &Build::FULL,
                1 << 16,
                1 << 18,
                17,
                false,
                &[],
            )),
        ),
        (
            "data-receiver-64",
            Box::new(DataReceiver::<64, 8>::new(&small, 1 << 15, 1 << 17, 16, true, &[PROBE])),
        ),
        ("register-bus", Box::new(RegisterBus::new(&small))),
        ("control-registers", Box::new(ControlRegisters::new(1, 2, 3, &small))),
        ("node-counters", Box::new(NodeCounters::default())),
        ("node-monitor", Box::new(NodeMonitor::default())),
        ("slots", Box::new(Slots::new(&small, 32))),
        ("completion-queue", Box::new(CompletionQueue::new(32))),
        ("get-credits", Box::new(GetCredits::default())),
        ("open-slots", Box::new(OpenSlots::new(&small))),
        ("command-door", Box::new(CommandDoor::new(&[PROBE]))),
        ("control-receiver-of-engines", Box::new(ControlReceiver::new(&[PROBE]))),
        ("plane-out", Box::new(PlaneOut::<64>::new(3))),
        ("read-share", Box::new(ReadShare::<32>::new(2))),
        ("write-share", Box::new(WriteShare::<64, 8>::new(3))),
        (
            "mpe",
            Box::new(Mpe::<32, 4>::new(&Config {
                mpe: 4,
                ..Config::default()
            })),
        ),
        (
            "portals",
            Box::new(Portals::<32, 4>::new(&Config {
                portals: 4,
                entries: 64,
                ..Config::default()
            })),
        ),
        ("probe", Box::new(Probe::<32, 4>::new(&Config::default()))),
        ("probe-64", Box::new(Probe::<64, 8>::new(&Config::default()))),
        ("streams", Box::new(Streams::<32, 4>::new(&Config::default()))),
        ("streams-64", Box::new(Streams::<64, 8>::new(&Config::default()))),
        ("command-queue", Box::new(CommandQueue::new())),
        ("contexts-1", Box::new(Contexts::new(1))),
        ("contexts-8", Box::new(Contexts::new(8))),
        (
            "dispatcher",
            Box::new(Dispatcher::<32>::new(
                &Build::FULL,
                &Config::default(),
                MEMORY,
                SPACE,
                entries,
            )),
        ),
        (
            "dispatcher-64",
            Box::new(Dispatcher::<64>::new(
                &small,
                &Config::default(),
                MEMORY,
                SPACE,
                entries,
            )),
        ),
        ("extent", Box::new(Extent::new(true))),
        ("local-windows", Box::new(LocalWindows::new(&small, SPACE))),
        ("segment-table", Box::new(SegmentTable::new(&small, &Config::default()))),
        ("transmitter", Box::new(Transmitter::<32>::new(&Build::FULL, &programs))),
        ("transmitter-64", Box::new(Transmitter::<64>::new(&small, &programs))),
        (
            "get-server",
            Box::new(GetServer::<32>::new(&Build::FULL.of_memory_node(), SPACE)),
        ),
        (
            "get-server-64",
            Box::new(GetServer::<64>::new(&small.of_memory_node(), SPACE)),
        ),
        ("axi-lite-slave", Box::new(AxiLiteSlave::<32, 4>::new(0x10000))),
        ("axi-lite-slave-64", Box::new(AxiLiteSlave::<64, 8>::new(0x80000))),
        ("axi-memory", Box::new(AxiMemory::<32, 4, 32>::new())),
        ("axi-memory-64", Box::new(AxiMemory::<64, 8, 64>::new())),
    ]
}

#[test]
fn every_block_emits() {
    for (name, block) in blocks() {
        emitted(name, &*block);
    }
}
