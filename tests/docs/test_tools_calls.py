"""What the guide for CRM teams says about calls: their order, the questions, and the effects of a crash."""

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from assistant.conversation.entries import CallEnded, CallStarted, Logged
from assistant.conversation.outcomes import outcome_name
from assistant.prompts.book import shipped_book
from assistant.prompts.narration import Narration
from assistant.testing.chat import Chat, StoppingLog, deps_for, open_chat
from assistant.testing.script import Line, breaks, calls
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import VirtualClock, run_virtually
from assistant.tools.discovery import discover
from assistant.turn.context import Limits
from tests.docs.pages import page
from tests.docs.recipes import DEMO

PAGE = page("docs/guides/tools.md")

SHOP = """
import asyncio
from assistant import ToolContext, tool

events = []
done = {}

async def work(name, key):
    events.append(f"{name} begins")
    done[key] = name
    await asyncio.sleep(2)
    events.append(f"{name} ends")
    return name

async def asked(context: ToolContext):
    events.append("check asked")
    return done.get(context.key)
"""
TOOL = '''
@tool(waiting_hint="seeing to that", {options})
async def {name}(context: ToolContext) -> str:
    """Do it."""
    return await work("{name}", context.key)
'''
TOOLS = {
    "look": "",
    "look_elsewhere": "",
    "write": "effect='write'",
    "write_again": "effect='write', idempotent=True",
    "write_checked": "effect='write', reconcile=asked",
    "write_asked": "effect='write', confirm='write that'",
    "send_asked": "effect='write', confirm='send that'",
}


class Shop:
    """Tools of every kind, that take two seconds each."""

    def __init__(self, folder: Path) -> None:
        declared = (TOOL.format(name=name, options=options) for name, options in TOOLS.items())
        (folder / "shop.py").write_text(SHOP + "".join(declared), encoding="utf-8")
        self.tools = discover(folder)
        self.clock = VirtualClock()

    @property
    def events(self) -> list[str]:
        """What the tools did, in its order."""
        module = __import__("tools.shop", fromlist=["events"])
        found: list[str] = module.events
        return found

    def chat(self, *lines: Line, entries: Sequence[Logged] = (), limits: Limits | None = None) -> Chat:
        book, model = shipped_book(), ScriptedModel(*lines, clock=self.clock)
        narrate = Narration(book).narrate_outcomes
        deps = deps_for(model, list(self.tools), book, self.clock, narrate=narrate, limits=limits)
        return open_chat(deps, StoppingLog(10_000, list(entries)), entries, customer=DEMO)

    async def crashes_in(self, tool: str) -> Chat:
        """A conversation in which the process ended while this tool ran, after the next start."""
        before = self.chat(calls(tool), breaks())
        await before.begins("Do it")
        await asyncio.sleep(1)
        entries = list(before.session.entries)
        assert any(isinstance(one.entry, CallStarted) for one in entries)
        await before.session.close()
        after = self.chat(breaks(), entries=entries)
        after.session.resume()
        await after.session.answered()
        return after


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


@pytest.mark.parametrize(
    ("tool", "events", "outcome", "row"),
    [
        ("look", ["look begins", "look begins", "look ends"], "ok", "| a read | it is run again |"),
        (
            "write_again",
            ["write_again begins", "write_again begins", "write_again ends"],
            "ok",
            "| a write with `idempotent=True` | it is run again, with the same key |",
        ),
        (
            "write_checked",
            ["write_checked begins", "check asked"],
            "ok",
            "| a write with `reconcile` | `reconcile` is called; the customer is told whether it was done |",
        ),
        (
            "write",
            ["write begins"],
            "unknown",
            "| any other write | `unknown`: it is not run again, and the customer is told |",
        ),
    ],
)
def test_a_crash_leaves_what_the_table_says(
    tool: str, events: list[str], outcome: str, row: str, shop: Shop
) -> None:
    after = run_virtually(shop.crashes_in(tool))

    keys = {one.entry.idempotency_key for one in after.session.entries if isinstance(one.entry, CallStarted)}
    ends = [one.entry.outcome for one in after.session.entries if isinstance(one.entry, CallEnded)]
    assert (shop.events, [outcome_name(one) for one in ends], len(keys)) == (events, [outcome], 1)
    assert row in PAGE.text.splitlines()


def test_reads_run_together_and_writes_after_them_in_order(shop: Shop) -> None:
    chat = shop.chat(calls("write", "look", "write_again", "look_elsewhere"), breaks())

    run_virtually(chat.says("Do all of it"))

    assert shop.events[:2] == ["look begins", "look_elsewhere begins"]
    assert set(shop.events[2:4]) == {"look ends", "look_elsewhere ends"}
    assert shop.events[4:] == ["write begins", "write ends", "write_again begins", "write_again ends"]


def test_all_that_must_be_agreed_to_is_asked_in_one_question(shop: Shop) -> None:
    chat = shop.chat(calls("write_asked", "send_asked"))

    scene = run_virtually(chat.says("Write and send it"))

    assert scene.splitlines()[-1] == "Assistant: Shall I write that and send that?"
    assert shop.events == []


def test_a_write_after_results_is_asked_about(shop: Shop) -> None:
    chat = shop.chat(calls("look"), calls("write"), breaks())

    scene = run_virtually(chat.says("Look, and then write it"))

    assert "[write asked]" in scene
    assert shop.events == ["look begins", "look ends"]


def test_a_newer_message_holds_back_a_write(shop: Shop) -> None:
    chat = shop.chat(calls("look", "write"), breaks(), calls("look_elsewhere"), breaks())

    async def talk() -> None:
        await chat.begins("Look, and write it")
        await asyncio.sleep(1)
        await chat.begins("No, look elsewhere")
        await chat.session.answered()

    run_virtually(talk())

    assert not any(event.startswith("write") for event in shop.events)
    assert [outcome_name(one) for one in chat.session.state.turns[0].outcomes.values()] == ["ok", "cancelled"]


def test_a_late_result_is_told_once_later(shop: Shop) -> None:
    chat = shop.chat(calls("look"), breaks(), breaks(), limits=Limits(tools_s=1))

    async def talk() -> tuple[str, str]:
        scene = await chat.says("Look")
        await chat.session.at_rest()
        await chat.session.answered()
        return scene, chat.scene

    first, later = run_virtually(talk())

    assert first.splitlines()[1:] == [
        "  [look running]",
        "Assistant: It is taking me longer than usual to see to that; I'll tell you as soon as I hear back.",
    ]
    assert later == "Assistant: Here is what I found: look."
    (end,) = [one.entry for one in chat.session.entries if isinstance(one.entry, CallEnded)]
    assert end.late


def test_the_same_call_runs_once(shop: Shop) -> None:
    chat = shop.chat(calls("look", "look"), breaks())

    run_virtually(chat.says("Look, and look"))

    assert shop.events == ["look begins", "look ends"]


@pytest.mark.parametrize(
    ("option", "clause"),
    [
        ("True", "send your voucher (day Tuesday, November 24)"),
        ('"send you a voucher on {{ arguments.day | day }}"', "send you a voucher on Tuesday, November 24"),
        ("_voucher", "send you a voucher of 20 euros on Tuesday, November 24"),
    ],
)
def test_the_question_is_worded_as_in_the_table(option: str, clause: str, tmp_path: Path) -> None:
    (source,) = [block for block in PAGE.blocks("python") if "confirm=_voucher" in block]
    shop = Shop(tmp_path)
    if option != "_voucher":
        source = re.sub(r"confirmation=\{.*?\},", "", source, flags=re.DOTALL)
    (tmp_path / "vouchers.py").write_text(
        source.replace("confirm=_voucher", f"confirm={option}"), encoding="utf-8"
    )
    shop.tools = discover(tmp_path)

    scene = run_virtually(shop.chat(calls(("send_voucher", {"day": "2026-11-24"}))).says("A voucher, please"))

    assert scene.splitlines()[-1] == f"Assistant: Shall I {clause}?"
    assert option == "_voucher" or (option if option != "True" else f'"{clause}"') in PAGE.text.replace(
        "\\|", "|"
    )
