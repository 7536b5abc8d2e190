//! Registers of any node, by their names in the register map.
//!
//! Use them where the driver has no function: for measurements, tests and blocks of the user. The driver owns the registers of the
//! resources that it has allocated. It does not notice writes to them through this module.
//!
//! ```
//! use portico::{registers::{ControlRegister, CounterRegister, EventRegister}, Config, Fabric, GoldenTransport};
//!
//! let config = Config { edge_nodes: 1, ..Config::default() };
//! let mut fabric = Fabric::open(GoldenTransport::new(&config)?)?;
//! assert_eq!(fabric.peek(5, ControlRegister::Memory, 0)?, fabric.memory_bytes(5)?);
//!
//! let (event, unseen) = (9, 3);
//! fabric.poke(5, EventRegister::Count, event, &[unseen])?;
//! assert_eq!(fabric.peek(5, EventRegister::Count, event)?, unseen);
//! assert_eq!(fabric.counters(5)?[CounterRegister::Dropped], 0);
//!
//! let none = fabric.peek(5, EventRegister::Count, 64).unwrap_err();
//! assert_eq!(none.to_string(), "event = 64 is not allowed: allowed is 0..=63");
//! # Ok::<(), portico::Error>(())
//! ```

use std::{marker::PhantomData, ops::Index};

use portico_spec::ni::registers::{address_at, in_memory, Block};
pub use portico_spec::ni::registers::{
    CommandRegister, ControlRegister, CounterRegister, EventRegister, MailboxRegister, MpeRegister, PageRegister,
    Place, PortalsRegister, ProbeRegister, ProgramRegister, ReleaseRegister, SegmentRegister, ShaperRegister,
    StreamRegister, TagRegister,
};

use crate::{Error, Fabric, Transport};

/// The values of all registers of an item, by their names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registers<P> {
    values: Vec<u32>,
    place: PhantomData<P>,
}

impl<P: Place> Index<P> for Registers<P> {
    type Output = u32;

    fn index(&self, register: P) -> &u32 {
        &self.values[register.number()]
    }
}

impl<T: Transport> Fabric<T> {
    /// Reads a register of an item (an event, a window). A block with a single item has item 0. A write-only register reads 0, and
    /// so does a register that the node does not have.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] of the item, [`Error::NoSuchNode`], [`Error::Timeout`], [`Error::Transport`].
    pub fn peek<P: Place>(&mut self, node: usize, register: P, item: usize) -> Result<u32, Error> {
        Ok(self.read_registers(node, register, item, 1)?[0])
    }

    /// Writes a register of an item, and those that follow it, with one put.
    ///
    /// # Errors
    /// As for [`Fabric::peek`], and [`Error::OutOfRange`] if fewer follow in the block.
    pub fn poke<P: Place>(&mut self, node: usize, register: P, item: usize, values: &[u32]) -> Result<(), Error> {
        let address = self.check_registers(node, register, item, values.len())?;
        let words = in_memory(self.config(), values);
        self.write_space(node, address, &words)
    }

    /// The monitor's counters of a node, which wrap. With a [`GoldenTransport`](crate::GoldenTransport) only `Refused` and
    /// `Dropped` count, because it has no time.
    ///
    /// # Errors
    /// [`Error::NoSuchNode`], [`Error::Timeout`], [`Error::Transport`].
    pub fn counters(&mut self, node: usize) -> Result<Registers<CounterRegister>, Error> {
        self.peek_item(node, 0)
    }

    /// Reads all registers of an item.
    pub(crate) fn peek_item<P: Place>(&mut self, node: usize, item: usize) -> Result<Registers<P>, Error> {
        let first = P::from_number(0).expect("an item has a register");
        Ok(Registers {
            values: self.read_registers(node, first, item, P::REGISTERS.len())?,
            place: PhantomData,
        })
    }

    /// The same of an item of each of several nodes. The reads travel together.
    pub(crate) fn peek_items<P: Place>(&mut self, items: &[(usize, usize)]) -> Result<Vec<Registers<P>>, Error> {
        let first = P::from_number(0).expect("an item has a register");
        let (count, lanes) = (P::REGISTERS.len(), self.port.word_bytes as usize / 4);
        let places = items
            .iter()
            .map(|&(node, item)| Ok((node, self.check_registers(node, first, item, count)?)));
        let places = places.collect::<Result<Vec<_>, Error>>()?;
        let found = self.read_spaces(&places, count * lanes)?;
        let registers = found.into_iter().map(|words| Registers {
            values: words.into_iter().step_by(lanes).collect(),
            place: PhantomData,
        });
        Ok(registers.collect())
    }

    /// Writes registers of an item that follow each other.
    pub(crate) fn poke_item<P: Place, const N: usize>(
        &mut self,
        node: usize,
        item: usize,
        registers: [(P, u32); N],
    ) -> Result<(), Error> {
        let (first, _) = registers[0];
        let mut places = (first.number()..).zip(&registers);
        assert!(places.all(|(number, (register, _))| register.number() == number));
        self.poke(node, first, item, &registers.map(|(_, value)| value))
    }

    /// Writes registers exactly once. Without an outer error the write is done. An inner error means that the access timed out: the
    /// write is still done. Among accesses that end [together](Fabric::together), a write that the node refuses is told by these.
    pub(crate) fn poke_once<P: Place>(
        &mut self,
        node: usize,
        register: P,
        item: usize,
        values: &[u32],
    ) -> Result<Result<(), Error>, Error> {
        if node == self.port.host {
            return self.poke(node, register, item, values).map(Ok);
        }
        let waits = self.port.taken.is_none();
        if waits {
            self.end_earlier_access()?;
        }
        match self.poke(node, register, item, values) {
            // Without a wait, an error comes before the write is sent. Else one that is sent is under way.
            Err(error) if !waits || !self.port.is_under_way() => Err(error),
            written => Ok(written),
        }
    }

    /// Reads registers of an item that follow each other.
    pub(crate) fn read_registers<P: Place>(
        &mut self,
        node: usize,
        first: P,
        item: usize,
        count: usize,
    ) -> Result<Vec<u32>, Error> {
        let address = self.check_registers(node, first, item, count)?;
        let lanes = self.port.word_bytes as usize / 4;
        let mut words = vec![0; count * lanes];
        self.read_space(node, address, &mut words)?;
        Ok(words.into_iter().step_by(lanes).collect())
    }

    /// Checks that the node may have these registers; gives the address of the first.
    fn check_registers<P: Place>(&self, node: usize, first: P, item: usize, count: usize) -> Result<u32, Error> {
        self.check_node(node)?;
        let map = P::BLOCK.map();
        // The system window is behind all windows that can be opened.
        let items = match P::BLOCK {
            Block::Tags => map.items,
            block => self.nodes[node].build.items(block),
        };
        if items == 0 {
            let (what, key) = (P::BLOCK.name(), None);
            return Err(Error::NotBuilt { node, what, key });
        }
        Error::check_range(map.item, item as u64, 0, items as u64 - 1)?;
        let left = ((items - item) << map.number_width) - first.number();
        Error::check_range("registers", count as u64, 0, left as u64)?;
        Ok(address_at(self.config(), node, first, item))
    }
}
