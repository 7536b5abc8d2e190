// Properties of the buddy allocator (hdl/rtl/src/portals/buddy), of a heap of 4096 bytes in `BLOCKS` smallest blocks.
//
// The environment keeps a list of its own, from the handshakes alone, of the blocks that live: those granted and not yet
// freed. From it follows all that the allocator may say: live blocks never overlap; a size is refused exactly if no aligned
// run of free blocks is as large; the block granted is the one that the policy names; a free is done exactly if a live
// block starts there, and each error is the one that fits; errors change nothing; free undoes allocate; both readings are
// those of the list. So a heap that is wholly freed gives its whole again. A result comes within a bounded time, and stays.
//
// Reset may come at any time. `BLOCKS`, and `WORD`, the nodes in a word, are defined by the task. `INDUCTION` adds, of the
// block's own registers, what the induction needs to know (buddy_induction.svh); the properties themselves see ports alone.

`default_nettype none

module buddy_properties (
    input wire        clk,
    input wire        rst,
    input wire [31:0] s_axis_tdata,
    input wire        s_axis_tlast,
    input wire        s_axis_tvalid,
    input wire        m_axis_tready
);
    localparam BLOCKS = `BLOCKS;
    localparam WORD = `WORD;
    localparam TOP = $clog2(BLOCKS);
    localparam BLOCK_BITS = 12 - TOP;
    localparam HEAP = 4096;
    // Most cycles from a command taken to its result offered: those of a grant whose block is found in the last tier, since
    // each tier takes longer to look through than the depths that it spares the walk.
    localparam PATIENCE = BLOCKS == 4 ? TOP + 13 : TOP + 10;
    // Status codes of sw/spec/src/portals/buddy.rs.
    localparam [2:0] DONE = 0, ZERO_SIZE = 1, TOO_LARGE = 2, EXHAUSTED = 3, NOT_LIVE = 4, FOREIGN = 5;

    wire        s_axis_tready;
    wire [31:0] m_axis_tdata;
    wire        m_axis_tlast;
    wire        m_axis_tvalid;
    wire [20:0] free_bytes;
    wire [20:0] largest_free;
    wire        initialising;

    portico_buddy dut (
        .clk(clk),
        .rst(rst),
        .s_axis_tdata(s_axis_tdata),
        .s_axis_tlast(s_axis_tlast),
        .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata),
        .m_axis_tlast(m_axis_tlast),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready),
        .free_bytes(free_bytes),
        .largest_free(largest_free),
        .initialising(initialising)
    );

    reg running = 1'b0;
    always @(posedge clk) running <= 1'b1;
    always @* if (!running) assume (rst);

    // The smallest blocks of the block of this order that starts at `first`.
    function [BLOCKS-1:0] span(input [TOP-1:0] first, input [1:0] order);
        case (order)
            2'd0: span = 1 << first;
            2'd1: span = 3 << first;
            2'd2: span = 15 << first;
            default: span = 255 << first;
        endcase
    endfunction

    function aligned(input [TOP-1:0] first, input [1:0] order);
        aligned = ({1'b0, first} & ((1 << order) - 1)) == 0;
    endfunction

    // Live blocks are blocks: within the heap, and at a multiple of their size.
    function each_whole(input [BLOCKS-1:0] starts, input [2*BLOCKS-1:0] orders);
        integer i;
        begin
            each_whole = 1'b1;
            for (i = 0; i < BLOCKS; i = i + 1)
                if (starts[i] && (orders[2*i+:2] > TOP || !aligned(i, orders[2*i+:2]))) each_whole = 1'b0;
        end
    endfunction

    function disjoint(input [BLOCKS-1:0] starts, input [2*BLOCKS-1:0] orders);
        integer i, j;
        begin
            disjoint = 1'b1;
            for (i = 0; i < BLOCKS; i = i + 1)
                for (j = 0; j < i; j = j + 1)
                    if (starts[i] && starts[j] && (span(i, orders[2*i+:2]) & span(j, orders[2*j+:2])) != 0)
                        disjoint = 1'b0;
        end
    endfunction

    // What the list of live blocks covers.
    function [BLOCKS-1:0] covered(input [BLOCKS-1:0] starts, input [2*BLOCKS-1:0] orders);
        integer i;
        begin
            covered = 0;
            for (i = 0; i < BLOCKS; i = i + 1)
                if (starts[i]) covered = covered | span(i, orders[2*i+:2]);
        end
    endfunction

    // One bit an order: an aligned run of it is free.
    function [3:0] runs(input [BLOCKS-1:0] occupied);
        integer i, order;
        begin
            runs = 0;
            for (order = 0; order <= TOP; order = order + 1)
                for (i = 0; i < BLOCKS; i = i + (1 << order))
                    if ((occupied & span(i, order)) == 0) runs[order] = 1'b1;
        end
    endfunction

    // Where the policy finds a block of at least this order: the smallest free block that will do, the lowest of those. A
    // free block is a free run that its buddy does not complete to a larger one.
    function [TOP-1:0] first_free(input [BLOCKS-1:0] occupied, input [1:0] least);
        integer i, order;
        begin
            first_free = 0;
            for (order = TOP; order >= 0; order = order - 1)
                for (i = BLOCKS - (1 << order); i >= 0; i = i - (1 << order))
                    if (order >= least && (occupied & span(i, order)) == 0
                        && (order == TOP || (occupied & span(i ^ (1 << order), order)) != 0))
                        first_free = i;
        end
    endfunction

    function [20:0] bytes_free(input [BLOCKS-1:0] occupied);
        integer i;
        begin
            bytes_free = 0;
            for (i = 0; i < BLOCKS; i = i + 1)
                if (!occupied[i]) bytes_free = bytes_free + (1 << BLOCK_BITS);
        end
    endfunction

    function [20:0] bytes_largest(input [BLOCKS-1:0] occupied);
        integer order;
        begin
            bytes_largest = 0;
            for (order = 0; order <= TOP; order = order + 1)
                if (runs(occupied) & (1 << order)) bytes_largest = 1 << (BLOCK_BITS + order);
        end
    endfunction

    // Blocks that live, each by its start; the command in hand.
    reg  [  BLOCKS-1:0] starts;
    reg  [2*BLOCKS-1:0] orders;
    reg                 in_hand;
    reg                 is_free;
    reg  [        30:0] operand;
    reg  [         4:0] age;

    wire [  BLOCKS-1:0] occupied = covered(starts, orders);
    wire                takes = s_axis_tvalid && s_axis_tready;
    wire                answers = m_axis_tvalid && m_axis_tready;
    wire [         2:0] status = m_axis_tdata[26:24];
    wire [         3:0] order = m_axis_tdata[23:20];
    wire [        19:0] address = m_axis_tdata[19:0];
    wire [     TOP-1:0] granted = address[11:BLOCK_BITS];
    wire [     TOP-1:0] named = operand[11:BLOCK_BITS];
    wire                whole_block = operand < HEAP && operand[BLOCK_BITS-1:0] == 0;

    // The order that the size asks for, if the heap is as large.
    wire [         1:0] wanted = operand <= (1 << BLOCK_BITS) ? 2'd0
        : operand <= (2 << BLOCK_BITS) ? 2'd1 : operand <= (4 << BLOCK_BITS) ? 2'd2 : 2'd3;

    reg [2:0] due;
    always @* begin
        due = DONE;
        if (is_free) begin
            if (!whole_block || (occupied[named] && !starts[named])) due = FOREIGN;
            else if (!occupied[named]) due = NOT_LIVE;
        end else begin
            if (operand == 0) due = ZERO_SIZE;
            else if (operand > HEAP) due = TOO_LARGE;
            else if (!(runs(occupied) & (1 << wanted))) due = EXHAUSTED;
        end
    end

    // The list as the result leaves it.
    reg [  BLOCKS-1:0] next_starts;
    reg [2*BLOCKS-1:0] next_orders;
    always @* begin
        next_starts = starts;
        next_orders = orders;
        if (due == DONE && is_free) next_starts[named] = 1'b0;
        if (due == DONE && !is_free) begin
            next_starts[granted] = 1'b1;
            next_orders[2*granted+:2] = order[1:0];
        end
    end

    always @(posedge clk) begin
        if (rst) begin
            starts <= 0;
            in_hand <= 1'b0;
        end else if (answers) begin
            starts <= next_starts;
            orders <= next_orders;
            in_hand <= 1'b0;
        end else if (takes) begin
            in_hand <= 1'b1;
            is_free <= s_axis_tdata[31];
            operand <= s_axis_tdata[30:0];
            age <= 5'd1;
        end else if (!m_axis_tvalid) begin
            age <= age + 5'd1;
        end
    end

    always @* begin
        if (running) begin
            in_the_heap : assert (each_whole(starts, orders));
            never_overlap : assert (disjoint(starts, orders));
            one_at_a_time : assert (s_axis_tready == (!in_hand && !initialising));
            nothing_while_initialising : assert (!initialising || (!in_hand && starts == 0));
            result_of_a_command : assert (!m_axis_tvalid || in_hand);
            in_time : assert (!in_hand || age < PATIENCE || (m_axis_tvalid && age <= PATIENCE));
        end
        if (running && m_axis_tvalid) begin
            right_status : assert (status == due && m_axis_tlast && m_axis_tdata[31:27] == 0);
            if (due != DONE) error_names_no_block : assert (order == 0 && address == 0);
            if (due == DONE && is_free) freed_order : assert (order == orders[2*named+:2] && address == 0);
            if (due == DONE && !is_free) begin
                granted_order : assert (order == wanted);
                granted_place : assert (address == first_free(occupied, wanted) << BLOCK_BITS);
                was_free : assert ((occupied & span(granted, order[1:0])) == 0);
            end
        end
        if (running && (m_axis_tvalid || s_axis_tready)) begin
            right_readings : assert (free_bytes == bytes_free(m_axis_tvalid ? covered(next_starts, next_orders) : occupied)
                && largest_free == bytes_largest(m_axis_tvalid ? covered(next_starts, next_orders) : occupied));
        end
    end

    stable_stream #(.WIDTH(33)) m_axis (
        .clk(clk),
        .rst(rst),
        .valid(m_axis_tvalid),
        .ready(m_axis_tready),
        .word({m_axis_tlast, m_axis_tdata})
    );

    // Readings before the command in hand, and before the grant of a block that may be freed next.
    reg  [41:0] last_readings;
    reg  [41:0] grant_readings;
    reg         undoable;
    reg  [TOP-1:0] last_granted;
    wire        undoes = undoable && is_free && operand == last_granted << BLOCK_BITS;
    always @(posedge clk) begin
        if (rst) begin
            undoable <= 1'b0;
        end else if (answers) begin
            undoable <= due == DONE && !is_free;
            grant_readings <= last_readings;
            last_granted <= granted;
        end else if (takes) begin
            last_readings <= {free_bytes, largest_free};
        end
    end
    always @* begin
        if (running && m_axis_tvalid) begin
            if (due != DONE) errors_change_nothing : assert ({free_bytes, largest_free} == last_readings);
            if (undoes) free_undoes_allocate : assert (status == DONE && {free_bytes, largest_free} == grant_readings);
        end
    end

`ifdef INDUCTION
    `include "buddy_induction.svh"
`endif

`ifdef QUIET
    // A witness needs no stalls, no second reset and no odd operands, and is found sooner without.
    always @* begin
        assume (m_axis_tready && s_axis_tvalid && rst == !running);
        assume (s_axis_tdata[30:13] == 0 && s_axis_tdata[BLOCK_BITS-1:0] == 0);
    end
`endif

`ifdef FREES
    // What shows at a free takes long commands before it: two grants, of one or two smallest blocks, are enough, and are
    // all that there is time for.
    reg [1:0] grants_taken;
    always @(posedge clk) begin
        if (rst) grants_taken <= 2'd0;
        else if (takes && !grants_taken[1]) grants_taken <= grants_taken + 2'd1;
    end
    always @* begin
        assume (s_axis_tdata[31] == grants_taken[1]);
        if (grants_taken[1]) assume (s_axis_tdata[30:12] == 0);
        else assume (s_axis_tdata[30:0] == 1 << BLOCK_BITS || s_axis_tdata[30:0] == 2 << BLOCK_BITS);
    end
`endif

    // Each outcome, and a heap that was cut through and is whole again.
    reg cut;
    always @(posedge clk) begin
        if (rst) cut <= 1'b0;
        else if (answers && !is_free && status == DONE && order == 0) cut <= 1'b1;
    end
    always @* begin
        if (running && !rst) begin
            whole_again : cover (cut && s_axis_tready && free_bytes == HEAP && largest_free == HEAP);
            zero_size : cover (m_axis_tvalid && status == ZERO_SIZE);
            too_large : cover (m_axis_tvalid && status == TOO_LARGE);
            exhausted : cover (m_axis_tvalid && status == EXHAUSTED && free_bytes != 0);
            not_live : cover (m_axis_tvalid && status == NOT_LIVE && cut);
            foreign : cover (m_axis_tvalid && status == FOREIGN && whole_block);
            undone : cover (m_axis_tvalid && undoes);
        end
    end
endmodule
