//! The whole design: blocks become modules, equal blocks one module.

use crate::{
    custom,
    design::{Design, Direction, Module, Port},
    error::{Error, Result},
    loops::Paths,
    names, plan, print,
    symbols::{dotted, Symbols},
    tree::{collect, Instance},
    value::Lowering,
};
use rust_hdl::core::{ast::Verilog, atom::AtomKind, block::Block};
use sha2::{Digest, Sha256};
use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

/// What the text says about itself, and how its modules are called.
#[derive(Clone, Debug)]
pub struct Options {
    /// Name and version of the generator, for the header.
    pub generator: String,
    /// Prefix of every module name.
    pub prefix: String,
    /// Name of the block, with `-` between words: `round-robin-arbiter`.
    pub block: String,
    /// Configuration as (key, value), for the header and its hash.
    pub configuration: Vec<(String, String)>,
    /// Paths of blocks (without indices, such as `router`) that Verilator keeps as modules of their own: the model of a big
    /// fabric stays small.
    pub keep_apart: Vec<String>,
}

impl Options {
    fn header(&self) -> String {
        let entries: Vec<String> = self
            .configuration
            .iter()
            .map(|(key, value)| format!("{key} = {value}"))
            .collect();
        let digest = Sha256::digest(format!("{}: {}", self.block, entries.join(", ")));
        let hash: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        let text = format!("// {}, block {}, configuration {hash}", self.generator, self.block);
        let text = match entries.is_empty() {
            true => text,
            false => format!("{text}: {}", entries.join(", ")),
        };
        text.replace(['\n', '\r'], " ")
    }
}

/// Emits `block` and everything below it. `connect_all` need not have been called.
///
/// # Errors
///
/// Everything that would make broken Verilog: see [`Error`].
pub fn emit(block: &dyn Block, options: &Options) -> Result<Design> {
    let instance = collect(block, &options.block);
    let mut emitter = Emitter::new(options);
    let name = emitter.module_name(&options.block);
    if !names::is_identifier(&name) {
        return Err(Error::Unsupported {
            block: options.block.clone(),
            what: format!("module name `{name}`, which Verilog does not take,"),
        });
    }
    let top = emitter.block(&instance, "", &options.block)?;
    let ports = instance.atoms.iter().filter_map(|atom| {
        let direction = match atom.kind {
            AtomKind::InputParameter => Direction::Input,
            AtomKind::OutputParameter => Direction::Output,
            _ => return None,
        };
        Some(Port {
            name: names::flat(&atom.key),
            direction,
            width: atom.width,
        })
    });
    Ok(Design {
        top: top.name.clone(),
        header: options.header(),
        modules: emitter.modules,
        ports: ports.collect(),
    })
}

/// A module that stands.
struct Done {
    name: String,
    paths: Paths,
}

struct Emitter<'a> {
    options: &'a Options,
    modules: Vec<Module>,
    by_structure: HashMap<[u8; 32], Rc<Done>>,
    by_text: HashMap<String, Rc<Done>>,
    taken: HashSet<String>,
}

impl<'a> Emitter<'a> {
    fn new(options: &'a Options) -> Self {
        Emitter {
            options,
            modules: Vec::new(),
            by_structure: HashMap::new(),
            by_text: HashMap::new(),
            taken: HashSet::new(),
        }
    }

    /// `path` leads from the top to the block, indices left out; `place` is the same with indices, for errors.
    fn block(&mut self, instance: &Instance, path: &str, place: &str) -> Result<Rc<Done>> {
        if let Some(done) = self.by_structure.get(&instance.fingerprint) {
            return Ok(done.clone());
        }
        let mut children = Vec::new();
        // Blocks below one that is given as text are its model for simulation.
        let below_text = matches!(instance.code, Verilog::Custom(_));
        let modules = instance
            .children
            .iter()
            .filter(|child| !below_text && !child.is_flip_flop());
        for child in modules {
            let below = format!("{path}_{}", names::without_indices(&child.name));
            let below = below.trim_start_matches('_');
            children.push(self.block(child, below, &format!("{place}.{}", dotted(&child.name)))?);
        }
        let (text, paths) = self.text(instance, &children, place)?;
        // A module that is kept apart for Verilator says so; the remark is part of its text.
        let kept = self.options.keep_apart.iter().any(|kept| kept == path);
        let text = match kept {
            true => text.replacen(");\n", "); /* verilator no_inline_module */\n", 1),
            false => text,
        };
        let done = match self.by_text.get(&text) {
            Some(done) => done.clone(),
            None => {
                let name = self.free_name(if path.is_empty() { &self.options.block } else { path });
                self.modules.push(Module {
                    name: name.clone(),
                    text: format!("module {name} {text}"),
                });
                let done = Rc::new(Done { name, paths });
                self.by_text.insert(text, done.clone());
                done
            }
        };
        self.by_structure.insert(instance.fingerprint, done.clone());
        Ok(done)
    }

    fn text(&self, instance: &Instance, children: &[Rc<Done>], place: &str) -> Result<(String, Paths)> {
        let symbols = Symbols::new(instance, place)?;
        let kernel = match &instance.code {
            Verilog::Custom(body) => return Ok((print::module_from_text(instance, body), custom::paths(instance))),
            Verilog::Combinatorial(kernel) => kernel.clone(),
            Verilog::Empty => Vec::new(),
            Verilog::Blackbox(_) | Verilog::Wrapper(_) => {
                return Err(Error::Unsupported {
                    block: place.to_owned(),
                    what: "a black box or wrapper".into(),
                })
            }
        };
        let mut lowering = Lowering {
            symbols: &symbols,
            block: place,
            loops: Vec::new(),
        };
        let body = lowering.block(&kernel)?;
        let paths: Vec<&Paths> = children.iter().map(|child| &child.paths).collect();
        let plan = plan::plan(body, &symbols, &paths, place)?;
        let modules: Vec<&str> = children.iter().map(|child| child.name.as_str()).collect();
        Ok((print::module(instance, &symbols, &plan, &modules), plan.paths))
    }

    fn module_name(&self, path: &str) -> String {
        format!("{}_{}", self.options.prefix, path.replace('-', "_"))
    }

    /// The prefix and `path`; a number tells two different blocks at one path apart.
    fn free_name(&mut self, path: &str) -> String {
        let base = self.module_name(path);
        let numbered = (2..).map(|number| format!("{base}_{number}"));
        let name = std::iter::once(base.clone())
            .chain(numbered)
            .find(|name| !self.taken.contains(name));
        let name = name.expect("there is always a next number");
        self.taken.insert(name.clone());
        name
    }
}
