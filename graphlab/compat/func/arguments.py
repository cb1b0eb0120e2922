"""Checks of a transform's arguments and of its function's results, with PyTorch's messages.

Read next: compat/func/vmap.py
"""

from typing import Any

from graphlab.compat.func.pytrees import leaves, tree_map
from graphlab.tensor.tensor import Tensor

Argnums = int | tuple[int, ...]


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
