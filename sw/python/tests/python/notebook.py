"""The notebook of examples/python. It needs what sw/python/tests/requirements.txt has, so run.sh starts it apart."""

import unittest

import nbformat
from bench import ROOT
from nbclient import NotebookClient

FIRST_STEPS = ROOT / "examples/python/first_steps.ipynb"


class Notebook(unittest.TestCase):
    def test_the_notebook_runs_to_its_end(self):
        notebook = nbformat.read(FIRST_STEPS, as_version=4)
        nbformat.validate(notebook)
        # A cell that raises ends the run with its traceback.
        NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
        cells = {cell.id: cell for cell in notebook.cells if cell.cell_type == "code"}
        self.assertTrue(all(cell.execution_count for cell in cells.values()))
        texts = {name: "".join(output.get("text", "") for output in cell.outputs) for name, cell in cells.items()}
        self.assertEqual(texts["sum"], "all 8192 bits of each tile are equal to numpy's\n")
        self.assertRegex(texts["other"], r"^in pairs, [1-9]\d* of 256 sums have other bits\n$")
        self.assertIn("10, 20, 30, 40", cells["put"].outputs[0].data["text/plain"])
        self.assertIn("image/png", cells["plot"].outputs[-1].data)

    def test_the_notebook_is_committed_without_outputs(self):
        for cell in nbformat.read(FIRST_STEPS, as_version=4).cells:
            if cell.cell_type == "code":
                self.assertEqual((cell.outputs, cell.execution_count), ([], None), cell.id)


if __name__ == "__main__":
    unittest.main()
