//! A block for the tests of devices: registers, a combinational path, an interface array, wide ports; twice, in rust-hdl
//! and in Verilog, and what both must do.

use super::Device;
use rand::{rngs::SmallRng, Rng, SeedableRng};
use rust_hdl::prelude::*;

#[derive(LogicInterface, Default)]
pub struct Lane {
    pub word: Signal<In, Bits<40>>,
    pub enable: Signal<In, Bit>,
    pub sum: Signal<Out, Bits<40>>,
}

/// Accumulates each lane, and shows the parity of what comes in without a register between.
#[derive(LogicBlock, Default)]
pub struct Accumulators {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub lane: [Lane; 2],
    pub parity: Signal<Out, Bit>,
    pub wide: Signal<Out, Bits<80>>,
    total: [DFF<Bits<40>>; 2],
}

impl Logic for Accumulators {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..2 {
            self.total[i].clock.next = self.clk.val();
            self.total[i].d.next = self.total[i].q.val();
            if self.lane[i].enable.val() {
                self.total[i].d.next = self.total[i].q.val() + self.lane[i].word.val();
            }
            if self.rst.val() {
                self.total[i].d.next = 0.into();
            }
            self.lane[i].sum.next = self.total[i].q.val();
        }
        self.parity.next = self.lane[0].word.val().xor() ^ self.lane[1].word.val().xor();
        self.wide.next = 0.into();
    }
}

pub const VERILOG: &str = "
module accumulators (
    input wire clk, input wire rst,
    input wire [39:0] lane_0_word, input wire lane_0_enable, output wire [39:0] lane_0_sum,
    input wire [39:0] lane_1_word, input wire lane_1_enable, output wire [39:0] lane_1_sum,
    output wire parity, output wire [79:0] wide
);
    reg [39:0] total_0;
    reg [39:0] total_1;
    assign lane_0_sum = total_0;
    assign lane_1_sum = total_1;
    assign parity = ^lane_0_word ^ ^lane_1_word;
    assign wide = 80'd0;
    always @(posedge clk)
        if (rst) begin
            total_0 <= 40'd0;
            total_1 <= 40'd0;
        end else begin
            if (lane_0_enable) total_0 <= total_0 + lane_0_word;
            if (lane_1_enable) total_1 <= total_1 + lane_1_word;
        end
endmodule
";

/// Checks the ports of the block, and a thousand random cycles with resets among them.
pub fn check(device: &mut dyn Device) {
    assert_eq!(device.output("wide"), None, "80 bits do not fit a word");
    assert_eq!(device.input("clk"), None, "the device drives the clock");
    assert_eq!((device.input("parity"), device.output("rst")), (None, None));
    let lanes = [0, 1].map(|i| {
        (
            device.require_input(&format!("lane_{i}_word")).unwrap(),
            device.require_input(&format!("lane_{i}_enable")).unwrap(),
            device.require_output(&format!("lane_{i}_sum")).unwrap(),
        )
    });
    let parity = device.require_output("parity").unwrap();
    let seed = 0x5eed;
    let mut rng = SmallRng::seed_from_u64(seed);
    let mask = (1 << 40) - 1;
    let mut totals = [0u64; 2];
    device.reset(1);
    for cycle in 0..1_000 {
        if cycle % 300 == 299 {
            device.reset(1);
            totals = [0; 2];
        }
        let words: [u64; 2] = [rng.gen::<u64>() & mask, rng.gen::<u64>() & mask];
        let enabled: [bool; 2] = rng.gen();
        for (i, &(word, enable, _)) in lanes.iter().enumerate() {
            device.set(word, words[i]);
            device.set(enable, u64::from(enabled[i]));
        }
        for look in ["settled", "ticked"] {
            match look {
                "settled" => device.settle(),
                _ => device.tick(),
            }
            let ones = words[0].count_ones() + words[1].count_ones();
            let sums = lanes.map(|(.., sum)| device.get(sum));
            assert_eq!(
                device.get(parity),
                u64::from(ones % 2),
                "seed {seed:#x}, cycle {cycle}, {look}"
            );
            assert_eq!(sums, totals, "seed {seed:#x}, cycle {cycle}, {look}");
        }
        for i in 0..2 {
            totals[i] = (totals[i] + u64::from(enabled[i]) * words[i]) & mask;
        }
    }
}
