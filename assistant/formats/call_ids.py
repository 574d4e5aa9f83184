"""What calls are called on the wire, where every one of a conversation needs a name of its own."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from assistant.conversation.calls import Call, number_of, round_of
from assistant.conversation.views import FromAssistant, TurnView

CallIds: TypeAlias = Mapping[str, str]
"""Our id of a call, unique in its turn -> its id on the wire."""

_LONGEST = 40
_PLAIN = re.compile(r"[a-zA-Z0-9_-]+")
_NINE = re.compile(r"[a-zA-Z0-9]{9}")
_OURS = re.compile(r"t\d+_c\d+_\d+|\d{9}")


@dataclass(frozen=True, slots=True)
class IdStyle:
    """What a provider takes for an id.

    ``fits`` tells it of an id that came from another provider, or from itself. ``ours`` makes one of the place
    of the call's turn, from 0, and of our id of the call.
    """

    fits: Callable[[str], bool]
    ours: Callable[[int, str], str]


def short_id(given: str) -> bool:
    """OpenAI's rule."""
    return len(given) <= _LONGEST


def plain_id(given: str) -> bool:
    """Anthropic's rule: letters, digits, "_" and "-".

    >>> plain_id("toolu_01A"), plain_id("functions.find:0")
    (True, False)
    """
    return _PLAIN.fullmatch(given) is not None


def nine_signs(given: str) -> bool:
    """Mistral's rule: nine letters and digits.

    >>> nine_signs("D681PevKs"), nine_signs("call_abc1")
    (True, False)
    """
    return _NINE.fullmatch(given) is not None


def place_and_id(place: int, call: str) -> str:
    """Ours in all, to be read by people.

    >>> place_and_id(0, "c2.1")
    't1_c2_1'
    """
    return f"t{place + 1}_{call.replace('.', '_')}"


def nine_digits(place: int, call: str) -> str:
    """Ours where nine signs are wanted.

    >>> nine_digits(0, "c2.1")
    '000102001'
    """
    return f"{(place + 1) % 10_000:04d}{round_of(call):02d}{number_of(call):03d}"


SHORT = IdStyle(short_id, place_and_id)
PLAIN = IdStyle(plain_id, place_and_id)
NINE = IdStyle(nine_signs, nine_digits)


def given_ids(turn: TurnView, style: IdStyle) -> frozenset[str] | None:
    """The providers' ids of a turn's calls; None when one is missing, does not fit, or stands twice.

    One that looks like ours does not fit either: a model that has seen ours may have made it up.
    """
    calls = list(_calls(turn))
    given = frozenset(
        call.provider_id
        for call in calls
        if call.provider_id and style.fits(call.provider_id) and not _OURS.fullmatch(call.provider_id)
    )
    return given if len(given) == len(calls) else None


def ids_as_given(turn: TurnView) -> CallIds:
    """The providers' own."""
    return {call.id: call.provider_id or "" for call in _calls(turn)}


def ids_by_place(turn: TurnView, place: int, style: IdStyle = SHORT) -> CallIds:
    """Ours, which repeat in each turn, made unique by the turn's place in the view, from 0."""
    return {call.id: style.ours(place, call.id) for call in _calls(turn)}


def _calls(turn: TurnView) -> Iterable[Call]:
    return (call for said in turn.messages if isinstance(said, FromAssistant) for call in said.calls)
