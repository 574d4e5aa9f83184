"""The replayed conversation, turn by turn with times, and its failures.

All checks read a `Transcript` and return `CheckFailure`s.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

from assistant.conversation.calls import Call
from assistant.conversation.entries import (
    STOP_TASK,
    CallEnded,
    CallStarted,
    CustomerMessage,
    ForwardedToAgent,
    Logged,
    MessageText,
    TurnEnded,
)
from assistant.conversation.outcomes import Outcome
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.turn_state import AssistantMessage, TurnState
from assistant.conversation.values import MessageKind
from assistant.prompts.book import PromptBook
from assistant.replay.cassette import Cassette
from assistant.replay.expectations import Expectations
from assistant.replay.played import Played, ReceivedFrame
from assistant.sessions.stop_tool import StopTaskTool
from assistant.tools.registry import Tools

Place: TypeAlias = tuple[str | int, ...]
"""The path of a value in a cassette's file, from the top: ``("turns", 0, "expect", "hears", 1)``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckFailure:
    """One difference between the expected and the actual conversation.

    Args:
        turn: the turn's number, from 1; 0 for the conversation as a whole.
        check: the name of the expectation or the check, as in the file ("hears", "grounded"); or "script",
            "order" and "frames", which are always checked.
        expected: the expected behaviour; it may have several lines.
        found: the actual behaviour.
        at_ms: milliseconds after the beginning of the conversation; None if the failure has no time.
        seq: the number of the log entry with which the message, call or event began, because several may
            begin in the same millisecond.
        place: the path of the expectation in the file; for a check without expectation, the path of the turn.
    """

    turn: int
    check: str
    expected: str
    found: str
    at_ms: int | None = None
    seq: int | None = None
    place: Place = ()

    def __str__(self) -> str:
        """Returns the failure on one line."""
        where = f"turn {self.turn}" if self.turn else "the conversation"
        when = f" at {self.at_ms:,} ms" if self.at_ms is not None else ""
        return f"{where}{when}: {self.check}: expected {self.expected}; found {self.found}"


def quoted(text: str) -> str:
    """Returns the text in quotation marks."""
    return f'"{text}"'


def listed(texts: Iterable[str], otherwise: str = "none") -> str:
    """Returns the texts separated by commas, or ``otherwise`` if there are none."""
    return ", ".join(texts) or otherwise


def ms(number: int) -> str:
    """Returns a time, such as "12,345 ms"."""
    return f"{number:,} ms"


def a_kind(kind: MessageKind | None) -> str:
    """Returns a message of this kind: "an acknowledgement", "a status", "a message"."""
    return "an acknowledgement" if kind == "acknowledgement" else f"a {kind or 'message'}"


def the_message(message: AssistantMessage) -> str:
    """Returns a description of a message."""
    cut = ", interrupted" if message.interrupted else ""
    return f"the {message.kind or 'unfinished message'} {quoted(message.text)}{cut}"


def contains(text: str, words: str) -> bool:
    """Whether the text contains the words, ignoring upper and lower case."""
    return words.casefold() in text.casefold()


def matches(text: str, pattern: str) -> bool:
    """Whether a regular expression matches in the text, ignoring upper and lower case."""
    return re.search(pattern, text, re.IGNORECASE) is not None


@dataclass(frozen=True, slots=True)
class Moment:
    """The time of a log entry: ``at_ms`` after the beginning of the conversation, and its number ``seq``."""

    at_ms: int
    seq: int


def failure_of(
    turn: int,
    check: str,
    *,
    expected: str,
    found: str,
    at: Moment | int | None = None,
    place: Place | None = None,
) -> CheckFailure:
    """Returns a failure of the turn with this number; 0 means the whole conversation.

    ``at`` is the moment, or milliseconds after the beginning. The default ``place`` is the turn's.
    """
    return CheckFailure(
        turn=turn,
        check=check,
        expected=expected,
        found=found,
        at_ms=at.at_ms if isinstance(at, Moment) else at,
        seq=at.seq if isinstance(at, Moment) else None,
        place=place if place is not None else ("turns", turn - 1) if turn else (),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedMessage:
    """A message of the assistant. ``began`` is when its first words were shown, ``ended`` its last; None: it
    had no words.
    """

    said: AssistantMessage
    began: Moment | None
    ended: Moment | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedCall:
    """A call. ``started`` and ``ended`` are None if it did not start or end."""

    call: Call
    started: Moment | None
    ended: Moment | None
    outcome: Outcome | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedTurn:
    """A turn. ``number`` is its number in the cassette, from 1.

    ``said_ms`` is the time at which the customer's message arrived. A turn that only reports late results of an
    earlier turn has no message: its ``number`` is that of the earlier turn, and its ``said_ms`` is the time at
    which it began itself.
    """

    number: int
    state: TurnState
    said_ms: int
    ended_ms: int | None
    messages: tuple[PlayedMessage, ...]
    calls: tuple[PlayedCall, ...]
    entries: tuple[Logged, ...]

    def failure(
        self, check: str, *, expected: str, found: str, at: Moment | int | None = None
    ) -> CheckFailure:
        """Make a failure of this turn."""
        return failure_of(self.number, check, expected=expected, found=found, at=at)

    def text_after(self, moment: Moment) -> str:
        """Returns the assistant's texts after this moment, without acknowledgements; one message on each
        line.
        """
        told = [message.said.id for message in self.messages if message.said.kind != "acknowledgement"]
        texts = dict.fromkeys(told, "")
        for logged in self.entries:
            match logged.entry:
                case MessageText(message_id=id_, text=text) if id_ in texts and logged.seq > moment.seq:
                    texts[id_] += text
                case _:
                    pass
        return "\n".join(text for text in texts.values() if text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """Everything that a check can read.

    Args:
        cassette: the script and the expectations.
        played: the replayed conversation.
        turns: the replayed conversation, turn by turn.
        book: the prompts of the replay.
        specs: the tools, by name.
    """

    cassette: Cassette
    played: Played
    turns: tuple[PlayedTurn, ...]
    book: PromptBook
    specs: Mapping[str, ToolSpec]

    def moment(self, logged: Logged) -> Moment:
        """Returns the moment at which this entry was logged."""
        return Moment(logged.at_ms - self.played.began_ms, logged.seq)

    @property
    def forwarded_to_agent(self) -> Mapping[int, int]:
        """The numbers of the messages that were forwarded to an agent, with the times of arrival."""
        ids = {one.entry.message_id for one in self.played.entries if isinstance(one.entry, ForwardedToAgent)}
        return {
            int(entry.client_message_id[1:]): logged.at_ms - self.played.began_ms
            for logged in self.played.entries
            if isinstance(entry := logged.entry, CustomerMessage) and entry.message_id in ids
        }


def transcript_of(
    cassette: Cassette, played: Played, book: PromptBook, specs: Iterable[ToolSpec]
) -> Transcript:
    """Returns the transcript of a conversation that was replayed with these prompts and tools."""
    by_name = {spec.name: spec for spec in specs}
    if any(spec.long for spec in by_name.values()):
        # The tool that stops long calls is the real one, and the cassette has no run for it.
        by_name[STOP_TASK] = StopTaskTool(book, Tools(())).spec
    return Transcript(cassette=cassette, played=played, turns=played_turns(played), book=book, specs=by_name)


def played_turns(played: Played) -> tuple[PlayedTurn, ...]:
    """Returns the turns of a replayed conversation, with their times."""
    by_turn: dict[str, list[Logged]] = {turn.id: [] for turn in played.state.turns}
    said_ms: dict[str, int] = {}
    for logged in played.entries:
        if isinstance(logged.entry, CustomerMessage):
            said_ms[logged.entry.message_id] = logged.at_ms - played.began_ms
        elif logged.turn_id in by_turn:
            by_turn[logged.turn_id].append(logged)
    return tuple(_turn(turn, said_ms, by_turn[turn.id], played.began_ms) for turn in played.state.turns)


def _turn(
    state: TurnState, said_ms: Mapping[str, int], entries: Sequence[Logged], began_ms: int
) -> PlayedTurn:
    # The beginning and the end of each message and of each call, by its id.
    first: dict[str, Moment] = {}
    last: dict[str, Moment] = {}
    ended_ms: int | None = None
    for logged in entries:
        moment = Moment(logged.at_ms - began_ms, logged.seq)
        match logged.entry:
            case MessageText(message_id=id_):
                first.setdefault(id_, moment)
                last[id_] = moment
            case CallStarted(call_id=id_):
                first.setdefault(id_, moment)
            case CallEnded(outcome=outcome):
                last.setdefault(outcome.call.id, moment)
            case TurnEnded():
                ended_ms = moment.at_ms
            case _:
                pass
    return PlayedTurn(
        # The client sends the messages of a cassette with the ids m1, m2 and so on.
        number=int(state.message.client_message_id[1:]),
        state=state,
        said_ms=entries[0].at_ms - began_ms if state.unasked else said_ms[state.message.message_id],
        ended_ms=ended_ms,
        messages=tuple(
            PlayedMessage(said=said, began=first.get(said.id), ended=last.get(said.id))
            for said in state.messages
        ),
        calls=tuple(
            PlayedCall(
                call=call,
                started=first.get(call.id),
                ended=last.get(call.id),
                outcome=state.outcomes.get(call.id),
            )
            for call in state.calls
        ),
        entries=tuple(entries),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """One turn, or all of them, with the expectations.

    Args:
        number: the number of the message, from 1; 0 for the whole conversation.
        place: the path of the expectations in the file.
        expect: the expectations.
        turns: the turns to check, in order: the message's turn, and those that reported its late results.
            Empty if the message was forwarded to an agent.
        held: the conversation.
    """

    number: int
    place: Place
    expect: Expectations
    turns: tuple[PlayedTurn, ...]
    transcript: Transcript

    @property
    def messages(self) -> list[tuple[PlayedTurn, PlayedMessage]]:
        """The assistant's messages, each with its turn."""
        return [(turn, message) for turn in self.turns for message in turn.messages]

    def failure(
        self,
        check: str,
        *rest: str | int,
        expected: str,
        found: str,
        at: Moment | int | None = None,
    ) -> CheckFailure:
        """Returns a failure of the expectation ``check``. ``rest`` is the path below it in the file."""
        place = (*self.place, check, *rest)
        return failure_of(self.number, check, expected=expected, found=found, at=at, place=place)


def scopes_of(transcript: Transcript) -> list[Scope]:
    """Returns each replayed turn of the cassette, and at last the whole conversation."""
    written = transcript.cassette.turns
    numbers = {turn.number for turn in transcript.turns if not turn.state.unasked} | set(
        transcript.forwarded_to_agent
    )
    scopes = [
        Scope(
            number=number,
            place=("turns", number - 1, "expect"),
            expect=written[number - 1].expect,
            turns=tuple(turn for turn in transcript.turns if turn.number == number),
            transcript=transcript,
        )
        for number in sorted(numbers)
        if number <= len(written)
    ]
    whole = Scope(
        number=0,
        place=("expect",),
        expect=transcript.cassette.expect,
        turns=transcript.turns,
        transcript=transcript,
    )
    return [*scopes, whole]


def frames_in(scope: Scope) -> Iterator[ReceivedFrame]:
    """Yields the frames of a turn: those of its entries, and other frames between its message and the next.

    For the whole conversation, all frames.
    """
    played = scope.transcript.played
    if scope.number == 0:
        yield from played.frames
        return
    turn_ids = {logged.seq: logged.turn_id for logged in played.entries if logged.turn_id}
    own_ids = {turn.state.id for turn in scope.turns}
    said = {turn.number: turn.said_ms for turn in reversed(scope.transcript.turns)} | dict(
        scope.transcript.forwarded_to_agent
    )
    until_ms = min((ms for number, ms in said.items() if number > scope.number), default=None)
    for heard in played.frames:
        # ``seq`` of a welcome or a snapshot is the number of the newest entry.
        of_entry = heard.frame["type"] not in {"welcome", "snapshot"}
        turn_id = turn_ids.get(cast("int", heard.frame.get("seq", 0))) if of_entry else None
        between = said[scope.number] <= heard.at_ms and (until_ms is None or heard.at_ms < until_ms)
        if turn_id in own_ids if turn_id is not None else between:
            yield heard
