//! The words of descriptors, as data.

use crate::{
    mpe::call,
    ni::{
        command::{self, BARE_WORDS, MAX_DESCRIPTOR_WORDS},
        layout::BitField,
        packet::{ROW_WIDTH, STRIDE_OFFSET, STRIDE_WIDTH},
    },
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

/// Every form; a fence has word 0 alone.
pub const FORMS: [Form; 8] = [
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
        doc: "Barrier, which has word 1 alone; broadcast, reduce, allreduce.",
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
