"""Anomaly mode: find where a NaN came from, and which line made the failing node.

    with torch.autograd.detect_anomaly():
        y = x.sqrt() * 0
        y.backward()        RuntimeError: Function 'SqrtBackward0' returned nan values ...

While the mode is on, every new node keeps the traceback of the call that made it; a backward pass
looks for NaN after each node, and when one fails, warns with that traceback.

Read next: autograd/watched_pass.py
"""

import linecache
import sys
import traceback
import warnings
from typing import Any, ClassVar

import numpy as np

from graphlab.autograd.grad_mode import state
from graphlab.autograd.hooks import LivingHooks, leaf_hooks
from graphlab.autograd.node import accumulator
from graphlab.autograd.watch import watch
from graphlab.common.errors import is_ours, users_level
from graphlab.common.public import public
from graphlab.tensor.tensor import Tensor


class Anomaly:
    """Whether the mode is on, and whether a pass looks for NaN."""

    enabled: ClassVar[bool] = False
    check_nan: ClassVar[bool] = True


@public()
def is_anomaly_enabled() -> bool:
    """Return whether anomaly mode is on.

    >>> torch.is_anomaly_enabled()
    False
    """
    return Anomaly.enabled


@public()
def is_anomaly_check_nan_enabled() -> bool:
    """Return whether a backward pass in anomaly mode looks for NaN.

    >>> torch.is_anomaly_check_nan_enabled()
    True
    """
    return Anomaly.check_nan


@public()
def set_anomaly_enabled(mode: bool, check_nan: bool = True) -> None:
    """Switch anomaly mode on or off.

    mode: whether it is on. check_nan: whether a backward pass fails as soon as a node makes a NaN.

    >>> torch.set_anomaly_enabled(False)
    """
    with LivingHooks.lock:
        LivingHooks.add(bool(mode) - Anomaly.enabled)
        Anomaly.enabled, Anomaly.check_nan = bool(mode), bool(check_nan)
        watch("anomaly", keep_traceback if mode else None)


class set_detect_anomaly:
    """Switch anomaly mode on or off at once; as a context manager, restore the old mode at the end.

    check_nan: whether a backward pass fails as soon as a node makes a NaN.
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self.before = (Anomaly.enabled, Anomaly.check_nan)
        set_anomaly_enabled(mode, check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        set_anomaly_enabled(*self.before)


class detect_anomaly:
    """If a backward pass in the block fails, warn with the line that made the failing node.

    check_nan: whether a backward pass fails as soon as a node makes a NaN.

    >>> import graphlab as torch, warnings
    >>> x = torch.tensor(0.0, requires_grad=True)
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     with torch.autograd.detect_anomaly():
    ...         (x.sqrt() * 0).backward()
    Traceback (most recent call last):
    RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output.
    """

    def __init__(self, check_nan: bool = True) -> None:
        self.check_nan = check_nan
        self.before = (Anomaly.enabled, Anomaly.check_nan)
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should "
            "only be enabled for debugging.",
            stacklevel=users_level(),
        )

    def __enter__(self) -> None:
        set_anomaly_enabled(True, self.check_nan)

    def __exit__(self, *exception: object) -> None:
        set_anomaly_enabled(*self.before)


def keep_traceback(node: Any) -> None:
    """Store in a new node the calls that led to it, and the node whose backward made it, if any."""
    stack = node.metadata["traceback_"] = users_stack()
    for target in node._next:
        if isinstance(target, Tensor):  # for its AccumulateGrad
            leaf_hooks(target).metadata["traceback_"] = stack
    if state.passes and state.passes[-1].current is not None:
        node.metadata["parent_"] = state.passes[-1].current


def users_stack() -> list[str]:
    """Return the calls that led here, as a traceback prints them, without GraphLab's own."""
    frame: Any = sys._getframe(1)
    places = []
    while frame is not None:
        if not is_ours(frame.f_code):
            places.append((frame, frame.f_lineno))
        frame = frame.f_back
    linecache.checkcache()
    return traceback.StackSummary.extract(reversed(places)).format()


def check_nan(node: Any, sent: Any) -> None:
    """Raise RuntimeError when a gradient that the node made contains NaN."""
    for index, grad in enumerate(sent):
        if grad is not None and np.isnan(getattr(grad, "_data", grad)).any():
            raise RuntimeError(
                f"Function '{node.name()}' returned nan values in its {index}th output."
            )


def report(item: Any) -> None:
    """Warn with the traceback of the forward call that made the failing node."""
    node = accumulator(item) if isinstance(item, Tensor) else item
    name, stack = node.name(), node.metadata.get("traceback_")
    if stack is None:
        tell(
            f"Error detected in {name}. No forward pass information available. Enable detect "
            "anomaly during forward pass for more information."
        )
        return
    tell(
        f"Error detected in {name}. Traceback of forward call that caused the error:\n"
        + "".join(stack)
    )
    while (node := node.metadata.get("parent_")) is not None:
        tell(
            f"\n\nPrevious calculation was induced by {node.name()}. Traceback of forward call "
            "that induced the previous calculation:\n" + "".join(node.metadata["traceback_"])
        )


def tell(message: str) -> None:
    """Warn; where a warning is an error, print it, so that the error of the pass is raised."""
    try:
        warnings.warn(message, stacklevel=users_level())
    except Warning as warning:
        print(warning, file=sys.stderr)
