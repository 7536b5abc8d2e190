//! Heads of packets, for test benches that drive streams of flits.

use portico_spec::flit::{
    DESTINATION_OFFSET, KIND_OFFSET, KIND_WIDTH, LAST_OFFSET, LAST_WIDTH, MAX_PAYLOAD_FLITS, SOURCE_OFFSET, TAG_OFFSET,
    TAG_WIDTH, X_WIDTH, Y_WIDTH,
};
use pyo3::prelude::*;

use crate::{config::Config, failure::not_allowed, number};

/// The fields of a head, each with its lowest bit and its bits.
#[pyfunction]
#[pyo3(name = "_head_fields")]
pub(crate) fn head_fields() -> [(&'static str, usize, usize); 7] {
    [
        ("destination x", DESTINATION_OFFSET, X_WIDTH),
        ("destination y", DESTINATION_OFFSET + X_WIDTH, Y_WIDTH),
        ("source x", SOURCE_OFFSET, X_WIDTH),
        ("source y", SOURCE_OFFSET + X_WIDTH, Y_WIDTH),
        ("tag", TAG_OFFSET, TAG_WIDTH),
        ("kind", KIND_OFFSET, KIND_WIDTH),
        ("last", LAST_OFFSET, LAST_WIDTH),
    ]
}

/// Most flits that a packet has behind its head.
#[pyfunction]
#[pyo3(name = "_max_payload")]
pub(crate) fn max_payload() -> usize {
    MAX_PAYLOAD_FLITS
}

/// Column and row of a terminal, by its number: tiles first, then the edge nodes, which are in the row below the last.
#[pyfunction]
#[pyo3(name = "_place")]
pub(crate) fn place(py: Python<'_>, config: &Bound<'_, Config>, terminal: &Bound<'_, PyAny>) -> PyResult<(u8, u8)> {
    let config = &config.get().0;
    let (found, last) = (number::node("terminal", terminal)?, config.terminals() - 1);
    if found > last {
        let text = format!("terminal = {found} is not allowed: allowed is 0..={last}");
        return Err(not_allowed(py, text));
    }
    let node = config.terminal_node(found);
    Ok((node.x, node.y))
}
