//! The map of ranks.

use portico_spec::portals::engine::{item, RANK_PRESENT_OFFSET};

use super::{ni, Error};
use crate::{registers::PortalsRegister, Fabric, Transport};

/// A process: `ptl_process_t` with a physical id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Process {
    /// Its tile.
    pub nid: usize,
    /// Its number at the tile: 0, as a tile has one.
    pub pid: u32,
}

impl From<usize> for Process {
    fn from(tile: usize) -> Process {
        Process { nid: tile, pid: 0 }
    }
}

/// `PtlSetMap` of all processes at once: rank `i` is process `map[i]`. The map is written at all its tiles, then all are
/// enabled: none of them sends or takes a message before. The map stays until the fabric is reset; the same one again changes
/// nothing.
///
/// Accesses: ranks + 2 for each tile of the map, which travel together; none if the map is set.
///
/// # Errors
/// [`Error::ArgInvalid`] of a map that has no rank or too many, of a pid, of a nid that is no tile or comes twice;
/// [`Error::Ignored`] if another map is set; [`Error::Fail`] if the tiles have no Portals engine, or of the fabric.
pub fn set_map<T: Transport>(fabric: &mut Fabric<T>, map: &[Process]) -> Result<(), Error> {
    for (rank, process) in map.iter().enumerate() {
        let last = fabric.config().tiles() as u64 - 1;
        Error::check_range("nid", process.nid as u64, 0, last)?;
        Error::check_range("pid", process.pid.into(), 0, 0)?;
        if map[..rank].contains(process) {
            return Err(Error::invalid("nid", process.nid, "each tile once"));
        }
    }
    ni::check_built(fabric, map.first().map_or(0, |first| first.nid))?;
    let ranks = fabric.config().portals as u64;
    Error::check_range("map_size", map.len() as u64, 1, ranks)?;
    if !fabric.portals.map.is_empty() {
        return match fabric.portals.map == map {
            true => Ok(()),
            false => Err(Error::Ignored),
        };
    }
    let nodes = map.iter().map(|process| fabric.config().tile_node(process.nid));
    let rows: Vec<u32> = nodes
        .map(|node| u32::from(node.number()) | 1 << RANK_PRESENT_OFFSET)
        .collect();
    fabric.together(|fabric| {
        for (own, process) in map.iter().enumerate() {
            for (rank, &row) in rows.iter().enumerate() {
                fabric.poke(process.nid, PortalsRegister::Rank, rank, &[row])?;
            }
            fabric.poke(process.nid, PortalsRegister::Setting, item::RANK, &[own as u32])?;
        }
        Ok(())
    })?;
    fabric.together(|fabric| {
        map.iter()
            .try_for_each(|process| fabric.poke(process.nid, PortalsRegister::Setting, item::ENABLE, &[1]))
    })?;
    fabric.portals.map = map.to_vec();
    tracing::debug!(ranks = map.len(), "map of ranks set");
    Ok(())
}

/// `PtlGetMap`: the process of each rank; empty if no map is set.
///
/// Accesses: none.
pub fn get_map<T: Transport>(fabric: &Fabric<T>) -> &[Process] {
    &fabric.portals.map
}
