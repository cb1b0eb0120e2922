"""The report of `check` for a PyTorch tensor: what was compared, and what that shows.

The report keeps two claims apart. A *rule* is proved: SymPy finds the same derivative. A *number*
that PyTorch computed is only compared: GraphLab proves nothing about PyTorch's kernels.

Read next: faces/argument_checks.py
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphlab.adapters.namespace import Variables
from graphlab.adapters.proofs import PROVED, proof_of
from graphlab.adapters.pytorch.accessors import edges_of, is_accumulator, is_tensor, loaded
from graphlab.adapters.pytorch.arrays import array_of
from graphlab.adapters.pytorch.edge_check import (
    DIFFERS,
    EQUAL,
    GRADCHECK,
    NOT_TRIED,
    EdgeRow,
    compared,
    custom_rows,
    edges_checked,
)
from graphlab.adapters.pytorch.rehearsal import TorchCopy
from graphlab.adapters.pytorch.rehearsed_pass import edges_behind
from graphlab.common.errors import described
from graphlab.common.notebook import printable_here
from graphlab.faces.symbolic.html_elements import (
    CELL,
    FONT,
    INK,
    PLAIN,
    aligned,
    cell_text,
    element,
    escaped,
    formula_text,
    number,
    table,
)
from graphlab.faces.symbolic.report import CHANGED
from graphlab.graph.array_sample import ArraySample

SAVED_CHANGED = "a saved tensor was changed without autograd's knowledge, as x.data.mul_(2) does"
MOST_NODES = 60  # of a graph whose formula is checked as a whole
ROUNDED = 1e-4  # the share of the largest gradient that rounding may leave in a smaller one
SHOWN = 12  # the most rows of a table
SIGNS = {EQUAL: "✓", DIFFERS: "✗", NOT_TRIED: "?"}


@dataclass(frozen=True, slots=True, eq=False)
class LeafRow:
    """One leaf: its gradient, and what is known about it.

    verdict: "equal", "differs" or "not tried". formula: SymPy's derivative, if the whole formula
    was checked. value: PyTorch's gradient, a number or an array. sentence: what was compared.
    """

    name: str
    verdict: str
    sentence: str
    value: Any = None
    formula: Any = None
    proved: bool = False

    @property
    def ok(self) -> bool:
        """Whether everything on the leaf's path was compared, and is equal."""
        return self.verdict == EQUAL

    def __repr__(self) -> str:
        lines = [["PyTorch", cell_text(self.value)]]
        if self.formula is not None:
            lines.insert(0, ["derivative", formula_text(self.formula)])
        head = f"{self.name}: {SIGNS[self.verdict]} {self.sentence}"
        return printable_here("\n  ".join([head, *aligned(lines)]))


class PyTorchReport:
    """What `check` found about a PyTorch backward pass.

    Iterating gives a LeafRow for each leaf, `report["w"]` the row of one. `steps` has an EdgeRow
    for each edge of the graph. A report is true if it is `ok`.
    """

    def __init__(self, name: str, leaves: list[LeafRow], steps: list[EdgeRow]) -> None:
        self.name, self.leaves, self.steps = name, leaves, steps

    def __iter__(self) -> Iterator[LeafRow]:
        return iter(self.leaves)

    def __len__(self) -> int:
        return len(self.leaves)

    def __getitem__(self, name: str) -> LeafRow:
        for row in self.leaves:
            if row.name == name:
                return row
        known = ", ".join(row.name for row in self.leaves[:8])
        raise KeyError(f"no leaf of this check is called {name!r}; it has {known}")

    @property
    def ok(self) -> bool:
        """Whether every step to these leaves was compared, and is equal."""
        return all(row.ok for row in self.leaves)

    def __bool__(self) -> bool:
        return self.ok

    @property
    def differs(self) -> list[EdgeRow]:
        """The steps in which PyTorch's number differs from the rule's."""
        return [row for row in self.steps if row.verdict == DIFFERS]

    @property
    def not_tried(self) -> list[EdgeRow]:
        """The steps that could not be compared, each with its reason."""
        return [row for row in self.steps if row.verdict == NOT_TRIED]

    @property
    def worst(self) -> float:
        """The largest difference in an equal step, in units of the expected rounding error."""
        return max((row.eps for row in self.steps if row.verdict == EQUAL), default=0.0)

    @property
    def lines(self) -> list[str]:
        """What was found, in sentences."""
        equal = [row for row in self.steps if row.verdict == EQUAL]
        own = [row for row in equal if row.why == GRADCHECK]
        proved, compared_ones = sum(row.proved for row in equal), len(equal) - len(own)
        by = "all of them" if proved == compared_ones else f"{proved} of them"
        margin = f"the largest difference is {self.worst:.2g} times the expected rounding error"
        said = [
            f"{compared_ones} of {len(self.steps)} steps: PyTorch's number equals the rule's"
            + f"; {margin}; {by} by rules that are proved" * bool(compared_ones)
            + "."
        ]
        for name in dict.fromkeys(row.name for row in own):
            said.append(f"✓ {name}: {GRADCHECK}.")
        for row in self.differs[:SHOWN]:
            said.append(f"✗ {row.name} ({row.node}), the gradient of {row.input}: {row.why}.")
        reasons = Counter((row.name, row.why) for row in self.not_tried)
        for (name, why), count in reasons.most_common(SHOWN):
            times = "" if count == 1 else f", {count} steps"
            said.append(f"? {name}{times}: not tried, because {why}.")
        return said

    def _texts(self, written: Callable[[Any], str] = number) -> list[list[str]]:
        """Return the cells of the table, row by row. written: the text of a value."""
        shown = [["", f"∂{self.name}/∂", "PyTorch", "verdict"]]
        for row in self.leaves[:SHOWN]:
            formula = "" if row.formula is None else formula_text(row.formula)
            verdict = f"{SIGNS[row.verdict]} {row.sentence}"
            shown.append([row.name, formula, written(row.value), verdict])
        known = any(row.formula is not None for row in self.leaves[:SHOWN])
        return shown if known else [[name, *texts] for name, _, *texts in shown]

    @property
    def _rest(self) -> list[str]:
        more = len(self.leaves) - SHOWN
        return [f"and {more} more"] * (more > 0)

    def __repr__(self) -> str:
        shown = aligned(self._texts(cell_text))
        return printable_here("\n".join([*self.lines, "", *shown, *self._rest]))

    def _repr_html_(self) -> str:
        (_, *titles), *rows = self._texts()
        head = "".join(th(text, "col") for text in ("leaf", *titles))
        body = ""
        for name, *texts in rows:
            cells = "".join(element("td", escaped(text), CELL) for text in texts)
            body += element("tr", th(name, "row") + cells)
        said, rest = (
            "".join(element("p", escaped(x)) for x in y) for y in (self.lines, self._rest)
        )
        return element("div", said + table(head, body) + rest, f"{FONT};{INK}", class_=PLAIN)


def th(text: str, scope: str) -> str:
    """Return a heading of a column or a row."""
    return element("th", escaped(text), CELL, scope=scope)


def report_of_pytorch(
    tensor: Any, wrt: Any, gradient: Any, variables: Variables, budget: float | None
) -> PyTorchReport:
    """Check a PyTorch backward pass step by step, and a small one as a whole, too."""
    copy = TorchCopy(tensor, variables)
    stand_ins, copied = copy.stand_ins, copy.copied
    seed = (loaded().ones_like(tensor) if gradient is None else gradient).detach()
    check = edges_checked(tensor, seed, stand_ins, copied.node_ids)
    steps = custom_rows(stand_ins, check.rows, copied.node_ids)
    ones = wrt if isinstance(wrt, list | tuple) else [wrt]
    wanted = {one if isinstance(one, str) else id(one) for one in ones}
    names = {
        node: copied.label(copied.tensors[stand_ins.of[node], 0])
        for node in filter(is_accumulator, stand_ins.order)
    }
    for one in ones:
        known = isinstance(one, str) and one in names.values()
        if not (known or is_tensor(one) or wrt is None):
            raise (ValueError if isinstance(one, str) else TypeError)(
                "graphlab.check(), wrt: the loss is a PyTorch tensor, so its leaves are, too; got "
                f"{described(one)}; pass the leaves to look at, or their names, of "
                f"{list(names.values())}"
            )
    whole = whole_formula(copy, tensor, seed, budget)
    doubtful = leaves_behind_doubt(stand_ins, steps, copied.node_ids)
    rows = []
    for node, name in names.items():
        if wrt is None or not wanted.isdisjoint((name, id(node.variable))):
            told = check.leaves.get(node), whole.get(node), doubtful.get(node, [])
            tried = any(row.why == GRADCHECK for row in steps)
            rows.append(row_of(name, *told, tried, check.largest))
    return PyTorchReport(copied.label(copied.root), rows, steps)


def row_of(
    name: str, theirs: Any, proof: Any, doubt: list[EdgeRow], tried: bool, largest: float
) -> LeafRow:
    """Return the row of one leaf.

    tried: whether gradcheck tried a Function of the graph. largest: the size of the largest
    gradient in the pass, whose rounding error a sum may keep.
    """
    if theirs is None:
        return LeafRow(name, NOT_TRIED, "no gradient reaches it")
    value = array_of(theirs)
    if isinstance(value, ArraySample):  # of a type that NumPy does not have, such as bfloat16
        value = array_of(theirs.float())
    shown = value.item() if np.size(value) == 1 and hasattr(value, "item") else value
    if proof is not None and not doubt and proof.verdict == "disagrees":
        right = proof.symbolic_value
        if right is not None and far(value, right, largest):
            told = f"the derivative is {cell_text(right)}; " if np.ndim(right) == 0 else ""
            told += "PyTorch's number differs from the whole formula's derivative: " * (not told)
            told += f"as each step equals the rule's number, {SAVED_CHANGED}"
            return LeafRow(name, DIFFERS, told, shown, proof.formula)
    if proof is not None and not doubt and CHANGED in proof.note:
        stale = next(part for part in proof.note.split("; ") if CHANGED in part)
        return LeafRow(name, NOT_TRIED, stale, shown, proof.formula)
    if proof is not None and proof.ok:
        exact = np.reshape(np.asarray(proof.autograd_value, np.float64), tuple(theirs.shape))
        verdict, eps, why = compared(theirs, exact, exact)
        proved = proof.verdict == "proved"
        how = "is proved" if proved else "agrees at every point that was tried"
        said = {
            EQUAL: f"the whole formula's derivative {how}; PyTorch's number equals it ({eps:.2g} "
            "eps)",
            DIFFERS: f"PyTorch's number differs from the whole formula's derivative: {why}",
            NOT_TRIED: f"the whole formula's derivative {how}, but {why}",
        }
        if doubt or verdict != DIFFERS:  # otherwise, it is rounding in several steps
            return LeafRow(name, verdict, said[verdict], shown, proof.formula, proved)
    bad = [row for row in doubt if row.verdict == DIFFERS]
    verdict, sentence = EQUAL, "each step on its path equals the rule's number"
    sentence += " or passes gradcheck" * tried
    if bad:
        verdict, sentence = DIFFERS, f"the step {bad[0].name} ({bad[0].node}) on its path differs"
    elif doubt:
        count = f"{len(doubt)} step" + "s" * (len(doubt) > 1)
        verdict, sentence = NOT_TRIED, f"{count} on its path could not be compared"
    return LeafRow(name, verdict, sentence, shown)


def whole_formula(copy: TorchCopy, tensor: Any, seed: Any, budget: float | None) -> dict[Any, Any]:
    """Return the rows of a check of the whole formula, by AccumulateGrad; {} for a large graph."""
    stand_ins = copy.stand_ins
    nodes = stand_ins.nodes
    if (
        len(nodes) > MOST_NODES
        or not stand_ins.complete.keys() >= set(nodes)
        or tensor.is_meta
        or tensor.numel() != 1
        or not (seed == 1).all()
        or any(leaf.is_complex() for leaf in stand_ins.leaves)
    ):
        return {}
    from graphlab.faces.symbolic.check import check as prove

    leaves = [*filter(is_accumulator, stand_ins.order)]
    own = [stand_ins.of[node] for node in leaves]
    names = {leaf: copy.copied.label(copy.copied.tensors[leaf, 0]) for leaf in own}
    try:
        report = prove(
            stand_ins.tensor(tensor),
            wrt=own,
            names=names,
            budget=budget,
            is_proved=lambda node: proof_of(node) == PROVED,
        )
    except (ArithmeticError, AttributeError, RuntimeError, TypeError, ValueError):
        return {}  # GraphLab's operations do not take a value; the steps are compared anyway
    return {n: row for n, row in zip(leaves, report, strict=True) if is_known(row)}


def far(value: Any, right: Any, largest: float) -> bool:
    """Return whether a gradient is further from the derivative than rounding may bring it."""
    value, right = np.asarray(value, np.float64), np.reshape(right, np.shape(value))
    off, size = (np.max(np.abs(x), initial=0.0) for x in (value - right, right))
    return bool(off > 1e-3 * size and off > ROUNDED * largest)


def is_known(row: Any) -> bool:
    """Return whether a row of the whole formula says something about PyTorch's number."""
    numbers = row.autograd_value
    return (row.ok or row.verdict == "disagrees" or CHANGED in row.note) and not (
        numbers is None or np.any(np.isnan(numbers))
    )


def leaves_behind_doubt(stand_ins: Any, steps: list[EdgeRow], ids: Any) -> dict[Any, list[EdgeRow]]:
    """Return, for each leaf, the steps on its path that differ or were not compared."""
    by_id = {ids[stand_ins.of[n]]: n for n in stand_ins.order if not is_accumulator(n)}
    found: dict[Any, list[EdgeRow]] = {}
    for row in steps:
        edge = None if row.verdict == EQUAL else edges_of(by_id[row.node])[row.index]
        if edge is None:
            continue
        for node in filter(is_accumulator, edges_behind([edge])):
            found.setdefault(node, []).append(row)
    return found
