// What the induction needs to know of the buddy allocator's registers: what each stage of a command has left behind.
//
// With it one step is enough: each state that satisfies all of this leads to another. Without it an induction must be
// deeper than the longest command.

localparam RADIX = $clog2(WORD);
localparam [3:0] SWEEP = 0, SWEPT = 1, IDLE = 2, PICK = 3, CHOOSE = 4, PLACE = 5, SEEK_WORD = 6, FETCH = 7, SEEK_NODE = 8,
    DOWN = 9, UP = 10, LAND = 11, DRAIN = 12, SETTLE = 13, OFFER = 14;

(* hierconn *) wire [3:0] \dut.control.current ;
(* hierconn *) wire [3:0] \dut.control.handed ;
(* hierconn *) wire [1:0] \dut.control.left ;
(* hierconn *) wire \dut.control.releasing ;
(* hierconn *) wire [2:0] \dut.control.ended ;
(* hierconn *) wire [14:0] \dut.search.candidates ;
(* hierconn *) wire [WORD-1:0] \dut.search.places ;
(* hierconn *) wire [RADIX-1:0] \dut.search.found ;
(* hierconn *) wire [14:0] \dut.path.current ;
(* hierconn *) wire [14:0] \dut.marker.enough ;
(* hierconn *) wire \dut.marker.joining ;
(* hierconn *) wire \dut.marker.past_start ;
(* hierconn *) wire [3:0] \dut.marker.steps ;
(* hierconn *) wire [WORD-1:0] \dut.tree.first ;
(* hierconn *) wire [15:0] \dut.tree.fetched ;
(* hierconn *) wire [14:0] \dut.tree.held ;
(* hierconn *) wire \dut.tree.in_first ;
(* hierconn *) wire [15:0] \dut.tree.store.read_data ;
(* hierconn *) wire [15:0] \dut.tree.store.memory[1] ;
(* hierconn *) wire [15:0] \dut.tree.store.memory[2] ;
(* hierconn *) wire [15:0] \dut.tree.store.memory[3] ;
(* hierconn *) wire [WORD-1:0] \dut.summary.first ;
(* hierconn *) wire [WORD-1:0] \dut.summary.with_free ;
(* hierconn *) wire \dut.summary.pending ;
(* hierconn *) wire [9:0] \dut.summary.word ;
(* hierconn *) wire \dut.summary.value ;

wire [           3:0] stage = \dut.control.current ;
wire [           3:0] handed = \dut.control.handed ;
wire [           1:0] left = \dut.control.left ;
wire [           3:0] steps = \dut.marker.steps ;
wire [          14:0] node = \dut.path.current ;
wire [          14:0] hand = \dut.tree.held ;
wire [2*BLOCKS-1:0] nodes = {
    \dut.tree.store.memory[3] [WORD-1:0],
    \dut.tree.store.memory[2] [WORD-1:0],
    \dut.tree.store.memory[1] [WORD-1:0],
    \dut.tree.first
};

// The bits that a list of live blocks has: a node is used if one lies within it. Node 0 is always.
function [2*BLOCKS-1:0] tree(input [BLOCKS-1:0] starts, input [2*BLOCKS-1:0] orders);
    integer i, depth;
    begin
        tree = 1;
        for (i = 0; i < BLOCKS; i = i + 1)
            for (depth = 0; depth <= TOP; depth = depth + 1)
                if (starts[i] && depth >= orders[2*i+:2]) tree[(BLOCKS+i)>>depth] = 1'b1;
    end
endfunction

// One bit a word: it has two buddies of which one is used.
function [3:0] words(input [2*BLOCKS-1:0] nodes);
    integer pair;
    begin
        words = 0;
        for (pair = WORD / 2; pair < BLOCKS; pair = pair + 1)
            if (nodes[2*pair] != nodes[2*pair+1]) words[2*pair/WORD] = 1'b1;
    end
endfunction

// The node that the policy finds, as `first_free` does.
function [14:0] free_node(input [BLOCKS-1:0] occupied, input [1:0] least);
    integer i, order;
    begin
        free_node = 0;
        for (order = TOP; order >= 0; order = order - 1)
            for (i = BLOCKS - (1 << order); i >= 0; i = i - (1 << order))
                if (order >= least && (occupied & span(i, order)) == 0
                    && (order == TOP || (occupied & span(i ^ (1 << order), order)) != 0))
                    free_node = (BLOCKS + i) >> order;
    end
endfunction

// One bit a depth: there is a free block.
function [14:0] free_depths(input [BLOCKS-1:0] occupied);
    integer i, order;
    begin
        free_depths = 0;
        for (order = 0; order <= TOP; order = order + 1)
            for (i = 0; i < BLOCKS; i = i + (1 << order))
                if ((occupied & span(i, order)) == 0
                    && (order == TOP || (occupied & span(i ^ (1 << order), order)) != 0))
                    free_depths[TOP-order] = 1'b1;
    end
endfunction

function [1:0] depth_of(input [14:0] node);
    integer depth;
    begin
        depth_of = 0;
        for (depth = 0; depth <= TOP; depth = depth + 1)
            if (node >> depth == 1) depth_of = depth;
    end
endfunction

// The nodes above `hand` that a grant of this order uses.
function [2*BLOCKS-1:0] used_above(input [14:0] hand, input [1:0] order);
    integer i, up;
    begin
        used_above = 0;
        for (up = 1; up <= TOP; up = up + 1)
            for (i = 1; i < BLOCKS; i = i + 1)
                if (hand >> up == i && i < 2 << (TOP - order)) used_above[i] = 1'b1;
    end
endfunction

// The nodes over the smallest block `first`, from height `low` to below `high`.
function [2*BLOCKS-1:0] chain(input [TOP-1:0] first, input [3:0] low, input [3:0] high);
    integer i, up;
    begin
        chain = 0;
        for (i = 0; i < BLOCKS; i = i + 1)
            for (up = 0; up <= TOP; up = up + 1)
                if (i == first && up >= low && up < high) chain[(BLOCKS+i)>>up] = 1'b1;
    end
endfunction

// The same nodes with each in the place of its buddy.
function [2*BLOCKS-1:0] buddies(input [2*BLOCKS-1:0] nodes);
    integer pair;
    for (pair = 0; pair < BLOCKS; pair = pair + 1) buddies[2*pair+:2] = {nodes[2*pair], nodes[2*pair+1]};
endfunction

// What the command in hand is about: the block that a grant finds; how many nodes a release has left behind.
wire [          14:0] goal = free_node(occupied, wanted);
wire [           1:0] goal_depth = depth_of(goal);
wire [           1:0] tier = goal_depth / RADIX;
wire [          14:0] goal_leaf = goal << (TOP - goal_depth);
wire [          14:0] enough = (2 << (TOP - wanted)) - 1;
wire [          14:0] leaf = BLOCKS + named;
wire [           3:0] climbed = age - 5'd2;
wire                  joining = \dut.marker.joining ;
wire [           1:0] live_order = orders[2*named+:2];
wire                  hand_marks = handed == DOWN;
wire                  hand_unmarks = handed == UP;
// Cycles until the walk down begins.
wire [           4:0] search_time = tier == 0 ? 5'd4 : tier == 1 ? 5'd8 : 5'd11;
wire [           4:0] choice_time = left == tier ? 5'd2 : left == 1 ? 5'd5 : tier == 1 ? 5'd6 : 5'd9;

wire [2*BLOCKS-1:0] tree_before = tree(starts, orders);
reg  [2*BLOCKS-1:0] tree_now;
always @* begin
    tree_now = tree_before;
    case (stage)
        DOWN, LAND: if (hand_marks) tree_now = tree_before | used_above(hand, wanted);
        UP: if (hand_unmarks && joining) tree_now = tree_before & ~chain(named, live_order, climbed);
        DRAIN, SETTLE, OFFER: tree_now = tree(next_starts, next_orders);
        default: ;
    endcase
end

`ifdef GROUPS
(* hierconn *) wire [WORD-1:0] \dut.summary.store.memory[1] ;
wire [3:0] words_kept = {\dut.summary.store.memory[1] , \dut.summary.first };
wire groups_right = \dut.summary.with_free == {|words_kept[3:2], 1'b0};
wire no_groups = !\dut.summary.with_free [0];
`else
wire [3:0] words_kept = \dut.summary.first ;
wire groups_right = \dut.summary.with_free == 0;
wire no_groups = groups_right;
`endif
wire pending = \dut.summary.pending ;
wire [9:0] word = \dut.summary.word ;
wire value = \dut.summary.value ;
// The summary as the update in hand leaves it.
wire [3:0] word_bit = pending ? 4'd1 << word[1:0] : 4'd0;
wire [3:0] words_next = (words_kept & ~word_bit) | (value ? word_bit : 4'd0);

// The first place of those looked at.
reg [RADIX-1:0] lowest;
always @* begin : find_lowest
    integer i;
    lowest = 0;
    for (i = WORD - 1; i >= 0; i = i - 1) if (\dut.search.places [i]) lowest = i;
end

// A word read from RAM is that of the node it is read for; a node in the first word needs none.
wire [14:0] node_word = node >> RADIX;
wire [14:0] hand_word = hand >> RADIX;
wire read_right = node_word == 0 || \dut.tree.store.read_data [WORD-1:0] == nodes[WORD*node_word[1:0]+:WORD];
wire fetched_right = hand_word == 0 || \dut.tree.fetched [WORD-1:0] == nodes[WORD*hand_word[1:0]+:WORD];

// Steps of a grant below its block, before the node in hand.
wire [3:0] hand_depth = depth_of(hand);
wire [3:0] steps_down = hand_marks && hand_depth + wanted > TOP ? hand_depth + wanted - TOP - 1 : 0;

wire [BLOCKS-1:0] without_granted = starts & ~(1 << last_granted);
wire [BLOCKS-1:0] occupied_before = covered(without_granted, orders);

always @* begin
    if (running) begin
        known_stage : assert (stage <= OFFER);
        stage_in_hand : assert (in_hand == (stage > IDLE) && initialising == (stage < IDLE));
        first_word_in_hand : assert (\dut.tree.in_first == (hand_word == 0));
        if (pending) word_in_hand : assert (word != 0 && word < 4);
        if (in_hand) before_the_command : assert (last_readings == {bytes_free(occupied), bytes_largest(occupied)});
        if (undoable) begin
            before_the_grant : assert (starts[last_granted]
                && grant_readings == {bytes_free(occupied_before), bytes_largest(occupied_before)});
        end
    end
    if (running && initialising) begin
        first_is_reset : assert (\dut.tree.first == 1 && \dut.summary.first == 0 && no_groups && free_bytes == HEAP);
        sweeps : assert (node[RADIX-1:0] == 0 && node >= WORD && node <= 2 * BLOCKS
            && (stage == SWEEP) == (node < 2 * BLOCKS));
        if (pending) nothing_free : assert (!value);
        if (pending && word == 3) third_cleared : assert (!words_kept[2]);
        if (handed == SWEPT) begin
            swept : assert (stage == SWEPT && nodes == 1 && pending && word == 3);
        end else if (handed == SWEEP) begin
            sweeping : assert (hand == node - WORD && hand >= WORD
                && (nodes & ((1 << hand) - 1)) == 1 && pending == (hand > WORD));
            if (pending) word_follows : assert (word == hand_word - 1);
        end else begin
            sweep_begins : assert (handed == IDLE && stage == SWEEP && node == WORD && !pending);
        end
    end
    if (running && !initialising) begin
        bits_of_the_list : assert (nodes == tree_now);
        summary_of_the_bits : assert (words_next == words(nodes) && groups_right);
        if (pending) update_of_a_walk : assert (stage == UP || stage == DOWN || stage == LAND || stage == DRAIN);
    end
    if (running && in_hand) begin
        operation : assert (\dut.control.releasing == is_free);
        if (stage < DRAIN) not_ended : assert (\dut.control.ended == DONE);
        else ended : assert (\dut.control.ended == due);
        if (stage < OFFER) not_accounted : assert (free_bytes == bytes_free(occupied));
        if (stage == UP) releases : assert (is_free && whole_block);
        if (stage < UP || stage == LAND)
            grants : assert (!is_free && (due == DONE || (stage == PICK && due == EXHAUSTED))
                && \dut.marker.enough == enough);
        if (stage > PICK && stage < DOWN) no_step : assert (steps == 0);
        if (stage >= DRAIN && due == DONE) begin
            if (is_free) order_of_the_live : assert (steps == live_order);
            else order_of_the_granted : assert (steps == wanted);
        end
    end
    if (running) begin
        case (stage)
            IDLE: idle_after : assert (handed == SWEPT || handed == OFFER || handed == IDLE);
            PICK:
            picks : assert (handed == IDLE && age == 1 && node == 0
                && \dut.search.candidates == (free_depths(occupied) & enough));
            CHOOSE:
            chooses : assert ((handed == PICK || handed == SEEK_WORD || handed == SEEK_NODE)
                && left <= tier && age == choice_time && \dut.search.places != 0
                && (node | lowest) == goal >> RADIX * left);
            PLACE:
            places : assert (handed == CHOOSE && left <= tier && age == choice_time + 1
                && (node | \dut.search.found ) == goal >> RADIX * left);
            SEEK_WORD:
            seeks_word : assert (handed == PLACE && left == 2 && tier == 2 && age == 4
                && node == (goal >> 2 * RADIX) << RADIX);
            FETCH:
            fetches : assert (handed == PLACE && left == 1 && tier != 0 && age == search_time - 4
                && node == (goal >> RADIX) << RADIX && read_right);
            SEEK_NODE:
            seeks_node : assert (handed == FETCH && left == 1 && tier != 0 && age == search_time - 3
                && node == (goal >> RADIX) << RADIX && hand == node && fetched_right);
            DOWN: begin
                goes_down : assert (depth_of(node) >= goal_depth && node == goal << (depth_of(node) - goal_depth)
                    && age == search_time + depth_of(node) - goal_depth && read_right && steps == steps_down);
                if (hand_marks) marks : assert (hand == node >> 1 && node != goal && fetched_right);
                else first_down : assert (handed == PLACE && node == goal);
            end
            UP:
            if (hand_unmarks) begin
                goes_up : assert (age >= 2 && age <= TOP + 2 && hand == leaf >> climbed && node == hand >> 1
                    && read_right && fetched_right);
                start_passed : assert (\dut.marker.past_start == ((leaf & ((1 << climbed) - 1)) != 0));
                if (joining) begin
                    joins : assert (starts[named] && climbed > live_order && steps == live_order
                        && (tree_before & buddies(chain(named, live_order, climbed))) == 0);
                end else begin
                    no_block_yet : assert (steps == climbed
                        && (tree_before & (chain(named, 0, climbed) | buddies(chain(named, 0, climbed)))) == 0);
                end
            end else begin
                first_up : assert (handed == IDLE && age == 1 && node == leaf && read_right);
            end
            LAND:
            lands : assert (hand_marks && node == goal_leaf && hand == node && fetched_right && steps == steps_down
                && age == search_time + TOP - goal_depth + 1);
            DRAIN:
            if (is_free) up_drains : assert (handed == DRAIN && age <= TOP + 3);
            else
                down_drains : assert (handed == LAND && node == goal_leaf
                    && age == search_time + TOP - goal_depth + 2);
            SETTLE: begin
                settles : assert (handed == IDLE || handed == PICK || handed == DRAIN);
                if (is_free || due != DONE) settles_in_time : assert (age <= TOP + 4);
                else granted_settles : assert (node == goal_leaf && age == search_time + TOP - goal_depth + 3);
            end
            OFFER: offers : assert (handed == SETTLE || handed == OFFER);
            default: ;
        endcase
    end
end
