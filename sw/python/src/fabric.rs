//! Fabrics, their nodes and memory.

use std::{sync::Arc, time::Duration};

use portico::{
    mailbox::Delivery,
    onesided,
    serial::{Options, PortLine, DEFAULT_BAUD},
    verify, verify_tiles, Error, GoldenTransport, SerialTransport, Transport, TransportError, UioTransport,
};
use pyo3::{prelude::*, types::PyTuple};

use crate::{
    array::{self, Words},
    carrier::{Carrier, Custom},
    comm::{self, Comm},
    config::Config,
    event::Event,
    failure::{not_allowed, Failure},
    interrupt::Held,
    item::Item,
    mailbox::Mailbox,
    number,
    segment::Window,
    shared::{detached, Shared},
};

/// A fabric: memory and registers of its nodes. Nodes are numbered: tiles first, then the host, through which the driver works, then
/// memory nodes. Addresses and lengths are in bytes.
///
/// Fabric(transport, config) opens a fabric over an object with read(address) and write(address, value), 32 bits at byte addresses
/// of the host node's space; read_block(address, count) and write_block(address, values) are used if it has them, and cycles() and
/// wait(cycles) if it has both. An exception of the object comes out of the call, and the fabric is closed then.
///
/// A fabric belongs to one thread at a time: while a call runs, a call of another thread raises BusyError. Calls release the GIL.
#[pyclass(frozen, subclass, module = "portico")]
pub(crate) struct Fabric {
    pub shared: Arc<Shared>,
}

/// Memory of a node that was allocated. It stays so until it is freed, or its `with` block ends.
#[pyclass(frozen, module = "portico")]
pub(crate) struct Region {
    item: Item<portico::Region>,
    region: portico::Region,
}

impl Fabric {
    fn of(fabric: portico::Fabric<Carrier>) -> Fabric {
        let shared = Arc::new(Shared::new(fabric));
        Fabric { shared }
    }
}

/// Opens a fabric that is a device, if it is the one of the configuration.
fn device(mut carrier: Carrier) -> Result<portico::Fabric<Carrier>, Error> {
    verify(&mut carrier)?;
    let mut fabric = portico::Fabric::open(carrier)?;
    verify_tiles(&mut fabric)?;
    Ok(fabric)
}

#[pymethods]
impl Fabric {
    #[new]
    fn new(py: Python<'_>, transport: &Bound<'_, PyAny>, config: &Bound<'_, Config>) -> PyResult<Fabric> {
        let custom = Custom::new(transport, config.get().0.clone())?;
        let raised = custom.raised().clone();
        let held = Held::begin(py)?;
        let opened = detached(py, || Ok(device(Carrier::Python(custom))?));
        let opened = opened.map_err(|failure| raised.take().map_or(failure, Failure::Raised));
        held.map_or(Ok(()), Held::end)?;
        Ok(Fabric::of(opened.map_err(|failure| failure.raise(py))?))
    }

    /// Opens the reference model in this process.
    #[staticmethod]
    fn golden(py: Python<'_>, config: &Bound<'_, Config>) -> PyResult<Fabric> {
        let config = config.get().0.clone();
        let opened = detached(py, || {
            let carrier = Carrier::Golden(GoldenTransport::new(&config)?);
            Ok(portico::Fabric::open(carrier)?)
        });
        Ok(Fabric::of(opened.map_err(|failure| failure.raise(py))?))
    }

    /// Opens a fabric in the memory of this computer: the space of its host node from byte `offset` of a device such as /dev/uio0
    /// on. Map N of a UIO device has the offset of N pages. `hertz` is the clock of the fabric. The fabric must have been reset since
    /// an earlier program has used it. Raises WrongFabricError with both values if the configuration is not the fabric's.
    #[staticmethod]
    fn uio(
        py: Python<'_>,
        path: &str,
        offset: &Bound<'_, PyAny>,
        config: &Bound<'_, Config>,
        hertz: f64,
    ) -> PyResult<Fabric> {
        let (offset, config) = (number::wide("offset", offset)?, config.get().0.clone());
        // A sleep of a time that is no number would end the program.
        if !hertz.is_normal() || hertz < 1.0 {
            let text = format!("hertz = {hertz} is not allowed: allowed is 1 and more");
            return Err(not_allowed(py, text));
        }
        let opened = detached(py, || {
            let transport = UioTransport::map(path, offset, &config, hertz)?;
            Ok(device(Carrier::Other(Box::new(transport)))?)
        });
        Ok(Fabric::of(opened.map_err(|failure| failure.raise(py))?))
    }

    /// Opens a fabric behind the UART bridge of a board, and resets it. `path` is a serial port such as /dev/ttyUSB0, `baud` its rate
    /// in bits a second, that of the bridge: 1,000,000 unless it was built for another. `patience` is how many seconds a request waits
    /// for its answer before it is repeated, beside the time that both take on the line. Raises WrongFabricError with both values if
    /// the configuration is not the fabric's.
    #[staticmethod]
    #[pyo3(signature = (path, baud, config, patience=None))]
    fn serial(
        py: Python<'_>,
        path: &str,
        baud: Option<&Bound<'_, PyAny>>,
        config: &Bound<'_, Config>,
        patience: Option<f64>,
    ) -> PyResult<Fabric> {
        let baud = baud.map_or(Ok(DEFAULT_BAUD), |baud| number::word("baud", baud))?;
        let config = config.get().0.clone();
        let mut options = Options::default();
        if let Some(seconds) = patience {
            options.timeout = Duration::try_from_secs_f64(seconds)
                .map_err(|error| not_allowed(py, format!("patience = {seconds} is not allowed: {error}")))?;
        }
        let opened = detached(py, || {
            let line = PortLine::open(path, baud).map_err(TransportError::from)?;
            let transport = SerialTransport::connect(line, &config, options)?;
            Ok(device(Carrier::Other(Box::new(transport)))?)
        });
        Ok(Fabric::of(opened.map_err(|failure| failure.raise(py))?))
    }

    /// Opens the Verilog of a board under Verilator, which `portico bridge` of the installed program serves behind a pseudo-terminal:
    /// the first time after a minute of compilation. All accesses go through the board's UART bridge. `program` is the program, and
    /// `arguments` are further ones of `portico bridge`, such as "--golden". Raises FileNotFoundError without the program, RuntimeError
    /// with its words if it does not serve, or has another version.
    #[staticmethod]
    #[pyo3(signature = (config, program="portico", arguments=vec![]))]
    fn simulated(
        py: Python<'_>,
        config: &Bound<'_, Config>,
        program: &str,
        arguments: Vec<String>,
    ) -> PyResult<Fabric> {
        let serve = py.import("portico._simulated")?.getattr("serve")?;
        let (path, patience): (String, Option<f64>) = serve.call1((program, config, arguments))?.extract()?;
        Fabric::serial(py, &path, None, config, patience)
    }

    /// The configuration of the fabric.
    #[getter]
    fn config(&self) -> Config {
        Config(self.shared.config().clone())
    }

    /// How many tiles there are: nodes 0 to tiles - 1.
    #[getter]
    fn tiles(&self) -> usize {
        self.shared.config().tiles()
    }

    /// The node through which the driver works.
    #[getter]
    fn host_node(&self) -> usize {
        self.shared.config().tiles()
    }

    /// Bytes of a word of the fabric: addresses and lengths are multiples of it.
    #[getter]
    fn word_bytes(&self) -> u32 {
        self.shared.word_bytes()
    }

    /// Bytes of a node's memory.
    fn memory_bytes(&self, py: Python<'_>, node: &Bound<'_, PyAny>) -> PyResult<u32> {
        let node = number::node("node", node)?;
        self.shared.call(py, |fabric| Ok(fabric.memory_bytes(node)?))
    }

    /// Writes a numpy array to a node's memory, from byte `address` on. Its elements are of 32 bits (float32, int32, uint32), or of 64
    /// as well where a word of the fabric has 64. Raises TypeError for another type, ValueError for an array that is not contiguous.
    fn write(
        &self,
        py: Python<'_>,
        node: &Bound<'_, PyAny>,
        address: &Bound<'_, PyAny>,
        array: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let (node, address) = (number::node("node", node)?, number::word("address", address)?);
        let words = Words::of(array, self.shared.word_bytes())?.copy();
        self.shared.call(py, |fabric| Ok(fabric.write(node, address, &words)?))
    }

    /// Reads a node's memory from byte `address` on, as a numpy array of this shape (a number or a tuple) and type.
    #[pyo3(signature = (node, address, shape, dtype=None))]
    fn read<'py>(
        &self,
        node: &Bound<'py, PyAny>,
        address: &Bound<'py, PyAny>,
        shape: &Bound<'py, PyAny>,
        dtype: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = node.py();
        let dtype = dtype.map_or_else(
            || "uint32".into_pyobject(py).map(|name| name.into_any()),
            |given| Ok(given.clone()),
        )?;
        let array = array::empty(shape, &dtype, self.shared.word_bytes())?;
        self.read_into(node, address, &array)?;
        Ok(array)
    }

    /// Reads a node's memory from byte `address` on into a numpy array, which must be contiguous and writable.
    fn read_into(&self, node: &Bound<'_, PyAny>, address: &Bound<'_, PyAny>, array: &Bound<'_, PyAny>) -> PyResult<()> {
        let (node, address) = (number::node("node", node)?, number::word("address", address)?);
        let words = Words::of(array, self.shared.word_bytes())?;
        words.check_writable()?;
        let count = words.count();
        let read = self
            .shared
            .call(array.py(), |fabric| Ok(fabric.read(node, address, count)?))?;
        // Another thread may have changed the array meanwhile.
        let words = Words::of(array, self.shared.word_bytes())?;
        words.check_writable()?;
        words.fill(&read)
    }

    /// Takes memory of a node, in multiples of 8 bytes.
    fn allocate(&self, py: Python<'_>, node: &Bound<'_, PyAny>, bytes: &Bound<'_, PyAny>) -> PyResult<Region> {
        let (node, bytes) = (number::node("node", node)?, number::word("bytes", bytes)?);
        let region = self.shared.call(py, |fabric| Ok(fabric.allocate(node, bytes)?))?;
        let item = Item::new(&self.shared, "region", region);
        Ok(Region { item, region })
    }

    /// Publishes `bytes` bytes of a node's memory from byte `base` on. With `stream`, streams fill the window one after the other, in
    /// rows of `row` bytes that are `stride` bytes apart; else it takes puts, gets and atomics. Ends of transfers count in `event`, an
    /// event of the same node.
    #[pyo3(signature = (node, base, bytes, *, stream=false, row=None, stride=None, event=None))]
    #[allow(clippy::too_many_arguments, reason = "they are keywords of Python")]
    fn publish(
        &self,
        py: Python<'_>,
        node: &Bound<'_, PyAny>,
        base: &Bound<'_, PyAny>,
        bytes: &Bound<'_, PyAny>,
        stream: bool,
        row: Option<&Bound<'_, PyAny>>,
        stride: Option<&Bound<'_, PyAny>>,
        event: Option<&Bound<'_, Event>>,
    ) -> PyResult<Window> {
        let node = number::node("node", node)?;
        let (base, bytes) = (number::word("base", base)?, number::word("bytes", bytes)?);
        let row = row.map_or(Ok(0), |row| number::word("row", row))?;
        let stride = stride.map_or(Ok(0), |stride| number::word("stride", stride))?;
        let event = event.map(Bound::get);
        let window = self.shared.call(py, |fabric| {
            let mut window = match stream {
                true => onesided::Window::stream(base, bytes),
                false => onesided::Window::new(base, bytes),
            }
            .rows(row, stride);
            if let Some(event) = event {
                window = window.notifying(event.item.lock(&self.shared)?.get()?);
            }
            Ok(fabric.publish(node, window)?)
        })?;
        Ok(Window::new(&self.shared, window))
    }

    /// Takes an event of a node. Its counter is 0 and it never fires.
    fn event(&self, py: Python<'_>, node: &Bound<'_, PyAny>) -> PyResult<Event> {
        let node = number::node("node", node)?;
        let event = self.shared.call(py, |fabric| Ok(fabric.event(node)?))?;
        Ok(Event::new(&self.shared, event))
    }

    /// Takes a mailbox of a node, empty. With `arrivals` 0, each message replaces the one before, and notifies; with 1 to 255, messages
    /// are ORed, and the last of this number notifies. `event`, of the same node, is notified.
    #[pyo3(signature = (node, arrivals=None, event=None))]
    fn mailbox(
        &self,
        py: Python<'_>,
        node: &Bound<'_, PyAny>,
        arrivals: Option<&Bound<'_, PyAny>>,
        event: Option<&Bound<'_, Event>>,
    ) -> PyResult<Mailbox> {
        let node = number::node("node", node)?;
        let delivery = match arrivals.map_or(Ok(0), |count| number::word("arrivals", count))? {
            0 => Delivery::Message,
            arrivals => Delivery::Barrier(arrivals),
        };
        let event = event.map(Bound::get);
        let mailbox = self.shared.call(py, |fabric| {
            let mut locked = event.map(|event| event.item.lock(&self.shared)).transpose()?;
            let event = locked.as_mut().map(|locked| locked.get()).transpose()?;
            Ok(fabric.mailbox(node, delivery, event.map(|event| &*event))?)
        })?;
        Ok(Mailbox::new(&self.shared, mailbox))
    }

    /// A group of these tiles, all if None, in the order of their ranks, that makes MPI-like calls. `shape` is the tree along which they
    /// fold: "linear", "binomial", "centre", "star", "quad", ("kary", k), ("columns", column) or ("rows", row).
    #[pyo3(signature = (tiles=None, shape=None))]
    fn comm(
        &self,
        py: Python<'_>,
        tiles: Option<&Bound<'_, PyAny>>,
        shape: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Comm> {
        let tiles = tiles.map_or_else(|| Ok((0..self.tiles()).collect()), |tiles| number::nodes("tile", tiles))?;
        let shape = shape.map_or(Ok(portico::collective::Shape::Centre), comm::shape)?;
        let comm = self.shared.call(py, |fabric| Ok(fabric.mpi(&tiles, &shape)?))?;
        Ok(Comm::new(&self.shared, comm))
    }

    /// Cycles as the transport counts them, since some moment in the past. Only a simulation counts cycles of the fabric's clock; other
    /// transports count accesses, and what waits have asked for.
    #[getter]
    fn cycles(&self, py: Python<'_>) -> PyResult<u64> {
        self.shared.call(py, |fabric| Ok(fabric.transport().cycles()))
    }

    /// Whether the host node interrupts now.
    #[getter]
    fn interrupt(&self, py: Python<'_>) -> PyResult<bool> {
        self.shared.call(py, |fabric| Ok(fabric.transport().interrupt()))
    }

    /// Sets the cycles that an access of the driver may take: to memory and registers of nodes, and to get room for a command.
    fn set_timeout(&self, py: Python<'_>, cycles: &Bound<'_, PyAny>) -> PyResult<()> {
        let cycles = number::wide("cycles", cycles)?;
        self.shared.call(py, |fabric| {
            fabric.set_timeout(cycles);
            Ok(())
        })
    }

    /// Closes the fabric. Operations under way go on. Calls of what belongs to the fabric raise ClosedError from then on.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.shared.close(py)
    }

    fn __enter__(slf: Py<Fabric>) -> Py<Fabric> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.close(py)
    }
}

#[pymethods]
impl Region {
    /// The node whose memory it is.
    #[getter]
    fn node(&self) -> usize {
        self.region.node
    }

    /// Its first byte, a multiple of 8.
    #[getter]
    fn base(&self) -> u32 {
        self.region.base
    }

    /// Its length in bytes, a multiple of 8.
    #[getter]
    fn bytes(&self) -> u32 {
        self.region.bytes
    }

    /// Gives the memory back.
    fn free(&self, py: Python<'_>) -> PyResult<()> {
        self.item.take(py, |region, fabric| fabric.free(region))
    }

    fn __enter__(slf: Py<Region>) -> Py<Region> {
        slf
    }

    #[pyo3(signature = (*exception))]
    fn __exit__(&self, py: Python<'_>, exception: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.item.exit(exception, || self.free(py))
    }
}
