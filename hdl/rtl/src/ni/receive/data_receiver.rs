use super::{
    delivery::Delivery, intake::Intake, packet_end::PacketEnd, parser::Parser, placement::Placement, queue::Release,
};
use crate::{
    bus::{
        CompletionOut, EventOut, FlitsOut, MemoryReadOut, MemoryWriteOut, RegisterAccessIn, RegisterRequestOut, SweepIn,
    },
    prim::{StreamIn, StreamOut},
};
use portico_spec::{
    flit::NODE_WIDTH,
    ni::{build::Build, packet::SLOTS},
    parts::Part,
};
use portico_verilog::prelude::*;

/// Takes the packets of the data plane and does what they ask for.
///
/// Words of `W` bits, `B` bytes.
///
/// ```text
///             taken         parsed            placed            delivered
///  s_axis --> Intake -----> Parser -----> Placement -----> Delivery ------> PacketEnd --> answers, events, completions
///              |  ^           |            ^  |  |           ^  |               ^
///              |  +-----------|- row_write-|--+  |           |  +--> memory,    |
///              +--------------|--- row ----+     |           |       registers  |
///                             +--- operation ----|-----------+                  |
///                                                +----------- ending -----------+
/// ```
///
/// | | |
/// | --- | --- |
/// | latency | a payload word: 2 cycles to the memory; the tail of a put, or of a packet of it that is refused: 3 cycles to its answer on `m_axis_control`, of an atomic 5 with a memory that gives data after a cycle |
/// | throughput | one flit a cycle, one head every other cycle; a cycle more for a message; 1 more for an atomic, 6 for one of a pair of words |
/// | state | that of its parts |
///
/// Each stage hands a flit on as a record ([`ports`](super::ports)) and adds what it knows: [`Intake`] holds the flit
/// and reads the row of its tag, [`Parser`] says what the flit is, [`Placement`] where it goes and whether it may,
/// [`Delivery`] brings it there, and [`PacketEnd`] does what the end of its packet asks for. Intake and parser work on
/// the flit in hand in one cycle; in the next, it is at the output of the placement, and delivery and end work on it.
///
/// Three records pass a stage by: the row goes from the tables to the placement and back with what the packet writes,
/// an atomic's operands go to the delivery as they come, and what is known of a packet goes to its end.
///
/// Nothing waits but for the memory, the register bus, room for an answer on the control plane, and this node's own
/// events and slots. What is refused is dropped where it stands. What a packet writes to registers holds for the packet
/// of the receiver's own behind it; packets of engines pass on at once.
#[derive(LogicBlock, Default)]
pub struct DataReceiver<const W: usize, const B: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high; the initialisation has to follow.
    pub rst: Signal<In, Bit>,
    /// Clears the tables after reset.
    pub sweep: SweepIn,
    /// This node.
    pub node: Signal<In, Bits<NODE_WIDTH>>,
    /// Packets of the data plane.
    pub s_axis: StreamIn<W>,
    /// Packets for engines, in the order of their seats.
    pub engine: Vec<FlitsOut<W>>,
    /// Writes of payload, of the words in front of messages, and of atomics.
    pub memory_write: MemoryWriteOut<W, B>,
    /// For atomics.
    pub memory_read: MemoryReadOut<W>,
    /// Slots that are open for gets; a reply for another is refused.
    pub gets: Signal<In, Bits<SLOTS>>,
    /// Writes of registers from the network; taken whether the word is kept or not.
    pub register_write: RegisterRequestOut,
    /// With `ready` of `register_write`: the word is one of a descriptor without room.
    pub register_refused: Signal<In, Bit>,
    /// The blocks TAGS and RELEASE.
    pub access: RegisterAccessIn,
    /// ACK, REFUSE and VALUE packets.
    pub m_axis_control: StreamOut<32>,
    /// CREDIT packets.
    pub m_axis_credit: StreamOut<32>,
    /// Reads the words in front of messages.
    pub release_read: MemoryReadOut<W>,
    /// A write to RELEASE is taken only while this is high.
    pub release_ready: Signal<Out, Bit>,
    /// Completions of gets, with their last reply.
    pub completion: CompletionOut,
    /// Events for ends of transfers and messages.
    pub event: EventOut,
    /// High for a cycle for every word, message and malformed packet that is refused.
    pub refused: Signal<Out, Bit>,
    intake: Intake<W>,
    parser: Parser<W>,
    placement: Placement<W>,
    delivery: Delivery<W, B>,
    packet_end: PacketEnd,
    releaser: Vec<Release<W>>,
    _queues: usize,
    _engines: usize,
}

impl<const W: usize, const B: usize> DataReceiver<W, B> {
    /// For the windows of `build`, with a door for each of `engines`, and a memory of `memory_words` words, which gives
    /// its data a cycle after a request unless it is `far_memory`. It lies in an address space of `space_words` words;
    /// those with bit `register_bit` of the address set are registers. Panics for what
    /// [`Target::new`](super::Target::new) refuses.
    pub fn new(
        build: &Build,
        memory_words: u64,
        space_words: u64,
        register_bit: usize,
        far_memory: bool,
        engines: &[Part],
    ) -> Self {
        let queues = usize::from(build.queues);
        Self {
            engine: engines.iter().map(|_| Default::default()).collect(),
            intake: Intake::new(build, space_words, engines),
            parser: Parser::new(build),
            placement: Placement::new(memory_words, register_bit),
            delivery: Delivery::new(far_memory),
            releaser: (0..queues).map(|_| Release::default()).collect(),
            _queues: queues,
            _engines: engines.len(),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const B: usize> Logic for DataReceiver<W, B> {
    fn update(&mut self) {
        wire!(self => intake, parser, placement, delivery, packet_end: clk, rst);

        // From stage to stage.
        wire!(intake <=> parser: taken);
        wire!(parser <=> placement: parsed);
        wire!(placement <=> delivery: placed);
        wire!(delivery <=> packet_end: delivered);
        wire!(intake <=> placement: row);
        wire!(intake <=> placement: row_write);
        wire!(parser <=> delivery: operation);
        wire!(placement <=> packet_end: ending);

        // In and out.
        wire!(self <=> intake: sweep);
        wire!(self <=> intake: s_axis);
        for i in 0..self._engines {
            wire!(self.engine[i] <=> intake.engine[i]);
        }
        wire!(self <=> intake: access);
        wire!(self => placement: gets);
        wire!(self <=> delivery: memory_write);
        wire!(self <=> delivery: memory_read);
        wire!(self <=> delivery: register_write);
        wire!(self => delivery: register_refused);
        wire!(self => packet_end: node);
        wire!(self <=> packet_end: m_axis_control);
        wire!(self <=> packet_end: completion);
        wire!(self <=> packet_end: event);
        wire!(packet_end => self: refused);

        // The release of messages.
        self.release_ready.next = true;
        self.intake.release_port.read.next = false;
        self.intake.release_port.write.next = false;
        self.intake.release_port.tag.next = 0.into();
        self.intake.release_port.next_released.next = 0.into();
        self.release_read.valid.next = false;
        self.release_read.address.next = 0.into();
        self.m_axis_credit.tvalid.next = false;
        self.m_axis_credit.tdata.next = 0.into();
        self.m_axis_credit.tlast.next = false;
        for i in 0..self._queues {
            wire!(self => releaser[i]: clk, rst, node);
            self.releaser[i].register_write.enable.next = self.access.write.val();
            wire!(access => releaser[i].register_write: index, data);
            self.release_ready.next = self.releaser[i].ready.val();
            wire!(intake.release_port <=> releaser[i].tables);
            wire!(self.release_read <=> releaser[i].memory_read);
            wire!(self.m_axis_credit <=> releaser[i].m_axis);
        }
    }
}
