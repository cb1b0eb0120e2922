"""What leaves the house: the wheel and the sdist, installed where there is no node.

The wheel is built from the tree, put into a fresh environment, and looked at from there. The
dependencies are lent to that environment by a .pth file, so that the test needs no network.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from graphlab.faces.render.html import player_files

ROOT = Path(__file__).resolve().parents[2]
SHARE = "graphlab-0.1.0.data/data/share/jupyter/labextensions/graphlab-jupyter/"
LIMIT = 1_500_000  # bytes: of the wheel
WIDGET_LIMIT = 80 * 1024  # bytes: `_esm` travels with every widget into saved notebooks
NEEDED_TO_BUILD = (
    "pyproject.toml", "hatch_build.py", "LICENSE", "THIRD_PARTY_LICENSES.md", "README.md",
)  # fmt: skip
HEAVY = ["sympy", "ipywidgets", "anywidget", "graphviz", "IPython", "matplotlib", "torch"]


def run(*command: str | Path, cwd: Path = ROOT, **env: str) -> str:
    """Run a program and give what it printed; the test fails, with its words, when it does."""
    words = [str(word) for word in command]
    kept = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
    done = subprocess.run(words, cwd=cwd, env=kept | env, capture_output=True, text=True)
    assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
    return done.stdout.strip()


def build(target: str, tree: Path, folder: Path, **env: str) -> Path:
    """Build "wheel" or "sdist" from `tree` with node and npm hidden, and give the file."""
    hidden = str(Path(sys.executable).parent)  # a PATH with no node on it
    run(
        sys.executable,
        "-m",
        "hatchling",
        "build",
        "-t",
        target,
        "-d",
        folder,
        cwd=tree,
        PATH=hidden,
        **env,
    )
    (file,) = folder.iterdir()
    return file


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", ROOT, tmp_path_factory.mktemp("wheel"), GRAPHLAB_SMALLEST="1")


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("sdist", ROOT, tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the Python of a fresh environment that holds the wheel."""
    place = tmp_path_factory.mktemp("fresh") / "venv"
    # On Unix a link to this Python; on Windows links may be forbidden.
    venv.create(place, with_pip=False, symlinks=os.name != "nt")
    python = place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    empty = str(python.parent)
    pip = [sys.executable, "-m", "pip", f"--python={python}", "--quiet"]
    run(*pip, "install", "--no-deps", "--no-index", "--no-compile", wheel, PATH=empty)
    # Lent after the installation: pip must not take the editable GraphLab for an older version.
    site = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))")
    lent = Path(site, "lent.pth")
    lent.write_text(sysconfig.get_path("purelib") + "\n", "utf-8")
    return python


def names_in(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def test_the_wheel_is_pure_python(wheel: Path) -> None:
    assert wheel.name == "graphlab-0.1.0-py3-none-any.whl"


def test_the_wheel_holds_the_core_and_the_extras_once_as_files_of_the_extension(
    wheel: Path,
) -> None:
    with zipfile.ZipFile(wheel) as archive:
        texts = {name: archive.read(name) for name in archive.namelist()}
    for part in (".core", ".extras"):
        (name,) = (name for name in texts if name.endswith(part))
        assert name.startswith(f"{SHARE}static/")
        middle = len(texts[name]) // 2
        piece = texts[name][middle : middle + 100]
        assert [other for other, text in texts.items() if piece in text] == [name]


def test_the_wheel_is_small_and_sound(wheel: Path) -> None:
    assert wheel.stat().st_size <= LIMIT
    with zipfile.ZipFile(wheel) as archive:
        assert archive.testzip() is None
        assert {file.compress_type for file in archive.infolist()} == {zipfile.ZIP_DEFLATED}


def test_the_wheel_holds_the_jupyterlab_extension_once(wheel: Path) -> None:
    names = names_in(wheel)
    assert SHARE + "install.json" in names
    assert [name for name in names if name.endswith("package.json")] == [SHARE + "package.json"]
    assert [name for name in names if "remoteEntry" in name and SHARE in name]
    assert SHARE + "schemas/graphlab-jupyter/panel.json" in names  # the settings of its panel
    assert not [name for name in names if name.startswith("graphlab/labextension")]


def test_the_wheel_holds_every_file_of_the_package(wheel: Path) -> None:
    in_wheel = {name for name in names_in(wheel) if name.startswith("graphlab/")}
    tracked = run("git", "ls-files", "graphlab").splitlines() if (ROOT / ".git").exists() else []
    assert set(tracked) <= in_wheel


def test_the_wheel_holds_nothing_else(wheel: Path) -> None:
    tops = {name.split("/")[0] for name in names_in(wheel)}
    assert tops == {"graphlab", "graphlab-0.1.0.data", "graphlab-0.1.0.dist-info"}
    left_out = (".ts", ".pyc", ".map", ".sh", ".orig")
    assert not [name for name in names_in(wheel) if name.endswith(left_out)]


def test_the_metadata_names_all_licences(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        metadata = archive.read("graphlab-0.1.0.dist-info/METADATA").decode()
    assert "License-Expression: BSD-3-Clause AND MIT\n" in metadata
    for file in ("LICENSE", "THIRD_PARTY_LICENSES.md"):
        assert f"License-File: {file}\n" in metadata
        assert f"graphlab-0.1.0.dist-info/licenses/{file}" in names_in(wheel)


def test_the_description_is_the_readme_without_what_needs_a_clone(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        metadata = archive.read("graphlab-0.1.0.dist-info/METADATA").decode()
    assert "Description-Content-Type: text/markdown\n" in metadata
    text = metadata.partition("\n\n")[2]
    assert text.startswith("# GraphLab\n\n**See autograd.**")
    assert "graphlab.draw(e)" in text
    assert "on NumPy alone;" in text
    assert not [part for part in ("](", "<img", "dev.py", " (,") if part in text]


def test_a_release_names_the_addresses_of_the_project(wheel: Path, tmp_path: Path) -> None:
    where = {"GITHUB_SERVER_URL": "https://git.example", "GITHUB_REPOSITORY": "we/graphlab"}
    command = [sys.executable, "-m", "hatchling", "metadata", "urls"]
    assert json.loads(run(*command, **where))["Source"] == "https://git.example/we/graphlab"
    assert run(*command, GITHUB_REPOSITORY="") in ("", "{}")  # on a desk


def test_the_widget_module_is_small(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (core,) = (file for file in archive.infolist() if file.filename.endswith(".core"))
    assert core.file_size <= WIDGET_LIMIT


def test_an_sdist_makes_the_same_wheel_without_node(
    sdist: Path, wheel: Path, tmp_path: Path
) -> None:
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path / "source", filter="data")
    (source,) = (tmp_path / "source").iterdir()
    assert not (source / "js" / "node_modules").exists()
    again = build("wheel", source, tmp_path / "again")
    assert sorted(names_in(again)) == sorted(names_in(wheel))


def test_a_checkout_without_assets_and_without_node_says_what_to_do(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "graphlab").mkdir(parents=True)
    (tree / "graphlab" / "__init__.py").touch()
    for file in NEEDED_TO_BUILD:
        shutil.copy(ROOT / file, tree)
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel"],
        cwd=tree,
        env=os.environ | {"PATH": str(Path(sys.executable).parent)},
        capture_output=True,
        text=True,
    )
    said = (done.stdout + done.stderr).strip()
    assert done.returncode == 1
    assert "install Node.js 20 or later" in said
    assert "Traceback" not in said
    assert len(said.splitlines()) == 1


def test_the_installed_package_is_the_wheels(installed: Path, tmp_path: Path) -> None:
    where = run(installed, "-c", "import graphlab; print(graphlab.__file__)", cwd=tmp_path)
    assert Path(where).is_relative_to(installed.parents[1])


def test_the_installed_widget_finds_its_module(installed: Path, tmp_path: Path) -> None:
    code = (
        "from graphlab.faces.widgets.stepper import NO_PLAYER, browser_module\n"
        "print(len(browser_module()) > 1000, NO_PLAYER in browser_module())"
    )
    assert run(installed, "-c", code, cwd=tmp_path) == "True False"


PAGE = """
import graphlab
from graphlab.faces.render.html import player_files
a = graphlab.tensor(2.0, requires_grad=True)
graphlab.trace(a * a).save("walk.html")
for file in player_files():
    print(file)
"""


def test_the_installed_package_finds_the_player_and_pages_hold_it(
    installed: Path, tmp_path: Path
) -> None:
    files = [Path(line) for line in run(installed, "-c", PAGE, cwd=tmp_path).splitlines()]
    page = (tmp_path / "walk.html").read_text("utf-8")
    assert [file.suffix for file in files] == [".core", ".extras"]
    for file in files:
        assert file.is_relative_to(installed.parents[1] / "share")
        assert file.read_text("utf-8").splitlines()[0] in page


@pytest.mark.parametrize("option", ["--prefix", "--target", "--root"])
def test_the_player_is_found_wherever_pip_puts_the_package(
    option: str, wheel: Path, tmp_path: Path
) -> None:
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
    pip += ["--no-deps", "--no-index", "--no-compile", "--ignore-installed"]
    run(*pip, option, tmp_path / "here", wheel)
    (package,) = (path.parent for path in (tmp_path / "here").rglob("graphlab/__init__.py"))
    found = player_files(package)
    assert found is not None
    for file in found:
        assert file.is_relative_to(tmp_path / "here")


def test_the_installed_extension_lies_where_jupyterlab_looks(installed: Path) -> None:
    place = installed.parents[1] / "share" / "jupyter" / "labextensions" / "graphlab-jupyter"
    package = json.loads((place / "package.json").read_text("utf-8"))
    assert package["name"] == "graphlab-jupyter"
    assert package["version"] == "0.1.0"
    assert (place / package["jupyterlab"]["_build"]["load"]).is_file()
    assert json.loads((place / "install.json").read_text("utf-8"))["packageName"] == "graphlab"


def test_importing_graphlab_loads_nothing_heavy(installed: Path, tmp_path: Path) -> None:
    code = f"import sys, graphlab; print([name for name in {HEAVY} if name in sys.modules])"
    assert run(installed, "-c", code, cwd=tmp_path) == "[]"
