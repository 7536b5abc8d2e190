//! Interfaces inside the receiver: records of a flit from stage to stage, and what its blocks ask of each other.

use super::PLACE_WIDTH;
use portico_spec::{
    flit::{KIND_WIDTH, NODE_WIDTH, TAG_WIDTH},
    ni::{
        event::EVENT_WIDTH,
        packet::{ERROR_WIDTH, OFFSET_WIDTH, OPERATION_WIDTH, ROW_WIDTH, SLOT_WIDTH},
        window::{ENDS_WIDTH, MESSAGES_WIDTH, MODE_WIDTH, SLOTS_WIDTH, SLOT_WORDS_WIDTH},
    },
};
use portico_verilog::prelude::*;

/// The flit in hand, as the intake sees it.
#[interface(mirror = TakenIn)]
pub struct TakenOut<const W: usize> {
    /// There is a flit in hand, and it is the receiver's.
    pub valid: Signal<Out, Bit>,
    /// The flit; valid with `valid`.
    pub word: Signal<Out, Bits<W>>,
    /// The flit is the tail of its packet; valid with `valid`.
    pub last: Signal<Out, Bit>,
    /// A head in hand may go on: the row that was read last is that of its tag, and new enough.
    pub may_go: Signal<Out, Bit>,
    /// The flit is a head; without a flit in hand, a head comes next.
    pub head: Signal<In, Bit>,
    /// The flit, or the step without one, goes on in this cycle.
    pub goes: Signal<In, Bit>,
    /// A step without a flit follows this one, and the next flit stays out.
    pub stays: Signal<In, Bit>,
}

/// What the words in front of the payload say of the packet in hand, for all stages behind the parser.
#[interface(mirror = PacketHeaderIn)]
pub struct PacketHeaderOut {
    /// The packet is a PUT.
    pub put: Signal<Out, Bit>,
    /// The packet is a REPLY.
    pub reply: Signal<Out, Bit>,
    /// The packet is a STREAM.
    pub stream: Signal<Out, Bit>,
    /// The packet is a MESSAGE, and the node has queues.
    pub message: Signal<Out, Bit>,
    /// Slot of the get to which a REPLY belongs.
    pub get_slot: Signal<Out, Bits<SLOT_WIDTH>>,
    /// Node that sent the packet.
    pub source: Signal<Out, Bits<NODE_WIDTH>>,
    /// The packet is the last of its transfer.
    pub last: Signal<Out, Bit>,
    /// Transaction slot of the initiator; in the last reply to a get: the error that broke it off, or 0.
    pub slot: Signal<Out, Bits<SLOT_WIDTH>>,
}

/// The flit in hand and what it is, as the parser sees it. Some steps come without a flit: the word in front of a
/// message, the lower word of an atomic's pair, an atomic without operands.
#[interface(mirror = ParsedIn)]
pub struct ParsedOut<const W: usize> {
    /// The flit, or the step without one, goes on in this cycle; only while `free`.
    pub goes: Signal<Out, Bit>,
    /// The flit.
    pub word: Signal<Out, Bits<W>>,
    /// The flit is the tail of its packet.
    pub last: Signal<Out, Bit>,
    /// The flit is a head.
    pub head: Signal<Out, Bit>,
    /// The flit is an ADDRESS word.
    pub address: Signal<Out, Bit>,
    /// The flit is a GEOMETRY word.
    pub geometry: Signal<Out, Bit>,
    /// The flit is a word of payload.
    pub payload: Signal<Out, Bit>,
    /// The flit is word 0 of a message.
    pub opening: Signal<Out, Bit>,
    /// A packet of a transfer ends with the flit.
    pub closes: Signal<Out, Bit>,
    /// The word in front of a message is due.
    pub front: Signal<Out, Bit>,
    /// An atomic is all there.
    pub atomic: Signal<Out, Bit>,
    /// An atomic of a pair of words is all there, and its upper word is due.
    pub upper: Signal<Out, Bit>,
    /// The lower word of an atomic's pair is due, after the upper one.
    pub lower: Signal<Out, Bit>,
    /// A packet ends where its kind does not allow it, or is of no known kind.
    pub malformed: Signal<Out, Bit>,
    /// The packet of the flit; of a head in hand it is the packet in front.
    pub header: PacketHeaderOut,
    /// Offset in the window, or address of a reply, in words; valid with `address`.
    pub offset: Signal<Out, Bits<OFFSET_WIDTH>>,
    /// Number of the last word of a row, from 0; valid with `geometry`.
    pub row_last: Signal<Out, Bits<ROW_WIDTH>>,
    /// Words from the last word of a row to the next row, 1 where there are no rows; valid with `geometry`.
    pub gap: Signal<Out, Bits<PLACE_WIDTH>>,
    /// The flit can be taken.
    pub free: Signal<In, Bit>,
}

/// What an atomic asks for, on the direct way from the parser to the atomic unit; as the parser sees it.
#[interface(mirror = OperationIn)]
pub struct OperationOut {
    /// An operand is on `word`, and is taken in this cycle.
    pub take: Signal<Out, Bit>,
    /// The low 32 bits of the flit in hand.
    pub word: Signal<Out, Bits<32>>,
    /// Operation of the atomic.
    pub operation: Signal<Out, Bits<OPERATION_WIDTH>>,
    /// 64 bits.
    pub wide: Signal<Out, Bit>,
    /// 64 bits, and they are a pair of words of the memory.
    pub is_pair: Signal<Out, Bit>,
    /// 64 bits, of which the node does none: refused.
    pub unbuilt: Signal<Out, Bit>,
    /// The upper half of a 64-bit word.
    pub half: Signal<Out, Bit>,
    /// The offset is odd.
    pub is_odd: Signal<Out, Bit>,
    /// Transaction slot of the initiator.
    pub slot: Signal<Out, Bits<SLOT_WIDTH>>,
    /// Node of the initiator, to which the answer goes.
    pub source: Signal<Out, Bits<NODE_WIDTH>>,
    /// No operation needs these fields any more: flits behind the head of the next packet may go on.
    pub free: Signal<In, Bit>,
}

/// A flit with its place, as the placement sees it. It stays until it leaves.
#[interface(mirror = PlacedIn)]
pub struct PlacedOut<const W: usize> {
    /// The flit.
    pub word: Signal<Out, Bits<W>>,
    /// There is a word of payload.
    pub payload: Signal<Out, Bit>,
    /// A packet of a transfer ends with the flit.
    pub closes: Signal<Out, Bit>,
    /// There is the word in front of a message; its payload has gone.
    pub front: Signal<Out, Bit>,
    /// There is an atomic, or the upper word of its pair; it stays until `atomic_leaves`.
    pub atomic: Signal<Out, Bit>,
    /// There is the lower word of an atomic's pair; it stays until `atomic_leaves`.
    pub lower: Signal<Out, Bit>,
    /// There is something malformed.
    pub malformed: Signal<Out, Bit>,
    /// Address of the word, of the memory or of a register; in words.
    pub address: Signal<Out, Bits<OFFSET_WIDTH>>,
    /// `address` is within the window, and a word of the memory.
    pub in_memory: Signal<Out, Bit>,
    /// `address` is within the window, and a register.
    pub is_device: Signal<Out, Bit>,
    /// What the window takes.
    pub mode: Signal<Out, Bits<MODE_WIDTH>>,
    /// The word of payload may go to its address.
    pub allowed: Signal<Out, Bit>,
    /// The packet writes no register, whatever its addresses: it is a message, or its window does not take it.
    pub no_register: Signal<Out, Bit>,
    /// The message may go into the queue; valid with `front`.
    pub front_allowed: Signal<Out, Bit>,
    /// The word in front of the message; valid with `front`.
    pub front_word: Signal<Out, Bits<32>>,
    /// All that the flit waits for is there: unless it is an atomic, it leaves in this cycle, written or refused.
    pub goes: Signal<In, Bit>,
    /// An atomic leaves in this cycle; valid with `atomic` or `lower`.
    pub atomic_leaves: Signal<In, Bit>,
}

/// The packet of the flit in delivery, for what its end brings about; as the placement sees it.
#[interface(mirror = EndingIn)]
pub struct EndingOut {
    /// A head goes on in this cycle: what was refused before belongs to another packet.
    pub starts: Signal<Out, Bit>,
    /// What its first words say.
    pub header: PacketHeaderOut,
    /// The window is of the mode that the packet wants, or the reply is awaited.
    pub allowed: Signal<Out, Bit>,
    /// What the window takes.
    pub mode: Signal<Out, Bits<MODE_WIDTH>>,
    /// Ends of transfers and messages count in the event `event_number`.
    pub event_enable: Signal<Out, Bit>,
    /// Number of the event for ends of transfers and messages; it counts only with `event_enable`.
    pub event_number: Signal<Out, Bits<EVENT_WIDTH>>,
    /// Ends of transfers of the tag before this packet.
    pub ends: Signal<Out, Bits<ENDS_WIDTH>>,
    /// Why a word of the stream was refused in the packets before this one; 0 if none was.
    pub fault: Signal<Out, Bits<ERROR_WIDTH>>,
    /// The tag is a queue.
    pub is_queue: Signal<Out, Bit>,
    /// Why a message to a queue is refused, if it is; valid at its end.
    pub reason: Signal<Out, Bits<ERROR_WIDTH>>,
    /// The packet ends: `next_ends` and `next_fault` count for its tag from the next cycle on. High for one cycle.
    pub write_ends: Signal<In, Bit>,
    /// Ends of transfers with this packet.
    pub next_ends: Signal<In, Bits<ENDS_WIDTH>>,
    /// Fault of the tag after this packet, 0 for none.
    pub next_fault: Signal<In, Bits<ERROR_WIDTH>>,
}

/// What has become of a flit, as the delivery sees it.
#[interface(mirror = DeliveredIn)]
pub struct DeliveredOut {
    /// A word of payload goes in this cycle, written or refused.
    pub payload: Signal<Out, Bit>,
    /// The word of payload that is there is refused, whether or not it goes in this cycle.
    pub refuses: Signal<Out, Bit>,
    /// It is refused as a word of a descriptor without room.
    pub is_full: Signal<Out, Bit>,
    /// A packet of a transfer ends in this cycle.
    pub closes: Signal<Out, Bit>,
    /// A message ends in this cycle, written or refused.
    pub message_closes: Signal<Out, Bit>,
    /// A message ends in this cycle, and is refused.
    pub message_refused: Signal<Out, Bit>,
    /// Something malformed leaves in this cycle.
    pub malformed: Signal<Out, Bit>,
    /// An atomic has the answers for itself: `answer` is what goes back.
    pub atomic: Signal<Out, Bit>,
    /// Answer of an atomic.
    pub answer: AnswerOut,
    /// There is room for all that the end of a packet may bring about; stays so until one ends. From flip-flops.
    pub may_end: Signal<In, Bit>,
}

/// The row of the tag of the head in hand, as the tables see it.
#[interface(mirror = RowIn)]
pub struct RowOut {
    /// Tag of the head in hand, as the number of its row.
    pub tag: Signal<Out, Bits<TAG_WIDTH>>,
    /// What software has set up for the tag.
    pub window: WindowOut,
    /// How far the tag has come.
    pub state: StateOut,
    /// Software writes a row: what is kept of one elsewhere is old.
    pub touched: Signal<Out, Bit>,
    /// The packet in front may write to its row, now or later. From flip-flops.
    pub may_write: Signal<In, Bit>,
    /// The packet in front writes a register, which may be one of this row.
    pub device: Signal<In, Bit>,
    /// Nobody keeps what the packet in front writes: the head in hand waits for that, and its row is read again.
    pub unkept: Signal<In, Bit>,
}

/// What a packet writes to the row of its tag, as the packet sees it.
#[interface(mirror = RowWriteIn)]
pub struct RowWriteOut {
    /// The tag of the packet, as the number of its row.
    pub tag: Signal<Out, Bits<TAG_WIDTH>>,
    /// Writes `next_position` and `next_done`.
    pub write_pointer: Signal<Out, Bit>,
    /// Place of the next word, from the base; in a queue the messages ever written.
    pub next_position: Signal<Out, Bits<PLACE_WIDTH>>,
    /// Words of the row in front of `next_position`.
    pub next_done: Signal<Out, Bits<ROW_WIDTH>>,
    /// Writes `next_ends` and `next_fault`.
    pub write_ends: Signal<Out, Bit>,
    /// Ends of transfers.
    pub next_ends: Signal<Out, Bits<ENDS_WIDTH>>,
    /// Why a word of a stream was refused since its last end of transfer; 0 if none was.
    pub next_fault: Signal<Out, Bits<ERROR_WIDTH>>,
}

/// A change of what is known of a tag, as its source sees it: by software, or by the initialisation.
#[interface(mirror = UpdateIn)]
pub struct UpdateOut {
    /// A change waits, or is written in this cycle.
    pub busy: Signal<Out, Bit>,
    /// All fields are, with what they are after reset: `data` is 0, and the system window opens.
    pub clearing: Signal<Out, Bit>,
    /// Row that changes; valid with `busy`.
    pub tag: Signal<Out, Bits<TAG_WIDTH>>,
    /// High in the cycle in which the row's base is written, from `data`.
    pub base: Signal<Out, Bit>,
    /// High in the cycle in which the row's size is written, from `data`.
    pub size: Signal<Out, Bit>,
    /// High in the cycle in which mode, event and shape of the queue are written, from `data`.
    pub control: Signal<Out, Bit>,
    /// High in the cycle in which `data` is written as the place of the next word, where a row begins.
    pub pointer: Signal<Out, Bit>,
    /// High in the cycle in which the shape of rows is written, from `data` as a GEOMETRY word.
    pub geometry: Signal<Out, Bit>,
    /// High in the cycle in which the count of ends of transfers and the fault are cleared, whatever `data` is.
    pub ends: Signal<Out, Bit>,
    /// High in the cycle in which the count of released messages is written, from `data`.
    pub released: Signal<Out, Bit>,
    /// Word that software writes; valid with `busy`.
    pub data: Signal<Out, Bits<32>>,
}

/// What software has set up for a tag.
#[interface(mirror = WindowIn)]
pub struct WindowOut {
    /// First word of the window, as an address in words.
    pub base: Signal<Out, Bits<PLACE_WIDTH>>,
    /// Words of the window.
    pub size: Signal<Out, Bits<PLACE_WIDTH>>,
    /// What the window takes: nothing, puts and atomics, streams, or messages.
    pub mode: Signal<Out, Bits<MODE_WIDTH>>,
    /// Ends of transfers and messages count in the event `event_number`.
    pub event_enable: Signal<Out, Bit>,
    /// Number of the event for ends of transfers and messages; it counts only with `event_enable`.
    pub event_number: Signal<Out, Bits<EVENT_WIDTH>>,
    /// Words of a queue's slot, as the power of two; one of them is in front of the message.
    pub slot_words: Signal<Out, Bits<SLOT_WORDS_WIDTH>>,
    /// Slots of a queue, as the power of two.
    pub slots: Signal<Out, Bits<SLOTS_WIDTH>>,
}

/// How far a tag has come.
#[interface(mirror = StateIn)]
pub struct StateOut {
    /// Place of the next word, from the base; in a queue the messages ever written, in the low bits.
    pub position: Signal<Out, Bits<PLACE_WIDTH>>,
    /// Words of the row in front of it.
    pub done: Signal<Out, Bits<ROW_WIDTH>>,
    /// Number of the last word of a row, from 0. See [`super::Walk`].
    pub row_last: Signal<Out, Bits<ROW_WIDTH>>,
    /// Words from the last word of a row to the next row; 1 where there are no rows. See [`super::Walk`].
    pub gap: Signal<Out, Bits<PLACE_WIDTH>>,
    /// Ends of transfers.
    pub ends: Signal<Out, Bits<ENDS_WIDTH>>,
    /// Why a word of a stream was refused since its last end of transfer; 0 if none was.
    pub fault: Signal<Out, Bits<ERROR_WIDTH>>,
    /// Messages ever released.
    pub released: Signal<Out, Bits<MESSAGES_WIDTH>>,
}

/// An answer to the initiator, as the block that gives it sees it.
#[interface(mirror = AnswerIn)]
pub struct AnswerOut {
    /// There is an answer.
    pub valid: Signal<Out, Bit>,
    /// Node of the initiator, to which the answer goes.
    pub destination: Signal<Out, Bits<NODE_WIDTH>>,
    /// Transaction slot of the initiator.
    pub slot: Signal<Out, Bits<SLOT_WIDTH>>,
    /// ACK, REFUSE or VALUE.
    pub kind: Signal<Out, Bits<KIND_WIDTH>>,
    /// The transaction is over.
    pub last: Signal<Out, Bit>,
    /// Error code or value.
    pub value: Signal<Out, Bits<64>>,
    /// There is room for an answer; with `valid`, it is taken in this cycle.
    pub ready: Signal<In, Bit>,
}

/// The release of messages at the tables: it reads the row of a tag, then writes how many messages are released.
#[interface(mirror = ReleasePortOut)]
pub struct ReleasePortIn {
    /// Tag of the queue whose row is read or written.
    pub tag: Signal<In, Bits<TAG_WIDTH>>,
    /// Asks for the row; it is there in the cycle after `reads`.
    pub read: Signal<In, Bit>,
    /// The row is read in this cycle.
    pub reads: Signal<Out, Bit>,
    /// A packet wrote in the cycle of the read: the row is to be read again.
    pub torn: Signal<Out, Bit>,
    /// First word of the queue, as an address in words.
    pub base: Signal<Out, Bits<PLACE_WIDTH>>,
    /// What the window takes; messages are released only of a queue.
    pub mode: Signal<Out, Bits<MODE_WIDTH>>,
    /// Words of the queue's slot, as the power of two.
    pub slot_words: Signal<Out, Bits<SLOT_WORDS_WIDTH>>,
    /// Slots of the queue, as the power of two.
    pub slots: Signal<Out, Bits<SLOTS_WIDTH>>,
    /// Messages ever written to the queue.
    pub written: Signal<Out, Bits<MESSAGES_WIDTH>>,
    /// Messages ever released, as the row has it.
    pub released: Signal<Out, Bits<MESSAGES_WIDTH>>,
    /// Asks for a write; it is done with `writes`.
    pub write: Signal<In, Bit>,
    /// The row is written in this cycle.
    pub writes: Signal<Out, Bit>,
    /// Messages ever released, as it is written.
    pub next_released: Signal<In, Bits<MESSAGES_WIDTH>>,
}
