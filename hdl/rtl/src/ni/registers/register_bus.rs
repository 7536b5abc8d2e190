use super::RegisterRange;
use crate::{
    bus::{RegisterAccessOut, RegisterFetchIn, RegisterRequestIn, ACCESS_CYCLES, ANSWER_CYCLES, COMMAND_CYCLES},
    prim::RoundRobinArbiter,
};
use portico_spec::ni::{
    build::Build,
    registers::{Block as Registers, BLOCK_OFFSET, BLOCK_WIDTH, INDEX_WIDTH},
};
use portico_verilog::prelude::*;

/// Sources of accesses: writes of the network, reads of the DMA, writes and reads of the local port.
const SOURCES: usize = 4;
const NETWORK_WRITE: usize = 0;
const DMA_READ: usize = 1;
const LOCAL_WRITE: usize = 2;
const LOCAL_READ: usize = 3;
/// Bits that count the cycles of an access.
const CYCLE_WIDTH: usize = 3;

/// The register bus: one access at a time, of the network, the DMA or the local port.
///
/// Two writers and two readers on one bus.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from an access offered to an idle bus to the cycle in which it is taken and seen by all blocks; data [`ANSWER_CYCLES`] + 1 after that |
/// | throughput | an access every [`ACCESS_CYCLES`]; a word of a descriptor every [`COMMAND_CYCLES`] |
/// | fairness | round robin |
/// | timing | all outputs come from flip-flops, but for one gate in `data_valid` |
/// | state | one access, one word |
///
/// Between two accesses there is time for a block whose table is used by others as well. The command queues need none. An item
/// that is not built is not written, and reads 0.
#[derive(LogicBlock, Default)]
pub struct RegisterBus {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Writes of the network.
    pub network_write: RegisterRequestIn,
    /// Reads of the DMA.
    pub dma_read: RegisterFetchIn,
    /// Writes of the local port.
    pub local_write: RegisterRequestIn,
    /// Reads of the local port.
    pub local_read: RegisterFetchIn,
    /// The block RELEASE takes a write: the only one that may wait, and for the control plane alone.
    pub release_ready: Signal<In, Bit>,
    /// A write is not done: the next access must wait. It is not high for more cycles than credits come in a row.
    pub hold: Signal<In, Bit>,
    /// The access, for every block.
    pub access: RegisterAccessOut,
    arbiter: RoundRobinArbiter<SOURCES>,
    range: RegisterRange,
    taken: DFF<Bits<SOURCES>>,
    cycle: DFF<Bits<CYCLE_WIDTH>>,
    index: DFF<Bits<INDEX_WIDTH>>,
    data: DFF<Bits<32>>,
    is_local: DFF<Bit>,
    is_read: DFF<Bit>,
    is_built: DFF<Bit>,
    answer: DFF<Bits<32>>,
    answered: DFF<Bit>,
    idle: Signal<Local, Bit>,
    wants: Signal<Local, Bits<SOURCES>>,
    grant: Signal<Local, Bits<SOURCES>>,
    next_index: Signal<Local, Bits<INDEX_WIDTH>>,
    is_command: Signal<Local, Bit>,
    network_may: Signal<Local, Bit>,
    local_may: Signal<Local, Bit>,
}

impl RegisterBus {
    /// For the tables of `build`.
    pub fn new(build: &Build) -> Self {
        Self {
            range: RegisterRange::new(build),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for RegisterBus {
    fn update(&mut self) {
        wire!(self => arbiter: clk, rst);
        dff_setup!(self, clk, taken, cycle, index, data, is_local, is_read, is_built, answer, answered);
        self.network_may.next = self.release_ready.val()
            | (self.network_write.index.val().get_bits::<BLOCK_WIDTH>(BLOCK_OFFSET)
                != bits::<BLOCK_WIDTH>(Registers::Release as u64));
        self.local_may.next = self.release_ready.val()
            | (self.local_write.index.val().get_bits::<BLOCK_WIDTH>(BLOCK_OFFSET)
                != bits::<BLOCK_WIDTH>(Registers::Release as u64));
        self.wants.next = bits::<SOURCES>(0)
            .replace_bit(NETWORK_WRITE, self.network_write.valid.val() & self.network_may.val())
            .replace_bit(DMA_READ, self.dma_read.valid.val())
            .replace_bit(LOCAL_WRITE, self.local_write.valid.val() & self.local_may.val())
            .replace_bit(LOCAL_READ, self.local_read.valid.val());
        self.idle.next = !self.cycle.q.val().any() & !self.hold.val();
        self.arbiter.request.next = self.wants.val();
        self.arbiter.served.next = self.idle.val();
        self.grant.next = self.arbiter.grant.val();

        self.next_index.next = self.network_write.index.val();
        if self.grant.val().get_bit(DMA_READ) {
            self.next_index.next = self.dma_read.index.val();
        }
        if self.grant.val().get_bit(LOCAL_WRITE) {
            self.next_index.next = self.local_write.index.val();
        }
        if self.grant.val().get_bit(LOCAL_READ) {
            self.next_index.next = self.local_read.index.val();
        }
        self.range.index.next = self.next_index.val();
        self.is_command.next = (self.grant.val().get_bit(NETWORK_WRITE) | self.grant.val().get_bit(LOCAL_WRITE))
            & (self.next_index.val().get_bits::<BLOCK_WIDTH>(BLOCK_OFFSET)
                == bits::<BLOCK_WIDTH>(Registers::Command as u64));
        self.taken.d.next = 0.into();
        self.cycle.d.next = self.cycle.q.val();
        if self.idle.val() {
            self.taken.d.next = self.grant.val();
            self.is_local.d.next = self.grant.val().get_bit(LOCAL_READ);
            self.is_read.d.next = self.grant.val().get_bit(DMA_READ) | self.grant.val().get_bit(LOCAL_READ);
            self.index.d.next = self.next_index.val();
            self.is_built.d.next = self.range.built.val();
            self.data.d.next = self.network_write.data.val();
            if self.grant.val().get_bit(LOCAL_WRITE) {
                self.data.d.next = self.local_write.data.val();
            }
            if self.wants.val().any() {
                self.cycle.d.next = 1.into();
                if self.is_command.val() {
                    self.cycle.d.next = bits::<CYCLE_WIDTH>((ACCESS_CYCLES - COMMAND_CYCLES) as u64 + 1);
                }
            }
        }
        if self.cycle.q.val().any() {
            self.cycle.d.next = self.cycle.q.val() + 1;
            if self.cycle.q.val() == bits::<CYCLE_WIDTH>(ACCESS_CYCLES as u64 - 1) {
                self.cycle.d.next = 0.into();
            }
        }
        self.network_write.ready.next = self.taken.q.val().get_bit(NETWORK_WRITE);
        self.dma_read.ready.next = self.taken.q.val().get_bit(DMA_READ);
        self.local_write.ready.next = self.taken.q.val().get_bit(LOCAL_WRITE);
        self.local_read.ready.next = self.taken.q.val().get_bit(LOCAL_READ);
        self.access.write.next = (self.taken.q.val().get_bit(NETWORK_WRITE) | self.taken.q.val().get_bit(LOCAL_WRITE))
            & self.is_built.q.val();
        self.access.read.next = self.taken.q.val().get_bit(DMA_READ) | self.taken.q.val().get_bit(LOCAL_READ);
        self.access.index.next = self.index.q.val();
        self.access.data.next = self.data.q.val();

        self.answer.d.next = 0.into();
        if self.is_built.q.val() {
            self.answer.d.next = self.access.answer.val();
        }
        self.answered.d.next =
            self.is_read.q.val() & (self.cycle.q.val() == bits::<CYCLE_WIDTH>(ANSWER_CYCLES as u64 + 1));
        self.dma_read.data.next = self.answer.q.val();
        self.dma_read.data_valid.next = self.answered.q.val() & !self.is_local.q.val();
        self.local_read.data.next = self.answer.q.val();
        self.local_read.data_valid.next = self.answered.q.val() & self.is_local.q.val();
        if self.rst.val() {
            self.taken.d.next = 0.into();
            self.cycle.d.next = 0.into();
            self.answered.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle};
    use rand::Rng;

    clocked!([] RegisterBus);

    /// What a source has on offer: index and data.
    type Offer = Option<(u64, u64)>;

    #[test]
    fn accesses_come_one_by_one_all_sources_in_turn_and_only_a_release_waits() {
        let mut rng = rng(0xb05);
        let mut dut = reset(RegisterBus::new(&Build::FULL));
        let mut offers: [Offer; SOURCES] = [None; SOURCES];
        let mut waited = [0; SOURCES];
        let mut served = [0; SOURCES];
        let (mut free, mut held) = (0, 0);
        // Which read is to be answered, when, with what.
        let mut due: Option<(usize, usize, u64)> = None;
        for cycle in 10..20_000 {
            let room = rng.gen_bool(0.5);
            for offer in &mut offers {
                let chance = if cycle < 10_000 { 1.0 } else { 0.1 };
                if offer.is_none() && rng.gen_bool(chance) {
                    *offer = Some((rng.gen_range(0..1u64 << INDEX_WIDTH), u64::from(rng.gen::<u32>())));
                }
            }
            let (index, data) = offers[NETWORK_WRITE].unwrap_or_default();
            dut.network_write.valid.next = offers[NETWORK_WRITE].is_some();
            dut.network_write.index.next = index.into();
            dut.network_write.data.next = data.into();
            let (index, data) = offers[LOCAL_WRITE].unwrap_or_default();
            dut.local_write.valid.next = offers[LOCAL_WRITE].is_some();
            dut.local_write.index.next = index.into();
            dut.local_write.data.next = data.into();
            dut.dma_read.valid.next = offers[DMA_READ].is_some();
            dut.dma_read.index.next = offers[DMA_READ].unwrap_or_default().0.into();
            dut.local_read.valid.next = offers[LOCAL_READ].is_some();
            dut.local_read.index.next = offers[LOCAL_READ].unwrap_or_default().0.into();
            dut.release_ready.next = room;
            // Only in the cycle in which it has to be there does the answer stand.
            let told = due.filter(|(at, ..)| *at == cycle + 1);
            dut.access.answer.next = told
                .map_or_else(|| rng.gen_range(0..1 << 32), |(.., answer)| answer)
                .into();
            settle(&mut dut);

            let ready = [
                dut.network_write.ready.val(),
                dut.dma_read.ready.val(),
                dut.local_write.ready.val(),
                dut.local_read.ready.val(),
            ];
            let writes = ready[NETWORK_WRITE] || ready[LOCAL_WRITE];
            let reads = ready[DMA_READ] || ready[LOCAL_READ];
            assert_eq!((dut.access.write.val(), dut.access.read.val()), (writes, reads));
            let valid = [dut.dma_read.data_valid.val(), dut.local_read.data_valid.val()];
            let expected = due.filter(|(at, ..)| *at == cycle);
            assert_eq!(
                valid,
                [DMA_READ, LOCAL_READ].map(|source| expected.is_some_and(|(_, of, _)| of == source)),
                "cycle {cycle}"
            );
            if let Some((_, _, answer)) = expected {
                assert_eq!(
                    (dut.dma_read.data.val(), dut.local_read.data.val()),
                    (answer.into(), answer.into())
                );
                due = None;
            }
            let mut of_this_cycle = (0..SOURCES).filter(|&source| ready[source]);
            if let Some(source) = of_this_cycle.next() {
                assert_eq!(of_this_cycle.next(), None);
                assert!(cycle >= free, "cycle {cycle}");
                let (index, data) = offers[source].take().expect("nothing is taken that is not offered");
                let is_command = writes && index >> BLOCK_OFFSET == Registers::Command as u64;
                free = cycle + if is_command { COMMAND_CYCLES } else { ACCESS_CYCLES };
                assert_eq!(dut.access.index.val(), index);
                if writes {
                    assert_eq!(dut.access.data.val(), data);
                } else {
                    due = Some((cycle + ANSWER_CYCLES + 1, source, u64::from(rng.gen::<u32>())));
                }
                served[source] += 1;
                waited[source] = 0;
            }
            for (source, waited) in waited.iter_mut().enumerate() {
                let is_release = offers[source].is_some_and(|(index, _)| index >> BLOCK_OFFSET == 8);
                let may_wait = is_release && (source == NETWORK_WRITE || source == LOCAL_WRITE);
                *waited += usize::from(offers[source].is_some());
                held += usize::from(may_wait && !room);
                assert!(
                    may_wait || *waited <= (SOURCES + 1) * ACCESS_CYCLES,
                    "source {source}, cycle {cycle}"
                );
            }
            clock(&mut dut);
        }
        assert!(
            served.iter().all(|&served| served > 500) && held > 100,
            "{served:?}, {held}"
        );
    }

    #[test]
    fn words_of_descriptors_follow_each_other_and_other_accesses_wait_as_ever() {
        let mut dut = reset(RegisterBus::new(&Build::FULL));
        let command = (Registers::Command as u64) << BLOCK_OFFSET;
        let events = (Registers::Events as u64) << BLOCK_OFFSET;
        dut.network_write.valid.next = true;
        let mut taken = vec![];
        for index in [command, command, events, command, command] {
            dut.network_write.index.next = index.into();
            settle(&mut dut);
            while !dut.network_write.ready.val() {
                clock(&mut dut);
                taken.push(dut.network_write.ready.val());
            }
            // The network's next word shows two cycles after it is taken.
            clock(&mut dut);
            taken.push(false);
            clock(&mut dut);
            taken.push(dut.network_write.ready.val());
        }
        let at: Vec<usize> = (0..taken.len()).filter(|&cycle| taken[cycle]).collect();
        let gaps: Vec<usize> = at.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let [short, long] = [COMMAND_CYCLES, ACCESS_CYCLES];
        assert_eq!(gaps, [short, short, long, short]);
    }

    #[test]
    fn nothing_is_taken_while_a_write_is_not_done() {
        let mut dut = reset(RegisterBus::new(&Build::FULL));
        dut.local_write.valid.next = true;
        dut.hold.next = true;
        for _ in 0..3 * ACCESS_CYCLES {
            clock(&mut dut);
            assert!(!dut.local_write.ready.val() && !dut.access.write.val());
        }
        dut.hold.next = false;
        clock(&mut dut);
        assert!(dut.local_write.ready.val() && dut.access.write.val());
    }

    #[test]
    fn a_release_is_not_taken_without_room() {
        let mut dut = reset(RegisterBus::new(&Build::FULL));
        for (room, index, taken) in [
            (false, (Registers::Release as u64) << BLOCK_OFFSET, false),
            (false, 0, true),
            (true, (Registers::Release as u64) << BLOCK_OFFSET, true),
        ] {
            dut.release_ready.next = room;
            dut.network_write.valid.next = true;
            dut.network_write.index.next = index.into();
            let mut seen = false;
            for _ in 0..ACCESS_CYCLES {
                clock(&mut dut);
                seen |= dut.network_write.ready.val();
                dut.network_write.valid.next &= !dut.network_write.ready.val();
            }
            assert_eq!(seen, taken, "index {index:#x}");
        }
    }
}
