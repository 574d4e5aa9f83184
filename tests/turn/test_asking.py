"""A model's stream is read in one place, and is always closed there."""

from collections.abc import AsyncGenerator

import pytest

from assistant.conversation.chunks import CallArguments, CallNamed, Chunk, StreamEnded, TextDelta
from assistant.conversation.entries import ModelAsked, ModelChunks
from assistant.errors import ModelTimeout
from assistant.ports import ModelRequest
from assistant.prompts.book import shipped_book
from assistant.testing.chat import Chat, deps_for, open_chat
from assistant.testing.script import breaks, calls, says
from tests.turn.conftest import Company


class Patient:
    """A model that says a word a second, for three seconds at most; notes when its stream is closed."""

    name = "patient"

    def __init__(self, company: Company, *, words: int = 2) -> None:
        self._clock, self._words = company.clock, words
        self.closed: list[float] = []

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        try:
            async with self._clock.timeout(3):
                for _ in range(self._words):
                    await self._clock.sleep(1)
                    yield TextDelta("Well. ")
            yield StreamEnded("stop")
        except TimeoutError as error:
            raise ModelTimeout("three seconds are over") from error
        finally:
            self.closed.append(self._clock.monotonic())

    async def close(self) -> None:
        """Nothing to do."""


def chat_with(model: Patient, company: Company) -> Chat:
    return open_chat(deps_for(model, company.tools, shipped_book(), company.clock), company.log)


async def test_a_stop_closes_the_stream_immediately(company: Company) -> None:
    model = Patient(company)
    ana = chat_with(model, company)
    await ana.begins("Hello?")
    await company.clock.sleep(1.5)

    await ana.session.stop()

    assert model.closed == [1.5]


async def test_a_timeout_of_the_next_turns_model_is_not_another_stop(company: Company) -> None:
    model = Patient(company, words=9)
    ana = chat_with(model, company)
    await ana.begins("Hello?")
    await company.clock.sleep(1.5)
    await ana.begins("Are you there?")

    await ana.session.stop("t1")
    await ana.session.answered()

    assert [turn.how for turn in ana.session.state.turns] == ["interrupted", "apologised"]
    assert model.closed == [1.5, 4.5]


async def test_requests_and_replies_are_in_the_log_with_their_times(company: Company) -> None:
    ana = company.chat(calls("get_open_invoices", first_s=0.5, each_s=0.1), breaks("You owe"))

    await ana.says("Check my bill")

    entries = [logged.entry for logged in ana.session.entries]
    assert [entry for entry in entries if isinstance(entry, ModelAsked)] == [
        ModelAsked(round=1, role="decider", model="scripted"),
        ModelAsked(round=2, role="narrator", model="scripted"),
    ]
    decided, told = (entry for entry in entries if isinstance(entry, ModelChunks))
    assert decided.chunks == (
        (500, CallNamed(0, "get_open_invoices")),
        (600, CallArguments(0, "{")),
        (700, CallArguments(0, "}")),
        (800, StreamEnded("tool_calls")),
    )
    assert decided.error is None
    assert told.error == "the script broke off"


@pytest.mark.parametrize(("first", "attempts"), [("Let me check that.", 2), ("All morning.", 1)])
async def test_every_request_is_counted(company: Company, first: str, attempts: int) -> None:
    ana = company.chat(says(first), *[says("All morning.")] * (attempts - 1))

    await ana.says("When are you open?")

    assert ana.session.state.turns[-1].rounds[0].attempts == attempts
