"""A module as a function of its parameters: `functional_call`, `stack_module_state`.

Read next: nn/module.py
"""

from collections import Counter
from typing import Any

from graphlab.tensor.functions import stack
from graphlab.tensor.tensor import Tensor


def functional_call(
    module: Any,
    parameter_and_buffer_dicts: Any,
    args: Any = None,
    kwargs: Any = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call a module with other parameters and buffers than its own.

    module: Module; afterwards it has its own parameters and buffers again
    parameter_and_buffer_dicts: dict from names, as in `named_parameters`, to tensors; or a sequence
        of such dicts with different names
    args: tuple of arguments, or one argument; None for none
    kwargs: dict of keyword arguments, or None
    tie_weights: bool, let a parameter that has several names take its value under all of them
    strict: bool, require a value for every parameter and buffer, and no others
    Returns: what `module(*args, **kwargs)` returns.
    Raises: ValueError for a name in two dicts, or two values for tied parameters; RuntimeError for
        missing or unknown names if `strict`; AttributeError for a path without a module.

    >>> import graphlab as torch
    >>> from graphlab.func import functional_call
    >>> double = {"weight": torch.tensor([[2.0]]), "bias": torch.zeros(1)}
    >>> functional_call(torch.nn.Linear(1, 1), double, torch.tensor([3.0]))
    tensor([6.])
    """
    values = merged(parameter_and_buffer_dicts)
    members = [*module.named_parameters(remove_duplicate=False)]
    members += module.named_buffers(remove_duplicate=False)
    if tie_weights:
        values = with_tied(values, members)
    if strict:
        check_names(module, set(values), {name for name, _ in members})
    replaced = []
    for name in values:
        path, _, own = name.rpartition(".")
        owner = module.get_submodule(path)
        table = next((t for t in (owner._parameters, owner._buffers) if own in t), None)
        if table is not None:  # as in PyTorch, an unknown name changes nothing
            replaced.append((table, own, name, table[own]))
    if not isinstance(args, tuple):
        args = () if args is None else (args,)
    try:
        for table, own, name, _ in replaced:
            table[own] = values[name]
        return module(*args, **(kwargs or {}))
    finally:
        for table, own, _, before in replaced:
            table[own] = before


def merged(given: Any) -> dict[str, Tensor]:
    """Return one dict with the entries of all. Raises: ValueError for a name in two of them."""
    if not isinstance(given, dict | list | tuple):
        raise ValueError(
            "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got "
            f"{type(given)}"
        )
    parts = [given] if isinstance(given, dict) else list(given)
    counts = Counter(name for part in parts for name in part)
    if repeated := [name for name, count in counts.items() if count > 1]:
        raise ValueError(
            f"{repeated} appeared in multiple dictionaries; behavior of functional call is "
            "ambiguous"
        )
    return {name: value for part in parts for name, value in part.items()}


def with_tied(values: dict[str, Tensor], members: Any) -> dict[str, Tensor]:
    """Return the values under all names of their tensors. Raises: ValueError for two values."""
    names: dict[Tensor, list[str]] = {}
    for name, tensor in members:
        names.setdefault(tensor, []).append(name)
    found = dict(values)
    for tied in names.values():
        given = [name for name in tied if name in values]
        if len({id(values[name]) for name in given}) > 1:
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(given)}, which are tied. "
                "Consider using tie_weights=False"
            )
        found.update({name: values[given[0]] for name in tied if given})
    return found


def check_names(module: Any, given: set[str], expected: set[str]) -> None:
    """Raise RuntimeError unless the names of the values are those of the module."""
    parts = [("Unexpected", given - expected), ("Missing", expected - given)]
    lines = [f"{kind} key(s): {', '.join(map(repr, sorted(n)))}." for kind, n in parts if n]
    if lines:
        name = type(module).__name__
        raise RuntimeError(f"Error(s) in reparametrizing for {name}:\n\t" + "\n\t".join(lines))


def stack_module_state(models: Any) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Stack the parameters of several modules under each name, and their buffers too.

    models: list of B modules of one class, all in training mode or all in evaluation mode
    Returns: two dicts, of parameters and of buffers, from names to leaves (B, *), as `vmap` over
        `functional_call` takes them.
    Raises: RuntimeError without modules, or if their class, mode or requires_grad differs.

    >>> from graphlab.func import stack_module_state
    >>> from graphlab import nn
    >>> parameters, buffers = stack_module_state([nn.Linear(3, 2), nn.Linear(3, 2)])
    >>> parameters["weight"].shape, buffers
    (torch.Size([2, 2, 3]), {})
    """
    if not len(models):
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({model.training for model in models}) > 1:
        raise RuntimeError(
            "stack_module_state: Expected all models to have the same training/eval mode."
        )
    if len({type(model) for model in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    parameters = stacked([dict(model.named_parameters()) for model in models])
    return parameters, stacked([dict(model.named_buffers()) for model in models])


def stacked(tables: list[dict[str, Tensor]]) -> dict[str, Tensor]:
    """Return a dict in which each name has the tensors of all tables, stacked as a new leaf."""
    return {name: leaf_of([table[name] for table in tables], name) for name in tables[0]}


def leaf_of(tensors: list[Tensor], name: str) -> Tensor:
    """Return tensors stacked as one leaf. Raises: RuntimeError where requires_grad differs."""
    if len({tensor.requires_grad for tensor in tensors}) > 1:
        raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
    return stack(tensors).detach().requires_grad_(tensors[0].requires_grad)
