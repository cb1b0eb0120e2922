"""The player's script: one file, which text/html, saved pages, widgets and JupyterLab share.

It is a file of the JupyterLab extension, so a wheel holds it once. Installers put it below the
`share` of the environment in which the package lies.

Read next: js/src/fallback.ts
"""

from __future__ import annotations

from pathlib import Path

EXTENSION = "share/jupyter/labextensions/graphlab-jupyter/static"
PACKAGE = Path(__file__).parents[2]


def player_file(package: Path = PACKAGE) -> Path | None:
    """The player's file beside the installed package, or None where there is none.

    A clone has it in the package, as soon as `npm run build` has run.
    """
    built = package / "labextension" / "static"
    # from lib/python3.11/site-packages, or Lib/site-packages, up to the environment
    shared = [folder / EXTENSION for folder in package.parents[:4]]
    return next((file for folder in (built, *shared) for file in folder.glob("*.player")), None)


def player_text() -> str | None:
    """The player, or None where it is not built or not installed."""
    file = player_file()
    return None if file is None else file.read_text(encoding="utf-8")
