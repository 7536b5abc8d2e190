//! The golden fabric: all nodes together, without time.
//!
//! [`GoldenFabric`] answers reads and writes of every node's address space as the hardware does once nothing moves any
//! more. A command runs as soon as the last word of its descriptor is written, on every node that it concerns. A command
//! that waits for an event or a credit does not stop others. Registers that count cycles read 0. Rates and sizes of
//! packets have no effect.
//!
//! Some parts are public, so that the benches of single blocks use the same model:
//!
//! | part | what it models |
//! | --- | --- |
//! | [`micro_core`] | what the instructions of a program do |
//! | [`cutter`] | how what a program sends is cut into packets |
//! | [`packet`] | what packets say, and the flits of some |
//! | [`window`] | what a tag of a target stands for |
//! | [`reception`] | what packets of the data plane do to their target |
//!
//! A tile puts four words into the memory of its neighbour, through the window over a node's whole address space:
//!
//! ```
//! use portico_golden::GoldenFabric;
//! use portico_spec::{
//!     ni::{
//!         descriptor::{Command, Descriptor, Geometry, Transfer},
//!         registers::{address, CommandRegister, EventRegister, SegmentRegister},
//!         segment::{SegmentKind, Target},
//!         window::SYSTEM_WINDOW,
//!     },
//!     Config,
//! };
//!
//! let config = Config::default();
//! let mut fabric = GoldenFabric::new(&config);
//! let (own, neighbour, segment, event) = (0, 1, 3, 5);
//! let at = |register: SegmentRegister| address(&config, register, segment) as u32;
//!
//! let (node, tag, kind) = (config.terminal_node(neighbour), SYSTEM_WINDOW as u8, SegmentKind::Window);
//! fabric.write(own, at(SegmentRegister::Target), Target { node, tag, kind }.encode()?);
//! fabric.write(own, at(SegmentRegister::Size), config.space_bytes(neighbour) / 4);
//! for (address, word) in [(0, 11), (4, 22), (8, 33), (12, 44)] {
//!     fabric.write(own, address, word);
//! }
//! let put = Command::Put(Transfer { remote: 0x100, local: 0, geometry: Geometry::Row { row: 16 } });
//! let put = Descriptor { segment: segment as u8, event: event as u8, ..Descriptor::new(put) }.encode(&config)?;
//! // Its last word is that of place 15.
//! for (place, &word) in (16 - put.len()..).zip(&put) {
//!     fabric.write(own, address(&config, CommandRegister::Word, place) as u32, word);
//! }
//!
//! assert_eq!([0x100, 0x104, 0x108, 0x10c].map(|address| fabric.read(neighbour, address)), [11, 22, 33, 44]);
//! assert_eq!(fabric.read(own, address(&config, EventRegister::Count, event) as u32), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use portico_spec::{portals::engine::Step, streams::Beat, Config};
use thiserror::Error;

use self::interface::{Interface, Way};

mod bits;
mod command_queue;
mod context;
pub mod cutter;
mod descriptor;
mod event;
mod interface;
mod mailbox;
mod memory;
pub mod micro_core;
mod mpe;
pub mod packet;
mod portals;
mod probe;
pub mod reception;
mod segment;
mod streams;
mod transfer;
pub mod window;

/// Most steps of the fabric in one access: a program that never ends must not stop the caller.
const STEPS_PER_ACCESS: u64 = 1 << 20;

/// Most steps of a node before its packets are delivered.
const STEPS_PER_TURN: u64 = 16;

/// A step of hardware that the model cannot do.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("tile {tile} cannot do {step:?}: {cause}")]
pub struct StepError {
    /// The tile.
    pub tile: usize,
    /// What hardware has told.
    pub step: Step,
    /// What the model has against it.
    pub cause: &'static str,
}

/// All nodes of a fabric.
#[derive(Clone, Debug)]
pub struct GoldenFabric {
    config: Config,
    interfaces: Vec<Interface>,
}

impl GoldenFabric {
    /// A fabric after reset. Tiles and the host, which is the first edge node, have the configured memory. The other edge
    /// nodes have external memory, as their pages show it.
    pub fn new(config: &Config) -> GoldenFabric {
        GoldenFabric {
            config: config.clone(),
            interfaces: (0..config.terminals())
                .map(|terminal| Interface::new(config, terminal))
                .collect(),
        }
    }

    /// The configuration of the fabric.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Reads 32 bits at a byte address of a node, whose low two bits are ignored. Reads 0 where nothing is.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn read(&mut self, node: usize, address: u32) -> u32 {
        self.settle();
        let (word, shift) = self.place(node, address);
        (self.interfaces[node].read_word(word) >> shift) as u32
    }

    /// Writes 32 bits at a byte address of a node, whose low two bits are ignored. Then everything runs that can. False for a
    /// word of a descriptor for which there is no room, which a host's bus answers with SLVERR.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn write(&mut self, node: usize, address: u32, value: u32) -> bool {
        let (word, shift) = self.place(node, address);
        let interface = &mut self.interfaces[node];
        let is_kept = if interface.is_register(word) {
            // Of a register there is only the low half.
            shift > 0 || interface.write_word(Way::Port, word, u64::from(value))
        } else {
            let kept = interface.read_word(word) & !(u64::from(u32::MAX) << shift);
            interface.write_word(Way::Port, word, kept | u64::from(value) << shift)
        };
        self.settle();
        is_kept
    }

    /// Gives a node a descriptor, as an accelerator's stream would. Then everything runs that can.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn command(&mut self, node: usize, descriptor: &[u32]) {
        for (at, &word) in descriptor.iter().enumerate() {
            self.interfaces[node].push_command(Way::Stream, word, at + 1 == descriptor.len());
        }
        self.settle();
    }

    /// From now on the Portals engines of all tiles follow hardware: they do what [`GoldenFabric::step_portals`] says, and nothing else.
    ///
    /// # Panics
    /// The tiles have no Portals engines.
    pub fn follow_portals(&mut self) {
        (0..self.config.tiles()).for_each(|tile| self.interfaces[tile].follow_portals());
    }

    /// The Portals engine of a tile does what a step of hardware says. Then everything else runs that can.
    ///
    /// # Errors
    /// The engine cannot do that: hardware and model have not seen the same, or differ.
    ///
    /// # Panics
    /// If there is no such tile.
    pub fn step_portals(&mut self, tile: usize, step: Step) -> Result<(), StepError> {
        self.settle();
        let done = self.interfaces[tile].step_of_portals(step);
        done.map_err(|cause| StepError { tile, step, cause })?;
        self.settle();
        Ok(())
    }

    /// Gives words to the stream into a tile, as an accelerator would. They wait until a receive takes them. Then everything runs
    /// that can.
    ///
    /// # Panics
    /// If there is no such tile, or the tiles have no streams.
    pub fn give(&mut self, tile: usize, beats: &[Beat]) {
        self.interfaces[tile].give(beats);
        self.settle();
    }

    /// Takes up to `most` words from the stream out of a tile, as an accelerator would: as many as sends have. Then everything runs
    /// that can.
    ///
    /// # Panics
    /// If there is no such tile, or the tiles have no streams.
    pub fn take(&mut self, tile: usize, most: usize) -> Vec<Beat> {
        let mut taken = vec![];
        while taken.len() < most {
            match self.interfaces[tile].take() {
                Some(beat) => taken.push(beat),
                None => break,
            }
            self.settle();
        }
        taken
    }

    /// The events of a node that have fired, bit 0 for event 0.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn fired(&mut self, node: usize) -> u64 {
        self.settle();
        self.interfaces[node].fired()
    }

    /// Whether an event of the node has fired that interrupts.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn interrupt(&self, node: usize) -> bool {
        self.interfaces[node].interrupts() != 0
    }

    /// Whether no command runs or waits anywhere.
    pub fn is_idle(&self) -> bool {
        self.interfaces.iter().all(Interface::is_idle)
    }

    /// Word address in the node's space, and lowest bit of the 32.
    fn place(&self, node: usize, address: u32) -> (u32, u32) {
        let word_bytes = (self.config.width / 8) as u32;
        let address = address % self.config.space_bytes(node).next_power_of_two();
        (address / word_bytes, address % word_bytes / 4 * 32)
    }

    fn settle(&mut self) {
        let mut budget = STEPS_PER_ACCESS;
        let mut moved = true;
        while moved && budget > 0 {
            moved = false;
            for at in 0..self.interfaces.len() {
                if self.interfaces[at].is_idle() {
                    continue;
                }
                let mut turn = budget.min(STEPS_PER_TURN);
                budget -= turn;
                moved |= self.interfaces[at].advance(&mut turn);
                budget += turn;
                while let Some(sent) = self.interfaces[at].outgoing.pop_front() {
                    moved = true;
                    // A packet for a node that does not exist leaves the mesh and is lost. So does a packet from an
                    // edge node to itself.
                    if self.config.reaches(at, sent.destination) {
                        let to = self.config.node_id(sent.destination).expect("it is reached");
                        self.interfaces[to].deliver(sent.source, sent.packet);
                    }
                }
            }
        }
    }
}
