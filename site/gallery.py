"""The gallery: runs each program of site/walks, and makes a page with the program and its walk.

A program's docstring is the page's title and text; it leaves its walk in the variable `timeline`.

Read next: site/walks/perceptron.py.
"""

from __future__ import annotations

import ast
import runpy
from pathlib import Path

from pages import write
from walks_in_pages import of_timeline, raw

from graphlab.faces.render.html import to_html
from graphlab.faces.render.still import still_svg

WALKS = Path(__file__).with_name("walks")
ORDER = ["perceptron", "recurrent", "attention", "forgotten", "in_place", "double_backward"]


def write_gallery(pages: Path) -> None:
    """Write the page of each walk, the walk as a page of its own, and the list of all."""
    rows = []
    for name in ORDER:
        path = WALKS / f"{name}.py"
        title, text, code, first = parts(path)
        timeline = runpy.run_path(str(path))["timeline"]
        alone = f"walks/{name}.html"
        link = f'<p><a href="{alone}">This walk in a page of its own, for a projector</a></p>'
        page = (
            f"# {title}\n\n{text}\n\n## The walk\n\n"
            f"{raw(of_timeline(timeline))}\n\n{raw(link)}\n\n"
            "## The program\n\n"
            f"```{{code-block}} python\n:linenos:\n:lineno-start: {first}\n\n{code}\n```\n"
        )
        write(pages / "gallery" / f"{name}.md", page)
        saved = to_html(timeline, standalone=True)
        saved = saved.replace(f"<title>{timeline.title}<", f"<title>{title}<", 1)
        write(pages / "_extra" / "gallery" / alone, saved)
        write(pages / "gallery" / f"{name}.svg", still_svg(timeline))
        said = text.split(". ")[0].replace("\n", " ")
        picture = f"[![The graph of this walk]({name}.svg)]({name}.md)"
        rows.append(f"::::{{container}}\n{picture}\n\n**[{title}]({name}.md)**: {said}.\n::::\n")
    contents = "\n".join(["```{toctree}", ":hidden:", "", *ORDER, "```"])
    about = "Small programs with their backward passes. Each page plays its walk, step by step."
    rows = [":::::{container} site-gallery", *rows, ":::::"]
    page = "\n".join(["# Gallery", "", about, "", *rows, contents, ""])
    write(pages / "gallery" / "index.md", page)


def parts(path: Path) -> tuple[str, str, str, int]:
    """Return the title, the text, the program after the docstring, and its first line's number."""
    source = path.read_text("utf-8")
    docstring = ast.parse(source).body[0]
    told = ast.get_docstring(ast.parse(source)) or ""
    title, _, text = told.split("\n\nRead next:")[0].partition("\n\n")
    lines = source.splitlines()
    first = next(k for k in range(docstring.end_lineno or 0, len(lines)) if lines[k].strip())
    return title.rstrip("."), text, "\n".join(lines[first:]), first + 1
