"""Random counts: how often something happens, and how many of several trials succeed.

Read next: tensor/random/filling.py
"""

import numpy as np

from graphlab.autograd.decisions import came_from
from graphlab.autograd.grad_mode import state
from graphlab.autograd.operands import broadcast_error
from graphlab.autograd.record import apply
from graphlab.common.public import public
from graphlab.tensor.creation import make
from graphlab.tensor.functions.checks import need_tensor, type_name
from graphlab.tensor.random.generator import Generator
from graphlab.tensor.random.sampling import stream
from graphlab.tensor.tensor import Tensor


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

    generator: the default one when None. Raises: ValueError for integers, RuntimeError for two
    types, or if a derivative would be recorded, which there is none of.

    >>> torch.binomial(torch.tensor([5.0, 5.0]), torch.tensor([0.0, 1.0]))
    tensor([0., 5.])
    """
    need_tensor("binomial", "count", 1, count)
    need_tensor("binomial", "prob", 2, prob)
    for name, tensor in (("count", count), ("prob", prob)):
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
    source = stream(generator, "binomial")
    pairs = zip(n.reshape(-1).tolist(), p.reshape(-1).tolist(), strict=True)
    found = [source.binomial(*pair) for pair in pairs]
    return came_from(make(np.array(found, p.dtype).reshape(p.shape), False), (count, prob))
