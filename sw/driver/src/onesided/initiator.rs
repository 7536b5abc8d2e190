//! Initiators: the nodes that start operations.

use portico_spec::ni::{
    command::MAX_DESCRIPTOR_WORDS,
    descriptor::{Command, Transfer},
};

use crate::{command, Error, Fabric, Transport};

use super::{Geometry, Kind, Operation, Outcome, Remote};

/// A node that starts operations: a tile, or the host. All addresses and lengths are in bytes.
#[derive(Debug)]
pub struct Initiator<'f, T> {
    pub(crate) fabric: &'f mut Fabric<T>,
    pub(crate) node: usize,
}

impl<'f, T: Transport> Initiator<'f, T> {
    pub(crate) fn new(fabric: &'f mut Fabric<T>, node: usize) -> Self {
        Initiator { fabric, node }
    }

    /// Writes memory of this node, from `local`, to the segment, from `offset`.
    ///
    /// # Errors
    /// [`Error::OutOfSegment`], [`Error::OutOfMemory`], [`Error::Descriptor`] of addresses and geometry,
    /// [`Error::WrongNode`], [`Error::WrongKind`]: nothing is sent.
    pub fn put(
        self,
        remote: &Remote,
        offset: u32,
        local: u32,
        geometry: Geometry,
    ) -> Result<Operation<'f, T, ()>, Error> {
        self.transfer("put", Command::Put, remote, offset, local, geometry)
    }

    /// Reads the segment, from `offset`, into memory of this node, from `local`.
    ///
    /// # Errors
    /// As for [`Initiator::put`].
    pub fn get(
        self,
        remote: &Remote,
        offset: u32,
        local: u32,
        geometry: Geometry,
    ) -> Result<Operation<'f, T, ()>, Error> {
        self.transfer("get", Command::Get, remote, offset, local, geometry)
    }

    fn transfer(
        self,
        what: &'static str,
        command: fn(Transfer) -> Command,
        remote: &Remote,
        offset: u32,
        local: u32,
        geometry: Geometry,
    ) -> Result<Operation<'f, T, ()>, Error> {
        self.check_remote(what, remote, Kind::Window)?;
        let transfer = Transfer {
            remote: offset,
            local,
            geometry: geometry.shape(),
        };
        let words = command::encode(self.fabric.config(), remote.handle, command(transfer))?;
        check_segment(remote, offset, geometry.remote_bytes())?;
        self.fabric
            .check_local(self.node, "local", local, "length", geometry.local_bytes())?;
        Ok(self.operation(what, words))
    }

    /// Appends memory of this node to a stream window. Complete when it is sent, because streams are never acknowledged. Words
    /// beyond the window are lost at the target. A window takes one source at a time.
    ///
    /// # Errors
    /// As for [`Initiator::put`]; [`Error::Descriptor`] for planes.
    pub fn stream(self, remote: &Remote, local: u32, geometry: Geometry) -> Result<Operation<'f, T, ()>, Error> {
        let what = "stream";
        self.check_remote(what, remote, Kind::Stream)?;
        let stream = Command::Stream {
            local,
            geometry: geometry.shape(),
        };
        let words = command::encode(self.fabric.config(), remote.handle, stream)?;
        self.fabric
            .check_local(self.node, "local", local, "length", geometry.local_bytes())?;
        Ok(self.operation(what, words))
    }

    /// Complete when all earlier operations of this node on the segment are visible there.
    ///
    /// # Errors
    /// [`Error::WrongNode`].
    pub fn fence(self, remote: &Remote) -> Result<Operation<'f, T, ()>, Error> {
        self.check_owner("segment", remote.initiator)?;
        let words = command::encode(self.fabric.config(), remote.handle, Command::Fence)?;
        Ok(self.operation("fence", words))
    }

    /// Sends any descriptor; the driver sets only its event. For commands without a function here, and for tests. The command must
    /// count in its event exactly once. The driver does not count a message of it against the credits of a sender.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless it has 1..=16 words.
    pub fn descriptor<V: Outcome>(self, words: &[u32]) -> Result<Operation<'f, T, V>, Error> {
        let count = words.len() as u64;
        Error::check_range("words of the descriptor", count, 1, MAX_DESCRIPTOR_WORDS as u64)?;
        Ok(self.operation("descriptor", words.to_vec()))
    }

    pub(crate) fn operation<V: Outcome>(self, what: &'static str, words: Vec<u32>) -> Operation<'f, T, V> {
        Operation::new(self.fabric, self.node, what, words)
    }

    pub(crate) fn check_owner(&self, what: &'static str, owner: usize) -> Result<(), Error> {
        let node = self.node;
        if owner != node {
            return Err(Error::WrongNode { what, owner, node });
        }
        Ok(())
    }

    pub(crate) fn check_remote(&self, what: &'static str, remote: &Remote, kind: Kind) -> Result<(), Error> {
        self.check_owner("segment", remote.initiator)?;
        remote.id.expect(what, kind)
    }
}

pub(crate) fn check_segment(remote: &Remote, offset: u32, bytes: u64) -> Result<(), Error> {
    let (end, size) = (u64::from(offset) + bytes, remote.id.bytes);
    if end > u64::from(size) {
        return Err(Error::OutOfSegment { offset, end, size });
    }
    Ok(())
}
