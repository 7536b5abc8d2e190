//! Episodes: random calls on which the members of a context's groups disagree, and what holds when they have ended.
//!
//! At one member a call is of another kind, length or root, or is not posted, or has a wrong number. Or the host closes a
//! member while calls run, or calls are armed at some members and launched. In some groups all calls are right.
//!
//! Which members fail, and with which code, depends on who comes first. So what holds in any order is compared:
//!
//! - each call that was posted ends once at its member;
//! - a disagreement in kind, length or way closes the context of a member at least;
//! - no call is out of turn but behind a missing call or with a wrong number;
//! - calls that are right all succeed.

use super::collectives::{descriptor, Collectives, Group, OwnCall, Seat, Words};
use anyhow::ensure;
use portico_spec::{
    mpe::call::{Begin, Kind as CallKind, Launch, Row, ARMED},
    ni::{
        descriptor::{Command, Descriptor},
        ErrorCode,
    },
    Config,
};
use rand::{rngs::StdRng, seq::SliceRandom, Rng};
use std::{collections::VecDeque, ops::Range};

/// Calls of a group in an episode, at most: each has room, so that no descriptor waits behind it.
const MOST_CALLS: usize = 3;
/// Launches of a group in an episode, at most.
const MOST_LAUNCHES: usize = 3;
/// Chance that a member does not arm one of the calls that are launched.
const UNARMED: f64 = 0.3;
/// Time-outs of disagreements, in cycles, and the shortest that there are. Below these, a time-out is none: a disagreement that nobody
/// finds would stand still for ever, so only groups whose calls are all right have such ones.
const TIMEOUTS: Range<u32> = 200..4_000;
const SHORT_TIMEOUTS: Range<u32> = LEAST_TIMEOUT..8;
const LEAST_TIMEOUT: u32 = 4;
/// Chance of the shortest time-outs.
const SHORT: f64 = 0.1;

/// Events of a tile for an episode: its last ones, which the driver does not hand out.
#[derive(Clone, Copy)]
pub enum Event {
    Call,
    Fence,
    Peek,
}

/// How the members of a group disagree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    Nothing,
    Kind,
    Length,
    Way,
    Missing,
    Number,
    /// The host closes a member.
    Closed,
    /// Calls are armed and launched, at any member and any time.
    Launched,
}

/// The members of a group in an episode.
pub struct Band {
    pub tiles: Vec<usize>,
    pub wrong: Wrong,
    /// Of the context at each member, in cycles; less than four for none.
    pub timeout: u32,
    /// Calls that end at each member; none where it depends on who comes first.
    ends: Option<Vec<u16>>,
}

/// How the calls of a member have ended.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// Its context is closed.
    pub is_closed: bool,
    /// Calls that have ended.
    pub ended: u16,
    /// The first error of a call.
    pub error: Option<ErrorCode>,
}

/// Calls of a context whose outcome the model does not know.
pub struct Episode {
    pub context: usize,
    pub bands: Vec<Band>,
    /// Descriptors that are still to be posted, each with its tile.
    pub posts: VecDeque<(usize, Vec<u32>)>,
    /// Tiles whose context the host closes, each with the number of posts that are left then.
    pub closes: Vec<(usize, usize)>,
}

/// The context whose calls fail in a round.
#[derive(Default)]
pub struct Failing {
    /// None in a round in which no calls fail.
    pub context: Option<usize>,
    /// The episode that runs.
    pub episode: Option<Episode>,
    /// When the last descriptor of the episode was posted.
    pub posted: u64,
    /// Of each tile: completions of calls before the episode.
    pub before: Vec<u16>,
    /// Of each tile: completions of fences and of peeks, in all episodes.
    pub fences: Vec<u16>,
    pub peeks: Vec<u16>,
    /// Recoveries of the round, each of a group.
    pub recoveries: usize,
}

/// Descriptors of an episode before their order is drawn.
struct Lanes {
    /// Of each tile, in their order.
    calls: Vec<VecDeque<Vec<u32>>>,
    /// Each with its tile.
    launches: Vec<(usize, Vec<u32>)>,
}

impl Event {
    pub const ALL: [Event; 3] = [Event::Call, Event::Fence, Event::Peek];

    /// The number of the event at a tile.
    pub fn number(self, config: &Config) -> usize {
        config.events - 1 - self as usize
    }
}

impl Episode {
    /// Draws calls for all groups of a context.
    ///
    /// # Errors
    /// A descriptor that cannot be encoded.
    pub fn draw(
        config: &Config,
        collectives: &Collectives,
        context: usize,
        random: &mut StdRng,
    ) -> anyhow::Result<Episode> {
        let mut lanes = Lanes {
            calls: vec![VecDeque::new(); config.tiles()],
            launches: vec![],
        };
        let mut bands = vec![];
        for group in collectives.groups_of(context) {
            bands.push(Band::draw(config, group, &collectives.seats, &mut lanes, random)?);
        }
        let posts = lanes.mix(random);
        let mut closes = vec![];
        for band in bands.iter().filter(|band| band.wrong == Wrong::Closed) {
            let tile = *band.tiles.choose(random).expect("a group has members");
            closes.push((tile, random.gen_range(0..=posts.len())));
        }
        Ok(Episode {
            context,
            bands,
            posts,
            closes,
        })
    }

    /// The tiles of all bands, each with its band.
    pub fn members(&self) -> impl Iterator<Item = (usize, &Band)> {
        let bands = self.bands.iter();
        bands.flat_map(|band| band.tiles.iter().map(move |&tile| (tile, band)))
    }
}

impl Lanes {
    /// Calls of different tiles in any order, then the launches.
    fn mix(mut self, random: &mut StdRng) -> VecDeque<(usize, Vec<u32>)> {
        let mut posts = VecDeque::new();
        loop {
            let left: Vec<usize> = (0..self.calls.len())
                .filter(|&tile| !self.calls[tile].is_empty())
                .collect();
            let Some(&tile) = left.choose(random) else { break };
            let words = self.calls[tile].pop_front().expect("it has some");
            posts.push_back((tile, words));
        }
        posts.extend(self.launches);
        posts
    }
}

impl Band {
    /// Draws the calls of a group, and adds what each member posts to its lane.
    fn draw(
        config: &Config,
        group: &Group,
        seats: &[Vec<Seat>],
        lanes: &mut Lanes,
        random: &mut StdRng,
    ) -> anyhow::Result<Band> {
        let (context, tiles) = (group.context, group.tiles());
        // One member alone disagrees with nobody.
        let mut wrong = match tiles.len() {
            1 => Wrong::Nothing,
            _ => *Wrong::ALL.choose(random).expect("there are some"),
        };
        let count = random.gen_range(1..=if wrong == Wrong::Launched { ARMED } else { MOST_CALLS });
        let odd = (random.gen_range(0..tiles.len()), random.gen_range(0..count));
        let is_next = wrong != Wrong::Number && random.gen();
        let begin = match wrong {
            Wrong::Launched => Begin::Launched,
            _ if is_next => Begin::Next,
            _ => Begin::InTurn,
        };
        let mut differs = false;
        let mut ends = vec![0; tiles.len()];
        for number in 0..count {
            let calls = OwnCall::draw(group, group.next.wrapping_add(number as u8), seats, random);
            for (rank, mut own) in calls.into_iter().enumerate() {
                let words = &seats[tiles[rank]][context].words;
                if (rank, number) == odd {
                    differs = wrong.change(&mut own, &group.rows(config, rank), words, random);
                    if wrong == Wrong::Missing || wrong == Wrong::Launched && random.gen_bool(UNARMED) {
                        continue;
                    }
                }
                let call = own.call(context, begin, words, random);
                let event = Event::Call.number(config);
                lanes.calls[tiles[rank]].push_back(descriptor(call, event, false, random).encode(config)?);
                ends[rank] += 1;
            }
        }
        if wrong == Wrong::Launched {
            for _ in 0..random.gen_range(1..=MOST_LAUNCHES) {
                let launch = Descriptor {
                    event: Event::Call.number(config) as u8,
                    ..Descriptor::new(Command::Launch(Launch { context: context as u8 }))
                };
                let tile = *tiles.choose(random).expect("a group has members");
                lanes.launches.push((tile, launch.encode(config)?));
            }
        }
        // Chance may draw the length or the way that the others have. Then the host closes a member instead.
        if wrong.is_found() && !differs {
            wrong = Wrong::Closed;
        }
        Ok(Band {
            tiles: tiles.to_vec(),
            wrong,
            timeout: match wrong {
                // Some member may come at any time. No call is odd here, so its rank and number are as good as another draw.
                Wrong::Nothing => (odd.0 + odd.1) as u32 % LEAST_TIMEOUT,
                _ if random.gen_bool(SHORT) => random.gen_range(SHORT_TIMEOUTS),
                _ => random.gen_range(TIMEOUTS),
            },
            ends: (wrong != Wrong::Launched).then_some(ends),
        })
    }

    /// Compares what holds in any order with how the calls of each member have ended, by rank.
    ///
    /// # Errors
    /// The outcome of a member that the calls of the band do not allow.
    pub fn judge(&self, outcomes: &[Outcome]) -> anyhow::Result<()> {
        let what = format!("{:?} among tiles {:?}: {outcomes:?}", self.wrong, self.tiles);
        let is_closed = outcomes.iter().any(|outcome| outcome.is_closed);
        ensure!(!self.wrong.is_found() || is_closed, "nobody finds a wrong call: {what}");
        let fails = is_closed || outcomes.iter().any(|outcome| outcome.error.is_some());
        ensure!(self.wrong != Wrong::Nothing || !fails, "right calls fail: {what}");
        for (rank, outcome) in outcomes.iter().enumerate() {
            ensure!(
                outcome.error.is_none_or(|error| self.wrong.allows(error)),
                "the error of rank {rank} has no cause: {what}"
            );
            let expected = self.ends.as_ref().map_or(outcome.ended, |ends| ends[rank]);
            ensure!(outcome.ended == expected, "of rank {rank} {expected} calls end: {what}");
        }
        Ok(())
    }
}

impl Wrong {
    const ALL: [Wrong; 8] = [
        Wrong::Nothing,
        Wrong::Kind,
        Wrong::Length,
        Wrong::Way,
        Wrong::Missing,
        Wrong::Number,
        Wrong::Closed,
        Wrong::Launched,
    ];

    /// Whether some member has to find it.
    fn is_found(self) -> bool {
        matches!(self, Wrong::Kind | Wrong::Length | Wrong::Way)
    }

    /// Whether calls of the members may end with this error.
    fn allows(self, error: ErrorCode) -> bool {
        match error {
            ErrorCode::Mismatch | ErrorCode::TimedOut | ErrorCode::Closed => true,
            // A number is wrong, or that of the call behind a missing one. Of launches one may come too early.
            ErrorCode::OutOfTurn => matches!(self, Wrong::Missing | Wrong::Number | Wrong::Launched),
            _ => false,
        }
    }

    /// Makes a call one of another kind, length, way or number; gives whether the others have to find it.
    fn change(self, own: &mut OwnCall, list: &[Option<Row>], words: &Words, random: &mut StdRng) -> bool {
        let is_barrier = own.kind == CallKind::Barrier;
        match self {
            Wrong::Kind => {
                let others: Vec<CallKind> = CallKind::ALL.into_iter().filter(|&kind| kind != own.kind).collect();
                own.kind = *others.choose(random).expect("there are others");
                true
            }
            Wrong::Length => {
                let before = std::mem::replace(&mut own.length, words.length(random));
                own.length != before && !is_barrier
            }
            Wrong::Way => {
                let neighbours = (0..list.len()).filter(|&place| list[place].is_some());
                let ways: Vec<Option<u8>> = neighbours.map(|place| Some(place as u8)).chain([None]).collect();
                let way = *ways.choose(random).expect("there is one at least");
                let before = std::mem::replace(&mut own.towards, way);
                // A barrier of two that wait for each other's release ends.
                own.towards != before && !is_barrier
            }
            Wrong::Number => {
                own.number = own.number.wrapping_add(random.gen_range(1..=u8::MAX));
                false
            }
            Wrong::Nothing | Wrong::Missing | Wrong::Closed | Wrong::Launched => false,
        }
    }
}
