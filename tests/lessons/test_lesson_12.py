"""The exercises of lesson 12: right answers in several forms, and the hint of each slip."""

from __future__ import annotations

import ast
import json
import math
from pathlib import Path

import numpy as np
import pytest

import graphlab
from graphlab import exercises
from graphlab.faces.exercises.lessons import lesson_12
from graphlab.nn import functional

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "12_be_the_backward_pass.ipynb"


@pytest.fixture(autouse=True)
def keep_nothing():
    exercises.keep_in(None)
    yield
    exercises.keep_in(None)


def by_hand(X, y, W1, b1, W2, b2):
    h = (X @ W1 + b1).tanh()
    mine = {"z": ((h @ W2 + b2).sigmoid() - y) / len(X)}
    mine["W2"] = h.T @ mine["z"]
    mine["b2"] = mine["z"].sum(0)
    mine["h"] = mine["z"] @ W2.T
    mine["pre"] = mine["h"] * (1 - h * h)
    mine["W1"] = X.T @ mine["pre"]
    mine["b1"] = mine["pre"].sum(0)
    return mine


def with_einsum(X, y, W1, b1, W2, b2):
    pre = X @ W1 + b1
    h = pre.tanh()
    z = (1 / (1 + (-(h @ W2 + b2)).exp()) - y) / y.numel()
    to_h = graphlab.einsum("nk,jk->nj", z, W2)
    to_pre = to_h / pre.cosh() ** 2
    return {
        "b1": graphlab.ones(len(X)) @ to_pre,
        "W1": graphlab.einsum("ni,nj->ij", X, to_pre),
        "pre": to_pre,
        "h": to_h,
        "b2": z.sum().reshape(1),
        "W2": graphlab.einsum("nj,nk->jk", h, z),
        "z": z,
    }


def in_a_loop(X, y, W1, b1, W2, b2):
    mine = {name: graphlab.zeros_like(one) for name, one in
            {"W1": W1, "b1": b1, "W2": W2, "b2": b2}.items()}  # fmt: skip
    rows = {"z": [], "h": [], "pre": []}
    for point, label in zip(X, y, strict=True):
        h = (point @ W1 + b1).tanh()
        z = ((h @ W2 + b2).sigmoid() - label) / len(X)
        to_h = W2 @ z
        to_pre = to_h - to_h * h**2
        mine["W2"] += graphlab.outer(h, z)
        mine["b2"] += z
        mine["W1"] += graphlab.outer(point, to_pre)
        mine["b1"] += to_pre
        for name, row in (("z", z), ("h", to_h), ("pre", to_pre)):
            rows[name].append(row)
    return mine | {name: graphlab.stack(found) for name, found in rows.items()}


def batch() -> dict[str, graphlab.Tensor]:
    return lesson_12.batch_of_the_lesson()


# -- numbers, choices and tensors ------------------------------------------------------------------


@pytest.mark.parametrize("given", [-0.8, "-4/5", "1/5 - 1", graphlab.tensor(-0.8)])
def test_the_gradient_of_a_logit_is_p_minus_y(given):
    assert exercises.answer("12.1", given)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (0.8, "That is y - p"),
        (0.2, "for the label 0"),
        (-5, "the gradient at p"),
        (-0.128, "already contains the slope of the sigmoid"),
        (0.16, "the slope of the sigmoid alone"),
    ],
)
def test_a_wrong_gradient_of_a_logit_gets_its_hint(given, said):
    assert said in exercises.answer("12.1", given).text


def test_zeros_in_the_second_layer_stop_the_gradient_of_the_first():
    zeros = batch() | {"W2": graphlab.zeros(3, 1)}
    found = lesson_12.true_gradients(zeros)
    nothing = [name for name in ("W1", "b1", "W2", "b2") if not found[name].any()]
    assert nothing == ["W1", "b1"]
    assert exercises.answer("12.2", "a b")
    assert exercises.answer("12.2", ["B", "a"])


@pytest.mark.parametrize(
    ("given", "said"),
    [("a b c", "not from W2"), ("d", "b2 gets the sum"), ("a", "Right for W1"), ("b", "for b1")],
)
def test_a_wrong_choice_gets_its_hint(given, said):
    assert said in exercises.answer("12.2", given).text


@pytest.mark.parametrize("form", [lambda x: x, lambda x: x.tolist(), lambda x: x.numpy()])
def test_gradients_are_accepted_as_tensors_lists_and_arrays(form):
    mine = by_hand(**batch())
    assert exercises.answer("12.3", form(mine["pre"]))
    assert exercises.answer("12.4", form(mine["W1"]))


def test_a_wrong_gradient_of_pre_gets_its_hint():
    mine, given = by_hand(**batch()), batch()
    h = (given["X"] @ given["W1"] + given["b1"]).tanh()
    assert "slope of tanh is missing" in exercises.answer("12.3", mine["h"]).text
    assert "4 times too large" in exercises.answer("12.3", 4 * mine["pre"]).text
    twice = mine["h"] * (1 - h.tanh() ** 2)
    assert "applied twice" in exercises.answer("12.3", twice).text


def test_a_wrong_gradient_of_w1_gets_its_hint():
    mine, X = by_hand(**batch()), batch()["X"]
    assert "transposed" in exercises.answer("12.4", mine["W1"].T).text
    assert "slope of tanh is missing" in exercises.answer("12.4", X.T @ mine["h"]).text
    assert "4 times too large" in exercises.answer("12.4", 4 * mine["W1"]).text


# -- the whole pass --------------------------------------------------------------------------------


@pytest.mark.parametrize("right", [by_hand, with_einsum, in_a_loop])
def test_a_backward_pass_may_be_written_in_several_ways(right):
    said = exercises.answer("12.5", right)
    assert said, said.text


def changed(name, change):
    def backward(**given):
        mine = by_hand(**given)
        return mine | {name: change(mine, given)}

    return backward


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (changed("z", lambda m, g: m["z"] * len(g["X"])), "z differs from autograd's. It is (p"),
        (changed("b2", lambda m, g: m["z"]), "b2 has the shape (4, 1), not (1,)"),
        (changed("W1", lambda m, g: m["W1"].T), "W1 has the shape (3, 2)"),
        (changed("pre", lambda m, g: m["h"]), "pre differs from autograd's. Multiply"),
        (changed("b1", lambda m, g: m["pre"].mean(0)), "b1 differs from autograd's. b1 was added"),
        (changed("b1", lambda m, g: ...), "b1 is still missing"),
        (changed("h", lambda m, g: 3.0), "h should be a tensor"),
        (lambda **given: None, "should return a dictionary of gradients, not None"),
        (lambda X: {}, "It raises an error: TypeError"),
    ],
)
def test_a_wrong_backward_pass_is_told_by_name(wrong, said):
    assert said in exercises.answer("12.5", wrong).text


def test_a_backward_pass_that_asks_autograd_is_refused():
    def by_autograd(X, y, W1, b1, W2, b2):
        loss = functional.binary_cross_entropy_with_logits((X @ W1 + b1).tanh() @ W2 + b2, y)
        loss.backward()

    said = exercises.answer("12.5", by_autograd).text
    assert "does not have a grad_fn. No autograd here: write formulas." in said


# -- batch norm ------------------------------------------------------------------------------------


def in_three_parts(g, xhat, gamma, scale):
    arrives = g * gamma
    return scale * (arrives - arrives.mean(0) - xhat * (arrives * xhat).mean(0))


def parts(third):
    """Batch norm with another third part."""

    def backward(g, xhat, gamma, scale):
        arrives = g * gamma
        return scale * (arrives - arrives.mean(0) - third(arrives, xhat))

    return backward


def with_sums(g, xhat, gamma, scale):
    n = g.shape[0]
    return gamma * scale / n * (n * g - g.sum(0) - xhat * (g * xhat).sum(0))


def column_by_column(g, xhat, gamma, scale):
    n, columns = g.shape
    found = []
    for k in range(columns):
        row = xhat[:, k].reshape(1, -1)
        jacobian = scale[k] * (graphlab.eye(n) - 1 / n - row.T @ row / n)
        found.append(jacobian @ (gamma[k] * g[:, k]))
    return graphlab.stack(found, 1)


@pytest.mark.parametrize("right", [in_three_parts, with_sums, column_by_column])
def test_batch_norm_may_be_written_in_several_ways(right):
    said = exercises.answer("12.6", right)
    assert said, said.text


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda g, xhat, gamma, scale: g * gamma * scale, "It has the direct path only"),
        (
            lambda g, xhat, gamma, scale: scale * (g * gamma - (g * gamma).mean(0)),
            "through the variance is missing",
        ),
        (
            lambda g, xhat, gamma, scale: scale * gamma * (g - xhat * (g * xhat).mean(0)),
            "through the mean is missing",
        ),
        (
            lambda g, xhat, gamma, scale: in_three_parts(g, xhat, 1, scale),
            "gamma is missing",
        ),
        (
            lambda g, xhat, gamma, scale: in_three_parts(g, xhat, gamma, 1),
            "scale is missing",
        ),
        (
            lambda g, xhat, gamma, scale: scale * gamma * (g - g.sum(0) - xhat * (g * xhat).sum(0)),
            "means over the batch, not sums",
        ),
        (parts(lambda a, xhat: -xhat * (a * xhat).mean(0)), "its sign is wrong"),
        (parts(lambda a, xhat: (a * xhat).mean(0)), "the factor xhat is missing"),
        (
            lambda g, xhat, gamma, scale: (
                scale * (g * gamma - (g * gamma).mean() - xhat * (g * gamma * xhat).mean())
            ),
            "Each column has its own mean",
        ),
        (
            lambda g, xhat, gamma, scale: (
                scale
                * (g * gamma - (g * gamma).mean(1, True) - xhat * (g * gamma * xhat).mean(1, True))
            ),
            "not mean(1)",
        ),
        (lambda g, xhat, gamma, scale: g, "differs from autograd's gradient"),
        (lambda g, xhat, gamma, scale: g.sum(0), "Its shape is (3,), but that of x is (4, 3)"),
        (lambda g, xhat, gamma, scale: ..., "returns nothing yet"),
        (lambda g, xhat, gamma, scale: 0, "It should return a tensor"),
    ],
)
def test_a_wrong_batch_norm_is_told_which_part_is_missing(wrong, said):
    assert said in exercises.answer("12.6", wrong).text


def test_what_the_lesson_says_of_its_first_point_holds():
    z = graphlab.tensor(math.log(3.0), requires_grad=True)
    (-z.sigmoid().log()).backward()
    assert np.isclose(z.grad.item(), 0.75 - 1)


def assigned(cells: list[str]) -> set[str]:
    """The names that cells assign outside of functions."""
    found: list[ast.AST] = [ast.parse(cell) for cell in cells]
    names: set[str] = set()
    for node in found:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        if not isinstance(node, ast.FunctionDef | ast.Lambda):
            found += ast.iter_child_nodes(node)
    return names


def test_the_training_leaves_the_names_of_the_sections_before_it_as_they_are():
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    sources = ["".join(cell["source"]) for cell in cells]
    middle = next(k for k, source in enumerate(sources) if source.startswith("## 7. Train it"))
    code = [source if cells[k]["cell_type"] == "code" else "" for k, source in enumerate(sources)]
    before, after = assigned(code[:middle]), assigned(code[middle:])
    assert {"W1", "p", "scale"} <= before
    assert "V1" in after
    assert not before & after
