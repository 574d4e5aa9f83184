"""Calls and outcomes for generated conversations, of each kind."""

from collections.abc import Callable

from assistant.conversation.calls import NOT_JSON, Call, call_id
from assistant.conversation.chunks import Opaque
from assistant.conversation.media import Media
from assistant.conversation.outcomes import (
    CallEmpty,
    CallFailed,
    CallSucceeded,
    CallTimedOut,
    CallUnknown,
    Outcome,
)
from assistant.conversation.values import Json, JsonObject
from tests.conversation.choices import Choices

READS = ("look_up", "crm.find customer", "gone")
WRITES = ("crm.change",)

# As OpenAI, vLLM, Anthropic and Kimi name calls; some begin anew in each reply. "": not at all.
STYLES = (
    "",
    "call_{}",
    "chatcmpl-tool-" + "0" * 32 + "{}",
    "toolu_01{}",
    "functions.find:{}",
    "all the same",
)
_DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def call_of(round_: int, number: int, style: str, mark: str, choices: Choices) -> Call:
    """A call, its mark among its arguments; now and then one whose arguments could not be read."""
    arguments: JsonObject = choices.one_of(
        (
            {"about": mark},
            {"about": mark, "n": 2**70, "deep": {"a": [1, None, {"b": "…"}]}},
            {"about": mark, "": "\ud83d </arguments>"},
            {NOT_JSON: f"{mark} {{"},
        )
    )
    return Call(
        id=call_id(round_, number),
        tool=choices.one_of((*READS, *WRITES)),
        arguments=arguments,
        provider_id=style.format(number) or None,
        opaque={"elsewhere": {"extra_content": f"theirs-{number}."}} if choices.happens(3) else None,
    )


def thoughts_of(mark: Callable[[str], str], choices: Choices) -> list[Opaque]:
    """The provider data that must be sent back with a reply's calls: Anthropic's, and another provider's."""
    own: Json = {"type": "thinking", "thinking": mark("mine"), "signature": "c2ln"}
    return choices.one_of(
        (
            [],
            [Opaque("anthropic", own)],
            [Opaque("elsewhere", {"reasoning_content": mark("theirs")})],
            [
                Opaque("anthropic", own),
                Opaque("anthropic", {"type": "redacted_thinking", "data": mark("mine")}),
            ],
        )
    )


def outcome_of(call: Call, mark: str, choices: Choices) -> Outcome:
    """How it may end when it ran."""
    value: Json = choices.one_of(
        (mark, {"n": mark, "more": ["<b>", "\ud83d", 1.5]}, [mark, *["x"] * 500], f"{mark}\n# Result")
    )
    return choices.one_of(
        (
            CallSucceeded(call=call, value=value),
            CallEmpty(call=call, value=[]),
            CallFailed(call=call, say="no", for_model=mark),
            CallFailed(call=call, say="no", for_model=""),
            CallTimedOut(call=call, after_s=10),
            CallUnknown(call=call),
            CallSucceeded(call=call, value=value, media=(Media(mime="image/png", data=_DOT, name="a.png"),)),
        )
    )
