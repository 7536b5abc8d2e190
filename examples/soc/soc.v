// A chip around a fabric of two tiles: a master beside each tile, a core at the streams of tile 1, and external memory behind the
// memory node.
//
//   portico generate fabric --config examples/soc/fabric.toml --out build/soc
//   portico registers --form verilog --config examples/soc/fabric.toml --out build/soc/portico_ni.vh
//   iverilog -g2005 -Ibuild/soc -o build/soc/soc.vvp examples/soc/*.v build/soc/portico_fabric.v && vvp build/soc/soc.vvp
//
// The host's port is tied off: the masters alone use this fabric. A chip with a processor connects it there.

`default_nettype none

module soc (
    input  wire clk,
    // Synchronous, active high, for fabric, masters, core and memory at once.
    input  wire rst,
    // High once both masters have ended, and whether one has found something wrong.
    output wire done,
    output wire failed
);
    // Ports of the tiles.
    wire [19:0] axil_0_awaddr;
    wire [2:0]  axil_0_awprot;
    wire        axil_0_awvalid;
    wire        axil_0_awready;
    wire [31:0] axil_0_wdata;
    wire [3:0]  axil_0_wstrb;
    wire        axil_0_wvalid;
    wire        axil_0_wready;
    wire [1:0]  axil_0_bresp;
    wire        axil_0_bvalid;
    wire        axil_0_bready;
    wire [19:0] axil_0_araddr;
    wire [2:0]  axil_0_arprot;
    wire        axil_0_arvalid;
    wire        axil_0_arready;
    wire [31:0] axil_0_rdata;
    wire [1:0]  axil_0_rresp;
    wire        axil_0_rvalid;
    wire        axil_0_rready;
    wire        irq_0;
    wire [19:0] axil_1_awaddr;
    wire [2:0]  axil_1_awprot;
    wire        axil_1_awvalid;
    wire        axil_1_awready;
    wire [31:0] axil_1_wdata;
    wire [3:0]  axil_1_wstrb;
    wire        axil_1_wvalid;
    wire        axil_1_wready;
    wire [1:0]  axil_1_bresp;
    wire        axil_1_bvalid;
    wire        axil_1_bready;
    wire [19:0] axil_1_araddr;
    wire [2:0]  axil_1_arprot;
    wire        axil_1_arvalid;
    wire        axil_1_arready;
    wire [31:0] axil_1_rdata;
    wire [1:0]  axil_1_rresp;
    wire        axil_1_rvalid;
    wire        axil_1_rready;
    wire        irq_1;

    // Streams of tile 1.
    wire [31:0] leaving_tdata;
    wire        leaving_tlast;
    wire        leaving_tvalid;
    wire        leaving_tready;
    wire [31:0] coming_tdata;
    wire        coming_tlast;
    wire        coming_tvalid;
    wire        coming_tready;

    wire        put_done;
    wire        put_failed;
    wire        double_done;
    wire        double_failed;
    assign done = put_done && double_done;
    assign failed = put_failed || double_failed;

    // Memory node 0.
    wire        axi_awid;
    wire [63:0] axi_awaddr;
    wire        axi_awvalid;
    wire        axi_awready;
    wire [31:0] axi_wdata;
    wire [3:0]  axi_wstrb;
    wire        axi_wlast;
    wire        axi_wvalid;
    wire        axi_wready;
    wire        axi_bid;
    wire [1:0]  axi_bresp;
    wire        axi_bvalid;
    wire        axi_bready;
    wire        axi_arid;
    wire [63:0] axi_araddr;
    wire [7:0]  axi_arlen;
    wire        axi_arvalid;
    wire        axi_arready;
    wire        axi_rid;
    wire [31:0] axi_rdata;
    wire [1:0]  axi_rresp;
    wire        axi_rlast;
    wire        axi_rvalid;
    wire        axi_rready;

    put_master master_0 (
        .clk(clk),
        .rst(rst),
        .irq(irq_0),
        .done(put_done),
        .failed(put_failed),
        .m_axil_awaddr(axil_0_awaddr),
        .m_axil_awprot(axil_0_awprot),
        .m_axil_awvalid(axil_0_awvalid),
        .m_axil_awready(axil_0_awready),
        .m_axil_wdata(axil_0_wdata),
        .m_axil_wstrb(axil_0_wstrb),
        .m_axil_wvalid(axil_0_wvalid),
        .m_axil_wready(axil_0_wready),
        .m_axil_bresp(axil_0_bresp),
        .m_axil_bvalid(axil_0_bvalid),
        .m_axil_bready(axil_0_bready),
        .m_axil_araddr(axil_0_araddr),
        .m_axil_arprot(axil_0_arprot),
        .m_axil_arvalid(axil_0_arvalid),
        .m_axil_arready(axil_0_arready),
        .m_axil_rdata(axil_0_rdata),
        .m_axil_rresp(axil_0_rresp),
        .m_axil_rvalid(axil_0_rvalid),
        .m_axil_rready(axil_0_rready)
    );

    double_master master_1 (
        .clk(clk),
        .rst(rst),
        .irq(irq_1),
        .done(double_done),
        .failed(double_failed),
        .m_axil_awaddr(axil_1_awaddr),
        .m_axil_awprot(axil_1_awprot),
        .m_axil_awvalid(axil_1_awvalid),
        .m_axil_awready(axil_1_awready),
        .m_axil_wdata(axil_1_wdata),
        .m_axil_wstrb(axil_1_wstrb),
        .m_axil_wvalid(axil_1_wvalid),
        .m_axil_wready(axil_1_wready),
        .m_axil_bresp(axil_1_bresp),
        .m_axil_bvalid(axil_1_bvalid),
        .m_axil_bready(axil_1_bready),
        .m_axil_araddr(axil_1_araddr),
        .m_axil_arprot(axil_1_arprot),
        .m_axil_arvalid(axil_1_arvalid),
        .m_axil_arready(axil_1_arready),
        .m_axil_rdata(axil_1_rdata),
        .m_axil_rresp(axil_1_rresp),
        .m_axil_rvalid(axil_1_rvalid),
        .m_axil_rready(axil_1_rready)
    );

    doubler core (
        .clk(clk),
        .rst(rst),
        .s_axis_tdata(leaving_tdata),
        .s_axis_tlast(leaving_tlast),
        .s_axis_tvalid(leaving_tvalid),
        .s_axis_tready(leaving_tready),
        .m_axis_tdata(coming_tdata),
        .m_axis_tlast(coming_tlast),
        .m_axis_tvalid(coming_tvalid),
        .m_axis_tready(coming_tready)
    );

    axi_memory memory (
        .clk(clk),
        .rst(rst),
        .s_axi_awid(axi_awid),
        .s_axi_awaddr(axi_awaddr[11:0]),
        .s_axi_awvalid(axi_awvalid),
        .s_axi_awready(axi_awready),
        .s_axi_wdata(axi_wdata),
        .s_axi_wstrb(axi_wstrb),
        .s_axi_wlast(axi_wlast),
        .s_axi_wvalid(axi_wvalid),
        .s_axi_wready(axi_wready),
        .s_axi_bid(axi_bid),
        .s_axi_bresp(axi_bresp),
        .s_axi_bvalid(axi_bvalid),
        .s_axi_bready(axi_bready),
        .s_axi_arid(axi_arid),
        .s_axi_araddr(axi_araddr[11:0]),
        .s_axi_arlen(axi_arlen),
        .s_axi_arvalid(axi_arvalid),
        .s_axi_arready(axi_arready),
        .s_axi_rid(axi_rid),
        .s_axi_rdata(axi_rdata),
        .s_axi_rresp(axi_rresp),
        .s_axi_rlast(axi_rlast),
        .s_axi_rvalid(axi_rvalid),
        .s_axi_rready(axi_rready)
    );

    portico_fabric fabric (
        .clk(clk),
        .rst(rst),

        // The host is not there.
        .s_axil_awaddr(20'd0),
        .s_axil_awprot(3'd0),
        .s_axil_awvalid(1'd0),
        .s_axil_awready(),
        .s_axil_wdata(32'd0),
        .s_axil_wstrb(4'd0),
        .s_axil_wvalid(1'd0),
        .s_axil_wready(),
        .s_axil_bresp(),
        .s_axil_bvalid(),
        .s_axil_bready(1'd0),
        .s_axil_araddr(20'd0),
        .s_axil_arprot(3'd0),
        .s_axil_arvalid(1'd0),
        .s_axil_arready(),
        .s_axil_rdata(),
        .s_axil_rresp(),
        .s_axil_rvalid(),
        .s_axil_rready(1'd0),
        .host_irq(),
        .host_fired(),

        // The masters of the tiles.
        .s_axil_tile_0_awaddr(axil_0_awaddr),
        .s_axil_tile_0_awprot(axil_0_awprot),
        .s_axil_tile_0_awvalid(axil_0_awvalid),
        .s_axil_tile_0_awready(axil_0_awready),
        .s_axil_tile_0_wdata(axil_0_wdata),
        .s_axil_tile_0_wstrb(axil_0_wstrb),
        .s_axil_tile_0_wvalid(axil_0_wvalid),
        .s_axil_tile_0_wready(axil_0_wready),
        .s_axil_tile_0_bresp(axil_0_bresp),
        .s_axil_tile_0_bvalid(axil_0_bvalid),
        .s_axil_tile_0_bready(axil_0_bready),
        .s_axil_tile_0_araddr(axil_0_araddr),
        .s_axil_tile_0_arprot(axil_0_arprot),
        .s_axil_tile_0_arvalid(axil_0_arvalid),
        .s_axil_tile_0_arready(axil_0_arready),
        .s_axil_tile_0_rdata(axil_0_rdata),
        .s_axil_tile_0_rresp(axil_0_rresp),
        .s_axil_tile_0_rvalid(axil_0_rvalid),
        .s_axil_tile_0_rready(axil_0_rready),
        .s_axil_tile_1_awaddr(axil_1_awaddr),
        .s_axil_tile_1_awprot(axil_1_awprot),
        .s_axil_tile_1_awvalid(axil_1_awvalid),
        .s_axil_tile_1_awready(axil_1_awready),
        .s_axil_tile_1_wdata(axil_1_wdata),
        .s_axil_tile_1_wstrb(axil_1_wstrb),
        .s_axil_tile_1_wvalid(axil_1_wvalid),
        .s_axil_tile_1_wready(axil_1_wready),
        .s_axil_tile_1_bresp(axil_1_bresp),
        .s_axil_tile_1_bvalid(axil_1_bvalid),
        .s_axil_tile_1_bready(axil_1_bready),
        .s_axil_tile_1_araddr(axil_1_araddr),
        .s_axil_tile_1_arprot(axil_1_arprot),
        .s_axil_tile_1_arvalid(axil_1_arvalid),
        .s_axil_tile_1_arready(axil_1_arready),
        .s_axil_tile_1_rdata(axil_1_rdata),
        .s_axil_tile_1_rresp(axil_1_rresp),
        .s_axil_tile_1_rvalid(axil_1_rvalid),
        .s_axil_tile_1_rready(axil_1_rready),

        // The core of tile 1; tile 0 has none.
        .m_axis_stream_0_tdata(),
        .m_axis_stream_0_tlast(),
        .m_axis_stream_0_tvalid(),
        .m_axis_stream_0_tready(1'b0),
        .m_axis_stream_1_tdata(leaving_tdata),
        .m_axis_stream_1_tlast(leaving_tlast),
        .m_axis_stream_1_tvalid(leaving_tvalid),
        .m_axis_stream_1_tready(leaving_tready),
        .s_axis_stream_0_tdata(32'd0),
        .s_axis_stream_0_tlast(1'b0),
        .s_axis_stream_0_tvalid(1'b0),
        .s_axis_stream_0_tready(),
        .s_axis_stream_1_tdata(coming_tdata),
        .s_axis_stream_1_tlast(coming_tlast),
        .s_axis_stream_1_tvalid(coming_tvalid),
        .s_axis_stream_1_tready(coming_tready),

        // No stream of descriptors: key `commands` is off.
        .s_axis_command_0_tdata(32'd0),
        .s_axis_command_0_tlast(1'b0),
        .s_axis_command_0_tvalid(1'b0),
        .s_axis_command_0_tready(),

        .s_axis_command_1_tdata(32'd0),
        .s_axis_command_1_tlast(1'b0),
        .s_axis_command_1_tvalid(1'b0),
        .s_axis_command_1_tready(),

        .status_0_irq(irq_0),
        .status_0_fired(),
        .status_1_irq(irq_1),
        .status_1_fired(),

        .m_axi_0_awid(axi_awid),
        .m_axi_0_awaddr(axi_awaddr),
        .m_axi_0_awlen(),
        .m_axi_0_awsize(),
        .m_axi_0_awburst(),
        .m_axi_0_awlock(),
        .m_axi_0_awcache(),
        .m_axi_0_awprot(),
        .m_axi_0_awqos(),
        .m_axi_0_awvalid(axi_awvalid),
        .m_axi_0_awready(axi_awready),
        .m_axi_0_wdata(axi_wdata),
        .m_axi_0_wstrb(axi_wstrb),
        .m_axi_0_wlast(axi_wlast),
        .m_axi_0_wvalid(axi_wvalid),
        .m_axi_0_wready(axi_wready),
        .m_axi_0_bid(axi_bid),
        .m_axi_0_bresp(axi_bresp),
        .m_axi_0_bvalid(axi_bvalid),
        .m_axi_0_bready(axi_bready),
        .m_axi_0_arid(axi_arid),
        .m_axi_0_araddr(axi_araddr),
        .m_axi_0_arlen(axi_arlen),
        .m_axi_0_arsize(),
        .m_axi_0_arburst(),
        .m_axi_0_arlock(),
        .m_axi_0_arcache(),
        .m_axi_0_arprot(),
        .m_axi_0_arqos(),
        .m_axi_0_arvalid(axi_arvalid),
        .m_axi_0_arready(axi_arready),
        .m_axi_0_rid(axi_rid),
        .m_axi_0_rdata(axi_rdata),
        .m_axi_0_rresp(axi_rresp),
        .m_axi_0_rlast(axi_rlast),
        .m_axi_0_rvalid(axi_rvalid),
        .m_axi_0_rready(axi_rready),

        // Counters that nobody looks at.
        .data_dropped_packets(),
        .data_dropped_head(),
        .control_dropped_packets(),
        .control_dropped_head(),
        .monitor_tile(8'd0),
        .monitor_link(3'd0),
        .monitor_stalls(1'b0),
        .data_monitor(),
        .control_monitor()
    );
endmodule

`default_nettype wire
