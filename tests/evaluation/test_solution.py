"""Tasks whose own solution is played: no model is asked, everything else is real."""

from pathlib import Path
from typing import Any

import pytest

from assistant.evaluation.results import Row
from assistant.evaluation.solution import SOLUTIONS
from assistant.evaluation.tasks import Task
from assistant.evaluation.trial import run_trial
from assistant.settings import Settings

CANCELLED = [{"table": "appointments", "row": "1001", "changed": {"cancelled": "1"}}]
CANCELS = 'cancel_appointment {"day": "2026-11-24"}'


async def solve(settings: Settings, **fields: Any) -> Row:
    given = {
        "id": "t",
        "now": "2026-11-21T10:00",
        "before": [{"tool": "get_opening_hours"}],
        "ignore_tables": ["done"],
        "simulated": {"persona": "p", "goal": "g"},
        **fields,
    }
    return await run_trial(Task.model_validate(given), 1, settings.model_copy(update={"model": SOLUTIONS}))


async def test_a_simulated_customer_agrees_to_each_question(settings: Settings) -> None:
    row = await solve(settings, changes=CANCELLED, solution=["list_upcoming_appointments", CANCELS])

    assert row.unmet == ()
    assert row.ran == ("list_upcoming_appointments", "cancel_appointment")
    assert [text for speaker, text in row.transcript if speaker == "customer"] == ["Please go on.", "Yes"]
    assert (row.asked, row.simulator, row.cost.usd) == ((SOLUTIONS,), None, 0.0)


async def test_fixed_messages_are_sent_unchanged(settings: Settings) -> None:
    row = await solve(
        settings,
        simulated=None,
        messages=["Cancel my Tuesday appointment", {"confirm": "no"}],
        solution=[CANCELS],
        calls_not=["cancel_appointment"],
    )

    assert row.passed


async def test_a_wrong_solution_is_reported(settings: Settings) -> None:
    row = await solve(settings, solution=[CANCELS], facts=["$150"])

    assert row.unmet[0] == "state: not expected: appointments 1001: cancelled '0' -> '1'"


async def test_a_long_solution_continues_turn_after_turn(settings: Settings) -> None:
    hours = [f'get_opening_hours {{"day": "2026-11-{day}"}}' for day in range(21, 29)]

    row = await solve(settings, solution=hours)

    assert row.ran == ("get_opening_hours",) * 8
    assert len(row.turns) < 8


@pytest.mark.slow
async def test_documents_of_the_suite_are_searched(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "knowledge").mkdir()
    (tmp_path / "knowledge" / "terms.md").write_text("# Terms\n\nRepairs take five working days.\n")
    given = settings.model_copy(update={"knowledge_dir": tmp_path / "knowledge"})
    given.data_dir.mkdir()

    found = await solve(given, solution=['search_documents {"question": "how long do repairs take"}'])
    without = await solve(settings, solution=['search_documents {"question": "how long do repairs take"}'])

    assert found.ran == ("search_documents",)
    assert without.ran == ()


@pytest.mark.parametrize("wrong", ["cancel {", "cancel [1]", ""])
def test_an_unreadable_call_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match="solution"):
        Task.model_validate({"id": "t", "now": "2026-11-21T10:00", "messages": ["Hi"], "solution": [wrong]})


async def test_a_missing_tool_fails_only_its_task(settings: Settings) -> None:
    row = await solve(settings, changes=CANCELLED, solution=["no_such_tool"])

    assert row.unmet
    assert row.broke is None
