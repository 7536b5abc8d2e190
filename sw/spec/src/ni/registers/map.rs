//! Every register and field, as data.

use super::{Block, Place, BLOCK_OFFSET, FIELD_WIDTH, INITIALISING_OFFSET, MAGIC, SHORT_FIELD_WIDTH, VERSION};
use crate::{
    flit::NODE_WIDTH,
    mpe::call,
    ni::{
        build,
        command::{MAX_DESCRIPTOR_WORDS, SHAPERS},
        event::{self, COUNTER_WIDTH, EVENTS},
        instruction::PROGRAM_WORDS,
        layout::{Access, BitField},
        mailbox::{self, COUNT_WIDTH},
        packet::{OFFSET_WIDTH, ROW_WIDTH, STRIDE_OFFSET, STRIDE_WIDTH},
        page::{ALIGNMENT_WIDTH, HALF_BASE_WIDTH, HALF_WIDTH, PAGES},
        segment::{self, CREDITS_WIDTH, SEGMENTS},
        shaper,
        window::{self, ENDS_WIDTH, MESSAGES_WIDTH, WINDOWS},
        MAILBOXES,
    },
    portals::engine,
    streams,
};

/// A register of an item.
#[derive(Clone, Copy, Debug)]
pub struct Register {
    /// In small letters, words joined by `_`.
    pub name: &'static str,
    /// Number in its item.
    pub number: usize,
    /// What software may do with it.
    pub access: Access,
    /// What it is, in a sentence.
    pub doc: &'static str,
    /// Its fields, from the lowest bit up.
    pub fields: &'static [BitField],
}

/// What a block has: items, each with the same registers.
#[derive(Clone, Copy, Debug)]
pub struct BlockMap {
    /// The block.
    pub block: Block,
    /// Name of an item.
    pub item: &'static str,
    /// How many items there are.
    pub items: usize,
    /// Bits of the place that number the registers of an item.
    pub number_width: usize,
    /// What the block is for.
    pub doc: &'static str,
    /// The registers of an item.
    pub registers: &'static [Register],
}

macro_rules! registers {
    (
        $(#[doc = $about:literal])+
        $type:ident of $block:ident {
            $($(#[doc = $doc:literal])+ $variant:ident = $number:literal, $name:literal, $access:ident, $fields:expr;)+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $type {
            $($(#[doc = $doc])+ $variant = $number,)+
        }

        impl Place for $type {
            const BLOCK: Block = Block::$block;
            const REGISTERS: &'static [Register] = &[$(Register {
                name: $name,
                number: $number,
                access: Access::$access,
                doc: concat!($($doc,)+).trim_ascii(),
                fields: &$fields,
            },)+];

            fn number(self) -> usize {
                self as usize
            }

            fn from_number(number: usize) -> Option<$type> {
                [$($type::$variant,)+].into_iter().find(|register| register.number() == number)
            }
        }
    };
}

const fn value(width: usize, doc: &'static str) -> BitField {
    BitField::new("value", 0, width, doc)
}

const fn words(doc: &'static str) -> BitField {
    BitField::new("words", 0, OFFSET_WIDTH, doc)
}

const COUNTED: BitField = value(32, "A counter that wraps.");

registers! {
    /// Registers of block control.
    ControlRegister of Control {
        /// Identity.
        Id = 0, "id", ReadOnly, [
            BitField::new("version", 0, 16, "Version of the register map.").reset(VERSION),
            BitField::new("magic", 16, 16, "What a network interface is known by.").reset(MAGIC),
        ];
        /// The node itself.
        Node = 1, "node", ReadOnly, [BitField::new("node", 0, NODE_WIDTH, "x in the low four bits, y above.")];
        /// The fabric.
        Tiles = 2, "tiles", ReadOnly, [
            BitField::new("cols", 0, 8, "Columns of tiles."),
            BitField::new("rows", 8, 8, "Rows of tiles."),
            BitField::new("edge_nodes", 16, 8, "The host and the memory nodes."),
        ];
        /// Memory of the node.
        Memory = 3, "memory", ReadOnly, [BitField::new("bytes", 0, 32, "Size in bytes.")];
        /// Status.
        Status = 4, "status", ReadOnly, [
            BitField::new("initialising", INITIALISING_OFFSET, 1, "After reset, tables are being cleared: commands and packets wait."),
        ];
        /// Events that have fired and interrupt.
        InterruptLow = 5, "interrupt_low", ReadOnly, [BitField::new("pending", 0, 32, "Bit i: event i.")];
        /// Events that have fired and interrupt.
        InterruptHigh = 6, "interrupt_high", ReadOnly, [BitField::new("pending", 0, 32, "Bit i: event 32 + i.")];
        /// What the node is built with; bits 31:29 are reserved.
        Build = 7, "build", ReadOnly, build::FIELDS;
        /// The engines that the node is built with, whether a register stands before it, and the width of addresses of its
        /// external memory; the other bits are reserved.
        BuildEngines = 8, "build_engines", ReadOnly, build::ENGINE_FIELDS;
    }
}

registers! {
    /// Registers of block command.
    CommandRegister of Command {
        /// A word of a descriptor.
        Word = 0, "word", WriteOnly, [
            value(32, "Appended to the descriptor; at number 15 it is the descriptor's last word."),
        ];
    }
}

registers! {
    /// Registers of an event.
    EventRegister of Events {
        /// How often it was counted; a write sets it.
        Count = 0, "count", ReadWrite, [value(COUNTER_WIDTH, "A counter that wraps.")];
        /// When it has fired.
        Control = 1, "control", ReadWrite, [event::THRESHOLD, event::COMPARE, event::INTERRUPT];
        /// How it stands; a write clears the error.
        Status = 2, "status", Clear, [event::ERROR, event::FIRED.access(Access::ReadOnly)];
        /// Result of the last atomic that counted in it.
        ValueLow = 3, "value_low", ReadOnly, [value(32, "Bits 31:0.")];
        /// Result of the last atomic that counted in it.
        ValueHigh = 4, "value_high", ReadOnly, [value(32, "Bits 63:32; 0 of a 32-bit atomic.")];
    }
}

registers! {
    /// Registers of a tag: a window of memory.
    TagRegister of Tags {
        /// Where the window begins.
        Base = 0, "base", WriteOnly, [words("Address in words.")];
        /// How long it is.
        Size = 1, "size", WriteOnly, [words("Length in words; a write outside is refused.")];
        /// What it takes.
        Control = 2, "control", WriteOnly, [
            window::MODE, window::EVENT_ENABLE, window::EVENT, window::SLOT_WORDS, window::SLOTS,
        ];
        /// How far it is filled.
        Pointer = 3, "pointer", ReadWrite, [
            value(OFFSET_WIDTH, "In pointer mode: words from the base; in queue mode: messages ever written."),
        ];
        /// How a stream is laid down.
        Geometry = 4, "geometry", WriteOnly, [
            BitField::new("row", 0, ROW_WIDTH, "Words of a row, 0 for contiguous."),
            BitField::new("stride", STRIDE_OFFSET, STRIDE_WIDTH, "Words from row to row."),
        ];
        /// How many transfers ended; a write clears it.
        Ends = 5, "ends", Clear, [value(ENDS_WIDTH, "A counter that wraps.")];
        /// Of a queue: how many messages were released; a write sets it.
        Released = 6, "released", ReadWrite, [value(MESSAGES_WIDTH, "Messages ever released; a counter that wraps.")];
    }
}

registers! {
    /// Registers of a segment.
    SegmentRegister of Segments {
        /// Whose it is.
        Target = 0, "target", WriteOnly, [segment::NODE, segment::TAG, segment::KIND];
        /// How long it is.
        Size = 1, "size", WriteOnly, [words("Length in words; nothing is sent beyond.")];
        /// Of a queue: how many messages may be sent.
        Credits = 2, "credits", WriteOnly, [
            BitField::new("messages", 0, CREDITS_WIDTH, "Slots of the queue that are this sender's."),
        ];
    }
}

registers! {
    /// Registers of a mailbox.
    MailboxRegister of Mailboxes {
        /// What came last, or all joined.
        Low = 0, "low", ReadOnly, [value(32, "Bits 31:0.")];
        /// What came last, or all joined.
        High = 1, "high", ReadOnly, [value(32, "Bits 63:32.")];
        /// What it does with a mail.
        Control = 2, "control", WriteOnly, [
            mailbox::MODE, mailbox::EVENT_ENABLE, mailbox::EVENT, mailbox::EXPECTED,
        ];
        /// How many came; a write clears it, and the value.
        Count = 3, "count", Clear, [
            value(COUNT_WIDTH, "Mails since the last write, or in the round of a barrier; a counter that wraps."),
        ];
    }
}

registers! {
    /// Registers of a packet shaper.
    ShaperRegister of Shapers {
        /// How long packets may be.
        Maximum = 0, "maximum", WriteOnly, [shaper::MAXIMUM];
        /// How many flits may go.
        Rate = 1, "rate", WriteOnly, [shaper::RATE];
        /// How many flits may go at once.
        Burst = 2, "burst", WriteOnly, [shaper::BURST];
    }
}

registers! {
    /// Registers of block program.
    ProgramRegister of Program {
        /// An instruction; the built-in programs are not written.
        Instruction = 0, "instruction", WriteOnly, [value(32, "See the instructions.")];
    }
}

registers! {
    /// Registers of block release.
    ReleaseRegister of Release {
        /// Releases the oldest messages of the queue.
        Messages = 0, "messages", WriteOnly, [
            BitField::new("count", 0, MESSAGES_WIDTH, "How many; each sends its sender a credit."),
        ];
    }
}

registers! {
    /// Registers of block counters.
    CounterRegister of Counters {
        /// Cycles since reset.
        Cycles = 0, "cycles", ReadOnly, [COUNTED];
        /// Flits that came on the data plane.
        DataIn = 1, "data_in", ReadOnly, [COUNTED];
        /// Flits that went on the data plane.
        DataOut = 2, "data_out", ReadOnly, [COUNTED];
        /// Flits that came on the control plane.
        ControlIn = 3, "control_in", ReadOnly, [COUNTED];
        /// Flits that went on the control plane.
        ControlOut = 4, "control_out", ReadOnly, [COUNTED];
        /// Cycles in which a flit of the data plane could not go.
        DataStalls = 5, "data_stalls", ReadOnly, [COUNTED];
        /// Words from the network that were refused.
        Refused = 6, "refused", ReadOnly, [COUNTED];
        /// Descriptors that did not fit the queue; all of them at a memory node.
        Dropped = 7, "dropped", ReadOnly, [COUNTED];
        /// Cycles in which a micro-core ran; at a memory node, in which a get was served.
        Running = 8, "running", ReadOnly, [COUNTED];
        /// Cycles in which every active micro-core waited.
        Waiting = 9, "waiting", ReadOnly, [COUNTED];
        /// Bursts written to external memory and words read that it answered with an error, and violations of the AXI
        /// protocol; of memory nodes alone.
        MemoryErrors = 10, "memory_errors", ReadOnly, [COUNTED];
        /// Cycles in which an engine had work.
        EnginesRun = 11, "engines_run", ReadOnly, [COUNTED];
        /// Cycles in which an engine had work and waited.
        EnginesWait = 12, "engines_wait", ReadOnly, [COUNTED];
    }
}

registers! {
    /// Registers of a page.
    PageRegister of Pages {
        /// Where the page begins in external memory.
        Low = 0, "low", WriteOnly, [
            BitField::new(
                "base",
                ALIGNMENT_WIDTH,
                HALF_BASE_WIDTH - ALIGNMENT_WIDTH,
                "Bits 31:12 of the byte address; those below are 0.",
            ),
        ];
        /// Where the page begins in external memory.
        High = 1, "high", WriteOnly, [
            BitField::new("base", 0, HALF_BASE_WIDTH, "Bits 63:32 of the byte address; ignored where an address has 32 bits."),
        ];
    }
}

registers! {
    /// Registers of block probe.
    ProbeRegister of Probe {
        /// How the source stands.
        Status = 0, "status", ReadOnly, [BitField::new("running", 0, 1, "The source has packets to send.")];
        /// Packets that the source has sent.
        Sent = 1, "sent", ReadOnly, [COUNTED];
        /// Packets that have come.
        Received = 2, "received", ReadOnly, [COUNTED];
        /// Words of their payload.
        Words = 3, "words", ReadOnly, [COUNTED];
        /// Packets that have come with a wrong length, sequence number or content.
        Errors = 4, "errors", ReadOnly, [COUNTED];
        /// The shortest way of a packet.
        LatencyLeast = 5, "latency_least", ReadOnly, [
            value(32, "Cycles from the offer of its head to its tail at the sink; all ones if none has come.").reset(u32::MAX),
        ];
        /// The longest way of a packet.
        LatencyGreatest = 6, "latency_greatest", ReadOnly, [value(32, "Cycles, likewise.")];
        /// The ways of all packets.
        LatencySumLow = 7, "latency_sum_low", ReadOnly, [value(32, "Cycles, likewise: bits 31:0 of their sum.")];
        /// The ways of all packets.
        LatencySumHigh = 8, "latency_sum_high", ReadOnly, [value(32, "Bits 63:32.")];
        /// When the first packet came.
        First = 9, "first", ReadOnly, [value(32, "Cycles from reset to its head.")];
        /// When the last packet came.
        Last = 10, "last", ReadOnly, [value(32, "Cycles from reset to its tail.")];
        /// Sets all others to what they are after reset; sequence numbers go on.
        Clear = 11, "clear", WriteOnly, [value(1, "Whatever is written.")];
    }
}

registers! {
    /// Registers of a context of block mpe.
    MpeRegister of Mpe {
        /// The neighbour in place 0.
        Neighbour0 = 0, "neighbour0", ReadWrite, call::ROW;
        /// The neighbour in place 1.
        Neighbour1 = 1, "neighbour1", ReadWrite, call::ROW;
        /// The neighbour in place 2.
        Neighbour2 = 2, "neighbour2", ReadWrite, call::ROW;
        /// The neighbour in place 3.
        Neighbour3 = 3, "neighbour3", ReadWrite, call::ROW;
        /// The neighbour in place 4.
        Neighbour4 = 4, "neighbour4", ReadWrite, call::ROW;
        /// The neighbour in place 5.
        Neighbour5 = 5, "neighbour5", ReadWrite, call::ROW;
        /// The neighbour in place 6.
        Neighbour6 = 6, "neighbour6", ReadWrite, call::ROW;
        /// The neighbour in place 7.
        Neighbour7 = 7, "neighbour7", ReadWrite, call::ROW;
        /// What the context does.
        Status = 8, "status", ReadOnly, [
            BitField::new("idle", MPE_IDLE_OFFSET, 1, "No call runs or waits, no launch is under way, all credits are back, and none is owed. \
                Rows may be written only now; the next call then has number 0. Other writes of rows are ignored and \
                counted as refused.").reset(1),
            BitField::new("running", MPE_RUNNING_OFFSET, 1, "A call runs."),
            BitField::new("closed", MPE_CLOSED_OFFSET, 1, "A call has failed, or `control` has closed the context: it takes no calls."),
            BitField::new("waiting", MPE_WAITING_OFFSET, 3, "Calls that wait."),
            BitField::new("next", MPE_NEXT_OFFSET, call::NUMBER_WIDTH, "Number of the next call."),
            BitField::new("drained", MPE_DRAINED_OFFSET, 1, "It is closed, nothing of a call is left, all credits are back, \
                and none is owed."),
            BitField::new("armed", MPE_ARMED_OFFSET, call::ARMED_WIDTH, "Calls that are armed."),
        ];
        /// How long a call may stand still.
        Timeout = 9, "timeout", WriteOnly, [
            value(MPE_TIMEOUT_WIDTH, "Cycles, in steps of four; 0 for ever. Counted while a call runs and its context neither takes nor sends."),
        ];
        /// Closes the context, and opens it again.
        Control = 10, "control", WriteOnly, [
            BitField::new("close", MPE_CLOSE_OFFSET, 1, "Ends the call that runs and those that wait with CLOSED; closes the context."),
            BitField::new("open", MPE_OPEN_OFFSET, 1, "Opens a context that is drained: its state is that after reset, but for list and \
                time-out. Otherwise ignored, and counted as refused."),
        ];
    }
}

registers! {
    /// Registers of block streams.
    StreamRegister of Streams {
        /// State of the direction out of the tile.
        SendStatus = 0, "send_status", ReadOnly, STREAM_STATUS;
        /// Words that the last send moved.
        SendWords = 1, "send_words", ReadOnly, [value(32, "Words of the fabric.")];
        /// State of the direction into the tile.
        ReceiveStatus = 2, "receive_status", ReadOnly, STREAM_STATUS;
        /// Words that the last receive moved.
        ReceiveWords = 3, "receive_words", ReadOnly, [value(32, "Words of the fabric.")];
    }
}

/// A byte address or a length in bytes.
const fn bytes(doc: &'static str) -> BitField {
    BitField::new("bytes", 0, engine::LENGTH_WIDTH, doc)
}

/// The event of the tile that counts with a counter or an event queue.
const TILE_EVENT: [BitField; 2] = [
    BitField::new("event", 0, event::EVENT_WIDTH, "The event."),
    BitField::new(
        "present",
        engine::EVENT_PRESENT_OFFSET,
        1,
        "An event of the tile counts.",
    ),
];

registers! {
    /// Registers of block Portals: item i has row i of each table.
    PortalsRegister of Portals {
        /// Node of a rank; a row is written while nothing of this rank is under way.
        Rank = 0, "rank", WriteOnly, [
            BitField::new("node", 0, NODE_WIDTH, "The node: x in the low four bits, y above."),
            BitField::new("present", engine::RANK_PRESENT_OFFSET, 1, "The rank has a node."),
        ];
        /// A portal index; those of the non-matching interface follow those of the matching one.
        Portal = 1, "portal", ReadWrite, [
            BitField::new("allocated", engine::PORTAL_ALLOCATED_OFFSET, 1, "Entries and messages may come."),
            BitField::new("enabled", engine::PORTAL_ENABLED_OFFSET, 1, "It takes messages."),
            BitField::new("queue", engine::PORTAL_QUEUE_OFFSET, engine::QUEUE_WIDTH, "Event queue of its entries."),
            BitField::new("queues", engine::PORTAL_QUEUES_OFFSET, 1, "There is an event queue."),
        ];
        /// Start of a memory descriptor.
        MdStart = 2, "md_start", WriteOnly, [bytes("Byte address.")];
        /// Length of a memory descriptor.
        MdLength = 3, "md_length", WriteOnly, [bytes("Length in bytes.")];
        /// Options of a memory descriptor.
        MdOptions = 4, "md_options", WriteOnly, [
            BitField::new("success_disable", engine::MD_SUCCESS_DISABLE, 1, "No event of success."),
            BitField::new("send_disable", engine::MD_SEND_DISABLE, 1, "No SEND."),
            BitField::new("ct_send", engine::MD_CT_SEND, 1, "The counter counts sends."),
            BitField::new("ct_reply", engine::MD_CT_REPLY, 1, "The counter counts replies."),
            BitField::new("ct_ack", engine::MD_CT_ACK, 1, "The counter counts acknowledgements."),
            BitField::new("ct_bytes", engine::MD_CT_BYTES, 1, "The counter counts bytes."),
            BitField::new("counter", engine::MD_COUNTER_OFFSET, engine::NUMBER_WIDTH, "The counter."),
            BitField::new("counts", engine::MD_COUNTS_OFFSET, 1, "There is a counter."),
            BitField::new("queue", engine::MD_QUEUE_OFFSET, engine::QUEUE_WIDTH, "The event queue."),
            BitField::new("queues", engine::MD_QUEUES_OFFSET, 1, "There is an event queue."),
            BitField::new("bound", engine::MD_BOUND_OFFSET, 1, "Moves may use it."),
        ];
        /// Successes of a counter.
        CtSuccess = 5, "ct_success", ReadWrite, [COUNTED];
        /// Failures of a counter.
        CtFailure = 6, "ct_failure", ReadWrite, [COUNTED];
        /// The event of the tile that counts with a counter.
        CtEvent = 7, "ct_event", WriteOnly, TILE_EVENT;
        /// Ring of an event queue.
        EqBase = 8, "eq_base", WriteOnly, [bytes("Byte address of the first event, a multiple of 4.")];
        /// Size of an event queue; a write empties it.
        EqSize = 9, "eq_size", WriteOnly, [
            BitField::new("log", 0, engine::QUEUE_SIZE_WIDTH, "Logarithm of the events that it holds, 1 to 12."),
        ];
        /// Events that software has taken.
        EqTaken = 10, "eq_taken", WriteOnly, [BitField::new("events", 0, engine::TAKEN_WIDTH, "Modulo 2^16.")];
        /// Events for which an event queue had no room.
        EqDropped = 11, "eq_dropped", ReadOnly, [BitField::new("events", 0, engine::TAKEN_WIDTH, "A counter that wraps.")];
        /// The event of the tile that counts with an event queue.
        EqEvent = 12, "eq_event", WriteOnly, TILE_EVENT;
        /// Settings: item 0 the user, item 1 whether moves are sent and requests are taken, item 2 the tile's own rank.
        Setting = 13, "setting", WriteOnly, [BitField::new("value", 0, engine::USER_WIDTH, "By the item.")];
        /// Requests that were refused: item 0 those that met no entry or a disabled portal index, item 1 those of a wrong
        /// user, item 2 those of an operation that the entry does not allow.
        Status = 14, "status", Clear, [COUNTED];
    }
}

/// State of a direction of the streams.
const STREAM_STATUS: [BitField; 2] = [
    BitField::new("running", streams::RUNNING_OFFSET, 1, "A descriptor runs."),
    BitField::new(
        "waiting",
        streams::WAITING_OFFSET,
        streams::WAITING_WIDTH,
        "Descriptors that wait behind it.",
    ),
];

/// In the status of a context.
pub const MPE_IDLE_OFFSET: usize = 0;
/// In the status of a context.
pub const MPE_RUNNING_OFFSET: usize = 1;
/// In the status of a context.
pub const MPE_CLOSED_OFFSET: usize = 2;
/// In the status of a context.
pub const MPE_WAITING_OFFSET: usize = 3;
/// In the status of a context.
pub const MPE_NEXT_OFFSET: usize = 6;
/// In the status of a context.
pub const MPE_DRAINED_OFFSET: usize = MPE_NEXT_OFFSET + call::NUMBER_WIDTH;
/// In the status of a context.
pub const MPE_ARMED_OFFSET: usize = MPE_DRAINED_OFFSET + 1;
/// In the control of a context.
pub const MPE_CLOSE_OFFSET: usize = 0;
/// In the control of a context.
pub const MPE_OPEN_OFFSET: usize = 1;
/// Width of a context's time-out, in bits.
pub const MPE_TIMEOUT_WIDTH: usize = 32;
/// Bits of the place that number the registers of one context.
pub const MPE_FIELD_WIDTH: usize = 4;
/// Bits of the place that number the registers of one row of the Portals engine's tables.
pub const PORTALS_FIELD_WIDTH: usize = 4;

const fn block<P: Place>(item: &'static str, items: usize, number_width: usize, doc: &'static str) -> BlockMap {
    BlockMap {
        block: P::BLOCK,
        item,
        items,
        number_width,
        doc,
        registers: P::REGISTERS,
    }
}

/// All blocks, in the order of their numbers.
pub static MAP: &[BlockMap] = &[
    block::<ControlRegister>("control", 1, BLOCK_OFFSET, "What the node is, and its interrupt."),
    block::<CommandRegister>(
        "word",
        MAX_DESCRIPTOR_WORDS,
        0,
        "Descriptors: n words go to the numbers 16 - n to 15, in this order. What does not fit the queue is dropped whole \
         and counted.",
    ),
    block::<EventRegister>("event", EVENTS, FIELD_WIDTH, "Events: counters with a threshold, a result and an error."),
    block::<TagRegister>(
        "tag",
        WINDOWS,
        FIELD_WIDTH,
        "Windows. After reset all are off but number 255, the system window: it is a window over the whole address space.",
    ),
    block::<SegmentRegister>(
        "segment",
        SEGMENTS,
        SHORT_FIELD_WIDTH,
        "Segments: windows and queues of other nodes, by the handle that descriptors name.",
    ),
    block::<MailboxRegister>("mailbox", MAILBOXES, SHORT_FIELD_WIDTH, "Mailboxes of 64 bits."),
    block::<ShaperRegister>("shaper", SHAPERS, SHORT_FIELD_WIDTH, "Packet shapers."),
    block::<ProgramRegister>(
        "instruction",
        PROGRAM_WORDS,
        0,
        "Memory of the micro-cores' programs. The first 64 places are the built-in ones, and not written.",
    ),
    block::<ReleaseRegister>("queue", WINDOWS, 0, "Release of messages, by the tag of their queue."),
    block::<CounterRegister>("counters", 1, BLOCK_OFFSET, "Counters of the monitor."),
    block::<PageRegister>("page", PAGES, HALF_WIDTH, "Pages of external memory; of memory nodes alone."),
    block::<ProbeRegister>("probe", 1, BLOCK_OFFSET, "The source/sink core; of tiles that are built with it."),
    block::<MpeRegister>(
        "context",
        call::CONTEXTS,
        MPE_FIELD_WIDTH,
        "Contexts of the message-passing engine; of tiles that are built with it.",
    ),
    block::<PortalsRegister>(
        "row",
        1 << (BLOCK_OFFSET - PORTALS_FIELD_WIDTH),
        PORTALS_FIELD_WIDTH,
        "Tables of the Portals engine; of tiles that are built with it.",
    ),
    block::<StreamRegister>(
        "streams",
        1,
        BLOCK_OFFSET,
        "Streams of words out of and into the memory; of tiles that are built with them.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ni::{
        descriptor, instruction,
        layout::{tests::assert_sound, Layout},
        packet,
    };

    #[test]
    fn blocks_are_in_order_and_hold_their_items() {
        assert_eq!(MAP.len(), Block::ALL.len());
        for (map, &block) in MAP.iter().zip(Block::ALL) {
            assert_eq!(map.block, block);
            assert!(map.items << map.number_width <= 1 << BLOCK_OFFSET, "{}", block.name());
            assert!(map.doc.ends_with('.'));
        }
    }

    #[test]
    fn registers_are_sound() {
        for map in MAP {
            for (at, register) in map.registers.iter().enumerate() {
                assert_eq!(register.number, at, "{}", register.name);
                assert!(register.number < 1 << map.number_width);
                assert!(register.doc.ends_with('.'), "{}", register.doc);
                assert_sound(register.name, register.fields);
            }
        }
    }

    #[test]
    fn layouts_are_sound() {
        let layouts: [Layout; 13] = [
            packet::HEAD,
            packet::ADDRESS,
            packet::GEOMETRY,
            window::MESSAGE,
            descriptor::WORD,
            descriptor::MAIL,
            call::CALL,
            call::CALL_WORD,
            crate::probe::TARGET_WORD,
            crate::probe::LENGTH_WORD,
            crate::probe::RATE_WORD,
            instruction::WORD,
            instruction::FLAGS,
        ];
        for layout in layouts {
            assert_sound(layout.name, layout.fields);
        }
    }
}
