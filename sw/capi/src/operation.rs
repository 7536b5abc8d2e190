//! One-sided operations: put, get, stream, fence, and any descriptor.

use portico::{
    onesided::{Geometry, Initiator, Operation, Remote, Shaper, Strides},
    Error,
};

use crate::{
    carrier::Carrier,
    completion::{initiator, portico_completion, End},
    handle::{call, portico_fabric, State},
    pointer::{array, out, structure},
    segment::portico_segment,
    status::{portico_status, Failure},
};

/// Bytes from one row or plane to the next.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portico_strides {
    /// In the segment.
    pub remote: u32,
    /// In the initiator's memory.
    pub local: u32,
}

/// Which bytes a transfer moves, in one to three dimensions. All values except the counts are in bytes: whole words of the
/// fabric, at most 65,535 of each. A count of 0 stands for 1, so that `{ .row = 16 }` is 16 bytes that lie together.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portico_geometry {
    /// Bytes that lie together at both sides. With 0 nothing is moved, and the transfer still completes.
    pub row: u32,
    /// Rows of a plane.
    pub rows: u32,
    /// From row to row.
    pub row_strides: portico_strides,
    /// Planes.
    pub planes: u32,
    /// From plane to plane.
    pub plane_strides: portico_strides,
}

impl portico_geometry {
    fn moved(self) -> Geometry {
        let strides = |portico_strides { remote, local }| Strides { remote, local };
        Geometry {
            row: self.row,
            rows: self.rows.max(1),
            row_strides: strides(self.row_strides),
            planes: self.planes.max(1),
            plane_strides: strides(self.plane_strides),
        }
    }
}

/// Settings of a packet shaper.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portico_shaper {
    /// Most flits of payload of a packet, 1 to 64.
    pub maximum: u32,
    /// Flits that may pass in 256 cycles, 0 to 511; 0 for any number.
    pub rate: u32,
    /// Flits that may pass at once after a pause, 0 to 511.
    pub burst: u32,
}

/// Prepares an operation of a segment's initiator, and completes it.
fn with_segment<'s>(
    state: &'s mut State,
    segment: *mut portico_segment,
    end: End,
    prepare: impl FnOnce(Initiator<'s, Carrier>, &Remote) -> Result<Operation<'s, Carrier, ()>, Error>,
) -> Result<(), Failure> {
    let State { fabric, items } = state;
    let remote = items.get(segment)?;
    let operation = prepare(initiator(fabric, remote.initiator() as u32)?, remote)?;
    end.of(operation, items).map(|_| ())
}

/// Writes memory of the segment's initiator, from byte `local` on, to the segment, from byte `offset` on.
///
/// Errors, before anything is sent: PORTICO_E_NULL, PORTICO_E_OUT_OF_SEGMENT, PORTICO_E_OUT_OF_MEMORY, PORTICO_E_DESCRIPTOR of
/// addresses and geometry, PORTICO_E_WRONG_KIND, PORTICO_E_WRONG_NODE of the event, PORTICO_E_EXHAUSTED of events. Of the
/// operation: PORTICO_E_REFUSED, PORTICO_E_TIMEOUT, PORTICO_E_TRANSPORT.
#[no_mangle]
pub unsafe extern "C" fn portico_put(
    fabric: *mut portico_fabric,
    segment: *mut portico_segment,
    offset: u32,
    local: u32,
    geometry: *const portico_geometry,
    completion: *const portico_completion,
) -> portico_status {
    call(fabric, |state| {
        let geometry = unsafe { structure("geometry", geometry) }?.moved();
        let end = unsafe { End::read(completion) }?;
        with_segment(state, segment, end, |node, remote| {
            node.put(remote, offset, local, geometry)
        })
    })
}

/// Reads the segment, from byte `offset` on, into memory of its initiator, from byte `local` on.
///
/// Errors: as of portico_put().
#[no_mangle]
pub unsafe extern "C" fn portico_get(
    fabric: *mut portico_fabric,
    segment: *mut portico_segment,
    offset: u32,
    local: u32,
    geometry: *const portico_geometry,
    completion: *const portico_completion,
) -> portico_status {
    call(fabric, |state| {
        let geometry = unsafe { structure("geometry", geometry) }?.moved();
        let end = unsafe { End::read(completion) }?;
        with_segment(state, segment, end, |node, remote| {
            node.get(remote, offset, local, geometry)
        })
    })
}

/// Appends memory of the segment's initiator to a window for streams. Complete when it is sent: streams are not acknowledged.
///
/// Errors: as of portico_put(); PORTICO_E_DESCRIPTOR of planes.
#[no_mangle]
pub unsafe extern "C" fn portico_stream(
    fabric: *mut portico_fabric,
    segment: *mut portico_segment,
    local: u32,
    geometry: *const portico_geometry,
    completion: *const portico_completion,
) -> portico_status {
    call(fabric, |state| {
        let geometry = unsafe { structure("geometry", geometry) }?.moved();
        let end = unsafe { End::read(completion) }?;
        with_segment(state, segment, end, |node, remote| node.stream(remote, local, geometry))
    })
}

/// Complete when all earlier operations of the segment's initiator on the segment are visible there.
///
/// Errors: PORTICO_E_NULL, or of the operation as of portico_put().
#[no_mangle]
pub unsafe extern "C" fn portico_fence(
    fabric: *mut portico_fabric,
    segment: *mut portico_segment,
    completion: *const portico_completion,
) -> portico_status {
    call(fabric, |state| {
        let end = unsafe { End::read(completion) }?;
        with_segment(state, segment, end, |node, remote| node.fence(remote))
    })
}

/// Sends any descriptor of `count` words from a node; the library sets only its event. For commands without a function here. The
/// command must count in its event exactly once. `value` gets the value of its event if the call waits, else 0.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_OUT_OF_RANGE unless it has 1 to 16 words, PORTICO_E_NO_SUCH_NODE, or of the operation as of
/// portico_put().
#[no_mangle]
pub unsafe extern "C" fn portico_descriptor(
    fabric: *mut portico_fabric,
    node: u32,
    words: *const u32,
    count: usize,
    completion: *const portico_completion,
    value: *mut u64,
) -> portico_status {
    call(fabric, |state| {
        let out = unsafe { out("value", value) }?;
        let words = unsafe { array("words", words, count) }?;
        let end = unsafe { End::read(completion) }?;
        let State { fabric, items } = state;
        let operation = initiator(fabric, node)?.descriptor::<u64>(words)?;
        out.set(end.of(operation, items)?);
        Ok(())
    })
}

/// Sets one of a node's packet shapers. Operations take number 0 unless their completion names another.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_OUT_OF_RANGE, PORTICO_E_NO_SUCH_NODE, or the fabric's.
#[no_mangle]
pub unsafe extern "C" fn portico_set_shaper(
    fabric: *mut portico_fabric,
    node: u32,
    number: u8,
    shaper: *const portico_shaper,
) -> portico_status {
    call(fabric, |state| {
        let portico_shaper { maximum, rate, burst } = unsafe { structure("shaper", shaper) }?;
        let shaper = Shaper { maximum, rate, burst };
        Ok(initiator(&mut state.fabric, node)?.set_shaper(number, shaper)?)
    })
}
