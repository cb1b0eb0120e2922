"""The first look: in a notebook of any width nothing is cut, and no word or number is split.

Five graphs in JupyterLab, with the file browser open and closed: the lesson's formula, a network,
a convolution, a training loop and a transformer's layer.

Read next: tests/browser/test_narrow.py, js/src/zoom.ts.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import graphlab
from graphlab import nn
from graphlab.faces.render.html import to_html
from graphlab.faces.render.two_graphs import Comparison
from graphlab.graph.timeline import Timeline
from tests.browser.jupyter import Student
from tests.browser.notebooks import write_output
from tests.browser.player import Player, players
from tests.comparing.mistakes import walks_of

pytestmark = pytest.mark.browser

WIDTHS = [1366, 1100, 934, 700, 400]
STEPS = 7  # of each walk that are looked at

# What is cut: a part that is narrower or lower than what it holds, and cannot be scrolled.
CUT = """(root) => [...root.querySelectorAll(
    ".gl-frame, .gl-head, .gl-foot, .gl-card, .gl-body, .gl-rows, .gl-grads, .gl-why, .gl-queue"
)].filter((part) => part.clientWidth && (part.scrollWidth > part.clientWidth + 1
    || (part.matches(".gl-why, .gl-queue") && part.scrollHeight > part.clientHeight + 1)
)).map((part) => `cut ${part.className} of ${part.parentElement.className}: `
    + `${part.scrollWidth}x${part.scrollHeight} in ${part.clientWidth}x${part.clientHeight}`)"""

# What is split: numbers, shapes and pieces of names that begin on one line and end on another.
# One range serves for all: the browser keeps up every range that it has not yet collected, through
# every change of the page, and thousands of them are most of what drawing a step costs.
SPLIT = """(root) => {
    const found = [], range = document.createRange();
    const shape = /(?<!\\w)\\(\\d+,?(\\s\\d+,?){0,2}\\)/.source;
    const number = /[-+−]?[\\d.]+(e[-+−]?\\d+)?/.source;
    const parts = root.querySelectorAll(".gl-narration, .gl-card, .gl-foot, .gl-predict");
    for (const part of parts) {
        const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
        for (let text = texts.nextNode(); text; text = texts.nextNode()) {
            if (!text.parentElement.getClientRects().length) continue;
            const word = new RegExp(`${shape}|${number}|${/[\\p{L}\\d]+/.source}`, "gu");
            for (const {0: piece, index} of text.data.matchAll(word)) {
                range.setStart(text, index);
                range.setEnd(text, index + piece.length);
                const tops = [...range.getClientRects()].map(({bottom}) => Math.round(bottom));
                const split = Math.max(...tops) - Math.min(...tops) > 4;
                if (split) found.push(`split ${piece} in ${part.className}: ${text.data}`);
            }
        }
    }
    return found;
}"""

# The smallest text of the picture, in pixels of the window.
SMALLEST = """(root) => Math.min(...[...root.querySelectorAll(".gl-svg text")]
    .filter((text) => text.textContent && text.getClientRects().length)
    .map((text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a))"""

# Where the right edge of a thing is.
PLACE = "(thing) => thing.getBoundingClientRect().right"

# The pieces of the picture that reach beyond the box that shows it.
OUTSIDE = """(root) => {
    const box = root.querySelector(".gl-canvas").getBoundingClientRect();
    return [...root.querySelectorAll(".gl-svg .gl-g")].filter((piece) => {
        const { left, right, top, bottom } = piece.getBoundingClientRect();
        return piece.getClientRects().length && (left < box.left - 1 || right > box.right + 1
            || top < box.top - 1 || bottom > box.bottom + 1);
    }).map((piece) => piece.dataset.id);
}"""

# Texts that lie over each other, on a card of the picture or below an operation.
OVERLAPPED = """(root) => [
    ...root.querySelectorAll(".gl-tensors, .gl-ops, .gl-scopes"),
].flatMap((group) => {
    const texts = [...group.querySelectorAll(":scope > text")]
        .filter((text) => text.textContent && text.getClientRects().length)
        .map((text) => [text.textContent, text.getBoundingClientRect()]);
    return texts.flatMap(([one, a], k) => texts.slice(k + 1).filter(([, b]) =>
        Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 6
    ).map(([other]) => `${one} lies over ${other}`));
})"""

# What a presented walk loses where room is used badly: the line of its buttons, the graph's height.
CROWDED = """(root) => {
    const found = [], side = root.querySelector(".gl-side").clientHeight;
    const tops = [...root.querySelectorAll(".gl-buttons button")].map((button) => button.offsetTop);
    if (new Set(tops).size > 1) found.push("buttons in two lines");
    if (innerWidth > 700 && side > 0.35 * innerHeight) found.push(`equations take ${side} pixels`);
    return found;
}"""

# A source line that shows not even the beginning of its marked part, or that is cut without a sign.
LOST = """(root) => {
    const code = root.querySelector(".gl-code"), mark = code.querySelector("mark");
    if (!mark) return [];
    const [outer, inner] = [code, mark].map((part) => part.getBoundingClientRect());
    const starts = inner.left >= outer.left && inner.left < outer.right - 8;
    const ends = inner.right <= outer.right + 1 || inner.left <= outer.left + 40;
    const sign = !code.scrollLeft || /gradient/.test(getComputedStyle(code).maskImage);
    return starts && ends && sign ? [] : [`source line: ${code.textContent}`];
}"""


# A drawing of which a part is in sight has its overview below it, which shows part and step.
OVERVIEW = """(root) => {
    const box = root.querySelector(".gl-canvas"), all = root.querySelector(".gl-overview");
    const high = box.scrollHeight > box.clientHeight + 1;
    const cut = high || box.scrollWidth > box.clientWidth + 1;
    if (cut !== Boolean(all.getClientRects().length))
        return [cut ? "no overview" : "overview of all"];
    if (!cut) return [];
    const bars = getComputedStyle(box).scrollbarWidth !== "none";
    const [part, step] = [".gl-sight", ".gl-spot"].map((name) =>
        all.querySelector(name).getBoundingClientRect());
    const share = box.clientWidth / box.scrollWidth;
    const found = [];
    if (high) found.push("cut above or below");
    if (bars) found.push("a scrollbar above the overview");
    if (Math.abs(part.width / all.getBoundingClientRect().width - share) > 0.05)
        found.push(`the part in sight is ${part.width} wide`);
    if (step.right < part.left || step.left > part.right) found.push("the step is not in sight");
    return found;
}"""


# A step of which nothing is in sight: its pieces are scrolled away, or lie below the equations.
UNSEEN = """(root) => {
    const box = root.querySelector(".gl-canvas").getBoundingClientRect();
    const sheet = root.querySelector(".gl-p-equation").getBoundingClientRect();
    const bottom = sheet.left < box.right ? Math.min(box.bottom, sheet.top) : box.bottom;
    const pieces = [...root.querySelectorAll(".gl-svg .gl-focus")]
        .filter((piece) => piece.matches(".gl-tensors, .gl-ops, .gl-scopes"))
        .filter((piece) => piece.getClientRects().length)
        .map((piece) => piece.querySelector("rect, circle").getBoundingClientRect());
    return !pieces.length || pieces.some(({ left, right, top, bottom: low }) =>
        left < box.right - 20 && right > box.left + 20 && top > box.top - 20 && low < bottom + 20)
        ? [] : ["the step is not in sight"];
}"""

# Where the gradient on the edge of a step touches a card, or the number of an input.
TOUCHED = """(root) => {
    const boxes = (what) => [...root.querySelectorAll(`.gl-svg ${what}`)]
        .filter((one) => one.textContent !== "?" && one.getClientRects().length)
        .map((one) => [one, one.getBoundingClientRect()]);
    const others = boxes(":is(.gl-card, .gl-index)");
    return boxes(".gl-now .gl-contribution").flatMap(([text, a]) => others.filter(([, b]) =>
        Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4
    ).map(([one]) => `${text.textContent} touches ${one.textContent || "a card"}`));
}"""

# How many pixels of the box are free above the highest card or operation in sight.
FREE = """(root) => {
    const { left, right, top } = root.querySelector(".gl-canvas").getBoundingClientRect();
    const cards = ".gl-svg :is(.gl-tensors, .gl-ops) > :is(rect, circle)";
    return Math.min(...[...root.querySelectorAll(cards)].map((card) => card.getBoundingClientRect())
        .filter((card) => card.left + card.right > 2 * left && card.left + card.right < 2 * right)
        .map((card) => card.top)) - top;
}"""

# How high the part of the page is that shows the graph.
STAGE = """(root) => [root.querySelector(".gl-canvas").clientHeight]"""

# What is seen at each of these steps. The page walks there by itself, for a message to it and back
# costs the processor more than a look; and it draws nothing, for to paint a step costs as much as
# to lay it out. It walks within frames: a box is fitted to a change at the end of its frame.
WALKED = """async (root, [steps, looks]) => {
    const seen = [], slider = root.querySelector(".gl-range");
    const frame = () => new Promise(requestAnimationFrame);
    const functions = looks.map((look) => eval(look));
    root.style.opacity = "0";
    await frame();
    for (const step of steps) {
        slider.value = String(step);
        slider.dispatchEvent(new Event("input", {bubbles: true}));
        while (!root.querySelector(".gl-position").textContent.startsWith(`step ${step} of `))
            await frame();
        await frame();
        seen.push(...functions.flatMap((look) => look(root)).map((one) => [step, one]));
    }
    root.style.opacity = "";
    return seen;
}"""


def formula() -> Timeline:
    """The walk of the first lesson."""
    a, b, c, d = (graphlab.tensor([x], requires_grad=True) for x in (2.0, 3.0, 5.0, 10.0))
    u = a * b
    t = d.log()
    t.retain_grad()
    v = t * c
    e = u + v
    return graphlab.trace(e)


def network() -> Timeline:
    """The walk of a multilayer perceptron with a cross entropy."""
    graphlab.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))
    x, target = graphlab.randn(16, 4), graphlab.randint(0, 3, (16,))
    loss = nn.functional.cross_entropy(net(x), target)
    return graphlab.trace(loss)


def deep() -> Timeline:
    """The walk of a multilayer perceptron of three layers."""
    graphlab.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 3))
    x, target = graphlab.randn(16, 4), graphlab.randint(0, 3, (16,))
    loss = nn.functional.cross_entropy(net(x), target)
    return graphlab.trace(loss)


def convolutions() -> Timeline:
    """The walk of a convolution, a pooling and a linear layer."""
    graphlab.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.MaxPool2d(2))
    head = nn.Linear(8, 3)
    h = net(graphlab.randn(2, 1, 6, 6))
    flat = h.view(h.size(0), -1)
    loss = nn.functional.cross_entropy(head(flat), graphlab.tensor([0, 2]))
    return graphlab.trace(loss)


def training() -> Timeline:
    """Three rounds of a training loop, recorded."""
    graphlab.manual_seed(0)
    model = nn.Linear(2, 1)
    optimizer = graphlab.optim.SGD(model.parameters(), lr=0.1)
    x = graphlab.randn(8, 2)
    y = x @ graphlab.tensor([[1.0], [2.0]])
    with graphlab.record() as timeline:
        for _ in range(3):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x), y)
            loss.backward()
            optimizer.step()
    return timeline


def rounds() -> Timeline:
    """Two rounds of a training loop of two layers, recorded."""
    net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
    optimizer = graphlab.optim.SGD(net.parameters(), lr=0.1)
    x, y = graphlab.randn(16, 4), graphlab.randn(16, 1)
    with graphlab.record() as timeline:
        for _ in range(2):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            optimizer.step()
    return timeline


def transformer() -> Timeline:
    """The walk of an encoder layer: 73 steps, and parameters with long names."""
    graphlab.manual_seed(0)
    layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
    out = layer(graphlab.randn(2, 5, 8)).square().mean()
    return graphlab.trace(out)


@pytest.mark.parametrize("walk", [formula, network, convolutions, training, transformer])
def test_nothing_is_cut_and_no_word_is_split_in_any_width(
    student: Student, notebook: Path, walk: Callable[[], Timeline]
) -> None:
    write_output(notebook / "first.ipynb", walk()._repr_mimebundle_())
    student.open_without_a_kernel(f"{notebook.name}/first.ipynb")
    student.page.emulate_media(reduced_motion="reduce")
    found = []
    for side in ("expandLeft", "collapseLeft"):
        for width in WIDTHS:
            student.page.evaluate(f"() => window.jupyterapp.shell.{side}()")
            student.page.set_viewport_size({"width": width, "height": 768})
            player = Player(players(student.page).first)
            player.focus()
            player.press("Home")
            _, steps = player.position
            looked_at = [*range(1, steps, max(1, steps // STEPS)), steps]
            seen = player.place.evaluate(WALKED, [looked_at, [CUT, SPLIT, LOST, UNSEEN, TOUCHED]])
            found += [f"{side} {width} step {number}: {one}" for number, one in seen]
            size = player.place.evaluate(SMALLEST)
            if size < 7:
                found.append(f"{side} {width}: a text of {size} pixels")
            found += [f"{side} {width}: {one}" for one in player.place.evaluate(OVERVIEW)]
            fit = player.place.get_by_role("button", name="Fit", exact=True)
            if fit.is_visible():
                fit.click()
                if player.place.locator(".gl-overview").is_visible():
                    found.append(f"{side} {width}: an overview of a fitted drawing")
                found += [
                    f"{side} {width}: not in sight {i}" for i in player.place.evaluate(OUTSIDE)
                ]
                fit.click()
    student.page.emulate_media(reduced_motion="null")
    assert found == [], "\n".join(found)


def test_the_controls_are_in_sight_with_the_top_of_the_picture(
    student: Student, notebook: Path
) -> None:
    other = Comparison(*walks_of("sum instead of mean"))
    write_output(notebook / "first.ipynb", transformer()._repr_mimebundle_())
    write_output(notebook / "two.ipynb", other._repr_mimebundle_())
    student.page.set_viewport_size({"width": 1366, "height": 768})
    for name in ("first", "two"):
        student.open_without_a_kernel(f"{notebook.name}/{name}.ipynb")
        place = players(student.page).first
        expect(place.locator(".gl-canvas").first).to_be_visible()
        play = place.locator(".gl-play").locator("visible=true").bounding_box()
        view = student.page.locator(".jp-NotebookPanel:visible .jp-WindowedPanel-outer")
        seen = view.bounding_box()
        assert play
        assert seen
        assert play["y"] + play["height"] <= seen["y"] + seen["height"], name


@pytest.mark.parametrize("size", [(1366, 768), (1280, 720)])
def test_a_presented_question_leaves_the_whole_lesson_in_sight(
    tab: Page, size: tuple[int, int]
) -> None:
    tab.set_viewport_size({"width": size[0], "height": size[1]})
    tab.set_content(to_html(formula(), standalone=True))
    player = Player(tab.locator(".graphlab").first)
    player.place.focus()
    player.press("p")
    player.press("f")
    expect(tab.locator(".gl-presenting")).to_be_visible()
    for _ in range(2 * player.position[1]):  # each question, and then its answer
        assert player.place.evaluate(OUTSIDE) == [], f"step {player.position[0]}"
        player.press("ArrowRight")


@pytest.mark.parametrize(
    ("size", "keys"), [((1366, 768), "fp"), ((1280, 720), "f"), ((1280, 720), "fp")]
)
def test_a_presented_network_stands_still_though_an_equation_rises_over_its_box(
    tab: Page, size: tuple[int, int], keys: str
) -> None:
    tab.set_viewport_size({"width": size[0], "height": size[1]})
    tab.set_content(to_html(deep(), standalone=True))
    player = Player(tab.locator(".graphlab").first)
    for key in keys:
        player.press(key)
    box = player.place.locator(".gl-canvas.gl-cut")
    spare = box.evaluate("(one) => one.scrollHeight - one.clientHeight")
    assert spare == 0, f"the graph scrolls by {spare} pixels"
    for _ in range(8):
        player.press("ArrowRight")
        assert player.place.evaluate(UNSEEN) == []


def test_a_presented_part_of_a_graph_is_not_cut_above_and_leaves_no_empty_room_there(
    tab: Page,
) -> None:
    graphlab.manual_seed(0)
    norm = nn.BatchNorm1d(3)
    x = graphlab.randn(4, 3)
    out = (norm(x) ** 2 * graphlab.arange(3.0)).sum()
    net = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3), nn.ReLU(), nn.Linear(3, 1))
    loss = net(graphlab.randn(6, 4)).square().mean()
    tab.set_viewport_size({"width": 1280, "height": 720})
    walks = (
        (graphlab.trace(out), (5, 6, 7, 8)),
        (graphlab.trace(loss), (4, 5, 6)),
        (rounds(), (20,)),  # all gradients are cleared: a step with a card above the others
    )
    for walk, steps in walks:
        tab.set_content(to_html(walk, standalone=True))
        player = Player(tab.locator(".graphlab").first)
        player.press("f")
        for step in steps:
            player.go_to(step)
            above = player.place.evaluate(FREE)
            assert 0 <= above < 60, f"step {step}: {above} pixels above"
            assert player.place.evaluate(UNSEEN) == []


def test_a_press_on_the_overview_brings_that_part_into_sight(
    student: Student, notebook: Path
) -> None:
    write_output(notebook / "first.ipynb", network()._repr_mimebundle_())
    student.open_without_a_kernel(f"{notebook.name}/first.ipynb")
    player = Player(players(student.page).first)
    overview = player.place.locator(".gl-overview")
    expect(overview).to_be_visible()
    size = overview.bounding_box()
    assert size
    last = player.place.locator(".gl-tensors").filter(has_text="loss")
    for share, seen in ((0.02, False), (0.98, True)):
        overview.click(position={"x": share * size["width"], "y": size["height"] / 2})
        right = last.evaluate(PLACE) <= player.place.locator(".gl-canvas").evaluate(PLACE) + 1
        assert right == seen


@pytest.mark.parametrize("walk", [formula, network, convolutions, training, transformer])
def test_a_presented_walk_is_not_cut_in_any_width(
    student: Student, notebook: Path, walk: Callable[[], Timeline]
) -> None:
    write_output(notebook / "first.ipynb", walk()._repr_mimebundle_())
    student.open_without_a_kernel(f"{notebook.name}/first.ipynb")
    student.page.emulate_media(reduced_motion="reduce")
    player = Player(players(student.page).first)
    found = []
    # In the dark one width is enough: js/test/theme.test.ts holds that only colours differ.
    for theme, widths in (("light", WIDTHS), ("dark", WIDTHS[:1])):
        student.theme(theme)
        player.focus()
        for width in widths:
            # No browser need resize a window that fills the screen: it is left each time.
            student.page.set_viewport_size({"width": width, "height": 768})
            player.press("f")
            student.page.wait_for_function("document.fullscreenElement", polling=50)
            player.press("Home")
            # as far as a wide product, and the end of a pass
            looked_at = [*range(1, min(12, player.position[1]) + 1)]
            looks = [CUT, SPLIT, CROWDED, OVERLAPPED, TOUCHED, LOST, UNSEEN, STAGE]
            seen = player.place.evaluate(WALKED, [looked_at, looks])
            where = f"{theme} {width}"
            found += [f"{where} step {n}: {one}" for n, one in seen if isinstance(one, str)]
            stages = {one for _, one in seen if not isinstance(one, str)}
            if len(stages) > 1 or min(stages) < 250:
                found.append(f"{where}: the graph is {sorted(stages)} pixels high")
            if (size := player.place.evaluate(SMALLEST)) < 18 - 0.1:
                found.append(f"{where}: a text of {size} pixels")
            player.press("Escape")
            student.page.wait_for_function("!document.fullscreenElement", polling=50)
    student.page.emulate_media(reduced_motion="null")
    assert found == [], "\n".join(found)
