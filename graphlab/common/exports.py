"""Where every public function of tensors lives: derived from the marks `@public(...)`.

A module is loaded when one of its names is first used, so that `import graphlab` stays quick
however many functions there are. `python -m tests.core.public_names --update` writes the tables
anew; a test compares them with the marks.

Read next: tensor/functions/from_ops.py
"""

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

# derived: module -> its names. BOTH: `torch.name(tensor)` and `tensor.name()`
BOTH: dict[str, str] = {
    "tensor.functions.aliases": (
        "absolute arccos arccosh arcsin arcsinh arctan arctan2 arctanh greater greater_equal "
        "less less_equal multiply negative not_equal subtract"
    ),
    "tensor.functions.arrange": (
        "adjoint flip fliplr flipud moveaxis movedim repeat_interleave roll rot90 tile tril "
        "triu"
    ),
    "tensor.functions.bits": (
        "bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor "
        "gcd lcm logical_and logical_not logical_or logical_xor"
    ),
    "tensor.functions.choosing": (
        "allclose conj copysign fmax fmin frexp heaviside is_nonzero isclose isneginf isposinf "
        "isreal nextafter sgn signbit"
    ),
    "tensor.functions.contractions": "cross ger inner kron outer",
    "tensor.functions.counting": "bincount histc histogram",
    "tensor.functions.diagonals": "diag diag_embed diagflat diagonal diagonal_scatter",
    "tensor.functions.distances": "dist norm",
    "tensor.functions.division": "div divide floor_divide round true_divide",
    "tensor.functions.factoring": "matrix_exp matrix_power pinverse qr svd",
    "tensor.functions.index_slices": "index_add index_copy index_fill index_reduce",
    "tensor.functions.inplace_views": "as_strided_",
    "tensor.functions.matrix_product": "matmul",
    "tensor.functions.moments": "aminmax corrcoef cov nanmean nansum",
    "tensor.functions.picking": (
        "argwhere gather index_select masked_fill masked_select nonzero take take_along_dim"
    ),
    "tensor.functions.pointwise": (
        "add clone eq ge gt isfinite isinf isnan le lt maximum ne pow sign square sub"
    ),
    "tensor.functions.probability": "float_power logit mvlgamma polygamma",
    "tensor.functions.products": "addbmm addmm addmv addr baddbmm bmm dot mm mv vdot",
    "tensor.functions.putting": (
        "index_put masked_scatter put scatter scatter_add scatter_reduce select_scatter "
        "slice_scatter"
    ),
    "tensor.functions.ranking": (
        "argsort cummax cummin kthvalue logcumsumexp median mode msort nanmedian sort topk "
        "unique unique_consecutive"
    ),
    "tensor.functions.reductions": "argmax argmin log_softmax logsumexp max mean min softmax sum",
    "tensor.functions.replacing": "resize_as_",
    "tensor.functions.rounding": (
        "addcdiv addcmul ceil clamp clamp_max clamp_min clip fix floor fmod lerp nan_to_num "
        "positive remainder trunc"
    ),
    "tensor.functions.shapes": (
        "broadcast_to flatten permute ravel reshape squeeze swapaxes swapdims t transpose "
        "unflatten unsqueeze"
    ),
    "tensor.functions.shared_memory": "equal is_same_size",
    "tensor.functions.solving": "det inverse logdet slogdet triangular_solve",
    "tensor.functions.splitting": (
        "chunk dsplit hsplit narrow select split split_with_sizes tensor_split unbind "
        "unsafe_chunk unsafe_split unsafe_split_with_sizes vsplit"
    ),
    "tensor.functions.statistics": "all amax amin any count_nonzero cumprod cumsum prod std var",
    "tensor.functions.steps": "diff nanquantile quantile",
    "tensor.functions.strides": "as_strided",
    "tensor.functions.transcendental": "xlogy",
    "tensor.functions.triangular_factors": "cholesky_inverse cholesky_solve lu_solve",
    "tensor.random.sampling": "bernoulli multinomial",
}  # fmt: skip

FUNCTIONS: dict[str, str] = {
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
    "tensor.creation": (
        "as_tensor asarray empty from_numpy full ones ones_like scalar_tensor tensor zeros "
        "zeros_like"
    ),
    "tensor.creation_like": "empty_like empty_strided full_like",
    "tensor.functions.choosing": "imag is_signed isin real typename",
    "tensor.functions.contractions": "bilinear cdist tensordot",
    "tensor.functions.conversions": "from_dlpack frombuffer",
    "tensor.functions.counting": "bucketize searchsorted",
    "tensor.functions.diagonals": "tril_indices triu_indices",
    "tensor.functions.distances": "cosine_similarity pairwise_distance pdist",
    "tensor.functions.einsums": "einsum",
    "tensor.functions.grids": (
        "broadcast_shapes broadcast_tensors cartesian_prod combinations meshgrid vander"
    ),
    "tensor.functions.joining": (
        "atleast_1d atleast_2d atleast_3d block_diag cat column_stack concat concatenate dstack "
        "hstack row_stack stack vstack"
    ),
    "tensor.functions.low_rank": "pca_lowrank svd_lowrank",
    "tensor.functions.matrix_product": "chain_matmul",
    "tensor.functions.pointwise": "rsub where",
    "tensor.functions.putting": (
        "alias_copy as_strided_copy detach_copy diagonal_copy expand_copy narrow_copy "
        "permute_copy select_copy slice_copy split_copy split_with_sizes_copy squeeze_copy "
        "t_copy transpose_copy unbind_copy unfold_copy unravel_index unsqueeze_copy view_copy"
    ),
    "tensor.functions.shared_memory": "detach detach_ is_inference is_tensor numel",
    "tensor.functions.statistics": "std_mean var_mean",
    "tensor.functions.steps": "cumulative_trapezoid gradient trapezoid trapz",
    "tensor.functions.triangular_factors": "lu_unpack",
    "tensor.inplace": (
        "abs_ acos_ acosh_ addmv_ arccos_ arccosh_ arcsin_ arcsinh_ arctan_ arctanh_ asin_ "
        "asinh_ atan_ atanh_ ceil_ clamp_ clamp_max_ clamp_min_ clip_ cos_ cosh_ deg2rad_ erf_ "
        "erfc_ exp2_ exp_ expm1_ fill_ fix_ floor_ frac_ gcd_ i0_ index_put_ lcm_ ldexp_ log10_ "
        "log1p_ log2_ log_ logit_ nan_to_num_ neg_ negative_ rad2deg_ reciprocal_ relu_ round_ "
        "rsqrt_ sigmoid_ sin_ sinc_ sinh_ sqrt_ square_ tan_ tanh_ trunc_ xlogy_ zero_"
    ),
    "tensor.legacy": (
        "BoolTensor ByteTensor CharTensor DoubleTensor FloatTensor HalfTensor IntTensor "
        "LongTensor ShortTensor set_default_tensor_type"
    ),
    "tensor.limits": "can_cast finfo iinfo is_complex is_floating_point promote_types result_type",
    "tensor.printing": "set_printoptions",
    "tensor.random.filling": "rand_like randint_like randn_like",
    "tensor.random.generator": (
        "Generator default_generator get_rng_state initial_seed manual_seed seed set_rng_state"
    ),
    "tensor.random.sampling": "binomial normal poisson rand randint randn randperm",
    "tensor.ranges": (
        "arange bartlett_window blackman_window eye hamming_window hann_window linspace "
        "logspace range"
    ),
}  # fmt: skip

METHODS: dict[str, str] = {
    "tensor.creation_like": "new new_empty new_full new_ones new_tensor new_zeros",
    "tensor.functions.arrange": "repeat",
    "tensor.functions.contractions": "trace",
    "tensor.functions.conversions": "item numpy tolist",
    "tensor.functions.diagonals": "fill_diagonal_",
    "tensor.functions.inplace_views": "squeeze_ swapaxes_ swapdims_ t_ transpose_ unsqueeze_",
    "tensor.functions.pointwise": "contiguous",
    "tensor.functions.reductions": "sum_to_size",
    "tensor.functions.replacing": "apply_ map_ resize_ set_",
    "tensor.functions.shapes": "expand expand_as reshape_as view view_as",
    "tensor.functions.shared_memory": "data_ptr is_contiguous ndimension storage untyped_storage",
    "tensor.functions.strides": "dense_dim sparse_dim storage_offset stride unfold",
    "tensor.random.filling": (
        "bernoulli_ cauchy_ exponential_ geometric_ log_normal_ normal_ random_ uniform_"
    ),
}  # fmt: skip

# `tensor.name_()` writes over the tensor
IN_PLACE: dict[str, str] = {
    "tensor.functions.aliases": (
        "absolute arccos arccosh arcsin arcsinh arctan arctan2 arctanh greater greater_equal "
        "less less_equal multiply negative not_equal subtract"
    ),
    "tensor.functions.arrange": "tril triu",
    "tensor.functions.bits": (
        "bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor "
        "gcd lcm logical_and logical_not logical_or logical_xor"
    ),
    "tensor.functions.choosing": "copysign heaviside nextafter sgn",
    "tensor.functions.division": "div divide floor_divide round true_divide",
    "tensor.functions.index_slices": "index_add index_copy index_fill index_reduce",
    "tensor.functions.picking": "masked_fill",
    "tensor.functions.pointwise": "add eq ge gt le lt ne pow sign square sub",
    "tensor.functions.probability": "float_power logit mvlgamma polygamma",
    "tensor.functions.products": "addbmm addmm addmv addr baddbmm",
    "tensor.functions.putting": "index_put masked_scatter put scatter scatter_add scatter_reduce",
    "tensor.functions.rounding": (
        "addcdiv addcmul ceil clamp clamp_max clamp_min clip fix floor fmod lerp nan_to_num "
        "remainder trunc"
    ),
    "tensor.functions.statistics": "cumprod cumsum",
    "tensor.functions.transcendental": "xlogy",
    "tensor.inplace": "copy fill zero",
}  # fmt: skip

# functions with `out=`, the tensor that the result is written into
WRITTEN: set[str] = {
    "absolute", "add", "addbmm", "addcdiv", "addcmul", "addmm", "addmv", "addr", "alias_copy",
    "all", "amax", "amin", "aminmax", "any", "arange", "arccos", "arccosh", "arcsin",
    "arcsinh", "arctan", "arctan2", "arctanh", "argmax", "argmin", "as_strided_copy",
    "baddbmm", "bernoulli", "bitwise_and", "bitwise_left_shift", "bitwise_not", "bitwise_or",
    "bitwise_right_shift", "bitwise_xor", "bmm", "bucketize", "cat", "ceil",
    "cholesky_inverse", "cholesky_solve", "clamp", "clamp_max", "clamp_min", "clip",
    "column_stack", "concat", "concatenate", "copysign", "cross", "cummax", "cummin",
    "cumprod", "cumsum", "detach_copy", "diag", "diagonal_copy", "diff", "div", "divide",
    "dot", "dstack", "empty", "eq", "expand_copy", "eye", "fix", "float_power", "floor",
    "floor_divide", "fmax", "fmin", "fmod", "frexp", "full", "gather", "gcd", "ge", "ger",
    "greater", "greater_equal", "gt", "heaviside", "histc", "histogram", "hstack",
    "index_add", "index_copy", "index_reduce", "index_select", "inner", "inverse", "isin",
    "isneginf", "isposinf", "kron", "kthvalue", "lcm", "le", "lerp", "less", "less_equal",
    "linspace", "log_softmax", "logcumsumexp", "logical_and", "logical_not", "logical_or",
    "logical_xor", "logit", "logspace", "logsumexp", "lt", "lu_solve", "lu_unpack",
    "masked_select", "matmul", "matrix_power", "max", "maximum", "mean", "median", "min",
    "mm", "mode", "msort", "multinomial", "multiply", "mv", "mvlgamma", "nan_to_num",
    "nanmean", "nanmedian", "nanquantile", "nansum", "narrow_copy", "ne", "negative",
    "nextafter", "nonzero", "norm", "normal", "not_equal", "ones", "outer", "permute_copy",
    "polygamma", "pow", "prod", "qr", "quantile", "rand", "randint", "randn", "randperm",
    "range", "remainder", "round", "row_stack", "scatter", "scatter_add", "scatter_reduce",
    "searchsorted", "select_copy", "sgn", "sign", "signbit", "slice_copy", "slice_scatter",
    "softmax", "sort", "split_copy", "split_with_sizes_copy", "square", "squeeze_copy",
    "stack", "std", "sub", "subtract", "sum", "svd", "t_copy", "take", "take_along_dim",
    "tensordot", "topk", "transpose_copy", "triangular_solve", "tril", "triu", "true_divide",
    "trunc", "unbind_copy", "unfold_copy", "unsqueeze_copy", "var", "vdot", "view_copy",
    "vstack", "where", "xlogy", "zeros",
}  # fmt: skip

# functions that operators share: an operator returns NotImplemented where they raise a TypeError
OPERATORS: set[str] = {
    "add", "arctan2", "bitwise_and", "bitwise_left_shift", "bitwise_or",
    "bitwise_right_shift", "bitwise_xor", "div", "divide", "eq", "floor_divide", "ge",
    "greater", "greater_equal", "gt", "le", "less", "less_equal", "lt", "maximum", "multiply",
    "ne", "not_equal", "pow", "remainder", "rsub", "sub", "subtract", "true_divide",
}  # fmt: skip


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
