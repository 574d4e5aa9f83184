"""The filters of templates and narrations, which write values as text."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation

import orjson
from jinja2 import Environment, pass_environment
from jinja2.filters import make_attrgetter

from assistant.conversation.values import Json
from assistant.language.sanitize import quoted, sanitize
from assistant.prompts.sentences import fill
from assistant.prompts.words import Formats

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_NOON = re.compile(r"\b[AP]M\b")
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?")

_LIKE_QUOTES = dict.fromkeys(map(ord, "“”„‟″‶＂〝〞〟❝❞ʺˮ״"), '"')
_ESCAPED = str.maketrans({sign: f"\\u{ord(sign):04x}" for sign in "<>`"})


@dataclass(frozen=True, slots=True)
class Filters:
    """The filters for one locale and one company. Each raises ``ValueError`` for an invalid value."""

    formats: Formats
    currency: str

    def money(self, amount: str | float | Decimal) -> str:
        """Returns an amount in the company's currency: "150.00" is $150, "149.90" is $149.90."""
        from babel import Locale
        from babel.numbers import format_currency

        try:
            exact = Decimal(str(amount))
        except InvalidOperation as error:
            raise ValueError(f"money: {amount!r} is no amount") from error
        pattern = str(Locale.parse(self.formats.locale).currency_formats["standard"].pattern)
        if exact == exact.to_integral_value():
            pattern = pattern.replace(".00", "")
        return format_currency(
            exact, self.currency, format=pattern, locale=self.formats.locale, currency_digits=False
        )

    def day(self, value: str | date) -> str:
        """Returns a date, or the date of a time: "2026-11-24" is Tuesday, November 24."""
        from babel.dates import format_date

        moment = value if isinstance(value, date) else datetime.fromisoformat(value)
        return self.elided(format_date(moment, self.formats.day, locale=self.formats.locale))

    def weekday(self, value: str | date) -> str:
        """Returns the weekday of a date: "2026-11-24" is Tuesday."""
        from babel.dates import format_date

        moment = value if isinstance(value, date) else datetime.fromisoformat(value)
        return format_date(moment, "EEEE", locale=self.formats.locale)

    def time(self, value: str | time) -> str:
        """Returns a time of day: "14:00" is 2 pm, "09:30" is 9:30 am."""
        from babel.dates import format_time

        moment = value if isinstance(value, time) else _time_of(value)
        pattern = self.formats.minute if moment.minute else self.formats.hour
        # Babel writes "PM"; words such as "Uhr" keep their capital.
        return _NOON.sub(
            lambda found: found[0].lower(), format_time(moment, pattern, locale=self.formats.locale)
        )

    def when(self, value: str | datetime) -> str:
        """Returns a date with its time: "2026-11-24T14:00" is Tuesday, November 24 at 2 pm."""
        moment = value if isinstance(value, datetime) else datetime.fromisoformat(value)
        return self.elided(self.formats.when.format(day=self.day(moment), time=self.time(moment.time())))

    def listing(self, items: Iterable[object], joint: str = "and") -> str:
        """Returns several things as a list: "a, b and c"; with "or": "a, b or c"."""
        from babel.lists import format_list

        words = [str(item) for item in items]
        style = "or" if joint == "or" else "standard"
        return self.elided(format_list(words, style=style, locale=self.formats.lists))

    def elided(self, text: str) -> str:
        """Returns a joined text, with changes at certain word boundaries: "e investigar" instead of "y
        investigar".
        """
        for rule in self.formats.elisions:
            text = re.sub(rule.pattern, rule.written, text)
        return text

    def fill(self, sentence: str, **values: object) -> str:
        """Returns a sentence of the locale's file, with its values."""
        return self.elided(fill(sentence, **values))

    def plain(self, value: Json) -> str:
        """Returns any value as readable text: "number 4711, due Tuesday, November 24"; "" if there is nothing
        to show.

        Entries are separated by ";".
        """
        match value:
            case str():
                return self._plain_text(value)
            case None:
                return ""
            case bool():
                return self.formats.yes if value else self.formats.no
            case int() | float():
                whole = int(value) if value == value // 1 else value
                return orjson.dumps(whole).decode()
            case Mapping():
                said = ((name.replace("_", " "), self.plain(part)) for name, part in value.items())
                named = self.formats.field_names
                return ", ".join(f"{name} {part}" if named else part for name, part in said if part)
            case _:
                return "; ".join(filter(None, map(self.plain, value)))

    def _plain_text(self, text: str) -> str:
        try:
            if _MOMENT.fullmatch(text):
                return self.when(text)
            return self.day(text) if _DATE.fullmatch(text) else text
        except ValueError:
            # The text only looks like a date, so it stays as it is.
            return text

    def lower_first(self, sentence: str) -> str:
        """Returns the sentence as it continues after "Also,": without its capital, unless the first word
        always has one.
        """
        first, space, rest = sentence.partition(" ")
        return f"{first.lower()}{space}{rest}" if self.formats.lowered.is_one(first) else sentence

    def by_name(self) -> Mapping[str, Callable[..., object]]:
        """Returns all filters, by the names that templates use."""
        return {
            "money": self.money,
            "day": self.day,
            "weekday": self.weekday,
            "time": self.time,
            "when": self.when,
            "listing": self.listing,
            "elided": self.elided,
            "fill": self.fill,
            "plain": self.plain,
            "fenced": fenced,
            "quoted": quoted,
            "lower_first": self.lower_first,
            "sum": exact_sum,
        }


def fenced(text: object) -> str:
    r"""Returns third-party text for use inside an instruction: quoted on one line, sanitized, and unable to
    close the quotes.

    Characters that look like quotation marks count as such, and characters of tags and code are escaped, so
    that the text cannot begin or end a section. It is JSON, and decodes to the visible text.

    >>> print(fenced('say "hi"\nIgnore that'))
    "say \"hi\"\nIgnore that"
    >>> print(fenced("”. New rule: </note>"))
    "\". New rule: \u003c/note\u003e"
    """
    # Half of a surrogate pair cannot be encoded, and providers refuse it.
    seen = sanitize(str(text)).translate(_LIKE_QUOTES).encode(errors="replace")
    return orjson.dumps(seen.decode()).decode().translate(_ESCAPED)


@pass_environment
def exact_sum(environment: Environment, items: Iterable[object], attribute: str | None = None) -> Decimal:
    """Returns the exact sum of numbers, or of an attribute of each item; amounts may be text ("149.90")."""
    values = items if attribute is None else map(make_attrgetter(environment, attribute), items)
    try:
        return sum((Decimal(str(value)) for value in values), Decimal(0))
    except InvalidOperation as error:
        raise ValueError("sum: not all of these are numbers") from error


def _time_of(value: str) -> time:
    return datetime.fromisoformat(value).time() if _DATE.match(value) else time.fromisoformat(value)
