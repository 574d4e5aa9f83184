"""Holds a model's summary to its size, and adds what it forgot."""

from collections.abc import Sequence

from assistant.memory.summaries.extractive import packed
from assistant.memory.summaries.facts import each_once, facts_in, facts_of, stands_in
from assistant.memory.summaries.room import Room
from assistant.memory.summaries.said import Said
from assistant.text.values import values_of
from assistant.text.words import content_stems

ITS_SHARE = 0.7
"""So much of the room a model's own words may take: the rest is for what they forget."""


def complete(text: str, previous: str, said: Sequence[Said], room: Room, locale: str = "en") -> str:
    r"""The model's summary, cut at a sentence, and behind it every statement whose value it dropped, while there is
    room; pure.

    >>> said = [Said("Customer", "I'm on 030 1234567 in the mornings, it is urgent.")]
    >>> complete("The customer wants to be called.", "", said, Room(most=200))
    "The customer wants to be called.\nCustomer: I'm on 030 1234567 in the mornings, it is urgent."
    """
    own = room.share(ITS_SHARE).sentences(text, locale)
    known, stems = values_of(own, locale), frozenset(content_stems(own, locale))
    facts = each_once([*facts_of(previous, locale), *facts_in(said, locale)])
    forgotten = [fact for fact in facts if not stands_in(fact, own, known, stems)]
    return "\n".join(filter(None, (own, packed(forgotten, room.besides(own)))))
