//! Every public item of the driver has a function of C, or a reason why it has none.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use syn::{parse_file, Attribute, ImplItem, Item, Type, UseTree, Visibility};

use crate::{bench::ROOT, functions::functions};

/// A line an item: `item = functions`, or `item - reason`. An item that ends with `*` stands for all that begin like it.
const TABLE: &str = include_str!("items.txt");

/// Functions of C that stand for no item of the driver.
const OWN: [(&str, &str); 9] = [
    ("portico_version", "what a header is compared with"),
    ("portico_error_text", "the text of an error, which in Rust is its value"),
    ("portico_error_code", "the code in an error, which in Rust is a field"),
    ("portico_close", "a fabric is dropped in Rust"),
    ("portico_steps_new", "`Steps::default()` in Rust"),
    ("portico_steps_release", "steps are dropped in Rust"),
    ("portico_ticket_release", "a ticket is dropped in Rust"),
    ("portico_call_release", "a ticket of a call is dropped in Rust"),
    ("portico_open_custom", "a type that implements `Transport` in Rust"),
];

fn driver() -> PathBuf {
    Path::new(ROOT).join("../driver/src")
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| attribute.path().is_ident("cfg"))
}

/// The names that a `use` brings.
fn leaves(tree: &UseTree, found: &mut Vec<String>) {
    match tree {
        UseTree::Path(path) => leaves(&path.tree, found),
        UseTree::Name(name) => found.push(name.ident.to_string()),
        UseTree::Rename(rename) => found.push(rename.rename.to_string()),
        UseTree::Group(group) => group.items.iter().for_each(|tree| leaves(tree, found)),
        UseTree::Glob(_) => panic!("a glob hides what is public"),
    }
}

/// The public names of a file: modules apart.
fn names(items: &[Item]) -> (Vec<String>, Vec<String>) {
    let (mut names, mut modules) = (vec![], vec![]);
    for item in items {
        match item {
            Item::Use(item) if is_public(&item.vis) => leaves(&item.tree, &mut names),
            Item::Mod(item) if is_public(&item.vis) => modules.push(item.ident.to_string()),
            Item::Struct(item) if is_public(&item.vis) => names.push(item.ident.to_string()),
            Item::Enum(item) if is_public(&item.vis) => names.push(item.ident.to_string()),
            Item::Trait(item) if is_public(&item.vis) => names.push(item.ident.to_string()),
            Item::Fn(item) if is_public(&item.vis) => names.push(item.sig.ident.to_string()),
            Item::Const(item) if is_public(&item.vis) => names.push(item.ident.to_string()),
            _ => {}
        }
    }
    (names, modules)
}

fn items(path: &Path) -> Vec<Item> {
    parse_file(&fs::read_to_string(path).unwrap()).unwrap().items
}

/// Every source of the driver, with its module: none at the root of the crate.
fn sources(folder: &Path, module: Option<&str>, found: &mut Vec<(Option<String>, PathBuf)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let module = module.unwrap_or(name);
        match (path.is_dir(), name) {
            (_, "tests" | "testing") => {}
            (true, _) => sources(&path, Some(module), found),
            (false, _) => found.push((Some(module.to_owned()), path.clone())),
        }
    }
}

/// The public items: names of the root, `module::name`, and methods of both.
fn public_items() -> BTreeSet<String> {
    let root = items(&driver().join("lib.rs"));
    let (root_names, modules) = names(&root);
    // The modules of each public name.
    let mut homes: BTreeMap<String, Vec<Option<String>>> = BTreeMap::new();
    for name in root_names {
        homes.entry(name).or_default().push(None);
    }
    let mut found = BTreeSet::new();
    for module in modules {
        let file = [
            driver().join(format!("{module}.rs")),
            driver().join(&module).join("mod.rs"),
        ];
        let file = file.iter().find(|file| file.exists()).unwrap();
        let (names, modules) = names(&items(file));
        for name in names {
            homes.entry(name).or_default().push(Some(module.clone()));
        }
        found.extend(modules.into_iter().map(|inner| format!("{module}::{inner}")));
    }
    let full = |home: &Option<String>, name: &str| match home {
        Some(module) => format!("{module}::{name}"),
        None => name.to_owned(),
    };
    for (name, modules) in &homes {
        found.extend(modules.iter().map(|home| full(home, name)));
    }

    let mut all = vec![];
    sources(&driver(), None, &mut all);
    for (module, path) in all {
        for item in items(&path) {
            let Item::Impl(block) = item else { continue };
            let Type::Path(of) = &*block.self_ty else { continue };
            let name = of.path.segments.last().unwrap().ident.to_string();
            let Some(modules) = homes
                .get(&name)
                .filter(|_| block.trait_.is_none() && !is_test(&block.attrs))
            else {
                continue;
            };
            // A name that several modules have is that of the block's own.
            let home = modules.iter().find(|home| **home == module).unwrap_or(&modules[0]);
            for method in &block.items {
                let ImplItem::Fn(method) = method else { continue };
                if is_public(&method.vis) {
                    found.insert(format!("{}::{}", full(home, &name), method.sig.ident));
                }
            }
        }
    }
    found
}

/// A line of the table.
struct Line<'t> {
    item: &'t str,
    functions: Vec<&'t str>,
}

impl Line<'_> {
    fn fits(&self, item: &str) -> bool {
        match self.item.strip_suffix('*') {
            Some(begin) => item.starts_with(begin),
            None => item == self.item,
        }
    }
}

fn table() -> Vec<Line<'static>> {
    let lines = TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let line = |line: &'static str| match line.split_once(" = ") {
        Some((item, functions)) => Line {
            item,
            functions: functions.split(", ").collect(),
        },
        None => {
            let (item, reason) = line
                .split_once(" - ")
                .unwrap_or_else(|| panic!("no function, no reason: {line}"));
            assert!(reason.len() > 10, "{line}");
            Line {
                item,
                functions: vec![],
            }
        }
    };
    lines.map(line).collect()
}

#[test]
fn every_public_item_has_a_c_function_or_a_reason() {
    let (items, table) = (public_items(), table());
    assert!(items.len() > 250, "{}", items.len());
    let without: Vec<&String> = items
        .iter()
        .filter(|item| !table.iter().any(|line| line.fits(item)))
        .collect();
    assert!(without.is_empty(), "neither a function nor a reason: {without:#?}");
    let stale = table.iter().filter(|line| !items.iter().any(|item| line.fits(item)));
    let stale: Vec<&str> = stale.map(|line| line.item).collect();
    assert!(stale.is_empty(), "no such item: {stale:#?}");

    let exported: BTreeSet<String> = functions().into_iter().map(|function| function.name).collect();
    let named: BTreeSet<&str> = table.iter().flat_map(|line| line.functions.iter().copied()).collect();
    let own: BTreeSet<&str> = OWN.iter().map(|&(name, _)| name).collect();
    let missing: Vec<&&str> = named.iter().filter(|name| !exported.contains(**name)).collect();
    assert!(missing.is_empty(), "no such function: {missing:?}");
    let unnamed = exported
        .iter()
        .filter(|name| !named.contains(&***name) && !own.contains(&***name));
    let unnamed: Vec<&String> = unnamed.collect();
    assert!(unnamed.is_empty(), "of no item: {unnamed:#?}");
}

/// `OutOfRange` as `OUT_OF_RANGE`.
fn screaming(name: &str) -> String {
    let letters = name.chars().enumerate().flat_map(|(at, letter)| {
        let joint = (at > 0 && letter.is_uppercase()).then_some('_');
        joint.into_iter().chain([letter.to_ascii_uppercase()])
    });
    letters.collect()
}

/// Names of the variants of an enumeration.
fn variants(path: &Path, name: &str) -> Vec<String> {
    let items = items(path);
    let found = items.into_iter().find_map(|item| match item {
        Item::Enum(item) if item.ident == name => Some(item),
        _ => None,
    });
    let variants = found.unwrap().variants;
    variants.into_iter().map(|variant| variant.ident.to_string()).collect()
}

#[test]
fn every_error_has_the_code_of_its_name() {
    let codes = variants(&Path::new(ROOT).join("src/status.rs"), "portico_status");
    for error in variants(&driver().join("error.rs"), "Error") {
        let code = format!("PORTICO_E_{}", screaming(&error));
        assert!(codes.contains(&code), "{code}");
    }
    let portals = fs::read_to_string(driver().join("portals/error.rs")).unwrap();
    for part in portals.split("=> \"PTL_").skip(1) {
        let code = format!("PORTICO_E_PTL_{}", part.split('"').next().unwrap());
        assert!(codes.contains(&code), "{code}");
    }
}
