use super::{TagState, TagUpdate, WindowTable};
use crate::{
    bus::{RegisterReadIn, RegisterWriteIn},
    ni::receive::{
        ports::{ReleasePortIn, StateOut, UpdateOut, WindowOut},
        PLACE_WIDTH,
    },
};
use portico_spec::{
    flit::{NODE_WIDTH, TAG_WIDTH},
    ni::{
        packet::{ERROR_WIDTH, ROW_WIDTH},
        window::ENDS_WIDTH,
    },
};
use portico_verilog::prelude::*;

/// Everything known of the tags.
///
/// The tables of all tags, and their registers.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from `read` to `window` and `state`, which then stay; a register is written within 2 cycles, read in 1 |
/// | throughput | one of everything a cycle; in a cycle with `busy`, neither a read nor a write for packets or the release |
/// | state | [`WindowTable`] and [`TagState`] |
#[derive(LogicBlock, Default)]
pub struct TagTables {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    pub initialising: Signal<In, Bit>,
    pub sweep: Signal<In, Bits<NODE_WIDTH>>,
    pub register_write: RegisterWriteIn,
    pub register_read: RegisterReadIn,
    /// The tables are being written by software: nobody else touches them in this cycle. From a flip-flop.
    pub busy: Signal<Out, Bit>,
    pub read: Signal<In, Bit>,
    pub tag: Signal<In, Bits<TAG_WIDTH>>,
    pub window: WindowOut,
    pub state: StateOut,
    /// The tag that is written.
    pub packet_tag: Signal<In, Bits<TAG_WIDTH>>,
    pub write_pointer: Signal<In, Bit>,
    pub next_position: Signal<In, Bits<PLACE_WIDTH>>,
    pub next_done: Signal<In, Bits<ROW_WIDTH>>,
    pub write_ends: Signal<In, Bit>,
    pub next_ends: Signal<In, Bits<ENDS_WIDTH>>,
    pub next_fault: Signal<In, Bits<ERROR_WIDTH>>,
    pub release_port: ReleasePortIn,
    updates: TagUpdate,
    settings: WindowTable,
    progress: TagState,
}

impl TagTables {
    /// The system window has `space_words` words.
    pub fn new(space_words: u64) -> Self {
        Self {
            settings: WindowTable::new(space_words),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for TagTables {
    fn update(&mut self) {
        wire!(self => updates: clk, rst);
        wire!(self => settings, progress: clk);
        wire!(self => updates: initialising, sweep);
        RegisterWriteIn::link(&mut self.register_write, &mut self.updates.register_write);
        self.busy.next = self.updates.update.busy.val();

        wire!(
            updates.update => settings.update: busy, clearing, tag, base, size, control, pointer, geometry, ends,
                released, data
        );
        wire!(self => settings: read, tag);
        WindowOut::link(&mut self.window, &mut self.settings.window);
        self.settings.release_read.next = self.release_port.read.val();
        self.settings.release_tag.next = self.release_port.read_tag.val();
        self.release_port.base.next = self.settings.release_base.val();
        self.release_port.mode.next = self.settings.release_mode.val();
        self.release_port.slot_words.next = self.settings.release_slot_words.val();
        self.release_port.slots.next = self.settings.release_slots.val();

        UpdateOut::join(&mut self.updates.update, &mut self.progress.update);
        wire!(self => progress: read, tag);
        StateOut::link(&mut self.state, &mut self.progress.state);
        wire!(self => progress: packet_tag, write_pointer, next_position, next_done, write_ends, next_ends, next_fault);
        self.progress.release_read.next = self.release_port.read.val();
        self.progress.release_tag.next = self.release_port.read_tag.val();
        self.release_port.written.next = self.progress.release_written.val();
        self.release_port.released.next = self.progress.release_released.val();
        self.progress.write_released.next = self.release_port.write.val();
        self.progress.write_released_tag.next = self.release_port.write_tag.val();
        self.progress.next_released.next = self.release_port.next_released.val();
        RegisterReadIn::link(&mut self.register_read, &mut self.progress.register_read);
    }
}
