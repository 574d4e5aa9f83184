"""A colleague decides about a change in the console: what they see, who may, and what the customer hears."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from assistant.clock import SystemClock
from assistant.conversation.customer import ConversationKey
from assistant.conversation.transcript import transcript
from assistant.prompts.book import shipped_book
from assistant.server.console.console_context import Approvals
from assistant.sessions.config_version import FixedConfig
from assistant.sessions.session import Session
from assistant.sessions.session_registry import SessionRegistry
from assistant.staff import launch as staff_launch
from assistant.staff.live_pauses import LivePauses
from assistant.store.memory_log import MemoryLog
from assistant.testing.chat import deps_for
from assistant.testing.fake_tool import FakeTool, Gives, fake_spec
from assistant.testing.script import calls, says
from assistant.testing.scripted_model import ScriptedModel
from tests.server.console.browser import Office, open_office
from tests.server.running_server import ANA
from tests.support.memory_pauses import MemoryPauses

KEY = ConversationKey(tenant="demo", customer="ana", conversation="c-1")
ORDER = {"order": "7", "amount": 150}


@dataclass
class Shop:
    """An office whose assistant may refund more than 100 only with a colleague's approval."""

    office: Office
    refund: FakeTool
    registry: SessionRegistry

    async def agreed(self) -> Session:
        """Ana asks for a refund, and says yes."""
        session = await self.registry.open(KEY, ANA)
        for number, (text, button) in enumerate((("Refund order 7, $150", None), ("Yes", "yes")), start=1):
            await session.say(
                client_message_id=f"m{number}", text=text, locale="en", button="yes" if button else None
            )
            await session.answered()
        return session


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncGenerator[Shop]:
    clock = SystemClock()
    written = fake_spec(
        "refund", "refunding your order", "refund your order", effect="write", confirm=True,
        required=("order", "amount"),
    )  # fmt: skip
    written = replace(written, approve="staff", approve_when="arguments.amount > 100")
    refund = FakeTool(written, Gives({"refunded": 150}), clock, clause="refund order 7")
    lines = (
        calls(("refund", ORDER)),
        says("A colleague has to approve that first."),
        says("It is done, with $150."),
    )
    deps = deps_for(ScriptedModel(*lines, clock=clock), [refund], shipped_book(), clock)
    registry = SessionRegistry(FixedConfig(deps), MemoryLog(), epoch="1")
    approvals = Approvals(tenant="demo", sessions=registry, clock=clock)
    async with open_office(tmp_path, approvals=approvals) as office:
        await office.hires("kim", "agent")
        await office.hires("lee", "agent")
        await office.hires("eva", "editor")
        yield Shop(office, refund, registry)
    await registry.close()


@dataclass
class Launch:
    """An office where a colleague approves each reply."""

    office: Office
    session: Session

    async def until_it_waits(self) -> None:
        for _ in range(200):
            if self.session.state.turns and self.session.state.turns[-1].awaiting_review:
                return
            await asyncio.sleep(0.01)
        raise AssertionError([line.text for line in transcript(self.session.state)])

    def reply(self, how: str, **more: Any) -> dict[str, Any]:
        return {"conversation": "c-1", "turn": "t1", "decision": how, **more}


@pytest.fixture
async def launch(tmp_path: Path) -> AsyncGenerator[Launch]:
    """Ana has asked what she owes, and the answer waits."""
    clock = SystemClock()
    billing = FakeTool(
        fake_spec("get_open_invoices", "checking your billing", "check your billing"), Gives(150), clock
    )
    pauses = LivePauses("demo", MemoryPauses(), clock)
    await pauses.choose_launch(staff_launch.Launch(mode="approval"), account="a", by="Ana")
    model = ScriptedModel(calls("get_open_invoices"), says("You owe 150 euros."), clock=clock)
    deps = replace(deps_for(model, [billing], shipped_book(), clock), pauses=pauses)
    registry = SessionRegistry(FixedConfig(deps), MemoryLog(), epoch="1")
    approvals = Approvals(tenant="demo", sessions=registry, clock=clock)
    async with open_office(tmp_path, approvals=approvals) as office:
        for name in ("kim", "lee"):
            await office.hires(name, "agent")
        session = await registry.open(KEY, ANA)
        shop = Launch(office, session)
        await session.say(client_message_id="m1", text="What do I owe?", locale="en")
        await shop.until_it_waits()
        yield shop
    await registry.close()


async def test_a_colleague_reads_a_reply_with_its_question_and_results(launch: Launch) -> None:
    kim = await launch.office.sits_down("kim")

    [one] = (await kim.asks("GET", "approvals")).body["replies"]

    assert one.pop("until") - one.pop("since") > 100_000
    assert one == {
        "conversation": "c-1",
        "turn": "t1",
        "customer": {"id": "ana", "name": "Ana"},
        "level": "verified",
        "question": "What do I owe?",
        "calls": [{"tool": "get_open_invoices", "arguments": {}, "outcome": "ok", "result": 150}],
        "text": "You owe 150 euros.",
    }
    assert (await launch.office.recorded())[-1] == "kim approvals.read (1 shown): ok"


async def test_an_approved_reply_is_sent_and_the_second_colleague_learns_it(launch: Launch) -> None:
    kim, lee = await launch.office.sits_down("kim"), await launch.office.sits_down("lee")
    mark = (await kim.asks("GET", "approvals/mark")).body["mark"]

    assert (await kim.asks("POST", "approvals/reply", launch.reply("approved"))).status == 200
    await launch.session.at_rest()

    assert transcript(launch.session.state)[-1].text == "You owe 150 euros."
    late = await lee.asks("POST", "approvals/reply", launch.reply("rejected"))
    assert (late.status, late.body["error"]["message"]) == (409, "Kim was faster: it is approved")
    assert (await lee.asks("GET", "approvals")).body["replies"] == []
    assert (await kim.asks("GET", "approvals/mark")).body["mark"] != mark
    records = await launch.office.audit.list_records("demo", before=None, limit=9)
    decided = [one for one in records if one.action == "approvals.reply"]
    assert [(one.object, one.customer, one.detail, one.outcome) for one in decided][::-1] == [
        ("c-1", "ana", "t1: approved", "ok"),
        ("c-1", "ana", "t1: rejected", "refused"),
    ]


async def test_an_edited_reply_needs_a_text_and_is_the_colleagues(launch: Launch) -> None:
    kim = await launch.office.sits_down("kim")
    empty = await kim.asks("POST", "approvals/reply", launch.reply("edited", text="  "))
    assert (empty.status, empty.body["error"]["code"]) == (422, "text_missing")

    await kim.asks("POST", "approvals/reply", launch.reply("edited", text="It is 150 euros, due on May 2."))
    await launch.session.at_rest()

    said = transcript(launch.session.state)[-1]
    assert (said.speaker, said.name, said.text) == ("person", "Kim", "It is 150 euros, due on May 2.")


def decision(how: str = "approved", **more: Any) -> dict[str, Any]:
    return {"conversation": "c-1", "turn": "t2", "call": "c1.1", "decision": how, **more}


async def test_a_colleague_sees_what_the_customer_agreed_to(shop: Shop) -> None:
    kim = await shop.office.sits_down("kim")
    assert (await kim.asks("GET", "approvals")).body["approvals"] == []
    before = (await kim.asks("GET", "approvals/mark")).body["mark"]
    await shop.agreed()

    [one] = (await kim.asks("GET", "approvals")).body["approvals"]

    assert one.pop("since") > 0
    assert one == {
        "conversation": "c-1",
        "turn": "t2",
        "call": "c1.1",
        "customer": {"id": "ana", "name": "Ana"},
        "level": "verified",
        "tool": "refund",
        "does": "refunding your order",
        "arguments": ORDER,
        "rule": "arguments.amount > 100",
        "question": "Shall I refund order 7?",
        "answer": "Yes",
    }
    assert (await kim.asks("GET", "approvals/mark")).body["mark"] != before
    assert (await shop.office.recorded())[-1] == "kim approvals.read (1 shown): ok"


async def test_an_approved_change_is_made_and_the_customer_is_told(shop: Shop) -> None:
    session, kim = await shop.agreed(), await shop.office.sits_down("kim")
    assert shop.refund.ran == []

    answer = await kim.asks("POST", "approvals", decision(why="known customer"))
    await session.at_rest()

    assert (answer.status, answer.body) == (200, {"decision": "approved"})
    assert [arguments for arguments, _ in shop.refund.ran] == [ORDER]
    assert session.state.turns[-1].messages[-1].text == "It is done, with $150."
    assert (await kim.asks("GET", "approvals")).body["approvals"] == []
    records = await shop.office.audit.list_records("demo", before=None, limit=9)
    [decided] = [one for one in records if one.action == "approvals.decide"]
    assert (decided.object, decided.customer, decided.outcome) == ("c-1", "ana", "ok")
    assert decided.detail == "refund t2/c1.1: approved (known customer)"


async def test_the_second_colleague_learns_who_was_faster(shop: Shop) -> None:
    session = await shop.agreed()
    kim, lee = await shop.office.sits_down("kim"), await shop.office.sits_down("lee")
    await kim.asks("POST", "approvals", decision())
    await session.at_rest()

    answer = await lee.asks("POST", "approvals", decision("declined", why="too much"))

    assert (answer.status, answer.code) == (409, "decided")
    assert answer.body["error"]["message"] == "Kim was faster: it is approved"
    assert len(shop.refund.ran) == 1


async def test_a_refusal_needs_a_reason(shop: Shop) -> None:
    await shop.agreed()
    kim = await shop.office.sits_down("kim")

    answer = await kim.asks("POST", "approvals", decision("declined", why="  "))

    assert (answer.status, answer.code) == (422, "why_missing")
    assert len((await kim.asks("GET", "approvals")).body["approvals"]) == 1


async def test_an_editor_neither_sees_nor_decides(shop: Shop) -> None:
    await shop.agreed()
    eva = await shop.office.sits_down("eva")

    assert (await eva.asks("GET", "approvals")).status == 403
    assert (await eva.asks("POST", "approvals", decision())).status == 403
    assert (await eva.asks("GET", "approvals/mark")).body == {"mark": ""}
    assert shop.refund.ran == []


async def test_what_does_not_wait_is_not_decided(shop: Shop) -> None:
    await shop.agreed()
    kim = await shop.office.sits_down("kim")

    assert (await kim.asks("POST", "approvals", decision(conversation="c-2"))).code == "unknown_conversation"
    for given in ({"turn": "t9"}, {"call": "c1.9"}, {"turn": "t1"}):
        assert (await kim.asks("POST", "approvals", decision(**given))).code == "decided"
    assert shop.refund.ran == []
