//! What every node knows before the first measure: windows, segments, and the pattern.

use super::{Bench, PERIOD};
use crate::bench::onesided::{
    transfers::EVENT,
    words::{self, Segment, Window},
};
use anyhow::Context;
use portico_spec::ni::{
    registers::{EventRegister, SegmentRegister, BASE_BYTES, SPACE_BYTES},
    window::SYSTEM_WINDOW,
};

/// Tag of the window over the memory of each tile.
const MEMORY_TAG: usize = 0;

impl Bench {
    /// The host knows the address space of every node.
    pub(super) fn set_up_host(&mut self) -> anyhow::Result<()> {
        let control = self.register(EventRegister::Control, self.host_event());
        self.host_write(control, words::event_control(1))?;
        for terminal in 0..self.config.terminals() {
            let values = system(terminal).registers(&self.config);
            let handle = self.system_handle(terminal);
            self.host_write(self.register(SegmentRegister::Target, handle), values[0])?;
            self.host_write(self.register(SegmentRegister::Size, handle), values[1])?;
        }
        Ok(())
    }

    /// Every tile knows the address space and the memory of every node, and holds the pattern.
    pub(super) fn set_up_tiles(&mut self) -> anyhow::Result<()> {
        let (config, memory) = (self.config.clone(), self.memory);
        let tiles: Vec<usize> = (0..config.tiles()).collect();
        let own = Window {
            base: 0,
            bytes: memory,
            event: None,
            queue: None,
        };
        self.window(&tiles, MEMORY_TAG, &own)?;
        let terminals = 0..config.terminals();
        let memories: Vec<Segment> = (terminals.clone())
            .map(|terminal| match terminal < config.tiles() {
                true => Segment {
                    tag: MEMORY_TAG,
                    bytes: memory,
                    ..system(terminal)
                },
                // What is external is larger than any window of its own would be.
                false => Segment {
                    bytes: BASE_BYTES,
                    ..system(terminal)
                },
            })
            .collect();
        self.segments(&tiles, self.memory_handle(0), &memories)?;
        let systems: Vec<Segment> = terminals.map(system).collect();
        self.segments(&tiles, self.system_handle(0), &systems)?;
        self.fill(&tiles)
    }

    /// One period from the host; then each tile doubles what it has.
    fn fill(&mut self, tiles: &[usize]) -> anyhow::Result<()> {
        let pattern = self.pattern.clone();
        self.write(tiles, 0, &pattern)?;
        let wanted = self.piece + PERIOD;
        let mut filled = PERIOD;
        while filled < wanted {
            let bytes = filled.min(wanted.next_multiple_of(8) - filled);
            self.batch(tiles, 1, |bench, tile, _| {
                bench.put(EVENT, bench.memory_handle(tile), words::linear(filled, 0, bytes))
            })
            .context("cannot fill the tiles' memories")?;
            filled += bytes;
        }
        Ok(())
    }
}

/// The address space of a terminal.
fn system(terminal: usize) -> Segment {
    Segment {
        terminal,
        tag: SYSTEM_WINDOW,
        bytes: SPACE_BYTES,
        credits: None,
    }
}
