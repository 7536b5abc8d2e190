//! Memory descriptors.

use portico_spec::portals::engine::{
    MD_BOUND_OFFSET, MD_COUNTER_OFFSET, MD_COUNTS_OFFSET, MD_OPTIONS_WIDTH, MD_QUEUES_OFFSET, MD_QUEUE_OFFSET,
};

use super::{handle::Key, options::of_hardware, state::MdRow, CtHandle, EqHandle, Error, MdHandle, MdOptions, Ni};
use crate::{registers::PortalsRegister, Fabric, Transport};

/// Memory that puts and gets of a tile use: `ptl_md_t`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Md {
    /// Byte address in the memory of the tile; any.
    pub start: u32,
    /// Length in bytes.
    pub length: u64,
    /// Options.
    pub options: MdOptions,
    /// Queue of SEND, ACK and REPLY; none for `PTL_EQ_NONE`.
    pub eq: Option<EqHandle>,
    /// Counter of them; none for `PTL_CT_NONE`.
    pub ct: Option<CtHandle>,
}

impl Ni {
    /// `PtlMDBind`.
    ///
    /// Accesses: 1.
    ///
    /// # Errors
    /// [`Error::NoSpace`], [`Error::ArgInvalid`] of memory that the tile does not have and of [`MdOptions::IOVEC`],
    /// [`Error::Stale`], [`Error::WrongInterface`], [`Error::Fail`] of the fabric.
    pub fn md_bind<T: Transport>(self, fabric: &mut Fabric<T>, md: &Md) -> Result<MdHandle, Error> {
        let eq = self.eq_number(fabric, md.eq)?;
        let ct = self.ct_number(fabric, md.ct)?;
        md.options
            .refuse(MdOptions::IOVEC, "a memory descriptor of one piece")?;
        self.check_memory(fabric, md.start, md.length)?;
        let number = self.engine(fabric)?.mds.free(self.tile)?;
        let options = of_hardware(md.options.0, MD_OPTIONS_WIDTH)
            | u32::from(ct.unwrap_or_default()) << MD_COUNTER_OFFSET
            | u32::from(ct.is_some()) << MD_COUNTS_OFFSET
            | u32::from(eq.unwrap_or_default()) << MD_QUEUE_OFFSET
            | u32::from(eq.is_some()) << MD_QUEUES_OFFSET
            | 1 << MD_BOUND_OFFSET;
        let registers = [
            (PortalsRegister::MdStart, md.start),
            (PortalsRegister::MdLength, md.length as u32),
            (PortalsRegister::MdOptions, options),
        ];
        fabric.poke_item(self.tile, number.into(), registers)?;
        let row = MdRow {
            length: md.length,
            eq,
            ct,
        };
        let key = self.engine(fabric)?.mds.take(self.tile, self.interface, number, row);
        Ok(MdHandle(key))
    }

    /// `PtlMDRelease`, when all puts and gets of the tile so far are sent. Answers that are still to come raise their events and
    /// counts: free their event queue and counter after these.
    ///
    /// Accesses: 1, and 1 or more until the puts and gets are sent.
    ///
    /// # Errors
    /// [`Error::Stale`], [`Error::WrongInterface`], [`Error::Fail`] of the fabric, or of an earlier put or get that the engine has
    /// refused.
    pub fn md_release<T: Transport>(self, fabric: &mut Fabric<T>, md: MdHandle) -> Result<(), Error> {
        self.md_row(fabric, md)?;
        self.release_md(fabric, md.0)
    }

    pub(super) fn release_md<T: Transport>(self, fabric: &mut Fabric<T>, key: Key) -> Result<(), Error> {
        self.finish_moves(fabric)?;
        fabric.poke(self.tile, PortalsRegister::MdOptions, key.number.into(), &[0])?;
        self.engine(fabric)?.mds.give(key);
        Ok(())
    }

    /// The row of a handle of this interface.
    pub(super) fn md_row<T>(self, fabric: &mut Fabric<T>, md: MdHandle) -> Result<&mut MdRow, Error> {
        self.check_owner("memory descriptor", md.0)?;
        self.engine(fabric)?.mds.row(md.0)
    }
}
