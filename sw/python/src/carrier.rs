//! Carriers of accesses: those of the driver, and objects of Python.

use std::{
    cell::Cell,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use portico::{Config, GoldenTransport, Transport, TransportError};
use pyo3::{prelude::*, types::PyList};

use crate::number::{wide, word};

/// The transport of a fabric. The reference model is not behind a pointer, since its accesses take less time than calls through
/// one.
#[allow(clippy::large_enum_variant, reason = "a fabric has one, which does not move")]
pub(crate) enum Carrier {
    Golden(GoldenTransport),
    Python(Custom),
    Other(Box<dyn Transport + Send>),
}

/// Methods of a transport that each has.
macro_rules! each {
    ($(fn $name:ident(&mut self $(, $argument:ident: $type:ty)*) $(-> $result:ty)?;)+) => {
        $(fn $name(&mut self $(, $argument: $type)*) $(-> $result)? {
            match self {
                Carrier::Golden(golden) => Transport::$name(golden $(, $argument)*),
                Carrier::Python(custom) => custom.$name($($argument),*),
                Carrier::Other(other) => other.$name($($argument),*),
            }
        })+
    };
}

impl Transport for Carrier {
    fn config(&self) -> &Config {
        match self {
            Carrier::Golden(golden) => golden.config(),
            Carrier::Python(custom) => custom.config(),
            Carrier::Other(other) => other.config(),
        }
    }

    fn cycles(&self) -> u64 {
        match self {
            Carrier::Golden(golden) => golden.cycles(),
            Carrier::Python(custom) => custom.cycles(),
            Carrier::Other(other) => other.cycles(),
        }
    }

    each! {
        fn read(&mut self, address: u32) -> Result<u32, TransportError>;
        fn write(&mut self, address: u32, value: u32) -> Result<(), TransportError>;
        fn read_block(&mut self, address: u32, words: &mut [u32]) -> Result<(), TransportError>;
        fn write_block(&mut self, address: u32, words: &[u32]) -> Result<(), TransportError>;
        fn wait(&mut self, cycles: u64);
        fn interrupt(&mut self) -> bool;
    }
}

/// An object of Python that reads and writes. Unless it has a clock, a cycle is an access, or what a wait asks for.
pub(crate) struct Custom {
    config: Config,
    read: Py<PyAny>,
    write: Py<PyAny>,
    read_block: Option<Py<PyAny>>,
    write_block: Option<Py<PyAny>>,
    clock: Option<Clock>,
    /// Cycles that were counted, or that the clock has told last.
    cycles: Cell<u64>,
    raised: Raised,
}

/// The methods of an object that knows the cycles of the fabric.
struct Clock {
    cycles: Py<PyAny>,
    wait: Py<PyAny>,
}

/// The first exception of a transport, shared with who opens it: the fabric is closed after it, since it is not known what the access
/// has done.
#[derive(Clone, Default)]
pub(crate) struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    fn lock(&self) -> MutexGuard<'_, Option<PyErr>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the exception.
    pub fn take(&self) -> Option<PyErr> {
        self.lock().take()
    }
}

impl Custom {
    /// Takes the methods `read(address)` and `write(address, value)` of an object, and if it has them `read_block(address, count)`,
    /// `write_block(address, values)`, and both `cycles()` and `wait(cycles)`.
    pub fn new(transport: &Bound<'_, PyAny>, config: Config) -> PyResult<Custom> {
        let method = |name| Ok::<_, PyErr>(transport.getattr_opt(name)?.map(Bound::unbind));
        let clock = method("cycles")?.zip(method("wait")?);
        Ok(Custom {
            config,
            read: transport.getattr("read")?.unbind(),
            write: transport.getattr("write")?.unbind(),
            read_block: method("read_block")?,
            write_block: method("write_block")?,
            clock: clock.map(|(cycles, wait)| Clock { cycles, wait }),
            cycles: Cell::new(0),
            raised: Raised::default(),
        })
    }

    /// The exception that an access has raised.
    pub fn raised(&self) -> &Raised {
        &self.raised
    }

    /// Counts cycles, if there is no clock.
    fn count(&self, cycles: u64) {
        if self.clock.is_none() {
            self.cycles.set(self.cycles.get() + cycles);
        }
    }

    /// Makes accesses, so many of them.
    fn access<V>(
        &self,
        count: usize,
        work: impl FnOnce(Python<'_>, &Custom) -> PyResult<V>,
    ) -> Result<V, TransportError> {
        self.count(count.max(1) as u64);
        self.call(work)
    }

    /// Calls the object, unless it has raised an exception.
    fn call<V>(&self, work: impl FnOnce(Python<'_>, &Custom) -> PyResult<V>) -> Result<V, TransportError> {
        let failed = |error: &PyErr| TransportError::Failed(error.to_string());
        // The driver may go on after an error; nothing reaches the object then.
        if let Some(raised) = &*self.raised.lock() {
            return Err(failed(raised));
        }
        Python::attach(|py| work(py, self)).map_err(|error| {
            let text = failed(&error);
            *self.raised.lock() = Some(error);
            text
        })
    }
}

impl Transport for Custom {
    fn config(&self) -> &Config {
        &self.config
    }

    fn read(&mut self, address: u32) -> Result<u32, TransportError> {
        self.access(1, |py, custom| {
            let value = custom.read.bind(py).call1((address,))?;
            word("the value that the transport has read", &value)
        })
    }

    fn write(&mut self, address: u32, value: u32) -> Result<(), TransportError> {
        self.access(1, |py, custom| {
            custom.write.bind(py).call1((address, value)).map(|_| ())
        })
    }

    fn read_block(&mut self, address: u32, words: &mut [u32]) -> Result<(), TransportError> {
        if self.read_block.is_none() {
            let places = (address..).step_by(4).zip(words);
            return places.into_iter().try_for_each(|(at, place)| {
                *place = self.read(at)?;
                Ok(())
            });
        }
        self.access(words.len(), |py, custom| {
            let method = custom.read_block.as_ref().expect("it was found").bind(py);
            let values = method.call1((address, words.len()))?;
            let values = crate::number::words("the value that the transport has read", &values)?;
            let (found, wanted) = (values.len(), words.len());
            if found != wanted {
                return Err(pyo3::exceptions::PyValueError::new_err(format!(
                    "read_block of the transport has read {found} words, expected {wanted}"
                )));
            }
            words.copy_from_slice(&values);
            Ok(())
        })
    }

    fn write_block(&mut self, address: u32, words: &[u32]) -> Result<(), TransportError> {
        if self.write_block.is_none() {
            let places = (address..).step_by(4).zip(words);
            return places.into_iter().try_for_each(|(at, &word)| self.write(at, word));
        }
        self.access(words.len(), |py, custom| {
            let method = custom.write_block.as_ref().expect("it was found").bind(py);
            method.call1((address, PyList::new(py, words)?)).map(|_| ())
        })
    }

    /// After an exception of the object, the cycles that it has told last.
    fn cycles(&self) -> u64 {
        let Some(clock) = &self.clock else {
            return self.cycles.get();
        };
        let before = self.cycles.get();
        let told = self.call(|py, _| {
            let told = clock.cycles.bind(py).call0()?;
            let cycles = wide("the cycles that the transport has told", &told)?;
            // Waits take the difference of two readings.
            if cycles < before {
                return Err(pyo3::exceptions::PyValueError::new_err(format!(
                    "the cycles that the transport has told = {cycles} are not allowed: allowed is {before} and more, since it has \
                     told {before} before"
                )));
            }
            Ok(cycles)
        });
        self.cycles.set(told.unwrap_or(before));
        self.cycles.get()
    }

    fn wait(&mut self, cycles: u64) {
        self.count(cycles);
        if let Some(clock) = &self.clock {
            // The fabric takes the exception from `raised`.
            let _ = self.call(|py, _| clock.wait.bind(py).call1((cycles,)).map(|_| ()));
        }
    }

    fn interrupt(&mut self) -> bool {
        false
    }
}
