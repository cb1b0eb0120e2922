"""Writing a file only when its text is another: what did not change is not built again.

Read next: site/sources.py.
"""

from __future__ import annotations

from pathlib import Path

WRITTEN: set[Path] = set()


def write(path: Path, text: str | bytes) -> None:
    """Write `text` to `path`, and remember that the file belongs to the site."""
    data = text.encode("utf-8") if isinstance(text, str) else text
    WRITTEN.add(path)
    if path.is_file() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def remove_others(folder: Path) -> None:
    """Remove the files below `folder` that an earlier build wrote and this one did not."""
    for path in folder.rglob("*"):
        if path.is_file() and path not in WRITTEN:
            path.unlink()
