"""``never``: what must not come."""

from collections.abc import Iterator
from typing import NamedTuple

from assistant.conversation.turn_state import SaidMessage
from assistant.replay.complaint import Complaint
from assistant.replay.expect.matching import contains, matches
from assistant.replay.expect.part import Part
from assistant.replay.expect.phrases import a_kind, quoted, the_message
from assistant.replay.expect.turn_frames import frames_in
from assistant.replay.expectations import Never


def never(part: Part) -> Iterator[Complaint]:
    """Complain of the first thing that came of each kind that must not."""
    for number, unwanted in enumerate(part.expect.never):
        came = next(_came(unwanted, part), None)
        if came is not None:
            expected, found, moment = came
            yield part.complaint(
                "never", number, expected=f"no {expected}", found=found, at_ms=moment.at_ms, seq=moment.seq
            )


class _When(NamedTuple):
    """When it came, and as which entry of the log, as far as that is known."""

    at_ms: int | None = None
    seq: int | None = None


def _came(unwanted: Never, part: Part) -> Iterator[tuple[str, str, _When]]:
    """What came though it must not: its kind, the thing itself, and when."""
    if _names_a_message(unwanted):
        for _, message in part.messages:
            if _is(unwanted, message.said):
                moment = _When(message.began.at_ms, message.began.seq) if message.began else _When()
                yield _kind(unwanted), the_message(message.said), moment
    for call in (call for turn in part.turns for call in turn.calls):
        if call.call.tool == unwanted.tool and call.started is not None:
            yield f"run of {unwanted.tool}", "it ran", _When(call.started.at_ms, call.started.seq)
    for heard in frames_in(part):
        if heard.frame["type"] == unwanted.frame:
            yield f"{unwanted.frame} frame", "one came", _When(heard.at_ms)


def _names_a_message(unwanted: Never) -> bool:
    return any((unwanted.kind, unwanted.text_contains, unwanted.text_matches))


def _is(unwanted: Never, said: SaidMessage) -> bool:
    return (
        (unwanted.kind is None or said.kind == unwanted.kind)
        and (unwanted.text_contains is None or contains(said.text, unwanted.text_contains))
        and (unwanted.text_matches is None or matches(said.text, unwanted.text_matches))
    )


def _kind(unwanted: Never) -> str:
    text = a_kind(unwanted.kind).partition(" ")[2]
    if unwanted.text_contains is not None:
        text += f" with {quoted(unwanted.text_contains)}"
    if unwanted.text_matches is not None:
        text += f" that matches {quoted(unwanted.text_matches)}"
    return text
