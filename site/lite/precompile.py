"""Write wheels anew as small archives of modules that start fast: this file runs in Pyodide.

All wheels are unpacked, the beginning of the first lesson is rehearsed, and every module that it
imported is compiled. The others stay source: to read a compiled module takes a fifth of the time
of compiling it, but it is larger, and most modules of SymPy are never imported.

Read next: site/lite/compile.mjs, which starts Pyodide in Node.js and calls this.
"""

from __future__ import annotations

import io
import sys
import tarfile
import traceback
import zipfile
from importlib._bootstrap_external import _code_to_hash_pyc
from importlib.util import cache_from_source, find_spec, source_hash
from pathlib import Path, PurePosixPath

from compression import zstd

SITE = Path("/lib/python3.14/site-packages")
UNUSED = (".a", ".c", ".h", ".pxd", ".pyi", ".pyx")  # no compiler, no type checker is there
SOURCES_KEPT = ("graphlab/",)  # for whoever reads how GraphLab works inside
# IPython colours Python and nothing else: 300 other languages stay away.
ONLY_IF_IMPORTED = ("pygments/lexers/", "pygments/styles/", "pygments/formatters/")

KERNEL = """
import pyodide_kernel
import IPython.core.completer
import ipywidgets, sympy
pyodide_kernel.kernel_instance.interpreter.send_comm = lambda *message: None  # no page listens
"""
LESSON = """
import graphlab
a = graphlab.tensor([2.0], requires_grad=True)
e = a * graphlab.log(a)
graphlab.draw(e)._repr_mimebundle_()
graphlab.trace(e)._repr_mimebundle_()
graphlab.step(e)
repr(graphlab.check(e))
from graphlab import exercises
import graphlab.nn.functional, graphlab.optim
"""


def unpack(wheel) -> list[str]:
    """Install a wheel, whose bytes are `wheel`, without its tests; list its files."""
    kept = []
    with zipfile.ZipFile(io.BytesIO(wheel.to_bytes())) as archive:
        for name in archive.namelist():
            parts = PurePosixPath(name).parts
            unused = name.endswith(("/", *UNUSED)) or parts[0].endswith(".data")
            if name.endswith((".core", ".extras")):  # of GraphLab: its player
                place = "/".join(parts[2:])
                Path(SITE, place).parent.mkdir(parents=True, exist_ok=True)
                Path(SITE, place).write_bytes(archive.read(name))
                kept.append(place)
            elif not unused and "tests" not in parts[1:-1]:
                archive.extract(name, SITE)
                kept.append(name)
    return kept


def rehearse() -> set[str]:
    """Run what a lesson begins with; give the files of the modules that it imported.

    Where NumPy is left to the network, GraphLab cannot run here: then all its modules count.
    """
    with_numpy = find_spec("numpy") is not None
    try:
        exec(compile(KERNEL + with_numpy * LESSON, "rehearsal", "exec"), {})
    except Exception as error:  # the kernel has taken over sys.stderr: tell the caller
        raise SystemExit("".join(traceback.format_exception(error))) from None
    files = [getattr(module, "__file__", None) or "" for module in list(sys.modules.values())]
    if not with_numpy:
        files += map(str, (SITE / "graphlab").rglob("*.py"))
    return {file.removeprefix(f"{SITE}/") for file in files if file.startswith(f"{SITE}/")}


def archive(names, imported: set[str]) -> bytes:
    """Give an archive (.tar.zst) of the installed files `names`."""
    written = io.BytesIO()
    # Fixed dates, owners and order: the same wheels give the same archive.
    with (
        zstd.open(written, "wb", level=17) as compressed,
        tarfile.open(fileobj=compressed, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for name in sorted(names, key=lambda name: (name.rpartition(".")[2], name)):
            if name.startswith(ONLY_IF_IMPORTED) and name not in imported:
                continue
            source = (SITE / name).read_bytes()
            if name in imported and name.endswith(".py"):
                keep = name.startswith(SOURCES_KEPT)
                add(tar, cache_from_source(name) if keep else f"{name}c", compiled(name, source))
                if not keep:
                    continue
            add(tar, name, source)
    return written.getvalue()


def compiled(name: str, source: bytes) -> bytes:
    """Compile a module. It is never compared with its source: nobody edits it in a browser."""
    code = compile(source, f"{SITE}/{name}", "exec", dont_inherit=True)
    return bytes(_code_to_hash_pyc(code, source_hash(source), False))


def add(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    """Add a file."""
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    tar.addfile(entry, io.BytesIO(content))


def write_archives(wheels) -> list[bytes]:
    """Give an archive for each of `wheels`."""
    unpacked = [unpack(wheel) for wheel in wheels]
    imported = rehearse()
    return [archive(names, imported) for names in unpacked]
