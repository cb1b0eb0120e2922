"""Every public name of utils.data, nn.utils and func has a docstring that serves as a reference.

Read next: tests/docstrings.py
"""

import inspect

import pytest

from graphlab import func
from graphlab.compat import accelerator, cuda, serialization, testing
from graphlab.nn import utils
from graphlab.nn.utils import rnn
from graphlab.utils import data
from tests.docstrings import missing

EXPORTED = [getattr(module, name) for module in (data, func, rnn) for name in module.__all__]
PUBLIC = [
    getattr(utils, name)
    for name in (
        "clip_grad_norm_", "clip_grad_value_", "get_total_norm", "parameters_to_vector",
        "vector_to_parameters",
    )
]  # fmt: skip
LOADING = [serialization.save, serialization.load, testing.assert_close]
DEVICES = [
    thing
    for module in (accelerator, cuda)
    for thing in vars(module).values()
    if inspect.isfunction(thing) and thing.__module__ == module.__name__
]


@pytest.mark.parametrize(
    "thing", [*EXPORTED, *PUBLIC, *LOADING, *DEVICES], ids=lambda thing: thing.__qualname__
)
def test_a_public_name_explains_itself(thing):
    assert missing(thing) == []
