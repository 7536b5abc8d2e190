//! Puts and gets.

use portico_spec::portals::engine::{Ack, Command, Move, Operation, INDICES};

use super::{entry::check_rank, ni::check_count, Error, MdHandle, Ni};
use crate::{Fabric, Transport};

/// Which acknowledgement a put wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AckReq {
    /// `PTL_NO_ACK_REQ`: none.
    #[default]
    NoAck,
    /// `PTL_ACK_REQ`: the event ACK, and a count.
    Ack,
    /// `PTL_CT_ACK_REQ`: a count alone.
    CtAck,
    /// `PTL_OC_ACK_REQ`: a count that the operation is over, whatever became of it.
    OcAck,
}

/// Arguments of `PtlPut`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Put {
    /// The memory descriptor.
    pub md: MdHandle,
    /// Offset in it, in bytes.
    pub local_offset: u64,
    /// Length in bytes.
    pub length: u64,
    /// Which acknowledgement.
    pub ack: AckReq,
    /// Rank of the target.
    pub target: u32,
    /// Portal index at the target, of the same interface.
    pub pt_index: u32,
    /// Match bits; of no meaning on a non-matching interface.
    pub match_bits: u64,
    /// Offset in the entry, in bytes; of no meaning with MANAGE_LOCAL.
    pub remote_offset: u64,
    /// For SEND and ACK.
    pub user_ptr: u32,
    /// For the event at the target.
    pub hdr_data: u64,
}

/// Arguments of `PtlGet`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Get {
    /// The memory descriptor.
    pub md: MdHandle,
    /// Offset in it, in bytes.
    pub local_offset: u64,
    /// Length in bytes.
    pub length: u64,
    /// Rank of the target.
    pub target: u32,
    /// Portal index at the target, of the same interface.
    pub pt_index: u32,
    /// Match bits; of no meaning on a non-matching interface.
    pub match_bits: u64,
    /// Offset in the entry, in bytes; of no meaning with MANAGE_LOCAL.
    pub remote_offset: u64,
    /// For REPLY.
    pub user_ptr: u32,
}

impl Put {
    /// A put of the first `length` bytes of a memory descriptor to offset 0 of index 0 at a rank, without acknowledgement; all else
    /// is 0.
    pub fn new(md: MdHandle, length: u64, target: u32) -> Put {
        Put {
            md,
            local_offset: 0,
            length,
            ack: AckReq::NoAck,
            target,
            pt_index: 0,
            match_bits: 0,
            remote_offset: 0,
            user_ptr: 0,
            hdr_data: 0,
        }
    }
}

impl Get {
    /// A get of `length` bytes from offset 0 of index 0 at a rank to the begin of a memory descriptor; all else is 0.
    pub fn new(md: MdHandle, length: u64, target: u32) -> Get {
        Get {
            md,
            local_offset: 0,
            length,
            target,
            pt_index: 0,
            match_bits: 0,
            remote_offset: 0,
            user_ptr: 0,
        }
    }
}

impl Ni {
    /// `PtlPut`: returns when the command is at the tile. SEND, or a count of it, tells that the memory may be written again.
    ///
    /// Accesses: 1; more while the tile's command queue may be full: it has room for six puts.
    ///
    /// # Errors
    /// [`Error::ArgInvalid`] of offsets and lengths beyond the memory descriptor or 32 bits, of a rank or portal index that does not
    /// exist; [`Error::Stale`]; [`Error::WrongInterface`]; [`Error::Fail`] of the fabric.
    pub fn put<T: Transport>(self, fabric: &mut Fabric<T>, put: &Put) -> Result<(), Error> {
        let checked = Move {
            operation: Operation::Put,
            ack: match put.ack {
                AckReq::NoAck => Ack::None,
                AckReq::Ack => Ack::Full,
                AckReq::CtAck => Ack::Count,
                AckReq::OcAck => Ack::Operation,
            },
            ..self.checked(fabric, put)?
        };
        self.send(fabric, Command::Move(checked))
    }

    /// `PtlGet`: returns when the command is at the tile. REPLY, or a count of it, tells that the data are here.
    ///
    /// Accesses: 1; more while the tile's command queue may be full: it has room for eight gets.
    ///
    /// # Errors
    /// As for [`put`](Ni::put).
    pub fn get<T: Transport>(self, fabric: &mut Fabric<T>, get: &Get) -> Result<(), Error> {
        let &Get {
            md,
            local_offset,
            length,
            target,
            pt_index,
            match_bits,
            remote_offset,
            user_ptr,
        } = get;
        let request = Put {
            local_offset,
            pt_index,
            match_bits,
            remote_offset,
            user_ptr,
            ..Put::new(md, length, target)
        };
        let checked = Move {
            operation: Operation::Get,
            ..self.checked(fabric, &request)?
        };
        self.send(fabric, Command::Move(checked))
    }

    /// What put and get have in common, checked.
    fn checked<T: Transport>(self, fabric: &mut Fabric<T>, put: &Put) -> Result<Move, Error> {
        let bytes = self.md_row(fabric, put.md)?.length;
        Error::check_range("local_offset", put.local_offset, 0, bytes)?;
        Error::check_range("length", put.length, 0, bytes - put.local_offset)?;
        check_rank(fabric, "target_id", put.target)?;
        Error::check_range("pt_index", put.pt_index.into(), 0, INDICES as u64 - 1)?;
        Ok(Move {
            operation: Operation::Put,
            ack: Ack::None,
            portal: self.interface.portal(put.pt_index),
            descriptor: put.md.0.number,
            rank: put.target as u16,
            local: put.local_offset as u32,
            length: put.length as u32,
            remote: check_count("remote_offset", put.remote_offset)?,
            match_bits: put.match_bits,
            user_pointer: put.user_ptr,
            header_data: put.hdr_data,
        })
    }
}
