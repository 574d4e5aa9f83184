"""Sums a conversation up without a model: its statements of fact, word for word, as many as there is room for."""

from collections.abc import Iterable, Sequence

from assistant.memory.summaries.facts import Fact, each_once, facts_in, facts_of
from assistant.memory.summaries.room import Room
from assistant.memory.summaries.said import Said
from assistant.text.values import Value


def extract(previous: str, said: Sequence[Said], room: Room, locale: str = "en") -> str:
    r"""The summary of what the previous one stood for and of what was said since, a line for each statement; pure.

    Kept are names, numbers, dates, wishes, and what calls brought, each once, with who said it, in the order in
    which it was said. Where the room is short a statement is first cut down to the clauses that hold its values;
    what is worth least goes next, the oldest first.

    >>> said = [Said("Customer", "Hello! I'm Ana Berg, and order A-10482 is late."), Said("Assistant", "Oh.")]
    >>> extract("Customer: Please ring twice.", said, Room(most=200))
    "Customer: Please ring twice.\nCustomer: I'm Ana Berg, and order A-10482 is late."
    """
    previous = previous.strip()
    if not said and room.holds(previous):
        return previous
    return packed(each_once([*facts_of(previous, locale), *facts_in(said, locale)]), room)


def packed(facts: Sequence[Fact], room: Room) -> str:
    """As much of these as there is room for, in their order.

    No value is left out as long as the short forms of all that hold one have room.
    """
    whole = [str(fact.said) for fact in facts]
    if room.holds("\n".join(whole)):
        return "\n".join(whole)
    lines: dict[int, str] = {}
    left = room.most
    for place in _by_need(facts):
        line = str(facts[place].short)
        if (cost := room.count(f"{line}\n")) <= left:
            lines[place] = line
            left -= cost
    for place in sorted(lines, reverse=True):
        more = room.count(f"{whole[place]}\n") - room.count(f"{lines[place]}\n")
        if 0 < more <= left:
            lines[place] = whole[place]
            left -= more
    return _joined(lines, facts, room)


def _by_need(facts: Sequence[Fact]) -> Iterable[int]:
    """The places of the facts, the most needed first; those that hold no value of their own come last."""
    order = sorted(range(len(facts)), key=lambda place: (facts[place].worth, place), reverse=True)
    held: set[Value] = set()
    again: list[int] = []
    for place in order:
        values = facts[place].values
        if values and values <= held:
            again.append(place)
        else:
            held |= values
            yield place
    yield from again


def _joined(lines: dict[int, str], facts: Sequence[Fact], room: Room) -> str:
    places = sorted(lines)
    text = "\n".join(lines[place] for place in places)
    while places and not room.holds(text):
        # Lines may count for a little more together than one by one.
        places.remove(min(places, key=lambda place: (facts[place].worth, place)))
        text = "\n".join(lines[place] for place in places)
    return text
