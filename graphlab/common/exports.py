"""Where every public function of tensors lives: derived from the marks `@public(...)`.

A module is loaded when one of its names is first used, so that `import graphlab` stays quick
however many functions there are. `python -m tests.core.public_names --update` writes the table
anew; a test compares it with the marks.

Read next: tensor/functions/from_ops.py
"""

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

# derived: what they are -> module -> names
TABLE: dict[str, dict[str, str]] = {
    "function": {
        "autograd.anomaly": "is_anomaly_check_nan_enabled is_anomaly_enabled set_anomaly_enabled",
        "autograd.grad_mode": "inference_mode is_inference_mode_enabled",
        "common.devices": (
            "channels_last channels_last_3d contiguous_format device get_default_device layout "
            "memory_format preserve_format set_default_device strided"
        ),
        "common.settings": (
            "are_deterministic_algorithms_enabled get_float32_matmul_precision get_num_threads "
            "set_float32_matmul_precision set_num_threads use_deterministic_algorithms"
        ),
        "compat.func.vmap": "vmap",
        "nn.functional.activation": "celu celu_ selu selu_",
        "nn.functional.adaptive_pooling": "adaptive_avg_pool1d",
        "nn.functional.convolution": (
            "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d"
        ),
        "nn.functional.dropouts": (
            "alpha_dropout alpha_dropout_ dropout dropout_ feature_alpha_dropout "
            "feature_alpha_dropout_ feature_dropout feature_dropout_"
        ),
        "nn.functional.normalization": "group_norm layer_norm rms_norm",
        "nn.functional.piecewise": "hardshrink prelu rrelu rrelu_ threshold threshold_",
        "nn.functional.pooling": "avg_pool1d max_pool1d max_pool2d max_pool3d",
        "nn.functional.resizing": "channel_shuffle pixel_shuffle pixel_unshuffle",
        "tensor.creation": "as_tensor asarray from_numpy ones_like scalar_tensor tensor zeros_like",
        "tensor.creation_like": "empty_like empty_strided full_like",
        "tensor.functions.choosing": "imag is_signed real typename",
        "tensor.functions.contractions": "bilinear cdist",
        "tensor.functions.conversions": "from_dlpack frombuffer",
        "tensor.functions.diagonals": "tril_indices triu_indices",
        "tensor.functions.distances": "cosine_similarity pairwise_distance pdist",
        "tensor.functions.einsums": "einsum",
        "tensor.functions.grids": (
            "broadcast_shapes broadcast_tensors cartesian_prod combinations meshgrid vander"
        ),
        "tensor.functions.joining": "atleast_1d atleast_2d atleast_3d block_diag",
        "tensor.functions.low_rank": "pca_lowrank svd_lowrank",
        "tensor.functions.matrix_product": "chain_matmul",
        "tensor.functions.putting": "unravel_index",
        "tensor.functions.shared_memory": "detach detach_ is_inference is_tensor numel",
        "tensor.functions.statistics": "std_mean var_mean",
        "tensor.functions.steps": "cumulative_trapezoid gradient trapezoid trapz",
        "tensor.inplace": (
            "abs_ acos_ acosh_ addmv_ arccos_ arccosh_ arcsin_ arcsinh_ arctan_ arctanh_ asin_ "
            "asinh_ atan_ atanh_ ceil_ clamp_ clamp_max_ clamp_min_ clip_ cos_ cosh_ deg2rad_ "
            "erf_ erfc_ exp2_ exp_ expm1_ fill_ fix_ floor_ frac_ gcd_ i0_ lcm_ ldexp_ log10_ "
            "log1p_ log2_ log_ logit_ nan_to_num_ neg_ negative_ rad2deg_ reciprocal_ relu_ "
            "round_ rsqrt_ sigmoid_ sin_ sinc_ sinh_ sqrt_ square_ tan_ tanh_ trunc_ xlogy_ "
            "zero_"
        ),
        "tensor.legacy": (
            "BoolTensor ByteTensor CharTensor DoubleTensor FloatTensor HalfTensor IntTensor "
            "LongTensor ShortTensor set_default_tensor_type"
        ),
        "tensor.limits": (
            "can_cast finfo iinfo is_complex is_floating_point promote_types result_type"
        ),
        "tensor.printing": "set_printoptions",
        "tensor.random.filling": "rand_like randint_like randn_like",
        "tensor.random.generator": (
            "Generator default_generator get_rng_state initial_seed manual_seed seed "
            "set_rng_state"
        ),
        "tensor.random.sampling": "binomial poisson",
        "tensor.ranges": "bartlett_window blackman_window hamming_window hann_window kaiser_window",
    },
    "function method": {
        "tensor.functions.arrange": (
            "adjoint flip fliplr flipud moveaxis movedim repeat_interleave roll rot90 tile"
        ),
        "tensor.functions.choosing": "allclose conj is_nonzero isclose isreal",
        "tensor.functions.counting": "bincount",
        "tensor.functions.diagonals": "diag_embed diagflat diagonal diagonal_scatter",
        "tensor.functions.distances": "dist",
        "tensor.functions.factoring": "matrix_exp pinverse",
        "tensor.functions.moments": "corrcoef cov",
        "tensor.functions.picking": "argwhere",
        "tensor.functions.pointwise": "clone isfinite isinf isnan",
        "tensor.functions.putting": "index_put index_put_ select_scatter",
        "tensor.functions.ranking": "argsort unique unique_consecutive",
        "tensor.functions.replacing": "as_strided_ resize_as_",
        "tensor.functions.rounding": "positive",
        "tensor.functions.shapes": (
            "broadcast_to flatten permute ravel reshape squeeze swapaxes swapdims t transpose "
            "unflatten unsqueeze"
        ),
        "tensor.functions.shared_memory": "equal is_same_size",
        "tensor.functions.solving": "det logdet slogdet",
        "tensor.functions.splitting": (
            "chunk dsplit hsplit narrow select split split_with_sizes tensor_split unbind "
            "unsafe_chunk unsafe_split unsafe_split_with_sizes vsplit"
        ),
        "tensor.functions.statistics": "count_nonzero",
        "tensor.functions.strides": "as_strided",
    },
    "function method in_place": {
        "tensor.functions.index_slices": "index_fill",
        "tensor.functions.picking": "masked_fill",
        "tensor.functions.putting": "masked_scatter put",
    },
    "function method in_place out": {
        "tensor.functions.arrange": "tril triu",
        "tensor.functions.bits": (
            "bitwise_not gcd lcm logical_and logical_not logical_or logical_xor"
        ),
        "tensor.functions.choosing": "copysign heaviside nextafter sgn",
        "tensor.functions.division": "round",
        "tensor.functions.index_slices": "index_add index_copy index_reduce",
        "tensor.functions.pointwise": "absolute negative sign square",
        "tensor.functions.products": "addbmm addmm addmv addr baddbmm",
        "tensor.functions.putting": "scatter scatter_add scatter_reduce",
        "tensor.functions.rounding": (
            "addcdiv addcmul ceil clamp clamp_max clamp_min clip fix floor fmod lerp nan_to_num "
            "trunc"
        ),
        "tensor.functions.statistics": "cumprod cumsum",
        "tensor.functions.transcendental": (
            "arccos arccosh arcsin arcsinh arctan arctanh float_power logit mvlgamma polygamma "
            "xlogy"
        ),
    },
    "function method in_place out operator": {
        "tensor.functions.bits": (
            "bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor"
        ),
        "tensor.functions.division": "div divide floor_divide true_divide",
        "tensor.functions.pointwise": (
            "add eq ge greater greater_equal gt le less less_equal lt multiply ne not_equal pow "
            "sub subtract"
        ),
        "tensor.functions.rounding": "remainder",
        "tensor.functions.transcendental": "arctan2",
    },
    "function method out": {
        "tensor.functions.choosing": "fmax fmin frexp isneginf isposinf signbit",
        "tensor.functions.contractions": "cross ger inner kron outer",
        "tensor.functions.counting": "histc histogram",
        "tensor.functions.diagonals": "diag",
        "tensor.functions.distances": "norm",
        "tensor.functions.factoring": "matrix_power qr svd",
        "tensor.functions.matrix_product": "matmul",
        "tensor.functions.moments": "aminmax nanmean nansum",
        "tensor.functions.picking": "gather index_select masked_select nonzero take take_along_dim",
        "tensor.functions.products": "bmm dot mm mv vdot",
        "tensor.functions.putting": "slice_scatter",
        "tensor.functions.ranking": (
            "cummax cummin kthvalue logcumsumexp median mode msort nanmedian sort topk"
        ),
        "tensor.functions.reductions": (
            "argmax argmin log_softmax logsumexp max mean min softmax sum"
        ),
        "tensor.functions.solving": "inverse triangular_solve",
        "tensor.functions.statistics": "all amax amin any prod std var",
        "tensor.functions.steps": "diff nanquantile quantile",
        "tensor.functions.triangular_factors": "cholesky_inverse cholesky_solve lu_solve",
        "tensor.random.sampling": "bernoulli multinomial",
    },
    "function method out operator": {
        "tensor.functions.pointwise": "maximum",
    },
    "function operator": {
        "tensor.functions.pointwise": "rsub",
    },
    "function out": {
        "tensor.creation": "empty full ones zeros",
        "tensor.functions.choosing": "isin",
        "tensor.functions.contractions": "tensordot",
        "tensor.functions.counting": "bucketize searchsorted",
        "tensor.functions.joining": (
            "cat column_stack concat concatenate dstack hstack row_stack stack vstack"
        ),
        "tensor.functions.pointwise": "where",
        "tensor.functions.putting": (
            "alias_copy as_strided_copy detach_copy diagonal_copy expand_copy narrow_copy "
            "permute_copy select_copy slice_copy split_copy split_with_sizes_copy squeeze_copy "
            "t_copy transpose_copy unbind_copy unfold_copy unsqueeze_copy view_copy"
        ),
        "tensor.functions.triangular_factors": "lu_unpack",
        "tensor.random.sampling": "normal rand randint randn randperm",
        "tensor.ranges": "arange eye linspace logspace range",
    },
    "in_place": {
        "tensor.inplace": "copy fill zero",
    },
    "method": {
        "tensor.creation_like": "new new_empty new_full new_ones new_tensor new_zeros",
        "tensor.functions.arrange": "repeat",
        "tensor.functions.contractions": "trace",
        "tensor.functions.conversions": "item numpy tolist",
        "tensor.functions.diagonals": "fill_diagonal_",
        "tensor.functions.pointwise": "contiguous",
        "tensor.functions.reductions": "sum_to_size",
        "tensor.functions.replacing": (
            "apply_ map_ resize_ set_ squeeze_ swapaxes_ swapdims_ t_ transpose_ unsqueeze_"
        ),
        "tensor.functions.shapes": "expand expand_as reshape_as view view_as",
        "tensor.functions.shared_memory": (
            "data_ptr is_contiguous ndimension storage untyped_storage"
        ),
        "tensor.functions.strides": "dense_dim sparse_dim storage_offset stride unfold",
        "tensor.random.filling": (
            "bernoulli_ cauchy_ exponential_ geometric_ log_normal_ normal_ random_ uniform_"
        ),
    },
}  # fmt: skip


def of_kind(kind: str) -> dict[str, str]:
    """Return the module of each name that is a function, a method, has `out=` and so on."""
    modules = [table for kinds, table in TABLE.items() if kind in kinds.split()]
    return homes(*modules)


def homes(*tables: dict[str, str]) -> dict[str, str]:
    """Return the module of each name in the tables: {"tanh": "tensor.functions.pointwise", ...}."""
    return {name: module for table in tables for module in table for name in table[module].split()}


def lazy(
    package: str, table: dict[str, str], modules: tuple[str, ...] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package that imports a name when it is first used.

    package: its `__name__`. table: the module of each name. modules: names of its own modules.
    """

    def find(name: str) -> Any:
        if name in modules:
            return import_module(f"{package}.{name}")
        if name not in table:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(import_module(f"graphlab.{table[name]}"), name)
        setattr(sys.modules[package], name, found)
        return found

    return find, lambda: sorted({*vars(sys.modules[package]), *table, *modules})


FUNCTIONS, METHODS = of_kind("function"), of_kind("method")
IN_PLACE = of_kind("in_place")  # `tensor.name_()` writes over the tensor
WRITTEN = of_kind("out")  # they take `out=`, the tensor that the result is written into
OPERATORS = of_kind("operator")  # which return NotImplemented where they raise a TypeError
