"""Parameters that do not learn: one row for each cause, the same in a cell and in the player."""

from __future__ import annotations

import pytest

import graphlab
from graphlab import nn
from graphlab.adapters.native.unreached import FROZEN as FROZEN_THERE
from graphlab.graph.causes import FROZEN, causes_of, folded


class Net(nn.Module):
    """Blocks of which one cuts the graph, and a frozen head."""

    def __init__(self, cut: int) -> None:
        super().__init__()
        self.first = nn.Linear(2, 2)
        self.blocks = nn.ModuleList([nn.Sequential(nn.Linear(2, 2), nn.Tanh()) for _ in range(4)])
        self.head = nn.Linear(2, 1).requires_grad_(False)
        self.cut = cut

    def forward(self, x):
        x = self.first(x)
        for k, block in enumerate(self.blocks):
            x = block(x)
            if k == self.cut:
                x = x.detach()
        return self.head(x).sum()


def test_a_cause_is_one_row_and_frozen_parameters_come_last() -> None:
    net = Net(cut=2)
    with graphlab.record() as timeline:
        net(graphlab.ones(2)).backward()
    cut, frozen = repr(timeline.unreached()).split("\n")
    assert cut.startswith("net.first, net.blocks.0 to 2 (8 parameters): ")
    assert frozen == "net.head (2 parameters): their requires_grad is False"
    told = timeline.to_json()["causes"]
    assert [f"{one['names']} {one['said'].partition(':')[0]}" for one in told] == [
        "net.first, net.blocks.0 to 2 (8 parameters) get no gradient",
        "net.head (2 parameters) get no gradient",
    ]
    assert len(timeline.unreached()) == 10
    assert causes_of(graphlab.Timeline.from_json(timeline.to_json()).graph) == causes_of(
        timeline.graph
    )
    assert FROZEN == FROZEN_THERE


def test_where_all_learn_nothing_is_listed() -> None:
    x = graphlab.ones(2, requires_grad=True)
    timeline = graphlab.trace(x.sum())
    assert repr(timeline.unreached()) == repr(timeline.unstepped()) == "()"
    assert timeline.unreached() == ()
    assert "causes" not in timeline.to_json()


@pytest.mark.parametrize(
    ("names", "others", "text"),
    [
        (["w"], [], "w"),
        (["net.*"], ["other.w"], "net"),
        (["a.0.w", "a.1.w", "a.3.w"], ["a.2.w"], "a.0 to 1, a.3 (3 parameters)"),
        (["a.9.w", "a.10.w"], ["a.w"], "a.9 to 10 (2 parameters)"),
        (["a.b.w", "a.c.w"], ["a.d"], "a.b, a.c"),
        ([f"n{k}.w" for k in range(8)], [], "n0, n1, n2, n3, n4, n5 and 2 more (8 parameters)"),
    ],
)
def test_a_module_stands_for_its_parameters_if_it_has_no_others(names, others, text) -> None:
    assert folded(names, others) == text


def stepped(net: nn.Module, optimizer, again: bool = False) -> graphlab.Timeline:
    with graphlab.record() as timeline:
        for _ in range(2):
            optimizer.zero_grad()
            net(graphlab.ones(1, 2)).sum().backward()
            if again:
                optimizer.zero_grad()
            optimizer.step()
    return timeline


def test_parameters_are_not_stepped_where_the_optimizer_has_none_of_them() -> None:
    student, teacher = nn.Linear(2, 1), nn.Linear(2, 1)
    timeline = stepped(student, graphlab.optim.SGD(teacher.parameters(), lr=0.1))
    assert set(timeline.unstepped()) == {"net.weight", "net.bias"}
    assert repr(timeline.unstepped()).endswith(": no optimizer steps them")


def test_a_gradient_that_is_cleared_before_the_step_is_named_with_the_line() -> None:
    net = nn.Linear(2, 1)
    timeline = stepped(net, graphlab.optim.SGD(net.parameters(), lr=0.1), again=True)
    said = repr(timeline.unstepped())
    assert said.startswith("net (2 parameters): their gradient is cleared before step(), line ")
    assert said.endswith(": optimizer.zero_grad()")
    assert stepped(net, graphlab.optim.SGD(net.parameters(), lr=0.1)).unstepped() == ()


def test_names_tell_two_networks_apart() -> None:
    one, two = (nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1)) for _ in range(2))
    optimizer = graphlab.optim.SGD([*one[0].parameters(), *two.parameters()], lr=0.1)
    with graphlab.record() as timeline:
        (one(graphlab.ones(1, 2)) + two(graphlab.ones(1, 2))).sum().backward()
        optimizer.step()
    assert timeline.unstepped() == ("one.1.weight", "one.1.bias")


@pytest.mark.parametrize("library", ["graphlab", "torch"])
def test_a_layer_in_a_plain_list_is_found_and_the_list_that_registers_it_is_named(library) -> None:
    torch = pytest.importorskip(library)

    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = [torch.nn.Linear(2, 2)]
            self.heads = {"one": torch.nn.Linear(2, 1)}
            self.out = torch.nn.Linear(1, 1)

        def forward(self, x):
            return self.out(self.heads["one"](self.layers[0](x)))

    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    with graphlab.record() as timeline:
        net(torch.ones(1, 2)).sum().backward()
        optimizer.step()
    hidden = {f"net.layers[0].{name}" for name in ("weight", "bias")}
    hidden |= {f"net.heads['one'].{name}" for name in ("weight", "bias")}
    assert set(timeline.unstepped()) == hidden
    assert "in a plain list or dict, use nn.ModuleList" in repr(timeline.unstepped())
    assert "layers[0].weight" in [tensor.label for tensor in timeline.graph.tensors]


def test_a_module_that_is_registered_elsewhere_keeps_its_name_beside_a_plain_list() -> None:
    class Decoder(nn.Module):
        def __init__(self, encoder: nn.Module) -> None:
            super().__init__()
            self.out, self.seen = nn.Linear(2, 1), [encoder]  # not to be a part of this one

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            encoder = nn.Linear(2, 2)
            self.decoder, self.encoder = Decoder(encoder), encoder

        def forward(self, x: graphlab.Tensor) -> graphlab.Tensor:
            return self.decoder.out(self.encoder(x))

    net = Net()
    timeline = graphlab.trace(net(graphlab.ones(1, 2)).sum())
    labels = {tensor.label for tensor in timeline.graph.tensors}
    assert {"encoder.weight", "decoder.out.weight"} <= labels
