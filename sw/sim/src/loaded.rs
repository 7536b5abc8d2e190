//! The shared object in memory: its C functions behind safe ones, and the names of its ports.

use crate::source::{Layout, Placed, CLOCK};
use crate::{Direction, Port, SimError, Source, Trace};
use std::ffi::{c_char, c_void, CStr};
use std::path::Path;
use std::ptr::NonNull;

/// A model's state, in C++.
pub(crate) type Handle = NonNull<c_void>;

/// What a run waits for: an output's place in the buffer and its value, and how many ticks it may take.
///
/// The shim declares it in the same words.
#[repr(C)]
pub(crate) struct Awaited {
    pub word: u32,
    pub words: u32,
    pub value: u64,
    pub limit: u64,
}

type Destroy = unsafe extern "C" fn(Handle);
type Settle = unsafe extern "C" fn(Handle, *const u32, *mut u32);
type Run = unsafe extern "C" fn(Handle, *const u32, *mut u32, u64);
type RunUntil = unsafe extern "C" fn(Handle, *const u32, *mut u32, *const Awaited, *mut u64) -> bool;
type TraceOpen = unsafe extern "C" fn(Handle, *const c_char) -> bool;

/// A loaded shared object. Its functions take a [`Handle`] that it made itself and that is not yet destroyed.
pub(crate) struct Loaded {
    pub top: String,
    pub ports: Vec<Port>,
    pub layout: Layout,
    pub trace: Trace,
    create: unsafe extern "C" fn() -> Option<Handle>,
    destroy: Destroy,
    settle: Settle,
    edge: Destroy,
    run: Run,
    run_until: RunUntil,
    trace_open: TraceOpen,
    trace_close: Destroy,
    // Last, so that the code is there as long as the pointers to it.
    _object: libloading::Library,
}

impl Loaded {
    pub fn load(path: &Path, source: Source, layout: Layout, trace: Trace) -> Result<Self, SimError> {
        let fail = |source| SimError::Load {
            path: path.into(),
            source,
        };
        // SAFETY: the file is the cache's, made of our shim: its initialisers only set up Verilator's runtime, and its
        // functions have the types given here. The pointers are dropped with the library.
        unsafe {
            let object = libloading::Library::new(path).map_err(fail)?;
            Ok(Loaded {
                create: *object.get(c"portico_create").map_err(fail)?,
                destroy: *object.get(c"portico_destroy").map_err(fail)?,
                settle: *object.get(c"portico_settle").map_err(fail)?,
                edge: *object.get(c"portico_edge").map_err(fail)?,
                run: *object.get(c"portico_run").map_err(fail)?,
                run_until: *object.get(c"portico_run_until").map_err(fail)?,
                trace_open: *object.get(c"portico_trace_open").map_err(fail)?,
                trace_close: *object.get(c"portico_trace_close").map_err(fail)?,
                top: source.top,
                ports: source.ports,
                layout,
                trace,
                _object: object,
            })
        }
    }

    pub fn create(&self) -> Handle {
        // SAFETY: no arguments; `new` in C++ does not return null.
        unsafe { (self.create)() }.expect("the shim makes a model")
    }

    pub fn destroy(&self, handle: Handle) {
        // SAFETY: called once, when the model is dropped.
        unsafe { (self.destroy)(handle) }
    }

    pub fn settle(&self, handle: Handle, inputs: &[u32], outputs: &mut [u32]) {
        self.check(inputs, outputs);
        // SAFETY: the buffers are as long as the shim reads and writes.
        unsafe { (self.settle)(handle, inputs.as_ptr(), outputs.as_mut_ptr()) }
    }

    pub fn edge(&self, handle: Handle) {
        // SAFETY: the handle alone.
        unsafe { (self.edge)(handle) }
    }

    pub fn run(&self, handle: Handle, inputs: &[u32], outputs: &mut [u32], cycles: u64) {
        self.check(inputs, outputs);
        // SAFETY: the buffers are as long as the shim reads and writes.
        unsafe { (self.run)(handle, inputs.as_ptr(), outputs.as_mut_ptr(), cycles) }
    }

    /// Whether the value was seen, and the ticks until then.
    pub fn run_until(&self, handle: Handle, inputs: &[u32], outputs: &mut [u32], awaited: &Awaited) -> (bool, u64) {
        self.check(inputs, outputs);
        assert!((awaited.word + awaited.words) as usize <= outputs.len());
        let mut ticks = 0;
        // SAFETY: the buffers are as long as the shim reads and writes, and the awaited words lie in them.
        let seen = unsafe { (self.run_until)(handle, inputs.as_ptr(), outputs.as_mut_ptr(), awaited, &mut ticks) };
        (seen, ticks)
    }

    pub fn trace_open(&self, handle: Handle, path: &CStr) -> bool {
        // SAFETY: the shim copies the path.
        unsafe { (self.trace_open)(handle, path.as_ptr()) }
    }

    pub fn trace_close(&self, handle: Handle) {
        // SAFETY: the handle alone.
        unsafe { (self.trace_close)(handle) }
    }

    fn check(&self, inputs: &[u32], outputs: &[u32]) {
        assert!(inputs.len() == self.layout.input_words && outputs.len() == self.layout.output_words);
    }

    fn side(&self, direction: Direction) -> (&[Placed], &'static str) {
        match direction {
            Direction::Input => (&self.layout.inputs, "input"),
            Direction::Output => (&self.layout.outputs, "output"),
        }
    }

    /// The port of this name and direction.
    pub fn find(&self, direction: Direction, name: &str) -> Result<&Placed, SimError> {
        let (ports, kind) = self.side(direction);
        let found = ports.iter().find(|placed| placed.port.name == name);
        found.ok_or_else(|| SimError::NoPort {
            top: self.top.clone(),
            direction: kind,
            name: name.into(),
            hint: self.hint(ports, kind, name),
        })
    }

    fn hint(&self, ports: &[Placed], kind: &str, name: &str) -> String {
        if name == CLOCK && self.layout.clocked {
            return ", which ticks drive: it cannot be set".into();
        }
        let same = self.ports.iter().find(|port| port.name == name);
        if same.is_some() {
            return format!(": it is not an {kind}");
        }
        let mut near: Vec<(f64, &str)> = ports
            .iter()
            .map(|placed| (strsim::jaro_winkler(name, &placed.port.name), placed.port.name.as_str()))
            .filter(|(likeness, _)| *likeness > LIKE)
            .collect();
        near.sort_by(|one, other| other.0.total_cmp(&one.0));
        match near.is_empty() {
            true => format!("; it has {} {kind}s", ports.len()),
            false => {
                let names: Vec<String> = near.iter().take(NEAR).map(|(_, name)| format!("`{name}`")).collect();
                format!("; near names: {}", names.join(", "))
            }
        }
    }

    /// Name of the port at a word of a buffer.
    pub fn name(&self, direction: Direction, word: u32) -> &str {
        let (ports, _) = self.side(direction);
        let at = ports.partition_point(|placed| placed.word <= word as usize);
        &ports[at - 1].port.name
    }
}

/// Names that an error shows at most.
const NEAR: usize = 5;
/// Jaro-Winkler likeness, of 1.0, from which a name counts as near.
const LIKE: f64 = 0.75;
