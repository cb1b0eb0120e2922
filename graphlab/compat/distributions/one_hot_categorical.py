"""The categorical distribution over one-hot vectors.

Read next: compat/distributions/multinomial.py
"""

from typing import Any

from graphlab.compat.distributions import constraints
from graphlab.compat.distributions.categorical import Categorical
from graphlab.compat.distributions.distribution import Distribution, broadcast_all
from graphlab.nn.functional.embeddings import one_hot
from graphlab.tensor import functions as F
from graphlab.tensor.tensor import Tensor


class ClassVectors(Distribution):
    """The base of distributions of vectors (..., K) with one entry for each of K classes.

    probs, logits: as for Categorical
    """

    arg_constraints = Categorical.arg_constraints

    def __init__(self, probs: Any, logits: Any, validate_args: bool | None) -> None:
        self._categorical = Categorical(probs, logits)
        shape = self._categorical.param_shape
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    @property
    def probs(self) -> Tensor:
        """The probabilities of the classes: (..., K)."""
        return self._categorical.probs

    @property
    def logits(self) -> Tensor:
        """The logarithms of the probabilities: (..., K)."""
        return self._categorical.logits

    @property
    def param_shape(self) -> Any:
        """The shape of the parameter."""
        return self._categorical.param_shape

    def expand(self, batch_shape: Any) -> Distribution:
        new: Any = super().expand(batch_shape)
        new._categorical = self._categorical.expand(batch_shape)
        return new


class OneHotCategorical(ClassVectors):
    """The categorical distribution over one-hot vectors: 1 at the class, 0 elsewhere.

    probs: Tensor (..., K) ≥ 0, which is divided by its sum; or
    logits: Tensor (..., K), the logarithms of the probabilities up to a constant
    validate_args: bool, check parameters and samples

    >>> import graphlab as torch
    >>> OneHotCategorical(torch.tensor([0.0, 1.0])).sample()
    tensor([0., 1.])
    """

    support = constraints.one_hot
    has_enumerate_support = True

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        super().__init__(probs, logits, validate_args)

    @property
    def mean(self) -> Tensor:
        return self.probs

    @property
    def mode(self) -> Tensor:
        return one_hot(self._categorical.mode, self.event_shape[0]).to(self.probs.dtype)

    @property
    def variance(self) -> Tensor:
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        found = self._categorical.sample(sample_shape)
        return one_hot(found, self.event_shape[0]).to(self.probs.dtype)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        value, _ = broadcast_all(value, self.logits)
        return self._categorical.log_prob(F.argmax(value, -1))

    def entropy(self) -> Tensor:
        return self._categorical.entropy()

    def enumerate_support(self, expand: bool = True) -> Tensor:
        numbers = self._categorical.enumerate_support(expand)
        return one_hot(numbers, self.event_shape[0]).to(self.probs.dtype)
