"""`hears`, `never` and `scene`: the messages that are expected of a turn, and those that are not."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

from assistant.conversation.transcript import delivered_text
from assistant.conversation.turn_state import AssistantMessage, is_heard_out
from assistant.replay.checks.complaint import Complaint, a_kind, contains, matches, ms, quoted, the_message
from assistant.replay.checks.transcript import (
    Moment,
    PlayedMessage,
    PlayedTurn,
    Scope,
    frames_in,
    message_times_ms,
)
from assistant.replay.expectations import Hears, Never
from assistant.testing.scene import lines_of


def hears(scope: Scope) -> Iterator[Complaint]:
    """Complain of each message that did not come, not in its order, not in time, or not to its end."""
    messages, heard = scope.messages, 0
    for number, wanted in enumerate(scope.expect.hears):
        left = [_compare(wanted, *message) for message in messages[heard:]]
        best = min(left, key=lambda one: (len(one.differs), len(one.otherwise)), default=None)
        if best is not None and not best.differs:
            heard += left.index(best) + 1
            if not best.otherwise:
                continue
            found = f"{best.text}: {'; '.join(best.otherwise)}"
        else:
            found = _instead(best, [_compare(wanted, *message) for message in messages[:heard]])
        began = best.began if best is not None else None
        yield scope.complaint(
            "hears",
            number,
            expected=_wanted(wanted),
            found=found,
            at_ms=began.at_ms if began is not None else None,
            seq=began.seq if began is not None else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Compared:
    """A message against the wanted one: what of its words ``differs``, and what of the rest is ``otherwise``."""

    text: str
    began: Moment | None
    differs: Sequence[str]
    otherwise: Sequence[str]


def _compare(wanted: Hears, turn: PlayedTurn, message: PlayedMessage) -> _Compared:
    first, last = message_times_ms(turn, message)
    return _Compared(
        text=the_message(message.said),
        began=message.began,
        differs=list(_words(wanted, message)),
        otherwise=list(_rest(wanted, message, first, last)),
    )


def _words(wanted: Hears, message: PlayedMessage) -> Iterator[str]:
    said = message.said
    if wanted.kind is not None and said.kind != wanted.kind:
        yield f"it is {a_kind(said.kind)}"
    text = delivered_text(said)
    if wanted.text is not None and text.strip() != wanted.text.strip():
        yield "its words differ"
    for words in wanted.text_contains:
        if not contains(text, words):
            yield f"without {quoted(words)}"
    if wanted.text_matches is not None and not matches(text, wanted.text_matches):
        yield f"it does not match {quoted(wanted.text_matches)}"


def _rest(wanted: Hears, message: PlayedMessage, first: int, last: int) -> Iterator[str]:
    interrupted = message.said.interrupted or not is_heard_out(message.said)
    if wanted.interrupted is not None and interrupted != wanted.interrupted:
        yield "it was interrupted" if interrupted else "it was not interrupted"
    if wanted.within_ms is not None and first > wanted.within_ms:
        yield f"its first words came after {ms(first)}"
    if wanted.complete_within_ms is not None and last > wanted.complete_within_ms:
        yield f"its last words came after {ms(last)}"


def _wanted(wanted: Hears) -> str:
    text = a_kind(wanted.kind)
    if wanted.text is not None:
        text += f" {quoted(wanted.text)}"
    if wanted.text_contains:
        text += f" with {' and '.join(map(quoted, wanted.text_contains))}"
    if wanted.text_matches is not None:
        text += f" that matches {quoted(wanted.text_matches)}"
    if wanted.interrupted is not None:
        text += ", interrupted" if wanted.interrupted else ", not interrupted"
    if wanted.within_ms is not None:
        text += f", within {ms(wanted.within_ms)}"
    if wanted.complete_within_ms is not None:
        text += f", complete within {ms(wanted.complete_within_ms)}"
    return text


def _instead(best: _Compared | None, before: Sequence[_Compared]) -> str:
    """What was said in place of the wanted message; ``best`` is the one that is most like it."""
    early = next((one for one in before if not one.differs), None)
    if early is not None:
        return f"{early.text} came before, not after what was expected before it"
    if best is None:
        return "nothing more was said"
    return f"{best.text}: {', '.join(best.differs)}"


def never(scope: Scope) -> Iterator[Complaint]:
    """Complain of the first thing that came of each kind that must not."""
    for number, unwanted in enumerate(scope.expect.never):
        came = next(_came(unwanted, scope), None)
        if came is not None:
            expected, found, moment = came
            yield scope.complaint(
                "never", number, expected=f"no {expected}", found=found, at_ms=moment.at_ms, seq=moment.seq
            )


class _When(NamedTuple):
    """When it came, and as which entry of the log, as far as that is known."""

    at_ms: int | None = None
    seq: int | None = None


def _came(unwanted: Never, scope: Scope) -> Iterator[tuple[str, str, _When]]:
    """What came though it must not: its kind, the thing itself, and when."""
    if _names_a_message(unwanted):
        for _, message in scope.messages:
            if _is(unwanted, message.said):
                moment = _When(message.began.at_ms, message.began.seq) if message.began else _When()
                yield _kind(unwanted), the_message(message.said), moment
    for call in (call for turn in scope.turns for call in turn.calls):
        if call.call.tool == unwanted.tool and call.started is not None:
            yield f"run of {unwanted.tool}", "it ran", _When(call.started.at_ms, call.started.seq)
    for heard in frames_in(scope):
        if heard.frame["type"] == unwanted.frame:
            yield f"{unwanted.frame} frame", "one came", _When(heard.at_ms)


def _names_a_message(unwanted: Never) -> bool:
    return any((unwanted.kind, unwanted.text_contains, unwanted.text_matches))


def _is(unwanted: Never, said: AssistantMessage) -> bool:
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


def scene_differs(scope: Scope) -> Iterator[Complaint]:
    """Complain of the first line that differs, and show both scenes with a mark at it."""
    if scope.expect.scene is None:
        return
    wanted = scope.expect.scene.splitlines()
    found = [line for turn in scope.turns for line in _lines(turn, whole=scope.number == 0)]
    pairs = zip_longest(wanted, (line.text for line in found))
    first = next((number for number, (one, other) in enumerate(pairs) if one != other), None)
    if first is not None:
        yield scope.complaint(
            "scene",
            expected=_marked(wanted, first),
            found=_marked([line.text for line in found], first),
            at_ms=found[first].at_ms if first < len(found) else None,
            seq=found[first].seq if first < len(found) else None,
        )


class _Line(NamedTuple):
    """A line, when it came to be so, and the entry with which what it tells of began."""

    text: str
    at_ms: int | None = None
    seq: int | None = None


def _lines(turn: PlayedTurn, *, whole: bool) -> Iterator[_Line]:
    """A turn's lines; the customer has one where a scene has several turns."""
    if whole and not turn.state.unasked:
        yield _Line(f"Customer: {turn.state.message.text}", turn.said_ms)
    spans = {message.said.id: (message.began, message.began) for message in turn.messages}
    spans |= {call.call.id: (call.started or call.ended, call.ended) for call in turn.calls}
    for text, id_ in lines_of(turn.state):
        began, ended = spans[id_]
        at_ms = ended.at_ms if ended is not None else None
        seq = began.seq if began is not None else None
        # A message may have several lines; each is compared by itself.
        yield from (_Line(line, at_ms, seq) for line in text.splitlines())


def _marked(lines: Sequence[str], first: int) -> str:
    shown = [f"{'>' if number == first else ' '} {line}" for number, line in enumerate(lines)]
    if first >= len(lines):
        shown.append("> (nothing more)")
    return "\n".join(shown)
