//! Verilog-2005 as people like to read it: one module, part by part.

mod expression;
mod function;
mod ports;
mod statement;
mod wrap;

use crate::{
    custom,
    expr::{Constant, Expr, SignalId},
    names::{self, UNUSED},
    plan::{Plan, RegisterPlan},
    stmt::{walk, Stmt},
    symbols::{Role, Symbols},
    tree::Instance,
};
use ports::{aligned, head, vector};
use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    fmt::Write,
};
use wrap::{statement, INDENT, LINE};

/// Stands for the module's own name.
pub const OWN_NAME: &str = "\u{1}\u{2}";

/// All of a module; `modules` are the names of its children's modules.
pub fn module(instance: &Instance, symbols: &Symbols, plan: &Plan, modules: &[String]) -> String {
    let printer = Printer::new(symbols, plan);
    let in_process = plan.driven_by_process();
    let regs: HashSet<&str> = in_process.iter().map(|id| symbols.signals[*id].name.as_str()).collect();
    let mut body = String::new();
    printer.declarations(&in_process, &mut body);
    printer.instances(modules, &mut body);
    printer.assigns(&mut body);
    printer.processes(&mut body);
    printer.registers(&mut body);
    printer.unused(&mut body);
    let mut text = head(instance, &|name| regs.contains(name));
    printer.parameters(&mut text);
    printer.functions(&mut text);
    text + &body + "endmodule\n"
}

/// A module whose body is given as text.
pub fn module_from_text(instance: &Instance, body: &str) -> String {
    let mut text = head(instance, &|name| custom::assigns_in_process(body, name));
    for line in custom::with_signs_in_front(body).trim_end().lines() {
        let line = line.trim_end();
        let pad = if line.is_empty() { "" } else { INDENT };
        put(&mut text, &format!("{pad}{line}"));
    }
    text.push_str("\nendmodule\n");
    text
}

/// A remark in `//`, on as many lines as it needs.
pub fn wrapped_comment(text: &str) -> String {
    wrap::comment(text, 0).trim_end().to_owned()
}

fn put(text: &mut String, line: &str) {
    writeln!(text, "{line}").expect("writing to a string never fails");
}

/// Clock and reset that registers share.
type Domain = (SignalId, Option<SignalId>);

struct Printer<'a> {
    symbols: &'a Symbols,
    plan: &'a Plan,
    /// What each named constant is called here.
    constants: HashMap<(String, usize), String>,
    /// The `localparam`s that the text names so far: value first, so that they stand in order.
    named: RefCell<BTreeSet<(Named, String, String)>>,
}

/// What a `localparam` is; in this order they are declared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Named {
    /// Where a field of a record begins: type of the record, offset.
    Field(String, usize),
    /// A constant: value and width.
    Constant(num_bigint::BigUint, usize),
}

impl<'a> Printer<'a> {
    fn new(symbols: &'a Symbols, plan: &'a Plan) -> Self {
        Printer {
            symbols,
            plan,
            constants: named_constants(symbols, plan),
            named: RefCell::default(),
        }
    }
}

/// The named constants of a module, each with a name of its own: one that is used at several widths has them in its
/// name, and one that is called as something else here has none.
fn named_constants(symbols: &Symbols, plan: &Plan) -> HashMap<(String, usize), String> {
    let mut widths: BTreeMap<String, BTreeMap<usize, num_bigint::BigUint>> = BTreeMap::new();
    plan.each_constant(&mut |constant| {
        if let Some(name) = &constant.name {
            let values = widths.entry(name.clone()).or_default();
            values.insert(constant.width, constant.value.clone());
        }
    });
    let taken: HashSet<&str> = symbols.signals.iter().map(|signal| signal.name.as_str()).collect();
    let mut names = HashMap::new();
    for (name, values) in &widths {
        for width in values.keys() {
            let own = match values.len() {
                1 => name.clone(),
                _ => format!("{name}_{width}"),
            };
            let is_free = !taken.contains(own.as_str()) && (own == *name || !widths.contains_key(&own));
            if is_free && !names::is_reserved(&own) {
                names.insert((name.clone(), *width), own);
            }
        }
    }
    names
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
            put(text, &aligned(&declared).join("\n"));
            text.push('\n');
        }
    }

    /// A `localparam` for each field of a record and each constant that the text names.
    fn parameters(&self, text: &mut String) {
        let named = self.named.borrow();
        let declared = named.iter().map(|(what, name, value)| {
            let range = match what {
                Named::Field(..) => String::new(),
                Named::Constant(_, width) => vector(*width),
            };
            ("localparam", range, format!("{name} = {value};"))
        });
        let lines = aligned(&declared.collect::<Vec<_>>());
        if !lines.is_empty() {
            put(text, &lines.join("\n"));
            text.push('\n');
        }
    }

    fn instances(&self, modules: &[String], text: &mut String) {
        for (child, module) in self.symbols.children.iter().zip(modules) {
            put(text, &format!("{INDENT}{module} {} (", child.name));
            let wired = |(port, id): &(String, SignalId)| {
                let connected = self.plan.connections.get(id);
                let value = connected.map_or_else(|| self.name(*id).to_owned(), |value| self.expr(value));
                let told = connected.map(|_| id).or(self.plan.aliases.get(id));
                let comments = told.map_or(String::new(), |id| self.comments(id, 2));
                comments + &statement(&format!("{INDENT}{INDENT}.{port}({value})"))
            };
            put(text, &child.ports.iter().map(wired).collect::<Vec<_>>().join(",\n"));
            put(text, &format!("{INDENT});\n"));
        }
    }

    fn assigns(&self, text: &mut String) {
        let mut last = None;
        for (target, range, value) in &self.plan.assigns {
            if last != Some(target) {
                text.push_str(&self.comments(target, 1));
            }
            last = Some(target);
            let line = format!("{INDENT}assign {}", self.assignment(*target, range, value));
            match value {
                Expr::Concat(parts) if line.len() > LINE => {
                    put(text, &format!("{INDENT}assign {} = {{", self.target(*target, range)));
                    let part = |part| statement(&format!("{INDENT}{INDENT}{}", self.expr(part)));
                    put(text, &parts.iter().map(part).collect::<Vec<_>>().join(",\n"));
                    put(text, &format!("{INDENT}}};"));
                }
                _ => put(text, &statement(&line)),
            }
        }
        if !self.plan.assigns.is_empty() {
            text.push('\n');
        }
    }

    /// Lines of comment on what drives a signal, where that is no statement of a process.
    fn comments(&self, id: &SignalId, depth: usize) -> String {
        let comments = self.plan.comments.get(id).into_iter().flatten();
        comments
            .map(|comment| statement::comment(comment, &INDENT.repeat(depth)))
            .collect()
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
                    put(&mut to_reset, &format!("{depth}{state} <= {};", self.constant(value)));
                }
                let value = self.expr(&register.value);
                if register.value.as_whole_signal() != Some(register.next) {
                    to_next.push_str(&self.comments(&register.next, depth.len() / INDENT.len()));
                }
                put(&mut to_next, &statement(&format!("{depth}{state} <= {value};")));
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
            if line.len() + " ".len() + name.len() + "};".len() > LINE {
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

impl Plan {
    /// Calls `visit` for every constant in the module.
    fn each_constant(&self, visit: &mut dyn FnMut(&Constant)) {
        self.assigns.iter().for_each(|(_, range, value)| {
            if let crate::stmt::Range::Dynamic { offset, .. } = range {
                constants_in(offset, visit);
            }
            constants_in(value, visit);
        });
        self.connections.values().for_each(|value| constants_in(value, visit));
        for register in &self.registers {
            constants_in(&register.value, visit);
            register.reset.iter().for_each(|(_, value)| visit(value));
        }
        for process in &self.processes {
            walk(process, &mut |stmt| {
                stmt.own_expressions(&mut |expression| constants_in(expression, visit));
                if let Stmt::Case { arms, .. } = stmt {
                    arms.iter().for_each(|(label, _)| visit(label));
                }
            });
        }
    }
}

fn constants_in(expression: &Expr, visit: &mut dyn FnMut(&Constant)) {
    match expression {
        Expr::Const(value) => visit(value),
        Expr::Part { .. } => {}
        Expr::DynamicPart { offset, .. } => constants_in(offset, visit),
        Expr::Unary(_, operand) | Expr::SignExtend(operand, _) => constants_in(operand, visit),
        Expr::Binary(_, left, right) => {
            constants_in(left, visit);
            constants_in(right, visit);
        }
        Expr::Concat(parts) => parts.iter().for_each(|part| constants_in(part, visit)),
    }
}
