//! What the device has told of Portals against what the model has.

use super::{
    super::{
        access::{self, Rows},
        device::SoakDevice,
        epoch::Epoch,
    },
    site::{OF_ALL, RINGS},
    ALL_COUNTERS, COUNTERS, OPEN_COUNTERS, OPEN_LENGTH, TAKEN_COUNTER,
};
use anyhow::{anyhow, ensure};
use portico::{Fabric, Region, Transport};
use portico_spec::{
    ni::registers::PortalsRegister,
    portals::engine::{item, Event, EVENT_BYTES, EVENT_WORDS},
};
use std::collections::BTreeSet;

/// Events that the host reads at once, at most.
const MOST_AT_ONCE: u16 = 4;

/// What counts at a tile.
struct Counts {
    /// Successes and failures of each counter.
    counters: Vec<[u32; 2]>,
    status: [u32; 3],
}

fn counts<T: Transport>(fabric: &mut Fabric<T>, staging: Region, tile: usize) -> anyhow::Result<Counts> {
    let rows = Rows::new(fabric, tile, PortalsRegister::CtSuccess, 0, ALL_COUNTERS, 2);
    let counters = access::peek(fabric, staging, rows)?;
    let rows = Rows::new(fabric, tile, PortalsRegister::Status, item::DROPS, 3, 1);
    let status = access::peek(fabric, staging, rows)?;
    Ok(Counts {
        counters: counters.chunks(2).map(|counts| [counts[0], counts[1]]).collect(),
        status: [status[0], status[1], status[2]],
    })
}

impl<D: SoakDevice> Epoch<D> {
    /// Takes some of the events that have come to rings of a tile, in turns. Some rings get full meanwhile.
    ///
    /// # Errors
    /// One of them is not what comes next.
    pub fn take_events(&mut self, tile: usize) -> anyhow::Result<()> {
        let lap = self.turn / self.site.targets().len();
        match lap % 2 {
            0 => self.take_events_of(tile, lap / 2 % RINGS, 1),
            _ => Ok(()),
        }
    }

    /// Takes the events that have come to a ring of a tile, with so many looks at most, and reads its counters: its register bus is
    /// kept busy.
    ///
    /// # Errors
    /// One of them is not what comes next.
    fn take_events_of(&mut self, tile: usize, ring: usize, looks: usize) -> anyhow::Result<()> {
        let Some(rank) = self.site.portals.rank_of(tile) else {
            return Ok(());
        };
        let rows = Rows::new(&self.device, tile, PortalsRegister::CtSuccess, 0, ALL_COUNTERS, 2);
        access::fetch(&mut self.device, self.site.staging, rows)?;
        let base = self.site.portals.tiles[rank].rings[ring].base;
        let own = &mut self.portals.ranks[rank].rings[ring];
        let before = own.taken[0];
        let log = own.logs[0];
        'taking: for _ in 0..looks {
            let place = own.taken[0] & ((1 << log) - 1);
            let address = base + u32::from(place) * EVENT_BYTES as u32;
            let is_first_lap = own.taken[0] >> log & 1 == 0;
            // A ring without room gets no further event until the host has told that it took some.
            let is_full = own.taken[0].wrapping_sub(before) == 1 << log;
            if is_full || Event::phase(self.device.read(tile, address, 1)?[0]) != is_first_lap {
                break;
            }
            let count = MOST_AT_ONCE.min((1 << log) - place);
            let words = self.device.read(tile, address, usize::from(count) * EVENT_WORDS)?;
            for words in words.chunks_exact(EVENT_WORDS) {
                let words = <[u32; EVENT_WORDS]>::try_from(words).expect("chunks of an event");
                let is_full = own.taken[0].wrapping_sub(before) == 1 << log;
                if is_full || Event::phase(words[0]) != is_first_lap {
                    break 'taking;
                }
                let event = Event::decode(&words).ok_or_else(|| anyhow!("ring {ring} of tile {tile}: {words:x?}"))?;
                own.taken[0] = own.taken[0].wrapping_add(1);
                own.take(event)
                    .map_err(|what| anyhow!("ring {ring} of tile {tile}: {what}"))?;
            }
        }
        let taken = own.taken[0];
        if taken != before {
            let rows = Rows::new(&self.device, tile, PortalsRegister::EqTaken, ring, 1, 1);
            access::poke(&mut self.device, self.site.staging, rows, &[taken.into()])?;
        }
        Ok(())
    }

    /// The first thing of Portals that is late: an event, or a count.
    ///
    /// # Errors
    /// An event is wrong, or the device's.
    pub fn missing_of_portals(&mut self) -> anyhow::Result<Option<String>> {
        for tile in self.site.portals.ranks.clone() {
            let found = counts(&mut self.device, self.site.staging, tile)?;
            let expected = counts(&mut self.golden, self.golden_site.staging, tile)?;
            for counter in 0..ALL_COUNTERS {
                let [found, expected] = [&found, &expected].map(|counts| counts.counters[counter]);
                // Of messages to all, successes and failures depend on who comes first; all have one of them.
                let is_right = match counter {
                    _ if counter < COUNTERS => found == expected,
                    _ if counter < OPEN_COUNTERS.into() => true,
                    _ => found[0].wrapping_add(found[1]) == expected[0].wrapping_add(expected[1]),
                };
                if !is_right {
                    return Ok(Some(format!(
                        "counter {counter} of tile {tile}: counted {found:?}, expected {expected:?}"
                    )));
                }
            }
            let rank = self.rank(tile);
            let dropped = self.dropped(tile)?;
            for (ring, dropped) in dropped.into_iter().enumerate() {
                self.take_events_of(tile, ring, usize::MAX)?;
                if let Some(what) = self.portals.ranks[rank].rings[ring].missing(dropped) {
                    return Ok(Some(format!("ring {ring} of tile {tile}: {what}")));
                }
            }
        }
        Ok(None)
    }

    /// Events that the rings of a tile have dropped.
    fn dropped(&mut self, tile: usize) -> anyhow::Result<Vec<u16>> {
        let rows = Rows::new(&self.device, tile, PortalsRegister::EqDropped, 0, RINGS, 1);
        let dropped = access::peek(&mut self.device, self.site.staging, rows)?;
        Ok(dropped.into_iter().map(|events| events as u16).collect())
    }

    /// Compares what has come in a round, of which nothing is missing.
    ///
    /// # Errors
    /// It is wrong, or the device's.
    pub fn compare_portals(&mut self) -> anyhow::Result<()> {
        let ranks = self.site.portals.ranks.clone();
        let mut answers = vec![[0_u32; 2]; ranks.len()];
        let mut of_golden = answers.clone();
        let (mut found, mut expected) = (vec![], vec![]);
        for &tile in &ranks {
            found.push(counts(&mut self.device, self.site.staging, tile)?);
            expected.push(counts(&mut self.golden, self.golden_site.staging, tile)?);
        }
        for pair in &self.site.portals.pairs {
            let [initiator, target] = [pair.initiator, pair.target].map(|tile| self.rank(tile));
            for (sums, counts) in [(&mut answers, &found), (&mut of_golden, &expected)] {
                let counter = counts[initiator].counters[usize::from(OPEN_COUNTERS + pair.place)];
                (0..2).for_each(|at| sums[target][at] = sums[target][at].wrapping_add(counter[at]));
            }
        }
        for (rank, &tile) in ranks.iter().enumerate() {
            let [success, failure] = answers[rank];
            let taken = found[rank].counters[usize::from(TAKEN_COUNTER)];
            ensure!(
                taken == [success, 0],
                "tile {tile}: entries for all have taken {taken:?} messages, of which initiators were told {success}"
            );
            let mut status = expected[rank].status;
            let drops = &mut status[item::DROPS];
            *drops = drops.wrapping_sub(of_golden[rank][1]).wrapping_add(failure);
            ensure!(
                found[rank].status == status,
                "tile {tile}: status {:?}, expected {status:?}",
                found[rank].status
            );
            self.compare_open(tile, rank)?;
            for (ring, dropped) in self.dropped(tile)?.into_iter().enumerate() {
                self.portals.ranks[rank].rings[ring]
                    .end(dropped)
                    .map_err(|what| anyhow!("ring {ring} of tile {tile}: {what}"))?;
            }
            self.portals.ranks[rank].open.clear();
        }
        self.portals.generation = self.portals.generation.wrapping_add(1);
        Ok(())
    }

    /// What events say of entries for all ranks lies there.
    fn compare_open(&mut self, tile: usize, rank: usize) -> anyhow::Result<()> {
        let open = self.site.portals.tiles[rank].open;
        let words = self.device.read(tile, open.base, open.bytes as usize / 4)?;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let state = &self.portals.ranks[rank];
        let arrived = &state.rings[OF_ALL].arrived;
        let places: BTreeSet<u32> = arrived.iter().map(|&(start, _)| start).collect();
        ensure!(
            places.len() == arrived.len(),
            "tile {tile}: two messages for all have come to one place"
        );
        for &(start, header_data) in arrived {
            let own = state.open.iter().find(|(header, _)| *header == header_data);
            let (_, expected) = own.expect("an event of a message that was sent");
            let place = start.wrapping_sub(open.base) as usize;
            let found = bytes.get(place..place + OPEN_LENGTH as usize);
            ensure!(
                found == Some(&expected[..]),
                "tile {tile}, byte {start:#x}: found {found:x?}, expected {expected:x?}"
            );
        }
        Ok(())
    }
}
