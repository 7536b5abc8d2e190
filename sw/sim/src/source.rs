//! The Verilog of a model, and where its ports lie in the buffers that Rust and the shim share.

use portico_verilog::{Design, Direction, Port};
use std::path::PathBuf;

/// The clock that the bridge drives.
pub(crate) const CLOCK: &str = "clk";
/// The reset that [`Model::reset`](crate::Model::reset) drives.
pub(crate) const RESET: &str = "rst";

/// Verilog with a known top: an emitted design, a netlist, anything that Verilator takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Name of the top module.
    pub top: String,
    /// The Verilog.
    pub text: String,
    /// Ports of the top, the clock among them.
    pub ports: Vec<Port>,
    /// More Verilog files that `text` needs, such as the cell models of a netlist.
    pub extra: Vec<PathBuf>,
}

impl Source {
    /// Verilog whose top has no port yet.
    pub fn new(top: impl Into<String>, text: impl Into<String>) -> Self {
        Source {
            top: top.into(),
            text: text.into(),
            ports: Vec::new(),
            extra: Vec::new(),
        }
    }

    /// Adds an input of the top.
    pub fn input(self, name: &str, width: usize) -> Self {
        self.port(name, Direction::Input, width)
    }

    /// Adds an output of the top.
    pub fn output(self, name: &str, width: usize) -> Self {
        self.port(name, Direction::Output, width)
    }

    fn port(mut self, name: &str, direction: Direction, width: usize) -> Self {
        self.ports.push(Port {
            name: name.into(),
            direction,
            width,
        });
        self
    }
}

impl From<&Design> for Source {
    fn from(design: &Design) -> Self {
        Source {
            ports: design.ports.clone(),
            ..Source::new(&design.top, design.text())
        }
    }
}

/// Number of 32-bit words that hold a port.
pub(crate) fn words(width: usize) -> usize {
    width.div_ceil(32)
}

/// A port and the index of its first word in the buffer of its direction.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub port: Port,
    pub word: usize,
}

/// All ports but the clock, in the order of declaration: little-endian words, each port from a word of its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    pub clocked: bool,
    pub inputs: Vec<Placed>,
    pub outputs: Vec<Placed>,
    pub input_words: usize,
    pub output_words: usize,
}

impl Layout {
    pub fn new(ports: &[Port]) -> Self {
        let mut layout = Layout::default();
        for port in ports {
            let (list, total) = match port.direction {
                Direction::Input if port.name == CLOCK => {
                    layout.clocked = true;
                    continue;
                }
                Direction::Input => (&mut layout.inputs, &mut layout.input_words),
                Direction::Output => (&mut layout.outputs, &mut layout.output_words),
            };
            list.push(Placed {
                port: port.clone(),
                word: *total,
            });
            *total += words(port.width);
        }
        layout
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_take_whole_words_and_the_clock_takes_none() {
        let source = Source::new("top", "")
            .input("clk", 1)
            .input("a", 1)
            .output("y", 33)
            .input("b", 32)
            .output("z", 96)
            .input("c", 100);
        let layout = Layout::new(&source.ports);
        assert!(layout.clocked);
        assert_eq!(
            layout.inputs.iter().map(|placed| placed.word).collect::<Vec<_>>(),
            [0, 1, 2]
        );
        assert_eq!(
            layout.outputs.iter().map(|placed| placed.word).collect::<Vec<_>>(),
            [0, 2]
        );
        assert_eq!((layout.input_words, layout.output_words), (6, 5));
    }
}
