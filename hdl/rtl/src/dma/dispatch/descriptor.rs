use super::{Command, CommandDecoder, Reach};
use crate::dma::ports::REPEAT_WIDTH;
use portico_spec::{
    flit::{MAX_PAYLOAD_FLITS, NODE_WIDTH},
    ni::{
        build::Build,
        command::{BARE_WORDS, MAX_DESCRIPTOR_WORDS},
        instruction::{FIRMWARE_WORDS, PC_WIDTH},
        packet::{Operation, MAX_MESSAGE_WORDS, OFFSET_WIDTH, OPERATION_WIDTH, ROW_WIDTH, STRIDE_WIDTH},
    },
    Config,
};
use portico_verilog::prelude::*;

/// Width of a count of words, in bits.
pub const WORDS_WIDTH: usize = 5;
/// Width of what is kept of word 1 as it is, in bits.
pub const TARGET_WIDTH: usize = 16;

/// What the words after the first say.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Operands {
    /// Words so far, 0 to 16.
    pub count: Bits<WORDS_WIDTH>,
    /// There were more.
    pub overlong: Bit,
    /// The low bits of word 1 as it came.
    pub target: Bits<TARGET_WIDTH>,
    /// Word 1 as it came is no place of a program of the user's; is not at a multiple of what word 0 moves, a cycle later.
    pub no_entry: Bit,
    pub misaligned: Bit,
    /// Packets come to the node that word 1 of a mail names, a cycle later.
    pub reached: Bit,
    /// Words of an atomic, from two cycles after word 0 on.
    pub atomic_words: Bits<WORDS_WIDTH>,
    /// Word 1 in words of memory, and what the segment has from there on, a cycle later; `beyond` if that is below zero. A
    /// `sequential` node works nothing out ahead: `room` is the size of the segment, `source_room` that of the memory, and
    /// only an address above all memories is `beyond`.
    pub offset: Bits<OFFSET_WIDTH>,
    pub room: Bits<OFFSET_WIDTH>,
    pub beyond: Bit,
    /// Word 2 likewise, and what the memory has from there on.
    pub source: Bits<OFFSET_WIDTH>,
    pub source_room: Bits<OFFSET_WIDTH>,
    pub source_beyond: Bit,
    pub source_misaligned: Bit,
    /// In a `sequential` node also the words that an atomic works on.
    pub row: Bits<ROW_WIDTH>,
    pub rows: Bits<REPEAT_WIDTH>,
    /// Rows, their number and that of planes are more than none; there is one row, one plane.
    pub has_words: Bit,
    pub is_row: Bit,
    pub is_plane: Bit,
    /// A row is longer than the segment has room for, or the memory.
    pub row_beyond: Bit,
    pub row_beyond_source: Bit,
    /// It does not fit into a packet, into a message.
    pub row_beyond_packet: Bit,
    pub row_beyond_message: Bit,
    /// There is more than one row.
    pub several_rows: Bit,
    pub source_stride: Bits<STRIDE_WIDTH>,
    pub stride: Bits<STRIDE_WIDTH>,
    /// 1 if not given.
    pub planes: Bits<REPEAT_WIDTH>,
    pub source_plane_stride: Bits<STRIDE_WIDTH>,
    pub plane_stride: Bits<STRIDE_WIDTH>,
}

/// How many words the descriptor of an atomic has.
///
/// Counts operands.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | state | none |
#[derive(LogicBlock, Default)]
pub struct AtomicLength {
    /// Operation of the atomic.
    pub operation: Signal<In, Bits<OPERATION_WIDTH>>,
    /// 64 bits.
    pub wide: Signal<In, Bit>,
    /// Words of the descriptor, the first one included.
    pub words: Signal<Out, Bits<WORDS_WIDTH>>,
    operands: Signal<Local, Bits<WORDS_WIDTH>>,
}

#[kernel]
impl Logic for AtomicLength {
    fn update(&mut self) {
        self.operands.next = 1.into();
        if (self.operation.val() == bits::<OPERATION_WIDTH>(Operation::FetchClear as u64))
            | (self.operation.val() == bits::<OPERATION_WIDTH>(Operation::Peek as u64))
        {
            self.operands.next = 0.into();
        }
        if (self.operation.val() == bits::<OPERATION_WIDTH>(Operation::CompareAndSwap as u64))
            | (self.operation.val() == bits::<OPERATION_WIDTH>(Operation::AddIf as u64))
        {
            self.operands.next = 2.into();
        }
        self.words.next = bits::<WORDS_WIDTH>(BARE_WORDS) + self.operands.val();
        if self.wide.val() {
            self.words.next = bits::<WORDS_WIDTH>(BARE_WORDS) + (self.operands.val() << 1);
        }
    }
}

/// A descriptor taken apart, word by word as it comes.
///
/// Keeps one descriptor.
///
/// | | |
/// | --- | --- |
/// | latency | fields: 1 cycle from their word, of word 0 2 cycles; `argument`: combinational |
/// | throughput | one word a cycle |
/// | state | [`Operands`], and the fields of the first word |
///
/// What the checks need of addresses is worked out as they come, behind the arrival of later words: how much of the
/// segment and of the memory lies beyond them, and whether a row reaches farther.
#[derive(LogicBlock, Default)]
pub struct Descriptor {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// This node.
    pub own_node: Signal<In, Bits<NODE_WIDTH>>,
    /// Forgets the words; the next is a first one.
    pub clear: Signal<In, Bit>,
    /// Takes `word`.
    pub take: Signal<In, Bit>,
    /// Next word of the descriptor; valid with `take`.
    pub word: Signal<In, Bits<32>>,
    /// Words of the segment that word 0 names, from two cycles after it on.
    pub size: Signal<In, Bits<OFFSET_WIDTH>>,
    /// `word` as the register of the same number gets it: addresses in words.
    pub argument: Signal<Out, Bits<32>>,
    /// First word of the descriptor, taken apart; valid from the second cycle after it on.
    pub command: Signal<Out, Command>,
    /// The words that have come, taken apart; each counts from the next cycle on.
    pub operands: Signal<Out, Operands>,
    /// What has come needs a cycle more before it can be checked.
    pub unsettled: Signal<Out, Bit>,
    decoder: CommandDecoder,
    atomic: AtomicLength,
    reach: Reach,
    word0: DFF<Bits<32>>,
    held: DFF<Operands>,
    after: Signal<Local, Operands>,
    is_huge: DFF<Bit>,
    addressed: DFF<Bit>,
    begun: DFF<Bit>,
    /// Word 0 taken apart, a cycle later; no check is sooner.
    settled: DFF<Command>,
    kind: Signal<Local, Command>,
    converted: Signal<Local, Bits<32>>,
    above: Signal<Local, Bits<32>>,
    address: Signal<Local, Bits<OFFSET_WIDTH>>,
    too_large: Signal<Local, Bit>,
    row: Signal<Local, Bits<ROW_WIDTH>>,
    rows: Signal<Local, Bits<REPEAT_WIDTH>>,
    has_source: Signal<Local, Bit>,
    low_bits: Signal<Local, Bits<32>>,
    beyond_programs: Signal<Local, Bits<32>>,
    alignment: Signal<Local, Bits<TARGET_WIDTH>>,
    misaligned_bits: Signal<Local, Bits<TARGET_WIDTH>>,
    measures_atomic: Signal<Local, Bit>,
    byte_shift: Constant<Bits<3>>,
    byte_mask: Constant<Bits<32>>,
    target_mask: Constant<Bits<TARGET_WIDTH>>,
    memory_words: Constant<Bits<OFFSET_WIDTH>>,
    pairs: Constant<Bit>,
    sequential: Constant<Bit>,
}

impl Descriptor {
    /// For `build` in the fabric of `config`, words of `width` bits and a memory of `memory_words` of them, below 2^22; panics
    /// beyond.
    pub fn new(build: &Build, config: &Config, width: usize, memory_words: u64) -> Self {
        let most = (1u64 << OFFSET_WIDTH) - 1;
        assert!(
            (1..=most).contains(&memory_words),
            "descriptor: memory_words = {memory_words}, allowed: 1 to {most}"
        );
        let bytes = width as u64 / 8;
        assert!([4, 8].contains(&bytes), "descriptor: width = {width}, allowed: 32, 64");
        Self {
            decoder: CommandDecoder::new(build, width),
            reach: Reach::new(config),
            byte_shift: Constant::new(bits(u64::from(bytes.trailing_zeros()))),
            byte_mask: Constant::new(bits(bytes - 1)),
            target_mask: Constant::new(bits(bytes - 1)),
            memory_words: Constant::new(bits(memory_words)),
            pairs: Constant::new(width == 32),
            sequential: Constant::new(build.is_fixed()),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for Descriptor {
    fn update(&mut self) {
        dff_setup!(self, clk, word0, held, is_huge, addressed, begun, settled);
        self.after.next = self.held.q.val();
        self.decoder.word.next = self.word0.q.val();
        self.kind.next = self.decoder.command.val();
        self.converted.next = self.word.val() >> self.byte_shift.val();
        self.address.next = self.converted.val().get_bits::<OFFSET_WIDTH>(0);
        self.above.next = self.converted.val() >> bits::<6>(OFFSET_WIDTH);
        self.too_large.next = self.above.val().any();
        self.row.next = self.word.val().get_bits::<ROW_WIDTH>(0);
        self.rows.next = self.word.val().get_bits::<REPEAT_WIDTH>(16);
        self.has_source.next =
            self.kind.val().is_put | self.kind.val().is_get | self.kind.val().is_stream | self.kind.val().is_enqueue;
        self.low_bits.next = self.word.val() & self.byte_mask.val();
        self.beyond_programs.next = self.word.val() >> bits::<6>(PC_WIDTH);

        self.argument.next = self.word.val();
        if (self.held.q.val().count == 1) & (self.has_source.val() | self.kind.val().is_atomic) {
            self.argument.next = self.converted.val();
        }
        if (self.held.q.val().count == 2) & self.has_source.val() {
            self.argument.next = self.converted.val();
        }

        self.atomic.operation.next = self.kind.val().operation;
        self.atomic.wide.next = self.kind.val().wide;
        self.after.next.atomic_words = self.atomic.words.val();
        self.alignment.next = self.target_mask.val();
        if self.kind.val().is_atomic {
            self.alignment.next = bits::<TARGET_WIDTH>(3);
            if self.kind.val().wide {
                self.alignment.next = bits::<TARGET_WIDTH>(7);
            }
        }
        self.measures_atomic.next = self.sequential.val() & self.kind.val().is_atomic;
        self.misaligned_bits.next = self.held.q.val().target & self.alignment.val();

        // The segment's size comes a cycle after word 1 may have come.
        self.begun.d.next = self.take.val() & !self.held.q.val().count.any();
        self.addressed.d.next = self.take.val() & (self.held.q.val().count == 1);
        self.unsettled.next = self.begun.q.val() | self.addressed.q.val();
        self.reach.own.next = self.own_node.val();
        self.reach.node.next = self.held.q.val().target.get_bits::<NODE_WIDTH>(0);
        if self.addressed.q.val() {
            self.after.next.reached = self.reach.reached.val();
            self.after.next.misaligned = self.misaligned_bits.val().any();
            self.after.next.room = self.size.val();
            self.after.next.beyond = self.is_huge.q.val();
            if !self.sequential.val() {
                self.after.next.room = self.size.val() - self.held.q.val().offset;
                self.after.next.beyond = self.is_huge.q.val() | (self.held.q.val().offset > self.size.val());
            }
        }
        if self.take.val() {
            if self.held.q.val().count == bits::<WORDS_WIDTH>(MAX_DESCRIPTOR_WORDS) {
                self.after.next.overlong = true;
            } else {
                self.after.next.count = self.held.q.val().count + 1;
            }
            if !self.held.q.val().count.any() {
                self.word0.d.next = self.word.val();
                self.after.next.source_misaligned = false;
                self.after.next.misaligned = false;
                self.after.next.target = 0.into();
                self.after.next.row = 0.into();
                self.after.next.rows = 0.into();
                self.after.next.source_stride = 0.into();
                self.after.next.stride = 0.into();
                self.after.next.planes = 1.into();
                self.after.next.source_plane_stride = 0.into();
                self.after.next.plane_stride = 0.into();
                self.after.next.has_words = false;
                self.after.next.is_row = false;
                self.after.next.several_rows = false;
                self.after.next.is_plane = true;
                self.after.next.row_beyond = false;
                self.after.next.row_beyond_source = false;
                self.after.next.row_beyond_packet = false;
                self.after.next.row_beyond_message = false;
            }
            if self.held.q.val().count == 1 {
                self.after.next.target = self.word.val().get_bits::<TARGET_WIDTH>(0);
                self.after.next.no_entry = self.beyond_programs.val().any()
                    | (self.word.val().get_bits::<PC_WIDTH>(0) < bits::<PC_WIDTH>(FIRMWARE_WORDS));
                self.after.next.offset = self.address.val();
                self.is_huge.d.next = self.too_large.val();
                if self.measures_atomic.val() {
                    self.after.next.row = 1.into();
                    if self.kind.val().wide & self.pairs.val() {
                        self.after.next.row = 2.into();
                    }
                }
            }
            if self.held.q.val().count == 2 {
                self.after.next.source = self.address.val();
                self.after.next.source_room = self.memory_words.val();
                self.after.next.source_beyond = self.too_large.val();
                if !self.sequential.val() {
                    self.after.next.source_room = self.memory_words.val() - self.address.val();
                    self.after.next.source_beyond =
                        self.too_large.val() | (self.address.val() > self.memory_words.val());
                }
                self.after.next.source_misaligned = self.low_bits.val().any();
            }
            if (self.held.q.val().count == 3) & !self.measures_atomic.val() {
                self.after.next.row = self.row.val();
                self.after.next.rows = self.rows.val();
                self.after.next.has_words = self.row.val().any() & self.rows.val().any();
                self.after.next.is_row = self.rows.val() == bits::<REPEAT_WIDTH>(1);
                self.after.next.several_rows = self.rows.val() > bits::<REPEAT_WIDTH>(1);
                self.after.next.row_beyond = !self.sequential.val()
                    & (bit_cast::<OFFSET_WIDTH, ROW_WIDTH>(self.row.val()) > self.held.q.val().room);
                self.after.next.row_beyond_source = !self.sequential.val()
                    & (bit_cast::<OFFSET_WIDTH, ROW_WIDTH>(self.row.val()) > self.held.q.val().source_room);
                self.after.next.row_beyond_packet = self.row.val() > bits::<ROW_WIDTH>(MAX_PAYLOAD_FLITS);
                self.after.next.row_beyond_message = self.row.val() > bits::<ROW_WIDTH>(MAX_MESSAGE_WORDS);
            }
            if self.held.q.val().count == 4 {
                self.after.next.source_stride = self.word.val().get_bits::<STRIDE_WIDTH>(0);
                self.after.next.stride = self.word.val().get_bits::<STRIDE_WIDTH>(16);
            }
            if (self.held.q.val().count == 5) & !self.measures_atomic.val() {
                self.after.next.planes = self.word.val().get_bits::<REPEAT_WIDTH>(0);
                self.after.next.has_words =
                    self.held.q.val().has_words & self.word.val().get_bits::<REPEAT_WIDTH>(0).any();
                self.after.next.is_plane = self.word.val().get_bits::<REPEAT_WIDTH>(0) == bits::<REPEAT_WIDTH>(1);
            }
            if self.held.q.val().count == 6 {
                self.after.next.source_plane_stride = self.word.val().get_bits::<STRIDE_WIDTH>(0);
                self.after.next.plane_stride = self.word.val().get_bits::<STRIDE_WIDTH>(16);
            }
        }
        if self.clear.val() | self.rst.val() {
            self.after.next.count = 0.into();
            self.after.next.overlong = false;
        }

        self.settled.d.next = self.kind.val();
        self.command.next = self.settled.q.val();
        self.held.d.next = self.after.val();
        self.operands.next = self.held.q.val();
    }
}
