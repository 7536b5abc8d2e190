//! What the backend hands out: the modules of a design, as text, and the ports of its top.

/// Which way a port of the top module points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Driven from outside.
    Input,
    /// Driven by the design.
    Output,
}

/// A port of a Verilog module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Its name in the Verilog, such as `s_axis_tdata`.
    pub name: String,
    /// Which way it points.
    pub direction: Direction,
    /// Width in bits, at least 1.
    pub width: usize,
}

/// One Verilog module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// Name of the module, such as `portico_router`.
    pub name: String,
    /// From `module` to `endmodule`, ending in a newline.
    pub text: String,
}

/// A complete design: every distinct module once, and the ports of the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Design {
    /// Name of the top module.
    pub top: String,
    /// Comment lines that open every file: licence; version, block, configuration and its hash.
    pub header: String,
    /// Modules, each after those that it instantiates; the top is the last.
    pub modules: Vec<Module>,
    /// Ports of the top, in the order of its declaration.
    pub ports: Vec<Port>,
}

/// Begins the header's line of the licence (SPDX 3.0, annex on short-form identifiers in source files).
pub(crate) const LICENCE: &str = "SPDX-License-Identifier:";

/// Undeclared names are errors within our text, and others' text that follows keeps its own rule.
fn file_text(header: &str, body: &str) -> String {
    format!("{header}\n`default_nettype none\n\n{body}\n`default_nettype wire\n")
}

/// Before and after several modules in one file: Verilator wants a file named after its module.
const SEVERAL_MODULES: [&str; 2] = [
    "// The file has the name of one module at most.\n/* verilator lint_off DECLFILENAME */\n\n",
    "\n/* verilator lint_on DECLFILENAME */\n",
];

impl Design {
    /// The whole design as one Verilog file.
    pub fn text(&self) -> String {
        let modules: Vec<&str> = self.modules.iter().map(|module| module.text.as_str()).collect();
        let [before, after] = match modules[..] {
            [_] => ["", ""],
            _ => SEVERAL_MODULES,
        };
        file_text(&self.header, &format!("{before}{}{after}", modules.join("\n")))
    }

    /// The design as one file a module, and a `.f` list of them in order of compilation: (file name, text).
    pub fn files(&self) -> Vec<(String, String)> {
        let mut files: Vec<(String, String)> = self
            .modules
            .iter()
            .map(|module| (format!("{}.v", module.name), file_text(&self.header, &module.text)))
            .collect();
        let list = files.iter().map(|(name, _)| format!("{name}\n")).collect();
        files.push((format!("{}.f", self.top), list));
        files
    }

    /// The lines of the header without the marks of a comment, for a text in another language.
    pub fn header_lines(&self) -> impl Iterator<Item = &str> {
        self.header.lines().map(|line| line.trim_start_matches('/').trim())
    }

    /// Version, block, configuration and its hash: the header without the licence, on one line.
    pub fn about(&self) -> String {
        let lines = self.header_lines().filter(|line| !line.starts_with(LICENCE));
        lines.collect::<Vec<_>>().join(" ")
    }

    /// The port of the top with this name.
    pub fn port(&self, name: &str) -> Option<&Port> {
        self.ports.iter().find(|port| port.name == name)
    }
}
