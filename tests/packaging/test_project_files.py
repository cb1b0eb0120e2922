"""What CI, releases, conda and citations say of the project is what pyproject.toml says.

Read next: docs/releases.md
"""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = PYPROJECT["project"]
GITHUB = ROOT / ".github"
FILES = [
    *sorted(GITHUB.rglob("*.yml")),
    ROOT / ".pre-commit-config.yaml",
    ROOT / "CITATION.cff",
    ROOT / "recipe" / "recipe.yaml",
]
CONDA_NAMES = {"graphviz": "python-graphviz"}
STEP_KEYS = {"name", "uses", "run", "with", "if", "env", "working-directory"}


def read(path: Path) -> dict:
    return yaml.safe_load(path.read_text("utf-8"))


def bounds(requirements: list[str]) -> dict[str, str]:
    """Name -> lowest version."""
    found = {}
    for one in requirements:
        if match := re.match(r"([\w-]+) ?>=([\d.]+)", one):
            found[match[1]] = match[2]
    return found


def release(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_can_be_read(path):
    assert isinstance(read(path), dict)


def test_the_version_is_the_same_everywhere():
    version = PROJECT["version"]
    package = json.loads((ROOT / "js" / "package.json").read_text("utf-8"))
    found = {
        "js/package.json": package["version"],
        "CITATION.cff": str(read(ROOT / "CITATION.cff")["version"]),
        "recipe": read(ROOT / "recipe" / "recipe.yaml")["context"]["version"],
    }
    assert found == dict.fromkeys(found, version)
    assert f"## {version}" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_the_citation_has_what_the_format_asks_for():
    citation = read(ROOT / "CITATION.cff")
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    assert citation["cff-version"] == "1.2.0"
    assert [one["name"] for one in citation["authors"]] == [
        one["name"] for one in PROJECT["authors"]
    ]
    assert citation["license"] == PROJECT["license"].split(" AND ")[0]


def test_the_readme_is_read_in_two_screens_and_its_picture_is_small():
    text = (ROOT / "README.md").read_text("utf-8")
    assert len(text.splitlines()) <= 84  # 1,790 px in a column of 838, as repositories show it
    (picture,) = re.findall(r'<img src="(\S+)"', text)
    assert (ROOT / picture).stat().st_size <= 1_000_000
    assert "pip install graphlab" not in text  # until it is on PyPI


# -- CI ----------------------------------------------------------------------------------------


def test_ci_tests_the_oldest_and_the_newest_python_that_is_promised():
    jobs = read(GITHUB / "workflows" / "ci.yml")["jobs"]
    tested = jobs["test"]["strategy"]["matrix"]["python"]
    prefix = "Programming Language :: Python :: 3."
    promised = [
        f"3.{one.removeprefix(prefix)}" for one in PROJECT["classifiers"] if one.startswith(prefix)
    ]
    promised.sort(key=release)
    assert tested == [promised[0], promised[-1]]
    assert PROJECT["requires-python"] == f">={promised[0]}"
    assert PYPROJECT["tool"]["pyright"]["pythonVersion"] == promised[0]
    assert jobs["test"]["strategy"]["matrix"]["os"] == [
        "ubuntu-latest", "macos-latest", "windows-latest",
    ]  # fmt: skip


def test_ci_runs_the_command_that_a_desk_runs():
    import dev

    for name in ("ci.yml", "release.yml"):
        for job in read(GITHUB / "workflows" / name)["jobs"].values():
            for step in job["steps"]:
                assert set(step) <= STEP_KEYS
                assert ("run" in step) != ("uses" in step)
                if "setup-node" in step.get("uses", "") and "npm" not in job.get("environment", ""):
                    assert step["with"]["node-version"] == str(dev.NODE)
                for word in re.findall(r"dev\.py (\w+)", step.get("run", "")):
                    assert hasattr(dev, f"command_{word}")
                for check in re.findall(r"--only (\w+)", step.get("run", "")):
                    assert check in dev.CHECKS


def test_ci_tests_with_the_lowest_versions_that_are_allowed():
    lowest = {}
    for line in (GITHUB / "lowest-versions.txt").read_text("utf-8").splitlines():
        if match := re.match(r"([\w-]+)==([\d.]+)", line):
            lowest[match[1]] = match[2]
    extras = PROJECT["optional-dependencies"]
    wanted = bounds([*PROJECT["dependencies"], *extras["lab"], *extras["export"]])
    assert lowest == wanted
    job = read(GITHUB / "workflows" / "ci.yml")["jobs"]["lowest"]
    assert job["env"]["PIP_CONSTRAINT"].endswith("/.github/lowest-versions.txt")


def test_no_job_can_write_more_than_it_has_to():
    for name in ("ci.yml", "release.yml"):
        workflow = read(GITHUB / "workflows" / name)
        assert workflow["permissions"] == {"contents": "read"}
        for key, job in workflow["jobs"].items():
            rights = {"id-token": "write"} if key in ("pypi", "npm") else None
            assert job.get("permissions") == rights
        text = (GITHUB / "workflows" / name).read_text("utf-8")
        assert "secrets." not in text


# -- conda, hooks and forms --------------------------------------------------------------------


def test_the_recipe_asks_for_what_pip_asks_for():
    recipe = read(ROOT / "recipe" / "recipe.yaml")
    run = bounds(recipe["requirements"]["run"])
    assert run.pop("python") == PROJECT["requires-python"].removeprefix(">=")
    wanted = bounds(PROJECT["dependencies"])
    assert run == {CONDA_NAMES.get(name, name): low for name, low in wanted.items()}
    host = bounds(recipe["requirements"]["host"])
    assert host["hatchling"] == bounds(PYPROJECT["build-system"]["requires"])["hatchling"]
    assert recipe["about"]["license"] == PROJECT["license"]
    assert recipe["about"]["license_file"] == PROJECT["license-files"]


def test_each_hook_runs_a_check_that_exists():
    import dev

    scripts = json.loads((ROOT / "js" / "package.json").read_text("utf-8"))["scripts"]
    (repository,) = read(ROOT / ".pre-commit-config.yaml")["repos"]
    entries = {hook["id"]: hook["entry"] for hook in repository["hooks"]}
    assert set(entries) == {"lint", "types", "layers", "js"}
    for entry in entries.values():
        if match := re.fullmatch(r"python3 dev\.py test --only (\w+)", entry):
            assert match[1] in dev.CHECKS
        else:
            assert entry.removeprefix("npm --prefix js run ") in scripts


@pytest.mark.parametrize("name", ["bug", "idea", "lesson"])
def test_an_issue_form_asks_for_something(name):
    form = read(GITHUB / "ISSUE_TEMPLATE" / f"{name}.yml")
    assert {"name", "description", "body"} <= set(form)
    ids = [part["id"] for part in form["body"]]
    assert len(ids) == len(set(ids))
    assert any(part.get("validations", {}).get("required") for part in form["body"])
    for part in form["body"]:
        assert part["type"] in ("input", "textarea")
        assert part["attributes"]["label"]


def test_lowest_versions_are_read_off_requirements():
    assert bounds(["numpy>=2.1", "notebook>=7.6,<8", "python >=3.11", "ruff~=0.1"]) == {
        "numpy": "2.1", "notebook": "7.6", "python": "3.11",
    }  # fmt: skip
