"""No code of unrelated objects runs while a graph is drawn, walked, traced or recorded.

Read next: tests/test_panel.py
"""

from __future__ import annotations

from typing import Any

import pytest

import graphlab as torch
from graphlab.faces import panel

ran: list[str] = []  # what was run of the objects below


def spy(name: str) -> Any:
    """A method that says that it was run, and fails."""

    def method(*args: Any, **options: Any) -> Any:
        ran.append(name)
        raise RuntimeError(f"{name} was run")

    return method


class Meta(type):
    __hash__, __eq__ = spy("hash of a class"), spy("eq of a class")
    __instancecheck__, __subclasscheck__ = spy("instance check"), spy("subclass check")


class WithMeta(metaclass=Meta):
    pass


ASKED = ("__getattribute__", "__hash__", "__eq__", "__len__", "__iter__", "__bool__", "__repr__")
METHODS = {name: spy(name) for name in ASKED}
Opaque = type("Opaque", (), METHODS | {"__class__": property(spy("__class__"))})


class Fields(dict):
    items = keys = values = __iter__ = __getitem__ = __len__ = spy("a dict's method")  # type: ignore


class Row(list):
    __iter__ = __getitem__ = __len__ = spy("a list's method")  # type: ignore


class Lying:
    __dict__ = property(spy("__dict__"))  # type: ignore[assignment]


class Net(torch.nn.Module):
    named_modules = parameters = __hash__ = __eq__ = spy("a module's method")  # type: ignore
    __getattr__ = spy("a module's __getattr__")  # type: ignore


class HalfNet(torch.nn.Module):
    def __init__(self) -> None:  # the usual mistake: super().__init__() is not called
        pass


class HalfTensor(torch.Tensor):
    def __new__(cls) -> Any:
        return object.__new__(cls)

    def __init__(self) -> None:
        pass


class Marked(torch.Tensor):
    __slots__ = ()
    __hash__, __eq__ = spy("hash of a tensor"), spy("eq of a tensor")


@pytest.fixture
def held() -> dict[str, Any]:
    """A namespace full of such objects, beside y = x * x."""
    x = torch.tensor(2.0, requires_grad=True)
    net = Net()
    net.lin = torch.nn.Linear(2, 1)
    marked = torch.ones(2)
    marked.__class__ = Marked
    found = {
        "opaque": Opaque(), "with_meta": WithMeta(), "kind": WithMeta, "fields": Fields(a=x),
        "row": Row([x]), "lying": Lying(), "net": net, "half_net": HalfNet(),
        "half": HalfTensor(), "marked": marked,
        "nested": [Opaque(), {"half": HalfTensor()}, net], "x": x, "y": x * x,
    }  # fmt: skip
    ran.clear()
    return found


def test_the_panel_runs_nothing(held):
    assert panel.look(held).data["rows"]
    assert panel.draw("y", namespace=held).data["document"]
    assert panel.walk("y", namespace=held).data["document"]
    assert ran == []


@pytest.mark.parametrize("face", ["draw", "trace", "step", "check", "formula"])
def test_a_face_runs_nothing(face, held):
    globals().update(held)
    try:
        getattr(torch, face)(held["y"])
    finally:
        for name in held:
            del globals()[name]
    assert ran == []


def test_a_recording_runs_nothing(held):
    globals().update(held)
    try:
        with torch.record() as timeline:
            (held["x"] * 3).backward()
    finally:
        for name in held:
            del globals()[name]
    assert len(timeline.events) > 2
    assert ran == []


def test_a_module_that_is_half_made_has_no_names(held):
    names = panel.names_of({"half_net": held["half_net"], "half": held["half"]})
    assert (names.of_leaf, names.made_by) == ({}, {})
