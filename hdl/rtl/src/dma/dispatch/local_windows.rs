use crate::{
    bus::{AddressMatch, RegisterWriteIn, SweepIn, WindowRow},
    prim::LaneRam,
};
use portico_spec::{
    flit::TAG_WIDTH,
    ni::{
        build::Build,
        packet::OFFSET_WIDTH,
        registers::{Block as Registers, TagRegister, FIELD_WIDTH},
        window::{Mode, MODE_OFFSET, MODE_WIDTH},
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
/// | latency | lookup: 2 cycles; a register write: 1 cycle |
/// | throughput | one lookup and one register write a cycle |
/// | state | 56 bits a window in block RAM |
#[derive(LogicBlock, Default)]
pub struct LocalWindows {
    pub clk: Signal<In, Clock>,
    /// Closes the windows after reset, one a cycle, and opens the system window.
    pub sweep: SweepIn,
    /// Writes of registers; those to the block TAGS are looked at.
    pub register_write: RegisterWriteIn,
    /// Looks `tag` up; only with `lookup_ready`.
    pub lookup: Signal<In, Bit>,
    /// Tag of the window to look up; valid with `lookup`.
    pub tag: Signal<In, Bits<TAG_WIDTH>>,
    /// No register write is in the way.
    pub lookup_ready: Signal<Out, Bit>,
    /// Address of the first word, in words, of the window that was looked up last, from the second cycle on.
    pub base: Signal<Out, Bits<OFFSET_WIDTH>>,
    /// Words of the window that was looked up last, from the second cycle on.
    pub size: Signal<Out, Bits<OFFSET_WIDTH>>,
    /// Mode of the window that was looked up last, from the second cycle on.
    pub mode: Signal<Out, Bits<MODE_WIDTH>>,
    entries: LaneRam<ENTRY, TAG_WIDTH, LANES>,
    row: WindowRow,
    write_match: AddressMatch<{ Registers::Tags as usize }, { TAG_WIDTH + FIELD_WIDTH }>,
    /// A register write, a cycle late.
    own: DFF<Bit>,
    place: DFF<Bits<TAG_WIDTH>>,
    field: DFF<Bits<FIELD_WIDTH>>,
    word: DFF<Bits<SIZE_AT>>,
    found: DFF<Bits<ENTRY>>,
    system_window: Constant<Bits<ENTRY>>,
}

impl LocalWindows {
    /// Windows of `build`, at a node whose address space has `space_words` words, below 2^22; panics beyond.
    pub fn new(build: &Build, space_words: u64) -> Self {
        let most = (1u64 << OFFSET_WIDTH) - 1;
        assert!(
            (1..=most).contains(&space_words),
            "windows: space_words = {space_words}, allowed: 1 to {most}"
        );
        Self {
            entries: LaneRam::new(build.windows),
            row: WindowRow::new(build),
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
        dff_setup!(self, clk, own, place, field, word, found);
        self.own.d.next = self.register_write.enable.val() & self.write_match.hit.val();
        self.place.d.next = self.register_write.index.val().get_bits::<TAG_WIDTH>(FIELD_WIDTH);
        self.field.d.next = self.register_write.index.val().get_bits::<FIELD_WIDTH>(0);
        self.word.d.next = bit_cast::<SIZE_AT, 32>(self.register_write.data.val());

        self.entries.write_lanes.next = 0.into();
        self.entries.write_address.next = self.place.q.val();
        self.entries.write_data.next = bit_cast::<ENTRY, SIZE_AT>(self.word.q.val())
            | field::<ENTRY, SIZE_AT>(self.word.q.val(), SIZE_AT)
            | field::<ENTRY, 8>(bit_cast::<8, SIZE_AT>(self.word.q.val()), (MODE_AT + MODE_OFFSET));
        if self.own.q.val() & (self.field.q.val() == bits::<FIELD_WIDTH>(TagRegister::Base as u64)) {
            self.entries.write_lanes.next = bits::<LANES>(0b0_000_111);
        }
        if self.own.q.val() & (self.field.q.val() == bits::<FIELD_WIDTH>(TagRegister::Size as u64)) {
            self.entries.write_lanes.next = bits::<LANES>(0b0_111_000);
        }
        if self.own.q.val() & (self.field.q.val() == bits::<FIELD_WIDTH>(TagRegister::Control as u64)) {
            self.entries.write_lanes.next = bits::<LANES>(0b1_000_000);
        }
        if self.sweep.active.val() {
            self.entries.write_lanes.next = bits::<LANES>(0b1_111_111);
            self.entries.write_address.next = self.sweep.place.val().get_bits::<TAG_WIDTH>(0);
            self.entries.write_data.next = 0.into();
            // The system window is the last.
            if self.sweep.place.val().get_bits::<TAG_WIDTH>(0).all() {
                self.entries.write_data.next = self.system_window.val();
            }
        }

        self.lookup_ready.next = !self.own.q.val() & !self.sweep.active.val();
        self.entries.read_enable.next = self.lookup.val();
        self.row.tag.next = self.tag.val();
        self.entries.read_address.next = self.row.row.val();
        self.found.d.next = self.entries.read_data.val();
        self.base.next = self.found.q.val().get_bits::<OFFSET_WIDTH>(0);
        self.size.next = self.found.q.val().get_bits::<OFFSET_WIDTH>(SIZE_AT);
        self.mode.next = self.found.q.val().get_bits::<MODE_WIDTH>(MODE_AT + MODE_OFFSET);
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
    use portico_spec::ni::{
        registers::BLOCK_OFFSET,
        window::{SYSTEM_WINDOW, WINDOWS},
    };
    use rand::Rng;

    const SPACE: u64 = 1 << 18;

    #[test]
    fn finds_what_was_written_and_the_system_window_before() {
        let mut rng = rng(0x317d);
        let mut dut = LocalWindows::new(&Build::FULL, SPACE);
        dut.connect_all();
        let mut model = vec![(0u64, 0u64, 0u64); WINDOWS];
        for round in 0..2 {
            dut.register_write.enable.next = false;
            dut.sweep.active.next = true;
            for tag in 0..WINDOWS {
                dut.sweep.place.next = (tag as u64).into();
                clock_edge!(dut);
            }
            dut.sweep.active.next = false;
            model.fill((0, 0, 0));
            // What was looked up last comes out two cycles later, and stays.
            let (mut owned, mut coming) = (false, (0, 0, 0));
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
                let ready = dut.lookup_ready.val();
                assert_eq!(ready, !std::mem::replace(&mut owned, owns));
                dut.lookup.next = ready;
                let asked = if ready { model[tag] } else { coming };
                if owns {
                    let entry = &mut model[(place / 8) as usize];
                    match place % 8 {
                        0 => entry.0 = data % (1 << OFFSET_WIDTH),
                        1 => entry.1 = data % (1 << OFFSET_WIDTH),
                        2 => entry.2 = data % (1 << MODE_WIDTH),
                        _ => {}
                    }
                }
                clock_edge!(dut);
                if cycle > 0 {
                    let found = [
                        dut.base.val().to_u64(),
                        dut.size.val().to_u64(),
                        dut.mode.val().to_u64(),
                    ];
                    let (base, size, mode) = coming;
                    assert_eq!(found, [base, size, mode], "round {round}, cycle {cycle}, tag {tag}");
                }
                coming = asked;
            }
        }
    }
}
