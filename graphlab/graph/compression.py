"""A trace travels into a notebook, a page or a browser as JSON that gzip compressed.

A trace repeats itself, so gzip makes one of 150 nodes ten times smaller. Browsers decompress it
without a library (js/src/inflate.ts). docs/decisions/0016-traces-travel-compressed.md has the
figures. A large trace is sorted into columns first, because its repetitions are too far apart for
gzip.

The JSON is loaded from a dict, a string, bytes or a file. A string is never taken as the name of a
file, because it may come from anywhere; a `Path` is.

Read next: graph/columns.py, graph/document.py
"""

import base64
import binascii
import json
import os
import re
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from graphlab.common.errors import TraceError, written
from graphlab.common.notebook import shortened
from graphlab.graph.codec import ADVICE
from graphlab.graph.columns import damaged, from_columns, in_columns

GZIP = 16 + zlib.MAX_WBITS  # zlib's number for the gzip format
LARGEST = 2**28  # bytes of JSON; the largest trace that can be recorded has about half as many
LARGE = 1_000_000  # characters of JSON; sorting into columns is worth the time from this size on
RATIO = 64  # a compressed part may have so many bytes of JSON for each letter; a trace has 30
SMALL = 2**22  # bytes of JSON that any may have
MOST = 2**23  # brackets in it: objects take some twenty times as much memory as their text
MANY = 10_000  # events, which have more characters than that
HEADER = ("format", "version", "generator", "title")


def compressed(document: Mapping[str, Any], level: int = -1) -> dict[str, Any]:
    """`document` as an object with the same header and all the rest under "gzip".

    level: zlib's; 1 is the fastest, for what is sent while somebody waits, and sorts nothing into
    columns.

    >>> small = compressed({"format": "graphlab.trace", "version": 3, "events": []})
    >>> list(small)
    ['format', 'version', 'gzip']
    >>> decompressed(small["gzip"])
    '{"format":"graphlab.trace","version":3,"events":[]}'
    """
    header = {key: document[key] for key in HEADER if key in document}
    return {**header, "gzip": compressed_text(document, level)}


def compressed_text(document: Any, level: int = -1) -> str:
    """The JSON of `document`, gzipped, in base64; nothing in it can end or open a tag of a page.

    >>> compressed_text({"name": "</script>"}).isascii()
    True
    """
    sortable = level != 1 and isinstance(document, Mapping)
    many = sortable and len(document.get("events", ())) > MANY
    text = "" if many else _written(document)
    if many or (sortable and len(text) >= LARGE):
        text, level = in_columns(document), 9
    packer = zlib.compressobj(level, wbits=GZIP)  # writes no date: equal traces give equal text
    data = packer.compress(text.encode("utf-8", "surrogatepass")) + packer.flush()
    return base64.b64encode(data).decode("ascii")


def _written(document: object) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def out_of_columns(data: Any, size: int = LARGEST) -> Any:
    """The document in the JSON that `compressed_text` wrote, which may be sorted into columns.

    Raises: TraceError when the columns are damaged.
    """
    by_columns = isinstance(data, Mapping) and "columns" in data and "format" not in data
    return from_columns(data, size) if by_columns else data


def decompressed(text: Any, largest: int = LARGEST) -> str:
    """The JSON in the string that `compressed_text` wrote.

    A short string can decompress to a huge one, so no more than `largest` bytes are ever made, and
    fewer from a short string.
    Raises: TraceError when it is damaged, or too large.
    """
    if not isinstance(text, str):
        raise damaged(f"gzip is {type(text).__name__}, expected a string")
    largest = min(largest, max(SMALL, RATIO * len(text)))
    unpacker = zlib.decompressobj(wbits=GZIP)
    try:
        data = unpacker.decompress(base64.b64decode(text, validate=True), largest)
    except (binascii.Error, ValueError, zlib.error) as error:
        raise damaged(f"its compressed part is damaged ({error})") from None
    if unpacker.unconsumed_tail:
        raise damaged(f"it is larger than {largest:,} bytes")
    if not unpacker.eof:
        raise damaged("its compressed part ends too early, as if cut off")
    if data.count(b"{") + data.count(b"[") > MOST:
        raise damaged(f"it has more than {MOST:,} lists and objects")
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise damaged(f"its compressed part is not text ({error})") from None


# -- where the JSON of a trace comes from -------------------------------------------------------

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
