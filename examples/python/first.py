import numpy
import portico

fabric = portico.Fabric.golden(portico.Config(cols=2, rows=2))
fabric.write(0, 0x100, numpy.array([10, 20, 30, 40], "uint32"))  # the memory of tile 0
fabric.publish(3, 0x200, 64).clone(0).put(0, 0x100, 16)  # tile 0 puts it into a window of tile 3
print("tile 3 has", *fabric.read(3, 0x200, 4))
