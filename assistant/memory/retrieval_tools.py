"""The two built-in tools that search documents and load one in full."""

from collections.abc import Iterable, Mapping
from typing import Final, Literal, Protocol, cast

import orjson

from assistant.conversation.customer import Customer
from assistant.conversation.documents import LOAD_IN_FULL, SEARCH_DOCUMENTS, Document, Finding, place_of
from assistant.conversation.tool_spec import NO_HINT, Hint, ToolSpec
from assistant.conversation.values import Json, JsonObject
from assistant.errors import BadArguments, ToolError
from assistant.prompts.book import PromptBook
from assistant.prompts.instructions import FromDocuments, LoadTool, SearchTool
from assistant.prompts.locale import DEFAULT_LOCALE
from assistant.tools.registry import Tools
from assistant.tools.tool import ToolContext, ToolResult


class DocumentLibrary(Protocol):
    """Documents that one customer may read: their own and the company's.

    Both methods raise ``StoreError`` or ``EmbeddingError`` if the library cannot be read.
    """

    async def search(self, tenant: str, customer: str, question: str, *, limit: int = 5) -> list[Finding]:
        """Returns the passages nearest to a question, nearest first."""
        ...

    async def load(self, tenant: str, customer: str, ref: str) -> Document | None:
        """Returns the whole document, or None if it does not exist, has expired, or belongs to another
        customer.
        """
        ...


class EmptyLibrary:
    """A library without documents."""

    async def search(self, tenant: str, customer: str, question: str, *, limit: int = 5) -> list[Finding]:  # noqa: ARG002 - as the port has it
        """Returns no passages."""
        return []

    async def load(self, tenant: str, customer: str, ref: str) -> Document | None:  # noqa: ARG002
        """Returns no document."""
        return None


def hints_of(book: PromptBook, doing: Literal["searching", "reading"]) -> Mapping[str, Hint]:
    """Returns the hint in each locale that has one."""
    words = {locale: book.words(locale).lookup for locale in book.locales}
    hints = {
        locale: each.searching if doing == "searching" else each.reading for locale, each in words.items()
    }
    return {locale: hint for locale, hint in hints.items() if hint != NO_HINT}


def narrations_of(book: PromptBook, template: str) -> Mapping[str, str]:
    """Returns the narration in each locale that has a file for it, except English."""
    files = {locale: book.file_in(template, locale) for locale in book.locales if locale != DEFAULT_LOCALE}
    return {locale: book.sources[file] for locale, file in files.items() if file is not None}


SCORE_THRESHOLD: Final = 0.28
"""The cosine from which on a passage is shown to a model, which decides whether it answers the question.

With the embedded embeddings and the demo shop's pages, 29 of 30 questions that these pages answer find such a
passage, and 11 of 30 other questions find one that is no answer (tests/models/demo/in_documents.txt,
not_in_documents.txt).
"""

_MAX_DISTANCE_FROM_BEST: Final = 0.25
"""Passages with a score lower than the best one's by more than this are left out."""


def above_threshold(findings: Iterable[Finding]) -> list[Finding]:
    """Returns the findings with a sufficient score, in the same order."""
    shown = [finding for finding in findings if finding.score >= SCORE_THRESHOLD]
    return [finding for finding in shown if finding.score >= shown[0].score - _MAX_DISTANCE_FROM_BEST]


EXCERPT_CHARACTERS: Final = 12_000
"""The most characters of one excerpt: about three thousand tokens, of which a turn can contain a few."""

_WORD_BREAK_WINDOW: Final = 200


def excerpt(document: Document, start: int = 0) -> JsonObject:
    """Returns the text from ``start`` on: ``source``, ``ref``, ``text``, ``start``, ``of``, and ``next`` if
    more follows.

    ``of`` is the length of the whole text. A result that fits completely is returned as data, in ``value``.

    >>> document = Document(ref="r", tenant="t", customer="", kind="upload", title="a.txt", text="short")
    >>> dict(excerpt(document))
    {'source': 'a.txt', 'ref': 'r', 'text': 'short', 'start': 0, 'of': 5}
    """
    head: dict[str, Json] = {"source": document.title, "ref": document.ref}
    text = document.text
    if (
        document.kind == "result"
        and start == 0
        and len(text) <= EXCERPT_CHARACTERS
        and (data := _data(text)) is not None
    ):
        return {**head, "value": data}
    end = _end(text, start)
    more: dict[str, Json] = {"next": end} if end < len(text) else {}
    return {**head, "text": text[start:end], "start": start, "of": len(text), **more}


def _end(text: str, start: int) -> int:
    """Returns the end of the excerpt: after a word, if a word ends near this position."""
    end = start + EXCERPT_CHARACTERS
    if end >= len(text):
        return len(text)
    space = max(text.rfind(sign, end - _WORD_BREAK_WINDOW, end) for sign in " \n")
    return space + 1 if space > start else end


def _data(text: str) -> Json:
    """Returns the text parsed as JSON, or None if it is not JSON or is empty."""
    try:
        return cast("Json", orjson.loads(text))
    except orjson.JSONDecodeError:
        return None


_TOLD_SEARCH: Final = "customers/en/_told_search.j2"
_PASSAGES: Final = 5
_LONGEST_QUESTION: Final = 2_000  # characters; each question is embedded


class SearchDocuments:
    """Searches documents. The result is a list, best first: ``source``, ``place``, ``text``, ``kind``,
    ``score``, ``ref``.

    It is empty if no passage is similar enough to the question.
    """

    def __init__(self, book: PromptBook, library: DocumentLibrary) -> None:
        self._library = library
        self.spec = ToolSpec(
            name=SEARCH_DOCUMENTS,
            description=book.render(SearchTool()),
            parameters={
                "type": "object",
                "properties": {"question": {"type": "string"}},
                "required": ["question"],
            },
            hints=hints_of(book, "searching"),
            instructions=book.render(FromDocuments()),
            narration=book.sources[_TOLD_SEARCH],
            narrations=narrations_of(book, _TOLD_SEARCH),
            role="searches",
            where="built in",
        )

    def validate(self, arguments: JsonObject) -> JsonObject:
        """Check that there is a question. Raises ``BadArguments``."""
        problems = [f"{name}: not a parameter" for name in arguments if name != "question"]
        question = arguments.get("question")
        if not isinstance(question, str) or not question.strip():
            problems.append(f"question: {question!r} is no question; write it out, as one sentence")
        if problems:
            raise BadArguments(SEARCH_DOCUMENTS, problems)
        return {"question": str(question).strip()[:_LONGEST_QUESTION]}

    async def run(self, arguments: JsonObject, *, customer: Customer, context: ToolContext) -> ToolResult:
        """Search the documents that this customer may read. Raises ``StoreError`` or ``EmbeddingError``."""
        question = str(arguments["question"])
        whose = context.visitor or customer.id
        findings = await self._library.search(customer.tenant, whose, question, limit=_PASSAGES)
        return ToolResult([_shown(finding) for finding in above_threshold(findings)])

    async def read_back(self, arguments: JsonObject, *, customer: Customer, book: PromptBook) -> str | None:  # noqa: ARG002 - as tools have it
        """Returns None, because the tool changes nothing, so the customer is not asked."""
        return None


def _shown(finding: Finding) -> dict[str, Json]:
    return {
        "source": finding.title,
        "place": place_of(finding),
        "text": finding.passage.text,
        "kind": finding.kind,
        "score": round(finding.score, 2),
        "ref": finding.ref,
    }


_TOLD_LOAD: Final = "customers/en/_told_load.j2"


class LoadInFull:
    """Loads a document. The result is that of :func:`excerpt`."""

    def __init__(self, book: PromptBook, library: DocumentLibrary) -> None:
        self._library = library
        self.spec = ToolSpec(
            name=LOAD_IN_FULL,
            description=book.render(LoadTool(characters=EXCERPT_CHARACTERS)),
            parameters={
                "type": "object",
                "properties": {"ref": {"type": "string"}, "start": {"type": "integer", "default": 0}},
                "required": ["ref"],
            },
            hints=hints_of(book, "reading"),
            instructions=book.render(FromDocuments()),
            narration=book.sources[_TOLD_LOAD],
            narrations=narrations_of(book, _TOLD_LOAD),
            role="loads",
            where="built in",
        )

    def validate(self, arguments: JsonObject) -> JsonObject:
        """Check that there is a reference; the position is optional. Raises ``BadArguments``."""
        ref, start = arguments.get("ref"), arguments.get("start") or 0
        problems = [f"{name}: not a parameter" for name in arguments if name not in ("ref", "start")]
        if not isinstance(ref, str) or not ref.strip():
            problems.append(f"ref: {ref!r} is no reference; copy it from a passage or a shortened result")
        if not isinstance(start, int) or start < 0:
            problems.append(f"start: {start!r} is no place in a text; leave it out, or take it from `next`")
        if problems:
            raise BadArguments(LOAD_IN_FULL, problems)
        return {"ref": str(ref).strip(), "start": start}

    async def run(self, arguments: JsonObject, *, customer: Customer, context: ToolContext) -> ToolResult:
        """Load the document. Raises ``ToolError`` if there is none, ``StoreError`` if the store fails."""
        ref, start = str(arguments["ref"]), arguments["start"]
        document = await self._library.load(customer.tenant, context.visitor or customer.id, ref)
        if document is None:
            # The same text for a document that never existed, was deleted, or belongs to another customer.
            raise ToolError(
                "I can't find that text any more",
                for_model=f"There is no text {ref!r} here. Search again, or take the reference from a passage.",
            )
        return ToolResult(excerpt(document, start if isinstance(start, int) else 0))

    async def read_back(self, arguments: JsonObject, *, customer: Customer, book: PromptBook) -> str | None:  # noqa: ARG002 - as tools have it
        """Returns None, because the tool changes nothing, so the customer is not asked."""
        return None


def with_retrieval_tools(tools: Tools, book: PromptBook, library: DocumentLibrary) -> Tools:
    """Returns these tools plus the two that read documents, with this book's texts.

    They replace those of another book.

    Raises ``DeclarationError`` if another tool has the name of one of them.
    """
    others = [tool for tool in tools if tool.spec.role not in ("searches", "loads")]
    return Tools([*others, SearchDocuments(book, library), LoadInFull(book, library)], tools.changes)
