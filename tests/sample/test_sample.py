"""The example conversations: what they show, who does not get them, and that nothing of them stays."""

import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime
from math import inf
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from assistant.assembly.reports import open_report_maker
from assistant.assembly.storage import open_conversations
from assistant.assembly.webhooks import webhooks_of
from assistant.cli import app
from assistant.clock import SystemClock
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import CallEnded, Handoff, Logged, Rated, SentenceSuppressed
from assistant.ids import SystemIds
from assistant.privacy.customer_data import customer_data_in
from assistant.privacy.receipts import ReceiptMaker, ReceiptSigner
from assistant.replay.checks.check import check
from assistant.replay.player.environment import ReplayEnvironment, environment_of
from assistant.reports.collect import Period
from assistant.sample.sample import play_sample, play_script, sample_scripts
from assistant.settings import Settings
from assistant.store.storage import LoggedConversation
from assistant.webhooks.watched_log import WatchedLog

NOW = datetime(2026, 11, 27, 12, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def environment() -> ReplayEnvironment:
    return environment_of(Settings())


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("ASSISTANT_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "data"


def run(*words: str) -> str:
    result = CliRunner().invoke(app, ["sample", *words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


async def listed() -> Sequence[LoggedConversation]:
    async with open_conversations(Settings()) as conversations:
        return await conversations.listed()


def test_each_script_plays_as_it_is_written(environment: ReplayEnvironment) -> None:
    for name, script in sample_scripts(NOW):
        played = play_script(name, script, environment)

        assert played.unscripted == (), name
        failures = check(script, played, environment.book, environment.tools.specs)
        assert failures == [], name


def test_there_is_something_for_every_screen(environment: ReplayEnvironment) -> None:
    played = play_sample(environment, NOW, "demo")
    entries = [logged.entry for one in played for logged in one.entries]

    assert all(one.key.is_sample and one.key.tenant == "demo" for one in played)
    assert len({one.key for one in played}) == len(played) >= 10
    last = {one.key.customer: _handoff(one.entries) for one in played}
    assert {*last.values()} >= {"", "queued", "accepted", "ended", "ticket"}
    assert {one.rating for one in entries if isinstance(one, Rated)} == {"up", "down"}
    assert any(isinstance(one, SentenceSuppressed) for one in entries)
    outcomes = {type(one.outcome).__name__ for one in entries if isinstance(one, CallEnded)}
    assert outcomes >= {"CallSucceeded", "CallFailed"}
    assert {script.customer.locale for _, script in sample_scripts(NOW)} == {"en", "de"}
    assert {script.customer.level for _, script in sample_scripts(NOW)} >= {"anonymous", "signed_in"}
    channels = {one.key.channel(spoken=_spoken(one.entries)) for one in played}
    assert channels == {"chat", "voice", "phone"}
    days = {datetime.fromtimestamp(one.entries[0].at_ms / 1000, UTC).date() for one in played}
    assert len(days) >= 4
    assert max(days) == NOW.date()


def _handoff(entries: Sequence[Logged]) -> str:
    states = [one.entry.state for one in entries if isinstance(one.entry, Handoff)]
    return states[-1] if states else ""


def _spoken(entries: Sequence[Logged]) -> bool:
    return any(getattr(one.entry, "spoken", False) for one in entries)


async def test_the_cancelled_order_has_a_receipt(folder: Path) -> None:
    await _in_thread("add")
    async with customer_data_in(Settings()) as data:
        key = ConversationKey(tenant="demo", customer="sample-ben", conversation="sample-order-cancelled-1")
        receipts = ReceiptMaker(
            data.storage.log.read, data.storage.bundles.read, ReceiptSigner(data.storage.secret)
        )
        turn, call = [
            (one.turn_id, one.entry.outcome.call)
            for one in await data.storage.log.read(key)
            if isinstance(one.entry, CallEnded) and one.entry.outcome.call.tool == "cancel_order"
        ][-1]
        assert b"10455" in await receipts.of_call(key, f"{key.conversation}/{turn}/{call.id}")


async def test_adding_twice_adds_once(folder: Path) -> None:
    assert "11 example conversations added" in await _in_thread("add")
    assert "are there already" in await _in_thread("add")
    assert len(await listed()) == 11


async def test_an_export_says_what_is_an_example(folder: Path) -> None:
    await _in_thread("add")
    async with customer_data_in(Settings()) as data:
        exported: Any = await data.export("demo", "sample-ana")

    assert [one["sample"] for one in exported["conversations"]] == [True, True]


async def test_reports_count_no_example_unless_they_are_asked_to(folder: Path) -> None:
    await _in_thread("add")
    period = Period(since_ms=0, until_ms=inf, zone=UTC)
    now_ms = SystemClock().now_ms()
    counted: list[int] = []
    for sample in (False, True, False):
        async with open_report_maker(Settings(), sample=sample) as maker:
            report = await maker.report(period, now_ms)
            counted.append(report.total.visits)

    assert counted[0] == counted[2] == 0
    assert counted[1] >= 11


async def test_no_webhook_gets_an_example(folder: Path, environment: ReplayEnvironment) -> None:
    settings = Settings(webhook_urls=["https://crm.example/events"], webhook_secret="x" * 32)  # pyright: ignore[reportArgumentType]
    [one, *_] = play_sample_in_thread(environment)
    await _in_thread("add")
    async with customer_data_in(settings) as data:
        clock = SystemClock()
        webhooks = webhooks_of(settings, data.storage, clock, SystemIds())
        assert webhooks is not None
        log = WatchedLog(data.storage.log, webhooks, clock, 60)
        last = (await log.read(one.key))[-1]
        await log.append(one.key, [Logged(last.seq + 1, last.at_ms, "", Rated(message_id="m", rating="up"))])
        await log.close()

        assert await data.storage.deliveries.delivered("webhook", one.key) is None
        assert await data.storage.jobs.lengths() == []
        await webhooks.close()


async def test_nothing_stays_of_a_removed_sample(folder: Path) -> None:
    await _in_thread("add")
    assert await _in_thread("remove") == "11 example conversations removed\n"

    assert await listed() == []
    for file in folder.rglob("*.db"):
        with sqlite3.connect(file) as database:
            text = "\n".join(database.iterdump())
        named = [line for line in text.splitlines() if "sample-" in line]
        assert named == [], file
        assert "commitments VALUES" not in text
    assert await _in_thread("remove") == "0 example conversations removed\n"


async def _in_thread(*words: str) -> str:
    """Run a command, which has a loop of its own."""
    import asyncio

    return await asyncio.to_thread(run, *words)


def play_sample_in_thread(environment: ReplayEnvironment) -> Any:
    return play_sample(environment, datetime.now(UTC), "demo")
