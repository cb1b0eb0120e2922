"""Recurrent layers: a cell runs along a sequence, and each step passes its state to the next.

One product multiplies the inputs of all steps by their weights; then the cell runs step by step.

PyTorch differs: the graph of its LSTM has one node per direction; here the graph has the nodes of
every step, as for PyTorch's other recurrent layers.

Read next: nn/module.py
"""

import warnings
from typing import Any

from graphlab.common.dtypes import dtype
from graphlab.common.errors import users_level
from graphlab.nn import functional as F
from graphlab.nn.cells import STEPS, reset
from graphlab.nn.layer import Layer
from graphlab.nn.parameter import Parameter
from graphlab.nn.utils.rnn import PackedSequence, steps_backwards, steps_forwards
from graphlab.tensor import functions as core
from graphlab.tensor.creation import zeros
from graphlab.tensor.tensor import Tensor


class RNNBase(Layer):
    """The base of the recurrent layers: weights for each layer and direction.

    input_size: int > 0, the number of features of the input.
    hidden_size: int > 0, the number of features of the state, H.
    num_layers: int > 0, the number of layers, each of which reads the outputs of the layer below;
        default 1.
    bias: bool, whether to add two learned vectors in every layer; default True.
    batch_first: bool, whether input and output are (N, T, ...) and not (T, N, ...); default False.
    dropout: float in [0, 1], the probability that an output of a layer is dropped in training,
        except of the last layer; default 0.
    bidirectional: bool, whether a second network reads the sequence backwards; default False.
    proj_size: int ≥ 0, below `hidden_size`; if not 0, a learned matrix projects each h to
        `proj_size` features (Sak et al. 2014, arXiv:1402.1128), which H then is; default 0.

    Shapes: input (T, N, input_size), (T, input_size) or a PackedSequence, hx (D · num_layers, N, H)
        or without N, by default zeros -> output (T, N, D · H), without N or packed, and the last
        state, shaped as hx; with T the length, and D = 2 if bidirectional, else 1.

    Attributes: for each layer k, and with the suffix "_reverse" for the second direction,
        weight_ih_l[k]: (gates · hidden_size, input_size), or D · H in place of input_size for k > 0
        weight_hh_l[k]: (gates · hidden_size, H)
        bias_ih_l[k], bias_hh_l[k]: (gates · hidden_size,), with `bias`
        weight_hr_l[k]: (proj_size, hidden_size), with `proj_size`
        All start uniform in ±1/√hidden_size; gates is 1 for RNN, 4 for LSTM, 3 for GRU.

    Raises: TypeError or ValueError for arguments of another type or out of range.
    """

    mode = ""  # a key of STEPS

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int | None = None,
        device: Any = None,
        dtype: dtype | None = None,
    ) -> None:
        super().__init__(device)
        if proj_size is not None and self.mode != "LSTM":
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = dropout
        self.bidirectional = bidirectional
        self.proj_size = proj_size = proj_size or 0
        check_options(self)
        self.dropout = float(dropout)
        self._all_weights: list[list[str]] = []
        n = STEPS[self.mode][1] * hidden_size
        state_size = proj_size or hidden_size
        for layer in range(num_layers):
            width = input_size if layer == 0 else state_size * self._directions
            shapes: dict[str, tuple[int, ...]] = {
                "weight_ih": (n, width),
                "weight_hh": (n, state_size),
            }
            if bias:
                shapes.update(bias_ih=(n,), bias_hh=(n,))
            if proj_size:
                shapes.update(weight_hr=(proj_size, hidden_size))
            for suffix in ("", "_reverse")[: self._directions]:
                for name, shape in shapes.items():
                    self._add_weight(f"{name}_l{layer}{suffix}", *shape, dtype=dtype)
                self._all_weights.append([f"{name}_l{layer}{suffix}" for name in shapes])
        self.reset_parameters()

    @property
    def _directions(self) -> int:
        return 2 if self.bidirectional else 1

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The parameters of each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    @property
    def _flat_weights_names(self) -> list[str]:
        """The names of all parameters, layer after layer: PyTorch's name, which programs read."""
        return [name for names in self._all_weights for name in names]

    def reset_parameters(self) -> None:
        """Draw new values, uniform in ±1/√hidden_size."""
        reset(self, self.hidden_size)

    def flatten_parameters(self) -> None:
        """Do nothing; in PyTorch, it packs the weights for a GPU."""

    def _sizes(self, batch: int) -> list[tuple[int, int, int]]:
        """Return the shapes of the tensors of the state."""
        layers = self.num_layers * self._directions
        sizes = [(layers, batch, self.proj_size or self.hidden_size)]
        return sizes + [(layers, batch, self.hidden_size)] * (STEPS[self.mode][2] - 1)

    def _check_input(self, x: Tensor) -> None:
        """Raise ValueError for an input of another dtype, RuntimeError for one of another size."""
        kind = self.weight_ih_l0.dtype
        if x.dtype is not kind:
            raise ValueError(
                f"RNN input dtype ({x.dtype}) does not match weight dtype ({kind}). Convert "
                f"input: input.to({kind}), or convert model: model.to({x.dtype})"
            )
        if self.input_size != x.size(-1):
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got "
                f"{x.size(-1)}"
            )

    def _run(self, input: Any, state: Any, what: str = "") -> tuple[Any, tuple[Tensor, ...]]:
        """Return the outputs and the state after the last step."""
        if isinstance(input, PackedSequence):
            return self._run_packed(input, state)
        check_input_dims(self.mode.split("_")[0], input, what)
        batch_dim = 0 if self.batch_first else 1
        single = input.dim() == 2
        x = input.unsqueeze(batch_dim) if single else input
        if state is not None:
            check_dims(state, single)
        self._check_input(x)
        if single and state is not None:
            state = tuple(part.unsqueeze(1) for part in state)
        state = self._first_state(state, x, x.size(batch_dim))
        outputs, after = self._walk(x.transpose(0, 1) if self.batch_first else x, state)
        outputs = outputs.transpose_(0, 1) if self.batch_first else outputs
        if single:
            outputs = outputs.squeeze(batch_dim)
            after = tuple(part.squeeze(1) for part in after)
        return outputs, after

    def _run_packed(
        self, input: PackedSequence, state: Any
    ) -> tuple[PackedSequence, tuple[Tensor, ...]]:
        """Return the outputs, packed, and the state after each sequence's last step."""
        data, sizes, order, back = input
        if data.dim() != 2:
            raise RuntimeError(f"input must have 2 dimensions, got {data.dim()}")
        self._check_input(data)
        if state is not None and order is not None:
            state = tuple(core.index_select(part, 1, order) for part in state)
        batch_sizes = sizes.tolist()
        state = self._first_state(state, data, batch_sizes[0])
        outputs, after = self._walk(data, state, batch_sizes)
        if back is not None:
            after = tuple(core.index_select(part, 1, back) for part in after)
        return PackedSequence(outputs, sizes, order, back), after

    def _first_state(self, state: Any, x: Tensor, batch: int) -> tuple[Tensor, ...]:
        """Return the state before the first step, by default zeros.

        Raises: RuntimeError for a given state of another shape.
        """
        sizes = self._sizes(batch)
        if state is None:
            return tuple(zeros(size, dtype=x.dtype) for size in sizes)
        for i, (part, size) in enumerate(zip(state, sizes, strict=True)):
            if tuple(part.shape) != size:
                which = "hidden size" if len(sizes) == 1 else f"hidden[{i}] size"
                raise RuntimeError(f"Expected {which} {size}, got {list(part.shape)}")
        return state

    def _walk(
        self, x: Tensor, state: tuple[Tensor, ...], batch_sizes: list[int] | None = None
    ) -> tuple[Tensor, tuple[Tensor, ...]]:
        """Run all layers, each in one or both directions; return the outputs and the last state.

        x: (T, N, input_size); or packed, if batch_sizes says how many sequences reach each step
        """
        if not x.shape[0]:
            raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
        states = list(zip(*(core.unbind(part, 0) for part in state), strict=True))
        after = []
        for layer in range(self.num_layers):
            both = []
            for direction in range(self._directions):
                place = layer * self._directions + direction
                outputs, last = self._one_way(x, states[place], place, direction == 1, batch_sizes)
                both.append(outputs)
                after.append(last)
            x = both[0] if len(both) == 1 else core.cat(both, both[0].ndim - 1)
            if self.dropout and layer < self.num_layers - 1:
                x = F.dropout(x, self.dropout, self.training)
        parts = zip(*after, strict=True)
        return x, tuple(core.stack(part, 0) for part in parts)

    def _one_way(
        self,
        x: Tensor,
        state: tuple[Tensor, ...],
        place: int,
        backwards: bool,
        batch_sizes: list[int] | None,
    ) -> tuple[Tensor, tuple[Tensor, ...]]:
        """Run one layer along the sequence in one direction; return its outputs and last state.

        place: the number of the layer and direction in `all_weights`
        """
        weights = dict(zip(self._all_weights[place], self.all_weights[place], strict=True))
        named = {name.split("_l")[0]: weight for name, weight in weights.items()}
        cell, w, b = STEPS[self.mode][0], named["weight_hh"], named.get("bias_hh")

        def step(gates: Tensor, state: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
            h = state[0]
            state = cell(lambda: gates, lambda: F.linear(h, w, b), state)
            if self.proj_size:
                state = (F.linear(state[0], named["weight_hr"]), *state[1:])
            return state

        inputs = F.linear(x, named["weight_ih"], named.get("bias_ih"))
        if batch_sizes is not None:
            run = steps_backwards if backwards else steps_forwards
            return run(step, inputs, state, batch_sizes)
        gates, outputs = core.unbind(inputs, 0), []
        for one in reversed(gates) if backwards else gates:
            state = step(one, state)
            outputs.append(state[0])
        return core.stack(outputs[::-1] if backwards else outputs, 0), state

    def extra_repr(self) -> str:
        return f"{self.input_size}, {self.hidden_size}" + self._changed(
            proj_size=0, num_layers=1, bias=True, batch_first=False, dropout=0, bidirectional=False
        )


def check_dims(state: tuple[Tensor, ...], single: bool) -> None:
    """Raise RuntimeError if only one of input and state has a batch dimension."""
    expected, how = (2, "unbatched 2-D") if single else (3, "batched 3-D")
    if all(part.dim() == expected for part in state):
        return
    if len(state) == 1:
        raise RuntimeError(
            f"For {how} input, hx should also be {expected}-D but got {state[0].dim()}-D tensor"
        )
    raise RuntimeError(
        f"For {how} input, hx and cx should also be {expected}-D but got "
        f"({state[0].dim()}-D, {state[1].dim()}-D) tensors"
    )


def check_options(layer: RNNBase) -> None:
    """Raise ValueError or TypeError for options of another type or out of range."""
    dropout, num_layers, proj_size = layer.dropout, layer.num_layers, layer.proj_size
    number = isinstance(dropout, int | float) and not isinstance(dropout, bool)
    if not number or not 0 <= dropout <= 1:
        raise ValueError(
            "dropout should be a number in range [0, 1] representing the probability of an "
            "element being zeroed"
        )
    if dropout > 0 and num_layers == 1:
        warnings.warn(
            "dropout option adds dropout after all but last recurrent layer, so non-zero dropout "
            f"expects num_layers greater than 1, but got dropout={dropout} and "
            f"num_layers={num_layers}",
            stacklevel=users_level(),
        )
    kinds = {"bias": bool, "batch_first": bool, "input_size": int, "hidden_size": int}
    for name, kind in kinds.items():
        value = getattr(layer, name)
        if not isinstance(value, kind):
            raise TypeError(
                f"{name} should be of type {kind.__name__}, got: {type(value).__name__}"
            )
        if kind is int and value <= 0:
            raise ValueError(f"{name} must be greater than zero")
    if num_layers <= 0:
        raise ValueError("num_layers must be greater than zero")
    if proj_size < 0:
        raise ValueError("proj_size should be a positive integer or zero to disable projections")
    if proj_size >= layer.hidden_size:
        raise ValueError("proj_size has to be smaller than hidden_size")


def check_input_dims(name: str, input: Tensor, what: str = "") -> None:
    """Raise ValueError for an input that is neither 2-D nor 3-D."""
    if input.dim() not in (2, 3):
        raise ValueError(f"{name}: Expected input to be 2D or 3D, got {input.dim()}D {what}instead")


class RNN(RNNBase):
    """Run a simple recurrent network along a sequence: hₜ = tanh(W xₜ + b + U hₜ₋₁ + c).

    nonlinearity: str, "tanh", the default, or "relu".
    proj_size: None; only LSTM has a projection.

    Source: Elman 1990, "Finding structure in time".

    >>> output, h = RNN(2, 3, num_layers=2)(torch.ones(5, 1, 2))
    >>> output.shape, h.shape
    (torch.Size([5, 1, 3]), torch.Size([2, 1, 3]))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: None = None,
        device: Any = None,
        dtype: dtype | None = None,
    ) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(
                f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'."
            )
        self.mode = f"RNN_{nonlinearity.upper()}"
        super().__init__(
            input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional,
            proj_size, device, dtype,
        )  # fmt: skip
        self.nonlinearity = nonlinearity

    def forward(self, input: Any, hx: Tensor | None = None) -> tuple[Any, Tensor]:
        output, (h,) = self._run(input, None if hx is None else (hx,), "tensor ")
        return output, h


class LSTM(RNNBase):
    """Run a long short-term memory along a sequence; LSTMCell explains its step.

    Shapes: input (T, N, input_size), (T, input_size) or a PackedSequence, hx a pair (h, c) of
        (D · num_layers, N, H) and (D · num_layers, N, hidden_size) or without N, by default zeros
        -> output (T, N, D · H), without N or packed, and the last (h, c); with T the length, and
        D = 2 if bidirectional, else 1.

    Source: Hochreiter & Schmidhuber 1997, "Long short-term memory".

    >>> output, (h, c) = LSTM(2, 3, bidirectional=True)(torch.ones(5, 1, 2))
    >>> output.shape, h.shape, c.shape
    (torch.Size([5, 1, 6]), torch.Size([2, 1, 3]), torch.Size([2, 1, 3]))
    """

    mode = "LSTM"

    def forward(self, input: Any, hx: Any = None) -> tuple[Any, tuple[Tensor, ...]]:
        return self._run(input, None if hx is None else (hx[0], hx[1]))


class GRU(RNNBase):
    """Run a gated recurrent unit along a sequence; GRUCell explains its step.

    proj_size: None; only LSTM has a projection.

    Source: Cho et al. 2014, arXiv:1406.1078.

    >>> output, h = GRU(2, 3)(torch.ones(5, 1, 2))
    >>> output.shape, h.shape
    (torch.Size([5, 1, 3]), torch.Size([1, 1, 3]))
    """

    mode = "GRU"

    def forward(self, input: Any, hx: Tensor | None = None) -> tuple[Any, Tensor]:
        output, (h,) = self._run(input, None if hx is None else (hx,))
        return output, h
