"""A tool that takes days: it starts, the conversation continues, and the customer is told when it is done."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from assistant.conversation.entries import CallEnded, Logged, LongCallProgressed, LongCallStarted
from assistant.conversation.outcomes import CallCancelled, CallPending, CallUnknown, was_stopped
from assistant.conversation.views import FromTools
from assistant.errors import ToolError
from assistant.formats.tools import result_text
from assistant.prompts.book import PromptBook, shipped_book
from assistant.prompts.narration import Narration
from assistant.sessions.stop_tool import with_stop_tool
from assistant.store.memory_log import MemoryLog
from assistant.testing.chat import Chat, deps_for, open_chat
from assistant.testing.scene import scene
from assistant.testing.script import Line, calls, says
from assistant.testing.scripted_model import ScriptedModel
from assistant.tools.decorator import tool
from assistant.tools.registry import Tools
from assistant.tools.tool import ToolContext
from tests.turn.conftest import Company

DAY_S = 86_400
STARTED = says("I've started to prepare your export; I'll tell you here when it is done.")
DONE = says("Your export with 10 invoices is ready.")


class Office:
    """Prepares exports: one page each hour, ten pages."""

    def __init__(self, company: Company, book: PromptBook) -> None:
        self.company, self.book = company, book
        self.runs: list[str] = []
        self.when_stopped: object = None
        self.model = ScriptedModel(clock=company.clock)
        office, clock = self, company.clock

        @tool(waiting_hint="preparing your export", long=True)
        async def prepare_export(context: ToolContext) -> dict[str, int]:
            """Prepare an export of all invoices."""
            office.runs.append(context.key)
            for page in range(1, 11):
                try:
                    await clock.sleep(3_600)
                except asyncio.CancelledError:
                    if isinstance(office.when_stopped, Exception):
                        raise office.when_stopped from None
                    if office.when_stopped is not None:
                        return {"invoices": int(str(office.when_stopped))}
                    raise
                context.progress(page, 10, "pages")
            return {"invoices": 10}

        @tool(waiting_hint="deleting your old letters", effect="write", long=True)
        async def delete_letters(context: ToolContext) -> dict[str, int]:
            """Delete all old letters."""
            office.runs.append(context.key)
            await clock.sleep(2 * DAY_S)
            return {"deleted": 7}

        self.tools = (prepare_export, delete_letters, company.hours)

    def chat(self, *lines: Line, entries: Sequence[Logged] = (), templates: bool = False) -> Chat:
        self.model = ScriptedModel(*lines, clock=self.company.clock)
        tools = with_stop_tool(Tools(self.tools), self.book)
        narrate = Narration(self.book).narrate_outcomes if templates else None
        deps = deps_for(self.model, list(tools), self.book, self.company.clock, narrate=narrate)
        return open_chat(deps, self.company.log, entries)

    async def restarted(self, chat: Chat, *lines: Line, templates: bool = False) -> Chat:
        """The process ends, and another one goes on from the log."""
        await chat.session.close()
        again = self.chat(*lines, entries=await self.company.log.read(chat.session.key), templates=templates)
        again.session.resume()
        return again


@pytest.fixture
def office(company: Company) -> Office:
    return Office(company, shipped_book())


async def test_the_conversation_continues_and_the_end_is_told(office: Office) -> None:
    ana = office.chat(
        calls("prepare_export"), STARTED, calls("get_opening_hours"), says("We are open from 9 to 5."), DONE
    )

    assert await ana.says("Please export all my invoices") == scene("""
        Assistant (acknowledgement): Sure, I'll prepare your export.
          [prepare_export running]
        Assistant: I've started to prepare your export; I'll tell you here when it is done.
    """)
    assert await ana.says("When are you open?") == scene("""
        Assistant (acknowledgement): Let me see. I'll check the opening hours.
          [get_opening_hours ok]
        Assistant: We are open from 9 to 5.
    """)
    await office.company.clock.sleep(9 * 3_600)
    assert len(ana.session.state.turns) == 2
    await ana.session.at_rest()

    assert ana.scene == "Assistant: Your export with 10 invoices is ready."
    assert office.runs == ["c-1/t1/c1.1"]


async def test_without_a_model_our_own_sentences_are_used(office: Office) -> None:
    ana = office.chat(calls("prepare_export"), says(""), says(""), templates=True)

    assert "I've started to prepare your export; I'll tell you here when it is done." in await ana.says(
        "Export"
    )


async def test_the_model_knows_the_progress(office: Office) -> None:
    ana = office.chat(calls("prepare_export"), STARTED, says("It has come to 3 of 10 pages."))
    await ana.says("Please export all my invoices")
    await office.company.clock.sleep(3.5 * 3_600)

    assert "It has come to 3 of 10 pages." in await ana.says("How far is my export?")
    told = office.model.requests[-1].view.messages[2]
    assert isinstance(told, FromTools)
    (pending,) = told.outcomes
    assert isinstance(pending, CallPending)
    assert "So far: 3 of 10 pages." in result_text(pending)
    assert "Task t1/c1.1." in result_text(pending)
    progress = [one.entry for one in ana.session.entries if isinstance(one.entry, LongCallProgressed)]
    assert [one.done for one in progress] == [1, 2, 3]


async def test_the_customer_stops_it_and_hears_its_progress(office: Office) -> None:
    ana = office.chat(
        calls("prepare_export"),
        STARTED,
        calls("stop_running_task"),
        says("I stopped it; 3 of 10 pages were done."),
    )
    await ana.says("Please export all my invoices")
    await office.company.clock.sleep(3.5 * 3_600)

    said = await ana.says("Please stop it")
    assert "[stop_running_task ok]" in said
    assert "I stopped it; 3 of 10 pages were done." in said
    await ana.session.at_rest()

    (turn, stopping) = ana.session.state.turns
    ended = turn.outcomes["c1.1"]
    assert was_stopped(ended)
    assert isinstance(ended, CallCancelled)
    assert ended.why.endswith("its tool had reported: 3 of 10 pages")
    value = getattr(stopping.outcomes["c1.1"], "value", None)
    assert isinstance(value, dict)
    assert (value["state"], value["so_far"]) == ("stopped", "3 of 10 pages")
    assert (
        value["tell"]
        == "I've stopped preparing your export before it was done. By then it had come to 3 of 10 pages."
    )


@pytest.mark.parametrize(
    ("when_stopped", "outcome"), [(3, "ok"), (ToolError("only 3 pages were written"), "failed")]
)
async def test_a_stopped_tools_own_report_is_told(office: Office, when_stopped: object, outcome: str) -> None:
    office.when_stopped = when_stopped
    ana = office.chat(
        calls("prepare_export"),
        STARTED,
        calls("stop_running_task"),
        says("It has ended."),
        says("3 pages are ready."),
    )
    await ana.says("Please export all my invoices")
    await office.company.clock.sleep(3.5 * 3_600)
    await ana.says("Please stop it")
    await ana.session.at_rest()

    turn = ana.session.state.turns[0]
    (ended,) = [
        one.entry for one in ana.session.entries if isinstance(one.entry, CallEnded) and one.turn_id == "t1"
    ]
    assert type(ended.outcome).__name__ == {"ok": "CallSucceeded", "failed": "CallFailed"}[outcome]
    assert ana.transcript[-1] == "assistant: 3 pages are ready."
    assert turn.outcomes["c1.1"] == ended.outcome


async def test_a_lookup_continues_after_a_restart_and_is_told_once(office: Office) -> None:
    ana = office.chat(calls("prepare_export"), STARTED)
    await ana.says("Please export all my invoices")
    await office.company.clock.sleep(3.5 * 3_600)
    (unfinished,) = await office.company.log.unfinished()
    assert unfinished == ana.session.key

    ana = await office.restarted(ana, DONE)
    await ana.session.at_rest()
    assert ana.transcript[-1] == "assistant: Your export with 10 invoices is ready."
    assert office.runs == ["c-1/t1/c1.1"] * 2
    assert not await office.company.log.unfinished()

    ana = await office.restarted(ana)
    await ana.session.at_rest()
    assert ana.transcript[-1] == "assistant: Your export with 10 invoices is ready."
    assert office.runs == ["c-1/t1/c1.1"] * 2


async def test_a_write_is_not_run_again_after_a_restart(office: Office) -> None:
    ana = office.chat(calls("delete_letters"), says("I've started to delete your old letters."))
    await ana.says("Delete my old letters")
    assert "[delete_letters running]" in ana.scene
    await office.company.clock.sleep(DAY_S)

    ana = await office.restarted(ana, says("I can't tell whether your letters were deleted."))
    await ana.session.at_rest()
    assert ana.session.state.turns[0].outcomes["c1.1"] == CallUnknown(
        call=ana.session.state.turns[0].calls[0]
    )
    assert ana.transcript[-1] == "assistant: I can't tell whether your letters were deleted."
    assert office.runs == ["c-1/t1/c1.1"]


async def test_a_stopped_call_is_not_started_again_after_a_crash(office: Office) -> None:
    ana = office.chat(calls("prepare_export"), STARTED, calls("stop_running_task"), says("I stopped it."))
    await ana.says("Please export all my invoices")
    await office.company.clock.sleep(3.5 * 3_600)
    entries = [*ana.session.entries]
    await ana.says("Please stop it")
    asked = next(
        place for place, one in enumerate(ana.session.entries) if "StopRequested" in type(one.entry).__name__
    )
    await ana.session.close()

    office.company.log = MemoryLog()
    await office.company.log.append(ana.session.key, ana.session.entries[: asked + 1])
    again = office.chat(says("It is stopped."), entries=ana.session.entries[: asked + 1])
    again.session.resume()
    await again.session.at_rest()
    assert was_stopped(again.session.state.turns[0].outcomes["c1.1"])
    assert office.runs == ["c-1/t1/c1.1"]
    assert len(entries) < asked


async def test_its_start_is_durable_before_it_runs(office: Office) -> None:
    ana = office.chat(calls("prepare_export"), STARTED)
    await ana.says("Please export all my invoices")

    kinds = [type(one.entry).__name__ for one in ana.session.entries]
    assert kinds.index("CallStarted") + 1 == kinds.index("LongCallStarted")
    (started,) = [one.entry for one in ana.session.entries if isinstance(one.entry, LongCallStarted)]
    assert started == LongCallStarted(call_id="c1.1", runner="embedded")


async def test_a_call_that_ran_elsewhere_is_unknown_without_the_setting(office: Office) -> None:
    """Temporal may have it, or not: it is not begun here as well."""
    ana = office.chat(calls("prepare_export"), STARTED)
    await ana.says("Please export all my invoices")
    await ana.session.close()
    elsewhere = LongCallStarted(call_id="c1.1", runner="temporal")
    entries = [
        replace(one, entry=elsewhere) if isinstance(one.entry, LongCallStarted) else one
        for one in ana.session.entries
    ]
    office.company.log = MemoryLog()
    await office.company.log.append(ana.session.key, entries)

    ana = office.chat(says("I can't tell what became of your export."), entries=entries)
    ana.session.resume()
    await ana.session.at_rest()
    assert isinstance(ana.session.state.turns[0].outcomes["c1.1"], CallUnknown)
    assert len(office.runs) == 1


HALTED = says("It still runs; I'll tell you here when it is done.")


async def asked_how_far(office: Office, text: str) -> str:
    """What the customer gets when a model says this while three of ten pages are done."""
    ana = office.chat(calls("prepare_export"), STARTED, says(text), HALTED)
    await ana.says("Please export all my invoices")
    await office.company.clock.sleep(3 * 3_600 + 60)
    await ana.begins("How far is it?")
    await ana.session.answered()
    return ana.scene


@pytest.mark.parametrize(
    "text",
    [
        "3 of 10 pages are done.",
        "So far 3 of the 10 pages are finished.",
        "3 of 10 pages have been prepared.",
        "I've prepared 3 of 10 pages so far.",
        "3 pages are ready.",
        "It is 30 % done.",
        "The export is 30 percent complete.",
        "It is not done yet: 3 of 10 pages.",
    ],
)
async def test_reported_progress_may_be_told(office: Office, text: str) -> None:
    assert await asked_how_far(office, text) == f"Assistant: {text}"


@pytest.mark.parametrize(
    "text",
    [
        "4 of 10 pages are done.",
        "10 of 10 pages are done.",
        "It is 50 % done.",
        "Your export is done.",
        "I've prepared your export.",
        "3 of 10 orders are cancelled.",
        "I've cancelled 3 of 10 pages.",
    ],
)
async def test_more_than_the_reported_progress_is_not_told(office: Office, text: str) -> None:
    assert text not in await asked_how_far(office, text)
