//! Streams of words between a tile and an accelerator beside it.

use portico::streams::{Receive, Send};

use crate::{
    completion::{initiator, portico_completion, End},
    handle::{call, portico_fabric, State},
    pointer::{out, structure},
    status::portico_status,
};

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
