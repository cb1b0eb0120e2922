"""Writing a file completely or not at all: what was there stays until the new content is there.

Read next: compat/serialization.py
"""

import errno
import os
import secrets
import shutil
from pathlib import Path

from graphlab.common.notebook import printable


def destination(target: Path) -> Path:
    """Return the path to write to: the target of a symbolic link rather than the link.

    Raises: FileNotFoundError if its folder is missing; PermissionError if the file is read-only.
    """
    place, name = target.resolve(), printable(str(target))
    if not place.parent.is_dir():
        folder = printable(str(place.parent))
        raise FileNotFoundError(
            f"cannot save to {name}: there is no folder {folder}; make it first: "
            f"Path({str(target.parent)!r}).mkdir(parents=True), or name one that is there"
        )
    if place.exists() and not os.access(place, os.W_OK):
        raise PermissionError(errno.EACCES, f"cannot save to {name}: it is read-only")
    return place


def write_whole(target: Path, content: str | bytes) -> None:
    """Write to a temporary file beside `target`, then rename it: the change is atomic.

    A device or a pipe is written to as it is. Raises: OSError that names the target.
    """
    data = content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")
    place = destination(target)
    if place.exists() and not place.is_file():
        place.write_bytes(data)
        return
    half = place.with_name(f".{secrets.token_hex(6)}.part")
    try:
        with half.open("xb") as file:
            file.write(data)
        if place.exists():
            shutil.copymode(place, half)
        half.replace(place)
    except OSError as error:
        half.unlink(missing_ok=True)
        reason = error.strerror or str(error)
        raise type(error)(error.errno, printable(f"cannot save to {target}: {reason}")) from error
    except BaseException:
        half.unlink(missing_ok=True)
        raise
