"""The protocol that each tool fulfils, and what goes in and comes out: context, result, a call that is ready.

A tool may be a decorated function, a section of an HTTP file or a tool of an MCP server.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, Protocol, runtime_checkable

from typing_extensions import TypeVar

from assistant.conversation.calls import Call
from assistant.conversation.customer import Customer, CustomerCredential
from assistant.conversation.outcomes import Media
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json, JsonObject
from assistant.prompts.book import PromptBook
from assistant.tools.serialization import LOST_NUMBERS, serialize


class ToolLog(Protocol):
    """A log that already carries the call's id; facts follow as keywords."""

    def info(self, event: str, /, **facts: object) -> object:
        """Something worth knowing happened."""
        ...

    def warning(self, event: str, /, **facts: object) -> object:
        """Something is odd, and the tool goes on."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """Handed to every tool that has a parameter of this type.

    ``key`` is the idempotency key: the same for every attempt at one call, so that a write made twice acts
    once. ``attempt`` counts them, from 1. ``now`` is aware, in the company's time zone; it is the
    conversation's time, not the machine's. ``visitor`` is whom the conversation belongs to, and what is kept of it:
    the id that the door knew the customer by, whoever they have shown to be since; "" outside of conversations.
    ``held`` is what :attr:`credential` gives; None in a tool that is not declared with ``credential=True``.
    """

    key: str
    call_id: str
    now: datetime
    log: ToolLog
    attempt: int = 1
    visitor: str = ""
    held: CustomerCredential | None = field(default=None, repr=False, compare=False)

    @property
    def credential(self) -> CustomerCredential:
        """The customer's own credential, for a tool that is declared with ``credential=True``.

        Never log it, return it, or put it into an error. Raises ``LookupError`` in any other tool.
        """
        if self.held is None:
            raise LookupError("only a tool with @tool(credential=True) gets the customer's credential")
        return self.held


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

    Raises ``NotSerializable``, which is a ``ValueError``: it holds something that the log could not keep.
    """
    # Found here, it is this tool's failure; found by the log, it would be the conversation's.
    written = serialize(value)
    if written.lost_numbers and log is not None:
        log.warning(LOST_NUMBERS)
    return written.value


class Tool(Protocol):
    """Something that can be looked up or done."""

    @property
    def spec(self) -> ToolSpec:
        """What models, prompts and clients are told of it; always the same object."""
        ...

    def validate(self, arguments: JsonObject) -> JsonObject:
        """The arguments as they will be used: defaults filled in, every value in its one JSON form.

        Raises ``BadArguments``, with one problem for each argument that is missing, unknown or unfit.
        """
        ...

    async def run(self, arguments: JsonObject, *, customer: Customer, context: ToolContext) -> ToolResult:
        """Do it, with arguments that :meth:`validate` has seen. Raises whatever the tool raises.

        Cancelled once, it may take as long as its work does: a thread cannot be stopped, and somebody may want to
        know when it ends. Cancelled twice, it leaves.
        """
        ...

    async def read_back(self, arguments: JsonObject, *, customer: Customer, book: PromptBook) -> str | None:
        """The clause that tells the customer what would be done ("cancel your eye test on Tuesday").

        ``book`` says how dates and sums are spelled in it. None: the tool has no wording of its own. Raises
        whatever the tool raises.
        """
        ...


@runtime_checkable
class CheckedTool(Protocol):
    """A tool that can tell afterwards whether a side effect took place; its spec says so with ``checked``."""

    async def check(
        self, arguments: JsonObject, *, customer: Customer, context: ToolContext
    ) -> ToolResult | None:
        """What the side effect that was begun with ``context.key`` gave; None: it did not take place.

        Raises whatever the tool raises: then it is not known.
        """
        ...


@dataclass(frozen=True, slots=True)
class PreparedCall:
    """A call that may run: its tool, and its arguments as the tool's types see them."""

    call: Call
    tool: Tool
    arguments: JsonObject
