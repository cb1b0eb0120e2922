"""The functions of neural networks: `F.relu(x)`, `F.mse_loss(y, target)`.

A module is loaded when one of its functions is first used; HOMES says where each one lives.

Read next: nn/functional/activations.py
"""

from importlib import import_module
from typing import Any

from graphlab.common.exports import homes

HOMES = homes(
    {
        "tensor.functions.contractions": "bilinear",
        "tensor.functions.pointwise": "sigmoid tanh",
        "nn.functional.activations": (
            "celu elu gelu hardshrink hardsigmoid hardswish hardtanh leaky_relu logsigmoid mish "
            "prelu relu6 selu silu softplus softshrink softsign tanhshrink threshold"
        ),
        "nn.functional.adaptive": (
            "adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d "
            "adaptive_max_pool2d adaptive_max_pool3d"
        ),
        "nn.functional.attention": "scaled_dot_product_attention",
        "nn.functional.convolution": (
            "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d"
        ),
        "nn.functional.dropouts": (
            "alpha_dropout dropout dropout1d dropout2d dropout3d feature_alpha_dropout"
        ),
        "nn.functional.embeddings": "embedding embedding_bag one_hot",
        "tensor.functions.distances": "cosine_similarity normalize pairwise_distance",
        "nn.functional.classes": "cross_entropy nll_loss",
        "nn.functional.margins": (
            "cosine_embedding_loss hinge_embedding_loss margin_ranking_loss multi_margin_loss "
            "multilabel_margin_loss multilabel_soft_margin_loss triplet_margin_loss "
            "triplet_margin_with_distance_loss"
        ),
        "nn.functional.gates": (
            "celu_ elu_ glu gumbel_softmax hardtanh_ leaky_relu_ log_softmax relu relu_ rrelu "
            "rrelu_ selu_ softmax softmin threshold_"
        ),
        "nn.functional.affine": "linear",
        "nn.functional.losses": (
            "binary_cross_entropy binary_cross_entropy_with_logits gaussian_nll_loss huber_loss "
            "kl_div l1_loss mse_loss poisson_nll_loss smooth_l1_loss soft_margin_loss"
        ),
        "nn.functional.normalization": (
            "batch_norm group_norm instance_norm layer_norm local_response_norm rms_norm"
        ),
        "nn.functional.padding": "pad",
        "nn.functional.pooling": (
            "avg_pool1d avg_pool2d avg_pool3d lp_pool1d lp_pool2d max_pool1d max_pool2d max_pool3d"
        ),
        "nn.functional.resizing": (
            "channel_shuffle interpolate pixel_shuffle pixel_unshuffle upsample upsample_bilinear "
            "upsample_nearest"
        ),
        "nn.functional.sampling": "affine_grid grid_sample",
        "nn.functional.unpooling": "max_unpool1d max_unpool2d max_unpool3d",
        "nn.functional.windows": "fold unfold",
    }
)


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module 'graphlab.nn.functional' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"graphlab.{HOMES[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted(HOMES)
