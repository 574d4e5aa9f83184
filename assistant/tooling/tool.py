"""A tool, as those see it who offer it to a model and run it, wherever it came from."""

from typing import Protocol, runtime_checkable

from assistant.conversation.customer import Customer
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import JsonObject
from assistant.prompts.book import PromptBook
from assistant.tooling.context import ToolContext
from assistant.tooling.result import ToolResult

__all__ = ["CheckedTool", "Tool", "ToolContext"]


class Tool(Protocol):
    """Something that can be looked up or done."""

    @property
    def spec(self) -> ToolSpec:
        """What models, prompts and clients are told of it; always the same object."""
        ...

    def validate(self, arguments: JsonObject) -> JsonObject:
        """The arguments as they will be used: defaults filled in, every value in its one JSON form.

        Raises ``BadArguments``, with one problem for each argument that is missing, unknown or unfit.
        """
        ...

    async def run(self, arguments: JsonObject, *, customer: Customer, context: ToolContext) -> ToolResult:
        """Do it, with arguments that :meth:`validate` has seen. Raises whatever the tool raises.

        Cancelled once, it may take as long as its work does: a thread cannot be stopped, and somebody may want to
        know when it ends. Cancelled twice, it leaves.
        """
        ...

    async def read_back(self, arguments: JsonObject, *, customer: Customer, book: PromptBook) -> str | None:
        """The clause that tells the customer what would be done ("cancel your eye test on Tuesday").

        ``book`` says how dates and sums are spelled in it. None: the tool has no wording of its own. Raises
        whatever the tool raises.
        """
        ...


@runtime_checkable
class CheckedTool(Protocol):
    """A tool that can tell afterwards whether a side effect took place; its spec says so with ``checked``."""

    async def check(
        self, arguments: JsonObject, *, customer: Customer, context: ToolContext
    ) -> ToolResult | None:
        """What the side effect that was begun with ``context.key`` gave; None: it did not take place.

        Raises whatever the tool raises: then it is not known.
        """
        ...
