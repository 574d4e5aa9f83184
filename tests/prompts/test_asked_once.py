"""A long text that is used once is not cached; one that is used all day is."""

import gc
import weakref
from datetime import UTC, datetime

import pytest

from assistant.prompts.book import PromptBook
from assistant.prompts.instructions import Decider, DialogueSummary


class Text(str):
    """A text that can be seen to go."""

    __slots__ = ("__weakref__",)


@pytest.mark.usefixtures("everything_is_collected")
def test_a_text_that_is_used_once_is_not_cached(book: PromptBook) -> None:
    text = Text("The customer's name is Ana.")
    gone = weakref.ref(text)

    system, given = book.parted_once(DialogueSummary(summary=text, said=(), words=100))
    del text
    gc.collect()

    assert gone() is None
    assert "Ana" in given
    assert "Ana" not in system


def test_it_equals_the_cached_text(book: PromptBook) -> None:
    for prompt in (
        Decider(now=datetime(2026, 11, 22, 14, 5, tzinfo=UTC)),
        DialogueSummary(summary="Ana", said=("a", "b"), words=1),
    ):
        assert book.parted_once(prompt) == book.parted(prompt)
        assert "\n\n".join(book.parted(prompt)).split() == book.render(prompt).split()
