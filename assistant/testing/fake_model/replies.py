"""What the fake server does with one request."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from assistant.formats.json_text import json_bytes
from assistant.testing.fake_model.checks.bad_request import BadRequest
from assistant.testing.fake_model.wires import WIRES, Provider


class Fault(Enum):
    """What may go wrong in the middle of a stream."""

    STALL = "nothing comes any more, until the client hangs up"
    CUT = "the connection is cut off"


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing comes for a while, by the server's clock."""

    seconds: float


Step: TypeAlias = bytes | Wait | Fault


@dataclass(frozen=True, slots=True)
class Streams:
    """Status 200, then each step's bytes in a write of its own.

    ``ends``: the answer is ended properly; else the connection stays open, with the end still owed.
    """

    steps: Sequence[Step]
    content_type: str = "text/event-stream"
    ends: bool = True


@dataclass(frozen=True, slots=True)
class Refuses:
    """Any other status. The body never comes when it is None."""

    status: int
    body: bytes | None = b"{}"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


Reply: TypeAlias = Streams | Refuses


def streams(*steps: Step | Sequence[Step]) -> Streams:
    """A reply made of steps and lists of steps."""
    flat: list[Step] = []
    for step in steps:
        if isinstance(step, (bytes, Wait, Fault)):
            flat.append(step)
        else:
            flat += step
    return Streams(flat)


def refuses(
    status: int,
    message: str = "no",
    *,
    code: str | None = None,
    provider: Provider = "openai",
    **headers: str,
) -> Refuses:
    """An error in the provider's shape. ``retry_after="2"`` becomes the header ``retry-after``."""
    told = WIRES[provider].error(BadRequest(message, status=status, code=code))
    return Refuses(
        status, json_bytes(told), {name.replace("_", "-"): value for name, value in headers.items()}
    )
