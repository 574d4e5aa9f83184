"""The built-in tool that finds passages of documents by what they mean."""

from typing import Final

from assistant.conversation.customer import Customer
from assistant.conversation.documents import SEARCH_DOCUMENTS, Finding, place_in
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json, JsonObject
from assistant.errors import BadArguments
from assistant.memory.lookup.near import near
from assistant.memory.lookup.shelf import Shelf
from assistant.memory.lookup.words import hints_of, narrations_of
from assistant.prompts.book import PromptBook
from assistant.prompts.lookup import FromDocuments, SearchTool
from assistant.tooling.context import ToolContext
from assistant.tooling.result import ToolResult

NAME: Final = SEARCH_DOCUMENTS

_TOLD: Final = "_told_search.j2"
_PASSAGES: Final = 5
_LONGEST_QUESTION: Final = 2_000  # characters; nobody's question is longer, and each is embedded


class SearchDocuments:
    """Its result is a list, best first: ``source``, ``place``, ``text``, ``kind``, ``score``, ``ref``.

    It is empty when nothing is near enough to the question.
    """

    def __init__(self, book: PromptBook, shelf: Shelf) -> None:
        self._shelf = shelf
        self.spec = ToolSpec(
            name=NAME,
            description=book.render(SearchTool()),
            parameters={
                "type": "object",
                "properties": {"question": {"type": "string"}},
                "required": ["question"],
            },
            hints=hints_of(book, "searching"),
            instructions=book.render(FromDocuments()),
            narration=book.sources[_TOLD],
            narrations=narrations_of(book, _TOLD),
            role="searches",
            where="built in",
        )

    def validate(self, arguments: JsonObject) -> JsonObject:
        """A question. Raises ``BadArguments``."""
        problems = [f"{name}: not a parameter" for name in arguments if name != "question"]
        question = arguments.get("question")
        if not isinstance(question, str) or not question.strip():
            problems.append(f"question: {question!r} is no question; write it out, as one sentence")
        if problems:
            raise BadArguments(NAME, problems)
        return {"question": str(question).strip()[:_LONGEST_QUESTION]}

    async def run(self, arguments: JsonObject, *, customer: Customer, context: ToolContext) -> ToolResult:
        """Search what this customer may read. Raises ``StoreError`` or ``EmbeddingError``."""
        question = str(arguments["question"])
        whose = context.visitor or customer.id
        findings = await self._shelf.search(customer.tenant, whose, question, limit=_PASSAGES)
        return ToolResult([_shown(finding) for finding in near(findings)])

    async def read_back(self, arguments: JsonObject, *, customer: Customer, book: PromptBook) -> str | None:  # noqa: ARG002 - as tools have it
        """Nothing is done, so nobody is asked."""
        return None


def _shown(finding: Finding) -> dict[str, Json]:
    return {
        "source": finding.title,
        "place": place_in(finding),
        "text": finding.passage.text,
        "kind": finding.kind,
        "score": round(finding.score, 2),
        "ref": finding.ref,
    }
