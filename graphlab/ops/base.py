"""An operation is one class: a forward formula, and one derivative rule for each input.

    class Mul(Op):
        def forward(self, other): return self * other
        def grad_self(grad, other): return grad * other
        def grad_other(grad, self): return grad * self

Everything else follows from the signatures. The parameters of `forward` are the inputs; its
keyword-only parameters are options. The first parameter of a rule is the gradient that comes in,
and **the others are what the node saves** for it. The name `result` asks for the output, and
`self_sym_sizes` for the shape of the input `self`.

The gradient that a rule returns has the shape of its input. Where `broadcasts` names the input, the
engine sums the gradient back to it; any other rule does so itself: `sum_to(..., size(self))`.

A rule calls primitives, such as `exp` or `where`. `rebind` (primitives/__init__.py) makes the same
code call other functions of these names: then the rule runs on tensors (double backward) or on
SymPy expressions (the proof).

Read next: ops/elementwise.py
"""

from collections.abc import Callable
from types import FunctionType
from typing import Any, ClassVar

from graphlab.primitives.numpy_reading.elementary import zeros_like
from graphlab.primitives.table import PRIMITIVES

IF_MEAN = " if the mean is taken"  # the end of a phrase that depends on `reduction`

registry: dict[str, type["Op"]] = {}  # "mul" -> Mul
# functions that are called with every new operation
announced: list[Callable[[type["Op"]], None]] = []


class Op:
    """An operation with its derivative rules. A subclass is a description; it has no instances.

    Attributes:
        name: the key in the registry: the name of the class in snake case.
        node: PyTorch's name of the grad_fn, "MulBackward0".
        in_place_node: the same for `tensor.<name>_(...)`, where PyTorch has another one.
        symbol: the text in the circle that draws the operation.
        phrase: the rule in words, for the reader who looks at an input. With several inputs it says
            "this input"; or each input has its own, `phrase_self` and `phrase_other`. A rule that
            only multiplies the gradient needs none, because its formula is shown.
        types: how inputs of different types are converted: "promote" to their common type, "float"
            likewise, with integers becoming floats, "keep" not at all.
        no_bool: PyTorch's error for a tensor of bool.
        no_bools: PyTorch's error when all inputs are bool, if that is another one.
        kernel: the name of PyTorch's kernel and, after a colon, the types that it takes, as NumPy's
            letters: "abs_cpu:iuf". Its error for other types shows the name. Empty: all types.
        pointwise: each entry of the result depends on the same entry of the inputs alone.
        broadcasts: the inputs that may be smaller than the result; all of them when pointwise.
        view: the result shares the memory of `self`.
        splits: the result is a tuple of tensors, and the incoming gradient is one too.
        materialize: the gradient of an unused result is 0 instead of None.
        byproducts: outputs of a floating type that have no gradient.
        variadic: the one input is a tuple of tensors, each with an edge of its own.
        function: `graphlab.<name>(input, ...)` is this operation.
        method: `tensor.<name>(...)` is this operation.
        in_place: `tensor.<name>_(...)` writes its result over the tensor.
        wide: float16 is computed in float32, forwards and backwards, because a step in between may
            overflow.
        images: how many of the first inputs may be images with their channels last in memory; the
            result is laid out in the same way, or else row by row.
        out: the function takes `out=`, a tensor to write the result into. A pointwise function of
            one tensor always does.
        tensors_only: the second operand of the function must be a tensor, as in PyTorch.
        domain: where the operation has a value and a derivative. It is a formula that names what it
            needs, as a rule does: `def domain(self): return gt(self, 0)`; None: everywhere.
        freed_options: options that hold tensors, and are freed with the saved values.
        again: the name of the operation that a recorded backward pass runs in place of the rules,
            where PyTorch records one node for them.
        again_output: the gradient of that operation for the result of this one, where the rule
            reads the result: `def again_output(grad, grad_output, output)`.
        bend: how the slope changes with the result y, in words, for the phrase of `again_output`.
    """

    node: ClassVar[str]
    in_place_node: ClassVar[str] = ""
    symbol: ClassVar[str]
    phrase: ClassVar[str] = ""
    types: ClassVar[str] = "promote"
    no_bool: ClassVar[str] = ""
    no_bools: ClassVar[str] = ""
    kernel: ClassVar[str] = ""
    pointwise: ClassVar[bool] = False
    wide: ClassVar[bool] = False
    images: ClassVar[int] = 0
    broadcasts: ClassVar[tuple[str, ...]] = ()
    view: ClassVar[bool] = False
    variadic: ClassVar[bool] = False
    splits: ClassVar[bool] = False
    materialize: ClassVar[bool] = True
    outputs: ClassVar[tuple[str, ...]] = ("result",)
    byproducts: ClassVar[tuple[str, ...]] = ()
    function: ClassVar[bool] = False
    method: ClassVar[bool] = False
    in_place: ClassVar[bool] = False
    out: ClassVar[bool] = False
    tensors_only: ClassVar[bool] = False

    # read from the signatures when the class is made
    name: ClassVar[str]
    inputs: ClassVar[tuple[str, ...]]
    options: ClassVar[tuple[str, ...]]
    defaults: ClassVar[dict[str, Any]]
    derived: ClassVar[tuple[str, ...]]
    rules: ClassVar[dict[str, Callable[..., Any]]]
    phrases: ClassVar[dict[str, str]]  # by input; "" where the formula is shown
    shown: ClassVar[dict[str, Callable[..., Any]]]  # show_LU(A): computed when it is read
    saved: ClassVar[tuple[str, ...]]
    blanks: ClassVar[tuple[None, ...]]  # a None for each input and output: nothing is saved
    also_saved: ClassVar[tuple[str, ...]] = ()  # what PyTorch shows although no rule needs it
    hidden: ClassVar[tuple[str, ...]] = ()  # what a rule needs although PyTorch does not show it
    freed_options: ClassVar[tuple[str, ...]] = ()
    again: ClassVar[str] = ""
    again_output: ClassVar[Callable[..., Any]]
    bend: ClassVar[str]

    forward: ClassVar[Callable[..., Any]]
    domain: ClassVar[Callable[..., Any] | None] = None

    def __init_subclass__(cls, abstract: bool = False) -> None:
        if abstract:  # a base class that several operations share, not an operation
            return
        cls.name = "".join(
            "_" * (c.isupper() and i > 0) + c.lower() for i, c in enumerate(cls.__name__)
        )
        code = cls.forward.__code__
        cls.inputs = code.co_varnames[: code.co_argcount]
        cls.options = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
        cls.defaults = cls.forward.__kwdefaults__ or {}
        cls.rules = {
            name: rule for name in cls.inputs if (rule := getattr(cls, f"grad_{name}", None))
        }
        check(cls)
        cls.phrases = {name: getattr(cls, f"phrase_{name}", cls.phrase) for name in cls.rules}
        if cls.pointwise:
            cls.broadcasts = cls.inputs
        cls.shown = {k[5:]: show for k, show in cls.__dict__.items() if k.startswith("show_")}
        for show in cls.shown.values():
            code = show.__code__
            cls.also_saved = (*cls.also_saved, *code.co_varnames[: code.co_argcount])
        names = {name for rule in cls.rules.values() for name in rule_arguments(rule)}
        names |= set(cls.also_saved)
        cls.derived = tuple(sorted(name for name in names if _is_derived(name, cls.inputs)))
        unknown = names - {*cls.inputs, *cls.outputs, *cls.options, *cls.derived}
        if unknown:
            raise TypeError(
                f"a rule of {cls.__name__} asks for {sorted(unknown)}, which it does not have"
            )
        cls.saved = tuple(sorted(names.difference(cls.hidden).union(cls.shown)))
        cls.blanks = (None,) * (len(cls.inputs) + len(cls.outputs))
        registry[cls.name] = cls
        for announce in announced:
            announce(cls)


def check(op: type[Op]) -> None:
    """Raise TypeError for a taken name, an unknown field, or a function that is no primitive."""
    name, before = op.__name__, registry.get(op.name)
    if before is not None and before.__module__ != op.__module__:
        raise TypeError(f"{before.__module__} has an operation {name}: name this one differently")
    named = [("broadcasts", of) for of in op.broadcasts]
    for key in vars(op):
        kind, _, of = key.partition("_")
        if kind in ("grad", "phrase") and of:
            named.append((key, of))
        elif kind != "show" and not key.startswith("__") and key not in Op.__annotations__:
            raise TypeError(f"{name}.{key}: an operation has no such field (ops/base.py lists all)")
    for key, of in named:
        if of not in op.inputs:
            raise TypeError(f"{name}.{key}: forward has no input {of!r}, only {[*op.inputs]}")
    for formula in (op.forward, *op.rules.values()):
        for used in formula.__code__.co_names:
            if used not in PRIMITIVES and used in formula.__globals__:
                what = f"{name}.{formula.__name__}: {used} is not a primitive"
                raise TypeError(f"{what} (primitives/table.py lists them)")
    if op.types not in (kinds := ["promote", "float", "keep"]):
        raise TypeError(f"{name}.types must be one of {kinds}, not {op.types!r}")
    if missing := [key for key in ("node", "symbol") if not hasattr(op, key)]:
        raise TypeError(f"{name} has no {' and no '.join(missing)}")


def rule_arguments(rule: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names that a rule asks for, besides the gradient that comes in.

    >>> def grad_self(grad, other): return grad * other
    >>> rule_arguments(grad_self)
    ('other',)
    """
    code = rule.__code__
    return code.co_varnames[1 : code.co_argcount]


def _is_derived(name: str, inputs: tuple[str, ...]) -> bool:
    of, _, what = name.rpartition("_sym_")
    kinds = ("sizes", "sizes_opt", "numel", "strides")
    return of in inputs and (what in kinds or what.startswith("argsize_"))


def needed(op: type[Op], needs: int) -> frozenset[str]:
    """Return the names that the rules need. needs: bit i says that input i needs a gradient.

    >>> from graphlab.ops.elementwise import Mul
    >>> sorted(needed(Mul, 0b01))  # only `self` needs a gradient, so only `other` is saved
    ['other']
    """
    asked = (rule for i, rule in enumerate(op.rules.values()) if needs >> i & 1)
    return frozenset(name for rule in asked for name in rule_arguments(rule)).union(op.also_saved)


def recorded_as_one_node(op: type[Op]) -> type[Op]:
    """Make an operation of the rule of an operation with one input.

    A recorded backward pass runs it in place of the rule, and so makes LeakyReluBackwardBackward0,
    tied to the input as in PyTorch, and not WhereBackward0, or nothing. Its own gradient is the
    same rule for the gradient that came in, and 0 for the input, or `again_output`.
    """
    rule, again = op.rules["self"], getattr(op, "again_output", zero)
    code = rule.__code__
    options = [name for name in rule_arguments(rule) if name in op.options]
    if again is not zero:  # the rule's own result has another name
        code = code.replace(co_varnames=("grad_output", "output"))
        rule = FunctionType(code.replace(co_varnames=("grad", "output")), rule.__globals__)
    came, other = code.co_varnames[:2]
    code = code.replace(co_argcount=code.co_argcount - len(options), co_kwonlyargcount=len(options))
    forward = FunctionType(code, rule.__globals__)  # the same lines; the options only by name
    forward.__kwdefaults__ = {k: v for k, v in op.defaults.items() if k in options}
    phrase = "the slope does not change with the input: 0"
    if again is not zero:
        change = f"times {op.bend}, as the slope changes with y, the output"
        phrase = f"the gradient times grad_output, {change}"
    made = type(f"{op.__name__}Backward", (Op,), {
        "__doc__": f"Run the rule of {op.__name__} as one node. {came}, {other}: (...) -> (...).",
        "__module__": op.__module__, "node": f"{op.node[:-1]}Backward0",
        "symbol": f"{op.symbol}′", "pointwise": True, "also_saved": rule_arguments(rule),
        "forward": forward, f"grad_{came}": rule, f"grad_{other}": again,
        f"phrase_{came}": op.phrase, f"phrase_{other}": phrase,
    })  # fmt: skip
    op.again = made.again = made.name
    return op


def zero(grad: Any) -> Any:
    """The rule of an input that changes no slope."""
    return zeros_like(grad)
