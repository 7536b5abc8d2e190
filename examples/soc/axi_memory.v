// 4 KiB of memory on AXI4: bursts of INCR, one write and one read at a time, in block RAM.
//
// The memory node asks for whole words and sends strobes; addresses beyond the memory wrap.

`default_nettype none

module axi_memory (
    input  wire        clk,
    input  wire        rst,

    input  wire        s_axi_awid,
    input  wire [11:0] s_axi_awaddr,
    input  wire        s_axi_awvalid,
    output wire        s_axi_awready,
    input  wire [31:0] s_axi_wdata,
    input  wire [3:0]  s_axi_wstrb,
    input  wire        s_axi_wlast,
    input  wire        s_axi_wvalid,
    output wire        s_axi_wready,
    output reg         s_axi_bid,
    output wire [1:0]  s_axi_bresp,
    output reg         s_axi_bvalid,
    input  wire        s_axi_bready,
    input  wire        s_axi_arid,
    input  wire [11:0] s_axi_araddr,
    input  wire [7:0]  s_axi_arlen,
    input  wire        s_axi_arvalid,
    output wire        s_axi_arready,
    output reg         s_axi_rid,
    output reg  [31:0] s_axi_rdata,
    output wire [1:0]  s_axi_rresp,
    output reg         s_axi_rlast,
    output reg         s_axi_rvalid,
    input  wire        s_axi_rready
);
    reg [31:0] words [0:1023];

    // A write: its address, then its words, then its response.
    reg        writing;
    reg [9:0]  write_at;
    assign s_axi_awready = !writing && !s_axi_bvalid;
    assign s_axi_wready = writing;
    assign s_axi_bresp = 2'b00;

    always @(posedge clk) begin
        if (rst) begin
            writing <= 1'b0;
            s_axi_bvalid <= 1'b0;
        end else begin
            if (s_axi_awvalid && s_axi_awready) begin
                writing <= 1'b1;
                write_at <= s_axi_awaddr[11:2];
                s_axi_bid <= s_axi_awid;
            end
            if (s_axi_wvalid && s_axi_wready) begin
                write_at <= write_at + 10'd1;
                writing <= !s_axi_wlast;
                s_axi_bvalid <= s_axi_wlast;
            end
            if (s_axi_bvalid && s_axi_bready) s_axi_bvalid <= 1'b0;
        end
        if (s_axi_wvalid && s_axi_wready) begin
            if (s_axi_wstrb[0]) words[write_at][7:0] <= s_axi_wdata[7:0];
            if (s_axi_wstrb[1]) words[write_at][15:8] <= s_axi_wdata[15:8];
            if (s_axi_wstrb[2]) words[write_at][23:16] <= s_axi_wdata[23:16];
            if (s_axi_wstrb[3]) words[write_at][31:24] <= s_axi_wdata[31:24];
        end
    end

    // A read: its address, then its words.
    reg       reading;
    reg [9:0] read_at;
    reg [7:0] words_left;
    wire      fetch = reading && (!s_axi_rvalid || s_axi_rready);
    assign s_axi_arready = !reading && !s_axi_rvalid;
    assign s_axi_rresp = 2'b00;

    always @(posedge clk) begin
        if (rst) begin
            reading <= 1'b0;
            s_axi_rvalid <= 1'b0;
        end else begin
            if (s_axi_arvalid && s_axi_arready) begin
                reading <= 1'b1;
                read_at <= s_axi_araddr[11:2];
                words_left <= s_axi_arlen;
                s_axi_rid <= s_axi_arid;
            end
            if (s_axi_rvalid && s_axi_rready) s_axi_rvalid <= 1'b0;
            if (fetch) begin
                s_axi_rvalid <= 1'b1;
                s_axi_rlast <= words_left == 8'd0;
                reading <= words_left != 8'd0;
                read_at <= read_at + 10'd1;
                words_left <= words_left - 8'd1;
            end
        end
        if (fetch) s_axi_rdata <= words[read_at];
    end
endmodule

`default_nettype wire
