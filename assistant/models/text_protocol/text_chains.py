"""Tool chains whose calls are JSON or YAML, by name; and how results are written."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

import orjson

from assistant.conversation.calls import Call
from assistant.conversation.outcomes import CallStatus
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json
from assistant.errors import DeclarationError
from assistant.formats.json_text import json_bytes, json_text
from assistant.formats.results import text_with_captions
from assistant.formats.sections import TextFormat, coded
from assistant.formats.tools import wire_name
from assistant.formats.turns import CallIds
from assistant.models.text_protocol.json_reader import JsonReader
from assistant.models.text_protocol.tool_chain import (
    Asked,
    CallReader,
    Chained,
    Named,
    Raw,
    Run,
    ToolChain,
    Unreadable,
    media_in,
    run_all,
)
from assistant.models.text_protocol.yaml_reader import YamlReader


class TextChain(ABC):
    """A tool chain but for the form of its calls, which is its ``reader`` and its ``write``: see ``ToolChain``.

    Args:
        text_format: what results are written in; without one there is a ``DeclarationError``.
    """

    def __init__(self, text_format: TextFormat) -> None:
        self._text_format = checked(text_format, type(self).__name__)

    @property
    def text_format(self) -> TextFormat:
        """What results are written in."""
        return self._text_format

    @abstractmethod
    def reader(self, tools: Sequence[ToolSpec], *, strict: bool = False) -> CallReader:
        """Reads the calls of one text."""

    @abstractmethod
    def write(self, calls: Sequence[Call], ids: CallIds | None = None) -> str:
        """Calls as a model is to write them; "" for none."""

    def parse(self, text: str, tools: Sequence[ToolSpec]) -> tuple[Asked | Unreadable, ...]:
        """The calls that stand in a text."""
        return calls_in(text, self.reader(tools))

    def results(self, outcomes: Sequence[CallStatus], code: str = "", seen: Collection[str] = ()) -> str:
        """How calls stand, as an observation."""
        return observation(self._text_format, outcomes, code, seen)

    async def run(self, text: str, tools: Sequence[ToolSpec], run: Run, *, code: str = "") -> Chained:
        """Make the calls that stand in a text."""
        return await run_calls(self.parse(text, tools), run, self._text_format, code)


class JsonToolChain(TextChain):
    """Reads ``[{"tool": ..., "arguments": {...}}, ...]`` and what models make of it."""

    def reader(self, tools: Sequence[ToolSpec], *, strict: bool = False) -> JsonReader:
        """Reads the calls of one text."""
        return JsonReader([spec.name for spec in tools], strict=strict)

    def write(self, calls: Sequence[Call], ids: CallIds | None = None) -> str:
        """Calls as a list, each on a line of its own; "" for none."""
        lines = ",\n ".join(json_text(written(call, ids)) for call in calls)
        return f"[{lines}]" if lines else ""


def written(call: Call, ids: CallIds | None) -> dict[str, Json]:
    """A call's members, in the order in which they are written."""
    named: dict[str, Json] = {} if ids is None else {"id": ids[call.id]}
    return {**named, "tool": call.tool, "arguments": call.arguments}


_WIDEST = 10_000


class YamlToolChain(TextChain):
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
        plain: Json = orjson.loads(json_bytes([written(call, ids) for call in calls]))
        text = yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=_WIDEST, indent=2)
        return str(text).rstrip("\n")


def _texts(spec: ToolSpec) -> frozenset[str]:
    """The names of a tool's arguments that are texts and nothing else."""
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


def checked(text_format: TextFormat, chain: str) -> TextFormat:
    """The text format itself. Raises ``DeclarationError`` where there is none: results would have no form."""
    if isinstance(text_format, TextFormat):
        return text_format
    raise DeclarationError(
        f"{chain} needs a text format for the results, and has {text_format!r}; write {chain}(MarkdownFormat())"
    )


def calls_in(text: str, reader: CallReader) -> tuple[Asked | Unreadable, ...]:
    """Everything in a text that is a call or was meant as one, in its order."""
    read = [*reader.push(text), *reader.end()]
    return tuple(one for one in read if not isinstance(one, Named))


async def run_calls(
    asked: Sequence[Asked | Unreadable], run: Run, text_format: TextFormat, code: str
) -> Chained:
    """Make the calls, and write what came of them."""
    outcomes = await run_all(asked, run)
    standing: Sequence[CallStatus] = outcomes
    return Chained(
        text=observation(text_format, standing, code), media=media_in(outcomes), raw=Raw(outcomes=outcomes)
    )


OBSERVATION: Final = "observation"
"""The section that only we write."""


def observation(
    text_format: TextFormat, outcomes: Sequence[CallStatus], code: str = "", seen: Collection[str] = ()
) -> str:
    """The outcomes as sections, in their order, each named after its tool; "" for none.

    ``seen`` are the types of media that the model is shown beside them.
    """
    told = (text_with_captions(outcome, seen) for outcome in outcomes)
    sections = zip(_names(outcomes), told, strict=True)
    return text_format.wrap(coded(OBSERVATION, code), sections)


def _names(outcomes: Sequence[CallStatus]) -> Iterator[str]:
    """Each call's tool; from its second call on with the number of the call."""
    seen = Counter[str]()
    for outcome in outcomes:
        name = wire_name(outcome.call.tool)
        seen[name] += 1
        yield name if seen[name] == 1 else f"{name}-{seen[name]}"


_MAKES: Final[Mapping[str, Callable[[TextFormat], ToolChain]]] = MappingProxyType(
    {"json": JsonToolChain, "yaml": YamlToolChain}
)


def tool_chain(name: str, text_format: TextFormat) -> ToolChain:
    """A new tool chain of that name. Raises ``DeclarationError`` naming the known ones."""
    make = _MAKES.get(name)
    if make is None:
        raise DeclarationError(f"no tool chain is named {name!r}; use one of: {', '.join(_MAKES)}")
    return make(text_format)
