"""Neural networks: modules and, in `nn.functional`, functions, under PyTorch's names.

A file is imported when one of its names is first used; HOMES maps each name to its file.

Read next: nn/module.py
"""

from graphlab.common.public import homes, lazy

HOMES = homes(
    {
        "nn.activation": (
            "GELU GLU LogSigmoid LogSoftmax Mish SiLU Sigmoid Softmax Softmax2d Softmin Softplus "
            "Softsign Tanh Tanhshrink"
        ),
        "nn.attention": "MultiheadAttention",
        "nn.batchnorm": (
            "BatchNorm1d BatchNorm2d BatchNorm3d InstanceNorm1d InstanceNorm2d InstanceNorm3d"
        ),
        "nn.cells": "GRUCell LSTMCell RNNCell",
        "nn.containers": "ModuleDict ModuleList Sequential",
        "nn.conv": "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d",
        "nn.dropout": ("AlphaDropout Dropout Dropout1d Dropout2d Dropout3d FeatureAlphaDropout"),
        "nn.lazy": (
            "LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d LazyConv1d LazyConv2d LazyConv3d "
            "LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d LazyInstanceNorm1d "
            "LazyInstanceNorm2d LazyInstanceNorm3d LazyLinear"
        ),
        "nn.linear": "Bilinear Flatten Identity Linear Unflatten",
        "nn.loss": (
            "BCELoss BCEWithLogitsLoss CTCLoss CrossEntropyLoss GaussianNLLLoss HuberLoss "
            "KLDivLoss L1Loss MSELoss NLLLoss PoissonNLLLoss SmoothL1Loss"
        ),
        "nn.margin_loss": (
            "CosineEmbeddingLoss CosineSimilarity HingeEmbeddingLoss MarginRankingLoss "
            "MultiLabelMarginLoss MultiLabelSoftMarginLoss MultiMarginLoss PairwiseDistance "
            "SoftMarginLoss TripletMarginLoss TripletMarginWithDistanceLoss"
        ),
        "nn.module": "Module",
        "nn.normalization": "GroupNorm LayerNorm LocalResponseNorm RMSNorm",
        "nn.padding": (
            "CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d "
            "ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d "
            "ReplicationPad3d ZeroPad1d ZeroPad2d ZeroPad3d"
        ),
        "nn.parallel": "DataParallel",
        "nn.parameter": "Buffer Parameter UninitializedBuffer UninitializedParameter",
        "nn.parameter_containers": "ParameterDict ParameterList",
        "nn.pooling": (
            "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d "
            "AdaptiveMaxPool2d AdaptiveMaxPool3d AvgPool1d AvgPool2d AvgPool3d LPPool1d LPPool2d "
            "LPPool3d MaxPool1d MaxPool2d MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d"
        ),
        "nn.rectifiers": (
            "CELU ELU Hardshrink Hardsigmoid Hardswish Hardtanh LeakyReLU PReLU RReLU ReLU ReLU6 "
            "SELU Softshrink Threshold"
        ),
        "nn.recurrent": "GRU LSTM RNN",
        "nn.resizing": (
            "ChannelShuffle Fold PixelShuffle PixelUnshuffle Unfold Upsample UpsamplingBilinear2d "
            "UpsamplingNearest2d"
        ),
        "nn.sparse": "Embedding EmbeddingBag",
        "nn.transformer": "Transformer TransformerDecoder TransformerEncoder",
        "nn.transformer_layers": "TransformerDecoderLayer TransformerEncoderLayer",
    }
)
MODULES = ("functional", "init", "modules", "parallel", "utils")

__all__ = [*HOMES, *MODULES]
__getattr__, __dir__ = lazy(__name__, HOMES, MODULES)
