//! Descriptors, checked as the dispatcher of a network interface checks them.

use portico_spec::{
    flit::NODE_WIDTH,
    ni::{
        build::Build,
        command::{
            opcode, Opcode, BARE_WORDS, DRAINED_OFFSET, EVENT_OFFSET, MAX_DESCRIPTOR_WORDS, OPERATION_OFFSET,
            QUIET_OFFSET, SEGMENT_OFFSET, SHAPER_OFFSET, SHAPER_WIDTH, TRANSFER_WORDS, WIDE_OFFSET,
        },
        event::EVENT_WIDTH,
        instruction::{FIRMWARE_WORDS, PROGRAM_WORDS},
        packet::{MAX_MESSAGE_WORDS, OPERATION_WIDTH},
        segment::{SegmentKind, HANDLE_WIDTH},
        ErrorCode, MAILBOX_WIDTH,
    },
    parts::{MPE, PORTALS, PROBE, STREAMS},
    Node,
};

use super::{
    bits::{bit, field},
    packet::Atomic,
    segment::{node, Segment},
    transfer::Transfer,
};

/// The fields that the first word of every descriptor has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Common {
    pub event: u32,
    pub segment: u8,
    pub quiet: bool,
    /// It waits for all before it. Engines ignore it.
    pub drained: bool,
}

impl Common {
    pub fn of(word: u32) -> Common {
        Common {
            event: field(word, EVENT_OFFSET, EVENT_WIDTH),
            segment: field(word, SEGMENT_OFFSET, HANDLE_WIDTH) as u8,
            quiet: bit(word, QUIET_OFFSET),
            drained: bit(word, DRAINED_OFFSET),
        }
    }
}

/// What a valid descriptor asks for, in words of the fabric's width.
#[derive(Clone, Debug)]
pub(super) enum Action {
    Put(Transfer),
    Get(Transfer),
    Stream(Transfer),
    Enqueue {
        local: u64,
        words: u64,
    },
    Atomic {
        offset: u64,
        operation: u32,
        wide: bool,
        half: bool,
        operands: Vec<u32>,
    },
    Mail {
        node: Node,
        mailbox: u32,
        value: u64,
    },
    Fence,
    Program,
}

/// What a descriptor is checked against.
pub(super) struct Limits<'a> {
    pub word_bytes: u32,
    pub memory_words: u64,
    pub build: Build,
    pub segment: Segment,
    /// The nodes that packets come to.
    pub reached: &'a [Node],
}

impl Limits<'_> {
    /// Decodes the words of a descriptor.
    ///
    /// # Errors
    /// Why the descriptor is refused.
    pub fn decode(&self, words: &[u32]) -> Result<Action, ErrorCode> {
        let opcode = opcode(words[0]);
        let of_engine = [PROBE, MPE, PORTALS, STREAMS].iter().any(|engine| engine.takes(opcode));
        let opcode = u32::from(opcode);
        let is = |code: Opcode| opcode == code as u32;
        let shaper = field(words[0], SHAPER_OFFSET, SHAPER_WIDTH) as usize;
        let pairs = self.word_bytes == 4 && bit(words[0], WIDE_OFFSET);
        let absent = is(Opcode::Enqueue) && !self.build.queues
            || is(Opcode::Program) && !self.build.programs
            || is(Opcode::Atomic) && pairs && !self.build.wide_atomics
            // Where there is the engine of an opcode, it has got the descriptor.
            || of_engine;
        if Opcode::from_code(opcode).is_some() && (absent || shaper >= self.build.shapers) {
            return Err(ErrorCode::NotBuilt);
        }
        if is(Opcode::Put) || is(Opcode::Get) {
            let transfer = self.transfer(words, &TRANSFER_WORDS)?;
            self.expect(SegmentKind::Window)?;
            self.check_remote(transfer.remote_end())?;
            self.check_local(transfer.local_end())?;
            Ok(if is(Opcode::Put) {
                Action::Put(transfer)
            } else {
                Action::Get(transfer)
            })
        } else if is(Opcode::Stream) {
            let transfer = Transfer {
                remote: 0,
                ..self.transfer(&ignoring_remote(words), &TRANSFER_WORDS[..2])?
            };
            self.expect(SegmentKind::Window)?;
            self.check_local(transfer.local_end())?;
            Ok(Action::Stream(transfer))
        } else if is(Opcode::Enqueue) {
            let transfer = self.transfer(&ignoring_remote(words), &TRANSFER_WORDS[..1])?;
            self.expect(SegmentKind::Queue)?;
            if transfer.row > MAX_MESSAGE_WORDS as u64 {
                return Err(ErrorCode::TooLong);
            }
            self.check_local(transfer.local_end())?;
            Ok(Action::Enqueue {
                local: transfer.local,
                words: if transfer.is_empty() { 0 } else { transfer.row },
            })
        } else if is(Opcode::Atomic) {
            self.atomic(words)
        } else if is(Opcode::Mail) {
            let [_, target, low, high] = *words else {
                return Err(ErrorCode::Malformed);
            };
            let node = node(target);
            self.check_node(node)?;
            Ok(Action::Mail {
                node,
                mailbox: field(target, NODE_WIDTH, MAILBOX_WIDTH),
                value: u64::from(high) << 32 | u64::from(low),
            })
        } else if is(Opcode::Fence) {
            check_length(words, &[1, BARE_WORDS])?;
            self.segment.known()?;
            self.check_node(self.segment.node())?;
            Ok(Action::Fence)
        } else if is(Opcode::Program) {
            let is_whole = (2..=MAX_DESCRIPTOR_WORDS).contains(&words.len());
            if !is_whole || !(FIRMWARE_WORDS..PROGRAM_WORDS).contains(&(words[1] as usize)) {
                return Err(ErrorCode::Malformed);
            }
            self.expect(SegmentKind::Window)?;
            Ok(Action::Program)
        } else {
            Err(ErrorCode::UnknownOpcode)
        }
    }

    fn transfer(&self, words: &[u32], lengths: &[usize]) -> Result<Transfer, ErrorCode> {
        check_length(words, lengths)?;
        let (rows, row) = halves(words[3]);
        if words.len() == TRANSFER_WORDS[0] && rows > 1 {
            return Err(ErrorCode::Malformed);
        }
        let (remote_stride, local_stride) = words.get(4).map_or((0, 0), |&word| halves(word));
        let planes = words.get(5).map_or(1, |&word| halves(word).1);
        let (remote_plane, local_plane) = words.get(6).map_or((0, 0), |&word| halves(word));
        Ok(Transfer {
            remote: self.words(words[1])?,
            local: self.words(words[2])?,
            row,
            rows,
            planes,
            remote_stride,
            local_stride,
            remote_plane,
            local_plane,
        })
    }

    fn atomic(&self, words: &[u32]) -> Result<Action, ErrorCode> {
        let operation = field(words[0], OPERATION_OFFSET, OPERATION_WIDTH);
        let wide = bit(words[0], WIDE_OFFSET);
        let operands = Atomic::operands(operation).ok_or(ErrorCode::Malformed)? << u32::from(wide);
        check_length(words, &[BARE_WORDS + operands])?;
        let bytes = if wide { 8 } else { 4 };
        if !words[1].is_multiple_of(bytes) {
            return Err(ErrorCode::Malformed);
        }
        self.expect(SegmentKind::Window)?;
        let offset = u64::from(words[1] / self.word_bytes);
        self.check_remote(offset + u64::from((bytes / self.word_bytes).max(1)))?;
        Ok(Action::Atomic {
            offset,
            operation,
            wide,
            half: !wide && !words[1].is_multiple_of(self.word_bytes),
            operands: words[BARE_WORDS..].to_vec(),
        })
    }

    fn words(&self, bytes: u32) -> Result<u64, ErrorCode> {
        if !bytes.is_multiple_of(self.word_bytes) {
            return Err(ErrorCode::Malformed);
        }
        Ok(u64::from(bytes / self.word_bytes))
    }

    /// The segment is of this kind, and of a node that packets come to.
    fn expect(&self, kind: SegmentKind) -> Result<(), ErrorCode> {
        self.segment.known()?;
        self.check_node(self.segment.node())?;
        self.segment.expect(kind)
    }

    fn check_node(&self, node: Node) -> Result<(), ErrorCode> {
        if !self.reached.contains(&node) {
            return Err(ErrorCode::AbsentNode);
        }
        Ok(())
    }

    fn check_local(&self, end: u64) -> Result<(), ErrorCode> {
        if end > self.memory_words {
            return Err(ErrorCode::OutOfMemory);
        }
        Ok(())
    }

    fn check_remote(&self, end: u64) -> Result<(), ErrorCode> {
        if end > self.segment.size() {
            return Err(ErrorCode::OutOfSegment);
        }
        Ok(())
    }
}

/// The descriptor with a remote offset of 0, for opcodes that have none.
fn ignoring_remote(words: &[u32]) -> Vec<u32> {
    let zero_second = |(at, &word)| if at == 1 { 0 } else { word };
    words.iter().enumerate().map(zero_second).collect()
}

fn check_length(words: &[u32], lengths: &[usize]) -> Result<(), ErrorCode> {
    if !lengths.contains(&words.len()) {
        return Err(ErrorCode::Malformed);
    }
    Ok(())
}

/// High and low half.
fn halves(word: u32) -> (u64, u64) {
    (u64::from(word >> 16), u64::from(word & 0xffff))
}
