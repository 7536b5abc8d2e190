//! Why a model cannot be built, or a port not be found.

use portico_synth::ToolError;
use std::io;
use std::path::{Path, PathBuf};

/// What can go wrong between Verilog and a running model.
#[derive(Debug, thiserror::Error)]
pub enum SimError {
    /// Verilator is missing or too old.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// A program that compiles C++ is missing.
    #[error("`{program}` does not run ({reason}), and a model needs {what}: on Debian, `apt-get install {package}`")]
    Compiler {
        /// The program tried.
        program: String,
        /// What went wrong.
        reason: String,
        /// What it is needed for.
        what: &'static str,
        /// The Debian package that has it.
        package: &'static str,
    },
    /// The C++ compiler tells its version, but compiles nothing.
    #[error("the C++ compiler does not work (CXX={program}): {reason}; set CXX to a compiler such as g++ or clang++")]
    CompilerFails {
        /// What `CXX` holds, or `c++`.
        program: String,
        /// How it fails.
        reason: String,
    },
    /// FST was asked for, and its libraries are not there.
    #[error(
        "FST traces need the headers lz4.h and zlib.h: on Debian, `apt-get install liblz4-dev zlib1g-dev`; or trace to VCD"
    )]
    NoFst,
    /// Make cannot build below a folder with a space or a colon in its name.
    #[error("{what} is {}, but make cannot build in a path with a space or a colon: {remedy}", .path.display())]
    Name {
        /// Which folder it is.
        what: &'static str,
        /// The folder.
        path: PathBuf,
        /// What to do.
        remedy: &'static str,
    },
    /// A tool refused the design.
    #[error("{step} of `{top}` failed; the whole log is in {}\n{tail}", .log.display())]
    Build {
        /// What was being done.
        step: &'static str,
        /// Top module.
        top: String,
        /// Last lines of the log.
        tail: String,
        /// The whole log.
        log: PathBuf,
    },
    /// The compiled model does not load.
    #[error("cannot load the model {}: {source}{}", .path.display(), remedy(source))]
    Load {
        /// The shared object.
        path: PathBuf,
        /// What the loader says.
        source: libloading::Error,
    },
    /// The top has no such port.
    #[error("`{top}` has no {direction} `{name}`{hint}")]
    NoPort {
        /// Top module.
        top: String,
        /// "input" or "output".
        direction: &'static str,
        /// The name asked for.
        name: String,
        /// Names like it, as the end of the sentence.
        hint: String,
    },
    /// A waveform cannot be written.
    #[error("cannot trace `{top}` to {}: {reason}", .path.display())]
    Trace {
        /// Top module.
        top: String,
        /// The file asked for.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A file cannot be read or written.
    #[error("cannot {action} {}: {source}", .path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

impl SimError {
    /// For `map_err` of a call on `path`.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> SimError {
        let path = path.to_path_buf();
        move |source| SimError::Io { action, path, source }
    }
}

/// A remedy for what the loader says, with what leads up to it.
fn remedy(source: &libloading::Error) -> &'static str {
    let said = source.to_string();
    match () {
        () if said.contains("GLIBCXX") || said.contains("CXXABI") => {
            "; the C++ library that LD_LIBRARY_PATH names is older than that of the compiler: unset LD_LIBRARY_PATH"
        }
        () if said.contains("failed to map segment") => {
            "; the folder allows no programs: name another in PORTICO_CACHE, or in TMPDIR with PORTICO_CACHE=off"
        }
        () => "",
    }
}
