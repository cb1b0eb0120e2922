"""What does not learn: unreached parameters of the user's modules, and dead units of activations.

An unreached parameter gets no gradient; this file says why. A module counts if one of its
parameters gets a gradient, if a line is known that cut one off, or if it is known to have run.
Others in the user's variables do not belong to the model.

Dead units are columns or channels of an activation that are 0 for the whole batch. Only operations
such as relu, which set entries to zero, are examined. A unit is silent if its results are 0, as far
as the node saved them; it is blocked if its gradient is zeros from this node alone.

Read next: graph/gradient_health.py
"""

from collections import Counter
from collections.abc import Callable, Container, Iterable
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

from graphlab.adapters.namespace import Library, join
from graphlab.adapters.native.facts import RECTIFIERS, Fact, is_activation
from graphlab.adapters.native.graph_copy import Copied, copy_of
from graphlab.adapters.native.graph_walk import input_items, nodes_in_order, nodes_of
from graphlab.adapters.native.source_lines import source_at
from graphlab.adapters.native.variable_names import Names
from graphlab.autograd.function import SavedOutput
from graphlab.autograd.grad_mode import state
from graphlab.autograd.node import Node
from graphlab.autograd.topological_order import node_of
from graphlab.autograd.users_code import Place, place
from graphlab.graph.array_sample import ArraySample, idle_units, units_of
from graphlab.graph.model import Graph, Source, Unreached
from graphlab.tensor.tensor import Tensor, own_node

MOST = 200  # parameters that a trace lists
MOST_CUTS = 1_000  # places at which a graph was cut
MOST_WALKED, FEW = 20_000, 64  # nodes: in all, and then for each line
BLOCKS = ("no_grad()", "inference_mode()")
OPERATION = "an operation without a gradient"
FROZEN, UNUSED = "its requires_grad is False", "this graph does not use it"
NO_PATH = "no gradient path leads from the result to it"
RAN = f"its module ran in this block, but {NO_PATH}"
BY, MOST_LISTED = "cut off by ", 3  # lines
SHORT_CODE = 40  # characters
COPIED = "the graph uses another tensor in its memory, such as Parameter(x) or x.detach(), instead"
MAYBE = f"{UNUSED}, or the detach() before {{}} cuts it off"


class Cut(NamedTuple):
    """A place where a graph was cut. leaves: ids of the leaves behind it; None: they are gone.

    led: whether what left the graph there came to a node that ran; None: nobody followed it.
    takes: whether it took numbers of floating type, unlike a comparison.
    """

    leaves: frozenset[int] | None
    said: str
    source: Source | None
    led: bool | None = None
    takes: bool = True


class Cuts:
    """The lines at which a recording sees values leave their graphs.

    Each has a bit. What left there, and what is computed from it, has these bits in `Rare.left`.
    """

    def __init__(self) -> None:
        self._bits: dict[tuple[str, Place, frozenset[int]], int] = {}  # how, where, ids of leaves
        self._numbers: dict[int, tuple[float, int]] = {}  # id of a number -> it, the bits
        self._takes = 0  # the bits of lines that took numbers of floating type
        self._walked = 0  # nodes visited

    def left_graph(self, result: Any, inputs: Iterable[Any], how: str) -> None:
        """Note a result without a node; a number, or None: several. how: "": an operation."""
        found = 0
        direct, behind = set[int](), set[int]()
        for x in inputs:
            if isinstance(x, Tensor) and (x._needs or x._more is not None):
                found |= 0 if x._more is None else x._more.left
                if x._needs and (node := own_node.__get__(x)) is not None:
                    behind |= self._behind(getattr(node, "node", node))
                elif x._needs:
                    direct.add(id(x))
        if direct or behind:
            pairs = [(BY + (how or OPERATION), direct | behind)]
            if not (how or state.recording):
                pairs = in_a_block(state.inference, direct, behind)
            where = place()
            floating = not isinstance(result, Tensor) or result._data.dtype.kind == "f"
            for said, leaves in pairs:
                key = said, where, frozenset(leaves)
                if leaves and (key in self._bits or len(self._bits) < MOST_CUTS):
                    bit = self._bits.setdefault(key, 1 << len(self._bits))
                    found |= bit
                    self._takes |= bit if floating else 0
        if found and isinstance(result, Tensor):
            result._rare().left |= found
        elif found and isinstance(result, float) and len(self._numbers) < MOST_CUTS:
            self._numbers[id(result)] = result, found

    def _behind(self, node: Any) -> set[int]:
        """The ids of the leaves behind a node, the nearest first."""
        most = FEW if self._walked > MOST_WALKED else MOST_WALKED
        nodes, seen, leaves = [node], {node}, set[int]()
        for one in nodes:  # the list grows
            for target in one._next:
                end = node_of(target)
                if isinstance(end, Tensor):
                    leaves.add(id(end))
                elif end is not None and end not in seen and len(nodes) < most:
                    seen.add(end)
                    nodes.append(end)
        self._walked += len(nodes)
        return leaves

    def told(self, copied: Copied) -> list[Cut]:
        """The cuts, with their lines; `led` says whether values came from there to the graph."""
        led = 0
        for item in chain.from_iterable(map(input_items, copied.nodes)):
            if isinstance(item, Tensor):
                for one in (item, item._more and item._more.base):
                    led |= 0 if one is None or one._more is None else one._more.left
            elif isinstance(item, float) and id(item) in self._numbers:
                led |= self._numbers[id(item)][1]
        return [
            Cut(leaves, by_code(said, at), at, bool(bit & led), bool(bit & self._takes))
            for (said, where, leaves), bit in self._bits.items()
            if bit & (led | self._takes)
            for at in (source_at(where),)
        ]


def in_a_block(inference: bool, direct: Any, behind: Any) -> list[tuple[str, Any]]:
    """What a block without gradients does to the leaves that are used in it and behind it."""
    block = BLOCKS[inference]
    return [(f"used in {block}", direct), (f"{BY}{block}", behind)]


def by_code(said: str, source: Source | None) -> str:
    """Name an operation by its code if that is short: "cut off by h.argmax(1)"."""
    code = source.text[source.start : source.end] if source else ""
    known = said == BY + OPERATION and 0 < len(code) <= SHORT_CODE
    return BY + code if known else said


def unreached_by(
    modules: Iterable[tuple[str, Any]],
    library: Library,
    reached: Callable[[Any], bool],
    cuts: Iterable[Cut] = (),
    stopped: Iterable[Cut] = (),
    ran: Callable[[Any], bool] = lambda module: False,
    copied: Callable[[Any], bool] = lambda parameter: False,
) -> tuple[Unreached, ...]:
    """The parameters that get no gradient, with the reason as far as it is known.

    modules: with the variables that hold them. stopped: the leaves to which a node of the graph
    sent None. ran: whether a module is known to have run. copied: whether another leaf that the
    graph uses shares the memory of a parameter.
    """
    found: dict[int, Unreached] = {}
    stopped = list(stopped)
    halted = {leaf for cut in stopped for leaf in cut.leaves or ()}
    cuts = [*stopped, *sorted(cuts, key=lambda cut: cut.leaves is None)]
    for variable, walk in library.walks(modules):
        parts = [(path, part, ran(part)) for path, part in walk]
        parameters = [
            (join(path, key), one, did_run)
            for path, part, did_run in parts
            for key, one in library.parameters(part)
        ]
        lost = [each for each in parameters if id(each[1]) in halted or not reached(each[1])]
        whole = len(lost) == len(parameters)
        ids = {id(one) for _, one, _ in lost}
        in_use = any(did_run for _, _, did_run in parts)
        led = (cut.leaves or () for cut in cuts if cut.led is not False)
        if whole and not in_use and not any(map(ids.intersection, led)):
            continue
        told: dict[int, Unreached] = {}
        for path, one, did_run in lost:
            name = f"{variable}.{path}".removeprefix("self.")
            if not one.requires_grad:
                told[id(one)] = Unreached(name, FROZEN)
                continue
            known = COPIED if copied(one) else RAN if did_run else UNUSED
            here = [cut for cut in cuts if cut.leaves is None or id(one) in cut.leaves]
            told[id(one)] = Unreached(name, *why(here, known))
        reasons = {(one.why, one.source) for one in told.values()}
        if whole and len(told) > 1 and len(reasons) == 1:
            told = {next(iter(told)): Unreached(f"{variable}.*", *reasons.pop())}
        for key, one in told.items():
            found.setdefault(key, one)
    return tuple(found.values())[:MOST]


def why(cuts: list[Cut], otherwise: str) -> tuple[str, Source | None]:
    """Why a parameter gets no gradient, and the line: the cuts that led to a node that ran.

    If none is known to have led to one, the others are told, and no more than that they exist.
    """
    led = [cut for cut in cuts if cut.led]
    for cut in cuts:  # what was followed is surer than what may be
        if cut.led is None and not (led and cut.said.startswith(UNUSED)):
            return cut.said, cut.source
    listed = [cut for cut in led or cuts if cut.takes] or led or cuts
    if not listed:
        return otherwise, None
    listed.sort(
        key=lambda cut: not cut.said.startswith(BY) if led else not cut.said.endswith(BLOCKS)
    )
    texts: dict[str, tuple[str, Source | None]] = {}  # each once, the last without its line
    for cut in listed:
        said = cut.said if led else BY + cut.said.removeprefix(BY).removeprefix("used in ")
        line = f" in line {cut.source.line}" if cut.source else ""
        texts.setdefault(said + line, (said, cut.source))
    *first, last = texts
    said, source = texts[last]
    if (more := len(texts) - MOST_LISTED) > 1:
        first[MOST_LISTED - 1 :] = [f"in {more} more lines"]
    text = " and ".join([*first, said]).replace(f" and {BY}", " and by ")
    if not led:
        text = f"{NO_PATH}; values left the graph {text.removeprefix('cut off ')}"
    return text, source


def stopped_by(
    copied: Copied,
    passes: Iterable[tuple[list[Fact], Container[Any]]],
    live: Callable[[Any], Any] = lambda leaf: leaf,
) -> list[Cut]:
    """The leaves that got no gradient in any pass, because a node on the way sent None.

    passes: the facts of each pass, and the nodes and leaves that should get a gradient unless it
    fails. live: returns the user's tensor whose snapshot a leaf is.
    """
    came: set[Any] = set()  # nodes and leaves to which a gradient came
    blamed: dict[Any, Any] = {}  # nodes and leaves to which None was sent -> who sent it first
    for facts, runs in passes:
        failed = facts[-1:] and facts[-1][0] == "failed"
        for what, *about in facts:
            if what == "entered":
                node, grad = about
                if any(one is not None for one in (grad if type(grad) is tuple else (grad,))):
                    came.add(node)
            elif what == "applied":
                node, shares = about[:2]
                first = node if node in came else blamed.get(node, node)
                for target, share in zip(node._next, shares, strict=False):
                    end = node_of(target)
                    if share is not None:
                        came.add(end)
                    elif not failed and end is not None and end in runs:
                        blamed.setdefault(end, first)
    lost: dict[Node, set[int]] = {}
    for end, node in blamed.items():
        if isinstance(end, Tensor) and end not in came:
            lost.setdefault(node, set()).add(id(live(end)))
    told = [(copied.graph.node(copied.node_ids[node]), leaves) for node, leaves in lost.items()]
    return [Cut(frozenset(leaves), f"{one.name} sent None", one.source) for one, leaves in told]


def cuts_of(copied: Copied) -> list[Cut]:
    """The places where `detach()` cut a graph and its result is an input of a node."""
    found: list[Cut] = []
    for node in copied.nodes:
        for item in input_items(node):
            if not isinstance(item, Tensor) or item._needs or item._more is None:
                continue
            whole = item if item._more.base is None else item._more.base  # the base of a view
            cut = None if whole._more is None else whole._more.cut
            if cut is None:
                continue
            info = copied.graph.node(copied.node_ids[node])
            origin = cut()
            if origin is None:
                found.append(Cut(None, MAYBE.format(info.name), info.source))
                continue
            leaves = {id(origin)} if isinstance(origin, Tensor) else set()
            for behind in nodes_in_order([origin]):
                leaves |= {id(to) for to in behind._next if isinstance(to, Tensor)}
            said = f"cut off by detach() before {info.name}"
            found.append(Cut(frozenset(leaves), said, info.source))
    return found


def detached_inputs(root: Tensor, names: Names) -> dict[str, str]:
    """The results of `detach()` in the trace of `root`: id -> "detach()", for a sentence.

    >>> import graphlab
    >>> x = graphlab.tensor(3.0, requires_grad=True)
    >>> h = (2 * x).detach()
    >>> detached_inputs(h * x, Names())
    {'t0': 'detach()'}
    """
    nodes = nodes_of(root)
    inputs = [item for node in nodes for item in input_items(node)]
    if not any(_is_cut(item) for item in inputs):
        return {}
    tensors = copy_of(root, names).tensors_by_id()
    return {id: "detach()" for id, tensor in tensors.items() if _is_cut(tensor)}


def _is_cut(item: object) -> bool:
    if not isinstance(item, Tensor) or item._needs:
        return False
    return item._more is not None and item._more.cut is not None


def with_dead_units(copied: Copied, facts: Iterable[Fact]) -> Graph:
    """The copied graph, with the numbers of dead units on its nodes."""
    found: dict[str, dict[str, int]] = {}
    for node in copied.nodes:
        if silent := silent_units(node):
            units = units_of(result_of(node).shape)
            found[copied.node_ids[node]] = {"silent": len(silent), "units": units}
    came: Any = None
    uses = Counter(edge.tensor for edge in copied.graph.edges)
    for what, *about in facts:
        if what == "seeded":
            uses.update(copied.tensors[key] for key, _ in about[0])
        elif what == "entered":
            came = about[1]
        elif what == "applied" and is_activation(about[0]) and about[1] and about[1][0] is not None:
            made = about[1][0][0]
            blocked = len(idle_in(made) - idle_in(came))
            if blocked > 0 and uses[copied.tensor_at(about[0]._next[0])] == 1:
                told = found.setdefault(copied.node_ids[about[0]], {})
                told.update(blocked=blocked, units=units_of(made.shape))
    if not found:
        return copied.graph
    nodes = [replace(node, **found.get(node.id, {})) for node in copied.graph.nodes]
    return replace(copied.graph, nodes=tuple(nodes))


def result_of(node: Node) -> Any:
    """The result that a node saved, or None."""
    if not node._saved or "result" not in node.op.saved:
        return None
    item = node._saved[-1]
    return item.data if isinstance(item, SavedOutput) else item


def silent_units(node: Node) -> set[int]:
    """The units that a rectifier set to 0 for the whole batch, if it saved its result."""
    return idle_in(result_of(node)) if node.op.name in RECTIFIERS else set()


def idle_in(result: Any) -> set[int]:
    """The units of an array, or of its sample, that are 0 for the whole batch."""
    if not isinstance(result, ArraySample):
        return idle_units(result)
    return idle_units(result.corner) if result.corner.shape == result.shape else result.idle
