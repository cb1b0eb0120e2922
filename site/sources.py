"""Lays out the pages as the repository does: README, docs, notebooks, and the files they link to.

The paths stay, so that most links hold as they are. Links to source files and to folders lead to
pages that are written here.

Read next: site/walks_in_pages.py.
"""

from __future__ import annotations

import json
import os
import re
import runpy
from pathlib import Path
from typing import Any

from pages import write
from walks_in_pages import of_output, of_timeline, raw

from graphlab.faces.render.html import player_text

ROOT = Path(__file__).resolve().parents[1]
LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\])\(([^)#\s]+)(#[^)\s]*)?\)")
LANGUAGES = {".py": "python", ".ts": "typescript", ".json": "json", ".md": "markdown"}
GUIDE = ["guide", "outputs", "checking", "compare", "plots", "pytorch", "pytorch-differences",
         "mathematics", "proofs", "rules", "classroom", "browser"]  # fmt: skip
INSIDE = ["tour", "trace", "performance", "releases"]
WITH_LITE = False  # JupyterLab in the browser stands beside the pages, as lite/
SOURCES: set[str] = set()  # files that a page links to, by their path in the repository
FOLDERS: set[str] = set()


def write_static(pages: Path) -> None:
    """Copy the style sheet, the player and MathJax."""
    here = Path(__file__).with_name("static")
    mathjax = ROOT / "js" / "node_modules" / "mathjax" / "es5" / "tex-svg-full.js"
    static = pages / "_static"
    write(static / "site.css", (here / "site.css").read_bytes())
    write(static / "player.js", player_text().encode())
    write(static / "mathjax" / "tex-svg-full.js", mathjax.read_bytes())


def write_sources(pages: Path) -> None:
    """Write every page that comes from a file of the repository."""
    write_front_page(pages)
    alone = [path for path in ROOT.glob("*.md") if path.name != "README.md"]
    for path in sorted([*(ROOT / "docs").rglob("*.md"), *alone]):
        name = path.relative_to(ROOT).as_posix()
        extra = contents_below(path) if path.name == "README.md" else ""
        write(pages / name, rewritten(path.read_text("utf-8"), name) + extra)
    for path in sorted((ROOT / "docs" / "images").iterdir()):
        write(pages / "docs" / "images" / path.name, path.read_bytes())
    for path in sorted((ROOT / "notebooks").rglob("*.ipynb")):
        name = path.relative_to(ROOT).as_posix()
        write(pages / name, notebook(json.loads(path.read_text("utf-8")), name))
    write_contents(pages)
    write_linked_files(pages)


def write_front_page(pages: Path) -> None:
    """Write README.md as the front page; its first formula plays in place of its first picture."""
    text = (ROOT / "README.md").read_text("utf-8")
    first = re.search(r"```python\n(.*?)```\n", text, re.S)
    picture = re.search(r"^<img [^>]*>\n", text, re.M)
    assert first, "README.md has no example"
    assert picture, "README.md has no picture"
    program = pages.parent / "formula.py"  # a file, so that the walk shows its lines
    program.write_text(
        first[1].split("\ngraphlab.hello")[0] + "\nwalk = graphlab.trace(e)\n", "utf-8"
    )
    walk = run_in_browser("notebooks/01_a_formula_is_a_graph.ipynb", "index.html", "the first")
    walk += f"## Play it\n\n{raw(of_timeline(runpy.run_path(str(program))['walk']))}\n"
    text = text[: picture.start()] + walk + text[picture.end() :]
    parts = ["notebooks/index", "gallery/index", "docs/index", "reference/index", "docs/inside",
             "docs/teaching/README"]  # fmt: skip
    write(pages / "index.md", rewritten(text, "README.md") + contents(parts))


def contents(names: list[str], hidden: bool = True) -> str:
    """Return a list of pages for the navigation."""
    option = [":hidden:"] if hidden else []
    return "\n" + "\n".join(["```{toctree}", *option, "", *names, "```"]) + "\n"


def write_contents(pages: Path) -> None:
    """Write the pages that list others: the course, the guide, the decisions, what is inside."""
    readme = (ROOT / "README.md").read_text("utf-8")
    course = readme.split("## The course\n")[1].split("\n\n1 [")[0]
    course = course.replace("[lessons](notebooks)", "lessons")
    course = rewritten(course, "README.md").replace("](docs/", "](../docs/")
    lessons = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))
    teaching = (ROOT / "docs" / "teaching" / "README.md").read_text("utf-8")
    table = teaching.split("## The lessons\n\n")[1].split("\n\n")[0]
    table = re.sub(r"lesson_(\d+)\.md", lambda found: f"{lessons[int(found[1]) - 1]}.ipynb", table)
    more = ["pytorch/three_faults"]
    also = "\nWith a PyTorch model: [find three faults](pytorch/three_faults.ipynb).\n"
    page = f"# The course\n{course}\n\n{table}\n{also}{contents([*lessons, *more])}"
    write(pages / "notebooks" / "index.md", page)
    known = {path.stem for path in (ROOT / "docs").glob("*.md")}
    assert known == {*GUIDE, *INSIDE}, "a page of docs/ has no place in the contents"
    write(pages / "docs" / "index.md", "# Documentation\n" + contents(GUIDE, hidden=False))
    alone = sorted(f"../{path.stem}" for path in ROOT.glob("*.md") if path.name != "README.md")
    inside = [*INSIDE, "decisions/README", *alone, "../source"]
    write(pages / "docs" / "inside.md", "# Inside\n" + contents(inside, hidden=False))


def run_in_browser(notebook: str, page: str, which: str = "this") -> str:
    """Return the link from `page` to JupyterLab in the browser, with a lesson of the course open.

    notebook: its path in the repository; page: that of the page that has the link.
    """
    folder, _, name = notebook.rpartition("/")
    if not WITH_LITE or folder != "notebooks":
        return ""
    lab = os.path.relpath("lite/lab/index.html", os.path.dirname(page) or ".").replace(os.sep, "/")
    # A workspace for each lesson: the notebooks of others would open too, each with its own Python.
    query = f"path={name}&amp;workspace={name.removesuffix('.ipynb')}"
    words = f'<a href="{lab}?{query}">Run {which} lesson in the browser</a>'
    return f'\n<p class="site-run">{words}: change it and try it, with nothing to install.</p>\n\n'


def contents_below(page: Path) -> str:
    """Return the navigation of the pages beside a README, which lists them itself."""
    names = sorted(path.stem for path in page.parent.glob("*.md"))
    return contents([name for name in names if name != "README"])


def write_linked_files(pages: Path) -> None:
    """Write a page for each source file and each folder that a page links to."""
    for name in sorted(FOLDERS):
        inner = sorted(path for path in (ROOT / name).glob("*.py") if path.name != "__init__.py")
        SOURCES.update(path.relative_to(ROOT).as_posix() for path in inner)
        rows = "\n".join(f"- [{path.name}]({path.name}.md)" for path in inner)
        write(pages / name / "index.md", f"---\norphan: true\n---\n# {name}\n\n{rows}\n")
    for name in sorted(SOURCES):
        path = ROOT / name
        text = path.read_text("utf-8")
        fence = "`" * 8
        language = LANGUAGES.get(path.suffix, "text")
        code = f"{fence}{{code-block}} {language}\n:linenos:\n\n{text}\n{fence}\n"
        write(pages / f"{name}.md", f"# {name}\n\n{code}")
    rows = "# Source files\n\nThose that the pages link to.\n"
    write(pages / "source.md", rows + contents([f"{name}" for name in sorted(SOURCES)], False))


def rewritten(text: str, name: str) -> str:
    """Return Markdown whose links fit the site. name: the file's path in the repository."""
    return LINK.sub(lambda link: rewritten_link(link, name), text)


def rewritten_link(link: re.Match[str], name: str) -> str:
    """Return one link as the site has it."""
    label, target, anchor = link[1], link[2], link[3] or ""
    if "://" in target or target.startswith("mailto:"):
        return link[0]
    path = os.path.normpath(os.path.join(os.path.dirname(name), target)).replace(os.sep, "/")
    there = ROOT / path
    if not there.exists():
        return link[0]
    if there.is_dir():
        path = f"{path}/{'README' if (there / 'README.md').exists() else 'index'}.md"
        if not path.startswith(("docs/", "notebooks/")):
            FOLDERS.add(os.path.dirname(path))
    elif path == "README.md":
        path = "index.md"
    elif there.suffix not in (".md", ".ipynb", ".png", ".svg", ".gif"):
        SOURCES.add(path)
        path = f"{path}.md"
    path = os.path.relpath(path, os.path.dirname(name) or ".").replace(os.sep, "/")
    return f"{label}({path}{anchor})"


def notebook(content: dict[str, Any], name: str) -> str:
    """Return a notebook as the site shows it: links that fit, and walks without their player."""
    for place, cell in enumerate(content["cells"]):
        if cell["cell_type"] == "markdown":
            cell["source"] = rewritten("".join(cell["source"]), name)
            if place == 0:  # below the title
                title, _, rest = cell["source"].partition("\n")
                cell["source"] = f"{title}\n{run_in_browser(name, name)}{rest}"
        for output in cell.get("outputs", []):
            html = of_output(output.get("data", {}))
            if html is not None:
                output["data"] = {"text/html": html}
                output["metadata"] = {}
        if "widget" in cell["metadata"].get("tags", []) and not cell["outputs"]:
            words = "Here a live widget appears when you run the lesson in JupyterLab."
            shown = {"text/html": f'<p class="site-note">{words}</p>'}
            cell["outputs"] = [{"output_type": "display_data", "data": shown, "metadata": {}}]
    return json.dumps(content, ensure_ascii=False)
