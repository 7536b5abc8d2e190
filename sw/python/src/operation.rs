//! One-sided operations, and how they complete.

use std::sync::Arc;

use portico::{
    onesided::{self, Initiator, Operation, Outcome, Strides},
    Error, Fabric,
};
use pyo3::{
    exceptions::PyTypeError,
    prelude::*,
    types::{PyDict, PyString},
    IntoPyObjectExt,
};

use crate::{
    carrier::Carrier,
    event::Event,
    failure::Failure,
    number,
    shared::Shared,
    ticket::{Open, Ticket},
};

/// Cycles that a wait takes unless told otherwise.
pub(crate) const TIMEOUT: u64 = 1_000_000;

/// The time-out of a wait, in cycles, from an argument that may be left out.
pub(crate) fn timeout(cycles: Option<&Bound<'_, PyAny>>) -> PyResult<u64> {
    cycles.map_or(Ok(TIMEOUT), |cycles| number::wide("timeout", cycles))
}

/// Which bytes a transfer moves. All values except the counts are in bytes: whole words of the fabric, at most 65,535 of each.
///
/// row: bytes that lie together at both sides. rows: rows of a plane. planes: how many planes. row_strides and plane_strides: from
/// row to row and from plane to plane, a pair (in the segment, in the initiator's memory).
#[pyclass(frozen, eq, module = "portico")]
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Geometry(onesided::Geometry);

fn strides(name: &str, given: Option<&Bound<'_, PyAny>>) -> PyResult<Strides> {
    let Some(given) = given else {
        return Ok(Strides::default());
    };
    let (remote, local): (Bound<'_, PyAny>, Bound<'_, PyAny>) = given.extract().map_err(|_| {
        PyTypeError::new_err(format!(
            "{name} = {given} is no pair: (in the segment, in the initiator's memory)"
        ))
    })?;
    let (remote, local) = (number::word(name, &remote)?, number::word(name, &local)?);
    Ok(Strides { remote, local })
}

#[pymethods]
impl Geometry {
    #[new]
    #[pyo3(signature = (row, rows=None, row_strides=None, planes=None, plane_strides=None))]
    fn new(
        row: &Bound<'_, PyAny>,
        rows: Option<&Bound<'_, PyAny>>,
        row_strides: Option<&Bound<'_, PyAny>>,
        planes: Option<&Bound<'_, PyAny>>,
        plane_strides: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Geometry> {
        let count = |name, given: Option<&Bound<'_, PyAny>>| given.map_or(Ok(1), |count| number::word(name, count));
        Ok(Geometry(onesided::Geometry {
            row: number::word("row", row)?,
            rows: count("rows", rows)?,
            row_strides: strides("row_strides", row_strides)?,
            planes: count("planes", planes)?,
            plane_strides: strides("plane_strides", plane_strides)?,
        }))
    }

    /// Bytes that it moves.
    #[getter]
    fn bytes(&self) -> u64 {
        self.0.bytes()
    }

    fn __repr__(&self) -> String {
        let onesided::Geometry {
            row,
            rows,
            row_strides,
            planes,
            plane_strides,
        } = self.0;
        let pair = |strides: Strides| format!("({}, {})", strides.remote, strides.local);
        format!(
            "Geometry(row={row}, rows={rows}, row_strides={}, planes={planes}, plane_strides={})",
            pair(row_strides),
            pair(plane_strides)
        )
    }
}

/// A geometry, or bytes that lie together.
pub(crate) fn geometry(given: &Bound<'_, PyAny>) -> PyResult<onesided::Geometry> {
    match given.cast::<Geometry>() {
        Ok(geometry) => Ok(geometry.get().0),
        Err(_) => number::word("geometry", given).map(onesided::Geometry::linear),
    }
}

/// A result of an operation, as Python gets it.
pub(crate) trait Value: Outcome {
    fn open(ticket: onesided::Ticket<Self>) -> Open;
    fn number(self) -> Option<u64>;
}

impl Value for () {
    fn open(ticket: onesided::Ticket<()>) -> Open {
        Open::Done(ticket)
    }

    fn number(self) -> Option<u64> {
        None
    }
}

impl Value for u32 {
    fn open(ticket: onesided::Ticket<u32>) -> Open {
        Open::Word(ticket)
    }

    fn number(self) -> Option<u64> {
        Some(self.into())
    }
}

impl Value for u64 {
    fn open(ticket: onesided::Ticket<u64>) -> Open {
        Open::Wide(ticket)
    }

    fn number(self) -> Option<u64> {
        Some(self)
    }
}

/// How an operation completes: the keywords of a call.
pub(crate) struct End<'a> {
    timeout: u64,
    ticket: bool,
    event: Option<&'a Event>,
    shaper: Option<u8>,
    drained: bool,
}

/// The end of an operation that the call has reached.
enum Reached {
    Value(Option<u64>),
    Ticket(Open),
}

impl<'a> End<'a> {
    /// Reads the keywords. `event` keeps the event of them alive.
    pub fn read(completion: Option<&Bound<'_, PyDict>>, held_event: &'a mut Option<Py<Event>>) -> PyResult<End<'a>> {
        let mut end = End {
            timeout: TIMEOUT,
            ticket: false,
            event: None,
            shaper: None,
            drained: false,
        };
        for (key, value) in completion.into_iter().flatten() {
            match key.cast::<PyString>()?.to_cow()?.as_ref() {
                "timeout" => end.timeout = number::wide("timeout", &value)?,
                "ticket" => end.ticket = value.extract()?,
                "event" if value.is_none() => {}
                "event" => *held_event = Some(value.cast_into::<Event>()?.unbind()),
                "shaper" => end.shaper = Some(number::number("shaper", &value, u8::MAX.into())? as u8),
                "drained" => end.drained = value.extract()?,
                other => {
                    return Err(PyTypeError::new_err(format!(
                        "unexpected keyword {other}: allowed is timeout, ticket, event, shaper or drained"
                    )));
                }
            }
        }
        end.event = held_event.as_ref().map(Py::get);
        if end.ticket && end.event.is_some() {
            return Err(PyTypeError::new_err(
                "an operation has a ticket or counts in an event, not both",
            ));
        }
        Ok(end)
    }
}

/// Prepares an operation, and completes it as the keywords say.
pub(crate) fn run<V: Value + Send>(
    py: Python<'_>,
    shared: &Arc<Shared>,
    completion: Option<&Bound<'_, PyDict>>,
    prepare: impl for<'f> FnOnce(&'f mut Fabric<Carrier>) -> Result<Operation<'f, Carrier, V>, Failure> + Send,
) -> PyResult<Py<PyAny>> {
    let mut event = None;
    let end = End::read(completion, &mut event)?;
    let reached = shared.call_waiting(py, |fabric, waits| {
        let mut operation = prepare(fabric)?;
        if let Some(shaper) = end.shaper {
            operation = operation.shaper(shaper)?;
        }
        if end.drained {
            operation = operation.drained();
        }
        if let Some(event) = end.event {
            operation.count_in(event.item.lock(shared)?.get()?)?;
            return Ok(Reached::Value(None));
        }
        let mut ticket = operation.start()?;
        if end.ticket {
            return Ok(Reached::Ticket(V::open(ticket)));
        }
        let value = waits.wait(fabric, end.timeout, |fabric, cycles| ticket.wait(fabric, cycles))?;
        Ok(Reached::Value(value.number()))
    })?;
    match reached {
        Reached::Value(value) => value.into_py_any(py),
        Reached::Ticket(ticket) => Ticket::new(shared, ticket).into_py_any(py),
    }
}

/// A node as the initiator of operations.
pub(crate) fn initiator(fabric: &mut Fabric<Carrier>, node: usize) -> Result<Initiator<'_, Carrier>, Error> {
    match node {
        node if node == fabric.host_node() => Ok(fabric.host()),
        node => fabric.tile(node),
    }
}
