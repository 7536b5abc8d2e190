//! Pages of memory nodes: where in external memory their words are.

use portico_spec::ni::page::{ALIGNMENT_WIDTH, HALF_BASE_WIDTH, PAGES};

use crate::{registers::PageRegister, Error, Fabric, Transport};

impl<T: Transport> Fabric<T> {
    /// Moves a page of a memory node: its words are then those of external memory from byte `base` on. Accesses that are on their
    /// way to the page reach the old place or the new one.
    ///
    /// ```
    /// use portico::{Config, Fabric, GoldenTransport};
    ///
    /// let config = Config { memories: 1, memory_address: 32, ..Config::default() }.fabric()?;
    /// let mut fabric = Fabric::open(GoldenTransport::new(&config)?)?;
    /// let memory = fabric.host_node() + 1;
    /// fabric.move_page(memory, 1, 0x4000_0000)?;
    /// let beyond = fabric.move_page(memory, 1, 0x1_0000_0000).unwrap_err();
    /// assert_eq!(
    ///     beyond.to_string(),
    ///     "page base 0x100000000 is not allowed with memory_address = 32: allowed is a multiple of 4096 up to 0xfff00000"
    /// );
    /// # Ok::<(), portico::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfRange`] of the page, [`Error::Misaligned`], [`Error::PageOutOfReach`] unless all of the page has addresses of
    /// the configured width, [`Error::NoMemoryNode`], [`Error::NoSuchNode`], [`Error::Timeout`], [`Error::Transport`].
    pub fn move_page(&mut self, node: usize, page: usize, base: u64) -> Result<(), Error> {
        self.check_node(node)?;
        if node <= self.port.host {
            return Err(Error::NoMemoryNode { node });
        }
        Error::check_range("page", page as u64, 0, PAGES as u64 - 1)?;
        let unit = 1 << ALIGNMENT_WIDTH;
        if !base.is_multiple_of(unit.into()) {
            return Err(Error::Misaligned {
                field: "base",
                value: base,
                unit,
            });
        }
        let (memory_address, last) = (self.config().memory_address, self.config().last_page_base());
        if base > last {
            return Err(Error::PageOutOfReach {
                base,
                memory_address,
                last,
            });
        }
        let halves = [
            (PageRegister::Low, base as u32),
            (PageRegister::High, (base >> HALF_BASE_WIDTH) as u32),
        ];
        self.poke_item(node, page, halves)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GoldenTransport;
    use portico_spec::Config;

    /// A fabric with words of `width` bits, its memory node, and the bytes of a page.
    fn memory(width: usize, memory_address: usize) -> (Fabric<GoldenTransport>, usize, u32) {
        let config = Config {
            cols: 2,
            rows: 1,
            width,
            memories: 1,
            memory_address,
            ..Config::default()
        };
        let config = config.fabric().unwrap();
        let fabric = Fabric::open(GoldenTransport::new(&config).unwrap()).unwrap();
        let node = fabric.host_node() + 1;
        let page_bytes = fabric.memory_bytes(node).unwrap() / PAGES as u32;
        (fabric, node, page_bytes)
    }

    #[test]
    fn all_of_a_page_has_addresses() {
        for (width, memory_address, last, allowed) in [
            (32, 32, 0xfff0_0000_u64, "up to 0xfff00000"),
            (64, 32, 0xffe0_0000, "up to 0xffe00000"),
            (32, 64, 0xffff_ffff_fff0_0000, "up to 0xfffffffffff00000"),
            (64, 64, 0xffff_ffff_ffe0_0000, "up to 0xffffffffffe00000"),
        ] {
            let (mut fabric, node, page_bytes) = memory(width, memory_address);
            fabric.move_page(node, 1, last).unwrap();
            fabric.write(node, page_bytes, &[5, 6]).unwrap();
            assert_eq!(fabric.read(node, page_bytes, 2).unwrap(), [5, 6]);
            let beyond = last + (1 << ALIGNMENT_WIDTH);
            let refused = fabric.move_page(node, 1, beyond).unwrap_err().to_string();
            let named = format!("page base {beyond:#x} is not allowed with memory_address = {memory_address}:");
            assert_eq!(refused, format!("{named} allowed is a multiple of 4096 {allowed}"));
            let far = fabric.move_page(node, 1, 1 << HALF_BASE_WIDTH);
            assert_eq!(far.is_ok(), memory_address == 64, "{far:?}");
        }
    }

    /// Past the driver, which refuses such bases: with 32 bits of address, a page stays where its low half says.
    #[test]
    fn a_high_half_counts_where_addresses_have_one() {
        for (memory_address, seen) in [(32, 7), (64, 0)] {
            let (mut fabric, node, page_bytes) = memory(32, memory_address);
            fabric.write(node, page_bytes, &[7]).unwrap();
            fabric.poke(node, PageRegister::High, 1, &[1]).unwrap();
            assert_eq!(fabric.read(node, page_bytes, 1).unwrap(), [seen], "{memory_address}");
        }
    }
}
