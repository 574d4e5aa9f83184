"""All tools, by name."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from types import MappingProxyType

from assistant.conversation.tool_spec import ToolSpec
from assistant.errors import UnknownTool
from assistant.tools.declaration_errors import Mistake, declaration_error
from assistant.tools.decorator import DeclaredTool
from assistant.tools.media import Change
from assistant.tools.tool import Tool


class Tools:
    """An immutable collection of tools, by name.

    Attributes:
        specs: their declarations, sorted by name, so that the same tools give the same bytes in each prompt.
        changes: the transforms for their media, in order.

    Raises:
        DeclarationError: a tool has mistakes, or two tools have the same name. It contains all mistakes.
    """

    __slots__ = ("_by_name", "changes", "specs")

    def __init__(self, tools: Iterable[Tool] = (), changes: Iterable[Change] = ()) -> None:
        given = list(tools)
        mistakes = tool_mistakes(given)
        if mistakes:
            raise declaration_error(mistakes)
        self._by_name = MappingProxyType({tool.spec.name: tool for tool in given})
        self.changes = tuple(changes)
        # Made only once, because formatters cache what they write for this tuple.
        self.specs: tuple[ToolSpec, ...] = tuple(
            sorted((tool.spec for tool in given), key=lambda spec: spec.name)
        )

    def get(self, name: str) -> Tool:
        """Returns the tool with this name. Raises ``UnknownTool``."""
        tool = self._by_name.get(name)
        if tool is None:
            raise UnknownTool(name, [spec.name for spec in self.specs])
        return tool

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __iter__(self) -> Iterator[Tool]:
        return (self._by_name[spec.name] for spec in self.specs)

    def __len__(self) -> int:
        return len(self.specs)


def tool_mistakes(tools: Iterable[Tool]) -> list[Mistake]:
    """Returns the mistakes of these tools, single and in combination."""
    found: list[Mistake] = []
    places: defaultdict[str, list[str]] = defaultdict(list)
    for tool in tools:
        if isinstance(tool, DeclaredTool):
            found += tool.mistakes
        first = places[tool.spec.name]
        if first:
            found.append(
                Mistake(
                    tool.spec.where, f"is declared at {first[0]} already; rename one of them", tool.spec.name
                )
            )
        first.append(tool.spec.where)
    return found
