"""Gather the Python packages of the site and enter each in the lock file that the browser reads.

Three sources: `wheels.txt` (pure Python, from PyPI, by hash), the JupyterLite kernel's own wheels,
and GraphLab's wheel. All are compiled with the Python that will run them. The lock file that comes
of it names only files of the site, and those that the browser shall take from the network.

Read next: site/lite/precompile.py.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

from pyodide_files import LOCK, PyodideFilesError

HERE = Path(__file__).parent
KERNELS_EXTENSION = "share/jupyter/labextensions/@jupyterlite/pyodide-kernel-extension"
KERNELS_OWN = ["piplite", "ipykernel", "pyodide_kernel"]
# What is loaded when the kernel starts. GraphLab is among them: `%load_ext graphlab` is no import.
AT_START = ["micropip", "piplite", "ipykernel", "comm", "pyodide-kernel", "jedi", "ipython"]
AT_START += ["graphlab", "graphlab-site"]
# What GraphLab fetches when it needs it (kernel/late_packages.py); the page fetches it beforehand,
# once Python has what it needs to start.
LATE = ["sympy"]

# Which packages of the site a package needs. What IPython needs only in a terminal is absent.
NEEDS = {
    "anywidget": ["ipywidgets", "psygnal", "typing-extensions"],
    "graphlab": ["numpy", "graphviz", "ipywidgets", "anywidget"],
    "graphlab-site": ["ipython"],
    "ipykernel": ["ipython"],
    "ipython": [
        *("decorator", "ipython-pygments-lexers", "matplotlib-inline", "prompt-toolkit"),
        *("pygments", "stack-data", "traitlets"),
    ],
    "ipywidgets": ["comm", "ipython", "traitlets"],
    "matplotlib-inline": ["traitlets"],
    "piplite": ["micropip"],
    "prompt-toolkit": ["wcwidth"],
    "pyodide-kernel": ["ipython", "comm"],
    "stack-data": ["asttokens", "executing", "pure-eval"],
    "sympy": ["mpmath"],
}


def fetch_wheels(cache: Path) -> list[Path]:
    """Fetch the wheels of `wheels.txt` into `cache`, those alone; pip compares their hashes."""
    command = ["download", "--no-deps", "--require-hashes", "--only-binary=:all:"]
    command += ["--python-version=3.14", "--implementation=py", "--abi=none", "--platform=any"]
    command += ["--dest", str(cache), "--requirement", str(HERE / "wheels.txt")]
    run_pip(command, "the wheels of the site")
    wanted = re.findall(r"^([\w-]+)==([\w.]+)", (HERE / "wheels.txt").read_text("utf-8"), re.M)
    prefixes = tuple(f"{name.replace('-', '_')}-{version}-" for name, version in wanted)
    return sorted(path for path in cache.glob("*.whl") if path.name.startswith(prefixes))


def fetch_kernel(cache: Path) -> Path:
    """Fetch JupyterLite's kernel into a folder of its own.

    In .venv, JupyterLab would load its extension too, which complains where it is not JupyterLite.
    """
    wanted = HERE / "kernel.txt"
    folder = cache / f"kernel-{hashlib.sha256(wanted.read_bytes()).hexdigest()[:8]}"
    if not (folder / KERNELS_EXTENSION).is_dir():
        command = ["install", "--no-deps", "--require-hashes", "--target", str(folder)]
        run_pip([*command, "--requirement", str(wanted)], "JupyterLite's kernel")
    return folder


def run_pip(command: list[str], what: str) -> None:
    """Let pip fetch something, or say that it could not."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--no-input", "--disable-pip-version-check"]
    done = subprocess.run([*pip, *command], capture_output=True, text=True)
    if done.returncode:
        raise PyodideFilesError(f"pip could not fetch {what}:\n{done.stderr}")


def kernel_wheels(kernel: Path) -> list[Path]:
    """List the wheels that the kernel brings for the inside of the browser."""
    folder = kernel / KERNELS_EXTENSION / "static" / "pypi"
    return [path for name in KERNELS_OWN for path in folder.glob(f"{name}-*.whl")]


def own_wheel(place: Path) -> Path:
    """Write what the site adds to the kernel (site/lite/kernel) into `place`, as a wheel."""
    wheel = place / "graphlab_site-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path in sorted((HERE / "kernel").rglob("*.py")):
            archive.write(path, path.relative_to(HERE / "kernel").as_posix())
    return wheel


def write_archives(node: str, core: Path, wheels: list[Path], place: Path) -> list[Package]:
    """Write each wheel into `place` as an archive, compiled by the Pyodide that lies in `core`."""
    packages = [Package(wheel) for wheel in wheels]
    done = subprocess.run(
        [node, str(HERE / "compile.mjs"), str(core), json.dumps(LOCK["info"])],
        input=json.dumps([{"from": str(p.wheel), "to": str(place / p.archive)} for p in packages]),
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise PyodideFilesError(f"Pyodide could not compile the wheels:\n{done.stderr[-3000:]}")
    for package in packages:
        package.name_by_content(place)
    return packages


class Package:
    """A wheel, and the archive that is made of it."""

    def __init__(self, wheel: Path) -> None:
        """`wheel`: its file, whose name tells the name and the version."""
        self.wheel = wheel
        distribution, self.version = wheel.name.split("-")[:2]
        self.name = distribution.lower().replace("_", "-")
        # Compressed, a .tar.zst: Pyodide goes by the name and knows no .zst; Python by the bytes.
        self.archive = f"{self.name}-{self.version}.tar"

    def name_by_content(self, place: Path) -> None:
        """Give the archive, in `place`, a name that changes with its content.

        A browser that has kept an archive of an older site does not take it for this one.
        """
        name = f"{self.name}-{self.version}-{sha256(place / self.archive)[:8]}.tar"
        self.archive = (place / self.archive).rename(place / name).name

    def imports(self) -> list[str]:
        """List what can be imported from it."""
        with zipfile.ZipFile(self.wheel) as archive:
            tops = {name.split("/")[0] for name in archive.namelist() if name.endswith(".py")}
        return sorted(top.removesuffix(".py") for top in tops)

    def entry(self, place: Path) -> dict[str, object]:
        """Give its entry in the lock file; the archive lies in `place`."""
        return {
            "depends": NEEDS.get(self.name, []),
            "file_name": self.archive,
            "imports": self.imports(),
            "install_dir": "site",
            "name": self.name,
            "package_type": "package",
            "sha256": sha256(place / self.archive),
            "unvendored_tests": False,
            "version": self.version,
        }


def write_lock(place: Path, packages: list[Package], network: str) -> Path:
    """Write the lock file in `place`, for `packages` and those of Pyodide; give its path.

    network: where the browser gets the packages of Pyodide that are not in `place`.
    """
    entries = {}
    for name, known in LOCK["packages"].items():
        here = (place / known["file_name"]).is_file()
        entries[name] = known if here else known | {"file_name": network + known["file_name"]}
    entries |= {package.name: package.entry(place) for package in packages}
    # The kernel insists on jedi, which is large and slow there; IPython completes without it.
    entries["jedi"] = entries["comm"] | {"name": "jedi", "imports": []}
    wanted = {need for entry in entries.values() for need in entry["depends"]}
    if absent := sorted({*wanted, *AT_START, *LATE} - set(entries)):
        raise PyodideFilesError(f"the site needs {', '.join(absent)}, and no wheel has it.")
    lock = {"info": LOCK["info"], "packages": dict(sorted(entries.items()))}
    text = json.dumps(lock, indent=1) + "\n"
    path = place / f"pyodide-lock-{hashlib.sha256(text.encode()).hexdigest()[:8]}.json"
    path.write_text(text, "utf-8")
    return path


def files_to_fetch(lock: Path, core: str) -> dict[str, list[dict[str, str]]]:
    """List the files that the kernel loads before the first cell, and those that it needs later.

    Largest first, with their hashes. core: where the core files are, "" if they lie beside `lock`.
    """
    packages = json.loads(lock.read_text("utf-8"))["packages"]
    first = with_needs(AT_START, packages)
    later = with_needs(LATE, packages) - first
    files = {core + name: sha256 for name, sha256 in LOCK["core"].items()}

    def listed(names: set[str], files: dict[str, str]) -> list[dict[str, str]]:
        files |= {packages[name]["file_name"]: packages[name]["sha256"] for name in sorted(names)}
        here = {url: path.stat().st_size for url in files if (path := lock.parent / url).is_file()}
        order = sorted(files, key=lambda url: -here.get(url, 2**30))
        return [{"url": url, "sha256": files[url]} for url in order]

    return {"start": listed(first, files), "later": listed(later, {})}


def with_needs(names: list[str], packages: dict[str, dict]) -> set[str]:
    """Give the packages `names`, and all that they need."""
    found, waiting = set(), list(names)
    while waiting:
        if (name := waiting.pop()) not in found:
            found.add(name)
            waiting += packages[name]["depends"]
    return found


def sha256(path: Path) -> str:
    """Hash a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
