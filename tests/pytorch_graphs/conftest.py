"""What the tests on PyTorch's own graphs share.

Read next: tests/pytorch_graphs/test_recording.py
"""

import sys

import pytest

from graphlab.adapters.pytorch.accessors import compiled_before


@pytest.fixture(autouse=True)
def nothing_compiled(torch):
    """As in a program that has not compiled anything; other tests of this process may have."""
    if compiled_before():
        torch._dynamo.reset()
    utils = sys.modules.get("torch._dynamo.utils")
    if utils is not None:
        utils.counters.clear()
