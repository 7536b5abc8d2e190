//! Portals 4.3, for `portico.portals`: interfaces of tiles, their handles and events.
//!
//! | module | has |
//! | --- | --- |
//! | `names` | constants of Portals by their names, and the members of enumerations that they are in Python |
//! | `handle` | memory descriptors, entries, counters and event queues |
//! | `record` | events, counts and limits as tuples with names |
//! | `ni` | interfaces, portal indices and memory descriptors |
//! | `matching` | entries, searches, puts and gets |
//! | `counting` | counters, event queues, and waits |

use portico::{portals, Error};
use pyo3::prelude::*;

use crate::{carrier::Carrier, fabric::Fabric, failure::Failure, number, shared::Waits};

mod counting;
pub(crate) mod handle;
mod matching;
pub(crate) mod names;
pub(crate) mod ni;
pub(crate) mod record;

/// Sets the tiles of the ranks: rank i is the i-th tile. Call it before the first Ni; the map stays until the fabric is reset, and the
/// same one again changes nothing. Raises PortalsError: PTL_ARG_INVALID of a tile that does not exist or comes twice and of too many
/// ranks, PTL_IGNORED if another map is set, PTL_FAIL if the tiles have no Portals engine.
#[pyfunction]
pub(crate) fn set_map(py: Python<'_>, fabric: &Bound<'_, Fabric>, tiles: &Bound<'_, PyAny>) -> PyResult<()> {
    let tiles = number::nodes("tile", tiles)?;
    let map: Vec<portals::Process> = tiles.into_iter().map(portals::Process::from).collect();
    fabric
        .get()
        .shared
        .call(py, |fabric| Ok(portals::set_map(fabric, &map)?))
}

/// The tile of each rank; an empty list if no map is set.
#[pyfunction]
pub(crate) fn get_map(py: Python<'_>, fabric: &Bound<'_, Fabric>) -> PyResult<Vec<usize>> {
    fabric.get().shared.call(py, |fabric| {
        Ok(portals::get_map(fabric).iter().map(|process| process.nid).collect())
    })
}

/// Polls in slices, between which Ctrl-C is looked for. None if the time is out: `poll`, which gets the cycles of a slice, then fails in
/// the way of `is_over`.
fn wait<V>(
    waits: Waits<'_>,
    fabric: &mut portico::Fabric<Carrier>,
    timeout: u64,
    is_over: fn(&portals::Error) -> bool,
    mut poll: impl FnMut(&mut portico::Fabric<Carrier>, u64) -> Result<V, portals::Error>,
) -> Result<Option<V>, Failure> {
    let polled = waits.wait(fabric, timeout, |fabric, cycles| match poll(fabric, cycles) {
        Err(error) if is_over(&error) => Err(Error::Timeout {
            node: 0,
            what: "",
            cycles,
        }),
        polled => Ok(polled),
    });
    match polled {
        Ok(polled) => Ok(Some(polled?)),
        // Every other failure of the driver is one of Portals.
        Err(Failure::Driver(_)) => Ok(None),
        Err(failure) => Err(failure),
    }
}
