"""Markdown: what is shown, what is refused, and text that arrives in pieces."""

import random
from collections.abc import Sequence

import pytest
from playwright.async_api import Dialog, Request, expect

from tests.browser.conftest import Arrive
from tests.browser.fake_server import FakeServer, Frame
from tests.browser.payloads import PAYLOADS
from tests.browser.scenes import Numbered, assistants, snapshot
from tests.browser.states import ANSWER
from tests.browser.visitor import Visitor

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

FOREIGN = """() => {
    const allowed = new Set(("A BLOCKQUOTE BR CODE EM HR LI OL P PRE S SPAN STRONG TABLE TD TH TR UL").split(" "));
    const attributes = {
        A: "href rel target", DIV: "aria-label class role tabindex", OL: "start", P: "class", TH: "scope",
    };
    const says = [...document.querySelector("meanwhile-chat").shadowRoot.querySelectorAll(".assistant .bubble")];
    return says.map(node => ({
        foreign: [...node.querySelectorAll("*")]
            .filter(one => !allowed.has(one.tagName) && !one.matches("div.table")
                || one.getAttributeNames().some(name => !attributes[one.tagName]?.split(" ").includes(name)))
            .map(one => one.outerHTML.slice(0, 200)),
        links: [...node.querySelectorAll("a")].map(one => one.getAttribute("href")),
        open: [...node.querySelectorAll("a")]
            .filter(one => one.rel !== "noopener noreferrer nofollow" || one.target !== "_blank")
            .map(one => one.outerHTML),
    }));
}"""

PIECES = (
    *(
        "**",
        "*",
        "_",
        "`",
        "```\n",
        "\n",
        "\n\n",
        "- ",
        "1. ",
        "# ",
        "> ",
        "|",
        "| a | b |\n|--|--|\n",
        "[",
        "![",
    ),
    *(
        "](https://x.example)",
        "](",
        ")",
        "!",
        "$",
        "$5",
        "\\",
        "(",
        "https://x.example/b",
        "<br>",
        "<b>",
        "~~",
    ),
    *(" ", "word", "opening_hours", "é", "\N{PARTY POPPER}", "2*3", ".", ", ", "- [x] "),
)

PROVOKED = """nodes => {
    for (const node of nodes) {
        for (const type of ["mouseover", "focus", "load", "error"]) node.dispatchEvent(new Event(type));
    }
    return new Promise(done => requestAnimationFrame(() => setTimeout(done)));
}"""

LONG = "Progressive lenses with a blue-light filter and an anti-reflective coating"
WORD = "WF-2041-" + "X" * 40
STATEMENT = (
    "You owe:\n\n| For | Due | Amount | Reminder |\n| --- | --- | ---: | --- |\n"
    f"| {LONG} | Tuesday, December 1 | $150 | none |\n| Eye test \\| first visit | December 15 | $60 | none |\n"
    f"| {WORD} | January 2 | $1,234.50 | second |\n\nPlease pay in time."
)
"""What a tool's narration or a model makes of a list: long cells, a long word, an escaped bar."""

SAYS = "nodes => nodes.map(node => node.innerHTML)"


async def test_markdown_is_shown_as_elements(ana: Visitor, server: FakeServer) -> None:
    await _told(ana, server, ANSWER)
    says = ana.log.locator(".bubble")
    assert await says.locator("th").all_inner_texts() == ["What", "When", "Amount"]
    assert await says.locator("tr").nth(2).locator("td").all_inner_texts() == [
        "Progressive lenses",
        "due 1 Dec",
        "$150.00",
    ]
    assert await says.locator("ol > li").count() == 2
    assert await says.locator("strong").all_inner_texts() == ["all of it"]
    assert await says.locator("em").all_inner_texts() == ["old glasses"]
    assert await says.locator("code").all_inner_texts() == ["WF-2041"]
    assert await says.locator("blockquote").all_inner_texts() == ["Cancel up to a day before."]
    await expect(ana.page.get_by_role("link", name="how to find us")).to_have_attribute(
        "href", "https://shop.example/visit"
    )
    await expect(ana.page.get_by_role("link", name="the desk")).to_have_attribute(
        "href", "mailto:desk@shop.example"
    )


@pytest.mark.parametrize(
    ("written", "html"),
    [
        (
            "$5 to $6, 2*3*4, opening_hours and a_b@c.example",
            "<p>$5 to $6, 2*3*4, opening_hours and a_b@c.example</p>",
        ),
        ("in $CAD or $\n\n- $USD", "<p>in $CAD or $</p><ul><li>$USD</li></ul>"),
        ("one\ntwo\n\nthree", "<p>one<br>two</p><p>three</p>"),
        ("[1] and [sic]", "<p><span>[1]</span> and <span>[sic]</span></p>"),
        ("[half a link](https://x.exa", "<p><span>[half a link](https://x.exa</span></p>"),
        ("[**so", "<p><span>[<strong>so</strong></span></p>"),
        ("[not\na link](x", "<p><span>[not</span><br>a link](x</p>"),
        ("# Hours\n- a\n  - b", '<p class="heading">Hours</p><ul><li>a<ul><li>b</li></ul></li></ul>'),
        ("3. c\n4. d", '<ol start="3"><li>c</li><li>d</li></ol>'),
        ("|not a table\n|-- but text", None),
        ("&lt;b&gt; \\*plain\\*", "<p>&amp;lt;b&amp;gt; *plain*</p>"),
    ],
)
async def test_unusual_markdown_is_shown_as_expected(
    ana: Visitor, server: FakeServer, written: str, html: str | None
) -> None:
    await _told(ana, server, written)
    [drawn] = await ana.log.locator(".bubble").evaluate_all(SAYS)
    if html is None:
        assert "but text" in drawn
    else:
        assert drawn == html


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("https://x.example/a.", "https://x.example/a."),
        ("**https://x.example/a**!", "https://x.example/a!"),
        ("(https://x.example/a)", "(https://x.example/a)"),
        ("[bank.example](https://x.example/a)", "bank.example (x.example)"),
        ("[www.x.example](https://x.example/a)", "www.x.example"),
        ("![a map](https://x.example/a)", "a map"),
        ("[](https://x.example/a) ![](https://x.example/a)", "[](https://x.example/a) x.example/a"),
    ],
)
async def test_a_link_shows_where_it_leads(ana: Visitor, server: FakeServer, written: str, text: str) -> None:
    await _told(ana, server, written)
    await expect(ana.log.locator(".bubble")).to_have_text(text)
    await expect(ana.log.locator(".bubble a").last).to_have_attribute("href", "https://x.example/a")


async def test_nothing_that_a_model_writes_does_harm(ana: Visitor, server: FakeServer) -> None:
    asked_for: list[str] = []
    dialogs: list[str] = []

    async def dismiss(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        await dialog.dismiss()

    def note(request: Request) -> None:
        if not request.url.startswith(server.url):
            asked_for.append(request.url)

    ana.page.on("dialog", dismiss)
    ana.page.on("request", note)
    await _told(ana, server, *PAYLOADS)
    await expect(ana.log.locator(".bubble")).to_have_count(len(PAYLOADS))

    seen = await ana.page.evaluate(FOREIGN)
    await ana.log.locator(".bubble *").evaluate_all(PROVOKED)

    ana.page.remove_listener("dialog", dismiss)
    ana.page.remove_listener("request", note)
    drawn = dict(zip(PAYLOADS, seen, strict=True))
    assert {written: one["foreign"] for written, one in drawn.items() if one["foreign"] or one["open"]} == {}
    assert {written: tuple(one["links"]) for written, one in drawn.items()} == PAYLOADS
    assert (asked_for, dialogs) == ([], [])
    assert len(PAYLOADS) >= 30


async def test_text_that_nests_too_deeply_stays_as_written(ana: Visitor, server: FakeServer) -> None:
    await _told(ana, server, "> " * 40 + "**deep**")
    says = ana.log.locator(".bubble")
    await expect(says).to_contain_text("> > > > **deep**")
    assert 5 < await says.locator("blockquote").count() < 20


async def test_overrides_of_the_writing_direction_are_removed(ana: Visitor, server: FakeServer) -> None:
    await _told(ana, server, "safe\u202egpj.exe\u202c")
    await expect(ana.log.locator(".bubble")).to_have_text("safegpj.exe")


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 4))])
async def test_a_text_in_pieces_is_shown_like_the_whole_text(
    ana: Visitor, server: FakeServer, seed: int
) -> None:
    chance = random.Random(seed)
    texts = [ANSWER, *("".join(chance.choices(PIECES, k=chance.randint(1, 40))) for _ in range(40))]
    texts = [text for text in texts if text.strip()]
    await ana.opens_chat()
    line = await server.welcomed()
    frames = Numbered()
    for number, text in enumerate(texts):
        await line.says(*_whole(frames, f"whole{number}", text))
    for number, text in enumerate(texts):
        await line.says(frames.started(f"cut{number}"))
        for piece in _cut(text, chance):
            await line.says(frames.delta(f"cut{number}", piece))
            # Each drawing shows what has come so far; without this most pieces would be drawn together.
            if number % 8 == 0:
                await ana.page.evaluate("() => new Promise(requestAnimationFrame)")
        await line.says(frames.completed(f"cut{number}", "response", text))
    await line.says(*frames.told("last", "response", "The end."))
    await expect(ana.message("The end.")).to_be_visible()

    drawn = await ana.log.locator(".bubble").evaluate_all(SAYS)

    whole, cut = drawn[: len(texts)], drawn[len(texts) : -1]
    assert dict(zip(texts, cut, strict=True)) == dict(zip(texts, whole, strict=True))


@pytest.mark.parametrize(("width", "height"), [(320, 568), (1280, 800)])
async def test_a_table_in_pieces_is_a_table_at_any_width(
    arrive: Arrive, server: FakeServer, width: int, height: int
) -> None:
    ana = await arrive(server.url, width=width, height=height)
    await ana.opens_chat()
    line = await server.welcomed()
    frames = Numbered()
    rows = ana.log.locator(".bubble tr")
    await line.says(frames.started("m1"), frames.delta("m1", "You owe:\n\n| For | Due "))
    await expect(ana.log.locator(".bubble")).to_contain_text("You owe:")
    await line.says(frames.delta("m1", "| Amount | Reminder |\n| --- | --"))
    await line.says(frames.delta("m1", f"- | ---: | --- |\n| {LONG} | Tuesday, Dec"))
    await expect(rows).to_have_count(2)
    await line.says(frames.delta("m1", "ember 1 | $150 | none |\n| Eye test \\| first visit | Decem"))
    await expect(rows).to_have_count(3)
    await line.says(frames.delta("m1", STATEMENT.partition("Decem")[2].partition("Decem")[2]))
    await line.says(frames.completed("m1", "response", STATEMENT))
    await expect(ana.message("You owe:")).to_contain_text("Please pay in time.")

    cells = [await rows.nth(at).locator("th, td").all_inner_texts() for at in range(await rows.count())]

    assert cells == [
        ["For", "Due", "Amount", "Reminder"],
        [LONG, "Tuesday, December 1", "$150", "none"],
        ["Eye test | first visit", "December 15", "$60", "none"],
        [WORD, "January 2", "$1,234.50", "second"],
    ]
    assert await ana.log.locator(".bubble p").all_text_contents() == ["You owe:", "Please pay in time."]
    assert await ana.page.evaluate("() => document.documentElement.scrollWidth") <= width
    assert await ana.log.locator(".bubble").evaluate("node => node.scrollWidth <= node.clientWidth")
    overflowing = (
        "nodes => nodes.filter(one => one.scrollWidth > one.clientWidth).map(one => one.textContent)"
    )
    assert await ana.log.locator(".bubble :is(th, td)").evaluate_all(overflowing) == []
    # The message is narrower than the table: the table scrolls, and the keyboard reaches it.
    table = ana.page.get_by_role("group", name="Table")
    await table.focus()
    for _ in range(20):
        await ana.page.keyboard.press("ArrowRight")
    await expect(rows.last.locator("td").last).to_be_in_viewport(ratio=0.9)
    assert ana.complaints == []


async def test_a_growing_text_keeps_its_nodes(ana: Visitor, server: FakeServer) -> None:
    frames = Numbered()
    await ana.opens_chat()
    line = await server.welcomed()
    await line.says(frames.started("m1"), frames.delta("m1", "**One** two\n\nthree"))
    await expect(ana.log.locator(".bubble strong")).to_have_text("One")
    await ana.log.locator(".bubble strong").evaluate("node => { window.kept = node; }")
    await line.says(frames.delta("m1", " four"))
    await ana.sees("Robin: One twothree four")
    await line.says(frames.completed("m1", "response", "**One** two\n\nthree four."))
    await ana.sees("Robin: One twothree four.")
    assert await ana.page.evaluate("() => window.kept.isConnected")


async def test_a_text_that_ends_differently_is_drawn_again(ana: Visitor, server: FakeServer) -> None:
    frames = Numbered()
    await ana.opens_chat()
    line = await server.welcomed()
    await line.says(frames.started("m1"), frames.delta("m1", "We are open"))
    await ana.sees("Robin: We are open")
    await line.says(frames.completed("m1", "response", "We are closed."))
    await ana.sees("Robin: We are closed.")


async def test_announcements_have_no_markup(ana: Visitor, server: FakeServer) -> None:
    frames = Numbered()
    await ana.opens_chat()
    line = await server.welcomed()
    await line.says(*frames.told("m1", "response", ANSWER))
    await expect(ana.status.locator("p")).to_have_count(1)
    [said] = await ana.status.locator("p").all_text_contents()
    assert said.splitlines() == [
        "Here is what I found, all of it:",
        "What, When, Amount",
        "Eye test with Dr. Lee, Tue, 2 pm, $60.00",
        "Progressive lenses, due 1 Dec, $150.00",
        "Bring your old glasses.",
        "See how to find us or write to the desk.",
        "Cancel up to a day before.",
        "Your code is WF-2041.",
    ]


async def _told(ana: Visitor, server: FakeServer, *texts: str) -> None:
    await ana.opens_chat()
    line = await server.welcomed("snapshot")
    await line.says(snapshot(9, *(assistants(f"m{number}", text) for number, text in enumerate(texts))))
    await expect(ana.log.locator(".bubble")).to_have_count(len(texts))


def _whole(frames: Numbered, message_id: str, text: str) -> Sequence[Frame]:
    return [frames.started(message_id), frames.completed(message_id, "response", text)]


def _cut(text: str, chance: random.Random) -> list[str]:
    ends = sorted({*(chance.randint(1, len(text)) for _ in range(12)), len(text)})
    return [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]
