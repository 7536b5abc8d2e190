//! The two sides of an interface.

use rust_hdl::prelude::LogicJoin;

/// An interface whose other side has each signal in the other direction. [`interface`](macro@crate::prelude::interface) implements it
/// for both sides.
pub trait Mirrored: LogicJoin {
    /// The other side.
    type Mirror;

    /// Connects the signals of both sides: each input with the output of the same name.
    fn meet(&mut self, other: &mut Self::Mirror);
}
