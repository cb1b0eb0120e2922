"""The advice when a gradient is wrong: one sentence, with the line of the forward pass.

Read next: faces/symbolic/report_table.py
"""

from dataclasses import dataclass
from math import isnan, nan
from typing import Any

from graphlab.faces.symbolic.checked_graph import CheckedGraph
from graphlab.faces.symbolic.live_graph import Node, Output, Tensor


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A place in the graph, and what is wrong there.

    place: the number of the node, in the order in which nodes were made; None for a leaf. name: of
    the node, "MulBackward0", or of the leaf. input: the position of the input whose rule is wrong.
    entry: of that input, or of the gradient. gradient: what is sent; derivative: what should be
    sent; both NaN if the shape is wrong. function: the name of a user-defined Function.
    hook: whether there is a hook. at: the value of the input if it is wrong there and not at the
    current one; "" for several entries.
    """

    place: int | None
    name: str
    input: int | None
    entry: tuple[int, ...] = ()
    gradient: float = nan
    derivative: float = nan
    function: str = ""
    hook: bool = False
    at: str | None = None


def sentence(found: Diagnosis, checked: CheckedGraph) -> str:
    """Say what to look at, and why, with the line that made the node."""
    nodes = checked.walk().nodes
    node = None if found.place is None else nodes[found.place]
    line = line_of(node, checked)
    values = f"{found.gradient:.6g} where %s {found.derivative:.6g}"
    if found.input is not None and node is not None:
        whose = f"backward of {found.function}" if found.function else f"rule of {found.name}"
        if getattr(node, "_saved_scale_grad_by_freq", False):
            whose += " with scale_grad_by_freq"
        target = node._next[found.input]
        to = f" for its input {entry_of(name_of(target, checked), found.entry)}"
        if isnan(found.gradient) and isnan(found.derivative):
            return f"look at the {whose}:{to} it returns a gradient of the wrong shape{line}"
        if found.at is not None:
            to += f" = {found.at}" if found.at else ", at other values,"
        return f"look at the {whose}:{to} it returns " + values % "the derivative is" + line
    given = values % "the rules give"
    if found.hook:
        on = found.name if node is None else name_of(node, checked)
        return f"look at the hook on {on}: it makes the gradient {given}{line}"
    return (
        f"look at what {found.name} saved: every rule is right, but after it the gradient is "
        f"{given}; this happens when a saved tensor is changed without autograd's knowledge "
        f"(x.data){line}"
    )


def entry_of(name: str, index: tuple[int, ...]) -> str:
    """Return the name of one entry of a tensor.

    >>> entry_of("w", (0, 1)), entry_of("w * 2", (3,)), entry_of("x", ())
    ('w[0, 1]', '(w * 2)[3]', 'x')
    """
    if not index:
        return name
    return f"{name if name.isidentifier() else f'({name})'}[{', '.join(map(str, index))}]"


def name_of(edge: Any, checked: CheckedGraph) -> str:
    """Return the name of a leaf or a result."""
    if isinstance(edge, Tensor):
        return checked.named.get(edge, "a leaf")
    node, output = (edge.node, edge.index) if type(edge) is Output else (edge, 0)
    return checked.inner.get((node, output)) or checked.label(node, output)


def line_of(node: Node | None, checked: CheckedGraph) -> str:
    """Return the line of the user's code that made a node; "" if it is not known."""
    if node is None or checked.graph is None:
        return ""
    number = checked.numbers.get(node._sequence)
    made = next((n for n in checked.graph.nodes if n.sequence == number), None)
    source = made.source if made is not None else None
    if source is None:
        return ""
    return f" ({source.label}, line {source.line}: {source.text})"
