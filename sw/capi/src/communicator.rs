//! Communicators: groups of tiles with message-passing engines.

use portico::{collective::Communicator, Error};

use crate::{
    group::{portico_shape, rank, shape, tiles, PORTICO_NO_RANK},
    handle::{call, handles, portico_fabric, State},
    pointer::{array, out, out_array},
    status::portico_status,
};

/// A group of tiles that make calls by their message-passing engines. It belongs to the thread that has the fabric.
pub struct portico_communicator;

handles! {
    portico_communicator: Communicator, "communicator";
}

/// What is known of a communicator.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portico_communicator_facts {
    /// How many members it has.
    pub size: u32,
    /// Its context: an item of the registers of the engine at every member.
    pub context: u32,
    /// The least time-out of portico_communicator_timeout(), in cycles.
    pub least_timeout: u32,
}

/// Makes a communicator of `count` tiles, in the order of their ranks.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_ARGUMENT of the shape, PORTICO_E_OUT_OF_RANGE, PORTICO_E_TREE, PORTICO_E_NOT_BUILT where a
/// tile has no message-passing engine, PORTICO_E_NO_CONTEXT, PORTICO_E_TIMEOUT if no context becomes idle, or the fabric's.
#[no_mangle]
pub unsafe extern "C" fn portico_communicator_new(
    fabric: *mut portico_fabric,
    members: *const u32,
    count: usize,
    joined: *const portico_shape,
    communicator: *mut *mut portico_communicator,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let out = unsafe { out("communicator", communicator) }?;
        let (tiles, shape) = unsafe { (tiles(members, count)?, shape(joined)?) };
        out.set(items.add(fabric.communicator(&tiles, &shape)?));
        Ok(())
    })
}

/// Makes a communicator of all tiles. The rank of a tile is its number.
///
/// Errors: as of portico_communicator_new().
#[no_mangle]
pub unsafe extern "C" fn portico_communicator_world(
    fabric: *mut portico_fabric,
    joined: *const portico_shape,
    communicator: *mut *mut portico_communicator,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let out = unsafe { out("communicator", communicator) }?;
        let shape = unsafe { shape(joined) }?;
        out.set(items.add(fabric.world(&shape)?));
        Ok(())
    })
}

/// Makes another communicator with the same members, ranks and shape, and a context of its own.
///
/// Errors: as of portico_communicator_new().
#[no_mangle]
pub unsafe extern "C" fn portico_communicator_dup(
    fabric: *mut portico_fabric,
    communicator: *mut portico_communicator,
    copy: *mut *mut portico_communicator,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let out = unsafe { out("copy", copy) }?;
        let made = items.get(communicator)?.dup(fabric)?;
        out.set(items.add(made));
        Ok(())
    })
}

/// Makes a communicator of each set of members with the same color. Its ranks are in the order of the keys, and those of the same
/// key in the order of their ranks here. `colors`, `keys` and `parts` have an element for each rank. `parts` gets the communicator
/// of each; members of one have the same handle, to be freed once. A color PORTICO_NO_RANK is in none, and gets NULL.
///
/// Errors: as of portico_communicator_new(), and PORTICO_E_OUT_OF_RANGE of `count`: none is made.
#[no_mangle]
pub unsafe extern "C" fn portico_communicator_split(
    fabric: *mut portico_fabric,
    communicator: *mut portico_communicator,
    joined: *const portico_shape,
    colors: *const u32,
    keys: *const u32,
    count: usize,
    parts: *mut *mut portico_communicator,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let out = unsafe { out_array("parts", parts, count) }?;
        let shape = unsafe { shape(joined) }?;
        let (colors, keys) = unsafe { (array("colors", colors, count)?, array("keys", keys, count)?) };
        let parted = items.get(communicator)?;
        let (field, value, size) = ("number of colors", count as u64, parted.size() as u64);
        if value != size {
            let (min, max) = (size, size);
            return Err(Error::OutOfRange { field, value, min, max }.into());
        }
        let by = |rank: usize| (colors[rank] != PORTICO_NO_RANK).then_some((colors[rank], keys[rank]));
        let members = parted.tiles().to_vec();
        let made = parted.split(fabric, &shape, by)?;
        let mut handles = vec![std::ptr::null_mut(); count];
        for part in made {
            let ranks: Vec<usize> = (0..count).filter(|&rank| part.rank(members[rank]).is_some()).collect();
            let handle = items.add(part);
            ranks.into_iter().for_each(|rank| handles[rank] = handle);
        }
        out.set(&handles);
        Ok(())
    })
}

/// What is known of a communicator.
///
/// Errors: PORTICO_E_NULL.
#[no_mangle]
pub unsafe extern "C" fn portico_communicator_info(
    fabric: *mut portico_fabric,
    communicator: *mut portico_communicator,
    facts: *mut portico_communicator_facts,
) -> portico_status {
    call(fabric, |state| {
        let out = unsafe { out("facts", facts) }?;
        let communicator = state.items.get(communicator)?;
        out.set(portico_communicator_facts {
            size: communicator.size() as u32,
            context: communicator.context() as u32,
            least_timeout: communicator.least_timeout(),
        });
        Ok(())
    })
}

/// The members of a communicator by rank, into an array with room for `count`, at least its size.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_SHORT_BUFFER.
#[no_mangle]
pub unsafe extern "C" fn portico_communicator_tiles(
    fabric: *mut portico_fabric,
    communicator: *mut portico_communicator,
    members: *mut u32,
    count: usize,
) -> portico_status {
    call(fabric, |state| {
        let out = unsafe { out_array("members", members, count) }?;
        let communicator = state.items.get(communicator)?;
        out.check_room("members", communicator.size())?;
        let tiles: Vec<u32> = communicator.tiles().iter().map(|&tile| tile as u32).collect();
        out.set(&tiles);
        Ok(())
    })
}

/// The rank of a tile; PORTICO_NO_RANK if it is no member.
///
/// Errors: PORTICO_E_NULL.
#[no_mangle]
pub unsafe extern "C" fn portico_communicator_rank(
    fabric: *mut portico_fabric,
    communicator: *mut portico_communicator,
    tile: u32,
    own: *mut u32,
) -> portico_status {
    call(fabric, |state| {
        let out = unsafe { out("own", own) }?;
        out.set(rank(state.items.get(communicator)?.rank(tile as usize)));
        Ok(())
    })
}

/// How long a call may stand still at a member before it fails there, in cycles of the fabric; 0 for ever.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_SHORT_TIMEOUT below the least, or the fabric's.
#[no_mangle]
pub extern "C" fn portico_communicator_timeout(
    fabric: *mut portico_fabric,
    communicator: *mut portico_communicator,
    cycles: u32,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        Ok(items.get(communicator)?.timeout(fabric, cycles)?)
    })
}

/// Makes a communicator usable again after a call of it has failed, or does not end, within so many cycles. Its calls under way end
/// with PORTICO_E_COMMUNICATOR_FAILED; what they have written is undefined.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_TIMEOUT: call again. PORTICO_E_EXHAUSTED of segment handles or events of a member, or the
/// fabric's.
#[no_mangle]
pub extern "C" fn portico_communicator_recover(
    fabric: *mut portico_fabric,
    communicator: *mut portico_communicator,
    cycles: u64,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        Ok(items.get(communicator)?.recover(fabric, cycles)?)
    })
}

/// Makes a context of a tile usable again, and of all tiles that the lists of their engines join with it, within so many cycles. For
/// calls that this program did not start: those of an earlier program, or of a processor beside a tile.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_NO_SUCH_NODE, PORTICO_E_NOT_BUILT without an engine, PORTICO_E_OUT_OF_RANGE of the context,
/// PORTICO_E_TIMEOUT: call again. Or the fabric's.
#[no_mangle]
pub extern "C" fn portico_recover_context(
    fabric: *mut portico_fabric,
    tile: u32,
    context: u32,
    cycles: u64,
) -> portico_status {
    call(fabric, |State { fabric, .. }| {
        Ok(fabric.recover_context(tile as usize, context as usize, cycles)?)
    })
}

/// Gives the context of a communicator back. Its calls under way go on.
///
/// Errors: PORTICO_E_NULL.
#[no_mangle]
pub extern "C" fn portico_communicator_free(
    fabric: *mut portico_fabric,
    communicator: *mut portico_communicator,
) -> portico_status {
    call(fabric, |state| state.items.take(communicator).map(Communicator::free))
}
