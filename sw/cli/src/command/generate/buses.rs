//! Which ports of a top are signals of one bus.

use portico_verilog::{Direction, Port};

/// Signals of a stream, behind the name of its bus.
const STREAM: [&str; 4] = ["tdata", "tlast", "tvalid", "tready"];
/// Channels of AXI4 and AXI4-Lite, and the signals that one of them may have.
const CHANNELS: [&str; 5] = ["aw", "w", "b", "ar", "r"];
const OF_CHANNEL: [&str; 15] = [
    "id", "addr", "len", "size", "burst", "lock", "cache", "prot", "qos", "data", "strb", "resp", "last", "valid",
    "ready",
];

/// Protocol of a bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    Axi,
    AxiLite,
    Stream,
}

impl Protocol {
    /// As a reader knows it.
    pub fn name(self) -> &'static str {
        match self {
            Protocol::Axi => "AXI4",
            Protocol::AxiLite => "AXI4-Lite",
            Protocol::Stream => "AXI4-Stream",
        }
    }
}

/// A bus of a top.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bus<'a> {
    /// Prefix of the names of its ports, such as `s_axil`.
    pub name: &'a str,
    pub protocol: Protocol,
    /// The top asks or sends.
    pub is_master: bool,
}

/// The buses of a top, in the order of its ports: each has one `tvalid` or one `awvalid`.
pub fn buses(ports: &[Port]) -> Vec<Bus<'_>> {
    let buses = ports.iter().filter_map(|Port { name, direction, .. }| {
        let (name, signal) = name.rsplit_once('_')?;
        let has_length = || {
            let length = format!("{name}_awlen");
            ports.iter().any(|port| port.name == length)
        };
        let protocol = match signal {
            "tvalid" => Protocol::Stream,
            "awvalid" if has_length() => Protocol::Axi,
            "awvalid" => Protocol::AxiLite,
            _ => return None,
        };
        let is_master = *direction == Direction::Output;
        Some(Bus {
            name,
            protocol,
            is_master,
        })
    });
    buses.collect()
}

/// The one of these buses that a port belongs to, and its signal there, such as `awaddr`.
pub fn bus_of<'a, 'p>(buses: &[Bus<'a>], port: &'p Port) -> Option<(Bus<'a>, &'p str)> {
    let (name, signal) = port.name.rsplit_once('_')?;
    let bus = *buses.iter().find(|bus| bus.name == name)?;
    let is_signal = match bus.protocol {
        Protocol::Stream => STREAM.contains(&signal),
        Protocol::Axi | Protocol::AxiLite => {
            let mut rests = CHANNELS.iter().filter_map(|channel| signal.strip_prefix(channel));
            rests.any(|rest| OF_CHANNEL.contains(&rest))
        }
    };
    is_signal.then_some((bus, signal))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design;
    use portico_generate::generate;
    use portico_spec::Config;

    #[test]
    fn a_fabric_has_a_port_of_the_host_streams_and_memories() {
        let config = Config::from_toml("cols = 2\nrows = 1\nmemories = 1\nstreams = true").unwrap();
        let design = generate(design::block("fabric"), &config, None).unwrap().design;
        let found = buses(&design.ports);
        let names: Vec<_> = found
            .iter()
            .map(|bus| (bus.name, bus.protocol.name(), bus.is_master))
            .collect();
        let expected = [
            ("s_axil", "AXI4-Lite", false),
            ("s_axis_command_0", "AXI4-Stream", false),
            ("s_axis_command_1", "AXI4-Stream", false),
            ("m_axis_stream_0", "AXI4-Stream", true),
            ("s_axis_stream_0", "AXI4-Stream", false),
            ("m_axis_stream_1", "AXI4-Stream", true),
            ("s_axis_stream_1", "AXI4-Stream", false),
            ("m_axi_0", "AXI4", true),
        ];
        let mut sorted = names.clone();
        let mut wanted = expected.to_vec();
        sorted.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(sorted, wanted);
        // All that is left are clock, reset, events and counters.
        for port in design.ports.iter().filter(|port| bus_of(&found, port).is_none()) {
            let known = ["clk", "rst", "host_", "status_", "data_", "control_", "monitor_"];
            assert!(known.iter().any(|begin| port.name.starts_with(begin)), "{}", port.name);
        }
    }
}
