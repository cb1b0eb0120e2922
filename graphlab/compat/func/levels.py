"""One application of a transform: a graph of its own, perhaps inside that of another.

Its arguments become the sources of its graph. Its own backward pass is recorded only where the
results depend on tensors outside the level: only those can be differentiated from outside.

Read next: compat/func/arguments.py
"""

from typing import Any

from graphlab.autograd.backward import grad as run_backward
from graphlab.autograd.grad_mode import enable_grad, is_grad_enabled
from graphlab.compat.func.arguments import Argnums, check_argnums, place_of
from graphlab.compat.func.pytrees import tree_map
from graphlab.tensor.creation import zeros_like
from graphlab.tensor.tensor import Tensor


class Level:
    """One application of a transform: its arguments are the sources of a graph of its own."""

    def __init__(self) -> None:
        self.recording = is_grad_enabled()
        self.mode = enable_grad()
        self.own: set[Tensor] = set()  # leaves that are created here, unknown outside
        self.sources: list[Tensor] = []
        self.inputs: Any = None

    def __enter__(self) -> "Level":
        self.mode.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self.mode.__exit__(*error)

    def enter(self, args: tuple[Any, ...], argnums: Argnums) -> tuple[Any, ...]:
        """Return the arguments, those of `argnums` replaced by sources."""
        numbers = [argnums] if isinstance(argnums, int) else check_argnums(argnums)
        places = [place_of(number, len(args)) for number in numbers]
        found = {place: tree_map(self.source, args[place]) for place in places}
        self.inputs = tuple(found[place] for place in places)
        return tuple(found.get(i, x) for i, x in enumerate(args))

    def source(self, x: Any) -> Tensor:
        if not isinstance(x, Tensor):
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(x)}")
        if x.requires_grad:
            new = x.view_as(x)  # part of an outer graph, to which it stays connected
        else:
            new = x.detach().requires_grad_()
            self.own.add(new)
        self.sources.append(new)
        return new

    def depends_on_outside(self, tensors: Any) -> bool:
        """Return whether a result depends on tensors from outside, in time linear in the graph.

        They belong to an outer level, or are captured tensors that require a gradient.
        """
        stack = [t.grad_fn if t.grad_fn is not None else t for t in tensors if t.requires_grad]
        seen = set(stack)
        while stack:
            node = stack.pop()
            if isinstance(node, Tensor):
                if node not in self.own:
                    return True
                continue
            leaf = getattr(node, "variable", None)
            edges = [leaf] if leaf is not None else [to for to, _ in node.next_functions]
            for to in edges:
                if to is not None and to not in seen:
                    seen.add(to)
                    stack.append(to)
        return False

    def backward(self, outputs: Any, entering: Any) -> Any:
        """Run a backward pass; return the gradients in the structure of the arguments, or zeros.

        The pass is recorded where an outer level may differentiate it.
        """
        entering = [None] * len(outputs) if entering is None else entering
        pairs = [(t, g) for t, g in zip(outputs, entering, strict=True) if t.requires_grad]
        found: Any = [None] * len(self.sources)
        if pairs:
            used, flowing = zip(*pairs, strict=True)
            given = [g for g in flowing if g is not None]
            recorded = self.recording and self.depends_on_outside([*used, *given])
            found = run_backward(used, self.sources, flowing, True, recorded, allow_unused=True)
        gradients = iter(
            zeros_like(x) if g is None else g for g, x in zip(found, self.sources, strict=True)
        )
        return tree_map(lambda x: next(gradients), self.inputs)

    def forward(self, outputs: list[Tensor], tangents: list[Tensor]) -> list[Tensor]:
        """Return J v of every output, by the backward pass of a backward pass."""
        used = [t for t in outputs if t.requires_grad]
        entering = [zeros_like(t).requires_grad_() for t in used]
        self.own.update(entering)
        gradients = (
            run_backward(used, self.sources, entering, True, True, allow_unused=True)
            if used
            else ()
        )
        pairs = [
            (g, v)
            for g, v in zip(gradients, tangents, strict=bool(used))
            if g is not None and g.requires_grad
        ]
        moved: Any = [None] * len(used)
        if pairs:
            reached, flowing = zip(*pairs, strict=True)
            recorded = self.recording and self.depends_on_outside([*reached, *flowing])
            moved = run_backward(reached, entering, flowing, True, recorded, allow_unused=True)
        by_output = dict(zip(map(id, used), moved, strict=True))
        return [
            zeros_like(t) if by_output.get(id(t)) is None else by_output[id(t)] for t in outputs
        ]

    def leave(self, tree: Any) -> Any:
        """Return a result without this level's own graph."""
        return tree_map(self.release, tree)

    def release(self, x: Any) -> Any:
        if not isinstance(x, Tensor) or (self.recording and self.depends_on_outside([x])):
            return x
        return x.detach()
