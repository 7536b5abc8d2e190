use super::{Command, CommandDecoder, REPEAT_WIDTH};
use portico_spec::{
    flit::MAX_PAYLOAD_FLITS,
    ni::{
        build::Build,
        command::{BARE_WORDS, MAX_DESCRIPTOR_WORDS},
        instruction::{FIRMWARE_WORDS, PC_WIDTH},
        packet::{Operation, MAX_MESSAGE_WORDS, OFFSET_WIDTH, OPERATION_WIDTH, ROW_WIDTH, STRIDE_WIDTH},
    },
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
    /// Words of an atomic, from two cycles after word 0 on.
    pub atomic_words: Bits<WORDS_WIDTH>,
    /// Word 1 in words of memory, and what the segment has from there on, a cycle later; `beyond` if that is below zero.
    pub offset: Bits<OFFSET_WIDTH>,
    pub room: Bits<OFFSET_WIDTH>,
    pub beyond: Bit,
    /// Word 2 likewise, and what the memory has from there on.
    pub source: Bits<OFFSET_WIDTH>,
    pub source_room: Bits<OFFSET_WIDTH>,
    pub source_beyond: Bit,
    pub source_misaligned: Bit,
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

/// A descriptor taken apart, word by word as it comes.
///
/// Keeps one descriptor.
///
/// | | |
/// | --- | --- |
/// | latency | fields: 1 cycle from their word, of word 0 2 cycles; `argument`: combinational |
/// | throughput | one word a cycle |
/// | state | about 270 flip-flops |
///
/// What the checks need of addresses is worked out as they come, behind the arrival of later words: how much of the
/// segment and of the memory lies beyond them, and whether a row reaches farther.
#[derive(LogicBlock, Default)]
pub struct Descriptor {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Forgets the words; the next is a first one.
    pub clear: Signal<In, Bit>,
    /// Takes `word`.
    pub take: Signal<In, Bit>,
    pub word: Signal<In, Bits<32>>,
    /// Words of the segment that word 0 names, from two cycles after it on.
    pub size: Signal<In, Bits<OFFSET_WIDTH>>,
    /// `word` as the register of the same number gets it: addresses in words.
    pub argument: Signal<Out, Bits<32>>,
    pub command: Signal<Out, Command>,
    pub operands: Signal<Out, Operands>,
    /// What has come needs a cycle more before it can be checked.
    pub unsettled: Signal<Out, Bit>,
    decoder: CommandDecoder,
    count: DFF<Bits<WORDS_WIDTH>>,
    overlong: DFF<Bit>,
    word0: DFF<Bits<32>>,
    target: DFF<Bits<TARGET_WIDTH>>,
    no_entry: DFF<Bit>,
    misaligned: DFF<Bit>,
    offset: DFF<Bits<OFFSET_WIDTH>>,
    room: DFF<Bits<OFFSET_WIDTH>>,
    beyond: DFF<Bit>,
    is_huge: DFF<Bit>,
    addressed: DFF<Bit>,
    begun: DFF<Bit>,
    source: DFF<Bits<OFFSET_WIDTH>>,
    source_room: DFF<Bits<OFFSET_WIDTH>>,
    source_beyond: DFF<Bit>,
    source_misaligned: DFF<Bit>,
    word3: DFF<Bits<32>>,
    word4: DFF<Bits<32>>,
    planes: DFF<Bits<REPEAT_WIDTH>>,
    word6: DFF<Bits<32>>,
    row_any: DFF<Bit>,
    rows_any: DFF<Bit>,
    is_row: DFF<Bit>,
    several_rows: DFF<Bit>,
    planes_any: DFF<Bit>,
    is_plane: DFF<Bit>,
    row_beyond: DFF<Bit>,
    row_beyond_source: DFF<Bit>,
    row_beyond_packet: DFF<Bit>,
    row_beyond_message: DFF<Bit>,
    /// Word 0 taken apart, a cycle later; no check is sooner.
    settled: DFF<Command>,
    atomic_words: DFF<Bits<WORDS_WIDTH>>,
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
    operands_of_atomic: Signal<Local, Bits<WORDS_WIDTH>>,
    alignment: Signal<Local, Bits<TARGET_WIDTH>>,
    misaligned_bits: Signal<Local, Bits<TARGET_WIDTH>>,
    byte_shift: Constant<Bits<3>>,
    byte_mask: Constant<Bits<32>>,
    target_mask: Constant<Bits<TARGET_WIDTH>>,
    memory_words: Constant<Bits<OFFSET_WIDTH>>,
}

impl Descriptor {
    /// For `build`, words of `width` bits and a memory of `memory_words` of them, below 2^22; panics beyond.
    pub fn new(build: &Build, width: usize, memory_words: u64) -> Self {
        let most = (1u64 << OFFSET_WIDTH) - 1;
        assert!(
            (1..=most).contains(&memory_words),
            "descriptor: memory_words = {memory_words}, allowed: 1 to {most}"
        );
        let bytes = width as u64 / 8;
        assert!([4, 8].contains(&bytes), "descriptor: width = {width}, allowed: 32, 64");
        Self {
            decoder: CommandDecoder::new(build, width),
            byte_shift: Constant::new(bits(u64::from(bytes.trailing_zeros()))),
            byte_mask: Constant::new(bits(bytes - 1)),
            target_mask: Constant::new(bits(bytes - 1)),
            memory_words: Constant::new(bits(memory_words)),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for Descriptor {
    fn update(&mut self) {
        dff_setup!(
            self,
            clk,
            count,
            overlong,
            word0,
            settled,
            atomic_words,
            misaligned,
            target,
            no_entry,
            offset,
            room,
            beyond,
            is_huge,
            addressed,
            begun,
            source,
            source_room,
            source_beyond,
            source_misaligned,
            word3,
            word4,
            planes,
            word6,
            row_any,
            rows_any,
            is_row,
            several_rows,
            planes_any,
            is_plane,
            row_beyond,
            row_beyond_source,
            row_beyond_packet,
            row_beyond_message
        );
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
        if (self.count.q.val() == 1) & (self.has_source.val() | self.kind.val().is_atomic) {
            self.argument.next = self.converted.val();
        }
        if (self.count.q.val() == 2) & self.has_source.val() {
            self.argument.next = self.converted.val();
        }

        self.operands_of_atomic.next = 1.into();
        if (self.kind.val().operation == bits::<OPERATION_WIDTH>(Operation::FetchClear as u64))
            | (self.kind.val().operation == bits::<OPERATION_WIDTH>(Operation::Peek as u64))
        {
            self.operands_of_atomic.next = 0.into();
        }
        if (self.kind.val().operation == bits::<OPERATION_WIDTH>(Operation::CompareAndSwap as u64))
            | (self.kind.val().operation == bits::<OPERATION_WIDTH>(Operation::AddIf as u64))
        {
            self.operands_of_atomic.next = 2.into();
        }
        self.atomic_words.d.next = bits::<WORDS_WIDTH>(BARE_WORDS) + self.operands_of_atomic.val();
        if self.kind.val().wide {
            self.atomic_words.d.next = bits::<WORDS_WIDTH>(BARE_WORDS) + (self.operands_of_atomic.val() << 1);
        }
        self.alignment.next = self.target_mask.val();
        if self.kind.val().is_atomic {
            self.alignment.next = bits::<TARGET_WIDTH>(3);
            if self.kind.val().wide {
                self.alignment.next = bits::<TARGET_WIDTH>(7);
            }
        }
        self.misaligned_bits.next = self.target.q.val() & self.alignment.val();

        // The segment's size comes a cycle after word 1 may have come.
        self.begun.d.next = self.take.val() & !self.count.q.val().any();
        self.addressed.d.next = self.take.val() & (self.count.q.val() == 1);
        self.unsettled.next = self.begun.q.val() | self.addressed.q.val();
        if self.addressed.q.val() {
            self.misaligned.d.next = self.misaligned_bits.val().any();
            self.room.d.next = self.size.val() - self.offset.q.val();
            self.beyond.d.next = self.is_huge.q.val() | (self.offset.q.val() > self.size.val());
        }
        if self.take.val() {
            if self.count.q.val() == bits::<WORDS_WIDTH>(MAX_DESCRIPTOR_WORDS) {
                self.overlong.d.next = true;
            } else {
                self.count.d.next = self.count.q.val() + 1;
            }
            if !self.count.q.val().any() {
                self.word0.d.next = self.word.val();
                self.source_misaligned.d.next = false;
                self.misaligned.d.next = false;
                self.target.d.next = 0.into();
                self.word3.d.next = 0.into();
                self.word4.d.next = 0.into();
                self.planes.d.next = 1.into();
                self.word6.d.next = 0.into();
                self.row_any.d.next = false;
                self.rows_any.d.next = false;
                self.is_row.d.next = false;
                self.several_rows.d.next = false;
                self.planes_any.d.next = true;
                self.is_plane.d.next = true;
                self.row_beyond.d.next = false;
                self.row_beyond_source.d.next = false;
                self.row_beyond_packet.d.next = false;
                self.row_beyond_message.d.next = false;
            }
            if self.count.q.val() == 1 {
                self.target.d.next = self.word.val().get_bits::<TARGET_WIDTH>(0);
                self.no_entry.d.next = self.beyond_programs.val().any()
                    | (self.word.val().get_bits::<PC_WIDTH>(0) < bits::<PC_WIDTH>(FIRMWARE_WORDS));
                self.offset.d.next = self.address.val();
                self.is_huge.d.next = self.too_large.val();
            }
            if self.count.q.val() == 2 {
                self.source.d.next = self.address.val();
                self.source_room.d.next = self.memory_words.val() - self.address.val();
                self.source_beyond.d.next = self.too_large.val() | (self.address.val() > self.memory_words.val());
                self.source_misaligned.d.next = self.low_bits.val().any();
            }
            if self.count.q.val() == 3 {
                self.word3.d.next = self.word.val();
                self.row_any.d.next = self.row.val().any();
                self.rows_any.d.next = self.rows.val().any();
                self.is_row.d.next = self.rows.val() == bits::<REPEAT_WIDTH>(1);
                self.several_rows.d.next = self.rows.val() > bits::<REPEAT_WIDTH>(1);
                self.row_beyond.d.next = bit_cast::<OFFSET_WIDTH, ROW_WIDTH>(self.row.val()) > self.room.q.val();
                self.row_beyond_source.d.next =
                    bit_cast::<OFFSET_WIDTH, ROW_WIDTH>(self.row.val()) > self.source_room.q.val();
                self.row_beyond_packet.d.next = self.row.val() > bits::<ROW_WIDTH>(MAX_PAYLOAD_FLITS);
                self.row_beyond_message.d.next = self.row.val() > bits::<ROW_WIDTH>(MAX_MESSAGE_WORDS);
            }
            if self.count.q.val() == 4 {
                self.word4.d.next = self.word.val();
            }
            if self.count.q.val() == 5 {
                self.planes.d.next = self.word.val().get_bits::<REPEAT_WIDTH>(0);
                self.planes_any.d.next = self.word.val().get_bits::<REPEAT_WIDTH>(0).any();
                self.is_plane.d.next = self.word.val().get_bits::<REPEAT_WIDTH>(0) == bits::<REPEAT_WIDTH>(1);
            }
            if self.count.q.val() == 6 {
                self.word6.d.next = self.word.val();
            }
        }
        if self.clear.val() {
            self.count.d.next = 0.into();
            self.overlong.d.next = false;
        }
        if self.rst.val() {
            self.count.d.next = 0.into();
            self.overlong.d.next = false;
        }

        self.settled.d.next = self.kind.val();
        self.command.next = self.settled.q.val();
        self.operands.next.count = self.count.q.val();
        self.operands.next.overlong = self.overlong.q.val();
        self.operands.next.target = self.target.q.val();
        self.operands.next.no_entry = self.no_entry.q.val();
        self.operands.next.misaligned = self.misaligned.q.val();
        self.operands.next.atomic_words = self.atomic_words.q.val();
        self.operands.next.offset = self.offset.q.val();
        self.operands.next.room = self.room.q.val();
        self.operands.next.beyond = self.beyond.q.val();
        self.operands.next.source = self.source.q.val();
        self.operands.next.source_room = self.source_room.q.val();
        self.operands.next.source_beyond = self.source_beyond.q.val();
        self.operands.next.source_misaligned = self.source_misaligned.q.val();
        self.operands.next.row = self.word3.q.val().get_bits::<ROW_WIDTH>(0);
        self.operands.next.rows = self.word3.q.val().get_bits::<REPEAT_WIDTH>(16);
        self.operands.next.has_words = self.row_any.q.val() & self.rows_any.q.val() & self.planes_any.q.val();
        self.operands.next.is_row = self.is_row.q.val();
        self.operands.next.is_plane = self.is_plane.q.val();
        self.operands.next.several_rows = self.several_rows.q.val();
        self.operands.next.row_beyond = self.row_beyond.q.val();
        self.operands.next.row_beyond_source = self.row_beyond_source.q.val();
        self.operands.next.row_beyond_packet = self.row_beyond_packet.q.val();
        self.operands.next.row_beyond_message = self.row_beyond_message.q.val();
        self.operands.next.source_stride = self.word4.q.val().get_bits::<STRIDE_WIDTH>(0);
        self.operands.next.stride = self.word4.q.val().get_bits::<STRIDE_WIDTH>(16);
        self.operands.next.planes = self.planes.q.val();
        self.operands.next.source_plane_stride = self.word6.q.val().get_bits::<STRIDE_WIDTH>(0);
        self.operands.next.plane_stride = self.word6.q.val().get_bits::<STRIDE_WIDTH>(16);
    }
}
