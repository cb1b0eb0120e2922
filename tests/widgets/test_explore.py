"""The explorer: sliders for the values of a function, which runs anew at each change."""

from __future__ import annotations

import gc
import json
import sys
from typing import Any

import numpy as np
import pytest
from IPython.core.formatters import DisplayFormatter
from ipywidgets import Checkbox, FloatSlider, IntSlider
from traitlets import TraitError

import graphlab as torch
from graphlab.faces.widgets.explorer import Explorer
from graphlab.graph.codec import encode
from graphlab.graph.compression import decompressed
from graphlab.graph.timeline import Timeline


def branch(a: Any, b: Any) -> Any:
    u = a * b
    if a > 0:
        y = torch.log(a) + u
    else:
        y = -u
    return y * b


def loop(a: Any, n: int) -> Any:
    y = a
    for _ in range(n):
        y = torch.tanh(y * a)
    return y


def sliders(explorer: Explorer, name: str) -> list[Any]:
    return [
        one
        for one in explorer.children[0].children
        if one.description == name or one.description.startswith(f"{name}[")
    ]


def names_of(timeline: Timeline) -> set[str]:
    return {tensor.name for tensor in timeline.graph.tensors if tensor.name}


def places(timeline: Timeline, view: int = 0) -> dict[str, tuple[float, float]]:
    """The middle of each operation, by its name and line."""
    found = {}
    for group in timeline.scenes[view].groups:
        if group.kind == "op" and timeline.graph.has("node", group.id):
            node = timeline.graph.node(group.id)
            line = node.source.line if node.source else 0
            mark = group.marks[0]
            found[f"{node.name} {line} {node.symbol}"] = (mark.x + mark.w / 2, mark.y)
    return found


# -- values -----------------------------------------------------------------------------------


def test_it_shows_the_first_values_their_result_and_their_walk() -> None:
    explorer = torch.explore(branch, a=2.0, b=3.0)
    assert dict(explorer.values) == {"a": 2.0, "b": 3.0}
    assert explorer.result.item() == pytest.approx((np.log(2) + 6) * 3, rel=1e-6)  # float32
    assert explorer.timeline[-1].kind == "Finished"
    assert explorer.problem == ""
    assert repr(explorer) == "<Explorer of branch: a = 2.0, b = 3.0; result 20.079>"


def test_the_variables_inside_the_function_name_its_tensors_with_their_lines() -> None:
    explorer = torch.explore(branch, a=2.0, b=3.0)
    assert {"a", "b", "u", "y"} <= names_of(explorer.timeline)
    lines = {node.source.line for node in explorer.timeline.graph.nodes if node.source}
    first = branch.__code__.co_firstlineno
    assert lines == {first + 1, first + 3, first + 6}
    assert "passes" in " ".join(event.sentence for event in explorer.timeline)


def test_setting_some_values_leaves_the_others_and_the_result_is_there_when_observed() -> None:
    explorer = torch.explore(branch, a=2.0, b=3.0)
    seen: list[tuple[dict[str, Any], float]] = []
    explorer.observe(lambda change: seen.append((change["new"], explorer.result.item())), "values")
    explorer.values = {"a": -1.0}
    assert seen == [({"a": -1.0, "b": 3.0}, 9.0)]
    assert sliders(explorer, "a")[0].value == -1.0


def test_a_slider_that_is_moved_sets_its_value() -> None:
    explorer = torch.explore(branch, a=2.0, b=3.0)
    sliders(explorer, "b")[0].value = 1.0
    assert explorer.values["b"] == 1.0
    assert explorer.result.item() == pytest.approx(np.log(2) + 2, rel=1e-6)  # float32


def test_values_that_are_set_together_run_the_function_once() -> None:
    runs: list[float] = []

    def f(a: Any, b: Any) -> Any:
        runs.append(a.item())
        return a * b

    explorer = torch.explore(f, a=2.0, b=3.0)
    explorer.values = {"a": 4.0, "b": 5.0}
    explorer.values = {"a": 4.0}  # nothing changes
    assert runs == [2.0, 4.0]
    with explorer.hold_trait_notifications():  # the latest wins
        explorer.values = {"b": 7.0}
        for k in range(1000):
            explorer.values = {"a": float(k)}
    assert runs == [2.0, 4.0, 999.0]
    assert explorer.result.item() == 999 * 7


def test_a_value_outside_of_its_range_widens_the_slider() -> None:
    explorer = torch.explore(branch, a=(2.0, -1, 4), b=3.0)
    (slider,) = sliders(explorer, "a")
    assert (slider.min, slider.max, slider.step) == (-1, 4, 0.05)
    explorer.values = {"a": 100.0}
    assert (slider.min, slider.max, slider.value) == (-1, 100, 100)


def test_a_slider_that_answers_with_its_next_step_changes_no_value() -> None:
    runs: list[float] = []

    def f(a: Any) -> Any:
        runs.append(a.item())
        return a * a

    explorer = torch.explore(f, a=(2.0, -5, 5))
    (slider,) = sliders(explorer, "a")
    explorer.values = {"a": 2.337}
    slider.value = 2.3000000000000007  # the page, which knows steps of 0.1
    assert (explorer.values["a"], len(runs)) == (2.337, 2)
    explorer.values = {"a": 1.4}
    explorer.values = {"a": 1.2}
    slider.value = 1.4000000000000004  # it answers late
    assert (explorer.values["a"], len(runs)) == (1.2, 4)
    assert slider.value == 1.2  # and is not left at the older value
    assert slider.step == 0.1
    slider.value = 1.3  # a person
    slider.value = 1.2
    slider.value = 1.4
    assert (explorer.values["a"], len(runs)) == (1.4, 7)


def test_each_kind_of_value_has_its_control() -> None:
    def f(a: Any, n: int, negate: bool, w: Any) -> Any:
        y = a * w.sum()
        for _ in range(n):
            y = y + a
        return -y if negate else y

    explorer = torch.explore(f, a=2.0, n=3, negate=False, w=[1.0, 2.0])
    kinds = {one.description: type(one) for one in explorer.children[0].children}
    assert kinds == {
        "a": FloatSlider,
        "n": IntSlider,
        "negate": Checkbox,
        "w[0]": FloatSlider,
        "w[1]": FloatSlider,
    }
    leaves = {tensor.name for tensor in explorer.timeline.graph.tensors if tensor.requires_grad}
    assert {"a", "w"} <= leaves
    assert "n" not in names_of(explorer.timeline)
    sliders(explorer, "w")[1].value = 5.0
    assert explorer.values["w"].tolist() == [1.0, 5.0]
    sliders(explorer, "negate")[0].value = True
    assert explorer.result.item() == -(2 * 6 + 3 * 2)


def test_an_array_of_many_entries_has_no_sliders_and_a_constant_stays_one() -> None:
    x = torch.ones(2, 5)
    explorer = torch.explore(lambda w, x: (w * x).sum(), w=np.ones((2, 5)), x=x)
    assert explorer.children[0].children == ()
    by_name = {tensor.name: tensor for tensor in explorer.timeline.graph.tensors}
    assert (by_name["w"].requires_grad, by_name["x"].requires_grad) == (True, False)
    explorer.values = {"w": 2.0}  # one number for all entries
    assert explorer.result.item() == 20.0


def test_the_tensors_that_are_given_are_never_changed() -> None:
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    explorer = torch.explore(lambda w: (w * w).sum(), w=w)
    explorer.values = {"w": [5.0, 6.0]}
    explorer.result.backward()
    assert (w.tolist(), w.grad) == ([1.0, 2.0], None)


def test_a_result_of_several_entries_starts_with_the_gradient_that_is_given() -> None:
    explorer = torch.explore(lambda w: w * 2, gradient=torch.tensor([1.0, 10.0]), w=[1.0, 2.0])
    leaf = next(tensor for tensor in explorer.timeline.graph.tensors if tensor.name == "w")
    assert explorer.timeline.state_at(-1)["leaves"][leaf.id]["after"]["text"] == "[2.0, 20.0]"


def test_random_numbers_are_the_same_at_each_run_and_the_users_stay() -> None:
    def f(a: Any) -> Any:
        return a * torch.rand(1).sum()

    torch.manual_seed(1)
    expected = torch.rand(1).item()
    torch.manual_seed(1)
    explorer = torch.explore(f, a=1.0)
    first = explorer.result.item()
    explorer.values = {"a": 2.0}
    assert explorer.result.item() == 2 * first
    assert torch.rand(1).item() == expected


# -- graphs that change their shape -------------------------------------------------------------


def test_another_branch_is_another_graph_and_what_came_and_went_is_told() -> None:
    explorer = torch.explore(branch, a=2.0, b=3.0)
    line = branch.__code__.co_firstlineno
    explorer.values = {"a": -1.0}
    assert explorer.player.note == {
        "label": "new graph",
        "text": f"LogBackward0 of line {line + 3} and AddBackward0 of line {line + 3} are gone; "
        f"NegBackward0 of line {line + 5} is new.",
    }
    graph = explorer.timeline.graph
    came = {graph.node(id).name for id in explorer.player.told["came"] if graph.has("node", id)}
    assert came == {"NegBackward0"}
    explorer.values = {"a": -2.0}
    assert explorer.player.note["text"] == ""
    assert explorer.player.told["came"] == []


def test_a_loop_that_runs_more_often_adds_its_rounds() -> None:
    explorer = torch.explore(loop, a=0.5, n=2)
    line = loop.__code__.co_firstlineno + 3
    explorer.values = {"n": 4}
    assert explorer.player.note["text"] == (
        f"2 × MulBackward0 of line {line} and 2 × TanhBackward0 of line {line} are new."
    )


def test_while_only_values_change_nothing_moves() -> None:
    explorer = torch.explore(branch, a=2.0, b=3.0)
    before = explorer.timeline.scenes
    for a in (0.5, 3.25, 1e-3, 123.5):
        explorer.values = {"a": a}
    wide = explorer.timeline.scenes  # the numbers are long now, and keep their room
    for a in (0.5, 3.25, 1e-3, 123.5):
        explorer.values = {"a": a}
        for scene, known in zip(explorer.timeline.scenes, wide, strict=True):
            assert [
                (
                    group.id,
                    [(mark.x, mark.y, mark.w, mark.d) for mark in group.marks if mark.a != "end"],
                )
                for group in scene.groups
            ] == [
                (
                    group.id,
                    [(mark.x, mark.y, mark.w, mark.d) for mark in group.marks if mark.a != "end"],
                )
                for group in known.groups
            ]
    assert [scene.view for scene in before] == [scene.view for scene in wide]


def shown_in_the_page(player: Any) -> Any:
    """The scenes as the page has them: those that were sent apart, with the texts of the trace."""
    document = json.loads(decompressed(player.trace["gzip"]))
    if not player.drawing:
        return document["scenes"]
    scenes = json.loads(decompressed(player.drawing["gzip"]))
    assert document["scenes"] == []
    for scene, changed in zip(scenes, document["texts"], strict=True):
        for at, title, *texts in changed:
            group, told = scene["groups"][at], iter(texts)
            group["title"] = title
            for mark in group["marks"]:
                if mark["m"] == "text":
                    mark["t"] = next(told)
            assert not list(told)
    return scenes


def plain(scenes: Any) -> Any:
    """Scenes as JSON; an empty text may be left out or not."""
    found = json.loads(json.dumps(encode(scenes)))
    for mark in (mark for one in found for group in one["groups"] for mark in group["marks"]):
        mark.setdefault("t", "")
    return found


@pytest.mark.parametrize("make", [branch, lambda a, b: (a * torch.ones(3)).sum() * b - 2.5 * a])
def test_drawings_travel_once_while_only_their_texts_change(make: Any) -> None:
    explorer = torch.explore(make, a=2.0, b=3.0)
    sent: list[Any] = []
    for a in (2.5, 2.25, -1.0, -2.0, 2.0, 1e-30, 3.0, 3.0, -3.0, 2.5, 2.75, 0.5):
        explorer.values = {"a": a}
        player = explorer.player
        assert plain(shown_in_the_page(player)) == plain(explorer.timeline.scenes)
        if not sent or player.drawing is not sent[-1]:
            sent.append(player.drawing)
    assert len(sent) < 10
    assert player.drawing is sent[-1]


def test_drawings_of_a_large_graph_travel_with_it() -> None:
    explorer = torch.explore(loop, a=0.5, n=1)
    for n in (2, 200, 3):
        explorer.values = {"n": n}
        assert bool(explorer.player.drawing) == (n < 100)
        assert plain(shown_in_the_page(explorer.player)) == plain(explorer.timeline.scenes)


def test_what_comes_back_finds_its_place_and_what_stays_keeps_it() -> None:
    explorer = torch.explore(branch, a=2.0, b=3.0)
    explorer.values = {"a": -1.0}  # now both branches are known
    for view in (0, 1):
        other = places(explorer.timeline, view)
        explorer.values = {"a": 2.0}
        one = places(explorer.timeline, view)
        both = one.keys() & other.keys()
        assert len(both) >= 2
        assert {name: one[name] for name in both} == {name: other[name] for name in both}
        explorer.values = {"a": -2.0}
        assert places(explorer.timeline, view) == other


def test_the_step_follows_what_it_tells_to_another_graph() -> None:
    explorer = torch.explore(branch, a=2.0, b=3.0)
    told = [
        k
        for k, event in enumerate(explorer.timeline)
        if event.kind == "NodeEntered" and explorer.timeline.graph.node(event.node).symbol == "×"
    ]
    explorer.player.step = told[-1]  # u = a * b, which both graphs have
    explorer.player.breakpoints = [explorer.timeline[told[-1]].node, "LogBackward0"]
    explorer.values = {"a": -1.0}
    event = explorer.timeline[explorer.player.step]
    line = explorer.timeline.graph.node(event.node).source.line
    assert (event.kind, line) == ("NodeEntered", branch.__code__.co_firstlineno + 1)
    assert explorer.player.breakpoints == [event.node]
    assert explorer.player.told["step"] == explorer.player.step


def test_a_step_is_kept_while_only_values_change() -> None:
    explorer = torch.explore(branch, a=2.0, b=3.0)
    explorer.player.step = 17
    explorer.values = {"a": 3.0}
    assert (explorer.player.step, explorer.player.told["step"]) == (17, None)


# -- what goes wrong ----------------------------------------------------------------------------


def test_an_error_is_told_with_its_line_and_the_last_right_picture_stays() -> None:
    def f(a: Any) -> Any:
        if a.item() == 3:
            raise ValueError("no <b>three</b>")
        return a * a

    explorer = torch.explore(f, a=2.0)
    right = explorer.timeline
    explorer.values = {"a": 3.0}
    line = f.__code__.co_firstlineno + 2
    assert explorer.problem.startswith(
        f"f stopped in test_explore.py, line {line}, `raise ValueError"
    )
    without = torch.explore(f, a=3.0)  # its name keeps its small letter
    assert without.player.timeline.title == f"there is no picture: {without.problem}"
    assert explorer.problem.endswith("ValueError: no <b>three</b>.")
    assert explorer.player.note["text"].endswith("The picture shows a = 2.0.")
    assert explorer.timeline is right
    assert explorer.player.timeline is right
    assert "f stopped" in repr(explorer)
    explorer.values = {"a": 4.0}
    assert (explorer.problem, explorer.player.note["text"]) == ("", "")
    assert explorer.result.item() == 16.0


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda a: None, "returned None: end it with return"),
        (lambda a: 3.0, "returned float 3.0, which is not a tensor"),
        (lambda a: [a], "return one tensor, such as the sum of them"),
        (lambda a: a.detach(), "returned a tensor without a graph"),
        (
            lambda a: a * torch.ones(3),
            r"of shape \[3\], but a backward pass starts at one number",
        ),
        (lambda a: 1 / 0, "ZeroDivisionError"),
    ],
)
def test_a_function_that_never_worked_says_why_and_lives_on(function: Any, said: str) -> None:
    explorer = torch.explore(function, a=2.0)
    assert explorer.timeline is None
    import re

    assert re.search(said, explorer.problem)
    explorer.values = {"a": 3.0}
    assert re.search(said, explorer.problem)
    assert re.search(said, repr(explorer))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"x": torch.ones(2)}, "Create x with requires_grad=True."),
        ({"x": torch.ones(2), "a": torch.ones(1)}, "Create x and a with requires_grad=True."),
        (
            {"x": 2},
            "Integers and True or False are not leaves; .item(), detach() and no_grad() cut the "
            "graph.",
        ),
    ],
)
def test_a_result_without_a_graph_names_the_causes_that_are_possible(given: Any, said: str) -> None:
    explorer = torch.explore(lambda x, a=1: torch.as_tensor(x).sum(), **given)
    assert explorer.problem.partition(" to it. ")[2] == said


def test_a_function_that_runs_its_own_backward_pass_is_told_of() -> None:
    def f(a: Any) -> Any:
        e = a * a
        e.backward()
        return e

    explorer = torch.explore(f, a=2.0)
    assert explorer.problem.startswith("the backward pass of f stopped: ")


def test_what_the_function_prints_is_shown_and_goes_with_the_next_run(capsys: Any) -> None:
    def f(a: Any) -> Any:
        if a > 0:
            print("<b>a</b> is", a.item())
        return a * a

    explorer = torch.explore(f, a=2.0)
    assert explorer.output.outputs[0]["text"] == "<b>a</b> is 2.0\n"
    explorer.values = {"a": -2.0}
    assert explorer.output.outputs == ()
    assert capsys.readouterr().out == ""


def test_a_flood_of_prints_keeps_its_end() -> None:
    def f(a: Any) -> Any:
        for k in range(10_000):
            print(k)
        return a * a

    text = torch.explore(f, a=2.0).output.outputs[0]["text"]
    assert len(text) < 21_000
    assert text.startswith("… ")
    assert text.endswith("9999\n")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"z": 1.0}, r"there is no value 'z' to explore \(must be one of \['a', 'n'\]\)"),
        ({"a": "x"}, "a takes a number, got str 'x'"),
        ({"a": float("nan")}, "expected a finite number up to 1e.300, got float nan"),
        ({"a": 10**400}, "expected a finite number up to 1e.300, got int 1000"),
        ({"n": -(10**400)}, "expected a finite number up to 1e.300, got int -1000"),
        ({"n": 10**5000}, "expected a finite number up to 1e.300, got int …"),
        ({"a": (1.0, 0, 2)}, "a takes a number, got tuple"),
        ({"n": 2.5}, "n takes an integer, got float 2.5"),
        ({"n": True}, "n takes an integer, got bool True"),
    ],
)
def test_values_that_do_not_fit_are_refused_and_the_old_ones_stay(
    values: dict[str, Any], said: str
) -> None:
    explorer = torch.explore(loop, a=0.5, n=1)
    with pytest.raises(TraitError, match=said):
        explorer.values = values
    assert dict(explorer.values) == {"a": 0.5, "n": 1}
    with pytest.raises(TypeError, match="set the values together"):
        explorer.values["a"] = 3.0


def test_the_defaults_of_a_function_are_the_first_values_where_none_are_given():
    def scaled(
        a: Any = 2.0, b: Any = (3.0, 0, 5), n: int = 2, *, name: str = "", weight: Any = None
    ):
        return a * b * n

    explorer = torch.explore(scaled)
    assert dict(explorer.values) == {"a": 2.0, "b": 3.0, "n": 2}
    assert sliders(explorer, "b")[0].max == 5.0
    assert explorer.result.item() == 12.0
    assert set(torch.explore(scaled, b=1.0).values) == {"b"}


def test_a_default_that_cannot_vary_stays_as_it_is():
    def pooled(
        a: Any = 2.0,
        *,
        kernel_size: Any = (3, 3),
        dims: Any = (1, 0),
        mean: Any = (0.5, 0.4, 0.3),
        limit: float = float("inf"),
        kinds: Any = ("max", "mean"),
        found: Any = [],  # noqa: B006  # which a program may have
    ):
        x = (a * torch.ones(1, 3, 3)).permute(0, *(1 + d for d in dims))
        return torch.nn.functional.avg_pool2d(x, kernel_size).sum() * mean[0]

    explorer = torch.explore(pooled)
    assert dict(explorer.values) == {"a": 2.0}
    assert explorer.result.item() == 1.0
    assert torch.explore(pooled, kernel_size=(3.0, 1, 5)).values == {"kernel_size": 3.0}


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: torch.explore(3, a=1.0), TypeError, "expects a function, got int 3"),
        (lambda: torch.explore(torch.tensor(1.0), a=1.0), TypeError, "not its result"),
        (lambda: torch.explore(branch), TypeError, "at least one value"),
        (lambda: torch.explore(branch, a=1.0), TypeError, "missing a required argument: 'b'"),
        (lambda: torch.explore(branch, a=1.0, b="x"), TypeError, "b: got str 'x'"),
        (lambda: torch.explore(loop, a=1.0, n=None), TypeError, "n: got None"),
        (lambda: torch.explore(loop, a=float("inf"), n=1), ValueError, "a: expected a finite"),
        (lambda: torch.explore(loop, a=1e308, n=1), ValueError, "a finite number up to 1e.300"),
        (lambda: torch.explore(loop, a=[1e308], n=1), ValueError, "a: expected finite numbers"),
        (
            lambda: torch.explore(loop, a=[2**63], n=1),
            TypeError,
            "a: got list .9223372036854775808",
        ),
        (lambda: torch.explore(loop, a=(1.0, 2, 3), n=1), ValueError, "low <= value <= high"),
        (lambda: torch.explore(loop, a=(1.0, 0), n=1), TypeError, "expected .value, low, high."),
        (lambda: torch.explore(loop, a=(1.0, 0, 2, -1), n=1), ValueError, "a step above 0"),
        (lambda: torch.explore(loop, a=(1, 0, 2.5), n=1), ValueError, "must be integers"),
        (lambda: torch.explore(loop, a=[[1.0], []], n=1), TypeError, "an array of numbers"),
        (lambda: torch.explore(loop, a=np.array([]), n=1), TypeError, "not empty"),
        (lambda: torch.explore(loop, a=[], n=1), TypeError, r"got list \[\]; expected an array"),
        (lambda: torch.explore(loop, gradient=3.0, a=1.0, n=1), TypeError, "gradient: expected"),
    ],
)
def test_what_cannot_be_explored_is_refused(call: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        call()


# -- the picture and the sliders ------------------------------------------------------------------


def ask(explorer: Explorer, edit: Any) -> dict[str, Any]:
    """What Python answers to a change in the picture."""
    answers: list[dict[str, Any]] = []
    explorer.player.__dict__["send"] = answers.append
    explorer.player._answer(None, {"ask": 7, "edit": edit}, None)
    (answer,) = answers
    assert answer["ask"] == 7
    return answer


def test_a_value_that_is_changed_in_the_picture_moves_its_slider() -> None:
    explorer = torch.explore(branch, a=2.0, b=3.0)
    assert ask(explorer, {"a": -1.0}) == {"ask": 7, "why": ""}  # the picture comes by itself
    assert explorer.values["a"] == -1.0
    assert sliders(explorer, "a")[0].value == -1.0
    assert explorer.result.item() == 9.0


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        ({"k": 1.0}, "k is made inside branch; what can be changed here is a, b."),
        ({"a": "1e400"}, "a takes a number, got str '1e400'"),
        (5, "The change could not be read"),
    ],
)
def test_a_change_in_the_picture_that_cannot_be_is_told(edit: Any, said: str) -> None:
    explorer = torch.explore(branch, a=2.0, b=3.0)
    assert ask(explorer, edit)["why"].startswith(said)
    assert explorer.values["a"] == 2.0


def test_without_a_kernel_the_player_of_the_values_is_there() -> None:
    explorer = torch.explore(branch, a=2.0, b=3.0)
    explorer.values = {"a": -1.0}
    bundle, _ = DisplayFormatter().format(explorer)
    trace = bundle["application/vnd.graphlab.v1+json"]
    assert (
        Timeline.from_json(trace).scenes == Timeline.from_json(explorer.timeline.to_json()).scenes
    )
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert trace["gzip"] in bundle["text/html"]
    assert bundle["text/plain"] == repr(explorer)


def test_marimo_shows_the_player_alone() -> None:
    explorer = torch.explore(branch, a=2.0, b=3.0)
    assert explorer._display_() is explorer.player


# -- what watching costs --------------------------------------------------------------------------


def test_a_profiler_of_the_users_goes_on() -> None:
    calls: list[str] = []

    def profile(frame: Any, event: str, _: Any) -> None:
        calls.append(event)

    sys.setprofile(profile)
    try:
        explorer = torch.explore(branch, a=2.0, b=3.0)
        assert sys.getprofile() is profile
    finally:
        sys.setprofile(None)
    assert explorer.result is not None
    explorer.values = {"a": 3.0}
    assert sys.getprofile() is None


def test_a_module_a_partial_and_a_bound_method_are_functions_too() -> None:
    from functools import partial

    class Model:
        def run(self, a: Any) -> Any:
            inner = a * 2
            return inner * a

    net = torch.nn.Linear(1, 1)
    assert "inner" in names_of(torch.explore(Model().run, a=2.0).timeline)
    assert "u" in names_of(torch.explore(partial(branch, b=torch.tensor(2.0)), a=2.0).timeline)
    assert torch.explore(net, input=[1.0]).problem == ""


def test_recursion_names_the_variables_of_the_outermost_call() -> None:
    def power(a: Any, n: int) -> Any:
        if n == 0:
            return a
        inner = power(a, n - 1)
        result = inner * a
        return result

    explorer = torch.explore(power, a=2.0, n=3)
    assert explorer.result.item() == 16.0
    assert {"inner", "result"} <= names_of(explorer.timeline)


def test_earlier_runs_are_not_kept_alive() -> None:
    explorer = torch.explore(branch, a=2.0, b=3.0)
    import weakref

    first = weakref.ref(explorer.result)
    explorer.values = {"a": 3.0}
    gc.collect()
    assert first() is None
