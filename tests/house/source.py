"""The source of graphlab/ as its own checks see it: files, syntax trees, and who imports whom.

Read next: tests/house/test_layout.py
"""

from __future__ import annotations

import ast
import os
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "graphlab"
BUILT = ("labextension", "static", "__pycache__")  # folders that a build or a run writes


@cache
def source_files(folder: str, ending: str) -> tuple[str, ...]:
    """List the files below `folder` by their paths from the root: what git tracks, or all else."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", folder]
    if (ROOT / ".git").exists():
        names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        found = [name for name in names.stdout.splitlines() if (ROOT / name).exists()]
    else:
        found = [
            (Path(place) / file).relative_to(ROOT).as_posix()
            for place, inner, files in os.walk(ROOT / folder)
            for file in files
            if not set(Path(place).relative_to(ROOT).parts) & set(BUILT)
        ]
    return tuple(sorted(name for name in found if name.endswith(ending)))


@cache
def parsed(file: str) -> ast.Module:
    """Parse one file."""
    return ast.parse((ROOT / file).read_text("utf-8"), file)


def modules() -> dict[str, str]:
    """Map each module's name to its file.

    `compat/` is on the package's path, so its modules have a second, shorter name.
    """
    found = {}
    for file in source_files("graphlab", ".py"):
        parts = file.removesuffix(".py").removesuffix("/__init__").split("/")
        found[".".join(parts)] = file
        if parts[:2] == ["graphlab", "compat"] and len(parts) > 2:
            found.setdefault(".".join(["graphlab", *parts[2:]]), file)
    return found


class Imports(ast.NodeVisitor):
    """Collect the files that a file imports, wherever in it the import stands."""

    def __init__(self, file: str, known: dict[str, str]) -> None:
        """`known` maps module names to files; other modules are left out."""
        self.file, self.known = file, known
        self.found: set[str] = set()

    def visit_If(self, node: ast.If) -> None:
        """Skip what only a type checker imports."""
        if ast.unparse(node.test) not in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            self.visit(node.test)
            for line in node.body:
                self.visit(line)
        for line in node.orelse:
            self.visit(line)

    def visit_Call(self, node: ast.Call) -> None:
        """`import_module("a.b")` imports a.b, at whatever time it is called."""
        called = getattr(node.func, "id", getattr(node.func, "attr", None))
        match node.args:
            case [ast.Constant(value=name), *_] if called in ("import_module", "__import__"):
                self.found |= {self.known[name]} if name in self.known else set()
        self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> None:
        """`import a.b` imports a.b."""
        self.found |= {self.known[name.name] for name in node.names if name.name in self.known}

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """`from a import b` imports the module a.b where there is one, and else a."""
        base = node.module or ""
        if node.level:
            parts = self.file.split("/")[: -node.level]
            base = ".".join([*parts, *([base] if base else [])])
        for name in node.names:
            target = self.known.get(f"{base}.{name.name}", self.known.get(base))
            if target:
                self.found.add(target)


def imports() -> dict[str, set[str]]:
    """Map each file of graphlab/ to the files of graphlab/ that it imports."""
    known = modules()
    graph = {}
    for file in source_files("graphlab", ".py"):
        collector = Imports(file, known)
        collector.visit(parsed(file))
        graph[file] = collector.found - {file}
    return graph


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """List the groups of files that import each other in a circle.

    These are the strongly connected components of more than one file, by Tarjan's algorithm
    (Depth-first search and linear graph algorithms, 1972).

    >>> circles({"a": {"b"}, "b": {"c"}, "c": {"b"}})
    [['b', 'c']]
    """
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(file: str) -> None:
        order[file] = lowest[file] = len(order)
        stack.append(file)
        for other in sorted(graph[file]):
            if other not in order:
                visit(other)
            if other in stack:
                lowest[file] = min(lowest[file], lowest[other])
        if lowest[file] == order[file]:
            at = stack.index(file)
            group = stack[at:]
            del stack[at:]
            if len(group) > 1:
                found.append(sorted(group))

    for file in sorted(graph):
        if file not in order:
            visit(file)
    return sorted(found)
