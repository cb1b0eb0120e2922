"""Output frames of front ends that are no Jupyter servers, with the restrictions that they have.

VS Code: the notebook's webview sets innerHTML and then runs each script anew, under the policy of
its backLayerWebView.ts; tables are restyled there. Colab: a frame of another origin, filled after
it was loaded, as tall as its content. Both were read in their sources and documents in 2026.

Read next: tests/browser/test_frames.py.
"""

from __future__ import annotations

import json

VSCODE_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; "
    "img-src https: http: data:; font-src https:; connect-src https:; child-src https: data:; "
    "require-trusted-types-for 'script'"
)
VSCODE_STYLE = """
body { padding: 0; height: 100%; width: 100%; overflow: hidden; background: #1e1e1e; color: #ccc }
#container > div > div:not(.preview) > div { overflow-x: auto }
table, thead, tr, th, td, tbody { border: none !important; border-spacing: 0 }
table, th, tr { vertical-align: middle; text-align: right }
thead { font-weight: bold; background-color: rgba(130, 130, 130, 0.16) }
th, td { padding: 4px 8px }
tr:nth-child(even) { background-color: rgba(130, 130, 130, 0.08) }
"""
VSCODE_SCRIPT = """
const policy = trustedTypes.createPolicy('notebookRenderer', {
    createHTML: value => value, createScript: value => value });
const element = document.createElement('div');
element.innerHTML = policy.createHTML(HTML);
document.querySelector('#place').append(element);
for (const old of Array.from(element.getElementsByTagName('script'))) {
    const script = document.createElement('script');
    script.text = policy.createScript(old.innerText);
    for (const name of ['type', 'src', 'nonce', 'noModule', 'async']) {
        const value = old[name] || old.getAttribute(name);
        if (value) script.setAttribute(name, value);
    }
    element.appendChild(script).parentNode.removeChild(script);
}
"""
COLAB_SCRIPT = """
const fragment = document.createRange().createContextualFragment(HTML);
document.querySelector('#output-area').append(fragment);
"""


def in_a_frame(document: str, sandbox: str, height: int = 560) -> str:
    """A page that holds `document` in a sandboxed frame."""
    source = document.replace("&", "&amp;").replace('"', "&quot;")
    return (
        '<!doctype html><html><body style="margin:0">'
        f'<iframe sandbox="{sandbox}" style="border:0;width:100%;height:{height}px" '
        f'srcdoc="{source}"></iframe></body></html>'
    )


def plain(html: str) -> str:
    """A frame that may run scripts and nothing else: no origin, no storage, no address."""
    return in_a_frame(f"<!doctype html><body>{html}</body>", "allow-scripts")


def vscode(html: str) -> str:
    """A cell's output in VS Code."""
    document = (
        f'<!doctype html><html><head><meta charset="utf-8"><meta '
        f'http-equiv="Content-Security-Policy" content="{VSCODE_POLICY}">'
        f'<style>{VSCODE_STYLE}</style></head><body class="vscode-dark">'
        '<div id="container" class="widgetarea"><div><div><div id="place"></div></div></div></div>'
        f"<script>const HTML = {in_script(html)};{VSCODE_SCRIPT}</script></body></html>"
    )
    return in_a_frame(document, "allow-scripts allow-same-origin allow-forms allow-pointer-lock")


def colab(html: str) -> str:
    """A cell's output in Colab: the frame is filled later, and was empty before."""
    document = (
        '<!doctype html><html theme="dark"><head><style>body { margin: 8px; background: #383838; '
        "color: #d5d5d5; font-family: Roboto, Noto, sans-serif }</style></head>"
        f'<body><div id="output-area"></div><script>const HTML = {in_script(html)};'
        f"addEventListener('load', () => {{{COLAB_SCRIPT}}})</script></body></html>"
    )
    return in_a_frame(document, "allow-scripts allow-forms allow-popups allow-modals")


def in_script(html: str) -> str:
    """A JavaScript string that cannot end the script it stands in."""
    return json.dumps(html).replace("</", "<\\/").replace("<!--", "<\\!--")


FRAMES = {"sandbox": plain, "vscode": vscode, "colab": colab}
