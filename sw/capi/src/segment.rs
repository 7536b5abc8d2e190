//! Windows: memory that a node publishes; and segments, by which other nodes reach it.

use portico::onesided::{GlobalId, Remote, Segment, Window};

use crate::{
    completion::initiator,
    event::portico_event,
    handle::{call, handles, portico_fabric},
    pointer::{out, structure},
    status::portico_status,
};

/// Memory that a node has published. It belongs to the thread that has the fabric.
pub struct portico_window;

/// A published window as another node reaches it: a segment handle of that node, the initiator. It belongs to the thread that has
/// the fabric.
pub struct portico_segment;

handles! {
    portico_window: Segment, "window";
    portico_segment: Remote, "segment";
}

/// The memory to publish.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portico_publication {
    /// First byte.
    pub base: u32,
    /// Bytes.
    pub bytes: u32,
    /// Whether streams fill the window, one after the other; else it takes puts, gets and atomics.
    pub stream: bool,
    /// Of a window for streams: bytes of a row; 0 without rows.
    pub row: u32,
    /// From row to row, in bytes.
    pub stride: u32,
    /// An event of the same node in which ends of transfers count. May be NULL.
    pub event: *mut portico_event,
}

/// What is known of a window or a segment.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portico_segment_facts {
    /// The node that has published the memory.
    pub node: u32,
    /// The node that reaches it; of a window the same as `node`.
    pub initiator: u32,
    /// The segment handle of the initiator, as descriptors name it; of a window 0.
    pub handle: u32,
    /// Bytes.
    pub bytes: u32,
}

fn info(id: GlobalId, initiator: usize, handle: u8) -> portico_segment_facts {
    portico_segment_facts {
        node: id.node() as u32,
        initiator: initiator as u32,
        handle: handle.into(),
        bytes: id.bytes(),
    }
}

/// Opens a window of a node, over memory that others may then reach.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_OUT_OF_MEMORY, PORTICO_E_MISALIGNED, PORTICO_E_OUT_OF_RANGE of row and stride,
/// PORTICO_E_WRONG_NODE of the event, PORTICO_E_EXHAUSTED, PORTICO_E_NO_SUCH_NODE, or the fabric's.
#[no_mangle]
pub unsafe extern "C" fn portico_publish(
    fabric: *mut portico_fabric,
    node: u32,
    publication: *const portico_publication,
    window: *mut *mut portico_window,
) -> portico_status {
    call(fabric, |state| {
        let out = unsafe { out("window", window) }?;
        let wanted = unsafe { structure("publication", publication) }?;
        let mut window = match wanted.stream {
            true => Window::stream(wanted.base, wanted.bytes).rows(wanted.row, wanted.stride),
            false => Window::new(wanted.base, wanted.bytes),
        };
        if let Some(event) = state.items.optional(wanted.event)? {
            window = window.notifying(event);
        }
        let published = state.fabric.publish(node as usize, window)?;
        out.set(state.items.add(published));
        Ok(())
    })
}

/// What is known of a window.
///
/// Errors: PORTICO_E_NULL.
#[no_mangle]
pub unsafe extern "C" fn portico_window_info(
    fabric: *mut portico_fabric,
    window: *mut portico_window,
    about: *mut portico_segment_facts,
) -> portico_status {
    call(fabric, |state| {
        let out = unsafe { out("about", about) }?;
        let id = state.items.get(window)?.id();
        out.set(info(id, id.node(), 0));
        Ok(())
    })
}

/// Ends of transfers since the window was published, modulo 65,536.
///
/// Errors: PORTICO_E_NULL, or the fabric's.
#[no_mangle]
pub unsafe extern "C" fn portico_window_ends(
    fabric: *mut portico_fabric,
    window: *mut portico_window,
    ends: *mut u16,
) -> portico_status {
    call(fabric, |state| {
        let out = unsafe { out("ends", ends) }?;
        out.set(state.items.get(window)?.ends(&mut state.fabric)?);
        Ok(())
    })
}

/// Puts the pointer of a window for streams back to the first byte.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_WRONG_KIND if the window takes no streams, or the fabric's.
#[no_mangle]
pub extern "C" fn portico_window_rewind(fabric: *mut portico_fabric, window: *mut portico_window) -> portico_status {
    call(fabric, |state| {
        Ok(state.items.get(window)?.rewind(&mut state.fabric)?)
    })
}

/// Closes a window: it refuses all later packets. The handle is stale then, also after an error of the fabric.
///
/// Errors: PORTICO_E_NULL, or the fabric's.
#[no_mangle]
pub extern "C" fn portico_window_withdraw(fabric: *mut portico_fabric, window: *mut portico_window) -> portico_status {
    call(fabric, |state| {
        Ok(state.items.take(window)?.withdraw(&mut state.fabric)?)
    })
}

/// Makes a window known to a node: a tile, or the host.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_EXHAUSTED, PORTICO_E_NO_SUCH_NODE, PORTICO_E_NO_WAY from an edge node to itself, or the
/// fabric's.
#[no_mangle]
pub unsafe extern "C" fn portico_clone_segment(
    fabric: *mut portico_fabric,
    node: u32,
    window: *mut portico_window,
    segment: *mut *mut portico_segment,
) -> portico_status {
    call(fabric, |state| {
        let out = unsafe { out("segment", segment) }?;
        let id = state.items.get(window)?.id();
        let remote = initiator(&mut state.fabric, node)?.clone_segment(id)?;
        out.set(state.items.add(remote));
        Ok(())
    })
}

/// What is known of a segment.
///
/// Errors: PORTICO_E_NULL.
#[no_mangle]
pub unsafe extern "C" fn portico_segment_info(
    fabric: *mut portico_fabric,
    segment: *mut portico_segment,
    about: *mut portico_segment_facts,
) -> portico_status {
    call(fabric, |state| {
        let out = unsafe { out("about", about) }?;
        let remote = state.items.get(segment)?;
        out.set(info(remote.id(), remote.initiator(), remote.handle()));
        Ok(())
    })
}

/// Releases a segment. Its operations should be complete: see portico_fence(). The handle is stale then, also after an error of
/// the fabric.
///
/// Errors: PORTICO_E_NULL, or the fabric's.
#[no_mangle]
pub extern "C" fn portico_segment_release(
    fabric: *mut portico_fabric,
    segment: *mut portico_segment,
) -> portico_status {
    call(fabric, |state| {
        Ok(state.items.take(segment)?.release(&mut state.fabric)?)
    })
}
