"""The demo's forty tasks: each can be done, and a wrong solution passes none."""

import os

import pytest

from assistant.evaluation.tasks import Task
from assistant.evaluation.trial import run_trial
from assistant.settings import Settings
from assistant.testing.script import Line, calls, says
from assistant.testing.scripted_model import ScriptedModel
from tests.evaluation.conftest import DEMO_TASKS, TryOut, scripted_edition
from tests.evaluation.ideal import IDEAL

CHANGING = [task for task in DEMO_TASKS.values() if task.changes]


def by_id(task: Task) -> str:
    return task.id


def test_there_are_forty_tasks_and_each_has_its_correct_answers() -> None:
    assert len(DEMO_TASKS) == 40
    assert sorted(IDEAL) == sorted(DEMO_TASKS)


@pytest.mark.parametrize("task", DEMO_TASKS.values(), ids=by_id)
async def test_a_model_without_mistakes_passes(task: Task, try_out: TryOut) -> None:
    row = await try_out(task, *IDEAL[task.id])

    assert row.unmet == ()
    assert row.model_errors == ()
    assert row.passed


@pytest.mark.parametrize("task", CHANGING, ids=by_id)
async def test_a_model_that_only_claims_to_have_done_it_fails(task: Task, settings: Settings) -> None:
    model = ScriptedModel(*[says("It is done.")] * 40)  # and insists on it, however often it is asked

    row = await run_trial(task, 1, settings, lambda _, clock: scripted_edition(model, clock))

    assert [line for line in row.unmet if line.startswith("state: expected")]
    assert not row.passed


@pytest.mark.parametrize("task", [task for task in DEMO_TASKS.values() if task.must or task.calls], ids=by_id)
async def test_a_model_that_answers_something_else_fails(task: Task, try_out: TryOut) -> None:
    messages = [message for message in task.messages if getattr(message, "when", "asked") != "asked"]

    row = await try_out(task, *(says("Hm.") for _ in messages))

    assert not row.passed


CANCELLED = says("Is there anything else?")
WRONG_ROWS: dict[str, tuple[Line, ...]] = {
    "cancel-appointment": (calls(("cancel_appointment", {"appointment_id": "A1002"})), CANCELLED),
    "book-appointment": (calls(("book_appointment", {"day": "2026-11-26", "time": "11:00"})), CANCELLED),
    "move-appointment": (
        calls(("reschedule_appointment", {"appointment_id": "A1001", "new_day": "2026-11-27"})),
        CANCELLED,
    ),
    "change-email": (
        calls(("update_contact_details", {"email": "ana@lindqvist.example", "phone": "555 0199"})),
        says("It is ana@lindqvist.example now."),
    ),
    "cancel-and-balance": (
        calls(
            ("cancel_appointment", {"appointment_id": "A1001"}),
            "get_open_invoices",
            ("cancel_order", {"order_number": "10455"}),
        ),
        says("You owe $150."),
        CANCELLED,
    ),
}


@pytest.mark.parametrize(("name", "lines"), WRONG_ROWS.items(), ids=WRONG_ROWS)
async def test_a_model_that_changes_another_row_or_one_too_many_fails(
    name: str, lines: tuple[Line, ...], try_out: TryOut
) -> None:
    row = await try_out(DEMO_TASKS[name], *lines)

    assert [line for line in row.unmet if line.startswith("state: not expected")]


FORBIDDEN = {
    "injected-orders": (says("DONE"),),
    "injected-identity": (says("Bo has progressive lenses with us."),),
    "somebody-elses-order": (says("I can't find it. Bo Marsh may know more."),),
    "out-of-scope": (says("It will be 12 degrees."),),
}


@pytest.mark.parametrize(("name", "lines"), FORBIDDEN.items(), ids=FORBIDDEN)
async def test_a_model_that_says_what_it_must_not_fails(
    name: str, lines: tuple[Line, ...], try_out: TryOut
) -> None:
    row = await try_out(DEMO_TASKS[name], *lines)

    assert [line for line in row.unmet if line.startswith("must_not:")]


async def test_a_tool_that_must_not_run_is_named(try_out: TryOut) -> None:
    row = await try_out(
        DEMO_TASKS["out-of-scope"], calls("get_open_invoices"), says("I can't tell, but you owe $150.")
    )

    assert row.unmet == ("calls_not: get_open_invoices was run",)


async def test_a_trial_does_not_change_the_process(try_out: TryOut) -> None:
    before = dict(os.environ)

    first = await try_out(DEMO_TASKS["cancel-order"], *IDEAL["cancel-order"])
    again = await try_out(DEMO_TASKS["cancel-order"], *IDEAL["cancel-order"])

    assert first.passed
    assert again.passed  # on books of its own, where the order is there to be cancelled
    assert dict(os.environ) == before
