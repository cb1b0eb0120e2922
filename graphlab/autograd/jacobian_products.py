"""Inputs and results of products with a Jacobian: tensors, the vector v, zeros or an error.

A result that does not depend on what it should counts as zeros; in strict mode it is an error.

Read next: compat/func/transforms.py
"""

from collections.abc import Callable
from typing import Any

from graphlab.autograd.backward import grad
from graphlab.tensor.creation import zeros_like
from graphlab.tensor.tensor import Tensor

Tensors = tuple[Tensor, ...]

STRICT = {  # PyTorch's errors in strict mode, for a result that does not depend on an input
    "outputs": (
        "Output {} of the user-provided function does not require gradients. The outputs must be "
        "computed in a differentiable manner from the input when running in strict mode."
    ),
    "back": (
        "The output of the user-provided function is independent of input {}. This is not allowed "
        "in strict mode."
    ),
    "back_trick": (
        "The gradient with respect to the input is independent of entry {} in the grad_outputs "
        "when using the double backward trick to compute forward mode gradients. This is not "
        "allowed in strict mode."
    ),
    "double_back": (
        "The jacobian of the user-provided function is independent of input {}. This is not "
        "allowed in strict mode."
    ),
    "double_back_trick": (
        "The hessian of the user-provided function is independent of entry {} in the "
        "grad_jacobian. This is not allowed in strict mode as it prevents from using the double "
        "backward trick to replace forward mode AD."
    ),
    "grad_inputs": (
        "The gradient with respect to input {} is independent of the inputs of the user-provided "
        "function. This is not allowed in strict mode."
    ),
    "jacobian": (
        "While computing the hessian, found that the jacobian of the user-provided function with "
        "respect to input {} is independent of the input. This is not allowed in strict mode. You "
        "should ensure that your function is twice differentiable and that the jacobian depends "
        "on the inputs (this would be violated by a linear function for example)."
    ),
    "graph": (
        "The {} of the user-provided function is independent of input {}. This is not allowed in "
        "strict mode when create_graph=True."
    ),
}


def tensors(given: Any, what: str, name: str) -> tuple[bool, Tensors]:
    """Return whether a tuple was given, and the tensors as one. Raises: TypeError for others."""
    several = isinstance(given, tuple)
    found = given if several else (given,)
    for i, x in enumerate(found):
        if not isinstance(x, Tensor):
            where = f"value at index {i}" if several else f"given {what}"
            raise TypeError(
                f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but "
                f"the {where} has type {type(x)}."
            )
    return several, found


def fresh(inputs: Tensors, create_graph: bool, needs: bool = True) -> Tensors:
    """Return the inputs as new tensors: a captured tensor does not count as an input."""
    return tuple(
        x.view_as(x) if create_graph and x.requires_grad else x.detach().requires_grad_(needs)
        for x in inputs
    )


def outputs_of(
    func: Callable[..., Any], inputs: Tensors, name: str, strict: bool
) -> tuple[bool, Tensors]:
    """Return whether `func` returns several tensors, and the tensors."""
    many, outputs = tensors(func(*inputs), "outputs of the user-provided function", name)
    dependent(outputs, "outputs", strict)
    return many, outputs


def single(many: bool, outputs: Tensors, name: str) -> Tensors:
    """Return the outputs. Raises: RuntimeError unless they are one tensor of one entry."""
    if many:
        raise RuntimeError(f"The function given to {name} should return a single Tensor")
    if outputs[0].numel() != 1:
        raise RuntimeError(
            f"The Tensor returned by the function given to {name} should contain a single element"
        )
    return outputs


def direction(v: Any, sources: Tensors, several: bool, name: str, create_graph: bool) -> Any:
    """Return v, in the shapes of the inputs. Raises: RuntimeError for None with many entries."""
    if v is not None:
        return vectors(v, sources, several, name, create_graph)
    if len(sources) != 1 or sources[0].numel() != 1:
        raise RuntimeError(
            "The vector v can only be None if the input to the user-provided function is a single "
            "Tensor with a single element."
        )
    return None


def vectors(v: Any, like: Tensors, several: bool, name: str, create_graph: bool) -> Tensors:
    """Return the given v. Raises: RuntimeError unless its shapes are those of `like`."""
    _, found = tensors(v, "v", name)
    found = fresh(found, create_graph, needs=False)
    if len(found) != len(like):
        raise RuntimeError(
            f"v is a tuple of invalid length: should be {len(like)} but got {len(found)}."
            if several
            else "The given v should contain a single Tensor."
        )
    for i, (x, other) in enumerate(zip(found, like, strict=True)):
        if x.shape != other.shape:
            entry = f"Entry {i} in " if several else ""
            raise RuntimeError(
                f"{entry}v has invalid size: should be {other.shape} but got {x.shape}."
            )
    return found


def gradients(
    outputs: Any, inputs: Tensors, v: Any, create_graph: bool, retain_graph: bool | None = None
) -> Any:
    """Run `grad` without outputs that depend on nothing; give None for unused inputs."""
    entering = (None,) * len(outputs) if v is None else v
    pairs = [
        (t, g) for t, g in zip(outputs, entering, strict=True) if t is not None and t.requires_grad
    ]
    if not pairs:
        return (None,) * len(inputs)
    used, flowing = zip(*pairs, strict=True)
    return grad(used, inputs, flowing, retain_graph, create_graph, allow_unused=True)


def dependent(found: Any, what: str, strict: bool) -> None:
    """Raise RuntimeError, in strict mode, where a result depends on nothing."""
    for i, x in enumerate(found if strict else ()):
        if x is None:
            raise RuntimeError(STRICT["back"].format(i))
        if not x.requires_grad:
            raise RuntimeError(STRICT[what].format(i))


def filled(found: Any, like: Tensors, strict: bool, create_graph: bool, what: str) -> Tensors:
    """Replace None by zeros. Raises: RuntimeError instead in strict mode."""
    for i, x in enumerate(found if strict else ()):
        if x is None:
            raise RuntimeError(STRICT[what].format(i))
        if create_graph and not x.requires_grad:
            of = "hessian" if "double" in what else "jacobian"
            raise RuntimeError(STRICT["graph"].format(of, i))
    return tuple(zeros_like(t) if x is None else x for x, t in zip(found, like, strict=True))


def unpacked(found: Tensors, several: bool, create_graph: bool) -> Any:
    """Return a tuple if a tuple was given; detached unless `create_graph` is set."""
    results = found if create_graph else tuple(x.detach() for x in found)
    return results if several else results[0]
