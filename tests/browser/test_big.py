"""A large program opens as cards that one goes into; the widget's module unpacks itself.

Read next: js/src/scopetree.ts, js/scripts/bundle.mjs.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

import graphlab
from graphlab import nn
from graphlab.faces.render.html import extras_module, player_text, to_html
from graphlab.faces.widgets.stepper import browser_module
from graphlab.graph.timeline import Timeline
from tests.browser.player import Player

pytestmark = pytest.mark.browser

# What Jupyter Server sends with its pages, and the strictest under which anywidget itself can work:
# it imports every widget's module from a blob.
POLICIES = {
    "Jupyter Server": "frame-ancestors 'self'; report-uri /api/security/csp-report",
    "strict": "default-src 'none'; script-src 'unsafe-inline' blob:; "
    "style-src 'unsafe-inline'; img-src data:",
}
SITE = "http://graphlab.invalid/"
LIKE_ANYWIDGET = """async ([code, trace]) => {
    const address = URL.createObjectURL(new Blob([code], {type: "text/javascript"}));
    const module = await import(address);
    const state = {trace, step: 0, playing: false, granularity: "node", breakpoints: [],
        predicting: false, score: {right: 0, asked: 0}, stale: ""};
    module.default.render({el: document.body, model: {
        get: (name) => state[name],
        set: (name, value) => { state[name] = value; },
        save_changes: () => {}, on: () => {}, off: () => {},
    }});
    window.state = state;
}"""


class Block(nn.Module):
    """Two layers and what lies between."""

    def __init__(self) -> None:
        """Make the layers."""
        super().__init__()
        self.first, self.second = nn.Linear(2, 2), nn.Linear(2, 2)

    def forward(self, x: graphlab.Tensor) -> graphlab.Tensor:
        return self.second(self.first(x).tanh()).tanh()


@pytest.fixture(scope="module")
def trace() -> Timeline:
    """16 blocks: too many nodes to be drawn in full."""
    net = nn.Sequential(*(Block() for _ in range(16)))
    return graphlab.trace(net(graphlab.ones(1, 2)).sum())


@pytest.fixture(scope="module")
def html(trace: Timeline) -> str:
    """The program in a page of its own."""
    return to_html(trace, standalone=True)


@pytest.fixture
def player(tab: Page, html: str) -> Player:
    """The program, opened."""
    tab.set_content(html)
    player = Player(tab.locator(".graphlab").first)
    player.focus()
    return player


def way(player: Player) -> list[str]:
    """The scopes around what is shown, outermost first."""
    return player.place.locator(".gl-crumbs li").all_text_contents()


def test_a_large_program_opens_collapsed_and_keys_go_in_and_out(player: Player) -> None:
    assert way(player) == ["graph"]
    card = player.place.locator('[data-id="@net.15"]')
    card.locator(".gl-hit").focus()
    player.press("Enter")
    assert len(way(player)) == 2
    player.place.locator('[data-id="@net.15.second"] .gl-hit').focus()
    player.press("Enter")
    assert len(way(player)) == 3
    expect(player.place.locator(".gl-ops")).not_to_have_count(0)
    player.press("Backspace")
    player.press("Backspace")
    assert way(player) == ["graph"]
    expect(card).to_be_visible()


def test_a_step_in_a_collapsed_scope_lights_its_card(player: Player) -> None:
    card = player.place.locator('[data-id="@net.15"]')
    expect(card).to_have_attribute("data-status", "pending")
    for _ in range(3):  # the seed, the sum, and then the last block
        player.press("ArrowRight")
    expect(card).to_have_attribute("data-status", "current")
    player.press("End")
    expect(card).to_have_attribute("data-status", "done")
    done, of, total = (card.locator("text.gl-count").text_content() or "").split()
    assert (done, of) == (total, "of")


def test_search_finds_a_layer_of_a_block_and_goes_there(player: Player) -> None:
    player.press("/")
    player.place.page.keyboard.type("net.7.second tanh")
    hits = player.place.locator(".gl-hits li")
    expect(hits.first).to_be_visible()
    player.press("Enter")
    expect(player.place.locator(".gl-dialog:visible")).to_have_count(0)
    assert player.position[0] > 1
    now = player.place.locator('.gl-canvas [data-status="current"]')
    expect(now).to_have_count(1)
    expect(now).to_be_in_viewport()


@pytest.mark.parametrize("policy", POLICIES)
def test_the_widgets_module_unpacks_itself_and_runs(
    policy: str, tab: Page, trace: Timeline
) -> None:
    headers = {"Content-Security-Policy": POLICIES[policy]}
    body = "<!doctype html><title>widget</title><link rel=icon href=data:>"
    tab.route(
        f"{SITE}**",
        lambda route: route.fulfill(headers=headers, content_type="text/html", body=body),
    )
    tab.goto(SITE)
    code = browser_module()
    tab.evaluate(LIKE_ANYWIDGET, [code, trace.to_json()])
    player = Player(tab.locator(".graphlab").first)
    player.focus()
    player.press("ArrowRight")
    assert player.position[0] == 2
    assert tab.evaluate("window.state.step") > 0


SHARED = """async ([code, extras, player]) => {
    const load = (text) => import(URL.createObjectURL(new Blob([text], {type: "text/javascript"})));
    const version = () => globalThis[/graphlab-[0-9a-f]{12}/.exec(code)[0]];
    const widgets = [];
    const scripts = new MutationObserver(() => undefined);
    scripts.observe(document.head, {childList: true});
    for (let k = 0; k < 2; k++) widgets.push((await load(code)).default);
    const core = version().c;
    await load(extras);
    await load(version().e);
    const made = version().x;
    for (let k = 0; k < 2; k++) {
        const script = document.createElement("script");
        script.text = player;
        document.body.append(script);
    }
    return {
        core: version().c === core && widgets.every((one) => one === core[0]),
        player: version().x === made,
        added: scripts.takeRecords().length,
    };
}"""


def test_a_page_has_one_core_for_its_widgets_their_extras_and_its_outputs(
    tab: Page, trace: Timeline
) -> None:
    output = to_html(trace)
    body = output[: output.rindex("<script>")]
    tab.set_content(f"<!doctype html><title>page</title>{body}")
    found = tab.evaluate(SHARED, [browser_module(), extras_module(), player_text()])
    assert found == {"core": True, "player": True, "added": 0}
    expect(tab.locator(".graphlab .gl-frame")).to_have_count(1)
