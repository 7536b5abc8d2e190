//! Status codes, and the text of the last error of a thread.

use std::{any::Any, cell::RefCell, fmt::Display};

use portico::Error;

use crate::pointer::{copy_text, out};

/// How a call has ended: 0, or why it failed. portico_error_text() has the text of an error.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum portico_status {
    /// The call has done what it says.
    PORTICO_OK = 0,
    /// The carrier of the accesses failed.
    PORTICO_E_TRANSPORT = 1,
    /// A command that no descriptor can express.
    PORTICO_E_DESCRIPTOR = 2,
    /// A register with an undefined value.
    PORTICO_E_REGISTER = 3,
    /// Tiles that do not form a group, or a tree that does not fit them.
    PORTICO_E_TREE = 4,
    /// A text that is not a program.
    PORTICO_E_ASSEMBLY = 5,
    /// A word of a program that is not an instruction.
    PORTICO_E_INSTRUCTION = 6,
    /// A program that could leave its bounds.
    PORTICO_E_PROGRAM = 7,
    /// A configuration of which there is no fabric.
    PORTICO_E_CONFIG = 8,
    /// The fabric has no host node.
    PORTICO_E_NO_HOST = 9,
    /// A time-out that ends calls before they are posted at all members.
    PORTICO_E_SHORT_TIMEOUT = 10,
    /// There is no such node.
    PORTICO_E_NO_SUCH_NODE = 11,
    /// A node identifies itself as another node.
    PORTICO_E_WRONG_FABRIC = 12,
    /// The fabric is not the configured one.
    PORTICO_E_WRONG_BITSTREAM = 13,
    /// The hardware refused a command. portico_error_code() has its code.
    PORTICO_E_REFUSED = 14,
    /// An operation did not complete in time; it may still complete.
    PORTICO_E_TIMEOUT = 15,
    /// Bytes outside of the remote segment.
    PORTICO_E_OUT_OF_SEGMENT = 16,
    /// Bytes outside of a node's memory.
    PORTICO_E_OUT_OF_MEMORY = 17,
    /// An address or length that must be a multiple.
    PORTICO_E_MISALIGNED = 18,
    /// A number that is too large or too small.
    PORTICO_E_OUT_OF_RANGE = 19,
    /// All of a resource is taken.
    PORTICO_E_EXHAUSTED = 20,
    /// Something was to be reserved that the driver has handed out.
    PORTICO_E_TAKEN = 21,
    /// The node is built without it.
    PORTICO_E_NOT_BUILT = 22,
    /// A handle of one node was used at another.
    PORTICO_E_WRONG_NODE = 23,
    /// A message that a write has damaged.
    PORTICO_E_BAD_MESSAGE = 24,
    /// A message of the host that has no credit.
    PORTICO_E_NO_CREDIT = 25,
    /// A sender with messages that are under way or in the queue.
    PORTICO_E_UNRELEASED = 26,
    /// A sender of another queue.
    PORTICO_E_WRONG_QUEUE = 27,
    /// The mesh has no way from an edge node back to itself.
    PORTICO_E_NO_WAY = 28,
    /// A page of a node without external memory.
    PORTICO_E_NO_MEMORY_NODE = 29,
    /// A segment of another kind was wanted.
    PORTICO_E_WRONG_KIND = 30,
    /// Memory that the driver has not allocated.
    PORTICO_E_NOT_ALLOCATED = 31,
    /// Two blocks share memory of a member, and one of them is written.
    PORTICO_E_OVERLAP = 32,
    /// A block that does not lie in allocated memory.
    PORTICO_E_UNALLOCATED = 33,
    /// A call whose group is released.
    PORTICO_E_RELEASED = 34,
    /// A group with exchanges under way.
    PORTICO_E_UNDER_WAY = 35,
    /// A way that the call does not have.
    PORTICO_E_WRONG_WAY = 36,
    /// No context is free at all tiles of a group.
    PORTICO_E_NO_CONTEXT = 37,
    /// A call of the communicator has failed. portico_error_code() has its code.
    PORTICO_E_COMMUNICATOR_FAILED = 38,
    /// The communicator belongs to another fabric.
    PORTICO_E_WRONG_COMMUNICATOR = 39,
    /// A page base at which a part of the page has no address in external memory.
    PORTICO_E_PAGE_OUT_OF_REACH = 40,
    /// PTL_FAIL: the fabric failed, or did not answer in time.
    PORTICO_E_PTL_FAIL = 48,
    /// PTL_NO_INIT: the tile has no rank yet.
    PORTICO_E_PTL_NO_INIT = 49,
    /// PTL_ARG_INVALID: a value that is not allowed, or a handle of what is gone.
    PORTICO_E_PTL_ARG_INVALID = 50,
    /// PTL_NO_SPACE: all of a table is taken.
    PORTICO_E_PTL_NO_SPACE = 51,
    /// PTL_PT_FULL: all portal indices are allocated.
    PORTICO_E_PTL_PT_FULL = 52,
    /// PTL_PT_IN_USE: the portal index is allocated, or has entries, headers, or messages in progress.
    PORTICO_E_PTL_PT_IN_USE = 53,
    /// PTL_PT_EQ_NEEDED: flow control needs an event queue.
    PORTICO_E_PTL_PT_EQ_NEEDED = 54,
    /// PTL_IN_USE: something else still uses it.
    PORTICO_E_PTL_IN_USE = 55,
    /// PTL_EQ_EMPTY: no event has come.
    PORTICO_E_PTL_EQ_EMPTY = 56,
    /// PTL_EQ_DROPPED: events were lost in front of the one that is taken.
    PORTICO_E_PTL_EQ_DROPPED = 57,
    /// PTL_CT_NONE_REACHED: no counter has reached its test in time.
    PORTICO_E_PTL_CT_NONE_REACHED = 58,
    /// PTL_IGNORED: there is another map of ranks already.
    PORTICO_E_PTL_IGNORED = 59,
    /// A pointer is NULL.
    PORTICO_E_NULL = 65,
    /// An argument that has no meaning: an unknown number of a choice, a text that is no UTF-8.
    PORTICO_E_ARGUMENT = 66,
    /// An array that is too short for what it has to take.
    PORTICO_E_SHORT_BUFFER = 67,
    /// A handle that was released, or never was one.
    PORTICO_E_STALE = 68,
    /// A handle of another fabric.
    PORTICO_E_FOREIGN = 69,
    /// A handle of another type.
    PORTICO_E_WRONG_HANDLE = 70,
    /// The fabric is in another call: of another thread, or of this one, whose transport has called.
    PORTICO_BUSY = 96,
    /// An earlier call of the fabric ended with PORTICO_INTERNAL. The fabric can only be closed.
    PORTICO_CLOSED = 97,
    /// A fault of the library itself, which should be reported.
    PORTICO_INTERNAL = 98,
}

/// Why a call fails.
#[derive(Debug)]
pub(crate) struct Failure {
    status: portico_status,
    text: String,
    /// The hardware's code; 0 for an error of software.
    code: u32,
}

impl Failure {
    pub fn new(status: portico_status, text: impl Display) -> Failure {
        let (text, code) = (text.to_string(), 0);
        Failure { status, text, code }
    }

    /// A number that is none of a choice.
    pub fn choice(field: &str, value: u32) -> Failure {
        Failure::new(
            portico_status::PORTICO_E_ARGUMENT,
            format_args!("{field} = {value} is none of its constants"),
        )
    }

    /// What a panic has left.
    pub fn internal(panic: &(dyn Any + Send)) -> Failure {
        let text = panic.downcast_ref::<&str>().copied();
        let text = text.or(panic.downcast_ref::<String>().map(String::as_str));
        Failure::new(
            portico_status::PORTICO_INTERNAL,
            format_args!("internal error: {}", text.unwrap_or("without a text")),
        )
    }

    /// Keeps it as the last error of this thread.
    pub fn keep(self) -> portico_status {
        let status = self.status;
        // A thread that ends has no last error any more.
        let _ = LAST.try_with(|last| last.replace(Some(self)));
        status
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let code = match &error {
            Error::Refused { code, .. } | Error::CommunicatorFailed { code, .. } => *code as u32,
            _ => 0,
        };
        Failure {
            code,
            ..Failure::new(status_of(&error), error)
        }
    }
}

fn status_of(error: &Error) -> portico_status {
    use portico_status::*;
    match error {
        Error::Transport(_) => PORTICO_E_TRANSPORT,
        Error::Descriptor(_) => PORTICO_E_DESCRIPTOR,
        Error::Register(_) => PORTICO_E_REGISTER,
        Error::Tree(_) => PORTICO_E_TREE,
        Error::Assembly(_) => PORTICO_E_ASSEMBLY,
        Error::Instruction(_) => PORTICO_E_INSTRUCTION,
        Error::Program(_) => PORTICO_E_PROGRAM,
        Error::Config(_) => PORTICO_E_CONFIG,
        Error::NoHost => PORTICO_E_NO_HOST,
        Error::ShortTimeout { .. } => PORTICO_E_SHORT_TIMEOUT,
        Error::NoSuchNode { .. } => PORTICO_E_NO_SUCH_NODE,
        Error::WrongFabric { .. } => PORTICO_E_WRONG_FABRIC,
        Error::WrongBitstream { .. } => PORTICO_E_WRONG_BITSTREAM,
        Error::Refused { .. } => PORTICO_E_REFUSED,
        Error::Timeout { .. } => PORTICO_E_TIMEOUT,
        Error::OutOfSegment { .. } => PORTICO_E_OUT_OF_SEGMENT,
        Error::OutOfMemory { .. } => PORTICO_E_OUT_OF_MEMORY,
        Error::Misaligned { .. } => PORTICO_E_MISALIGNED,
        Error::OutOfRange { .. } => PORTICO_E_OUT_OF_RANGE,
        Error::Exhausted { .. } => PORTICO_E_EXHAUSTED,
        Error::Taken { .. } => PORTICO_E_TAKEN,
        Error::NotBuilt { .. } => PORTICO_E_NOT_BUILT,
        Error::WrongNode { .. } => PORTICO_E_WRONG_NODE,
        Error::BadMessage { .. } => PORTICO_E_BAD_MESSAGE,
        Error::NoCredit { .. } => PORTICO_E_NO_CREDIT,
        Error::Unreleased { .. } => PORTICO_E_UNRELEASED,
        Error::WrongQueue { .. } => PORTICO_E_WRONG_QUEUE,
        Error::NoWay { .. } => PORTICO_E_NO_WAY,
        Error::NoMemoryNode { .. } => PORTICO_E_NO_MEMORY_NODE,
        Error::PageOutOfReach { .. } => PORTICO_E_PAGE_OUT_OF_REACH,
        Error::WrongKind { .. } => PORTICO_E_WRONG_KIND,
        Error::NotAllocated { .. } => PORTICO_E_NOT_ALLOCATED,
        Error::Overlap { .. } => PORTICO_E_OVERLAP,
        Error::Unallocated { .. } => PORTICO_E_UNALLOCATED,
        Error::Released { .. } => PORTICO_E_RELEASED,
        Error::UnderWay { .. } => PORTICO_E_UNDER_WAY,
        Error::WrongWay { .. } => PORTICO_E_WRONG_WAY,
        Error::NoContext { .. } => PORTICO_E_NO_CONTEXT,
        Error::CommunicatorFailed { .. } => PORTICO_E_COMMUNICATOR_FAILED,
        Error::WrongCommunicator => PORTICO_E_WRONG_COMMUNICATOR,
    }
}

thread_local! {
    static LAST: RefCell<Option<Failure>> = const { RefCell::new(None) };
}

/// Something of this thread's last error.
fn last<R: Default>(of: impl FnOnce(&Failure) -> R) -> R {
    let found = LAST.try_with(|last| last.borrow().as_ref().map(of));
    found.ok().flatten().unwrap_or_default()
}

/// Writes the text of this thread's last error, with field, value and range, and a NUL behind it. A call that succeeds leaves it
/// as it is; before the first error it is empty. A text that is longer than `size` - 1 bytes is cut. 512 bytes are enough for
/// nearly all texts.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_SHORT_BUFFER of a text that is cut or of `size` 0. Neither becomes the last error.
#[no_mangle]
pub unsafe extern "C" fn portico_error_text(text: *mut std::ffi::c_char, size: usize) -> portico_status {
    let found = last(|failure| failure.text.clone());
    // SAFETY: the caller gives `size` bytes.
    let copied = unsafe { copy_text(&found, text, size) };
    copied.map_or_else(|failure| failure.status, |()| portico_status::PORTICO_OK)
}

/// The hardware's code of this thread's last error, if it is PORTICO_E_REFUSED or PORTICO_E_COMMUNICATOR_FAILED; else 0. The
/// header of `portico registers --form c` has the codes as PORTICO_ERROR_*.
///
/// Errors: PORTICO_E_NULL.
#[no_mangle]
pub unsafe extern "C" fn portico_error_code(code: *mut u32) -> portico_status {
    // SAFETY: the caller gives a place for a number.
    match unsafe { out("code", code) } {
        Ok(code) => {
            code.set(last(|failure| failure.code));
            portico_status::PORTICO_OK
        }
        Err(failure) => failure.status,
    }
}
