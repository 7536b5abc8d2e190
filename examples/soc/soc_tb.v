// Runs the chip until its masters have ended, and tells what they found.

`default_nettype none

module soc_tb;
    reg     clk;
    reg     rst;
    wire    done;
    wire    failed;
    integer cycles;

    initial begin
        clk = 1'b0;
        forever #5 clk = !clk;
    end

    initial begin
        rst = 1'b1;
        cycles = 0;
    end

    always @(posedge clk) begin
        cycles <= cycles + 1;
        if (cycles == 10) rst <= 1'b0;
        if (!rst && done) begin
            if (failed) $display("soc: FAIL: a word or an answer was wrong");
            else $display("soc: PASS: 8 words went to the external memory and came back, 8 were doubled, in %0d cycles", cycles);
            $finish;
        end
        if (cycles == 20000) begin
            $display("soc: FAIL: a master has not ended in %0d cycles", cycles);
            $finish;
        end
    end

    soc dut (
        .clk(clk),
        .rst(rst),
        .done(done),
        .failed(failed)
    );
endmodule

`default_nettype wire
