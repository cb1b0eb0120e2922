"""Random calls: any public function, its arguments made by the names of its parameters.

The functions come from GraphLab's table of public names, so that a new one is called at once; and
from the samples of every operation, with other entries, types and layouts.

Read next: tests/fuzz/outcomes.py
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any
from zlib import crc32

import numpy as np

import graphlab
from graphlab.common import public
from graphlab.common.public import OPERATIONS
from tests.core.samples import KINKS, SAMPLES, Sample
from tests.fuzz.exempt import CRASHES, rules_for
from tests.fuzz.outcomes import difference as outcomes_differ
from tests.fuzz.outcomes import run
from tests.fuzz.tensors import Rng, Spec, entries, near, spec

LEFT_OUT = set(
    [
        "Generator",
        "default_generator",
        "get_rng_state",
        "initial_seed",
        "manual_seed",
        "seed",
        "set_rng_state",
        "vmap",
        "set_printoptions",
        "set_num_threads",
        "get_num_threads",
        "use_deterministic_algorithms",
        "set_default_dtype",
        "set_anomaly_enabled",
        "inference_mode",
        "from_numpy",
        "from_dlpack",
        "as_tensor",
        "asarray",
        "tensor",
        "device",
        "layout",
        "strided",
        "finfo",
        "iinfo",
        "promote_types",
        "can_cast",
        "result_type",
        "einsum",
        "empty",
        "empty_like",
        "new_empty",
        "empty_strided",
        "is_anomaly_enabled",
        "numpy",
        "__array__",
        "share_memory_",
        "register_hook",
        "backward",
        "data_ptr",
        "register_post_accumulate_grad_hook",
        "tolist",
        "storage",
        "untyped_storage",
        "triplet_margin_with_distance_loss",
        "requires_grad_",
        "retain_grad",
        "detach_",
        "stft",
        "istft",
        "compile",
        "is_inference_mode_enabled",
        "typename",
        "set_",
        "multi_head_attention_forward",
        "is_anomaly_check_nan_enabled",
        "are_deterministic_algorithms_enabled",
        "resize_",
        "resize_as_",
        "new",
        "Tensor",
        "BoolTensor",
        "ByteTensor",
        "CharTensor",
        "DoubleTensor",
        "FloatTensor",
        "HalfTensor",
        "IntTensor",
        "LongTensor",
        "ShortTensor",
        "cauchy_",
        "log_normal_",
        "geometric_",
        "exponential_",
    ]
)


@dataclass
class Call:
    """A call: where the function is found, and its arguments, in which tensors are Specs."""

    home: str  # "torch", "Tensor", "nn.functional", "linalg", "special" or "sample"
    name: str
    args: list[Any]
    options: dict[str, Any]
    sample: Sample | None = None
    writes: bool = False  # it is asked for by `inplace=True`

    @property
    def specs(self) -> list[Spec]:
        found: list[Spec] = []
        for one in [*self.args, *self.options.values()]:
            found += [x for x in (one if isinstance(one, list | tuple) else [one]) if is_spec(x)]
        return found

    @property
    def in_place(self) -> bool:
        return self.writes or (self.name.endswith("_") and not self.name.endswith("__"))

    def run(self, lib: ModuleType, tensors: list[Any]) -> Any:
        left = iter(tensors)

        def real(x: Any) -> Any:
            if is_spec(x):
                return next(left)
            if isinstance(x, list | tuple) and any(map(is_spec, x)):
                return type(x)(map(real, x))
            return getattr(lib, x.name) if isinstance(x, Dtype) else x

        args = [real(x) for x in self.args]
        options = {name: real(x) for name, x in self.options.items()}
        if self.sample is not None:
            return self.sample.call(lib, *args)
        if self.home == "Tensor":
            return getattr(args[0], self.name)(*args[1:], **options)
        place: Any = lib
        for part in self.home.split(".") if self.home != "torch" else ():
            place = getattr(place, part)
        return getattr(place, self.name)(*args, **options)

    def __str__(self) -> str:
        given = [repr(x) for x in self.args] + [f"{k}={v!r}" for k, v in self.options.items()]
        return f"{self.home}.{self.name}({', '.join(given)})"[:400]


@dataclass(frozen=True)
class Dtype:
    """A type by its name, for either library."""

    name: str

    def __repr__(self) -> str:
        return self.name


def is_spec(x: Any) -> bool:
    return isinstance(x, Spec)


# -- which functions there are -------------------------------------------------------------------


@cache
def catalogue() -> tuple[tuple[str, str], ...]:
    """Where each public function is found, and its name."""
    found: set[tuple[str, str]] = set()
    found |= {("torch", name) for name in public.FUNCTIONS}
    found |= {("Tensor", name) for name in public.METHODS}
    found |= {("Tensor", f"{name}_") for name in public.IN_PLACE}
    for name, (_, kinds) in OPERATIONS.items():
        found |= {("torch", name)} if "function" in kinds.split() else set()
        found |= {("Tensor", name)} if "method" in kinds.split() else set()
        found |= {("Tensor", f"{name}_")} if "in_place" in kinds.split() else set()
    for home in ("nn.functional", "linalg", "special"):
        place: Any = graphlab
        for part in home.split("."):
            place = getattr(place, part)
        found |= {(home, n) for n in dir(place) if n.islower() and not n.startswith("_")}
    return tuple(sorted(one for one in found if one[1] not in LEFT_OUT and signature(*one)))


@cache
def signature(home: str, name: str) -> tuple[inspect.Parameter, ...]:
    """The parameters of a function; none where it is not there."""
    place: Any = graphlab.Tensor if home == "Tensor" else graphlab
    for part in home.split(".") if home not in ("torch", "Tensor") else ():
        place = getattr(place, part)
    function = getattr(place, name, None)
    if not callable(function) or isinstance(function, type):
        return ()
    try:
        return tuple(inspect.signature(function).parameters.values())
    except ValueError:
        return ()


# -- arguments by the names of parameters --------------------------------------------------------


def dim(rng: Rng, x: Spec) -> Any:
    n = len(x.shape)
    if rng.random() < 0.06:
        return int(rng.integers(-5, 6))
    return int(rng.integers(-n, n)) if n else int(rng.choice([0, -1]))


def dims(rng: Rng, x: Spec) -> Any:
    n = len(x.shape)
    if rng.random() < 0.4 or not n:
        return dim(rng, x)
    return tuple(int(d) for d in rng.permutation(n)[: rng.integers(1, n + 1)])


def whole(low: int, high: int) -> Callable[[Rng, Spec], Any]:
    return lambda rng, x: int(rng.integers(low, high))


def one_of(*choices: Any) -> Callable[[Rng, Spec], Any]:
    return lambda rng, x: choices[rng.integers(len(choices))]


def number(rng: Rng, x: Spec) -> Any:
    return one_of(0, 1, -1, 2, 3, 0.5, -0.5, 2.5, 1e-3, True, float("inf"), float("nan"))(rng, x)


def operand(rng: Rng, x: Spec) -> Any:
    return number(rng, x) if rng.random() < 0.2 else near(rng, x)


def index(rng: Rng, x: Spec) -> Any:
    size = min(x.shape) if x.shape else 1
    shape = x.shape if rng.random() < 0.7 else (int(rng.integers(0, 4)),)
    reach = (0, max(size, 1)) if rng.random() < 0.85 else (-size - 1, size + 2)
    dtype = "int64" if rng.random() < 0.9 else "int32"
    return Spec(rng.integers(*reach, shape).astype(dtype))


def mask(rng: Rng, x: Spec) -> Any:
    return near(rng, x, "bool" if rng.random() < 0.9 else "uint8")


def size(rng: Rng, x: Spec) -> Any:
    n = int(np.prod(x.shape))
    found = [tuple(x.shape[::-1]), (n,), (-1,), (1, *x.shape), (2, *x.shape), (-1, 1), (), (3,)]
    return found[rng.integers(len(found))]


def several(rng: Rng, x: Spec) -> Any:
    made = [x, *(near(rng, x) if rng.random() < 0.3 else spec(rng, x.shape, x.memory.dtype.name)
                 for _ in range(rng.integers(0, 3)))]  # fmt: skip
    return made if rng.random() < 0.5 else tuple(made)


def square(rng: Rng, x: Spec) -> Any:
    dtype = str(rng.choice(["float32", "float64"]))
    if rng.random() < 0.15:
        return spec(rng)
    shape = [(3, 3), (2, 2), (2, 3, 3), (1, 1), (0, 0), (4, 4)][rng.integers(6)]
    made = Spec(entries(rng, shape, dtype), grad=bool(rng.random() < 0.7))
    if rng.random() < 0.6 and np.isfinite(made.memory).all():  # symmetric, positive definite
        turned = np.swapaxes(made.memory, -1, -2)
        made.memory = (made.memory @ turned / 2 + np.eye(shape[-1])).astype(dtype)
    return made


def sizes_or_one(*choices: Any) -> Callable[[Rng, Spec], Any]:
    return one_of(*choices)


MAKERS: dict[str, Callable[[Rng, Spec], Any]] = {
    "other": operand, "dim": dims, "dims": dims, "keepdim": one_of(True, False), "dtype": None,
    "index": index, "indices": index, "mask": mask, "condition": mask, "value": number,
    "fill_value": number, "min": operand, "max": operand, "min_val": number, "max_val": number,
    "alpha": one_of(1, 2, -1, 0.5, 0), "beta": one_of(1, 0, 2, 0.5), "p": one_of(0, 1, 2, 3, 0.5,
    float("inf"), 1.5), "ord": one_of(None, 1, 2, 0, float("inf"), -1, "fro", "nuc", 3),
    "correction": one_of(0, 1, 2, 0.5), "unbiased": one_of(True, False), "k": whole(-1, 4),
    "n": whole(-1, 4), "diagonal": whole(-3, 4), "offset": whole(-3, 4), "dim0": dim, "dim1": dim,
    "dim2": dim, "axis": dim, "axis0": dim, "axis1": dim, "start_dim": dim, "end_dim": dim,
    "source": dim, "destination": dim, "shifts": whole(-3, 4), "descending": one_of(True, False),
    "stable": one_of(True, False), "largest": one_of(True, False), "sorted": one_of(True),
    "size": size, "sizes": size, "shape": size, "repeats": whole(0, 4), "times": whole(0, 3),
    "chunks": whole(0, 4), "split_size_or_sections": whole(0, 4),
    "indices_or_sections": whole(1, 4),
    "rounding_mode": one_of(None, "trunc", "floor"), "decimals": whole(-2, 4), "eps": one_of(1e-5,
    1e-6, 0.1), "reduction": one_of("mean", "sum", "none"), "inplace": one_of(False, True),
    "training": one_of(True, False), "target": near, "src": near, "weight": near, "end": operand,
    "start": whole(-3, 3), "step": whole(1, 3), "length": whole(0, 4), "steps": whole(0, 6),
    "values": near, "exponent": operand, "tensors": several, "tensor1": near, "tensor2": near,
    "q": one_of(0.0, 0.5, 1.0, 0.3), "nan": number, "posinf": number, "neginf": number,
    "threshold": number, "negative_slope": one_of(0.01, 0.2, -0.1), "lambd": one_of(0.5, 0.0, 1),
    "delta": one_of(1.0, 0.5), "margin": one_of(0.0, 1.0, 0.3), "bins": whole(1, 5),
    "minlength": whole(0, 5), "accumulate": one_of(True, False), "reduce": one_of("sum", "prod",
    "mean", "amax", "amin", "add", "multiply"), "include_self": one_of(True, False), "upper":
    one_of(True, False), "left": one_of(True, False), "hermitian": one_of(True, False),
    "full_matrices": one_of(True, False), "mat2": near, "vec": near, "vec2": near, "tensor": near,
    "B": square, "L": square, "A": square, "approximate": one_of("none", "tanh"), "x": near,
    "y": near, "x1": near, "x2": near, "input1": near, "input2": near, "boundaries": near,
    "sorted_sequence": near, "right": one_of(True, False), "elements": near, "test_elements": near,
    "num_classes": whole(-1, 6), "diagonal_": whole(-1, 2), "kernel_size": one_of(1, 2, 3, (2, 1)),
    "stride": one_of(None, 1, 2), "padding": one_of(0, 1), "dilation": one_of(1, 2), "ceil_mode":
    one_of(True, False), "pad": one_of((1, 1), (0, 2, 1, 0), (-1, 1), (1,)), "mode": one_of(
    "constant", "reflect", "replicate", "circular"), "groups": one_of(1, 2), "upscale_factor":
    one_of(1, 2), "downscale_factor": one_of(1, 2), "normalized_shape": size, "num_groups":
    one_of(1, 2), "scale_factor": one_of(1, 2, 0.5), "output_size": one_of(1, 2, (2, 1), 3),
    "return_indices": one_of(True, False), "log_target": one_of(True, False), "low": whole(0, 3),
    "high": whole(3, 9), "num_samples": whole(1, 4), "replacement": one_of(True, False),
    "equal_nan": one_of(True, False), "unitriangular": one_of(True, False), "repeat": whole(1, 3),
    "anchor": near, "positive": near, "negative": near, "var": near, "dx": one_of(1, 0.5),
    "interpolation": one_of("linear", "lower", "higher", "midpoint", "nearest"), "m": whole(0, 4),
    "return_inverse": one_of(True, False), "return_counts": one_of(True, False), "norm_type":
    one_of(1, 2, 3), "row": whole(0, 4), "col": whole(0, 4), "N": whole(0, 4), "base": number,
    "swap": one_of(True, False), "vec1": near, "mat": near, "mat1": near, "batch1": near,
    "batch2": near, "indexing": one_of("ij", "xy"), "with_replacement": one_of(True, False),
    "r": whole(0, 4), "prepend": near, "append": near, "max_norm": one_of(1.0, 0.5), "maxnorm":
    one_of(1.0, 0.5), "split_size": whole(0, 3), "order": dims, "ind": whole(1, 3),
}  # fmt: skip
LEFT_TO_DEFAULT = {
    "out", "device", "generator", "layout", "memory_format", "size_average", "requires_grad",
    "ignored", "options", "named", "kwargs", "args", "_stacklevel", "arguments", "pin_memory",
}  # fmt: skip


def call_of(seed: int) -> Call:
    """The call of a number: every fourth is a sample of an operation, the others are functions."""
    if seed % 4 == 0:
        return sampled(np.random.default_rng([2026, seed]))
    functions = catalogue()
    turn, place = divmod(seed - seed // 4 - 1, len(functions))
    return any_call(*functions[place], turn)


def sampled(rng: Rng) -> Call:
    """A sample of an operation with random entries, of a random type and layout."""
    found: Any = (*SAMPLES, *KINKS)
    sample = found[rng.integers(len(found))]
    dtype = str(rng.choice(["float32", "float32", "float64", "float16"]))
    made = []
    for arg in sample.args:
        kind = dtype if arg.kind == "f" else {"i": "int64", "b": "bool", "h": "float32"}[arg.kind]
        own = arg.array(np.float64)
        new = spec(rng, own.shape, kind)
        if arg.kind in "ib" or arg.data is not None or rng.random() < 0.3:
            new = Spec(own.astype(kind), "plain", new.grad)  # indices and signs mean something
        new.grad = new.grad and arg.wants_grad
        made.append(new)
    return Call("sample", sample.op, made, {}, sample)


def any_call(home: str, name: str, turn: int) -> Call:
    """A call of a function, with arguments by the names of its parameters, in order or by name.

    It depends on the function and the turn alone, not on what other functions there are.
    """
    rng = np.random.default_rng([crc32(f"{home}.{name}".encode()), turn])
    parameters = signature(home, name)
    first = square(rng, Spec(np.zeros(()))) if home == "linalg" else spec(rng)
    args: list[Any] = []
    options: dict[str, Any] = {}
    by_name = writes = False
    for place, parameter in enumerate(parameters):
        needed = parameter.default is parameter.empty
        variadic = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        if parameter.name in LEFT_TO_DEFAULT or parameter.kind is parameter.VAR_KEYWORD:
            by_name = by_name or place > 0
            continue
        if not needed and not variadic and rng.random() < 0.6:
            by_name = True
            continue
        made = argument(rng, parameter.name, first, place)
        writes = writes or (parameter.name == "inplace" and made is True)
        if variadic:
            args += made if isinstance(made, list) else [made]
        elif by_name or parameter.kind is parameter.KEYWORD_ONLY or (place and rng.random() < 0.15):
            options[parameter.name] = made
            by_name = True
        else:
            args.append(made)
    if home == "Tensor" and (not args or not is_spec(args[0])):
        args.insert(0, first)
    return Call(home, name, args, options, writes=writes)


def argument(rng: Rng, name: str, first: Spec, place: int) -> Any:
    """An argument for a parameter of this name."""
    if place == 0 and name in ("input", "self", "x", "A", "logits", "query", "anchor"):
        return first
    if name == "dtype":
        return Dtype(str(rng.choice(["float32", "float64", "int64", "int32", "bool", "uint8"])))
    maker = MAKERS.get(name)
    if maker is not None:
        return maker(rng, first)
    return near(rng, first) if rng.random() < 0.5 else number(rng, first)


def difference(call: Call, torch: ModuleType) -> tuple[str, str] | None:
    """What differs when both libraries make a call; None where they agree or PyTorch lacks it."""
    if not known(call, torch):
        return None
    ours, theirs = (run(lib, call.specs, call.run, call.in_place) for lib in (graphlab, torch))
    rules = rules_for(call)
    return outcomes_differ(ours, theirs, not all(r.gradients for r in rules), bool(rules))


def known(call: Call, torch: ModuleType) -> bool:
    """Whether PyTorch has the function, and lives to tell of it."""
    if rules_for(call, CRASHES):
        return False
    if call.sample is not None:
        return True
    place: Any = torch.Tensor if call.home == "Tensor" else torch
    for part in call.home.split(".") if call.home not in ("torch", "Tensor") else ():
        place = getattr(place, part)
    return hasattr(place, call.name)
