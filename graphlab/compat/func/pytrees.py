"""Pytrees: nested tuples, lists and dicts of tensors, which functions take and return.

Read next: compat/func/transforms.py
"""

from collections.abc import Callable
from typing import Any


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
