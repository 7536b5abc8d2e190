"""A program of the driver on a fabric in a simulator. run.py generates the fabric, builds it and runs this test."""

from pathlib import Path

import cocotb
import portico
import portico.cocotb
from cocotbext.axi import AxiBus, AxiRam

CONFIG = portico.Config.from_toml(Path(__file__).with_name("fabric.toml").read_text())


def program(fabric):
    """Tile 0 puts its word into tile 1 and into external memory, which the last node reaches."""
    fabric.publish(0, 0x100, 4).clone(0).poke(0, 1234)
    for node in (1, fabric.tiles + 1):
        fabric.publish(node, 0x200, 64).clone(0).put(0, 0x100, 4)
    return fabric.publish(1, 0x200, 4).clone(0).peek(0)


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def a_put_reaches_a_tile_and_external_memory(dut):
    memory = AxiRam(AxiBus.from_prefix(dut, "m_axi_0"), dut.clk, dut.rst, size=2**20)
    fabric = await portico.cocotb.open(dut, CONFIG)
    assert await portico.cocotb.run(program, fabric) == 1234
    assert memory.read(0x200, 4) == (1234).to_bytes(4, "little")
