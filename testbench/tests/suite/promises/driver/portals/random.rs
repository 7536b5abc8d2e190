//! Random operations on two fabrics at once. Each is waited for before the next, so that all that programs can see is the same.

use super::{Ranks, TILES};
use portico::{portals::*, Fabric, Transport};
use rand::{rngs::StdRng, seq::SliceRandom, Rng, SeedableRng};
use std::{collections::BTreeMap, fmt::Debug};

/// Operations of a run.
const OPERATIONS: usize = 300;
/// Longest put and get, in bytes.
const LONGEST: u64 = 600;
/// Bytes that memory descriptors have; entries have as many behind them.
const AREA: u32 = 0x800;
/// Of both, and some that nobody uses.
const BYTES: u32 = 2 * AREA + 0x40;
/// Portal indices of each interface: with an event queue, without one, and with one but disabled at first.
const INDICES: [u32; 3] = [0, 1, 62];
/// An index that is never allocated.
const UNALLOCATED: u32 = 9;
/// Events of the queues of a portal index and of a memory descriptor.
const SIZES: [u64; 2] = [4, 2];
/// Counters, and memory descriptors, of each interface.
const ROWS: usize = 2;
/// Operations between two looks at all memory.
const LOOKS: usize = 100;

/// Of each interface of each rank.
struct Own {
    eqs: [EqHandle; 2],
    cts: Vec<CtHandle>,
    mds: Vec<MdHandle>,
}

/// A fabric, and its handles.
struct Side<T> {
    ranks: Ranks<T>,
    own: Vec<[Own; 2]>,
    entries: Vec<(Place, Entry)>,
}

/// An interface of a rank.
#[derive(Clone, Copy, Debug)]
struct Place {
    rank: usize,
    interface: Interface,
}

#[derive(Clone, Copy, Debug)]
enum Entry {
    Me(MeHandle),
    Le(LeHandle),
}

/// A memory descriptor, without handles.
#[derive(Clone, Copy, Debug)]
struct Descriptor {
    start: u32,
    length: u64,
    options: MdOptions,
    queues: bool,
    counter: Option<usize>,
}

/// A put or get, without handles.
#[derive(Clone, Copy, Debug)]
struct Move {
    is_put: bool,
    md: usize,
    ack: AckReq,
    target: usize,
    pt_index: u32,
    local: u64,
    length: u64,
    remote: u64,
    match_bits: u64,
    user_ptr: u32,
    hdr_data: u64,
}

#[derive(Clone, Copy, Debug)]
enum Operation {
    Bind(usize, Descriptor),
    Move(Move),
    /// Into an index and a list; with a counter.
    Append(u32, PtlList, Me, Option<usize>, u32),
    /// That entry of all that were appended.
    Unlink(usize),
    Enable(u32),
    Disable(u32),
    Free(u32),
    Allocate(u32, PtOptions),
    User(u32),
    Set(usize, CtEvent),
    Increment(usize, CtEvent),
    /// Takes the events of both queues.
    Take,
    /// Looks at counters and status registers.
    Look,
}

/// What a program sees of an operation.
#[derive(Debug, PartialEq)]
struct Outcome {
    result: Result<(), Error>,
    events: Vec<(Event, bool)>,
    counts: Vec<CtEvent>,
    status: Vec<u32>,
}

impl<T: Transport> Side<T> {
    fn new(fabric: Fabric<T>, memory: &[Vec<u32>]) -> Result<Side<T>, Error> {
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

    fn does(&mut self, place: Place, operation: &Operation) -> Outcome {
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
                let entry = match place.interface {
                    Interface::Matching => ni.me_append(fabric, pt_index, &me, list, user_ptr).map(Entry::Me),
                    Interface::NonMatching => {
                        let le = Le {
                            start: me.start,
                            length: me.length,
                            ct: me.ct,
                            uid: me.uid,
                            options: me.options,
                        };
                        ni.le_append(fabric, pt_index, &le, list, user_ptr).map(Entry::Le)
                    }
                };
                entry.map(|entry| self.entries.push((place, entry)))
            }
            Operation::Unlink(number) => {
                let (place, entry) = self.entries[number];
                let ni = self.ranks.ni(place.rank, place.interface);
                let fabric = &mut self.ranks.fabric;
                match entry {
                    Entry::Me(me) => ni.me_unlink(fabric, me),
                    Entry::Le(le) => ni.le_unlink(fabric, le),
                }
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
    fn memory(&mut self, rank: usize) -> Result<Vec<u32>, Error> {
        let tile = TILES[rank];
        let rings = 2 * SIZES.iter().sum::<u64>() as usize * 10;
        let words = self.ranks.base() as usize / 4 + BYTES as usize / 4 + rings + 64;
        let mut memory = self.ranks.fabric.read(tile, 0, words)?;
        memory[(self.ranks.base() + BYTES) as usize / 4] = 0;
        Ok(memory)
    }
}

/// The get that asks for what a put names.
fn get_as(put: &Put) -> Get {
    Get {
        local_offset: put.local_offset,
        pt_index: put.pt_index,
        match_bits: put.match_bits,
        remote_offset: put.remote_offset,
        user_ptr: put.user_ptr,
        ..Get::new(put.md, put.length, put.target)
    }
}

/// Draws operations.
struct Source {
    random: StdRng,
    /// First byte of the memory of a rank.
    base: u32,
    /// Entries that were appended.
    entries: usize,
    /// Bytes of the memory descriptors.
    lengths: [[[u64; ROWS]; 2]; TILES.len()],
    /// For user pointers and header data.
    count: u32,
}

impl Source {
    fn place(&mut self) -> Place {
        Place {
            rank: self.rank(),
            interface: match self.random.gen_bool(0.85) {
                true => Interface::Matching,
                false => Interface::NonMatching,
            },
        }
    }

    /// Some ranks have most entries and messages.
    fn rank(&mut self) -> usize {
        self.one(&[0, 0, 0, 0, 0, 1, 1, 2, 3])
    }

    fn one<V: Copy>(&mut self, of: &[V]) -> V {
        *of.choose(&mut self.random).expect("some")
    }

    fn chance<V>(&mut self, chance: f64, draw: impl Fn(&mut StdRng) -> V) -> Option<V> {
        self.random.gen_bool(chance).then(|| draw(&mut self.random))
    }

    /// Few different match bits, in both words.
    fn match_bits(&mut self) -> u64 {
        self.one(&[0, 0, 0, 1, 1 << 40])
    }

    fn length(&mut self, most: u64) -> u64 {
        let longest = self.one(&[10, 130, LONGEST]);
        self.random.gen_range(0..=longest.min(most))
    }

    fn counts(&mut self) -> CtEvent {
        let values = [0, 0, 1, 1000, u32::MAX.into()];
        CtEvent {
            success: self.one(&values),
            failure: self.one(&values),
        }
    }

    fn descriptor(&mut self) -> Descriptor {
        let mut options = MdOptions::NONE;
        for (option, chance) in [
            (MdOptions::EVENT_SUCCESS_DISABLE, 0.15),
            (MdOptions::EVENT_SEND_DISABLE, 0.3),
            (MdOptions::EVENT_CT_SEND, 0.4),
            (MdOptions::EVENT_CT_REPLY, 0.6),
            (MdOptions::EVENT_CT_ACK, 0.6),
            (MdOptions::EVENT_CT_BYTES, 0.4),
        ] {
            if self.random.gen_bool(chance) {
                options = options | option;
            }
        }
        let from = self.random.gen_range(0..0x100);
        Descriptor {
            start: self.base + from,
            length: self.random.gen_range(0..=u64::from(AREA - from)),
            options,
            queues: self.random.gen_bool(0.8),
            counter: self.chance(0.8, |random| random.gen_range(0..ROWS)),
        }
    }

    fn request(&mut self, place: Place) -> Move {
        let md = self.random.gen_range(0..ROWS);
        let bytes = self.lengths[place.rank][place.interface as usize][md];
        let local = self.random.gen_range(0..=bytes);
        self.count += 1;
        let far = [0, 0, 0, 0, 1, 5, 64, 300, 599, 0xffff_ffff];
        Move {
            is_put: self.random.gen_bool(0.6),
            md,
            ack: self.one(&[AckReq::NoAck, AckReq::Ack, AckReq::Ack, AckReq::CtAck, AckReq::OcAck]),
            target: self.rank(),
            pt_index: self.chance(0.02, |_| UNALLOCATED).unwrap_or_else(|| self.index()),
            local,
            length: self.length(bytes - local),
            remote: self.one(&far),
            match_bits: self.match_bits(),
            user_ptr: self.count,
            hdr_data: u64::from(self.count) << 32 | u64::from(!self.count),
        }
    }

    fn entry(&mut self, place: Place) -> Operation {
        let mut options = EntryOptions::NONE;
        for (option, chance) in [
            (EntryOptions::USE_ONCE, 0.5),
            (EntryOptions::NO_TRUNCATE, 0.2),
            (EntryOptions::MANAGE_LOCAL, 0.35),
            (EntryOptions::UNEXPECTED_HDR_DISABLE, 0.1),
            (EntryOptions::OP_PUT, 0.85),
            (EntryOptions::OP_GET, 0.8),
            (EntryOptions::ACK_DISABLE, 0.15),
            (EntryOptions::EVENT_LINK_DISABLE, 0.6),
            (EntryOptions::EVENT_UNLINK_DISABLE, 0.15),
            (EntryOptions::EVENT_COMM_DISABLE, 0.15),
            (EntryOptions::EVENT_OVER_DISABLE, 0.1),
            (EntryOptions::EVENT_SUCCESS_DISABLE, 0.15),
            (EntryOptions::EVENT_CT_COMM, 0.6),
            (EntryOptions::EVENT_CT_OVERFLOW, 0.2),
            (EntryOptions::EVENT_CT_BYTES, 0.4),
        ] {
            let of_matching = [EntryOptions::NO_TRUNCATE, EntryOptions::MANAGE_LOCAL].contains(&option);
            let chance = if of_matching && place.interface == Interface::NonMatching {
                0.0
            } else {
                chance
            };
            if self.random.gen_bool(chance) {
                options = options | option;
            }
        }
        let from = self.random.gen_range(0..0x400);
        let length = self.length(LONGEST);
        self.count += 1;
        let me = Me {
            start: self.base + AREA + from,
            length,
            min_free: self
                .chance(0.5, |random| random.gen_range(0..=length + 20))
                .unwrap_or_default(),
            uid: self.chance(0.15, |random| random.gen_range(0..3)),
            options,
            match_id: self.chance(0.35, |random| random.gen_range(0..TILES.len() as u32)),
            match_bits: self.match_bits(),
            ignore_bits: self.one(&[0, 0, 1, 1 << 40, u64::MAX, u64::MAX]),
            ..Me::default()
        };
        let list = self.one(&[PtlList::Priority, PtlList::Overflow]);
        let counter = self.chance(0.7, |random| random.gen_range(0..ROWS));
        Operation::Append(self.index(), list, me, counter, self.count)
    }

    fn index(&mut self) -> u32 {
        self.one(&[INDICES[0], INDICES[0], INDICES[0], INDICES[0], INDICES[1], INDICES[2]])
    }

    fn draw(&mut self, place: Place) -> Operation {
        let row = self.random.gen_range(0..ROWS);
        match self.random.gen_range(0..100) {
            0..=49 => Operation::Move(self.request(place)),
            50..=77 => self.entry(place),
            78..=83 if self.entries > 0 => Operation::Unlink(self.random.gen_range(0..self.entries)),
            84..=87 => {
                let descriptor = self.descriptor();
                self.lengths[place.rank][place.interface as usize][row] = descriptor.length;
                Operation::Bind(row, descriptor)
            }
            88..=89 => Operation::Enable(self.index()),
            90 => Operation::Disable(self.index()),
            91 => Operation::Free(self.index()),
            92..=93 => Operation::Allocate(self.index(), self.one(&[PtOptions::NONE, PtOptions::ALLOC_DISABLED])),
            94 => Operation::User(self.random.gen_range(0..3)),
            95 => Operation::Set(row, self.counts()),
            96..=97 => Operation::Increment(row, self.counts()),
            _ => Operation::Take,
        }
    }
}

/// Both sides.
struct Pair<A, B> {
    model: Side<A>,
    other: Side<B>,
    seed: u64,
    number: usize,
    /// How often each kind of event and each failure was seen.
    seen: BTreeMap<&'static str, usize>,
}

impl<A: Transport, B: Transport> Pair<A, B> {
    /// Both do it, and see the same; gives whether it succeeds.
    fn do_both(&mut self, place: Place, operation: &Operation) -> bool {
        println!("{}: {place:?} {operation:?}", self.number);
        let expected = self.model.does(place, operation);
        let found = self.other.does(place, operation);
        self.compare(&expected, &found, operation);
        let names = expected.events.iter().flat_map(|(event, is_dropped)| {
            let drop = is_dropped.then_some("PTL_EQ_DROPPED");
            [event.kind.name(), event.ni_fail_type.name()].into_iter().chain(drop)
        });
        for name in names.chain(expected.result.as_ref().err().map(Error::code)) {
            *self.seen.entry(name).or_default() += 1;
        }
        expected.result.is_ok()
    }

    fn compare<V: Debug + PartialEq>(&self, expected: &V, found: &V, what: &impl Debug) {
        let (seed, number) = (self.seed, self.number);
        assert!(
            expected == found,
            "seed {seed}, operation {number}, {what:?}: golden {expected:?}, found {found:?}"
        );
    }

    fn compare_memory(&mut self) -> Result<(), Error> {
        for rank in 0..TILES.len() {
            let (expected, found) = (self.model.memory(rank)?, self.other.memory(rank)?);
            let differ = (0..expected.len()).find(|&at| expected[at] != found[at]);
            let differ = differ.map(|at| (rank, 4 * at, expected[at], found[at]));
            self.compare(&None, &differ, &"memory: rank, address, words");
        }
        Ok(())
    }
}

/// From a seed, ranks do random operations on both fabrics; events, counters, status registers, errors and memory are
/// the same. Gives how often each kind of event and each failure was seen.
pub fn random_operations_agree<A: Transport, B: Transport>(
    model: Fabric<A>,
    other: Fabric<B>,
    seed: u64,
) -> Result<BTreeMap<&'static str, usize>, Error> {
    println!("seed {seed}");
    let mut random = StdRng::seed_from_u64(seed);
    let words = BYTES as usize / 4;
    let memory: Vec<Vec<u32>> = TILES
        .iter()
        .map(|_| (0..words).map(|_| random.gen()).collect())
        .collect();
    let (model, other) = (Side::new(model, &memory)?, Side::new(other, &memory)?);
    let mut source = Source {
        random,
        base: model.ranks.base(),
        entries: 0,
        lengths: Default::default(),
        count: 0,
    };
    let mut pair = Pair {
        model,
        other,
        seed,
        number: 0,
        seen: BTreeMap::new(),
    };
    let places = |rank| [Interface::Matching, Interface::NonMatching].map(|interface| Place { rank, interface });
    let all: Vec<Place> = (0..TILES.len()).flat_map(places).collect();
    for &place in &all {
        for (pt_index, options) in
            INDICES
                .into_iter()
                .zip([PtOptions::NONE, PtOptions::NONE, PtOptions::ALLOC_DISABLED])
        {
            pair.do_both(place, &Operation::Allocate(pt_index, options));
        }
        for row in 0..ROWS {
            let descriptor = source.descriptor();
            source.lengths[place.rank][place.interface as usize][row] = descriptor.length;
            pair.do_both(place, &Operation::Bind(row, descriptor));
        }
    }
    for number in 1..=OPERATIONS {
        pair.number = number;
        let place = source.place();
        let operation = source.draw(place);
        let succeeds = pair.do_both(place, &operation);
        match operation {
            Operation::Append(..) if succeeds => source.entries += 1,
            Operation::Move(request) => {
                let target = Place {
                    rank: request.target,
                    ..place
                };
                for place in [place, target] {
                    if source.random.gen_bool(0.25) {
                        pair.do_both(place, &Operation::Take);
                    }
                    if source.random.gen_bool(0.3) {
                        pair.do_both(place, &Operation::Look);
                    }
                }
            }
            _ => {}
        }
        if number % LOOKS == 0 {
            pair.compare_memory()?;
        }
    }
    for place in all {
        pair.do_both(place, &Operation::Take);
        pair.do_both(place, &Operation::Look);
    }
    pair.model.ranks.finish()?;
    pair.other.ranks.finish()?;
    Ok(pair.seen)
}
