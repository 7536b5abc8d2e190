//! Segments: what this node knows of windows and queues of others.
//!
//! | | |
//! | --- | --- |
//! | latency | lookup: 1 cycle; credits as in [`QueueCredits`] |
//! | throughput | one lookup and one register write a cycle |
//! | state | 48 bits a segment in block RAM, and [`QueueCredits`] |

use super::QueueCredits;
use crate::{
    ni::ports::{CreditIn, RegisterWriteIn},
    prim::Ram,
};
use portico_spec::{
    flit::{NODE_WIDTH, TAG_WIDTH},
    ni::{
        packet::OFFSET_WIDTH,
        registers::{Block as Registers, SegmentRegister, BLOCK_OFFSET, INDEX_WIDTH, SHORT_FIELD_WIDTH},
        segment::{CREDITS_WIDTH, HANDLE_WIDTH, KIND_OFFSET, KIND_WIDTH, NODE_OFFSET, SEGMENTS, TAG_OFFSET},
    },
};
use rust_hdl::prelude::*;

/// Bits of an index above the handle.
const ABOVE: usize = HANDLE_WIDTH + SHORT_FIELD_WIDTH;
const ABOVE_WIDTH: usize = INDEX_WIDTH - ABOVE;
/// A field in the memory: three byte lanes.
const FIELD: usize = 24;
const ENTRY: usize = 2 * FIELD;

/// The segments, by handle.
#[derive(LogicBlock)]
pub struct Segments {
    pub clk: Signal<In, Clock>,
    /// The segments are cleared, one a cycle.
    pub initialising: Signal<In, Bit>,
    pub sweep: Signal<In, Bits<HANDLE_WIDTH>>,
    pub register_write: RegisterWriteIn,
    /// Looks `handle` up; only with `lookup_ready`.
    pub lookup: Signal<In, Bit>,
    pub handle: Signal<In, Bits<HANDLE_WIDTH>>,
    /// No register write is in the way.
    pub lookup_ready: Signal<Out, Bit>,
    /// What was looked up last, from the next cycle on.
    pub node: Signal<Out, Bits<NODE_WIDTH>>,
    pub tag: Signal<Out, Bits<TAG_WIDTH>>,
    pub kind: Signal<Out, Bits<KIND_WIDTH>>,
    /// In words.
    pub size: Signal<Out, Bits<OFFSET_WIDTH>>,
    pub credit_return: CreditIn,
    pub credit_segment: Signal<In, Bits<HANDLE_WIDTH>>,
    pub credit_ready: Signal<Out, Bit>,
    pub credit_available: Signal<Out, Bit>,
    pub credit_take: Signal<In, Bit>,
    entries: Ram<ENTRY, HANDLE_WIDTH, 6>,
    credits: QueueCredits,
    own: Signal<Local, Bit>,
    written: Signal<Local, Bits<HANDLE_WIDTH>>,
    field: Signal<Local, Bits<SHORT_FIELD_WIDTH>>,
    above_at: Constant<Bits<5>>,
    segments_block: Constant<Bits<ABOVE_WIDTH>>,
    handle_at: Constant<Bits<5>>,
    target_field: Constant<Bits<SHORT_FIELD_WIDTH>>,
    size_field: Constant<Bits<SHORT_FIELD_WIDTH>>,
    credits_field: Constant<Bits<SHORT_FIELD_WIDTH>>,
    target_lanes: Constant<Bits<6>>,
    size_lanes: Constant<Bits<6>>,
    all_lanes: Constant<Bits<6>>,
    node_at: Constant<Bits<6>>,
    tag_at: Constant<Bits<6>>,
    kind_at: Constant<Bits<6>>,
    size_at: Constant<Bits<6>>,
}

impl Default for Segments {
    fn default() -> Self {
        Self {
            clk: Default::default(),
            initialising: Default::default(),
            sweep: Default::default(),
            register_write: Default::default(),
            lookup: Default::default(),
            handle: Default::default(),
            lookup_ready: Default::default(),
            node: Default::default(),
            tag: Default::default(),
            kind: Default::default(),
            size: Default::default(),
            credit_return: Default::default(),
            credit_segment: Default::default(),
            credit_ready: Default::default(),
            credit_available: Default::default(),
            credit_take: Default::default(),
            entries: Ram::new(SEGMENTS),
            credits: Default::default(),
            own: Default::default(),
            written: Default::default(),
            field: Default::default(),
            above_at: Constant::new(bits(ABOVE as u64)),
            segments_block: Constant::new(bits((Registers::Segments as u64) << (BLOCK_OFFSET - ABOVE))),
            handle_at: Constant::new(bits(SHORT_FIELD_WIDTH as u64)),
            target_field: Constant::new(bits(SegmentRegister::Target as u64)),
            size_field: Constant::new(bits(SegmentRegister::Size as u64)),
            credits_field: Constant::new(bits(SegmentRegister::Credits as u64)),
            target_lanes: Constant::new(bits(0b000_111)),
            size_lanes: Constant::new(bits(0b111_000)),
            all_lanes: Constant::new(bits(0b111_111)),
            node_at: Constant::new(bits(NODE_OFFSET as u64)),
            tag_at: Constant::new(bits(TAG_OFFSET as u64)),
            kind_at: Constant::new(bits(KIND_OFFSET as u64)),
            size_at: Constant::new(bits(FIELD as u64)),
        }
    }
}

impl Logic for Segments {
    #[hdl_gen]
    fn update(&mut self) {
        self.own.next = self.register_write.enable.val()
            & (self
                .register_write
                .index
                .val()
                .get_bits::<ABOVE_WIDTH>(self.above_at.val().index())
                == self.segments_block.val());
        self.written.next = self
            .register_write
            .index
            .val()
            .get_bits::<HANDLE_WIDTH>(self.handle_at.val().index());
        self.field.next = self.register_write.index.val().get_bits::<SHORT_FIELD_WIDTH>(0);

        self.entries.clk.next = self.clk.val();
        self.entries.write_lanes.next = 0.into();
        self.entries.write_address.next = self.written.val();
        self.entries.write_data.next = bit_cast::<ENTRY, FIELD>(bit_cast::<FIELD, 32>(self.register_write.data.val()))
            | (bit_cast::<ENTRY, 32>(self.register_write.data.val()) << self.size_at.val());
        if self.own.val() & (self.field.val() == self.target_field.val()) {
            self.entries.write_lanes.next = self.target_lanes.val();
        }
        if self.own.val() & (self.field.val() == self.size_field.val()) {
            self.entries.write_lanes.next = self.size_lanes.val();
        }
        if self.initialising.val() {
            self.entries.write_lanes.next = self.all_lanes.val();
            self.entries.write_address.next = self.sweep.val();
            self.entries.write_data.next = 0.into();
        }

        self.lookup_ready.next = !self.own.val() & !self.initialising.val();
        self.entries.read_enable.next = self.lookup.val();
        self.entries.read_address.next = self.handle.val();
        self.node.next = self
            .entries
            .read_data
            .val()
            .get_bits::<NODE_WIDTH>(self.node_at.val().index());
        self.tag.next = self
            .entries
            .read_data
            .val()
            .get_bits::<TAG_WIDTH>(self.tag_at.val().index());
        self.kind.next = self
            .entries
            .read_data
            .val()
            .get_bits::<KIND_WIDTH>(self.kind_at.val().index());
        self.size.next = self
            .entries
            .read_data
            .val()
            .get_bits::<OFFSET_WIDTH>(self.size_at.val().index());

        self.credits.clk.next = self.clk.val();
        self.credits.initialising.next = self.initialising.val();
        self.credits.sweep.next = self.sweep.val();
        self.credits.set.next = self.own.val() & (self.field.val() == self.credits_field.val());
        self.credits.set_segment.next = self.written.val();
        self.credits.set_value.next = self.register_write.data.val().get_bits::<CREDITS_WIDTH>(0);
        CreditIn::link(&mut self.credit_return, &mut self.credits.credit_return);
        self.credits.credit_segment.next = self.credit_segment.val();
        self.credits.credit_take.next = self.credit_take.val();
        self.credit_ready.next = self.credits.credit_ready.val();
        self.credit_available.next = self.credits.credit_available.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        dma::testing::write,
        prim::testing::{clock_edge, emitted, rng, settle},
    };
    use rand::Rng;

    #[test]
    fn emission() {
        emitted("segments", &Segments::default());
    }

    #[test]
    fn finds_what_was_written_and_nothing_before() {
        let mut rng = rng(0x5e6);
        let mut dut = Segments::default();
        dut.connect_all();
        let mut model = vec![(0u64, 0u64, 0u64); SEGMENTS];
        for round in 0..2 {
            dut.register_write.enable.next = false;
            dut.initialising.next = true;
            for handle in 0..SEGMENTS {
                dut.sweep.next = (handle as u64).into();
                clock_edge!(dut);
            }
            dut.initialising.next = false;
            model.fill((0, 0, 0));
            for cycle in 0..6_000 {
                let handle = rng.gen_range(0..SEGMENTS);
                let (place, data) = (rng.gen_range(0..1 << BLOCK_OFFSET), u64::from(rng.gen::<u32>()));
                let block = if rng.gen() {
                    Registers::Segments
                } else {
                    Registers::Tags
                };
                write(&mut dut.register_write, block, place, data);
                dut.register_write.enable.next = rng.gen_bool(0.8);
                let owns =
                    dut.register_write.enable.next && block == Registers::Segments && place < 4 * SEGMENTS as u64;
                dut.handle.next = (handle as u64).into();
                dut.credit_segment.next = (handle as u64).into();
                settle(&mut dut);
                assert_eq!(dut.lookup_ready.val(), !owns);
                assert_eq!(
                    dut.credit_available.val(),
                    model[handle].2 > 0,
                    "round {round}, cycle {cycle}"
                );
                dut.lookup.next = !owns;
                let old = (dut.node.val(), dut.tag.val(), dut.kind.val(), dut.size.val());
                clock_edge!(dut);
                if owns {
                    let entry = &mut model[(place / 4) as usize];
                    match place % 4 {
                        0 => entry.0 = data % (1 << 19),
                        1 => entry.1 = data % (1 << OFFSET_WIDTH),
                        2 => entry.2 = data % (1 << CREDITS_WIDTH),
                        _ => {}
                    }
                    assert_eq!(old, (dut.node.val(), dut.tag.val(), dut.kind.val(), dut.size.val()));
                } else {
                    let target = dut.node.val().to_u64()
                        | dut.tag.val().to_u64() << TAG_OFFSET
                        | dut.kind.val().to_u64() << KIND_OFFSET;
                    assert_eq!((target, dut.size.val().to_u64()), (model[handle].0, model[handle].1));
                }
            }
        }
    }
}
