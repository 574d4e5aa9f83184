"""Every adapter can run every conversation, and the strict fake server of its provider accepts each request."""

from typing import Any

import pytest

from assistant.conversation.chunks import CallArguments, CallNamed, TextDelta
from assistant.conversation.views import FromTools
from assistant.testing.script import Line
from tests.models.contract.adapters import Behind
from tests.models.contract.conversations import CONVERSATIONS
from tests.models.contract.official import misfit
from tests.models.contract.talk import Conversation, Held, heard, hold
from tests.support.fake_model.replies import Provider


def in_the_script(line: Line, round_: int) -> tuple[str, list[tuple[str, object]]]:
    """What a line says and calls."""
    chunks = [step for step in line.steps if isinstance(step, TextDelta | CallNamed | CallArguments)]
    reply = heard(chunks, round_)
    return reply.text, [(call.tool, call.arguments) for call in reply.calls]


def outcomes_before(conversation: Conversation, held: Held) -> int:
    """How many outcomes the last request has to tell."""
    told = (message for turn in (*conversation.before, *held.turns) for message in turn.messages)
    return sum(len(message.outcomes) for message in told if isinstance(message, FromTools))


def results_in(body: dict[str, Any], provider: Provider) -> int:
    """How many results a request tells."""
    if provider == "openai-responses":
        return sum(item.get("type") == "function_call_output" for item in body["input"])
    if provider != "anthropic":
        return sum(message["role"] == "tool" for message in body["messages"])
    contents = [message["content"] for message in body["messages"] if isinstance(message["content"], list)]
    return sum(block["type"] == "tool_result" for content in contents for block in content)


@pytest.mark.parametrize("conversation", CONVERSATIONS.values(), ids=CONVERSATIONS)
async def test_the_conversation_runs_to_its_end(conversation: Conversation, behind: Behind) -> None:
    held = await hold(conversation, behind)

    assert [
        (reply.text, [(call.tool, call.arguments) for call in reply.calls]) for reply in held.replies
    ] == [in_the_script(line, 1) for line in conversation.lines]
    assert [misfit(held.provider, body) for body in held.bodies] == [None] * len(conversation.lines)
    assert results_in(held.bodies[-1], held.provider) == outcomes_before(conversation, held)
