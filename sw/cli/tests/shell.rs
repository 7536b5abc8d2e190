//! The caller's shell and folders: variables that are meant for other programs neither stop nor change ours.

#![cfg(unix)]

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Output},
};
use tempfile::TempDir;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// A shell's variables as vendors' suites, conda and other makes leave them; all of them are wrong for our programs.
const RUBBISH: [(&str, &str); 13] = [
    ("PYTHONPATH", "/nowhere"),
    ("PYTHONHOME", "/nowhere"),
    ("PYTHONSTARTUP", "/nowhere"),
    ("VERILATOR_ROOT", "/nowhere"),
    ("CDPATH", "/tmp:/"),
    ("YOWASP_MOUNT", "x"),
    ("MAKEFLAGS", "-n"),
    ("GNUMAKEFLAGS", "-n"),
    ("MAKEFILES", "/nowhere/rules.mk"),
    ("CXXFLAGS", "--rubbish"),
    ("CPPFLAGS", "--rubbish"),
    ("LDFLAGS", "--rubbish"),
    ("POSIXLY_CORRECT", "1"),
];

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn executable(path: &Path, text: &str) {
    fs::write(path, text).expect("a temporary folder can be written");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("it is there");
}

/// A copy of the scripts in a folder of this name, with a `cargo` on `PATH` that says what it is asked for.
struct Copy {
    _parent: TempDir,
    folder: PathBuf,
    path: String,
}

impl Copy {
    fn new(name: &str) -> Self {
        let parent = folder();
        let (folder, bin) = (parent.path().join(name), parent.path().join("bin"));
        for part in ["synth", "testbench"] {
            fs::create_dir_all(folder.join(part)).expect("a temporary folder can be written");
        }
        for file in [
            "Makefile",
            "synth/install-tools.sh",
            "synth/requirements.txt",
            "testbench/long.sh",
        ] {
            fs::copy(Path::new(ROOT).join(file), folder.join(file)).expect("the file is there");
        }
        fs::create_dir(&bin).expect("a temporary folder can be written");
        executable(&bin.join("cargo"), "#!/bin/sh\necho \"cargo $*\"\n");
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").expect("a path"));
        Copy {
            _parent: parent,
            folder,
            path,
        }
    }

    fn run(&self, words: &[&str], variables: &[(&str, &str)]) -> Output {
        let mut command = Command::new(words[0]);
        command
            .args(&words[1..])
            .current_dir(&self.folder)
            .env("PATH", &self.path);
        for name in ["CARGO_TARGET_DIR", "PORTICO_TOOLS", "MAKEFLAGS", "CXX"] {
            command.env_remove(name);
        }
        command
            .envs(variables.iter().copied())
            .output()
            .expect("the program starts")
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn make_finds_the_program_where_cargo_puts_it() {
    let copy = Copy::new("a b'c#d");
    let asked = copy.run(&["make", "-n", "synth"], &[("CARGO_TARGET_DIR", "elsewhere")]);
    let said = text(&asked.stdout);
    assert!(asked.status.success() && said.contains("cargo run"), "{said}");
    assert!(!said.contains("target/release"), "{said}");
    let built = copy.run(&["make", "program"], &[("CARGO_TARGET_DIR", "elsewhere")]);
    assert_eq!(text(&built.stdout).trim(), "cargo build --release -p portico-cli");
}

#[test]
fn a_checkout_with_a_colon_in_its_name_is_told_with_a_remedy() {
    let copy = Copy::new("a:b");
    let refused = copy.run(&["make", "-n", "program"], &[]);
    let said = text(&refused.stderr);
    assert!(!refused.status.success(), "{said}");
    assert!(said.contains("colon") && said.contains("CARGO_TARGET_DIR"), "{said}");
    let works = copy.run(&["make", "program"], &[("CARGO_TARGET_DIR", "/tmp/elsewhere")]);
    assert!(works.status.success(), "{works:?}");
}

#[test]
fn the_installation_names_what_it_cannot_use() {
    let copy = Copy::new("checkout");
    let install = |variables: &[(&str, &str)]| {
        let output = copy.run(&["synth/install-tools.sh"], variables);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        text(&output.stderr)
    };
    let compiler = install(&[("CXX", "no-such-compiler -O2")]);
    assert!(
        compiler.contains("CXX=no-such-compiler -O2") && compiler.contains("not found"),
        "{compiler}"
    );
    let taken = install(&[("PORTICO_TOOLS", "synth")]);
    assert!(
        taken.contains("holds something else") && taken.contains("new or empty"),
        "{taken}"
    );
    let sealed = install(&[("PORTICO_TOOLS", "/proc/nowhere/tools")]);
    assert!(
        sealed.contains("cannot be written") && sealed.contains("PORTICO_TOOLS=DIR"),
        "{sealed}"
    );
    let colon = install(&[("PORTICO_TOOLS", "a:b")]);
    assert!(colon.contains("a:b has one of :"), "{colon}");
    // A compiler of several words is one: the next thing that is wrong is told.
    let words = install(&[("CXX", "env LC_ALL=C c++"), ("PORTICO_TOOLS", "synth")]);
    assert!(
        words.contains("holds something else") && !words.contains("missing"),
        "{words}"
    );
}

#[test]
fn scripts_do_not_hear_what_a_shell_has_set_for_others() {
    let copy = Copy::new("checkout");
    let listed = copy.run(&["testbench/long.sh", "--filters"], &RUBBISH);
    assert_eq!(text(&listed.stderr), "");
    assert!(text(&listed.stdout).lines().count() > 5, "{listed:?}");
}

#[test]
fn pinned_tools_run_in_any_shell() {
    let tools = portico_synth::tools_folder()
        .expect("tools")
        .expect("`make tools` has run");
    for (tool, arguments) in [("verilator", "--version"), ("yosys", "--version"), ("sby", "--help")] {
        let mut command = Command::new(tools.join("bin").join(tool));
        let run = command.arg(arguments).envs(RUBBISH).output().expect("it starts");
        assert!(run.status.success(), "{tool}: {run:?}");
    }
}

#[test]
fn a_model_is_built_in_any_shell_with_tools_and_a_cache_whose_names_make_would_split() {
    let parent = folder();
    let linked = parent.path().join("a $b'ü");
    fs::create_dir(&linked).expect("a temporary folder can be written");
    let tools = portico_synth::tools_folder()
        .expect("tools")
        .expect("`make tools` has run");
    std::os::unix::fs::symlink(&tools, linked.join(".tools")).expect("a link");
    let mut command = Command::new(env!("CARGO_BIN_EXE_portico"));
    command
        .args([
            "sim", "mesh", "--set", "cols=2", "--set", "rows=1", "--cycles", "100", "--warmup", "10",
        ])
        .envs(RUBBISH)
        .env("CXX", "LC_ALL=C env c++")
        .env("PORTICO_TOOLS", linked.join(".tools"))
        .env("PORTICO_CACHE", parent.path().join("ca$h'#ü"))
        .env_remove("PORTICO_MODEL_LOG");
    let run = command.output().expect("it starts");
    assert!(run.status.success(), "{run:?}");
}

#[test]
fn a_clone_that_turns_line_ends_leaves_ours() {
    if !Path::new(ROOT).join(".git").exists() {
        println!("not a clone: nothing to compare");
        return;
    }
    let parent = folder();
    let git = |arguments: &[&str], folder: &Path| {
        let run = Command::new("git")
            .args(arguments)
            .current_dir(folder)
            .output()
            .expect("git starts");
        assert!(run.status.success(), "{run:?}");
        text(&run.stdout)
    };
    let clone = parent.path().join("clone");
    let into = clone.display().to_string();
    git(
        &["clone", "--quiet", "-c", "core.autocrlf=true", "--", ROOT, &into],
        parent.path(),
    );
    let listed = git(&["ls-files", "--eol"], &clone);
    assert!(listed.lines().count() > 500, "{listed}");
    let turned: Vec<&str> = listed.lines().filter(|line| line.contains("w/crlf")).collect();
    assert_eq!(turned, Vec::<&str>::new());
}

#[test]
fn tools_install_tells_what_is_wrong_and_leaves_the_folder() {
    let parent = folder();
    let taken = parent.path().join("taken");
    fs::create_dir(&taken).expect("a temporary folder can be written");
    fs::write(taken.join("mine"), "").expect("a temporary folder can be written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_portico"));
    let run = command
        .args(["tools", "install", "--into"])
        .arg(&taken)
        .output()
        .expect("it starts");
    let said = text(&run.stderr);
    assert_eq!(run.status.code(), Some(1), "{said}");
    assert!(
        said.contains("holds something else") && said.contains("error: the tools are not in"),
        "{said}"
    );
    assert!(taken.join("mine").is_file());
}

/// Installed by cargo, in a folder that is in no checkout: without tools it says how to get them, with those of the user's data
/// folder it simulates.
#[test]
fn an_installed_program_works_outside_of_the_checkout() {
    let home = folder();
    let built = Path::new(env!("CARGO_BIN_EXE_portico"));
    let target = built.ancestors().nth(2).expect("a target folder");
    let mut install = Command::new(env!("CARGO"));
    install.args([
        "install",
        "--debug",
        "--locked",
        "--offline",
        "--quiet",
        "--path",
        "sw/cli",
        "--target-dir",
    ]);
    let installed = install
        .arg(target)
        .arg("--root")
        .arg(home.path())
        .current_dir(ROOT)
        .output();
    let installed = installed.expect("cargo starts");
    assert!(installed.status.success(), "{installed:?}");

    let tools = portico_synth::tools_folder()
        .expect("tools")
        .expect("`make tools` has run");
    let cache = std::env::var_os("PORTICO_CACHE").unwrap_or_else(|| home.path().join("cache").into());
    let portico = |arguments: &str| {
        let mut command = Command::new(home.path().join("bin/portico"));
        command.args(arguments.split(' ')).current_dir(home.path());
        for name in ["PORTICO_TOOLS", "XDG_DATA_HOME", "PORTICO_VERILATOR", "PORTICO_YOSYS"] {
            command.env_remove(name);
        }
        command
            .env("HOME", home.path())
            .env("PORTICO_CACHE", &cache)
            .env("PATH", "/usr/bin:/bin");
        let run = command.output().expect("it starts");
        (run.status.code(), text(&run.stdout) + &text(&run.stderr))
    };
    let (status, said) = portico("doctor");
    assert!(status == Some(1) && said.contains("portico tools install"), "{said}");
    let data = home.path().join(".local/share/portico");
    fs::create_dir_all(&data).expect("a temporary folder can be written");
    std::os::unix::fs::symlink(tools, data.join("tools")).expect("a link");
    let (status, said) = portico("doctor");
    assert!(
        status == Some(0) && said.contains(".local/share/portico/tools"),
        "{said}"
    );
    let (status, said) = portico("sim mesh --set cols=2 --set rows=1 --cycles 1000 --warmup 10");
    assert!(status == Some(0) && said.contains("latency"), "{said}");
}

/// Compares a router with one whose text `alter` has changed; gives whether they are equal and what is printed.
fn compared(file: &str, from: &str, to: &str) -> (bool, String) {
    let folder = folder();
    for side in ["a", "b"] {
        let mut generate = Command::new(env!("CARGO_BIN_EXE_portico"));
        let out = folder.path().join(side);
        generate.args(["generate", "router", "--split", "--out"]).arg(out);
        assert!(generate.status().expect("the program runs").success());
    }
    let changed = folder.path().join("b").join(file);
    let verilog = fs::read_to_string(&changed).expect("the module is there");
    assert!(verilog.contains(from));
    fs::write(&changed, verilog.replace(from, to)).expect("it can be written");
    let output = Command::new(Path::new(ROOT).join("testbench/yardstick.sh"))
        .args(["compare", "a", "b"])
        .current_dir(folder.path())
        .output()
        .expect("the script runs");
    let printed = format!("{}{}", text(&output.stdout), text(&output.stderr));
    (output.status.success(), printed)
}

#[test]
fn the_yardstick_tells_other_names_from_other_circuits() {
    let file = "portico_router_priority.v";
    let (is_equal, printed) = compared(file, "// ", "// another comment ");
    assert!(is_equal && printed.contains(", 0 are proven"), "{printed}");
    let (is_equal, printed) = compared(file, "ring_waits", "waits_in_ring");
    assert!(
        is_equal && printed.contains(", 1 are proven equivalent, 0 differ"),
        "{printed}"
    );
    let (is_equal, printed) = compared(file, "assign local_turn = &turn;", "assign local_turn = |turn;");
    assert!(!is_equal && printed.contains(file), "{printed}");
}

#[test]
fn the_house_is_measured_without_its_tests() {
    let folder = folder();
    let blocks = folder.path().join("hdl/rtl/src");
    fs::create_dir_all(&blocks).expect("a temporary folder can be written");
    let source = "//! A block.\n\n#[join = \"B\"]\nstruct A;\n#[join = \"A\"]\nstruct B;\nlet a = bit_cast::<2, 1>(bits::<1>(0));\n";
    let tests = "#[cfg(test)]\nmod tests {\n    bit_cast\n}\n";
    fs::write(blocks.join("block.rs"), format!("{source}{tests}")).expect("it can be written");
    fs::write(blocks.join("tests.rs"), source).expect("it can be written");
    let house = |folder: &Path| {
        let mut house = Command::new(Path::new(ROOT).join("testbench/house.sh"));
        let output = house.arg(folder).output().expect("the script runs");
        (output.status.success(), text(&output.stdout) + &text(&output.stderr))
    };
    let (is_measured, printed) = house(folder.path());
    let figures: Vec<&str> = printed
        .lines()
        .filter_map(|line| line.split_whitespace().last())
        .collect();
    // The attribute in front of the tests counts as code.
    assert!(is_measured && figures == ["6", "1", "1", "1"], "{printed}");
    let (is_measured, printed) = house(&blocks);
    assert!(
        !is_measured && printed.contains("wanted is the folder of a checkout"),
        "{printed}"
    );
}
