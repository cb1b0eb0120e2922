"""The forward pass as events: each operation, its value, what it saves and why.

Read next: js/test/forward.test.ts
"""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import graphlab
from graphlab import nn
from graphlab.common.errors import TraceError
from graphlab.graph.events import Computed, ForwardBegan, ForwardFinished, PassBegan, SavedKept
from graphlab.graph.timeline import Timeline
from tests.adapters.forward import FIXTURE
from tests.functions import Square

ROOT = Path(__file__).parents[2]

FORWARD = (ForwardBegan, Computed, SavedKept, ForwardFinished)


def leaf(value: Any) -> Any:
    return graphlab.tensor(value, requires_grad=True)


def lesson() -> Timeline:
    a, b, c, d = leaf(2.0), leaf(3.0), leaf(5.0), leaf(10.0)
    u = a * b
    v = c * d.log()
    e = u + v
    return graphlab.trace(e, forward=True)


def told(timeline: Timeline) -> list[str]:
    return [event.sentence for event in timeline if isinstance(event, Computed)]


def goes_forward_and_back(timeline: Timeline) -> None:
    """Whatever was walked: with the forward part and without it, the same things happen."""
    base, whole = timeline.with_forward(False), timeline.with_forward()
    rest = [k for k, event in enumerate(whole) if not isinstance(event, FORWARD)]
    assert [whole[k] for k in rest] == list(base)
    # nothing of the forward pass stays: the pass goes on as if it had not been walked
    began = {k for k, event in enumerate(base) if isinstance(event, PassBegan)}
    for place, k in enumerate(rest):
        if not began or any(place >= first for first in began):
            assert whole.state_at(k) == base.state_at(place), whole[k]
    back = whole.with_forward(False)
    assert (back.events, back.passes) == (base.events, base.passes)
    document = whole.to_json()
    assert document.pop("walks_forward") is True
    assert document == base.to_json()
    read = Timeline.from_json({**document, "walks_forward": True})
    assert read.events == whole.events
    assert [read.state_at(k) for k in range(len(read))] == [
        whole.state_at(k) for k in range(len(whole))
    ]


def test_each_operation_is_told_in_the_order_in_which_it_ran():
    assert told(lesson()) == [
        "u = a · b: 2.0 × 3.0 = 6.0.",
        "d.log() is computed: log(10.0) = 2.3026.",
        "v = c · d.log(): 5.0 × 2.3026 = 11.513.",
        "e = u + v: 6.0 + 11.513 = 17.513.",
    ]


def test_the_walk_begins_with_the_leaves_and_ends_with_the_root():
    timeline = lesson()
    assert isinstance(timeline[0], ForwardBegan)
    assert (
        timeline[0].sentence
        == "The forward pass computes e in 4 operations, from the leaves a, b, c and d."
    )
    last = next(k for k, event in enumerate(timeline) if isinstance(event, ForwardFinished))
    assert timeline[last].sentence.startswith("The forward pass is done: e = 17.513. The backward")
    assert timeline[last + 1].kind == "Seeded"
    assert timeline.state_at(last) == timeline.initial == timeline.with_forward(False).initial


def test_at_first_only_the_leaves_have_values():
    timeline = lesson()
    names = {tensor.id: tensor.name for tensor in timeline.graph.tensors}
    computed = [
        {names[id] for id in timeline.state_at(k)["computed"]}
        for k, event in enumerate(timeline)
        if isinstance(event, ForwardBegan | Computed)
    ]
    assert computed[0] == {"a", "b", "c", "d"}
    assert [after - before for before, after in pairwise(computed)] == [
        {"u"},
        {"d.log()"},
        {"v"},
        {"e"},
    ]


def test_what_is_saved_has_the_rule_that_needs_it_as_its_reason():
    kept = [event.sentence for event in lesson() if isinstance(event, SavedKept)]
    assert kept == [
        "MulBackward0 saves self = 2.0, because the rule for b needs it.",
        "MulBackward0 saves other = 3.0, because the rule for a needs it.",
        "LogBackward0 saves self = 10.0, because the rule for d needs it.",
        "MulBackward0 saves self = 5.0, because the rule for d.log() needs it.",
        "MulBackward0 saves other = 2.3026, because the rule for c needs it.",
        "AddBackward0 saves nothing, because its rules need no values.",
    ]


def test_an_input_without_gradient_gives_no_reason_to_save():
    a, b = leaf(2.0), graphlab.tensor(3.0)
    kept = [e for e in graphlab.trace(a * b, forward=True) if isinstance(e, SavedKept)]
    assert [(one.saved, one.why) for one in kept] == [("other", "the rule for a needs it")]


def test_memory_grows_from_nothing_to_what_backward_begins_with():
    timeline = lesson()
    held = [timeline.state_at(k)["held"] for k in range(len(timeline))]
    last = next(k for k, event in enumerate(timeline) if isinstance(event, ForwardFinished))
    assert held[0] == 0
    assert held[: last + 1] == sorted(held[: last + 1])
    assert held[last] == timeline.state_at(last)["total"] == 20


def test_without_forward_the_walk_is_as_it_was():
    a = leaf(2.0)
    timeline = graphlab.trace(a * a)
    assert timeline[0].kind == "Seeded"
    assert not any(isinstance(event, FORWARD) for event in timeline)
    assert "computed" not in timeline.state_at(0)


def matrices() -> Timeline:
    graphlab.manual_seed(0)
    X, W = graphlab.randn(3, 2), graphlab.randn(2, 4).requires_grad_()
    h = X @ W
    return graphlab.trace(h.sum(), forward=True)


def test_a_product_of_matrices_is_told_by_shapes_and_shown_entry_by_entry():
    timeline = matrices()
    event = next(event for event in timeline if isinstance(event, Computed))
    assert event.sentence.startswith("h = X W: (3, 2) @ (2, 4). It has shape (3, 4), norm ")
    assert event.product is not None
    X, W = (
        timeline.graph.tensor(part.tensor or "")
        for part in (event.product.left, event.product.right)
    )
    assert (event.product.operator, X.name, W.name) == ("@", "X", "W")


def custom() -> Any:
    return graphlab.trace(Square.apply(leaf(3.0)) * 2.0)


def in_place() -> Any:
    a = leaf([1.0, 2.0])
    b = a * 2
    b.add_(1)
    b[0] = 5.0
    return graphlab.trace((b * b).sum())


def views() -> Any:
    a = leaf([[1.0, 2.0], [3.0, 4.0]])
    b = a.T.reshape(4)[1:]
    return graphlab.trace((b * b).sum())


def reuse() -> Any:
    a = leaf(2.0)
    b = a * a
    return graphlab.trace(b * b + b)


def without_gradients() -> Any:
    a = leaf(2.0)
    with graphlab.no_grad():
        c = a * 3
    return graphlab.trace(a * c)


def twice() -> Any:
    x = leaf(3.0)
    y = x**3
    (g,) = graphlab.autograd.grad(y, x, create_graph=True)
    return graphlab.trace(g * x)


def dropout() -> Any:
    graphlab.manual_seed(1)
    x = leaf([1.0, 2.0, 3.0, 4.0])
    return graphlab.trace(nn.functional.dropout(x, 0.5, training=True).sum())


def network() -> Any:
    graphlab.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8, 3))
    x, y = graphlab.randn(2, 1, 4, 4), graphlab.tensor([0, 2])
    return graphlab.trace(nn.functional.cross_entropy(net(x), y))


def a_leaf() -> Any:
    return graphlab.trace(leaf(2.0))


def several_results() -> Any:
    x = leaf([3.0, 1.0, 2.0])
    values, _ = x.sort()
    first, *_ = x.split(1)
    return graphlab.trace((values * values).sum() + first.sum())


def loop() -> Any:
    w = leaf(1.5)
    optimizer = graphlab.optim.SGD([w], lr=0.1)
    with graphlab.record() as timeline:
        for _ in range(3):
            optimizer.zero_grad()
            loss = (w * 2.0 - 1.0) ** 2
            loss.backward()
            optimizer.step()
    return timeline


def doubled() -> Any:
    x = leaf(3.0)
    with graphlab.record() as timeline:
        y = x**3
        (g,) = graphlab.autograd.grad(y, x, create_graph=True)
        (g * g).backward()
    return timeline


def failing() -> Any:
    x = leaf(3.0)
    with graphlab.record() as timeline:
        y = x.exp()
        z = y * y
        with graphlab.no_grad():
            y.add_(1)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            z.backward()
    return timeline


def twice_over_one_graph() -> Any:
    x = leaf(3.0)
    with graphlab.record() as timeline:
        y = x * x
        y.backward(retain_graph=True)
        (y * 2).backward()
    return timeline


PROGRAMS = [
    lesson, matrices, custom, in_place, views, reuse, without_gradients, twice, dropout, network,
    a_leaf, several_results, loop, doubled, failing, twice_over_one_graph,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_forwards_and_back_again_ends_where_it_began(program):
    goes_forward_and_back(program())


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_every_number_that_is_told_is_the_value_of_a_tensor(program):
    """The result at the end of each sentence is what the tensor holds."""
    timeline = program().with_forward()
    for event in timeline:
        if isinstance(event, Computed) and len(event.tensors) == 1:
            value = timeline.graph.tensor(event.tensors[0]).value
            last = event.equation.numbers[-1]
            texts = {"a value that was changed since"} if value else set()
            texts.add(value.text if value else "a value that no variable holds any more")
            assert last[1] in texts, event.sentence


def test_the_formula_in_numbers_is_right_for_every_sum_and_product():
    """What stands left of the equals sign gives what stands right of it."""
    seen = 0
    for program in (lesson, custom, reuse, without_gradients, loop, twice_over_one_graph):
        for event in program().with_forward():
            if not isinstance(event, Computed):
                continue
            text = "".join(x if isinstance(x, str) else x[1] for x in event.equation.numbers)
            left, _, right = text.partition(" = ")
            for sign, word in (
                ("×", "*"),
                ("−", "-"),
                ("²", "**2"),
                ("³", "**3"),
                ("log", "np.log"),
            ):
                left = left.replace(sign, word)
            if right and not set(left) - set("0123456789.+-*/() nplog"):
                seen += 1
                assert eval(left, {"np": np}) == pytest.approx(float(right), rel=1e-3)  # 5 digits
    assert seen > 12


def test_a_value_that_was_changed_since_is_not_told():
    w = leaf(2.0)
    y = w * 3.0
    with graphlab.no_grad():
        w.add_(5.0)
    (sentence,) = told(graphlab.trace(y, forward=True))
    assert sentence == "y = w · 3.0: 6.0."


def test_a_result_that_was_changed_since_says_so():
    w = leaf(2.0)
    y = w + 3.0
    with graphlab.no_grad():
        y.add_(5.0)
    (sentence,) = told(graphlab.trace(y, forward=True))
    assert sentence == "y = w + 3.0: a value that was changed since."


def test_what_needs_no_node_has_its_value_from_the_beginning():
    timeline = without_gradients().with_forward()
    there = {timeline.graph.tensor(id).name for id in timeline[0].there}
    assert there == {"a", "c"}
    assert "computed without gradients count as constants" in timeline[0].equation.note


def test_a_function_of_the_users_own_says_that_it_saved():
    (first, *_) = [e for e in custom().with_forward() if isinstance(e, SavedKept)]
    assert first.why == "Square.forward, which you wrote, saved it"


def test_a_leaf_alone_has_nothing_to_compute():
    timeline = a_leaf().with_forward()
    assert [event.kind for event in timeline][:3] == ["ForwardBegan", "ForwardFinished", "Seeded"]
    assert "nothing to do" in timeline[0].sentence


def test_each_pass_of_a_recording_comes_after_its_forward_pass_with_its_own_values():
    sentences = [s for s in told(loop().with_forward()) if " × " in s]
    assert sentences == [
        "w * 2.0 is computed: 1.5 × 2.0 = 3.0.",
        "w * 2.0 is computed: 0.7 × 2.0 = 1.4.",
        "w * 2.0 is computed: 0.54 × 2.0 = 1.08.",
    ]


def test_an_operation_is_told_once_although_two_passes_walk_it():
    timeline = twice_over_one_graph().with_forward()
    assert told(timeline) == ["y = x · x: 3.0 × 3.0 = 9.0.", "y * 2 is computed: 9.0 × 2 = 18.0."]
    second = [event for event in timeline if isinstance(event, ForwardBegan)][1]
    assert "y" in {timeline.graph.tensor(id).name for id in second.there}


def test_operations_that_never_go_backward_are_not_told():
    x = leaf(3.0)
    with graphlab.record(forward=True) as timeline:
        _ = x.exp()
        (x * 2).backward()
    assert len(told(timeline)) == 1


def test_record_begins_each_pass_with_its_forward_part_on_request():
    x = leaf(3.0)
    with graphlab.record(forward=True) as timeline:
        (x * x).backward()
    assert isinstance(timeline[0], ForwardBegan)
    assert not timeline.with_forward(False).walks_forward
    first = timeline.passes[0].first
    assert timeline.pass_at(0) == first == 0


def test_the_passes_of_a_recording_begin_with_their_forward_parts():
    timeline = loop().with_forward()
    starts = [timeline[one.first].kind for one in timeline.passes]
    assert starts[1:] == ["ForwardBegan", "ForwardBegan"]
    base = timeline.with_forward(False)
    assert [base[one.first].kind for one in base.passes][1:] == ["PassBegan", "PassBegan"]


@pytest.mark.parametrize("wrong", [1, 0, "yes", None])
def test_forward_is_true_or_false(wrong):
    with pytest.raises(TypeError, match="forward must be True or False, got"):
        graphlab.trace(leaf(2.0) * 2, forward=wrong)
    if wrong is not None:  # which is step's default
        with pytest.raises(TypeError, match="forward must be True or False, got"):
            graphlab.step(leaf(2.0) * 2, forward=wrong)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: d.update(forward=3), "forward is 3"),
        (lambda d: d["forward"][0].update(before=-1), r"forward\[0\].before is -1"),
        (lambda d: d["forward"][0].update(events=None), r"forward\[0\] is"),
        (lambda d: d["forward"].append(d["forward"][0]), r"forward\[1\].before is 0"),
        (lambda d: d["forward"][0]["events"].pop(), "the events of a forward pass"),
        (lambda d: d["forward"][0]["events"][1].update(node="n99"), r"events\[1\].node is 'n99'"),
        (lambda d: d.update(walks_forward="x"), "walks_forward"),
    ],
)
def test_a_damaged_forward_part_is_refused_with_a_sentence(change, said):
    document = lesson().to_json()
    change(document)
    with pytest.raises(TraceError, match=said):
        Timeline.from_json(document)


def test_a_forward_part_beyond_the_events_is_left_out():
    document = lesson().to_json()
    document["forward"][0]["before"] = 10_000
    assert Timeline.from_json(document).forward == ()


def test_the_fixture_that_the_player_walks_is_the_committed_one():
    made = subprocess.run(
        [sys.executable, "-m", "tests.adapters.forward"], cwd=ROOT, capture_output=True, check=True
    )
    assert made.stdout.decode() == FIXTURE.read_text(encoding="utf-8"), (
        "run python -m tests.adapters.forward --update, and look at what changes"
    )


def text(spans):
    return "".join(span if isinstance(span, str) else span[1] for span in spans)


def sentences(timeline):
    return [event.sentence for event in timeline.with_forward()]


def test_a_view_is_told_as_the_index_that_makes_it():
    x = graphlab.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
    a, b, c = x[0], x[:, 1:], x[:, ::2]
    found = sentences(graphlab.trace(a.sum() + b.sum() + c.sum() + x[1, 2]))
    assert "a = x[0]: [1.0, 2.0, 3.0]." in found
    assert "b = x[:, 1:]. It is [[2.0, 3.0], [5.0, 6.0]]." in found
    assert "c = x[:, ::2]. It is [[1.0, 3.0], [4.0, 6.0]]." in found


def test_a_change_of_a_part_is_told_with_the_variable_that_holds_the_tensor():
    w = graphlab.tensor([1.0, 2.0], requires_grad=True)
    with graphlab.record() as timeline:
        v = w * 3
        v[0] = 5
        v[1].mul_(2)
        v.sum().backward()
    assert str(timeline[0]) == "v is changed in place: [3.0, 6.0] → [5.0, 6.0], version 1."
    found = sentences(timeline)
    assert "earlier v = w * 3 with a part set to 5.0: [5.0, 6.0]." in found
    assert "v = earlier v with a part changed: [5.0, 12.0]." in found


def test_the_result_of_a_change_in_place_is_known():
    x = graphlab.tensor([1.0, 2.0], requires_grad=True)
    q = x * 3
    q *= 2
    assert "q = (x * 3) · 2: [3.0, 6.0] × 2 = [6.0, 12.0]." in sentences(graphlab.trace(q.sum()))
    with graphlab.no_grad():
        q.mul_(2)
    assert "q = (x * 3) · 2: a value that was changed since." in sentences(graphlab.trace(q.sum()))


def test_a_cube_is_told_as_one():
    x = graphlab.tensor(2.0, requires_grad=True)
    y = x**3
    assert "y = x³: 2.0³ = 8.0." in sentences(graphlab.trace(y))


def test_what_a_node_saves_is_told_as_it_was_then():
    w = graphlab.tensor([1.0, 2.0], requires_grad=True)
    with graphlab.record(expect=RuntimeError) as timeline:
        a = w * 2
        b = (a * a).sum()
        a += 1
        b.backward()
    found = [line for line in sentences(timeline) if "saves self" in line]
    assert [line.partition(",")[0] for line in found] == ["MulBackward0 saves self = [2.0"]


def test_each_pass_begins_with_the_values_that_the_leaves_have_then():
    w = graphlab.tensor(1.0, requires_grad=True)
    with graphlab.record() as timeline:
        for _ in range(2):
            (w * 2).backward()
            with graphlab.no_grad():
                w -= 0.5 * w.grad
    began = [e for e in timeline.with_forward() if e.kind == "ForwardBegan"]
    assert [text(event.equation.numbers) for event in began] == ["w 1.0", "w 0.0"]


def test_what_a_checkpoint_computes_again_is_not_told_as_an_object():
    x = graphlab.tensor([1.0, 2.0], requires_grad=True)
    y = graphlab.utils.checkpoint.checkpoint(graphlab.sin, x, use_reentrant=False)
    saved = [line for line in sentences(graphlab.trace(y.sum())) if "SinBackward0 saves" in line]
    assert saved == [
        "SinBackward0 saves self = nothing yet (checkpoint), because the rule for x needs it."
    ]
