// A core at the streams of a tile: it doubles every word, and passes `tlast` on.
//
// One word a cycle. A word waits here while the tile does not take it, and the tile's next one waits behind it.

`default_nettype none

module doubler (
    input  wire        clk,
    input  wire        rst,

    // Words from the tile.
    input  wire [31:0] s_axis_tdata,
    input  wire        s_axis_tlast,
    input  wire        s_axis_tvalid,
    output wire        s_axis_tready,

    // Words for the tile.
    output reg  [31:0] m_axis_tdata,
    output reg         m_axis_tlast,
    output reg         m_axis_tvalid,
    input  wire        m_axis_tready
);
    assign s_axis_tready = !m_axis_tvalid || m_axis_tready;

    always @(posedge clk) begin
        if (rst) begin
            m_axis_tvalid <= 1'b0;
        end else if (s_axis_tready) begin
            m_axis_tvalid <= s_axis_tvalid;
        end
        if (s_axis_tready) begin
            m_axis_tdata <= {s_axis_tdata[30:0], 1'b0};
            m_axis_tlast <= s_axis_tlast;
        end
    end
endmodule

`default_nettype wire
