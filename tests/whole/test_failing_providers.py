"""Whatever a provider does, the customer gets an answer, and the turn its last frame."""

from assistant.formats.registry import formatter
from assistant.models.http_client import Connections
from assistant.models.openai import OpenAIModel
from assistant.prompts.book import shipped_book
from assistant.server.frames.frame import JsonFrame
from assistant.server.projector import Projector
from assistant.testing.chat import Chat, deps_for, open_chat
from tests.support.fake_model import openai_events
from tests.support.fake_model.model_server import FakeModelServer
from tests.support.fake_model.replies import Fault, Reply, Wait, refuses, streams
from tests.support.rows import check_rows
from tests.turn.conftest import Company

DECISION = streams(openai_events.decision("list_upcoming_appointments", "get_open_invoices"))
ANSWER = streams(openai_events.answer("You have an appointment on Tuesday. ", "You owe $150."))
APOLOGY = "I'm sorry, "

FAULTS: dict[str, Reply] = {
    "is busy": refuses(429, "slow down", retry_after="3"),
    "has a fault": refuses(500, "oops"),
    "does not know us": refuses(401, "bad key"),
    "never begins": streams(Fault.STALL),
    "hangs up at once": streams(Fault.CUT),
    "hangs up in mid-sentence": streams(openai_events.text("Well, the"), Fault.CUT),
    "falls silent in mid-sentence": streams(openai_events.text("Well, the"), Fault.STALL),
    "speaks nonsense": streams(b"data: {oops\n\n"),
    "says nothing": streams(openai_events.ending("stop")),
}


async def answered(*replies: Reply) -> tuple[Chat, list[JsonFrame]]:
    """One message, these replies, and the frames that a client gets."""
    company = Company()
    connections = Connections(company.clock)
    async with FakeModelServer(*replies, clock=company.clock) as server:
        model = OpenAIModel(
            "openai/fake",
            base_url=server.url,
            api_key=None,
            formatter=formatter("openai"),
            connections=connections,
            clock=company.clock,
        )
        chat = open_chat(deps_for(model, company.tools, shipped_book(), company.clock), company.log)
        await chat.says("Check my appointments and billing")
        await connections.close()
    projector = Projector(lambda tool, locale: tool)
    frames = [projector.project(logged) for batch in chat.batches for logged in batch]
    return chat, [frame for frame in frames if frame is not None]


async def test_without_faults_the_whole_path_works() -> None:
    chat, frames = await answered(DECISION, ANSWER)

    assert chat.transcript[1:] == [
        "assistant: Sure, I'll look up your appointments and check your billing.",
        "assistant: You have an appointment on Tuesday. You owe $150.",
    ]
    assert frames[-1]["type"] == "turn.completed"
    assert frames[-1]["how"] == "answered"


@check_rows("fault", FAULTS)
async def test_a_decider_that_fails_gets_an_apology(fault: str) -> None:
    chat, frames = await answered(FAULTS[fault])

    assert frames[-1]["type"] == "turn.completed"
    assert frames[-1]["how"] == "apologised"
    assert chat.transcript[-1].startswith(f"assistant: {APOLOGY}")


@check_rows("fault", FAULTS)
async def test_a_narrator_that_fails_is_replaced_by_the_templates(fault: str) -> None:
    chat, frames = await answered(DECISION, FAULTS[fault])

    assert frames[-1]["type"] == "turn.completed"
    assert frames[-1]["how"] == "answered"
    assert chat.transcript[-1] == (
        "assistant: From templates: list_upcoming_appointments ok, get_open_invoices ok."
    )


async def test_calls_that_were_complete_when_the_stream_broke_are_answered() -> None:
    whole = openai_events.call(0, "get_open_invoices")
    chat, frames = await answered(
        streams(whole, openai_events.call(1, "list_upcoming_appointments")[:1], Fault.CUT), ANSWER
    )

    assert frames[-1]["how"] == "answered"
    outcomes = {call.tool for call in chat.session.state.turns[0].calls}
    assert "get_open_invoices" in outcomes


async def test_calls_in_single_bytes_are_still_calls() -> None:
    chat, frames = await answered(
        streams(openai_events.bytewise(openai_events.decision("get_open_invoices"))), ANSWER
    )

    assert frames[-1]["how"] == "answered"
    assert [call.tool for call in chat.session.state.turns[0].calls] == ["get_open_invoices"]


async def test_unreadable_calls_are_requested_once_more_then_an_apology_follows() -> None:
    unreadable = streams(
        openai_events.call(0, "get_open_invoices", "{no json"), openai_events.ending("tool_calls")
    )

    chat, frames = await answered(unreadable, unreadable)

    assert frames[-1]["how"] == "apologised"
    assert chat.session.state.turns[0].calls == []


async def test_a_slow_model_is_waited_for() -> None:
    chat, _ = await answered(streams(Wait(15), openai_events.answer("Here I am.")))

    assert chat.transcript[-1] == "assistant: Here I am."
