//! Recorded traffic: packets with the cycle in which each was generated.
//!
//! A trace is text, a packet a line: four decimal numbers separated by blanks,
//!
//! ```text
//! # cycle source destination flits
//! 0       0      15          1
//! 12      3      0           33
//! ```
//!
//! `cycle` counts from 0 and never falls from line to line; `source` and `destination` are terminals (tiles `y * cols + x`,
//! then edge nodes); `flits` counts the head, 1 to 65. What follows a `#` is a comment; blank lines are skipped.

use super::packet::{PacketRequest, MAX_PACKET_FLITS};
use std::{io, path::Path};
use thiserror::Error;

/// A recorded trace, in order of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    entries: Vec<Entry>,
}

/// One packet of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Cycle of generation, from 0.
    pub cycle: u64,
    /// The packet.
    pub packet: PacketRequest,
}

/// Why a trace cannot be read.
#[derive(Debug, Error)]
pub enum TraceError {
    /// The file cannot be read.
    #[error("trace {path}: {cause}")]
    Unreadable {
        /// The file.
        path: String,
        /// What the system says.
        cause: io::Error,
    },
    /// A line breaks the format.
    #[error("trace line {line}: {fault}")]
    Line {
        /// Number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        fault: String,
    },
}

impl Trace {
    /// Reads the trace file at `path` for a mesh of `terminals` terminals.
    ///
    /// # Errors
    /// The file cannot be read, or a line breaks the format: the error gives its number.
    pub fn read(path: &Path, terminals: usize) -> Result<Self, TraceError> {
        let text = std::fs::read_to_string(path).map_err(|cause| TraceError::Unreadable {
            path: path.display().to_string(),
            cause,
        })?;
        Self::parse(&text, terminals)
    }

    /// Reads a trace from its text.
    ///
    /// # Errors
    /// A line breaks the format: the error gives its number.
    pub fn parse(text: &str, terminals: usize) -> Result<Self, TraceError> {
        let mut entries: Vec<Entry> = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let fields: Vec<&str> = line.split('#').next().unwrap_or("").split_whitespace().collect();
            if fields.is_empty() {
                continue;
            }
            let earliest = entries.last().map_or(0, |entry| entry.cycle);
            let entry = parse_line(&fields, terminals, earliest);
            entries.push(entry.map_err(|fault| TraceError::Line {
                line: number + 1,
                fault,
            })?);
        }
        Ok(Self { entries })
    }

    /// The packets, in order of time.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }
}

fn parse_line(fields: &[&str], terminals: usize, earliest: u64) -> Result<Entry, String> {
    let [cycle, source, destination, flits] = fields else {
        return Err(format!(
            "has {} fields; expected 4: cycle source destination flits",
            fields.len()
        ));
    };
    let last = terminals as u64 - 1;
    Ok(Entry {
        cycle: number("cycle", cycle, earliest, u64::MAX)?,
        packet: PacketRequest {
            source: number("source", source, 0, last)? as usize,
            destination: number("destination", destination, 0, last)? as usize,
            flits: number("flits", flits, 1, MAX_PACKET_FLITS as u64)? as usize,
        },
    })
}

fn number(field: &str, text: &str, least: u64, most: u64) -> Result<u64, String> {
    let value = text.parse().ok().filter(|value| (least..=most).contains(value));
    value.ok_or_else(|| {
        let allowed = if most == u64::MAX {
            format!("{least} or more (cycles never fall)")
        } else {
            format!("{least} to {most}")
        };
        format!("{field} `{text}`: allowed is {allowed}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn fault(text: &str) -> String {
        Trace::parse(text, 16).unwrap_err().to_string()
    }

    #[test]
    fn reads_packets_comments_and_blank_lines() {
        let text = "# cycle source destination flits\n\n0 0 15 1\n  12 3 0 33 # a long one\n12\t3 3 65\n";
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let trace = Trace::read(file.path(), 16).unwrap();
        let entry = |cycle, source, destination, flits| Entry {
            cycle,
            packet: PacketRequest {
                source,
                destination,
                flits,
            },
        };
        assert_eq!(
            trace.entries(),
            [entry(0, 0, 15, 1), entry(12, 3, 0, 33), entry(12, 3, 3, 65)]
        );
    }

    #[test]
    fn an_empty_trace_is_a_trace() {
        assert_eq!(Trace::parse("", 16).unwrap().entries(), []);
    }

    #[test]
    fn faults_name_line_field_value_and_range() {
        assert_eq!(
            fault("0 0 1 1\n1 2 3"),
            "trace line 2: has 3 fields; expected 4: cycle source destination flits"
        );
        assert_eq!(
            fault("# first\n0 16 1 1"),
            "trace line 2: source `16`: allowed is 0 to 15"
        );
        assert_eq!(fault("0 0 x 1"), "trace line 1: destination `x`: allowed is 0 to 15");
        assert_eq!(fault("0 0 1 0"), "trace line 1: flits `0`: allowed is 1 to 65");
        assert_eq!(fault("0 0 1 66"), "trace line 1: flits `66`: allowed is 1 to 65");
        assert_eq!(
            fault("5 0 1 1\n4 0 1 1"),
            "trace line 2: cycle `4`: allowed is 5 or more (cycles never fall)"
        );
        assert_eq!(
            fault("-1 0 1 1"),
            "trace line 1: cycle `-1`: allowed is 0 or more (cycles never fall)"
        );
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = Trace::read(Path::new("no/such.trace"), 16).unwrap_err();
        assert!(error.to_string().starts_with("trace no/such.trace: "), "{error}");
    }
}
