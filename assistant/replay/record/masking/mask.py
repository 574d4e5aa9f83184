"""Masks a cassette: whoever spoke in it is somebody else, the same one from beginning to end."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from assistant.replay.cassette import Cassette
from assistant.replay.record.masking.arguments import personal_in_arguments, texts_in_arguments
from assistant.replay.record.masking.disguise import Disguise
from assistant.replay.record.masking.kinds import Kind
from assistant.replay.record.masking.parts import arguments_of, texts_of, values_of
from assistant.replay.record.masking.patterns import found_in
from assistant.replay.record.masking.rewrite import rewritten_cassette
from assistant.replay.record.masking.values import personal_in, texts_in

_DEMO = "demo"


@dataclass(frozen=True, slots=True)
class Masked:
    """A cassette without personal data. ``replaced``: how many different ones of each kind were in it."""

    cassette: Cassette
    replaced: Mapping[Kind, int]


def mask(cassette: Cassette, *, keep: Collection[str] = (), also: Mapping[str, Kind] | None = None) -> Masked:
    """Replace what is personal by something invented of the same kind, the same by the same everywhere.

    Hidden are e-mail addresses, numbers of phones, accounts and cards, streets, postcodes and towns, names and
    birthdays: what looks like one, and what stands under a key that says so; a name's words of three letters
    and more also by themselves. The customer's id becomes "customer". What is no person's stays: numbers of
    orders, amounts, dates, times of appointments. Frames are left out: replaying makes them anew.

    No program finds everything: a name that only the customer says, in the middle of a sentence, is found by
    ``also`` alone. Who gives a file away reads it first.

    Args:
        cassette: as it was recorded.
        keep: words that stay as they are.
        also: words that are personal here, and their kinds.
    """
    written = list(arguments_of(cassette))
    values = list(values_of(cassette))
    texts = [*texts_of(cassette)]
    texts += [text for value in values for text in texts_in(value)]
    texts += [text for one in written for text in texts_in_arguments(one)]
    disguise = Disguise(" ".join(texts), keep)
    for text, kind in (also or {}).items():
        disguise.learn(kind, text)
    _learn_customer(cassette, disguise)
    for event in (event for turn in cassette.turns for event in turn.meanwhile):
        if event.happens == "accepts" and event.words:
            disguise.learn("name", event.words)
    for value in values:
        for kind, text in personal_in(value):
            disguise.learn(kind, text)
    for one in written:
        for kind, text in personal_in_arguments(one):
            disguise.learn(kind, text)
    for text in texts:
        for kind, found in found_in(text):
            disguise.learn(kind, found)
    masked = rewritten_cassette(cassette, disguise)
    return Masked(masked, disguise.counts)


def _learn_customer(cassette: Cassette, disguise: Disguise) -> None:
    who = cassette.customer
    if who.name:
        disguise.learn("name", who.name)
    if who.id != _DEMO and any(letter.isdigit() for letter in who.id):
        disguise.learn("id", who.id)
