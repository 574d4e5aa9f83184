"""A tool: its protocol, its context, its result, and the conversion of a result to JSON."""

from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sized
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import datetime
from math import isfinite
from typing import TYPE_CHECKING, Generic, Protocol, TypeGuard, cast, runtime_checkable

import orjson
import structlog
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

log = structlog.get_logger(__name__)

if TYPE_CHECKING:
    from assistant.tools.long_calls import LongCallControl

_MOST_BRACKETS = 200
"""With fewer brackets, no value is nested too deeply."""

_ENTRY_LEVELS = 16
"""The levels that an entry of the log may add around a value."""

_MOST_LEVELS = 300
"""So deep a value is looked through for its size; nothing that can be stored is as deep."""

_SCALARS = frozenset((int, float, bool, type(None)))
"""What is counted with the list or mapping that holds it."""

_ENDLESS = ("Circular reference detected (id repeated)", "Maximum serialization depth exceeded")

_PLAIN = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_SUBCLASS


MOST_RESULT_BYTES = 128_000
"""The largest result of any tool, as JSON and without its media. A larger one is not read: its call has failed.

By default, a request to a model can contain no more. Also, all customers wait while a result is read.
"""

LOST_NUMBERS = "numbers that are not finite became null"


class NotSerializable(AssistantError, ValueError):
    """A tool returned a value that the log cannot store. The message contains nothing of the value."""

    say = NO_REASON


class ResultTooLarge(NotSerializable):
    """A tool returned more than ``MOST_RESULT_BYTES``."""

    say = "there is more than I can look through at once"

    def __init__(self, value: object, size: int | None = None) -> None:
        held = f"more than {MOST_RESULT_BYTES}" if size is None else str(size)
        count = (
            f" ({len(value)} {'characters' if isinstance(value, str) else 'items'})"
            if _counted(value)
            else ""
        )
        super().__init__(
            f"The result{count} has {held} bytes as JSON; at most {MOST_RESULT_BYTES} are read. "
            "Ask for less: a shorter period, fewer items or fields, or one page."
        )


def refuse_too_large(value: object) -> None:
    """Raise ``ResultTooLarge`` for a value that is far too large.

    It takes two milliseconds at most, whatever the value is: it stops where the limit is passed, and converts
    nothing.
    """
    left = MOST_RESULT_BYTES
    within: list[Iterator[object]] = [iter((value,))]
    # What is nested deeper, or refers to itself, is refused by ``serialize``.
    while within and len(within) < _MOST_LEVELS:
        for one in within[-1]:
            kind = type(one)
            if kind in _SCALARS:
                continue
            if kind is str:
                left -= len(cast("str", one))
            elif kind is dict:
                pairs = cast("Mapping[object, object]", one)
                left -= 4 * len(pairs)
                if pairs and left >= 0:
                    within += (iter(pairs.values()), iter(pairs))
                    break
            elif parts := cast("list[object]", one) if kind is list else _parts(one):
                left -= 2 * len(parts)
                if left >= 0:
                    within.append(iter(parts))
                    break
            elif isinstance(one, (str, bytes, bytearray)):
                left -= len(one)
            if left < 0:
                raise ResultTooLarge(value)
        else:
            within.pop()


@dataclass(frozen=True, slots=True)
class Serialized:
    """A value as JSON, its size in bytes, and whether numbers in it became null, because NaN is not JSON."""

    value: Json
    size: int
    lost_numbers: bool = False


def serialize(value: object) -> Serialized:
    """Convert a tool's value to JSON, including models, dataclasses, dates and sets. Decimals become exact
    texts.

    >>> serialize({"amount": 150, 1: ("a", None)})
    Serialized(value={'amount': 150, '1': ['a', None]}, size=29, lost_numbers=False)
    >>> serialize([float("nan")])
    Serialized(value=[None], size=6, lost_numbers=True)

    Raises:
        NotSerializable: it contains something that is not JSON, is infinite, or is nested too deeply.
    """
    try:
        return _plain(value)
    except TypeError:
        pass  # it must be converted first
    try:
        _refuse_iterators(value)
        return _plain(to_jsonable_python(value, inf_nan_mode="constants"))
    except NotSerializable:
        raise
    except Exception as error:
        # A model's own serializer may raise anything, and its text may contain the customer's data.
        raise NotSerializable(f"The result cannot be written as JSON: {_reason(error)}.") from error


def _plain(value: object) -> Serialized:
    """Returns the value, if it is plain JSON already. Raises ``TypeError`` if it is not."""
    written = orjson.dumps(value, option=_PLAIN)
    if written.count(b"[") + written.count(b"{") > _MOST_BRACKETS:
        _refuse_depth(value)
    # Infinite numbers and NaN were written as null; they are searched for only if there is a null.
    lost = b"null" in written and _holds_nan(value)
    return Serialized(orjson.loads(written), len(written), lost)


def _refuse_depth(value: object) -> None:
    """Raise ``TypeError`` for a value that is too deep as a part of an entry."""
    for _ in range(_ENTRY_LEVELS):
        value = [value]
    orjson.dumps(value, option=_PLAIN)


def _holds_nan(value: object) -> bool:
    if isinstance(value, float):
        return not isfinite(value)
    return any(_holds_nan(part) for part in _parts(value))


def _refuse_iterators(value: object) -> None:
    """Raise ``NotSerializable`` for an iterator or generator, which may never end.

    Raises ``RecursionError`` for a value that contains itself.
    """
    if isinstance(value, Iterator):
        kind = type(cast("object", value)).__name__
        raise NotSerializable(f"The result holds a {kind}; return a list.")
    for part in _parts(value):
        _refuse_iterators(part)


def _counted(value: object) -> TypeGuard[Sized]:
    return isinstance(value, str | dict | list | tuple | set | frozenset | deque)


def _parts(value: object) -> Collection[object]:
    if isinstance(value, dict):
        return cast("Mapping[object, object]", value).values()
    if isinstance(value, list | tuple | set | frozenset | deque):
        return cast("Collection[object]", value)
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
    """A log that adds the call's id to each line. Facts are keyword arguments."""

    def info(self, event: str, /, **facts: object) -> object:
        """Log information."""
        ...

    def warning(self, event: str, /, **facts: object) -> object:
        """Log a problem that does not stop the tool."""
        ...


@dataclass(frozen=True, slots=True)
class CallLog:
    """A tool's log. It adds the tool and the call to each line."""

    tool: str
    call: str

    def info(self, event: str, /, **facts: object) -> None:
        """Log information."""
        log.info(event, tool=self.tool, call=self.call, **facts)

    def warning(self, event: str, /, **facts: object) -> None:
        """Log a problem that does not stop the tool."""
        log.warning(event, tool=self.tool, call=self.call, **facts)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """Passed to each tool that has a parameter of this type.

    ``key`` is the idempotency key. It is the same for all attempts of a call, so that a repeated write has
    one effect. ``attempt`` counts the attempts, from 1. ``now`` has the company's time zone; it is the
    conversation's time, not the machine's. ``visitor`` is the id under which the conversation is stored: the
    customer's id when they connected, even if they were identified later; "" outside of conversations.
    ``held`` is the value of :attr:`credential`; None for a tool without ``credential=True``. ``reporter``
    records the reports of :meth:`progress`. ``long_calls`` is for the built-in tool that stops long calls.
    """

    key: str
    call_id: str
    now: datetime
    log: ToolLog
    attempt: int = 1
    visitor: str = ""
    held: CustomerCredential | None = field(default=None, repr=False, compare=False)
    reporter: Callable[[int, int, str], None] | None = field(default=None, repr=False, compare=False)
    long_calls: "LongCallControl | None" = field(default=None, repr=False, compare=False)

    def progress(self, done: int, total: int = 0, unit: str = "") -> None:
        """Report the progress of a tool with ``long=True``: ``progress(3, 10, "pages")``.

        The customer sees the newest report. ``unit`` is a word in the customer's language. In tools without
        ``long=True``, this method has no effect.
        """
        if self.reporter is not None:
            self.reporter(done, total, unit)

    @property
    def credential(self) -> CustomerCredential:
        """The customer's own credential, for a tool with ``credential=True``.

        Never log it, return it, or put it into an error. Raises ``LookupError`` in any other tool.
        """
        if self.held is None:
            raise LookupError("only a tool with @tool(credential=True) gets the customer's credential")
        return self.held


Value = TypeVar("Value", default=Json)


@dataclass(frozen=True, slots=True)
class ToolResult(Generic[Value]):
    """A tool's value, with its pictures or files.

    A tool may return any value that can be converted to JSON; after a run the value *is* JSON. ``identified``
    is for tools that identify the customer; models do not see it.
    """

    value: Value
    media: tuple[Media, ...] = ()
    identified: Customer | None = None


def to_json(value: object, log: ToolLog | None = None) -> Json:
    """Convert a tool's value to JSON, including models, dataclasses, dates and sets. Decimals become exact
    texts.

    >>> from decimal import Decimal
    >>> to_json({"amount": Decimal("150.00"), 1: ("a", None)})
    {'amount': '150.00', '1': ['a', None]}

    ``log`` gets a warning if a number was lost, because NaN is not JSON.

    Raises ``NotSerializable``, which is a ``ValueError``: it holds something that the log could not keep, or it is
    too large.
    """
    refuse_too_large(value)
    # Found here, it is this tool's failure; found by the log, it would be the conversation's.
    written = serialize(value)
    if written.lost_numbers and log is not None:
        log.warning(LOST_NUMBERS)
    return written.value


class Tool(Protocol):
    """A lookup or a side effect that a model can call."""

    @property
    def spec(self) -> ToolSpec:
        """The declaration for models, prompts and clients; always the same object."""
        ...

    def validate(self, arguments: JsonObject) -> JsonObject:
        """Returns the arguments in their final form: with defaults, and each value in its canonical JSON
        form.

        Raises ``BadArguments`` with one problem for each argument that is missing, unknown or invalid.
        """
        ...

    async def run(self, arguments: JsonObject, *, customer: Customer, context: ToolContext) -> ToolResult:
        """Run the tool with validated arguments. Raises what the tool raises.

        After one cancellation the tool may continue until its work ends, because a thread cannot be stopped and the
        caller may need the outcome. A second cancellation ends the wait with ``CancelledError``; a thread of the
        tool may still run then, and its outcome is lost.
        """
        ...

    async def read_back(self, arguments: JsonObject, *, customer: Customer, book: PromptBook) -> str | None:
        """Returns the clause that tells the customer what would be done ("cancel your eye test on Tuesday").

        ``book`` formats its dates and amounts. Returns None if the tool has no text of its own. Raises what
        the tool raises.
        """
        ...


@runtime_checkable
class CheckedTool(Protocol):
    """A tool that can tell afterwards whether a side effect took place. Its spec has ``checked``."""

    async def check(
        self, arguments: JsonObject, *, customer: Customer, context: ToolContext
    ) -> ToolResult | None:
        """Returns the result of the side effect that began with ``context.key``, or None if it did not take
        place.

        Raises what the tool raises; then the outcome is unknown.
        """
        ...


@dataclass(frozen=True, slots=True)
class PreparedCall:
    """A call that may run: its tool, and its validated arguments."""

    call: Call
    tool: Tool
    arguments: JsonObject
