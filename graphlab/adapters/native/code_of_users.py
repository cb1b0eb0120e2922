"""A backward pass runs code of the user's if the graph has hooks or custom Functions.

Read next: faces/panel.py
"""

from typing import Any

from graphlab.autograd.function import Context
from graphlab.autograd.saved_tensor_hooks import Packed
from graphlab.tensor.tensor import Tensor


def is_freed(node: Any) -> bool:
    """Whether a backward pass has freed what a node had saved."""
    return node._saved is None


def users_code(nodes: list[Any]) -> str:
    """The user's code that a backward pass through `nodes` would run, in words; "" for none."""
    for node in nodes:
        if isinstance(node, Context):
            return f"the backward of {node.function.__name__}"
        if any(isinstance(item, Packed) for item in node._saved or ()):
            return "the hooks of a saved tensor"
        if any(kind.endswith("hooks") and found for kind, found in (node._extra or {}).items()):
            return f"a hook on {node.name()}"
        for target in node._next:
            more = target._more if isinstance(target, Tensor) else None
            if more is not None and more.hooks and (more.hooks.tensor or more.hooks.pre):
                return "a hook on a leaf"
    return ""
