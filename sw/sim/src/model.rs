//! A running model: ports by name, then set, settle, get and tick.

use crate::loaded::{Awaited, Handle, Loaded};
use crate::port::Slot;
use crate::source::RESET;
use crate::{Direction, Input, Output, SimError};
use std::sync::Arc;

/// A design in some state: own registers, own inputs, own count of cycles.
///
/// A new model has all inputs 0, all registers 0 or their initial value, and has seen no clock edge.
pub struct Model {
    pub(crate) loaded: Arc<Loaded>,
    pub(crate) handle: Handle,
    inputs: Box<[u32]>,
    outputs: Box<[u32]>,
    reset: Option<Input>,
    cycle: u64,
    settled: bool,
}

// SAFETY: the handle is the only pointer to the C++ object, which has a VerilatedContext of its own and keeps no state
// in the thread; nothing of it can be reached through a shared reference.
unsafe impl Send for Model {}

impl Model {
    pub(crate) fn new(loaded: Arc<Loaded>) -> Self {
        let handle = loaded.create();
        let layout = &loaded.layout;
        let reset = layout.inputs.iter().find(|placed| placed.port.name == RESET);
        Model {
            handle,
            inputs: vec![0; layout.input_words].into(),
            outputs: vec![0; layout.output_words].into(),
            reset: reset.map(|placed| Input(Slot::of(placed))),
            cycle: 0,
            settled: false,
            loaded,
        }
    }

    /// The input of this name.
    ///
    /// # Errors
    /// [`SimError::NoPort`], with the names that are near. The clock is none: ticks drive it.
    pub fn input(&self, name: &str) -> Result<Input, SimError> {
        self.loaded
            .find(Direction::Input, name)
            .map(|placed| Input(Slot::of(placed)))
    }

    /// The output of this name.
    ///
    /// # Errors
    /// [`SimError::NoPort`], with the names that are near.
    pub fn output(&self, name: &str) -> Result<Output, SimError> {
        self.loaded
            .find(Direction::Output, name)
            .map(|placed| Output(Slot::of(placed)))
    }

    /// Sets an input from now on; wider ones get zeros above bit 63.
    ///
    /// # Panics
    /// If the value has more bits than the input.
    pub fn set(&mut self, input: Input, value: u64) {
        let slot = input.0;
        assert!(
            slot.width >= 64 || value >> slot.width == 0,
            "{value:#x} does not fit input `{}` of {} bits",
            self.loaded.name(Direction::Input, slot.word),
            slot.width
        );
        let port = &mut self.inputs[slot.range()];
        port[0] = value as u32;
        if let Some((second, rest)) = port[1..].split_first_mut() {
            *second = (value >> 32) as u32;
            rest.fill(0);
        }
        self.settled = false;
    }

    /// An output as a number, as of the last [`settle`](Model::settle) or [`tick`](Model::tick).
    ///
    /// # Panics
    /// If the output is wider than 64 bits.
    pub fn get(&self, output: Output) -> u64 {
        let slot = output.0;
        match self.outputs[slot.range()] {
            [low] => low.into(),
            [low, high] => u64::from(high) << 32 | u64::from(low),
            _ => panic!(
                "output `{}` has {} bits, more than 64: use get_words",
                self.loaded.name(Direction::Output, slot.word),
                slot.width
            ),
        }
    }

    /// Sets an input of any width from little-endian words.
    ///
    /// # Panics
    /// If there are not exactly as many words as the input needs, or the last has bits beyond it.
    pub fn set_words(&mut self, input: Input, value: &[u32]) {
        let slot = input.0;
        let fits = value.len() == slot.range().len() && value.last().is_some_and(|top| top & !slot.top_mask() == 0);
        assert!(
            fits,
            "{value:#x?} does not fit input `{}` of {} bits",
            self.loaded.name(Direction::Input, slot.word),
            slot.width
        );
        self.inputs[slot.range()].copy_from_slice(value);
        self.settled = false;
    }

    /// An output of any width as little-endian words, as of the last [`settle`](Model::settle) or
    /// [`tick`](Model::tick).
    pub fn get_words(&self, output: Output) -> &[u32] {
        &self.outputs[output.0.range()]
    }

    /// Lets the logic follow the inputs, with the clock low, and takes the outputs. No time passes.
    pub fn settle(&mut self) {
        if !self.settled {
            self.loaded.settle(self.handle, &self.inputs, &mut self.outputs);
            self.settled = true;
        }
    }

    /// Ends the cycle: settles, then gives the rising edge of the clock. The outputs stay those from before the edge
    /// until the next [`settle`](Model::settle).
    pub fn tick(&mut self) {
        self.settle();
        self.loaded.edge(self.handle);
        self.settled = false;
        self.cycle += 1;
    }

    /// Clock edges given so far; the number of the cycle that is under way.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Ticks `cycles` times with the inputs as they are.
    pub fn run(&mut self, cycles: u64) {
        if cycles > 0 {
            self.loaded.run(self.handle, &self.inputs, &mut self.outputs, cycles);
            self.settled = false;
            self.cycle += cycles;
        }
    }

    /// Ticks with the inputs as they are until the settled `output` is `value`, and says after how many ticks that was;
    /// the model then stands settled in that cycle, before its edge. None if it is not so after `limit` ticks.
    ///
    /// # Panics
    /// If the output is wider than 64 bits.
    pub fn run_until(&mut self, output: Output, value: u64, limit: u64) -> Option<u64> {
        let slot = output.0;
        assert!(
            slot.width <= 64,
            "output `{}` has {} bits, more than 64: tick, and use get_words",
            self.loaded.name(Direction::Output, slot.word),
            slot.width
        );
        let awaited = Awaited {
            word: slot.word,
            words: slot.range().len() as u32,
            value,
            limit,
        };
        let (found, ticks) = self
            .loaded
            .run_until(self.handle, &self.inputs, &mut self.outputs, &awaited);
        self.settled = true;
        self.cycle += ticks;
        found.then_some(ticks)
    }

    /// Ticks `cycles` times with `rst` high, and leaves it low.
    ///
    /// # Panics
    /// If the top has no input `rst`.
    pub fn reset(&mut self, cycles: u64) {
        let Some(reset) = self.reset else {
            panic!("`{}` has no input `{RESET}`", self.loaded.top)
        };
        self.set(reset, 1);
        self.run(cycles);
        self.set(reset, 0);
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.loaded.destroy(self.handle);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{counter, quick};
    use crate::{build, Source};

    fn started() -> (Model, Input, Output) {
        let mut model = build(counter(), &quick()).unwrap().model();
        let (enable, count) = (model.input("enable").unwrap(), model.output("count").unwrap());
        model.reset(2);
        (model, enable, count)
    }

    #[test]
    fn outputs_after_a_tick_are_those_before_its_edge() {
        let (mut model, enable, count) = started();
        assert_eq!(model.cycle(), 2);
        model.set(enable, 1);
        for expected in 0..300 {
            model.tick();
            assert_eq!(model.get(count), expected % 256);
        }
        model.settle();
        assert_eq!(model.get(count), 300 % 256);
        model.set(enable, 0);
        model.run(10);
        assert_eq!((model.get(count), model.cycle()), (300 % 256, 312));
        model.reset(1);
        model.settle();
        assert_eq!(model.get(count), 0);
    }

    #[test]
    fn run_until_stands_before_the_edge_of_the_cycle_it_looks_for() {
        let (mut model, enable, count) = started();
        let last = model.output("last").unwrap();
        model.set(enable, 1);
        assert_eq!(model.run_until(last, 1, 254), None);
        assert_eq!((model.get(count), model.cycle()), (254, 256));
        assert_eq!(model.run_until(last, 1, 1), Some(1));
        assert_eq!(model.get(count), 255);
        assert_eq!(model.run_until(last, 1, 0), Some(0));
        model.tick();
        assert_eq!(model.run_until(last, 1, 1000), Some(255));
        assert_eq!(model.cycle(), 2 + 255 + 256);
        assert_eq!(model.run_until(count, 7, 1000), Some(8));
    }

    #[test]
    fn models_of_one_library_are_independent_and_may_move_to_threads() {
        let library = build(counter(), &quick()).unwrap();
        let counts = [3, 70].map(|cycles| {
            let mut model = library.model();
            std::thread::spawn(move || {
                let (enable, count) = (model.input("enable").unwrap(), model.output("count").unwrap());
                model.reset(1);
                model.set(enable, 1);
                model.run(cycles);
                model.settle();
                model.get(count)
            })
        });
        assert_eq!(counts.map(|thread| thread.join().unwrap()), [3, 70]);
        let mut fresh = library.model();
        fresh.settle();
        assert_eq!(fresh.get(fresh.output("count").unwrap()), 0);
    }

    /// A hundred bits and one to carry; a word that straddles; a name with two underscores.
    fn adder() -> Source {
        let text = "
module adder (input wire [99:0] a, input wire [99:0] b, output wire [100:0] sum, output wire [39:0] mid__bits);
    assign sum = {1'b0, a} + {1'b0, b};
    assign mid__bits = sum[69:30];
endmodule
";
        Source::new("adder", text)
            .input("a", 100)
            .input("b", 100)
            .output("sum", 101)
            .output("mid__bits", 40)
    }

    fn to_words(value: u128) -> [u32; 4] {
        [0, 32, 64, 96].map(|shift| (value >> shift) as u32)
    }

    #[test]
    fn wide_ports_keep_every_bit() {
        let mut model = build(adder(), &quick()).unwrap().model();
        let (a, b) = (model.input("a").unwrap(), model.input("b").unwrap());
        let (sum, middle) = (model.output("sum").unwrap(), model.output("mid__bits").unwrap());
        assert_eq!((a.width(), sum.width()), (100, 101));
        let ones = (1 << 100) - 1;
        let mut one: u128 = 0x0123_4567_89ab_cdef_0011_2233;
        for _ in 0..100 {
            one = one.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835) & ones;
            for other in [ones, one.rotate_left(33) & ones, 0] {
                model.set_words(a, &to_words(one));
                model.set_words(b, &to_words(other));
                model.settle();
                assert_eq!(model.get_words(sum), to_words(one + other));
                assert_eq!(model.get(middle), ((one + other) >> 30) as u64 & ((1 << 40) - 1));
            }
        }
        model.set(a, u64::MAX);
        model.set(b, 1);
        model.tick();
        assert_eq!(model.get_words(sum), [0, 0, 1, 0]);
        assert_eq!(model.cycle(), 1);
    }

    fn panics(act: impl FnOnce(&mut Model) + std::panic::UnwindSafe) -> String {
        let mut model = build(adder(), &quick()).unwrap().model();
        let act = std::panic::AssertUnwindSafe(|| act(&mut model));
        *std::panic::catch_unwind(act).unwrap_err().downcast::<String>().unwrap()
    }

    #[test]
    fn a_value_that_does_not_fit_its_port_names_it() {
        let message = panics(|model| {
            let b = model.input("b").unwrap();
            model.set_words(b, &[0, 0, 0, 16]);
        });
        assert!(message.contains("`b`") && message.contains("100 bits"), "{message}");
        let message = panics(|model| {
            let sum = model.output("sum").unwrap();
            model.get(sum);
        });
        assert!(message.contains("`sum`") && message.contains("101 bits"), "{message}");
        let message = panics(|model| model.reset(1));
        assert!(message.contains("`adder` has no input `rst`"), "{message}");
    }

    #[test]
    fn combinational_paths_settle_without_a_tick() {
        let source = Source::new(
            "pass",
            "module pass (input wire [63:0] a, output wire [63:0] y); assign y = ~a; endmodule",
        );
        let mut model = build(source.input("a", 64).output("y", 64), &quick()).unwrap().model();
        let (a, y) = (model.input("a").unwrap(), model.output("y").unwrap());
        for value in [0, u64::MAX, 0x0123_4567_89ab_cdef, 1 << 63] {
            model.set(a, value);
            model.settle();
            assert_eq!(model.get(y), !value);
        }
        assert_eq!(model.cycle(), 0);
    }
}
