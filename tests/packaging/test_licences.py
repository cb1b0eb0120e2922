"""What others made and the wheel holds is named, with its licence.

Read next: THIRD_PARTY_LICENSES.md
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "THIRD_PARTY_LICENSES.md").read_text("utf-8")
LISTED = ROOT / "graphlab" / "labextension" / "static" / "third-party-licenses.json"


def unnamed(names: list[str], page: str = PAGE) -> list[str]:
    return [name for name in names if f"`{name}`" not in page]


def test_an_unnamed_package_is_found():
    assert unnamed(["@lumino/widgets", "left-pad"]) == ["left-pad"]


def test_the_page_is_among_the_licences_of_the_wheel():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert "THIRD_PARTY_LICENSES.md" in project["license-files"]
    assert set(project["license"].split(" AND ")) == {"BSD-3-Clause", "MIT"}


def test_every_dependency_of_the_javascript_is_named():
    package = json.loads((ROOT / "js" / "package.json").read_text("utf-8"))
    assert unnamed(list(package["dependencies"])) == []


def test_every_package_that_the_extension_was_built_with_is_named():
    # what JupyterLab's builder lists; the bundles themselves are checked when they are built
    assert LISTED.is_file(), "the extension is not built: python3 dev.py build"
    packages = json.loads(LISTED.read_text("utf-8"))["packages"]
    assert unnamed([one["name"] for one in packages]) == []


def test_what_makes_the_bundles_is_named():
    tools = json.loads((ROOT / "js" / "package.json").read_text("utf-8"))
    named = {**tools["devDependencies"], **tools["overrides"]}
    for tool in ("esbuild", "@rspack/core"):  # they leave helper functions
        assert tool in named
        assert unnamed([tool]) == []
