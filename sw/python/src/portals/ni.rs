//! Interfaces: open, close, identity and status; portal indices and memory descriptors.

use std::sync::{
    atomic::{AtomicBool, Ordering},
    Arc,
};

use portico::{
    portals::{self, Error, Interface, Md},
    Fabric,
};
use pyo3::{prelude::*, types::PyTuple};

use super::{
    handle::{self, Ct, Eq},
    names::{INTERFACES, MD_OPTIONS, PT_OPTIONS, STATUS_REGISTERS},
    record,
};
use crate::{carrier::Carrier, fabric, failure::Failure, number, shared::Shared};

/// A Portals interface of a tile, driven by the host. Handles of the interface are its arguments. It is open until it is closed, or its
/// `with` block ends.
///
/// Ni(fabric, tile, interface=PTL_NI_MATCHING) opens it: call set_map first. An interface that is open is the same one again. Addresses,
/// offsets and lengths are in bytes, of the tile's memory, and need no alignment; time-outs are in cycles.
///
/// Its calls raise PortalsError with the code of Portals: PTL_ARG_INVALID of a value that is not allowed, of a handle that is stale or of
/// another interface; PTL_FAIL if the fabric failed or did not answer in time; and those that a call names. A value that no field can
/// have raises ArgumentError.
#[pyclass(frozen, module = "portico.portals")]
pub(crate) struct Ni {
    pub(super) shared: Arc<Shared>,
    pub(super) ni: portals::Ni,
    is_closed: AtomicBool,
}

impl Ni {
    /// The interface, unless it is closed. Called with the fabric locked.
    pub(super) fn open(&self) -> Result<portals::Ni, Failure> {
        let (what, tile) = ("interface", self.ni.tile());
        match self.is_closed.load(Ordering::Relaxed) {
            true => Err(Error::Stale { what, tile }.into()),
            false => Ok(self.ni),
        }
    }

    /// Runs work on the interface and its fabric.
    pub(super) fn call<V: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(portals::Ni, &mut Fabric<Carrier>) -> Result<V, Failure> + Send,
    ) -> PyResult<V> {
        self.shared.call(py, |fabric| work(self.open()?, fabric))
    }

    /// A handle that may be missing, for a call of the fabric of this interface.
    pub(super) fn optional<H, V>(
        &self,
        handle: Option<H>,
        of: impl FnOnce(H, &Arc<Shared>) -> Result<V, Failure>,
    ) -> Result<Option<V>, Failure> {
        handle.map(|handle| of(handle, &self.shared)).transpose()
    }
}

/// A number of 32 bits that may be left out.
pub(super) fn optional_word(name: &str, value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<u32>> {
    value.map(|value| number::word(name, value)).transpose()
}

/// A number that may be left out, 0 then.
pub(super) fn or_zero<V: Default>(
    name: &str,
    value: Option<&Bound<'_, PyAny>>,
    take: fn(&str, &Bound<'_, PyAny>) -> PyResult<V>,
) -> PyResult<V> {
    value.map_or_else(|| Ok(V::default()), |value| take(name, value))
}

#[pymethods]
impl Ni {
    #[new]
    #[pyo3(signature = (fabric, tile, interface=None))]
    fn new(
        py: Python<'_>,
        fabric: &Bound<'_, fabric::Fabric>,
        tile: &Bound<'_, PyAny>,
        interface: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Ni> {
        let tile = number::node("tile", tile)?;
        let interface = interface.map_or(Ok(Interface::Matching), |value| INTERFACES.of("interface", value))?;
        let shared = fabric.get().shared.clone();
        let ni = shared.call(py, |fabric| Ok(portals::Ni::open(fabric, tile, interface)?))?;
        let is_closed = AtomicBool::new(false);
        Ok(Ni { shared, ni, is_closed })
    }

    /// Closes the interface. If it was opened once, or this closes it for the last time, then its headers and entries, portal indices,
    /// memory descriptors, counters and event queues end. If messages in progress do not end in time, PTL_FAIL is raised, and the
    /// interface stays open.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.call(py, |ni, fabric| {
            ni.close(fabric)?;
            self.is_closed.store(true, Ordering::Relaxed);
            Ok(())
        })
    }

    fn __enter__(slf: Py<Ni>) -> Py<Ni> {
        slf
    }

    #[pyo3(signature = (*exception))]
    fn __exit__(&self, py: Python<'_>, exception: &Bound<'_, PyTuple>) -> PyResult<()> {
        match self.is_closed.load(Ordering::Relaxed) {
            true => Ok(()),
            false => handle::exit(exception, self.close(py)),
        }
    }

    /// The tile.
    #[getter]
    fn tile(&self) -> usize {
        self.ni.tile()
    }

    /// Which interface of the tile.
    #[getter]
    fn interface<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        INTERFACES.member(py, self.ni.interface())
    }

    /// PtlGetId: the rank of the tile.
    fn get_id(&self, py: Python<'_>) -> PyResult<u32> {
        self.call(py, |ni, fabric| Ok(ni.get_id(fabric)?))
    }

    /// PtlGetPhysId: the tile, and the process at it, which is 0.
    fn get_phys_id(&self, py: Python<'_>) -> PyResult<(usize, u32)> {
        let process = self.call(py, |ni, fabric| Ok(ni.get_phys_id(fabric)?))?;
        Ok((process.nid, process.pid))
    }

    /// PtlGetUid: the user of the tile, 0 unless set.
    fn get_uid(&self, py: Python<'_>) -> PyResult<u32> {
        self.call(py, |ni, fabric| Ok(ni.get_uid(fabric)?))
    }

    /// Sets the user of both interfaces of the tile, up to 4,094.
    fn set_uid(&self, py: Python<'_>, uid: &Bound<'_, PyAny>) -> PyResult<()> {
        let uid = number::word("uid", uid)?;
        self.call(py, |ni, fabric| Ok(ni.set_uid(fabric, uid)?))
    }

    /// PtlNIStatus: a StatusRegister, which both interfaces of the tile share, modulo 2^32.
    fn ni_status(&self, py: Python<'_>, register: &Bound<'_, PyAny>) -> PyResult<u32> {
        let register = STATUS_REGISTERS.of("register", register)?;
        self.call(py, |ni, fabric| Ok(ni.ni_status(fabric, register)?))
    }

    /// The NiLimits of the interface, which PtlNIInit gives.
    fn limits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let limits = self.call(py, |ni, fabric| Ok(ni.limits(fabric)?))?;
        record::limits(py, limits)
    }

    /// PtlPTAlloc: a portal index, the lowest free one or that of `pt_index_req`, from 0 to 63. Events of its messages and entries go to
    /// `eq`. `options` are PtOptions. Raises PTL_PT_FULL, PTL_PT_IN_USE, and PTL_PT_EQ_NEEDED of flow control without `eq`.
    #[pyo3(signature = (options=None, eq=None, pt_index_req=None))]
    fn pt_alloc(
        &self,
        py: Python<'_>,
        options: Option<&Bound<'_, PyAny>>,
        eq: Option<&Bound<'_, Eq>>,
        pt_index_req: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<u32> {
        let options = PT_OPTIONS.of(options)?;
        let wanted = optional_word("pt_index_req", pt_index_req)?;
        let eq = eq.map(Bound::get);
        self.call(py, |ni, fabric| {
            let eq = self.optional(eq, Eq::of)?;
            Ok(ni.pt_alloc(fabric, options, eq, wanted)?)
        })
    }

    /// PtlPTFree. Raises PTL_PT_IN_USE of an index with entries, headers or messages in progress.
    fn pt_free(&self, py: Python<'_>, pt_index: &Bound<'_, PyAny>) -> PyResult<()> {
        let pt_index = number::word("pt_index", pt_index)?;
        self.call(py, |ni, fabric| Ok(ni.pt_free(fabric, pt_index)?))
    }

    /// PtlPTEnable: the index takes messages.
    fn pt_enable(&self, py: Python<'_>, pt_index: &Bound<'_, PyAny>) -> PyResult<()> {
        let pt_index = number::word("pt_index", pt_index)?;
        self.call(py, |ni, fabric| Ok(ni.pt_enable(fabric, pt_index)?))
    }

    /// PtlPTDisable: the index refuses messages. Returns when those in progress are complete.
    fn pt_disable(&self, py: Python<'_>, pt_index: &Bound<'_, PyAny>) -> PyResult<()> {
        let pt_index = number::word("pt_index", pt_index)?;
        self.call(py, |ni, fabric| Ok(ni.pt_disable(fabric, pt_index)?))
    }

    /// PtlMDBind: memory of the tile for puts and gets, `length` bytes from byte `start` on. SEND, ACK and REPLY go to `eq`, and count in
    /// `ct` as `options`, of MdOptions, say. Raises PTL_NO_SPACE.
    #[pyo3(signature = (start, length, options=None, eq=None, ct=None))]
    fn md_bind(
        &self,
        py: Python<'_>,
        start: &Bound<'_, PyAny>,
        length: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyAny>>,
        eq: Option<&Bound<'_, Eq>>,
        ct: Option<&Bound<'_, Ct>>,
    ) -> PyResult<handle::Md> {
        let (start, length) = (number::word("start", start)?, number::wide("length", length)?);
        let options = MD_OPTIONS.of(options)?;
        let (eq, ct) = (eq.map(Bound::get), ct.map(Bound::get));
        let bound = self.call(py, |ni, fabric| {
            let md = Md {
                start,
                length,
                options,
                eq: self.optional(eq, Eq::of)?,
                ct: self.optional(ct, Ct::of)?,
            };
            Ok(ni.md_bind(fabric, &md)?)
        })?;
        Ok(handle::Md::new(&self.shared, self.ni, bound))
    }

    /// PtlMDRelease, when all puts and gets of the tile so far are sent. Answers that are still to come raise their events and counts.
    fn md_release(&self, py: Python<'_>, md: &Bound<'_, handle::Md>) -> PyResult<()> {
        let md = md.get();
        self.call(py, |ni, fabric| Ok(ni.md_release(fabric, md.of(&self.shared)?)?))
    }
}
