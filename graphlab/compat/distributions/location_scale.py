"""The common part of the normal and the Laplace distribution: a location and a scale.

Read next: compat/distributions/normal.py
"""

from typing import Any

from graphlab.compat.distributions import constraints
from graphlab.compat.distributions.distribution import Distribution, batch_of, broadcast_all
from graphlab.tensor.tensor import Tensor


class LocationScale(Distribution):
    """The base of distributions whose density is symmetric about `loc` and largest there.

    loc: number or Tensor, the mean
    scale: number or Tensor > 0
    validate_args: bool, check parameters and samples
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}  # noqa: RUF012
    support = constraints.real
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(batch_of(self.loc, loc, scale), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc
