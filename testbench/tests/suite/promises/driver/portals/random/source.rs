//! Draws operations.

use super::{Descriptor, Move, Operation, Place, AREA, INDICES, LONGEST, ROWS, TILES, UNALLOCATED};
use portico::portals::*;
use rand::{rngs::StdRng, seq::SliceRandom, Rng};

/// Draws operations.
pub(super) struct Source {
    pub(super) random: StdRng,
    /// First byte of the memory of a rank.
    pub(super) base: u32,
    /// Entries that were appended.
    pub(super) entries: usize,
    /// Bytes of the memory descriptors.
    pub(super) lengths: [[[u64; ROWS]; 2]; TILES.len()],
    /// For user pointers and header data.
    pub(super) count: u32,
    /// The rank that has appended the last entry of Overflow: many operations are there, so that messages leave headers to find.
    pub(super) focus: usize,
}

impl Source {
    pub(super) fn place(&mut self) -> Place {
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
        if self.random.gen_bool(0.5) {
            return self.focus;
        }
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

    pub(super) fn descriptor(&mut self) -> Descriptor {
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

    /// The fields of an entry, or of a search, which is used once with this chance.
    fn fields(&mut self, place: Place, once: f64) -> Me {
        let mut options = EntryOptions::NONE;
        for (option, chance) in [
            (EntryOptions::USE_ONCE, once),
            (EntryOptions::NO_TRUNCATE, 0.2),
            (EntryOptions::MANAGE_LOCAL, 0.35),
            (EntryOptions::UNEXPECTED_HDR_DISABLE, 0.3),
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
        Me {
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
        }
    }

    /// The same for any source, and most often for all match bits.
    fn wide(&mut self, place: Place, once: f64) -> Me {
        Me {
            match_id: None,
            ignore_bits: self.one(&[u64::MAX, u64::MAX, 1]),
            ..self.fields(place, once)
        }
    }

    fn entry(&mut self, place: Place) -> Operation {
        let list = self.one(&[PtlList::Priority, PtlList::Overflow]);
        // Most entries of Overflow take many messages.
        let me = match list {
            PtlList::Priority => self.fields(place, 0.75),
            PtlList::Overflow => self.wide(place, 0.35),
        };
        let counter = self.chance(0.7, |random| random.gen_range(0..ROWS));
        self.count += 1;
        if list == PtlList::Overflow {
            self.focus = place.rank;
        }
        Operation::Append(self.index(), list, me, counter, self.count)
    }

    fn search(&mut self, place: Place) -> Operation {
        let me = self.wide(place, 0.5);
        let operation = self.one(&[SearchOp::Only, SearchOp::Only, SearchOp::Delete]);
        let counter = self.chance(0.2, |random| random.gen_range(0..ROWS));
        self.count += 1;
        Operation::Search(self.index(), operation, me, counter, self.count)
    }

    fn index(&mut self) -> u32 {
        let [queued, silent, disabled] = INDICES;
        self.one(&[queued, queued, queued, queued, queued, queued, silent, disabled])
    }

    pub(super) fn draw(&mut self, place: Place) -> Operation {
        let row = self.random.gen_range(0..ROWS);
        match self.random.gen_range(0..100) {
            0..=49 => Operation::Move(self.request(place)),
            50..=71 => self.entry(place),
            72..=78 => self.search(place),
            79..=83 if self.entries > 0 => Operation::Unlink(self.random.gen_range(0..self.entries)),
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
