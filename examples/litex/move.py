"""Moves 300 words from tile 0 to tile 1 of the fabric in the SoC of soc.py, over a running litex_server.

move.py [PORT]
"""

import sys

import numpy
import portico
import portico.litex
from litex import RemoteClient

client = RemoteClient(port=int(sys.argv[1]) if len(sys.argv) > 1 else 1234)
client.open()
client.socket.settimeout(60)  # seconds: a simulated SoC answers late

config = portico.Config(profile="leaf", cols=2, rows=1, scratchpad=16)
with portico.litex.open(client, 0x3000_0000, config) as fabric:
    words = numpy.arange(1, 301, dtype="uint32")
    fabric.write(0, 0, words)
    with fabric.publish(1, 0x800, words.nbytes) as window, window.clone(0) as segment:
        segment.put(0, 0, words.nbytes)
    found = fabric.read(1, 0x800, len(words))
    print(f"{(found == words).sum()} of {len(words)} words arrived at tile 1")
client.close()
