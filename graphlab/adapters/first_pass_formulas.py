"""The formulas of a recording's first pass draw the curve of the loss on its Slope card.

A recording cannot be run again with other values (docs/decisions/0019-formulas-travel-as-data.md),
but the dots of its real steps say more beside the curve on which they began. The formulas are
copied from the live graph when the pass begins, and get the ids of the recording later.

Read next: adapters/native/formulas_of_graph.py
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from graphlab.adapters.native.formulas_of_graph import replay_of
from graphlab.adapters.native.graph_copy import Copied
from graphlab.adapters.native.variable_names import Names
from graphlab.graph.formulas import Followed, Replay

MOST = 200  # nodes and leaves of a pass whose formulas are copied
RECORDED = (
    "Values cannot be changed here: this is a recording of what ran. Call graphlab.trace before "
    "backward() to try other values."
)


class FirstPass:
    """The formulas of a graph, and the snapshot of each of its nodes.

    roots: live edges, with the gradients that enter there. find: returns the snapshot of a node.
    """

    def __init__(
        self, roots: list[tuple[Any, Any]], names: Names, find: Callable[[Any], Any]
    ) -> None:
        copied = Copied()
        copied.extend([edge for edge, _ in roots], names)
        copied.finish(copied.tensor_at(roots[0][0]))
        self.replay = replay_of(copied, roots)
        self.ids = {find(item): identity for item, identity in copied.node_ids.items()}
        self.tensors = {find(x): (*copied.inputs(x), *copied.outputs(x)) for x in copied.nodes}

    @staticmethod
    def of(*given: Any) -> "FirstPass | None":
        """The formulas; None if copying them fails, which must not end the user's `backward()`."""
        try:
            return FirstPass(*given)
        except Exception:
            return None

    def told(self, copied: Copied) -> Replay | None:
        """The formulas with the ids of the recording; None if a node has no formula."""
        replay = self.replay
        if replay is None or replay.problem or replay.cannot:
            return None
        of = {}
        for snapshot, ids in self.tensors.items():
            now = (*copied.inputs(snapshot), *copied.outputs(snapshot))
            of.update(zip(ids, now, strict=True))
        node = {identity: copied.node_ids[snapshot] for snapshot, identity in self.ids.items()}

        def followed(one: Followed) -> Followed:
            return replace(one, inputs=tuple([of[x] for x in one.inputs]))

        return replace(
            replay,
            nodes={node[x]: at for x, at in replay.nodes.items()},
            data={of[x]: numbers for x, numbers in replay.data.items() if x in of},  # which is read
            problem=RECORDED,
            gradients={},
            follows={of[x]: followed(one) for x, one in replay.follows.items()},
            decided=tuple(replace(one, followed=followed(one.followed)) for one in replay.decided),
        )
