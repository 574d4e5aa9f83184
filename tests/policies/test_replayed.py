"""A replay gives models the policies that the recording names, and enforces today's rules."""

from dataclasses import replace

import pytest

from assistant.prompts.book import shipped_book
from assistant.replay.cassette import Who
from assistant.replay.cassette_file import load_text
from assistant.replay.dsl import Conversation, calls, returns, says
from assistant.replay.player.environment import ReplayEnvironment, environment_of, environment_with
from assistant.replay.player.play import replay
from assistant.replay.recording.recorder import cassette_from_log
from assistant.replay.replies import Declared
from assistant.replay.yaml_writer import dump
from assistant.settings import Settings
from assistant.testing.chat import KEY
from tests.policies.conftest import Folder

VISITS = Declared(name="find_visits", waiting_hint="looking up your visits")
BILL = Declared(name="get_bill", waiting_hint="checking your bill")


@pytest.fixture
def environment(folder: Folder) -> ReplayEnvironment:
    folder.write("returns", 'when = "I want to send it back"', "1. Ask which order it is.")
    folder.write(
        "bills",
        'tools = "get_bill"\n[[rules]]\ntool = "get_bill"\nonly_after = "find_visits"\nsay = "not yet"',
    )
    return replace(environment_with(shipped_book()), policies=folder.read())


def test_a_recording_names_the_policies_of_each_message(environment: ReplayEnvironment) -> None:
    ana = Conversation(environment, tools=[VISITS, BILL], about="Ana returns something.")
    ana.says("Hello", says("Hello!"))
    ana.says("I want to send it back", says("Which order is it?"), policies=["returns"])
    written = dump(ana.cassette)
    played = replay(load_text(written, "a.conversation.yaml").cassette, environment)

    assert "policies:" in written
    assert [turn.policies for turn in played.state.turns] == [(), ("returns",)]
    assert played.unscripted == ()
    again = cassette_from_log(played.entries, KEY)
    assert [turn.policies for turn in again.turns] == [(), ("returns",)]
    assert [turn.policies for turn in replay(again, environment).state.turns] == [(), ("returns",)]


def test_a_missing_policy_is_reported(environment: ReplayEnvironment) -> None:
    ana = Conversation(environment, tools=[VISITS, BILL], about="Ana returns something.")
    ana.says("I want to send it back", says("Which order is it?"), policies=["exchanges"])

    assert replay(ana.cassette, environment).unscripted == (
        "turn 1: there is no policy 'exchanges' that holds for this customer now",
    )


def test_rules_are_enforced_in_a_replay(environment: ReplayEnvironment) -> None:
    ana = Conversation(environment, tools=[VISITS, BILL], about="Ana asks for her bill.")
    refused = ana.says("My bill", calls("get_bill"), says("I can't do that: not yet."))
    done = ana.says(
        "My visits and my bill",
        calls("find_visits", "get_bill"),
        says("There is one."),
        results={"find_visits": returns(["Tuesday"]), "get_bill": returns({"amount": "5.00"})},
    )

    assert "[get_bill denied]" in refused.scene
    assert "[get_bill ok]" in done.scene


@pytest.mark.parametrize(
    ("status", "how"), [("shipped", "denied"), ("processing", "asked"), ("cancelled", "asked")]
)
def test_the_demo_shop_cancels_only_orders_that_have_not_shipped(status: str, how: str) -> None:
    ana = Conversation(environment_of(Settings()), about="Ana cancels an order.")
    order = {"number": 10482, "product": "sunglasses", "status": status, "arrives": "2026-11-25"}
    ana.says(
        "Where is my order?",
        calls("get_order_status"),
        says("Here it is."),
        results={"get_order_status": returns([order])},
    )
    told = [says("It has left us.")] if how == "denied" else []
    said = ana.says("Cancel order 10482", calls(("cancel_order", {"order_number": "10482"})), *told)

    assert f"[cancel_order {how}]" in said.scene


@pytest.mark.parametrize(("plan", "how"), [("gold", "ok"), ("free", "denied")])
def test_a_recording_may_contain_claims_of_the_site(folder: Folder, plan: str, how: str) -> None:
    folder.write(
        "bills", "tools = 'get_bill'\n[[rules]]\ntool = 'get_bill'\nonly_if = 'claims.plan == \"gold\"'"
    )
    environment = replace(environment_with(shipped_book()), policies=folder.read())
    who = Who(level="signed_in", claims={"plan": plan})
    ana = Conversation(environment, tools=[BILL], customer=who, about="Ana asks for her bill.")
    results = {"get_bill": returns({"amount": "5.00"})} if how == "ok" else {}
    said = ana.says("My bill", calls("get_bill"), says("There."), results=results)

    assert f"[get_bill {how}]" in said.scene
    assert load_text(dump(ana.cassette), "a.conversation.yaml").cassette.customer == who
