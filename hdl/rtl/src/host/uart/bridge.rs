use super::{AxiLiteMaster, FrameCheck, UartReceiver, UartTransmitter, BIT_CYCLES_WIDTH};
use crate::{
    host::{address_map::ADDRESS_WIDTH, AxiLiteOut},
    prim::{Fifo, Ram},
};
use portico_spec::uart::{
    Bone, Code, Status, ANSWER, FRAME_WORDS, INTERRUPT_BIT, PATIENCE_CYCLES, REQUEST_BYTES, SESSION_BIT, STATUS_WIDTH,
};
use portico_verilog::prelude::*;

/// Width of a place among the words of a frame, and of a place in the memory of both directions.
const PLACE_WIDTH: usize = FRAME_WORDS.ilog2() as usize;
const ROOM_WIDTH: usize = PLACE_WIDTH + 1;
/// Width of the address of a byte that waits.
const QUEUE_WIDTH: usize = 4;
/// Width of the number of a word, as requests give it; and of one in the host's space.
const WORD_WIDTH: usize = 32;
const SPACE_WIDTH: usize = ADDRESS_WIDTH - 2;
/// Width of the part of a code that tells one from another; UARTBone's have it, too.
const CODE_WIDTH: usize = 3;
/// The rest of a frame's code.
const CODE_BASE: u64 = Code::Read as u64;
/// Bytes of a frame's header behind the code. UARTBone has no sequence number, and a byte less.
const HEADER: u64 = REQUEST_BYTES as u64 - 1;
/// Cycles that an access may take.
const PATIENCE_WIDTH: usize = PATIENCE_CYCLES.ilog2() as usize + 1;
/// Cycles of a reset of the fabric.
const RESET_WIDTH: usize = 5;

/// State of the bridge.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Turn {
    /// The first byte of a request.
    Command,
    /// Bytes behind one that begins no frame, or behind a wrong CRC, up to a pause: a frame among them may be data.
    Skip,
    /// Sequence number, length, address.
    Header,
    /// The 4 bytes of a word that is to be written.
    Word,
    /// The CRC.
    Check,
    /// It is compared.
    Judge,
    /// A frame is taken: done, or answered again.
    Begin,
    /// A word is fetched from the memory.
    Fetch,
    Load,
    /// An access begins.
    Ask,
    Await,
    /// The answer begins.
    Answer,
    /// 4 bytes go out.
    Send,
    /// The CRC goes out.
    Close,
}

/// Meaning of the 4 bytes that go out.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Part {
    Head,
    Word,
    Check,
    /// A word of UARTBone's.
    Bone,
}

/// The bridge from a serial line to a host's AXI4-Lite port; `portico_spec::uart` gives the formats.
///
/// | | |
/// | --- | --- |
/// | latency | a frame of n words is answered 24 cycles and, with the host's port of a fabric, 7 n (writes) or 6 n (reads) after its last byte |
/// | throughput | as the line: a frame at a time |
/// | state | the words of a request and of an answer in one block RAM; 16 bytes that wait in LUT-RAM |
///
/// The words of a request and those of an answer have separate places: a request that the line has changed must not change the
/// answer, because the bridge may have to repeat it.
#[derive(LogicBlock, Default)]
pub struct UartBridge {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Clock cycles of a bit, 4 or more.
    pub bit_cycles: Signal<In, Bits<BIT_CYCLES_WIDTH>>,
    /// The line from the host, asynchronous.
    pub rx: Signal<In, Bit>,
    /// The line to the host.
    pub tx: Signal<Out, Bit>,
    /// The host node interrupts.
    pub irq: Signal<In, Bit>,
    /// Accesses that the requests of the host ask for, one word at a time.
    pub m_axil: AxiLiteOut,
    /// Resets the fabric.
    pub fabric_reset: Signal<Out, Bit>,
    /// High for a cycle: an access was made.
    pub active: Signal<Out, Bit>,
    /// High for a cycle: a byte without a stop bit or without a place to wait, a wrong CRC, an access that was refused or got no
    /// answer.
    pub error: Signal<Out, Bit>,
    receiver: UartReceiver,
    transmitter: UartTransmitter,
    check: FrameCheck,
    master: AxiLiteMaster,
    bytes: Fifo<8, QUEUE_WIDTH>,
    words: Ram<Bits<32>, ROOM_WIDTH>,
    turn: DFF<Turn>,
    part: DFF<Part>,
    /// The request in hand.
    is_bone: DFF<Bit>,
    code: DFF<Bits<CODE_WIDTH>>,
    number: DFF<Bits<8>>,
    length: DFF<Bits<8>>,
    address: DFF<Bits<WORD_WIDTH>>,
    /// Bytes of a header, or of 4 bytes.
    count: DFF<Bits<3>>,
    /// Words that are there, or done.
    at: DFF<Bits<8>>,
    word: DFF<Bits<32>>,
    agrees: DFF<Bit>,
    /// The last request that was done, and its answer.
    has_last: DFF<Bit>,
    last: DFF<Bits<8>>,
    last_code: DFF<Bits<CODE_WIDTH>>,
    status: DFF<Bits<STATUS_WIDTH>>,
    done: DFF<Bits<8>>,
    in_session: DFF<Bit>,
    /// Cycles of the access under way.
    patience: DFF<Bits<PATIENCE_WIDTH>>,
    resets: DFF<Bits<RESET_WIDTH>>,
    fails: DFF<Bit>,
    moves: DFF<Bit>,
    takes: Signal<Local, Bit>,
    incoming: Signal<Local, Bits<8>>,
    fourth: Signal<Local, Bit>,
    is_frame: Signal<Local, Bit>,
    is_write: Signal<Local, Bit>,
    stays: Signal<Local, Bit>,
    next_at: Signal<Local, Bits<8>>,
    is_last: Signal<Local, Bit>,
    is_beyond: Signal<Local, Bit>,
    is_hello: Signal<Local, Bit>,
    wrong_length: Signal<Local, Bit>,
    room: Signal<Local, Bits<PLACE_WIDTH>>,
    interrupts: Signal<Local, Bits<1>>,
    session_bit: Signal<Local, Bits<1>>,
    refuses: Signal<Local, Bit>,
}

#[kernel]
impl Logic for UartBridge {
    fn update(&mut self) {
        wire!(self => receiver, transmitter, check, bytes: clk, rst);
        wire!(self => master, words: clk);
        wire!(self => receiver, transmitter: bit_cycles);
        dff_setup!(self, clk, turn, part, is_bone, code, number, length, address, count, at, word, agrees);
        dff_setup!(self, clk, has_last, last, last_code, status, done, in_session, patience, resets, fails, moves);
        self.receiver.rx.next = self.rx.val();
        self.tx.next = self.transmitter.tx.val();
        wire!(self <=> master: m_axil);
        self.master.rst.next = self.rst.val() | self.resets.q.val().any();
        self.fabric_reset.next = self.resets.q.val().any();
        if self.resets.q.val().any() {
            self.resets.d.next = self.resets.q.val() - 1;
        }
        self.active.next = self.moves.q.val();
        self.error.next = self.fails.q.val();
        self.moves.d.next = self.master.done.val();
        self.fails.d.next = self.receiver.error.val() | (self.receiver.valid.val() & !self.bytes.s_axis.tready.val());

        // Bytes wait while an access is made.
        self.bytes.s_axis.tvalid.next = self.receiver.valid.val();
        self.bytes.s_axis.tdata.next = self.receiver.data.val();
        self.bytes.s_axis.tlast.next = false;
        self.incoming.next = self.bytes.m_axis.tdata.val();
        self.takes.next = self.bytes.m_axis.tvalid.val()
            & !self.check.busy.val()
            & ((self.turn.q.val() == Turn::Command)
                | (self.turn.q.val() == Turn::Skip)
                | (self.turn.q.val() == Turn::Header)
                | (self.turn.q.val() == Turn::Word)
                | (self.turn.q.val() == Turn::Check));
        self.bytes.m_axis.tready.next = self.takes.val();
        self.fourth.next = self.count.q.val() == 3;

        self.is_write.next = self.code.q.val() == bits::<CODE_WIDTH>(Code::Write as u64 - CODE_BASE);
        self.stays.next = false;
        if self.is_bone.q.val() {
            self.is_write.next = (self.code.q.val() == bits::<CODE_WIDTH>(Bone::Write as u64))
                | (self.code.q.val() == bits::<CODE_WIDTH>(Bone::WriteFixed as u64));
            self.stays.next = (self.code.q.val() == bits::<CODE_WIDTH>(Bone::WriteFixed as u64))
                | (self.code.q.val() == bits::<CODE_WIDTH>(Bone::ReadFixed as u64));
        }
        self.next_at.next = self.at.q.val() + 1;
        self.is_last.next = self.next_at.val() == self.length.q.val();
        self.is_beyond.next = (self.address.q.val() >> bits::<6>(SPACE_WIDTH as u64)).any();
        self.is_hello.next = self.code.q.val() == bits::<CODE_WIDTH>(Code::Hello as u64 - CODE_BASE);
        // READ and WRITE are the first codes, and the only ones with words.
        self.wrong_length.next = self.length.q.val().any();
        if self.code.q.val() <= bits::<CODE_WIDTH>(Code::Write as u64 - CODE_BASE) {
            self.wrong_length.next = (self.length.q.val() > bits::<8>(FRAME_WORDS as u64))
                | (self.is_write.val() & !self.length.q.val().any());
        }
        self.room.next = self.at.q.val().get_bits::<PLACE_WIDTH>(0);

        self.is_frame.next =
            (self.incoming.val() >= bits::<8>(CODE_BASE)) & (self.incoming.val() <= bits::<8>(Code::Leave as u64));
        self.check.valid.next = self.takes.val() & (self.turn.q.val() != Turn::Check);
        self.check.first.next = self.turn.q.val() == Turn::Command;
        self.check.data.next = self.incoming.val();
        self.words.write_enable.next = false;
        self.words.write_address.next = bit_cast::<ROOM_WIDTH, PLACE_WIDTH>(self.room.val());
        self.words.write_data.next = (self.word.q.val() << bits::<6>(8)) | bit_cast::<32, 8>(self.incoming.val());
        self.words.read_enable.next = true;
        self.words.read_address.next = bit_cast::<ROOM_WIDTH, PLACE_WIDTH>(self.room.val());
        if self.part.q.val() == Part::Word {
            self.words.read_address.next =
                bit_cast::<ROOM_WIDTH, PLACE_WIDTH>(self.room.val()) | bits::<ROOM_WIDTH>(FRAME_WORDS as u64);
        }
        self.master.read.next = false;
        self.master.write.next = false;
        self.master.address.next =
            field::<ADDRESS_WIDTH, SPACE_WIDTH>(self.address.q.val().get_bits::<SPACE_WIDTH>(0), 2);
        self.master.write_data.next = self.word.q.val();
        self.transmitter.valid.next = false;
        self.transmitter.data.next = self.word.q.val().get_bits::<8>(24);
        self.refuses.next = false;
        self.interrupts.next = self.irq.val().into();
        self.session_bit.next = self.in_session.q.val().into();

        if self.takes.val() {
            self.count.d.next = self.count.q.val() + 1;
            self.word.d.next = (self.word.q.val() << bits::<6>(8)) | bit_cast::<32, 8>(self.incoming.val());
        }
        match self.turn.q.val() {
            Turn::Command => {
                self.part.d.next = Part::Head;
                self.code.d.next = self.incoming.val().get_bits::<CODE_WIDTH>(0);
                self.at.d.next = 0.into();
                self.is_bone.d.next = !self.is_frame.val();
                self.count.d.next = 0.into();
                if !self.is_frame.val() {
                    self.count.d.next = 1.into();
                }
                if self.takes.val()
                    & (self.is_frame.val()
                        | (!self.in_session.q.val()
                            & (self.incoming.val() >= bits::<8>(Bone::Write as u64))
                            & (self.incoming.val() <= bits::<8>(Bone::ReadFixed as u64))))
                {
                    self.turn.d.next = Turn::Header;
                } else if self.takes.val() & self.in_session.q.val() {
                    self.turn.d.next = Turn::Skip;
                }
            }
            Turn::Skip => {}
            Turn::Header => {
                if self.takes.val() {
                    if self.count.q.val() == 0 {
                        self.number.d.next = self.incoming.val();
                    } else if self.count.q.val() == 1 {
                        self.length.d.next = self.incoming.val();
                    } else {
                        self.address.d.next =
                            (self.address.q.val() << bits::<6>(8)) | bit_cast::<WORD_WIDTH, 8>(self.incoming.val());
                    }
                    if self.count.q.val() == bits::<3>(HEADER - 1) {
                        self.count.d.next = 0.into();
                        self.turn.d.next = Turn::Check;
                        if self.is_write.val() & (self.is_bone.q.val() | self.length.q.val().any()) {
                            self.turn.d.next = Turn::Word;
                        } else if self.is_bone.q.val() {
                            self.turn.d.next = Turn::Ask;
                        }
                    }
                }
            }
            Turn::Word => {
                if self.takes.val() & self.fourth.val() {
                    self.count.d.next = 0.into();
                    if self.is_bone.q.val() {
                        self.turn.d.next = Turn::Ask;
                    } else {
                        self.words.write_enable.next = true;
                        self.at.d.next = self.next_at.val();
                        if self.is_last.val() {
                            self.turn.d.next = Turn::Check;
                        }
                    }
                }
            }
            Turn::Check => {
                if self.takes.val() & self.fourth.val() {
                    self.turn.d.next = Turn::Judge;
                }
            }
            Turn::Judge => {
                self.agrees.d.next = self.word.q.val() == self.check.crc.val();
                self.turn.d.next = Turn::Begin;
            }
            Turn::Begin => {
                self.at.d.next = 0.into();
                self.turn.d.next = Turn::Answer;
                if !self.agrees.q.val() {
                    self.fails.d.next = true;
                    self.turn.d.next = Turn::Command;
                    if self.in_session.q.val() {
                        self.turn.d.next = Turn::Skip;
                    }
                } else if !self.has_last.q.val() | (self.number.q.val() != self.last.q.val()) | self.is_hello.val() {
                    // Behind HELLO any number is new.
                    self.has_last.d.next = !self.is_hello.val();
                    self.last.d.next = self.number.q.val();
                    self.last_code.d.next = self.code.q.val();
                    self.status.d.next = bits::<STATUS_WIDTH>(Status::Okay as u64);
                    self.done.d.next = 0.into();
                    if self.wrong_length.val() {
                        self.status.d.next = bits::<STATUS_WIDTH>(Status::Length as u64);
                    } else if self.is_hello.val() {
                        self.in_session.d.next = true;
                        self.done.d.next = bits::<8>(FRAME_WORDS as u64);
                    } else if self.code.q.val() == bits::<CODE_WIDTH>(Code::Leave as u64 - CODE_BASE) {
                        self.in_session.d.next = false;
                    } else if self.code.q.val() == bits::<CODE_WIDTH>(Code::Reset as u64 - CODE_BASE) {
                        self.resets.d.next = !bits::<RESET_WIDTH>(0);
                    } else if self.is_write.val() {
                        self.turn.d.next = Turn::Fetch;
                    } else if self.length.q.val().any() {
                        self.turn.d.next = Turn::Ask;
                    }
                }
            }
            Turn::Fetch => {
                self.turn.d.next = Turn::Load;
            }
            Turn::Load => {
                self.word.d.next = self.words.read_data.val();
                self.turn.d.next = Turn::Ask;
                if self.part.q.val() == Part::Word {
                    self.turn.d.next = Turn::Send;
                }
            }
            Turn::Ask => {
                self.patience.d.next = 0.into();
                self.turn.d.next = Turn::Await;
                if self.is_beyond.val() {
                    self.refuses.next = true;
                    self.status.d.next = bits::<STATUS_WIDTH>(Status::DecodeError as u64);
                } else if self.master.busy.val() {
                    self.refuses.next = true;
                    self.status.d.next = bits::<STATUS_WIDTH>(Status::Silent as u64);
                } else {
                    self.master.write.next = self.is_write.val();
                    self.master.read.next = !self.is_write.val();
                }
            }
            Turn::Await => {
                self.patience.d.next = self.patience.q.val() + 1;
                if self.master.done.val() {
                    self.word.d.next = self.master.read_data.val();
                    self.at.d.next = self.next_at.val();
                    if !self.stays.val() {
                        self.address.d.next = self.address.q.val() + 1;
                    }
                    self.words.write_address.next =
                        bit_cast::<ROOM_WIDTH, PLACE_WIDTH>(self.room.val()) | bits::<ROOM_WIDTH>(FRAME_WORDS as u64);
                    self.words.write_data.next = self.master.read_data.val();
                    // All other accesses leave the words of the last answer: it may be repeated.
                    if !self.is_bone.q.val() & !self.is_write.val() {
                        self.words.write_enable.next = true;
                    }
                    if self.master.refused.val() {
                        self.refuses.next = true;
                        self.status.d.next = bits::<STATUS_WIDTH>(Status::SlaveError as u64);
                    } else if self.is_bone.q.val() & !self.is_write.val() {
                        self.part.d.next = Part::Bone;
                        self.turn.d.next = Turn::Send;
                    } else if self.is_bone.q.val() {
                        self.turn.d.next = Turn::Word;
                        if self.is_last.val() {
                            self.turn.d.next = Turn::Command;
                        }
                    } else {
                        self.done.d.next = self.next_at.val();
                        self.turn.d.next = Turn::Ask;
                        if self.is_last.val() {
                            self.turn.d.next = Turn::Answer;
                        } else if self.is_write.val() {
                            self.turn.d.next = Turn::Fetch;
                        }
                    }
                } else if self.patience.q.val().get_bit(PATIENCE_WIDTH - 1) {
                    self.refuses.next = true;
                    self.status.d.next = bits::<STATUS_WIDTH>(Status::Silent as u64);
                }
            }
            Turn::Answer => {
                self.at.d.next = 0.into();
                self.count.d.next = 0.into();
                self.part.d.next = Part::Head;
                self.word.d.next = ((bits::<32>(CODE_BASE) | bit_cast::<32, CODE_WIDTH>(self.last_code.q.val()))
                    ^ bits::<32>(ANSWER as u64))
                    << bits::<6>(24)
                    | field::<32, 8>(self.last.q.val(), 16)
                    | field::<32, 1>(self.session_bit.val(), 8 + SESSION_BIT)
                    | field::<32, 1>(self.interrupts.val(), 8 + INTERRUPT_BIT)
                    | field::<32, STATUS_WIDTH>(self.status.q.val(), 8)
                    | bit_cast::<32, 8>(self.done.q.val());
                self.turn.d.next = Turn::Send;
            }
            Turn::Send => {
                self.transmitter.valid.next = !self.check.busy.val();
                self.check.data.next = self.word.q.val().get_bits::<8>(24);
                self.check.first.next = (self.part.q.val() == Part::Head) & !self.count.q.val().any();
                if self.transmitter.ready.val() & !self.check.busy.val() {
                    self.check.valid.next = true;
                    self.word.d.next = self.word.q.val() << bits::<6>(8);
                    self.count.d.next = self.count.q.val() + 1;
                    if self.fourth.val() {
                        self.count.d.next = 0.into();
                        match self.part.q.val() {
                            Part::Head => {
                                self.turn.d.next = Turn::Close;
                                if self.done.q.val().any()
                                    & (self.last_code.q.val() == bits::<CODE_WIDTH>(Code::Read as u64 - CODE_BASE))
                                {
                                    self.part.d.next = Part::Word;
                                    self.turn.d.next = Turn::Fetch;
                                }
                            }
                            Part::Word => {
                                self.at.d.next = self.next_at.val();
                                self.turn.d.next = Turn::Fetch;
                                if self.next_at.val() == self.done.q.val() {
                                    self.turn.d.next = Turn::Close;
                                }
                            }
                            Part::Check => {
                                self.turn.d.next = Turn::Command;
                            }
                            Part::Bone => {
                                self.turn.d.next = Turn::Ask;
                                if self.at.q.val() == self.length.q.val() {
                                    self.turn.d.next = Turn::Command;
                                }
                            }
                        }
                    }
                }
            }
            Turn::Close => {
                self.part.d.next = Part::Check;
                self.word.d.next = self.check.crc.val();
                if !self.check.busy.val() {
                    self.turn.d.next = Turn::Send;
                }
            }
        }
        // The end of an access that failed: a frame ends, UARTBone goes on with the next word.
        if self.refuses.val() {
            self.fails.d.next = true;
            self.turn.d.next = Turn::Answer;
            if self.is_bone.q.val() {
                // The status is that of the last frame, whose answer may be repeated.
                self.status.d.next = self.status.q.val();
                self.at.d.next = self.next_at.val();
                if !self.stays.val() {
                    self.address.d.next = self.address.q.val() + 1;
                }
                self.word.d.next = !bits::<32>(0);
                self.part.d.next = Part::Bone;
                self.turn.d.next = Turn::Send;
                if self.is_write.val() {
                    self.turn.d.next = Turn::Word;
                    if self.is_last.val() {
                        self.turn.d.next = Turn::Command;
                    }
                }
            }
        }
        // The line has cut the request short.
        if self.receiver.paused.val()
            & !self.bytes.m_axis.tvalid.val()
            & ((self.turn.q.val() == Turn::Skip)
                | (self.turn.q.val() == Turn::Header)
                | (self.turn.q.val() == Turn::Word)
                | (self.turn.q.val() == Turn::Check))
        {
            self.turn.d.next = Turn::Command;
        }
        if self.rst.val() {
            self.turn.d.next = Turn::Command;
            self.has_last.d.next = false;
            self.in_session.d.next = false;
            self.resets.d.next = 0.into();
            self.fails.d.next = false;
            self.moves.d.next = false;
        }
    }
}
