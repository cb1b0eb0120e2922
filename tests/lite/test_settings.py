"""Where the browser gets each file: from the site itself, or Pyodide's from its network."""

from __future__ import annotations

import json
import re
from pathlib import Path

import build
import pytest
from pyodide_files import LOCK, NETWORK, PyodideFilesError, core_files, package_files
from wheels import AT_START, HERE, KERNELS_OWN, NEEDS, Package, files_to_fetch, write_lock

NAMES = re.findall(r"^([\w-]+)==", (HERE / "wheels.txt").read_text("utf-8"), re.M)
NAMES += [*KERNELS_OWN, "graphlab-site"]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """The folder of Python in a site, as far as its lists know it."""
    folder = tmp_path / build.PYTHON
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
    lock = write_lock(place, packages(place, monkeypatch, [*NAMES, "graphlab"]), NETWORK)
    assert "://" not in lock.read_text("utf-8")
    assert "://" not in json.dumps(files_to_fetch(lock, ""))
    settings = configured(place, lock, self_contained=True)
    assert "://" not in json.dumps(settings)
    assert settings["disablePyPIFallback"] is True


def test_another_site_takes_pyodides_files_and_no_others_from_its_network(place, monkeypatch):
    lock = write_lock(place, packages(place, monkeypatch, [*NAMES, "graphlab"]), NETWORK)
    known = json.loads(lock.read_text("utf-8"))["packages"]
    away = {name for name, entry in known.items() if entry["file_name"].startswith(NETWORK)}
    assert away == set(LOCK["packages"])
    assert configured(place, lock, self_contained=False)["pyodideUrl"] == f"{NETWORK}pyodide.mjs"
    files = files_to_fetch(lock, NETWORK)
    elsewhere = [f["url"] for f in files["start"] if f["url"].startswith(NETWORK)]
    assert len(elsewhere) == len(core_files()) + 1  # and NumPy; matplotlib waits for its import


def test_sympy_is_no_part_of_what_python_needs_to_start(place, monkeypatch):
    lock = write_lock(place, packages(place, monkeypatch, [*NAMES, "graphlab"]), NETWORK)
    files = files_to_fetch(lock, "")
    start, later = ({file["url"].split("-")[0] for file in files[when]} for when in files)
    assert later == {"sympy", "mpmath"}
    assert not start & later
    assert {"graphlab", "ipython", "pyodide.asm.wasm"} <= start


def test_a_file_of_another_content_has_another_name(place, monkeypatch):
    (one,) = packages(place, monkeypatch, ["comm"])
    (place / one.archive).write_bytes(b"1")
    one.name_by_content(place)
    (other,) = packages(place, monkeypatch, ["comm"])
    (place / other.archive).write_bytes(b"2")
    other.name_by_content(place)
    assert one.archive != other.archive
    assert {path.read_bytes() for path in place.iterdir()} == {b"1", b"2"}


def test_what_a_package_needs_is_in_the_lock(place, monkeypatch):
    assert set(NEEDS) <= {*(name.replace("_", "-") for name in NAMES), "graphlab"}
    without = [name for name in NAMES if name != "traitlets"]
    with pytest.raises(PyodideFilesError, match="the site needs traitlets, and no wheel has it"):
        write_lock(place, packages(place, monkeypatch, [*without, "graphlab"]), NETWORK)


def test_the_kernel_has_nothing_to_install_when_it_starts():
    # what the kernel's worker installs from PyPI unless it is named in these settings
    assert {"ipykernel", "comm", "pyodide-kernel", "jedi", "ipython", "micropip"} <= set(AT_START)


def configured(place: Path, lock: Path, self_contained: bool) -> dict:
    """The kernel's settings after build.configure."""
    out = place.parents[1]
    (out / "jupyter-lite.json").write_text('{"jupyter-config-data": {}}', "utf-8")
    build.configure(out, lock.name, self_contained)
    settings = json.loads((out / "jupyter-lite.json").read_text("utf-8"))
    return settings["jupyter-config-data"]["litePluginSettings"][build.KERNEL]
