"""What functions take and return: pytrees, that is nested tuples, lists and dicts of tensors.

The checks have PyTorch's messages.

Read next: compat/func/vmap.py
"""

from collections.abc import Callable
from typing import Any

from graphlab.tensor.tensor import Tensor

Argnums = int | tuple[int, ...]


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
