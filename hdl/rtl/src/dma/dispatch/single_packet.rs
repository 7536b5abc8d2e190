use super::{Command, Operands, WORDS_WIDTH};
use crate::dma::ports::LITERALS_WIDTH;
use portico_spec::ni::{
    command::{BARE_WORDS, TRANSFER_WORDS},
    instruction::COUNT_WIDTH,
    packet::OFFSET_WIDTH,
};
use portico_verilog::prelude::*;

/// What the one packet of a command is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Payload {
    /// There is one packet at most, and no program is needed to send it.
    pub single: Bit,
    /// Words of the descriptor in it.
    pub literals: Bits<LITERALS_WIDTH>,
    /// Words of memory after them, from `pointer` on.
    pub words: Bits<COUNT_WIDTH>,
    pub pointer: Bits<OFFSET_WIDTH>,
}

/// Tells commands of one packet from those that need a program.
///
/// Works out the payload of a command that is right.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | state | none |
#[derive(LogicBlock, Default)]
pub struct SinglePacket {
    /// First word of the descriptor, taken apart.
    pub command: Signal<In, Command>,
    /// The words after the first, taken apart, with what the checks need of them.
    pub operands: Signal<In, Operands>,
    /// Nothing is to be moved.
    pub nothing: Signal<In, Bit>,
    /// There are several rows.
    pub several: Signal<In, Bit>,
    /// Whether one packet is enough for the command, and what it is made of.
    pub payload: Signal<Out, Payload>,
    fits: Signal<Local, Bit>,
}

#[kernel]
impl Logic for SinglePacket {
    fn update(&mut self) {
        self.fits.next = self.nothing.val() | (!self.several.val() & !self.operands.val().row_beyond_packet);
        self.payload.next.pointer = self.operands.val().source;
        self.payload.next.single = self.command.val().is_enqueue
            | self.command.val().is_mail
            | self.command.val().is_atomic
            | (self.command.val().is_get
                & (self.operands.val().count == bits::<WORDS_WIDTH>(TRANSFER_WORDS[0] as u64)))
            | ((self.command.val().is_put | self.command.val().is_stream) & self.fits.val());

        self.payload.next.words = 0.into();
        if (self.command.val().is_put | self.command.val().is_stream | self.command.val().is_enqueue)
            & !self.nothing.val()
        {
            self.payload.next.words = self.operands.val().row.get_bits::<COUNT_WIDTH>(0);
        }

        // The offset and the shape of a get, the operands of an atomic, the value of a mail, the first word of a message.
        self.payload.next.literals = 0.into();
        if self.command.val().is_get | self.command.val().is_mail {
            self.payload.next.literals = 2.into();
        }
        if self.command.val().is_enqueue {
            self.payload.next.literals = 1.into();
        }
        if self.command.val().is_atomic {
            self.payload.next.literals = bit_cast::<LITERALS_WIDTH, WORDS_WIDTH>(self.operands.val().count)
                - bits::<LITERALS_WIDTH>(BARE_WORDS as u64);
        }
    }
}
