//! The built-in programs: what a descriptor starts unless it names a program of the user's.
//!
//! They are read-only and lie in the first [`FIRMWARE_WORDS`](super::instruction::FIRMWARE_WORDS) places of the program
//! memory. Before one runs, the dispatcher has put the descriptor's words into the registers of the same number (word 0
//! into r0, ...), turned w1 and w2 of transfers into words, and set the remote offset, row and stride from them.

use super::assembler::assemble;

/// Where each built-in program begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entries {
    /// One row.
    pub put: u8,
    /// Rows at a local stride.
    pub put2d: u8,
    /// Planes of rows.
    pub put3d: u8,
    /// An end of transfer and nothing else.
    pub empty: u8,
    /// A get request for one row.
    pub get: u8,
    /// A get request for rows.
    pub get2d: u8,
    /// A get request for planes of rows.
    pub get3d: u8,
    /// One row to a window in pointer mode.
    pub stream: u8,
    /// Rows to a window in pointer mode.
    pub stream2d: u8,
    /// An end of transfer to a window in pointer mode.
    pub stream_empty: u8,
    /// A message to a queue.
    pub enqueue: u8,
    /// A message without payload to a queue.
    pub enqueue_empty: u8,
    /// Atomics, by the number of their operand words.
    pub atomic: [u8; 5],
    /// 64 bits to a mailbox.
    pub mail: u8,
    /// Until no transaction of the segment is open.
    pub fence: u8,
}

/// The read-only part of the program memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Firmware {
    /// Instructions from address 0.
    pub words: Vec<u32>,
    /// Where each program begins.
    pub entries: Entries,
}

const PUT: &str = "run r2, close, last, stop";
const PUT_2D: &str = "
    loop r3.h
        run r2, +r4.l !end
    close last, stop";
const PUT_3D: &str = "
    loop r5.l
        to r1
        set r7, r2
        loop r3.h
            run r7, +r4.l !end
        add r1, r6.h
        add r2, r6.l !end
    close last, stop";
const EMPTY: &str = "close last, stop";
// The ADDRESS word carries the local address, to which the reply writes. The geometry travels as the other side sees it,
// its local stride being the requester's remote one: hence the swaps.
const GET: &str = "
    word r1
    word r3, close, stop";
const GET_2D: &str = "
    word r1
    word r3
    word r4, swap, close, stop";
const GET_3D: &str = "
    word r1
    word r3
    word r4, swap
    word r5
    word r6, swap, close, stop";
// No acknowledgement comes back from a stream, a message or a mail, so their programs count in the event themselves.
const STREAM: &str = "
    run r2, close, last
    notify own
    stop";
const STREAM_2D: &str = "
    loop r3.h
        run r2, +r4.l !end
    close last
    notify own
    stop";
const STREAM_EMPTY: &str = "
    close last
    notify own
    stop";
const ENQUEUE: &str = "
    credit
    word r0
    run r2, close, last
    notify own
    stop";
const ENQUEUE_EMPTY: &str = "
    credit
    word r0, close, last
    notify own
    stop";
const ATOMIC: [&str; 5] = [
    EMPTY,
    "word r2, close, last, stop",
    "
    word r2
    word r3, close, last, stop",
    "
    word r2
    word r3
    word r4, close, last, stop",
    "
    word r2
    word r3
    word r4
    word r5, close, last, stop",
];
const MAIL: &str = "
    word r2
    word r3, close
    notify own
    stop";
const FENCE: &str = "
    fence
    notify own
    stop";

/// Assembles the built-in programs.
pub fn firmware() -> Firmware {
    let mut words = Vec::new();
    let mut place = |source: &str| {
        let at = words.len() as u8;
        words.extend(assemble(source).expect("a built-in program is right"));
        at
    };
    let entries = Entries {
        put: place(PUT),
        put2d: place(PUT_2D),
        put3d: place(PUT_3D),
        empty: place(EMPTY),
        get: place(GET),
        get2d: place(GET_2D),
        get3d: place(GET_3D),
        stream: place(STREAM),
        stream2d: place(STREAM_2D),
        stream_empty: place(STREAM_EMPTY),
        enqueue: place(ENQUEUE),
        enqueue_empty: place(ENQUEUE_EMPTY),
        atomic: ATOMIC.map(&mut place),
        mail: place(MAIL),
        fence: place(FENCE),
    };
    Firmware { words, entries }
}

impl Entries {
    /// Every program with its name, in the order of the addresses.
    pub fn named(&self) -> Vec<(String, u8)> {
        let Entries {
            put,
            put2d,
            put3d,
            empty,
            get,
            get2d,
            get3d,
            stream,
            stream2d,
            stream_empty,
            enqueue,
            enqueue_empty,
            atomic,
            mail,
            fence,
        } = *self;
        let plain = |name: &str, at: u8| (name.to_string(), at);
        let mut named = vec![
            plain("put", put),
            plain("put2d", put2d),
            plain("put3d", put3d),
            plain("empty", empty),
            plain("get", get),
            plain("get2d", get2d),
            plain("get3d", get3d),
            plain("stream", stream),
            plain("stream2d", stream2d),
            plain("stream_empty", stream_empty),
            plain("enqueue", enqueue),
            plain("enqueue_empty", enqueue_empty),
        ];
        named.extend(
            (0..)
                .zip(atomic)
                .map(|(operands, at): (usize, u8)| (format!("atomic{operands}"), at)),
        );
        named.extend([plain("mail", mail), plain("fence", fence)]);
        named
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ni::instruction::{Action, Closing, Instruction, FIRMWARE_WORDS};

    #[test]
    fn the_programs_fit_and_follow_each_other() {
        let Firmware { words, entries } = firmware();
        assert!(words.len() <= FIRMWARE_WORDS, "{} words", words.len());
        let named = entries.named();
        assert!(named.is_sorted_by_key(|(_, at)| *at), "{named:?}");
        for (name, at) in &named {
            assert!(
                *at == 0 || Instruction::decode(words[usize::from(*at) - 1]).unwrap().action.stops(),
                "{name} begins where no program ends"
            );
        }
    }

    /// From each entry to the first stop: how many words go into the packet beside runs, and whether it is an end of
    /// transfer.
    #[test]
    fn every_program_sends_what_its_packet_has() {
        let Firmware { words, entries } = firmware();
        let trace = |entry: u8| {
            let mut literals = 0;
            let mut lasts = 0;
            for &word in &words[usize::from(entry)..] {
                let action = Instruction::decode(word).unwrap().action;
                literals += usize::from(matches!(action, Action::Word { .. }));
                lasts += usize::from(matches!(
                    action,
                    Action::Run {
                        closing: Closing::Last,
                        ..
                    } | Action::Word {
                        closing: Closing::Last,
                        ..
                    } | Action::Close { last: true, .. }
                ));
                if action.stops() {
                    return (literals, lasts);
                }
            }
            panic!("no stop");
        };
        for entry in [entries.put, entries.put2d, entries.put3d, entries.empty] {
            assert_eq!(trace(entry), (0, 1));
        }
        let gets = [entries.get, entries.get2d, entries.get3d].map(trace);
        assert_eq!(gets, [(2, 0), (3, 0), (5, 0)]);
        for entry in [entries.stream, entries.stream2d, entries.stream_empty] {
            assert_eq!(trace(entry), (0, 1));
        }
        assert_eq!((trace(entries.enqueue), trace(entries.enqueue_empty)), ((1, 1), (1, 1)));
        for (operands, entry) in entries.atomic.into_iter().enumerate() {
            assert_eq!(trace(entry), (operands, 1));
        }
        assert_eq!((trace(entries.mail), trace(entries.fence)), ((2, 0), (0, 0)));
    }

    /// The words themselves, for whoever reads a waveform.
    #[test]
    fn the_shortest_programs_in_full() {
        let Firmware { words, entries } = firmware();
        let put = words[usize::from(entries.put)];
        assert_eq!(put, 6 | 2 << 4 | 3 << 12 | 0b111 << 17);
        let put2d = usize::from(entries.put2d);
        assert_eq!(
            words[put2d..put2d + 3],
            [
                3 | 3 << 8 | 2 << 12,
                6 | 2 << 4 | 4 << 8 | 1 << 12 | 1 << 14,
                8 | 3 << 12 | 0b111 << 17
            ]
        );
        let get = usize::from(entries.get2d);
        assert_eq!(
            words[get..get + 3],
            [
                7 | 1 << 4 | 3 << 12,
                7 | 3 << 4 | 3 << 12,
                7 | 4 << 4 | 3 << 12 | 0b1101 << 17
            ]
        );
    }
}
