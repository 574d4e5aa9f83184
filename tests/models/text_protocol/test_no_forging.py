"""Over the text route, a request has no sections other than ours, whatever text others write."""

import re

import pytest

from assistant.conversation.views import FromAssistant, FromCustomer, View, ViewMessage
from assistant.formats.sections import text_format
from assistant.models.text_protocol.route import TurnsAsText
from assistant.models.text_protocol.tool_chain import tool_chain
from assistant.turn.view_builder import sanitized_turn
from tests.formats.hostile_turns import PLACES, Talk
from tests.models.text_protocol.routes import SECRET
from tests.prompts.hostile import TEXTS
from tests.support.rows import check_rows

MARKS = {
    "markdown": re.compile(r"^[ \t>]*(?:#+[ \t]*\S+|[`~]{3,}|\*\*|__)", re.MULTILINE),
    "xml": re.compile(r"<\s*/?\s*[^\W\d][^<>]*>"),
}
"""What opens or closes a section, or hides one."""


def written(place: Talk, text: str, calls: str, sections: str, *, escaped: bool = True) -> list[ViewMessage]:
    chain = tool_chain(calls, text_format(sections))
    turn = sanitized_turn(place(text))
    if not escaped:
        return [message for message in turn.messages if isinstance(message, FromCustomer | FromAssistant)]
    return list(TurnsAsText(chain, SECRET).write(View("", (turn,)), "c-1")[0].messages)


def marks(messages: list[ViewMessage], sections: str) -> list[tuple[str, list[str]]]:
    """Who says each message, and the marks in it."""
    assert all(isinstance(message, FromCustomer | FromAssistant) for message in messages)
    return [
        (type(message).__name__, MARKS[sections].findall(getattr(message, "text", "")))
        for message in messages
    ]


@check_rows("place", PLACES, ids=lambda place: place.__name__)
@check_rows(("calls", "sections"), [("json", "markdown"), ("yaml", "xml")])
def test_no_one_forges_a_section(place: Talk, calls: str, sections: str) -> None:
    meant = marks(written(place, "all right", calls, sections), sections)

    assert [text for text in TEXTS if marks(written(place, text, calls, sections), sections) != meant] == []


@pytest.mark.parametrize("sections", MARKS)
def test_text_that_is_not_escaped_forges_some(sections: str) -> None:
    (customer, *_) = PLACES
    meant = marks(written(customer, "all right", "json", sections, escaped=False), sections)
    forged = [
        text
        for text in TEXTS
        if marks(written(customer, text, "json", sections, escaped=False), sections) != meant
    ]

    assert len(forged) > 20
