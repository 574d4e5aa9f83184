"""What the tools did: one entry for each call that ran, in the order in which they began."""

from typing import Literal

from pydantic import Field

from assistant.conversation.tool_spec import Acknowledge
from assistant.conversation.values import Effect
from assistant.replay.cassette.written import Ms, Object, Text, Value, Written


class Run(Written):
    """What one call of a tool brought, ``after_ms`` after it began.

    ``gives`` a result; ``refuses`` with a clause the customer may hear; ``breaks`` as a bug does; ``hangs``
    until its time is up. ``clause`` alone is no run: it is what the customer is asked about before one.
    ``arguments``, where given, are those of the call that this belongs to.
    """

    tool: Text
    does: Literal["gives", "refuses", "breaks", "hangs", "asks"]
    gives: Value = None
    refuses: str = ""
    for_model: str | None = None
    breaks: str = ""
    clause: str | None = None
    after_ms: Ms = 0
    arguments: Object | None = None


class Declared(Written):
    """A tool that stands in this file because the tools' folder has none of its name."""

    name: Text
    doing: str = ""
    will: str | None = None
    description: str = ""
    effect: Effect = "read"
    confirm: bool = False
    acknowledge: Acknowledge = "auto"
    needs_customer: bool = False
    timeout_s: float = 10.0
    arguments: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    narration: str | None = None
    hints: dict[str, tuple[str, str]] = Field(default_factory=dict)
