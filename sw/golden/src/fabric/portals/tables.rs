//! Rows of memory descriptors and portal indices.

use portico_spec::portals::engine::{
    MD_BOUND_OFFSET, MD_COUNTER_OFFSET, MD_COUNTS_OFFSET, MD_QUEUES_OFFSET, MD_QUEUE_OFFSET, NUMBER_WIDTH,
    PORTAL_ALLOCATED_OFFSET, PORTAL_ENABLED_OFFSET, PORTAL_QUEUES_OFFSET, PORTAL_QUEUE_OFFSET, QUEUE_WIDTH,
};

use super::super::bits::{bit, field};

/// A memory descriptor.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MemoryDescriptor {
    /// Byte address.
    pub start: u32,
    /// Length in bytes.
    pub length: u32,
    /// Register `md_options`.
    pub options: u32,
}

impl MemoryDescriptor {
    /// Whether moves may use it.
    pub fn is_bound(&self) -> bool {
        bit(self.options, MD_BOUND_OFFSET)
    }

    /// Whether an option is set.
    pub fn has(&self, option: usize) -> bool {
        bit(self.options, option)
    }

    /// Its counter.
    pub fn counter(&self) -> Option<usize> {
        let counter = field(self.options, MD_COUNTER_OFFSET, NUMBER_WIDTH) as usize;
        bit(self.options, MD_COUNTS_OFFSET).then_some(counter)
    }

    /// Its event queue.
    pub fn queue(&self) -> Option<usize> {
        let queue = field(self.options, MD_QUEUE_OFFSET, QUEUE_WIDTH) as usize;
        bit(self.options, MD_QUEUES_OFFSET).then_some(queue)
    }
}

/// A portal index.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Portal {
    register: u32,
    /// Entries in its lists, and those that have left them and of which messages are in progress or headers are left.
    pub entries: usize,
    /// Messages in progress.
    pub messages: usize,
}

impl Portal {
    /// Register `portal`.
    pub fn read(&self) -> u32 {
        self.register
    }

    /// Writes register `portal`.
    pub fn write(&mut self, data: u32) {
        let queue = ((1 << QUEUE_WIDTH) - 1) << PORTAL_QUEUE_OFFSET;
        let flags = 1 << PORTAL_ALLOCATED_OFFSET | 1 << PORTAL_ENABLED_OFFSET | 1 << PORTAL_QUEUES_OFFSET;
        self.register = data & (queue | flags);
    }

    /// Whether entries and messages may come.
    pub fn is_allocated(&self) -> bool {
        bit(self.register, PORTAL_ALLOCATED_OFFSET)
    }

    /// Whether it takes messages.
    pub fn is_enabled(&self) -> bool {
        bit(self.register, PORTAL_ENABLED_OFFSET)
    }

    /// Its event queue.
    pub fn queue(&self) -> Option<usize> {
        let queue = field(self.register, PORTAL_QUEUE_OFFSET, QUEUE_WIDTH) as usize;
        bit(self.register, PORTAL_QUEUES_OFFSET).then_some(queue)
    }

    /// Lets it take messages.
    pub fn enable(&mut self) {
        self.register |= 1 << PORTAL_ENABLED_OFFSET;
    }

    /// Lets it take no further messages.
    pub fn disable(&mut self) {
        self.register &= !(1 << PORTAL_ENABLED_OFFSET);
    }

    /// It is not allocated any more.
    pub fn free(&mut self) {
        self.disable();
        self.register &= !(1 << PORTAL_ALLOCATED_OFFSET);
    }
}
