//! Nodes and their memory.

use portico::{check_port, check_streams, Error, Region, Transport};

use crate::{
    handle::{call, portico_fabric},
    pointer::{array, out, out_array, structure},
    status::portico_status,
};

/// Memory of a node that portico_allocate() has handed out.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portico_region {
    /// Whose memory.
    pub node: u32,
    /// First byte, a multiple of 8.
    pub base: u32,
    /// Bytes, a multiple of 8.
    pub bytes: u32,
}

/// Numbers from `first` on, up to `end`, which is none of them.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portico_range {
    /// The first number.
    pub first: u32,
    /// The number behind the last.
    pub end: u32,
}

impl portico_range {
    fn numbers(self) -> std::ops::Range<usize> {
        self.first as usize..self.end as usize
    }
}

/// What portico_reserve() leaves to a master at the port of a tile.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portico_reservation {
    /// Windows.
    pub windows: portico_range,
    /// Segment handles.
    pub segments: portico_range,
    /// Events.
    pub events: portico_range,
    /// Bytes of memory, multiples of 8.
    pub bytes: portico_range,
}

/// Reads `count` words of 32 bits of a node's memory, from byte `address` on.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_MISALIGNED, PORTICO_E_OUT_OF_MEMORY, PORTICO_E_NO_SUCH_NODE, PORTICO_E_TIMEOUT,
/// PORTICO_E_TRANSPORT.
#[no_mangle]
pub unsafe extern "C" fn portico_read(
    fabric: *mut portico_fabric,
    node: u32,
    address: u32,
    words: *mut u32,
    count: usize,
) -> portico_status {
    call(fabric, |state| {
        let words = unsafe { out_array("words", words, count) }?;
        words.set(&state.fabric.read(node as usize, address, count)?);
        Ok(())
    })
}

/// Writes `count` words of 32 bits of a node's memory, from byte `address` on.
///
/// Errors: as of portico_read(); nothing is written unless the fabric itself fails.
#[no_mangle]
pub unsafe extern "C" fn portico_write(
    fabric: *mut portico_fabric,
    node: u32,
    address: u32,
    words: *const u32,
    count: usize,
) -> portico_status {
    call(fabric, |state| {
        let words = unsafe { array("words", words, count) }?;
        Ok(state.fabric.write(node as usize, address, words)?)
    })
}

/// Takes memory of a node, in multiples of 8 bytes.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_OUT_OF_RANGE, PORTICO_E_EXHAUSTED, PORTICO_E_NO_SUCH_NODE.
#[no_mangle]
pub unsafe extern "C" fn portico_allocate(
    fabric: *mut portico_fabric,
    node: u32,
    bytes: u32,
    region: *mut portico_region,
) -> portico_status {
    call(fabric, |state| {
        let out = unsafe { out("region", region) }?;
        let Region { node, base, bytes } = state.fabric.allocate(node as usize, bytes)?;
        let node = node as u32;
        out.set(portico_region { node, base, bytes });
        Ok(())
    })
}

/// Gives memory back.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_NOT_ALLOCATED, PORTICO_E_NO_SUCH_NODE.
#[no_mangle]
pub unsafe extern "C" fn portico_free(fabric: *mut portico_fabric, region: *const portico_region) -> portico_status {
    call(fabric, |state| {
        let portico_region { node, base, bytes } = unsafe { structure("region", region) }?;
        let node = node as usize;
        Ok(state.fabric.free(Region { node, base, bytes })?)
    })
}

/// Leaves windows, segments, events and bytes of memory of a tile to a master at its port: the library hands none of them out
/// until the fabric is opened anew.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_NO_SUCH_NODE of a node that is no tile, PORTICO_E_NOT_BUILT without ports,
/// PORTICO_E_OUT_OF_RANGE, PORTICO_E_OUT_OF_MEMORY, PORTICO_E_MISALIGNED, PORTICO_E_TAKEN. Nothing is reserved then.
#[no_mangle]
pub unsafe extern "C" fn portico_reserve(
    fabric: *mut portico_fabric,
    tile: u32,
    reservation: *const portico_reservation,
) -> portico_status {
    call(fabric, |state| {
        let wanted = unsafe { structure("reservation", reservation) }?;
        Ok(state.fabric.reserve(
            tile as usize,
            wanted.windows.numbers(),
            wanted.segments.numbers(),
            wanted.events.numbers(),
            wanted.bytes.first..wanted.bytes.end,
        )?)
    })
}

/// Moves a page of a memory node: its words are then those of external memory from byte `base` on.
///
/// Errors: PORTICO_E_OUT_OF_RANGE of the page, PORTICO_E_MISALIGNED, PORTICO_E_PAGE_OUT_OF_REACH unless all of the page has
/// addresses (key `memory_address`), PORTICO_E_NO_MEMORY_NODE, PORTICO_E_NO_SUCH_NODE, PORTICO_E_TIMEOUT, PORTICO_E_TRANSPORT.
#[no_mangle]
pub extern "C" fn portico_move_page(fabric: *mut portico_fabric, node: u32, page: u32, base: u64) -> portico_status {
    call(fabric, |state| {
        Ok(state.fabric.move_page(node as usize, page as usize, base)?)
    })
}

/// Bytes of a node's memory.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_NO_SUCH_NODE.
#[no_mangle]
pub unsafe extern "C" fn portico_memory_bytes(
    fabric: *mut portico_fabric,
    node: u32,
    bytes: *mut u32,
) -> portico_status {
    call(fabric, |state| {
        let out = unsafe { out("bytes", bytes) }?;
        out.set(state.fabric.memory_bytes(node as usize)?);
        Ok(())
    })
}

/// Bytes of a word of the fabric: addresses and lengths are multiples of it.
///
/// Errors: PORTICO_E_NULL.
#[no_mangle]
pub unsafe extern "C" fn portico_word_bytes(fabric: *mut portico_fabric, bytes: *mut u32) -> portico_status {
    call(fabric, |state| {
        unsafe { out("bytes", bytes) }?.set(state.fabric.word_bytes());
        Ok(())
    })
}

/// The node through which the library works. Tiles have the numbers below it.
///
/// Errors: PORTICO_E_NULL.
#[no_mangle]
pub unsafe extern "C" fn portico_host_node(fabric: *mut portico_fabric, node: *mut u32) -> portico_status {
    call(fabric, |state| {
        unsafe { out("node", node) }?.set(state.fabric.host_node() as u32);
        Ok(())
    })
}

/// Sets the cycles that an access of the library may take: to memory and registers of nodes, and to get room for a command.
#[no_mangle]
pub extern "C" fn portico_set_timeout(fabric: *mut portico_fabric, cycles: u64) -> portico_status {
    call(fabric, |state| {
        state.fabric.set_timeout(cycles);
        Ok(())
    })
}

/// Cycles as the transport counts them, since some moment in the past.
///
/// Errors: PORTICO_E_NULL.
#[no_mangle]
pub unsafe extern "C" fn portico_cycles(fabric: *mut portico_fabric, cycles: *mut u64) -> portico_status {
    call(fabric, |state| {
        unsafe { out("cycles", cycles) }?.set(state.fabric.transport().cycles());
        Ok(())
    })
}

/// Most cycles that a call lets pass: a transport's clock of 64 bits does not wrap then.
const LONGEST_WAIT: u64 = 1 << 40;

/// Lets so many cycles pass, at most 2^40.
///
/// Errors: PORTICO_E_OUT_OF_RANGE.
#[no_mangle]
pub extern "C" fn portico_wait(fabric: *mut portico_fabric, cycles: u64) -> portico_status {
    call(fabric, |state| {
        if cycles > LONGEST_WAIT {
            let (field, value, min, max) = ("cycles", cycles, 0, LONGEST_WAIT);
            return Err(Error::OutOfRange { field, value, min, max }.into());
        }
        state.fabric.transport().wait(cycles);
        Ok(())
    })
}

/// Whether the host node interrupts now.
///
/// Errors: PORTICO_E_NULL.
#[no_mangle]
pub unsafe extern "C" fn portico_interrupt(fabric: *mut portico_fabric, interrupts: *mut bool) -> portico_status {
    call(fabric, |state| {
        unsafe { out("interrupts", interrupts) }?.set(state.fabric.transport().interrupt());
        Ok(())
    })
}

/// Whether there is an AXI4-Lite port at this tile.
///
/// Errors: PORTICO_E_NO_SUCH_NODE, PORTICO_E_NOT_BUILT.
#[no_mangle]
pub extern "C" fn portico_check_port(fabric: *mut portico_fabric, tile: u32) -> portico_status {
    call(fabric, |state| Ok(check_port(state.fabric.config(), tile as usize)?))
}

/// Whether there are streams at this tile.
///
/// Errors: PORTICO_E_NO_SUCH_NODE, PORTICO_E_NOT_BUILT.
#[no_mangle]
pub extern "C" fn portico_check_streams(fabric: *mut portico_fabric, tile: u32) -> portico_status {
    call(fabric, |state| Ok(check_streams(state.fabric.config(), tile as usize)?))
}
