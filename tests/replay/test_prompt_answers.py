"""Both versions of a request are sent to a model, and its answers are shown next to each other."""

import re
from contextlib import aclosing
from pathlib import Path

import pytest

from assistant.errors import ModelBroke
from assistant.replay.player.environment import ReplayEnvironment
from assistant.replay.prompt_answers import (
    Answer,
    AnsweredPair,
    NoAnswer,
    answer_lines,
    ask,
    ask_model,
    mean_lines,
    requests_to_ask,
    score,
)
from assistant.replay.prompt_diff import Comparison, compare, edited_environment
from assistant.testing.script import Line, Pause, breaks, calls, says
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import VirtualClock, run_virtually
from assistant.turn.context import RoleModel
from tests.replay.cassette_files import written

LOOKUP = """\
format: 2
about: A lookup is announced, and its result is told.
now: 2026-11-23 09:00:00+01:00
turns:
  - customer: Check my billing
    replies:
      - decider: {calls: [find_balance]}
      - narrator: "You owe $5."
    results:
      - find_balance: {returns: {balance: "5.00"}}
tools:
  - {name: find_balance, waiting_hint: checking your billing}
"""


TWO_ROUNDS = """\
format: 2
about: The first result shows that another lookup is needed.
now: 2026-11-23 09:00:00+01:00
turns:
  - customer: Check my billing
    replies:
      - decider: {calls: [find_balance]}
      - narrator: {calls: [find_visits]}
      - narrator: "You owe $5 for Tuesday."
    results:
      - find_balance: {returns: {balance: "5.00"}}
      - find_visits: {returns: [{day: "2026-11-24"}]}
tools:
  - {name: find_balance, waiting_hint: checking your billing}
  - {name: find_visits, waiting_hint: looking up your appointments}
"""


@pytest.fixture
def edited(plain_environment: ReplayEnvironment, tmp_path: Path) -> ReplayEnvironment:
    """The shipped prompts, with another narrator."""
    edit = tmp_path / "edit.txt"
    text = plain_environment.book.sources["models/narrator.j2"].replace("Do not say", "Never say")
    edit.write_text(text, encoding="utf-8")
    return edited_environment(plain_environment, "models/narrator.j2", edit, "prompts")


@pytest.fixture
def lookup(plain_environment: ReplayEnvironment, edited: ReplayEnvironment, tmp_path: Path) -> Comparison:
    """A conversation on both."""
    return compare(written(tmp_path, "lookup", LOOKUP), plain_environment, edited)


def answered(
    one: Comparison, today: ReplayEnvironment, edited: ReplayEnvironment, *lines: Line, times: int = 1
) -> list[AnsweredPair]:
    """What came to the requests that differ; the lines are all used up."""
    clock = VirtualClock()
    model = ScriptedModel(*lines, clock=clock)
    role = RoleModel(model=model)

    async def all_of_them() -> list[AnsweredPair]:
        models = {"decider": role, "narrator": role}
        async with aclosing(ask(requests_to_ask([one], times), models, today, edited, clock)) as asked:  # pyright: ignore[reportArgumentType]
            return [each async for each in asked]

    came = run_virtually(all_of_them())
    model.assert_used_up()
    notes = [request.view.late for request in model.requests]
    assert ["Never say" in note for note in notes] == [False, True] * (len(notes) // 2)
    return came


def test_both_versions_are_sent_and_shown(
    lookup: Comparison, plain_environment: ReplayEnvironment, edited: ReplayEnvironment
) -> None:
    (asked,) = answered(
        lookup,
        plain_environment,
        edited,
        says("I've checked your billing. You owe $5.", first_s=0.4, each_s=0.1),
        says("You owe $7.", first_s=0.3),
    )

    assert list(answer_lines(asked)) == [
        "\n  lookup 1: narrator",
        "    - I've checked your billing. You owe $5.",
        "      400 of 1,100 ms",
        '      no_repetition: "I\'ve checked your billing."',
        "    + You owe $7.",
        "      300 of 300 ms",
        '      grounded: "$7" in "You owe $7."',
    ]


def test_means_are_computed_over_all_answers(
    lookup: Comparison, plain_environment: ReplayEnvironment, edited: ReplayEnvironment
) -> None:
    asked = answered(
        lookup,
        plain_environment,
        edited,
        says("You owe $5.", first_s=0.4),
        says("You owe $5 now.", first_s=0.2),
        says("You owe $8.", first_s=0.2),
        calls("find_balance", first_s=0.1),
        breaks("You"),
        says("I've checked your billing. It's $5."),
        times=3,
    )

    assert [re.sub(r"\s{2,}", " | ", line.strip()) for line in mean_lines(asked)] == [
        "narrator | today | edited",
        "answers | 2 of 3 | 3 of 3",
        "first words | 300 ms | 100 ms",
        "whole | 300 ms | 100 ms",
        "words | 3 | 3",
        "calls | 0 | 0",
        "repeat | 0 of 2 | 1 of 3",
        "not grounded | 1 of 2 | 0 of 3",
    ]


def test_a_model_that_fails_is_reported_and_the_others_continue(
    lookup: Comparison, plain_environment: ReplayEnvironment, edited: ReplayEnvironment
) -> None:
    first, second = answered(
        lookup,
        plain_environment,
        edited,
        breaks(error=ModelBroke("the line is dead")),
        breaks(error=ModelBroke("the line is dead")),
        says("You owe $5."),
        calls("find_balance", text="One moment."),
        times=2,
    )

    assert list(answer_lines(first))[1:] == [
        "    - no answer: the line is dead",
        "    + no answer: the line is dead",
    ]
    assert list(answer_lines(second))[1:] == [
        "    - You owe $5.",
        "      0 of 0 ms",
        "    + One moment.",
        "    + [find_balance]",
        "      0 of 0 ms",
    ]
    assert "first words" in list(mean_lines([first]))[2]
    assert list(mean_lines([first]))[2].split()[-2:] == ["-", "-"]


def test_an_answer_without_text_or_calls_has_no_first_time(
    lookup: Comparison, plain_environment: ReplayEnvironment, edited: ReplayEnvironment
) -> None:
    (asked,) = answered(lookup, plain_environment, edited, says("", first_s=0.2), says("You owe $5."))

    assert asked.today.came == Answer(text="", calls=(), first_ms=None, whole_ms=200)
    assert list(answer_lines(asked))[1:3] == ["    - nothing", "      200 ms"]


def test_a_stream_without_an_end_is_no_answer(lookup: Comparison) -> None:
    model = ScriptedModel(Line((Pause(0.1),)), clock=VirtualClock(), name="cut")
    request = next(given.today for given in lookup.given if given.role == "narrator")

    came = run_virtually(ask_model(request, RoleModel(model=model), VirtualClock()))

    assert came == NoAnswer("cut: the reply ended without its end")


def test_the_model_is_asked_with_its_roles_options(lookup: Comparison) -> None:
    model = ScriptedModel(calls(("find_balance", {"of": "all"})))
    role = RoleModel(model=model)
    request = next(given.today for given in lookup.given if given.role == "narrator")

    came = run_virtually(ask_model(request, role, VirtualClock()))

    assert isinstance(came, Answer)
    assert came.calls == ("find_balance",)
    assert model.requests[0].options is role.options
    assert [spec.name for spec in model.requests[0].tools] == ["find_balance"]


def test_an_answer_is_checked_against_the_earlier_texts(
    plain_environment: ReplayEnvironment, edited: ReplayEnvironment, tmp_path: Path
) -> None:
    one = compare(written(tmp_path, "rounds", TWO_ROUNDS), plain_environment, edited)
    first, second = (given for given in one.given if given.role == "narrator")
    text = "I've looked up your appointments. You owe $5."

    assert (first.round, second.round) == (2, 3)
    assert score(text, first, one, plain_environment) == []
    assert [failure.check for failure in score(text, second, one, plain_environment)] == ["no_repetition"]


def test_only_a_narrators_text_is_checked(plain_environment: ReplayEnvironment, tmp_path: Path) -> None:
    edit = tmp_path / "edit.txt"
    text = plain_environment.book.sources["models/decider.j2"].replace(
        "It is {{", "Never say the time. It is {{"
    )
    edit.write_text(text, encoding="utf-8")
    environment = edited_environment(plain_environment, "models/decider.j2", edit, "prompts")
    one = compare(written(tmp_path, "lookup", LOOKUP), plain_environment, environment)

    (asked,) = answered(one, plain_environment, environment, says("You owe $7."), calls("find_balance"))

    assert asked.given.role == "decider"
    assert asked.today.failures == ()
    assert [line.split()[0] for line in mean_lines([asked])] == [
        *("decider", "answers", "first", "whole", "words", "calls")
    ]
