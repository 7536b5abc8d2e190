//! Calls of interfaces: counters and event queues, and waits for them.

use portico::{
    portals::{self, CtEvent, CtHandle, EqHandle, Error},
    Error as DriverError, Fabric,
};
use pyo3::prelude::*;

use super::{
    handle::{Ct, Eq},
    ni::{or_zero, Ni},
    record, wait,
};
use crate::{carrier::Carrier, failure::Failure, number, operation, shared::Waits};

impl Ni {
    /// Runs work that waits on the interface and its fabric.
    fn waited<V: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(portals::Ni, &mut Fabric<Carrier>, Waits<'_>) -> Result<V, Failure> + Send,
    ) -> PyResult<V> {
        self.shared
            .call_waiting(py, |fabric, waits| work(self.open()?, fabric, waits))
    }

    fn poll_counters(
        &self,
        py: Python<'_>,
        cts: &[(&Ct, u64)],
        timeout: u64,
        over: impl FnOnce(u64) -> Error + Send,
    ) -> PyResult<(CtEvent, usize)> {
        self.waited(py, |ni, fabric, waits| {
            let cts = cts.iter().map(|&(ct, test)| Ok((ct.of(&self.shared)?, test)));
            let cts = cts.collect::<Result<Vec<(CtHandle, u64)>, Failure>>()?;
            let is_over = |error: &Error| matches!(error, Error::CtNoneReached { .. });
            let found = wait(waits, fabric, timeout, is_over, |fabric, cycles| {
                ni.ct_poll(fabric, &cts, cycles)
            })?;
            found.ok_or_else(|| over(timeout).into())
        })
    }

    fn poll_queues(
        &self,
        py: Python<'_>,
        eqs: &[&Eq],
        timeout: u64,
        over: impl FnOnce(u64) -> Error + Send,
    ) -> PyResult<(portals::Event, usize)> {
        self.waited(py, |ni, fabric, waits| {
            let eqs = eqs.iter().map(|eq| eq.of(&self.shared));
            let eqs = eqs.collect::<Result<Vec<EqHandle>, Failure>>()?;
            let is_over = |error: &Error| matches!(error, Error::EqEmpty);
            let found = wait(waits, fabric, timeout, is_over, |fabric, cycles| {
                ni.eq_poll(fabric, &eqs, cycles)
            })?;
            found.ok_or_else(|| over(timeout).into())
        })
    }

    /// The error of a wait whose time is out.
    fn timed_out(&self, what: &'static str, cycles: u64) -> Error {
        let node = self.ni.tile();
        DriverError::Timeout { node, what, cycles }.into()
    }
}

#[pymethods]
impl Ni {
    /// PtlCTAlloc: a counter, whose counts are 0. Raises PTL_NO_SPACE.
    fn ct_alloc(&self, py: Python<'_>) -> PyResult<Ct> {
        let ct = self.call(py, |ni, fabric| Ok(ni.ct_alloc(fabric)?))?;
        Ok(Ct::new(&self.shared, self.ni, ct))
    }

    /// PtlCTFree. Entries that count in it should be unlinked. Raises PTL_IN_USE while a memory descriptor counts in it.
    fn ct_free(&self, py: Python<'_>, ct: &Bound<'_, Ct>) -> PyResult<()> {
        let ct = ct.get();
        self.call(py, |ni, fabric| Ok(ni.ct_free(fabric, ct.of(&self.shared)?)?))
    }

    /// PtlCTGet: the counts of a counter, as a CtEvent, each modulo 2^32.
    fn ct_get<'py>(&self, py: Python<'py>, ct: &Bound<'py, Ct>) -> PyResult<Bound<'py, PyAny>> {
        let ct = ct.get();
        let counts = self.call(py, |ni, fabric| Ok(ni.ct_get(fabric, ct.of(&self.shared)?)?))?;
        record::counts(py, counts)
    }

    /// PtlCTWait: waits until the successes have reached `test` or there is a failure, for at most `timeout` cycles, 1,000,000 unless
    /// given. Gives the counts, as a CtEvent. If the time is out, PTL_FAIL is raised from a TimeoutError.
    #[pyo3(signature = (ct, test, timeout=None))]
    fn ct_wait<'py>(
        &self,
        py: Python<'py>,
        ct: &Bound<'py, Ct>,
        test: &Bound<'py, PyAny>,
        timeout: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (test, timeout) = (number::wide("test", test)?, operation::timeout(timeout)?);
        let over = |cycles| self.timed_out("count of a counter", cycles);
        let (counts, _) = self.poll_counters(py, &[(ct.get(), test)], timeout, over)?;
        record::counts(py, counts)
    }

    /// PtlCTPoll: as ct_wait of several counters, pairs (counter, test). Gives the counts of the first that has reached its test or has
    /// a failure, and its place. If the time is out, PTL_CT_NONE_REACHED is raised.
    #[pyo3(signature = (cts, timeout=None))]
    fn ct_poll<'py>(
        &self,
        py: Python<'py>,
        cts: &Bound<'py, PyAny>,
        timeout: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyAny>, usize)> {
        let pairs = cts.try_iter()?.map(|pair| pair?.extract());
        let pairs = pairs.collect::<PyResult<Vec<(Bound<'_, Ct>, Bound<'_, PyAny>)>>>()?;
        let polled = pairs
            .iter()
            .map(|(ct, test)| Ok((ct.get(), number::wide("test", test)?)));
        let polled = polled.collect::<PyResult<Vec<_>>>()?;
        let timeout = operation::timeout(timeout)?;
        let over = |timeout| Error::CtNoneReached { timeout };
        let (counts, place) = self.poll_counters(py, &polled, timeout, over)?;
        Ok((record::counts(py, counts)?, place))
    }

    /// PtlCTSet: sets both counts, of 32 bits, in one step.
    #[pyo3(signature = (ct, success=None, failure=None))]
    fn ct_set(
        &self,
        py: Python<'_>,
        ct: &Bound<'_, Ct>,
        success: Option<&Bound<'_, PyAny>>,
        failure: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let (ct, counts) = (ct.get(), counts(success, failure)?);
        self.call(py, |ni, fabric| Ok(ni.ct_set(fabric, ct.of(&self.shared)?, counts)?))
    }

    /// PtlCTInc: adds to one of both counts.
    #[pyo3(signature = (ct, success=None, failure=None))]
    fn ct_inc(
        &self,
        py: Python<'_>,
        ct: &Bound<'_, Ct>,
        success: Option<&Bound<'_, PyAny>>,
        failure: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let (ct, counts) = (ct.get(), counts(success, failure)?);
        self.call(py, |ni, fabric| Ok(ni.ct_inc(fabric, ct.of(&self.shared)?, counts)?))
    }

    /// PtlEQAlloc: a queue of at least `count` events, 1 to 4,096. Its ring takes 40 bytes of the tile's memory for each, of 2 or a
    /// higher power of two. Raises PTL_NO_SPACE.
    fn eq_alloc(&self, py: Python<'_>, count: &Bound<'_, PyAny>) -> PyResult<Eq> {
        let count = number::wide("count", count)?;
        let eq = self.call(py, |ni, fabric| Ok(ni.eq_alloc(fabric, count)?))?;
        Ok(Eq::new(&self.shared, self.ni, eq))
    }

    /// PtlEQFree: events that are still to come are lost. Raises PTL_IN_USE while a memory descriptor or portal index uses it.
    fn eq_free(&self, py: Python<'_>, eq: &Bound<'_, Eq>) -> PyResult<()> {
        let eq = eq.get();
        self.call(py, |ni, fabric| Ok(ni.eq_free(fabric, eq.of(&self.shared)?)?))
    }

    /// PtlEQGet: takes the oldest event, an Event. Raises PTL_EQ_EMPTY without one; PTL_EQ_DROPPED if events in front of it were lost: it
    /// is taken, and the error has it as `event`.
    fn eq_get<'py>(&self, py: Python<'py>, eq: &Bound<'py, Eq>) -> PyResult<Bound<'py, PyAny>> {
        let eq = eq.get();
        let event = self.call(py, |ni, fabric| Ok(ni.eq_get(fabric, eq.of(&self.shared)?)?))?;
        record::event(py, &event)
    }

    /// PtlEQWait: as eq_get, and waits for the event for at most `timeout` cycles, 1,000,000 unless given. If the time is out, PTL_FAIL
    /// is raised from a TimeoutError.
    #[pyo3(signature = (eq, timeout=None))]
    fn eq_wait<'py>(
        &self,
        py: Python<'py>,
        eq: &Bound<'py, Eq>,
        timeout: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let timeout = operation::timeout(timeout)?;
        let over = |cycles| self.timed_out("event of an event queue", cycles);
        let (event, _) = self.poll_queues(py, &[eq.get()], timeout, over)?;
        record::event(py, &event)
    }

    /// PtlEQPoll: as eq_wait of several queues. Gives an event, and the place of its queue. If the time is out, PTL_EQ_EMPTY is raised.
    #[pyo3(signature = (eqs, timeout=None))]
    fn eq_poll<'py>(
        &self,
        py: Python<'py>,
        eqs: &Bound<'py, PyAny>,
        timeout: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyAny>, usize)> {
        let eqs = eqs.try_iter()?.map(|eq| Ok(eq?.cast_into::<Eq>()?));
        let eqs = eqs.collect::<PyResult<Vec<Bound<'_, Eq>>>>()?;
        let polled: Vec<&Eq> = eqs.iter().map(|eq| eq.get()).collect();
        let timeout = operation::timeout(timeout)?;
        let (event, place) = self.poll_queues(py, &polled, timeout, |_| Error::EqEmpty)?;
        Ok((record::event(py, &event)?, place))
    }
}

fn counts(success: Option<&Bound<'_, PyAny>>, failure: Option<&Bound<'_, PyAny>>) -> PyResult<CtEvent> {
    Ok(CtEvent {
        success: or_zero("success", success, number::wide)?,
        failure: or_zero("failure", failure, number::wide)?,
    })
}
