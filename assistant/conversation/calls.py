"""A tool call, as a model requested it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from assistant.conversation.values import Json, JsonObject

NOT_JSON = "not JSON"
"""The single argument of a call whose arguments could not be parsed. Its value is the text as it arrived."""

TOO_MANY = "not run"
"""The single argument of the first call beyond the limit of a reply. Its value says why the call did not
run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request to run one tool.

    ``id`` is our own id of the call, ``c<round>.<n>``, with both numbers from 1. It is unique in a turn.
    ``provider_id`` is the provider's id. ``opaque`` has, for each provider, data that must be sent back
    unchanged.
    """

    id: str
    tool: str
    arguments: JsonObject = field(default_factory=dict[str, Json])
    provider_id: str | None = None
    opaque: Mapping[str, Json] | None = None


def call_id(round_: int, number: int) -> str:
    """Returns the id of the ``number``-th call of a round, both from 1.

    >>> call_id(2, 1)
    'c2.1'
    """
    return f"c{round_}.{number}"


def round_of(call: str) -> int:
    """Returns the round in a call's id.

    >>> round_of("c2.1")
    2
    """
    return int(call[1:].partition(".")[0])


def number_of(call: str) -> int:
    """Returns the number of a call within its round.

    >>> number_of("c2.10")
    10
    """
    return int(call.partition(".")[2])
