"""The page on languages, with the sentences that the acknowledgement makes: ``python -m docs.generate.locales``."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from assistant.conversation.tool_spec import NO_HINT, Hint
from assistant.prompts.acknowledgement import Register
from assistant.prompts.book import shipped_book
from assistant.shipped import shipped
from assistant.tools.discovery import discover
from assistant.turn.acknowledge import GrowingAcknowledgement

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "guides" / "locales.md"
LANGUAGES = {"en": "English", "de": "German"}

_TOOLS = {
    "visits": "list_upcoming_appointments",
    "slots": "find_free_slots",
    "book": "book_appointment",
    "cancel": "cancel_appointment",
    "move": "reschedule_appointment",
    "bill": "get_open_invoices",
    "order": "get_order_status",
    "stop": "cancel_order",
    "hours": "get_opening_hours",
    "contact": "update_contact_details",
}
_NO_HINT = "-"

# Situation, register, and what is announced, in order; "-" is a tool without a hint.
_COMBINATIONS: Sequence[tuple[str, Register, str]] = (
    ("one", "request", "visits"),
    ("one", "request", "slots"),
    ("one", "request", "bill"),
    ("one", "request", "order"),
    ("one", "request", "hours"),
    ("one, a question", "question", "visits"),
    ("one, a question", "question", "slots"),
    ("one, a question", "question", "hours"),
    ("one, a question", "question", "order"),
    ("one, a question", "question", "bill"),
    ("one, a complaint", "complaint", "order"),
    ("one, a complaint", "complaint", "bill"),
    ("one, a later round", "later", "bill"),
    ("one, a later round", "later", "slots"),
    ("one, a side effect", "effect", "book"),
    ("one, a side effect", "effect", "cancel"),
    ("one, a side effect", "effect", "move"),
    ("one, a side effect", "effect", "stop"),
    ("one, a side effect", "effect", "contact"),
    ("two", "request", "visits bill"),
    ("two", "request", "order visits"),
    ("two", "request", "hours slots"),
    ("two", "request", "bill order"),
    ("two, a question", "question", "visits bill"),
    ("two, a question", "question", "hours order"),
    ("two, a complaint", "complaint", "order bill"),
    ("two, a complaint", "complaint", "visits order"),
    ("two, a later round", "later", "slots hours"),
    ("two, a later round", "later", "bill order"),
    ("two side effects", "effect", "cancel stop"),
    ("two side effects", "effect", "move contact"),
    ("a lookup and a side effect", "effect", "bill cancel"),
    ("a side effect and a lookup", "effect", "stop visits"),
    ("a lookup and a side effect, a complaint", "complaint", "order stop"),
    ("a lookup and a side effect, a later round", "later", "slots book"),
    ("two lookups and a side effect", "effect", "visits bill move"),
    ("three", "request", "visits bill order"),
    ("three", "request", "hours slots bill"),
    ("three, a question", "question", "order hours visits"),
    ("three, a complaint", "complaint", "bill order visits"),
    ("three, a later round", "later", "slots bill hours"),
    ("four", "request", "visits bill order hours"),
    ("four, a question", "question", "hours slots order bill"),
    ("four, with a side effect", "effect", "visits slots move bill"),
    ("five", "request", "visits bill order hours slots"),
    ("the same twice", "request", "order order"),
    ("the same twice, and another", "question", "order order bill"),
    ("no hint", "request", "-"),
    ("a hint and no hint", "question", "bill -"),
    ("no hint and a hint", "request", "- visits"),
)


@dataclass(frozen=True, slots=True)
class Row:
    """One combination and the sentence that it makes."""

    situation: str
    hints: str
    sentence: str


def locales_page() -> str:
    """What ``docs/guides/locales.md`` must hold."""
    environment = Environment(  # noqa: S701 - Markdown, from our own texts
        loader=FileSystemLoader(Path(__file__).parent), undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
    tables = {name: list(rows(locale)) for locale, name in LANGUAGES.items()}
    return environment.get_template("locales.md.j2").render(tables=tables, measured=measured())


def measured() -> dict[str, str | int]:
    """How many messages are told right, by the name of their file in the tests."""
    book = shipped_book()
    found: dict[str, str | int] = {"ambiguous": len(_messages("messages_ambiguous"))}
    for kind, (locale, page) in product(("messages", "unseen"), (("en", "de"), ("de", "en"))):
        messages = _messages(f"{kind}_{locale}")
        right = sum(book.language_of(message, page) == locale for message in messages)
        found[f"{kind}_{locale}"] = f"{right} of {len(messages)}"
    return found


def _messages(name: str) -> list[str]:
    return (ROOT / "tests" / "prompts" / f"{name}.txt").read_text(encoding="utf-8").splitlines()


def rows(locale: str) -> Iterator[Row]:
    """The table of one language, made as a conversation makes it: no lead-in twice running."""
    specs = {spec.name: spec for spec in discover(shipped("tools")).specs}
    words = shipped_book().acknowledgement(locale)
    used: dict[Register, str] = {}
    for situation, register, announced in _COMBINATIONS:
        hints = [
            NO_HINT if name == _NO_HINT else specs[_TOOLS[name]].own_hint(locale) or NO_HINT
            for name in announced.split()
        ]
        growing = GrowingAcknowledgement(words, register, used.get(register))
        used[register] = growing.lead
        sentence = "".join([*(growing.announce(hint) for hint in hints), growing.close()])
        yield Row(situation, "; ".join(map(_shown, hints)), sentence)


def _shown(hint: Hint) -> str:
    return hint.doing or "(none)"


if __name__ == "__main__":
    PAGE.write_text(locales_page(), encoding="utf-8")
