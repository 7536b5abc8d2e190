use super::{MoveOut, ADDRESS_WIDTH, DIRECTIONS, END_WIDTH, LENGTH_WIDTH, PLACE_WIDTH};
use portico_spec::{
    ni::{
        command::{EVENT_OFFSET, OPCODE_OFFSET, QUIET_OFFSET},
        event::EVENT_WIDTH,
        packet::{ROW_WIDTH, STRIDE_OFFSET, STRIDE_WIDTH},
    },
    streams::EACH_ROW_OFFSET,
};
use portico_verilog::prelude::*;

const _: () = assert!(ROW_WIDTH == STRIDE_WIDTH, "the adder takes a row and a stride alike");
/// Bits of a length above those of any memory.
const BEYOND_WIDTH: usize = 32 - LENGTH_WIDTH;

/// Bits of a number of rows above the lowest.
const UPPER_WIDTH: usize = ROW_WIDTH - 1;

/// Takes a descriptor apart, word by word, and adds up where its last row ends.
///
/// Descriptors of both directions.
///
/// | | |
/// | --- | --- |
/// | latency | from the last word to `settled`: 1 cycle for one row, up to 17 for more; 2 for a receive |
/// | timing | one adder of 18 bits, behind flip-flops |
/// | state | the fields, the sum and its summand, the rows that are not added |
///
/// The adder takes the length, then the stride times each power of two in the number of the last row. That number is one less
/// than the rows of the descriptor: the borrow of the subtraction runs along with the bits.
#[derive(LogicBlock, Default)]
pub struct StreamFields {
    pub clk: Signal<In, Clock>,
    /// `word` is one of the descriptor.
    pub valid: Signal<In, Bit>,
    /// Which word.
    pub place: Signal<In, Bits<PLACE_WIDTH>>,
    /// Word of the descriptor; valid with `valid`.
    pub word: Signal<In, Bits<32>>,
    /// Direction of the descriptor.
    pub way: Signal<In, Bits<1>>,
    /// The descriptor begins, in its direction.
    pub begins: Signal<In, Bits<DIRECTIONS>>,
    /// No descriptor of the direction runs.
    pub idle: Signal<Out, Bits<DIRECTIONS>>,
    /// Sends that begin.
    pub send: MoveOut,
    /// Receives that begin.
    pub receive: MoveOut,
    /// The sum is complete.
    pub settled: Signal<Out, Bit>,
    /// The opcode has a meaning.
    pub known: Signal<Out, Bit>,
    /// The address is no whole number of words, or a length is 0.
    pub malformed: Signal<Out, Bit>,
    /// The last row ends behind the memory.
    pub beyond: Signal<Out, Bit>,
    is_known: DFF<Bit>,
    is_malformed: DFF<Bit>,
    is_beyond: DFF<Bit>,
    number: DFF<Bits<EVENT_WIDTH>>,
    quiet: DFF<Bit>,
    address: DFF<Bits<ADDRESS_WIDTH>>,
    length: DFF<Bits<LENGTH_WIDTH>>,
    rows: DFF<Bits<ROW_WIDTH>>,
    stride: DFF<Bits<STRIDE_WIDTH>>,
    each_row: DFF<Bit>,
    /// Behind the last word, as far as it is added up.
    sum: DFF<Bits<END_WIDTH>>,
    /// What the adder takes next; it was wider.
    summand: DFF<Bits<LENGTH_WIDTH>>,
    wide: DFF<Bit>,
    /// The summand is the length; it is a multiple of the stride.
    adds_length: DFF<Bit>,
    adds_rows: DFF<Bit>,
    /// Bits of the rows that are not added, and the borrow of the one that is subtracted from them.
    left: DFF<Bits<ROW_WIDTH>>,
    borrow: DFF<Bit>,
    is_added: Signal<Local, Bit>,
    has_low: Signal<Local, Bit>,
    has_high: Signal<Local, Bit>,
    /// Bits of a byte address below those of a word; above those of any memory.
    below: Constant<Bits<32>>,
    above: Constant<Bits<32>>,
    /// Bits of an end: below the memory's size, the size itself, above it.
    inside: Constant<Bits<END_WIDTH>>,
    size: Constant<Bits<END_WIDTH>>,
    outside: Constant<Bits<END_WIDTH>>,
    _byte_width: usize,
}

impl StreamFields {
    /// For a memory of `memory` words, a power of two, of `bytes` bytes.
    pub fn new(memory: usize, bytes: usize) -> Self {
        assert!(
            memory.is_power_of_two(),
            "a memory of {memory} words: its size has one bit"
        );
        let byte_width = bytes.ilog2() as usize;
        let memory = memory as u64;
        Self {
            below: Constant::new(bits(bytes as u64 - 1)),
            above: Constant::new(bits(u64::from(u32::MAX << (ADDRESS_WIDTH + byte_width)))),
            inside: Constant::new(bits(memory - 1)),
            size: Constant::new(bits(memory)),
            outside: Constant::new(bits((1 << END_WIDTH) - 2 * memory)),
            _byte_width: byte_width,
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for StreamFields {
    fn update(&mut self) {
        dff_setup!(
            self,
            clk,
            is_known,
            is_malformed,
            is_beyond,
            number,
            quiet,
            address,
            length,
            rows,
            stride
        );
        dff_setup!(
            self,
            clk,
            each_row,
            sum,
            summand,
            wide,
            adds_length,
            adds_rows,
            left,
            borrow
        );
        self.is_added.next = self.left.q.val().get_bit(0) ^ self.borrow.q.val();
        self.has_low.next = self.word.val().get_bits::<ROW_WIDTH>(0).any();
        self.has_high.next = self.word.val().get_bits::<ROW_WIDTH>(STRIDE_OFFSET).any();

        self.adds_length.d.next = false;
        if self.adds_length.q.val() | (self.adds_rows.q.val() & self.is_added.val()) {
            self.sum.d.next = self.sum.q.val() + bit_cast::<END_WIDTH, LENGTH_WIDTH>(self.summand.q.val());
        }
        if self.adds_rows.q.val() {
            // A sum that might wrap is beyond every memory.
            if self.is_added.val() & (self.wide.q.val() | self.sum.q.val().get_bit(END_WIDTH - 1)) {
                self.is_beyond.d.next = true;
            }
            self.summand.d.next = self.summand.q.val() << bits::<5>(1);
            self.wide.d.next = self.wide.q.val() | self.summand.q.val().get_bit(LENGTH_WIDTH - 1);
            self.left.d.next = self.left.q.val() >> bits::<5>(1);
            self.borrow.d.next = self.borrow.q.val() & !self.left.q.val().get_bit(0);
        }
        if self.valid.val() {
            self.summand.d.next = self.word.val().get_bits::<LENGTH_WIDTH>(0);
            if !self.way.val().any() {
                self.summand.d.next =
                    bit_cast::<LENGTH_WIDTH, STRIDE_WIDTH>(self.word.val().get_bits::<STRIDE_WIDTH>(0));
            }
            if self.place.val() == 0 {
                self.is_known.d.next = !self.word.val().get_bit(OPCODE_OFFSET + 1);
                self.number.d.next = self.word.val().get_bits::<EVENT_WIDTH>(EVENT_OFFSET);
                self.quiet.d.next = self.word.val().get_bit(QUIET_OFFSET);
                self.wide.d.next = false;
                self.borrow.d.next = true;
                self.adds_rows.d.next = false;
            }
            if self.place.val() == 1 {
                self.address.d.next = self.word.val().get_bits::<ADDRESS_WIDTH>(self._byte_width);
                self.sum.d.next =
                    bit_cast::<END_WIDTH, ADDRESS_WIDTH>(self.word.val().get_bits::<ADDRESS_WIDTH>(self._byte_width));
                self.is_malformed.d.next = (self.word.val() & self.below.val()).any();
                self.is_beyond.d.next = (self.word.val() & self.above.val()).any();
            }
            if self.place.val() == 2 {
                self.length.d.next = self.word.val().get_bits::<LENGTH_WIDTH>(0);
                self.rows.d.next = self.word.val().get_bits::<ROW_WIDTH>(STRIDE_OFFSET);
                self.left.d.next = self.word.val().get_bits::<ROW_WIDTH>(STRIDE_OFFSET);
                self.adds_length.d.next = true;
                if self.way.val().any() {
                    self.is_malformed.d.next = self.is_malformed.q.val() | !self.word.val().any();
                    self.is_beyond.d.next =
                        self.is_beyond.q.val() | self.word.val().get_bits::<BEYOND_WIDTH>(LENGTH_WIDTH).any();
                } else {
                    self.is_malformed.d.next = self.is_malformed.q.val() | !self.has_low.val() | !self.has_high.val();
                }
            }
            if self.place.val() == 3 {
                self.stride.d.next = self.word.val().get_bits::<STRIDE_WIDTH>(0);
                self.each_row.d.next = self.word.val().get_bit(EACH_ROW_OFFSET);
                self.adds_rows.d.next = !self.way.val().any();
            }
        }

        self.settled.next = !self.valid.val()
            & !self.adds_length.q.val()
            & (!self.adds_rows.q.val()
                | self.is_malformed.q.val()
                | (!self.left.q.val().get_bits::<UPPER_WIDTH>(1).any() & !self.is_added.val()));
        self.known.next = self.is_known.q.val();
        self.malformed.next = self.is_malformed.q.val();
        self.beyond.next = self.is_beyond.q.val()
            | (self.sum.q.val() & self.outside.val()).any()
            | ((self.sum.q.val() & self.size.val()).any() & (self.sum.q.val() & self.inside.val()).any());

        self.send.valid.next = self.begins.val().get_bit(0);
        self.receive.valid.next = self.begins.val().get_bit(1);
        self.idle.next = bits::<DIRECTIONS>(0)
            .replace_bit(0, self.send.ready.val())
            .replace_bit(1, self.receive.ready.val());
        self.send.address.next = self.address.q.val();
        self.send.length.next = self.length.q.val();
        self.send.rows.next = self.rows.q.val();
        self.send.stride.next = self.stride.q.val();
        self.send.each_row.next = self.each_row.q.val();
        self.send.event.next = self.number.q.val();
        self.send.quiet.next = self.quiet.q.val();
        wire!(send => receive: address, length, rows, stride, each_row, event, quiet);
    }
}
