"""The report of every module can be shown, and no check of one fails.

Read next: graphlab/faces/symbolic/report_table.py
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

import graphlab
from graphlab import nn
from graphlab.faces.symbolic.check import check
from tests.nn import test_modules
from tests.symbolic.conftest import assert_shown, randn

FLAT = {  # what differs from a tested module only in the number of dims, or in which are dropped
    "AvgPool3d", "BatchNorm3d", "CircularPad3d", "ConstantPad2d", "ConstantPad3d",
    "ConvTranspose3d", "Dropout1d", "Dropout3d", "FeatureAlphaDropout", "InstanceNorm3d",
    "MaxPool3d", "ReflectionPad3d", "ReplicationPad1d", "ReplicationPad3d",
    "TripletMarginWithDistanceLoss", "UpsamplingNearest2d", "ZeroPad1d", "ZeroPad3d",
}  # fmt: skip


def attended(make: Callable[..., nn.Module], count: int) -> graphlab.Tensor:
    result = make()(*(randn(2, 1, 2, seed=i) for i in range(count)))
    return result[0] if isinstance(result, tuple) else result


ROW, LINE, BATCH = (1, 2), (3, 2), (2, 1, 2)
RECURRENT: dict[str, Callable[[], graphlab.Tensor]] = {
    "RNNCell": lambda: nn.RNNCell(2, 2)(randn(*ROW)),
    "GRUCell": lambda: nn.GRUCell(2, 2)(randn(*ROW)),
    "LSTMCell": lambda: nn.LSTMCell(2, 2)(randn(*ROW))[0],
    "RNN": lambda: nn.RNN(2, 2)(randn(*LINE))[0],
    "RNN, batched": lambda: nn.RNN(2, 2, nonlinearity="relu")(randn(*BATCH))[0],
    "GRU": lambda: nn.GRU(2, 2)(randn(*BATCH))[0],
    "LSTM": lambda: nn.LSTM(2, 2)(randn(*BATCH))[0],
}
ATTENTION: dict[str, Callable[[], graphlab.Tensor]] = {
    "MultiheadAttention": lambda: attended(lambda: nn.MultiheadAttention(2, 1), 3),
    "TransformerEncoderLayer": lambda: attended(
        lambda: nn.TransformerEncoderLayer(2, 1, 2, dropout=0.0), 1
    ),
    "TransformerDecoderLayer": lambda: attended(
        lambda: nn.TransformerDecoderLayer(2, 1, 2, dropout=0.0), 2
    ),
    "TransformerEncoder": lambda: attended(
        lambda: nn.TransformerEncoder(
            nn.TransformerEncoderLayer(2, 1, 2, dropout=0.0), 1, enable_nested_tensor=False
        ),
        1,
    ),
    "TransformerDecoder": lambda: attended(
        lambda: nn.TransformerDecoder(nn.TransformerDecoderLayer(2, 1, 2, dropout=0.0), 1), 2
    ),
}


def timed_letters() -> graphlab.Tensor:
    """The loss of two letters in three steps."""
    scores = graphlab.randn(3, 1, 3, requires_grad=True)
    letters, steps, length = (graphlab.tensor(x) for x in ([[1, 2]], [3], [2]))
    return nn.CTCLoss()(scores.log_softmax(2), letters, steps, length)


OTHERS = RECURRENT | ATTENTION | {"CTCLoss": timed_letters}


def result_of(name: str) -> graphlab.Tensor:
    """What the module of this name gives for its inputs."""
    graphlab.manual_seed(5)
    if name in OTHERS:
        return OTHERS[name]()
    make, inputs = test_modules.CASES[name]
    return make(nn)(*inputs(graphlab))


@pytest.mark.parametrize("name", [*test_modules.CASES, *OTHERS])
def test_the_report_of_a_module_is_shown(name):
    result = result_of(name)
    report = check((result * result).sum(), budget=1.0)
    assert_shown(report)
    assert "ended in" not in repr(report)  # an error where the checker expects none


def test_every_module_is_among_them():
    named = {name.split(",")[0] for name in (*test_modules.CASES, *OTHERS)}
    holders = {
        "Module", "Parameter", "Buffer", "ParameterList", "ParameterDict", "ModuleList",
        "ModuleDict", "Transformer",
    }  # fmt: skip
    lazy = {name for name in nn.HOMES if name.startswith(("Lazy", "Uninitialized"))}
    assert set(nn.HOMES) - named - holders - lazy <= FLAT
