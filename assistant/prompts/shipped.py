"""Where the prompts that come with the package lie."""

from functools import cache

from assistant.prompts.book import PromptBook
from assistant.shipped import shipped


@cache
def shipped_book() -> PromptBook:
    """The prompts as they come with the package, loaded once."""
    return PromptBook.load(shipped("prompts"))
