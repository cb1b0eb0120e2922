"""The table of contents: every name in it is there, and nothing is loaded before it is used.

Read next: graphlab/common/public.py
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from importlib import import_module
from inspect import Parameter, isclass, isfunction, signature
from pathlib import Path

import pytest

import graphlab
from graphlab.common.public import FUNCTIONS, IN_PLACE, METHODS, TABLE
from graphlab.nn import functional as nn_functional
from graphlab.tensor import functions
from tests.core.public_names import derive_exports


def test_the_table_is_what_the_marks_of_the_modules_say():
    advice = "run `python -m tests.core.public_names --update`"
    derived = derive_exports()
    held = {
        kinds: {module: names.split() for module, names in modules.items()}
        for kinds, modules in TABLE.items()
    }
    assert held == derived, advice


def test_a_name_stands_in_the_table_once():
    names = [name for t in TABLE.values() for names in t.values() for name in names.split()]
    assert [name for name, n in Counter(names).items() if n > 1] == []


@pytest.mark.parametrize("module", sorted({module for table in TABLE.values() for module in table}))
def test_a_module_has_the_names_that_the_table_says(module):
    home = import_module(f"graphlab.{module}")
    names = [name for table in TABLE.values() for name in table.get(module, "").split()]
    assert [name for name in names if not hasattr(home, name)] == []


def test_no_module_hides_the_function_of_its_name():
    modules = {path.stem for path in Path(functions.__file__).parent.glob("*.py")}
    assert modules & {*FUNCTIONS, *METHODS} == set()


def test_functions_and_methods_are_the_ones_of_their_modules():
    for name in FUNCTIONS:
        assert getattr(graphlab, name) is not None
    for name in METHODS:
        assert isfunction(getattr(graphlab.Tensor, name))
    for name in IN_PLACE:
        assert isfunction(getattr(graphlab.Tensor, f"{name}_"))


def test_every_function_of_nn_functional_is_there():
    for name in nn_functional.HOMES:
        found = getattr(nn_functional, name)
        assert isfunction(found) or isclass(found)


def test_a_name_that_does_not_exist_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'graphlab' has no attribute 'nothing'"):
        _ = graphlab.nothing
    with pytest.raises(AttributeError, match="'nothing'"):
        _ = nn_functional.nothing


def test_what_is_not_used_is_not_loaded():
    code = "import graphlab, sys, json; print(json.dumps(sorted(sys.modules)))"
    loaded = json.loads(subprocess.run([sys.executable, "-c", code], capture_output=True).stdout)
    ours = [name for name in loaded if name.startswith("graphlab.")]
    assert "graphlab.tensor.functions.pointwise" in ours
    unwanted = ("graphlab.ops.trigonometry", "graphlab.tensor.functions.ranking", "graphlab.nn")
    assert [name for name in ours if name.startswith(unwanted)] == []
    assert {"sympy", "torch", "ipywidgets", "anywidget", "graphviz"}.isdisjoint(loaded)


FIRST = """
import importlib, pkgutil, sys
names = [one.name for one in pkgutil.iter_modules(importlib.import_module("graphlab.ops").__path__)]
for name in names:  # each as the first one, as a program that begins with `torch.frac` loads it
    for loaded in [one for one in sys.modules if one.partition(".")[0] == "graphlab"]:
        del sys.modules[loaded]
    importlib.import_module(f"graphlab.ops.{name}")
"""


def test_any_file_of_operations_can_be_loaded_first():
    done = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True)
    assert done.stderr == ""


def test_dir_names_what_is_public():
    private = {"common", "methods", "ops", "primitives", "Any", "import_module", "HOMES"}
    assert private.isdisjoint(dir(graphlab))
    assert {"relu", "trace", "nn", "__version__"} <= set(dir(graphlab))


def test_a_function_shows_its_arguments_also_the_copy_of_a_view_and_a_change_in_place():
    copies = [name for name in dir(graphlab) if name.endswith("_copy")]
    changes = ["as_strided_", "squeeze_", "swapaxes_", "transpose_", "unsqueeze_"]
    assert len(copies) > 15
    for home, names in ((graphlab, copies), (graphlab.Tensor, changes)):
        for name in names:
            kinds = {one.kind for one in signature(getattr(home, name)).parameters.values()}
            assert name.startswith("split") or Parameter.VAR_KEYWORD not in kinds, name
    assert str(signature(graphlab.t_copy)).startswith(
        "(input: graphlab.tensor.tensor.Tensor, *, out"
    )
