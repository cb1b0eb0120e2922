"""The public names of GraphLab, and the page of the reference on which each of them stands.

`PAGES` is the order in which a reader meets them. A name that no page claims is an error, so that
a new module gets its place.

Read next: site/reference.py.
"""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import Any, NamedTuple

import graphlab
from graphlab.common.public import OPERATIONS
from graphlab.tensor.functions import public_op


class Page(NamedTuple):
    """A page of the reference: its file, its title, a sentence, and its names with dots."""

    slug: str
    title: str
    about: str
    names: list[str]


# The functions of `graphlab` itself: (file, title, sentence, the modules that they come from)
FAMILIES = [
    ("creation", "Making tensors", "From numbers, from arrays, and filled with one value.",
     "tensor.creation tensor.creation_like tensor.ranges tensor.legacy"),
    ("chance", "Random numbers", "The same seed gives PyTorch's numbers.", "tensor.random"),
    ("entries", "Elementwise functions", "Functions of each entry, and of two broadcast tensors.",
     "ops.elementwise ops.trigonometry ops.exponentials ops.probability ops.rounding "
     "ops.special_functions ops.choosing "
     "tensor.functions.pointwise tensor.functions.transcendental "
     "tensor.functions.rounding tensor.functions.bits tensor.functions.steps"),
    ("reductions", "Sums, means and orders", "Many entries become one, or change their order.",
     "tensor.functions.reductions tensor.functions.statistics "
     "tensor.functions.counting tensor.functions.ranking"),
    ("shapes", "Shapes and views", "The same entries in another shape.",
     "tensor.functions.arrange tensor.functions.shapes tensor.functions.splitting "
     "tensor.functions.joining "
     "tensor.functions.shared_memory tensor.functions.conversions"),
    ("indexing", "Choosing and replacing entries", "Entries are taken out or written by index.",
     "tensor.functions.choosing tensor.functions.picking tensor.functions.putting "
     "tensor.functions.index_slices"),
    ("matrices", "Matrices", "Products, factors, diagonals and distances.",
     "tensor.functions.matrix_product tensor.functions.products tensor.functions.contractions "
     "tensor.functions.einsums tensor.functions.triangular_factors "
     "tensor.functions.factoring tensor.functions.solving "
     "tensor.functions.diagonals tensor.functions.distances"),
    ("in_place", "Functions that write in place", "Each writes its result into its first argument.",
     "tensor.inplace tensor.functions.replacing"),
    ("layers", "Layers as functions", "PyTorch has these both in `torch` and in `nn.functional`.",
     "nn.functional"),
    ("settings", "Types, devices and settings", "Settings for all tensors, or for a block of code.",
     "amp common autograd tensor.casting tensor.printing compat"),
]  # fmt: skip

# The modules: (module, title, sentence)
MODULES = [
    ("autograd", "Backward passes, gradients, custom functions, and anomaly mode."),
    ("autograd.functional", "Jacobians and Hessians of functions."),
    ("autograd.graph", "Nodes, edges, and hooks on what is saved."),
    ("autograd.forward_ad", "Forward-mode derivatives."),
    ("func", "Transformations of functions: `grad`, `vjp`, `jvp`, `vmap`."),
    ("nn", "Modules: layers with weights."),
    ("nn.functional", "The same layers as functions."),
    ("nn.init", "Ways to fill weights before training."),
    ("nn.utils", "Clipping of gradients, and parameters as one vector."),
    ("nn.utils.parametrize", "Parameters that are computed whenever they are read."),
    ("nn.utils.parametrizations", "Weight norm and spectral norm."),
    ("nn.utils.prune", "Parameters times masks of zeros and ones."),
    ("nn.utils.rnn", "Sequences of unequal length."),
    ("optim", "Optimizers."),
    ("optim.lr_scheduler", "Schedules of the learning rate."),
    ("optim.swa_utils", "Averages of parameters over training."),
    ("utils.data", "Data sets and loaders."),
    ("utils.checkpoint", "Less memory for more time."),
    ("utils.hooks", "Handles of hooks."),
    ("utils.benchmark", "Timers."),
    ("linalg", "Linear algebra."),
    ("special", "Special functions."),
    ("distributions", "Probability distributions."),
    ("random", "Seeds and generators."),
    ("testing", "Comparing tensors in tests."),
    ("exercises", "Exercises that check themselves, for lessons in notebooks."),
    ("plots", "Plots of a backward pass, with matplotlib."),
    ("jit", "PyTorch's names for its compiler; they have no effect here."),
    ("accelerator", "PyTorch's names for devices; here the CPU is the only one."),
    ("backends", "PyTorch's names for back ends; here there are none."),
    ("amp", "PyTorch's names for mixed precision, which is off without a GPU."),
    ("cuda", "PyTorch's names for GPUs; here there are none."),
]
LOOKING = [
    "hello", "draw", "trace", "record", "step", "explore", "compare", "check", "formula", "scope",
    "Question", "Timeline",
]  # fmt: skip


def names_of(module: str) -> list[str]:
    """Return the names that a module offers, in alphabetical order."""
    path = f"faces.{module}" if module in graphlab.FACES else module
    found = import_module(f"graphlab.{path}".rstrip("."))
    offered = {*getattr(found, "__all__", ()), *getattr(found, "HOMES", ())}
    if not offered:
        offered = {name for name in dir(found) if defined_in(found, name)}
    return sorted(
        name for name in offered if not name.startswith("_") and not is_module(found, name)
    )


def defined_in(module: Any, name: str) -> bool:
    """Say whether a module without a list of its names has made this one itself."""
    value = vars(module).get(name)
    home = getattr(value, "__module__", "") if callable(value) else type(value).__module__
    return home == module.__name__


def is_module(place: Any, name: str) -> bool:
    """Say whether a name is a module, which has a page of its own."""
    return inspect.ismodule(getattr(place, name))


def home(name: str) -> str:
    """Return the module of graphlab that a function of the top comes from."""
    op = public_op(name)
    if name in OPERATIONS or (op and op.function):
        return f"ops.{op.__module__.rpartition('.')[2]}" if op else "ops.elementwise"
    return graphlab.HOMES.get(name, "")


def pages() -> list[Page]:
    """Return every page of the reference but those of Tensor and of results."""
    top = sorted({*names_of(""), *OPERATIONS} - {*LOOKING, "Tensor"})
    found = []
    taken: set[str] = set()
    for slug, title, about, homes in FAMILIES:
        mine = [name for name in top if name not in taken and comes_from(name, homes.split())]
        if slug == "settings":  # constants and types have no home
            mine = [name for name in top if name not in taken and (name in mine or not home(name))]
        if slug == "creation":
            mine = [*{*mine, "tensor"}]
        taken.update(mine)
        found.append(Page(slug, title, about, [f"graphlab.{name}" for name in sorted(mine)]))
    if left := set(top) - taken:
        raise LookupError(f"site/public_names.py gives no page to {sorted(left)}")
    for module, about in MODULES:
        names = [f"graphlab.{module}.{name}" for name in names_of(module)]
        found.append(Page(module.replace(".", "_"), f"graphlab.{module}", about, names))
    looking = [f"graphlab.{name}" for name in LOOKING]
    about = "GraphLab's own calls: the graph, the walk, the recording, the proof."
    return [Page("looking", "See autograd", about, looking), *found]


def comes_from(name: str, homes: list[str]) -> bool:
    """Say whether a function's home is one of these modules, or stands below one of them."""
    return any(f"{home(name)}.".startswith(f"{place}.") for place in homes)


def result_classes() -> dict[str, type]:
    """Return the classes of what GraphLab's own calls return, by their full names."""
    from graphlab.adapters.native.recording import Recording
    from graphlab.faces.render.drawing import Drawing
    from graphlab.faces.render.two_graphs import Comparison
    from graphlab.faces.symbolic.report import Report, Row
    from graphlab.faces.widgets.explorer import Explorer
    from graphlab.faces.widgets.stepper import Stepper

    classes = (Drawing, Recording, Comparison, Report, Row, Stepper, Explorer)
    return {f"{one.__module__}.{one.__name__}": one for one in classes}
