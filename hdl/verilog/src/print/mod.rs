//! Verilog-2005 as people like to read it: one module, part by part.

mod expression;
mod statement;

use crate::{
    custom,
    expr::{Constant, Expr, SignalId},
    names::{self, UNUSED},
    plan::{Plan, RegisterPlan},
    stmt::{walk, Stmt},
    symbols::{Role, Symbols},
    tree::Instance,
};
use expression::{constant, literal, vector};
use num_bigint::BigUint;
use rust_hdl::core::atom::AtomKind;
use std::{
    collections::{BTreeMap, HashSet},
    fmt::Write,
};

const INDENT: &str = "    ";

/// Lists are broken before this column.
const LINE: usize = 120;

/// All of a module after its name; `modules` are the names of its children's modules.
pub fn module(instance: &Instance, symbols: &Symbols, plan: &Plan, modules: &[&str]) -> String {
    let printer = Printer { symbols, plan };
    let in_process = plan.driven_by_process();
    let regs: HashSet<&str> = in_process.iter().map(|id| symbols.signals[*id].name.as_str()).collect();
    let mut text = port_list(instance, &|name| regs.contains(name));
    text.push('\n');
    printer.constants(&mut text);
    printer.declarations(&in_process, &mut text);
    printer.instances(modules, &mut text);
    printer.assigns(&mut text);
    printer.processes(&mut text);
    printer.registers(&mut text);
    printer.unused(&mut text);
    text.push_str("endmodule\n");
    text
}

/// A module whose body is given as text.
pub fn module_from_text(instance: &Instance, body: &str) -> String {
    let mut text = port_list(instance, &|name| custom::assigns_in_process(body, name));
    text.push('\n');
    for line in body.trim_end().lines() {
        let line = line.trim_end();
        let pad = if line.is_empty() { "" } else { INDENT };
        put(&mut text, &format!("{pad}{line}"));
    }
    text.push_str("\nendmodule\n");
    text
}

/// The port list of a block; `is_reg` tells which outputs an `always` block drives.
fn port_list(instance: &Instance, is_reg: &dyn Fn(&str) -> bool) -> String {
    let ports = instance.atoms.iter().filter_map(|atom| {
        let name = names::flat(&atom.key);
        let kind = match atom.kind {
            AtomKind::InputParameter => "input  wire",
            AtomKind::OutputParameter if is_reg(&name) => "output reg",
            AtomKind::OutputParameter => "output wire",
            _ => return None,
        };
        Some((kind, vector(atom.width), name))
    });
    let lines = aligned(ports.collect());
    format!("(\n{}\n);\n", lines.join(",\n"))
}

/// Declarations (kind, range, name) with their ranges and names in columns.
fn aligned(declarations: Vec<(&str, String, String)>) -> Vec<String> {
    let widest = |length: fn(&(&str, String, String)) -> usize| declarations.iter().map(length).max().unwrap_or(0);
    let (kinds, ranges) = (widest(|(kind, ..)| kind.len()), widest(|(_, range, _)| range.len()));
    let line = |(kind, range, name): &(&str, String, String)| match ranges {
        0 => format!("{INDENT}{kind:kinds$} {name}"),
        _ => format!("{INDENT}{kind:kinds$} {range:ranges$} {name}"),
    };
    declarations.iter().map(line).collect()
}

fn put(text: &mut String, line: &str) {
    writeln!(text, "{line}").expect("writing to a string never fails");
}

/// Clock and reset that registers share.
type Domain = (SignalId, Option<SignalId>);

struct Printer<'a> {
    symbols: &'a Symbols,
    plan: &'a Plan,
}

impl Printer<'_> {
    fn name(&self, id: SignalId) -> &str {
        let id = self.plan.aliases.get(&id).copied().unwrap_or(id);
        &self.symbols.signals[id].name
    }

    fn declarations(&self, in_process: &HashSet<SignalId>, text: &mut String) {
        let assigned = self.plan.driven_by_assign();
        let mut declared = Vec::new();
        for (id, signal) in self.symbols.signals.iter().enumerate() {
            let kind = match signal.role {
                Role::Output | Role::Input => continue,
                Role::State(_) => "reg",
                _ if in_process.contains(&id) => "reg",
                Role::Source(_) if !self.plan.aliases.contains_key(&id) => "wire",
                _ if assigned.contains(&id) => "wire",
                _ => continue,
            };
            declared.push((kind, vector(signal.width), format!("{};", signal.name)));
        }
        if !declared.is_empty() {
            put(text, &aligned(declared).join("\n"));
            text.push('\n');
        }
    }

    /// A `localparam` for each value of an enumeration that the text names.
    fn constants(&self, text: &mut String) {
        let mut used = BTreeMap::new();
        let mut note = |value: &Constant| {
            if let Some(name) = &value.name {
                used.insert((value.value.clone(), name.clone()), value.clone());
            }
        };
        let plan = self.plan;
        plan.assigns
            .iter()
            .for_each(|(_, _, value)| constants_in(value, &mut note));
        plan.connections
            .values()
            .for_each(|value| constants_in(value, &mut note));
        for register in &plan.registers {
            constants_in(&register.value, &mut note);
            register.reset.iter().for_each(|(_, value)| note(value));
        }
        for process in &plan.processes {
            walk(process, &mut |stmt| {
                stmt.own_expressions(&mut |expression| constants_in(expression, &mut note));
                if let Stmt::Case { arms, .. } = stmt {
                    arms.iter().for_each(|(label, _)| note(label));
                }
            });
        }
        put_constants(&used, text);
    }

    fn instances(&self, modules: &[&str], text: &mut String) {
        for (child, module) in self.symbols.children.iter().zip(modules) {
            put(text, &format!("{INDENT}{module} {} (", child.name));
            let wired = |(port, id): &(String, SignalId)| {
                let value = self.plan.connections.get(id).map(|value| self.expr(value));
                let value = value.unwrap_or_else(|| self.name(*id).to_owned());
                format!("{INDENT}{INDENT}.{port}({value})")
            };
            put(text, &child.ports.iter().map(wired).collect::<Vec<_>>().join(",\n"));
            put(text, &format!("{INDENT});\n"));
        }
    }

    fn assigns(&self, text: &mut String) {
        for (target, range, value) in &self.plan.assigns {
            let line = format!("{INDENT}assign {}", self.assignment(*target, range, value));
            match value {
                Expr::Concat(parts) if line.len() > LINE => {
                    put(text, &format!("{INDENT}assign {} = {{", self.target(*target, range)));
                    let part = |part| format!("{INDENT}{INDENT}{}", self.expr(part));
                    put(text, &parts.iter().map(part).collect::<Vec<_>>().join(",\n"));
                    put(text, &format!("{INDENT}}};"));
                }
                _ => put(text, &line),
            }
        }
        if !self.plan.assigns.is_empty() {
            text.push('\n');
        }
    }

    fn processes(&self, text: &mut String) {
        for process in &self.plan.processes {
            put(text, &format!("{INDENT}always @* begin"));
            self.statements(process, 2, text);
            put(text, &format!("{INDENT}end\n"));
        }
    }

    fn registers(&self, text: &mut String) {
        let mut groups: Vec<(Domain, Vec<&RegisterPlan>)> = Vec::new();
        for register in &self.plan.registers {
            let key = (register.clock, register.reset.as_ref().map(|(reset, _)| *reset));
            match groups.iter_mut().find(|(other, _)| *other == key) {
                Some((_, members)) => members.push(register),
                None => groups.push((key, vec![register])),
            }
        }
        for ((clock, reset), members) in groups {
            put(text, &format!("{INDENT}always @(posedge {}) begin", self.name(clock)));
            let depth = INDENT.repeat(if reset.is_some() { 3 } else { 2 });
            let (mut to_reset, mut to_next) = (String::new(), String::new());
            for register in members {
                let state = self.name(register.state);
                if let Some((_, value)) = &register.reset {
                    put(&mut to_reset, &format!("{depth}{state} <= {};", constant(value)));
                }
                put(
                    &mut to_next,
                    &format!("{depth}{state} <= {};", self.expr(&register.value)),
                );
            }
            match reset {
                Some(reset) => {
                    let pad = INDENT.repeat(2);
                    put(text, &format!("{pad}if ({}) begin", self.name(reset)));
                    text.push_str(&to_reset);
                    put(text, &format!("{pad}end else begin"));
                    text.push_str(&to_next);
                    put(text, &format!("{pad}end"));
                }
                None => text.push_str(&to_next),
            }
            put(text, &format!("{INDENT}end\n"));
        }
    }

    fn unused(&self, text: &mut String) {
        if self.plan.unused.is_empty() {
            return;
        }
        let mut line = format!("{INDENT}wire {UNUSED} = &{{1'b0");
        for id in &self.plan.unused {
            let name = self.name(*id);
            line.push(',');
            if line.len() + name.len() + "};".len() > LINE {
                put(text, &line);
                line = INDENT.repeat(2) + name;
            } else {
                line.push(' ');
                line.push_str(name);
            }
        }
        put(text, &format!("{line}}};\n"));
    }
}

fn put_constants(used: &BTreeMap<(BigUint, String), Constant>, text: &mut String) {
    let declared = used.iter().map(|((_, name), value)| {
        let range = vector(value.width);
        ("localparam", range, format!("{name} = {};", literal(value)))
    });
    let lines = aligned(declared.collect());
    if !lines.is_empty() {
        put(text, &lines.join("\n"));
        text.push('\n');
    }
}

fn constants_in(expression: &Expr, note: &mut dyn FnMut(&Constant)) {
    match expression {
        Expr::Const(value) => note(value),
        Expr::Part { .. } => {}
        Expr::DynamicPart { offset, .. } => constants_in(offset, note),
        Expr::Unary(_, operand) => constants_in(operand, note),
        Expr::Binary(_, left, right) => {
            constants_in(left, note);
            constants_in(right, note);
        }
        Expr::Concat(parts) => parts.iter().for_each(|part| constants_in(part, note)),
    }
}
