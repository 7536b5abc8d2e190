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
        render::{systemrdl, Naming},
    },
    parts::Station,
    Config,
};

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text(config: &Config, prefix: &str) -> String {
    let naming = Naming {
        prefix,
        generator: "Portico test",
        hash: "0123abcd",
    };
    systemrdl(config, &naming)
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

/// What the compiler should find of nodes of a kind under a prefix, whose registers begin at `base` and whose memory has so many
/// bytes.
fn expected(config: &Config, prefix: &str, station: Station, base: usize, bytes: usize) -> String {
    let (word, top) = (config.width / 8, station.name());
    let mut text = format!("{prefix}_{top}.memory 0x0 {} {}\n", config.width, bytes / word);
    for map in MAP {
        for item in 0..station.items(&config.build_at(station), map.block) {
            for register in map.registers {
                let index = (map.block as usize) << BLOCK_OFFSET | item << map.number_width | register.number;
                let path = match (map.items, map.number_width) {
                    (1, _) => format!("{}.{}", map.item, register.name),
                    (_, 0) => format!("{}[{item}]", map.block.name()),
                    _ => format!("{}[{item}].{}", map.item, register.name),
                };
                for field in register.fields {
                    text += &format!(
                        "{prefix}_{top}.{path}.{} {:#x} {} {} {} {} {:#x} {}\n",
                        field.name,
                        base + index * word,
                        config.width,
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

/// What it should find of all three kinds.
fn all_expected(config: &Config, prefix: &str) -> String {
    let [tile, host] = [config.scratchpad, config.host_scratchpad].map(|kib| kib << 10);
    let far = 0x80_0000 * config.width / 32;
    [
        expected(config, prefix, Station::Tile, BASE_BYTES, tile),
        expected(config, prefix, Station::Host, BASE_BYTES, host),
        expected(config, prefix, Station::Memory, far, far),
    ]
    .concat()
}

fn same(found: &str, expected: &str) {
    for (found, expected) in found.lines().zip(expected.lines()) {
        assert_eq!(found, expected);
    }
    assert_eq!(found.lines().count(), expected.lines().count());
}

#[test]
fn the_compiler_finds_every_field_of_every_kind_of_node() {
    let full = Config {
        probe: true,
        streams: true,
        mpe: 4,
        ..Config::default()
    };
    let leaf = Config::from_toml("profile = 'leaf'").unwrap();
    for (name, config, least) in [
        ("narrow.rdl", full, 11_000),
        ("wide.rdl", wide(), 10_000),
        ("leaf.rdl", leaf, 500),
    ] {
        let found = listing(&elaborate(name, &text(&config, "portico")));
        let expected = all_expected(&config, "portico");
        assert!(expected.lines().count() > least, "{}", expected.lines().count());
        same(&found, &expected);
    }
}

/// Two fabrics in one compilation, each under its prefix.
#[test]
fn two_fabrics_compile_together_under_two_prefixes() {
    let both = text(&Config::default(), "left") + &text(&wide(), "right");
    let found = listing(&elaborate("both.rdl", &both));
    same(
        &found,
        &(all_expected(&Config::default(), "left") + &all_expected(&wide(), "right")),
    );
    let twice = text(&Config::default(), "left") + &text(&wide(), "left");
    let refused = elaborate("twice.rdl", &twice);
    let errors = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && errors.contains("left_"), "{errors}");
}

/// Arrays of registers are dense: other compilers, such as peakrdl's for C, take no others.
#[test]
fn arrays_of_registers_have_no_gaps() {
    for config in [Config::default(), wide()] {
        let text = text(&config, "portico");
        let release = text
            .lines()
            .find(|line| line.contains("} release["))
            .expect("an array of registers");
        assert!(release.ends_with(&format!("+= {:#x};", config.width / 8)), "{release}");
        assert!(text.contains(&format!("default regwidth = {};", config.width)));
    }
}

#[test]
fn a_wrong_map_is_found() {
    let text = text(&Config::default(), "portico");
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
    let expected = all_expected(&Config::default(), "portico");
    assert_ne!(found, expected);
    assert_eq!(listing(&elaborate("right.rdl", &text)), expected);
}
