use crate::prim::{StreamIn, StreamOut};
use portico_verilog::prelude::*;

/// Joins the two sources of descriptors, one descriptor at a time, in turn.
///
/// Whole descriptors of either source.
///
/// | | |
/// | --- | --- |
/// | latency | combinational, both ways |
/// | throughput | one word a cycle |
/// | fairness | a source that waits is next |
/// | state | 3 flip-flops |
#[derive(LogicBlock, Default)]
pub struct CommandSelect {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// From a neighbour: an accelerator or a processor.
    pub s_axis_command: StreamIn<32>,
    /// From the command queue.
    pub queued: StreamIn<32>,
    /// Descriptors of both sources, each from its first word to its last.
    pub m_axis: StreamOut<32>,
    /// The choice is made, and holds until the descriptor's last word has passed.
    settled: DFF<Bit>,
    chose_queued: DFF<Bit>,
    queued_first: DFF<Bit>,
    choice: Signal<Local, Bit>,
    offered: Signal<Local, Bit>,
}

#[kernel]
impl Logic for CommandSelect {
    fn update(&mut self) {
        dff_setup!(self, clk, settled, chose_queued, queued_first);
        self.choice.next = self.queued.tvalid.val() & (self.queued_first.q.val() | !self.s_axis_command.tvalid.val());
        if self.settled.q.val() {
            self.choice.next = self.chose_queued.q.val();
        }
        if self.choice.val() {
            self.offered.next = self.queued.tvalid.val();
            wire!(queued => m_axis: tdata, tlast);
        } else {
            self.offered.next = self.s_axis_command.tvalid.val();
            wire!(s_axis_command => m_axis: tdata, tlast);
        }
        self.m_axis.tvalid.next = self.offered.val();
        self.queued.tready.next = self.choice.val() & self.m_axis.tready.val();
        self.s_axis_command.tready.next = !self.choice.val() & self.m_axis.tready.val();
        if self.offered.val() {
            self.settled.d.next = !(self.m_axis.tready.val() & self.m_axis.tlast.val());
            self.chose_queued.d.next = self.choice.val();
            self.queued_first.d.next = !self.choice.val();
        }
        if self.rst.val() {
            self.settled.d.next = false;
            self.queued_first.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle};
    use rand::Rng;

    clocked!([] CommandSelect);

    #[test]
    fn descriptors_stay_whole_and_sources_take_turns() {
        let mut rng = rng(0x5e1);
        let mut dut = reset(CommandSelect::default());
        // A word is its source, the number of its descriptor and of itself.
        let mut next = [(0u64, 0u64, rng.gen_range(1..6)), (0, 0, rng.gen_range(1..6))];
        let mut offers = [false; 2];
        let mut current: Option<(u64, u64, u64)> = None;
        let (mut streak, mut longest, mut served) = ([0; 2], 0, [0; 2]);
        let mut held: Option<(u64, bool)> = None;
        for cycle in 0..8_000 {
            let busy = cycle > 4_000;
            for source in 0..2 {
                offers[source] |= busy || rng.gen_bool(0.5);
                let (descriptor, word, words) = next[source];
                let port = if source == 0 {
                    &mut dut.s_axis_command
                } else {
                    &mut dut.queued
                };
                port.tvalid.next = offers[source];
                port.tdata.next = ((source as u64) << 31 | descriptor << 4 | word).into();
                port.tlast.next = word + 1 == words;
            }
            dut.m_axis.tready.next = rng.gen_bool(0.7);
            settle(&mut dut);
            let word = (dut.m_axis.tdata.val().to_u64(), dut.m_axis.tlast.val());
            if let Some(held) = held {
                assert_eq!(word, held, "an offer changed");
            }
            held = None;
            let taken = [dut.s_axis_command.tready.val(), dut.queued.tready.val()];
            let offered = current.map_or(offers[0] || offers[1], |(source, ..)| offers[source as usize]);
            assert_eq!(dut.m_axis.tvalid.val(), offered, "cycle {cycle}");
            if dut.m_axis.tvalid.val() && !dut.m_axis.tready.next {
                held = Some(word);
            }
            if dut.m_axis.tvalid.val() && dut.m_axis.tready.next {
                let source = (word.0 >> 31) as usize;
                assert!(taken[source] && !taken[1 - source]);
                let (descriptor, at, words) = next[source];
                let expected = current.unwrap_or((source as u64, descriptor, 0));
                assert_eq!((source as u64, descriptor, at), expected, "descriptors were mixed");
                offers[source] = false;
                if word.1 {
                    current = None;
                    next[source] = (descriptor + 1, 0, rng.gen_range(1..6));
                    served[source] += 1;
                    streak[source] += 1;
                    streak[1 - source] = 0;
                    if busy {
                        longest = longest.max(streak[source]);
                    } else {
                        streak = [0; 2];
                    }
                } else {
                    current = Some((source as u64, descriptor, at + 1));
                    next[source] = (descriptor, at + 1, words);
                }
            }
            clock(&mut dut);
        }
        assert!(served[0] > 500 && served[1] > 500);
        assert_eq!(longest, 1, "two of one source while the other waited");
    }
}
