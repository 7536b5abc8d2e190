//! Handles: which row of which tile, of which interface, and of which generation.

use std::fmt;

use portico_spec::portals::engine;

/// An interface of a tile. Both share the tile's memory descriptors, counters, event queues and places of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Interface {
    /// `PTL_NI_MATCHING`: entries have match bits and a source.
    Matching,
    /// `PTL_NI_NO_MATCHING`: the first entry of an index takes every message.
    NonMatching,
}

impl Interface {
    /// The portal index with its interface, as the engine has it.
    pub(super) fn portal(self, pt_index: u32) -> u8 {
        pt_index as u8 | (self as u8) << engine::NON_MATCHING_OFFSET
    }

    /// Name in error messages.
    pub(super) fn of(self, tile: usize) -> String {
        format!("{self} of tile {tile}")
    }
}

impl fmt::Display for Interface {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Interface::Matching => "the matching interface",
            Interface::NonMatching => "the non-matching interface",
        })
    }
}

/// A row of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub tile: usize,
    pub interface: Interface,
    pub number: u8,
    pub generation: u32,
}

macro_rules! handles {
    ($($(#[doc = $doc:literal])+ $type:ident;)+) => {
        $(
            $(#[doc = $doc])+
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            pub struct $type(pub(super) Key);

            impl $type {
                /// Its row in the tables of the tile.
                pub fn number(self) -> usize {
                    self.0.number.into()
                }
            }
        )+
    };
}

handles! {
    /// A memory descriptor.
    MdHandle;
    /// A counter.
    CtHandle;
    /// An event queue.
    EqHandle;
}

/// An entry of a matching interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MeHandle(pub(super) EntryKey);

/// An entry of a non-matching interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LeHandle(pub(super) EntryKey);

/// An entry of a tile. The handle of the hardware has a generation of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct EntryKey {
    pub tile: usize,
    pub hardware: u32,
}
