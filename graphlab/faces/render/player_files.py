"""The player as it travels: the widget's module, the script of a page, and the extras.

All are composed of two packed files: the core, which the widget needs, and the extras, which are
what else the player has. They are files of the JupyterLab extension, which fetches them, so a wheel
contains each of them once; installers put them into the environment's `share` folder.
docs/decisions/0013 says why.

Read next: js/scripts/packing.mjs
"""

from functools import cache
from pathlib import Path

EXTENSION = "share/jupyter/labextensions/graphlab-jupyter/static"
PACKAGE = Path(__file__).parents[2]


def player_files(package: Path = PACKAGE) -> tuple[Path, Path] | None:
    """Return the files of the core and the extras beside the installed package, if they are there.

    In a clone, `npm run build` makes them inside the package.
    """
    built = package / "labextension" / "static"
    # from lib/python3.11/site-packages, or Lib/site-packages, up to the environment
    shared = [folder / EXTENSION for folder in package.parents[:4]]
    for folder in (built, *shared):
        found = [next(folder.glob(f"*.{part}"), None) for part in ("core", "extras")]
        if found[0] and found[1]:
            return found[0], found[1]
    return None


@cache
def _texts() -> tuple[str, str] | None:
    """Return what the files hold: read once, so that a page gets the extras of its own core."""
    files = player_files()
    return files and (files[0].read_text("utf-8"), files[1].read_text("utf-8"))


def widget_module() -> str | None:
    """Return the widget's module, which has no extras; None if the files are not installed."""
    texts = _texts()
    return texts and texts[0]


def extras_module() -> str | None:
    """Return a module that unpacks the extras, for a page that has the widget's module."""
    texts = _texts()
    return texts and texts[1].splitlines()[0]


def player_text() -> str | None:
    """Return the script that plays what a page holds; None if the files are not installed."""
    texts = _texts()
    if texts is None:
        return None
    core, extras = (text.splitlines() for text in texts)
    return f"(()=>{{{core[0]}{''.join(extras)}}})()"
