"""Find the files of Pyodide in a folder or an archive, and take none that is not Pyodide's own.

`pyodide.json` is the part of Pyodide's lock file that the site needs: every file with its SHA-256.
A file is looked for by its name, wherever in the folder or the archive it lies, and its bytes are
compared before anything is written. The archive may be Pyodide's release (`.tar.bz2`), or any zip
or wheel that carries the files.

Read next: site/lite/wheels.py.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

LOCK = json.loads((Path(__file__).parent / "pyodide.json").read_text("utf-8"))
VERSION: str = LOCK["version"]
NETWORK = f"https://cdn.jsdelivr.net/pyodide/v{VERSION}/full/"
MOST_NAMED = 3  # file names in one sentence


class PyodideFilesError(Exception):
    """What is wrong with the files of Pyodide, in one sentence that a person can act on."""


def core_files() -> dict[str, str]:
    """Name the files that start Python in a browser, each with its SHA-256."""
    return dict(LOCK["core"])


def package_files() -> dict[str, str]:
    """Name the packages that are compiled for the browser, each file with its SHA-256."""
    return {package["file_name"]: package["sha256"] for package in LOCK["packages"].values()}


def take_files(source: Path, wanted: dict[str, str], place: Path) -> None:
    """Copy the files of `wanted` (name: SHA-256) from `source` into the folder `place`.

    Raises: PyodideFilesError when `source` is not there or cannot be read, or when a file is
    missing from it or is not the one that Pyodide's lock names. Nothing is written then.
    """
    found, other = {}, {}
    for name, content in read_files(source, set(wanted)):
        if hashlib.sha256(content).hexdigest() == wanted[name]:
            found[name] = content
        else:
            other[name] = hashlib.sha256(content).hexdigest()
    damaged = sorted(set(other) - set(found))  # a second file of that name may be the right one
    missing = sorted(set(wanted) - set(found) - set(other))
    if damaged:
        raise PyodideFilesError(
            f"{listed(damaged)} in {source}: damaged, or not of Pyodide {VERSION} (the SHA-256 of "
            f"{damaged[0]} is {other[damaged[0]][:12]}…, Pyodide's lock says "
            f"{wanted[damaged[0]][:12]}…); nothing was built: fetch the files again."
        )
    if missing:
        raise PyodideFilesError(
            f"{listed(missing)} of Pyodide {VERSION} not found in {source}; nothing was built."
        )
    place.mkdir(parents=True, exist_ok=True)
    for name, content in found.items():
        (place / name).write_bytes(content)


def read_files(source: Path, names: set[str]) -> Iterator[tuple[str, bytes]]:
    """Give the name and the content of each file in `source` whose name is one of `names`."""
    if not source.exists():
        raise PyodideFilesError(f"{source} does not exist: name a folder or an archive of Pyodide.")
    try:
        if source.is_dir():
            for path in sorted(source.rglob("*")):
                if path.name in names and path.is_file():
                    yield path.name, path.read_bytes()
        elif zipfile.is_zipfile(source):
            with zipfile.ZipFile(source) as archive:
                for inner in archive.namelist():
                    if (name := inner.rpartition("/")[2]) in names:
                        yield name, archive.read(inner)
        else:
            with tarfile.open(source) as archive:
                for member in archive:
                    content = archive.extractfile(member) if member.isfile() else None
                    if content and (name := member.name.rpartition("/")[2]) in names:
                        yield name, content.read()
    except (OSError, EOFError, tarfile.TarError, zipfile.BadZipFile) as error:
        raise PyodideFilesError(
            f"{source} cannot be read as a folder or an archive of Pyodide: {error}."
        ) from None


def fetch_core(npm: str, folder: Path) -> Path:
    """Fetch Pyodide's package from npm, which has the core files and no others; give its path."""
    folder.mkdir(parents=True, exist_ok=True)
    archive = folder / f"pyodide-{VERSION}.tgz"
    if not archive.is_file():
        done = subprocess.run(
            [npm, "pack", "--silent", f"pyodide@{VERSION}"],
            cwd=folder,
            capture_output=True,
            text=True,
        )
        if done.returncode or not archive.is_file():
            raise PyodideFilesError(
                f"npm could not fetch pyodide@{VERSION}: connect to the network, or give a folder "
                "or an archive with --pyodide."
            )
    return archive


def listed(names: list[str]) -> str:
    """Name up to three files, and say how many more there are."""
    shown = ", ".join(names[:MOST_NAMED])
    rest = len(names) - MOST_NAMED
    return f"{shown} and {rest} more" if rest > 0 else shown
