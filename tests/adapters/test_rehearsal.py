"""A rehearsal says what is true: its numbers are the gradients, and nothing else has changed.

Read next: tests/adapters/test_wording.py
"""

from __future__ import annotations

import gc
import json
import warnings
import weakref

import numpy as np
import pytest
from hypothesis import given, settings

import graphlab
from graphlab.common.errors import GraphFreedError, ModifiedInPlaceError
from graphlab.faces.render import bundle
from graphlab.graph.timeline import Timeline
from graphlab.graph.value import summarise
from tests.core import test_programs as programs


class Both(graphlab.autograd.Function):
    """Two results; a gradient that did not come stays None."""

    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2, x * 3

    @staticmethod
    def backward(ctx, g, h):
        return (0 if g is None else g * 2) + (0 if h is None else h * 3)


class SecondOnly(graphlab.autograd.Function):
    """A product that sends a gradient to its second factor alone."""

    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x)
        return x * y

    @staticmethod
    def backward(ctx, g):
        return None, g * ctx.saved_tensors[0]


def matrix():
    return graphlab.tensor([[1.0, -2.0, 3.0], [0.5, 5.0, -6.0]], requires_grad=True)


def twice_differentiated():
    x = matrix()
    (slope,) = graphlab.autograd.grad((x * x.sin()).sum(), x, create_graph=True)
    return (slope * slope).sum()


FORMULAS = {
    "a leaf": lambda: graphlab.tensor(3.0, requires_grad=True),
    "a square": lambda: (matrix() * 1)[0, 0] ** 2,
    "an empty sum": lambda: (graphlab.zeros(0, requires_grad=True) * 2).sum(),
    "not a number": lambda: (graphlab.tensor([np.nan, np.inf], requires_grad=True) * 2).sum(),
    "largest and where": lambda: matrix().max(1)[0].sum(),
    "largest, dimension kept": lambda: matrix().max(1, keepdim=True).values.sum(),
    "largest": lambda: matrix().max(),
    "unbound": lambda: matrix().unbind()[1].sum(),
    "rows": lambda: sum(row.sum() for row in matrix()),
    "picked": lambda: matrix()[[0, 0, 1]].sum(),
    "masked": lambda: (lambda x: x[x > 0].sum())(matrix()),
    "sliced view": lambda: matrix().view(6)[1:5:2].sum(),
    "joined": lambda: graphlab.cat([matrix(), graphlab.ones(1, 3), matrix()]).sum(),
    "stacked": lambda: graphlab.stack([matrix(), matrix()]).sum(),
    "a bool factor": lambda: (matrix() * graphlab.tensor([True, False, True])).sum(),
    "the first of two": lambda: Both.apply(matrix())[0].sum(),
    "the second of two": lambda: Both.apply(matrix())[1].sum(),
    "both of two": lambda: (lambda a, b: (a * b).sum())(*Both.apply(matrix())),
    "no gradient for one": lambda: SecondOnly.apply(matrix() * 2, matrix()).sum(),
    "no gradient at all": lambda: SecondOnly.apply(matrix() * 2, graphlab.ones(2, 3)).sum(),
    "double backward": twice_differentiated,
}


def leaves_of(timeline):
    return [event for event in timeline if event.kind == "LeafWritten"]


@pytest.mark.parametrize("name", FORMULAS)
def test_every_kind_of_graph_is_drawn_traced_and_read_back(name):
    root = FORMULAS[name]()
    timeline = graphlab.trace(root)
    document = json.dumps(timeline.to_json(), allow_nan=False)
    assert Timeline.from_json(document).to_json() == timeline.to_json()
    for view in ("both", "computation", "backward"):
        drawing = graphlab.draw(root, view=view)
        assert drawing.svg.startswith("<svg")
        assert drawing.dot
        assert drawing.text
    last = timeline.state_at(-1)
    assert last["finished"]
    assert set(last["status"].values()) <= {"done"}  # what never ran has no status


def check_truth(root, leaves):
    """Hold the rehearsal of `root` against a real backward pass."""
    timeline = graphlab.trace(root)
    said = {event.tensor: event.after for event in leaves_of(timeline)}
    arrived = {e.tensor: e.after for e in timeline if e.kind == "Accumulated"}
    assert all(arrived[tensor] == value for tensor, value in said.items() if tensor in arrived)
    root.backward()
    truth = [summarise(leaf.grad._data) for leaf in leaves if leaf.grad is not None]
    assert sorted(map(repr, said.values())) == sorted(map(repr, truth))
    final = timeline.state_at(-1).get("leaves", {})
    assert {t: v["after"]["text"] for t, v in final.items()} == {
        tensor: value.text for tensor, value in said.items()
    }


@settings(max_examples=60)
@given(programs.steps)
def test_what_a_rehearsal_writes_is_what_backward_writes(program):
    leaves = [
        graphlab.tensor(np.linspace(-1, 1.2, 6).reshape(2, 3), requires_grad=True),
        graphlab.tensor(np.linspace(0.9, -0.7, 6).reshape(2, 3), requires_grad=True),
    ]
    made = [*leaves]
    for name, i, j in program:
        x, y = made[-1 - i % len(made)], made[-1 - j % len(made)]
        if name in programs.ONE:
            made.append(programs.ONE[name](graphlab, x))
        elif name in programs.TWO:
            made.append(programs.TWO[name](graphlab, x, y))
    root = sum((t * t).sum() for t in made[-3:])
    if root.requires_grad:
        check_truth(root, leaves)


def test_each_contribution_is_the_gradient_that_its_edge_carries():
    x = graphlab.tensor([2.0, 3.0], requires_grad=True)
    y = x * x + x.exp()
    gradient = graphlab.tensor([1.0, -1.0])
    timeline = graphlab.trace(y, gradient)
    sent = [e.contribution.text for e in timeline if e.kind == "RuleApplied" and e.to == "x"]
    assert sent == ["[7.3891, -20.086]", "[2.0, -3.0]", "[2.0, -3.0]"]
    assert leaves_of(timeline)[0].after.text == "[11.389, -26.086]"


def test_of_several_outputs_the_gradient_of_the_one_that_was_used_is_told():
    x = graphlab.tensor([1.0, 2.0], requires_grad=True)
    rule = next(e for e in graphlab.trace(x.unbind()[1]) if e.kind == "RuleApplied")
    assert rule.upstream.text == "1.0"
    left, right = Both.apply(x)
    rule = [e for e in graphlab.trace(right.sum()) if e.kind == "RuleApplied"][-1]
    assert (rule.name, rule.upstream.text) == ("BothBackward", "[1.0, 1.0]")
    rule = [e for e in graphlab.trace((left + right).sum()) if e.kind == "RuleApplied"][-1]
    assert (rule.name, rule.upstream.text) == ("BothBackward", "([1.0, 1.0], [1.0, 1.0])")


def test_a_leaf_that_is_sent_none_is_not_reached():
    x, y = matrix(), matrix()
    timeline = graphlab.trace(SecondOnly.apply(x, y).sum())
    assert [event.name for event in leaves_of(timeline)] == ["y"]
    said = ["".join(s if isinstance(s, str) else s[1] for s in e.caption) for e in timeline]
    assert any("is sent no gradient" in sentence for sentence in said)
    assert not any("None" in sentence for sentence in said)


def test_a_tensor_that_retains_its_gradient_tells_the_sum():
    x = graphlab.tensor([1.0, 2.0], requires_grad=True)
    m = x * 2
    m.retain_grad()
    s = m.sum()
    s.backward(retain_graph=True)
    timeline = graphlab.trace(s)
    kept = next(e for e in timeline if e.kind == "GradRetained")
    s.backward()
    assert kept.after == summarise(m.grad._data)
    assert timeline.state_at(-1)["leaves"][kept.tensor]["after"]["text"] == "[2.0, 2.0]"


def test_the_condition_of_where_gets_no_gradient_in_the_picture():
    x, y = matrix(), matrix()
    root = graphlab.where(x > 0, x, y)
    graph = graphlab.trace(root, graphlab.ones(2, 3)).graph
    edges = graph.edges_of_inputs(graph.nodes[0])
    assert [None if e is None else graph.tensor(e.tensor).name for e in edges] == [None, "x", "y"]
    assert graph.edges_of_inputs(graph.nodes[-1]) == (None,)
    square = x * x
    graph = graphlab.trace(square, graphlab.ones(2, 3)).graph
    assert [edge.id for edge in graph.edges_of_inputs(graph.nodes[0]) if edge] == ["n0.0", "n0.1"]


def test_a_result_that_nobody_holds_is_not_made_up_from_inputs_that_changed_since():
    w = graphlab.tensor([1.0, 2.0], requires_grad=True)
    with graphlab.no_grad():
        w.mul_(2)  # before: what follows saw it
    loss = ((w + 1) * 3).sum()
    known = {t.name: t.value for t in graphlab.draw(loss).graph.tensors}
    assert known["w + 1"].text == "[3.0, 5.0]"
    assert known["(w + 1) * 3"].text == "[9.0, 15.0]"
    with graphlab.no_grad():
        w.sub_(1)  # an optimizer's step
    known = {t.name: t.value for t in graphlab.draw(loss).graph.tensors}
    assert (known["w"].text, known["loss"].text) == ("[1.0, 3.0]", "24.0")
    assert known["w + 1"] is known["(w + 1) * 3"] is None
    exponential = w.exp().sum()  # what was saved is still known
    with graphlab.no_grad():
        w.zero_()
    known = {t.name: t.value for t in graphlab.draw(exponential).graph.tensors}
    assert known["w.exp()"].text == "[2.7183, 20.086]"


# -- errors ------------------------------------------------------------------------------------


def test_a_freed_graph_is_drawn_but_not_rehearsed():
    x = graphlab.tensor(2.0, requires_grad=True)
    y = x * x * x
    y.backward()
    assert "MulBackward0" in graphlab.draw(y).svg
    with pytest.raises(GraphFreedError, match="backward through the graph a second time"):
        graphlab.trace(y)


def test_a_change_in_place_is_found_as_backward_finds_it():
    x = graphlab.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    z = y * y
    y.add_(1)
    assert graphlab.draw(z).svg
    with pytest.raises(ModifiedInPlaceError, match="is at version 1; expected version 0"):
        graphlab.trace(z.sum())


def test_bad_gradients_and_roots_get_pytorchs_sentences():
    x = graphlab.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(RuntimeError, match="can be implicitly created only for scalar outputs"):
        graphlab.trace(x * 2)
    with pytest.raises(RuntimeError, match="Mismatch in shape: grad_output"):
        graphlab.trace(x * 2, graphlab.ones(3))
    with pytest.raises(RuntimeError, match="does not require grad and does not have a grad_fn"):
        graphlab.trace(graphlab.ones(1))


# -- nothing else happens ----------------------------------------------------------------------


def test_drawing_and_rehearsing_leave_everything_as_it_was():
    x = graphlab.tensor([1.0, 0.0], requires_grad=True)
    m = x * 2
    m.retain_grad()
    y = (m.log() * m).sum()  # log(0) is infinite, its slope too
    graphlab.manual_seed(3)
    modes, floating = graphlab.is_grad_enabled(), np.geterr()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            graphlab.trace(y).to_json()
            graphlab.draw(y).text  # noqa: B018
            graphlab.step(y)
            with graphlab.no_grad():
                graphlab.trace(y)
                assert not graphlab.is_grad_enabled()
    assert (graphlab.is_grad_enabled(), np.geterr()) == (modes, floating)
    assert (x.grad, m.grad, x._version, m._version) == (None, None, 0, 0)
    drawn = graphlab.randn(1).item()
    graphlab.manual_seed(3)
    assert graphlab.randn(1).item() == drawn
    y.backward()  # the graph can still be used


def test_a_timeline_a_drawing_and_a_stepper_keep_no_tensor_alive():
    def made():
        x = graphlab.randn(50, 50)
        x.requires_grad_()
        y = (x.exp() * x).sum()
        watched = [weakref.ref(x), weakref.ref(y), weakref.ref(y.grad_fn)]
        return [graphlab.trace(y), graphlab.draw(y), graphlab.step(y)], watched

    kept, watched = made()
    gc.collect()
    assert all(reference() is None for reference in watched)
    assert all(repr(thing) for thing in kept)


# -- hooks -------------------------------------------------------------------------------------


def test_a_rehearsal_shows_the_gradients_that_hooks_pass_on():
    x = graphlab.tensor(2.0, requires_grad=True)
    y = x * 3
    y.register_hook(lambda grad: grad * 10)
    x.register_hook(lambda grad: grad + 1)
    z = y * y
    z.register_hook(lambda grad: None)
    z.grad_fn.register_hook(lambda ins, outs: tuple(g + 1 for g in ins))
    told = [event.sentence for event in graphlab.trace(z).events]
    hooks = [sentence for sentence in told if sentence.startswith("A hook on")]
    assert any("A hook of MulBackward0 receives" in sentence for sentence in told)
    assert hooks == [
        "A hook on z receives its gradient, 1.0, and leaves it unchanged.",
        "A hook on y receives its gradient, 14.0, and replaces it with 140.0.",
        "A hook on x receives its gradient, 420.0, and replaces it with 421.0.",
    ]
    assert "The gradient reaches the leaf x: x.grad is 421.0." in told
    z.backward()
    assert x.grad.item() == 421


def test_a_rehearsal_runs_no_hook_on_what_it_has_not_written():
    x = graphlab.tensor(2.0, requires_grad=True)
    called = []
    x.register_post_accumulate_grad_hook(called.append)
    y = x * x
    y.grad_fn.next_functions[0][0].register_hook(lambda *seen: called.append(seen))
    graphlab.trace(y)
    assert (called, x.grad) == ([], None)
    y.backward()
    assert len(called) == 2


def test_a_hook_that_gets_no_gradient_is_told_of():
    class First(graphlab.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            return a * b

        @staticmethod
        def backward(ctx, grad):
            return grad, None

    x = graphlab.tensor(2.0, requires_grad=True)
    w = graphlab.tensor(3.0, requires_grad=True)
    w.register_hook(lambda grad: None)
    told = [event.sentence for event in graphlab.trace(First.apply(x, w)).events]
    assert "A hook on w is called with None, because no gradient arrived." in told
    assert not any(sentence.startswith("The leaf w") for sentence in told)


def test_what_a_pack_hook_made_is_drawn_without_unpacking_it():
    x = graphlab.tensor(2.0, requires_grad=True)
    unpacked = []

    def unpack(number):
        unpacked.append(number)
        return graphlab.tensor(number)

    with graphlab.autograd.graph.saved_tensors_hooks(lambda t: t.item(), unpack):
        y = x.exp() * x
    assert "saved self=7.38" in graphlab.draw(y).text
    assert unpacked == []
    assert graphlab.trace(y)[-2].sentence.startswith(
        "The gradient reaches the leaf x: x.grad is 22.167"
    )


def test_what_a_function_of_the_user_saved_is_called_as_pytorch_calls_it_also_once_it_is_freed():
    x = matrix()
    y = SecondOnly.apply(x * 1, x)
    (node,) = [node for node in graphlab.draw(y).graph.nodes if node.op == "SecondOnly"]
    assert [(saved.name, saved.freed) for saved in node.saved] == [("saved_tensors[0]", False)]
    y.sum().backward()
    (node,) = [node for node in graphlab.draw(y).graph.nodes if node.op == "SecondOnly"]
    assert [(saved.name, saved.freed) for saved in node.saved] == [("saved_tensors", True)]


def test_a_rehearsal_is_drawn_once_and_not_before_its_pictures_are_looked_at(monkeypatch):
    drawn = []
    draw = bundle.scenes_of_passes
    monkeypatch.setattr(bundle, "scenes_of_passes", lambda g, t: drawn.extend(g) or draw(g, t))
    x = graphlab.tensor(3.0, requires_grad=True)
    timeline = graphlab.trace(x * x)
    assert (timeline[-1].kind, timeline.state_at(-1)["queue"], drawn) == ("Finished", [], [])
    assert timeline.scenes[0].view == "both"
    assert timeline.to_json()["scenes"]
    assert drawn == [timeline.graph]
