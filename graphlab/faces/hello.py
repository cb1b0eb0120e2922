"""The first minute: one formula as a graph, as a walk and as a proof, with a sentence before each.

Read next: faces/api.py
"""

from typing import TYPE_CHECKING, Any

from graphlab.adapters.native.variable_names import caller
from graphlab.adapters.pytorch.accessors import is_tensor as is_pytorchs
from graphlab.common.notebook import has_kernel, printable, printable_here
from graphlab.faces.argument_checks import check_tensor
from graphlab.faces.named_calls import drawing_of, names_among, names_for, report_of, timeline_of
from graphlab.tensor.tensor import Tensor

if TYPE_CHECKING:
    from graphlab.faces.render.drawing import Drawing
    from graphlab.graph.timeline import Timeline

EXAMPLE = """\
import graphlab

x = graphlab.tensor(2.0, requires_grad=True)
y = x * graphlab.log(x)
z = y + x**2
"""
GRAPH = (
    "Python computed {name}, and {library} recorded which tensors each result was made from: a "
    "graph."
)
CARDS = (
    "Cards are tensors, and circles are operations. Above a circle you see what the operation "
    "saved for its derivative."
)
LINES = (
    "Each line is a tensor, with the node that made it and what that node saved for its "
    "derivative. Its inputs are the lines below it."
)
WALK = (
    "The backward pass carries a gradient from {name} back to every leaf. It is rehearsed here: "
    "nothing in Python changes."
)
KEYS = "Click into the picture and press → for a step, ← to go back, and p to be asked first."
CHECKED = {
    "GraphLab": (
        "The proof",
        "The gradients beside the derivatives that SymPy computes from the formula:",
    ),
    "PyTorch": (
        "The check",
        "Each step of PyTorch's pass beside GraphLab's rule for the same operation:",
    ),
}
NEXT = "Now three lines of your own:"
YOURS = (
    "graphlab.hello(z)  # or one at a time: graphlab.draw(z), graphlab.trace(z), graphlab.check(z)"
)


class Introduction:
    """The three views of one result. It shows itself in a notebook, and as text elsewhere."""

    def __init__(
        self,
        name: str,
        drawing: "Drawing",
        timeline: "Timeline",
        report: Any,
        library: str,
        example: bool = False,
    ) -> None:
        self.name, self.drawing, self.timeline, self.report = name, drawing, timeline, report
        self.library, self.example = library, example

    def _ipython_display_(self) -> None:
        from IPython.display import Markdown, display

        if not has_kernel():
            raise NotImplementedError("a terminal shows the text")
        code = printable(self.name).replace("`", "'")
        name, (title, checked) = f"`{code}`", CHECKED[self.library]
        program = f"```python\n{EXAMPLE}```\n\n" if self.example else ""
        graph = GRAPH.format(name=name, library=self.library)
        display(Markdown(f"{program}**1. The graph.** {graph} {CARDS}"))
        display(self.drawing)
        display(Markdown(f"**2. The walk.** {WALK.format(name=name)} {KEYS}"))
        display(self.timeline.at(0))
        display(Markdown(f"**3. {title}.** {checked}"))
        display(self.report)
        if self.example:
            display(Markdown(f"**{NEXT}**\n\n```python\n{EXAMPLE}{YOURS}\n```"))

    def __repr__(self) -> str:
        name, (title, checked) = printable(self.name), CHECKED[self.library]
        leaves = [event.sentence for event in self.timeline if event.kind == "LeafWritten"]
        parts = [
            f"1. The graph.\n{GRAPH.format(name=name, library=self.library)} {LINES}",
            self.drawing.text,
            f"2. The walk.\n{WALK.format(name=name)}",
            "\n".join(leaves),
            f"3. {title}.\n{checked}",
            str(self.report),
        ]
        if self.example:
            parts = [EXAMPLE.strip(), *parts, NEXT, f"{EXAMPLE}{YOURS}"]
        return printable_here("\n\n".join(part.strip("\n") for part in parts))


def hello(result: Tensor | None = None) -> Introduction:
    """Show a result of yours as a graph, as a walk through its backward pass, and as a proof.

    Nothing is changed, but hooks on GraphLab's tensors run as in two backward passes: the walk and
    the check have one each.

    result: a tensor that was computed from tensors with `requires_grad=True`, GraphLab's or
        PyTorch's. Default: an example of three lines, which are shown too.

    Returns: an Introduction, which shows itself in a notebook; `print` it elsewhere. Its `drawing`,
        `timeline` and `report` are what `draw`, `trace` and `check` give.
    Raises: TypeError if `result` is not a tensor; RuntimeError if no gradient can flow from it.

    >>> import graphlab
    >>> x = graphlab.tensor(2.0, requires_grad=True)
    >>> z = x * graphlab.log(x) + x**2
    >>> introduction = graphlab.hello(z)
    >>> introduction.report.ok
    True
    """
    if result is not None:
        check_tensor("hello", result)
        names = names_for(result, caller())
        return _introduction(result, names, "PyTorch" if is_pytorchs(result) else "GraphLab")
    import graphlab

    x = graphlab.tensor(2.0, requires_grad=True)
    logarithm, square = graphlab.log(x), x**2
    y = x * logarithm
    z = y + square
    called = {"x": x, "log(x)": logarithm, "y": y, "x**2": square, "z": z}
    return _introduction(z, names_among(z, called), "GraphLab", example=True)


def _introduction(result: Tensor, names: Any, library: str, example: bool = False) -> Introduction:
    timeline = timeline_of(result, None, names, "hello")
    drawing = drawing_of(result, names, "both", None, None)
    report = report_of(result, None, None, names)
    return Introduction(timeline.title, drawing, timeline, report, library, example)
