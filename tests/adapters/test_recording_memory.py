"""What a recording keeps: some hundred bytes for each event, whatever the size of the arrays.

Read next: benchmarks/recording.py
"""

from __future__ import annotations

import gc
import tracemalloc

import graphlab
from graphlab import nn

MOST = 500  # bytes for each event; measured: 310


def kept(width: int, passes: int) -> tuple[int, int]:
    """The bytes that a recording of some steps of training holds, and its events."""
    graphlab.manual_seed(0)
    layers = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1))
    x = graphlab.randn(4, width)
    optimizer = graphlab.optim.SGD(layers.parameters(), lr=0.01)
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        with graphlab.record() as timeline:
            for _ in range(passes):
                optimizer.zero_grad()
                layers(x).sum().backward()
                optimizer.step()
        optimizer.zero_grad()
        gc.collect()
        return tracemalloc.get_traced_memory()[0] - before, len(timeline)
    finally:
        tracemalloc.stop()


def test_a_recording_holds_so_many_bytes_for_each_event_whatever_the_arrays_hold():
    kept(30, 1)  # what is loaded on first use
    for width in (30, 300):  # one gradient of the larger one has 360,000 bytes
        held, events = kept(width, 10)
        assert held < MOST * events


def test_twice_as_many_passes_hold_twice_as_much():
    kept(100, 1)
    (once, events), (twice, more) = kept(100, 5), kept(100, 10)
    assert more >= 2 * events
    assert twice < 2.2 * once
