//! Constants of Portals. Their values are given here alone: `portico.portals` takes them by their names.

use std::ops::BitOr;

use portico::portals::{
    AckReq, EntryOptions, EventKind, Interface, MdOptions, NiFail, PtOptions, PtlList, SearchOp, StatusRegister,
};
use pyo3::{
    exceptions::PyTypeError,
    prelude::*,
    sync::PyOnceLock,
    types::{PyDict, PyType},
};

use crate::{
    failure::not_allowed,
    number::{self, listed},
};

/// A member of `portico.portals`.
fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("portico.portals")?.getattr(name)
}

/// Refuses a member of another enumeration than this one.
fn check_class(name: &str, class_name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    static ENUM: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let py = value.py();
    if !value.is_instance(ENUM.import(py, "enum", "Enum")?)? || value.is_instance(&class(py, class_name)?)? {
        return Ok(());
    }
    let shown = value.repr()?;
    Err(PyTypeError::new_err(format!("{name} = {shown} is no {class_name}")))
}

/// The members of an enumeration. Each has its place as its value.
pub(super) struct Choices<T: 'static> {
    class: &'static str,
    all: &'static [T],
    name: fn(T) -> &'static str,
}

impl<T: Copy + PartialEq> Choices<T> {
    /// The one that the caller gives, by its value.
    pub fn of(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<T> {
        check_class(name, self.class, value)?;
        let place = number::wide(name, value)?;
        let chosen = usize::try_from(place).ok().and_then(|place| self.all.get(place));
        chosen.copied().ok_or_else(|| {
            let names: Vec<_> = self.all.iter().map(|&choice| (self.name)(choice)).collect();
            let allowed = listed(&names);
            not_allowed(
                value.py(),
                format!("{name} = {place} is not allowed: allowed is {allowed}"),
            )
        })
    }

    /// The member of the enumeration in Python.
    pub fn member<'py>(&self, py: Python<'py>, choice: T) -> PyResult<Bound<'py, PyAny>> {
        class(py, self.class)?.getattr((self.name)(choice))
    }

    fn values(&self) -> impl Iterator<Item = (&'static str, u32)> + '_ {
        (0..).zip(self.all).map(|(place, &choice)| ((self.name)(choice), place))
    }
}

/// The members of a set of options. Each has the bit of its place.
pub(super) struct Options<O: 'static> {
    class: &'static str,
    all: &'static [(&'static str, O)],
}

impl<O: Copy + Default + BitOr<Output = O>> Options<O> {
    /// Those that the caller gives, none without a value.
    pub fn of(&self, value: Option<&Bound<'_, PyAny>>) -> PyResult<O> {
        let Some(value) = value else {
            return Ok(O::default());
        };
        check_class("options", self.class, value)?;
        let bits = number::number("options", value, (1 << self.all.len()) - 1)?;
        let set = self.all.iter().enumerate().filter(|(place, _)| bits >> place & 1 == 1);
        Ok(set.fold(O::default(), |options, (_, &(_, option))| options | option))
    }

    fn values(&self) -> impl Iterator<Item = (&'static str, u32)> + '_ {
        (0..).zip(self.all).map(|(place, &(name, _))| (name, 1 << place))
    }
}

pub(super) const INTERFACES: Choices<Interface> = Choices {
    class: "Interface",
    all: &[Interface::Matching, Interface::NonMatching],
    name: |interface| match interface {
        Interface::Matching => "PTL_NI_MATCHING",
        Interface::NonMatching => "PTL_NI_NO_MATCHING",
    },
};

pub(super) const STATUS_REGISTERS: Choices<StatusRegister> = Choices {
    class: "StatusRegister",
    all: &[
        StatusRegister::DropCount,
        StatusRegister::PermissionViolations,
        StatusRegister::OperationViolations,
    ],
    name: |register| match register {
        StatusRegister::DropCount => "PTL_SR_DROP_COUNT",
        StatusRegister::PermissionViolations => "PTL_SR_PERMISSION_VIOLATIONS",
        StatusRegister::OperationViolations => "PTL_SR_OPERATION_VIOLATIONS",
    },
};

pub(super) const LISTS: Choices<PtlList> = Choices {
    class: "PtlList",
    all: &[PtlList::Priority, PtlList::Overflow],
    name: |list| match list {
        PtlList::Priority => "PTL_PRIORITY_LIST",
        PtlList::Overflow => "PTL_OVERFLOW_LIST",
    },
};

pub(super) const SEARCH_OPS: Choices<SearchOp> = Choices {
    class: "SearchOp",
    all: &[SearchOp::Only, SearchOp::Delete],
    name: |operation| match operation {
        SearchOp::Only => "PTL_SEARCH_ONLY",
        SearchOp::Delete => "PTL_SEARCH_DELETE",
    },
};

pub(super) const ACKS: Choices<AckReq> = Choices {
    class: "AckReq",
    all: &[AckReq::NoAck, AckReq::Ack, AckReq::CtAck, AckReq::OcAck],
    name: |ack| match ack {
        AckReq::NoAck => "PTL_NO_ACK_REQ",
        AckReq::Ack => "PTL_ACK_REQ",
        AckReq::CtAck => "PTL_CT_ACK_REQ",
        AckReq::OcAck => "PTL_OC_ACK_REQ",
    },
};

pub(super) const EVENT_KINDS: Choices<EventKind> = Choices {
    class: "EventKind",
    all: &[
        EventKind::Get,
        EventKind::GetOverflow,
        EventKind::Put,
        EventKind::PutOverflow,
        EventKind::Atomic,
        EventKind::AtomicOverflow,
        EventKind::FetchAtomic,
        EventKind::FetchAtomicOverflow,
        EventKind::Reply,
        EventKind::Send,
        EventKind::Ack,
        EventKind::PtDisabled,
        EventKind::AutoUnlink,
        EventKind::AutoFree,
        EventKind::Search,
        EventKind::Link,
    ],
    name: EventKind::name,
};

pub(super) const FAILURES: Choices<NiFail> = Choices {
    class: "NiFail",
    all: &[
        NiFail::Ok,
        NiFail::Dropped,
        NiFail::PtDisabled,
        NiFail::PermViolation,
        NiFail::OpViolation,
        NiFail::NoMatch,
    ],
    name: NiFail::name,
};

pub(super) const PT_OPTIONS: Options<PtOptions> = Options {
    class: "PtOptions",
    all: &[
        ("PTL_PT_ONLY_USE_ONCE", PtOptions::ONLY_USE_ONCE),
        ("PTL_PT_ONLY_TRUNCATE", PtOptions::ONLY_TRUNCATE),
        ("PTL_PT_FLOWCTRL", PtOptions::FLOWCTRL),
        ("PTL_PT_ALLOC_DISABLED", PtOptions::ALLOC_DISABLED),
    ],
};

pub(super) const ENTRY_OPTIONS: Options<EntryOptions> = Options {
    class: "EntryOptions",
    all: &[
        ("PTL_ME_USE_ONCE", EntryOptions::USE_ONCE),
        ("PTL_ME_NO_TRUNCATE", EntryOptions::NO_TRUNCATE),
        ("PTL_ME_MANAGE_LOCAL", EntryOptions::MANAGE_LOCAL),
        ("PTL_ME_UNEXPECTED_HDR_DISABLE", EntryOptions::UNEXPECTED_HDR_DISABLE),
        ("PTL_ME_OP_PUT", EntryOptions::OP_PUT),
        ("PTL_ME_OP_GET", EntryOptions::OP_GET),
        ("PTL_ME_ACK_DISABLE", EntryOptions::ACK_DISABLE),
        ("PTL_ME_EVENT_LINK_DISABLE", EntryOptions::EVENT_LINK_DISABLE),
        ("PTL_ME_EVENT_UNLINK_DISABLE", EntryOptions::EVENT_UNLINK_DISABLE),
        ("PTL_ME_EVENT_COMM_DISABLE", EntryOptions::EVENT_COMM_DISABLE),
        ("PTL_ME_EVENT_OVER_DISABLE", EntryOptions::EVENT_OVER_DISABLE),
        ("PTL_ME_EVENT_SUCCESS_DISABLE", EntryOptions::EVENT_SUCCESS_DISABLE),
        ("PTL_ME_EVENT_CT_COMM", EntryOptions::EVENT_CT_COMM),
        ("PTL_ME_EVENT_CT_OVERFLOW", EntryOptions::EVENT_CT_OVERFLOW),
        ("PTL_ME_EVENT_CT_BYTES", EntryOptions::EVENT_CT_BYTES),
        ("PTL_ME_MAY_ALIGN", EntryOptions::MAY_ALIGN),
        ("PTL_ME_IS_ACCESSIBLE", EntryOptions::IS_ACCESSIBLE),
        ("PTL_ME_EVENT_FLOWCTRL_DISABLE", EntryOptions::EVENT_FLOWCTRL_DISABLE),
        ("PTL_ME_IOVEC", EntryOptions::IOVEC),
    ],
};

pub(super) const MD_OPTIONS: Options<MdOptions> = Options {
    class: "MdOptions",
    all: &[
        ("PTL_MD_EVENT_SUCCESS_DISABLE", MdOptions::EVENT_SUCCESS_DISABLE),
        ("PTL_MD_EVENT_SEND_DISABLE", MdOptions::EVENT_SEND_DISABLE),
        ("PTL_MD_EVENT_CT_SEND", MdOptions::EVENT_CT_SEND),
        ("PTL_MD_EVENT_CT_REPLY", MdOptions::EVENT_CT_REPLY),
        ("PTL_MD_EVENT_CT_ACK", MdOptions::EVENT_CT_ACK),
        ("PTL_MD_EVENT_CT_BYTES", MdOptions::EVENT_CT_BYTES),
        ("PTL_MD_UNORDERED", MdOptions::UNORDERED),
        ("PTL_MD_VOLATILE", MdOptions::VOLATILE),
        ("PTL_MD_IOVEC", MdOptions::IOVEC),
    ],
};

/// The value of every constant of Portals, by its name.
#[pyfunction]
#[pyo3(name = "_portals_constants")]
pub(crate) fn constants(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    let choices = INTERFACES
        .values()
        .chain(STATUS_REGISTERS.values())
        .chain(LISTS.values());
    let choices = choices.chain(SEARCH_OPS.values()).chain(ACKS.values());
    let choices = choices.chain(EVENT_KINDS.values()).chain(FAILURES.values());
    let options = PT_OPTIONS
        .values()
        .chain(ENTRY_OPTIONS.values())
        .chain(MD_OPTIONS.values());
    for (name, value) in choices.chain(options) {
        all.set_item(name, value)?;
    }
    Ok(all)
}
