"""A fabric behind PYNQ's MMIO: in the programmable logic of a Zynq, driven from its processor."""

from __future__ import annotations

from typing import Any

from ._portico import Config, Fabric

__all__ = ["open"]

SPACE_BYTES = 1 << 20
"""Bytes of the space of a host node."""


def open(base: int, config: Config) -> Fabric:
    """Opens a fabric whose host node's AXI4-Lite port lies at the physical byte address `base`, as the address editor
    has it.

    The fabric must have been reset since an earlier program has used it: download the overlay again, or give it a
    reset. An `MMIO` that you have, such as that of an overlay's block, is a transport as it is:
    `Fabric(overlay.portico.mmio, config)`.
    """
    from pynq import MMIO  # type: ignore[import-not-found, unused-ignore]

    mmio: Any = MMIO(base, SPACE_BYTES)
    return Fabric(mmio, config)
