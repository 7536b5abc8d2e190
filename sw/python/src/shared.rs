//! A fabric and its lock.

use std::{
    sync::{
        atomic::{AtomicBool, AtomicIsize, AtomicU64, Ordering},
        Mutex, TryLockError,
    },
    thread,
    time::{Duration, Instant},
};

use portico::{Config, Error, Fabric, Transport};
use pyo3::prelude::*;

use crate::{carrier::Carrier, failure::Failure, interrupt::Held};

/// How often a wait looks for Ctrl-C.
const LOOK: Duration = Duration::from_millis(20);
/// Cycles that a wait passes to the driver at first. It adapts them to [`LOOK`].
const FIRST_SLICE: u64 = 64;

/// How often this process was forked off.
static FORKS: AtomicU64 = AtomicU64::new(0);

/// Called in a child after a fork. The fabrics that the parent has opened are closed in the child: both would talk to them.
#[pyfunction]
#[pyo3(name = "_forked")]
pub(crate) fn forked() {
    FORKS.fetch_add(1, Ordering::Relaxed);
    CALLS.store(0, Ordering::Relaxed);
}

/// Calls that work without the GIL now.
static CALLS: AtomicIsize = AtomicIsize::new(0);
/// Whether the interpreter ends.
static ENDS: AtomicBool = AtomicBool::new(false);
/// Why a call fails when the interpreter ends.
const ENDING: Failure = Failure::Closed("the interpreter ends");

/// Called when the interpreter ends: waits of other threads end then, and other calls are waited for. A thread could not take the GIL
/// again later.
#[pyfunction]
#[pyo3(name = "_ending")]
pub(crate) fn ending(py: Python<'_>) -> PyResult<()> {
    ENDS.store(true, Ordering::Relaxed);
    while CALLS.load(Ordering::Relaxed) > 0 {
        py.detach(|| thread::sleep(Duration::from_millis(1)));
        py.check_signals()?;
    }
    Ok(())
}

/// A call that works without the GIL, until it has it again.
struct Call;

impl Drop for Call {
    fn drop(&mut self) {
        CALLS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Runs work without the GIL.
pub(crate) fn detached<V: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<V, Failure> + Send,
) -> Result<V, Failure> {
    if ENDS.load(Ordering::Relaxed) {
        return Err(ENDING);
    }
    CALLS.fetch_add(1, Ordering::Relaxed);
    let _call = Call;
    py.detach(work)
}

/// A fabric, or why there is none.
enum State {
    Open(Box<Fabric<Carrier>>),
    Closed(&'static str),
}

/// A fabric that is shared by its handles.
pub(crate) struct Shared {
    state: Mutex<State>,
    config: Config,
    /// Whether an object of Python carries the accesses.
    is_custom: bool,
    forks: u64,
}

impl Shared {
    pub fn new(mut fabric: Fabric<Carrier>) -> Shared {
        Shared {
            config: fabric.config().clone(),
            is_custom: matches!(fabric.transport(), Carrier::Python(_)),
            state: Mutex::new(State::Open(Box::new(fabric))),
            forks: FORKS.load(Ordering::Relaxed),
        }
    }

    /// The configuration of the fabric.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Bytes of a word of the fabric.
    pub fn word_bytes(&self) -> u32 {
        self.config.width as u32 / 8
    }

    /// Runs work on the fabric, without the GIL.
    pub fn call<V: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Fabric<Carrier>) -> Result<V, Failure> + Send,
    ) -> PyResult<V> {
        self.call_waiting(py, |fabric, _| work(fabric))
    }

    /// Runs work on the fabric, with its waits.
    pub fn call_waiting<V: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Fabric<Carrier>, Waits<'_>) -> Result<V, Failure> + Send,
    ) -> PyResult<V> {
        let held = if self.is_custom { Held::begin(py)? } else { None };
        let waits = Waits(held.as_ref());
        let result = detached(py, || self.locked(|fabric| work(fabric, waits)));
        held.map_or(Ok(()), Held::end)?;
        result.map_err(|failure| failure.raise(py))
    }

    fn locked<V>(&self, work: impl FnOnce(&mut Fabric<Carrier>) -> Result<V, Failure>) -> Result<V, Failure> {
        if self.forks != FORKS.load(Ordering::Relaxed) {
            return Err(Failure::Closed(
                "the fabric was opened before this process was forked off: open another one here",
            ));
        }
        let mut state = self.state.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => Failure::Busy,
            TryLockError::Poisoned(_) => {
                Failure::Closed("an earlier call of the fabric ended with an internal error: open it anew")
            }
        })?;
        let fabric = match &mut *state {
            State::Open(fabric) => fabric,
            State::Closed(why) => return Err(Failure::Closed(why)),
        };
        let result = work(fabric);
        let raised = match fabric.transport() {
            Carrier::Python(custom) => custom.raised().take(),
            _ => None,
        };
        match raised {
            Some(raised) => {
                *state = State::Closed("the transport of the fabric has raised an exception: open the fabric anew");
                Err(raised.into())
            }
            None => result,
        }
    }

    /// Closes the fabric, unless it is closed.
    pub fn close(&self, py: Python<'_>) -> PyResult<()> {
        let closed = detached(py, || match self.state.try_lock() {
            Ok(mut state) => {
                if matches!(*state, State::Open(_)) {
                    *state = State::Closed("the fabric is closed");
                }
                Ok(())
            }
            Err(TryLockError::Poisoned(_)) => Ok(()),
            Err(TryLockError::WouldBlock) => Err(Failure::Busy),
        });
        closed.map_err(|failure| failure.raise(py))
    }
}

/// Waits of a call, which Ctrl-C and the end of the interpreter end.
#[derive(Clone, Copy)]
pub(crate) struct Waits<'a>(Option<&'a Held>);

impl Waits<'_> {
    /// Waits for at most `timeout` cycles, and looks for Ctrl-C meanwhile. `step` waits for at most the cycles that it gets, and may be
    /// repeated after a time-out.
    pub fn wait<V>(
        self,
        fabric: &mut Fabric<Carrier>,
        timeout: u64,
        mut step: impl FnMut(&mut Fabric<Carrier>, u64) -> Result<V, Error>,
    ) -> Result<V, Failure> {
        let begun = fabric.transport().cycles();
        let (mut looked, mut slice, mut left) = (Instant::now(), FIRST_SLICE, timeout);
        loop {
            let cycles = slice.min(left);
            let (node, what) = match step(fabric, cycles) {
                Err(Error::Timeout {
                    node,
                    what,
                    cycles: waited,
                }) if waited == cycles => (node, what),
                result => return Ok(result?),
            };
            left = timeout.saturating_sub(fabric.transport().cycles() - begun);
            if left == 0 {
                let cycles = timeout;
                return Err(Error::Timeout { node, what, cycles }.into());
            }
            if ENDS.load(Ordering::Relaxed) {
                return Err(ENDING);
            }
            let passed = looked.elapsed();
            if passed < LOOK {
                slice = slice.saturating_mul(2);
                continue;
            }
            slice = (slice / 2).max(FIRST_SLICE);
            self.check()?;
            looked = Instant::now();
        }
    }

    /// Raises the exception of a Ctrl-C.
    fn check(self) -> Result<(), Failure> {
        if self.0.is_some_and(Held::is_pending) {
            return Err(pyo3::exceptions::PyKeyboardInterrupt::new_err(()).into());
        }
        Ok(Python::attach(|py| py.check_signals())?)
    }
}
