//! The configuration of a fabric, and how it is read.
//!
//! One table in this file says everything about a key: its type, its default, what is allowed, what it means. Parsing,
//! `key=value` settings, range checks, help and output all come from that table, so that a new key is one entry.
//!
//! ```
//! use portico_spec::Config;
//!
//! let mut config = Config::from_toml("cols = 8\nfifo = 2")?;
//! config.set("rows=8")?;
//! config.validate()?;
//! assert_eq!((config.cols, config.rows, config.width), (8, 8, 32));
//!
//! let error = config.set("width=48").unwrap_err();
//! assert_eq!(error.to_string(), "width = 48 is not allowed: allowed is 32 or 64");
//! # Ok::<(), portico_spec::ConfigError>(())
//! ```

use std::fmt;

use toml::{Table, Value};

use self::error::{listed, profiles, shown, shown_key, syntax};
pub use self::{
    error::{did_you_mean, ConfigError},
    profile::{Profile, PROFILES},
};
use crate::{
    fp::ADDER_STAGES,
    mpe::call::{CONTEXTS, NEIGHBOURS},
    ni::{
        command::SHAPERS, event::EVENTS, packet::SLOTS, page::ADDRESS_WIDTHS, segment::SEGMENTS, window::WINDOWS,
        MAILBOXES, MAX_CORES,
    },
    portals::{
        buddy::{BLOCK_BYTES, HEAP_BYTES},
        engine::RANKS,
        list::{BUCKETS, ENTRIES},
    },
    topology::{MAX_COLS, MAX_ROWS},
};

mod error;
mod profile;

/// The key that sets many others at once. A configuration keeps the keys that a profile sets, not the profile itself.
pub const PROFILE_KEY: &str = "profile";

/// Most memory of a tile or the host, in KiB.
pub const MAX_SCRATCHPAD: usize = 256;

/// What a key takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// Any integer from the first to the last.
    Range(usize, usize),
    /// One of these integers.
    OneOf(&'static [usize]),
    /// A boolean.
    Switch,
    /// The name of a profile.
    Profile,
}

impl Allowed {
    /// Every value, as written in TOML.
    pub fn values(&self) -> Vec<String> {
        match self {
            Allowed::Range(first, last) => (*first..=*last).map(|number| number.to_string()).collect(),
            Allowed::OneOf(choices) => choices.iter().map(usize::to_string).collect(),
            Allowed::Switch => [false, true].map(|switch| switch.to_string()).to_vec(),
            Allowed::Profile => PROFILES.iter().map(|profile| format!("{:?}", profile.name)).collect(),
        }
    }

    fn admits(&self, value: &Value) -> bool {
        let among = |test: &dyn Fn(usize) -> bool| {
            value
                .as_integer()
                .and_then(|number| usize::try_from(number).ok())
                .is_some_and(test)
        };
        match self {
            Allowed::Range(first, last) => among(&|number| (*first..=*last).contains(&number)),
            Allowed::OneOf(choices) => among(&|number| choices.contains(&number)),
            Allowed::Switch => value.is_bool(),
            Allowed::Profile => Profile::named(value).is_some(),
        }
    }
}

/// Readable, such as `1..=16`, `4, 8 or 16`, `true or false`, `full, compact or leaf`.
impl fmt::Display for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Allowed::Range(first, last) => write!(f, "{first}..={last}"),
            Allowed::OneOf(choices) => f.write_str(&listed(choices)),
            Allowed::Switch => f.write_str("true or false"),
            Allowed::Profile => f.write_str(&profiles()),
        }
    }
}

/// One key of the configuration.
#[derive(Clone, Debug)]
pub struct Field {
    /// The key.
    pub name: &'static str,
    /// What it takes.
    pub allowed: Allowed,
    /// Its value when not given, as written in TOML.
    pub default: &'static str,
    /// What it means, with its unit.
    pub doc: &'static str,
    get: fn(&Config) -> Value,
    put: fn(&mut Config, &Value),
}

/// A Rust type that a key may have. `take` is called only with a value that [`Allowed::admits`].
trait Setting {
    fn give(&self) -> Value;
    fn take(&mut self, value: &Value);
}

impl Setting for usize {
    fn give(&self) -> Value {
        // A number beyond i64 is beyond every range too.
        Value::Integer(i64::try_from(*self).unwrap_or(i64::MAX))
    }

    fn take(&mut self, value: &Value) {
        *self = value
            .as_integer()
            .and_then(|number| usize::try_from(number).ok())
            .expect("an admitted integer");
    }
}

impl Setting for bool {
    fn give(&self) -> Value {
        Value::Boolean(*self)
    }

    fn take(&mut self, value: &Value) {
        *self = value.as_bool().expect("an admitted boolean");
    }
}

/// The name of a profile.
impl Setting for &'static str {
    fn give(&self) -> Value {
        Value::String((*self).into())
    }

    fn take(&mut self, value: &Value) {
        *self = Profile::named(value).expect("an admitted profile").name;
    }
}

macro_rules! configuration {
    ($(#[doc = $doc:literal] $name:ident: $type:ty = $default:literal, $allowed:expr;)*) => {
        /// Everything that may be configured. [`Config::fields`] tells the ranges and defaults.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Config {
            $(#[doc = $doc] pub $name: $type,)*
        }

        impl Default for Config {
            fn default() -> Self {
                Config { $($name: $default,)* }
            }
        }

        static FIELDS: &[Field] = &[$(Field {
            name: stringify!($name),
            allowed: $allowed,
            default: stringify!($default),
            doc: $doc.trim_ascii(),
            get: |config| config.$name.give(),
            put: |config, value| config.$name.take(value),
        },)*];
    };
}

/// How many powers of two there are from `first` to `last`, which are two.
const fn powers(first: usize, last: usize) -> usize {
    (last / first).ilog2() as usize + 1
}

/// These powers of two, behind zeros if there are more places.
const fn powers_of_two<const N: usize>(first: usize, last: usize) -> [usize; N] {
    let mut choices = [0; N];
    let (mut place, mut choice) = (N, last);
    while choice >= first {
        place -= 1;
        choices[place] = choice;
        choice /= 2;
    }
    choices
}

const SCRATCHPADS: [usize; powers(4, MAX_SCRATCHPAD)] = powers_of_two(4, MAX_SCRATCHPAD);
const LIST_ENTRIES: [usize; powers(ENTRIES.0, ENTRIES.1)] = powers_of_two(ENTRIES.0, ENTRIES.1);
/// 0 is a choice too.
const LIST_BUCKETS: [usize; 1 + powers(BUCKETS.0, BUCKETS.1)] = powers_of_two(BUCKETS.0, BUCKETS.1);
const TABLE_WINDOWS: [usize; powers(16, WINDOWS)] = powers_of_two(16, WINDOWS);
const TABLE_SEGMENTS: [usize; powers(16, SEGMENTS)] = powers_of_two(16, SEGMENTS);
const TABLE_EVENTS: [usize; powers(16, EVENTS)] = powers_of_two(16, EVENTS);
const TABLE_SLOTS: [usize; powers(8, SLOTS)] = powers_of_two(8, SLOTS);
const TABLE_MAILBOXES: [usize; powers(4, MAILBOXES)] = powers_of_two(4, MAILBOXES);
const TABLE_SHAPERS: [usize; powers(1, SHAPERS)] = powers_of_two(1, SHAPERS);
const HEAP_KIB: (usize, usize) = (*HEAP_BYTES.start() as usize >> 10, *HEAP_BYTES.end() as usize >> 10);
const HEAPS: [usize; powers(HEAP_KIB.0, HEAP_KIB.1)] = powers_of_two(HEAP_KIB.0, HEAP_KIB.1);
const BLOCK: (usize, usize) = (*BLOCK_BYTES.start() as usize, *BLOCK_BYTES.end() as usize);
const BLOCKS: [usize; powers(BLOCK.0, BLOCK.1)] = powers_of_two(BLOCK.0, BLOCK.1);

configuration! {
    /// Columns of the mesh.
    cols: usize = 4, Allowed::Range(1, MAX_COLS);
    /// Rows of the mesh.
    rows: usize = 4, Allowed::Range(1, MAX_ROWS);
    /// Payload bits of a flit.
    width: usize = 32, Allowed::OneOf(&[32, 64]);
    /// Depth of a router's input FIFO, in flits.
    fifo: usize = 4, Allowed::Range(2, 16);
    /// Columns that have an edge node south of their last router, counted from column 0; at most `cols`.
    edge_nodes: usize = 0, Allowed::Range(0, MAX_COLS);
    /// Counters of flits and stalls at every router's outputs and local input, and in every node.
    monitors: bool = true, Allowed::Switch;
    /// Memory nodes of a fabric, at the edge nodes after the host; fewer than `cols`.
    memories: usize = 0, Allowed::Range(0, MAX_COLS - 1);
    /// Bits of an address at the AXI4 port of every memory node; with 32, all pages lie below 4 GiB.
    memory_address: usize = 64, Allowed::OneOf(&ADDRESS_WIDTHS);
    /// Memory of a tile, in KiB.
    scratchpad: usize = 64, Allowed::OneOf(&SCRATCHPADS);
    /// Micro-cores of a tile.
    cores: usize = 8, Allowed::Range(1, MAX_CORES);
    /// Rows of the window table of a tile or memory node; the last is the system window's.
    windows: usize = 256, Allowed::OneOf(&TABLE_WINDOWS);
    /// Segments of a tile; the host has at least as many, and two for each node, up to 256.
    segments: usize = 256, Allowed::OneOf(&TABLE_SEGMENTS);
    /// Events of a tile or memory node.
    events: usize = 64, Allowed::OneOf(&TABLE_EVENTS);
    /// Transactions that a tile may have under way.
    slots: usize = 32, Allowed::OneOf(&TABLE_SLOTS);
    /// Mailboxes of a tile.
    mailboxes: usize = 128, Allowed::OneOf(&TABLE_MAILBOXES);
    /// Packet shapers of a tile.
    shapers: usize = 8, Allowed::OneOf(&TABLE_SHAPERS);
    /// Queues of messages, at every tile.
    queues: bool = true, Allowed::Switch;
    /// Programs of the user's in the micro-cores, at every tile.
    programs: bool = true, Allowed::Switch;
    /// Atomics of 64 bits where a word has 32, at every tile and memory node.
    wide_atomics: bool = true, Allowed::Switch;
    /// A stream of descriptors into every tile, for an accelerator beside it.
    commands: bool = true, Allowed::Switch;
    /// An AXI4-Lite port at every tile, for a processor or accelerator beside it.
    tile_ports: bool = false, Allowed::Switch;
    /// A register before every tile, on both planes: a cycle more into the tile, for a faster clock on an FPGA.
    registers_at_tiles: bool = false, Allowed::Switch;
    /// Profile of the host node: its sizes and features, whatever the tiles have.
    host_profile: &'static str = "leaf", Allowed::Profile;
    /// Memory of the host node, in KiB.
    host_scratchpad: usize = 16, Allowed::OneOf(&SCRATCHPADS);
    /// Queues of messages, at the host node.
    host_queues: bool = false, Allowed::Switch;
    /// A source/sink core in every tile: traffic and its measurement without software.
    probe: bool = false, Allowed::Switch;
    /// Streams of words out of and into the scratchpad of every tile, for an accelerator beside it.
    streams: bool = false, Allowed::Switch;
    /// Contexts of the message-passing engine of every tile, 0 for none; it has words of 32 bits.
    mpe: usize = 0, Allowed::OneOf(&[0, 1, 2, CONTEXTS]);
    /// Neighbours that a context of it may have.
    mpe_neighbours: usize = 7, Allowed::Range(1, NEIGHBOURS);
    /// Ranks that the Portals engine of every tile knows, 0 for none; it has words of 32 bits.
    portals: usize = 0, Allowed::OneOf(&[0, RANKS[0], RANKS[1], RANKS[2]]);
    /// Outputs that tell each step of the Portals engine of every tile, for traces and for replay in the reference model.
    portals_log: bool = false, Allowed::Switch;
    /// Pipeline stages of the floating-point adder: the cycles from a pair to its sum.
    stages: usize = 4, Allowed::Range(*ADDER_STAGES.start(), *ADDER_STAGES.end());
    /// Entries of all lists of the list manager, and of a tile's Portals engine.
    entries: usize = 1024, Allowed::OneOf(&LIST_ENTRIES);
    /// Buckets into which each list is hashed by source, 0 for none.
    buckets: usize = 64, Allowed::OneOf(&LIST_BUCKETS);
    /// Memory that the buddy allocator hands out, in KiB.
    heap: usize = 64, Allowed::OneOf(&HEAPS);
    /// Smallest block of the buddy allocator, in bytes; less than the heap.
    block: usize = 64, Allowed::OneOf(&BLOCKS);
}

impl Config {
    /// The table of all keys, in the order in which they are written.
    pub fn fields() -> &'static [Field] {
        FIELDS
    }

    /// Reads a configuration; keys that are not given keep their defaults, or have what the key `profile` gives them.
    ///
    /// # Errors
    /// As [`Config::with_toml`].
    pub fn from_toml(text: &str) -> Result<Config, ConfigError> {
        Config::default().with_toml(text)
    }

    /// This configuration with the keys of a text; keys that are not given stay, or have what the key `profile` gives them.
    ///
    /// # Errors
    /// The first fault that [`Config::read_toml`] finds, or else [`Config::validate`].
    pub fn with_toml(self, text: &str) -> Result<Config, ConfigError> {
        let (config, faults) = self.read_toml(text);
        faults.into_iter().next().map_or(Ok(()), Err)?;
        config.validate()?;
        Ok(config)
    }

    /// This configuration with those keys of a text that are right, and the faults of its keys: first of the profile, then of each
    /// other key in alphabetical order. [`Config::faults`] tells those of several keys, when all keys are set.
    pub fn read_toml(mut self, text: &str) -> (Config, Vec<ConfigError>) {
        let table = match text.parse::<Table>() {
            Ok(table) => table,
            Err(error) => return (self, vec![syntax(text, &error)]),
        };
        // The keys beside a profile are said of it.
        let (profile, others): (Vec<_>, Vec<_>) = table.iter().partition(|(key, _)| *key == PROFILE_KEY);
        let mut faults = vec![];
        for (key, value) in profile.into_iter().chain(others) {
            faults.extend(self.put(key, value).err());
        }
        (self, faults)
    }

    /// Applies one `key=value`, with the value as in TOML. `profile=name` sets many keys; later settings override
    /// them. On an error the configuration stays unchanged. [`Config::validate`] checks the rules that concern
    /// several keys, so settings may come in any order.
    ///
    /// # Errors
    /// [`ConfigError::NotASetting`], [`ConfigError::UnknownKey`], [`ConfigError::WrongType`],
    /// [`ConfigError::OutOfRange`], [`ConfigError::Profile`].
    pub fn set(&mut self, setting: &str) -> Result<(), ConfigError> {
        let (key, value) = setting.split_once('=').ok_or_else(|| ConfigError::NotASetting {
            text: format!("{setting:?}"),
        })?;
        // What TOML cannot read is shown as the text it is, by an error that knows the key.
        let value = value
            .trim()
            .parse()
            .unwrap_or_else(|_| Value::String(value.trim().to_string()));
        self.put(key.trim(), &value)
    }

    /// Checks every key, and what concerns several: `edge_nodes` is at most `cols`, `memories` is less, engines need a width of
    /// 32, a log an engine, and a block is smaller than the heap.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`], [`ConfigError::EdgeNodes`], [`ConfigError::Memories`], [`ConfigError::MpeWidth`],
    /// [`ConfigError::PortalsWidth`], [`ConfigError::PortalsLog`], [`ConfigError::Block`].
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.faults(&[]).into_iter().next().map_or(Ok(()), Err)
    }

    /// All faults, where [`Config::validate`] tells the first: those of single keys, then those of several. A fault of several
    /// keys is left out if one of these keys has a fault by itself or among `known`, which were found before: the value that is
    /// compared may not be the one that was meant.
    pub fn faults(&self, known: &[ConfigError]) -> Vec<ConfigError> {
        let single = FIELDS.iter().filter_map(|field| field.check(&(field.get)(self)).err());
        let single: Vec<ConfigError> = single.collect();
        let faulty: Vec<&str> = known.iter().chain(&single).flat_map(ConfigError::concerns).collect();
        let several = [
            (self.edge_nodes > self.cols).then_some(ConfigError::EdgeNodes {
                edge_nodes: self.edge_nodes,
                cols: self.cols,
            }),
            (self.memories >= self.cols).then_some(ConfigError::Memories {
                memories: self.memories,
                cols: self.cols,
            }),
            (self.mpe > 0 && self.width != 32).then_some(ConfigError::MpeWidth { width: self.width }),
            (self.portals > 0 && self.width != 32).then_some(ConfigError::PortalsWidth { width: self.width }),
            (self.portals_log && self.portals == 0).then_some(ConfigError::PortalsLog),
            (self.block >= self.heap << 10).then(|| ConfigError::Block {
                block: self.block,
                heap: self.heap,
                allowed: BLOCKS.into_iter().filter(|block| block >> 10 < self.heap).collect(),
            }),
        ];
        let several = several.into_iter().flatten();
        let several = several.filter(|fault| !fault.concerns().iter().any(|key| faulty.contains(key)));
        let several: Vec<ConfigError> = several.collect();
        single.into_iter().chain(several).collect()
    }

    /// The configuration of a whole fabric: with as many edge nodes as host and memories take, whatever `edge_nodes`
    /// was.
    ///
    /// # Errors
    /// As [`Config::validate`].
    pub fn fabric(&self) -> Result<Config, ConfigError> {
        self.validate()?;
        Ok(Config {
            edge_nodes: 1 + self.memories,
            ..self.clone()
        })
    }

    /// Every key with its value as written in TOML, in the order of [`Config::fields`]: for headers and hashes.
    pub fn entries(&self) -> Vec<(&'static str, String)> {
        FIELDS
            .iter()
            .map(|field| (field.name, (field.get)(self).to_string()))
            .collect()
    }

    /// The configuration as a file, each key with a comment that says what it means and takes;
    /// [`Config::from_toml`] reads it back.
    pub fn to_toml(&self) -> String {
        let entry = |field: &Field| {
            format!(
                "# {} ({})\n{} = {}\n",
                field.doc,
                field.allowed,
                field.name,
                (field.get)(self)
            )
        };
        FIELDS.iter().map(entry).collect()
    }

    fn put(&mut self, key: &str, value: &Value) -> Result<(), ConfigError> {
        if key == PROFILE_KEY {
            return Profile::apply(value, self);
        }
        let field = FIELDS
            .iter()
            .find(|field| field.name == key)
            .ok_or_else(|| ConfigError::UnknownKey {
                key: shown_key(key),
                value: shown(value),
            })?;
        field.check(value)?;
        (field.put)(self, value);
        Ok(())
    }
}

impl Field {
    fn check(&self, value: &Value) -> Result<(), ConfigError> {
        let (key, allowed) = (self.name, self.allowed);
        let (expected, right_type) = match allowed {
            Allowed::Switch => ("a boolean", value.is_bool()),
            Allowed::Range(..) | Allowed::OneOf(_) => ("an integer", value.is_integer()),
            Allowed::Profile => ("a string", value.is_str()),
        };
        if !right_type {
            return Err(ConfigError::WrongType {
                key,
                value: shown(value),
                expected,
                allowed,
            });
        }
        if !allowed.admits(value) {
            return Err(ConfigError::OutOfRange {
                key,
                value: shown(value),
                allowed,
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
