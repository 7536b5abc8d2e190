//! Traffic as a user names it: a pattern, or a trace file.

use super::{pattern::Pattern, trace::Trace, workload::Workload, PatternError, TraceError, WorkloadError};
use portico_spec::Config;
use std::{fmt, path::PathBuf, str::FromStr};
use thiserror::Error;

/// What stands before the name of a trace file.
const TRACE_PREFIX: &str = "trace:";

/// A name of traffic: that of a [`Pattern`], or `trace:FILE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrafficName {
    /// A synthetic pattern.
    Pattern(Pattern),
    /// A recorded trace, and the file it is in.
    Trace(PathBuf),
}

/// Why traffic of some name cannot be had.
#[derive(Debug, Error)]
pub enum TrafficError {
    /// The name means nothing.
    #[error("{0}, {TRACE_PREFIX}FILE")]
    Unknown(PatternError),
    /// The pattern is not defined on the mesh.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// The trace cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// Rate or packet length are out of range.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
}

impl TrafficName {
    /// The workload of this name on the mesh of `config`: a pattern sends packets of `packet` flits at `rate` flits per
    /// terminal and cycle; a trace has its own lengths and times.
    ///
    /// # Errors
    /// The pattern is not defined there, a number is out of range, or the file cannot be read.
    pub fn workload(&self, config: &Config, rate: f64, packet: usize) -> Result<Workload, TrafficError> {
        match self {
            Self::Pattern(pattern) => {
                let destinations = pattern.on_mesh(config.cols, config.rows, config.edge_nodes)?;
                Ok(Workload::random(destinations, rate, packet)?)
            }
            Self::Trace(file) => Ok(Workload::Recorded(Trace::read(file, config.terminals())?)),
        }
    }
}

impl FromStr for TrafficName {
    type Err = TrafficError;

    fn from_str(name: &str) -> Result<Self, TrafficError> {
        match name.strip_prefix(TRACE_PREFIX) {
            Some(file) => Ok(Self::Trace(PathBuf::from(file))),
            None => Ok(Self::Pattern(name.parse().map_err(TrafficError::Unknown)?)),
        }
    }
}

impl fmt::Display for TrafficName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pattern(pattern) => pattern.fmt(f),
            Self::Trace(file) => write!(f, "{TRACE_PREFIX}{}", file.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn names_are_read_back() {
        for name in ["uniform", "all-to-one", "trace:some/file.txt"] {
            assert_eq!(name.parse::<TrafficName>().unwrap().to_string(), name);
        }
    }

    #[test]
    fn an_unknown_name_lists_all() {
        let error = "shuffle".parse::<TrafficName>().unwrap_err().to_string();
        assert!(
            error.starts_with("traffic `shuffle` is not known; allowed are uniform, "),
            "{error}"
        );
        assert!(error.ends_with(", all-to-one, trace:FILE"), "{error}");
    }

    #[test]
    fn both_kinds_give_a_workload_and_their_own_errors() {
        let config = Config::default();
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(b"0 0 15 4\n").unwrap();
        let trace = TrafficName::Trace(file.path().to_owned());
        let workload = trace.workload(&config, 0.5, 1).unwrap();
        assert_eq!(workload.senders(&config), [0]);
        let small = Config {
            cols: 1,
            ..config.clone()
        };
        assert!(matches!(trace.workload(&small, 0.5, 1), Err(TrafficError::Trace(_))));

        let transpose = TrafficName::Pattern(Pattern::Transpose);
        assert_eq!(transpose.workload(&config, 0.5, 1).unwrap().senders(&config).len(), 12);
        assert!(matches!(
            transpose.workload(&config, 1.5, 1),
            Err(TrafficError::Workload(_))
        ));
        assert!(matches!(
            transpose.workload(&small, 0.5, 1),
            Err(TrafficError::Pattern(_))
        ));
    }
}
