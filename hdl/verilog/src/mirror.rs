//! The two sides of an interface.

/// An interface whose other side has each signal in the other direction. [`interface`](macro@crate::prelude::interface) implements it
/// for both sides.
pub trait Mirrored {
    /// The other side.
    type Mirror;
}
