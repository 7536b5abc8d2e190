//! The design as rust-hdl's probe shows it: blocks, their atoms and their kernels.

use crate::{
    constant::UNSET,
    describe::{self, Told},
    names,
};
use num_bigint::BigUint;
use rust_hdl::core::{
    ast::{Verilog, VerilogLiteral},
    atom::{Atom, AtomKind},
    block::Block,
    probe::Probe,
    timing::TimingInfo,
    type_descriptor::{TypeDescriptor, TypeKind},
};
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// A signal or constant of a block.
#[derive(Debug)]
pub struct AtomInfo {
    /// Path below the block, joined by `$`, indices as components: `s_axis$0$tdata`.
    pub key: String,
    pub kind: AtomKind,
    pub width: usize,
    pub value: BigUint,
    pub ty: TypeDescriptor,
}

impl AtomInfo {
    /// A constant that no constructor has set.
    pub fn is_unset(&self) -> bool {
        self.kind == AtomKind::Constant && self.ty.name == UNSET
    }
}

/// One block of the design, with everything below it.
pub struct Instance {
    /// Name of the field that holds it, with indices: `router$3`.
    pub name: String,
    pub atoms: Vec<AtomInfo>,
    pub children: Vec<Instance>,
    pub code: Verilog,
    pub timing: Vec<TimingInfo>,
    /// What it says of itself, where it does.
    pub description: Option<Told>,
    /// Equal for two blocks whose types, atoms, kernels and children are the same, whatever the fields that hold them.
    pub fingerprint: [u8; 32],
}

/// Timing entry by which the library's flip-flop is known.
const FLIP_FLOP: &str = "dff";

impl Instance {
    /// Whether a port, local or register of the block is called so in the Verilog.
    pub fn has_inside(&self, name: &str) -> bool {
        let registers = self.children.iter().filter(|child| child.is_flip_flop());
        let atoms = self.atoms.iter().filter(|atom| atom.kind != AtomKind::Constant);
        let mut keys = atoms.map(|atom| &atom.key).chain(registers.map(|child| &child.name));
        keys.any(|key| names::flat(key) == name)
    }

    /// A D flip-flop of rust-hdl's library: it becomes a register of the module that owns it.
    pub fn is_flip_flop(&self) -> bool {
        self.timing.iter().any(|timing| timing.name == FLIP_FLOP)
            && ["d", "q", "clock"]
                .iter()
                .all(|port| self.atoms.iter().any(|atom| atom.key == *port))
    }
}

/// Value of a literal, in two's complement: its fields are private, its text is not.
pub fn literal_value(literal: &VerilogLiteral) -> BigUint {
    let text = format!("{literal:x}");
    let digits = text.split("'h").nth(1).unwrap_or("0");
    let number = |digits: &str| BigUint::parse_bytes(digits.as_bytes(), 16).unwrap_or_default();
    match digits.strip_prefix('-') {
        Some(digits) => (BigUint::from(1u8) << literal_width(literal)) - number(digits),
        None => number(digits),
    }
}

/// Width that a literal was written with; 1 for booleans.
pub fn literal_width(literal: &VerilogLiteral) -> usize {
    let text = format!("{literal:x}");
    text.split('\'').next().and_then(|bits| bits.parse().ok()).unwrap_or(0)
}

/// Reads the tree below `block`, which is no interface; `name` names the top.
pub fn collect(block: &dyn Block, name: &str) -> Option<Instance> {
    let mut collector = Collector::default();
    describe::listening(|| block.accept(name, &mut collector));
    collector.finished.pop()
}

#[derive(Default)]
struct Collector {
    /// Open scopes, with the namespaces (interfaces) open in each.
    open: Vec<(Instance, Vec<String>)>,
    finished: Vec<Instance>,
}

impl Probe for Collector {
    fn visit_start_scope(&mut self, name: &str, node: &dyn Block) {
        let instance = Instance {
            name: name.to_owned(),
            atoms: Vec::new(),
            children: Vec::new(),
            code: node.hdl(),
            timing: node.timing(),
            description: describe::told(),
            fingerprint: [0; 32],
        };
        self.open.push((instance, Vec::new()));
    }

    fn visit_start_namespace(&mut self, name: &str, _node: &dyn Block) {
        if let Some((_, namespaces)) = self.open.last_mut() {
            namespaces.push(name.to_owned());
        }
    }

    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        if let Some((instance, namespaces)) = self.open.last_mut() {
            let key = namespaces
                .iter()
                .map(String::as_str)
                .chain([name])
                .collect::<Vec<_>>()
                .join("$");
            instance.atoms.push(AtomInfo {
                key,
                kind: signal.kind(),
                width: signal.bits(),
                value: literal_value(&signal.verilog()),
                ty: signal.descriptor(),
            });
        }
    }

    fn visit_end_namespace(&mut self, _name: &str, _node: &dyn Block) {
        if let Some((_, namespaces)) = self.open.last_mut() {
            namespaces.pop();
        }
    }

    fn visit_end_scope(&mut self, _name: &str, _node: &dyn Block) {
        if let Some((mut instance, _)) = self.open.pop() {
            instance.fingerprint = fingerprint(&instance);
            match self.open.last_mut() {
                Some((parent, _)) => parent.children.push(instance),
                None => self.finished.push(instance),
            }
        }
    }
}

/// Feeds formatted text to the hash without building the text.
struct HashWriter(Sha256);

impl Write for HashWriter {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}

fn fingerprint(instance: &Instance) -> [u8; 32] {
    let mut hash = HashWriter(Sha256::new());
    // Only constants are structure: the value that a signal happens to hold is state of the simulation.
    for atom in &instance.atoms {
        let value = if atom.kind == AtomKind::Constant {
            Some(&atom.value)
        } else {
            None
        };
        write!(
            hash,
            "{} {:?} {} {value:?} {:?};",
            atom.key, atom.kind, atom.width, atom.ty
        )
        .expect("hashing never fails");
    }
    if let Some((description, parameters)) = &instance.description {
        let (name, file, constants) = (description.name, description.file, (description.constants)());
        write!(hash, "{file} {name} {parameters:?} {constants:?};").expect("hashing never fails");
    }
    write!(hash, "{:?}", instance.code).expect("hashing never fails");
    for child in &instance.children {
        write!(hash, "{} {:?};", child.name, child.fingerprint).expect("hashing never fails");
    }
    hash.0.finalize().into()
}

/// Calls `visit` with the qualified name (`State::Idle`), value and width of every value of every enumeration in `ty`.
pub fn enumeration_values(ty: &TypeDescriptor, visit: &mut dyn FnMut(&str, usize, usize)) {
    match &ty.kind {
        TypeKind::Enum(names) => {
            let width = enumeration_width(names.len());
            for (value, name) in names.iter().enumerate() {
                visit(name, value, width);
            }
        }
        TypeKind::Composite(fields) => fields.iter().for_each(|field| enumeration_values(&field.kind, visit)),
        TypeKind::Bits(_) | TypeKind::Signed(_) => {}
    }
}

/// A field of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Type of the record and the way to the field: `Command::extent::rows`.
    pub name: String,
    pub offset: usize,
    pub width: usize,
}

/// The fields of a record and of the records in it, outer before inner; nothing of any other type.
pub fn record_fields(ty: &TypeDescriptor) -> Vec<Field> {
    let mut fields = Vec::new();
    add_fields(ty, &ty.name, 0, &mut fields);
    fields
}

/// Adds the fields of `ty`, which begins at `offset`, and returns its width.
fn add_fields(ty: &TypeDescriptor, name: &str, offset: usize, fields: &mut Vec<Field>) -> usize {
    match &ty.kind {
        TypeKind::Bits(width) | TypeKind::Signed(width) => *width,
        TypeKind::Enum(values) => enumeration_width(values.len()),
        TypeKind::Composite(inside) => {
            let mut end = offset;
            for field in inside {
                let name = format!("{name}::{}", field.fieldname);
                let at = fields.len();
                let begin = end;
                end += add_fields(&field.kind, &name, begin, fields);
                let field = Field {
                    name,
                    offset: begin,
                    width: end - begin,
                };
                fields.insert(at, field);
            }
            end - offset
        }
    }
}

/// Bits of an enumeration of so many values, as rust-hdl counts them.
fn enumeration_width(values: usize) -> usize {
    usize::BITS as usize - (values.max(2) - 1).leading_zeros() as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use rust_hdl::prelude::*;

    #[derive(Copy, Clone, PartialEq, Debug, LogicState)]
    enum Turn {
        Left,
        Right,
        Back,
    }

    #[derive(LogicInterface, Default)]
    struct Bus {
        pub turn: Signal<In, Turn>,
    }

    #[derive(LogicBlock, Default)]
    struct Crossing {
        pub bus: [Bus; 2],
        held: [DFF<Turn>; 2],
    }

    impl Logic for Crossing {
        fn update(&mut self) {
            self.held[0].d.next = Turn::Right;
            self.held[1].d.next = Turn::Back;
        }
    }

    #[test]
    fn atoms_have_their_path_and_blocks_their_index() {
        let top = collect(&Crossing::default(), "top").unwrap();
        let keys: Vec<&str> = top.atoms.iter().map(|atom| atom.key.as_str()).collect();
        assert_eq!(keys, ["bus$0$turn", "bus$1$turn"]);
        let names: Vec<&str> = top.children.iter().map(|child| child.name.as_str()).collect();
        assert_eq!(names, ["held$0", "held$1"]);
        assert!(top.children.iter().all(Instance::is_flip_flop) && !top.is_flip_flop());
        assert_eq!(top.children[0].fingerprint, top.children[1].fingerprint);
    }

    #[test]
    fn literals_and_values_of_enumerations_are_read() {
        assert_eq!(literal_value(&0xdead_beef_u64.into()), 0xdead_beef_u64.into());
        assert_eq!((literal_width(&true.into()), literal_width(&7u8.into())), (1, 8));
        let top = collect(&Crossing::default(), "top").unwrap();
        let mut values = Vec::new();
        enumeration_values(&top.atoms[0].ty, &mut |name, value, width| {
            values.push((name.to_owned(), value, width))
        });
        let names = ["Turn::Left", "Turn::Right", "Turn::Back"].map(String::from);
        assert!(values
            .into_iter()
            .eq(names.into_iter().zip(0..).map(|(name, value)| (name, value, 2))));
    }
}
