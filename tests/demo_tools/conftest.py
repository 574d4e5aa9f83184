"""The demo shop on one Saturday, whose tools tests can call."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import pytest
import structlog

from assistant.conversation.customer import Customer
from assistant.conversation.values import Json
from assistant.prompts.book import shipped_book
from assistant.prompts.narration import Narration
from assistant.tools.discovery import discover
from assistant.tools.registry import Tools
from assistant.tools.tool import ToolContext
from tools import _crm

SATURDAY = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


@dataclass
class Counter:
    """One customer who calls the shop's tools."""

    tools: Tools
    customer: Customer
    now: datetime = SATURDAY
    keys: Iterator[int] = field(default_factory=count)

    async def value(self, tool: str, **arguments: Json) -> Json:
        """What a tool finds or does."""
        return await self.value_under(f"{self.customer.id}-{next(self.keys)}", tool, **arguments)

    async def value_under(self, key: str, tool: str, **arguments: Json) -> Json:
        """The same, under this idempotency key."""
        asked = self.tools.get(tool)
        context = ToolContext(key=key, call_id="c1.1", now=self.now, log=structlog.get_logger())
        result = await asked.run(asked.validate(arguments), customer=self.customer, context=context)
        return result.value

    async def hears(self, tool: str, **arguments: Json) -> str:
        """What a customer hears of it when no model words it."""
        asked = self.tools.get(tool)
        value = await self.value(tool, **arguments)
        own = asked.spec.narration_in(self.customer.locale)
        assert own is not None
        assert own[0] == self.customer.locale
        return Narration(shipped_book()).render(
            own[1], value=value, arguments=asked.validate(arguments), locale=own[0]
        )

    async def is_asked(self, tool: str, **arguments: Json) -> str | None:
        """The clause that a customer has to agree to."""
        asked = self.tools.get(tool)
        return await asked.read_back(asked.validate(arguments), customer=self.customer, book=shipped_book())


@pytest.fixture(scope="session")
def demo_tools() -> Tools:
    return discover(Path(_crm.__file__).parent)


@pytest.fixture(autouse=True)
def books_back_in_their_place() -> Iterator[None]:
    """Whatever a test used as the shop's books and day, the next one finds those of the environment."""
    yield
    _crm.use(None)


@pytest.fixture
def counter(tmp_path: Path, demo_tools: Tools) -> Callable[[str], Counter]:
    _crm.use(tmp_path / "crm.db", SATURDAY)
    return lambda who: Counter(demo_tools, Customer(tenant="shop", id=who, level="signed_in"))


@pytest.fixture
def anna(counter: Callable[[str], Counter]) -> Counter:
    """The same customer, speaking German."""
    one = counter("demo")
    one.customer = replace(one.customer, locale="de")
    return one


@pytest.fixture
def ana(counter: Callable[[str], Counter]) -> Counter:
    return counter("demo")
