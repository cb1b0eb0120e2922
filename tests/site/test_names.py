"""Every public name has a place in the reference, and is found by the search.

Read next: site/public_names.py
"""

from __future__ import annotations

import inspect
import re
import zlib
from importlib import import_module
from typing import Any

import pytest

import graphlab
from graphlab.common.public import OPERATIONS
from tests.house.test_docstrings import MISSING
from tests.site.built import SITE, pages

pytestmark = pytest.mark.site
EMPTY = re.compile(r'id="(graphlab[\w.]+)">(?:(?!<dt|<dd)[\s\S])*<dd>\s*</dd>')


def public_names() -> set[str]:
    """Every name that a user may call, from the tables of the package itself."""
    found = {f"graphlab.{name}" for name in {*graphlab.__all__, *OPERATIONS}}
    modules = [name.removeprefix("graphlab.") for name in MISSING if name != "graphlab"]
    for module in modules:
        place = import_module(f"graphlab.{module}")
        offered = {*getattr(place, "__all__", ()), *getattr(place, "HOMES", ())}
        short = module.removeprefix("faces.")
        found |= {f"graphlab.{short}.{name}" for name in offered}
    tensor = {name for name in dir(graphlab.Tensor) if not name.startswith("_")}
    return found | {f"graphlab.Tensor.{name}" for name in tensor}


def is_module(name: str) -> bool:
    """Say whether a name is a module: it has a page, or its parts have, and no entry."""
    place: Any = graphlab
    for part in name.split(".")[1:]:
        place = getattr(place, part)
    return inspect.ismodule(place)


def inventory() -> dict[str, str]:
    """The objects that the search knows: name -> page and anchor."""
    data = (SITE / "objects.inv").read_bytes()
    text = zlib.decompress(data.split(b"\n", 4)[4]).decode("utf-8")
    rows = re.findall(r"^(\S+) py:\w+ \S+ (\S+)", text, flags=re.M)
    return {name: place.replace("$", name) for name, place in rows}


def test_every_public_name_has_an_entry() -> None:
    known = inventory()
    missing = [name for name in sorted(public_names()) if name not in known and not is_module(name)]
    assert missing == []
    assert len(known) > 1500


def test_every_entry_has_its_anchor_and_says_something() -> None:
    for name, place in inventory().items():
        page, _, anchor = place.partition("#")
        assert anchor in pages()[SITE / page].anchors, name


def test_methods_that_a_class_has_from_a_base_without_an_entry_stand_under_the_class() -> None:
    known = inventory()
    methods = ("Timeline.find", "Timeline.state_at", "nn.Module.parameters", "nn.Module.to")
    assert [name for name in methods if f"graphlab.{name}" not in known] == []
    assert "graphlab.nn.Linear.parameters" not in known  # Module has an entry


def test_the_methods_of_tensors_stand_where_a_reader_looks() -> None:
    known = inventory()
    for name, page in {"sum": "methods", "add_": "in_place", "backward": "", "shape": ""}.items():
        assert known[f"graphlab.Tensor.{name}"].startswith(f"reference/tensor{page and '_'}{page}.")
    text = (SITE / "reference" / "tensor_methods.html").read_text("utf-8")
    assert text.count("&gt;&gt;&gt; ") > 500  # lines of examples


def test_no_entry_is_empty() -> None:
    found = [
        name
        for path in (SITE / "reference").glob("*.html")
        for name in EMPTY.findall(path.read_text("utf-8"))
    ]
    assert found == []
