//! Ctrl-C while an object of Python carries accesses: it would end an access in the middle, of which nobody knows then what it has
//! done. So the first Ctrl-C is held back until a wait can end, or the call has ended. A second one comes through.

use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::{
    exceptions::PyKeyboardInterrupt,
    prelude::*,
    sync::PyOnceLock,
    types::{PyAny, PyTuple},
};

/// Whether a Ctrl-C is held back. Only the main thread has interrupts.
static PENDING: AtomicBool = AtomicBool::new(false);

/// Takes the place of Python's handler.
#[pyfunction]
#[pyo3(signature = (*arguments))]
fn hold(py: Python<'_>, arguments: &Bound<'_, PyTuple>) -> PyResult<()> {
    if PENDING.swap(true, Ordering::Relaxed) {
        default_handler(py)?.call1(arguments)?;
    }
    Ok(())
}

fn default_handler(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static HANDLER: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    HANDLER.import(py, "signal", "default_int_handler")
}

fn signal(py: Python<'_>) -> PyResult<(Bound<'_, PyModule>, Bound<'_, PyAny>)> {
    let signal = py.import("signal")?;
    let number = signal.getattr("SIGINT")?;
    Ok((signal, number))
}

/// Ctrl-C is held back while this lives, if this thread has interrupts and Python's own handler takes them.
pub(crate) struct Held(());

impl Held {
    /// Holds Ctrl-C back.
    pub fn begin(py: Python<'_>) -> PyResult<Option<Held>> {
        let threading = py.import("threading")?;
        if !threading
            .call_method0("current_thread")?
            .is(threading.call_method0("main_thread")?)
        {
            return Ok(None);
        }
        let (signal, number) = signal(py)?;
        if !signal.call_method1("getsignal", (&number,))?.is(default_handler(py)?) {
            return Ok(None);
        }
        static HOLD: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let handler = HOLD.get_or_try_init(py, || Ok::<_, PyErr>(wrap_pyfunction!(hold, py)?.into_any().unbind()))?;
        signal.call_method1("signal", (number, handler))?;
        Ok(Some(Held(())))
    }

    /// Whether a Ctrl-C has come.
    pub fn is_pending(&self) -> bool {
        PENDING.load(Ordering::Relaxed)
    }

    /// Gives Ctrl-C back, and raises the one that was held back.
    pub fn end(self) -> PyResult<()> {
        drop(self);
        match PENDING.swap(false, Ordering::Relaxed) {
            true => Err(PyKeyboardInterrupt::new_err(())),
            false => Ok(()),
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        Python::attach(|py| {
            let give_back = || {
                let (signal, number) = signal(py)?;
                signal.call_method1("signal", (number, default_handler(py)?))
            };
            // `signal` first runs the handler of what has come in between, which raises for a second Ctrl-C. That is one more to
            // hold back.
            if give_back().is_err() {
                PENDING.store(true, Ordering::Relaxed);
                let _ = give_back();
            }
        });
    }
}
