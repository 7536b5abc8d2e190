//! A fault in the emitted Verilog: in one module, one text in place of another.

use portico_verilog::Design;

pub struct Fault {
    pub what: &'static str,
    /// Without the prefix.
    pub module: &'static str,
    pub from: &'static str,
    pub to: &'static str,
}

impl Fault {
    pub fn plant(&self, design: &mut Design) {
        let Fault { what, module, from, to } = self;
        let name = format!("portico_{module}");
        let found = design.modules.iter_mut().find(|module| module.name == name);
        let found = found.unwrap_or_else(|| panic!("{what}: there is no module {name}"));
        assert_eq!(found.text.matches(from).count(), 1, "{what}: `{from}` in {name}");
        found.text = found.text.replace(from, to);
    }
}
