"""Results of tau2's own agents are compared with ours."""

import json
from pathlib import Path
from typing import Any

import pytest

from assistant.errors import DeclarationError
from assistant.evaluation.html_report import html_report, runs_of
from assistant.evaluation.results import Row
from assistant.evaluation.summary import Comparison, compare
from assistant.evaluation.tau2_results import read_tau2_results


def simulation(
    task: str, trial: int, *, match: bool = True, told: bool = True, **more: Any
) -> dict[str, Any]:
    return {
        "task_id": task,
        "trial": trial,
        "termination_reason": "user_stop",
        "agent_cost": 0.02,
        "user_cost": 0.01,
        "reward_info": {
            "reward": 0.0,
            "db_check": {"db_match": match, "db_reward": float(match)},
            "communicate_checks": [{"info": "2.5", "met": told, "justification": ""}],
        },
        "messages": [
            {"role": "user", "content": "Hi"},
            {"role": "tool", "content": "{}"},
            {"role": "assistant"},
        ],
        **more,
    }


@pytest.fixture
def file(tmp_path: Path) -> Path:
    info = {
        "git_commit": "abc",
        "agent_info": {"implementation": "llm_agent", "llm": "m"},
        "user_info": {"implementation": "user_simulator", "llm": "u"},
        "environment_info": {"domain_name": "retail", "policy": "..."},
    }
    simulations = [
        simulation("0", 0),
        simulation("0", 1, match=False),
        simulation("1", 0, told=False),
        simulation("1", 1, termination_reason="max_steps", reward_info=None),
        simulation("2", 0, termination_reason="user_error"),
    ]
    (tmp_path / "run.json").write_text(json.dumps({"info": info, "tasks": [], "simulations": simulations}))
    return tmp_path / "run.json"


def test_tau2s_trials_are_judged_by_database_and_facts(file: Path) -> None:
    rows = read_tau2_results(file)

    assert [(row.task, row.trial, row.passed, row.unmet, row.broke) for row in rows] == [
        ("retail-0", 1, True, (), None),
        ("retail-0", 2, False, ("state: the database is not as expected",), None),
        ("retail-1", 1, False, ("facts: '2.5' was not told",), None),
        ("retail-1", 2, False, (), "max_steps"),
        ("retail-2", 1, False, (), None),
    ]
    assert not rows[4].judged
    assert (rows[0].model, rows[0].cost.usd, rows[0].simulator) == ("tau2's llm_agent, m", 0.02, "u")
    assert rows[0].transcript == (("customer", "Hi"),)
    assert "tau2&#39;s llm_agent, m" in html_report(runs_of(rows), "both")


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text("{}")

    with pytest.raises(DeclarationError, match="these are no results of tau2: Field required"):
        read_tau2_results(tmp_path / "other.json")
    with pytest.raises(DeclarationError, match="cannot be read"):
        read_tau2_results(tmp_path / "gone.json")


def rows_of(**passed: str) -> list[Row]:
    return [
        Row(task=task, digest="d", trial=trial, model="m", bundle="b", unmet=() if sign == "+" else ("x",))
        for task, signs in passed.items()
        for trial, sign in enumerate(signs, 1)
    ]


def test_two_runs_are_compared_task_by_task() -> None:
    first = rows_of(a="++", b="+-", c="--", d="++", only_here="--")
    second = rows_of(a="+", b="-", c="-", d="-", only_there="+")

    assert compare(first, second) == Comparison(tasks=4, better=2, worse=0, chance=0.5)
    assert compare(second, first) == Comparison(tasks=4, better=0, worse=2, chance=0.5)
    assert compare(first, first).chance == 1
    assert compare(first, []) == Comparison(tasks=0, better=0, worse=0, chance=1)
    ten = {f"t{number}": "+" for number in range(10)}
    assert compare(rows_of(**ten), rows_of(**dict.fromkeys(ten, "-"))).chance == pytest.approx(2 / 1024)
