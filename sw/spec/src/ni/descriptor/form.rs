//! The words of descriptors, as data.

use crate::{
    mpe::call,
    ni::{
        command::{self, BARE_WORDS, MAX_DESCRIPTOR_WORDS},
        layout::BitField,
        packet::{ROW_WIDTH, STRIDE_OFFSET, STRIDE_WIDTH},
    },
    portals::{engine, list},
    probe, streams,
};

/// The words behind word 0 in the descriptors of some opcodes.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// In small letters, words joined by `_`.
    pub name: &'static str,
    /// Which opcodes, in a sentence.
    pub doc: &'static str,
    /// Words of the descriptor at most, word 0 among them.
    pub words_at_most: usize,
    /// The words from word 1 on. Behind the last come as many of its kind as there are.
    pub words: &'static [FormWord],
}

/// A word of a descriptor.
#[derive(Clone, Copy, Debug)]
pub struct FormWord {
    /// In small letters, words joined by `_`.
    pub name: &'static str,
    /// Its meaning, in a sentence.
    pub doc: &'static str,
    /// Its fields, where it is more than one value and no layout of its own.
    pub fields: &'static [BitField],
}

const fn word(name: &'static str, doc: &'static str) -> FormWord {
    FormWord { name, doc, fields: &[] }
}

const fn low(name: &'static str, width: usize, doc: &'static str) -> BitField {
    BitField::new(name, 0, width, doc)
}

const fn high(name: &'static str, width: usize, doc: &'static str) -> BitField {
    BitField::new(name, STRIDE_OFFSET, width, doc)
}

const STRIDES: [BitField; 2] = [
    low(
        "local",
        STRIDE_WIDTH,
        "In the memory of the node, in words of the fabric.",
    ),
    high("remote", STRIDE_WIDTH, "In the segment, in words of the fabric."),
];

const PORTAL: BitField = BitField::new(
    "portal",
    engine::PORTAL_OFFSET,
    engine::PORTAL_WIDTH,
    "Portal index; bit 6: of the non-matching interface.",
);

/// Every form; a fence has word 0 alone.
pub const FORMS: [Form; 11] = [
    Form {
        name: "transfer",
        doc: "Put and get; stream and enqueue, with remote 0.",
        words_at_most: command::TRANSFER_WORDS[2],
        words: &[
            word("remote", "Offset of the first row in the segment, in bytes."),
            word("local", "Address of the first row in the memory of the node, in bytes."),
            FormWord {
                name: "shape",
                doc: "Rows; the last word of a transfer of one row.",
                fields: &[
                    low("row", ROW_WIDTH, "Length of a row, in words of the fabric."),
                    high("rows", ROW_WIDTH, "How many rows: 1 without the words that follow."),
                ],
            },
            FormWord {
                name: "strides",
                doc: "From row to row; the last word of a transfer of rows.",
                fields: &STRIDES,
            },
            word("planes", "How many planes of rows."),
            FormWord {
                name: "plane_strides",
                doc: "From plane to plane.",
                fields: &STRIDES,
            },
        ],
    },
    Form {
        name: "atomic",
        doc: "Atomic.",
        // Two operands of two words.
        words_at_most: BARE_WORDS + 4,
        words: &[
            word("remote", "Offset of the operand in the segment, in bytes."),
            word("operand", "First word of the operands, each low word first."),
        ],
    },
    Form {
        name: "mail",
        doc: "Mail.",
        words_at_most: 4,
        words: &[
            word("target", "Mailbox and node, as DESCRIPTOR_MAIL has them."),
            word("low", "Bits 31:0 of what is written."),
            word("high", "Bits 63:32 of what is written."),
        ],
    },
    Form {
        name: "program",
        doc: "Program.",
        words_at_most: MAX_DESCRIPTOR_WORDS,
        words: &[
            word("entry", "Place of the first instruction."),
            word("register", "Register 2; those that follow are the next registers."),
        ],
    },
    Form {
        name: "collective",
        doc: "Barrier and launch, which have word 1 alone; broadcast, reduce, allreduce.",
        words_at_most: call::TRANSFER_WORDS,
        words: &[
            word("call", "The call, as DESCRIPTOR_CALL has it."),
            word("length", "Words of 32 bits."),
            word("source", "Address of the source in the memory of the node, in bytes."),
            word("result", "Address of the result in the memory of the node, in bytes."),
        ],
    },
    Form {
        name: "probe",
        doc: "Probe.",
        words_at_most: probe::DESCRIPTOR_WORDS,
        words: &[
            word("target", "Destination, as DESCRIPTOR_PROBE_TARGET has it."),
            word("length", "Words of a packet, as DESCRIPTOR_PROBE_LENGTH has them."),
            word("packets", "How many packets."),
            word("rate", "Packets in 2^16 cycles, as DESCRIPTOR_PROBE_RATE has them."),
            word(
                "seed",
                "Decides random destinations, and the content with its low 8 bits.",
            ),
        ],
    },
    Form {
        name: "move",
        doc: "Move: a put, or a get, which has no header data.",
        words_at_most: engine::PUT_WORDS,
        words: &[
            FormWord {
                name: "request",
                doc: "What goes where.",
                fields: &[
                    BitField::new(
                        "operation",
                        engine::OPERATION_OFFSET,
                        engine::OPERATION_WIDTH,
                        "Put or get.",
                    )
                    .codes(engine::Operation::CODES),
                    BitField::new(
                        "ack",
                        engine::ACK_OFFSET,
                        engine::ACK_WIDTH,
                        "Acknowledgement of a put.",
                    )
                    .codes(engine::Ack::CODES),
                    PORTAL,
                    BitField::new(
                        "descriptor",
                        engine::DESCRIPTOR_OFFSET,
                        engine::NUMBER_WIDTH,
                        "Memory descriptor.",
                    ),
                    BitField::new(
                        "rank",
                        engine::RANK_OFFSET,
                        engine::SOURCE_RANK_WIDTH,
                        "Rank of the target.",
                    ),
                ],
            },
            word("local", "Offset in the memory descriptor, in bytes."),
            word("length", "Length in bytes."),
            word("remote", "Offset in the entry, in bytes."),
            word("match_low", "Bits 31:0 of the match bits."),
            word("match_high", "Bits 63:32 of the match bits."),
            word("user_pointer", "The pointer that SEND, ACK and REPLY have."),
            word("header_low", "Bits 31:0 of the header data."),
            word("header_high", "Bits 63:32 of the header data."),
        ],
    },
    Form {
        name: "entry",
        doc: "Entry: an entry is appended; to unlink one, word 2 is its handle and the last word; a search of headers ends with `user_pointer`.",
        words_at_most: engine::ENTRY_WORDS,
        words: &[
            FormWord {
                name: "what",
                doc: "What is done.",
                fields: &[
                    BitField::new(
                        "command",
                        engine::COMMAND_OFFSET,
                        engine::COMMAND_WIDTH,
                        "What is done.",
                    )
                    .codes(engine::EntryCommand::CODES),
                    BitField::new(
                        "overflow",
                        engine::LIST_OFFSET,
                        1,
                        "The list is Overflow, not Priority.",
                    ),
                    PORTAL,
                    BitField::new(
                        "counter",
                        engine::COUNTER_OFFSET,
                        engine::NUMBER_WIDTH,
                        "Counter of the entry.",
                    ),
                    BitField::new("counts", engine::COUNTS_OFFSET, 1, "There is a counter."),
                ],
            },
            FormWord {
                name: "source",
                doc: "From whom, and options.",
                fields: &[
                    BitField::new(
                        "rank",
                        engine::SOURCE_OFFSET,
                        engine::SOURCE_RANK_WIDTH,
                        "Rank of the source.",
                    ),
                    BitField::new("options", engine::OPTIONS_OFFSET, list::OPTIONS_WIDTH, "Option bits."),
                ],
            },
            FormWord {
                name: "place",
                doc: "Where it lies, and whose messages it takes.",
                fields: &[
                    BitField::new("start", engine::LENGTH_OFFSET, engine::LENGTH_WIDTH, "Byte address."),
                    BitField::new(
                        "user",
                        engine::USER_OFFSET,
                        engine::USER_WIDTH,
                        "User; all ones for any.",
                    ),
                ],
            },
            word("length", "Length in bytes."),
            word(
                "min_free",
                "With MANAGE_LOCAL, the entry leaves when fewer bytes are left; 0 for never.",
            ),
            word("match_low", "Bits 31:0 of the match bits."),
            word("match_high", "Bits 63:32 of the match bits."),
            word("ignore_low", "Bits 31:0 of the match bits that do not count."),
            word("ignore_high", "Bits 63:32 of the match bits that do not count."),
            word("user_pointer", "The pointer that its events have."),
            word(
                "handle_address",
                "Address of the word to which its handle is written, in bytes.",
            ),
        ],
    },
    Form {
        name: "control",
        doc: "Control: of a portal index, word 1 is the last.",
        words_at_most: engine::VALUE_CONTROL_WORDS,
        words: &[
            FormWord {
                name: "what",
                doc: "What is done with what.",
                fields: &[
                    BitField::new(
                        "command",
                        engine::COMMAND_OFFSET,
                        engine::COMMAND_WIDTH,
                        "What is done.",
                    )
                    .codes(engine::ControlCommand::CODES),
                    BitField::new(
                        "index",
                        engine::INDEX_OFFSET,
                        engine::PORTAL_WIDTH,
                        "Counter or portal index.",
                    ),
                ],
            },
            word("success", "Successes."),
            word("failure", "Failures."),
        ],
    },
    Form {
        name: "send",
        doc: "Send.",
        words_at_most: streams::SEND_WORDS,
        words: &[
            word(
                "address",
                "Address of the first row in the memory of the node, in bytes.",
            ),
            FormWord {
                name: "shape",
                doc: "Rows.",
                fields: &streams::SHAPE,
            },
            FormWord {
                name: "step",
                doc: "From row to row.",
                fields: &streams::STEP,
            },
        ],
    },
    Form {
        name: "receive",
        doc: "Receive.",
        words_at_most: streams::RECEIVE_WORDS,
        words: &[
            word(
                "address",
                "Address of the first word in the memory of the node, in bytes.",
            ),
            word("length", "Most words of the fabric."),
        ],
    },
];
