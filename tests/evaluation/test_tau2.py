"""tau2's tasks as a suite. The package is a fake with the same structure: CI needs neither network nor licence."""

import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import pytest
import yaml

from assistant.commands.evaluation.import_tasks import import_tau2
from assistant.errors import DeclarationError
from assistant.evaluation.results import Row
from assistant.evaluation.solution import SOLUTIONS
from assistant.evaluation.tasks import PromptedCustomer, load_tasks
from assistant.evaluation.tau2 import domain
from assistant.evaluation.trial import latest_config, run_trial
from assistant.ports import Clock
from assistant.sessions.config_version import ConfigVersion
from assistant.settings import Settings
from assistant.testing.script import Line, calls, says
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import VirtualClock
from assistant.turn.context import RoleModel

FAKE = Path(__file__).parents[1] / "support" / "fake_tau2"

PlayTask: TypeAlias = Callable[[str, Sequence[Line], Sequence[Line]], Awaitable[Row]]


@pytest.fixture(autouse=True)
def tau2(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The stand-in is installed."""
    monkeypatch.setattr(sys, "path", [str(FAKE), *sys.path])
    domain.cache_clear()
    yield
    domain.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] == "tau2"]:
        del sys.modules[name]


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """The imported domain."""
    import_tau2("parcels", tmp_path / "suite", "base")
    return tmp_path / "suite"


@pytest.fixture
def in_suite(suite: Path, settings: Settings) -> Settings:
    folders = {"tools_dir": suite / "tools", "prompts_dir": suite / "prompts"}
    return settings.model_copy(update=folders)


@pytest.fixture
def play(in_suite: Settings, suite: Path) -> PlayTask:
    """Play a task with scripts for the customer and for the assistant."""

    async def run(name: str, customer: Sequence[Line], assistant: Sequence[Line]) -> Row:
        (task,) = load_tasks([name], suite)
        player, model = ScriptedModel(*customer, name="player"), ScriptedModel(*assistant)

        def make_config(settings: Settings, clock: Clock) -> ConfigVersion:
            found = latest_config(settings.model_copy(update={"model": SOLUTIONS}), clock)
            role = RoleModel(model=model)
            return replace(found, deps=replace(found.deps, models={"decider": role, "narrator": role}))

        row = await run_trial(task, 1, in_suite, make_config, lambda _, __: RoleModel(model=player))
        player.assert_used_up()
        model.assert_used_up()
        return row

    return run


async def solved(suite: Path, settings: Settings) -> dict[str, Row]:
    settings = settings.model_copy(update={"model": SOLUTIONS})
    return {task.id: await run_trial(task, 1, settings) for task in load_tasks([], suite)}


async def test_published_actions_lead_to_the_hash_that_tau2_computes(suite: Path, in_suite: Settings) -> None:
    rows = await solved(suite, in_suite)

    assert {name: row.unmet for name, row in rows.items()} == {
        "parcels-0": (),
        "parcels-1": (),
        "parcels-2": (),
    }
    sent = rows["parcels-0"]
    assert sent.ran == ("find_parcel", "send_parcel")
    assert sent.writes is not None
    assert (sent.writes.ran, sent.writes.unagreed) == (1, ())
    assert sent.state_hash != rows["parcels-1"].state_hash == rows["parcels-2"].state_hash
    assert ("customer", "Yes") in sent.transcript


async def test_a_customer_of_tau2_agrees_to_the_read_back(play: PlayTask) -> None:
    row = await play(
        "parcels-0",
        [says("Please send P1 to Berlin, third floor."), says("Yes, please."), says("Thanks ###STOP###")],
        [
            calls(("find_parcel", {"number": "P1"})),
            calls(("send_parcel", {"number": "P1", "place": {"city": "Berlin", "floor": 3}})),
            says("It weighs 2.5 kg."),
            says("It is on its way to Berlin."),
        ],
    )

    assert row.unmet == ()
    assert row.customer_left == "done"
    assert [text for speaker, text in row.transcript if speaker == "customer"] == [
        "Please send P1 to Berlin, third floor.",
        "Yes, please.",
    ]


async def test_an_end_that_tau2_does_not_expect_fails(play: PlayTask) -> None:
    row = await play(
        "parcels-0",
        [says("Please send P1 to Berlin."), says("Yes"), says("###TRANSFER###")],
        [
            calls(("send_parcel", {"number": "P1", "place": {"city": "Berlin"}})),
            says("It is on its way."),
        ],
    )

    state, fact = row.unmet
    assert state == (
        "state: the records are not as after the solution (expected -> found): parcels P1: place "
        """'{"city": "Berlin", "floor": 3}' -> '{"city": "Berlin", "floor": 0}'"""
    )
    assert fact.startswith("facts: '2.5' was not told")


async def test_errors_of_tools_have_tau2s_text(play: PlayTask) -> None:
    row = await play(
        "parcels-2",
        [says("Where is P7?"), says("###STOP###")],
        [calls(("find_parcel", {"number": "P7"})), says("I can't find a parcel P7.")],
    )

    assert row.passed


def test_the_written_file_can_be_read_by_people(suite: Path) -> None:
    first, missing, refused = load_tasks([], suite)

    assert sorted(str(file.relative_to(suite)) for file in suite.rglob("*") if file.is_file()) == [
        "prompts/models/decider.j2",
        "prompts/models/narrator.j2",
        "prompts/voice.toml",
        "tasks/parcels.yaml",
        "tools/_evaluation.py",
        "tools/tau2_tools.py",
    ]
    assert first.about == "Tests your parcel P1 sent to Berlin"
    assert (first.now.isoformat(), first.level) == ("2024-06-01T09:30:00", "anonymous")
    assert isinstance(first.simulated, PromptedCustomer)
    assert first.simulated.prompt == (
        "You are a customer.\nWrite ###STOP### when you are done.\n\n<scenario>\nInstructions:\n"
        "  You want your parcel P1 sent to Berlin\n</scenario>"
    )
    assert (first.facts, missing.facts) == (("2.5",), ())
    assert [call.tool for call in first.solution] == ["find_parcel", "send_parcel"]
    assert first.solution[1].arguments["place"] == {"city": "Berlin", "floor": 3}
    assert refused.about.endswith("For readers, not judged: The agent should refuse.")
    assert "    prompt: |" in (suite / "tasks/parcels.yaml").read_text()
    assert yaml.safe_load((suite / "tasks/parcels.yaml").read_text())


def test_the_policy_ends_the_instructions_of_both_roles(in_suite: Settings) -> None:
    settings = in_suite.model_copy(update={"model": SOLUTIONS})
    book = latest_config(settings, VirtualClock()).deps.book

    for role in ("decider", "narrator"):
        source = book.sources[f"models/{role}.j2"]
        assert "Ask for {{confirmation}} before you send a parcel.\n</policy>" in source
        assert source.count("<policy>") == 1


def test_a_task_that_cannot_be_imported_is_reported_with_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import_tau2("parcels", tmp_path / "suite", "base")
    assert capsys.readouterr().out.splitlines() == [
        f"{tmp_path / 'suite'}: 3 tasks of tau2's domain parcels.",
        "Left out, because they need what is missing here: 3.",
        f"Next: assistant evaluate --suite {tmp_path / 'suite'} --model solutions; it asks no provider.",
    ]

    with pytest.raises(DeclarationError, match="is not empty"):
        import_tau2("parcels", tmp_path / "suite", "base")
    with pytest.raises(DeclarationError, match="no domain 'shoes'; it has parcels, telecom"):
        import_tau2("shoes", tmp_path / "other", "base")
    with pytest.raises(DeclarationError, match="customers have tools of their own"):
        import_tau2("telecom", tmp_path / "other", "base")
    assert not (tmp_path / "other").exists()


def test_without_tau2_it_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place != str(FAKE)])

    with pytest.raises(DeclarationError, match=r"tau2-bench is not installed .* PyPI is something else"):
        import_tau2("retail", tmp_path / "suite", "base")
