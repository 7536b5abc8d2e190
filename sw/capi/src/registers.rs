//! Registers of any node, and the monitor's counters.

use portico::{
    registers::{
        CommandRegister, ControlRegister, CounterRegister, EventRegister, MailboxRegister, MpeRegister, PageRegister,
        Place, PortalsRegister, ProbeRegister, ProgramRegister, ReleaseRegister, SegmentRegister, ShaperRegister,
        StreamRegister, TagRegister,
    },
    Error, Fabric,
};
use portico_spec::ni::registers::{locate, Block, INDEX_WIDTH};

use crate::{
    carrier::Carrier,
    handle::{call, portico_fabric, State},
    pointer::{array, out},
    status::{portico_status, Failure},
};

/// The monitor's counters of a node, which wrap. On the reference model only `refused` and `dropped` count, because it has no time.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portico_counters {
    /// Cycles since reset.
    pub cycles: u32,
    /// Flits that came on the data plane.
    pub data_in: u32,
    /// Flits that went on the data plane.
    pub data_out: u32,
    /// Flits that came on the control plane.
    pub control_in: u32,
    /// Flits that went on the control plane.
    pub control_out: u32,
    /// Cycles in which a flit of the data plane could not go.
    pub data_stalls: u32,
    /// Words from the network that were refused.
    pub refused: u32,
    /// Descriptors that did not fit the queue.
    pub dropped: u32,
    /// Cycles in which a micro-core ran; at a memory node, in which a get was served.
    pub running: u32,
    /// Cycles in which every active micro-core waited.
    pub waiting: u32,
    /// Errors of external memory; of memory nodes alone.
    pub memory_errors: u32,
    /// Cycles in which an engine had work.
    pub engines_run: u32,
    /// Cycles in which an engine had work and waited.
    pub engines_wait: u32,
}

/// What is done with a register: its values are written, or one is read.
enum Access<'w> {
    Read,
    Write(&'w [u32]),
}

impl Access<'_> {
    fn at<P: Place>(self, fabric: &mut Fabric<Carrier>, node: usize, number: usize, item: usize) -> Result<u32, Error> {
        let register = P::from_number(number).expect("the register was found");
        match self {
            Access::Read => fabric.peek(node, register, item),
            Access::Write(values) => fabric.poke(node, register, item, values).map(|()| 0),
        }
    }

    /// Accesses the register at a byte address of a node.
    fn of(self, fabric: &mut Fabric<Carrier>, node: u32, address: u32) -> Result<u32, Failure> {
        let node = node as usize;
        // There is such a node.
        fabric.memory_bytes(node)?;
        let unit = fabric.word_bytes();
        if !address.is_multiple_of(unit) {
            let (field, value) = ("address", address.into());
            return Err(Error::Misaligned { field, value, unit }.into());
        }
        let index = address.checked_sub(fabric.config().registers_base(node));
        let index = index
            .map(|bytes| bytes / unit)
            .filter(|&index| index < 1 << INDEX_WIDTH);
        let found = index.and_then(|index| locate(index as u16));
        let (block, item, register) = found.ok_or_else(|| {
            Failure::new(
                portico_status::PORTICO_E_ARGUMENT,
                format_args!("address = {address:#x} of node {node} is that of no register"),
            )
        })?;
        let number = register.number;
        Ok(match block {
            Block::Control => self.at::<ControlRegister>(fabric, node, number, item),
            Block::Command => self.at::<CommandRegister>(fabric, node, number, item),
            Block::Events => self.at::<EventRegister>(fabric, node, number, item),
            Block::Tags => self.at::<TagRegister>(fabric, node, number, item),
            Block::Segments => self.at::<SegmentRegister>(fabric, node, number, item),
            Block::Mailboxes => self.at::<MailboxRegister>(fabric, node, number, item),
            Block::Shapers => self.at::<ShaperRegister>(fabric, node, number, item),
            Block::Program => self.at::<ProgramRegister>(fabric, node, number, item),
            Block::Release => self.at::<ReleaseRegister>(fabric, node, number, item),
            Block::Counters => self.at::<CounterRegister>(fabric, node, number, item),
            Block::Pages => self.at::<PageRegister>(fabric, node, number, item),
            Block::Probe => self.at::<ProbeRegister>(fabric, node, number, item),
            Block::Mpe => self.at::<MpeRegister>(fabric, node, number, item),
            Block::Portals => self.at::<PortalsRegister>(fabric, node, number, item),
            Block::Streams => self.at::<StreamRegister>(fabric, node, number, item),
        }?)
    }
}

/// Reads a register of a node, at the byte address that the header of `portico registers --form c` gives it. The library owns the
/// registers of what it has handed out.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_ARGUMENT if there is no register at the address, PORTICO_E_MISALIGNED,
/// PORTICO_E_OUT_OF_RANGE, PORTICO_E_NOT_BUILT, PORTICO_E_NO_SUCH_NODE, PORTICO_E_TIMEOUT, PORTICO_E_TRANSPORT.
#[no_mangle]
pub unsafe extern "C" fn portico_register_peek(
    fabric: *mut portico_fabric,
    node: u32,
    address: u32,
    value: *mut u32,
) -> portico_status {
    call(fabric, |State { fabric, .. }| {
        let out = unsafe { out("value", value) }?;
        out.set(Access::Read.of(fabric, node, address)?);
        Ok(())
    })
}

/// Writes a register of a node, and `count` - 1 registers that follow it in its block, with one put. The library does not notice
/// it.
///
/// Errors: as of portico_register_peek(), and PORTICO_E_OUT_OF_RANGE if fewer follow.
#[no_mangle]
pub unsafe extern "C" fn portico_register_poke(
    fabric: *mut portico_fabric,
    node: u32,
    address: u32,
    values: *const u32,
    count: usize,
) -> portico_status {
    call(fabric, |State { fabric, .. }| {
        let values = unsafe { array("values", values, count) }?;
        Access::Write(values).of(fabric, node, address).map(|_| ())
    })
}

/// The monitor's counters of a node.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_NO_SUCH_NODE, PORTICO_E_TIMEOUT, PORTICO_E_TRANSPORT.
#[no_mangle]
pub unsafe extern "C" fn portico_count(
    fabric: *mut portico_fabric,
    node: u32,
    counters: *mut portico_counters,
) -> portico_status {
    call(fabric, |State { fabric, .. }| {
        let out = unsafe { out("counters", counters) }?;
        let found = fabric.counters(node as usize)?;
        out.set(portico_counters {
            cycles: found[CounterRegister::Cycles],
            data_in: found[CounterRegister::DataIn],
            data_out: found[CounterRegister::DataOut],
            control_in: found[CounterRegister::ControlIn],
            control_out: found[CounterRegister::ControlOut],
            data_stalls: found[CounterRegister::DataStalls],
            refused: found[CounterRegister::Refused],
            dropped: found[CounterRegister::Dropped],
            running: found[CounterRegister::Running],
            waiting: found[CounterRegister::Waiting],
            memory_errors: found[CounterRegister::MemoryErrors],
            engines_run: found[CounterRegister::EnginesRun],
            engines_wait: found[CounterRegister::EnginesWait],
        });
        Ok(())
    })
}
