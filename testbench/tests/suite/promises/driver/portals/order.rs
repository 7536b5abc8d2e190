//! Order: of messages of one initiator, and of entries that compete.

use super::{event, pattern, Ranks, BYTES};
use portico::{portals::*, Fabric, Transport};

/// Rank 1 is the initiator, rank 2 the target.
const FROM: usize = 1;
const TO: usize = 2;

/// Put, get and put at one place: the get brings what the first put has left.
pub fn put_get_and_put_keep_their_order<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<(), Error> {
    let mut ranks = Ranks::new(open(), BYTES)?;
    let pt_index = ranks.index(TO, None)?;
    let (ct, came) = (ranks.ct(FROM)?, ranks.ct(TO)?);
    let me = Me {
        start: ranks.base(),
        length: 512,
        ct: Some(came),
        options: EntryOptions::OP_PUT | EntryOptions::OP_GET | EntryOptions::EVENT_CT_COMM,
        ..Me::default()
    };
    ranks.append(TO, pt_index, &me, 0)?;
    let md = ranks.md(FROM, MdOptions::EVENT_CT_REPLY, None, Some(ct))?;
    for (round, length) in (1..).zip([4, 16, 101, 300, 512]) {
        let [first, second] = [1, 2].map(|number| pattern(number * 1000 + length, 512));
        ranks.write(FROM, 0, &first)?;
        ranks.write(FROM, 512, &second)?;
        let put = Put {
            pt_index,
            ..Put::new(md, length as u64, TO as u32)
        };
        let get = Get {
            local_offset: 1024,
            pt_index,
            ..Get::new(md, length as u64, TO as u32)
        };
        ranks.put(FROM, &put)?;
        ranks.get(FROM, &get)?;
        ranks.put(
            FROM,
            &Put {
                local_offset: 512,
                ..put
            },
        )?;
        ranks.wait(FROM, ct, round)?;
        ranks.wait(TO, came, 3 * round)?;
        assert_eq!(ranks.read(FROM, 1024, length)?, first[..length], "{length} bytes");
        assert_eq!(ranks.read(TO, 0, length)?, second[..length], "{length} bytes");
    }
    ranks.finish()
}

/// Puts of one initiator lie one behind the other in an entry with an offset of its own.
pub fn puts_fill_an_entry_in_their_order<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<(), Error> {
    const LENGTHS: [usize; 8] = [7, 0, 130, 1, 64, 255, 3, 40];
    let mut ranks = Ranks::new(open(), BYTES)?;
    let eq = ranks.eq(TO, 16)?;
    let pt_index = ranks.index(TO, Some(eq))?;
    let me = Me {
        start: ranks.base() + 1,
        length: 480,
        options: EntryOptions::OP_PUT | EntryOptions::MANAGE_LOCAL | EntryOptions::EVENT_LINK_DISABLE,
        ..Me::default()
    };
    ranks.append(TO, pt_index, &me, 5)?;
    let md = ranks.md(FROM, MdOptions::NONE, None, None)?;
    let source = pattern(0, 512);
    ranks.write(FROM, 0, &source)?;
    let (mut from, mut used, mut expected) = (0, 0, vec![]);
    let mut bytes: Vec<u8> = vec![];
    for (number, length) in LENGTHS.into_iter().enumerate() {
        let put = Put {
            local_offset: from as u64,
            pt_index,
            hdr_data: number as u64,
            ..Put::new(md, length as u64, TO as u32)
        };
        ranks.put(FROM, &put)?;
        // The last has less than it asks for: 480 - 460.
        let delivered = length.min(480 - used);
        expected.push(Event {
            initiator: FROM as u32,
            hdr_data: number as u64,
            rlength: length as u64,
            mlength: delivered as u64,
            start: me.start + used as u32,
            user_ptr: 5,
            ..event(EventKind::Put)
        });
        bytes.extend(&source[from..from + delivered]);
        from += length;
        used += delivered;
    }
    assert_eq!((used, bytes.len()), (480, 480));
    ranks.rest();
    ranks.rest();
    assert_eq!(ranks.events(TO, eq)?, expected);
    assert_eq!(ranks.read(TO, 1, 480)?, bytes);
    ranks.finish()
}

/// An entry for any source, one for the exact source, and one that ignores bits compete by the order of their appends: they lie in
/// several buckets and in the list of wildcards.
pub fn entries_compete_by_the_order_of_appends<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<(), Error> {
    const ENTRIES: u32 = 24;
    let mut ranks = Ranks::new(open(), BYTES)?;
    let eq = ranks.eq(TO, 64)?;
    let pt_index = ranks.index(TO, Some(eq))?;
    let me = Me {
        options: EntryOptions::OP_PUT
            | EntryOptions::USE_ONCE
            | EntryOptions::EVENT_LINK_DISABLE
            | EntryOptions::EVENT_UNLINK_DISABLE,
        ..Me::default()
    };
    // Of each kind many, and in between those that do not match: of another rank, with other bits.
    for number in 0..ENTRIES {
        let (match_id, match_bits, ignore_bits) = match number % 6 {
            0 => (Some(FROM as u32), 7, 0),
            1 => (None, 7, 0),
            2 => (Some(0), 7, 0),
            3 => (None, 5, 2),
            4 => (Some(FROM as u32), 8, 3),
            _ => (Some(FROM as u32), 0, u64::MAX),
        };
        let me = Me {
            match_id,
            match_bits,
            ignore_bits,
            ..me
        };
        ranks.append(TO, pt_index, &me, number)?;
    }
    let md = ranks.md(FROM, MdOptions::NONE, None, None)?;
    for _ in 0..ENTRIES {
        let put = Put {
            pt_index,
            match_bits: 7,
            ..Put::new(md, 0, TO as u32)
        };
        ranks.put(FROM, &put)?;
    }
    ranks.rest();
    let took: Vec<u32> = ranks.events(TO, eq)?.iter().map(|event| event.user_ptr).collect();
    let expected: Vec<u32> = (0..ENTRIES).filter(|number| ![2, 4].contains(&(number % 6))).collect();
    assert_eq!(took, expected);
    assert_eq!(ranks.status(TO)?, [ENTRIES / 3, 0, 0]);
    ranks.finish()
}
