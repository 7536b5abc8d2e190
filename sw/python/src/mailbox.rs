//! Mailboxes: 64 bits at a time, from any node.

use std::sync::Arc;

use portico::mailbox;
use pyo3::{
    prelude::*,
    types::{PyDict, PyTuple},
};

use crate::{
    item::Item,
    number,
    operation::{initiator, run},
    shared::Shared,
};

/// A mailbox of a node. Every node may send to it. It is taken until it is released, or its `with` block ends.
#[pyclass(frozen, module = "portico")]
pub(crate) struct Mailbox {
    item: Item<mailbox::Mailbox>,
    node: usize,
    number: u8,
}

impl Mailbox {
    pub fn new(shared: &Arc<Shared>, mailbox: mailbox::Mailbox) -> Mailbox {
        Mailbox {
            node: mailbox.node(),
            number: mailbox.number(),
            item: Item::new(shared, "mailbox", mailbox),
        }
    }
}

#[pymethods]
impl Mailbox {
    /// The node of the mailbox.
    #[getter]
    fn node(&self) -> usize {
        self.node
    }

    /// Its number at the node.
    #[getter]
    fn number(&self) -> u8 {
        self.number
    }

    /// Sends 64 bits from a node, a tile or the host. Complete when they are sent. Keywords are those of the operations of a Segment.
    #[pyo3(signature = (node, value, **completion))]
    fn mail(
        &self,
        py: Python<'_>,
        node: &Bound<'_, PyAny>,
        value: &Bound<'_, PyAny>,
        completion: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let (node, value) = (number::node("node", node)?, number::wide("value", value)?);
        let shared = self.item.shared();
        run(py, shared, completion, |fabric| {
            let mut locked = self.item.lock(shared)?;
            Ok(initiator(fabric, node)?.mail(locked.get()?, value)?)
        })
    }

    /// Arrivals since the mailbox was cleared, or of the round of its barrier; and the value.
    fn read(&self, py: Python<'_>) -> PyResult<(u32, u64)> {
        self.item.call(py, |mailbox, fabric| mailbox.read(fabric))
    }

    /// Sets count and value to 0.
    fn clear(&self, py: Python<'_>) -> PyResult<()> {
        self.item.call(py, |mailbox, fabric| mailbox.clear(fabric))
    }

    /// Releases the mailbox. Later messages to it stay unnoticed.
    fn release(&self, py: Python<'_>) -> PyResult<()> {
        self.item.take(py, |mailbox, fabric| mailbox.release(fabric))
    }

    fn __enter__(slf: Py<Mailbox>) -> Py<Mailbox> {
        slf
    }

    #[pyo3(signature = (*exception))]
    fn __exit__(&self, py: Python<'_>, exception: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.item.exit(exception, || self.release(py))
    }
}
