"""Recurrent cells: one step, from an input and a state to the next state.

Read next: nn/recurrent.py
"""

import math
from collections.abc import Callable
from typing import Any

from graphlab.common.devices import check_device
from graphlab.common.dtypes import dtype
from graphlab.nn import functional as F
from graphlab.nn import init
from graphlab.nn.module import Module
from graphlab.nn.parameter import Parameter
from graphlab.tensor import functions as core
from graphlab.tensor.creation import empty, zeros
from graphlab.tensor.tensor import Tensor

# -- one step: what came in (times its weights), the state, the state's own weights --------------


def rnn_step(nonlinearity: Callable[[Tensor], Tensor]) -> Callable[..., tuple[Tensor, ...]]:
    """h ← tanh(input + W h), or relu."""

    def step(gates: Tensor, state: tuple[Tensor, ...], w: Tensor, b: Any) -> tuple[Tensor, ...]:
        return (nonlinearity(F.linear(state[0], w, b) + gates),)

    return step


def lstm_step(gates: Tensor, state: tuple[Tensor, ...], w: Tensor, b: Any) -> tuple[Tensor, ...]:
    """c ← f c + i g;  h ← o tanh(c), with four gates i, f, g, o of input and h."""
    h, c = state
    i, f, g, o = core.unsafe_chunk(F.linear(h, w, b) + gates, 4, -1)
    c = core.sigmoid(f) * c + core.sigmoid(i) * core.tanh(g)
    return core.sigmoid(o) * core.tanh(c), c


def gru_step(gates: Tensor, state: tuple[Tensor, ...], w: Tensor, b: Any) -> tuple[Tensor, ...]:
    """h ← n + z (h - n), with n = tanh(input + r W h): r forgets, z keeps."""
    (h,) = state
    r, z, n = core.unsafe_chunk(gates, 3, -1)
    r_, z_, n_ = core.unsafe_chunk(F.linear(h, w, b), 3, -1)
    r, z = core.sigmoid(r_ + r), core.sigmoid(z_ + z)
    n = core.tanh(n + n_ * r)
    return ((h - n) * z + n,)


STEPS: dict[str, tuple[Callable[..., Any], int, int]] = {  # step, gates, tensors in the state
    "RNN_TANH": (rnn_step(core.tanh), 1, 1),
    "RNN_RELU": (rnn_step(core.relu), 1, 1),
    "LSTM": (lstm_step, 4, 2),
    "GRU": (gru_step, 3, 1),
}


def reset(module: Module, hidden_size: int) -> None:
    """Begin anew, uniform in ±1/√hidden_size."""
    bound = 1.0 / math.sqrt(hidden_size) if hidden_size > 0 else 0
    for parameter in module.parameters():
        init.uniform_(parameter, -bound, bound)


# -- cells ---------------------------------------------------------------------------------------


class Cell(Module):
    """What the cells have: weights and biases for the input and for the state."""

    mode = ""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Any = None,
        dtype: dtype | None = None,
    ) -> None:
        super().__init__()
        check_device(device)
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        n = STEPS[self.mode][1] * hidden_size
        self.weight_ih = Parameter(empty(n, input_size, dtype=dtype))
        self.weight_hh = Parameter(empty(n, hidden_size, dtype=dtype))
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, Parameter(empty(n, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Begin anew, uniform in ±1/√hidden_size."""
        reset(self, self.hidden_size)

    def _run(self, input: Tensor, state: Any, mode: str) -> tuple[Tensor, ...]:
        """One step, of one sample or of a batch."""
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
        gates = F.linear(x, self.weight_ih, self.bias_ih)
        after = step(gates, state, self.weight_hh, self.bias_hh)
        return tuple(part.squeeze(0) for part in after) if single else after

    def _check(self, x: Tensor, state: tuple[Tensor, ...]) -> None:
        """Raises: RuntimeError for sizes that do not fit."""
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
        text = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        if getattr(self, "nonlinearity", "tanh") != "tanh":
            text += f", nonlinearity={self.nonlinearity}"
        return text


class RNNCell(Cell):
    """h' = tanh(W x + b + U h + c). input: (N, in) or (in,), hx: (N, H) -> (N, H)."""

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
    """One step of an LSTM. input: (N, in) or (in,), hx: (h, c) of (N, H) -> (h', c')."""

    mode = "LSTM"

    def forward(self, input: Tensor, hx: Any = None) -> tuple[Tensor, ...]:
        return self._run(input, None if hx is None else tuple(hx), self.mode)


class GRUCell(Cell):
    """One step of a GRU. input: (N, in) or (in,), hx: (N, H) -> (N, H)."""

    mode = "GRU"

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        return self._run(input, None if hx is None else (hx,), self.mode)[0]
