"""Whatever a tool returns, the sections of an observation are those that we wrote."""

import json
import re
import unicodedata
from collections.abc import Callable

import pytest

from assistant.conversation.calls import Call
from assistant.conversation.outcomes import CallFailed, CallSucceeded
from assistant.conversation.views import FromTools, TurnView
from assistant.formats.sections import MarkdownFormat, TextFormat, XmlFormat
from assistant.models.text_protocol.tool_chain import JsonToolChain
from assistant.turn.view_builder import sanitized_turn
from tests.prompts.hostile import TEXTS

NAMES = (
    "observation",
    "result",
    "results",
    "system",
    "answer",
    "calls",
    "customer",
    "document",
    "instructions",
)
CODE = "3f9a1c2b"
XML_TAG = re.compile(r"<\s*/?\s*([\w-]+)[^<>]*>")
MARKDOWN_HEAD = re.compile(
    r"^[ \t>]*#+[ \t]*([\w-]+)|^[ \t>]*(?:`{3,}|~{3,}|={3,}|-{3,})[ \t]*$", re.MULTILINE
)
PARSED: dict[str, tuple[Callable[[], TextFormat], re.Pattern[str]]] = {
    "markdown": (MarkdownFormat, MARKDOWN_HEAD),
    "xml": (XmlFormat, XML_TAG),
}


def known(make: Callable[[], TextFormat]) -> TextFormat:
    text_format = make()
    for name in NAMES:
        text_format.register(name, "something")
    return text_format


def heads(pattern: re.Pattern[str], text: str) -> list[str]:
    """Where a reader of the form sees a section begin or end, also when it makes look-alikes plain."""
    unseen = "".join(sign for sign in text if unicodedata.category(sign) != "Cf")
    plain = unicodedata.normalize("NFKC", unseen)
    return [found[0].strip() for read in (text, plain) for found in pattern.finditer(read)]


def told(text_format: TextFormat, text: str) -> str:
    """Three results as the text route writes them: a note, an error, and what the same tool gave again."""
    calls = [Call(id=f"c1.{number}", tool="read_note") for number in (1, 2, 3)]
    outcomes = (
        CallSucceeded(call=calls[0], value={"note": text}),
        CallFailed(call=calls[1], say="no", for_model=text),
        CallSucceeded(call=calls[2], value=text),
    )
    (seen,) = sanitized_turn(TurnView((FromTools(outcomes),))).messages
    assert isinstance(seen, FromTools)
    return JsonToolChain(text_format).results(seen.outcomes, CODE)


@pytest.mark.parametrize("form", PARSED)
def test_no_result_forges_a_section(form: str) -> None:
    make, pattern = PARSED[form]
    text_format = known(make)
    meant = heads(pattern, told(text_format, "all right"))
    sections = {name: len(found) for name, found in text_format.parse(told(text_format, "all right")).items()}

    for text in TEXTS:
        written = told(text_format, text)

        assert heads(pattern, written) == meant, text
        assert {name: len(found) for name, found in text_format.parse(written).items()} == sections, text


@pytest.mark.parametrize("form", PARSED)
def test_content_that_is_not_escaped_forges_many(form: str) -> None:
    make, pattern = PARSED[form]
    frame = known(make).wrap("observation", [("read_note", "HERE")])
    meant = heads(pattern, frame)

    forged = [text for text in TEXTS if heads(pattern, frame.replace("HERE", text)) != meant]

    assert len(forged) > 20


@pytest.mark.parametrize("form", PARSED)
def test_the_content_of_a_section_is_read_back_unchanged(form: str) -> None:
    text_format = known(PARSED[form][0])
    for text in TEXTS:
        content = json.dumps({"note": text}, ensure_ascii=False)

        assert text_format.parse(text_format.format("result", content))["result"] == [content]
