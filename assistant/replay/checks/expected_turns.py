"""What else a cassette expects of a turn: its calls, which of them overlap, how it ends, how long it is silent,
the sentences that guardrails suppress, and the states of a handoff.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise, product

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
from assistant.conversation.values import JsonObject
from assistant.replay.checks.complaint import Complaint, listed, ms, quoted
from assistant.replay.checks.transcript import PlayedCall, PlayedTurn, Scope
from assistant.replay.expectations import ExpectedCall


def calls(scope: Scope) -> Iterator[Complaint]:
    """Complain of other calls than those expected; or else of each whose particulars differ."""
    wanted = scope.expect.calls
    if wanted is None:
        return
    made = [(turn, call) for turn in scope.turns for call in turn.calls]
    if [one.tool for one in wanted] != [call.call.tool for _, call in made]:
        yield scope.complaint(
            "calls",
            expected=listed((one.tool for one in wanted), "no call"),
            found=listed((call.call.tool for _, call in made), "no call"),
            at_ms=_first_other(wanted, [call for _, call in made]),
        )
        return
    for number, (one, (turn, call)) in enumerate(zip(wanted, made, strict=True)):
        for expected, found, at_ms in _differences(one, turn, call):
            yield scope.complaint("calls", number, expected=expected, found=found, at_ms=at_ms)


def _first_other(wanted: tuple[ExpectedCall, ...], made: list[PlayedCall]) -> int | None:
    """When the first call came that is not the one expected in its place; None where one is missing."""
    tools = [one.tool for one in wanted]
    for number, call in enumerate(made):
        if number >= len(tools) or call.call.tool != tools[number]:
            return call.started.at_ms if call.started is not None else None
    return None


def _differences(
    wanted: ExpectedCall, turn: PlayedTurn, call: PlayedCall
) -> Iterator[tuple[str, str, int | None]]:
    started_ms = call.started.at_ms if call.started is not None else None
    ended_ms = call.ended.at_ms if call.ended is not None else None
    if wanted.arguments is not None and _json(wanted.arguments) != _json(call.call.arguments):
        expected = f"{wanted.tool} with {_json(wanted.arguments)}"
        yield expected, f"with {_json(call.call.arguments)}", started_ms
    if wanted.outcome is not None:
        outcome = outcome_name(call.outcome) if call.outcome is not None else "no end"
        if outcome != wanted.outcome:
            yield f"{wanted.tool} {wanted.outcome}", outcome, ended_ms
    if wanted.within_ms is not None:
        after_ms = None if started_ms is None else started_ms - turn.said_ms
        if after_ms is None or after_ms > wanted.within_ms:
            found = "it never started" if after_ms is None else f"it started after {ms(after_ms)}"
            yield f"{wanted.tool} within {ms(wanted.within_ms)}", found, started_ms


def _json(arguments: JsonObject) -> str:
    return orjson.dumps(arguments, option=orjson.OPT_SORT_KEYS, default=dict).decode()


def overlap(scope: Scope) -> Iterator[Complaint]:
    """Complain of each group of tools of which there was no moment when all were running."""
    started = [call for turn in scope.turns for call in turn.calls if call.started is not None]
    for number, tools in enumerate(scope.expect.overlap):
        of_each = [[call for call in started if call.call.tool == tool] for tool in tools]
        if not any(_together(group) for group in product(*of_each)):
            concerned = [call for call in started if call.call.tool in tools]
            yield scope.complaint(
                "overlap",
                number,
                expected=f"{' and '.join(tools)} at the same time",
                found=listed(map(_when, concerned), "none of them ran"),
                at_ms=concerned[-1].started.at_ms if concerned and concerned[-1].started else None,
            )


def _together(calls: Sequence[PlayedCall]) -> bool:
    if len(set(map(id, calls))) < len(calls):
        return False  # a tool that is named twice ran twice
    # The log's order, not its clock: calls that take no time at all can still be under way together.
    began = max(call.started.seq for call in calls if call.started is not None)
    ended = [call.ended.seq for call in calls if call.ended is not None]
    return not ended or began < min(ended)


def _when(call: PlayedCall) -> str:
    began = ms(call.started.at_ms) if call.started is not None else "never"
    ended = f"to {ms(call.ended.at_ms)}" if call.ended is not None else "and has not ended"
    return f"{call.call.tool} ran from {began} {ended}"


def how(scope: Scope) -> Iterator[Complaint]:
    """Complain of a turn that ended otherwise; of a conversation the last turn counts."""
    wanted = scope.expect.how
    last = scope.turns[-1] if scope.turns else None
    ended = last.state.how if last is not None else None
    if last is None and scope.number in scope.transcript.passed_on:
        ended = "passed_on"
    if wanted is None or ended == wanted:
        return
    at_ms = last.ended_ms if last is not None else None
    yield scope.complaint("how", expected=wanted, found=ended or "it has not ended", at_ms=at_ms)


_SHOWN = (MessageText, CallStarted, CallEnded, ConfirmationAsked, TurnEnded)


def silence(scope: Scope) -> Iterator[Complaint]:
    """Complain of the longest silence between a customer's message and its turn's end, if it is too long."""
    longest_ms = scope.expect.silence_ms
    silences = [gap for turn in scope.turns for gap in _silences(turn, scope.transcript.played.began_ms)]
    worst_ms, since_ms = max(silences, default=(0, 0))
    if longest_ms is not None and worst_ms > longest_ms:
        found = f"{ms(worst_ms)}, from {ms(since_ms)} on"
        expected = f"something new every {ms(longest_ms)}"
        yield scope.complaint("silence_ms", expected=expected, found=found, at_ms=since_ms)


def _silences(turn: PlayedTurn, began_ms: int) -> list[tuple[int, int]]:
    """How long each lasted, and since when."""
    shown = [logged.at_ms - began_ms for logged in turn.entries if isinstance(logged.entry, _SHOWN)]
    until_ms = turn.ended_ms if turn.ended_ms is not None else max(shown, default=turn.said_ms)
    moments = [turn.said_ms, *(moment for moment in shown if moment <= until_ms)]
    return [(later - earlier, earlier) for earlier, later in pairwise(moments)]


def withheld(scope: Scope) -> Iterator[Complaint]:
    """Complain of each guard that kept back more sentences or fewer; one that is not named may do as it must."""
    began_ms = scope.transcript.played.began_ms
    logged = [one for turn in scope.turns for one in turn.entries]
    for guard, wanted in (scope.expect.withheld or {}).items():
        kept = [
            (one.entry.text, one.at_ms - began_ms, one.seq)
            for one in logged
            if isinstance(one.entry, SentenceSuppressed) and one.entry.guardrail == guard
        ]
        if len(kept) != wanted:
            texts = "".join(f" {quoted(text)}" for text, _, _ in kept)
            found = f"{len(kept)}{':' if kept else ''}{texts}"
            _, at_ms, seq = kept[-1] if kept else ("", None, None)
            yield scope.complaint("withheld", guard, expected=str(wanted), found=found, at_ms=at_ms, seq=seq)


def handed_over(scope: Scope) -> Iterator[Complaint]:
    """Complain where a request for a person went otherwise, from this message to the next."""
    wanted = scope.expect.handoff
    if wanted is None:
        return
    found = [state for number, state in _states(scope) if scope.number in (0, number)]
    if found != list(wanted):
        yield scope.complaint(
            "handoff", expected=listed(wanted, "no handoff"), found=listed(found, "no handoff")
        )


def _states(scope: Scope) -> Iterator[tuple[int, HandoffState]]:
    """Each state, with the number of the message that was the newest."""
    number = 0
    for logged in scope.transcript.played.entries:
        match logged.entry:
            case CustomerMessage(client_message_id=id_):
                number = int(id_[1:])
            case Handoff(state=state):
                yield number, state
            case _:
                pass
