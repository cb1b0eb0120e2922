"""A call that makes several nodes gives its name to its result, and to nothing else."""

from __future__ import annotations

import linecache
from typing import Any

import graphlab
from graphlab import nn

NETS = """
class Twice(nn.Module):
    def forward(self, x):
        return x.tanh() * 2

net = nn.Sequential(nn.Linear(4, 3), Twice(), nn.Linear(3, 1))
x = torch.ones(2, 4)
"""


def run(text: str) -> dict[str, Any]:
    """The variables of a program, which runs as a cell of a notebook does."""
    name = "cell of test_names_of_calls"
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    variables = {"torch": graphlab, "nn": nn}
    exec(compile(text, name, "exec"), variables)
    return variables


def labels(timeline: Any, node: str) -> list[str]:
    graph = timeline.graph
    return [graph.tensor(one.outputs[0]).label for one in graph.nodes if one.name == node]


def test_the_result_of_a_net_with_code_of_the_users_in_it_is_the_call_and_its_parts_are_not():
    timeline = run(NETS + "timeline = torch.trace(net(x).sum())\n")["timeline"]
    assert labels(timeline, "AddmmBackward0") == ["net(x)", "addmm"]


def test_calls_in_a_loop_are_still_counted():
    text = (
        NETS
        + "ys = [torch.relu(net(x)) for _ in range(2)]\ntimeline = torch.trace(sum(ys).sum())\n"
    )
    found = labels(run(text)["timeline"], "AddmmBackward0")
    assert len(set(found)) == len(found) == 4


def test_a_penalty_for_gradients_gives_the_name_of_the_output_to_no_part_of_the_net():
    text = """
net = nn.Sequential(nn.Linear(2, 4), nn.LeakyReLU(), nn.Linear(4, 1))
def penalty(x):
    out = net(x)
    g = torch.autograd.grad(out, x, torch.ones(out.shape), create_graph=True)[0]
    return ((g.norm(2, dim=1) - 1) ** 2).mean()
timeline = torch.trace(penalty(torch.ones(3, 2, requires_grad=True)))
"""
    timeline = run(text)["timeline"]
    assert labels(timeline, "TBackward0") == ["2.weight.T", "0.weight.T"]
    assert labels(timeline, "AddmmBackward0") == ["addmm"]


def test_a_transpose_that_the_code_writes_keeps_its_name():
    found = run("W = torch.ones(2, 3, requires_grad=True)\ntimeline = torch.trace(W.t().sum())\n")
    assert labels(found["timeline"], "TBackward0") == ["W.t()"]


def test_the_name_of_a_transforms_result_is_that_of_no_tensor_inside_the_call():
    text = """
w = torch.ones(2, requires_grad=True)
with torch.record() as timeline:
    g = torch.func.grad(lambda p: (p * 2).sum())(w)
    J = torch.func.jacrev(lambda p: p**2)(w)
    H = torch.autograd.functional.hessian(lambda p: (p**3).sum(), w)
    J.sum().backward()
"""
    timeline = run(text)["timeline"]
    found = labels(timeline, "ViewBackward0") + labels(timeline, "SelectBackward0")
    assert len(found) > 8
    assert {one.partition(" ")[0] for one in found} == {"J", "view", "select"}
    assert found.count("J") == 1


def test_a_call_that_returns_a_function_too_names_none_of_the_tensors_that_it_keeps():
    text = """
x, f = torch.ones(3, requires_grad=True), torch.func.grad(lambda x: x.sin().sum())
h = torch.func.vjp(f, x)[1](torch.ones(3))[0]
"""
    graph = graphlab.draw(run(text)["h"]).graph
    assert [one.label for one in graph.tensors if "(" in one.label] == []
