//! The queue in which the descriptors of one taker wait.

use std::collections::VecDeque;

use portico_spec::ni::command::{MAX_DESCRIPTOR_WORDS, QUEUE_WORDS};

/// Whole descriptors, the oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct CommandQueue {
    descriptors: VecDeque<Vec<u32>>,
}

impl CommandQueue {
    /// Whether a descriptor of so many words is not too long, and fits beside those that wait.
    pub fn fits(&self, words: usize) -> bool {
        let waiting: usize = self.descriptors.iter().map(Vec::len).sum();
        words <= MAX_DESCRIPTOR_WORDS && waiting + words <= QUEUE_WORDS
    }

    /// Takes a descriptor that fits.
    pub fn push(&mut self, descriptor: Vec<u32>) {
        self.descriptors.push_back(descriptor);
    }

    /// The oldest.
    pub fn front(&self) -> Option<&Vec<u32>> {
        self.descriptors.front()
    }

    /// Gives the oldest out.
    pub fn pop(&mut self) -> Option<Vec<u32>> {
        self.descriptors.pop_front()
    }

    pub fn is_empty(&self) -> bool {
        self.descriptors.is_empty()
    }
}
