//! An engine of the tests, which uses everything that a socket has.

use crate::bus::{AddressMatch, HeadEncoder, SocketIn};
use portico_spec::{
    flit::{KIND_WIDTH, NODE_WIDTH},
    ni::{command::EVENT_OFFSET, event::EVENT_WIDTH, packet::OFFSET_WIDTH},
    parts::{Opcodes, Part, Station, OPCODE_RUN},
};
use portico_verilog::prelude::*;

/// Its row of the table of parts: it stands in the place of the Portals engine, for every kind of packet has its owner.
pub const STUB: Part = Part {
    name: "stub",
    stations: &[Station::Tile],
    is_built: |_| true,
    is_engine: true,
    data: &[DATA as u8],
    control: &[CONTROL as u8],
    opcodes: Some(Opcodes {
        first: OPCODE as u8,
        last: OPCODE as u8 + OPCODE_RUN as u8 - 1,
    }),
    blocks: &[BLOCK as u8],
    rooms: &[],
    waits: &[],
};

pub const DATA: u64 = 6;
pub const CONTROL: u64 = 7;
pub const OPCODE: u64 = 24;
pub const BLOCK: usize = 13;

#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum StubStep {
    Take,
    Read,
    Await,
    Write,
    Data,
    Control,
    Report,
}

/// Takes a node and two word addresses: copies a word of memory from the first address to the second, and sends it to the node on
/// both planes. Counts what comes of its kinds.
#[derive(LogicBlock, Default)]
pub struct Stub<const W: usize, const B: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub socket: SocketIn<W, B>,
    data_head: HeadEncoder,
    control_head: HeadEncoder,
    is_own: AddressMatch<BLOCK, 2>,
    step: DFF<StubStep>,
    count: DFF<Bits<3>>,
    number: DFF<Bits<EVENT_WIDTH>>,
    arguments: [DFF<Bits<32>>; 3],
    word: DFF<Bits<W>>,
    second: DFF<Bit>,
    data_flits: DFF<Bits<32>>,
    control_flits: DFF<Bits<32>>,
    data_word: DFF<Bits<32>>,
    control_word: DFF<Bits<32>>,
    answer: DFF<Bits<32>>,
    place: Signal<Local, Bits<2>>,
}

#[kernel]
impl<const W: usize, const B: usize> Logic for Stub<W, B> {
    fn update(&mut self) {
        dff_setup!(
            self,
            clk,
            step,
            count,
            number,
            word,
            second,
            data_flits,
            control_flits,
            data_word,
            control_word
        );
        dff_setup!(self, clk, answer);
        for i in 0..3 {
            self.arguments[i].clock.next = self.clk.val();
            self.arguments[i].d.next = self.arguments[i].q.val();
        }
        self.socket.commands.tready.next = self.step.q.val() == StubStep::Take;
        if self.socket.commands.tvalid.val() & (self.step.q.val() == StubStep::Take) {
            self.count.d.next = self.count.q.val() + 1;
            if self.count.q.val() == 0 {
                self.number.d.next = self.socket.commands.tdata.val().get_bits::<EVENT_WIDTH>(EVENT_OFFSET);
            }
            if self.count.q.val().any() {
                self.arguments[2].d.next = self.socket.commands.tdata.val();
                self.arguments[1].d.next = self.arguments[2].q.val();
                self.arguments[0].d.next = self.arguments[1].q.val();
            }
            if self.socket.commands.tlast.val() {
                self.count.d.next = 0.into();
                self.step.d.next = StubStep::Read;
            }
        }

        self.data_head.destination.next = self.arguments[0].q.val().get_bits::<NODE_WIDTH>(0);
        self.data_head.source.next = self.socket.node.val();
        self.data_head.tag.next = 0.into();
        self.data_head.kind.next = bits::<KIND_WIDTH>(DATA);
        self.data_head.last.next = true;
        self.control_head.destination.next = self.arguments[0].q.val().get_bits::<NODE_WIDTH>(0);
        self.control_head.source.next = self.socket.node.val();
        self.control_head.tag.next = 0.into();
        self.control_head.kind.next = bits::<KIND_WIDTH>(CONTROL);
        self.control_head.last.next = false;
        self.socket.memory_read.valid.next = self.step.q.val() == StubStep::Read;
        self.socket.memory_read.address.next = self.arguments[1].q.val().get_bits::<OFFSET_WIDTH>(0);
        self.socket.memory_write.valid.next = self.step.q.val() == StubStep::Write;
        self.socket.memory_write.address.next = self.arguments[2].q.val().get_bits::<OFFSET_WIDTH>(0);
        self.socket.memory_write.data.next = self.word.q.val();
        self.socket.memory_write.lanes.next = !bits::<B>(0);
        self.socket.data_out.tvalid.next = self.step.q.val() == StubStep::Data;
        self.socket.data_out.tdata.next = bit_cast::<W, 32>(self.data_head.word.val());
        self.socket.control_out.tvalid.next = self.step.q.val() == StubStep::Control;
        self.socket.control_out.tdata.next = self.control_head.word.val();
        if self.second.q.val() {
            self.socket.data_out.tdata.next = self.word.q.val();
            self.socket.control_out.tdata.next = bit_cast::<32, W>(self.word.q.val());
        }
        self.socket.data_out.tlast.next = self.second.q.val();
        self.socket.control_out.tlast.next = self.second.q.val();
        self.socket.event.valid.next = self.step.q.val() == StubStep::Report;
        self.socket.event.event.next = self.number.q.val();
        self.socket.event.error.next = 0.into();
        self.socket.running.next = self.step.q.val() != StubStep::Take;
        self.socket.waiting.next = self.step.q.val() == StubStep::Await;
        self.socket.refused.next = false;
        match self.step.q.val() {
            StubStep::Take => {}
            StubStep::Read => {
                if self.socket.memory_read.ready.val() {
                    self.step.d.next = StubStep::Await;
                }
            }
            StubStep::Await => {
                if self.socket.memory_read.data_valid.val() {
                    self.word.d.next = self.socket.memory_read.data.val();
                    self.step.d.next = StubStep::Write;
                }
            }
            StubStep::Write => {
                if self.socket.memory_write.ready.val() {
                    self.step.d.next = StubStep::Data;
                }
            }
            StubStep::Data => {
                if self.socket.data_out.tready.val() {
                    self.second.d.next = !self.second.q.val();
                    if self.second.q.val() {
                        self.step.d.next = StubStep::Control;
                    }
                }
            }
            StubStep::Control => {
                if self.socket.control_out.tready.val() {
                    self.second.d.next = !self.second.q.val();
                    if self.second.q.val() {
                        self.step.d.next = StubStep::Report;
                    }
                }
            }
            StubStep::Report => {
                if self.socket.event.ready.val() {
                    self.step.d.next = StubStep::Take;
                }
            }
        }

        if self.socket.data_in.valid.val() {
            self.data_flits.d.next = self.data_flits.q.val() + 1;
            if !self.socket.data_in.first.val() {
                self.data_word.d.next = bit_cast::<32, W>(self.socket.data_in.data.val());
            }
        }
        if self.socket.control_in.valid.val() {
            self.control_flits.d.next = self.control_flits.q.val() + 1;
            if !self.socket.control_in.first.val() {
                self.control_word.d.next = self.socket.control_in.data.val();
            }
        }
        self.is_own.index.next = self.socket.register.index.val();
        self.place.next = self.socket.register.index.val().get_bits::<2>(0);
        if self.socket.register.read.val() {
            self.answer.d.next = 0.into();
            if self.is_own.hit.val() {
                if self.place.val() == 0 {
                    self.answer.d.next = self.data_flits.q.val();
                }
                if self.place.val() == 1 {
                    self.answer.d.next = self.control_flits.q.val();
                }
                if self.place.val() == 2 {
                    self.answer.d.next = self.data_word.q.val();
                }
                if self.place.val() == 3 {
                    self.answer.d.next = self.control_word.q.val();
                }
            }
        }
        if self.socket.register.write.val() & self.is_own.hit.val() {
            self.data_flits.d.next = self.socket.register.data.val();
        }
        self.socket.register.answer.next = self.answer.q.val();
        if self.rst.val() {
            self.step.d.next = StubStep::Take;
            self.count.d.next = 0.into();
            self.second.d.next = false;
            self.data_flits.d.next = 0.into();
            self.control_flits.d.next = 0.into();
        }
    }
}
