use super::{Command, Operands, Payload, WORDS_WIDTH};
use crate::dma::ports::{Job, BANK_WIDTH};
use portico_spec::{
    flit::{KIND_WIDTH, NODE_WIDTH, TAG_WIDTH},
    ni::{
        command::{BARE_WORDS, TRANSFER_WORDS},
        firmware::Entries,
        instruction::PC_WIDTH,
        packet::{ControlKind, DataKind, OFFSET_WIDTH},
        MAILBOX_WIDTH,
    },
};
use portico_verilog::prelude::*;

type Entry = Constant<Bits<PC_WIDTH>>;
fn entry(place: u8) -> Entry {
    Constant::new(bits(u64::from(place)))
}

/// What a command asks of the transmitter.
///
/// Works out the job of a command that is right, but for its slot.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | state | none |
#[derive(LogicBlock, Default)]
pub struct CommandStart {
    /// First word of the descriptor, taken apart.
    pub command: Signal<In, Command>,
    /// The words after the first, taken apart, with what the checks need of them.
    pub operands: Signal<In, Operands>,
    /// Nothing is to be moved.
    pub nothing: Signal<In, Bit>,
    /// Node of the segment.
    pub node: Signal<In, Bits<NODE_WIDTH>>,
    /// Tag of the segment's window at its node.
    pub tag: Signal<In, Bits<TAG_WIDTH>>,
    /// Words of the segment.
    pub size: Signal<In, Bits<OFFSET_WIDTH>>,
    /// Whether one packet is enough for the command, and what it is made of.
    pub payload: Signal<In, Payload>,
    /// Which descriptor it is.
    pub bank: Signal<In, Bits<BANK_WIDTH>>,
    /// What the context is to do; `slot` and `behind` are not known yet, and 0.
    pub job: Signal<Out, Job>,
    apart: Signal<Local, Bit>,
    /// Nobody answers; the packet has no address.
    without_slot: Signal<Local, Bit>,
    put: Entry,
    put2d: Entry,
    put3d: Entry,
    empty: Entry,
    get: Entry,
    get2d: Entry,
    get3d: Entry,
    stream: Entry,
    stream2d: Entry,
    stream_empty: Entry,
    enqueue: Entry,
    enqueue_empty: Entry,
    /// By the number of operand words.
    atomic: [Entry; 5],
    atomic_words: [Constant<Bits<WORDS_WIDTH>>; 5],
    mail: Entry,
    fence: Entry,
    /// A word of memory has two halves, and this bit of a byte address tells them apart.
    has_halves: Constant<Bit>,
    memory_words: Constant<Bits<OFFSET_WIDTH>>,
}

impl CommandStart {
    /// For words of `width` bits, a memory of `memory_words` of them, and programs at `entries`.
    pub fn new(width: usize, memory_words: u64, entries: &Entries) -> Self {
        Self {
            put: entry(entries.put),
            put2d: entry(entries.put2d),
            put3d: entry(entries.put3d),
            empty: entry(entries.empty),
            get: entry(entries.get),
            get2d: entry(entries.get2d),
            get3d: entry(entries.get3d),
            stream: entry(entries.stream),
            stream2d: entry(entries.stream2d),
            stream_empty: entry(entries.stream_empty),
            enqueue: entry(entries.enqueue),
            enqueue_empty: entry(entries.enqueue_empty),
            atomic: entries.atomic.map(entry),
            atomic_words: std::array::from_fn(|operands| Constant::new(bits((BARE_WORDS + operands) as u64))),
            mail: entry(entries.mail),
            fence: entry(entries.fence),
            has_halves: Constant::new(width == 64),
            memory_words: Constant::new(bits(memory_words)),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for CommandStart {
    fn update(&mut self) {
        // Rows that lie apart at the remote side; a user's program may have them whatever their number is.
        self.apart.next = (self.operands.val().count > bits::<WORDS_WIDTH>(TRANSFER_WORDS[0] as u64))
            & (self.command.val().is_program | (self.command.val().is_put & !self.operands.val().is_row));

        self.without_slot.next = self.command.val().is_stream
            | self.command.val().is_enqueue
            | self.command.val().is_mail
            | self.command.val().is_fence;
        self.job.next.pc = self.put.val();
        self.job.next.control = self.command.val().is_get | self.command.val().is_mail;
        self.job.next.bare = self.without_slot.val();
        self.job.next.destination = self.node.val();
        self.job.next.tag = self.tag.val();
        self.job.next.kind = bits::<KIND_WIDTH>(DataKind::Put as u64);
        self.job.next.offset = 0.into();
        self.job.next.size = bits::<OFFSET_WIDTH>(0) - 1;
        self.job.next.row = self.operands.val().row;
        self.job.next.stride = self.operands.val().row;
        self.job.next.half = false;
        self.job.next.slot = 0.into();
        self.job.next.behind = false;
        self.job.next.operation = self.command.val().operation;
        self.job.next.wide = self.command.val().wide;
        self.job.next.shaper = self.command.val().shaper;
        self.job.next.segment = self.command.val().segment;
        self.job.next.event = self.command.val().event;
        self.job.next.quiet = self.command.val().quiet;
        self.job.next.base = 0.into();
        self.job.next.limit = self.memory_words.val();
        self.job.next.single = self.payload.val().single;
        self.job.next.literals = self.payload.val().literals;
        self.job.next.bank = self.bank.val();
        self.job.next.words = self.payload.val().words;
        self.job.next.pointer = self.payload.val().pointer;
        self.job.next.has_slot = !self.without_slot.val();
        if self.apart.val() {
            self.job.next.stride = self.operands.val().stride;
        }
        if self.command.val().is_put {
            self.job.next.offset = self.operands.val().offset;
            self.job.next.size = self.size.val();
            if self.nothing.val() {
                self.job.next.pc = self.empty.val();
            } else if self.operands.val().count == bits::<WORDS_WIDTH>(TRANSFER_WORDS[2] as u64) {
                self.job.next.pc = self.put3d.val();
            } else if self.operands.val().count > bits::<WORDS_WIDTH>(TRANSFER_WORDS[0] as u64) {
                self.job.next.pc = self.put2d.val();
            }
        }
        if self.command.val().is_get {
            self.job.next.pc = self.get.val();
            if self.operands.val().count == bits::<WORDS_WIDTH>(TRANSFER_WORDS[2] as u64) {
                self.job.next.pc = self.get3d.val();
            } else if self.operands.val().count > bits::<WORDS_WIDTH>(TRANSFER_WORDS[0] as u64) {
                self.job.next.pc = self.get2d.val();
            }
            self.job.next.kind = bits::<KIND_WIDTH>(ControlKind::Get as u64);
            self.job.next.offset = self.operands.val().source;
        }
        if self.command.val().is_stream {
            self.job.next.pc = self.stream.val();
            if self.nothing.val() {
                self.job.next.pc = self.stream_empty.val();
            } else if self.operands.val().count > bits::<WORDS_WIDTH>(TRANSFER_WORDS[0] as u64) {
                self.job.next.pc = self.stream2d.val();
            }
            self.job.next.kind = bits::<KIND_WIDTH>(DataKind::Stream as u64);
        }
        if self.command.val().is_enqueue {
            self.job.next.pc = self.enqueue.val();
            if self.nothing.val() {
                self.job.next.pc = self.enqueue_empty.val();
            }
            self.job.next.kind = bits::<KIND_WIDTH>(DataKind::Message as u64);
        }
        if self.command.val().is_atomic {
            for i in 0..5 {
                if self.operands.val().count == self.atomic_words[i].val() {
                    self.job.next.pc = self.atomic[i].val();
                }
            }
            self.job.next.kind = bits::<KIND_WIDTH>(DataKind::Atomic as u64);
            self.job.next.offset = self.operands.val().offset;
            self.job.next.half =
                self.has_halves.val() & !self.command.val().wide & self.operands.val().target.get_bit(2);
        }
        if self.command.val().is_mail {
            self.job.next.pc = self.mail.val();
            self.job.next.destination = self.operands.val().target.get_bits::<NODE_WIDTH>(0);
            self.job.next.tag =
                bit_cast::<TAG_WIDTH, MAILBOX_WIDTH>(self.operands.val().target.get_bits::<MAILBOX_WIDTH>(NODE_WIDTH));
            self.job.next.kind = bits::<KIND_WIDTH>(ControlKind::Mail as u64);
        }
        if self.command.val().is_fence {
            self.job.next.pc = self.fence.val();
        }
        if self.command.val().is_program {
            self.job.next.pc = self.operands.val().target.get_bits::<PC_WIDTH>(0);
            self.job.next.size = self.size.val();
        }
    }
}
