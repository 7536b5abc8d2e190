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
    /// What the names of its ports begin with, such as `s_axil`.
    pub name: &'a str,
    pub protocol: Protocol,
    /// The top is the one that asks or sends.
    pub is_master: bool,
}

/// The bus that a port belongs to, and its signal there, such as `awaddr`.
pub fn bus_of<'a>(ports: &'a [Port], port: &'a Port) -> Option<(Bus<'a>, &'a str)> {
    let (name, signal) = port.name.rsplit_once('_')?;
    let find = |signal: &str| {
        let found = ports.iter().find(|port| port.name == format!("{name}_{signal}"));
        found.map(|port| port.direction == Direction::Output)
    };
    if STREAM.contains(&signal) {
        let is_master = find("tvalid")?;
        return Some((
            Bus {
                name,
                protocol: Protocol::Stream,
                is_master,
            },
            signal,
        ));
    }
    let mut rests = CHANNELS.iter().filter_map(|channel| signal.strip_prefix(channel));
    rests.find(|rest| OF_CHANNEL.contains(rest))?;
    let is_master = find("awvalid")?;
    let protocol = match find("awlen") {
        Some(_) => Protocol::Axi,
        None => Protocol::AxiLite,
    };
    Some((
        Bus {
            name,
            protocol,
            is_master,
        },
        signal,
    ))
}

/// The buses of a top, in the order of its ports.
pub fn buses(ports: &[Port]) -> Vec<Bus<'_>> {
    let mut found: Vec<Bus> = vec![];
    for (bus, _) in ports.iter().filter_map(|port| bus_of(ports, port)) {
        if !found.contains(&bus) {
            found.push(bus);
        }
    }
    found
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
        for port in design.ports.iter().filter(|port| bus_of(&design.ports, port).is_none()) {
            let known = ["clk", "rst", "host_", "status_", "data_", "control_", "monitor_"];
            assert!(known.iter().any(|begin| port.name.starts_with(begin)), "{}", port.name);
        }
    }
}
