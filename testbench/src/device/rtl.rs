//! rust-hdl's simulator as a [`Device`]: any block, its clock toggled directly.
//!
//! Outputs are found by name through rust-hdl's `Probe`; inputs have no such door, so [`rtl_device!`](crate::rtl_device)
//! lists them:
//!
//! ```
//! use portico_hdl::prim::SkidBuffer;
//! use portico_testbench::{device::Device, rtl_device};
//!
//! let device = rtl_device!(
//!     SkidBuffer::<32>::default();
//!     rst, s_axis.tdata, s_axis.tlast, s_axis.tvalid, m_axis.tready
//! );
//! assert!(device.input("s_axis_tdata").is_some() && device.output("m_axis_tdata").is_some());
//! ```

use super::{Device, Input, Output};
use rust_hdl::prelude::*;

/// Passes in which any block of this project settles; a logic loop does not.
const SETTLE_PASSES: usize = 200;

type Driver<B> = Box<dyn Fn(&mut B, u64)>;

/// A rust-hdl block and its ports. Made by [`rtl_device!`](crate::rtl_device).
pub struct RtlDevice<B: Block> {
    dut: B,
    clock: fn(&mut B, bool),
    inputs: Vec<(String, Driver<B>)>,
    output_names: Vec<String>,
    output_words: Vec<u64>,
    settled: bool,
}

/// Makes an [`RtlDevice`] of a block with a `clk`: after the block, its other inputs, `rst` too, as fields of the block.
#[macro_export]
macro_rules! rtl_device {
    ($block:expr; $($inputs:tt)*) => {{
        let mut device = $crate::device::rtl::RtlDevice::new($block, |dut, level| dut.clk.next = level.into());
        $crate::rtl_device!(@bind device [] $($inputs)*);
        device
    }};
    (@bind $device:ident []) => {};
    (@bind $device:ident [$($path:tt)+]) => {
        $device.bind(stringify!($($path)+), |dut, word| $crate::device::rtl::drive(&mut dut.$($path)+, word));
    };
    (@bind $device:ident [$($path:tt)+], $($rest:tt)*) => {
        $crate::rtl_device!(@bind $device [$($path)+]);
        $crate::rtl_device!(@bind $device [] $($rest)*);
    };
    (@bind $device:ident [$($path:tt)*] $next:tt $($rest:tt)*) => {
        $crate::rtl_device!(@bind $device [$($path)* $next] $($rest)*);
    };
}

/// A type of signal that a number can drive.
pub trait Word: Synth {
    /// The value whose bits are those of `word`, which fits.
    fn from_word(word: u64) -> Self;
}

impl Word for Bit {
    fn from_word(word: u64) -> Self {
        word != 0
    }
}

impl<const N: usize> Word for Bits<N> {
    fn from_word(word: u64) -> Self {
        word.to_bits()
    }
}

/// Drives an input of a block.
///
/// # Panics
/// `word` is wider than the input.
pub fn drive<T: Word>(input: &mut Signal<In, T>, word: u64) {
    assert!(
        T::BITS >= 64 || word >> T::BITS == 0,
        "{word:#x} does not fit into {} bits",
        T::BITS
    );
    input.next = T::from_word(word);
}

impl<B: Block> RtlDevice<B> {
    /// Connects `dut` and finds its outputs; `clock` sets its clock's next level.
    ///
    /// # Panics
    /// The block does not settle.
    pub fn new(mut dut: B, clock: fn(&mut B, bool)) -> Self {
        dut.connect_all();
        let mut names = OutputNames::default();
        dut.accept("dut", &mut names);
        let mut device = Self {
            dut,
            clock,
            inputs: Vec::new(),
            output_words: vec![0; names.found.len()],
            output_names: names.found,
            settled: false,
        };
        device.settle();
        device
    }

    /// Adds an input: its path in the block (`s_axis[3].tdata`) or flat name, and what drives it (see [`drive`]).
    pub fn bind(&mut self, path: &str, driver: impl Fn(&mut B, u64) + 'static) {
        self.inputs.push((flat_name(path), Box::new(driver)));
    }

    /// The block itself, for what its ports do not show.
    pub fn block(&self) -> &B {
        &self.dut
    }

    fn pass(&mut self) {
        assert!(
            simulate(&mut self.dut, SETTLE_PASSES),
            "the block does not settle: a logic loop"
        );
    }
}

impl<B: Block> Device for RtlDevice<B> {
    fn input(&self, name: &str) -> Option<Input> {
        self.inputs.iter().position(|(known, _)| known == name).map(Input)
    }

    fn output(&self, name: &str) -> Option<Output> {
        self.output_names.iter().position(|known| known == name).map(Output)
    }

    fn set(&mut self, port: Input, value: u64) {
        (self.inputs[port.0].1)(&mut self.dut, value);
        self.settled = false;
    }

    fn get(&self, port: Output) -> u64 {
        self.output_words[port.0]
    }

    fn settle(&mut self) {
        if self.settled {
            return;
        }
        (self.clock)(&mut self.dut, false);
        self.pass();
        let mut words = OutputWords {
            depth: 0,
            found: std::mem::take(&mut self.output_words),
        };
        words.found.clear();
        self.dut.accept("dut", &mut words);
        self.output_words = words.found;
        self.settled = true;
    }

    fn tick(&mut self) {
        self.settle();
        (self.clock)(&mut self.dut, true);
        self.pass();
        self.settled = false;
    }

    fn reset(&mut self, cycles: usize) {
        let rst = self.input("rst");
        rst.into_iter().for_each(|rst| self.set(rst, 1));
        (0..cycles).for_each(|_| self.tick());
        rst.into_iter().for_each(|rst| self.set(rst, 0));
    }
}

/// The name of a port in Verilog, from its path: `s_axis[3].tdata`, or rust-hdl's `s_axis$3`. A field whose name
/// ends in `_` only groups others: the Verilog does not name it.
fn flat_name(path: &str) -> String {
    let words = path.split(|c: char| !c.is_alphanumeric() && c != '_');
    words
        .filter(|word| !word.is_empty() && !word.ends_with('_'))
        .collect::<Vec<_>>()
        .join("_")
}

/// Outputs of the block itself, of a width that fits a word: of both probes, so that they see the same ones.
fn is_readable_output(depth: usize, signal: &dyn Atom) -> bool {
    depth == 1
        && matches!(signal.kind(), AtomKind::OutputParameter | AtomKind::OutputPassthrough)
        && signal.bits() <= 64
}

#[derive(Default)]
struct OutputNames {
    depth: usize,
    namespace: Vec<String>,
    found: Vec<String>,
}

impl Probe for OutputNames {
    fn visit_start_scope(&mut self, _name: &str, _node: &dyn Block) {
        self.depth += 1;
    }

    fn visit_start_namespace(&mut self, name: &str, _node: &dyn Block) {
        self.namespace.push(name.to_owned());
    }

    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        if is_readable_output(self.depth, signal) {
            self.found
                .push(flat_name(&format!("{}.{name}", self.namespace.join("."))));
        }
    }

    fn visit_end_namespace(&mut self, _name: &str, _node: &dyn Block) {
        self.namespace.pop();
    }

    fn visit_end_scope(&mut self, _name: &str, _node: &dyn Block) {
        self.depth -= 1;
    }
}

struct OutputWords {
    depth: usize,
    found: Vec<u64>,
}

impl Probe for OutputWords {
    fn visit_start_scope(&mut self, _name: &str, _node: &dyn Block) {
        self.depth += 1;
    }

    fn visit_atom(&mut self, _name: &str, signal: &dyn Atom) {
        if is_readable_output(self.depth, signal) {
            self.found.push(word_of(signal));
        }
    }

    fn visit_end_scope(&mut self, _name: &str, _node: &dyn Block) {
        self.depth -= 1;
    }
}

/// rust-hdl gives a literal up to 32 bits as a number, a wider one as text alone: `40'h123456789a`.
fn word_of(signal: &dyn Atom) -> u64 {
    let literal = signal.verilog();
    if signal.bits() <= 32 {
        return literal.as_usize() as u64;
    }
    let text = format!("{literal:x}");
    let digits = text.rsplit("'h").next().unwrap_or_default();
    u64::from_str_radix(digits, 16).expect("rust-hdl writes literals as width'hdigits")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::accumulators::{self, Accumulators};

    fn device() -> RtlDevice<Accumulators> {
        rtl_device!(
            Accumulators::default();
            rst, lane[0].word, lane[0].enable, lane[1].word, lane[1].enable
        )
    }

    #[test]
    fn a_block_does_what_it_should() {
        accumulators::check(&mut device());
    }

    #[test]
    fn inner_signals_are_no_ports() {
        let device = device();
        assert_eq!((device.output("total_0_q"), device.output("q")), (None, None));
        assert_eq!(
            device.require_input("lane_2_word").unwrap_err().to_string(),
            "the device has no input port `lane_2_word` of 64 bits or fewer"
        );
        assert_eq!(
            device.require_output("sum").unwrap_err().to_string(),
            "the device has no output port `sum` of 64 bits or fewer"
        );
    }

    #[test]
    #[should_panic(expected = "0x2 does not fit into 1 bits")]
    fn a_value_too_wide_is_refused() {
        let mut device = device();
        let rst = device.require_input("rst").unwrap();
        device.set(rst, 2);
    }
}
