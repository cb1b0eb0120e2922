"""A module as a function of its parameters: `functional_call`, `stack_module_state`.

Read next: nn/module.py
"""

from typing import Any

from graphlab.tensor.functions import stack
from graphlab.tensor.tensor import Tensor


def functional_call(
    module: Any, parameter_and_buffer_dicts: Any, args: Any = (), kwargs: Any = None
) -> Any:
    """Call a module with other parameters and buffers than its own.

    module: a Module, which is left as it was
    parameter_and_buffer_dicts: dict from names, as in `named_parameters`, to tensors; or several
    args: tuple of arguments, or one argument
    kwargs: dict of keyword arguments, or None
    Returns: what `module(*args, **kwargs)` returns.
    Raises: KeyError for a name that the module does not have.

    >>> import graphlab as torch
    >>> double = {"weight": torch.tensor([[2.0]]), "bias": torch.zeros(1)}
    >>> functional_call(torch.nn.Linear(1, 1), double, torch.tensor([3.0]))
    tensor([6.])
    """
    given = parameter_and_buffer_dicts
    values = given if isinstance(given, dict) else {k: v for part in given for k, v in part.items()}
    args = args if isinstance(args, tuple) else (args,)
    modules = dict(module.named_modules())
    places = []
    for name in values:
        path, _, own = name.rpartition(".")
        owner = modules.get(path)
        tables = () if owner is None else (owner._parameters, owner._buffers)
        table = next((table for table in tables if own in table), None)
        if table is None:
            raise KeyError(f"functional_call: the module has no parameter or buffer {name!r}")
        places.append((table, own, name, table[own]))
    try:
        for table, own, name, _ in places:
            table[own] = values[name]
        return module(*args, **(kwargs or {}))
    finally:
        for table, own, _, before in places:
            table[own] = before


def stack_module_state(models: Any) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Stack the parameters of modules of one class under their names, and the buffers too.

    models: list of B modules of the same class and mode
    Returns: two dicts, from names to leaves (B, *); for `vmap` over `functional_call`.
    Raises: RuntimeError without modules, for several classes, and for several modes.

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
    """Return the tensors of all tables, stacked under each name as a new leaf."""
    return {name: leaf_of([table[name] for table in tables], name) for name in tables[0]}


def leaf_of(tensors: list[Tensor], name: str) -> Tensor:
    """Return tensors stacked as one leaf. Raises: RuntimeError where requires_grad differs."""
    if len({tensor.requires_grad for tensor in tensors}) > 1:
        raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
    return stack(tensors).detach().requires_grad_(tensors[0].requires_grad)
