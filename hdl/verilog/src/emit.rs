//! The whole design: blocks become modules, equal blocks one module.

use crate::{
    custom,
    design::{Design, Direction, Module, Port, LICENCE},
    error::{Error, Result},
    kernel::Lowering,
    loops::Paths,
    modules::{self, Shape},
    names, plan,
    print::{self, wrapped_comment},
    symbols::{dotted, Symbols},
    tree::{collect, Instance},
};
use rust_hdl::core::{ast::Verilog, atom::AtomKind, block::Block};
use sha2::{Digest, Sha256};
use std::{collections::HashMap, rc::Rc};

/// What the text says about itself, and how its modules are called.
#[derive(Clone, Debug)]
pub struct Options {
    /// Name and version of the generator, for the header.
    pub generator: String,
    /// Licence of the text as SPDX names it, for the header; empty for none.
    pub licence: String,
    /// Prefix of every module name: the top is `<prefix>_<block>`, a module inside it `<prefix>_<block>_<type>`.
    pub prefix: String,
    /// Name of the block, with `-` between words: `round-robin-arbiter`.
    pub block: String,
    /// Configuration as (key, value), for the header and its hash.
    pub configuration: Vec<(String, String)>,
    /// Types of blocks, in snake case (`router`), that Verilator keeps as modules of their own: the model of a big fabric
    /// stays small.
    pub keep_apart: Vec<String>,
}

fn entries(configuration: &[(String, String)]) -> Vec<String> {
    let entries = configuration.iter().map(|(key, value)| format!("{key} = {value}"));
    entries.collect()
}

/// The hash of a block's configuration, (key, value), that the header shows: 8 hexadecimal digits.
pub fn configuration_hash(block: &str, configuration: &[(String, String)]) -> String {
    let digest = Sha256::digest(format!("{block}: {}", entries(configuration).join(", ")));
    digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}

impl Options {
    fn header(&self) -> String {
        let entries = entries(&self.configuration);
        let hash = configuration_hash(&self.block, &self.configuration);
        let text = format!("{}, block {}, configuration {hash}", self.generator, self.block);
        let text = match entries.is_empty() {
            true => text,
            false => format!("{text}: {}", entries.join(", ")),
        };
        let text = wrapped_comment(&text.replace(['\n', '\r'], " "));
        match self.licence.as_str() {
            "" => text,
            licence => format!("// {LICENCE} {licence}\n{text}"),
        }
    }
}

/// Emits `block` and everything below it. `connect_all` need not have been called.
///
/// # Errors
///
/// Everything that would make broken Verilog: see [`Error`].
pub fn emit(block: &dyn Block, options: &Options) -> Result<Design> {
    let instance = collect(block, &options.block).ok_or_else(|| Error::Unsupported {
        block: options.block.clone(),
        what: "an interface or signal as a top".into(),
    })?;
    let top = format!("{}_{}", options.prefix, options.block.replace('-', "_"));
    if !names::is_identifier(&top) {
        return Err(Error::Unsupported {
            block: options.block.clone(),
            what: format!("module name `{top}`, which Verilog does not take,"),
        });
    }
    let mut emitter = Emitter::default();
    emitter.block(&instance, None, "", &options.block)?;
    let names = modules::name(&emitter.shapes, &top);
    let modules = emitter.shapes.iter().zip(&names).map(|(shape, name)| Module {
        name: name.clone(),
        text: finished(shape, name, &names, options),
    });
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
        modules: modules.collect(),
        ports: ports.collect(),
        header: options.header(),
        top,
    })
}

/// The text of a module with all names in it.
fn finished(shape: &Shape, name: &str, names: &[String], options: &Options) -> String {
    let mut text = shape.text.replace(print::OWN_NAME, name);
    for (_, child) in &shape.children {
        text = text.replace(&modules::mark(*child), &names[*child]);
    }
    // A module that is kept apart for Verilator says so.
    match options.keep_apart.contains(&shape.base) {
        true => text.replacen("\n);\n", "\n); /* verilator no_inline_module */\n", 1),
        false => text,
    }
}

/// A module that stands: its place among the shapes, and the combinational paths through it.
struct Done {
    module: usize,
    paths: Paths,
}

#[derive(Default)]
struct Emitter {
    shapes: Vec<Shape>,
    by_structure: HashMap<[u8; 32], Rc<Done>>,
    by_text: HashMap<(String, String), Rc<Done>>,
}

impl Emitter {
    /// `ty` is the type that the block around tells; `path` leads from the top to the block, indices left out; `place` is
    /// the same with indices, for errors.
    fn block(&mut self, instance: &Instance, ty: Option<&str>, path: &str, place: &str) -> Result<Rc<Done>> {
        if let Some(done) = self.by_structure.get(&instance.fingerprint) {
            return Ok(done.clone());
        }
        let mut children = Vec::new();
        // Blocks below one that is given as text are its model for simulation.
        let below_text = matches!(instance.code, Verilog::Custom(_));
        let inside = instance
            .children
            .iter()
            .filter(|child| !below_text && !child.is_flip_flop());
        for child in inside {
            let field = names::without_indices(&child.name);
            let below = format!("{path}_{field}");
            let ty = instance.description.as_ref().and_then(|(told, _)| told.type_of(&field));
            let place = format!("{place}.{}", dotted(&child.name));
            children.push(self.block(child, ty, below.trim_start_matches('_'), &place)?);
        }
        let (text, paths) = text(instance, &children, place)?;
        let names = instance.children.iter().filter(|child| !child.is_flip_flop());
        let names = names.map(|child| names::flat(&child.name));
        let inside = names.zip(children.iter().map(|child| child.module)).collect();
        let shape = Shape::new(instance, ty, path, inside, text);
        let key = (shape.base.clone(), shape.text.clone());
        let done = match self.by_text.get(&key) {
            Some(done) => {
                self.shapes[done.module].meet(shape);
                done.clone()
            }
            None => {
                self.shapes.push(shape);
                let module = self.shapes.len() - 1;
                let done = Rc::new(Done { module, paths });
                self.by_text.insert(key, done.clone());
                done
            }
        };
        self.by_structure.insert(instance.fingerprint, done.clone());
        Ok(done)
    }
}

fn text(instance: &Instance, children: &[Rc<Done>], place: &str) -> Result<(String, Paths)> {
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
    let modules: Vec<String> = children.iter().map(|child| modules::mark(child.module)).collect();
    Ok((print::module(instance, &symbols, &plan, &modules), plan.paths))
}
