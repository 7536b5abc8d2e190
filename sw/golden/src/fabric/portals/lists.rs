//! The list manager, asked by its commands.

use portico_spec::portals::list::{
    command, handle_command, Answer, Entry, List, Opcode, Resolution, Status, ENTRY_BEATS,
};

use crate::portals::list::GoldenLists;

/// The lists of an engine.
#[derive(Clone, Debug)]
pub(super) struct Lists(GoldenLists);

/// An entry that a request has hit. It is held until [`Lists::resolve`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    /// Its handle.
    pub handle: u32,
    /// The entry.
    pub entry: Entry,
}

impl Lists {
    /// Empty lists with so many places together.
    pub fn new(places: usize) -> Lists {
        Lists(GoldenLists::new(places))
    }

    /// Appends an entry; gives its handle, or none if there is no free place.
    pub fn append(&mut self, list: List, entry: &Entry) -> Option<u32> {
        let answer = self.ask(&command(Opcode::Append, list, entry));
        (answer.status == Status::Done).then_some(answer.handle)
    }

    /// Searches Priority, then Overflow, for the first entry that a header matches, and holds it.
    pub fn search(&mut self, header: &Entry) -> Option<Hit> {
        let results = self.0.serve(&command(Opcode::SearchHold, List::All, header));
        let beats: &[u64; ENTRY_BEATS] = results[0][..].try_into().ok()?;
        let answer = Answer::decode(beats[0]).expect("the lists answer in their format");
        Some(Hit {
            handle: answer.handle,
            entry: Entry::from_result(beats),
        })
    }

    /// Says what becomes of the hit that is held.
    pub fn resolve(&mut self, resolution: &Resolution) {
        self.ask(&resolution.encode());
    }

    /// Deletes the entry of a handle, which is in a list.
    pub fn delete(&mut self, handle: u32) {
        self.ask(&handle_command(Opcode::Delete, List::All, handle, 0));
    }

    /// Frees the place of a detached entry.
    pub fn release(&mut self, handle: u32) {
        self.ask(&handle_command(Opcode::Release, List::All, handle, 0));
    }

    /// The first beat of the answer.
    fn ask(&mut self, beats: &[u64]) -> Answer {
        let results = self.0.serve(beats);
        Answer::decode(results[0][0]).expect("the lists answer in their format")
    }
}
