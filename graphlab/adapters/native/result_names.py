"""Results that no variable holds any more are named after the code that made them.

The values that a variable has in a loop are `h₁`, `h₂` and finally `h`. A value that was changed in
place later is `earlier b`. Other results are named after their expression, `a*b`, or after their
operation. No result gets a name that the user gave to something else.

Read next: adapters/statements.py
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from graphlab.adapters.native.graph_walk import target_node
from graphlab.adapters.native.source_lines import Sources
from graphlab.adapters.native.variable_names import LONGEST_NAME, Names, bracketed
from graphlab.adapters.statements import in_iteration
from graphlab.autograd.function import Context
from graphlab.autograd.node import Node, count_of_outputs
from graphlab.autograd.views import CopySlices
from graphlab.tensor.tensor import Tensor

Place = tuple[int, int]  # the id of a code object, and an instruction in it
# mul_scalar is a mul
INNER = re.compile(
    r"^(native|linalg|special|unsafe)_|_(base|dims?|ex|number|scalar|tensor|in_place)$"
)
PAIRS = re.compile(r"\b(vjp|jvp|linearize|grad_and_value)\(")  # calls that return several things
TRANSPOSES = re.compile(r"\.m?T\b|\bt\(|\bH\b|transpose|permute|adjoint|movedim|swap")


@dataclass(slots=True)
class Turn:
    """One run of an instruction that makes nodes."""

    number: int  # counted from 1
    result: Node | None = None  # the node of its result; its other nodes are internal


class ResultNames:
    """Names the results of `nodes`, which are sorted oldest first.

    inner: those that no code of the user's names: nodes of rules, in a pass with create_graph=True,
    and nodes inside the call that ran the pass, such as `g = func.grad(f)(x)`.
    """

    def __init__(self, names: Names, sources: Sources, nodes: list[Node], inner: set[Node]) -> None:
        self._names, self._sources = names, sources
        self._labels = dict.fromkeys(_given(names, nodes), 1)
        self._turns: dict[Node, Turn] = {}
        self._expressions: set[str] = set()  # names that are expressions of the user's
        self._runs: dict[Place, int] = {}  # how often each instruction ran
        self._groups: dict[Place, list[Node]] = {}  # the nodes that each instruction made
        self._last: dict[str, Node] = {}  # variable -> the last result that it took
        self._became: dict[Node, Node] = {}  # node -> the last one that wrote into its result
        self._read([node for node in nodes if node not in inner])

    def of(self, node: Node, index: int, inputs: Callable[[], list[str | None]]) -> str:
        """The name of a result. inputs: returns the names of the node's inputs."""
        name = self._earlier(node) if isinstance(node, CopySlices) else None
        return self.numbered(name or self._from_code(node, index) or self._operation(node, inputs))

    def leaf(self, user: Node, place: int) -> str | None:
        """The name that the code gives to a leaf: `x₀` if a variable x holds another tensor now.

        user, place: the node that used it first, and as which input.
        """
        if name := self.operand(user, place):
            return name
        called = self._called(user, place)
        name = in_iteration(called, 0)
        return self.numbered(name) if called and self._is_free(name) else None

    def _called(self, node: Node, place: int) -> str:
        """The variable, or the item of one, that the code gives as an input; "" for others."""
        turn, spot = self._turns.get(node), self._sources.made(node).spot
        if turn is None or spot is None:
            return ""
        # each part of `x[0, 1:]` is made from x
        if turn.result is not node and (spot.is_call or len(spot.operands) != 1):
            return ""
        if any(isinstance(x, int | float) for x in node._constants or ()):
            return spot.tensor  # `h*k` and `k*h` leave the same node
        return spot.operands[place] if place < len(spot.operands) == len(node._next) else ""

    def operand(self, node: Node, place: int) -> str | None:
        """The name that the code gives to an input without a variable: `x₁` for `x @ W` in a loop.

        It is `h₀` if the loop assigns `h` anew. None if the code does not name it, or its name
        means another tensor.
        """
        name = self._called(node, place)
        if name and self._runs[id(node._code), node._at] > 1 and self._varies(node, place):
            name = in_iteration(name, self._turns[node].number - (name in self._last))
        return self.numbered(name) if name and self._is_free(name) else None

    def _varies(self, node: Node, place: int) -> bool:
        """Whether an instruction got another tensor instead of this input when it ran again."""
        inputs = zip(node._next, node._constants or [None] * len(node._next), strict=False)
        mine = [edge if edge is not None else held for edge, held in inputs][place]
        for one in self._groups[id(node._code), node._at]:
            given = (*one._next, *(one._constants or ()))
            if self._turns[one].result is one and not any(x is mine for x in given):
                return True
        return False

    def numbered(self, name: str) -> str:
        """The name, with a number if it was used before: "relu", "relu 2"."""
        number = self._labels[name] = self._labels.get(name, 0) + 1
        return name if number == 1 else f"{name} {number}"

    # -- runs of one instruction, and variables ---------------------------------------------------

    def _read(self, nodes: list[Node]) -> None:
        groups = self._groups
        for node in nodes:
            groups.setdefault((id(node._code), node._at), []).append(node)
        within = {
            target
            for node in nodes
            for target in map(target_node, node._next)
            if target is not None and target._at == node._at and target._code is node._code
        }
        for node in reversed(nodes):
            if isinstance(node, CopySlices):
                self._became[target_node(node._next[0])] = self._became.get(node, node)
        for place, group in groups.items():
            self._runs[place] = self._count(group, within)
        for node in nodes:
            for variable in filter(None, self._variables(node)):
                self._last[variable] = node

    def _count(self, group: list[Node], within: set[Node]) -> int:
        """Number the runs of one instruction, and return how many there are.

        One call may make several nodes; those that another node of the same run uses are internal.
        In `h = W @ h` each run uses the result of the last, so the repetition of the operations
        tells where a run ends.
        """
        made = self._sources.made(group[0])
        spot, source = made.spot, made.source
        ends = [node for node in group if node not in within]
        text = "" if source is None else source.text[source.start : source.end]
        transposed = group[-1].name() == "TBackward0" and text and not TRANSPOSES.search(text)
        if transposed or PAIRS.search(text):
            ends = []  # the result is not in the graph, as where a weight was transposed
        once = group[0]._code.co_name == "<module>" and spot is not None and not spot.repeats
        if once and len(ends) > 1:  # the call ran other code of the user's
            ends = _not_used_by_others(ends)
        repeats = spot is not None and (spot.repeats or not spot.is_call)
        if len(ends) == 1 and repeats and not text.startswith("sum("):
            length = period([node.name() for node in group])
            ends = group[length - 1 :: length]
        ending, number = set(ends), 1
        for node in group:
            self._turns[node] = Turn(number)
            if node in ending:
                self._turns[node].result = node
                number += 1
        return len(ends)

    def _variables(self, node: Node) -> list[str]:
        """The variables that hold the results of a node; "" for a result that no variable holds."""
        turn, spot = self._turns.get(node), self._sources.made(node).spot
        if turn is None or turn.result is None or spot is None or spot.target is None:
            return []
        count = count_of_outputs(node)
        return [spot.target.of(index, count) for index in range(count)]

    # -- names ------------------------------------------------------------------------------------

    def _from_code(self, node: Node, index: int) -> str | None:
        """The variable, or else the expression; None for an internal part of an operation."""
        turn = self._turns.get(node)
        if turn is None or turn.result is None:
            return None
        made, runs = self._sources.made(node), self._runs[id(node._code), node._at]
        variables = self._variables(node)
        variable = variables[index] if variables else ""
        final = self._final(variable) if variable else None
        if variable and runs > 1 and self._ran_last(node, variable):
            return in_iteration(variable, turn.number)
        if final and self._last[variable] is node:
            return final
        name = made.expression
        if name is not None and not made.in_place:
            plain, number = bracketed(name), turn.number
            name = in_iteration(plain, number) if runs > 1 else name
            while name in self._expressions:  # the same code ran before, in another place
                number += 1
                name = in_iteration(plain, number)
            if self._is_free(name):
                self._expressions.add(name)
                return name
        name = final and f"earlier {final}"
        return in_iteration(name, turn.number) if name and runs > 1 else name

    def _ran_last(self, node: Node, variable: str) -> bool:
        """Whether the variable got its last value from the instruction of `node`."""
        last = self._last[variable]
        return last._code is node._code and last._at == node._at

    def _final(self, variable: str) -> str | None:
        """The name for the last value of a variable; None if the name means another tensor."""
        last = self._last[variable]
        held, _ = self._names.made_by.get((last, 0), ("", None))
        if held == variable or self._is_free(variable):
            return variable if len(variable) <= LONGEST_NAME else None
        now, _ = self._names.made_by.get((self._became.get(last, last), 0), ("", None))
        if now == variable:
            return None  # the variable holds what a part of this value was changed to
        local = f"{variable} in {last._code.co_name}"
        return local if last._code.co_name.isidentifier() and self._is_free(local) else None

    def _is_free(self, name: str) -> bool:
        return name not in self._labels and name not in self._names.taken

    def _earlier(self, node: Node) -> str | None:
        """`earlier b`, for a tensor that was changed in place again later.

        Its expression, `b[0]`, would name the part that was written, not the whole tensor.
        """
        last = self._became.get(node, node)
        variable, _ = self._names.made_by.get((last, 0), (None, None))
        name = self._names.earlier.get((node, 0)) if last is node else variable
        if name is None:  # an operation in place followed
            source = self._sources.made(node).source
            text = "" if source is None else source.text[source.start : source.end]
            whole = text.partition("[")[0]
            name = whole if whole.replace(".", "").isidentifier() else None
        return name and f"earlier {name}"

    def _operation(self, node: Node, inputs: Callable[[], list[str | None]]) -> str:
        """The name of the operation, with its inputs if the user has a variable of this name."""
        if isinstance(node, Context):
            word = node.name().removesuffix("Backward")
        else:
            said = node.op.symbol  # "relu", not "xⁿ" or "Σ"
            word = said if said.isalpha() and said.isascii() else INNER.sub("", node.op.name)
            if node.name() != node.op.node:  # a draw or a comparison, under its own name
                word = node.name().partition("Backward")[0].lower()
            if word == "t" and (of := inputs()[0]):
                return f"{bracketed(of)}.T"
        if word not in self._names.taken:
            return word
        given = inputs()
        name = f"{word}({', '.join(filter(None, given))})"
        return name if all(given) and len(name) <= LONGEST_NAME else f"result of {word}"


def _not_used_by_others(nodes: list[Node]) -> list[Node]:
    """Those of `nodes` to which no other one of them leads."""
    seen: set[Node] = set()
    waiting = [*nodes]
    while waiting:
        for target in map(target_node, waiting.pop()._next):
            if target is not None and target not in seen:
                seen.add(target)
                waiting.append(target)
    return [node for node in nodes if node not in seen]


def period(words: list[str]) -> int:
    """The length of the shortest part whose repetition gives all of `words`.

    >>> period(["mm", "tanh", "mm", "tanh"]), period(["mm", "tanh", "mm"]), period(["mm"])
    (2, 3, 1)
    """
    border = [0] * len(words)  # of each prefix: the longest proper prefix that is also its suffix
    for end in range(1, len(words)):
        size = border[end - 1]
        while size and words[size] != words[end]:
            size = border[size - 1]
        border[end] = size + (words[size] == words[end])
    length = len(words) - border[-1]
    return length if len(words) % length == 0 else len(words)


def _given(names: Names, nodes: list[Node]) -> Iterable[str]:
    """The user's names in a graph, which no result may have."""
    among = set(nodes)
    made = [name for (node, _), (name, _) in names.made_by.items() if node in among]
    ends: list[Any] = [end for node in nodes for end in node._next if isinstance(end, Tensor)]
    return [*made, *(names.of_leaf[id(leaf)] for leaf in ends if id(leaf) in names.of_leaf)]
