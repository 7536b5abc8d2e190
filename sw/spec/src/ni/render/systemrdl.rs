//! SystemRDL 2.0 (Accellera, January 2018).

use super::{Naming, ENUMERATIONS};
use crate::{
    ni::{
        codes::Code,
        layout::{Access, BitField},
        registers::{byte, BlockMap, ControlRegister, Place, Register, BLOCK_OFFSET, MAP},
    },
    parts::Station,
    Config,
};

/// The address spaces of a tile, the host and a memory node, an `addrmap` each: the memory and, as arrays of `regfile`s, the
/// registers of all blocks that such a node has in this fabric. A register is as wide as a word of the fabric.
pub fn systemrdl(config: &Config, naming: &Naming) -> String {
    let mut writer = Writer {
        text: String::new(),
        depth: 0,
        prefix: naming.prefix.into(),
    };
    writer.line(&format!("// {}. Generated: edit sw/spec instead.", naming.about()));
    let used = |codes: &[Code]| fields().any(|field| field.codes == codes);
    for (name, codes) in ENUMERATIONS.into_iter().filter(|(_, codes)| used(codes)) {
        writer.enumeration(name, codes);
    }
    for (station, name) in [
        (Station::Tile, "Portico: a tile"),
        (Station::Host, "Portico: the host's node"),
        (Station::Memory, "Portico: a memory node"),
    ] {
        writer.node(config, station, name);
    }
    writer.text
}

fn fields() -> impl Iterator<Item = &'static BitField> {
    let registers = MAP.iter().flat_map(|map| map.registers);
    registers.flat_map(|register| register.fields)
}

struct Writer {
    text: String,
    depth: usize,
    /// Of all global names.
    prefix: String,
}

impl Writer {
    fn line(&mut self, line: &str) {
        let indent = if line.is_empty() { 0 } else { 4 * self.depth };
        self.text += &format!("{:indent$}{line}\n", "");
    }

    fn open(&mut self, what: &str) {
        self.line(&format!("{what} {{"));
        self.depth += 1;
    }

    fn close(&mut self, instance: &str) {
        self.depth -= 1;
        self.line(&format!("}}{instance};"));
    }

    fn property(&mut self, name: &str, value: &str) {
        self.line(&format!(
            "{name} = \"{}\";",
            value.replace('\\', "\\\\").replace('"', "\\\"")
        ));
    }

    /// Fields in which 0 is no code are 0 for none of them.
    fn enumeration(&mut self, name: &str, codes: &[Code]) {
        self.open(&format!("enum {}_{name}", self.prefix));
        if codes.iter().all(|code| code.code != 0) {
            self.line("none = 0;");
        }
        for code in codes {
            self.line(&format!(
                "{} = {} {{ desc = \"{}\"; }};",
                code.name, code.code, code.meaning
            ));
        }
        self.close("");
    }

    fn node(&mut self, config: &Config, station: Station, name: &str) {
        self.line("");
        self.open(&format!("addrmap {}_{}", self.prefix, station.name()));
        self.property("name", name);
        for property in ["regwidth", "accesswidth"] {
            self.line(&format!("default {property} = {};", config.width));
        }
        self.line("");
        self.open("external mem");
        self.property("desc", "Memory of the node.");
        self.line(&format!("memwidth = {};", config.width));
        let words = config.memory_bytes_of(station) as usize * 8 / config.width;
        self.line(&format!("mementries = {words};"));
        self.line("sw = rw;");
        self.close(" memory @ 0x0");
        for map in MAP {
            self.block(config, station, map);
        }
        self.close("");
    }

    fn block(&mut self, config: &Config, station: Station, map: &BlockMap) {
        let items = station.items(&config.build_at(station), map.block);
        if items == 0 {
            return;
        }
        let word = config.width / 8;
        let first = byte(config, station, (map.block as usize) << BLOCK_OFFSET);
        let stride = word << map.number_width;
        let repeated = format!("[{items}] @ {first:#x} += {stride:#x}");
        self.line("");
        if map.number_width == 0 {
            self.register(&map.registers[0], &format!(" {}{repeated}", map.block.name()), map.doc);
            return;
        }
        self.open("regfile");
        self.property("desc", map.doc);
        for register in map.registers {
            let place = format!(" {} @ {:#x}", register.name, word * register.number);
            self.register(register, &place, register.doc);
        }
        let place = match map.items {
            1 => format!(" {} @ {first:#x}", map.item),
            _ => format!(" {}{repeated}", map.item),
        };
        self.close(&place);
    }

    fn register(&mut self, register: &Register, instance: &str, doc: &str) {
        self.open("reg");
        self.property("desc", doc);
        for field in register.fields {
            let (software, hardware) = match field.access.unwrap_or(register.access) {
                Access::ReadWrite => ("sw = rw;", "hw = rw;"),
                Access::ReadOnly if is_identity(field) => ("sw = r;", "hw = na;"),
                Access::ReadOnly => ("sw = r;", "hw = w;"),
                Access::WriteOnly => ("sw = w;", "hw = r;"),
                Access::Clear => ("sw = rw; onwrite = wclr;", "hw = rw;"),
            };
            self.open("field");
            self.property("desc", field.doc);
            self.line(&format!("{software} {hardware}"));
            if let Some((name, _)) = ENUMERATIONS.iter().find(|(_, codes)| *codes == field.codes) {
                self.line(&format!("encode = {}_{name};", self.prefix));
            }
            let (high, low) = (field.offset + field.width - 1, field.offset);
            self.close(&format!(" {}[{high}:{low}] = {:#x}", field.name, field.reset));
        }
        self.close(instance);
    }
}

/// Fields that are constants.
fn is_identity(field: &BitField) -> bool {
    let identity = ControlRegister::REGISTERS[ControlRegister::Id.number()].fields;
    identity.iter().any(|constant| constant.name == field.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ni::registers::BASE_BYTES;

    const NAMING: Naming = Naming {
        prefix: "portico",
        generator: "Test",
        hash: "0123abcd",
    };

    #[test]
    fn registers_follow_the_memory() {
        let config = Config::default();
        let text = systemrdl(&config, &NAMING);
        assert!(text.contains("mementries = 16384;"));
        assert!(text.contains(&format!("}} control @ {BASE_BYTES:#x};")));
        assert!(text.contains("mementries = 2097152;") && text.contains("} control @ 0x800000;"));
        assert!(text.contains("} event[64] @ 0x88000 += 0x20;"));
        let wide = systemrdl(&Config { width: 64, ..config }, &NAMING);
        assert!(wide.contains("mementries = 8192;"));
        assert!(wide.contains("} event[64] @ 0x90000 += 0x40;"));
    }
}
