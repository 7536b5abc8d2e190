//! A wrapper by whose attributes Vivado takes a block into a block design: AMD's UG994, "Inferring Control Signals and Interfaces in
//! a Module Reference".

use super::buses::{bus_of, buses, Bus, Protocol};
use portico_verilog::{Design, Direction, Port};

/// The text of the module `<top>_ip`, which has the ports of the top. Vivado infers its buses, the clock that belongs to them, the
/// polarity of the reset, and interrupts.
pub fn wrapper(design: &Design) -> String {
    let Design { top, ports, .. } = design;
    let buses = buses(ports);
    let header: String = design.header_lines().map(|line| format!("// {line}\n")).collect();
    let port = |port: &Port| {
        let attributes = attributes(&buses, port).into_iter();
        let attributes: String = attributes.map(|attribute| format!("    (* {attribute} *)\n")).collect();
        let Port { name, direction, width } = port;
        let direction = match direction {
            Direction::Input => "input  wire",
            Direction::Output => "output wire",
        };
        let range = match width {
            1 => String::new(),
            _ => format!(" [{}:0]", width - 1),
        };
        format!("{attributes}    {direction}{range} {name}")
    };
    let declared: Vec<String> = ports.iter().map(port).collect();
    let connected: Vec<String> = ports
        .iter()
        .map(|port| format!("        .{0}({0})", port.name))
        .collect();
    format!(
        "\
{header}// {top} for a block design of Vivado: add {top}.v and this file, then add module {top}_ip.
`default_nettype none

module {top}_ip (
{declared}
);
    {top} inner (
{connected}
    );
endmodule

`default_nettype wire
",
        declared = declared.join(",\n"),
        connected = connected.join(",\n"),
    )
}

fn attributes(buses: &[Bus], port: &Port) -> Vec<String> {
    let info = |definition: &str, bus: &str, signal: &str| {
        format!("X_INTERFACE_INFO = \"xilinx.com:{definition}:1.0 {bus} {signal}\"")
    };
    let parameter = |text: &str| format!("X_INTERFACE_PARAMETER = \"{text}\"");
    match &*port.name {
        "clk" => {
            let names: Vec<&str> = buses.iter().map(|bus| bus.name).collect();
            let of_clock = match &names[..] {
                [] => String::new(),
                _ => format!("ASSOCIATED_BUSIF {}, ", names.join(":")),
            };
            return vec![
                info("signal:clock", "clk", "CLK"),
                parameter(&format!("{of_clock}ASSOCIATED_RESET rst")),
            ];
        }
        "rst" => return vec![info("signal:reset", "rst", "RST"), parameter("POLARITY ACTIVE_HIGH")],
        _ => {}
    }
    if port.name.ends_with("irq") {
        return vec![
            info("signal:interrupt", &port.name, "INTERRUPT"),
            parameter("SENSITIVITY LEVEL_HIGH"),
        ];
    }
    let Some((Bus { name, protocol, .. }, signal)) = bus_of(buses, port) else {
        return vec![];
    };
    let definition = match protocol {
        Protocol::Axi | Protocol::AxiLite => "interface:aximm",
        Protocol::Stream => "interface:axis",
    };
    vec![info(definition, name, &signal.to_uppercase())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design;
    use portico_generate::generate;
    use portico_spec::Config;

    #[test]
    fn buses_clock_and_reset_have_attributes() {
        let config = Config::from_toml("cols = 2\nrows = 1\nmemories = 1").unwrap();
        let design = generate(design::block("fabric"), &config, Some("chip")).unwrap().design;
        let text = wrapper(&design);
        for part in [
            "\nmodule chip_fabric_ip (\n    (* X_INTERFACE_INFO = \"xilinx.com:signal:clock:1.0 clk CLK\" *)\n",
            "\"ASSOCIATED_BUSIF s_axil:s_axis_command_0:s_axis_command_1:m_axi_0, ASSOCIATED_RESET rst\"",
            "    (* X_INTERFACE_PARAMETER = \"POLARITY ACTIVE_HIGH\" *)\n    input  wire rst,\n",
            "    (* X_INTERFACE_INFO = \"xilinx.com:interface:aximm:1.0 s_axil AWADDR\" *)\n    input  wire [19:0] s_axil_awaddr,\n",
            "    (* X_INTERFACE_INFO = \"xilinx.com:interface:axis:1.0 s_axis_command_1 TVALID\" *)\n",
            "    (* X_INTERFACE_INFO = \"xilinx.com:signal:interrupt:1.0 status_0_irq INTERRUPT\" *)\n",
            "    output wire [31:0] control_monitor\n);\n    chip_fabric inner (\n        .clk(clk),\n",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        let ports = text.lines().filter(|line| line.starts_with("        ."));
        assert_eq!(ports.count(), design.ports.len());
    }
}
