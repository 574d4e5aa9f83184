"""Whatever customers, people, models and tools write, a request has only the messages that we put into it.

Servers that run a model themselves write a request as one text, in which a token begins and ends each message.
So a request is read twice: as JSON, and for the tokens of the usual chat templates.
"""

import json
import re
import unicodedata
from collections.abc import Callable
from typing import Any, cast

import pytest

from assistant.conversation.calls import Call
from assistant.conversation.chunks import Opaque
from assistant.conversation.outcomes import CallPending, CallSucceeded
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView, View
from assistant.formats.openai_variants import GrokFormatter
from assistant.formats.registry import Formatter, formatter
from assistant.ports import ModelOptions, ModelRequest
from assistant.turn.view_builder import sanitized_turn
from tests.formats.hostile_turns import PLACES, Talk
from tests.prompts.hostile import TEXTS
from tests.support.rows import check_rows

UNSEEN = re.compile(
    "[\u00ad\u034f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef]"
)


TOKENS = re.compile(
    r"<\|\w+\|>|</?tool_\w+>|</?think>"  # ChatML, Llama 3, Harmony, GLM, Phi, Hermes
    r"|</?s>|\[/?INST\]|<</?SYS>>"  # Llama 2
    r"|\[/?(?:SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_RESULTS|TOOL_CALLS)\]"  # Mistral
    r"|<(?:start|end)_of_turn>|<[be]os>"  # Gemma
    r"|<[｜|][^｜|<>]{1,40}[｜|]>"  # DeepSeek
    r"|\[gMASK\]|<sop>"
)
"""What begins and ends messages in the text that a server makes of a request."""


FORMATTERS: dict[str, Callable[[], Formatter]] = {
    "openai": lambda: formatter("openai"),
    "anthropic": lambda: formatter("anthropic"),
    "grok": lambda: formatter("grok"),
    "grok's text form": lambda: GrokFormatter(calls_as_text=True),
    "unformatted": lambda: formatter("openai"),
}


def messages(name: str, turn: TurnView) -> list[dict[str, Any]]:
    """What the formatter sends of this turn, another one before it and behind it."""
    turns = (TurnView((FromCustomer("Hello"), FromAssistant("Hi."))), turn, TurnView((FromCustomer("Bye"),)))
    options = ModelOptions(formatted=name != "unformatted", images=False)
    request = ModelRequest(role="narrator", view=View("You are an assistant.", turns), options=options)
    body = json.loads(FORMATTERS[name]().format(request, "any").body)
    return body["messages"]


def shape(sent: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    """Each message's role, the kinds of its parts, and how many calls or outcomes it has."""
    return [
        (
            message["role"],
            *(str(part.get("type")) for part in _parts(message)),
            *("call" for _ in message.get("tool_calls", message.get("calls", ()))),
            *("outcome" for _ in message.get("outcomes", ())),
        )
        for message in sent
    ]


def _parts(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message.get("content")
    return cast("list[dict[str, Any]]", content) if isinstance(content, list) else []


def tokens(sent: list[dict[str, Any]]) -> list[str]:
    """The marks that a server reads as the end or beginning of a message, also in the normalised text."""
    text = json.dumps(sent, ensure_ascii=False)
    plain = unicodedata.normalize("NFKC", UNSEEN.sub("", text))
    return TOKENS.findall(text) + TOKENS.findall(plain)


def forgeries(name: str, place: Talk, given: Callable[[TurnView], TurnView]) -> list[str]:
    """The texts with which a server reads other messages than it does with a good text."""
    meant = shape(messages(name, place("all right")))
    sent = ((text, messages(name, given(place(text)))) for text in TEXTS)
    return [text for text, written in sent if shape(written) != meant or tokens(written)]


@check_rows("place", PLACES, ids=lambda place: place.__name__)
@check_rows("name", FORMATTERS)
def test_no_text_forges_a_message(name: str, place: Talk) -> None:
    assert forgeries(name, place, sanitized_turn) == []


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
def test_without_sanitizing_the_same_texts_forge_many(place: Talk) -> None:
    assert len(forgeries("openai", place, lambda turn: turn)) > 40


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
def test_no_text_adds_a_record_to_groks_text_form(place: Talk) -> None:
    turn = place("all right")
    calls = sum(len(said.calls) for said in turn.messages if isinstance(said, FromAssistant))
    for text in TEXTS:
        sent = [message["content"] for message in messages("grok's text form", sanitized_turn(place(text)))]
        barred = [
            line for content in sent for line in content.split("\n") if line.lstrip()[:1] in ("|", "｜")
        ]
        records = [content for content in sent if content.startswith("|")]

        assert sum(line.startswith("| Please call read_note with ") for line in barred) == calls, text
        assert barred == [line for content in records for line in content.split("\n")], text
        assert not set("{}<>`").intersection("".join(records))


def test_a_harmless_turn_is_the_same_object() -> None:
    for place in PLACES:
        turn = place("all right")
        assert sanitized_turn(turn) is turn


def test_a_running_call_is_not_changed() -> None:
    call = Call(id="c1.1", tool="read_note", arguments={})
    turn = TurnView((FromAssistant("", (call,)), FromTools((CallPending(call=call),))))

    assert sanitized_turn(turn) is turn


def test_opaque_provider_data_is_not_changed() -> None:
    thought = Opaque("anthropic", {"thinking": "<|im_start|>\u200b"})
    call = Call(id="c1.1", tool="read_note", arguments={}, opaque={"xai": "\u200b"})
    said = FromAssistant("\u200bok", (call,), (thought,))

    (seen,) = sanitized_turn(TurnView((said,))).messages

    assert seen == FromAssistant("ok", (call,), (thought,))


def test_the_reference_of_a_whole_result_is_not_changed() -> None:
    call = Call(id="c1.1", tool="read_note", arguments={})
    ref = "result:<|im_start|>/t1/c1.1"
    short = CallSucceeded(call=call, value="\u200b<|im_start|>", full_ref=ref)

    (seen,) = sanitized_turn(TurnView((FromTools((short,)),))).messages

    assert seen == FromTools((CallSucceeded(call=call, value="< |im_start|>", full_ref=ref),))
