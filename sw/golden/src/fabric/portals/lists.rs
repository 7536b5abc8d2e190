//! The list manager, asked by its commands.

use portico_spec::portals::list::{
    command, handle_command, Answer, Entry, List, Opcode, Resolution, Status, ENTRY_BEATS,
};

use crate::portals::list::GoldenLists;

/// The lists of an engine.
#[derive(Clone, Debug)]
pub(super) struct Lists(GoldenLists);

/// An entry that a request has hit, or a header that an entry has. It is held until [`Lists::resolve`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    /// Its handle.
    pub handle: u32,
    /// The entry or header.
    pub entry: Entry,
}

/// How an append to Priority ends.
#[derive(Clone, Copy, Debug)]
pub(super) enum Appended {
    /// The entry matches a header, which is held, and is not appended.
    Header(Hit),
    /// The entry has this handle.
    Entry(u32),
    /// There is no free place.
    Full,
}

/// A header finds no free place.
#[derive(Clone, Copy, Debug)]
pub(super) struct NoPlace;

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

    /// Appends an entry to Priority, unless it matches a header: then it holds the oldest.
    pub fn append_or_hold(&mut self, entry: &Entry) -> Appended {
        let results = self.0.serve(&command(Opcode::AppendHold, List::Priority, entry));
        if let Some(hit) = hit(&results[0]) {
            return Appended::Header(hit);
        }
        let answer = answer(&results[0]);
        match answer.status {
            Status::Done => Appended::Entry(answer.handle),
            _ => Appended::Full,
        }
    }

    /// Searches Priority, then Overflow, for the first entry that a header matches, and holds it.
    pub fn search(&mut self, header: &Entry) -> Option<Hit> {
        hit(&self.0.serve(&command(Opcode::SearchHold, List::All, header))[0])
    }

    /// Searches Unexpected for the oldest header that an entry matches, and holds it.
    pub fn hold_header(&mut self, entry: &Entry) -> Option<Hit> {
        hit(&self.0.serve(&command(Opcode::ConsumeHold, List::Unexpected, entry))[0])
    }

    /// The headers that an entry matches, oldest first; of one that is USE_ONCE the oldest alone. Nothing is held.
    pub fn headers(&mut self, entry: &Entry) -> Vec<Hit> {
        let results = self.0.serve(&command(Opcode::Probe, List::Unexpected, entry));
        results.iter().filter_map(|result| hit(result)).collect()
    }

    /// Says what becomes of the hit that is held; gives the handle of the header that comes to Unexpected.
    ///
    /// # Errors
    /// There is no place for the header: nothing has changed, and the hit is still held.
    pub fn resolve(&mut self, resolution: &Resolution) -> Result<Option<u32>, NoPlace> {
        let results = self.0.serve(&resolution.encode());
        match answer(&results[0]).status {
            Status::Full => Err(NoPlace),
            _ => Ok(results.get(1).map(|result| answer(result).handle)),
        }
    }

    /// Leaves the hit that is held as it is.
    pub fn let_go(&mut self) {
        self.ask(&Resolution::default().encode());
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
        answer(&self.0.serve(beats)[0])
    }
}

/// The first beat of a result.
fn answer(result: &[u64]) -> Answer {
    Answer::decode(result[0]).expect("the lists answer in their format")
}

/// The entry or header of a result, if it has one.
fn hit(result: &[u64]) -> Option<Hit> {
    let beats: &[u64; ENTRY_BEATS] = result.try_into().ok()?;
    Some(Hit {
        handle: answer(beats).handle,
        entry: Entry::from_result(beats),
    })
}
