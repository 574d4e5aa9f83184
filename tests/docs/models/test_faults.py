"""Each error text in the page's tables is caused and has the same words, and no error is missing."""

import re
from collections.abc import Mapping, Sequence
from inspect import isawaitable

import pytest
from structlog.testing import capture_logs

from assistant.testing.virtual_time import VirtualClock
from tests.docs.models.asking import heard, nobody, providers
from tests.docs.models.faults_at_start import DOCTOR, START, Told
from tests.docs.models.faults_in_log import LITELLM, LOG
from tests.docs.pages import page
from tests.support.fake_model import openai_events
from tests.support.fake_model.model_server import FakeModelServer
from tests.support.fake_model.replies import refuses, streams

PAGE = page("docs/guides/models.md")
FAULTS: Mapping[str, Sequence[Told]] = {
    "It does not start": START,
    "What `assistant doctor` points out": DOCTOR,
    "What the log says": (*LOG, *LITELLM),
}
"""By the heading below which the page tells of them."""

_CODE = re.compile(r"(`+)(.+?)\1(?!`)")


def quoted(heading: str) -> list[str]:
    """The texts in the first cells of the tables below a heading."""
    section = PAGE.text.partition(f"### {heading}\n")[2].partition("\n#")[0]
    rows = [line for line in section.splitlines() if line.startswith("| `")]
    return [text for row in rows for _, text in _CODE.findall(row.split(" | ")[0])]


def fits(quote: str, told: str) -> bool:
    """Whether this was said; "…" matches any text."""
    pattern = ".*".join(re.escape(part) for part in quote.split("…"))
    return re.fullmatch(pattern, told, re.DOTALL) is not None


@pytest.mark.slow
@pytest.mark.parametrize("heading", FAULTS)
async def test_the_texts_that_the_page_quotes_are_the_real_ones(heading: str) -> None:
    made = [fault() for fault in FAULTS[heading]]
    told = [await one if isawaitable(one) else one for one in made]
    quotes = quoted(heading)

    assert [quote for quote in quotes if not any(fits(quote, one) for one in told)] == []
    assert [one for one in told if not any(fits(quote, one) for quote in quotes)] == []


async def test_the_log_says_why_another_model_is_asked() -> None:
    async with FakeModelServer(
        refuses(401, "no such key"), streams(openai_events.answer("Hi.")), clock=VirtualClock()
    ) as server:
        hosted = providers({"OPENAI_BASE_URL": server.url})
        with capture_logs() as logged:
            await heard(hosted.model(["openai/one", "openai/two"], 1, nobody))
        await hosted.close()

    assert [(line["event"], line["why"]) for line in logged] == [
        ("asking the next model", "the provider answered 401: no such key")
    ]
