//! The blocks that can be emitted as a top of their own, made from one configuration.
//!
//! Widths are const generics, so the supported ones are chosen among here; depths and the size of the mesh are values.

use portico_hdl::{
    accel::{Probe, Streams},
    board::Board,
    dma::Dma,
    fabric::Fabric,
    host::MemoryNode,
    mpe::{FpAdder, Mpe, ReduceAlu},
    noc::{Mesh, Router},
    portals::{buddy, engine::Portals, ListManager, ListParameters},
    prim::{CreditCounter, Fifo, LaneRam, LutRam, Register, RoundRobinArbiter, SkidBuffer, TrueDualPortRam},
    tile::Tile,
};
use portico_spec::{ni::registers::SPACE_BYTES, portals::buddy::Heap, Config};
use rust_hdl::prelude::{bits, Bits, Block};

/// A block with a name, as `portico generate` knows it.
#[derive(Clone, Copy)]
pub struct Top {
    /// Its name: lower case, `-` between words.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// Keys of the configuration that shape it.
    pub keys: &'static [&'static str],
    /// Types of the blocks inside it, in snake case, that a simulator had better keep as modules of their own.
    pub keep_apart: &'static [&'static str],
    make: fn(&Config) -> Box<dyn Block>,
}

/// Bytes of stack for making the largest block.
const ELABORATION_STACK: usize = 256 << 20;

/// Requesters of the arbiter, and credits of the counter, when they are emitted alone.
const REQUESTERS: usize = portico_hdl::noc::PORTS;
const MOST_CREDITS: u64 = 8;

/// Words of a memory that is emitted alone, and the address bits that they take.
const MEMORY_ADDRESS_BITS: usize = 10;

/// Calls `$make::<W, A>` for the configured width and the address bits of the configured FIFO depth.
macro_rules! by_width_and_depth {
    ($config:expr, $block:ident, $depth_or_config:expr) => {
        match ($config.width, address_bits($config.fifo)) {
            (32, 1) => Box::new($block::<32, 1>::new($depth_or_config)),
            (32, 2) => Box::new($block::<32, 2>::new($depth_or_config)),
            (32, 3) => Box::new($block::<32, 3>::new($depth_or_config)),
            (32, _) => Box::new($block::<32, 4>::new($depth_or_config)),
            (_, 1) => Box::new($block::<64, 1>::new($depth_or_config)),
            (_, 2) => Box::new($block::<64, 2>::new($depth_or_config)),
            (_, 3) => Box::new($block::<64, 3>::new($depth_or_config)),
            (_, _) => Box::new($block::<64, 4>::new($depth_or_config)),
        }
    };
}

/// Calls `$block::<W, B, A>` for the fabric of a configuration: its width, the bytes of a flit, the address bits of its FIFOs.
/// After these, a block with memories takes the bits of their addresses.
macro_rules! fabric_by_width_and_depth {
    ($config:expr, $block:ident $(, $memory_address:literal)?) => {{
        let config = &fabric_of($config);
        match (config.width, address_bits(config.fifo)) {
            (32, 1..=2) => Box::new($block::<32, 4, 2 $(, $memory_address)?>::new(config)),
            (32, _) => Box::new($block::<32, 4, 4 $(, $memory_address)?>::new(config)),
            (_, 1..=2) => Box::new($block::<64, 8, 2 $(, $memory_address)?>::new(config)),
            (_, _) => Box::new($block::<64, 8, 4 $(, $memory_address)?>::new(config)),
        }
    }};
}

/// A LUT-RAM of words of `W` bits.
type BitsLutRam<const W: usize, const A: usize> = LutRam<Bits<W>, A>;

/// Address bits for `depth` places, at least 1.
fn address_bits(depth: usize) -> u32 {
    depth.next_power_of_two().ilog2().max(1)
}

/// Keys that shape a fabric.
const FABRIC_KEYS: &[&str] = &[
    "cols",
    "rows",
    "width",
    "fifo",
    "monitors",
    "memories",
    "memory_address",
    "scratchpad",
    "cores",
    "windows",
    "segments",
    "events",
    "slots",
    "mailboxes",
    "shapers",
    "queues",
    "programs",
    "wide_atomics",
    "commands",
    "tile_ports",
    "registers_at_tiles",
    "host_profile",
    "host_scratchpad",
    "host_queues",
    "probe",
    "streams",
    "mpe",
    "mpe_neighbours",
    "stages",
    "portals",
    "portals_log",
    "entries",
    "buckets",
];

/// Every top, simple ones first.
pub static TOPS: &[Top] = &[
    Top {
        name: "register",
        about: "register with enable and synchronous reset",
        keys: &["width"],
        keep_apart: &[],
        make: |config| match config.width {
            32 => Box::new(Register::<32>::new(bits(0))),
            _ => Box::new(Register::<64>::new(bits(0))),
        },
    },
    Top {
        name: "ram",
        about: "simple dual-port block RAM of 1024 words with byte enables",
        keys: &["width"],
        keep_apart: &[],
        make: |config| match config.width {
            32 => Box::new(LaneRam::<32, MEMORY_ADDRESS_BITS, 4>::new(1 << MEMORY_ADDRESS_BITS)),
            _ => Box::new(LaneRam::<64, MEMORY_ADDRESS_BITS, 8>::new(1 << MEMORY_ADDRESS_BITS)),
        },
    },
    Top {
        name: "true-dual-port-ram",
        about: "true dual-port block RAM of 1024 words with byte enables",
        keys: &["width"],
        keep_apart: &[],
        make: |config| match config.width {
            32 => Box::new(TrueDualPortRam::<32, MEMORY_ADDRESS_BITS, 4>::new(
                1 << MEMORY_ADDRESS_BITS,
            )),
            _ => Box::new(TrueDualPortRam::<64, MEMORY_ADDRESS_BITS, 8>::new(
                1 << MEMORY_ADDRESS_BITS,
            )),
        },
    },
    Top {
        name: "lut-ram",
        about: "LUT-RAM with an asynchronous read port, `fifo` words",
        keys: &["width", "fifo"],
        keep_apart: &[],
        make: |config| by_width_and_depth!(config, BitsLutRam, config.fifo),
    },
    Top {
        name: "fifo",
        about: "first-word fall-through FIFO of a stream",
        keys: &["width", "fifo"],
        keep_apart: &[],
        make: |config| by_width_and_depth!(config, Fifo, config.fifo),
    },
    Top {
        name: "skid-buffer",
        about: "registers both directions of a stream",
        keys: &["width"],
        keep_apart: &[],
        make: |config| match config.width {
            32 => Box::new(SkidBuffer::<32>::default()),
            _ => Box::new(SkidBuffer::<64>::default()),
        },
    },
    Top {
        name: "round-robin-arbiter",
        about: "grants one of five requesters, in turn",
        keys: &[],
        keep_apart: &[],
        make: |_| Box::new(RoundRobinArbiter::<REQUESTERS>::default()),
    },
    Top {
        name: "credit-counter",
        about: "counts up to eight credits",
        keys: &[],
        keep_apart: &[],
        make: |_| Box::new(CreditCounter::<4>::new(MOST_CREDITS)),
    },
    Top {
        name: "fp-add",
        about: "IEEE 754 adder of `width` bits, one sum a cycle",
        keys: &["width", "stages"],
        keep_apart: &[],
        make: |config| match config.width {
            32 => Box::new(FpAdder::<32>::new(config.stages)),
            _ => Box::new(FpAdder::<64>::new(config.stages)),
        },
    },
    Top {
        name: "reduce-alu",
        about: "sum, minimum, maximum, and, or, xor of two streams, one a cycle",
        keys: &["width", "stages"],
        keep_apart: &[],
        make: |config| match config.width {
            32 => Box::new(ReduceAlu::<32>::new(config.stages)),
            _ => Box::new(ReduceAlu::<64>::new(config.stages)),
        },
    },
    Top {
        name: "list-manager",
        about: "Portals matching lists: search, insert, delete, hashing by source",
        keys: &["entries", "buckets"],
        keep_apart: &[],
        make: |config| {
            let parameters = &ListParameters::new(config.entries, config.buckets);
            match config.entries.ilog2() {
                6 => Box::new(ListManager::<6>::new(parameters)),
                7 => Box::new(ListManager::<7>::new(parameters)),
                8 => Box::new(ListManager::<8>::new(parameters)),
                9 => Box::new(ListManager::<9>::new(parameters)),
                10 => Box::new(ListManager::<10>::new(parameters)),
                11 => Box::new(ListManager::<11>::new(parameters)),
                12 => Box::new(ListManager::<12>::new(parameters)),
                13 => Box::new(ListManager::<13>::new(parameters)),
                _ => Box::new(ListManager::<14>::new(parameters)),
            }
        },
    },
    Top {
        name: "buddy",
        about: "buddy allocator: memory in blocks of powers of two",
        keys: &["heap", "block"],
        keep_apart: &[],
        make: |config| {
            let heap = Heap::new((config.heap << 10) as u32, config.block as u32);
            buddy::allocator(heap.expect("a valid configuration has a heap that can be"))
        },
    },
    Top {
        name: "router",
        about: "five-port wormhole router, XY dimension order, one cycle a hop",
        keys: &["width", "fifo"],
        keep_apart: &[],
        make: |config| by_width_and_depth!(config, Router, config.fifo),
    },
    Top {
        name: "mesh",
        about: "2D mesh of routers with its sides closed, gates to edge nodes, counters",
        keys: &["cols", "rows", "width", "fifo", "edge_nodes", "monitors"],
        keep_apart: &["router_place"],
        make: |config| by_width_and_depth!(config, Mesh, config),
    },
    Top {
        name: "dma",
        about: "micro-cores, packet shapers and their dispatcher, from descriptors to packets",
        keys: &[
            "cols",
            "rows",
            "width",
            "memories",
            "scratchpad",
            "cores",
            "windows",
            "segments",
            "shapers",
            "queues",
            "programs",
            "wide_atomics",
        ],
        keep_apart: &[],
        make: |config| {
            let [memory, space] = [config.scratchpad << 10, SPACE_BYTES].map(|bytes| (bytes * 8 / config.width) as u64);
            let (build, fabric) = (config.build(), fabric_of(config));
            match config.width {
                32 => Box::new(Dma::<32>::new(&build, &fabric, memory, space)),
                _ => Box::new(Dma::<64>::new(&build, &fabric, memory, space)),
            }
        },
    },
    Top {
        name: "probe",
        about: "source/sink core: traffic and its measurement, in a seat of a tile's socket",
        keys: &["cols", "rows", "width"],
        keep_apart: &[],
        make: |config| match config.width {
            32 => Box::new(Probe::<32, 4>::new(config)),
            _ => Box::new(Probe::<64, 8>::new(config)),
        },
    },
    Top {
        name: "streams",
        about: "streams of words out of and into the scratchpad, in a seat of a tile's socket",
        keys: &["width", "scratchpad"],
        keep_apart: &[],
        make: |config| match config.width {
            32 => Box::new(Streams::<32, 4>::new(config)),
            _ => Box::new(Streams::<64, 8>::new(config)),
        },
    },
    Top {
        name: "portals",
        about: "Portals engine: put and get with matching, events and counters, in a seat of a tile's socket",
        keys: &["cols", "rows", "scratchpad", "portals", "entries", "buckets"],
        keep_apart: &[],
        make: |config| Box::new(Portals::<32, 4>::new(config)),
    },
    Top {
        name: "mpe",
        about: "message-passing engine: barrier, broadcast, reduce, allreduce, in a seat of a tile's socket",
        keys: &["cols", "rows", "scratchpad", "mpe", "mpe_neighbours", "stages"],
        keep_apart: &[],
        make: |config| Box::new(Mpe::<32, 4>::new(config)),
    },
    Top {
        name: "tile",
        about: "scratchpad, network interface to both planes, AXI4-Lite port",
        keys: &[
            "cols",
            "rows",
            "width",
            "monitors",
            "memories",
            "scratchpad",
            "cores",
            "windows",
            "segments",
            "events",
            "slots",
            "mailboxes",
            "shapers",
            "queues",
            "programs",
            "wide_atomics",
            "commands",
            "registers_at_tiles",
            "probe",
            "streams",
            "mpe",
            "mpe_neighbours",
            "stages",
            "portals",
            "portals_log",
            "entries",
            "buckets",
        ],
        keep_apart: &[],
        make: |config| match config.width {
            32 => Box::new(Tile::<32, 4>::new(&fabric_of(config))),
            _ => Box::new(Tile::<64, 8>::new(&fabric_of(config))),
        },
    },
    Top {
        name: "host-node",
        about: "the host's node: a tile with sizes of its own and no engines, on AXI4-Lite",
        keys: &[
            "cols",
            "rows",
            "width",
            "monitors",
            "memories",
            "segments",
            "host_profile",
            "host_scratchpad",
            "host_queues",
        ],
        keep_apart: &[],
        make: |config| match config.width {
            32 => Box::new(Tile::<32, 4>::host(&fabric_of(config))),
            _ => Box::new(Tile::<64, 8>::host(&fabric_of(config))),
        },
    },
    Top {
        name: "memory-node",
        about: "network interface in front of external memory on AXI4",
        keys: &[
            "cols",
            "rows",
            "width",
            "monitors",
            "memories",
            "memory_address",
            "windows",
            "events",
            "wide_atomics",
        ],
        keep_apart: &[],
        make: |config| match (config.width, config.memory_address) {
            (32, 32) => Box::new(MemoryNode::<32, 4, 32>::new(&fabric_of(config))),
            (32, _) => Box::new(MemoryNode::<32, 4, 64>::new(&fabric_of(config))),
            (_, 32) => Box::new(MemoryNode::<64, 8, 32>::new(&fabric_of(config))),
            (_, _) => Box::new(MemoryNode::<64, 8, 64>::new(&fabric_of(config))),
        },
    },
    Top {
        name: "fabric",
        about: "tiles on two meshes, host node on AXI4-Lite, memory nodes on AXI4",
        keys: FABRIC_KEYS,
        keep_apart: &["tile", "memory_node", "node", "router_place"],
        make: |config| match config.memory_address {
            32 => fabric_by_width_and_depth!(config, Fabric, 32),
            _ => fabric_by_width_and_depth!(config, Fabric, 64),
        },
    },
    Top {
        name: "board",
        about: "what an FPGA board holds: a fabric without memory nodes, a UART as its host's bus, LEDs",
        keys: FABRIC_KEYS,
        keep_apart: &["tile", "node", "router_place"],
        make: |config| fabric_by_width_and_depth!(config, Board),
    },
];

/// The configuration with the edge nodes that a fabric has.
fn fabric_of(config: &Config) -> Config {
    config
        .fabric()
        .expect("a valid configuration has a column for each memory node")
}

impl Top {
    /// The top of this name.
    pub fn named(name: &str) -> Option<&'static Top> {
        TOPS.iter().find(|top| top.name == name)
    }

    /// The keys of `config` that shape it, with their values.
    pub fn configuration(&self, config: &Config) -> Vec<(String, String)> {
        let own = config.entries().into_iter().filter(|(key, _)| self.keys.contains(key));
        own.map(|(key, value)| (key.to_owned(), value)).collect()
    }

    /// The block, ready for simulation and emission. `config` must be valid.
    pub fn elaborate(&self, config: &Config) -> Box<dyn Block> {
        // A fabric is made by value, and a thread's usual stack is too small for one.
        stacker::grow(ELABORATION_STACK, || {
            let mut block = (self.make)(config);
            block.connect_all();
            block
        })
    }
}
