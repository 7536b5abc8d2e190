//! Traffic between tiles, made and measured by hardware.

use portico::probe::{Target, Traffic};

use crate::{
    completion::{initiator, portico_completion, End},
    handle::{call, portico_fabric, State},
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
