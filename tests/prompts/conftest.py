"""A prompts folder that tests change: the package's, with some files rewritten."""

from collections.abc import Callable

import pytest

from assistant.prompts.book import PromptBook, shipped_book

Edited = Callable[[dict[str, str | None]], PromptBook]


@pytest.fixture
def book() -> PromptBook:
    return shipped_book()


@pytest.fixture
def edited(book: PromptBook) -> Edited:
    """Load the prompts with these files changed; None takes a file away."""

    def load(files: dict[str, str | None]) -> PromptBook:
        texts = {**book.sources, **files}
        return PromptBook({name: text for name, text in texts.items() if text is not None})

    return load
