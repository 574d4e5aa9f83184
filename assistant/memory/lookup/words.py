"""What the prompts say for these tools, in every locale."""

from collections.abc import Mapping
from typing import Literal

from assistant.conversation.tool_spec import NO_HINT, Hint
from assistant.prompts.book import PromptBook
from assistant.prompts.spoken import DEFAULT_LOCALE, file_in


def hints_of(book: PromptBook, doing: Literal["searching", "reading"]) -> Mapping[str, Hint]:
    """The hint in each locale that has one."""
    words = {locale: book.words(locale).lookup for locale in book.locales}
    hints = {
        locale: each.searching if doing == "searching" else each.reading for locale, each in words.items()
    }
    return {locale: hint for locale, hint in hints.items() if hint != NO_HINT}


def narrations_of(book: PromptBook, template: str) -> Mapping[str, str]:
    """The narration in each locale but English that has a file for it."""
    files = {locale: file_in(template, locale) for locale in book.locales if locale != DEFAULT_LOCALE}
    return {locale: book.sources[file] for locale, file in files.items() if file in book.sources}
