"""Samples of every operation: inputs, and how to call it, in words that PyTorch understands too.

`call` takes the library as its first argument, so that the very same formula runs with GraphLab
and with PyTorch. Inputs of `SAMPLES` keep away from kinks, where a difference quotient lies; those
of `KINKS` lie right on them, and only PyTorch says what is right there.

An operation without a sample fails tests/core/test_ops.py.

Read next: tests/core/numerical.py
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from graphlab.autograd.node import tensor_words


@dataclass(frozen=True, slots=True)
class Arg:
    """One tensor that is passed: its shape and the range of its entries, or the entries themselves.

    kind: "f" takes the type that the test asks for; "i" int64, "b" bool, "h" always float32.
    """

    shape: tuple[int, ...] = ()
    low: float = 0.5
    high: float = 2.5
    data: Any = None
    grad: bool = True
    kind: str = "f"

    def array(self, dtype: Any = np.float64, seed: int = 0) -> np.ndarray:
        """The entries: evenly spread over [low, high], all different, in shuffled order."""
        if self.kind != "f":
            dtype = {"i": np.int64, "b": np.bool_, "h": np.float32}[self.kind]
        if self.data is not None:
            return np.asarray(self.data, dtype)
        n = int(np.prod(self.shape))
        spread = (np.arange(n) + 0.5) / max(n, 1) + 0.031 * seed / max(n, 1)
        shuffled = np.random.default_rng(seed).permutation(spread)
        return (self.low + (self.high - self.low) * shuffled).reshape(self.shape).astype(dtype)

    @property
    def wants_grad(self) -> bool:
        return self.grad and self.kind in "fh"


@dataclass(frozen=True, slots=True)
class Sample:
    """A call of one operation: `call(lib, *tensors)` ends in a node of `op`.

    h: the step of the difference quotient. differs: what PyTorch does otherwise in its graph, where
    it does; then only values and gradients are compared.
    """

    op: str
    call: Callable[..., Any]
    args: tuple[Arg, ...]
    note: str = ""
    h: float = 1e-6
    differs: str = ""

    def tensors(self, lib: ModuleType, dtype: str = "float64", grad: bool = True) -> list[Any]:
        """Fresh tensors of the library, the same entries for every library."""
        made = []
        for seed, arg in enumerate(self.args):
            t = lib.tensor(arg.array(getattr(np, dtype), seed))
            made.append(t.requires_grad_() if grad and arg.wants_grad else t)
        return made

    def reshaped(self, *shapes: tuple[int, ...]) -> Sample:
        """The same call of tensors with other shapes."""
        args = (replace(a, shape=s, data=None) for a, s in zip(self.args, shapes, strict=True))
        return replace(self, args=tuple(args))


def word(lib: ModuleType, name: str) -> Callable[..., Any]:
    """A word that rules are written in and users never call, for GraphLab or in PyTorch's terms."""
    return tensor_words[name] if lib.__name__ == "graphlab" else _theirs(lib)[name]


def _theirs(torch: Any) -> dict[str, Callable[..., Any]]:
    def zeros(x: Any, sizes: tuple[int, ...]) -> Any:
        return torch.zeros(sizes, dtype=x.dtype)

    def put_slice(x: Any, sizes: Any, dim: int, index: Any) -> Any:
        if isinstance(index, int):
            return torch.ops.aten.select_backward(x, sizes, dim, index)
        at = (index.start, index.stop, index.step)
        return torch.ops.aten.slice_backward(x, sizes, dim, *at)

    def key(indices: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(torch.from_numpy(i) for i in indices)

    def along(index: Any) -> Any:
        return index if isinstance(index, torch.Tensor) else torch.from_numpy(index)

    return {
        "put_slice": put_slice,
        "put_at": lambda x, sizes, k: zeros(x, sizes).index_put(key(k), x, accumulate=True),
        "put_along": lambda x, sizes, dim, i: zeros(x, sizes).scatter_add(dim, along(i), x),
        "gather": lambda x, dim, i: torch.gather(x, dim, along(i)),
    }


@cache
def cubed(lib: ModuleType) -> Any:
    """A custom Function with a saved input, in the library's own words."""

    class Custom(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            (x,) = ctx.saved_tensors
            return grad * 3 * x * x

    return Custom


def S(op: str, call: Callable[..., Any], *args: Arg, **more: Any) -> Sample:
    return Sample(op, call, args, **more)


V, M, N, C = Arg((3,)), Arg((2, 3)), Arg((3, 4)), Arg((2, 3, 4))  # vector, matrices, cube
SIGNED = Arg((2, 3), -2.0, 2.0)
UNIT = Arg((2, 3), 0.1, 0.9)
OFF_STEPS = Arg((2, 3), -3.4, 3.7)  # no entry is whole, or half of a whole number
LOPSIDED = Arg((2, 3), -2.1, 1.8)
INNER = Arg((2, 3), -0.9, 0.9)
PIECES = Arg(data=[[-4.5, -3.3, -1.0], [0.5, 3.3, 5.0]])  # to both sides of -3 and of 3
MASK = Arg(data=[[True, False, True], [False, True, False]], kind="b")
ROWS = np.array([[0, 2, 1], [1, 1, 0]])  # an index along dim 1 with a repetition
ROWS_APART = Arg(data=[[0, 2], [1, 0]], kind="i")
CLASSES = Arg(data=[2, 0], kind="i")
CLASSES_C = Arg(data=[1, 0, 1], kind="i")

UNSIGNED = "PyTorch shows a negative dim or index as an unsigned number, 18446744073709551615"

SAMPLES: list[Sample] = [
    # entry by entry
    S("add", lambda t, x, y: x + y, M, SIGNED),
    S("add", lambda t, x: x + 1.5, M, note="a number"),
    S("add", lambda t, x, y: t.add(x, y, alpha=2), M, SIGNED, note="alpha"),
    S("sub", lambda t, x, y: x - y, M, SIGNED),
    S("sub", lambda t, x, y: t.sub(x, y, alpha=0.5), M, SIGNED, note="alpha"),
    S("rsub", lambda t, x: 1 - x, M),
    S("rsub", lambda t, x: t.rsub(x, 2.5, alpha=3), M, note="alpha"),
    S("mul", lambda t, x, y: x * y, M, SIGNED),
    S("mul", lambda t, x: 3 * x, M, note="a number"),
    S("mul", lambda t, x, y: x * y, M, replace(SIGNED, grad=False), note="one constant"),
    S("div", lambda t, x, y: x / y, SIGNED, M),
    S("div", lambda t, x: x / 4, M, note="a number"),
    S("div", lambda t, x, y: x / y, replace(M, grad=False), Arg((2, 3)), note="constant"),
    S("neg", lambda t, x: -x, SIGNED),
    S("reciprocal", lambda t, x: t.reciprocal(x), M),
    S("pow", lambda t, x: x**3, SIGNED),
    S("pow", lambda t, x: x**0.5, M, note="a root"),
    S("pow", lambda t, x: x**0, M, note="zero"),
    S("pow", lambda t, x: x**-1, M, note="negative"),
    S("pow_tensor", lambda t, x, y: x**y, M, SIGNED),
    S("pow_base", lambda t, x: 2**x, SIGNED),
    S("exp", lambda t, x: t.exp(x), SIGNED),
    S("log", lambda t, x: t.log(x), M),
    S("log1p", lambda t, x: t.log1p(x), M),
    S("sqrt", lambda t, x: t.sqrt(x), M),
    S("rsqrt", lambda t, x: t.rsqrt(x), M),
    S("sin", lambda t, x: t.sin(x), SIGNED),
    S("cos", lambda t, x: t.cos(x), SIGNED),
    S("tanh", lambda t, x: t.tanh(x), SIGNED),
    S("sigmoid", lambda t, x: t.sigmoid(x), SIGNED),
    S("relu", lambda t, x: t.relu(x), SIGNED),
    S("abs", lambda t, x: t.abs(x), SIGNED),
    S("sign", lambda t, x: t.sign(x), SIGNED),
    S("maximum", lambda t, x, y: t.maximum(x, y), M, SIGNED),
    S("minimum", lambda t, x, y: t.minimum(x, y), M, SIGNED),
    S("where", lambda t, c, x, y: t.where(c, x, y), MASK, M, SIGNED),
    S("where", lambda t, c, x: t.where(c, x, 0.0), MASK, M, note="a number"),
    S("clone", lambda t, x: x.clone(), M),
    # functions of a calculator
    S("exp2", lambda t, x: t.exp2(x), SIGNED),
    S("expm1", lambda t, x: t.expm1(x), SIGNED),
    S("log2", lambda t, x: t.log2(x), M),
    S("log10", lambda t, x: t.log10(x), M),
    S("tan", lambda t, x: t.tan(x), Arg((2, 3), -1.2, 1.2)),
    S("asin", lambda t, x: t.asin(x), INNER),
    S("acos", lambda t, x: t.acos(x), INNER),
    S("atan", lambda t, x: t.atan(x), SIGNED),
    S("sinh", lambda t, x: t.sinh(x), SIGNED),
    S("cosh", lambda t, x: t.cosh(x), SIGNED),
    S("asinh", lambda t, x: t.asinh(x), SIGNED),
    S("acosh", lambda t, x: t.acosh(x), Arg((2, 3), 1.2, 3.0)),
    S("atanh", lambda t, x: t.atanh(x), INNER),
    S("erf", lambda t, x: t.erf(x), SIGNED),
    S("erfc", lambda t, x: t.erfc(x), SIGNED),
    S("atan2", lambda t, x, y: t.atan2(x, y), M, SIGNED),
    S("hypot", lambda t, x, y: t.hypot(x, y), M, SIGNED),
    S("logaddexp", lambda t, x, y: t.logaddexp(x, y), M, SIGNED),
    S("xlogy", lambda t, x, y: t.xlogy(x, y), SIGNED, M),
    # bounds
    S("clamp", lambda t, x: t.clamp(x, -0.9, 1.1), SIGNED),
    S("clamp", lambda t, x: x.clamp(min=0.3), SIGNED, note="min"),
    S("clamp", lambda t, x: x.clamp(max=0.3), SIGNED, note="max"),
    S("clamp", lambda t, x: x.clamp(1.5, -0.5), SIGNED, note="bounds in the wrong order"),
    S("clamp_min", lambda t, x: t.clamp_min(x, 0.3), SIGNED),
    S("clamp_max", lambda t, x: t.clamp_max(x, 0.3), SIGNED),
    # steps
    S("floor", lambda t, x: t.floor(x), OFF_STEPS),
    S("ceil", lambda t, x: t.ceil(x), OFF_STEPS),
    S("round", lambda t, x: t.round(x), OFF_STEPS),
    S("trunc", lambda t, x: t.trunc(x), OFF_STEPS),
    S("frac", lambda t, x: t.frac(x), OFF_STEPS),
    S("remainder", lambda t, x: x % 2, OFF_STEPS),
    S("remainder_tensor", lambda t, x, y: x % y, OFF_STEPS, M),
    S("fmod", lambda t, x: t.fmod(x, 2), OFF_STEPS),
    S("fmod_tensor", lambda t, x, y: t.fmod(x, y), OFF_STEPS, M),
    # combinations
    S("lerp", lambda t, x, y: t.lerp(x, y, 0.25), M, SIGNED),
    S("lerp_tensor", lambda t, x, y, w: t.lerp(x, y, w), M, SIGNED, UNIT),
    S("addcmul", lambda t, x, y, z: t.addcmul(x, y, z, value=0.5), M, SIGNED, M),
    S("addcdiv", lambda t, x, y, z: t.addcdiv(x, y, z, value=0.5), M, SIGNED, M),
    S("nan_to_num", lambda t, x: t.nan_to_num(x), SIGNED),
    # activations
    S("leaky_relu", lambda t, x: t.nn.functional.leaky_relu(x, 0.2), SIGNED),
    S("elu", lambda t, x: t.nn.functional.elu(x, 1.5), SIGNED),
    S("elu", lambda t, x: t.nn.functional.selu(x), SIGNED, note="selu"),
    S("celu", lambda t, x: t.nn.functional.celu(x, 1.5), SIGNED),
    S("gelu", lambda t, x: t.nn.functional.gelu(x), SIGNED),
    S("gelu", lambda t, x: t.nn.functional.gelu(x, approximate="tanh"), SIGNED, note="tanh"),
    S("silu", lambda t, x: t.nn.functional.silu(x), SIGNED),
    S("mish", lambda t, x: t.nn.functional.mish(x), SIGNED),
    S("softplus", lambda t, x: t.nn.functional.softplus(x), SIGNED),
    S("softplus", lambda t, x: t.nn.functional.softplus(x, 1.5, 2), SIGNED, note="a threshold"),
    S(
        "log_sigmoid",
        lambda t, x: t.nn.functional.logsigmoid(x),
        SIGNED,
        differs="PyTorch keeps a buffer, exp(-|x|)",
    ),
    S("hardtanh", lambda t, x: t.nn.functional.hardtanh(x), LOPSIDED),
    S("hardtanh", lambda t, x: t.nn.functional.relu6(x), Arg((2, 3), -2.0, 8.0), note="relu6"),
    S("hardsigmoid", lambda t, x: t.nn.functional.hardsigmoid(x), PIECES),
    S("hardswish", lambda t, x: t.nn.functional.hardswish(x), PIECES),
    S("hardshrink", lambda t, x: t.nn.functional.hardshrink(x, 0.7), SIGNED),
    S("softshrink", lambda t, x: t.nn.functional.softshrink(x, 0.7), SIGNED),
    S("threshold", lambda t, x: t.nn.functional.threshold(x, 0.3, -2.5), SIGNED),
    S("prelu_kernel", lambda t, x, w: t.nn.functional.prelu(x, w), LOPSIDED, Arg((1,))),
    # reductions
    S("sum", lambda t, x: x.sum(), M),
    S("sum", lambda t, x: x.sum(), Arg(()), note="0-d"),
    S("sum", lambda t, x: x.sum(), Arg((0, 3)), note="empty"),
    S("sum_dim", lambda t, x: x.sum(0), M),
    S("sum_dim", lambda t, x: x.sum((0, 2), keepdim=True), C, note="two dims kept"),
    S("sum_dim", lambda t, x: x.sum(-1), C, note="from the end", differs=UNSIGNED),
    S("mean", lambda t, x: x.mean(), M),
    S("mean_dim", lambda t, x: x.mean(1), C),
    S("mean_dim", lambda t, x: x.mean((0, 2), keepdim=True), C, note="two dims kept"),
    S("max", lambda t, x: x.max(), M),
    S("min", lambda t, x: x.min(), M),
    S("max_dim", lambda t, x: x.max(1), M),
    S("max_dim", lambda t, x: x.max(0, keepdim=True), C, note="kept"),
    S("min_dim", lambda t, x: x.min(1), M),
    S("min_dim", lambda t, x: x.min(2, keepdim=True), C, note="kept"),
    S("softmax", lambda t, x: t.softmax(x, 1), SIGNED),
    S("softmax", lambda t, x: t.softmax(x, 0), V, note="a vector"),
    S("log_softmax", lambda t, x: t.log_softmax(x, 0), SIGNED),
    S("logsumexp", lambda t, x: t.logsumexp(x, 1), SIGNED),
    S("logsumexp", lambda t, x: t.logsumexp(x, (0, 1), keepdim=True), SIGNED, note="kept"),
    # statistics
    S("prod", lambda t, x: x.prod(), M),
    S("prod", lambda t, x: x.prod(), Arg(()), note="0-d"),
    S("prod", lambda t, x: x.prod(), Arg(data=[2.0, 0.0, 3.0]), note="a zero"),
    S("prod_dim", lambda t, x: x.prod(1), C),
    S("prod_dim", lambda t, x: x.prod(0, keepdim=True), SIGNED, note="kept"),
    S("amax", lambda t, x: t.amax(x, 1), SIGNED),
    S("amax", lambda t, x: x.amax(), M, note="all"),
    S("amax", lambda t, x: x.amax((0, 2), keepdim=True), C, note="two dims kept"),
    S("amin", lambda t, x: t.amin(x, 0), SIGNED),
    S("amin", lambda t, x: x.amin((0, 1)), C, note="two dims"),
    S("var", lambda t, x: x.var(), M),
    S("var", lambda t, x: x.var((0, 2), correction=0, keepdim=True), C, note="two dims kept"),
    S("std", lambda t, x: x.std(), M),
    S("std", lambda t, x: t.std(x, 1, unbiased=False), C, note="biased"),
    S("linalg_vector_norm", lambda t, x: x.norm(), SIGNED),
    S("linalg_vector_norm", lambda t, x: x.norm(dim=1, keepdim=True), SIGNED, note="kept"),
    S("linalg_vector_norm", lambda t, x: t.norm(x, 1, 0), SIGNED, note="1"),
    S("linalg_vector_norm", lambda t, x: x.norm(3, 1), SIGNED, note="3"),
    S("linalg_vector_norm", lambda t, x: x.norm(np.inf, 1), SIGNED, note="largest"),
    S("linalg_vector_norm", lambda t, x: x.norm(-np.inf, 1), M, note="smallest"),
    S("linalg_vector_norm", lambda t, x: t.linalg.vector_norm(x, 0.5), SIGNED, note="half"),
    S("cumsum", lambda t, x: x.cumsum(1), C),
    S("cumprod", lambda t, x: t.cumprod(x, 0), SIGNED),
    S("cumprod", lambda t, x: x.cumprod(1), Arg(data=[[2.0, 0.0, 3.0]]), note="a zero"),
    S("flip", lambda t, x: x.flip(0, 2), C),
    S("flip", lambda t, x: t.flip(x, [1]), M, note="one dim"),
    # order
    S("sort", lambda t, x: x.sort(1), SIGNED),
    S("sort", lambda t, x: t.sort(x, 0, descending=True), C, note="descending"),
    S("topk", lambda t, x: x.topk(2, 1), SIGNED),
    S("topk", lambda t, x: t.topk(x, 2, 2, largest=False), C, note="smallest"),
    # arrangements
    S("roll", lambda t, x: x.roll(1, 1), M),
    S("roll", lambda t, x: t.roll(x, 4), M, note="round all"),
    S("roll", lambda t, x: x.roll((1, 2), (0, 2)), C, note="two dims"),
    S("tril", lambda t, x: t.tril(x), N),
    S("tril", lambda t, x: x.tril(-1), C, note="below", differs=UNSIGNED),
    S("triu", lambda t, x: x.triu(), N),
    S("triu", lambda t, x: t.triu(x, 1), C, note="above"),
    S("repeat", lambda t, x: x.repeat(2, 3), M),
    S("repeat", lambda t, x: x.repeat(2, 1, 2), M, note="a new dim"),
    S("repeat", lambda t, x: t.tile(x, (2,)), M, note="tile"),
    S("split", lambda t, x: x.split(2), N),
    S("split", lambda t, x: t.chunk(x, 2, dim=1)[0], M, note="one chunk"),
    S("split_with_sizes", lambda t, x: x.split([1, 3], 2), C),
    # products
    S("dot", lambda t, x, y: t.dot(x, y), V, Arg((3,), -1.0, 1.0)),
    S("mv", lambda t, x, y: t.mv(x, y), M, V),
    S("mm", lambda t, x, y: x @ y, M, N),
    S("mm", lambda t, x, y: x @ y, Arg((2, 0)), Arg((0, 3)), note="empty"),
    S("bmm", lambda t, x, y: t.bmm(x, y), C, Arg((2, 4, 2), -1.0, 1.0)),
    S("addmm", lambda t, b, x, y: t.addmm(b, x, y), Arg((2, 4)), M, N),
    S("addmm", lambda t, b, x, y: t.addmm(b, x, y, beta=2, alpha=0.5), Arg((4,)), M, N, note="row"),
    # shapes
    S("view", lambda t, x: x.view(3, 2), M),
    S("view", lambda t, x: x.reshape(-1), C, note="reshape"),
    S("view", lambda t, x: x.view(1, 1), Arg(()), note="0-d"),
    S("unsafe_view", lambda t, x, y: t.matmul(x, y), C, Arg((4, 2))),
    S("unsafe_view", lambda t, x: x.t().reshape(-1), M, note="a copy"),
    S("t", lambda t, x: x.t(), M),
    S("transpose", lambda t, x: x.transpose(0, 2), C),
    S("permute", lambda t, x: x.permute(2, 0, 1), C),
    S("permute", lambda t, x: x.T, M, note="T"),
    S("unsqueeze", lambda t, x: x.unsqueeze(1), M),
    S("squeeze", lambda t, x: x.squeeze(), Arg((1, 3, 1))),
    S("squeeze_dim", lambda t, x: x.squeeze(0), Arg((1, 3))),
    S("squeeze_dim", lambda t, x: x.squeeze(0), M, note="nothing to drop"),
    S("squeeze_product", lambda t, x, y: t.matmul(x, y), V, N),
    S("expand", lambda t, x: x.expand(2, 3), V),
    S("expand", lambda t, x: x.expand(-1, 2, 3), Arg((2, 1, 3)), note="keeps a size"),
    S("expand", lambda t, x: x.expand(2, 2), Arg(()), note="0-d"),
    S("alias", lambda t, x: x[...], M),
    # a cast rounds: entries and step that float32 holds exactly
    S(
        "to_copy",
        lambda t, x: x.to(t.float32),
        Arg(data=[0.5, 1.5, -2.25], kind="f"),
        h=0.125,
        note="narrower",
    ),
    S("to_copy", lambda t, x: x.double(), Arg(data=[0.5, 1.5], kind="h"), h=0.125, note="wider"),
    # indexing
    S("select", lambda t, x: x[1], M),
    S("select", lambda t, x: x[:, 2], M, note="column"),
    S("slice", lambda t, x: x[1:], M),
    S("slice", lambda t, x: x[::2], Arg((5,)), note="step"),
    S("slice", lambda t, x: x[-2:9], Arg((5,)), note="past the end", differs=UNSIGNED),
    S("index", lambda t, x: x[[0, 2, 0]], Arg((3, 2)), note="twice"),
    S("index", lambda t, x: x[[0, 1], [2, 2]], M, note="pairs"),
    S("index", lambda t, x: x[:, [2, 0]], M, note="columns"),
    S("index", lambda t, x, m: x[m], M, MASK, note="mask"),
    S("put_slice", lambda t, x: word(t, "put_slice")(x, (2, 3), 0, 1), V),
    S(
        "put_slice",
        lambda t, x: word(t, "put_slice")(x, (5,), 0, slice(1, 5, 2)),
        Arg((2,)),
        note="slice",
        differs="SliceBackwardBackward0 is a node of its own",
    ),
    S(
        "put_at",
        lambda t, x: word(t, "put_at")(x, (3,), (np.array([0, 2, 0]),)),
        V,
        differs="index_put is also given the zeros that it fills",
    ),
    S("gather", lambda t, x, i: t.gather(x, 1, i), M, Arg(data=ROWS, kind="i")),
    S("gather", lambda t, x, i: x.gather(0, i), N, Arg(data=[[2, 0]], kind="i"), note="smaller"),
    S("masked_fill", lambda t, x, m: x.masked_fill(m, 2.5), M, MASK),
    S("masked_fill", lambda t, x, m: x.masked_fill(m, 0), V, MASK, note="wider mask"),
    S("masked_fill_tensor", lambda t, x, m, v: x.masked_fill(m, v), M, MASK, Arg(())),
    S("masked_select", lambda t, x, m: t.masked_select(x, m), M, MASK),
    S("index_select", lambda t, x, i: x.index_select(1, i), M, Arg(data=[2, 0, 2], kind="i")),
    S("index_select", lambda t, x, i: t.index_select(x, 0, i), C, CLASSES_C, note="rows"),
    S("scatter", lambda t, x, y, i: x.scatter(1, i, y), M, Arg((2, 2)), ROWS_APART),
    S("scatter_value", lambda t, x, i: t.scatter(x, 1, i, 2.5), M, Arg(data=ROWS, kind="i")),
    S(
        "scatter_add",
        lambda t, x, y, i: x.scatter_add(1, i, y),
        M,
        SIGNED,
        Arg(data=ROWS, kind="i"),
    ),
    S(
        "put_along",
        lambda t, x: word(t, "put_along")(x, (2, 3), 1, ROWS),
        M,
        differs="scatter_add is also given the zeros that it fills",
    ),
    S("unbind", lambda t, x: x.unbind(), M),
    S("unbind", lambda t, x: x.unbind(2)[1], C, note="one of them"),
    S("stack", lambda t, x, y: t.stack([x, y]), V, V),
    S("stack", lambda t, x, y: t.stack([x, y, x], dim=1), V, V, note="one twice"),
    S("cat", lambda t, x, y: t.cat([x, y]), M, Arg((1, 3))),
    S("cat", lambda t, x, y: t.cat([x, y], dim=1), M, replace(M, grad=False), note="constant"),
    # losses
    S("mse_loss", lambda t, x, y: t.nn.functional.mse_loss(x, y), M, SIGNED),
    S(
        "mse_loss",
        lambda t, x, y: t.nn.functional.mse_loss(x, y, reduction="none"),
        M,
        SIGNED,
        note="none",
    ),
    S(
        "mse_loss",
        lambda t, x, y: t.nn.functional.mse_loss(x, y, reduction="sum"),
        M,
        SIGNED,
        note="sum",
    ),
    *[
        S(
            "binary_cross_entropy_with_logits",
            lambda t, x, y, r=reduction: t.nn.functional.binary_cross_entropy_with_logits(
                x, y, reduction=r
            ),
            SIGNED,
            UNIT,
            note=reduction,
        )
        for reduction in ("mean", "sum", "none")
    ],
    S(
        "binary_cross_entropy_with_logits",
        lambda t, x, y, w, p: t.nn.functional.binary_cross_entropy_with_logits(
            x, y, weight=w, pos_weight=p
        ),
        SIGNED,
        UNIT,
        replace(M, grad=False),
        Arg((3,), grad=False),
        note="weights",
    ),
    *[
        S(
            "nll_loss",
            lambda t, x, y, r=reduction: t.nn.functional.nll_loss(x, y, reduction=r),
            SIGNED,
            CLASSES,
            note=reduction,
        )
        for reduction in ("mean", "sum", "none")
    ],
    S("custom", lambda t, x: cubed(t).apply(x), SIGNED),
]

TIES = Arg(data=[[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]])
OTHER = Arg(data=[[1.0, 1.0, 3.0], [2.0, 3.0, 1.0]])
ZEROS = Arg(data=[0.0, -0.0, 1.0, -1.0])
SPECIAL = Arg(data=[np.nan, np.inf, -np.inf, 1.0])
ZEROS_2 = Arg(data=[0.0, 0.0])

KINKS: list[Sample] = [
    S("relu", lambda t, x: t.relu(x), ZEROS),
    S("abs", lambda t, x: t.abs(x), ZEROS),
    S("sign", lambda t, x: t.sign(x), ZEROS),
    S("sqrt", lambda t, x: t.sqrt(x), ZEROS, note="0 and below"),
    S("rsqrt", lambda t, x: t.rsqrt(x), ZEROS, note="0 and below"),
    S("log", lambda t, x: t.log(x), ZEROS, note="0 and below"),
    S("log1p", lambda t, x: t.log1p(x), ZEROS, note="-1"),
    S("reciprocal", lambda t, x: t.reciprocal(x), ZEROS, note="0"),
    S("div", lambda t, x, y: x / y, Arg(data=[1.0, 0.0]), Arg(data=[0.0, 0.0]), note="0/0"),
    S("pow", lambda t, x: x**0, ZEROS, note="0⁰"),
    S("pow", lambda t, x: x**0.5, Arg(data=[0.0, 1.0, -1.0]), note="root"),
    S("pow", lambda t, x: x**1, ZEROS, note="first power"),
    S("pow", lambda t, x: x**2, ZEROS, note="square"),
    S("pow", lambda t, x: x**-1, ZEROS, note="negative"),
    S("pow_tensor", lambda t, x, y: x**y, ZEROS, Arg(data=[0.0, 2.0, 0.0, 2.0]), note="0⁰"),
    S("pow_tensor", lambda t, x, y: x**y, ZEROS, Arg(data=[-1.0, 1.0, 0.5, -2.0]), note="negative"),
    S("pow_base", lambda t, x: 0**x, Arg(data=[0.0, 1.0, 2.0]), note="0ˣ"),
    S("maximum", lambda t, x, y: t.maximum(x, y), TIES, OTHER),
    S("minimum", lambda t, x, y: t.minimum(x, y), TIES, OTHER),
    S("max", lambda t, x: x.max(), TIES),
    S("min", lambda t, x: x.min(), OTHER),
    S("max_dim", lambda t, x: x.max(1), TIES),
    S("min_dim", lambda t, x: x.min(0), OTHER),
    S("amax", lambda t, x: x.amax(1), TIES),
    S("amin", lambda t, x: x.amin(), OTHER),
    S("prod", lambda t, x: x.prod(), ZEROS, note="two zeros"),
    S("cumprod", lambda t, x: x.cumprod(0), ZEROS, note="two zeros"),
    S("std", lambda t, x: x.std(), Arg(data=[2.0, 2.0, 2.0]), note="constant"),
    *[
        S("linalg_vector_norm", lambda t, x, p=p: x.norm(p), entries, note=f"{p}, {what}")
        for p in (0.5, 1, 2, 3, np.inf, -np.inf)
        for what, entries in (("some 0", ZEROS), ("all 0", Arg(data=[0.0, 0.0])))
    ],
    S("sigmoid", lambda t, x: t.sigmoid(x), Arg(data=[-800.0, 800.0, 0.0, -30.0])),
    S("tanh", lambda t, x: t.tanh(x), Arg(data=[-800.0, 800.0, 0.0])),
    S("exp", lambda t, x: t.exp(x), Arg(data=[800.0, -800.0, np.inf, -np.inf])),
    S("softmax", lambda t, x: t.softmax(x, 0), Arg(data=[1000.0, 1000.0, -1000.0])),
    S("log_softmax", lambda t, x: t.log_softmax(x, 0), Arg(data=[1000.0, 1000.0, -1000.0])),
    S("logsumexp", lambda t, x: t.logsumexp(x, 0), Arg(data=[1000.0, 1000.0, -1000.0])),
    S(
        "binary_cross_entropy_with_logits",
        lambda t, x, y: t.nn.functional.binary_cross_entropy_with_logits(x, y),
        Arg(data=[-1000.0, 1000.0, 0.0]),
        Arg(data=[1.0, 0.0, 1.0]),
    ),
    S("mean", lambda t, x: x.mean(), Arg((0,)), note="empty"),
    *[
        S(name, lambda t, x, f=name: getattr(t.nn.functional, f)(x), Arg(data=data))
        for name, data in {
            "leaky_relu": [0.0, -0.0], "elu": [0.0, -800.0, 800.0], "celu": [0.0, -800.0, 800.0],
            "gelu": [0.0, 40.0, -40.0], "silu": [0.0, 800.0, -800.0], "mish": [0.0, 800.0, -800.0],
            "softplus": [20.0, 21.0, -800.0, 800.0], "hardtanh": [-1.0, 1.0],
            "hardsigmoid": [-3.0, 3.0], "hardswish": [-3.0, 3.0], "hardshrink": [-0.5, 0.5],
            "softshrink": [-0.5, 0.5], "logsigmoid": [0.0, 800.0, -800.0],
        }.items()
    ],
    S("clamp", lambda t, x: t.clamp(x, 0, 1), Arg(data=[0.0, 1.0, -1.0, 2.0, np.inf])),
    S("threshold", lambda t, x: t.nn.functional.threshold(x, 0.5, 2), Arg(data=[0.5, 0.0])),
    S("nan_to_num", lambda t, x: t.nan_to_num(x, 1.5, 2, -3), SPECIAL),
    S("round", lambda t, x: t.round(x), Arg(data=[0.5, 1.5, -2.5, 3.0])),
    S("remainder", lambda t, x: x % -2, Arg(data=[-3.0, 4.0, 5.5])),
    S("xlogy", lambda t, x, y: t.xlogy(x, y), Arg(data=[0.0, 0.0, 1.0]), Arg(data=[0.0, 2.0, 0.0])),
    S("logaddexp", lambda t, x, y: t.logaddexp(x, y), Arg(data=[800.0, -800.0]), ZEROS_2),
    S("erf", lambda t, x: t.erf(x), Arg(data=[0.0, 30.0, -30.0, np.inf])),
    S("erfc", lambda t, x: t.erfc(x), Arg(data=[0.0, 5.0, 30.0, -30.0])),
    S("atan2", lambda t, x, y: t.atan2(x, y), Arg(data=[0.0, 1.0]), Arg(data=[-1.0, 0.0])),
    S("maximum", lambda t, x, y: t.maximum(x, y), Arg(data=[np.nan, 1.0]), Arg(data=[1.0, np.nan]),
      note="nan"),
]  # fmt: skip


def name_of(sample: Sample) -> str:
    return f"{sample.op}{'-' + sample.note.replace(' ', '_') if sample.note else ''}"
