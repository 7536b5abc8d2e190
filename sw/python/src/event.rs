//! Events: counters of a node with a threshold.

use std::sync::Arc;

use portico::{
    event::{self, Compare},
    ErrorCode,
};
use pyo3::{prelude::*, types::PyTuple};

use crate::{item::Item, number, operation, shared::Shared};

/// An event of a node: a counter of 16 bits with a threshold, for completions, arrivals and notifications. It is taken until it is
/// released, or its `with` block ends.
#[pyclass(frozen, module = "portico")]
pub(crate) struct Event {
    pub item: Item<event::Event>,
    node: usize,
    number: u8,
}

/// State of an event.
#[pyclass(frozen, get_all, module = "portico")]
pub(crate) struct EventState {
    /// Its counter, modulo 65,536.
    count: u16,
    /// The first error since it was cleared, as a code of the hardware; None without one.
    error: Option<u32>,
    /// Whether its condition holds.
    fired: bool,
    /// The result of the last atomic.
    value: u64,
}

#[pymethods]
impl EventState {
    fn __repr__(&self) -> String {
        let error = self.error.map_or("None".to_owned(), |code| code.to_string());
        let fired = if self.fired { "True" } else { "False" };
        format!(
            "EventState(count={}, error={error}, fired={fired}, value={})",
            self.count, self.value
        )
    }
}

impl From<event::EventState> for EventState {
    fn from(state: event::EventState) -> EventState {
        let event::EventState {
            count,
            error,
            fired,
            value,
        } = state;
        let error = error.map(|code: ErrorCode| code as u32);
        EventState {
            count,
            error,
            fired,
            value,
        }
    }
}

impl Event {
    pub fn new(shared: &Arc<Shared>, event: event::Event) -> Event {
        Event {
            node: event.node(),
            number: event.number(),
            item: Item::new(shared, "event", event),
        }
    }
}

fn count(name: &str, value: &Bound<'_, PyAny>) -> PyResult<u16> {
    number::number(name, value, u16::MAX.into()).map(|count| count as u16)
}

#[pymethods]
impl Event {
    /// The node of the event.
    #[getter]
    fn node(&self) -> usize {
        self.node
    }

    /// Its number at the node, as descriptors and programs use it.
    #[getter]
    fn number(&self) -> u8 {
        self.number
    }

    /// Sets the condition on which the event fires: `compare` is "never", "equal", "at_least" or "not_equal" to the threshold. With
    /// `interrupt`, the node interrupts then.
    #[pyo3(signature = (threshold, compare="at_least", interrupt=false))]
    fn configure(&self, py: Python<'_>, threshold: &Bound<'_, PyAny>, compare: &str, interrupt: bool) -> PyResult<()> {
        let threshold = count("threshold", threshold)?;
        let all: Vec<_> = Compare::ALL.iter().map(|&compare| (compare.name(), compare)).collect();
        let compare = number::choice(py, "compare", compare, &all)?;
        self.item.call(py, |event, fabric| {
            event.configure(fabric, threshold, compare, interrupt)
        })
    }

    /// Sets the counter and clears the error. No operation should be under way that counts in the event.
    #[pyo3(signature = (count=None))]
    fn reset(&self, py: Python<'_>, count: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let count = count.map_or(Ok(0), |value| self::count("count", value))?;
        self.item.call(py, |event, fabric| event.reset(fabric, count))
    }

    /// Reads the state of the event.
    fn state(&self, py: Python<'_>) -> PyResult<EventState> {
        Ok(self.item.call(py, |event, fabric| event.state(fabric))?.into())
    }

    /// Waits until the event has fired, for at most `timeout` cycles. An error of the event is in the state that this gives, and is
    /// not raised.
    #[pyo3(signature = (timeout=None))]
    fn wait(&self, py: Python<'_>, timeout: Option<&Bound<'_, PyAny>>) -> PyResult<EventState> {
        let timeout = operation::timeout(timeout)?;
        let state = self.item.call_waiting(py, |event, fabric, waits| {
            waits.wait(fabric, timeout, |fabric, cycles| event.wait(fabric, cycles))
        })?;
        Ok(state.into())
    }

    /// Waits until all operations that count in the event are complete, for at most `timeout` cycles. Nothing else may count in it.
    /// Raises RefusedError with the first error, which is cleared then.
    #[pyo3(signature = (timeout=None))]
    fn drain(&self, py: Python<'_>, timeout: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let timeout = operation::timeout(timeout)?;
        self.item.call_waiting(py, |event, fabric, waits| {
            waits.wait(fabric, timeout, |fabric, cycles| event.drain(fabric, cycles))
        })
    }

    /// Switches the event off and releases it.
    fn release(&self, py: Python<'_>) -> PyResult<()> {
        self.item.take(py, |event, fabric| event.release(fabric))
    }

    fn __enter__(slf: Py<Event>) -> Py<Event> {
        slf
    }

    #[pyo3(signature = (*exception))]
    fn __exit__(&self, py: Python<'_>, exception: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.item.exit(exception, || self.release(py))
    }
}
