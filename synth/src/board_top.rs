//! The top module of a board: the PLL between the oscillator and the core, and the pins.

use crate::board::Active;
use crate::pll::Dividers;
use crate::{Board, Pll, SynthError};
use portico_verilog::{Design, Direction, Module, Port};
use std::fmt::Write;

/// Ports of a core, outputs with a `>` before the name: clock, asynchronous reset, clock cycles of a bit, line, LEDs.
const CORE_PORTS: [(&str, usize); 6] = [
    ("clk", 1),
    ("rst", 1),
    ("bit_cycles", 16),
    ("uart_rx", 1),
    (">uart_tx", 1),
    (">led", 4),
];

/// Ports of a board's top in the same form.
const TOP_PORTS: [(&str, usize); 5] = [
    ("clk_in", 1),
    ("button", 1),
    ("uart_rx", 1),
    (">uart_tx", 1),
    (">led", 4),
];

/// Fewest clock cycles of a bit that the core samples reliably.
const LEAST_BIT_CYCLES: f64 = 16.0;
/// Most that its port `bit_cycles` holds.
const MOST_BIT_CYCLES: f64 = 65_535.0;
/// Largest error of the baud rate; with it, the last bit of a byte is off by a fifth.
const BAUD_TOLERANCE: f64 = 0.02;

/// The clock of the fabric on a board, and the bit of its serial line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// The PLL; what comes out of it is the clock of the fabric.
    pub pll: Pll,
    /// Frequency asked for, in MHz.
    pub asked_mhz: f64,
    /// Baud rate asked for.
    pub baud: u32,
    /// Clock cycles of a bit.
    pub bit_cycles: u16,
}

impl Rates {
    /// The rates nearest to what is asked for, the clock in MHz.
    ///
    /// # Errors
    /// As [`Pll::new`]; [`SynthError::Baud`] if a bit has fewer than 16 or more than 65,535 clock cycles, or the baud rate
    /// that comes out is off by more than 2 %.
    pub fn new(board: &Board, asked_mhz: f64, baud: u32) -> Result<Self, SynthError> {
        let pll = Pll::new(board.family, board.clock.mhz, asked_mhz)?;
        let hertz = pll.output_mhz * 1e6;
        let cycles = (hertz / f64::from(baud)).round();
        let possible = cycles.clamp(LEAST_BIT_CYCLES, MOST_BIT_CYCLES);
        let nearest = hertz / possible;
        let is_near = (nearest - f64::from(baud)).abs() <= BAUD_TOLERANCE * f64::from(baud);
        if possible != cycles || !is_near {
            return Err(SynthError::Baud {
                baud,
                clock_mhz: pll.output_mhz,
                nearest,
            });
        }
        Ok(Rates {
            pll,
            asked_mhz,
            baud,
            // Within the limits above.
            bit_cycles: possible as u16,
        })
    }
}

/// The core within the top of a board: its modules, and the top `portico_<board>` after them.
///
/// The top has the ports `clk_in`, `button`, `uart_rx`, `uart_tx`, `led[3:0]` and those of [`Board::high`]. The core's input `rst` is 1 while the
/// PLL has not locked or the button is pressed; it is asynchronous to `clk`.
///
/// # Errors
/// [`SynthError::CorePorts`] if the core has other ports than `clk`, `rst`, `bit_cycles[15:0]`, `uart_rx`, `uart_tx` and
/// `led[3:0]`.
pub fn board_design(board: &Board, core: &Design, rates: &Rates) -> Result<Design, SynthError> {
    let expected = ports(&CORE_PORTS);
    let sorted = |ports: &[Port]| {
        let mut texts: Vec<String> = ports.iter().map(describe).collect();
        texts.sort();
        texts.join(", ")
    };
    if sorted(&core.ports) != sorted(&expected) {
        return Err(SynthError::CorePorts {
            core: core.top.clone(),
            found: sorted(&core.ports),
            expected: sorted(&expected),
        });
    }
    let top = Module {
        name: board.top(),
        text: text(board, &core.top, rates),
    };
    Ok(Design {
        top: board.top(),
        header: core.header.clone(),
        modules: core.modules.iter().cloned().chain([top]).collect(),
        ports: [
            ports(&TOP_PORTS),
            board
                .high
                .iter()
                .map(|high| port(&high.port, Direction::Output, 1))
                .collect(),
        ]
        .concat(),
    })
}

fn ports(declared: &[(&str, usize)]) -> Vec<Port> {
    let declared = declared.iter().map(|&(name, width)| match name.strip_prefix('>') {
        Some(name) => port(name, Direction::Output, width),
        None => port(name, Direction::Input, width),
    });
    declared.collect()
}

fn port(name: &str, direction: Direction, width: usize) -> Port {
    Port {
        name: name.into(),
        direction,
        width,
    }
}

fn describe(port: &Port) -> String {
    let direction = match port.direction {
        Direction::Input => "input",
        Direction::Output => "output",
    };
    match port.width {
        1 => format!("{direction} {}", port.name),
        width => format!("{direction} {}[{}:0]", port.name, width - 1),
    }
}

/// The module, from `module` to `endmodule`.
fn text(board: &Board, core: &str, rates: &Rates) -> String {
    let level = |active: Active| match active {
        Active::High => "active high",
        Active::Low => "active low",
    };
    let inverted = |active: Active| match active {
        Active::High => "",
        Active::Low => "~",
    };
    let high = |line: fn(&str) -> String| -> String { board.high.iter().map(|high| line(&high.port)).collect() };
    let Rates { pll, baud, .. } = rates;
    let bit = format!("{} MHz / {baud} baud", decimal(pll.output_mhz));
    format!(
        "\
// Board top for {title}: {part}
module {top} (
    // Oscillator, {input} MHz
    input  wire       clk_in,
    // Button {button}, {button_level}: resets the core
    input  wire       button,
    // Serial line, 8 data bits, no parity, 1 stop bit
    input  wire       uart_rx,
    output wire       uart_tx,
    // LEDs {leds}, {led_level}
    output wire [3:0] led{high_ports}
);
    // Clock cycles of a bit: {bit}
    localparam [15:0] BIT_CYCLES = 16'd{bit_cycles};

    // Clock of the fabric, {output} MHz
    wire clk;
    wire locked;
    wire [3:0] lit;

{pll}
    // Asynchronous: the core synchronises it and stretches it
    wire rst = ~locked | {pressed}button;

    {core} core (
        .clk(clk),
        .rst(rst),
        .bit_cycles(BIT_CYCLES),
        .uart_rx(uart_rx),
        .uart_tx(uart_tx),
        .led(lit)
    );

    assign led = {dark}lit;
{high}endmodule
",
        title = board.title,
        part = board.part,
        top = board.top(),
        input = decimal(pll.input_mhz),
        button = board.button.label,
        button_level = level(board.button.active),
        leds = board.leds.label,
        led_level = level(board.leds.active),
        bit_cycles = rates.bit_cycles,
        output = decimal(pll.output_mhz),
        pll = pll_text(pll),
        pressed = inverted(board.button.active),
        dark = inverted(board.leds.active),
        high_ports = high(|port| format!(",\n    // The board wants it high\n    output wire       {port}")),
        high = high(|port| format!("    assign {port} = 1'b1;\n")),
    )
}

/// A frequency with as many decimals as it has, six at most.
pub(crate) fn decimal(mhz: f64) -> String {
    let text = format!("{mhz:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn pll_text(pll: &Pll) -> String {
    match pll.dividers {
        Dividers::Ecp5 {
            input,
            feedback,
            clkop,
            clkos,
        } => ecp5(pll, [input, feedback, clkop], clkos),
        Dividers::Xilinx {
            input,
            multiplier_eighths,
            output_eighths,
        } => xilinx(pll, input, multiplier_eighths, output_eighths),
    }
}

/// The loop filter's attributes are those that ecppll writes.
fn ecp5(pll: &Pll, [input, feedback, clkop]: [u32; 3], clkos: Option<u32>) -> String {
    let mut parameters = vec![
        ("PLLRST_ENA", "\"DISABLED\"".to_owned()),
        ("INTFB_WAKE", "\"DISABLED\"".into()),
        ("STDBY_ENABLE", "\"DISABLED\"".into()),
        ("DPHASE_SOURCE", "\"DISABLED\"".into()),
        ("OUTDIVIDER_MUXA", "\"DIVA\"".into()),
        ("OUTDIVIDER_MUXB", "\"DIVB\"".into()),
        ("OUTDIVIDER_MUXC", "\"DIVC\"".into()),
        ("OUTDIVIDER_MUXD", "\"DIVD\"".into()),
        ("CLKI_DIV", input.to_string()),
        ("CLKFB_DIV", feedback.to_string()),
        ("FEEDBK_PATH", "\"CLKOP\"".into()),
        ("CLKOP_ENABLE", "\"ENABLED\"".into()),
        ("CLKOP_DIV", clkop.to_string()),
        ("CLKOP_CPHASE", (clkop - 1).to_string()),
        ("CLKOP_FPHASE", "0".into()),
    ];
    let (declaration, feedback_clock, outputs) = match clkos {
        None => ("", "clk", vec![(".CLKOP", "clk")]),
        Some(clkos) => {
            parameters.extend([
                ("CLKOS_ENABLE", "\"ENABLED\"".into()),
                ("CLKOS_DIV", clkos.to_string()),
                ("CLKOS_CPHASE", (clkos - 1).to_string()),
                ("CLKOS_FPHASE", "0".into()),
            ]);
            let outputs = vec![(".CLKOP", "clk_feedback"), (".CLKOS", "clk")];
            ("    wire clk_feedback;\n", "clk_feedback", outputs)
        }
    };
    let mut connections = vec![
        (".RST", "1'b0"),
        (".STDBY", "1'b0"),
        (".CLKI", "clk_in"),
        (".CLKFB", feedback_clock),
    ];
    connections.extend(outputs);
    connections.extend([
        (".PHASESEL0", "1'b0"),
        (".PHASESEL1", "1'b0"),
        (".PHASEDIR", "1'b1"),
        (".PHASESTEP", "1'b1"),
        (".PHASELOADREG", "1'b1"),
        (".PLLWAKESYNC", "1'b0"),
        (".ENCLKOP", "1'b0"),
        (".LOCK", "locked"),
    ]);
    let attributes = format!(
        "    (* FREQUENCY_PIN_CLKI=\"{}\" *)\n    (* ICP_CURRENT=\"12\" *) (* LPF_RESISTOR=\"8\" *) \
         (* MFG_ENABLE_FILTEROPAMP=\"1\" *) (* MFG_GMCREF_SEL=\"2\" *)\n",
        decimal(pll.input_mhz)
    );
    format!(
        "    // Oscillator of the PLL: {} MHz\n{declaration}{attributes}{}",
        decimal(pll.vco_mhz),
        instance("EHXPLLL", "pll", &parameters, &connections)
    )
}

fn xilinx(pll: &Pll, input: u32, multiplier_eighths: u32, output_eighths: u32) -> String {
    let eighths = |count: u32| format!("{:.3}", f64::from(count) / 8.0);
    let parameters = [
        ("CLKIN1_PERIOD", format!("{:.3}", 1000.0 / pll.input_mhz)),
        ("DIVCLK_DIVIDE", input.to_string()),
        ("CLKFBOUT_MULT_F", eighths(multiplier_eighths)),
        ("CLKOUT0_DIVIDE_F", eighths(output_eighths)),
    ];
    let connections = [
        (".RST", "1'b0"),
        (".PWRDWN", "1'b0"),
        (".CLKIN1", "clk_in"),
        (".CLKFBIN", "clk_feedback"),
        (".CLKFBOUT", "clk_feedback"),
        (".CLKOUT0", "clk_pll"),
        (".LOCKED", "locked"),
    ];
    format!(
        "    // Oscillator of the PLL: {} MHz\n    wire clk_feedback;\n    wire clk_pll;\n{}\n{}",
        decimal(pll.vco_mhz),
        instance("MMCME2_BASE", "pll", &parameters, &connections),
        "    BUFG clock_buffer (\n        .I(clk_pll),\n        .O(clk)\n    );\n"
    )
}

fn instance(module: &str, name: &str, parameters: &[(&str, String)], connections: &[(&str, &str)]) -> String {
    let mut text = String::new();
    let parameters: Vec<String> = parameters
        .iter()
        .map(|(parameter, value)| format!("        .{parameter}({value})"))
        .collect();
    let connections: Vec<String> = connections
        .iter()
        .map(|(port, signal)| format!("        {port}({signal})"))
        .collect();
    let _ = write!(
        text,
        "    {module} #(\n{}\n    ) {name} (\n{}\n    );\n",
        parameters.join(",\n"),
        connections.join(",\n")
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{board_core, design};
    use crate::{Target, Tool, Yosys};
    use std::fs;

    /// The primitives with the ports that a top connects: what Verilator needs to check the connections.
    const PRIMITIVES: &str = "\
/* verilator lint_off DECLFILENAME */
/* verilator lint_off UNUSEDPARAM */
/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off UNDRIVEN */
module EHXPLLL #(
    parameter PLLRST_ENA = \"\", parameter INTFB_WAKE = \"\", parameter STDBY_ENABLE = \"\", parameter DPHASE_SOURCE = \"\",
    parameter OUTDIVIDER_MUXA = \"\", parameter OUTDIVIDER_MUXB = \"\", parameter OUTDIVIDER_MUXC = \"\",
    parameter OUTDIVIDER_MUXD = \"\", parameter CLKI_DIV = 1, parameter CLKFB_DIV = 1, parameter FEEDBK_PATH = \"\",
    parameter CLKOP_ENABLE = \"\", parameter CLKOP_DIV = 1, parameter CLKOP_CPHASE = 0, parameter CLKOP_FPHASE = 0,
    parameter CLKOS_ENABLE = \"\", parameter CLKOS_DIV = 1, parameter CLKOS_CPHASE = 0, parameter CLKOS_FPHASE = 0
) (
    input RST, input STDBY, input CLKI, input CLKFB, input PHASESEL0, input PHASESEL1, input PHASEDIR, input PHASESTEP,
    input PHASELOADREG, input PLLWAKESYNC, input ENCLKOP, output CLKOP, CLKOS_PORT output LOCK
);
endmodule
module MMCME2_BASE #(
    parameter CLKIN1_PERIOD = 0.0, parameter DIVCLK_DIVIDE = 1, parameter CLKFBOUT_MULT_F = 5.0,
    parameter CLKOUT0_DIVIDE_F = 1.0
) (
    input RST, input PWRDWN, input CLKIN1, input CLKFBIN, output CLKFBOUT, output CLKOUT0, output LOCKED
);
endmodule
module BUFG (input I, output O);
    assign O = I;
endmodule
/* verilator lint_on UNDRIVEN */
/* verilator lint_on UNUSEDSIGNAL */
/* verilator lint_on UNUSEDPARAM */
/* verilator lint_on DECLFILENAME */
";

    /// Every board at its own clock and at another, whose PLL needs an output beside its feedback.
    fn every_design() -> Vec<(Board, Rates, Design)> {
        let mut designs = Vec::new();
        for board in Board::all() {
            for mhz in [board.clock.fabric_mhz, 48.0, 66.0] {
                let rates = Rates::new(&board, mhz, 1_000_000).unwrap();
                let design = board_design(&board, &board_core(), &rates).unwrap();
                designs.push((board.clone(), rates, design));
            }
        }
        designs
    }

    #[test]
    fn the_pins_of_the_constraints_are_the_ports_of_the_top_and_the_reverse() {
        for (board, _, design) in every_design() {
            let mut ports: Vec<String> = Vec::new();
            for port in &design.ports {
                assert!(design.modules.last().unwrap().text.contains(&format!(" {}", port.name)));
                match port.width {
                    1 => ports.push(port.name.clone()),
                    width => ports.extend((0..width).map(|bit| format!("{}[{bit}]", port.name))),
                }
            }
            ports.sort();
            let located = board.constraints.lines().filter_map(|line| match board.family {
                Target::Ecp5 => line.strip_prefix("LOCATE COMP \"")?.split('"').next(),
                Target::Xilinx => {
                    let (pin, port) = line.split_once("[get_ports {")?;
                    pin.contains("PACKAGE_PIN").then(|| port.trim_end_matches("}]"))
                }
            });
            let mut located: Vec<&str> = located.collect();
            located.sort();
            assert_eq!(ports, located, "{}", board.name);
        }
    }

    #[test]
    fn every_top_passes_verilators_linter() {
        let verilator = crate::locate(Tool::Verilator).unwrap();
        for (board, rates, design) in every_design() {
            let folder = tempfile::tempdir().unwrap();
            let file = format!("{}.v", design.top);
            fs::write(folder.path().join(&file), design.text()).unwrap();
            let uses_clkos = matches!(rates.pll.dividers, Dividers::Ecp5 { clkos: Some(_), .. });
            let clkos = if uses_clkos { "output CLKOS," } else { "" };
            fs::write(
                folder.path().join("primitives.v"),
                PRIMITIVES.replace("CLKOS_PORT", clkos),
            )
            .unwrap();
            let mut command = verilator.command();
            command.args([
                "--lint-only",
                "-Wall",
                "--top-module",
                &design.top,
                "primitives.v",
                &file,
            ]);
            let output = command.current_dir(folder.path()).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(
                (output.status.success(), &*said),
                (true, ""),
                "{}: {}",
                board.name,
                design.text()
            );
        }
    }

    #[test]
    fn yosys_synthesises_the_tops_of_xilinx_boards() {
        let board = Board::named("arty-a7-35t").unwrap();
        let rates = Rates::new(&board, 50.0, 1_000_000).unwrap();
        let design = board_design(&board, &board_core(), &rates).unwrap();
        let script = format!(
            "{}\nselect -assert-count 1 t:MMCME2_BASE",
            crate::Mode::Xilinx7.script(&design.top)
        );
        let log = Yosys::locate().unwrap().run(&design, &script).unwrap();
        assert!(log.contains("MMCME2_BASE"), "{log}");
    }

    #[test]
    fn a_top_inverts_what_is_active_low() {
        for (name, pressed, lit) in [
            ("ulx3s-85f", "~locked | button;", "assign led = lit;"),
            ("ecpix5-85f", "~locked | ~button;", "assign led = ~lit;"),
            ("arty-a7-100t", "~locked | ~button;", "assign led = lit;"),
        ] {
            let board = Board::named(name).unwrap();
            let rates = Rates::new(&board, 50.0, 1_000_000).unwrap();
            let text = text(&board, "portico_board", &rates);
            assert!(
                text.contains(&format!("wire rst = {pressed}")) && text.contains(lit),
                "{text}"
            );
            assert!(text.contains("    localparam [15:0] BIT_CYCLES = 16'd50;\n"), "{text}");
        }
    }

    #[test]
    fn a_bit_is_rounded_to_clock_cycles_and_refused_where_it_is_off() {
        let board = Board::named("ulx3s-85f").unwrap();
        for (mhz, baud, cycles) in [
            (50.0, 1_000_000, 50),
            (50.0, 115_200, 434),
            (50.0, 3_000_000, 17),
            (25.0, 400, 62_500),
        ] {
            assert_eq!(Rates::new(&board, mhz, baud).unwrap().bit_cycles, cycles);
        }
        for (mhz, baud, nearest) in [
            (50.0, 16_000_000, "3125000"),
            (50.0, 500, "763"),
            (50.0, 4_000_000, "3125000"),
            (50.0, 0, "763"),
        ] {
            let error = Rates::new(&board, mhz, baud).unwrap_err().to_string();
            let expected = format!(
                "baud = {baud}, allowed with a clock of 50 MHz: 16 to 65535 cycles a bit, the baud rate met within 2 %; \
                 the nearest is {nearest}"
            );
            assert_eq!(error, expected);
        }
    }

    #[test]
    fn a_core_with_other_ports_is_refused_with_both_lists() {
        let board = Board::named("ulx3s-85f").unwrap();
        let rates = Rates::new(&board, 50.0, 1_000_000).unwrap();
        let core = design("core", &[("clk", 1), (">led", 3)], "");
        assert_eq!(
            board_design(&board, &core, &rates).unwrap_err().to_string(),
            "core has the ports input clk, output led[2:0], where a board connects input bit_cycles[15:0], input clk, \
             input rst, input uart_rx, output led[3:0], output uart_tx"
        );
    }
}
