"""An error in a notebook shows the lines of the user's program, as PyTorch's errors do.

Read next: graphlab/common/errors.py
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from nbclient import NotebookClient
from nbformat import v4

import graphlab
from graphlab.common.errors import shorten_tracebacks, users_traceback
from graphlab.tensor.functions import products

SETUP = """
import graphlab as torch
a = torch.ones(2, 3, requires_grad=True)
b = torch.ones(2, 3)
"""


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    for name in ("last_type", "last_value", "last_traceback", "last_exc"):
        monkeypatch.setattr(sys, name, None, raising=False)
    InteractiveShell.clear_instance()
    shell: Any = InteractiveShell.instance()
    shell.history_manager.enabled = False
    shorten_tracebacks()
    shell.run_cell(SETUP)
    yield shell
    InteractiveShell.clear_instance()


def shown(shell: Any, cell: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What a cell prints, without colours."""
    capsys.readouterr()
    shell.run_cell(cell)
    printed = capsys.readouterr()
    return re.sub(r"\x1b\[[0-9;]*m", "", printed.out + printed.err)


MISTAKES = {
    "a @ b": "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)",
    "a + torch.ones(4)": "must match the size of tensor b (4)",
    "a.view(7)": "shape '[7]' is invalid for input of size 6",
    "a.backward()": "grad can be implicitly created only for scalar outputs",
    "torch.nn.Linear(5, 2)(a)": "(2x3 and 5x2)",
    "torch.optim.SGD([a], lr=-1)": "Invalid learning rate: -1",
    "y = a.exp(); y.add_(1); y.sum().backward()": "modified by an inplace operation",
    "torch.step(b)": "does not require grad",
    "torch.trace(3)": "trace",
    "torch.mean([a, a])": "must be Tensor, not list",
    "torch.pow(a)": "missing 1 required positional argument",
    "a.unsqueeze()": "missing 1 required positional argument",
    "a.size(0, 1)": "takes from 1 to 2 positional arguments",
    "a.shape[2]": "tuple index out of range",
}


@pytest.mark.parametrize("cell", MISTAKES)
def test_only_the_users_lines_are_shown(shell, capsys, cell):
    text = shown(shell, cell, capsys)
    assert MISTAKES[cell] in text
    assert text.count("---->") == 1
    assert f"----> 1 {cell}" in text
    assert str(Path(graphlab.__file__).parent) not in text


def test_a_line_of_the_user_below_graphlab_is_shown(shell, capsys):
    cell = "class Net(torch.nn.Module):\n    def forward(self, x):\n        return x @ x\nNet()(a)"
    text = shown(shell, cell, capsys)
    assert "----> 4 Net()(a)" in text
    assert "return x @ x" in text.partition("in Net.forward(self, x)")[2]
    assert "module.py" not in text
    hooked = shown(shell, "a.register_hook(lambda g: 1 / 0)\n(a * a).sum().backward()", capsys)
    assert hooked.count("---->") == 2
    assert "engine.py" not in hooked


IMPORTS = """import torch.nn as nn
from torch.utils.data import DataLoader"""


@pytest.mark.torch
@pytest.mark.parametrize("cell", ["nn.MSELoss()(a, a)", "next(iter(DataLoader(a)))"])
def test_where_pytorchs_modules_got_a_tensor_the_cell_says_what_to_import(shell, capsys, cell):
    shell.run_cell(IMPORTS)
    text = shown(shell, cell, capsys)
    assert text.count("---->") == 1
    assert "from graphlab.utils.data import DataLoader" in text.splitlines()[-1]
    assert len(text.splitlines()) < 9


def test_the_next_cell_can_show_every_frame(shell, capsys):
    shown(shell, "a @ b", capsys)
    assert "in check_product(a, b)" in shown(shell, "%tb", capsys)
    assert "check_product" in shown(
        shell, "import sys, traceback\nprint(traceback.format_tb(sys.last_traceback)[-1])", capsys
    )


def test_a_mistake_of_graphlab_is_shown_whole(shell, capsys, monkeypatch):
    broken = eval(compile("lambda a, b: {}[0]", products.__file__, "eval"))
    monkeypatch.setattr(products, "check_product", broken)
    text = shown(shell, "a @ b", capsys)
    assert "KeyError" in text
    assert "check_product(input, mat2)" in text
    assert "open(" in shown(shell, "torch.load('nowhere.pt')", capsys)  # Python's own error


def test_an_interrupt_shows_the_line_that_ran(shell, capsys, monkeypatch):
    code = "lambda a, b: (_ for _ in ()).throw(KeyboardInterrupt)"
    monkeypatch.setattr(products, "check_product", eval(compile(code, products.__file__, "eval")))
    text = shown(shell, "for _ in range(3):\n    a @ b", capsys)
    assert text.count("---->") == 1
    assert "----> 2     a @ b" in text
    assert "KeyboardInterrupt" in text.splitlines()[-1]


def test_nor_does_a_magic_show_more(shell, capsys):
    shell.run_line_magic("load_ext", "graphlab")
    text = shown(shell, "%%trace\ny = a\ny @ b", capsys)
    assert "----> 3 y @ b" in text
    assert str(Path(graphlab.__file__).parent) not in text


def test_errors_of_others_are_shown_as_before(shell, capsys):
    text = shown(shell, "def f(x):\n    return 1 / x\nf(0)", capsys)
    shell.set_custom_exc((), None)
    assert text == shown(shell, "def f(x):\n    return 1 / x\nf(0)", capsys)


def test_what_shows_errors_already_is_kept():
    InteractiveShell.clear_instance()
    shell: Any = InteractiveShell.instance()
    try:
        shell.set_custom_exc((KeyError,), lambda *given, tb_offset=None: [])
        shorten_tracebacks()
        assert shell.custom_exceptions == (KeyError,)
    finally:
        InteractiveShell.clear_instance()


def test_without_ipython_nothing_changes():
    shorten_tracebacks()
    with pytest.raises(RuntimeError, match="multiplied") as raised:
        graphlab.mm(graphlab.ones(2, 3), graphlab.ones(2, 3))
    names = [entry.name for entry in raised.traceback]
    assert names[-1] == "check_product"
    short = users_traceback(raised.value)
    assert short is not None
    assert short.tb_frame.f_code.co_name == "test_without_ipython_nothing_changes"
    assert short.tb_next is None


def test_in_a_kernel(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(graphlab.__file__).parents[1]))
    cells = [SETUP.strip(), "a @ b", "y = a.exp()\ny.add_(1)\ntorch.trace(y.sum())"]
    made = v4.new_notebook(cells=[v4.new_code_cell(cell) for cell in cells])
    client = NotebookClient(made, timeout=120, kernel_name="python3", allow_errors=True)
    client.execute(cwd=str(tmp_path))
    _, product, changed = (cell.outputs for cell in made.cells)
    assert product[0].ename == "RuntimeError"
    lines = "\n".join(product[0].traceback).splitlines()
    assert len(lines) < 10
    text = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(changed[0].traceback))
    assert "----> 3 torch.trace(y.sum())" in text
    assert "rehearsal.py" not in text
    assert "inside `with graphlab.record(expect=RuntimeError) as walk:`" in text
