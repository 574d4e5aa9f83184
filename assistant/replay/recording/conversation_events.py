"""Reads from a log: the customer's messages, what the customer heard, stops, disconnections, restarts, and
agents' actions.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assistant.conversation.entries import (
    AgentMessage,
    CallEnded,
    CallStarted,
    ClientConnected,
    ClientDisconnected,
    CustomerMessage,
    DecisionClosed,
    DeliveryReceipt,
    ForwardedToAgent,
    Handoff,
    Logged,
    ModelAsked,
    TurnEnded,
    TurnStarted,
)
from assistant.conversation.outcomes import CallUnknown
from assistant.conversation.state import ConversationState
from assistant.replay.cassette import ByAPerson, Event, People
from assistant.replay.played import words_up_to
from assistant.replay.recording.logged_replies import Request, reconciled_later
from assistant.sessions.handoff import NOT_IN_TIME

BARGE_IN_MS = 100
"""A stop and the next message within this time are one barge-in."""


@dataclass(frozen=True, slots=True)
class RecordedMessage:
    """A message and the id of its turn ("" if it has none yet). ``ended_ms`` is None if the turn has not
    ended.

    Times are Unix times in ms.
    """

    said: CustomerMessage
    at_ms: int
    turn_id: str = ""
    ended_ms: int | None = None
    interrupted: bool = False


def recorded_messages_in(entries: Sequence[Logged]) -> list[RecordedMessage]:
    """Returns all messages of the log, in order."""
    turns = {
        logged.entry.message_id: logged.entry.turn_id
        for logged in entries
        if isinstance(logged.entry, TurnStarted) and logged.entry.cause not in ("late_result", "handoff")
    }
    ends = {
        logged.entry.turn_id: (logged.at_ms, logged.entry.how)
        for logged in entries
        if isinstance(logged.entry, TurnEnded)
    }
    found: list[RecordedMessage] = []
    for logged in entries:
        if isinstance(said := logged.entry, CustomerMessage):
            turn_id = turns.get(said.message_id, "")
            ended_ms, how = ends.get(turn_id, (None, None))
            found.append(RecordedMessage(said, logged.at_ms, turn_id, ended_ms, how == "interrupted"))
    return found


def interrupts(before: RecordedMessage, now: RecordedMessage) -> bool:
    """Whether this message stopped the answer to the one before."""
    if not before.interrupted or before.ended_ms is None:
        return False
    return 0 <= now.at_ms - before.ended_ms <= BARGE_IN_MS


@dataclass(frozen=True, slots=True)
class Disconnection:
    """A lost connection, with Unix times in ms. ``until_ms`` is None if the client has not reconnected."""

    at_ms: int
    until_ms: int | None


def disconnections_in(entries: Sequence[Logged]) -> list[Disconnection]:
    """Returns all disconnections, in order.

    The conversation counts as connected while one of several clients is.
    """
    found: list[Disconnection] = []
    there = 0
    for logged in entries:
        match logged.entry:
            case ClientConnected():
                there += 1
                if found and found[-1].until_ms is None:
                    found[-1] = Disconnection(found[-1].at_ms, logged.at_ms)
            case CustomerMessage():
                # A message needs a connected client. The first client connects before the conversation has a
                # log.
                there = max(there, 1)
            case ClientDisconnected():
                there = max(there - 1, 0)
                if there == 0:
                    found.append(Disconnection(logged.at_ms, None))
            case _:
                pass
    return found


_AT_ONCE_MS = 100
"""An agent's end of a handoff this soon after a customer's message was caused by the customer."""

_BY_ITSELF = ("closed", NOT_IN_TIME)
"""Reasons why no agent is available that do not come from an agent."""


def people_in(entries: Sequence[Logged]) -> People | None:
    """Returns whether agents were available, and how long the conversation waited for them, from the log.
    Returns None if there was no handoff.
    """
    requested_ms: dict[str, int] = {}
    queued: set[str] = set()
    there, wait_s = True, People().wait_s
    states = [(logged.at_ms, logged.entry) for logged in entries if isinstance(logged.entry, Handoff)]
    for at_ms, handoff in states:
        match handoff:
            case Handoff(handoff_id=id_, state="requested"):
                requested_ms[id_] = at_ms
            case Handoff(handoff_id=id_, state="queued"):
                queued.add(id_)
            case Handoff(handoff_id=id_, state="unavailable", why=why) if why == NOT_IN_TIME:
                wait_s = (at_ms - requested_ms.get(id_, at_ms)) / 1000 or wait_s
            case Handoff(handoff_id=id_, state="unavailable", why=why) if id_ not in queued:
                there = there and why in _BY_ITSELF
            case _:
                pass
    return People(available=there, wait_s=min(wait_s, 3000)) if states else None


def _agent_actions(entries: Sequence[Logged]) -> Iterator[tuple[int, ByAPerson, str | None]]:
    """Yields the actions of agents: the time, the kind, and the words."""
    queued: set[str] = set()
    sent_away_ms = -1
    for logged in entries:
        match logged.entry:
            case Handoff(handoff_id=id_, state="queued"):
                queued.add(id_)
            case Handoff(state="accepted", name=name):
                yield logged.at_ms, "agent_accepts", name
            case Handoff(state="unavailable", handoff_id=id_, why=why) if (
                id_ in queued and why not in _BY_ITSELF
            ):
                yield logged.at_ms, "agent_declines", why or "no agent is available"
            case Handoff(state="ended") if not 0 <= logged.at_ms - sent_away_ms <= _AT_ONCE_MS:
                yield logged.at_ms, "agent_ends", None
            case AgentMessage(text=text):
                yield logged.at_ms, "agent_says", text
                sent_away_ms = -1
            case ForwardedToAgent():
                sent_away_ms = logged.at_ms
            case _:
                pass


@dataclass(frozen=True, slots=True)
class Restart:
    """A restart during a turn.

    The Unix time in ms is that of the turn's last entry before the restart, plus one.
    """

    turn_id: str
    at_ms: int


def restarts_in(entries: Sequence[Logged], requests: Sequence[Request]) -> list[Restart]:
    """Returns all restarts, each once, in order.

    A restart shows if a model is asked again although its reply did not end, if the calls of an unfinished
    reply are run, if a call begins twice, or if the end of a call is unknown. The log does not show how long
    the server was away; in a replay it is away for no time.
    """
    left = {(one.turn_id, one.asked.round, one.asked.attempt) for one in requests if one.given_up}
    found: list[Restart] = []
    explained = -1
    for began, place in _signs(entries, left):
        # Other work that had begun before a restart that is already known was interrupted by the same
        # restart.
        if began > explained:
            turn_id = entries[place].turn_id
            last = next(logged for logged in reversed(entries[:place]) if logged.turn_id == turn_id)
            found.append(Restart(turn_id, last.at_ms + 1))
            explained = place
    return found


def _signs(entries: Sequence[Logged], left: set[tuple[str, int, int]]) -> Iterator[tuple[int, int]]:
    """Yields pairs of positions: where interrupted work began, and where the log shows that it was
    interrupted.
    """
    begun: dict[tuple[str, str], int] = {}
    abandoned: dict[tuple[str, int], int] = {}
    for place, logged in enumerate(entries):
        match logged.entry:
            case ModelAsked(round=round_, attempt=attempt):
                began = abandoned.pop((logged.turn_id, round_), None)
                if began is not None:
                    yield began, place
                if (logged.turn_id, round_, attempt) in left:
                    abandoned[logged.turn_id, round_] = place
            case DecisionClosed(round=round_, how="cut_off"):
                began = abandoned.pop((logged.turn_id, round_), None)
                if began is not None:
                    yield began, place
            case CallStarted(call_id=id_):
                if (logged.turn_id, id_) in begun:
                    yield begun[logged.turn_id, id_], place
                begun[logged.turn_id, id_] = place
            case CallEnded(outcome=CallUnknown(call=call)):
                yield begun.get((logged.turn_id, call.id), place), place
            case CallEnded(outcome=outcome) as ended if (
                began := begun.get((logged.turn_id, outcome.call.id))
            ) is not None and reconciled_later(entries[began].at_ms, ended, logged.at_ms):
                yield began, place
            case _:
                pass


@dataclass(frozen=True, slots=True)
class HeardUpdate:
    """How far the answer to a message was heard, at a Unix time in ms.

    ``with_message`` is the client's id of another message that arrived at this moment, or "" if there is
    none.
    """

    at_ms: int
    answers: str
    words: str
    message: int | None
    with_message: str = ""


def heard_updates_in(entries: Sequence[Logged]) -> list[HeardUpdate]:
    """Returns all updates, in order.

    How far the customer had heard when they spoke is stored with their message, if the words identify the
    answer.
    """
    spoke_up = dict(_at_messages(entries))
    state = ConversationState()
    found: list[HeardUpdate] = []
    for logged in entries:
        state.apply(logged)
        if isinstance(told := logged.entry, DeliveryReceipt) and told.how == "heard":
            found += _hearing(logged, told, state, spoke_up.get(logged.seq, ""))
    return found


def events_of(
    turn: RecordedMessage,
    next_: RecordedMessage | None,
    entries: Sequence[Logged],
    restarts: Sequence[Restart],
    hearings: Sequence[HeardUpdate],
) -> tuple[Event, ...]:
    """Returns the events of one turn: the stop, disconnections, restarts, heard positions, and agents'
    actions until the next message.

    A stop by a barge-in belongs to the message that interrupted, and is left out.
    """
    found: list[Event] = []
    accepted = [
        one.at_ms for one in entries if isinstance(one.entry, Handoff) and one.entry.state == "accepted"
    ]
    if turn.interrupted and turn.ended_ms is not None:
        by_agent = any(0 <= turn.ended_ms - at_ms <= _AT_ONCE_MS for at_ms in accepted)
        if not by_agent and not (next_ and interrupts(turn, next_)):
            found.append(Event(happens="stop", at_ms=turn.ended_ms - turn.at_ms))
    for at_ms, happens, words in _agent_actions(entries):
        if turn.at_ms <= at_ms and (next_ is None or at_ms < next_.at_ms):
            found.append(Event(happens=happens, at_ms=at_ms - turn.at_ms, words=words))
    for one in disconnections_in(entries) if turn.turn_id else ():
        back_ms = one.until_ms or turn.ended_ms or one.at_ms
        # A restart also ends the server's connections.
        by_restart = any(one.at_ms - 1 <= restart.at_ms <= back_ms + 1 for restart in restarts)
        if turn.at_ms <= one.at_ms < (turn.ended_ms or one.at_ms + 1) and not by_restart:
            found.append(
                Event(happens="disconnect", at_ms=one.at_ms - turn.at_ms, for_ms=back_ms - one.at_ms)
            )
    found += [
        Event(happens="restart", at_ms=max(0, restart.at_ms - turn.at_ms))
        for restart in restarts
        if restart.turn_id == turn.turn_id
    ]
    for heard in hearings:
        if heard.answers == turn.said.client_message_id and not heard.with_message:
            at_ms = max(0, heard.at_ms - turn.at_ms)
            found.append(Event(happens="heard_up_to", at_ms=at_ms, words=heard.words, message=heard.message))
    return tuple(sorted(found, key=lambda event: event.at_ms or 0))


def heard_by(turn: RecordedMessage, hearings: Sequence[HeardUpdate]) -> str | None:
    """Returns the last words that were heard when this message came, or None if the message has no such
    record.
    """
    said = (one.words for one in hearings if one.with_message == turn.said.client_message_id)
    return next(said, None)


def _hearing(
    logged: Logged, told: DeliveryReceipt, state: ConversationState, with_: str
) -> Iterator[HeardUpdate]:
    turn = next((one for one in state.turns if any(m.id == told.message_id for m in one.messages)), None)
    if turn is None:
        return
    answers = turn.message.client_message_id
    words, number = words_up_to(state.turns, told.message_id, told.up_to)
    if not with_ or number is not None:
        with_ = ""
        asked = [one for one in state.turns if one.message.client_message_id == answers]
        words, number = words_up_to(asked, told.message_id, told.up_to)
    yield HeardUpdate(logged.at_ms, answers, words, number, with_)


def _at_messages(entries: Sequence[Logged]) -> Iterator[tuple[int, str]]:
    """Yields, for each message with a heard position, the number of that entry and the message's client id."""
    last: Logged | None = None
    for logged in entries:
        match logged.entry:
            case DeliveryReceipt(how="heard"):
                last = logged
            case CustomerMessage(client_message_id=id_):
                if last is not None and logged.at_ms - last.at_ms <= BARGE_IN_MS:
                    yield last.seq, id_
                last = None
            case _:
                pass
