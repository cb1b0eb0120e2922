"""The fixtures of the site in the browser: its build scripts, and the site, built once.

Read next: tests/lite/test_site.py.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "site" / "lite"))  # scripts that import each other by their names

ASK = (
    "GRAPHLAB_PYODIDE names no folder or archive with the files of Pyodide, so the site is not "
    "built (`download`: fetch one, 106 MB)"
)
ARCHIVE = "open-webui==0.12.4"  # a wheel of PyPI that carries the packages of Pyodide 314.0.3


@pytest.fixture(scope="session")
def pyodide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder or the archive with Pyodide's files, or skip."""
    named = os.environ.get("GRAPHLAB_PYODIDE", "")
    if not named:
        pytest.skip(ASK)
    if named != "download":
        return Path(named)
    folder = ROOT / "dist" / "pyodide"
    if not [*folder.glob("*.whl")]:
        run(sys.executable, "-m", "pip", "download", "--no-deps", "-d", str(folder), ARCHIVE)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="session")
def site(pyodide: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site from the working tree, in some minutes; or take the one that is named."""
    if built := os.environ.get("GRAPHLAB_LITE"):
        return Path(built)
    if importlib.util.find_spec("jupyterlite_core") is None:
        pytest.skip('the extra "lite" is not installed: pip install -e ".[lite]"')
    folder = tmp_path_factory.mktemp("site")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder))
    (wheel,) = folder.glob("*.whl")
    out, cache = folder / "lite", folder / "cache"
    build = [sys.executable, str(ROOT / "site/lite/build.py"), str(wheel)]
    run(*build, f"--pyodide={pyodide}", f"--out={out}", f"--cache={cache}")
    return out


def run(*command: str) -> None:
    """Run a program, and fail with what it said."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
