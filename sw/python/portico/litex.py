"""A fabric behind LiteX's RemoteClient: a peripheral of a LiteX SoC, driven from a host over its server."""

from __future__ import annotations

from typing import Any

from ._portico import Config, Fabric

__all__ = ["Transport", "open"]

# Words that a record of LiteX's protocol holds: it counts them in 8 bits.
_RECORD = 255


class Transport:
    """Accesses of a LiteX `RemoteClient` to the fabric at byte address `base` of the SoC's bus.

    From here on a read of `client` without an answer raises `ConnectionError`. LiteX's client alone would give zeros.
    """

    def __init__(self, client: Any, base: int = 0) -> None:
        self.client = client
        self.base = base
        receive = getattr(client, "receive_packet", None)
        if receive is not None:
            client.receive_packet = _checked(receive)

    def read(self, address: int) -> int:
        """Reads 32 bits."""
        word: int = self.client.read(self.base + address)
        return word

    def write(self, address: int, value: int) -> None:
        """Writes 32 bits."""
        self.client.write(self.base + address, value)

    def read_block(self, address: int, count: int) -> list[int]:
        """Reads words that lie together."""
        words: list[int] = []
        for at in range(0, count, _RECORD):
            words += self.client.read(self.base + address + 4 * at, min(_RECORD, count - at))
        return words

    def write_block(self, address: int, values: list[int]) -> None:
        """Writes words that lie together."""
        for at in range(0, len(values), _RECORD):
            self.client.write(self.base + address + 4 * at, values[at : at + _RECORD])


def _checked(receive: Any) -> Any:
    def receive_packet(socket: Any, *arguments: Any) -> Any:
        packet = receive(socket, *arguments)
        if packet == 0:
            raise ConnectionError(
                f"LiteX's server has closed the connection, or has not answered within {socket.gettimeout()} s: "
                "`client.socket.settimeout(seconds)` waits longer"
            )
        return packet

    return receive_packet


def open(client: Any, base: int, config: Config) -> Fabric:
    """Opens a fabric whose host node lies at byte address `base` of the bus of a LiteX SoC, by an open `RemoteClient`.
    The fabric must have been reset since an earlier program has used it."""
    return Fabric(Transport(client, base), config)
