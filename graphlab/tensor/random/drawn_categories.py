"""Draw indices with given weights: `multinomial`.

Read next: tensor/random/filling.py
"""

import numpy as np

from graphlab.common.public import public
from graphlab.tensor.creation import make
from graphlab.tensor.functions.checks import need_tensor, type_name
from graphlab.tensor.random.generator import Generator
from graphlab.tensor.random.sampling import arranged, stream
from graphlab.tensor.tensor import Tensor


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

    >>> import graphlab as torch
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
    return make(places.reshape((*weights.shape[:-1], num_samples)).astype(np.int64), False)


def with_replacement(weights: np.ndarray, n: int, source: Generator) -> np.ndarray:
    """Draw n indices of one row, each from the whole row."""
    up_to = np.cumsum(weights, dtype=weights.dtype)
    up_to = up_to / up_to[-1]
    up_to[-1] = 1
    return np.searchsorted(up_to, source.uniform(n, double=True))
