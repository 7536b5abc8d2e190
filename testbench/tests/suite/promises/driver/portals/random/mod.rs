//! Random operations on two fabrics at once. Each is waited for before the next, so that all that programs can see is the same.

use self::{side::Side, source::Source};
use super::TILES;
use portico::{portals::*, Fabric, Transport};
use rand::{rngs::StdRng, Rng, SeedableRng};
use std::{collections::BTreeMap, fmt::Debug};

mod side;
mod source;

/// Operations of a run.
const OPERATIONS: usize = 400;
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

/// An interface of a rank.
#[derive(Clone, Copy, Debug)]
struct Place {
    rank: usize,
    interface: Interface,
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
    /// Of the headers of an index; with a counter.
    Search(u32, SearchOp, Me, Option<usize>, u32),
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
        focus: 0,
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
            Operation::Append(..) | Operation::Search(..) => {
                source.entries += usize::from(succeeds && matches!(operation, Operation::Append(..)));
                if source.random.gen_bool(0.5) {
                    pair.do_both(place, &Operation::Take);
                }
            }
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
        // Headers may have taken all places.
        for pt_index in INDICES {
            let all = Me {
                ignore_bits: u64::MAX,
                ..Me::default()
            };
            pair.do_both(place, &Operation::Search(pt_index, SearchOp::Delete, all, None, 0));
            pair.do_both(place, &Operation::Take);
        }
        pair.do_both(place, &Operation::Look);
    }
    pair.compare_memory()?;
    pair.model.ranks.finish()?;
    pair.other.ranks.finish()?;
    Ok(pair.seen)
}
