//! An instance of a block to copy, and a test bench that runs it.

use super::buses::{bus_of, buses, Bus, Protocol};
use portico_spec::{
    ni::registers::{address_at, ControlRegister, INITIALISING_OFFSET},
    Config,
};
use portico_verilog::{Design, Direction, Port};
use std::fmt::Write;

/// Byte address in the memory of a node that the test bench writes and reads, and the word.
const ADDRESS: u32 = 0x100;
const WORD: u32 = 0x600d_cafe;
/// Cycles that the test bench waits for an answer, or runs a block without a bus of registers.
const LIMIT: usize = 10_000;

/// The bus of registers of a top: its first AXI4-Lite one.
fn registers<'a>(buses: &[Bus<'a>]) -> Option<&'a str> {
    let mut buses = buses.iter();
    let found = buses.find(|bus| bus.protocol == Protocol::AxiLite && !bus.is_master);
    found.map(|bus| bus.name)
}

/// Whether a wire of the test bench is connected to a port, beside clock and reset: a port of the bus of registers or, for a top
/// without one, an output that says `valid` or `ready`.
fn is_named(registers: Option<&str>, port: &Port) -> bool {
    match registers {
        Some(name) => port.name.rsplit_once('_').is_some_and(|(of, _)| of == name),
        None => port.direction == Direction::Output && ["valid", "ready"].iter().any(|end| port.name.ends_with(end)),
    }
}

/// The text of an instance with a line for each port: copied into a design, it compiles as it is.
pub fn template(design: &Design) -> String {
    let Design { top, ports, .. } = design;
    let buses = buses(ports);
    let registers = registers(&buses);
    let mut last = None;
    let line = |port: &Port| {
        let Port { name, direction, width } = port;
        let bus = bus_of(&buses, port).map(|(bus, _)| bus);
        let heading = match bus {
            Some(bus) if last != Some(bus) => {
                let side = if bus.is_master { "master" } else { "slave" };
                format!("    // {}, {}, {side}\n", bus.name, bus.protocol.name())
            }
            _ => String::new(),
        };
        last = bus;
        let to = match direction {
            _ if ["clk", "rst"].contains(&name.as_str()) || is_named(registers, port) => name.clone(),
            Direction::Input => format!("{width}'d0"),
            Direction::Output => String::new(),
        };
        format!("{heading}    .{name}({to})")
    };
    let lines: Vec<String> = ports.iter().map(line).collect();
    format!(
        "// An instance of {top}. Connect what you use: inputs of what nobody uses are tied off, outputs are open.\n\
         {top} {top}_0 (\n{}\n);\n",
        lines.join(",\n")
    )
}

/// The text of a test bench, the module `<top>_tb`, around the instance. It writes a word over the bus of registers and reads it, or
/// looks whether `valid` and `ready` are known; and prints PASS or FAIL.
pub fn bench(design: &Design, terminal: usize, config: &Config) -> String {
    let Design { top, ports, .. } = design;
    let buses = buses(ports);
    let registers = registers(&buses);
    let named = ports.iter().filter(|port| is_named(registers, port));
    let mut wires = String::new();
    for port in named.clone() {
        let range = if port.width > 1 {
            format!("[{}:0] ", port.width - 1)
        } else {
            String::new()
        };
        let _ = match port.direction {
            Direction::Input => writeln!(wires, "    reg  {range}{};", port.name),
            Direction::Output => writeln!(wires, "    wire {range}{};", port.name),
        };
    }
    let body = match registers {
        Some(name) => {
            let status = address_at(config, terminal, ControlRegister::Status, 0);
            let inputs = named.filter(|port| port.direction == Direction::Input);
            let quiet: String = inputs.map(|port| format!("    {} = 0;\n", port.name)).collect();
            let width = |signal: &str| {
                let port = ports.iter().find(|port| port.name == format!("{name}_{signal}"));
                port.expect("AXI4-Lite has it").width
            };
            over_registers(name, top, status, &quiet, [width("awaddr"), width("wdata")])
        }
        None => {
            let handshakes: Vec<&str> = named.map(|port| &*port.name).collect();
            known(&handshakes, top)
        }
    };
    format!(
        "\
// Runs {top}:
//   $ iverilog -g2005 -o {top}_tb {top}_tb.v {top}.v && vvp {top}_tb
//   $ verilator --binary --timing -Wno-fatal {top}_tb.v {top}.v && obj_dir/V{top}_tb
`timescale 1ns / 1ps

module {top}_tb;
    reg  clk;
    reg  rst;
{wires}
{instance}
    initial begin
        clk = 0;
        forever #5 clk = ~clk;
    end

{body}endmodule
",
        instance = indented(&template(design)),
        body = indented(&body),
    )
}

/// The lines of a text within a module.
fn indented(text: &str) -> String {
    text.lines()
        .map(|line| {
            if line.is_empty() {
                "\n".into()
            } else {
                format!("    {line}\n")
            }
        })
        .collect()
}

/// Writes and reads a word of memory over AXI4-Lite.
fn over_registers(name: &str, top: &str, status: u32, quiet: &str, [address, data]: [usize; 2]) -> String {
    format!(
        "\
reg  [31:0] value;
reg         aw_taken;
reg         w_taken;

// Inputs change at falling edges, so that no simulator sees them change with the clock.
task read(input [{high}:0] address);
    begin
        {name}_araddr = address;
        {name}_arvalid = 1;
        {name}_rready = 1;
        @(posedge clk);
        while (!{name}_arready) @(posedge clk);
        @(negedge clk);
        {name}_arvalid = 0;
        @(posedge clk);
        while (!{name}_rvalid) @(posedge clk);
        value = {name}_rdata[31:0];
        @(negedge clk);
        {name}_rready = 0;
    end
endtask

task write(input [{high}:0] address, input [31:0] word);
    begin
        {name}_awaddr = address;
        {name}_wdata = {word};
        {name}_wstrb = ~0;
        {name}_awvalid = 1;
        {name}_wvalid = 1;
        {name}_bready = 1;
        while ({name}_awvalid || {name}_wvalid) begin
            @(posedge clk);
            aw_taken = {name}_awready;
            w_taken = {name}_wready;
            @(negedge clk);
            if (aw_taken) {name}_awvalid = 0;
            if (w_taken) {name}_wvalid = 0;
        end
        @(posedge clk);
        while (!{name}_bvalid) @(posedge clk);
        @(negedge clk);
        {name}_bready = 0;
    end
endtask

initial begin
    rst = 1;
{quiet}    repeat (10) @(negedge clk);
    rst = 0;
    // Bit `initialising` of the register `status`: tables are being cleared.
    value = 32'h{initialising:x};
    while (value[{INITIALISING_OFFSET}]) read({address}'h{status:x});
    write({address}'h{ADDRESS:x}, 32'h{WORD:x});
    read({address}'h{ADDRESS:x});
    if (value === 32'h{WORD:x}) $display(\"{top}: PASS: a word was written and read\");
    else $display(\"{top}: FAIL: read %h\", value);
    $finish;
end

initial begin
    repeat ({LIMIT}) @(posedge clk);
    $display(\"{top}: FAIL: no answer in {LIMIT} cycles\");
    $finish;
end
",
        initialising = 1 << INITIALISING_OFFSET,
        high = address - 1,
        word = if data > 32 {
            format!("{{{}'d0, word}}", data - 32)
        } else {
            "word".to_string()
        },
    )
}

/// Looks whether each of these bits is known after the reset.
fn known(handshakes: &[&str], top: &str) -> String {
    let (look, seen) = match handshakes {
        [] => (String::new(), "no port says valid or ready"),
        _ => (
            format!(
                "// Unknown bits make the exclusive or unknown.\n    if (^{{{}}} === 1'bx) $display(\"{top}: FAIL: valid or ready is \
                 unknown\");\n    else ",
                handshakes.join(", ")
            ),
            "valid and ready are known",
        ),
    };
    format!(
        "\
initial begin
    rst = 1;
    repeat (10) @(negedge clk);
    rst = 0;
    repeat ({LIMIT}) @(negedge clk);
    {look}$display(\"{top}: PASS: {LIMIT} cycles, {seen}\");
    $finish;
end
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design;
    use portico_generate::generate;

    fn of(block: &str, text: &str) -> (Design, Config) {
        let config = Config::from_toml(text).unwrap();
        (generate(design::block(block), &config, None).unwrap().design, config)
    }

    #[test]
    fn every_port_has_a_line_and_every_input_a_value() {
        let (design, _) = of("fabric", "cols = 2\nrows = 1\nmemories = 1");
        let text = template(&design);
        for port in &design.ports {
            let lines = text
                .lines()
                .filter(|line| line.starts_with(&format!("    .{}(", port.name)));
            let lines: Vec<&str> = lines.collect();
            assert_eq!(lines.len(), 1, "{}", port.name);
            let is_open = lines[0].contains("()");
            assert!(!is_open || port.direction == Direction::Output, "{}", lines[0]);
        }
        for line in [
            "    // s_axil, AXI4-Lite, slave",
            "    .s_axil_awaddr(s_axil_awaddr),",
            "    .m_axi_0_awready(1'd0),",
            "    .s_axis_command_0_tdata(32'd0),",
            "    .data_monitor(),",
            "    .control_monitor()",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }

    #[test]
    fn a_block_without_registers_shows_its_handshakes() {
        let (design, config) = of("fifo", "");
        let text = bench(&design, 0, &config);
        assert!(text.contains("(^{s_axis_tready, m_axis_tvalid} === 1'bx)"), "{text}");
        assert!(
            text.contains("\n    portico_fifo portico_fifo_0 (\n        .clk(clk),\n"),
            "{text}"
        );
        assert!(template(&design).contains("    .s_axis_tready(s_axis_tready),\n"));
    }
}
