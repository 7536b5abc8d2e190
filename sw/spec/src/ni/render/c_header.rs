//! A C header.

use super::{ENUMERATIONS, LAYOUTS};
use crate::{
    ni::{
        firmware::firmware,
        instruction::{FIRMWARE_WORDS, PROGRAM_WORDS},
        layout::BitField,
        packet::MAX_MESSAGE_WORDS,
        registers::{byte, BlockMap, Register, BASE_BYTES, BLOCK_OFFSET, MAP, SPACE_BYTES},
    },
    parts::Station,
    Config,
};

/// A header for C and C++ with everything that software needs to speak to a network interface of this width: addresses
/// of registers in the address space of a node, fields, and codes. It includes nothing. Addresses are in bytes; those of
/// registers that there are several of take the number of the item; a field has a shift and, in place, a mask. Registers of a
/// memory node lie elsewhere and have names of their own; fields and codes are the same at all nodes.
pub fn c_header(config: &Config) -> String {
    let mut header = Header::default();
    header.text += "/* Registers and words of Portico's network interface. Generated: edit sw/spec instead. */\n";
    header.text += "#ifndef PORTICO_NI_H\n#define PORTICO_NI_H\n";

    header.section("The fabric");
    for (name, number, doc) in [
        ("width", config.width, "Bits of a word."),
        (
            "word_bytes",
            config.width / 8,
            "Bytes of a word: the distance of registers.",
        ),
        ("space_bytes", SPACE_BYTES, "Address space of a node."),
        (
            "registers",
            BASE_BYTES,
            "Where the registers of a tile or the host begin.",
        ),
        (
            "memory_node_registers",
            config.registers_base_of(Station::Memory) as usize,
            "Where those of a memory node begin.",
        ),
        ("max_message_words", MAX_MESSAGE_WORDS, "Longest message of a queue."),
        ("program_words", PROGRAM_WORDS, "Places of the program memory."),
        (
            "firmware_words",
            FIRMWARE_WORDS,
            "Of them, those of the built-in programs.",
        ),
    ] {
        header.define(name, &format!("{number:#x}u"), doc);
    }
    for map in MAP {
        header.block(config, map);
    }
    for layout in LAYOUTS {
        header.section(layout.doc.trim_end_matches('.'));
        header.fields(layout.name, layout.fields);
    }
    for (prefix, codes) in ENUMERATIONS {
        header.section(&format!("Codes: {}", prefix.replace('_', " ")));
        for code in codes {
            header.define(
                &format!("{prefix}_{}", code.name),
                &format!("{}u", code.code),
                code.meaning,
            );
        }
    }
    header.section("Where the built-in programs begin");
    for (name, at) in firmware().entries.named() {
        header.define(&format!("entry_{name}"), &format!("{at}u"), "");
    }
    header.text += "\n#endif\n";
    header.text
}

#[derive(Default)]
struct Header {
    text: String,
}

impl Header {
    fn section(&mut self, title: &str) {
        self.text += &format!("\n/* {title}. */\n");
    }

    fn define(&mut self, name: &str, value: &str, doc: &str) {
        let name = name.to_uppercase();
        // A parameter of a macro keeps its small letters.
        let name = match name.split_once('(') {
            Some((name, parameter)) => format!("{name}({}", parameter.to_lowercase()),
            None => name,
        };
        self.text += &format!("#define PORTICO_{name} {value}");
        self.text += &if doc.is_empty() {
            "\n".to_string()
        } else {
            format!(" /* {doc} */\n")
        };
    }

    fn block(&mut self, config: &Config, map: &BlockMap) {
        let at: Vec<&str> = Station::ALL
            .into_iter()
            .filter(|station| station.has_block(map.block))
            .map(|station| match station {
                Station::Tile => "tiles",
                Station::Host => "the host",
                Station::Memory => "memory nodes",
            })
            .collect();
        self.section(&format!(
            "Block {}, at {}: {}",
            map.block.name(),
            at.join(", "),
            map.doc.trim_end_matches('.')
        ));
        if map.items > 1 {
            let name = format!("{}_items", map.block.name());
            self.define(&name, &format!("{:#x}u", map.items), "How many there are.");
        }
        for register in map.registers {
            let name = register_name(map, register.name);
            // The first address tells what the register is.
            let mut doc = format!("{}: {}", register.access.abbreviation(), register.doc);
            for (station, prefix) in [(Station::Tile, ""), (Station::Memory, "memory_node_")] {
                if station.has_block(map.block) {
                    let doc = std::mem::take(&mut doc);
                    self.address(config, map, register, station, &format!("{prefix}{name}"), &doc);
                }
            }
            if register.fields.len() > 1 || register.fields[0].width < 32 {
                self.fields(&name, register.fields);
            }
        }
    }

    /// Where a register is at nodes of a kind. Those of a tile and the host are in the same place.
    fn address(
        &mut self,
        config: &Config,
        map: &BlockMap,
        register: &Register,
        station: Station,
        name: &str,
        doc: &str,
    ) {
        let index = (map.block as usize) << BLOCK_OFFSET | register.number;
        let first = byte(config, station, index);
        if map.items == 1 {
            return self.define(name, &format!("{first:#x}u"), doc);
        }
        let stride = (config.width / 8) << map.number_width;
        let address = format!("({first:#x}u + {stride:#x}u * ({}))", map.item);
        self.define(&format!("{name}({})", map.item), &address, doc);
    }

    fn fields(&mut self, owner: &str, fields: &[BitField]) {
        for field in fields {
            let name = format!("{owner}_{}", field.name);
            self.define(&format!("{name}_shift"), &format!("{}u", field.offset), field.doc);
            self.define(&format!("{name}_mask"), &format!("{:#x}u", field.mask()), "");
        }
    }
}

/// By the item, or by the block where an item is but a register.
fn register_name(map: &BlockMap, register: &str) -> String {
    let owner = if map.items == 1 || map.registers.len() == 1 {
        map.block.name()
    } else {
        map.item
    };
    format!("{owner}_{register}")
}
