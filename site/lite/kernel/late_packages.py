"""Fetch a package of the site when something imports it: SymPy for the first proof, for example.

JupyterLite's kernel fetches what the text of a cell imports. It cannot see what GraphLab imports
when it is called: SymPy in `check`, matplotlib in `plots`. Here Python asks for such a package, and
waits for it; a worker may do that. So Python starts without them, and sooner.

Read next: site/lite/wheels.py, which lists what is there from the start.
"""

from __future__ import annotations

import hashlib
import io
import sys
import tarfile
import zipfile
from importlib import invalidate_caches
from importlib.machinery import ModuleSpec, PathFinder
from sysconfig import get_path
from typing import Any

import pyodide_js  # type: ignore[import-not-found] - is there in the browser alone

from js import XMLHttpRequest  # type: ignore[import-not-found]

SUCCESS = 200


class LateFinder:
    """Finds modules of packages that the lock file names and that are not there yet.

    packages: those of the lock file, by name.
    """

    def __init__(self, packages: dict[str, dict[str, Any]]) -> None:
        self.packages = packages
        self.owners = {module: name for name in packages for module in packages[name]["imports"]}

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Fetch the package of a module that no other finder has, then let Python find it."""
        if path is not None or name not in self.owners:
            return None
        self.load(self.owners[name])
        invalidate_caches()
        return PathFinder.find_spec(name)

    def load(self, name: str) -> None:
        """Fetch and unpack a package and what it needs, unless it is there.

        Raises: ModuleNotFoundError when it cannot be fetched, or is damaged.
        """
        if name in pyodide_js.loadedPackages.object_keys():
            return
        entry = self.packages[name]
        setattr(pyodide_js.loadedPackages, name, "default channel")
        try:
            for needed in entry["depends"]:
                self.load(needed)
            unpack(fetch(name, entry["file_name"], entry["sha256"]))
        except ModuleNotFoundError:
            delattr(pyodide_js.loadedPackages, name)  # the next import tries again
            raise


def fetch(name: str, file_name: str, sha256: str) -> bytes:
    """Fetch a file from beside the lock file, and compare its hash."""
    address = file_name if "://" in file_name else f"{pyodide_js.lockfileBaseUrl}{file_name}"
    request = XMLHttpRequest.new()
    try:
        request.open("GET", address, False)
        request.responseType = "arraybuffer"
        request.send()
        content = request.response.to_bytes() if request.status == SUCCESS else None
    except Exception:  # a JsException of the network
        content = None
    if content is None:
        advice = (
            f"it cannot be fetched from {address}: connect to the network and run the cell again"
        )
    elif hashlib.sha256(content).hexdigest() != sha256:
        advice = f"{address} is damaged (its hash is wrong): build the site again"
    else:
        return content
    raise ModuleNotFoundError(f"{name} is needed here, and {advice}", name=name)


def unpack(content: bytes) -> None:
    """Unpack a wheel, or an archive of the site, to where packages lie."""
    place = get_path("purelib")
    file = io.BytesIO(content)
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as wheel:
            wheel.extractall(place)
    else:
        file.seek(0)
        with tarfile.open(fileobj=file) as archive:
            archive.extractall(place, filter="data")


def load_ipython_extension(shell: Any) -> None:
    """Let the kernel's imports fetch what is not there; IPython calls this when it starts."""
    sys.meta_path.append(LateFinder(pyodide_js.lockfile.packages.to_py()))
