"""A tool: the protocol that each one fulfils, its context, its result, and how a result becomes JSON."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import datetime
from math import isfinite
from typing import Generic, Protocol, cast, runtime_checkable

import orjson
from pydantic import BaseModel
from pydantic_core import PydanticSerializationError, to_jsonable_python
from typing_extensions import TypeVar

from assistant.conversation.calls import Call
from assistant.conversation.customer import Customer, CustomerCredential
from assistant.conversation.outcomes import Media
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json, JsonObject
from assistant.errors import NO_REASON, AssistantError
from assistant.prompts.book import PromptBook

_MOST_BRACKETS = 200
"""With fewer brackets than these, nothing is nested too deeply."""

_ENTRY_LEVELS = 16
"""So many levels an entry of the log may put around a value."""

_ENDLESS = ("Circular reference detected (id repeated)", "Maximum serialization depth exceeded")

_PLAIN = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_SUBCLASS


LOST_NUMBERS = "numbers that are not finite became null"


class NotSerializable(AssistantError, ValueError):
    """A tool gave something that the log cannot keep. Nothing of what it gave stands in the message."""

    say = NO_REASON


@dataclass(frozen=True, slots=True)
class Serialized:
    """A value as JSON, its size as such in bytes, and whether numbers in it became null: NaN is no JSON."""

    value: Json
    size: int
    lost_numbers: bool = False


def serialize(value: object) -> Serialized:
    """Write a tool's value as JSON: models, dataclasses, dates and sets too; decimals as exact text.

    >>> serialize({"amount": 150, 1: ("a", None)})
    Serialized(value={'amount': 150, '1': ['a', None]}, size=29, lost_numbers=False)
    >>> serialize([float("nan")])
    Serialized(value=[None], size=6, lost_numbers=True)

    Raises:
        NotSerializable: it holds something that is no JSON, or never ends, or it is nested too deeply.
    """
    try:
        return _plain(value)
    except TypeError:
        pass  # it has to be made plain first
    try:
        _refuse_iterators(value)
        return _plain(to_jsonable_python(value, inf_nan_mode="constants"))
    except NotSerializable:
        raise
    except Exception as error:
        # A model's own serialiser raises what it likes, with the customer's data in its words.
        raise NotSerializable(f"The result cannot be written as JSON: {_reason(error)}.") from error


def _plain(value: object) -> Serialized:
    """The value, if it is plain JSON already. Raises ``TypeError`` when it is not."""
    written = orjson.dumps(value, option=_PLAIN)
    if written.count(b"[") + written.count(b"{") > _MOST_BRACKETS:
        _refuse_depth(value)
    # Numbers that are not finite were written as null: only then they have to be looked for.
    lost = b"null" in written and _holds_nan(value)
    return Serialized(orjson.loads(written), len(written), lost)


def _refuse_depth(value: object) -> None:
    """Raise ``TypeError`` for what could be written alone, but not as part of an entry."""
    for _ in range(_ENTRY_LEVELS):
        value = [value]
    orjson.dumps(value, option=_PLAIN)


def _holds_nan(value: object) -> bool:
    if isinstance(value, float):
        return not isfinite(value)
    return any(_holds_nan(part) for part in _parts(value))


def _refuse_iterators(value: object) -> None:
    """Raise ``NotSerializable`` for what is only made while it is read: it may never end.

    Raises ``RecursionError`` for what refers to itself.
    """
    if isinstance(value, Iterator):
        kind = type(cast("object", value)).__name__
        raise NotSerializable(f"The result holds a {kind}; return a list.")
    for part in _parts(value):
        _refuse_iterators(part)


def _parts(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return cast("Mapping[object, object]", value).values()
    if isinstance(value, list | tuple | set | frozenset | deque):
        return cast("Iterable[object]", value)
    if isinstance(value, BaseModel):
        return vars(value).values()
    if is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, field.name) for field in fields(value)]
    return ()


def _reason(error: Exception) -> str:
    told = str(error) if isinstance(error, orjson.JSONEncodeError | PydanticSerializationError) else ""
    if isinstance(error, RecursionError) or told.startswith("Recursion") or str(error) in _ENDLESS:
        return "it refers to itself, or is nested too deeply"
    if isinstance(error, UnicodeDecodeError):
        return "it holds bytes that are no text; give text, or Media beside the value"
    if "surrogates" in str(error):
        return "it holds half a character (a surrogate alone)"
    if isinstance(error, orjson.JSONEncodeError) or told.startswith("Unable to serialize unknown type"):
        return told
    return type(error).__name__


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
