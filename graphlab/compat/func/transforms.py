"""Transforms, which turn a function into its derivative: grad, vjp, jvp, jacrev, jacfwd, hessian.

The arguments become leaves of a graph of their own, `f` runs, and backward passes compute the
derivative. Inside another transform, an argument is part of the outer graph already; then the
backward pass itself is recorded, so that the outer transform can differentiate it.

Read next: compat/func/levels.py
"""

from collections.abc import Callable
from typing import Any

from graphlab.autograd.forward_ad import check_sizes
from graphlab.autograd.grad_mode import enable_grad
from graphlab.compat.func.levels import (
    Argnums,
    Level,
    check_tuple,
    leaves,
    outline,
    same_structure,
    split,
    tensors_of,
    tree_map,
    unwrapped,
)
from graphlab.compat.func.vmap import vmap
from graphlab.tensor.creation import zeros, zeros_like
from graphlab.tensor.functions.joining import stack
from graphlab.tensor.functions.shapes import reshape
from graphlab.tensor.ranges import eye
from graphlab.tensor.tensor import Tensor

Function = Callable[..., Any]


def grad(func: Function, argnums: Argnums = 0, has_aux: bool = False) -> Function:
    """Return the function that computes the gradient of `func`.

    func: function that returns one number, a tensor of shape ()
    argnums: int, which argument to differentiate with respect to; or tuple of ints, for a tuple
    has_aux: bool, `func` returns (output, aux), and the new function (gradient, aux)
    Returns: a function of the arguments of `func`; the gradient has the structure of the argument.
    Raises: RuntimeError, in the call, unless the output is a tensor of shape ().
    Source: PyTorch, torch.func.grad.

    >>> import graphlab as torch
    >>> from graphlab.func import grad
    >>> cube = lambda x: x**3
    >>> grad(cube)(torch.tensor(2.0)), grad(grad(cube))(torch.tensor(2.0))
    (tensor(12.), tensor(12.))
    """

    def gradient(*args: Any, **kwargs: Any) -> Any:
        found, value = grad_and_value(func, argnums, has_aux)(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return gradient


def grad_and_value(func: Function, argnums: Argnums = 0, has_aux: bool = False) -> Function:
    """Return the function that computes the gradient of `func` together with its value.

    func, argnums, has_aux: as in `grad`
    Returns: a function that returns (gradient, value), or (gradient, (value, aux)).
    Raises: as `grad`.

    >>> import graphlab as torch
    >>> from graphlab.func import grad_and_value
    >>> grad_and_value(lambda x: (x * x).sum())(torch.tensor([1.0, 2.0]))
    (tensor([2., 4.]), tensor(5.))
    """
    name = "grad_and_value(f)(*args)"

    def both(*args: Any, **kwargs: Any) -> Any:
        with Level() as level:
            args = level.enter(args, argnums)
            output, aux = split(func(*args, **kwargs), has_aux, name)
            if not isinstance(output, Tensor):
                raise RuntimeError(
                    f"{name}: Expected f(*args) to return a Tensor, got {type(output)}"
                )
            if output.ndim != 0:
                raise RuntimeError(
                    f"{name}: Expected f(*args) to return a scalar Tensor, got tensor with "
                    f"{output.ndim} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
                )
            found = level.backward((output,), None)
            output, aux = level.leave(output), level.leave(aux)
        return unwrapped(found, argnums), ((output, aux) if has_aux else output)

    return both


def vjp(func: Function, *primals: Any, has_aux: bool = False) -> Any:
    """Return the output of `func`, and a function that maps v to vᵀJ, the vector-Jacobian product.

    func: function of tensors, or nested tuples, lists and dicts of tensors
    primals: its arguments
    has_aux: bool, `func` returns (output, aux)
    Returns: (output, function), or (output, function, aux); v has the structure of the output, and
        vᵀJ is a tuple with the structure of `primals`.
    Raises: RuntimeError, in the call of the function, for a v of another structure.

    >>> import graphlab as torch
    >>> from graphlab.func import vjp
    >>> output, back = vjp(torch.sin, torch.tensor([0.0, 1.0]))
    >>> back(torch.ones(2))
    (tensor([1.0000, 0.5403]),)
    """
    with Level() as level:
        args = level.enter(primals, tuple(range(len(primals))))
        output, aux = split(func(*args), has_aux, "vjp(f, *primals)")
        outputs = tensors_of(output, "vjp(f, *primals)")

    def back(cotangents: Any) -> Any:
        if not same_structure(output, cotangents):
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of "
                f"outputs to the function. cotangents: {outline(cotangents)}, primal output: "
                f"{outline(output)}"
            )
        with enable_grad():
            return level.backward(outputs, leaves(cotangents))

    shown = level.leave(output)
    return (shown, back, level.leave(aux)) if has_aux else (shown, back)


def jvp(
    func: Function, primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False
) -> Any:
    """Return the output of `func`, and J v, the Jacobian-vector product: its derivative along v.

    PyTorch differs: it computes J v forwards; here a backward pass runs through a backward pass.

    func: function of tensors, or nested tuples, lists and dicts of tensors
    primals, tangents: tuples of the same structure and shapes: the arguments, and v
    strict: bool, raise RuntimeError if an output does not depend on the arguments
    has_aux: bool, `func` returns (output, aux)
    Returns: (output, J v), or (output, J v, aux).
    Raises: RuntimeError if the structures or the shapes of primals and tangents differ.

    >>> import graphlab as torch
    >>> from graphlab.func import jvp
    >>> jvp(torch.sin, (torch.tensor(0.0),), (torch.tensor(2.0),))
    (tensor(0.), tensor(2.))
    """
    name = "jvp(f, primals, tangents)"
    check_tuple(primals, "primals", name)
    if not same_structure(primals, tangents):
        raise RuntimeError(
            f"{name}: Expected primals and tangents to have the same python structure. For "
            "example, if primals is a tuple of 3 tensors, tangents also must be. Got primals with "
            f"structure {outline(primals)} and tangents with structure {outline(tangents)}"
        )
    if not leaves(primals):
        raise RuntimeError(f"{name}: Expected primals to contain at least one Tensor.")
    for x, v in zip(leaves(primals), leaves(tangents), strict=True):
        check_sizes(x, v)
    with Level() as level:
        args = level.enter(primals, tuple(range(len(primals))))
        output, aux = split(func(*args), has_aux, name)
        outputs = tensors_of(output, name)
        if strict and not all(t.requires_grad for t in outputs):
            raise RuntimeError(
                "jvp(f, primals, tangents, strict=True): The output of f is independent of the "
                "inputs. This is not allowed with strict=True."
            )
        found = level.forward(outputs)(leaves(tangents))
        moved = iter(found)
        tangent = tree_map(lambda t: next(moved), output)
        output, aux = level.leave(output), level.leave(aux)
    return (output, tangent, aux) if has_aux else (output, tangent)


def linearize(func: Function, *primals: Any) -> tuple[Any, Function]:
    """Return the output of `func`, and the function that maps v to J v, the tangent of the output.

    func, primals: as for `vjp`. Returns: (output, function); the function takes a v like `primals`.
    Raises: RuntimeError, in the call of the function, for a v of another structure.

    >>> import graphlab as torch
    >>> from graphlab.func import linearize
    >>> output, forward = linearize(torch.sin, torch.tensor([0.0, 1.0]))
    >>> forward(torch.ones(2))
    tensor([1.0000, 0.5403])
    """
    with Level() as level:
        args = level.enter(primals, tuple(range(len(primals))))
        output = func(*args)
        forward = level.forward(tensors_of(output, "linearize(f, *primals)"))

    def along(*tangents: Any) -> Any:
        if not same_structure(primals, tangents):
            raise RuntimeError(
                f"expected tangents with the structure of the primals, {outline(primals)}; got "
                f"{outline(tangents)}"
            )
        with enable_grad():
            moved = iter(forward(leaves(tangents)))
        return tree_map(lambda t: next(moved), output)

    return level.leave(output), along


def jacrev(
    func: Function, argnums: Argnums = 0, *, has_aux: bool = False, chunk_size: int | None = None
) -> Function:
    """Return the function that computes the Jacobian of `func`, one row in each backward pass.

    It is faster than `jacfwd` if the output has fewer entries than the argument.

    func, argnums, has_aux: as in `grad`, with outputs of any shape
    chunk_size: int > 0, accepted as in PyTorch, without effect here
    Returns: a function that returns (M, N) for an output (M,) and an argument (N,). If they are
        nested, the result has the structure of the outputs, with that of the arguments inside.
    Raises: ValueError for a chunk_size that is not positive.

    >>> import graphlab as torch
    >>> from graphlab.func import jacrev
    >>> jacrev(torch.sin)(torch.tensor([0.0, 1.0]))
    tensor([[1.0000, 0.0000],
            [0.0000, 0.5403]])
    """
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    def jacobian(*args: Any, **kwargs: Any) -> Any:
        with Level() as level:
            args = level.enter(args, argnums)
            output, aux = split(func(*args, **kwargs), has_aux, "vjp(f, *primals)")
            tensors_of(output, "jacrev")
            found = tree_map(lambda t: unwrapped(rows(level, t), argnums), output)
            aux = level.leave(aux)
        return (found, aux) if has_aux else found

    return jacobian


def rows(level: Level, output: Tensor) -> Any:
    """Return the Jacobian of one output with respect to all arguments of the level."""
    if output.ndim == 0:  # its Jacobian is its gradient
        return level.backward((output,), None)
    if output.numel():
        units = units_of(output)
        found = over(lambda unit: level.gradients((output,), (unit,)), units, [output], level)
    else:
        found = [zeros((0, *x.shape), dtype=x.dtype) for x in level.sources]
    joined = iter(
        reshape(row, (*output.shape, *x.shape)) for row, x in zip(found, level.sources, strict=True)
    )
    return tree_map(lambda x: next(joined), level.inputs)


def over(
    function: Function, units: Tensor, outputs: list[Tensor], level: Level, dim: int = 0
) -> Any:
    """Return `function` of each unit, stacked: all at once, unless the passes are recorded."""
    if not (level.recording and level.depends_on_outside(outputs)):
        return vmap(function, out_dims=dim)(units)
    return tree_map(lambda *x: stack(x, dim), *map(function, units.unbind()))


def units_of(x: Tensor) -> Tensor:
    """Return, for each entry of x, a tensor of its shape that is 1 there and 0 elsewhere."""
    return eye(x.numel(), dtype=x.dtype).reshape(x.numel(), *x.shape)


def jacfwd(
    func: Function, argnums: Argnums = 0, has_aux: bool = False, *, randomness: str = "error"
) -> Function:
    """Return the function that computes the Jacobian of `func`, one column as J v at a time.

    It is faster than `jacrev` if the output has more entries than the argument.

    func, argnums, has_aux: as in `jacrev`
    randomness: accepted as in PyTorch, without effect here
    Returns: a function with the same results as that of `jacrev`.

    >>> import graphlab as torch
    >>> from graphlab.func import jacfwd
    >>> jacfwd(torch.sin)(torch.tensor([0.0, 1.0]))
    tensor([[1.0000, 0.0000],
            [0.0000, 0.5403]])
    """

    def jacobian(*args: Any, **kwargs: Any) -> Any:
        with Level() as level:
            args = level.enter(args, argnums)
            output, aux = split(func(*args, **kwargs), has_aux, "jvp(f, primals, tangents)")
            outputs = tensors_of(output, "jacfwd")
            forward = level.forward(outputs)
            by_input = [columns(level, outputs, x, forward) for x in level.sources]
            by_output = iter([list(found) for found in zip(*by_input, strict=True)])

            def block(_: Tensor) -> Any:
                found = iter(next(by_output))
                return unwrapped(tree_map(lambda x: next(found), level.inputs), argnums)

            found = tree_map(block, output)
            aux = level.leave(aux)
        return (found, aux) if has_aux else found

    return jacobian


def columns(level: Level, outputs: list[Tensor], x: Tensor, forward: Function) -> list[Tensor]:
    """Return the Jacobian of each output with respect to x, one of the sources.

    forward: the function that maps v to J v
    """
    if not x.numel():
        return [zeros((*t.shape, *x.shape), dtype=t.dtype) for t in outputs]
    found = over(
        lambda unit: forward([unit if t is x else zeros_like(t) for t in level.sources]),
        units_of(x),
        outputs,
        level,
        -1,
    )
    return [reshape(moved, (*t.shape, *x.shape)) for t, moved in zip(outputs, found, strict=True)]


def hessian(func: Function, argnums: Argnums = 0) -> Function:
    """Return the function that computes the Hessian of `func`, the Jacobian of its gradient.

    func: function that returns one number, a tensor of shape ()
    argnums: as in `grad`
    Returns: a function that returns (N, N) for an argument (N,).

    >>> import graphlab as torch
    >>> from graphlab.func import hessian
    >>> hessian(lambda x: (x**3).sum())(torch.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """

    def apart(*args: Any, **kwargs: Any) -> Any:
        with Level() as level:
            output = func(*level.enter(args, argnums), **kwargs)
            tensors_of(output, "jacrev")
            found = tree_map(lambda t: [unwrapped(g, argnums) for g in by_entry(level, t)], output)
            return found, level.leave(output)

    def second(*args: Any, **kwargs: Any) -> Any:
        # Each row of the first Jacobian has its own rows: the pass for one meets no other.
        found, output = jacrev(apart, argnums, has_aux=True)(*args, **kwargs)
        return tree_map(lambda t, rows: tree_map(lambda *x: joined(t, x), *rows), output, found)

    return second


def by_entry(level: Level, output: Tensor) -> list[Any]:
    """Return the gradient of each entry of an output; one of zeros if it has no entries."""
    if output.ndim == 0:
        return [level.backward((output,), None)]
    units = units_of(output).unbind() or [zeros_like(output)]
    return [level.backward((output,), (unit,)) for unit in units]


def joined(output: Tensor, rows: tuple[Tensor, ...]) -> Tensor:
    """Return a tensor for each entry of an output as one tensor."""
    return reshape(stack(rows)[: output.numel()], (*output.shape, *rows[0].shape))
