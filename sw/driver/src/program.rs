//! Programs of the user for the micro-cores.
//!
//! A program decides which packets an operation sends. It is written as text ([`assemble`] has the instructions), loaded into the
//! program memory of a node, and run there on a segment as often as wanted.
//!
//! ```
//! use portico::{onesided::Window, program::{assemble, disassemble}, Config, Fabric, GoldenTransport};
//!
//! let config = Config { edge_nodes: 1, ..Config::default() };
//! let mut fabric = Fabric::open(GoldenTransport::new(&config)?)?;
//! let segment = fabric.publish(3, Window::new(0, 0x40))?;
//! let remote = fabric.tile(0)?.clone_segment(segment.id())?;
//!
//! // Gathers two blocks into one transfer: registers 2 and 3 say where they are, 4 how long, in words.
//! let gather = assemble("
//!     shape r4, r4
//!     run r2
//!     run r3, close, last, stop
//! ")?;
//! assert_eq!(disassemble(&gather)?.lines().next(), Some("shape r4, r4"));
//! let program = fabric.load(0, &gather)?;
//!
//! fabric.write(0, 0x100, &[1, 2])?;
//! fabric.write(0, 0x200, &[3, 4])?;
//! fabric.tile(0)?.run(&program, &remote, &[0x100 / 4, 0x200 / 4, 2])?.wait(1000)?;
//! assert_eq!(fabric.read(3, 0, 4)?, [1, 2, 3, 4]);
//! program.unload(&mut fabric)?;
//! # Ok::<(), portico::Error>(())
//! ```

pub use portico_spec::ni::{
    assembler::{assemble, AssemblyError},
    disassembler::{disassemble, DisassemblyError},
    program::ProgramError,
};
use portico_spec::ni::{command::MAX_DESCRIPTOR_WORDS, descriptor::Command, instruction::Instruction, program};

use crate::{
    command,
    onesided::{Initiator, Kind, Operation, Remote},
    registers::ProgramRegister,
    resources::Feature,
    Error, Fabric, Transport,
};

/// Programs of the user's in the micro-cores.
const PROGRAMS: Feature = Feature {
    what: "programs of the user's",
    is_built: |build| build.programs,
    tile_key: Some("programs"),
    host_key: None,
};

/// A program in a node's program memory.
#[derive(Debug)]
#[must_use = "a program is loaded until it is unloaded"]
pub struct Program {
    node: usize,
    start: u32,
}

impl Program {
    /// Where it is loaded.
    pub fn node(&self) -> usize {
        self.node
    }

    /// Its first place in the program memory.
    pub fn start(&self) -> u32 {
        self.start
    }

    /// Releases its places. The program should not be running.
    ///
    /// # Errors
    /// [`Error::NotAllocated`] only if another fabric has loaded it.
    pub fn unload<T: Transport>(self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        fabric.check_node(self.node)?;
        fabric.nodes[self.node].program.give(self.node, self.start)
    }
}

impl<T: Transport> Fabric<T> {
    /// Loads instructions after a check: all of them exist, every loop has its end, and the last one stops.
    ///
    /// # Errors
    /// [`Error::Instruction`] and [`Error::Program`] with the first instruction that is wrong, [`Error::Exhausted`],
    /// [`Error::NoSuchNode`], [`Error::NotBuilt`], or the fabric's.
    pub fn load(&mut self, node: usize, instructions: &[u32]) -> Result<Program, Error> {
        let decode = |(at, &word)| Instruction::decode(word).map_err(|error| DisassemblyError { at, error });
        let decoded: Result<Vec<_>, _> = instructions.iter().enumerate().map(decode).collect();
        program::check(&decoded?)?;
        self.load_unchecked(node, instructions)
    }

    /// Loads any words without a check, to test faulty programs on the hardware. A program that never stops keeps its micro-core
    /// and its event until the next reset.
    ///
    /// # Errors
    /// [`Error::Exhausted`] if there are none or too many, [`Error::NoSuchNode`], [`Error::NotBuilt`], or the fabric's.
    pub fn load_unchecked(&mut self, node: usize, instructions: &[u32]) -> Result<Program, Error> {
        self.check_node(node)?;
        self.nodes[node].check_built(node, &PROGRAMS)?;
        let start = self.nodes[node].program.take(node, instructions.len() as u32)?;
        self.poke(node, ProgramRegister::Instruction, start as usize, instructions)?;
        tracing::debug!(node, start, words = instructions.len(), "program loaded");
        Ok(Program { node, start })
    }
}

impl<'f, T: Transport> Initiator<'f, T> {
    /// Runs a program on a segment, with `arguments` in registers 2 and up. Complete when its end of transfer is
    /// acknowledged or, if it sends none, when it stops.
    ///
    /// # Errors
    /// [`Error::WrongNode`], [`Error::WrongKind`], [`Error::OutOfRange`] of the number of arguments.
    pub fn run(self, program: &Program, remote: &Remote, arguments: &[u32]) -> Result<Operation<'f, T, ()>, Error> {
        let what = "program";
        self.check_owner(what, program.node)?;
        self.check_remote(what, remote, Kind::Window)?;
        let max = MAX_DESCRIPTOR_WORDS as u64 - 2;
        Error::check_range("arguments of a program", arguments.len() as u64, 0, max)?;
        let run = Command::Program {
            entry: program.start as u8,
            registers: arguments.to_vec(),
        };
        let words = command::encode(self.fabric.config(), remote.handle, run)?;
        Ok(self.operation(what, words))
    }
}
