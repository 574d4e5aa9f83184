"""What people of the company did in a log, as a cassette has it."""

from collections.abc import Iterator, Sequence

from assistant.conversation.entries import Handoff, HumanSaid, Logged, PassedOn
from assistant.replay.cassette import ByAPerson, Event, People
from assistant.replay.record.spoken import Spoken

_AT_ONCE_MS = 100
"""A person who is gone so soon after the customer's words was sent away by them."""

_BY_ITSELF = ("closed", "nobody came in time")
"""Why nobody can come where no person has said so."""


def people_in(entries: Sequence[Logged]) -> People | None:
    """Who was there to be asked, told from what came of it; None where nobody was."""
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
            case Handoff(handoff_id=id_, state="unavailable", why="nobody came in time"):
                wait_s = (at_ms - requested_ms.get(id_, at_ms)) / 1000 or wait_s
            case Handoff(handoff_id=id_, state="unavailable", why=why) if id_ not in queued:
                there = there and why in _BY_ITSELF
            case _:
                pass
    return People(there=there, wait_s=min(wait_s, 3000)) if states else None


def people_events(turn: Spoken, next_: Spoken | None, entries: Sequence[Logged]) -> Iterator[Event]:
    """What people did between a message and the next one."""
    until_ms = next_.at_ms if next_ is not None else None
    for at_ms, happens, words in _deeds(entries):
        if turn.at_ms <= at_ms and (until_ms is None or at_ms < until_ms):
            yield Event(happens=happens, at_ms=at_ms - turn.at_ms, words=words)


def taken_over(turn: Spoken, entries: Sequence[Logged]) -> bool:
    """Whether a person's coming cut this turn short."""
    came = [one.at_ms for one in entries if isinstance(one.entry, Handoff) and one.entry.state == "accepted"]
    return turn.ended_ms is not None and any(0 <= turn.ended_ms - at_ms <= _AT_ONCE_MS for at_ms in came)


def _deeds(entries: Sequence[Logged]) -> Iterator[tuple[int, ByAPerson, str | None]]:
    queued: set[str] = set()
    sent_away_ms = -1
    for logged in entries:
        match logged.entry:
            case Handoff(handoff_id=id_, state="queued"):
                queued.add(id_)
            case Handoff(state="accepted", name=name):
                yield logged.at_ms, "accepts", name
            case Handoff(state="unavailable", handoff_id=id_, why=why) if (
                id_ in queued and why not in _BY_ITSELF
            ):
                yield logged.at_ms, "declines", why or "nobody can come"
            case Handoff(state="ended") if not 0 <= logged.at_ms - sent_away_ms <= _AT_ONCE_MS:
                yield logged.at_ms, "person_ends", None
            case HumanSaid(text=text):
                yield logged.at_ms, "person_says", text
                sent_away_ms = -1
            case PassedOn():
                sent_away_ms = logged.at_ms
            case _:
                pass
