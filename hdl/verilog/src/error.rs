//! What can be wrong with a design: each error names the block and the signal.

use thiserror::Error;

/// A fault of the design that would make broken Verilog. Nothing is emitted then.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Error {
    /// An output, an input of a child, a register or a local that no statement drives.
    #[error("{block}: `{signal}` is never driven")]
    Undriven { block: String, signal: String },
    /// A constant that the constructor of its block left without a value.
    #[error("{block}: constant `{signal}` has no value; the block's constructor must set it")]
    Unset { block: String, signal: String },
    /// Driven on some paths through the kernel and not on others.
    #[error("{block}: `{signal}` keeps its old value on some path, which makes a latch; give it a default first")]
    Latch { block: String, signal: String },
    /// A signal that follows the statements (local, output) is read above the statement that drives it.
    #[error("{block}: `{signal}` is read before it is written")]
    ReadBeforeWrite { block: String, signal: String },
    /// What a kernel reads back is what it drives itself.
    #[error("{block}: `{signal}` is an input of a child or of a register, and cannot be read; read what drives it")]
    ReadOfSink { block: String, signal: String },
    /// An input, a constant or the output of a child is written.
    #[error("{block}: `{signal}` cannot be written here")]
    NotWritable { block: String, signal: String },
    /// A combinational loop, signal by signal.
    #[error("{block}: combinational loop: {}", cycle.join(" -> "))]
    LogicLoop { block: String, cycle: Vec<String> },
    /// A name in the kernel that is no signal, constant, loop variable or value of an enumeration.
    #[error("{block}: `{name}` is not a signal, constant or loop variable{hint}")]
    UnknownName { block: String, name: String, hint: String },
    /// An index that cannot be computed at elaboration, or that points outside.
    #[error("{block}: bad index `{index}`: {reason}")]
    BadIndex {
        block: String,
        index: String,
        reason: String,
    },
    /// Two widths that should be equal.
    #[error("{block}: {what} is {found} bits wide where {expected} are needed")]
    WidthMismatch {
        block: String,
        what: String,
        found: usize,
        expected: usize,
    },
    /// A literal whose width nothing tells.
    #[error("{block}: the width of literal {literal} is unknown; write bits::<N>({literal})")]
    UnsizedLiteral { block: String, literal: String },
    /// A slice of an expression that Verilog cannot slice.
    #[error("{block}: {what} needs a name: assign it to a Signal<Local, _> first")]
    NeedsName { block: String, what: String },
    /// A construct outside the supported subset.
    #[error("{block}: {what} is not supported")]
    Unsupported { block: String, what: String },
    /// A clock that is anything but a plain connection.
    #[error("{block}: clock of `{signal}` must be one clock signal, connected once and unconditionally")]
    BadClock { block: String, signal: String },
    /// A name that Verilog, SystemVerilog or the C++ of Verilator's models reserves.
    #[error("{block}: `{name}` is a reserved word of Verilog, SystemVerilog or C++; rename it")]
    ReservedWord { block: String, name: String },
    /// Two signals whose names are one in Verilog.
    #[error("{block}: two things would both be named `{name}` in Verilog; rename one")]
    NameCollision { block: String, name: String },
}

/// Result of the backend.
pub type Result<T, E = Error> = std::result::Result<T, E>;
