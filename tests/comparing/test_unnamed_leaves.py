"""Networks whose leaves are made inside a function: no variable that is seen holds them.

Read next: graphlab/graph/comparing/node_matching.py
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphlab as torch
from graphlab.adapters.native.variable_names import Names
from graphlab.faces.named_calls import timeline_of
from graphlab.graph.comparing.finding import find
from tests.comparing.test_matching import BINARY, Program, leaves, programs

CAUSES = {  # kinds and how the first sentence begins
    "detach": (["cut"], "In the second graph, z.tanh() was cut off by detach() before mm"),
    "detached weight": (["cut"], "In the second graph, w2 was cut off by detach()"),
    "no bias": (["leaf", "missing"], "Only the first graph uses the leaf b1;"),
    "sigmoid": (["operation"], "The first graph has tanh"),
    "sum": (["operation"], "The first graph has mean"),
    "other start": (["value"], "The leaf w2 is [[0.5], [-0.6]] in the first graph, and"),
    "no mistake": ([], ""),
}


def net(mistake: str = "") -> Any:
    x, t = torch.tensor([[1.0, 2.0], [0.5, -1.0]]), torch.tensor([[1.0], [0.0]])
    w1 = torch.tensor([[0.1, 0.2], [0.3, 0.4]], requires_grad=True)
    b1 = torch.tensor([0.1, -0.1], requires_grad=True)
    w2 = torch.tensor([[0.7 if mistake == "other start" else 0.5], [-0.6]], requires_grad=True)
    b2 = torch.tensor([0.2], requires_grad=True)
    z = x @ w1 if mistake == "no bias" else x @ w1 + b1
    h = z.sigmoid() if mistake == "sigmoid" else z.tanh()
    if mistake == "detach":
        h = h.detach()
    if mistake == "detached weight":
        w2 = w2.detach()
    error = (h @ w2 + b2 - t) ** 2
    return error.sum() if mistake == "sum" else error.mean()


def deep(start: float, cut: int = -1) -> Any:
    """Layers of one shape, with biases that are all zero."""
    h = torch.ones(3)
    for layer in range(4):
        w = torch.full((3, 3), start + 0.1 * layer, requires_grad=True)
        h = (w @ h + torch.zeros(3, requires_grad=True)).tanh()
        if layer == cut:
            h = h.detach()
    return h.sum()


def causes(comparison: Any) -> list[str]:
    return [one.kind for one in comparison if one.kind not in ("result", "gradient")]


@pytest.mark.parametrize("mistake", CAUSES)
def test_one_mistake_is_told_and_nothing_else(mistake: str):
    kinds, said = CAUSES[mistake]
    comparison = torch.compare(net(), net(mistake))
    assert causes(comparison) == kinds
    assert not kinds or comparison[0].sentence.startswith(said)
    assert sorted(causes(torch.compare(net(mistake), net()))) == sorted(kinds)


@pytest.mark.parametrize("cut", range(3))
def test_layers_behind_a_cut_do_not_shift_the_others(cut: int):
    comparison = torch.compare(deep(0.1), deep(0.1, cut))
    assert [one.kind for one in comparison] == ["cut"]


def test_use_decides_before_order_where_the_values_differ():
    def made(a: float, b: float, turned: bool) -> Any:
        one, other = (torch.tensor(v, requires_grad=True) for v in (a, b))
        terms = (one.tanh(), other.exp())
        return terms[1] + terms[0] if turned else terms[0] + terms[1]

    told = [str(one) for one in torch.compare(made(0.1, 0.2, False), made(0.3, 0.4, True))]
    assert "The leaf one is 0.1 in the first graph, and 0.3 in the second." in told
    assert "The leaf other is 0.2 in the first graph, and 0.4 in the second." in told


@pytest.mark.parametrize("turned", [lambda W: W.t(), lambda W: W.exp(), lambda W: W])
def test_a_leaf_is_the_same_where_an_operation_stands_before_its_use(turned: Any):
    def leaf() -> Any:
        return torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)

    def solution(W: Any) -> Any:
        return (torch.tensor([[1.0, -1.0]]) @ W).sum()

    def student(W: Any) -> Any:
        return (torch.tensor([[1.0, -1.0]]) @ turned(W)).sum()

    comparison = torch.compare(solution(leaf()), student(leaf()))
    kinds = [] if comparison.same else ["missing", "result", "gradient"]
    assert [one.kind for one in comparison] == kinds
    assert comparison.same or "; the first uses W directly." in comparison[0].sentence


def test_leaves_of_two_names_are_two_leaves():
    v, w = (torch.tensor(2.0, requires_grad=True) for _ in range(2))
    told = [str(one) for one in torch.compare(v * 3, w.exp() * 3)]
    assert any(one.startswith("Only the first graph uses the leaf v;") for one in told)


def test_leaves_that_one_side_names_are_matched_too():
    w = torch.tensor(2.0, requires_grad=True)
    v = torch.tensor(3.0, requires_grad=True)

    def solution() -> Any:
        one, other = (torch.tensor(x, requires_grad=True) for x in (2.0, 3.0))
        return one.tanh() * other

    comparison = torch.compare(w.tanh().detach() * v, solution())
    assert [one.kind for one in comparison] == ["cut"]


@given(programs, st.data())
def test_a_cut_reads_as_with_names(program: Program, data: st.DataObject):
    cut = data.draw(st.integers(0, len(program) - 1))
    kinds = []
    for names in ("abc", ""):
        walks = []
        for place in (-1, cut):
            inputs = leaves()
            values = list(inputs)
            for k, (op, i, j) in enumerate(program):
                used = [values[-1 - at % len(values)] for at in (i, j)]
                made = getattr(torch, op)(*used[: 2 if op in BINARY else 1])
                values.append(made.detach() if k == place else made)
            total = sum(values[3:], start=inputs[0] + inputs[1] + inputs[2])
            named = Names({id(t): name for name, t in zip(names, inputs, strict=False)})
            walks.append(timeline_of(total, None, named))
        kinds.append(sorted(one.kind for one in find(*walks).differences))
    assert kinds[0] == kinds[1]
