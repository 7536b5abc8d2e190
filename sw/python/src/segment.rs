//! Windows: memory that a node publishes; and segments, by which other nodes reach it.

use std::sync::Arc;

use portico::onesided::{self, GlobalId, Initiator, Operation, Remote};
use pyo3::{
    prelude::*,
    types::{PyDict, PyTuple},
};

use crate::{
    carrier::Carrier,
    failure::{not_allowed, Failure},
    item::Item,
    number,
    operation::{geometry, initiator, run, Value},
    shared::Shared,
};

/// Memory that a node has published. It stays published until it is withdrawn, or its `with` block ends.
#[pyclass(frozen, module = "portico")]
pub(crate) struct Window {
    item: Item<onesided::Segment>,
    id: GlobalId,
}

impl Window {
    pub fn new(shared: &Arc<Shared>, window: onesided::Segment) -> Window {
        Window {
            id: window.id(),
            item: Item::new(shared, "window", window),
        }
    }
}

#[pymethods]
impl Window {
    /// The node that has published the memory.
    #[getter]
    fn node(&self) -> usize {
        self.id.node()
    }

    /// Its length in bytes.
    #[getter]
    fn bytes(&self) -> u32 {
        self.id.bytes()
    }

    /// Makes the window known to a node, a tile or the host, which then reaches it by the segment.
    fn clone(&self, py: Python<'_>, node: &Bound<'_, PyAny>) -> PyResult<Segment> {
        let node = number::node("node", node)?;
        let remote = self
            .item
            .call(py, |window, fabric| initiator(fabric, node)?.clone_segment(window.id()))?;
        Ok(Segment::new(self.item.shared(), remote))
    }

    /// Ends of transfers since the window was published, modulo 65,536.
    fn ends(&self, py: Python<'_>) -> PyResult<u16> {
        self.item.call(py, |window, fabric| window.ends(fabric))
    }

    /// Puts the pointer of a window for streams back to the first byte.
    fn rewind(&self, py: Python<'_>) -> PyResult<()> {
        self.item.call(py, |window, fabric| window.rewind(fabric))
    }

    /// Closes the window: it refuses all later packets.
    fn withdraw(&self, py: Python<'_>) -> PyResult<()> {
        self.item.take(py, |window, fabric| window.withdraw(fabric))
    }

    fn __enter__(slf: Py<Window>) -> Py<Window> {
        slf
    }

    #[pyo3(signature = (*exception))]
    fn __exit__(&self, py: Python<'_>, exception: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.item.exit(exception, || self.withdraw(py))
    }
}

/// A window as another node, the initiator, reaches it. It holds a segment handle of that node until it is released, or its `with`
/// block ends.
///
/// Operations wait until they are complete. Keywords of all of them: `timeout` in cycles, 1,000,000 unless given; `ticket=True` gives
/// a Ticket at once; `event` counts in an event of the initiator together with others, see Event.drain; `shaper` is the number of
/// the packet shaper; `drained=True` holds it at the node until the node's earlier commands have ended.
///
/// They raise ArgumentError before anything is sent; RefusedError if the hardware refuses; TimeoutError, after which the operation
/// goes on; ExhaustedError if all events of the initiator are taken.
#[pyclass(frozen, module = "portico")]
pub(crate) struct Segment {
    item: Item<Remote>,
    id: GlobalId,
    initiator: usize,
    handle: u8,
}

/// Runs an atomic operation of 32 or 64 bits.
macro_rules! atomic {
    ($py:expr, $self:expr, $offset:expr, $bits:expr, $completion:expr, $method:ident($($operand:ident),*)) => {{
        let offset = number::word("offset", $offset)?;
        match $bits {
            32 => {
                $(let $operand = number::word(stringify!($operand), $operand)?;)*
                $self.run($py, $completion, |node, remote| node.$method::<u32>(remote, offset $(, $operand)*))
            }
            64 => {
                $(let $operand = number::wide(stringify!($operand), $operand)?;)*
                $self.run($py, $completion, |node, remote| node.$method::<u64>(remote, offset $(, $operand)*))
            }
            bits => Err(not_allowed($py, format!("bits = {bits} is not allowed: allowed is 32 or 64"))),
        }
    }};
}

impl Segment {
    fn new(shared: &Arc<Shared>, remote: Remote) -> Segment {
        Segment {
            id: remote.id(),
            initiator: remote.initiator(),
            handle: remote.handle(),
            item: Item::new(shared, "segment", remote),
        }
    }

    /// Prepares an operation of the initiator, and completes it as the keywords say.
    fn run<V: Value + Send>(
        &self,
        py: Python<'_>,
        completion: Option<&Bound<'_, PyDict>>,
        prepare: impl for<'f> FnOnce(Initiator<'f, Carrier>, &Remote) -> Result<Operation<'f, Carrier, V>, portico::Error>
            + Send,
    ) -> PyResult<Py<PyAny>> {
        let shared = self.item.shared();
        run(py, shared, completion, |fabric| {
            let mut locked = self.item.lock(shared)?;
            Ok::<_, Failure>(prepare(initiator(fabric, self.initiator)?, locked.get()?)?)
        })
    }
}

#[pymethods]
impl Segment {
    /// The node that has published the memory.
    #[getter]
    fn node(&self) -> usize {
        self.id.node()
    }

    /// The node that reaches it.
    #[getter]
    fn initiator(&self) -> usize {
        self.initiator
    }

    /// The segment handle of the initiator, as descriptors name it.
    #[getter]
    fn handle(&self) -> u8 {
        self.handle
    }

    /// Its length in bytes.
    #[getter]
    fn bytes(&self) -> u32 {
        self.id.bytes()
    }

    /// Writes memory of the initiator, from byte `local` on, to the segment, from byte `offset` on. `geometry` is a number of bytes
    /// that lie together, or a Geometry.
    #[pyo3(signature = (offset, local, geometry, **completion))]
    fn put(
        &self,
        py: Python<'_>,
        offset: &Bound<'_, PyAny>,
        local: &Bound<'_, PyAny>,
        geometry: &Bound<'_, PyAny>,
        completion: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let (offset, local) = (number::word("offset", offset)?, number::word("local", local)?);
        let geometry = self::geometry(geometry)?;
        self.run(py, completion, |node, remote| node.put(remote, offset, local, geometry))
    }

    /// Reads the segment, from byte `offset` on, into memory of the initiator, from byte `local` on.
    #[pyo3(signature = (offset, local, geometry, **completion))]
    fn get(
        &self,
        py: Python<'_>,
        offset: &Bound<'_, PyAny>,
        local: &Bound<'_, PyAny>,
        geometry: &Bound<'_, PyAny>,
        completion: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let (offset, local) = (number::word("offset", offset)?, number::word("local", local)?);
        let geometry = self::geometry(geometry)?;
        self.run(py, completion, |node, remote| node.get(remote, offset, local, geometry))
    }

    /// Appends memory of the initiator, from byte `local` on, to a window for streams. Complete when it is sent.
    #[pyo3(signature = (local, geometry, **completion))]
    fn stream(
        &self,
        py: Python<'_>,
        local: &Bound<'_, PyAny>,
        geometry: &Bound<'_, PyAny>,
        completion: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let (local, geometry) = (number::word("local", local)?, self::geometry(geometry)?);
        self.run(py, completion, |node, remote| node.stream(remote, local, geometry))
    }

    /// Complete when all earlier operations of the initiator on the segment are visible there.
    #[pyo3(signature = (**completion))]
    fn fence(&self, py: Python<'_>, completion: Option<&Bound<'_, PyDict>>) -> PyResult<Py<PyAny>> {
        self.run(py, completion, |node, remote| node.fence(remote))
    }

    /// Adds to the word at byte `offset`. Sums wrap. `bits` is 32 or 64.
    #[pyo3(signature = (offset, addend, bits=32, **completion))]
    fn postadd(
        &self,
        py: Python<'_>,
        offset: &Bound<'_, PyAny>,
        addend: &Bound<'_, PyAny>,
        bits: u32,
        completion: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        atomic!(py, self, offset, bits, completion, postadd(addend))
    }

    /// Stores `value` at byte `offset`. `bits` is 32 or 64.
    #[pyo3(signature = (offset, value, bits=32, **completion))]
    fn poke(
        &self,
        py: Python<'_>,
        offset: &Bound<'_, PyAny>,
        value: &Bound<'_, PyAny>,
        bits: u32,
        completion: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        atomic!(py, self, offset, bits, completion, poke(value))
    }

    /// Adds to the word at byte `offset`, and gives the old value. `bits` is 32 or 64.
    #[pyo3(signature = (offset, addend, bits=32, **completion))]
    fn fetchadd(
        &self,
        py: Python<'_>,
        offset: &Bound<'_, PyAny>,
        addend: &Bound<'_, PyAny>,
        bits: u32,
        completion: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        atomic!(py, self, offset, bits, completion, fetchadd(addend))
    }

    /// Stores 0 at byte `offset`, and gives the old value. `bits` is 32 or 64.
    #[pyo3(signature = (offset, bits=32, **completion))]
    fn fetchclear(
        &self,
        py: Python<'_>,
        offset: &Bound<'_, PyAny>,
        bits: u32,
        completion: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        atomic!(py, self, offset, bits, completion, fetchclear())
    }

    /// Stores `new` at byte `offset` if the value is `expected`. Gives the old value. `bits` is 32 or 64.
    #[pyo3(signature = (offset, expected, new, bits=32, **completion))]
    fn compare_and_swap(
        &self,
        py: Python<'_>,
        offset: &Bound<'_, PyAny>,
        expected: &Bound<'_, PyAny>,
        new: &Bound<'_, PyAny>,
        bits: u32,
        completion: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        atomic!(py, self, offset, bits, completion, compare_and_swap(expected, new))
    }

    /// Gives the value at byte `offset`. `bits` is 32 or 64.
    #[pyo3(signature = (offset, bits=32, **completion))]
    fn peek(
        &self,
        py: Python<'_>,
        offset: &Bound<'_, PyAny>,
        bits: u32,
        completion: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        atomic!(py, self, offset, bits, completion, peek())
    }

    /// Adds to the word at byte `offset` if its value is below `limit`, without signs. Gives the old value. `bits` is 32 or 64.
    #[pyo3(signature = (offset, limit, addend, bits=32, **completion))]
    fn add_if(
        &self,
        py: Python<'_>,
        offset: &Bound<'_, PyAny>,
        limit: &Bound<'_, PyAny>,
        addend: &Bound<'_, PyAny>,
        bits: u32,
        completion: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        atomic!(py, self, offset, bits, completion, add_if(limit, addend))
    }

    /// Releases the segment handle. Its operations should be complete: see fence.
    fn release(&self, py: Python<'_>) -> PyResult<()> {
        self.item.take(py, |remote, fabric| remote.release(fabric))
    }

    fn __enter__(slf: Py<Segment>) -> Py<Segment> {
        slf
    }

    #[pyo3(signature = (*exception))]
    fn __exit__(&self, py: Python<'_>, exception: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.item.exit(exception, || self.release(py))
    }
}
