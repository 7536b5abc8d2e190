//! Headers of unexpected messages, and who looks for them: appends to Priority and searches.
//!
//! Without hardware to follow, the data of a header are always here: the model completes a message in the step in which it meets its
//! entry.

use portico_spec::{
    ni::ErrorCode,
    portals::{
        engine::{
            Append, Event, EventKind, Failure, Operation, Search, COMM_DISABLE, CT_BYTES, CT_OVERFLOW, NO_ENTRY,
            OVER_DISABLE, SOURCE_RANK_WIDTH, SUCCESS_DISABLE,
        },
        list::{Entry, Resolution, PORTAL_OFFSET, USE_ONCE},
    },
};

use super::{
    super::{
        super::{bits::field, memory::Memory},
        follow::Cause,
        lists::{Appended, Hit},
        message::Ask,
        reports::Reports,
    },
    of_append, Row, Target,
};

/// The fields of a header that the lists do not keep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    /// The entry of Overflow that took the message.
    owner: u32,
    operation: Operation,
    /// Byte address of the data.
    start: u32,
    user: u16,
    header_data: u64,
    delivered: u32,
    /// All its data are in memory.
    pub here: bool,
}

impl Header {
    /// The header of a request of which an entry has taken so many bytes at an address.
    pub fn new(owner: u32, ask: &Ask, start: u32, delivered: u32) -> Header {
        Header {
            owner,
            operation: ask.request.operation,
            start,
            user: ask.user,
            header_data: ask.header_data,
            delivered,
            here: false,
        }
    }

    /// The kind of the event that tells that the header is consumed.
    fn kind(&self) -> EventKind {
        match self.operation {
            Operation::Put => EventKind::PutOverflow,
            Operation::Get => EventKind::GetOverflow,
        }
    }

    /// An event of the header, which the lists have so, for an append or search.
    fn event(&self, kind: EventKind, header: &Entry, seeker: &Row) -> Event {
        Event {
            overflow: true,
            rank: field(header.source.into(), 0, SOURCE_RANK_WIDTH) as u16,
            delivered: self.delivered,
            start: self.start,
            user: self.user,
            requested: header.length,
            offset: header.offset,
            match_bits: header.match_bits,
            header_data: self.header_data,
            ..seeker.event(kind)
        }
    }
}

/// What a search looks for, and the row of an entry that it stands for.
fn of_search(search: &Search) -> (Entry, Row) {
    let entry = Entry {
        source: search.source | u16::from(search.portal) << PORTAL_OFFSET,
        options: search.options,
        match_bits: search.match_bits,
        ignore_bits: search.ignore_bits,
        length: search.length,
        ..Entry::default()
    };
    let row = Row {
        portal: search.portal,
        options: search.options,
        user_pointer: search.user_pointer,
        ..Row::default()
    };
    (entry, row)
}

impl Target {
    /// Appends an entry to Priority after it has consumed the headers that it matches; gives its handle. One that is USE_ONCE
    /// consumes the oldest alone and is then [`NO_ENTRY`]; `has_consumed`: it has done so.
    ///
    /// # Errors
    /// There is no place.
    pub(super) fn append_to_priority(
        &mut self,
        memory: &mut Memory,
        entry: &Entry,
        row: &Row,
        has_consumed: bool,
        reports: &mut Reports,
    ) -> Result<u32, ErrorCode> {
        if has_consumed && entry.has(USE_ONCE) {
            return Ok(NO_ENTRY);
        }
        loop {
            match self.lists.append_or_hold(entry) {
                Appended::Header(hit) => {
                    self.consume(memory, &hit, row, reports);
                    if entry.has(USE_ONCE) {
                        return Ok(NO_ENTRY);
                    }
                }
                Appended::Entry(handle) => return Ok(handle),
                Appended::Full => return Err(ErrorCode::NoPlace),
            }
        }
    }

    /// Tells the headers that a search matches, which then leave if it deletes; or that there are none. `has_deleted`: one has left.
    pub fn search(&mut self, memory: &mut Memory, search: &Search, has_deleted: bool, reports: &mut Reports) {
        let (entry, row) = of_search(search);
        let found = match search.deletes {
            false => self.tell(memory, &entry, &row, reports),
            true if has_deleted && entry.has(USE_ONCE) => true,
            true => self.delete(memory, &entry, &row, reports) || has_deleted,
        };
        if !found && !row.has(COMM_DISABLE) {
            let missed = Event {
                failure: Failure::NoMatch,
                ..row.event(EventKind::Search)
            };
            reports.post(memory, self.queue(&row), &missed);
        }
    }

    /// An append to Priority consumes the oldest header that it matches.
    ///
    /// # Errors
    /// There is none, or its data are still coming.
    pub fn advance_append(&mut self, memory: &mut Memory, append: &Append, reports: &mut Reports) -> Result<(), Cause> {
        let (entry, row) = of_append(append);
        match self.lists.append_or_hold(&entry) {
            Appended::Header(hit) => self.advance(memory, &hit, &row, reports),
            Appended::Entry(_) | Appended::Full => Err("the append matches no header"),
        }
    }

    /// A search that deletes consumes the oldest header that it matches.
    ///
    /// # Errors
    /// There is none, or its data are still coming.
    pub fn advance_search(&mut self, memory: &mut Memory, search: &Search, reports: &mut Reports) -> Result<(), Cause> {
        let (entry, row) = of_search(search);
        let hit = self.lists.hold_header(&entry).filter(|_| search.deletes);
        self.advance(memory, &hit.ok_or("the search deletes no header")?, &row, reports)
    }

    fn advance(&mut self, memory: &mut Memory, hit: &Hit, row: &Row, reports: &mut Reports) -> Result<(), Cause> {
        if !self.headers[&hit.handle].here {
            return Err("data of the header are still coming");
        }
        self.consume(memory, hit, row, reports);
        Ok(())
    }

    /// Headers that are left.
    pub fn headers_left(&self) -> usize {
        self.headers.len()
    }

    /// Tells the headers that a search matches; false if there are none.
    fn tell(&mut self, memory: &mut Memory, entry: &Entry, row: &Row, reports: &mut Reports) -> bool {
        let hits = self.lists.headers(entry);
        if !row.has(COMM_DISABLE) && !row.has(SUCCESS_DISABLE) {
            for hit in &hits {
                let event = self.headers[&hit.handle].event(EventKind::Search, &hit.entry, row);
                reports.post(memory, self.queue(row), &event);
            }
        }
        !hits.is_empty()
    }

    /// Consumes the headers that a search matches; false if there are none.
    fn delete(&mut self, memory: &mut Memory, entry: &Entry, row: &Row, reports: &mut Reports) -> bool {
        let mut found = false;
        while let Some(hit) = self.lists.hold_header(entry) {
            self.consume(memory, &hit, row, reports);
            found = true;
            if entry.has(USE_ONCE) {
                break;
            }
        }
        found
    }

    /// The header that is held leaves: its event, the count of the append, and AUTO_FREE of its owner if that is due.
    fn consume(&mut self, memory: &mut Memory, hit: &Hit, row: &Row, reports: &mut Reports) {
        let resolved = self.lists.resolve(&Resolution {
            removes: true,
            ..Resolution::default()
        });
        resolved.expect("no header comes");
        let header = self.headers.remove(&hit.handle).expect("each header has a row");
        if !row.has(OVER_DISABLE) && !row.has(SUCCESS_DISABLE) {
            let event = header.event(header.kind(), &hit.entry, row);
            reports.post(memory, self.queue(row), &event);
        }
        if let Some(counter) = row.counter.filter(|_| row.has(CT_OVERFLOW)) {
            let bytes = row.has(CT_BYTES);
            reports.count(counter.into(), if bytes { header.delivered } else { 1 }, 0);
        }
        let owner = self.rows.get_mut(&header.owner).expect("an entry with headers stays");
        owner.headers -= 1;
        self.free_if_due(memory, header.owner, reports);
    }
}
