"""The primitives of the rules for entries that are not floats: SymPy expressions, or mpf.

`exact_primitives` gives every primitive of ops/vocabulary.py for one `Arithmetic`, which knows what
one kind of entry can do.

A comparison gives a `Choice`: its weight is 1 where it holds and 0 where it does not. Between
symbols that is not known, so the weight is a symbol of its own, a switch. max(x, y) becomes y + h
(x - y), and one formula covers both sides of the kink.

Read next: faces/symbolic/exact_matrices.py
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphlab.faces.symbolic.exact_kernels import kernel_primitives
from graphlab.faces.symbolic.exact_matrices import matrix_primitives
from graphlab.faces.symbolic.live_graph import read
from graphlab.faces.symbolic.object_arrays import (
    Arithmetic,
    Data,
    Dims,
    Entry,
    bare,
    filled,
    fold,
    integers,
    picked,
    shaped,
)
from graphlab.ops import norms
from graphlab.ops.vocabulary import (
    addresses,
    along,
    count,
    flip,
    freedom,
    inf,
    key_along,
    others,
    refused,
    roll,
    whole,
    with_ones,
    without_derivative,
)

# These subtract the maximum to keep exponentials from overflowing, which changes no result. Exact
# entries do not overflow, so here the maximum counts as 0. (A test proves that any shift will do.)
SHIFTED = frozenset({"softmax", "log_softmax", "logsumexp"})

# functions that SymPy and mpmath know by the same name
NAMED = (
    "exp", "log", "sqrt", "sin", "cos", "tanh", "tan",
    "asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh", "erf", "erfc",
    "erfinv",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Choice:
    """The answer to a comparison: 1 where it holds, 0 where it does not, or a switch."""

    weight: Entry

    def __and__(self, other: Any) -> "Choice":
        return Choice(self.weight * other.weight) if isinstance(other, Choice) else NotImplemented


def exact_primitives(entries: Arithmetic, shifted: bool = False) -> Mapping[str, Any]:
    """Every primitive, for one kind of entry.

    shifted: the maximum that a softmax subtracts counts as 0 (see SHIFTED).
    """
    number, zero, one = entries.number, entries.number(0), entries.number(1)
    pi = entries.function("acos", number(-1))
    ln_2, ln_10 = (entries.function("log", number(n)) for n in (2, 10))
    root_2 = entries.function("sqrt", number(2))

    def each(function: Callable[..., Entry], inputs: int = 1) -> Callable[..., Data]:
        return np.frompyfunc(function, inputs, 1)

    def named(name: str) -> Callable[..., Data]:
        return each(lambda x: entries.function(name, x))

    def choose(condition: Any, x: Entry, y: Entry) -> Entry:
        weight = condition.weight if isinstance(condition, Choice) else number(int(bool(condition)))
        if weight == 1:
            return number(x)
        if weight == 0:
            return number(y)
        return weight * number(x) + (1 - weight) * number(y)

    def sigmoid(x: Entry) -> Entry:
        return 1 / (1 + entries.function("exp", -x))

    def softplus(x: Entry) -> Entry:
        return entries.function("log", 1 + entries.function("exp", x))

    def erfcx(x: Entry) -> Entry:
        return entries.function("exp", x * x) * entries.function("erfc", x)

    def ndtri(p: Entry) -> Entry:
        return root_2 * entries.function("erfinv", 2 * p - 1)

    def log_ndtr(x: Entry) -> Entry:
        return entries.function("log", (1 + entries.function("erf", x / root_2)) / 2)

    def truncated(x: Entry) -> Entry:
        return entries.direction(x) * entries.function("floor", entries.magnitude(x))

    def total(x: Data, dim: Dims = None, keepdim: bool = False) -> Data:
        return fold(x, dim, keepdim, entries.total)

    def product(x: Data, dim: Dims = None, keepdim: bool = False) -> Data:
        return fold(x, dim, keepdim, lambda row: math.prod(row, start=one))

    def running(x: Data, dim: int, combine: Any) -> Data:
        if np.ndim(x) == 0:
            return x
        return combine.accumulate(np.asarray(x, object), dim, dtype=object)

    def extreme(sign: int) -> Callable[..., Data]:
        def call(x: Data, dim: Dims = None, keepdim: bool = False) -> Data:
            def best(row: list[Entry]) -> Entry:
                if len(row) == 1:
                    return row[0]
                return zero if shifted else entries.extreme(row, sign)

            return fold(x, dim, keepdim, best)

        return call

    def place(sign: int) -> Callable[..., Data]:
        def call(x: Data, dim: int, keepdim: bool = False) -> Data:
            best = fold(x, (dim,), keepdim, lambda row: entries.largest(row, sign))
            return np.asarray(best, np.int64)[()]

        return call

    def argsort(x: Data, dim: int, descending: bool = False) -> Data:
        rows = np.moveaxis(np.asarray(x, object), dim, -1)
        order = np.empty(rows.shape, np.int64)
        for at in np.ndindex(rows.shape[:-1]):
            left = list(range(rows.shape[-1]))
            for k in range(len(left)):
                row = [rows[at][i] for i in left]
                order[at][k] = left.pop(entries.largest(row, 1 if descending else -1))
        return np.moveaxis(order, -1, dim)

    def triangle(kept: Callable[..., Any]) -> Callable[..., Data]:
        def call(x: Data, diagonal: int = 0) -> Data:
            return np.where(kept(np.ones(x.shape[-2:], bool), diagonal), x, filled(x.shape, zero))

        return call

    def like(entry: Entry) -> Callable[[Data], Data]:
        return lambda x: bare(filled(np.shape(x), entry))

    def sum_to(x: Data, size: tuple[int, ...]) -> Data:
        lead = np.ndim(x) - len(size)
        kept = tuple(lead + i for i, n in enumerate(size) if n == 1)
        return reshape(total(x, (*range(lead), *kept), True), size)

    def matmul(x: Data, y: Data, strides: tuple[int, ...] = ()) -> Data:
        def product(row: list[Entry]) -> Entry:
            return entries.total(row)

        column = np.ndim(y) == 1
        right = y[:, None] if column else y
        terms = x[..., :, :, None] * right[..., None, :, :]  # (..., N, K, M)
        out = fold(terms, (terms.ndim - 2,), False, product)
        return out[..., 0] if column else out

    def restore_dims(x: Data, sizes: tuple[int, ...], dim: Dims, keepdim: bool) -> Data:
        if not keepdim and dim is not None:
            x = reshape(x, with_ones(sizes, dim))
        return expand(x, sizes)

    def put_at(values: Data, sizes: tuple[int, ...], key: Any) -> Data:
        out = filled(sizes, zero)
        np.add.at(out, picked(key), values)
        return out

    def put_along(values: Data, sizes: tuple[int, ...], dim: int, index: Any) -> Data:
        return put_at(values, sizes, along(integers(index), dim))

    def scatter(x: Data, dim: int, index: Any, values: Data) -> Data:
        out = np.array(x, object)
        out[along(integers(index), dim)] = each(number)(values)
        return out

    def put_slice(x: Data, sizes: tuple[int, ...], dim: int, index: int | slice) -> Data:
        out = filled(sizes, zero)
        out[key_along(dim, index, len(sizes))] = x
        return out

    def select(x: Data, dim: int, index: int) -> Data:
        return bare(x[key_along(dim, index, x.ndim)])

    def unbind(x: Data, dim: int) -> tuple[Data, ...]:
        return tuple(select(x, dim, i) for i in range(np.shape(x)[dim]))

    def reduce(losses: Data, reduction: int) -> Data:
        if reduction == 0:
            return losses
        return total(losses) / np.size(losses) if reduction == 1 else total(losses)

    def unreduce(grad: Data, sizes: tuple[int, ...], reduction: int) -> Data:
        if reduction == 0:
            return grad
        return expand(grad / math.prod(sizes) if reduction == 1 else grad, sizes)

    reshape = shaped(np.reshape)
    expand = shaped(np.broadcast_to)
    found = {
        "log1p": each(lambda x: entries.function("log", 1 + x)),
        "sigmoid": each(sigmoid),
        "softplus": each(softplus),
        **{name: named(name) for name in NAMED},
        "expm1": each(lambda x: entries.function("exp", x) - 1),
        "exp2": each(lambda x: number(2) ** x),
        "log2": each(lambda x: entries.function("log", x) / ln_2),
        "log10": each(lambda x: entries.function("log", x) / ln_10),
        "logaddexp": each(
            lambda x, y: entries.function(
                "log", entries.function("exp", x) + entries.function("exp", y)
            ),
            2,
        ),
        "logaddexp2": each(
            lambda x, y: entries.function("log", number(2) ** x + number(2) ** y) / ln_2, 2
        ),
        "lgamma": each(lambda x: entries.function("loggamma", x)),
        "digamma": each(lambda x: entries.function("polygamma", 0, x)),
        "polygamma": lambda n, x: each(lambda one: entries.function("polygamma", n, one))(x),
        "erfcx": each(erfcx),
        "ndtri": each(ndtri),
        "log_ndtr": each(log_ndtr),
        "refused": refused,
        "without_derivative": without_derivative,
        "hypot": each(lambda x, y: entries.function("sqrt", x * x + y * y), 2),
        "atan2": each(lambda y, x: entries.function("atan2", y, x), 2),
        "floor": named("floor"),
        "ceil": each(lambda x: -entries.function("floor", -x)),
        "round": named("nint"),
        "trunc": each(truncated),
        "remainder": each(lambda x, y: x - entries.function("floor", x / y) * y, 2),
        "fmod": each(lambda x, y: x - truncated(x / y) * y, 2),
        "power": each(entries.power, 2),
        "divide_down": each(lambda x, y: entries.function("floor", x / y), 2),
        "divide_to_zero": each(lambda x, y: truncated(x / y), 2),
        "heaviside": each(lambda x, at_0: choose(Choice(entries.above(number(x), zero)), 1, 0), 2),
        "isfinite": each(lambda x: Choice(one)),
        "isnan": each(lambda x: Choice(zero)),
        "xlogy": each(lambda x, y: x * entries.function("log", y), 2),
        "xlog1py": each(lambda x, y: x * entries.function("log", 1 + y), 2),
        "nan_to_num": lambda x, nan, posinf, neginf: x,  # entries are finite here
        "pi": pi,
        "ln_2": ln_2,
        "ln_10": ln_10,
        "trillionth": one / 10**12,
        "root_pi": entries.function("sqrt", pi),
        "root_2": root_2,
        "abs": each(entries.magnitude),
        "sign": each(entries.direction),
        "maximum": each(lambda x, y: entries.larger(number(x), number(y)), 2),
        "minimum": each(lambda x, y: entries.smaller(number(x), number(y)), 2),
        "fmax": each(lambda x, y: entries.larger(number(x), number(y)), 2),
        "fmin": each(lambda x, y: entries.smaller(number(x), number(y)), 2),
        "copysign": each(lambda x, y: entries.magnitude(x) * entries.direction(y), 2),
        "eq": each(lambda x, y: Choice(number(int(entries.equal(number(x), number(y))))), 2),
        "same": each(lambda x, y: Choice(number(int(entries.equal(number(x), number(y))))), 2),
        "gt": each(lambda x, y: Choice(entries.above(number(x), number(y))), 2),
        "le": each(lambda x, y: Choice(1 - entries.above(number(x), number(y))), 2),
        "lt": each(lambda x, y: Choice(entries.above(number(y), number(x))), 2),
        "ge": each(lambda x, y: Choice(1 - entries.above(number(y), number(x))), 2),
        "where": each(choose, 3),
        "unless": each(lambda mask, x: choose(mask, 0, x), 2),
        "sum": total,
        "mean": lambda x, dim=None, keepdim=False: total(x, dim, keepdim) / count(np.shape(x), dim),
        "amax": extreme(1),
        "amin": extreme(-1),
        "argmax": place(1),
        "argmin": place(-1),
        "zeros_like": like(zero),
        "ones_like": like(one),
        "size": np.shape,
        "count": count,
        "freedom": freedom,
        "inf": inf,
        "prod": product,
        "cumsum": lambda x, dim: running(x, dim, np.add),
        "cumprod": lambda x, dim: running(x, dim, np.multiply),
        "flip": shaped(flip),
        "roll": shaped(roll),
        "tile": shaped(np.tile),
        "tril": triangle(np.tril),
        "triu": triangle(np.triu),
        "argsort": argsort,
        "matmul": matmul,
        "sum_to": sum_to,
        "restore_dims": restore_dims,
        "reshape": reshape,
        "expand": expand,
        "permute": shaped(np.transpose),
        "transpose": shaped(np.swapaxes),
        "unsqueeze": shaped(np.expand_dims),
        "squeeze": shaped(np.squeeze),
        "whole": whole,
        "addresses": addresses,
        "along": along,
        "key_along": key_along,
        "with_ones": with_ones,
        "stack": lambda parts, dim=0: np.stack([np.asarray(p, object) for p in parts], dim),
        "cat": lambda parts, dim: np.concatenate(parts, dim),
        "select": select,
        "slice_": lambda x, dim, start, end, step: x[
            key_along(dim, slice(start, end, step), x.ndim)
        ],
        "take": lambda x, key: bare(x[picked(key)]),
        "gather": lambda x, dim, index: x[along(integers(index), dim)],
        "put_at": put_at,
        "put_along": put_along,
        "put_slice": put_slice,
        "scatter": scatter,
        "unbind": unbind,
        "reduce": reduce,
        "unreduce": unreduce,
        "astype": lambda x, dtype: x,  # exact entries have no type to be rounded to
        "copy": lambda x, contiguous=False: x,
    }
    found["others"] = read(others, found)
    found.update(kernel_primitives(found, entries, each(number)))
    for name in norms.COMPOSED:
        found[name] = read(getattr(norms, name), found)
    found.update(matrix_primitives(entries, found))
    return found
