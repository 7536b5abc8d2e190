//! Everything known of the tags.
//!
//! | | |
//! | --- | --- |
//! | latency | 1 cycle from `read` to `window` and `state`, which then stay; a register is written within 2 cycles, read in 1 |
//! | throughput | one of everything a cycle; in a cycle with `busy`, neither a read nor a write for packets or the release |
//! | state | [`WindowTable`] and [`TagState`] |

use super::{
    ports::{ReleasePortIn, StateOut, UpdateOut, WindowOut},
    tag_state::TagState,
    tag_update::TagUpdate,
    window_table::WindowTable,
    PLACE_WIDTH,
};
use crate::ni::ports::{RegisterReadIn, RegisterWriteIn};
use portico_spec::{
    flit::{NODE_WIDTH, TAG_WIDTH},
    ni::{
        packet::{ERROR_WIDTH, ROW_WIDTH},
        window::ENDS_WIDTH,
    },
};
use rust_hdl::prelude::*;

/// The tables of all tags, and their registers.
#[derive(LogicBlock)]
pub struct Windows {
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

impl Windows {
    /// The system window has `space_words` words.
    pub fn new(space_words: u64) -> Self {
        Self {
            clk: Default::default(),
            rst: Default::default(),
            initialising: Default::default(),
            sweep: Default::default(),
            register_write: Default::default(),
            register_read: Default::default(),
            busy: Default::default(),
            read: Default::default(),
            tag: Default::default(),
            window: Default::default(),
            state: Default::default(),
            packet_tag: Default::default(),
            write_pointer: Default::default(),
            next_position: Default::default(),
            next_done: Default::default(),
            write_ends: Default::default(),
            next_ends: Default::default(),
            next_fault: Default::default(),
            release_port: Default::default(),
            updates: Default::default(),
            settings: WindowTable::new(space_words),
            progress: Default::default(),
        }
    }
}

impl Logic for Windows {
    #[hdl_gen]
    fn update(&mut self) {
        self.updates.clk.next = self.clk.val();
        self.updates.rst.next = self.rst.val();
        self.updates.initialising.next = self.initialising.val();
        self.updates.sweep.next = self.sweep.val();
        RegisterWriteIn::link(&mut self.register_write, &mut self.updates.register_write);
        self.busy.next = self.updates.update.busy.val();

        self.settings.clk.next = self.clk.val();
        self.settings.update.busy.next = self.updates.update.busy.val();
        self.settings.update.clearing.next = self.updates.update.clearing.val();
        self.settings.update.tag.next = self.updates.update.tag.val();
        self.settings.update.base.next = self.updates.update.base.val();
        self.settings.update.size.next = self.updates.update.size.val();
        self.settings.update.control.next = self.updates.update.control.val();
        self.settings.update.pointer.next = self.updates.update.pointer.val();
        self.settings.update.geometry.next = self.updates.update.geometry.val();
        self.settings.update.ends.next = self.updates.update.ends.val();
        self.settings.update.released.next = self.updates.update.released.val();
        self.settings.update.data.next = self.updates.update.data.val();
        self.settings.read.next = self.read.val();
        self.settings.tag.next = self.tag.val();
        WindowOut::link(&mut self.window, &mut self.settings.window);
        self.settings.release_read.next = self.release_port.read.val();
        self.settings.release_tag.next = self.release_port.read_tag.val();
        self.release_port.base.next = self.settings.release_base.val();
        self.release_port.mode.next = self.settings.release_mode.val();
        self.release_port.slot_words.next = self.settings.release_slot_words.val();
        self.release_port.slots.next = self.settings.release_slots.val();

        self.progress.clk.next = self.clk.val();
        UpdateOut::join(&mut self.updates.update, &mut self.progress.update);
        self.progress.read.next = self.read.val();
        self.progress.tag.next = self.tag.val();
        StateOut::link(&mut self.state, &mut self.progress.state);
        self.progress.packet_tag.next = self.packet_tag.val();
        self.progress.write_pointer.next = self.write_pointer.val();
        self.progress.next_position.next = self.next_position.val();
        self.progress.next_done.next = self.next_done.val();
        self.progress.write_ends.next = self.write_ends.val();
        self.progress.next_ends.next = self.next_ends.val();
        self.progress.next_fault.next = self.next_fault.val();
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
