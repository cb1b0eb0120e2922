"""Functions for neural networks: `F.relu(x)`, `F.mse_loss(y, target)`.

A file is imported when one of its functions is first used; HOMES maps each name to its file.

Read next: nn/functional/activation.py
"""

from importlib import import_module
from typing import Any

from graphlab.common.public import homes, with_import
from graphlab.tensor.functions.refusals import in_words

HOMES = homes(
    {
        "tensor.functions.contractions": "bilinear",
        "tensor.functions.pointwise": "sigmoid tanh",
        "nn.functional.activation": (
            "celu celu_ elu elu_ gelu glu gumbel_softmax log_softmax logsigmoid mish selu selu_ "
            "silu softmax softmin softplus softsign tanhshrink"
        ),
        "nn.functional.piecewise": (
            "hardshrink hardsigmoid hardswish hardtanh hardtanh_ leaky_relu leaky_relu_ prelu relu "
            "relu6 relu_ rrelu rrelu_ softshrink threshold threshold_"
        ),
        "nn.functional.pooling_windows": (
            "adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d "
            "adaptive_max_pool2d adaptive_max_pool3d"
        ),
        "nn.functional.attention": "scaled_dot_product_attention",
        "nn.functional.convolution": (
            "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d linear"
        ),
        "nn.functional.dropouts": (
            "alpha_dropout dropout dropout1d dropout2d dropout3d feature_alpha_dropout"
        ),
        "nn.functional.embeddings": "affine_grid embedding embedding_bag grid_sample one_hot",
        "tensor.functions.distances": "cosine_similarity normalize pairwise_distance pdist",
        "nn.functional.class_losses": "cross_entropy ctc_loss nll_loss",
        "nn.functional.margins": (
            "cosine_embedding_loss hinge_embedding_loss margin_ranking_loss multi_margin_loss "
            "multilabel_margin_loss multilabel_soft_margin_loss triplet_margin_loss "
            "soft_margin_loss triplet_margin_with_distance_loss"
        ),
        "nn.functional.loss": (
            "binary_cross_entropy binary_cross_entropy_with_logits gaussian_nll_loss huber_loss "
            "kl_div l1_loss mse_loss poisson_nll_loss smooth_l1_loss"
        ),
        "nn.functional.normalization": (
            "batch_norm group_norm instance_norm layer_norm local_response_norm rms_norm"
        ),
        "nn.functional.padding": "fold pad unfold",
        "nn.functional.pooling": (
            "avg_pool1d avg_pool2d avg_pool3d lp_pool1d lp_pool2d lp_pool3d max_pool1d max_pool2d "
            "max_pool3d max_unpool1d max_unpool2d max_unpool3d"
        ),
        "nn.functional.resizing": (
            "channel_shuffle interpolate pixel_shuffle pixel_unshuffle upsample upsample_bilinear "
            "upsample_nearest"
        ),
    }
)


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module 'graphlab.nn.functional' has no attribute {name!r}")
    function = getattr(import_module(f"graphlab.{HOMES[name]}"), name)
    found = globals()[name] = in_words(function)
    found.__doc__ = with_import(found.__doc__ or "", "F", HOMES)
    if hasattr(found, "__wrapped__"):
        found.__module__ = __name__  # where pickle finds it
    return found


def __dir__() -> list[str]:
    return sorted(HOMES)
