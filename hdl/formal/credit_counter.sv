// Properties of the credit counter (hdl/rtl/src/prim/credit_counter.rs), with a maximum of eight.
//
// Credits are never below zero nor above the maximum, whatever is taken and given: they are what plain arithmetic in more
// bits says, a take counting only if a credit was there, a give only if there was room. Exactly a refused take or give is an
// error in the next cycle; so an environment that keeps to its credits never sees one. Reset may come at any time.

`default_nettype none

module credit_counter_properties (
    input wire clk,
    input wire rst,
    input wire take,
    input wire give
);
    localparam signed [5:0] MAX = 8;

    wire [3:0] credits;
    wire       available;
    wire       error;

    portico_credit_counter dut (
        .clk(clk),
        .rst(rst),
        .take(take),
        .give(give),
        .credits(credits),
        .available(available),
        .error(error)
    );

    reg running = 1'b0;
    always @(posedge clk) running <= 1'b1;
    always @* if (!running) assume (rst);

    reg signed [5:0] balance;
    wire takes = take && balance > 0;
    wire gives = give && (balance < MAX || takes);
    reg refused;

    always @(posedge clk) begin
        if (rst) begin
            balance <= MAX;
            refused <= 1'b0;
        end else begin
            balance <= balance + $signed({5'b0, gives}) - $signed({5'b0, takes});
            refused <= (take && !takes) || (give && !gives);
        end
    end

    always @* begin
        if (running) begin
            never_negative : assert (balance >= 0);
            never_above_maximum : assert (balance <= MAX && credits <= 4'd8);
            exact : assert ({2'b0, credits} == balance);
            available_unless_none : assert (available == (balance != 0));
            error_if_refused : assert (error == refused);
        end
    end

    // An environment that takes only what is available and gives back only what it took.
    reg       fair;
    reg [3:0] taken;
    wire      fair_now = (!take || available) && (!give || taken != 4'd0 || take);

    always @(posedge clk) begin
        if (rst) begin
            fair <= 1'b1;
            taken <= 4'd0;
        end else begin
            fair <= fair && fair_now;
            taken <= taken + {3'b0, take} - {3'b0, give};
        end
    end

    always @* begin
        if (running && fair) begin
            nothing_lost : assert ({2'b0, credits} + {2'b0, taken} == MAX);
            no_error : assert (!error);
        end
    end

    reg was_empty;
    always @(posedge clk) begin
        if (rst) was_empty <= 1'b0;
        else if (credits == 4'd0) was_empty <= 1'b1;
    end

    always @* begin
        if (running && !rst) begin
            empty_and_full_again : cover (fair && credits == 4'd8 && was_empty);
        end
    end
endmodule
