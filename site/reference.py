"""The reference: a page for each family of public names, written from signatures and docstrings.

Every name is an object of Sphinx's Python domain, so that it has an anchor, is found by the
search, and can be linked to.

Read next: site/docstrings.py.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from docstrings import to_markdown
from pages import write
from public_names import Page, pages, result_classes

import graphlab

INTRODUCTION = """# Reference

This reference describes every public name with its signature and arguments. The names are
PyTorch's, except those of [](looking.md). A shape such as `(N, K)` lists the sizes of a tensor;
`(...)` is any shape.

"""
PATHS = r"\b(?:graphlab|collections|typing|numpy|builtins|pathlib|types)\.(?:\w+\.)*(?=\w)"


def write_reference(folder: Path) -> None:
    """Write every page of the reference into `folder`."""
    table = [*pages(), *tensor_pages()]
    rows = []
    for page in table:
        body = "\n\n".join(entry(name) for name in page.names)
        write(folder / f"{page.slug}.md", f"# {page.title}\n\n{page.about}\n\n{body}\n")
        rows.append(f"| [{page.title}]({page.slug}.md) | {page.about} | {len(page.names)} |")
    body = "\n\n".join(class_entry(name, thing) for name, thing in result_classes().items())
    write(
        folder / "results.md",
        f"# What the calls return\n\nYou need not import these classes.\n\n{body}\n",
    )
    rows.append("| [What the calls return](results.md) | Drawings, timelines, reports. | |")
    contents = "\n".join(
        ["```{toctree}", ":hidden:", "", *[p.slug for p in table], "results", "```"]
    )
    rows_text = "\n".join(["| page | contents | names |", "|---|---|--:|", *rows])
    write(folder / "index.md", f"{INTRODUCTION}{rows_text}\n\n{contents}\n")


def tensor_pages() -> list[Page]:
    """Return the pages of the class Tensor: what is its own, what is a function too, in place."""
    names = sorted(name for name in dir(graphlab.Tensor) if not name.startswith("_"))
    for name in names:
        getattr(graphlab.Tensor, name)  # some functions are loaded on first use
    values = {name: inspect.getattr_static(graphlab.Tensor, name) for name in names}
    attributes = [name for name in names if not callable(values[name])]
    methods = [name for name in names if name not in attributes]
    writing = [name for name in methods if name.endswith("_")]
    others = [name for name in methods if not name.endswith("_")]
    shared = [name for name in others if hasattr(graphlab, name)]
    own = [name for name in others if name not in shared]
    dotted = "graphlab.Tensor.{}".format
    return [
        Page("tensor", "Tensor", "Attributes, and methods without a function of the same name.",
             ["graphlab.Tensor", *map(dotted, attributes), *map(dotted, own)]),
        Page("tensor_methods", "Tensor: methods that are also functions",
             "`x.sum(0)` is `graphlab.sum(x, 0)`.", list(map(dotted, shared))),
        Page("tensor_in_place", "Tensor: methods that write in place",
             "Each writes its result over the entries of the tensor.", list(map(dotted, writing))),
    ]  # fmt: skip


def found(name: str) -> Any:
    """Return what a name with dots stands for."""
    value: Any = graphlab
    for part in name.split(".")[1:]:
        value = (
            inspect.getattr_static(value, part)
            if value is graphlab.Tensor
            else getattr(value, part)
        )
    return value


def entry(name: str) -> str:
    """Return the description of one public name."""
    value = found(name)
    member = name.startswith("graphlab.Tensor.")
    if isinstance(value, (staticmethod, classmethod)):
        value = value.__func__
    if inspect.isclass(value):
        return class_entry(name, value)
    if inspect.isroutine(value) or inspect.isfunction(getattr(value, "__wrapped__", None)):
        return described("method" if member else "function", name, value, bound=member)
    text = to_markdown(documented(name, value)) if member else worth(value)
    return directive("attribute" if member else "data", name, text)


def documented(name: str, value: Any) -> str:
    """Return the docstring of a function, class or property; an error if there is none."""
    return inspect.getdoc(value) or missing(name)


def missing(name: str) -> str:
    """Raise the error that names what has no docstring."""
    raise LookupError(f"{name} has no docstring")


def worth(value: Any) -> str:
    """Say what a constant is."""
    return f"`{value!r}`" if len(repr(value)) < 60 else f"An instance of `{type(value).__name__}`."


def class_entry(name: str, value: type) -> str:
    """Return a class with the methods that it, or a base without an entry, defines and explains."""
    parts = [to_markdown(inspect.getdoc(value) or "", parameters_of(value))]
    for method, thing in members(value) if name != "graphlab.Tensor" else ():
        whole = f"{name}.{method}"
        if isinstance(thing, property):
            parts.append(directive("attribute", whole, to_markdown(inspect.getdoc(thing) or ""), 3))
        else:
            parts.append(described("method", whole, thing, bound=True, ticks=3))
    kind = "exception" if issubclass(value, BaseException) else "class"
    return directive(kind, f"{name}{signature(value)}", "\n\n".join(parts), 4)


def members(value: type) -> Iterator[tuple[str, Any]]:
    """Give the public methods and properties that have a docstring, but no entry elsewhere."""
    elsewhere = {one for base in value.__mro__[1:] if base in entries() for one in base.__mro__}
    ours = [
        kind
        for kind in value.__mro__
        if kind is value or (kind not in elsewhere and kind.__module__.startswith("graphlab."))
    ]
    for name, thing in {
        name: one for kind in ours[::-1] for name, one in vars(kind).items()
    }.items():
        thing = getattr(thing, "__func__", thing)
        if name.startswith("_") or not (inspect.isfunction(thing) or isinstance(thing, property)):
            continue
        if thing.__doc__:
            yield name, thing


@cache
def entries() -> set[type]:
    """Return the classes that have an entry."""
    values = (found(name) for page in pages() for name in page.names)
    return {graphlab.Tensor, *(value for value in values if inspect.isclass(value))}


def described(kind: str, name: str, value: Any, bound: bool = False, ticks: int = 3) -> str:
    """Return a function or a method with its signature and its docstring."""
    text = to_markdown(documented(name, value), parameters_of(value))
    return directive(kind, f"{name}{signature(value, bound)}", text, ticks)


def directive(kind: str, head: str, body: str, ticks: int = 3) -> str:
    """Return an entry of the Python domain; entries inside of it have fewer ticks."""
    fence = ":" * ticks
    return f"{fence}{{py:{kind}}} {head}\n\n{body}\n{fence}"


def parameters_of(value: Any) -> list[str]:
    """Return the names of the parameters, none where they are unknown."""
    try:
        return list(inspect.signature(value).parameters)
    except (TypeError, ValueError):
        return []


def signature(value: Any, bound: bool = False) -> str:
    """Return the signature as text, with types by their last names. bound: without the tensor."""
    try:
        known = inspect.signature(value)
    except (TypeError, ValueError):
        return "(...)"
    parameters = list(known.parameters.values())
    text = str(known.replace(parameters=parameters[1:] if bound else parameters))
    text = re.sub(r"<factory>|<object object at \w+>|Ellipsis", "...", text)
    text = re.sub(r"<(?:function|class|built-in function) '?([\w.]+)[^>]*>", r"\1", text)
    text = re.sub(r"(?<=: )'([^']*)'|(?<=-> )'([^']*)'", lambda m: m[1] or m[2], text)
    return re.sub(PATHS, "", text).removesuffix(" -> None")
