//! The native module of the Python package `portico`: the host driver, over the transports of the driver and over objects of
//! Python.
#![warn(missing_docs)]

use pyo3::prelude::*;

mod config;
mod failure;

/// The driver itself. Use the package portico, which has all of it.
#[pymodule]
mod _portico {
    #[pymodule_export]
    use crate::config::Config;
}
