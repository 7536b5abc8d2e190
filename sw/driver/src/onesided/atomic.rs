//! Atomic operations on words of a segment.

use portico_spec::ni::descriptor::{Atomic, Command};

use crate::{command, resources::Feature, Error, Transport};

use super::{initiator::check_segment, Initiator, Kind, Operation, Outcome, Remote};

/// Atomics of 64 bits on a fabric whose words have 32: what the initiator has, and the target.
const WIDE_ATOMICS: Feature = Feature {
    what: "atomics of 64 bits",
    is_built: |build| build.wide_atomics,
    tile_key: Some("wide_atomics"),
    host_key: Some("host_profile"),
};

/// The operand of an atomic operation: `u32` or `u64`, naturally aligned.
pub trait Atom: Outcome + Copy {
    /// Its bytes.
    const BYTES: u32;

    /// Its value.
    fn value(self) -> u64;
}

impl Atom for u32 {
    const BYTES: u32 = 4;

    fn value(self) -> u64 {
        self.into()
    }
}

impl Atom for u64 {
    const BYTES: u32 = 8;

    fn value(self) -> u64 {
        self
    }
}

/// The word is at `offset` bytes of the segment. Sums wrap. All fail with [`Error::OutOfSegment`], [`Error::Descriptor`],
/// [`Error::WrongNode`], [`Error::WrongKind`] or [`Error::NotBuilt`] before anything is sent. Both nodes must do atomics of 64 bits.
impl<'f, T: Transport> Initiator<'f, T> {
    /// Adds.
    ///
    /// # Errors
    /// See above.
    pub fn postadd<A: Atom>(self, remote: &Remote, offset: u32, addend: A) -> Result<Operation<'f, T, ()>, Error> {
        let addend = addend.value();
        self.atomic::<A, ()>("postadd", remote, offset, Atomic::PostAdd { addend })
    }

    /// Stores.
    ///
    /// # Errors
    /// See above.
    pub fn poke<A: Atom>(self, remote: &Remote, offset: u32, value: A) -> Result<Operation<'f, T, ()>, Error> {
        let value = value.value();
        self.atomic::<A, ()>("poke", remote, offset, Atomic::Poke { value })
    }

    /// Adds, and gives the old value.
    ///
    /// # Errors
    /// See above.
    pub fn fetchadd<A: Atom>(self, remote: &Remote, offset: u32, addend: A) -> Result<Operation<'f, T, A>, Error> {
        let addend = addend.value();
        self.atomic::<A, A>("fetchadd", remote, offset, Atomic::FetchAdd { addend })
    }

    /// Stores 0, and gives the old value.
    ///
    /// # Errors
    /// See above.
    pub fn fetchclear<A: Atom>(self, remote: &Remote, offset: u32) -> Result<Operation<'f, T, A>, Error> {
        self.atomic::<A, A>("fetchclear", remote, offset, Atomic::FetchClear)
    }

    /// Stores `new` if the value is `expected`; gives the old value.
    ///
    /// # Errors
    /// See above.
    pub fn compare_and_swap<A: Atom>(
        self,
        remote: &Remote,
        offset: u32,
        expected: A,
        new: A,
    ) -> Result<Operation<'f, T, A>, Error> {
        let (compare, new) = (expected.value(), new.value());
        self.atomic::<A, A>(
            "compare_and_swap",
            remote,
            offset,
            Atomic::CompareAndSwap { compare, new },
        )
    }

    /// Gives the value.
    ///
    /// # Errors
    /// See above.
    pub fn peek<A: Atom>(self, remote: &Remote, offset: u32) -> Result<Operation<'f, T, A>, Error> {
        self.atomic::<A, A>("peek", remote, offset, Atomic::Peek)
    }

    /// Adds if the value is below `limit`, unsigned; gives the old value.
    ///
    /// # Errors
    /// See above.
    pub fn add_if<A: Atom>(
        self,
        remote: &Remote,
        offset: u32,
        limit: A,
        addend: A,
    ) -> Result<Operation<'f, T, A>, Error> {
        let (limit, addend) = (limit.value(), addend.value());
        self.atomic::<A, A>("add_if", remote, offset, Atomic::AddIf { limit, addend })
    }

    fn atomic<A: Atom, V: Outcome>(
        self,
        what: &'static str,
        remote: &Remote,
        offset: u32,
        operation: Atomic,
    ) -> Result<Operation<'f, T, V>, Error> {
        self.check_remote(what, remote, Kind::Window)?;
        if A::BYTES > self.fabric.word_bytes() {
            for node in [self.node, remote.id.node] {
                self.fabric.check_node(node)?;
                self.fabric.nodes[node].check_built(node, &WIDE_ATOMICS)?;
            }
        }
        let atomic = Command::Atomic {
            remote: offset,
            operation,
            wide: A::BYTES == 8,
        };
        let words = command::encode(self.fabric.config(), remote.handle, atomic)?;
        check_segment(remote, offset, u64::from(A::BYTES))?;
        Ok(self.operation(what, words))
    }
}
