"""Pictures of tools reach each model that can see, and no other; each model gets a description."""

from dataclasses import replace

import orjson
import pytest

from assistant.ports import ModelOptions
from assistant.testing.script import calls
from tests.models.contract.adapters import PROVIDERS, Behind
from tests.models.contract.conversations import ANSWER, BILL, DOOR, ONE, found
from tests.models.contract.talk import Conversation, Turn, hold
from tests.support.rows import check_rows

SHOWN = Conversation(
    turns=[
        Turn(rounds=[(calls(ONE, ONE), [found("at the door", DOOR), found("and", BILL)])], answer=ANSWER),
        Turn(answer=ANSWER),
    ]
)
BLIND = replace(SHOWN, options=ModelOptions(images=False))


@pytest.mark.parametrize("conversation", [SHOWN, BLIND], ids=["sees", "blind"])
async def test_a_picture_is_shown_to_models_that_see_and_described_to_all(
    conversation: Conversation, behind: Behind
) -> None:
    held = await hold(conversation, behind)

    first, *later = [orjson.dumps(body).decode() for body in held.bodies]
    assert DOOR.data not in first
    for body in later:
        assert body.count(DOOR.data) == conversation.options.images
        assert "door.png, image/png" in body
        assert "bill.pdf, application/pdf" in body


@check_rows("name", PROVIDERS)
async def test_a_document_is_shown_if_its_provider_reads_documents(name: str) -> None:
    held = await hold(SHOWN, PROVIDERS[name])

    *_, last = [orjson.dumps(body).decode() for body in held.bodies]
    assert (BILL.data in last) == (name in ("anthropic", "openai_responses"))
