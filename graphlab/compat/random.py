"""`torch.random`: the generator of random numbers, and its state.

Read next: tensor/random/generator.py
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from graphlab.tensor.random.generator import (
    Generator,
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)

__all__ = [
    "Generator", "default_generator", "fork_rng", "get_rng_state", "initial_seed", "manual_seed",
    "seed", "set_rng_state",
]  # fmt: skip


@contextmanager
def fork_rng(devices: Any = (), enabled: bool = True, **_: Any) -> Iterator[None]:
    """Restore the state of the default generator at the end of a `with` block.

    devices: without effect, there is only the processor. enabled: False makes the block do nothing.

    >>> import graphlab as torch
    >>> _ = torch.manual_seed(0)
    >>> with torch.random.fork_rng():
    ...     inside = torch.rand(1)
    >>> bool(torch.rand(1) == inside)
    True
    """
    state = get_rng_state() if enabled else None
    try:
        yield
    finally:
        if state is not None:
            set_rng_state(state)
