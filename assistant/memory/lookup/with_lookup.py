"""Puts the tools that look into documents beside the others."""

from assistant.memory.lookup.load_in_full import LoadInFull
from assistant.memory.lookup.search_documents import SearchDocuments
from assistant.memory.lookup.shelf import Shelf
from assistant.prompts.book import PromptBook
from assistant.tooling.registry import Tools


def with_lookup(tools: Tools, book: PromptBook, shelf: Shelf) -> Tools:
    """These tools and, in this book's words, the two that look into documents; instead of another book's.

    Raises ``DeclarationError`` when another tool bears the name of one of them.
    """
    others = [tool for tool in tools if tool.spec.role not in ("searches", "loads")]
    return Tools([*others, SearchDocuments(book, shelf), LoadInFull(book, shelf)], tools.changes)
