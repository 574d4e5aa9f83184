"""A visitor asks, is identified, and is answered: with the demo shop's tools, a scripted model and its own."""

import re
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from assistant.conversation.chunks import Chunk
from assistant.conversation.customer import Customer
from assistant.conversation.entries import Entry, Identified, Logged
from assistant.conversation.state import ConversationState
from assistant.conversation.views import FromTools
from assistant.errors import LogError
from assistant.models.demo.model import DemoModel
from assistant.ports import Model, ModelRequest
from assistant.prompts.book import shipped_book
from assistant.prompts.narration import Narration
from assistant.sessions.handoff_registry import HandoffRegistry
from assistant.sessions.handoff_tool import with_handoff_tool
from assistant.storage_ports import Log
from assistant.store.memory_log import MemoryLog
from assistant.testing.chat import Chat, StoppingLog, deps_for, open_chat
from assistant.testing.counted_ids import CountedIds
from assistant.testing.script import Line, calls, says
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import VirtualClock
from assistant.tools.discovery import discover
from assistant.tools.registry import Tools
from tests.models.demo.kept_embeddings import kept_embed
from tests.support.handoff_scenario import FakeHandoffBackend
from tools import _crm

VISITOR = Customer(tenant="shop", id="visitor-1")
ASKS_WHO = "To find out who you are, I need your order number and postcode. What are they?"
PROOF = ("verify_customer", {"order_number": "10482", "postcode": "97205"})


@dataclass
class Shop:
    """The demo shop, with a visitor who is not signed in."""

    tools: Tools
    clock: VirtualClock = field(default_factory=VirtualClock)
    log: MemoryLog = field(default_factory=MemoryLog)
    models: list[ScriptedModel] = field(default_factory=list[ScriptedModel])

    def visited(self, *lines: Line, log: Log | None = None, entries: Sequence[Logged] = ()) -> Chat:
        """A visitor's conversation, whose model follows these lines; without any, the embedded one speaks."""
        if not lines:
            return self.opened(self._embedded(), log, entries)
        model = ScriptedModel(*lines, clock=self.clock)
        self.models.append(model)
        return self.opened(model, log, entries)

    def staffed(self) -> None:
        """From now on there are people."""
        self.tools = with_handoff_tool(
            self.tools,
            shipped_book(),
            HandoffRegistry(FakeHandoffBackend(clock=self.clock), CountedIds("n"), 60.0),
        )

    def opened(self, model: Model, log: Log | None = None, entries: Sequence[Logged] = ()) -> Chat:
        """A visitor's conversation with this model."""
        deps = deps_for(
            model,
            list(self.tools),
            shipped_book(),
            self.clock,
            confirm_every_write=True,
            narrate=Narration(shipped_book()).narrate_outcomes,
        )
        return open_chat(deps, log or self.log, entries, customer=VISITOR)

    def _embedded(self) -> DemoModel:
        narration, specs = Narration(shipped_book()), {spec.name: spec for spec in self.tools.specs}
        return DemoModel(
            self.tools.specs,
            shipped_book().render,
            lambda outcomes: narration.narrate_outcomes(outcomes, specs),
            self.clock,
            embed=kept_embed,
        )


@pytest.fixture(scope="session")
def demo_tools() -> Tools:
    return discover(Path(_crm.__file__).parent)


@pytest.fixture
def shop(tmp_path: Path, demo_tools: Tools) -> Iterator[Shop]:
    shop = Shop(demo_tools)
    _crm.use(tmp_path / "crm.db", shop.clock.now())
    yield shop
    _crm.use(None)
    for model in shop.models:
        model.assert_used_up()


def recorded(chat: Chat, kind: type[Entry]) -> list[Entry]:
    return [logged.entry for logged in chat.session.entries if isinstance(logged.entry, kind)]


async def test_the_embedded_model_asks_for_identification_and_continues(shop: Shop) -> None:
    ana = shop.visited()

    assert (await ana.says("Where is my order?")).endswith(
        f"Assistant: I didn't track your order: I don't know yet who you are. {ASKS_WHO}"
    )
    said = await ana.says("10482, 97205")

    assert "[verify_customer ok]" in said
    assert "[get_order_status ok]" in said
    assert "Thank you, Ana Lindqvist. Order 10482, monthly contact lenses, is on its way" in said
    assert recorded(ana, Identified) == [Identified(level="verified", customer="demo", name="Ana Lindqvist")]
    assert "[get_open_invoices ok]" in await ana.says("And what do I owe?")


async def test_a_customer_who_has_already_said_it_is_not_asked(shop: Shop) -> None:
    said = await shop.visited().says("Where is order 10482? My postcode is 97205.")

    assert re.findall(r"\[\w+ (\w+)\]", said) == ["denied", "ok", "ok"]
    assert said.endswith("monthly contact lenses, is on its way and should arrive on Wednesday, March 4.")


async def test_it_may_be_said_in_parts_with_other_messages_between(shop: Shop) -> None:
    ana = shop.visited()
    await ana.says("Cancel my lens fitting please")

    assert "And your postcode, please?" in await ana.says("order 10455")
    assert "[get_opening_hours ok]" in await ana.says("What are your opening hours?")
    said = await ana.says("97205 is my postcode")

    assert "[verify_customer ok]" in said
    assert "[cancel_appointment asked]" in said
    assert said.endswith("Shall I cancel your lens fitting on Friday, March 13 at 10:30 am?")
    assert "[cancel_appointment ok]" in await ana.says("yes")


@pytest.mark.parametrize("said", ["10482 11111", "99999 97205", "order 10460, postcode 97205"])
async def test_all_mismatches_get_the_same_text(shop: Shop, said: str) -> None:
    ana = shop.visited()
    await ana.says("Where is my order?")

    assert (await ana.says(said)).endswith(
        f"I couldn't check your details: I can't confirm who you are with what you gave me. {ASKS_WHO}"
    )
    assert "[verify_customer ok]" in await ana.says("sorry, it's order 10482 and postcode 97205")


@pytest.mark.parametrize("staffed", [True, False])
async def test_after_five_attempts_it_is_refused_and_an_agent_offered(shop: Shop, *, staffed: bool) -> None:
    if staffed:
        shop.staffed()
    ana = shop.visited()
    await ana.says("Where is my order?")
    for wrong in range(5):
        assert "[verify_customer failed]" in await ana.says(f"10482 9999{wrong}")

    said = await ana.says("10482 97205")

    assert "[verify_customer denied]" in said
    assert "I can't check any more who you are in this conversation" in said
    assert said.endswith("Would you like me to get a colleague for you?") is staffed
    assert not ana.session.customer.known
    assert ("[talk_to_a_person" in await ana.says("yes please")) is staffed


async def test_a_code_from_the_mailbox_identifies_too(shop: Shop) -> None:
    ana = shop.visited()
    await ana.says("What do I owe?")
    await ana.says("Can you send me a code to ana.lindqvist@example.com?")
    assert "a code of six digits is on its way" in await ana.says("yes")

    said = await ana.says(_crm.mailbox().read_text(encoding="utf-8").rpartition(" ")[2].strip())

    assert "[verify_code ok]" in said
    assert "Your balance is $150" in said


async def test_in_german_with_a_model_that_speaks_it(shop: Shop) -> None:
    ana = shop.visited(
        calls("get_order_status"),
        says("Dafür muss ich wissen, wer Sie sind: Wie lauten Bestellnummer und Postleitzahl?"),
        calls(PROOF),
        calls("get_order_status"),
        says("Danke, Frau Lindqvist. Ihre Bestellung 10482 ist unterwegs."),
    )
    await ana.says("Wo bleibt meine Bestellung?")

    said = await ana.says("Die Nummer ist 10482, die Postleitzahl ist 97205.")

    assert re.findall(r"\[(\w+ \w+)\]", said) == ["verify_customer ok", "get_order_status ok"]
    assert "ich prüfe Ihre Angaben." in said
    assert said.endswith("Danke, Frau Lindqvist. Ihre Bestellung 10482 ist unterwegs.")
    assert ana.session.customer.level == "verified"


async def test_the_customers_number_reaches_no_model(shop: Shop) -> None:
    with _crm.writing(shop.clock.now()) as db:
        db.execute("UPDATE customers SET id = 'K-4711' WHERE id = 'demo'")
        db.execute("UPDATE orders SET customer = 'K-4711' WHERE customer = 'demo'")
    ana = shop.visited(calls(PROOF), calls("get_order_status"), says("It is on its way."))

    await ana.says("I'm order 10482, postcode 97205. Where is it?")

    assert ana.session.customer.id == "K-4711"
    assert "K-4711" not in repr(shop.models[0].requests)
    assert ana.session.key.customer == "ana"


async def test_a_returning_customer_is_still_identified(shop: Shop) -> None:
    ana = shop.visited(calls(PROOF), says("Thank you, Ana."))
    await ana.says("10482 97205")

    back = shop.visited(
        calls("get_open_invoices"), says("$150."), entries=await shop.log.read(ana.session.key)
    )
    await back.session.welcome(VISITOR)

    assert back.session.customer.level == "verified"
    assert "[get_open_invoices ok]" in await back.says("What do I owe?", number=2)


class NextStep(ScriptedModel):
    """Verifies, looks up and tells, whichever of these comes next."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        messages = [one for one in request.view.messages if isinstance(one, FromTools)]
        done = {outcome.call.tool for one in messages for outcome in one.outcomes}
        line = says("It is on its way.")
        if "verify_customer" not in done:
            line = calls(PROOF)
        elif "get_order_status" not in done:
            line = calls("get_order_status")
        async with aclosing(ScriptedModel(line).stream(request)) as chunks:
            async for chunk in chunks:
                yield chunk


async def test_a_crash_at_any_entry_still_identifies_and_answers(shop: Shop) -> None:
    most, cut_between = 0, 0
    while True:
        most += 1
        log = StoppingLog(most)
        ana = shop.opened(NextStep(), log)
        with suppress(LogError):
            await ana.says("Order 10482, postcode 97205. Where is it?")
        if len(log.kept) < most:
            break

        state = ConversationState(log.kept)
        cut_between += state.known_as is not None and len(state.turns[0].outcomes) < 2
        back = shop.opened(NextStep(), StoppingLog(10_000, kept=list(log.kept)), list(log.kept))
        back.session.resume()
        await back.session.answered()

        assert recorded(back, Identified) == [
            Identified(level="verified", customer="demo", name="Ana Lindqvist")
        ]
        assert re.findall(r"\[(\w+ \w+)\]", back.scene) == ["verify_customer ok", "get_order_status ok"]
        assert back.scene.endswith("It is on its way.")
    assert cut_between > 2
