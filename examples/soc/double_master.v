// A master beside tile 1: it has the words of its tile doubled by the core at the streams of the tile, and compares them.
//
// It starts the receive first, so that the words have a place to go when they come back, then the send. The receive counts in the
// event after its last word is written. The addresses are those of
//     portico registers --form verilog --config examples/soc/fabric.toml

`include "portico_ni.vh"
`default_nettype none

module double_master (
    input  wire        clk,
    input  wire        rst,

    // Interrupt of the tile: an event that may interrupt has fired.
    input  wire        irq,
    // High from the end on, and whether a word or an answer was wrong.
    output reg         done,
    output reg         failed,

    output wire [19:0] m_axil_awaddr,
    output wire [2:0]  m_axil_awprot,
    output wire        m_axil_awvalid,
    input  wire        m_axil_awready,
    output wire [31:0] m_axil_wdata,
    output wire [3:0]  m_axil_wstrb,
    output wire        m_axil_wvalid,
    input  wire        m_axil_wready,
    input  wire [1:0]  m_axil_bresp,
    input  wire        m_axil_bvalid,
    output wire        m_axil_bready,
    output wire [19:0] m_axil_araddr,
    output wire [2:0]  m_axil_arprot,
    output wire        m_axil_arvalid,
    input  wire        m_axil_arready,
    input  wire [31:0] m_axil_rdata,
    input  wire [1:0]  m_axil_rresp,
    input  wire        m_axil_rvalid,
    output wire        m_axil_rready
);
    // Words that are doubled, where they begin in the memory of the tile, and where the doubled ones go.
    localparam [3:0] WORDS = 4'd8;
    localparam [31:0] SOURCE = 32'h100;
    localparam [31:0] DOUBLED = 32'h200;
    // The master's own event; a send needs none here.
    localparam [31:0] EVENT = 32'd1;

    localparam [3:0] WRITE_WORD = 4'd0;
    localparam [3:0] ARM_EVENT = 4'd1;
    localparam [3:0] RECEIVE_0 = 4'd2;
    localparam [3:0] RECEIVE_1 = 4'd3;
    localparam [3:0] RECEIVE_2 = 4'd4;
    localparam [3:0] SEND_0 = 4'd5;
    localparam [3:0] SEND_1 = 4'd6;
    localparam [3:0] SEND_2 = 4'd7;
    localparam [3:0] SEND_3 = 4'd8;
    localparam [3:0] WAIT = 4'd9;
    localparam [3:0] CHECK_ERROR = 4'd10;
    localparam [3:0] CHECK_WORD = 4'd11;
    localparam [3:0] WAIT_READY = 4'd12;

    reg  [3:0]  state;
    reg  [3:0]  word;

    reg         request_write;
    reg  [31:0] request_address;
    reg  [31:0] request_data;
    wire        answer_valid;
    wire [31:0] answer_data;
    wire        answer_error;

    wire [31:0] value = 32'h1234_5000 + {28'd0, word};

    // The access of each state.
    always @* begin
        request_write = 1'b1;
        request_address = 32'd0;
        request_data = 32'd0;
        case (state)
            WAIT_READY: begin
                request_write = 1'b0;
                request_address = `PORTICO_CONTROL_STATUS;
            end
            WRITE_WORD: begin
                request_address = SOURCE + {26'd0, word, 2'b00};
                request_data = value;
            end
            ARM_EVENT: begin
                request_address = `PORTICO_EVENT_CONTROL(EVENT);
                request_data = 1 << `PORTICO_EVENT_CONTROL_THRESHOLD_SHIFT
                    | `PORTICO_COMPARE_AT_LEAST << `PORTICO_EVENT_CONTROL_COMPARE_SHIFT
                    | 1 << `PORTICO_EVENT_CONTROL_INTERRUPT_SHIFT;
            end
            // The last of n words of a descriptor goes to place 15: it starts the command.
            RECEIVE_0: begin
                request_address = `PORTICO_COMMAND_WORD(13);
                request_data = `PORTICO_OPCODE_RECEIVE << `PORTICO_DESCRIPTOR_OPCODE_SHIFT
                    | EVENT << `PORTICO_DESCRIPTOR_EVENT_SHIFT;
            end
            RECEIVE_1: begin
                request_address = `PORTICO_COMMAND_WORD(14);
                request_data = DOUBLED;
            end
            RECEIVE_2: begin
                request_address = `PORTICO_COMMAND_WORD(15);
                request_data = {28'd0, WORDS};
            end
            SEND_0: begin
                request_address = `PORTICO_COMMAND_WORD(12);
                request_data = `PORTICO_OPCODE_SEND << `PORTICO_DESCRIPTOR_OPCODE_SHIFT
                    | 1 << `PORTICO_DESCRIPTOR_QUIET_SHIFT;
            end
            SEND_1: begin
                request_address = `PORTICO_COMMAND_WORD(13);
                request_data = SOURCE;
            end
            SEND_2: begin
                request_address = `PORTICO_COMMAND_WORD(14);
                request_data = {28'd0, WORDS} << `PORTICO_SEND_SHAPE_ROW_SHIFT | 1 << `PORTICO_SEND_SHAPE_ROWS_SHIFT;
            end
            // One row: no stride, and `tlast` with its last word.
            SEND_3: begin
                request_address = `PORTICO_COMMAND_WORD(15);
            end
            CHECK_ERROR: begin
                request_write = 1'b0;
                request_address = `PORTICO_EVENT_STATUS(EVENT);
            end
            default: begin
                request_write = 1'b0;
                request_address = DOUBLED + {26'd0, word, 2'b00};
            end
        endcase
    end

    always @(posedge clk) begin
        if (rst) begin
            state <= WAIT_READY;
            word <= 4'd0;
            done <= 1'b0;
            failed <= 1'b0;
        end else if (!done && state == WAIT) begin
            if (irq) state <= CHECK_ERROR;
        end else if (!done && answer_valid) begin
            failed <= failed | answer_error;
            case (state)
                WAIT_READY: begin
                    if ((answer_data & `PORTICO_CONTROL_STATUS_INITIALISING_MASK) == 32'd0) state <= WRITE_WORD;
                end
                WRITE_WORD: begin
                    word <= word + 4'd1;
                    if (word == WORDS - 4'd1) begin
                        word <= 4'd0;
                        state <= ARM_EVENT;
                    end
                end
                CHECK_ERROR: begin
                    failed <= failed | answer_error | (answer_data & `PORTICO_EVENT_STATUS_ERROR_MASK) != 32'd0;
                    state <= CHECK_WORD;
                end
                CHECK_WORD: begin
                    failed <= failed | answer_error | answer_data != {value[30:0], 1'b0};
                    word <= word + 4'd1;
                    done <= word == WORDS - 4'd1;
                end
                default: state <= state + 4'd1;
            endcase
        end
    end

    axi_lite_master port (
        .clk(clk),
        .rst(rst),
        .request_valid(!done && state != WAIT),
        .request_write(request_write),
        .request_address(request_address[19:0]),
        .request_data(request_data),
        .answer_valid(answer_valid),
        .answer_data(answer_data),
        .answer_error(answer_error),
        .m_axil_awaddr(m_axil_awaddr),
        .m_axil_awprot(m_axil_awprot),
        .m_axil_awvalid(m_axil_awvalid),
        .m_axil_awready(m_axil_awready),
        .m_axil_wdata(m_axil_wdata),
        .m_axil_wstrb(m_axil_wstrb),
        .m_axil_wvalid(m_axil_wvalid),
        .m_axil_wready(m_axil_wready),
        .m_axil_bresp(m_axil_bresp),
        .m_axil_bvalid(m_axil_bvalid),
        .m_axil_bready(m_axil_bready),
        .m_axil_araddr(m_axil_araddr),
        .m_axil_arprot(m_axil_arprot),
        .m_axil_arvalid(m_axil_arvalid),
        .m_axil_arready(m_axil_arready),
        .m_axil_rdata(m_axil_rdata),
        .m_axil_rresp(m_axil_rresp),
        .m_axil_rvalid(m_axil_rvalid),
        .m_axil_rready(m_axil_rready)
    );
endmodule

`default_nettype wire
