//! The scan wrapper: Verilog that puts a register at every input and output of a block, and needs four pins.
//!
//! The inputs come from one shift register that one pin feeds; the outputs are captured, and a chain of exclusive-or
//! gates with a register each folds them into one pin. No gate between two registers of the wrapper is more than one LUT,
//! and no net but the clock goes to all of them, so that the slowest path is the block's, or from and to its ports.

use crate::scratch::Scratch;
use crate::{Mapping, SynthError};
use portico_verilog::{Design, Direction};

/// Clock of a block, which the wrapper does not register.
const CLOCK: &str = "clk";
/// Reset of a block, which has a pin and a register of its own: it is constant in use, not data.
const RESET: &str = "rst";

/// File of the wrapper in the folder of a run.
const WRAPPER: &str = "scan.v";

/// A wrapper around a block.
pub(crate) struct Scan {
    /// Name of the wrapper's module, none of the design's.
    pub top: String,
    /// The module.
    pub text: String,
}

impl Scan {
    /// Script that maps the block within its wrapper as it is mapped alone, once the wrapper is in the folder.
    ///
    /// The boundary of the block stays: else Yosys merges a register of the block with the wrapper's that holds the same,
    /// and carries constants across.
    pub fn script(&self, design: &Design, mapping: Mapping, scratch: &Scratch) -> Result<String, SynthError> {
        scratch.write(WRAPPER, &self.text)?;
        Ok(format!(
            "read_verilog {WRAPPER}\nsetattr -mod -set keep_hierarchy 1 {}\n{}",
            design.top,
            mapping.script(design, &self.top)
        ))
    }
}

/// Wraps a design that has at least one output.
pub(crate) fn wrap(design: &Design) -> Scan {
    let mut top = format!("{}_scan", design.top);
    while design.modules.iter().any(|module| module.name == top) {
        top.push('_');
    }
    let (mut inputs, mut outputs) = (0, 0);
    let mut connections = Vec::new();
    for port in &design.ports {
        let signal = match (port.direction, &*port.name) {
            (Direction::Input, CLOCK) => "clk".to_string(),
            (Direction::Input, RESET) => "reset".to_string(),
            (Direction::Input, _) => slice("drive", &mut inputs, port.width),
            (Direction::Output, _) => slice("seen", &mut outputs, port.width),
        };
        connections.push(format!(".{}({signal})", port.name));
    }
    let text = format!(
        "\
module {top} (
    input  wire clk,
    input  wire rst,
    input  wire scan_in,
    output reg  scan_out
);
    reg reset;
    reg [{inputs}:0] drive;
    wire [{last}:0] seen;
    reg [{last}:0] captured;
    reg [{outputs}:0] folded;

    always @(posedge clk) begin
        reset <= rst;
        drive <= {{drive, scan_in}};
        captured <= seen;
        folded <= {{folded, 1'b0}} ^ {{captured, 1'b0}};
        scan_out <= folded[{outputs}];
    end

    {block} block (
        {connections}
    );
endmodule
",
        last = outputs - 1,
        block = design.top,
        connections = connections.join(",\n        "),
    );
    Scan { top, text }
}

/// The next `width` bits of a bus of which `used` are taken.
fn slice(bus: &str, used: &mut usize, width: usize) -> String {
    let low = *used;
    *used += width;
    format!("{bus}[{}:{low}]", *used - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::area::{Cells, STAT_SCRIPT};
    use crate::fixtures::{design, fifo};
    use crate::{area, Area, Mode, Target, Yosys};

    /// The area of the block within its wrapper, and that of the wrapper alone.
    fn wrapped_areas(block: &Design) -> (Area, Area) {
        let scan = wrap(block);
        let mut scratch = Scratch::new().unwrap();
        let script = format!(
            "{}\n{STAT_SCRIPT}",
            scan.script(block, Mapping::of(Target::Ecp5), &scratch).unwrap()
        );
        Yosys::locate().unwrap().run_in(&mut scratch, block, &script).unwrap();
        let area = |module: &str| Cells::of(&scratch, module).unwrap().area();
        (area(&block.top), area(&scan.top))
    }

    #[test]
    fn the_block_is_the_same_within_and_the_wrapper_stays() {
        let (within, wrapper) = wrapped_areas(&fifo());
        assert_eq!(within, area(&fifo(), Mode::Ecp5NoWideLut).unwrap());
        // 10 bits in and 10 out: drive, captured, folded, reset and scan_out; the first fold is a copy.
        assert_eq!((wrapper.ffs, wrapper.luts), (10 + 10 + 10 + 1 + 1, 9));
    }

    #[test]
    fn a_register_that_the_wrapper_doubles_stays() {
        let text = "module pipe (input wire clk, input wire [7:0] a, output reg [7:0] y);\n\
                    reg [7:0] b;\nalways @(posedge clk) begin b <= a; y <= b; end\nendmodule\n";
        let pipe = design("pipe", &[("clk", 1), ("a", 8), (">y", 8)], text);
        let (within, wrapper) = wrapped_areas(&pipe);
        assert_eq!((within.ffs, wrapper.ffs), (16, 8 + 8 + 8 + 1));
    }

    #[test]
    fn a_block_of_one_output_and_no_input_is_wrapped() {
        let text = "module toggle (input wire clk, input wire rst, output reg y);\n\
                    always @(posedge clk) y <= ~rst & ~y;\nendmodule\n";
        let toggle = design("toggle", &[("clk", 1), ("rst", 1), (">y", 1)], text);
        let (within, wrapper) = wrapped_areas(&toggle);
        assert_eq!((within.ffs, wrapper.ffs), (1, 4));
    }

    #[test]
    fn the_wrapper_takes_a_free_name() {
        let mut fifo = fifo();
        fifo.modules[0].name = "fifo_scan".into();
        assert_eq!(wrap(&fifo).top, "fifo_scan_");
    }
}
