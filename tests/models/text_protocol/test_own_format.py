"""A custom text format works over the text route like ours."""

from collections.abc import Iterable

from assistant.conversation.chunks import CallArguments, CallNamed, StreamEnded, TextDelta
from assistant.formats.sections import Marker
from assistant.models.text_protocol.route import TextRoute
from assistant.models.text_protocol.tool_chain import JsonToolChain
from assistant.prompts.book import shipped_book
from assistant.testing.script import says
from assistant.testing.scripted_model import ScriptedModel
from tests.models.text_protocol.routes import REQUEST, joined


class _Sections:
    """``§name: content§``, at any place."""

    def __init__(self) -> None:
        self._described: dict[str, str] = {}

    def register(self, name: str, description: str) -> None:
        self._described[name] = description

    def describe(self) -> str:
        return self.format_all(self._described.items())

    def parse(self, output: str) -> dict[str, list[str]]:
        raise AssertionError(output)

    def format(self, name: str, content: str) -> str:
        return f"§{name}: {content}§"

    def format_all(self, sections: Iterable[tuple[str, str]]) -> str:
        return "".join(self.format(name, content) for name, content in sections)

    def wrap(self, name: str, sections: Iterable[tuple[str, str]]) -> str:
        return self.format(name, self.format_all(sections))

    def find(self, text: str, *, line_start: bool = True, complete: bool = True) -> Marker | None:
        start = text.find("§calls:")
        return Marker("calls", start, start + 7) if start >= 0 else None

    def held_from(self, text: str, *, line_start: bool = True) -> int:
        place = text.rfind("§")
        return place if place >= 0 else len(text)


async def test_it_is_described_written_and_found():
    model = ScriptedModel(says(list('Let me look. §calls: [{"tool": "list_invoices"}]§')))
    route = TextRoute(model, JsonToolChain(_Sections()), _Sections(), shipped_book().render, b"secret")
    assert joined([chunk async for chunk in route.stream(REQUEST)]) == [
        TextDelta("Let me look. "),
        CallNamed(0, "list_invoices"),
        CallArguments(0, "{}"),
        StreamEnded("tool_calls"),
    ]
    assert '§calls: [{"tool":"TOOL_NAME"' in model.requests[0].view.system
