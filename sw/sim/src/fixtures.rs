//! Small designs that tests build.

use crate::{Optimise, Options, Source};

/// Counts to 255 and around while enabled.
pub(crate) fn counter() -> Source {
    let text = "
module counter (input wire clk, input wire rst, input wire enable, output reg [7:0] count, output wire last);
    assign last = &count;
    always @(posedge clk) begin
        if (rst) count <= 8'd0;
        else if (enable) count <= count + 8'd1;
    end
endmodule
";
    Source::new("counter", text)
        .input("clk", 1)
        .input("rst", 1)
        .input("enable", 1)
        .output("count", 8)
        .output("last", 1)
}

/// For models of which a test runs few cycles.
pub(crate) fn quick() -> Options {
    Options {
        optimise: Optimise::Build,
        ..Options::default()
    }
}
