"""Samples of every operation: inputs, and how to call it, in words that PyTorch understands too.

`call` takes the library as its first argument, so that the very same formula runs with GraphLab
and with PyTorch. Inputs of `SAMPLES` keep away from kinks, where a difference quotient lies; those
of `KINKS` lie right on them, and only PyTorch says what is right there.

A family of operations is a module of this package with its own SAMPLES, and KINKS if it has some;
those of REFUSED cannot be differentiated, in PyTorch neither. NOT_PROVED and EQUIVALENT are for
tests/symbolic: what SymPy does not prove, and what may be changed in a rule unnoticed, and why.
An operation without a sample fails tests/core/test_ops.py.

Read next: tests/core/samples/base.py
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from graphlab.ops import load_all
from tests.core.samples.base import SIGNED, Arg, M, S, Sample, V, name_of

load_all()
import_module("graphlab.autograd.context")  # its operation "custom" has samples, too
FAMILIES = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
SAMPLES: list[Sample] = [s for family in FAMILIES for s in getattr(family, "SAMPLES", [])]
KINKS: list[Sample] = [s for family in FAMILIES for s in getattr(family, "KINKS", [])]
REFUSED: list[Sample] = [s for family in FAMILIES for s in getattr(family, "REFUSED", [])]
NOT_PROVED = {name: why for f in FAMILIES for name, why in getattr(f, "NOT_PROVED", {}).items()}
EQUIVALENT = {key: why for f in FAMILIES for key, why in getattr(f, "EQUIVALENT", {}).items()}

__all__ = [
    "EQUIVALENT", "KINKS", "NOT_PROVED", "REFUSED", "SAMPLES", "SIGNED", "Arg", "M", "S", "Sample",
    "V", "name_of",
]  # fmt: skip
