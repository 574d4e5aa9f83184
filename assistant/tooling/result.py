"""What a tool hands back when a plain value is not enough."""

from dataclasses import dataclass
from typing import Generic

from typing_extensions import TypeVar

from assistant.conversation.outcomes import Media
from assistant.conversation.people import Customer
from assistant.conversation.values import Json
from assistant.tooling.written import write_down

Value = TypeVar("Value", default=Json)


@dataclass(frozen=True, slots=True)
class ToolResult(Generic[Value]):
    """A tool's value, and the pictures or files that travel beside it.

    A tool may give any value that can be written as JSON; what comes out of a run *is* JSON.
    ``identified`` is for tools that find out who the customer is: no model sees it.
    """

    value: Value
    media: tuple[Media, ...] = ()
    identified: Customer | None = None


def to_json(value: object) -> Json:
    """Write a tool's value as JSON: models, dataclasses, dates and sets too; decimals as exact text.

    >>> from decimal import Decimal
    >>> to_json({"amount": Decimal("150.00"), 1: ("a", None)})
    {'amount': '150.00', '1': ['a', None]}

    Raises ``Unkeepable``, which is a ``ValueError``: it holds something that the log could not keep.
    """
    # Found here, it is this tool's failure; found by the log, it would be the conversation's.
    return write_down(value).value
