"""The table of tensors in the side panel: read, and nothing of the user's is run."""

from __future__ import annotations

import json
from collections import OrderedDict, defaultdict, namedtuple
from typing import Any, NoReturn

import pytest

import graphlab
from graphlab.adapters.namespace import MOST_ITEMS
from graphlab.adapters.native.inspector import MOST_ROWS, table
from graphlab.tensor.tensor import own_node


def rows(namespace: dict[str, Any]) -> dict[str, dict[str, Any]]:
    answer = table(namespace, graphlab)
    assert json.loads(json.dumps(answer)) == answer
    return {row["name"]: row for row in answer["rows"]}


def leaf(value: Any = 2.0) -> graphlab.Tensor:
    return graphlab.tensor(value, requires_grad=True)


def test_a_row_says_what_the_tensor_would_say() -> None:
    a, k = leaf([1.0, 2.0]), graphlab.tensor([[1, 2]])
    e = (a * a).sum()
    e.backward()
    found = rows({"a": a, "e": e, "k": k})
    for name, tensor in {"a": a, "e": e, "k": k}.items():
        row = found[name]
        assert row["shape"] == list(tensor.shape)
        assert f"torch.{row['dtype']}" == str(tensor.dtype)
        assert row["is_leaf"] == tensor.is_leaf
        assert row["requires_grad"] == tensor.requires_grad
        assert row["version"] == tensor._version
    assert (found["a"]["grad_fn"], found["a"]["grad"]) == (None, "[2.0, 4.0]")
    assert (found["e"]["grad_fn"], found["e"]["grad"]) == ("SumBackward0", None)
    assert (found["e"]["value"], found["k"]["dtype"]) == ("5.0", "int64")


class Hostile:
    """Whatever is asked of it, it fails."""

    touched: list[str] = []  # noqa: RUF012 - shared on purpose

    def __getattribute__(self, name: str) -> NoReturn:
        Hostile.touched.append(name)
        raise RuntimeError("the panel ran code of the user's")

    def __repr__(self) -> str:
        Hostile.touched.append("repr")
        raise RuntimeError("the panel ran code of the user's")

    __str__ = __len__ = __iter__ = __eq__ = __hash__ = __bool__ = __repr__  # type: ignore[assignment]


class HostileList(list):
    def __iter__(self) -> NoReturn:
        raise RuntimeError("the panel ran code of the user's")

    __len__ = __getitem__ = __repr__ = __iter__  # type: ignore[assignment]


class HostileDict(dict):
    def items(self) -> NoReturn:
        raise RuntimeError("the panel ran code of the user's")

    __iter__ = __len__ = __getitem__ = __repr__ = keys = items  # type: ignore[assignment]


def test_nothing_of_a_foreign_object_is_run() -> None:
    a = leaf()
    namespace = {
        "thing": Hostile(),
        "listed": HostileList([a, Hostile()]),
        "named": HostileDict(w=a, h=Hostile()),
        "in_a_list": [Hostile(), a],
        "keyed": {3.5: a, "k": a},
        "type_itself": Hostile,
    }
    assert set(rows(namespace)) == {"listed[0]", "named['w']", "in_a_list[1]", "keyed['k']"}
    assert Hostile.touched == []


def test_a_tensors_own_properties_are_not_run() -> None:
    class Loud(graphlab.Tensor):
        @property
        def shape(self) -> NoReturn:  # type: ignore[override]
            raise RuntimeError("the panel ran code of the user's")

        grad = dtype = requires_grad = grad_fn = is_leaf = shape  # type: ignore[assignment]

    loud = object.__new__(Loud)
    for slot, value in {"_data": leaf()._data, "_needs": True}.items():
        setattr(loud, slot, value)
    for slot in ("_node", "_grad", "_more"):
        setattr(loud, slot, None)
    assert rows({"loud": loud})["loud"]["value"] == "2.0"


def test_a_tensor_that_was_never_finished_is_left_out() -> None:
    assert list(rows({"torso": object.__new__(graphlab.Tensor), "a": leaf()})) == ["a"]


def test_looking_at_a_non_leaf_warns_of_nothing_and_gives_a_view_no_new_history() -> None:
    c = leaf([1.0, 2.0]) * 1
    view, other = c[0], c[1]
    other.mul_(10)
    before = own_node.__get__(view)
    row = rows({"view": view})["view"]
    assert row["grad_fn"] == "AsStridedBackward0"
    assert own_node.__get__(view) is before
    assert view.grad_fn is not None
    assert view.grad_fn.name() == row["grad_fn"]


def test_a_view_that_may_not_be_changed_is_shown_as_print_shows_it() -> None:
    c = leaf([1.0, 2.0]) * 1
    first, second = c.unbind()
    c.mul_(2)
    assert "grad_fn=<Invalid>" in repr(first)
    assert rows({"first": first})["first"]["grad_fn"] == "Invalid"
    assert second is not None


def test_containers_and_models_are_looked_into() -> None:
    class Net(graphlab.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.fc = graphlab.nn.Linear(2, 1)
            self.body = graphlab.nn.Sequential(graphlab.nn.BatchNorm1d(2))

        def __getattr__(self, name: str) -> Any:
            raise RuntimeError("the panel ran code of the user's")

    Pair = namedtuple("Pair", "x y")
    namespace = {
        "net": Net.__new__(Net),
        "model": graphlab.nn.Sequential(graphlab.nn.Linear(2, 1), graphlab.nn.BatchNorm1d(1)),
        "params": OrderedDict(w=leaf()),
        "counts": defaultdict(list, {0: leaf()}),
        "pair": Pair(leaf(), 3),
        "layers": [graphlab.nn.Linear(1, 1, bias=False)],
    }
    found = rows(namespace)
    assert found["model.0.weight"]["code"] == "model.get_parameter('0.weight')"
    assert found["model.1.running_mean"]["code"] == "model.get_buffer('1.running_mean')"
    assert {"params['w']", "counts[0]", "pair[0]", "layers[0].weight"} <= set(found)
    for row in found.values():
        assert isinstance(eval(row["code"], namespace), graphlab.Tensor), row["code"]


def test_a_module_whose_init_never_ran_is_no_obstacle() -> None:
    assert list(rows({"net": object.__new__(graphlab.nn.Linear), "a": leaf()})) == ["a"]


def test_names_of_the_notebooks_own_are_left_out() -> None:
    a = leaf()
    assert list(rows({"_": a, "_3": a, "Out": {3: a}, "In": [a], 5: a, "a": a})) == ["a"]  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("namespace", "module"),
    [
        ({"torch": graphlab}, "torch"),
        ({"np": json, "gl": graphlab, "graphlab": graphlab}, "gl"),
        ({"_hidden": graphlab}, None),
        ({}, None),
    ],
)
def test_it_knows_under_which_name_graphlab_was_imported(
    namespace: dict[str, Any], module: str | None
) -> None:
    assert table(namespace, graphlab)["module"] == module


def test_the_last_result_is_the_tensor_that_was_made_last() -> None:
    a = leaf()
    e = a * a
    assert table({"a": a}, graphlab)["last"] is None
    assert table({"e": e, "a": a}, graphlab)["last"] == "e"
    assert table({"e": e, "_": e}, graphlab)["last"] == "e"
    assert table({"e": e, "_": e * 2}, graphlab)["last"] == "_"


def test_a_crowd_is_counted_not_shown() -> None:
    a = leaf()
    crowd = {f"a{i}": a for i in range(MOST_ROWS + 5)}
    answer = table(crowd, graphlab)
    assert (len(answer["rows"]), answer["unseen"]) == (MOST_ROWS, 5)
    for many in ([a] * (MOST_ITEMS + 5), dict.fromkeys(range(MOST_ITEMS + 5), a)):
        answer = table({"many": many}, graphlab)
        assert (len(answer["rows"]), answer["unseen"]) == (MOST_ITEMS, 5)


def test_a_tensor_that_changed_is_told_from_the_one_before() -> None:
    a = graphlab.tensor(1.0)
    before = rows({"a": a})["a"]["mark"]
    assert rows({"a": a})["a"]["mark"] == before
    a.add_(1)
    assert rows({"a": a})["a"]["mark"] != before
