"""No message contains a forbidden phrase, in whatever chunks it arrives, and from whatever source."""

import re
from collections.abc import Sequence
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from assistant.conversation.entries import Logged, MessageText
from assistant.prompts.book import shipped_book
from assistant.testing.script import Line, breaks, calls, says
from assistant.testing.virtual_time import run_virtually
from tests.turn.conftest import Company

PHRASES = shipped_book().voice.forbidden
WORDS = [
    *PHRASES,
    *(phrase.upper() for phrase in PHRASES),
    "I am",
    "as an",
    "just an AI",
    "Hello.",
    "\n",
    " ",
]

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)


@st.composite
def streamed(draw: st.DrawFn) -> list[str]:
    """A text that holds forbidden phrases or halves of them, in pieces."""
    text = draw(texts)
    ends = sorted({0, len(text), *draw(st.lists(st.integers(0, len(text)), max_size=6))})
    return [text[begin:end] for begin, end in pairwise(ends)]


@st.composite
def conversations(draw: st.DrawFn) -> list[Line]:
    """A model's replies to one message: an answer, a lookup and an answer, or a stream that dies."""
    first = draw(streamed())
    match draw(st.sampled_from(["answer", "lookup", "dies", "own words", "narrator dies"])):
        case "answer":
            return [says(first)]
        case "lookup":
            return [calls("get_open_invoices"), says(first)]
        case "own words":
            return [calls("get_open_invoices", text=first), says(draw(streamed()))]
        case "dies":
            return [breaks(first)]
        case _:
            return [calls("get_open_invoices"), breaks(first)]


def messages(entries: Sequence[Logged]) -> dict[str, str]:
    """The text of every message, by its id, out of what was published."""
    told: dict[str, str] = {}
    for logged in entries:
        if isinstance(logged.entry, MessageText):
            told[logged.entry.message_id] = told.get(logged.entry.message_id, "") + logged.entry.text
    return told


@given(conversations())
def test_no_message_contains_a_forbidden_phrase(lines: list[Line]) -> None:
    async def talk() -> Sequence[Logged]:
        ana = Company().chat(*lines)
        await ana.says("Check my bill")
        return ana.session.entries

    for text in messages(run_virtually(talk())).values():
        for phrase in PHRASES:
            pattern = r"\b" + r"\s+".join(map(re.escape, phrase.split())) + r"\b"
            assert not re.search(pattern, text, re.IGNORECASE), text
