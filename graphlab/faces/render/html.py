"""A page with a picture, which the player replaces where scripts run.

The inline player reads the trace beside it and replaces the picture; without scripts the picture
remains. Nothing is fetched from the network.

The widget's module, the script of a page and the extras are composed of two packed files: the core,
which the widget needs, and the extras, which are what else the player has. The JupyterLab extension
fetches these, so a wheel contains each once; installers put them into the environment's `share`
folder (docs/decisions/0013, js/scripts/packing.mjs).

Read next: faces/render/bundle.py
"""

import base64
from functools import cache
from pathlib import Path

from graphlab.faces.render.still import still_svg
from graphlab.faces.render.svg import escaped, quoted
from graphlab.faces.render.timeline_steps import empty_sentence, failed_at, is_empty
from graphlab.graph.compression import compressed_text
from graphlab.graph.document import write
from graphlab.graph.timeline import Timeline

POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"

HOW_TO_PLAY = (
    "{}. It plays step by step where scripts run: in JupyterLab, Notebook, "
    "VS Code, Colab, or as a page saved with timeline.save()."
)


def to_html(
    timeline: Timeline,
    standalone: bool = False,
    theme: str = "light",
    step: int | None = None,
    trace: str | None = None,
) -> str:
    """Return the timeline as an HTML fragment, or with `standalone` as a whole page.

    theme: of the picture. step: the event at which a page opens, instead of the one that
    `Timeline.at` chose; the fragment of its address, such as "#step=17", overrides both. trace: the
    compressed document, if it is known already.
    """
    if is_empty(timeline):
        fragment = f"<p>{escaped(empty_sentence(timeline))}</p>"
    else:
        fragment = _fragment(timeline, theme, standalone, step, trace)
    return page_of(fragment, timeline.title) if standalone else fragment


def page_of(fragment: str, title: str) -> str:
    """Return a whole page around a fragment; the page may fetch nothing."""
    title = escaped(title or "GraphLab")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="color-scheme" content="light dark">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n</head>\n<body>\n<main>\n{fragment}\n</main>\n</body>\n</html>\n"
    )


def _fragment(
    timeline: Timeline, theme: str, standalone: bool, step: int | None, trace: str | None
) -> str:
    at = shown_at(timeline, step)
    picture = image(still_of(timeline, theme, step), _described(timeline, at))
    script = player_script()
    if script is None:
        return f'<div class="graphlab-player">{picture}</div>'
    trace = compressed_text(write(timeline, copies=False)) if trace is None else trace
    kind = "page" if standalone else ""
    page_opens = step if step is not None or not standalone else at
    place = f' data-step="{page_opens}"' if page_opens is not None else ""
    # the sentence comes first, so that it remains if a front end truncates the output
    end = "when all of it has happened" if failed_at(timeline) is None else "until it failed"
    end = f"The backward pass {end}" if at is None else "One step of the walk"
    how = f"<p><small>{HOW_TO_PLAY.format(end)}</small></p>" if timeline.events else ""
    return (
        f'<div class="graphlab-player" data-graphlab="{kind}"{place}>{how}{picture}'
        f'<script type="application/gzip">{trace}</script></div>'
        f"<script>{script}</script>"
    )


def shown_at(timeline: Timeline, step: int | None = None) -> int | None:
    """Return the event that the picture shows, None for the end. step: at which the page opens.

    It is the end, unless `Timeline.at` chose an event: then later events are not shown.
    """
    if timeline.opening is None:
        return None
    return timeline.opening.step if step is None else step


def still_of(timeline: Timeline, theme: str = "light", step: int | None = None) -> str:
    """Return the timeline's picture for pages without scripts: at the end, or as it opens."""
    scenes = timeline.passes[-1].scenes if timeline.passes else timeline.scenes
    chosen = timeline.opening.view if timeline.opening is not None else None
    view = chosen or (scenes[0].view if scenes else "both")
    return still_svg(timeline, shown_at(timeline, step), view, theme)


def image(svg: str, alt: str) -> str:
    """Return a picture as an <img>: sanitizers keep images but not inline SVG."""
    data = base64.b64encode(svg.encode("utf-8", "replace")).decode("ascii")
    return f'<img alt={quoted(alt)} src="data:image/svg+xml;base64,{data}">'


def _described(timeline: Timeline, at: int | None) -> str:
    """Describe the picture of event `at`, or of the end, for screen readers."""
    if not timeline.events:
        return f"The graph of {timeline.title or 'a formula'}"
    failed = failed_at(timeline) if at is None else at
    last = timeline[-1 if failed is None else failed].sentence
    return f"The backward pass of {timeline.title or 'a formula'}. {last}"


def player_script() -> str | None:
    """Return the player's script, escaped for a page; None if it is not installed."""
    text = player_text()
    return text and text.replace("</script", "<\\/script").replace("<!--", "<\\!--")


# -- the player as it travels -------------------------------------------------------------------

EXTENSION = "share/jupyter/labextensions/graphlab-jupyter/static"
PACKAGE = Path(__file__).parents[2]


def player_files(package: Path = PACKAGE) -> tuple[Path, Path] | None:
    """Return the files of the core and the extras beside the installed package, if they are there.

    In a clone, `npm run build` makes them inside the package.
    """
    built = package / "labextension" / "static"
    # from lib/python3.11/site-packages, or Lib/site-packages, up to the environment
    shared = [folder / EXTENSION for folder in package.parents[:4]]
    for folder in (built, *shared):
        found = [next(folder.glob(f"*.{part}"), None) for part in ("core", "extras")]
        if found[0] and found[1]:
            return found[0], found[1]
    return None


@cache
def _texts() -> tuple[str, str] | None:
    """Return what the files hold: read once, so that a page gets the extras of its own core."""
    files = player_files()
    return files and (files[0].read_text("utf-8"), files[1].read_text("utf-8"))


def widget_module() -> str | None:
    """Return the widget's module, which has no extras; None if the files are not installed."""
    texts = _texts()
    return texts and texts[0]


def extras_module() -> str | None:
    """Return a module that unpacks the extras, for a page that has the widget's module."""
    texts = _texts()
    return texts and texts[1].splitlines()[0]


def player_text() -> str | None:
    """Return the script that plays what a page holds; None if the files are not installed."""
    texts = _texts()
    if texts is None:
        return None
    core, extras = (text.splitlines() for text in texts)
    return f"(()=>{{{core[0]}{''.join(extras)}}})()"
