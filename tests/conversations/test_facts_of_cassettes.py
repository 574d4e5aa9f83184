"""Statements of models in the shipped cassettes have a source in the results, or are expected to be suppressed."""

from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import cast

from assistant.language.known import Source
from assistant.language.totals import is_total
from assistant.language.values import Data, Found, Value
from assistant.language.worked_out import Terms, together
from assistant.replay.cassette_file import load
from assistant.turn.guardrails.facts import Facts
from tests.support.cassettes import CASSETTES

HELD_BACK: dict[str, str] = {}
"""Cassettes that show how an answer with an invented value is held back, with the value."""


class CassetteFacts:
    """What a cassette's turns have stated so far."""

    def __init__(self, today: date, locale: str) -> None:
        self.today, self._locale = today, locale
        self._sources = [Source(today.isoformat(), today)]

    def add(self, data: Data) -> None:
        self._sources.append(Source(data, self.today, self._locale))

    def terms(self) -> Terms:
        return together(source.terms for source in self._sources)

    def states(self, value: Value, written: str) -> bool:
        return any(source.states(value, written) for source in self._sources)

    def is_total(self, amount: Decimal, said: Sequence[Decimal]) -> bool:
        return is_total(amount, said, self._sources)

    def is_one_of_several(self, value: Value) -> bool:
        return False

    def is_miscounted(self, sentence: str, found: Sequence[Found]) -> bool:
        return False

    def is_swapped(self, sentence: str, found: Sequence[Found]) -> bool:
        return False


def test_every_answer_in_the_cassettes_is_grounded() -> None:
    wrong = {
        f"{name}: {sentence}"
        for name, path in CASSETTES.items()
        for sentence in ungrounded(path)
        if name not in HELD_BACK
    }

    assert not wrong, "\n".join(sorted(wrong))


def ungrounded(path: Path) -> Iterator[str]:
    """The sentences of a cassette's models with a value that nothing before them states."""
    cassette = load(path).cassette
    locale = cassette.customer.locale
    known = CassetteFacts(cassette.now.date(), locale)
    known.add(cast("Data", cassette.model_dump(mode="json", exclude={"turns"})))
    for turn in cassette.turns:
        known.add(cast("Data", turn.model_dump(mode="json", exclude={"replies", "expect"})))
        for reply in turn.replies:
            known.add([cast("Data", call.model_dump(mode="json")) for call in reply.calls])
            guard = Facts(lambda: known, turn.locale or locale)
            said = reply.says if isinstance(reply.says, str) else "".join(reply.says)
            guard.push(said)
            guard.close()
            yield from (one.text for one in guard.withheld)
