//! cocotb tests as tests of this project: a design, a Python module, and what it must know of the specification. The modules are
//! those of `testbench/cocotb` and `examples/cocotb`, and may import the package portico.

use portico_sim::{identity, keep, working_compiler, Kept, SimError};
use portico_synth::{locate, tools_folder, Tool};
use portico_verilog::Design;
use serde_json::Value;
use std::{
    env::{
        self,
        consts::{DLL_PREFIX, DLL_SUFFIX},
        current_exe,
    },
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
};

/// Where all simulations of this process keep what they share; what an earlier one left there is not trusted.
static OBJECTS: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cocotb-objects");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the target folder can be written");
    folder
});

/// A folder with the Python package portico: its files, and the native module, which Cargo has built beside this program.
static PACKAGE: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cocotb-package");
    let _ = fs::remove_dir_all(&folder);
    let package = folder.join("portico");
    fs::create_dir_all(&package).expect("the target folder can be written");
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sw/python/portico");
    for entry in fs::read_dir(sources).expect("the package is there") {
        let file = entry.expect("the package can be read").path();
        if file.extension().is_some_and(|extension| extension == "py") {
            let name = file.file_name().expect("a file has a name");
            fs::copy(&file, package.join(name)).expect("the target folder can be written");
        }
    }
    let program = current_exe().expect("this program has a path");
    let module = program.with_file_name(format!("{DLL_PREFIX}portico_python{DLL_SUFFIX}"));
    fs::copy(&module, package.join("_portico.abi3.so")).unwrap_or_else(|error| panic!("{}: {error}", module.display()));
    folder
});

/// That folder.
pub fn package() -> &'static Path {
    &PACKAGE
}

/// A design as a program, in the compile cache.
pub struct Simulation {
    kept: Kept,
    top: String,
}

impl Simulation {
    /// Builds the design, unless the cache has it.
    pub fn of(design: &Design) -> Self {
        let text = design.text();
        let verilator = locate(Tool::Verilator).expect("Verilator is installed");
        let (_, compiler) = working_compiler().expect("a C++ compiler");
        let parts = [
            "cocotb",
            &text,
            include_str!("../../../cocotb/run.py"),
            &identity(&verilator).expect("its pins can be read"),
            &compiler,
        ];
        let make = |folder: &Path| -> Result<(), SimError> {
            let scratch = tempfile::tempdir().expect("a temporary folder");
            fs::write(scratch.path().join("design.v"), &text).expect("a temporary folder can be written");
            let built = script(
                scratch.path(),
                "build",
                &design.top,
                folder,
                &["--verilog", "design.v"],
                &Value::Null,
            );
            built.map(drop).unwrap_or_else(|said| panic!("{said}"));
            Ok(())
        };
        let kept = keep(parts, make).expect("the cache can be written");
        let top = design.top.clone();
        Simulation { kept, top }
    }

    /// Runs the tests of a Python module: all that was said, as an error if one fails.
    pub fn run(&self, module: &str, spec: &Value) -> Result<String, String> {
        let scratch = tempfile::tempdir().expect("a temporary folder");
        script(
            scratch.path(),
            "test",
            &self.top,
            self.kept.path(),
            &["--module", module],
            spec,
        )
    }

    /// Holds all tests of a module to pass.
    pub fn passes(&self, module: &str, spec: &Value, tests: usize) {
        let said = self.run(module, spec).unwrap_or_else(|said| panic!("{said}"));
        assert_eq!(passed(&said), Some(tests), "{said}");
    }

    /// Runs them when they are told something wrong, which this test and no other has to notice.
    pub fn fails(&self, module: &str, spec: &Value, tests: usize, test: &str) {
        let said = self.run(module, spec).expect_err(test);
        let last = said.lines().next_back();
        let expected = format!("{tests} tests, failed: ['{test}'], skipped: []");
        assert_eq!(last, Some(&*expected), "{said}");
    }
}

/// A step of `run.py` in the folder `at`: all that was said.
fn script(at: &Path, step: &str, top: &str, build: &Path, arguments: &[&str], spec: &Value) -> Result<String, String> {
    let tools = tools_folder().expect("PORTICO_TOOLS is right");
    let tools = tools.expect("cocotb is in .tools: run `make tools`");
    let verilator = locate(Tool::Verilator).expect("Verilator is installed");
    let mut python = Command::new(tools.join("bin/python3"));
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [package(), &tests.join("../examples/cocotb")];
    python
        .arg(tests.join("cocotb/run.py"))
        .args([step, "--top", top, "--build"])
        .arg(build)
        .args(arguments)
        .envs(verilator.env)
        .env(
            "PYTHONPATH",
            env::join_paths(folders).expect("the folders have no colon"),
        )
        .env("PORTICO_TOOLS", &tools)
        .env("PORTICO_OBJECTS", &*OBJECTS)
        .env("PORTICO_SPEC", spec.to_string())
        .env("COCOTB_LOG_LEVEL", "WARNING")
        .current_dir(at);
    let output = python.output().expect("Python starts");
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    match output.status.success() {
        true => Ok(said),
        false => Err(said),
    }
}

/// The count of tests in the last line.
fn passed(said: &str) -> Option<usize> {
    let line = said.lines().rev().find(|line| line.ends_with(" tests passed"))?;
    line.split(' ').next()?.parse().ok()
}
