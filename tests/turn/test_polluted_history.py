"""The views of a conversation in which everything went wrong once.

The files in ``polluted_history/`` show them, to be read from beginning to end.
"""

from collections.abc import AsyncGenerator
from difflib import unified_diff
from pathlib import Path

import orjson
import pytest

from assistant.conversation.customer import ConversationKey, Customer
from assistant.conversation.entries import SentenceSuppressed
from assistant.conversation.transcript import transcript
from assistant.conversation.views import FromAssistant, FromTools, View
from assistant.ports import ModelRequest
from assistant.prompts.book import shipped_book
from assistant.sessions.config_version import FixedConfig
from assistant.sessions.session_registry import SessionRegistry
from assistant.testing.chat import ANA, KEY, Chat, deps_for
from assistant.testing.fake_tool import Gives
from assistant.testing.script import calls, says
from assistant.testing.scripted_model import ScriptedModel
from assistant.turn.view_builder import ViewBuilder
from tests.formats.on_the_wire import WRITTEN
from tests.support.fake_model.replies import WIRES
from tests.support.fake_model.request_checks import Received
from tests.support.handoff_scenario import HandoffScenario
from tests.turn.conftest import Company
from tests.turn.polluted import BILL, in_words, polluted

FILES = Path(__file__).parent / "polluted_history"
HEADERS = {"authorization": "Bearer k", "x-api-key": "k", "anthropic-version": "2023-06-01"}


@pytest.fixture
async def held(company: Company) -> AsyncGenerator[tuple[HandoffScenario, Chat], None]:
    scenario, ana = await polluted(company)
    yield scenario, ana
    scenario.models[-1].assert_used_up()
    await scenario.handoffs.close()


def shown(name: str, text: str) -> None:
    """Compare with the file of that name; what differs is told line by line."""
    known = (FILES / f"{name}.txt").read_text(encoding="utf-8")
    differs = "\n".join(unified_diff(known.splitlines(), text.splitlines(), "expected", "shown", lineterm=""))
    assert not differs, differs


def decided(chat: Chat) -> View:
    *earlier, last = chat.session.state.turns
    return ViewBuilder().view("", earlier, last)


async def test_the_decider_sees_requests_answers_and_every_lookup_in_order(
    held: tuple[HandoffScenario, Chat],
) -> None:
    shown("decider", in_words(decided(held[1])))


async def test_the_transcript_has_each_speaker_and_kind(held: tuple[HandoffScenario, Chat]) -> None:
    lines = (
        f"{line.name or line.speaker}{f' ({line.kind})' if line.kind else ''}: {line.text}"
        f"{' --' if line.interrupted else ''}"
        for line in transcript(held[1].session.state)
    )

    shown("transcript", "\n".join(lines))


async def test_fillers_are_never_in_the_deciders_view(
    held: tuple[HandoffScenario, Chat],
) -> None:
    scenario, ana = held
    hints = [
        message.text.strip()
        for turn in ana.session.state.turns
        for message in turn.messages
        if not message.model_written and message.kind != "response"
    ]

    assert len(hints) > 20
    for view in (*(one.view for one in requests(scenario, "decider")), decided(ana)):
        assert [hint for hint in hints if hint in in_words(view)] == []


async def test_every_call_of_the_conversation_occurs_once_with_its_outcome(
    held: tuple[HandoffScenario, Chat],
) -> None:
    turns = held[1].session.state.turns
    messages = decided(held[1]).messages

    asked = [call for message in messages if isinstance(message, FromAssistant) for call in message.calls]
    ended = [one for message in messages if isinstance(message, FromTools) for one in message.outcomes]
    assert asked == [call for turn in turns for call in turn.calls]
    assert ended == [turn.outcomes[call.id] for turn in turns for call in turn.calls]


async def test_a_follow_up_question_comes_with_the_results_that_it_refers_to(
    held: tuple[HandoffScenario, Chat],
) -> None:
    follow_up = requests(held[0], "decider")[1]

    assert in_words(follow_up.view).splitlines()[-4:] == [
        '  <- [{"when":"2026-03-10T14:00"}]',
        '  <- [{"amount":"150.00"}]',
        "Assistant: You are booked on Tuesday, and you owe $150.",
        "Customer: What about the second one?",
    ]


async def test_a_suppressed_sentence_is_in_no_view(held: tuple[HandoffScenario, Chat]) -> None:
    scenario, ana = held
    withheld = [one.entry.text for one in ana.session.entries if isinstance(one.entry, SentenceSuppressed)]

    assert withheld == ["I've noted that down."]
    for view in (decided(ana), *(one.view for one in requests(scenario))):
        assert withheld[0] not in in_words(view)
    assert [withheld[0] in one.view.late for one in requests(scenario)].count(True) == 1


async def test_every_request_of_it_is_accepted_by_every_provider(
    held: tuple[HandoffScenario, Chat],
) -> None:
    asked = requests(held[0])

    assert len(asked) > 50
    for way in WRITTEN:
        formatter = way.make()
        for request in asked if way.provider else []:
            wire = orjson.loads(formatter.format(request, way.model).body)
            WIRES[way.provider or "openai"].check(Received("", HEADERS, wire))


async def test_nothing_of_one_customer_is_given_to_another(company: Company) -> None:
    bob = Customer(tenant="shop", id="bob", level="verified", name="Bob")
    model = ScriptedModel(
        *(calls(BILL), calls(BILL), says("You owe $1."), says("You owe $2.")),
        *(says("One dollar."), says("Two dollars.")),
        clock=company.clock,
    )
    sessions = SessionRegistry(
        FixedConfig(deps_for(model, company.tools, shipped_book(), company.clock)), company.log, epoch="1"
    )
    company.billing.behaviour = Gives("ana-secret", after_s=1)
    ana = Chat(await sessions.open(KEY, ANA))
    bobs = Chat(await sessions.open(ConversationKey(tenant="shop", customer="bob", conversation="c-2"), bob))

    await ana.begins("Ana's bill, please")
    await company.clock.sleep(0.5)
    company.billing.behaviour = Gives("bob-secret", after_s=1)
    await bobs.says("Bob's bill, please")
    await ana.session.answered()
    await bobs.says("Bob again")
    await ana.says("Ana again")

    for request in model.requests:
        given = f"{request.view.instructions}\n{in_words(request.view)}"
        assert ("Ana" in given or "ana-" in given) is not ("Bob" in given or "bob-" in given)
    await sessions.close()


def requests(scenario: HandoffScenario, role: str | None = None) -> list[ModelRequest]:
    """Everything that models were asked in it, in all processes."""
    return [one for model in scenario.models for one in model.requests if role in (None, one.role)]
