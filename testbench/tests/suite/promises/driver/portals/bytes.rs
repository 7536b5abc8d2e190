//! Lengths and byte offsets: each byte comes to its place, and no other byte changes.

use super::{pattern, Ranks};
use portico::{portals::*, Fabric, Transport};

/// Around a word, around a packet without and with its header words, and around two packets.
const LENGTHS: [usize; 19] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 99, 100, 101, 127, 128, 129, 255, 256, 257];
/// Bytes between two messages, at least.
const GAP: usize = 5;
/// Bytes that the messages of a pair of offsets take together, with gaps and offsets.
const SIDE: usize = 2048;

/// The memory of a suite: what is sent, what entries have, what gets bring.
const PLACES: [usize; 3] = [0, SIDE, 2 * SIDE];

/// Offsets of the messages in their sides: each at this offset in a word.
fn offsets(align: usize) -> Vec<usize> {
    let mut next = 0;
    let places = LENGTHS.map(|length| {
        let place = next;
        next = (place + length + GAP).next_multiple_of(4);
        place + align
    });
    assert!(next + 4 <= SIDE);
    places.to_vec()
}

/// Puts of all lengths, and gets of what they have brought, at these offsets in a word at the initiator and at the target.
fn all_lengths<T: Transport>(
    open: impl Fn() -> Fabric<T>,
    from: usize,
    to: usize,
    pairs: &[(usize, usize)],
) -> Result<(), Error> {
    let mut ranks = Ranks::new(open(), 3 * SIDE as u32)?;
    let pt_index = ranks.index(to, None)?;
    let (sent, came) = (ranks.ct(from)?, ranks.ct(to)?);
    let me = Me {
        start: ranks.base() + PLACES[1] as u32,
        length: SIDE as u64,
        ct: Some(came),
        options: EntryOptions::OP_PUT | EntryOptions::OP_GET | EntryOptions::EVENT_CT_COMM,
        ..Me::default()
    };
    ranks.append(to, pt_index, &me, 0)?;
    let md = ranks.md(from, MdOptions::EVENT_CT_REPLY, None, Some(sent))?;
    let source = pattern(0, SIDE);
    ranks.write(from, PLACES[0] as u32, &source)?;
    // What should be in the entry, and what gets should have brought.
    let mut places = [pattern(1000, SIDE), pattern(2000, SIDE)];
    ranks.write(to, PLACES[1] as u32, &places[0])?;
    ranks.write(from, PLACES[2] as u32, &places[1])?;
    let mut count = 0;
    for &(local, remote) in pairs {
        let (locals, remotes) = (offsets(local), offsets(remote));
        let messages: Vec<(usize, usize, usize)> = (0..LENGTHS.len())
            .map(|at| (LENGTHS[at], locals[at], remotes[at]))
            .collect();
        for &(length, local, remote) in &messages {
            let put = Put {
                local_offset: (PLACES[0] + local) as u64,
                pt_index,
                remote_offset: remote as u64,
                ..Put::new(md, length as u64, to as u32)
            };
            ranks.put(from, &put)?;
            places[0][remote..remote + length].copy_from_slice(&source[local..local + length]);
        }
        count += LENGTHS.len() as u64;
        ranks.wait(to, came, 2 * count - LENGTHS.len() as u64)?;
        // The get of a place brings it one message further on: other bytes than those that were put from there.
        for (at, &(length, local, _)) in messages.iter().enumerate() {
            let remote = remotes[(at + 1) % remotes.len()];
            let get = Get {
                local_offset: (PLACES[2] + local) as u64,
                pt_index,
                remote_offset: remote as u64,
                ..Get::new(md, length as u64, to as u32)
            };
            ranks.get(from, &get)?;
            let brought = places[0][remote..remote + length].to_vec();
            places[1][local..local + length].copy_from_slice(&brought);
        }
        ranks.wait(from, sent, count)?;
        ranks.wait(to, came, 2 * count)?;
        let what = format!("offset {local} in a word at the initiator, {remote} at the target");
        let found = [
            ranks.read(to, PLACES[1] as u32, SIDE)?,
            ranks.read(from, PLACES[2] as u32, SIDE)?,
        ];
        for (side, (found, expected)) in ["puts", "gets"].into_iter().zip(found.iter().zip(&places)) {
            let wrong = (0..SIDE).find(|&at| found[at] != expected[at]);
            assert_eq!(wrong, None, "{side}, {what}: a byte differs");
        }
    }
    assert_eq!(ranks.read(from, PLACES[0] as u32, SIDE)?, source);
    ranks.finish()
}

/// All pairs of offsets in a word.
pub fn all_lengths_at_all_offsets<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<(), Error> {
    let pairs: Vec<(usize, usize)> = (0..16).map(|pair| (pair / 4, pair % 4)).collect();
    all_lengths(open, 2, 3, &pairs)
}

/// A rank that puts to itself and gets from itself.
pub fn a_rank_reaches_itself<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<(), Error> {
    all_lengths(open, 1, 1, &[(0, 0), (1, 2), (3, 1)])
}
