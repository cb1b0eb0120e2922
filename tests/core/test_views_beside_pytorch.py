"""Random programs of views and changes in place, run with GraphLab and with PyTorch.

Every step makes a view of a tensor that is there, a new tensor, or changes one in place, recorded
or not. Who shares memory with whom, what was made when nothing was recorded, and which saved value
was changed meanwhile then meet in ways that nobody thought of. After each step, or only at the
end, all tensors are compared: entries, versions, names of nodes, and the errors in PyTorch's words.

Read next: tests/core/test_types.py
"""

from __future__ import annotations

import re
import warnings
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import graphlab

pytestmark = pytest.mark.torch

VIEWS = {
    "first": lambda t, x: x[0],
    "last": lambda t, x: x[-1],
    "rest": lambda t, x: x[1:],
    "every second": lambda t, x: x[::2],
    "column": lambda t, x: x[..., :1],
    "alias": lambda t, x: x[...],
    "turned": lambda t, x: x.transpose(0, -1),
    "new dimension": lambda t, x: x[None],
    "no ones": lambda t, x: x.squeeze(),
    "in a row": lambda t, x: x.view(-1),
    "unbound": lambda t, x: x.unbind(0)[0],
    "split": lambda t, x: x.split(1)[-1],
    "detached": lambda t, x: x.detach(),
    "expanded": lambda t, x: x.expand(2, *x.shape),
}
MAKERS = {
    "copied": lambda t, x: x.clone(),
    "doubled": lambda t, x: x * 2,
    "squashed": lambda t, x: x.sigmoid(),
    "squared": lambda t, x: x * x,
    "zeros": lambda t, x: t.zeros(2, 3),
}
CHANGES = {
    "add_ 1": lambda t, x, y: x.add_(1),
    "mul_ 2": lambda t, x, y: x.mul_(2),
    "mul_": lambda t, x, y: x.mul_(y),
    "mul_ itself": lambda t, x, y: x.mul_(x),
    "sigmoid_": lambda t, x, y: x.sigmoid_(),
    "exp_": lambda t, x, y: x.exp_(),
    "clamp_": lambda t, x, y: x.clamp_(-1, 1),
    "gt_": lambda t, x, y: x.gt_(0.5),
    "zero_": lambda t, x, y: x.zero_(),
    "fill_": lambda t, x, y: x.fill_(0.5),
    "copy_": lambda t, x, y: x.copy_(y),
    "entry = 3": lambda t, x, y: x.__setitem__(0, 3.0),
    "part = y": lambda t, x, y: x.__setitem__(slice(1, None), y),
    "all = y": lambda t, x, y: x.__setitem__(slice(None), y),
    "chosen = 0": lambda t, x, y: x.__setitem__(x.detach() > 0.5, 0.0),
    "places = 1": lambda t, x, y: x.__setitem__([0, -1], 1.0),
    "masked_fill_": lambda t, x, y: x.masked_fill_(x.detach() > 0.7, 0.1),
    "detach_": lambda t, x, y: x.detach_(),
    "requires_grad_": lambda t, x, y: x.requires_grad_(),
}
numbers = st.integers(0, 30)
steps = st.lists(
    st.tuples(
        st.sampled_from([*VIEWS, *CHANGES]) | st.sampled_from([*VIEWS, *MAKERS, *CHANGES]),
        numbers,
        numbers,
        st.sampled_from(["recorded", "recorded", "recorded", "no_grad", "inference"]),
    ),
    min_size=2,
    max_size=9,
)


def plain(error: Exception) -> str:
    """The message.

    Without the name of the node of a view that was changed: PyTorch holds it weakly, and says
    the name of the operation instead when it is gone.
    """
    text = f"{type(error).__name__}: {error}"
    return re.sub(r", which is output 0 of (AsStrided|Exp|Sigmoid|Clamp1),", "", text)


def tried(action: Any, *given: Any) -> Any:
    """What a call gives, or its error as text."""
    try:
        return action(*given)
    except (RuntimeError, IndexError, TypeError, ValueError) as error:
        return plain(error)


def named(t: Any) -> Any:
    """The name of the node; an error for a view that was not to be changed."""
    return None if t.grad_fn is None else t.grad_fn.name()


def look(t: Any) -> list[Any]:
    """Everything that can be asked of a tensor."""
    entries = tried(rounded, t)
    asked = (
        lambda: tuple(t.shape),
        lambda: t._version,
        lambda: t.requires_grad,
        lambda: t._is_view(),
        lambda: t.is_inference(),
        lambda: named(t),
        lambda: t.is_leaf,
        lambda: t.storage_offset() if t.numel() else None,
    )
    return [entries, *(tried(one) for one in asked)]


def run(lib: Any, program: list[Any], often: bool, second: bool) -> list[Any]:
    x = lib.tensor([[0.3, -0.8, 1.2], [0.9, 0.2, -0.5]], requires_grad=True)
    s = lib.tensor(0.7, requires_grad=True)
    pool, told = [x, s, x * 1], []
    modes = {"recorded": lib.enable_grad, "no_grad": lib.no_grad, "inference": lib.inference_mode}
    for name, i, j, mode in program:
        a, b = pool[i % len(pool)], pool[j % len(pool)]
        if left_out(name, a, b, mode):
            continue
        with modes[mode]():
            if name in CHANGES:
                result = tried(CHANGES[name], lib, a, b)
            else:
                result = tried({**VIEWS, **MAKERS}[name], lib, a)
        if isinstance(result, str):
            unusable = any(isinstance(tried(named, t), str) for t in (a, b))
            told.append("refused" if unusable else result)  # which of two reasons comes first
        elif name not in CHANGES:
            pool.append(result)
        if often:
            told.append([look(t) for t in pool])
    told.append([look(t) for t in pool])
    roots = tried(lambda: sum(t.sum() for t in pool if t.requires_grad and t.dtype is x.dtype))
    if isinstance(roots, str):
        return [*told, roots]
    grads = tried(lambda: lib.autograd.grad(roots, (x, s), create_graph=second, allow_unused=True))
    if second and not isinstance(grads, str):
        total = sum((g * g).sum() for g in grads if g is not None)
        told.append([None if g is None else rounded(g) for g in grads])
        grads = tried(lambda: lib.autograd.grad(total, (x, s), allow_unused=True))
    told.append(
        grads if isinstance(grads, str) else [None if g is None else rounded(g) for g in grads]
    )
    return told


def left_out(name: str, a: Any, b: Any, mode: str) -> bool:
    """Whether a step is of a kind in which PyTorch has its own way, or none that is defined.

    It writes some entries of an inference tensor before it refuses to; which operations may write
    into an expanded tensor is as it came; copies of inference tensors have versions of some kind,
    and their views need no gradient when they do themselves;
    a factor that is overwritten while it is read may count twice.
    """
    if name in ("copied", "detached", "requires_grad_"):
        return a.is_inference()
    if name not in CHANGES:
        return False
    repeats = any(step == 0 and n > 1 for step, n in zip(a.stride(), a.shape, strict=True))
    same = a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()
    overlap = same and name in ("mul_", "copy_", "part = y", "all = y") and a.shape != b.shape
    return repeats or overlap or (a.is_inference() and mode != "inference")


def rounded(t: Any) -> list[float]:
    """The entries, to what float32 can be trusted with."""
    return [float(f"{x:.3g}") for x in t.detach().reshape(-1).tolist()]


FORBIDDEN = [("copied", 0, 0, "recorded"), ("first", 3, 0, "no_grad"), ("add_ 1", 3, 0, "recorded")]


@settings(max_examples=120)
@example(program=FORBIDDEN, often=False, second=False)
@given(program=steps, often=st.booleans(), second=st.booleans())
def test_views_and_changes_in_place_do_what_pytorchs_do(torch, program, often, second):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert run(graphlab, program, often, second) == run(torch, program, often, second)


LAYOUTS = {
    "t": lambda y: y.t(),
    "permute": lambda y: y.permute(1, 0) * 1,
    "row by row": lambda y: y.t().contiguous(),
    "in place": lambda y: y.t_(),
    "as it is": lambda y: y,
}
PARTS = {
    "a row is set": lambda y: y.__setitem__(0, 0.25),
    "a column is set": lambda y: y.__setitem__((slice(None), 0), 0.25),
    "a row is multiplied": lambda y: y[1].mul_(5.0),
}


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_gradient_in_any_layout_passes_the_change_of_a_part(torch, layout, part, recorded):
    """b = 2a; b[0] = 5; b.t(): row 0 of a has the gradient 0, also where that of b is turned."""

    def gradient(lib):
        x = lib.arange(1.0, 7.0).view(2, 3).requires_grad_()
        y = x * 2
        PARTS[part](y)
        z = LAYOUTS[layout](y)
        weighted = z * z * lib.arange(10.0, 16.0).view(z.shape)
        (found,) = lib.autograd.grad(weighted.sum(), x, create_graph=recorded)
        return found.tolist()

    assert gradient(graphlab) == gradient(torch)
