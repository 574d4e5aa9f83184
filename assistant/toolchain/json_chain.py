"""Calls as JSON: a list of objects, each with its tool and its arguments."""

from collections.abc import Sequence

from assistant.conversation.calls import Call
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json
from assistant.formats.call_ids import CallIds
from assistant.formats.json_text import json_text
from assistant.toolchain.chain import TextChain
from assistant.toolchain.json_reader import JsonReader


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
