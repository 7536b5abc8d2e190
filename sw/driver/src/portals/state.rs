//! What the driver knows of the Portals engines: tables with generations, so that a stale handle is told.

use std::collections::BTreeMap;

use portico_spec::portals::engine;

use super::{handle::Key, Error, Interface, Process};
use crate::{event::Event, Error as DriverError, Fabric, Region, Transport};

/// Portals of a fabric.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// The process of each rank; empty until the map is set.
    pub(super) map: Vec<Process>,
    pub(super) engines: BTreeMap<usize, Engine>,
}

/// The engine of a tile.
#[derive(Debug)]
pub(super) struct Engine {
    /// User of the tile.
    pub uid: u32,
    pub interfaces: [Opened; 2],
    /// What it takes of the tile while an interface is open.
    pub taken: Option<Taken>,
    pub mds: Table<MdRow>,
    pub cts: Table<CtRow>,
    pub eqs: Table<EqRow>,
    pub portals: Vec<Option<PortalRow>>,
    /// Handles of entries that may be in a list, by their places, each with its portal and interface.
    pub entries: BTreeMap<u32, (u32, u8)>,
}

/// How an interface is opened.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Opened {
    /// Calls of `open` that are not closed.
    pub count: usize,
    pub generation: u32,
}

/// Events and memory of the tile.
#[derive(Debug)]
pub(super) struct Taken {
    /// Counts entry and control commands.
    pub commands: Event,
    /// Counts puts and gets that are sent.
    pub moves: Event,
    /// Counts the changes of all counters and event queues.
    pub changes: Event,
    /// A word for handles of entries.
    pub handle: Region,
}

impl Taken {
    /// Takes them.
    pub fn new<T: Transport>(fabric: &mut Fabric<T>, tile: usize) -> Result<Taken, DriverError> {
        let handle = fabric.allocate(tile, 4)?;
        let mut events = vec![];
        let taken = (0..3).try_for_each(|_| fabric.event(tile).map(|event| events.push(event)));
        if let Err(error) = taken {
            for event in events {
                event.release(fabric)?;
            }
            fabric.free(handle)?;
            return Err(error);
        }
        let mut events = events.into_iter();
        let mut next = || events.next().expect("three events");
        Ok(Taken {
            commands: next(),
            moves: next(),
            changes: next(),
            handle,
        })
    }

    /// Gives them back.
    pub fn release<T: Transport>(self, fabric: &mut Fabric<T>) -> Result<(), DriverError> {
        for event in [self.commands, self.moves, self.changes] {
            event.release(fabric)?;
        }
        fabric.free(self.handle)
    }
}

/// A memory descriptor.
#[derive(Clone, Debug)]
pub(super) struct MdRow {
    pub length: u64,
    pub eq: Option<u8>,
    pub ct: Option<u8>,
}

/// A counter.
#[derive(Clone, Debug)]
pub(super) struct CtRow;

/// An event queue.
#[derive(Clone, Debug)]
pub(super) struct EqRow {
    pub region: Region,
    /// Events that it holds, a power of two.
    pub size: u16,
    /// Events that were taken, modulo 2^16.
    pub taken: u16,
}

/// A portal index.
#[derive(Clone, Debug)]
pub(super) struct PortalRow {
    pub eq: Option<u8>,
}

impl Engine {
    pub fn new() -> Engine {
        Engine {
            uid: 0,
            interfaces: Default::default(),
            taken: None,
            mds: Table::new("memory descriptor", engine::DESCRIPTORS),
            cts: Table::new("counter", engine::COUNTERS),
            eqs: Table::new("event queue", engine::QUEUES),
            portals: vec![None; engine::PORTALS],
            entries: BTreeMap::new(),
        }
    }
}

/// Rows that are free or taken.
#[derive(Debug)]
pub(super) struct Table<V> {
    what: &'static str,
    rows: Vec<Row<V>>,
}

#[derive(Clone, Debug)]
struct Row<V> {
    /// How often it was taken.
    generation: u32,
    value: Option<(Interface, V)>,
}

impl<V: Clone> Table<V> {
    fn new(what: &'static str, count: usize) -> Table<V> {
        let (generation, value) = (0, None);
        Table {
            what,
            rows: vec![Row { generation, value }; count],
        }
    }

    /// The lowest free row.
    pub fn free(&self, tile: usize) -> Result<u8, Error> {
        let (what, limit) = (self.what, self.rows.len());
        let free = self.rows.iter().position(|row| row.value.is_none());
        free.map(|number| number as u8)
            .ok_or(Error::NoSpace { tile, what, limit })
    }

    /// Takes a free row.
    pub fn take(&mut self, tile: usize, interface: Interface, number: u8, value: V) -> Key {
        let row = &mut self.rows[usize::from(number)];
        row.generation += 1;
        row.value = Some((interface, value));
        Key {
            tile,
            interface,
            number,
            generation: row.generation,
        }
    }

    /// The row of a handle.
    pub fn row(&mut self, key: Key) -> Result<&mut V, Error> {
        let (what, tile) = (self.what, key.tile);
        let row = &mut self.rows[usize::from(key.number)];
        match &mut row.value {
            Some((_, value)) if row.generation == key.generation => Ok(value),
            _ => Err(Error::Stale { what, tile }),
        }
    }

    /// Frees the row of a handle.
    pub fn give(&mut self, key: Key) {
        self.rows[usize::from(key.number)].value = None;
    }

    /// Handles of all taken rows of an interface.
    pub fn keys(&self, tile: usize, interface: Interface) -> Vec<Key> {
        let rows = (0..).zip(&self.rows);
        let of = rows.filter(|(_, row)| row.value.as_ref().is_some_and(|&(owner, _)| owner == interface));
        of.map(|(number, row)| Key {
            tile,
            interface,
            number,
            generation: row.generation,
        })
        .collect()
    }

    /// Whether some taken row is so.
    pub fn any(&self, is_so: impl Fn(&V) -> bool) -> bool {
        self.rows
            .iter()
            .any(|row| row.value.as_ref().is_some_and(|(_, value)| is_so(value)))
    }
}
