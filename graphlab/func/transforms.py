"""Functions that make derivatives out of functions: grad, vjp, jvp, jacrev, jacfwd, hessian.

The arguments are taken as leaves of a graph of their own, `f` runs, and backward passes do the
rest. Within another of these functions an argument is part of the outer graph already: then the
pass itself is recorded, so that the outer one can go through it.

    >>> import graphlab as torch
    >>> cube = lambda x: x**3
    >>> grad(cube)(torch.tensor(2.0)), grad(grad(cube))(torch.tensor(2.0))
    (tensor(12.), tensor(12.))

Read next: func/vmap.py
"""

from collections.abc import Callable
from typing import Any

from graphlab.autograd.backward import grad as run_backward
from graphlab.autograd.grad_mode import enable_grad, is_grad_enabled
from graphlab.creation import zeros, zeros_like
from graphlab.func.trees import leaves, same_structure, tree_map
from graphlab.functional.shapes import reshape, stack
from graphlab.tensor import Tensor

Argnums = int | tuple[int, ...]
Function = Callable[..., Any]


def grad(func: Function, argnums: Argnums = 0, has_aux: bool = False) -> Function:
    """The function that gives the gradient of `func`, which gives a tensor with one entry.

    argnums: which arguments the gradient is with respect to; a tuple of numbers gives a tuple.
    has_aux: `func` gives (output, more), and the new function (gradient, more).
    Raises: RuntimeError, when it is called, for an output of another shape.
    Source: PyTorch, torch.func.grad.
    """

    def gradient(*args: Any, **kwargs: Any) -> Any:
        found, value = grad_and_value(func, argnums, has_aux)(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return gradient


def grad_and_value(func: Function, argnums: Argnums = 0, has_aux: bool = False) -> Function:
    """The function that gives the gradient of `func` and what it gives itself.

    >>> import graphlab as torch
    >>> grad_and_value(lambda x: (x * x).sum())(torch.tensor([1.0, 2.0]))
    (tensor([2., 4.]), tensor(5.))
    """
    name = "grad_and_value(f)(*args)"

    def both(*args: Any, **kwargs: Any) -> Any:
        with Level() as level:
            args = level.take(args, argnums)
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
            found = level.back((output,), None)
            output, aux = level.give(output), level.give(aux)
        return picked(found, argnums), ((output, aux) if has_aux else output)

    return both


def vjp(func: Function, *primals: Any, has_aux: bool = False) -> Any:
    """What `func` gives, and the function that takes v to vᵀJ, the gradient of each argument.

    Raises: RuntimeError when v has another structure than the output.

    >>> import graphlab as torch
    >>> output, back = vjp(torch.sin, torch.tensor([0.0, 1.0]))
    >>> back(torch.ones(2))
    (tensor([1.0000, 0.5403]),)
    """
    with Level() as level:
        args = level.take(primals, tuple(range(len(primals))))
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
            return level.back(outputs, leaves(cotangents))

    shown = level.give(output)
    return (shown, back, level.give(aux)) if has_aux else (shown, back)


def jvp(
    func: Function, primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False
) -> Any:
    """What `func` gives, and J v: how it moves when the arguments move along v.

    primals, tangents: tuples of the same structure and shapes. strict: an error where an output
    depends on no argument. J v is the backward pass of a backward pass, which is linear in what
    flows into it. Raises: RuntimeError where structures or shapes differ.

    >>> import graphlab as torch
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
    with Level() as level:
        args = level.take(primals, tuple(range(len(primals))))
        output, aux = split(func(*args), has_aux, name)
        outputs = tensors_of(output, name)
        if strict and not all(t.requires_grad for t in outputs):
            raise RuntimeError(
                "jvp(f, primals, tangents, strict=True): The output of f is independent of the "
                "inputs. This is not allowed with strict=True."
            )
        found = level.forward(outputs, leaves(tangents))
        moved = iter(found)
        tangent = tree_map(lambda t: next(moved), output)
        output, aux = level.give(output), level.give(aux)
    return (output, tangent, aux) if has_aux else (output, tangent)


def jacrev(
    func: Function, argnums: Argnums = 0, *, has_aux: bool = False, chunk_size: int | None = None
) -> Function:
    """The function that gives the Jacobian of `func`, row by row: a backward pass for each.

    For an output (M,) and an argument (N,) it is (M, N); of nested outputs or arguments it has
    the structure of the outputs, with that of the arguments inside. Best when M < N.

    >>> import graphlab as torch
    >>> jacrev(torch.sin)(torch.tensor([0.0, 1.0]))
    tensor([[1.0000, 0.0000],
            [0.0000, 0.5403]])
    """
    check_chunk(chunk_size, "jacrev")

    def jacobian(*args: Any, **kwargs: Any) -> Any:
        with Level() as level:
            args = level.take(args, argnums)
            output, aux = split(func(*args, **kwargs), has_aux, "vjp(f, *primals)")
            tensors_of(output, "jacrev")
            found = tree_map(lambda t: picked(rows(level, t), argnums), output)
            aux = level.give(aux)
        return (found, aux) if has_aux else found

    return jacobian


def rows(level: "Level", output: Tensor) -> Any:
    """The Jacobian of one output with respect to everything that the level took."""
    flat = reshape(output, (-1,))
    found = [leaves(level.back((flat[k],), None)) for k in range(flat.numel())]
    joined = iter(
        reshape(stack([row[i] for row in found]), (*output.shape, *x.shape))
        if found
        else zeros((*output.shape, *x.shape), dtype=x.dtype)
        for i, x in enumerate(level.sources)
    )
    return tree_map(lambda x: next(joined), level.taken)


def jacfwd(
    func: Function, argnums: Argnums = 0, has_aux: bool = False, *, randomness: str = "error"
) -> Function:
    """The function that gives the Jacobian of `func`, column by column: J v for each basis v.

    The result is that of `jacrev`. Best when the outputs have more entries than the arguments.
    """

    def jacobian(*args: Any, **kwargs: Any) -> Any:
        with Level() as level:
            args = level.take(args, argnums)
            output, aux = split(func(*args, **kwargs), has_aux, "jvp(f, primals, tangents)")
            outputs = tensors_of(output, "jacfwd")
            by_input = [columns(level, outputs, x) for x in level.sources]
            by_output = iter([list(found) for found in zip(*by_input, strict=True)])

            def block(_: Tensor) -> Any:
                found = iter(next(by_output))
                return picked(tree_map(lambda x: next(found), level.taken), argnums)

            found = tree_map(block, output)
            aux = level.give(aux)
        return (found, aux) if has_aux else found

    return jacobian


def columns(level: "Level", outputs: list[Tensor], x: Tensor) -> list[Tensor]:
    """For each output, its Jacobian with respect to one input."""
    found = []
    for k in range(x.numel()):
        v = [zeros_like(t) for t in level.sources]
        at = next(i for i, t in enumerate(level.sources) if t is x)
        one = zeros(x.numel(), dtype=x.dtype)
        one[k] = 1
        v[at] = reshape(one, tuple(x.shape))
        found.append(level.forward(outputs, v))
    if not found:
        return [zeros((*t.shape, *x.shape), dtype=t.dtype) for t in outputs]
    return [
        reshape(stack(moves, -1), (*t.shape, *x.shape))
        for t, moves in zip(outputs, zip(*found, strict=True), strict=True)
    ]


def hessian(func: Function, argnums: Argnums = 0) -> Function:
    """The function that gives the Hessian of `func`: the Jacobian of its Jacobian.

    >>> import graphlab as torch
    >>> hessian(lambda x: (x**3).sum())(torch.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    return jacfwd(jacrev(func, argnums), argnums)


# -- levels ------------------------------------------------------------------------------------


class Level:
    """One application of a transform: the arguments that it took, as sources of its graph."""

    def __init__(self) -> None:
        self.recording = is_grad_enabled()
        self.mode = enable_grad()
        self.own: set[Tensor] = set()  # leaves made here, which nobody outside knows
        self.sources: list[Tensor] = []
        self.taken: Any = None

    def __enter__(self) -> "Level":
        self.mode.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self.mode.__exit__(*error)

    def take(self, args: tuple[Any, ...], argnums: Argnums) -> tuple[Any, ...]:
        """The arguments, those of `argnums` as sources."""
        numbers = [argnums] if isinstance(argnums, int) else check_argnums(argnums)
        places = [place_of(number, len(args)) for number in numbers]
        found = {place: tree_map(self.source, args[place]) for place in places}
        self.taken = tuple(found[place] for place in places)
        return tuple(found.get(i, x) for i, x in enumerate(args))

    def source(self, x: Any) -> Tensor:
        if not isinstance(x, Tensor):
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(x)}")
        if x.requires_grad:
            new = x.view_as(x)  # part of an outer graph: stays connected with it
        else:
            new = x.detach().requires_grad_()
            self.own.add(new)
        self.sources.append(new)
        return new

    def leads_elsewhere(self, tensors: Any) -> bool:
        """Whether a result depends on what was not made here: on an outer level, or a captured
        tensor that requires a gradient. Linear in the graph."""
        stack = [t.grad_fn if t.grad_fn is not None else t for t in tensors if t.requires_grad]
        seen = set(stack)
        while stack:
            node = stack.pop()
            if isinstance(node, Tensor):
                if node not in self.own:
                    return True
                continue
            leaf = getattr(node, "variable", None)
            edges = [leaf] if leaf is not None else [to for to, _ in node.next_functions]
            for to in edges:
                if to is not None and to not in seen:
                    seen.add(to)
                    stack.append(to)
        return False

    def back(self, outputs: Any, entering: Any) -> Any:
        """One backward pass: the gradients, in the structure of the arguments; zeros for those
        that are not used. It is recorded where somebody outside may go through it."""
        entering = [None] * len(outputs) if entering is None else entering
        pairs = [(t, g) for t, g in zip(outputs, entering, strict=True) if t.requires_grad]
        found: Any = [None] * len(self.sources)
        if pairs:
            used, flowing = zip(*pairs, strict=True)
            given = [g for g in flowing if g is not None]
            recorded = self.recording and self.leads_elsewhere([*used, *given])
            found = run_backward(used, self.sources, flowing, True, recorded, allow_unused=True)
        gradients = iter(
            zeros_like(x) if g is None else g for g, x in zip(found, self.sources, strict=True)
        )
        return tree_map(lambda x: next(gradients), self.taken)

    def forward(self, outputs: list[Tensor], tangents: list[Tensor]) -> list[Tensor]:
        """J v of every output, by the backward pass of a backward pass."""
        used = [t for t in outputs if t.requires_grad]
        entering = [zeros_like(t).requires_grad_() for t in used]
        self.own.update(entering)
        gradients = (
            run_backward(used, self.sources, entering, True, True, allow_unused=True)
            if used
            else ()
        )
        pairs = [
            (g, v)
            for g, v in zip(gradients, tangents, strict=bool(used))
            if g is not None and g.requires_grad
        ]
        moved: Any = [None] * len(used)
        if pairs:
            reached, flowing = zip(*pairs, strict=True)
            recorded = self.recording and self.leads_elsewhere([*reached, *flowing])
            moved = run_backward(reached, entering, flowing, True, recorded, allow_unused=True)
        by_output = dict(zip(map(id, used), moved, strict=True))
        return [
            zeros_like(t) if by_output.get(id(t)) is None else by_output[id(t)] for t in outputs
        ]

    def give(self, tree: Any) -> Any:
        """What a transform gives back: outside its own graph."""
        return tree_map(self.release, tree)

    def release(self, x: Any) -> Any:
        if not isinstance(x, Tensor) or (self.recording and self.leads_elsewhere([x])):
            return x
        return x.detach()


# -- what was given ----------------------------------------------------------------------------


def check_argnums(argnums: Any) -> list[int]:
    """The numbers of the arguments. Raises: RuntimeError where they are no tuple, or repeat."""
    if not isinstance(argnums, tuple):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    if not argnums:
        raise RuntimeError("argnums must be non-empty")
    if len(set(argnums)) != len(argnums):
        raise RuntimeError(f"argnums elements must be unique, got {argnums}")
    return list(argnums)


def place_of(number: Any, count: int) -> int:
    """An argument's place, counted from the front."""
    if not isinstance(number, int):
        raise RuntimeError(f"argnum must be int, got: {type(number)}")
    if not -count <= number < count:
        raise RuntimeError(f"Got argnum={number}, but only {count} positional inputs")
    return number % count


def picked(found: Any, argnums: Argnums) -> Any:
    """What belongs to the argument, where only one was asked for."""
    return found[0] if isinstance(argnums, int) else found


def split(output: Any, has_aux: bool, name: str) -> tuple[Any, Any]:
    """The output, and what else `func` gave with it."""
    if not has_aux:
        return output, None
    if not (isinstance(output, tuple) and len(output) == 2):
        raise RuntimeError(
            f"{name}: output of function f should be a tuple: (output, aux) if has_aux is True"
        )
    return output


def tensors_of(output: Any, name: str) -> list[Tensor]:
    """The tensors that `func` gave. Raises: RuntimeError for nothing, or for other things."""
    found = leaves(output)
    if not found:
        raise RuntimeError(
            f"{name}: Expected f to be a function that has non-empty output (got output = {output})"
        )
    for x in found:
        if not isinstance(x, Tensor):
            raise RuntimeError(
                f"{name}: expected f(*primals) to return only tensors, got unsupported type "
                f"{type(x)}"
            )
    return found


def check_tuple(given: Any, what: str, name: str) -> None:
    """Raises: RuntimeError for what is no tuple."""
    if not isinstance(given, tuple):
        raise RuntimeError(
            f"{name}: Expected {what} to be a tuple. E.g. it should be valid to call f(*{what})."
        )


def check_chunk(chunk_size: int | None, name: str) -> None:
    """Raises: ValueError for a size that is no size."""
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"{name}: `chunk_size` should be greater than 0.")


def outline(tree: Any) -> str:
    """A structure as text, `*` for each tensor."""
    return str(tree_map(lambda x: "*", tree)).replace("'*'", "*")
