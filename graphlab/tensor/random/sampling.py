"""Tensors of random numbers: the same as in PyTorch for the same seed.

Read next: tensor/random/filling.py
"""

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from graphlab.autograd.decisions import came_from
from graphlab.autograd.grad_mode import state
from graphlab.autograd.operands import broadcast_error
from graphlab.autograd.record import apply
from graphlab.common.dtypes import dtype, float16, float64, get_default_dtype, int64, named
from graphlab.common.public import mark, public
from graphlab.primitives.numpy_reading.strides import is_expanded
from graphlab.tensor.creation import harmless, make, shape_of
from graphlab.tensor.functions.checks import C_TYPES, need_tensor, not_for, type_name
from graphlab.tensor.functions.picking import common_shape
from graphlab.tensor.random.generator import Generator, default_generator
from graphlab.tensor.tensor import Tensor, wrap


def stream(generator: Any, name: str) -> Generator:
    """Return the generator to draw from. Raises: TypeError for anything else."""
    if generator is None:
        return default_generator
    if not isinstance(generator, Generator):
        raise TypeError(
            f"{name}(): argument 'generator' must be torch._C.Generator, not "
            f"{type(generator).__name__}"
        )
    return generator


def drawn(
    kernel: str, draw: Any, shape: tuple[int, ...], kind: dtype, requires_grad: bool
) -> Tensor:
    """Return a tensor of `draw(n, double)` numbers. Raises: NotImplementedError for integers."""
    if not kind.is_floating_point:
        raise not_for(kernel, np.empty(0, kind.numpy))
    n = math.prod(shape)
    if kind is float16 and kernel == "normal_kernel_cpu" and n >= 16:
        values = draw(n - n % 16, False)
        if n % 16:  # the last 16 are drawn anew
            values = np.concatenate([values, values[: n % 16]])
            values[-16:] = draw(16, False)
    else:
        values = draw(n, kind is float64)
    return make(values.astype(kind.numpy, copy=False).reshape(shape), requires_grad)


def arranged(values: np.ndarray, data: np.ndarray) -> np.ndarray:
    """Return drawn numbers in the shape of `data`, in the order in which `data` is stored.

    PyTorch fills memory from its start to its end, whatever the order of the dimensions.
    """
    if data.flags.c_contiguous:
        return values.reshape(data.shape)
    order = sorted(range(data.ndim), key=lambda d: 0 if is_expanded(data) else -data.strides[d])
    return values.reshape([data.shape[d] for d in order]).transpose(np.argsort(order))


def of_size(name: str, kernel: str, method: str, what: str, shown: str) -> Callable[..., Tensor]:
    """Return the function that draws a tensor of a given size by a method of the generator."""

    def call(
        *sizes: Any,
        size: Any = None,
        generator: Generator | None = None,
        dtype: dtype | None = None,
        device: Any = None,
        requires_grad: bool = False,
        **ignored: Any,
    ) -> Tensor:
        if ignored or (device, dtype) != (None, None):
            harmless(name, {**ignored, "device": device, "dtype": dtype})
        draw = getattr(stream(generator, name), method)
        shape = shape_of(sizes if size is None else (size,), name)
        return drawn(kernel, draw, shape, named(name, dtype or get_default_dtype()), requires_grad)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"""Draw {what}.

    sizes: the shape, as ints or one tuple; size: the same by name. generator: the default one when
    None. dtype: the type, the default one when None. requires_grad: whether to record operations on
    it. ignored: options without effect, e.g. layout.

    >>> import graphlab as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.{name}(2)
    {shown}
    """
    return call


rand = of_size(
    "rand", "check_uniform_bounds", "uniform", "uniform random numbers in [0, 1)",
    "tensor([0.4963, 0.7682])",
)  # fmt: skip
randn = of_size(
    "randn", "normal_kernel_cpu", "normal",
    "normal random numbers with mean 0 and standard deviation 1", "tensor([ 1.5410, -0.2934])",
)  # fmt: skip
mark("rand randn", out=True)


@public(out=True)
def randint(
    low: Any = None,
    high: Any = None,
    size: Any = None,
    *,
    generator: Generator | None = None,
    dtype: dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
    **ignored: Any,
) -> Tensor:
    """Draw random integers in [low, high): `randint(10, (2, 3))` or `randint(5, 10, (2, 3))`.

    low: 0 when left out. size: a tuple of ints. generator: the default one when None. dtype: int64
    when None. requires_grad: whether to record operations on it, for floats.
    ignored: options without effect, e.g. layout. Raises: RuntimeError unless low < high.

    >>> torch.randint(5, 6, (2,))
    tensor([5, 5])
    """
    harmless("randint", {**ignored, "device": device, "dtype": dtype})
    if size is None and high is not None:
        low, high, size = 0, low, high
    elif high is None or low is None:
        low, high = 0, high if low is None else low
    if size is None or high is None:
        raise TypeError(
            "randint() received an invalid combination of arguments: expected a bound and a size, "
            "randint(high, size) or randint(low, high, size)"
        )
    shape, kind = shape_of((size,), "randint"), named("randint", dtype or int64)
    numbers = integers(stream(generator, "randint"), int(low), int(high), math.prod(shape), kind)
    return make(numbers.reshape(shape), requires_grad)


def integers(source: Generator, low: int, high: int, n: int, kind: dtype) -> np.ndarray:
    """Draw n integers in [low, high). Raises: RuntimeError for an empty range or a misfit."""
    if low >= high:
        raise RuntimeError(
            f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}"
        )
    if not kind.is_floating_point:
        least, most = (0, 1) if kind.numpy.kind == "b" else limits_of(kind)
        for name, bound in (("from", low), ("to - 1", high - 1)):
            if not least <= bound <= most:
                own = C_TYPES[kind.name].removesuffix(" int")  # "short", "long"
                raise RuntimeError(f"{name} is out of bounds for {own}")
    return source.integers(low, high, n).astype(kind.numpy)


def limits_of(kind: dtype) -> tuple[int, int]:
    """Return the least and the largest integer of a type."""
    info = np.iinfo(kind.numpy)
    return int(info.min), int(info.max)


@public(out=True)
def randperm(
    n: int,
    *,
    generator: Generator | None = None,
    dtype: dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
    **ignored: Any,
) -> Tensor:
    """Return the integers 0 to n - 1 in random order: (n,).

    generator: the default one when None. dtype: int64 when None. requires_grad: whether to record
    operations on it, for floats. ignored: options without effect, e.g. layout.

    >>> torch.randperm(4).sort().values
    tensor([0, 1, 2, 3])
    """
    harmless("randperm", {**ignored, "device": device, "dtype": dtype})
    if n < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
    order = stream(generator, "randperm").permutation(operator.index(n))
    return make(np.array(order, (dtype or int64).numpy), requires_grad)


# -- distributions -----------------------------------------------------------------------------


@public(out=True)
def normal(
    mean: Any = 0.0,
    std: Any = 1.0,
    size: Any = None,
    *,
    generator: Generator | None = None,
    dtype: dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
    **ignored: Any,
) -> Tensor:
    """Draw normal random numbers; mean and std may be tensors, with a number for each entry.

    mean: 0 by default; std: the standard deviation, 1 by default; size: the shape when both are
    numbers. generator: the default one when None. dtype: the type, the default one when None.
    requires_grad: whether to record operations on it. ignored: options without effect, e.g. layout.
    The gradient of a mean or std is 0, and recorded, as in PyTorch.

    >>> _ = torch.manual_seed(0)
    >>> torch.normal(10.0, torch.ones(2))
    tensor([11.5410,  9.7066])
    """
    harmless("normal", {**ignored, "device": device, "dtype": dtype})
    source = stream(generator, "normal")
    if not isinstance(std, Tensor) and std < 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    if not isinstance(mean, Tensor) and not isinstance(std, Tensor):
        if size is None:
            raise TypeError(
                "normal() received an invalid combination of arguments: expected a size beside two "
                "numbers"
            )
        kind = dtype or get_default_dtype()
        draw = lambda n, double: source.normal_around(mean, std, n, double)  # noqa: E731
        return drawn("normal_kernel_cpu", draw, shape_of((size,), "normal"), kind, requires_grad)
    if isinstance(std, Tensor) and (np.asarray(std._data) < 0).any():
        raise RuntimeError("normal expects all elements of std >= 0.0")
    given = [x for x in (mean, std) if isinstance(x, Tensor)]
    shape, kind = common_shape(*given), given[0].dtype
    data = np.asarray(randn(shape, generator=source, dtype=kind)._data)
    center, spread = (x._data if isinstance(x, Tensor) else x for x in (mean, std))
    result = make((data * spread + center).astype(kind.numpy), False)
    from graphlab.ops.rounding import Poisson
    from graphlab.tensor.inplace import compared, renamed

    if len(given) == 2:
        node = compared(mean, std, result, "NormalBackward3")
    else:  # a draw, too
        node = apply(Poisson, given[0], drawn=result._data)._node
        node = renamed(node, f"NormalBackward{1 if given[0] is mean else 2}")
    result = wrap(result._data, node is not None, node)
    return came_from(result, given) if node is None else result


@public(method=True, out=True)
def bernoulli(
    input: Tensor, p: float | None = None, *, generator: Generator | None = None
) -> Tensor:
    """Draw 1 with the probability that each entry gives, or `p`, else 0. input: (...) -> (...).

    generator: the default one when None. The gradient is 0, and recorded, as in PyTorch.

    >>> torch.bernoulli(torch.tensor([0.0, 1.0]))
    tensor([0., 1.])
    """
    need_tensor("bernoulli", "input", 1, input)
    source, data = stream(generator, "bernoulli"), np.asarray(input._data)
    if p is not None:
        chosen = source.uniform(data.size, double=True) < probability(p)
    else:
        if data.dtype.kind != "f":
            raise not_for("bernoulli_tensor_cpu_p_", input)
        if not ((data >= 0) & (data <= 1)).all():
            raise RuntimeError(NO_PROBABILITY)
        chosen = source.uniform(data.size, data.dtype == np.float64) < data.reshape(-1)
    from graphlab.ops.rounding import Bernoulli

    return apply(Bernoulli, input, chosen=chosen.reshape(data.shape))


NO_PROBABILITY = (
    "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be "
    "improved?  If so, please report an enhancement request to PyTorch.)"
)


def probability(p: float) -> float:
    """Return the number. Raises: RuntimeError unless it is a probability."""
    if not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
    return p


@public()
def poisson(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Draw numbers of events, where each entry is the expected number. input: (...) -> (...).

    generator: the default one when None. The gradient is 0, and recorded, as in PyTorch.

    >>> torch.poisson(torch.tensor([0.0, 0.0]))
    tensor([0., 0.])
    """
    need_tensor("poisson", "input", 1, input)
    data, source = np.asarray(input._data), stream(generator, "poisson")
    if not (data >= 0).all():
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    found = [source.poisson(rate) for rate in data.reshape(-1).tolist()]
    from graphlab.ops.rounding import Poisson

    return apply(Poisson, input, drawn=np.array(found, data.dtype).reshape(data.shape))


@public()
def binomial(count: Tensor, prob: Tensor, generator: Generator | None = None) -> Tensor:
    """Draw numbers of successes. count: (...) of trials, prob: (...) of a success -> (...).

    generator: the default one when None. Raises: RuntimeError for two types, or for a gradient.

    >>> torch.binomial(torch.tensor([5.0, 5.0]), torch.tensor([0.0, 1.0]))
    tensor([0., 5.])
    """
    for at, (name, tensor) in enumerate((("count", count), ("prob", prob)), 1):
        need_tensor("binomial", name, at, tensor)
        if tensor._data.dtype.kind != "f":
            given = f"floating-point dtypes for {name}, got: {type_name(tensor)}"
            raise ValueError(f"binomial only supports {given}")
    if count._data.dtype != prob._data.dtype:
        raise RuntimeError(f"Found dtype {type_name(prob)} but expected {type_name(count)}")
    if error := broadcast_error(count._data.shape, prob._data.shape):
        raise error
    n, p = np.broadcast_arrays(count._data, prob._data)
    if state.recording and (count.requires_grad or prob.requires_grad):
        raise RuntimeError("derivative for aten::binomial is not implemented")
    draw = stream(generator, "binomial").binomial
    found = [*map(draw, n.reshape(-1).tolist(), p.reshape(-1).tolist())]
    return came_from(make(np.array(found, p.dtype).reshape(p.shape), False), (count, prob))


@public(method=True, out=True)
def multinomial(
    input: Tensor,
    num_samples: int,
    replacement: bool = False,
    *,
    generator: Generator | None = None,
) -> Tensor:
    """Draw `num_samples` indices, with the weights in each row.

    input: (K,) -> (num_samples,) or (N, K) -> (N, num_samples).
    replacement: whether an index may be drawn several times. generator: the default one when None.
    Raises: RuntimeError for weights that are negative, not finite or too few.

    >>> torch.multinomial(torch.tensor([0.0, 1.0]), 1)
    tensor([1])
    """
    need_tensor("multinomial", "input", 1, input)
    weights = np.asarray(input._data)
    if weights.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if weights.dtype.kind != "f":
        raise RuntimeError(
            "multinomial only supports floating-point dtypes for input, got: " + type_name(input)
        )
    if num_samples <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and num_samples > weights.shape[-1]:
        raise RuntimeError(
            "cannot sample n_sample > prob_dist.size(-1) samples without replacement"
        )
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if (weights.sum(-1) <= 0).any():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    source = stream(generator, "multinomial")
    rows = np.atleast_2d(weights)
    if replacement and num_samples > 1:
        places = np.stack([with_replacement(row, num_samples, source) for row in rows])
    else:  # the indices with the largest weight / (exponential number), a sample without repetition
        clocks = arranged(source.exponential(1.0, rows.size).astype(rows.dtype), rows)
        order = np.argsort(-(rows / clocks), axis=1, kind="stable")
        places = order[:, :num_samples]
    places = places.reshape((*weights.shape[:-1], num_samples)).astype(np.int64)
    return came_from(make(places, False), (input,))


def with_replacement(weights: np.ndarray, n: int, source: Generator) -> np.ndarray:
    """Draw n indices of one row, each from the whole row."""
    up_to = np.cumsum(weights, dtype=weights.dtype)
    up_to = up_to / up_to[-1]
    up_to[-1] = 1
    return np.searchsorted(up_to, source.uniform(n, double=True))
