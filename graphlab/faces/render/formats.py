"""Forms to save a picture or a walk in: the file's name says which, and each is one function.

A file is written whole or not at all.

Read next: faces/render/still.py
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphlab.graph.timeline import Timeline


@dataclass(frozen=True, slots=True)
class Format:
    """One way to save: what it is called, who makes it, and which options it takes."""

    name: str
    make: Callable[..., str | bytes]
    options: tuple[str, ...] = ()


def save(
    timeline: Timeline,
    path: str | os.PathLike[str],
    usual: Mapping[str, Any] | None = None,
    **options: Any,
) -> Path:
    """Write `timeline` in the form that `path` ends with, and return where it is.

    An option that is None counts as left out; then, if the form takes it, `usual` has a say.
    Raises: TypeError for what is no name; ValueError for an unknown ending and for an option that
    this form does not take; IndexError for a step that does not exist; ImportError when the form
    needs a library that is not installed; OSError when the file cannot be written. No half file is
    left.
    """
    target = named(path)
    form = format_of(target)
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        if name not in form.options:
            takers = sorted(end for end, other in FORMATS.items() if name in other.options)
            where = f"is for {', '.join(takers)}" if takers else "is no option of any form"
            takes = ", ".join(f"{option}=" for option in form.options) or "no options"
            raise ValueError(f"{name}= {where}; a {target.suffix.lower()} file takes {takes}")
    place_of(target)  # a picture may take long: say at once that there is nowhere to put it
    own = {name: value for name, value in (usual or {}).items() if name in form.options}
    write_whole(target, form.make(timeline, **{**own, **given}))
    return target


def named(path: Any) -> Path:
    """The file that `path` names.

    Raises: TypeError when it is no name, IsADirectoryError when it can only be that of a folder.
    """
    if not isinstance(path, str | os.PathLike) or not isinstance(os.fspath(path), str):
        given = "an open file; pass its name" if hasattr(path, "write") else f"{path!r:.40}"
        raise TypeError(
            "save expects the name of a file, such as 'walk.html', got "
            f"{type(path).__name__} {given}"
        )
    text = os.fspath(path)
    if not text:
        raise ValueError("cannot save to '': the name is empty; write 'walk.html'")
    if text.endswith(("/", os.sep)):
        raise IsADirectoryError(
            f"cannot save to {text}: {text!r} is the name of a folder; name a file in it, "
            f"{text + 'walk.html'!r}"
        )
    if Path(text).is_dir():
        raise IsADirectoryError(f"cannot save to {text}: it is a folder; name a file in it")
    return Path(text)


def format_of(target: Path) -> Format:
    """The form that a file's name ends with; ValueError that lists them when there is none."""
    form = FORMATS.get(target.suffix.lower())
    if form is not None:
        return form
    name, choices = target.name, f"(must be one of {sorted(FORMATS)})"
    if name.lower() in FORMATS:
        said = f"{name!r} is an ending {choices} without a name; write {'walk' + name!r}"
    elif not target.suffix:
        whole = name.rstrip(".") + ".html"
        said = f"{name!r} has no ending {choices}; write {whole!r}"
    else:
        said = f"no form ends in {target.suffix!r} {choices}"
    raise ValueError(f"cannot save to {target}: {said}")


def place_of(target: Path) -> Path:
    """Where the file is written: what a link points to is replaced, not the link.

    Raises: FileNotFoundError when its folder is missing.
    """
    place = target.resolve()
    if not place.parent.is_dir():
        raise FileNotFoundError(
            f"cannot save to {target}: there is no folder {place.parent}; make it first: "
            f"Path({str(target.parent)!r}).mkdir(parents=True), or name one that is there"
        )
    return place


def write_whole(target: Path, content: str | bytes) -> None:
    """Write to a file beside it and then put that in its place: nobody ever sees half of it.

    Raises: OSError that says which folder is missing or may not be written.
    """
    data = content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")
    place = place_of(target)
    half = place.with_name(f".{secrets.token_hex(6)}.part")
    try:
        with half.open("xb") as file:
            file.write(data)
        half.replace(place)
    except OSError as error:
        half.unlink(missing_ok=True)
        reason = error.strerror or str(error)
        raise type(error)(error.errno, f"cannot save to {target}: {reason}") from error
    except BaseException:
        half.unlink(missing_ok=True)
        raise


# --- the forms, each loaded when it is asked for ---


def _html(timeline: Timeline, step: Any = None, theme: str = "light") -> str:
    from graphlab.faces.render.bundle import with_scenes
    from graphlab.faces.render.html import to_html

    if step is not None:
        step = _index(timeline, step)
    return to_html(with_scenes(timeline), standalone=True, theme=theme, step=step)


def _json(timeline: Timeline) -> str:
    from graphlab.faces.render.bundle import with_scenes

    return json.dumps(with_scenes(timeline).to_json(), ensure_ascii=False) + "\n"


def _svg(timeline: Timeline, **moment: Any) -> str:
    from graphlab.faces.render.still import still_svg

    return still_svg(timeline, **moment)


def _png(timeline: Timeline, scale: float = 2.0, **moment: Any) -> bytes:
    from graphlab.faces.render.raster import to_png

    return to_png(_svg(timeline, **moment), scale)


def _pdf(timeline: Timeline, **moment: Any) -> bytes:
    from graphlab.faces.render.pdf import to_pdf

    return to_pdf(_svg(timeline, **moment))


def _gif(timeline: Timeline, **options: Any) -> bytes:
    from graphlab.faces.render.gif import to_gif

    return to_gif(timeline, **options)


def _dot(timeline: Timeline, step: Any = None) -> str:
    from graphlab.faces.render.dot import to_dot
    from graphlab.faces.render.timeline_steps import tell

    told = tell(timeline, step)
    return to_dot(told.graph, told.state, told.lines)


def _mermaid(timeline: Timeline, step: Any = None) -> str:
    from graphlab.faces.render.mermaid import to_mermaid
    from graphlab.faces.render.timeline_steps import tell

    told = tell(timeline, step)
    return to_mermaid(told.graph, told.state, told.lines)


def _text(timeline: Timeline, step: Any = None) -> str:
    from graphlab.faces.render.text import text_of

    return text_of(timeline, step) + "\n"


def _index(timeline: Timeline, step: Any) -> int:
    timeline[step]  # raises when there is no such event
    return range(len(timeline))[step]


_MOMENT = ("step", "view", "theme")
FORMATS = {
    ".dot": Format("dot", _dot, ("step",)),
    ".gif": Format("gif", _gif, ("view", "theme", "scale", "seconds", "granularity")),
    ".html": Format("html", _html, ("step", "theme")),
    ".json": Format("json", _json),
    ".mmd": Format("mermaid", _mermaid, ("step",)),
    ".pdf": Format("pdf", _pdf, _MOMENT),
    ".png": Format("png", _png, (*_MOMENT, "scale")),
    ".svg": Format("svg", _svg, _MOMENT),
    ".txt": Format("text", _text, ("step",)),
}
