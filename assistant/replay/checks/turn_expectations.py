"""Checks what a cassette expects of a turn: its messages, calls, order, end, silence, suppressed
sentences and handoff.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product, zip_longest
from typing import NamedTuple

import orjson

from assistant.conversation.entries import (
    CallEnded,
    CallStarted,
    ConfirmationAsked,
    CustomerMessage,
    Handoff,
    HandoffState,
    MessageText,
    SentenceSuppressed,
    TurnEnded,
)
from assistant.conversation.outcomes import outcome_name
from assistant.conversation.transcript import delivered_text
from assistant.conversation.turn_state import is_heard_out
from assistant.conversation.values import JsonObject, MessageKind
from assistant.replay.checks.transcript import (
    CheckFailure,
    Moment,
    PlayedCall,
    PlayedMessage,
    PlayedTurn,
    Scope,
    a_kind,
    contains,
    frames_in,
    listed,
    matches,
    ms,
    quoted,
    the_message,
)
from assistant.replay.expectations import ExpectedCall, Hears, Never
from assistant.testing.scene import lines_of


def hears(scope: Scope) -> Iterator[CheckFailure]:
    """Report each expected message that did not come, or came in the wrong order, too late, or incomplete."""
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
        yield scope.failure("hears", number, expected=_wanted(wanted), found=found, at=began)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Compared:
    """A message compared with an expectation: differences of the words in ``differs``, others in ``otherwise``."""

    text: str
    began: Moment | None
    differs: Sequence[str]
    otherwise: Sequence[str]


def _compare(wanted: Hears, turn: PlayedTurn, message: PlayedMessage) -> _Compared:
    return _Compared(
        text=the_message(message.said),
        began=message.began,
        differs=list(_words(wanted, message.said.kind, delivered_text(message.said))),
        otherwise=list(_rest(wanted, turn, message)),
    )


def _words(wanted: Hears, kind: MessageKind | None, text: str) -> Iterator[str]:
    if wanted.kind is not None and kind != wanted.kind:
        yield f"it is {a_kind(kind)}"
    if wanted.text is not None and text.strip() != wanted.text.strip():
        yield "its words differ"
    for words in wanted.text_contains:
        if not contains(text, words):
            yield f"without {quoted(words)}"
    if wanted.text_matches is not None and not matches(text, wanted.text_matches):
        yield f"it does not match {quoted(wanted.text_matches)}"


def _rest(wanted: Hears, turn: PlayedTurn, message: PlayedMessage) -> Iterator[str]:
    interrupted = message.said.interrupted or not is_heard_out(message.said)
    if wanted.interrupted is not None and interrupted != wanted.interrupted:
        yield "it was interrupted" if interrupted else "it was not interrupted"
    for words, moment, most_ms in (
        ("first", message.began, wanted.within_ms),
        ("last", message.ended, wanted.complete_within_ms),
    ):
        took_ms = moment.at_ms - turn.said_ms if moment is not None else 0
        if most_ms is not None and took_ms > most_ms:
            yield f"its {words} words came after {ms(took_ms)}"


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
    """Returns a text that says which message came instead. ``best`` is the most similar message, or None if
    none came; ``before`` are the earlier messages.
    """
    early = next((one for one in before if not one.differs), None)
    if early is not None:
        return f"{early.text} came before, not after what was expected before it"
    if best is None:
        return "nothing more was said"
    return f"{best.text}: {', '.join(best.differs)}"


def never(scope: Scope) -> Iterator[CheckFailure]:
    """Report the first occurrence of each thing that must not occur."""
    for number, unwanted in enumerate(scope.expect.never):
        came = next(_came(unwanted, scope), None)
        if came is not None:
            expected, found, moment = came
            yield scope.failure("never", number, expected=f"no {expected}", found=found, at=moment)


def _came(unwanted: Never, scope: Scope) -> Iterator[tuple[str, str, Moment | int | None]]:
    """Yields the occurrences of a forbidden thing: its kind, a description, and the time."""
    contains = (unwanted.text_contains,) if unwanted.text_contains is not None else ()
    words = Hears(kind=unwanted.kind, text_contains=contains, text_matches=unwanted.text_matches)
    if words != Hears():
        for _, message in scope.messages:
            if not any(_words(words, message.said.kind, message.said.text)):
                yield _wanted(words).partition(" ")[2], the_message(message.said), message.began
    for call in (call for turn in scope.turns for call in turn.calls):
        if call.call.tool == unwanted.tool and call.started is not None:
            yield f"run of {unwanted.tool}", "it ran", call.started
    for heard in frames_in(scope):
        if heard.frame["type"] == unwanted.frame:
            yield f"{unwanted.frame} frame", "one came", heard.at_ms


def scene_differs(scope: Scope) -> Iterator[CheckFailure]:
    """Report the first line that differs from the expected scene, and show both scenes with a mark at it."""
    if scope.expect.scene is None:
        return
    wanted = scope.expect.scene.splitlines()
    found = [line for turn in scope.turns for line in _lines(turn, whole=scope.number == 0)]
    pairs = zip_longest(wanted, (line.text for line in found))
    first = next((number for number, (one, other) in enumerate(pairs) if one != other), None)
    if first is not None:
        yield scope.failure(
            "scene",
            expected=_marked(wanted, first),
            found=_marked([line.text for line in found], first),
            at=found[first].at if first < len(found) else None,
        )


class _Line(NamedTuple):
    """A line of a scene. ``at`` has the time of its end and the number of the entry with which it began."""

    text: str
    at: Moment | int | None = None


def _lines(turn: PlayedTurn, *, whole: bool) -> Iterator[_Line]:
    """Yields the lines of a turn. With ``whole``, the customer's line comes first, for a scene of several
    turns.
    """
    if whole and not turn.state.unasked:
        yield _Line(f"Customer: {turn.state.message.text}", turn.said_ms)
    spans = {message.said.id: (message.began, message.began) for message in turn.messages}
    spans |= {call.call.id: (call.started or call.ended, call.ended) for call in turn.calls}
    for text, id_ in lines_of(turn.state):
        began, ended = spans[id_]
        at = Moment(ended.at_ms, began.seq) if began is not None and ended is not None else began
        # A message may have several lines; each line is compared separately.
        yield from (_Line(line, at) for line in text.splitlines())


def _marked(lines: Sequence[str], first: int) -> str:
    shown = [f"{'>' if number == first else ' '} {line}" for number, line in enumerate(lines)]
    if first >= len(lines):
        shown.append("> (nothing more)")
    return "\n".join(shown)


def calls(scope: Scope) -> Iterator[CheckFailure]:
    """Report unexpected and missing calls. If there are none, report each call whose details differ."""
    wanted = scope.expect.calls
    if wanted is None:
        return
    made = [(turn, call) for turn in scope.turns for call in turn.calls]
    if [one.tool for one in wanted] != [call.call.tool for _, call in made]:
        yield scope.failure(
            "calls",
            expected=listed((one.tool for one in wanted), "no call"),
            found=listed((call.call.tool for _, call in made), "no call"),
            # The first call that differs from the expected one at the same position.
            at=next(
                (
                    call.started
                    for (_, call), one in zip_longest(made, wanted[: len(made)])
                    if one is None or one.tool != call.call.tool
                ),
                None,
            ),
        )
        return
    for number, (one, (turn, call)) in enumerate(zip(wanted, made, strict=True)):
        for expected, found, at in _differences(one, turn, call):
            yield scope.failure("calls", number, expected=expected, found=found, at=at)


def _differences(
    wanted: ExpectedCall, turn: PlayedTurn, call: PlayedCall
) -> Iterator[tuple[str, str, Moment | None]]:
    if wanted.arguments is not None and arguments_text(wanted.arguments) != arguments_text(
        call.call.arguments
    ):
        expected = f"{wanted.tool} with {arguments_text(wanted.arguments)}"
        yield expected, f"with {arguments_text(call.call.arguments)}", call.started
    if wanted.outcome is not None:
        outcome = outcome_name(call.outcome) if call.outcome is not None else "no end"
        if outcome != wanted.outcome:
            yield f"{wanted.tool} {wanted.outcome}", outcome, call.ended
    if wanted.within_ms is not None:
        after_ms = None if call.started is None else call.started.at_ms - turn.said_ms
        if after_ms is None or after_ms > wanted.within_ms:
            found = "it never started" if after_ms is None else f"it started after {ms(after_ms)}"
            yield f"{wanted.tool} within {ms(wanted.within_ms)}", found, call.started


def arguments_text(arguments: JsonObject) -> str:
    """Returns the arguments as JSON, with sorted keys."""
    return orjson.dumps(arguments, option=orjson.OPT_SORT_KEYS, default=dict).decode()


def overlap(scope: Scope) -> Iterator[CheckFailure]:
    """Report each group of tools that never ran at the same time."""
    started = [call for turn in scope.turns for call in turn.calls if call.started is not None]
    for number, tools in enumerate(scope.expect.overlap):
        of_each = [[call for call in started if call.call.tool == tool] for tool in tools]
        if not any(_together(group) for group in product(*of_each)):
            concerned = [call for call in started if call.call.tool in tools]
            yield scope.failure(
                "overlap",
                number,
                expected=f"{' and '.join(tools)} at the same time",
                found=listed(map(_when, concerned), "none of them ran"),
                at=concerned[-1].started if concerned else None,
            )


def _together(calls: Sequence[PlayedCall]) -> bool:
    if len(set(map(id, calls))) < len(calls):
        return False  # a tool that is listed twice must have run twice
    # Compare positions in the log, not times: calls that take no time can overlap.
    began = max(call.started.seq for call in calls if call.started is not None)
    ended = [call.ended.seq for call in calls if call.ended is not None]
    return not ended or began < min(ended)


def _when(call: PlayedCall) -> str:
    began = ms(call.started.at_ms) if call.started is not None else "never"
    ended = f"to {ms(call.ended.at_ms)}" if call.ended is not None else "and has not ended"
    return f"{call.call.tool} ran from {began} {ended}"


def turn_ended(scope: Scope) -> Iterator[CheckFailure]:
    """Report a turn that ended in another way. For a whole conversation, the last turn is compared."""
    wanted = scope.expect.ended
    last = scope.turns[-1] if scope.turns else None
    ended = last.state.how if last is not None else None
    if last is None and scope.number in scope.transcript.forwarded_to_agent:
        ended = "forwarded_to_agent"
    if wanted is None or ended == wanted:
        return
    at = last.ended_ms if last is not None else None
    yield scope.failure("ended", expected=wanted, found=ended or "it has not ended", at=at)


_SHOWN = (MessageText, CallStarted, CallEnded, ConfirmationAsked, TurnEnded)


def silence(scope: Scope) -> Iterator[CheckFailure]:
    """Report the longest silence between a customer's message and its turn's end, if it is too long."""
    longest_ms, began_ms = scope.expect.max_silence_ms, scope.transcript.played.began_ms
    worst_ms, since_ms = 0, 0
    for turn in scope.turns:
        shown = [logged.at_ms - began_ms for logged in turn.entries if isinstance(logged.entry, _SHOWN)]
        until_ms = turn.ended_ms if turn.ended_ms is not None else max(shown, default=turn.said_ms)
        moments = [turn.said_ms, *(moment for moment in shown if moment <= until_ms)]
        silences = [(later - earlier, earlier) for earlier, later in pairwise(moments)]
        worst_ms, since_ms = max([(worst_ms, since_ms), *silences])
    if longest_ms is not None and worst_ms > longest_ms:
        found = f"{ms(worst_ms)}, from {ms(since_ms)} on"
        expected = f"something new every {ms(longest_ms)}"
        yield scope.failure("max_silence_ms", expected=expected, found=found, at=since_ms)


def suppressed(scope: Scope) -> Iterator[CheckFailure]:
    """Report each guardrail that suppressed another number of sentences.

    Guardrails that are not listed are ignored.
    """
    logged = [one for turn in scope.turns for one in turn.entries]
    for guard, wanted in (scope.expect.suppressed or {}).items():
        kept = [
            (one.entry.text, scope.transcript.moment(one))
            for one in logged
            if isinstance(one.entry, SentenceSuppressed) and one.entry.guardrail == guard
        ]
        if len(kept) != wanted:
            found = f"{len(kept)}{':' if kept else ''}{''.join(f' {quoted(text)}' for text, _ in kept)}"
            at = kept[-1][1] if kept else None
            yield scope.failure("suppressed", guard, expected=str(wanted), found=found, at=at)


def handed_over(scope: Scope) -> Iterator[CheckFailure]:
    """Report a handoff with other states than expected, between this message and the next."""
    wanted = scope.expect.handoff
    if wanted is None:
        return
    number, found = 0, list[HandoffState]()
    for logged in scope.transcript.played.entries:
        match logged.entry:
            case CustomerMessage(client_message_id=id_):
                number = int(id_[1:])
            case Handoff(state=state) if scope.number in (0, number):
                found.append(state)
            case _:
                pass
    if found != list(wanted):
        yield scope.failure(
            "handoff", expected=listed(wanted, "no handoff"), found=listed(found, "no handoff")
        )
