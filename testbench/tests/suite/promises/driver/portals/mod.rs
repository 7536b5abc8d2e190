//! What the Portals engines promise: every suite takes a way to open a fabric of four tiles with engines.
//!
//! | suite | promises |
//! | --- | --- |
//! | `acknowledgements` | what each kind of acknowledgement raises and counts, and that no answer keeps a slot |
//! | `bytes` | lengths and byte offsets, other ranks and the own one |
//! | `codes` | the error code of every wrong field of a command |
//! | `events` | every kind of event with its fields, what stops it, rings that go round and are full |
//! | `headers` | puts that come around an append, data that come while it waits, entries of Overflow that leave once |
//! | `lifetimes` | entries that leave by themselves and by hand, indices that are disabled and freed |
//! | `order` | messages of one initiator, entries in the order of their appends |
//! | `places` | the places of headers, and the entries and indices that headers keep |
//! | `random` | golden and Verilog do the same |
//! | `refusals` | what a target refuses, and what it counts |
//! | `registers` | what registers show |
//! | `resets` | after a reset in the middle of a message or an append all is as on a new fabric |
//! | `searches` | what searches tell of headers, delete and leave |
//! | `traffic` | ranks that send to each other at once, answers and replies beside requests that wait |
//! | `unexpected` | what appends tell of messages that came before them, and count |

use super::SOON;
use portico::{portals::*, Fabric, Region, Transport};

pub mod acknowledgements;
pub mod bytes;
pub mod codes;
pub mod events;
pub mod headers;
pub mod lifetimes;
pub mod order;
pub mod places;
pub mod random;
pub mod refusals;
pub mod registers;
pub mod resets;
pub mod searches;
mod target;
pub mod traffic;
pub mod unexpected;

/// The tile of each rank.
const TILES: [usize; 4] = [2, 0, 3, 1];
/// Bytes of memory of each rank for most suites.
const BYTES: u32 = 0x800;
/// Cycles in which a message of at most 600 bytes ends, with its answer.
const REST: u64 = 400;

/// Ranks 0 to 3, each with both interfaces open and so many bytes of memory for the suite.
struct Ranks<T> {
    fabric: Fabric<T>,
    matching: Vec<Ni>,
    plain: Vec<Ni>,
    regions: Vec<Region>,
}

impl<T: Transport> Ranks<T> {
    fn new(mut fabric: Fabric<T>, bytes: u32) -> Result<Ranks<T>, Error> {
        let regions = TILES.iter().map(|&tile| fabric.allocate(tile, bytes));
        let regions: Vec<Region> = regions.collect::<Result<_, _>>()?;
        set_map(&mut fabric, &TILES.map(Process::from))?;
        let mut open = |interface| {
            let opened = TILES.iter().map(|&tile| Ni::open(&mut fabric, tile, interface));
            opened.collect::<Result<Vec<Ni>, Error>>()
        };
        let (matching, plain) = (open(Interface::Matching)?, open(Interface::NonMatching)?);
        Ok(Ranks {
            fabric,
            matching,
            plain,
            regions,
        })
    }

    /// The interface of a rank.
    fn ni(&self, rank: usize, interface: Interface) -> Ni {
        match interface {
            Interface::Matching => self.matching[rank],
            Interface::NonMatching => self.plain[rank],
        }
    }

    /// First byte of a rank's memory for the suite: the same at all.
    fn base(&self) -> u32 {
        self.regions[0].base
    }

    /// Lets end what has been sent.
    fn rest(&mut self) {
        self.fabric.transport().wait(REST);
    }

    /// All events of a queue that are there, each with whether events before it were lost.
    fn taken(&mut self, ni: Ni, eq: EqHandle) -> Result<Vec<(Event, bool)>, Error> {
        let mut events = vec![];
        loop {
            match ni.eq_get(&mut self.fabric, eq) {
                Ok(event) => events.push((event, false)),
                Err(Error::EqDropped(event)) => events.push((*event, true)),
                Err(Error::EqEmpty) => return Ok(events),
                Err(error) => return Err(error),
            }
        }
    }

    /// All events of a queue of a matching interface that are there; none was lost.
    fn events(&mut self, rank: usize, eq: EqHandle) -> Result<Vec<Event>, Error> {
        let taken = self.taken(self.matching[rank], eq)?;
        let events = taken.into_iter().map(|(event, after_loss)| {
            assert!(!after_loss, "events were lost in front of {event:?}");
            event
        });
        Ok(events.collect())
    }

    /// Takes the oldest event of a queue of a matching interface, and waits for it.
    fn event(&mut self, rank: usize, eq: EqHandle) -> Result<Event, Error> {
        self.matching[rank].eq_wait(&mut self.fabric, eq, SOON)
    }

    /// Bytes of a rank's memory from an offset in that of the suite.
    fn read(&mut self, rank: usize, offset: u32, count: usize) -> Result<Vec<u8>, Error> {
        let address = self.base() + offset;
        let first = address / 4 * 4;
        let skipped = (address - first) as usize;
        let words = self.fabric.read(TILES[rank], first, (skipped + count).div_ceil(4))?;
        let bytes = words.iter().flat_map(|word| word.to_le_bytes());
        Ok(bytes.skip(skipped).take(count).collect())
    }

    /// Writes whole words of a rank's memory from an offset in that of the suite, a multiple of 4.
    fn write(&mut self, rank: usize, offset: u32, bytes: &[u8]) -> Result<(), Error> {
        let words = bytes.chunks_exact(4);
        let words = words.map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        let words: Vec<u32> = words.collect();
        Ok(self.fabric.write(TILES[rank], self.base() + offset, &words)?)
    }

    /// A memory descriptor of all memory of a rank for the suite, on its matching interface.
    fn md(
        &mut self,
        rank: usize,
        options: MdOptions,
        eq: Option<EqHandle>,
        ct: Option<CtHandle>,
    ) -> Result<MdHandle, Error> {
        let md = Md {
            start: self.base(),
            length: self.regions[rank].bytes.into(),
            options,
            eq,
            ct,
        };
        self.matching[rank].md_bind(&mut self.fabric, &md)
    }

    /// An index of a matching interface.
    fn index(&mut self, rank: usize, eq: Option<EqHandle>) -> Result<u32, Error> {
        self.matching[rank].pt_alloc(&mut self.fabric, PtOptions::NONE, eq, None)
    }

    /// Appends an entry to Priority of an index of a matching interface.
    fn append(&mut self, rank: usize, pt_index: u32, me: &Me, user_ptr: u32) -> Result<MeHandle, Error> {
        self.matching[rank].me_append(&mut self.fabric, pt_index, me, PtlList::Priority, user_ptr)
    }

    fn put(&mut self, rank: usize, put: &Put) -> Result<(), Error> {
        self.matching[rank].put(&mut self.fabric, put)
    }

    fn get(&mut self, rank: usize, get: &Get) -> Result<(), Error> {
        self.matching[rank].get(&mut self.fabric, get)
    }

    fn eq(&mut self, rank: usize, count: u64) -> Result<EqHandle, Error> {
        self.matching[rank].eq_alloc(&mut self.fabric, count)
    }

    fn ct(&mut self, rank: usize) -> Result<CtHandle, Error> {
        self.matching[rank].ct_alloc(&mut self.fabric)
    }

    fn counts(&mut self, rank: usize, ct: CtHandle) -> Result<CtEvent, Error> {
        self.matching[rank].ct_get(&mut self.fabric, ct)
    }

    /// Waits for so many successes, without a failure.
    fn wait(&mut self, rank: usize, ct: CtHandle, success: u64) -> Result<(), Error> {
        let counts = self.matching[rank].ct_wait(&mut self.fabric, ct, success, 10 * SOON)?;
        assert_eq!(counts, CtEvent { success, failure: 0 }, "rank {rank}");
        Ok(())
    }

    /// Messages that a rank has dropped, and those that it has refused for their user and for their operation.
    fn status(&mut self, rank: usize) -> Result<[u32; 3], Error> {
        let mut status = |register| self.matching[rank].ni_status(&mut self.fabric, register);
        Ok([
            status(StatusRegister::DropCount)?,
            status(StatusRegister::PermissionViolations)?,
            status(StatusRegister::OperationViolations)?,
        ])
    }

    /// Nothing is left behind: every rank can send more puts and gets than there are slots, all interfaces close, and all memory is
    /// free.
    fn finish(mut self) -> Result<(), Error> {
        const PUTS: u64 = 30;
        const GETS: u64 = 6;
        for rank in 0..TILES.len() {
            let target = (rank + 1) % TILES.len();
            let pt_index = self.index(target, None)?;
            let me = Me {
                ignore_bits: u64::MAX,
                options: EntryOptions::OP_PUT | EntryOptions::OP_GET,
                ..Me::default()
            };
            self.append(target, pt_index, &me, 0)?;
            let ct = self.ct(rank)?;
            let md = self.md(
                rank,
                MdOptions::EVENT_CT_ACK | MdOptions::EVENT_CT_REPLY,
                None,
                Some(ct),
            )?;
            for number in 0..PUTS {
                let put = Put {
                    ack: AckReq::CtAck,
                    pt_index,
                    ..Put::new(md, 0, target as u32)
                };
                self.put(rank, &put)?;
                if number < GETS {
                    let get = Get {
                        pt_index,
                        ..Get::new(md, 0, target as u32)
                    };
                    self.get(rank, &get)?;
                }
            }
            self.wait(rank, ct, PUTS + GETS)?;
        }
        for ni in self.matching.into_iter().chain(self.plain) {
            ni.close(&mut self.fabric)?;
        }
        for region in self.regions {
            let node = region.node;
            self.fabric.free(region)?;
            let all = self.fabric.memory_bytes(node)?;
            let all = self.fabric.allocate(node, all)?;
            self.fabric.free(all)?;
        }
        Ok(())
    }
}

/// An event with all else 0.
fn event(kind: EventKind) -> Event {
    Event {
        kind,
        ni_fail_type: NiFail::Ok,
        ptl_list: PtlList::Priority,
        pt_index: 0,
        initiator: 0,
        uid: 0,
        match_bits: 0,
        hdr_data: 0,
        rlength: 0,
        mlength: 0,
        remote_offset: 0,
        start: 0,
        user_ptr: 0,
    }
}

fn kinds(events: &[Event]) -> Vec<EventKind> {
    events.iter().map(|event| event.kind).collect()
}

/// Bytes of a pattern that does not repeat soon, from a number of it on.
fn pattern(from: usize, count: usize) -> Vec<u8> {
    (from..from + count)
        .map(|at| (at * 7 + at / 256 * 13 + 1) as u8)
        .collect()
}
