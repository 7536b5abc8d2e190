//! What a compiled model is made for.

use std::path::PathBuf;

/// Which waveform a model can write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Trace {
    /// None: the fastest model.
    #[default]
    None,
    /// Value change dump (IEEE 1364-2005, chapter 18): large, read by every viewer.
    Vcd,
    /// GTKWave's FST: small; needs the headers and libraries of liblz4 and zlib.
    Fst,
}

/// Where the C++ compiler's time goes; Verilator itself always optimises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Optimise {
    /// For long simulations: `-O1` for the code that runs every cycle. More gains nothing, because a big model waits for
    /// its instructions: on an 8x8 mesh of shared routers under load, gcc 12, `-O1` took 25 s of processor time to
    /// compile and ran 75,000 cycles a second, `-O3` 33 s and 73,000; `-O2`, `-Os` and `-march=native` were not faster.
    #[default]
    Speed,
    /// For models that run shortly: `-O0`. A fabric then runs a third as fast, and pays below 140,000 cycles.
    Build,
}

/// How to build a [`Library`](crate::Library).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Waveform that models can write.
    pub trace: Trace,
    /// What the C++ compiler optimises.
    pub optimise: Optimise,
    /// Whether every warning of `verilator -Wall` is an error. Right for emitted Verilog, wrong for a netlist.
    pub lint: bool,
    /// Compilations at once.
    pub jobs: usize,
    /// Folder of the compile cache, in place of the usual one.
    pub cache: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            trace: Trace::None,
            optimise: Optimise::Speed,
            lint: true,
            jobs: 2,
            cache: None,
        }
    }
}
