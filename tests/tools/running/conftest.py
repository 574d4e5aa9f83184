"""Tools that are run alone, in virtual time."""

from asyncio import AbstractEventLoop
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import pytest
import structlog

from assistant.conversation.calls import Call
from assistant.conversation.customer import Customer
from assistant.conversation.outcomes import Outcome
from assistant.conversation.values import Json
from assistant.testing.virtual_time import VirtualClock, VirtualLoop
from assistant.tools.concurrency import ConcurrencyLimiters
from assistant.tools.execute import execute, prepare
from assistant.tools.outcomes import ExecutedCall
from assistant.tools.registry import Tools
from assistant.tools.tool import PreparedCall, Tool
from tests.tools.conftest import ANA, CONTEXT


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], AbstractEventLoop]]:
    return {"virtual": VirtualLoop}


@dataclass
class Runner:
    """Runs calls of one tool after another, through the same gates."""

    clock: VirtualClock = field(default_factory=VirtualClock)
    jitter: float = 1.0
    customer: Customer = ANA

    def __post_init__(self) -> None:
        self.gates = ConcurrencyLimiters(self.clock, lambda: self.jitter)

    async def ran(self, tool: Tool, arguments: Mapping[str, Json] | None = None) -> ExecutedCall:
        """How a call came out, with whatever it says of the customer."""
        call = Call(id="c1.1", tool=tool.spec.name, arguments=dict(arguments or {}))
        ready = prepare(call, Tools([tool]), ANA)
        if not isinstance(ready, PreparedCall):
            # Only an unknown visitor may try to identify themselves.
            ready = PreparedCall(call, tool, call.arguments)
        return await execute(
            ready,
            customer=self.customer,
            context=CONTEXT,
            timeout_s=tool.spec.timeout_s,
            clock=self.clock,
            gates=self.gates,
        )

    async def __call__(self, tool: Tool, **arguments: Json) -> Outcome:
        """The outcome of a call."""
        return (await self.ran(tool, arguments)).outcome


@pytest.fixture(autouse=True)
def plain_logs() -> None:
    """Tracebacks without decoration, which takes a second."""
    renderer = structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)
    structlog.configure(processors=[structlog.processors.add_log_level, renderer])


@pytest.fixture
def run() -> Runner:
    return Runner()


@pytest.fixture
def lines(capsys: pytest.CaptureFixture[str]) -> Callable[[], list[str]]:
    """What was logged since the last time, a line each, without the time."""
    return lambda: capsys.readouterr().out.splitlines()
