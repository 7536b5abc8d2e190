//! A fault in the emitted Verilog: in the modules of one type, one text in place of another.

use portico_verilog::Design;

pub struct Fault {
    pub what: &'static str,
    /// Type in snake case, and where the design has several shapes of it, the suffix of one or none for all; empty for
    /// the top.
    pub module: &'static str,
    pub from: &'static str,
    pub to: &'static str,
}

impl Fault {
    pub fn plant(&self, design: &mut Design) {
        let Fault { what, module, from, to } = self;
        let name = match *module {
            "" => design.top.clone(),
            module => format!("{}_{module}", design.top),
        };
        let is_shape = |other: &str| other == name || (!module.is_empty() && other.starts_with(&format!("{name}_")));
        let modules = design.modules.iter_mut().filter(|module| is_shape(&module.name));
        let found: Vec<_> = modules.filter(|module| module.text.contains(from)).collect();
        assert!(!found.is_empty(), "{what}: `{from}` in no module {name}");
        for module in found {
            assert_eq!(
                module.text.matches(from).count(),
                1,
                "{what}: `{from}` in {}",
                module.name
            );
            module.text = module.text.replace(from, to);
        }
    }
}
