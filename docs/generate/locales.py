"""The pages on languages: the guide, and the table of the sentences that each language makes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from assistant.conversation.tool_spec import NO_HINT, Hint
from assistant.prompts.acknowledgement import Register
from assistant.prompts.book import PromptBook, shipped_book
from assistant.prompts.locale import language_name
from assistant.shipped import shipped
from assistant.tools.discovery import discover
from assistant.turn.acknowledge import GrowingAcknowledgement
from assistant.turn.guardrails.guardrail import GUARDRAILS, works_in

ROOT = Path(__file__).parents[2]
LANGUAGES = {locale: language_name(locale) for locale in shipped_book().locales}
_GRAMMARS = {"words": "read word by word", "whole": "only as a whole", "none": "only a button or a key"}

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


@dataclass(frozen=True, slots=True)
class Language:
    """What one language has, as the tables show it."""

    name: str
    locale: str
    written_in: str
    answers: str
    guardrails: str
    messages: str
    unseen: str


def locales_page() -> str:
    """What ``docs/guides/locales.md`` must hold."""
    return _page("locales.md.j2", languages=languages(), ambiguous=len(_messages("messages_ambiguous")))


def languages_page() -> str:
    """What ``docs/reference/languages.md`` must hold: fifty acknowledgements of each language."""
    tables = {name: list(rows(locale)) for locale, name in LANGUAGES.items()}
    guardrails = [(name, one.suppresses, one.needs) for name, one in GUARDRAILS.items()]
    return _page("languages.md.j2", languages=languages(), tables=tables, guardrails=guardrails)


def _page(template: str, **values: object) -> str:
    environment = Environment(  # noqa: S701 - Markdown, from our own texts
        loader=FileSystemLoader(Path(__file__).parent), undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
    return environment.get_template(template).render(**values)


def languages() -> list[Language]:
    """Each language, and how many messages are told right on a page of another language."""
    book = shipped_book()
    return [
        Language(
            name=name,
            locale=locale,
            written_in="a template for each text" if not book.words(locale).sentences else "`[sentences]`",
            answers=_GRAMMARS[book.words(locale).consent.grammar],
            guardrails=", ".join(one for one in GUARDRAILS if works_in(one, book, locale)) or "none",
            messages=_told(book, "messages", locale),
            unseen=_told(book, "unseen", locale),
        )
        for locale, name in LANGUAGES.items()
    ]


def _told(book: PromptBook, kind: str, locale: str) -> str:
    messages = _messages(f"{kind}_{locale}")
    page = "de" if locale == "en" else "en"
    right = sum(book.language_of(message, page) == locale for message in messages)
    return f"{right} of {len(messages)}"


def _messages(name: str) -> list[str]:
    return (ROOT / "tests" / "prompts" / f"{name}.txt").read_text(encoding="utf-8").splitlines()


def rows(locale: str) -> Iterator[Row]:
    """The table of one language, made as a conversation makes it: no lead-in twice running."""
    book = shipped_book()
    known = _hints(book, locale)
    words = book.acknowledgement(locale)
    used: dict[Register, str] = {}
    for situation, register, announced in _COMBINATIONS:
        hints = [NO_HINT if name == _NO_HINT else known[name] for name in announced.split()]
        growing = GrowingAcknowledgement(words, register, used.get(register))
        used[register] = growing.lead
        sentence = "".join([*(growing.announce(hint) for hint in hints), growing.close()])
        yield Row(situation, "; ".join(map(_shown, hints)), sentence)


def _hints(book: PromptBook, locale: str) -> Mapping[str, Hint]:
    """The example hints of the locale's file, or else those of the demo shop's tools."""
    examples = book.words(locale).hint_examples
    if examples:
        return {name: Hint(doing=one.doing, will=one.will) for name, one in examples.items()}
    specs = {spec.name: spec for spec in discover(shipped("tools")).specs}
    return {name: specs[tool].own_hint(locale) or NO_HINT for name, tool in _TOOLS.items()}


def _shown(hint: Hint) -> str:
    return hint.doing or "(none)"
