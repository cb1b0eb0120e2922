"""The categorical distribution: one of K classes.

Read next: compat/distributions/one_hot_categorical.py
"""

import math
from functools import cached_property
from typing import Any

from graphlab.autograd.grad_mode import no_grad
from graphlab.compat.distributions import constraints
from graphlab.compat.distributions.distribution import Distribution, log_of, one_of
from graphlab.tensor import functions as F
from graphlab.tensor.creation import full
from graphlab.tensor.functions.grids import broadcast_tensors
from graphlab.tensor.limits import finfo
from graphlab.tensor.ranges import arange
from graphlab.tensor.sizes import Size
from graphlab.tensor.tensor import Tensor


class Categorical(Distribution):
    """The categorical distribution: a class k of K has the probability `probs[k]`.

    A sample is the index of a class, an int64 in [0, K).

    probs: Tensor (..., K) ≥ 0, which is divided by its sum; or
    logits: Tensor (..., K), the logarithms of the probabilities up to a constant
    validate_args: bool, check parameters and samples
    Raises: ValueError unless one of `probs` and `logits` is given.

    >>> import graphlab as torch
    >>> Categorical(torch.tensor([1.0, 3.0])).log_prob(torch.tensor(1)).exp()
    tensor(0.7500)
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support = True

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        one_of(probs, logits)
        name, given = ("probs", probs) if probs is not None else ("logits", logits)
        if given.dim() < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        if probs is not None:
            self.probs = probs / F.sum(probs, -1, keepdim=True)
        else:
            self.logits = logits - F.logsumexp(logits, -1, keepdim=True)
        self._num_events = given.shape[-1]
        super().__init__(given.shape[:-1], validate_args=validate_args)

    @property
    def support(self) -> Any:
        return constraints.integer_interval(0, self._num_events - 1)

    @cached_property
    def logits(self) -> Tensor:
        return log_of(self.probs)[0]

    @cached_property
    def probs(self) -> Tensor:
        return F.softmax(self.logits, -1)

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter."""
        return Size((*self.batch_shape, self._num_events))

    @property
    def mean(self) -> Tensor:
        return full(self._extended_shape(), math.nan, dtype=self.probs.dtype)

    @property
    def variance(self) -> Tensor:
        return self.mean

    @property
    def mode(self) -> Tensor:
        return F.argmax(self.probs, -1)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        rows = F.reshape(self.probs, (-1, self._num_events))
        with no_grad():
            found = F.multinomial(rows, math.prod(sample_shape), True)
        return F.reshape(found.T, self._extended_shape(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        value, logits = broadcast_tensors(F.unsqueeze(value.long(), -1), self.logits)
        return F.squeeze(F.gather(logits, -1, value[..., :1]), -1)

    def entropy(self) -> Tensor:
        logits = F.clamp(self.logits, min=finfo(self.logits.dtype).min)
        return -F.sum(logits * self.probs, -1)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        values = arange(self._num_events).view(-1, *(1,) * len(self.batch_shape))
        return F.expand(values, -1, *self.batch_shape) if expand else values
