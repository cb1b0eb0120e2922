"""What is saved comes back as it was; what is no such file is refused, and nothing is ever run.

Read next: tests/optim/test_optimizers.py
"""

from __future__ import annotations

import io
import json
import math
import pickle
import tracemalloc
import zipfile
from collections import OrderedDict
from pathlib import Path

import numpy as np
import pytest

import graphlab
from graphlab import nn, optim


def there_and_back(thing):
    file = io.BytesIO()
    graphlab.save(thing, file)
    file.seek(0)
    return graphlab.load(file)


def described(thing):
    """A thing with the types of all that it holds."""
    if isinstance(thing, graphlab.Tensor):
        kind = type(thing).__name__
        return (kind, str(thing.dtype), thing.tolist(), tuple(thing.shape), thing.requires_grad)
    if isinstance(thing, dict):
        return type(thing).__name__, [(described(k), described(v)) for k, v in thing.items()]
    if isinstance(thing, list | tuple):
        return type(thing).__name__, [described(one) for one in thing]
    return type(thing).__name__, repr(thing)


THINGS = {
    "a tensor": graphlab.tensor([[1.0, -2.5], [math.inf, 0.1]]),
    "0-d": graphlab.tensor(3),
    "empty": graphlab.zeros(0, 3),
    "bools": graphlab.tensor([True, False]),
    "float64 that needs a gradient": graphlab.ones(2, dtype=graphlab.float64, requires_grad=True),
    "float16": graphlab.tensor([1.0], dtype=graphlab.float16),
    "a parameter": nn.Parameter(graphlab.ones(2)),
    "a frozen parameter": nn.Parameter(graphlab.ones(2), requires_grad=False),
    "a transposed view": graphlab.arange(6).reshape(2, 3).t(),
    "nested": {"a": [1, (2.5, None, "é")], 3: {"b": graphlab.ones(1)}, (1, 2): True},
    "numbers": [math.inf, -math.inf, math.nan, 10**30, 0.1],
    "ordered": OrderedDict(b=1, a=2),
    "a set": {1},
    "a frozen set": frozenset({1}),
    "a shape": graphlab.ones(2, 3).shape,
    "types": [graphlab.float32, graphlab.bool, graphlab.int8],
    "numpy": [np.float32(2.5), np.arange(3)],
}


@pytest.mark.parametrize("name", THINGS)
def test_what_is_saved_comes_back_as_it_was(name):
    assert described(there_and_back(THINGS[name])) == described(THINGS[name])


def test_a_model_and_its_optimizer_go_on_where_they_were(tmp_path):
    def model_and_optimizer():
        model = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
        return model, optim.Adam(model.parameters(), lr=0.1)

    def train(model, optimizer):
        optimizer.zero_grad()
        loss = (model(graphlab.ones(4, 2)) ** 2).mean()
        loss.backward()
        optimizer.step()
        return loss.item()

    model, optimizer = model_and_optimizer()
    train(model, optimizer)
    path = tmp_path / "checkpoint.pt"
    graphlab.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, path)
    other, other_optimizer = model_and_optimizer()
    checkpoint = graphlab.load(str(path), weights_only=True)
    assert other.load_state_dict(checkpoint["model"])._fields == ("missing_keys", "unexpected_keys")
    other_optimizer.load_state_dict(checkpoint["optimizer"])
    for _ in range(3):
        assert train(model, optimizer) == train(other, other_optimizer)
    assert checkpoint["model"]._metadata == model.state_dict()._metadata


def test_a_tensor_that_is_held_twice_comes_back_as_one():
    w = graphlab.ones(2)
    a, b = there_and_back([w, {"w": w}])
    assert a is b["w"]


def test_what_is_loaded_may_be_written_to():
    loaded = there_and_back(graphlab.ones(2))
    loaded += 1
    assert loaded.tolist() == [2.0, 2.0]


class Explosive:
    """Would raise when it is unpickled."""

    def __reduce__(self):
        return (pytest.fail, ("a pickle was run",))


def archive_of(**files):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "."), content)
    return file.getvalue()


def whole():
    file = io.BytesIO()
    graphlab.save({"w": graphlab.arange(1000)}, file)
    return file.getvalue()


def object_array():
    file = io.BytesIO()
    np.save(file, np.array([Explosive()], dtype=object), allow_pickle=True)
    return file.getvalue()


def structure(content, **others):
    return json.dumps({"format": "graphlab", "version": 1, "content": content, **others})


def numbers_of_shape(shape):
    """The header of a file of numbers, which promises more than it has."""
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}"
    header = header.replace("10**17", str(10**17)).replace("10**30", str(10**30))
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode()


def with_numbers(content, kind="Tensor"):
    tree = {"is": kind, "at": 0, "requires_grad": False}
    return archive_of(**{"structure__json": structure(tree), "0__npy": content})


def wrongly_compressed():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("structure.json", structure(1))
    content = bytearray(file.getvalue())
    start = content.index(b"structure.json") + len("structure.json")
    content[start : start + 2] = b"\xff\xff"
    return bytes(content)


ALIKE = [k * (2**61 - 1) for k in range(200)]  # hash(k) of all is 0
FOREIGN = {
    "nothing": (b"", "not written by GraphLab"),
    "text": (b"hello", "not written by GraphLab"),
    "a pickle": (pickle.dumps(Explosive()), "it is a pickle, which could run any code"),
    "PyTorch's own": (archive_of(data__pkl=b"x"), "it is a pickle, which could run any code"),
    "another archive": (archive_of(a="b"), "incomplete or has other contents"),
    "cut short": (whole()[:-50], "incomplete or has other contents"),
    "a bit turned": (whole().replace(b"\x05\x00", b"\x06\x00", 1), "damaged"),
    "a later version": (
        archive_of(structure__json=structure(1, version=2)),
        "version 2; expected 'graphlab', version 1",
    ),
    "no JSON": (archive_of(structure__json="{"), "damaged"),
    "a list": (archive_of(structure__json="[]"), "damaged"),
    "no numbers": (
        archive_of(structure__json=structure({"is": "Tensor", "at": 0, "requires_grad": True})),
        "damaged",
    ),
    "an unknown kind": (archive_of(structure__json=structure({"is": "code", "of": []})), "damaged"),
    "a type that is none": (
        archive_of(structure__json=structure({"is": "dtype", "of": "np"})),
        "damaged",
    ),
    "objects for numbers": (
        archive_of(**{
            "structure__json": structure({"is": "ndarray", "at": 0}),
            "0__npy": object_array(),
        }),
        "damaged",
    ),
    "more numbers than there is memory": (with_numbers(numbers_of_shape("(10**17,)")), "damaged"),
    "more than can be counted": (with_numbers(numbers_of_shape("(10**30,)")), "damaged"),
    "a header that never ends": (with_numbers(numbers_of_shape("(" * 9000)), "damaged"),
    "a place beyond numbers": (
        archive_of(structure__json='{"format": "graphlab", "version": 1, '
            '"content": {"is": "Tensor", "at": 1e999, "requires_grad": false}}'),
        "damaged",
    ),
    "several arrays in one": (with_numbers(whole(), "ndarray"), "damaged"),
    "entries of no size": (
        with_numbers(numbers_of_shape("(10**17,)").replace(b"<f8", b"|V0"), "ndarray"),
        "no size",
    ),
    "a size of text": (archive_of(structure__json=structure({"is": "Size", "of": ["a"]})), "size"),
    "a set of equal hashes": (
        archive_of(structure__json=structure({"is": "set", "of": ALIKE})),
        "more than 100 keys",
    ),
    "a dict of equal hashes": (
        archive_of(structure__json=structure({"is": "dict", "of": [[key, 0] for key in ALIKE]})),
        "more than 100 keys",
    ),
    "wrongly compressed": (wrongly_compressed(), "damaged"),
}  # fmt: skip


@pytest.mark.parametrize("name", FOREIGN)
def test_what_is_no_such_file_is_refused_and_nothing_is_run(name):
    content, message = FOREIGN[name]
    with pytest.raises(RuntimeError, match=message):
        graphlab.load(io.BytesIO(content))


@pytest.mark.parametrize(
    ("thing", "message"),
    [
        (nn.Linear(1, 1), r"save the state, `torch.save\(x.state_dict\(\), f\)`"),
        ({"model": nn.ReLU()}, r"cannot save the object\['model'\], a ReLU"),
        ([1, object()], r"cannot save the object\[1\], a object"),
        (np.array([None], dtype=object), "cannot save the object"),
    ],
)
def test_what_a_file_cannot_hold_is_said_and_no_file_is_begun(thing, message, tmp_path):
    path = tmp_path / "file.pt"
    with pytest.raises(TypeError, match=message):
        graphlab.save(thing, path)
    assert not path.exists()


def test_a_file_that_is_not_there_is_said_to_be_missing(tmp_path):
    with pytest.raises(FileNotFoundError):
        graphlab.load(tmp_path / "none.pt")


# -- nothing is lost, and nothing grows without a limit ------------------------------------------


def test_a_full_disk_leaves_the_file_that_was_there(tmp_path, monkeypatch):
    path = tmp_path / "file.pt"
    graphlab.save([1, 2], path)

    class Full(io.FileIO):
        def write(self, data):
            super().write(data[:10])
            raise OSError(28, "No space left on device")

    opened = Path.open

    def open_full(self, mode="r", *args, **options):
        return Full(self, mode.replace("b", "")) if "x" in mode else opened(self, mode, *args)

    monkeypatch.setattr(Path, "open", open_full)
    with pytest.raises(OSError, match="No space left on device"):
        graphlab.save([3, 4], path)
    monkeypatch.undo()
    assert graphlab.load(path) == [1, 2]
    assert [one.name for one in tmp_path.iterdir()] == ["file.pt"]


def test_a_link_and_the_rights_of_a_file_stay(tmp_path):
    path, link = tmp_path / "file.pt", tmp_path / "link.pt"
    graphlab.save(1, path)
    path.chmod(0o600)
    link.symlink_to(path)
    graphlab.save(2, link)
    assert link.is_symlink()
    assert graphlab.load(path) == 2
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_list_that_holds_itself_is_refused():
    row = [1, {}]
    row[1]["row"] = row
    with pytest.raises(
        ValueError, match=r"cannot save the object\[1\]\['row'\]: it contains itself"
    ):
        graphlab.save(row, io.BytesIO())
    graphlab.save([row[:1], row[:1]], io.BytesIO())
    twice = [1]
    graphlab.save([twice, twice], io.BytesIO())  # beside each other, not in each other


def test_deep_nesting_is_refused_with_its_limit():
    deep = []
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(ValueError, match="more than 100 containers are nested"):
        graphlab.save(deep, io.BytesIO())
    deep = []
    for _ in range(99):
        deep = {"inner": deep}
    file = io.BytesIO()
    graphlab.save(deep, file)
    file.seek(0)
    assert graphlab.load(file) == deep


def packed(name, size):
    """A small archive with a member of `size` equal bytes."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("structure.json", structure([1]))
        archive.writestr(name, bytes(size))
    return file.getvalue()


@pytest.mark.parametrize("name", ["0.npy", "other"])
def test_an_archive_that_unpacks_to_too_much_is_refused_before_it_is_unpacked(name, monkeypatch):
    content = packed(name, (1 << 26) + 1)
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda *args: pytest.fail("unpacked"))
    with pytest.raises(RuntimeError, match=r"unpacks to 67,108,\d+, but at most 67,108,864"):
        graphlab.load(io.BytesIO(content))


def test_a_structure_that_would_become_a_thousand_times_as_many_objects_is_refused(monkeypatch):
    content = archive_of(structure__json=structure([]) + " " * (1 << 22))
    assert len(content) > 1 << 22
    with pytest.raises(RuntimeError, match="a list stands where a value is expected"):
        graphlab.load(io.BytesIO(content))  # large, but not compressed
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("structure.json", f"[{'[],' * (1 << 21)}[]]")
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda *args: pytest.fail("unpacked"))
    with pytest.raises(RuntimeError, match=r"unpacks to 6,291,460, but at most 4,194,304"):
        graphlab.load(io.BytesIO(file.getvalue()))


def test_an_array_that_is_named_too_often_is_refused():
    numbers = io.BytesIO()
    np.save(numbers, np.zeros(1 << 17))
    tree = {"is": "list", "of": [{"is": "ndarray", "at": 0}] * 100}
    content = archive_of(**{"structure__json": structure(tree), "0__npy": numbers.getvalue()})
    with pytest.raises(RuntimeError, match="the file's arrays take more than 67,108,864 bytes"):
        graphlab.load(io.BytesIO(content))


@pytest.mark.parametrize("kind", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
@pytest.mark.parametrize("name", ["0.npy", "structure.json"])
def test_an_archive_that_lies_about_its_size_is_not_unpacked_beyond_it(name, kind):
    size, file = 1 << 24, io.BytesIO()
    with zipfile.ZipFile(file, "w", kind) as archive:
        if name != "structure.json":
            archive.writestr("structure.json", structure({"is": "ndarray", "at": 0}))
        archive.writestr(name, bytes(size))
    content = bytearray(file.getvalue())
    entry = content.rindex(b"PK\x01\x02")  # of the last member in the archive's directory
    assert int.from_bytes(content[entry + 24 : entry + 28], "little") == size
    content[entry + 24 : entry + 28] = (1000).to_bytes(4, "little")
    tracemalloc.start()
    try:
        with pytest.raises(RuntimeError, match="the file is damaged"):
            graphlab.load(io.BytesIO(bytes(content)))
        assert tracemalloc.get_traced_memory()[1] < size / 4
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("tree", [[], [[1.0]], {"is": "tuple", "of": [[1]]}])
def test_a_list_that_save_would_not_write_is_refused(tree):
    content = archive_of(structure__json=structure(tree))
    with pytest.raises(RuntimeError, match="damaged: a list stands where a value is expected"):
        graphlab.load(io.BytesIO(content))


def test_a_structure_that_is_nested_too_deeply_is_refused():
    deep = '{"is": "list", "of": [' * 9000 + "]}" * 9000
    content = archive_of(structure__json=structure(1)[:-2] + deep + "}")
    with pytest.raises(RuntimeError, match="damaged: it is nested too deeply"):
        graphlab.load(io.BytesIO(content))
