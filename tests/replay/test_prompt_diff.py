"""A recorded conversation with two versions of the prompts: what is compared, and the names in the report."""

from pathlib import Path

import pytest

from assistant.replay.player.environment import ReplayEnvironment
from assistant.replay.prompt_diff import (
    Comparison,
    changed_lines,
    compare,
    edited_environment,
    group_differences,
    report,
)
from tests.replay.cassette_files import GOOD, written

RESTARTED = """\
format: 2
about: The server starts again before the model has said anything.
now: 2026-11-23 09:00:00+01:00
turns:
  - customer: Hello
    replies:
      - decider: {says: "Good morning to you.", each_ms: 100}
    meanwhile:
      - {restart: true, at_ms: 450}
"""

MIXED = """\
format: 2
about: A lookup, and a change that has to be asked about first; only one round of calls may be made.
now: 2026-11-23 09:00:00+01:00
confirm_every_write: true
limits: {rounds: 1}
turns:
  - customer: Check my billing and cancel my visit
    replies:
      - decider: {calls: [find_balance, cancel_visit]}
      - narrator: "You owe nothing."
    results:
      - find_balance: {returns: 0}
      - cancel_visit: {confirm: cancel your visit on Tuesday}
tools:
  - {name: find_balance, waiting_hint: checking your billing}
  - {name: cancel_visit, waiting_hint: cancelling your visit, effect: write}
"""


def tried(
    environment: ReplayEnvironment, folder: Path, text: str, *names: str, old: str, new: str
) -> list[Comparison]:
    """Conversations of these names, each with this text, on an edited decider."""
    edit = folder / "edit.txt"
    edit.write_text(environment.book.sources["models/decider.j2"].replace(old, new), encoding="utf-8")
    edited = edited_environment(environment, "models/decider.j2", edit, "prompts")
    return [compare(written(folder, name, text), environment, edited) for name in names]


def test_both_requests_are_those_of_that_moment(plain_environment: ReplayEnvironment, tmp_path: Path) -> None:
    (one,) = tried(plain_environment, tmp_path, GOOD, "a", old="It is {{", new="The time is {{")

    (given,) = one.given
    assert (one.name, given.turn, given.round, given.role) == ("a", 1, 1, "decider")
    assert given.differs
    assert given.today.view.instructions.endswith(
        "It is Monday, November 23 at 9 am (2026-11-23 09:00:00+01:00)."
    )
    assert given.edited.view.instructions.endswith(
        "The time is Monday, November 23 at 9 am (2026-11-23 09:00:00+01:00)."
    )
    assert given.today.view.messages == given.edited.view.messages
    assert one.heard == ()


def test_a_request_uses_the_conversations_own_limits(
    plain_environment: ReplayEnvironment, tmp_path: Path
) -> None:
    (one,) = tried(plain_environment, tmp_path, MIXED, "a", old="It is {{", new="The time is {{")

    narrated = next(given.today for given in one.given if given.role == "narrator")
    assert one.not_asked == ()
    assert 'asked whether to "cancel your visit on Tuesday"' in narrated.view.instructions


@pytest.mark.parametrize(("rounds", "more"), [(1, False), (3, True)])
def test_a_request_knows_whether_more_calls_may_be_made(
    plain_environment: ReplayEnvironment, tmp_path: Path, rounds: int, more: bool
) -> None:
    text = MIXED.replace(", cancel_visit]", "]").replace("rounds: 1", f"rounds: {rounds}")
    (one,) = tried(plain_environment, tmp_path, text, "a", old="It is {{", new="The time is {{")

    narrated = next(given.today for given in one.given if given.role == "narrator")
    assert ("No more tools can be called" not in narrated.view.instructions) is more
    assert narrated.may_call is more


def test_a_request_that_one_version_does_not_reach_is_reported(
    plain_environment: ReplayEnvironment, tmp_path: Path
) -> None:
    found = tried(plain_environment, tmp_path, RESTARTED, "a", old="It is {{", new="The time is {{")

    told = "a 1: decider not compared: turn t1 ended without asking a model again"
    assert list(report(found, "models/decider.j2"))[-1] == told


def test_of_many_conversations_some_are_named(plain_environment: ReplayEnvironment, tmp_path: Path) -> None:
    found = tried(plain_environment, tmp_path, GOOD, *"abcdefgh", old="It is {{", new="The time is {{")

    assert "\n  8 turns: a 1; b 1; c 1; d 1; e 1; f 1; and 2 more" in list(report(found, "models/decider.j2"))


def test_a_prompt_whose_model_was_never_asked_cannot_be_compared(
    plain_environment: ReplayEnvironment, tmp_path: Path
) -> None:
    found = tried(plain_environment, tmp_path, GOOD, "a", old="It is {{", new="It is {{")

    assert list(report(found, "models/narrator.j2")) == [
        "narrator: 0 turns in 0 conversations; nothing to compare",
        "\ncustomers would hear something else in 0 of 1 conversation",
    ]


def test_distant_changes_are_separate() -> None:
    today = ["a", "b", "c", "d", "e"]

    assert changed_lines(today, ["A", "b", "c", "d", "E"]) == ["- a", "+ A", "...", "- e", "+ E"]


def test_surrounding_lines_do_not_make_another_change() -> None:
    first, second = group_differences(
        [
            (("a", 1), "Hello.\nBe brief.", "Hello.\nBe short."),
            (("b", 2), "Good day.\nBe brief.", "Good day.\nBe short."),
            (("c", 1), "Hello.", "Hi."),
            (("d", 1), "the same", "the same"),
        ]
    )

    assert (first.lines, first.where) == (("  Hello.", "- Be brief.", "+ Be short."), (("a", 1), ("b", 2)))
    assert (second.lines, second.where) == (("- Hello.", "+ Hi."), (("c", 1),))
