"""Each step of a backward pass of PyTorch beside the rule that GraphLab has proved.

At every edge, GraphLab's rule of that name gets the incoming gradient and the values that PyTorch's
node saved. Its result is compared with what the node sent. No forward pass runs, and one node is
compared at a time, so a graph may have any size.

PyTorch often computes in float32 or less. The rule is evaluated in float64 and, twice, in the type
of PyTorch's node, with all terms of sums off by one unit of rounding. The difference says how much
rounding this step costs, and PyTorch's number may be off by that much times `ALLOWED`.

A Function of the user's is tried by PyTorch's gradcheck instead, which runs it in float64.

Read next: faces/pytorch_report.py
"""

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphlab.adapters.native.graph_walk import input_items, saved_by
from graphlab.adapters.native.saved_values import seen_by
from graphlab.adapters.native.variable_names import Names
from graphlab.adapters.proofs import PROVED, proof_of
from graphlab.adapters.pytorch.accessors import is_custom, loaded, root_of
from graphlab.adapters.pytorch.arrays import array_of
from graphlab.adapters.pytorch.operations import is_known
from graphlab.adapters.pytorch.rehearsal import known_by
from graphlab.adapters.pytorch.rehearsed_pass import Edge, Grads, walk
from graphlab.adapters.pytorch.stand_ins import NotKept, StandIns, is_array
from graphlab.autograd.function import Context, SavedOutput
from graphlab.autograd.grad_mode import without_warnings
from graphlab.autograd.node import Pinned
from graphlab.autograd.node_formulas import run_rules, settings_of
from graphlab.autograd.saved_tensor_hooks import Packed
from graphlab.autograd.views import CopySlices
from graphlab.graph.array_sample import ArraySample
from graphlab.ops.base import rule_arguments
from graphlab.primitives.numpy_reading.shapes import sum_to
from graphlab.tensor.tensor import Tensor

ALLOWED = 64  # times the rounding of a step, measured and in units of its type
EQUAL, DIFFERS, NOT_TRIED = "equal", "differs", "not tried"
MOST_ENTRIES = 256  # of all inputs of a checked Function: each entry is moved twice
GRADCHECK = "gradcheck agrees with its backward"


@dataclass(frozen=True, slots=True)
class EdgeRow:
    """One edge: the node, the input that its gradient goes to, and the verdict.

    verdict: "equal", "differs" or "not tried". proved: whether the rule is.
    eps: how far the number is from the rule's, in units of what rounding costs in this step.
    why: a sentence where it was not tried, or differs.
    """

    node: str
    name: str
    input: str
    index: int
    verdict: str
    proved: bool = False
    eps: float = 0.0
    why: str = ""


class EdgeCheck:
    """Compares the steps of one pass, of which rehearsed_pass.walk tells it."""

    def __init__(self, stand_ins: StandIns, ids: dict[Any, str]) -> None:
        self.rows: list[EdgeRow] = []
        self.leaves: dict[Any, Any] = {}  # AccumulateGrad -> the gradient that reached it
        self.largest = 0.0  # the size of the largest finite entry of a gradient
        self._of, self._ids = stand_ins.of, ids
        self._sent: dict[int, Any] = {}

    def seeded(self, roots: list[Edge], grads: Grads) -> None:
        """Nothing to compare yet."""

    def entered(self, node: Any, grads: Grads) -> None:
        """A node runs."""
        self._sent = {}

    def sent(self, node: Any, index: int, rule: Any, share: Any, before: Any, after: Any) -> None:
        """The node sent a gradient."""
        self._sent[index] = share
        array = array_of(share)
        if is_array(array) and array.dtype.kind == "f":
            largest = np.abs(array[np.isfinite(array)]).max(initial=0.0)
            self.largest = max(self.largest, float(largest))

    def arrived(self, node: Any, grad: Any) -> None:
        """A leaf got its gradient."""
        self.leaves[node] = grad

    def applied(self, node: Any, grads: Grads) -> None:
        """All rules of the node have run: compare."""
        own = self._of[node]
        words = [*own.op.rules] if is_known(own.op) and not own.op.variadic else []
        proof = proof_of(own) == PROVED
        try:
            made = evaluated(own, grads)
            found = {k: compared(x, *(one[k] for one in made)) for k, x in self._sent.items()}
        except NotTried as reason:
            found = dict.fromkeys(self._sent, (NOT_TRIED, 0.0, str(reason)))
        for index, (verdict, eps, why) in found.items():
            to = words[index] if index < len(words) else f"input {index}"
            place = (self._ids[own], node.name(), to, index)
            self.rows.append(EdgeRow(*place, verdict, proof, eps, why))


class NotTried(Exception):
    """Why a rule cannot be evaluated on what PyTorch saved; the end of a sentence."""


def edges_checked(root: Any, gradient: Any, stand_ins: StandIns, ids: dict[Any, str]) -> EdgeCheck:
    """Rehearse a pass, and compare each of its steps."""
    check = EdgeCheck(stand_ins, ids)
    walk([root_of(root)], [gradient], check)
    return check


def evaluated(own: Any, grads: Grads) -> list[list[Any]]:
    """What the rules make of the gradients: in float64, and twice with rounding.

    Raises: NotTried.
    """
    if isinstance(own, CopySlices):
        raise NotTried("it holds another operation, which PyTorch does not show")
    if isinstance(own, Context) or not is_known(own.op):
        raise NotTried("GraphLab does not have this operation")
    arrays = [None if grad is None else array_of(grad) for grad in grads]
    if any(x is None and grad is not None for x, grad in zip(arrays, grads, strict=True)):
        raise NotTried("its gradient has no values that can be read")
    try:
        values = values_of(own)
        Rough.random = np.random.default_rng(0)
        return [
            without_warnings(shares, own, [*map(of, arrays)], {k: to(x) for k, x in values.items()})
            for of, to in ((wide, wide), (shaken, rough), (shaken, rough))
        ]
    except (ArithmeticError, AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise NotTried(f"the rule does not take what was saved ({error})") from error


def values_of(own: Any) -> dict[str, Any]:
    """What a node saved, by name."""
    op = own.op
    found = [data_of(item) for item in saved_by(own) or op.blanks]
    values = dict(zip((*op.inputs, *op.outputs), found, strict=True)) | settings_of(own)
    asked = {name for rule in op.rules.values() for name in rule_arguments(rule)}
    for name, one in values.items():
        lost = isinstance(one, NotKept) or (one is None and name in op.hidden)
        if lost and name in asked:
            raise NotTried(f"PyTorch's node does not keep {name}")
    return values


def data_of(item: Any) -> Any:
    """A saved value as an array."""
    if isinstance(item, Packed):
        raise NotTried("a pack hook replaced what it saved")
    if isinstance(item, SavedOutput):
        return item.data
    if isinstance(item, Pinned):
        item = item.tensor
    return item._data if isinstance(item, Tensor) else item


def shares(own: Any, grads: list[Any], values: dict[str, Any]) -> list[Any]:
    """What the rules of a node make, one entry for each edge."""
    came = tuple(grads) if own.many else grads[0]
    return run_rules(own, came, values, lambda op, rule: rule)


def wide(x: Any) -> Any:
    """An array in float64; other values as they are."""
    x = narrow(x)
    return x.astype(np.float64) if hasattr(x, "dtype") and x.dtype.kind == "f" else x


def narrow(x: Any) -> Any:
    """An array as it is; a small one of a type that NumPy does not have, in float32."""
    if not isinstance(x, ArraySample):
        return np.asarray(x) if isinstance(x, Rough) else x
    if x.corner.shape != x.shape:
        raise NotTried(f"{x.dtype.name} is compared up to {x.corner.size} entries")
    return x.corner


def rough(x: Any, shake: bool = False) -> Any:
    """An array of floats as a Rough one, or one that is off by a unit of rounding."""
    x = narrow(x)
    if not hasattr(x, "dtype") or x.dtype.kind != "f":
        return x
    off = Rough.random.choice((-1, 1), x.shape) * np.finfo(x.dtype).eps if shake else 0
    return np.asarray(x * (1 + off), x.dtype).view(Rough)


def shaken(x: Any) -> Any:
    """An array whose entries are off by one unit of rounding."""
    return rough(x, True)


class Rough(np.ndarray):
    """An array whose entries are off by one unit of rounding whenever they are summed."""

    random = np.random.default_rng(0)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """Compute as NumPy does."""
        if ufunc in (np.add, np.subtract, np.matmul) and method != "at":
            inputs = tuple(map(shaken, inputs))
        if "out" in options:
            options["out"] = tuple(map(narrow, options["out"]))
        return rough(getattr(ufunc, method)(*map(narrow, inputs), **options))


def compared(theirs: Any, exact: Any, *rounded: Any) -> tuple[str, float, str]:
    """The verdict on one edge, the distance in units of rounding, and a reason."""
    if exact is None:
        return NOT_TRIED, 0.0, "the rule gives nothing here"
    sent = array_of(theirs)
    if isinstance(sent, ArraySample):
        sent = sent.corner if sent.corner.shape == sent.shape else None
    if sent is None or not theirs.is_floating_point() or not is_array(sent):
        strided = str(theirs.layout) == "torch.strided"
        what = f"numbers of {theirs.dtype}" if strided else f"{theirs.layout} tensors"
        return NOT_TRIED, 0.0, f"{what} are not compared"
    made = [sum_to(np.asanyarray(x), sent.shape) for x in (sent, exact, *rounded)]
    sent, exact, *_ = made = [np.asarray(x, np.float64) for x in made]
    finite = np.isfinite(exact)
    if not np.array_equal(np.isnan(sent), np.isnan(exact)) and not np.isfinite(sent[finite]).all():
        return DIFFERS, float("inf"), "it is NaN or inf where the rule gives a finite number"
    with np.errstate(invalid="ignore"):  # infinity minus infinity
        apart = [np.abs(x - exact) for x in made]
    far, *lost = (float(x[np.isfinite(x)].max(initial=0.0)) for x in apart)
    size = np.abs(exact[finite]).max(initial=0.0)
    unit = loaded().finfo(theirs.dtype).eps * size + max(lost)
    eps = far / unit if unit else far and float("inf")
    if eps <= ALLOWED:
        return EQUAL, eps, ""
    place = ", ".join(map(str, np.unravel_index(apart[0].argmax(), sent.shape)))
    return DIFFERS, eps, f"entry [{place}] is {far:.3g} away from the rule's number"


# -- the user's own Functions ---------------------------------------------------------------------


def custom_rows(stand_ins: StandIns, rows: list[EdgeRow], ids: dict[Any, str]) -> list[EdgeRow]:
    """The rows, with one for each input of the user's Functions, also if its gradient is None."""
    custom = {ids[stand_ins.of[node]]: node for node in stand_ins.order if is_custom(node)}
    if not custom:
        return rows
    held = known_by(stand_ins, Names())[1]
    others = [row for row in rows if row.node not in custom]
    return others + [
        EdgeRow(id, node.name(), f"input {k}", k, verdict, why=why)
        for id, node in custom.items()
        for k, (target, _) in enumerate(node.next_functions)
        if target is not None
        for verdict, why in [tried(node, stand_ins.of[node], held, k)]
    ]


def tried(node: Any, own: Any, held: dict[Any, Any], index: int) -> tuple[str, str]:
    """The verdict on the gradient of one input of a Function, and the reason."""
    torch = loaded()
    arrays = [seen_by(own, item, held) for item in input_items(own)]
    whole = len(node.needs_input_grad) == len(node.next_functions) == len(arrays)
    if not whole or any(one is None for one in arrays):
        return NOT_TRIED, "its inputs are no longer known, or not all of them are tensors"
    if sum(map(np.size, arrays)) > MOST_ENTRIES:
        return NOT_TRIED, f"its inputs have more than {MOST_ENTRIES} entries"
    apply, where = node._forward_cls.apply, ""
    try:
        for factor in (1.0, 1.3):  # at other values, too: 6 is the slope of x² at 3 alone
            moved = [
                np.where(one, np.multiply(one, factor ** (k + 1), dtype=float), factor - 1)
                for k, one in enumerate(arrays)
            ]
            inputs = [torch.tensor(one, requires_grad=k == index) for k, one in enumerate(moved)]
            with torch.random.fork_rng():
                made = apply(*inputs)
                finite = map(torch.isfinite, made if isinstance(made, tuple) else (made,))
                if where and not all(one.all() for one in finite):
                    break
                torch.autograd.gradcheck(apply, inputs)
            where = "at other values, "
    except sys.modules["torch.autograd.gradcheck"].GradcheckError as error:
        return DIFFERS, where + " ".join(str(error).split())[:200]
    except Exception as error:  # the Function is the user's: anything may happen in it
        if not where:
            return NOT_TRIED, f"its forward cannot run again in float64 ({type(error).__name__})"
    return EQUAL, GRADCHECK
