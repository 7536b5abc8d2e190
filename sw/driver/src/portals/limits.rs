//! Limits of interfaces.

use portico_spec::portals::engine::{COUNTERS, DESCRIPTORS, INDICES, QUEUES};

use super::{Error, Ni};
use crate::{Fabric, Transport};

/// Limits of an interface: `ptl_ni_limits_t`. What both interfaces of a tile share counts for both together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NiLimits {
    /// Entries in all lists, and headers of unexpected messages: they share their places.
    pub max_entries: usize,
    /// Headers of unexpected messages: as many as entries.
    pub max_unexpected_headers: usize,
    /// Memory descriptors.
    pub max_mds: usize,
    /// Counters.
    pub max_cts: usize,
    /// Event queues.
    pub max_eqs: usize,
    /// Largest portal index; of each interface.
    pub max_pt_index: u32,
    /// Pieces of a memory descriptor or entry: one that is not in pieces is none.
    pub max_iovecs: usize,
    /// Entries of one list.
    pub max_list_size: usize,
    /// Triggered operations: there are none.
    pub max_triggered_ops: usize,
    /// Bytes of a message: those of the tile's memory.
    pub max_msg_size: u64,
    /// Bytes of an atomic: there are none.
    pub max_atomic_size: u64,
    /// Bytes of an atomic that fetches: there are none.
    pub max_fetch_atomic_size: u64,
    /// Bytes whose order is kept when one message writes what another wrote.
    pub max_waw_ordered_size: u64,
    /// Bytes whose order is kept when one message writes what another read.
    pub max_war_ordered_size: u64,
    /// Bytes of a put that are copied before it returns: none.
    pub max_volatile_size: u64,
    /// `PTL_TOTAL_DATA_ORDERING`: the data of two messages of a pair are in their order, whatever they do.
    pub total_data_ordering: bool,
}

impl Ni {
    /// The limits of the interface, which `PtlNIInit` gives.
    ///
    /// Accesses: none.
    ///
    /// # Errors
    /// [`Error::Stale`].
    pub fn limits<T: Transport>(self, fabric: &mut Fabric<T>) -> Result<NiLimits, Error> {
        self.engine(fabric)?;
        let state = &fabric.nodes[self.tile];
        let (entries, bytes) = (state.build.entries, state.memory_bytes.into());
        Ok(NiLimits {
            max_entries: entries,
            max_unexpected_headers: entries,
            max_mds: DESCRIPTORS,
            max_cts: COUNTERS,
            max_eqs: QUEUES,
            max_pt_index: INDICES as u32 - 1,
            max_iovecs: 0,
            max_list_size: entries,
            max_triggered_ops: 0,
            max_msg_size: bytes,
            max_atomic_size: 0,
            max_fetch_atomic_size: 0,
            max_waw_ordered_size: bytes,
            max_war_ordered_size: bytes,
            max_volatile_size: 0,
            total_data_ordering: true,
        })
    }
}
