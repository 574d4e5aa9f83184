"""Tool chains: they write calls and results as text, read calls from text, and run them.

A ``ToolChain`` is one form of calls, with a ``reader`` and a ``write`` method: ``JsonToolChain`` or
``YamlToolChain``.
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
"""The section of results. Only we write it."""

_UNKNOWN_TOOL: Final = "call"
_NOT_READ: Final = "I could not work out the details"


@dataclass(frozen=True, slots=True)
class TextPart:
    """A text in a message."""

    text: str


ContentPart: TypeAlias = TextPart | Media


@dataclass(frozen=True, slots=True, kw_only=True)
class RawOutcomes:
    """The outcomes as data, in the order of the calls.

    ``results`` are the successful ones, ``errors`` the others.
    """

    outcomes: tuple[Outcome, ...] = ()

    @property
    def calls(self) -> tuple[Call, ...]:
        """All calls, including those that failed."""
        return tuple(one.call for one in self.outcomes)

    @property
    def results(self) -> tuple[Outcome, ...]:
        """The outcomes of successful calls, including empty ones."""
        return tuple(one for one in self.outcomes if isinstance(one, CallSucceeded | CallEmpty))

    @property
    def errors(self) -> tuple[Outcome, ...]:
        """The outcomes of calls that were not successful."""
        return tuple(one for one in self.outcomes if not isinstance(one, CallSucceeded | CallEmpty))


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainResult:
    """``text`` is the complete text with its wrapper; "" if there were no calls.

    ``media`` belong to the results.
    """

    text: str = ""
    media: tuple[Media, ...] = ()
    raw: RawOutcomes = RawOutcomes()

    def as_content_parts(self) -> tuple[ContentPart, ...]:
        """Returns the parts of a message to a model: the text, if there is any, and then the media."""
        return (*((TextPart(self.text),) if self.text else ()), *self.media)


RunCall: TypeAlias = Callable[[Call], Awaitable[Outcome]]
"""Runs one call. Any exception becomes a failed call."""


class ToolChain(ABC):
    """Calls as JSON, as YAML, or in your own form, with results in a text format.

    Args:
        text_format: the format of results. Raises ``DeclarationError`` if it is missing.
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
        """Returns a reader for the calls of one text. ``strict`` is True if it stops at words before the
        first call.
        """

    @abstractmethod
    def write(self, calls: Sequence[Call], ids: CallIds | None = None) -> str:
        """Returns the calls in the form that a model must write, or "" for none.

        ``ids`` mark them as earlier calls.
        """

    def parse(self, text: str, tools: Sequence[ToolSpec]) -> tuple[ParsedCall | UnreadableCall, ...]:
        """Returns the calls in a text, in order, including unreadable ones. Never raises."""
        reader = self.reader(tools)
        read = [*reader.push(text), *reader.finish()]
        return tuple(one for one in read if not isinstance(one, NamedCall))

    def results(self, outcomes: Sequence[CallStatus], code: str = "", seen: Collection[str] = ()) -> str:
        """Returns the outcomes as sections of one observation, in order, each with the name of its tool, or
        "" for none.

        Args:
            outcomes: the outcomes of the calls.
            code: a part of the observation's name, see :func:`assistant.formats.sections.nonce`.
            seen: the types of media that the model can see.
        """
        told = (text_with_captions(outcome, seen) for outcome in outcomes)
        sections = zip(_section_names(outcomes), told, strict=True)
        return self.text_format.wrap(coded(OBSERVATION, code), sections)

    async def run(self, text: str, tools: Sequence[ToolSpec], run: RunCall, *, code: str = "") -> ChainResult:
        """Run all calls in a text concurrently. The outcomes are in the order of the calls.

        Never raises for a call that fails. A cancellation cancels all calls.
        """
        outcomes = await asyncio.gather(*(_outcome(one, run) for one in self.parse(text, tools)))
        media = (one for each in outcomes if isinstance(each, CallSucceeded) for one in each.media)
        return ChainResult(
            text=self.results(outcomes, code), media=tuple(media), raw=RawOutcomes(outcomes=tuple(outcomes))
        )


def _section_names(outcomes: Sequence[CallStatus]) -> Iterator[str]:
    """Yields the tool of each call. From a tool's second call on, the number of the call is added."""
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
    """Reads ``[{"tool": ..., "arguments": {...}}, ...]`` and the variants of it that models write."""

    def reader(self, tools: Sequence[ToolSpec], *, strict: bool = False) -> JsonReader:
        """Returns a reader for the calls of one text."""
        return JsonReader([spec.name for spec in tools], strict=strict)

    def write(self, calls: Sequence[Call], ids: CallIds | None = None) -> str:
        """Returns the calls as a list, one on each line, or "" for none."""
        lines = ",\n ".join(json_text(_members(call, ids)) for call in calls)
        return f"[{lines}]" if lines else ""


_WIDEST = 10_000


class YamlToolChain(ToolChain):
    """Reads ``- tool: ...`` with its ``arguments:`` below, the variants that models write, and JSON."""

    def reader(self, tools: Sequence[ToolSpec], *, strict: bool = False) -> YamlReader:
        """Returns a reader for the calls of one text.

        Arguments that are texts by their schema need no quotation marks.
        """
        texts = {spec.name: _texts(spec) for spec in tools}
        return YamlReader(list(texts), texts, strict=strict)

    def write(self, calls: Sequence[Call], ids: CallIds | None = None) -> str:
        """Returns the calls as a list, or "" for none."""
        import yaml

        if not calls:
            return ""
        plain: Json = orjson.loads(json_bytes([_members(call, ids) for call in calls]))
        text = yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=_WIDEST, indent=2)
        return str(text).rstrip("\n")


def _members(call: Call, ids: CallIds | None) -> dict[str, Json]:
    """Returns a call's members, in the order in which they are written."""
    named: dict[str, Json] = {} if ids is None else {"id": ids[call.id]}
    return {**named, "tool": call.tool, "arguments": call.arguments}


def _texts(spec: ToolSpec) -> frozenset[str]:
    """Returns the names of a tool's arguments whose schema allows only texts."""
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
    """Returns a new tool chain with that name. Raises ``DeclarationError`` with the known names."""
    make = _CHAINS.get(name)
    if make is None:
        raise DeclarationError(f"no tool chain is named {name!r}; use one of: {', '.join(_CHAINS)}")
    return make(text_format)
