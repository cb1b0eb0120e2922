"""Where the two libraries may differ, and why: narrow rules by name. Everything else counts.

A rule says for which functions, and at which inputs, entries are not compared: where PyTorch itself
gives several answers (its vectorized and its scalar code, the order of its sums), or one that
depends on rounding alone. Shapes, types, errors and what is written are always compared.
docs/pytorch-differences.md says the same in words.

Read next: tests/fuzz/outcomes.py
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Arrays = list[np.ndarray]


@dataclass(frozen=True)
class Rule:
    """names: of functions and operations, without the mark of writing in place.

    where: whether the arrays that a call is given are such; gradients: only they are left out.
    """

    names: str
    why: str
    where: Callable[[Any, Arrays], bool] = lambda call, arrays: True
    gradients: bool = False


def floats(arrays: Arrays) -> Arrays:
    return [a for a in arrays if a.dtype.kind == "f"]


def nan(call: Any, arrays: Arrays) -> bool:
    return any(np.isnan(a).any() for a in floats(arrays))


def not_finite(call: Any, arrays: Arrays) -> bool:
    return any(not np.isfinite(a).all() for a in floats(arrays))


def infinite(call: Any, arrays: Arrays) -> bool:
    return any(np.isinf(a).any() for a in floats(arrays))


def beyond(bound: float) -> Callable[[Any, Arrays], bool]:
    """Whether an entry is larger than a bound, or not finite."""
    return lambda call, arrays: any(not (np.abs(a) < bound).all() for a in floats(arrays))


def overflowing(call: Any, arrays: Arrays) -> bool:
    """Whether the product of all entries but 0 overflows."""
    with np.errstate(all="ignore"):
        return any(not np.isfinite(np.prod(a[a != 0])) for a in floats(arrays))


def pole(call: Any, arrays: Arrays) -> bool:
    """Whether an entry is 0 or a negative whole or half number."""
    return any(np.any((a <= 0) & (np.mod(a, 0.5) == 0)) for a in arrays)


def order_of_0(call: Any, arrays: Arrays) -> bool:
    """Whether a norm is of order 0: no entry changes it."""
    given = [*call.args[1:], *call.options.values()]
    return any(isinstance(x, int | float) and x == 0 for x in given)


def strided_weight(call: Any, arrays: Arrays) -> bool:
    return any(spec.layout != "plain" for spec in call.specs[1:])


def unsorted(call: Any, arrays: Arrays) -> bool:
    return any(a.ndim and np.any(a[..., 1:] < a[..., :-1]) for a in arrays[:1])


def stretched(call: Any, arrays: Arrays) -> bool:
    return any(spec.layout == "stretched" for spec in call.specs)


def half(call: Any, arrays: Arrays) -> bool:
    return any(a.dtype == np.float16 for a in arrays)


def by_place(call: Any, arrays: Arrays) -> bool:
    return len(call.args) > 1


def singular(call: Any, arrays: Arrays) -> bool:
    """Whether a matrix has no full rank; of a single number, whether it is 0."""
    found = [np.nan_to_num(np.atleast_2d(a).astype(np.float64)) for a in arrays if a.size]
    return any(np.any(np.linalg.matrix_rank(a) < min(a.shape[-2:])) for a in found)


def bounds_of_nan(call: Any, arrays: Arrays) -> bool:
    return any(x != x for x in (*call.args, *call.options.values()) if isinstance(x, float))


RANGED = {"uint8", "int8", "int16", "int32", "int64"}
NORMS = "norm vector_norm matrix_norm linalg_vector_norm dist pairwise_distance triplet_margin_loss"
NORMALIZED = (
    "batch_norm native_batch_norm group_norm native_group_norm layer_norm native_layer_norm "
    "instance_norm rms_norm"
)
LAPACK = (
    "matrix_rank slogdet logdet det cond matrix_exp linalg_matrix_exp inv pinv lstsq solve eigh "
    "eigvalsh svdvals cholesky matrix_power matrix_norm "
    "multi_dot linalg_solve_ex linalg_inv_ex inverse solve_ex inv_ex "
    "linalg_cholesky_ex cholesky_solve lu_factor lu_factor_ex lu_solve linalg_lu_factor_ex "
    "linalg_lu_solve"
)
RULES = (
    Rule("svd qr eigh lstsq pinverse pinv cholesky_inverse triangular_solve linalg_svd linalg_qr "
         "linalg_eigh linalg_lstsq linalg_pinv pca_lowrank svd_lowrank", "one choice of several: "
         "signs, bases, what is left of an elimination"),
    Rule("mode", "std::sort, which nan puts in no order", nan),
    Rule("unique", "the order of slices with nan", nan),
    Rule("searchsorted bucketize", "a sequence that is not sorted", unsorted),
    Rule("median nanmedian", "which of equal entries is named", stretched),
    Rule("unique_consecutive", "return_inverse without its name gives an empty inverse", by_place),
    Rule("gelu", "the vectorized erf of ∞ is nan, the scalar one 1", infinite),
    Rule("elu celu selu hardshrink softshrink hardtanh hardswish relu6", "x > b is false "
         "for nan and so is x <= b: the vectorized and the scalar code ask differently", nan,
         gradients=True),
    Rule("digamma psi polygamma lgamma mvlgamma multigammaln", "at a pole it divides by sin π, "
         "which is not 0; +0 and -0 differ", pole),
    Rule("polygamma", "ζ(s, ∞) is nan", infinite),
    Rule("logit", "the slopes at +0 and -0", lambda _, arrays: any(np.any(a == 0) for a in arrays),
         gradients=True),
    Rule("sinc", "cos πx - sin πx / πx loses digits near 0, and in float16 everywhere",
         lambda call, arrays: half(call, arrays) or any(np.any(np.abs(a) < 1e-2) for a in arrays),
         gradients=True),
    Rule("atan2 arctan2", "-x of uint8 wraps around in its gradient",
         lambda call, arrays: any(a.dtype == np.uint8 for a in arrays), gradients=True),
    Rule("cumprod prod prod_dim", "without a zero it divides the product by the entry: nan where "
         "that overflows", overflowing, gradients=True),
    Rule("logcumsumexp", "it adds the logarithm of the gradient to the entry, whose digits it "
         "loses beside a large one", beyond(1e4), gradients=True),
    Rule("var var_mean std std_mean", "Welford's running mean ends in nan or ∞, by the place of an "
         "infinite entry", infinite),
    Rule("var var_mean std std_mean dist cdist pdist " + NORMALIZED, "a square overflows in "
         "float32; some kernels sum in float64", beyond(1e18)),
    Rule(NORMALIZED + " weight_norm_interface", "the weight is multiplied by 1/σ first: ∞ - ∞",
         not_finite),
    Rule("native_batch_norm batch_norm", "the backward pass reads a strided weight as if it lay in "
         "a row", strided_weight, gradients=True),
    Rule("cdist pdist embedding_bag", "a maximum that skips nan", not_finite),
    Rule("scaled_dot_product_flash_attention_for_cpu scaled_dot_product_attention",
         "a row with nan counts as masked", not_finite),
    Rule("grid_sampler2d grid_sample trilinear bilinear view convolution conv1d "
         "conv2d conv3d", "0 · ∞ is nan in vectorized code, and left out in other code",
         not_finite),
    Rule("upsample_linear1d upsample_bilinear2d upsample_trilinear3d upsample_bicubic2d "
         "interpolate upsample", "places in float32: a weight that is 0 or nearly 0, times ∞",
         infinite),
    Rule("grid_sampler2d trilinear normalize", "steps are rounded to float16", half),
    Rule("pow float_power", "x to ±1/2 is a root, of -∞ too, in one kernel of two", infinite),
    Rule(LAPACK, "LAPACK says nothing about nan and ∞", not_finite),
    Rule("det slogdet logdet", "the gradient at a singular matrix is that of its rounding errors",
         singular, gradients=True),
    Rule("logspace linspace", "a number beyond the range of an integer type",
         lambda call, arrays: any(str(x) in RANGED for x in call.options.values())),
    Rule("ldexp", "2 to a negative power in integers is 0", lambda call, arrays: any(
        a.dtype.kind == "i" and np.any(a < 0) for a in arrays), gradients=True),
    Rule("hardtanh clamp clip", "bounds of nan", bounds_of_nan, gradients=True),
    Rule(NORMS, "the gradient of a norm of order 0 is None instead of zeros", order_of_0,
         gradients=True),
)  # fmt: skip
# PyTorch ends the process
CRASHES = (
    Rule(
        "pdist",
        "its backward pass without columns",
        lambda call, arrays: not all(a.size for a in arrays),
    ),
    Rule("eig eigvals", "nan in a matrix", not_finite),
)


def rules_for(call: Any, rules: tuple[Rule, ...] = RULES) -> list[Rule]:
    """The rules that hold for a call."""
    name = call.name.rstrip("_")
    found = [rule for rule in rules if name in rule.names.split()]
    arrays = [spec.memory for spec in call.specs] if found else []
    with np.errstate(all="ignore"):
        return [rule for rule in found if rule.where(call, arrays)]
