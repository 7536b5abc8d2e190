//! Common parts of the memories: size and lanes, and their Verilog.

use portico_verilog::prelude::*;

/// Words of one LUT-RAM of an ECP5. A memory of more that does not name its style may become a block RAM.
const SHALLOW_WORDS: usize = 16;

/// Words of a memory, reached through an address port that may be wider than they need.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Size {
    words: usize,
    port_bits: usize,
}

impl Size {
    /// Panics unless an address of `port_bits` bits reaches all of `words` words.
    pub(super) fn new(words: usize, port_bits: usize) -> Self {
        let most = 1usize << port_bits;
        assert!(
            (1..=most).contains(&words),
            "memory: words = {words}, allowed with {port_bits} address bits: 1 to {most}"
        );
        Self { words, port_bits }
    }

    fn index_bits(self) -> usize {
        (self.words.next_power_of_two().trailing_zeros() as usize).max(1)
    }

    /// The word that an address reaches: bits beyond those that the words need do not count.
    pub(super) fn index(self, address: u64) -> usize {
        (address & ((1 << self.index_bits()) - 1)) as usize
    }

    /// The same in Verilog, as the index of an array.
    pub(super) fn verilog_index(self, port: &str) -> String {
        if self.index_bits() == self.port_bits {
            port.to_string()
        } else {
            format!("{port}[{}:0]", self.index_bits() - 1)
        }
    }

    /// Declaration of the array `memory`.
    pub(super) fn verilog_array(self, attributes: &str, width: usize) -> String {
        format!("{attributes}reg [{}:0] memory [0:{}];\n", width - 1, self.words - 1)
    }

    /// A LUT-RAM of `width` bits between these expressions, with the ports of [`LutRam`](super::LutRam).
    pub(super) fn verilog_lut_ram(self, width: usize, write_data: &str, read_data: &str) -> String {
        // A tool takes a deep memory for a block RAM by moving the registers of its address into it. A shallow one it takes
        // for a LUT-RAM unasked, and where the family has none, for flip-flops: asked for a LUT-RAM, it would refuse.
        let style = match self.words > SHALLOW_WORDS {
            true => "(* ram_style = \"distributed\" *) ",
            false => "",
        };
        format!(
            "\
{array}{unused}always @(posedge clk) begin
    if (write_enable) begin
        memory[{write}] <= {write_data};
    end
end
assign {read_data} = memory[{read}];
",
            array = self.verilog_array(style, width),
            unused = self.verilog_unused(&["write_address", "read_address"]),
            write = self.verilog_index("write_address"),
            read = self.verilog_index("read_address"),
        )
    }

    /// A block RAM of `width` bits with the ports of [`Ram`](super::Ram); `writes` are the statements that write it.
    pub(super) fn verilog_block_ram(self, width: usize, writes: &str) -> String {
        format!(
            "\
{array}{unused}always @(posedge clk) begin
{writes}    if (read_enable) begin
        read_data <= memory[{read}];
    end
end
",
            array = self.verilog_array("(* no_rw_check, ram_style = \"block\" *) ", width),
            unused = self.verilog_unused(&["write_address", "read_address"]),
            read = self.verilog_index("read_address"),
        )
    }

    /// Marks unused address bits as intended, for lint. Empty if all bits are used.
    pub(super) fn verilog_unused(self, ports: &[&str]) -> String {
        if self.index_bits() == self.port_bits {
            return String::new();
        }
        let range = format!("[{}:{}]", self.port_bits - 1, self.index_bits());
        let bits: Vec<String> = ports.iter().map(|port| format!("{port}{range}")).collect();
        format!("wire unused_address_bits = &{{1'b0, {}}};\n", bits.join(", "))
    }
}

/// Lanes of a word: bytes, or parts of nine bits as block RAMs have them too.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lanes {
    count: usize,
    bits: usize,
}

impl Lanes {
    /// Panics unless `width` is a multiple of `count`, which is 2 at least.
    pub(super) fn new(width: usize, count: usize) -> Self {
        assert!(
            count > 1 && width.is_multiple_of(count),
            "memory: width = {width} with {count} lanes, allowed: two lanes or more, of the same width"
        );
        Self {
            count,
            bits: width / count,
        }
    }

    /// `word`, with each lane taken from `data` if its bit in `lanes` is set.
    pub(super) fn merge<const W: usize, const B: usize>(
        self,
        mut word: Bits<W>,
        data: Bits<W>,
        lanes: Bits<B>,
    ) -> Bits<W> {
        if lanes.all() {
            return data;
        }
        for lane in (0..self.count).filter(|&lane| lanes.get_bit(lane)) {
            for bit in lane * self.bits..(lane + 1) * self.bits {
                word = word.replace_bit(bit, data.get_bit(bit));
            }
        }
        word
    }

    /// The same in Verilog: statements that write `memory[index]` from the port with prefix `prefix`.
    pub(super) fn verilog_writes(self, indent: &str, prefix: &str, index: &str) -> String {
        (0..self.count)
            .map(|lane| {
                let bits = format!("{}:{}", self.bits * (lane + 1) - 1, self.bits * lane);
                format!(
                    "\
{indent}if ({prefix}write_lanes[{lane}]) begin
{indent}    memory[{index}][{bits}] <= {prefix}write_data[{bits}];
{indent}end
"
                )
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_reaches_words_by_the_bits_they_need() {
        for (words, port_bits, index_bits) in [(1, 1, 1), (1, 4, 1), (2, 4, 1), (3, 4, 2), (16, 4, 4), (1000, 10, 10)] {
            let size = Size::new(words, port_bits);
            assert_eq!(size.index(u64::MAX), (1 << index_bits) - 1, "{words} words");
            let narrow = index_bits < port_bits;
            assert_eq!(
                size.verilog_index("a") == format!("a[{}:0]", index_bits - 1),
                narrow,
                "{words} words"
            );
            assert_eq!(
                size.verilog_unused(&["a"])
                    .contains(&format!("a[{}:{index_bits}]", port_bits - 1)),
                narrow
            );
        }
    }

    #[test]
    fn lanes_merge_byte_by_byte() {
        let merged = Lanes::new(32, 4).merge::<32, 4>(0x1122_3344.into(), 0xaabb_ccdd.into(), 0b0101.into());
        assert_eq!(merged, 0x11bb_33ddu64);
    }

    #[test]
    #[should_panic(expected = "memory: words = 17, allowed with 4 address bits: 1 to 16")]
    fn more_words_than_addresses_are_refused() {
        Size::new(17, 4);
    }

    #[test]
    #[should_panic(expected = "memory: words = 0, allowed with 4 address bits: 1 to 16")]
    fn no_words_are_refused() {
        Size::new(0, 4);
    }

    #[test]
    #[should_panic(expected = "memory: width = 36 with 5 lanes, allowed: two lanes or more, of the same width")]
    fn a_width_beside_the_lanes_is_refused() {
        Lanes::new(36, 5);
    }
}
