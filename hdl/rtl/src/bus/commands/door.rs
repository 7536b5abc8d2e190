use super::PadMatch;
use crate::prim::{StreamIn, StreamOut};
use portico_spec::{
    ni::command::{OPCODE_OFFSET, OPCODE_WIDTH},
    parts::{Part, OPCODE_RUN},
};
use portico_verilog::prelude::*;

/// Low bits of an opcode that number it in the run of an engine.
const RUN_WIDTH: usize = OPCODE_RUN.ilog2() as usize;
/// Bits of an opcode that select the run, and with it the engine.
const OWNER_WIDTH: usize = OPCODE_WIDTH - RUN_WIDTH;

/// Gives each descriptor to the engine that has its opcode, and all other descriptors to the requester. Drops the pads in front of a
/// descriptor.
///
/// A stream of descriptors, one port an engine.
///
/// | | |
/// | --- | --- |
/// | latency | combinational, both ways |
/// | throughput | one word a cycle |
/// | state | which taker has the descriptor in hand |
///
/// A descriptor waits while its port is not ready; the descriptors behind it in the same stream wait with it.
#[derive(LogicBlock, Default)]
pub struct CommandDoor {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: a first word comes next.
    pub rst: Signal<In, Bit>,
    /// Descriptors word by word, with the pads in front of them.
    pub s_axis: StreamIn<32>,
    /// For the requester.
    pub m_axis: StreamOut<32>,
    /// For engines, in the order of their seats.
    pub engine: Vec<StreamOut<32>>,
    owner: Vec<Constant<Bits<OWNER_WIDTH>>>,
    /// The word is not the first of its descriptor; the engine that takes the descriptor.
    midway: DFF<Bit>,
    held: Vec<DFF<Bit>>,
    mine: Vec<Signal<Local, Bit>>,
    asked: Signal<Local, Bits<OWNER_WIDTH>>,
    others: Signal<Local, Bit>,
    pad: PadMatch,
    ready: Signal<Local, Bit>,
    _engines: usize,
}

impl CommandDoor {
    /// For these engines, which the table of parts has found to have opcodes.
    pub fn new(engines: &[Part]) -> Self {
        let owner = |part: &Part| {
            let opcodes = part.opcodes.expect("an engine has opcodes");
            Constant::new(bits(u64::from(opcodes.first) >> RUN_WIDTH))
        };
        Self {
            engine: engines.iter().map(|_| Default::default()).collect(),
            owner: engines.iter().map(owner).collect(),
            held: engines.iter().map(|_| Default::default()).collect(),
            mine: engines.iter().map(|_| Default::default()).collect(),
            _engines: engines.len(),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for CommandDoor {
    fn update(&mut self) {
        dff_setup!(self, clk, midway);
        self.asked.next = self
            .s_axis
            .tdata
            .val()
            .get_bits::<OWNER_WIDTH>(OPCODE_OFFSET + RUN_WIDTH);
        self.pad.word.next = self.s_axis.tdata.val();
        self.pad.first.next = !self.midway.q.val();
        self.pad.last.next = self.s_axis.tlast.val();
        self.others.next = false;
        self.ready.next = self.pad.is_pad.val();
        for i in 0..self._engines {
            self.held[i].clock.next = self.clk.val();
            self.mine[i].next = self.asked.val() == self.owner[i].val();
            if self.midway.q.val() {
                self.mine[i].next = self.held[i].q.val();
            }
            self.held[i].d.next = self.mine[i].val();
            wire!(s_axis => engine[i]: tdata, tlast);
            self.engine[i].tvalid.next = self.s_axis.tvalid.val() & self.mine[i].val();
            self.others.next = self.others.val() | self.mine[i].val();
            self.ready.next = self.ready.val() | (self.mine[i].val() & self.engine[i].tready.val());
        }
        wire!(s_axis => m_axis: tdata, tlast);
        self.m_axis.tvalid.next = self.s_axis.tvalid.val() & !self.others.val() & !self.pad.is_pad.val();
        self.s_axis.tready.next = self.ready.val() | (!self.others.val() & self.m_axis.tready.val());
        if self.s_axis.tvalid.val() & self.s_axis.tready.val() {
            self.midway.d.next = !self.s_axis.tlast.val() & !self.pad.is_pad.val();
        }
        if self.rst.val() {
            self.midway.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle};
    use portico_spec::parts::{Opcodes, PROBE};
    use rand::Rng;
    use std::collections::VecDeque;

    clocked!([] CommandDoor);

    /// Words that go to no port.
    const PADS: usize = 3;

    fn engine(first: u8) -> Part {
        let last = first + OPCODE_RUN as u8 - 1;
        Part {
            opcodes: Some(Opcodes { first, last }),
            ..PROBE
        }
    }

    #[test]
    fn descriptors_go_whole_to_the_port_of_their_opcode_and_a_port_holds_nobody_but_those_behind() {
        let mut rng = rng(0xd002);
        let mut dut = reset(CommandDoor::new(&[engine(16), engine(24)]));
        let port = |opcode: u64| match opcode {
            16..=19 => 1,
            24..=27 => 2,
            _ => 0,
        };
        let mut stream: VecDeque<(usize, u64, bool)> = VecDeque::new();
        let mut due: [VecDeque<(u64, bool)>; 3] = Default::default();
        let (mut passed, mut pads) = ([0; 3], 0);
        for cycle in 0..20_000 {
            if stream.is_empty() {
                let (opcode, words) = (rng.gen_range(0..32u64), rng.gen_range(1..6));
                let opcode = if words > 1 { opcode.max(1) } else { opcode };
                for _ in 0..rng.gen_range(0..12u32).saturating_sub(8) {
                    stream.push_back((PADS, u64::from(rng.gen::<u32>()) & !31, false));
                }
                for word in 0..words {
                    let data =
                        u64::from(rng.gen::<u32>()) & !31 | if word == 0 { opcode } else { rng.gen_range(0..32) };
                    stream.push_back((port(opcode), data, word + 1 == words));
                    due[port(opcode)].push_back((data, word + 1 == words));
                }
            }
            let offers = rng.gen_bool(0.8);
            let (to, data, last) = stream[0];
            dut.s_axis.tvalid.next = offers;
            dut.s_axis.tdata.next = data.into();
            dut.s_axis.tlast.next = last;
            let ready: [bool; 3] = std::array::from_fn(|_| rng.gen());
            dut.m_axis.tready.next = ready[0];
            dut.engine[0].tready.next = ready[1];
            dut.engine[1].tready.next = ready[2];
            settle(&mut dut);
            let takes = to == PADS || ready[to];
            assert_eq!(dut.s_axis.tready.val(), takes, "cycle {cycle}");
            if to == PADS && offers {
                stream.pop_front();
                pads += 1;
            }
            for (at, out) in [&dut.m_axis, &dut.engine[0], &dut.engine[1]].into_iter().enumerate() {
                assert_eq!(out.tvalid.val(), offers && at == to, "cycle {cycle}, port {at}");
                if out.tvalid.val() && ready[at] {
                    let word = (out.tdata.val().to_u64(), out.tlast.val());
                    assert_eq!(Some(word), due[at].pop_front());
                    passed[at] += 1;
                    stream.pop_front();
                }
            }
            clock(&mut dut);
        }
        assert!(
            passed.iter().all(|words| *words > 500) && pads > 500,
            "{passed:?}, {pads} pads"
        );
    }
}
