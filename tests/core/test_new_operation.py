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
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import graphlab
from graphlab.autograd.node_classes import node_classes
from graphlab.common.public import OPERATIONS, with_import
from graphlab.ops.base import Op, registry
from graphlab.ops.elementwise import Mul
from graphlab.tensor import functions
from tests.core import samples, test_ops
from tests.core.public_names import derive_operations
from tests.core.samples import SIGNED, Arg, M, S, Sample

PAGE = Path(__file__).parents[2] / "CONTRIBUTING.md"


def blocks() -> list[str]:
    """The examples of code under "How to add an operation"."""
    text = PAGE.read_text("utf-8")
    chapter = text[text.index("## How to add an operation") : text.index("## How to add a layer")]
    return [textwrap.dedent(b) for b in re.findall(r"```python\n(.*?)```", chapter, flags=re.S)]


IMPORTS = """from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.reductions import sum
from graphlab.primitives.numpy_reading.shapes import size, sum_to


"""


@contextmanager
def defined(source: str, path: Path) -> Iterator[type[Op]]:
    """The class of some source, in a module of its own; afterwards all is as before."""
    path.write_text(IMPORTS + source, "utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (name,) = re.findall(r"^class (\w+)", source, flags=re.M)
    op = getattr(module, name)
    yield op
    del registry[op.name]
    node_classes.pop(op, None)
    for name in (op.name, f"{op.name}_"):
        if hasattr(graphlab.Tensor, name):
            delattr(graphlab.Tensor, name)
        vars(graphlab).pop(name, None)
        vars(functions).pop(name, None)


@pytest.fixture
def bump(tmp_path: Path) -> Iterator[type[Op]]:
    """The first class of the page."""
    with defined(blocks()[0], tmp_path / "bump.py") as op:
        yield op


@pytest.fixture
def sqdist(tmp_path: Path) -> Iterator[type[Op]]:
    """The class of the page with two inputs."""
    with defined(blocks()[1], tmp_path / "sqdist.py") as op:
        yield op


def page_samples() -> list[Sample]:
    """The samples of the page."""
    known = {"S": S, "SIGNED": SIGNED, "M": M, "Arg": Arg}
    return [eval(line, known) for line in blocks()[2].splitlines()]


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
    one = page_samples()[0]
    assert one.op == bump.name
    taken = [test for name, test in vars(test_ops).items() if takes_a_sample(name, test)]
    assert len(taken) >= 4
    for test in taken:
        test(one)


def test_an_operation_of_two_inputs_takes_its_samples_too(sqdist: type[Op]):
    first, broadcast = page_samples()[1:]
    assert first.op == broadcast.op == sqdist.name
    for test in (test for name, test in vars(test_ops).items() if takes_a_sample(name, test)):
        test(first)
        test(broadcast)
    x = graphlab.tensor([1.0, 2.0], requires_grad=True)
    assert [row.verdict for row in graphlab.check(graphlab.sqdist(x, x * 3))] == ["proved"]
    for test in doctest.DocTestFinder().find(graphlab.sqdist, "sqdist"):
        assert doctest.DocTestRunner().run(test) == (0, 2)


def test_a_rule_that_does_not_sum_back_is_noticed(tmp_path: Path):
    source = blocks()[1].replace(
        "sum_to(2 * grad * (other - self), size(other))", "2 * grad * (other - self)"
    )
    assert source != blocks()[1]
    with defined(source, tmp_path / "sqdist.py"):
        for shapes in page_samples()[1:]:
            with pytest.raises(AssertionError, match=r"write sum_to\(..., size\(self\)\) in it"):
                test_ops.test_a_rule_sums_its_gradient_back_to_the_shape_of_its_input(shapes)


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


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [
        ("grad_othr", "", ": forward has no input 'othr', only"),
        ("phrase_othr", "", ": forward has no input 'othr', only"),
        ("broadcasts", ("self", "othr"), ": forward has no input 'othr', only"),
        ("typs", "float", ": an operation has no such field"),
        ("types", "floats", " must be one of ['promote', 'float', 'keep'], not 'floats'"),
    ],
)
def test_a_field_that_nothing_would_read_is_refused(key, value, why):
    fields = {"forward": lambda self, other: self * other, "node": "N", "symbol": "n", key: value}
    with pytest.raises(TypeError, match=re.escape(f"Nth.{key}{why}")):
        type("Nth", (Op,), fields)
    with pytest.raises(TypeError, match="Nth has no node and no symbol"):
        type("Nth", (Op,), {"forward": lambda self: self})
    assert "nth" not in registry


def test_a_rule_or_a_forward_that_uses_more_than_primitives_is_refused():
    rule = lambda grad, self: grad * np.cos(self)  # noqa: E731
    for key in ("forward", "grad_self"):
        fields = {"forward": lambda self: self, "node": "N", "symbol": "n", key: rule}
        with pytest.raises(TypeError, match=r"Nth\..*: np is not a primitive \(primitives/table"):
            type("Nth", (Op,), fields)
    assert "nth" not in registry


WEIGHTED = '''
class Weighted(Op):
    """Return the sum of scale · self · other · weight. self, other, weight: (...) -> ()."""

    node, symbol, types, function, method = "WeightedBackward0", "w", "float", True, True

    def forward(self, other, weight, *, scale=1.0):
        return scale * sum(self * other * weight)
'''


@pytest.fixture
def weighted(tmp_path: Path) -> Iterator[type[Op]]:
    """An operation of three inputs and an option."""
    with defined(WEIGHTED, tmp_path / "weighted.py") as op:
        yield op


def test_a_function_takes_the_inputs_and_the_options_of_forward(weighted: type[Op]):
    x, y = graphlab.tensor([1.0, 2.0], requires_grad=True), graphlab.tensor([3.0, 4.0])
    called = graphlab.weighted
    assert str(inspect.signature(called)) == "(input, other, weight, *, scale=1.0)"
    assert called(x, y, y).item() == 41.0
    assert called(weight=y, input=x, other=y, scale=2.0).item() == 82.0
    assert x.weighted(y, weight=y).item() == x.weighted(y, y).item() == 41.0
    for args, options, why in [
        ((x, y), {}, "missing a required argument: 'weight'"),
        ((x, y, y, y), {}, "too many positional arguments"),
        ((x, y, y), {"scal": 2.0}, "got an unexpected keyword argument 'scal'"),
    ]:
        with pytest.raises(TypeError, match=re.escape(f"weighted(): {why}")):
            called(*args, **options)
