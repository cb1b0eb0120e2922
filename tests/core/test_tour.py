"""The code that students read is the code that runs: a tracer sees it.

Read next: docs/tour.md
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np
import pytest

import graphlab
from graphlab.autograd.engine import run, walk
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


def product() -> None:
    a = graphlab.tensor(2.0, requires_grad=True)
    b = graphlab.tensor(3.0, requires_grad=True)
    (a * b).backward()  # what is made on the first use is made now
    a.grad = b.grad = None
    global seen_of_product
    seen_of_product = traced(lambda: (a * b).backward())
    assert (a.grad.item(), b.grad.item()) == (3.0, 2.0)


seen_of_product: list[CodeType] = []


def test_the_tour_names_the_files_that_run_in_the_order_in_which_they_run():
    product()
    files = [Path(code.co_filename) for code in seen_of_product]
    inside = [file.relative_to(PACKAGE).as_posix() for file in files if PACKAGE in file.parents]
    visited = list(dict.fromkeys(inside))
    headings = re.findall(r"^## \d+\. \[([\w/]+\.py)\]", TOUR.read_text("utf-8"), flags=re.M)
    assert headings == visited
    assert len(visited) <= 6


def test_a_breakpoint_in_the_product_rule_and_in_the_engine_is_hit():
    product()
    mul = registry["mul"]
    for code in (mul.forward, mul.rules["self"], mul.rules["other"], run, walk):
        assert code.__code__ in seen_of_product


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
