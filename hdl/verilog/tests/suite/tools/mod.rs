//! Yosys and Verilator, run in a folder of their own.

use portico_synth::{locate, Tool};
use std::{fs, path::Path};
use tempfile::TempDir;

/// A folder below the build folder; Yosys as WebAssembly sees nothing outside the folder that it runs in.
pub fn folder() -> TempDir {
    TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("the build folder can be written")
}

/// Writes files, (name, text), into `folder`.
pub fn write(folder: &Path, files: &[(String, String)]) {
    for (name, text) in files {
        fs::write(folder.join(name), text).expect("a test's folder can be written");
    }
}

/// Runs a tool in `folder`: whether it succeeded, and all that it said.
pub fn run(tool: Tool, folder: &Path, arguments: &[&str]) -> (bool, String) {
    let located = locate(tool).unwrap_or_else(|error| panic!("{error}"));
    let output = located.command().args(arguments).current_dir(folder).output();
    let output = output.unwrap_or_else(|error| panic!("{tool} does not start: {error}"));
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&text).into_owned())
}
