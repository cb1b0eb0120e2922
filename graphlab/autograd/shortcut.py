"""What `autograd/record.py` does for every operation, written out for one of them.

Most calls are plain: tensors of one floating type that need no more than a node. For those, the
questions that `in_full` asks of an operation (what are its inputs? what do its rules save?) are
answered once, and the answers written down as a function, as `dataclass` writes `__init__`. All
that is not plain is handed over to `in_full` or `finish`, which know every case.

Arithmetic on tensors of shape (1,) whose arrays nobody has asked for is done on their entries.

    >>> from graphlab.ops.elementwise import Exp
    >>> print(source(Exp))
    def exp(self):
        try:
            self_data = self._array
        except AttributeError:
            return in_full(op, (self,), {})
        self_needs = self._needs
        if self_data is None:
            self_data = self._data
        if not (self_needs or self_data.dtype.kind == "f"):
            return in_full(op, (self,), {})
        try:
            result = quietly(forward, self_data)
        except (ValueError, RuntimeError) as error:
            result = again(op, error, [self_data], {})
        if not self_needs:
            return wrap(result, False, None)
        if unusual:
            return finish(op, (self,), result, {})
        node = node_class()
        node._next = (edge_of(self) if self._more else self._node or self,)
        node._constants = None
        node._sequence = next(clock)
        node._saved = (None, result)
        node._options = ()
        node._reduce = None
        node._version = node._extra = None
        ...

Read next: autograd/steps.py
"""

import operator
from typing import Any

import numpy as np

from graphlab.autograd.steps import text_of
from graphlab.ops.base import Op, rule_arguments

OPERATORS = {  # what computes with arrays, and what is quicker where the first is a number
    "add": (np.add, operator.add),
    "sub": (np.subtract, operator.sub),
    "mul": (np.multiply, operator.mul),
    "div": (np.true_divide, operator.truediv),
}
# what is computed with the entries alone: these and their rules give numbers for numbers, and
# save no result, which would have to be an array
OF_ENTRIES = {*OPERATORS, "neg", "log", "sin", "cos"}


def functions_of(op: type[Op]) -> dict[str, Any]:
    """What computes the results of `op`; `forward` is NumPy's function where it only calls that."""
    of_arrays, of_numbers = OPERATORS.get(op.name, (None, None))
    forward: Any = op.forward
    if forward.__code__.co_code == (lambda x: abs(x)).__code__.co_code:
        called = forward.__globals__[forward.__code__.co_names[0]]
        forward = called if isinstance(called, np.ufunc) else forward
    return {"forward": forward, "of_arrays": of_arrays, "of_numbers": of_numbers}


def has_shortcut(op: type[Op]) -> bool:
    """Whether calls of `op` can be plain: single tensors, one result that has a gradient."""
    others = {*op.outputs[1:]} - {"indices", *op.byproducts}
    return not (op.variadic or op.splits or others or (op.view and len(op.outputs) > 1))


def source(op: type[Op], operator: bool = False) -> str:
    """The function that runs and records `op`, as text.

    operator: it stands for an operator between two operands: the second may be a number, what is
    no operand gives NotImplemented, and options have their defaults.
    """
    options = () if operator else op.options
    inputs = f"({', '.join(op.inputs)}{',' * (len(op.inputs) == 1)})"
    given = f"{{{', '.join(f'{name!r}: {name}' for name in options)}}}"
    call = f"op, {inputs}, {given}"
    data = [f"{name}_data" for name in op.inputs]
    passed = ", ".join([*data, *(f"{name}={name}" for name in options)])
    needs = [f"{name}_needs" for name in op.rules]
    keyword_only = f", *, {', '.join(options)}" if options else ""
    ending = "became_view(tensor, self)" if op.view else ""
    lines = [
        f"def {op.name}({', '.join(op.inputs)}{keyword_only}):",
        *(_unpacked_operator(op, call) if operator else _unpacked(op, call)),
        "try:",
        f"    result = quietly({_function(op, operator)}, {passed})",
        "except (ValueError, RuntimeError) as error:",
        f"    result = again(op, error, [{', '.join(data)}], {given})",
    ]
    outputs = ["result"]
    if len(op.outputs) > 1:
        outputs = [f"output_{i}" for i in range(len(op.outputs))]
        lines += [f"{', '.join(outputs)} = result"]
    if not op.pointwise and not op.view:
        for name in outputs:
            lines += [
                f"if type({name}) is ndarray and not {name}.ndim:",
                f"    {name} = {name}[()]",
            ]
    others = "".join(f", wrap({name}, False, None)" for name in outputs[1:])
    plain = f"wrap({outputs[0]}, False, None){others}"
    plain = f"became_view({plain}, self)" if op.view else plain
    if not needs:
        return text_of([*lines, f"return {plain}"])
    lines += [f"if not {_any(needs)}:", f"    return {plain}"]
    unusual = "unusual" if op.pointwise else f"unusual or {outputs[0]}.dtype is not {data[0]}.dtype"
    mixed = _mixed(op)
    if mixed and op.broadcasts:
        unusual += f" or {mixed}"
    lines += [f"if {unusual}:", f"    return finish(op, {inputs}, result, {given})"]
    lines += [
        "node = node_class()",
        *_edges(op),
        "node._sequence = next(clock)",
        f"node._saved = {_saved(op, operator)}",
        f"node._options = {_options(op, operator, inputs)}",
        *_reductions(op, operator),
        *(_casts(op, mixed) if mixed and not op.broadcasts else ()),
        "node._version = node._extra = None",
        *_PLACE,
        "tensor = new(Tensor)",
        *_held(op, operator, outputs[0]),
        "tensor._needs = True",
        "tensor._node = node",
        "tensor._grad = tensor._more = None",
        *([ending] if ending else []),
        f"return tensor{others}",
    ]
    return text_of(lines)


_PLACE = """\
global users_code
frame = getframe(1)
code = frame.f_code
if code is not users_code:
    while ours[code.co_filename] and frame.f_back:
        frame = frame.f_back
        code = frame.f_code
    users_code = code
node._code = code
node._at = frame.f_lasti""".splitlines()


def _any(conditions: list[str]) -> str:
    return conditions[0] if len(conditions) == 1 else f"({' or '.join(conditions)})"


def _unpacked(op: type[Op], call: str) -> list[str]:
    """The data of the inputs, and whether each needs a gradient. All of one floating type."""
    lines = ["share_memory(self)"] if op.view else []
    mixed = [name for name in op.inputs if name != "condition"] if op.types != "keep" else []
    for name in op.inputs:
        data = [f"{name}_data = {name}._array"]
        array = [f"if {name}_data is None:", f"    {name}_data = {name}._data"]
        needs = [f"{name}_needs = {name}._needs"] * (name in op.rules)
        if len(op.inputs) == 1:
            lines += ["try:", f"    {data[0]}", "except AttributeError:"]
            lines += [f"    return in_full({call})", *needs, *(_or_entry(op) or array)]
            continue
        known = [*data, *array, *needs]
        if name in mixed[1:]:
            known += [f"if {_unlike(f'{mixed[0]}_data', f'{name}_data')}:"]
            known += [f"    return in_full({call})"]
        lines += [f"if type({name}) is Tensor or isinstance({name}, Tensor):"]
        lines += [f"    {line}" for line in known]
        if name not in op.broadcasts and name != op.inputs[0]:
            lines += [f"elif {name} is None:", f"    {name}_data = None"]
            lines += [f"    {name}_needs = False"] * (name in op.rules)
        lines += ["else:", f"    return in_full({call})"]
    if op.types != "keep" or op.no_bool or op.kernel:
        first = f"{(mixed or op.inputs)[0]}_data"
        known = "".join(f"{name}_needs or " for name in op.rules)  # what needs one is floating
        lines += [f'if not ({known}{first}.dtype.kind == "f"):', f"    return in_full({call})"]
    return lines


def _or_entry(op: type[Op]) -> list[str]:
    """The entry alone, where the operation is recorded and its one input has no array yet."""
    if op.name not in OF_ENTRIES:
        return []
    text = """\
entry = None
if self_data is None:
    entry = self._entry if self_needs and not unusual else None
    self_data = self._data if entry is None else entry"""
    return [*text.splitlines()]


def _unlike(a: str, b: str) -> str:
    """For NumPy's scalars it is quickest to ask for their Python type first."""
    return f"(type({a}) is ndarray or type({a}) is not type({b})) and {a}.dtype is not {b}.dtype"


def _unpacked_operator(op: type[Op], call: str) -> list[str]:
    """The same for the two sides of an operator, of which the second may be a number."""
    a, b = op.inputs
    arrays = f"{a}_data, {b}_data = {a}._data, {b}._data"
    array = f"{a}_data = {a}._data"
    if op.name in OF_ENTRIES:
        arrays = f"""\
if (
            {a}_data is {b}_data
            and ({a}_needs or {b}_needs)
            and type({a}._entry) is type({b}._entry)
            and not unusual
        ):
            entry = {a}_data = {a}._entry
            {b}_data = {b}._entry
        else:
            {arrays}"""
        array = f"""\
entry = {a}._entry if {a}_needs and not unusual else None
        {a}_data = {a}._data if entry is None else entry"""
    return f"""\
try:
    {a}_data = {a}._array
except AttributeError:
    return in_full({call})
{a}_needs = {a}._needs
entry = None
if type({b}) is Tensor or isinstance({b}, Tensor):
    {b}_data = {b}._array
    {b}_needs = {b}._needs
    if {a}_data is None or {b}_data is None:
        {arrays}
    if entry is None and ({_unlike(f"{a}_data", f"{b}_data")}):
        return in_full({call})
elif type({b}) is float or type({b}) is int:
    {b}_data = {b}
    {b}_needs = False
    if {a}_data is None:
        {array}
else:
    return in_full(op, ({a}, operand({b})), {{}}) if is_operand({b}) else NotImplemented
if not ({a}_needs or {b}_needs or {a}_data.dtype.kind == "f"):
    return in_full({call})""".splitlines()


def _function(op: type[Op], operator: bool) -> str:
    """What computes the result."""
    if operator and op.name in OPERATORS:
        first = f"{op.inputs[0]}_data"
        return f"of_arrays if entry is None and type({first}) is ndarray else of_numbers"
    return "forward"


def _held(op: type[Op], operator: bool, result: str) -> list[str]:
    """What the tensor around the result holds."""
    if op.name in OF_ENTRIES and (operator or len(op.inputs) == 1):
        text = """\
if entry is None:
    tensor._array = result
else:
    tensor._array = None
    tensor._entry = result"""
        return [*text.splitlines()]
    return [f"tensor._array = {result}"]


def _edges(op: type[Op]) -> list[str]:
    """Where the gradients go, and the inputs to which none goes."""
    reached = {
        name: f"edge_of({name}) if {name}._more else {name}._node or {name}" for name in op.rules
    }
    if len(op.inputs) == 1:
        return [f"node._next = ({reached[op.inputs[0]]},)", "node._constants = None"]
    lines = []
    for name, edge in reached.items():
        lines += [f"{name}_edge = ({edge}) if {name}_needs else None"]
    edges = ", ".join(f"{name}_edge" for name in reached)
    kept = ", ".join(f"None if {n}_needs else {n}" if n in op.rules else n for n in op.inputs)
    constants = f"({kept})"
    if len(reached) == len(op.inputs):
        every = " and ".join(f"{name}_needs" for name in op.inputs)
        constants = f"None if {every} else {constants}"
    return [*lines, f"node._next = ({edges},)", f"node._constants = {constants}"]


def _saved(op: type[Op], operator: bool) -> str:
    """The inputs and the output that the rules of the inputs in need ask for."""
    asking = {
        word: [f"{name}_needs" for name, rule in op.rules.items() if word in rule_arguments(rule)]
        for word in (*op.inputs, *op.outputs)
    }
    for word in op.also_saved:
        if word in asking:
            asking[word] = [f"{name}_needs" for name in op.rules]
    if not any(asking.values()):
        return repr(op.blanks) if op.held else "()"
    items = []
    for word, conditions in asking.items():
        if word in op.outputs:
            item = "result" if len(op.outputs) == 1 else f"output_{op.outputs.index(word)}"
        else:
            # the second may be a number beside an operator, or None elsewhere
            tensor = "" if word == op.inputs[0] else f"{word}_data is not {word} and "
            item = f"(pin({word}) if {tensor}{word}._more else {word})"
        if conditions and len(conditions) < len(op.rules):
            item = f"{item} if {_any(conditions)} else None"
        items.append(item if conditions else "None")
    saved = f"({', '.join(items)})"
    some = sorted({condition for conditions in asking.values() for condition in conditions})
    return saved if len(some) == len(op.rules) else f"{saved} if {_any(some)} else ()"


def _options(op: type[Op], operator: bool, inputs: str) -> str:
    """The values of the options, then of names such as `self_sym_sizes`."""
    values = [repr(op.defaults[name]) for name in op.options] if operator else list(op.options)
    for name in op.derived:
        of, _, what = name.rpartition("_sym_")
        if what == "sizes":
            values.append(f"{of}_data.shape if {of}_data is not None else (0,)")
        elif what == "strides" and of in op.rules:
            values.append(f"strides_of({of}_data) if {of}_needs else ()")
        elif what == "numel" and of == op.inputs[0]:
            values.append(f"{of}_data.size")
        else:
            values.append(f"derived(op, {name!r}, {inputs})")
    return f"({', '.join(values)}{',' * (len(values) == 1)})"


def _mixed(op: type[Op]) -> str:
    """Whether another input has another type, by which a rule may multiply; "" when none can."""
    if op.types != "keep":
        return ""
    first, *others = (f"{name}_data" for name in op.inputs)
    asked = (f"{x} is not None and {x}.dtype is not {first}.dtype" for x in others)
    return " or ".join(
        f"({question} and {x}.dtype.kind != 'b')" for question, x in zip(asked, others, strict=True)
    )


def _casts(op: type[Op], mixed: str) -> list[str]:
    """The types to which gradients are cast back, where other types could have widened them."""
    backs = (f"(None, {name}_data.dtype) if {name}_needs else None" for name in op.rules)
    return [f"if {mixed}:", f"    node._reduce = ({', '.join(backs)},)"]


def _reductions(op: type[Op], operator: bool) -> list[str]:
    """The shapes to which gradients are summed back, where an input was stretched."""
    stretched = [name for name in op.rules if name in op.broadcasts]
    shapes = [f"{name}_data.shape" for name in op.broadcasts]
    if not stretched or (op.pointwise and len(op.inputs) == 1):
        return ["node._reduce = None"]
    if not op.pointwise:
        differ = " or ".join(f"{shape} != result.shape" for shape in shapes)
    else:
        differ = f"type(result) is ndarray and not ({' == '.join(shapes)})"
        if operator:
            number = f"{op.inputs[1]}_data is not {op.inputs[1]}"
            differ = (
                f"entry is None and type(result) is ndarray and {number} and {' != '.join(shapes)}"
            )
    backs = [
        f"({name}_data.shape, None) if {name}_needs and {name}_data.shape != result.shape else None"
        if name in stretched
        else "None"
        for name in op.rules
    ]
    return [
        "node._reduce = None",
        f"if {differ}:",
        f"    node._reduce = ({', '.join(backs)},)",
    ]
