// Properties of the round-robin arbiter (hdl/rtl/src/prim/round_robin_arbiter.rs), with five requesters.
//
// The grant is one-hot, goes to a requester, and is there whenever somebody requests. A requester that keeps requesting
// is served within five services: proven of any one, chosen freely. Reset may come at any time. `INDUCTION`
// adds, of the block's own register, what the induction needs to know; the properties themselves see ports alone.

`default_nettype none

module round_robin_arbiter_properties (
    input wire       clk,
    input wire       rst,
    input wire [4:0] request,
    input wire       served
);
    localparam N = 5;

    wire [N-1:0] grant;

    portico_round_robin_arbiter dut (
        .clk(clk),
        .rst(rst),
        .request(request),
        .served(served),
        .grant(grant)
    );

    reg running = 1'b0;
    always @(posedge clk) running <= 1'b1;
    always @* if (!running) assume (rst);

    always @* begin
        if (running) begin
            one_hot : assert ((grant & (grant - 5'd1)) == 5'd0);
            to_a_requester : assert ((grant & ~request) == 5'd0);
            never_idle : assert ((grant != 5'd0) == (request != 5'd0));
        end
    end

    // Services of others that the chosen one has watched while it requested without a break.
    (* anyconst *) wire [N-1:0] chosen;
    always @* assume (chosen != 5'd0 && (chosen & (chosen - 5'd1)) == 5'd0);
    wire service = served && grant != 5'd0;
    reg [2:0] watched;

    always @(posedge clk) begin
        if (rst || (request & chosen) == 5'd0 || (service && grant == chosen)) watched <= 3'd0;
        else if (service) watched <= watched + 3'd1;
    end

    always @* begin
        if (running && watched == N - 1 && service && (request & chosen) != 5'd0) begin
            within_n_services : assert (grant == chosen);
        end
    end

`ifdef INDUCTION
    // The turn is known from a mask that is ones above the one served last, and each service of another
    // brings the turn nearer to the chosen one.
    (* hierconn *) wire [N-1:0] \dut.behind ;
    wire [N-1:0] not_behind = ~\dut.behind ;
    wire [N-1:0] before_chosen = chosen - 5'd1;

    function [2:0] ones(input [N-1:0] bits);
        ones = {2'b0, bits[0]} + {2'b0, bits[1]} + {2'b0, bits[2]} + {2'b0, bits[3]} + {2'b0, bits[4]};
    endfunction

    // Requesters whose turn comes before that of the chosen one.
    wire [2:0] others_first = (chosen & \dut.behind ) != 5'd0
        ? ones(\dut.behind & before_chosen)
        : ones(\dut.behind ) + ones(before_chosen);

    always @* begin
        if (running) begin
            mask_is_a_run : assert ((not_behind & (not_behind + 5'd1)) == 5'd0);
            turn_comes_nearer : assert ({1'b0, watched} + {1'b0, others_first} <= N - 1);
        end
    end
`endif

    always @* begin
        if (running && !rst) begin
            longest_wait : cover (watched == N - 1 && service && grant == chosen);
        end
    end
endmodule
