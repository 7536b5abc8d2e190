//! Handles: memory descriptors, entries, counters and event queues. The driver tells those that are stale.

use std::sync::Arc;

use portico::portals::{CtHandle, EqHandle, Error, LeHandle, MdHandle, MeHandle, Ni};
use pyo3::{prelude::*, types::PyTuple};

use crate::{failure::Failure, shared::Shared};

/// The end of a `with` block: `ended` is how the release went. After an exception in the block, that exception counts.
pub(super) fn exit(exception: &Bound<'_, PyTuple>, ended: PyResult<()>) -> PyResult<()> {
    match exception.get_item(0) {
        Ok(class) if !class.is_none() => Ok(()),
        _ => ended,
    }
}

macro_rules! handles {
    ($($(#[doc = $doc:literal])+ $type:ident: $handle:ident, $what:literal, $end:ident;)+) => {
        $(
            $(#[doc = $doc])+
            #[pyclass(frozen, module = "portico.portals")]
            pub(crate) struct $type {
                shared: Arc<Shared>,
                ni: Ni,
                handle: $handle,
            }

            impl $type {
                pub(super) fn new(shared: &Arc<Shared>, ni: Ni, handle: $handle) -> $type {
                    let shared = shared.clone();
                    $type { shared, ni, handle }
                }

                /// The handle, for a call of this fabric.
                pub(super) fn of(&self, shared: &Arc<Shared>) -> Result<$handle, Failure> {
                    match Arc::ptr_eq(&self.shared, shared) {
                        true => Ok(self.handle),
                        false => Err(Failure::Argument(concat!("the ", $what, " belongs to another fabric").into())),
                    }
                }
            }

            #[pymethods]
            impl $type {
                fn __enter__(slf: Py<$type>) -> Py<$type> {
                    slf
                }

                #[pyo3(signature = (*exception))]
                fn __exit__(&self, py: Python<'_>, exception: &Bound<'_, PyTuple>) -> PyResult<()> {
                    let ended = self.shared.call(py, |fabric| match self.ni.$end(fabric, self.handle) {
                        // It has ended in the block, by hand or by itself.
                        Ok(()) | Err(Error::Stale { .. }) => Ok(()),
                        Err(error) => Err(error.into()),
                    });
                    exit(exception, ended)
                }
            }
        )+
    };
}

handles! {
    /// Memory of a tile that its puts and gets use, from Ni.md_bind. The end of its `with` block releases it.
    Md: MdHandle, "memory descriptor", md_release;
    /// An entry of a matching interface, from Ni.me_append. The end of its `with` block unlinks it, unless it has left its list by itself.
    Me: MeHandle, "match list entry", me_unlink;
    /// An entry of a non-matching interface, from Ni.le_append. The end of its `with` block unlinks it, unless it has left its list by
    /// itself.
    Le: LeHandle, "list entry", le_unlink;
    /// A counter of an interface, from Ni.ct_alloc. The end of its `with` block frees it.
    Ct: CtHandle, "counter", ct_free;
    /// An event queue of an interface, from Ni.eq_alloc. The end of its `with` block frees it.
    Eq: EqHandle, "event queue", eq_free;
}
