//! Events, and the names of their kinds and of failures.

use std::fmt;

use portico_spec::portals::engine;

/// A type with the names that Portals gives to codes of the engine.
macro_rules! names {
    (
        $(#[doc = $about:literal])+
        $type:ident of $code:ident {
            $($(#[doc = $doc:literal])+ $variant:ident = $of:ident, $name:literal;)+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $type {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl $type {
            /// Its name in Portals.
            pub fn name(self) -> &'static str {
                match self {
                    $($type::$variant => $name,)+
                }
            }
        }

        impl From<engine::$code> for $type {
            fn from(code: engine::$code) -> $type {
                match code {
                    $(engine::$code::$of => $type::$variant,)+
                }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

names! {
    /// Kinds of events.
    EventKind of EventKind {
        /// A get was served from an entry of the index.
        Get = Get, "PTL_EVENT_GET";
        /// A get had been served from Overflow, and an append or search has consumed its header.
        GetOverflow = GetOverflow, "PTL_EVENT_GET_OVERFLOW";
        /// A put came to an entry of the index.
        Put = Put, "PTL_EVENT_PUT";
        /// A put had come to Overflow, and an append or search has consumed its header.
        PutOverflow = PutOverflow, "PTL_EVENT_PUT_OVERFLOW";
        /// An atomic came.
        Atomic = Atomic, "PTL_EVENT_ATOMIC";
        /// An atomic had come to Overflow.
        AtomicOverflow = AtomicOverflow, "PTL_EVENT_ATOMIC_OVERFLOW";
        /// An atomic that fetches came.
        FetchAtomic = FetchAtomic, "PTL_EVENT_FETCH_ATOMIC";
        /// An atomic that fetches had come to Overflow.
        FetchAtomicOverflow = FetchAtomicOverflow, "PTL_EVENT_FETCH_ATOMIC_OVERFLOW";
        /// The data of a get are in the memory descriptor.
        Reply = Reply, "PTL_EVENT_REPLY";
        /// The data of a put have been read: its memory may be written again.
        Send = Send, "PTL_EVENT_SEND";
        /// The target has the data of a put, or refused it.
        Ack = Ack, "PTL_EVENT_ACK";
        /// Flow control has disabled the index.
        PtDisabled = PortalDisabled, "PTL_EVENT_PT_DISABLED";
        /// An entry has left its list by itself, and all its messages are complete.
        AutoUnlink = AutoUnlink, "PTL_EVENT_AUTO_UNLINK";
        /// No header refers to an entry of Overflow that has left.
        AutoFree = AutoFree, "PTL_EVENT_AUTO_FREE";
        /// A search has found a header, or none.
        Search = Search, "PTL_EVENT_SEARCH";
        /// An entry is in its list.
        Link = Link, "PTL_EVENT_LINK";
    }
}

names! {
    /// How an operation ended at its target.
    NiFail of Failure {
        /// Well.
        Ok = Ok, "PTL_NI_OK";
        /// No entry matched, the header had no place, or the index is not allocated.
        Dropped = Dropped, "PTL_NI_DROPPED";
        /// The index is disabled.
        PtDisabled = PortalDisabled, "PTL_NI_PT_DISABLED";
        /// The entry is for another user.
        PermViolation = Permission, "PTL_NI_PERM_VIOLATION";
        /// The entry does not allow the operation.
        OpViolation = Operation, "PTL_NI_OP_VIOLATION";
        /// A search has found no header.
        NoMatch = NoMatch, "PTL_NI_NO_MATCH";
    }
}

/// The list of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PtlList {
    /// Entries for expected messages.
    Priority,
    /// Entries that take what nothing in Priority matches.
    Overflow,
}

/// An event of an event queue. Fields that its kind does not have are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its kind: `type` of Portals.
    pub kind: EventKind,
    /// How the operation ended; Ok for events that are of none.
    pub ni_fail_type: NiFail,
    /// The list of the entry that took the message, or of the entry that the event is of.
    pub ptl_list: PtlList,
    /// The portal index.
    pub pt_index: u32,
    /// Rank of the initiator.
    pub initiator: u32,
    /// User of the initiator.
    pub uid: u32,
    /// Match bits of the request.
    pub match_bits: u64,
    /// Header data of the put.
    pub hdr_data: u64,
    /// Requested length, in bytes.
    pub rlength: u64,
    /// Delivered length, in bytes.
    pub mlength: u64,
    /// Offset in the entry, in bytes: that requested, of an ACK or REPLY that used.
    pub remote_offset: u64,
    /// Address of the data in the target's memory.
    pub start: u32,
    /// The pointer of the entry, of the append or search that found a header, or of the put or get.
    pub user_ptr: u32,
}

impl Event {
    /// From an event of the engine.
    pub(super) fn new(event: &engine::Event) -> Event {
        Event {
            kind: event.kind.into(),
            ni_fail_type: event.failure.into(),
            ptl_list: match event.overflow {
                false => PtlList::Priority,
                true => PtlList::Overflow,
            },
            pt_index: u32::from(event.portal) % engine::INDICES as u32,
            initiator: event.rank.into(),
            uid: event.user.into(),
            match_bits: event.match_bits,
            hdr_data: event.header_data,
            rlength: event.requested.into(),
            mlength: event.delivered.into(),
            remote_offset: event.offset.into(),
            start: event.start,
            user_ptr: event.user_pointer,
        }
    }
}

/// In one line, with the fields that its kind has.
impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Event {
            pt_index,
            initiator,
            rlength,
            mlength,
            remote_offset,
            match_bits,
            ..
        } = *self;
        write!(f, "{} user_ptr={}", self.kind, self.user_ptr)?;
        match self.kind {
            EventKind::Send => write!(f, " rlength={rlength}")?,
            EventKind::Ack | EventKind::Reply => write!(f, " mlength={mlength} remote_offset={remote_offset}")?,
            EventKind::Link | EventKind::AutoUnlink | EventKind::AutoFree | EventKind::PtDisabled => {
                write!(f, " pt_index={pt_index}")?;
            }
            EventKind::Search if self.ni_fail_type != NiFail::Ok => write!(f, " pt_index={pt_index}")?,
            _ => write!(
                f,
                " pt_index={pt_index} initiator={initiator} rlength={rlength} mlength={mlength} \
                 remote_offset={remote_offset} match_bits={match_bits:#x} hdr_data={:#x}",
                self.hdr_data
            )?,
        }
        match self.ni_fail_type {
            NiFail::Ok => Ok(()),
            failure => write!(f, " {failure}"),
        }
    }
}
