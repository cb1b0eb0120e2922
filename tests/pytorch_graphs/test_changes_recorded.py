"""Changes in place that the graph records are told alike for tensors of both libraries.

Read next: graphlab/adapters/pytorch/recording.py
"""

from __future__ import annotations

import numpy as np
import pytest

import graphlab
from graphlab.graph.events import ChangedInPlace

PROGRAMS = {
    "a method": "z = x * 2; z.add_(1); z.sum().backward()",
    "an entry": "y = x * 2; y[0] = 5.0; y.sum().backward()",
    "an entry of a constant": "y = torch.zeros(3); y[0] = x.sum(); y.sum().backward()",
    "a view": "y = x * 2; v = y[0]; v.mul_(3); y.sum().backward()",
    "twice": "y = x * 2; y += x; y *= 3; y.sum().backward()",
    "an activation": "y = x * 2; F.relu(y, inplace=True); y.sum().backward()",
    "to zero": "y = x * 2; y.zero_(); (y + x).sum().backward()",
    "without a graph": "y = x * 2\nwith torch.no_grad(): y.add_(1)\ny.sum().backward()",
    "its dimensions": "y = torch.outer(x, x) * 1; y.t_(); y.squeeze_(); y.sum().backward()",
    "between passes": "y = x * 2; y.sum().backward(); z = x * 3; z.mul_(x); z.sum().backward()",
}


def told(library, program: str) -> list[str]:
    """Return the sentences about changes in place."""
    with graphlab.record() as timeline:
        x = library.tensor([1.0, 2.0], requires_grad=True)
        exec(program, {"torch": library, "F": library.nn.functional, "x": x})
    return [str(one.caption) for one in timeline.events if isinstance(one, ChangedInPlace)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_recorded_change_is_told_as_for_a_tensor_of_graphlab(torch, name):
    ours = told(graphlab, PROGRAMS[name])
    assert told(torch, PROGRAMS[name]) == ours
    assert ours or name in ("an entry of a constant", "its dimensions")


def test_small_results_have_their_values_in_every_pass(torch):
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    x, y = torch.ones(5, 3), torch.ones(5, 1)
    with graphlab.record() as timeline:
        for _ in range(3):
            off = net(x) - y
            loss = (off**2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    assert all(
        one.value is not None and one.value.text != "no value" for one in timeline.graph.tensors
    )
    assert np.array(timeline.value("off")) == pytest.approx(off.detach().numpy(), rel=1e-4)


@pytest.mark.parametrize(
    "program",
    [
        "y = (x * 2).view(2, 1) + 1",
        "y = torch.flatten(torch.outer(x, x) + 1) - 1",
        "y = (x * 2).expand(3, 2) + 1",
        "y = torch.outer(x, x).t().reshape(-1) + 1",
        "y = torch.outer(x, x + 1).t().contiguous().view(4) + 1",
        "y = (x + 1).double() + 1",
        "y = (x + 1)[None].squeeze(0) + 1",
        "y = (x + 1).masked_fill(torch.tensor([True, False]), 7.0) + 1",
    ],
)
def test_what_a_view_or_a_copy_holds_is_known(torch, program):
    with graphlab.record() as timeline:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        exec(program + "\ny.sum().backward()", {"torch": torch, "x": x})
    assert "no value" not in [one.value and one.value.text for one in timeline.graph.tensors]
