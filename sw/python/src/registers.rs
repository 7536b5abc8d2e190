//! Registers of any node.

use portico::{
    registers::{
        CommandRegister, ControlRegister, CounterRegister, EventRegister, MailboxRegister, MpeRegister, PageRegister,
        Place, PortalsRegister, ProbeRegister, ProgramRegister, ReleaseRegister, SegmentRegister, ShaperRegister,
        StreamRegister, TagRegister,
    },
    Error,
};
use portico_spec::ni::registers::{locate, Block, BLOCK_OFFSET, INDEX_WIDTH, MAP};
use pyo3::{prelude::*, types::PyDict};

use crate::{carrier::Carrier, config::Config, fabric::Fabric, failure::Failure, number};

/// The register map of a tile and the host of a configuration, a dictionary for each register: its `block`, the `item` of which the
/// block has `items`, its `name`, the byte `address` of that of item 0, the `stride` in bytes to the next item's, and its `doc`.
#[pyfunction]
pub(crate) fn registers<'py>(py: Python<'py>, config: &Bound<'py, Config>) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let config = &config.get().0;
    let (base, word) = (config.registers_base(0), config.width as u32 / 8);
    let all = MAP
        .iter()
        .flat_map(|map| map.registers.iter().map(move |register| (map, register)));
    all.map(|(map, register)| {
        let index = (map.block as u32) << BLOCK_OFFSET | register.number as u32;
        let row = PyDict::new(py);
        row.set_item("block", map.block.name())?;
        row.set_item("item", map.item)?;
        row.set_item("items", map.items)?;
        row.set_item("name", register.name)?;
        row.set_item("address", base + index * word)?;
        row.set_item("stride", word << map.number_width)?;
        row.set_item("doc", register.doc)?;
        Ok(row)
    })
    .collect()
}

/// The value to write; None to read.
type Access = Option<u32>;

fn access<P: Place>(
    fabric: &mut portico::Fabric<Carrier>,
    node: usize,
    (item, number): (usize, usize),
    access: Access,
) -> Result<u32, Error> {
    let register = P::from_number(number).expect("the register was found");
    match access {
        None => fabric.peek(node, register, item),
        Some(value) => fabric.poke(node, register, item, &[value]).map(|()| value),
    }
}

/// Accesses the register at a byte address of a node.
fn access_at(fabric: &mut portico::Fabric<Carrier>, node: usize, address: u32, value: Access) -> Result<u32, Failure> {
    // There is such a node.
    fabric.memory_bytes(node)?;
    let unit = fabric.word_bytes();
    if !address.is_multiple_of(unit) {
        let (field, value) = ("address", address.into());
        return Err(Error::Misaligned { field, value, unit }.into());
    }
    let bytes = address.checked_sub(fabric.config().registers_base(node));
    let index = bytes
        .map(|bytes| bytes / unit)
        .filter(|&index| index < 1 << INDEX_WIDTH);
    let (block, item, register) = index
        .and_then(|index| locate(index as u16))
        .ok_or_else(|| Failure::Argument(format!("address = {address:#x} of node {node} is that of no register")))?;
    let of = match block {
        Block::Control => access::<ControlRegister>,
        Block::Command => access::<CommandRegister>,
        Block::Events => access::<EventRegister>,
        Block::Tags => access::<TagRegister>,
        Block::Segments => access::<SegmentRegister>,
        Block::Mailboxes => access::<MailboxRegister>,
        Block::Shapers => access::<ShaperRegister>,
        Block::Program => access::<ProgramRegister>,
        Block::Release => access::<ReleaseRegister>,
        Block::Counters => access::<CounterRegister>,
        Block::Pages => access::<PageRegister>,
        Block::Probe => access::<ProbeRegister>,
        Block::Mpe => access::<MpeRegister>,
        Block::Portals => access::<PortalsRegister>,
        Block::Streams => access::<StreamRegister>,
    };
    Ok(of(fabric, node, (item, register.number), value)?)
}

#[pymethods]
impl Fabric {
    /// Reads the register at a byte address of a node: see registers. A register that is only written, or that the node does not have,
    /// reads 0.
    fn peek(&self, py: Python<'_>, node: &Bound<'_, PyAny>, address: &Bound<'_, PyAny>) -> PyResult<u32> {
        let (node, address) = (number::node("node", node)?, number::word("address", address)?);
        self.shared.call(py, |fabric| access_at(fabric, node, address, None))
    }

    /// Writes the register at a byte address of a node. The driver owns the registers of what it has handed out, and does not notice
    /// such writes.
    fn poke(
        &self,
        py: Python<'_>,
        node: &Bound<'_, PyAny>,
        address: &Bound<'_, PyAny>,
        value: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let (node, address) = (number::node("node", node)?, number::word("address", address)?);
        let value = number::word("value", value)?;
        self.shared
            .call(py, |fabric| access_at(fabric, node, address, Some(value)).map(|_| ()))
    }
}
