"""A level: one application of a transform, with a graph of its own, perhaps inside another's.

The arguments become the sources of the level's graph. Its backward pass is recorded only if the
results depend on tensors outside of the level, because only then can an outer transform
differentiate them.

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
        self.own: set[Tensor] = set()  # the leaves that the level created
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
        """Return a tensor that takes the place of an argument. Raises: ValueError for others."""
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
        """Return whether tensors depend on others from outside, in time linear in the graph.

        Those belong to an outer level, or the function captured them and they require a gradient.
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

    def backward(self, outputs: Any, cotangents: Any) -> Any:
        """Run a backward pass; return the gradients in the structure of the arguments, or zeros.

        outputs, cotangents: tensors and the gradients with respect to them; None for ones
        The pass is recorded if an outer level may differentiate it.
        """
        cotangents = [None] * len(outputs) if cotangents is None else cotangents
        pairs = [(t, g) for t, g in zip(outputs, cotangents, strict=True) if t.requires_grad]
        found: Any = [None] * len(self.sources)
        if pairs:
            used, gradients = zip(*pairs, strict=True)
            given = [g for g in gradients if g is not None]
            recorded = self.recording and self.depends_on_outside([*used, *given])
            found = run_backward(used, self.sources, gradients, True, recorded, allow_unused=True)
        results = iter(
            zeros_like(x) if g is None else g for g, x in zip(found, self.sources, strict=True)
        )
        return tree_map(lambda x: next(results), self.inputs)

    def forward(self, outputs: list[Tensor], tangents: list[Tensor]) -> list[Tensor]:
        """Return J v for every output, by the backward pass of a backward pass.

        The first pass computes uᵀJ, which is linear in u; its derivative along v is J v.
        """
        used = [t for t in outputs if t.requires_grad]
        cotangents = [zeros_like(t).requires_grad_() for t in used]
        self.own.update(cotangents)
        gradients: Any = ()
        if used:
            gradients = run_backward(used, self.sources, cotangents, True, True, allow_unused=True)
        pairs = [
            (g, v)
            for g, v in zip(gradients, tangents, strict=bool(used))
            if g is not None and g.requires_grad
        ]
        found: Any = [None] * len(used)
        if pairs:
            reached, along = zip(*pairs, strict=True)
            recorded = self.recording and self.depends_on_outside([*reached, *along])
            found = run_backward(reached, cotangents, along, True, recorded, allow_unused=True)
        by_output = dict(zip(map(id, used), found, strict=True))
        return [
            zeros_like(t) if by_output.get(id(t)) is None else by_output[id(t)] for t in outputs
        ]

    def leave(self, tree: Any) -> Any:
        """Return a result without the level's own graph."""
        return tree_map(self.release, tree)

    def release(self, x: Any) -> Any:
        if not isinstance(x, Tensor) or (self.recording and self.depends_on_outside([x])):
            return x
        return x.detach()
