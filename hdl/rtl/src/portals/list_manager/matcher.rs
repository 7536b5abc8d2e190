use super::ports::{SideIn, WORD};
use portico_spec::portals::list::{
    ANY_SOURCE, LENGTH_WIDTH, MANAGE_LOCAL, NO_TRUNCATE, OPTIONS_WIDTH, PORTAL_OFFSET, PORTAL_WIDTH,
};
use portico_verilog::prelude::*;

/// Width of the sum of offset and length, which may not wrap.
const END_WIDTH: usize = LENGTH_WIDTH + 1;

/// Whether an entry matches a header (Portals 4, 3.12).
///
/// Compares one pair a cycle.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle |
/// | throughput | one comparison a cycle |
/// | timing | the wide comparison before the registers, the comparison of sum and length behind them |
/// | state | 67 flip-flops |
///
/// One side is the command's, the other the table's. Forward, the command is a header and the table has entries; mirrored, the
/// command is an entry and the table has headers.
#[derive(LogicBlock, Default)]
pub struct Matcher {
    pub clk: Signal<In, Clock>,
    /// The command is an entry, and the table has headers.
    pub mirrored: Signal<In, Bit>,
    /// The command's side.
    pub request: SideIn,
    /// The table's side.
    pub stored: SideIn,
    /// Of the pair of the cycle before.
    pub hit: Signal<Out, Bit>,
    ignore: Signal<Local, Bits<WORD>>,
    different: Signal<Local, Bits<WORD>>,
    options: Signal<Local, Bits<OPTIONS_WIDTH>>,
    offset: Signal<Local, Bits<LENGTH_WIDTH>>,
    requested: Signal<Local, Bits<LENGTH_WIDTH>>,
    room: Signal<Local, Bits<LENGTH_WIDTH>>,
    selected: DFF<Bit>,
    truncates: DFF<Bit>,
    last_byte: DFF<Bits<END_WIDTH>>,
    length: DFF<Bits<LENGTH_WIDTH>>,
}

#[kernel]
impl Logic for Matcher {
    fn update(&mut self) {
        dff_setup!(self, clk, selected, truncates, last_byte, length);
        self.ignore.next = self.stored.ignore_bits.val();
        self.options.next = self.stored.options.val();
        self.room.next = self.stored.length.val();
        self.offset.next = self.request.offset.val();
        self.requested.next = self.request.length.val();
        if self.mirrored.val() {
            self.ignore.next = self.request.ignore_bits.val();
            self.options.next = self.request.options.val();
            self.room.next = self.request.length.val();
            self.offset.next = self.stored.offset.val();
            self.requested.next = self.stored.length.val();
        }
        // An entry that manages its own offset: whichever side is the entry.
        if self.options.val().get_bit(MANAGE_LOCAL) {
            self.offset.next = self.stored.offset.val();
            if self.mirrored.val() {
                self.offset.next = self.request.offset.val();
            }
        }
        self.different.next = (self.request.match_bits.val() ^ self.stored.match_bits.val()) & !self.ignore.val();
        self.selected.d.next = !self.different.val().any()
            & (self.request.source.val().get_bits::<PORTAL_WIDTH>(PORTAL_OFFSET)
                == self.stored.source.val().get_bits::<PORTAL_WIDTH>(PORTAL_OFFSET))
            & ((self.request.source.val().get_bits::<PORTAL_OFFSET>(0)
                == self.stored.source.val().get_bits::<PORTAL_OFFSET>(0))
                | self.options.val().get_bit(ANY_SOURCE));
        self.truncates.d.next = !self.options.val().get_bit(NO_TRUNCATE);
        self.last_byte.d.next = bit_cast::<END_WIDTH, LENGTH_WIDTH>(self.offset.val())
            + bit_cast::<END_WIDTH, LENGTH_WIDTH>(self.requested.val());
        self.length.d.next = self.room.val();
        self.hit.next = self.selected.q.val()
            & (self.truncates.q.val()
                | (self.last_byte.q.val() <= bit_cast::<END_WIDTH, LENGTH_WIDTH>(self.length.q.val())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{prim::testing::clock_edge, prim::testing::rng};
    use portico_spec::portals::list::{Entry, SOURCE_WIDTH};
    use rand::Rng;

    fn drive(side: &mut SideIn, entry: &Entry) {
        side.source.next = u64::from(entry.source).into();
        side.options.next = u64::from(entry.options).into();
        side.match_bits.next = entry.match_bits.into();
        side.ignore_bits.next = entry.ignore_bits.into();
        side.length.next = u64::from(entry.length).into();
        side.offset.next = u64::from(entry.offset).into();
    }

    fn matches(entry: &Entry, header: &Entry) -> bool {
        let from = entry.portal() == header.portal() && (entry.has(ANY_SOURCE) || entry.source == header.source);
        let offset = if entry.has(MANAGE_LOCAL) {
            entry.offset
        } else {
            header.offset
        };
        let fits = u64::from(offset) + u64::from(header.length) <= u64::from(entry.length);
        from && (entry.match_bits ^ header.match_bits) & !entry.ignore_bits == 0 && (fits || !entry.has(NO_TRUNCATE))
    }

    #[test]
    fn either_side_may_be_the_entry() {
        let mut rng = rng(0x3a7c);
        let mut dut = Matcher::default();
        dut.connect_all();
        let (mut met, mut missed) = (0, 0);
        for number in 0..20_000 {
            let mut random = || Entry {
                source: rng.gen_range(0..2) | rng.gen_range(0..2) << (SOURCE_WIDTH - 1),
                options: rng.gen_range(0..32),
                match_bits: rng.gen_range(0..2) << 63,
                ignore_bits: [0, 1 << 63, u64::MAX][rng.gen_range(0..3)],
                length: [0, 1, 2, u32::MAX - 1, u32::MAX][rng.gen_range(0..5)],
                offset: [0, 1, 2, u32::MAX - 1, u32::MAX][rng.gen_range(0..5)],
                pointer: 0,
            };
            let (entry, header) = (random(), random());
            let mirrored = rng.gen();
            let (request, stored) = if mirrored { (entry, header) } else { (header, entry) };
            dut.mirrored.next = mirrored;
            drive(&mut dut.request, &request);
            drive(&mut dut.stored, &stored);
            clock_edge!(dut);
            let expected = matches(&entry, &header);
            assert_eq!(dut.hit.val(), expected, "pair {number}: {entry:x?} {header:x?}");
            met += usize::from(expected);
            missed += usize::from(!expected);
        }
        assert!(met > 1000 && missed > 1000);
    }
}
