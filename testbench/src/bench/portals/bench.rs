//! Two tiles set up by the driver: one gives puts and gets to its command stream, the other one matches them.

use crate::bench::onesided::{device::FabricDevice, words};
use anyhow::{bail, ensure, Context};
use portico::{
    event::{Compare, Event},
    portals::{
        self, CtHandle, EntryOptions, EqHandle, Interface, Md, MdHandle, MdOptions, Me, MeHandle, Ni, PtOptions,
        PtlList, Put,
    },
    registers::PortalsRegister,
    Fabric, Region, Transport,
};
use portico_spec::{
    ni::descriptor::Command as Descriptor,
    portals::engine::{Ack, Append, Command, Move, Operation, EVENT_PRESENT_OFFSET},
};
use rand::{rngs::StdRng, RngCore, SeedableRng};

/// Match bits of all entries and messages.
const MATCH_BITS: u64 = 0x5a5a_0123_4567_89ab;
/// Rank of the initiator.
pub const INITIATOR_RANK: u32 = 0;
/// Rank of the target.
pub const TARGET_RANK: u32 = 1;
/// Bytes beyond the data of the longest measure, so that each measure may begin at another byte.
const SLACK: usize = 512;
/// Distance in bytes between the first bytes of two measures that follow each other.
const STEP: usize = 40;
/// Longest time until an event shows that it was written.
const SETTLED: u64 = 100;
/// Longest time of a measure, beside [`CYCLES_A_BYTE`].
const PATIENCE: u64 = 20_000;
/// Longest time of a byte.
const CYCLES_A_BYTE: u64 = 20;
/// Up to so many bytes are compared whole.
const WHOLE: usize = 2 << 10;
/// Pieces of longer data that are compared, from the first to the last byte, and their bytes.
const PIECES: usize = 17;
const PIECE: usize = 64;

/// Which of the two tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Station {
    /// It gives puts and gets.
    Initiator,
    /// It has the entries.
    Target,
}

/// One of the tiles.
pub struct End {
    /// Its matching interface.
    pub ni: Ni,
    /// A counter, whose changes `event` counts.
    pub ct: CtHandle,
    /// An event queue, whose events `event` counts.
    pub eq: EqHandle,
    /// Memory that has the pattern.
    pub source: Region,
    /// Memory into which data come.
    pub room: Region,
    event: Event,
}

/// A portal index of the target, with entries.
pub struct Index {
    /// Its number.
    pub pt_index: u32,
    /// Its entries without USE_ONCE.
    persistent: Vec<MeHandle>,
}

/// When a measure began and ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Cycle in which the first descriptor word was offered.
    pub begun: u64,
    /// Cycle in which the last descriptor word was accepted.
    pub accepted: u64,
    /// Cycle in which the event of the tile showed.
    pub fired: u64,
}

impl Timing {
    /// Cycles from the first descriptor word to the event.
    pub fn whole(&self) -> u64 {
        self.fired - self.begun
    }

    /// Cycles from the last descriptor word to the event.
    pub fn latency(&self) -> u64 {
        self.fired - self.accepted
    }
}

/// Both tiles.
pub struct Bench<D> {
    /// The fabric, as the host drives it.
    pub fabric: Fabric<D>,
    /// Tile 0.
    pub initiator: End,
    /// A tile one hop from it.
    pub target: End,
    /// Memory descriptor of the initiator over `source`.
    source: MdHandle,
    /// Memory descriptor of the initiator over `room`: its counter counts replies.
    room: MdHandle,
    /// Memory descriptor of the target over `source`.
    own_source: MdHandle,
    /// Counts moves of the initiator that are sent.
    sent: Event,
    /// Counts appends of the target that have ended.
    appended: Event,
    /// Word of the target for the handle of an append.
    handle: Region,
    pattern: Vec<u8>,
    shift: usize,
}

impl<D: FabricDevice + Transport> Bench<D> {
    /// Sets up tile 0 and `target` for transfers of up to `bytes` at once, and for rings of `events`.
    ///
    /// # Errors
    /// The fabric has no host or no Portals engines, its memories are too small, or it does not work.
    pub fn new(device: D, target: usize, bytes: usize, events: usize, seed: u64) -> anyhow::Result<Self> {
        let mut fabric = Fabric::open(device)?;
        portals::set_map(&mut fabric, &[0.into(), target.into()])?;
        let mut pattern = vec![0; (bytes + SLACK).next_multiple_of(4)];
        StdRng::seed_from_u64(seed).fill_bytes(&mut pattern);
        let initiator = End::new(&mut fabric, 0, &pattern, events)?;
        let target = End::new(&mut fabric, target, &pattern, events)?;
        let source = Md {
            start: initiator.source.base,
            length: initiator.source.bytes.into(),
            ..Md::default()
        };
        let source = initiator.ni.md_bind(&mut fabric, &source)?;
        let own_source = Md {
            start: target.source.base,
            length: target.source.bytes.into(),
            ..Md::default()
        };
        let own_source = target.ni.md_bind(&mut fabric, &own_source)?;
        let room = Md {
            start: initiator.room.base,
            length: initiator.room.bytes.into(),
            options: MdOptions::EVENT_CT_REPLY,
            ct: Some(initiator.ct),
            ..Md::default()
        };
        let room = initiator.ni.md_bind(&mut fabric, &room)?;
        Ok(Self {
            sent: fabric.event(initiator.ni.tile())?,
            appended: fabric.event(target.ni.tile())?,
            handle: fabric.allocate(target.ni.tile(), 4)?,
            fabric,
            initiator,
            target,
            source,
            own_source,
            room,
            pattern,
            shift: 0,
        })
    }

    /// First byte of the data of a new measure in the pattern, a multiple of 8.
    pub fn shift(&mut self) -> usize {
        self.shift = (self.shift + STEP) % (SLACK / 2);
        self.shift
    }

    /// A portal index of the target with these entries in Priority, for the initiator alone; the user pointer of each is its place. With
    /// no other index, a search compares the first of them alone if that matches.
    ///
    /// # Errors
    /// The driver's.
    pub fn open(&mut self, eq: Option<EqHandle>, entries: &[Me]) -> anyhow::Result<Index> {
        let (ni, fabric) = (self.target.ni, &mut self.fabric);
        let pt_index = ni.pt_alloc(fabric, PtOptions::NONE, eq, None)?;
        let mut persistent = vec![];
        for (place, entry) in entries.iter().enumerate() {
            let me = Me {
                match_id: Some(INITIATOR_RANK),
                match_bits: MATCH_BITS,
                ..*entry
            };
            let handle = ni.me_append(fabric, pt_index, &me, PtlList::Priority, place as u32);
            let handle = handle.with_context(|| format!("cannot append entry {place} of {}", entries.len()))?;
            if !me.options.contains(EntryOptions::USE_ONCE) {
                persistent.push(handle);
            }
        }
        Ok(Index { pt_index, persistent })
    }

    /// A portal index of the target with this entry in Overflow.
    ///
    /// # Errors
    /// The driver's.
    pub fn open_overflow(&mut self, eq: Option<EqHandle>, entry: &Me) -> anyhow::Result<Index> {
        let (ni, fabric) = (self.target.ni, &mut self.fabric);
        let pt_index = ni.pt_alloc(fabric, PtOptions::NONE, eq, None)?;
        let handle = ni.me_append(fabric, pt_index, entry, PtlList::Overflow, 0)?;
        let persistent = vec![handle];
        Ok(Index { pt_index, persistent })
    }

    /// The host lets a rank put bytes of the pattern from `from` on to the target, and waits until the target's counter has counted that.
    ///
    /// # Errors
    /// The driver's, or the put does not count.
    pub fn send(
        &mut self,
        rank: u32,
        pt_index: u32,
        match_bits: u64,
        length: usize,
        from: usize,
    ) -> anyhow::Result<()> {
        let (ni, md) = match rank {
            INITIATOR_RANK => (self.initiator.ni, self.source),
            _ => (self.target.ni, self.own_source),
        };
        let before = self.target.ni.ct_get(&mut self.fabric, self.target.ct)?.success;
        let put = Put {
            md,
            match_bits,
            ..self.put(pt_index, length, from, 0)
        };
        ni.put(&mut self.fabric, &put)?;
        let end = Transport::cycles(self.fabric.transport()) + PATIENCE;
        while self.target.ni.ct_get(&mut self.fabric, self.target.ct)?.success == before {
            ensure!(
                Transport::cycles(self.fabric.transport()) < end,
                "a put of rank {rank} does not count"
            );
        }
        Ok(())
    }

    /// Gives the target's command stream an append, and waits until an event of its queue has counted. The handle goes to a word of its
    /// own.
    ///
    /// # Errors
    /// It does not count, or the descriptor is refused.
    pub fn timed_append(&mut self, append: &Append) -> anyhow::Result<Timing> {
        let append = Append {
            handle_address: self.handle.base,
            ..*append
        };
        let (fabric, end) = (&mut self.fabric, &self.target);
        let command = Descriptor::Portals(Command::Append(append));
        let descriptor = words::descriptor(fabric.config(), self.appended.number().into(), 0, command);
        end.event.configure(fabric, 1, Compare::AtLeast, false)?;
        end.event.reset(fabric, 0)?;
        self.appended.reset(fabric, 0)?;
        let (tile, event) = (end.ni.tile(), end.event.number());
        let timing = run(fabric.transport(), tile, &[descriptor], (tile, event), PATIENCE);
        if let Some(error) = self.appended.state(fabric)?.error {
            bail!("an append of tile {tile} failed: {error}");
        }
        timing
    }

    /// Unlinks what is left of the entries of an index, and frees it.
    ///
    /// # Errors
    /// The driver's, or an entry with USE_ONCE is left.
    pub fn close(&mut self, index: Index) -> anyhow::Result<()> {
        let (ni, fabric) = (self.target.ni, &mut self.fabric);
        for handle in index.persistent {
            ni.me_unlink(fabric, handle)?;
        }
        Ok(ni.pt_free(fabric, index.pt_index)?)
    }

    /// A put from byte `from` of the pattern to byte `to` of the entry that it matches.
    pub fn put(&self, pt_index: u32, length: usize, from: usize, to: usize) -> Put {
        Put {
            pt_index,
            match_bits: MATCH_BITS,
            local_offset: from as u64,
            remote_offset: to as u64,
            ..Put::new(self.source, length as u64, TARGET_RANK)
        }
    }

    /// The same as a descriptor, with header data.
    pub fn put_descriptor(&self, put: &Put, header_data: u64) -> Vec<u32> {
        let request = Move {
            header_data,
            ..request(Operation::Put, put)
        };
        self.descriptor(request)
    }

    /// A descriptor of a get of byte `from` of the entry that it matches to byte `to` of the initiator's room.
    pub fn get_descriptor(&self, pt_index: u32, length: usize, from: usize, to: usize) -> Vec<u32> {
        let get = Put {
            md: self.room,
            ..self.put(pt_index, length, to, from)
        };
        self.descriptor(request(Operation::Get, &get))
    }

    fn descriptor(&self, request: Move) -> Vec<u32> {
        let command = Descriptor::Portals(Command::Move(request));
        words::descriptor(self.fabric.config(), self.sent.number().into(), 0, command)
    }

    /// Gives the initiator's command stream these descriptors, and waits until so many changes of the counter, or events of the
    /// queue, of a tile have counted.
    ///
    /// # Errors
    /// They do not count, or a descriptor is refused.
    pub fn timed(
        &mut self,
        at: Station,
        changes: usize,
        descriptors: &[Vec<u32>],
        bytes: usize,
    ) -> anyhow::Result<Timing> {
        let (fabric, own) = (&mut self.fabric, self.initiator.ni.tile());
        let end = match at {
            Station::Initiator => &self.initiator,
            Station::Target => &self.target,
        };
        let changes = u16::try_from(changes).context("an event does not count that far")?;
        end.event.configure(fabric, changes, Compare::AtLeast, false)?;
        end.event.reset(fabric, 0)?;
        self.sent.reset(fabric, 0)?;
        let limit = PATIENCE + CYCLES_A_BYTE * bytes as u64;
        let (tile, event) = (end.ni.tile(), end.event.number());
        let timing = run(fabric.transport(), own, descriptors, (tile, event), limit);
        let sent = self.sent.state(fabric)?;
        if let Some(error) = sent.error {
            bail!("a command of tile {own} failed: {error}");
        }
        let timing = timing.with_context(|| format!("{} of {} moves are sent", sent.count, descriptors.len()))?;
        let counted = end.event.state(fabric)?.count;
        ensure!(
            counted == changes,
            "event {event} of tile {tile} has counted {counted}, not {changes}"
        );
        Ok(timing)
    }

    /// Compares data at byte `to` of a tile's room with those from byte `from` of the pattern on.
    ///
    /// # Errors
    /// A byte is another, or cannot be read.
    pub fn verify(&mut self, at: Station, from: usize, to: usize, length: usize) -> anyhow::Result<()> {
        let (room, tile) = match at {
            Station::Initiator => (self.initiator.room, self.initiator.ni.tile()),
            Station::Target => (self.target.room, self.target.ni.tile()),
        };
        let pieces: Vec<(usize, usize)> = match length <= WHOLE {
            true => vec![(0, length)],
            false => (0..PIECES)
                .map(|piece| (piece * (length - PIECE) / (PIECES - 1), PIECE))
                .collect(),
        };
        for (offset, bytes) in pieces {
            let (first, expected) = (to + offset, &self.pattern[from + offset..from + offset + bytes]);
            let words = (first % 4 + bytes).div_ceil(4);
            let found = self.fabric.read(tile, room.base + (first - first % 4) as u32, words)?;
            let found: Vec<u8> = found.iter().flat_map(|word| word.to_le_bytes()).collect();
            let different = (found[first % 4..].iter().zip(expected)).position(|(found, expected)| found != expected);
            if let Some(at) = different {
                bail!(
                    "byte {} of {length} at tile {tile} is not that which was sent",
                    offset + at
                );
            }
        }
        Ok(())
    }
}

impl End {
    fn new<D: Transport>(fabric: &mut Fabric<D>, tile: usize, pattern: &[u8], events: usize) -> anyhow::Result<Self> {
        let ni = Ni::open(fabric, tile, Interface::Matching)?;
        let event = fabric.event(tile)?;
        let ct = ni.ct_alloc(fabric)?;
        let eq = ni.eq_alloc(fabric, events as u64)?;
        // In place of the event by which the driver waits.
        let value = u32::from(event.number()) | 1 << EVENT_PRESENT_OFFSET;
        fabric.poke(tile, PortalsRegister::CtEvent, ct.number(), &[value])?;
        fabric.poke(tile, PortalsRegister::EqEvent, eq.number(), &[value])?;
        let [source, room] = [(); 2].map(|()| fabric.allocate(tile, pattern.len() as u32));
        let (source, room) = (source?, room?);
        let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("four bytes"));
        let words: Vec<u32> = pattern.chunks(4).map(word).collect();
        fabric.write(tile, source.base, &words)?;
        Ok(Self {
            ni,
            ct,
            eq,
            source,
            room,
            event,
        })
    }
}

/// The words of a move, without its acknowledgement.
fn request(operation: Operation, put: &Put) -> Move {
    Move {
        operation,
        ack: Ack::None,
        portal: put.pt_index as u8,
        descriptor: put.md.number() as u8,
        rank: put.target as u16,
        local: put.local_offset as u32,
        length: put.length as u32,
        remote: put.remote_offset as u32,
        match_bits: put.match_bits,
        user_pointer: 0,
        header_data: 0,
    }
}

/// Gives a tile descriptors, and waits until an event of a tile shows that it has fired.
fn run(
    device: &mut dyn FabricDevice,
    initiator: usize,
    descriptors: &[Vec<u32>],
    (tile, event): (usize, u8),
    limit: u64,
) -> anyhow::Result<Timing> {
    let settled = device.cycles() + SETTLED;
    while device.fired(tile) >> event & 1 == 1 {
        ensure!(
            device.cycles() < settled,
            "event {event} of tile {tile} has fired before anything happened"
        );
        device.cycle();
    }
    let (begun, before) = (device.cycles(), device.accepted(initiator).0);
    for descriptor in descriptors {
        device.command(initiator, descriptor);
    }
    while device.fired(tile) >> event & 1 == 0 {
        ensure!(
            device.cycles() < begun + limit,
            "event {event} of tile {tile} has not fired after {limit} cycles"
        );
        device.cycle();
    }
    let (after, accepted) = device.accepted(initiator);
    ensure!(
        after - before == descriptors.len() as u64,
        "an event fired after {} of {} descriptors",
        after - before,
        descriptors.len()
    );
    Ok(Timing {
        begun,
        accepted,
        fired: device.cycles(),
    })
}
