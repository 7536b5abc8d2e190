"""LiteX's own server and client of UARTBone at a board's serial line: words of the host node's memory, written and read.

litex_client.py PATH SEED
"""

import random
import socket
import sys

from litex import RemoteClient
from litex.tools.litex_server import RemoteServer
from litex.tools.remote.comm_uart import CommUART

BAUD = 1_000_000
WORDS = 40


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def main(path, seed):
    port = free_port()
    server = RemoteServer(CommUART(path, baudrate=BAUD), "127.0.0.1", port)
    server.open()
    server.start(4)
    client = RemoteClient(host="127.0.0.1", port=port)
    client.open()
    # After two seconds of the wall LiteX's client would return zeros in place of words.
    client.socket.settimeout(None)

    generator = random.Random(seed)
    words = [generator.getrandbits(32) for _ in range(WORDS)]
    assert len(set(words)) == WORDS, f"seed {seed} repeats a word"
    client.write(0x100, words)
    found = client.read(0x100, WORDS)
    assert found == words, f"read {found}, written {words}"
    # One word in the middle, and its neighbours as they were.
    client.write(0x104, 7)
    found = client.read(0x100, 3)
    assert found == [words[0], 7, words[2]], f"read {found}"

    client.close()
    server.close()


# LiteX's threads print of their connections, also after `main` has ended: all but this program's result goes to standard error.
sys.stdout = sys.stderr
main(sys.argv[1], int(sys.argv[2]))
print(f"{WORDS} words agree", file=sys.__stdout__)
