"""The built-in tool that loads a document or an earlier result in full."""

from typing import Final

from assistant.conversation.customer import Customer
from assistant.conversation.documents import LOAD_IN_FULL
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import JsonObject
from assistant.errors import BadArguments, ToolError
from assistant.memory.lookup.excerpt import LONGEST, excerpt
from assistant.memory.lookup.shelf import Shelf
from assistant.memory.lookup.words import hints_of, narrations_of
from assistant.prompts.book import PromptBook
from assistant.prompts.lookup import FromDocuments, LoadTool
from assistant.tooling.context import ToolContext
from assistant.tooling.result import ToolResult

NAME: Final = LOAD_IN_FULL

_TOLD: Final = "_told_load.j2"


class LoadInFull:
    """Its result is what :func:`assistant.memory.lookup.excerpt.excerpt` gives."""

    def __init__(self, book: PromptBook, shelf: Shelf) -> None:
        self._shelf = shelf
        self.spec = ToolSpec(
            name=NAME,
            description=book.render(LoadTool(characters=LONGEST)),
            parameters={
                "type": "object",
                "properties": {"ref": {"type": "string"}, "start": {"type": "integer", "default": 0}},
                "required": ["ref"],
            },
            hints=hints_of(book, "reading"),
            instructions=book.render(FromDocuments()),
            narration=book.sources[_TOLD],
            narrations=narrations_of(book, _TOLD),
            role="loads",
            where="built in",
        )

    def validate(self, arguments: JsonObject) -> JsonObject:
        """A reference, and where to begin. Raises ``BadArguments``."""
        ref, start = arguments.get("ref"), arguments.get("start") or 0
        problems = [f"{name}: not a parameter" for name in arguments if name not in ("ref", "start")]
        if not isinstance(ref, str) or not ref.strip():
            problems.append(f"ref: {ref!r} is no reference; copy it from a passage or a shortened result")
        if not isinstance(start, int) or start < 0:
            problems.append(f"start: {start!r} is no place in a text; leave it out, or take it from `next`")
        if problems:
            raise BadArguments(NAME, problems)
        return {"ref": str(ref).strip(), "start": start}

    async def run(self, arguments: JsonObject, *, customer: Customer, context: ToolContext) -> ToolResult:
        """Load it. Raises ``ToolError`` where this customer has none of this name, ``StoreError`` beside it."""
        ref, start = str(arguments["ref"]), arguments["start"]
        document = await self._shelf.load(customer.tenant, context.visitor or customer.id, ref)
        if document is None:
            # The same words whether it never was, is no more, or is somebody else's.
            raise ToolError(
                "I can't find that text any more",
                for_model=f"There is no text {ref!r} here. Search again, or take the reference from a passage.",
            )
        return ToolResult(excerpt(document, start if isinstance(start, int) else 0))

    async def read_back(self, arguments: JsonObject, *, customer: Customer, book: PromptBook) -> str | None:  # noqa: ARG002 - as tools have it
        """Nothing is done, so nobody is asked."""
        return None
