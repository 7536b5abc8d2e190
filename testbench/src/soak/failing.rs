//! Calls on which the members of a group disagree, and the recovery of their context while all else goes on.
//!
//! In some rounds one context makes no calls that the model knows. In its place its groups make calls of which the host does not
//! know how they end: at one member a call is of another kind, length or root, or is not posted, or has a wrong number; the host
//! closes a member while calls run; calls are armed at some members, and launched. Time-outs end what nobody notices. Then the host
//! recovers the context, and other calls follow.
//!
//! Which members fail, and with which code, depends on who comes first. So what holds in any order is compared:
//!
//! - each call that was posted ends once at its member, and no member runs on;
//! - a disagreement in kind, length or way closes the context of a member at least;
//! - calls that are right all succeed;
//! - a closed context drains, all credits come home, and an open one is as after reset;
//! - calls of other contexts, and all else of the round, do what the model does.
//!
//! At the end of the round the words of the context get new values, and the next round may use it like any other: so its sums show
//! what a failed call has left.

use super::{
    access::{self, Rows},
    calls::descriptor,
    check::Late,
    collectives::Words,
    device::SoakDevice,
    epoch::{Epoch, ROUND_CYCLES},
};
use anyhow::ensure;
use portico_spec::{
    mpe::{
        call::{Begin, Call, Kind as CallKind, Launch, Row, Transfer, ARMED},
        reduce::Operation as Reduction,
    },
    ni::{
        descriptor::{self, Command, Descriptor, Geometry},
        registers::{
            EventRegister, MpeRegister, SegmentRegister, MPE_CLOSED_OFFSET, MPE_CLOSE_OFFSET, MPE_DRAINED_OFFSET,
            MPE_IDLE_OFFSET, MPE_OPEN_OFFSET, MPE_RUNNING_OFFSET, MPE_WAITING_OFFSET,
        },
        segment,
    },
    Config,
};
use rand::{rngs::StdRng, seq::SliceRandom, Rng};
use std::collections::VecDeque;

/// Calls of a group in an episode, at most: each has room, so that no descriptor waits behind it.
const MOST_CALLS: usize = 3;
/// Launches of a group in an episode, at most.
const MOST_LAUNCHES: usize = 3;
/// Time-outs of disagreements, in cycles, and the shortest that there are.
const TIMEOUTS: std::ops::Range<u32> = 200..4_000;
const SHORT_TIMEOUTS: std::ops::Range<u32> = 4..8;
/// Chance of the shortest time-outs.
const SHORT: f64 = 0.1;
/// Descriptors that are posted at once, at most.
const MOST_AT_ONCE: usize = 6;

/// How the members of a group disagree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrong {
    Nothing,
    Kind,
    Length,
    Way,
    Missing,
    Number,
    Closed,
    /// Calls are armed and launched, at any member and any time.
    Launched,
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
}

/// The members of a group in an episode.
struct Band {
    tiles: Vec<usize>,
    /// Neighbours, each pair once.
    edges: Vec<(usize, usize)>,
    wrong: Wrong,
    /// Of the context at each member, in cycles; 0 for none.
    timeout: u32,
    /// Completions that each member's event has when its calls have ended; none where it depends on who comes first.
    ends: Option<Vec<u16>>,
}

/// Calls of a context whose outcome the model does not know.
#[derive(Default)]
pub struct Failing {
    /// The context of this round, if there is one.
    context: Option<usize>,
    bands: Vec<Band>,
    /// What is still to be posted, and where; then a fence, behind which the engine has all of it.
    posts: VecDeque<(usize, Vec<u32>)>,
    /// The tile whose context the host closes when so many posts are left.
    closes: Vec<(usize, usize)>,
    /// When the last descriptor was posted.
    posted: u64,
    /// Of each tile: completions of fences and of peeks.
    fences: Vec<u16>,
    peeks: Vec<u16>,
    /// Of each tile: completions of calls before the episode.
    before: Vec<u16>,
    /// Recoveries of the round, each of a group.
    pub recoveries: usize,
}

/// Events that the driver does not hand out: the last ones.
fn call_event(config: &Config) -> usize {
    config.events - 1
}
fn fence_event(config: &Config) -> usize {
    config.events - 2
}
fn peek_event(config: &Config) -> usize {
    config.events - 3
}

/// The segment with which a tile peeks at the neighbour in this place of its peeks; lists have those above.
fn peek_segment(config: &Config, at: usize) -> usize {
    config.segments / 2 + at
}

impl<D: SoakDevice> Epoch<D> {
    /// The context whose calls fail in this round, if there is one.
    pub fn failing_context(&self) -> Option<usize> {
        self.failing.context
    }

    /// Decides whether a context makes wrong calls in the round that begins. Its groups are known.
    pub fn choose_failing(&mut self, random: &mut StdRng) {
        let share = self.workload.failing(&self.config);
        self.failing.context = (share > 0.0 && random.gen_bool(share)).then(|| random.gen_range(0..self.config.mpe));
        self.failing.recoveries = 0;
        let tiles = self.config.tiles();
        self.failing.fences.resize(tiles, 0);
        self.failing.peeks.resize(tiles, 0);
    }

    /// Draws the calls of an episode: of all groups of the context.
    ///
    /// # Errors
    /// The device's.
    pub fn begin_failing(&mut self, random: &mut StdRng) -> anyhow::Result<()> {
        let Some(context) = self.failing.context else {
            return Ok(());
        };
        let mut lanes: Vec<VecDeque<Vec<u32>>> = vec![VecDeque::new(); self.config.tiles()];
        let mut launches = vec![];
        self.failing.bands.clear();
        self.failing.closes.clear();
        self.failing.before = self.counts(call_event(&self.config))?;
        for at in 0..self.collectives.groups.len() {
            if self.collectives.groups[at].context != context {
                continue;
            }
            let mut band = self.draw_band(at, &mut lanes, &mut launches, random)?;
            band.timeout = match band.wrong {
                // Some member may come at any time.
                Wrong::Nothing => 0,
                _ if random.gen_bool(SHORT) => random.gen_range(SHORT_TIMEOUTS),
                _ => random.gen_range(TIMEOUTS),
            };
            for &tile in &band.tiles {
                self.poke_context(tile, MpeRegister::Timeout, band.timeout)?;
            }
            self.failing.bands.push(band);
        }
        // Each tile's in their order, those of all tiles in any.
        self.failing.posts.clear();
        loop {
            let some: Vec<usize> = (0..lanes.len()).filter(|&tile| !lanes[tile].is_empty()).collect();
            let Some(&tile) = some.choose(random) else { break };
            let words = lanes[tile].pop_front().expect("it has some");
            self.failing.posts.push_back((tile, words));
        }
        self.failing.posts.extend(launches);
        let posts = self.failing.posts.len();
        for band in self.failing.bands.iter().filter(|band| band.wrong == Wrong::Closed) {
            let tile = *band.tiles.choose(random).expect("a group has members");
            self.failing.closes.push((tile, random.gen_range(0..=posts)));
        }
        let of_bands: Vec<usize> = self.failing.bands.iter().flat_map(|band| band.tiles.clone()).collect();
        for tile in of_bands {
            let fence = Descriptor {
                segment: self
                    .site
                    .pairs
                    .iter()
                    .find(|pair| pair.initiator == tile)
                    .expect("every tile has a target")
                    .zone,
                event: fence_event(&self.config) as u8,
                ..Descriptor::new(Command::Fence)
            };
            self.failing.posts.push_back((tile, fence.encode(&self.config)?));
            self.failing.fences[tile] = self.failing.fences[tile].wrapping_add(1);
        }
        Ok(())
    }

    /// Draws the calls of a group, and adds what each member posts to its lane.
    fn draw_band(
        &mut self,
        at: usize,
        lanes: &mut [VecDeque<Vec<u32>>],
        launches: &mut Vec<(usize, Vec<u32>)>,
        random: &mut StdRng,
    ) -> anyhow::Result<Band> {
        let group = &self.collectives.groups[at];
        let (context, tiles) = (group.context, group.tiles().to_vec());
        let config = &self.config;
        // One member alone disagrees with nobody.
        let wrong = match tiles.len() {
            1 => Wrong::Nothing,
            _ => *Wrong::ALL.choose(random).expect("there are some"),
        };
        let count = random.gen_range(1..=if wrong == Wrong::Launched { ARMED } else { MOST_CALLS });
        let (odd, odd_call) = (random.gen_range(0..tiles.len()), random.gen_range(0..count));
        let is_next = wrong != Wrong::Number && random.gen();
        let mut is_wrong = false;
        let mut ends = vec![0; tiles.len()];
        for number in 0..count {
            let kind = *CallKind::ALL.choose(random).expect("there are some");
            let operation = *Reduction::ALL.choose(random).expect("there are some");
            let root = random.gen_range(0..tiles.len());
            let towards = group.towards(root);
            let length = self.collectives.seats[tiles[root]][context].words.length(random);
            for (rank, &tile) in tiles.iter().enumerate() {
                let words = self.collectives.seats[tile][context].words;
                let is_odd = (rank, number) == (odd, odd_call);
                let mut own = Own {
                    kind,
                    length,
                    towards: towards[rank],
                    number: number as u8,
                };
                if is_odd {
                    is_wrong = own.disagree(wrong, &group.rows(config, rank), &words, random);
                }
                // A call that a member launches now and then is not armed at some.
                if is_odd && (wrong == Wrong::Missing || wrong == Wrong::Launched && random.gen_bool(0.3)) {
                    continue;
                }
                let begin = match wrong {
                    Wrong::Launched => Begin::Launched,
                    _ if is_next => Begin::Next,
                    _ => Begin::InTurn,
                };
                let call = own.call(context, begin, operation, &words, random);
                let event = call_event(config);
                lanes[tile].push_back(descriptor(call, event, false, random).encode(config)?);
                ends[rank] += 1;
            }
        }
        if wrong == Wrong::Launched {
            for _ in 0..random.gen_range(1..=MOST_LAUNCHES) {
                let launch = Descriptor {
                    event: call_event(config) as u8,
                    ..Descriptor::new(Command::Launch(Launch { context: context as u8 }))
                };
                let tile = *tiles.choose(random).expect("a group has members");
                launches.push((tile, launch.encode(config)?));
            }
        }
        let mut edges = vec![];
        for (rank, &tile) in tiles.iter().enumerate() {
            let others = group.rows(config, rank).into_iter().flatten();
            let others = others.filter_map(|row: Row| config.node_id(row.node));
            edges.extend(others.filter(|&other| tile < other).map(|other| (tile, other)));
        }
        Ok(Band {
            tiles,
            edges,
            // What was drawn may be no disagreement: of the ways of a leaf there is one.
            wrong: if is_wrong || !wrong.is_found() {
                wrong
            } else {
                Wrong::Closed
            },
            timeout: 0,
            ends: (wrong != Wrong::Launched).then_some(ends),
        })
    }

    /// The next step of an episode. When it is over the context is recovered; gives whether it is.
    ///
    /// # Errors
    /// The device does something wrong.
    pub fn advance_failing(&mut self, random: &mut StdRng) -> anyhow::Result<bool> {
        if self.failing.context.is_none() {
            return Ok(true);
        }
        let left = self.failing.posts.len();
        let due: Vec<usize> = self
            .failing
            .closes
            .iter()
            .filter(|close| close.1 >= left)
            .map(|close| close.0)
            .collect();
        self.failing.closes.retain(|close| close.1 < left);
        for tile in due {
            self.poke_context(tile, MpeRegister::Control, 1 << MPE_CLOSE_OFFSET)?;
        }
        if left > 0 {
            for (tile, words) in self.failing.posts.drain(..left.min(random.gen_range(1..=MOST_AT_ONCE))) {
                self.device.transport().command(tile, &words)?;
            }
            self.failing.posted = self.device.transport().cycles();
            return Ok(false);
        }
        if let Some(what) = self.unsettled()? {
            ensure!(
                self.device.transport().cycles() - self.failing.posted < ROUND_CYCLES,
                Late(what)
            );
            return Ok(false);
        }
        self.judge()?;
        self.recover()?;
        Ok(true)
    }

    /// Ends the episode and gives the context back: with new words, to the device and to the model.
    ///
    /// # Errors
    /// The device does something wrong.
    pub fn end_failing(&mut self, random: &mut StdRng) -> anyhow::Result<()> {
        let Some(context) = self.failing.context else {
            return Ok(());
        };
        while !self.advance_failing(random)? {
            self.receive_next()?;
        }
        for tile in 0..self.config.tiles() {
            self.poke_context(tile, MpeRegister::Timeout, 0)?;
            let area = self.site.areas[tile][context];
            let words: Vec<u32> = (0..area.bytes / 4).map(|_| random.gen()).collect();
            self.device.write(tile, area.base, &words)?;
            self.golden.write(tile, area.base, &words)?;
            self.golden.recover_context(tile, context, ROUND_CYCLES)?;
            let seat = &mut self.collectives.seats[tile][context];
            (seat.next, seat.given) = (0, 0);
        }
        let own = self
            .collectives
            .groups
            .iter_mut()
            .filter(|group| group.context == context);
        own.for_each(|group| group.next = 0);
        self.failing.context = None;
        Ok(())
    }

    /// What of the episode is not over: a fence behind the posts, or a member that runs.
    fn unsettled(&mut self) -> anyhow::Result<Option<String>> {
        let (fences, expected) = (self.counts(fence_event(&self.config))?, self.failing.fences.clone());
        let members = self.failing.bands.iter();
        let members = members.flat_map(|band| band.tiles.iter().map(|&tile| (tile, band.wrong, band.timeout)));
        let members: Vec<_> = members.collect();
        if let Some((tile, ..)) = members.iter().find(|member| fences[member.0] != expected[member.0]) {
            return Ok(Some(format!("tile {tile}: its calls have not left the command stream")));
        }
        // The model has no time, so no time-out.
        if !self.device.transport().has_time() {
            return Ok(None);
        }
        for (tile, wrong, timeout) in members {
            let status = self.context_status(tile)?;
            if status >> MPE_RUNNING_OFFSET & 1 == 1 || status >> MPE_WAITING_OFFSET & 7 > 0 {
                return Ok(Some(format!(
                    "tile {tile}: a call runs on, status {status:#x}; wrong is {wrong:?}, its time-out {timeout} cycles"
                )));
            }
        }
        Ok(None)
    }

    /// Compares what holds whoever came first.
    fn judge(&mut self) -> anyhow::Result<()> {
        if !self.device.transport().has_time() {
            return Ok(());
        }
        let counts = self.counts(call_event(&self.config))?;
        for at in 0..self.failing.bands.len() {
            let tiles = self.failing.bands[at].tiles.clone();
            let mut closed = vec![];
            for &tile in &tiles {
                closed.push(self.context_status(tile)? >> MPE_CLOSED_OFFSET & 1 == 1);
            }
            let band = &self.failing.bands[at];
            let what = format!("{:?} among tiles {tiles:?}, closed are {closed:?}", band.wrong);
            ensure!(
                !band.wrong.is_found() || closed.contains(&true),
                "nobody finds a wrong call: {what}"
            );
            ensure!(
                band.wrong != Wrong::Nothing || !closed.contains(&true),
                "right calls fail: {what}"
            );
            let Some(ends) = &band.ends else { continue };
            for (&tile, &expected) in tiles.iter().zip(ends) {
                let found = counts[tile].wrapping_sub(self.failing.before[tile]);
                ensure!(
                    found == expected,
                    "tile {tile}: {found} of its calls have ended, expected {expected}: {what}"
                );
            }
        }
        Ok(())
    }

    /// Closes the context at all members, waits until it is drained, lets neighbours hear of each other, and opens it.
    fn recover(&mut self) -> anyhow::Result<()> {
        let bands = std::mem::take(&mut self.failing.bands);
        let tiles: Vec<usize> = bands.iter().flat_map(|band| band.tiles.clone()).collect();
        for &tile in &tiles {
            self.poke_context(tile, MpeRegister::Control, 1 << MPE_CLOSE_OFFSET)?;
        }
        let begun = self.device.transport().cycles();
        for &tile in &tiles {
            loop {
                let status = self.context_status(tile)?;
                if status >> MPE_DRAINED_OFFSET & 1 == 1 {
                    break;
                }
                let late = || {
                    Late(format!(
                        "tile {tile}: a closed context does not drain, status {status:#x}"
                    ))
                };
                ensure!(self.device.transport().cycles() - begun < ROUND_CYCLES, late());
            }
        }
        let edges: Vec<_> = bands.iter().flat_map(|band| band.edges.clone()).collect();
        self.hear_of(&edges)?;
        for &tile in &tiles {
            self.poke_context(tile, MpeRegister::Control, 1 << MPE_OPEN_OFFSET)?;
        }
        for &tile in &tiles {
            let status = self.context_status(tile)?;
            ensure!(
                status == 1 << MPE_IDLE_OFFSET,
                "tile {tile}: an open context has status {status:#x}"
            );
        }
        self.failing.recoveries += bands.len();
        Ok(())
    }

    /// Both tiles of each pair get a word of each other, over their command streams: tokens from there have come then.
    fn hear_of(&mut self, edges: &[(usize, usize)]) -> anyhow::Result<()> {
        let word = self.config.width as u32 / 8;
        let mut used = vec![0; self.config.tiles()];
        for (one, other) in edges.iter().flat_map(|&(one, other)| [(one, other), (other, one)]) {
            let handle = peek_segment(&self.config, used[one]);
            used[one] += 1;
            let place = Rows::new(&self.device, one, SegmentRegister::Target, handle, 1, 2);
            access::poke(
                &mut self.device,
                self.site.staging,
                place,
                &segment::space(&self.config, other),
            )?;
            let context = self.failing.context.expect("an episode has one");
            let peek = Descriptor {
                segment: handle as u8,
                event: peek_event(&self.config) as u8,
                ..Descriptor::new(Command::Get(descriptor::Transfer {
                    remote: 0,
                    local: self.site.areas[one][context].base,
                    geometry: Geometry::Rows {
                        rows: 1,
                        row: word,
                        local_stride: word,
                        remote_stride: word,
                    },
                }))
            };
            let words = peek.encode(&self.config)?;
            self.device.transport().command(one, &words)?;
            self.failing.peeks[one] = self.failing.peeks[one].wrapping_add(1);
        }
        let begun = self.device.transport().cycles();
        while self.counts(peek_event(&self.config))? != self.failing.peeks {
            let late = || Late("neighbours of a closed context do not hear of each other".to_string());
            ensure!(self.device.transport().cycles() - begun < ROUND_CYCLES, late());
        }
        Ok(())
    }

    /// How often an event of each tile has counted.
    fn counts(&mut self, event: usize) -> anyhow::Result<Vec<u16>> {
        let mut counts = vec![];
        for tile in 0..self.config.tiles() {
            let place = Rows::new(&self.device, tile, EventRegister::Count, event, 1, 1);
            counts.push(access::peek(&mut self.device, self.site.staging, place)?[0] as u16);
        }
        Ok(counts)
    }

    fn context_status(&mut self, tile: usize) -> anyhow::Result<u32> {
        let context = self.failing.context.expect("an episode has one");
        let place = Rows::new(&self.device, tile, MpeRegister::Status, context, 1, 1);
        Ok(access::peek(&mut self.device, self.site.staging, place)?[0])
    }

    fn poke_context(&mut self, tile: usize, register: MpeRegister, value: u32) -> anyhow::Result<()> {
        let context = self.failing.context.expect("an episode has one");
        let place = Rows::new(&self.device, tile, register, context, 1, 1);
        access::poke(&mut self.device, self.site.staging, place, &[value])
    }
}

/// A call as a member means it.
#[derive(Clone, Copy)]
struct Own {
    kind: CallKind,
    length: u32,
    towards: Option<u8>,
    number: u8,
}

impl Own {
    /// Makes it a call of another kind, length, way or number; gives whether the others can find out.
    fn disagree(&mut self, wrong: Wrong, list: &[Option<Row>], words: &Words, random: &mut impl Rng) -> bool {
        match wrong {
            Wrong::Kind => {
                let others: Vec<CallKind> = CallKind::ALL.into_iter().filter(|&kind| kind != self.kind).collect();
                self.kind = *others.choose(random).expect("there are others");
                true
            }
            Wrong::Length => {
                let length = words.length(random);
                let is_other = length != self.length && self.kind != CallKind::Barrier;
                self.length = length;
                is_other
            }
            Wrong::Way => {
                let neighbours = (0..list.len()).filter(|&place| list[place].is_some());
                let ways: Vec<Option<u8>> = neighbours.map(|place| Some(place as u8)).chain([None]).collect();
                let towards = *ways.choose(random).expect("there is one at least");
                // A barrier of two that wait for each other's release ends.
                let is_other = towards != self.towards && self.kind != CallKind::Barrier;
                self.towards = towards;
                is_other
            }
            Wrong::Number => {
                self.number = self.number.wrapping_add(random.gen_range(1..=u8::MAX));
                true
            }
            Wrong::Nothing | Wrong::Missing | Wrong::Closed | Wrong::Launched => true,
        }
    }

    fn call(self, context: usize, begin: Begin, operation: Reduction, words: &Words, random: &mut impl Rng) -> Call {
        let (source, result) = words.draw(self.length, random);
        let transfer = match self.kind {
            CallKind::Barrier => Transfer::NONE,
            _ => Transfer {
                length: self.length,
                source,
                result,
                operation,
            },
        };
        Call {
            kind: self.kind,
            begin,
            number: self.number,
            context: context as u8,
            towards: self.towards,
            transfer,
        }
    }
}
