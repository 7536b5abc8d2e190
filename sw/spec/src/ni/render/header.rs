//! A C header, and the same names as macros of Verilog.

use super::{Naming, ENUMERATIONS, LAYOUTS};
use crate::{
    flit::X_WIDTH,
    ni::{
        descriptor::{Form, FORMS},
        firmware::firmware,
        instruction::{FIRMWARE_WORDS, PROGRAM_WORDS},
        layout::BitField,
        packet::MAX_MESSAGE_WORDS,
        registers::{byte, BlockMap, Register, BASE_BYTES, BLOCK_OFFSET, MAP, SPACE_BYTES},
        window::SYSTEM_WINDOW,
    },
    parts::Station,
    Config,
};
use std::fmt::Display;

/// A header for C and C++ with everything that software needs to speak to the network interfaces of this fabric: what its nodes
/// are and have, addresses of registers in the address space of a node, fields, words of descriptors, and codes. It includes
/// nothing. Addresses are in bytes; those of registers that there are several of take the number of the item; a field has a shift
/// and, in place, a mask. Registers of a memory node lie elsewhere and have names of their own; fields and codes are the same at
/// all nodes. A block that no node has is left out.
///
/// A second header with the same prefix in one file has no effect if its configuration is the same, and is an error that tells both
/// otherwise.
///
/// # Panics
/// The configuration is not valid.
pub fn c_header(config: &Config, naming: &Naming) -> String {
    let (prefix, hash) = (naming.prefix.to_uppercase(), naming.hash);
    let header = Header {
        text: format!(
            "\
/* {about}. Generated: edit sw/spec instead. */
#ifdef {prefix}_CONFIGURATION
#if {prefix}_CONFIGURATION != 0x{hash}u
#pragma message (\"included before: configuration \" {prefix}_CONFIGURATION_NAME)
#error \"{prefix} names the registers of two fabrics: this is configuration {hash}; give one of them another --prefix\"
#endif
#else
",
            about = naming.about(),
        ),
        prefix,
        language: Language::C,
    };
    header.filled(config, naming) + "\n#endif\n"
}

/// A file for Verilog's `include` with the names and values of [`c_header`], as macros.
///
/// It has no guard: a tool that meets two files with one prefix tells a macro that changes.
///
/// # Panics
/// The configuration is not valid.
pub fn verilog_header(config: &Config, naming: &Naming) -> String {
    let header = Header {
        text: format!("// {}. Generated: edit sw/spec instead.\n", naming.about()),
        prefix: naming.prefix.to_uppercase(),
        language: Language::Verilog,
    };
    header.filled(config, naming)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    C,
    Verilog,
}

struct Header {
    text: String,
    /// Of all names, in capital letters.
    prefix: String,
    language: Language,
}

impl Header {
    /// The whole text.
    fn filled(mut self, config: &Config, naming: &Naming) -> String {
        let config = &config.fabric().expect("a valid configuration");
        let hash = naming.hash;
        self.section("The fabric");
        self.define("configuration", &self.literal(hash), "Hash, as in the Verilog.");
        self.define("configuration_name", &format!("\"{hash}\""), "The same as text.");
        self.define("generator", &format!("\"{}\"", naming.generator), "");
        for (name, number, doc) in [
            ("width", config.width, "Bits of a word."),
            (
                "word_bytes",
                config.width / 8,
                "Bytes of a word: the distance of registers.",
            ),
            ("cols", config.cols, "Columns of tiles."),
            ("rows", config.rows, "Rows of tiles."),
            ("tiles", config.tiles(), "Tiles."),
            ("memory_nodes", config.memories, "Memory nodes."),
            (
                "host_node",
                config.host_node().number().into(),
                "Number of the host's node.",
            ),
        ] {
            self.define(name, &self.hex(number), doc);
        }
        self.define(
            "tile_node(x, y)",
            &format!("((x) | (y) << {X_WIDTH})"),
            "Number of a tile: column and row from 0 on.",
        );
        self.define(
            "memory_node(memory)",
            &format!(
                "({} + (memory))",
                self.hex(usize::from(config.host_node().number()) + 1)
            ),
            "Number of a memory node, from 0 on.",
        );

        self.section("What tiles are built with");
        let build = config.build();
        for (name, number, doc) in [
            (
                "memory_bytes",
                config.memory_bytes_of(Station::Tile) as usize,
                "Memory of a tile.",
            ),
            ("cores", build.cores, "Micro-cores."),
            ("slots", build.slots, "Transactions under way at once."),
            ("has_monitors", build.monitors.into(), "Counters."),
            ("has_queues", build.queues.into(), "Messages."),
            ("has_programs", build.programs.into(), "Programs of the user's."),
            ("has_wide_atomics", build.wide_atomics.into(), "Atomics of two words."),
            ("has_commands", build.commands.into(), "A stream of descriptors."),
            ("has_tile_ports", build.tile_ports.into(), "An AXI4-Lite port."),
            ("has_probe", build.probe.into(), "The source/sink core."),
            (
                "has_streams",
                build.streams.into(),
                "Streams of words out of and into the memory.",
            ),
            (
                "mpe_contexts",
                build.mpe,
                "Contexts of the message-passing engine, 0 without it.",
            ),
            (
                "mpe_neighbours",
                if build.mpe > 0 { config.mpe_neighbours } else { 0 },
                "Neighbours of a context.",
            ),
            (
                "system_window",
                SYSTEM_WINDOW,
                "Window over the whole address space of a node, open after reset.",
            ),
            ("space_bytes", SPACE_BYTES, "Address space of a tile or the host."),
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
            self.define(name, &self.hex(number), doc);
        }
        self.section("What the host is built with");
        let build = config.build_at(Station::Host);
        for (name, number, doc) in [
            (
                "host_memory_bytes",
                config.memory_bytes_of(Station::Host) as usize,
                "Memory of the host.",
            ),
            ("host_cores", build.cores, "Micro-cores."),
            ("host_slots", build.slots, "Transactions under way at once."),
            ("host_has_queues", build.queues.into(), "Messages."),
            ("host_has_programs", build.programs.into(), "Programs of the user's."),
            (
                "host_has_wide_atomics",
                build.wide_atomics.into(),
                "Atomics of two words.",
            ),
        ] {
            self.define(name, &self.hex(number), doc);
        }
        for map in MAP {
            self.block(config, map);
        }
        for form in FORMS {
            self.form(&form);
        }
        for layout in LAYOUTS {
            self.section(layout.doc.trim_end_matches('.'));
            self.fields(layout.name, layout.fields);
        }
        for (prefix, codes) in ENUMERATIONS {
            self.section(&format!("Codes: {}", prefix.replace('_', " ")));
            for code in codes {
                self.define(
                    &format!("{prefix}_{}", code.name),
                    &self.decimal(code.code),
                    code.meaning,
                );
            }
        }
        self.section("Where the built-in programs begin");
        for (name, at) in firmware().entries.named() {
            self.define(&format!("entry_{name}"), &self.decimal(at), "");
        }
        self.text
    }

    fn comment(&self, text: &str) -> String {
        match self.language {
            Language::C => format!("/* {text} */"),
            Language::Verilog => format!("// {text}"),
        }
    }

    /// A number without a sign, by its hexadecimal digits.
    fn literal(&self, digits: &str) -> String {
        match self.language {
            Language::C => format!("0x{digits}u"),
            Language::Verilog => format!("'h{digits}"),
        }
    }

    fn hex(&self, number: usize) -> String {
        self.literal(&format!("{number:x}"))
    }

    fn decimal(&self, number: impl Display) -> String {
        match self.language {
            Language::C => format!("{number}u"),
            Language::Verilog => number.to_string(),
        }
    }

    fn section(&mut self, title: &str) {
        let title = self.comment(&format!("{title}."));
        self.text += &format!("\n{title}\n");
    }

    fn define(&mut self, name: &str, value: &str, doc: &str) {
        let name = name.to_uppercase();
        // A parameter of a macro keeps its small letters.
        let name = match name.split_once('(') {
            Some((name, parameter)) => format!("{name}({}", parameter.to_lowercase()),
            None => name,
        };
        let define = match self.language {
            Language::C => "#define",
            Language::Verilog => "`define",
        };
        self.text += &format!("{define} {}_{name} {value}", self.prefix);
        self.text += &match doc.is_empty() {
            true => "\n".to_owned(),
            false => format!(" {}\n", self.comment(doc)),
        };
    }

    fn block(&mut self, config: &Config, map: &BlockMap) {
        let items = |station: Station| station.items(&config.build_at(station), map.block);
        let at: Vec<Station> = Station::ALL.into_iter().filter(|&station| items(station) > 0).collect();
        if at.is_empty() {
            return;
        }
        let kinds = at.iter().map(|station| match station {
            Station::Tile => "tiles",
            Station::Host => "the host",
            Station::Memory => "memory nodes",
        });
        self.section(&format!(
            "Block {}, at {}: {}",
            map.block.name(),
            kinds.collect::<Vec<_>>().join(", "),
            map.doc.trim_end_matches('.')
        ));
        for &station in at.iter().filter(|_| map.items > 1) {
            let (of, doc) = match station {
                Station::Tile => ("", "How many a tile has."),
                Station::Host => ("host_", "How many the host has."),
                Station::Memory => ("memory_node_", "How many a memory node has."),
            };
            let name = format!("{of}{}_items", map.block.name());
            self.define(&name, &self.hex(items(station)), doc);
        }
        for register in map.registers {
            let name = register_name(map, register.name);
            // The first address tells what the register is.
            let mut doc = format!("{}: {}", register.access.abbreviation(), register.doc);
            for (station, prefix) in [(Station::Tile, ""), (Station::Memory, "memory_node_")] {
                if at.contains(&station) {
                    let doc = std::mem::take(&mut doc);
                    self.address(config, map, register, station, &format!("{prefix}{name}"), &doc);
                }
            }
            if register.fields.len() > 1 || register.fields[0].width < 32 {
                self.fields(&name, register.fields);
            }
        }
    }

    /// The words of a descriptor behind word 0, by their places.
    fn form(&mut self, form: &Form) {
        self.section(&format!("Words of descriptors: {}", form.doc.trim_end_matches('.')));
        self.define(
            &format!("{}_descriptor_words", form.name),
            &self.decimal(form.words_at_most),
            "Words at most, word 0 among them.",
        );
        for (word, at) in form.words.iter().zip(1..) {
            let name = format!("{}_{}", form.name, word.name);
            self.define(&format!("{name}_word"), &self.decimal(at), word.doc);
            self.fields(&name, word.fields);
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
            return self.define(name, &self.hex(first), doc);
        }
        let stride = (config.width / 8) << map.number_width;
        let address = format!("({} + {} * ({}))", self.hex(first), self.hex(stride), map.item);
        self.define(&format!("{name}({})", map.item), &address, doc);
    }

    fn fields(&mut self, owner: &str, fields: &[BitField]) {
        for field in fields {
            let name = format!("{owner}_{}", field.name);
            self.define(&format!("{name}_shift"), &self.decimal(field.offset), field.doc);
            self.define(&format!("{name}_mask"), &self.hex(field.mask() as usize), "");
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
