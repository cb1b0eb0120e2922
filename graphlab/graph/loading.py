"""Loading gets the JSON of a trace from a dict, a string, bytes or a file.

A string is never taken as the name of a file, because it may come from anywhere; a `Path` is.

Read next: graph/document.py
"""

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from graphlab.common.errors import TraceError, written
from graphlab.common.notebook import shortened
from graphlab.graph.codec import ADVICE

Source = Mapping[str, Any] | str | bytes | os.PathLike[str]

CANNOT = "This trace cannot be read: "
WANTED = "the dict that timeline.to_json() returns, JSON text, or a Path"
SAVE = "Save the walk in a form that can be opened again: timeline.save('walk.json')."
NEARLY_JSON = '{["'  # the first characters of JSON that is more than a number
LIKE_A_PATH = re.compile(r"[^\n]*[/\\][^\n]*|[^\n]*\.[A-Za-z]\w{0,7}")


def load(source: Source) -> Any:
    """The JSON in `source`, unchecked; a dict is returned as it is.

    Raises: TraceError that says what was received instead; OSError if a file cannot be read.
    """
    if isinstance(source, Mapping):
        return source
    if isinstance(source, os.PathLike):
        return parse(_decoded(_content(Path(source))))
    if isinstance(source, bytes | bytearray):
        return parse(_decoded(bytes(source)))
    if isinstance(source, str):
        return parse(source)
    shown = shortened(written(source), 60)
    raise TraceError(
        f"{CANNOT}the document is {shown} ({type(source).__name__}), expected {WANTED}. "
        + _advice(source)
    )


def parse(text: str) -> Any:
    """The JSON in a string.

    Raises: TraceError that says where the string is not JSON, or what it is instead.
    """
    text = text.removeprefix("\ufeff")  # the byte order mark that Windows writes
    bare = text.strip()
    if not bare:
        raise TraceError(f"{CANNOT}the text is empty, as if cut off before it began. {SAVE}")
    if bare[0] == "<":
        raise TraceError(
            f"{CANNOT}it is a page or a picture ({bare[:15]!r}); only a file whose name ends in "
            f".json can be opened again. {SAVE}"
        )
    if bare[0] not in NEARLY_JSON and len(bare) < 1000 and LIKE_A_PATH.fullmatch(bare):
        raise TraceError(
            f"{CANNOT}{bare!r} is a path, not the text in the file. To open the file, write "
            f"Timeline.from_json(Path({bare!r})); Path is in pathlib."
        )
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        ended = not text[error.pos :].strip() or bare[0] + bare[-1] != "{}"
        what = "the text ends too early, as if cut off," if ended else "the text is not JSON"
        raise TraceError(f"{CANNOT}{what} at {where} ({error.msg}).") from None
    except (RecursionError, ValueError) as error:  # nested too deeply, or too many digits
        raise TraceError(f"{CANNOT}{error}. {ADVICE}") from None


def _content(path: Path) -> bytes:
    if path.is_dir():
        raise IsADirectoryError(f"cannot read {path}: it is a folder; name a file in it")
    try:
        return path.read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        if isinstance(error, FileNotFoundError):
            reason = f"there is no such file in {path.absolute().parent}"
        raise type(error)(error.errno, f"cannot read {path}: {reason}") from None


def _decoded(content: bytes) -> str:
    try:
        return content.decode(json.detect_encoding(content), "surrogatepass")
    except UnicodeDecodeError:
        raise TraceError(
            f"{CANNOT}it is not a text file ({content[:8]!r}); only a file whose name ends in "
            f".json can be opened again. {SAVE}"
        ) from None


def _advice(source: Any) -> str:
    """What to write instead of a source that is nearly right."""
    if type(source).__name__ == "Timeline":
        return "It is a Timeline already; use it directly."
    if callable(source):
        return "It is a function; call it and pass the result: timeline.to_json()."
    if hasattr(source, "read"):
        return "It is an open file; pass file.read(), or a Path to the file."
    return "Read the file that timeline.save('walk.json') wrote: Timeline.from_json(Path(...))."
