//! The names of one block: its signals, registers, constants and enumerations, and how kernels spell them.

use crate::{
    error::{Error, Result},
    expr::{Constant, SignalId},
    names,
    tree::{enumeration_values, record_fields, AtomInfo, Field, Instance},
};
use num_bigint::BigUint;
use rust_hdl::core::{atom::AtomKind, type_descriptor::TypeKind};
use std::collections::{HashMap, HashSet};

/// Likeness (Jaro-Winkler, 0 to 1) above which a name may be meant by another.
const LIKE_ENOUGH: f64 = 0.85;

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
    /// Fields of the record that it is.
    pub fields: Vec<Field>,
}

/// A constant that a kernel names: it takes the width of its place.
#[derive(Clone, Debug, Default)]
pub struct Number {
    pub value: BigUint,
    /// The `localparam` that stands for it.
    pub name: Option<String>,
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
    numbers: HashMap<String, Number>,
    /// Signals and constants that are a `Signed`.
    signed: HashSet<String>,
    /// Number of values of each enumeration, by the prefix of its values' names.
    enumerations: HashMap<String, usize>,
}

impl Symbols {
    /// Reads the names of `instance`; `block` is its path, for errors.
    pub fn new(instance: &Instance, block: &str) -> Result<Self> {
        let mut symbols = Symbols::default();
        for atom in &instance.atoms {
            check_type(atom, "", block)?;
            symbols.add_enumerations(atom, block)?;
            symbols.add_sign(atom, atom.key.clone());
            let role = match atom.kind {
                AtomKind::InputParameter => Role::Input,
                AtomKind::OutputParameter => Role::Output,
                AtomKind::LocalSignal => Role::Local,
                AtomKind::Constant if atom.is_unset() => {
                    let (block, signal) = (block.to_owned(), dotted(&atom.key));
                    return Err(Error::Unset { block, signal });
                }
                AtomKind::Constant => {
                    let constant = Constant::new(atom.value.clone(), atom.width);
                    symbols.constants.insert(atom.key.clone(), constant);
                    continue;
                }
                _ => return Err(unsupported(block, "bidirectional signal", "", &atom.key)),
            };
            symbols.add(&atom.key, atom.width, role, record_fields(&atom.ty));
        }
        for (name, value) in instance.description.iter().flat_map(|(_, parameters)| parameters) {
            // Sizes stand in indices under the names of their fields.
            let (value, name) = ((*value).into(), (*name).to_owned());
            symbols.numbers.insert(name, Number { value, name: None });
        }
        for constant in instance.description.iter().flat_map(|(told, _)| (told.constants)()) {
            let name = names::constant(constant.name);
            let number = Number {
                value: constant.value.into(),
                name: names::is_identifier(&name).then_some(name),
            };
            symbols.numbers.insert(constant.key.to_owned(), number);
        }
        for child in &instance.children {
            for atom in child.atoms.iter().filter(|atom| atom.kind.is_parameter()) {
                check_type(atom, &child.name, block)?;
                symbols.add_enumerations(atom, block)?;
                symbols.add_sign(atom, format!("{}${}", child.name, atom.key));
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

    /// The signals of a made-up block.
    #[cfg(test)]
    pub fn of(signals: &[(&str, usize, Role)]) -> Self {
        let mut symbols = Symbols::default();
        for (key, width, role) in signals {
            symbols.add(key, *width, *role, Vec::new());
        }
        symbols
    }

    fn add(&mut self, key: &str, width: usize, role: Role, fields: Vec<Field>) -> SignalId {
        let id = self.signals.len();
        self.signals.push(Signal {
            path: dotted(key),
            name: names::flat(key),
            width,
            role,
            fields,
        });
        self.by_key.insert(key.to_owned(), id);
        id
    }

    fn add_register(&mut self, flip_flop: &Instance) {
        let index = self.registers.len();
        let data = flip_flop.atoms.iter().find(|atom| atom.key == "d");
        let width = data.map_or(1, |atom| atom.width);
        let fields = || data.map_or(Vec::new(), |atom| record_fields(&atom.ty));
        let mut port =
            |name: &str, width, role, fields| self.add(&format!("{}${name}", flip_flop.name), width, role, fields);
        let state = port("q", width, Role::State(index), fields());
        let next = port("d", width, Role::Next(index), fields());
        let clock = port("clock", 1, Role::Clock(index), Vec::new());
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
            let key = format!("{}${}", instance.name, atom.key);
            let id = self.add(&key, atom.width, role, record_fields(&atom.ty));
            ports.push((names::flat(&atom.key), id));
        }
        let mut name = names::flat(&instance.name);
        // Verilator reports a signal that is called as the instance around it is.
        if instance.has_inside(&name) {
            name.push_str("_block");
        }
        self.children.push(Child { name, ports });
    }

    /// Kernels name a value by its enumeration's last name alone, so two of one name must not differ.
    fn add_enumerations(&mut self, atom: &AtomInfo, block: &str) -> Result<()> {
        let mut fault = None;
        enumeration_values(&atom.ty, &mut |name, value, width| {
            let key = name.replace("::", "$");
            let constant = Constant {
                name: Some(names::constant(name)),
                ..Constant::new(value, width)
            };
            match self.constants.get(&key) {
                Some(known) if *known != constant => fault = Some(name.to_owned()),
                Some(_) => {}
                None => {
                    let prefix = key.rsplit_once('$').map_or("", |(prefix, _)| prefix).to_owned();
                    *self.enumerations.entry(prefix).or_default() += 1;
                    self.constants.insert(key, constant);
                }
            }
        });
        let block = block.to_owned();
        fault.map_or(Ok(()), |name| Err(Error::NameCollision { block, name }))
    }

    fn add_sign(&mut self, atom: &AtomInfo, key: String) {
        if matches!(atom.ty.kind, TypeKind::Signed(_)) {
            self.signed.insert(key);
        }
    }

    fn check_names(&self, block: &str) -> Result<()> {
        let mut seen = HashSet::from([names::UNUSED]);
        // A clock pin of a register never appears in the text, whatever its name.
        let signals = self
            .signals
            .iter()
            .filter(|signal| !matches!(signal.role, Role::Clock(_)));
        let mut parameters: Vec<&str> = self
            .constants
            .values()
            .filter_map(|value| value.name.as_deref())
            .collect();
        parameters.sort_unstable();
        let all = signals
            .map(|signal| signal.name.as_str())
            .chain(self.children.iter().map(|child| child.name.as_str()))
            .chain(parameters);
        for name in all {
            let block = block.to_owned();
            if !names::is_identifier(name) {
                let what = format!("name `{name}`, which Verilog does not take,");
                return Err(Error::Unsupported { block, what });
            }
            let is_new = seen.insert(name);
            let name = name.to_owned();
            if names::is_reserved(&name) {
                return Err(Error::ReservedWord { block, name });
            }
            if !is_new {
                return Err(Error::NameCollision { block, name });
            }
        }
        Ok(())
    }

    pub fn signal(&self, key: &str) -> Option<SignalId> {
        self.by_key.get(key).copied()
    }

    /// Whether a kernel that says `key` may mean something of the block.
    pub fn knows(&self, key: &str) -> bool {
        self.by_key.contains_key(key) || self.constants.contains_key(key)
    }

    pub fn constant(&self, key: &str) -> Option<&Constant> {
        self.constants.get(key)
    }

    /// A constant that takes the width of its place.
    pub fn number(&self, key: &str) -> Option<&Number> {
        self.numbers.get(key)
    }

    /// Whether the signal is the next state of a register: who reads it reads what the whole kernel makes of it.
    pub fn is_next(&self, id: SignalId) -> bool {
        matches!(self.signals[id].role, Role::Next(_))
    }

    pub fn has_signed(&self) -> bool {
        !self.signed.is_empty()
    }

    /// Whether `key` is a `Signed`. There are none in records: rust-hdl has no bits of them.
    pub fn is_signed(&self, key: &str) -> bool {
        self.signed.contains(key)
    }

    /// How many values the enumeration has to which the value `key` (`State$Idle`) belongs.
    pub fn values_beside(&self, key: &str) -> Option<usize> {
        let (prefix, _) = key.rsplit_once('$')?;
        self.enumerations.get(prefix).copied()
    }

    /// The name nearest to `key`, to help with a mistyped one.
    pub fn hint(&self, key: &str) -> String {
        let key = dotted(key);
        let known = self
            .by_key
            .keys()
            .chain(self.constants.keys())
            .map(|known| dotted(known));
        let rated = known.map(|known| (strsim::jaro_winkler(&key, &known), known));
        let near = rated
            .filter(|(likeness, _)| *likeness > LIKE_ENOUGH)
            .max_by(|(a, one), (b, other)| {
                // Of two equally near, always the same.
                a.total_cmp(b).then_with(|| other.cmp(one))
            });
        near.map_or(String::new(), |(_, known)| format!(" (did you mean `{known}`?)"))
    }
}

/// `holder` is the child that the atom belongs to, empty for one of the block's own.
fn check_type(atom: &AtomInfo, holder: &str, block: &str) -> Result<()> {
    if atom.width == 0 {
        return Err(unsupported(block, "zero-width signal", holder, &atom.key));
    }
    Ok(())
}

fn unsupported(block: &str, what: &str, holder: &str, key: &str) -> Error {
    let path = match holder {
        "" => dotted(key),
        _ => dotted(&format!("{holder}${key}")),
    };
    Error::Unsupported {
        block: block.to_owned(),
        what: format!("{what} `{path}`"),
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
