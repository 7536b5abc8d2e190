//! A page of documentation.

use super::{ENUMERATIONS, LAYOUTS};
use crate::{
    ni::{
        codes::Code,
        disassembler::disassemble,
        firmware::firmware,
        instruction::{Op, FIRMWARE_WORDS, PROGRAM_WORDS},
        layout::BitField,
        packet::{ControlKind, DataKind, MAX_MESSAGE_WORDS},
        registers::{byte, BlockMap, BASE_BYTES, BLOCK_OFFSET, MAP, SPACE_BYTES},
    },
    parts::Station,
    Config,
};

/// The page `docs/registers.md`: registers, packets, descriptors, codes, instructions, built-in programs. Addresses are
/// those of this configuration's width.
pub fn markdown(config: &Config) -> String {
    let mut page = format!(
        "# Registers and formats of the network interface

Generated from the tables in `sw/spec/src/ni`; a test holds this page to them. How it all works together is in
[network-interface.md](network-interface.md).

- [Registers](#registers)
- [Words](#words)
- [Packets](#packets)
- [Codes](#codes)
- [Descriptors](#descriptors)
- [Instructions](#instructions)
- [Built-in programs](#built-in-programs)

## Registers

The address space of a node has {space:#x} bytes: memory from 0, registers from {base:#x}. A register occupies one word of
the fabric and uses its low 32 bits; addresses below are for words of {width} bits, and offsets from {base:#x} double for
words of twice as many. RW: read and write. RO: read. WO: write, reads give 0. RC: read, any write clears. What is not
listed reads 0 and ignores writes. After reset all is 0 unless the table says otherwise.

A memory node has {memory:#x} bytes of memory for its pages, and its registers from {far:#x} on, in the same order.
",
        memory = config.memory_bytes_of(Station::Memory),
        far = config.registers_base_of(Station::Memory),
        space = SPACE_BYTES,
        base = BASE_BYTES,
        width = config.width,
    );
    MAP.iter().for_each(|map| page += &block(config, map));
    page += "\n## Words\n";
    for layout in LAYOUTS {
        page += &format!("\n### {}\n\n{}\n\n{FIELDS_HEAD}", title(layout.name), layout.doc);
        layout.fields.iter().for_each(|field| page += &field_row("", field));
    }
    page += &packets();
    page += "\n## Codes\n";
    for (name, codes) in ENUMERATIONS {
        page += &format!("\n### {}\n\n{}", title(name), table(codes));
    }
    page += &DESCRIPTORS.replace("MAX_MESSAGE_WORDS", &MAX_MESSAGE_WORDS.to_string());
    page += &instructions();
    page + &programs()
}

const FIELDS_HEAD: &str = "| bits | field | meaning |\n| --- | --- | --- |\n";

fn title(name: &str) -> String {
    let name = name.replace('_', " ");
    let (first, rest) = name.split_at(1);
    first.to_uppercase() + rest
}

fn bits(field: &BitField) -> String {
    match field.width {
        1 => field.offset.to_string(),
        width => format!("{}:{}", field.offset + width - 1, field.offset),
    }
}

fn field_row(before: &str, field: &BitField) -> String {
    let reset = match field.reset {
        0 => String::new(),
        reset => format!(" After reset {reset:#x}."),
    };
    format!("|{before} {} | {} | {}{reset} |\n", bits(field), field.name, field.doc)
}

fn block(config: &Config, map: &BlockMap) -> String {
    let mut stations = Station::ALL.into_iter();
    let station = stations
        .find(|station| station.has_block(map.block))
        .expect("a block has an owner");
    let first = byte(config, station, (map.block as usize) << BLOCK_OFFSET);
    let stride = (config.width / 8) << map.number_width;
    let place = match map.items {
        1 => format!("At {first:#x}."),
        items => format!("{items} times: {} i at {first:#x} + {stride:#x} * i.", map.item),
    };
    let mut text = format!(
        "\n### Block {}: {}\n\n{} {place}\n\n| offset | register | access | bits | field | meaning |\n\
         | --- | --- | --- | --- | --- | --- |\n",
        map.block as usize,
        map.block.name(),
        map.doc
    );
    for register in map.registers {
        let offset = register.number * config.width / 8;
        text += &format!(
            "| {offset:#x} | {} | {} | | | {} |\n",
            register.name,
            register.access.abbreviation(),
            register.doc
        );
        for field in register.fields {
            let access = field
                .access
                .map_or(String::new(), |access| format!(" {}", access.abbreviation()));
            text += &field_row(&format!(" | |{access} |"), field);
        }
    }
    text
}

fn table(codes: &[Code]) -> String {
    let rows = codes.iter();
    let rows = rows.map(|code| format!("| {} | {} | {} |\n", code.code, code.name, code.meaning));
    "| code | name | meaning |\n| --- | --- | --- |\n".to_string() + &rows.collect::<String>()
}

/// Tag, and the words after the head.
fn data_format(kind: DataKind) -> (&'static str, &'static str) {
    match kind {
        DataKind::Put => ("window", "address, geometry if strided, 0 to 64 words"),
        DataKind::Reply => (
            "slot of the requester",
            "address (in the requester's memory), geometry if strided, 0 to 64 words",
        ),
        DataKind::Stream => ("window in pointer mode", "0 to 64 words"),
        DataKind::Atomic => ("window", "address, operands of 32 bits each, low half first"),
        DataKind::Message => ("window in queue mode", "word 0 of the descriptor, 0 to 62 words"),
        DataKind::Collective => (
            "context, place in the list",
            "1 to 32 words; of a call's first packet on an edge the first is the call word. Bit 30 of the head: away from the root, \
             bit 31: with a call word",
        ),
        DataKind::Portals => (
            "rank of the sender; of a reply the slot",
            "of a put 7 words and 0 to 25 of payload, of a get 5, of a reply 2 and 1 to 30; of a later packet of a message 1 to \
             32. Bit 30 of the head: a reply, bit 31: the first packet of its message",
        ),
        DataKind::Probe => ("content", "sequence number, time stamp, 0 to 62 words of content"),
    }
}

fn control_format(kind: ControlKind) -> (&'static str, &'static str) {
    match kind {
        ControlKind::Ack => ("slot", ""),
        ControlKind::Refuse => ("slot", "error code"),
        ControlKind::Value => ("slot", "low word, high word"),
        ControlKind::Mail => ("mailbox", "low word, high word"),
        ControlKind::Get => (
            "window",
            "address (in the requester's memory), then of its descriptor: w1 in words, w3, w4 with halves swapped, and for \
             planes w5, w6 with halves swapped",
        ),
        ControlKind::Credit => ("the sender's segment handle", ""),
        ControlKind::Collective => (
            "context, place in the list; bit 6 a go, bit 7 a token, neither a credit",
            "bits 31:30 of the head: of a token or a go the low bits of the number of its call",
        ),
        ControlKind::Portals => (
            "rank of the sender; of an answer the slot",
            "bits 31:30 of the head: 0 credit of a request, 1 credit of a reply, 2 answer: status, and the offset used of a get and \
             a full acknowledgement",
        ),
    }
}

fn packets() -> String {
    let row = |code: &Code, (tag, words): (&str, &str)| format!("| {} {} | {tag} | {words} |\n", code.code, code.name);
    let head = "| kind | tag | words after the head |\n| --- | --- | --- |\n";
    let mut text = format!("\n## Packets\n\nOn the data plane, flits of the fabric's width:\n\n{head}");
    for (code, &kind) in DataKind::CODES.iter().zip(DataKind::ALL) {
        text += &row(code, data_format(kind));
    }
    text += &format!("\nOn the control plane, flits of 32 bits:\n\n{head}");
    for (code, &kind) in ControlKind::CODES.iter().zip(ControlKind::ALL) {
        text += &row(code, control_format(kind));
    }
    text
}

const DESCRIPTORS: &str = "
## Descriptors

Word 0 is [above](#descriptor). Of two values in a word, the first is in bits 31:16. Offsets and addresses are in bytes
and whole words; rows and strides are in words of the fabric.

| opcode | words | w1 | w2 | w3 | w4 | w5 | w6 |
| --- | --- | --- | --- | --- | --- | --- | --- |
| put, get | 4, 5, 7 | remote offset | local address | rows, row | remote stride, local stride | planes (15:0) | remote plane stride, local plane stride |
| stream | 4, 5 | 0 | local address | rows, row | 0, local stride | | |
| enqueue | 4 | 0 | local address | 1, words 0 to MAX_MESSAGE_WORDS | | | |
| atomic | 2 to 6 | remote offset | operands of 32 bits each, low half first | | | | |
| mail | 4 | mailbox, node: [above](#descriptor-mail) | low word | high word | | | |
| fence | 2 | 0 | | | | | |
| program | 2 to 16 | first instruction | registers 2 and up | | | | |
| barrier | 2 | call: [above](#descriptor-call) | | | | | |
| broadcast, reduce, allreduce | 5 | call: [above](#descriptor-call) | words | source address | result address | | |
| probe | 6 | destination: [above](#descriptor-probe-target) | words of a packet | packets | rate | seed | |
| send | 4 | address | rows, row | each row (16), stride (15:0) | | | |
| receive | 3 | address | most words | | | | |

Four words of a put or get are one row: rows is 1. Nothing is moved if rows, row or planes is 0, but the transfer ends.
A send or receive of no words is malformed.
";

fn instructions() -> String {
    let syntax = |op: Op| match op {
        Op::Stop | Op::Credit | Op::Fence => "",
        Op::Set | Op::Add | Op::Shape => "a, b",
        Op::Loop | Op::Wait => "b",
        Op::To => "a",
        Op::Run => "a, +b, close, last, stop",
        Op::Word => "a, swap, close, last, stop",
        Op::Close => "last, stop",
        Op::Notify => "b, or own",
    };
    let mut text = "\n## Instructions\n\nOperand a is a register r0 to r15; b is a register, a half of one (r3.l, r3.h), or an \
                    immediate (of run: a register or a half, or left out). The last instruction of a loop's body has `!end`, \
                    or `!end2` to `!end4` where several loops end.\n\n| op | syntax | meaning |\n| --- | --- | --- |\n"
        .to_string();
    for (code, &op) in Op::CODES.iter().zip(Op::ALL) {
        let syntax = format!("{} {}", code.name, syntax(op));
        text += &format!("| {} | `{}` | {} |\n", code.code, syntax.trim_end(), code.meaning);
    }
    text
}

fn programs() -> String {
    let firmware = firmware();
    let named = firmware.entries.named();
    let mut text = format!(
        "\n## Built-in programs\n\nAddresses 0 to {}; programs of the user's own are at {FIRMWARE_WORDS} to {}.\n\n```asm\n",
        FIRMWARE_WORDS - 1,
        PROGRAM_WORDS - 1
    );
    let listing = disassemble(&firmware.words).expect("the built-in programs are right");
    for (at, line) in listing.lines().enumerate() {
        for (name, _) in named.iter().filter(|(_, entry)| usize::from(*entry) == at) {
            text += &format!("; {name}\n");
        }
        text += &format!("{at:>4}  {:08x}  {line}\n", firmware.words[at]);
    }
    text + "```\n"
}
