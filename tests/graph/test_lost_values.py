"""A parameter without a gradient: which line is named, of those at which its values left the graph.

The same for PyTorch's tensors: tests/pytorch_graphs/test_exits.py.

Read next: tests/graph/test_diagnosis.py
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

import graphlab
from graphlab import Tensor, nn

Lose = Callable[[Tensor, nn.Module], Tensor]


def printed_before_a_block(h: Tensor, out: nn.Module) -> Tensor:
    print(h.detach().mean(), h.max().item())
    with graphlab.no_grad():
        h = h / h.norm()
    return out(h)


def computed_after_a_detach(h: Tensor, out: nn.Module) -> Tensor:
    print(h.mean().item())
    z = h.detach()
    return out(z * 2)


def compared(h: Tensor, out: nn.Module) -> Tensor:
    return out((h > 0).float())


def picked_by_the_largest(h: Tensor, out: nn.Module) -> Tensor:
    return out(graphlab.eye(3)[h.argmax(1)])


def sampled(h: Tensor, out: nn.Module) -> Tensor:
    return out(graphlab.distributions.Normal(h, 1.0).sample())


def times_a_number(h: Tensor, out: nn.Module) -> Tensor:
    print(h.detach())
    return out(graphlab.ones(4, 3)) * h.mean().item()


LINES: dict[Lose, tuple[str, str]] = {
    printed_before_a_block: ("no_grad()", "h = h / h.norm()"),
    computed_after_a_detach: ("detach()", "z = h.detach()"),
    compared: ("h > 0", "h > 0"),
    picked_by_the_largest: ("h.argmax(1)", "h.argmax(1)"),
    sampled: ("no_grad()", "sample()"),
    times_a_number: ("item()", "h.mean().item()"),
}


@pytest.mark.parametrize("lose", LINES, ids=lambda lose: lose.__name__)
def test_the_line_is_named_from_which_values_reach_the_loss(lose: Lose) -> None:
    enc, out = nn.Linear(2, 3), nn.Linear(3, 1)
    with graphlab.record() as timeline:
        h = enc(graphlab.ones(4, 2))
        lose(h, out).sum().backward()
    (found,) = timeline.unreached()
    how, line = LINES[lose]
    assert (found.name, found.why) == ("enc.*", f"cut off by {how}")
    assert found.source is not None
    assert line in found.source.text


def test_lines_that_are_not_known_to_lead_to_the_loss_are_only_listed() -> None:
    net, aside = nn.Linear(2, 1), nn.Linear(2, 1)
    x = graphlab.ones(2)
    with graphlab.record() as timeline:
        assert aside(x).argmax() == 0
        with graphlab.no_grad():
            print(float(aside.weight.norm()))
        other = graphlab.tensor(aside(x).tolist())
        (net(x) * other).sum().backward()
    told = {one.name: one for one in timeline.unreached()}
    path = "no gradient path leads from the result to it; values left the graph by"
    weight, bias = told["aside.weight"], told["aside.bias"]
    assert bias.why == f"{path} tolist() or numpy()"
    assert bias.source is not None
    line = bias.source.line - 1
    assert weight.why == f"{path} no_grad() in line {line} and by tolist() or numpy()"


@pytest.mark.parametrize("library", ["graphlab", "torch"])
def test_inference_mode_is_named(library):
    torch = pytest.importorskip(library)
    enc, out = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
    with graphlab.record() as timeline:
        with torch.inference_mode():
            h = enc(torch.ones(4, 2))
        out(h.clone()).sum().backward()
    assert {one.why for one in timeline.unreached()} == {"used in inference_mode()"}
