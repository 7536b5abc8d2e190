// Stability of a ready/valid stream: what every block with an output stream must keep.
//
// A word that the block offers stays on offer, unchanged, until the environment takes it. Reset alone takes it back.

`default_nettype none

module stable_stream #(
    parameter WIDTH = 4  // bits of a word, `last` among them
) (
    input wire             clk,
    input wire             rst,
    input wire             valid,
    input wire             ready,
    input wire [WIDTH-1:0] word
);
    reg             waited = 1'b0;
    reg [WIDTH-1:0] offered;

    always @(posedge clk) begin
        waited <= valid && !ready && !rst;
        offered <= word;
    end

    always @* begin
        if (waited) begin
            stays : assert (valid && word == offered);
        end
    end
endmodule
