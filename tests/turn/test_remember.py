"""At the end of a turn, each of its calls gets one snapshot, however the turn ended."""

from collections.abc import AsyncGenerator, Sequence

from assistant.conversation.chunks import Chunk
from assistant.conversation.documents import result_ref
from assistant.conversation.entries import CallEnded, Logged, Snapshot, TurnEnded
from assistant.conversation.outcomes import CallSucceeded
from assistant.conversation.snapshots import LEFT_OUT
from assistant.conversation.values import Json
from assistant.conversation.views import FromTools
from assistant.ports import ModelRequest
from assistant.prompts.book import shipped_book
from assistant.testing.chat import deps_for, open_chat
from assistant.testing.fake_tool import Broken, Gives
from assistant.testing.script import calls, says
from assistant.testing.scripted_model import ScriptedModel
from assistant.turn.context import Limits
from tests.turn.conftest import Company
from tests.turn.what_must_hold import memories

BILL = "get_open_invoices"
BILLS: Json = [{"number": f"INV-{number}", "amount": f"{number}.00"} for number in range(1, 121)]


def snapshots(entries: Sequence[Logged]) -> list[tuple[str, str, Json]]:
    """Each with its turn's id, its call's, and what is left of the result."""
    return [
        (one.turn_id, one.entry.call_id, one.entry.result_summary)
        for one in entries
        if isinstance(one.entry, Snapshot)
    ]


def values(request: ModelRequest) -> list[Json]:
    """What the request shows of results, oldest first."""
    return [
        outcome.value
        for message in request.view.messages
        if isinstance(message, FromTools)
        for outcome in message.outcomes
        if isinstance(outcome, CallSucceeded)
    ]


async def test_each_call_gets_its_snapshot_right_before_the_end_of_its_turn(company: Company) -> None:
    ana = company.chat(calls(BILL), calls("get_opening_hours"), says("$150; 9 to 5."))

    await ana.says("What do I owe, and when are you open?")

    *_, first, second, end = (one.entry for one in ana.session.entries)
    assert end == TurnEnded(turn_id="t1", how="answered")
    assert [first, second] == [
        Snapshot(
            call_id="c1.1",
            tool_name=BILL,
            arguments={},
            result_summary=[{"amount": "150.00"}],
            full_result_ref="result:c-1/t1/c1.1",
        ),
        Snapshot(
            call_id="c2.1",
            tool_name="get_opening_hours",
            arguments={},
            result_summary="9 to 5",
            full_result_ref="result:c-1/t1/c2.1",
        ),
    ]
    assert ana.batches[-1][-3:] == ana.session.entries[-3:], "they go to the log with the end, in one piece"


async def test_a_call_that_waits_for_a_yes_is_remembered_as_that(
    company: Company,
) -> None:
    ana = company.chat(
        calls(BILL, ("cancel_appointment", {"day": "2026-03-10"})), says("$150."), says("Done.")
    )

    await ana.says("What do I owe? And cancel Tuesday")
    assert snapshots(ana.session.entries) == [
        ("t1", "c1.1", [{"amount": "150.00"}]),
        ("t1", "c1.2", "awaiting_confirmation"),
    ]

    await ana.says("yes")
    assert [place[:2] for place in snapshots(ana.session.entries)[2:]] == [("t2", "c1.1")]
    assert [*memories(ana.session.entries)] == []


async def test_a_stopped_turn_has_snapshots_now_and_later_ones_when_they_come(company: Company) -> None:
    ana = company.chat(calls("get_opening_hours", BILL), billing=Gives(150, after_s=9))

    await ana.begins("When are you open, and what do I owe?")
    await company.clock.sleep(3)
    await ana.session.stop()
    assert snapshots(ana.session.entries) == [("t1", "c1.1", "9 to 5")]

    await company.clock.sleep(9)
    assert snapshots(ana.session.entries) == [("t1", "c1.1", "9 to 5"), ("t1", "c1.2", 150)]
    assert [*memories(ana.session.entries)] == []


async def test_a_late_result_gets_its_snapshot_right_after_its_end(company: Company) -> None:
    late = Gives(BILLS, after_s=9)
    ana = company.chat(
        calls(BILL), says("One moment more."), says("120 bills."), limits=Limits(tools_s=4), billing=late
    )

    await ana.says("What do I owe?")
    await ana.session.at_rest()

    kinds = [type(one.entry) for one in ana.session.entries]
    assert kinds[kinds.index(TurnEnded) + 1 :][:2] == [CallEnded, Snapshot]
    assert [*memories(ana.session.entries)] == []


async def test_an_apology_and_a_bug_leave_snapshots_too(company: Company) -> None:
    company.billing.behaviour = Broken()

    class Bug(ScriptedModel):
        """Its narrator is a mistake of ours."""

        def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
            if request.role == "narrator":
                raise ZeroDivisionError
            return super().stream(request)

    deps = deps_for(Bug(calls(BILL)), company.tools, shipped_book(), company.clock)
    ana = open_chat(deps, company.log)

    await ana.says("What do I owe?")

    assert ana.session.state.turns[0].how == "apologised"
    assert snapshots(ana.session.entries) == [("t1", "c1.1", "failed")]
    assert [*memories(ana.session.entries)] == []


async def test_a_lost_call_gets_its_snapshot_when_its_end_is_known(
    company: Company,
) -> None:
    ana = company.chat(calls(BILL))
    company.billing.behaviour = Gives(150, after_s=60)
    await ana.begins("What do I owe?")
    await company.clock.sleep(3)
    await ana.session.stop()
    await ana.session.close()
    assert snapshots(ana.session.entries) == []

    again = company.chat(says("Gladly."), says("I can't see your billing."), entries=ana.session.entries)
    await again.says("Thanks", number=2)

    assert snapshots(again.session.entries) == [("t1", "c1.1", "unknown")]


async def test_the_running_turn_has_full_results_and_later_ones_shorter(
    company: Company,
) -> None:
    lines = [
        calls(BILL),
        calls("get_opening_hours"),
        calls(("get_order_status", {"order": "7"})),
        says("120 bills."),
    ]
    ana = company.chat(*lines, says("It is INV-2, $2.00."), billing=Gives(BILLS))

    await ana.says("What do I owe?")
    await ana.says("What was the amount of the second one?")

    of_rounds = company.model.requests
    assert [values(request)[:1] for request in of_rounds[1:4]] == [[BILLS]] * 3
    (short,) = (
        one
        for one in of_rounds[4].view.messages
        if isinstance(one, FromTools)
        if one.outcomes[0].call.tool == BILL
    )
    (outcome,) = short.outcomes
    assert isinstance(outcome, CallSucceeded)
    assert outcome.full_ref == result_ref("c-1", "t1", "c1.1")
    assert isinstance(outcome.value, list)
    assert outcome.value[:2] == [{"number": "INV-1", "amount": "1.00"}, {"number": "INV-2", "amount": "2.00"}]
    assert {LEFT_OUT: 121 - len(outcome.value)} in outcome.value
