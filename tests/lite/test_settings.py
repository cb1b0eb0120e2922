"""Where the browser gets each file: from the site itself, or Pyodide's from its network."""

from __future__ import annotations

import json
import re
from pathlib import Path

import build
import pytest
from pyodide_files import LOCK, NETWORK, PyodideFilesError, core_files, package_files
from wheels import AT_START, HERE, KERNELS_OWN, NEEDS, Package, files_at_start, write_lock

NAMES = [*re.findall(r"^([\w-]+)==", (HERE / "wheels.txt").read_text("utf-8"), re.M), *KERNELS_OWN]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """The folder static/pyodide of a site, as far as its lists know it."""
    folder = tmp_path / "static" / "pyodide"
    folder.mkdir(parents=True)
    return folder


def packages(place: Path, monkeypatch: pytest.MonkeyPatch, names: list[str]) -> list[Package]:
    """Stand-ins of the archives; nothing is imported from them."""
    monkeypatch.setattr(Package, "imports", lambda package: [package.name])
    wheels = [f"{name.replace('-', '_')}-1.0-py3-none-any.whl" for name in names]
    made = [Package(Path(wheel)) for wheel in wheels]
    for package in made:
        (place / package.archive).write_bytes(b"")
    return made


def test_a_self_contained_site_has_no_address_of_another_host(place, monkeypatch):
    for name in core_files() | package_files():
        (place / name).write_bytes(b"")
    write_lock(place, packages(place, monkeypatch, [*NAMES, "graphlab"]), NETWORK)
    lock = (place / "pyodide-lock.json").read_text("utf-8")
    assert "://" not in lock
    assert not any("://" in file["url"] for file in files_at_start(place, ""))
    settings = configured(place, self_contained=True)
    assert "://" not in json.dumps(settings)
    assert settings["disablePyPIFallback"] is True


def test_another_site_takes_pyodides_files_and_no_others_from_its_network(place, monkeypatch):
    write_lock(place, packages(place, monkeypatch, [*NAMES, "graphlab"]), NETWORK)
    known = json.loads((place / "pyodide-lock.json").read_text("utf-8"))["packages"]
    away = {name for name, entry in known.items() if entry["file_name"].startswith(NETWORK)}
    assert away == set(LOCK["packages"])
    assert configured(place, self_contained=False)["pyodideUrl"] == f"{NETWORK}pyodide.mjs"
    elsewhere = [f["url"] for f in files_at_start(place, NETWORK) if f["url"].startswith(NETWORK)]
    assert len(elsewhere) == len(core_files()) + 1  # and NumPy; matplotlib waits for its import


def test_what_a_package_needs_is_in_the_lock(place, monkeypatch):
    assert set(NEEDS) <= {*(name.replace("_", "-") for name in NAMES), "graphlab"}
    without = [name for name in NAMES if name != "traitlets"]
    with pytest.raises(PyodideFilesError, match="the site needs traitlets, and no wheel has it"):
        write_lock(place, packages(place, monkeypatch, [*without, "graphlab"]), NETWORK)


def test_the_kernel_has_nothing_to_install_when_it_starts():
    # what the kernel's worker installs from PyPI unless it is named in these settings
    assert {"ipykernel", "comm", "pyodide-kernel", "jedi", "ipython", "micropip"} <= set(AT_START)


def configured(place: Path, self_contained: bool) -> dict:
    """The kernel's settings after build.configure."""
    out = place.parents[1]
    (out / "jupyter-lite.json").write_text('{"jupyter-config-data": {}}', "utf-8")
    build.configure(out, self_contained)
    settings = json.loads((out / "jupyter-lite.json").read_text("utf-8"))
    return settings["jupyter-config-data"]["litePluginSettings"][build.KERNEL]
