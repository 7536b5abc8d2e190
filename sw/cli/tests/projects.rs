//! Files that the program writes for other tools, tried with these tools: scripts of Vivado with Tcl, cores with FuseSoC, and two
//! fabrics in one project with Verilator, a C compiler, FuseSoC and a compiler of SystemRDL.

use portico_generate::design;
use portico_sim::{Optimise, Options, Source};
use portico_spec::Config;
use portico_synth::{tools_folder, vivado_project};
use std::{
    env, fs,
    path::Path,
    process::{Command, Output, Stdio},
};
use tempfile::TempDir;

/// Runs the program in `folder`, where it succeeds.
fn portico(folder: &Path, arguments: &str) {
    let program = env!("CARGO_BIN_EXE_portico");
    succeeds(Command::new(program).args(arguments.split_whitespace()), folder);
}

/// Standard output of a command that succeeds in `folder`.
fn succeeds(command: &mut Command, folder: &Path) -> String {
    let output = ends(command, folder);
    let errors = String::from_utf8_lossy(&output.stderr);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{command:?}: {printed}{errors}");
    printed
}

fn ends(command: &mut Command, folder: &Path) -> Output {
    command.current_dir(folder).stdin(Stdio::null());
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// A program of the pinned tools.
fn tool(name: &str) -> Command {
    let tools = tools_folder().expect("PORTICO_TOOLS is right");
    let bin = tools.expect("the tools are set up: run `make tools`").join("bin");
    let mut path = vec![bin.clone()];
    path.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
    let mut command = Command::new(bin.join(name));
    command.env("PATH", env::join_paths(path).unwrap());
    command
}

/// What FuseSoC prints. Settings and cores of the user's are left alone.
fn fusesoc(folder: &Path, arguments: &[&str]) -> String {
    let mut command = tool("fusesoc");
    command.env("XDG_CONFIG_HOME", folder).env("XDG_DATA_HOME", folder);
    succeeds(command.args(["--cores-root", "."]).args(arguments), folder)
}

/// Lints Verilog that has a test bench in it.
fn lints(folder: &Path, top: &str, arguments: &[&str], files: &[String]) {
    let mut lint = tool("verilator");
    lint.args([
        "--lint-only",
        "--timing",
        "-Wall",
        "-Wno-PINCONNECTEMPTY",
        "-Wno-UNUSEDSIGNAL",
    ]);
    succeeds(lint.args(["--top-module", top]).args(arguments).args(files), folder);
}

/// Whether there is Icarus; without it a line tells that it was not run.
fn has_icarus() -> bool {
    let is_there = Command::new("iverilog").arg("-V").output().is_ok();
    if !is_there {
        println!("not run: Icarus is not installed; on Debian: apt-get install iverilog");
    }
    is_there
}

/// What a simulation under Icarus prints.
fn under_icarus(folder: &Path, files: &[String]) -> String {
    let mut compile = Command::new("iverilog");
    compile.args(["-g2005", "-Wall", "-I.", "-o", "bench.vvp"]).args(files);
    succeeds(&mut compile, folder);
    succeeds(Command::new("vvp").arg("bench.vvp"), folder)
}

/// Commands of Vivado that write their call into `calls`, and answer as after a run that went well.
const STUBS: &str = "\
set calls [open calls w]
foreach command {create_project add_files set_property launch_runs wait_on_run open_run report_utilization report_timing_summary} {
    proc $command {args} [format {puts $::calls [list %s {*}$args]} $command]
}
proc current_fileset {} { return sources_1 }
proc get_runs {name} { return $name }
proc get_property {name run} {
    switch $name {
        PROGRESS { return 100% }
        STATS.WNS { return $::slack }
        STATS.WHS - STATS.TPWS { return 0 }
        DIRECTORY { return [file join [pwd] impl] }
    }
}
set slack [lindex $argv 0]
set script [lindex $argv 1]
source $script
close $calls
";

/// Runs a script of Vivado under Tcl with the stubs, in the folder of its project.
fn source(folder: &Path, script: &str, slack: &str) -> Output {
    fs::write(folder.join("stubs.tcl"), STUBS).unwrap();
    let mut tcl = Command::new("tclsh");
    // On Debian: apt-get install tcl.
    ends(tcl.args(["stubs.tcl", slack, script]), folder)
}

/// The calls of the commands of Vivado, without the path of the folder.
fn calls(folder: &Path) -> String {
    let path = folder.canonicalize().unwrap().display().to_string();
    fs::read_to_string(folder.join("calls")).unwrap().replace(&path, "F")
}

/// The comments that open a script are those of the Verilog.
fn says_what_it_is_of(folder: &Path, top: &str) {
    let [verilog, script] = ["v", "tcl"].map(|end| fs::read_to_string(folder.join(format!("{top}.{end}"))).unwrap());
    let header: Vec<String> = verilog
        .lines()
        .take_while(|line| line.starts_with("//"))
        .map(|line| line.replacen("//", "#", 1))
        .collect();
    assert!(header.len() >= 2, "{verilog}");
    assert_eq!(script.lines().take(header.len()).collect::<Vec<_>>(), header);
}

#[test]
fn scripts_of_blocks_run() {
    let folder = TempDir::new().unwrap();
    portico(folder.path(), "synth router --target xilinx --out router");
    // The header of a fabric has several lines.
    let square = Config {
        cols: 2,
        rows: 2,
        ..Config::default()
    };
    let fabric = design("fabric", &square).unwrap();
    fs::create_dir(folder.path().join("fabric")).unwrap();
    for (name, text) in vivado_project(&fabric, "xc7a200tfbg484-2", "").unwrap() {
        fs::write(folder.path().join("fabric").join(name), text).unwrap();
    }
    for (block, lines) in [("router", 2), ("fabric", 3)] {
        let (folder, top) = (folder.path().join(block), format!("portico_{block}"));
        says_what_it_is_of(&folder, &top);
        let output = source(&folder, &format!("{top}.tcl"), "0");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let script = fs::read_to_string(folder.join(format!("{top}.tcl"))).unwrap();
        assert!(
            script.lines().take_while(|line| line.starts_with("# ")).count() > lines,
            "{script}"
        );
        let calls = calls(&folder);
        for wanted in [
            "set_property -name {STEPS.SYNTH_DESIGN.ARGS.MORE OPTIONS} -value {-mode out_of_context} -objects synth_1",
            &format!("add_files -norecurse F/{top}.v"),
        ] {
            assert!(calls.lines().any(|call| call == wanted), "{calls}");
        }
    }
}

#[test]
fn the_script_of_a_board_makes_its_bitstream_in_order() {
    let folder = TempDir::new().unwrap();
    portico(
        folder.path(),
        "vivado --board arty-a7-100t --set profile=leaf --set cols=2 --set rows=2 --out arty",
    );
    let (folder, top) = (folder.path().join("arty"), "portico_arty_a7_100t");
    says_what_it_is_of(&folder, top);
    // What write_bitstream leaves in the folder of its run.
    let bit = format!("{top}.bit");
    fs::create_dir(folder.join("impl")).unwrap();
    fs::write(folder.join("impl").join(&bit), "bits").unwrap();
    let script = format!("{top}.tcl");
    let output = source(&folder, &script, "0.5");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let expected = format!(
        "\
create_project -force -part xc7a100tcsg324-1 {top} F/{top}_project
add_files -norecurse F/{top}.v
add_files -norecurse -fileset constrs_1 F/{top}.xdc
set_property top {top} sources_1
launch_runs synth_1 -jobs 2
wait_on_run synth_1
launch_runs impl_1 -to_step write_bitstream -jobs 2
wait_on_run impl_1
open_run impl_1
report_utilization -hierarchical -file F/{top}_utilization.rpt
report_timing_summary -file F/{top}_timing.rpt
"
    );
    assert_eq!(calls(&folder), expected);
    assert_eq!(fs::read_to_string(folder.join(&bit)).unwrap(), "bits");

    fs::remove_file(folder.join(&bit)).unwrap();
    let output = source(&folder, &script, "-1.25");
    let errors = String::from_utf8_lossy(&output.stderr);
    let told = format!("{top} misses its timing by 1.25 ns (WNS): see {top}_timing.rpt");
    assert!(!output.status.success() && errors.contains(&told), "{errors}");
    assert!(!folder.join(&bit).exists());
}

/// Prefix and configuration of two fabrics of different width and depth.
const TWO: [&str; 2] = [
    "--prefix left --set profile=leaf --set cols=1 --set rows=1",
    "--prefix right --set profile=leaf --set cols=2 --set rows=1 --set width=64 --set fifo=8",
];

#[test]
fn two_fabrics_elaborate_in_one_design() {
    let folder = TempDir::new().unwrap();
    for fabric in TWO {
        portico(folder.path(), &format!("generate fabric {fabric} --out ."));
    }
    let top = "module both;\n    left_fabric left ();\n    right_fabric right ();\nendmodule\n";
    fs::write(folder.path().join("both.v"), top).unwrap();
    let mut lint = tool("verilator");
    let files = ["left_fabric.v", "right_fabric.v", "both.v"];
    // Ports are open here; a module of two texts is an error whatever is switched off.
    lint.args(["--lint-only", "-Wno-lint", "-Wno-style", "--top-module", "both"]);
    succeeds(lint.args(files), folder.path());
    let same = fs::read_to_string(folder.path().join("right_fabric.v"))
        .unwrap()
        .replace("right_", "left_");
    fs::write(folder.path().join("right_fabric.v"), same).unwrap();
    let mut lint = tool("verilator");
    lint.args([
        "--lint-only",
        "-Wno-style",
        "-Wno-PINMISSING",
        "--top-module",
        "left_fabric",
    ]);
    let refused = ends(lint.args(&files[..2]), folder.path());
    let errors = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && errors.contains("MODDUP"), "{errors}");
}

#[test]
fn registers_of_two_fabrics_compile_together() {
    let folder = TempDir::new().unwrap();
    for (fabric, name) in TWO.into_iter().zip(["left", "right"]) {
        portico(folder.path(), &format!("registers --form c {fabric} --out {name}.h"));
        portico(
            folder.path(),
            &format!("registers --form systemrdl {fabric} --out {name}.rdl"),
        );
        portico(folder.path(), &format!("generate fabric {fabric} --out ."));
        // The hash is that of the Verilog.
        let [header, verilog] = [format!("{name}.h"), format!("{name}_fabric.v")]
            .map(|file| fs::read_to_string(folder.path().join(file)).unwrap());
        let (_, rest) = verilog.split_once(", configuration ").unwrap();
        let hash = rest.split(':').next().unwrap();
        let line = format!("#define {}_CONFIGURATION 0x{hash}u ", name.to_uppercase());
        assert!(header.lines().any(|found| found.starts_with(&line)), "{line}");
    }
    let checks = [
        ("WORD_BYTES", 4, 8),
        ("TILES", 1, 2),
        ("HOST_NODE", 16, 16),
        ("EVENTS_ITEMS", 16, 16),
    ];
    let checks = checks.map(|(name, left, right)| {
        format!("_Static_assert(LEFT_{name} == {left} && RIGHT_{name} == {right}, \"{name}\");\n")
    });
    let program = format!("#include \"left.h\"\n#include \"right.h\"\n{}", checks.concat());
    fs::write(folder.path().join("both.c"), program).unwrap();
    let compiler = env::var("CC").unwrap_or("cc".into());
    let flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "both.c"];
    succeeds(Command::new(compiler).args(flags), folder.path());

    let script = "import sys\nfrom systemrdl import RDLCompiler\ncompiler = RDLCompiler()\n\
        [compiler.compile_file(path) for path in sys.argv[1:]]\nprint(*compiler.root.comp_defs)\n";
    let maps = succeeds(
        tool("python3").args(["-c", script, "left.rdl", "right.rdl"]),
        folder.path(),
    );
    assert_eq!(
        maps.trim(),
        "left_tile left_host left_memory_node right_tile right_host right_memory_node"
    );
}

#[test]
fn cores_of_two_depths_are_in_one_project_of_fusesoc() {
    let folder = TempDir::new().unwrap();
    for (name, depth) in [("left", 4), ("right", 8)] {
        let arguments = format!("synth fifo --prefix {name} --set fifo={depth} --target xilinx --out {name}");
        portico(folder.path(), &arguments);
    }
    let both =
        "CAPI=2:\nname: \"::both:1.0\"\nfilesets:\n  rtl:\n    files: [both.v]\n    file_type: verilogSource\n    \
        depend: [\"portico:portico:left_fifo\", \"portico:portico:right_fifo\"]\n\
        targets:\n  lint:\n    filesets: [rtl]\n    toplevel: both\n    flow: lint\n    \
        flow_options: {tool: verilator, verilator_options: [-Wno-PINMISSING, -Wno-DECLFILENAME]}\n";
    fs::write(folder.path().join("both.core"), both).unwrap();
    let top = "module both;\n    left_fifo left ();\n    right_fifo right ();\nendmodule\n";
    fs::write(folder.path().join("both.v"), top).unwrap();
    let fusesoc = |arguments: &[&str]| fusesoc(folder.path(), arguments);
    for (name, depth) in [("left", 4), ("right", 8)] {
        let core = format!("portico:portico:{name}_fifo:{}", env!("CARGO_PKG_VERSION"));
        let shown = fusesoc(&["core", "show", &core]);
        let described = shown
            .lines()
            .find(|line| line.starts_with("Description:"))
            .expect("a description");
        assert!(
            described.contains("block fifo, configuration ") && !shown.contains("//"),
            "{shown}"
        );
        assert!(described.ends_with(&format!("width = 32, fifo = {depth}")), "{shown}");
        fusesoc(&["run", "--target", "lint", &core]);
    }
    fusesoc(&["run", "--target", "lint", "::both:1.0"]);
}

/// A block, its core, its test bench and its wrapper for Vivado, as `portico generate --core --template` writes them.
#[test]
fn a_generated_core_is_accepted_and_its_bench_runs() {
    let folder = TempDir::new().unwrap();
    portico(
        folder.path(),
        "generate fabric --set profile=leaf --set cols=1 --set rows=1 --core --template --out .",
    );
    portico(folder.path(), "generate fifo --core --template --out .");
    for top in ["portico_fabric", "portico_fifo"] {
        let core = format!("portico:portico:{top}:{}", env!("CARGO_PKG_VERSION"));
        let shown = fusesoc(folder.path(), &["core", "show", &core]);
        for target in ["lint", "sim", "synth"] {
            assert!(shown.lines().any(|line| line.starts_with(target)), "{shown}");
        }
        let [verilog, bench, wrapper] = [".v", "_tb.v", "_ip.v"].map(|end| format!("{top}{end}"));
        for (file, module) in [(&bench, "tb"), (&wrapper, "ip")] {
            let files = [file.clone(), verilog.clone()];
            lints(folder.path(), &format!("{top}_{module}"), &[], &files);
        }
        if !has_icarus() {
            continue;
        }
        let run = |file: &str| under_icarus(folder.path(), &[file.to_string(), verilog.clone()]);
        let said = run(&bench);
        assert!(said.starts_with(&format!("{top}: PASS: ")), "{said}");
        // A reset that does not end, or a handshake that nobody drives.
        let text = fs::read_to_string(folder.path().join(&bench)).unwrap();
        let (from, to) = match top {
            "portico_fabric" => ("rst = 0;", "rst = 1;"),
            _ => (".m_axis_tvalid(m_axis_tvalid)", ".m_axis_tvalid()"),
        };
        assert!(text.contains(from), "{text}");
        fs::write(folder.path().join("faulty_tb.v"), text.replace(from, to)).unwrap();
        let said = run("faulty_tb.v");
        assert!(said.starts_with(&format!("{top}: FAIL: ")), "{said}");
    }
}

/// Files of examples/soc, with the fabric and its macros generated into the folder as the example says.
fn chip(folder: &Path) -> Vec<String> {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/soc");
    portico(
        folder,
        &format!("generate fabric --config {example}/fabric.toml --out ."),
    );
    portico(
        folder,
        &format!("registers --form verilog --config {example}/fabric.toml --out portico_ni.vh"),
    );
    let mut files = vec!["portico_fabric.v".to_owned()];
    for file in fs::read_dir(example).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "v") {
            files.push(path.display().to_string());
        }
    }
    assert_eq!(files.len(), 8);
    files
}

/// A master that compares wrong words, and a core that does not double: each a file, and what is replaced there.
const CHIP_FAULTS: [[&str; 3]; 2] = [
    [
        "put_master.v",
        "COPY + {26'd0, word, 2'b00}",
        "COPY + {26'd0, word + 4'd1, 2'b00}",
    ],
    ["doubler.v", "{s_axis_tdata[30:0], 1'b0}", "s_axis_tdata"],
];

/// The masters beside both tiles end well; with each fault one says so.
fn passes_and_fails(folder: &Path, faults: &[[&str; 3]], run: impl Fn(&[String]) -> String) {
    let files = chip(folder);
    let said = run(&files);
    assert!(said.contains("soc: PASS: 8 words"), "{said}");
    for [file, from, to] in faults {
        let mut files = files.clone();
        let at = files.iter().position(|path| path.ends_with(file)).unwrap();
        let text = fs::read_to_string(&files[at]).unwrap();
        let wrong = text.replace(from, to);
        assert_ne!(wrong, text);
        files[at] = folder.join("wrong.v").display().to_string();
        fs::write(&files[at], wrong).unwrap();
        let said = run(&files);
        assert!(said.contains("soc: FAIL: a word or an answer"), "{said}");
    }
}

#[test]
fn a_chip_around_a_fabric_runs_under_verilator() {
    let folder = tempfile::tempdir().unwrap();
    // A fault is a model more: Icarus has them all.
    passes_and_fails(folder.path(), &CHIP_FAULTS[..1], |files| {
        lints(folder.path(), "soc_tb", &["-Wno-DECLFILENAME", "-I."], files);

        // The test bench of the example wants delays; here the clock is the model's.
        let is_chip = |file: &&String| file.ends_with("/soc.v");
        let chip = fs::read_to_string(files.iter().find(is_chip).unwrap()).unwrap();
        let source = Source::new("soc", chip).input("clk", 1).input("rst", 1);
        let mut source = source.output("done", 1).output("failed", 1);
        let others = files.iter().filter(|file| !is_chip(file) && !file.ends_with("_tb.v"));
        source.extra = others.map(|file| folder.path().join(file)).collect();
        let options = Options {
            lint: false,
            optimise: Optimise::Build,
            ..Options::default()
        };
        let mut model = portico_sim::build(source, &options).unwrap().model();
        let [done, failed] = ["done", "failed"].map(|port| model.output(port).unwrap());
        let rst = model.input("rst").unwrap();
        for cycle in 0..20_000 {
            model.set(rst, u64::from(cycle < 10));
            model.settle();
            match (cycle > 10 && model.get(done) == 1, model.get(failed)) {
                (true, 0) => return "soc: PASS: 8 words".into(),
                (true, _) => return "soc: FAIL: a word or an answer".into(),
                _ => model.tick(),
            }
        }
        "a master has not ended".into()
    });
}

#[test]
fn a_chip_around_a_fabric_runs_under_icarus() {
    if !has_icarus() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    passes_and_fails(folder.path(), &CHIP_FAULTS, |files| under_icarus(folder.path(), files));
}
