"""Exceptions of the driver. The text has field, value and range. All are Error."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .portals import Event

__all__ = [
    "ArgumentError",
    "BusyError",
    "ClosedError",
    "Error",
    "ExhaustedError",
    "PortalsError",
    "RefusedError",
    "TimeoutError",
    "TransportError",
    "WrongFabricError",
]


class Error(Exception):
    """Any error of the driver."""


class ArgumentError(Error, ValueError):
    """An argument that is not allowed: nothing was done."""


class BusyError(Error):
    """The fabric is in another call, of another thread or of its own transport: nothing was done."""


class ClosedError(Error):
    """The fabric was closed, by its close, after an exception of its transport, or by a fork."""


class ExhaustedError(Error):
    """All of a resource is taken: events, windows, segments, memory, contexts."""


class PortalsError(Error):
    """A call of portico.portals failed. If the fabric failed, its error is the cause, `__cause__`."""

    code: str = ""
    """The code of Portals, such as "PTL_NO_SPACE"."""
    event: Event | None = None
    """With PTL_EQ_DROPPED the event that was taken; it comes behind those that were lost."""


class RefusedError(Error):
    """The hardware refused a command, or a call of a group failed."""

    code: int = 0
    """The code of the hardware."""


class TimeoutError(Error, builtins.TimeoutError):
    """It was not done in time. An operation goes on, and may be waited for again by its ticket."""


class TransportError(Error, OSError):
    """The transport could not make an access."""


class WrongFabricError(Error, ValueError):
    """The fabric is not the one of the configuration. The text has both values."""
