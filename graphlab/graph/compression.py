"""A trace as it travels into a notebook, a page or a browser: its JSON, compressed with gzip.

Most of a trace repeats itself, so gzip makes 150 nodes ten times smaller. Browsers decompress it
without a library (js/src/inflate.ts). docs/decisions/0016-traces-travel-compressed.md has the
figures. What a large one repeats is too far apart for gzip, so it is sorted into columns first.

Read next: graph/columns.py, graph/document.py
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Mapping
from typing import Any

from graphlab.common.errors import TraceError
from graphlab.graph.columns import from_columns, in_columns

GZIP = 16 + zlib.MAX_WBITS  # what zlib calls the gzip format
LARGEST = 2**28  # bytes of JSON; the largest trace that is recorded has about half as many
LARGE = 1_000_000  # characters of JSON, from which on it is worth the time to sort it into columns
HEADER = ("format", "version", "generator", "title")


def compressed(document: Mapping[str, Any], level: int = -1) -> dict[str, Any]:
    """`document` as an object with the same header and all the rest under "gzip".

    level: of zlib, 1 is the fastest, for what is sent while somebody waits; then nothing is sorted
    into columns.

    >>> small = compressed({"format": "graphlab.trace", "version": 3, "events": []})
    >>> list(small)
    ['format', 'version', 'gzip']
    >>> decompressed(small["gzip"])
    '{"format":"graphlab.trace","version":3,"events":[]}'
    """
    header = {key: document[key] for key in HEADER if key in document}
    return {**header, "gzip": compressed_text(document, level)}


def compressed_text(document: object, level: int = -1) -> str:
    """JSON in gzip in base64; no name in it can end a script or open a tag of a page.

    >>> compressed_text({"name": "</script>"}).isascii()
    True
    """
    text = _written(document)
    if len(text) >= LARGE and level != 1 and isinstance(document, Mapping):
        text, level = _written(in_columns(document)), 9
    packer = zlib.compressobj(
        level, wbits=GZIP
    )  # which writes no date: the same trace, the same text
    data = packer.compress(text.encode("utf-8", "surrogatepass")) + packer.flush()
    return base64.b64encode(data).decode("ascii")


def _written(document: object) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def out_of_columns(data: Any) -> Any:
    """The document in what `compressed_text` has written, which a large one's columns stand for.

    Raises: TraceError when they are damaged.
    """
    in_order = isinstance(data, Mapping) and "columns" in data and "format" not in data
    return from_columns(data) if in_order else data


def decompressed(text: Any, largest: int = LARGEST) -> str:
    """The JSON in what `compressed_text` wrote.

    A small text can stand for a huge one, so no more than `largest` bytes are ever made.
    Raises: TraceError when it is damaged, or too large.
    """
    if not isinstance(text, str):
        raise TraceError(f"{_CANNOT} gzip is {type(text).__name__}, expected a text. {_AGAIN}")
    unpacker = zlib.decompressobj(wbits=GZIP)
    try:
        data = unpacker.decompress(base64.b64decode(text, validate=True), largest)
    except (binascii.Error, ValueError, zlib.error) as error:
        raise TraceError(f"{_CANNOT} its compressed part is damaged ({error}). {_AGAIN}") from None
    if unpacker.unconsumed_tail:
        raise TraceError(f"{_CANNOT} it is larger than {largest:,} bytes. {_AGAIN}")
    if not unpacker.eof:
        raise TraceError(f"{_CANNOT} its compressed part ends too early, as if cut off. {_AGAIN}")
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise TraceError(
            f"{_CANNOT} its compressed part is not a text ({error}). {_AGAIN}"
        ) from None


_CANNOT = "This trace cannot be read:"
_AGAIN = "Run the cell that made it again."
