//! Memory bits of an emitted design: its arrays, as often as their modules are instantiated.

use portico_verilog::Design;

/// Bits of all memories in the design.
pub fn memory_bits(design: &Design) -> u64 {
    bits_of(design, &design.top)
}

fn bits_of(design: &Design, name: &str) -> u64 {
    let Some(module) = design.modules.iter().find(|module| module.name == name) else {
        return 0;
    };
    let lines = module.text.lines().map(str::trim);
    lines
        .map(|line| match array_bits(line) {
            Some(bits) => bits,
            None => line.split_once(' ').map_or(0, |(child, _)| bits_of(design, child)),
        })
        .sum()
}

/// Bits of `reg [7:0] memory [0:63];`.
fn array_bits(line: &str) -> Option<u64> {
    let (_, declared) = line.split_once("reg [")?;
    let (width, rest) = declared.split_once(":0] memory [0:")?;
    let (last, _) = rest.split_once("];")?;
    Some((width.parse::<u64>().ok()? + 1) * (last.parse::<u64>().ok()? + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_read() {
        assert_eq!(array_bits("(* no_rw_check *) reg [15:0] memory [0:63];"), Some(1024));
        assert_eq!(array_bits("reg [15:0] value;"), None);
    }
}
