"""Recurrent cells: one step of a recurrent network, from an input and a state to the next state.

Read next: nn/recurrent.py
"""

import math
from collections.abc import Callable
from typing import Any

from graphlab.common.dtypes import dtype
from graphlab.nn import functional as F
from graphlab.nn import init
from graphlab.nn.layer import Layer
from graphlab.nn.module import Module
from graphlab.tensor import functions as core
from graphlab.tensor.creation import zeros
from graphlab.tensor.tensor import Tensor

Product = Callable[[], Tensor]  # computes W x + b or U h + c; the step calls it
State = tuple[Tensor, ...]

# -- one step: (product of the input, product of the state, state) -> the next state ---------------
# A step computes the products in PyTorch's order, so that the backward pass has its order, too.


def rnn_step(nonlinearity: Callable[[Tensor], Tensor]) -> Callable[[Product, Product, State], Any]:
    """Return the step h ← nonlinearity(W x + U h)."""

    def step(by_input: Product, by_state: Product, state: State) -> State:
        return (nonlinearity(by_state() + by_input()),)

    return step


def lstm_step(by_input: Product, by_state: Product, state: State) -> State:
    """c ← f c + i g;  h ← o tanh(c), with the gates i, f, g, o of W x + U h."""
    i, f, g, o = core.unsafe_chunk(by_state() + by_input(), 4, 1)
    i, f, g, o = core.sigmoid(i), core.sigmoid(f), core.tanh(g), core.sigmoid(o)
    c = f * state[1] + i * g
    return o * core.tanh(c), c


def gru_step(by_input: Product, by_state: Product, state: State) -> State:
    """h ← n + z (h - n), with the gates r, z of W x + U h and n = tanh(W x + r U h)."""
    (h,) = state
    r, z, n = core.unsafe_chunk(by_input(), 3, 1)
    r_, z_, n_ = core.unsafe_chunk(by_state(), 3, 1)
    r, z = core.sigmoid(r_ + r), core.sigmoid(z_ + z)
    n = core.tanh(n + n_ * r)
    return ((h - n) * z + n,)


# mode -> its step, the number of its gates, the number of tensors in its state
STEPS: dict[str, tuple[Callable[..., Any], int, int]] = {
    "RNN_TANH": (rnn_step(core.tanh), 1, 1),
    "RNN_RELU": (rnn_step(core.relu), 1, 1),
    "LSTM": (lstm_step, 4, 2),
    "GRU": (gru_step, 3, 1),
}


def reset(module: Module, hidden_size: int) -> None:
    """Draw new values for all parameters from the uniform distribution on ±1/√hidden_size."""
    bound = 1.0 / math.sqrt(hidden_size) if hidden_size > 0 else 0
    for parameter in module.parameters():
        init.uniform_(parameter, -bound, bound)


# -- cells ---------------------------------------------------------------------------------------


class Cell(Layer):
    """The base of the cells: a weight and a bias for the input, and for the state.

    input_size: int, the number of features of the input.
    hidden_size: int, the number of features of the state.
    bias: bool, whether to add two learned vectors, b and c; default True.

    Attributes:
        weight_ih: (gates · hidden_size, input_size), W
        weight_hh: (gates · hidden_size, hidden_size), U
        bias_ih, bias_hh: (gates · hidden_size,), b and c, or None
        All start uniform in ±1/√hidden_size; gates is 1 for RNNCell, 4 for LSTMCell, 3 for GRUCell.

    Raises: ValueError or RuntimeError, in the call, for sizes that do not fit.
    """

    mode = ""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Any = None,
        dtype: dtype | None = None,
    ) -> None:
        super().__init__(device)
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        n = STEPS[self.mode][1] * hidden_size
        self._add_weight("weight_ih", n, input_size, dtype=dtype)
        self._add_weight("weight_hh", n, hidden_size, dtype=dtype)
        self._add_weight("bias_ih", n, dtype=dtype, wanted=bias)
        self._add_weight("bias_hh", n, dtype=dtype, wanted=bias)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new values from the uniform distribution on ±1/√hidden_size."""
        reset(self, self.hidden_size)

    def _run(self, input: Tensor, state: Any, mode: str) -> tuple[Tensor, ...]:
        """Return the state after one step, for one sample or for a batch."""
        name = type(self).__name__
        if input.dim() not in (1, 2):
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        for i, part in enumerate(state or ()):
            if part.dim() not in (1, 2):
                what = f"hx[{i}]" if len(state) == 2 else "hidden"
                raise ValueError(
                    f"{name}: Expected {what} to be 1D or 2D, got {part.dim()}D instead"
                )
        single = input.dim() == 1
        x = input.unsqueeze(0) if single else input
        step, _, count = STEPS[mode]
        if state is None:
            state = (zeros(x.size(0), self.hidden_size, dtype=x.dtype),) * count
        elif single:
            state = tuple(part.unsqueeze(0) for part in state)
        self._check(x, state)
        after = step(
            lambda: F.linear(x, self.weight_ih, self.bias_ih),
            lambda: F.linear(state[0], self.weight_hh, self.bias_hh),
            state,
        )
        return tuple(part.squeeze(0) for part in after) if single else after

    def _check(self, x: Tensor, state: tuple[Tensor, ...]) -> None:
        """Raise RuntimeError for sizes that do not fit."""
        if x.size(1) != self.input_size:
            raise RuntimeError(
                f"input has inconsistent input_size: got {x.size(1)} expected {self.input_size}"
            )
        for i, part in enumerate(state):
            if x.size(0) != part.size(0):
                raise RuntimeError(
                    f"Input batch size {x.size(0)} doesn't match hidden{i} batch size "
                    f"{part.size(0)}"
                )
            if part.size(1) != self.hidden_size:
                raise RuntimeError(
                    f"hidden{i} has inconsistent hidden_size: got {part.size(1)}, expected "
                    f"{self.hidden_size}"
                )

    def extra_repr(self) -> str:
        return f"{self.input_size}, {self.hidden_size}" + self._changed(
            bias=True, nonlinearity="tanh"
        )


class RNNCell(Cell):
    """Compute one step of a simple recurrent network: h' = tanh(W x + b + U h + c).

    nonlinearity: str, "tanh", the default, or "relu".

    Shapes: input (N, input_size) or (input_size,), hx (N, hidden_size) or (hidden_size,), by
        default zeros -> h', shaped as hx.

    Source: Elman 1990, "Finding structure in time".

    >>> RNNCell(2, 3)(torch.ones(5, 2)).shape
    torch.Size([5, 3])
    """

    mode = "RNN_TANH"

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: dtype | None = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        state = None if hx is None else (hx,)
        return self._run(input, state, f"RNN_{self.nonlinearity.upper()}")[0]


class LSTMCell(Cell):
    """Compute one step of a long short-term memory.

    With four gates of W x + b + U h + c, the input gate i = σ(·), the forget gate f = σ(·), the
    candidate g = tanh(·) and the output gate o = σ(·): c' = f · c + i · g and h' = o · tanh(c').

    Shapes: input (N, input_size) or (input_size,), hx a pair (h, c) of (N, hidden_size) or
        (hidden_size,), by default zeros -> (h', c'), shaped as hx.

    Source: Hochreiter & Schmidhuber 1997, "Long short-term memory".

    >>> h, c = LSTMCell(2, 3)(torch.ones(5, 2))
    >>> h.shape, c.shape
    (torch.Size([5, 3]), torch.Size([5, 3]))
    """

    mode = "LSTM"

    def forward(self, input: Tensor, hx: Any = None) -> tuple[Tensor, ...]:
        return self._run(input, None if hx is None else tuple(hx), self.mode)


class GRUCell(Cell):
    """Compute one step of a gated recurrent unit.

    With the reset gate r = σ(·) and the update gate z = σ(·) of W x + b + U h + c, and the
    candidate n = tanh(W x + b + r · (U h + c)): h' = (1 - z) · n + z · h.

    Shapes: input (N, input_size) or (input_size,), hx (N, hidden_size) or (hidden_size,), by
        default zeros -> h', shaped as hx.

    Source: Cho et al. 2014, arXiv:1406.1078.

    >>> GRUCell(2, 3)(torch.ones(5, 2)).shape
    torch.Size([5, 3])
    """

    mode = "GRU"

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        return self._run(input, None if hx is None else (hx,), self.mode)[0]
