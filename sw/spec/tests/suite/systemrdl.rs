//! The SystemRDL, before the reference compiler of the project's tools: every register and field is where the tables have
//! it.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use portico_spec::{
    ni::{
        layout::{Access, BitField},
        registers::{Block, BASE_BYTES, BLOCK_OFFSET, MAP},
        render::systemrdl,
    },
    Config,
};

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn wide() -> Config {
    Config {
        width: 64,
        scratchpad: 256,
        ..Config::default()
    }
}

/// Compiles a text and lists its fields.
fn elaborate(name: &str, text: &str) -> Output {
    let tools = env::var_os("PORTICO_TOOLS").map_or(here().join("../../.tools"), PathBuf::from);
    let python = tools.join("bin/python3");
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&file, text).unwrap();
    let mut command = Command::new(&python);
    let output = command
        .arg("-B")
        .arg(here().join("tests/systemrdl/fields.py"))
        .arg(&file)
        .output();
    output.unwrap_or_else(|error| panic!("{}: {error}: run `make tools` in the project", python.display()))
}

fn listing(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{errors}\nif a module is missing: run `make tools` in the project"
    );
    assert_eq!(errors, "", "warnings");
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn access(field: &BitField, register: Access) -> &'static str {
    match field.access.unwrap_or(register) {
        Access::ReadWrite => "rw kept",
        Access::ReadOnly => "r kept",
        Access::WriteOnly => "w kept",
        Access::Clear => "rw cleared",
    }
}

/// Name of a kind of node, bytes of its memory, first register, blocks that it has not.
type Node = (&'static str, usize, usize, Vec<Block>);

fn tile(config: &Config) -> Node {
    ("tile", config.scratchpad * 1024, BASE_BYTES, vec![Block::Pages])
}

fn codes(field: &BitField) -> String {
    let mut codes: Vec<String> = field
        .codes
        .iter()
        .map(|code| format!("{}={}", code.name, code.code))
        .collect();
    if codes.is_empty() {
        return "-".to_string();
    }
    if field.codes[0].code != 0 {
        codes.insert(0, "none=0".to_string());
    }
    codes.join(",")
}

/// What the compiler should find of a kind of node: `top` is its name, `without` the blocks that it has not.
fn expected(config: &Config, (top, bytes, base, without): &Node) -> String {
    let word = config.width / 8;
    let mut text = format!("portico_{top}.memory 0x0 {} {}\n", config.width, bytes / word);
    for map in MAP.iter().filter(|map| !without.contains(&map.block)) {
        for item in 0..map.items {
            for register in map.registers {
                let index = (map.block as usize) << BLOCK_OFFSET | item << map.number_width | register.number;
                let path = match (map.items, map.number_width) {
                    (1, _) => format!("{}.{}", map.item, register.name),
                    (_, 0) => format!("{}[{item}]", map.block.name()),
                    _ => format!("{}[{item}].{}", map.item, register.name),
                };
                for field in register.fields {
                    text += &format!(
                        "portico_{top}.{path}.{} {:#x} {} {} {} {:#x} {}\n",
                        field.name,
                        base + index * word,
                        field.offset,
                        field.width,
                        access(field, register.access),
                        field.reset,
                        codes(field)
                    );
                }
            }
        }
    }
    text
}

#[test]
fn the_compiler_finds_every_field_of_every_kind_of_node() {
    for (name, config, far) in [
        ("narrow.rdl", Config::default(), 0x80_0000),
        ("wide.rdl", wide(), 0x100_0000),
    ] {
        let found = listing(&elaborate(name, &systemrdl(&config)));
        let tile = tile(&config);
        let of_tiles = vec![Block::Program, Block::Pages, Block::Probe, Block::Mpe];
        let host = ("host", tile.1, BASE_BYTES, of_tiles);
        let of_others = vec![
            Block::Command,
            Block::Segments,
            Block::Release,
            Block::Mailboxes,
            Block::Shapers,
            Block::Program,
            Block::Probe,
            Block::Mpe,
        ];
        let memory = ("memory_node", far, far, of_others);
        let expected: String = [tile, host, memory]
            .iter()
            .map(|node| expected(&config, node))
            .collect();
        assert!(expected.lines().count() > 12_000);
        for (found, expected) in found.lines().zip(expected.lines()) {
            assert_eq!(found, expected);
        }
        assert_eq!(found.lines().count(), expected.lines().count());
    }
}

#[test]
fn a_wrong_map_is_found() {
    let text = systemrdl(&Config::default());
    let altered = |from: &str, to: &str| {
        let altered = text.replacen(from, to, 1);
        assert_ne!(altered, text, "{from}");
        altered
    };
    let overlapping = elaborate("overlapping.rdl", &altered("+= 0x20;", "+= 0x10;"));
    let errors = String::from_utf8_lossy(&overlapping.stderr);
    assert!(!overlapping.status.success() && errors.contains("overlap"), "{errors}");
    let events = format!("{:#x}", BASE_BYTES + ((Block::Events as usize) << BLOCK_OFFSET) * 4);
    let moved = altered(&format!("@ {events} "), &format!("@ {:#x} ", BASE_BYTES + 0x8004));
    let found = listing(&elaborate("moved.rdl", &moved));
    let config = Config::default();
    assert!(!found.starts_with(&expected(&config, &tile(&config))));
    let found = listing(&elaborate("right.rdl", &text));
    assert!(found.starts_with(&expected(&config, &tile(&config))));
}
