"""A trace travels into a notebook, a page or a browser as JSON that gzip compressed.

A trace repeats itself, so gzip makes one of 150 nodes ten times smaller. Browsers decompress it
without a library (js/src/inflate.ts). docs/decisions/0016-traces-travel-compressed.md has the
figures. A large trace is sorted into columns first, because its repetitions are too far apart for
gzip.

Read next: graph/columns.py, graph/document.py
"""

import base64
import binascii
import json
import zlib
from collections.abc import Mapping
from typing import Any

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
