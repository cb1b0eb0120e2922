"""`save` and `load` write and read tensors and plain values, in a file that cannot run code.

The file is a zip archive: `structure.json` describes the nesting, and `0.npy`, `1.npy`, ... hold
the arrays. `load` creates numbers, text, containers and tensors, and nothing else.

PyTorch differs: its files are pickles, which can run any code; `load` refuses them.

Read next: utils/data/__init__.py
"""

import io
import json
import os
import zipfile
from collections import Counter, OrderedDict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from graphlab.common import dtypes
from graphlab.common.output import write_whole
from graphlab.nn.parameter import Buffer, Parameter
from graphlab.tensor.sizes import Size
from graphlab.tensor.tensor import Tensor, wrap

FORMAT = "graphlab"
VERSION = 1
MAX_DEPTH = 100  # containers nested in each other
MAX_SIZE = 1 << 26  # bytes to which any archive may unpack
MAX_TEXT = 1 << 22  # and its JSON, which takes some twenty times as much as Python objects
MAX_ALIKE = 100  # keys with equal hashes: each is compared with all before it
MAX_RATIO = 4  # a larger archive may unpack to this many times its size; `save` does not compress


def save(obj: Any, f: Any, **ignored: Any) -> None:
    """Write tensors and plain values to a file.

    obj: a tensor, number, text, None, array or dtype, or lists, tuples, dicts and sets of them
    f: a path, or a binary file that is open for writing
    ignored: PyTorch's other options, without effect here
    Raises: TypeError for other objects, such as a module; save its `state_dict()` instead.
        ValueError for a container that contains itself, or more than 100 nested ones. OSError if
        the file cannot be written; a file that was there before stays as it was.

    >>> import io, graphlab as torch
    >>> torch.save([1, 2.5], io.BytesIO())
    """
    writer = Writer()
    tree = writer.encoded(obj, "the object")
    text = json.dumps({"format": FORMAT, "version": VERSION, "content": tree})
    buffer = io.BytesIO()  # a failed call leaves no partial file
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("structure.json", text)
        for i, array in enumerate(writer.arrays):
            with archive.open(f"{i}.npy", "w") as member:
                np.lib.format.write_array(member, np.asarray(array), allow_pickle=False)
    if hasattr(f, "write"):
        f.write(buffer.getvalue())
    else:
        write_whole(Path(f), buffer.getvalue())


class Writer:
    """Turns objects into JSON, which names each tensor by the number of its array."""

    def __init__(self) -> None:
        self.arrays: list[Any] = []
        self.places: dict[int, int] = {}  # id of a tensor -> the number of its array
        self.around: list[int] = []  # ids of the containers around the current value

    def encoded(self, value: Any, path: str) -> Any:
        """Return a value as JSON; bools, numbers, text and None stay, others are {"is": ...}."""
        if isinstance(value, float) and not np.isfinite(value):
            return {"is": "float", "of": repr(float(value))}
        if type(value) in (bool, int, float, str, type(None)):
            return value
        if isinstance(value, Tensor):
            return self.tensor(value)
        if isinstance(value, np.generic | np.ndarray):
            if np.asarray(value).dtype.hasobject:
                raise unsupported(value, path)
            self.arrays.append(value)
            kind = "ndarray" if isinstance(value, np.ndarray) else "generic"
            return {"is": kind, "at": len(self.arrays) - 1}
        if isinstance(value, dtypes.dtype):
            return {"is": "dtype", "of": value.name}
        if not isinstance(value, dict | list | tuple | set | frozenset):
            raise unsupported(value, path)
        if id(value) in self.around:
            raise ValueError(f"cannot save {path:.100}: it contains itself")
        if len(self.around) == MAX_DEPTH:
            raise ValueError(
                f"cannot save {path:.100}…: more than {MAX_DEPTH} containers are nested"
            )
        self.around.append(id(value))
        made = self.table(value, path) if isinstance(value, dict) else self.row(value, path)
        self.around.pop()
        return made

    def table(self, value: dict[Any, Any], path: str) -> dict[str, Any]:
        """Return a dictionary as JSON."""
        pairs = [
            [self.encoded(key, path), self.encoded(member, f"{path}[{key!r}]")]
            for key, member in value.items()
        ]
        made = {"is": "OrderedDict" if isinstance(value, OrderedDict) else "dict", "of": pairs}
        metadata = getattr(value, "_metadata", None)  # a state_dict's versions
        if metadata is not None:
            made["metadata"] = self.encoded(metadata, path)
        return made

    def row(self, value: Any, path: str) -> dict[str, Any]:
        """Return a list, tuple, set or size as JSON."""
        name = next(name for name, kind in CONTAINERS.items() if isinstance(value, kind))
        parts = [self.encoded(x, f"{path}[{i}]") for i, x in enumerate(value)]
        return {"is": name, "of": parts}

    def tensor(self, tensor: Tensor) -> dict[str, Any]:
        """Return a tensor as JSON: its class and the number of its array, which is stored once."""
        place = self.places.get(id(tensor))
        if place is None:
            place = self.places[id(tensor)] = len(self.arrays)
            self.arrays.append(tensor._data)
        name = type(tensor).__name__
        kind = name if name in ("Parameter", "Buffer") else "Tensor"
        return {"is": kind, "at": place, "requires_grad": tensor.requires_grad}


CONTAINERS: dict[str, Any] = {
    "list": list, "Size": Size, "tuple": tuple, "set": set, "frozenset": frozenset
}  # fmt: skip


def unsupported(value: Any, path: str) -> TypeError:
    """Return the error for an object that cannot be saved."""
    name = type(value).__name__
    if hasattr(value, "state_dict"):
        return TypeError(
            f"cannot save {path}, a {name}: a file holds tensors and plain values, not objects "
            "with code; save the state, `torch.save(x.state_dict(), f)`, and load it into a new "
            f"{name}"
        )
    return TypeError(
        f"cannot save {path}, a {name}: a file holds tensors, numbers, text, None, and lists, "
        "tuples, sets and dicts of them"
    )


# -- reading -------------------------------------------------------------------------------------


def load(
    f: Any,
    map_location: Any = None,
    pickle_module: Any = None,
    *,
    weights_only: bool = True,
    **ignored: Any,
) -> Any:
    """Read a file that `save` wrote; no code in it can run.

    f: a path, or a binary file that is open for reading
    map_location, pickle_module, weights_only, ignored: PyTorch's options, without effect here
    Returns: the object that was saved.
    Raises: RuntimeError for a file of another kind, for a damaged one, and for an archive that
        unpacks to much more than its own size.

    >>> import io
    >>> import graphlab as torch
    >>> file = io.BytesIO()
    >>> torch.save({"w": torch.ones(2), "epoch": 3}, file)
    >>> _ = file.seek(0)
    >>> torch.load(file)
    {'w': tensor([1., 1.]), 'epoch': 3}
    """
    if hasattr(f, "read"):
        content = f.read()
    else:
        with open(os.fspath(f), "rb") as file:
            content = file.read()
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except Exception:  # BadZipFile, or any other error for wrong bytes
        raise RuntimeError(foreign(content)) from None
    with archive:
        names = set(archive.namelist())
        if "structure.json" not in names:
            raise RuntimeError(foreign(content))
        text = archive.getinfo("structure.json").file_size
        size = sum(one.file_size for one in archive.infolist())
        for length, least in ((text, MAX_TEXT), (size, MAX_SIZE)):
            most = max(least, MAX_RATIO * len(content))
            if length > most:
                raise RuntimeError(TOO_LARGE.format(len(content), length, most))
        try:
            structure = json.loads(unpacked(archive, "structure.json"))
            if structure.get("format") != FORMAT or structure.get("version") != VERSION:
                raise RuntimeError(
                    f"this file has format {structure.get('format')!r}, version "
                    f"{structure.get('version')!r}; expected {FORMAT!r}, version {VERSION}"
                )
            return Reader(archive, most).decoded(structure["content"])
        except RecursionError:
            raise RuntimeError("the file is damaged: it is nested too deeply") from None
        except RuntimeError:
            raise
        except Exception as error:  # any error of zipfile, zlib, json and NumPy for wrong bytes
            raise RuntimeError(f"the file is damaged: {error}") from None


def unpacked(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return a member of an archive, and never more bytes than the archive says it has."""
    info = archive.getinfo(name)
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"{name} is packed in a way that torch.save does not use")
    with archive.open(info) as member:
        return member.read(info.file_size + 1)  # without a limit, all that is there


TOO_LARGE = (
    "the file has {:,} bytes and unpacks to {:,}, but at most {:,} are allowed, so that it cannot "
    "fill the memory. torch.save does not compress; if you trust the file, unpack the archive and "
    "pack it again without compression"
)


def foreign(content: bytes) -> str:
    """Return the message for a file that `save` did not write."""
    if b'"graphlab.trace"' in content[:200]:
        return (
            "the file holds a trace, not tensors; open it with "
            "graphlab.Timeline.from_json(Path(...))"
        )
    pickled = content[:1] == b"\x80" or b"data.pkl" in content
    if content[:2] == b"PK" and not pickled:
        return (
            "the file is damaged, or was not written by torch.save: it is an archive that is "
            "incomplete or has other contents"
        )
    what = "it is a pickle, which could run any code" if pickled else "it is not a zip archive"
    return (
        f"the file was not written by GraphLab's torch.save: {what}. Load it where it was written "
        "and save the tensors as NumPy arrays, or save it there with GraphLab"
    )


class Reader:
    """Turns the JSON of an archive back into objects; one stored tensor becomes one tensor."""

    def __init__(self, archive: zipfile.ZipFile, most: int) -> None:
        self.archive = archive
        self.most = self.left = most  # bytes for arrays; the JSON may name the same one often
        self.tensors: dict[tuple[int, str], Tensor] = {}

    def array(self, place: int) -> np.ndarray:
        content = unpacked(self.archive, f"{int(place)}.npy")
        self.left -= len(content)
        if self.left < 0:
            raise RuntimeError(f"the file's arrays take more than {self.most:,} bytes")
        array = np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)
        if array.size > len(content):
            raise ValueError(f"{place}.npy has entries of no size")
        return array

    def decoded(self, tree: Any) -> Any:
        if isinstance(tree, list):  # `save` writes {"is": "list", "of": [...]}
            raise ValueError("a list stands where a value is expected")
        if not isinstance(tree, dict):
            return tree
        kind = tree["is"]
        if kind == "float":
            return float(tree["of"])
        if kind in ("Tensor", "Parameter", "Buffer"):
            return self.tensor(tree)
        if kind in ("ndarray", "generic"):
            array = self.array(tree["at"])
            return array if kind == "ndarray" else array[()]
        if kind == "dtype":
            found = getattr(dtypes, tree["of"] + "_" * (tree["of"] == "bool"))
            if not isinstance(found, dtypes.dtype):
                raise ValueError(f"{tree['of']!r} is not a dtype")
            return found
        if kind in ("dict", "OrderedDict"):
            pairs = [(self.decoded(key), self.decoded(value)) for key, value in tree["of"]]
            check_hashes(key for key, _ in pairs)
            made: Any = (OrderedDict if kind == "OrderedDict" else dict)(pairs)
            if "metadata" in tree and kind == "OrderedDict":
                made._metadata = self.decoded(tree["metadata"])
            return made
        parts = [self.decoded(part) for part in tree["of"]]
        if kind in ("set", "frozenset"):
            check_hashes(parts)
        if kind == "Size" and not all(isinstance(part, int | np.integer) for part in parts):
            raise ValueError("a size has a part that is no integer")
        return CONTAINERS[kind](parts)

    def tensor(self, tree: dict[str, Any]) -> Tensor:
        key = (tree["at"], tree["is"])
        if key not in self.tensors:
            array = self.array(tree["at"])
            dtypes.find(array.dtype)
            plain = wrap(array if array.ndim else array[()], False, None)
            self.tensors[key] = tensor_of_class(tree["is"], plain, bool(tree["requires_grad"]))
        return self.tensors[key]


def check_hashes(keys: Iterable[Any]) -> None:
    """Raises: ValueError for many keys with the same hash, which fill a set or dict very slowly."""
    if max(Counter(map(hash, keys)).values(), default=0) > MAX_ALIKE:
        raise ValueError(f"more than {MAX_ALIKE} keys of a set or dict have the same hash")


def tensor_of_class(kind: str, plain: Tensor, requires_grad: bool) -> Tensor:
    """Return a plain tensor, or a parameter or buffer that has its data."""
    if kind == "Tensor":
        return plain.requires_grad_(requires_grad)
    return Parameter(plain, requires_grad) if kind == "Parameter" else Buffer(plain)
