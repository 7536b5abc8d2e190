//! How the blocks are written: interfaces once, ports with a line each, and numbers of flip-flops that are true.

use crate::emission::DESIGNS;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};
use syn::{parse_file, Attribute, Field, Item, ItemStruct, Meta, Visibility};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Share of ports that may have no line of documentation, in hundredths.
const MOST_WITHOUT: usize = 10;

/// The sources of the blocks, without tests and what only tests use.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the sources are there") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        if matches!(name, "tests" | "testing") {
            continue;
        }
        match path.is_dir() {
            true => sources(&path, found),
            false => found.push(path),
        }
    }
}

/// The structures of a source, but for those of its tests.
fn structures(source: &str) -> Vec<ItemStruct> {
    fn add(items: Vec<Item>, found: &mut Vec<ItemStruct>) {
        for item in items {
            match item {
                Item::Struct(item) => found.push(item),
                Item::Mod(module) if !has(&module.attrs, "cfg", "test") => {
                    add(module.content.map_or(vec![], |(_, items)| items), found);
                }
                _ => {}
            }
        }
    }
    let mut found = vec![];
    add(parse_file(source).expect("it compiles").items, &mut found);
    found
}

/// Whether there is an attribute of this name with this word in it; any, for an empty word.
fn has(attributes: &[Attribute], name: &str, word: &str) -> bool {
    attributes.iter().any(|attribute| {
        let words = match &attribute.meta {
            Meta::List(list) => list.tokens.to_string(),
            _ => String::new(),
        };
        let mut of_list = words.split(|letter: char| !letter.is_alphanumeric());
        attribute.path().is_ident(name) && (word.is_empty() || of_list.any(|found| found == word))
    })
}

/// All structures of the blocks, with the place of each.
fn house() -> Vec<(String, ItemStruct)> {
    let mut paths = vec![];
    sources(&Path::new(ROOT).join("hdl/rtl/src"), &mut paths);
    let read = |path: PathBuf| {
        let source = fs::read_to_string(&path).expect("a source");
        let place = path.strip_prefix(ROOT).expect("a source of ours").display().to_string();
        structures(&source).into_iter().map(move |item| (place.clone(), item))
    };
    paths.into_iter().flat_map(read).collect()
}

/// The ports of a block or an interface: its public fields, but for the clock.
fn ports(item: &ItemStruct) -> Vec<&Field> {
    if !has(&item.attrs, "derive", "LogicBlock") && !has(&item.attrs, "interface", "") {
        return vec![];
    }
    let is_port = |field: &&Field| {
        let is_clock = field.ident.as_ref().is_some_and(|name| name == "clk");
        matches!(field.vis, Visibility::Public(_)) && !is_clock
    };
    item.fields.iter().filter(is_port).collect()
}

fn has_line(field: &Field) -> bool {
    has(&field.attrs, "doc", "")
}

#[test]
fn nearly_every_port_has_its_line() {
    let house = house();
    let (mut all, mut without) = (0, vec![]);
    for (place, item) in &house {
        for port in ports(item) {
            all += 1;
            if !has_line(port) {
                let name = port.ident.as_ref().expect("a named field");
                without.push(format!("{place}: {}.{name}", item.ident));
            }
        }
    }
    println!("{} of {all} ports have no line", without.len());
    assert!(all > 2000 && 100 * without.len() <= MOST_WITHOUT * all, "{without:#?}");
}

#[test]
fn a_port_without_its_line_is_found() {
    let block = "/// A block.\n#[derive(LogicBlock, Default)]\npub struct Block {\n pub clk: Clock,\n /// One.\n pub a: A,\n pub b: B, c: C }";
    let interface = "#[interface(mirror = Other)]\npub struct One {\n pub a: A }\n#[cfg(test)]\nmod tests { #[interface] pub struct Two { pub a: A } }";
    for (source, expected) in [
        (block, vec![("a", true), ("b", false)]),
        (interface, vec![("a", false)]),
    ] {
        let items = structures(source);
        let found = items.iter().flat_map(ports);
        let found: Vec<(String, bool)> = found
            .map(|port| (port.ident.as_ref().unwrap().to_string(), has_line(port)))
            .collect();
        let expected: Vec<(String, bool)> = expected.into_iter().map(|(name, has)| (name.into(), has)).collect();
        assert_eq!(found, expected);
    }
}

/// With rust-hdl's derive the other side would be a structure of its own.
#[test]
fn each_interface_is_written_once() {
    let house = house();
    let interfaces = house.iter().filter(|(_, item)| has(&item.attrs, "interface", ""));
    assert!(interfaces.count() > 40);
    for (place, item) in &house {
        let by_hand = has(&item.attrs, "derive", "LogicInterface") || has(&item.attrs, "join", "");
        assert!(!by_hand, "{place}: {}", item.ident);
    }
}

/// The row `state` of the table in a documentation comment.
fn state_row(item: &ItemStruct) -> Option<String> {
    item.attrs.iter().find_map(|attribute| {
        let Meta::NameValue(pair) = &attribute.meta else {
            return None;
        };
        let syn::Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Str(text),
            ..
        }) = &pair.value
        else {
            return None;
        };
        let row = text.value().trim().strip_prefix("| state |")?.to_owned();
        Some(row.trim_end_matches('|').trim().to_owned())
    })
}

/// `12 flip-flops`, and nothing else.
fn flip_flops(row: &str) -> Option<usize> {
    let number = row.strip_suffix(" flip-flops").or(row.strip_suffix(" flip-flop"))?;
    number.replace(',', "").parse().ok()
}

/// Type and file of a module, as its comment has them.
fn origin(text: &str) -> Option<(&str, &str)> {
    let mut lines = text
        .lines()
        .filter_map(|line| line.strip_prefix("// ")?.split_once(", "));
    lines.find(|(_, file)| file.ends_with(".rs"))
}

/// Bits of the registers of a module: what it assigns at a clock edge, but for memories.
fn registers(text: &str) -> usize {
    let mut widths = BTreeMap::new();
    for line in text.lines() {
        let words = line.trim_start().trim_start_matches("output ");
        let Some(declared) = words.strip_prefix("reg ") else {
            continue;
        };
        let declared = declared.trim();
        let (width, name) = match declared.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((range, name)) => {
                let (high, low) = range.split_once(':').expect("a range");
                let bit = |text: &str| text.trim().parse::<usize>().expect("a number");
                (bit(high) - bit(low) + 1, name)
            }
            None => (1, declared),
        };
        let name = name.trim().trim_end_matches([',', ';']);
        if !name.contains('[') {
            widths.insert(name.to_owned(), width);
        }
    }
    let assigned = text.lines().filter_map(|line| line.trim_start().split_once(" <= "));
    // The first word of a statement: a comparison has others in front of it.
    let names = assigned.map(|(name, _)| name.split('[').next().unwrap_or_default());
    let names: BTreeSet<&str> = names.filter(|name| !name.contains(' ')).collect();
    names.into_iter().filter_map(|name| widths.get(name)).sum()
}

#[test]
fn numbers_of_flip_flops_are_those_of_the_registers() {
    let rows: BTreeMap<(String, String), String> = house()
        .into_iter()
        .filter_map(|(place, item)| Some(((item.ident.to_string(), place), state_row(&item)?)))
        .collect();
    let mut seen = BTreeMap::new();
    for module in DESIGNS.iter().flat_map(|(_, _, design)| &design.modules) {
        let Some((name, file)) = origin(&module.text) else {
            continue;
        };
        let Some(row) = rows.get(&(name.to_owned(), file.to_owned())) else {
            continue;
        };
        if let Some(expected) = flip_flops(row) {
            assert_eq!(registers(&module.text), expected, "{name}, {file}: {row}");
            seen.insert(name, expected);
        }
    }
    assert!(seen.len() > 20, "{seen:?}");
    // Other rows name what is kept: a number that nothing holds would be wrong soon.
    for ((name, file), row) in &rows {
        let words: Vec<&str> = row.split(' ').collect();
        let counts = |pair: &[&str]| pair[0].parse::<usize>().is_ok() && pair[1].starts_with("flip-flop");
        let is_formula = row.contains('`');
        assert!(
            flip_flops(row).is_some() || is_formula || !words.windows(2).any(counts),
            "{name}, {file}: {row}"
        );
    }
}

#[test]
fn registers_of_a_module_are_counted() {
    let text = "module m (\n    output reg  [7:0] q,\n    input  wire a\n);\n    reg        one;\n    reg  [2:0] next;\n    reg  [31:0] words [0:15];\n\
        always @(*) begin\n next = q[2:0];\n end\n always @(posedge clk) begin\n if (a <= one) q[3:0] <= 4'd1;\n        q[7:4] <= 4'd2;\n        one <= a;\n        words[a] <= 0;\n    end\nendmodule";
    assert_eq!(registers(text), 9);
    assert_eq!(
        origin("// Portico 0.1.0, block m\n// Store, hdl/rtl/src/store.rs\n"),
        Some(("Store", "hdl/rtl/src/store.rs"))
    );
    assert_eq!(
        [
            flip_flops("1 flip-flop"),
            flip_flops("1,089 flip-flops"),
            flip_flops("a word, 3 flip-flops")
        ],
        [Some(1), Some(1089), None]
    );
}
