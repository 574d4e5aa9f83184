"""``assistant report`` and ``assistant conversations``: over a data folder, in a terminal, as JSON and as CSV."""

import asyncio
import csv
import io
from pathlib import Path

import orjson
import pytest
from typer.testing import CliRunner, Result

from assistant.cli import app
from assistant.clock import SystemClock
from assistant.commands.stored.report import bar
from assistant.conversation.customer import ConversationKey
from assistant.ids import SystemIds
from assistant.reports.summary import VISIT_OUTCOMES
from assistant.store.postgres.storage import open_postgres_storage
from assistant.store.sqlite.storage import open_sqlite_storage
from tests.support.logged_visits import DAY, LoggedVisits, failed, ok


def key(conversation: str, customer: str) -> ConversationKey:
    return ConversationKey(tenant="demo", customer=customer, conversation=conversation)


@pytest.fixture
async def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SystemClock:
    """A data folder with conversations of the last ten days."""
    monkeypatch.setenv("ASSISTANT_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("ASSISTANT_TIME_ZONE", "UTC")
    monkeypatch.setenv("COLUMNS", "100")
    clock = SystemClock("UTC")
    now = clock.now_ms()
    ana = LoggedVisits(now - 2 * DAY).identified("4711", "Ana Berg")
    ana.asks("I am Ana Berg, ana@web.example. What do I owe?", ok("billing")).rates("up")
    async with open_sqlite_storage(tmp_path, clock, SystemIds()) as storage:
        await storage.log.append(key("c-ana", "v1"), ana.entries)
        ben = LoggedVisits(now - DAY).asks("Do you repair bicycles?").asks("And my bill?", failed("billing"))
        ben.hands_over("requested", "unavailable", "ticket", why="wants a bicycle")
        await storage.log.append(key("c-ben", "v2"), ben.entries)
        await storage.log.append(
            key("c-old", "v3"), LoggedVisits(now - 9 * DAY).asks("Bill?", ok("billing")).entries
        )
    return clock


async def run(*arguments: str) -> Result:
    result = await asyncio.to_thread(CliRunner().invoke, app, [*arguments])
    assert result.exception is None, result.output
    return result


async def test_a_report_shows_outcomes_days_tools_and_requests(shop: SystemClock) -> None:
    text = (await run("report")).output

    assert "2 visits of 2 customers, 3 turns" in text
    assert "resolved, confirmed by the customer  1  50 %" in text
    assert "no agent came, ticket" in text
    assert "billing      2       1" in text
    assert "Do you repair bicycles?" in text
    assert "wants a bicycle" in text
    assert max(len(line.rstrip()) for line in text.splitlines()) <= 100


async def test_a_report_as_json_has_all_figures(shop: SystemClock) -> None:
    made = orjson.loads((await run("report", "--json", "--since", "30d")).output)
    rows = [*csv.DictReader(io.StringIO((await run("report", "--csv", "--since", "30d")).output))]

    assert made["total"]["visits"] == 3
    assert made["total"]["outcomes"] == dict.fromkeys(VISIT_OUTCOMES, 0) | {
        "confirmed": 1,
        "ticket": 1,
        "not_contradicted": 1,
    }
    assert [day["day"] for day in made["days"]] == [row["day"] for row in rows]
    assert [row["visits"] for row in rows] == ["1", "1", "1"]
    assert {group["examples"][0] for group in made["unanswered"]} == {
        "Do you repair bicycles?",
        "And my bill?",
    }


async def test_a_database_is_read_too(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SystemClock("UTC")
    async with open_postgres_storage(database, clock, SystemIds()) as storage:
        said = LoggedVisits(clock.now_ms() - DAY).asks("What do I owe?", ok("billing")).rates("up")
        await storage.log.append(key("c-ana", "ana"), said.entries)
    monkeypatch.setenv("ASSISTANT_DATABASE", database)
    monkeypatch.setenv("ASSISTANT_DATA_DIR", str(tmp_path / "new"))

    first = orjson.loads((await run("report", "--json")).output)["total"]
    again = orjson.loads((await run("report", "--json")).output)["total"]
    listed = orjson.loads((await run("conversations", "list", "--json")).output)

    assert (first["outcomes"]["confirmed"], first) == (1, again)
    assert [row["request"] for row in listed] == ["What do I owe?"]


async def test_conversations_are_listed_by_outcome(shop: SystemClock) -> None:
    async def listed(*options: str) -> list[str]:
        rows = orjson.loads((await run("conversations", "list", "--json", *options)).output)
        return [row["conversation"] for row in rows]

    assert await listed() == ["c-ben", "c-ana"]
    assert await listed("--since", "30d") == ["c-ben", "c-ana", "c-old"]
    assert await listed("--outcome", "confirmed") == ["c-ana"]
    assert await listed("--rating", "up") == ["c-ana"]
    assert await listed("--handoff") == ["c-ben"]
    assert await listed("--customer", "4711") == ["c-ana"]
    assert await listed("--limit", "1") == ["c-ben"]


async def test_the_list_is_masked_by_default(shop: SystemClock) -> None:
    masked = (await run("conversations", "list")).output
    plain = (await run("conversations", "list", "--no-mask")).output

    assert "I am <value>, <email>. What do I owe?" in masked
    assert "confirmed, 1 turn, rated up" in masked
    assert "I am Ana Berg, ana@web.example." in plain


async def test_a_conversation_is_shown_with_its_calls_and_masked(shop: SystemClock) -> None:
    text = (await run("conversations", "show", "c-ana")).output
    lines = orjson.loads((await run("conversations", "show", "last", "--json", "--no-mask")).output)["lines"]

    assert "I am <value>, <email>. What do I owe?" in text
    assert "billing {} -> ok, 40 ms" in text
    assert [line["kind"] for line in lines] == [
        "customer", "acknowledgement", "response", "customer", "acknowledgement", "tool", "response",
        "handoff", "handoff", "handoff",
    ]  # fmt: skip
    assert lines[5]["text"] == "billing {} -> failed, 40 ms: broken"


def test_a_wrong_option_is_reported_with_the_allowed_ones() -> None:
    result = CliRunner().invoke(app, ["conversations", "list", "--outcome", "good"])

    assert result.exit_code == 2
    assert "confirmed" in result.output


def test_a_bar_is_never_empty_for_a_number_above_zero() -> None:
    assert [bar(number, 1000, 10) for number in (0, 1, 500, 1000)] == ["", "▏", "█████", "██████████"]
