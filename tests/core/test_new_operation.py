"""An operation is one class: what CONTRIBUTING says about adding one is done here, to the letter.

Read next: CONTRIBUTING.md
"""

from __future__ import annotations

import doctest
import importlib.util
import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import graphlab
from graphlab.autograd.node_classes import node_classes
from graphlab.common.public import OPERATIONS, with_import
from graphlab.ops.base import Op, registry
from graphlab.ops.elementwise import Mul
from tests.core import samples, test_ops
from tests.core.public_names import derive_operations
from tests.core.samples import SIGNED, S, Sample

PAGE = Path(__file__).parents[2] / "CONTRIBUTING.md"


def blocks() -> list[str]:
    """The examples of code under "How to add an operation"."""
    text = PAGE.read_text("utf-8")
    chapter = text[text.index("## How to add an operation") : text.index("## How to add an event")]
    return [textwrap.dedent(b) for b in re.findall(r"```python\n(.*?)```", chapter, flags=re.S)]


@pytest.fixture
def bump(tmp_path: Path) -> Iterator[type[Op]]:
    """The class of the page, in a module of its own; afterwards all is as before."""
    source, _ = blocks()
    path = tmp_path / "bump.py"
    path.write_text("from graphlab.ops.base import Op\n\n\n" + source, "utf-8")
    spec = importlib.util.spec_from_file_location("bump", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module.Bump
    del registry["bump"]
    node_classes.pop(module.Bump, None)
    for name in ("bump", "bump_"):
        delattr(graphlab.Tensor, name)
    for name in ("bump", "bump_"):
        vars(graphlab).pop(name, None)


def sample() -> Sample:
    """The sample of the page."""
    _, text = blocks()
    return eval(text, {"S": S, "SIGNED": SIGNED})


def test_function_method_and_in_place_form_follow_from_the_class(bump: type[Op]):
    x = graphlab.tensor([0.0, 1.0, -2.0], requires_grad=True)
    expected = [1.0, 0.5, np.float32(0.2)]
    assert graphlab.bump(x).tolist() == x.bump().tolist() == expected
    changed = x.detach().clone()
    assert changed.bump_() is changed
    assert changed.tolist() == expected
    assert list(inspect.signature(graphlab.bump).parameters) == ["input", "out"]
    assert inspect.getdoc(graphlab.bump) == with_import(inspect.getdoc(bump))
    for test in doctest.DocTestFinder().find(graphlab.bump, "bump"):
        assert doctest.DocTestRunner().run(test) == (0, 2)  # the import, and the call


def test_its_example_in_place_is_right(bump: type[Op]):
    (example,) = re.findall(r"`bump \| (.*?) \|  \| (.*?)`", PAGE.read_text("utf-8"))
    before, after = example
    assert repr(graphlab.tensor(eval(before)).bump_()) == f"tensor({after})"


def test_the_node_saves_what_the_rule_names(bump: type[Op]):
    x = graphlab.tensor(2.0, requires_grad=True)
    y = graphlab.bump(x)
    assert y.grad_fn.name() == "BumpBackward0"
    assert y.grad_fn._saved_self is x
    assert y.grad_fn._saved_result.item() == y.item()
    y.backward()
    assert x.grad.item() == pytest.approx(-4 / 25)


def test_it_is_drawn_and_proved(bump: type[Op]):
    x = graphlab.tensor(2.0, requires_grad=True)
    assert "bump" in graphlab.draw(graphlab.bump(x)).svg
    (row,) = graphlab.check(graphlab.bump(x) * 3)
    assert row.verdict == "proved"


def test_the_generated_tests_take_its_sample(bump: type[Op]):
    one = sample()
    assert one.op == bump.name
    taken = [test for name, test in vars(test_ops).items() if takes_a_sample(name, test)]
    assert len(taken) >= 4
    for test in taken:
        test(one)


def takes_a_sample(name: str, test: Any) -> bool:
    """Whether a test of test_ops.py is run for every sample of SAMPLES, and needs nothing else."""
    marks = getattr(test, "pytestmark", [])
    every = any(mark.name == "parametrize" and mark.args[1] is samples.SAMPLES for mark in marks)
    return (
        name.startswith("test_")
        and every
        and list(inspect.signature(test).parameters) == ["sample"]
    )


def test_the_table_of_public_names_is_what_the_classes_say():
    update = "python -m tests.core.public_names --update"
    assert derive_operations() == OPERATIONS, update


def test_a_name_that_another_operation_has_is_refused():
    with pytest.raises(TypeError, match=r"graphlab\.ops\.elementwise has an operation Mul: name"):
        type("Mul", (Op,), {"forward": lambda self: self, "node": "MulBackward9", "symbol": "×"})
    assert registry["mul"] is Mul


@pytest.mark.parametrize("key", ["grad_othr", "phrase_othr"])
def test_a_rule_or_a_phrase_without_an_input_is_refused(key):
    fields = {"forward": lambda self, other: self * other, "node": "N", "symbol": "n", key: ""}
    with pytest.raises(TypeError, match=rf"Nth\.{key}: forward has no input 'othr', only"):
        type("Nth", (Op,), fields)
    with pytest.raises(TypeError, match="Nth has no node and no symbol"):
        type("Nth", (Op,), {"forward": lambda self: self})
    assert "nth" not in registry
