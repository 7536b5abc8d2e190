//! The names of modules: each leads home to the Rust type that it is made from.
//!
//! A module is named after its type, whatever the fields that hold it and the order in which they are found. Where a
//! design has several shapes of one type, a suffix tells the parameters in which they differ: `fifo_w32_a2`.

use crate::{
    names,
    tree::{AtomInfo, Instance},
};
use rust_hdl::core::atom::AtomKind;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};

/// A module before it has a name.
pub struct Shape {
    /// Name of the type in snake case.
    pub base: String,
    /// What tells it from others of its type, the most telling first.
    parameters: Vec<(String, String)>,
    /// Modules inside it, by index, with the names of their instances.
    pub children: Vec<(String, usize)>,
    /// All of the module after its name; [`mark`] stands for the names of the modules inside it.
    pub text: String,
}

/// Values longer than this make no name.
const LONGEST_VALUE: usize = 8;

/// Levels of blocks below a shape that may tell it from another.
const DEEPEST: usize = 6;

/// Stands in a text for the name of a module.
pub fn mark(module: usize) -> String {
    format!("\u{1}{module}\u{2}")
}

impl Shape {
    /// The shape of `instance`; `ty` is its type as the block around it says, `path` the fields that lead to it.
    pub fn new(
        instance: &Instance,
        ty: Option<&str>,
        path: &str,
        children: Vec<(String, usize)>,
        text: String,
    ) -> Self {
        let mut parameters = Vec::new();
        let base = match (&instance.description, ty) {
            (Some((description, own)), _) => {
                let folder = description.file.trim_end_matches("/mod.rs").trim_end_matches(".rs");
                let place = folder.rsplit('/').next().unwrap_or_default();
                parameters.push((String::new(), names::snake(place)));
                let named = own.iter();
                parameters
                    .extend(named.map(|(name, value)| (name.trim_matches('_').to_lowercase(), value.to_string())));
                names::snake(description.name)
            }
            (None, Some(ty)) => {
                let (name, arguments) = foreign(ty);
                parameters.extend(arguments.into_iter().map(|argument| (String::new(), argument)));
                name
            }
            (None, None) => path.to_owned(),
        };
        let constants = instance.atoms.iter().filter(|atom| atom.kind == AtomKind::Constant);
        let plain = |atom: &&AtomInfo| !atom.key.contains('$');
        parameters.extend(
            constants
                .filter(plain)
                .map(|atom| (atom.key.clone(), atom.value.to_string())),
        );
        parameters.retain(|(_, value)| is_part_of_a_name(value));
        Shape {
            base,
            parameters,
            children,
            text,
        }
    }
}

impl Shape {
    /// Takes the parameters of another shape with the same text, where they come first.
    pub fn meet(&mut self, other: Shape) {
        if other.parameters < self.parameters {
            self.parameters = other.parameters;
        }
    }
}

fn is_part_of_a_name(value: &str) -> bool {
    let is_word = value.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let is_short = value.len() <= LONGEST_VALUE || !value.bytes().all(|b| b.is_ascii_digit());
    is_word && is_short && !value.is_empty()
}

/// Name and arguments of a type as `type_name` spells it: `[widgets::strobe::Strobe<32>; 2]` is `strobe`, `["32"]`.
fn foreign(ty: &str) -> (String, Vec<String>) {
    let ty = ty.trim_start_matches("alloc::vec::Vec<").trim_start_matches('[');
    let (path, arguments) = ty.split_once('<').unwrap_or((ty, ""));
    let path = path.split([';', '>']).next().unwrap_or_default();
    let name = path.rsplit("::").next().unwrap_or_default();
    let arguments = arguments.split('>').next().unwrap_or_default().split(',');
    let last = |argument: &str| argument.trim().rsplit("::").next().unwrap_or_default().to_lowercase();
    (
        names::snake(name),
        arguments.map(last).filter(|word| !word.is_empty()).collect(),
    )
}

/// The names of all modules; `top` is the last shape's.
pub fn name(shapes: &[Shape], top: &str) -> Vec<String> {
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let last = shapes.len() - 1;
    for (module, shape) in shapes[..last].iter().enumerate() {
        groups.entry(&shape.base).or_default().push(module);
    }
    let mut found = vec![top.to_owned(); shapes.len()];
    for (base, modules) in groups {
        for (module, suffix) in modules.iter().zip(suffixes(shapes, &modules)) {
            found[*module] = format!("{top}_{base}{suffix}");
        }
    }
    found
}

/// What tells the `modules` apart, in their order.
fn suffixes(shapes: &[Shape], modules: &[usize]) -> Vec<String> {
    let mut suffixes = vec![String::new(); modules.len()];
    for depth in 0..DEEPEST {
        let parameters: Vec<_> = modules
            .iter()
            .map(|module| parameters(shapes, *module, depth))
            .collect();
        let mut names: Vec<&String> = Vec::new();
        for (name, _) in parameters.iter().flatten() {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        for name in names {
            if is_distinct(&suffixes) {
                return suffixes;
            }
            let value = |of: &Vec<(String, String)>| {
                of.iter()
                    .find(|(other, _)| other == name)
                    .map(|(_, value)| value.clone())
            };
            let values: Vec<Option<String>> = parameters.iter().map(value).collect();
            if splits(&suffixes, &values) {
                for (suffix, value) in suffixes.iter_mut().zip(values) {
                    if let Some(value) = value {
                        *suffix += &format!("_{}{value}", name.replace('$', "_"));
                    }
                }
            }
        }
    }
    if !is_distinct(&suffixes) {
        // Nothing that has a name tells them apart. Their texts do, and in the same order however they are found.
        let digest = |module: usize| Sha256::digest(plain(shapes, module));
        let mut order: Vec<usize> = (0..modules.len()).collect();
        order.sort_by_key(|at| (suffixes[*at].clone(), digest(modules[*at])));
        let mut count: HashMap<String, usize> = HashMap::new();
        for at in order {
            let number = count.entry(suffixes[at].clone()).or_default();
            *number += 1;
            suffixes[at] += &format!("_{number}");
        }
    }
    suffixes
}

/// The text of a module with the texts of those inside it, so that no index of a module is left in it.
fn plain(shapes: &[Shape], module: usize) -> String {
    let shape = &shapes[module];
    let mut text = shape.text.clone();
    for (_, child) in &shape.children {
        text = text.replace(&mark(*child), &plain(shapes, *child));
    }
    text
}

fn is_distinct(suffixes: &[String]) -> bool {
    let mut seen = std::collections::HashSet::new();
    suffixes.iter().all(|suffix| seen.insert(suffix))
}

/// Whether `values` differ between some that are alike so far.
fn splits(suffixes: &[String], values: &[Option<String>]) -> bool {
    let pairs = || suffixes.iter().zip(values);
    pairs().any(|(suffix, value)| pairs().any(|(other, its)| other == suffix && its != value))
}

/// Parameters of the blocks `depth` levels below the module; 0 means its own.
fn parameters(shapes: &[Shape], module: usize, depth: usize) -> Vec<(String, String)> {
    let shape = &shapes[module];
    if depth == 0 {
        return shape.parameters.clone();
    }
    let below = |(name, child): &(String, usize)| {
        let inside = parameters(shapes, *child, depth - 1).into_iter();
        let name = name.clone();
        inside.map(move |(parameter, value)| (format!("{name}_{parameter}"), value))
    };
    shape.children.iter().flat_map(below).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(base: &str, parameters: &[(&str, &str)], children: &[(&str, usize)], text: &str) -> Shape {
        Shape {
            base: base.into(),
            parameters: parameters.iter().map(|(n, v)| (n.to_string(), v.to_string())).collect(),
            children: children
                .iter()
                .map(|(name, child)| (name.to_string(), *child))
                .collect(),
            text: text.into(),
        }
    }

    #[test]
    fn one_shape_has_the_plain_name() {
        let shapes = [
            shape("fifo", &[("w", "32")], &[], "a"),
            shape("top", &[], &[("fifo", 0)], "b"),
        ];
        assert_eq!(name(&shapes, "p_top"), ["p_top_fifo", "p_top"]);
    }

    #[test]
    fn several_shapes_are_told_apart_by_what_differs() {
        let shapes = [
            shape("fifo", &[("w", "32"), ("a", "2"), ("depth", "4")], &[], "a"),
            shape("fifo", &[("w", "32"), ("a", "1"), ("depth", "2")], &[], "b"),
            shape("unit", &[], &[("queue", 0)], "c"),
            shape("unit", &[], &[("queue", 1)], "d"),
            shape("top", &[], &[], "e"),
        ];
        let names = ["p_fifo_a2", "p_fifo_a1", "p_unit_queue_a2", "p_unit_queue_a1", "p"];
        assert_eq!(name(&shapes, "p"), names);
    }

    #[test]
    fn what_no_parameter_tells_apart_is_numbered_in_an_order_of_its_own() {
        let order = |texts: [&str; 2]| {
            let shapes = [
                shape("x", &[], &[], texts[0]),
                shape("x", &[], &[], texts[1]),
                shape("t", &[], &[], ""),
            ];
            name(&shapes, "p")
        };
        let (one, other) = (order(["a", "b"]), order(["b", "a"]));
        assert_eq!((&one[0], &one[1]), (&other[1], &other[0]));
        assert_ne!(one[0], one[1]);
    }

    #[test]
    fn types_of_others_are_read() {
        assert_eq!(
            foreign("[a::strobe::Strobe<32>; 2]"),
            ("strobe".into(), vec!["32".into()])
        );
        assert_eq!(
            foreign("alloc::vec::Vec<a::DelayLine<a::Bits<4>, 8>>"),
            ("delay_line".into(), vec!["bits<4".into()])
        );
        assert_eq!(foreign("a::Plain"), ("plain".into(), vec![]));
    }
}
