"""Elaborates the SystemRDL files named, and prints every field of every register of each address map, memories first."""

import sys

from systemrdl import RDLCompiler
from systemrdl.node import FieldNode, MemNode


def show(node):
    for child in node.children(unroll=True):
        if isinstance(child, MemNode):
            print(
                child.get_path(),
                hex(child.absolute_address),
                child.get_property("memwidth"),
                child.get_property("mementries"),
            )
        elif isinstance(child, FieldNode):
            register, codes = child.parent, child.get_property("encode")
            access = (child.get_property("sw").name, "cleared" if child.get_property("onwrite") else "kept")
            names = ",".join(f"{code.name}={code.value}" for code in codes) if codes else "-"
            reset = child.get_property("reset")
            print(
                child.get_path(),
                hex(register.absolute_address),
                register.get_property("regwidth"),
                child.low,
                child.width,
                *access,
                hex(reset),
                names,
            )
        else:
            show(child)


for path in sys.argv[1:]:
    compiler = RDLCompiler()
    compiler.compile_file(path)
    for name in compiler.root.comp_defs:
        show(compiler.elaborate(name).top)
