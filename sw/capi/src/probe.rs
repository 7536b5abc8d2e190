//! Traffic between tiles, made and measured by hardware; streams between a tile and an accelerator.

use portico::{
    probe::{Target, Traffic},
    streams::{Receive, Send},
};

use crate::{
    handle::{call, portico_fabric, State},
    operation::{initiator, portico_completion, End},
    pointer::{out, structure},
    status::portico_status,
};

/// The target of traffic that goes to any other tile, at random.
pub const PORTICO_ANY_TILE: u32 = 0xffff_ffff;

/// The packets that the source of a tile sends.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portico_traffic {
    /// A tile, or PORTICO_ANY_TILE.
    pub target: u32,
    /// Words of payload of a packet, each of the width of the data plane: 2 to 64.
    pub words: u32,
    /// How many packets.
    pub packets: u32,
    /// Most packets in 65,536 cycles, on average over a run; 0 for as many as possible.
    pub rate: u32,
    /// Decides random targets, and with its low 8 bits the content.
    pub seed: u32,
}

/// Counts of the packets that a tile has sent and received. Counts of 32 bits wrap.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portico_measured {
    /// Packets that its source has sent.
    pub sent: u32,
    /// Packets that have come.
    pub received: u32,
    /// Words of their payload.
    pub words: u32,
    /// Packets that came with a wrong length, sequence number or content.
    pub errors: u32,
    /// The least latency, in cycles from the offer of a packet's head to its tail at the sink; 0 if no packet has come.
    pub latency_least: u32,
    /// The greatest latency.
    pub latency_greatest: u32,
    /// The sum of all latencies.
    pub latency_sum: u64,
    /// Cycle in which the first head came, counted from reset.
    pub first: u32,
    /// Cycle in which the last tail came.
    pub last: u32,
}

/// Rows of a tile's memory that leave on its stream. All values except the count are in bytes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portico_send_rows {
    /// Address of the first row.
    pub address: u32,
    /// Length of a row.
    pub row: u32,
    /// How many rows. 0 stands for 1.
    pub rows: u32,
    /// From row to row.
    pub stride: u32,
    /// Whether the last word of each row has `tlast`, not that of the last row alone.
    pub each_row: bool,
}

/// State of the streams of a tile.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portico_streams_state {
    /// Sends that run, 0 or 1.
    pub sends_running: u32,
    /// Sends that wait.
    pub sends_waiting: u32,
    /// Words of the fabric that the last send that ended has moved.
    pub sent: u32,
    /// Receives that run, 0 or 1.
    pub receives_running: u32,
    /// Receives that wait.
    pub receives_waiting: u32,
    /// Words of the fabric that the last receive that ended has moved.
    pub received: u32,
}

/// Sends traffic from a tile's source. Complete when the last tail is on its way.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_NOT_BUILT without a source/sink core, PORTICO_E_NO_SUCH_NODE, PORTICO_E_DESCRIPTOR of lengths
/// and rates, PORTICO_E_OUT_OF_RANGE, or of the operation as of portico_put().
#[no_mangle]
pub unsafe extern "C" fn portico_send_traffic(
    fabric: *mut portico_fabric,
    tile: u32,
    traffic: *const portico_traffic,
    completion: *const portico_completion,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let given = unsafe { structure("traffic", traffic) }?;
        let end = unsafe { End::read(completion) }?;
        let traffic = Traffic {
            target: match given.target {
                PORTICO_ANY_TILE => Target::Uniform,
                tile => Target::Tile(tile as usize),
            },
            words: given.words,
            packets: given.packets,
            rate: given.rate,
            seed: given.seed,
        };
        let operation = initiator(fabric, tile)?.traffic(&traffic)?;
        end.of(operation, items).map(|_| ())
    })
}

/// Reads the counts of a tile's source and sink.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_NOT_BUILT, PORTICO_E_NO_SUCH_NODE, or the fabric's.
#[no_mangle]
pub unsafe extern "C" fn portico_measure(
    fabric: *mut portico_fabric,
    tile: u32,
    measured: *mut portico_measured,
) -> portico_status {
    call(fabric, |State { fabric, .. }| {
        let out = unsafe { out("measured", measured) }?;
        let found = fabric.measured(tile as usize)?;
        out.set(portico_measured {
            sent: found.sent,
            received: found.received,
            words: found.words,
            errors: found.errors,
            latency_least: found.latency_least.unwrap_or(0),
            latency_greatest: found.latency_greatest,
            latency_sum: found.latency_sum,
            first: found.first,
            last: found.last,
        });
        Ok(())
    })
}

/// Sets the counts of a tile's source and sink to 0.
///
/// Errors: PORTICO_E_NOT_BUILT, PORTICO_E_NO_SUCH_NODE, or the fabric's.
#[no_mangle]
pub extern "C" fn portico_clear_measured(fabric: *mut portico_fabric, tile: u32) -> portico_status {
    call(fabric, |State { fabric, .. }| Ok(fabric.clear_measured(tile as usize)?))
}

/// Moves rows of a tile's memory onto the stream that leaves it. Complete when the accelerator has taken the last word.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_NOT_BUILT, PORTICO_E_DESCRIPTOR of lengths, PORTICO_E_MISALIGNED, PORTICO_E_OUT_OF_MEMORY, or of
/// the operation as of portico_put().
#[no_mangle]
pub unsafe extern "C" fn portico_send(
    fabric: *mut portico_fabric,
    tile: u32,
    rows: *const portico_send_rows,
    completion: *const portico_completion,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let given = unsafe { structure("rows", rows) }?;
        let end = unsafe { End::read(completion) }?;
        let send = Send {
            address: given.address,
            row: given.row,
            rows: given.rows.max(1),
            stride: given.stride,
            each_row: given.each_row,
        };
        let operation = initiator(fabric, tile)?.send(&send)?;
        end.of(operation, items).map(|_| ())
    })
}

/// Moves the stream that comes to a tile into its memory, from byte `address` on, until a word with `tlast` or `length` bytes.
/// Complete when the last word is written.
///
/// Errors: as of portico_send().
#[no_mangle]
pub unsafe extern "C" fn portico_receive(
    fabric: *mut portico_fabric,
    tile: u32,
    address: u32,
    length: u32,
    completion: *const portico_completion,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let end = unsafe { End::read(completion) }?;
        let operation = initiator(fabric, tile)?.receive(&Receive { address, length })?;
        end.of(operation, items).map(|_| ())
    })
}

/// State of the streams of a tile.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_NOT_BUILT, PORTICO_E_NO_SUCH_NODE, or the fabric's.
#[no_mangle]
pub unsafe extern "C" fn portico_streams(
    fabric: *mut portico_fabric,
    tile: u32,
    found: *mut portico_streams_state,
) -> portico_status {
    call(fabric, |State { fabric, .. }| {
        let out = unsafe { out("found", found) }?;
        let streams = fabric.streams(tile as usize)?;
        let ([sends_running, sends_waiting], [receives_running, receives_waiting]) = (streams.sends, streams.receives);
        out.set(portico_streams_state {
            sends_running,
            sends_waiting,
            sent: streams.sent,
            receives_running,
            receives_waiting,
            received: streams.received,
        });
        Ok(())
    })
}
