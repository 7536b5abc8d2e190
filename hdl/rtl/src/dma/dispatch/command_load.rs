use super::{Command, Descriptor, Operands};
use crate::{
    dma::ports::{ArgumentOut, BANK_WIDTH},
    prim::StreamIn,
};
use portico_spec::{
    flit::NODE_WIDTH,
    ni::{
        build::Build,
        command::{SEGMENT_OFFSET, TRANSFER_WORDS},
        packet::OFFSET_WIDTH,
        segment::HANDLE_WIDTH,
        CONTEXT_WIDTH,
    },
    Config,
};
use portico_verilog::prelude::*;

/// Takes the words of a descriptor, and passes them on into the register file.
///
/// One descriptor at a time.
///
/// | | |
/// | --- | --- |
/// | latency | 0 cycles to the register file, 1 to `operands`, 2 to `command` |
/// | throughput | one word a cycle |
/// | state | [`Descriptor`], and the number of the context |
///
/// Words go straight to the registers of the context that will run the program; so a free one is needed before the first
/// word is taken.
#[derive(LogicBlock, Default)]
pub struct CommandLoad {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// This node.
    pub own_node: Signal<In, Bits<NODE_WIDTH>>,
    /// Whole descriptors, `tlast` on the last word of each.
    pub s_axis: StreamIn<32>,
    /// Words may be taken.
    pub open: Signal<In, Bit>,
    /// A pulse when all words are there: the register that a get sends without having been given it is filled.
    pub fill: Signal<In, Bit>,
    /// Forgets the descriptor.
    pub clear: Signal<In, Bit>,
    /// Words of descriptors, for the registers of their contexts.
    pub argument: ArgumentOut,
    /// Which descriptor it is.
    pub bank: Signal<In, Bits<BANK_WIDTH>>,
    /// A word of `s_axis` may go to `argument`.
    pub grant: Signal<In, Bit>,
    /// `argument` is used in this cycle, whatever `grant` is.
    pub fills: Signal<Out, Bit>,
    /// There is a free core; the first word of a descriptor waits for one.
    pub has_free: Signal<In, Bit>,
    /// Lowest core that is free, which the next descriptor gets; valid with `has_free`.
    pub free_context: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// Looks the segment up.
    pub lookup: Signal<Out, Bit>,
    /// Handle of the segment to look up; valid with `lookup`.
    pub handle: Signal<Out, Bits<HANDLE_WIDTH>>,
    /// A lookup may come in this cycle; no first word is taken without it.
    pub lookup_ready: Signal<In, Bit>,
    /// Words of the segment, from two cycles after `lookup` on.
    pub size: Signal<In, Bits<OFFSET_WIDTH>>,
    /// Words have come that cannot be checked yet.
    pub unsettled: Signal<Out, Bit>,
    /// The last word is taken.
    pub complete: Signal<Out, Bit>,
    /// Core whose registers have the words; valid from the cycle after the first word on.
    pub core: Signal<Out, Bits<CONTEXT_WIDTH>>,
    /// First word of the descriptor, taken apart; valid from the second cycle after it on.
    pub command: Signal<Out, Command>,
    /// The words that have come, taken apart; each counts from the next cycle on.
    pub operands: Signal<Out, Operands>,
    descriptor: Descriptor,
    chosen: DFF<Bits<CONTEXT_WIDTH>>,
    target: Signal<Local, Bits<CONTEXT_WIDTH>>,
    fields: Signal<Local, Command>,
    words: Signal<Local, Operands>,
    first: Signal<Local, Bit>,
    ready: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
    filling: Signal<Local, Bit>,
}

impl CommandLoad {
    /// For `build` in the fabric of `config`, words of `width` bits, and a memory of `memory_words` of them.
    pub fn new(build: &Build, config: &Config, width: usize, memory_words: u64) -> Self {
        Self {
            descriptor: Descriptor::new(build, config, width, memory_words),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for CommandLoad {
    fn update(&mut self) {
        wire!(self => descriptor: clk, rst, own_node);
        dff_setup!(self, clk, chosen);
        self.fields.next = self.descriptor.command.val();
        self.words.next = self.descriptor.operands.val();
        self.command.next = self.fields.val();
        self.operands.next = self.words.val();
        self.core.next = self.chosen.q.val();
        wire!(descriptor => self: unsettled);

        self.first.next = !self.words.val().count.any();
        self.ready.next =
            self.open.val() & self.grant.val() & (!self.first.val() | (self.has_free.val() & self.lookup_ready.val()));
        self.s_axis.tready.next = self.ready.val();
        self.taken.next = self.ready.val() & self.s_axis.tvalid.val();
        self.complete.next = self.taken.val() & self.s_axis.tlast.val();
        self.target.next = self.chosen.q.val();
        if self.first.val() {
            self.target.next = self.free_context.val();
        }
        if self.taken.val() {
            self.chosen.d.next = self.target.val();
        }
        self.descriptor.clear.next = self.clear.val();
        self.descriptor.take.next = self.taken.val();
        self.descriptor.word.next = self.s_axis.tdata.val();
        self.descriptor.size.next = self.size.val();
        self.lookup.next = self.taken.val() & self.first.val();
        self.handle.next = self.s_axis.tdata.val().get_bits::<HANDLE_WIDTH>(SEGMENT_OFFSET);

        // The strides that a linear get sends along, and must be none.
        self.filling.next = self.fill.val()
            & self.fields.val().is_get
            & (self.words.val().count == bits::<5>(TRANSFER_WORDS[0] as u64));
        self.fills.next = self.filling.val();
        self.argument.context.next = self.target.val();
        self.argument.bank.next = self.bank.val();
        // The sixteenth word has number 15; what comes after it is no argument.
        self.argument.enable.next = self.taken.val() & !self.words.val().count.get_bit(4);
        self.argument.register.next = self.words.val().count.get_bits::<4>(0);
        self.argument.data.next = self.descriptor.argument.val();
        if self.filling.val() {
            self.argument.enable.next = true;
            self.argument.register.next = bits::<4>(4);
            self.argument.data.next = 0.into();
        }
    }
}
