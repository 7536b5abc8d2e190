//! The names of one block: its signals, registers, constants and enumerations, and how kernels spell them.

use crate::{
    error::{Error, Result},
    ir::{Constant, SignalId},
    names,
    print::UNUSED,
    tree::{enumeration_values, Instance},
};
use rust_hdl::core::{atom::AtomKind, type_descriptor::TypeKind};
use std::collections::HashMap;

/// What a signal is to the block that is being written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Input,
    Output,
    Local,
    /// Next state, present state and clock of a register: index into [`Symbols::registers`].
    Next(usize),
    State(usize),
    Clock(usize),
    /// Input and output of a child: index into [`Symbols::children`].
    Sink(usize),
    Source(usize),
}

#[derive(Debug)]
pub struct Signal {
    /// As errors spell it: `router[3].s_axis.tdata`.
    pub path: String,
    /// As the Verilog spells it: `router_3_s_axis_tdata`.
    pub name: String,
    pub width: usize,
    pub role: Role,
}

/// A register of the block.
#[derive(Debug)]
pub struct Register {
    pub next: SignalId,
    pub state: SignalId,
    pub clock: SignalId,
}

/// A block inside this one that stays a module of its own.
#[derive(Debug)]
pub struct Child {
    /// Name of the instance in the Verilog.
    pub name: String,
    /// Its ports: name in its own module, and the signal here.
    pub ports: Vec<(String, SignalId)>,
}

/// Everything a kernel may name.
#[derive(Debug, Default)]
pub struct Symbols {
    pub signals: Vec<Signal>,
    pub registers: Vec<Register>,
    pub children: Vec<Child>,
    by_key: HashMap<String, SignalId>,
    constants: HashMap<String, Constant>,
    /// Number of values of each enumeration, by the prefix of its values' names.
    enumerations: HashMap<String, usize>,
}

impl Symbols {
    /// Reads the names of `instance`; `block` is its path, for errors.
    pub fn new(instance: &Instance, block: &str) -> Result<Self> {
        let mut symbols = Symbols::default();
        for atom in &instance.atoms {
            enumeration_values(&atom.ty, &mut |name, value, width| {
                symbols.add_enumeration_value(name, value, width)
            });
            let role = match atom.kind {
                AtomKind::InputParameter => Role::Input,
                AtomKind::OutputParameter => Role::Output,
                AtomKind::LocalSignal => Role::Local,
                AtomKind::Constant => {
                    symbols
                        .constants
                        .insert(atom.key.clone(), Constant::new(atom.value.clone(), atom.width));
                    continue;
                }
                _ => {
                    return Err(unsupported(
                        block,
                        format!("bidirectional signal `{}`", dotted(&atom.key)),
                    ))
                }
            };
            if matches!(atom.ty.kind, TypeKind::Signed(_)) {
                return Err(unsupported(block, format!("signed signal `{}`", dotted(&atom.key))));
            }
            symbols.add(&atom.key, atom.width, role);
        }
        for child in &instance.children {
            for atom in &child.atoms {
                enumeration_values(&atom.ty, &mut |name, value, width| {
                    symbols.add_enumeration_value(name, value, width)
                });
            }
            if child.is_flip_flop() {
                symbols.add_register(child);
            } else {
                symbols.add_child(child);
            }
        }
        symbols.check_names(block)?;
        Ok(symbols)
    }

    fn add(&mut self, key: &str, width: usize, role: Role) -> SignalId {
        let id = self.signals.len();
        self.signals.push(Signal {
            path: dotted(key),
            name: names::flat(key),
            width,
            role,
        });
        self.by_key.insert(key.to_owned(), id);
        id
    }

    fn add_register(&mut self, flip_flop: &Instance) {
        let index = self.registers.len();
        let width = flip_flop
            .atoms
            .iter()
            .find(|atom| atom.key == "d")
            .map_or(1, |atom| atom.width);
        let mut port = |name: &str, width, role| self.add(&format!("{}${name}", flip_flop.name), width, role);
        let state = port("q", width, Role::State(index));
        let next = port("d", width, Role::Next(index));
        let clock = port("clock", 1, Role::Clock(index));
        let name = names::flat(&flip_flop.name);
        self.signals[next].name = format!("{name}_next");
        self.signals[clock].name = format!("{name}_clock");
        self.signals[state].name = name;
        self.registers.push(Register { next, state, clock });
    }

    fn add_child(&mut self, instance: &Instance) {
        let child = self.children.len();
        let mut ports = Vec::new();
        for atom in &instance.atoms {
            let role = match atom.kind {
                AtomKind::InputParameter => Role::Sink(child),
                AtomKind::OutputParameter => Role::Source(child),
                _ => continue,
            };
            let id = self.add(&format!("{}${}", instance.name, atom.key), atom.width, role);
            ports.push((names::flat(&atom.key), id));
        }
        self.children.push(Child {
            name: names::flat(&instance.name),
            ports,
        });
    }

    fn add_enumeration_value(&mut self, name: &str, value: usize, width: usize) {
        let key = name.replace("::", "$");
        let prefix = key.rsplit_once('$').map_or("", |(prefix, _)| prefix).to_owned();
        let constant = Constant {
            name: Some(names::constant(name)),
            ..Constant::new(value, width)
        };
        if self.constants.insert(key, constant).is_none() {
            *self.enumerations.entry(prefix).or_default() += 1;
        }
    }

    fn check_names(&self, block: &str) -> Result<()> {
        let mut seen = HashMap::from([(UNUSED.to_owned(), ())]);
        // A clock pin of a register never appears in the text, whatever its name.
        let signals = self
            .signals
            .iter()
            .filter(|signal| !matches!(signal.role, Role::Clock(_)));
        let all = signals
            .map(|signal| &signal.name)
            .chain(self.children.iter().map(|child| &child.name));
        for name in all {
            if names::is_reserved(name) {
                return Err(Error::ReservedWord {
                    block: block.to_owned(),
                    name: name.clone(),
                });
            }
            if seen.insert(name.clone(), ()).is_some() {
                return Err(Error::NameCollision {
                    block: block.to_owned(),
                    name: name.clone(),
                });
            }
        }
        Ok(())
    }

    pub fn signal(&self, key: &str) -> Option<SignalId> {
        self.by_key.get(key).copied()
    }

    pub fn constant(&self, key: &str) -> Option<&Constant> {
        self.constants.get(key)
    }

    /// How many values the enumeration has to which the value `key` (`State$Idle`) belongs.
    pub fn values_beside(&self, key: &str) -> Option<usize> {
        let (prefix, _) = key.rsplit_once('$')?;
        self.enumerations.get(prefix).copied()
    }

    /// A signal name close to `key`, to help with a mistyped one.
    pub fn hint(&self, key: &str) -> String {
        let last = key.rsplit('$').next().unwrap_or(key);
        let near = self.by_key.keys().filter(|known| known.ends_with(last)).min();
        near.map_or(String::new(), |known| format!(" (did you mean `{}`?)", dotted(known)))
    }
}

fn unsupported(block: &str, what: String) -> Error {
    Error::Unsupported {
        block: block.to_owned(),
        what,
    }
}

/// `router$3$s_axis$tdata` as Rust spells it: `router[3].s_axis.tdata`.
pub fn dotted(key: &str) -> String {
    key.split('$')
        .map(|part| {
            if part.bytes().all(|b| b.is_ascii_digit()) {
                format!("[{part}]")
            } else {
                format!(".{part}")
            }
        })
        .collect::<String>()
        .trim_start_matches('.')
        .to_owned()
}
