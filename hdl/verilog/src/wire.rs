//! Connections of whole interfaces: what `wire!(one <=> other)` in a [`kernel`](macro@crate::prelude::kernel) is.
//!
//! rust-hdl asks the type of an interface for the connections of its signals, by a path to that type:
//! `StreamIn::<W>::link(..)`. A kernel that names no type has [`Wire`] there, with the number of the connection. The
//! block knows the type: it is [`Wired`].

use crate::mirror::Mirrored;
use rust_hdl::{
    core::ast::VerilogLink,
    prelude::{LogicJoin, LogicLink},
};
use std::marker::PhantomData;

/// Connections of single signals.
pub type Links = Vec<VerilogLink>;

/// A block whose kernel connects whole interfaces. Implemented by `#[kernel]`.
pub trait Wired {
    /// What the connection `wire` of the kernel is, between the interfaces that the kernel calls `this` and `that`.
    fn links(wire: usize, this: &str, that: &str) -> Links;
}

/// Connection `N` of the kernel of `B`.
pub struct Wire<B, const N: usize>(PhantomData<B>);

impl<B: Wired, const N: usize> Wire<B, N> {
    /// Passes an interface of the block through, to one of the same type inside.
    pub fn link<I: LogicLink>(outer: &mut I, inner: &mut I) {
        outer.link(inner);
    }

    /// The connections that `link` makes.
    pub fn link_hdl(_name: &str, this: &str, that: &str) -> Links {
        B::links(N, this, that)
    }

    /// Joins the interfaces of two blocks inside.
    pub fn join<I: Mirrored>(one: &mut I, other: &mut I::Mirror) {
        one.meet(other);
    }

    /// The connections that `join` makes.
    pub fn join_hdl(_name: &str, this: &str, that: &str) -> Links {
        B::links(N, this, that)
    }
}

/// The connections of an interface with one of the same type; the function is not called, and only tells the type.
pub fn link<B, I: LogicLink>(_interface: fn(&mut B) -> &mut I, this: &str, that: &str) -> Links {
    I::link_hdl("", this, that)
}

/// The connections of an interface with its mirror.
pub fn join<B, I: LogicJoin>(_interface: fn(&mut B) -> &mut I, this: &str, that: &str) -> Links {
    I::join_hdl("", this, that)
}
