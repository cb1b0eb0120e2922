"""Which scope a node belongs to: named scopes, modules, what is entered again, threads, errors."""

import gc
import threading
import weakref

import pytest

import graphlab as torch
from graphlab import nn
from graphlab.autograd.scopes import noted, notes
from graphlab.graph.timeline import Timeline


def named(timeline: Timeline) -> dict[str, str]:
    """The scope of each node by its name; of leaves, by the variable's."""
    graph = timeline.graph
    return {
        graph.tensor(node.variable).label if node.variable else node.name: node.scope
        for node in graph.nodes
    }


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(2, 2)
        self.deep = nn.Sequential(nn.Tanh(), nn.Linear(2, 1))

    def forward(self, x):
        return self.deep(self.fc1(x))


def test_a_node_belongs_to_the_innermost_named_scope_that_was_open():
    x = torch.tensor(2.0, requires_grad=True)
    with torch.scope("outer"):
        y = x * x
        with torch.scope("inner"):
            y = y.exp()
        y = y.sin()
    y = y.cos()
    assert named(torch.trace(y)) == {
        "CosBackward0": "",
        "SinBackward0": "outer",
        "ExpBackward0": "outer.inner",
        "MulBackward0": "outer",
        "x": "outer",
    }


def test_modules_are_scopes_named_by_their_attributes_and_the_variable():
    net = Net()
    x = torch.ones(1, 2)
    found = named(torch.trace(net(x).sum()))
    assert found["SumBackward0"] == ""
    assert found["fc1.weight"] == found["fc1.bias"] == "net.fc1"
    assert found["TanhBackward0"] == "net.deep.0"
    assert found["deep.1.weight"] == "net.deep.1"


def test_the_scopes_of_a_graph_tell_the_class_of_a_module():
    net = Net()
    with torch.scope("all"):
        y = net(torch.ones(1, 2)).sum()
    kinds = {scope.path: scope.kind for scope in torch.trace(y).graph.scopes}
    assert kinds["all"] == ""
    assert kinds["all.net"] == "Net"
    assert kinds["all.net.deep.1"] == "Linear"


def test_a_module_that_no_variable_holds_is_called_by_its_class_when_it_is_gone():
    y = nn.Sequential(nn.Linear(2, 1))(torch.ones(1, 2)).sum()
    assert named(torch.trace(y))["AddmmBackward0"] == "Sequential.Linear"


def test_what_is_entered_again_is_another_scope_and_shares_its_parameters_outside():
    cell = nn.Linear(1, 1)
    h = torch.ones(1, 1)
    for _ in range(3):
        h = cell(h)
    timeline = torch.trace(h)
    made = [node.scope for node in timeline.graph.nodes if node.name == "AddmmBackward0"]
    assert made == ["cell 3", "cell 2", "cell"]
    assert named(timeline)["cell.weight"] == ""


def test_a_leaf_that_is_no_parameter_stays_outside_of_the_module_that_it_was_given_to():
    net = Net()
    x = torch.ones(1, 2, requires_grad=True)
    assert named(torch.trace(net(x).sum()))["x"] == ""


def test_a_scope_decorates_a_function_and_each_call_is_one_of_its_own():
    @torch.scope("square")
    def square(x):
        return x * x

    y = square(square(torch.tensor(2.0, requires_grad=True)))
    graph = torch.trace(y).graph
    made = [node.scope for node in graph.nodes if node.variable is None]
    assert made == ["square 2", "square"]


def test_a_graph_that_is_looked_at_while_a_scope_is_open_belongs_to_it():
    with torch.scope("open"):
        y = torch.tensor(2.0, requires_grad=True).exp()
        assert named(torch.trace(y))["ExpBackward0"] == "open"


def test_scopes_are_closed_when_the_code_inside_raises():
    x = torch.tensor(2.0, requires_grad=True)

    class Breaks(nn.Module):
        def forward(self, x):
            self.kept = x.exp()
            raise KeyError

    breaks = Breaks()
    with pytest.raises(KeyError), torch.scope("tried"):
        breaks(x)
    assert named(torch.trace(breaks.kept.sin())) == {
        "SinBackward0": "",
        "ExpBackward0": "tried.breaks",
        "x": "tried",
    }
    assert notes.open == []


def test_threads_do_not_see_each_others_scopes():
    opened, made = threading.Event(), threading.Event()

    def other():
        with torch.scope("theirs"):
            opened.set()
            made.wait(10)

    thread = threading.Thread(target=other)
    thread.start()
    opened.wait(10)
    y = torch.tensor(2.0, requires_grad=True).exp()
    made.set()
    thread.join()
    assert set(named(torch.trace(y)).values()) == {""}


def test_nothing_is_noted_where_no_node_was_made():
    layer = nn.Linear(2, 1)
    before = list(notes.closed)
    with torch.no_grad():
        layer(torch.ones(1, 2))
    with torch.scope("nothing"):
        torch.ones(1, 2) * 2
    assert list(notes.closed) == before


def test_notes_keep_no_module_alive():
    net = Net()
    y = net(torch.ones(1, 2)).sum()
    alive = weakref.ref(net)
    del net
    gc.collect()
    assert alive() is None
    assert named(torch.trace(y))["TanhBackward0"] == "Net.Sequential.Tanh"


@pytest.mark.parametrize("name", ["", " ", "a..b", ".a"])
def test_a_scope_without_a_name_is_refused(name):
    with pytest.raises(ValueError, match="scope expects a name"):
        torch.scope(name)


def test_a_name_that_is_no_text_is_refused():
    with pytest.raises(TypeError, match="got int"):
        torch.scope(3)


def test_of_all_notes_only_those_from_the_time_of_a_graph_are_read():
    x = torch.ones(1, requires_grad=True)
    with torch.scope("long ago"):
        x * 2
    with torch.scope("around"), torch.scope("now"):
        y = x * 3
    with torch.scope("later"):
        x * 4
    made = y.grad_fn._sequence_nr()
    assert [name for _, _, name, _ in noted(made, made + 1)] == ["around", "now"]


def test_a_deep_net_with_residuals_reopens_from_its_json_collapsed() -> None:
    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.up, self.down = nn.Linear(4, 8), nn.Linear(8, 4)

        def forward(self, x):
            return x + self.down(self.up(x).relu())

    net = nn.Sequential(*[Block() for _ in range(20)])
    timeline = torch.trace(net(torch.ones(2, 4)).sum())
    read = Timeline.from_json(timeline.to_json())
    assert len(read) == len(timeline)
    assert {scope.path for scope in read.graph.scopes} >= {"net.0", "net.19.down"}
