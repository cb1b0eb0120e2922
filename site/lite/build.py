"""Build a JupyterLite site: GraphLab, its lessons, NumPy and SymPy, running in the browser.

    python3 dev.py lite                      the browser takes Pyodide from its own network
    python3 dev.py lite --pyodide PLACE      self-contained: PLACE is a folder or an archive

The site lies in dist/lite; any web server can serve it, and nothing runs on that server.

Read next: site/lite/pyodide_files.py.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from pyodide_files import (
    NETWORK,
    VERSION,
    PyodideFilesError,
    core_files,
    fetch_core,
    package_files,
    take_files,
)
from wheels import AT_START, fetch_wheels, files_at_start, kernel_wheels, write_archives, write_lock

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
KERNELS_EXTENSION = "share/jupyter/labextensions/@jupyterlite/pyodide-kernel-extension"
WITH_EXTENSION = ("anywidget-", "jupyterlab_widgets-", "graphlab-")  # wheels that carry one
FIRST = "01_a_formula_is_a_graph.ipynb"
KERNEL = "@jupyterlite/pyodide-kernel-extension:kernel"


def build(wheel: Path, pyodide: Path | None, out: Path, cache: Path) -> None:
    """Build the site with GraphLab's `wheel` into `out`, anew; `cache` keeps what was fetched."""
    cache.mkdir(parents=True, exist_ok=True)
    npm, node = shutil.which("npm"), shutil.which("node")
    if not npm or not node:
        raise PyodideFilesError("Node.js and npm are not on PATH: install Node.js 20 or later.")
    with tempfile.TemporaryDirectory() as folder:
        lite = Path(folder)
        files = lite / "files-of-pyodide"
        wheels = [*fetch_wheels(cache), *kernel_wheels(), wheel]
        core = files
        if pyodide:
            take_files(pyodide, core_files() | package_files(), files)
            wheels += files.glob("numpy-*.whl")
        else:
            files.mkdir()
            core = lite / "core"
            take_files(fetch_core(npm, cache), core_files(), core)
        packages = write_archives(node, core, wheels, files)
        write_lock(files, packages, NETWORK)
        for wheel_of_numpy in files.glob("numpy-*.whl"):
            wheel_of_numpy.unlink()  # its archive takes its place
        copy_lessons(lite / "lessons")
        shutil.rmtree(out, ignore_errors=True)
        run_jupyterlite(lite, wheels, out)
        shutil.copytree(files, out / "static" / "pyodide")
        configure(out, self_contained=pyodide is not None)
        add_check(out)


def copy_lessons(place: Path) -> None:
    """Copy the lessons, with their saved outputs."""
    place.mkdir()
    for path in sorted((ROOT / "notebooks").glob("[0-9]*.ipynb")):
        shutil.copy(path, place)


def run_jupyterlite(lite: Path, wheels: list[Path], out: Path) -> None:
    """Call `jupyter lite build`, with the extensions that the lessons need and no others."""
    extensions = [Path(sys.prefix, KERNELS_EXTENSION)]
    extensions += [wheel for wheel in wheels if wheel.name.startswith(WITH_EXTENSION)]
    command = [sys.executable, "-m", "jupyterlite_core", "build", f"--output-dir={out}"]
    command += [f"--lite-dir={lite}", f"--contents={lite / 'lessons'}", "--apps=lab"]
    command += ["--no-sourcemaps", "--no-unused-shared-packages", "--ignore-sys-prefix"]
    command += [f"--LiteBuildConfig.federated_extensions={e}" for e in extensions]
    done = subprocess.run(command, cwd=lite, capture_output=True, text=True)
    if done.returncode:
        raise PyodideFilesError(f"`jupyter lite build` failed:\n{done.stdout}\n{done.stderr}")


def configure(out: Path, self_contained: bool) -> None:
    """Say in the site's settings where Python comes from."""
    path = out / "jupyter-lite.json"
    settings = json.loads(path.read_text("utf-8"))
    config = settings["jupyter-config-data"]
    config["exposeAppInBrowser"] = True  # the tests of the site call JupyterLab's commands
    kernel = config.setdefault("litePluginSettings", {}).setdefault(KERNEL, {})
    kernel["pyodideUrl"] = f"{'./static/pyodide/' if self_contained else NETWORK}pyodide.mjs"
    kernel["disablePyPIFallback"] = self_contained
    kernel["loadPyodideOptions"] = {
        "packages": AT_START,
        "lockFileURL": "./static/pyodide/pyodide-lock.json",
    }
    path.write_text(json.dumps(settings, indent=1) + "\n", "utf-8")


def add_check(out: Path) -> None:
    """Let JupyterLab's page load `check.js`, with the list of what it fetches and compares."""
    place = out / "static" / "pyodide"
    files = files_at_start(place, "" if (place / "pyodide.mjs").is_file() else NETWORK)
    (place / "at-start.json").write_text(json.dumps(files, indent=1) + "\n", "utf-8")
    shutil.copy(HERE / "check.js", out / "lab")
    page = out / "lab" / "index.html"
    text = page.read_text("utf-8")
    script = '    <script src="./check.js"></script>\n'
    page.write_text(text.replace("</head>", f"{script}</head>", 1), "utf-8")


def report(out: Path, self_contained: bool) -> None:
    """Print what was built."""
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    print(f"  {out}: {size / 1e6:.0f} MB")
    if self_contained:
        print("  self-contained: Pyodide is in it, and nothing is fetched from anywhere else")
    else:
        print(f"  at first use a browser fetches Pyodide {VERSION} and NumPy from {NETWORK};")
        print("  for a site without that, give the files of Pyodide: --pyodide FOLDER_OR_ARCHIVE")
    print("  to look at it:  python3 -m http.server --directory dist/lite")


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel", type=Path, help="GraphLab's wheel")
    parser.add_argument("--pyodide", type=Path, help="a folder or an archive with Pyodide's files")
    parser.add_argument("--out", type=Path, default=ROOT / "dist" / "lite")
    parser.add_argument("--cache", type=Path, default=ROOT / "dist" / "cache")
    options = parser.parse_args()
    try:
        build(options.wheel.resolve(), options.pyodide, options.out.resolve(), options.cache)
    except PyodideFilesError as error:
        print(error, file=sys.stderr)
        return 1
    report(options.out, options.pyodide is not None)
    return 0


if __name__ == "__main__":
    sys.exit(main())
