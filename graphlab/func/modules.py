"""A module as a function of its parameters: `functional_call`.

Read next: nn/module.py
"""

from typing import Any


def functional_call(
    module: Any, parameter_and_buffer_dicts: Any, args: Any = (), kwargs: Any = None
) -> Any:
    """What `module(*args, **kwargs)` gives with these parameters and buffers in place of its own.

    parameter_and_buffer_dicts: a dict from names, as `named_parameters` gives them, to tensors;
    or several of them. The module is left as it was.
    Raises: KeyError for a name that the module does not have.
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
