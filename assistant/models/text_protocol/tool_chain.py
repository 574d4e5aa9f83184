"""Tool chains: they write calls and results as text, read calls from text, and run them.

A ``ToolChain`` is one form of calls, with a ``reader`` and a ``write``: ``JsonToolChain`` or ``YamlToolChain``.
"""

import asyncio
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, TypeAlias

import orjson
import structlog

from assistant.conversation.calls import Call, call_id
from assistant.conversation.outcomes import CallEmpty, CallFailed, CallStatus, CallSucceeded, Media, Outcome
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json
from assistant.errors import NO_REASON, AssistantError, DeclarationError
from assistant.formats.json_text import json_bytes, json_text
from assistant.formats.sections import TextFormat, coded
from assistant.formats.tools import text_with_captions, wire_name
from assistant.formats.turns import CallIds
from assistant.models.text_protocol.calls import CallReader, NamedCall, ParsedCall, UnreadableCall
from assistant.models.text_protocol.json_calls import JsonReader
from assistant.models.text_protocol.yaml_calls import YamlReader

log = structlog.get_logger(__name__)

OBSERVATION: Final = "observation"
"""The section of results, which only we write."""

_UNKNOWN_TOOL: Final = "call"
_NOT_READ: Final = "I could not work out the details"


@dataclass(frozen=True, slots=True)
class TextPart:
    """A part of a message that is text."""

    text: str


ContentPart: TypeAlias = TextPart | Media


@dataclass(frozen=True, slots=True, kw_only=True)
class RawOutcomes:
    """The outcomes as data, in the order of the calls: ``results`` are those that worked, ``errors`` the others."""

    outcomes: tuple[Outcome, ...] = ()

    @property
    def calls(self) -> tuple[Call, ...]:
        """All calls, also those that failed."""
        return tuple(one.call for one in self.outcomes)

    @property
    def results(self) -> tuple[Outcome, ...]:
        """The outcomes of calls that worked, also empty ones."""
        return tuple(one for one in self.outcomes if isinstance(one, CallSucceeded | CallEmpty))

    @property
    def errors(self) -> tuple[Outcome, ...]:
        """The outcomes of calls that did not work."""
        return tuple(one for one in self.outcomes if not isinstance(one, CallSucceeded | CallEmpty))


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainResult:
    """``text`` is complete, its wrapper included; "" if nothing was called. ``media`` came with the results."""

    text: str = ""
    media: tuple[Media, ...] = ()
    raw: RawOutcomes = RawOutcomes()

    def as_content_parts(self) -> tuple[ContentPart, ...]:
        """The parts of a message to a model: the text, if there is any, then the media."""
        return (*((TextPart(self.text),) if self.text else ()), *self.media)


RunCall: TypeAlias = Callable[[Call], Awaitable[Outcome]]
"""Runs one call. Whatever it raises becomes a failed call."""


class ToolChain(ABC):
    """Calls as JSON, as YAML, or in a form of your own, with results in a text format.

    Args:
        text_format: how results are written; without one there is a ``DeclarationError``.
    """

    def __init__(self, text_format: TextFormat) -> None:
        if not isinstance(text_format, TextFormat):
            chain = type(self).__name__
            raise DeclarationError(
                f"{chain} needs a text format for the results, and has {text_format!r}; "
                f"write {chain}(MarkdownFormat())"
            )
        self.text_format = text_format

    @abstractmethod
    def reader(self, tools: Sequence[ToolSpec], *, strict: bool = False) -> CallReader:
        """Reads the calls of one text, for these tools; ``strict``: words before the first call also end it."""

    @abstractmethod
    def write(self, calls: Sequence[Call], ids: CallIds | None = None) -> str:
        """Calls as a model is to write them, "" for none; ``ids`` distinguish them from calls to be made."""

    def parse(self, text: str, tools: Sequence[ToolSpec]) -> tuple[ParsedCall | UnreadableCall, ...]:
        """The calls in a text, in their order, and what was meant as calls and cannot be read. Never raises."""
        reader = self.reader(tools)
        read = [*reader.push(text), *reader.finish()]
        return tuple(one for one in read if not isinstance(one, NamedCall))

    def results(self, outcomes: Sequence[CallStatus], code: str = "", seen: Collection[str] = ()) -> str:
        """The outcomes as sections of one observation, in their order, each named after its tool; "" for none.

        Args:
            outcomes: how the calls ended.
            code: is part of the observation's name, see :func:`assistant.formats.sections.nonce`.
            seen: the types of media that the model can see.
        """
        told = (text_with_captions(outcome, seen) for outcome in outcomes)
        sections = zip(_section_names(outcomes), told, strict=True)
        return self.text_format.wrap(coded(OBSERVATION, code), sections)

    async def run(self, text: str, tools: Sequence[ToolSpec], run: RunCall, *, code: str = "") -> ChainResult:
        """Run the calls in a text, all at once; the outcomes have the order of the calls.

        Never raises for a call that fails; cancelling cancels them all.
        """
        outcomes = await asyncio.gather(*(_outcome(one, run) for one in self.parse(text, tools)))
        media = (one for each in outcomes if isinstance(each, CallSucceeded) for one in each.media)
        return ChainResult(
            text=self.results(outcomes, code), media=tuple(media), raw=RawOutcomes(outcomes=tuple(outcomes))
        )


def _section_names(outcomes: Sequence[CallStatus]) -> Iterator[str]:
    """Each call's tool; from its second call on with the number of the call."""
    seen = Counter[str]()
    for outcome in outcomes:
        name = wire_name(outcome.call.tool)
        seen[name] += 1
        yield name if seen[name] == 1 else f"{name}-{seen[name]}"


async def _outcome(asked: ParsedCall | UnreadableCall, run: RunCall) -> Outcome:
    call = Call(id=call_id(1, asked.number + 1), tool=asked.tool or _UNKNOWN_TOOL)
    if isinstance(asked, UnreadableCall):
        return CallFailed(call=call, say=_NOT_READ, for_model=asked.for_model)
    call = replace(call, arguments=asked.arguments)
    try:
        return await run(call)
    except AssistantError as error:
        return CallFailed(call=call, say=error.say, for_model=error.for_model)
    except Exception as error:
        log.exception("tool raised", call=call.id, tool=call.tool)
        return CallFailed(call=call, say=NO_REASON, for_model=f"{type(error).__name__} in the tool")


class JsonToolChain(ToolChain):
    """Reads ``[{"tool": ..., "arguments": {...}}, ...]`` and what models make of it."""

    def reader(self, tools: Sequence[ToolSpec], *, strict: bool = False) -> JsonReader:
        """Reads the calls of one text."""
        return JsonReader([spec.name for spec in tools], strict=strict)

    def write(self, calls: Sequence[Call], ids: CallIds | None = None) -> str:
        """Calls as a list, each on a line of its own; "" for none."""
        lines = ",\n ".join(json_text(_members(call, ids)) for call in calls)
        return f"[{lines}]" if lines else ""


_WIDEST = 10_000


class YamlToolChain(ToolChain):
    """Reads ``- tool: ...`` with its ``arguments:`` below, and what models make of it; JSON as well."""

    def reader(self, tools: Sequence[ToolSpec], *, strict: bool = False) -> YamlReader:
        """Reads the calls of one text. Arguments that are texts by their schema need no quotation marks."""
        texts = {spec.name: _texts(spec) for spec in tools}
        return YamlReader(list(texts), texts, strict=strict)

    def write(self, calls: Sequence[Call], ids: CallIds | None = None) -> str:
        """Calls as a list; "" for none."""
        import yaml

        if not calls:
            return ""
        plain: Json = orjson.loads(json_bytes([_members(call, ids) for call in calls]))
        text = yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=_WIDEST, indent=2)
        return str(text).rstrip("\n")


def _members(call: Call, ids: CallIds | None) -> dict[str, Json]:
    """A call's members, in the order in which they are written."""
    named: dict[str, Json] = {} if ids is None else {"id": ids[call.id]}
    return {**named, "tool": call.tool, "arguments": call.arguments}


def _texts(spec: ToolSpec) -> frozenset[str]:
    """The names of a tool's arguments that can only be texts."""
    properties = spec.parameters.get("properties")
    if not isinstance(properties, Mapping):
        return frozenset()
    return frozenset(
        name for name, schema in properties.items() if isinstance(schema, Mapping) and _is_text(schema)
    )


def _is_text(schema: Mapping[str, Json]) -> bool:
    if schema.get("type") == "string":
        return True
    either = schema.get("anyOf")
    kinds = (
        [one.get("type") for one in either if isinstance(one, Mapping)] if isinstance(either, list) else []
    )
    return "string" in kinds and not {"integer", "number", "boolean"} & set(map(str, kinds))


_CHAINS: Final[Mapping[str, Callable[[TextFormat], ToolChain]]] = MappingProxyType(
    {"json": JsonToolChain, "yaml": YamlToolChain}
)


def tool_chain(name: str, text_format: TextFormat) -> ToolChain:
    """A new tool chain of that name. Raises ``DeclarationError`` naming the known ones."""
    make = _CHAINS.get(name)
    if make is None:
        raise DeclarationError(f"no tool chain is named {name!r}; use one of: {', '.join(_CHAINS)}")
    return make(text_format)
