"""The player's script: one file for text/html, saved pages, widgets and JupyterLab.

It is a file of the JupyterLab extension, so a wheel contains it once. Installers put it into the
`share` folder of the environment.

Read next: js/src/fallback.ts
"""

from __future__ import annotations

from pathlib import Path

EXTENSION = "share/jupyter/labextensions/graphlab-jupyter/static"
PACKAGE = Path(__file__).parents[2]


def player_file(package: Path = PACKAGE) -> Path | None:
    """Return the player's file beside the installed package, or None if there is none.

    In a clone, `npm run build` makes it inside the package.
    """
    built = package / "labextension" / "static"
    # from lib/python3.11/site-packages, or Lib/site-packages, up to the environment
    shared = [folder / EXTENSION for folder in package.parents[:4]]
    return next((file for folder in (built, *shared) for file in folder.glob("*.player")), None)


def player_text() -> str | None:
    """Return the player's script, or None if it is not built or not installed."""
    file = player_file()
    return None if file is None else file.read_text(encoding="utf-8")
