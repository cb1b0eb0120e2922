"""Things are called after the caller's variables, wherever the caller stands.

Read next: tests/graph/test_timeline.py
"""

from __future__ import annotations

import gc
import html
import linecache
import weakref

import pytest

import graphlab
from graphlab import nn


def names(thing):
    """The names of the tensors that need a gradient, in the order in which they were made."""
    tensors = sorted(thing.graph.tensors, key=lambda tensor: int(tensor.id[1:]))
    return [tensor.name for tensor in tensors if tensor.requires_grad]


def leaf(value=2.0):
    return graphlab.tensor(value, requires_grad=True)


def test_a_functions_own_variables_give_the_names():
    weight, größe = leaf(), leaf()
    assert set(names(graphlab.trace(weight * größe))) >= {"weight", "größe"}


def test_a_method_calls_the_tensors_of_its_object_by_their_attributes():
    class Model:
        def __init__(self):
            self.weight = leaf()

        def trace(self, x):
            return graphlab.trace(self.weight * x)

    assert "self.weight" in names(Model().trace(graphlab.tensor(3.0)))


def test_lists_and_dicts_give_the_place_and_the_first_name_stays():
    weights, params = [leaf(), leaf()], {"b": leaf(), "<img src=x onerror=alert(1)>": leaf()}
    same = first = weights[0]
    y = weights[0] * weights[1] + params["b"] * params["<img src=x onerror=alert(1)>"]
    timeline = graphlab.trace(y)
    found = names(timeline)
    assert {"weights[1]", "params['b']"} <= set(found)
    assert "same" in found  # a variable before an item, and of two the one made first
    assert first is same
    assert "weights[0]" not in found
    shown = timeline._repr_mimebundle_()
    for kind in ("text/html", "image/svg+xml"):
        assert "<img src=x" not in shown[kind]
    assert html.escape("<img") in graphlab.draw(y).svg


def test_a_variable_that_was_assigned_anew_names_what_it_holds_now():
    x = leaf()
    y = x * 2
    y = y + 1
    made = {tensor.name: tensor.producer for tensor in graphlab.trace(y).graph.tensors}
    assert made["y"] == "n0"
    assert made["x * 2"] == "n1"


def test_a_variable_of_a_loop_has_the_number_of_the_round():
    W, h = leaf([[0.5, 0.1], [0.2, 0.3]]), graphlab.ones(2)
    for _ in range(3):
        h = graphlab.tanh(W @ h)
    y = h.sum()
    assert names(graphlab.draw(y)) == [
        "W", "(W @ h)₁", "h₁", "(W @ h)₂", "h₂", "(W @ h)₃", "h", "y",
    ]  # fmt: skip


def test_a_loop_that_calls_a_layer_names_what_each_round_ends_with():
    cell, h = nn.RNNCell(2, 2), graphlab.zeros(1, 2)
    for _ in range(3):
        h = cell(graphlab.ones(1, 2), h)
    found = names(graphlab.draw(h.sum()))
    assert [name for name in found if name.startswith("h")][:3] == ["h₁", "h₂", "h"]


def test_a_loop_of_one_operation_and_a_loop_over_rows_are_numbered():
    W, total = leaf([[0.5, 0.1], [0.2, 0.3]]), 0
    for row in W:
        total = total + (row * row).sum()
    assert names(graphlab.draw(total)) == [
        "W", "row₁", "row", "(row * row)₁", "(row * row).sum()₁", "total₁", "(row * row)₂",
        "(row * row).sum()₂", "total",
    ]  # fmt: skip


def rolled(W, h):
    for _ in range(2):
        h = W @ h
        h.tanh_()
    return h


def test_a_loop_in_a_function_is_numbered_too():
    W, x = leaf([[0.5, 0.1], [0.2, 0.3]]), graphlab.ones(2)
    y = rolled(W, x).sum()
    assert names(graphlab.draw(y)) == ["W", "(W @ h)₁", "h₁", "(W @ h)₂", "h₂", "y"]


def test_partial_sums_inside_one_call_are_no_rounds():
    w = leaf()
    s = sum([w * 2, w * 3, w * 4])
    assert names(graphlab.draw(s)) == ["w", "w * 2", "w * 3", "w * 4", "add", "add 2", "s"]


def test_what_changes_in_place_is_called_after_its_variable():
    a = leaf([1.0, 2.0])
    b = graphlab.exp(a)
    if True:
        b += 1  # a comment
        b.mul_(2).add_(3)
        graphlab.exp_(b)
    y = b.sum()
    drawn = graphlab.draw(y)
    assert names(drawn) == [
        "a", "exp(a)", "earlier b", "earlier b 2", "earlier b 3", "b", "y",
    ]  # fmt: skip
    sources = [node.source for node in drawn.graph.nodes if node.source]
    assert [source.text[source.start : source.end] for source in sources] == [
        "b.sum()", "graphlab.exp_(b)", "b.mul_(2).add_(3)", "b.mul_(2)", "b += 1",
        "graphlab.exp(a)",
    ]  # fmt: skip


def test_the_results_of_one_operation_go_to_the_variables_of_its_line():
    x = leaf([1.0, 2.0, 3.0])

    def mixed():
        q, k, v = x.chunk(3)
        parts = (q * k + v).chunk(1)
        return parts[0]

    y = mixed().sum()
    assert {"q", "k", "v"} <= set(names(graphlab.draw(y)))


class Plain:
    def __init__(self):
        self.w = leaf()
        self.layers = [Neuron(), Neuron()]

    def __dir__(self):
        raise AssertionError("no code of the user's is run")

    @property
    def loss(self):
        raise AssertionError("no code of the user's is run")


class Neuron:
    def __init__(self):
        self.w = [leaf(), leaf()]

    def __getattribute__(self, name):
        if name == "__class__":
            raise AssertionError("no code of the user's is run")
        return object.__getattribute__(self, name)


def test_attributes_of_plain_objects_are_found_and_nothing_of_theirs_is_run():
    net = Plain()
    net.itself = net
    y = net.w * net.layers[1].w[0]
    assert names(graphlab.draw(y)) == ["net.w", "net.layers[1].w[0]", "y"]


def test_a_check_runs_nothing_of_an_object_beside_its_tensors():
    class Part(graphlab.nn.Parameter):
        @property
        def requires_grad(self):
            raise AssertionError("no code of the user's is run")

    class Odd:
        @property
        def __class__(self):
            raise AssertionError("no code of the user's is run")

    odd, part, x = Odd(), Part(graphlab.ones(2)), leaf()
    assert graphlab.check((x * x).sum()).ok
    assert (type(odd), type(part)) == (Odd, Part)


def test_a_tensor_that_a_module_holds_but_not_as_a_parameter_is_named():
    model = Two()
    model.w = leaf()
    y = model.w * 2
    assert names(graphlab.draw(y)) == ["model.w", "y"]


def test_code_without_source_is_named_by_its_operations():
    scope = {"graphlab": graphlab, "leaf": leaf}
    text = "t = graphlab.trace((leaf() ** 2).sum() * leaf())"
    exec(compile(text, "<unknown>", "exec"), scope)  # Python 3.13 keeps the text of `python -c`
    assert names(scope["t"]) == ["leaf", "pow", "sum", "leaf 2", "mul"]


def test_what_is_named_after_its_operation_does_not_take_the_name_of_a_variable():
    layer = nn.Linear(2, 1)
    t = layer(graphlab.ones(1, 2)).sum()
    assert names(graphlab.draw(t)) == [
        "layer.weight", "layer.weight.T", "layer.bias", "layer(ones(1, 2))", "t",
    ]  # fmt: skip


def test_no_result_takes_a_name_that_the_user_gave_to_something_else():
    addmm, h = 5, "hidden"
    y = with_a_local_variable(nn.Linear(2, 1), graphlab.ones(1, 2))
    found = names(graphlab.draw(y))
    assert (addmm, h) == (5, "hidden")
    assert not {"addmm", "h"} & set(found)
    assert {"h in with_a_local_variable"} <= set(found)


def with_a_local_variable(layer, x):
    h = graphlab.tanh(layer(x) * 2 + 1).sum().reshape(1)
    h = (h * h).sum(dim=0).reshape(1, 1).reshape(1)
    return layer(h.expand(2)).sum()


def test_an_index_of_arrays_is_told_as_other_arrays_are():
    x = leaf([1.0, 2.0, 3.0])
    drawn = graphlab.draw(x[x > 1].sum() + x[graphlab.tensor([0, 2])].sum())
    assert "indices[0]" in drawn.svg
    assert "[False, True, True]" in drawn.svg
    assert "[0, 2]" in drawn.svg
    assert "array(" not in drawn.svg + drawn.text


def test_a_comprehension_finds_names_inside_and_outside_of_itself():
    outside = leaf()
    (timeline,) = [graphlab.trace(inner * inside) for inner in [outside] for inside in [leaf()]]
    found = names(timeline)
    assert "inside" in found
    assert {"inner", "outside"} & set(found)


def test_a_name_that_no_variable_holds_is_not_a_value():
    timeline = graphlab.trace(leaf() * leaf())
    assert [event.name for event in timeline if event.kind == "LeafWritten"] == ["leaf", "leaf 2"]


class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(1, 2), nn.Linear(2, 1)
        self.scale = nn.Parameter(graphlab.ones(1))

    def forward(self, x):
        return self.fc2(self.fc1(x)) * self.scale

    def draw(self, x):
        return graphlab.trace(self(x))


X = graphlab.ones(1, 1)


def test_parameters_are_called_by_their_paths_in_the_model():
    model = Two()
    found = set(names(graphlab.trace(model(X))))
    # `scale` alone could be anything: then all of the model's stand behind its name
    assert {"model.fc1.weight", "model.fc1.bias", "model.fc2.bias", "model.scale"} <= found
    assert {"self.fc1.weight", "self.scale"} <= set(names(model.draw(X)))
    row = nn.Sequential(nn.Linear(1, 2), nn.Tanh(), nn.Linear(2, 1))
    assert {"0.weight", "2.bias"} <= set(names(graphlab.trace(row(X))))


def test_a_layer_that_is_a_variable_itself_stands_before_its_weights():
    layer = nn.Linear(1, 1)
    assert {"layer.weight", "layer.bias"} <= set(names(graphlab.trace(layer(X))))
    layers = [nn.Linear(1, 1)]
    assert "layers[0].weight" in names(graphlab.trace(layers[0](X)))


def test_two_models_tell_their_parameters_apart():
    first, second = Two(), Two()
    found = set(names(graphlab.trace(first(X) + second(X))))
    assert {"first.fc1.weight", "second.fc1.weight"} <= found
    part = first.fc1  # of the first: it gives no names
    assert "first.fc1.weight" in names(graphlab.trace(first(X)))
    assert part is first.fc1


def test_a_tensor_that_is_written_into_and_then_changed_whole_is_not_named_after_the_part():
    x = graphlab.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * 2
    y[0] = 5.0
    y.mul_(x)
    names = [tensor.label for tensor in graphlab.trace(y.sum()).graph.tensors]
    assert "earlier y" in names
    assert "y[0]" not in names


def test_a_tensor_that_is_written_into_twice_is_an_earlier_one_before():
    a = graphlab.ones(2, requires_grad=True)
    b = graphlab.zeros(3, 3)
    b[0, :2] = a
    b[1, 1] = a[0]
    b[2].add_(1)
    total = b.sum()
    shown = graphlab.draw(total).text
    names = [line.partition(" = ")[0].split(" 0 ")[-1] for line in shown.splitlines()]
    assert names[1:4] == ["b", "earlier b 2", "earlier b"]


def test_a_long_saved_value_is_shortened_after_its_name():
    batch = nn.BatchNorm1d(2)
    text = graphlab.draw(batch(graphlab.tensor([[1.0, 2.5], [0.3, 4.7]]))).text
    assert "running_mean=" in text
    assert "running_var=" in text


def test_a_cell_compiled_without_the_indentation_of_its_file_has_its_expression_marked():
    # as marimo does: the file has the cell in a function, what is run starts at the margin
    name = "<a file with an indented cell>"
    linecache.cache[name] = (1, None, ["    y = x * x\n"], name)
    scope = {"x": leaf()}
    exec(compile("y = x * x\n", name, "exec"), scope)
    source = graphlab.trace(scope["y"]).graph.nodes[0].source
    assert source is not None
    assert source.text[source.start : source.end] == "x * x"


def test_a_very_long_name_is_cut_in_its_middle_and_stays_apart_from_others():
    long, other = "w" * 10_000, "w" * 9_000
    names = {long: leaf(2.0), other: leaf(3.0), "graphlab": graphlab}
    exec(f"timeline = graphlab.trace({long} * {other})", names)
    timeline = names["timeline"]
    found = sorted(tensor.name for tensor in timeline.graph.tensors if tensor.is_leaf)
    assert [len(name) for name in found] == [80, 82]
    assert len(set(found)) == 2
    assert max(len(event.sentence) for event in timeline) < 500


def test_a_very_long_name_of_a_module_is_cut_too():
    net = graphlab.nn.Sequential()
    net.add_module("m" * 10_000, graphlab.nn.Linear(2, 2))
    timeline = graphlab.trace(net(graphlab.ones(1, 2)).sum())
    assert max(len(scope.path) for scope in timeline.graph.scopes) < 100


@pytest.mark.parametrize("call", ["draw", "trace", "step", "check", "formula", "record"])
def test_a_call_in_a_function_keeps_none_of_its_variables_alive(call: str) -> None:
    x = graphlab.ones(3, requires_grad=True)
    h = x * 2
    y = h.sum()
    if call == "record":
        with graphlab.record():
            y.backward(retain_graph=True)
    else:
        getattr(graphlab, call)(y)
    reference = weakref.ref(h)
    assert reference() is not None
    del h, y
    gc.collect()
    assert reference() is None
    assert x.tolist() == [1, 1, 1]  # the variables themselves are as they were


def test_code_that_stands_in_several_places_is_told_apart_by_a_number():
    x = leaf([[1.0, 2.0]])
    y = (x @ x.t()).sum() + (x.t() @ x).sum()
    for _ in range(2):
        y = y * x.sum()
    z = y * x.sum()
    assert names(graphlab.draw(z)) == [
        "x", "x.t()", "x @ x.t()", "(x @ x.t()).sum()", "x.t()₂", "x.t() @ x", "(x.t() @ x).sum()",
        "earlier y", "x.sum()₁", "y₁", "x.sum()₂", "y", "x.sum()", "z",
    ]  # fmt: skip


def test_an_input_that_no_variable_holds_is_named_by_the_code_that_uses_it():
    def cell(x, h):
        return graphlab.tanh(x @ W + h @ U)

    W, U, h = leaf([[0.5, 0.1]]), leaf([[0.5, 0.1], [0.2, 0.3]]), graphlab.zeros(1, 2)
    for x in graphlab.ones(2, 1, 1):
        h = graphlab.tanh(x @ W + h @ U)
    first = graphlab.trace(h.sum())
    named = {tensor.name for tensor in first.graph.tensors}
    assert {"x₁", "x", "h₀", "h₁", "h"} <= named
    assert "multiplies it on the left by h₀ᵀ, and" in "".join(event.sentence for event in first)
    x = None
    other = graphlab.trace(cell(graphlab.ones(1, 1), graphlab.ones(1, 2)).sum())
    assert x is None
    assert "x" not in {tensor.name for tensor in other.graph.tensors}


def test_keys_are_quoted_in_one_way():
    params = {"w": leaf([1.0, 2.0])}
    assert names(graphlab.trace((params["w"] * 2).sum()))[:2] == ["params['w']", "params['w'] * 2"]


def test_a_part_that_was_read_after_a_change_has_the_name_of_its_operation():
    y = leaf([1.0, 2.0]) * 2
    y[0] *= 3
    assert "as_strided" in names(graphlab.trace(y.sum()))


def test_pytests_own_variables_are_no_names() -> None:
    a = graphlab.tensor(2.0, requires_grad=True)
    # pytest puts the parts of this line into variables such as @py_assert1
    assert graphlab.draw((a * a).sin()).text.splitlines()[1].startswith("└─ 0 a * a = 4.0")


def test_in_a_comprehension_a_tensor_has_the_name_that_it_had_before():
    x = graphlab.tensor(2.0, requires_grad=True)
    y = x * x
    z = y * 3
    assert [graphlab.trace(t).title for t in (y, z)] == ["y", "z"]
    assert [*(graphlab.trace(t).title for t in (y, z))] == ["y", "z"]
    assert {k: graphlab.trace(t).title for k, t in enumerate((y, x * 7))} == {0: "y", 1: "t"}
