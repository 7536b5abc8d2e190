"""Portals 4.3 over the Portals engines of tiles (key `portals`): puts and gets that the target matches in hardware.

The functions of Portals are methods of Ni, an interface of a tile, without `Ptl` and in snake case: PtlMEAppend is
Ni.me_append. PtlNIInit and PtlNIFini are Ni and Ni.close. The host drives the interfaces of all tiles.

set_map, get_map    the tile of each rank
Ni                  an interface of a tile
Md, Me, Le, Ct, Eq  handles of an interface: memory descriptors, entries, counters, event queues
Event, CtEvent      an event of a queue, the counts of a counter
NiLimits            the limits of an interface
PortalsError        an error, with its code

Constants have their names of Portals, in enumerations: Interface, StatusRegister, PtlList, SearchOp, AckReq, EventKind, NiFail,
and the options PtOptions, EntryOptions, MdOptions. Addresses, offsets and lengths are in bytes, time-outs in cycles.
"""

from __future__ import annotations

import enum
from typing import Any, NamedTuple

from ._portico import Ct, Eq, Le, Md, Me, Ni, _portals_constants, get_map, set_map
from .errors import PortalsError

__all__ = [
    "AckReq",
    "Ct",
    "CtEvent",
    "EntryOptions",
    "Eq",
    "Event",
    "EventKind",
    "Interface",
    "Le",
    "Md",
    "MdOptions",
    "Me",
    "Ni",
    "NiFail",
    "NiLimits",
    "PortalsError",
    "PtOptions",
    "PtlList",
    "SearchOp",
    "StatusRegister",
    "get_map",
    "set_map",
]

_constants = _portals_constants()


class _Codes(enum.IntEnum):
    @staticmethod
    def _generate_next_value_(name: str, start: int, count: int, last_values: list[Any]) -> int:
        return _constants[name]


class _Options(enum.IntFlag):
    @staticmethod
    def _generate_next_value_(name: str, start: int, count: int, last_values: list[Any]) -> int:
        return _constants[name]


class Interface(_Codes):
    """An interface of a tile. Both share the tile's memory descriptors, counters, event queues and places of entries."""

    PTL_NI_MATCHING = enum.auto()
    """Entries have match bits and a source."""
    PTL_NI_NO_MATCHING = enum.auto()
    """The first entry of an index takes every message."""


class StatusRegister(_Codes):
    """A status register, for Ni.ni_status."""

    PTL_SR_DROP_COUNT = enum.auto()
    """Messages that matched nothing, whose header had no place, or whose index is disabled or not allocated."""
    PTL_SR_PERMISSION_VIOLATIONS = enum.auto()
    """Messages whose entry is for another user."""
    PTL_SR_OPERATION_VIOLATIONS = enum.auto()
    """Messages whose entry does not allow the operation."""


class PtlList(_Codes):
    """A list of a portal index."""

    PTL_PRIORITY_LIST = enum.auto()
    """Entries for expected messages."""
    PTL_OVERFLOW_LIST = enum.auto()
    """Entries that take what nothing in PTL_PRIORITY_LIST matches."""


class SearchOp(_Codes):
    """The effect of a search on the headers that it finds."""

    PTL_SEARCH_ONLY = enum.auto()
    """They stay, and PTL_EVENT_SEARCH tells each."""
    PTL_SEARCH_DELETE = enum.auto()
    """They leave, and PTL_EVENT_PUT_OVERFLOW or PTL_EVENT_GET_OVERFLOW tells each."""


class AckReq(_Codes):
    """Which acknowledgement a put wants."""

    PTL_NO_ACK_REQ = enum.auto()
    """None."""
    PTL_ACK_REQ = enum.auto()
    """The event PTL_EVENT_ACK, and a count."""
    PTL_CT_ACK_REQ = enum.auto()
    """A count alone."""
    PTL_OC_ACK_REQ = enum.auto()
    """A count that the operation is over, whatever became of it."""


class EventKind(_Codes):
    """The kind of an event."""

    PTL_EVENT_GET = enum.auto()
    """A get was served from an entry of the index."""
    PTL_EVENT_GET_OVERFLOW = enum.auto()
    """A get had been served from PTL_OVERFLOW_LIST, and an append or search has consumed its header."""
    PTL_EVENT_PUT = enum.auto()
    """A put came to an entry of the index."""
    PTL_EVENT_PUT_OVERFLOW = enum.auto()
    """A put had come to PTL_OVERFLOW_LIST, and an append or search has consumed its header."""
    PTL_EVENT_ATOMIC = enum.auto()
    """An atomic came. The hardware has no atomics of Portals."""
    PTL_EVENT_ATOMIC_OVERFLOW = enum.auto()
    """An atomic had come to PTL_OVERFLOW_LIST."""
    PTL_EVENT_FETCH_ATOMIC = enum.auto()
    """An atomic that fetches came."""
    PTL_EVENT_FETCH_ATOMIC_OVERFLOW = enum.auto()
    """An atomic that fetches had come to PTL_OVERFLOW_LIST."""
    PTL_EVENT_REPLY = enum.auto()
    """The data of a get are in the memory descriptor."""
    PTL_EVENT_SEND = enum.auto()
    """The data of a put have been read: its memory may be written again."""
    PTL_EVENT_ACK = enum.auto()
    """The target has the data of a put, or refused it."""
    PTL_EVENT_PT_DISABLED = enum.auto()
    """Flow control has disabled the index. The hardware has no flow control."""
    PTL_EVENT_AUTO_UNLINK = enum.auto()
    """An entry has left its list by itself, and all its messages are complete."""
    PTL_EVENT_AUTO_FREE = enum.auto()
    """No header refers to an entry of PTL_OVERFLOW_LIST that has left."""
    PTL_EVENT_SEARCH = enum.auto()
    """A search has found a header, or none."""
    PTL_EVENT_LINK = enum.auto()
    """An entry is in its list."""


class NiFail(_Codes):
    """How an operation ended at its target."""

    PTL_NI_OK = enum.auto()
    """Well."""
    PTL_NI_DROPPED = enum.auto()
    """No entry matched, the header had no place, or the index is not allocated."""
    PTL_NI_PT_DISABLED = enum.auto()
    """The index is disabled."""
    PTL_NI_PERM_VIOLATION = enum.auto()
    """The entry is for another user."""
    PTL_NI_OP_VIOLATION = enum.auto()
    """The entry does not allow the operation."""
    PTL_NI_NO_MATCH = enum.auto()
    """A search has found no header."""


class PtOptions(_Options):
    """Options of a portal index."""

    PTL_PT_ONLY_USE_ONCE = enum.auto()
    """A promise that all entries have PTL_ME_USE_ONCE; without an effect."""
    PTL_PT_ONLY_TRUNCATE = enum.auto()
    """A promise that no entry has PTL_ME_NO_TRUNCATE; without an effect."""
    PTL_PT_FLOWCTRL = enum.auto()
    """Flow control, which is refused."""
    PTL_PT_ALLOC_DISABLED = enum.auto()
    """The index is disabled until Ni.pt_enable."""


class EntryOptions(_Options):
    """Options of entries of both interfaces, and of searches. List entries have no PTL_ME_MANAGE_LOCAL,
    PTL_ME_NO_TRUNCATE and PTL_ME_MAY_ALIGN."""

    PTL_ME_USE_ONCE = enum.auto()
    """It leaves its list with the first message that it takes; its append and a search find one header."""
    PTL_ME_NO_TRUNCATE = enum.auto()
    """It matches only a message that fits."""
    PTL_ME_MANAGE_LOCAL = enum.auto()
    """It keeps an offset of its own, which each message advances."""
    PTL_ME_UNEXPECTED_HDR_DISABLE = enum.auto()
    """In PTL_OVERFLOW_LIST: its messages leave no headers, so no later append or search finds them."""
    PTL_ME_OP_PUT = enum.auto()
    """It takes puts."""
    PTL_ME_OP_GET = enum.auto()
    """It takes gets."""
    PTL_ME_ACK_DISABLE = enum.auto()
    """Its messages raise nothing at their initiators."""
    PTL_ME_EVENT_LINK_DISABLE = enum.auto()
    """No PTL_EVENT_LINK."""
    PTL_ME_EVENT_UNLINK_DISABLE = enum.auto()
    """No PTL_EVENT_AUTO_UNLINK and no PTL_EVENT_AUTO_FREE."""
    PTL_ME_EVENT_COMM_DISABLE = enum.auto()
    """No events of messages; of a search no PTL_EVENT_SEARCH."""
    PTL_ME_EVENT_OVER_DISABLE = enum.auto()
    """No PTL_EVENT_PUT_OVERFLOW and no PTL_EVENT_GET_OVERFLOW of headers that an append or search consumes."""
    PTL_ME_EVENT_SUCCESS_DISABLE = enum.auto()
    """No events of success."""
    PTL_ME_EVENT_CT_COMM = enum.auto()
    """Its counter counts messages."""
    PTL_ME_EVENT_CT_OVERFLOW = enum.auto()
    """Its counter counts the headers that its append consumes; of no meaning in a search."""
    PTL_ME_EVENT_CT_BYTES = enum.auto()
    """Its counter counts bytes."""
    PTL_ME_MAY_ALIGN = enum.auto()
    """A hint without an effect: data lie where the offset says."""
    PTL_ME_IS_ACCESSIBLE = enum.auto()
    """A hint without an effect: all memory of a tile is accessible."""
    PTL_ME_EVENT_FLOWCTRL_DISABLE = enum.auto()
    """No PTL_EVENT_PT_DISABLED, an event that only flow control raises."""
    PTL_ME_IOVEC = enum.auto()
    """Refused: an entry is one piece of memory."""


class MdOptions(_Options):
    """Options of a memory descriptor."""

    PTL_MD_EVENT_SUCCESS_DISABLE = enum.auto()
    """No event of success. Failures and counts stay."""
    PTL_MD_EVENT_SEND_DISABLE = enum.auto()
    """No PTL_EVENT_SEND."""
    PTL_MD_EVENT_CT_SEND = enum.auto()
    """Its counter counts sends."""
    PTL_MD_EVENT_CT_REPLY = enum.auto()
    """Its counter counts replies."""
    PTL_MD_EVENT_CT_ACK = enum.auto()
    """Its counter counts acknowledgements."""
    PTL_MD_EVENT_CT_BYTES = enum.auto()
    """Its counter counts bytes."""
    PTL_MD_UNORDERED = enum.auto()
    """A hint without an effect: messages stay in their order."""
    PTL_MD_VOLATILE = enum.auto()
    """A hint without an effect: no message is so short that it could be copied at once."""
    PTL_MD_IOVEC = enum.auto()
    """Refused: a memory descriptor is one piece of memory."""


class Event(NamedTuple):
    """An event of an event queue. Fields that its kind does not have are 0. Lengths and offsets are in bytes.

    ptl_list is the list of the entry, initiator and uid are the rank and the user of the initiator, rlength is the
    requested and mlength the delivered length, remote_offset is the offset in the entry, start the address of the data
    in the target's memory, user_ptr that of the entry, of the append or search that found a header, or of the put or
    get.
    """

    kind: EventKind
    ni_fail_type: NiFail
    ptl_list: PtlList
    pt_index: int
    initiator: int
    uid: int
    match_bits: int
    hdr_data: int
    rlength: int
    mlength: int
    remote_offset: int
    start: int
    user_ptr: int


class CtEvent(NamedTuple):
    """The counts of a counter, each modulo 2^32: successes, or bytes; and failures."""

    success: int
    failure: int


class NiLimits(NamedTuple):
    """Limits of an interface. What both interfaces of a tile share counts for both together. What the hardware does not
    have is 0.

    Entries and headers of unexpected messages share their places. max_pt_index is the largest portal index. The sizes
    are in bytes. With total_data_ordering, the data of two messages of a pair are in their order, whatever they do.
    """

    max_entries: int
    max_unexpected_headers: int
    max_mds: int
    max_cts: int
    max_eqs: int
    max_pt_index: int
    max_iovecs: int
    max_list_size: int
    max_triggered_ops: int
    max_msg_size: int
    max_atomic_size: int
    max_fetch_atomic_size: int
    max_waw_ordered_size: int
    max_war_ordered_size: int
    max_volatile_size: int
    total_data_ordering: bool
