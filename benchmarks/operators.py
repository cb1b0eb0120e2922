"""PyTorch's own samples of its operators, run by both: `python -m benchmarks.operators [names]`.

PyTorch tests every operator with a list of sample inputs (`op_db`, in the installed package). Each
sample of an operator that GraphLab has under the same name is called here with the same arguments;
results and gradients are compared. Complex, sparse and quantised samples are left out.

Read next: tests/core/test_ops_beside_pytorch.py
"""

from __future__ import annotations

import argparse
import sys
import types
import warnings
from collections import Counter
from typing import Any

import numpy as np

import graphlab

# what is drawn in another order than PyTorch draws it; tests/core/test_random.py has the others
RANDOM = {
    "bernoulli", "empty_like", "multinomial", "nn.functional.alpha_dropout",
    "nn.functional.dropout", "nn.functional.dropout2d", "nn.functional.dropout3d",
    "nn.functional.feature_alpha_dropout", "nn.functional.rrelu", "normal", "rand_like", "randint",
    "randint_like", "randn", "randn_like",
}  # fmt: skip
ROUNDING = {"rtol": 1e-7, "atol": 1e-8}  # float64; sums of a few thousand entries


def operators() -> Any:
    """PyTorch's operators; its tests want a package that the samples do not need."""
    if "expecttest" not in sys.modules:
        stand_in = types.ModuleType("expecttest")
        stand_in.TestCase = object  # type: ignore[attr-defined]
        sys.modules["expecttest"] = stand_in
    from torch.testing._internal.common_methods_invocations import op_db

    return op_db


def ours_of(name: str) -> Any:
    """GraphLab's function of this name; None without one."""
    found: Any = graphlab
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def pytorchs(op: Any) -> bool:
    """Whether a sample calls the function of this name itself, with the arguments in its order."""
    import torch

    found: Any = torch
    for part in op.name.split("."):
        found = getattr(found, part, None)
    return op.op is found


def translated(x: Any, leaves: list[Any]) -> Any:
    """Arguments of PyTorch as those of GraphLab, laid out in memory in the same way."""
    import torch

    if isinstance(x, torch.Tensor):
        known = next((own for own, other in leaves if other is x), None)
        if known is not None:
            return known
        array = x.detach().numpy()
        own = np.empty_like(array)
        own[...] = array
        tensor = graphlab.from_numpy(own).requires_grad_(x.requires_grad)
        x.grad = None  # samples may share a tensor
        leaves.append((tensor, x))
        return tensor
    if isinstance(x, torch.dtype):
        return getattr(graphlab, str(x).removeprefix("torch."))
    if isinstance(x, torch.Size):
        return graphlab.Size(x)
    if isinstance(x, list | tuple):
        return type(x)(translated(part, leaves) for part in x)
    return x


def tensors_in(x: Any) -> list[Any]:
    """The tensors of a result, in order."""
    if isinstance(x, list | tuple):
        return [t for part in x for t in tensors_in(part)]
    return [x] if hasattr(x, "detach") else []


def differs(a: Any, b: Any) -> str:
    """How two tensors differ; "" when they are equal to rounding."""
    if (a is None) != (b is None):
        return f"{'no' if a is None else 'a'} gradient"
    if a is None:
        return ""
    if str(a.dtype) != str(b.dtype):
        return f"dtype {a.dtype} instead of {b.dtype}"
    if tuple(a.shape) != tuple(b.shape):
        return f"shape {tuple(a.shape)} instead of {tuple(b.shape)}"
    x, y = a.detach().numpy(), b.detach().numpy(force=True)
    if not np.allclose(x, y, equal_nan=True, **ROUNDING):
        return "other values"
    return ""


def compared(op: Any, function: Any, sample: Any) -> str:
    """How one sample differs; "" when results and gradients are the same."""
    import torch

    leaves: list[Any] = []
    args = translated((sample.input, *sample.args), leaves)
    kwargs = {key: translated(value, leaves) for key, value in sample.kwargs.items()}
    torch.manual_seed(0)
    graphlab.manual_seed(0)
    try:
        theirs = op(sample.input, *sample.args, **sample.kwargs)
    except Exception:
        return ""  # refused by PyTorch itself
    if any(t.is_complex() for t in tensors_in(theirs)):
        return ""
    try:
        ours = function(*args, **kwargs)
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:90]}"
    a, b = tensors_in(ours), tensors_in(theirs)
    if len(a) != len(b):
        return f"{len(a)} results instead of {len(b)}"
    for one, other in zip(a, b, strict=True):
        if said := differs(one, other):
            return said
    return gradients(a, b, leaves)


def gradients(a: list[Any], b: list[Any], leaves: list[Any]) -> str:
    """How the gradients of the leaves differ."""
    roots = [(x, y) for x, y in zip(a, b, strict=True) if y.requires_grad]
    if any(not x.requires_grad for x, _ in roots):
        return "no gradient is recorded"
    try:
        for _, y in roots:
            y.sum().backward(retain_graph=True)
    except RuntimeError:
        return ""  # PyTorch has no derivative
    try:
        for x, _ in roots:
            x.sum().backward(retain_graph=True)
    except Exception as error:
        return f"backward: {type(error).__name__}: {str(error)[:80]}"
    for own, other in leaves:
        if said := differs(own.grad, other.grad):
            return f"gradient: {said}"
    return ""


def run(names: list[str]) -> dict[str, Counter[str]]:
    """For each operator that GraphLab has, how often its samples differ, and how."""
    import torch

    found: dict[str, Counter[str]] = {}
    for op in operators():
        function = ours_of(op.name)
        wanted = not names or op.name in names
        known = function is not None and pytorchs(op) and op.name not in RANDOM
        if not known or not wanted or not op.supports_dtype(torch.float64, "cpu"):
            continue
        count = found.setdefault(op.name, Counter())
        for sample in op.sample_inputs("cpu", torch.float64, requires_grad=op.supports_autograd):
            count[compared(op, function, sample)] += 1
    return found


def main(arguments: list[str] | None = None) -> int:
    """Print the differences by operator, and the share of samples that are equal."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.operators", description=__doc__)
    parser.add_argument("names", nargs="*", help="operators, as PyTorch names them; all by default")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = run(parser.parse_args(arguments).names)
    for name, count in sorted(
        found.items(), key=lambda item: -(sum(item[1].values()) - item[1][""])
    ):
        for said, many in count.most_common():
            if said:
                print(f"{name:<42} {many:>4} of {sum(count.values()):<5} {said}")
    samples = sum(sum(count.values()) for count in found.values())
    equal = sum(count[""] for count in found.values())
    whole = sum(set(count) <= {""} for count in found.values())
    print(f"{len(found)} operators, {whole} of them in every sample; {equal} of {samples} samples "
          f"are equal: {equal / max(samples, 1):.1%}")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
