"""A demo company for conversations in virtual time."""

from asyncio import AbstractEventLoop
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

import pytest

from assistant.conversation.customer import Customer
from assistant.conversation.entries import Logged
from assistant.conversation.tool_spec import Acknowledge
from assistant.prompts.book import shipped_book
from assistant.storage_ports import Log
from assistant.store.memory_log import MemoryLog
from assistant.telemetry.observer import TenantTelemetry
from assistant.testing.chat import ANA, Chat, deps_for, open_chat
from assistant.testing.fake_tool import Behaviour, FakeTool, Gives, fake_spec
from assistant.testing.script import Line
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import VirtualClock, VirtualLoop
from assistant.turn.context import Limits


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], AbstractEventLoop]]:
    return {"virtual": VirtualLoop}


spec = lru_cache(fake_spec)
"""The same object for the same arguments: what is made from a declaration is made once."""


class Company:
    """Tools that behave as a test says, and the models that were used."""

    def __init__(self) -> None:
        clock = VirtualClock()
        self.clock = clock
        self.log = MemoryLog()
        self.appointments = FakeTool(
            spec("list_upcoming_appointments", "looking up your appointments", "look up your appointments"),
            Gives([{"when": "2026-03-10T14:00"}]),
            clock,
        )
        self.billing = FakeTool(
            spec("get_open_invoices", "checking your billing", "check your billing"),
            Gives([{"amount": "150.00"}]),
            clock,
        )
        self.orders = FakeTool(
            spec("get_order_status", "checking your order", "check your order", required=("order",)),
            Gives({"status": "shipped"}),
            clock,
        )
        self.hours = FakeTool(
            spec(
                "get_opening_hours",
                "checking the opening hours",
                "check the opening hours",
                needs_customer=False,
            ),
            Gives("9 to 5"),
            clock,
        )
        self.cancel = FakeTool(
            spec(
                "cancel_appointment",
                "cancelling your appointment",
                "cancel your appointment",
                effect="write",
                confirm=True,
                required=("day",),
            ),
            Gives({"cancelled": True}),
            clock,
            clause="cancel your eye test on Tuesday at 2 pm",
        )
        self.note = FakeTool(
            spec("add_note", "noting that down", "note that down", effect="write", arguments=("text",)),
            Gives("noted"),
            clock,
        )
        self.more: list[FakeTool] = []
        self.models: list[ScriptedModel] = []
        self.telemetry: TenantTelemetry | None = None

    @property
    def model(self) -> ScriptedModel:
        """The model of the chat that was opened last."""
        return self.models[-1]

    @property
    def tools(self) -> list[FakeTool]:
        return [self.appointments, self.billing, self.orders, self.hours, self.cancel, self.note, *self.more]

    def respec(
        self,
        tool: FakeTool,
        *,
        acknowledge: Acknowledge = "auto",
        timeout_s: float = 10.0,
        confirm: bool = False,
        trusted: bool = False,
    ) -> None:
        """Declare a tool otherwise."""
        tool.spec = replace(
            tool.spec, acknowledge=acknowledge, timeout_s=timeout_s, confirm=confirm, trusted=trusted
        )

    def chat(
        self,
        *lines: Line,
        customer: Customer = ANA,
        limits: Limits | None = None,
        confirm_every_write: bool = False,
        log: Log | None = None,
        entries: Sequence[Logged] = (),
        **behaviour: Behaviour,
    ) -> Chat:
        """A conversation whose model follows these lines; ``billing=Broken()`` makes that tool behave so."""
        for name, how in behaviour.items():
            getattr(self, name).behaviour = how
        model = ScriptedModel(*lines, clock=self.clock)
        self.models.append(model)
        deps = deps_for(
            model,
            self.tools,
            shipped_book(),
            self.clock,
            limits=limits,
            confirm_every_write=confirm_every_write,
        )
        return open_chat(deps, log or self.log, entries, customer=customer, telemetry=self.telemetry)

    async def reopen(self, chat: Chat, *lines: Line) -> Chat:
        """The same conversation as another process finds it in the log; its model follows these lines."""
        return self.chat(*lines, entries=await self.log.read(chat.session.key))


@pytest.fixture
def company() -> Iterator[Company]:
    company = Company()
    yield company
    for model in company.models:
        model.assert_used_up()
