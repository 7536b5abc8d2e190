use crate::{
    bus::{AddressMatch, RegisterWriteIn},
    prim::Ram,
};
use portico_spec::{
    flit::TAG_WIDTH,
    ni::{
        packet::OFFSET_WIDTH,
        registers::{Block as Registers, TagRegister, FIELD_WIDTH},
        window::{Mode, MODE_OFFSET, MODE_WIDTH, WINDOWS},
    },
};
use portico_verilog::prelude::*;

/// Byte lanes of base, size and mode.
const LANES: usize = 7;
const ENTRY: usize = 8 * LANES;
const SIZE_AT: usize = 24;
const MODE_AT: usize = 48;

/// What the server must know of this node's windows: a copy of some fields of the tags.
///
/// The windows, by tag.
///
/// | | |
/// | --- | --- |
/// | latency | lookup: 1 cycle |
/// | throughput | one lookup and one register write a cycle |
/// | state | 56 bits a window in block RAM |
#[derive(LogicBlock, Default)]
pub struct LocalWindows {
    pub clk: Signal<In, Clock>,
    /// The windows are closed, one a cycle; but the system window is opened.
    pub initialising: Signal<In, Bit>,
    pub sweep: Signal<In, Bits<TAG_WIDTH>>,
    pub register_write: RegisterWriteIn,
    /// Looks `tag` up; only with `lookup_ready`.
    pub lookup: Signal<In, Bit>,
    pub tag: Signal<In, Bits<TAG_WIDTH>>,
    /// No register write is in the way.
    pub lookup_ready: Signal<Out, Bit>,
    /// What was looked up last, from the next cycle on; in words.
    pub base: Signal<Out, Bits<OFFSET_WIDTH>>,
    pub size: Signal<Out, Bits<OFFSET_WIDTH>>,
    pub mode: Signal<Out, Bits<MODE_WIDTH>>,
    entries: Ram<ENTRY, TAG_WIDTH, LANES>,
    write_match: AddressMatch<{ Registers::Tags as usize }, { TAG_WIDTH + FIELD_WIDTH }>,
    own: Signal<Local, Bit>,
    field: Signal<Local, Bits<FIELD_WIDTH>>,
    system_window: Constant<Bits<ENTRY>>,
}

impl LocalWindows {
    /// Windows of a node whose address space has `space_words` words, below 2^22; panics beyond.
    pub fn new(space_words: u64) -> Self {
        let most = (1u64 << OFFSET_WIDTH) - 1;
        assert!(
            (1..=most).contains(&space_words),
            "windows: space_words = {space_words}, allowed: 1 to {most}"
        );
        Self {
            entries: Ram::new(WINDOWS),
            system_window: Constant::new(bits(
                space_words << SIZE_AT | (Mode::Window as u64) << (MODE_AT + MODE_OFFSET),
            )),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for LocalWindows {
    fn update(&mut self) {
        wire!(self => entries: clk);
        self.write_match.index.next = self.register_write.index.val();
        self.own.next = self.register_write.enable.val() & self.write_match.hit.val();
        self.field.next = self.register_write.index.val().get_bits::<FIELD_WIDTH>(0);

        self.entries.write_lanes.next = 0.into();
        self.entries.write_address.next = self.register_write.index.val().get_bits::<TAG_WIDTH>(FIELD_WIDTH);
        self.entries.write_data.next =
            bit_cast::<ENTRY, SIZE_AT>(bit_cast::<SIZE_AT, 32>(self.register_write.data.val()))
                | (bit_cast::<ENTRY, SIZE_AT>(bit_cast::<SIZE_AT, 32>(self.register_write.data.val()))
                    << bits::<6>(SIZE_AT))
                | (bit_cast::<ENTRY, 8>(bit_cast::<8, 32>(self.register_write.data.val()))
                    << bits::<6>((MODE_AT + MODE_OFFSET) as u64));
        if self.own.val() & (self.field.val() == bits::<FIELD_WIDTH>(TagRegister::Base as u64)) {
            self.entries.write_lanes.next = bits::<LANES>(0b0_000_111);
        }
        if self.own.val() & (self.field.val() == bits::<FIELD_WIDTH>(TagRegister::Size as u64)) {
            self.entries.write_lanes.next = bits::<LANES>(0b0_111_000);
        }
        if self.own.val() & (self.field.val() == bits::<FIELD_WIDTH>(TagRegister::Control as u64)) {
            self.entries.write_lanes.next = bits::<LANES>(0b1_000_000);
        }
        if self.initialising.val() {
            self.entries.write_lanes.next = bits::<LANES>(0b1_111_111);
            self.entries.write_address.next = self.sweep.val();
            self.entries.write_data.next = 0.into();
            // The system window is the last.
            if self.sweep.val().all() {
                self.entries.write_data.next = self.system_window.val();
            }
        }

        self.lookup_ready.next = !self.own.val() & !self.initialising.val();
        self.entries.read_enable.next = self.lookup.val();
        self.entries.read_address.next = self.tag.val();
        self.base.next = self.entries.read_data.val().get_bits::<OFFSET_WIDTH>(0);
        self.size.next = self.entries.read_data.val().get_bits::<OFFSET_WIDTH>(SIZE_AT);
        self.mode.next = self
            .entries
            .read_data
            .val()
            .get_bits::<MODE_WIDTH>(MODE_AT + MODE_OFFSET);
    }
}

// The control register's lane has the mode at its lowest bits.
const _: () = assert!(MODE_OFFSET == 0);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        bus::testing::write,
        prim::testing::{clock_edge, rng, settle},
    };
    use portico_spec::ni::{registers::BLOCK_OFFSET, window::SYSTEM_WINDOW};
    use rand::Rng;

    const SPACE: u64 = 1 << 18;

    #[test]
    fn finds_what_was_written_and_the_system_window_before() {
        let mut rng = rng(0x317d);
        let mut dut = LocalWindows::new(SPACE);
        dut.connect_all();
        let mut model = vec![(0u64, 0u64, 0u64); WINDOWS];
        for round in 0..2 {
            dut.register_write.enable.next = false;
            dut.initialising.next = true;
            for tag in 0..WINDOWS {
                dut.sweep.next = (tag as u64).into();
                clock_edge!(dut);
            }
            dut.initialising.next = false;
            model.fill((0, 0, 0));
            model[SYSTEM_WINDOW] = (0, SPACE, Mode::Window as u64);
            for cycle in 0..6_000 {
                let tag = if cycle == 0 {
                    SYSTEM_WINDOW
                } else {
                    rng.gen_range(0..WINDOWS)
                };
                let (place, data) = (rng.gen_range(0..1 << BLOCK_OFFSET), u64::from(rng.gen::<u32>()));
                let block = if rng.gen() {
                    Registers::Segments
                } else {
                    Registers::Tags
                };
                write(&mut dut.register_write, block, place, data);
                dut.register_write.enable.next = cycle > 0 && rng.gen_bool(0.8);
                let owns = dut.register_write.enable.next && block == Registers::Tags && place < 8 * WINDOWS as u64;
                dut.tag.next = (tag as u64).into();
                settle(&mut dut);
                assert_eq!(dut.lookup_ready.val(), !owns);
                dut.lookup.next = !owns;
                clock_edge!(dut);
                if owns {
                    let entry = &mut model[(place / 8) as usize];
                    match place % 8 {
                        0 => entry.0 = data % (1 << OFFSET_WIDTH),
                        1 => entry.1 = data % (1 << OFFSET_WIDTH),
                        2 => entry.2 = data % (1 << MODE_WIDTH),
                        _ => {}
                    }
                } else {
                    let found = [
                        dut.base.val().to_u64(),
                        dut.size.val().to_u64(),
                        dut.mode.val().to_u64(),
                    ];
                    let (base, size, mode) = model[tag];
                    assert_eq!(found, [base, size, mode], "round {round}, cycle {cycle}, tag {tag}");
                }
            }
        }
    }
}
