"""Output: a file is written completely or not at all; what one thread prints can be captured.

`contextlib.redirect_stdout` replaces `sys.stdout` for all threads. Two threads that use it at once
also restore it in the wrong order. Here all captures of a stream share one `Routed` stream.

Read next: compat/serialization.py
"""

import errno
import os
import secrets
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from threading import RLock, get_ident
from typing import Any

from graphlab.common.notebook import printable

LOCK = RLock()
# The last stream of each place. It must outlive its captures: CPython's `print` does not hold on to
# `sys.stdout` while it writes, so a stream that another thread let go would crash the interpreter.
last: dict[str, "Routed"] = {}


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


class Routed:
    """A stream that gives to a capture what the thread of that capture writes.

    It takes the place of `sys.stdout` or `sys.stderr` while there is a capture.
    """

    def __init__(self, place: str, stream: Any) -> None:
        self._place, self._stream = place, stream
        self._captures: list[tuple[int, StringIO]] = []  # a thread, and where its text goes

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write to the last capture of this thread, or to the stream itself."""
        own = [kept for thread, kept in self._captures if thread == get_ident()]
        if own and not debugger_writes():
            return own[-1].write(text)
        self.leave()
        return self._stream.write(text)

    def writelines(self, lines: Any) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def leave(self) -> None:
        """Put the stream itself back if there is no capture any more."""
        if self._captures:
            return
        with LOCK:
            if not self._captures and getattr(sys, self._place) is self:
                setattr(sys, self._place, self._stream)


@contextmanager
def captured(*places: str) -> Iterator[StringIO]:
    """Keep what this thread writes to `sys.stdout`, `sys.stderr` or both, inside a `with` block.

    >>> with captured("stdout") as kept:
    ...     print("hidden")
    >>> kept.getvalue()
    'hidden\\n'
    """
    kept, routes = StringIO(), []
    capture = get_ident(), kept
    with LOCK:
        for place in places:
            stream: Any = getattr(sys, place)
            if stream is None:  # as in a program without a console
                continue
            if type(stream) is not Routed:
                if place not in last or last[place]._stream is not stream:
                    last[place] = Routed(place, stream)
                stream = last[place]
                setattr(sys, place, stream)
            stream._captures.append(capture)
            routes.append(stream)
    try:
        yield kept
    finally:
        for stream in routes:
            stream._captures.remove(capture)
            stream.leave()


def debugger_writes() -> bool:
    """Return whether a debugger that has stopped the program, such as pdb, is writing."""
    frame: Any = sys._getframe(2)
    while frame is not None:
        # `run` and its kin start the program that is debugged
        if frame.f_globals.get("__name__") == "bdb" and not frame.f_code.co_name.startswith("run"):
            return True
        frame = frame.f_back
    return False
