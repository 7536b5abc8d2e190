//! Packet shapers: the length and the rate of packets.

use portico_spec::{flit::MAX_PAYLOAD_FLITS, ni::shaper::RATE_WIDTH};

use crate::{registers::ShaperRegister, Error, Fabric, Transport};

use super::Initiator;

/// Settings of a packet shaper. The rate acts between packets: a packet may begin when the rate has paid for the packets before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shaper {
    /// Most flits of payload of a packet, 1..=64.
    pub maximum: u32,
    /// Flits that may pass in 256 cycles, 0..=511; 0 for any number.
    pub rate: u32,
    /// Flits that may pass at once after a pause, 0..=511.
    pub burst: u32,
}

/// As after reset: the longest packets, at any rate.
impl Default for Shaper {
    fn default() -> Shaper {
        Shaper {
            maximum: MAX_PAYLOAD_FLITS as u32,
            rate: 0,
            burst: 0,
        }
    }
}

/// Whether the node has this shaper.
pub(super) fn check_number<T>(fabric: &Fabric<T>, node: usize, shaper: u8) -> Result<(), Error> {
    Error::check_range("shaper", shaper.into(), 0, fabric.nodes[node].build.shapers as u64 - 1)
}

impl<T: Transport> Initiator<'_, T> {
    /// Sets one of the node's packet shapers; operations take number 0 unless they
    /// [name another](super::Operation::shaper).
    ///
    /// # Errors
    /// [`Error::OutOfRange`], or the fabric's.
    pub fn set_shaper(&mut self, number: u8, shaper: Shaper) -> Result<(), Error> {
        let Shaper { maximum, rate, burst } = shaper;
        let most = (1 << RATE_WIDTH) - 1;
        check_number(self.fabric, self.node, number)?;
        Error::check_range("maximum of a shaper", maximum.into(), 1, MAX_PAYLOAD_FLITS as u64)?;
        Error::check_range("rate of a shaper", rate.into(), 0, most)?;
        Error::check_range("burst of a shaper", burst.into(), 0, most)?;
        let registers = [
            (ShaperRegister::Maximum, maximum),
            (ShaperRegister::Rate, rate),
            (ShaperRegister::Burst, burst),
        ];
        self.fabric.poke_item(self.node, number.into(), registers)
    }
}
