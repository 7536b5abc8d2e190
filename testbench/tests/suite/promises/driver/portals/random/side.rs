//! A fabric that does operations, and what a program sees of them.

use super::{
    super::{
        target::{append, get_as, search, unlink, Entry},
        Ranks, TILES,
    },
    Operation, Place, BYTES, INDICES, ROWS, SIZES,
};
use portico::{portals::*, Fabric, Transport};

/// Of each interface of each rank.
struct Own {
    eqs: [EqHandle; 2],
    cts: Vec<CtHandle>,
    mds: Vec<MdHandle>,
}

/// A fabric, and its handles.
pub(super) struct Side<T> {
    pub(super) ranks: Ranks<T>,
    own: Vec<[Own; 2]>,
    entries: Vec<(Place, Entry)>,
}

/// What a program sees of an operation.
#[derive(Debug, PartialEq)]
pub(super) struct Outcome {
    pub(super) result: Result<(), Error>,
    pub(super) events: Vec<(Event, bool)>,
    counts: Vec<CtEvent>,
    status: Vec<u32>,
}

impl<T: Transport> Side<T> {
    /// With this memory of each rank.
    pub(super) fn new(fabric: Fabric<T>, memory: &[Vec<u32>]) -> Result<Side<T>, Error> {
        let mut ranks = Ranks::new(fabric, BYTES)?;
        let mut own = vec![];
        for (rank, words) in memory.iter().enumerate() {
            ranks.fabric.write(TILES[rank], ranks.base(), words)?;
            let mut open = |interface| -> Result<Own, Error> {
                let ni = ranks.ni(rank, interface);
                let fabric = &mut ranks.fabric;
                let eqs = [ni.eq_alloc(fabric, SIZES[0])?, ni.eq_alloc(fabric, SIZES[1])?];
                let cts = (0..ROWS).map(|_| ni.ct_alloc(fabric)).collect::<Result<_, _>>()?;
                let mds = (0..ROWS).map(|_| ni.md_bind(fabric, &Md::default()));
                let mds = mds.collect::<Result<_, _>>()?;
                Ok(Own { eqs, cts, mds })
            };
            own.push([open(Interface::Matching)?, open(Interface::NonMatching)?]);
        }
        let entries = vec![];
        Ok(Side { ranks, own, entries })
    }

    fn own(&self, place: Place) -> &Own {
        &self.own[place.rank][place.interface as usize]
    }

    /// Does an operation, and waits until it is over.
    pub(super) fn does(&mut self, place: Place, operation: &Operation) -> Outcome {
        let mut outcome = Outcome {
            result: Ok(()),
            events: vec![],
            counts: vec![],
            status: vec![],
        };
        outcome.result = match *operation {
            Operation::Take => self.takes(place, &mut outcome),
            Operation::Look => self.looks(place, &mut outcome),
            _ => self.changes(place, operation),
        };
        outcome
    }

    fn takes(&mut self, place: Place, outcome: &mut Outcome) -> Result<(), Error> {
        let ni = self.ranks.ni(place.rank, place.interface);
        for eq in self.own(place).eqs {
            outcome.events.extend(self.ranks.taken(ni, eq)?);
        }
        Ok(())
    }

    fn looks(&mut self, place: Place, outcome: &mut Outcome) -> Result<(), Error> {
        let ni = self.ranks.ni(place.rank, place.interface);
        for ct in self.own(place).cts.clone() {
            outcome.counts.push(ni.ct_get(&mut self.ranks.fabric, ct)?);
        }
        for register in [
            StatusRegister::DropCount,
            StatusRegister::PermissionViolations,
            StatusRegister::OperationViolations,
        ] {
            outcome.status.push(ni.ni_status(&mut self.ranks.fabric, register)?);
        }
        Ok(())
    }

    fn changes(&mut self, place: Place, operation: &Operation) -> Result<(), Error> {
        let ni = self.ranks.ni(place.rank, place.interface);
        let own = &self.own[place.rank][place.interface as usize];
        let fabric = &mut self.ranks.fabric;
        match *operation {
            Operation::Bind(number, descriptor) => {
                let md = Md {
                    start: descriptor.start,
                    length: descriptor.length,
                    options: descriptor.options,
                    eq: descriptor.queues.then_some(own.eqs[1]),
                    ct: descriptor.counter.map(|counter| own.cts[counter]),
                };
                ni.md_release(fabric, own.mds[number])?;
                self.own[place.rank][place.interface as usize].mds[number] = ni.md_bind(fabric, &md)?;
                Ok(())
            }
            Operation::Move(request) => {
                let put = Put {
                    md: own.mds[request.md],
                    local_offset: request.local,
                    length: request.length,
                    ack: request.ack,
                    target: request.target as u32,
                    pt_index: request.pt_index,
                    match_bits: request.match_bits,
                    remote_offset: request.remote,
                    user_ptr: request.user_ptr,
                    hdr_data: request.hdr_data,
                };
                match request.is_put {
                    true => ni.put(fabric, &put)?,
                    false => ni.get(fabric, &get_as(&put))?,
                }
                self.ranks.rest();
                Ok(())
            }
            Operation::Append(pt_index, list, me, counter, user_ptr) => {
                let me = Me {
                    ct: counter.map(|counter| own.cts[counter]),
                    ..me
                };
                let entry = append(fabric, ni, pt_index, &me, list, user_ptr);
                entry.map(|entry| self.entries.push((place, entry)))
            }
            Operation::Search(pt_index, operation, me, counter, user_ptr) => {
                let me = Me {
                    ct: counter.map(|counter| own.cts[counter]),
                    ..me
                };
                search(fabric, ni, pt_index, &me, operation, user_ptr)
            }
            Operation::Unlink(number) => {
                let (place, entry) = self.entries[number];
                let ni = self.ranks.ni(place.rank, place.interface);
                unlink(&mut self.ranks.fabric, ni, entry)
            }
            Operation::Enable(pt_index) => ni.pt_enable(fabric, pt_index),
            Operation::Disable(pt_index) => ni.pt_disable(fabric, pt_index),
            Operation::Free(pt_index) => ni.pt_free(fabric, pt_index),
            Operation::Allocate(pt_index, options) => {
                let eq = (pt_index != INDICES[1]).then_some(own.eqs[0]);
                ni.pt_alloc(fabric, options, eq, Some(pt_index)).map(drop)
            }
            Operation::User(uid) => ni.set_uid(fabric, uid),
            Operation::Set(counter, counts) => ni.ct_set(fabric, own.cts[counter], counts),
            Operation::Increment(counter, counts) => ni.ct_inc(fabric, own.cts[counter], counts),
            Operation::Take | Operation::Look => unreachable!("they change nothing"),
        }
    }

    /// The memory of a rank that is in use: of the suite, of rings, and what lies behind. The word of the driver for handles is left out:
    /// an entry may have any place.
    pub(super) fn memory(&mut self, rank: usize) -> Result<Vec<u32>, Error> {
        let tile = TILES[rank];
        let rings = 2 * SIZES.iter().sum::<u64>() as usize * 10;
        let words = self.ranks.base() as usize / 4 + BYTES as usize / 4 + rings + 64;
        let mut memory = self.ranks.fabric.read(tile, 0, words)?;
        memory[(self.ranks.base() + BYTES) as usize / 4] = 0;
        Ok(memory)
    }
}
