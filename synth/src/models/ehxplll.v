// PLL of ECP5, for simulations that count cycles and not time: it passes its input clock on, whatever its dividers, and
// has locked a few cycles after the start. Ports and parameters are those that Portico's board tops use.

module EHXPLLL #(
    parameter PLLRST_ENA = "", INTFB_WAKE = "", STDBY_ENABLE = "", DPHASE_SOURCE = "",
    parameter OUTDIVIDER_MUXA = "", OUTDIVIDER_MUXB = "", OUTDIVIDER_MUXC = "", OUTDIVIDER_MUXD = "",
    parameter CLKI_DIV = 1, CLKFB_DIV = 1, FEEDBK_PATH = "",
    parameter CLKOP_ENABLE = "", CLKOP_DIV = 1, CLKOP_CPHASE = 0, CLKOP_FPHASE = 0,
    parameter CLKOS_ENABLE = "", CLKOS_DIV = 1, CLKOS_CPHASE = 0, CLKOS_FPHASE = 0
) (
    input wire RST, STDBY, CLKI, CLKFB, PHASESEL0, PHASESEL1, PHASEDIR, PHASESTEP, PHASELOADREG, PLLWAKESYNC, ENCLKOP,
    output wire CLKOP, CLKOS, LOCK
);
    reg [1:0] cycles = 2'd0;
    always @(posedge CLKI) if (!LOCK) cycles <= cycles + 2'd1;
    assign LOCK = &cycles;
    assign CLKOP = CLKI;
    assign CLKOS = CLKI;
endmodule
