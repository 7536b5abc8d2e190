//! What stands above a module's body: where it comes from, and its ports with what each is for.

use super::{
    put,
    wrap::{comment, INDENT},
    OWN_NAME,
};
use crate::{
    describe::{Description, Ports},
    names,
    tree::Instance,
};
use rust_hdl::core::atom::AtomKind;
use std::collections::HashSet;

/// Rows of a block's table of properties that an integrator wants to know.
const PROPERTIES: [&str; 2] = ["latency", "throughput"];

/// `[7:0]`, or nothing for one bit.
pub fn vector(width: usize) -> String {
    match width {
        1 => String::new(),
        _ => format!("[{}:0]", width - 1),
    }
}

/// Declarations (kind, range, name) with their ranges and names in columns.
pub fn aligned(declarations: &[(&str, String, String)]) -> Vec<String> {
    let widest = |length: fn(&(&str, String, String)) -> usize| declarations.iter().map(length).max().unwrap_or(0);
    let (kinds, ranges) = (widest(|(kind, ..)| kind.len()), widest(|(_, range, _)| range.len()));
    let line = |(kind, range, name): &(&str, String, String)| match ranges {
        0 => format!("{INDENT}{kind:kinds$} {name}"),
        _ => format!("{INDENT}{kind:kinds$} {range:ranges$} {name}"),
    };
    declarations.iter().map(line).collect()
}

/// Everything from the comment above the module to the end of its port list; `is_reg` tells which outputs an `always`
/// block drives.
pub fn head(instance: &Instance, is_reg: &dyn Fn(&str) -> bool) -> String {
    let mut text = String::new();
    if let Some((description, _)) = &instance.description {
        origin(description, &mut text);
    }
    put(&mut text, &format!("module {OWN_NAME} ("));
    let ports = instance.atoms.iter().filter_map(|atom| {
        let name = names::flat(&atom.key);
        let kind = match atom.kind {
            AtomKind::InputParameter => "input  wire",
            AtomKind::OutputParameter if is_reg(&name) => "output reg",
            AtomKind::OutputParameter => "output wire",
            _ => return None,
        };
        Some((atom.key.as_str(), (kind, vector(atom.width), name)))
    });
    let (keys, declarations): (Vec<&str>, Vec<_>) = ports.unzip();
    let ports = instance
        .description
        .as_ref()
        .map_or_else(Vec::new, |(told, _)| told.ports());
    let mut remarks = Remarks::new(&ports);
    let last = keys.len().saturating_sub(1);
    for (at, (key, line)) in keys.iter().zip(aligned(&declarations)).enumerate() {
        remarks.above(key, &mut text);
        put(&mut text, &format!("{line}{}", if at == last { "" } else { "," }));
    }
    put(&mut text, ");\n");
    text
}

/// The type, its file and what its documentation says first.
fn origin(description: &Description, text: &mut String) {
    let Description {
        name,
        file,
        documentation,
        ..
    } = description;
    text.push_str(&comment(&format!("{name}, {file}"), 0));
    let lines = || documentation.iter().map(|line| line.trim());
    let paragraph: Vec<&str> = lines().take_while(|line| !line.is_empty()).collect();
    text.push_str(&comment(&plain(&paragraph.join(" ")), 0));
    for line in lines() {
        let mut cells = line.trim_matches('|').splitn(2, '|').map(str::trim);
        if let (true, Some(property), Some(value)) = (line.starts_with('|'), cells.next(), cells.next()) {
            if PROPERTIES.contains(&property) {
                text.push_str(&comment(&plain(&format!("{property}: {value}")), 0));
            }
        }
    }
}

/// The text without the marks of rustdoc's links: ``[`Fifo`]`` is `Fifo`.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        let Some(length) = rest[open..].find(']') else { break };
        let (label, after) = (&rest[open + 1..open + length], &rest[open + length + 1..]);
        plain.push_str(&rest[..open]);
        let target = after.strip_prefix('(').and_then(|target| target.find(')'));
        match target {
            Some(end) => {
                plain.push_str(label.trim_matches('`'));
                rest = &after[end + 2..];
            }
            None if label.starts_with('`') => {
                plain.push_str(label.trim_matches('`'));
                rest = after;
            }
            None => {
                plain.push_str(&rest[open..=open + length]);
                rest = after;
            }
        }
    }
    plain + rest
}

/// The first element of the array of interfaces of which the group is another element.
fn first_of_array(group: &str) -> Option<String> {
    let (array, index) = group.rsplit_once('$')?;
    let is_other = index.bytes().all(|digit| digit.is_ascii_digit()) && index != "0";
    is_other.then(|| format!("{array}$0"))
}

/// Comments above ports, each said once.
struct Remarks<'a> {
    ports: &'a Ports,
    said: HashSet<(String, &'static str)>,
    group: String,
}

impl<'a> Remarks<'a> {
    fn new(ports: &'a Ports) -> Self {
        Remarks {
            ports,
            said: HashSet::new(),
            group: String::new(),
        }
    }

    /// What is said above the port `key`; an interface is a group of its own.
    fn above(&mut self, key: &str, text: &mut String) {
        let key = names::without_groups(key);
        let named: Vec<&str> = key
            .split('$')
            .filter(|part| !part.bytes().all(|b| b.is_ascii_digit()))
            .collect();
        // What a port is inside: each interface, and each element of an array of them, stands apart.
        let group = match named.len() {
            1 => String::new(),
            _ => key
                .rsplit_once('$')
                .map_or(String::new(), |(group, _)| group.to_owned()),
        };
        let mut heading = String::new();
        if group != self.group {
            if !text.ends_with("(\n") {
                text.push('\n');
            }
            heading = match first_of_array(&group) {
                Some(first) => comment(&format!("As {}.", names::flat(&first)), 1),
                None => (1..named.len()).map(|depth| self.say(&named[..depth])).collect(),
            };
        }
        self.group = group;
        let own = self.say(&named);
        // What is said of the interface must not read as what is said of its first port.
        let apart = if heading.is_empty() || own.is_empty() { "" } else { "\n" };
        *text += &format!("{heading}{apart}{own}");
    }

    /// The comment of the port or interface at this path, the first time.
    fn say(&mut self, path: &[&str]) -> String {
        let (whole, subject) = (path.join("$"), path.last().copied().unwrap_or_default());
        match self.ports.iter().find(|(port, _)| names::without_groups(port) == whole) {
            Some((_, remark)) if !remark.is_empty() && self.said.insert((subject.to_owned(), remark)) => {
                comment(&plain(remark), 1)
            }
            _ => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interface_has_a_heading_and_the_next_of_an_array_names_the_first() {
        let ports = [
            ("out", "Beats."),
            ("out$valid", "There is a beat."),
            ("out$ends_", "How it ends."),
            ("out$ends_$last", "It is the last."),
            ("events", "Each event."),
            ("irq", "It interrupts."),
        ];
        let ports = ports.map(|(path, remark)| (path.to_owned(), remark)).into();
        let mut remarks = Remarks::new(&ports);
        let mut text = "module (\n".to_owned();
        let keys = [
            "out$0$valid",
            "out$0$ends_$last",
            "out$1$valid",
            "out$1$ends_$last",
            "out$12$valid",
        ];
        for key in keys.into_iter().chain(["events$fired", "irq"]) {
            remarks.above(key, &mut text);
            text += &format!("    {key}\n");
        }
        let expected = "\
module (
    // Beats.

    // There is a beat.
    out$0$valid
    // It is the last.
    out$0$ends_$last

    // As out_0.
    out$1$valid
    out$1$ends_$last

    // As out_0.
    out$12$valid

    // Each event.
    events$fired

    // It interrupts.
    irq
";
        assert_eq!(text, expected);
    }

    #[test]
    fn links_of_rustdoc_are_plain_text() {
        assert_eq!(
            plain("state of [`Fifo`], [see](there) a[3:0]"),
            "state of Fifo, see a[3:0]"
        );
        assert_eq!(plain("open [ bracket"), "open [ bracket");
    }
}
