"""A crash after any entry: recall finds nothing in what the live turn then does."""

from collections.abc import Sequence
from contextlib import suppress
from itertools import count

from assistant.conversation.entries import Identified, Logged
from assistant.errors import LogError
from assistant.prompts.book import shipped_book
from assistant.recall.conversation import recall_conversation
from assistant.recall.findings import Recalled
from assistant.recall.rules import Rules
from assistant.testing.chat import ANA, KEY, StoppingLog, deps_for
from assistant.testing.fake_tool import Broken
from assistant.testing.script import Line
from assistant.testing.scripted_model import ScriptedModel
from tests.support.rows import check_rows
from tests.turn.conftest import Company
from tests.turn.conversations import CONVERSATIONS
from tests.turn.test_resume import chat_over, play
from tests.turn.test_say_do import STOPPED

STORIES: dict[str, tuple[Sequence[str], dict[str, Line]]] = {
    **CONVERSATIONS,
    **{name: (("Note that I am late",), lines) for name, lines in STOPPED.items()},
}


@check_rows("name", STORIES)
async def test_nothing_is_found_after_a_stop_at_any_entry(name: str) -> None:
    wrong: list[tuple[int, Recalled]] = []
    for most in count(1):
        company = Company()
        if name in STOPPED:
            company.note.behaviour = Broken()
        log = StoppingLog(most)
        await _held(name, log, company)
        stopped = len(log.kept) == most
        log.most = 10_000
        await _held(name, log, company)
        recalled = await _recalled(log.kept, company)
        if recalled.findings or recalled.gains or recalled.failures:
            wrong.append((most, recalled))
        if not stopped:
            break
    assert wrong == []


async def _held(name: str, log: StoppingLog, company: Company) -> None:
    """Continue the conversation from the end of this log, up to the end of the whole log."""
    messages, lines = STORIES[name]
    chat = chat_over(log, list(log.kept), lines, company)
    with suppress(LogError):
        await play(chat, messages)
    await chat.session.close()


async def _recalled(entries: Sequence[Logged], company: Company) -> Recalled:
    deps = deps_for(ScriptedModel(), company.tools, shipped_book(), company.clock)
    known = [Logged(0, 0, "", Identified(level=ANA.level)), *entries]
    return await recall_conversation(KEY, known, Rules(deps))
