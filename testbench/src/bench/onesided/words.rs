//! What the benchmark writes into registers and gives as descriptors, as words.

use portico_spec::{
    ni::{
        descriptor::{Atomic, Command, Descriptor, Geometry, Transfer},
        event::{self, Compare},
        registers::FIELD_WIDTH,
        segment::{self, SegmentKind},
        window::{self, Mode},
    },
    Config,
};

/// Words of the fabric that the registers of an event span.
pub(crate) const EVENT_SPAN: usize = 1 << FIELD_WIDTH;
/// Registers of a segment, with one that does not exist.
const SEGMENT_SPAN: usize = 1 << portico_spec::ni::registers::SHORT_FIELD_WIDTH;

/// Bytes of a word of the fabric.
pub fn word_bytes(config: &Config) -> usize {
    config.width / 8
}

/// Registers of an event that counts from zero and fires at `threshold`: count, control, status, of which a write clears
/// the error; then those that are only read, so that events side by side take one write.
pub fn event_registers(threshold: usize) -> [u32; EVENT_SPAN] {
    let mut registers = [0; EVENT_SPAN];
    registers[1] = event_control(threshold);
    registers
}

/// The control register of an event that fires at `threshold`.
pub fn event_control(threshold: usize) -> u32 {
    let control = event::Control {
        threshold: threshold.try_into().expect("an event counts that far"),
        compare: Compare::AtLeast,
        interrupt: false,
    };
    control.encode()
}

/// What a tile knows of a window or queue elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    /// Terminal that has it.
    pub terminal: usize,
    /// Its tag there.
    pub tag: usize,
    /// Bytes of a window.
    pub bytes: usize,
    /// Messages that may be in a queue at once from here; `None` for a window.
    pub credits: Option<usize>,
}

impl Segment {
    /// Its registers: target, size, credits, and one that does not exist.
    pub fn registers(&self, config: &Config) -> [u32; SEGMENT_SPAN] {
        let kind = match self.credits {
            None => SegmentKind::Window,
            Some(_) => SegmentKind::Queue,
        };
        let target = segment::target(config, self.terminal, self.tag as u8, kind);
        let words = (self.bytes / word_bytes(config)) as u32;
        [target, words, self.credits.unwrap_or(0) as u32, 0]
    }
}

/// What a tag stands for at its own tile.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// First byte.
    pub base: usize,
    /// Bytes.
    pub bytes: usize,
    /// Event that counts ends of transfers and messages.
    pub event: Option<u8>,
    /// Slots, and bytes of a slot; both are powers of two. `None` for a window.
    pub queue: Option<(usize, usize)>,
}

impl Window {
    /// Its registers base, size and control.
    pub fn registers(&self, config: &Config) -> [u32; 3] {
        let bytes = word_bytes(config);
        let mut control = window::Control::new(Mode::Window, self.event);
        if let Some((slots, slot_bytes)) = self.queue {
            control.mode = Mode::Queue;
            control.slots = slots.ilog2() as u8;
            control.slot_words = (slot_bytes / bytes).ilog2() as u8;
        }
        let control = control.encode().expect("fields that fit");
        [(self.base / bytes) as u32, (self.bytes / bytes) as u32, control]
    }
}

/// Bytes that lie side by side on both sides.
pub fn linear(remote: usize, local: usize, bytes: usize) -> Transfer {
    Transfer {
        remote: remote as u32,
        local: local as u32,
        geometry: Geometry::Row { row: bytes as u32 },
    }
}

/// A descriptor.
///
/// # Panics
/// One of its fields does not fit, which is a mistake of the benchmark.
pub fn descriptor(config: &Config, event: usize, handle: usize, command: Command) -> Vec<u32> {
    let descriptor = Descriptor {
        segment: handle as u8,
        event: event as u8,
        ..Descriptor::new(command)
    };
    descriptor.encode(config).expect("fields that fit")
}

/// A message of `bytes` at byte `local`.
pub fn enqueue(config: &Config, event: usize, handle: usize, local: usize, bytes: usize) -> Vec<u32> {
    let (local, bytes) = (local as u32, bytes as u32);
    descriptor(config, event, handle, Command::Enqueue { local, bytes })
}

/// An atomic operation of 32 bits on byte `remote` of a segment.
pub fn atomic(config: &Config, event: usize, handle: usize, remote: usize, operation: Atomic) -> Vec<u32> {
    let command = Command::Atomic {
        remote: remote as u32,
        operation,
        wide: false,
    };
    descriptor(config, event, handle, command)
}
