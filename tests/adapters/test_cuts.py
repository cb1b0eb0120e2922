"""The sentences about parameters that get no gradient, for all kinds of lines that were noted.

Read next: tests/adapters/test_templates.py
"""

from __future__ import annotations

from collections.abc import Callable

from graphlab import nn
from graphlab.adapters.namespace import own_library
from graphlab.adapters.native.unreached import OPERATION, Cut, unreached_by
from graphlab.graph.model import Source
from tests.golden import Golden

LINES = {
    "item()": "print(h.item())",
    ".data": "dis(h.data)",
    "detach()": "dis(h.detach())",
    "no_grad()": "h = h / h.norm()",
    "gt()": "h > 0",
}


IN_NO_GRAD = "used in no_grad()"


def cut(leaf: object, line: int, how: str, led: bool, takes: bool = True) -> Cut:
    said = how if how == IN_NO_GRAD else f"cut off by {how}"
    text = LINES.get(how, "h = net(x)")
    source = Source(label="cell 1", line=line, text=text, start=0, end=1)
    return Cut(frozenset([id(leaf)]), said, source, led, takes)


def test_the_reasons_read_as_committed(golden: Golden) -> None:
    net, told = nn.Linear(2, 1), []

    def tell(*cuts: Cut, **known: Callable[[object], bool]) -> None:
        modules, reached = [("net", net)], lambda one: one is net.bias
        (found,) = unreached_by(modules, own_library(), reached, cuts, (), lambda _: True, **known)
        told.append(str(found))

    def noted(line: int, how: str, led: bool, takes: bool = True) -> Cut:
        return cut(net.weight, line, how, led, takes)

    tell()
    tell(copied=lambda one: one is net.weight)
    comparison, printed = noted(1, "gt()", True, False), noted(2, "item()", False)
    tell(comparison)
    tell(printed)
    tell(printed, noted(3, IN_NO_GRAD, False))
    tell(comparison, printed, noted(3, "no_grad()", True))
    tell(noted(3, OPERATION, True))
    losses = [noted(line, "detach()", True) for line in (4, 5, 6, 7)]
    tell(*losses[:1], noted(5, ".data", True))
    tell(*losses[:2], *losses[1:2])
    tell(*losses, noted(8, IN_NO_GRAD, True))
    golden("cuts.txt", "".join(f"{one}\n" for one in told))
