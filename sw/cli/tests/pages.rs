//! The commands that the pages show: the program takes every one of them, and they run.

use std::{
    collections::BTreeSet,
    fs,
    io::{BufRead, BufReader},
    os::unix::fs::{symlink, PermissionsExt},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::Mutex,
};
use tempfile::TempDir;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Commands that take minutes, or have a placeholder, and a command of the same kind with less to do. `..` stands for any words
/// behind. `FABRIC` stands for the configuration of [`FABRIC`]. The first row that fits counts.
const SHORTER: [(&str, &str); 34] = [
    (
        "portico bench area..",
        "portico bench area --quick --only buddy --json build/area.json",
    ),
    ("portico bench blocks..", "portico bench blocks --quick buddy"),
    (
        "portico bench clock..",
        "portico bench clock --seeds 1 --limit 8 --only buddy --json build/clock.json",
    ),
    (
        "portico bench collectives..",
        "portico bench collectives --quick --mesh 2x1 FABRIC",
    ),
    (
        "portico bench exchange..",
        "portico bench exchange --quick --mesh 2x1 FABRIC",
    ),
    ("portico bench lists..", "portico bench lists --mesh 2x1 FABRIC"),
    ("portico bench mpi..", "portico bench mpi --quick --mesh 2x1 FABRIC"),
    (
        "portico bench noc..",
        "portico bench noc --quick --mesh 2x2 --pattern uniform,transpose --packet 1 --fifo 2 --load 0.1:0.9:0.8",
    ),
    ("portico bench onesided..", "portico bench onesided --quick FABRIC"),
    ("portico bench portals..", "portico bench portals --quick FABRIC"),
    (
        "portico bench soak..",
        "portico bench soak --quick --cycles 2000 FABRIC",
    ),
    ("portico bridge", "portico bridge --golden"),
    (
        "portico bridge --set cols=2 --set rows=1",
        "portico bridge --golden --set cols=2 --set rows=1",
    ),
    (
        "portico bridge --set cols=2 --set rows=2",
        "portico bridge --golden --set cols=2 --set rows=2",
    ),
    (
        "portico bridge --once --config examples/portico.toml",
        "portico bridge --once --golden --config examples/portico.toml",
    ),
    ("portico run alltoall", "portico run alltoall FABRIC"),
    ("portico run halo", "portico run halo FABRIC"),
    ("portico run mpi", "portico run mpi FABRIC"),
    ("portico run portals", "portico run portals FABRIC"),
    (
        "portico run portals --set cols=2 --set rows=2 --log build/steps.csv",
        "portico run portals FABRIC --log build/steps.csv",
    ),
    (
        "portico run traffic..",
        "portico run traffic --pattern uniform --loads 0.2,0.5,1 FABRIC",
    ),
    ("portico sim fabric --set..", "portico sim fabric --cycles 4000 FABRIC"),
    (
        "portico sim fabric --workload..",
        "portico sim fabric --workload soak --cycles 4000 --seed 7 --resets FABRIC",
    ),
    ("portico sim mesh", "portico sim mesh --set cols=2 --set rows=2"),
    (
        "portico sim mesh --traffic uniform --rate 0.3 --packet 4 --cycles 20000 --seed 1 --out build/uniform",
        "portico sim mesh --traffic uniform --rate 0.3 --set cols=2 --set rows=2 --out build/uniform",
    ),
    (
        "portico sim mesh --traffic uniform --rate 1..",
        "portico sim mesh --traffic uniform --rate 1 --packet 1 --cycles 5000 --warmup 2000 --set cols=2 --set rows=2",
    ),
    (
        "portico sweep FILE --out DIR",
        "portico sweep examples/sweep.toml --out build/sweep --jobs 2",
    ),
    ("portico sweep examples/collectives.toml --out build/collectives", SWEEP),
    ("portico sweep examples/sizes.toml", SWEEP),
    (
        "portico synth <block> --target ecp5 --by-part",
        "portico synth fifo --target ecp5 --by-part --depth 4",
    ),
    (
        "portico synth tile --target ecp5 --by-part --depth 4",
        "portico synth fifo --target ecp5 --by-part --depth 4",
    ),
    (
        "portico synth <block> --target ecp5 --out DIR",
        "portico synth fifo --target ecp5 --no-place --out build/fifo",
    ),
    (
        "portico synth board..",
        "portico synth fifo --target ecp5 --no-place --out build/fifo",
    ),
    (
        "portico synth..",
        "portico synth fifo --target ecp5 --seeds 1,2 --aim 100",
    ),
];

/// Calls on the fabric of [`FABRIC`] in place of those of the examples; a [`Checkout`] has the grid.
const SWEEP: &str = "portico sweep build/collectives.toml --out build/collectives";

/// One fabric for all commands that can have it, which is compiled once.
const FABRIC: &str = concat!("--config ", env!("CARGO_MANIFEST_DIR"), "/tests/fabric.toml");

/// Commands that do not run here: place and route takes a quarter of an hour, and `.ci/run` makes the proofs.
const PARSED: [&str; 5] = [
    "portico bitstream --board ulx3s-85f --set cols=2 --set rows=1 --set mpe=2 --set scratchpad=32 --out build/ulx3s",
    "portico bitstream --board ulx3s-85f --set cols=2 --set rows=2 --clock 50 --limit 120",
    "portico bitstream --board ulx3s-85f --seeds 1",
    "hdl/formal/run.sh",
    "hdl/formal/run.sh --mutants",
];

/// Names of commands, which a text mentions without the arguments that they need. The program says what it needs.
const NAMES: [&str; 15] = [
    "portico bitstream",
    "portico check",
    "portico completions",
    "portico program",
    "portico run",
    "portico sim",
    "portico sweep",
    "portico synth",
    "portico synth --all",
    "portico synth dma",
    "portico synth mpe",
    "portico synth router",
    "portico synth tile",
    "portico synth tile --by-part",
    "portico vivado",
];

/// README, CONTRIBUTING and the pages of `docs`.
fn pages() -> Vec<String> {
    let docs = fs::read_dir(Path::new(ROOT).join("docs")).unwrap();
    let names = docs.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let pages = names
        .filter(|name| name.ends_with(".md"))
        .map(|name| format!("docs/{name}"));
    pages
        .chain(["README.md", "CONTRIBUTING.md"].map(str::to_owned))
        .collect()
}

fn text(page: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(page)).unwrap()
}

/// The commands of a page, in its order: lines of its shell blocks, and those in its text that begin with `portico` or `make`.
fn commands(page: &str) -> Vec<String> {
    let mut found = vec![];
    for (at, part) in page.split("```").enumerate() {
        let is_block = at % 2 == 1;
        let lines: Vec<String> = match is_block {
            true if !part.starts_with("sh\n") => continue,
            true => part.replace("\\\n", " ").lines().skip(1).map(str::to_owned).collect(),
            false => part.split('`').skip(1).step_by(2).map(str::to_owned).collect(),
        };
        for line in lines {
            let words: Vec<&str> = line.split(" #").next().unwrap_or_default().split_whitespace().collect();
            // `portico` alone is the name of the program or the crate.
            let is_command = match words[..] {
                [] => false,
                ["portico"] => is_block,
                [first, ..] => is_block || first == "portico" || first == "make",
            };
            if is_command {
                found.push(words.join(" ").replace("target/release/portico", "portico"));
            }
        }
    }
    found
}

/// A checkout in which commands of pages run. What needs a board or Vivado meets a stub that looks for its file.
struct Checkout {
    folder: TempDir,
}

impl Checkout {
    fn new() -> Checkout {
        let checkout = Checkout {
            folder: tempfile::tempdir().unwrap(),
        };
        let root = fs::canonicalize(ROOT).unwrap();
        for folder in ["bin", "docs/figures", "build/ulx3s", "build/ulx3s-85f"] {
            fs::create_dir_all(checkout.file(folder)).unwrap();
        }
        for linked in ["examples", ".tools", "Makefile", "hdl", "synth", "testbench"] {
            symlink(root.join(linked), checkout.file(linked)).unwrap();
        }
        let files = ["docs", "docs/figures"].map(|folder| fs::read_dir(root.join(folder)).unwrap());
        let files = files.into_iter().flatten().map(|entry| entry.unwrap().path());
        for file in files
            .chain([root.join("README.md"), root.join("CONTRIBUTING.md")])
            .filter(|file| file.is_file())
        {
            fs::copy(&file, checkout.file(file.strip_prefix(&root).unwrap())).unwrap();
        }
        for bitstream in ["build/ulx3s", "build/ulx3s-85f"] {
            fs::write(checkout.file(bitstream).join("portico_ulx3s_85f.bit"), "bits").unwrap();
        }
        let [fabric, calls] = ["fabric.toml", "collectives.toml"]
            .map(|file| fs::read_to_string(root.join("sw/cli/tests").join(file)).unwrap());
        let grid = format!("[config]\n{fabric}\n{calls}");
        fs::write(checkout.file("build/collectives.toml"), grid).unwrap();
        symlink(env!("CARGO_BIN_EXE_portico"), checkout.file("bin/portico")).unwrap();
        let cargo = format!("cd {} && exec {} \"$@\"", root.display(), env!("CARGO"));
        for (stub, script) in [
            ("cargo", &*cargo),
            ("vivado", "test -f \"$4\""),
            ("openFPGALoader", "[ \"$1\" = --Version ] && echo v1 || test -f \"$3\""),
        ] {
            let stub = checkout.file("bin").join(stub);
            fs::write(&stub, format!("#!/bin/sh\n{script}\n")).unwrap();
            fs::set_permissions(&stub, fs::Permissions::from_mode(0o755)).unwrap();
        }
        checkout
    }

    fn file(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The shell that runs a line, without a terminal.
    fn shell(&self, line: &str) -> Command {
        let mut shell = Command::new("sh");
        let path = format!("{}:{}", self.file("bin").display(), std::env::var("PATH").unwrap());
        shell.args(["-e", "-c", line]).current_dir(self.folder.path());
        // A `make` around the test passes its options on through the environment.
        for variable in ["MAKEFLAGS", "MAKELEVEL", "MFLAGS", "RUST_LOG", "COLUMNS"] {
            shell.env_remove(variable);
        }
        // Verilated models outlive the checkout.
        let usual = || Path::new(ROOT).join("build/sim-cache").into();
        let cache = std::env::var_os("PORTICO_CACHE").unwrap_or_else(usual);
        shell.env("PATH", path).env("PORTICO_CACHE", cache).stdin(Stdio::null());
        shell
    }

    /// Runs a line, which ends with `status`.
    fn ends_with(&self, line: &str, status: i32) {
        let output = self.shell(line).output().unwrap();
        let [printed, errors] =
            [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        assert_eq!(output.status.code(), Some(status), "{line}: {printed}{errors}");
    }

    /// Starts a bridge and gives the path of its pseudo-terminal.
    fn bridge(&self, line: &str) -> (Bridge, String) {
        let mut child = self
            .shell(&format!("exec {line}"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let host = said
            .find(|line| line.contains("--on serial:"))
            .expect("the command of the host");
        let (_, path) = host.split_once("--on serial:").unwrap();
        (Bridge(child), path.split(' ').next().unwrap().to_owned())
    }
}

/// A bridge that ends with the test.
struct Bridge(Child);

impl Drop for Bridge {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Commands that tests of this program have run.
static SEEN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Runs the commands of pages, each once. One that leaves a folder runs again in another checkout, where a later one may need it.
fn run(pages: &[String]) {
    for page in pages {
        let checkout = Checkout::new();
        let mut bridge: Option<(Bridge, String)> = None;
        for shown in commands(&text(page)) {
            let line = shorter(&shown);
            let is_first = SEEN.lock().unwrap().insert(line.clone());
            if PARSED.contains(&&*shown) || !is_first && !line.contains(" --out ") {
                continue;
            }
            println!("{page}: {line}");
            if line == "make" || line.starts_with("make ") {
                // The commands of a target take minutes. A dry run shows that there is such a target.
                checkout.ends_with(&format!("{line} --dry-run"), 0);
            } else if NAMES.contains(&&*shown) {
                checkout.ends_with(&shown, 2);
            } else if line.starts_with("portico bridge") {
                bridge = Some(checkout.bridge(&line));
            } else if line.contains("/dev/pts/") {
                let (words, _) = line.rsplit_once(' ').unwrap();
                let (_, path) = bridge.as_ref().expect("a bridge before its host");
                checkout.ends_with(&format!("{words} {path}"), 0);
            } else if let Some((words, settings)) = line.split_once("/dev/ttyUSB0") {
                let (_board, path) = checkout.bridge(&format!("portico bridge --golden {settings}"));
                checkout.ends_with(&format!("{words}{path} {settings}"), 0);
            } else {
                checkout.ends_with(&line, 0);
            }
        }
    }
}

fn shorter(shown: &str) -> String {
    let is_name = NAMES.contains(&shown);
    let row = SHORTER.iter().find(|(whole, _)| !is_name && fits(whole, shown));
    with_fabric(row.map_or(shown, |(_, shorter)| shorter))
}

fn with_fabric(line: &str) -> String {
    line.replace("FABRIC", FABRIC)
}

/// Whether a row is that of a command.
fn fits(whole: &str, shown: &str) -> bool {
    match whole.strip_suffix("..") {
        Some(first) => shown.starts_with(first),
        None => shown == whole,
    }
}

#[test]
fn commands_of_the_readme_run() {
    run(&["README.md".to_owned()]);
}

#[test]
fn commands_of_the_tutorial_run() {
    run(&["docs/tutorial.md".to_owned()]);
}

#[test]
fn commands_of_the_other_pages_run() {
    let mut others = pages();
    others.retain(|page| page != "README.md" && page != "docs/tutorial.md");
    run(&others);
}

/// A shorter form has the same first words, and no row outlives its page.
#[test]
fn every_exception_is_a_command_of_a_page() {
    let shown: BTreeSet<String> = pages().iter().flat_map(|page| commands(&text(page))).collect();
    for (whole, shorter) in SHORTER {
        let is_used = shown
            .iter()
            .any(|command| self::shorter(command) == with_fabric(shorter) && fits(whole, command));
        assert!(is_used, "no page shows {whole}");
    }
    for exception in PARSED.iter().chain(&NAMES) {
        assert!(shown.contains(*exception), "no page shows {exception}");
    }
    for (whole, shorter) in SHORTER {
        let words = |command: &str| command.split(['.', ' ']).take(2).map(str::to_owned).collect::<Vec<_>>();
        assert!(words(shorter).starts_with(&words(whole)), "{shorter}");
    }
}

/// The program reads the words before `--help` first, so it refuses a command that it cannot read.
#[test]
fn the_program_takes_every_command_of_the_pages() {
    let checkout = Checkout::new();
    let mut count = 0;
    for command in pages().iter().flat_map(|page| commands(&text(page))) {
        for part in command
            .split("&&")
            .flat_map(|part| part.split(['|', ';', '>']))
            .map(str::trim)
        {
            let has_placeholder = part.contains('<') || part.split(' ').any(|word| word == "FILE" || word == "DIR");
            if part.starts_with("portico ") && !part.starts_with("portico help") && !has_placeholder {
                checkout.ends_with(&format!("{part} --help"), 0);
                count += 1;
            }
        }
    }
    assert!(count > 90, "{count} commands found");
    let wrong = "```sh\nmake && portico sim mush | less  # no such\n```\nas `portico bench\nnoc --no-such` does";
    let found = commands(wrong);
    assert_eq!(
        found,
        ["make && portico sim mush | less", "portico bench noc --no-such"]
    );
    checkout.ends_with("portico sim mush --help", 2);
    checkout.ends_with("portico bench noc --no-such --help", 2);
}
