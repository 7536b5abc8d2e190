//! rust-hdl's own widgets, and the circuits of the other tests of kernels: neither Verilator nor Yosys has anything to say.
//!
//! Not here are widgets with bidirectional signals (tristate and open-drain buffers, I2C), which the backend refuses, and
//! `Accum`, which has no kernel. What widgets bring as text (`RAM`, `ROM`, `SyncROM`, `EdgeDFF`) passes as it is.

use crate::{
    kernels,
    lint::{verilator, yosys},
    signed::Arithmetic,
};
use portico_verilog::{emit, Design, Error, Options};
use rust_hdl::prelude::*;
use rust_hdl::widgets::{
    edge_ff::EdgeDFF,
    fifo::fifo_logic::{FIFOReadLogic, FIFOWriteLogic},
    sdram::cmd::{SDRAMCommandDecoder, SDRAMCommandEncoder},
};
use std::time::Duration;

const CLOCK: u64 = 100_000_000;

fn spi() -> SPIConfig {
    SPIConfig {
        clock_speed: CLOCK,
        cs_off: true,
        mosi_off: false,
        speed_hz: 1_000_000,
        cpha: true,
        cpol: false,
    }
}

/// Every widget, and the name it goes by.
fn widgets() -> Vec<(&'static str, Box<dyn Block>)> {
    let timings = MemoryTimings::mt48lc8m16a2(100e6);
    let dynamic = SPIConfigDynamicMode {
        clock_speed: CLOCK,
        cs_off: true,
        mosi_off: false,
        speed_hz: 1_000_000,
    };
    let words = || (0..5u32).map(|word| (word * 37).to_bits::<8>());
    vec![
        ("auto-reset", Box::new(AutoReset::default())),
        ("strobe-32", Box::new(Strobe::<32>::new(CLOCK, 1000.0))),
        ("shot-32", Box::new(Shot::<32>::new(CLOCK, Duration::from_millis(1)))),
        ("pulser", Box::new(Pulser::new(CLOCK, 1000.0, Duration::from_micros(5)))),
        ("pwm", Box::new(PulseWidthModulator::<8>::default())),
        ("rising", Box::new(EdgeDetector::new(true))),
        ("falling", Box::new(EdgeDetector::new(false))),
        ("delay-line", Box::new(DelayLine::<Bits<8>, 8, 3>::default())),
        ("bit-synchronizer", Box::new(BitSynchronizer::default())),
        (
            "vector-synchronizer",
            Box::new(VectorSynchronizer::<Bits<8>>::default()),
        ),
        ("sync-sender", Box::new(SyncSender::<Bits<8>>::default())),
        ("sync-receiver", Box::new(SyncReceiver::<Bits<8>>::default())),
        ("with-init", Box::new(DFFWithInit::<Bits<8>>::new(bits(0xa5)))),
        ("lfsr", Box::new(LFSRSimple::default())),
        ("sync-fifo", Box::new(SynchronousFIFO::<Bits<8>, 4, 5, 4>::default())),
        ("async-fifo", Box::new(AsynchronousFIFO::<Bits<8>, 4, 5, 4>::default())),
        ("register-fifo", Box::new(RegisterFIFO::<Bits<8>>::default())),
        ("read-logic", Box::new(FIFOReadLogic::<Bits<8>, 4, 5, 4>::default())),
        ("write-logic", Box::new(FIFOWriteLogic::<Bits<8>, 4, 5, 4>::default())),
        ("reducer", Box::new(FIFOReducer::<16, 8, false>::default())),
        ("reducer-reversed", Box::new(FIFOReducer::<16, 8, true>::default())),
        (
            "reducer-n",
            Box::new(FIFOReducerN::<32, 8>::new(WordOrder::LeastSignificantFirst)),
        ),
        (
            "expander-n",
            Box::new(FIFOExpanderN::<8, 32>::new(WordOrder::MostSignificantFirst)),
        ),
        (
            "cross-narrow",
            Box::new(CrossNarrowFIFO::<32, 4, 5, 8, 4, 5>::default()),
        ),
        ("cross-widen", Box::new(CrossWidenFIFO::<8, 4, 5, 32, 4, 5>::default())),
        ("ram", Box::new(RAM::<Bits<8>, 4>::default())),
        ("ram-filled", Box::new(RAM::<Bits<8>, 4>::from(words()))),
        ("rom", Box::new(ROM::<Bits<8>, 4>::from(words()))),
        ("sync-rom", Box::new(SyncROM::<Bits<8>, 4>::from(words()))),
        ("edge-dff", Box::new(EdgeDFF::<Bits<8>>::new(bits(3)))),
        (
            "fir",
            Box::new(MultiplyAccumulateSymmetricFiniteImpulseResponseFilter::<3>::new(&[
                1, -2, 3, -2, 1,
            ])),
        ),
        ("spi-master", Box::new(SPIMaster::<16>::new(spi()))),
        ("spi-master-dynamic", Box::new(SPIMasterDynamicMode::<16>::new(dynamic))),
        ("spi-slave", Box::new(SPISlave::<16>::new(spi()))),
        ("mux-slaves", Box::new(MuxSlaves::<3, 2>::default())),
        ("mux-masters", Box::new(MuxMasters::<3, 2>::default())),
        ("sdram-encoder", Box::new(SDRAMCommandEncoder::default())),
        ("sdram-decoder", Box::new(SDRAMCommandDecoder::default())),
        ("sdram-buffer", Box::new(SDRAMOnChipBuffer::<16>::default())),
        (
            "sdram-base",
            Box::new(SDRAMBaseController::<13, 9, 64, 16>::new(
                3,
                timings,
                OutputBuffer::DelayTwo,
            )),
        ),
        (
            "sdram-burst",
            Box::new(SDRAMBurstController::<13, 9, 8, 16>::new(
                3,
                timings,
                OutputBuffer::DelayOne,
            )),
        ),
        (
            "sdram-fifo",
            Box::new(SDRAMFIFOController::<13, 9, 8, 16, 24>::new(
                3,
                timings,
                OutputBuffer::Wired,
            )),
        ),
    ]
}

/// The block as modules whose names start with its own.
fn emitted(name: &str, block: &dyn Block) -> Result<Design, Error> {
    let options = Options {
        generator: "Test 1.0".into(),
        licence: String::new(),
        prefix: format!("of_{}", name.replace('-', "_")),
        block: "top".into(),
        configuration: vec![],
        keep_apart: vec![],
    };
    emit(block, &options)
}

#[test]
fn linters_find_nothing_in_widgets() {
    let mut blocks = widgets();
    blocks.push(("arithmetic", Box::new(Arithmetic::default())));
    blocks.extend(kernels::all());
    let designs: Vec<Design> = blocks
        .iter()
        .map(|(name, block)| emitted(name, block.as_ref()).unwrap_or_else(|error| panic!("{name}: {error}")))
        .collect();
    let text: String = designs.iter().map(Design::text).collect();
    // One file with several tops saves runs of the tools.
    let report = verilator(
        &[("widgets.v".into(), text)],
        &["-Wno-MULTITOP", "-Wno-DECLFILENAME", "widgets.v"],
    );
    assert_eq!(report, "");
    let designs: Vec<_> = designs
        .iter()
        .map(|design| (design.top.clone(), design.text()))
        .collect();
    assert_eq!(yosys(&designs), [""; 0]);
}
