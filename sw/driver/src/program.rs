//! Programs of the user's for the micro-cores.

use portico_spec::ni::{command::MAX_DESCRIPTOR_WORDS, descriptor::Command, registers::Block};

use crate::{
    command,
    onesided::{Initiator, Kind, Operation, Remote},
    Error, Fabric, Transport,
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

    /// Gives its places back. It should not be running.
    ///
    /// # Errors
    /// [`Error::NotAllocated`] never, unless the fabric is not the one that loaded it.
    pub fn unload<T: Transport>(self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        fabric.check_node(self.node)?;
        fabric.nodes[self.node].program.give(self.node, self.start)
    }
}

impl<T: Transport> Fabric<T> {
    /// Loads instructions.
    ///
    /// # Errors
    /// [`Error::Exhausted`] if there are none or too many, [`Error::NoSuchNode`], or the fabric's.
    pub fn load(&mut self, node: usize, instructions: &[u32]) -> Result<Program, Error> {
        self.check_node(node)?;
        let start = self.nodes[node].program.take(node, instructions.len() as u32)?;
        self.write_registers(node, Block::Program, start, instructions)?;
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
        let value = arguments.len() as u64;
        if value > max {
            let field = "arguments of a program";
            return Err(Error::OutOfRange {
                field,
                value,
                min: 0,
                max,
            });
        }
        let run = Command::Program {
            entry: program.start as u8,
            registers: arguments.to_vec(),
        };
        let words = command::encode(self.fabric.config(), remote.handle, run)?;
        Ok(self.operation(what, words))
    }
}
