"""No value from outside can change the structure of a prompt."""

import json
import re
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any, get_args, get_type_hints

from assistant.language.sanitize import sanitize
from assistant.prompts.book import PromptBook
from assistant.prompts.compiler import PROMPTS
from assistant.prompts.filters import fenced
from assistant.prompts.instructions import (
    Decider,
    Narrator,
    PolicyNotes,
    SimulatedCustomerPart,
    TextRouteRules,
)
from assistant.prompts.prompt import Instruction, Prompt, sample_prompts
from tests.prompts.hostile import HOSTILE, TEXTS
from tests.support.rows import check_rows

OURS: dict[type[Prompt], frozenset[str]] = {
    Decider: frozenset({"language"}),  # out of the list of languages that have words of their own
    Narrator: frozenset({"language"}),
    # The company's own files, as the templates are.
    PolicyNotes: frozenset({"policies"}),
    # Names of sections, and the form of one: text from outside cannot change them.
    TextRouteRules: frozenset({"structure", "example", "calls", "results", "tools"}),
    # The writer of the task instructs this model with it; no customer talks to this model.
    SimulatedCustomerPart: frozenset({"persona", "goal", "facts", "end_mark", "language"}),
}
UNSEEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]"
)
BENIGN = "check your billing"

Place = tuple[type[Prompt], str]


def _places() -> Iterator[Place]:
    """Each value of each template that models read, unless it is ours."""
    for prompt in PROMPTS:
        hints = get_type_hints(prompt)
        for field in fields(prompt):
            texts = hints[field.name] is str or str in get_args(hints[field.name])
            if issubclass(prompt, Instruction) and texts and field.name not in OURS.get(prompt, ()):
                yield prompt, field.name


PLACES = tuple(_places())


def parsed(rendered: str) -> tuple[str, list[str]]:
    r"""The prompt with a hole for everything in quotes, and what the quotes say: its own text, and the values.

    >>> parsed('You said "a\\"b". Go on.')
    ('You said <>. Go on.', ['a"b'])
    """
    own, values, at = "", list[str](), 0
    while (quote := rendered.find('"', at)) >= 0:
        own += rendered[at:quote]
        try:
            value, at = json.JSONDecoder().raw_decode(rendered, quote)
        except json.JSONDecodeError:
            own, at = own + '"', quote + 1
        else:
            own, values = own + "<>", [*values, value]
    return own + rendered[at:], values


def with_value(prompt: type[Prompt], name: str, text: str) -> Prompt:
    trial = next(sample_prompts(prompt))
    given: Any = text if isinstance(getattr(trial, name), str) else (text, text)
    return replace(trial, **{name: given})


def forgeries(book: PromptBook, place: Place) -> list[str]:
    """The texts with which the prompt says anything else in its own voice than it does with a good value."""
    prompt, name = place

    def own(text: str) -> str:
        return parsed(book.render(with_value(prompt, name, text)))[0]

    meant = own(BENIGN)
    return [text for text in TEXTS if own(text) != meant]


@check_rows("place", PLACES, ids=lambda place: f"{place[0].template} {place[1]}")
def test_no_text_forges_anything_in_a_prompt(place: Place, book: PromptBook) -> None:
    assert forgeries(book, place) == []


@check_rows("place", PLACES, ids=lambda place: f"{place[0].template} {place[1]}")
def test_without_the_fence_nearly_every_text_forges_something(place: Place, book: PromptBook) -> None:
    open_ = {
        name: text.replace(" | fenced", "").replace(' | map("fenced")', "")
        for name, text in book.sources.items()
    }

    assert len(forgeries(PromptBook(open_), place)) > 0.95 * len(TEXTS)


@check_rows("place", PLACES, ids=lambda place: f"{place[0].template} {place[1]}")
def test_the_complete_text_stays_visible(place: Place, book: PromptBook) -> None:
    prompt, name = place
    for text in TEXTS:
        rendered = book.render(with_value(prompt, name, text))

        assert UNSEEN.search(rendered) is None
        assert json.loads(fenced(text)) in parsed(rendered)[1]
        assert not set("<>`").intersection(fenced(text))


def test_many_values_come_from_outside() -> None:
    assert {(prompt.template, name) for prompt, name in PLACES} >= {
        ("models/narrator.j2", "acknowledgement"), ("models/narrator.j2", "asked_earlier"),
        ("models/narrator.j2", "notes"),
        ("models/narrator.j2", "to_confirm"), ("models/promise_again.j2", "promised"),
        ("models/groundless.j2", "said"),
        ("models/unproved.j2", "said"), ("models/unproved.j2", "shown"),
        ("models/unreadable_calls.j2", "problems"),
    }  # fmt: skip


def test_the_texts_are_many_and_of_every_kind() -> None:
    kinds = {each.kind for each in HOSTILE}

    assert len(set(TEXTS)) == len(TEXTS) >= 200
    assert kinds == {
        "quote", "newline", "system text", "tag", "heading", "fence", "nonce", "template token", "look-alike",
        "invisible", "bidi", "control", "fragment", "long", "surrogate",
    }  # fmt: skip


def test_quotes_of_any_look_stay_inside() -> None:
    assert fenced("“a” „b“ ″c″ ＂d＂") == r'"\"a\" \"b\" \"c\" \"d\""'


def test_ordinary_text_stays_as_written() -> None:
    said = "Größe 5 – „prima“, 20 % auf 'alles' & mehr… 👩‍🔧 [1] (siehe #2)"

    assert json.loads(fenced(said)) == sanitize(said).replace("„", '"').replace("“", '"')
    assert sanitize(said) == said


def test_a_number_is_fenced_like_a_word() -> None:
    assert fenced(5) == '"5"'
