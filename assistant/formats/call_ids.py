"""What calls are called on the wire, where every one of a conversation needs a name of its own."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from assistant.conversation.calls import Call
from assistant.conversation.views import FromAssistant, TurnView

CallIds: TypeAlias = Mapping[str, str]
"""Our id of a call, unique in its turn -> its id on the wire."""

IdRule: TypeAlias = Callable[[str], bool]
"""Whether a provider takes an id that came from another one, or from itself."""

_LONGEST = 40
_PLAIN = re.compile(r"[a-zA-Z0-9_-]+")


def short_id(given: str) -> bool:
    """OpenAI's rule."""
    return len(given) <= _LONGEST


def plain_id(given: str) -> bool:
    """Anthropic's rule: letters, digits, "_" and "-".

    >>> plain_id("toolu_01A"), plain_id("functions.find:0")
    (True, False)
    """
    return _PLAIN.fullmatch(given) is not None


def given_ids(turn: TurnView, fits: IdRule) -> frozenset[str] | None:
    """The providers' ids of a turn's calls; None when one is missing, does not fit, or stands twice."""
    calls = list(_calls(turn))
    given = frozenset(call.provider_id for call in calls if call.provider_id and fits(call.provider_id))
    return given if len(given) == len(calls) else None


def ids_as_given(turn: TurnView) -> CallIds:
    """The providers' own."""
    return {call.id: call.provider_id or "" for call in _calls(turn)}


def ids_by_place(turn: TurnView, place: int) -> CallIds:
    """Ours, which repeat in each turn, made unique by the turn's place in the view, from 0."""
    return {call.id: f"t{place + 1}_{call.id.replace('.', '_')}" for call in _calls(turn)}


def _calls(turn: TurnView) -> Iterable[Call]:
    return (call for said in turn.messages if isinstance(said, FromAssistant) for call in said.calls)
