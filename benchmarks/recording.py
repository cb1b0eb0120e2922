"""What it costs to record a backward pass: time beside the pass alone, bytes for each event.

    python benchmarks/recording.py

The program is the training step of a 784-128-10 network on batches of 64. Its backward pass runs
alone and inside `graphlab.record()`, in turns, in one process, with BLAS on one thread; the minimum
of the process-CPU times of each counts. The timeline is not read during that time, as in a real
program; reading it afterwards is measured separately.

Read next: benchmarks/core.py
"""

from __future__ import annotations

import gc
import sys
import time
import tracemalloc
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import blas  # noqa: F401  (before NumPy)

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import graphlab
from graphlab import nn

ROUNDS = 300
BATCH = 64
PASSES = 50  # recorded in one block, for the memory


def network() -> tuple[Any, Any, Any]:
    """The layers, and a batch with its labels."""
    graphlab.manual_seed(0)
    layers = nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))
    return layers, graphlab.randn(BATCH, 784), graphlab.randint(0, 10, (BATCH,))


def alone(loss: Any) -> None:
    """The pass by itself."""
    loss.backward()


def recorded(loss: Any) -> None:
    """The pass in a block of its own: the block's beginning and end count too."""
    with graphlab.record():
        loss.backward()


def rehearsed(loss: Any) -> None:
    """The whole timeline, with its words and drawings."""
    graphlab.trace(loss)


def times(whole_step: bool) -> dict[str, float]:
    """CPU seconds of a pass, or of a step of training, alone and recorded."""
    layers, x, labels = network()
    optimizer = graphlab.optim.SGD(layers.parameters(), lr=0.01)
    criterion = nn.CrossEntropyLoss()
    found = {"alone": float("inf"), "recorded": float("inf")}
    for _ in range(ROUNDS):
        for name, run in (("alone", alone), ("recorded", recorded)):
            optimizer.zero_grad()
            begun = time.process_time_ns()
            loss = criterion(layers(x), labels)
            begun = begun if whole_step else time.process_time_ns()
            run(loss)
            if whole_step:
                optimizer.step()
            found[name] = min(found[name], (time.process_time_ns() - begun) / 1e9)
    return found


def loop_times() -> dict[str, float]:
    """CPU seconds of a step of training among many, alone and in one block."""
    layers, x, labels = network()
    optimizer = graphlab.optim.SGD(layers.parameters(), lr=0.01)
    criterion = nn.CrossEntropyLoss()
    found = {"alone": float("inf"), "recorded": float("inf")}
    for turn in range(10):
        name = ("alone", "recorded")[turn % 2]
        with graphlab.record() if name == "recorded" else nullcontext():
            for _ in range(PASSES):
                begun = time.process_time_ns()
                optimizer.zero_grad()
                criterion(layers(x), labels).backward()
                optimizer.step()
                found[name] = min(found[name], (time.process_time_ns() - begun) / 1e9)
    return found


def memory() -> tuple[int, int, int]:
    """Bytes that a recording of many passes keeps, before and after it was read; its events."""
    layers, x, labels = network()
    optimizer = graphlab.optim.SGD(layers.parameters(), lr=0.01)
    criterion = nn.CrossEntropyLoss()
    recorded(criterion(layers(x), labels))  # what is loaded on first use
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    with graphlab.record() as timeline:
        for _ in range(PASSES):
            optimizer.zero_grad()
            criterion(layers(x + 0), labels).backward()
            optimizer.step()
    optimizer.zero_grad()
    gc.collect()
    kept = tracemalloc.get_traced_memory()[0] - before
    events = len(timeline)
    gc.collect()
    read = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    return kept, read, events


def main() -> None:
    """Print what was measured."""
    measured = {"backward pass": times(False), "training step": times(True)}
    for name, found in {**measured, "steps in a row": loop_times()}.items():
        ratio = found["recorded"] / found["alone"]
        print(f"{name:14} {found['alone'] * 1e6:7.0f} us alone, recorded x {ratio:.2f}")
    kept, read, events = memory()
    print(f"memory         {events} events in {PASSES} passes: {kept / events:.0f} bytes for each,")
    print(f"               {read / events:.0f} once the timeline was read")


if __name__ == "__main__":
    main()
