"""A tool: the protocol that each one fulfils, its context, its result, and how a result becomes JSON."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import datetime
from math import isfinite
from typing import TYPE_CHECKING, Generic, Protocol, cast, runtime_checkable

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
"""With fewer brackets than these, nothing is nested too deeply."""

_ENTRY_LEVELS = 16
"""So many levels an entry of the log may put around a value."""

_ENDLESS = ("Circular reference detected (id repeated)", "Maximum serialization depth exceeded")

_PLAIN = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_SUBCLASS


LOST_NUMBERS = "numbers that are not finite became null"


class NotSerializable(AssistantError, ValueError):
    """A tool returned something that the log cannot store. The message contains nothing of the value."""

    say = NO_REASON


@dataclass(frozen=True, slots=True)
class Serialized:
    """A value as JSON, its size in bytes, and whether numbers in it became null, because NaN is not JSON."""

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
        """Log information."""
        ...

    def warning(self, event: str, /, **facts: object) -> object:
        """Log a problem that does not stop the tool."""
        ...


@dataclass(frozen=True, slots=True)
class CallLog:
    """A tool's log, which carries the call it serves."""

    tool: str
    call: str

    def info(self, event: str, /, **facts: object) -> None:
        """Something worth knowing happened."""
        log.info(event, tool=self.tool, call=self.call, **facts)

    def warning(self, event: str, /, **facts: object) -> None:
        """Something is odd, and the tool goes on."""
        log.warning(event, tool=self.tool, call=self.call, **facts)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """Passed to each tool that has a parameter of this type.

    ``key`` is the idempotency key. It is the same for all attempts at one call, so that a repeated write has
    one effect. ``attempt`` counts them, from 1. ``now`` has the company's time zone; it is the conversation's
    time, not the machine's. ``visitor`` is the id under which the conversation is stored: the customer's id
    when they connected, even if they have identified themselves since; "" outside conversations. ``held`` is
    the value of :attr:`credential`; None for a tool without ``credential=True``. ``reporter`` records what
    :meth:`progress` is told. ``long_calls`` is for the built-in tool that stops them.
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
        """Report how far a tool with ``long=True`` is: ``progress(3, 10, "pages")``.

        The customer sees the newest report. ``unit`` is a word in the customer's language. In any other tool it
        does nothing.
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
    """A tool's value, and its pictures or files.

    A tool may return any value that can be converted to JSON; after a run the value *is* JSON. ``identified``
    is for tools that identify the customer; no model sees it.
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
    """A lookup or a side effect that a model can call."""

    @property
    def spec(self) -> ToolSpec:
        """The declaration for models, prompts and clients; always the same object."""
        ...

    def validate(self, arguments: JsonObject) -> JsonObject:
        """The arguments in their final form: defaults filled in, each value in its canonical JSON form.

        Raises ``BadArguments``, with one problem for each argument that is missing, unknown or invalid.
        """
        ...

    async def run(self, arguments: JsonObject, *, customer: Customer, context: ToolContext) -> ToolResult:
        """Run it with validated arguments. Raises what the tool raises.

        After one cancellation it may take as long as its work does, because a thread cannot be stopped and
        the caller may want to know its end. After a second cancellation it returns.
        """
        ...

    async def read_back(self, arguments: JsonObject, *, customer: Customer, book: PromptBook) -> str | None:
        """The clause that tells the customer what would be done ("cancel your eye test on Tuesday").

        ``book`` formats dates and amounts in it. None: the tool has no wording of its own. Raises what the
        tool raises.
        """
        ...


@runtime_checkable
class CheckedTool(Protocol):
    """A tool that can tell afterwards whether a side effect took place; its spec has ``checked``."""

    async def check(
        self, arguments: JsonObject, *, customer: Customer, context: ToolContext
    ) -> ToolResult | None:
        """The result of the side effect that began with ``context.key``; None if it did not take place.

        Raises what the tool raises: then it is unknown.
        """
        ...


@dataclass(frozen=True, slots=True)
class PreparedCall:
    """A call that may run: its tool, and its validated arguments."""

    call: Call
    tool: Tool
    arguments: JsonObject
