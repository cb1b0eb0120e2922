"""`check(e)`: is what autograd computed the derivative, and why?

Three things are laid side by side for every leaf: SymPy's derivative of the formula that the graph
computes, the formula that the rules make when the backward pass runs on symbols, and the number
that autograd really gives. Nothing is changed: not `.grad`, not the saved tensors, not the graph.

    proved      the two formulas are the same, and autograd gives their value
    agrees      so it is at every point tried, to many digits; no proof was found
    disagrees   here is a point, and both values
    undecided   and why

Read next: symbolic/report.py
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from graphlab.autograd.backward import check_gradient, execute, key_of
from graphlab.autograd.node import Output, edge_of
from graphlab.errors import GraphFreedError
from graphlab.symbolic.compare import Comparison
from graphlab.symbolic.expressions import walk
from graphlab.symbolic.names import name_tensors
from graphlab.symbolic.numeric import Problem
from graphlab.symbolic.report import Report, Row
from graphlab.tensor import Tensor


def check(
    root: Tensor,
    wrt: Tensor | Sequence[Tensor] | None = None,
    names: Mapping[Any, str] | None = None,
    gradient: Tensor | None = None,
) -> Report:
    """Every gradient of `root` beside its symbolic derivative, with a verdict for each.

    wrt: the tensors to look at; every leaf that needs a gradient when left out. names: a name for
    each tensor, by the tensor or its id. gradient: what flows in, for a root of several entries.
    Raises: TypeError for what is not a tensor; RuntimeError, with PyTorch's sentence, for a root
    that needs no gradient or has several entries and no `gradient`; GraphFreedError.

    >>> import graphlab as torch
    >>> a, b = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0, requires_grad=True)
    >>> report = check(a * b, names={a: "a", b: "b"})
    >>> report.ok, report["a"].verdict, report["a"].formula
    (True, 'proved', b)
    """
    require_tensor(root, "check")
    if wrt is not None and not isinstance(wrt, Tensor | list | tuple):
        raise TypeError(
            f"graphlab.check(), wrt: expected a tensor or a list of tensors, got "
            f"{type(wrt).__name__}; pass the leaves to look at, as in wrt=[a, b]"
        )
    wanted = None if wrt is None else [wrt] if isinstance(wrt, Tensor) else list(wrt)
    for tensor in wanted or ():
        require_tensor(tensor, "check", "wrt")
        if not tensor.requires_grad:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
    entering = check_gradient(0, root, gradient)
    if not root.requires_grad:
        raise RuntimeError("element 0 of tensors does not require grad and does not have a grad_fn")
    graph = walk(root)
    if any(node._saved is None for node in graph.nodes):
        raise GraphFreedError
    called = {k if isinstance(k, int) else id(k): str(v) for k, v in (names or {}).items()}
    listed = {key: place for place, key in enumerate(called)}  # leaves, as the caller lists them
    leaves_in_order = sorted(graph.leaves, key=lambda leaf: listed.get(id(leaf), len(listed)))
    targets = leaves_in_order if wanted is None else wanted
    found = engine_gradients(root, entering, graph.nodes, targets)
    named = name_tensors([*graph.leaves, *(t for t in targets if t._node is not None)], names)

    whole = Comparison(Problem(graph, tuple(graph.leaves), entering), root, named)
    rows: dict[Tensor, Row] = {}
    leaves = [t for t in targets if t._node is None]
    rows.update(whole.rows(leaves, found))
    work = whole.work
    comparisons = [whole]
    for tensor in (t for t in targets if t._node is not None):
        # an inner tensor counts as given: the graph is cut there
        part = walk(root, stop=[tensor])
        cut = Comparison(Problem(part, (*part.leaves, tensor), entering), root, named)
        rows.update(cut.rows([tensor], found))
        comparisons.append(cut)
        work += cut.work
    latex = {symbol: text for c in comparisons for symbol, text in c.table.latex.items()}
    return Report(tuple(rows[t] for t in targets), called.get(id(root), ""), latex, work)


def require_tensor(thing: Any, function: str, argument: str = "") -> None:
    """Raises: TypeError that says what was received and what to pass."""
    if isinstance(thing, Tensor):
        return
    where = f"graphlab.{function}()" + (f", {argument}" if argument else "")
    raise TypeError(
        f"{where}: expected a graphlab Tensor, got {type(thing).__name__}; pass a tensor that was "
        "computed from tensors with requires_grad=True, such as a loss"
    )


def engine_gradients(
    root: Tensor, entering: Tensor, nodes: Sequence[Any], targets: Sequence[Tensor]
) -> dict[Tensor, Any]:
    """What autograd gives for each target: a real backward pass that leaves no trace.

    Raises: RuntimeError when a target is not part of the graph.
    """
    capture: dict[Any, Any] = {key_of(t): None for t in targets}
    kept = [
        (tensor, tensor._grad)
        for node in nodes
        if node._extra is not None
        for reference in node._extra.get("retained", {}).values()
        if (tensor := reference()) is not None
    ]
    try:
        execute([(edge_of(root), entering._data)], _ignore, True, False, capture)
    finally:
        for tensor, grad in kept:  # the engine writes tensors that retain their gradient
            tensor._grad = grad
    found = {}
    for i, tensor in enumerate(targets):
        place = key_of(tensor)
        grad = capture[place]
        if isinstance(grad, tuple) and not isinstance(place, tuple):
            grad = grad[0]
        if grad is None:
            if not reaches(nodes, root, tensor):
                raise RuntimeError(
                    f"The differentiated Tensor at index {i} appears to not have been used in the "
                    "graph: pass tensors that the checked one was computed from as wrt"
                )
            grad = np.zeros_like(tensor._data)
        found[tensor] = np.array(grad)
    return found


def reaches(nodes: Sequence[Any], root: Tensor, tensor: Tensor) -> bool:
    """Whether the tensor is the root, or some node of the graph made or used it."""
    place = key_of(tensor)
    if place == key_of(root) or place in nodes:
        return True
    for node in nodes:
        for edge in node._next:
            if edge is tensor or (type(edge) is Output and (edge.node, edge.index) == place):
                return True
    return False


def _ignore(leaf: Tensor, grad: Any) -> None:
    """No leaf is written."""
