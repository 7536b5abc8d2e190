//! Register writes for unit tests.

use super::RegisterWriteIn;
use portico_spec::ni::registers::{Block as Registers, BLOCK_OFFSET};

/// Sets a register write up for the next clock.
pub(crate) fn write(port: &mut RegisterWriteIn, block: Registers, place: u64, data: u64) {
    port.enable.next = true;
    port.index.next = ((block as u64) << BLOCK_OFFSET | place).into();
    port.data.next = data.into();
}
