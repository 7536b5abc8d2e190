//! What is said when a configuration is refused: always one line, which names the key, the value and what is allowed.

use thiserror::Error;
use toml::Value;

use super::{Allowed, FIELDS, PROFILES, PROFILE_KEY};

/// Why a configuration was refused, in one line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ConfigError {
    /// No such key.
    #[error(
        "unknown key {key} (= {value}): {}the keys are {}",
        did_you_mean(key, names()),
        keys()
    )]
    UnknownKey {
        /// The key.
        key: String,
        /// Its value.
        value: String,
    },
    /// The value has another type than the key.
    #[error("{key} = {value} is not {expected}: allowed is {allowed}")]
    WrongType {
        /// The key.
        key: &'static str,
        /// Its value.
        value: String,
        /// The type that the key has.
        expected: &'static str,
        /// What the key takes.
        allowed: Allowed,
    },
    /// The value has the right type but is not among those allowed.
    #[error("{key} = {value} is not allowed: allowed is {allowed}")]
    OutOfRange {
        /// The key.
        key: &'static str,
        /// Its value.
        value: String,
        /// What the key takes.
        allowed: Allowed,
    },
    /// No such profile.
    #[error("profile = {value} is not allowed: allowed is {}", profiles())]
    Profile {
        /// What was given.
        value: String,
    },
    /// More edge nodes than columns.
    #[error("edge_nodes = {edge_nodes} is not allowed with cols = {cols}: allowed is 0..={cols}")]
    EdgeNodes {
        /// Edge nodes asked for.
        edge_nodes: usize,
        /// Columns of the mesh.
        cols: usize,
    },
    /// A message-passing engine on a data plane that has not its width.
    #[error("width = {width} is not allowed with a message-passing engine (key mpe): allowed is 32")]
    MpeWidth {
        /// The width of the data plane.
        width: usize,
    },
    /// A Portals engine on a data plane that has not its width.
    #[error("width = {width} is not allowed with a Portals engine (key portals): allowed is 32")]
    PortalsWidth {
        /// The width of the data plane.
        width: usize,
    },
    /// A log of Portals engines that are not there.
    #[error("portals_log = true is not allowed with portals = 0: allowed is false")]
    PortalsLog,
    /// As many memory nodes as columns, or more: one column is the host's.
    #[error("memories = {memories} is not allowed with cols = {cols}: allowed is 0..={}", cols.saturating_sub(1))]
    Memories {
        /// Memory nodes asked for.
        memories: usize,
        /// Columns of the mesh.
        cols: usize,
    },
    /// A smallest block as large as the heap.
    #[error(
        "block = {block} bytes is not allowed with heap = {heap} KiB: allowed is {}",
        listed(allowed)
    )]
    Block {
        /// Bytes of the smallest block.
        block: usize,
        /// Heap, in KiB.
        heap: usize,
        /// Blocks, in bytes, that are smaller than the heap.
        allowed: Vec<usize>,
    },
    /// A setting without `=`.
    #[error("{text} is not a setting: allowed is key=value, where the keys are {}", keys())]
    NotASetting {
        /// What was given.
        text: String,
    },
    /// Not TOML.
    #[error(
        "line {line}, {text}: {message}: allowed is key = value, where the keys are {}",
        keys()
    )]
    Syntax {
        /// Line number, from 1.
        line: usize,
        /// That line.
        text: String,
        /// What the parser found.
        message: String,
    },
}

impl ConfigError {
    /// The keys whose values it concerns: of an unknown key the nearest one, of a text that is not TOML all.
    pub(super) fn concerns(&self) -> Vec<&'static str> {
        match self {
            ConfigError::WrongType { key, .. } | ConfigError::OutOfRange { key, .. } => vec![*key],
            ConfigError::UnknownKey { key, .. } => nearest(key, names()).into_iter().collect(),
            ConfigError::Profile { .. } => PROFILES[0].keys().collect(),
            ConfigError::EdgeNodes { .. } => vec!["edge_nodes", "cols"],
            ConfigError::MpeWidth { .. } => vec!["width", "mpe"],
            ConfigError::PortalsWidth { .. } => vec!["width", "portals"],
            ConfigError::PortalsLog => vec!["portals_log", "portals"],
            ConfigError::Memories { .. } => vec!["memories", "cols"],
            ConfigError::Block { .. } => vec!["block", "heap"],
            ConfigError::NotASetting { .. } => vec![],
            ConfigError::Syntax { .. } => names().collect(),
        }
    }
}

/// Readable, such as `4, 8 or 16`.
pub(super) fn listed(choices: &[usize]) -> String {
    in_words(choices.iter())
}

/// The names of all profiles.
pub(super) fn profiles() -> String {
    in_words(PROFILES.iter().map(|profile| profile.name))
}

fn in_words<T: std::fmt::Display>(choices: impl ExactSizeIterator<Item = T>) -> String {
    let last = choices.len() - 1;
    let before = |at: usize| match at {
        0 => "",
        _ if at == last => " or ",
        _ => ", ",
    };
    let words = choices.enumerate();
    words.map(|(at, choice)| format!("{}{choice}", before(at))).collect()
}

/// Of all keys.
fn names() -> impl Iterator<Item = &'static str> {
    FIELDS.iter().map(|field| field.name).chain([PROFILE_KEY])
}

fn keys() -> String {
    names().collect::<Vec<_>>().join(", ")
}

/// The name nearest to `key` when at most a third of its letters differ.
fn nearest<'a>(key: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    names
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(&key.to_lowercase(), name), name))
        .min()
        .filter(|(distance, name)| distance * 3 <= name.len())
        .map(|(_, name)| name)
}

/// The question `did you mean NAME? ` for the name nearest to `key`; empty unless at most a third of its letters differ.
pub fn did_you_mean<'a>(key: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    nearest(key, names).map_or_else(String::new, |name| format!("did you mean {name}? "))
}

pub(super) fn syntax(text: &str, error: &toml::de::Error) -> ConfigError {
    let at = error.span().map_or(0, |span| span.start);
    // The parser may point behind the end; the last line is meant then.
    let line = text
        .bytes()
        .take(at)
        .filter(|&byte| byte == b'\n')
        .count()
        .min(text.lines().count().saturating_sub(1));
    let content = text.lines().nth(line).unwrap_or_default().trim();
    ConfigError::Syntax {
        line: line + 1,
        text: format!("{content:?}"),
        message: one_line(error.message()),
    }
}

pub(super) fn shown_key(key: &str) -> String {
    let bare = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
    if bare {
        key.to_string()
    } else {
        format!("{key:?}")
    }
}

pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => format!("{text:?}"),
        other => one_line(&other.to_string()),
    }
}

fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}

#[cfg(test)]
mod tests {
    use crate::Config;
    use proptest::prelude::*;

    const KEYS: &str =
        "cols, rows, width, fifo, edge_nodes, monitors, memories, memory_address, scratchpad, cores, windows, \
                        segments, events, slots, mailboxes, shapers, queues, programs, wide_atomics, commands, tile_ports, \
                        registers_at_tiles, host_profile, host_scratchpad, host_queues, probe, streams, mpe, \
                        mpe_neighbours, portals, portals_log, stages, entries, buckets, heap, block, profile";

    fn read(text: &str) -> String {
        Config::from_toml(text).unwrap_err().to_string()
    }

    fn set(setting: &str) -> String {
        Config::default().set(setting).unwrap_err().to_string()
    }

    #[test]
    fn an_unknown_key_lists_the_keys_and_suggests_the_nearest() {
        assert_eq!(
            read("colls = 4"),
            format!("unknown key colls (= 4): did you mean cols? the keys are {KEYS}")
        );
        assert_eq!(
            set("edge-node=2"),
            format!("unknown key edge-node (= 2): did you mean edge_nodes? the keys are {KEYS}")
        );
        assert_eq!(
            set("Rows=2"),
            format!("unknown key Rows (= 2): did you mean rows? the keys are {KEYS}")
        );
        assert_eq!(
            set("colour=red"),
            format!("unknown key colour (= \"red\"): the keys are {KEYS}")
        );
        assert_eq!(set("=4"), format!("unknown key \"\" (= 4): the keys are {KEYS}"));
        assert_eq!(
            read("[mesh]\ncols = 4"),
            format!("unknown key mesh (= {{ cols = 4 }}): the keys are {KEYS}")
        );
    }

    #[test]
    fn a_wrong_type_names_the_right_one() {
        assert_eq!(
            read("cols = \"four\""),
            "cols = \"four\" is not an integer: allowed is 1..=16"
        );
        assert_eq!(read("cols = 4.0"), "cols = 4.0 is not an integer: allowed is 1..=16");
        assert_eq!(
            set("width=wide\nly"),
            "width = \"wide\\nly\" is not an integer: allowed is 32 or 64"
        );
        assert_eq!(set("rows="), "rows = \"\" is not an integer: allowed is 1..=16");
        assert_eq!(
            set("monitors=1"),
            "monitors = 1 is not a boolean: allowed is true or false"
        );
        assert_eq!(
            read("host_profile = 3"),
            "host_profile = 3 is not a string: allowed is full, compact or leaf"
        );
        assert_eq!(
            read("fifo.deep = 3"),
            "fifo = { deep = 3 } is not an integer: allowed is 2..=16"
        );
    }

    #[test]
    fn a_value_out_of_range_names_the_range() {
        assert_eq!(read("cols = 17"), "cols = 17 is not allowed: allowed is 1..=16");
        assert_eq!(set("rows=-1"), "rows = -1 is not allowed: allowed is 1..=16");
        assert_eq!(set("width = 48"), "width = 48 is not allowed: allowed is 32 or 64");
        assert_eq!(
            set("host_profile=tiny"),
            "host_profile = \"tiny\" is not allowed: allowed is full, compact or leaf"
        );
        assert_eq!(
            read("edge_nodes = 3\ncols = 2"),
            "edge_nodes = 3 is not allowed with cols = 2: allowed is 0..=2"
        );
        assert_eq!(
            read("memories = 2\ncols = 2"),
            "memories = 2 is not allowed with cols = 2: allowed is 0..=1"
        );
        assert_eq!(
            read("heap = 4\nblock = 4096"),
            "block = 4096 bytes is not allowed with heap = 4 KiB: allowed is 64, 128, 256, 512, 1024 or 2048"
        );
    }

    #[test]
    fn a_syntax_error_shows_its_line() {
        let error = read("cols = 4\n  rows 4 # oops\n");
        assert!(error.starts_with("line 2, \"rows 4 # oops\": "), "{error}");
        assert!(
            error.ends_with(&format!(": allowed is key = value, where the keys are {KEYS}")),
            "{error}"
        );
        assert!(
            read("cols = 4\ncols = 5").contains("line 2, \"cols = 5\": duplicate key"),
            "{}",
            read("cols = 4\ncols = 5")
        );
        assert!(
            read("rows = 4\ncols =").starts_with("line 2, \"cols =\": "),
            "{}",
            read("rows = 4\ncols =")
        );
        assert_eq!(
            set("cols"),
            format!("\"cols\" is not a setting: allowed is key=value, where the keys are {KEYS}")
        );
    }

    proptest! {
        /// Pieces that are nearly right reach further into the parser than bytes alone.
        #[test]
        fn any_text_is_read_or_refused_in_one_line(
            pieces in prop::collection::vec(prop_oneof![
                Just("cols".to_string()), Just("=".to_string()), Just("\n".to_string()), Just("\"".to_string()),
                Just("\"\"\"".to_string()), Just("[".to_string()), Just("]".to_string()), Just("4".to_string()),
                any::<String>(),
            ], 0..12),
        ) {
            let text = pieces.concat();
            let results = [Config::from_toml(&text).map(|_| ()), Config::default().set(&text)];
            for error in results.iter().filter_map(|result| result.as_ref().err()) {
                prop_assert_eq!(error.to_string().lines().count(), 1, "{}", error);
                prop_assert!(error.to_string().contains("allowed is") || error.to_string().contains(KEYS), "{}", error);
            }
        }
    }
}
