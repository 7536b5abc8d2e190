//! Requests: calls of groups that are prepared.

use std::sync::Arc;

use portico::{mpi, Fabric};
use pyo3::{prelude::*, types::PyTuple};

use crate::{
    carrier::Carrier,
    failure::Failure,
    item::Item,
    operation,
    shared::{Shared, Waits},
};

/// A call of a group that is prepared. It can be started again and again, each time with the words that lie in memory then. It may
/// hold memory and events until it is released, or its `with` block ends.
#[pyclass(frozen, module = "portico")]
pub(crate) struct Request {
    item: Item<mpi::Request>,
    way: &'static str,
    estimate: u64,
}

impl Request {
    pub fn new(shared: &Arc<Shared>, request: mpi::Request) -> Request {
        Request {
            way: request.way().name(),
            estimate: request.estimate(),
            item: Item::new(shared, "request", request),
        }
    }
}

/// Starts a request, waits for it, and releases it.
pub(crate) fn run(
    mut request: mpi::Request,
    fabric: &mut Fabric<Carrier>,
    waits: Waits<'_>,
    timeout: u64,
) -> Result<(), Failure> {
    let started = request.start(fabric).map_err(Failure::from);
    let ended = started.and_then(|()| waits.wait(fabric, timeout, |fabric, cycles| request.wait(fabric, cycles)));
    let released = request.release(fabric);
    ended?;
    Ok(released?)
}

#[pymethods]
impl Request {
    /// How the call is carried out: "engines", "puts" or "host".
    #[getter]
    fn way(&self) -> &'static str {
        self.way
    }

    /// Cycles that the cost model expects from the start to the end of a wait, with a host at the fabric's AXI4-Lite port.
    #[getter]
    fn estimate(&self) -> u64 {
        self.estimate
    }

    /// Starts the call at all members, when an earlier start of it is complete. If the host carries it out, it is complete when this
    /// returns.
    fn start(&self, py: Python<'_>) -> PyResult<()> {
        self.item.call(py, |request, fabric| request.start(fabric))
    }

    /// Whether the call has ended at all members. One that is not started has.
    fn poll(&self, py: Python<'_>) -> PyResult<bool> {
        self.item.call(py, |request, fabric| request.poll(fabric))
    }

    /// Waits until the call has ended at all members, for at most `timeout` cycles. After a TimeoutError it may be waited for again.
    #[pyo3(signature = (timeout=None))]
    fn wait(&self, py: Python<'_>, timeout: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let timeout = operation::timeout(timeout)?;
        self.item.call_waiting(py, |request, fabric, waits| {
            waits.wait(fabric, timeout, |fabric, cycles| request.wait(fabric, cycles))
        })
    }

    /// Releases what the request has taken, when it is complete. After an error it may be repeated.
    fn release(&self, py: Python<'_>) -> PyResult<()> {
        self.item.call(py, |request, fabric| request.release(fabric))?;
        self.item.take(py, |_, _| Ok(()))
    }

    fn __enter__(slf: Py<Request>) -> Py<Request> {
        slf
    }

    #[pyo3(signature = (*exception))]
    fn __exit__(&self, py: Python<'_>, exception: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.item.exit(exception, || self.release(py))
    }
}
