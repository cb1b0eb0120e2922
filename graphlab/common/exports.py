"""The table of contents: where every public name lives.

A module is loaded when one of its names is first used, so that `import graphlab` stays quick
however many operations there are. A name stands under the module that defines it: in BOTH when
it is `torch.name(tensor)` and `tensor.name()`, in FUNCTIONS or METHODS when it is only one of
them, and in IN_PLACE as well when `tensor.name_()` writes over its first argument.

Read next: tensor/functions/pointwise.py
"""

BOTH: dict[str, str] = {
    "tensor.functions.memory": "equal is_same_size",
    "tensor.functions.aliases": (
        "absolute arccos arccosh arcsin arcsinh arctan arctan2 arctanh greater greater_equal less "
        "less_equal multiply negative not_equal subtract"
    ),
    "tensor.functions.bits": (
        "bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor "
        "gcd lcm logical_and logical_not logical_or logical_xor"
    ),
    "tensor.functions.choosing": (
        "allclose conj copysign fmax fmin heaviside is_nonzero isclose isneginf isposinf isreal "
        "nextafter real sgn signbit"
    ),
    "tensor.functions.distances": "dist norm",
    "tensor.functions.division": "div divide floor_divide round true_divide",
    "tensor.functions.counting": "bincount histc",
    "tensor.functions.moments": "aminmax corrcoef cov nanmean nansum",
    "tensor.functions.ranking": (
        "cummax cummin kthvalue logcumsumexp median mode nanmedian unique unique_consecutive"
    ),
    "tensor.functions.steps": "diff nanquantile quantile",
    "tensor.functions.sorting": "argsort msort sort topk",
    "tensor.functions.pointwise": (
        "add clone eq ge gt isfinite isinf isnan le lt maximum ne pow sign square sub"
    ),
    "tensor.functions.probability": "float_power logit mvlgamma polygamma",
    "tensor.functions.contractions": "cross ger inner kron outer",
    "tensor.functions.factoring": "matrix_exp matrix_power pinverse qr svd",
    "tensor.functions.cholesky": "cholesky_inverse cholesky_solve",
    "tensor.functions.solving": "det inverse logdet slogdet triangular_solve",
    "tensor.functions.matrix_product": "matmul",
    "tensor.functions.products": "addbmm addmm addmv addr baddbmm bmm dot mm mv vdot",
    "tensor.functions.reductions": "argmax argmin log_softmax logsumexp max mean min softmax sum",
    "tensor.functions.rounding": (
        "addcdiv addcmul ceil clamp clamp_max clamp_min clip fix floor fmod lerp nan_to_num "
        "positive remainder trunc"
    ),
    "tensor.functions.transcendental": "xlogy",
    "tensor.functions.statistics": "all amax amin any count_nonzero cumprod cumsum prod std var",
    "tensor.functions.arrange": (
        "flip fliplr flipud moveaxis movedim repeat_interleave roll rot90 tile tril triu"
    ),
    "tensor.functions.diagonals": "diag diag_embed diagflat diagonal diagonal_scatter",
    "tensor.functions.flat_indices": "put",
    "tensor.functions.picking": (
        "argwhere gather index_select masked_fill masked_select nonzero take take_along_dim"
    ),
    "tensor.functions.putting": (
        "index_add index_copy index_fill index_put masked_scatter scatter scatter_add "
        "scatter_reduce select_scatter slice_scatter"
    ),
    "tensor.functions.shapes": (
        "adjoint broadcast_to flatten permute ravel reshape squeeze swapaxes swapdims t transpose "
        "unbind unflatten unsqueeze"
    ),
    "tensor.functions.splitting": (
        "chunk dsplit hsplit narrow select split split_with_sizes tensor_split unsafe_chunk "
        "unsafe_split vsplit"
    ),
    "tensor.functions.strides": "as_strided",
    "tensor.random.sampling": "bernoulli multinomial",
}  # fmt: skip

FUNCTIONS: dict[str, str] = {
    "tensor.functions.flat_indices": "unravel_index",
    "tensor.functions.conversions": "from_dlpack",
    "tensor.functions.memory": "detach is_inference is_tensor numel",
    "autograd.anomaly": (
        "is_anomaly_check_nan_enabled is_anomaly_enabled set_anomaly_enabled"
    ),
    "autograd.inference": "inference_mode is_inference_mode_enabled",
    "compat.func.vmap": "vmap",
    "common.devices": "device layout strided",
    "common.settings": (
        "are_deterministic_algorithms_enabled get_num_threads set_num_threads "
        "use_deterministic_algorithms"
    ),
    "tensor.legacy": (
        "BoolTensor ByteTensor CharTensor ShortTensor IntTensor LongTensor HalfTensor FloatTensor "
        "DoubleTensor"
    ),
    "tensor.limits": (
        "can_cast finfo iinfo is_complex is_floating_point promote_types result_type"
    ),
    "tensor.inplace": (
        "abs_ acos_ acosh_ arccos_ arccosh_ arcsin_ arcsinh_ arctan_ arctanh_ asin_ asinh_ atan_ "
        "atanh_ ceil_ clamp_ clamp_max_ clamp_min_ clip_ cos_ cosh_ deg2rad_ erf_ erfc_ exp_ exp2_ "
        "expm1_ fill_ fix_ floor_ frac_ gcd_ lcm_ ldexp_ log_ log10_ log1p_ log2_ logit_ "
        "nan_to_num_ neg_ negative_ rad2deg_ reciprocal_ relu_ round_ rsqrt_ sigmoid_ sin_ sinc_ "
        "sinh_ sqrt_ square_ tan_ tanh_ trunc_ xlogy_ zero_"
    ),
    "nn.functional.activation": "celu celu_ selu selu_",
    "nn.functional.piecewise": "hardshrink prelu rrelu rrelu_ threshold threshold_",
    "tensor.printing": "set_printoptions",
    "tensor.functions.choosing": "isin",
    "tensor.functions.counting": "bucketize searchsorted",
    "tensor.functions.moments": "std_mean var_mean",
    "tensor.functions.steps": "cumulative_trapezoid trapezoid trapz",
    "tensor.functions.distances": "cosine_similarity pairwise_distance",
    "tensor.functions.pointwise": "rsub where",
    "tensor.functions.contractions": "bilinear cdist tensordot",
    "tensor.functions.matrix_chain": "chain_matmul",
    "tensor.functions.einsums": "einsum",
    "nn.functional.convolution": (
        "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d"
    ),
    "nn.functional.adaptive_pooling": "adaptive_avg_pool1d",
    "nn.functional.dropouts": "alpha_dropout dropout feature_alpha_dropout",
    "nn.functional.normalization": "group_norm layer_norm rms_norm",
    "nn.functional.pooling": "avg_pool1d max_pool1d max_pool2d max_pool3d",
    "nn.functional.resizing": "channel_shuffle pixel_shuffle pixel_unshuffle",
    "tensor.functions.diagonals": "tril_indices triu_indices",
    "tensor.functions.grids": (
        "broadcast_shapes broadcast_tensors cartesian_prod combinations meshgrid vander"
    ),
    "tensor.functions.joining": (
        "atleast_1d atleast_2d atleast_3d block_diag cat column_stack concat concatenate dstack "
        "hstack row_stack stack vstack"
    ),
    "tensor.creation": (
        "as_tensor asarray empty from_numpy full ones ones_like scalar_tensor "
        "tensor zeros zeros_like"
    ),
    "tensor.creation_like": "empty_like empty_strided full_like",
    "tensor.ranges": "arange eye linspace logspace",
    "tensor.random.generator": (
        "Generator default_generator get_rng_state initial_seed manual_seed seed set_rng_state"
    ),
    "tensor.random.sampling": (
        "normal poisson rand rand_like randint randint_like randn randn_like randperm"
    ),
}  # fmt: skip

METHODS: dict[str, str] = {
    "tensor.functions.reductions": "sum_to_size",
    "tensor.functions.diagonals": "fill_diagonal_",
    "tensor.functions.inplace_views": "squeeze_ swapaxes_ swapdims_ t_ transpose_ unsqueeze_",
    "tensor.functions.conversions": "item numpy tolist",
    "tensor.functions.memory": "data_ptr is_contiguous ndimension untyped_storage",
    "tensor.functions.pointwise": "contiguous",
    "tensor.functions.contractions": "trace",
    "tensor.functions.strides": "storage_offset stride unfold",
    "tensor.functions.arrange": "repeat",
    "tensor.functions.shapes": "expand expand_as reshape_as view view_as",
    "tensor.random.filling": (
        "bernoulli_ cauchy_ exponential_ geometric_ log_normal_ normal_ random_ uniform_"
    ),
    "tensor.creation_like": "new_empty new_full new_ones new_tensor new_zeros",
}  # fmt: skip

IN_PLACE: dict[str, str] = {
    "tensor.inplace": "copy fill zero",
    "tensor.functions.aliases": (
        "absolute arccos arccosh arcsin arcsinh arctan arctan2 arctanh greater greater_equal less "
        "less_equal multiply negative not_equal subtract"
    ),
    "tensor.functions.bits": (
        "bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor "
        "gcd lcm logical_and logical_not logical_or logical_xor"
    ),
    "tensor.functions.choosing": "copysign heaviside nextafter sgn",
    "tensor.functions.division": "div divide floor_divide round true_divide",
    "tensor.functions.products": "addbmm addmm addmv addr baddbmm",
    "tensor.functions.pointwise": "add eq ge gt le lt ne pow sign square sub",
    "tensor.functions.rounding": (
        "addcdiv addcmul ceil clamp clamp_max clamp_min clip fix floor fmod lerp nan_to_num "
        "remainder trunc"
    ),
    "tensor.functions.probability": "float_power logit mvlgamma polygamma",
    "tensor.functions.statistics": "cumprod cumsum",
    "tensor.functions.transcendental": "xlogy",
    "tensor.functions.arrange": "tril triu",
    "tensor.functions.picking": "masked_fill",
    "tensor.functions.flat_indices": "put",
    "tensor.functions.putting": (
        "index_add index_copy index_fill index_put masked_scatter scatter scatter_add "
        "scatter_reduce"
    ),
}  # fmt: skip


# functions with `out=`, the tensor that the result is written into
WRITTEN = {
    "bmm", "matmul", "mm", "cat", "concat", "concatenate", "stack",
    "add", "sub", "div", "pow", "remainder", "floor_divide", "true_divide", "divide",
    "multiply", "subtract", "eq", "ne", "lt", "le", "gt", "ge",
}  # fmt: skip

# functions that operators share: an operator returns NotImplemented where they raise a TypeError
OPERATORS = {
    "add", "sub", "div", "eq", "ne", "lt", "le", "gt", "ge", "pow", "remainder",
    "floor_divide", "true_divide", "divide", "multiply", "subtract", "greater", "greater_equal",
    "less", "less_equal", "not_equal", "bitwise_and", "bitwise_or", "bitwise_xor",
    "bitwise_left_shift", "bitwise_right_shift", "arctan2",
    "maximum", "rsub",
}  # fmt: skip


def homes(*tables: dict[str, str]) -> dict[str, str]:
    """The module of each name in the tables: {"tanh": "tensor.functions.pointwise", ...}."""
    return {name: module for table in tables for module in table for name in table[module].split()}
