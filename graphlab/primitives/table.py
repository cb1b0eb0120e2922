"""Every primitive, family by family, and where its three readings come from.

A family `f` has its functions in numpy_reading/f.py, whose docstrings say what a primitive means.
tensor_reading.py and the files of sympy_reading/ have functions under the same names.

Read next: primitives/numpy_reading/elementary.py
"""

from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from graphlab.primitives import rebind


class Family(NamedTuple):
    """The primitives of one file name, by kind.

    own: each reading has a function of its own.
    forward_only: as `own`, without a tensor reading: only forwards name it, and a forward of
        tensors is recorded as one node, never read.
    composed: written in other primitives; one formula, rebound to each reading.
    shared: a function of sizes, indices and Python numbers, or of operators alone; the same
        function serves in all readings.
    """

    own: str = ""
    forward_only: str = ""
    composed: str = ""
    shared: str = ""


FAMILIES = {
    "elementary": Family(
        own="abs constant cos cosh divide_down eq exp exp2 expm1 floor ge gt in_order isfinite "
        "isnan le ln_10 ln_2 log log1p lt maximum ones_like pi root_2 root_pi sigmoid sign "
        "sin sinh softplus sqrt tanh trillionth trunc unless where xlog1py xlogy zeros_beside "
        "zeros_like",
        forward_only="acos acosh asin asinh astype atan atan2 atanh ceil copy copysign "
        "divide_to_zero fmax fmin fmod heaviside hypot lerp log10 log2 "
        "logaddexp logaddexp2 minimum nan_to_num power remainder round tan",
        composed="same",
        shared="inf no_derivative refused without_derivative",
    ),
    "special_functions": Family(
        own="digamma erf erfc erfinv i0 i0e i1 i1e lgamma polygamma",
        forward_only="erfcx igamma igammac log_ndtr ndtri",
    ),
    "shapes": Family(
        own="cat expand flip permute reshape roll rot90 size squeeze stack sum_to transpose tril "
        "triu unsqueeze",
        forward_only="tile",
        composed="restore_dims",
        shared="with_ones",
    ),
    "reductions": Family(
        own="amax amin cumprod cumsum sum",
        forward_only="logcumsumexp mean prod",
        composed="lengths mean_of others over_channels p_norm p_norm_slope pairwise_slopes reduce "
        "rstd_of standardized standardized_back unreduce",
        shared="all_but channel_dims count freedom last_dims",
    ),
    "ranking": Family(
        forward_only="argmax argmin argsort kth_places median_places mode_places running_places "
        "top_places"
    ),
    "scatter_gather": Family(
        own="at_dim combine_along gather put put_along put_at put_slice scatter select slice_ take "
        "unbind",
        forward_only="largest_in_bags",
        shared="bag_counts bags_of shares used_rows",
    ),
    "strides": Family(
        own="diagonal put_diagonal",
        forward_only="as_strided unfold",
        composed="put_unfold",
        shared="addresses strided_places unfold_places",
    ),
    "matrices": Family(
        own="cofactors cross eye_like inv mT matmul matrix_exp pinv safe_softmax scale_of solve "
        "solve_triangular trilinear",
        forward_only="cholesky det eigh lu qr slogdet svd",
        composed="attention_scores lu_solved",
        shared="blend causal_mask row_exchanges times",
    ),
    "convolution": Family(
        own="add_windows windows",
        composed="convolve convolve_transposed correlate",
        shared="area transposed_sizes window_places",
    ),
    "pooling": Family(
        own="constant_pad",
        forward_only="largest",
        composed="add_window_sums pick put_picked set_picked window_sums",
        shared="adaptive_parts adaptive_spans packed_key pool_counts pool_places pool_spans "
        "reflected replicated",
    ),
    "resizing": Family(
        own="raw_entries resample resample_back",
        composed="corners grid_values mixed put_grid_values resampled resampled_back shuffled "
        "unshuffled",
        shared="base_grid cells cubic_means cubic_parts in_channels linear_means linear_parts "
        "nearest_exact_key nearest_key nearest_pixel pixel_of",
    ),
}
PRIMITIVES = {name for family in FAMILIES.values() for kind in family for name in kind.split()}


@cache
def numpy_functions(*kinds: str) -> tuple[tuple[str, Any], ...]:
    """Return (name, NumPy reading) of each primitive of these kinds.

    >>> sorted(name for name, _ in numpy_functions("composed"))[:3]
    ['add_window_sums', 'attention_scores', 'convolve']
    """
    return tuple(
        (primitive, getattr(import_module(f"graphlab.primitives.numpy_reading.{name}"), primitive))
        for name, family in FAMILIES.items()
        for kind in kinds
        for primitive in getattr(family, kind).split()
    )


def numpy_primitives() -> dict[str, Any]:
    """Return the NumPy reading of every primitive, by name."""
    return dict(numpy_functions(*Family._fields))


def complete(reading: dict[str, Any]) -> None:
    """Add the shared and the composed primitives to a reading that has its own functions."""
    reading.update(numpy_functions("shared"))
    reading.update((name, rebind(f, reading)) for name, f in numpy_functions("composed"))
