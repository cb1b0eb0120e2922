"""A timeline without a graph, as a picture and as a page: one sentence, why and what to do.

Read next: faces/render/formats.py
"""

from __future__ import annotations

from xml.sax.saxutils import escape

from graphlab.faces.render.metrics import Font, text_width
from graphlab.faces.render.svg import attributes, document, text_of
from graphlab.faces.render.theme import choose_theme
from graphlab.faces.render.timeline_steps import sentence_of_nothing
from graphlab.graph.timeline import Timeline

SIZE = 16.0  # pixels, of the sentence
MARGIN = 24.0
WIDEST = 560.0


def nothing_svg(timeline: Timeline, theme: str) -> str:
    """The sentence as a picture."""
    colours, said = choose_theme(theme), sentence_of_nothing(timeline)
    font = Font("sans", SIZE)
    lines = [""]
    for word in said.split():
        longer = f"{lines[-1]} {word}".strip()
        if text_width(longer, font) > WIDEST and lines[-1]:
            lines.append(word)
        else:
            lines[-1] = longer
    texts = []
    for k, line in enumerate(lines):
        y = MARGIN + SIZE + 1.5 * SIZE * k
        look = attributes({"x": MARGIN, "y": y, "font-size": SIZE, "fill": colours.ink})
        texts.append(f"<text{look}>{text_of(line)}</text>")
    width = max(text_width(line, font) for line in lines) + 2 * MARGIN
    height = MARGIN + 1.5 * SIZE * len(lines) + MARGIN
    return document(round(width), round(height), colours, said, "".join(texts))


def nothing_html(timeline: Timeline) -> str:
    """The sentence as a paragraph; there is nothing to play."""
    return f"<p>{escape(sentence_of_nothing(timeline))}</p>"
