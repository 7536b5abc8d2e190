//! Tickets: operations under way.

use std::sync::{Arc, Mutex};

use portico::{onesided, Error, Fabric};
use pyo3::{prelude::*, types::PyTuple};

use crate::{
    carrier::Carrier,
    item::Item,
    operation::{self, Value},
    shared::Shared,
};

/// A ticket, by the width of its value.
pub(crate) enum Open {
    Done(onesided::Ticket<()>),
    Word(onesided::Ticket<u32>),
    Wide(onesided::Ticket<u64>),
}

impl Open {
    /// None while the operation is under way; then its value, if it has one.
    fn poll(&mut self, fabric: &mut Fabric<Carrier>) -> Result<Option<Option<u64>>, Error> {
        Ok(match self {
            Open::Done(ticket) => ticket.poll(fabric)?.map(Value::number),
            Open::Word(ticket) => ticket.poll(fabric)?.map(Value::number),
            Open::Wide(ticket) => ticket.poll(fabric)?.map(Value::number),
        })
    }

    fn wait(&mut self, fabric: &mut Fabric<Carrier>, timeout: u64) -> Result<Option<u64>, Error> {
        Ok(match self {
            Open::Done(ticket) => ticket.wait(fabric, timeout)?.number(),
            Open::Word(ticket) => ticket.wait(fabric, timeout)?.number(),
            Open::Wide(ticket) => ticket.wait(fabric, timeout)?.number(),
        })
    }
}

/// An operation under way. It holds an event of its node until it was seen complete. After its release the operation goes on.
#[pyclass(frozen, module = "portico")]
pub(crate) struct Ticket {
    item: Item<Open>,
    value: Mutex<Option<u64>>,
}

impl Ticket {
    pub fn new(shared: &Arc<Shared>, ticket: Open) -> Ticket {
        Ticket {
            item: Item::new(shared, "ticket", ticket),
            value: Mutex::new(None),
        }
    }

    fn keep(&self, value: Option<u64>) {
        if let Ok(mut kept) = self.value.lock() {
            *kept = value;
        }
    }
}

#[pymethods]
impl Ticket {
    /// Whether the operation is complete. Raises RefusedError if the hardware refused it.
    fn poll(&self, py: Python<'_>) -> PyResult<bool> {
        let polled = self.item.call(py, |ticket, fabric| ticket.poll(fabric))?;
        if let Some(value) = polled {
            self.keep(value);
        }
        Ok(polled.is_some())
    }

    /// Waits until the operation is complete, for at most `timeout` cycles. Gives its value, None for an operation without one. After
    /// a TimeoutError it may be waited for again. Raises RefusedError if the hardware refused it.
    #[pyo3(signature = (timeout=None))]
    fn wait(&self, py: Python<'_>, timeout: Option<&Bound<'_, PyAny>>) -> PyResult<Option<u64>> {
        let timeout = operation::timeout(timeout)?;
        let value = self.item.call_waiting(py, |ticket, fabric, waits| {
            waits.wait(fabric, timeout, |fabric, cycles| ticket.wait(fabric, cycles))
        })?;
        self.keep(value);
        Ok(value)
    }

    /// The value of an operation that was seen complete; None before, and of an operation without one.
    #[getter]
    fn value(&self) -> Option<u64> {
        self.value.lock().ok().and_then(|value| *value)
    }

    /// Releases the ticket. An operation that is not complete goes on.
    fn release(&self, py: Python<'_>) -> PyResult<()> {
        self.item.take(py, |_, _| Ok(()))
    }

    fn __enter__(slf: Py<Ticket>) -> Py<Ticket> {
        slf
    }

    #[pyo3(signature = (*exception))]
    fn __exit__(&self, py: Python<'_>, exception: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.item.exit(exception, || self.release(py))
    }
}
