"""A LiteX SoC with a Portico fabric on its Wishbone bus, as Verilog for simulation.

    soc.py FABRIC.v SOC.v

FABRIC.v is the Verilog that `portico generate fabric` has written. A host reaches the bus by UARTBone at the pins serial_rx and
serial_tx, with four clock cycles a bit. For a board, give `Soc` the platform of the board and its clock.
"""

import re
import sys

from litex.build.generic_platform import GenericPlatform, Pins, Subsignal
from litex.gen import ClockDomain, ClockSignal, Constant, Instance, LiteXModule, ResetSignal, Signal
from litex.soc.integration.soc import SoCRegion
from litex.soc.integration.soc_core import SoCMini
from litex.soc.interconnect.axi import AXILiteInterface

BASE = 0x3000_0000  # byte address of the host node on the bus, a multiple of SPACE
SPACE = 1 << 20  # bytes of the host node's space
CLOCK = 8_000_000  # Hz
BAUD = CLOCK // 4
PINS = [("clk", 0, Pins(1)), ("rst", 0, Pins(1)), ("serial", 0, Subsignal("tx", Pins(1)), Subsignal("rx", Pins(1)))]


class Fabric(LiteXModule):
    """The fabric of a Verilog file. `bus` is its host node, `irq` is high while an event of the host node interrupts."""

    def __init__(self, platform, verilog):
        self.bus = bus = AXILiteInterface(data_width=32, address_width=32)
        self.irq = Signal()
        with open(verilog) as file:
            header = re.search(r"^module portico_fabric \((.*?)^\);", file.read(), re.DOTALL | re.MULTILINE)
        if header is None:
            raise ValueError(f"{verilog} has no module portico_fabric: write it by `portico generate fabric`")
        inputs = re.findall(r"^\s*input\s+wire\s+(?:\[(\d+):0\]\s+)?(\w+)", header[1], re.MULTILINE)
        if any(name.startswith("m_axi_") for _, name in inputs):
            raise ValueError(
                f"{verilog} has memory nodes: this SoC connects no external memory, allowed is memories = 0"
            )
        # An input that nothing drives is 0: streams and ports of tiles without a core, monitors.
        ports = {f"i_{name}": Constant(0, int(top or 0) + 1) for top, name in inputs}
        ports.update(i_clk=ClockSignal(), i_rst=ResetSignal(), o_host_irq=self.irq)
        for name, channel in (("aw", bus.aw), ("ar", bus.ar)):
            ports[f"i_s_axil_{name}addr"] = channel.addr[:20]
            ports[f"i_s_axil_{name}valid"], ports[f"o_s_axil_{name}ready"] = channel.valid, channel.ready
        ports.update(i_s_axil_wdata=bus.w.data, i_s_axil_wstrb=bus.w.strb)
        ports.update(i_s_axil_wvalid=bus.w.valid, o_s_axil_wready=bus.w.ready)
        ports.update(o_s_axil_bresp=bus.b.resp, o_s_axil_bvalid=bus.b.valid, i_s_axil_bready=bus.b.ready)
        ports.update(o_s_axil_rdata=bus.r.data, o_s_axil_rresp=bus.r.resp)
        ports.update(o_s_axil_rvalid=bus.r.valid, i_s_axil_rready=bus.r.ready)
        self.specials += Instance("portico_fabric", **ports)
        platform.add_source(verilog)


class Clock(LiteXModule):
    """Clock and reset from pins."""

    def __init__(self, platform):
        self.cd_sys = ClockDomain()
        self.comb += [self.cd_sys.clk.eq(platform.request("clk")), self.cd_sys.rst.eq(platform.request("rst"))]


class Soc(SoCMini):
    """A SoC without a processor: UARTBone is the master of the bus, and the fabric lies at `BASE`."""

    def __init__(self, platform, verilog, clock=CLOCK, baud=BAUD):
        self.crg = Clock(platform)
        super().__init__(platform, clk_freq=clock, ident="", ident_version=False)
        self.add_uartbone(baudrate=baud)
        self.fabric = Fabric(platform, verilog)
        # The bus puts LiteX's adapter from Wishbone to AXI4-Lite in front of the fabric.
        self.bus.add_slave("fabric", self.fabric.bus, SoCRegion(origin=BASE, size=SPACE, cached=False))


def main(verilog, out):
    platform = GenericPlatform("", PINS, name="portico_litex")
    soc = Soc(platform, verilog)
    soc.finalize()
    platform.get_verilog(soc, name="portico_litex", regular_comb=False).write(out)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
