"""Fill tensors with random numbers: `x.uniform_()`, `x.normal_(0, 2)`; `torch.rand_like(x)`.

Read next: tensor/random/generator.py
"""

from typing import Any

import numpy as np

from graphlab.common.dtypes import dtype, float64
from graphlab.common.public import public
from graphlab.tensor.creation import harmless, make
from graphlab.tensor.functions.checks import need_floats, need_tensor, type_name
from graphlab.tensor.functions.shapes import expand
from graphlab.tensor.inplace import filled
from graphlab.tensor.random.generator import Generator
from graphlab.tensor.random.sampling import (
    arranged,
    integers,
    limits_of,
    probability,
    rand,
    randint,
    randn,
    stream,
)
from graphlab.tensor.tensor import Tensor


def fill(self: Tensor, values: np.ndarray, node: str) -> Tensor:
    """Write numbers into a tensor in the order of its memory; `node` names what is recorded."""
    data = np.asarray(self._data)
    return filled(self, arranged(values, data).astype(data.dtype, copy=False)[()], node)


def is_double(self: Tensor) -> bool:
    """Return whether numbers are drawn in double precision."""
    return self._data.dtype == np.float64


def floating(self: Tensor, kernel: str) -> Tensor:
    """Return the tensor. Raises: NotImplementedError for integers."""
    need_floats(kernel, self)
    return self


@public(function=False, method=True)
def uniform_(
    self: Tensor,
    to_from: float = 0.0,
    to: float = 1.0,
    *,
    generator: Generator | None = None,
    **named: float,
) -> Tensor:
    """Fill with numbers from [from, to).

    to_from: the lower bound, `from` in `named`. to: the upper bound. generator: the source of the
    numbers; None for the one that `manual_seed` sets.

    >>> import graphlab
    >>> x = graphlab.zeros(3).uniform_(2, 3)
    >>> bool((x >= 2).all() and (x < 3).all())
    True
    """
    low = named.get("from", to_from)
    floating(self, "check_uniform_bounds")
    if low > to:
        raise RuntimeError(
            f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={to:g}"
        )
    source = stream(generator, "uniform_")
    return fill(
        self, source.uniform_between(low, to, self.numel(), is_double(self)), "UniformBackward0"
    )


@public(function=False, method=True)
def normal_(
    self: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Generator | None = None
) -> Tensor:
    """Fill with numbers of a normal distribution.

    mean, std: its mean and standard deviation, std >= 0. generator: as for `uniform_`.

    >>> import graphlab
    >>> graphlab.zeros(3).normal_(mean=5, std=0)
    tensor([5., 5., 5.])
    """
    floating(self, "normal_kernel_cpu")
    if std < 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    source, n = stream(generator, "normal_"), self.numel()
    if n < 16 or self._data.flags.c_contiguous:
        return fill(self, source.normal_around(mean, std, n, is_double(self)), "NormalBackward0")
    each = [source.normal_around(mean, std, 1, is_double(self)) for _ in range(n)]
    return fill(self, np.concatenate(each), "NormalBackward0")


@public(function=False, method=True)
def log_normal_(
    self: Tensor, mean: float = 1.0, std: float = 2.0, *, generator: Generator | None = None
) -> Tensor:
    """Fill with numbers whose logarithm has a normal distribution.

    mean, std: of the logarithm. generator: as for `uniform_`.

    >>> import graphlab
    >>> bool((graphlab.zeros(3).log_normal_() > 0).all())
    True
    """
    floating(self, "log_normal_cpu")
    source = stream(generator, "log_normal_")
    each = [source.normal_around(mean, std, 1, True) for _ in range(self.numel())]
    return fill(self, np.exp(np.concatenate(each) if each else np.empty(0)), "LogNormalBackward0")


@public(function=False, method=True)
def exponential_(self: Tensor, lambd: float = 1.0, *, generator: Generator | None = None) -> Tensor:
    """Fill with numbers of an exponential distribution.

    lambd: its rate, > 0. generator: as for `uniform_`.

    >>> import graphlab
    >>> bool((graphlab.zeros(3).exponential_(2.0) > 0).all())
    True
    """
    if self._data.dtype.kind != "f":
        raise RuntimeError(
            "Exponential distribution is a continuous probability distribution. dtype must be a "
            f"floating point but you specified {type_name(self)}"
        )
    if lambd <= 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd:g}")
    return fill(
        self,
        stream(generator, "exponential_").exponential(lambd, self.numel()),
        "ExponentialBackward0",
    )


@public(function=False, method=True)
def geometric_(self: Tensor, p: float, *, generator: Generator | None = None) -> Tensor:
    """Fill with numbers of trials until the first that succeeds.

    p: the probability of success, 0 < p < 1. generator: as for `uniform_`.

    >>> import graphlab
    >>> bool((graphlab.zeros(3).geometric_(0.5) >= 1).all())
    True
    """
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p:g}")
    u = stream(generator, "geometric_").uniform(self.numel(), double=True)
    return fill(self, np.ceil(np.log(u) / np.log(1 - p)), "GeometricBackward0")


@public(function=False, method=True)
def cauchy_(
    self: Tensor, median: float = 0.0, sigma: float = 1.0, *, generator: Generator | None = None
) -> Tensor:
    """Fill with numbers of a Cauchy distribution.

    median: its middle. sigma: half the distance between its quartiles. generator: as for
    `uniform_`.

    >>> import graphlab
    >>> graphlab.zeros(3).cauchy_(median=5, sigma=0)
    tensor([5., 5., 5.])
    """
    floating(self, "cauchy_cpu")
    u = stream(generator, "cauchy_").uniform(self.numel(), double=True)
    return fill(self, median + sigma * np.tan(np.pi * (u - 0.5)), "CauchyBackward0")


@public(function=False, method=True)
def bernoulli_(self: Tensor, p: Any = 0.5, *, generator: Generator | None = None) -> Tensor:
    """Fill with 1 with probability `p`, a number or a tensor, else with 0.

    generator: as for `uniform_`.

    >>> import graphlab
    >>> graphlab.zeros(3).bernoulli_(1.0)
    tensor([1., 1., 1.])
    """
    source, n = stream(generator, "bernoulli_"), self.numel()
    if isinstance(p, Tensor):
        likely = np.reshape(expand(p, tuple(self.shape))._data, -1)
        return fill(self, source.uniform(n, is_double(p)) < likely, "BernoulliBackward1")
    return fill(self, source.uniform(n, double=True) < probability(p), "BernoulliBackward2")


@public(function=False, method=True)
def random_(
    self: Tensor, low: int | None = None, high: int | None = None, *, generator: Any = None
) -> Tensor:
    """Fill with integers in [low, high), in [0, low), or with any that the type can hold.

    generator: as for `uniform_`.

    >>> import graphlab
    >>> graphlab.zeros(3).random_(7, 8)
    tensor([7., 7., 7.])
    """
    source, n, kind = stream(generator, "random_"), self.numel(), self.dtype
    if low is not None:
        node = "RandomBackward1" if high is None else "RandomBackward0"
        low, high = (0, low) if high is None else (low, high)
        return fill(self, integers(source, low, high, n, kind), node)
    if kind.numpy.kind == "b":
        most = 1
    elif kind.is_floating_point:
        most = 1 << (np.finfo(kind.numpy).nmant + 1)
    else:
        most = limits_of(kind)[1]
    draws = source.bits(n, wide=kind.numpy.itemsize == 8)
    return fill(self, (draws % np.uint64(most + 1)).astype(kind.numpy), "RandomBackward2")


def drawn_like(made: Tensor, input: Tensor) -> Tensor:
    """Return a tensor of drawn numbers, reordered in memory as `input` is stored."""
    data = np.asarray(input._data)
    if not data.flags.c_contiguous:
        made._data = arranged(made._data, data)
    return made


@public()
def rand_like(input: Tensor, *, dtype: dtype | None = None, **options: Any) -> Tensor:
    """Draw uniform random numbers in [0, 1) in the shape of `input`.

    dtype: the type, that of `input` when None. options: as for `rand`.

    >>> torch.rand_like(torch.ones(2, 3)).shape
    torch.Size([2, 3])
    """
    need_tensor("rand_like", "input", 1, input)
    kind = input.dtype if dtype is None else dtype
    return drawn_like(rand(tuple(input.shape), dtype=kind, **options), input)


@public()
def randn_like(input: Tensor, *, dtype: dtype | None = None, **options: Any) -> Tensor:
    """Draw normal random numbers, mean 0 and standard deviation 1, in the shape of `input`.

    dtype: the type, that of `input` when None. options: as for `randn`.

    >>> torch.randn_like(torch.ones(2, 3)).shape
    torch.Size([2, 3])
    """
    need_tensor("randn_like", "input", 1, input)
    kind, size = input.dtype if dtype is None else dtype, tuple(input.shape)
    in_a_row = np.empty_like(input._data).flags.c_contiguous
    if in_a_row or input.numel() < 16 or not kind.is_floating_point:
        return drawn_like(randn(size, dtype=kind, **options), input)
    source, requires_grad = options.pop("generator", None), options.pop("requires_grad", False)
    harmless("randn_like", options)
    source, double = stream(source, "randn_like"), kind is float64
    each = np.concatenate([source.normal(1, double) for _ in range(input.numel())])
    return drawn_like(make(each.astype(kind.numpy).reshape(size), requires_grad), input)


@public()
def randint_like(
    input: Tensor, low: int, high: int | None = None, *, dtype: dtype | None = None, **options: Any
) -> Tensor:
    """Draw random integers in [low, high) in the shape of `input`; low alone means [0, low).

    dtype: the type, that of `input` when None. options: as for `randint`.

    >>> torch.randint_like(torch.ones(2), 5, 6)
    tensor([5., 5.])
    """
    need_tensor("randint_like", "input", 1, input)
    low, high = (0, low) if high is None else (low, high)
    kind = input.dtype if dtype is None else dtype
    return drawn_like(randint(low, high, tuple(input.shape), dtype=kind, **options), input)
