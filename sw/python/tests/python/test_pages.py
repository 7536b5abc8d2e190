"""The programs of docs/python.md and examples/python."""

import contextlib
import importlib
import io
import re
import runpy
import unittest

import portico
from bench import ROOT

PAGE = (ROOT / "docs/python.md").read_text()


def printed(run):
    """The lines that it prints."""
    with contextlib.redirect_stdout(io.StringIO()) as text:
        run()
    return text.getvalue().splitlines()


class Pages(unittest.TestCase):
    def test_the_first_program(self):
        first = ROOT / "examples/python/first.py"
        self.assertEqual(printed(lambda: runpy.run_path(str(first))), ["tile 3 has 10 20 30 40"])
        self.assertIn(f"```python\n{first.read_text()}```", PAGE)
        self.assertIn("`tile 3 has 10 20 30 40`", PAGE)

    def test_the_page_has_the_example_of_cocotb(self):
        self.assertIn(f"```py\n{(ROOT / 'examples/cocotb/test_put.py').read_text()}```", PAGE)

    def test_the_programs_of_the_page_run_one_after_the_other(self):
        names = {}
        programs = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
        self.assertGreater(len(programs), 4)
        for program in programs:
            lines = printed(lambda program=program: exec(compile(program, "docs/python.md", "exec"), names))
            # The comment behind a print has its line.
            told = re.findall(r"print\(.*\)  # (.*)", program)
            if told:
                self.assertEqual(lines, told, program)
        space = names["Words"](bytearray(16))
        space.write(8, 7)
        self.assertEqual((space.read(8), space.read(4)), (7, 0))

    def test_the_page_names_what_there_is(self):
        errors = set(portico.errors.__all__) - {"Error"}
        self.assertEqual(set(re.findall(r"^\| `(\w+Error)` \|", PAGE, re.MULTILINE)), errors)
        for call in re.findall(r"^\| `(?:portico\.)?([\w.]+)\(.*?\)` \|", PAGE, re.MULTILINE):
            found = portico
            for name in call.split("."):
                found = getattr(found, name, None) or importlib.import_module(f"portico.{name}")
            self.assertTrue(callable(found), call)

    def test_everything_has_a_docstring(self):
        for name in portico.__all__:
            public = getattr(portico, name)
            self.assertTrue(name == "__version__" or public.__doc__, name)
            for member in () if not isinstance(public, type) else dir(public):
                if not member.startswith("_") and not issubclass(public, BaseException):
                    self.assertTrue(getattr(public, member).__doc__, f"{name}.{member}")


if __name__ == "__main__":
    unittest.main()
