// A chip around a fabric of two tiles: a master beside tile 0, and external memory behind the memory node.
//
//   portico generate fabric --config examples/soc/fabric.toml --out build/soc
//   portico registers --form verilog --config examples/soc/fabric.toml --out build/soc/portico_ni.vh
//   iverilog -g2005 -Ibuild/soc -o build/soc/soc.vvp examples/soc/*.v build/soc/portico_fabric.v && vvp build/soc/soc.vvp
//
// The host's port is tied off: nobody but the master uses this fabric. A chip with a processor connects it there.

`default_nettype none

module soc (
    input  wire clk,
    // Synchronous, active high, for fabric, master and memory at once.
    input  wire rst,
    // High once the master has ended, and whether it has found something wrong.
    output wire done,
    output wire failed
);
    // Port of tile 0.
    wire [19:0] axil_awaddr;
    wire [2:0]  axil_awprot;
    wire        axil_awvalid;
    wire        axil_awready;
    wire [31:0] axil_wdata;
    wire [3:0]  axil_wstrb;
    wire        axil_wvalid;
    wire        axil_wready;
    wire [1:0]  axil_bresp;
    wire        axil_bvalid;
    wire        axil_bready;
    wire [19:0] axil_araddr;
    wire [2:0]  axil_arprot;
    wire        axil_arvalid;
    wire        axil_arready;
    wire [31:0] axil_rdata;
    wire [1:0]  axil_rresp;
    wire        axil_rvalid;
    wire        axil_rready;
    wire        irq;

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

    put_master master (
        .clk(clk),
        .rst(rst),
        .irq(irq),
        .done(done),
        .failed(failed),
        .m_axil_awaddr(axil_awaddr),
        .m_axil_awprot(axil_awprot),
        .m_axil_awvalid(axil_awvalid),
        .m_axil_awready(axil_awready),
        .m_axil_wdata(axil_wdata),
        .m_axil_wstrb(axil_wstrb),
        .m_axil_wvalid(axil_wvalid),
        .m_axil_wready(axil_wready),
        .m_axil_bresp(axil_bresp),
        .m_axil_bvalid(axil_bvalid),
        .m_axil_bready(axil_bready),
        .m_axil_araddr(axil_araddr),
        .m_axil_arprot(axil_arprot),
        .m_axil_arvalid(axil_arvalid),
        .m_axil_arready(axil_arready),
        .m_axil_rdata(axil_rdata),
        .m_axil_rresp(axil_rresp),
        .m_axil_rvalid(axil_rvalid),
        .m_axil_rready(axil_rready)
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

        // The master of tile 0; tile 1 has none.
        .s_axil_tile_0_awaddr(axil_awaddr),
        .s_axil_tile_0_awprot(axil_awprot),
        .s_axil_tile_0_awvalid(axil_awvalid),
        .s_axil_tile_0_awready(axil_awready),
        .s_axil_tile_0_wdata(axil_wdata),
        .s_axil_tile_0_wstrb(axil_wstrb),
        .s_axil_tile_0_wvalid(axil_wvalid),
        .s_axil_tile_0_wready(axil_wready),
        .s_axil_tile_0_bresp(axil_bresp),
        .s_axil_tile_0_bvalid(axil_bvalid),
        .s_axil_tile_0_bready(axil_bready),
        .s_axil_tile_0_araddr(axil_araddr),
        .s_axil_tile_0_arprot(axil_arprot),
        .s_axil_tile_0_arvalid(axil_arvalid),
        .s_axil_tile_0_arready(axil_arready),
        .s_axil_tile_0_rdata(axil_rdata),
        .s_axil_tile_0_rresp(axil_rresp),
        .s_axil_tile_0_rvalid(axil_rvalid),
        .s_axil_tile_0_rready(axil_rready),
        .s_axil_tile_1_awaddr(20'd0),
        .s_axil_tile_1_awprot(3'd0),
        .s_axil_tile_1_awvalid(1'd0),
        .s_axil_tile_1_awready(),
        .s_axil_tile_1_wdata(32'd0),
        .s_axil_tile_1_wstrb(4'd0),
        .s_axil_tile_1_wvalid(1'd0),
        .s_axil_tile_1_wready(),
        .s_axil_tile_1_bresp(),
        .s_axil_tile_1_bvalid(),
        .s_axil_tile_1_bready(1'd0),
        .s_axil_tile_1_araddr(20'd0),
        .s_axil_tile_1_arprot(3'd0),
        .s_axil_tile_1_arvalid(1'd0),
        .s_axil_tile_1_arready(),
        .s_axil_tile_1_rdata(),
        .s_axil_tile_1_rresp(),
        .s_axil_tile_1_rvalid(),
        .s_axil_tile_1_rready(1'd0),

        // No stream of descriptors: key `commands` is off.
        .s_axis_command_0_tdata(32'd0),
        .s_axis_command_0_tlast(1'b0),
        .s_axis_command_0_tvalid(1'b0),
        .s_axis_command_0_tready(),

        .s_axis_command_1_tdata(32'd0),
        .s_axis_command_1_tlast(1'b0),
        .s_axis_command_1_tvalid(1'b0),
        .s_axis_command_1_tready(),

        .status_0_irq(irq),
        .status_0_fired(),
        .status_1_irq(),
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
