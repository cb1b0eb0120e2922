"""Build a JupyterLite site: GraphLab, its lessons, NumPy and SymPy, running in the browser.

`site/build.py` calls this and puts what it makes beside the pages, as `lite/`. Any web server can
serve it, and nothing runs on that server.

Read next: site/lite/pyodide_files.py.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
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
from wheels import (
    AT_START,
    KERNELS_EXTENSION,
    fetch_kernel,
    fetch_wheels,
    files_to_fetch,
    kernel_wheels,
    own_wheel,
    write_archives,
    write_lock,
)

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# Fonts for browsers that are older than WebAssembly; others take the .woff2 beside them.
OLD_FONTS = ("fa-*.eot", "fa-*.svg", "fa-*.ttf", "fa-*.woff")
WITH_EXTENSION = ("anywidget-", "jupyterlab_widgets-", "graphlab-")  # wheels that carry one
PYTHON = f"static/pyodide-{VERSION}"  # a folder of the site
KERNEL = "@jupyterlite/pyodide-kernel-extension:kernel"


def build(pyodide: Path | None, out: Path, cache: Path) -> None:
    """Build the site with GraphLab as it stands here into `out`, anew.

    pyodide: a folder or an archive with Pyodide's files; cache: keeps what was fetched.
    """
    cache.mkdir(parents=True, exist_ok=True)
    npm, node = shutil.which("npm"), shutil.which("node")
    if not npm or not node:
        raise PyodideFilesError("Node.js and npm are not on PATH: install Node.js 20 or later.")
    with tempfile.TemporaryDirectory() as folder:
        lite = Path(folder)
        files = lite / "files-of-pyodide"
        kernel = fetch_kernel(cache)
        wheels = [*fetch_wheels(cache), *kernel_wheels(kernel)]
        wheels += [own_wheel(lite), graphlab_wheel(lite)]
        core = files
        if pyodide:
            take_files(pyodide, core_files() | package_files(), files)
            wheels += files.glob("numpy-*.whl")
        else:
            files.mkdir()
            core = lite / "core"
            take_files(fetch_core(npm, cache), core_files(), core)
        packages = write_archives(node, core, wheels, files)
        lock = write_lock(files, packages, NETWORK)
        for wheel_of_numpy in files.glob("numpy-*.whl"):
            wheel_of_numpy.unlink()  # its archive takes its place
        copy_lessons(lite / "lessons")
        shutil.rmtree(out, ignore_errors=True)
        run_jupyterlite(lite, kernel, wheels, out)
        for path in [path for kind in OLD_FONTS for path in (out / "build").glob(kind)]:
            path.unlink()
        shutil.copytree(files, out / PYTHON)
        configure(out, lock.name, self_contained=pyodide is not None)
        add_check(out, out / PYTHON / lock.name, "" if pyodide else NETWORK)


def graphlab_wheel(place: Path) -> Path:
    """Make GraphLab's wheel."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(place)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise PyodideFilesError(f"GraphLab's wheel was not built:\n{done.stdout}\n{done.stderr}")
    return next(place.glob("graphlab-*.whl"))


def copy_lessons(place: Path) -> None:
    """Copy the lessons, with their saved outputs."""
    place.mkdir()
    for path in sorted((ROOT / "notebooks").glob("[0-9]*.ipynb")):
        shutil.copy(path, place)


def run_jupyterlite(lite: Path, kernel: Path, wheels: list[Path], out: Path) -> None:
    """Call `jupyter lite build`, with the extensions that the lessons need and no others."""
    extensions = [kernel / KERNELS_EXTENSION]
    extensions += [wheel for wheel in wheels if wheel.name.startswith(WITH_EXTENSION)]
    command = [sys.executable, "-m", "jupyterlite_core", "build", f"--output-dir={out}"]
    command += [f"--lite-dir={lite}", f"--contents={lite / 'lessons'}", "--apps=lab"]
    command += ["--no-sourcemaps", "--no-unused-shared-packages", "--ignore-sys-prefix"]
    command += [f"--LiteBuildConfig.federated_extensions={e}" for e in extensions]
    env = os.environ | {"PYTHONPATH": str(kernel)}  # it has a part in the build
    done = subprocess.run(command, cwd=lite, env=env, capture_output=True, text=True)
    if done.returncode:
        raise PyodideFilesError(f"`jupyter lite build` failed:\n{done.stdout}\n{done.stderr}")


def configure(out: Path, lock: str, self_contained: bool) -> None:
    """Say in the site's settings where Python comes from. lock: the name of the lock file."""
    path = out / "jupyter-lite.json"
    settings = json.loads(path.read_text("utf-8"))
    config = settings["jupyter-config-data"]
    config["exposeAppInBrowser"] = True  # the tests of the site call JupyterLab's commands
    kernel = config.setdefault("litePluginSettings", {}).setdefault(KERNEL, {})
    kernel["pyodideUrl"] = f"./{PYTHON}/pyodide.mjs" if self_contained else f"{NETWORK}pyodide.mjs"
    kernel["disablePyPIFallback"] = self_contained
    kernel["loadPyodideOptions"] = {
        "packages": AT_START,
        "lockFileURL": f"./{PYTHON}/{lock}",
        "env": {"IPYTHONDIR": "/lib/python3.14/site-packages/graphlab_site"},
    }
    path.write_text(json.dumps(settings, indent=1) + "\n", "utf-8")


def add_check(out: Path, lock: Path, core: str) -> None:
    """Let JupyterLab's page load `check.js`, and give it the list of what it fetches and compares.

    core: where Pyodide's core files are, "" if they lie beside the lock file.
    """
    folder = f"{lock.parent.name}/"
    files = {"folder": folder, "lock": lock.name, **files_to_fetch(lock, core)}
    (out / "static" / "files.json").write_text(json.dumps(files, indent=1) + "\n", "utf-8")
    shutil.copy(HERE / "check.js", out / "lab")
    page = out / "lab" / "index.html"
    page.write_text(with_check(page.read_text("utf-8")), "utf-8")


def with_check(page: str) -> str:
    """Return JupyterLab's page with the check, and with words and pictures for who has no scripts.

    page: its HTML.
    """
    script = '    <script src="./check.js"></script>\n'
    page = page.replace("</head>", f"{script}</head>", 1)
    without = (HERE / "no_scripts.html").read_text("utf-8")
    page, count = re.subn(r"<noscript>.*?</noscript>", lambda _: without, page, flags=re.S)
    assert count == 1, "JupyterLite's page has no <noscript>"
    return page


def report(out: Path, self_contained: bool) -> None:
    """Print what was built."""
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    print(f"  lite, JupyterLab in the browser: {size / 1e6:.0f} MB")
    if self_contained:
        print("  self-contained: Pyodide is in it, and nothing is fetched from anywhere else")
    else:
        print(f"  at first use a browser fetches Pyodide {VERSION} and NumPy from {NETWORK};")
        print("  for a site without that, give the files of Pyodide: --pyodide FOLDER_OR_ARCHIVE")


def built_from(pyodide: Path | None) -> str:
    """Hash what the site is built from."""
    folders = [ROOT / "graphlab", ROOT / "notebooks", HERE]
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    files = [path for path in files if "__pycache__" not in path.parts]
    total = hashlib.sha256()
    for path in sorted([*files, ROOT / "pyproject.toml", ROOT / "hatch_build.py"]):
        total.update(path.relative_to(ROOT).as_posix().encode())
        total.update(path.read_bytes())
    if pyodide and pyodide.exists():
        total.update(f"{pyodide} {pyodide.stat().st_mtime_ns}".encode())
    return total.hexdigest()


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, help="the folder of the site")
    parser.add_argument("--pyodide", type=Path, help="a folder or an archive with Pyodide's files")
    parser.add_argument("--cache", type=Path, default=ROOT / "dist" / "cache")
    options = parser.parse_args()
    out, stamp = options.out.resolve(), built_from(options.pyodide)
    place = out.with_name(f"{out.name}.built_from")
    if not (out.is_dir() and place.is_file() and place.read_text("utf-8") == stamp):
        try:
            build(options.pyodide, out, options.cache)
        except PyodideFilesError as error:
            print(error, file=sys.stderr)
            return 1
        place.write_text(stamp, "utf-8")
    report(out, options.pyodide is not None)
    return 0


if __name__ == "__main__":
    sys.exit(main())
