"""Trials in which a model plays the customer: how they run, how they end, whose fault a failure was."""

import pytest

from assistant.clock import SystemClock
from assistant.conversation.chunks import StreamEnded, TextDelta
from assistant.errors import DeclarationError
from assistant.evaluation.measures import Cost
from assistant.evaluation.tasks import Task
from assistant.evaluation.trial import configured_player, run_trial
from assistant.settings import Settings
from assistant.testing.script import Line, breaks, calls, says
from assistant.testing.scripted_model import ScriptedModel
from assistant.turn.context import RoleModel
from tests.evaluation.conftest import SIMULATED_TASKS, PlayOut, scripted_edition
from tests.evaluation.played import PLAYED

CHANGING = [task for task in SIMULATED_TASKS.values() if task.changes]


def by_id(task: Task) -> str:
    return task.id


def test_there_are_six_tasks_and_each_is_played() -> None:
    assert len(SIMULATED_TASKS) == 6
    assert sorted(PLAYED) == sorted(SIMULATED_TASKS)


@pytest.mark.parametrize("task", SIMULATED_TASKS.values(), ids=by_id)
async def test_each_task_can_be_done(task: Task, play_out: PlayOut) -> None:
    played = PLAYED[task.id]

    row = await play_out(task, played.customer, played.assistant)

    assert row.unmet == ()
    assert row.passed
    assert row.customer_left == "done"
    assert row.simulator == "player"


@pytest.mark.parametrize("task", CHANGING, ids=by_id)
async def test_an_assistant_that_does_nothing_fails(task: Task, play_out: PlayOut) -> None:
    row = await play_out(task, [says("Please do it"), says("[END]")], [says("Hm.")])

    assert [line for line in row.unmet if line.startswith("state: expected")]


async def test_a_no_in_words_changes_nothing(play_out: PlayOut) -> None:
    row = await play_out(
        SIMULATED_TASKS["one-of-two-appointments"],
        [says("Cancel my lens fitting"), says("No, I meant the eye test"), says("yes please"), says("[END]")],
        [
            calls(("cancel_appointment", {"appointment_id": "A1002"})),
            calls(("cancel_appointment", {"appointment_id": "A1001"})),
            says("Your eye test is cancelled."),
        ],
    )

    assert row.passed
    assert [text for speaker, text in row.transcript if speaker == "customer"] == [
        "Cancel my lens fitting",
        "No, I meant the eye test",
        "yes please",
    ]


def task(**fields: object) -> Task:
    simulated = {"persona": "p", "goal": "g", "most_messages": 3}
    return Task.model_validate(
        {
            "id": "t",
            "now": "2026-11-21T10:00",
            "before": [{"tool": "get_opening_hours"}],
            "ignore_tables": ["done"],
            "simulated": simulated,
            **fields,
        }
    )


async def test_a_customer_who_repeats_themselves_leaves(play_out: PlayOut) -> None:
    unmoved = task(must=["open"], simulated={"persona": "p", "goal": "g", "most_messages": 9})

    row = await play_out(unmoved, [says("Hello?")] * 3, [says("Hm."), says("Hm?")])

    assert row.customer_left == "circles"
    assert row.unmet == ("must: expected 'open'; said was 'Hm. Hm?'",)  # that is judged as ever


async def test_a_customer_without_end_is_stopped(play_out: PlayOut) -> None:
    row = await play_out(
        task(), [says("One"), says("Two"), says("Three")], [says("Yes."), says("Sure."), says("Right.")]
    )

    assert row.customer_left == "most_messages"
    assert row.passed


async def test_a_failed_simulator_is_no_result_for_the_assistant(play_out: PlayOut) -> None:
    row = await play_out(task(must=["9 am"]), [says("Are you open?"), breaks()], [says("Yes.")])

    assert row.customer_failed == "player, who plays the customer, failed: the script broke off"
    assert not row.judged
    assert not row.passed
    assert row.unmet == ()
    assert row.model_errors == ()
    assert [text for _, text in row.transcript] == ["Are you open?", "Yes."]


async def test_a_failed_assistant_is_not_the_simulators_fault(play_out: PlayOut) -> None:
    row = await play_out(task(must=["9 am"]), [says("Are you open?"), says("[END]")], [breaks()])

    assert row.judged
    assert row.model_errors == ("the script broke off",)
    assert len(row.unmet) == 1


async def test_the_customers_usage_is_not_the_assistants_cost(play_out: PlayOut) -> None:
    def counted(text: str, tokens: int) -> Line:
        ended = StreamEnded("stop", input_tokens=tokens, output_tokens=1, cost_usd=0.5)
        return Line((TextDelta(text), ended))

    row = await play_out(task(), [counted("Hi", 10), counted("[END]", 30)], [counted("Hello.", 100)])

    assert row.cost == Cost(input_tokens=100, output_tokens=1, usd=0.5)
    assert row.customer_cost == Cost(input_tokens=40, output_tokens=2, usd=1.0)


async def test_a_german_customer_is_asked_to_write_in_german(settings: Settings) -> None:
    player, model = ScriptedModel(says("Hallo"), says("[END]")), ScriptedModel(says("Guten Tag."))

    await run_trial(
        task(locale="de"),
        1,
        settings,
        lambda _, clock: scripted_edition(model, clock),
        lambda _, __: RoleModel(model=player),
    )

    assert (
        "You write in German.\nToday is Saturday, November 21 (2026-11-21)." in player.requests[0].view.system
    )


def test_the_simulator_is_a_setting_or_else_the_decision_model(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    clock = SystemClock("UTC")
    deciding = settings.model_copy(update={"model": "openai/decides"})
    playing = deciding.model_copy(update={"simulator_model": "openai/plays"})

    assert configured_player(deciding, clock).model.name == "openai/decides"
    assert configured_player(playing, clock).model.name == "openai/plays"
    with pytest.raises(DeclarationError, match="the embedded model cannot play a customer"):
        configured_player(settings.model_copy(update={"model": "offline"}), clock)
