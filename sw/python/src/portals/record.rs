//! Events, counts and limits, as tuples with names of `portico.portals`.

use portico::portals::{CtEvent, Event, NiLimits};
use pyo3::{prelude::*, types::PyDict};

use super::names::{EVENT_KINDS, FAILURES, LISTS};

/// A tuple of this class of `portico.portals`, from fields of a structure of the same names and further ones.
macro_rules! record {
    ($py:ident, $class:literal, $of:ident { $($field:ident),+ } $(, $also:literal: $value:expr)*) => {{
        let fields = PyDict::new($py);
        $(fields.set_item(stringify!($field), $of.$field)?;)+
        $(fields.set_item($also, $value)?;)*
        $py.import("portico.portals")?.getattr($class)?.call((), Some(&fields))
    }};
}

/// A `portico.portals.Event`.
pub(crate) fn event<'py>(py: Python<'py>, event: &Event) -> PyResult<Bound<'py, PyAny>> {
    record!(
        py,
        "Event",
        event {
            pt_index, initiator, uid, match_bits, hdr_data, rlength, mlength, remote_offset, start, user_ptr
        },
        "kind": EVENT_KINDS.member(py, event.kind)?,
        "ni_fail_type": FAILURES.member(py, event.ni_fail_type)?,
        "ptl_list": LISTS.member(py, event.ptl_list)?
    )
}

/// A `portico.portals.CtEvent`.
pub(super) fn counts(py: Python<'_>, counts: CtEvent) -> PyResult<Bound<'_, PyAny>> {
    record!(py, "CtEvent", counts { success, failure })
}

/// A `portico.portals.NiLimits`.
pub(super) fn limits(py: Python<'_>, limits: NiLimits) -> PyResult<Bound<'_, PyAny>> {
    record!(
        py,
        "NiLimits",
        limits {
            max_entries,
            max_unexpected_headers,
            max_mds,
            max_cts,
            max_eqs,
            max_pt_index,
            max_iovecs,
            max_list_size,
            max_triggered_ops,
            max_msg_size,
            max_atomic_size,
            max_fetch_atomic_size,
            max_waw_ordered_size,
            max_war_ordered_size,
            max_volatile_size,
            total_data_ordering
        }
    )
}
