"""The native module. Its functions have their words in the classes themselves: help(portico.Fabric)."""

from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Any, Literal, Protocol, SupportsIndex, TypeAlias, TypedDict, overload

from numpy.typing import DTypeLike, NDArray
from typing_extensions import Self, Unpack

from . import portals

__version__: str

class _Transport(Protocol):
    def read(self, address: int, /) -> int: ...
    def write(self, address: int, value: int, /) -> object: ...

class _Shared(TypedDict, total=False):
    timeout: SupportsIndex
    shaper: SupportsIndex
    drained: bool

class _Completion(_Shared, total=False):
    event: Event | None

class _Calls(TypedDict, total=False):
    timeout: SupportsIndex

_Array: TypeAlias = NDArray[Any]
_Addresses: TypeAlias = SupportsIndex | Iterable[SupportsIndex]
_Bits: TypeAlias = Literal[32, 64]
_Geometry: TypeAlias = SupportsIndex | Geometry
_Operation: TypeAlias = Literal[
    "integer_sum", "integer_min", "integer_max", "and", "or", "xor", "float_sum", "float_min", "float_max"
]
_Shape: TypeAlias = (
    Literal["linear", "binomial", "centre", "star", "quad"] | tuple[Literal["kary", "columns", "rows"], SupportsIndex]
)
_Way: TypeAlias = Literal["engines", "puts", "host"]

def _ending() -> None: ...
def _forked() -> None: ...
def _head_fields() -> list[tuple[str, int, int]]: ...
def _max_payload() -> int: ...
def _portals_constants() -> dict[str, int]: ...
def _place(config: Config, terminal: SupportsIndex) -> tuple[int, int]: ...

class _Register(TypedDict):
    block: str
    item: str
    items: int
    name: str
    address: int
    stride: int
    doc: str

def registers(config: Config) -> list[_Register]: ...

class Config:
    cols: int
    """Columns of the mesh."""
    rows: int
    """Rows of the mesh."""
    width: int
    """Payload bits of a flit."""
    fifo: int
    """Depth of a router's input FIFO, in flits."""
    edge_nodes: int
    """Columns that have an edge node south of their last router, counted from column 0; at most `cols`."""
    monitors: bool
    """Counters of flits and stalls at every router's outputs and local input, and in every node."""
    memories: int
    """Memory nodes of a fabric, at the edge nodes after the host; fewer than `cols`."""
    memory_address: int
    """Bits of an address at the AXI4 port of every memory node; with 32, all pages lie below 4 GiB."""
    scratchpad: int
    """Memory of a tile, in KiB."""
    cores: int
    """Micro-cores of a tile."""
    windows: int
    """Rows of the window table of a tile or memory node; the last is the system window's."""
    segments: int
    """Segments of a tile; the host has at least as many, and two for each node, up to 256."""
    events: int
    """Events of a tile or memory node."""
    slots: int
    """Transactions that a tile may have under way."""
    mailboxes: int
    """Mailboxes of a tile."""
    shapers: int
    """Packet shapers of a tile."""
    queues: bool
    """Queues of messages, at every tile."""
    programs: bool
    """Programs of the user's in the micro-cores, at every tile."""
    wide_atomics: bool
    """Atomics of 64 bits where a word has 32, at every tile and memory node."""
    commands: bool
    """A stream of descriptors into every tile, for an accelerator beside it."""
    tile_ports: bool
    """An AXI4-Lite port at every tile, for a processor or accelerator beside it."""
    registers_at_tiles: bool
    """A register before every tile, on both planes: a cycle more into the tile, for a faster clock on an FPGA."""
    host_profile: str
    """Profile of the host node: its sizes and features, whatever the tiles have."""
    host_scratchpad: int
    """Memory of the host node, in KiB."""
    host_queues: bool
    """Queues of messages, at the host node."""
    probe: bool
    """A source/sink core in every tile: traffic and its measurement without software."""
    streams: bool
    """Streams of words out of and into the scratchpad of every tile, for an accelerator beside it."""
    mpe: int
    """Contexts of the message-passing engine of every tile, 0 for none; it has words of 32 bits."""
    mpe_neighbours: int
    """Neighbours that a context of it may have."""
    portals: int
    portals_log: bool
    """Ranks that the Portals engine of every tile knows, 0 for none; it has words of 32 bits."""
    stages: int
    """Pipeline stages of the floating-point adder: the cycles from a pair to its sum."""
    entries: int
    """Entries of all lists of the list manager, and of a tile's Portals engine."""
    buckets: int
    """Buckets into which each list is hashed by source, 0 for none."""
    heap: int
    """Memory that the buddy allocator hands out, in KiB."""
    block: int
    """Smallest block of the buddy allocator, in bytes; less than the heap."""

    def __init__(
        self,
        *,
        cols: int = ...,
        rows: int = ...,
        width: int = ...,
        fifo: int = ...,
        edge_nodes: int = ...,
        monitors: bool = ...,
        memories: int = ...,
        memory_address: int = ...,
        scratchpad: int = ...,
        cores: int = ...,
        windows: int = ...,
        segments: int = ...,
        events: int = ...,
        slots: int = ...,
        mailboxes: int = ...,
        shapers: int = ...,
        queues: bool = ...,
        programs: bool = ...,
        wide_atomics: bool = ...,
        commands: bool = ...,
        tile_ports: bool = ...,
        registers_at_tiles: bool = ...,
        host_profile: str = ...,
        host_scratchpad: int = ...,
        host_queues: bool = ...,
        probe: bool = ...,
        streams: bool = ...,
        mpe: int = ...,
        mpe_neighbours: int = ...,
        portals: int = ...,
        portals_log: bool = ...,
        stages: int = ...,
        entries: int = ...,
        buckets: int = ...,
        heap: int = ...,
        block: int = ...,
        profile: str = ...,
    ) -> None: ...
    @staticmethod
    def from_toml(text: str) -> Config: ...
    @property
    def toml(self) -> str: ...
    @staticmethod
    def keys() -> list[str]: ...

class _Released:
    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /
    ) -> None: ...

class Fabric(_Released):
    def __init__(self, transport: _Transport, config: Config) -> None: ...
    @staticmethod
    def golden(config: Config) -> Fabric: ...
    @staticmethod
    def uio(path: str, offset: SupportsIndex, config: Config, hertz: float) -> Fabric: ...
    @staticmethod
    def serial(path: str, baud: SupportsIndex | None, config: Config, patience: float | None = None) -> Fabric: ...
    @staticmethod
    def simulated(config: Config, program: str = "portico", arguments: Sequence[str] = ()) -> Fabric: ...
    @property
    def config(self) -> Config: ...
    @property
    def tiles(self) -> int: ...
    @property
    def host_node(self) -> int: ...
    @property
    def word_bytes(self) -> int: ...
    @property
    def cycles(self) -> int: ...
    @property
    def interrupt(self) -> bool: ...
    def memory_bytes(self, node: SupportsIndex) -> int: ...
    def write(self, node: SupportsIndex, address: SupportsIndex, array: _Array) -> None: ...
    def read(
        self,
        node: SupportsIndex,
        address: SupportsIndex,
        shape: SupportsIndex | Sequence[SupportsIndex],
        dtype: DTypeLike = "uint32",
    ) -> _Array: ...
    def read_into(self, node: SupportsIndex, address: SupportsIndex, array: _Array) -> None: ...
    def allocate(self, node: SupportsIndex, bytes: SupportsIndex) -> Region: ...
    def publish(
        self,
        node: SupportsIndex,
        base: SupportsIndex,
        bytes: SupportsIndex,
        *,
        stream: bool = False,
        row: SupportsIndex | None = None,
        stride: SupportsIndex | None = None,
        event: Event | None = None,
    ) -> Window: ...
    def event(self, node: SupportsIndex) -> Event: ...
    def mailbox(
        self, node: SupportsIndex, arrivals: SupportsIndex | None = None, event: Event | None = None
    ) -> Mailbox: ...
    def comm(self, tiles: Iterable[SupportsIndex] | None = None, shape: _Shape | None = None) -> Comm: ...
    @overload
    def send(
        self,
        tile: SupportsIndex,
        address: SupportsIndex,
        row: SupportsIndex,
        rows: SupportsIndex | None = None,
        stride: SupportsIndex | None = None,
        each_row: bool = False,
        *,
        ticket: Literal[True],
        **completion: Unpack[_Shared],
    ) -> Ticket: ...
    @overload
    def send(
        self,
        tile: SupportsIndex,
        address: SupportsIndex,
        row: SupportsIndex,
        rows: SupportsIndex | None = None,
        stride: SupportsIndex | None = None,
        each_row: bool = False,
        *,
        ticket: Literal[False] = False,
        **completion: Unpack[_Completion],
    ) -> None: ...
    @overload
    def receive(
        self,
        tile: SupportsIndex,
        address: SupportsIndex,
        length: SupportsIndex,
        *,
        ticket: Literal[True],
        **completion: Unpack[_Shared],
    ) -> Ticket: ...
    @overload
    def receive(
        self,
        tile: SupportsIndex,
        address: SupportsIndex,
        length: SupportsIndex,
        *,
        ticket: Literal[False] = False,
        **completion: Unpack[_Completion],
    ) -> None: ...
    def streams(self, tile: SupportsIndex) -> Streams: ...
    def stream_take(self, tile: SupportsIndex, most: SupportsIndex) -> list[tuple[int, bool]]: ...
    def stream_give(self, tile: SupportsIndex, beats: Sequence[tuple[int, bool]]) -> None: ...
    def peek(self, node: SupportsIndex, address: SupportsIndex) -> int: ...
    def poke(self, node: SupportsIndex, address: SupportsIndex, value: SupportsIndex) -> None: ...
    def set_timeout(self, cycles: SupportsIndex) -> None: ...
    def close(self) -> None: ...

class Region(_Released):
    @property
    def node(self) -> int: ...
    @property
    def base(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    def free(self) -> None: ...

class Geometry:
    def __init__(
        self,
        row: SupportsIndex,
        rows: SupportsIndex | None = None,
        row_strides: tuple[SupportsIndex, SupportsIndex] | None = None,
        planes: SupportsIndex | None = None,
        plane_strides: tuple[SupportsIndex, SupportsIndex] | None = None,
    ) -> None: ...
    @property
    def bytes(self) -> int: ...

class Window(_Released):
    @property
    def node(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    def clone(self, node: SupportsIndex) -> Segment: ...
    def ends(self) -> int: ...
    def rewind(self) -> None: ...
    def withdraw(self) -> None: ...

class Segment(_Released):
    @property
    def node(self) -> int: ...
    @property
    def initiator(self) -> int: ...
    @property
    def handle(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @overload
    def put(
        self,
        offset: SupportsIndex,
        local: SupportsIndex,
        geometry: _Geometry,
        *,
        ticket: Literal[True],
        **completion: Unpack[_Shared],
    ) -> Ticket: ...
    @overload
    def put(
        self,
        offset: SupportsIndex,
        local: SupportsIndex,
        geometry: _Geometry,
        *,
        ticket: Literal[False] = False,
        **completion: Unpack[_Completion],
    ) -> None: ...
    @overload
    def get(
        self,
        offset: SupportsIndex,
        local: SupportsIndex,
        geometry: _Geometry,
        *,
        ticket: Literal[True],
        **completion: Unpack[_Shared],
    ) -> Ticket: ...
    @overload
    def get(
        self,
        offset: SupportsIndex,
        local: SupportsIndex,
        geometry: _Geometry,
        *,
        ticket: Literal[False] = False,
        **completion: Unpack[_Completion],
    ) -> None: ...
    @overload
    def stream(
        self, local: SupportsIndex, geometry: _Geometry, *, ticket: Literal[True], **completion: Unpack[_Shared]
    ) -> Ticket: ...
    @overload
    def stream(
        self,
        local: SupportsIndex,
        geometry: _Geometry,
        *,
        ticket: Literal[False] = False,
        **completion: Unpack[_Completion],
    ) -> None: ...
    @overload
    def fence(self, *, ticket: Literal[True], **completion: Unpack[_Shared]) -> Ticket: ...
    @overload
    def fence(self, *, ticket: Literal[False] = False, **completion: Unpack[_Completion]) -> None: ...
    @overload
    def postadd(
        self,
        offset: SupportsIndex,
        addend: SupportsIndex,
        bits: _Bits = 32,
        *,
        ticket: Literal[True],
        **completion: Unpack[_Shared],
    ) -> Ticket: ...
    @overload
    def postadd(
        self,
        offset: SupportsIndex,
        addend: SupportsIndex,
        bits: _Bits = 32,
        *,
        ticket: Literal[False] = False,
        **completion: Unpack[_Completion],
    ) -> None: ...
    @overload
    def poke(
        self,
        offset: SupportsIndex,
        value: SupportsIndex,
        bits: _Bits = 32,
        *,
        ticket: Literal[True],
        **completion: Unpack[_Shared],
    ) -> Ticket: ...
    @overload
    def poke(
        self,
        offset: SupportsIndex,
        value: SupportsIndex,
        bits: _Bits = 32,
        *,
        ticket: Literal[False] = False,
        **completion: Unpack[_Completion],
    ) -> None: ...
    @overload
    def fetchadd(
        self,
        offset: SupportsIndex,
        addend: SupportsIndex,
        bits: _Bits = 32,
        *,
        ticket: Literal[True],
        **completion: Unpack[_Shared],
    ) -> Ticket: ...
    @overload
    def fetchadd(
        self,
        offset: SupportsIndex,
        addend: SupportsIndex,
        bits: _Bits = 32,
        *,
        ticket: Literal[False] = False,
        **completion: Unpack[_Completion],
    ) -> int | None: ...
    @overload
    def fetchclear(
        self, offset: SupportsIndex, bits: _Bits = 32, *, ticket: Literal[True], **completion: Unpack[_Shared]
    ) -> Ticket: ...
    @overload
    def fetchclear(
        self,
        offset: SupportsIndex,
        bits: _Bits = 32,
        *,
        ticket: Literal[False] = False,
        **completion: Unpack[_Completion],
    ) -> int | None: ...
    @overload
    def compare_and_swap(
        self,
        offset: SupportsIndex,
        expected: SupportsIndex,
        new: SupportsIndex,
        bits: _Bits = 32,
        *,
        ticket: Literal[True],
        **completion: Unpack[_Shared],
    ) -> Ticket: ...
    @overload
    def compare_and_swap(
        self,
        offset: SupportsIndex,
        expected: SupportsIndex,
        new: SupportsIndex,
        bits: _Bits = 32,
        *,
        ticket: Literal[False] = False,
        **completion: Unpack[_Completion],
    ) -> int | None: ...
    @overload
    def peek(
        self, offset: SupportsIndex, bits: _Bits = 32, *, ticket: Literal[True], **completion: Unpack[_Shared]
    ) -> Ticket: ...
    @overload
    def peek(
        self,
        offset: SupportsIndex,
        bits: _Bits = 32,
        *,
        ticket: Literal[False] = False,
        **completion: Unpack[_Completion],
    ) -> int | None: ...
    @overload
    def add_if(
        self,
        offset: SupportsIndex,
        limit: SupportsIndex,
        addend: SupportsIndex,
        bits: _Bits = 32,
        *,
        ticket: Literal[True],
        **completion: Unpack[_Shared],
    ) -> Ticket: ...
    @overload
    def add_if(
        self,
        offset: SupportsIndex,
        limit: SupportsIndex,
        addend: SupportsIndex,
        bits: _Bits = 32,
        *,
        ticket: Literal[False] = False,
        **completion: Unpack[_Completion],
    ) -> int | None: ...
    def release(self) -> None: ...

class Ticket(_Released):
    @property
    def value(self) -> int | None: ...
    def poll(self) -> bool: ...
    def wait(self, timeout: SupportsIndex | None = None) -> int | None: ...
    def release(self) -> None: ...

class EventState:
    @property
    def count(self) -> int: ...
    @property
    def error(self) -> int | None: ...
    @property
    def fired(self) -> bool: ...
    @property
    def value(self) -> int: ...

class Event(_Released):
    @property
    def node(self) -> int: ...
    @property
    def number(self) -> int: ...
    def configure(
        self,
        threshold: SupportsIndex,
        compare: Literal["never", "equal", "at_least", "not_equal"] = "at_least",
        interrupt: bool = False,
    ) -> None: ...
    def reset(self, count: SupportsIndex | None = None) -> None: ...
    def state(self) -> EventState: ...
    def wait(self, timeout: SupportsIndex | None = None) -> EventState: ...
    def drain(self, timeout: SupportsIndex | None = None) -> None: ...
    def release(self) -> None: ...

class Mailbox(_Released):
    @property
    def node(self) -> int: ...
    @property
    def number(self) -> int: ...
    @overload
    def mail(
        self, node: SupportsIndex, value: SupportsIndex, *, ticket: Literal[True], **completion: Unpack[_Shared]
    ) -> Ticket: ...
    @overload
    def mail(
        self,
        node: SupportsIndex,
        value: SupportsIndex,
        *,
        ticket: Literal[False] = False,
        **completion: Unpack[_Completion],
    ) -> None: ...
    def read(self) -> tuple[int, int]: ...
    def clear(self) -> None: ...
    def release(self) -> None: ...

class Streams:
    @property
    def sends_running(self) -> int: ...
    @property
    def sends_waiting(self) -> int: ...
    @property
    def sent(self) -> int: ...
    @property
    def receives_running(self) -> int: ...
    @property
    def receives_waiting(self) -> int: ...
    @property
    def received(self) -> int: ...

class Comm(_Released):
    @property
    def size(self) -> int: ...
    @property
    def tiles(self) -> list[int]: ...
    def rank(self, tile: SupportsIndex) -> int | None: ...
    def force(self, way: _Way | None = None) -> None: ...
    def timeout(self, cycles: SupportsIndex) -> None: ...
    def recover(self, timeout: int = 1_000_000) -> None: ...
    @overload
    def barrier(self, *, request: Literal[True]) -> Request: ...
    @overload
    def barrier(self, *, request: Literal[False] = False, **keywords: Unpack[_Calls]) -> None: ...
    @overload
    def broadcast(
        self, root: SupportsIndex, address: _Addresses, words: SupportsIndex, *, request: Literal[True]
    ) -> Request: ...
    @overload
    def broadcast(
        self,
        root: SupportsIndex,
        address: _Addresses,
        words: SupportsIndex,
        *,
        request: Literal[False] = False,
        **keywords: Unpack[_Calls],
    ) -> None: ...
    @overload
    def allgather(self, address: _Addresses, words: SupportsIndex, *, request: Literal[True]) -> Request: ...
    @overload
    def allgather(
        self, address: _Addresses, words: SupportsIndex, *, request: Literal[False] = False, **keywords: Unpack[_Calls]
    ) -> None: ...
    @overload
    def reduce(
        self,
        root: SupportsIndex,
        source: _Addresses,
        result: SupportsIndex,
        words: SupportsIndex,
        operation: _Operation,
        *,
        request: Literal[True],
    ) -> Request: ...
    @overload
    def reduce(
        self,
        root: SupportsIndex,
        source: _Addresses,
        result: SupportsIndex,
        words: SupportsIndex,
        operation: _Operation,
        *,
        request: Literal[False] = False,
        **keywords: Unpack[_Calls],
    ) -> None: ...
    @overload
    def allreduce(
        self,
        source: _Addresses,
        result: _Addresses,
        words: SupportsIndex,
        operation: _Operation,
        *,
        request: Literal[True],
    ) -> Request: ...
    @overload
    def allreduce(
        self,
        source: _Addresses,
        result: _Addresses,
        words: SupportsIndex,
        operation: _Operation,
        *,
        request: Literal[False] = False,
        **keywords: Unpack[_Calls],
    ) -> None: ...
    @overload
    def reduce_scatter(
        self,
        source: _Addresses,
        result: _Addresses,
        words: SupportsIndex,
        operation: _Operation,
        *,
        request: Literal[True],
    ) -> Request: ...
    @overload
    def reduce_scatter(
        self,
        source: _Addresses,
        result: _Addresses,
        words: SupportsIndex,
        operation: _Operation,
        *,
        request: Literal[False] = False,
        **keywords: Unpack[_Calls],
    ) -> None: ...
    @overload
    def scatter(
        self,
        root: SupportsIndex,
        source: SupportsIndex,
        result: _Addresses,
        words: SupportsIndex,
        *,
        request: Literal[True],
    ) -> Request: ...
    @overload
    def scatter(
        self,
        root: SupportsIndex,
        source: SupportsIndex,
        result: _Addresses,
        words: SupportsIndex,
        *,
        request: Literal[False] = False,
        **keywords: Unpack[_Calls],
    ) -> None: ...
    @overload
    def gather(
        self,
        root: SupportsIndex,
        source: _Addresses,
        result: SupportsIndex,
        words: SupportsIndex,
        *,
        request: Literal[True],
    ) -> Request: ...
    @overload
    def gather(
        self,
        root: SupportsIndex,
        source: _Addresses,
        result: SupportsIndex,
        words: SupportsIndex,
        *,
        request: Literal[False] = False,
        **keywords: Unpack[_Calls],
    ) -> None: ...
    @overload
    def alltoall(
        self, source: _Addresses, result: _Addresses, words: SupportsIndex, *, request: Literal[True]
    ) -> Request: ...
    @overload
    def alltoall(
        self,
        source: _Addresses,
        result: _Addresses,
        words: SupportsIndex,
        *,
        request: Literal[False] = False,
        **keywords: Unpack[_Calls],
    ) -> None: ...
    def release(self) -> None: ...

class Request(_Released):
    @property
    def way(self) -> _Way: ...
    @property
    def estimate(self) -> int: ...
    def start(self) -> None: ...
    def poll(self) -> bool: ...
    def wait(self, timeout: SupportsIndex | None = None) -> None: ...
    def release(self) -> None: ...

class Md(_Released): ...
class Me(_Released): ...
class Le(_Released): ...
class Ct(_Released): ...
class Eq(_Released): ...

def set_map(fabric: Fabric, tiles: Iterable[SupportsIndex]) -> None: ...
def get_map(fabric: Fabric) -> list[int]: ...

class Ni(_Released):
    def __init__(self, fabric: Fabric, tile: SupportsIndex, interface: portals.Interface | None = None) -> None: ...
    @property
    def tile(self) -> int: ...
    @property
    def interface(self) -> portals.Interface: ...
    def close(self) -> None: ...
    def get_id(self) -> int: ...
    def get_phys_id(self) -> tuple[int, int]: ...
    def get_uid(self) -> int: ...
    def set_uid(self, uid: SupportsIndex) -> None: ...
    def ni_status(self, register: portals.StatusRegister) -> int: ...
    def limits(self) -> portals.NiLimits: ...
    def pt_alloc(
        self,
        options: portals.PtOptions | None = None,
        eq: Eq | None = None,
        pt_index_req: SupportsIndex | None = None,
    ) -> int: ...
    def pt_free(self, pt_index: SupportsIndex) -> None: ...
    def pt_enable(self, pt_index: SupportsIndex) -> None: ...
    def pt_disable(self, pt_index: SupportsIndex) -> None: ...
    def md_bind(
        self,
        start: SupportsIndex,
        length: SupportsIndex,
        options: portals.MdOptions | None = None,
        eq: Eq | None = None,
        ct: Ct | None = None,
    ) -> Md: ...
    def md_release(self, md: Md) -> None: ...
    def me_append(
        self,
        pt_index: SupportsIndex,
        start: SupportsIndex,
        length: SupportsIndex,
        *,
        match_bits: SupportsIndex | None = None,
        ignore_bits: SupportsIndex | None = None,
        options: portals.EntryOptions | None = None,
        ptl_list: portals.PtlList | None = None,
        match_id: SupportsIndex | None = None,
        uid: SupportsIndex | None = None,
        min_free: SupportsIndex | None = None,
        ct: Ct | None = None,
        user_ptr: SupportsIndex | None = None,
    ) -> Me: ...
    def me_unlink(self, me: Me) -> None: ...
    def me_search(
        self,
        pt_index: SupportsIndex,
        operation: portals.SearchOp,
        *,
        length: SupportsIndex | None = None,
        match_bits: SupportsIndex | None = None,
        ignore_bits: SupportsIndex | None = None,
        options: portals.EntryOptions | None = None,
        match_id: SupportsIndex | None = None,
        uid: SupportsIndex | None = None,
        user_ptr: SupportsIndex | None = None,
    ) -> None: ...
    def le_append(
        self,
        pt_index: SupportsIndex,
        start: SupportsIndex,
        length: SupportsIndex,
        *,
        options: portals.EntryOptions | None = None,
        ptl_list: portals.PtlList | None = None,
        uid: SupportsIndex | None = None,
        ct: Ct | None = None,
        user_ptr: SupportsIndex | None = None,
    ) -> Le: ...
    def le_unlink(self, le: Le) -> None: ...
    def le_search(
        self,
        pt_index: SupportsIndex,
        operation: portals.SearchOp,
        *,
        options: portals.EntryOptions | None = None,
        uid: SupportsIndex | None = None,
        user_ptr: SupportsIndex | None = None,
    ) -> None: ...
    def put(
        self,
        md: Md,
        length: SupportsIndex,
        target_id: SupportsIndex,
        *,
        pt_index: SupportsIndex | None = None,
        match_bits: SupportsIndex | None = None,
        local_offset: SupportsIndex | None = None,
        remote_offset: SupportsIndex | None = None,
        ack: portals.AckReq | None = None,
        hdr_data: SupportsIndex | None = None,
        user_ptr: SupportsIndex | None = None,
    ) -> None: ...
    def get(
        self,
        md: Md,
        length: SupportsIndex,
        target_id: SupportsIndex,
        *,
        pt_index: SupportsIndex | None = None,
        match_bits: SupportsIndex | None = None,
        local_offset: SupportsIndex | None = None,
        remote_offset: SupportsIndex | None = None,
        user_ptr: SupportsIndex | None = None,
    ) -> None: ...
    def ct_alloc(self) -> Ct: ...
    def ct_free(self, ct: Ct) -> None: ...
    def ct_get(self, ct: Ct) -> portals.CtEvent: ...
    def ct_wait(self, ct: Ct, test: SupportsIndex, timeout: SupportsIndex | None = None) -> portals.CtEvent: ...
    def ct_poll(
        self, cts: Iterable[tuple[Ct, SupportsIndex]], timeout: SupportsIndex | None = None
    ) -> tuple[portals.CtEvent, int]: ...
    def ct_set(self, ct: Ct, success: SupportsIndex | None = None, failure: SupportsIndex | None = None) -> None: ...
    def ct_inc(self, ct: Ct, success: SupportsIndex | None = None, failure: SupportsIndex | None = None) -> None: ...
    def eq_alloc(self, count: SupportsIndex) -> Eq: ...
    def eq_free(self, eq: Eq) -> None: ...
    def eq_get(self, eq: Eq) -> portals.Event: ...
    def eq_wait(self, eq: Eq, timeout: SupportsIndex | None = None) -> portals.Event: ...
    def eq_poll(self, eqs: Iterable[Eq], timeout: SupportsIndex | None = None) -> tuple[portals.Event, int]: ...
