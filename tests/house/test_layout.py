"""The house keeps its shape: few entries, no circles, short files, one idea to a file name.

What still offends stands in the sets below. A set only shrinks: a file that no longer offends
must leave it, or the test fails.

Read next: tests/house/test_docstrings.py
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import PurePosixPath

from tests.house.source import ROOT, Imports, circles, imports, parsed, source_files

MOST_ENTRIES = 12
MOST_LINES = 400

IN_A_CIRCLE: set[str] = set()
TOO_LONG: set[str] = set()
MAKES_CODE: set[str] = set()
# The magics compile and run the cell that the reader wrote, as IPython does.
RUNS_THE_READERS_CELL = {"graphlab/faces/magics.py"}

# Two files may have the same name where they are one idea in several layers: in the folders of one
# of these families, or in the folders that stand at that name below.
FAMILIES = [
    {  # a family of operations: its readings, rules, functions and modules
        *("primitives/numpy_reading", "primitives/sympy_reading"),
        *("ops", "tensor/functions", "nn/functional", "nn"),
    },
    {
        "adapters/native",
        "adapters/pytorch",
    },  # a step for either library's tensors
]
ONE_IDEA = {
    "functional.py": {"autograd", "compat"},  # torch.autograd.functional, torch.functional
    "hooks.py": {"autograd", "utils"},  # torch.utils.hooks is a path to the first one's handle
    "indexing.py": {"ops", "tensor"},  # the rules of x[key], and how a key is taken apart
    "linalg.py": {"ops", "compat"},  # the rules of torch.linalg's functions, and its names
    "writing.py": {"ops", "tensor"},  # the rules of copy_, fill_ and zero_, and the functions
}


def assert_only(found: set[str], known: set[str], problem: str = "new offenders") -> None:
    """Fail when a file offends that is not known, or is known and no longer offends."""
    assert sorted(found - known) == [], problem
    assert sorted(known - found) == [], "no longer offend: remove them from the set above"


def test_the_package_has_at_most_twelve_entries():
    entries = {name.split("/")[1] for name in source_files("graphlab", "")}
    assert len(entries - {"__init__.py", "py.typed"}) <= MOST_ENTRIES, sorted(entries)


def test_no_files_import_each_other_in_a_circle():
    found = circles(imports())
    assert_only({file for circle in found for file in circle}, IN_A_CIRCLE)


def test_circles_are_found():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set()}) == [["b", "c"]]
    assert circles({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


def test_a_module_that_is_imported_by_its_name_counts():
    collector = Imports("a", {"graphlab.b": "b"})
    collector.visit(ast.parse("def load():\n    return import_module('graphlab.b').B"))
    assert collector.found == {"b"}


def test_no_file_is_too_long():
    files = [*source_files("graphlab", ".py"), *source_files("js/src", ".ts")]
    lengths = {file: (ROOT / file).read_text("utf-8") for file in files}
    long = {
        file
        for file, text in lengths.items()
        if text.count("\n") > MOST_LINES and "generated from" not in text[:300].lower()
    }
    assert_only(long, TOO_LONG, f"longer than {MOST_LINES} lines: make two files of it")


def same_named(files: Iterable[str]) -> set[str]:
    """The files that share their name with another, although they are not one idea in layers."""
    folders = defaultdict(set)
    for file in files:
        path = PurePosixPath(file)
        folders[path.name].add(str(path.parent.relative_to("graphlab")))
    allowed = {name: [*FAMILIES, ONE_IDEA.get(name, set())] for name in folders}
    return {
        f"{folder}/{name}"
        for name, found in folders.items()
        if name not in ("__init__.py", "__main__.py") and len(found) > 1
        if not any(found <= family for family in allowed[name])
        for folder in found
    }


def test_a_file_name_stands_for_one_idea():
    files = source_files("graphlab", ".py")
    assert sorted(same_named(files)) == []
    together = [*FAMILIES, *ONE_IDEA.values()]
    assert all((ROOT / "graphlab" / folder).is_dir() for family in together for folder in family)
    missing = [
        f"{folder}/{name}"
        for name, family in ONE_IDEA.items()
        for folder in family
        if f"graphlab/{folder}/{name}" not in files
    ]
    assert missing == [], "no longer there: remove it from the table above"


def test_files_of_the_same_name_are_found():
    two_ideas = ["graphlab/autograd/engine.py", "graphlab/adapters/pytorch/engine.py"]
    assert same_named(two_ideas) == {"autograd/engine.py", "adapters/pytorch/engine.py"}
    assert same_named(["graphlab/ops/pooling.py", "graphlab/nn/pooling.py"]) == set()
    assert same_named(["graphlab/ops/__init__.py", "graphlab/graph/__init__.py"]) == set()


def makes_code(tree: ast.Module) -> bool:
    """Whether a file names the builtin exec, eval or compile, or reads bytecode."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id="exec" | "eval" | "compile"):
                return True
            case ast.Attribute(value=ast.Name(id="builtins"), attr="exec" | "eval" | "compile"):
                return True
            case ast.Attribute(attr="co_code"):
                return True
    return False


def test_no_code_is_made_from_text_or_recognised_by_its_bytecode():
    found = {file for file in source_files("graphlab", ".py") if makes_code(parsed(file))}
    assert_only(found, MAKES_CODE | RUNS_THE_READERS_CELL)


def test_made_code_is_found():
    assert makes_code(ast.parse("exec('x = 1')"))
    assert makes_code(ast.parse("import builtins\nrun = builtins.eval"))
    assert makes_code(ast.parse("same = f.__code__.co_code == g.__code__.co_code"))
    assert not makes_code(ast.parse("re.compile('x'); module.eval()"))


# What a node and a tensor hold under names of their own. PyTorch's stand-ins have the same slots,
# which two files write. The checker reads a live graph.
SLOTS = {
    *("_at", "_code", "_constants", "_extra", "_more", "_needs", "_next", "_node", "_options"),
    *("_reduce", "_saved", "_sequence"),
}
MAY_READ_SLOTS = (
    *("graphlab/adapters/native/", "graphlab/faces/symbolic/"),
    *("graphlab/adapters/pytorch/stand_ins.py", "graphlab/adapters/pytorch/known_nodes.py"),
)
ABOVE_THE_CORE = ("graphlab/adapters/", "graphlab/faces/", "graphlab/graph/")


def slots_read(source: ast.AST) -> set[str]:
    """The slots of nodes and tensors that some code asks another object for."""
    asked = [node for node in ast.walk(source) if isinstance(node, ast.Attribute)]
    return {
        node.attr
        for node in asked
        if node.attr in SLOTS and not (isinstance(node.value, ast.Name) and node.value.id == "self")
    }


def test_above_the_core_its_slots_are_read_in_adapters_native_and_by_the_checker_alone():
    files = [file for file in source_files("graphlab", ".py") if file.startswith(ABOVE_THE_CORE)]
    found = {file for file in files if slots_read(parsed(file))}
    assert not {file for file in found if not file.startswith(MAY_READ_SLOTS)}
    assert all(any(file.startswith(one) for file in found) for one in MAY_READ_SLOTS)
    assert slots_read(ast.parse("node._next, self._saved")) == {"_next"}


def read_next(file: str) -> list[str]:
    """The files that a file of the package names after "Read next:"."""
    said = re.search(r"^Read next: (.*)", (ROOT / file).read_text("utf-8"), flags=re.MULTILINE)
    return re.findall(r"[\w./-]+\.(?:py|md)\b", said[1]) if said else []


def test_read_next_names_another_file_that_is_there():
    for file in source_files("graphlab", ".py"):
        for name in read_next(file):
            found = [place for place in (name, f"graphlab/{name}") if (ROOT / place).is_file()]
            assert found, f"{file}: no file {name}"
            assert file not in found, f"{file} names itself"
    assert read_next("graphlab/autograd/record.py") == ["ops/elementwise.py"]
