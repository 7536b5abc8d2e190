//! Numbers of the caller: an object with `__index__`, such as a `numpy.int64`, is a number; a bool is none.

use portico::collective::Addresses;
use pyo3::{
    exceptions::PyTypeError,
    prelude::*,
    sync::PyOnceLock,
    types::{PyBool, PyInt, PyType},
};

use crate::failure::not_allowed;

/// A number of Python, of any size.
fn integer<'py>(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyInt>> {
    let wrong = || {
        let shown = value.repr().map_or_else(|_| "?".into(), |repr| repr.to_string());
        PyTypeError::new_err(format!("{name} = {shown} is no integer"))
    };
    if value.is_instance_of::<PyBool>() {
        return Err(wrong());
    }
    if let Ok(number) = value.cast::<PyInt>() {
        return Ok(number.clone());
    }
    // Before 2.3 of numpy, its bool has `__index__`, with a warning. Without numpy there is no such bool.
    static BOOL: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    if let Ok(bool_) = BOOL.import(value.py(), "numpy", "bool_") {
        if value.is_instance(bool_)? {
            return Err(wrong());
        }
    }
    let index = value.call_method0("__index__").map_err(|_| wrong())?;
    Ok(index.cast_into::<PyInt>()?)
}

/// A number from 0 to `max`.
pub(crate) fn number(name: &str, value: &Bound<'_, PyAny>, max: u64) -> PyResult<u64> {
    let number = integer(name, value)?;
    let fits = number.extract::<u64>().ok().filter(|&number| number <= max);
    fits.ok_or_else(|| {
        not_allowed(
            value.py(),
            format!("{name} = {number} is not allowed: allowed is 0..={max}"),
        )
    })
}

/// A number of 32 bits: an address, bytes, words.
pub(crate) fn word(name: &str, value: &Bound<'_, PyAny>) -> PyResult<u32> {
    number(name, value, u32::MAX.into()).map(|number| number as u32)
}

/// A number of 64 bits: cycles.
pub(crate) fn wide(name: &str, value: &Bound<'_, PyAny>) -> PyResult<u64> {
    number(name, value, u64::MAX)
}

/// The number of a node or a rank. The driver checks whether there is such a one.
pub(crate) fn node(name: &str, value: &Bound<'_, PyAny>) -> PyResult<usize> {
    let number = integer(name, value)?;
    number.extract().map_err(|_| {
        not_allowed(
            value.py(),
            format!("{name} = {number} does not exist: numbers begin at 0"),
        )
    })
}

/// Numbers of 32 bits: of any iterable.
pub(crate) fn words(name: &str, values: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
    values.try_iter()?.map(|value| word(name, &value?)).collect()
}

/// Numbers of nodes: of any iterable.
pub(crate) fn nodes(name: &str, values: &Bound<'_, PyAny>) -> PyResult<Vec<usize>> {
    values.try_iter()?.map(|value| node(name, &value?)).collect()
}

/// Where words lie in the memories of members: one address for all, or an iterable with the address of each.
pub(crate) fn addresses(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Addresses> {
    match value.try_iter() {
        Ok(_) => words(name, value).map(Addresses::Each),
        Err(_) => word(name, value).map(Addresses::Same),
    }
}

/// One of these, by its name.
pub(crate) fn choice<T: Clone>(py: Python<'_>, name: &str, value: &str, all: &[(&str, T)]) -> PyResult<T> {
    let found = all.iter().find(|(known, _)| *known == value);
    found.map(|(_, choice)| choice.clone()).ok_or_else(|| {
        let names: Vec<_> = all.iter().map(|(known, _)| *known).collect();
        not_allowed(
            py,
            format!("{name} = {value:?} is not allowed: allowed is {}", listed(&names)),
        )
    })
}

/// A list as errors have it: `a, b or c`.
pub(crate) fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [name] => (*name).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}
