"""Calls as YAML: a list of mappings, each with its tool and its arguments."""

from collections.abc import Mapping, Sequence

import orjson

from assistant.conversation.calls import Call
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json
from assistant.formats.call_ids import CallIds
from assistant.formats.json_text import json_bytes
from assistant.toolchain.chain import TextChain
from assistant.toolchain.json_chain import written
from assistant.toolchain.yaml_reader import YamlReader

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
