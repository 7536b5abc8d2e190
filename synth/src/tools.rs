//! Finds the EDA programs: the user's own through an environment variable, else the project's pinned wheels, else those on
//! `PATH`.
//!
//! | tool | variable | oldest version taken | of the project |
//! | --- | --- | --- | --- |
//! | Verilator | `PORTICO_VERILATOR` | 5.30 | `.tools/bin/verilator` |
//! | Yosys | `PORTICO_YOSYS` | 0.40 | `.tools/bin/yosys` |
//! | nextpnr for ECP5 | `PORTICO_NEXTPNR_ECP5` | 0.7 | `.tools/bin/nextpnr-ecp5` |
//! | ecppack | `PORTICO_ECPPACK` | any | `.tools/bin/ecppack` |
//! | SymbiYosys | `PORTICO_SBY` | any | `.tools/bin/sby` |
//! | Verible's linter | `PORTICO_VERIBLE` | any | `.tools/bin/verible-verilog-lint` |
//! | openFPGALoader | `PORTICO_OPENFPGALOADER` | any | none: the one on `PATH` |
//!
//! A variable holds a path, or the name of a program on `PATH`; an empty one counts as unset. The folder `.tools` is
//! the one that `PORTICO_TOOLS` names, else the nearest above the current folder, else the nearest above the running
//! program, else [`user_tools`]. `synth/install-tools.sh` makes it, and leaves a stamp in it as its last step: a folder
//! without the stamp is not there.

use crate::Tool;
use std::collections::HashMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{self, Path, PathBuf};
use std::process::{Command, Stdio};

/// The file whose presence says that `.tools` is complete.
const STAMP: &str = "portico-stamp";

/// Where a program was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The user named it in an environment variable.
    Environment,
    /// A pinned wheel in `.tools`.
    Project,
    /// On `PATH`.
    System,
}

/// A program that was found, and what it needs to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// Which tool it is.
    pub tool: Tool,
    /// The program: a path, or a name that `PATH` resolves.
    pub program: PathBuf,
    /// Environment variables to set for it.
    pub env: Vec<(String, OsString)>,
    /// Its version: as printed by the user's own, as pinned for the project's.
    pub version: String,
    /// Where it comes from.
    pub origin: Origin,
}

impl Located {
    /// A command that runs the program in its environment.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }
}

/// Why a tool cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// Neither the user nor the project has one, and none is on `PATH`.
    #[error(
        "{tool} is not set up: run `portico tools install` (in a checkout, `make tools`), or put {} on PATH, or set {} to your own",
        tool.program(), tool.variable()
    )]
    Missing {
        /// The tool asked for.
        tool: Tool,
    },
    /// A tool that the project does not install is not on `PATH`.
    #[error("{tool} is not on PATH: install it (Debian: apt-get install openfpgaloader), or set {} to your own", tool.variable())]
    NotInstalled {
        /// The tool asked for.
        tool: Tool,
    },
    /// `PORTICO_TOOLS` names a folder that the installation has not finished.
    #[error("PORTICO_TOOLS names {}, which holds no complete set of tools: run `portico tools install`, which fills a folder that is new or empty, or unset the variable", .folder.display())]
    Incomplete {
        /// What the variable holds.
        folder: PathBuf,
    },
    /// The folder of the tools cannot be on `PATH`, which parts at colons.
    #[error("the tools are in {}, and PATH takes no folder with a colon in its name: rename it, or name another in PORTICO_TOOLS", .folder.display())]
    Colon {
        /// The folder of the programs.
        folder: PathBuf,
    },
    /// The user's program does not start, or fails when asked for its version.
    #[error("{} names {}, which does not tell its version: {reason}", origin.variable(*tool), .program.display())]
    Unusable {
        /// The tool asked for.
        tool: Tool,
        /// Where it comes from.
        origin: Origin,
        /// The program.
        program: PathBuf,
        /// What went wrong.
        reason: String,
    },
    /// The user's program is older than the flows need.
    #[error(
        "{} names \"{version}\", but {tool} {}.{:03} or later is needed: set {} to another, or run `portico tools install`",
        origin.variable(*tool), minimum.0, minimum.1, tool.variable()
    )]
    TooOld {
        /// The tool asked for.
        tool: Tool,
        /// Where it comes from.
        origin: Origin,
        /// The version that it printed.
        version: String,
        /// The oldest version taken.
        minimum: (u32, u32),
    },
}

impl Origin {
    /// The variable that names a tool of the user's own.
    fn variable(self, tool: Tool) -> &'static str {
        match self {
            Origin::Environment => tool.variable(),
            Origin::Project => "PORTICO_TOOLS",
            Origin::System => "PATH",
        }
    }
}

/// Finds a tool: the user's own if its variable is set, else the project's, else the one on `PATH`.
///
/// # Errors
/// One line that says what is missing, and both ways to mend it: see [`ToolError`].
pub fn locate(tool: Tool) -> Result<Located, ToolError> {
    Surroundings::of_process().locate(tool)
}

/// The complete folder `.tools` of the project, if there is one.
///
/// # Errors
/// [`ToolError::Incomplete`] if `PORTICO_TOOLS` names a folder that is not complete.
pub fn tools_folder() -> Result<Option<PathBuf>, ToolError> {
    Surroundings::of_process().tools_folder()
}

/// The folder that `portico tools install` fills: `portico/tools` in the user's data folder (`XDG_DATA_HOME`, else
/// `~/.local/share`); none without a home.
pub fn user_tools() -> Option<PathBuf> {
    Surroundings::of_process().user_tools()
}

/// What the search depends on: a value, so that tests need not change the process.
struct Surroundings {
    variables: HashMap<OsString, OsString>,
    starts: Vec<PathBuf>,
}

impl Surroundings {
    fn of_process() -> Self {
        Surroundings {
            variables: env::vars_os().collect(),
            starts: [env::current_dir(), env::current_exe()].into_iter().flatten().collect(),
        }
    }

    fn variable(&self, name: &str) -> Option<OsString> {
        self.variables
            .get(OsStr::new(name))
            .filter(|value| !value.is_empty())
            .cloned()
    }

    fn locate(&self, tool: Tool) -> Result<Located, ToolError> {
        match (self.variable(tool.variable()), tool.package()) {
            (Some(program), _) => own(tool, PathBuf::from(program), Origin::Environment),
            (None, Some(package)) => {
                let pinned = match self.tools_folder()? {
                    Some(folder) => self.pinned(tool, package, &folder)?,
                    None => None,
                };
                pinned.map_or_else(|| self.of_system(tool, ToolError::Missing { tool }), Ok)
            }
            (None, None) => self.of_system(tool, ToolError::NotInstalled { tool }),
        }
    }

    fn of_system(&self, tool: Tool, missing: ToolError) -> Result<Located, ToolError> {
        own(tool, self.on_path(tool).ok_or(missing)?, Origin::System)
    }

    fn on_path(&self, tool: Tool) -> Option<PathBuf> {
        let folders = self.variable("PATH").unwrap_or_default();
        let programs = env::split_paths(&folders).map(|folder| folder.join(tool.program()));
        programs.into_iter().find(|program| program.is_file())
    }

    fn tools_folder(&self) -> Result<Option<PathBuf>, ToolError> {
        let complete = |folder: &PathBuf| folder.join(STAMP).is_file();
        match self.variable("PORTICO_TOOLS").map(PathBuf::from) {
            // Tools run in folders of their own.
            Some(folder) if complete(&folder) => Ok(path::absolute(folder).ok()),
            Some(folder) => Err(ToolError::Incomplete { folder }),
            None => {
                let above = self.starts.iter().flat_map(|start| start.ancestors());
                let above = above.map(|folder| folder.join(".tools"));
                Ok(above.chain(self.user_tools()).find(complete))
            }
        }
    }

    fn user_tools(&self) -> Option<PathBuf> {
        let home = || Some(PathBuf::from(self.variable("HOME")?).join(".local/share"));
        let data = self.variable("XDG_DATA_HOME").map(PathBuf::from).or_else(home)?;
        Some(data.join("portico/tools"))
    }

    /// The project's tool; SymbiYosys and the flows call other tools by name, so `PATH` starts with them.
    fn pinned(&self, tool: Tool, package: &str, folder: &Path) -> Result<Option<Located>, ToolError> {
        let bin = folder.join("bin");
        let program = bin.join(tool.program());
        let requirements = fs::read_to_string(folder.join("requirements.txt")).unwrap_or_default();
        let Some(version) = pinned_version(&requirements, package).filter(|_| program.is_file()) else {
            return Ok(None);
        };
        let rest = self.variable("PATH").unwrap_or_default();
        let path = env::join_paths([bin.clone()].into_iter().chain(env::split_paths(&rest)));
        let path = path.map_err(|_| ToolError::Colon { folder: bin })?;
        Ok(Some(Located {
            tool,
            program,
            env: vec![("PATH".into(), path)],
            version,
            origin: Origin::Project,
        }))
    }
}

/// The version that `package==version` pins.
fn pinned_version(requirements: &str, package: &str) -> Option<String> {
    let pins = requirements.lines().filter_map(|line| line.split_once("=="));
    let (_, version) = pins.into_iter().find(|(name, _)| name.trim() == package)?;
    version.split_whitespace().next().map(String::from)
}

/// The user's own tool, once it is known to be new enough.
fn own(tool: Tool, program: PathBuf, origin: Origin) -> Result<Located, ToolError> {
    let printed = match ask_version(&program, tool.version_argument()) {
        Ok(printed) => printed,
        Err(reason) => {
            return Err(ToolError::Unusable {
                tool,
                origin,
                program,
                reason,
            })
        }
    };
    let parsed = parse_version(&printed);
    match (tool.minimum(), parsed) {
        (Some(minimum), Some(found)) if found < minimum => Err(ToolError::TooOld {
            tool,
            origin,
            version: printed,
            minimum,
        }),
        (minimum, _) => {
            if minimum.is_some() && parsed.is_none() {
                tracing::warn!(
                    "{} prints no version number, but \"{printed}\": taken as it is",
                    tool.variable()
                );
            }
            Ok(Located {
                tool,
                program,
                env: Vec::new(),
                version: printed,
                origin,
            })
        }
    }
}

/// The line by which a program tells its version (nextpnr tells it on standard error).
fn ask_version(program: &Path, argument: &str) -> Result<String, String> {
    let asked = Command::new(program).arg(argument).stdin(Stdio::null()).output();
    let output = asked.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => "there is no such program".to_string(),
        _ => error.to_string(),
    })?;
    if !output.status.success() {
        return Err(format!("`{argument}` ends with {}", output.status));
    }
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let numbered = lines.iter().find(|line| parse_version(line).is_some());
    numbered
        .or(lines.first())
        .map(|line| line.to_string())
        .ok_or_else(|| "it prints nothing".to_string())
}

/// The first `major.minor` in a line; builds outside a release may have none. nextpnr's line starts with its path, which
/// may hold a number too.
fn parse_version(line: &str) -> Option<(u32, u32)> {
    let line = line.split_once("(Version ").map_or(line, |(_, version)| version);
    line.split(|c: char| !c.is_ascii_digit() && c != '.').find_map(|word| {
        let mut numbers = word.split('.');
        Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use tempfile::TempDir;

    /// A user's tool that prints `text` when asked for its version, and ends with `status`.
    fn fake(folder: &TempDir, text: &str, status: i32) -> OsString {
        let path = folder.path().join("fake");
        fs::write(&path, format!("#!/bin/sh\necho '{text}' >&2\nexit {status}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path.into()
    }

    fn surroundings(variables: &[(&str, OsString)], starts: &[&Path]) -> Surroundings {
        Surroundings {
            variables: variables
                .iter()
                .map(|(name, value)| (name.into(), value.clone()))
                .collect(),
            starts: starts.iter().map(PathBuf::from).collect(),
        }
    }

    /// A project with a `.tools`, complete or not.
    fn project(complete: bool) -> TempDir {
        let project = tempfile::tempdir().unwrap();
        let tools = project.path().join(".tools");
        fs::create_dir_all(tools.join("bin")).unwrap();
        fs::create_dir_all(project.path().join("deep/down")).unwrap();
        fs::write(tools.join("bin/yosys"), "").unwrap();
        fs::write(
            tools.join("requirements.txt"),
            "# wheels\nclick==8.0\nyowasp-yosys==0.70.0  # synthesis\n",
        )
        .unwrap();
        if complete {
            fs::write(tools.join(STAMP), "").unwrap();
        }
        project
    }

    #[test]
    fn versions_are_read_as_each_tool_prints_them() {
        for (line, version) in [
            ("Verilator 5.048 2026-05-16 rev v5.048", Some((5, 48))),
            ("Yosys 0.9+4081 (git sha1 0, clang++ 22.1.0)", Some((0, 9))),
            ("Yosys 0.70 (git sha1 28ba3cb92, Release, Clang 22.1.0)", Some((0, 70))),
            (
                r#""/opt/eda-1.2/nextpnr-ecp5" -- Next Generation Place and Route (Version nextpnr-0.11.1)"#,
                Some((0, 11)),
            ),
            (
                r#""nextpnr-ecp5" -- Next Generation Place and Route (Version nextpnr-0.7-12-gabc)"#,
                Some((0, 7)),
            ),
            ("rev vUNKNOWN-built20260516-4e853d8", None),
            ("SBY v0.62", Some((0, 62))),
            ("", None),
        ] {
            assert_eq!(parse_version(line), version, "{line}");
        }
    }

    #[test]
    fn the_users_own_wins_over_the_projects() {
        let (folder, project) = (tempfile::tempdir().unwrap(), project(true));
        let own = fake(&folder, "Yosys 0.41", 0);
        let found = surroundings(&[("PORTICO_YOSYS", own.clone())], &[project.path()])
            .locate(Tool::Yosys)
            .unwrap();
        assert_eq!((found.program, found.origin), (PathBuf::from(own), Origin::Environment));
        assert_eq!(found.version, "Yosys 0.41");
    }

    #[test]
    fn an_old_tool_is_refused_with_both_versions() {
        let folder = tempfile::tempdir().unwrap();
        for (tool, text) in [
            (Tool::Verilator, "Verilator 5.006 2023-01-22 rev (Debian 5.006-3)"),
            (Tool::Yosys, "Yosys 0.39"),
            (Tool::NextpnrEcp5, "nextpnr (Version nextpnr-0.6)"),
        ] {
            let own = fake(&folder, text, 0);
            let error = surroundings(&[(tool.variable(), own)], &[]).locate(tool).unwrap_err();
            assert!(matches!(error, ToolError::TooOld { .. }), "{error:?}");
            let (major, minor) = tool.minimum().unwrap();
            for part in [tool.variable(), text, &format!("{major}.{minor:03} or later")] {
                assert!(error.to_string().contains(part), "{error} lacks {part}");
            }
        }
    }

    #[test]
    fn a_tool_of_no_release_is_taken_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let own = fake(&folder, " rev vUNKNOWN-built20260516", 0);
        let found = surroundings(&[("PORTICO_VERILATOR", own)], &[])
            .locate(Tool::Verilator)
            .unwrap();
        assert_eq!(found.version, "rev vUNKNOWN-built20260516");
    }

    #[test]
    fn a_tool_that_fails_or_is_not_there_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        for (own, reason) in [
            (fake(&folder, "oops", 3), "exit status: 3"),
            ("/nowhere/sby".into(), "no such program"),
        ] {
            let error = surroundings(&[("PORTICO_SBY", own)], &[])
                .locate(Tool::Sby)
                .unwrap_err();
            assert!(matches!(error, ToolError::Unusable { .. }), "{error:?}");
            assert!(
                error.to_string().contains(reason) && error.to_string().contains("PORTICO_SBY"),
                "{error}"
            );
        }
    }

    #[test]
    fn the_projects_tools_are_found_from_below() {
        let (project, elsewhere) = (project(true), tempfile::tempdir().unwrap());
        let deep = project.path().join("deep/down");
        let path = ("PATH", OsString::from("/usr/bin"));
        let empty = ("PORTICO_YOSYS", OsString::new());
        let found = surroundings(&[path, empty], &[elsewhere.path(), &deep])
            .locate(Tool::Yosys)
            .unwrap();
        let bin = project.path().join(".tools/bin");
        assert_eq!((&found.program, found.origin), (&bin.join("yosys"), Origin::Project));
        assert_eq!(found.version, "0.70.0");
        assert_eq!(
            found.env,
            [("PATH".to_string(), format!("{}:/usr/bin", bin.display()).into())]
        );
    }

    #[test]
    fn a_half_made_folder_is_not_there() {
        let project = project(false);
        let error = surroundings(&[], &[project.path()]).locate(Tool::Yosys).unwrap_err();
        assert!(matches!(error, ToolError::Missing { tool: Tool::Yosys }), "{error:?}");
        let message = error.to_string();
        assert!(
            message.contains("portico tools install") && message.contains("PORTICO_YOSYS"),
            "{message}"
        );
        assert_eq!(message.lines().count(), 1);

        let named = [("PORTICO_TOOLS", project.path().join(".tools").into_os_string())];
        let error = surroundings(&named, &[]).locate(Tool::Yosys).unwrap_err();
        assert!(matches!(error, ToolError::Incomplete { .. }), "{error:?}");
    }

    #[test]
    fn a_tool_that_the_project_does_not_install_is_taken_from_path() {
        let (empty, bin) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let program = bin.path().join("openFPGALoader");
        fs::rename(fake(&bin, "openFPGALoader v0.12.0", 0), &program).unwrap();
        let path = env::join_paths([empty.path(), bin.path()]).unwrap();
        let found = surroundings(&[("PATH", path)], &[])
            .locate(Tool::OpenFpgaLoader)
            .unwrap();
        assert_eq!((&found.program, found.origin), (&program, Origin::System));
        assert_eq!(found.version, "openFPGALoader v0.12.0");

        let path = [("PATH", empty.path().as_os_str().to_owned())];
        let error = surroundings(&path, &[]).locate(Tool::OpenFpgaLoader).unwrap_err();
        let expected = "openFPGALoader is not on PATH: install it (Debian: apt-get install openfpgaloader), \
                        or set PORTICO_OPENFPGALOADER to your own";
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn a_tool_on_path_is_taken_where_there_are_no_tools_of_the_project() {
        let (bin, project) = (tempfile::tempdir().unwrap(), project(true));
        for (program, text) in [("yosys", "Yosys 0.46"), ("verilator", "Verilator 5.006 2023-01-22")] {
            fs::rename(fake(&bin, text, 0), bin.path().join(program)).unwrap();
        }
        let path = || ("PATH", bin.path().as_os_str().to_owned());
        let found = surroundings(&[path()], &[]).locate(Tool::Yosys).unwrap();
        assert_eq!(
            (found.program, found.origin),
            (bin.path().join("yosys"), Origin::System)
        );
        let pinned = surroundings(&[path()], &[project.path()]).locate(Tool::Yosys).unwrap();
        assert_eq!(pinned.origin, Origin::Project);
        let error = surroundings(&[path()], &[]).locate(Tool::Verilator).unwrap_err();
        let expected = "PATH names \"Verilator 5.006 2023-01-22\", but Verilator 5.030 or later is needed: \
                        set PORTICO_VERILATOR to another, or run `portico tools install`";
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn the_users_tools_are_the_last_that_are_looked_for() {
        let (near, home) = (project(true), tempfile::tempdir().unwrap());
        let data = home.path().join(".local/share/portico");
        fs::create_dir_all(&data).unwrap();
        fs::rename(project(true).path().join(".tools"), data.join("tools")).unwrap();
        let variable = || ("HOME", home.path().as_os_str().to_owned());
        let found = surroundings(&[variable()], &[]).tools_folder().unwrap();
        assert_eq!(found, Some(data.join("tools")));
        let found = surroundings(&[variable()], &[near.path()]).tools_folder().unwrap();
        assert_eq!(found, Some(near.path().join(".tools")));
    }

    #[test]
    fn a_folder_with_a_colon_is_named() {
        let project = project(true);
        let folder = project.path().join("a:b");
        fs::rename(project.path().join(".tools"), &folder).unwrap();
        let variables = [("PORTICO_TOOLS", folder.clone().into_os_string())];
        let error = surroundings(&variables, &[]).locate(Tool::Yosys).unwrap_err();
        assert!(matches!(error, ToolError::Colon { .. }), "{error:?}");
        assert!(error.to_string().contains(&folder.display().to_string()), "{error}");
    }

    #[test]
    fn portico_tools_wins_over_the_nearest() {
        let (near, named) = (project(true), project(true));
        let folder = named.path().join(".tools");
        let variables = [("PORTICO_TOOLS", folder.clone().into_os_string())];
        let found = surroundings(&variables, &[near.path()]).locate(Tool::Yosys).unwrap();
        assert!(found.program.starts_with(&folder), "{found:?}");
    }
}
