"""The table of contents: where every public name lives.

A module is loaded when one of its names is first used, so that `import graphlab` stays quick
however many operations there are. A name stands under the module that defines it: in BOTH when
it is `torch.name(tensor)` and `tensor.name()`, in FUNCTIONS or METHODS when it is only one of
them, and in IN_PLACE as well when `tensor.name_()` writes over its first argument.

Read next: functional/pointwise.py
"""

BOTH: dict[str, str] = {
    "functional.memory": "equal is_same_size",
    "functional.aliases": (
        "absolute arccos arccosh arcsin arcsinh arctan arctan2 arctanh greater greater_equal less "
        "less_equal multiply negative not_equal subtract"
    ),
    "functional.bits": (
        "bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor "
        "gcd lcm logical_and logical_not logical_or logical_xor"
    ),
    "functional.choosing": (
        "allclose conj copysign fmax fmin heaviside is_nonzero isclose isneginf isposinf isreal "
        "nextafter real sgn signbit"
    ),
    "functional.distances": "dist",
    "functional.division": "div divide floor_divide round true_divide",
    "functional.counting": "bincount histc",
    "functional.moments": "aminmax corrcoef cov nanmean nansum",
    "functional.ranking": (
        "cummax cummin kthvalue logcumsumexp median mode nanmedian unique unique_consecutive"
    ),
    "functional.steps": "diff nanquantile quantile",
    "functional.order": "argsort msort sort topk",
    "functional.pointwise": (
        "abs add clone cos eq exp ge gt isfinite isinf isnan le log log1p lt maximum "
        "minimum mul ne neg pow reciprocal relu rsqrt sigmoid sign sin sqrt square sub tanh"
    ),
    "functional.probability": (
        "deg2rad digamma erfinv float_power ldexp lgamma logaddexp2 logit mvlgamma polygamma "
        "rad2deg sinc"
    ),
    "functional.contractions": "cross ger inner kron outer",
    "functional.factoring": "matrix_exp matrix_power pinverse qr svd",
    "functional.solving": (
        "cholesky_inverse cholesky_solve det inverse logdet slogdet triangular_solve"
    ),
    "functional.matrix_product": "matmul",
    "functional.products": "addbmm addmm addmv addr baddbmm bmm dot mm mv vdot",
    "functional.reductions": "argmax argmin log_softmax logsumexp max mean min softmax sum",
    "functional.rounding": (
        "addcdiv addcmul ceil clamp clamp_max clamp_min clip fix floor fmod frac lerp "
        "nan_to_num positive remainder trunc"
    ),
    "functional.special": (
        "acos acosh asin asinh atan atan2 atanh cosh erf erfc exp2 expm1 hypot log10 log2 "
        "logaddexp sinh tan xlogy"
    ),
    "functional.statistics": "all amax amin any count_nonzero cumprod cumsum norm prod std var",
    "functional.arrange": (
        "flip fliplr flipud moveaxis movedim repeat_interleave roll rot90 tile tril triu"
    ),
    "functional.diagonals": "diag diag_embed diagflat diagonal diagonal_scatter",
    "functional.pieces": "put",
    "functional.picking": (
        "argwhere gather index_select masked_fill masked_select nonzero take take_along_dim"
    ),
    "functional.putting": (
        "index_add index_copy index_fill index_put masked_scatter scatter scatter_add "
        "scatter_reduce select_scatter slice_scatter"
    ),
    "functional.shapes": (
        "adjoint broadcast_to flatten permute ravel reshape squeeze swapaxes swapdims t transpose "
        "unbind unflatten unsqueeze"
    ),
    "functional.splitting": (
        "chunk dsplit hsplit narrow select split split_with_sizes tensor_split unsafe_chunk "
        "unsafe_split vsplit"
    ),
    "functional.strides": "as_strided",
    "sampling": "bernoulli multinomial",
}  # fmt: skip

FUNCTIONS: dict[str, str] = {
    "functional.pieces": "detach unravel_index",
    "functional.conversions": "from_dlpack",
    "functional.memory": "is_inference is_tensor numel",
    "autograd.anomaly": (
        "is_anomaly_check_nan_enabled is_anomaly_enabled set_anomaly_enabled"
    ),
    "autograd.inference": "inference_mode is_inference_mode_enabled",
    "func.vmap": "vmap",
    "devices": "device layout strided",
    "settings": (
        "are_deterministic_algorithms_enabled get_num_threads set_num_threads "
        "use_deterministic_algorithms"
    ),
    "legacy": (
        "BoolTensor ByteTensor CharTensor ShortTensor IntTensor LongTensor HalfTensor FloatTensor "
        "DoubleTensor"
    ),
    "limits": (
        "can_cast finfo iinfo is_complex is_floating_point promote_types result_type"
    ),
    "inplace": (
        "abs_ acos_ acosh_ arccos_ arccosh_ arcsin_ arcsinh_ arctan_ arctanh_ asin_ asinh_ atan_ "
        "atanh_ ceil_ clamp_ clamp_max_ clamp_min_ clip_ cos_ cosh_ deg2rad_ erf_ erfc_ exp_ exp2_ "
        "expm1_ fill_ fix_ floor_ frac_ gcd_ lcm_ ldexp_ log_ log10_ log1p_ log2_ logit_ "
        "nan_to_num_ neg_ negative_ rad2deg_ reciprocal_ relu_ round_ rsqrt_ sigmoid_ sin_ sinc_ "
        "sinh_ sqrt_ square_ tan_ tanh_ trunc_ xlogy_ zero_"
    ),
    "nn.functional.activations": "celu hardshrink prelu selu threshold",
    "nn.functional.gates": "celu_ rrelu rrelu_ selu_ threshold_",
    "printing": "set_printoptions",
    "functional.choosing": "isin",
    "functional.counting": "bucketize searchsorted",
    "functional.moments": "std_mean var_mean",
    "functional.steps": "cumulative_trapezoid trapezoid trapz",
    "functional.distances": "cosine_similarity pairwise_distance",
    "functional.pointwise": "rsub where",
    "functional.contractions": "bilinear cdist chain_matmul tensordot",
    "functional.einsums": "einsum",
    "nn.functional.convolution": (
        "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d"
    ),
    "nn.functional.adaptive": "adaptive_avg_pool1d",
    "nn.functional.dropouts": "alpha_dropout dropout feature_alpha_dropout",
    "nn.functional.normalization": "group_norm layer_norm rms_norm",
    "nn.functional.pooling": "avg_pool1d max_pool1d max_pool2d max_pool3d",
    "nn.functional.resizing": "channel_shuffle pixel_shuffle pixel_unshuffle",
    "functional.diagonals": "tril_indices triu_indices",
    "functional.grids": (
        "broadcast_shapes broadcast_tensors cartesian_prod combinations meshgrid vander"
    ),
    "functional.joining": (
        "atleast_1d atleast_2d atleast_3d block_diag column_stack concat concatenate dstack "
        "hstack row_stack vstack"
    ),
    "functional.shapes": "cat stack",
    "creation": (
        "as_tensor asarray empty from_numpy full ones ones_like scalar_tensor "
        "tensor zeros zeros_like"
    ),
    "creation_like": "empty_like empty_strided full_like",
    "ranges": "arange eye linspace logspace",
    "random": (
        "Generator default_generator get_rng_state initial_seed manual_seed seed set_rng_state"
    ),
    "sampling": "normal poisson rand rand_like randint randint_like randn randn_like randperm",
}  # fmt: skip

METHODS: dict[str, str] = {
    "functional.pieces": "ndimension sum_to_size",
    "functional.diagonals": "fill_diagonal_",
    "functional.turning": "squeeze_ swapaxes_ swapdims_ t_ transpose_ unsqueeze_",
    "functional.conversions": "item numpy tolist",
    "functional.memory": "data_ptr is_contiguous untyped_storage",
    "functional.pointwise": "contiguous",
    "functional.contractions": "trace",
    "functional.strides": "storage_offset stride unfold",
    "functional.arrange": "repeat",
    "functional.shapes": "expand expand_as reshape_as view view_as",
    "filling": "bernoulli_ cauchy_ exponential_ geometric_ log_normal_ normal_ random_ uniform_",
    "creation_like": "new_empty new_full new_ones new_tensor new_zeros",
}  # fmt: skip

IN_PLACE: dict[str, str] = {
    "inplace": "copy fill zero",
    "functional.aliases": (
        "absolute arccos arccosh arcsin arcsinh arctan arctan2 arctanh greater greater_equal less "
        "less_equal multiply negative not_equal subtract"
    ),
    "functional.bits": (
        "bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor "
        "gcd lcm logical_and logical_not logical_or logical_xor"
    ),
    "functional.choosing": "copysign heaviside nextafter sgn",
    "functional.division": "div divide floor_divide round true_divide",
    "functional.products": "addbmm addmm addmv addr baddbmm",
    "functional.pointwise": (
        "abs add cos eq exp ge gt le log log1p lt mul ne neg pow reciprocal relu rsqrt sigmoid "
        "sign sin sqrt square sub tanh"
    ),
    "functional.rounding": (
        "addcdiv addcmul ceil clamp clamp_max clamp_min clip fix floor fmod frac lerp "
        "nan_to_num remainder trunc"
    ),
    "functional.probability": (
        "deg2rad digamma erfinv float_power ldexp lgamma logit mvlgamma polygamma rad2deg sinc"
    ),
    "functional.statistics": "cumprod cumsum",
    "functional.special": (
        "acos acosh asin asinh atan2 atan atanh cosh erf erfc exp2 expm1 hypot log10 log2 sinh "
        "tan xlogy"
    ),
    "functional.arrange": "tril triu",
    "functional.picking": "masked_fill",
    "functional.pieces": "put",
    "functional.putting": (
        "index_add index_copy index_fill index_put masked_scatter scatter scatter_add "
        "scatter_reduce"
    ),
}  # fmt: skip


# functions that operators share: Python asks them for NotImplemented, their callers for an error

# functions with `out=`, the tensor that the result is written into
WRITTEN = {
    "bmm", "matmul", "mm", "cat", "concat", "concatenate", "stack",
    "add", "sub", "mul", "div", "pow", "remainder", "floor_divide", "true_divide", "divide",
    "multiply", "subtract", "eq", "ne", "lt", "le", "gt", "ge",
}  # fmt: skip

OPERATORS = {
    "add", "sub", "mul", "div", "eq", "ne", "lt", "le", "gt", "ge", "pow", "remainder",
    "floor_divide", "true_divide", "divide", "multiply", "subtract", "greater", "greater_equal",
    "less", "less_equal", "not_equal", "bitwise_and", "bitwise_or", "bitwise_xor",
    "bitwise_left_shift", "bitwise_right_shift", "arctan2", "atan2", "hypot", "ldexp", "logaddexp",
    "logaddexp2", "maximum", "minimum", "rsub",
}  # fmt: skip


def homes(*tables: dict[str, str]) -> dict[str, str]:
    """The module of each name in the tables: {"tanh": "functional.pointwise", ...}."""
    return {name: module for table in tables for module in table for name in table[module].split()}
