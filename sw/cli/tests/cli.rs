//! The program itself: what it prints, what it writes, how it ends.

use portico_synth::{locate, Tool};
use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Output, Stdio},
};
use tempfile::TempDir;

/// Runs `portico` in `folder`; `arguments` are separated by blanks.
fn portico(folder: &Path, arguments: &str) -> Output {
    command(folder, arguments).output().unwrap()
}

fn command(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_portico"));
    command.current_dir(folder).args(arguments.split_whitespace());
    // The width of help, and what is logged, are those of nobody's terminal.
    command
        .env_remove("COLUMNS")
        .env_remove("RUST_LOG")
        .stdin(Stdio::null());
    command
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// Standard output of a run that succeeds and has nothing to complain of.
fn success(folder: &Path, arguments: &str) -> String {
    success_after(folder, arguments, "")
}

/// Standard output of a run that succeeds and prints these steps to standard error.
fn success_after(folder: &Path, arguments: &str, steps: &str) -> String {
    let output = portico(folder, arguments);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), errors.as_str()), (Some(0), steps), "{arguments}");
    String::from_utf8(output.stdout).unwrap()
}

/// Standard error of a run that ends with `status` and prints nothing else.
fn failure(folder: &Path, arguments: &str, status: i32) -> String {
    let output = portico(folder, arguments);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(status), "{arguments}: {errors}");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "", "{arguments}");
    errors
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

const KEYS: &str =
    "cols, rows, width, fifo, edge_nodes, monitors, memories, memory_address, scratchpad, cores, windows, segments, events, slots, \
                    mailboxes, shapers, queues, programs, wide_atomics, commands, tile_ports, registers_at_tiles, host_profile, \
                    host_scratchpad, host_queues, probe, streams, mpe, mpe_neighbours, portals, portals_log, stages, entries, buckets, heap, block, profile";

#[test]
fn help_teaches() {
    let folder = folder();
    insta::assert_snapshot!("help", success(folder.path(), "--help"));
    insta::assert_snapshot!("help_synth", success(folder.path(), "synth --help"));
    insta::assert_snapshot!("help_generate", success(folder.path(), "generate --help"));
    for command in [
        "list",
        "check",
        "registers",
        "sim mesh",
        "sim fabric",
        "sweep",
        "run",
        "bridge",
        "bench noc",
        "bench onesided",
        "bench collectives",
        "bench exchange",
        "bench lists",
        "bench mpi",
        "bench portals",
        "bench blocks",
        "bench soak",
        "figures",
        "synth",
        "bitstream",
        "vivado",
        "program",
    ] {
        let help = success(folder.path(), &format!("{command} --help"));
        assert!(help.contains("Usage: portico "), "{command}");
        let example = format!("portico {command}");
        assert!(help.matches(&example).count() >= 2, "{command} has an example");
    }
}

/// A checkout of one page and one file of figures.
fn checkout(page: &str) -> TempDir {
    let folder = folder();
    let figures = folder.path().join("docs/figures");
    fs::create_dir_all(&figures).unwrap();
    fs::write(folder.path().join("README.md"), page).unwrap();
    let tables = r#"
        [use]
        by = ["fifo"]
        column = [{ title = "flits", digits = 2 }]
        [broken]
        by = ["depth"]
        column = []"#;
    fs::write(figures.join("tables.toml"), tables).unwrap();
    let report = r#"{"command": "portico bench noc", "tools": {"verilator": "5"}, "config": {}, "rows": [
        {"bench": "noc", "name": "use", "unit": "flits", "paper": null, "limit": null, "bound": null, "better": "more",
         "value": 0.5, "fifo": 2}]}"#;
    fs::write(figures.join("noc.json"), report).unwrap();
    folder
}

#[test]
fn the_pages_of_the_project_show_its_figures() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = success(&project, "figures --check");
    assert!(text.contains("tables: the pages show the figures"), "{text}");
}

#[test]
fn figures_fill_the_tables_of_a_page_and_check_tells_a_difference() {
    let page = "# Use\n\n<!-- figures: noc.json use -->\nold\n<!-- end of figures -->\n\nThe end.\n";
    let folder = checkout(page);
    let read = || fs::read_to_string(folder.path().join("README.md")).unwrap();
    assert_eq!(
        failure(folder.path(), "figures --check", 1),
        "error: README.md line 4: the page has `old`, docs/figures/noc.json gives `| fifo | flits |`; `portico figures` \
         writes it\n"
    );
    assert_eq!(read(), page);
    assert_eq!(success(folder.path(), "figures"), "1 table, 1 page written\n");
    assert_eq!(
        read(),
        page.replace(
            "old\n",
            "| fifo | flits |\n| --- | --- |\n| 2 | 0.50 |\n\nMeasured by `portico bench noc`: verilator 5.\n"
        )
    );
    success(folder.path(), "figures --check");
    assert_eq!(success(folder.path(), "figures"), "1 table, 0 pages written\n");
    fs::write(folder.path().join("README.md"), read().replace("0.50", "0.51")).unwrap();
    let error = failure(folder.path(), "figures --check", 1);
    assert!(
        error.contains("README.md line 6: the page has `| 2 | 0.51 |`"),
        "{error}"
    );
}

#[test]
fn a_marker_that_cannot_be_filled_is_told_by_page_and_line_and_nothing_is_written() {
    let good = "<!-- figures: noc.json use -->\n<!-- end of figures -->\n";
    for (marker, fault) in [
        (
            "<!-- figures: noc.json share -->\n<!-- end of figures -->\n",
            "no table `share` in docs/figures/tables.toml; there are broken, use",
        ),
        (
            "<!-- figures: dma.json use -->\n<!-- end of figures -->\n",
            "cannot read docs/figures/dma.json: ",
        ),
        (
            "<!-- figures: noc.json broken -->\n<!-- end of figures -->\n",
            "no row has the key `depth`",
        ),
        (
            "<!-- figures: noc.json -->\n<!-- end of figures -->\n",
            "unknown marker `<!-- figures: noc.json -->`",
        ),
        (
            "<!-- figures: noc.json use -->\n",
            "the marker is not closed by `<!-- end of figures -->`",
        ),
    ] {
        let page = format!("{good}{marker}");
        let folder = checkout(&page);
        for arguments in ["figures", "figures --check"] {
            let error = failure(folder.path(), arguments, 2);
            assert!(
                error.starts_with("error: README.md line 3: ") && error.contains(fault),
                "{error}"
            );
        }
        assert_eq!(fs::read_to_string(folder.path().join("README.md")).unwrap(), page);
    }
    let folder = checkout(good);
    fs::remove_file(folder.path().join("docs/figures/tables.toml")).unwrap();
    let error = failure(folder.path(), "figures", 2);
    assert!(
        error.starts_with("error: cannot read docs/figures/tables.toml: "),
        "{error}"
    );
}

#[test]
fn list_tells_what_there_is() {
    insta::assert_snapshot!("list", success(folder().path(), "list"));
}

#[test]
fn list_and_check_print_json() {
    let folder = folder();
    let json = |arguments: &str| serde_json::from_str::<serde_json::Value>(&success(folder.path(), arguments)).unwrap();
    let listed = json("list --json");
    let text = success(folder.path(), "list");
    for (kind, name) in [
        ("blocks", "mesh"),
        ("keys", "cols"),
        ("profiles", "leaf"),
        ("boards", "ulx3s-85f"),
    ] {
        let entries = listed[kind].as_array().unwrap();
        assert!(entries.iter().any(|entry| entry["name"] == name), "{kind}");
        for entry in entries {
            assert!(
                text.contains(&format!("\n {} ", entry["name"].as_str().unwrap())),
                "{entry}"
            );
        }
    }
    assert_eq!(listed["patterns"][0], "uniform");
    for (name, default) in [
        ("cols", serde_json::json!(4)),
        ("monitors", serde_json::json!(true)),
        ("host_profile", serde_json::json!("leaf")),
    ] {
        let keys = listed["keys"].as_array().unwrap();
        let key = keys.iter().find(|key| key["name"] == name).unwrap();
        assert_eq!(key["default"], default, "{key}");
    }
    let full = &listed["profiles"][0]["settings"];
    assert_eq!(
        (&full["windows"], &full["probe"]),
        (&serde_json::json!(256), &serde_json::json!(false))
    );

    fs::write(folder.path().join("mesh.toml"), "cols = 1\nrows = 1\n").unwrap();
    let checked = json("check mesh.toml --set fifo=16 --json");
    assert_eq!(
        (&checked["config"]["cols"], &checked["config"]["fifo"]),
        (&1.into(), &16.into())
    );
    assert_eq!(checked["config"]["monitors"], true);
    assert_eq!(
        checked["free_of_deadlock"]["mesh"],
        serde_json::json!({"channels": 4, "dependencies": 3})
    );
    assert!(checked["free_of_deadlock"]["fabric"]["channels"].as_u64().unwrap() > 4);
    let wrong = failure(folder.path(), "check mesh.toml --set fifo=17 --json", 2);
    assert_eq!(wrong, "error: fifo = 17 is not allowed: allowed is 2..=16\n");
}

#[test]
fn a_setting_that_is_not_allowed_is_one_line_and_status_2() {
    let folder = folder();
    for (setting, line) in [
        (
            "colls=4",
            format!("unknown key colls (= 4): did you mean cols? the keys are {KEYS}"),
        ),
        (
            "cols=four",
            "cols = \"four\" is not an integer: allowed is 1..=16".into(),
        ),
        ("cols=17", "cols = 17 is not allowed: allowed is 1..=16".into()),
        ("width=48", "width = 48 is not allowed: allowed is 32 or 64".into()),
        (
            "monitors=1",
            "monitors = 1 is not a boolean: allowed is true or false".into(),
        ),
        (
            "edge_nodes=5",
            "edge_nodes = 5 is not allowed with cols = 4: allowed is 0..=4".into(),
        ),
        (
            "cols",
            format!("\"cols\" is not a setting: allowed is key=value, where the keys are {KEYS}"),
        ),
    ] {
        for command in ["generate mesh", "sim mesh", "bench noc", "synth router --target ecp5"] {
            // The benchmark varies the size itself, and says so first.
            if command == "bench noc" && setting.starts_with(['c', 'e']) {
                continue;
            }
            let errors = failure(folder.path(), &format!("{command} --set {setting}"), 2);
            assert_eq!(errors, format!("error: {line}\n"), "{command}");
        }
    }
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn a_file_that_is_not_allowed_is_a_line_for_each_fault_and_status_2() {
    let folder = folder();
    for (text, line) in [
        (
            "colour = \"red\"",
            format!("unknown key colour (= \"red\"): the keys are {KEYS}"),
        ),
        ("cols = 4.0", "cols = 4.0 is not an integer: allowed is 1..=16".into()),
        ("rows = 0", "rows = 0 is not allowed: allowed is 1..=16".into()),
        (
            "edge_nodes = 3\ncols = 2",
            "edge_nodes = 3 is not allowed with cols = 2: allowed is 0..=2".into(),
        ),
    ] {
        fs::write(folder.path().join("mesh.toml"), text).unwrap();
        for command in ["check mesh.toml", "generate mesh --config mesh.toml --out build"] {
            let errors = failure(folder.path(), command, 2);
            assert_eq!(errors, format!("error: mesh.toml: {line}\n"), "{command}");
        }
    }
    // Rules over several keys hold when all keys are set.
    fs::write(folder.path().join("mesh.toml"), "edge_nodes = 8\n").unwrap();
    success(folder.path(), "check mesh.toml --set cols=8");
    let narrow = failure(folder.path(), "check mesh.toml --set cols=7", 2);
    assert_eq!(
        narrow,
        "error: edge_nodes = 8 is not allowed with cols = 7: allowed is 0..=7\n"
    );
    fs::write(folder.path().join("mesh.toml"), "rows = 0\ncols = 17\n").unwrap();
    assert_eq!(
        failure(folder.path(), "check mesh.toml --set fifo=1", 2),
        "error: mesh.toml: cols = 17 is not allowed: allowed is 1..=16\n\
         mesh.toml: rows = 0 is not allowed: allowed is 1..=16\n\
         fifo = 1 is not allowed: allowed is 2..=16\n"
    );
    fs::write(folder.path().join("mesh.toml"), "cols = 2\nrows 2\n").unwrap();
    let errors = failure(folder.path(), "check mesh.toml", 2);
    assert!(errors.starts_with("error: mesh.toml: line 2, \"rows 2\": "), "{errors}");
    assert_eq!(errors.lines().count(), 1, "{errors}");
    assert_eq!(names(folder.path()), ["mesh.toml"]);
}

#[test]
fn a_file_that_cannot_be_read_is_one_line_and_status_1() {
    assert_eq!(
        failure(folder().path(), "check none.toml", 1),
        "error: cannot read none.toml: No such file or directory (os error 2)\n"
    );
}

#[test]
fn registers_come_in_every_form() {
    let folder = folder();
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/registers.md");
    assert_eq!(success(folder.path(), "registers"), fs::read_to_string(docs).unwrap());
    let header = success(folder.path(), "registers --form c --set width=64");
    let bytes = header
        .lines()
        .find(|line| line.starts_with("#define PORTICO_WORD_BYTES "));
    assert!(bytes.is_some_and(|line| line.contains("0x8u")), "{header}");
    let said = success(folder.path(), "registers --form systemrdl --out new/portico_ni.rdl");
    assert!(said.starts_with("wrote new/portico_ni.rdl: "), "{said}");
    let text = fs::read_to_string(folder.path().join("new/portico_ni.rdl")).unwrap();
    for node in ["tile", "host", "memory_node"] {
        assert!(text.contains(&format!("addrmap portico_{node} {{")), "{text}");
    }
    failure(folder.path(), "registers --form pdf", 2);
}

#[test]
fn a_new_configuration_has_every_key_and_replaces_nothing_unasked() {
    let folder = folder();
    let path = folder.path().join("portico.toml");
    let said = success(folder.path(), "new --set profile=leaf --set cols=3");
    assert_eq!(said, "wrote portico.toml: check it with `portico check`\n");
    let written = fs::read_to_string(&path).unwrap();
    assert!(success(folder.path(), "check portico.toml").starts_with(&written));
    assert!(
        written.contains("\ncols = 3\n") || written.starts_with("cols = 3\n"),
        "{written}"
    );
    assert_eq!(
        failure(folder.path(), "new", 2),
        "error: portico.toml exists: name another file, or replace it with --force\n"
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), written);
    success(folder.path(), "new --force");
    assert_ne!(fs::read_to_string(&path).unwrap(), written);
    failure(folder.path(), "new other.toml --set cols=0", 2);
    assert_eq!(names(folder.path()), ["portico.toml"]);
}

#[test]
fn the_doctor_tells_what_is_there_and_what_is_missing() {
    let folder = folder();
    let said = success(folder.path(), "doctor");
    for tool in ["Verilator", "Yosys", "C++ compiler"] {
        assert!(said.contains(tool), "{said}");
    }
    let output = command(folder.path(), "doctor")
        .env("PORTICO_YOSYS", "no-such-yosys")
        .env("CXX", "true")
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("no-such-yosys") && said.contains("CXX=true"), "{said}");
    // A tool that only the tests of Portico need may be missing.
    let output = command(folder.path(), "doctor")
        .env("PORTICO_SBY", "no-such-sby")
        .output()
        .unwrap();
    let said_of_tests = String::from_utf8(output.stdout).unwrap();
    let (users, tests) = said_of_tests.split_once("For the tests of Portico alone:").unwrap();
    assert!(
        tests.contains("no-such-sby") && !users.contains("SymbiYosys"),
        "{said_of_tests}"
    );
    assert_eq!(output.status.code(), Some(0));
    let output = command(folder.path(), "doctor")
        .env("CXX", "LC_ALL=C env c++")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let output = command(folder.path(), "doctor")
        .env("PORTICO_YOSYS", "no-such-yosys")
        .env("CXX", "true")
        .output()
        .unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        (output.status.code(), errors.as_str()),
        (Some(1), "error: 2 tools are missing\n")
    );
}

#[test]
fn shells_complete_every_command() {
    let folder = folder();
    for shell in ["bash", "zsh", "fish"] {
        let script = success(folder.path(), &format!("completions {shell}"));
        for command in ["generate", "bitstream", "completions"] {
            assert!(script.contains(command), "{shell}: {command}");
        }
    }
    failure(folder.path(), "completions tcl", 2);
}

#[test]
fn check_prints_a_configuration_that_reads_back() {
    let folder = folder();
    fs::write(folder.path().join("mesh.toml"), "cols = 1\nrows = 1\n").unwrap();
    let full = success(folder.path(), "check mesh.toml --set fifo=16");
    assert!(
        full.contains("\n# Depth of a router's input FIFO, in flits. (2..=16)\nfifo = 16\n"),
        "{full}"
    );
    assert!(
        full.contains("\n# mesh free of deadlock: 4 channels, 3 dependencies between them, no cycle\n"),
        "{full}"
    );
    // Both planes, of a tile and the host: what is ejected may wait for an injection.
    assert!(full.contains("\n# fabric free of deadlock: "), "{full}");
    fs::write(folder.path().join("full.toml"), &full).unwrap();
    assert_eq!(success(folder.path(), "check full.toml"), full);
}

/// A folder with the project's examples of a configuration and a top.
fn examples() -> TempDir {
    let folder = folder();
    for name in ["portico.toml", "top.v"] {
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
        fs::copy(example, folder.path().join(name)).unwrap();
    }
    folder
}

#[test]
fn the_example_of_a_configuration_has_every_key() {
    let folder = examples();
    let printed = success(folder.path(), "check portico.toml");
    let example = fs::read_to_string(folder.path().join("portico.toml")).unwrap();
    let settings = |text: &str| {
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let mut expected = settings(&printed);
    expected.insert(0, "profile = \"compact\"".into());
    assert_eq!(settings(&example), expected);
}

#[test]
fn the_example_of_a_top_takes_the_fabric_of_the_example() {
    let folder = examples();
    success(folder.path(), "generate fabric --config portico.toml --out .");
    let lint = || {
        // Outputs that nobody reads are left open.
        let output = locate(Tool::Verilator)
            .unwrap()
            .command()
            .args(["--lint-only", "-Wall", "-Wno-PINCONNECTEMPTY", "--top-module", "top"])
            .args(["top.v", "portico_fabric.v"])
            .current_dir(folder.path())
            .output()
            .unwrap();
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        let findings: Vec<&str> = said.lines().filter(|line| line.starts_with('%')).collect();
        assert_eq!(output.status.success(), findings.is_empty(), "{said}");
        findings.join("\n")
    };
    assert_eq!(lint(), "");
    // A port that is left out is found.
    let top = fs::read_to_string(folder.path().join("top.v")).unwrap();
    let without = top.replace("        .s_axil_wready(s_axil_wready),\n", "");
    assert_ne!(without, top);
    fs::write(folder.path().join("top.v"), without).unwrap();
    let found = lint();
    assert!(
        found.contains("PINMISSING") && found.contains("s_axil_wready"),
        "{found}"
    );
}

#[test]
fn arguments_that_are_not_allowed_have_status_2() {
    let folder = folder();
    fs::write(folder.path().join("trace.txt"), "0 0 16 1\n").unwrap();
    for (arguments, line) in [
        (
            "sim mesh --rate 1.5",
            "rate 1.5: allowed is more than 0, at most 1 flit per terminal and cycle",
        ),
        ("sim mesh --packet 66", "packet 66: allowed is 1 to 65 flits"),
        (
            "sim mesh --traffic transpose --set cols=3",
            "traffic `transpose` needs a square mesh of 2x2 or more; the mesh is 3x4",
        ),
        (
            "sim mesh --trace trace.txt",
            "trace.txt: trace line 1: destination `16`: allowed is 0 to 15",
        ),
        (
            "bench noc --mesh 4x4,17x2",
            "cols = 17 is not allowed: allowed is 1..=16",
        ),
        ("bench noc --fifo 1", "fifo = 1 is not allowed: allowed is 2..=16"),
        ("bench noc --packet 0", "packet 0: allowed is 1 to 65 flits"),
        (
            "bench noc --mesh 3x2 --pattern uniform,transpose",
            "traffic `transpose` needs a square mesh of 2x2 or more; the mesh is 3x2",
        ),
        (
            "bench noc --set fifo=8",
            "bench noc decides fifo itself: leave out --set fifo=...",
        ),
        (
            "synth fifo --target xilinx --seeds 1",
            "--seeds is not allowed with --target xilinx: allowed is --target ecp5",
        ),
        (
            "synth fifo --target xilinx --part x;y --out build",
            "part = \"x;y\", allowed: letters, digits, '-', '_' and '.'",
        ),
    ] {
        assert_eq!(failure(folder.path(), arguments, 2), format!("error: {line}\n"));
    }
    for (arguments, line) in [
        ("generate mehs", "error: invalid value 'mehs' for '<BLOCK>'"),
        (
            "generate fifo --split",
            "error: the following required arguments were not provided:",
        ),
        (
            "generate fifo --prefix 1st",
            "error: invalid value '1st' for '--prefix <PREFIX>': allowed are letters, digits and _, a digit not first",
        ),
        (
            "sim mesh --backpressure 1",
            "error: invalid value '1' for '--backpressure <PROBABILITY>': allowed is 0 to below 1",
        ),
        (
            "bench noc --mesh 4",
            "error: invalid value '4' for '--mesh <COLSxROWS,...>': allowed is COLSxROWS, such as 8x4",
        ),
        (
            "bench noc --load 0.5:0.1:0.1",
            "error: invalid value '0.5:0.1:0.1' for '--load <LOAD,...>': the range ends at 0.1: allowed is 0.5 to 1",
        ),
        (
            "sim mesh --traffic none",
            "error: invalid value 'none' for '--traffic <PATTERN>'",
        ),
        (
            "sim mesh --cycles 0",
            "error: invalid value '0' for '--cycles <CYCLES>': 0 is not in 1..=1000000000000",
        ),
        (
            "synth router",
            "error: the following required arguments were not provided:",
        ),
        ("build", "error: unrecognized subcommand 'build'"),
    ] {
        let errors = failure(folder.path(), arguments, 2);
        assert_eq!(errors.lines().next(), Some(line));
    }
    assert_eq!(names(folder.path()), ["trace.txt"]);
}

#[test]
fn verilog_goes_to_standard_output() {
    let folder = folder();
    let text = success(folder.path(), "generate fifo --set fifo=3 --prefix chip");
    let version = env!("CARGO_PKG_VERSION");
    let header: Vec<&str> = text.lines().take(2).collect();
    assert_eq!(header[0], "// SPDX-License-Identifier: Apache-2.0");
    assert!(
        header[1].starts_with(&format!("// Portico {version}, block fifo, configuration ")),
        "{text}"
    );
    assert!(header[1].ends_with(": width = 32, fifo = 3"));
    assert!(text.contains("\nmodule chip_fifo (\n"), "{text}");
    let warned = portico(folder.path(), "generate fifo --set fifo=3 --prefix chip --set cols=8");
    assert_eq!(String::from_utf8(warned.stdout).unwrap(), text);
    let warning = String::from_utf8(warned.stderr).unwrap();
    // Where no terminal reads there are no colours.
    assert!(warning.contains(" WARN cols does not shape block fifo"), "{warning}");
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn verilog_goes_into_files() {
    let folder = folder();
    let arguments = "generate mesh --set cols=2 --set rows=1 --out new/single --json new/mesh.json";
    let said = success(folder.path(), arguments);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 3, "{said}");
    assert!(lines[0].starts_with("mesh free of deadlock: "), "{said}");
    assert!(lines[1].starts_with("wrote new/single/portico_mesh.v: "), "{said}");
    assert_eq!(lines[2], "wrote new/mesh.json: summary");
    assert_eq!(names(&folder.path().join("new")), ["mesh.json", "single"]);
    assert_eq!(names(&folder.path().join("new/single")), ["portico_mesh.v"]);
    let whole = fs::read_to_string(folder.path().join("new/single/portico_mesh.v")).unwrap();

    let summary = fs::read_to_string(folder.path().join("new/mesh.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(summary["top"], "portico_mesh");
    assert_eq!(summary["config"]["cols"], 2);
    assert_eq!(summary["files"][0], "new/single/portico_mesh.v");
    let modules = summary["modules"].as_array().unwrap();

    success(
        folder.path(),
        "generate mesh --set cols=2 --set rows=1 --out split --split",
    );
    let files = names(&folder.path().join("split"));
    assert_eq!(files.len(), modules.len() + 1);
    let list = fs::read_to_string(folder.path().join("split/portico_mesh.f")).unwrap();
    assert_eq!(list.lines().count(), modules.len());
    for file in list.lines() {
        let text = fs::read_to_string(folder.path().join("split").join(file)).unwrap();
        let module = &text[text.find("module ").unwrap()..=text.rfind("endmodule").unwrap()];
        assert!(whole.contains(module), "{file}");
    }

    success(folder.path(), arguments);
    let again = fs::read_to_string(folder.path().join("new/single/portico_mesh.v")).unwrap();
    assert_eq!(again, whole, "the same configuration gives the same bytes");
}

#[test]
fn what_cannot_be_written_whole_is_not_written_at_all() {
    let folder = folder();
    fs::write(folder.path().join("file"), "mine").unwrap();
    fs::create_dir(folder.path().join("taken")).unwrap();
    let errors = failure(folder.path(), "generate fifo --out file", 1);
    assert!(
        errors.starts_with("error: cannot write file/portico_fifo.v: "),
        "{errors}"
    );
    assert_eq!(errors.lines().count(), 1);
    assert_eq!(
        failure(folder.path(), "generate fifo --out new/deep --json taken", 1),
        "error: cannot write taken: it is a folder\n"
    );
    assert_eq!(names(folder.path()), ["file", "taken"]);
    assert_eq!(fs::read_to_string(folder.path().join("file")).unwrap(), "mine");
}

#[test]
fn a_reader_that_leaves_is_no_error_and_a_full_disk_is() {
    let folder = folder();
    let mut child = command(folder.path(), "generate fifo")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));

    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = command(folder.path(), "list").stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(
        errors.starts_with("error: cannot write to standard output: "),
        "{errors}"
    );
}

#[test]
fn without_a_cache_a_simulation_leaves_nothing_behind() {
    let folder = folder();
    let mut simulation = command(
        folder.path(),
        "sim mesh --set cols=2 --set rows=1 --cycles 200 --warmup 20",
    );
    simulation.env("PORTICO_CACHE", "off").env("TMPDIR", folder.path());
    let output = simulation.output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && printed.contains("all equal"), "{output:?}");
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn a_mesh_is_simulated_and_replayed() {
    let folder = folder();
    let arguments = "sim mesh --set cols=2 --set rows=1 --set edge_nodes=1 --rate 0.4 --packet 3 \
                     --cycles 500 --warmup 50 --seed 11 --backpressure 0.2 --idle 0.1 --out run --vcd mesh.vcd";
    let figures = || {
        let printed = success(folder.path(), arguments);
        let json = fs::read_to_string(folder.path().join("run/sim.json")).unwrap();
        let mut json: serde_json::Value = serde_json::from_str(&json).unwrap();
        for field in ["speed", "tools"] {
            let removed = json.as_object_mut().unwrap().remove(field);
            assert!(removed.is_some(), "{field}");
        }
        (printed, json)
    };
    let (printed, first) = figures();
    for text in [
        "packets compared word for word, all equal",
        "2x1, 32 bits, FIFO 4",
        "seed",
    ] {
        assert!(printed.contains(text), "{printed}");
    }
    let packets = first["rows"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["name"] == "packets compared");
    assert!(packets.unwrap()["value"].as_f64().unwrap() > 50.0);
    assert_eq!(first["config"]["seed"], 11);
    assert_eq!(names(folder.path()), ["mesh.vcd", "run"]);
    let written = ["links.svg", "portico_mesh.v", "sim.csv", "sim.json"];
    assert_eq!(names(&folder.path().join("run")), written);
    let links: Vec<_> = (first["rows"].as_array().unwrap().iter())
        .filter(|row| row["measure"] == "link load")
        .collect();
    // Two routers between them, two tiles, an edge node.
    assert_eq!(links.len(), 2 + 4 + 2);
    assert!(
        links.iter().all(|link| link["value"].as_f64().unwrap() > 0.05),
        "{links:?}"
    );
    let csv = fs::read_to_string(folder.path().join("run/sim.csv")).unwrap();
    let header = "bench,name,unit,paper,limit,bound,better,value,flits,from,least_cycles,measure,most_cycles,to";
    assert_eq!(csv.lines().next(), Some(header));
    for link in links {
        let line = format!(
            ",{},{},,link load,,{}",
            link["flits"],
            csv_field(&link["from"]),
            csv_field(&link["to"])
        );
        assert!(csv.lines().any(|row| row.ends_with(&line)), "{line}");
    }
    let svg = fs::read_to_string(folder.path().join("run/links.svg")).unwrap();
    assert_eq!(svg.matches("<polygon").count(), 8);
    for text in ["Latencies:", "Busiest links:", "                   12 | links\n"] {
        assert!(printed.contains(text), "{text}: {printed}");
    }
    let waveform = fs::read_to_string(folder.path().join("mesh.vcd")).unwrap();
    assert!(
        waveform.contains("$enddefinitions") && waveform.contains("\n#"),
        "a waveform"
    );

    let (printed, second) = figures();
    assert_eq!(first, second);
    assert!(printed.contains("taken from the cache"), "{printed}");
}

/// A value as a field of CSV.
fn csv_field(value: &serde_json::Value) -> String {
    let text = value.as_str().unwrap();
    match text.contains(',') {
        true => format!("\"{text}\""),
        false => text.to_owned(),
    }
}

#[test]
fn a_benchmark_of_chosen_meshes_and_loads_writes_a_plot_of_each() {
    let folder = folder();
    let printed = success_after(
        folder.path(),
        "bench noc --quick --mesh 2x1 --fifo 4 --pattern uniform,bit-complement --packet 2 --load 0.1:0.3:0.2 --out noc",
        "0/2 2x1, FIFO 4, uniform, packets of 2\n1/2 2x1, FIFO 4, bit-complement, packets of 2\n2/2 done\n",
    );
    assert!(printed.contains("2x1, FIFO 4, packets of 2"), "{printed}");
    let files = [
        "noc-2x1-bit-complement.svg",
        "noc-2x1-uniform.svg",
        "noc-wide.csv",
        "noc.csv",
        "noc.json",
        "noc.svg",
    ];
    assert_eq!(names(&folder.path().join("noc")), files);
    let json = fs::read_to_string(folder.path().join("noc/noc.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let rows = json["rows"].as_array().unwrap();
    for measure in ["latency", "accepted load"] {
        let of_measure = rows.iter().filter(|row| row["measure"] == measure);
        let loads: Vec<_> = of_measure.filter_map(|row| row["load"].as_f64()).collect();
        assert_eq!(loads, [0.1, 0.3, 0.1, 0.3], "{measure}");
    }
    assert!(rows.iter().all(|row| row["mesh"] == "2x1"), "{rows:?}");
    let csv = fs::read_to_string(folder.path().join("noc/noc.csv")).unwrap();
    assert_eq!(csv.lines().count(), rows.len() + 1);
    let wide = fs::read_to_string(folder.path().join("noc/noc-wide.csv")).unwrap();
    // Each pattern has a line for each load, and one for its saturation.
    assert_eq!(wide.lines().count(), 2 * 3 + 1, "{wide}");
    let header = wide.lines().next().unwrap();
    assert!(
        header.contains(",latency (cycles),") && header.contains(",cols,fifo,"),
        "{wide}"
    );
    assert!(wide.lines().skip(1).all(|line| line.contains(",2,4,")), "{wide}");
    let svg = fs::read_to_string(folder.path().join("noc/noc-2x1-uniform.svg")).unwrap();
    for text in ["uniform traffic on a 2x1 mesh", "FIFO of 4", "bisection 1.00"] {
        assert!(svg.contains(text), "{text}");
    }
}

/// Reads a table of a sweep as the block of pandas does, but by Python's own `csv`. Every line has a cell a column.
const READ: &str = r#"
import csv, sys
with open(sys.argv[1], newline="") as file:
    header, *lines = csv.reader(file)
assert len(set(header)) == len(header), header
assert all(len(line) == len(header) for line in lines), lines
jobs = [dict(zip(header, line)) for line in lines]
uniform = [job for job in jobs if job["pattern"] == "uniform" and job["cols"] == "3"]
print(*(float(job[column]) for job in uniform for column in sys.argv[2:]))
"#;

/// The block of Python of `docs/first.md`.
fn block_of_the_page() -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/first.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, block) = page.split_once("```python\n").expect("a block of Python");
    let (block, _) = block.split_once("```").expect("its end");
    block.to_owned()
}

/// The block of Python of `docs/first.md` finds its columns in the table, and numbers in these.
fn is_read_by_the_page(table: &Path) {
    let block = block_of_the_page();
    let shown = block.lines().find(|line| line.starts_with("print(")).unwrap();
    let columns: Vec<&str> = shown.split('"').skip(1).step_by(2).collect();
    assert_eq!(columns.len(), 4, "{shown}");
    let mut python = Command::new("python3");
    let output = python.args(["-c", READ]).arg(table).args(columns).output().unwrap();
    let numbers = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    // Three loads.
    assert_eq!(numbers.split_whitespace().count(), 3 * 4, "{numbers}{errors}");
}

/// That block runs as it stands, with the pandas of `sw/python/tests/requirements.txt`.
#[test]
fn a_table_of_a_sweep_is_a_data_frame() {
    let folder = folder();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::copy(root.join("examples/sweep.toml"), folder.path().join("sweep.toml")).unwrap();
    success(folder.path(), "sweep sweep.toml --out build/sweep --jobs 2");
    let tools = Command::new(root.join("sw/python/tools.sh"))
        .arg("tests")
        .output()
        .unwrap();
    assert!(tools.status.success(), "{}", String::from_utf8_lossy(&tools.stderr));
    let tools = String::from_utf8(tools.stdout).unwrap();
    let mut python = Command::new(Path::new(tools.trim_end()).join("bin/python3"));
    python
        .current_dir(folder.path())
        .args(["-W", "error", "-c", &block_of_the_page()]);
    let output = python.output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = printed.lines().collect();
    let [columns, index, rows @ ..] = &lines[..] else {
        panic!("{printed}{errors}");
    };
    let names = columns.split("  ").map(str::trim).filter(|name| !name.is_empty());
    let names: Vec<&str> = names.collect();
    assert_eq!(names, ["accepted load", "latency, mean", "zero-load latency, mean"]);
    assert_eq!(index.trim(), "load");
    let rows: Vec<Vec<f64>> = rows
        .iter()
        .map(|row| row.split_whitespace().map(|cell| cell.parse().unwrap()).collect())
        .collect();
    assert_eq!(rows.len(), 3, "{printed}");
    for row in rows {
        let [load, accepted, latency, zero_load] = row[..] else {
            panic!("{printed}");
        };
        assert!(accepted > 0.0 && accepted < load + 0.1, "{printed}");
        assert!(latency > 0.0 && zero_load > 0.0, "{printed}");
    }
}

#[test]
fn a_sweep_runs_resumes_and_merges_its_jobs() {
    let folder = folder();
    let file = folder.path().join("sweep.toml");
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/sweep.toml");
    fs::copy(example, &file).unwrap();
    let files = "wrote out/sweep.json, out/sweep.csv, out/sweep.svg\n";
    let jobs = || names(&folder.path().join("out/jobs"));

    // One job by itself, then the others.
    let missing = failure(folder.path(), "sweep sweep.toml --out out --merge", 1);
    assert!(
        missing.starts_with("error: 12 of 12 jobs are not done, the first is job 1; "),
        "{missing}"
    );
    let one = success(folder.path(), "sweep sweep.toml --out out --only 2");
    let [job] = &jobs()[..] else { panic!("{one}") };
    assert_eq!(one, format!("job 2 of 12: done: out/jobs/{job}\n"));
    let again = success(folder.path(), "sweep sweep.toml --out out --only 2");
    assert_eq!(again, format!("job 2 of 12: was done before: out/jobs/{job}\n"));
    let all = success(folder.path(), "sweep sweep.toml --out out --jobs 2");
    assert_eq!(all, format!("11 jobs run, 1 done before; {files}"));
    assert_eq!(jobs().len(), 12);

    let read = |name: &str| fs::read_to_string(folder.path().join("out").join(name)).unwrap();
    let report: serde_json::Value = serde_json::from_str(&read("sweep.json")).unwrap();
    assert_eq!(report["config"]["width"], 32);
    let rows = report["rows"].as_array().unwrap();
    let accepted: Vec<_> = rows.iter().filter(|row| row["measure"] == "accepted load").collect();
    assert_eq!(accepted.len(), 12);
    for row in accepted {
        let [value, load] = ["value", "load"].map(|key| row[key].as_f64().unwrap());
        assert!(value > 0.0 && value < load + 0.1, "{row}");
        assert!(
            row["cols"].is_u64() && row["pattern"].is_string() && row["seed"] == 1,
            "{row}"
        );
    }
    // A line a job: keys of the mesh and the traffic, the version, then a column a measure.
    let table = read("sweep.csv");
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 12 + 1);
    for column in [
        "edge_nodes,monitors,version,width,",
        ",cols,",
        ",fifo,",
        ",load,",
        ",seed,",
        ",\"latency, mean\",",
        "\"zero-load latency, mean\"",
    ] {
        assert!(lines[0].contains(column), "{column}: {}", lines[0]);
    }
    assert!(lines[1..].iter().all(|line| line.starts_with("0,true,")), "{table}");
    is_read_by_the_page(&folder.path().join("out/sweep.csv"));
    let plot = read("sweep.svg");
    for text in [
        "2x2, uniform, packets of 4",
        "3x2, bit-complement, packets of 4",
        "accepted load",
    ] {
        assert!(plot.contains(text), "{text}");
    }

    // A file that is cut off is no figure; a job that is gone is run again; nothing else is.
    let mut broken = jobs();
    fs::write(folder.path().join("out/jobs").join(&broken[0]), "{\"tools\"").unwrap();
    fs::remove_file(folder.path().join("out/jobs").join(broken.remove(1))).unwrap();
    let output = portico(folder.path(), "sweep sweep.toml --out out");
    let warned = String::from_utf8(output.stderr).unwrap();
    assert!(warned.contains(" is run again: out/jobs/"), "{warned}");
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(said, format!("2 jobs run, 10 done before; {files}"));
    // Other inputs are other jobs.
    let text = fs::read_to_string(&file).unwrap();
    fs::write(
        &file,
        text.replace("seed = 1", "seed = [1, 2]")
            .replace("cols = [2, 3]", "cols = 2"),
    )
    .unwrap();
    let said = success(folder.path(), "sweep sweep.toml --out out");
    assert_eq!(said, format!("6 jobs run, 6 done before; {files}"));

    // What others run is the same.
    let wrote = "wrote grid.sh: 12 jobs\nwrote grid.mk: 12 jobs\n";
    let scripts = success(
        folder.path(),
        "sweep sweep.toml --out out --slurm grid.sh --makefile grid.mk",
    );
    assert_eq!(scripts, wrote);
    fs::remove_file(folder.path().join("out/sweep.csv")).unwrap();
    fs::remove_dir_all(folder.path().join("out/jobs")).unwrap();
    let task = |program: &str, arguments: &[&str]| {
        let output = Command::new(program)
            .args(arguments)
            .current_dir(folder.path())
            .env("PORTICO", env!("CARGO_BIN_EXE_portico"))
            .env("SLURM_ARRAY_TASK_ID", "12")
            // `make` below another `make` prints the folder that it enters and leaves.
            .env_remove("MAKEFLAGS")
            .env_remove("MAKELEVEL")
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(task("sh", &["grid.sh"]).starts_with("job 12 of 12: done: "));
    let made = task("make", &["-f", "grid.mk", "-j", "2"]);
    assert!(
        made.contains("job 12 of 12: was done before") && made.ends_with(files),
        "{made}"
    );
    assert_eq!((jobs().len(), read("sweep.csv").lines().count()), (12, 12 + 1));
    assert!(read("sweep.svg").contains("least to most"));
}

/// The figures of a measure in `sweep.json`, a job each.
fn measured(report: &serde_json::Value, measure: &str) -> Vec<f64> {
    let rows = report["rows"].as_array().unwrap().iter();
    let of_measure = rows.filter(|row| row["measure"] == measure);
    of_measure.map(|row| row["value"].as_f64().unwrap()).collect()
}

#[test]
fn a_sweep_of_calls_and_one_of_applications_run_on_fabrics() {
    let folder = folder();
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let [fabric, calls] = ["fabric.toml", "collectives.toml"].map(|file| fs::read_to_string(tests.join(file)).unwrap());
    fs::write(folder.path().join("calls.toml"), format!("[config]\n{fabric}\n{calls}")).unwrap();
    let said = success(folder.path(), "sweep calls.toml --out calls");
    assert_eq!(
        said,
        "14 jobs run, 0 done before; wrote calls/sweep.json, calls/sweep.csv, calls/sweep.svg\n"
    );
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("calls/sweep.csv").lines().count(), 1 + 2 * (1 + 3 * 2));
    let report: serde_json::Value = serde_json::from_str(&read("calls/sweep.json")).unwrap();
    let [least, mean, most] = ["least", "mean", "most"].map(|of| measured(&report, &format!("cycles, {of}")));
    assert_eq!(least.len(), 14);
    for job in 0..14 {
        let row = &report["rows"][job * report["rows"].as_array().unwrap().len() / 14];
        let words = row["words"].as_f64().unwrap();
        assert!(
            words < least[job] && most[job] < 300.0,
            "{row}: {} to {}",
            least[job],
            most[job]
        );
        assert!(least[job] <= mean[job] && mean[job] <= most[job], "{row}");
        assert!(row["calls"] == 3 && row["cols"] == 2 && row["mpe"] == 1, "{row}");
    }
    let plot = read("calls/sweep.svg");
    for text in ["allreduce, 2x1", "reduce, 2x1", "tree linear", "tree star", "words"] {
        assert!(plot.contains(text), "{text}");
    }
    assert!(!plot.contains("barrier"));

    let grid = format!("[config]\n{fabric}[run]\napplication = [\"halo\", \"mpi\"]\n");
    fs::write(folder.path().join("grid.toml"), grid).unwrap();
    let said = success(folder.path(), "sweep grid.toml --out runs");
    assert_eq!(
        said,
        "2 jobs run, 0 done before; wrote runs/sweep.json, runs/sweep.csv\n"
    );
    let report: serde_json::Value = serde_json::from_str(&read("runs/sweep.json")).unwrap();
    let cycles = measured(&report, "cycles");
    assert!(
        cycles.len() == 2 && cycles.iter().all(|&cycles| cycles > 100.0),
        "{cycles:?}"
    );
    assert_eq!(report["rows"][0]["application"], "halo");
}

#[test]
fn a_sweep_that_is_not_allowed_is_a_line_for_each_fault_and_status_2() {
    let folder = folder();
    fs::write(folder.path().join("grid.toml"), "[config]\ncols = [2, 17]\n").unwrap();
    assert_eq!(
        failure(folder.path(), "sweep grid.toml --out out", 2),
        "error: grid.toml: config: cols = 17 is not allowed: allowed is 1..=16\n"
    );
    fs::write(
        folder.path().join("grid.toml"),
        "[config]\ncols = 17\n[collective]\nword = 8\nwords = 0\n",
    )
    .unwrap();
    assert_eq!(
        failure(folder.path(), "sweep grid.toml --out out", 2),
        "error: grid.toml: config: cols = 17 is not allowed: allowed is 1..=16\n\
         grid.toml: unknown key collective.word: did you mean words? allowed are call, tree, words, calls, seed\n\
         grid.toml: collective.words = 0: allowed is an integer from 1 to 65536\n"
    );
    fs::write(folder.path().join("grid.toml"), "[traffic]\nseed = [1, 2]\n").unwrap();
    for only in [0, 3] {
        assert_eq!(
            failure(folder.path(), &format!("sweep grid.toml --out out --only {only}"), 2),
            format!("error: only = {only}: allowed is 1 to 2\n")
        );
    }
    let errors = failure(folder.path(), "sweep grid.toml --out out --merge --jobs 2", 2);
    assert!(
        errors.starts_with("error: the argument '--merge' cannot be used with '--jobs <N>'"),
        "{errors}"
    );
    assert!(failure(folder.path(), "sweep none.toml --out out", 1).starts_with("error: cannot read none.toml: "));
    assert_eq!(names(folder.path()), ["grid.toml"]);
}

#[test]
fn synthesis_says_which_mode_gave_the_area_and_its_figures_are_json() {
    let folder = folder();
    let printed = success(
        folder.path(),
        "synth credit-counter --target ecp5 --no-place --json counter.json --csv counter.csv",
    );
    for text in ["\n synth_ecp5 -nowidelut ", "Yosys"] {
        assert!(printed.contains(text), "{printed}");
    }
    assert!(!printed.contains("\n synth_ecp5 |"), "{printed}");
    let json = fs::read_to_string(folder.path().join("counter.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["rows"].as_array().unwrap().len(), 7);
    let csv = fs::read_to_string(folder.path().join("counter.csv")).unwrap();
    assert_eq!(csv.lines().count(), 8);
    assert_eq!(names(folder.path()), ["counter.csv", "counter.json"]);
    let printed = success(
        folder.path(),
        "synth credit-counter --target ecp5 --no-place --wide-luts",
    );
    assert!(printed.contains("\n synth_ecp5 |"), "{printed}");
}

#[test]
fn parts_are_printed_and_written_as_a_tree() {
    let folder = folder();
    let printed = success(
        folder.path(),
        "synth fifo --target ecp5 --by-part --depth 2 --out parts",
    );
    for text in ["\n portico_fifo ", "\n control.writer ", "| sites\n"] {
        assert!(printed.contains(text), "{printed}");
    }
    assert_eq!(names(&folder.path().join("parts")), ["parts.json", "parts.txt"]);
    let json = fs::read_to_string(folder.path().join("parts/parts.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&json["depth"], &json["block"]["parts"][0]["name"]),
        (&2.into(), &"control".into())
    );
}

#[test]
fn blocks_that_the_file_holds_are_not_synthesised_again() {
    let folder = folder();
    let arguments = "synth --all --only fifo,register --target ecp5 --no-place --json all.json";
    let printed = success(folder.path(), arguments);
    assert!(
        printed.contains("1/2 fifo: 10 LUT, ") && printed.contains("2/2 register: "),
        "{printed}"
    );
    let again = success(folder.path(), arguments);
    assert_eq!(
        again,
        "1/2 fifo: is in the file already\n2/2 register: is in the file already\n"
    );
}

#[test]
fn synthesis_that_is_not_allowed_is_refused_before_any_tool_runs() {
    let folder = folder();
    for (arguments, reason) in [
        (
            "fifo --target xilinx --by-part",
            "--by-part is not allowed with --target xilinx: allowed is --target ecp5",
        ),
        (
            "fifo --target xilinx --wide-luts",
            "--wide-luts is not allowed with --target xilinx: allowed is --target ecp5",
        ),
        (
            "fifo --target ecp5 --limit 0",
            "--limit 0: allowed is a number of minutes above 0",
        ),
    ] {
        let errors = failure(folder.path(), &format!("synth {arguments}"), 2);
        assert_eq!(errors, format!("error: {reason}\n"));
    }
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn a_fabric_that_a_board_does_not_take_is_refused_before_any_tool_runs() {
    let folder = folder();
    for (arguments, line) in [
        (
            "bitstream --board ulx3s-85f --set memories=1",
            "memories = 1 is not allowed on ulx3s-85f: allowed is 0, the board top connects no external memory",
        ),
        (
            "vivado --board arty-a7-35t --set memories=2 --out build",
            "memories = 2 is not allowed on arty-a7-35t: allowed is 0, the board top connects no external memory",
        ),
        (
            "bitstream --board arty-a7-35t",
            "arty-a7-35t has an FPGA of xilinx: use `portico vivado` for a project, and Vivado for the bitstream",
        ),
        (
            "vivado --board ulx3s-85f --out build",
            "ulx3s-85f has an FPGA of ecp5: use `portico bitstream`, which needs no Vivado",
        ),
        (
            "bitstream --board ulx3s-85f --clock 500",
            "clock = 500 MHz, allowed with the PLL of ecp5: 3.125 to 400 MHz",
        ),
        (
            "bitstream --board ecpix5-85f --baud 20000000",
            "baud = 20000000, allowed with a clock of 50 MHz: 16 to 65535 cycles a bit, the baud rate met within 2 %; \
             the nearest is 3125000",
        ),
        (
            "bitstream --board ulx3s-85f --limit 0",
            "--limit 0: allowed is a number of minutes above 0",
        ),
        (
            "bitstream --board ulx3s-85f --set edge_nodes=2",
            "bitstream decides edge_nodes itself: leave out --set edge_nodes=...",
        ),
    ] {
        assert_eq!(failure(folder.path(), arguments, 2), format!("error: {line}\n"));
    }
    for (arguments, line) in [
        ("bitstream --board ulx3s-85f", "error: 4x4 full takes "),
        (
            "vivado --board arty-a7-35t --set mpe=1 --set cols=2 --set rows=1 --out build",
            "error: 2x1 full with engines takes ",
        ),
    ] {
        let errors = failure(folder.path(), arguments, 2);
        assert!(errors.starts_with(line) && errors.contains("; what fits: "), "{errors}");
    }
    let elsewhere = self::folder();
    for (arguments, share) in [
        ("--force --out forced", "4x4 full takes 7"),
        (
            "--set cols=1 --set rows=1 --set mpe=1 --set probe=true --set host_profile=full --out tight",
            "1x1 full with engines takes 9",
        ),
    ] {
        let warned = command(elsewhere.path(), &format!("vivado --board arty-a7-35t {arguments}"))
            .output()
            .unwrap();
        let errors = String::from_utf8(warned.stderr).unwrap();
        assert_eq!(warned.status.code(), Some(0), "{errors}");
        assert!(
            errors.contains(share) && errors.contains("place and route may fail"),
            "{errors}"
        );
    }
    let errors = failure(folder.path(), "bitstream --board ulx4s-85f", 2);
    let first = errors.lines().next();
    assert_eq!(first, Some("error: invalid value 'ulx4s-85f' for '--board <BOARD>'"));
    assert!(errors.contains("[possible values: ulx3s-85f, ecpix5-85f]"), "{errors}");
    assert_eq!(names(folder.path()), [""; 0]);
}

#[cfg(unix)]
#[test]
fn a_bitstream_goes_to_openfpgaloader_with_the_name_of_the_board() {
    use std::os::unix::fs::PermissionsExt;

    let folder = folder();
    fs::write(folder.path().join("top.bit"), "bits").unwrap();
    let loader = folder.path().join("loader");
    fs::write(&loader, "#!/bin/sh\necho \"loader $*\"\n[ \"$2\" != ecpix5 ]\n").unwrap();
    fs::set_permissions(&loader, fs::Permissions::from_mode(0o755)).unwrap();
    let run = |arguments: &str, variables: [(&str, &Path); 2]| {
        let output = command(folder.path(), arguments).envs(variables).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let own = [("PORTICO_OPENFPGALOADER", &*loader), ("PATH", Path::new("/bin"))];
    assert_eq!(
        run("program --board arty-a7-35t top.bit", own),
        (Some(0), "loader -b arty_a7_35t top.bit\n".into(), String::new())
    );
    assert_eq!(
        run("program --board arty-a7-35t top.bit -- --cable ft4232 -f", own).1,
        "loader -b arty_a7_35t --cable ft4232 -f top.bit\n"
    );
    assert_eq!(
        run("program --board ecpix5-85f top.bit", own),
        (
            Some(1),
            "loader -b ecpix5 top.bit\n".into(),
            "error: openFPGALoader ends with exit status: 1\n".into()
        )
    );
    assert_eq!(
        run("program --board ulx3s-85f none.bit", own).2,
        "error: cannot read none.bit: No such file or directory (os error 2)\n"
    );
    let none = [("PORTICO_OPENFPGALOADER", Path::new("")), ("PATH", Path::new("/none"))];
    assert_eq!(
        run("program --board ulx3s-85f top.bit", none),
        (
            Some(1),
            String::new(),
            "error: openFPGALoader is not on PATH: install it (Debian: apt-get install openfpgaloader), or set \
             PORTICO_OPENFPGALOADER to your own\n"
                .into()
        )
    );
}

#[test]
fn blocks_that_stand_alone_are_generated_with_standard_streams() {
    let folder = folder();
    for (block, streams) in [
        ("fp-add", ["s_axis_a", "s_axis_b", "m_axis"].as_slice()),
        ("reduce-alu", &["s_axis_a", "s_axis_b", "m_axis"]),
        ("list-manager", &["s_axis", "m_axis"]),
        ("buddy", &["s_axis", "m_axis"]),
    ] {
        let text = success(folder.path(), &format!("generate {block}"));
        let (_, top) = text
            .split_once(&format!("\nmodule portico_{} (\n", block.replace('-', "_")))
            .unwrap_or_else(|| panic!("{block}: no such module"));
        let (ports, _) = top.split_once(");").unwrap();
        for stream in streams {
            let (forward, back) = match stream.starts_with('s') {
                true => ("input", "output"),
                false => ("output", "input"),
            };
            for (signal, direction) in [
                ("tdata", forward),
                ("tlast", forward),
                ("tvalid", forward),
                ("tready", back),
            ] {
                let name = format!(" {stream}_{signal}");
                let port = ports.lines().find(|line| line.trim_end_matches(',').ends_with(&name));
                let port = port.unwrap_or_else(|| panic!("{block}: no{name} in {ports}"));
                assert!(port.trim().starts_with(direction), "{block}: {port}");
            }
        }
    }
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn a_buddy_allocator_is_synthesised() {
    let printed = success(
        folder().path(),
        "synth buddy --set heap=4 --set block=512 --target ecp5 --no-place",
    );
    for text in ["portico_buddy", "synth_ecp5 -nowidelut"] {
        assert!(printed.contains(text), "{printed}");
    }
}

#[test]
fn examples_run_on_the_golden_fabric() {
    let folder = folder();
    let list = success(folder.path(), "run --list");
    for example in ["halo", "transpose", "buffer", "queue", "alltoall", "mpi", "portals"] {
        assert!(list.contains(&format!("\n {example} ")), "{list}");
        let printed = success(
            folder.path(),
            &format!("run {example} --golden --set cols=2 --set rows=1"),
        );
        for text in ["2x1, 32 bits, reference model, without time", "payload moved", "bytes"] {
            assert!(printed.contains(text), "{printed}");
        }
        for text in ["memories checked", "cycles", "rate"] {
            assert!(!printed.contains(text), "{printed}");
        }
    }
    let printed = success(folder.path(), "run portals --golden");
    let (_, events) = printed.split_once("Events of tile 0, in their order:\n\n").unwrap();
    let kinds = events.lines().map(|line| line.trim().split(' ').next().unwrap());
    assert_eq!(kinds.clone().count(), 13, "{printed}");
    assert_eq!(kinds.take(3).collect::<Vec<_>>(), ["PTL_EVENT_LINK"; 3]);
    let last = "PTL_EVENT_PUT user_ptr=1 pt_index=0 initiator=15 rlength=101 mlength=101 remote_offset=2";
    assert!(events.contains(last), "{printed}");
    let printed = success(folder.path(), "run portals --unexpected --golden");
    let (_, events) = printed
        .split_once("in their order, and its lists after each:\n\n")
        .unwrap();
    for line in [
        "   PTL_EVENT_PUT          |   101 | 1 of rank 15 |    13 | 0x183 |            |          | 101 102  | 1",
        "   PTL_EVENT_PUT_OVERFLOW |     2 | 7 of rank 14 |    33 | 0x1fa | unexpected | 1        | 102      | 1 5 3",
        "   PTL_EVENT_PUT          |     7 | 2 of rank 15 |   101 | 0x523 | expected   | 1 3 5 7  | 102      |",
    ] {
        assert!(events.lines().any(|printed| printed == line), "{line}{printed}");
    }
    let last = "  8 receives: 4 found messages that had come before them, 4 met messages that came after; all bytes lie at `start`, as sent";
    assert_eq!(events.lines().last(), Some(last));
    let traffic = "run traffic --golden --set cols=2 --set rows=1 --loads 0.5 --packets 7 --words 3";
    let printed = success(folder.path(), traffic);
    assert!(printed.contains("|      14 |           168\n"), "{printed}");
    for (arguments, line) in [
        (
            "run halo --golden --set edge_nodes=2",
            "error: run decides edge_nodes itself: leave out --set edge_nodes=...",
        ),
        (
            "sim fabric --set edge_nodes=1",
            "error: sim fabric decides edge_nodes itself: leave out --set edge_nodes=...",
        ),
        (
            "run halo --golden --unexpected",
            "error: --unexpected is an option of portals, not of halo",
        ),
        (
            "run traffic --golden --unexpected",
            "error: --unexpected is an option of portals, not of traffic",
        ),
        (
            "run halo --log steps.csv",
            "error: --log is an option of portals, not of halo",
        ),
        (
            "run traffic --log steps.csv",
            "error: --log is an option of portals, not of traffic",
        ),
        (
            "run portals --golden --log steps.csv",
            "error: the argument '--golden' cannot be used with '--log <FILE>'",
        ),
        (
            "run halo --golden --words 4",
            "error: --words is an option of traffic, not of halo",
        ),
        (
            "run traffic --golden --pattern transpose --set rows=2",
            "error: traffic `transpose` needs a square mesh of 2x2 or more; the mesh is 4x2",
        ),
        ("run", "error: the following required arguments were not provided:"),
        ("run dance", "error: invalid value 'dance' for '[EXAMPLE]'"),
        (
            "sim fabric --workload storm",
            "error: invalid value 'storm' for '--workload <WORKLOAD>'",
        ),
        (
            "sim fabric --set portals=4 --workload replay",
            "error: workload replay needs a fabric with Portals engines that tell their steps: keys portals and portals_log",
        ),
        (
            "sim fabric --set portals=4 --set portals_log=true --workload replay --resets=0.2",
            "error: resets = 0.2 is not allowed with workload replay: allowed is 0, as each run begins with a reset",
        ),
        (
            "sim fabric --set portals=4 --set portals_log=true --set scratchpad=8 --workload replay",
            "error: scratchpad = 8 is not allowed with workload replay: allowed is 64 or more",
        ),
    ] {
        assert_eq!(failure(folder.path(), arguments, 2).lines().next(), Some(line));
    }
    assert_eq!(names(folder.path()), [""; 0]);
}

/// A `portico bridge` that ends with the test.
struct Bridge {
    child: Child,
    path: String,
    settings: String,
}

impl Bridge {
    fn start(folder: &Path, options: &str) -> Bridge {
        let mut child = command(folder, &format!("bridge {options}"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut said = BufReader::new(child.stdout.take().unwrap());
        said.read_line(&mut line).unwrap();
        let what = match options.contains("--golden") {
            true => "reference model",
            false => "Verilog (Verilator)",
        };
        assert_eq!(line, format!("serving the {what} of 2x1 tiles; a host begins with:\n"));
        line.clear();
        said.read_line(&mut line).unwrap();
        let host = line.trim().strip_prefix("portico run halo --on serial:").unwrap();
        let (path, settings) = host.split_once(' ').unwrap();
        let (path, settings) = (path.to_owned(), settings.to_owned());
        Bridge { child, path, settings }
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn examples_run_over_a_serial_port() {
    let folder = folder();
    let bridge = Bridge::start(folder.path(), "--golden --set cols=2 --set rows=1");
    let Bridge { path, settings, .. } = &bridge;
    assert_eq!(settings, "--set cols=2 --set rows=1 --set registers_at_tiles=true");
    // The one is told by the host node, the other by a tile.
    for (other, told) in [
        ("--set cols=3", "cols is 2, expected 3 (register tiles)"),
        ("--set cols=2 --set cores=4", "cores is 8, expected 4 (register build)"),
    ] {
        let other = format!("run halo --on serial:{path} {other} --set rows=1");
        let refused = failure(folder.path(), &other, 1);
        let expected = format!(
            "wrong bitstream behind the port: {told}; use the configuration that the bitstream was generated from\n"
        );
        assert!(refused.ends_with(&expected), "{refused}");
    }
    for example in ["halo", "transpose"] {
        let printed = success(
            folder.path(),
            &format!("run {example} --on serial:{path}:115200 {settings}"),
        );
        for text in [
            &format!("2x1, 32 bits, on a board, serial:{path}:115200"),
            "payload moved",
            "memories checked against the reference model, all equal",
        ] {
            assert!(printed.contains(text), "{printed}");
        }
        assert!(!printed.contains("cycle"), "{printed}");
    }
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn examples_run_over_the_uart_of_a_verilated_board() {
    let folder = folder();
    let nodes = "--set profile=compact --set mpe=1 --set probe=true";
    let bridge = Bridge::start(folder.path(), &format!("{nodes} --set cols=2 --set rows=1"));
    let Bridge { path, settings, .. } = &bridge;
    for example in ["halo", "transpose", "buffer", "queue", "allreduce", "mpi"] {
        let printed = success(folder.path(), &format!("run {example} --on serial:{path} {settings}"));
        let compared = "memories checked against the reference model, all equal";
        assert!(printed.contains(compared), "{printed}");
    }
    let traffic = format!("run traffic --loads 0.5 --packets 7 --words 3 --on serial:{path} {settings}");
    let printed = success(folder.path(), &traffic);
    assert!(printed.contains("|      14 |"), "{printed}");
    litex_reads_and_writes(path);
}

/// LiteX's own client works as it is, at the terminal that hosts of Portico have used.
fn litex_reads_and_writes(path: &str) {
    let tools = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.tools/bin/python3");
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/litex_client.py");
    let output = Command::new(tools).args([program, path, "24593"]).output();
    let output = output.expect("Python is in .tools: run `make tools`");
    let [printed, errors] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(
        output.status.success() && printed == "40 words agree\n",
        "{printed}{errors}"
    );
}

#[test]
fn an_example_that_needs_what_a_board_lacks_is_one_line() {
    let folder = folder();
    let bridge = Bridge::start(folder.path(), "--golden --set profile=leaf --set cols=2 --set rows=1");
    let Bridge { path, settings, .. } = &bridge;
    let queue = failure(folder.path(), &format!("run queue --on serial:{path} {settings}"), 1);
    assert_eq!(
        queue,
        "error: example queue fails: node 0 is built without queues: set the key queues\n"
    );
}

#[test]
fn a_bridge_ends_with_its_host() {
    let folder = folder();
    let mut bridge = Bridge::start(
        folder.path(),
        "--golden --once --set cols=2 --set rows=1 --set probe=true",
    );
    let traffic = "run traffic --loads 0.5 --packets 7 --words 3 --on serial:";
    let printed = success(folder.path(), &format!("{traffic}{} {}", bridge.path, bridge.settings));
    assert!(printed.contains("|      14 |           168\n"), "{printed}");
    assert_eq!(bridge.child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_board_that_cannot_be_reached_is_one_line() {
    let folder = folder();
    fs::write(folder.path().join("file"), "short").unwrap();
    let allowed = "allowed are serial:PATH, serial:PATH:BAUD and uio:PATH";
    for (arguments, status, line) in [
        (
            "run halo --on usb:0",
            2,
            format!("error: invalid value 'usb:0' for '--on <PORT>': {allowed}"),
        ),
        (
            "run halo --on serial:",
            2,
            format!("error: invalid value 'serial:' for '--on <PORT>': {allowed}"),
        ),
        (
            "run halo --on serial:/dev/ttyUSB0:0",
            2,
            "error: invalid value 'serial:/dev/ttyUSB0:0' for '--on <PORT>': baud 0 is not allowed: allowed is 1..=4294967295".into(),
        ),
        (
            "run halo --on uio:/dev/uio0 --golden",
            2,
            "error: the argument '--on <PORT>' cannot be used with '--golden'".into(),
        ),
        (
            "run halo --clock 100",
            2,
            "error: the following required arguments were not provided:".into(),
        ),
        (
            "run halo --clock 0 --on uio:/dev/uio0",
            2,
            "error: invalid value '0' for '--clock <MHZ>': allowed is 1 to 1000 MHz".into(),
        ),
        (
            "run halo --patience 0 --on serial:/dev/ttyUSB0",
            2,
            "error: invalid value '0' for '--patience <SECONDS>': allowed is 0.01 to 3600 seconds".into(),
        ),
        (
            "run halo --on serial:none",
            1,
            "error: no device none: check that the board is connected, and list what there is with \
             `ls /dev/tty*`"
                .into(),
        ),
        (
            "run halo --on uio:none",
            1,
            "error: none: no such device: check that the kernel's UIO driver has found the fabric".into(),
        ),
        (
            "run traffic --on uio:file",
            1,
            "error: file: 5 bytes, expected 1048576 at least".into(),
        ),
        (
            "bridge --golden --set memories=1",
            2,
            "error: memories = 1 is not allowed on a board: allowed is 0, since a board has no external memory".into(),
        ),
    ] {
        let errors = failure(folder.path(), arguments, status);
        assert_eq!(errors.lines().next(), Some(line.as_str()));
    }
    assert_eq!(names(folder.path()), ["file"]);
}

#[test]
fn examples_and_soaks_run_on_a_verilated_fabric() {
    let folder = folder();
    let settings = "--set cols=2 --set rows=1 --set scratchpad=16 --set cores=2";
    let printed = success(folder.path(), &format!("run halo {settings} --vcd new/halo.vcd"));
    for text in [
        "2x1, 32 bits, Verilog (Verilator)",
        "memories checked against the reference model, all equal",
    ] {
        assert!(printed.contains(text), "{printed}");
    }
    let waveform = fs::read_to_string(folder.path().join("new/halo.vcd")).unwrap();
    assert!(
        waveform.contains("$enddefinitions") && waveform.contains("\n#"),
        "a waveform"
    );
    // As those that the pages show.
    let settings = concat!("--config ", env!("CARGO_MANIFEST_DIR"), "/tests/fabric.toml");
    let printed = success(folder.path(), &format!("sim fabric {settings} --cycles 2000 --seed 3"));
    for text in [
        "operations, each counted once",
        "memory checked against the reference model, all equal",
    ] {
        assert!(printed.contains(text), "{printed}");
    }
    let bench = format!("bench soak --quick {settings} --cycles 2000 --json new/soak.json");
    let printed = success(folder.path(), &bench);
    for text in ["operations, each as in the reference model", "memories = 1", "seed = 1"] {
        assert!(printed.contains(text), "{printed}");
    }
    let json = fs::read_to_string(folder.path().join("new/soak.json")).unwrap();
    assert!(json.contains("\"speed under load"), "{json}");
    assert_eq!(names(folder.path()), ["new"]);
}
