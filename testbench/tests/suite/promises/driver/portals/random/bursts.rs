//! Random messages of all ranks at once, on two fabrics. What each rank sends meets entries of its own, so the order of ranks decides
//! nothing.

use super::super::{Ranks, TILES};
use portico::{portals::*, registers::PortalsRegister, Fabric, Transport};
use portico_spec::portals::engine::item;
use rand::{rngs::StdRng, Rng, SeedableRng};

/// Bursts of a run.
const BURSTS: usize = 8;
/// Longest message, and what an entry has, in bytes.
const LONGEST: usize = 300;
/// Messages of a rank in a burst: as many puts as a command queue is sure to have room for.
const MESSAGES: usize = 6;
/// Cycles in which a burst ends.
const REST: u64 = 8000;
/// Entries of a rank for each other one: one with the offset of the message, one with its own, and some that are used once.
const KINDS: usize = 3;
/// Match bits without an entry.
const NOBODY: u64 = KINDS as u64;
/// Where entries of a rank lie, what its puts send, and what its gets bring.
const SENT: usize = TILES.len() * KINDS * LONGEST;
const BROUGHT: usize = SENT + 2 * LONGEST;
const BYTES: usize = BROUGHT + MESSAGES * (LONGEST + 4);

/// A put or get.
#[derive(Clone, Copy, Debug)]
struct Message {
    is_put: bool,
    ack: AckReq,
    target: usize,
    match_bits: u64,
    local: usize,
    length: usize,
    remote: usize,
}

/// What a rank does in a burst.
#[derive(Clone, Debug)]
struct Part {
    /// Its entries: for which rank, of which kind, with which options.
    entries: Vec<(usize, usize, EntryOptions, u64)>,
    messages: Vec<Message>,
}

/// What a rank sees of a burst, in an order that does not depend on that of other ranks.
#[derive(Debug, PartialEq)]
struct Outcome {
    events: Vec<String>,
    counts: Vec<CtEvent>,
    status: [u32; 3],
    unlinked: Vec<Result<(), Error>>,
    memory: Vec<u8>,
}

struct Side<T> {
    ranks: Ranks<T>,
    own: Vec<Own>,
}

/// Of a rank.
struct Own {
    pt_index: u32,
    eqs: [EqHandle; 2],
    cts: [CtHandle; 2],
    md: MdHandle,
}

impl<T: Transport> Side<T> {
    fn new(fabric: Fabric<T>, memory: &[Vec<u8>]) -> Result<Side<T>, Error> {
        let mut ranks = Ranks::new(fabric, BYTES as u32)?;
        let mut own = vec![];
        for (rank, bytes) in memory.iter().enumerate() {
            ranks.write(rank, 0, bytes)?;
            let eqs = [ranks.eq(rank, 128)?, ranks.eq(rank, 64)?];
            let cts = [ranks.ct(rank)?, ranks.ct(rank)?];
            let options = MdOptions::EVENT_CT_REPLY | MdOptions::EVENT_CT_ACK | MdOptions::EVENT_CT_BYTES;
            own.push(Own {
                pt_index: ranks.index(rank, Some(eqs[0]))?,
                eqs,
                cts,
                md: ranks.md(rank, options, Some(eqs[1]), Some(cts[1]))?,
            });
        }
        Ok(Side { ranks, own })
    }

    /// Lets all ranks send and take, or lets them wait.
    fn enable(&mut self, enabled: bool) -> Result<(), Error> {
        for tile in TILES {
            let fabric = &mut self.ranks.fabric;
            fabric.poke(tile, PortalsRegister::Setting, item::ENABLE, &[enabled.into()])?;
        }
        Ok(())
    }

    fn burst(&mut self, parts: &[Part]) -> Result<Vec<Outcome>, Error> {
        let base = self.ranks.base();
        let mut appended = vec![vec![]; TILES.len()];
        for (rank, part) in parts.iter().enumerate() {
            for (number, &(source, kind, options, min_free)) in part.entries.iter().enumerate() {
                let me = Me {
                    start: base + ((source * KINDS + kind) * LONGEST) as u32,
                    length: LONGEST as u64,
                    ct: Some(self.own[rank].cts[0]),
                    min_free,
                    options,
                    match_id: Some(source as u32),
                    match_bits: kind as u64,
                    ..Me::default()
                };
                let entry = self.ranks.append(rank, self.own[rank].pt_index, &me, number as u32)?;
                appended[rank].push(entry);
            }
        }
        self.enable(false)?;
        for (rank, part) in parts.iter().enumerate() {
            for (number, message) in part.messages.iter().enumerate() {
                let put = Put {
                    local_offset: message.local as u64,
                    ack: message.ack,
                    pt_index: self.own[message.target].pt_index,
                    match_bits: message.match_bits,
                    remote_offset: message.remote as u64,
                    user_ptr: number as u32,
                    hdr_data: number as u64,
                    ..Put::new(self.own[rank].md, message.length as u64, message.target as u32)
                };
                match message.is_put {
                    true => self.ranks.put(rank, &put)?,
                    false => self.ranks.get(rank, &super::side::get_as(&put))?,
                }
            }
        }
        self.enable(true)?;
        self.ranks.fabric.transport().wait(REST);
        (0..TILES.len())
            .map(|rank| self.outcome(rank, &appended[rank]))
            .collect()
    }

    fn outcome(&mut self, rank: usize, appended: &[MeHandle]) -> Result<Outcome, Error> {
        let Own { eqs, cts, .. } = self.own[rank];
        let ni = self.ranks.matching[rank];
        let unlinked = appended
            .iter()
            .map(|&entry| ni.me_unlink(&mut self.ranks.fabric, entry));
        let unlinked = unlinked.collect();
        let mut events = vec![];
        for eq in eqs {
            events.extend(self.ranks.events(rank, eq)?.iter().map(|event| format!("{event:?}")));
        }
        events.sort();
        Ok(Outcome {
            events,
            counts: vec![self.ranks.counts(rank, cts[0])?, self.ranks.counts(rank, cts[1])?],
            status: self.ranks.status(rank)?,
            unlinked,
            memory: self.ranks.read(rank, 0, BYTES)?,
        })
    }
}

fn draw(random: &mut StdRng) -> Part {
    const ACKS: [AckReq; 4] = [AckReq::NoAck, AckReq::Ack, AckReq::CtAck, AckReq::OcAck];
    let both = EntryOptions::OP_PUT | EntryOptions::OP_GET | EntryOptions::EVENT_CT_COMM;
    let mut entries = vec![];
    for source in 0..TILES.len() {
        let once = both | EntryOptions::USE_ONCE;
        let own_offset = both | EntryOptions::MANAGE_LOCAL | EntryOptions::EVENT_CT_BYTES;
        entries.push((source, 0, both, 0));
        entries.push((source, 1, own_offset, random.gen_range(0..LONGEST as u64)));
        for _ in 0..random.gen_range(0..3) {
            let silent = if random.gen() {
                EntryOptions::ACK_DISABLE
            } else {
                EntryOptions::NO_TRUNCATE
            };
            entries.push((source, 2, once | silent, 0));
        }
    }
    let messages = (0..MESSAGES).map(|number| {
        let is_put = random.gen_bool(0.6);
        let local = match is_put {
            true => SENT + random.gen_range(0..LONGEST),
            false => BROUGHT + number * (LONGEST + 4) + random.gen_range(0..4),
        };
        Message {
            is_put,
            ack: ACKS[random.gen_range(0..ACKS.len())],
            target: random.gen_range(0..TILES.len()),
            match_bits: random.gen_range(0..=NOBODY),
            local,
            length: random.gen_range(0..=LONGEST),
            remote: [0, 0, random.gen_range(0..LONGEST)][random.gen_range(0..3)],
        }
    });
    let messages = messages.collect();
    Part { entries, messages }
}

/// From a seed, all ranks send messages at once: events, counters, status registers, memory and what becomes
/// of the entries are the same on both fabrics.
pub fn random_bursts_agree<A: Transport, B: Transport>(
    model: Fabric<A>,
    other: Fabric<B>,
    seed: u64,
) -> Result<(), Error> {
    let mut random = StdRng::seed_from_u64(seed);
    let memory = TILES.map(|_| (0..BYTES).map(|_| random.gen()).collect::<Vec<u8>>());
    let (mut model, mut other) = (Side::new(model, &memory)?, Side::new(other, &memory)?);
    for burst in 1..=BURSTS {
        let parts = TILES.map(|_| draw(&mut random));
        let (expected, found) = (model.burst(&parts)?, other.burst(&parts)?);
        for (rank, (expected, found)) in expected.iter().zip(&found).enumerate() {
            let what = format!("seed {seed}, burst {burst}, rank {rank}");
            let wrong = (0..BYTES).find(|&at| expected.memory[at] != found.memory[at]);
            assert_eq!(wrong, None, "{what}: a byte of memory differs; {parts:#?}");
            assert_eq!(found, expected, "{what}; {parts:#?}");
        }
    }
    model.ranks.finish()?;
    other.ranks.finish()
}
