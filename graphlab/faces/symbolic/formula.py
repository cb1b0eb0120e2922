"""`formula(e)`: the expression that a graph computes, in the names of its leaves.

Read next: graph/model.py
"""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import sympy

from graphlab.faces.symbolic.budget import Budget, Unsupported, size_of, with_floats
from graphlab.faces.symbolic.check import require_tensor
from graphlab.faces.symbolic.custom_functions import record_functions
from graphlab.faces.symbolic.formula_code import Entry, entries_of, numpy_code, sympy_code
from graphlab.faces.symbolic.interpretation import exact_interpretation, forward
from graphlab.faces.symbolic.live_graph import Tensor, walk
from graphlab.faces.symbolic.local_derivatives import FormulaArithmetic, set_by
from graphlab.faces.symbolic.mp_arithmetic import ExactConstants, context
from graphlab.faces.symbolic.symbol_names import SymbolTable, name_tensors
from graphlab.primitives.sympy_reading.object_arrays import bare, each, places

MOST_SYMBOLS = 256
LARGEST = 20_000  # operations, as a tree
DEEPEST = 150  # nested operations; SymPy prints by recursion
WORK = 50_000  # entries calculated
FORMS = ("expression", "latex", "numpy", "sympy")


def formula(
    tensor: Tensor, names: Mapping[Any, str] | None = None, form: str = "expression"
) -> Any:
    """Return the SymPy expression of a tensor in terms of its leaves; an array for several entries.

    names: a name for each leaf, by the tensor or its id; the others are x1, x2, ...
    form: "expression", or "latex", "sympy" or "numpy" for text to copy.
    A Function of the user's own is written out if its forward can be read as formulas that hold at
    all values, for which it runs again; otherwise it is the name of a function: Own(x).
    Raises: TypeError if it is not a tensor; ValueError for an unknown form, and if there is no
    formula or it is too large.

    >>> import graphlab as torch
    >>> a, b = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0, requires_grad=True)
    >>> formula(torch.log(a) * b + 0.5, names={a: "a", b: "b"})
    b*log(a) + 1/2
    >>> print(formula(a * b, names={a: "a", b: "b"}, form="numpy"))
    import numpy
    <BLANKLINE>
    def formula(a, b):
        return a*b
    """
    require_tensor(tensor, "formula")
    if form not in FORMS:
        raise ValueError(f"unknown form {form!r} (must be one of {sorted(FORMS)})")
    arithmetic, reading, table = FormulaArithmetic(), ExactConstants(), SymbolTable()
    entries = exact_interpretation(arithmetic, reading)
    graph = walk(tensor)
    count = sum(t.numel() for t in graph.leaves)
    if count > MOST_SYMBOLS:
        raise refused(f"it has {count} leaf entries, more than {MOST_SYMBOLS}")
    if graph.depth > DEEPEST:
        raise refused(f"it is nested {graph.depth} operations deep, more than {DEEPEST}")
    named = name_tensors(graph.leaves, names)
    given = {t: table.entries(t, named[t]) for t in graph.leaves}
    for leaf, symbols in given.items():
        for index in places(np.shape(symbols)):
            value = context().mpf(float(np.asarray(leaf._data)[index]))
            arithmetic.point[np.asarray(symbols, object)[index]] = value
    sizes: dict[Any, int] = {}

    def measure(made: Any) -> None:
        for entry in np.asarray(made, object).flat:
            if isinstance(entry, sympy.Basic) and size_of(entry, sizes) > LARGEST:
                raise Unsupported(f"it has more than {LARGEST} operations")

    entries.check_value, entries.run_custom = measure, unknown_function
    for name, extreme in (("max_dim", "amax"), ("min_dim", "amin")):
        entries.overrides = {**entries.overrides, name: extreme_along(entries.primitives[extreme])}
    record_functions(graph, graph.leaves)
    graph.functions = {n: f for n, f in graph.functions.items() if not f.value_dependent}
    try:
        try:
            values = forward(graph, given, entries, Budget(WORK))
        except Unsupported:
            if not graph.functions:
                raise
            graph.functions = {}
            values = forward(graph, given, entries, Budget(WORK))
    except Unsupported as reason:
        large = "more than" in str(reason) or "too large" in str(reason)
        raise refused(str(reason), large) from None
    except RecursionError:
        raise refused("it is nested too deeply for SymPy") from None
    made = as_sympy(each(arithmetic.shown)(values[graph.root]), tensor)
    return in_form(made, form, table.latex, entries_of(given, named))


def in_form(made: Any, form: str, latex: Mapping[Any, str], entries: Mapping[Any, Entry]) -> Any:
    """Return the expression in the requested form. Raises: ValueError if it has no code."""
    if form == "latex":
        return set_by(made, latex)
    if form == "sympy":
        return sympy_code(made, "formula")
    return numpy_code(made, entries, "formula") if form == "numpy" else with_floats(made)


def extreme_along(extreme: Any) -> Any:
    """Return a forward of max or min along a dimension that gives the formula Max(...)."""

    def call(x: Any, *, dim: int, keepdim: bool = False) -> tuple[Any, Any]:
        values = extreme(x, (dim,), keepdim)
        return values, np.zeros(np.shape(values), np.int64)

    return call


def unknown_function(node: Any, inputs: list[Any]) -> tuple[Any, ...]:
    """Return the outputs of a user-defined Function as f(x), an undefined function of SymPy."""
    given = [entry for data in inputs for entry in np.asarray(data, object).flat]
    name, outputs = re.sub(r"\W", "_", node.function.__name__), node._extra["outputs"]
    shapes = [() if known is None else known[0] for known in outputs]
    results, count = [], sum(int(np.prod(shape)) for shape in shapes)
    for shape in shapes:
        out = np.empty(shape, object)
        for index in places(shape):
            label = name if count == 1 else "_".join((name, str(len(results)), *map(str, index)))
            out[index] = sympy.Function(label, real=True)(*given)
        results.append(bare(out))
    return tuple(results)


def as_sympy(data: Any, tensor: Tensor) -> Any:
    """Return exact entries as SymPy data: one expression, or an array of them."""
    flat = [sympy.sympify(entry) for entry in np.asarray(data, object).flat]  # numbers, never text
    return flat[0] if tensor.numel() == 1 else sympy.Array(flat, tuple(tensor.shape))


def refused(reason: str, large: bool = True) -> ValueError:
    """Return the error for a formula that would fill pages, or that SymPy cannot express."""
    what = "the formula of this tensor is too large to write down"
    what = what if large else "this tensor has no formula here"
    part = "smaller " * large + "part"
    return ValueError(f"{what}: {reason}; ask for the formula of a {part} of the graph")
