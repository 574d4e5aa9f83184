"""A long text that is asked for once is not kept; what is asked for all day is."""

import gc
import weakref
from datetime import UTC, datetime

from assistant.prompts.book import PromptBook
from assistant.prompts.instructions import Decider, DialogueSummary


class Text(str):
    """A text that can be seen to go."""

    __slots__ = ("__weakref__",)


def test_what_is_asked_for_once_is_forgotten(book: PromptBook) -> None:
    text = Text("The customer's name is Ana.")
    gone = weakref.ref(text)

    system, given = book.parted_once(DialogueSummary(summary=text, said=(), words=100))
    del text
    gc.collect()

    assert gone() is None
    assert "Ana" in given
    assert "Ana" not in system


def test_it_is_the_same_as_what_is_remembered(book: PromptBook) -> None:
    for prompt in (
        Decider(now=datetime(2026, 11, 22, 14, 5, tzinfo=UTC)),
        DialogueSummary(summary="Ana", said=("a", "b"), words=1),
    ):
        assert book.parted_once(prompt) == book.parted(prompt)
        assert "\n\n".join(book.parted(prompt)).split() == book.render(prompt).split()
