//! Why a call fails, as an exception.

use portico::{portals, Error, ErrorCode, TransportError};
use pyo3::{prelude::*, sync::PyOnceLock, types::PyType};

use crate::portals::record;

/// Why a call fails.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The driver says so.
    Driver(Error),
    /// The driver says so, of Portals.
    Portals(portals::Error),
    /// The fabric is in another call.
    Busy,
    /// The fabric was closed, for this reason.
    Closed(&'static str),
    /// An argument is not allowed, is released, or belongs to another fabric.
    Argument(String),
    /// An exception: of an object of Python, or of Ctrl-C.
    Raised(PyErr),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Driver(error)
    }
}

impl From<portals::Error> for Failure {
    fn from(error: portals::Error) -> Failure {
        Failure::Portals(error)
    }
}

impl From<TransportError> for Failure {
    fn from(error: TransportError) -> Failure {
        Failure::Driver(error.into())
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Failure {
        Failure::Raised(error)
    }
}

/// A class of `portico.errors`.
macro_rules! classes {
    ($($function:ident: $class:literal;)+) => {
        $(fn $function(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
            static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
            CLASS.import(py, "portico.errors", $class)
        })+
    };
}
classes! {
    argument: "ArgumentError";
    busy: "BusyError";
    closed: "ClosedError";
    exhausted: "ExhaustedError";
    other: "Error";
    portals: "PortalsError";
    refused: "RefusedError";
    timed_out: "TimeoutError";
    transport: "TransportError";
    wrong_fabric: "WrongFabricError";
}

/// The class of an error of the driver, and the hardware's code if it has one.
fn class<'py>(py: Python<'py>, error: &Error) -> PyResult<(&'py Bound<'py, PyType>, Option<ErrorCode>)> {
    let class = match error {
        Error::Refused { code, .. } | Error::CommunicatorFailed { code, .. } => return Ok((refused(py)?, Some(*code))),
        Error::Transport(_) => transport(py),
        Error::Timeout { .. } => timed_out(py),
        Error::WrongFabric { .. } | Error::WrongBitstream { .. } => wrong_fabric(py),
        Error::Exhausted { .. } | Error::Taken { .. } | Error::NoContext { .. } => exhausted(py),
        Error::Register(_) | Error::BadMessage { .. } | Error::Released { .. } | Error::UnderWay { .. } => other(py),
        _ => argument(py),
    };
    Ok((class?, None))
}

/// An error of Portals, with its code; with the event that was taken, behind lost ones; from the error of the fabric, if that failed.
fn portals_exception(py: Python<'_>, error: portals::Error) -> PyResult<PyErr> {
    let exception = portals(py)?.call1((error.to_string(),))?;
    exception.setattr("code", error.code())?;
    if let portals::Error::EqDropped(event) = &error {
        exception.setattr("event", record::event(py, event)?)?;
    }
    let exception = PyErr::from_value(exception);
    if let portals::Error::Fail(cause) = error {
        exception.set_cause(py, Some(Failure::Driver(cause).exception(py)?));
    }
    Ok(exception)
}

impl Failure {
    fn exception(self, py: Python<'_>) -> PyResult<PyErr> {
        let (class, text) = match self {
            Failure::Raised(error) => return Ok(error),
            Failure::Busy => (
                busy(py)?,
                "the fabric is in another call, of another thread or of its own transport".to_owned(),
            ),
            Failure::Closed(why) => (closed(py)?, why.to_owned()),
            Failure::Argument(text) => (argument(py)?, text),
            Failure::Portals(error) => return portals_exception(py, error),
            Failure::Driver(error) => {
                let (class, code) = class(py, &error)?;
                let exception = class.call1((error.to_string(),))?;
                if let Some(code) = code {
                    exception.setattr("code", code as u32)?;
                }
                return Ok(PyErr::from_value(exception));
            }
        };
        Ok(PyErr::from_value(class.call1((text,))?))
    }

    /// The exception of this failure.
    pub fn raise(self, py: Python<'_>) -> PyErr {
        self.exception(py).unwrap_or_else(|error| error)
    }
}

/// An argument that is not allowed.
pub(crate) fn not_allowed(py: Python<'_>, text: String) -> PyErr {
    Failure::Argument(text).raise(py)
}
