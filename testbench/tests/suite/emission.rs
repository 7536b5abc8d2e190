//! What is emitted: every block in several configurations, under the eyes of Verilator's linter and of Yosys.

use portico_generate::{design, generate, Top, PREFIX, TOPS};
use portico_hdl::ni::Scratchpad;
use portico_spec::{Allowed, Config};
use portico_synth::{area, infers_block_ram, locate, Mode, Target, Tool, Yosys};
use portico_verilog::{Design, Module};
use rust_hdl::prelude::Block;
use std::{fs, sync::LazyLock};

fn mesh(cols: usize, rows: usize, edge_nodes: usize, width: usize, fifo: usize) -> Config {
    Config {
        cols,
        rows,
        edge_nodes,
        width,
        fifo,
        ..Config::default()
    }
}

/// A fabric that is quick to look at: no block of it is left out.
fn fabric(size: usize, width: usize) -> Config {
    Config {
        cols: size,
        rows: size,
        width,
        memories: size - 1,
        scratchpad: 4,
        cores: 2,
        ..Config::default()
    }
}

/// The configurations in which a block is looked at: those that shape it.
fn configurations(top: &Top) -> Vec<Config> {
    match top.name {
        "mesh" => vec![
            mesh(1, 1, 0, 32, 2),
            mesh(1, 4, 1, 32, 3),
            mesh(4, 1, 4, 64, 2),
            mesh(3, 3, 2, 32, 4),
            Config {
                monitors: false,
                ..mesh(3, 3, 3, 64, 16)
            },
            mesh(8, 8, 0, 32, 4),
        ],
        "dma" | "tile" | "memory-node" => vec![Config::default(), fabric(1, 32), fabric(2, 64)],
        "fabric" => vec![fabric(2, 32), fabric(1, 64)],
        _ => combinations(top),
    }
}

/// Every valid combination of values that shape the block differently: some depths of FIFOs, all widths, and of the other
/// keys both ends of their range.
fn combinations(top: &Top) -> Vec<Config> {
    let shaping = Config::fields().iter().filter(|field| top.keys.contains(&field.name));
    let configs = shaping.fold(vec![Config::default()], |configs, field| {
        let values = match field.allowed {
            Allowed::Range(..) if field.name == "fifo" => vec![2, 3, 16],
            Allowed::Range(first, last) => vec![first, last],
            Allowed::OneOf(choices) => vec![choices[0], choices[choices.len() - 1]],
            Allowed::Switch => return configs,
        };
        let with = |config: &Config, value: &usize| {
            let mut config = config.clone();
            let setting = config.set(&format!("{}={value}", field.name));
            setting.map(|()| config).expect("a value of the table")
        };
        let of_config = |config: &Config| values.iter().map(|value| with(config, value)).collect::<Vec<_>>();
        configs.iter().flat_map(of_config).collect()
    });
    configs.into_iter().filter(|config| config.validate().is_ok()).collect()
}

type Emitted = (Config, &'static Top, Design);

fn emit_all() -> Vec<Emitted> {
    let all = TOPS
        .iter()
        .flat_map(|top| configurations(top).into_iter().map(move |config| (config, top)));
    all.map(|(config, top)| {
        let generated = generate(top, &config, None).unwrap_or_else(|error| panic!("{config:?}: {error:?}"));
        (config, top, generated.design)
    })
    .collect()
}

/// Every block in each of its configurations.
static DESIGNS: LazyLock<Vec<Emitted>> = LazyLock::new(emit_all);

/// What `verilator --lint-only -Wall` finds in files, (name, text), when given `arguments`.
fn lint(files: &[(String, String)], arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut write = files
        .iter()
        .map(|(name, text)| fs::write(folder.path().join(name), text));
    assert!(
        write.all(|written| written.is_ok()),
        "a temporary folder can be written"
    );
    let mut verilator = locate(Tool::Verilator).expect("Verilator is installed").command();
    let verilator = verilator
        .args(["--lint-only", "-Wall"])
        .args(arguments)
        .current_dir(folder.path());
    let output = verilator.output().expect("Verilator starts");
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    let findings: Vec<&str> = said.lines().filter(|line| line.starts_with('%')).collect();
    assert_eq!(output.status.success(), findings.is_empty(), "{said}");
    findings.join("\n")
}

#[test]
fn verilator_has_nothing_to_say() {
    assert!(DESIGNS.len() > 40, "{} designs", DESIGNS.len());
    for (config, top, design) in &*DESIGNS {
        let list = format!("{}.f", design.top);
        assert_eq!(
            lint(&design.files(), &["-f", &list]),
            "",
            "{}, {config:?}, a file a module",
            top.name
        );
        let file = format!("{}.v", design.top);
        let files = [(file.clone(), design.text())];
        assert_eq!(
            lint(&files, &["--top-module", &design.top, &file]),
            "",
            "{}, {config:?}, one file",
            top.name
        );
    }
}

#[test]
fn the_linter_finds_what_is_planted() {
    let text = "module narrow (input wire [3:0] a, output wire [1:0] y);\nassign y = a;\nendmodule\n";
    let found = lint(&[("narrow.v".to_owned(), text.to_owned())], &["narrow.v"]);
    assert!(found.contains("WIDTHTRUNC"), "{found}");
}

#[test]
fn yosys_has_nothing_to_say() {
    let yosys = Yosys::locate().expect("Yosys is installed");
    for (config, top, design) in &*DESIGNS {
        // Widths differ in nothing that Yosys could find.
        if config.width == 64 && top.name != "mesh" {
            continue;
        }
        let script = format!("hierarchy -check -top {}; proc; check -assert", design.top);
        let log = yosys
            .run(design, &script)
            .unwrap_or_else(|error| panic!("{}, {config:?}: {error}", top.name));
        assert!(
            log.contains("Found and reported 0 problems."),
            "{}, {config:?}: {log}",
            top.name
        );
    }
}

#[test]
fn the_same_configuration_gives_the_same_bytes() {
    for ((config, top, once), (_, _, again)) in DESIGNS.iter().zip(emit_all()) {
        assert_eq!(once.text(), again.text(), "{}, {config:?}", top.name);
        assert_eq!(once.files(), again.files(), "{}, {config:?}", top.name);
    }
}

fn module_names(block: &str, config: &Config) -> Vec<String> {
    let design = design(block, config).expect("the block is sound");
    design.modules.into_iter().map(|Module { name, .. }| name).collect()
}

#[test]
fn a_larger_mesh_has_no_more_modules() {
    let names = |size: usize| module_names("mesh", &mesh(size, size, 0, 32, 4));
    let small = names(4);
    assert!(small.iter().any(|name| name.contains("grid_node")), "{small:?}");
    assert_eq!([names(8), names(16)], [small.clone(), small]);
}

#[test]
fn a_larger_fabric_has_no_more_modules() {
    let names = |size: usize| module_names("fabric", &fabric(size, 32));
    let small = names(3);
    for name in ["portico_tile", "portico_memory", "portico_data_plane_grid_node"] {
        assert_eq!(small.iter().filter(|module| *module == name).count(), 1, "{small:?}");
    }
    assert_eq!(names(4), small);
}

/// The scratchpad of a tile, as a block of its own.
fn scratchpad(config: &Config) -> Design {
    let bytes = config.scratchpad << 10;
    let mut block: Box<dyn Block> = match config.width {
        32 => Box::new(Scratchpad::<32, 4>::new(bytes)),
        _ => Box::new(Scratchpad::<64, 8>::new(bytes)),
    };
    block.connect_all();
    let options = portico_verilog::Options {
        generator: "Test".to_owned(),
        licence: String::new(),
        prefix: PREFIX.to_owned(),
        block: "scratchpad".to_owned(),
        configuration: config
            .entries()
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect(),
        keep_apart: vec![],
    };
    portico_verilog::emit(&*block, &options).expect("the scratchpad can be emitted")
}

#[test]
fn a_scratchpad_becomes_block_ram_of_both_families() {
    for config in [fabric(1, 32), fabric(1, 64)] {
        let design = scratchpad(&config);
        for target in Target::ALL {
            assert!(
                infers_block_ram(&design, target).expect("Yosys maps it"),
                "{config:?}, {target}"
            );
        }
    }
}

#[test]
fn memories_become_the_memories_of_both_families() {
    for name in ["ram", "true-dual-port-ram"] {
        let design = design(name, &Config::default()).expect("the memory is sound");
        for target in Target::ALL {
            assert!(
                infers_block_ram(&design, target).expect("Yosys maps it"),
                "{name}, {target}"
            );
        }
    }
    let design = design(
        "lut-ram",
        &Config {
            fifo: 16,
            ..Config::default()
        },
    )
    .expect("the memory is sound");
    for mode in [Mode::Ecp5NoWideLut, Mode::Xilinx7] {
        let area = area(&design, mode).expect("Yosys maps it");
        assert!(
            area.lut_rams > 0 && area.block_rams == 0 && area.ffs == 0,
            "{mode:?}: {area:?}"
        );
    }
}
