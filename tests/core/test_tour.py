"""The code that students read is the code that runs: a tracer sees it.

Read next: docs/tour.md
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np
import pytest

import graphlab
from graphlab.autograd.node_classes import node_class, vjp_of
from graphlab.ops.base import Op, registry
from graphlab.tensor.tensor import Tensor
from tests.core.samples import SAMPLES, Sample, name_of

TOUR = Path(__file__).parents[2] / "docs" / "tour.md"
PACKAGE = Path(graphlab.__file__).parent


def traced(program: Callable[[], Any]) -> list[CodeType]:
    """The code of every Python function that a program calls, in order."""
    seen: list[CodeType] = []
    before = sys.gettrace()
    sys.settrace(lambda frame, event, _: seen.append(frame.f_code))
    try:
        program()
    finally:
        sys.settrace(before)
    return seen


PRODUCT = """
import sys
import graphlab as torch

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
(a * b).backward()  # what is made on the first use is made now
a.grad = b.grad = None
seen = []
sys.settrace(lambda frame, event, _: seen.append(frame.f_code))
c = a * b
c.backward()
sys.settrace(None)
assert (a.grad.item(), b.grad.item()) == (3.0, 2.0)
for code in seen:
    print(code.co_qualname, code.co_filename, sep="|")
"""


@cache
def product() -> list[tuple[str, str]]:
    """Name and file of every function that `c = a * b; c.backward()` calls, in a fresh Python.

    (In this one, other tests may have left hooks or Functions, and then more is called.)
    """
    command = [sys.executable, "-c", PRODUCT]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = [line.split("|") for line in done.stdout.splitlines()]
    return [
        (name, Path(file).relative_to(PACKAGE).as_posix())
        for name, file in rows
        if PACKAGE in Path(file).parents
    ]


def test_the_tour_names_the_files_that_run_in_the_order_in_which_they_run():
    visited = list(dict.fromkeys(file for _, file in product()))
    headings = re.findall(r"^## \d+\. \[([\w/]+\.py)\]", TOUR.read_text("utf-8"), flags=re.M)
    assert headings == visited
    assert len(visited) <= 6


def test_a_breakpoint_in_the_product_rule_and_in_the_engine_is_hit():
    called = [name for name, _ in product()]
    for name in ("Mul.forward", "Mul.grad_self", "Mul.grad_other", "run", "walk"):
        assert name in called


def test_the_debugger_stops_where_the_tour_says(tmp_path):
    page = TOUR.read_text("utf-8")
    (section,) = re.findall(r"^## Stop in the product rule$(.*?)^## ", page, flags=re.M | re.S)
    (command,) = re.findall(r"```sh\n(.*?)```", section, flags=re.S)
    lines = re.findall(r"^>>> (.*)", page, flags=re.M)[:5]
    (tmp_path / "two.py").write_text("\n".join(lines), encoding="utf-8")
    python, *words = shlex.split(command.replace("\\\n", ""))
    assert python == "python"
    run = [sys.executable, *words]
    told = re.findall(r"^\| (`.*?) \| ([\w./]+) \|[^|]*\| `(p .*?)` \|", section, flags=re.M)
    assert len(told) == 6
    prints = [command for _, _, command in reversed(told)]
    typed = "\nup\n".join(prints) + "\nquit\n"
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        run, cwd=tmp_path, env=environment, input=typed, capture_output=True, text=True, check=True
    )
    place = 0
    for calls, file, _ in told:
        for call in re.findall(r"`([\w.]+)", calls):
            shown = call if file == "two.py" else rf"{file}\(\d+\){call}\("
            found = re.compile(shown).search(done.stdout.replace("\\", "/"), place)
            assert found is not None, (call, done.stdout)
            place = found.end()
    assert "(np.float32(1.0), np.float32(3.0))" in done.stdout
    assert "***" not in done.stdout, "a variable of the table does not exist there"


def more_stops() -> list[tuple[str, str, str]]:
    """Program, function and file of each row of "Six more stops"."""
    return re.findall(r"^\| `(.*?)` \|.*\| `([\w.]+)`, ([\w/]+\.py) \|$", six_more(), flags=re.M)


def six_more() -> str:
    page = TOUR.read_text("utf-8")
    (section,) = re.findall(r"^## Six more stops$(.*?)^## ", page, flags=re.M | re.S)
    return section


def test_there_are_six_more_stops():
    assert len(more_stops()) == 6


@pytest.mark.parametrize(("program", "function", "file"), more_stops())
def test_a_program_of_the_tour_stops_where_it_says(program: str, function: str, file: str):
    a, b = (graphlab.tensor(value, requires_grad=True) for value in (2.0, 3.0))
    names = {"torch": graphlab, "a": a, "b": b, "x": a * graphlab.ones(2)}

    def run() -> None:
        if file == "autograd/saved.py":
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                exec(program, names)
        else:
            exec(program, names)

    stops = {(code.co_name, Path(code.co_filename)) for code in traced(run)}
    assert (function.rpartition(".")[2], PACKAGE / file) in stops


@pytest.mark.parametrize(("program", "function", "file"), more_stops()[2:4])
def test_the_debugger_stops_in_a_method_and_in_a_module_of_graphlab_tensor(
    program, function, file, tmp_path
):
    lines = re.findall(r"^>>> (.*)", TOUR.read_text("utf-8"), flags=re.M)[:3]
    text = "\n".join([*lines, "x = a * torch.ones(2)", program])
    (tmp_path / "more.py").write_text(text, encoding="utf-8")
    (command,) = re.findall(r"```sh\n(.*?)```", six_more(), flags=re.S)
    first = 'from graphlab.autograd.edges import undo_broadcast" -c "break undo_broadcast"'
    words = command.replace("\\\n    ", "")
    assert first in words
    module, name = file.removesuffix(".py").replace("/", "."), function.partition(".")[0]
    words = words.replace(first, f'from graphlab.{module} import {name}" -c "break {function}"')
    run = [sys.executable, *shlex.split(words)[1:]]
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        run, cwd=tmp_path, env=environment, input="q\n", capture_output=True, text=True, check=True
    )
    place = rf"> \S*{file}\(\d+\){function.rpartition('.')[2]}\("
    assert re.search(place, done.stdout.replace("\\", "/")), done.stdout


def test_each_file_of_the_tour_names_the_next_one():
    files = re.findall(r"^## \d+\. \[([\w/]+\.py)\]", TOUR.read_text("utf-8"), flags=re.M)
    for file, following in zip(["__init__.py", *files], files, strict=False):
        (named,) = re.findall(r"^Read next: (.*)", (PACKAGE / file).read_text("utf-8"), re.M)
        assert named == following, file


# The node of a change of a part runs the node inside; a Function's rule is the user's own.
OWN_BACKWARD = {"copy_slices", "custom"}
# Nodes that stand for a change of a tensor's layout in place: no operation made a new tensor.
NO_FORWARD = {"as_strided", "squeeze_product"}


def missing(op: type[Op], node: Any, seen: list[CodeType]) -> list[str]:
    """The forward of an operation, or rules whose gradient flows, that did not run."""
    needed = [
        name
        for name, target in zip(op.rules, node._next, strict=not op.variadic)
        if target is not None
    ]
    wanted = {"forward": op.forward, **{f"grad_{name}": op.rules[name] for name in needed}}
    return [name for name, function in wanted.items() if function.__code__ not in seen]


@pytest.mark.parametrize("sample", SAMPLES, ids=name_of)
def test_forward_and_rules_of_an_operation_are_what_ran(sample: Sample):
    inputs = sample.tensors(graphlab)
    found: list[Tensor] = []

    def program() -> None:
        graphlab.manual_seed(0)
        made = sample.call(graphlab, *inputs)
        several = [*made] if isinstance(made, tuple | list) else [made]
        found.extend(t for t in several if isinstance(t, Tensor) and t.requires_grad)
        graphlab.autograd.backward(found, [graphlab.ones_like(t) for t in found])

    seen = traced(program)
    node = found[0].grad_fn
    gaps = set() if node.op.name in OWN_BACKWARD else {*missing(node.op, node, seen)}
    assert gaps <= ({"forward"} if node.op.name in NO_FORWARD else set())


def test_a_rule_that_another_code_replaces_is_noticed():
    a = graphlab.tensor(2.0, requires_grad=True)
    mul, cls = registry["mul"], node_class(registry["mul"])
    other = vjp_of(mul, [lambda grad, other: grad * other, lambda grad, self: grad * self])
    own, cls.vjp = cls.vjp, other
    try:
        c = a * np.float32(3.0)
        seen = traced(c.backward)
    finally:
        cls.vjp = own
    assert missing(mul, c.grad_fn, seen) == ["forward", "grad_self"]
