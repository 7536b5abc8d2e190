"""The host driver of a Portico fabric.

>>> import numpy, portico
>>> fabric = portico.Fabric.golden(portico.Config(cols=2, rows=2))
>>> fabric.write(0, 0x100, numpy.array([10, 20, 30, 40], "uint32"))
>>> fabric.publish(3, 0x200, 64).clone(0).put(0, 0x100, 16)
>>> fabric.read(3, 0x200, 4, "uint32").tolist()
[10, 20, 30, 40]

Config       the configuration of a fabric: Config(cols=4, rows=4, profile="leaf")
Fabric       a fabric: Fabric.golden, .uio, .serial, .simulated, or over an object that reads and writes
Window       memory that a node publishes: Fabric.publish
Segment      a window as another node reaches it: put, get, atomics, fence
Geometry     which bytes a transfer moves, in one to three dimensions
Ticket       an operation under way: poll, wait, release
Event        a counter with a threshold
Mailbox      64 bits at a time, from any node
Region       memory that was allocated
Comm         a group of tiles that makes MPI-like calls
Request      a call of a group that is prepared
registers    the register map: Fabric.peek, Fabric.poke
bench, plot  the benchmarks of the installed program, and their plots
Figures      the rows of a benchmark
portals      Portals 4.3: interfaces of tiles, matched puts and gets
errors       exceptions; all are errors.Error
pynq, litex  fabrics behind PYNQ's MMIO and LiteX's RemoteClient
cocotb       fabrics in a simulator, under cocotb

Addresses, lengths and strides are in bytes, time-outs in cycles of the transport.
"""

import atexit as _atexit
import os as _os

from . import errors, portals
from ._figures import Figures, bench, plot
from ._portico import (
    Comm,
    Config,
    Event,
    EventState,
    Fabric,
    Geometry,
    Mailbox,
    Region,
    Request,
    Segment,
    Streams,
    Ticket,
    Window,
    __version__,
    _ending,
    _forked,
    registers,
)
from .errors import Error, PortalsError

__all__ = [
    "Comm",
    "Config",
    "Error",
    "Event",
    "EventState",
    "Fabric",
    "Figures",
    "Geometry",
    "Mailbox",
    "PortalsError",
    "Region",
    "Request",
    "Segment",
    "Streams",
    "Ticket",
    "Window",
    "__version__",
    "bench",
    "errors",
    "plot",
    "portals",
    "registers",
]

_atexit.register(_ending)
if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(after_in_child=_forked)
