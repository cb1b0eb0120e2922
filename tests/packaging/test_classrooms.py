"""What the files for Binder and dev containers name is there, and new enough.

Read next: docs/classroom.md
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
OLDEST = tuple(map(int, re.findall(r"\d+", PROJECT["requires-python"])))
NODE = int(re.search(r"^NODE = (\d+)", (ROOT / "dev.py").read_text("utf-8"), re.MULTILINE)[1])  # type: ignore[index]


def version(text: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", text)))


def test_binder_has_a_python_and_a_node_that_are_new_enough():
    wanted = yaml.safe_load((ROOT / ".binder" / "environment.yml").read_text("utf-8"))
    versions = dict(one.split("=") for one in wanted["dependencies"] if "=" in one)
    assert version(versions["python"]) >= OLDEST
    assert version(versions["nodejs"]) >= (NODE,)


def test_binder_installs_extras_that_exist_with_a_script_that_runs():
    script = ROOT / ".binder" / "postBuild"
    assert os.access(script, os.X_OK)
    (extras,) = re.findall(r'"\.\[(.+)\]"', script.read_text("utf-8"))
    assert set(extras.split(",")) <= set(PROJECT["optional-dependencies"])
    scripts = json.loads((ROOT / "js" / "package.json").read_text("utf-8"))["scripts"]
    assert "build" in scripts


def test_the_dev_container_sets_up_with_a_command_of_dev_py():
    container = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text("utf-8"))
    assert version(container["image"].rpartition(":")[2]) >= OLDEST
    (node,) = container["features"].values()
    assert version(node["version"]) >= (NODE,)
    assert container["postCreateCommand"].startswith("python3 dev.py ")
