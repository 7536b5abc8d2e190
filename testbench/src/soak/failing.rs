//! Calls on which the members of a group disagree, and the recovery of their context while all else goes on.
//!
//! In some rounds one context makes no calls that the model knows. Instead it has episodes, one after the other. In an episode
//! its groups make calls, and the host does not know how these end; see the module `episode`. A time-out ends a call if no
//! member finds the disagreement. Then the host recovers the context. The soak checks three things:
//!
//! - no member runs on, and its calls have ended as the episode says;
//! - a closed context drains, all credits come home, and an open one is as after reset;
//! - calls of other contexts, and all else of the round, do what the model does.
//!
//! At the end of the round the words of the context get new values, and the next round may use it like any other. If a failed
//! call has left a token or a packet, the sums of that round are wrong.

use super::{
    access::{self, Rows},
    check::Late,
    collectives::Group,
    device::SoakDevice,
    episode::{Episode, Event, Outcome},
    epoch::{Epoch, ROUND_CYCLES},
    list_site::SPARE_SEGMENTS,
    site::MOST_EVENTS,
    workload,
};
use anyhow::ensure;
use portico_spec::{
    ni::{
        descriptor::{Command, Descriptor, Geometry, Transfer},
        event::Status,
        registers::{
            EventRegister, MpeRegister, SegmentRegister, MPE_CLOSED_OFFSET, MPE_CLOSE_OFFSET, MPE_DRAINED_OFFSET,
            MPE_IDLE_OFFSET, MPE_OPEN_OFFSET, MPE_RUNNING_OFFSET, MPE_WAITING_OFFSET,
        },
        segment,
    },
    Config,
};
use rand::{rngs::StdRng, Rng};

/// Descriptors that are posted at once, at most.
const MOST_AT_ONCE: usize = 6;

/// The first segment for the address spaces of neighbours: below those of lists, and above those of the targets of a tile. None if a
/// tile does not have so many segments.
fn neighbour_segments(config: &Config) -> Option<usize> {
    let first = config.segments.checked_sub(SPARE_SEGMENTS + config.mpe_neighbours)?;
    (workload::segments_of_pairs(config) <= first).then_some(first)
}

impl<D: SoakDevice> Epoch<D> {
    /// The context whose calls fail in this round, if there is one.
    pub fn failing_context(&self) -> Option<usize> {
        self.failing.context
    }

    /// Decides whether a context makes wrong calls in the round that begins. That needs command streams, and events and segments
    /// of its own.
    pub fn choose_failing(&mut self, random: &mut StdRng) {
        let can_fail = self.config.commands
            && self.config.events >= MOST_EVENTS + Event::ALL.len()
            && neighbour_segments(&self.config).is_some();
        let share = if can_fail { self.workload.failing() } else { 0.0 };
        self.failing.context = (share > 0.0 && random.gen_bool(share)).then(|| random.gen_range(0..self.config.mpe));
        self.failing.recoveries = 0;
        let tiles = self.config.tiles();
        self.failing.fences.resize(tiles, 0);
        self.failing.peeks.resize(tiles, 0);
    }

    /// Begins an episode of the context whose calls fail, if there is one.
    ///
    /// # Errors
    /// The device's.
    pub fn begin_failing(&mut self, random: &mut StdRng) -> anyhow::Result<()> {
        let Some(context) = self.failing.context else {
            return Ok(());
        };
        self.failing.before = self.counts(Event::Call)?;
        let mut episode = Episode::draw(&self.config, &self.collectives, context, random)?;
        // A member's fence comes behind its calls: when it has completed, the engine has all of them.
        let mut fences = vec![];
        for (tile, band) in episode.members() {
            self.poke_context(tile, context, MpeRegister::Timeout, band.timeout)?;
            let status = Rows::new(
                &self.device,
                tile,
                EventRegister::Status,
                Event::Call.number(&self.config),
                1,
                1,
            );
            access::poke(&mut self.device, self.site.staging, status, &[0])?;
            let own = self.site.pairs.iter().find(|pair| pair.initiator == tile);
            let fence = Descriptor {
                segment: own.expect("every tile has a target").zone,
                event: Event::Fence.number(&self.config) as u8,
                ..Descriptor::new(Command::Fence)
            };
            fences.push((tile, fence.encode(&self.config)?));
            self.failing.fences[tile] = self.failing.fences[tile].wrapping_add(1);
        }
        episode.posts.extend(fences);
        self.failing.episode = Some(episode);
        Ok(())
    }

    /// Takes the next step of the episode; gives whether it is over and its context recovered.
    ///
    /// # Errors
    /// The device does something wrong.
    pub fn advance_failing(&mut self, random: &mut StdRng) -> anyhow::Result<bool> {
        let Some(mut episode) = self.failing.episode.take() else {
            return Ok(true);
        };
        let is_over = self.drive(&mut episode, random)?;
        if is_over {
            self.judge(&episode)?;
            self.recover(&episode)?;
        } else {
            self.failing.episode = Some(episode);
        }
        Ok(is_over)
    }

    /// Gives the context back when its last episode is over: with new words, to the device and to the model.
    ///
    /// # Errors
    /// The device does something wrong.
    pub fn end_failing(&mut self, random: &mut StdRng) -> anyhow::Result<()> {
        let Some(context) = self.failing.context.take() else {
            return Ok(());
        };
        for tile in 0..self.config.tiles() {
            self.poke_context(tile, context, MpeRegister::Timeout, 0)?;
            let area = self.site.areas[tile][context];
            let words: Vec<u32> = (0..area.bytes / 4).map(|_| random.gen()).collect();
            self.device.write(tile, area.base, &words)?;
            self.golden.write(tile, area.base, &words)?;
            self.golden.recover_context(tile, context, ROUND_CYCLES)?;
            let seat = &mut self.collectives.seats[tile][context];
            (seat.next, seat.given) = (0, 0);
        }
        Ok(())
    }

    /// Closes members and posts descriptors, some at a time; gives whether all calls have ended.
    fn drive(&mut self, episode: &mut Episode, random: &mut StdRng) -> anyhow::Result<bool> {
        let left = episode.posts.len();
        let closes = std::mem::take(&mut episode.closes).into_iter();
        let (due, later): (Vec<_>, Vec<_>) = closes.partition(|close| close.1 >= left);
        episode.closes = later;
        for (tile, _) in due {
            self.poke_context(tile, episode.context, MpeRegister::Control, 1 << MPE_CLOSE_OFFSET)?;
        }
        if left > 0 {
            let some = left.min(random.gen_range(1..=MOST_AT_ONCE));
            for (tile, words) in episode.posts.drain(..some) {
                self.device.transport().command(tile, &words)?;
            }
            self.failing.posted = self.device.transport().cycles();
            return Ok(false);
        }
        let Some(what) = self.unsettled(episode)? else {
            return Ok(true);
        };
        self.ensure_in_time(self.failing.posted, what)?;
        Ok(false)
    }

    /// Names a member whose fence has not completed, or at which a call runs or waits; none when all calls have ended.
    fn unsettled(&mut self, episode: &Episode) -> anyhow::Result<Option<String>> {
        let fences = self.counts(Event::Fence)?;
        let expected = &self.failing.fences;
        if let Some((tile, _)) = episode.members().find(|&(tile, _)| fences[tile] != expected[tile]) {
            return Ok(Some(format!("tile {tile}: its calls have not left the command stream")));
        }
        // The model has no time, so no time-out.
        if !self.device.transport().has_time() {
            return Ok(None);
        }
        for (tile, band) in episode.members() {
            let status = self.context_status(tile, episode.context)?;
            if status >> MPE_RUNNING_OFFSET & 1 == 1 || status >> MPE_WAITING_OFFSET & 7 > 0 {
                let (wrong, timeout) = (band.wrong, band.timeout);
                return Ok(Some(format!(
                    "tile {tile}: a call runs on, status {status:#x}; wrong is {wrong:?}, its time-out {timeout} cycles"
                )));
            }
        }
        Ok(None)
    }

    /// Judges each band by its members. Without time nothing ends calls that stand still, so the model is not judged.
    fn judge(&mut self, episode: &Episode) -> anyhow::Result<()> {
        if !self.device.transport().has_time() {
            return Ok(());
        }
        let counts = self.counts(Event::Call)?;
        for band in &episode.bands {
            let mut outcomes = vec![];
            for &tile in &band.tiles {
                let status = self.context_status(tile, episode.context)?;
                let of_event = self.peek_event(tile, Event::Call, EventRegister::Status)?;
                outcomes.push(Outcome {
                    is_closed: status >> MPE_CLOSED_OFFSET & 1 == 1,
                    ended: counts[tile].wrapping_sub(self.failing.before[tile]),
                    error: Status::decode(of_event)?.error,
                });
            }
            band.judge(&outcomes)?;
        }
        Ok(())
    }

    /// Closes the context at all members, waits until it is drained, lets neighbours hear of each other, and opens it.
    fn recover(&mut self, episode: &Episode) -> anyhow::Result<()> {
        let context = episode.context;
        for (tile, _) in episode.members() {
            self.poke_context(tile, context, MpeRegister::Control, 1 << MPE_CLOSE_OFFSET)?;
        }
        let begun = self.device.transport().cycles();
        for (tile, _) in episode.members() {
            loop {
                let status = self.context_status(tile, context)?;
                if status >> MPE_DRAINED_OFFSET & 1 == 1 {
                    break;
                }
                let what = format!("tile {tile}: a closed context does not drain, status {status:#x}");
                self.ensure_in_time(begun, what)?;
            }
        }
        self.hear_of_neighbours(context)?;
        for (tile, _) in episode.members() {
            self.poke_context(tile, context, MpeRegister::Control, 1 << MPE_OPEN_OFFSET)?;
        }
        for (tile, _) in episode.members() {
            let status = self.context_status(tile, context)?;
            ensure!(
                status == 1 << MPE_IDLE_OFFSET,
                "tile {tile}: an open context has status {status:#x}"
            );
        }
        let groups = self.collectives.groups.iter_mut();
        let own = groups.filter(|group| group.context == context);
        own.for_each(|group| group.next = 0);
        self.failing.recoveries += episode.bands.len();
        Ok(())
    }

    /// Each member gets a word of each of its neighbours over its command stream. It comes behind all tokens of the neighbour.
    fn hear_of_neighbours(&mut self, context: usize) -> anyhow::Result<()> {
        let members: Vec<_> = self
            .collectives
            .groups_of(context)
            .flat_map(Group::neighbours)
            .collect();
        for (tile, neighbours) in members {
            for (at, neighbour) in neighbours.into_iter().enumerate() {
                self.peek_at(tile, context, at, neighbour)?;
            }
        }
        let begun = self.device.transport().cycles();
        while self.counts(Event::Peek)? != self.failing.peeks {
            let what = "neighbours of a closed context do not hear of each other".to_string();
            self.ensure_in_time(begun, what)?;
        }
        Ok(())
    }

    /// A tile begins to get a word of the neighbour in this place of its neighbours, into its area of the context.
    fn peek_at(&mut self, tile: usize, context: usize, at: usize, neighbour: usize) -> anyhow::Result<()> {
        let first = neighbour_segments(&self.config).expect("contexts fail only where there are some");
        let handle = first + at;
        let space = segment::space(&self.config, neighbour);
        let place = Rows::new(&self.device, tile, SegmentRegister::Target, handle, 1, 2);
        access::poke(&mut self.device, self.site.staging, place, &space)?;
        let word = self.config.width as u32 / 8;
        let peek = Descriptor {
            segment: handle as u8,
            event: Event::Peek.number(&self.config) as u8,
            ..Descriptor::new(Command::Get(Transfer {
                remote: 0,
                local: self.site.areas[tile][context].base,
                geometry: Geometry::Rows {
                    rows: 1,
                    row: word,
                    local_stride: word,
                    remote_stride: word,
                },
            }))
        };
        let words = peek.encode(&self.config)?;
        self.device.transport().command(tile, &words)?;
        self.failing.peeks[tile] = self.failing.peeks[tile].wrapping_add(1);
        Ok(())
    }

    /// For loops that wait: fails with `what` when they have waited for the time of a round since `begun`.
    fn ensure_in_time(&mut self, begun: u64, what: String) -> anyhow::Result<()> {
        let cycles = self.device.transport().cycles() - begun;
        ensure!(cycles < ROUND_CYCLES, Late(what));
        Ok(())
    }

    /// How often an event of each tile has counted.
    fn counts(&mut self, event: Event) -> anyhow::Result<Vec<u16>> {
        let tiles = 0..self.config.tiles();
        tiles
            .map(|tile| Ok(self.peek_event(tile, event, EventRegister::Count)? as u16))
            .collect()
    }

    /// A register of an event of a tile.
    fn peek_event(&mut self, tile: usize, event: Event, register: EventRegister) -> anyhow::Result<u32> {
        let place = Rows::new(&self.device, tile, register, event.number(&self.config), 1, 1);
        Ok(access::peek(&mut self.device, self.site.staging, place)?[0])
    }

    fn context_status(&mut self, tile: usize, context: usize) -> anyhow::Result<u32> {
        let place = Rows::new(&self.device, tile, MpeRegister::Status, context, 1, 1);
        Ok(access::peek(&mut self.device, self.site.staging, place)?[0])
    }

    fn poke_context(&mut self, tile: usize, context: usize, register: MpeRegister, value: u32) -> anyhow::Result<()> {
        let place = Rows::new(&self.device, tile, register, context, 1, 1);
        access::poke(&mut self.device, self.site.staging, place, &[value])
    }
}
