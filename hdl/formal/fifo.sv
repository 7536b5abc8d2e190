// Properties of the stream FIFO (hdl/rtl/src/prim/fifo.rs).
//
// Contract of two tagged words: the environment tags any two words as they enter, one after the other, and they leave
// once each, unchanged, at exactly the places in which they entered, the first before the second. As the words, the
// moments and all other traffic are free, this is all words: none is lost, repeated, altered or overtaken.
// Flags are exact: ready unless full, valid unless empty, with the number of words counted from the handshakes alone.
//
// Reset may come at any time. `DEPTH` is defined by the task. `INDUCTION` adds, of the block's own registers, what the
// induction needs to know, `FOUR_PLACES` if there are two address bits; the contract itself sees ports alone.

`default_nettype none

// Follows one tagged word from its entry to its exit.
module tagged_word #(
    parameter WIDTH = 4
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             running,  // the first reset has been
    input  wire             tag,      // the word entering now is the one
    input  wire             pop,
    input  wire [2:0]       count,    // words inside
    input  wire [WIDTH-1:0] entering,
    input  wire [WIDTH-1:0] leaving,
    output reg              held,
    output reg              left,
    output reg  [2:0]       ahead,    // words that leave before it
    output reg  [WIDTH-1:0] word
);
    wire untagged = !held && !left;
    wire leaves = held && pop && ahead == 0;

    always @(posedge clk) begin
        if (rst) begin
            held <= 1'b0;
            left <= 1'b0;
        end else if (untagged && tag) begin
            held <= 1'b1;
            ahead <= count - {2'b0, pop};
            word <= entering;
        end else if (leaves) begin
            held <= 1'b0;
            left <= 1'b1;
        end else if (held && pop) begin
            ahead <= ahead - 3'd1;
        end
    end

    always @* begin
        if (running && leaves) begin
            unchanged : assert (leaving == word);
        end
    end
endmodule

module fifo_properties (
    input wire       clk,
    input wire       rst,
    input wire [3:0] s_axis_tdata,
    input wire       s_axis_tlast,
    input wire       s_axis_tvalid,
    input wire       m_axis_tready,
    input wire       tag_first,
    input wire       tag_second
);
    localparam [2:0] DEPTH = `DEPTH;

    wire       s_axis_tready;
    wire [3:0] m_axis_tdata;
    wire       m_axis_tlast;
    wire       m_axis_tvalid;

    portico_fifo dut (
        .clk(clk),
        .rst(rst),
        .s_axis_tdata(s_axis_tdata),
        .s_axis_tlast(s_axis_tlast),
        .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata),
        .m_axis_tlast(m_axis_tlast),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready)
    );

    reg running = 1'b0;
    always @(posedge clk) running <= 1'b1;
    always @* if (!running) assume (rst);

    wire push = s_axis_tvalid && s_axis_tready;
    wire pop = m_axis_tvalid && m_axis_tready;
    reg [2:0] count;

    always @(posedge clk) begin
        if (rst) count <= 3'd0;
        else count <= count + {2'b0, push} - {2'b0, pop};
    end

    always @* begin
        if (running) begin
            ready_unless_full : assert (s_axis_tready == (count != DEPTH));
            valid_unless_empty : assert (m_axis_tvalid == (count != 3'd0));
        end
    end

    wire       first_held, first_left, second_held, second_left;
    wire [2:0] first_ahead, second_ahead;
    wire [4:0] first_word, second_word;

    tagged_word #(.WIDTH(5)) first (
        .clk(clk),
        .rst(rst),
        .running(running),
        .tag(push && tag_first),
        .pop(pop),
        .count(count),
        .entering({s_axis_tlast, s_axis_tdata}),
        .leaving({m_axis_tlast, m_axis_tdata}),
        .held(first_held),
        .left(first_left),
        .ahead(first_ahead),
        .word(first_word)
    );

    tagged_word #(.WIDTH(5)) second (
        .clk(clk),
        .rst(rst),
        .running(running),
        .tag(push && tag_second && (first_held || first_left)),
        .pop(pop),
        .count(count),
        .entering({s_axis_tlast, s_axis_tdata}),
        .leaving({m_axis_tlast, m_axis_tdata}),
        .held(second_held),
        .left(second_left),
        .ahead(second_ahead),
        .word(second_word)
    );

    always @* begin
        if (running) begin
            in_order : assert (!(second_left && first_held));
        end
    end

    stable_stream #(.WIDTH(5)) m_axis (
        .clk(clk),
        .rst(rst),
        .valid(m_axis_tvalid),
        .ready(m_axis_tready),
        .word({m_axis_tlast, m_axis_tdata})
    );

`ifdef INDUCTION
    // Where reader and writer stand on the ring of addresses, and what the memory holds.
`ifdef FOUR_PLACES
    localparam ADDRESS_BITS = 2;
`else
    localparam ADDRESS_BITS = 1;
`endif
    (* hierconn *) wire [ADDRESS_BITS-1:0] \dut.control.reader.place ;
    (* hierconn *) wire [ADDRESS_BITS-1:0] \dut.control.writer.place ;
    (* hierconn *) wire [4:0] \dut.beats.memory[0] ;
    (* hierconn *) wire [4:0] \dut.beats.memory[1] ;
`ifdef FOUR_PLACES
    (* hierconn *) wire [4:0] \dut.beats.memory[2] ;
    (* hierconn *) wire [4:0] \dut.beats.memory[3] ;
`endif
    reg [2:0] reader_step;

    always @(posedge clk) begin
        if (rst) reader_step <= 3'd0;
        else if (pop) reader_step <= step(reader_step, 3'd1);
    end

    // Steps on the ring, and the address at each: 0, 1, 3, 2.
    function [2:0] step(input [2:0] from, input [2:0] steps);
        step = from + steps >= DEPTH ? from + steps - DEPTH : from + steps;
    endfunction

    function [ADDRESS_BITS-1:0] place(input [2:0] at);
        place = at[1:0] ^ {1'b0, at[1]};
    endfunction

    // What the memory holds of the word with so many others ahead.
    function [4:0] stored(input [2:0] ahead);
        case (step(reader_step, ahead))
            3'd0: stored = \dut.beats.memory[0] ;
            3'd1: stored = \dut.beats.memory[1] ;
`ifdef FOUR_PLACES
            3'd2: stored = \dut.beats.memory[3] ;
            3'd3: stored = \dut.beats.memory[2] ;
`endif
            default: stored = 5'd0;
        endcase
    endfunction

    always @* begin
        if (running) begin
            count_in_range : assert (count <= DEPTH);
            first_within : assert (!first_held || first_ahead < count);
            second_within : assert (!second_held || second_ahead < count);
            second_behind : assert (!(first_held && second_held) || first_ahead < second_ahead);
            second_needs_first : assert (!(second_held || second_left) || first_held || first_left);
            reader_step_in_range : assert (reader_step < DEPTH);
            reader_place : assert (\dut.control.reader.place == place(reader_step));
            writer_place : assert (\dut.control.writer.place == place(step(reader_step, count)));
            if (first_held) first_stored : assert (stored(first_ahead) == first_word);
            if (second_held) second_stored : assert (stored(second_ahead) == second_word);
        end
    end
`endif

    always @* begin
        if (running && !rst) begin
            both_left_and_full : cover (second_left && first_left && count == DEPTH);
        end
    end
endmodule
