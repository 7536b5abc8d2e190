//! Verilog-2005 as people like to read it.

use crate::{
    ir::{walk, BinaryOp, Constant, Expr, Range, SignalId, Stmt, UnaryOp},
    names,
    plan::Plan,
    symbols::{Role, Symbols},
    tree::Instance,
};
use num_bigint::BigUint;
use rust_hdl::core::atom::AtomKind;
use std::{collections::BTreeMap, fmt::Write};

/// Constants up to here read best in decimal.
const LARGEST_DECIMAL: u32 = 4096;

const INDENT: &str = "    ";

/// A `wire` that reads what nobody else reads, so that linters report the signals that matter.
pub const UNUSED: &str = "unused";

fn constant(value: &Constant) -> String {
    match &value.name {
        Some(name) => name.clone(),
        None if value.width == 1 => format!("1'b{}", value.value),
        None if value.value <= LARGEST_DECIMAL.into() => format!("{}'d{}", value.width, value.value),
        None => format!("{}'h{:x}", value.width, value.value),
    }
}

fn vector(width: usize) -> String {
    if width == 1 {
        String::new()
    } else {
        format!("[{}:0]", width - 1)
    }
}

struct Printer<'a> {
    symbols: &'a Symbols,
    plan: &'a Plan,
}

impl Printer<'_> {
    fn name(&self, id: SignalId) -> &str {
        let id = self.plan.aliases.get(&id).copied().unwrap_or(id);
        &self.symbols.signals[id].name
    }

    fn range(&self, id: SignalId, of: usize, offset: usize, width: usize) -> String {
        match width {
            _ if width == of => self.name(id).to_owned(),
            1 => format!("{}[{offset}]", self.name(id)),
            _ => format!("{}[{}:{offset}]", self.name(id), offset + width - 1),
        }
    }

    fn target(&self, id: SignalId, range: &Range) -> String {
        match range {
            Range::Whole => self.name(id).to_owned(),
            Range::Part { offset, width } => self.range(id, self.symbols.signals[id].width, *offset, *width),
            Range::Dynamic { offset, width } => self.dynamic(id, offset, *width),
        }
    }

    fn dynamic(&self, id: SignalId, offset: &Expr, width: usize) -> String {
        match width {
            1 => format!("{}[{}]", self.name(id), self.expr(offset)),
            _ => format!("{}[{} +: {width}]", self.name(id), self.expr(offset)),
        }
    }

    fn expr(&self, expr: &Expr) -> String {
        match expr {
            Expr::Const(value) => constant(value),
            Expr::Part {
                signal,
                of,
                offset,
                width,
            } => self.range(*signal, *of, *offset, *width),
            Expr::DynamicPart { signal, offset, width } => self.dynamic(*signal, offset, *width),
            Expr::Unary(op, operand) => {
                let sign = match op {
                    UnaryOp::Not => "~",
                    UnaryOp::Negate => "-",
                    UnaryOp::All => "&",
                    UnaryOp::Any => "|",
                    UnaryOp::Parity => "^",
                };
                match **operand {
                    Expr::Unary(..) | Expr::Binary(..) => format!("{sign}({})", self.expr(operand)),
                    _ => format!("{sign}{}", self.expr(operand)),
                }
            }
            Expr::Binary(op, left, right) => {
                format!(
                    "{} {} {}",
                    self.operand(*op, left, true),
                    symbol(*op),
                    self.operand(*op, right, false)
                )
            }
            Expr::Concat(parts) => {
                format!(
                    "{{{}}}",
                    parts.iter().map(|part| self.expr(part)).collect::<Vec<_>>().join(", ")
                )
            }
        }
    }

    /// Parentheses wherever two different operators meet: nobody should need the table of precedences.
    fn operand(&self, parent: BinaryOp, operand: &Expr, is_left: bool) -> String {
        let chains = matches!(parent, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Add);
        match operand {
            Expr::Binary(op, ..) if !(*op == parent && chains && is_left) => format!("({})", self.expr(operand)),
            Expr::Unary(UnaryOp::All | UnaryOp::Any | UnaryOp::Parity, _) if !is_left => {
                format!("({})", self.expr(operand))
            }
            _ => self.expr(operand),
        }
    }

    fn statements(&self, body: &[Stmt], depth: usize, text: &mut String) {
        let pad = INDENT.repeat(depth);
        for stmt in body {
            match stmt {
                Stmt::Assign { target, range, value } => {
                    put(
                        text,
                        &format!("{pad}{} = {};", self.target(*target, range), self.expr(value)),
                    );
                }
                Stmt::If { .. } => self.conditional(stmt, depth, text),
                Stmt::Case {
                    selector,
                    arms,
                    default,
                } => {
                    put(text, &format!("{pad}case ({})", self.expr(selector)));
                    for (labels, arm) in arms {
                        let labels = labels.iter().map(constant).collect::<Vec<_>>().join(", ");
                        self.arm(&labels, arm, depth + 1, text);
                    }
                    // A case without a default is full or has its defaults above: say so.
                    self.arm("default", default.as_deref().unwrap_or(&[]), depth + 1, text);
                    put(text, &format!("{pad}endcase"));
                }
                Stmt::Comment(comment) => put(text, &format!("{pad}// {comment}")),
            }
        }
    }

    fn arm(&self, label: &str, arm: &[Stmt], depth: usize, text: &mut String) {
        let pad = INDENT.repeat(depth);
        if arm.is_empty() {
            return put(text, &format!("{pad}{label}: ;"));
        }
        put(text, &format!("{pad}{label}: begin"));
        self.statements(arm, depth + 1, text);
        put(text, &format!("{pad}end"));
    }

    fn conditional(&self, stmt: &Stmt, depth: usize, text: &mut String) {
        let pad = INDENT.repeat(depth);
        let mut lead = format!("{pad}if");
        let mut current = stmt;
        while let Stmt::If { test, then, otherwise } = current {
            put(text, &format!("{lead} ({}) begin", self.expr(test)));
            self.statements(then, depth + 1, text);
            match otherwise.as_slice() {
                [] => break,
                [next @ Stmt::If { .. }] => {
                    lead = format!("{pad}end else if");
                    current = next;
                }
                other => {
                    put(text, &format!("{pad}end else begin"));
                    self.statements(other, depth + 1, text);
                    break;
                }
            }
        }
        put(text, &format!("{pad}end"));
    }

    fn declarations(&self, text: &mut String) {
        let in_process = self.plan.driven_by_process();
        let assigned: Vec<SignalId> = self.plan.assigns.iter().map(|(target, ..)| *target).collect();
        let mut lines = Vec::new();
        for (id, signal) in self.symbols.signals.iter().enumerate() {
            let kind = match signal.role {
                Role::State(_) => "reg",
                _ if in_process.contains(&id) => "reg",
                Role::Source(_) if !self.plan.aliases.contains_key(&id) => "wire",
                _ if assigned.contains(&id) => "wire",
                _ => continue,
            };
            if !matches!(signal.role, Role::Output | Role::Input) {
                lines.push((kind, vector(signal.width), &signal.name));
            }
        }
        let widest = lines.iter().map(|(_, vector, _)| vector.len()).max().unwrap_or(0);
        for (kind, vector, name) in &lines {
            let range = if widest == 0 {
                String::new()
            } else {
                format!("{vector:widest$} ")
            };
            put(text, &format!("{INDENT}{kind:4} {range}{name};"));
        }
        if !lines.is_empty() {
            text.push('\n');
        }
    }

    fn constants(&self, text: &mut String) {
        let mut used = BTreeMap::new();
        let mut note = |expression: &Expr| named_constants(expression, &mut used);
        self.plan.assigns.iter().for_each(|(_, _, value)| note(value));
        self.plan.registers.iter().for_each(|register| note(&register.value));
        self.plan.connections.values().for_each(&mut note);
        for process in &self.plan.processes {
            walk(process, &mut |stmt| stmt.own_expressions(&mut note));
        }
        let resets = self
            .plan
            .registers
            .iter()
            .filter_map(|register| register.reset.as_ref());
        resets.for_each(|(_, value)| note_constant(value, &mut used));
        for process in &self.plan.processes {
            walk(process, &mut |stmt| {
                if let Stmt::Case { arms, .. } = stmt {
                    arms.iter()
                        .flat_map(|(labels, _)| labels)
                        .for_each(|label| note_constant(label, &mut used));
                }
            });
        }
        for ((_, name), value) in &used {
            let plain = constant(&Constant {
                name: None,
                ..value.clone()
            });
            put(
                text,
                &format!("{INDENT}localparam {}{name} = {plain};", spaced(&vector(value.width))),
            );
        }
        if !used.is_empty() {
            text.push('\n');
        }
    }

    fn instances(&self, modules: &[&str], text: &mut String) {
        for (child, module) in self.symbols.children.iter().zip(modules) {
            put(text, &format!("{INDENT}{module} {} (", child.name));
            let ports: Vec<String> = child
                .ports
                .iter()
                .map(|(port, id)| {
                    let wired = self.plan.connections.get(id).map(|value| self.expr(value));
                    format!(
                        "{INDENT}{INDENT}.{port}({})",
                        wired.unwrap_or_else(|| self.name(*id).to_owned())
                    )
                })
                .collect();
            put(text, &ports.join(",\n"));
            put(text, &format!("{INDENT});\n"));
        }
    }

    fn assigns(&self, text: &mut String) {
        for (target, range, value) in &self.plan.assigns {
            put(
                text,
                &format!("{INDENT}assign {} = {};", self.target(*target, range), self.expr(value)),
            );
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
        let mut groups: Vec<(SignalId, Option<SignalId>)> = Vec::new();
        for register in &self.plan.registers {
            let group = (register.clock, register.reset.as_ref().map(|(reset, _)| *reset));
            if !groups.contains(&group) {
                groups.push(group);
            }
        }
        for (clock, reset) in groups {
            let members = self.plan.registers.iter().filter(|register| {
                register.clock == clock && register.reset.as_ref().map(|(reset, _)| *reset) == reset
            });
            let (mut to_reset, mut to_next) = (String::new(), String::new());
            let depth = INDENT.repeat(if reset.is_some() { 3 } else { 2 });
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
            put(text, &format!("{INDENT}always @(posedge {}) begin", self.name(clock)));
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
        if !self.plan.unused.is_empty() {
            let names: Vec<&str> = self.plan.unused.iter().map(|id| self.name(*id)).collect();
            put(
                text,
                &format!("{INDENT}wire {UNUSED} = &{{1'b0, {}}};\n", names.join(", ")),
            );
        }
    }
}

fn symbol(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Xor => "^",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
    }
}

fn spaced(text: &str) -> String {
    if text.is_empty() {
        String::new()
    } else {
        format!("{text} ")
    }
}

fn put(text: &mut String, line: &str) {
    writeln!(text, "{line}").expect("writing to a string never fails");
}

fn note_constant(value: &Constant, used: &mut BTreeMap<(BigUint, String), Constant>) {
    if let Some(name) = &value.name {
        used.insert((value.value.clone(), name.clone()), value.clone());
    }
}

fn named_constants(expression: &Expr, used: &mut BTreeMap<(BigUint, String), Constant>) {
    match expression {
        Expr::Const(value) => note_constant(value, used),
        Expr::Part { .. } => {}
        Expr::DynamicPart { offset, .. } => named_constants(offset, used),
        Expr::Unary(_, operand) => named_constants(operand, used),
        Expr::Binary(_, left, right) => {
            named_constants(left, used);
            named_constants(right, used);
        }
        Expr::Concat(parts) => parts.iter().for_each(|part| named_constants(part, used)),
    }
}

/// The port list of a block; `is_reg` tells which outputs an `always` block drives.
fn port_list(instance: &Instance, is_reg: &dyn Fn(&str) -> bool) -> String {
    let ports: Vec<(&str, String, String)> = instance
        .atoms
        .iter()
        .filter_map(|atom| {
            let name = names::flat(&atom.key);
            let kind = match atom.kind {
                AtomKind::InputParameter => "input  wire",
                AtomKind::OutputParameter if is_reg(&name) => "output reg ",
                AtomKind::OutputParameter => "output wire",
                _ => return None,
            };
            Some((kind, vector(atom.width), name))
        })
        .collect();
    let widest = ports.iter().map(|(_, vector, _)| vector.len()).max().unwrap_or(0);
    let line = |(kind, vector, name): &(&str, String, String)| match widest {
        0 => format!("{INDENT}{kind} {name}"),
        _ => format!("{INDENT}{kind} {vector:widest$} {name}"),
    };
    format!("(\n{}\n);\n", ports.iter().map(line).collect::<Vec<_>>().join(",\n"))
}

/// All of a module after its name; `modules` are the names of its children's modules.
pub fn module(instance: &Instance, symbols: &Symbols, plan: &Plan, modules: &[&str]) -> String {
    let printer = Printer { symbols, plan };
    let in_process = plan.driven_by_process();
    let regs: Vec<&str> = in_process.iter().map(|id| symbols.signals[*id].name.as_str()).collect();
    let mut text = port_list(instance, &|name| regs.contains(&name));
    text.push('\n');
    printer.constants(&mut text);
    printer.declarations(&mut text);
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
    let assigned = |name: &str| body.contains(&format!("assign {name} ")) || body.contains(&format!("assign {name}["));
    let mut text = port_list(instance, &|name| !assigned(name));
    text.push('\n');
    for line in body.trim_end().lines() {
        let line = line.trim_end();
        put(
            &mut text,
            &if line.is_empty() {
                String::new()
            } else {
                format!("{INDENT}{line}")
            },
        );
    }
    text.push_str("\nendmodule\n");
    text
}
