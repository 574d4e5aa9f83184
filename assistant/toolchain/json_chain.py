"""Calls as JSON: a list of objects, each with its tool and its arguments."""

from collections.abc import Collection, Sequence

from assistant.conversation.calls import Call
from assistant.conversation.outcomes import Standing
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json
from assistant.formats.call_ids import CallIds
from assistant.formats.json_text import json_text
from assistant.sections.text_format import TextFormat
from assistant.toolchain.asked import Asked, Unreadable
from assistant.toolchain.chain import calls_in, checked, run_calls
from assistant.toolchain.chained import Chained
from assistant.toolchain.json_reader import JsonReader
from assistant.toolchain.observation import observation
from assistant.toolchain.run import Run


class JsonToolChain:
    """Reads ``[{"tool": ..., "arguments": {...}}, ...]`` and what models make of it.

    Args:
        text_format: what results are written in; without one there is a ``DeclarationError``.
    """

    def __init__(self, text_format: TextFormat) -> None:
        self._text_format = checked(text_format, type(self).__name__)

    @property
    def text_format(self) -> TextFormat:
        """What results are written in."""
        return self._text_format

    def reader(self, tools: Sequence[ToolSpec], *, strict: bool = False) -> JsonReader:
        """Reads the calls of one text."""
        return JsonReader([spec.name for spec in tools], strict=strict)

    def parse(self, text: str, tools: Sequence[ToolSpec]) -> tuple[Asked | Unreadable, ...]:
        """The calls that stand in a text."""
        return calls_in(text, self.reader(tools))

    def write(self, calls: Sequence[Call], ids: CallIds | None = None) -> str:
        """Calls as a list, each on a line of its own; "" for none."""
        lines = ",\n ".join(json_text(written(call, ids)) for call in calls)
        return f"[{lines}]" if lines else ""

    def results(self, outcomes: Sequence[Standing], code: str = "", seen: Collection[str] = ()) -> str:
        """How calls stand, as an observation."""
        return observation(self._text_format, outcomes, code, seen)

    async def run(self, text: str, tools: Sequence[ToolSpec], run: Run, *, code: str = "") -> Chained:
        """Make the calls that stand in a text."""
        return await run_calls(self.parse(text, tools), run, self._text_format, code)


def written(call: Call, ids: CallIds | None) -> dict[str, Json]:
    """A call's members, in the order in which they are written."""
    named: dict[str, Json] = {} if ids is None else {"id": ids[call.id]}
    return {**named, "tool": call.tool, "arguments": call.arguments}
