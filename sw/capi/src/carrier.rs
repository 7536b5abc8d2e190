//! Carriers of accesses: those of the driver, and the functions of the caller.

use std::{
    cell::Cell,
    ffi::{c_int, c_void},
};

use portico::{Config, GoldenTransport, Transport, TransportError};

use crate::{
    pointer::structure,
    status::{portico_status, Failure},
};

/// Functions of the caller that carry the accesses to a fabric: 32 bits at byte addresses of its host node's space. Each gets
/// `context`, and those that return an int return 0, or any other number if the access could not be made. They are called from
/// the thread whose call needs them. They must not jump or throw out of themselves.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portico_transport {
    /// Given to each function.
    pub context: *mut c_void,
    /// Reads 32 bits.
    pub read: Option<unsafe extern "C" fn(context: *mut c_void, address: u32, value: *mut u32) -> c_int>,
    /// Writes 32 bits.
    pub write: Option<unsafe extern "C" fn(context: *mut c_void, address: u32, value: u32) -> c_int>,
    /// Reads `count` words that lie together. May be NULL: then `read` reads each.
    pub read_block:
        Option<unsafe extern "C" fn(context: *mut c_void, address: u32, words: *mut u32, count: usize) -> c_int>,
    /// Writes `count` words that lie together. May be NULL: then `write` writes each.
    pub write_block:
        Option<unsafe extern "C" fn(context: *mut c_void, address: u32, words: *const u32, count: usize) -> c_int>,
    /// Cycles since some moment in the past. They must go on with every access, or a wait would never end.
    pub cycles: Option<unsafe extern "C" fn(context: *mut c_void) -> u64>,
    /// Lets so many cycles pass.
    pub wait: Option<unsafe extern "C" fn(context: *mut c_void, cycles: u64)>,
    /// Whether the host node interrupts now: 0 or 1. May be NULL: then it never does, and events are polled.
    pub interrupt: Option<unsafe extern "C" fn(context: *mut c_void) -> c_int>,
}

/// The transport of a fabric of this library. The reference model is not behind a pointer, since its accesses take less time than
/// calls through one.
#[allow(clippy::large_enum_variant, reason = "a fabric has one, which does not move")]
pub(crate) enum Carrier {
    Golden(GoldenTransport),
    Other(Box<dyn Transport + Send>),
}

impl Carrier {
    /// Any transport.
    pub fn other(transport: impl Transport + Send + 'static) -> Carrier {
        Carrier::Other(Box::new(transport))
    }
}

/// Methods of a transport that either has.
macro_rules! either {
    ($(fn $name:ident(&mut self $(, $argument:ident: $type:ty)*) $(-> $result:ty)?;)+) => {
        $(fn $name(&mut self $(, $argument: $type)*) $(-> $result)? {
            match self {
                Carrier::Golden(golden) => Transport::$name(golden $(, $argument)*),
                Carrier::Other(other) => other.$name($($argument),*),
            }
        })+
    };
}

impl Transport for Carrier {
    fn config(&self) -> &Config {
        match self {
            Carrier::Golden(golden) => golden.config(),
            Carrier::Other(other) => other.config(),
        }
    }

    fn cycles(&self) -> u64 {
        match self {
            Carrier::Golden(golden) => golden.cycles(),
            Carrier::Other(other) => other.cycles(),
        }
    }

    either! {
        fn read(&mut self, address: u32) -> Result<u32, TransportError>;
        fn write(&mut self, address: u32, value: u32) -> Result<(), TransportError>;
        fn read_block(&mut self, address: u32, words: &mut [u32]) -> Result<(), TransportError>;
        fn write_block(&mut self, address: u32, words: &[u32]) -> Result<(), TransportError>;
        fn wait(&mut self, cycles: u64);
        fn interrupt(&mut self) -> bool;
    }
}

/// The functions of a caller, all that must be there.
pub(crate) struct Custom {
    config: Config,
    context: *mut c_void,
    read: unsafe extern "C" fn(*mut c_void, u32, *mut u32) -> c_int,
    write: unsafe extern "C" fn(*mut c_void, u32, u32) -> c_int,
    read_block: Option<unsafe extern "C" fn(*mut c_void, u32, *mut u32, usize) -> c_int>,
    write_block: Option<unsafe extern "C" fn(*mut c_void, u32, *const u32, usize) -> c_int>,
    cycles: unsafe extern "C" fn(*mut c_void) -> u64,
    /// The latest moment that `cycles` has told.
    latest: Cell<u64>,
    wait: unsafe extern "C" fn(*mut c_void, u64),
    interrupt: Option<unsafe extern "C" fn(*mut c_void) -> c_int>,
}

// SAFETY: the header says that a fabric may be used by any thread, one at a time, and so its transport's context.
unsafe impl Send for Custom {}

impl Custom {
    /// # Safety
    /// A pointer that is not NULL points to a transport whose functions do as it says.
    pub unsafe fn new(transport: *const portico_transport, config: Config) -> Result<Custom, Failure> {
        fn must<F>(name: &str, function: Option<F>) -> Result<F, Failure> {
            let null = || {
                Failure::new(
                    portico_status::PORTICO_E_NULL,
                    format_args!("transport->{name} is NULL"),
                )
            };
            function.ok_or_else(null)
        }
        // SAFETY: promised above.
        let given = unsafe { structure("transport", transport) }?;
        Ok(Custom {
            config,
            context: given.context,
            read: must("read", given.read)?,
            write: must("write", given.write)?,
            read_block: given.read_block,
            write_block: given.write_block,
            cycles: must("cycles", given.cycles)?,
            latest: Cell::new(0),
            wait: must("wait", given.wait)?,
            interrupt: given.interrupt,
        })
    }
}

/// What a function of the caller has returned.
fn check(what: &str, address: u32, returned: c_int) -> Result<(), TransportError> {
    match returned {
        0 => Ok(()),
        _ => Err(TransportError::Failed(format!(
            "{what} at address {address:#x}: the function of the transport returned {returned}"
        ))),
    }
}

// SAFETY of all calls below: `Custom::new` was promised that the functions do as the transport says.
impl Transport for Custom {
    fn config(&self) -> &Config {
        &self.config
    }

    fn read(&mut self, address: u32) -> Result<u32, TransportError> {
        let mut value = 0;
        check("read", address, unsafe {
            (self.read)(self.context, address, &mut value)
        })?;
        Ok(value)
    }

    fn write(&mut self, address: u32, value: u32) -> Result<(), TransportError> {
        check("write", address, unsafe { (self.write)(self.context, address, value) })
    }

    fn read_block(&mut self, address: u32, words: &mut [u32]) -> Result<(), TransportError> {
        if let Some(read_block) = self.read_block {
            let (first, count) = (words.as_mut_ptr(), words.len());
            return check("read_block", address, unsafe {
                read_block(self.context, address, first, count)
            });
        }
        for (at, word) in (address..).step_by(4).zip(words) {
            *word = self.read(at)?;
        }
        Ok(())
    }

    fn write_block(&mut self, address: u32, words: &[u32]) -> Result<(), TransportError> {
        if let Some(write_block) = self.write_block {
            let (first, count) = (words.as_ptr(), words.len());
            return check("write_block", address, unsafe {
                write_block(self.context, address, first, count)
            });
        }
        for (at, &word) in (address..).step_by(4).zip(words) {
            self.write(at, word)?;
        }
        Ok(())
    }

    /// A clock that goes back stands still, since the driver counts from a moment before.
    fn cycles(&self) -> u64 {
        let now = unsafe { (self.cycles)(self.context) }.max(self.latest.get());
        self.latest.set(now);
        now
    }

    fn wait(&mut self, cycles: u64) {
        unsafe { (self.wait)(self.context, cycles) }
    }

    fn interrupt(&mut self) -> bool {
        self.interrupt
            .is_some_and(|interrupt| unsafe { interrupt(self.context) } != 0)
    }
}
