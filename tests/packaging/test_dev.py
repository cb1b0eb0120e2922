"""The two commands say in one line what is wrong, and do their set-up once."""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import dev
from tests.browser import chromium

ROOT = Path(__file__).resolve().parents[2]
posix = pytest.mark.skipif(os.name == "nt", reason="makes programs out of shell scripts")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """As much of a clone as dev.py needs before it has set anything up."""
    shutil.copy(ROOT / "dev.py", tmp_path)
    return tmp_path


def run(clone: Path, *arguments: str, path: Path) -> subprocess.CompletedProcess[str]:
    """Run dev.py with nothing on PATH but what lies in `path`."""
    return subprocess.run(
        [sys.executable, "dev.py", *arguments],
        cwd=clone,
        env=os.environ | {"PATH": str(path)},
        capture_output=True,
        text=True,
    )


def program(folder: Path, name: str, script: str) -> Path:
    """Write a small shell script that stands in for a program."""
    file = folder / name
    file.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    file.chmod(0o755)
    return file


@pytest.mark.parametrize("command", ["lab", "test"])
def test_without_node_one_line_says_what_to_install(
    clone: Path, tmp_path: Path, command: str
) -> None:
    done = run(clone, command, path=tmp_path)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("dev.py: Node.js is not on PATH: install Node.js 20 or later")


@posix
def test_an_old_node_is_named(clone: Path, tmp_path: Path) -> None:
    program(tmp_path, "node", "echo v18.20.1")
    program(tmp_path, "npm", "exit 0")
    done = run(clone, "test", path=tmp_path)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("dev.py: Node.js v18.20.1 is too old: install Node.js 20 or later")


def test_an_unknown_command_lists_the_choices(clone: Path, tmp_path: Path) -> None:
    done = run(clone, "tset", path=tmp_path)
    assert done.returncode == 2
    assert "'lab', 'test', 'bench', 'site', 'build', 'clean'" in done.stderr


def test_a_stamp_that_is_damaged_is_no_stamp(tmp_path: Path) -> None:
    stamp = tmp_path / "stamp.json"
    assert dev.read_stamp(stamp) == {}
    stamp.write_text("{cut o", "utf-8")
    assert dev.read_stamp(stamp) == {}
    dev.write_stamp(stamp, inputs="abc")
    assert dev.read_stamp(stamp) == {"inputs": "abc"}


def test_a_digest_follows_names_and_contents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dev, "ROOT", tmp_path)
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text("x", "utf-8")
    two.write_text("y", "utf-8")
    before = dev.digest([one, two])
    assert dev.digest([two, one]) == before
    one.write_text("z", "utf-8")
    assert dev.digest([one, two]) != before


def test_the_javascript_is_rebuilt_for_sources_and_not_for_tests() -> None:
    names = {path.relative_to(dev.JS).as_posix() for path in dev.javascript_sources()}
    assert {"package.json", "package-lock.json", "src/widget.ts"} <= names
    assert not [name for name in names if name.startswith(("node_modules/", "test/", "lib/"))]


def test_the_lab_brings_what_save_needs_for_pictures_and_films(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wanted: list[set[str]] = []
    monkeypatch.setattr(dev, "set_up", wanted.append)
    monkeypatch.setattr(dev, "LESSON", "a lesson that is not there")  # so it stops here
    with pytest.raises(SystemExit):
        dev.command_lab(argparse.Namespace(), [])
    assert wanted == [{"lab", "export"}]
    needed = {"pillow", "reportlab", "resvg-py", "matplotlib"}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    export = project["optional-dependencies"]["export"]
    assert {requirement.split(">=")[0] for requirement in export} == needed


@pytest.mark.parametrize(("code", "summary"), [(0, ""), (1, "run this")])
def test_a_check_that_fails_says_what_to_do(code: int, summary: str) -> None:
    check = dev.Check(
        "lint", [sys.executable, "-c", f"raise SystemExit({code})"], advice="run this"
    )
    check.run({**os.environ})
    assert check.summary == summary


def test_every_test_is_run_by_exactly_one_part_of_python() -> None:
    places = {place for part in dev.PARTS.values() for place in part}
    assert [place for place in places if not (ROOT / place).exists()] == []
    parts = [{*map(str, check.commands[0])} for check in dev.python_checks(["pytest"], [])]
    files = [*(ROOT / "tests").rglob("test_*.py")]
    assert files
    for file in files:
        path = file.relative_to(ROOT)
        above = {one.as_posix() for one in (path, *path.parents)}
        asked = [bool(part & above) or not part & places for part in parts]
        ignored = [bool(part & {f"--ignore={one}" for one in above}) for part in parts]
        assert [a and not i for a, i in zip(asked, ignored, strict=True)].count(True) == 1, path


@pytest.mark.parametrize(
    ("arguments", "in_browser"),
    [([], "1"), (["--only=browser"], "1"), (["--only=python"], ""), (["--", "-k", "a"], "")],
)
def test_the_lessons_run_in_the_browser_only_if_all_of_its_tests_do(
    arguments: list[str], in_browser: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = []
    for name in ("set_up", "get_browser", "get_collaboration"):
        monkeypatch.setattr(dev, name, lambda *_: "")
    monkeypatch.setattr(dev, "run_checks", lambda checks, env, more: given.append(env))
    dev.main(["test", *arguments])
    assert given[0]["GRAPHLAB_LESSONS_IN_BROWSER"] == in_browser


@posix
def test_a_browser_that_does_not_start_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stub = program(tmp_path, "chromium", "echo 'requires the snap'; exit 1")
    good = program(tmp_path, "msedge", "echo 'Edge 150'")
    monkeypatch.setattr(chromium, "candidates", lambda: iter(["", str(stub), str(good)]))
    assert chromium.find() == str(good)


def test_a_browser_can_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHLAB_BROWSER", sys.executable)
    assert chromium.find() == sys.executable


@posix
def test_a_browser_that_cannot_be_installed_is_said_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chromium, "is_debian", lambda: False)
    python = program(tmp_path, "python", 'echo "no network: $*"; exit 1')
    said = chromium.install(python, dict(os.environ))
    assert said.splitlines()[-1] == "no network: -m playwright install chromium"


def test_pytorch_is_seen_whoever_put_it_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dev, "PYTHON", sys.executable)
    assert dev.has_torch() == (importlib.util.find_spec("torch") is not None)
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").touch()
    monkeypatch.chdir(tmp_path)
    assert dev.has_torch()
