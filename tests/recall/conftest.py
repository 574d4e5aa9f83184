"""The demo company of the turn's tests, whose log is checked again."""

from asyncio import AbstractEventLoop
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import pytest

from assistant.conversation.entries import Entry, Logged
from assistant.prompts.book import shipped_book
from assistant.recall.conversation import Period, StoredData, recall_conversation
from assistant.recall.findings import Recalled
from assistant.recall.rules import Rules
from assistant.testing.chat import ANA, KEY, Chat, deps_for
from assistant.testing.script import Line
from assistant.testing.virtual_time import VirtualLoop
from tests.turn.conftest import Company


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], AbstractEventLoop]]:
    return {"virtual": VirtualLoop}


@dataclass(slots=True)
class Past:
    """Conversations that were held, and what today's rules say about them."""

    company: Company = field(default_factory=Company)
    entries: list[Logged] = field(default_factory=list[Logged])

    async def chat(self, *lines: Line, confirm_every_write: bool = False) -> Chat:
        """A conversation with a customer whose identity is known."""
        chat = self.company.chat(*lines, confirm_every_write=confirm_every_write)
        await chat.session.welcome(ANA)
        return chat

    async def over(self) -> None:
        """What was said until now is the past."""
        self.entries = list(await self.company.log.read(KEY))

    def change(self, how: Callable[[Entry], Entry]) -> None:
        """Let the log say that something else happened."""
        self.entries = [replace(one, entry=how(one.entry)) for one in self.entries]

    async def recall(
        self,
        period: Period | None = None,
        *,
        confirm_every_write: bool = False,
        without: Sequence[str] = (),
        kept: StoredData | None = None,
    ) -> Recalled:
        """What today's rules find."""
        tools = [tool for tool in self.company.tools if tool.spec.name not in without]
        deps = deps_for(
            self.company.model,
            tools,
            shipped_book(),
            self.company.clock,
            confirm_every_write=confirm_every_write,
        )
        return await recall_conversation(KEY, self.entries, Rules(deps), period, kept)


@pytest.fixture
def past() -> Iterator[Past]:
    past = Past()
    yield past
    for model in past.company.models:
        model.assert_used_up()
