"""``grounded``: numbers, dates, times and names in a response come from results or from the conversation."""

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from datetime import date, timedelta
from functools import lru_cache
from itertools import takewhile

from assistant.conversation.entries import ConfirmationAsked, CustomerSaid, Handoff, HumanSaid, PassedOn
from assistant.conversation.outcomes import CallDenied, CallEmpty, CallFailed, CallSucceeded, Outcome
from assistant.conversation.turn_state import TurnState
from assistant.prompts.book import PromptBook
from assistant.replay.complaint import Complaint
from assistant.replay.expect.held import Held, PlayedTurn
from assistant.replay.expect.phrases import listed, quoted
from assistant.text.sentences import sentences
from assistant.text.supported import supported
from assistant.text.values import Value, values_in, values_of
from assistant.text.words import words

_OF_THE_COMPANY = ("voice.toml", "decider.j2", "narrator.j2")
"""What the company says of itself stands here; a model that is told it may tell it."""

_COMMENT = re.compile(r"^#[^\n]*$|\{#.*?#\}", re.MULTILINE | re.DOTALL)
"""What stands there for editors, and is told to no model."""

_FULL_DATE = len("2026-11-24")
_UNITS = {
    word: days
    for days, both in ((1, "day days tag tage tagen"), (7, "week weeks woche wochen"))
    for word in both.split()
}


def grounded(held: Held, turn: PlayedTurn) -> Iterator[Complaint]:
    """Complain of each response with a value that nobody has given."""
    locale = turn.state.message.locale
    known = set(_of_the_book(held.book)) | _of_the_day(held, turn)
    if held.cassette.customer.name:
        known |= values_of(held.cassette.customer.name)
    for earlier in takewhile(lambda one: one.state is not turn.state, held.turns):
        known |= _given(earlier.state, locale)
        known |= {one for message in earlier.messages for one in values_of(message.said.text, locale)}
    known |= _given(turn.state, locale) | _by_people(held, turn)
    known.add(Value("count", str(len(turn.calls))))
    for message in turn.messages:
        if message.said.kind == "response":
            # Sentence by sentence: a capital after "8 pm." begins a sentence, and is no name.
            unknown = [
                one
                for part in sentences(message.said.text, locale)
                for one in values_in(part, locale)
                if not supported(one, known | _days_away(part, known, held, turn))
            ]
            if unknown:
                yield Complaint(
                    turn=turn.number,
                    check="grounded",
                    expected="values from the results or the conversation only",
                    found=f"{listed(sorted({quoted(one.said) for one in unknown}))}"
                    f" in {quoted(message.said.text)}",
                    at_ms=message.began.at_ms if message.began is not None else None,
                    seq=message.began.seq if message.began is not None else None,
                    place=("turns", turn.number - 1),
                )
        known |= values_of(message.said.text, locale)


def _by_people(held: Held, turn: PlayedTurn) -> set[Value]:
    """What a person of the company said by then, what was said to them, and the number of a ticket."""
    known: set[Value] = set()
    said: dict[str, str] = {}
    for logged in held.played.entries:
        if logged.at_ms - held.played.began_ms > turn.said_ms:
            break
        match logged.entry:
            case CustomerSaid(message_id=id_, text=text):
                said[id_] = text
            case PassedOn(message_id=id_):
                known |= values_of(said.get(id_, ""), turn.state.message.locale)
            case HumanSaid(name=name, text=text):
                known |= values_of([name, text], turn.state.message.locale)
            case Handoff(name=name, ticket=ticket):
                known |= values_of([name, ticket], turn.state.message.locale)
            case _:
                pass
    return known


def _given(turn: TurnState, locale: str) -> set[Value]:
    """What the customer said, what was asked for them, and what came back."""
    known = set(values_of(turn.message.text, locale))
    for call in turn.calls:
        known |= values_of(call.arguments, locale)
    for outcome in turn.outcomes.values():
        known |= _brought(outcome, locale)
    if turn.asked is not None:
        known |= _asked(turn.asked, locale)
    return known


def _brought(outcome: Outcome, locale: str) -> frozenset[Value]:
    match outcome:
        case CallSucceeded() | CallEmpty():
            return values_of(outcome.value, locale)
        case CallFailed() | CallDenied():
            return values_of([outcome.say, outcome.for_model], locale)
        case _:
            return frozenset()


def _asked(asked: ConfirmationAsked, locale: str) -> set[Value]:
    """The clauses are the tools' own words; and what is asked about was given in the turn before, perhaps."""
    known = set(values_of(list(asked.clauses), locale))
    for call in asked.calls:
        known |= values_of(call.arguments, locale)
    return known


def _of_the_day(held: Held, turn: PlayedTurn) -> set[Value]:
    """Yesterday, today and tomorrow, and what the clock says."""
    now = held.cassette.now + timedelta(milliseconds=turn.said_ms)
    days = [(now + timedelta(days=days)).date().isoformat() for days in (-1, 0, 1)]
    return set(values_of([*days, f"{now:%H:%M}"]))


def _days_away(sentence: str, known: AbstractSet[Value], held: Held, turn: PlayedTurn) -> set[Value]:
    """How far it is to each known date, for a sentence that counts in days or weeks: "in ten days"."""
    units = {length for word in words(sentence) if (length := _UNITS.get(word)) is not None}
    today = (held.cassette.now + timedelta(milliseconds=turn.said_ms)).date()
    dates = [one.form for one in known if one.kind == "day" and len(one.form) == _FULL_DATE] if units else []
    away = [abs((date.fromisoformat(form) - today).days) for form in dates]
    return {Value("count", str(days // unit)) for days in away for unit in units if days % unit == 0}


@lru_cache(maxsize=8)
def _of_the_book(book: PromptBook) -> frozenset[Value]:
    """What the company's own texts say, and the tools' words for what they do."""
    texts = [_COMMENT.sub("", book.sources.get(name, "")) for name in _OF_THE_COMPANY]
    return frozenset(value for text in texts for value in values_in(text)) | values_of(
        [book.voice.company, book.voice.name]
    )
