//! Installs the pinned tools from a program that has no checkout.

use crate::{scratch::Scratch, SynthError};
use std::{
    fs, io,
    path::Path,
    process::{Command, ExitStatus, Stdio},
};

const SCRIPT: &str = include_str!("../install-tools.sh");
const PINS: &str = include_str!("../requirements.txt");

/// Fills a folder with the pinned tools, or replaces those of other pins; the script's words go to standard error. Bash,
/// Python 3 with its module venv, a C++ compiler and make must be there; some 750 MB come over the network. The folder is
/// filled as the last step: a failure leaves what was there.
///
/// # Errors
/// The script does not start. Its status tells whether the tools are there.
pub fn install(folder: &Path) -> Result<ExitStatus, SynthError> {
    let scratch = Scratch::new()?;
    let synth = scratch.path("synth");
    fs::create_dir(&synth).map_err(SynthError::io("make", &synth))?;
    scratch.write("synth/install-tools.sh", SCRIPT)?;
    scratch.write("synth/requirements.txt", PINS)?;
    let script = scratch.path("synth/install-tools.sh");
    let mut bash = Command::new("bash");
    bash.arg(&script).arg("--replace").env("PORTICO_TOOLS", folder);
    let status = bash.stdin(Stdio::null()).stdout(io::stderr()).status();
    status.map_err(SynthError::io("run bash with", &script))
}
