"""A write over a limit waits for a colleague after the customer's yes, and nothing is lost or done twice."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

import orjson
import pytest

from assistant.conversation.chunks import Chunk
from assistant.conversation.entries import (
    ApprovalDecided,
    ApprovalDecision,
    CallStarted,
    Logged,
    TurnStarted,
)
from assistant.conversation.outcomes import CallDenied, CallPending, CallStatus, CallUnknown, call_status_name
from assistant.conversation.state import ConversationState
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.views import FromTools
from assistant.errors import LogError
from assistant.formats.tools import result_text
from assistant.ports import ModelRequest
from assistant.privacy.receipts import ReceiptError, ReceiptSigner, read_receipt
from assistant.prompts.book import shipped_book
from assistant.prompts.narration import Narration
from assistant.sessions.stop_tool import with_stop_tool
from assistant.staff.live_pauses import LivePauses
from assistant.storage_ports import Log
from assistant.testing.chat import KEY, Chat, StoppingLog, deps_for, open_chat
from assistant.testing.fake_tool import FakeTool, Gives
from assistant.testing.scene import scene
from assistant.testing.script import Line, calls, says
from assistant.testing.scripted_model import ScriptedModel
from assistant.tools.registry import Tools
from tests.support.memory_pauses import MemoryPauses
from tests.turn.conftest import Company, spec

ORDER = {"order": "7", "amount": 150}
SMALL = {"order": "7", "amount": 20}
WAITS = says("A colleague has to approve the refund first. I'll tell you here as soon as they have decided.")
DONE = says("Your refund of $150 is on its way.")


@dataclass
class Shop:
    """A shop whose refunds of more than 100 a colleague must approve."""

    company: Company
    refund: FakeTool = field(init=False)
    pauses: LivePauses = field(init=False)

    def __post_init__(self) -> None:
        written = spec(
            "refund", "refunding your order", "refund your order", effect="write", confirm=True,
            required=("order", "amount"),
        )  # fmt: skip
        written = replace(written, approve="staff", approve_when="arguments.amount > 100")
        self.refund = FakeTool(written, Gives({"refunded": 150}), self.company.clock, clause="refund order 7")
        self.pauses = LivePauses("shop", MemoryPauses(), self.company.clock)

    def chat(
        self, *lines: Line, log: Log | None = None, entries: Sequence[Logged] = (), templates: bool = False
    ) -> Chat:
        book, clock = shipped_book(), self.company.clock
        model = ScriptedModel(*lines, clock=clock)
        self.company.models.append(model)
        tools = with_stop_tool(Tools([self.refund, *self.company.tools]), book)
        narrate = Narration(book).narrate_outcomes if templates else None
        deps = replace(deps_for(model, list(tools), book, clock, narrate=narrate), pauses=self.pauses)
        return open_chat(deps, log or self.company.log, entries)

    async def restarted(self, chat: Chat, *lines: Line) -> Chat:
        """The process ends, and another one goes on from the log."""
        await chat.session.close()
        again = self.chat(*lines, entries=await self.company.log.read(chat.session.key))
        again.session.resume()
        return again


@pytest.fixture
def shop(company: Company) -> Shop:
    return Shop(company)


async def agrees(ana: Chat) -> str:
    """Ana asks for the refund, and says yes."""
    assert "Shall I refund order 7?" in await ana.says("Please refund order 7, $150")
    return await ana.says("Yes", button=True)


async def decides(ana: Chat, decision: ApprovalDecision, why: str = "", name: str = "Kim") -> bool:
    """A colleague decides about the only call that waits."""
    [(turn, call), *_] = ana.session.state.awaiting_approval or [(None, None)]
    if turn is None or call is None:
        turn_id, call_id = "t2", "c1.1"
    else:
        turn_id, call_id = turn.id, call.id
    entry = ApprovalDecided(call_id=call_id, decision=decision, account=f"a-{name}", name=name, why=why)
    decided = await ana.session.decide_approval(turn_id, entry)
    await ana.session.at_rest()
    return decided


async def test_the_customer_is_told_that_a_colleague_looks_at_it(shop: Shop) -> None:
    ana = shop.chat(calls(("refund", ORDER)), WAITS, DONE)

    assert await agrees(ana) == scene("""
          [refund running]
        Assistant: A colleague has to approve the refund first. I'll tell you here as soon as they have decided.
    """)
    assert shop.refund.ran == []
    seen = [one for one in shop.company.model.requests[-1].view.messages if isinstance(one, FromTools)]
    assert "a colleague of ours must approve it first" in result_text(seen[-1].outcomes[0])

    assert await decides(ana, "approved")
    assert ana.scene == "Assistant: Your refund of $150 is on its way."
    assert [arguments for arguments, _ in shop.refund.ran] == [ORDER]


async def test_a_small_amount_needs_no_colleague(shop: Shop) -> None:
    ana = shop.chat(calls(("refund", SMALL)), says("Your refund is on its way."))

    assert "[refund ok]" in await agrees(ana)
    assert [arguments for arguments, _ in shop.refund.ran] == [SMALL]
    assert ana.session.state.awaiting_approval == []


async def test_without_a_yes_no_colleague_is_asked(shop: Shop) -> None:
    ana = shop.chat(calls(("refund", ORDER)))
    await ana.says("Please refund order 7, $150")
    assert ana.session.state.awaiting_approval == []

    await ana.says("No", button=True)

    assert ana.session.state.awaiting_approval == []
    assert shop.refund.ran == []


async def test_a_declined_change_is_told_with_its_reason(shop: Shop) -> None:
    told = says("I'm sorry, my colleague did not approve the refund: the order is older than a year.")
    ana = shop.chat(calls(("refund", ORDER)), WAITS, told)
    await agrees(ana)

    await decides(ana, "declined", why="the order is older than a year")

    assert "did not approve the refund" in ana.scene
    assert shop.refund.ran == []
    outcome = ana.session.state.turns[1].outcomes["c1.1"]
    assert isinstance(outcome, CallDenied)
    assert "older than a year" in outcome.for_model


async def test_the_templates_tell_it_without_a_model(shop: Shop) -> None:
    ana = shop.chat(calls(("refund", ORDER)), says(""), says(""), templates=True)

    assert await agrees(ana) == scene("""
          [refund running]
        Assistant: A colleague has to approve that first (refunding your order); I'll tell you here as soon as they have decided.
    """)  # noqa: E501
    await decides(ana, "declined", why="It was refunded in May.")
    assert ana.scene == "Assistant: I didn't refund your order: It was refunded in May."


async def test_the_result_is_told_days_later_by_another_process(shop: Shop) -> None:
    ana = shop.chat(calls(("refund", ORDER)), WAITS)
    await agrees(ana)
    assert not ana.session.idle or ana.session.has_clients
    await shop.company.clock.sleep(3 * 86_400)

    later = await shop.restarted(ana, DONE)
    assert [call.tool for _, call in later.session.state.awaiting_approval] == ["refund"]
    assert await shop.company.log.unfinished() == [later.session.key]
    await decides(later, "approved")

    assert later.scene == "Assistant: Your refund of $150 is on its way."
    assert len(shop.refund.ran) == 1
    assert await shop.company.log.unfinished() == []


async def test_the_conversation_goes_on_meanwhile(shop: Shop) -> None:
    ana = shop.chat(calls(("refund", ORDER)), WAITS, says("You are welcome."), DONE)
    await agrees(ana)

    assert await ana.says("Thank you") == "Assistant: You are welcome."
    await decides(ana, "approved")

    assert ana.scene == "Assistant: Your refund of $150 is on its way."


async def test_of_two_colleagues_the_first_decides(shop: Shop) -> None:
    ana = shop.chat(calls(("refund", ORDER)), WAITS, DONE)
    await agrees(ana)

    assert await decides(ana, "approved", name="Kim")
    assert not await decides(ana, "declined", name="Lee")

    assert len(shop.refund.ran) == 1
    decided = ana.session.state.turns[1].approvals["c1.1"].decided
    assert decided is not None
    assert decided.name == "Kim"


async def test_it_runs_with_the_arguments_that_were_agreed_to(shop: Shop) -> None:
    ana = shop.chat(calls(("refund", ORDER)), WAITS, DONE)
    await agrees(ana)

    requested = ana.session.state.turns[1].approvals["c1.1"].requested
    assert (dict(requested.arguments), requested.rule) == (ORDER, "arguments.amount > 100")
    await decides(ana, "approved")

    assert [arguments for arguments, _ in shop.refund.ran] == [dict(requested.arguments)]


async def test_an_approved_call_of_a_paused_tool_does_not_run(shop: Shop) -> None:
    told = says("I couldn't refund your order: that is not available at the moment.")
    ana = shop.chat(calls(("refund", ORDER)), WAITS, told)
    await agrees(ana)
    await shop.pauses.pause("tool", "refund", account="a1", by="Kim")

    await decides(ana, "approved")

    assert shop.refund.ran == []
    assert "not available at the moment" in ana.scene


async def test_a_customer_withdraws_before_a_colleague_has_looked(shop: Shop) -> None:
    ana = shop.chat(calls(("refund", ORDER)), WAITS, calls("stop_running_task"), says("I've stopped it."))
    await agrees(ana)

    await ana.says("Forget the refund, please")

    assert ana.session.state.awaiting_approval == []
    assert not await decides(ana, "approved")
    assert shop.refund.ran == []


async def test_the_receipt_has_the_approval_and_verifies_offline(shop: Shop) -> None:
    ana = shop.chat(calls(("refund", ORDER)), WAITS, DONE)
    await agrees(ana)
    await decides(ana, "approved", why="a known customer")
    signer = ReceiptSigner("the installation's secret")

    file = signer.receipt(ana.session.entries, KEY, "c-1/t2/c1.1", _undisclosed)

    approval = read_receipt(file)["approval"]
    assert (approval["decision"], approval["name"], approval["why"]) == (
        "approved",
        "Kim",
        "a known customer",
    )
    assert (approval["rule"], approval["arguments"]) == ("arguments.amount > 100", ORDER)
    assert read_receipt(file)["consent"]["answer"]["button"] == "yes"
    document = orjson.loads(file)
    del document["signature"]
    for name, value in (("name", "Lee"), ("arguments", {**ORDER, "amount": 1})):
        forged = signer.signed({**document, "approval": {**document["approval"], name: value}})
        with pytest.raises(ReceiptError, match="its summary does not say what its entries say"):
            read_receipt(forged)
    without = signer.signed({key: value for key, value in document.items() if key != "approval"})
    with pytest.raises(ReceiptError):
        read_receipt(without)


def _undisclosed(turn: TurnStarted, locale: str) -> None:
    del turn, locale


async def test_a_crash_while_it_runs_does_not_run_it_again(shop: Shop) -> None:
    ana = shop.chat(calls(("refund", ORDER)), WAITS)
    await agrees(ana)
    shop.refund.behaviour = Gives({"refunded": 150}, after_s=60)
    entry = ApprovalDecided(call_id="c1.1", decision="approved", account="a1", name="Kim")
    await ana.session.decide_approval("t2", entry)
    await ana.session.answered()
    kept = await shop.company.log.read(ana.session.key)
    assert isinstance(kept[-1].entry, CallStarted)

    later = shop.chat(says("I can't tell whether the refund went through."), entries=kept)
    later.session.resume()
    await later.session.at_rest()

    assert isinstance(later.session.state.turns[1].outcomes["c1.1"], CallUnknown)
    assert len(shop.refund.ran) <= 1


async def test_a_stop_after_any_entry_loses_nothing_and_runs_nothing_twice(company: Company) -> None:
    whole = StoppingLog(10_000)
    await _whole_story(Shop(company), whole)

    for most in range(1, len(whole.kept)):
        again = Shop(Company())
        cut = StoppingLog(most)
        await _whole_story(again, cut)
        resumed = StoppingLog(10_000, kept=list(cut.kept))
        await _whole_story(again, resumed)

        state = ConversationState(resumed.kept)
        assert len(again.refund.ran) <= 1, most
        outcome = state.turns[1].outcomes["c1.1"]
        assert again.refund.ran or isinstance(outcome, CallUnknown), most
        assert state.awaiting_approval == [], most
        shown = [message.text for turn in state.turns for message in turn.messages]
        assert "The refund: approval." in shown, (most, shown)
        assert {"The refund: ok.", "The refund: unknown."} & {*shown}, (most, shown)


async def _whole_story(shop: Shop, log: StoppingLog) -> None:
    """Ask, agree, approve, hear the result: what is not done yet. All narrations come from templates."""
    clock = shop.company.clock
    deps = deps_for(_OneRefund(shop.company), [shop.refund], shipped_book(), clock, narrate=_in_short)
    ana = open_chat(deps, log, list(log.kept))
    try:
        ana.session.resume()
        await ana.session.at_rest()
        for number, (text, button) in enumerate((("Please refund order 7, $150", False), ("Yes", True)), 1):
            if f"m{number}" not in ana.session.state.client_ids:
                await ana.says(text, button=button, number=number)
        for turn, call in ana.session.state.awaiting_approval:
            entry = ApprovalDecided(call_id=call.id, decision="approved", account="a1", name="Kim")
            await ana.session.decide_approval(turn.id, entry)
        await ana.session.at_rest()
    except LogError:
        assert ana.session.failed
    await ana.session.close()


class _OneRefund(ScriptedModel):
    """Decides on the refund, and leaves all narrations to the templates."""

    def __init__(self, company: Company) -> None:
        super().__init__(clock=company.clock)
        self._company = company

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        line = calls(("refund", ORDER)) if request.role == "decider" else says("")
        async with aclosing(ScriptedModel(line, clock=self._company.clock).stream(request)) as chunks:
            async for chunk in chunks:
                yield chunk


def _in_short(outcomes: Sequence[CallStatus], specs: Mapping[str, ToolSpec], locale: str) -> str:
    """Names each outcome, and what it waits for."""
    del specs, locale
    names = [
        one.long.state if isinstance(one, CallPending) and one.long else call_status_name(one)
        for one in outcomes
    ]
    return f"The refund: {', '.join(names)}."
