"""What a tool hands back when a plain value is not enough."""

from dataclasses import dataclass
from typing import Generic

from typing_extensions import TypeVar

from assistant.conversation.customer import Customer
from assistant.conversation.outcomes import Media
from assistant.conversation.values import Json
from assistant.tooling.context import ToolLog
from assistant.tooling.written import LOST_NUMBERS, write_down

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


def to_json(value: object, log: ToolLog | None = None) -> Json:
    """Write a tool's value as JSON: models, dataclasses, dates and sets too; decimals as exact text.

    >>> from decimal import Decimal
    >>> to_json({"amount": Decimal("150.00"), 1: ("a", None)})
    {'amount': '150.00', '1': ['a', None]}

    ``log`` is told when a number was lost: NaN is no JSON.

    Raises ``Unkeepable``, which is a ``ValueError``: it holds something that the log could not keep.
    """
    # Found here, it is this tool's failure; found by the log, it would be the conversation's.
    written = write_down(value)
    if written.lost_numbers and log is not None:
        log.warning(LOST_NUMBERS)
    return written.value
