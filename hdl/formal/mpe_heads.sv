// Properties of the scheduler of the message-passing engine (hdl/rtl/src/mpe/engine/call_scheduler.rs) with the counts of
// its packets and credits (edge_counts.rs), for one context: cut-through adds no wait in a circle (docs/collectives.md).
//
// A pass over the packet of an edge is given out only when the head of this packet was ejected in an earlier cycle, and a
// packet to a neighbour only with a credit. A fold begins only when a packet of each contribution is here, and the credit for
// its result. So each head that leaves, leaves after the heads of all packets that it waits for. The harness counts packets
// and credits by itself, from what comes and from the passes that are given out.
//
// The environment is that of the engine: a call begins when none runs, in a cycle in which one is possible; a neighbour sends
// two packets ahead of their credits at most, and gives back no credit that it does not hold. `ejects` is the first word of a
// packet that the word receiver has taken, which follows its head. Reset may come at any time, and so may `closes`. To a closed
// context more packets come, because the drain gives their credits back; it opens when no call runs, and no call begins before.
// `INDUCTION` adds what the induction needs to know of registers.

`default_nettype none

module mpe_heads_properties (
    input wire        clk,
    input wire        rst,
    // A packet of this edge begins to eject; a credit of this edge comes back; a token is here or not.
    input wire        ejects,
    input wire [ 2:0] ejects_of,
    input wire        returns,
    input wire [ 2:0] returns_of,
    input wire [31:0] tokens,
    input wire [31:0] present,
    input wire [31:0] first_word,
    input wire        first_down,
    input wire        first_opens,
    input wire        call_possible,
    input wire        call_valid,
    input wire [31:0] call_word,
    input wire [ 2:0] call_towards,
    input wire        call_root,
    input wire [15:0] call_source,
    input wire [15:0] call_result,
    input wire        job_ready,
    input wire        token_ready,
    input wire        event_ready,
    input wire        ended,
    input wire        wrong,
    input wire        expired,
    input wire        closes,
    input wire        opens
);
    wire [31:0] packets;
    wire [31:0] credits;
    wire [31:0] take_packet;
    wire [31:0] take_credit;
    wire        job_valid;
    wire        job_from_memory;
    wire        job_from_edge;
    wire [ 4:0] job_neighbour;
    wire        job_slot;
    wire        job_frees;
    wire        job_from_sum;
    wire        job_folds;
    wire        job_to_network;
    wire [ 4:0] job_target;
    wire [ 3:0] running;
    wire [ 3:0] closed;
    wire [31:0] opened = {24'd0, {8{opens}}};

    portico_mpe_packets packet_counts (
        .clk(clk),
        .rst(rst),
        .add(ejects),
        .neighbour({2'd0, ejects_of}),
        .take(take_packet),
        .clear(opened),
        .some(packets),
        .both(),
        .overflow()
    );

    portico_mpe_credits credit_counts (
        .clk(clk),
        .rst(rst),
        .add(returns),
        .neighbour({2'd0, returns_of}),
        .take(take_credit),
        .clear(32'd0),
        .some(credits),
        .both(),
        .overflow()
    );

    portico_mpe_scheduler scheduler (
        .clk(clk),
        .rst(rst),
        .call_possible(call_possible),
        .call_valid(call_valid),
        .call_owner(2'd0),
        .call_word(call_word),
        .call_towards(call_towards),
        .call_root(call_root),
        .call_event(6'd0),
        .call_quiet(1'b0),
        .call_source(call_source),
        .call_result(call_result),
        .present({24'd0, present[7:0]}),
        .packets(packets),
        .credits(credits),
        .tokens(tokens),
        .take_packet(take_packet),
        .take_credit(take_credit),
        .take_token(),
        .neighbour(),
        .slot(),
        .word(first_word),
        .word_down(first_down),
        .word_opens(first_opens),
        .slots(),
        .job_valid(job_valid),
        .job_owner(),
        .job_words(),
        .job_first(),
        .job_from_memory(job_from_memory),
        .job_address(),
        .job_from_edge(job_from_edge),
        .job_neighbour(job_neighbour),
        .job_slot(job_slot),
        .job_frees(job_frees),
        .job_from_sum(job_from_sum),
        .job_folds(job_folds),
        .job_call_word(),
        .job_to_network(job_to_network),
        .job_down(),
        .job_target(job_target),
        .job_to_memory(),
        .job_result(),
        .job_to_sum(),
        .job_ends(),
        .job_ready(job_ready),
        .token_valid(),
        .token_edge(),
        .token_number(),
        .token_ready(token_ready),
        .ended({3'd0, ended}),
        .wrong({3'd0, wrong}),
        .expired({3'd0, expired}),
        .close({3'd0, closes}),
        .open(opened),
        .event_valid(),
        .event_event(),
        .event_error(),
        .event_ready(event_ready),
        .running(running),
        .closed(closed),
        .codes_0(),
        .codes_1(),
        .codes_2(),
        .codes_3(),
        .moves()
    );

    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @* if (!started) assume (rst);

    // A pass is given out, and what it takes.
    wire given = job_valid && job_ready;
    wire reads = given && job_from_edge;
    wire frees = reads && job_frees;
    wire sends = given && job_to_network;

    // Packets of each edge whose head has come and that no pass has taken for the last time, and credits for each edge. One bit
    // a place: at least one, and two.
    reg [7:0] here_one, here_two, left_one, left_two;
    // The room of the oldest packet of each edge.
    reg [7:0] room;
    wire [7:0] comes = ejects && !here_two[ejects_of] ? 8'd1 << ejects_of : 8'd0;
    wire [7:0] goes = frees ? 8'd1 << job_neighbour[2:0] : 8'd0;
    wire [7:0] back = returns ? 8'd1 << returns_of : 8'd0;
    wire [7:0] sent = sends ? 8'd1 << job_target[2:0] : 8'd0;

    always @(posedge clk) begin
        if (rst) begin
            here_one <= 8'd0;
            here_two <= 8'd0;
            left_one <= 8'hff;
            left_two <= 8'hff;
            room     <= 8'd0;
        end else begin
            here_one <= (here_one & ~goes) | (here_two & goes) | comes;
            here_two <= (here_two & ~goes) | (here_one & ~goes & comes) | (here_two & goes & comes);
            left_one <= (left_one & ~sent) | (left_two & sent) | back;
            left_two <= (left_two & ~sent) | (left_one & ~sent & back) | (left_two & sent & back);
            room     <= room ^ goes;
            if (opens) begin
                here_one <= 8'd0;
                here_two <= 8'd0;
                room     <= 8'd0;
            end
        end
    end

    // What is here when the first pass of a fold is given out.
    reg [7:0] began_with, began_with_credit;
    wire begins_fold = given && job_folds && job_from_memory;
    always @(posedge clk) begin
        if (begins_fold) begin
            began_with        <= here_one;
            began_with_credit <= left_one;
        end
    end

    // The engine's environment.
    always @* begin
        if (call_valid) assume (call_possible && !running[0] && !closed[0] && !opens && !rst);
        if (opens) assume (closed[0] && !running[0] && !ejects);
        if (ejects) assume (closed[0] || !here_two[ejects_of]);
        if (returns) assume (!left_two[returns_of]);
    end

    wire [2:0] from = job_neighbour[2:0];
    wire [2:0] to = job_target[2:0];

    always @* begin
        if (started && !rst) begin
            head_came_before : assert (!reads || (job_neighbour[4:3] == 2'd0 && here_one[from]));
            oldest_packet : assert (!reads || job_slot == room[from]);
            credit_for_a_head : assert (!sends || (job_target[4:3] == 2'd0 && left_one[to]));
            fold_has_all : assert (!(reads && job_from_sum) || began_with[from]);
            fold_has_its_credit : assert (!(sends && job_from_sum) || began_with_credit[to]);
            only_a_fold_has_sums : assert (!(given && job_from_sum) || job_folds);
        end
    end

    // Whether the context has been open again after it was closed.
    reg opened_again = 1'b0;
    always @(posedge clk) opened_again <= !rst && (opened_again || opens);

    // Both ways of a packet that is sent on, a fold of two, and a packet after the context opened.
    always @* begin
        if (started && !rst) begin
            sent_on : cover (sends && job_from_edge && !job_folds);
            sent_on_twice : cover (sends && job_from_edge && !job_folds && job_frees && left_two != 8'hff);
            folded_of_two : cover (sends && job_from_edge && job_from_sum);
            sent_on_after_open : cover (opened_again && sends && job_from_edge && !job_folds);
        end
    end

`ifdef INDUCTION
    (* hierconn *) wire [10:0] \scheduler.now ;
    (* hierconn *) wire [18:0] \scheduler.neighbourhood ;
    (* hierconn *) wire [ 1:0] \scheduler.current ;
    (* hierconn *) wire        \scheduler.loaded ;
    (* hierconn *) wire [31:0] \scheduler.next_slot ;
    (* hierconn *) wire [31:0] \packet_counts.one ;
    (* hierconn *) wire [31:0] \packet_counts.two ;
    (* hierconn *) wire [31:0] \credit_counts.one ;
    (* hierconn *) wire [31:0] \credit_counts.two ;

    localparam [2:0] FOLD = 3'd2;
    wire [2:0] step = \scheduler.now [2:0];
    wire [7:0] remaining = \scheduler.now [10:3];
    wire [7:0] way = \scheduler.neighbourhood [7:0];
    wire [7:0] children = \scheduler.neighbourhood [15:8];
    wire [2:0] towards = \scheduler.neighbourhood [18:16];
    wire folding = running[0] && step == FOLD && remaining != children;

    always @* begin
        if (started) begin
            one_context : assert (\scheduler.current == 2'd0 && \scheduler.loaded && running[3:1] == 3'd0);
            packets_counted : assert (\packet_counts.one == {24'd0, here_one} && \packet_counts.two == {24'd0, here_two});
            credits_counted : assert (\credit_counts.one == {24'd0, left_one} && \credit_counts.two == {24'd0, left_two});
            two_are_one : assert (!(here_two & ~here_one) && !(left_two & ~left_one));
            rooms_in_turn : assert (\scheduler.next_slot == {24'd0, room});
            way_to_the_root : assert (!running[0] || way == 8'd0 || way == 8'd1 << towards);
            children_beside_it : assert (!running[0] || (!(children & way) && !(remaining & ~children)));
            folded_in_order : assert (!folding || remaining != 8'd0);
            all_are_here : assert (!folding || !(remaining & ~(here_one & began_with)));
            its_credit_is_here : assert (!folding || !(way & ~(left_one & began_with_credit)));
        end
    end
`endif
endmodule
