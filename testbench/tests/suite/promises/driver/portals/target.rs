//! Entries and searches of either interface, and a rank whose index takes messages of all ranks.

use super::{Ranks, SOON, TILES};
use portico::{portals::*, Fabric, Transport};

/// The rank whose index it is.
pub(super) const TO: usize = 2;

/// The other ranks.
pub(super) const SOURCES: [usize; 3] = [0, 1, 3];

/// An entry that takes puts with all match bits, or consumes headers with all, without an event LINK.
pub(super) fn for_all(start: u32, length: u64, options: EntryOptions) -> Me {
    Me {
        start,
        length,
        ignore_bits: u64::MAX,
        options: options | EntryOptions::OP_PUT | EntryOptions::EVENT_LINK_DISABLE,
        ..Me::default()
    }
}

/// An entry of either interface.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entry {
    Me(MeHandle),
    Le(LeHandle),
}

/// The fields of a match list entry that a list entry has.
fn list_entry(me: &Me) -> Le {
    Le {
        start: me.start,
        length: me.length,
        ct: me.ct,
        uid: me.uid,
        options: me.options,
    }
}

/// Appends an entry of the interface, of which a list entry has the fields that it knows.
pub(super) fn append<T: Transport>(
    fabric: &mut Fabric<T>,
    ni: Ni,
    pt_index: u32,
    me: &Me,
    list: PtlList,
    user_ptr: u32,
) -> Result<Entry, Error> {
    match ni.interface() {
        Interface::Matching => ni.me_append(fabric, pt_index, me, list, user_ptr).map(Entry::Me),
        Interface::NonMatching => {
            let le = list_entry(me);
            ni.le_append(fabric, pt_index, &le, list, user_ptr).map(Entry::Le)
        }
    }
}

/// Searches headers with the fields of an entry of the interface.
pub(super) fn search<T: Transport>(
    fabric: &mut Fabric<T>,
    ni: Ni,
    pt_index: u32,
    me: &Me,
    operation: SearchOp,
    user_ptr: u32,
) -> Result<(), Error> {
    match ni.interface() {
        Interface::Matching => ni.me_search(fabric, pt_index, me, operation, user_ptr),
        Interface::NonMatching => ni.le_search(fabric, pt_index, &list_entry(me), operation, user_ptr),
    }
}

/// Unlinks an entry.
pub(super) fn unlink<T: Transport>(fabric: &mut Fabric<T>, ni: Ni, entry: Entry) -> Result<(), Error> {
    match entry {
        Entry::Me(me) => ni.me_unlink(fabric, me),
        Entry::Le(le) => ni.le_unlink(fabric, le),
    }
}

/// An index of rank [`TO`] with a queue, and at every rank a memory descriptor whose queue tells acknowledgements and replies.
pub(super) struct Target<T> {
    pub(super) ranks: Ranks<T>,
    pub(super) ni: Ni,
    pub(super) eq: EqHandle,
    pub(super) pt_index: u32,
    /// Of each rank.
    initiators: Vec<(Ni, EqHandle, MdHandle)>,
}

impl<T: Transport> Target<T> {
    /// With so many events in the queue of the index, and so many bytes of memory of each rank.
    pub(super) fn new(
        fabric: Fabric<T>,
        interface: Interface,
        pt_index: u32,
        events: u64,
        bytes: u32,
    ) -> Result<Target<T>, Error> {
        let mut ranks = Ranks::new(fabric, bytes)?;
        let ni = ranks.ni(TO, interface);
        let eq = ni.eq_alloc(&mut ranks.fabric, events)?;
        ni.pt_alloc(&mut ranks.fabric, PtOptions::NONE, Some(eq), Some(pt_index))?;
        let mut initiators = vec![];
        for rank in 0..TILES.len() {
            let ni = ranks.ni(rank, interface);
            let eq = ni.eq_alloc(&mut ranks.fabric, 8)?;
            let md = Md {
                start: ranks.base(),
                length: bytes.into(),
                options: MdOptions::EVENT_SEND_DISABLE,
                eq: Some(eq),
                ct: None,
            };
            initiators.push((ni, eq, ni.md_bind(&mut ranks.fabric, &md)?));
        }
        Ok(Target {
            ranks,
            ni,
            eq,
            pt_index,
            initiators,
        })
    }

    /// Address of a byte of the memory of a rank for the suite.
    pub(super) fn at(&self, offset: u32) -> u32 {
        self.ranks.base() + offset
    }

    /// A put from a rank to the index, with match bits, that asks for an acknowledgement.
    pub(super) fn message(&self, from: usize, length: u64, match_bits: u64) -> Put {
        Put {
            ack: AckReq::Ack,
            pt_index: self.pt_index,
            match_bits,
            ..Put::new(self.initiators[from].2, length, TO as u32)
        }
    }

    /// Sends a put.
    pub(super) fn send(&mut self, from: usize, put: &Put) -> Result<(), Error> {
        self.initiators[from].0.put(&mut self.ranks.fabric, put)
    }

    /// Waits for the answer to a message of a rank.
    pub(super) fn answer(&mut self, from: usize) -> Result<Event, Error> {
        let (ni, eq, _) = self.initiators[from];
        ni.eq_wait(&mut self.ranks.fabric, eq, SOON)
    }

    /// Puts, and waits for the acknowledgement: the target's data and events are written then.
    pub(super) fn put(&mut self, from: usize, put: &Put) -> Result<Event, Error> {
        self.send(from, put)?;
        self.answer(from)
    }

    /// Gets as a put names, and waits for the reply and the events of the target: the last packet of data may leave before them.
    pub(super) fn get(&mut self, from: usize, put: &Put) -> Result<Event, Error> {
        self.initiators[from].0.get(&mut self.ranks.fabric, &get_as(put))?;
        let told = self.answer(from)?;
        self.ranks.rest();
        Ok(told)
    }

    /// Appends an entry to a list.
    pub(super) fn append(&mut self, list: PtlList, me: &Me, user_ptr: u32) -> Result<Entry, Error> {
        append(&mut self.ranks.fabric, self.ni, self.pt_index, me, list, user_ptr)
    }

    /// Searches headers.
    pub(super) fn search(&mut self, operation: SearchOp, me: &Me, user_ptr: u32) -> Result<(), Error> {
        search(&mut self.ranks.fabric, self.ni, self.pt_index, me, operation, user_ptr)
    }

    /// Unlinks an entry.
    pub(super) fn unlink(&mut self, entry: Entry) -> Result<(), Error> {
        unlink(&mut self.ranks.fabric, self.ni, entry)
    }

    /// Appends an entry to Priority until no place is free, and checks how many it takes.
    pub(super) fn fill(&mut self, me: &Me, free: usize) -> Result<Vec<Entry>, Error> {
        let mut entries = vec![];
        loop {
            match self.append(PtlList::Priority, me, 0) {
                Ok(entry) => entries.push(entry),
                Err(Error::NoSpace { .. }) => break,
                Err(error) => return Err(error),
            }
        }
        assert_eq!(entries.len(), free, "free places");
        Ok(entries)
    }

    /// Closes the interface with all that it has, and opens it with an index and a queue again.
    pub(super) fn reopen(&mut self, events: u64) -> Result<(), Error> {
        let fabric = &mut self.ranks.fabric;
        let interface = self.ni.interface();
        self.ni.close(fabric)?;
        self.ni = Ni::open(fabric, TILES[TO], interface)?;
        match interface {
            Interface::Matching => self.ranks.matching[TO] = self.ni,
            Interface::NonMatching => self.ranks.plain[TO] = self.ni,
        }
        self.eq = self.ni.eq_alloc(fabric, events)?;
        let (eq, pt_index) = (Some(self.eq), Some(self.pt_index));
        self.ni.pt_alloc(fabric, PtOptions::NONE, eq, pt_index)?;
        Ok(())
    }

    /// Code of the error of an unlink.
    pub(super) fn unlink_code(&mut self, entry: Entry) -> &'static str {
        self.unlink(entry).expect_err("it does not leave").code()
    }

    /// All events of the index that are there; none was lost.
    pub(super) fn events(&mut self) -> Result<Vec<Event>, Error> {
        let taken = self.ranks.taken(self.ni, self.eq)?;
        let events = taken.into_iter().map(|(event, after_loss)| {
            assert!(!after_loss, "events were lost in front of {event:?}");
            event
        });
        Ok(events.collect())
    }
}

/// The get that asks for what a put names.
pub(super) fn get_as(put: &Put) -> Get {
    Get {
        local_offset: put.local_offset,
        pt_index: put.pt_index,
        match_bits: put.match_bits,
        remote_offset: put.remote_offset,
        user_ptr: put.user_ptr,
        ..Get::new(put.md, put.length, put.target)
    }
}
