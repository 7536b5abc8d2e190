// Block RAM of ECP5, 16 kbit and two ports, as `synth_ecp5` configures it for Portico's memories.
// Written from Lattice FPGA-TN-02204 and Yosys's lattice/brams_16kd.txt and brams_map_16kd.v.
//
// What the hardware leaves undefined gives noise, so that a design that relies on it fails:
// a read of what the other port writes, a byte that both ports write, contents never written.
// A parameter without a model fails elaboration; a pin without a model stops the simulation.

module DP16KD #(
    // Widths 1, 2, 4, 9, 18. Width 36 joins the data pins of both ports, {B, A}: A writes, B reads.
    parameter DATA_WIDTH_A = 18, DATA_WIDTH_B = 18,
    parameter REGMODE_A = "NOREG", REGMODE_B = "NOREG",
    // What the data pins of a port show after it writes: NORMAL keeps them, READBEFOREWRITE reads.
    parameter WRITEMODE_A = "NORMAL", WRITEMODE_B = "NORMAL",
    // The model has no reset, so that both kinds are alike.
    parameter RESETMODE = "SYNC", ASYNC_RESET_RELEASE = "SYNC", GSR = "ENABLED",
    parameter CSDECODE_A = "0b000", CSDECODE_B = "0b000",
    parameter CLKAMUX = "CLKA", CLKBMUX = "CLKB",
    parameter [319:0]
        INITVAL_00 = 320'd0, INITVAL_01 = 320'd0, INITVAL_02 = 320'd0, INITVAL_03 = 320'd0,
        INITVAL_04 = 320'd0, INITVAL_05 = 320'd0, INITVAL_06 = 320'd0, INITVAL_07 = 320'd0,
        INITVAL_08 = 320'd0, INITVAL_09 = 320'd0, INITVAL_0A = 320'd0, INITVAL_0B = 320'd0,
        INITVAL_0C = 320'd0, INITVAL_0D = 320'd0, INITVAL_0E = 320'd0, INITVAL_0F = 320'd0,
        INITVAL_10 = 320'd0, INITVAL_11 = 320'd0, INITVAL_12 = 320'd0, INITVAL_13 = 320'd0,
        INITVAL_14 = 320'd0, INITVAL_15 = 320'd0, INITVAL_16 = 320'd0, INITVAL_17 = 320'd0,
        INITVAL_18 = 320'd0, INITVAL_19 = 320'd0, INITVAL_1A = 320'd0, INITVAL_1B = 320'd0,
        INITVAL_1C = 320'd0, INITVAL_1D = 320'd0, INITVAL_1E = 320'd0, INITVAL_1F = 320'd0,
        INITVAL_20 = 320'd0, INITVAL_21 = 320'd0, INITVAL_22 = 320'd0, INITVAL_23 = 320'd0,
        INITVAL_24 = 320'd0, INITVAL_25 = 320'd0, INITVAL_26 = 320'd0, INITVAL_27 = 320'd0,
        INITVAL_28 = 320'd0, INITVAL_29 = 320'd0, INITVAL_2A = 320'd0, INITVAL_2B = 320'd0,
        INITVAL_2C = 320'd0, INITVAL_2D = 320'd0, INITVAL_2E = 320'd0, INITVAL_2F = 320'd0,
        INITVAL_30 = 320'd0, INITVAL_31 = 320'd0, INITVAL_32 = 320'd0, INITVAL_33 = 320'd0,
        INITVAL_34 = 320'd0, INITVAL_35 = 320'd0, INITVAL_36 = 320'd0, INITVAL_37 = 320'd0,
        INITVAL_38 = 320'd0, INITVAL_39 = 320'd0, INITVAL_3A = 320'd0, INITVAL_3B = 320'd0,
        INITVAL_3C = 320'd0, INITVAL_3D = 320'd0, INITVAL_3E = 320'd0, INITVAL_3F = 320'd0
) (
    input wire DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6,
        DIA5, DIA4, DIA3, DIA2, DIA1, DIA0,
    input wire ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1,
        ADA0,
    input wire CEA, OCEA, CLKA, WEA, RSTA, CSA2, CSA1, CSA0,
    output wire DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6,
        DOA5, DOA4, DOA3, DOA2, DOA1, DOA0,
    input wire DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6,
        DIB5, DIB4, DIB3, DIB2, DIB1, DIB0,
    input wire ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1,
        ADB0,
    input wire CEB, OCEB, CLKB, WEB, RSTB, CSB2, CSB1, CSB0,
    output wire DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6,
        DOB5, DOB4, DOB3, DOB2, DOB1, DOB0
);
    localparam MODELS_WIDTHS =
        (DATA_WIDTH_A == 1 || DATA_WIDTH_A == 2 || DATA_WIDTH_A == 4 || DATA_WIDTH_A == 9
            || DATA_WIDTH_A == 18 || DATA_WIDTH_A == 36)
        && (DATA_WIDTH_B == 1 || DATA_WIDTH_B == 2 || DATA_WIDTH_B == 4 || DATA_WIDTH_B == 9
            || DATA_WIDTH_B == 18 || DATA_WIDTH_B == 36);
    localparam MODELS_MODES =
        (WRITEMODE_A == "NORMAL" || WRITEMODE_A == "READBEFOREWRITE")
        && (WRITEMODE_B == "NORMAL" || WRITEMODE_B == "READBEFOREWRITE")
        && REGMODE_A == "NOREG" && REGMODE_B == "NOREG"
        && CSDECODE_A == "0b000" && CSDECODE_B == "0b000"
        && CLKAMUX == "CLKA" && CLKBMUX == "CLKB"
        && (GSR == "DISABLED" || GSR == "AUTO");
    // Yosys configures zeros where a design leaves contents undefined.
    localparam MODELS_CONTENTS = ~|{
        INITVAL_00, INITVAL_01, INITVAL_02, INITVAL_03, INITVAL_04, INITVAL_05,
        INITVAL_06, INITVAL_07, INITVAL_08, INITVAL_09, INITVAL_0A, INITVAL_0B,
        INITVAL_0C, INITVAL_0D, INITVAL_0E, INITVAL_0F, INITVAL_10, INITVAL_11,
        INITVAL_12, INITVAL_13, INITVAL_14, INITVAL_15, INITVAL_16, INITVAL_17,
        INITVAL_18, INITVAL_19, INITVAL_1A, INITVAL_1B, INITVAL_1C, INITVAL_1D,
        INITVAL_1E, INITVAL_1F, INITVAL_20, INITVAL_21, INITVAL_22, INITVAL_23,
        INITVAL_24, INITVAL_25, INITVAL_26, INITVAL_27, INITVAL_28, INITVAL_29,
        INITVAL_2A, INITVAL_2B, INITVAL_2C, INITVAL_2D, INITVAL_2E, INITVAL_2F,
        INITVAL_30, INITVAL_31, INITVAL_32, INITVAL_33, INITVAL_34, INITVAL_35,
        INITVAL_36, INITVAL_37, INITVAL_38, INITVAL_39, INITVAL_3A, INITVAL_3B,
        INITVAL_3C, INITVAL_3D, INITVAL_3E, INITVAL_3F
    };
    generate
        // `$fatal` would only be a warning under `-Wno-fatal`; a missing module ends elaboration.
        if (!MODELS_WIDTHS || !MODELS_MODES || !MODELS_CONTENTS) begin : unmodelled
            DP16KD_with_a_parameter_without_a_model stop ();
        end
    endgenerate

    wire [13:0] address_a = {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3,
        ADA2, ADA1, ADA0};
    wire [13:0] address_b = {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3,
        ADB2, ADB1, ADB0};
    wire [17:0] pins_a = {DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8,
        DIA7, DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0};
    wire [17:0] pins_b = {DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8,
        DIB7, DIB6, DIB5, DIB4, DIB3, DIB2, DIB1, DIB0};
    reg [17:0] out_a;
    reg [17:0] out_b;
    assign {DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5,
        DOA4, DOA3, DOA2, DOA1, DOA0} = out_a;
    assign {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5,
        DOB4, DOB3, DOB2, DOB1, DOB0} = out_b;

    // A row holds two 18-bit words of two 9-bit bytes. Widths below 9 do not reach bit 8 of a byte.
    reg [35:0] rows [0:511];
    reg [35:0] noise;
    integer row;
    initial begin
        noise = 36'h9_e377_9b97;
        for (row = 0; row < 512; row = row + 1) begin
            rows[row] = noise;
            noise = {noise[34:0], noise[35] ^ noise[24]};
        end
    end

    // First bit of an access in its row.
    function [5:0] place(input integer width, input [13:0] address);
        begin
            place = 6'd0;
            if (width <= 18 && address[4]) place = place + 6'd18;
            if (width <= 9 && address[3]) place = place + 6'd9;
            if (width <= 4 && address[2]) place = place + 6'd4;
            if (width <= 2 && address[1]) place = place + 6'd2;
            if (width <= 1 && address[0]) place = place + 6'd1;
        end
    endfunction

    // Bits of a row that an access reaches.
    function [35:0] reach(input integer width, input [13:0] address);
        reach = (36'hf_ffff_ffff >> (36 - width)) << place(width, address);
    endfunction

    // Those of them that a write changes: the low address pins of wide ports are byte enables.
    function [35:0] lanes(input integer width, input [13:0] address);
        begin
            lanes = reach(width, address);
            if (width == 18) lanes = lanes & {2{ {9{address[1]}}, {9{address[0]}} }};
            if (width == 36)
                lanes = { {9{address[3]}}, {9{address[2]}}, {9{address[1]}}, {9{address[0]}} };
        end
    endfunction

    wire [35:0] data_a = DATA_WIDTH_A == 36 ? {pins_b, pins_a}
        : {18'd0, pins_a} << place(DATA_WIDTH_A, address_a);
    wire [35:0] data_b = {18'd0, pins_b} << place(DATA_WIDTH_B, address_b);
    wire [35:0] reach_a = reach(DATA_WIDTH_A, address_a);
    wire [35:0] reach_b = reach(DATA_WIDTH_B, address_b);
    wire [35:0] written_a = CEA & WEA ? lanes(DATA_WIDTH_A, address_a) : 36'd0;
    wire [35:0] written_b = CEB & WEB ? lanes(DATA_WIDTH_B, address_b) : 36'd0;
    wire reads_a = CEA & (~WEA | WRITEMODE_A == "READBEFOREWRITE") & DATA_WIDTH_A != 36;
    wire reads_b = CEB & (~WEB | WRITEMODE_B == "READBEFOREWRITE");

    wire [35:0] row_a = rows[address_a[13:5]];
    wire [35:0] row_b = rows[address_b[13:5]];
    wire same_row = address_a[13:5] == address_b[13:5];
    wire overlap = same_row & |(reach_a & reach_b);
    wire noise_a = overlap & |written_b;
    wire noise_b = overlap & |written_a;
    wire [35:0] seen_a = (noise_a ? noise : row_a) >> place(DATA_WIDTH_A, address_a);
    wire [35:0] seen_b = (noise_b ? noise : row_b) >> place(DATA_WIDTH_B, address_b);
    wire [35:0] doubly = same_row ? written_a & written_b : 36'd0;
    wire [35:0] new_a = row_a & ~written_a | data_a & written_a;

    always @(posedge CLKA) begin
        // Two clocks have no model.
        if (CEB & ~CLKB) $fatal(1, "DP16KD: the ports have different clocks");
        if (RSTA | RSTB | CSA0 | CSA1 | CSA2 | CSB0 | CSB1 | CSB2)
            $fatal(1, "DP16KD: reset and chip select have no model");
        if (DATA_WIDTH_A == 36 ? CEB & WEB : DATA_WIDTH_B == 36 & (CEA | CEB))
            $fatal(1, "DP16KD: with 36 bits, A writes and B reads");
        if (noise_a | noise_b) noise <= {noise[34:0], noise[35] ^ noise[24]};
        if (same_row) begin
            if (|written_a | |written_b)
                rows[address_a[13:5]] <=
                    (new_a & ~written_b | data_b & written_b) & ~doubly | noise & doubly;
        end else begin
            if (|written_a) rows[address_a[13:5]] <= new_a;
            if (|written_b) rows[address_b[13:5]] <= row_b & ~written_b | data_b & written_b;
        end
        if (reads_a) out_a <= seen_a[17:0];
        if (reads_b & DATA_WIDTH_B != 36) out_b <= seen_b[17:0];
        if (reads_b & DATA_WIDTH_B == 36) {out_b, out_a} <= seen_b;
    end
    always @(posedge CLKB) begin
        if (CEB & ~CLKA) $fatal(1, "DP16KD: the ports have different clocks");
    end
endmodule
