"""A model behind the text route whose text the test sets."""

from collections.abc import Sequence
from dataclasses import replace

from assistant.conversation.chunks import Chunk, TextDelta
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json
from assistant.conversation.views import View
from assistant.models.text_protocol.route import TextRoute, through_text
from assistant.ports import Model, ModelRequest
from assistant.prompts.book import shipped_book
from assistant.testing.script import Line, says
from assistant.testing.scripted_model import ScriptedModel

SECRET = b"nobody knows"


def spec(tool: str, /, **arguments: str) -> ToolSpec:
    properties: Json = {argument: {"type": kind} for argument, kind in arguments.items()}
    return ToolSpec(
        name=tool, description=f"Does {tool}.", parameters={"type": "object", "properties": properties}
    )


TOOLS = (spec("get_order", order="string"), spec("list_invoices"), spec("crm.note", text="string"))
REQUEST = ModelRequest(role="decider", view=View("You help.", ()), tools=TOOLS, conversation="c7")
IN_WORDS = replace(REQUEST, role="narrator", tools=())


def route(model: Model, *, calls: str = "json", sections: str = "markdown") -> TextRoute:
    return through_text(model, render=shipped_book().render, secret=SECRET, calls=calls, sections=sections)


async def reply_to(
    written: str | Sequence[str] | Line, request: ModelRequest = REQUEST, *, calls: str = "json"
) -> list[Chunk]:
    """What comes out of the route when the model writes this."""
    line = written if isinstance(written, Line) else says(written)
    return [chunk async for chunk in route(ScriptedModel(line), calls=calls).stream(request)]


def joined(chunks: Sequence[Chunk]) -> list[Chunk]:
    """The same, with adjacent texts joined."""
    found: list[Chunk] = []
    for chunk in chunks:
        last = found[-1] if found else None
        if isinstance(chunk, TextDelta) and isinstance(last, TextDelta):
            found[-1] = TextDelta(last.text + chunk.text)
        else:
            found.append(chunk)
    return found
