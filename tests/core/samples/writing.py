"""Samples of what changes memory in place: a clone of the tensor, so that a graph is behind it.

Read next: tests/core/samples/shapes.py
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.core.samples.base import Arg, M, S, V


def part(write: Any) -> Any:
    """The call that clones its first tensor and then writes into it."""

    def call(lib: Any, x: Any, *others: Any) -> Any:
        c = x.clone()
        write(c, *others)
        return c

    return call


def seen(lib: Any, x: Any, look: Any) -> Any:
    """A view of a clone that was changed after the view was made."""
    c = x.clone()
    v = look(c)
    c.mul_(3)
    return v


def put(key: Any) -> Any:
    return lambda c, *y: c.__setitem__(key, y[0] if y else 4.0)


SAMPLES = [
    S("copy", part(lambda c, y: c.copy_(y)), M, M),
    S("copy", part(lambda c, y: c.copy_(y)), M, V, note="broadcast"),
    S("zero", part(lambda c: c.zero_()), M),
    S("compare", part(lambda c, y: c.lt_(y)), M, replace(V, low=3, high=4)),
    S("fill", part(lambda c: c.fill_(3)), M),
    S("fill_tensor", part(lambda c, y: c.fill_(y)), M, Arg(())),
    S("fill_tensor", part(lambda c: c.__setitem__(..., 3.5)), M, note="by Ellipsis"),
    S("index_put", part(put(([0, 1, 1], [2, 0, 1]))), M, V, note="by key"),
    S("index_put", part(put(([0, 1, 1], [2, 0, 1]))), M, note="number"),
    S("index_put", part(put(([1, 0],))), M, V, note="rows, broadcast"),
    S("as_strided", lambda t, x: seen(t, x, lambda c: c[1]), M, note="of a change"),
    S("as_strided", lambda t, x: seen(t, x, lambda c: c[:, 1:].t()), M, note="transposed"),
    S("as_strided", lambda t, x: seen(t, x.t(), lambda c: c[1:]), M, note="of a transposed change"),
    S("copy_slices", part(put((slice(None), 1))), M, Arg((2,))),
    S("copy_slices", part(put(1)), M, note="number"),
    S("copy_slices", part(put((slice(None, None, 2), slice(1, None)))), M, note="steps"),
    S("copy_slices", part(lambda c, y: c[0].mul_(y)), M, V, note="mul"),
    S("copy_slices", part(lambda c, y: c[:, 1].mul_(y)), M, Arg(()), note="mul, broadcast"),
    S("copy_slices", part(lambda c: c[0].exp_()), M, note="exp"),
    S("copy_slices", part(lambda c: c.t()[1].pow_(3)), M, note="pow of a view of a view"),
    S("copy_slices", part(lambda c, a, b: c[1].addcmul_(a, b)), M, V, V, note="addcmul"),
    S("copy_slices", lambda t, x: part(lambda c: c[1].exp_())(t, x.t()), M, note="of a transpose"),
    S("copy_slices", part(lambda c: c[0].zero_()), M, note="zero"),
    S("unsqueeze_in_place", part(lambda c: c.unsqueeze_(1)), M),
    S("squeeze_in_place", part(lambda c: c.squeeze_()), Arg((1, 3, 1))),
    S("squeeze_product", part(lambda c: c.squeeze_(0)), Arg((1, 3, 1)), note="in place"),
    S("squeeze_dims_in_place", part(lambda c: c.squeeze_((0, 2))), Arg((1, 3, 1))),
    S("t_in_place", part(lambda c: c.t_()), M),
    S("transpose_in_place", part(lambda c: c.transpose_(0, 1)), M),
    S("copy_slices", part(lambda c, y: c[1].__setitem__([0, 2], y)), M, Arg((2,)), note="indices"),
]
EQUIVALENT = {
    **{
        (op, name, change): "0 times anything is 0"
        for op, name in [
            *((op, "self") for op in ("compare", "copy", "fill", "fill_tensor", "zero")),
            ("compare", "other"),
        ]
        for change in ("factor", "sign")
    },
    ("compare", "self", "the rule of other"): "both rules are 0",
    ("compare", "other", "the rule of self"): "both rules are 0",
}
