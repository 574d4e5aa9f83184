"""When calls run: lookups immediately and together, side effects last, in order, and never before the log
stores them.
"""

import pytest

from assistant.conversation.entries import CallStarted
from assistant.testing.fake_tool import Broken, Gives, Refuses
from assistant.testing.scene import scene
from assistant.testing.script import calls, says
from assistant.turn.context import Limits
from tests.turn.conftest import Company
from tests.turn.slow_log import SlowLog
from tests.turn.timeline import timeline

LATE = ("add_note", {"text": "late"})
ILL = ("add_note", {"text": "ill"})


async def test_lookups_run_immediately(company: Company) -> None:
    ana = company.chat(
        calls("list_upcoming_appointments", "get_open_invoices"),
        says(["Tuesday; $150."]),
        appointments=Gives("Tuesday", after_s=3),
        billing=Gives(150, after_s=3),
    )

    await ana.says("Check my appointments and billing")

    *ended, told, closed, over = timeline(ana.batches).splitlines()[-5:]
    # Which of two timers of one moment fires first, no event loop says; the same steps have the same order again.
    assert sorted(ended) == ["3.0 get_open_invoices ok", "3.0 list_upcoming_appointments ok"]
    assert [told, closed, over] == [
        '3.0 "Tuesday; $150."',
        "3.0 (response)",
        "3.0 answered",
    ]


async def test_side_effects_run_after_lookups_one_by_one_in_order(
    company: Company,
) -> None:
    ana = company.chat(
        calls(LATE, ILL, "get_open_invoices", each_s=0.1),
        says(["All noted; $150."]),
        note=Gives("noted", after_s=2),
        billing=Gives(150, after_s=3),
    )

    await ana.says("Write down that I am late and ill, and check my bill")

    runs = [line for line in timeline(ana.batches).splitlines() if '"' not in line and "(" not in line]
    assert runs == [
        "0.8 get_open_invoices starts",
        "3.8 get_open_invoices ok",
        "3.8 add_note starts",
        "5.8 add_note ok",
        "5.8 add_note starts",
        "7.8 add_note ok",
        "7.8 answered",
    ]
    assert [arguments for arguments, _ in company.note.ran] == [LATE[1], ILL[1]]


async def test_a_side_effect_begins_only_when_its_entry_would_survive_a_crash(company: Company) -> None:
    log = SlowLog(company.clock, append_s=0.5)
    ana = company.chat(calls(LATE), says(["Noted."]), log=log, note=Gives("noted", after_s=1))
    await ana.begins("Write down that I am late")
    while not company.note.ran:
        await company.clock.sleep(0.1)

    durable = [logged.entry for logged in await log.read(ana.session.key)]
    assert any(isinstance(entry, CallStarted) for entry in durable)
    await ana.session.answered()


async def test_a_lookup_does_not_wait_for_the_log(company: Company) -> None:
    log = SlowLog(company.clock, append_s=0.5)
    ana = company.chat(calls("get_open_invoices"), says(["$150."]), log=log)

    await ana.begins("Check my bill")
    await company.clock.sleep(0.1)

    assert company.billing.ran
    assert await log.read(ana.session.key) == []
    await ana.session.answered()


async def test_every_call_gets_its_own_key(company: Company) -> None:
    company.respec(company.note, trusted=True)
    ana = company.chat(calls(LATE, ILL), says("Noted."), calls(LATE), says("Noted."))

    await ana.says("Write down that I am late and ill")
    await ana.says("And again that I am late")

    assert [key for _, key in company.note.ran] == ["c-1/t1/c1.1", "c-1/t1/c1.2", "c-1/t2/c1.1"]


async def test_a_failing_side_effect_does_not_stop_the_next(company: Company) -> None:
    company.note.behaviour = Refuses("the notebook is full")
    ana = company.chat(calls(LATE, ILL), says("The notebook is full."))

    await ana.says("Write down that I am late and ill")

    assert len(company.note.ran) == 2


async def test_a_tool_may_take_its_declared_time_and_no_longer(company: Company) -> None:
    company.respec(company.billing, timeout_s=2)
    ana = company.chat(
        calls("list_upcoming_appointments", "get_open_invoices"),
        says(["Tuesday. Billing was too slow."]),
        appointments=Gives("Tuesday", after_s=3),
        billing=Gives(150, after_s=3),
    )

    await ana.says("Check my appointments and billing")

    assert timeline(ana.batches).splitlines()[-5:-3] == [
        "2.0 get_open_invoices timed_out",
        "3.0 list_upcoming_appointments ok",
    ]


async def test_at_the_turns_deadline_running_calls_continue(company: Company) -> None:
    company.respec(company.billing, timeout_s=60)
    ana = company.chat(
        calls("get_open_invoices", first_s=5), says(["Too slow."]), billing=Gives(150, after_s=50)
    )

    await ana.says("Check my bill")

    assert timeline(ana.batches).splitlines()[-3:] == [
        '30.0 "Too slow."',
        "30.0 (response)",
        "30.0 answered",
    ]


async def test_a_call_without_remaining_time_does_not_start(company: Company) -> None:
    ana = company.chat(
        calls("get_open_invoices", LATE),
        says("That takes longer. I did not get to the note."),
        limits=Limits(tools_s=3),
        billing=Gives(150, after_s=5),
    )

    assert await ana.says("Check my bill and write down that I am late") == scene("""
        Assistant (acknowledgement): Sure, I'll check your billing.
          [get_open_invoices running]
          [add_note cancelled]
        Assistant: That takes longer. I did not get to the note.
    """)
    assert company.note.ran == []


@pytest.mark.parametrize("how", [Refuses("billing does not know you"), Broken()])
async def test_a_tool_that_fails_affects_only_its_own_answer(company: Company, how: Refuses | Broken) -> None:
    ana = company.chat(
        calls("list_upcoming_appointments", "get_open_invoices"), says("Tuesday; no billing."), billing=how
    )

    assert "[list_upcoming_appointments ok]\n  [get_open_invoices failed]" in await ana.says("Check both")


async def test_the_same_change_requested_twice_is_asked_about_once(company: Company) -> None:
    cancel = ("cancel_appointment", {"day": "2026-03-10"})
    ana = company.chat(calls("get_open_invoices"), calls(cancel, cancel), says("$150."))

    assert await ana.says("Check my bill and cancel Tuesday") == scene("""
        Assistant (acknowledgement): All right, I'll check your billing.
          [get_open_invoices ok]
          [cancel_appointment asked]
          [cancel_appointment cancelled]
        Assistant: $150.
        Assistant: Shall I cancel your eye test on Tuesday at 2 pm?
    """)
