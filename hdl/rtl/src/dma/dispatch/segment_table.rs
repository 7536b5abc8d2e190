use super::{QueueCredits, Reach};
use crate::{
    bus::{AddressMatch, CreditIn, CreditTakeIn, RegisterWriteIn, SweepIn},
    prim::LaneRam,
};
use portico_spec::{
    flit::{NODE_WIDTH, TAG_WIDTH},
    ni::{
        build::Build,
        packet::OFFSET_WIDTH,
        registers::{Block as Registers, SegmentRegister, SHORT_FIELD_WIDTH},
        segment::{CREDITS_WIDTH, HANDLE_WIDTH, KIND_OFFSET, KIND_WIDTH, NODE_OFFSET, TAG_OFFSET},
    },
    Config,
};
use portico_verilog::prelude::*;

/// A field in the memory: three byte lanes.
const FIELD: usize = 24;
const ENTRY: usize = 2 * FIELD;
/// In the first of them, above what software has written: packets come to the node.
const REACHED_AT: usize = KIND_OFFSET + KIND_WIDTH;

/// Segments: what this node knows of windows and queues of others.
///
/// The segments, by handle.
///
/// | | |
/// | --- | --- |
/// | latency | lookup: 2 cycles; a register write: 1 cycle; credits as in [`QueueCredits`] |
/// | throughput | one lookup and one register write a cycle |
/// | state | 48 bits a segment in block RAM, and [`QueueCredits`] |
#[derive(LogicBlock, Default)]
pub struct SegmentTable {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// This node.
    pub own_node: Signal<In, Bits<NODE_WIDTH>>,
    /// Clears the tables after reset.
    pub sweep: SweepIn,
    /// Writes of registers; those to the block SEGMENTS are looked at.
    pub register_write: RegisterWriteIn,
    /// Looks `handle` up; only with `lookup_ready`.
    pub lookup: Signal<In, Bit>,
    /// Handle of the segment to look up; valid with `lookup`.
    pub handle: Signal<In, Bits<HANDLE_WIDTH>>,
    /// No register write is in the way.
    pub lookup_ready: Signal<Out, Bit>,
    /// Node of the segment that was looked up last, from the second cycle on.
    pub node: Signal<Out, Bits<NODE_WIDTH>>,
    /// Tag, at its node, of the segment that was looked up last, from the second cycle on.
    pub tag: Signal<Out, Bits<TAG_WIDTH>>,
    /// Kind of the segment that was looked up last, from the second cycle on; 0 if there is no such segment.
    pub kind: Signal<Out, Bits<KIND_WIDTH>>,
    /// Packets come to the node of the segment that was looked up last, from the second cycle on.
    /// Known since the segment was written.
    pub reached: Signal<Out, Bit>,
    /// Words of the segment that was looked up last, from the second cycle on.
    pub size: Signal<Out, Bits<OFFSET_WIDTH>>,
    /// Credits of segments that come back.
    pub credit_return: CreditIn,
    /// Requests of credits of peers' queues, for messages.
    pub credit_take: CreditTakeIn,
    /// A register write is not done; the next must wait.
    pub busy: Signal<Out, Bit>,
    entries: LaneRam<ENTRY, HANDLE_WIDTH, 6>,
    credits: Vec<QueueCredits>,
    reach: Reach,
    write_match: AddressMatch<{ Registers::Segments as usize }, { HANDLE_WIDTH + SHORT_FIELD_WIDTH }>,
    /// A register write, a cycle late.
    own: DFF<Bit>,
    written: DFF<Bits<HANDLE_WIDTH>>,
    field: DFF<Bits<SHORT_FIELD_WIDTH>>,
    word: DFF<Bits<32>>,
    found: DFF<Bits<ENTRY>>,
    /// There is no such segment.
    missing: DFF<Bit>,
    declined: DFF<Bit>,
    last: Constant<Bits<HANDLE_WIDTH>>,
    _queues: usize,
}

impl SegmentTable {
    /// The segments of `build`, with credits if there are queues, in the fabric of `config`.
    pub fn new(build: &Build, config: &Config) -> Self {
        let (segments, queues) = (build.segments, usize::from(build.queues));
        Self {
            entries: LaneRam::new(segments),
            reach: Reach::new(config),
            credits: (0..queues).map(|_| QueueCredits::new(segments)).collect(),
            _queues: queues,
            last: Constant::new(bits(segments as u64 - 1)),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for SegmentTable {
    fn update(&mut self) {
        wire!(self => entries: clk);
        self.write_match.index.next = self.register_write.index.val();
        dff_setup!(self, clk, own, written, field, word, found, missing, declined);
        self.own.d.next = self.register_write.enable.val() & self.write_match.hit.val();
        self.word.d.next = self.register_write.data.val();
        self.written.d.next = self
            .register_write
            .index
            .val()
            .get_bits::<HANDLE_WIDTH>(SHORT_FIELD_WIDTH);
        self.field.d.next = self.register_write.index.val().get_bits::<SHORT_FIELD_WIDTH>(0);

        self.entries.write_lanes.next = 0.into();
        self.entries.write_address.next = self.written.q.val();
        self.reach.own.next = self.own_node.val();
        self.reach.node.next = self.word.q.val().get_bits::<NODE_WIDTH>(NODE_OFFSET);
        self.entries.write_data.next = (bit_cast::<ENTRY, FIELD>(bit_cast::<FIELD, 32>(self.word.q.val()))
            | field::<ENTRY, 32>(self.word.q.val(), FIELD))
        .replace_bit(REACHED_AT, self.reach.reached.val());
        if self.own.q.val() & (self.field.q.val() == bits::<SHORT_FIELD_WIDTH>(SegmentRegister::Target as u64)) {
            self.entries.write_lanes.next = bits::<6>(0b000_111);
        }
        if self.own.q.val() & (self.field.q.val() == bits::<SHORT_FIELD_WIDTH>(SegmentRegister::Size as u64)) {
            self.entries.write_lanes.next = bits::<6>(0b111_000);
        }
        if self.sweep.active.val() {
            self.entries.write_lanes.next = bits::<6>(0b111_111);
            self.entries.write_address.next = self.sweep.place.val().get_bits::<HANDLE_WIDTH>(0);
            self.entries.write_data.next = 0.into();
        }

        self.lookup_ready.next = !self.own.q.val() & !self.sweep.active.val();
        self.entries.read_enable.next = self.lookup.val();
        self.entries.read_address.next = self.handle.val();
        if self.lookup.val() {
            self.missing.d.next = self.handle.val() > self.last.val();
        }
        self.found.d.next = self.entries.read_data.val();
        if self.missing.q.val() {
            self.found.d.next = 0.into();
        }
        self.node.next = self.found.q.val().get_bits::<NODE_WIDTH>(NODE_OFFSET);
        self.tag.next = self.found.q.val().get_bits::<TAG_WIDTH>(TAG_OFFSET);
        self.kind.next = self.found.q.val().get_bits::<KIND_WIDTH>(KIND_OFFSET);
        self.reached.next = self.found.q.val().get_bit(REACHED_AT);
        self.size.next = self.found.q.val().get_bits::<OFFSET_WIDTH>(FIELD);

        // Without queues there is no credit: a context that asks for one is parked, and others go on.
        self.declined.d.next = self.credit_take.valid.val() & !self.declined.q.val();
        self.credit_take.answered.next = self.declined.q.val();
        self.credit_take.granted.next = false;
        self.busy.next = false;
        for i in 0..self._queues {
            wire!(self => credits[i]: clk, rst);
            wire!(self <=> credits[i]: sweep);
            self.credits[i].set.next =
                self.own.q.val() & (self.field.q.val() == bits::<SHORT_FIELD_WIDTH>(SegmentRegister::Credits as u64));
            self.credits[i].set_segment.next = self.written.q.val();
            self.credits[i].set_value.next = self.word.q.val().get_bits::<CREDITS_WIDTH>(0);
            wire!(self <=> credits[i]: credit_return, credit_take);
            wire!(credits[i] => self: busy);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        bus::testing::write,
        prim::testing::{clock_edge, rng, settle},
    };
    use portico_spec::ni::{
        registers::BLOCK_OFFSET,
        segment::{Target, SEGMENTS},
    };
    use rand::Rng;

    #[test]
    fn finds_what_was_written_and_nothing_before() {
        let mut rng = rng(0x5e6);
        let config = Config {
            cols: 5,
            rows: 20,
            edge_nodes: 2,
            ..Config::default()
        };
        let own = config.terminals() - 1;
        let mut dut = SegmentTable::new(&Build::FULL, &config);
        dut.connect_all();
        dut.own_node.next = u64::from(config.terminal_node(own).number()).into();
        let mut model = vec![(0u64, 0u64); SEGMENTS];
        let mut seen = [0; 2];
        for _ in 0..2 {
            dut.register_write.enable.next = false;
            dut.sweep.active.next = true;
            for handle in 0..SEGMENTS {
                dut.sweep.place.next = (handle as u64).into();
                clock_edge!(dut);
            }
            dut.sweep.active.next = false;
            model.fill((0, 0));
            // What was looked up last comes out two cycles later, and stays.
            let (mut owned, mut coming) = (false, None);
            for _ in 0..6_000 {
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
                settle(&mut dut);
                let ready = dut.lookup_ready.val();
                assert_eq!(ready, !std::mem::replace(&mut owned, owns));
                dut.lookup.next = ready;
                let asked = if ready { Some(model[handle]) } else { coming };
                if owns {
                    let entry = &mut model[(place / 4) as usize];
                    match place % 4 {
                        0 => entry.0 = data % (1 << 19),
                        1 => entry.1 = data % (1 << OFFSET_WIDTH),
                        _ => {}
                    }
                }
                clock_edge!(dut);
                if let Some(coming) = std::mem::replace(&mut coming, asked) {
                    let target = dut.node.val().to_u64()
                        | dut.tag.val().to_u64() << TAG_OFFSET
                        | dut.kind.val().to_u64() << KIND_OFFSET;
                    assert_eq!((target, dut.size.val().to_u64()), coming);
                    let node = Target::decode(coming.0 as u32 % (1 << KIND_OFFSET))
                        .expect("of no kind")
                        .node;
                    let is_reached = coming.0 > 0 && config.reaches(own, node);
                    assert!(coming.0 == 0 || dut.reached.val() == is_reached, "{node:?}");
                    seen[usize::from(is_reached)] += 1;
                }
            }
        }
        assert!(seen[0] > 1_000 && seen[1] > 500, "{seen:?}");
    }
}
