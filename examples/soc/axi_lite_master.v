// One access at a time on AXI4-Lite: a request is taken, carried out, and answered.
//
// Beats: `request_valid` with its operands stays until `answer_valid`, which is high for one cycle.

`default_nettype none

module axi_lite_master (
    input  wire        clk,
    input  wire        rst,

    // The access: a word at a byte address.
    input  wire        request_valid,
    input  wire        request_write,
    input  wire [19:0] request_address,
    input  wire [31:0] request_data,
    // Its answer; `answer_error` tells SLVERR or DECERR.
    output reg         answer_valid,
    output reg  [31:0] answer_data,
    output reg         answer_error,

    output reg  [19:0] m_axil_awaddr,
    output wire [2:0]  m_axil_awprot,
    output reg         m_axil_awvalid,
    input  wire        m_axil_awready,
    output reg  [31:0] m_axil_wdata,
    output wire [3:0]  m_axil_wstrb,
    output reg         m_axil_wvalid,
    input  wire        m_axil_wready,
    input  wire [1:0]  m_axil_bresp,
    input  wire        m_axil_bvalid,
    output wire        m_axil_bready,
    output reg  [19:0] m_axil_araddr,
    output wire [2:0]  m_axil_arprot,
    output reg         m_axil_arvalid,
    input  wire        m_axil_arready,
    input  wire [31:0] m_axil_rdata,
    input  wire [1:0]  m_axil_rresp,
    input  wire        m_axil_rvalid,
    output wire        m_axil_rready
);
    reg busy;

    assign m_axil_awprot = 3'b000;
    assign m_axil_arprot = 3'b000;
    assign m_axil_wstrb = 4'b1111;
    assign m_axil_bready = 1'b1;
    assign m_axil_rready = 1'b1;

    always @(posedge clk) begin
        answer_valid <= 1'b0;
        if (rst) begin
            busy <= 1'b0;
            m_axil_awvalid <= 1'b0;
            m_axil_wvalid <= 1'b0;
            m_axil_arvalid <= 1'b0;
        end else if (!busy) begin
            if (request_valid && !answer_valid) begin
                busy <= 1'b1;
                m_axil_awaddr <= request_address;
                m_axil_araddr <= request_address;
                m_axil_wdata <= request_data;
                m_axil_awvalid <= request_write;
                m_axil_wvalid <= request_write;
                m_axil_arvalid <= !request_write;
            end
        end else begin
            // Address and data may be taken in any order.
            if (m_axil_awready) m_axil_awvalid <= 1'b0;
            if (m_axil_wready) m_axil_wvalid <= 1'b0;
            if (m_axil_arready) m_axil_arvalid <= 1'b0;
            if (m_axil_bvalid || m_axil_rvalid) begin
                busy <= 1'b0;
                answer_valid <= 1'b1;
                answer_data <= m_axil_rdata;
                answer_error <= m_axil_bvalid ? m_axil_bresp[1] : m_axil_rresp[1];
            end
        end
    end
endmodule

`default_nettype wire
