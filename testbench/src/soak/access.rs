//! Registers of any node, many at once: the host's own puts and gets on a node's system window.

use anyhow::Context;
use portico::{Fabric, Region, Transport};
use portico_spec::ni::{
    descriptor::{Command, Descriptor, Geometry, Transfer},
    registers::{address, address_at, in_memory, Place, SegmentRegister},
    segment,
};

/// Longest time of an access.
const CYCLES: u64 = 100_000;

/// Rows of registers: so many registers side by side, at the same place of some items that follow each other.
#[derive(Clone, Copy)]
pub struct Rows {
    /// Whose.
    pub node: usize,
    /// Byte address of the first.
    pub first: u32,
    /// Items.
    pub items: usize,
    /// Registers of each.
    pub registers: usize,
    /// Registers from item to item.
    pub stride: usize,
}

impl Rows {
    /// So many rows of so many bytes of a memory, one behind the other, from a byte address on; words have 32 bits.
    pub fn of_memory(node: usize, first: u32, rows: u32, bytes: u32) -> Self {
        let registers = bytes as usize / 4;
        Rows {
            node,
            first,
            items: rows as usize,
            registers,
            stride: registers,
        }
    }

    /// `registers` registers of each of `items` items of a node, from `place` of item `first` on.
    pub fn new<T: Transport>(
        fabric: &Fabric<T>,
        node: usize,
        place: impl Place,
        first: usize,
        items: usize,
        registers: usize,
    ) -> Self {
        let byte = |item| address_at(fabric.config(), node, place, item);
        Rows {
            node,
            first: byte(first),
            items,
            registers,
            stride: match items {
                // Behind the last item there is none.
                1 => registers,
                _ => ((byte(first + 1) - byte(first)) / fabric.word_bytes()) as usize,
            },
        }
    }
}

/// Reads the registers.
///
/// # Errors
/// The driver's.
pub fn peek<T: Transport>(fabric: &mut Fabric<T>, staging: Region, rows: Rows) -> anyhow::Result<Vec<u32>> {
    fetch(fabric, staging, rows)?;
    let lanes = fabric.word_bytes() as usize / 4;
    let words = fabric.read(staging.node, staging.base, rows.items * rows.registers * lanes)?;
    Ok(words.into_iter().step_by(lanes).collect())
}

/// Reads the registers into `staging` and leaves them there, which takes the host far less time.
///
/// # Errors
/// The driver's.
pub fn fetch<T: Transport>(fabric: &mut Fabric<T>, staging: Region, rows: Rows) -> anyhow::Result<()> {
    transfer(fabric, staging, rows, 1, Command::Get)
}

/// Writes the registers.
///
/// # Errors
/// The driver's.
pub fn poke<T: Transport>(fabric: &mut Fabric<T>, staging: Region, rows: Rows, values: &[u32]) -> anyhow::Result<()> {
    assert_eq!(values.len(), rows.items * rows.registers);
    let words = in_memory(fabric.config(), values);
    fabric.write(staging.node, staging.base, &words)?;
    transfer(fabric, staging, rows, 1, Command::Put)
}

/// Writes zeros to all rows, of which `staging` holds one.
///
/// # Errors
/// The driver's.
pub fn clear<T: Transport>(fabric: &mut Fabric<T>, staging: Region, rows: Rows) -> anyhow::Result<()> {
    fabric.write(staging.node, staging.base, &vec![0; rows.registers])?;
    transfer(fabric, staging, rows, 0, Command::Put)
}

/// Moves the rows; those in `staging` lie `step` rows apart.
fn transfer<T: Transport>(
    fabric: &mut Fabric<T>,
    staging: Region,
    rows: Rows,
    step: u32,
    command: fn(Transfer) -> Command,
) -> anyhow::Result<()> {
    let config = fabric.config().clone();
    // It is pointed at the node of each access; the driver hands out the low ones first.
    let handle = config.segments - 1;
    let registers = [SegmentRegister::Target, SegmentRegister::Size];
    for (register, value) in registers.into_iter().zip(segment::space(&config, rows.node)) {
        fabric
            .transport()
            .write(address(&config, register, handle) as u32, value)?;
    }
    let word = fabric.word_bytes();
    let row = rows.registers as u32 * word;
    let descriptor = Descriptor {
        segment: handle as u8,
        ..Descriptor::new(command(Transfer {
            remote: rows.first,
            local: staging.base,
            geometry: Geometry::Rows {
                rows: rows.items as u32,
                row,
                local_stride: step * row,
                remote_stride: rows.stride as u32 * word,
            },
        }))
    };
    let words = descriptor.encode(&config)?;
    let done = fabric.host().descriptor::<()>(&words)?.wait(CYCLES);
    done.with_context(|| format!("registers of {} at {:#x}", config.terminal(rows.node), rows.first))
}
