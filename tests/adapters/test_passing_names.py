"""A variable that only passes by, such as that of a loop, comes after a tensor's other names."""

from __future__ import annotations

import linecache
from typing import Any

import pytest

import graphlab
from graphlab import nn

LOOPS = """
model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
for p in model.parameters():
    p.data *= 0.5
for k, q in enumerate(model.parameters()):
    q.grad = None
total = sum(p.sum() for p in model.parameters())
loss = model(torch.ones(1, 2)).sum()
"""


def run(text: str, library: Any = graphlab, part: Any = nn) -> dict[str, Any]:
    """The variables of a program, which runs as a cell of a notebook does."""
    name = f"cell {hash(text)} of test_passing_names"
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    variables = {"torch": library, "nn": part, "graphlab": graphlab}
    exec(compile(text, name, "exec"), variables)
    return variables


def leaves(thing: Any) -> set[str | None]:
    return {one.name for one in thing.graph.tensors if one.is_leaf and one.requires_grad}


def leaf(value: Any = 2.0) -> Any:
    return graphlab.tensor(value, requires_grad=True)


def test_a_parameter_has_its_path_and_not_the_name_of_a_loop_that_ended():
    variables = run(LOOPS + "drawn = graphlab.draw(loss)")
    assert leaves(variables["drawn"]) == {"0.weight", "0.bias", "1.weight", "1.bias"}
    text = LOOPS + "with torch.record() as walk:\n    model(torch.ones(1, 2)).sum().backward()\n"
    assert leaves(run(text)["walk"]) == {"0.weight", "0.bias", "1.weight", "1.bias"}


def test_a_pytorch_parameter_has_its_path_too():
    torch = pytest.importorskip("torch")
    text = LOOPS + "drawn = graphlab.draw(loss)\nwith graphlab.record() as walk:\n"
    variables = run(text + "    model(torch.ones(1, 2)).sum().backward()\n", torch, torch.nn)
    for shown in ("drawn", "walk"):
        assert leaves(variables[shown]) == {"0.weight", "0.bias", "1.weight", "1.bias"}


def test_a_tensor_with_a_variable_of_its_own_is_not_called_after_an_earlier_cells_loop():
    first = "a, b = torch.ones(1), torch.ones(1)\nfor p in (a, b):\n    p *= 2\n"
    text = first + "v, w = (torch.ones(1, requires_grad=True) for _ in 'vw')\n"
    text += "for p in (v, w):\n    p.data -= 0.1\ndrawn = torch.draw(v * w)\n"
    assert leaves(run(text)["drawn"]) == {"v", "w"}
    cells = [first, "for p in (v, w): p.data -= 0.1", "a broken cell", 7]
    variables = {"In": cells, "p": leaf()}
    variables |= {"w": variables["p"]}
    from graphlab.adapters.native.variable_names import names_of, ranked

    assert [*names_of(*ranked(variables)).of_leaf.values()] == ["w"]
    assert [*names_of(*ranked(variables | {"In": [*cells, "p = w"]})).of_leaf.values()] == ["p"]


def test_the_variable_of_a_loop_is_a_name_while_the_loop_runs_and_where_it_is_the_only_one():
    weights = [leaf(), leaf()]
    for w in weights:
        assert leaves(graphlab.draw(w * w)) == {"w"}
    assert leaves(graphlab.draw(weights[1] * 2)) == {"weights[1]"}
    for own in [leaf(), leaf()]:
        own.data.add_(1)
    assert leaves(graphlab.draw(own * own)) == {"own"}


def test_each_function_has_variables_of_its_own():
    outside = leaf()

    def loop():
        for w in (outside,):
            w.data.add_(1)

    def show(w: Any):
        return graphlab.draw(w * w)

    def shadow(key: Any = lambda w: w):
        for w in (outside,):
            w.data.add_(0)
        v = key(outside)
        return graphlab.draw(v * v)

    loop()
    assert leaves(show(outside)) == {"w"}
    assert leaves(shadow()) == {"v"}


def test_a_helper_that_passes_its_arguments_on_gives_the_names_of_its_caller():
    def show(*given: Any, **options: Any):
        return graphlab.check(*given, **options)

    a = leaf()
    b = a * a
    loss = b.sin()
    report = show(loss, wrt=[b])
    assert str(report["b"].formula) == "cos(b)"
    assert "∂loss/∂" in str(report)


def test_a_table_that_a_function_made_is_called_as_its_code_calls_it():
    def made():
        C = leaf([[1.0, 2.0], [3.0, 4.0]])
        D = leaf([[1.0, 2.0], [3.0, 4.0]])
        return (C[graphlab.tensor([0, 1, 1])].sum() * D[0, 1:]).sum()

    assert leaves(graphlab.trace(made())) == {"C", "D"}


def test_the_partial_sums_of_a_call_of_sum_are_no_rounds_of_the_loop_around_it():
    w = leaf()
    loss: Any = w
    for _ in range(2):
        loss = sum((w * x - 1) ** 2 for x in (1.0, 2.0, 3.0))
        loss.backward()
    drawn = graphlab.draw(loss)
    tensors = sorted(drawn.graph.tensors, key=lambda tensor: int(tensor.id[1:]))
    assert [one.name for one in tensors if one.name and one.name[0] not in "(w"] == [
        "add", "add 2", "loss",
    ]  # fmt: skip


def test_a_function_with_options_calls_its_variables_as_its_code_does():
    def quotient(x: Any, y: Any, **options: Any) -> Any:
        z = x / y
        return graphlab.check(z, **options)

    x, y = leaf(10.0), leaf(20.0)
    report = quotient(y, x)
    assert (str(report["x"].formula), str(report["y"].formula)) == ("1/y", "-x/y**2")


def test_a_variable_that_is_only_changed_in_place_does_not_pass_by():
    variables = {"w": leaf([1.0, 2.0]), "b": leaf([3.0, 4.0])}
    text = (
        "params = [w, b]\n(w * b).sum().backward()\n"
        "with graphlab.no_grad():\n    w -= 0.1 * w.grad; b -= 0.1 * b.grad\n"
        "found = graphlab.draw((w * b).sum())\n"
    )
    linecache.cache["imported"] = len(text), None, text.splitlines(keepends=True), "imported"
    exec(compile(text, "imported", "exec"), variables | {"graphlab": graphlab}, variables)
    assert leaves(variables["found"]) == {"w", "b"}
