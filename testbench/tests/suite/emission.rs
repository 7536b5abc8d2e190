//! What is emitted: every block in several configurations, under the eyes of Verilator's linter and of Yosys.

use portico_generate::{design, generate, Top, PREFIX, TOPS};
use portico_hdl::ni::Scratchpad;
use portico_spec::{Allowed, Config};
use portico_synth::{area, infers_block_ram, locate, Mode, Target, Tool, Yosys};
use portico_verilog::{Design, Module};
use rust_hdl::prelude::Block;
use std::{collections::BTreeSet, fs, sync::LazyLock};

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
        ..Config::from_toml("profile = 'leaf'").expect("a profile")
    }
}

/// The same with a port and streams at every tile.
fn with_ports(config: Config) -> Config {
    Config {
        tile_ports: true,
        streams: true,
        ..config
    }
}

/// With addresses of 32 bits at its memories.
fn narrow(config: Config) -> Config {
    Config {
        memory_address: 32,
        ..config
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
        "dma" | "tile" | "host-node" => vec![Config::default(), fabric(1, 32), fabric(2, 64)],
        "memory-node" => vec![
            Config::default(),
            narrow(fabric(1, 32)),
            fabric(2, 64),
            narrow(fabric(1, 64)),
        ],
        "mpe" | "portals" => ends(top),
        "fabric" => vec![narrow(fabric(2, 32)), with_ports(fabric(1, 64))],
        "board" => vec![fabric(1, 32), with_ports(fabric(1, 64))],
        _ => combinations(top),
    }
}

/// The default of a large block, and all its keys at the least and at the greatest: six keys have 64 combinations, in which its
/// parts are those of these three.
fn ends(top: &Top) -> Vec<Config> {
    let all = |choose: fn(&[usize]) -> usize| {
        let mut config = Config::default();
        for field in Config::fields().iter().filter(|field| top.keys.contains(&field.name)) {
            let values = match field.allowed {
                Allowed::Range(first, last) => vec![first, last],
                Allowed::OneOf(choices) => choices.to_vec(),
                Allowed::Switch | Allowed::Profile => continue,
            };
            let setting = format!("{}={}", field.name, choose(&values));
            config.set(&setting).expect("a value of the table");
        }
        config
    };
    let configs = vec![
        Config::default(),
        all(|values| values[0]),
        all(|values| values[values.len() - 1]),
    ];
    assert!(configs.iter().all(|config| config.validate().is_ok()), "{configs:?}");
    configs
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
            Allowed::Switch | Allowed::Profile => return configs,
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

pub type Emitted = (Config, &'static Top, Design);

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
pub static DESIGNS: LazyLock<Vec<Emitted>> = LazyLock::new(emit_all);

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
    for (at, (config, top, design)) in DESIGNS.iter().enumerate() {
        // The modules are the same in both forms: one configuration shows how files are named, listed and begun.
        if is_first(at) {
            let list = format!("{}.f", design.top);
            assert_eq!(
                lint(&design.files(), &["-f", &list]),
                "",
                "{}, {config:?}, a file a module",
                top.name
            );
        }
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

/// Designs that one process of Yosys checks.
const DESIGNS_A_RUN: usize = 20;

#[test]
fn yosys_has_nothing_to_say() {
    let yosys = Yosys::locate().expect("Yosys is installed");
    // Widths differ in nothing that Yosys could find.
    let checked = DESIGNS
        .iter()
        .filter(|(config, top, _)| config.width != 64 || top.name == "mesh");
    let job = |design: &'static Design| {
        let script = format!("hierarchy -check -top {}; proc; check -assert", design.top);
        (design, script)
    };
    for run in checked.collect::<Vec<_>>().chunks(DESIGNS_A_RUN) {
        let log = yosys.run_each(run.iter().map(|(_, _, design)| job(design)));
        let log = log.unwrap_or_else(|error| {
            let alone = run.iter().find_map(|(config, top, design)| {
                let error = yosys.run_each([job(design)]).err()?;
                Some(format!("{}, {config:?}: {error}", top.name))
            });
            panic!("{}", alone.unwrap_or_else(|| error.to_string()))
        });
        assert_eq!(
            log.matches("Found and reported 0 problems.").count(),
            run.len(),
            "{log}"
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
    assert!(small.contains(&"portico_mesh_router_place".to_owned()), "{small:?}");
    assert_eq!([names(8), names(16)], [small.clone(), small]);
}

#[test]
fn a_larger_fabric_has_no_more_modules() {
    // The host has two segments for each node, and at least as many as a tile: here 64 in both.
    let segments = 64;
    let names = |size: usize| {
        let config = Config {
            segments,
            ..fabric(size, 32)
        };
        module_names("fabric", &config)
    };
    let small = names(3);
    for name in ["tile_ports0", "tile_ports1", "memory_node", "router"] {
        let is_it = |module: &&String| **module == format!("portico_fabric_{name}");
        assert_eq!(small.iter().filter(is_it).count(), 1, "{name} of {small:?}");
    }
    assert_eq!(names(4), small);
}

/// Whether a design is that of the first configuration of its top.
fn is_first(at: usize) -> bool {
    at == 0 || DESIGNS[at].1.name != DESIGNS[at - 1].1.name
}

/// Every block once, each with names of its own, as a project has them that was given several.
fn one_of_each() -> Vec<&'static Design> {
    let all = DESIGNS.iter().enumerate();
    all.filter(|(at, _)| is_first(*at))
        .map(|(_, (_, _, design))| design)
        .collect()
}

#[test]
fn all_blocks_live_in_one_project() {
    let designs = one_of_each();
    assert_eq!(designs.len(), TOPS.len());
    let modules: Vec<(String, String)> = designs.iter().flat_map(|design| design.files()).collect();
    let sources: Vec<(String, String)> = modules.into_iter().filter(|(name, _)| name.ends_with(".v")).collect();
    let mut names: Vec<&str> = sources.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(lint(&sources, &[&["-Wno-MULTITOP"], names.as_slice()].concat()), "");
    let whole = Design {
        modules: designs.iter().flat_map(|design| design.modules.clone()).collect(),
        ..designs[0].clone()
    };
    let log = Yosys::locate()
        .expect("Yosys is installed")
        .run(&whole, "hierarchy -check");
    log.expect("Yosys takes all blocks together");
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), sources.len(), "two blocks have a module of one name");
    // A clash would be seen.
    let twice = [sources[0].clone(), ("again.v".to_owned(), sources[0].1.clone())];
    let found = lint(&twice, &["-Wno-DECLFILENAME", &twice[0].0, "again.v"]);
    assert!(found.contains("MODDUP"), "{found}");
}

#[test]
fn every_module_leads_home() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    for (_, top, design) in &*DESIGNS {
        assert!(
            design.header.starts_with("// SPDX-License-Identifier: "),
            "{}",
            design.header
        );
        for module in &design.modules {
            let first = module.text.lines().next().unwrap_or_default();
            let (ty, file) = first.trim_start_matches("// ").split_once(", ").unwrap_or_default();
            let source = fs::read_to_string(format!("{root}/{file}")).unwrap_or_default();
            // The one block of others is rust-hdl's ROM.
            let is_ours = !ty.is_empty() && source.contains("struct ") && source.contains(ty);
            assert!(
                is_ours || module.name.contains("_rom"),
                "{}: {} says {first}",
                top.name,
                module.name
            );
        }
    }
}

#[test]
fn names_are_those_of_types_whatever_the_configuration() {
    // Where a design has several shapes of a type, their names tell their sizes: those alone may differ.
    let names = |block: &str, config: &Config| {
        let names = module_names(block, config).into_iter();
        names
            .map(|name| name.replace(|c: char| c.is_ascii_digit(), ""))
            .collect::<BTreeSet<_>>()
    };
    for (block, one, other) in [
        ("router", mesh(4, 4, 0, 32, 2), mesh(4, 4, 0, 64, 16)),
        ("mesh", mesh(2, 2, 0, 32, 2), mesh(3, 3, 2, 32, 4)),
        ("tile", fabric(2, 32), fabric(3, 32)),
    ] {
        assert_eq!(names(block, &one), names(block, &other), "{block}");
    }
}

#[test]
fn no_line_is_too_long() {
    for (_, top, design) in &*DESIGNS {
        for line in design.text().lines() {
            assert!(line.len() <= 100, "{}: {line}", top.name);
        }
    }
}

/// The scratchpad of a tile, as a block of its own.
fn scratchpad(config: &Config) -> Design {
    let bytes = config.scratchpad << 10;
    let mut block: Box<dyn Block> = match config.width {
        32 => Box::new(Scratchpad::<32, 4>::new(bytes, config.build().banks())),
        _ => Box::new(Scratchpad::<64, 8>::new(bytes, config.build().banks())),
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
