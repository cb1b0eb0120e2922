"""GraphLab: see autograd. Write a formula, look at its graph, walk the backward pass.

    >>> import graphlab as torch
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> y = x * x
    >>> y.backward()
    >>> x.grad
    tensor(6.)

The names are PyTorch's; `hello`, `draw`, `trace`, `record`, `step`, `explore`, `compare`, `check`,
`formula`, `scope`, `plots` and `exercises` are GraphLab's own.

Read next: autograd/record.py
"""

from importlib import import_module
from math import e, inf, nan, pi
from types import SimpleNamespace
from typing import Any

from graphlab import autograd
from graphlab.autograd import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from graphlab.common.devices import keep_freed_memory as _keep_freed_memory
from graphlab.common.dtypes import (
    NO_COMPLEX,
    dtype,
    float16,
    float32,
    float64,
    get_default_dtype,
    int8,
    int16,
    int32,
    int64,
    set_default_dtype,
    uint8,
)
from graphlab.common.dtypes import bool_ as bool
from graphlab.common.errors import left_out
from graphlab.common.errors import shorten_tracebacks as _shorten_tracebacks
from graphlab.common.notebook import follow_cells as _follow_cells
from graphlab.common.notebook import register as _register
from graphlab.common.public import FUNCTIONS, OPERATIONS, OPERATORS, WRITTEN
from graphlab.common.public import with_import as _with_import
from graphlab.primitives import loaders as _loaders
from graphlab.tensor import methods
from graphlab.tensor.creation import tensor
from graphlab.tensor.functions import is_operator, public_op, with_numpy_names
from graphlab.tensor.functions.checks import answered
from graphlab.tensor.functions.refusals import in_words
from graphlab.tensor.sizes import Size
from graphlab.tensor.tensor import Tensor

__version__ = "0.1.0"
assert methods  # importing it gave Tensor its methods
_keep_freed_memory()
_follow_cells()
_shorten_tracebacks()
__path__.append(f"{__path__[0]}/compat")  # PyTorch's modules: `import graphlab.linalg`

float, double, half = float32, float64, float16
int, long, short = int32, int64, int16
newaxis = None
version = SimpleNamespace(__version__=__version__, cuda=None, hip=None, debug=False)

HOMES = {
    **FUNCTIONS,
    **{name: "tensor.functions" for name, (_, kinds) in OPERATIONS.items() if "function" in kinds},
    **dict.fromkeys(
        ("check", "compare", "draw", "explore", "formula", "record", "step", "trace"), "faces.api"
    ),
    "hello": "faces.hello",
    "Question": "graph.questions",
    "Timeline": "graph.timeline",
    "scope": "autograd.scopes",
    **dict.fromkeys(("load", "save"), "compat.serialization"),
    "compile": "compat.jit",
    "autocast": "amp",
}
ABSENT = {
    "bfloat16": "bfloat16 is not supported: NumPy has no such type; use float32 or float16",
    **dict.fromkeys(("complex64", "complex128", "cfloat", "cdouble", "complex"), NO_COMPLEX),
    **{
        name: f"torch.{name} is not supported, because complex tensors are not: keep the real and "
        "the imaginary part in two tensors, and write a rotation with cos and sin"
        for name in ("fft", "istft", "polar", "stft", "view_as_complex", "view_as_real")
    },
    **{
        name: f"torch.{name} is not supported, because sparse tensors are not: use a dense tensor, "
        "or gather and index_add where only the entries that are not 0 should be stored"
        for name in ("sparse", "sparse_coo", "sparse_coo_tensor", "sparse_csr", "sparse_csr_tensor")
    },
}
MODULES = (
    "accelerator", "amp", "backends", "cuda", "distributions", "func", "jit", "linalg", "nn",
    "optim", "random", "special", "testing", "utils",
)  # fmt: skip
FACES = ("exercises", "plots")

__all__ = [
    "e", "inf", "nan", "newaxis", "pi",
    "Size", "Tensor", "autograd", "bool", "double", "dtype", "enable_grad", "float", "float16",
    "float32", "float64", "get_default_dtype", "half", "int", "int16", "int32", "int64", "int8",
    "is_grad_enabled", "long", "no_grad", "set_default_dtype", "set_grad_enabled", "short",
    "tensor", "uint8",
]  # fmt: skip
__all__ += [*HOMES, *MODULES, *FACES]

_loaders.append(lambda: import_module("graphlab.primitives.tensor_reading"))
_register("Timeline", "graphlab.faces.render.bundle:timeline_bundle")
_register("Timeline.text", "graphlab.faces.render.text:printed")
_register("Timeline.save", "graphlab.faces.render.drawing:save")
_register("CheckedGraph.pictures", "graphlab.faces.render.steady_scenes:pictures_of")
_register("Timeline.slope", "graphlab.faces.render.slope:slope_of")
_register("Timeline.live", "graphlab.faces.widgets.stepper:Stepper")


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used."""
    if name in MODULES:
        return import_module(f"graphlab.{name}")
    if name == "return_types":
        return import_module("graphlab.tensor.functions.results")
    if name in FACES:
        return import_module(f"graphlab.faces.{name}")
    if name in ABSENT:
        raise left_out(ABSENT[name])
    op = public_op(name)
    if name not in HOMES and not (op and op.function):
        raise AttributeError(f"module 'graphlab' has no attribute {name!r}")
    found = getattr(import_module(f"graphlab.{HOMES.get(name, 'tensor.functions')}"), name)
    found = with_numpy_names(found)
    found = answered(found) if name in OPERATORS or is_operator(name) else found
    if name in WRITTEN or (op and op.out):
        from graphlab.tensor.functions.outputs import with_out

        found = with_out(found)
    if HOMES.get(name, "tensor.functions").startswith(("tensor.", "nn.functional")):
        found = in_words(found)
        if HOMES.get(name, "").startswith("nn"):
            found.__doc__ = _with_import(found.__doc__ or "", names=HOMES)
    if op or hasattr(found, "__wrapped__"):
        found.__module__ = __name__  # where pickle finds it
    return globals().setdefault(name, found)  # one object for all threads


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext graphlab`: the magics `%%trace`, `%%check`, `%%draw` and `%%record`."""
    shell.register_magics(import_module("graphlab.faces.magics").GraphLabMagics)


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
