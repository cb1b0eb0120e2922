"""A file that is not Pyodide's own is refused, in one sentence that names it."""

from __future__ import annotations

import hashlib
import io
import tarfile
import zipfile
from pathlib import Path

import pytest
from pyodide_files import PyodideFilesError, core_files, package_files, take_files

CONTENT = {"pyodide.mjs": b"the loader", "numpy.whl": b"the arrays"}
WANTED = {name: hashlib.sha256(content).hexdigest() for name, content in CONTENT.items()}


def as_folder(place: Path, files: dict[str, bytes]) -> Path:
    (place / "inner").mkdir()
    for name, content in files.items():
        (place / "inner" / name).write_bytes(content)
    return place


def as_zip(place: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(place / "archive.whl", "w") as archive:
        for name, content in files.items():
            archive.writestr(f"some/folder/{name}", content)
    return place / "archive.whl"


def as_tar(place: Path, files: dict[str, bytes]) -> Path:
    with tarfile.open(place / "archive.tar.bz2", "w:bz2") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(f"pyodide/{name}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return place / "archive.tar.bz2"


forms = pytest.mark.parametrize("form", [as_folder, as_zip, as_tar])


@forms
def test_files_are_found_by_name_in_a_folder_and_in_an_archive(form, tmp_path):
    source = form(tmp_path, CONTENT | {"another.txt": b""})
    take_files(source, WANTED, tmp_path / "taken")
    taken = {path.name: path.read_bytes() for path in (tmp_path / "taken").iterdir()}
    assert taken == CONTENT


@forms
def test_a_damaged_file_is_named_and_nothing_is_written(form, tmp_path):
    source = form(tmp_path, CONTENT | {"numpy.whl": b"the arrayz"})
    with pytest.raises(PyodideFilesError, match=r"^numpy\.whl in .*: damaged") as error:
        take_files(source, WANTED, tmp_path / "taken")
    assert WANTED["numpy.whl"][:12] in str(error.value)
    assert len(str(error.value).splitlines()) == 1
    assert not (tmp_path / "taken").exists()


@forms
def test_a_missing_file_is_named_and_nothing_is_written(form, tmp_path):
    source = form(tmp_path, {"numpy.whl": CONTENT["numpy.whl"]})
    with pytest.raises(PyodideFilesError, match=r"^pyodide\.mjs of Pyodide [\d.]+ not found in"):
        take_files(source, WANTED, tmp_path / "taken")
    assert not (tmp_path / "taken").exists()


def test_another_file_of_the_same_name_does_no_harm(tmp_path):
    as_folder(tmp_path, CONTENT)
    (tmp_path / "numpy.whl").write_bytes(b"of another version")
    take_files(tmp_path, WANTED, tmp_path / "taken")
    assert (tmp_path / "taken" / "numpy.whl").read_bytes() == CONTENT["numpy.whl"]


def test_a_place_that_is_not_there_and_one_that_is_no_archive_are_named(tmp_path):
    with pytest.raises(PyodideFilesError, match=r"nowhere does not exist"):
        take_files(tmp_path / "nowhere", WANTED, tmp_path / "taken")
    (tmp_path / "notes.txt").write_text("no archive", "utf-8")
    with pytest.raises(PyodideFilesError, match=r"notes\.txt cannot be read as a folder or an"):
        take_files(tmp_path / "notes.txt", WANTED, tmp_path / "taken")


def test_every_file_of_the_lock_has_a_hash():
    files = core_files() | package_files()
    assert {"pyodide.mjs", "pyodide.asm.wasm", "python_stdlib.zip"} <= set(files)
    assert any(name.startswith("numpy-") for name in files)
    assert all(len(sha256) == 64 for sha256 in files.values())
