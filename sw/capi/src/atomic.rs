//! Atomic operations on words of a segment.

use portico::{
    onesided::{Atom, Initiator, Operation, Remote},
    Error,
};

use crate::{
    carrier::Carrier,
    completion::{initiator, portico_completion, End, Value},
    handle::{call, portico_fabric, Items, State},
    pointer::{out, structure},
    segment::portico_segment,
    status::{portico_status, Failure},
};

/// What an atomic does: one of PORTICO_ATOMIC_*.
pub type portico_atomic_kind = u32;

/// Adds `operand`. Sums wrap.
pub const PORTICO_ATOMIC_POSTADD: portico_atomic_kind = 0;
/// Stores `operand`.
pub const PORTICO_ATOMIC_POKE: portico_atomic_kind = 1;
/// Adds `operand`, and gives the old value.
pub const PORTICO_ATOMIC_FETCHADD: portico_atomic_kind = 2;
/// Stores 0, and gives the old value.
pub const PORTICO_ATOMIC_FETCHCLEAR: portico_atomic_kind = 3;
/// Stores `operand` if the value is `condition`; gives the old value.
pub const PORTICO_ATOMIC_COMPARE_AND_SWAP: portico_atomic_kind = 4;
/// Gives the value.
pub const PORTICO_ATOMIC_PEEK: portico_atomic_kind = 5;
/// Adds `operand` if the value is below `condition`, unsigned; gives the old value.
pub const PORTICO_ATOMIC_ADD_IF: portico_atomic_kind = 6;

/// An atomic operation on a word of a segment.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portico_atomic_command {
    /// What it does.
    pub kind: portico_atomic_kind,
    /// Bytes of the word, 4 or 8. Both nodes must do atomics of 64 bits for 8.
    pub bytes: u32,
    /// The number to add or to store.
    pub operand: u64,
    /// The number with which the value is compared.
    pub condition: u64,
}

/// A number of the caller, in the width of the word.
fn narrow<A: Atom + TryFrom<u64>>(field: &'static str, value: u64) -> Result<A, Failure> {
    A::try_from(value).map_err(|_| {
        let (min, max) = (0, u64::MAX >> (64 - 8 * A::BYTES));
        Error::OutOfRange { field, value, min, max }.into()
    })
}

/// An operation that gives nothing, and one that gives the old value.
enum Prepared<'f, A> {
    Silent(Operation<'f, Carrier, ()>),
    Fetching(Operation<'f, Carrier, A>),
}

fn prepare<'f, A: Atom + TryFrom<u64>>(
    node: Initiator<'f, Carrier>,
    remote: &Remote,
    offset: u32,
    command: portico_atomic_command,
) -> Result<Prepared<'f, A>, Failure> {
    let operand = narrow::<A>("operand", command.operand)?;
    let condition = narrow::<A>("condition", command.condition)?;
    Ok(match command.kind {
        PORTICO_ATOMIC_POSTADD => Prepared::Silent(node.postadd(remote, offset, operand)?),
        PORTICO_ATOMIC_POKE => Prepared::Silent(node.poke(remote, offset, operand)?),
        PORTICO_ATOMIC_FETCHADD => Prepared::Fetching(node.fetchadd(remote, offset, operand)?),
        PORTICO_ATOMIC_FETCHCLEAR => Prepared::Fetching(node.fetchclear(remote, offset)?),
        PORTICO_ATOMIC_COMPARE_AND_SWAP => {
            Prepared::Fetching(node.compare_and_swap(remote, offset, condition, operand)?)
        }
        PORTICO_ATOMIC_PEEK => Prepared::Fetching(node.peek(remote, offset)?),
        PORTICO_ATOMIC_ADD_IF => Prepared::Fetching(node.add_if(remote, offset, condition, operand)?),
        kind => return Err(Failure::choice("kind", kind)),
    })
}

impl<A: Value> Prepared<'_, A> {
    fn complete(self, end: End, items: &mut Items) -> Result<u64, Failure> {
        match self {
            Prepared::Silent(operation) => end.of(operation, items),
            Prepared::Fetching(operation) => end.of(operation, items),
        }
    }
}

/// An atomic operation on the word at byte `offset` of a segment. `value` gets the old value, if the operation gives it and the
/// call waits; else 0. A ticket of the operation has the old value too.
///
/// Errors: as of portico_put(); PORTICO_E_ARGUMENT of `kind`, PORTICO_E_OUT_OF_RANGE of `bytes` and of numbers that do not fit,
/// PORTICO_E_NOT_BUILT of 8 bytes.
#[no_mangle]
pub unsafe extern "C" fn portico_atomic(
    fabric: *mut portico_fabric,
    segment: *mut portico_segment,
    offset: u32,
    command: *const portico_atomic_command,
    completion: *const portico_completion,
    value: *mut u64,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let out = unsafe { out("value", value) }?;
        let command = unsafe { structure("command", command) }?;
        let end = unsafe { End::read(completion) }?;
        let remote = items.get(segment)?;
        let node = initiator(fabric, remote.initiator() as u32)?;
        out.set(match command.bytes {
            4 => prepare::<u32>(node, remote, offset, command)?.complete(end, items)?,
            8 => prepare::<u64>(node, remote, offset, command)?.complete(end, items)?,
            bytes => {
                let (field, value, min, max) = ("bytes, 4 or 8,", bytes.into(), 4, 8);
                return Err(Error::OutOfRange { field, value, min, max }.into());
            }
        });
        Ok(())
    })
}
