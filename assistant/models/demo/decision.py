"""The embedded model's decision about a message (calls, words, or both), and its inputs."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias, assert_never

from assistant.conversation.calls import Call
from assistant.conversation.documents import LOAD_IN_FULL
from assistant.conversation.outcomes import CallAwaitingConfirmation, CallPending, CallSucceeded, Outcome
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json, JsonObject
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, View, parse_files


@dataclass(frozen=True, slots=True)
class Planned:
    """A call to make; its required arguments are complete."""

    spec: ToolSpec
    arguments: JsonObject


Kind: TypeAlias = Literal[
    "day", "time", "moment", "email", "phone", "reference", "choice", "days", "text", "other"
]
Role: TypeAlias = Literal["old", "new", "only"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One parameter.

    ``role`` is "old" or "new" if the tool changes a day: the parameter is the old or the new day. ``numeric``
    is True if the reference is an integer. ``noun`` is the thing that a reference names ("order" for
    ``order_number``), or "" if the parameter's name contains no such thing.
    """

    name: str
    kind: Kind
    role: Role
    required: bool
    description: str
    noun: str = ""
    choices: tuple[str, ...] = ()
    pattern: str | None = None
    numeric: bool = False


@dataclass(frozen=True, slots=True)
class Ask:
    """A request that lacks the value for ``slot``. ``arguments`` are the known values."""

    spec: ToolSpec
    slot: Slot
    arguments: JsonObject


@dataclass(frozen=True, slots=True)
class Unsure:
    """Several possible requests, the most probable first. Each is already planned."""

    options: tuple[Planned | Ask, ...]


@dataclass(frozen=True, slots=True)
class Prove:
    """The customer is not identified. The tool ``spec`` identifies them with ``arguments`` and the values
    that are still ``lacking``.
    """

    spec: ToolSpec
    lacking: tuple[Slot, ...]
    arguments: JsonObject


@dataclass(frozen=True, slots=True)
class Help:
    """No tool fits (``unmatched``), or the customer asked what is possible.

    ``person`` is the call that asks for a person, if that is possible.
    """

    unmatched: bool
    person: Planned | None = None


@dataclass(frozen=True, slots=True)
class Recall:
    """One thing of a result: its values under the ``asked`` keys, or all values if there are none.

    ``place`` is its position in the result, from 1; 0 if it was not asked for by position. ``past`` is True
    if the customer asked what it was, not what it is now.
    """

    item: JsonObject
    asked: tuple[str, ...] = ()
    place: int = 0
    past: bool = False


About: TypeAlias = Literal["greeting", "thanks", "goodbye", "kept", "listening"]
"""``kept``: the customer wants no change after all. ``listening``: "yes" or "hm" without a question
before."""


@dataclass(frozen=True, slots=True)
class Smalltalk:
    """A message without a request."""

    about: About


@dataclass(frozen=True, slots=True)
class Running:
    """The customer asks about calls that are already running; the answer tells their state."""

    calls: tuple[CallPending, ...]


Prompted: TypeAlias = Ask | Unsure | Prove | Recall | Help | Smalltalk
Reply: TypeAlias = Prompted | Running


@dataclass(frozen=True, slots=True)
class Decision:
    """Calls in the order of the requests, and a reply: instead of the calls, or after their results.

    ``open`` is an earlier question that is still unanswered, because the customer asked something else.
    """

    calls: tuple[Planned, ...] = ()
    reply: Reply | None = None
    open: Ask | Unsure | Prove | None = None

    @property
    def question(self) -> Ask | Unsure | Prove | None:
        """The question that the customer may answer next."""
        return self.reply if isinstance(self.reply, Ask | Unsure | Prove) else self.open


_NEW: Final = re.compile(r"(?:^|_)(?:new|to|target|until|wanted)(?:_|$)")
_OLD: Final = re.compile(r"(?:^|_)(?:old|from|current|original|existing)(?:_|$)")
_NAMED: Final[tuple[tuple[Kind, re.Pattern[str]], ...]] = (
    ("email", re.compile(r"e_?mail")),
    ("phone", re.compile(r"phone|mobile|telephone")),
    ("days", re.compile(r"days|horizon")),
    ("day", re.compile(r"(?:^|_)(?:day|date|on)(?:_|$)")),
    ("time", re.compile(r"(?:^|_)(?:time|hour|at)(?:_|$)")),
    ("reference", re.compile(r"(?:^|_)(?:number|id|no|nr|reference|ref|code)(?:_|$)")),
)
_FORMATS: Final[dict[str, Kind]] = {
    "date": "day",
    "time": "time",
    "date-time": "moment",
    "email": "email",
    "phone": "phone",
}


def slots_of(spec: ToolSpec) -> tuple[Slot, ...]:
    """Returns the parameters of a tool's JSON schema, in order.

    >>> parameters = {"properties": {"day": {"type": "string", "format": "date"}, "new_day": {"type": "string",
    ...     "format": "date"}, "order_number": {"type": "string"}}, "required": ["new_day"]}
    >>> slots = slots_of(ToolSpec(name="move", description="", parameters=parameters))
    >>> [(slot.name, slot.kind, slot.role, slot.required) for slot in slots[:2]], slots[2].noun
    ([('day', 'day', 'old', False), ('new_day', 'day', 'new', True)], 'order')
    """
    properties, required = spec.parameters.get("properties", {}), spec.parameters.get("required", [])
    if not isinstance(properties, Mapping) or not isinstance(required, list | tuple):
        return ()
    slots = [
        _slot(name, _resolved(schema, spec.parameters), name in required)
        for name, schema in properties.items()
        if isinstance(schema, Mapping)
    ]
    return tuple(_with_role(slot, slots) for slot in slots)


def _slot(name: str, schema: JsonObject, required: bool) -> Slot:
    choices, pattern = schema.get("enum"), schema.get("pattern")
    kind = _kind(name, schema)
    return Slot(
        name=name,
        kind=kind,
        role="new" if _NEW.search(name) else "old" if _OLD.search(name) else "only",
        required=required,
        description=str(schema.get("description", "")),
        noun=re.sub(r"(?:^|_)(?:number|id|no|nr|reference|ref|code)(?:_|$)", "", name)
        if kind == "reference"
        else "",
        choices=tuple(map(str, choices)) if isinstance(choices, list | tuple) else (),
        pattern=pattern if isinstance(pattern, str) else None,
        numeric=schema.get("type") == "integer",
    )


def _kind(name: str, schema: JsonObject) -> Kind:
    if "enum" in schema:
        return "choice"
    stated = _FORMATS.get(str(schema.get("format")))
    if stated is not None:
        return stated
    if schema.get("type") not in ("string", "integer", None):
        return "other"
    for kind, pattern in _NAMED:
        if pattern.search(name):
            return kind if schema.get("type") != "integer" or kind in ("days", "reference") else "other"
    return "other" if schema.get("type") == "integer" else "text"


def _with_role(slot: Slot, slots: list[Slot]) -> Slot:
    # If there is a "new_day", a plain "day" is the old one.
    if slot.role != "only" or not any(other.kind == slot.kind and other.role == "new" for other in slots):
        return slot
    return replace(slot, role="old")


def _resolved(schema: JsonObject, root: JsonObject) -> JsonObject:
    """Follow one reference, and take the first alternative that is not null."""
    target = schema.get("$ref")
    definitions = root.get("$defs")
    if isinstance(target, str) and isinstance(definitions, Mapping):
        found = definitions.get(target.rpartition("/")[2])
        return {**found, **schema} if isinstance(found, Mapping) else schema
    alternatives: Json = schema.get("anyOf")
    if isinstance(alternatives, list | tuple):
        real = [one for one in alternatives if isinstance(one, Mapping) and one.get("type") != "null"]
        return {**_resolved(real[0], root), **schema} if real else schema
    return schema


@dataclass(frozen=True, slots=True)
class Exchange:
    """One message of the customer, all outcomes after it in order, and the assistant's text after them.

    ``proved`` is the outcome that identified the customer, if any; ``outcomes`` are those after it.
    ``wished`` is True if the customer had asked for something before; then ``said`` is the message that
    waited for the identification. ``files`` are the names of the message's files; a message with files may
    have an empty ``said``. ``begun`` are long calls that are running. Late results are an exchange of their
    own, with an empty ``said``.
    """

    said: str
    outcomes: tuple[Outcome, ...] = ()
    told: str = ""
    proved: tuple[Outcome, ...] = ()
    wished: bool = False
    files: tuple[str, ...] = ()
    begun: tuple[CallPending, ...] = ()

    @property
    def waiting(self) -> tuple[CallAwaitingConfirmation, ...]:
        """The side effects that were read back and wait for a confirmation."""
        return tuple(one for one in self.outcomes if isinstance(one, CallAwaitingConfirmation))

    @property
    def found(self) -> tuple[CallSucceeded, ...]:
        """The successful outcomes."""
        return tuple(one for one in self.outcomes if isinstance(one, CallSucceeded))


def exchanges_of(view: View) -> tuple[Exchange, ...]:
    """Read a view, oldest first. Text before the customer's first message is left out.

    An earlier result that was loaded in full appears as its original call.
    """
    row: list[Exchange] = []
    shortened: dict[str, Call] = {}
    answered = False
    for message in view.messages:
        match message:
            case FromCustomer(text=text):
                answered = False
                words, files = parse_files(text)
                row.append(Exchange(words, files=tuple(one.name for one in files)))
            case FromAssistant(text=text, calls=calls) if row and (text or calls):
                if answered and calls:
                    row.append(Exchange(""))
                answered = not calls
                row[-1] = replace(row[-1], told=f"{row[-1].told} {text}".strip())
            case FromTools(outcomes=outcomes) if row:
                ended = [_loaded(each, shortened) for each in outcomes if not isinstance(each, CallPending)]
                shortened |= {
                    one.full_ref: one.call for one in ended if isinstance(one, CallSucceeded) and one.full_ref
                }
                begun = [one for one in outcomes if isinstance(one, CallPending) and one.long is not None]
                row[-1] = replace(
                    row[-1], outcomes=(*row[-1].outcomes, *ended), begun=(*row[-1].begun, *begun)
                )
            case FromAssistant() | FromTools():
                continue
            case _:
                assert_never(message)
    return tuple(row)


def _loaded(outcome: Outcome, shortened: Mapping[str, Call]) -> Outcome:
    """Returns the original call with its full result, if the outcome is a result that was loaded in full.
    Returns any other outcome unchanged.
    """
    if not isinstance(outcome, CallSucceeded) or outcome.call.tool != LOAD_IN_FULL:
        return outcome
    match outcome.value:
        case {"source": str(tool), "ref": str(ref), "value": value}:
            # The narrator's view may not contain the original call.
            call = shortened.get(ref, Call(id=outcome.call.id, tool=tool))
            return CallSucceeded(call=call, value=value, full_ref=ref if outcome.full_ref else "")
        case _:
            return outcome
