"""Another party may answer a message in place of the assistant, which is then silent."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from assistant.conversation.entries import CustomerMessage, ForwardedToAgent, Handoff
from assistant.sessions.config_version import FixedConfig
from assistant.sessions.session import Session
from assistant.testing.chat import ANA, KEY, Chat
from assistant.testing.fake_tool import Gives
from assistant.testing.script import calls, says
from assistant.turn.context import Limits
from tests.turn.conftest import Company

LEA = Handoff(handoff_id="h1", state="accepted", name="Lea")


@dataclass
class Colleague:
    """Takes every message while she is there."""

    session: Session
    took: list[str] = field(default_factory=list[str])

    async def ask_for_person(self, turn_id: str, why: str) -> None:
        raise AssertionError("no one supervises this")

    async def take_over(self, said: CustomerMessage) -> bool:
        if self.session.state.handoff is None:
            return False
        self.took.append(said.text)
        await self.session.record(ForwardedToAgent(message_id=said.message_id, handoff_id="h1"))
        return True

    async def after_turn(self) -> None:
        """No rule brings a conversation to anyone."""

    async def perform_action(self, action: str, options: Mapping[str, str]) -> None:
        """No agent on another server acts here."""


@dataclass
class Hesitant:
    """Says that she takes a message, and does not."""

    async def ask_for_person(self, turn_id: str, why: str) -> None:
        raise AssertionError("no one supervises this")

    async def take_over(self, said: CustomerMessage) -> bool:
        return bool(said.text)

    async def after_turn(self) -> None:
        """No rule brings a conversation to anyone."""

    async def perform_action(self, action: str, options: Mapping[str, str]) -> None:
        """No agent on another server acts here."""


def with_colleague(chat: Chat, company: Company) -> tuple[Chat, list[Colleague]]:
    colleagues: list[Colleague] = []

    def colleague(session: Session) -> Colleague:
        colleagues.append(Colleague(session))
        return colleagues[-1]

    configs = FixedConfig(chat.session.config.deps)
    session = Session(key=KEY, entries=[], configs=configs, log=company.log, epoch="test", takeover=colleague)
    session.customer = ANA
    return Chat(session), colleagues


async def test_no_turn_begins_for_a_message_that_another_party_takes(company: Company) -> None:
    ana, (lea,) = with_colleague(company.chat(says("Hello."), says("It is me again.")), company)
    await ana.says("Hi")
    await ana.session.record(LEA)
    await ana.says("Are you a person?")
    await ana.says("Good.")
    await ana.session.record(Handoff(handoff_id="h1", state="ended"))
    await ana.says("Thanks")

    assert lea.took == ["Are you a person?", "Good."]
    assert [turn.message.text for turn in ana.session.state.turns] == ["Hi", "Thanks"]


async def test_a_late_result_waits_until_the_assistant_speaks_again(company: Company) -> None:
    lines = (calls("get_open_invoices"), says("It takes longer than usual."), says("You owe $150."))
    chat = company.chat(*lines, limits=Limits(tools_s=3), billing=Gives(150, after_s=5))
    ana, _ = with_colleague(chat, company)
    await ana.says("What do I owe?")
    await ana.session.record(LEA)
    await ana.session.at_rest()
    assert len(ana.session.state.turns) == 1

    await ana.session.record(Handoff(handoff_id="h1", state="ended"))
    ana.session.resume()
    await ana.session.at_rest()

    assert ana.transcript[-1] == "assistant: You owe $150."


async def test_a_takeover_without_an_entry_leaves_the_message(company: Company) -> None:
    chat = company.chat(says("Hello."))
    configs = FixedConfig(chat.session.config.deps)
    session = Session(
        key=KEY,
        entries=[],
        configs=configs,
        log=company.log,
        epoch="test",
        takeover=lambda _: Hesitant(),
    )

    assert await Chat(session).says("Hi") == "Assistant: Hello."
