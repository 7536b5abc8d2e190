//! Commands under way.

use portico_spec::Node;

use super::{descriptor::Common, micro_core::MicroCore, transfer::Runs};

/// A command under way, or a get of another node.
#[derive(Clone, Debug)]
pub(super) struct Context {
    pub owner: Owner,
    pub task: Task,
    /// It waits for a credit, or behind a command of its segment that does.
    pub parked: bool,
}

/// The command that a context works for, and its target.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owner {
    pub destination: Node,
    pub tag: u8,
    pub slot: Option<u8>,
    pub common: Common,
}

/// What it does.
#[derive(Clone, Debug)]
pub(super) enum Task {
    Put(Runs),
    /// Sends the words of window `tag` to the destination, which holds the slot.
    Serve(Runs),
    Stream(Runs),
    Enqueue {
        local: u64,
        words: u64,
    },
    Fence,
    Program(Box<MicroCore>),
}

impl Context {
    /// Whether it works for another node, beside the micro-cores.
    pub fn serves(&self) -> bool {
        matches!(self.task, Task::Serve(_))
    }
}
