"""SVG to PDF with vector graphics and text: sharp at any size, and searchable.

Four kinds of shapes are drawn on a ReportLab canvas. Text that needs another font, or is written
from right to left, is drawn by resvg and inserted as a small picture.

Read next: faces/render/drawing.py
"""

import re
import unicodedata
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from graphlab.faces.render.metrics import Font, text_width
from graphlab.faces.render.raster import check_size, font_file, font_files, optional, size_of
from graphlab.faces.render.svg import attributes, escaped

POINTS = 0.75  # PDF points for each CSS pixel
DENSE = 6.0  # pixels of a small picture for each CSS pixel
LARGEST = 14_400.0  # points: the limit of PDF readers
INHERITED = ("font-family", "font-size", "font-weight", "font-style", "fill")
_NUMBER = re.compile(r"-?\d*\.?\d+")
_NAMESPACE = "{http://www.w3.org/2000/svg}"
_FACES = {
    ("DejaVu Serif", True, True): "DejaVuSerif-BoldItalic",
    ("DejaVu Sans Mono", False, False): "DejaVuSansMono",
    ("DejaVu Sans Mono", True, False): "DejaVuSansMono-Bold",
    ("DejaVu Sans", False, True): "DejaVuSans-Oblique",
    ("DejaVu Sans", True, False): "DejaVuSans-Bold",
}


def to_pdf(svg: str) -> bytes:
    """Return the picture as a PDF of one page of the same size.

    Raises: ImportError if a library is missing, with the command that installs it.
    """
    canvas_of: Any = optional("reportlab.pdfgen.canvas", "PDF").Canvas
    optional("resvg_py", "PDF")
    width, height = size_of(svg)
    check_size(svg, 1.0)
    unit = min(POINTS, LARGEST / width, LARGEST / height)
    root = ElementTree.fromstring(svg)
    out = BytesIO()
    # invariant: the same picture gives the same file
    canvas = canvas_of(
        out, (width * unit, height * unit), invariant=1, pageCompression=1, lang="en"
    )
    canvas.setTitle(root.findtext(f"{_NAMESPACE}title", "GraphLab"))
    canvas.setCreator("GraphLab")
    canvas.transform(unit, 0, 0, -unit, 0, height * unit)  # as in SVG, y grows downwards
    _Page(canvas).draw(root, {})
    canvas.showPage()
    canvas.save()
    return out.getvalue()


@dataclass(frozen=True, slots=True)
class _Run:
    """Text of one style."""

    text: str
    style: Mapping[str, str]

    @property
    def size(self) -> float:
        return float(self.style.get("font-size", "16"))


class _Page:
    """A canvas, and the fonts registered for it."""

    def __init__(self, canvas: Any) -> None:
        self.canvas = canvas
        self.colour: Any = optional("reportlab.lib.colors", "PDF").HexColor
        self.faces: dict[str, tuple[str, frozenset[int]]] = {}

    def draw(self, element: ElementTree.Element, above: Mapping[str, str]) -> None:
        style = {**{k: v for k, v in above.items() if k in INHERITED}, **element.attrib}
        kind = element.tag.removeprefix(_NAMESPACE)
        if kind in ("svg", "g"):
            self.canvas.saveState()
            if moved := re.match(r"translate\(([-\d.]+) ([-\d.]+)\)", style.get("transform", "")):
                self.canvas.translate(float(moved[1]), float(moved[2]))
            for child in element:
                self.draw(child, style)
            self.canvas.restoreState()
        elif kind == "text":
            self._text(element, style)
        elif kind in ("rect", "circle", "path"):
            self._shape(kind, style)

    def _shape(self, kind: str, style: Mapping[str, str]) -> None:
        path = self.canvas.beginPath()
        if kind == "path":
            _add_path(path, style.get("d", ""))
        elif kind == "circle":
            path.circle(*_numbers(style, "cx", "cy", "r"))
        else:
            x, y, w, h, r = _numbers(style, "x", "y", "width", "height", "rx")
            path.roundRect(x, y, w, h, min(r, w / 2, h / 2)) if r else path.rect(x, y, w, h)
        self.canvas.saveState()
        fill, stroke = self._paint(style)
        self.canvas.drawPath(path, fill=fill, stroke=stroke)
        self.canvas.restoreState()

    def _paint(self, style: Mapping[str, str]) -> tuple[int, int]:
        """Set colours and pen; return whether to fill and whether to stroke."""
        fill, stroke = style.get("fill", "#000000"), style.get("stroke", "none")
        if fill != "none":
            self.canvas.setFillColor(self.colour(fill))
        if stroke != "none":
            self.canvas.setStrokeColor(self.colour(stroke))
            self.canvas.setLineWidth(float(style.get("stroke-width", "1")))
            dashes = [float(one) for one in style.get("stroke-dasharray", "").split()]
            self.canvas.setDash(dashes)
            round_join = style.get("stroke-linejoin") == "round" or "paint-order" in style
            self.canvas.setLineJoin(1 if round_join else 0)
        return int(fill != "none"), int(stroke != "none")

    def _text(self, element: ElementTree.Element, style: Mapping[str, str]) -> None:
        runs = list(_runs(element, style))
        x, y = _numbers(style, "x", "y")
        faces = [face for run in runs if (face := self._face(run)) is not None]
        if len(faces) < len(runs):
            self._picture(runs, style, x, y)
            return
        width_of = self.canvas.stringWidth
        widths = [width_of(run.text, face, run.size) for run, face in zip(runs, faces, strict=True)]
        whole = sum(widths)
        x -= {"middle": whole / 2, "end": whole}.get(style.get("text-anchor", ""), 0.0)
        for run, face, width in zip(runs, faces, widths, strict=True):
            self._letters(run, face, x, y)
            x += width

    def _letters(self, run: _Run, face: str, x: float, y: float) -> None:
        halo = run.style.get("stroke", "none") != "none"
        for mode in (1, 0) if halo else (0,):  # the stroke first: a halo is behind its letters
            self.canvas.saveState()  # or the rendering mode would remain after the text
            self._paint({"fill": "#000000", **run.style})
            self.canvas.translate(x, y)
            self.canvas.scale(1, -1)  # letters are upright
            text = self.canvas.beginText(0, 0)
            text.setFont(face, run.size)
            text.setTextRenderMode(mode)
            text.textOut(run.text)
            self.canvas.drawText(text)
            self.canvas.restoreState()

    def _face(self, run: _Run) -> str | None:
        """Return the font that has all characters of a run; None if resvg must draw them."""
        if any(
            unicodedata.bidirectional(c) in _TURNS or unicodedata.combining(c) for c in run.text
        ):
            return None
        family = run.style.get("font-family", "").split(",")[0].strip()
        bold = run.style.get("font-weight") == "bold"
        italic = run.style.get("font-style") == "italic"
        first = _FACES.get((family, bold, italic), "DejaVuSans")
        letters = {ord(c) for c in run.text}
        for face in (first, "DejaVuSans"):
            name, known = self._registered(face)
            if letters <= known:
                return name
        return None

    def _registered(self, face: str) -> tuple[str, frozenset[int]]:
        if face not in self.faces:
            ttfonts: Any = optional("reportlab.pdfbase.ttfonts", "PDF")
            metrics: Any = optional("reportlab.pdfbase.pdfmetrics", "PDF")
            name = f"GraphLab-{face}"
            if name not in metrics.getRegisteredFontNames():
                metrics.registerFont(ttfonts.TTFont(name, str(font_file(face))))
            known = frozenset(metrics.getFont(name).face.charToGlyph)
            self.faces[face] = (name, known)
        return self.faces[face]

    def _picture(self, runs: list[_Run], style: Mapping[str, str], x: float, y: float) -> None:
        """Draw the text with resvg and insert it as a picture."""
        size = max(run.size for run in runs)
        wide = sum(text_width(run.text, Font("sans", size, bold=True)) for run in runs) + 2 * size
        across, down = 2 * wide, 3 * size
        spans = "".join(
            f"<tspan{attributes(run.style)}>{escaped(run.text)}</tspan>" for run in runs
        )
        place = {**style, "x": f"{wide}", "y": f"{2 * size}"}
        svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{across}" height="{down}">'
            f"<text{attributes(place)}>{spans}</text></svg>"
        )
        resvg, image = optional("resvg_py", "PDF"), optional("PIL.Image", "PDF")
        drawn = resvg.svg_to_bytes(svg_string=svg, zoom=DENSE, font_files=font_files())
        ink = image.open(BytesIO(bytes(drawn)))
        box = ink.getchannel("A").getbbox()
        if box is None:  # no font on this computer has the characters
            return
        left, top, right, bottom = (edge / DENSE for edge in box)
        reader = optional("reportlab.lib.utils", "PDF").ImageReader(ink.crop(box))
        self.canvas.saveState()
        self.canvas.translate(x - wide + left, y - 2 * size + bottom)
        self.canvas.scale(1, -1)
        self.canvas.drawImage(reader, 0, 0, right - left, bottom - top, mask="auto")
        self.canvas.restoreState()


_TURNS = ("R", "AL", "AN", "RLE", "RLO", "RLI")  # classes of right-to-left characters


def _runs(element: ElementTree.Element, style: Mapping[str, str]) -> Iterator[_Run]:
    """Yield the parts of a text element and its tspans, in order."""
    own = {k: v for k, v in style.items() if k not in ("x", "y", "text-anchor")}
    if element.text:
        yield _Run(element.text, own)
    for child in element:
        if child.text:
            yield _Run(child.text, {**own, **child.attrib})
        if child.tail:
            yield _Run(child.tail, own)


def _numbers(style: Mapping[str, str], *names: str) -> tuple[float, ...]:
    return tuple(float(style.get(name, "0")) for name in names)


def _add_path(path: Any, data: str) -> None:
    """Add the data of an SVG path, lines and cubic curves, to a ReportLab path."""
    here = start = (0.0, 0.0)
    for command, text in re.findall("([MLHVCZ])([^A-Z]*)", data, re.IGNORECASE):
        kind, numbers = command.upper(), [float(one) for one in _NUMBER.findall(text)]
        if kind == "Z":
            path.close()
            here = start
        count = {"H": 1, "V": 1, "C": 6}.get(kind, 2)
        for k in range(0, len(numbers), count):
            given = numbers[k : k + count]
            x, y = here if command.islower() else (0.0, 0.0)
            if kind == "H":
                here = (x + given[0], here[1])
            elif kind == "V":
                here = (here[0], y + given[0])
            else:
                here = (x + given[-2], y + given[-1])
            if kind == "M" and k == 0:  # further pairs of numbers are lines
                path.moveTo(*here)
                start = here
            elif kind == "C":
                path.curveTo(given[0] + x, given[1] + y, given[2] + x, given[3] + y, *here)
            else:
                path.lineTo(*here)
