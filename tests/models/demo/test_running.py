"""Messages while a slow call runs: its state is told, and it is not started again."""

import pytest

from assistant.conversation.calls import Call
from assistant.conversation.outcomes import CallPending, CallProgress, LongCallStatus
from assistant.conversation.tool_spec import Hint, ToolSpec
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools
from assistant.models.demo.model import DemoModel
from tests.models.demo.conftest import BOOKS, Talk, offline_model
from tests.models.demo.demo_specs import DEMO_SPECS

EXPORT = ToolSpec(
    name="prepare_export",
    description="Prepare an export of all the customer's invoices.",
    parameters={"type": "object", "properties": {}},
    hints={"en": Hint(doing="preparing your export", will="prepare your export")},
    examples=("export all my invoices", "I need all my invoices as a file"),
    long=True,
)
PROGRESS = CallPending(
    call=Call(id="c1.1", tool="prepare_export"),
    long=LongCallStatus(ref="t1/c1.1", progress=CallProgress(done=3, total=10, unit="pages")),
)


@pytest.fixture
def talk(open_exporting: Talk) -> Talk:
    """The customer has asked for an export, which runs."""
    open_exporting.messages += [
        FromCustomer("Please export all my invoices."),
        FromAssistant("", (PROGRESS.call,)),
        FromTools((PROGRESS,)),
        FromAssistant("I've started to prepare your export; I'll tell you here when it is done."),
    ]
    return open_exporting


@pytest.fixture(scope="module")
def exporting_model() -> DemoModel:
    return offline_model(EXPORT)


@pytest.fixture
def open_exporting(exporting_model: DemoModel) -> Talk:
    return Talk(exporting_model, (*DEMO_SPECS, EXPORT), BOOKS)


@pytest.mark.parametrize(
    "question",
    [
        "How far is it?",
        "Is it done yet?",
        "How long will it take?",
        "Is my export ready?",
        "What's the status of the export?",
        "When will the export be finished?",
        "Are you still working on it?",
        "Has it finished?",
        "How is it going?",
        "And how far is that now?",
    ],
)
async def test_the_state_of_the_call_is_told(talk: Talk, question: str) -> None:
    assert await talk.says(question) == "Told prepare_export."


async def test_a_running_call_is_not_started_again(talk: Talk) -> None:
    assert await talk.says("Please export all my invoices.") == "Told prepare_export."


@pytest.mark.parametrize(
    ("message", "tool"),
    [
        ("When is my next appointment?", "list_upcoming_appointments"),
        ("Do I owe you anything?", "get_open_invoices"),
    ],
)
async def test_other_questions_are_answered(talk: Talk, message: str, tool: str) -> None:
    calls = await talk.says(message)
    assert isinstance(calls, list)
    assert [name for name, _ in calls] == [tool]


async def test_after_another_answer_the_newer_thing_is_meant(talk: Talk) -> None:
    await talk.says("When is my next appointment?")
    await talk.narrates()
    assert await talk.says("Is it far?") != "Told prepare_export."
    assert await talk.says("And how is the export?") == "Told prepare_export."
