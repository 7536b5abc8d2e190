use super::TableAccessIn;
use crate::prim::Ram;
use portico_spec::{
    ni::registers::{PortalsRegister, PORTALS_FIELD_WIDTH},
    portals::engine::{LENGTH_WIDTH, NUMBER_WIDTH},
};
use portico_verilog::prelude::*;

/// Width of the place of a word: the memory descriptor above which of its four words.
const ROW_WIDTH: usize = NUMBER_WIDTH + 2;

/// Memory descriptors, as software writes them.
///
/// | | |
/// | --- | --- |
/// | latency | from `read` to `start` 3 cycles, to `size` 4, to `options` 5; they stay until the next read |
/// | throughput | a memory descriptor every 3 cycles |
/// | state | 64 memory descriptors in block RAM, the one that was read |
#[derive(LogicBlock, Default)]
pub struct MemoryDescriptors {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: nothing is being read.
    pub rst: Signal<In, Bit>,
    /// Accesses of software; its writes of memory descriptors take effect here.
    pub access: TableAccessIn,
    /// High for a cycle: a memory descriptor is read.
    pub read: Signal<In, Bit>,
    /// Its number; valid with `read`.
    pub index: Signal<In, Bits<NUMBER_WIDTH>>,
    /// Its start, in bytes.
    pub start: Signal<Out, Bits<LENGTH_WIDTH>>,
    /// Its length, in bytes.
    pub size: Signal<Out, Bits<LENGTH_WIDTH>>,
    /// Its options, with its counter and its event queue.
    pub options: Signal<Out, Bits<32>>,
    words: Ram<Bits<32>, ROW_WIDTH>,
    number: DFF<Bits<NUMBER_WIDTH>>,
    /// The word that is read: start, length, options; one behind the other.
    fetch: DFF<Bits<3>>,
    fetched: DFF<Bits<3>>,
    shown_start: DFF<Bits<LENGTH_WIDTH>>,
    shown_size: DFF<Bits<LENGTH_WIDTH>>,
    shown_options: DFF<Bits<32>>,
    row: Signal<Local, Bits<ROW_WIDTH>>,
    which: Signal<Local, Bits<2>>,
}

#[kernel]
impl Logic for MemoryDescriptors {
    fn update(&mut self) {
        wire!(self => words: clk);
        dff_setup!(
            self,
            clk,
            number,
            fetch,
            fetched,
            shown_start,
            shown_size,
            shown_options
        );

        // Software writes three words of the four.
        self.which.next =
            (self.access.number.val() - bits::<PORTALS_FIELD_WIDTH>(PortalsRegister::MdStart as u64)).get_bits::<2>(0);
        self.words.write_enable.next = self.access.write.val()
            & (self.access.number.val() >= bits::<PORTALS_FIELD_WIDTH>(PortalsRegister::MdStart as u64))
            & (self.access.number.val() <= bits::<PORTALS_FIELD_WIDTH>(PortalsRegister::MdOptions as u64))
            & !self.access.item.val().get_bits::<2>(NUMBER_WIDTH).any();
        self.words.write_address.next =
            field::<ROW_WIDTH, NUMBER_WIDTH>(self.access.item.val().get_bits::<NUMBER_WIDTH>(0), 2)
                | bit_cast::<ROW_WIDTH, 2>(self.which.val());
        self.words.write_data.next = self.access.data.val();

        // Reads.
        self.row.next = field::<ROW_WIDTH, NUMBER_WIDTH>(self.number.q.val(), 2);
        if self.fetch.q.val().get_bit(1) {
            self.row.next = self.row.val() | 1;
        }
        if self.fetch.q.val().get_bit(2) {
            self.row.next = self.row.val() | 2;
        }
        self.words.read_enable.next = self.fetch.q.val().any();
        self.words.read_address.next = self.row.val();
        self.fetch.d.next = self.fetch.q.val() << bits::<1>(1);
        if self.read.val() {
            self.number.d.next = self.index.val();
            self.fetch.d.next = 1.into();
        }
        self.fetched.d.next = self.fetch.q.val();
        if self.fetched.q.val().get_bit(0) {
            self.shown_start.d.next = self.words.read_data.val().get_bits::<LENGTH_WIDTH>(0);
        }
        if self.fetched.q.val().get_bit(1) {
            self.shown_size.d.next = self.words.read_data.val().get_bits::<LENGTH_WIDTH>(0);
        }
        if self.fetched.q.val().get_bit(2) {
            self.shown_options.d.next = self.words.read_data.val();
        }
        self.start.next = self.shown_start.q.val();
        self.size.next = self.shown_size.q.val();
        self.options.next = self.shown_options.q.val();
        if self.rst.val() {
            self.fetch.d.next = 0.into();
            self.fetched.d.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng};
    use portico_spec::portals::engine::DESCRIPTORS;
    use rand::Rng;
    use std::array::from_fn;

    clocked!([] MemoryDescriptors);

    /// A write of software to a register of a row.
    fn write(dut: &mut MemoryDescriptors, number: u64, item: u64, data: u64) {
        dut.access.write.next = true;
        dut.access.number.next = number.into();
        dut.access.item.next = item.into();
        dut.access.data.next = data.into();
        clock(dut);
        dut.access.write.next = false;
    }

    #[test]
    fn a_read_shows_what_was_written_last() {
        let mut rng = rng(0x3d35);
        let mut dut = reset(MemoryDescriptors::default());
        let first = PortalsRegister::MdStart as u64;
        let mut model: [[u64; 3]; DESCRIPTORS] = from_fn(|_| from_fn(|_| rng.gen::<u32>().into()));
        for (item, row) in model.iter().enumerate() {
            for (number, &word) in (first..).zip(row) {
                write(&mut dut, number, item as u64, word);
            }
        }
        let mut own = 0;
        for round in 0..4_000 {
            let (number, item) = (rng.gen_range(0..first + 5), rng.gen_range(0..4 * DESCRIPTORS as u64));
            let data = u64::from(rng.gen::<u32>());
            write(&mut dut, number, item, data);
            if item < DESCRIPTORS as u64 && (first..first + 3).contains(&number) {
                model[item as usize][(number - first) as usize] = data;
                own += 1;
            }
            let index = rng.gen_range(0..DESCRIPTORS);
            dut.index.next = (index as u64).into();
            dut.read.next = true;
            clock(&mut dut);
            dut.read.next = false;
            (0..4).for_each(|_| clock(&mut dut));
            let [start, size, options] = model[index];
            let shown = [
                dut.start.val().to_u64(),
                dut.size.val().to_u64(),
                dut.options.val().to_u64(),
            ];
            let within = |length: u64| length & ((1 << LENGTH_WIDTH) - 1);
            assert_eq!(shown, [within(start), within(size), options], "round {round}");
        }
        assert!((200..2_000).contains(&own), "{own}");
    }
}
