// A design around the fabric of examples/portico.toml: four tiles in two columns and two rows.
//
//   portico generate fabric --config examples/portico.toml --out build/example
//   .tools/bin/verilator --lint-only -Wall -Wno-PINCONNECTEMPTY --top-module top \
//       examples/top.v build/example/portico_fabric.v
//
// The host reaches the fabric over AXI4-Lite. A doorbell beside tile 0 sends 64 bits to mailbox 0 of the host node.

`default_nettype none

module top (
    // Clock and reset. The reset is asynchronous and active low.
    input  wire        clk,
    input  wire        rst_n,

    // AXI4-Lite slave of the host.
    input  wire [19:0] s_axil_awaddr,
    input  wire [2:0]  s_axil_awprot,
    input  wire        s_axil_awvalid,
    output wire        s_axil_awready,
    input  wire [31:0] s_axil_wdata,
    input  wire [3:0]  s_axil_wstrb,
    input  wire        s_axil_wvalid,
    output wire        s_axil_wready,
    output wire [1:0]  s_axil_bresp,
    output wire        s_axil_bvalid,
    input  wire        s_axil_bready,
    input  wire [19:0] s_axil_araddr,
    input  wire [2:0]  s_axil_arprot,
    input  wire        s_axil_arvalid,
    output wire        s_axil_arready,
    output wire [31:0] s_axil_rdata,
    output wire [1:0]  s_axil_rresp,
    output wire        s_axil_rvalid,
    input  wire        s_axil_rready,

    // Interrupt of the host node.
    output wire        irq,

    // Doorbell: a request with its 64 bits. The request stays until it is taken.
    input  wire [63:0] bell_data,
    input  wire        bell_valid,
    output wire        bell_ready,

    // A packet for a node that does not exist was dropped.
    output wire        packet_dropped
);

    // Reset: asserted at once, released at a rising edge.
    reg [1:0] reset_sync;
    wire      rst = reset_sync[1];

    always @(posedge clk or negedge rst_n) begin
        if (!rst_n) begin
            reset_sync <= 2'b11;
        end else begin
            reset_sync <= {reset_sync[0], 1'b0};
        end
    end

    // Doorbell: the four words of a `mail` descriptor, one a beat.
    localparam [4:0] MAIL    = 5'd6;             // opcode
    localparam [5:0] EVENT   = 6'd0;             // counts in tile 0 when the packet is sent
    localparam [8:0] HOST    = {5'd2, 4'd0};     // y, x: south of the last row, in column 0
    localparam [6:0] MAILBOX = 7'd0;

    reg  [1:0]  beat;
    reg  [31:0] command_tdata;
    wire        command_tready;
    wire        command_tlast = beat == 2'd3;

    assign bell_ready = command_tready & command_tlast;

    always @* begin
        case (beat)
            2'd0:    command_tdata = {18'd0, EVENT, 3'd0, MAIL};
            2'd1:    command_tdata = {16'd0, MAILBOX, HOST};
            2'd2:    command_tdata = bell_data[31:0];
            default: command_tdata = bell_data[63:32];
        endcase
    end

    always @(posedge clk) begin
        if (rst) begin
            beat <= 2'd0;
        end else if (bell_valid & command_tready) begin
            beat <= beat + 2'd1;
        end
    end

    // Fabric.
    wire [31:0] data_dropped_packets;
    wire [31:0] control_dropped_packets;

    assign packet_dropped = |{data_dropped_packets, control_dropped_packets};

    portico_fabric fabric (
        .clk(clk),
        .rst(rst),

        .s_axil_awaddr(s_axil_awaddr),
        .s_axil_awprot(s_axil_awprot),
        .s_axil_awvalid(s_axil_awvalid),
        .s_axil_awready(s_axil_awready),
        .s_axil_wdata(s_axil_wdata),
        .s_axil_wstrb(s_axil_wstrb),
        .s_axil_wvalid(s_axil_wvalid),
        .s_axil_wready(s_axil_wready),
        .s_axil_bresp(s_axil_bresp),
        .s_axil_bvalid(s_axil_bvalid),
        .s_axil_bready(s_axil_bready),
        .s_axil_araddr(s_axil_araddr),
        .s_axil_arprot(s_axil_arprot),
        .s_axil_arvalid(s_axil_arvalid),
        .s_axil_arready(s_axil_arready),
        .s_axil_rdata(s_axil_rdata),
        .s_axil_rresp(s_axil_rresp),
        .s_axil_rvalid(s_axil_rvalid),
        .s_axil_rready(s_axil_rready),
        .host_irq(irq),
        .host_fired(),

        // The doorbell is at tile 0. The other tiles take their descriptors through registers.
        .s_axis_command_0_tdata(command_tdata),
        .s_axis_command_0_tlast(command_tlast),
        .s_axis_command_0_tvalid(bell_valid),
        .s_axis_command_0_tready(command_tready),
        .s_axis_command_1_tdata(32'd0),
        .s_axis_command_1_tlast(1'b0),
        .s_axis_command_1_tvalid(1'b0),
        .s_axis_command_1_tready(),
        .s_axis_command_2_tdata(32'd0),
        .s_axis_command_2_tlast(1'b0),
        .s_axis_command_2_tvalid(1'b0),
        .s_axis_command_2_tready(),
        .s_axis_command_3_tdata(32'd0),
        .s_axis_command_3_tlast(1'b0),
        .s_axis_command_3_tvalid(1'b0),
        .s_axis_command_3_tready(),

        .status_0_irq(),
        .status_0_fired(),
        .status_1_irq(),
        .status_1_fired(),
        .status_2_irq(),
        .status_2_fired(),
        .status_3_irq(),
        .status_3_fired(),

        .data_dropped_packets(data_dropped_packets),
        .data_dropped_head(),
        .control_dropped_packets(control_dropped_packets),
        .control_dropped_head(),

        // Monitors: link 0 of tile 0, flits.
        .monitor_tile(8'd0),
        .monitor_link(3'd0),
        .monitor_stalls(1'b0),
        .data_monitor(),
        .control_monitor()
    );

endmodule

`default_nettype wire
