//! The target's side: requests meet entries.
//!
//! A request takes two steps, [`Target::begin`] and [`Target::complete`]. Hardware has other work between them; this model does
//! them in one go.

use std::collections::{BTreeMap, VecDeque};

use portico_spec::{
    ni::ErrorCode,
    portals::{
        engine::{
            item, Ack, Append, Event, EventKind, Failure, Operation, Status, ACK_DISABLE, ANY_USER, COMM_DISABLE,
            CT_BYTES, CT_COMM, LENGTH_WIDTH, LINK_DISABLE, NO_ENTRY, OP_GET, OP_PUT, PORTALS, SUCCESS_DISABLE,
            UNLINK_DISABLE, USER_WIDTH,
        },
        list::{Entry, List, Resolution, MANAGE_LOCAL, PORTAL_OFFSET, UNEXPECTED_HDR_DISABLE, USE_ONCE},
    },
    Node,
};

use self::headers::Header;
use super::{
    super::{bits::field, memory::Memory},
    bytes,
    lists::{Hit, Lists},
    message::{Answer, Ask},
    reports::Reports,
    tables::Portal,
};

mod headers;

/// The fields of an entry that the lists do not keep. An append that consumes headers, and a search, have one too.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    portal: u8,
    overflow: bool,
    options: u16,
    user_pointer: u32,
    counter: Option<u8>,
    min_free: u32,
    /// Messages in progress.
    messages: usize,
    /// Headers that are left.
    headers: usize,
    /// It has left its list by itself.
    detached: bool,
}

/// A request that has met an entry.
#[derive(Clone, Debug)]
pub(super) struct Delivery {
    ask: Ask,
    handle: u32,
    /// Byte address of its data.
    address: u32,
    /// Offset used, in bytes.
    used: u32,
    delivered: u32,
    /// The handle of its header.
    header: Option<u32>,
}

/// Portal indices, entries, and requests that wait.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub portals: Vec<Portal>,
    /// Register `status`.
    pub status: [u32; 3],
    lists: Lists,
    /// By their handles.
    rows: BTreeMap<u32, Row>,
    /// By their handles.
    headers: BTreeMap<u32, Header>,
    /// Each with the node that it came from.
    waiting: VecDeque<(Node, Ask)>,
}

/// The entry of an append, and its row.
fn of_append(append: &Append) -> (Entry, Row) {
    let entry = Entry {
        source: append.source | u16::from(append.portal) << PORTAL_OFFSET,
        options: append.options,
        match_bits: append.match_bits,
        ignore_bits: append.ignore_bits,
        length: append.length,
        offset: 0,
        pointer: append.start | u32::from(append.user) << LENGTH_WIDTH,
    };
    let row = Row {
        portal: append.portal,
        overflow: append.list == List::Overflow,
        options: append.options,
        user_pointer: append.user_pointer,
        counter: append.counter,
        min_free: append.min_free,
        ..Row::default()
    };
    (entry, row)
}

impl Delivery {
    /// A get with data: they are its answer, and come before the target is done with it.
    pub fn is_served(&self) -> bool {
        self.ask.request.operation == Operation::Get && self.delivered > 0
    }
}

impl Row {
    fn has(&self, option: usize) -> bool {
        self.options >> option & 1 == 1
    }

    /// An event of the entry.
    fn event(&self, kind: EventKind) -> Event {
        Event {
            portal: self.portal,
            overflow: self.overflow,
            user_pointer: self.user_pointer,
            ..Event::new(kind)
        }
    }
}

impl Target {
    /// Portal indices that are not allocated, and lists with so many places.
    pub fn new(entries: usize) -> Target {
        Target {
            portals: vec![Portal::default(); PORTALS],
            status: [0; 3],
            lists: Lists::new(entries),
            rows: BTreeMap::new(),
            headers: BTreeMap::new(),
            waiting: VecDeque::new(),
        }
    }

    /// Whether no request waits.
    pub fn is_idle(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Lets a request wait until it is served.
    pub fn accept(&mut self, source: Node, ask: Ask) {
        self.waiting.push_back((source, ask));
    }

    /// The request that has waited longest, and the node that it came from.
    pub fn next(&mut self) -> Option<(Node, Ask)> {
        self.waiting.pop_front()
    }

    /// The request of a rank that has waited longest, and the node that it came from.
    pub fn next_of(&mut self, rank: u8) -> Option<(Node, Ask)> {
        let at = self.waiting.iter().position(|(_, ask)| ask.rank == rank)?;
        self.waiting.remove(at)
    }

    /// Appends an entry, writes its handle, and posts its LINK. To Priority it comes after it has consumed headers; one that is
    /// USE_ONCE and has consumed one does not come at all, which AUTO_UNLINK tells. `has_consumed`: it has consumed some before.
    ///
    /// # Errors
    /// There is no place. What was consumed stays so.
    pub fn append(
        &mut self,
        memory: &mut Memory,
        append: &Append,
        has_consumed: bool,
        reports: &mut Reports,
    ) -> Result<(), ErrorCode> {
        let (entry, row) = of_append(append);
        let appended = match row.overflow {
            true => self.lists.append(List::Overflow, &entry).ok_or(ErrorCode::NoPlace)?,
            false => self.append_to_priority(memory, &entry, &row, has_consumed, reports)?,
        };
        bytes::write_word(memory, append.handle_address, appended);
        let (told, unless) = match appended {
            NO_ENTRY => (EventKind::AutoUnlink, UNLINK_DISABLE),
            handle => {
                self.rows.insert(handle, row);
                self.portals[usize::from(row.portal)].entries += 1;
                (EventKind::Link, LINK_DISABLE)
            }
        };
        if !row.has(unless) {
            reports.post(memory, self.queue(&row), &row.event(told));
        }
        Ok(())
    }

    /// Whether messages of the entry in a list are in progress, or headers of it are left; none if no entry in a list has the handle.
    pub fn is_in_use(&self, handle: u32) -> Option<bool> {
        let row = self.rows.get(&handle).filter(|row| !row.detached)?;
        Some(row.messages > 0 || row.headers > 0)
    }

    /// Unlinks an entry that is in a list.
    pub fn unlink(&mut self, handle: u32) {
        self.lists.delete(handle);
        self.forget(handle);
    }

    /// A request meets its entry, or fails.
    ///
    /// # Errors
    /// How it fails; it is counted then.
    pub fn begin(&mut self, ask: Ask) -> Result<Delivery, Failure> {
        let met = self.meet(&ask).and_then(|hit| self.take(ask, &hit));
        if let Err(failure) = met {
            let counter = match failure {
                Failure::Permission => item::PERMISSION_VIOLATIONS,
                Failure::Operation => item::OPERATION_VIOLATIONS,
                _ => item::DROPS,
            };
            self.status[counter] = self.status[counter].wrapping_add(1);
        }
        met
    }

    /// Finds the entry of a request, which the lists then hold.
    fn meet(&mut self, ask: &Ask) -> Result<Hit, Failure> {
        let portal = &self.portals[usize::from(ask.request.portal)];
        if !portal.is_allocated() {
            return Err(Failure::Dropped);
        }
        if !portal.is_enabled() {
            return Err(Failure::PortalDisabled);
        }
        let hit = self.lists.search(&ask.header()).ok_or(Failure::Dropped)?;
        let user = field(hit.entry.pointer, LENGTH_WIDTH, USER_WIDTH) as u16;
        let needs = match ask.request.operation {
            Operation::Put => OP_PUT,
            Operation::Get => OP_GET,
        };
        let failure = if user != ANY_USER && user != ask.user {
            Failure::Permission
        } else if !hit.entry.has(needs) {
            Failure::Operation
        } else {
            return Ok(hit);
        };
        self.lists.let_go();
        Err(failure)
    }

    /// The entry that is held takes the request, which leaves a header if the entry is in Overflow and keeps headers.
    ///
    /// # Errors
    /// There is no place for the header.
    fn take(&mut self, ask: Ask, hit: &Hit) -> Result<Delivery, Failure> {
        let Hit { entry, handle, .. } = *hit;
        let row = self.rows.get_mut(&handle).expect("each entry has a row");
        let managed = entry.has(MANAGE_LOCAL);
        let used = if managed { entry.offset } else { ask.remote };
        let delivered = ask.length.min(entry.length.saturating_sub(used));
        let is_short = managed && row.min_free != 0 && entry.length - (used + delivered) < row.min_free;
        let detaches = entry.has(USE_ONCE) || is_short;
        let leaves_header = row.overflow && !entry.has(UNEXPECTED_HDR_DISABLE);
        let resolved = self.lists.resolve(&Resolution {
            offset: managed.then_some(used + delivered),
            detaches,
            header: leaves_header.then(|| ask.header()),
            ..Resolution::default()
        });
        let Ok(header) = resolved else {
            self.lists.let_go();
            return Err(Failure::Dropped);
        };
        row.detached = detaches;
        row.messages += 1;
        self.portals[usize::from(row.portal)].messages += 1;
        let start = field(entry.pointer, 0, LENGTH_WIDTH);
        let address = field(start.wrapping_add(used), 0, LENGTH_WIDTH);
        if let Some(header) = header {
            row.headers += 1;
            let of_request = Header::new(handle, &ask, address, delivered);
            self.headers.insert(header, of_request);
        }
        Ok(Delivery {
            ask,
            handle,
            address,
            used,
            delivered,
            header,
        })
    }

    /// The data of a request move; then come event, counter, AUTO_UNLINK and AUTO_FREE. Gives the answer, if there is one.
    pub fn complete(&mut self, memory: &mut Memory, delivery: &Delivery, reports: &mut Reports) -> Option<Answer> {
        let Delivery { ask, address, .. } = delivery;
        let (handle, delivered) = (delivery.handle, delivery.delivered);
        if let Some(header) = &delivery.header {
            self.headers.get_mut(header).expect("its data were still coming").here = true;
        }
        if ask.request.operation == Operation::Put {
            bytes::write(memory, *address, &ask.payload[..delivered as usize]);
        }
        let answer = self.answer(memory, delivery);
        let row = self.rows.get_mut(&handle).expect("an entry with messages stays");
        row.messages -= 1;
        let row = *row;
        self.portals[usize::from(row.portal)].messages -= 1;
        if !row.has(COMM_DISABLE) && !row.has(SUCCESS_DISABLE) {
            let kind = match ask.request.operation {
                Operation::Put => EventKind::Put,
                Operation::Get => EventKind::Get,
            };
            let event = Event {
                rank: ask.rank.into(),
                delivered,
                start: *address,
                user: ask.user,
                requested: ask.length,
                offset: ask.remote,
                match_bits: ask.match_bits,
                header_data: ask.header_data,
                ..row.event(kind)
            };
            reports.post(memory, self.queue(&row), &event);
        }
        if let Some(counter) = row.counter.filter(|_| row.has(CT_COMM)) {
            reports.count(counter.into(), if row.has(CT_BYTES) { delivered } else { 1 }, 0);
        }
        if row.detached && row.messages == 0 {
            if !row.has(UNLINK_DISABLE) {
                reports.post(memory, self.queue(&row), &row.event(EventKind::AutoUnlink));
            }
            self.free_if_due(memory, handle, reports);
        }
        answer
    }

    /// The answer of a request that has met an entry, with the data of a get; none if it wants none.
    pub fn answer(&self, memory: &Memory, delivery: &Delivery) -> Option<Answer> {
        let Delivery { ask, delivered, .. } = delivery;
        let row = &self.rows[&delivery.handle];
        let is_get = ask.request.operation == Operation::Get;
        ask.request.is_answered().then(|| Answer {
            slot: ask.request.slot,
            status: Status {
                delivered: *delivered,
                failure: Failure::Ok,
                overflow: row.overflow,
                silent: row.has(ACK_DISABLE),
            },
            offset: if is_get || ask.request.ack == Ack::Full {
                delivery.used
            } else {
                0
            },
            payload: match is_get {
                true => bytes::read(memory, delivery.address, *delivered),
                false => vec![],
            },
        })
    }

    /// Frees the place of an entry that has left its list by itself, if all its messages are complete and no header of it is left.
    /// AUTO_FREE tells it of an entry of Overflow.
    fn free_if_due(&mut self, memory: &mut Memory, handle: u32, reports: &mut Reports) {
        let row = self.rows[&handle];
        if !row.detached || row.messages > 0 || row.headers > 0 {
            return;
        }
        if row.overflow && !row.has(UNLINK_DISABLE) {
            reports.post(memory, self.queue(&row), &row.event(EventKind::AutoFree));
        }
        self.lists.release(handle);
        self.forget(handle);
    }

    fn forget(&mut self, handle: u32) {
        let row = self.rows.remove(&handle).expect("each entry has a row");
        self.portals[usize::from(row.portal)].entries -= 1;
    }

    fn queue(&self, row: &Row) -> Option<usize> {
        self.portals[usize::from(row.portal)].queue()
    }
}
