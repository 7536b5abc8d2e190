//! numpy arrays as words of 32 bits, the lower half of an element of 64 bits first, as the memories of nodes have them.

use std::{ptr, slice};

use numpy::{
    dtype, npyffi::NPY_ARRAY_WRITEABLE, Element, PyArrayDescr, PyArrayDescrMethods, PyUntypedArray,
    PyUntypedArrayMethods,
};
use pyo3::{
    exceptions::{PyImportError, PyTypeError, PyValueError},
    prelude::*,
};

use crate::number::listed;

/// The module numpy. Arrays need it, and nothing else does: simulators and boards may have a Python without it.
fn module(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    py.import("numpy").map_err(|cause| {
        let error = PyImportError::new_err("arrays of portico need numpy: pip install numpy");
        error.set_cause(py, Some(cause));
        error
    })
}

/// A type of elements: its name, and whether a dtype is it.
type Type = (&'static str, fn(&Bound<'_, PyArrayDescr>) -> bool);

fn is<T: Element>(found: &Bound<'_, PyArrayDescr>) -> bool {
    found.is_equiv_to(&dtype::<T>(found.py()))
}

/// The types of 32 bits, and those of 64 behind them.
const TYPES: [Type; 6] = [
    ("float32", is::<f32>),
    ("int32", is::<i32>),
    ("uint32", is::<u32>),
    ("float64", is::<f64>),
    ("int64", is::<i64>),
    ("uint64", is::<u64>),
];

/// Checks the type of elements on a fabric whose words have `word_bytes` bytes.
fn check_type(found: &Bound<'_, PyArrayDescr>, word_bytes: u32) -> PyResult<()> {
    let allowed = &TYPES[..if word_bytes == 8 { 6 } else { 3 }];
    if allowed.iter().any(|(_, is)| is(found)) {
        return Ok(());
    }
    let names: Vec<_> = allowed.iter().map(|&(name, _)| name).collect();
    Err(PyTypeError::new_err(format!(
        "dtype = {found} is not allowed: allowed is {}, in the byte order of this computer",
        listed(&names)
    )))
}

/// An array of the caller: of an allowed type, contiguous.
#[derive(Clone, Copy)]
pub(crate) struct Words<'a, 'py>(&'a Bound<'py, PyUntypedArray>);

impl<'a, 'py> Words<'a, 'py> {
    /// Checks an array.
    pub fn of(array: &'a Bound<'py, PyAny>, word_bytes: u32) -> PyResult<Words<'a, 'py>> {
        module(array.py())?;
        let array = array.cast::<PyUntypedArray>().map_err(|_| {
            let name = array
                .get_type()
                .name()
                .map_or_else(|_| "?".into(), |name| name.to_string());
            PyTypeError::new_err(format!("data of type {name} is not allowed: allowed is numpy.ndarray"))
        })?;
        check_type(&array.dtype(), word_bytes)?;
        if !array.is_c_contiguous() {
            return Err(PyValueError::new_err(
                "the array is not contiguous: numpy.ascontiguousarray makes a copy that is",
            ));
        }
        Ok(Words(array))
    }

    fn bytes(self) -> usize {
        self.0.len() * self.0.dtype().itemsize()
    }

    fn data(self) -> *mut u8 {
        // SAFETY: the array lives as long as this borrows it.
        unsafe { (*self.0.as_array_ptr()).fields.data.cast() }
    }

    /// How many words it has.
    pub fn count(self) -> usize {
        self.bytes() / 4
    }

    /// A copy of its words, which other threads cannot change.
    pub fn copy(self) -> Vec<u32> {
        let mut words = vec![0u32; self.count()];
        // SAFETY: the array is contiguous and has so many bytes. While this thread has the GIL, only code that has given it up on
        // purpose can write to them.
        unsafe { ptr::copy_nonoverlapping(self.data(), words.as_mut_ptr().cast(), self.bytes()) };
        words
    }

    /// Checks that it may be written.
    pub fn check_writable(self) -> PyResult<()> {
        // SAFETY: as of `data`.
        let flags = unsafe { (*self.0.as_array_ptr()).fields.flags };
        match flags & NPY_ARRAY_WRITEABLE {
            0 => Err(PyValueError::new_err("the array is read-only")),
            _ => Ok(()),
        }
    }

    /// Fills it with as many words. It was checked to be writable.
    pub fn fill(self, words: &[u32]) -> PyResult<()> {
        if words.len() != self.count() {
            return Err(PyValueError::new_err("the array has changed during the call"));
        }
        // SAFETY: as of `copy`; the array was checked to be writable.
        unsafe { slice::from_raw_parts_mut(self.data(), self.bytes()) }.copy_from_slice(
            // SAFETY: any words are bytes.
            unsafe { slice::from_raw_parts(words.as_ptr().cast(), 4 * words.len()) },
        );
        Ok(())
    }
}

/// Most bytes of an array: more than any memory has.
const MOST_BYTES: u64 = 1 << 32;

/// An array without values, of this shape and type, for words that will be read.
pub(crate) fn empty<'py>(
    shape: &Bound<'py, PyAny>,
    dtype: &Bound<'py, PyAny>,
    word_bytes: u32,
) -> PyResult<Bound<'py, PyAny>> {
    let py = shape.py();
    let numpy = module(py)?;
    let dtype = PyArrayDescr::new(py, dtype)?;
    check_type(&dtype, word_bytes)?;
    let mut bytes = dtype.itemsize() as u64;
    let lengths = match shape.try_iter() {
        Ok(lengths) => lengths.collect::<PyResult<Vec<_>>>()?,
        Err(_) => vec![shape.clone()],
    };
    for length in &lengths {
        bytes = bytes.saturating_mul(crate::number::number("shape", length, MOST_BYTES)?);
    }
    if bytes > MOST_BYTES {
        return Err(PyValueError::new_err(format!(
            "shape = {shape} is not allowed: allowed is up to {MOST_BYTES} bytes"
        )));
    }
    numpy.call_method1("empty", (pyo3::types::PyTuple::new(py, lengths)?, dtype))
}
