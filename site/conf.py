"""What Sphinx is told. Nothing that a page shows may be fetched from another host.

Read next: site/build.py.
"""

from __future__ import annotations

import builtins
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref

import graphlab

project = "GraphLab"
author = "The GraphLab developers"
copyright = "The GraphLab developers, BSD-3-Clause"
version = release = graphlab.__version__

extensions = ["myst_nb"]
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb"}
root_doc = "index"
default_role = "code"
smartquotes = False  # the quotes of Python are straight
suppress_warnings = [
    "myst.header",  # a lesson may go from # to ###
    "ref.python",  # a type that has two public names gets no link
]

myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence"]
myst_heading_anchors = 4
nb_execution_mode = "off"  # the outputs are those that are committed
nb_render_markdown_format = "myst"  # an output may hold a table
nb_ipywidgets_js: dict[str, Any] = {}  # by default, two scripts from other hosts
mathjax_path = "mathjax/tex-svg-full.js"  # one file that loads no others
mathjax3_config = {"options": {"enableMenu": False}}

add_module_names = True
toc_object_entries_show_parents = "hide"
python_maximum_signature_line_length = 88
python_use_unqualified_type_names = True
pygments_style = "a11y-high-contrast-light"

html_theme = "pydata_sphinx_theme"
html_title = "GraphLab"
html_favicon = "static/favicon.svg"
html_static_path = ["_build/pages/_static"]
html_extra_path = ["_build/pages/_extra"]
exclude_patterns = ["_static", "_extra"]
html_css_files = ["site.css"]
html_search_scorer = str(Path(__file__).with_name("static") / "scorer.js")
html_copy_source = False
html_show_sphinx = False
html_sidebars = {name: [] for name in ("index", "notebooks/**", "gallery/**")}
html_context = {"default_mode": "auto"}  # as the system says, until a reader chooses
html_theme_options = {
    "navbar_align": "left",
    "navbar_center": ["navbar-nav"],
    "navbar_persistent": [],
    "navbar_end": ["search-button", "theme-switcher"],
    "header_links_before_dropdown": 7,
    "navigation_with_keys": False,  # the arrow keys belong to the players
    "navigation_depth": 1,
    "show_nav_level": 1,
    "show_toc_level": 2,
    "secondary_sidebar_items": {
        **{name: ["page-toc"] for name in ("docs/**", "reference/**", "CHANGELOG", "CONTRIBUTING")},
        **{name: [] for name in ("index", "notebooks/**", "gallery/**", "graphlab/**", "source")},
    },
    "back_to_top_button": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}


def add_player(app: Any, name: str, template: str, context: dict[str, Any], tree: Any) -> None:
    """Give a page with walks the player: once, and not inside of each walk."""
    if "data-graphlab" in context.get("body", ""):
        app.add_js_file("player.js", loading_method="defer")


WIDE_TABLE = "pst-scrollable-table-container"  # the theme's name


def repair(app: Any, name: str, template: str, context: dict[str, Any], tree: Any) -> None:
    """Make HTML say what is meant, for screen readers.

    The empty corner of a table is not a heading, and the lines of a signature are not a list of
    terms. A wide table scrolls, so the keyboard has to reach it.
    """
    body = context.get("body", "")
    body = re.sub(r'<th class="([^"]*)">(?:<p></p>)?</th>', r'<td class="\1"></td>', body)
    body = body.replace(f'class="{WIDE_TABLE}"', f'class="{WIDE_TABLE}" tabindex="0"')
    lines = r'(<span class="sig-paren">\(</span>\s*)<dl>(.*?)</dl>'
    context["body"] = re.sub(lines, lambda found: found[1] + as_lines(found[2]), body, flags=re.S)


def as_lines(items: str) -> str:
    """Return the items of a list of terms as lines of text."""
    return items.replace("<dd>", '<span class="sig-line">').replace("</dd>", "</span>")


def unlink_builtins(app: Any, tree: Any) -> None:
    """Keep `int` in a signature as the name of Python's type, not that of `graphlab.int`."""
    for link in list(tree.findall(pending_xref)):
        if hasattr(builtins, link.get("reftarget", "")):
            link.replace_self(nodes.Text(link["reftarget"]))


def setup(app: Any) -> None:
    """Register the functions of this file with Sphinx."""
    app.connect("doctree-read", unlink_builtins)
    app.connect("html-page-context", add_player)
    app.connect("html-page-context", repair)
