"""The page of an evaluation: complete in one file, and untrusted text stays text."""

import re
from html.parser import HTMLParser

from assistant.evaluation.html_report import html_report, runs_of
from assistant.evaluation.measures import TurnTimes
from assistant.evaluation.results import Row


def row(task: str, trial: int = 1, *unmet: str, model: str = "m", bundle: str = "b", **more: object) -> Row:
    fields = {"digest": "d", "model": model, "bundle": bundle, "unmet": unmet, **more}
    return Row.model_validate({"task": task, "trial": trial, **fields})


class _Page(HTMLParser):
    """Collects what a test asks for, and whether each element is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.addresses: list[str] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.addresses += [value for name, value in found.items() if name in ("src", "href", "action")]
        if tag == "a":
            self.links.append(found["href"])
        if "id" in found:
            self.ids.add(found["id"])
        if tag not in ("meta", "circle", "line", "rect", "polyline"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("circle", "line", "rect", "polyline"):
            assert self.open.pop() == tag


ROWS = [
    row("pay", 1, turns=[TurnTimes(first_ms=300, response_ms=900, fact_ms=950, whole_ms=1200)]),
    row(
        "pay",
        2,
        "state: x",
        transcript=[("customer", "<script>alert(1)</script>")],
        withheld=[("facts", "$7")],
    ),
    row("ask", 1, turns=[TurnTimes(first_ms=None, whole_ms=0)]),
    row("ask", 2, customer_failed="it died"),
]


def test_the_page_needs_nothing_from_elsewhere() -> None:
    text = html_report(runs_of(ROWS), "shop")
    page = _Page(text)

    assert page.open == []
    assert all(address.startswith("#") for address in page.addresses)
    assert not re.search(r"https?://|@import|url\(", text)


def test_each_trial_that_did_not_pass_can_be_read() -> None:
    page = _Page(html_report(runs_of(ROWS), "shop"))

    assert page.links == ["#r0-pay-2", "#r0-ask-2"]
    assert {link.removeprefix("#") for link in page.links} <= page.ids


def test_text_of_customers_and_models_is_no_markup() -> None:
    text = html_report(runs_of(ROWS), "<b>shop</b>")

    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "<b>shop" not in text


def test_several_runs_are_shown_side_by_side() -> None:
    rows = [
        row("pay"),
        row("pay", model="n"),
        row("pay", model="n", bundle="cccccccc"),
        row("pay", 1, "must: x"),
    ]

    first, second, third = runs_of(rows)

    assert [run.name for run in (first, second, third)] == ["m", "n (b)", "n (cccccc)"]
    assert first.figures["tasks"] == "1, 1 trial: 0 passed"  # the newest row of a trial counts
    text = html_report([first, second, third], "shop")
    assert text.count('scope="col"') == 3
    assert "must" in text


def test_an_empty_evaluation_is_a_page_too() -> None:
    assert _Page(html_report(runs_of([row("pay")]), "shop")).open == []
    assert _Page(html_report([], "shop")).open == []
