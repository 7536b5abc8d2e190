//! Clocking and stream traffic for unit tests.

use super::{StreamIn, StreamOut};
use portico_verilog::prelude::*;
use rand::{rngs::SmallRng, Rng, SeedableRng};
use std::collections::VecDeque;

/// More update passes than the deepest block needs to settle.
const PASSES: usize = 100;

/// A block that a test clocks.
pub(crate) trait Clocked: Block {
    fn clk(&mut self) -> &mut Signal<In, Clock>;
    fn rst(&mut self) -> &mut Signal<In, Bit>;
}

/// Names the clock and reset of blocks: `clocked!([const N: usize] Arbiter<N>)`.
macro_rules! clocked {
    ([$($generics:tt)*] $block:ty) => {
        impl<$($generics)*> crate::prim::testing::Clocked for $block {
            fn clk(&mut self) -> &mut Signal<In, Clock> {
                &mut self.clk
            }

            fn rst(&mut self) -> &mut Signal<In, Bit> {
                &mut self.rst
            }
        }
    };
}
pub(crate) use clocked;

/// One whole cycle of a block that has a clock and no reset.
macro_rules! clock_edge {
    ($dut:ident) => {
        crate::prim::testing::settle(&mut $dut);
        for level in [true, false] {
            $dut.clk.next = Clock { clk: level };
            crate::prim::testing::settle(&mut $dut);
        }
    };
}
pub(crate) use clock_edge;

/// The Verilog of a block; panics with the backend's words if it refuses.
pub(crate) fn emitted(name: &str, block: &dyn Block) -> String {
    let options = portico_verilog::Options {
        generator: "Test 1.0".into(),
        licence: String::new(),
        prefix: "test".into(),
        block: name.into(),
        configuration: vec![],
        keep_apart: vec![],
    };
    let design = portico_verilog::emit(block, &options).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(design.text().contains(&design.top));
    design.text()
}

/// Lets inputs reach the outputs.
pub(crate) fn settle(dut: &mut impl Block) {
    assert!(simulate(dut, PASSES), "combinational logic does not settle");
}

/// One whole cycle, from inputs set in the low half to outputs settled after the edge.
pub(crate) fn clock(dut: &mut impl Clocked) {
    settle(dut);
    for level in [true, false] {
        dut.clk().next = Clock { clk: level };
        settle(dut);
    }
}

/// Connects a block and takes it through one cycle of reset.
pub(crate) fn reset<B: Clocked>(mut dut: B) -> B {
    dut.connect_all();
    dut.rst().next = true;
    clock(&mut dut);
    dut.rst().next = false;
    settle(&mut dut);
    dut
}

/// Runs a test on a stack that a node or an engine by value fits.
pub(crate) fn on_a_deep_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(test);
    if let Err(panic) = thread.expect("a thread").join() {
        std::panic::resume_unwind(panic);
    }
}

/// Random numbers from a seed that a failing test shows.
pub(crate) fn rng(seed: u64) -> SmallRng {
    println!("seed {seed:#x}");
    SmallRng::seed_from_u64(seed)
}

/// How busy the two sides of a queue are: in turn the writer, the reader, both and neither prevail, for long enough to
/// fill or empty the queue.
pub(crate) struct Phases {
    length: usize,
}

impl Phases {
    /// (chance of a write, chance of a read) in each phase.
    const CHANCES: [(f64, f64); 4] = [(0.95, 0.05), (0.05, 0.95), (1.0, 1.0), (0.5, 0.5)];

    pub(crate) fn new(depth: usize) -> Self {
        Self { length: 2 * depth + 20 }
    }

    /// Cycles in which a queue goes round several times.
    pub(crate) fn cycles(&self) -> usize {
        5 * Self::CHANCES.len() * self.length
    }

    /// Whether to write and to read in `cycle`.
    pub(crate) fn draw(&self, cycle: usize, rng: &mut SmallRng) -> (bool, bool) {
        let (write, read) = Self::CHANCES[cycle / self.length % Self::CHANCES.len()];
        (rng.gen_bool(write), rng.gen_bool(read))
    }
}

/// A block from stream to stream.
pub(crate) trait Streamed: Clocked {
    fn s_axis(&mut self) -> &mut StreamIn<32>;
    fn m_axis(&mut self) -> &mut StreamOut<32>;
}

/// Names the streams of blocks: `streamed!([const A: usize] Fifo<32, A>)`.
macro_rules! streamed {
    ([$($generics:tt)*] $block:ty) => {
        impl<$($generics)*> crate::prim::testing::Streamed for $block {
            fn s_axis(&mut self) -> &mut StreamIn<32> {
                &mut self.s_axis
            }

            fn m_axis(&mut self) -> &mut StreamOut<32> {
                &mut self.m_axis
            }
        }
    };
}
pub(crate) use streamed;

/// Holds a block to be a queue of `depth` beats with a latency of one cycle: a beat taken is offered in the next cycle, and
/// one is taken whenever there is room at the start of the cycle. Idle cycles and back-pressure at random, and resets in
/// mid-flight.
pub(crate) fn queues_beats(dut: impl Streamed, depth: usize) {
    let mut rng = rng(0x57ea + depth as u64);
    let mut dut = reset(dut);
    let mut model = VecDeque::new();
    let mut waiting = None;
    let (mut full, mut empty, mut passed) = (0, 0, 0);
    let phases = Phases::new(depth);
    for cycle in 0..phases.cycles() {
        let (offer, tready) = phases.draw(cycle, &mut rng);
        if offer && waiting.is_none() {
            waiting = Some((u64::from(rng.gen::<u32>()), rng.gen()));
        }
        let rst = rng.gen_bool(0.000_5);
        let (tdata, tlast) = waiting.unwrap_or_default();
        dut.s_axis().tvalid.next = waiting.is_some();
        dut.s_axis().tdata.next = tdata.into();
        dut.s_axis().tlast.next = tlast;
        dut.m_axis().tready.next = tready;
        dut.rst().next = rst;
        settle(&mut dut);

        let has_room = model.len() < depth;
        assert_eq!(dut.s_axis().tready.val(), has_room, "depth {depth}, cycle {cycle}");
        let offered = dut.m_axis();
        let beat = offered
            .tvalid
            .val()
            .then(|| (offered.tdata.val().to_u64(), offered.tlast.val()));
        assert_eq!(beat, model.front().copied(), "depth {depth}, cycle {cycle}");

        full += usize::from(!has_room && waiting.is_some());
        empty += usize::from(model.is_empty() && tready);
        clock(&mut dut);
        if tready && model.pop_front().is_some() {
            passed += 1;
        }
        if has_room {
            model.extend(waiting.take());
        }
        if rst {
            model.clear();
            waiting = None;
        }
    }
    assert!(
        full > 0 && empty > 0 && passed > 4 * depth,
        "depth {depth}: a corner was not reached"
    );
}
