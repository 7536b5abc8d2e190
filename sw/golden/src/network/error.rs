//! What the model objects to.

use portico_spec::Node;
use thiserror::Error;

/// A packet that the testbench must not inject.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum InjectError {
    /// There is no such terminal.
    #[error("terminal = {terminal} injects, but does not exist: allowed is 0..={last}")]
    NoTerminal {
        /// Who injects.
        terminal: usize,
        /// The largest index.
        last: usize,
    },
    /// Too short or too long.
    #[error("terminal {terminal} injects a packet of flits = {flits}: allowed is 1..={max}")]
    Length {
        /// Who injects.
        terminal: usize,
        /// Flits of the packet, its head among them.
        flits: usize,
        /// Most flits of a packet.
        max: usize,
    },
    /// A word has bits that do not travel.
    #[error("terminal {terminal} injects word {index} = {word:#x}: allowed is a word of {width} bits")]
    Width {
        /// Who injects.
        terminal: usize,
        /// Which word of the packet.
        index: usize,
        /// Its value.
        word: u64,
        /// Payload bits of a flit.
        width: usize,
    },
    /// The head names another source than the injecting terminal.
    #[error("terminal {terminal} injects a head with source = {source_node}: allowed is {node}, its own node")]
    Source {
        /// Who injects.
        terminal: usize,
        /// What the head says.
        source_node: Node,
        /// Where the terminal is.
        node: Node,
    },
}

/// A packet that came out and should not have, or not so.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Mismatch {
    /// It has no flit.
    #[error("terminal {terminal} received a packet without a flit")]
    Empty {
        /// Who received.
        terminal: usize,
    },
    /// Nothing from the source that its head names is on its way to this terminal.
    #[error("terminal {terminal} received {packet:x?} from {source_node}, but no packet from there is outstanding")]
    Unexpected {
        /// Who received.
        terminal: usize,
        /// The source that the head names.
        source_node: Node,
        /// All its words.
        packet: Vec<u64>,
    },
    /// It is not the next packet from its source.
    #[error(
        "terminal {terminal} received {packet:x?} from {source_node}, \
         but the next from there is {expected:x?}: {difference}"
    )]
    Different {
        /// Who received.
        terminal: usize,
        /// The source that the head names.
        source_node: Node,
        /// All its words.
        packet: Vec<u64>,
        /// All words of the packet that is due.
        expected: Vec<u64>,
        /// What differs first.
        difference: String,
    },
}
