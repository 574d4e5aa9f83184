"""Conversations run one after the other; rates and the worst of them are reported."""

from contextlib import aclosing

from assistant.assembly.config_builder import Models
from assistant.replay.live_trials import LiveConversation, Trial, pass_rate, report, run_trials
from assistant.replay.player.environment import ReplayEnvironment
from assistant.testing.script import Line, says
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import VirtualClock, run_virtually
from assistant.turn.context import RoleModel
from tests.replay.cassette_files import GOOD
from tests.replay.live_recorded import recorded

TEXT = GOOD.replace("Good morning., within", "Good morning., text_contains: morning, within")


def run(environment: ReplayEnvironment, *lines: Line, times: int) -> list[Trial]:
    """Two conversations, so often, with a model that says these lines."""
    lives = [LiveConversation(name=name, cassette=recorded(TEXT)) for name in ("a", "b")]
    role = RoleModel(model=ScriptedModel(*lines, clock=VirtualClock()))
    models: Models = {"decider": role, "narrator": role}

    async def all_of_them() -> list[Trial]:
        async with aclosing(run_trials(lives, times, models, environment)) as held:
            return [trial async for trial in held]

    return run_virtually(all_of_them())


def test_rates_are_reported_and_the_worst_is_shown(plain_environment: ReplayEnvironment) -> None:
    good, evil = says("Good morning to you."), says("It costs Walter money.", first_s=1)

    done = run(plain_environment, good, says("Hello.", first_s=1), good, evil, times=2)

    assert [(trial.live.name, trial.number) for trial in done] == [("a", 1), ("b", 1), ("a", 2), ("b", 2)]
    assert str(pass_rate(done)) == "0.500 (95 %: 0.150 to 0.850)"
    lines = list(report(done))
    assert lines[:12] == [
        "\nconversation           passed",
        "a                      1.000 (95 %: 0.342 to 1.000)",
        "b                      0.000 (95 %: 0.000 to 0.658)",
        "\ncheck                  held",
        "model                  1.000 (95 %: 0.510 to 1.000)",
        "hears                  0.500 (95 %: 0.150 to 0.850)",
        "all_outcomes_reported  1.000 (95 %: 0.510 to 1.000)",
        "grounded               0.750 (95 %: 0.301 to 0.954)",
        "no_repetition          1.000 (95 %: 0.510 to 1.000)",
        "claims                 1.000 (95 %: 0.510 to 1.000)",
        "language               1.000 (95 %: 0.510 to 1.000)",
        "script                 1.000 (95 %: 0.510 to 1.000)",
    ]
    assert lines[13:16] == [
        "times                  0.500 (95 %: 0.150 to 0.850)  (fails no trial)",
        "\nall                    0.500 (95 %: 0.150 to 0.850)",
        "\nthe worst: b #2",
    ]
    assert "It costs Walter money." in lines[16]
    assert lines[16].index("hears") < lines[16].index("grounded") < lines[16].index("times")
    assert len(lines) == 17


def test_if_all_passed_there_is_no_worst(plain_environment: ReplayEnvironment) -> None:
    good = says("Good morning to you.")

    lines = list(report(run(plain_environment, good, good, times=1)))

    assert lines[-1] == "\nall                    1.000 (95 %: 0.342 to 1.000)"
