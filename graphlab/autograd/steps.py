"""What the engine does at a node, written out for each operation.

The rules of an operation say what its gradients are; what they need was saved in a node. Here it
is written down how a node's rules are called: `vjp` gives the gradients, `step` sends them along
the edges as well, which is all that most backward passes are made of.

Read next: autograd/engine.py
"""

from graphlab.ops.base import Op, rule_arguments


def text_of(lines: list[str]) -> str:
    """A function as text: its first line, and the body."""
    return "\n    ".join(lines)


PLAIN = [  # what a rule may say and nothing else: then it is written out, not called
    (lambda grad: grad, "grad"),
    (lambda grad: -grad, "-grad"),
    (lambda grad, x: grad * x, "grad * {0}"),
    (lambda grad, x: grad / x, "grad / {0}"),
]
_PLAIN = {rule.__code__.co_code: text for rule, text in PLAIN}


def called(op: type[Op]) -> list[str]:
    """How the gradient of each input is computed: "rule_0(grad, self)", or the rule itself.

    >>> from graphlab.ops.elementwise import Div, Mul
    >>> called(Mul), called(Div)
    (['grad * other', 'grad * self'], ['grad / other', 'rule_1(grad, self, other)'])
    """
    calls = []
    for i, rule in enumerate(op.rules.values()):
        names = rule_arguments(rule)
        call = f"rule_{i}({', '.join(('grad', *names))})"
        calls.append(_PLAIN.get(rule.__code__.co_code, call).format(*names))
    return calls


def unpacked(op: type[Op], tensors: bool, entries: bool = False) -> list[str]:
    """The values that the rules of a node name, from what it saved.

    tensors: as tensors, for rules that are read for tensors; else as raw data. entries: a single
    entry does for an array that nobody has asked for.
    """
    words = {word for rule in op.rules.values() for word in rule_arguments(rule)}
    lines = []
    if words & {*op.inputs, *op.outputs, *op.held}:
        lines += [
            "saved = node._saved",
            "if saved is None:",
            "    raise GraphFreedError",
            "if node._version is not None:",
            "    check_result(node)",
        ]
    for place, word in enumerate(op.inputs):
        if word in words:
            lines += [f"{word} = saved[{place}] if saved else None"]
            if tensors:
                lines += [f"if {word} is not None:", f"    {word} = unpin({word})"]
            else:
                lines += [f"if type({word}) is Tensor and {word}._more is None:"]
                if entries:
                    lines += [f"    array = {word}._array"]
                    lines += [f"    {word} = {word}._entry if array is None else array"]
                else:
                    lines += [f"    {word} = {word}._data"]
                lines += [f"elif {word} is not None:", f"    {word} = raw({word})"]
    for place, word in enumerate(op.outputs, len(op.inputs)):
        if word in words:
            lines += [f"{word} = saved[{place}] if saved else None"]
            if tensors:
                lines += [f"{word} = rebuild_output(node, {place - len(op.inputs)}, {word})"]
    for place, word in enumerate((*op.options, *op.derived)):
        if word in words:
            lines += [f"{word} = node._options[{place}]"]
    return lines


def vjp_source(op: type[Op], tensors: bool) -> str:
    """The function (node, gradient) -> gradients of the inputs, as text.

    >>> from graphlab.ops.elementwise import Exp
    >>> print(vjp_source(Exp, tensors=False))
    def vjp(node, grad):
        saved = node._saved
        if saved is None:
            raise GraphFreedError
        if node._version is not None:
            check_result(node)
        result = saved[1] if saved else None
        return (grad * result,)
    """
    calls = called(op)
    if op.variadic:
        return text_of(["def vjp(node, grad):", *unpacked(op, tensors), f"return {calls[0]}"])
    if len(calls) == 1:
        return text_of(["def vjp(node, grad):", *unpacked(op, tensors), f"return ({calls[0]},)"])
    edges = [f"next_{i}" for i in range(len(calls))]
    made = [f"None if {e} is None else {call}" for e, call in zip(edges, calls, strict=True)]
    lines = [*unpacked(op, tensors), f"{', '.join(edges)} = node._next"]
    return text_of(["def vjp(node, grad):", *lines, f"return ({', '.join(made)})"])


def step_source(op: type[Op]) -> str:
    """What the engine does at a node: call the rules, and send along each edge what they give.

    It gives the node that may run next, and what has come for it: see `engine.meet`.

    >>> from graphlab.ops.elementwise import Exp
    >>> print(step_source(Exp))
    def step(node, grad, leaves, gathered, queue, done):
        if node._extra is not None or grad is None:
            return send(node, grad, leaves, gathered, queue, done)
        saved = node._saved
        if saved is None:
            raise GraphFreedError
        if node._version is not None:
            check_result(node)
        result = saved[1] if saved else None
        following = coming = None
        undo = node._reduce
        (next_0,) = node._next
        if next_0 is not None:
            share = grad * result
            if undo is not None and undo[0] is not None:
                share = undone(share, undo[0])
            edge = LEAF if type(next_0) is Tensor else next_0._edge
            if edge == LEAF:
                before = leaves.get(next_0)
                if before is not None:
                    leaves[next_0] = before + share
                else:
                    leaves[next_0] = share.copy() if share is grad else share
            elif following is None and edge == NODE and next_0 not in (gathered or ()):
                following, coming = next_0, share
            else:
                following, coming = meet(next_0, share, following, coming, gathered, queue)
        if node._saved:
            done.append(node)
        return following, coming
    """
    lines = ["def step(node, grad, leaves, gathered, queue, done):"]
    lines += ["if node._extra is not None or grad is None:"]
    lines += [
        "    return send(node, grad, leaves, gathered, queue, done)",
        *unpacked(op, False, True),
    ]
    lines += ["following = coming = None", "undo = node._reduce"]
    calls = called(op)
    if op.variadic:
        lines += [f"shares = {calls[0]}", "place = 0", "for target in node._next:"]
        lines += [f"    {line}" for line in _sent("target", "shares[place]", "place")]
        lines += ["    place += 1"]
    else:
        targets = [f"next_{i}" for i in range(len(calls))]
        lines += [f"({', '.join(targets)},) = node._next"]
        for i, call in enumerate(calls):
            lines += _sent(targets[i], call, str(i))
    if op.held or {*op.saved, *op.hidden} & {*op.inputs, *op.outputs}:
        lines += ["if node._saved:", "    done.append(node)"]
    return text_of([*lines, "return following, coming"])


def _sent(target: str, share: str, place: str) -> list[str]:
    """What is done for one edge."""
    text = f"""\
if {target} is not None:
    share = {share}
    if undo is not None and undo[{place}] is not None:
        share = undone(share, undo[{place}])
    edge = LEAF if type({target}) is Tensor else {target}._edge
    if edge == LEAF:
        before = leaves.get({target})
        if before is not None:
            leaves[{target}] = before + share
        else:
            leaves[{target}] = share.copy() if share is grad else share
    elif following is None and edge == NODE and {target} not in (gathered or ()):
        following, coming = {target}, share
    else:
        following, coming = meet({target}, share, following, coming, gathered, queue)"""
    return text.splitlines()
