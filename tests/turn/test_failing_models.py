"""Models that die, stall or say nothing: each case ends with a message, and no result is lost."""

from collections.abc import AsyncGenerator, Callable, Sequence

import pytest

from assistant.conversation.chunks import CallArguments, CallNamed, Chunk, StreamEnded, TextDelta
from assistant.ports import ModelRequest
from assistant.prompts.book import shipped_book
from assistant.testing.chat import deps_for, open_chat
from assistant.testing.scene import scene
from assistant.testing.script import Line, breaks, calls, says, stalls
from tests.turn.conftest import Company
from tests.turn.timeline import timeline

UNREACHABLE = (
    "I'm sorry, I can't reach the service that helps me answer just now. Please try again in a moment."
)
BROKEN = "I'm sorry, something went wrong on our side and I couldn't finish this. Please try again."
Ends = Callable[[Line | str | Sequence[str]], Line]
ONE_AND_A_HALF = (
    CallNamed(0, "list_upcoming_appointments"),
    CallArguments(0, "{}"),
    CallNamed(1, "get_open_invoices"),
    CallArguments(1, '{"sin'),
)


async def test_a_decision_model_that_dies_immediately_gets_an_apology(company: Company) -> None:
    ana = company.chat(breaks())

    assert await ana.says("Hello?") == f"Assistant: {UNREACHABLE}"
    assert ana.session.state.turns[-1].how == "apologised"


async def test_its_text_stays_and_the_apology_follows(company: Company) -> None:
    ana = company.chat(breaks("You are booked for"))

    assert await ana.says("When am I due?") == scene(f"""
        Assistant (status): You are booked for --
        Assistant: {UNREACHABLE}
    """)


async def test_an_unfinished_sentence_is_ended_before_the_apology(company: Company) -> None:
    half = Line(ONE_AND_A_HALF[2:])
    ana = company.chat(breaks(half))

    assert await ana.says("What do I owe?") == scene(f"""
        Assistant (acknowledgement): Let me see. I'll check your billing.
        Assistant: {UNREACHABLE}
    """)
    assert ana.session.state.turns[-1].messages[0].call_ids == ()


@pytest.mark.parametrize("end", [breaks, stalls])
async def test_complete_calls_run_and_an_announced_one_has_failed(company: Company, end: Ends) -> None:
    ana = company.chat(end(Line(ONE_AND_A_HALF)), says("Tuesday. I did not get to your billing."))

    assert await ana.says("Check my appointments and billing") == scene("""
        Assistant (acknowledgement): Sure, I'll look up your appointments and check your billing.
          [list_upcoming_appointments ok]
          [get_open_invoices failed]
        Assistant: Tuesday. I did not get to your billing.
    """)
    (round_, _) = ana.session.state.turns[-1].rounds
    assert round_.closed is not None
    assert round_.closed.how == "cut_off"


async def test_a_silent_model_times_out(company: Company) -> None:
    ana = company.chat(stalls("One"))

    await ana.says("Hello?")

    assert timeline(ana.batches) == scene(f"""
        0.0 "One"
        15.0 (status, interrupted)
        15.0 "{UNREACHABLE}"
        15.0 (response)
        15.0 apologised
    """)


@pytest.mark.parametrize("nothing", ["", " \n"])
async def test_a_decision_without_text_or_calls_gets_an_apology(company: Company, nothing: str) -> None:
    ana = company.chat(says([nothing]))

    assert await ana.says("Hello?") == f"Assistant: {BROKEN}"


async def test_a_stream_without_its_end_is_broken(company: Company) -> None:
    ana = company.chat(Line((TextDelta("You are"),)))

    assert (await ana.says("When am I due?")).endswith(UNREACHABLE)


@pytest.mark.parametrize("failure", [breaks(), breaks("As an AI"), says([" "])])
async def test_when_the_narrator_is_silent_the_tools_templates_tell_results(
    company: Company, failure: Line
) -> None:
    ana = company.chat(calls("get_open_invoices"), failure)

    assert await ana.says("Check my bill") == scene("""
        Assistant (acknowledgement): Sure, I'll check your billing.
          [get_open_invoices ok]
        Assistant: From templates: get_open_invoices ok.
    """)


async def test_a_silent_narrator_is_replaced_by_the_tools_templates(
    company: Company,
) -> None:
    ana = company.chat(calls("get_open_invoices"), stalls())

    assert await ana.says("Check my bill") == scene("""
        Assistant (acknowledgement): Sure, I'll check your billing.
        Assistant (status): One moment, please.
        Assistant (status): Thanks for waiting, I'm still on it.
        Assistant (status): This is taking a little while. I'm still here.
          [get_open_invoices ok]
        Assistant: From templates: get_open_invoices ok.
    """)


@pytest.mark.parametrize("end", [breaks, stalls])
async def test_half_an_answer_is_marked_and_the_whole_one_follows(company: Company, end: Ends) -> None:
    ana = company.chat(calls("get_open_invoices"), end("You owe one hun"))

    assert await ana.says("Check my bill") == scene("""
        Assistant (acknowledgement): Sure, I'll check your billing.
          [get_open_invoices ok]
        Assistant (status): You owe one hun --
        Assistant: From templates: get_open_invoices ok.
    """)


async def test_a_narrator_that_dies_after_a_whole_call_continues_with_it(company: Company) -> None:
    ana = company.chat(
        calls("list_upcoming_appointments"), breaks(calls("get_open_invoices")), says("Tuesday; $150.")
    )

    assert await ana.says("Check my appointments and billing") == scene("""
        Assistant (acknowledgement): Sure, I'll look up your appointments.
          [list_upcoming_appointments ok]
        Assistant (status): I'll also check your billing.
          [get_open_invoices ok]
        Assistant: Tuesday; $150.
    """)


async def test_a_narrator_that_dies_in_a_call_ends_its_sentence_first(
    company: Company,
) -> None:
    ana = company.chat(calls("list_upcoming_appointments"), breaks(Line(ONE_AND_A_HALF[2:])))

    await ana.says("Check my appointments and billing")

    assert timeline(ana.batches).splitlines()[-6:] == [
        '0.0 "I\'ll also check your billing"',
        '0.0 "."',
        "0.0 (status)",
        '0.0 "From templates: list_upcoming_appointments ok."',
        "0.0 (response)",
        "0.0 answered",
    ]


class _Buggy:
    """A model whose adapter raises what it must not."""

    name = "buggy"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        yield CallNamed(0, "add_note")
        yield CallArguments(0, "{}")
        yield CallNamed(1, "get_open_invoices")
        raise ZeroDivisionError("a bug of ours")

    async def close(self) -> None:
        """Nothing to do."""


async def test_our_own_bug_ends_in_an_apology_and_every_call_has_its_outcome(company: Company) -> None:
    ana = open_chat(deps_for(_Buggy(), company.tools, shipped_book(), company.clock), company.log)

    assert await ana.says("Note it") == scene(f"""
        Assistant (acknowledgement): All right, I'll note that down.
          [add_note cancelled]
        Assistant: {BROKEN}
    """)
    assert ana.session.state.turns[-1].how == "apologised"
    assert company.note.ran == []


class _BuggyNarrator(_Buggy):
    """Decides well, and fails at telling."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        if request.role == "narrator":
            raise ZeroDivisionError("a bug of ours")
        yield CallNamed(0, "get_open_invoices")
        yield StreamEnded("tool_calls")


async def test_a_bug_in_a_later_round_gets_its_apology_there(company: Company) -> None:
    ana = open_chat(deps_for(_BuggyNarrator(), company.tools, shipped_book(), company.clock), company.log)

    assert await ana.says("Check my bill") == scene(f"""
        Assistant (acknowledgement): Sure, I'll check your billing.
          [get_open_invoices ok]
        Assistant: {BROKEN}
    """)
    assert [message.round for message in ana.session.state.turns[-1].messages] == [1, 2]
