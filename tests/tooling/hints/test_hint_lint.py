"""A hint that says more than what is being done stops the start, with the reason."""

import re
from pathlib import Path

import pytest

from assistant.tooling.declare.options import Options
from assistant.tooling.hints.spoken import read_hints

_HERE = Path(__file__).parent
BAD = [tuple(line.split("\t")) for line in (_HERE / "bad_hints.tsv").read_text("utf-8").splitlines()]
GOOD = [line.split("\t")[0] for line in (_HERE / "hints.tsv").read_text("utf-8").splitlines()]


def test_there_are_enough_of_either_kind() -> None:
    assert len(BAD) >= 60
    assert len(GOOD) >= 150


@pytest.mark.parametrize(("locale", "hint", "reason"), BAD)
def test_a_hint_that_says_too_much_is_refused_with_the_reason(locale: str, hint: str, reason: str) -> None:
    english = Options(waiting_hint=hint)
    german = Options(waiting_hint="checking", hints={"de": (hint, "prüfe das")})

    hints, problems = read_hints(english if locale == "en" else german)

    assert locale not in hints
    [problem] = problems
    assert repr(hint) in problem
    assert reason in problem


@pytest.mark.parametrize("hint", GOOD)
def test_a_hint_that_only_says_what_is_done_passes(hint: str) -> None:
    assert read_hints(Options(waiting_hint=hint))[1] == []


@pytest.mark.parametrize(
    "will", ["check order 4711", "check it and call you back tomorrow", "run get_orders"]
)
def test_what_follows_the_lead_in_is_looked_at_too(will: str) -> None:
    [problem] = read_hints(Options(waiting_hint="checking your order", will=will))[1]

    assert problem.startswith(f"will {will!r} should")


def test_a_word_counts_only_as_a_whole() -> None:
    assert read_hints(Options(waiting_hint="checking your idea of a toolbox"))[1] == []


def test_the_word_that_does_not_fit_is_named() -> None:
    [problem] = read_hints(Options(waiting_hint="booking your slot for free"))[1]

    assert re.search(r"should not say 'for free': it promises", problem)


def test_a_language_without_rules_of_its_own_has_those_for_all_languages() -> None:
    hints = {"sv": ("kontrollerar order 4711", "kontrollera ordern")}

    [problem] = read_hints(Options(waiting_hint="checking your order", hints=hints))[1]

    assert "number or id" in problem
