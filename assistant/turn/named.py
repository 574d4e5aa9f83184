"""Whether words tell what a result holds."""

from collections.abc import Iterable, Mapping, Sequence

from assistant.conversation.values import Json
from assistant.text.function_words import carries_meaning
from assistant.text.supported import supported
from assistant.text.values import Value, values_in, values_of
from assistant.text.words import words


def names(text: str, value: Json, known: Iterable[Value] = (), locale: str = "en") -> bool:
    """Whether ``text`` says at least one thing of each row of a result, or of the result where it has no rows.

    A number, a time or a day counts; where a row has none of them, a word that says something. ``known``: what
    the words may come from as well, which proves nothing.

    >>> invoices = [{"number": 7, "amount": "150.00"}, {"number": 8, "amount": "20.50"}]
    >>> names("You owe $150 and $20.50.", invoices), names("You owe $150 and", invoices)
    (True, False)
    >>> names("It was shipped.", {"status": "shipped"}), names("Your eye", {"what": "eye test", "at": "14:00"})
    (True, False)
    """
    elsewhere = frozenset(known)
    said = [one for one in values_in(text, locale) if not supported(one, elsewhere)]
    spoken = frozenset(word for word in words(text) if carries_meaning(word, locale))
    spoken -= {one.form for one in elsewhere}
    rows = [_facts(row, locale) for row in _rows(value)]
    return bool(rows) and all(_is_named(facts, said, spoken) for facts in rows)


def _rows(value: Json) -> Sequence[Json]:
    return value if isinstance(value, Sequence) and not isinstance(value, str) else [value]


def _facts(row: Json, locale: str) -> frozenset[Value]:
    """What a row tells; the names of its fields are nobody's news."""
    held: Json = list(row.values()) if isinstance(row, Mapping) else row
    return frozenset(one for one in values_of(held, locale) if one.kind != "count")


def _is_named(facts: frozenset[Value], said: Iterable[Value], spoken: frozenset[str]) -> bool:
    hard = frozenset(one for one in facts if one.kind != "name")
    if hard:
        return any(supported(one, hard) for one in said)
    return any(one.form in spoken for one in facts)
