//! Groups of tiles that make MPI-like calls.

use std::sync::Arc;

use portico::{
    collective::{Operation, Shape},
    mpi::{self, Way},
    Error, Fabric,
};
use pyo3::{
    exceptions::PyTypeError,
    prelude::*,
    types::{PyDict, PyString, PyTuple},
    IntoPyObjectExt,
};

use crate::{
    carrier::Carrier,
    item::Item,
    number::{self, addresses, word},
    operation::TIMEOUT,
    request::{self, Request},
    shared::Shared,
};

/// A group of tiles that make MPI-like calls. Members have ranks, 0 and up, in the order in which they were named. It holds segments
/// and contexts until it is released, or its `with` block ends.
///
/// Elements are words of 32 bits. Addresses are one byte address for all members, or a list with the address of each. Data of calls
/// that puts can carry out must lie in memory that Fabric.allocate has handed out.
///
/// Calls wait until they have ended at all members. Keywords of all of them: `timeout` in cycles, 1,000,000 unless given;
/// `request=True` gives a Request, which is not started.
#[pyclass(frozen, module = "portico")]
pub(crate) struct Comm {
    item: Item<mpi::Comm>,
    tiles: Vec<usize>,
}

/// A shape of a tree: its name, or a pair of a name and a number.
pub(crate) fn shape(given: &Bound<'_, PyAny>) -> PyResult<Shape> {
    let py = given.py();
    if let Ok(name) = given.cast::<PyString>() {
        let all = [
            ("linear", Shape::Linear),
            ("binomial", Shape::Binomial),
            ("centre", Shape::Centre),
            ("star", Shape::Star),
            ("quad", Shape::Quad),
        ];
        return number::choice(py, "shape", &name.to_cow()?, &all);
    }
    let (name, count): (String, Bound<'_, PyAny>) = given.extract().map_err(|_| {
        PyTypeError::new_err(format!(
            "shape = {given} is no name, and no pair of a name and a number"
        ))
    })?;
    let count = number::node("shape", &count)?;
    let all = [
        ("kary", Shape::Kary(count)),
        ("columns", Shape::Columns(count)),
        ("rows", Shape::Rows(count)),
    ];
    number::choice(py, "shape", &name, &all)
}

fn operation(py: Python<'_>, name: &str) -> PyResult<Operation> {
    let all: Vec<_> = Operation::ALL
        .iter()
        .map(|&operation| (operation.name(), operation))
        .collect();
    number::choice(py, "operation", name, &all)
}

impl Comm {
    pub fn new(shared: &Arc<Shared>, comm: mpi::Comm) -> Comm {
        Comm {
            tiles: comm.tiles().to_vec(),
            item: Item::new(shared, "group", comm),
        }
    }

    /// Prepares a call, and runs it or gives its request.
    fn run(
        &self,
        py: Python<'_>,
        keywords: Option<&Bound<'_, PyDict>>,
        prepare: impl FnOnce(&mpi::Comm, &mut Fabric<Carrier>) -> Result<mpi::Request, Error> + Send,
    ) -> PyResult<Py<PyAny>> {
        let (mut timeout, mut request) = (TIMEOUT, false);
        for (key, value) in keywords.into_iter().flatten() {
            match key.cast::<PyString>()?.to_cow()?.as_ref() {
                "timeout" => timeout = number::wide("timeout", &value)?,
                "request" => request = value.extract()?,
                other => {
                    return Err(PyTypeError::new_err(format!(
                        "unexpected keyword {other}: allowed is timeout or request"
                    )));
                }
            }
        }
        if request {
            let request = self.item.call(py, |comm, fabric| prepare(comm, fabric))?;
            return Request::new(self.item.shared(), request).into_py_any(py);
        }
        self.item.call_waiting(py, |comm, fabric, waits| {
            let request = prepare(comm, fabric)?;
            request::run(request, fabric, waits, timeout)
        })?;
        Ok(py.None())
    }
}

#[pymethods]
impl Comm {
    /// How many members it has.
    #[getter]
    fn size(&self) -> usize {
        self.tiles.len()
    }

    /// Its members, by rank.
    #[getter]
    fn tiles(&self) -> Vec<usize> {
        self.tiles.clone()
    }

    /// The rank of a tile; None if it is not a member.
    fn rank(&self, tile: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
        let tile = number::node("tile", tile)?;
        Ok(self.tiles.iter().position(|&member| member == tile))
    }

    /// Carries out later calls in this way: "engines", "puts" or "host"; with None, in the cheapest.
    #[pyo3(signature = (way=None))]
    fn force(&self, py: Python<'_>, way: Option<&str>) -> PyResult<()> {
        let all = Way::ALL.map(|way| (way.name(), way));
        let way = way.map(|name| number::choice(py, "way", name, &all)).transpose()?;
        self.item.call(py, |comm, _| {
            comm.force(way);
            Ok(())
        })
    }

    /// Ends after all members have begun it.
    #[pyo3(signature = (**keywords))]
    fn barrier(&self, py: Python<'_>, keywords: Option<&Bound<'_, PyDict>>) -> PyResult<Py<PyAny>> {
        self.run(py, keywords, |comm, fabric| comm.barrier(fabric))
    }

    /// Broadcasts `words` words from the address of the root, a rank, to the addresses of all others.
    #[pyo3(signature = (root, address, words, **keywords))]
    fn broadcast(
        &self,
        py: Python<'_>,
        root: &Bound<'_, PyAny>,
        address: &Bound<'_, PyAny>,
        words: &Bound<'_, PyAny>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let (root, words) = (number::node("root", root)?, word("words", words)?);
        let address = addresses("address", address)?;
        self.run(py, keywords, |comm, fabric| comm.bcast(fabric, root, address, words))
    }

    /// Gathers a block of `words` words of every member at all members, in place: that of rank r lies at the address of each member
    /// + 4 r `words`.
    #[pyo3(signature = (address, words, **keywords))]
    fn allgather(
        &self,
        py: Python<'_>,
        address: &Bound<'_, PyAny>,
        words: &Bound<'_, PyAny>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let (address, words) = (addresses("address", address)?, word("words", words)?);
        self.run(py, keywords, |comm, fabric| comm.allgather(fabric, address, words))
    }

    /// Folds `words` words from the source addresses of all members into the address `result` of the root, a rank. `operation` is
    /// "integer_sum", "integer_min", "integer_max", "and", "or", "xor", "float_sum", "float_min" or "float_max".
    #[pyo3(signature = (root, source, result, words, operation, **keywords))]
    #[allow(clippy::too_many_arguments, reason = "they are keywords of Python")]
    fn reduce(
        &self,
        py: Python<'_>,
        root: &Bound<'_, PyAny>,
        source: &Bound<'_, PyAny>,
        result: &Bound<'_, PyAny>,
        words: &Bound<'_, PyAny>,
        operation: &str,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let (root, source) = (number::node("root", root)?, addresses("source", source)?);
        let (result, words) = (word("result", result)?, word("words", words)?);
        let operation = self::operation(py, operation)?;
        self.run(py, keywords, |comm, fabric| {
            comm.reduce(fabric, root, source, result, words, operation)
        })
    }

    /// Folds `words` words from the source addresses of all members into the result addresses of all members. Operations are those of
    /// reduce.
    #[pyo3(signature = (source, result, words, operation, **keywords))]
    fn allreduce(
        &self,
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        result: &Bound<'_, PyAny>,
        words: &Bound<'_, PyAny>,
        operation: &str,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let (source, result) = (addresses("source", source)?, addresses("result", result)?);
        let (words, operation) = (word("words", words)?, self::operation(py, operation)?);
        self.run(py, keywords, |comm, fabric| {
            comm.allreduce(fabric, source, result, words, operation)
        })
    }

    /// Folds as many blocks of `words` words as there are members, and leaves at each member the block of its rank: that of rank r lies
    /// at the source address of each member + 4 r `words`, and goes to the result address of member r.
    #[pyo3(signature = (source, result, words, operation, **keywords))]
    fn reduce_scatter(
        &self,
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        result: &Bound<'_, PyAny>,
        words: &Bound<'_, PyAny>,
        operation: &str,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let (source, result) = (addresses("source", source)?, addresses("result", result)?);
        let (words, operation) = (word("words", words)?, self::operation(py, operation)?);
        self.run(py, keywords, |comm, fabric| {
            comm.reduce_scatter(fabric, source, result, words, operation)
        })
    }

    /// Scatters: the block of `words` words for rank r lies at `source` + 4 r `words` of the root, a rank, and goes to the result
    /// address of member r.
    #[pyo3(signature = (root, source, result, words, **keywords))]
    fn scatter(
        &self,
        py: Python<'_>,
        root: &Bound<'_, PyAny>,
        source: &Bound<'_, PyAny>,
        result: &Bound<'_, PyAny>,
        words: &Bound<'_, PyAny>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let (root, source) = (number::node("root", root)?, word("source", source)?);
        let (result, words) = (addresses("result", result)?, word("words", words)?);
        self.run(py, keywords, |comm, fabric| {
            comm.scatter(fabric, root, source, result, words)
        })
    }

    /// Gathers: the block of `words` words at the source address of rank r goes to `result` + 4 r `words` of the root, a rank.
    #[pyo3(signature = (root, source, result, words, **keywords))]
    fn gather(
        &self,
        py: Python<'_>,
        root: &Bound<'_, PyAny>,
        source: &Bound<'_, PyAny>,
        result: &Bound<'_, PyAny>,
        words: &Bound<'_, PyAny>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let (root, source) = (number::node("root", root)?, addresses("source", source)?);
        let (result, words) = (word("result", result)?, word("words", words)?);
        self.run(py, keywords, |comm, fabric| {
            comm.gather(fabric, root, source, result, words)
        })
    }

    /// Member r sends the block of `words` words at its source address + 4 s `words` to rank s, and gets the block from rank s at its
    /// result address + 4 s `words`.
    #[pyo3(signature = (source, result, words, **keywords))]
    fn alltoall(
        &self,
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        result: &Bound<'_, PyAny>,
        words: &Bound<'_, PyAny>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let (source, result) = (addresses("source", source)?, addresses("result", result)?);
        let words = word("words", words)?;
        self.run(py, keywords, |comm, fabric| {
            comm.alltoall(fabric, source, result, words)
        })
    }

    /// How long a call of the engines may stand still at a member before it fails there, in cycles of the fabric; 0 for ever. Without
    /// engines nothing is set.
    fn timeout(&self, py: Python<'_>, cycles: &Bound<'_, PyAny>) -> PyResult<()> {
        let cycles = word("cycles", cycles)?;
        self.item.call(py, |comm, fabric| comm.timeout(fabric, cycles))
    }

    /// Makes the group usable again after a call of the engines has failed, or does not end. Their calls under way fail; what they
    /// have written is undefined. Waits for at most `timeout` cycles.
    #[pyo3(signature = (timeout=TIMEOUT))]
    fn recover(&self, py: Python<'_>, timeout: u64) -> PyResult<()> {
        self.item.call(py, |comm, fabric| comm.recover(fabric, timeout))
    }

    /// Releases segments and contexts. Requests that were not released can only be released.
    fn release(&self, py: Python<'_>) -> PyResult<()> {
        self.item.call(py, |comm, fabric| comm.release(fabric))?;
        self.item.take(py, |_, _| Ok(()))
    }

    fn __enter__(slf: Py<Comm>) -> Py<Comm> {
        slf
    }

    #[pyo3(signature = (*exception))]
    fn __exit__(&self, py: Python<'_>, exception: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.item.exit(exception, || self.release(py))
    }
}
