"""The built-in tool with which the assistant asks for an agent."""

from typing import Literal

from assistant.conversation.customer import Customer
from assistant.conversation.entries import TALK_TO_A_PERSON, Handoff
from assistant.conversation.tool_spec import NO_HINT, ToolSpec
from assistant.conversation.values import JsonObject
from assistant.errors import BadArguments, ToolError
from assistant.prompts.book import PromptBook
from assistant.prompts.instructions import PersonTool
from assistant.prompts.utterances import HandoffTold
from assistant.sessions.handoff_registry import HandoffRegistry
from assistant.tools.registry import Tools
from assistant.tools.tool import ToolContext, ToolResult

NAME = TALK_TO_A_PERSON

_NARRATION = "{{ value.tell }}"


class HandoffTool:
    """A tool that acts on the conversation in which it is called.

    Its result is the state of the request (``queued``, ``unavailable``, ...), the ticket's number if there is
    one, and the sentence for the customer.
    """

    def __init__(self, book: PromptBook, handoffs: HandoffRegistry) -> None:
        self._book, self._handoffs = book, handoffs
        words = {locale: book.words(locale).handoff for locale in book.locales}
        self.spec = ToolSpec(
            name=NAME,
            description=book.render(PersonTool()),
            parameters={"type": "object", "properties": {"reason": {"type": "string"}}, "required": []},
            hints={locale: each.hint for locale, each in words.items() if each.hint != NO_HINT},
            narration=_NARRATION,
            narrations={locale: _NARRATION for locale in words if locale != "en"},
            examples=tuple(example for each in words.values() for example in each.examples),
            role="hands_over",
            trusted=True,
            where="built in",
        )

    def validate(self, arguments: JsonObject) -> JsonObject:
        """Check the arguments: a reason, or no arguments. Raises ``BadArguments``."""
        reason = arguments.get("reason") or ""
        unknown = ", ".join(name for name in arguments if name != "reason")
        if unknown or not isinstance(reason, str):
            raise BadArguments(
                NAME, [unknown + ": not a parameter" if unknown else f"reason: {reason!r} is no text"]
            )
        return {"reason": reason.strip()}

    async def run(self, arguments: JsonObject, *, customer: Customer, context: ToolContext) -> ToolResult:
        """Ask for an agent. Raises ``ToolError`` if that is not possible."""
        conversation, turn, call = context.key.rsplit("/", 2)
        handoff = self._handoffs.find_handoff(customer.tenant, conversation)
        if handoff is None:
            raise ToolError("I can't reach my colleagues from here")
        asked_by = f"{turn}/{call}"
        asked = await handoff.ask(asked_by, str(arguments["reason"]))
        hours = self._book.voice.hours
        closed = hours is not None and not hours.open_at(context.now)
        said = HandoffTold(
            what=_told(asked, is_ours=asked.handoff_id == handoff.id_asked_by(asked_by), closed=closed),
            ticket=asked.ticket,
            hours=hours.in_words if hours is not None else (),
        )
        state = "unavailable" if asked.ticket else asked.state
        return ToolResult(
            {"state": state, "ticket": asked.ticket or None, "tell": self._book.render(said, customer.locale)}
        )

    async def read_back(self, arguments: JsonObject, *, customer: Customer, book: PromptBook) -> str | None:  # noqa: ARG002 - as tools have it
        """None: no confirmation, because the customer has just asked for this."""
        return None


def _told(
    asked: Handoff, *, is_ours: bool, closed: bool
) -> Literal["queued", "again", "there", "closed", "nobody"]:
    match asked.state:
        case "accepted":
            return "there"
        case "ticket" | "unavailable":
            return "closed" if closed else "nobody"
        case _:
            return "queued" if is_ours else "again"


def with_handoff_tool(tools: Tools, book: PromptBook, handoffs: HandoffRegistry) -> Tools:
    """These tools plus the tool that asks for an agent, in the words of this prompt book; it replaces another
    book's tool.

    Raises ``DeclarationError`` if another tool has the same name.
    """
    others = [tool for tool in tools if tool.spec.role != "hands_over"]
    return Tools([*others, HandoffTool(book, handoffs)], tools.changes)
