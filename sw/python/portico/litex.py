"""A fabric behind LiteX's RemoteClient: a peripheral of a LiteX SoC, driven from a host over its server."""

from __future__ import annotations

from typing import Any

from ._portico import Config, Fabric

__all__ = ["Transport", "open"]


class Transport:
    """Accesses of a LiteX `RemoteClient` to the fabric at byte address `base` of the SoC's bus."""

    def __init__(self, client: Any, base: int = 0) -> None:
        self.client = client
        self.base = base

    def read(self, address: int) -> int:
        """Reads 32 bits."""
        word: int = self.client.read(self.base + address)
        return word

    def write(self, address: int, value: int) -> None:
        """Writes 32 bits."""
        self.client.write(self.base + address, value)

    def read_block(self, address: int, count: int) -> list[int]:
        """Reads words that lie together."""
        words: list[int] = self.client.read(self.base + address, count)
        return words

    def write_block(self, address: int, values: list[int]) -> None:
        """Writes words that lie together."""
        self.client.write(self.base + address, values)


def open(client: Any, base: int, config: Config) -> Fabric:
    """Opens a fabric whose host node lies at byte address `base` of the bus of a LiteX SoC, by an open `RemoteClient`.
    The fabric must have been reset since an earlier program has used it."""
    return Fabric(Transport(client, base), config)
