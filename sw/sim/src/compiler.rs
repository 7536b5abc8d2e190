//! The C++ compiler.

use crate::SimError;
use std::env;
use std::path::Path;
use std::process::{Command, Stdio};

/// The C++ compiler: `CXX`, else `c++`.
pub(crate) struct Compiler {
    /// A path, a name on `PATH`, or words of a shell such as `ccache g++`.
    pub program: String,
    /// The first line in which it tells its version.
    pub version: String,
}

/// The C++ compiler that builds models, and its version, after a try on an empty file.
///
/// # Errors
/// [`SimError::Compiler`]: it or make is not there. [`SimError::CompilerFails`]: it compiles nothing.
pub fn working_compiler() -> Result<(String, String), SimError> {
    let compiler = Compiler::find()?;
    let folder = tempfile::tempdir().map_err(SimError::io("make", &env::temp_dir()))?;
    compiler.try_out(folder.path())?;
    Ok((compiler.program, compiler.version))
}

impl Compiler {
    /// Finds it, and make, which calls it.
    pub fn find() -> Result<Self, SimError> {
        let missing = |program, what, package| {
            move |reason| SimError::Compiler {
                program,
                reason,
                what,
                package,
            }
        };
        version(Command::new("make")).map_err(missing("make".into(), "make", "make"))?;
        let named = env::var("CXX").ok().filter(|name| !name.trim().is_empty());
        let program = named.unwrap_or_else(|| "c++".into());
        let version = version(command(&program));
        let version = version.map_err(missing(program.clone(), "a C++ compiler (or its name in CXX)", "g++"))?;
        Ok(Compiler { program, version })
    }

    /// Compiles an empty file in `folder`.
    ///
    /// # Errors
    /// [`SimError::CompilerFails`]: it fails, or writes no object.
    pub fn try_out(&self, folder: &Path) -> Result<(), SimError> {
        let object = folder.join("empty.o");
        let mut compile = command(&self.program);
        compile.args(["-x", "c++", "-c", "/dev/null", "-o"]).arg(&object);
        let reason = match compile.stdin(Stdio::null()).output() {
            Ok(output) if !output.status.success() => format!("it ends with {}", output.status),
            Ok(_) if !object.is_file() => "it writes no object file".into(),
            Ok(_) => return Ok(()),
            Err(error) => error.to_string(),
        };
        Err(SimError::CompilerFails {
            program: self.program.clone(),
            reason,
        })
    }

    pub fn is_clang(&self) -> bool {
        self.version.contains("clang")
    }

    /// For a shared object of which several are loaded at once: gcc would make the runtime's inline variables one for
    /// the whole process, and keep every object loaded for ever.
    pub fn position_flags(&self) -> &'static str {
        match self.is_clang() {
            true => "-fPIC",
            false => "-fPIC -fno-gnu-unique",
        }
    }

    pub fn has_headers(&self, headers: &[&str]) -> bool {
        let includes = headers.iter().flat_map(|header| ["-include", header]);
        let mut probe = command(&self.program);
        probe.args(["-E", "-x", "c++"]).args(includes).arg("/dev/null");
        probe
            .stdin(Stdio::null())
            .output()
            .is_ok_and(|output| output.status.success())
    }
}

/// A command of the compiler: a shell parts its words, as it does below make.
fn command(program: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{program} \"$@\""), "sh"]);
    command
}

/// The first line in which a program tells its version, or the last of why it does not.
fn version(mut command: Command) -> Result<String, String> {
    let answer = command.arg("--version").stdin(Stdio::null()).output();
    let answer = answer.map_err(|error| error.to_string())?;
    let [told, complaint] = [answer.stdout, answer.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    match answer.status.success() {
        true => Ok(told.lines().next().unwrap_or_default().into()),
        false => {
            let last = complaint.lines().last().map(str::to_owned);
            Err(last.unwrap_or_else(|| format!("it ends with {}", answer.status)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_that_is_not_there_is_noticed() {
        let compiler = Compiler::find().unwrap();
        assert!(compiler.has_headers(&["cstdint", "vector"]));
        assert!(!compiler.has_headers(&["cstdint", "no_such_header.h"]));
    }

    #[test]
    fn a_compiler_that_writes_nothing_or_fails_is_named() {
        let folder = tempfile::tempdir().unwrap();
        Compiler::find().unwrap().try_out(folder.path()).unwrap();
        let empty = tempfile::tempdir().unwrap();
        for (program, reason) in [
            ("true", "it writes no object file"),
            ("false", "it ends with exit status: 1"),
        ] {
            let compiler = Compiler {
                program: program.into(),
                version: String::new(),
            };
            let expected = format!(
                "the C++ compiler does not work (CXX={program}): {reason}; set CXX to a compiler such as g++ or clang++"
            );
            assert_eq!(compiler.try_out(empty.path()).unwrap_err().to_string(), expected);
        }
    }

    #[test]
    fn a_program_that_is_not_there_has_no_version() {
        assert!(version(Command::new("portico-no-such-compiler")).is_err());
        let reason = version(command("portico-no-such compiler")).unwrap_err();
        assert!(
            reason.contains("portico-no-such") && reason.contains("not found"),
            "{reason}"
        );
        assert!(version(Command::new("make")).unwrap().contains("Make"));
    }

    #[test]
    fn a_compiler_may_be_several_words() {
        let folder = tempfile::tempdir().unwrap();
        let compiler = Compiler {
            program: "CCACHE_DIR=/nowhere env LC_ALL=C c++".into(),
            version: String::new(),
        };
        compiler.try_out(folder.path()).unwrap();
        assert!(compiler.has_headers(&["vector"]));
    }
}
