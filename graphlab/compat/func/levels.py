"""A level: one application of a transform, with a graph of its own, perhaps inside another's.

The arguments become the sources of the level's graph. Its backward pass is recorded only if the
results depend on tensors outside of the level, because only then can an outer transform
differentiate them. A user's own `Function` runs in transforms by `forward_within`.

What functions take and return are pytrees: nested tuples, lists and dicts of tensors. Their checks
have PyTorch's messages.

Read next: compat/func/vmap.py
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from graphlab.autograd.backward import grad as run_backward
from graphlab.autograd.function import Function
from graphlab.autograd.grad_mode import enable_grad, is_grad_enabled
from graphlab.autograd.node import edge_of
from graphlab.autograd.topological_order import node_of
from graphlab.common.errors import of_one_library
from graphlab.compat.func.batch import Batch, Unbatched, active, depth, in_all, is_at
from graphlab.tensor.creation import zeros, zeros_like
from graphlab.tensor.tensor import Tensor, wrap

Argnums = int | tuple[int, ...]


class Level:
    """One application of a transform: its arguments are the sources of a graph of its own."""

    def __init__(self) -> None:
        self.recording = is_grad_enabled()
        self.mode = enable_grad()
        self.inside: set[Any] = set()  # the leaves that the level created, and what depends on them
        self.leading_out: set[Any] = set()  # nodes that depend on others, too
        self.sources: list[Tensor] = []
        self.inputs: Any = None

    def __enter__(self) -> "Level":
        self.mode.__enter__()
        active.transforms += 1
        return self

    def __exit__(self, *error: Any) -> None:
        active.transforms -= 1
        self.mode.__exit__(*error)

    def enter(self, args: tuple[Any, ...], argnums: Argnums) -> tuple[Any, ...]:
        """Return the arguments, those of `argnums` replaced by sources."""
        numbers = [argnums] if isinstance(argnums, int) else check_argnums(argnums)
        places = [place_of(number, len(args)) for number in numbers]
        found = {place: tree_map(self.source, args[place]) for place in places}
        self.inputs = tuple(found[place] for place in places)
        return tuple(found.get(i, x) for i, x in enumerate(args))

    def source(self, x: Any) -> Tensor:
        """Return a tensor that takes the place of an argument. Raises: ValueError for others."""
        if not isinstance(x, Tensor):
            of_one_library("GraphLab's transforms", x)
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(x)}")
        if x.requires_grad:
            new = x.view_as(x)  # part of an outer graph, to which it stays connected
            if depth(x._data) < len(active.sizes):  # the examples share it
                new = x.clone()
                new._data = in_all(x._data)
        else:
            new = wrap(in_all(x._data), False, None) if active.sizes else x.detach()
            new.requires_grad_()
            self.inside.add(new)
        self.sources.append(new)
        return new

    def depends_on_outside(self, tensors: Any) -> bool:
        """Return whether tensors depend on others from outside; the level remembers the answers.

        Those belong to an outer level, or the function captured them and they require a gradient.
        """
        return any(self.leads_outside(node_of(edge_of(t))) for t in tensors)

    def leads_outside(self, start: Any) -> bool:
        """Return whether a path leads from a node to a leaf that the level did not create."""
        stack, seen = [start], {None}
        while stack:
            node = stack.pop()
            if node in self.inside or node in seen:
                continue
            if node in self.leading_out or isinstance(node, Tensor):
                self.leading_out.add(start)
                return True
            seen.add(node)
            stack += map(node_of, node._next)
        self.inside |= seen
        return False

    def backward(self, outputs: Any, cotangents: Any) -> Any:
        """Return what `gradients` gives, in the structure of the arguments."""
        found = iter(self.gradients(outputs, cotangents))
        return tree_map(lambda x: next(found), self.inputs)

    def gradients(self, outputs: Any, cotangents: Any) -> list[Tensor]:
        """Run a backward pass; return the gradient of each source, zeros where it has none.

        outputs, cotangents: tensors and the gradients with respect to them; None for ones
        The pass is recorded if an outer level may differentiate it.
        """
        cotangents = [None] * len(outputs) if cotangents is None else cotangents
        pairs = [(t, g) for t, g in zip(outputs, cotangents, strict=True) if t.requires_grad]
        found: Any = [None] * len(self.sources)
        if pairs:
            used, gradients = zip(*pairs, strict=True)
            given = [g for g in gradients if g is not None]
            recorded = self.recording and self.depends_on_outside([*used, *given])
            found = run_backward(used, self.sources, gradients, True, recorded, allow_unused=True)
        return [
            zeros(x.shape, dtype=x.dtype) if g is None else g
            for g, x in zip(found, self.sources, strict=True)
        ]

    def forward(self, outputs: list[Tensor]) -> Callable[[list[Tensor]], list[Tensor]]:
        """Return the function that maps v to J v for every output.

        A backward pass computes uᵀJ, which is linear in u; its derivative along v is J v.
        """
        used = [t for t in outputs if t.requires_grad]
        cotangents = [zeros_like(t).requires_grad_() for t in used]
        self.inside.update(cotangents)
        gradients: Any = [None] * len(self.sources)
        if used:
            gradients = run_backward(used, self.sources, cotangents, True, True, allow_unused=True)

        def along(tangents: list[Tensor]) -> list[Tensor]:
            pairs = [
                (g, v)
                for g, v in zip(gradients, tangents, strict=True)
                if g is not None and g.requires_grad
            ]
            found: Any = [None] * len(used)
            if pairs:
                reached, v = zip(*pairs, strict=True)
                recorded = self.recording and self.depends_on_outside([*reached, *v])
                found = run_backward(reached, cotangents, v, True, recorded, allow_unused=True)
            by_output = dict(zip(map(id, used), found, strict=True))
            return [
                zeros_like(t) if by_output.get(id(t)) is None else by_output[id(t)] for t in outputs
            ]

        return along

    def leave(self, tree: Any) -> Any:
        """Return a result without the level's own graph."""
        return tree_map(self.release, tree)

    def release(self, x: Any) -> Any:
        if not isinstance(x, Tensor) or (self.recording and self.depends_on_outside([x])):
            return x
        return x.detach()


MORE = " For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"
NO_SETUP = (
    "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, "
    "...), it must override the setup_context staticmethod." + MORE
)
NO_VMAP = (
    "You tried to vmap over {}, but it does not have vmap support. Please override and implement "
    "the vmap staticmethod or set generate_vmap_rule=True." + MORE
)
TWO_RULES = (
    "You tried to vmap over {}, but it has both generate_vmap_rule=True and an overridden vmap "
    "staticmethod. Please set generate_vmap_rule=False or delete the overridden vmap staticmethod "
    "to avoid ambiguity." + MORE
)
NO_PAIR = (
    "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree "
    "structure compatible with the output. Got {} instead"
)


class VmapInfo(NamedTuple):
    """What the `vmap` of a Function is told: the number of examples, and how chance is drawn."""

    batch_size: int
    randomness: str


def forward_within(cls: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
    """Run the forward of a Function with a `setup_context`; within `vmap`, its own `vmap`.

    Raises: RuntimeError for one that PyTorch does not transform.
    """
    if cls.setup_context is Function.setup_context:
        if active.transforms:
            raise RuntimeError(NO_SETUP)
        return None
    own = cls.vmap is not Function.vmap
    if active.vmaps and own == cls.generate_vmap_rule:
        raise RuntimeError((TWO_RULES if own else NO_VMAP).format(cls.__name__))
    level = len(active.sizes)
    dims = tuple(0 if isinstance(x, Tensor) and is_at(x._data, level) else None for x in args)
    if not own or all(dim is None for dim in dims):
        return cls.forward(*args, **kwargs)
    every = [
        x if d is None else wrap(x._data.every, False, None)
        for x, d in zip(args, dims, strict=True)
    ]
    size = active.sizes.pop()
    active.vmaps -= 1
    try:
        found = cls.vmap(VmapInfo(size, "error"), dims, *every, **kwargs)
        if not isinstance(found, tuple):
            raise RuntimeError(NO_PAIR.format(f"a {type(found)}"))
        if len(found) != 2:
            raise RuntimeError(NO_PAIR.format(f"{len(found)} returns"))
    except Exception as error:
        active.raised = None if isinstance(error, Unbatched) else error
        raise
    finally:
        active.sizes.append(size)
        active.vmaps += 1
    output, out_dims = found

    def batched(x: Any, dim: Any) -> Any:
        return x if dim is None else wrap(Batch(np.moveaxis(x._data, dim, 0), level), False, None)

    several = isinstance(output, tuple) and not isinstance(out_dims, tuple)
    return tree_map(batched, output, (out_dims,) * len(output) if several else out_dims)


Function.forward_within = staticmethod(forward_within)


def leaves(tree: Any) -> list[Any]:
    """Return the leaves of a nested structure, in order.

    >>> leaves({"w": 1, "b": (2, [3])})
    [1, 2, 3]
    """
    if isinstance(tree, dict):
        return [x for branch in tree.values() for x in leaves(branch)]
    if isinstance(tree, tuple | list):
        return [x for branch in tree for x in leaves(branch)]
    return [tree]


def tree_map(function: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """Return a structure like `tree`, whose leaves are `function` of the leaves of all trees.

    >>> tree_map(lambda x: 10 * x, {"w": 1, "b": (2, [3])})
    {'w': 10, 'b': (20, [30])}
    """
    if isinstance(tree, dict):
        mapped = {key: tree_map(function, tree[key], *(o[key] for o in others)) for key in tree}
        return type(tree)(mapped)
    if isinstance(tree, tuple | list):
        return rebuilt(
            tree, [tree_map(function, *each) for each in zip(tree, *others, strict=True)]
        )
    return function(tree, *others)


def rebuilt(like: Any, branches: list[Any]) -> Any:
    """Return branches in a tuple, named tuple or list of the type of `like`."""
    return type(like)(*branches) if hasattr(like, "_fields") else type(like)(branches)


def same_structure(a: Any, b: Any) -> bool:
    """Return whether two structures are equal, apart from the values of their leaves."""
    if isinstance(a, dict):
        alike = isinstance(b, dict) and a.keys() == b.keys()
        return alike and all(same_structure(a[key], b[key]) for key in a)
    if isinstance(a, tuple | list):
        alike = type(a) is type(b) and len(a) == len(b)
        return alike and all(same_structure(x, y) for x, y in zip(a, b, strict=True))
    return not isinstance(b, tuple | list | dict)


def check_argnums(argnums: Any) -> list[int]:
    """Return `argnums` as a list. Raises: RuntimeError unless it is a tuple of distinct numbers."""
    if not isinstance(argnums, tuple):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    if not argnums:
        raise RuntimeError("argnums must be non-empty")
    if len(set(argnums)) != len(argnums):
        raise RuntimeError(f"argnums elements must be unique, got {argnums}")
    return list(argnums)


def place_of(number: Any, count: int) -> int:
    """Return the position of argument `number` of `count`; a negative one counts from the end.

    Raises: RuntimeError for a number out of range.
    """
    if not isinstance(number, int):
        raise RuntimeError(f"argnum must be int, got: {type(number)}")
    if not -count <= number < count:
        raise RuntimeError(f"Got argnum={number}, but only {count} positional inputs")
    return number % count


def unwrapped(found: Any, argnums: Argnums) -> Any:
    """Return the only result for an int `argnums`, and the tuple of results for a tuple."""
    return found[0] if isinstance(argnums, int) else found


def split(output: Any, has_aux: bool, name: str) -> tuple[Any, Any]:
    """Return the output of `func` and its auxiliary output, or None.

    Raises: RuntimeError if `has_aux` and the output is not a pair.
    """
    if not has_aux:
        return output, None
    if not (isinstance(output, tuple) and len(output) == 2):
        raise RuntimeError(
            f"{name}: output of function f should be a tuple: (output, aux) if has_aux is True"
        )
    return output


def tensors_of(output: Any, name: str) -> list[Tensor]:
    """Return the tensors in an output. Raises: RuntimeError if it has none, or other values."""
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
    """Raise RuntimeError unless `given` is a tuple."""
    if not isinstance(given, tuple):
        raise RuntimeError(
            f"{name}: Expected {what} to be a tuple. E.g. it should be valid to call f(*{what})."
        )


def outline(tree: Any) -> str:
    """Return a nested structure as text, with `*` for each leaf."""
    return str(tree_map(lambda x: "*", tree)).replace("'*'", "*")


def example(x: Tensor, dim: int, k: int) -> Tensor:
    """Return example k of a batch, and zeros if the batch is empty."""
    return x.select(dim, k) if x.shape[dim] else x.sum(dim).to(x.dtype)
